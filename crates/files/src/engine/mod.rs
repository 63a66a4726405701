//! Finds files, unpacks them, cuts them into pieces, and passes the pieces to
//! workers. The outputs of the workers come in the order of the input.
//!
//! An [`Engine`] walks folders and unpacks compressed files and archives. It
//! cuts large files and streams where this is possible. Each thread has a
//! [`Worker`] of the caller. The worker turns each piece into an output, such
//! as printed lines, rows of a table, or counts. The calling thread receives
//! the outputs.
//!
//! ```
//! use urlgrep_files::engine::{Delivery, Engine, Input, Outbox, Piece, Worker};
//!
//! /// Counts line feeds.
//! struct Lines;
//!
//! impl Worker for Lines {
//!     type Output = usize;
//!
//!     fn piece(&mut self, piece: &Piece<'_>, lines: &mut Outbox<'_, usize>) -> bool {
//!         **lines += piece.bytes.iter().filter(|&&b| b == b'\n').count();
//!         true
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
//! * With any number of threads the outputs are the same, in the same order.
//!   Only the boundaries between outputs may differ.
//! * At most four jobs per thread are in flight. A job is a segment, a range of
//!   a large file, or a batch of small files. A range is read one segment at a
//!   time. So memory is bounded by the segments, the outputs ([`Outbox::send`]),
//!   and the windows of decompressors ([`Limits`]).
//! * Everything that can be read is processed. A [`Fault`] is a value beside
//!   the output. It ends at most its own file.
//! * A read error ends its text in a [hole](End::Hole). Plain text continues at
//!   the next place that no URL can span. An mbox continues with its next
//!   message. Other files end [broken](End::Broken). So do streams, the texts
//!   of [`EngineBuilder::whole_files`], and files with more than 1 MiB of
//!   unreadable bytes in one place. All this is the same for any number of
//!   threads.
//! * A file also ends broken if it becomes shorter while it is read, if it is
//!   compressed and truncated, or if a worker panics in it. Nothing after that
//!   place is delivered.
//!
//! Other programs may change a maildir while it is read. No message of it is
//! lost or read twice. If a message was moved or renamed, the engine finds it
//! by the part of its name that never changes.
//!
//! The engine has its own code to walk folders. It skips virtual file systems
//! (`/proc`), and the undelivered messages of a maildir.

mod control;
mod convert;
mod fault;
mod feed;
mod maildir;
mod members;
mod open;
mod plan;
mod run;
mod segments;
#[cfg(test)]
mod tests;
mod walk;
mod work;
mod worker;

use std::fs::Metadata;
use std::io::{self, Read};
use std::path::PathBuf;
use std::sync::Arc;

use crate::ranges::ReadAt;
use urlgrep_containers::ReadAs;

pub use urlgrep_unpack::{Limits, UnpackFaultKind, is_packed};

pub use control::{Control, Progress};
pub use convert::{Convert, Converted};
pub use fault::{Fault, FaultKind};
pub use walk::Entry;
pub use worker::{End, Kind, Outbox, Piece, Worker};

// For the ledger.
#[doc(hidden)]
pub use maildir::parts as message_of_maildir;
#[doc(hidden)]
pub use open::{FileId, file_id};
#[doc(hidden)]
pub use walk::Choice;

/// The segment size of large files. It is small enough for the processor's
/// cache, and large enough to make the cost of the hand-over negligible.
const SEGMENT: usize = 256 << 10;

/// An input.
#[non_exhaustive]
pub enum Input {
    /// A file, or a folder with all files in it.
    Path(PathBuf),
    /// The current folder. The paths of its files begin with the names of its
    /// entries, without `./`.
    Here,
    /// Standard input.
    Stdin,
    /// A named stream. A thread of the engine reads it.
    Reader(Vec<u8>, Box<dyn Read + Send>),
    /// A named source that can be read at any offset.
    Source(Vec<u8>, Arc<dyn Source>),
    /// A fault that the caller had with an input. It is delivered in order.
    Fault(Fault),
}

impl From<PathBuf> for Input {
    fn from(path: PathBuf) -> Input {
        Input::Path(path)
    }
}

impl From<String> for Input {
    fn from(path: String) -> Input {
        Input::Path(path.into())
    }
}

impl From<&str> for Input {
    fn from(path: &str) -> Input {
        Input::Path(path.into())
    }
}

/// A source that several threads can read.
pub trait Source: ReadAt + Send + Sync {}

impl<T: ReadAt + Send + Sync + ?Sized> Source for T {}

