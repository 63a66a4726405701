//! The worker: takes work, searches it, prints what it finds into a buffer.
//!
//! A [`Search`] belongs to one thread at a time. It never waits and writes to
//! no file. When it has printed much it stops with [`Progress::Full`]; called
//! again with the same work, it goes on from there. So the memory of a run is
//! bounded whatever a file holds.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use super::config::Config;
use super::input::Fault;
use super::input::cut::{Cutter, Segment};
use super::input::feed::{Batch, Kind, Piece, Range, Work};
use super::input::leaves::{Leaf, Leaves, Next};
use super::report::{Report, Take, Text};
use crate::mail::{Container, Position, SNIFF};
use crate::search::{Options, Searcher};
use crate::unpack::utf16;

/// How much is printed before the work stops for it to be written: more than most
/// ranges of a file have, or their workers would wait for one another.
const FULL: usize = 1 << 20;
/// How many hits are marked before the work stops.
const MARKS: usize = 16 << 10;
/// How much of a container is searched before it is asked whether the output
/// is full: what is found in one message cannot be taken back.
const SLICE: usize = 32 << 10;

/// What a worker hands to the writer.
#[derive(Debug, Default)]
pub struct Output {
    /// Whole lines.
    pub text: Vec<u8>,
    /// Where the hits and the files in it end. Empty unless what is written
    /// depends on what was written before; see [`Config::is_marked`].
    pub marks: Vec<Mark>,
    pub faults: Vec<Fault>,
    /// What was wrong inside messages and was tolerated, to be told.
    pub notes: Vec<Fault>,
    pub counts: Counts,
}

impl Output {
    /// True if it is to be written before more is printed.
    pub fn is_full(&self) -> bool {
        self.text.len() >= FULL || self.marks.len() >= MARKS
    }

    /// Empties it, and keeps its memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.marks.clear();
        self.faults.clear();
        self.notes.clear();
        self.counts = Counts::default();
    }
}

/// A place in the text of an [`Output`].
#[derive(Debug)]
pub enum Mark {
    /// A hit was printed up to here.
    Hit { end: usize, key: u128 },
    /// Something that is no hit was printed up to here.
    Note { end: usize },
    /// A note is to be told.
    Told(Box<Fault>),
    /// A file ended. The path is left out unless it may have to be printed.
    End { path: Option<Box<[u8]>> },
}

/// What was done. Sums up to `--stats`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub files: u64,
    pub bytes: u64,
    pub hits: u64,
    pub special: u64,
    pub faults: u64,
    pub messages: u64,
    /// Messages that name a group or a list.
    pub grouped: u64,
    pub notes: u64,
    /// How many files were read in each of the ways of [`Kind::NAMES`].
    pub kinds: [u64; Kind::NAMES.len()],
}

impl Counts {
    /// Adds what was done elsewhere.
    pub fn add(&mut self, other: &Counts) {
        self.files += other.files;
        for (sum, number) in self.kinds.iter_mut().zip(other.kinds) {
            *sum += number;
        }
        self.bytes += other.bytes;
        self.hits += other.hits;
        self.special += other.special;
        self.faults += other.faults;
        self.messages += other.messages;
        self.grouped += other.grouped;
        self.notes += other.notes;
    }
}

/// Whether work is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    Done,
    /// The output is to be written; then the same work goes on.
    Full,
}

/// Searches.
pub struct Search {
    searcher: Searcher,
    /// What segments of files are read into.
    buffer: Vec<u8>,
    /// How much of the chunk at hand the searcher was fed.
    fed: usize,
    report: Report,
    stage: Stage,
    step: Step,
    /// The packed file at hand, and the name of its leaf.
    leaves: Option<Leaves>,
    leaf: Option<Vec<u8>>,
}

/// What is being done with a batch.
enum Stage {
    /// Nothing: the next file is to be opened.
    Next,
    /// So many bytes of the buffer are a whole file.
    Whole(usize),
    /// The file is longer than the buffer, or is transcoded: so many bytes of
    /// it are in the buffer, and it may have more.
    Stream {
        rdr: Box<dyn Read + Send>,
        len: usize,
        offset: u64,
        last: bool,
    },
}

