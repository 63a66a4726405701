//! The inputs: the typed paths, and lists of further paths.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::path::PathBuf;

use urlgrep::filter::Filter;
use urlgrep::mail::Role;
use urlgrep::rows::Field;
use urlgrep::url::{Caution, Profile, validate};
use urlgrep_files::engine::{Fault, Input};
use urlgrep_url::is_registered;

use super::args::Args;
use super::error::ConfigError;
use super::names::SCHEMES;

/// The typed inputs.
#[derive(Clone, Debug)]
pub struct TypedInputs {
    /// The typed paths, or `-` if standard input is read by default. Empty if
    /// all paths come from lists, or if the current folder is searched.
    paths: Vec<PathBuf>,
    /// The lists of further paths: a file, or `-`, and the byte that ends each path.
    lists: Vec<(OsString, u8)>,
    /// True if neither a path nor a list was typed and the current folder is
    /// searched. Its paths are then printed without `./`.
    implied: bool,
}

impl TypedInputs {
    /// Combines the paths and the lists of `--files-from` and `--files0-from`.
    /// A path, a list or a pattern file may be standard input.
    ///
    /// # Errors
    ///
    /// Standard input is named more than once. Among the paths it may be named
    /// several times, which counts once.
    pub fn new(args: &Args) -> Result<TypedInputs, ConfigError> {
        let (paths, input) = (&args.paths, &args.input);
        let lines = input.files_from.iter().map(|file| (file.clone(), b'\n'));
        let nuls = input.files0_from.iter().map(|file| (file.clone(), 0));
        let lists: Vec<_> = lines.chain(nuls).collect();
        let is_stdin = |name: &OsString| name == OsStr::new("-");
        let patterns = args.filter.pattern_file.iter();
        let readers = patterns.filter(|f| is_stdin(f)).count()
            + lists.iter().filter(|list| is_stdin(&list.0)).count()
            + usize::from(paths.iter().any(is_stdin));
        if readers > 1 {
            return Err(ConfigError::new(
                "standard input (`-`) can be read only once",
            ));
        }
        let nothing = paths.is_empty() && lists.is_empty();
        let implied = nothing && (readers > 0 || io::stdin().is_terminal());
        let paths = if nothing && !implied {
            vec![PathBuf::from("-")]
        } else {
            paths.iter().map(PathBuf::from).collect()
        };
        Ok(TypedInputs {
            paths,
            lists,
            implied,
        })
    }

    /// True if more than one file may be searched.
    pub fn has_many(&self) -> bool {
        self.implied
            || !self.lists.is_empty()
            || self.paths.len() > 1
            || self.paths.iter().any(|path| path.is_dir())
    }

    /// The files and folders to search. `None` if there is other input.
    pub fn all_paths(&self) -> Option<Vec<PathBuf>> {
        let is_stdin = |path: &PathBuf| path.as_os_str() == "-";
        if !self.lists.is_empty() || self.paths.iter().any(is_stdin) {
            return None;
        }
        Some(if self.implied {
            vec![PathBuf::from(".")]
        } else {
            self.paths.clone()
        })
    }

    /// True if this path was typed.
    pub fn is_typed(&self, path: &[u8]) -> bool {
        let mut paths = self.paths.iter();
        paths.any(|typed| typed.as_os_str().as_encoded_bytes() == path)
    }

    /// True if a missing path may be meant as a pattern. A path that exists is not what is
    /// missing: a program of `--pre` is.
    pub fn may_be_pattern(&self, path: &[u8]) -> bool {
        let bytes = |given: &PathBuf| given.as_os_str().as_encoded_bytes() == path;
        if self
            .paths
            .iter()
            .any(|given| bytes(given) && given.exists())
        {
            return false;
        }
        let first = self.paths.first();
        let is_first = first.is_some_and(|first| first.as_os_str().as_encoded_bytes() == path);
        is_pattern(path) || is_host(path) || is_first && !path.contains(&b'/')
    }

    /// All inputs, in order.
    pub fn inputs(&self) -> Inputs {
        Inputs {
            here: self.implied,
            paths: self.paths.clone().into_iter(),
            lists: self.lists.clone().into_iter(),
            list: None,
            is_first: false,
        }
    }
}

