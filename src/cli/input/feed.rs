//! Turns paths into work: batches of small files, which a worker opens and
//! reads, and segments of everything else, in order. A stream is read here; of
//! a large file that several workers search each reads its own segments.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::cut::{Cut, Cutter, Segment};
use super::leaves::{Leaf, Leaves, Next};
use super::plan::Plan;
use super::walk::{Found, Walk, file_id, is_special};
use super::{Fault, path_bytes};
use crate::cli::config::{Config, PathList};
use crate::mail::{Container, SNIFF, is_undecided, sniff};
use crate::unpack::{self, Sniff, Source, utf16};

/// How many files a batch holds at most, and how many segments they fill: so
/// many that handing it over costs little beside searching it, so few that the
/// first are soon printed.
const BATCH: usize = 128;
const BATCH_SEGMENTS: u64 = 4;
/// How much of a segment is searched for a place to cut where nothing is won
/// by cutting but that a stretch is searched without being copied.
const REACH: usize = 32 << 10;

/// What a worker is given.
pub enum Work {
    /// Small files.
    Batch(Batch),
    /// A segment of a stream.
    Piece(Piece),
    /// Segments of a file.
    Range(Box<Range>),
    /// Nothing: there are only faults to be reported.
    Nothing,
}

/// Small files, to be opened and read one after the other.
#[derive(Debug)]
pub struct Batch {
    pub files: Vec<Small>,
    /// How many of them are done.
    pub next: usize,
    /// To read them into.
    pub buffer: Vec<u8>,
}

/// A regular file that was not long when it was found.
#[derive(Debug)]
pub struct Small {
    pub path: PathBuf,
    pub len: u64,
}

/// A segment of a stream, or of a file.
#[derive(Debug)]
pub struct Piece {
    pub file: Arc<FileRef>,
    /// The segment is a range of it.
    pub buffer: Vec<u8>,
    pub segment: Segment,
}

/// Segments of a file, to be read one after the other.
pub struct Range {
    pub file: Arc<FileRef>,
    /// Reads them.
    pub cutter: Cutter,
    /// The segment that is being searched.
    pub piece: Option<Piece>,
}

/// How the bytes of a file are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// As they stand.
    Text,
    /// They were UTF-16, and are UTF-8 by now: offsets are not the file's.
    Utf16,
    /// As messages, in this container.
    Mail(Container),
}

impl Kind {
    /// What the first bytes of a stream say; `eof` if there are no more.
    pub fn of(head: &[u8], eof: bool, config: &Config) -> Kind {
        if utf16::is_marked(head) {
            return Kind::Utf16;
        }
        if !config.decodes() {
            return Kind::Text;
        }
        let head = &head[..head.len().min(SNIFF)];
        match sniff(head, eof && head.len() < SNIFF, config.mail.read_as) {
            Container::Text => Kind::Text,
            container => Kind::Mail(container),
        }
    }

    /// What [`Kind::name`] can be, in the order in which they are counted.
    pub const NAMES: [&'static str; 17] = [
        "text",
        "utf-16",
        "message",
        "wire",
        "emlx",
        "a-news",
        "mbox",
        "mbox-dots",
        "mbox-number",
        "mbox-dash",
        "mbox-any",
        "rnews",
        "cunbatch",
        "gunbatch",
        "zunbatch",
        "nntp",
        "git-cat-file",
    ];

    /// The name that is printed.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Utf16 => "utf-16",
            Kind::Mail(container) => container.name(),
        }
    }
}

/// A file of which segments are handed out.
#[derive(Debug)]
pub struct FileRef {
    /// As it was named or walked; `None` is standard input.
    pub path: Option<Vec<u8>>,
    pub kind: Kind,
    /// Nothing more of it is wanted.
    pub stop: AtomicBool,
}

