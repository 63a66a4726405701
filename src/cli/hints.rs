//! Messages for a wrong command line, in one line each.
//!
//! clap can suggest the option that is spelled most like the typed one. We
//! turned its suggestions off, because they are often wrong: for `--to` it
//! suggested `--byte-offset`, not `--until`. Here a suggestion comes from a
//! table of what people mean, or it differs from the typed option by one letter.

use std::ffi::OsString;
use std::fs;

use clap::Arg;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::help;
use super::inputs::shell_word;
use super::names::is_near;
use super::remedies::remedy;

/// Dashes that word processors and pages write for a hyphen.
const DASHES: [char; 6] = [
    '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2212}',
];

/// Options and values that urlgrep does not have, and what has their meaning.
const MEANT: &str = include_str!("hints.txt");

/// The hint for an option, or for an option and a value.
fn meant(typed: &str) -> Option<&'static str> {
    let mut rows = MEANT.lines().filter_map(|line| line.split_once(": "));
    let row = rows.find(|(names, _)| names.split(' ').any(|name| name == typed));
    row.map(|(_, hint)| hint)
}

/// The hint for an option beside another one: a row of the table has `--tally&--top`.
fn meant_beside(typed: &str, args: &[OsString]) -> Option<&'static str> {
    let names = args.iter().filter_map(|arg| arg.to_str());
    let names = names.filter(|arg| arg.starts_with("--"));
    let names = names.map(|arg| arg.split('=').next().unwrap_or_default());
    let mut hints = names.filter_map(|name| meant(&format!("{name}&{typed}")));
    hints.next()
}

/// The message for a long option whose hyphens are not two hyphens, though clap reads something
/// else: `-clean` is `-c -l -e an`, and `–since` is a path. `None` if there is none.
pub fn misread(args: &[OsString]) -> Option<String> {
    let typed = args.iter().map(|arg| arg.to_str().unwrap_or_default());
    let typed: Vec<&str> = typed.take_while(|arg| *arg != "--").collect();
    let pairs = typed.windows(2).map(|pair| (pair[0], pair[1]));
    // The value of these options may begin with a hyphen.
    let is_value = |before: &str| {
        matches!(before, "--regexp" | "--glob" | "--format")
            || before.starts_with('-') && !before.starts_with("--") && before.ends_with(['e', 'g'])
    };
    for (_, arg) in pairs.filter(|(before, _)| !is_value(before)) {
        let text = arg.split('=').next().unwrap_or_default();
        let dash = text.chars().next().filter(|c| DASHES.contains(c));
        let name = text.trim_start_matches(|c| dash == Some(c) || c == '-');
        let is_word = |b: u8| b.is_ascii_lowercase() || b == b'-' || b == b'0';
        if name.is_empty() || !name.bytes().all(is_word) {
            continue;
        }
        if dash.is_some() {
            let is_option = is_long(name) || is_short(name);
            if is_option && fs::symlink_metadata(arg).is_err() {
                let hyphens = if name.len() == 1 { "-" } else { "--" };
                return Some(format!(
                    "{text}: this is a dash, not a hyphen; use {hyphens}{name}"
                ));
            }
        } else if text.strip_prefix('-') == Some(name) && name.len() > 1 {
            // Options of find(1) have one hyphen, and some are bundles of short options here.
            if let Some(hint) = meant(text) {
                return Some(format!("{text}: {hint}"));
            }
            if is_long(name) {
                return Some(format!("{text}: use --{name}"));
            }
        }
    }
    None
}

