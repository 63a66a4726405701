//! Splits a stream into messages: the driver that all containers share.
//!
//! A [`Splitter`] is fed the stream in chunks of any size. It reports to a
//! [`ContainerSink`] where each message starts and ends, which bytes belong to
//! it, and which bytes unescaping removed. It reads no files, and knows
//! neither URLs nor MIME.
//!
//! ```
//! use urlgrep::mail::{ContainerSink, ReadAs, Splitter, Start};
//!
//! struct Count(u64);
//! impl ContainerSink for Count {
//!     fn message_start(&mut self, _: &Start<'_>) {
//!         self.0 += 1;
//!     }
//!     fn data(&mut self, _: &[u8], _: u64) {}
//! }
//!
//! let mail = b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nFrom here on\n";
//! let (mut splitter, mut count) = (Splitter::new(ReadAs::Auto), Count(0));
//! splitter.feed(mail, &mut count);
//! splitter.finish(&mut count);
//! assert_eq!(count.0, 1);
//! ```
//!
//! # Cutting and handing out
//!
//! A [`MessageFinder`] runs the same machines without unescaping and without
//! counting lines, and reports only where messages begin. The sequential
//! reader of a large file feeds it blocks, and hands the bytes between two
//! [`MessageStart`]s to a worker, which runs [`Splitter::resume`] over them. A
//! message longer than a block is handed over in parts that are fed to one
//! splitter in order. Splitting the parts between any cuts gives the same
//! events as splitting the whole.
//!
//! # Promises
//!
//! The events do not depend on how the stream was cut into chunks, except that
//! `data` and `outside` may come in other slices. Heads, data, seams and
//! outside bytes tile the stream: nothing is lost. Time is linear. A few KiB
//! are held back until a line is complete enough to judge. In a news batch up
//! to 64 KiB are held back; see `rnews`.

use memchr::memchr_iter;

use super::article::{Emlx, Whole, Wire};
use super::gitcat::GitCat;
use super::mbox::{Dialect, Mbox};
use super::nntp::Session;
use super::rnews::{Packed, Rnews};
use super::sniff::{Container, MARK, Packing, ReadAs, SNIFF, sniff};
use crate::span::{SeamKind, Span};

/// The maximum length of a line that is judged, with its line end. A longer
/// one is never a separator.
pub(crate) const LINE: usize = 1024;

/// Receives the events of a [`Splitter`]. Only `data` is required.
pub trait ContainerSink {
    /// A message begins.
    fn message_start(&mut self, start: &Start<'_>) {
        let _ = start;
    }

    /// The next bytes of the message, at `offset` in the stream.
    fn data(&mut self, bytes: &[u8], offset: u64);

    /// Bytes of the message that unescaping removed, between two runs of data.
    fn seam(&mut self, kind: SeamKind, span: Span) {
        let _ = (kind, span);
    }

    /// The message ends. `end` is the offset after its last byte.
    fn message_end(&mut self, end: u64) {
        let _ = end;
    }

    /// The next bytes, at `offset`, belong to no message.
    fn outside(&mut self, bytes: &[u8], offset: u64, what: Outside) {
        let _ = (bytes, offset, what);
    }

    /// Everything from `offset` on is compressed, and comes as
    /// [`Outside::Packed`]. Decompressed, it is a new stream to recognise.
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
    /// The number of the message in its stream, from 1; 0 if the splitter does
    /// not know it.
    pub number: u64,
    /// The shape of the message.
    pub shape: Shape,
    /// The line that begins the message and is not part of it, with its line
    /// end: the `From ` line, `#! rnews N`, a status line. May be empty.
    pub head: &'a [u8],
    /// The place of the head. The message begins at `head_span.end`.
    pub head_span: Span,
    /// The line number, from 1, of the first line after the head; 0 if the
    /// splitter counts no lines.
    pub line: u64,
}

/// The shape of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// A header block, a blank line, a body.
    Message,
    /// A header block only (the answer to `HEAD`).
    Header,
    /// A body only (the answer to `BODY`).
    Body,
    /// Five lines of A-news header, then the body; see
    /// [`ANEWS_FIELDS`](super::article::ANEWS_FIELDS).
    ANews,
    /// No message: plain text.
    Text,
    /// No message: a page of HTML.
    Html,
}

