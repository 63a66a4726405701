//! Processes jobs: opens files, reads them, and gives their pieces to a worker.
//!
//! A [`Hand`] belongs to one thread. A panic of the worker ends only the
//! current file.

use std::any::Any;
use std::io::{self, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::control::Control;
use super::convert::{Attachments, Converted};
use super::fault::Fault;
use super::feed::{FileRef, Small, Work};
use super::members::{Member, Members, NextMember, Whole};
use super::open::{self, Bytes, Counted, text_reader};
use super::segments::{CutPolicy, Segment, SegmentReader};
use super::worker::{End, Kind, Outbox, Piece, Worker};
use super::{Shared, Source};
use crate::ranges::read::fill;
use urlgrep_containers::Position;
use urlgrep_unpack::{FirstBytes, ReadSeek};

/// A worker, and the state of its current text.
pub(super) struct Hand<'m, W> {
    worker: W,
    /// Creates another worker after a panic. `None` keeps the worker.
    make: Option<&'m dyn Fn() -> W>,
    shared: Arc<Shared>,
    /// Holds and converts the attachments that the worker meets.
    attachments: Arc<Attachments>,
    /// The read buffer. Bytes that this thread has read are in the cache of its
    /// core.
    buffer: Vec<u8>,
    /// The path of the current member of a packed file.
    member: Option<Vec<u8>>,
    /// The worker wants nothing more of the current text.
    enough: bool,
    /// The offset at which the current text continues after unreadable bytes.
    resume: Option<u64>,
}

/// A file on disk, or the result of a conversion.
trait SmallFile: ReadSeek + Source + 'static {}

impl<T: ReadSeek + Source + 'static> SmallFile for T {}

/// An opened file.
enum Opened {
    /// The buffer holds the whole file, which has this length.
    Whole(usize, Kind),
    /// A file that is longer than the buffer, or UTF-16, or reading it failed.
    Stream(FileRef, Box<SegmentReader>),
    Packed(Members),
}