/// The message for an error of clap, in one line.
pub fn message(error: &clap::Error, args: &[OsString]) -> String {
    let known = negative(args)
        .or_else(|| signed_age(args))
        .or_else(|| hyphen_of_path(args));
    if let Some(text) = known {
        return text;
    }
    // clap reads `-vimgrep` as `-v -i -m grep`.
    for arg in args.iter().filter_map(|arg| arg.to_str()) {
        let long = arg.strip_prefix('-').unwrap_or_default();
        match meant(arg).filter(|_| long.len() > 1 && !long.starts_with('-')) {
            Some(hint) => return format!("{arg}: {hint}"),
            None if is_long(long) => return format!("{arg}: use --{long}"),
            None => {}
        }
    }
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let typed = context(ContextKind::InvalidArg);
    if error.kind() == ErrorKind::UnknownArgument {
        // Of an unknown option with a value clap names the option alone.
        let with_value = || {
            let mut args = args.iter().filter_map(|arg| arg.to_str());
            let arg = args.find(|arg| arg.strip_prefix(typed).is_some_and(|v| v.starts_with('=')));
            arg.and_then(|arg| meant(arg.split(':').next().unwrap_or_default()))
        };
        let hint = meant_beside(typed, args)
            .or_else(with_value)
            .or_else(|| meant(typed));
        return match (hint, near(typed)) {
            (Some(hint), _) => format!("{typed}: {hint}"),
            (None, Some(near)) => format!("{typed}: no such option; did you mean --{near}?"),
            (None, None) => format!("{typed}: no such option; --help lists all options"),
        };
    }
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.is_empty());
    let text = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let long = |shown: &str| shown.split([' ', '[', '=']).next().unwrap_or("").to_owned();
    if error.kind() == ErrorKind::ArgumentConflict {
        let others = match error.get(ContextKind::PriorArg) {
            Some(ContextValue::String(other)) => vec![long(other)],
            Some(ContextValue::Strings(others)) => others.iter().map(|other| long(other)).collect(),
            _ => Vec::new(),
        };
        let name = |option: &str| option.trim_start_matches('-').to_owned();
        let mut remedies = others
            .iter()
            .map(|other| remedy(&name(&long(typed)), &name(other)));
        let remedy = remedies.find(|text| !text.is_empty());
        return format!("{text}{}", remedy.unwrap_or_default());
    }
    of_value(error, &long(typed), text)
}

/// The message `text` for a value that `option` does not have, with what was meant.
fn of_value(error: &clap::Error, option: &str, text: &str) -> String {
    let value = match error.get(ContextKind::InvalidValue) {
        Some(ContextValue::String(value)) => value.as_str(),
        _ => "",
    };
    // `--pretty=format:%s`
    let value = value.split(':').next().unwrap_or_default().to_lowercase();
    let valid = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(valid)) => valid.as_slice(),
        _ => &[],
    };
    let is_field = |name: &str| urlgrep::rows::Field::from_name(name.trim()).is_some();
    let of_rows = ["--csv", "--tsv", "--json", "--explain"].contains(&option);
    if of_rows && value.split(',').all(is_field) {
        return format!(
            "{option}={value}: the fields of rows are chosen by {option} --fields {value}"
        );
    }
    let hint = meant(&format!("{option}={value}"));
    if error.kind() == ErrorKind::TooManyValues {
        let hint = hint.map_or_else(String::new, |hint| format!("; {hint}"));
        return format!("{option}={value}: this option has no value{hint}");
    }
    match (hint, near_value(&value, valid)) {
        (Some(hint), _) => format!("{text}; {hint}"),
        (None, Some(near)) => format!("{text}; did you mean {near}?"),
        (None, None) => text.to_owned(),
    }
}

/// The value that `typed`, in lower case, is probably meant as: it differs by one letter or by case,
/// or is a word of it.
fn near_value<'v>(typed: &str, valid: &'v [String]) -> Option<&'v str> {
    let is_word = |value: &str| typed.len() > 2 && value.split('-').any(|word| word == typed);
    let is_meant = |value: &&String| *value == typed || is_near(typed, value) || is_word(value);
    valid.iter().find(is_meant).map(String::as_str)
}

/// The message for `-j -1`: clap reads the number as an option.
fn negative(args: &[OsString]) -> Option<String> {
    let typed: Vec<&str> = args.iter().map(|arg| arg.to_str().unwrap_or("")).collect();
    let command = help::command();
    let takes_value = |option: &str| {
        let is_number = |name: &str| ["NUM", "BYTE", "BYTES", "SECONDS"].contains(&name);
        let takes = |arg: &Arg| {
            let names = arg.get_value_names().unwrap_or_default();
            names.iter().any(|name| is_number(name.as_str()))
        };
        let is_it = |arg: &&Arg| match option.strip_prefix("--") {
            Some(long) => arg.get_long() == Some(long),
            None => arg.get_short().is_some() && arg.get_short() == option.chars().next_back(),
        };
        let found = command.get_arguments().find(is_it);
        option.starts_with('-') && found.is_some_and(takes)
    };
    let is_negative = |value: &str| {
        let digits = value.strip_prefix('-').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    };
    let pair = typed
        .windows(2)
        .find(|pair| takes_value(pair[0]) && is_negative(pair[1]))?;
    Some(format!(
        "{} {}: a number cannot be negative",
        pair[0], pair[1]
    ))
}