impl Shape {
    /// The name of the shape, as the tests write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Message => "message",
            Shape::Header => "header",
            Shape::Body => "body",
            Shape::ANews => "a-news",
            Shape::Text => "text",
            Shape::Html => "html",
        }
    }
}

/// The meaning of bytes that belong to no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Outside {
    /// Bytes of the container itself: a byte order mark, a final dot, a
    /// property list.
    Frame,
    /// Text between messages, such as the commands and replies of a session.
    Talk,
    /// Compressed data, see [`ContainerSink::compressed`].
    Packed,
}

/// A fault of the container that was tolerated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContainerNote {
    /// The fault.
    pub kind: ContainerNoteKind,
    /// The place where it was noticed.
    pub at: u64,
}

/// The kind of a [`ContainerNote`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContainerNoteKind {
    /// The byte count before a message is not its length.
    Count,
    /// The stream ends before the line with the final dot.
    NoFinalDot,
}

impl ContainerNoteKind {
    /// The name of the note, as output and tests write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ContainerNoteKind::Count => "count",
            ContainerNoteKind::NoFinalDot => "no-final-dot",
        }
    }
}

impl std::fmt::Display for ContainerNoteKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ContainerNoteKind::Count => "byte count that leads nowhere, resynchronised",
            ContainerNoteKind::NoFinalDot => "no final dot",
        })
    }
}

/// The place in a stream at which a [`Splitter`] begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The offset of the first byte that will be fed.
    pub offset: u64,
    /// The line number of that byte, from 1; 0 to count no lines.
    pub line: u64,
    /// The number of the first message that will begin, from 1; 0 if unknown.
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

/// Splits a stream into messages. See the module documentation of `split`.
#[derive(Debug)]
pub struct Splitter {
    hint: ReadAs,
    /// `None` until the stream is recognised.
    machine: Option<Machine>,
    container: Option<Container>,
    /// Bytes that were fed and are not decided yet. The first is at `base`.
    carry: Vec<u8>,
    base: u64,
    emit: Emit,
}

impl Splitter {
    /// A splitter for a whole stream. It recognises the container from the
    /// first [`SNIFF`] bytes, which it holds back until it has them.
    #[must_use]
    pub fn new(hint: ReadAs) -> Splitter {
        Splitter {
            hint,
            machine: None,
            container: None,
            carry: Vec::new(),
            base: 0,
            emit: Emit::new(Position::START, false),
        }
    }

    /// A splitter for a known container. It begins at the start of the stream,
    /// or at a [`MessageStart`] from a [`MessageFinder`].
    #[must_use]
    pub fn resume(container: Container, at: Position) -> Splitter {
        Splitter {
            hint: ReadAs::Auto,
            machine: Some(Machine::new(container)),
            container: Some(container),
            carry: Vec::new(),
            base: at.offset,
            emit: Emit::new(at, false),
        }
    }

    /// The container, once it is recognised.
    #[must_use]
    pub fn container(&self) -> Option<Container> {
        self.container
    }

