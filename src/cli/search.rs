//! The worker: takes work, searches it, prints what it finds into a buffer.
//!
//! A [`Search`] belongs to one thread at a time. It never waits and writes to
//! no file. When it has printed much it stops with [`Progress::Full`]; called
//! again with the same work, it goes on from there. So the memory of a run is
//! bounded whatever a file holds.

use std::collections::HashSet;
use std::convert::Infallible;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Read};
use std::sync::Arc;

use super::config::{Config, Mode, Verdicts};
use super::context::{Around, Group, Tail};
use super::filter::Filter;
use super::input::Fault;
use super::input::cut::{Cutter, Segment};
use super::input::feed::{Batch, Kind, Piece, Work};
use super::input::utf16::{self, Transcoder};
use crate::extract::{Extractor, Hit};
use crate::mail::Position;
use crate::output::{ContextLine, MessageInfo, NoteInfo, Place, Printer, Record};
use crate::search::{Find, Finds, Message, Note, Options, Searcher};

/// How much is printed before the work stops for it to be written.
const FULL: usize = 256 << 10;
/// How many hits are marked before the work stops.
const MARKS: usize = 8 << 10;
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
    fn is_full(&self) -> bool {
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
    pub notes: u64,
}

impl Counts {
    /// Adds what was done elsewhere.
    pub fn add(&mut self, other: &Counts) {
        self.files += other.files;
        self.bytes += other.bytes;
        self.hits += other.hits;
        self.special += other.special;
        self.faults += other.faults;
        self.messages += other.messages;
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
    extractor: Extractor,
    searcher: Searcher,
    /// How much of the chunk at hand the searcher was fed.
    fed: usize,
    report: Report,
    stage: Stage,
    step: Step,
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
            extractor: config.extractor.build(),
            searcher: Searcher::new(Options {
                extractor: config.extractor,
                headers: config.mail.headers,
                message_ends: config.has_records(),
            }),
            fed: 0,
            report: Report::new(config),
            stage: Stage::Next,
            step: Step::Begin,
        }
    }

    /// Does work, or what is left of it.
    pub fn run(&mut self, work: &mut Work, out: &mut Output) -> Progress {
        match work {
            Work::Batch(batch) => self.batch(batch, out),
            Work::Piece(piece) => self.piece(piece, out),
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
                let least = Cutter::buffer_len(self.report.config.segment);
                if buffer.len() < least {
                    buffer.resize(least, 0);
                }
                match self.open(file, buffer) {
                    Ok(kind) => self.begin(kind, Position::START),
                    Err(error) => {
                        out.faults.push(Fault::at(Some(path), 0, &error));
                        *next += 1;
                        continue;
                    }
                }
            }
            let progress = match &mut self.stage {
                Stage::Whole(len) => {
                    let len = *len;
                    self.whole(&buffer[..len], 0, Some(path), out)
                }
                _ => self.stream(buffer, path, out),
            };
            if progress == Progress::Full {
                return Progress::Full;
            }
            self.stage = Stage::Next;
            self.report.end(Some(path), out);
            *next += 1;
        }
        Progress::Done
    }

    /// Opens a small file and reads what fits into the buffer: all of it,
    /// unless it has grown since it was found.
    fn open(&mut self, file: &super::input::feed::Small, buffer: &mut [u8]) -> io::Result<Kind> {
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
        let kind = Kind::of(&buffer[..len], eof, &self.report.config);
        self.stage = if let Some(encoding) = utf16::encoding(&buffer[..len]) {
            Stage::Stream {
                rdr: Box::new(Transcoder::new(rdr, &buffer[..len], encoding)),
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
        Ok(kind)
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
            Kind::Text | Kind::Utf16 => self.extractor.reset(at.offset, at.line),
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
        if report.around.is_some() || matches!(report.kind, Kind::Mail(_)) {
            return self.chunk(bytes, true, path, out);
        }
        if self.step == Step::Begin {
            out.counts.bytes += bytes.len() as u64;
            self.step = Step::GoOn;
        }
        if !report.is_satisfied() {
            let mut sink =
                |hit: &Hit| Ok::<bool, Infallible>(report.hit(hit, bytes, offset, path, out));
            let Ok(_) = self.extractor.search_here(bytes, &mut sink);
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
            let mut sink = |hit: &Hit| {
                Ok::<bool, Infallible>(report.hit(hit, &tail.bytes, tail.base, path, out))
            };
            let Ok(_) = match self.step {
                Step::Begin => self.extractor.feed(bytes, &mut sink),
                Step::GoOn => self.extractor.feed(&[], &mut sink),
                Step::Finish => self.extractor.finish(&mut sink),
            };
            self.report.tail = tail;
            let stopped = std::mem::take(&mut self.report.stopped_full);
            let eof = self.step == Step::Finish && !stopped;
            self.report.settle(self.extractor.settled(), eof, path, out);
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
                &mut Mail {
                    report: &mut self.report,
                    path,
                    out,
                },
            );
        }
        if last && !self.report.is_satisfied() {
            if out.is_full() {
                return Progress::Full;
            }
            self.searcher.finish(&mut Mail {
                report: &mut self.report,
                path,
                out,
            });
        }
        self.step = Step::Begin;
        Progress::Done
    }
}

