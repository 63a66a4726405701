//! What is printed: every way to turn a [`Record`] into bytes.
//!
//! A [`Printer`] is built once from a [`PrinterConfig`] and cloned for each
//! worker, which prints into a buffer of its own. It knows no files,
//! no terminals and no arguments.
//!
//! * [`text`], [`format`], [`explain`]: the printers of records, beside
//!   [`jsonl`];
//! * [`check`], [`tally`]: what `--check` and `--tally` print, which is not one
//!   row for each hit.
//!
//! Each says which escapes of [`escape`](urlgrep::escape) it uses.

pub mod check;
pub mod explain;
pub mod format;
pub mod tally;
#[cfg(test)]
mod tests;
pub mod text;

use std::fmt::{self, Write as _};

use urlgrep::extract::Hit;
use urlgrep::record::{EndRecord, NoteRecord, Record, jsonl};
use urlgrep::search::{Line, Message};

pub use check::check_line;
pub use format::Template;
pub use tally::Tally;
pub use text::TextConfig;

/// What a [`Printer`] prints for a hit.
#[derive(Clone, Debug, Default)]
pub enum Style {
    /// One URL a line.
    #[default]
    Text,
    /// `--json`: one object a line.
    Json,
    /// `--format`: one line by a template.
    Format(Template),
    /// `--explain`: some lines for people.
    Explain,
}

/// How a [`Printer`] prints.
#[derive(Clone, Debug, Default)]
pub struct PrinterConfig {
    /// What it prints for a hit.
    pub style: Style,
    /// What text output shows; `path`, `null`, `color` and `terminal` hold for
    /// `-l` and `-c` as well.
    pub text: TextConfig,
}

/// Prints records. Each worker has a clone. It allocates nothing but what the
/// buffer needs.
#[derive(Clone, Debug, Default)]
pub struct Printer {
    config: PrinterConfig,
    json: jsonl::Writer,
    scratch: Vec<u8>,
}

impl Printer {
    /// A printer.
    #[must_use]
    pub fn new(config: PrinterConfig) -> Printer {
        Printer {
            config,
            ..Printer::default()
        }
    }

    /// Appends what `record` is printed as, whole lines.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes of the record; `--explain` validates the URL once
    /// for each profile.
    pub fn print(&mut self, record: &Record<'_>, out: &mut Vec<u8>) {
        match &self.config.style {
            Style::Text => self.config.text.print(record, out),
            Style::Json => self.json.write(record, out),
            Style::Format(template) => template.print(record, &mut self.scratch, out),
            Style::Explain => explain::print(record, out),
        }
    }

    /// Appends what is printed of `hit` where that is its URL and nothing else,
    /// so that no record need be made. Returns false, with nothing appended,
    /// where more is asked for.
    pub fn print_url(&self, hit: &Hit, out: &mut Vec<u8>) -> bool {
        matches!(self.config.style, Style::Text) && self.config.text.print_url(hit, out)
    }

    /// Appends a whole line, after `--` if lines were left out before it; only
    /// text output has any.
    pub fn line(&self, path: Option<&[u8]>, line: &Line<'_>, out: &mut Vec<u8>) {
        if let Style::Text = self.config.style {
            self.config.text.whole_line(path, line, out);
        }
    }

    /// Appends the line above the hits of a file, if paths are shown.
    pub fn heading_path(&self, path: Option<&[u8]>, out: &mut Vec<u8>) {
        self.config.text.heading_path(path, out);
    }

    /// Appends the line above the hits of a message.
    pub fn heading_message(&self, message: &Message<'_>, out: &mut Vec<u8>) {
        self.config.text.heading_message(message, out);
    }

    /// Appends a path alone (`-l`, `--files-without-match`).
    pub fn path(&self, path: Option<&[u8]>, out: &mut Vec<u8>) {
        self.config.text.path_line(path, out);
    }

    /// Appends a number of hits (`-c`), after the path if that is shown.
    pub fn count(&self, path: Option<&[u8]>, count: u64, out: &mut Vec<u8>) {
        self.config.text.count(path, count, out);
    }

    /// Appends the end of an answer: a row in JSON, else an empty line.
    pub fn end(&self, end: &EndRecord<'_>, out: &mut Vec<u8>) {
        match self.config.style {
            Style::Json => jsonl::Writer::new().write(end, out),
            _ => out.push(b'\n'),
        }
    }

    /// Appends a note; only JSON has any.
    pub fn note(&mut self, note: &NoteRecord<'_>, out: &mut Vec<u8>) {
        if let Style::Json = self.config.style {
            self.json.write(note, out);
        }
    }
}

/// Appends what `value` displays as, each piece of it by `rule`. Allocates
/// nothing. A rule that looks at single bytes or characters may be used, as
/// pieces are whole strings.
fn put_display(value: &impl fmt::Display, rule: fn(&[u8], &mut Vec<u8>), out: &mut Vec<u8>) {
    struct Adapter<'o>(fn(&[u8], &mut Vec<u8>), &'o mut Vec<u8>);
    impl fmt::Write for Adapter<'_> {
        fn write_str(&mut self, s: &str) -> fmt::Result {
            (self.0)(s.as_bytes(), self.1);
            Ok(())
        }
    }
    // OK to ignore: the adapter does not fail.
    let _ = write!(Adapter(rule, out), "{value}");
}
