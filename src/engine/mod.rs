//! Finds files, unpacks them, cuts them into pieces, and gives these to
//! workers; what the workers make of them comes out in the order of the input.
//!
//! An [`Engine`] walks folders, takes compressed files and archives apart, and
//! cuts large files and streams where they can be cut. Each thread has a
//! [`Worker`] of the caller's, which makes an output of each piece: printed
//! lines, rows of a table, counts. The calling thread gets the outputs.
//!
//! ```
//! use urlgrep::engine::{Delivery, Engine, Flow, Input, Piece, Worker};
//!
//! /// Counts line feeds.
//! struct Lines;
//!
//! impl Worker for Lines {
//!     type Output = usize;
//!
//!     fn piece(&mut self, piece: &Piece<'_>, lines: &mut usize) -> Flow {
//!         *lines += piece.bytes.iter().filter(|&&b| b == b'\n').count();
//!         Flow::Done
//!     }
//! }
//!
//! let inputs = vec![Input::Path("Cargo.toml".into()), Input::Path("no such file".into())];
//! let (mut lines, mut faults) = (0, 0);
//! Engine::builder().build().run(inputs, || Lines, |delivery: &mut Delivery<'_, usize>| {
//!     lines += std::mem::take(delivery.output);
//!     faults += delivery.faults.len();
//!     true
//! })?;
//! assert!(lines > 20 && faults == 1);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Promises
//!
//! * The outputs of any number of threads are those of one, in the same order.
//!   Where one output ends and the next begins may differ.
//! * At most two jobs per thread are in flight. A job is a segment, a part of a
//!   large file that is read a segment at a time, or a batch of small files. So
//!   memory is bounded: by the segments, the outputs ([`Worker::is_full`]),
//!   and the windows of decompressors ([`Limits`]).
//! * What can be read is worked on. A [`Fault`] is a value, beside the output,
//!   and ends at most its own file.
//! * A read error ends its text in a [hole](End::Hole). Plain text goes on at the
//!   next place that no URL can span, an mbox with its next message. Any other
//!   file ends [broken](End::Broken), and so do streams, files over
//!   [`EngineBuilder::whole_files`], and a file of which more than 1 MiB in one
//!   place cannot be read. All this is the same for any number of threads.
//! * A file that becomes shorter while it is read, a compressed file that is cut,
//!   and a worker that panics end their file broken: nothing after that place
//!   comes out.
//!
//! A live maildir loses no message and has none twice: one that is moved or
//! renamed between its listing and its opening is found by the part of its name
//! that stays.
//!
//! The folders are walked by code of our own, not by a crate, because file
//! systems that the system makes up are passed over, and the unfinished
//! deliveries of a maildir.

mod control;
mod cut;
mod fault;
mod feed;
mod maildir;
mod members;
mod open;
mod plan;
mod run;
#[cfg(test)]
mod tests;
mod walk;
mod work;
mod worker;

use std::fmt;
use std::fs::Metadata;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::mail::ReadAs;
use crate::ranges::ReadAt;
use crate::unpack::Limits;

pub use control::{Control, Progress};
pub use fault::{Fault, FaultKind};
pub use walk::{Choice, Entry, FileId, file_id};
pub use worker::{End, Flow, Kind, Piece, Worker};

/// How many bytes of a large file are one segment. Small enough that a segment
/// is still in the cache of a processor when it is searched after it was read,
/// large enough that handing it over costs nothing beside that.
const SEGMENT: usize = 256 << 10;

/// Something to work on.
#[non_exhaustive]
pub enum Input {
    /// A file, or a folder with all files in it.
    Path(PathBuf),
    /// The current folder. The paths of its files begin with their names.
    Here,
    /// Standard input.
    Stdin,
    /// A stream with a name. It is read on a thread of the engine.
    Reader(Vec<u8>, Box<dyn Read + Send>),
    /// A source with a name that can be read from any offset.
    Source(Vec<u8>, Arc<dyn Source>),
    /// Nothing, but something went wrong where an input was to come from.
    Fault(Fault),
}

/// A source that threads share.
pub trait Source: ReadAt + Send + Sync {}

impl<T: ReadAt + Send + Sync + ?Sized> Source for T {}