/// The message for a path that begins with a hyphen, such as `-a.eml`, which clap reads as options.
fn hyphen_of_path(args: &[OsString]) -> Option<String> {
    let paths = args.iter().skip(1).take_while(|arg| *arg != "--");
    let mut paths = paths.filter_map(|arg| arg.to_str());
    let path = paths.find(|arg| {
        let is_bundle = arg.starts_with('-') && arg.len() > 2 && !arg.starts_with("--");
        is_bundle && fs::symlink_metadata(arg).is_ok()
    })?;
    let word = shell_word(&format!("./{path}"));
    Some(format!(
        "{path}: a path that begins with a hyphen is {word}, or it follows `--`"
    ))
}

/// The message for `--since -7d`: clap reads the age as an option.
fn signed_age(args: &[OsString]) -> Option<String> {
    let typed: Vec<&str> = args.iter().map(|arg| arg.to_str().unwrap_or("")).collect();
    typed.windows(2).find_map(|pair| {
        let (option, age) = (pair[0], pair[1].strip_prefix('-')?);
        let is_dated = option == "--since" || option == "--until";
        (is_dated && age.starts_with(|c: char| c.is_ascii_digit())).then(|| {
            format!(
                "{option} -{age}: an age has no sign; use {option} {}",
                shell_word(age)
            )
        })
    })
}

/// True for the name of a long option, without hyphens.
pub fn is_long(name: &str) -> bool {
    let command = help::command();
    command
        .get_arguments()
        .any(|arg| arg.get_long() == Some(name))
}

/// True for a long option, with its hyphens, that needs a value.
pub fn takes_value(option: &str) -> bool {
    let command = help::command();
    let mut options = command.get_arguments();
    let is_it = |arg: &Arg| arg.get_long().is_some() && arg.get_long() == option.strip_prefix("--");
    options.any(|arg| is_it(arg) && arg.get_action().takes_values())
}

fn is_short(name: &str) -> bool {
    let command = help::command();
    let mut shorts = command.get_arguments().filter_map(Arg::get_short);
    name.len() == 1 && shorts.any(|short| name.starts_with(short))
}

/// The option that differs from the typed one by one letter.
fn near(typed: &str) -> Option<String> {
    let typed = typed.strip_prefix("--")?;
    let command = help::command();
    let visible = command.get_arguments().filter(|arg| !arg.is_hide_set());
    let mut names = visible.filter_map(|arg| arg.get_long());
    let near = names.find(|name| is_near(typed, name));
    near.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hints are for options that do not exist, and name options that do.
    #[test]
    fn hints_name_options() {
        let command = help::command();
        let has = |name: &str| {
            command
                .get_arguments()
                .any(|arg| match name.strip_prefix("--") {
                    Some(long) => arg.get_long() == Some(long),
                    None => name.len() == 2 && arg.get_short() == name.chars().nth(1),
                })
        };
        for (names, hint) in MEANT.lines().filter_map(|line| line.split_once(": ")) {
            for name in names.split(' ') {
                let (beside, name) = name.split_once('&').unwrap_or(("", name));
                assert!(beside.is_empty() || has(beside), "{beside}");
                let (option, has_value) = match name.split_once('=') {
                    Some((option, _)) => (option, true),
                    None => (name, false),
                };
                let is_unknown = ["--pretty", "--output", "--out"].contains(&option);
                assert_eq!(has(option), has_value && !is_unknown, "{name}");
            }
            // What is in back quotes is a command of other programs, too.
            let own = hint.split('`').step_by(2);
            for word in own.flat_map(|hint| hint.split([' ', ',', ';', '='])) {
                let is_of_grep = word == "-v" && hint.contains("grep -v");
                assert!(!word.starts_with('-') || is_of_grep || has(word), "{word}");
            }
        }
    }
}
