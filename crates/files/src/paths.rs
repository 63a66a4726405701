//! The URLs of files and folders, in the order of the input, found by all processors.
//!
//! Each thread searches pieces of files, and copies what it finds. The calling thread gets the
//! copies, in order, and lends them to the closure of the caller.

use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use crate::engine::{Engine, EngineBuilder, Fault, FaultKind, Input, Outbox, Piece, Worker};
use urlgrep_containers::ReadAs;
use urlgrep_find::Hit;
use urlgrep_mail::MessageInfo;
use urlgrep_search::{Match, Message, Place, Record, Searcher, SearcherBuilder, Visitor, go_on};

/// The approximate size in bytes of the copies that a thread collects before it sends them.
const ENOUGH: usize = 64 << 10;

/// Settings of [`search_paths`].
#[derive(Clone, Debug)]
pub struct Options {
    engine: EngineBuilder,
    searcher: SearcherBuilder,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            engine: Engine::builder().sort(true).lines(true).numbers(true),
            searcher: SearcherBuilder::default(),
        }
    }
}

impl Options {
    /// How each file is searched: the profile, the header fields, the forms of URLs and more.
    #[must_use]
    pub fn searcher(mut self, builder: SearcherBuilder) -> Self {
        self.searcher = builder;
        self
    }

    /// The number of threads. It changes no result. 0 means all, as the default does: the
    /// available parallelism of the machine.
    #[must_use]
    pub fn threads(mut self, number: usize) -> Self {
        self.engine = self.engine.threads(number);
        self
    }

    /// The format of all files. Default: it is recognised by the first bytes of each file.
    #[must_use]
    pub fn read_as(mut self, what: ReadAs) -> Self {
        self.engine = self.engine.read_as(what);
        self
    }

    /// Whether compressed files and archives are unpacked. Default: yes.
    #[must_use]
    pub fn decompress(mut self, yes: bool) -> Self {
        self.engine = self.engine.decompress(yes);
        self
    }
}

/// Searches files, and folders with all files in them. Gives each hit to `each`, with its file,
/// its place and its message. `each` says whether to continue.
///
/// The hits come on the calling thread, in the order of `paths`, with any number of threads.
/// The entries of a folder are ordered by the bytes of their names. Compressed files and
/// archives are unpacked.
///
/// ```
/// use std::ops::ControlFlow;
/// use urlgrep::{Options, search_paths};
///
/// let mut urls = Vec::new();
/// search_paths(["src"], Options::default(), |m| {
///     urls.push(m.hit.to_string());
///     ControlFlow::Continue(())
/// })?;
/// assert!(!urls.is_empty());
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// An input that could not be read, or not to its end: a missing file, a damaged archive. All
/// others have been searched. If there are several, the error is the first one, and says how
/// many others there are. If `each` ends the search, there is no error, because it depends on
/// the threads which files have been read by then.
///
/// If the operating system cannot create threads, nothing is searched.
///
/// # Complexity
///
/// Linear in the input. Memory is bounded for each thread: four pieces of a file, at most 64 KiB
/// of hits, and one hit more.
pub fn search_paths<P: Into<PathBuf>>(
    paths: impl IntoIterator<Item = P>,
    options: Options,
    mut each: impl FnMut(&Record<'_>) -> ControlFlow<()>,
) -> io::Result<()> {
    let inputs: Vec<Input> = paths
        .into_iter()
        .map(|path| Input::Path(path.into()))
        .collect();
    let Options { engine, searcher } = options;
    let (mut first, mut others) = (None, 0u64);
    let mut is_open = true;
    let make = move || Finder(searcher.build());
    engine.build().run(inputs, make, |delivery| {
        is_open = is_open && delivery.output.lend(&mut each).is_continue();
        delivery.output.clear();
        for fault in delivery.faults.drain(..) {
            if first.is_none() {
                first = Some(fault);
            } else {
                others += 1;
            }
        }
        is_open
    })?;
    match first {
        Some(fault) if is_open => Err(error(&fault, others)),
        _ => Ok(()),
    }
}

/// The error for a fault, and a number of others.
fn error(fault: &Fault, others: u64) -> io::Error {
    let kind = match fault.kind {
        FaultKind::Io(kind) => kind,
        FaultKind::Unpack(_) => io::ErrorKind::InvalidData,
        FaultKind::Panic => io::ErrorKind::Other,
    };
    let text = match others {
        0 => fault.to_string(),
        1 => format!("{fault}, and 1 more fault"),
        _ => format!("{fault}, and {others} more faults"),
    };
    io::Error::new(kind, text)
}

/// Searches pieces.
struct Finder(Searcher);

impl Worker for Finder {
    type Output = Found;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Found>) -> bool {
        piece.search(&mut self.0, &mut Take { piece, out })
    }
}

