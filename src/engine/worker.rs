//! What the engine and its workers say to each other.

use crate::mail::{Container, Position};
use crate::search::{Searcher, Visitor};

/// Makes something of pieces: printed lines, rows of a table, counts. Each
/// thread has its own; only the outputs meet, in the order of the input.
///
/// A worker never waits for another one, and writes to nothing but its output.
pub trait Worker {
    /// What it makes. An output goes from a worker to the consumer, which
    /// empties it, and comes back to be used again.
    type Output: Default + Send + 'static;

    /// Takes a piece. Called again with the same piece after [`Flow::Again`].
    fn piece(&mut self, piece: &Piece<'_>, output: &mut Self::Output) -> Flow;

    /// True if the output should be taken by the consumer before more is put
    /// into it. This bounds the memory of a run. Default: never.
    fn is_full(output: &Self::Output) -> bool {
        let _ = output;
        false
    }

    /// A worker panicked over a piece: removes a row from the output that is
    /// not complete. Default: empties it.
    fn repair(output: &mut Self::Output) {
        *output = Self::Output::default();
    }
}

/// What a [`Worker`] answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The piece is done.
    Done,
    /// The output is full, and the piece is not done: it is to be given again
    /// once the consumer has taken the output.
    Again,
    /// The piece is done, and nothing more of this text is wanted. An empty
    /// piece may still say that the text ends.
    Enough,
}

/// Bytes of a file, or of a member of an archive. A *text* is a run of pieces
/// from one whose `first` is set to one that ends it. One worker gets all
/// pieces of a text, in order. It depends on nothing in other texts.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Piece<'p> {
    /// The file as it was named or walked; a member of an archive is
    /// `archive.zip!member`. `None` is standard input.
    pub path: Option<&'p [u8]>,
    /// How its bytes are to be read.
    pub kind: Kind,
    /// The bytes; may be none.
    pub bytes: &'p [u8],
    /// The offset of the first byte. Where a text begins also its line, if
    /// lines are counted, and the number of its first message, if messages
    /// are numbered.
    pub start: Position,
    /// A text begins here.
    pub first: bool,
    /// What ends after the bytes.
    pub end: End,
}

/// What ends with a [`Piece`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing: the text goes on in the next piece.
    Open,
    /// The text. The file goes on in another one.
    Text,
    /// The text and the file.
    File,
    /// The text, in the middle: bytes follow that cannot be read. The file goes on
    /// after them in another text, whose lines and messages have no numbers. The
    /// fault comes with the output.
    Hole,
    /// The text and the file, in the middle: bytes follow that cannot be read.
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
    /// Gives the piece to a searcher: begins a text, feeds the bytes, and ends the
    /// text as [`End`] says. Returns whether the visitor wants more of the text.
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

/// How the bytes of a file are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// As plain text.
    Text,
    /// As plain text that was UTF-16 and is UTF-8 now: offsets are not the
    /// file's.
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

    /// The container whose places to cut are known.
    pub(super) fn container(self) -> Container {
        match self {
            Kind::Mail(container) => container,
            Kind::Text | Kind::Utf16 => Container::Text,
        }
    }
}
