//! One row for each hit: the URL, its place, and its message.
//!
//! * [`Record`], [`NoteRecord`], [`FaultRecord`], [`EndRecord`]: a row, borrowed
//!   from a searcher;
//! * [`Field`]: the table of fields, their names, types and meanings;
//! * [`Row`]: gives the [`Value`] of each field, one at a time;
//! * [`OwnedRecord`]: a row that owns its values;
//! * [`jsonl`]: rows as lines of JSON, written and read;
//! * [`verify`]: reads such a line and replays it on the source.
//!
//! Nothing here fails on any input. A record is written the same way whatever
//! the order and chunking of calls.

mod field;
mod json;
pub mod jsonl;
mod owned;
mod row;
pub mod verify;

use crate::escape::STDIN;
use crate::extract::Hit;
use crate::search::{Match, Note};

pub use field::{Field, Names, OwnedRecord, Type, VERSION, Value};
pub use owned::{Alternate, Bytes, Component, Decoded, Seam, of_message};
pub use row::Row;

/// A hit, its place, and its file. Borrowed: the caller makes one for each hit
/// from references, and nothing is copied.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The file as it was named or walked, in raw bytes; a member of an
    /// archive is `archive.zip!member`. `None` is standard input, printed as
    /// [`STDIN`].
    pub path: Option<&'a [u8]>,
    /// How the file was read (`text`, `mbox`, `message` …).
    pub read_as: Option<&'a str>,
    /// The number of bytes from the start of the line to the URL's first byte,
    /// plus 1, if it is known. [`Record::new`] takes it from [`Match::column`].
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

    /// The record of a hit in a plain file, whose bytes were scanned as they
    /// are.
    #[must_use]
    pub fn plain(path: Option<&'a [u8]>, hit: &'a Hit) -> Record<'a> {
        Record::new(path, Match::plain(hit))
    }

    /// The URL and the claims of the extractor about it.
    #[must_use]
    pub fn hit(&self) -> &'a Hit {
        self.found.hit
    }

    /// The path to print: [`STDIN`] if there is none.
    #[must_use]
    pub fn path_or_stdin(&self) -> &'a [u8] {
        self.path.unwrap_or(STDIN)
    }
}

/// A fault in a message that was tolerated, and its file.
#[derive(Clone, Copy, Debug)]
pub struct NoteRecord<'a> {
    /// As [`Record::path`].
    pub path: Option<&'a [u8]>,
    /// The fault and its place.
    pub note: Note<'a>,
}

/// An input that could not be read, or not to its end.
#[derive(Clone, Copy, Debug)]
pub struct FaultRecord<'a> {
    /// As [`Record::path`].
    pub path: Option<&'a [u8]>,
    /// Its offset, if that is known.
    pub offset: Option<u64>,
    /// The fault, in words.
    pub text: &'a str,
}

/// The end of the rows of one request, which a program that asks for several
/// reads as "this is all".
#[derive(Clone, Copy, Debug)]
pub struct EndRecord<'a> {
    /// As [`Record::path`].
    pub path: Option<&'a [u8]>,
    /// The number of the request, from 1.
    pub number: u64,
    /// How many hits and rejects there were.
    pub count: u64,
    /// What could not be read, in words.
    pub fault: Option<&'a str>,
}

/// Text of a header field, if the message has the field.
fn some(text: &[u8]) -> Option<&[u8]> {
    (!text.is_empty()).then_some(text)
}
