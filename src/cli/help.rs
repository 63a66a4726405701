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
Input     -g GLOB  -L links  --sort date  -j NUM  --as KIND
          --files-from FILE  --start-at BYTE  --batch
URLs      --profile NAME  --hyphen HOW  --no-join  --unwrap
          --no-doubtful  --suffix-references  --cautions
Filters   -e PATTERN  -f FILE  -F -i -S -w -x  -v  -u once
          --host GLOB  --exclude-host GLOB  --scheme NAME
Mail      --since DATE  --until DATE  --from PATTERN
          --subject PATTERN  --group GLOB  --role ROLE
          --new-only  --unique-message
Printed   --json  --csv  --tsv  --fields NAMES  --tally
          --format TEMPLATE  -c counts  -l files  -q nothing
          --explain  --rejects  --check  --verify  --stats
          --ledger FILE  --report FILE
Output    -H names  -n lines  -b offsets  --column  -0
          -A -B -C NUM  --line  --heading  --vimgrep  -m NUM
Program   --generate KIND  --no-config  -V  --color WHEN

Folders are searched recursively, hidden files too. A
pattern follows -e and matches URLs: urlgrep -e ietf FILE.
--help has all options, with examples.";

/// The maximum width of a line in a list of names.
const WIDTH: usize = 78;

/// The options, and the texts of `-h` and `--help`.
pub fn command() -> Command {
    Args::command()
        .mut_args(|arg| arg.hide_short_help(true))
        .after_help(summary())
        .after_long_help(after())
}

/// [`SUMMARY`] with the options of this build.
fn summary() -> String {
    let ledger = if cfg!(feature = "ledger") {
        "--ledger FILE  "
    } else {
        ""
    };
    let report = if cfg!(feature = "report") {
        "--report FILE"
    } else {
        ""
    };
    let optional = format!("          {ledger}{report}\n").replace("          \n", "");
    SUMMARY.replace("          --ledger FILE  --report FILE\n", &optional)
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
            text.lines().count() <= 25,
            "{}\n{text}",
            text.lines().count()
        );
        let widest = text.lines().map(|line| line.chars().count()).max();
        // The line above the usage is clap's, and wraps.
        assert!(widest <= Some(80), "{widest:?}");
        let widest = summary().lines().map(|line| line.chars().count()).max();
        assert!(widest <= Some(60), "{widest:?}");
        assert_eq!(text.contains("--ledger"), cfg!(feature = "ledger"));
        assert_eq!(text.contains("--report"), cfg!(feature = "report"));
    }

    #[test]
    fn the_summary_names_options_that_are_there() {
        let known = command();
        let summary = summary();
        let words = summary
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
