//! Turns inputs into jobs, in order.
//!
//! There are three kinds of jobs. A *batch* is a list of small files, which a worker opens and
//! reads, or of small members of a packed file. A *range* is a part of a large file, which a
//! worker reads. A *segment* is a part of a stream, which is read here.

use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::control::Control;
use super::fault::{Fault, path_bytes};
use super::members::{Member, Members, NextMember, Whole};
use super::open::{self, Bytes, Counted, Head, Tail, file_id, text_reader};
use super::plan::Plan;
use super::segments::{CutPolicy, Segment, SegmentReader};
use super::walk::{Choice, Walk, Walked, is_special};
use super::worker::Kind;
use super::{Input, Settings, Shared};
use crate::ranges::ReadAt;
use crate::ranges::read::RangeReader;
use urlgrep_containers::{Container, Position};
use urlgrep_unpack::{Sniff, Source};

/// The maximum size of a batch: the number of files, and the bytes in segments.
/// It is large enough to amortise the hand-over and small enough for early
/// output.
const BATCH: usize = 128;
const BATCH_SEGMENTS: u64 = 4;

/// A member of an archive is held in memory if it is smaller than this part of a
/// segment. A batch has at most one segment of such bytes.
const HELD: usize = 4;

/// A job of a worker.
pub(super) enum Work {
    /// Small files and members, which are processed one after the other.
    Batch(Vec<Small>),
    /// A segment of a stream.
    Segment(Loaded),
    /// A part of a file. A worker reads its segments one after the other.
    Range(Arc<FileRef>, Box<SegmentReader>),
    /// No input, only faults to report.
    Nothing,
}

/// A part of a batch.
#[derive(Debug)]
pub(super) enum Small {
    /// A regular file that was small when it was found.
    File { path: PathBuf, len: u64 },
    /// A member of a packed file.
    Whole(Whole),
    /// A file that is converted.
    Convert { path: PathBuf, len: u64 },
    /// A fault between two members.
    Fault(Fault),
}

/// A segment that is in memory.
#[derive(Debug)]
pub(super) struct Loaded {
    pub file: Arc<FileRef>,
    /// The buffer. The segment is `segment.range` of it.
    pub buffer: Vec<u8>,
    pub segment: Segment,
}

/// A file that is handed out in parts.
#[derive(Debug)]
pub(super) struct FileRef {
    pub path: Option<Vec<u8>>,
    pub kind: Kind,
    pub size: Option<u64>,
    /// The consumer wants no more of the file.
    stop: AtomicBool,
    /// The file ended with a part whose output was delivered.
    ended: AtomicBool,
}

impl FileRef {
    pub(super) fn new(path: Option<Vec<u8>>, kind: Kind, size: Option<u64>) -> FileRef {
        FileRef {
            path,
            kind,
            size,
            stop: AtomicBool::new(false),
            ended: AtomicBool::new(false),
        }
    }

    /// Stops the reader of the file.
    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Ends the file with the part that was delivered last.
    pub(super) fn end(&self) {
        self.stop();
        self.ended.store(true, Ordering::Relaxed);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }
}

/// A job, and the faults before it.
pub(super) struct Job {
    pub work: Work,
    pub faults: Vec<Fault>,
    /// The number of special files that were skipped: devices, links and the
    /// like.
    pub passed_over: u64,
    /// The next read may block, so this job must be processed now.
    pub urgent: bool,
}

/// The source of the segments of a file.
enum Segments {
    /// A stream. It is read and cut here.
    Read(Box<SegmentReader>),
    /// A file that the workers read. Only its cuts are planned here.
    Planned(Box<Plan>),
}

/// Finds the inputs and reads the streams, in order.
pub(super) struct Feeder {
    shared: Arc<Shared>,
    inputs: Box<dyn Iterator<Item = Input> + Send>,
    walk: Option<Walk>,
    stream: Option<(Arc<FileRef>, Segments)>,
    /// A stream that comes after the batch in the input.
    waiting: Option<(Arc<FileRef>, Segments)>,
    /// The current packed file, and the policy for cutting its members.
    members: Option<(Members, CutPolicy)>,
    /// The path of the current file, for the fault of a panic.
    current: Option<Vec<u8>>,
    batch: Vec<Small>,
    /// The total size of the files and members in the batch.
    batch_len: u64,
    faults: Vec<Fault>,
    passed_over: u64,
    /// The buffer of the next segment.
    pub buffer: Vec<u8>,
}