impl<W: Worker> Hand<'_, W> {
    pub(super) fn new<'m>(
        worker: W,
        make: Option<&'m dyn Fn() -> W>,
        shared: &Arc<Shared>,
    ) -> Hand<'m, W> {
        Hand {
            worker,
            make,
            shared: Arc::clone(shared),
            attachments: Attachments::new(shared),
            buffer: Vec::new(),
            member: None,
            enough: false,
            resume: None,
        }
    }

    /// Processes a job. Its output is in `out` then, or was sent.
    pub(super) fn run(&mut self, work: &mut Work, out: &mut Outbox<'_, W::Output>) {
        match work {
            Work::Nothing => {}
            Work::Batch(batch) => {
                for mut small in std::mem::take(batch) {
                    if self.stops(out) {
                        break;
                    }
                    let run = AssertUnwindSafe(|| self.small(&mut small, out));
                    if let Err(payload) = catch_unwind(run) {
                        let member = self.member.take();
                        let path = member.as_deref().or(small.path());
                        self.panicked(path, &*payload, out);
                    }
                }
            }
            Work::Segment(loaded) => {
                let (file, bytes) = (&loaded.file, &loaded.buffer[..]);
                let run = AssertUnwindSafe(|| self.segment(file, bytes, &mut loaded.segment, out));
                if let Err(payload) = catch_unwind(run) {
                    self.panicked(file.path.as_deref(), &*payload, out);
                    out.parcel.broken = true;
                }
            }
            Work::Range(file, rdr) => {
                let run = AssertUnwindSafe(|| self.range(file, rdr, out));
                if let Err(payload) = catch_unwind(run) {
                    self.panicked(file.path.as_deref(), &*payload, out);
                    out.parcel.broken = true;
                }
            }
        }
    }

    /// True if the run has ended.
    fn stops(&self, out: &Outbox<'_, W::Output>) -> bool {
        !out.is_open() || self.shared.control.is_cancelled()
    }

    /// Reports a panic, and drops the current text.
    fn panicked(
        &mut self,
        path: Option<&[u8]>,
        payload: &(dyn Any + Send),
        out: &mut Outbox<'_, W::Output>,
    ) {
        W::repair(out);
        self.attachment_faults(path, out);
        out.parcel.faults.push(Fault::panic(path, payload));
        if let Some(make) = self.make {
            self.worker = make();
        }
        self.enough = false;
        self.resume = None;
    }

    /// Reports the attachments that could not be held or converted.
    fn attachment_faults(&self, path: Option<&[u8]>, out: &mut Outbox<'_, W::Output>) {
        out.parcel.faults.extend(self.attachments.faults(path));
    }

    fn small(&mut self, small: &mut Small, out: &mut Outbox<'_, W::Output>) {
        match small {
            Small::File { path, len } => {
                let file = self.shared.moved.open(path);
                let control = self.shared.control.clone();
                self.file(file, path, *len, &control, out);
            }
            Small::Convert { path, len } => self.convert(path, *len, out),
            Small::Whole(Whole { path, kind, bytes }) => {
                self.whole(path.as_deref(), *kind, bytes, out);
            }
            Small::Fault(fault) => {
                // It comes after the members before it.
                out.send();
                out.parcel.faults.push(fault.clone());
            }
        }
    }

    /// Processes a file or member that is in memory.
    fn whole(
        &mut self,
        path: Option<&[u8]>,
        kind: Kind,
        bytes: &[u8],
        out: &mut Outbox<'_, W::Output>,
    ) {
        let piece = Piece {
            path,
            kind,
            bytes,
            start: Position::START,
            first: true,
            end: End::File,
            attachments: &self.attachments,
        };
        self.worker.piece(&piece, out);
        self.attachment_faults(path, out);
        self.shared.control.add_file();
    }

    /// Has a file of `len` bytes converted, and processes the result.
    fn convert(&mut self, path: &mut PathBuf, len: u64, out: &mut Outbox<'_, W::Output>) {
        let shared = Arc::clone(&self.shared);
        let made = match (shared.moved.open(path), &shared.convert) {
            (Ok(file), Some(convert)) => convert.convert(path, None, file, &shared.control),
            (opened, _) => opened.and(Err(io::ErrorKind::Unsupported.into())),
        };
        let fault = match made {
            Ok(Converted {
                output,
                len: written,
                fault,
            }) => {
                let mut name = path.clone().into_os_string();
                name.push("!pre");
                self.member = Some(name.as_encoded_bytes().to_vec());
                let output = FirstBytes::new(output, written);
                // Progress counts the bytes of the file, because these are known before it is
                // converted.
                let uncounted = Control::new();
                self.file(Ok(output), Path::new(&name), written, &uncounted, out);
                self.member = None;
                fault
            }
            Err(error) => Some(error),
        };
        self.shared.control.add_bytes(len);
        out.parcel
            .faults
            .extend(fault.map(|error| Fault::new(path, &error)));
    }

    /// Processes a small file. `control` counts its bytes.
    fn file(
        &mut self,
        opened: io::Result<impl SmallFile>,
        file: &Path,
        len: u64,
        control: &Control,
        out: &mut Outbox<'_, W::Output>,
    ) {
        let mut buffer = std::mem::take(&mut self.buffer);
        let opened = self.open(opened, file, len, control, &mut buffer);
        if let Ok(Opened::Whole(len, kind)) = opened {
            self.whole(Some(bytes_of(file)), kind, &buffer[..len], out);
        }
        self.buffer = buffer;
        match opened {
            Err(fault) => out.parcel.faults.push(fault),
            Ok(Opened::Whole(..)) => {}
            Ok(Opened::Stream(file, mut rdr)) => self.range(&file, &mut rdr, out),
            Ok(Opened::Packed(mut members)) => {
                while !self.stops(out)
                    && let Some(next) = members.next(&self.shared.settings, 1)
                {
                    match next {
                        NextMember::Fault(fault) => out.parcel.faults.push(fault),
                        NextMember::Whole(Whole { path, kind, bytes }) => {
                            self.member.clone_from(&path);
                            self.whole(path.as_deref(), kind, &bytes, out);
                        }
                        NextMember::Member(Member { path, kind, rdr }) => {
                            self.member.clone_from(&path);
                            let path = path.unwrap_or_else(|| bytes_of(file).to_vec());
                            let mut rdr = self.one_text(rdr, kind);
                            self.range(&FileRef::new(Some(path), kind, None), &mut rdr, out);
                        }
                    }
                    self.member = None;
                }
            }
        }
    }

    /// Reads a file or a member in segments of one text.
    fn one_text(&self, rdr: Bytes, kind: Kind) -> SegmentReader {
        let segment = self.shared.settings.segment;
        SegmentReader::new(rdr, segment, CutPolicy::Nowhere, kind.container(), false)
    }

    /// Opens a small file and reads as much as the buffer holds. This is all of
    /// the file, unless it has grown since it was found. It had `known` bytes.
    fn open(
        &mut self,
        opened: io::Result<impl SmallFile>,
        file: &Path,
        known: u64,
        control: &Control,
        buffer: &mut Vec<u8>,
    ) -> Result<Opened, Fault> {
        let least = SegmentReader::buffer_len(self.shared.settings.segment);
        if buffer.len() < least {
            *buffer = vec![0; least];
        }
        let mut rdr = opened.map_err(|e| Fault::new(file, &e))?;
        let path = Some(bytes_of(file));
        let fault = |error: &io::Error| Fault::broken(path, 0, None, error);
        let Beginning { len, eof, error } = read_beginning(&mut rdr, known, buffer);
        let settings = &self.shared.settings;
        control.add_bytes(len as u64);
        let head = &buffer[..len];
        if let Some(error) = &error
            && (len == 0 || settings.is_undecided(head))
        {
            return Err(fault(error));
        }
        if settings.is_packed(head) {
            let rdr = Counted::new(rdr, control, error.is_some());
            let source = open::source(rdr, error.is_none());
            let head = buffer[..len].to_vec();
            return Ok(Opened::Packed(Members::new(source, head, path, settings)));
        }
        if let Some(bytes) = settings.of_database(head) {
            return Ok(Opened::Whole(bytes.len(), Kind::Text));
        }
        let kind = settings.kind_of(path, head, eof);
        if eof && kind != Kind::Utf16 {
            return Ok(Opened::Whole(len, kind));
        }
        let is_utf16 = kind == Kind::Utf16;
        let size = rdr.size().ok().flatten();
        let rest = match &error {
            // Reading from the start finds the error again, and can continue after it.
            Some(_) if !is_utf16 => Bytes::of(Arc::new(rdr), 0, u64::MAX, size, control),
            Some(_) => {
                let rest = Bytes::of(Arc::new(rdr), len as u64, u64::MAX, size, control);
                Bytes::Stream(text_reader(head.to_vec(), rest, kind))
            }
            None => {
                let rest = Counted::new(rdr, control, true);
                Bytes::Stream(text_reader(head.to_vec(), rest, kind))
            }
        };
        let rule = settings.resume_rule(kind);
        let size = size.filter(|_| !is_utf16);
        let file = FileRef::new(Some(bytes_of(file).to_vec()), kind, size);
        Ok(Opened::Stream(
            file,
            Box::new(self.one_text(rest, kind).resumes(rule)),
        ))
    }

    /// Processes a range of a file, one segment at a time.
    fn range(&mut self, file: &FileRef, rdr: &mut SegmentReader, out: &mut Outbox<'_, W::Output>) {
        let mut buffer = std::mem::take(&mut self.buffer);
        loop {
            if let Some(at) = self.resume
                && !rdr.begins_text()
            {
                rdr.skip_to(at);
            }
            let segment = if file.is_stopped() || self.enough || self.stops(out) {
                rdr.abandon()
            } else {
                rdr.next(&mut buffer)
            };
            let Some(mut segment) = segment else {
                break;
            };
            self.segment(file, &buffer, &mut segment, out);
        }
        self.buffer = buffer;
    }

    /// Processes a segment, which is in `buffer`.
    fn segment(
        &mut self,
        file: &FileRef,
        buffer: &[u8],
        segment: &mut Segment,
        out: &mut Outbox<'_, W::Output>,
    ) {
        let path = file.path.as_deref();
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
            bytes: if file.is_stopped() {
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
            attachments: &self.attachments,
        };
        let more = self.worker.piece(&piece, out);
        self.attachment_faults(path, out);
        if segment.first && self.resume != Some(segment.offset) {
            self.resume = None;
        }
        self.resume = segment.resume.or(self.resume);
        self.enough = !more && end == End::Open;
        if let Some(error) = segment.error.take() {
            let offset = segment.offset + segment.range.len() as u64;
            let fault = Fault::broken(path, offset, segment.resume.or(file.size), &error);
            out.parcel.faults.push(fault);
        }
        out.parcel.broken |= end == End::Broken;
        if end.is_file() {
            self.shared.control.add_file();
        }
    }
}