impl FileRef {
    /// True once nothing more of the file is wanted.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Work, and what went wrong before it was found.
pub struct Job {
    pub work: Work,
    pub faults: Vec<Fault>,
    /// How many devices, links and the like were passed over.
    pub special: u64,
    /// More may be long in coming: what is there is to be dealt with at once.
    pub urgent: bool,
}

/// What segments come from.
enum Segments {
    /// A stream that is read as it is cut.
    Read(Box<Cutter>),
    /// A file that the workers read.
    Planned(Box<Plan>),
}

/// Finds and reads, in order.
pub struct Feeder {
    config: Arc<Config>,
    paths: std::vec::IntoIter<PathBuf>,
    is_first: bool,
    lists: std::vec::IntoIter<PathList>,
    list: Option<(PathBuf, u8, Box<dyn BufRead + Send>)>,
    walk: Option<Walk>,
    stream: Option<(Arc<FileRef>, Segments)>,
    /// A stream that comes after the batch.
    waiting: Option<(Arc<FileRef>, Segments)>,
    /// A packed file whose leaves are streams of their own, and how they may
    /// be cut.
    leaves: Option<(Leaves, Cut)>,
    batch: Vec<Small>,
    /// How many bytes the batch has.
    batch_len: u64,
    faults: Vec<Fault>,
    special: u64,
}

impl Feeder {
    /// Everything that `config` says is to be searched.
    pub fn new(config: &Arc<Config>) -> Feeder {
        Feeder {
            paths: config.paths.clone().into_iter(),
            is_first: true,
            lists: config.lists.clone().into_iter(),
            list: None,
            config: Arc::clone(config),
            walk: None,
            stream: None,
            waiting: None,
            leaves: None,
            batch: Vec::new(),
            batch_len: 0,
            faults: Vec::new(),
            special: 0,
        }
    }

    /// The next work. `buffer` goes with it, to be used again.
    pub fn next(&mut self, mut buffer: Vec<u8>) -> Option<Job> {
        loop {
            if let Some((file, segments)) = &mut self.stream {
                let file = Arc::clone(file);
                let stopped = file.is_stopped();
                let (work, urgent) = match segments {
                    Segments::Read(cutter) => {
                        let segment = if stopped {
                            cutter.abandon()
                        } else {
                            cutter.next(&mut buffer)
                        };
                        let work = segment.map(|segment| {
                            Work::Piece(Piece {
                                file,
                                buffer: std::mem::take(&mut buffer),
                                segment,
                            })
                        });
                        (work, cutter.is_urgent())
                    }
                    Segments::Planned(plan) => {
                        let cutter = if stopped { plan.abandon() } else { plan.next() };
                        let work = cutter.map(|cutter| Range {
                            file,
                            cutter,
                            piece: None,
                        });
                        (work.map(|range| Work::Range(Box::new(range))), false)
                    }
                };
                if let Some(work) = work {
                    return Some(self.job(work, urgent));
                }
                self.stream = None;
            }
            self.stream = self.waiting.take();
            if self.stream.is_some() {
                continue;
            }
            let more = self.find();
            let most = BATCH_SEGMENTS * self.config.segment as u64;
            let full = self.batch.len() >= BATCH || self.batch_len > most;
            if !self.batch.is_empty() && (full || !more || self.waiting.is_some()) {
                self.batch_len = 0;
                let files = std::mem::take(&mut self.batch);
                return Some(self.job(
                    Work::Batch(Batch {
                        files,
                        next: 0,
                        buffer,
                    }),
                    false,
                ));
            }
            if !more {
                if self.faults.is_empty() && self.special == 0 {
                    return None;
                }
                return Some(self.job(Work::Nothing, false));
            }
        }
    }

    fn job(&mut self, work: Work, urgent: bool) -> Job {
        Job {
            work,
            faults: std::mem::take(&mut self.faults),
            special: std::mem::take(&mut self.special),
            urgent,
        }
    }

    /// Finds one thing to search, or what stands in its way. Returns false if
    /// there is nothing more.
    fn find(&mut self) -> bool {
        if let Some((leaves, cut)) = &mut self.leaves {
            let cut = *cut;
            match leaves.next(&self.config) {
                Some(Next::Leaf(leaf)) => self.cut(leaf, cut),
                Some(Next::Fault(fault)) => self.faults.push(fault),
                None => self.leaves = None,
            }
            return true;
        }
        if let Some(walk) = &mut self.walk {
            match walk.next() {
                Some(Found::File(path, len)) => self.file(path, len),
                Some(Found::Special) => self.special += 1,
                Some(Found::Fault(fault)) => self.faults.push(fault),
                None => self.walk = None,
            }
            return true;
        }
        if let Some(path) = self.paths.next() {
            let hint = std::mem::take(&mut self.is_first);
            self.named(path, hint);
            return true;
        }
        if let Some((name, end, list)) = &mut self.list {
            let mut line = Vec::new();
            match list.read_until(*end, &mut line) {
                Ok(0) => self.list = None,
                Ok(_) => {
                    if line.last() == Some(end) {
                        line.pop();
                    }
                    if !line.is_empty() {
                        self.named(os_string(line).into(), false);
                    }
                }
                Err(error) => {
                    self.faults.push(Fault::new(name, &error));
                    self.list = None;
                }
            }
            return true;
        }
        let Some(PathList { file, end }) = self.lists.next() else {
            return false;
        };
        let path = PathBuf::from(file);
        let opened: io::Result<Box<dyn Read + Send>> = if path.as_os_str() == "-" {
            Ok(stdin().0)
        } else {
            File::open(&path).map(|f| Box::new(f) as _)
        };
        match opened {
            Ok(rdr) => self.list = Some((path, end, Box::new(BufReader::new(rdr)))),
            Err(error) => self.faults.push(Fault::new(&path, &error)),
        }
        true
    }

