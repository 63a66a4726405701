//! Messages for a wrong command line, in one line each.
//!
//! clap can suggest the option that is spelled most like the typed one. We
//! turned its suggestions off, because they are often wrong: for `--to` it
//! suggested `--byte-offset`, not `--until`. Here a suggestion comes from a
//! table of what people mean, or it differs from the typed option by one letter.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::help;
use super::names::is_near;

/// Options and values that urlgrep does not have, and what has their meaning.
const MEANT: &str = "\
-r --recursive: leave it out; folders are always searched recursively
-R --dereference-recursive: use -L, which follows symbolic links; folders are always searched recursively
-E --extended-regexp: use -e PATTERN; every pattern is an extended regular expression
-P --perl-regexp: use -e PATTERN; its syntax is that of Rust's regex, without look-around and backreferences
-a --text --binary: leave it out; every file is searched
--hidden --no-ignore: leave it out; all files of a folder are searched
-z --search-zip --decompress: leave it out; compressed files are always searched
-U --multiline --join: leave it out; URLs are joined over lines, unless --no-join is given
-s --silent: use --no-messages, or -q
-t --type: use -g GLOB for names of files, --scheme NAME for URLs
--include --exclude-dir --iglob: use -g GLOB, or -g '!GLOB'
--exclude: use -g '!GLOB' for files, --exclude-host GLOB for URLs
--to --before: use --until DATE
--after: use --since DATE
--date --year --month: use --since DATE and --until DATE
--author --sender: use --from PATTERN
--list --newsgroup: use --group GLOB
--domains --hosts --unique-hosts: use --tally=domain, or --tally=host
--domain --site: use --host GLOB; a plain name includes its subdomains
--protocol: use --scheme NAME
--pattern --regex --grep --match --url: use -e PATTERN
--uniq --distinct --dedup --deduplicate: use -u
--no-quotes --no-quoted --new: use --new-only
--body: use --role body
--count-matches: use -c
--files: use -l for the files with hits; the paths without a search are those of find(1)
--refang --defang: masked URLs are refused; --rejects prints them
--limit --max --head: use -m NUM, or head(1)
--jobs --parallel: use -j NUM
--output --out --write: redirect the output, as in >FILE
--html: use --as html to read it, --report FILE to write it
--xml --yaml --markdown: use --json, --csv or --format TEMPLATE
--template --print: use --format TEMPLATE
--columns: use --fields FIELDS
--jsonl --ndjson: use --json, which prints one object a line
--excel --xlsx: use --csv=excel
--db --database --sqlite: use --ledger FILE
--debug --verbose: use --explain, --notes or --stats
--validate: use --check
--links --only-urls: leave it out; only URLs are printed
--mbox --eml --maildir: leave it out; the format is detected, or use --as KIND
--man --completions: use --generate KIND
--profile=rfc3986 --profile=rfc2396 --profile=uri: RFC 3986 is --profile current
--profile=rfc3987: RFC 3987 is --profile iri, the default
--sort=year --sort=month: use --tally=year; years are in their order
--sort=name: use --sort path, the default
--color=yes --color=on --color=true: use --color always
--color=no --color=off --color=false: use --color never
--as=eml --as=mail --as=rfc822: use --as message
--as=maildir: name the folder, without --as
--role=html: use --role html-link,html-text
--role=sig: use --role signature
--role=quote: use --role quoted
--role=subject: use --role header
--form=angle: use --form bracketed
";

/// The hint for an option, or for an option and a value.
fn meant(typed: &str) -> Option<&'static str> {
    let mut rows = MEANT.lines().filter_map(|line| line.split_once(": "));
    let row = rows.find(|(names, _)| names.split(' ').any(|name| name == typed));
    row.map(|(_, hint)| hint)
}

/// The message for an error of clap, in one line.
pub fn message(error: &clap::Error) -> String {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let typed = context(ContextKind::InvalidArg);
    if error.kind() == ErrorKind::UnknownArgument {
        return match (meant(typed), near(typed)) {
            (Some(hint), _) => format!("{typed}: {hint}"),
            (None, Some(near)) => format!("{typed}: no such option; did you mean --{near}?"),
            (None, None) => format!("{typed}: no such option; --help lists all options"),
        };
    }
    let text = error.to_string();
    let lines = text.lines().take_while(|line| !line.is_empty());
    let text = lines.map(str::trim).collect::<Vec<_>>().join(" ");
    let text = text.strip_prefix("error: ").unwrap_or(&text);
    let option = typed.split([' ', '[']).next().unwrap_or_default();
    let value = context(ContextKind::InvalidValue);
    match meant(&format!("{option}={value}")) {
        Some(hint) => format!("{text}; {hint}"),
        None => text.to_owned(),
    }
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
                    None => arg.get_short() == name.chars().nth(1),
                })
        };
        for (names, hint) in MEANT.lines().filter_map(|line| line.split_once(": ")) {
            for name in names.split(' ') {
                let (option, value) = name.split_once('=').unwrap_or((name, ""));
                assert_eq!(has(option), !value.is_empty(), "{name}");
            }
            for word in hint.split([' ', ',', ';', '=']) {
                assert!(!word.starts_with('-') || has(word), "{word}");
            }
        }
    }
}