/// Takes what is found in messages.
struct Mail<'m> {
    report: &'m mut Report,
    path: Option<&'m [u8]>,
    out: &'m mut Output,
}

impl Finds for Mail<'_> {
    fn find(&mut self, find: &Find<'_>) -> bool {
        self.report.find(find, self.path, self.out)
    }

    fn message(&mut self, message: &Message<'_>) -> bool {
        self.out.counts.messages += 1;
        self.report.in_message.clear();
        self.report.config.mail.wants_message(message.info)
    }

    fn note(&mut self, note: &Note<'_>) {
        self.out.counts.notes += 1;
        let config = &self.report.config;
        let text = note.text.to_string();
        if config.mode == Mode::Json {
            let info = NoteInfo {
                path: self.path,
                offset: note.at,
                message: note.message,
                part: note.part,
                kind: note.name,
                text: &text,
            };
            self.report.printer.note(&info, &mut self.out.text);
        }
        if config.mail.notes {
            self.out.notes.push(Fault {
                path: self.path.map(<[u8]>::to_vec),
                offset: note.at,
                text,
            });
        }
    }
}

/// Takes hits, and prints those that are wanted.
struct Report {
    config: Arc<Config>,
    filter: Filter,
    printer: Printer,
    kind: Kind,
    /// How many hits of this text were printed or wait to be.
    hits: u64,
    /// How many are enough.
    limit: u64,
    /// True if it was a full output that made [`Report::hit`] return false.
    stopped_full: bool,
    /// Where the line of the last column starts, and up to where that is known.
    line_start: u64,
    line_known: u64,
    /// What was fed last, if lines or columns are printed.
    tail: Tail,
    has_tail: bool,
    around: Option<Around>,
    canonical: Vec<u8>,
    /// The URLs of the message at hand, where each is wanted once.
    in_message: HashSet<u128>,
}

impl Report {
    fn new(config: &Arc<Config>) -> Report {
        let limit = if config.first_is_enough() {
            1
        } else {
            config.max_count.unwrap_or(u64::MAX)
        };
        Report {
            filter: config.filter.clone(),
            printer: config.printer.clone(),
            kind: Kind::Text,
            hits: 0,
            // Which hits are new is for the writer to say.
            limit: if config.unique && !config.first_is_enough() {
                u64::MAX
            } else {
                limit
            },
            stopped_full: false,
            line_start: 0,
            line_known: 0,
            tail: Tail::default(),
            has_tail: config.column || config.has_context(),
            around: config
                .has_context()
                .then(|| Around::new(config.context.0, config.context.1)),
            canonical: Vec::new(),
            in_message: HashSet::new(),
            config: Arc::clone(config),
        }
    }