impl Feeder {
    pub(super) fn new(
        shared: &Arc<Shared>,
        inputs: impl IntoIterator<Item: Into<Input> + 'static, IntoIter: Send + 'static>,
    ) -> Feeder {
        Feeder {
            shared: Arc::clone(shared),
            inputs: Box::new(inputs.into_iter().map(Into::into).fuse()),
            walk: None,
            stream: None,
            waiting: None,
            members: None,
            current: None,
            batch: Vec::new(),
            batch_len: 0,
            faults: Vec::new(),
            passed_over: 0,
            buffer: Vec::new(),
        }
    }

    pub(super) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    fn settings(&self) -> &Settings {
        &self.shared.settings
    }

    fn control(&self) -> &Control {
        &self.shared.control
    }

    /// The next job. If a decoder panics, the rest of its file is lost.
    pub(super) fn next(&mut self) -> Option<Job> {
        let next = std::panic::AssertUnwindSafe(|| self.try_next());
        match std::panic::catch_unwind(next) {
            Ok(job) => job,
            Err(payload) => {
                let open = self.stream.take();
                let path = open.as_ref().map(|(file, _)| file.path.clone());
                let path = path.unwrap_or_else(|| self.current.take());
                if open.is_none() && self.members.take().is_none() {
                    self.walk = None;
                }
                self.faults.push(Fault::panic(path.as_deref(), &*payload));
                // Tell the worker that its text ends here.
                let work = open.map_or(Work::Nothing, |(file, segments)| broken(file, segments));
                Some(self.job(work, false))
            }
        }
    }

