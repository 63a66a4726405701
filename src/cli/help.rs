//! `-h` and `--help`: the definition of the options, a summary that fits one
//! screen, examples, and the names of the fields.

use std::ffi::OsString;

use clap::{ArgMatches, Command, CommandFactory, FromArgMatches, ValueEnum};
use urlgrep::rows::Field;

use super::args::Args;
use super::conflicts;
use super::values::ColorArg;

/// The text of `-h` after the usage: the options most used, in groups, and examples.
const SUMMARY: &str = include_str!("summary.txt");

/// The examples of `--help` and of the manual page: a general example, then one
/// for each group of options. A test runs them in `testdata/jobs`.
pub const EXAMPLES: &str = include_str!("examples.txt");

/// The maximum width of a line in a list of names.
const WIDTH: usize = 78;

/// The options, and the texts of `-h` and `--help`.
pub fn command() -> Command {
    Args::command()
        .mut_args(|arg| arg.hide_short_help(true))
        .after_help(SUMMARY.trim_end())
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
    let args = with_colour(args.into_iter().map(Into::into));
    let matches = command.try_get_matches_from_mut(args)?;
    let args = Args::from_arg_matches(&matches).map_err(|error| error.format(&mut command))?;
    // To free the options one by one takes 5 % of the start, and they are needed once.
    std::mem::forget(command);
    Ok((args, matches))
}

/// As in grep, `--colour` needs no value, and then means `auto`. Without this, the path
/// after it would be its value.
fn with_colour(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut args: Vec<OsString> = args.collect();
    for at in 0..args.len() {
        if args[at] != "--colour" {
            continue;
        }
        let next = args.get(at + 1).and_then(|next| next.to_str());
        let is_value = next.is_some_and(|next| ColorArg::from_str(next, false).is_ok());
        if !is_value {
            args[at] = OsString::from("--colour=auto");
        }
    }
    args
}

/// The text of `--help` after the options.
fn after() -> String {
    let mut text = String::from(
        "Patterns are not positional arguments: `urlgrep -e ietf FILE`, \
         `urlgrep --host example.org FILE`.\n\nExamples:\n",
    );
    text.push_str(EXAMPLES);
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
    text.push_str(LEFT_OUT);
    text
}

/// What a build without the ledger and the report leaves out.
const LEFT_OUT: &str = match (cfg!(feature = "ledger"), cfg!(feature = "report")) {
    (true, true) => "",
    (true, false) => {
        "\n\nThis build has no --report, which needs the feature `report`: \
         `cargo install --path . --features full` adds it."
    }
    (false, true) => {
        "\n\nThis build has no --ledger, which needs the feature `ledger`: \
         `cargo install --path . --features full` adds it."
    }
    (false, false) => {
        "\n\nThis build has no --ledger and no --report, which need the features `ledger` and \
         `report`: `cargo install --path . --features full` adds them."
    }
};

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

    /// More options would not fit, and hide those that people look for.
    #[test]
    fn the_summary_has_twenty_five_options_and_five_examples() {
        let (options, examples) = SUMMARY.split_once("\n\n").unwrap();
        let words = options.split_whitespace();
        assert_eq!(words.filter(|word| word.starts_with('-')).count(), 25);
        assert_eq!(examples.matches("  urlgrep ").count(), 5);
    }

    #[test]
    fn there_are_at_most_ninety_eight_options() {
        let known = command();
        let visible = known.get_arguments().filter(|arg| !arg.is_hide_set());
        assert!(visible.filter(|arg| !arg.is_positional()).count() <= 98);
    }

    #[test]
    fn the_summary_names_options_that_are_there() {
        let known = command();
        let words = SUMMARY.split_whitespace();
        for word in words.filter(|word| word.starts_with('-')) {
            let word = word.split(['=', ',', ':', '.']).next().unwrap_or_default();
            let is_option = match word.strip_prefix("--") {
                Some(long) => known
                    .get_arguments()
                    .any(|arg| arg.get_long() == Some(long) && !arg.is_hide_set()),
                None => {
                    let short = word[1..].chars().next();
                    known.get_arguments().any(|arg| arg.get_short() == short)
                }
            };
            assert!(is_option, "{word}");
        }
    }

    #[test]
    fn a_build_says_what_it_leaves_out() {
        let text = command().render_long_help().to_string();
        for (option, is_there) in [
            ("--ledger", cfg!(feature = "ledger")),
            ("--report", cfg!(feature = "report")),
        ] {
            let is_missing = format!("no {option}");
            assert_eq!(text.contains(&is_missing), !is_there, "{option}");
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
            let begins = format!("  {group}: ");
            assert!(
                EXAMPLES.lines().any(|line| line.starts_with(&begins)),
                "{group}"
            );
        }
        assert!(EXAMPLES.lines().all(|line| text.contains(line)));
    }
}
