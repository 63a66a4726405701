//! What a container reports, and the two sides of a machine that reads one: its
//! input ([`View`]) and its output ([`Out`]).

use memchr::memchr_iter;

use super::warc::Record;
use urlgrep_base::named;
use urlgrep_base::span::{SeamKind, Span};

/// Receives the events of a [`Splitter`](super::Splitter). Only `data` is required.
pub trait ContainerSink {
    /// A message begins.
    fn message_start(&mut self, start: &Start<'_>) {
        let _ = start;
    }

    /// The next bytes of the message, at `offset` in the stream.
    fn data(&mut self, bytes: &[u8], offset: u64);

    /// Bytes that unescaping removed from the message, between two runs of
    /// data. They have one line feed if `kind` is [`SeamKind::Chunk`], and otherwise none.
    fn seam(&mut self, kind: SeamKind, span: Span) {
        let _ = (kind, span);
    }

    /// The message ends. `end` is the offset after its last byte.
    fn message_end(&mut self, end: u64) {
        let _ = end;
    }

    /// The next bytes, at `offset`, do not belong to a message.
    fn outside(&mut self, bytes: &[u8], offset: u64, what: Outside) {
        let _ = (bytes, offset, what);
    }

    /// All bytes from `offset` on are compressed, and are reported as
    /// [`Outside::Packed`]. After decompression they are a new stream to
    /// recognise.
    fn compressed(&mut self, packing: Packing, offset: u64) {
        let _ = (packing, offset);
    }

    /// A fault of the container that was tolerated.
    fn note(&mut self, note: ContainerNote) {
        let _ = note;
    }
}

/// The start of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start<'a> {
    /// The number of the message in its stream, from 1. 0 if unknown.
    pub number: u64,
    /// The shape of the message.
    pub shape: Shape,
    /// The line that begins the message, with its line end: the `From ` line,
    /// `#! rnews N`, or a status line. It is not part of the message. May be
    /// empty.
    pub head: &'a [u8],
    /// The span of the head. The message begins at `head_span.end`.
    pub head_span: Span,
    /// The number of the first line after the head, from 1. 0 if lines are not
    /// counted.
    pub line: u64,
    /// The record of a web archive, for the shapes [`Shape::Http`] and [`Shape::Record`].
    pub record: Option<Record<'a>>,
}

named! {
    /// The shape of a message.
    pub enum Shape {
        /// A header block, a blank line, a body.
        Message => "message",
        /// Only a header block (the reply to `HEAD`).
        Header => "header",
        /// Only a body (the reply to `BODY`).
        Body => "body",
        /// Five lines of A-news header, then the body. See
        /// `article::is_anews`.
        ANews => "a-news",
        /// Plain text, not a message.
        Text => "text",
        /// A page of HTML, not a message.
        Html => "html",
        /// A calendar or vCards, not a message.
        Calendar => "calendar",
        /// XML, not a message.
        Xml => "xml",
        /// JSON, not a message.
        Json => "json",
        /// A table, not a message.
        Csv => "csv",
        /// A response of HTTP after its status line: a header block, a blank line, a body.
        Http => "http",
        /// The block of a record, which has a type and no header block.
        Record => "record",
    }
}

impl Shape {
    /// The type of a document that is read as the body of a message.
    pub const fn document(self) -> Option<&'static str> {
        match self {
            Shape::Html => Some("text/html"),
            Shape::Calendar => Some("text/calendar"),
            Shape::Xml => Some("application/xml"),
            Shape::Json => Some("application/json"),
            Shape::Csv => Some("text/csv"),
            _ => None,
        }
    }
}

/// The meaning of bytes that do not belong to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outside {
    /// Bytes of the container itself: a byte order mark, a final dot, a
    /// property list.
    Frame,
    /// Text between messages, such as the commands and replies of a session.
    Talk,
    /// Compressed data. See [`ContainerSink::compressed`].
    Packed,
}

/// A fault of the container that was tolerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContainerNote {
    /// The fault.
    pub kind: ContainerNoteKind,
    /// The offset at which the fault was noticed.
    pub at: u64,
}

named! {
    /// The kind of a [`ContainerNote`].
    pub enum ContainerNoteKind {
        /// The byte count before a message is not its length.
        Count => "count": "wrong byte count, resynchronised",
        /// The stream ends before the line with the final dot.
        NoFinalDot => "no-final-dot": "no final dot",
        /// A record of a web archive that has no text of its own: a request, a revisit, or a
        /// record of an unknown type.
        PassedRecord => "passed-record": "request, revisit or other record, passed over",
    }
}