    fn begin(&mut self, kind: Kind, offset: u64) {
        self.kind = kind;
        self.hits = 0;
        self.stopped_full = false;
        self.line_start = offset;
        self.line_known = offset;
        self.tail.reset(offset);
        if let Some(around) = &mut self.around {
            around.reset();
        }
    }

    /// True if nothing more of the text is wanted.
    fn is_satisfied(&self) -> bool {
        self.hits >= self.limit && self.around.as_ref().is_none_or(Around::is_empty)
    }

    /// Takes what was found in a message. Returns whether to go on.
    fn find(&mut self, find: &Find<'_>, path: Option<&[u8]>, out: &mut Output) -> bool {
        let hit = find.hit;
        if !self.accepts(hit) || !self.config.mail.wants_role(find.role) || self.hits >= self.limit
        {
            return true;
        }
        if self.config.mail.unique_per_message {
            let key = self.key(hit);
            if !self.in_message.insert(key) {
                return true;
            }
        }
        self.hits += 1;
        let message = find.message.as_ref().map(MessageInfo::from);
        let mut record = Record::found(path, find, message.as_ref());
        record.read_as = Some(self.kind.name());
        if self.counts_and_prints(hit, out) {
            self.printer.print(&record, &mut out.text);
        }
        self.mark(hit, out);
        self.hits < self.limit
    }

    /// True if the verdict and the URL are what is asked for.
    fn accepts(&self, hit: &Hit) -> bool {
        let wanted = match self.config.verdicts {
            Verdicts::Both => true,
            Verdicts::Accepted => hit.verdict().is_ok(),
            Verdicts::Rejected => hit.verdict().is_err(),
        };
        wanted && self.filter.accepts(hit)
    }

    /// Counts a hit, and says whether it is also to be printed as a record.
    fn counts_and_prints(&self, hit: &Hit, out: &mut Output) -> bool {
        out.counts.hits += 1;
        match self.config.mode {
            Mode::Count | Mode::Files { .. } | Mode::Quiet => false,
            Mode::Tally => {
                out.text.extend_from_slice(hit.url());
                false
            }
            _ => true,
        }
    }

    /// Takes a hit of a text of which `bytes`, the first of them at `base`,
    /// are at hand. Returns whether to go on.
    fn hit(
        &mut self,
        hit: &Hit,
        bytes: &[u8],
        base: u64,
        path: Option<&[u8]>,
        out: &mut Output,
    ) -> bool {
        if !self.accepts(hit) || !self.config.mail.wants_text() || self.hits >= self.limit {
            return true;
        }
        self.hits += 1;
        let column = self
            .config
            .column
            .then(|| self.column(hit.span().start, bytes, base));
        if let Some(around) = &mut self.around {
            self.stopped_full = !around.push(hit, column);
            return !self.stopped_full;
        }
        self.print(hit, column, path, out);
        self.mark(hit, out);
        self.stopped_full = out.is_full();
        !self.stopped_full && self.hits < self.limit
    }

    /// Bytes from the start of the line to `offset`, + 1. Hits come in order,
    /// so each byte is looked at once.
    fn column(&mut self, offset: u64, bytes: &[u8], base: u64) -> u64 {
        self.know_line(offset, bytes, base);
        offset - self.line_start.min(offset) + 1
    }

    fn know_line(&mut self, offset: u64, bytes: &[u8], base: u64) {
        let from = (self.line_known.max(base) - base) as usize;
        let to = (offset.max(base) - base) as usize;
        if let Some(new) = bytes.get(from..to) {
            if let Some(at) = memchr::memrchr(b'\n', new) {
                self.line_start = base + (from + at) as u64 + 1;
            }
            self.line_known = offset;
        }
    }

    fn print(&mut self, hit: &Hit, column: Option<u64>, path: Option<&[u8]>, out: &mut Output) {
        if !self.counts_and_prints(hit, out) {
            return;
        }
        let mut record = Record::plain(path, hit);
        record.read_as = Some(self.kind.name());
        record.place.column = column;
        if self.kind == Kind::Utf16 {
            record.place = Place {
                line: record.place.line,
                column,
                decoded: Some(hit.span()),
                ..Place::default()
            };
        }
        self.printer.print(&record, &mut out.text);
    }