/// What the consumer of a run gets: an output, and what went wrong before its
/// end.
#[derive(Debug)]
#[non_exhaustive]
pub struct Delivery<'d, O> {
    /// The output of the next piece or pieces. The consumer empties it, and may
    /// leave its memory to it.
    pub output: &'d mut O,
    /// What could not be read.
    pub faults: &'d mut Vec<Fault>,
    /// How many devices, links and the like were passed over.
    pub passed_over: u64,
    file: Option<&'d feed::FileRef>,
}

impl<O> Delivery<'_, O> {
    /// Nothing more of this file is wanted, if it is a large one: the engine
    /// soon stops reading it. Some more may still come out.
    pub fn skip_file(&self) {
        if let Some(file) = self.file {
            file.stop();
        }
    }
}

/// What all threads need to know.
struct Shared {
    settings: Settings,
    walk: Arc<walk::Options>,
    control: Control,
    moved: Arc<maildir::Moved>,
}

#[derive(Clone, Debug)]
struct Settings {
    threads: usize,
    segment: usize,
    start: u64,
    read_as: ReadAs,
    decode: bool,
    decompress: bool,
    limits: Limits,
    lines: bool,
    numbers: bool,
    whole: bool,
    interactive: bool,
    long_output: bool,
}

/// Configures an [`Engine`].
#[derive(Clone)]
pub struct EngineBuilder {
    settings: Settings,
    walk: walk::Options,
    control: Control,
}

impl Default for EngineBuilder {
    fn default() -> EngineBuilder {
        EngineBuilder {
            settings: Settings {
                threads: std::thread::available_parallelism().map_or(1, usize::from),
                segment: SEGMENT,
                start: 0,
                read_as: ReadAs::Auto,
                decode: true,
                decompress: true,
                limits: Limits::default(),
                lines: false,
                numbers: false,
                whole: false,
                interactive: false,
                long_output: false,
            },
            walk: walk::Options::default(),
            control: Control::default(),
        }
    }
}

impl EngineBuilder {
    /// How many threads work; fewer than 1 count as 1. Default: as many as
    /// the machine runs at once.
    #[must_use]
    pub fn threads(mut self, number: usize) -> Self {
        self.settings.threads = number.max(1);
        self
    }

    /// How many bytes of a large file are one segment. Default: 256 KiB.
    #[must_use]
    pub fn segment(mut self, bytes: usize) -> Self {
        self.settings.segment = bytes.max(1);
        self
    }

    /// The byte from which regular files and standard input are read. Plain text
    /// is read from that byte on, an mbox from the first message that begins at
    /// or after it. Offsets are those of the file; lines and messages have no
    /// numbers. A file that cannot be read so is a [`Fault`]: one that is
    /// compressed or shorter, a single message, a pipe. Default: 0.
    #[must_use]
    pub fn start(mut self, offset: u64) -> Self {
        self.settings.start = offset;
        self
    }

    /// What files are. Default: what their first bytes say.
    #[must_use]
    pub fn read_as(mut self, what: ReadAs) -> Self {
        self.settings.read_as = what;
        self
    }

    /// Whether mail is recognised. Otherwise all is [`Kind::Text`]. Default:
    /// yes.
    #[must_use]
    pub fn decode(mut self, yes: bool) -> Self {
        self.settings.decode = yes;
        self
    }

    /// Whether compressed files and archives are unpacked. Default: yes.
    #[must_use]
    pub fn decompress(mut self, yes: bool) -> Self {
        self.settings.decompress = yes;
        self
    }

    /// What unpacking may cost.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Whether the line of a piece that begins a text is known. With several
    /// threads a large file is then read twice. Default: no.
    #[must_use]
    pub fn lines(mut self, yes: bool) -> Self {
        self.settings.lines = yes;
        self
    }

    /// Whether the number of the first message of a text is known. With several
    /// threads a large mailbox is then read twice. Default: no.
    #[must_use]
    pub fn numbers(mut self, yes: bool) -> Self {
        self.settings.numbers = yes;
        self
    }

    /// Whether each file is one text, in one or more pieces. Default: no.
    #[must_use]
    pub fn whole_files(mut self, yes: bool) -> Self {
        self.settings.whole = yes;
        self
    }

    /// Whether the bytes of a stream are worked on as they come in, and in one
    /// thread. Default: no.
    #[must_use]
    pub fn interactive(mut self, yes: bool) -> Self {
        self.settings.interactive = yes;
        self
    }

