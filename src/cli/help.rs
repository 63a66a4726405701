//! `-h` and `--help`: the definition of the options, a summary that fits one
//! screen, examples, and the names of the fields.

use std::ffi::OsString;
use std::fmt::Write as _;

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches};
use urlgrep::record::Field;

use super::args::Args;
use super::{conflicts, examples};

/// The text of `-h` after the usage: the most important options, in groups.
const SUMMARY: &str = "\
Input          -g GLOB  -L follow links  --sort date  -j NUM threads
               --files-from FILE  --start-at BYTE  --batch  --as KIND
Reading URLs   --profile NAME  --hyphen HOW  --no-join  --no-doubtful  --unwrap
               --suffix-references www.example.org
Filters        -e PATTERN  -f FILE  -F plain  -i -S -w -x as in ripgrep  -v
               --host GLOB  --scheme NAME  --exclude-host GLOB  -u once  -m NUM
Mail and news  --since DATE  --until DATE  --from PATTERN  --subject PATTERN
               --group GLOB  --role ROLE  --new-only without quotations
               --unique-message
Printed        --json  --csv  --tsv  --fields NAMES  --format TEMPLATE
               -c counts  -l file names  -q nothing  --tally  --explain
               --rejects  --check  --verify  --stats
Output         -H file names  -n lines  -b offsets  --column  --vimgrep  -0
               -A -B -C NUM lines around  --line  --heading  --color WHEN
This program   --generate man|complete-bash  --no-config  -V version

Folders are searched recursively, hidden files too. Patterns follow -e, and
match URLs: urlgrep -e ietf FILE. --help has all options, with examples.";

/// The maximum width of a line in a list of names.
const WIDTH: usize = 78;

/// The options, and the texts of `-h` and `--help`.
pub fn command() -> Command {
    Args::command()
        .mut_args(|arg| arg.hide_short_help(true))
        .after_help(SUMMARY)
        .after_long_help(after())
}

/// Parses the arguments. The first argument is the name of the command. The
/// matches tell which options were typed.
///
/// # Errors
///
/// The arguments are invalid, or request help or the version.
pub fn parse<A>(args: impl IntoIterator<Item = A>) -> Result<(Args, ArgMatches), clap::Error>
where
    A: Into<OsString> + Clone,
{
    let mut command = conflicts::apply(command());
    let matches = command.try_get_matches_from_mut(args)?;
    match Args::from_arg_matches(&matches) {
        Ok(args) => Ok((args, matches)),
        Err(error) => Err(error.format(&mut command)),
    }
}

/// The text of `--help` after the options.
fn after() -> String {
    let mut text = String::from(
        "Patterns are not positional arguments: `urlgrep -e ietf FILE`, \
         `urlgrep --host example.org FILE`.\n\nExamples:\n",
    );
    for example in examples::ALL {
        // OK to ignore: writing to a string does not fail.
        let _ = write!(text, "  {}\n      {}\n", example.what, example.command);
    }
    text.push_str(
        "\nFields of --format, --fields and --json; docs/json.md and `urlgrep --generate man` explain them:",
    );
    let mut width = WIDTH;
    for field in Field::ALL {
        let name = field.name();
        if width + name.len() + 1 > WIDTH {
            text.push_str("\n ");
            width = 1;
        }
        text.push(' ');
        text.push_str(name);
        width += name.len() + 1;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_fits_a_screen() {
        let text = command().render_help().to_string();
        assert!(
            text.lines().count() <= 24,
            "{}\n{text}",
            text.lines().count()
        );
        let widest = text.lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(80), "{widest:?}");
    }

    #[test]
    fn the_summary_names_options_that_are_there() {
        let known = command();
        let words = SUMMARY
            .split_whitespace()
            .filter(|word| word.starts_with('-'));
        for word in words {
            let is_option = match word.strip_prefix("--") {
                Some(long) => known
                    .get_arguments()
                    .any(|arg| arg.get_long() == Some(long) && !arg.is_hide_set()),
                None => {
                    word[1..].starts_with('V')
                        || known
                            .get_arguments()
                            .any(|arg| arg.get_short() == word[1..].chars().next())
                }
            };
            assert!(is_option, "{word}");
        }
    }

    #[test]
    fn every_group_has_an_example() {
        let text = command().render_long_help().to_string();
        let known = command();
        let mut groups: Vec<&str> = Vec::new();
        for group in known
            .get_arguments()
            .filter_map(|arg| arg.get_help_heading())
        {
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        for group in groups {
            let begins = format!("{group}: ");
            assert!(
                examples::ALL.iter().any(|e| e.what.starts_with(&begins)),
                "{group}"
            );
        }
        for example in examples::ALL {
            assert!(text.contains(example.command), "{}", example.command);
        }
    }
}
