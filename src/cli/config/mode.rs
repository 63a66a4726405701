//! The mode of output, as the options choose it.

use std::path::PathBuf;

use urlgrep::rows::Field;

use super::ConfigError;
use crate::cli::args::{Args, ModeArgs, OutputArgs};
use crate::cli::print::Style;
use crate::cli::print::format::{self, Table, Template};
use crate::cli::values::CsvArg;

/// The kind of output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Each hit.
    Hits(Style),
    /// The number of hits of each file.
    Count,
    /// The paths of files with hits, or of files without hits.
    Files { with: bool },
    /// Each URL with its number of occurrences.
    Tally,
    /// An HTML page in this file.
    Report(PathBuf),
    /// No output.
    Quiet,
    /// A verdict on each line of the input.
    Check,
    /// Checks JSON records against their files.
    Verify,
}

impl Mode {
    pub(super) fn new(args: &Args, terminal: bool) -> Result<Mode, ConfigError> {
        let (mode, output, other) = (&args.mode, &args.output, &args.other);
        let batch = other.batch.is_some();
        let url = if args.reading.clean { "clean" } else { "url" };
        let fields = |default: &[&str]| {
            let typed = mode.fields.iter().map(|name| name.trim());
            let typed: Vec<&str> = typed.filter(|name| !name.is_empty()).collect();
            let names = if typed.is_empty() { default } else { &typed };
            let fields = names.iter().map(|name| format::field("--fields", name));
            fields.collect::<Result<Vec<Field>, _>>()
        };
        let table = |separator| {
            let table = Table::new(mode, separator, terminal, batch);
            let columns = ["date", "from", "subject", "role", "path", "line", url];
            let reasons = [&columns[..], &["rule", "rule_at", "reason"]].concat();
            let cautions = [&columns[..], &["cautions", "host_meaning", "text"]].concat();
            let columns = if mode.rejects.is_some() {
                &reasons[..]
            } else if !mode.cautions.is_empty() {
                &cautions[..]
            } else {
                &columns
            };
            fields(columns).map(|fields| Mode::format(Template::table(fields, table)))
        };
        Ok(if mode.quiet {
            Mode::Quiet
        } else if mode.tally.is_some() {
            Mode::Tally
        } else if mode.csv.is_some() {
            table(b',')?
        } else if mode.tsv {
            table(b'\t')?
        } else if mode.explain {
            Mode::Hits(Style::Explain)
        } else if mode.json {
            Mode::Hits(Style::Json(fields(&[])?))
        } else if mode.files_with_matches {
            // `-c` beside it has no effect.
            Mode::Files { with: true }
        } else if mode.count {
            Mode::Count
        } else if mode.files_without_match {
            Mode::Files { with: false }
        } else if let Some(page) = &mode.report {
            Mode::Report(page.clone())
        } else if other.check {
            Mode::Check
        } else if other.verify {
            Mode::Verify
        } else if let Some(template) = &mode.format {
            Mode::format(typed_template(template, batch)?)
        } else if !mode.fields.is_empty() {
            table(b'\t')?
        } else if !mode.cautions.is_empty() {
            Mode::format(cautions(output, url)?)
        } else {
            Mode::Hits(Style::Text)
        })
    }

    fn format(template: Template) -> Mode {
        Mode::Hits(Style::Format(template))
    }

    /// The first field that was asked for by its name although only the rows of a ledger
    /// have it.
    pub(super) fn field_of_ledger(&self) -> Option<Field> {
        let names = |field: &Field| match self {
            Mode::Hits(Style::Format(template)) => template.has(*field),
            Mode::Hits(Style::Json(fields)) => fields.contains(field),
            _ => false,
        };
        [Field::Count, Field::FirstSeen, Field::LastSeen]
            .into_iter()
            .find(names)
    }

    /// True if rows have this field.
    pub fn asks_for(&self, field: Field) -> bool {
        match self {
            Mode::Hits(Style::Format(template)) => template.has(field),
            Mode::Hits(Style::Json(fields)) => fields.is_empty() || fields.contains(&field),
            Mode::Hits(Style::Explain) => true,
            _ => false,
        }
    }
}

/// The template of `--format`.
fn typed_template(typed: &str, batch: bool) -> Result<Template, ConfigError> {
    let template: Template = typed.parse()?;
    if batch && template.may_be_blank() {
        return Err(ConfigError::new(
            "--format: with --batch each line needs {url} or another text, \
             because a blank line ends an answer",
        ));
    }
    if batch && template.ends_in_nul() {
        return Err(ConfigError::new(
            r"--format: with --batch a TEMPLATE cannot end in `\0`, because an answer has lines",
        ));
    }
    Ok(template)
}

/// The rows of `--cautions`, which begin with the field `url`, after the fields of `-H`, `-n`,
/// `--column` and `-b`.
fn cautions(output: &OutputArgs, url: &str) -> Result<Template, ConfigError> {
    let row = format!("{{{url}}}\\t{{cautions}}\\t{{host_meaning}}\\t{{text}}");
    let fields = [
        (output.with_filename, "{path}:"),
        (output.line_number, "{line}:"),
        (output.column, "{column}:"),
        (output.byte_offset, "{offset}:"),
        (true, &*row),
    ];
    let fields = fields.iter().filter(|field| field.0).map(|field| field.1);
    fields.collect::<String>().parse()
}

impl Table {
    /// The table of `--csv`, `--tsv` or `--fields`.
    pub(super) fn new(mode: &ModeArgs, separator: u8, terminal: bool, batch: bool) -> Table {
        Table {
            separator,
            terminal,
            batch,
            excel: mode.csv == Some(CsvArg::Excel),
        }
    }
}
