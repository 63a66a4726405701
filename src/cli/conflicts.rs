//! Options that cannot be used together, and options that need another one.

use std::collections::HashMap;
use std::ffi::OsStr;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Command, CommandFactory};

use super::args::Args;
use super::error::ConfigError;
use super::remedies::remedy;

/// Modes that read lines and search nothing.
const OF_LINES: &str = "check verify";

/// Options of a search.
const OF_SEARCHES: &str = "\
    start_at end_at quiet hyphen no_join www refang no_doubtful unwrap clean read_as no_decode \
    no_decompress max_window max_decompressed no_attachments max_attachment headers role authored skip_deleted since until from to subject \
    exclude_from exclude_to exclude_subject message_id group \
    unique_per_message unique_message notes rejects regexp pattern_file smart_case \
    word_regexp line_regexp invert_match scheme exclude_scheme host exclude_host form max_count \
    unique with_filename line_number byte_offset column after_context before_context context \
    cautions";

/// Options that read input other than the requests of `--batch`, that do not
/// print one row per hit, or that print paths with line feeds.
const NOT_OF_BATCHES: &str = "\
    files_from files0_from start_at end_at explain count files_with_matches files_without_match tally \
    quiet check verify after_context before_context context heading null";

/// Options for data that a ledger does not contain, or for other inputs.
const NOT_OF_LEDGERS: &str = "\
    start_at end_at batch check verify rejects files_without_match after_context \
    before_context context unwrap refang skip_deleted";

/// Options that a report does not support. A report includes every verdict and
/// counts every hit.
const NOT_OF_REPORTS: &str = "\
    batch quiet rejects max_count unique unique_message with_filename null heading \
    hyperlink";

/// Modes that print their own rows or paragraphs.
const ROWS: &str = "json format csv tsv explain";

/// Those of them without the fields of a place, unless these are typed.
const CHOSEN: &str = "format csv tsv explain";

/// Modes that print one row per file or per URL.
const SUMS: &str = "count files_with_matches files_without_match tally";

/// Options that print whole lines and lines around hits.
const LINES: &str = "after_context before_context context";

/// Fields before a URL. As in grep, `-l` and `-c` ignore them.
const FIELDS: &str = "line_number byte_offset column";

/// Options that need decoded messages.
const OF_MESSAGES: &str = "\
    since until from to subject exclude_from exclude_to exclude_subject message_id group role authored skip_deleted unique_per_message unique_message";

/// Modes and options whose output is not sorted by date.
const NOT_BY_DATE: &str = "\
    count files_with_matches files_without_match report after_context before_context \
    context heading batch ledger";

/// The filters of URLs.
const OF_URLS: &str = "regexp pattern_file scheme exclude_scheme host exclude_host";

/// Each option of the first list conflicts with each option of the second.
const CONFLICTS: &[(&str, &str)] = &[
    (OF_LINES, OF_SEARCHES),
    (OF_LINES, "vimgrep heading hyperlink"),
    ("batch", NOT_OF_BATCHES),
    ("ledger", NOT_OF_LEDGERS),
    ("report", NOT_OF_REPORTS),
    ("report", LINES),
    ("report", FIELDS),
    ("report", "vimgrep"),
    (ROWS, LINES),
    (CHOSEN, FIELDS),
    (CHOSEN, "with_filename"),
    (ROWS, "vimgrep null heading"),
    (SUMS, LINES),
    (SUMS, "vimgrep heading hyperlink"),
    ("tally", FIELDS),
    (
        "count",
        "json format csv tsv explain files_without_match check verify",
    ),
    (
        "tally",
        "format explain count files_with_matches files_without_match report check verify",
    ),
    ("cautions", "rejects null heading vimgrep"),
    ("cautions", LINES),
    // A refused text is printed as a row of its own, with the reason.
    ("rejects", LINES),
    ("no_decode", OF_MESSAGES),
    ("unique_message", LINES),
    ("pre", "start_at end_at ledger check verify"),
];

/// An option, a value, and the options that conflict with this value.
const CONFLICTS_OF_VALUES: &[(&str, &str, &str)] = &[
    ("sort", "date", NOT_BY_DATE),
    ("sort", "path", "tally"),
    ("sort", "none", "tally"),
    ("sort", "date", "tally"),
    ("sort", "first-seen", "tally"),
    ("read_as", "text", OF_MESSAGES),
];

/// Modes without columns, and options for lines of text. They conflict with `--fields` on the
/// command line. In the file of arguments it is a default for tables.
const NOT_OF_FIELDS: [&str; 4] = [
    "format explain count files_with_matches files_without_match report check verify tally",
    LINES,
    FIELDS,
    "vimgrep with_filename null heading",
];

/// An option, and the options of which it needs one. If the table has a value,
/// only this value of the option needs them.
const REQUIREMENTS: &[(&str, Option<&str>, &str)] = &[
    ("rejects", Some("both"), "json"),
    ("sort", Some("count"), "tally"),
    ("sort", Some("value"), "tally"),
    ("pre_timeout", None, "pre"),
    ("invert_match", None, OF_URLS),
    (
        "word_regexp",
        None,
        "regexp pattern_file from to subject exclude_from exclude_to exclude_subject",
    ),
    ("line_regexp", None, "regexp pattern_file"),
    ("sort", Some("first-seen"), "ledger"),
    ("corroborate", None, "ledger"),
    ("merge", None, "ledger"),
    ("ledger_transaction", None, "ledger"),
    ("title", None, "report"),
    (
        "null",
        None,
        "with_filename files_with_matches files_without_match count line_number byte_offset \
         column vimgrep",
    ),
];