/// The inputs of a run, in order. Lists are read on demand.
pub struct Inputs {
    here: bool,
    paths: std::vec::IntoIter<PathBuf>,
    lists: std::vec::IntoIter<(OsString, u8)>,
    list: Option<(PathBuf, u8, Box<dyn BufRead + Send>)>,
    /// The next path is the first one of its list.
    is_first: bool,
}

/// True for the first line of a mailbox or a message.
pub fn is_of_mail(line: &[u8]) -> bool {
    const FIELDS: [&str; 9] = [
        "Return-Path:",
        "Received:",
        "Delivered-To:",
        "From:",
        "To:",
        "Date:",
        "Subject:",
        "Message-ID:",
        "X-Mozilla-Status:",
    ];
    let is_field = |name: &&str| {
        let start = line.get(..name.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
    };
    line.starts_with(b"From ") || FIELDS.iter().any(is_field)
}

/// True if a file has this name, or a symbolic link.
fn is_there(path: &[u8]) -> bool {
    PathBuf::from(os_string(path.to_vec()))
        .symlink_metadata()
        .is_ok()
}

/// The byte order mark that programs of Windows write before UTF-8.
pub const BOM: &[u8] = b"\xEF\xBB\xBF";

/// The maximum length of a path in a list, with the empty ones before it. Linux
/// opens paths of at most 4 KiB.
const LONGEST: u64 = 64 << 10;

impl Inputs {
    /// The next path of the current list. `None` at its end. After an error the
    /// rest of the list is not read.
    fn list(&mut self) -> Option<Input> {
        let (name, end, mut list) = self.list.take()?;
        let mut names = Read::by_ref(&mut list).take(LONGEST);
        let mut line = Vec::new();
        let read = loop {
            match names.read_until(end, &mut line) {
                Ok(0) if names.limit() > 0 => return None,
                Ok(_) if line == [end] || line == b"\r\n" && !is_there(b"\r") => line.clear(),
                Ok(_) if line.last() != Some(&end) && names.limit() == 0 => {
                    let text = "a path of more than 64 KiB; the rest of the list is not read";
                    break Err(io::Error::other(text));
                }
                Ok(_) if self.is_first && line.starts_with(b"\xFF\xFE") => {
                    let text = "the list is UTF-16; `iconv -f utf-16 -t utf-8 FILE` converts it";
                    break Err(io::Error::other(text));
                }
                Ok(_) if end == b'\n' && line.contains(&0) => {
                    let text = "the list has a NUL byte; --files0-from reads paths that end in one";
                    break Err(io::Error::other(text));
                }
                read => break read,
            }
        };
        if let Err(error) = read {
            let is_folder = error.kind() == io::ErrorKind::IsADirectory;
            let text = "this is a folder; without --files-from its files are searched";
            let error = if is_folder {
                io::Error::other(text)
            } else {
                error
            };
            return Some(Input::Fault(Fault::new(&name, &error)));
        }
        line.pop_if(|last| *last == end);
        // Lists of Windows. A name may begin or end so, too, so this one must be missing.
        if self.is_first && line.starts_with(BOM) && !is_there(&line) {
            line.drain(..BOM.len());
        }
        if end == b'\n' && line.ends_with(b"\r") && !is_there(&line) {
            line.pop();
        }
        if end == 0 && line.contains(&b'\n') && !is_there(&line) {
            let text = "the list has line feeds and no NUL byte; --files-from reads a path a line";
            return Some(Input::Fault(Fault::new(&name, &io::Error::other(text))));
        }
        if std::mem::take(&mut self.is_first) && is_of_mail(&line) && !is_there(&line) {
            let text = "this is mail, not a list of paths; without --files-from its URLs are found";
            return Some(Input::Fault(Fault::new(&name, &io::Error::other(text))));
        }
        self.list = Some((name, end, list));
        Some(input(os_string(line).into()))
    }
}

impl Iterator for Inputs {
    type Item = Input;

    fn next(&mut self) -> Option<Input> {
        if std::mem::take(&mut self.here) {
            return Some(Input::Here);
        }
        if let Some(path) = self.paths.next() {
            return Some(input(path));
        }
        loop {
            if let Some(input) = self.list() {
                return Some(input);
            }
            let (file, end) = self.lists.next()?;
            let path = PathBuf::from(file);
            let opened: io::Result<Box<dyn Read + Send>> = if path.as_os_str() == "-" {
                Ok(Box::new(io::stdin()))
            } else {
                File::open(&path).map(|f| Box::new(f) as _)
            };
            match opened {
                Ok(rdr) => {
                    self.list = Some((path, end, Box::new(BufReader::new(rdr))));
                    self.is_first = true;
                }
                Err(error) => return Some(Input::Fault(Fault::new(&path, &error))),
            }
        }
    }
}

fn input(path: PathBuf) -> Input {
    if path.as_os_str() == "-" {
        Input::Stdin
    } else {
        Input::Path(path)
    }
}

/// A path from its bytes.
pub fn os_string(bytes: Vec<u8>) -> OsString {
    #[cfg(unix)]
    {
        std::os::unix::ffi::OsStringExt::from_vec(bytes)
    }
    #[cfg(not(unix))]
    {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }
}

/// Refuses typed paths that name no file and are probably meant as filters: any
/// path with `://`, and the first of several paths if it looks like a pattern
/// or a host. `--check` and `--verify` have no filters, so there a URL is only a
/// path that does not exist.
pub fn check(args: &Args) -> Result<(), ConfigError> {
    let paths = &args.paths;
    let of_lines = args.other.check || args.other.verify;
    let text = rest_of_list(args)
        .or_else(|| of_query(paths))
        .or_else(|| of_operator(paths, ["AND", "OR", "NOT"]))
        .or_else(|| rest_of_date(args))
        .or_else(|| rest_of_text(args))
        .or_else(|| of_operator(paths, ["and", "or", "not"]));
    if let Some(text) = text {
        return Err(ConfigError::new(text));
    }
    let is_meant = |(i, path): &(usize, &OsString)| {
        let bytes = path.as_encoded_bytes();
        let is_first = *i == 0 && paths.len() > 1 && *path != "-";
        (is_first && (is_word(bytes) || is_host(bytes) || is_regex(bytes))
            || !of_lines && has_scheme(bytes))
            && fs::symlink_metadata(path).is_err()
    };
    let Some((_, path)) = paths.iter().enumerate().find(is_meant) else {
        return Ok(());
    };
    let word = shell_word(&path.display().to_string());
    let meant = |path| of_address(path).or_else(|| of_help(path));
    if let Some(text) = path.to_str().and_then(meant) {
        return Err(ConfigError::new(text));
    }
    if let Some(local) = path.to_str().and_then(|path| path.strip_prefix("file://"))
        && local.starts_with('/')
    {
        return Err(ConfigError::new(format!(
            "{}: no such file, so nothing was searched; a file is named by its path, {}",
            path.display(),
            shell_word(local)
        )));
    }
    let is_web = [&b"http://"[..], b"https://", b"ftp://"]
        .iter()
        .any(|scheme| path.as_encoded_bytes().starts_with(scheme));
    let reading = &args.reading;
    let options = [
        ("--unwrap", reading.unwrap),
        ("--clean", reading.clean),
        ("--refang", reading.refang),
    ];
    let of_url = options.iter().find(|(_, is_typed)| *is_typed);
    let fetched = match of_url {
        Some((option, _)) => format!(", and a URL itself `echo {word} | urlgrep {option}`"),
        None if is_web => format!(", and nothing is fetched: `curl -s {word} | urlgrep`"),
        None => String::new(),
    };
    let url = validate(Profile::Iri, path.as_encoded_bytes()).ok();
    let host = url.and_then(|url| url.host().map(|host| host.to_string()));
    let host = host.unwrap_or_else(|| word.to_string());
    Err(ConfigError::new(format!(
        "{}: no such file, so nothing was searched; a pattern is `-e {word}`, \
         a host `--host {host}`, a path `{}`{fetched}",
        path.display(),
        shell_word(&format!("./{}", path.display()))
    )))
}

/// Words of the queries of mail programs: notmuch and web mail have `from:ann`, mutt `~f ann`,
/// and people write `since 2020`. And what means the same here.
const QUERIES: [(&str, &str); 18] = [
    ("from", "--from"),
    ("to", "--to"),
    ("cc", "--to"),
    ("subject", "--subject"),
    ("since", "--since"),
    ("after", "--since"),
    ("newer", "--since"),
    ("until", "--until"),
    ("before", "--until"),
    ("older", "--until"),
    ("list", "--group"),
    ("group", "--group"),
    ("id", "--message-id"),
    ("~f", "--from"),
    ("~t", "--to"),
    ("~C", "--to"),
    ("~s", "--subject"),
    ("~i", "--message-id"),
];

/// The message for paths that name no files and are a query. `None` if there are none.
fn of_query(paths: &[OsString]) -> Option<String> {
    let is_missing = |path: &&OsString| fs::symlink_metadata(path).is_err();
    let option = |word: &str| {
        let row = QUERIES.iter().find(|(name, _)| *name == word);
        row.map(|(_, option)| *option)
    };
    for (at, path) in paths.iter().enumerate() {
        let Some(text) = path.to_str().filter(|_| is_missing(&path)) else {
            continue;
        };
        let no_file = format!("{text}: no such file");
        if let Some(dates) = text.strip_prefix("date:") {
            let (since, until) = dates.split_once("..").unwrap_or((dates, ""));
            let until = match until {
                "" => String::new(),
                until => format!(" --until {}, which is not included", shell_word(until)),
            };
            return Some(format!(
                "{no_file}; use --since {}{until}",
                shell_word(since)
            ));
        }
        let pair = text.split_once(':').or_else(|| text.split_once(' '));
        match pair {
            Some(("maildir" | "folder" | "path" | "in", _)) => {
                return Some(format!(
                    "{no_file}; name the folder as a path, such as ~/Mail"
                ));
            }
            Some(("tag" | "is" | "flag" | "label", _)) => {
                return Some(format!(
                    "{no_file}; labels are not read; notmuch can select messages, and \
                     docs/recipes.md has its commands"
                ));
            }
            _ => {}
        }
        if let Some((option, value)) = pair.and_then(|(word, value)| Some((option(word)?, value)))
            && !value.starts_with("//")
        {
            let value = shell_word(value.trim());
            return Some(format!("{no_file}; use {option} {value}"));
        }
        let value = paths.get(at + 1).filter(is_missing);
        if let (Some(option), Some(value)) = (option(text), value) {
            let value = shell_word(&value.display().to_string()).to_owned();
            return Some(format!("{no_file}; use {option} {value}"));
        }
    }
    None
}

/// The message for the word `help`, with which other programs print theirs.
fn of_help(path: &str) -> Option<String> {
    let text = "help: no such file, so nothing was searched; help is `urlgrep --help`";
    (path == "help").then(|| text.to_owned())
}

/// The message for a path that names no file and is the word for "and", "or" or "not" of a query.
/// `None` if there is none, or if it is the only path.
fn of_operator(paths: &[OsString], [and, or, not]: [&str; 3]) -> Option<String> {
    let is_operator = |path: &&OsString| [and, or, not].iter().any(|word| *path == word);
    let word = paths.iter().find(is_operator)?.to_str()?;
    if paths.len() < 2 || fs::symlink_metadata(word).is_ok() {
        return None;
    }
    let hint = if word == and {
        "leave it out; a hit must pass every filter"
    } else if word == or {
        "an option that is given twice finds either value"
    } else {
        "the opposite of --from is --exclude-from, and so on; -v inverts filters of URLs"
    };
    Some(format!("{word}: no such file; {hint}"))
}

/// The message for a path that names no file and is more of the list before it: people type a
/// blank where urlgrep needs a comma. `None` if there is none.
fn rest_of_list(args: &Args) -> Option<String> {
    let (mode, filter) = (&args.mode, &args.filter);
    let missing = args.paths.iter().filter_map(|path| path.to_str());
    let mut missing = missing.filter(|path| fs::symlink_metadata(path).is_err());
    let is_field = |name: &str| Field::from_name(name.trim()).is_some();
    let is_role = |name: &str| Role::ALL.iter().any(|role| role.name() == name);
    let has_columns = !mode.fields.is_empty() || mode.has_columns() && mode.tally.is_none();
    let (roles, first) = (&args.mail.role, args.paths.first());
    let tallied = mode.tally.as_ref().map(|fields| [fields.clone()]);
    let values: [(&str, bool, &[&str]); 4] = [
        ("--csv", mode.csv.is_some(), &["excel", "rfc4180"]),
        ("--rejects", mode.rejects.is_some(), &["both", "only"]),
        (
            "--batch",
            args.other.batch.is_some(),
            &["lines", "netstring"],
        ),
        ("--json", mode.json, &["pretty", "array", "lines"]),
    ];
    missing.find_map(|path| {
        let names =
            |(_, is_typed, names): &&(&str, bool, &[&str])| *is_typed && names.contains(&path);
        let is_caution = Caution::from_name(path).is_some() && !mode.cautions.is_empty();
        if let Some((option, ..)) = values.iter().find(names) {
            let hint = if *option == "--json" {
                "a line has one object; `jq .` prints it over several lines".to_owned()
            } else {
                format!("the value follows `=`: {option}={path}")
            };
            return Some(format!("{path}: no such file; {hint}"));
        }
        if is_caution {
            let hint = format!("the value follows `=`: --cautions={path}");
            return Some(format!("{path}: no such file; {hint}"));
        }
        // A missing file whose name ends like a host is more often a file.
        let is_first = args.paths.len() > 1 && first.is_some_and(|first| first == path);
        let (option, typed): (&str, &[String]) = if has_columns && path.split(',').all(is_field) {
            ("--fields", &mode.fields)
        } else if let Some(tallied) = tallied.as_ref().filter(|_| is_field(path)) {
            ("--tally=", tallied)
        } else if !filter.scheme.is_empty() && SCHEMES.contains(&path) {
            ("--scheme", &filter.scheme)
        } else if !roles.is_empty() && is_role(path) {
            ("--role", roles)
        } else if !filter.host.is_empty() && is_first && is_host(path.as_bytes()) {
            ("--host", &filter.host)
        } else {
            return None;
        };
        // `a, b` leaves a comma at the end of the first value.
        let typed = typed.iter().map(|one| one.trim().trim_end_matches(','));
        let typed = typed.filter(|one| !one.is_empty());
        let all: Vec<&str> = typed.chain([path]).collect();
        let all = all.join(",");
        let blank = if option.ends_with('=') { "" } else { " " };
        Some(if all == path {
            format!("{path}: no such file; columns and keys are chosen by {option}{blank}{path}")
        } else {
            format!("{path}: no such file; commas separate a list: {option}{blank}{all}")
        })
    })
}

/// The message for paths that name no files and are more of the date before them: `--since 2020 05`,
/// `--since May 2020`. `None` if there are none.
fn rest_of_date(args: &Args) -> Option<String> {
    let is_missing = |path: &&str| fs::symlink_metadata(path).is_err();
    let paths = args.paths.iter().filter_map(|path| path.to_str());
    // A date has at most three parts.
    let missing: Vec<&str> = paths
        .skip_while(|path| !is_missing(path))
        .take_while(is_missing)
        .take(2)
        .collect();
    let dates = [("--since", &args.mail.since), ("--until", &args.mail.until)];
    dates.into_iter().find_map(|(option, typed)| {
        let typed = typed.as_deref()?;
        let dates = (1..=missing.len()).rev().map(|parts| {
            let words = [&[typed], &missing[..parts]].concat();
            let is_number = |word: &&str| word.bytes().all(|b| b.is_ascii_digit());
            let are_numbers = words.iter().all(is_number);
            words.join(if are_numbers { "-" } else { " " })
        });
        let name = option.trim_start_matches('-');
        let is_date = |date: &String| Filter::new([(name, &[date.clone()][..])]).is_ok();
        let date = dates.into_iter().find(is_date)?;
        Some(format!(
            "{}: no such file; use {option} {}",
            missing[0],
            shell_word(&date)
        ))
    })
}

/// The message for words that name no files and are more of the name or the subject before them, whose
/// quotation marks were forgotten: `--from Ann Reed FILE`. `None` if there are none, or if they may be of
/// two options.
fn rest_of_text(args: &Args) -> Option<String> {
    let mail = &args.mail;
    let mut typed = [
        ("--from", &mail.from),
        ("--to", &mail.to),
        ("--subject", &mail.subject),
        ("--exclude-from", &mail.exclude_from),
        ("--exclude-to", &mail.exclude_to),
        ("--exclude-subject", &mail.exclude_subject),
    ]
    .into_iter()
    .filter(|(_, values)| !values.is_empty());
    let (option, [value]) = typed.next().map(|(option, values)| (option, &values[..]))? else {
        return None;
    };
    let is_of_text = |path: &&str| {
        is_word(path.as_bytes())
            && !is_regex(path.as_bytes())
            && fs::symlink_metadata(path).is_err()
    };
    let words = args.paths.iter().map_while(|path| path.to_str());
    let words: Vec<&str> = words.take_while(is_of_text).collect();
    // A word alone is more often the file, misspelt.
    if typed.next().is_some() || words.is_empty() || words.len() == args.paths.len() {
        return None;
    }
    let whole = [&[value.as_str()], &words[..]].concat().join(" ");
    Some(format!(
        "{}: no such file; did you mean {option} {}?",
        words[0],
        shell_word(&whole)
    ))
}

/// The message for a path that names no file and is a mail address.
fn of_address(path: &str) -> Option<String> {
    let (local, host) = path.split_once('@')?;
    let is_local = |b: u8| b.is_ascii_alphanumeric() || b"._+-".contains(&b);
    let is_address = !local.is_empty() && local.bytes().all(is_local) && is_host(host.as_bytes());
    is_address.then(|| {
        format!(
            "{path}: no such file, so nothing was searched; an author is `--from {path}`, \
             a recipient `--to {path}`, a link to it `-e mailto:{path}`"
        )
    })
}

/// The text as a shell reads one word: quoted, if it has what a shell would interpret.
pub fn shell_word(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "%+,-./:=@_".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

fn is_word(path: &[u8]) -> bool {
    let is_of_path = |b: &u8| b"/.".contains(b) || b.is_ascii_digit();
    !path.is_empty() && !path.iter().any(is_of_path)
}

/// True if `path` has marks of a regular expression that names of files do not have: `a.(b|c)`.
/// Brackets and braces are in names of files, too.
fn is_regex(path: &[u8]) -> bool {
    let has = |mark: &[u8]| path.windows(mark.len()).any(|w| w == mark);
    let is_escape = !cfg!(windows) && has(b"\\");
    path.starts_with(b"^")
        || path.ends_with(b"$")
        || has(b"|")
        || has(b".*")
        || has(b".+")
        || is_escape
}

/// True if `path` ends like a host, in a suffix that is registered. `zip` and
/// `md` are registered too, but more often end the names of files.
fn is_host(path: &[u8]) -> bool {
    is_registered(path)
        && !path.contains(&b'/')
        && !path.ends_with(b".zip")
        && !path.ends_with(b".md")
}

fn has_scheme(path: &[u8]) -> bool {
    path.windows(3).any(|w| w == b"://")
}

/// True if `path` is unlikely to be the name of a file.
fn is_pattern(path: &[u8]) -> bool {
    path.iter().any(|b| b"*?[](){}|^$\\+".contains(b)) || has_scheme(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_for_the_shell() {
        for (text, word) in [
            ("a.example", "a.example"),
            ("a|b", "'a|b'"),
            ("it's", r"'it'\''s'"),
            ("a b", "'a b'"),
            ("", "''"),
            ("https://a.example/?x=1&y", "'https://a.example/?x=1&y'"),
        ] {
            assert_eq!(shell_word(text), word);
        }
    }

    #[test]
    fn patterns_look_like_patterns() {
        for yes in ["^http", "*.org", "http://a.example/", "a|b"] {
            assert!(is_pattern(yes.as_bytes()), "{yes}");
        }
        for no in ["mail/inbox.mbox", "a-b_c.txt", "-"] {
            assert!(!is_pattern(no.as_bytes()), "{no}");
        }
    }
}