    /// Whether an output may be as long as its piece: then jobs are smaller, so
    /// that workers do not wait for each other. Default: no.
    #[must_use]
    pub fn long_output(mut self, yes: bool) -> Self {
        self.settings.long_output = yes;
        self
    }

    /// Whether symbolic links in folders are followed. Default: no.
    #[must_use]
    pub fn follow(mut self, yes: bool) -> Self {
        self.walk.follow = yes;
        self
    }

    /// How deep folders are walked: 1 is the files of the folder itself.
    /// Default: without limit.
    #[must_use]
    pub fn max_depth(mut self, depth: Option<usize>) -> Self {
        self.walk.max_depth = depth;
        self
    }

    /// Whether the files of a folder come in the byte order of their names.
    /// Default: no, in the order of the system.
    #[must_use]
    pub fn sort(mut self, yes: bool) -> Self {
        self.walk.sort = yes;
        self
    }

    /// Which files of folders are read, and which folders are entered. Default:
    /// all.
    #[must_use]
    pub fn filter(mut self, accept: impl Fn(&Entry<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.walk.filter = Some(Arc::new(accept));
        self
    }

    /// What is done with each regular file, found or named, by its metadata.
    /// Called on the thread that walks, in the order of the input. Default: it
    /// is read.
    #[must_use]
    pub fn choose(
        mut self,
        choose: impl Fn(&Path, &Metadata) -> Choice + Send + Sync + 'static,
    ) -> Self {
        self.walk.choose = Some(Arc::new(choose));
        self
    }

    /// A file that is not read: the one that the output goes to, which must
    /// not grow by what is found in it. Default: none.
    #[must_use]
    pub fn output(mut self, id: Option<FileId>) -> Self {
        self.walk.output = id;
        self
    }

    /// What tells the progress of the run, and stops it.
    #[must_use]
    pub fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    /// How a file is read that begins with `head`; `None` if it is unpacked or
    /// transcoded.
    #[cfg(feature = "ledger")]
    pub(crate) fn container(&self, head: &[u8], eof: bool) -> Option<crate::mail::Container> {
        match self.settings.kind(head, eof) {
            _ if self.settings.is_packed(head, eof) => None,
            Kind::Utf16 => None,
            kind => Some(kind.container()),
        }
    }

    /// Builds the engine.
    #[must_use]
    pub fn build(self) -> Engine {
        Engine {
            shared: Arc::new(Shared {
                settings: self.settings,
                walk: Arc::new(self.walk),
                control: self.control,
                moved: Arc::default(),
            }),
        }
    }
}

impl fmt::Debug for EngineBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineBuilder")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}

/// Walks, unpacks, cuts, and runs workers. See the module.
pub struct Engine {
    shared: Arc<Shared>,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine")
            .field("settings", &self.shared.settings)
            .finish_non_exhaustive()
    }
}

impl Engine {
    /// Options, and then an engine.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Works on `inputs`. `make` makes the worker of each thread; `consume`
    /// gets the outputs in order, on this thread, and says whether to go on.
    ///
    /// # Errors
    ///
    /// Threads that the system does not give. What goes wrong with inputs is
    /// a [`Fault`].
    pub fn run<W, C>(
        &self,
        inputs: impl IntoIterator<Item = Input, IntoIter: Send + 'static>,
        make: impl Fn() -> W + Send + Sync + 'static,
        consume: C,
    ) -> io::Result<()>
    where
        W: Worker + Send + 'static,
        C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
    {
        let feeder = feed::Feeder::new(&self.shared, Box::new(inputs.into_iter().fuse()));
        run::threads(Arc::new(make), &self.shared, feeder, consume)
    }

    /// As [`Engine::run`], on this thread alone, with this worker. After a panic
    /// the same worker goes on, with a piece that begins a text.
    pub fn run_here<W, C>(
        &self,
        inputs: impl IntoIterator<Item = Input, IntoIter: Send + 'static>,
        worker: W,
        consume: C,
    ) where
        W: Worker,
        C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
    {
        let feeder = feed::Feeder::new(&self.shared, Box::new(inputs.into_iter().fuse()));
        let hand = work::Hand::new(worker, &self.shared);
        run::alone(hand, None, feeder, None, consume);
    }
}