/// Adds the conflicts of the table to `command`, in one pass: each call of
/// `mut_arg` would move all later arguments.
pub fn apply(command: Command) -> Command {
    // Each list is split once. There are more than a hundred options.
    let mut conflicts: HashMap<&str, Vec<&str>> = HashMap::new();
    for (ones, others) in CONFLICTS {
        let others: Vec<&str> = others.split(' ').collect();
        for one in ones.split(' ') {
            conflicts.entry(one).or_default().extend(&others);
        }
    }
    command.mut_args(|arg| match conflicts.remove(arg.get_id().as_str()) {
        Some(others) => arg.conflicts_with_all(others),
        None => arg,
    })
}

/// Checks conflicts of values, and the requirements of the `typed` options.
/// clap cannot check these. `all` also has the options of the file that
/// `URLGREP_CONFIG_PATH` names. Those options are defaults, so their
/// requirements are not checked.
///
/// # Errors
///
/// The message names the options.
pub fn check(typed: &ArgMatches, all: &ArgMatches) -> Result<(), ConfigError> {
    for &(option, value, others) in CONFLICTS_OF_VALUES {
        if let Some(other_id) = others.split(' ').find(|other| is_typed(all, other))
            && has(all, option, Some(value))
        {
            let (one, other) = (name(option), name(other_id));
            let remedy = remedy(&long(option), &long(other_id));
            let text = format!("{one} {value} cannot be used with {other}{remedy}");
            return Err(ConfigError::new(text));
        }
    }
    let mut others = NOT_OF_FIELDS.iter().flat_map(|others| others.split(' '));
    if is_typed(typed, "fields")
        && let Some(other) = others.find(|other| is_typed(typed, other))
    {
        let remedy = remedy("fields", &long(other));
        let text = format!("--fields cannot be used with {}{remedy}", name(other));
        return Err(ConfigError::new(text));
    }
    for &(option, value, others) in REQUIREMENTS {
        if has(typed, option, value) && !others.split(' ').any(|other| is_typed(all, other)) {
            let value = value.map_or_else(String::new, |value| format!(" {value}"));
            let names: Vec<_> = others.split(' ').map(name).collect();
            let names = match &names[..] {
                [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
                names => names.concat(),
            };
            let instead = match option {
                "null" => r"; for URLs before `xargs -0` use --format '{url}\0'",
                "line_regexp" => {
                    r"; a command for each URL is `urlgrep -u --format '{url}\0' | xargs -0 -n1 COMMAND`"
                }
                "invert_match" if is_typed(all, "from") => "; --exclude-from leaves out authors",
                "invert_match" if is_typed(all, "to") => "; --exclude-to leaves out recipients",
                "invert_match" if is_typed(all, "subject") => {
                    "; --exclude-subject leaves out subjects"
                }
                "title" => "; the title of a message is --subject PATTERN",
                _ => "",
            };
            let text = format!("{}{value} needs {names}{instead}", name(option));
            return Err(ConfigError::new(text));
        }
    }
    Ok(())
}

/// The option as it is typed. Returns the short form if there is one.
fn name(id: &str) -> String {
    let command = Args::command();
    let arg = command.get_arguments().find(|arg| arg.get_id() == id);
    let short = arg.and_then(Arg::get_short);
    short.map_or_else(|| format!("--{}", long(id)), |c| format!("-{c}"))
}

/// The long form of an option, without its hyphens.
fn long(id: &str) -> String {
    let command = Args::command();
    let arg = command.get_arguments().find(|arg| arg.get_id() == id);
    arg.and_then(Arg::get_long).unwrap_or(id).to_owned()
}

fn is_typed(matches: &ArgMatches, option: &str) -> bool {
    matches.value_source(option) == Some(ValueSource::CommandLine)
}

/// True if the option was typed. If `value` is given, the option must also have
/// this value.
fn has(matches: &ArgMatches, option: &str, value: Option<&str>) -> bool {
    let is_value = |value: &str| {
        let typed = matches.get_raw(option);
        typed.is_some_and(|mut typed| typed.any(|typed| typed == OsStr::new(value)))
    };
    is_typed(matches, option) && value.is_none_or(is_value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// clap checks the names of the second list.
    #[test]
    fn names_of_the_first_list_are_options() {
        let command = Args::command();
        let is_option = |one: &&str| command.get_arguments().any(|arg| arg.get_id() == *one);
        let mut ones = CONFLICTS.iter().flat_map(|(ones, _)| ones.split(' '));
        assert_eq!(ones.find(|one| !is_option(one)), None);
    }

    /// A new option of these groups is put into the list, or here.
    #[test]
    fn options_are_in_the_list_of_their_group() {
        let rows = [
            ("Reading URLs", OF_SEARCHES, "profile"),
            ("Filters", OF_SEARCHES, "fixed_strings ignore_case"),
            ("Mail and news", OF_SEARCHES, ""),
            (
                "Mail and news",
                OF_MESSAGES,
                "read_as no_decode no_decompress max_window max_decompressed no_attachments \
                 max_attachment headers notes",
            ),
        ];
        let command = Args::command();
        for (group, list, others) in rows {
            let known: Vec<&str> = list.split(' ').chain(others.split(' ')).collect();
            let of_group = |arg: &&Arg| arg.get_help_heading() == Some(group);
            let ids = command.get_arguments().filter(of_group);
            let ids: Vec<&str> = ids.map(|arg| arg.get_id().as_str()).collect();
            assert!(!ids.is_empty(), "{group}");
            for id in ids {
                assert!(known.contains(&id), "{group}: {id}");
            }
        }
    }
}
