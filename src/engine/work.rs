//! Processes jobs: opens files, reads them, and gives their pieces to a worker.
//!
//! A [`Hand`] belongs to one thread at a time, and never waits for another. It
//! stops when an output is full. If it is called again with the same job, it
//! continues there. A panic of the worker ends only the current file.

use std::io::{self, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use super::Shared;
use super::fault::Fault;
use super::feed::{Batch, Loaded, Range, Small, Work};
use super::members::{Member, Members, Next};
use super::open::{self, Bytes, Counted, text_reader};
use super::segments::SegmentReader;
use super::worker::{End, Flow, Kind, Piece, Worker};
use crate::mail::Position;
use crate::ranges::cut::CutRule;
use crate::ranges::read::fill;

/// The result of a job, or of a part of it.
pub(super) struct Parcel<O> {
    pub output: O,
    pub faults: Vec<Fault>,
    /// The file ended broken, or the worker panicked in it. Later parts of the
    /// file are dropped.
    pub broken: bool,
}

impl<O: Default> Default for Parcel<O> {
    fn default() -> Parcel<O> {
        Parcel {
            output: O::default(),
            faults: Vec::new(),
            broken: false,
        }
    }
}

/// Whether a job is finished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Done,
    /// The consumer must take the output before the job can continue.
    Full,
}

/// A worker, and the state of its current file.
pub(super) struct Hand<W> {
    worker: W,
    shared: Arc<Shared>,
    /// The read buffer for segments of files.
    buffer: Vec<u8>,
    stage: Stage,
    /// The current packed file, and the path of its current member.
    members: Option<Members>,
    member: Option<Vec<u8>>,
    /// The worker wants nothing more of the current text.
    enough: bool,
    /// The worker must get the current piece again.
    again: bool,
    /// The offset at which the current text continues after unreadable bytes.
    resume: Option<u64>,
}

/// The state of the current file of a batch.
enum Stage {
    /// No file is open.
    Next,
    /// The buffer holds a whole file of this length.
    Whole(usize, Kind),
    /// A file that is read piece by piece: it is longer than the buffer, it is
    /// UTF-16, it is a member, or reading it failed.
    Stream(Stream),
}

struct Stream {
    rdr: Bytes,
    /// The rule for the place at which the file continues after unreadable
    /// bytes.
    rule: CutRule,
    kind: Kind,
    /// The number of bytes of the next piece that are in the buffer.
    len: usize,
    offset: u64,
    /// Lines and messages have numbers, because no bytes are missing.
    numbered: bool,
    first: bool,
    /// How the file or text ends after the piece. `None` until this is known.
    end: Option<End>,
    error: Option<io::Error>,
    /// The offset at which the next text begins after unreadable bytes.
    resume: Option<u64>,
    size: Option<u64>,
}

impl Stream {
    fn new(rdr: Bytes, kind: Kind, size: Option<u64>) -> Stream {
        Stream {
            rdr,
            rule: CutRule::Nowhere,
            kind,
            len: 0,
            offset: 0,
            numbered: true,
            first: true,
            end: None,
            error: None,
            resume: None,
            size,
        }
    }

    fn start(&self) -> Position {
        let number = u64::from(self.numbered);
        Position {
            offset: self.offset,
            line: number,
            number,
        }
    }

    /// Reads the next piece.
    fn read(&mut self, buffer: &mut [u8]) {
        loop {
            match self.rdr.read(buffer) {
                Ok(0) => self.end = Some(End::File),
                Ok(n) => self.len = n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => {
                    self.resume = self.rdr.resume(self.rule);
                    self.end = Some(match self.resume {
                        Some(_) => End::Hole,
                        None => End::Broken,
                    });
                    self.error = Some(e);
                }
            }
            return;
        }
    }
}

impl<W: Worker> Hand<W> {
    pub(super) fn new(worker: W, shared: &Arc<Shared>) -> Hand<W> {
        Hand {
            worker,
            shared: Arc::clone(shared),
            buffer: Vec::new(),
            stage: Stage::Next,
            members: None,
            member: None,
            enough: false,
            again: false,
            resume: None,
        }
    }

    /// Drops the current text.
    pub(super) fn reset(&mut self) {
        self.stage = Stage::Next;
        self.members = None;
        (self.enough, self.again) = (false, false);
        self.resume = None;
    }

    /// Processes a job, or the rest of it. After a panic, `make` creates a new
    /// worker if it is given.
    pub(super) fn run(
        &mut self,
        work: &mut Work,
        out: &mut Parcel<W::Output>,
        make: Option<&dyn Fn() -> W>,
    ) -> Step {
        loop {
            let run = AssertUnwindSafe(|| match work {
                Work::Batch(batch) => self.batch(batch, out),
                Work::Segment(loaded) => self.segment(loaded, out),
                Work::Range(range) => self.range(range, out),
                Work::Nothing => Step::Done,
            });
            match catch_unwind(run) {
                Ok(step) => return step,
                Err(payload) => {
                    W::repair(&mut out.output);
                    let path = self.path_at_hand(work);
                    out.faults.push(Fault::panic(path.as_deref(), &*payload));
                    if let Some(make) = make {
                        self.worker = make();
                    }
                }
            }
            if !self.skip_file(work) {
                out.broken = true;
                return Step::Done;
            }
        }
    }

