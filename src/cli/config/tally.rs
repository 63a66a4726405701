//! What `--tally` counts, and how it prints it.

use std::ffi::OsString;
use std::fs;

use urlgrep::rows::Field;

use super::{ConfigError, of_ledger};
use crate::cli::args::{Args, ModeArgs};
use crate::cli::print::format::{self, Table};
use crate::cli::print::{TallyPrinter, TallyStyle, TextConfig};
use crate::cli::values::Sort;

/// The fields by which `--tally` counts.
pub const TALLIED: [Field; 16] = {
    use Field::*;
    [
        Url, Host, Domain, Scheme, Year, Month, Day, From, To, Cc, Subject, Group, Role, FileName,
        Path, Folder,
    ]
};

/// How `--tally` prints its rows.
fn tally_style(mode: &ModeArgs, terminal: bool) -> TallyStyle {
    if mode.json {
        TallyStyle::Json
    } else if mode.csv.is_some() {
        TallyStyle::Table(Table::new(mode, b',', terminal, false))
    } else if mode.tsv {
        TallyStyle::Table(Table::new(mode, b'\t', terminal, false))
    } else {
        TallyStyle::Text
    }
}

/// What `--tally` counts.
#[derive(Debug)]
pub struct TallyConfig {
    /// The fields that it counts by. Empty for the URLs as written.
    pub fields: Vec<Field>,
    /// The number of folders of a path by which `--tally=folder` counts.
    pub depth: Option<usize>,
    /// Prints its rows.
    pub printer: TallyPrinter,
}

impl TallyConfig {
    pub(super) fn new(
        mode: &ModeArgs,
        fields: Vec<Field>,
        depth: Option<usize>,
        text: TextConfig,
    ) -> TallyConfig {
        let columns = if fields.is_empty() {
            vec![Field::Url]
        } else {
            fields.clone()
        };
        TallyConfig {
            fields,
            depth,
            printer: TallyPrinter::new(tally_style(mode, text.terminal), columns, text),
        }
    }
}

/// Refuses what cannot be used with `-u`. `tally` has the fields of `--tally`.
pub(super) fn check_unique(args: &Args, tally: &[Field]) -> Result<(), ConfigError> {
    if !args.filter.unique {
        return Ok(());
    }
    let is_of_urls = tally.is_empty() || tally.contains(&Field::Url);
    if args.mode.tally.is_some() && is_of_urls {
        return Err(ConfigError::new(
            "-u: a tally has one row for each URL anyway; `-u --tally=host` counts the URLs of each host",
        ));
    }
    if args.reading.clean && of_ledger(&args.mode) {
        return Err(ConfigError::new(
            "--clean cannot be used with -u of a ledger, which compares URLs as they were \
             found; `--tally --clean` counts clean URLs",
        ));
    }
    if args.input.sort == Sort::Date && args.filter.max_count.is_some() {
        return Err(ConfigError::new(
            "--sort date with -u cannot be used with -m, because the first occurrence of a URL \
             may come after the hit at which -m stops",
        ));
    }
    Ok(())
}

/// The field of `--tally` that is meant by another name.
fn tallied_in_place_of(name: &str) -> Option<&'static str> {
    // It counts senders by address, and prints their most frequent name.
    if name.starts_with("from_") || ["email", "mail", "address"].contains(&name) {
        return Some(Field::From.name());
    }
    if name == Field::Date.name() {
        return Some(Field::Day.name());
    }
    let names = format::meant(name)?;
    let mut words = names.split(|c: char| !c.is_ascii_lowercase() && c != '_');
    words.find_map(|word| {
        TALLIED
            .map(Field::name)
            .into_iter()
            .find(|field| *field == word)
    })
}

/// The fields of `--tally`, and the depth of the folder.
pub(super) fn tally_fields(typed: &str) -> Result<(Vec<Field>, Option<usize>), ConfigError> {
    let mut fields = Vec::new();
    let mut depth = None;
    for name in typed
        .split(',')
        .map(str::trim)
        .filter(|_| !typed.is_empty())
    {
        let found = TALLIED.into_iter().find(|field| field.name() == name);
        match (found, name.parse::<usize>()) {
            (Some(field), _) => fields.push(field),
            (None, Ok(number)) if number > 0 && fields.last() == Some(&Field::Folder) => {
                depth = Some(number);
            }
            _ if name == "count" => {
                return Err(ConfigError::new(
                    "--tally=count: the number is the first column anyway; leave it out",
                ));
            }
            _ => {
                let words: Vec<&str> = name.split([' ', ';', ':']).collect();
                let is_field = |word: &&str| TALLIED.iter().any(|field| field.name() == *word);
                if words.len() > 1 && words.iter().all(is_field) {
                    return Err(ConfigError::new(format!(
                        "--tally={name}: commas separate fields: --tally={}",
                        words.join(",")
                    )));
                }
                let names = TALLIED.map(Field::name).join(", ");
                let meant = tallied_in_place_of(&name.to_lowercase());
                let meant = meant.map_or_else(String::new, |meant| format!("use {meant}; "));
                return Err(ConfigError::new(format!(
                    "--tally={name}: no such field; {meant}the fields are {names}, and a number after folder"
                )));
            }
        }
    }
    if fields.contains(&Field::To) && fields.contains(&Field::Cc) {
        return Err(ConfigError::new(
            "--tally: `to` has the recipients of Cc, too; leave out cc",
        ));
    }
    // Each pair of the values of two would be a row.
    let has_several = |field: &&Field| matches!(field, Field::To | Field::Cc | Field::Group);
    if fields.iter().filter(has_several).count() > 1 {
        return Err(ConfigError::new(
            "--tally: a message has several values of each of to, cc and group; name one of them",
        ));
    }
    Ok((fields, depth))
}

/// Refuses `--tally host` if there is no file `host`. Its fields must follow
/// `=`, not a space.
pub(super) fn check_tally(tally: Option<&str>, paths: &[OsString]) -> Result<(), ConfigError> {
    let is_fields = |path: &&OsString| {
        let text = path.to_str().filter(|text| !text.is_empty());
        text.is_some_and(|text| tally_fields(text).is_ok()) && fs::symlink_metadata(path).is_err()
    };
    match paths.iter().find(is_fields).filter(|_| tally == Some("")) {
        None => Ok(()),
        Some(path) => Err(ConfigError::new(format!(
            "{0}: no such file; the fields of a tally follow `=`: --tally={0}",
            path.display()
        ))),
    }
}
