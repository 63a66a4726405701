//! Rows: one for each hit, with the URL, its place, and its message.
//!
//! * [`Record`], [`NoteRecord`], [`FaultRecord`] and [`EndRecord`] are rows
//!   that borrow from a searcher.
//! * [`Field`] is the table of fields: their names, types and meanings.
//! * [`Row`] computes the [`Value`] of one field at a time.
//! * [`OwnedRecord`] is a row that owns its values.
//! * [`jsonl`] writes and reads rows as lines of JSON.
//!
//! A row says what its searcher and engine were asked for. For all that `urlgrep
//! --json` prints, set `columns` and `message_ends` of the searcher, `lines` and
//! `numbers` of the engine, and [`Record::read_as`] to the name of the piece's
//! kind. Without them these keys are null. [`jsonl::Writer`] then writes the same
//! bytes.
//!
//! Making and writing rows never fails. Reading a line fails if it is not a row.
//! The text of a row does not depend on the order or chunks of calls.

mod field;
mod json;
pub mod jsonl;
mod owned;
mod row;
mod value;

use urlgrep_base::escape::STDIN;
use urlgrep_find::Hit;
use urlgrep_search::{Match, Note};

pub use field::{Field, OwnedRecord, Type};
pub use owned::{Bytes, Component, Decoded, OwnedAlternate, OwnedSeam};
pub use row::Row;
pub use value::{Names, Value};

/// A hit, its place, and its file. It consists of references, and nothing is
/// copied.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The path of the file as the caller named it or the walk found it, in raw
    /// bytes. A member of an archive is `archive.zip!member`. `None` is
    /// standard input, printed as `<stdin>` ([`STDIN`]).
    pub path: Option<&'a [u8]>,
    /// The format in which the file was read (`text`, `mbox`, `message` …).
    pub read_as: Option<&'a str>,
    /// The number of bytes from the start of the line to the URL's first byte,
    /// plus 1. `None` if unknown. [`Record::new`] takes it from
    /// [`Match::column`].
    pub column: Option<u64>,
    /// The URL, its place and its message.
    pub found: Match<'a>,
}

impl<'a> Record<'a> {
    /// The record of a match in the file `path`.
    #[must_use]
    pub fn new(path: Option<&'a [u8]>, found: Match<'a>) -> Record<'a> {
        Record {
            path,
            read_as: None,
            column: found.column(),
            found,
        }
    }

    /// The record of a hit in a plain file that was searched without decoding.
    #[must_use]
    pub fn plain(path: Option<&'a [u8]>, hit: &'a Hit) -> Record<'a> {
        Record::new(path, Match::plain(hit))
    }

    /// The URL, and what the extractor found out about it.
    #[must_use]
    pub fn hit(&self) -> &'a Hit {
        self.found.hit
    }

    /// The path to print. [`STDIN`] if there is none.
    #[must_use]
    pub fn path_or_stdin(&self) -> &'a [u8] {
        self.path.unwrap_or(STDIN)
    }
}

/// A tolerated fault in a message, and its file.
#[derive(Clone, Copy, Debug)]
pub struct NoteRecord<'a> {
    /// As [`Record::path`].
    pub path: Option<&'a [u8]>,
    /// The fault and its place.
    pub note: Note<'a>,
}

/// An input that could not be read, or was not read to its end.
#[derive(Clone, Copy, Debug)]
pub struct FaultRecord<'a> {
    /// As [`Record::path`].
    pub path: Option<&'a [u8]>,
    /// The offset of the fault, if known.
    pub offset: Option<u64>,
    /// A description of the fault.
    pub text: &'a str,
}

/// The end of the rows of one request. A program with several requests can thus
/// recognise the last row of each.
#[derive(Clone, Copy, Debug)]
pub struct EndRecord<'a> {
    /// As [`Record::path`].
    pub path: Option<&'a [u8]>,
    /// The number of the request, from 1.
    pub number: u64,
    /// The number of hits and rejects.
    pub count: u64,
    /// A description of what could not be read.
    pub fault: Option<&'a str>,
}

/// The text of a header field. `None` if the message does not have the field.
fn some(text: &[u8]) -> Option<&[u8]> {
    (!text.is_empty()).then_some(text)
}
