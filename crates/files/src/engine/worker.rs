//! The protocol between the engine and its workers.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::convert::Attachments;
use super::fault::Fault;
use urlgrep_containers::{Container, Position};
use urlgrep_search::{Searcher, Visitor};

/// Turns pieces into an output, such as printed lines, rows of a table, or
/// counts. Each thread has its own worker. The outputs are delivered in the
/// order of the input.
pub trait Worker {
    /// The output. A worker fills it and the consumer empties it. Then it is
    /// reused.
    type Output: Default + Send + 'static;

    /// Processes a piece, and adds to the output. Returns whether the worker
    /// wants more of this text. If not, an empty piece may still come to end
    /// the text.
    ///
    /// The engine delivers the output at the end of a job. A worker whose
    /// output grows with the piece calls [`Outbox::send`] whenever it has
    /// enough, and so bounds the memory of a run.
    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Self::Output>) -> bool;

    /// Called after the worker panicked. Removes an incomplete row from the
    /// output. The output may also have hits of other files of the same job, so a
    /// worker that wants to keep these replaces the default, which empties the
    /// output.
    fn repair(output: &mut Self::Output) {
        *output = Self::Output::default();
    }
}

/// The output of a worker, on its way to the consumer. It dereferences to the
/// output since the last delivery.
pub struct Outbox<'o, O> {
    pub(super) parcel: Parcel<O>,
    deliver: &'o mut dyn FnMut(&mut Parcel<O>) -> bool,
    is_open: bool,
}

/// An output, and what the engine says about its file.
#[derive(Default)]
pub(super) struct Parcel<O> {
    pub output: O,
    pub faults: Vec<Fault>,
    /// The file ended broken, or the worker panicked in it. Later parts of the
    /// file are dropped.
    pub broken: bool,
}

impl<'o, O> Outbox<'o, O> {
    /// An outbox whose parcels go to `deliver`. It leaves an empty parcel, and
    /// returns whether more is wanted.
    pub(super) fn new(
        parcel: Parcel<O>,
        deliver: &'o mut dyn FnMut(&mut Parcel<O>) -> bool,
    ) -> Outbox<'o, O> {
        Outbox {
            parcel,
            deliver,
            is_open: true,
        }
    }

    /// Delivers the output, and leaves an empty one. Waits until the consumer
    /// has taken the outputs before it. Returns false if the consumer wants
    /// nothing more: the rest of the piece need not be processed.
    pub fn send(&mut self) -> bool {
        self.is_open = self.is_open && (self.deliver)(&mut self.parcel);
        self.is_open
    }

    /// False if the consumer wants nothing more.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }
}

impl<O> Deref for Outbox<'_, O> {
    type Target = O;

    fn deref(&self) -> &O {
        &self.parcel.output
    }
}

impl<O> DerefMut for Outbox<'_, O> {
    fn deref_mut(&mut self) -> &mut O {
        &mut self.parcel.output
    }
}

impl<O: fmt::Debug> fmt::Debug for Outbox<'_, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Outbox").field(&self.parcel.output).finish()
    }
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
    /// Holds and converts attachments.
    pub(super) attachments: &'p Arc<Attachments>,
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
}

impl Piece<'_> {
    /// Searches the piece: begins a text, feeds the bytes, and ends the text as
    /// [`End`] says. Returns whether the visitor wants more of the text.
    pub fn search<V: Visitor>(&self, searcher: &mut Searcher, visitor: &mut V) -> bool {
        if self.first {
            searcher.convert_parts(Arc::clone(self.attachments) as _, self.attachments.limits);
            match self.kind {
                Kind::Mail(container) => searcher.begin(container, self.start),
                Kind::Utf16 => searcher.begin_transcoded(self.start),
                Kind::Text => searcher.begin(Container::Text, self.start),
            }
        }
        // The whole text: it need not be copied.
        if self.first && matches!(self.end, End::Text | End::File) {
            return searcher.search_here(self.bytes, visitor).is_continue();
        }
        let answer = searcher.feed(self.bytes, visitor);
        if answer.is_break() {
            return false;
        }
        let answer = match self.end {
            End::Open => answer,
            End::Text | End::File => searcher.finish(visitor),
            End::Hole | End::Broken => searcher.break_off(visitor),
        };
        answer.is_continue()
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