impl Small {
    fn path(&self) -> Option<&[u8]> {
        match self {
            Small::File { path, .. } | Small::Convert { path, .. } => Some(bytes_of(path)),
            Small::Whole(whole) => whole.path.as_deref(),
            Small::Fault(fault) => fault.path.as_deref(),
        }
    }
}

fn bytes_of(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

/// The first bytes of a small file.
struct Beginning {
    len: usize,
    /// There are no more.
    eof: bool,
    /// Why reading stopped.
    error: Option<io::Error>,
}

/// Reads as much of a small file as `buffer` holds. The file had `known` bytes.
fn read_beginning(rdr: &mut impl SmallFile, known: u64, buffer: &mut [u8]) -> Beginning {
    let mut len = 0;
    let mut eof = false;
    while len < buffer.len() && !eof {
        match rdr.read(&mut buffer[len..]) {
            Ok(n) => {
                len += n;
                // A file that still has the length it was found with has ended. This saves one
                // system call. A virtual file system states the length 0, so its files are
                // read until a read returns 0 bytes.
                eof = n == 0 || (len as u64 == known && len < buffer.len());
            }
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => {
                // A read of fewer bytes may still succeed.
                len += fill(rdr, &mut buffer[len..], len as u64).0;
                // OK to ignore: if this fails, the next read fails as well.
                let _ = rdr.seek(SeekFrom::Start(len as u64));
                let error = Some(e);
                return Beginning { len, eof, error };
            }
        }
    }
    let error = None;
    Beginning { len, eof, error }
}