    fn mark(&mut self, hit: &Hit, out: &mut Output) {
        if !self.config.is_marked() {
            return;
        }
        let key = if self.config.unique { self.key(hit) } else { 0 };
        out.marks.push(Mark::Hit {
            end: out.text.len(),
            key,
        });
    }

    /// A keyed hash of the canonical form; of the text, if it has none.
    fn key(&mut self, hit: &Hit) -> u128 {
        self.canonical.clear();
        match hit.verdict() {
            Ok(url) => url.canonical(&mut self.canonical),
            Err(_) => self.canonical.extend_from_slice(hit.url()),
        }
        self.config.keys.hash(&self.canonical)
    }

    /// Prints the hits whose lines are known, and forgets what no hit before
    /// `settled` needs.
    fn settle(&mut self, settled: u64, eof: bool, path: Option<&[u8]>, out: &mut Output) {
        if !self.has_tail {
            return;
        }
        let mut keep = settled;
        if let Some(mut around) = self.around.take() {
            let settled = if eof { u64::MAX } else { settled };
            while let Some(group) = around.next(&self.tail, settled, eof) {
                self.group(&group, path, out);
                around.recycle(group.hit);
            }
            keep = around.keep(settled);
            self.around = Some(around);
        }
        let keep = keep.min(self.tail.end());
        let tail = std::mem::take(&mut self.tail);
        self.know_line(keep, &tail.bytes, tail.base);
        self.tail = tail;
        self.tail.forget(keep);
    }

    /// Prints a hit with the lines around it.
    fn group(&mut self, group: &Group, path: Option<&[u8]>, out: &mut Output) {
        let hit = &group.hit;
        let tail = std::mem::take(&mut self.tail);
        if group.gap {
            self.printer.separator(&mut out.text);
        }
        let line = hit.line();
        let breaks = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() as u64;
        let of = |(from, to): (u64, u64)| {
            &tail.bytes[(from - tail.base) as usize..(to - tail.base) as usize]
        };
        let before = of(group.before);
        self.lines(
            before,
            group.before.0,
            line.map(|n| n.saturating_sub(breaks(before))),
            path,
            out,
        );
        self.print(hit, group.column, path, out);
        let after = of(group.after);
        let between = of((hit.span().start, group.after.0));
        self.lines(
            after,
            group.after.0,
            line.map(|n| n + breaks(between)),
            path,
            out,
        );
        self.mark(hit, out);
        self.tail = tail;
    }

    fn lines(
        &mut self,
        bytes: &[u8],
        offset: u64,
        number: Option<u64>,
        path: Option<&[u8]>,
        out: &mut Output,
    ) {
        let mut offset = offset;
        for (i, bytes) in bytes.split_inclusive(|&b| b == b'\n').enumerate() {
            let line = ContextLine {
                line: number.map(|n| n + i as u64),
                offset: (self.kind == Kind::Text).then_some(offset),
                bytes,
            };
            self.printer.context(path, &line, &mut out.text);
            offset += bytes.len() as u64;
        }
    }

    /// A file ended.
    fn end(&mut self, path: Option<&[u8]>, out: &mut Output) {
        out.counts.files += 1;
        if self.config.is_marked() {
            let path = path.filter(|_| self.config.names_files());
            out.marks.push(Mark::End {
                path: path.map(Into::into),
            });
        }
    }
}

/// Hashes URLs to 128 bits under a key of this run, so that nobody can prepare
/// two URLs that are taken for one.
#[derive(Debug, Default)]
pub struct Keys(RandomState, RandomState);

impl Keys {
    fn hash(&self, bytes: &[u8]) -> u128 {
        u128::from(self.0.hash_one(bytes)) << 64 | u128::from(self.1.hash_one(bytes))
    }
}