/// What the consumer receives: an output, and the faults that occurred before
/// its end.
#[derive(Debug)]
#[non_exhaustive]
pub struct Delivery<'d, O> {
    /// The output of the next piece or pieces. The consumer empties it. The
    /// allocation can be kept for reuse.
    pub output: &'d mut O,
    /// The faults. What the consumer leaves is dropped. A fault that the walk
    /// meets, such as a missing file, may come before the faults of files that the
    /// workers are still reading.
    pub faults: &'d mut Vec<Fault>,
    /// The number of special files that were skipped since the last delivery:
    /// devices, links and the like. A walk meets them ahead of the workers, so
    /// they may be counted before the files near them are delivered.
    pub passed_over: u64,
    file: Option<&'d feed::FileRef>,
}

impl<O> Delivery<'_, O> {
    /// Stops reading this file soon, if it is a large one. A few more outputs
    /// may come.
    pub fn skip_file(&self) {
        if let Some(file) = self.file {
            file.stop();
        }
    }
}

/// The state that all threads share.
#[derive(Debug)]
struct Shared {
    settings: Settings,
    walk: Arc<walk::WalkOptions>,
    control: Control,
    moved: Arc<maildir::Moved>,
    convert: Option<Arc<dyn Convert>>,
}

#[derive(Clone, Debug)]
struct Settings {
    threads: usize,
    segment: usize,
    start: u64,
    end: Option<u64>,
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

/// Settings of an [`Engine`].
#[derive(Clone, Debug)]
pub struct EngineBuilder {
    settings: Settings,
    walk: walk::WalkOptions,
    control: Control,
    convert: Option<Arc<dyn Convert>>,
}

impl Default for EngineBuilder {
    fn default() -> EngineBuilder {
        EngineBuilder {
            settings: Settings {
                threads: available_threads(),
                segment: SEGMENT,
                start: 0,
                end: None,
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
            walk: walk::WalkOptions::default(),
            control: Control::default(),
            convert: None,
        }
    }
}

/// The parallelism of the machine. 1 if it is not known.
fn available_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

impl EngineBuilder {
    /// The number of threads. 0 means all, as the default does: the available parallelism
    /// of the machine.
    #[must_use]
    pub fn threads(mut self, number: usize) -> Self {
        self.settings.threads = match number {
            0 => available_threads(),
            number => number,
        };
        self
    }

    /// The size of a segment of a large file in bytes. Default: 256 KiB.
    #[must_use]
    pub fn segment(mut self, bytes: usize) -> Self {
        self.settings.segment = bytes.max(1);
        self
    }

    /// The offset from which regular files and standard input are read.
    /// Default: 0.
    ///
    /// Plain text is read from that byte on. An mbox is read from the first
    /// message at or after it. Offsets are those of the file. Lines and
    /// messages have no numbers. Some inputs cannot be read from an offset: a
    /// compressed file, a file that is shorter, a single message, a pipe. Each
    /// of them becomes a [`Fault`].
    #[must_use]
    pub fn start(mut self, offset: u64) -> Self {
        self.settings.start = offset;
        self
    }

    /// The byte at which reading ends. With it, reading begins at a place where the file can be
    /// cut, too: the first one at or after each of the two offsets. So any partition of a file
    /// gives each hit once. A message belongs to the range in which the line before it begins. What
    /// cannot be cut belongs to the range that begins at 0.
    #[must_use]
    pub fn end(mut self, offset: Option<u64>) -> Self {
        self.settings.end = offset;
        self
    }

    /// The format of all files. Default: it is recognised by the first bytes of
    /// each file.
    #[must_use]
    pub fn read_as(mut self, what: ReadAs) -> Self {
        self.settings.read_as = what;
        self
    }

    /// Whether mail is recognised. If not, every file is [`Kind::Text`].
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

    /// Whether a piece that begins a text has a line number. With several
    /// threads a large file is then read twice. Default: no. The line of a hit
    /// is then `None`, except in the first text of a file.
    #[must_use]
    pub fn lines(mut self, yes: bool) -> Self {
        self.settings.lines = yes;
        self
    }

    /// Whether a piece that begins a text has a message number. With several
    /// threads a large mailbox is then read twice. Default: no. Messages then
    /// have no number, except in the first text of a file.
    #[must_use]
    pub fn numbers(mut self, yes: bool) -> Self {
        self.settings.numbers = yes;
        self
    }

    /// Whether each file is one text. The text may come in several pieces.
    /// Default: no.
    #[must_use]
    pub fn whole_files(mut self, yes: bool) -> Self {
        self.settings.whole = yes;
        self
    }

    /// Whether the bytes of a stream are processed as soon as they arrive, in
    /// one thread. Default: no.
    #[must_use]
    pub fn interactive(mut self, yes: bool) -> Self {
        self.settings.interactive = yes;
        self
    }