    /// The line number of the first byte that is not decided yet; after
    /// [`finish`](Splitter::finish) the line number of the end of the stream.
    /// 0 if no lines are counted.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.emit.line
    }

    /// The number of bytes held back.
    #[must_use]
    pub fn held(&self) -> usize {
        self.carry.len()
    }

    /// Takes the next bytes of the stream.
    pub fn feed<S: ContainerSink>(&mut self, chunk: &[u8], sink: &mut S) {
        let mut rest = chunk;
        if self.machine.is_none() {
            let take = (SNIFF - self.carry.len()).min(rest.len());
            self.carry.extend_from_slice(&rest[..take]);
            rest = &rest[take..];
            if self.carry.len() < SNIFF {
                return;
            }
            self.recognise(false);
            self.run_carry(false, sink);
        }
        // Complete the bytes held back only as far as deciding them takes. The
        // rest of the chunk is not copied.
        while !self.carry.is_empty() && !rest.is_empty() {
            let had = self.carry.len();
            let take = rest.len().min(4 * LINE);
            self.carry.extend_from_slice(&rest[..take]);
            let done = self.run_carry(false, sink);
            if done >= had {
                rest = &rest[done - had..];
                self.carry.clear();
            } else {
                rest = &rest[take..];
            }
        }
        if !rest.is_empty() {
            let done = self.run(rest, false, sink);
            self.carry.extend_from_slice(&rest[done..]);
        }
    }

    /// Ends the stream, or the part up to a cut.
    pub fn finish<S: ContainerSink>(&mut self, sink: &mut S) {
        if self.machine.is_none() {
            self.recognise(true);
        }
        self.run_carry(true, sink);
        self.carry.clear();
        self.emit.close(self.base, sink);
    }

    fn recognise(&mut self, eof: bool) {
        let container = sniff(&self.carry, eof, self.hint);
        self.container = Some(container);
        self.machine = Some(Machine::new(container));
    }

    /// Runs the machine over the bytes held back, and drops those it decided.
    fn run_carry<S: ContainerSink>(&mut self, eof: bool, sink: &mut S) -> usize {
        let mut carry = std::mem::take(&mut self.carry);
        let done = self.run(&carry, eof, sink);
        carry.drain(..done);
        self.carry = carry;
        done
    }

    /// Runs the machine over `buf`. Returns the number of bytes it decided.
    fn run<S: ContainerSink>(&mut self, buf: &[u8], eof: bool, sink: &mut S) -> usize {
        let mut mark = 0;
        if self.base == 0 {
            if buf.starts_with(MARK) {
                mark = MARK.len();
            } else if !eof && MARK.starts_with(buf) {
                return 0;
            }
        }
        let view = View {
            buf: &buf[mark..],
            base: self.base + mark as u64,
            eof,
        };
        let mut out = Out {
            emit: &mut self.emit,
            sink,
        };
        out.outside(&buf[..mark], self.base, Outside::Frame);
        let done = mark
            + match self.machine.as_mut() {
                None => 0,
                Some(Machine::Whole(m)) => m.step(view, &mut out),
                Some(Machine::Wire(m)) => m.step(view, &mut out),
                Some(Machine::Emlx(m)) => m.step(view, &mut out),
                Some(Machine::Mbox(m)) => m.step(view, &mut out),
                Some(Machine::Rnews(m)) => m.step(view, &mut out),
                Some(Machine::Packed(m)) => m.step(view, &mut out),
                Some(Machine::Session(m)) => m.step(view, &mut out),
                Some(Machine::GitCat(m)) => m.step(view, &mut out),
            };
        debug_assert!(done <= buf.len() && (!eof || done == buf.len()));
        self.base += done as u64;
        done
    }
}

/// Finds only where messages begin, fast. See the module documentation of
/// `split`.
#[derive(Debug)]
pub struct MessageFinder {
    splitter: Splitter,
}

/// A place where a message begins. Another splitter can start there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageStart {
    /// The offset of the first byte of the message's head, such as its `From `
    /// line.
    pub offset: u64,
    /// The number of the message, from 1.
    pub number: u64,
}

impl MessageFinder {
    /// For a stream of this container, from its start.
    #[must_use]
    pub fn new(container: Container) -> MessageFinder {
        let mut splitter = Splitter::resume(container, Position::START);
        splitter.emit = Emit::new(Position::START, true);
        MessageFinder { splitter }
    }

    /// For a part of an mbox that begins at `offset`, which can be any offset.
    /// It finds the same messages as a finder that was fed from the start,
    /// except for one that begins in the first four bytes. It numbers the
    /// messages of the part from 1. Whether a line is a separator depends only
    /// on that line, the line before it and the line after it.
    #[must_use]
    pub fn inside(dialect: Dialect, offset: u64) -> MessageFinder {
        let at = Position {
            offset,
            ..Position::START
        };
        let mut splitter = Splitter::resume(Container::Mbox(dialect), at);
        splitter.machine = Some(Machine::Mbox(Box::new(Mbox::inside(dialect))));
        splitter.emit = Emit::new(at, true);
        MessageFinder { splitter }
    }