    fn try_next(&mut self) -> Option<Job> {
        loop {
            if self.control().is_cancelled() {
                return None;
            }
            if let Some((file, segments)) = &mut self.stream {
                if let Some((work, urgent)) = next_work(file, segments, &mut self.buffer) {
                    return Some(self.job(work, urgent));
                }
                self.stream = None;
            }
            self.stream = self.waiting.take();
            if self.stream.is_some() {
                continue;
            }
            let more = self.find();
            let most = BATCH_SEGMENTS * self.settings().segment as u64;
            // A list may have millions of names of missing files.
            let has_many_faults = self.faults.len() >= BATCH;
            // The next member may come late.
            let urgent = matches!(self.members, Some((_, CutPolicy::AsItComes)));
            let full =
                self.batch.len() >= BATCH || self.batch_len > most || has_many_faults || urgent;
            if !self.batch.is_empty() && (full || !more || self.waiting.is_some()) {
                self.batch_len = 0;
                let files = std::mem::take(&mut self.batch);
                return Some(self.job(Work::Batch(files), urgent));
            }
            if !more || has_many_faults {
                if self.faults.is_empty() && self.passed_over == 0 {
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
            passed_over: std::mem::take(&mut self.passed_over),
            urgent,
        }
    }

    /// Looks for the next work: adds to the batch, opens a stream, or records a
    /// fault. Returns false at the end of the input.
    fn find(&mut self) -> bool {
        if let Some((members, cut)) = &mut self.members {
            let cut = *cut;
            let held = match cut {
                CutPolicy::AsItComes => 0,
                _ => self.shared.settings.segment / HELD,
            };
            match members.next(&self.shared.settings, held) {
                Some(NextMember::Member(member)) => self.cut(member, cut, None),
                Some(NextMember::Whole(whole)) => {
                    self.batch_len += BATCH_SEGMENTS * whole.bytes.len() as u64;
                    self.batch.push(Small::Whole(whole));
                }
                Some(NextMember::Fault(fault)) => self.batch.push(Small::Fault(fault)),
                None => self.members = None,
            }
            return true;
        }
        if let Some(walk) = &mut self.walk {
            match walk.next() {
                Some(Walked::File(path, len, choice)) => self.file(path, len, choice),
                Some(Walked::Special) => self.passed_over += 1,
                Some(Walked::Fault(fault)) => self.faults.push(fault),
                None => self.walk = None,
            }
            return true;
        }
        match self.inputs.next() {
            Some(Input::Path(path)) => self.named(path),
            Some(Input::Here) => match fs::metadata(".") {
                Ok(meta) => self.walk(Path::new("."), &meta, true),
                Err(error) => self.faults.push(Fault::new(Path::new("."), &error)),
            },
            Some(Input::Stdin) if self.settings().is_part() => match open::stdin_file() {
                Ok(file) => self.tail(None, Arc::new(file)),
                Err(error) => self.faults.push(Fault::broken(None, 0, None, &error)),
            },
            Some(Input::Stdin) => {
                let (rdr, regular) = open::stdin();
                let rdr = Counted::new(rdr, self.control(), true);
                self.stream(None, Source::Reader(Box::new(rdr)), regular);
            }
            Some(Input::Reader(path, rdr)) => {
                let rdr = Counted::new(rdr, self.control(), true);
                self.stream(Some(path), Source::Reader(Box::new(rdr)), false);
            }
            Some(Input::Source(path, src)) => self.at_source(path, src),
            Some(Input::Fault(fault)) => self.faults.push(fault),
            None => return false,
        }
        true
    }

    /// An input that the caller named by its path.
    fn named(&mut self, mut path: PathBuf) {
        let moved = &self.shared.moved;
        let meta = match moved.follow(&mut path, |path| fs::metadata(path)) {
            Ok(meta) => meta,
            Err(error) => {
                self.faults.push(Fault::new(&path, &error));
                return;
            }
        };
        if meta.is_dir() {
            self.walk(&path, &meta, false);
        } else if self.is_output(&meta) {
            let error = io::Error::other("the output goes to this file");
            self.faults.push(Fault::new(&path, &error));
        } else if is_special(meta.file_type()) && self.settings().is_part() {
            self.faults.push(Fault::new(&path, &open::no_tail()));
        } else if is_special(meta.file_type()) {
            self.open(path, false);
        } else {
            let choice = self.shared.walk.choose(&path, &meta);
            self.file(path, meta.len(), choice);
        }
    }

    fn walk(&mut self, path: &Path, meta: &Metadata, implied: bool) {
        let options = Arc::clone(&self.shared.walk);
        let moved = Arc::clone(&self.shared.moved);
        self.walk = Some(Walk::new(options, moved, path, meta, implied));
    }

    fn is_output(&self, meta: &Metadata) -> bool {
        let output = self.shared.walk.output;
        output.is_some() && file_id(meta) == output
    }

    /// A regular file of `len` bytes.
    fn file(&mut self, mut path: PathBuf, len: u64, choice: Choice) {
        let convert = self.shared.convert.as_ref();
        if choice != Choice::Skip && convert.is_some_and(|convert| convert.wants(&path, None)) {
            self.control().add_known(len);
            self.batch.push(Small::Convert { path, len });
            // Another worker may have the next file converted meanwhile.
            self.batch_len = u64::MAX;
            return;
        }
        match choice {
            Choice::Read => {}
            Choice::Skip => return,
            Choice::From(container, at) => return self.rest(path, container, at),
        }
        if self.settings().is_part() {
            match self.shared.moved.open(&mut path) {
                Ok(file) => self.tail(path_bytes(&path), Arc::new(file)),
                Err(error) => self.faults.push(Fault::new(&path, &error)),
            }
            return;
        }
        self.control().add_known(len);
        if len <= self.settings().segment as u64 {
            self.batch.push(Small::File { path, len });
            self.batch_len += len;
        } else {
            self.open(path, true);
        }
    }

    /// A file that is read from the position `at` on.
    fn rest(&mut self, mut path: PathBuf, container: Container, at: Position) {
        let file = match self.shared.moved.open(&mut path) {
            Ok(file) => Arc::new(file),
            Err(error) => return self.faults.push(Fault::new(&path, &error)),
        };
        let size = ReadAt::size(&*file).ok().flatten();
        self.control()
            .add_known(size.unwrap_or(0).saturating_sub(at.offset));
        let (kind, cut) = match container {
            Container::Text => (Kind::Text, CutPolicy::Free),
            container => (Kind::Mail(container), CutPolicy::Nowhere),
        };
        let rdr = Bytes::of(file, at.offset, u64::MAX, size, self.control());
        let Settings { segment, lines, .. } = *self.settings();
        let rdr = SegmentReader::new(rdr, segment, cut, container, lines);
        let segments = Segments::Read(Box::new(rdr.part(Segment::all_from(at))));
        self.wait(path_bytes(&path), kind, size, segments);
    }

    fn open(&mut self, mut path: PathBuf, regular: bool) {
        let opened = self.shared.moved.open(&mut path);
        let name = path_bytes(&path);
        match opened {
            Ok(file) if regular && Plan::IS_POSSIBLE => self.at(name, Arc::new(file)),
            Ok(file) => {
                let rdr = Counted::new(file, self.control(), !regular);
                let source = open::source(rdr, regular);
                self.stream(name, source, regular);
            }
            Err(error) => self.faults.push(Fault::new(&path, &error)),
        }
    }

    /// A source that the caller provides.
    fn at_source(&mut self, path: Vec<u8>, src: Arc<dyn super::Source>) {
        if let Ok(Some(size)) = src.size() {
            self.control().add_known(size);
        }
        self.at(Some(path), src);
    }

    /// A source that can be read at any offset.
    fn at(&mut self, path: Option<Vec<u8>>, src: Arc<dyn super::Source>) {
        let cut = self.how_to_cut(true);
        let settings = &self.shared.settings;
        let size = src.size().ok().flatten();
        let mut rdr = RangeReader::new(Arc::clone(&src), 0, u64::MAX, size);
        let head = Head::read(&mut rdr, settings, |_| false);
        if let Some(fault) = head.fault(path.as_deref(), settings) {
            self.faults.push(fault);
            return;
        }
        if settings.is_packed(&head.bytes) {
            let rdr = RangeReader::new(src, 0, u64::MAX, size);
            let rdr = Counted::new(rdr, &self.shared.control, false);
            let source = open::source(rdr, size.is_some());
            return self.unpack(path, source, Vec::new(), cut);
        }
        if let Some(bytes) = settings.of_database(&head.bytes) {
            return self.batch.push(Small::Whole(Whole::text(path, bytes)));
        }
        let kind = settings.kind_of(path.as_deref(), &head.bytes, head.eof);
        if settings.threads > 1 && kind != Kind::Utf16 && cut == CutPolicy::Free {
            let plan = Plan::new(src, size, 0, kind, &self.shared);
            self.wait(path, kind, size, Segments::Planned(Box::new(plan)));
            return;
        }
        let bytes = Bytes::of(src, 0, u64::MAX, size, &self.shared.control);
        let rdr = match kind {
            Kind::Utf16 => Bytes::Stream(text_reader(Vec::new(), bytes, kind)),
            _ => bytes,
        };
        let size = size.filter(|_| kind != Kind::Utf16);
        self.cut(Member { path, kind, rdr }, cut, size);
    }

    /// A source whose bytes before the offset in the settings are not searched.
    fn tail(&mut self, path: Option<Vec<u8>>, src: Arc<dyn super::Source>) {
        match open::tail(&*src, path.as_deref(), self.settings()) {
            Ok(None) => {
                if let Ok(Some(size)) = src.size() {
                    self.control().add_known(size);
                }
                self.at(path, src);
            }
            Ok(Some(Tail { kind, start, size })) => {
                let src: Arc<dyn super::Source> = match self.settings().end {
                    Some(_) => Arc::new(open::UpTo { src, end: size }),
                    None => src,
                };
                self.control().add_known(size - start);
                let segments = if self.settings().whole {
                    let rdr = Bytes::of(src, start, u64::MAX, Some(size), self.control());
                    let segment = self.settings().segment;
                    let rdr = SegmentReader::new(
                        rdr,
                        segment,
                        CutPolicy::Nowhere,
                        kind.container(),
                        false,
                    );
                    Segments::Read(Box::new(rdr.part(Segment::tail(start))))
                } else {
                    let plan = Plan::new(src, Some(size), start, kind, &self.shared);
                    Segments::Planned(Box::new(plan))
                };
                self.wait(path, kind, Some(size), segments);
            }
            Err(error) => self
                .faults
                .push(Fault::broken(path.as_deref(), 0, None, &error)),
        }
    }

    fn how_to_cut(&self, regular: bool) -> CutPolicy {
        let settings = self.settings();
        if !regular && settings.interactive {
            CutPolicy::AsItComes
        } else if settings.whole {
            CutPolicy::Nowhere
        } else {
            CutPolicy::Free
        }
    }

    /// A stream. It comes after the batch.
    fn stream(&mut self, path: Option<Vec<u8>>, mut source: Source, regular: bool) {
        let cut = self.how_to_cut(regular);
        let settings = &self.shared.settings;
        let enough = |head: &[u8]| {
            cut == CutPolicy::AsItComes
                && urlgrep_unpack::sniff(head, false) != Sniff::Short
                && !settings.is_undecided(head)
        };
        let rdr: &mut dyn io::Read = match &mut source {
            Source::Seek(rdr) => rdr,
            Source::Reader(rdr) => rdr,
        };
        let head = Head::read(rdr, settings, enough);
        if let Some(fault) = head.fault(path.as_deref(), settings) {
            self.faults.push(fault);
            return;
        }
        if settings.is_packed(&head.bytes) {
            return self.unpack(path, source, head.bytes, cut);
        }
        if let Some(bytes) = settings.of_database(&head.bytes) {
            return self.batch.push(Small::Whole(Whole::text(path, bytes)));
        }
        let kind = settings.kind_of(path.as_deref(), &head.bytes, head.eof);
        let rdr = Bytes::Stream(text_reader(head.bytes, open::reader(source), kind));
        self.cut(Member { path, kind, rdr }, cut, None);
    }

    /// A packed file. `head` was already read from `source`.
    fn unpack(&mut self, path: Option<Vec<u8>>, source: Source, head: Vec<u8>, cut: CutPolicy) {
        let members = Members::new(source, head, path.as_deref(), self.settings());
        self.members = Some((members, cut));
        self.current = path;
    }

    /// Cuts a member or file as a stream. Its segments come after the batch.
    fn cut(&mut self, member: Member, cut: CutPolicy, size: Option<u64>) {
        let settings = &self.shared.settings;
        let alone = settings.threads == 1;
        let cut = match member.kind {
            // The worker finds the messages itself. Finding them here too pays
            // off only if it lets several workers share the stream.
            Kind::Mail(_) if alone && cut == CutPolicy::Free => CutPolicy::Nowhere,
            _ => cut,
        };
        let container = member.kind.container();
        let rule = settings.resume_rule(member.kind);
        let (segment, lines) = (settings.segment, settings.lines);
        let rdr = SegmentReader::new(member.rdr, segment, cut, container, lines).resumes(rule);
        let segments = Segments::Read(Box::new(rdr));
        self.wait(member.path, member.kind, size, segments);
    }

    /// Queues the segments of a file. They come after the batch.
    fn wait(&mut self, path: Option<Vec<u8>>, kind: Kind, size: Option<u64>, segments: Segments) {
        let file = FileRef::new(path, kind, size);
        self.waiting = Some((Arc::new(file), segments));
    }
}

/// The next work of a file, and whether it is urgent. `None` at the end of the
/// file.
fn next_work(
    file: &Arc<FileRef>,
    segments: &mut Segments,
    buffer: &mut Vec<u8>,
) -> Option<(Work, bool)> {
    let stopped = file.is_stopped();
    let file = Arc::clone(file);
    match segments {
        Segments::Read(rdr) => {
            let segment = if stopped {
                rdr.abandon()
            } else {
                rdr.next(buffer)
            }?;
            let loaded = Loaded {
                file,
                buffer: std::mem::take(buffer),
                segment,
            };
            Some((Work::Segment(loaded), rdr.is_urgent()))
        }
        Segments::Planned(plan) => {
            let rdr = if stopped { plan.abandon() } else { plan.next() }?;
            Some((Work::Range(file, Box::new(rdr)), false))
        }
    }
}

/// An empty last segment for a file whose reader panicked.
fn broken(file: Arc<FileRef>, segments: Segments) -> Work {
    let last = match segments {
        Segments::Read(mut rdr) => rdr.abandon(),
        Segments::Planned(_) => None,
    };
    let Some(mut segment) = last else {
        file.end();
        return Work::Nothing;
    };
    segment.panicked = true;
    Work::Segment(Loaded {
        file,
        buffer: Vec::new(),
        segment,
    })
}
