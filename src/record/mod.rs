//! One row for each hit: all that is known of it and of where it was found.
//!
//! * [`Record`]: the row, borrowed from what a searcher found;
//! * [`jsonl`]: writes it as a line of JSON;
//! * [`verify`]: reads such a line back and replays it on the source.
//!
//! Nothing here fails on any input, and no order or chunking of calls changes
//! what a record is written as.

pub mod jsonl;
pub mod verify;

use crate::escape::STDIN;
use crate::extract::Hit;
use crate::search::{Match, Note};

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

    /// The scheme of the URL, or of what looked like one.
    #[must_use]
    pub fn scheme(&self) -> Option<&'a str> {
        jsonl::scheme(self.hit())
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

/// Text of a header field, if the message has the field.
pub(crate) fn some(text: &[u8]) -> Option<&[u8]> {
    (!text.is_empty()).then_some(text)
}
