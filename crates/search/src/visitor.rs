//! What a search tells its caller.

use std::fmt;
use std::ops::ControlFlow;

use super::{Line, Match, Message};
use urlgrep_mail::mime;

/// Receives the results of a [`Searcher`](super::Searcher). A closure `FnMut(&Match<'_>) -> ControlFlow<()>`
/// is a visitor that receives only hits.
pub trait Visitor {
    /// A URL or a reject. Returns whether to continue.
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()>;

    /// Whether the lines around the last hit are wanted. Called only if
    /// [`SearcherBuilder::context`](super::SearcherBuilder::context) is set.
    fn wants_lines(&mut self, _found: &Match<'_>) -> bool {
        true
    }

    /// The next line with a hit on it or near it. It comes after its hits, and
    /// before any line or hit of another part of the message. Each line comes
    /// once, in order. A visitor that stops the search receives no further
    /// lines.
    fn line(&mut self, _line: &Line<'_>) {}

    /// A message whose header has been read. Returns whether its URLs are
    /// wanted.
    fn message(&mut self, _message: &Message<'_>) -> bool {
        true
    }

    /// A fault that was tolerated.
    fn note(&mut self, _note: &Note<'_>) {}

    /// Whether to continue. Asked before each 128 KiB of a message or a reader that is searched in
    /// one call, because there may be no hit for a long time.
    fn goes_on(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

impl<F: FnMut(&Match<'_>) -> ControlFlow<()>> Visitor for F {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self(found)
    }
}

/// A fault in a message that was tolerated.
#[derive(Clone, Copy, Debug)]
pub struct Note<'a> {
    /// The kind of the fault.
    pub kind: NoteKind,
    /// Offset in the source, if known.
    pub at: Option<u64>,
    /// The number of the message.
    pub message: Option<u64>,
    /// The number of the part.
    pub part: Option<&'a str>,
    /// The member of an attached archive that was not searched. See [`Match::member`].
    pub member: Option<&'a [u8]>,
}

/// The kind of a [`Note`]. Its text is a short phrase for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoteKind {
    /// A fault of the container.
    Container(urlgrep_containers::ContainerNoteKind),
    /// A fault of a message.
    Message(mime::MessageNoteKind),
    /// A file of this kind was read as text, although most of its text is encoded.
    File(&'static str),
    /// A file that was read as text has a line of a header that says how text is encoded.
    /// Its text was searched as it is.
    EncodedText,
}

impl NoteKind {
    /// The name for programs. It is one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            NoteKind::Container(kind) => kind.name(),
            NoteKind::Message(kind) => kind.name(),
            NoteKind::File(_) => "unsearched-file",
            NoteKind::EncodedText => "encoded-text",
        }
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoteKind::Container(kind) => kind.fmt(f),
            NoteKind::Message(kind) => kind.fmt(f),
            NoteKind::File(what) => write!(f, "{what}, not searched"),
            NoteKind::EncodedText => f.write_str(
                "Content-Transfer-Encoding in text that is not recognised as a message, not decoded",
            ),
        }
    }
}
