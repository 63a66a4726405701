//! A match and its file.

use std::ops::Deref;

use super::Match;
use urlgrep_base::escape::STDIN;
use urlgrep_find::Hit;

/// A match and its file. It consists of references, and nothing is copied. What a [`Match`] has,
/// it has too.
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
    #[doc(hidden)]
    #[must_use]
    pub fn plain(path: Option<&'a [u8]>, hit: &'a Hit) -> Record<'a> {
        Record::new(path, Match::plain(hit))
    }

    /// The path to print. [`STDIN`] if there is none.
    #[doc(hidden)]
    #[must_use]
    pub fn path_or_stdin(&self) -> &'a [u8] {
        self.path.unwrap_or(STDIN)
    }
}

impl<'a> Deref for Record<'a> {
    type Target = Match<'a>;

    fn deref(&self) -> &Match<'a> {
        &self.found
    }
}
