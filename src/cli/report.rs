//! What becomes of a hit: it is filtered, printed, marked for the writer.

use std::collections::HashSet;
use std::sync::Arc;

use super::config::{Config, Mode, Verdicts};
use super::context::{Around, Group, Tail};
use super::filter::Filter;
use super::output::{Mark, Output, Told};
use super::print::{ContextLine, Printer};
use urlgrep::Hit;
use urlgrep::engine::Kind;
use urlgrep::record::{NoteRecord, Record};
use urlgrep::search::{Match, Message, Note, NoteKind, Visitor};

/// Takes what is found in a file.
pub struct Take<'m> {
    pub report: &'m mut Report,
    pub path: Option<&'m [u8]>,
    /// The bytes of plain text that are at hand, for its columns.
    pub text: Text<'m>,
    pub out: &'m mut Output,
}

/// Bytes of plain text.
#[derive(Clone, Copy, Default)]
pub struct Text<'t> {
    pub bytes: &'t [u8],
    /// Offset of the first of them.
    pub base: u64,
}

impl Visitor for Take<'_> {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        self.report.hit(found, self.text, self.path, self.out)
    }

    fn message(&mut self, message: &Message<'_>) -> bool {
        let has_group = !message.info.newsgroups().is_empty() || !message.info.list_id().is_empty();
        self.out.counts.messages += 1;
        self.out.counts.grouped += u64::from(has_group);
        self.report.in_message.clear();
        self.report.config.mail.wants_message(message.info)
    }

    fn note(&mut self, note: &Note<'_>) {
        self.out.counts.notes += 1;
        if let NoteKind::Message(kind) = note.kind
            && let Some(what) = kind.unsearched()
        {
            *self.out.counts.unsearched.entry(what).or_default() += 1;
        }
        let config = &self.report.config;
        if config.mode == Mode::Json && config.mail.notes {
            let record = NoteRecord {
                path: self.path,
                note: *note,
            };
            self.report.printer.note(&record, &mut self.out.text);
            if config.is_marked() {
                let end = self.out.text.len();
                self.out.marks.push(Mark::Note { end });
            }
        }
        if config.mail.notes {
            let told = Told {
                path: self.path.map(<[u8]>::to_vec),
                offset: note.at,
                text: note.kind.to_string(),
            };
            if config.is_marked() {
                self.out.marks.push(Mark::Told(Box::new(told)));
            } else {
                self.out.notes.push(told);
            }
        }
    }
}

/// Takes hits, and prints those that are wanted.
pub struct Report {
    pub config: Arc<Config>,
    filter: Filter,
    printer: Printer,
    pub kind: Kind,
    /// How many hits of this text were printed or wait to be.
    hits: u64,
    /// How many are enough.
    limit: u64,
    /// True if it was a full output that made [`Report::hit`] return false.
    pub stopped_full: bool,
    /// Where the line of the last column starts, and up to where that is known.
    line_start: u64,
    line_known: u64,
    /// What was fed last, if lines or columns are printed.
    pub tail: Tail,
    pub has_tail: bool,
    around: Option<Around>,
    canonical: Vec<u8>,
    /// The URLs of the message at hand, where each is wanted once.
    in_message: HashSet<u128>,
}

impl Report {
    /// Takes hits as `config` says.
    pub fn new(config: &Arc<Config>) -> Report {
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

    /// A text begins.
    pub fn begin(&mut self, kind: Kind, offset: u64) {
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

    /// True if lines around hits are printed.
    pub fn has_around(&self) -> bool {
        self.around.is_some()
    }

    /// True if nothing more of the text is wanted.
    pub fn is_satisfied(&self) -> bool {
        self.hits >= self.limit && self.around.as_ref().is_none_or(Around::is_empty)
    }

    /// Takes a hit. Returns whether to go on.
    fn hit(
        &mut self,
        found: &Match<'_>,
        text: Text<'_>,
        path: Option<&[u8]>,
        out: &mut Output,
    ) -> bool {
        let hit = found.hit;
        let in_message = found.message.is_some();
        let mail = &self.config.mail;
        let wanted = if in_message {
            mail.wants_role(found.role())
        } else {
            mail.wants_text()
        };
        if !wanted || !self.accepts(hit) || self.hits >= self.limit {
            return true;
        }
        if in_message && mail.unique_per_message {
            let key = self.key(hit);
            if !self.in_message.insert(key) {
                return true;
            }
        }
        self.hits += 1;
        let column = (self.config.column && !in_message)
            .then(|| self.column(hit.span().start, text.bytes, text.base));
        if self.around.is_some() {
            self.know_line(hit.span().start, text.bytes, text.base);
        }
        if let Some(around) = &mut self.around {
            self.stopped_full = !around.push(hit, self.line_start, column);
            return !self.stopped_full;
        }
        self.print(found, column, path, out);
        self.mark(hit, out);
        // What is found in one message cannot be taken back.
        self.stopped_full = !in_message && out.is_full();
        !self.stopped_full && self.hits < self.limit
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

    fn print(
        &mut self,
        found: &Match<'_>,
        column: Option<u64>,
        path: Option<&[u8]>,
        out: &mut Output,
    ) {
        let hit = found.hit;
        if self.counts_and_prints(hit, out) && !self.printer.print_url(hit, &mut out.text) {
            let record = Record {
                read_as: Some(self.kind.name()),
                column,
                ..Record::new(path, *found)
            };
            self.printer.print(&record, &mut out.text);
        }
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
            Ok(url) => url.canonical_into(&mut self.canonical),
            Err(_) => self.canonical.extend_from_slice(hit.url()),
        }
        self.config.keys.hash(&self.canonical)
    }

    /// Prints the hits whose lines are known, and forgets what no hit before
    /// `settled` needs.
    pub fn settle(&mut self, settled: u64, eof: bool, path: Option<&[u8]>, out: &mut Output) {
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
        let found = match self.kind {
            Kind::Utf16 => Match::transcoded(hit),
            _ => Match::plain(hit),
        };
        self.print(&found, group.column, path, out);
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

    /// A file ended, which was read in this way.
    pub fn end(&mut self, kind: Kind, path: Option<&[u8]>, out: &mut Output) {
        out.counts.files += 1;
        *out.counts.kinds.entry(kind.name()).or_default() += 1;
        if self.config.is_marked() {
            let path = path.filter(|_| self.config.names_files());
            out.marks.push(Mark::End {
                path: path.map(Into::into),
            });
        }
    }
}
