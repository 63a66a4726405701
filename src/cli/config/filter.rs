//! The filter of the typed options.

use std::ffi::OsString;
use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use urlgrep::filter::Filter;
use urlgrep_files::engine::Fault;

use super::ConfigError;
use crate::cli::args::Args;

/// The filter of the typed options.
pub(super) fn filter(args: &Args) -> Result<Filter, ConfigError> {
    let (filter, mail) = (&args.filter, &args.mail);
    // grep's option of this name takes a file of patterns.
    let is_file = |typed: &&String| typed.contains(['.', '/']) && Path::new(typed).is_file();
    if let Some(file) = mail.exclude_from.iter().find(is_file) {
        return Err(ConfigError::new(format!(
            "--exclude-from {file}: this is a file, and PATTERN is a part of a sender; \
             \"Two archives\" in docs/recipes.md compares files"
        )));
    }
    let patterns = [&filter.regexp[..], &read_patterns(&filter.pattern_file)?].concat();
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
    Filter::new(given).map_err(ConfigError::new)
}

/// The lines of all files of `-f`.
fn read_patterns(files: &[OsString]) -> Result<Vec<String>, ConfigError> {
    let mut patterns = Vec::new();
    for file in files {
        let fail = |e: io::Error| ConfigError::new(Fault::new(file.as_ref(), &e));
        let reader: Box<dyn Read> = if file == "-" {
            Box::new(io::stdin())
        } else {
            Box::new(fs::File::open(file).map_err(fail)?)
        };
        for line in BufReader::new(reader).lines() {
            patterns.push(line.map_err(fail)?);
        }
    }
    Ok(patterns)
}
