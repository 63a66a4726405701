//! The protocol between the engine and its workers.

use crate::mail::{Container, Position};
use crate::search::{Searcher, Visitor};

/// Turns pieces into an output, such as printed lines, rows of a table, or
/// counts. Each thread has its own worker. The outputs are delivered in the
/// order of the input.
///
/// A worker must not wait for another worker. It should write only to its
/// output.
pub trait Worker {
    /// The output. A worker fills it and the consumer empties it. Then it is
    /// reused.
    type Output: Default + Send + 'static;

    /// Processes a piece. After [`Flow::Again`] the same piece comes again.
    fn piece(&mut self, piece: &Piece<'_>, output: &mut Self::Output) -> Flow;

    /// True if the consumer must take the output before the next piece. This
    /// bounds the memory of a run. Default: false.
    fn is_full(output: &Self::Output) -> bool {
        let _ = output;
        false
    }

    /// Called after the worker panicked. Removes an incomplete row from the
    /// output. Default: empties the output.
    fn repair(output: &mut Self::Output) {
        *output = Self::Output::default();
    }
}

/// How to continue after a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// The piece is finished.
    Done,
    /// The output is full, but the piece is not finished. The worker gets the
    /// piece again after the consumer has taken the output.
    Again,
    /// The piece is finished, and the worker wants nothing more of this text.
    /// An empty piece may still come to end the text.
    Enough,
}

/// Bytes of a file, or of a member of an archive.
///
/// A *text* is a sequence of pieces. Its first piece has `first` set, and its
/// last piece ends it. One worker gets all pieces of a text, in order. No text
/// depends on another.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Piece<'p> {
    /// The path of the file as the caller named it or the walk found it. A
    /// member of an archive is `archive.zip!member`. `None` is standard input.
    pub path: Option<&'p [u8]>,
    /// The format of the bytes.
    pub kind: Kind,
    /// The bytes. May be empty.
    pub bytes: &'p [u8],
    /// The position of the first byte. Its offset is always set. At the start
    /// of a text its line is set if lines are counted, and the number of its
    /// first message is set if messages are numbered.
    pub start: Position,
    /// True if the piece begins a text.
    pub first: bool,
    /// What ends after the piece.
    pub end: End,
}

/// What ends after a [`Piece`].
///
/// The enum is exhaustive. A worker must decide what each variant means for its
/// output, so a new variant is a breaking change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Nothing: the text continues in the next piece.
    Open,
    /// The text. The file continues with another text.
    Text,
    /// The text and the file.
    File,
    /// The text, which is incomplete because unreadable bytes follow. The file
    /// continues after them with another text. Lines and messages have no
    /// numbers there. The fault comes with the output.
    Hole,
    /// The text and the file, which are incomplete because unreadable bytes
    /// follow. The fault comes with the output.
    Broken,
}

impl End {
    /// True if the file ends here.
    #[must_use]
    pub fn is_file(self) -> bool {
        matches!(self, End::File | End::Broken)
    }

    /// True if unreadable bytes follow.
    #[must_use]
    pub fn is_broken(self) -> bool {
        matches!(self, End::Hole | End::Broken)
    }
}

impl Piece<'_> {
    /// Searches the piece: begins a text, feeds the bytes, and ends the text as
    /// [`End`] says. Returns whether the visitor wants more of the text.
    ///
    /// The search cannot continue inside a piece. A worker that uses it does not
    /// answer [`Flow::Again`]. It bounds its output by [`Worker::is_full`].
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

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// Plain text.
    Text,
    /// Plain text that was converted from UTF-16 to UTF-8. Offsets are not
    /// those of the file.
    Utf16,
    /// Messages in this container.
    Mail(Container),
}

impl Kind {
    /// The name in the output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Utf16 => "utf-16",
            Kind::Mail(container) => container.name(),
        }
    }

    /// The container. UTF-16 text counts as plain text.
    pub(super) fn container(self) -> Container {
        match self {
            Kind::Mail(container) => container,
            Kind::Text | Kind::Utf16 => Container::Text,
        }
    }
}
