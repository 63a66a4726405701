//! The printers: all ways to convert a [`Record`] to bytes.
//!
//! A [`Printer`] is built once. Each worker has a
//! clone, and prints into its own buffer. A printer does not depend on files,
//! terminals or arguments.
//!
//! * [`text`], [`format`] and [`explain`] print records. So does [`json`].
//! * [`check`] and [`tally`] print the output of `--check` and `--tally`, which
//!   is not one row per hit.
//!
//! Each module names the rules of [`escape`](urlgrep_base::escape) that it uses.

pub mod check;
pub mod explain;
pub mod format;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod text;

use std::fmt::{self, Write as _};

use urlgrep::Hit;
use urlgrep::rows::{EndRecord, Field, NoteRecord, Record, json};
use urlgrep::search::Line;
use urlgrep_base::escape;

pub use check::check_line;
pub use format::Template;
pub use tally::{Tally, TallyPrinter, TallyStyle};
pub use text::TextConfig;

/// The output of a [`Printer`] for a hit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// One URL per line.
    #[default]
    Text,
    /// `--json`: one object per line, with these fields. Empty for all keys.
    Json(Vec<Field>),
    /// `--format`: one line per hit, by a template.
    Format(Template),
    /// `--explain`: several lines, for people.
    Explain,
}

/// Prints records. Each worker has a clone. It allocates nothing except in the
/// buffer.
#[derive(Clone, Debug, Default)]
pub struct Printer {
    /// The output for a hit.
    style: Style,
    /// The options of text output. `path`, `null`, `color` and `terminal` also
    /// apply to `-l` and `-c`.
    pub text: TextConfig,
    json: json::Writer,
    scratch: Vec<u8>,
}

impl Printer {
    /// A new printer.
    #[must_use]
    pub fn new(style: Style, text: TextConfig) -> Printer {
        let fields = match &style {
            Style::Json(fields) => fields.clone(),
            _ => Vec::new(),
        };
        Printer {
            style,
            text,
            json: json::Writer::with_fields(fields),
            scratch: Vec::new(),
        }
    }

    /// Appends `record` as whole lines.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes of the record. `--explain` validates the URL once
    /// per profile.
    pub fn print(&mut self, record: &Record<'_>, out: &mut Vec<u8>) {
        match &self.style {
            Style::Text => self.text.print(record, out),
            Style::Json(_) => self.json.write(record, out),
            Style::Format(template) => template.print(record, &mut self.scratch, out),
            Style::Explain => explain::print(record, out),
        }
    }

    /// Appends the URL of `hit` if nothing else is printed, so that no record
    /// is needed. Otherwise returns false and appends nothing.
    pub fn print_url(&self, hit: &Hit, out: &mut Vec<u8>) -> bool {
        matches!(self.style, Style::Text) && self.text.print_url(hit, out)
    }

    /// Appends a whole line. `--` precedes it if lines were left out. Only for
    /// text output.
    pub fn line(&self, path: Option<&[u8]>, line: &Line<'_>, out: &mut Vec<u8>) {
        if let Style::Text = self.style {
            self.text.whole_line(path, line, out);
        }
    }

    /// Appends the end of an answer. It is a row in JSON, and otherwise an
    /// empty line.
    pub fn end(&self, end: &EndRecord<'_>, out: &mut Vec<u8>) {
        match self.style {
            Style::Json(_) => json::Writer::new().write(end, out),
            _ => out.push(b'\n'),
        }
    }

    /// Appends a note. Only for JSON.
    pub fn note(&mut self, note: &NoteRecord<'_>, out: &mut Vec<u8>) {
        if let Style::Json(_) = self.style {
            self.json.write(note, out);
        }
    }
}

/// Appends a URL, or a part of one, as a field: hidden characters by
/// [`escape::url`], and the rest by [`escape::field`].
fn put_url(url: &[u8], out: &mut Vec<u8>) {
    let mut visible = Vec::new();
    escape::url(url, &mut visible);
    escape::field(&visible, out);
}

/// Appends the text of `value`, with `rule` applied to each piece of the text.
/// Allocates nothing. A piece is a `str`, so no character is divided. The rule
/// must treat each byte or each character alone.
fn put_display(value: &impl fmt::Display, rule: fn(&[u8], &mut Vec<u8>), out: &mut Vec<u8>) {
    struct Adapter<'o>(fn(&[u8], &mut Vec<u8>), &'o mut Vec<u8>);
    impl fmt::Write for Adapter<'_> {
        fn write_str(&mut self, s: &str) -> fmt::Result {
            (self.0)(s.as_bytes(), self.1);
            Ok(())
        }
    }
    // OK to ignore: the adapter never fails.
    let _ = write!(Adapter(rule, out), "{value}");
}
