//! One row for each hit: all that is known of it and of where it was found.
//!
//! * [`Record`], [`NoteRecord`], [`FaultRecord`], [`EndRecord`]: what a row is made of, borrowed
//!   from a searcher;
//! * [`Field`]: the table of fields, their names, types and meanings;
//! * [`Row`]: gives the [`Value`] of each field, one at a time;
//! * [`OwnedRecord`]: a row that owns its values;
//! * [`jsonl`]: rows as lines of JSON, written and read;
//! * [`verify`]: reads such a line and replays it on the source.
//!
//! Nothing here fails on any input, and no order or chunking of calls changes
//! what a record is written as.

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
pub use owned::{Alternate, Bytes, Component, Decoded, Seam};
pub use row::Row;

/// A hit, where it was found, and in which file. Borrowed: the caller fills one
/// for each hit from what it has at hand, and nothing is copied.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The file as it was named or walked, in raw bytes; a member of an
    /// archive is `archive.zip!member`. `None` is standard input, printed as
    /// [`STDIN`].
    pub path: Option<&'a [u8]>,
    /// Which way the file was read (`text`, `mbox`, `message` …).
    pub read_as: Option<&'a str>,
    /// Bytes from the start of the line to the URL's first byte, + 1, where the
    /// caller knows the start of the line.
    pub column: Option<u64>,
    /// The URL, its place and its message.
    pub found: Match<'a>,
}

impl<'a> Record<'a> {
    /// The record of what was found in the file `path`.
    #[must_use]
    pub fn new(path: Option<&'a [u8]>, found: Match<'a>) -> Record<'a> {
        Record {
            path,
            read_as: None,
            column: None,
            found,
        }
    }

    /// The record of a hit in a plain file, where the text that was scanned
    /// is the file itself.
    #[must_use]
    pub fn plain(path: Option<&'a [u8]>, hit: &'a Hit) -> Record<'a> {
        Record::new(path, Match::plain(hit))
    }

    /// The URL and what the extractor says of it.
    #[must_use]
    pub fn hit(&self) -> &'a Hit {
        self.found.hit
    }

    /// The path to print: [`STDIN`] where there is none.
    #[must_use]
    pub fn path_or_stdin(&self) -> &'a [u8] {
        self.path.unwrap_or(STDIN)
    }
}

/// Something that was wrong in a message and was tolerated, and in which file.
#[derive(Clone, Copy, Debug)]
pub struct NoteRecord<'a> {
    /// As [`Record::path`].
    pub path: Option<&'a [u8]>,
    /// What, and where.
    pub note: Note<'a>,
}

/// An input that could not be read, or not to its end.
#[derive(Clone, Copy, Debug)]
pub struct FaultRecord<'a> {
    /// As [`Record::path`].
    pub path: Option<&'a [u8]>,
    /// Where in it, if that is known.
    pub offset: Option<u64>,
    /// What went wrong, in words.
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