    fn path_at_hand(&mut self, work: &Work) -> Option<Vec<u8>> {
        match work {
            Work::Batch(batch) => self.member.take().or_else(|| {
                let file = batch.files.get(batch.next)?;
                Some(bytes_of(file).to_vec())
            }),
            Work::Segment(loaded) => loaded.file.path.clone(),
            Work::Range(range) => range.file.path.clone(),
            Work::Nothing => None,
        }
    }

    /// Goes to the file after the current one. Returns false if the job is not a
    /// batch of files.
    fn skip_file(&mut self, work: &mut Work) -> bool {
        self.reset();
        match work {
            Work::Batch(batch) => {
                batch.next += 1;
                true
            }
            _ => false,
        }
    }

    fn batch(&mut self, batch: &mut Batch, out: &mut Parcel<W::Output>) -> Step {
        while batch.next < batch.files.len() && !self.shared.control.is_cancelled() {
            let file = &mut batch.files[batch.next];
            if let Stage::Next = self.stage {
                if W::is_full(&out.output) {
                    return Step::Full;
                }
                if !self.next_text(file, &mut batch.buffer, out) {
                    batch.next += 1;
                    continue;
                }
            }
            let member = self.member.take();
            let path = member.as_deref().unwrap_or(bytes_of(file));
            let step = match &mut self.stage {
                Stage::Next => Step::Done,
                Stage::Whole(len, kind) => {
                    let piece = Piece {
                        path: Some(path),
                        kind: *kind,
                        bytes: &batch.buffer[..*len],
                        start: Position::START,
                        first: true,
                        end: End::File,
                    };
                    match self.worker.piece(&piece, &mut out.output) {
                        Flow::Again => Step::Full,
                        _ => Step::Done,
                    }
                }
                Stage::Stream(_) => self.stream(&mut batch.buffer, path, out),
            };
            if step == Step::Full {
                self.member = member;
                return Step::Full;
            }
            self.stage = Stage::Next;
            self.shared.control.add_file();
            if self.members.is_none() {
                batch.next += 1;
            }
        }
        Step::Done
    }

    /// Opens the file, or its next member. Returns false if there is none.
    fn next_text(
        &mut self,
        file: &mut Small,
        buffer: &mut Vec<u8>,
        out: &mut Parcel<W::Output>,
    ) -> bool {
        if self.members.is_none() {
            let least = SegmentReader::buffer_len(self.shared.settings.segment);
            if buffer.len() < least {
                buffer.resize(least, 0);
            }
            match self.open(file, buffer) {
                Err(fault) => {
                    out.faults.push(fault);
                    return false;
                }
                Ok(()) if self.members.is_none() => return true,
                Ok(()) => {}
            }
        }
        let shared = Arc::clone(&self.shared);
        while let Some(next) = self
            .members
            .as_mut()
            .and_then(|members| members.next(&shared.settings))
        {
            match next {
                Next::Fault(fault) => out.faults.push(fault),
                Next::Member(Member { path, kind, rdr }) => {
                    self.member = path;
                    self.stage = Stage::Stream(Stream::new(rdr, kind, None));
                    return true;
                }
            }
        }
        self.members = None;
        false
    }

    /// Opens a small file and reads as much as the buffer holds. This is all of
    /// the file, unless it has grown since it was found.
    fn open(&mut self, file: &mut Small, buffer: &mut [u8]) -> Result<(), Fault> {
        let opened = self.shared.moved.open(&mut file.path);
        let mut rdr = opened.map_err(|e| Fault::new(&file.path, &e))?;
        let path = Some(bytes_of(file));
        let fault = |error: &io::Error| Fault::broken(path, 0, None, error);
        let (mut len, mut eof, mut error) = (0, false, None);
        while len < buffer.len() && !eof {
            match rdr.read(&mut buffer[len..]) {
                Ok(n) => {
                    len += n;
                    // A file that still has the length it was found with has
                    // ended. This saves one system call. A virtual file system
                    // states the length 0, so its files are read until a read
                    // returns 0 bytes.
                    eof = n == 0 || (len as u64 == file.len && len < buffer.len());
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    // A read of fewer bytes may still succeed.
                    len += fill(&rdr, &mut buffer[len..], len as u64).0;
                    // OK to ignore: if this fails, the next read fails as well.
                    let _ = rdr.seek(SeekFrom::Start(len as u64));
                    error = Some(e);
                    break;
                }
            }
        }
        let Shared {
            settings, control, ..
        } = &*self.shared;
        control.add_bytes(len as u64);
        let head = &buffer[..len];
        if let Some(error) = &error
            && (len == 0 || settings.is_undecided(head))
        {
            return Err(fault(error));
        }
        if settings.is_packed(head) {
            let source = open::source(rdr, error.is_none(), control);
            let head = buffer[..len].to_vec();
            self.members = Some(Members::new(source, head, path, settings));
            return Ok(());
        }
        let kind = settings.kind(head, eof);
        if eof && kind != Kind::Utf16 {
            self.stage = Stage::Whole(len, kind);
            return Ok(());
        }
        // If there was a read error, the next read returns it again.
        let size = rdr.metadata().ok().map(|meta| meta.len());
        let rest = if error.is_some() {
            Bytes::of(Arc::new(rdr), len as u64, u64::MAX, size, control)
        } else {
            Bytes::Stream(Box::new(Counted::new(rdr, control, true)))
        };
        let stream = if kind == Kind::Utf16 {
            let rdr = text_reader(buffer[..len].to_vec(), rest, kind);
            Stream::new(Bytes::Stream(rdr), kind, None)
        } else {
            Stream {
                len,
                rule: settings.resume_rule(kind),
                ..Stream::new(rest, kind, size)
            }
        };
        self.stage = Stage::Stream(stream);
        Ok(())
    }