/// Copies hits.
struct Take<'p, 'o> {
    piece: &'p Piece<'p>,
    out: &'p mut Outbox<'o, Found>,
}

impl Visitor for Take<'_, '_> {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.out.push(self.piece, found);
        go_on(self.out.size < ENOUGH || self.out.send())
    }
}

/// Copies of hits, with their files and messages.
#[derive(Debug, Default)]
struct Found {
    /// The path of each file, and the name of the format in which it was read.
    files: Vec<(Option<Vec<u8>>, &'static str)>,
    messages: Vec<CopiedMessage>,
    hits: Vec<CopiedHit>,
    /// The approximate memory of the copies in bytes.
    size: usize,
}

/// A hit, with the indexes of its message and of its file.
#[derive(Debug)]
struct CopiedHit {
    hit: Hit,
    place: Place,
    message: Option<usize>,
    file: usize,
}

/// A message and its header.
#[derive(Debug)]
struct CopiedMessage {
    number: Option<u64>,
    separator: u64,
    start: u64,
    line: Option<u64>,
    end: Option<u64>,
    info: MessageInfo,
}

impl CopiedMessage {
    fn of(message: &Message<'_>) -> CopiedMessage {
        CopiedMessage {
            number: message.number,
            separator: message.separator,
            start: message.start,
            line: message.line,
            end: message.end,
            info: message.info.clone(),
        }
    }

    fn lend(&self) -> Message<'_> {
        Message {
            number: self.number,
            separator: self.separator,
            start: self.start,
            line: self.line,
            end: self.end,
            info: &self.info,
        }
    }

    fn is(&self, message: &Message<'_>) -> bool {
        let other = self.lend();
        (other.start, other.end, other.info) == (message.start, message.end, message.info)
    }
}

impl Found {
    fn push(&mut self, piece: &Piece<'_>, found: &Match<'_>) {
        let (path, kind) = (piece.path, piece.kind.name());
        let is_new = |(last, name): &(Option<Vec<u8>>, _)| last.as_deref() != path || *name != kind;
        if self.files.last().is_none_or(is_new) {
            self.files.push((path.map(<[u8]>::to_vec), kind));
            self.size += path.map_or(0, <[u8]>::len);
        }
        let file = self.files.len() - 1;
        let message = found.message.map(|message| {
            // The last message of another file may be the same one.
            let is_same = self.hits.last().is_some_and(|hit| hit.file == file);
            if !is_same || self.messages.last().is_none_or(|last| !last.is(&message)) {
                self.messages.push(CopiedMessage::of(&message));
                self.size += size_of::<CopiedMessage>() + message.info.weight();
            }
            self.messages.len() - 1
        });
        self.hits.push(CopiedHit {
            hit: found.hit.clone(),
            place: found.place.clone(),
            message,
            file,
        });
        self.size += size_of::<(Hit, Place)>() + found.weight();
    }

    fn lend(&self, each: &mut impl FnMut(&Record<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
        for copied in &self.hits {
            let (path, kind) = &self.files[copied.file];
            let found = Match {
                hit: &copied.hit,
                place: &copied.place,
                message: copied.message.map(|at| self.messages[at].lend()),
            };
            let record = Record {
                read_as: Some(kind),
                ..Record::new(path.as_deref(), found)
            };
            each(&record)?;
        }
        ControlFlow::Continue(())
    }

    fn clear(&mut self) {
        self.files.clear();
        self.messages.clear();
        self.hits.clear();
        self.size = 0;
    }
}
