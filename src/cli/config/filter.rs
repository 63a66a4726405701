//! The filter of the typed options.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use urlgrep::filter::{Filter, FilterError};
use urlgrep::url::{Profile, validate};
use urlgrep_files::engine::Fault;

use super::ConfigError;
use crate::cli::args::Args;

/// The filter of the typed options, and what a warning needs.
pub(super) struct TypedFilter {
    pub filter: Filter,
    /// The first operator of a pattern that is a pasted URL.
    pub pasted: Option<char>,
    /// The files of -f have no pattern, and there is no other.
    pub has_no_pattern: bool,
    /// The place of an empty pattern, which matches every URL.
    pub matches_all: Option<String>,
}

/// The filter of the typed options.
pub(super) fn filter(args: &Args) -> Result<TypedFilter, ConfigError> {
    let (filter, mail) = (&args.filter, &args.mail);
    check_exclude_from(&mail.exclude_from)?;
    let mut empty = filter
        .regexp
        .iter()
        .any(String::is_empty)
        .then(|| "-e ''".to_owned());
    let read = read_patterns(&filter.pattern_file, &mut empty)?;
    let patterns = [&filter.regexp[..], &read].concat();
    let pasted = if filter.fixed_strings {
        None
    } else {
        patterns.iter().find_map(|typed| operator_of_url(typed))
    };
    let yes = ["true".to_owned()];
    let flag = |is_typed| if is_typed { &yes[..] } else { &[] };
    let options: [(&str, &[String]); 25] = [
        ("authored", flag(mail.authored)),
        ("cautions", &args.mode.cautions),
        ("exclude_from", &mail.exclude_from),
        ("exclude_host", &filter.exclude_host),
        ("exclude_scheme", &filter.exclude_scheme),
        ("exclude_subject", &mail.exclude_subject),
        ("exclude_to", &mail.exclude_to),
        ("fixed_strings", flag(filter.fixed_strings)),
        ("from", &mail.from),
        ("group", &mail.group),
        ("host", &filter.host),
        ("ignore_case", flag(filter.ignore_case)),
        ("invert_match", flag(filter.invert_match)),
        ("line_regexp", flag(filter.line_regexp)),
        ("message_id", &mail.message_id),
        ("regexp", &patterns),
        ("role", &mail.role),
        ("scheme", &filter.scheme),
        ("since", mail.since.as_slice()),
        ("skip_deleted", flag(mail.skip_deleted)),
        ("smart_case", flag(filter.smart_case)),
        ("subject", &mail.subject),
        ("to", &mail.to),
        ("until", mail.until.as_slice()),
        ("word_regexp", flag(filter.word_regexp)),
    ];
    debug_assert!(options.iter().map(|(name, _)| name).eq(Filter::OPTIONS));
    // An empty file of patterns matches nothing.
    let is_given = |name, values: &[String]| {
        !values.is_empty() || name == "regexp" && !filter.pattern_file.is_empty()
    };
    let given = options
        .into_iter()
        .filter(|(name, values)| is_given(*name, values));
    Ok(TypedFilter {
        filter: Filter::new(given).map_err(|error| refused(&error))?,
        pasted,
        has_no_pattern: patterns.is_empty() && !filter.pattern_file.is_empty(),
        // With -x and -w an empty pattern matches an empty text or word.
        matches_all: empty.filter(|_| !filter.line_regexp && !filter.word_regexp),
    })
}

/// Refuses a file of patterns, which grep's option of this name takes.
fn check_exclude_from(typed: &[String]) -> Result<(), ConfigError> {
    let is_file = |typed: &&String| typed.contains(['.', '/']) && Path::new(typed).is_file();
    if let Some(file) = typed.iter().find(is_file) {
        return Err(ConfigError::new(format!(
            "--exclude-from {file}: this is a file, and PATTERN is a part of a sender; \
             \"Two archives\" in docs/recipes.md compares files"
        )));
    }
    Ok(())
}

/// The message for a value that a filter refuses.
fn refused(error: &FilterError) -> ConfigError {
    if error.is_of_regex() {
        return ConfigError::new(format!("{error}; -F takes the text as it is"));
    }
    ConfigError::new(error)
}

/// The first character of a pattern that is an operator, although the pattern looks like a URL that
/// somebody pasted: `?` in `https://a.example/x?id=1`. It does not match its own text. `None` for
/// other patterns, such as `https?://.*[.]example`.
fn operator_of_url(typed: &str) -> Option<char> {
    let (scheme, rest) = typed.split_once("://")?;
    let is_scheme = !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric());
    let is_regex = [".*", ".+", ".?"].iter().any(|sign| rest.contains(sign));
    if !is_scheme || is_regex || validate(Profile::Iri, typed.as_bytes()).is_err() {
        return None;
    }
    // At the end, an operator leaves a pattern that matches all but the last character.
    let mut chars = rest.char_indices();
    let is_operator =
        |&(at, c): &(usize, char)| c == '(' || "?+".contains(c) && at + 1 < rest.len();
    chars.find(is_operator).map(|(_, c)| c)
}

/// The lines of all files of `-f`. `empty` gets the place of the first empty one, if it has none.
fn read_patterns(
    files: &[OsString],
    empty: &mut Option<String>,
) -> Result<Vec<String>, ConfigError> {
    let mut patterns = Vec::new();
    for file in files {
        let fail = |e: io::Error| match e.kind() {
            io::ErrorKind::IsADirectory => ConfigError::new(format!(
                "{}: -f reads patterns from a file; a folder is searched without an option",
                Path::new(file).display()
            )),
            _ => ConfigError::new(Fault::new(file.as_ref(), &e)),
        };
        let reader: Box<dyn Read> = if file == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(fs::File::open(file).map_err(fail)?)
        };
        for (at, line) in BufReader::new(reader).lines().enumerate() {
            let mut line = line.map_err(fail)?;
            // No URL begins with a byte order mark, which programs of Windows write.
            if at == 0 && line.starts_with('\u{FEFF}') {
                line.remove(0);
            }
            if line.is_empty() && empty.is_none() {
                let file = Path::new(file).display();
                *empty = Some(format!("line {} of {file}, which is empty,", at + 1));
            }
            patterns.push(line);
        }
    }
    Ok(patterns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pasted_urls_have_operators() {
        for (typed, operator) in [
            ("https://a.example/x?id=1", Some('?')),
            ("http://a.example/c++/a?b", Some('+')),
            ("https://a.example/Perl_(language)", Some('(')),
            ("https://a.example/x", None),
            ("https://a.example/x?", None),
            ("https://a.example/c++", Some('+')),
            ("https?://a.example/x?id=1", None),
            ("https://.*example/x?id=1", None),
            (r"https://a\.example/x?id=1", None),
            ("https://a.example/(x|y)", None),
            ("a.example/x?id=1", None),
            ("", None),
        ] {
            assert_eq!(operator_of_url(typed), operator, "{typed}");
        }
    }
}
