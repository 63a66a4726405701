//! Rows: one for each hit, with the URL, its place, and its message.
//!
//! * [`Record`], [`NoteRecord`], [`FaultRecord`] and [`EndRecord`] are rows
//!   that borrow from a searcher.
//! * [`Field`] is the table of fields: their names, types and meanings.
//! * [`Row`] computes the [`Value`] of one field at a time.
//! * [`OwnedRecord`] is a row that owns its values.
//! * [`json`] writes and reads rows as lines of JSON.
//!
//! A row says what its searcher and engine were asked for. For all that `urlgrep
//! --json` prints, set `columns` and `message_ends` of the searcher, `lines` and
//! `numbers` of the engine, and [`Record::read_as`] to the name of the piece's
//! kind. Without them these keys are null. [`json::Writer`] then writes the same
//! bytes.
//!
//! Making and writing rows never fails. Reading a line fails if it is not a row.
//! The text of a row does not depend on the order or chunks of calls.

mod field;
pub mod json;
mod owned;
mod row;
mod strings;
mod value;

use urlgrep_search::Note;

pub use field::{Field, OwnedRecord, Type};
pub use owned::{Bytes, Component, Decoded, OwnedAlternate, OwnedSeam};
pub use row::Row;
pub use urlgrep_search::Record;
pub use value::{Names, Value};

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

#[doc(hidden)] // For `--batch`.
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