    /// A path that was named, not found in a folder.
    fn named(&mut self, path: PathBuf, hint: bool) {
        if path.as_os_str() == "-" {
            let (rdr, regular) = stdin();
            self.stream(None, Source::Reader(rdr), regular, None);
            return;
        }
        let meta = match fs::metadata(&path) {
            Ok(meta) => meta,
            Err(error) => {
                let mut fault = Fault::new(&path, &error);
                if error.kind() == io::ErrorKind::NotFound
                    && (is_pattern(&path) || (hint && is_word(&path)))
                {
                    fault
                        .text
                        .push_str(" (a pattern goes after -e, a host after --host)");
                }
                self.faults.push(fault);
                return;
            }
        };
        if meta.is_dir() {
            let config = &self.config;
            self.walk = Some(Walk::new(
                Arc::clone(&config.walk),
                config.output_id,
                &path,
                &meta,
                config.implied,
            ));
        } else if self.is_output(&meta) {
            self.faults.push(Fault::new(
                &path,
                &io::Error::other("the output goes to this file"),
            ));
        } else if is_special(meta.file_type()) {
            self.open(&path, false);
        } else {
            self.file(path, meta.len());
        }
    }

    fn is_output(&self, meta: &Metadata) -> bool {
        self.config.output_id.is_some() && file_id(meta) == self.config.output_id
    }

    /// A regular file.
    fn file(&mut self, path: PathBuf, len: u64) {
        if len <= self.config.segment as u64 {
            self.batch.push(Small { path, len });
            self.batch_len += len;
        } else {
            self.open(&path, true);
        }
    }

    fn open(&mut self, path: &Path, regular: bool) {
        match File::open(path) {
            Ok(file) => {
                let config = &self.config;
                let shared = regular && Plan::CAN && config.threads > 1 && config.searches();
                // Without a second handle it is read as a stream is.
                let shared = shared.then(|| file.try_clone().ok()).flatten();
                self.stream(path_bytes(path), file.into(), regular, shared);
            }
            Err(error) => self.faults.push(Fault::new(path, &error)),
        }
    }

    /// What comes after the batch. `shared` is another handle of it if the
    /// workers may read it.
    fn stream(
        &mut self,
        path: Option<Vec<u8>>,
        mut source: Source,
        regular: bool,
        shared: Option<File>,
    ) {
        let config = Arc::clone(&self.config);
        let cut = if !regular && (config.line_buffered || config.terminal) {
            Cut::AsItComes
        } else if config.has_context() {
            Cut::Nowhere
        } else {
            Cut::Ground
        };
        let mut head = Vec::new();
        let enough = |head: &[u8]| {
            cut == Cut::AsItComes
                && unpack::sniff(head, false) != Sniff::Short
                && !(config.decodes() && is_undecided(head, config.mail.read_as))
        };
        let ended = match read_head(&mut source, &mut head, enough) {
            Ok(ended) => ended,
            Err(error) => {
                // What was read is searched; the next read meets the error.
                if head.is_empty() {
                    self.faults.push(Fault::at(path.as_deref(), 0, &error));
                    return;
                }
                false
            }
        };
        if Leaves::is_packed(&head, ended, &config) {
            let leaves = Leaves::new(source, head, path.as_deref(), &config);
            self.leaves = Some((leaves, cut));
            return;
        }
        let kind = Kind::of(&head, ended, &config);
        let is_utf16 = utf16::is_marked(&head);
        if let (Some(file), false, Cut::Ground) = (shared, is_utf16, cut) {
            let container = match kind {
                Kind::Mail(container) => Some(container),
                Kind::Text | Kind::Utf16 => None,
            };
            let plan = Plan::new(file, container, &config);
            self.wait(path, kind, Segments::Planned(Box::new(plan)));
            return;
        }
        let rdr = match source {
            Source::Seek(rdr) => Box::new(rdr) as Box<dyn Read + Send>,
            Source::Reader(rdr) => rdr,
        };
        let rdr = io::Cursor::new(head).chain(rdr);
        let rdr: Box<dyn Read + Send> = match is_utf16 {
            true => Box::new(utf16::reader(rdr)),
            false => Box::new(rdr),
        };
        self.cut(Leaf { path, kind, rdr }, cut);
    }

