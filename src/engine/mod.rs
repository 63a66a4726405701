//! Finds files, unpacks them, cuts them into pieces, and gives these to
//! workers. The outputs of the workers come in the order of the input.
//!
//! An [`Engine`] walks folders, unpacks compressed files and archives, and
//! cuts large files and streams where that is possible. Each thread has a
//! [`Worker`] of the caller, which makes an output of each piece: printed
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
//! * The outputs of any number of threads are the same, in the same order.
//!   Where one output ends and the next begins may differ.
//! * At most two jobs per thread are in flight. A job is a segment, a part of a
//!   large file that is read a segment at a time, or a batch of small files. So
//!   memory is bounded: by the segments, the outputs ([`Worker::is_full`]),
//!   and the windows of decompressors ([`Limits`]).
//! * Everything that can be read is processed. A [`Fault`] is a value beside
//!   the output, and ends at most its own file.
//! * A read error ends its text in a [hole](End::Hole). Plain text continues
//!   at the next place that no URL can span. An mbox continues with its next
//!   message. Other files end [broken](End::Broken). So do streams, files over
//!   [`EngineBuilder::whole_files`], and a file with more than 1 MiB of
//!   unreadable bytes in one place. All this is the same for any number of
//!   threads.
//!   threads.
//! * A file that becomes shorter while it is read, a truncated compressed
//!   file, and a worker that panics end their file broken: nothing after that
//!   place is delivered.
//!
//! No message of a live maildir is lost or read twice. A message that is moved
//! or renamed between its listing and its opening is found by the part of its
//! name that never changes.
//!
//! Folders are walked by our own code, because it skips file systems that the
//! system makes up (`/proc`) and the undelivered messages of a maildir.

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

/// The segment size of large files. A small segment is still in the
/// processor's cache when it is searched. A large one makes the cost of the
/// hand-over negligible.
const SEGMENT: usize = 256 << 10;

/// An input.
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
    /// No input, but a fault that an input had.
    Fault(Fault),
}

/// A source that threads share.
pub trait Source: ReadAt + Send + Sync {}

impl<T: ReadAt + Send + Sync + ?Sized> Source for T {}

/// A delivery to the consumer: an output, and the faults before its end.
#[derive(Debug)]
#[non_exhaustive]
pub struct Delivery<'d, O> {
    /// The output of the next piece or pieces. The consumer empties it, and
    /// may leave its allocation.
    pub output: &'d mut O,
    /// The faults.
    pub faults: &'d mut Vec<Fault>,
    /// The number of devices, links and the like that were skipped.
    pub passed_over: u64,
    file: Option<&'d feed::FileRef>,
}

impl<O> Delivery<'_, O> {
    /// Asks for nothing more of this file, if it is a large one: the engine
    /// soon stops reading it. Some more outputs may still come.
    pub fn skip_file(&self) {
        if let Some(file) = self.file {
            file.stop();
        }
    }
}

/// The state that all threads share.
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
    /// The number of threads; 0 counts as 1. Default: as many as the machine
    /// runs at once.
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

    /// The offset from which regular files and standard input are read. Plain
    /// text is read from that byte on, an mbox from the first message that
    /// begins at or after it. Offsets are those of the file; lines and
    /// messages have no numbers. Some inputs cannot be read from an offset: a
    /// compressed file, a shorter file, a single message, a pipe. Each of them
    /// is a [`Fault`]. Default: 0.
    #[must_use]
    pub fn start(mut self, offset: u64) -> Self {
        self.settings.start = offset;
        self
    }

    /// The kind of all files. Default: each is recognised by its first bytes.
    #[must_use]
    pub fn read_as(mut self, what: ReadAs) -> Self {
        self.settings.read_as = what;
        self
    }

    /// Whether mail is recognised. Otherwise every file is [`Kind::Text`].
    /// Default: yes.
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

    /// Limits on the cost of unpacking.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.settings.limits = limits;
        self
    }

    /// Whether the line number is known for a piece that begins a text. With
    /// several threads a large file is then read twice. Default: no.
    #[must_use]
    pub fn lines(mut self, yes: bool) -> Self {
        self.settings.lines = yes;
        self
    }

    /// Whether the number of the first message of a text is known. With
    /// several threads a large mailbox is then read twice. Default: no.
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

    /// Whether the bytes of a stream are processed as they come in, in one
    /// thread. Default: no.
    #[must_use]
    pub fn interactive(mut self, yes: bool) -> Self {
        self.settings.interactive = yes;
        self
    }

    /// Whether an output may be as long as its piece. Then jobs are smaller,
    /// so workers do not wait for each other. Default: no.
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

    /// The maximum depth of folders: 1 is the files of the folder itself.
    /// Default: no limit.
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

    /// Decides about each regular file, found or named, by its metadata.
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

    /// A file that is not read: the output file, which must not grow by its
    /// own content. Default: none.
    #[must_use]
    pub fn output(mut self, id: Option<FileId>) -> Self {
        self.walk.output = id;
        self
    }

    /// Reports the progress of the run, and stops it.
    #[must_use]
    pub fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    /// How a file that begins with `head` is read; `None` if it is unpacked or
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

/// Walks, unpacks, cuts, and runs workers. See the module documentation.
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
    /// Settings for an engine.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Processes `inputs`. `make` makes the worker of each thread. `consume`
    /// gets the outputs in order, on this thread, and returns whether to
    /// continue.
    ///
    /// # Errors
    ///
    /// If the system gives no threads. A failing input is a [`Fault`].
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

    /// As [`Engine::run`], but only on this thread and with this worker. After
    /// a panic the same worker continues with the next piece that begins a
    /// text.
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