/// What is being done with a chunk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Step {
    Begin,
    GoOn,
    Finish,
}

impl Search {
    /// A worker.
    pub fn new(config: &Arc<Config>) -> Search {
        Search {
            searcher: Searcher::new(Options {
                extractor: config.extractor,
                headers: config.mail.headers,
                message_ends: config.has_records(),
                details: config.details,
            }),
            buffer: Vec::new(),
            fed: 0,
            report: Report::new(config),
            stage: Stage::Next,
            step: Step::Begin,
            leaves: None,
            leaf: None,
        }
    }

    /// Does work, or what is left of it.
    pub fn run(&mut self, work: &mut Work, out: &mut Output) -> Progress {
        match work {
            Work::Batch(batch) => self.batch(batch, out),
            Work::Piece(piece) => self.piece(piece, out),
            Work::Range(range) => self.range(range, out),
            Work::Nothing => Progress::Done,
        }
    }

    fn batch(&mut self, batch: &mut Batch, out: &mut Output) -> Progress {
        let Batch {
            files,
            next,
            buffer,
        } = batch;
        while let Some(file) = files.get(*next) {
            let path = file.path.as_os_str().as_encoded_bytes();
            if let Stage::Next = self.stage {
                if out.is_full() {
                    return Progress::Full;
                }
                if self.leaves.is_none() {
                    let least = Cutter::buffer_len(self.report.config.segment);
                    if buffer.len() < least {
                        buffer.resize(least, 0);
                    }
                    match self.open(file, buffer) {
                        Ok(Some(kind)) => self.begin(kind, Position::START),
                        Ok(None) => continue,
                        Err(error) => {
                            out.faults.push(Fault::at(Some(path), 0, &error));
                            *next += 1;
                            continue;
                        }
                    }
                } else if !self.next_leaf(out) {
                    *next += 1;
                    continue;
                }
            }
            let leaf = self.leaf.take();
            let name = leaf.as_deref().unwrap_or(path);
            let progress = match &mut self.stage {
                Stage::Whole(len) => {
                    let len = *len;
                    self.whole(&buffer[..len], 0, Some(name), out)
                }
                _ => self.stream(buffer, name, out),
            };
            if progress == Progress::Full {
                self.leaf = leaf;
                return Progress::Full;
            }
            self.stage = Stage::Next;
            self.report.end(Some(name), out);
            if self.leaves.is_none() {
                *next += 1;
            }
        }
        Progress::Done
    }

    /// Goes on to the next leaf of the packed file at hand. Returns false if
    /// there are no more.
    fn next_leaf(&mut self, out: &mut Output) -> bool {
        let config = Arc::clone(&self.report.config);
        while let Some(next) = self.leaves.as_mut().and_then(|leaves| leaves.next(&config)) {
            match next {
                Next::Fault(fault) => out.faults.push(fault),
                Next::Leaf(Leaf { path, kind, rdr }) => {
                    self.begin(kind, Position::START);
                    self.leaf = path;
                    self.stage = Stage::Stream {
                        rdr,
                        len: 0,
                        offset: 0,
                        last: false,
                    };
                    return true;
                }
            }
        }
        self.leaves = None;
        false
    }