    /// A stream whose segments are to be handed out, after the batch.
    fn cut(&mut self, leaf: Leaf, cut: Cut) {
        let config = &self.config;
        let alone = config.threads == 1;
        let reach = if alone { REACH } else { config.segment };
        let cut = match leaf.kind {
            // Messages are looked for by whoever searches them. To find them
            // here as well pays only if somebody else goes on in the meantime.
            Kind::Mail(_) if alone && cut == Cut::Ground => Cut::Nowhere,
            _ => cut,
        };
        let mut cutter = Cutter::new(leaf.rdr, config.segment, reach, cut, config.line);
        if let Kind::Mail(container) = leaf.kind {
            cutter = cutter.messages(container);
        }
        self.wait(leaf.path, leaf.kind, Segments::Read(Box::new(cutter)));
    }

    /// Segments that are to be handed out after the batch.
    fn wait(&mut self, path: Option<Vec<u8>>, kind: Kind, segments: Segments) {
        let file = FileRef {
            path,
            kind,
            stop: AtomicBool::new(false),
        };
        self.waiting = Some((Arc::new(file), segments));
    }
}

/// Reads the first bytes of a stream, as many as tell how it is to be read, or
/// no more than are `enough`. Returns whether that is all there is.
fn read_head(
    source: &mut Source,
    head: &mut Vec<u8>,
    enough: impl Fn(&[u8]) -> bool,
) -> io::Result<bool> {
    let rdr: &mut dyn Read = match source {
        Source::Seek(rdr) => rdr,
        Source::Reader(rdr) => rdr,
    };
    let mut filled = 0;
    head.resize(SNIFF, 0);
    loop {
        if filled == SNIFF || (filled > 0 && enough(&head[..filled])) {
            head.truncate(filled);
            return Ok(false);
        }
        match rdr.read(&mut head[filled..]) {
            Ok(0) => {
                head.truncate(filled);
                return Ok(true);
            }
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => {
                head.truncate(filled);
                return Err(e);
            }
        }
    }
}

/// Standard input without a buffer of its own, and whether it is a regular
/// file.
fn stdin() -> (Box<dyn Read + Send>, bool) {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        if let Ok(fd) = io::stdin().as_fd().try_clone_to_owned() {
            let file = File::from(fd);
            let regular = file.metadata().is_ok_and(|meta| meta.is_file());
            return (Box::new(file), regular);
        }
    }
    (Box::new(io::stdin()), false)
}

/// A path from its bytes.
pub fn os_string(bytes: Vec<u8>) -> OsString {
    #[cfg(unix)]
    {
        std::os::unix::ffi::OsStringExt::from_vec(bytes)
    }
    #[cfg(not(unix))]
    {
        String::from_utf8_lossy(&bytes).into_owned().into()
    }
}

/// True for what is hardly a file's name.
fn is_pattern(path: &Path) -> bool {
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().any(|b| b"*?[](){}|^$\\+".contains(b)) || bytes.windows(3).any(|w| w == b"://")
}

/// True for what may as well be a word to search for.
fn is_word(path: &Path) -> bool {
    !path.as_os_str().as_encoded_bytes().contains(&b'/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_look_like_patterns() {
        for yes in ["^http", "*.org", "http://a.example/", "a|b"] {
            assert!(is_pattern(Path::new(yes)), "{yes}");
        }
        for no in ["mail/inbox.mbox", "a-b_c.txt", "-"] {
            assert!(!is_pattern(Path::new(no)), "{no}");
        }
    }
}