    /// Processes a file that is read piece by piece.
    fn stream(&mut self, buffer: &mut [u8], path: &[u8], out: &mut Parcel<W::Output>) -> Step {
        let Stage::Stream(stream) = &mut self.stage else {
            return Step::Done;
        };
        loop {
            if stream.len == 0 && stream.end.is_none() {
                stream.read(buffer);
            }
            let piece = Piece {
                path: Some(path),
                kind: stream.kind,
                bytes: &buffer[..stream.len],
                start: stream.start(),
                first: stream.first,
                end: stream.end.unwrap_or(End::Open),
            };
            let flow = self.worker.piece(&piece, &mut out.output);
            if flow == Flow::Again {
                return Step::Full;
            }
            stream.offset += stream.len as u64;
            stream.len = 0;
            stream.first = false;
            if let Some(error) = stream.error.take() {
                let end = stream.resume.or(stream.size);
                let fault = Fault::broken(Some(path), stream.offset, end, &error);
                out.faults.push(fault);
            }
            if let Some(at) = stream.resume.take() {
                (stream.offset, stream.first, stream.end) = (at, true, None);
                stream.numbered = false;
            }
            if stream.end.is_some() {
                return Step::Done;
            }
            if flow == Flow::Enough || self.shared.control.is_cancelled() {
                stream.end = Some(End::File);
            }
            if W::is_full(&out.output) {
                return Step::Full;
            }
        }
    }

    /// Processes a range of a file, one segment at a time.
    fn range(&mut self, range: &mut Range, out: &mut Parcel<W::Output>) -> Step {
        let Range { file, rdr, loaded } = range;
        loop {
            let mut at = match loaded.take() {
                Some(at) => at,
                None if W::is_full(&out.output) => return Step::Full,
                None => {
                    // Read into a buffer that is in the cache of this core.
                    let mut buffer = std::mem::take(&mut self.buffer);
                    if let Some(at) = self.resume
                        && !rdr.begins_text()
                    {
                        rdr.skip_to(at);
                    }
                    let stops = file.is_stopped() || self.shared.control.is_cancelled();
                    let segment = if stops || self.enough {
                        rdr.abandon()
                    } else {
                        rdr.next(&mut buffer)
                    };
                    let Some(segment) = segment else {
                        self.buffer = buffer;
                        return Step::Done;
                    };
                    Loaded {
                        file: Arc::clone(file),
                        buffer,
                        segment,
                    }
                }
            };
            if self.segment(&mut at, out) == Step::Full {
                *loaded = Some(at);
                return Step::Full;
            }
            self.buffer = at.buffer;
        }
    }

    fn segment(&mut self, loaded: &mut Loaded, out: &mut Parcel<W::Output>) -> Step {
        let Loaded {
            file,
            buffer,
            segment,
        } = loaded;
        let path = file.path.as_deref();
        let stopped = file.is_stopped() && !self.again;
        let end = if segment.error.is_some() && segment.resume.is_some() {
            End::Hole
        } else if segment.error.is_some() || segment.panicked {
            End::Broken
        } else if segment.eof {
            End::File
        } else if segment.last {
            End::Text
        } else {
            End::Open
        };
        let piece = Piece {
            path,
            kind: file.kind,
            bytes: if stopped {
                &[]
            } else {
                &buffer[segment.range.clone()]
            },
            start: Position {
                offset: segment.offset,
                line: segment.line,
                number: segment.number,
            },
            first: segment.first,
            end,
        };
        let flow = self.worker.piece(&piece, &mut out.output);
        self.again = flow == Flow::Again;
        if self.again {
            return Step::Full;
        }
        if segment.first && self.resume != Some(segment.offset) {
            self.resume = None;
        }
        self.resume = segment.resume.or(self.resume);
        self.enough = flow == Flow::Enough && end == End::Open;
        if let Some(error) = segment.error.take() {
            let offset = segment.offset + segment.range.len() as u64;
            let end = segment.resume.or(file.size);
            let fault = Fault::broken(path, offset, end, &error);
            out.faults.push(fault);
        }
        out.broken |= end == End::Broken;
        if end.is_file() {
            self.shared.control.add_file();
        }
        Step::Done
    }
}

fn bytes_of(file: &Small) -> &[u8] {
    file.path.as_os_str().as_encoded_bytes()
}
