//! The protocol between the engine and its workers.

use crate::mail::{Container, Position};
use crate::search::{Searcher, Visitor};

/// Makes an output of pieces: printed lines, rows of a table, counts. Each
/// thread has its own worker. Only the outputs come together, in the order of
/// the input.
///
/// A worker never waits for another one, and writes only to its output.
pub trait Worker {
    /// The output. It goes from a worker to the consumer, which empties it,
    /// and comes back for reuse.
    type Output: Default + Send + 'static;

    /// Takes a piece. Called again with the same piece after [`Flow::Again`].
    fn piece(&mut self, piece: &Piece<'_>, output: &mut Self::Output) -> Flow;

    /// True if the consumer should take the output before the next piece. This
    /// bounds the memory of a run. Default: never.
    fn is_full(output: &Self::Output) -> bool {
        let _ = output;
        false
    }

    /// The worker panicked in a piece. Removes an incomplete row from the
    /// output. Default: empties it.
    fn repair(output: &mut Self::Output) {
        *output = Self::Output::default();
    }
}

/// The answer of a [`Worker`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The piece is finished.
    Done,
    /// The output is full and the piece is not finished. It must be given
    /// again when the consumer has taken the output.
    Again,
    /// The piece is finished, and nothing more of this text is wanted. An
    /// empty piece may still come to end the text.
    Enough,
}

/// Bytes of a file, or of a member of an archive. A *text* is a run of pieces,
/// from one with `first` to one that ends it. One worker gets all pieces of a
/// text, in order. No text depends on another.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Piece<'p> {
    /// The file as it was named or walked; a member of an archive is
    /// `archive.zip!member`. `None` is standard input.
    pub path: Option<&'p [u8]>,
    /// How its bytes are read.
    pub kind: Kind,
    /// The bytes. There may be none.
    pub bytes: &'p [u8],
    /// The offset of the first byte. At the start of a text also its line, if
    /// lines are counted, and the number of its first message, if messages are
    /// numbered.
    pub start: Position,
    /// A text begins here.
    pub first: bool,
    /// What ends after the bytes.
    pub end: End,
}

/// What ends with a [`Piece`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing: the text continues in the next piece.
    Open,
    /// The text. The file continues in another one.
    Text,
    /// The text and the file.
    File,
    /// The text, incomplete: bytes follow that cannot be read. The file
    /// continues after them in another text, whose lines and messages have no
    /// numbers. The fault comes with the output.
    Hole,
    /// The text and the file, incomplete: bytes follow that cannot be read.
    /// The fault comes with the output.
    Broken,
}

impl End {
    /// True if the file ends.
    #[must_use]
    pub fn is_file(self) -> bool {
        matches!(self, End::File | End::Broken)
    }

    /// True if bytes follow that cannot be read.
    #[must_use]
    pub fn is_broken(self) -> bool {
        matches!(self, End::Hole | End::Broken)
    }
}

impl Piece<'_> {
    /// Gives the piece to a searcher: begins a text, feeds the bytes, and ends
    /// the text as [`End`] says. Returns whether the visitor wants more of the
    /// text.
    pub fn search<V: Visitor>(&self, searcher: &mut Searcher, visitor: &mut V) -> bool {
        if self.first {
            match self.kind {
                Kind::Mail(container) => searcher.begin(container, self.start),
                Kind::Utf16 => searcher.begin_transcoded(self.start),
                Kind::Text => searcher.begin(Container::Text, self.start),
            }
        }
        let more = searcher.feed(self.bytes, visitor);
        match self.end {
            End::Open => more,
            End::Text | End::File => more && searcher.finish(visitor),
            End::Hole | End::Broken => more && searcher.break_off(visitor),
        }
    }
}

/// How the bytes of a file are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// As plain text.
    Text,
    /// As plain text that was converted from UTF-16 to UTF-8. Offsets are not
    /// those of the file.
    Utf16,
    /// As messages in this container.
    Mail(Container),
}

impl Kind {
    /// The name that output uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Utf16 => "utf-16",
            Kind::Mail(container) => container.name(),
        }
    }

    /// The container, if it can be cut.
    pub(super) fn container(self) -> Container {
        match self {
            Kind::Mail(container) => container,
            Kind::Text | Kind::Utf16 => Container::Text,
        }
    }
}
