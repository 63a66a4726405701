//! Splits a stream into messages. This is the driver for all containers.
//!
//! A [`Splitter`] is fed the stream in chunks of any size. It reports to a
//! [`ContainerSink`] where each message starts and ends, the bytes of the
//! message, and the bytes that unescaping removed. It reads no files, and knows
//! neither URLs nor MIME.
//!
//! ```
//! use urlgrep_containers::{ContainerSink, ReadAs, Splitter, Start};
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
//! # Parallel splitting
//!
//! A [`MessageFinder`] runs the same machines without unescaping and without
//! counting lines. It reports only where messages begin. A sequential reader of
//! a large file feeds it blocks. The reader passes the bytes between two
//! [`MessageStart`]s to a worker, which uses [`Splitter::resume`]. A message
//! longer than a block is passed on in several pieces, which are fed to one
//! splitter in order. The cuts do not change the events: they are the same as
//! for the whole stream.
//!
//! # Promises
//!
//! The events do not depend on the chunks of the stream, except for the slices
//! of `data` and `outside`. Heads, data, seams and outside bytes cover the
//! stream without gaps. Time is linear. A few KiB are held back until a line is
//! long enough to judge. In a news batch up to 64 KiB are held back. See
//! `rnews`.

use super::article::{CrMbox, Emlx, Whole, Wire};
use super::beginning::SNIFF;
use super::events::{ContainerSink, Emit, Out, Outside, Position, Shape, Start, View};
use super::gitcat::GitCat;
use super::lines::LINE;
use super::mbox::{Dialect, Mbox};
use super::nntp::Session;
use super::rnews::{Packed, Rnews};
use super::sniff::{Container, MARK, ReadAs, is_undecided, sniff};
use super::warc::Warc;

/// Splits a stream into messages.
#[derive(Debug)]
pub struct Splitter {
    hint: ReadAs,
    /// The machine for the container. `None` until the stream is recognised.
    machine: Option<Machine>,
    container: Option<Container>,
    /// Bytes that were fed and are not decided yet. They begin at `base`.
    carry: Vec<u8>,
    base: u64,
    emit: Emit,
}

impl Splitter {
    /// A splitter for a whole stream. It holds back the first [`SNIFF`] bytes, or
    /// up to [`SNIFF_MAX`] if a header may not have ended, and recognises the
    /// container by them.
    ///
    /// [`SNIFF_MAX`]: super::SNIFF_MAX
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

    /// The container. `None` until it is recognised.
    #[must_use]
    pub fn container(&self) -> Option<Container> {
        self.container
    }

    /// The line of the first undecided byte. After
    /// [`finish`](Splitter::finish), the line of the end of the stream. 0 if
    /// lines are not counted.
    #[must_use]
    pub fn line(&self) -> u64 {
        self.emit.line
    }

    /// The number of bytes that are held back.
    #[must_use]
    pub fn held(&self) -> usize {
        self.carry.len()
    }

    /// Processes the next bytes of the stream.
    pub fn feed<S: ContainerSink>(&mut self, chunk: &[u8], sink: &mut S) {
        let mut rest = chunk;
        while self.machine.is_none() {
            let want = SNIFF.max((self.carry.len() + 1).next_power_of_two());
            let take = (want - self.carry.len()).min(rest.len());
            self.carry.extend_from_slice(&rest[..take]);
            rest = &rest[take..];
            if self.carry.len() < want {
                return;
            }
            if !is_undecided(&self.carry, self.hint) {
                self.recognise(false);
                self.run_carry(false, sink);
            }
        }
        // Append to the held bytes only as much as is needed to decide about
        // them. The rest of the chunk is not copied.
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

    /// Ends the stream, or the part before a cut.
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

    /// Runs the machine over the held bytes, and drops the decided ones.
    fn run_carry<S: ContainerSink>(&mut self, eof: bool, sink: &mut S) -> usize {
        let mut carry = std::mem::take(&mut self.carry);
        let done = self.run(&carry, eof, sink);
        carry.drain(..done);
        self.carry = carry;
        done
    }

    /// Runs the machine over `buf`. Returns the number of decided bytes.
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
                Some(Machine::CrMbox(m)) => m.step(view, &mut out),
                Some(Machine::Rnews(m)) => m.step(view, &mut out),
                Some(Machine::Packed(m)) => m.step(view, &mut out),
                Some(Machine::Session(m)) => m.step(view, &mut out),
                Some(Machine::GitCat(m)) => m.step(view, &mut out),
                Some(Machine::Warc(m)) => m.step(view, &mut out),
            };
        debug_assert!(done <= buf.len() && (!eof || done == buf.len()));
        self.base += done as u64;
        done
    }
}