    /// Opens a small file and reads what fits into the buffer: all of it,
    /// unless it has grown since it was found. `None` if it is packed.
    fn open(
        &mut self,
        file: &super::input::feed::Small,
        buffer: &mut [u8],
    ) -> io::Result<Option<Kind>> {
        let mut rdr = File::open(&file.path)?;
        let mut len = 0;
        let mut eof = false;
        while len < buffer.len() && !eof {
            match rdr.read(&mut buffer[len..]) {
                Ok(n) => {
                    len += n;
                    // What is as long as it was a moment ago has ended: one
                    // call less. A file that the system makes up has length 0.
                    eof = n == 0 || (len as u64 == file.len && len < buffer.len());
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                // What was read is searched; the next read meets the error.
                Err(_) if len > 0 => break,
                Err(e) => return Err(e),
            }
        }
        let config = &self.report.config;
        if Leaves::is_packed(&buffer[..len.min(SNIFF)], eof && len <= SNIFF, config) {
            let path = file.path.as_os_str().as_encoded_bytes();
            let head = buffer[..len].to_vec();
            self.leaves = Some(Leaves::new(rdr.into(), head, Some(path), config));
            return Ok(None);
        }
        let kind = Kind::of(&buffer[..len], eof, config);
        self.stage = if utf16::is_marked(&buffer[..len]) {
            Stage::Stream {
                rdr: Box::new(utf16::reader(
                    io::Cursor::new(buffer[..len].to_vec()).chain(rdr),
                )),
                len: 0,
                offset: 0,
                last: false,
            }
        } else if eof {
            Stage::Whole(len)
        } else {
            Stage::Stream {
                rdr: Box::new(rdr),
                len,
                offset: 0,
                last: false,
            }
        };
        Ok(Some(kind))
    }

    /// A file that is read here, a buffer at a time.
    fn stream(&mut self, buffer: &mut [u8], path: &[u8], out: &mut Output) -> Progress {
        loop {
            let Stage::Stream {
                rdr,
                len,
                offset,
                last,
            } = &mut self.stage
            else {
                return Progress::Done;
            };
            if *len == 0 && !*last {
                match rdr.read(buffer) {
                    Ok(0) => *last = true,
                    Ok(n) => *len = n,
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                    Err(e) => {
                        out.faults.push(Fault::at(Some(path), *offset, &e));
                        *last = true;
                    }
                }
            }
            let (n, end) = (*len, *last);
            if self.chunk(&buffer[..n], end, Some(path), out) == Progress::Full {
                return Progress::Full;
            }
            if end || self.report.is_satisfied() {
                self.step = Step::Begin;
                return Progress::Done;
            }
            if let Stage::Stream { len, offset, .. } = &mut self.stage {
                *offset += n as u64;
                *len = 0;
            }
        }
    }

    /// Reads a range of a file, a segment at a time.
    fn range(&mut self, range: &mut Range, out: &mut Output) -> Progress {
        let Range {
            file,
            cutter,
            piece,
        } = range;
        loop {
            let mut at = match piece.take() {
                Some(at) => at,
                None => {
                    // Into memory that this processor has in its cache.
                    let mut buffer = std::mem::take(&mut self.buffer);
                    let segment = if file.is_stopped() {
                        cutter.abandon()
                    } else {
                        cutter.next(&mut buffer)
                    };
                    let Some(segment) = segment else {
                        self.buffer = buffer;
                        return Progress::Done;
                    };
                    Piece {
                        file: Arc::clone(file),
                        buffer,
                        segment,
                    }
                }
            };
            if self.piece(&mut at, out) == Progress::Full {
                *piece = Some(at);
                return Progress::Full;
            }
            self.buffer = at.buffer;
        }
    }

    fn piece(&mut self, piece: &mut Piece, out: &mut Output) -> Progress {
        let Piece {
            file,
            buffer,
            segment,
        } = piece;
        let path = file.path.as_deref();
        if !file.is_stopped() {
            if segment.first && self.step == Step::Begin {
                let Segment {
                    offset,
                    line,
                    number,
                    ..
                } = *segment;
                self.begin(
                    file.kind,
                    Position {
                        offset,
                        line,
                        number,
                    },
                );
            }
            let bytes = &buffer[segment.range.clone()];
            let progress = if segment.first && segment.last {
                self.whole(bytes, segment.offset, path, out)
            } else {
                self.chunk(bytes, segment.last, path, out)
            };
            if progress == Progress::Full {
                return Progress::Full;
            }
        }
        if let Some(error) = segment.error.take() {
            let offset = segment.offset + segment.range.len() as u64;
            out.faults.push(Fault::at(path, offset, &error));
        }
        if segment.eof {
            self.report.read_as(file.kind);
            self.report.end(path, out);
        }
        Progress::Done
    }

    /// A text begins, or a container of messages, or a piece of one that can
    /// be searched apart.
    fn begin(&mut self, kind: Kind, at: Position) {
        match kind {
            Kind::Mail(container) => {
                let line = if self.report.config.line { at.line } else { 0 };
                self.searcher.begin(container, Position { line, ..at });
            }
            Kind::Text => self.searcher.begin(Container::Text, at),
            Kind::Utf16 => self.searcher.begin_transcoded(at),
        }
        self.report.begin(kind, at.offset);
    }

    /// A text that is here as a whole: searched in place.
    fn whole(
        &mut self,
        bytes: &[u8],
        offset: u64,
        path: Option<&[u8]>,
        out: &mut Output,
    ) -> Progress {
        let report = &mut self.report;
        if report.has_around() || matches!(report.kind, Kind::Mail(_)) {
            return self.chunk(bytes, true, path, out);
        }
        if self.step == Step::Begin {
            out.counts.bytes += bytes.len() as u64;
            self.step = Step::GoOn;
        }
        if !report.is_satisfied() {
            let text = Text {
                bytes,
                base: offset,
            };
            self.searcher.resume();
            self.searcher.search_here(
                bytes,
                &mut Take {
                    report,
                    path,
                    text,
                    out,
                },
            );
            if self.report.stopped_full {
                self.report.stopped_full = false;
                return Progress::Full;
            }
        }
        self.step = Step::Begin;
        Progress::Done
    }

    /// The next chunk of a text that comes in several.
    fn chunk(
        &mut self,
        bytes: &[u8],
        last: bool,
        path: Option<&[u8]>,
        out: &mut Output,
    ) -> Progress {
        if let Kind::Mail(_) = self.report.kind {
            return self.mail(bytes, last, path, out);
        }
        if self.step == Step::Begin && !self.report.is_satisfied() {
            out.counts.bytes += bytes.len() as u64;
            if self.report.has_tail {
                self.report.tail.bytes.extend_from_slice(bytes);
            }
        }
        loop {
            let report = &mut self.report;
            if report.is_satisfied() {
                break;
            }
            let tail = std::mem::take(&mut report.tail);
            let mut take = Take {
                report,
                path,
                text: Text {
                    bytes: &tail.bytes,
                    base: tail.base,
                },
                out,
            };
            self.searcher.resume();
            match self.step {
                Step::Begin => self.searcher.feed(bytes, &mut take),
                Step::GoOn => self.searcher.feed(&[], &mut take),
                Step::Finish => self.searcher.finish(&mut take),
            };
            self.report.tail = tail;
            let stopped = std::mem::take(&mut self.report.stopped_full);
            let eof = self.step == Step::Finish && !stopped;
            self.report.settle(self.searcher.settled(), eof, path, out);
            match self.step {
                Step::Begin | Step::GoOn if stopped => self.step = Step::GoOn,
                Step::Begin | Step::GoOn if last => self.step = Step::Finish,
                Step::Finish if stopped => {}
                _ => break,
            }
            if out.is_full() {
                return Progress::Full;
            }
        }
        self.step = Step::Begin;
        Progress::Done
    }
}

impl Search {
    /// The next chunk of a container.
    fn mail(
        &mut self,
        bytes: &[u8],
        last: bool,
        path: Option<&[u8]>,
        out: &mut Output,
    ) -> Progress {
        if self.step == Step::Begin {
            out.counts.bytes += bytes.len() as u64;
            self.fed = 0;
            self.step = Step::GoOn;
        }
        while self.fed < bytes.len() && !self.report.is_satisfied() {
            if out.is_full() {
                return Progress::Full;
            }
            let slice = &bytes[self.fed..bytes.len().min(self.fed + SLICE)];
            self.fed += slice.len();
            self.searcher.feed(
                slice,
                &mut Take {
                    report: &mut self.report,
                    path,
                    text: Text::default(),
                    out,
                },
            );
        }
        if last && !self.report.is_satisfied() {
            if out.is_full() {
                return Progress::Full;
            }
            self.searcher.finish(&mut Take {
                report: &mut self.report,
                path,
                text: Text::default(),
                out,
            });
        }
        self.step = Step::Begin;
        Progress::Done
    }
}

#[cfg(test)]
mod tests;