    /// Takes the next block and appends the cuts that are now known to `cuts`,
    /// in order. They may include one near the end of the block before.
    pub fn feed(&mut self, block: &[u8], cuts: &mut Vec<MessageStart>) {
        self.splitter.feed(block, &mut Cuts(cuts));
    }

    /// Ends the stream: appends the cuts that were still undecided.
    pub fn finish(&mut self, cuts: &mut Vec<MessageStart>) {
        self.splitter.finish(&mut Cuts(cuts));
    }

    /// No cut will be reported before this offset any more. The stream can be
    /// handed over up to here.
    #[must_use]
    pub fn settled(&self) -> u64 {
        self.splitter.base
    }
}

struct Cuts<'a>(&'a mut Vec<MessageStart>);

impl ContainerSink for Cuts<'_> {
    fn message_start(&mut self, start: &Start<'_>) {
        self.0.push(MessageStart {
            offset: start.head_span.start,
            number: start.number,
        });
    }

    fn data(&mut self, _: &[u8], _: u64) {}
}

/// The machines, one for each way of splitting.
#[derive(Debug)]
enum Machine {
    Whole(Whole),
    Wire(Wire),
    Emlx(Emlx),
    Mbox(Box<Mbox>),
    Rnews(Box<Rnews>),
    Packed(Packed),
    Session(Session),
    GitCat(GitCat),
}

impl Machine {
    fn new(container: Container) -> Machine {
        match container {
            Container::Text => Machine::Whole(Whole::new(Shape::Text)),
            Container::Html => Machine::Whole(Whole::new(Shape::Html)),
            Container::Message => Machine::Whole(Whole::new(Shape::Message)),
            Container::ANews => Machine::Whole(Whole::new(Shape::ANews)),
            Container::Wire => Machine::Wire(Wire::new()),
            Container::Emlx => Machine::Emlx(Emlx::new()),
            Container::Mbox(dialect) => Machine::Mbox(Box::new(Mbox::new(dialect))),
            Container::Rnews => Machine::Rnews(Box::new(Rnews::new())),
            Container::Packed(packing) => Machine::Packed(Packed::new(packing)),
            Container::Session => Machine::Session(Session::new()),
            Container::GitCat => Machine::GitCat(GitCat::new()),
        }
    }
}

/// The input of a machine: bytes that it has not decided yet, then new ones.
///
/// A machine's `step` reports all it can decide and returns the number of
/// bytes decided. The next view begins there. At the end of the stream it
/// decides everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub buf: &'a [u8],
    /// The offset of the first byte of `buf`.
    pub base: u64,
    /// True if nothing follows `buf`.
    pub eof: bool,
}

/// The counters while events are passed on.
#[derive(Debug)]
struct Emit {
    /// The line number of the next byte; 0 if lines are not counted.
    line: u64,
    number: u64,
    open: bool,
    cut: bool,
}

impl Emit {
    fn new(at: Position, cut: bool) -> Emit {
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

    fn close<S: ContainerSink>(&mut self, end: u64, sink: &mut S) {
        if self.open {
            self.open = false;
            sink.message_end(end);
        }
    }
}

/// The output of a machine.
pub(crate) struct Out<'s, S> {
    emit: &'s mut Emit,
    sink: &'s mut S,
}

impl<S: ContainerSink> Out<'_, S> {
    /// True if only the starts of messages are wanted.
    pub fn cuts_only(&self) -> bool {
        self.emit.cut
    }

    /// Ends the open message, if there is one, and begins another.
    pub fn start(&mut self, head: &[u8], offset: u64, shape: Shape) {
        self.end(offset);
        self.emit.count(head);
        self.emit.open = true;
        let start = Start {
            number: self.emit.number,
            shape,
            head,
            head_span: Span::new(offset, offset + head.len() as u64),
            line: self.emit.line,
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

    /// `span` has no line feed.
    pub fn seam(&mut self, kind: SeamKind, span: Span) {
        if !self.emit.cut {
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