/// Quickly finds where messages begin, and nothing else.
#[derive(Debug)]
pub struct MessageFinder {
    splitter: Splitter,
}

/// The start of a message. Another splitter can begin there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MessageStart {
    /// The offset of the first byte of the message's head, for example of its
    /// `From ` line.
    pub offset: u64,
    /// The number of the message, from 1.
    pub number: u64,
}

impl MessageFinder {
    /// Finds the messages of a whole stream in this container.
    #[must_use]
    pub fn new(container: Container) -> MessageFinder {
        let mut splitter = Splitter::resume(container, Position::START);
        splitter.emit = Emit::new(Position::START, true);
        MessageFinder { splitter }
    }

    /// Finds the messages of a part of an mbox that begins at any `offset`. It
    /// finds the same messages as a finder for the whole stream, except for one
    /// that begins in the first four bytes. Messages are numbered from 1. Only
    /// a line itself, the line before it and the line after it decide whether
    /// it is a separator.
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

    /// Processes the next block. Appends the message starts that are now known
    /// to `cuts`, in order. Starts near the end of the previous block may be
    /// among them.
    pub fn feed(&mut self, block: &[u8], cuts: &mut Vec<MessageStart>) {
        self.splitter.feed(block, &mut Cuts(cuts));
    }

    /// Ends the stream. Appends the starts that were still undecided.
    pub fn finish(&mut self, cuts: &mut Vec<MessageStart>) {
        self.splitter.finish(&mut Cuts(cuts));
    }

    /// No more starts will be reported before this offset. The stream can be
    /// passed on up to here.
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

/// The machines. There is one for each way of splitting.
#[derive(Debug)]
enum Machine {
    Whole(Whole),
    Wire(Wire),
    Emlx(Emlx),
    Mbox(Box<Mbox>),
    CrMbox(CrMbox),
    Rnews(Box<Rnews>),
    Packed(Packed),
    Session(Session),
    GitCat(GitCat),
    Warc(Box<Warc>),
}

impl Machine {
    fn new(container: Container) -> Machine {
        match container {
            Container::Text => Machine::Whole(Whole::new(Shape::Text)),
            Container::Html => Machine::Whole(Whole::new(Shape::Html)),
            Container::Calendar => Machine::Whole(Whole::new(Shape::Calendar)),
            Container::Xml => Machine::Whole(Whole::new(Shape::Xml)),
            Container::Json => Machine::Whole(Whole::new(Shape::Json)),
            Container::Csv => Machine::Whole(Whole::new(Shape::Csv)),
            Container::Message => Machine::Whole(Whole::new(Shape::Message)),
            Container::ANews => Machine::Whole(Whole::new(Shape::ANews)),
            Container::Wire => Machine::Wire(Wire::new()),
            Container::Emlx => Machine::Emlx(Emlx::default()),
            Container::Mbox(dialect) => Machine::Mbox(Box::new(Mbox::new(dialect))),
            Container::CrMbox => Machine::CrMbox(CrMbox::default()),
            Container::Rnews => Machine::Rnews(Box::new(Rnews::new())),
            Container::Packed(packing) => Machine::Packed(Packed::new(packing)),
            Container::Session => Machine::Session(Session::new()),
            Container::GitCat => Machine::GitCat(GitCat::new()),
            Container::Warc => Machine::Warc(Box::new(Warc::new())),
        }
    }
}