/// The place in a stream at which a [`Splitter`](super::Splitter) begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The offset of the first byte that will be fed.
    pub offset: u64,
    /// The line of that byte, from 1. With 0, lines are not counted.
    pub line: u64,
    /// The number of the first message that will begin, from 1. 0 if unknown.
    pub number: u64,
}

impl Position {
    /// The beginning of a stream.
    pub const START: Position = Position {
        offset: 0,
        line: 1,
        number: 1,
    };
}

/// The stated compression of a news batch. It is not reliable: INN gives all
/// batches to `gzip -d`, and senders mixed up the names. The first bytes of the
/// data decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Packing {
    /// `#! cunbatch`: compress(1), or gzip.
    Compress,
    /// `#! gunbatch`: gzip.
    Gzip,
    /// `#! zunbatch`: gzip, or zlib.
    Zlib,
}

/// The input of a machine: bytes that it has not decided yet, then new bytes.
///
/// The `step` of a machine reports all it can decide, and returns the number of
/// decided bytes. The next view begins after them. At the end of the stream it
/// must decide everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub buf: &'a [u8],
    /// The offset of the first byte.
    pub base: u64,
    /// True if nothing follows `buf`.
    pub eof: bool,
}

/// Counters, and the state of the open message.
#[derive(Debug)]
pub(super) struct Emit {
    /// The line of the next byte. 0 if lines are not counted.
    pub(super) line: u64,
    number: u64,
    open: bool,
    cut: bool,
}

impl Emit {
    pub(super) fn new(at: Position, cut: bool) -> Emit {
        Emit {
            line: if cut { 0 } else { at.line },
            number: at.number,
            open: false,
            cut,
        }
    }

    fn count(&mut self, bytes: &[u8]) {
        if self.line > 0 {
            self.line += memchr_iter(b'\n', bytes).count() as u64;
        }
    }

    pub(super) fn close<S: ContainerSink>(&mut self, end: u64, sink: &mut S) {
        if self.open {
            self.open = false;
            sink.message_end(end);
        }
    }
}

/// The output of a machine.
pub(crate) struct Out<'s, S> {
    pub(super) emit: &'s mut Emit,
    pub(super) sink: &'s mut S,
}

impl<S: ContainerSink> Out<'_, S> {
    /// True if only the starts of messages are wanted.
    pub fn cuts_only(&self) -> bool {
        self.emit.cut
    }

    /// Ends the open message, if there is one, and begins another.
    pub fn start(&mut self, head: &[u8], offset: u64, shape: Shape) {
        self.begin(head, offset, shape, None);
    }

    /// As [`start`](Out::start), for a record of a web archive.
    pub fn start_record(&mut self, head: &[u8], offset: u64, shape: Shape, record: Record<'_>) {
        self.begin(head, offset, shape, Some(record));
    }

    fn begin(&mut self, head: &[u8], offset: u64, shape: Shape, record: Option<Record<'_>>) {
        self.end(offset);
        self.emit.count(head);
        self.emit.open = true;
        let start = Start {
            number: self.emit.number,
            shape,
            head,
            head_span: Span::new(offset, offset + head.len() as u64),
            line: self.emit.line,
            record,
        };
        self.emit.number += u64::from(self.emit.number > 0);
        self.sink.message_start(&start);
    }

    pub fn data(&mut self, bytes: &[u8], offset: u64) {
        if bytes.is_empty() || self.emit.cut {
            return;
        }
        self.emit.count(bytes);
        self.sink.data(bytes, offset);
    }

    /// Records a removal. `span` has no line feed, but for [`SeamKind::Chunk`], which has one.
    pub fn seam(&mut self, kind: SeamKind, span: Span) {
        if !self.emit.cut {
            if kind == SeamKind::Chunk && self.emit.line > 0 {
                self.emit.line += 1;
            }
            self.sink.seam(kind, span);
        }
    }

    /// Ends the open message, if there is one.
    pub fn end(&mut self, offset: u64) {
        self.emit.close(offset, self.sink);
    }

    pub fn outside(&mut self, bytes: &[u8], offset: u64, what: Outside) {
        if bytes.is_empty() || self.emit.cut {
            return;
        }
        self.emit.count(bytes);
        self.sink.outside(bytes, offset, what);
    }

    pub fn compressed(&mut self, packing: Packing, offset: u64) {
        self.sink.compressed(packing, offset);
    }

    pub fn note(&mut self, kind: ContainerNoteKind, at: u64) {
        self.sink.note(ContainerNote { kind, at });
    }
}