    /// Whether an output may be as long as its piece. Jobs are then smaller, so
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

    /// The maximum depth of folders. 1 means only the files in the folder
    /// itself. Default: no limit.
    #[must_use]
    pub fn max_depth(mut self, depth: Option<usize>) -> Self {
        self.walk.max_depth = depth;
        self
    }

    /// Whether the entries of a folder are sorted by the bytes of their names.
    /// Default: no, they come in the order of the operating system.
    #[must_use]
    pub fn sort(mut self, yes: bool) -> Self {
        self.walk.sort = yes;
        self
    }

    /// Selects entries of folders: the files to read and the folders to enter.
    /// Default: all.
    #[must_use]
    pub fn filter(mut self, accept: impl Fn(&Entry<'_>) -> bool + Send + Sync + 'static) -> Self {
        self.walk.filter = Some(Arc::new(accept));
        self
    }

    /// Decides about each regular file by its path and metadata. This applies
    /// to files that are named or found in folders. `choose` is called on the
    /// thread that walks, in the order of the input. Default: [`Choice::Read`].
    pub fn choose(
        mut self,
        choose: impl Fn(&std::path::Path, &std::fs::Metadata) -> Choice + Send + Sync + 'static,
    ) -> Self {
        self.walk.choose = Some(Arc::new(choose));
        self
    }

    /// Converts regular files, and attachments of messages, before they are searched.
    /// Members of archives and streams are not converted. Default: nothing is.
    /// Attachments are converted only by a worker that uses [`Piece::search`].
    #[must_use]
    pub fn convert(mut self, convert: impl Convert + 'static) -> Self {
        self.convert = Some(Arc::new(convert));
        self
    }

    /// The metadata of a file that is not read, under whatever path it is met. It
    /// is meant for the output file, which must not grow by its own content.
    /// Default: none.
    #[must_use]
    pub fn output(mut self, file: Option<&Metadata>) -> Self {
        self.walk.output = file.and_then(open::file_id);
        self
    }

    /// A handle that reports the progress of the run and can stop it.
    #[must_use]
    pub fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    /// The container of a file. `None` if the file cannot be read, or must be
    /// unpacked or converted from UTF-16.
    pub fn container(&self, file: &std::fs::File) -> Option<urlgrep_containers::Container> {
        let is_undecided = |head: &[u8]| self.settings.is_undecided(head);
        let (head, eof) = crate::ranges::head(file, is_undecided).ok()?;
        let kind = self.settings.kind(&head, eof);
        let is_read = kind != Kind::Utf16 && !self.settings.is_packed(&head);
        is_read.then(|| kind.container())
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
                convert: self.convert,
            }),
        }
    }
}

/// Walks folders, unpacks, cuts, and runs workers. See the module
/// documentation.
#[derive(Debug)]
pub struct Engine {
    shared: Arc<Shared>,
}

impl Default for Engine {
    /// An engine with default settings.
    fn default() -> Engine {
        EngineBuilder::default().build()
    }
}

impl Engine {
    /// Begins the settings of an engine.
    #[must_use]
    pub fn builder() -> EngineBuilder {
        EngineBuilder::default()
    }

    /// Processes `inputs`, such as paths. `make` creates the worker of each
    /// thread. It is called on these threads, so settings must be moved or
    /// copied into it. `consume` receives the outputs in order, on the calling
    /// thread, and can borrow. It returns whether to continue.
    ///
    /// # Errors
    ///
    /// Only if the operating system cannot create threads. An input that fails
    /// becomes a [`Fault`].
    pub fn run<W, C>(
        &self,
        inputs: impl IntoIterator<Item: Into<Input> + 'static, IntoIter: Send + 'static>,
        make: impl Fn() -> W + Send + Sync + 'static,
        consume: C,
    ) -> io::Result<()>
    where
        W: Worker + Send + 'static,
        C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
    {
        let feeder = feed::Feeder::new(&self.shared, inputs);
        run::threads(Arc::new(make), &self.shared, feeder, consume)
    }

    /// As [`Engine::run`], but only on the calling thread and with this worker.
    /// After a panic the same worker continues with the next piece that begins
    /// a text.
    pub fn run_here<W, C>(
        &self,
        inputs: impl IntoIterator<Item: Into<Input> + 'static, IntoIter: Send + 'static>,
        worker: W,
        consume: C,
    ) where
        W: Worker,
        C: FnMut(&mut Delivery<'_, W::Output>) -> bool,
    {
        let feeder = feed::Feeder::new(&self.shared, inputs);
        let hand = work::Hand::new(worker, None, &self.shared);
        run::alone(hand, feeder, None, consume);
    }
}
