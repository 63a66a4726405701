//! The lines around hits, and the columns of hits, in the text that is searched:
//! decoded text of a part, or plain text.
//!
//! The text that was searched last is kept. A hit is kept until its lines are
//! known. A line is known when it has ended and no further hit can begin on
//! it. A line is given once, however many hits are near it.

use std::collections::VecDeque;

use super::{Match, Note, Visitor};
use crate::mail::mime::PartInfo;
use crate::scan::line_feeds;
use crate::span::{SourceMap, Span};

/// The number of bytes before a hit that are searched for its lines. A longer
/// line is given in pieces of at most this length.
pub const LINES_REACH: usize = 64 << 10;

/// The number of bytes before a hit in a message that are searched for the
/// start of its line, to know its column.
const COLUMN_REACH: usize = 8 << 10;

/// How many lines around hits are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Lines before the line of a hit.
    pub before: usize,
    /// Lines after the last line of a hit.
    pub after: usize,
}

/// The reason why a [`Line`] is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A hit, or a part of one, is on it.
    Hit,
    /// It comes before a hit.
    Before,
    /// It comes after a hit.
    After,
}

/// A line of the text that was searched, with the hits on it. See
/// [`Visitor::line`].
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its bytes, with the line break, if it has one. A line over
    /// [`LINES_REACH`] comes in pieces.
    pub bytes: &'a [u8],
    /// Its number in the source, counted from 1; `None` if lines are not
    /// counted. If a part is decoded and the source does not hold the line, it
    /// is the number of the line on which the part begins.
    pub number: Option<u64>,
    /// Offset of its first byte in the source; `None` if the source does not
    /// hold it.
    pub offset: Option<u64>,
    /// The reason why it is given.
    pub kind: LineKind,
    /// Lines were left out between this line and the one before.
    pub gap: bool,
    /// Offset of its first byte in the text.
    at: u64,
    /// Offset after the last place that belongs to it.
    end: u64,
    shown: (&'a [Shown], &'a [Shown]),
}

/// A URL on a [`Line`].
#[derive(Clone, Copy, Debug)]
pub struct LineUrl<'a> {
    /// The bytes of the line that belong to the URL. `None` for the URL of an
    /// HTML link, which is not in the text.
    pub span: Option<Span>,
    /// The whole URL.
    pub url: &'a [u8],
    /// The line of the URL in the source, as [`Match::line`].
    pub line: Option<u64>,
    /// Offset of the URL in the source, if the source holds it.
    pub offset: Option<u64>,
}

impl<'a> Line<'a> {
    /// The URLs on it: one item for each run of bytes, in order. A URL that is
    /// rejoined from several lines is on each of them.
    pub fn urls(&self) -> impl Iterator<Item = LineUrl<'a>> {
        let (at, end) = (self.at, self.end);
        self.shown().flat_map(move |shown| {
            let link = (shown.is_link() && shown.start >= at).then_some(None);
            let inside = move |piece: &Span| {
                let (start, end) = (piece.start.max(at), piece.end.min(end));
                (start < end).then(|| Some(Span::new(start - at, end - at)))
            };
            let spans = shown.pieces.iter().filter_map(inside);
            link.into_iter().chain(spans).map(|span| LineUrl {
                span,
                url: &shown.url,
                line: shown.line,
                offset: shown.offset,
            })
        })
    }

    /// How many hits begin on it.
    #[must_use]
    pub fn hits(&self) -> usize {
        self.shown().filter(|shown| shown.start >= self.at).count()
    }

    /// The column of its first hit, as [`Match::column`].
    #[must_use]
    pub fn column(&self) -> Option<u64> {
        let first = self.shown().find(|shown| shown.start >= self.at);
        first.and_then(|shown| shown.column)
    }

    fn shown(&self) -> impl Iterator<Item = &'a Shown> {
        let (one, two) = self.shown;
        let end = self.end;
        one.iter().chain(two).take_while(move |s| s.start < end)
    }
}

/// A hit whose lines are not all known yet.
#[derive(Debug, Default)]
struct Shown {
    /// Text offsets. A link has no length.
    start: u64,
    end: u64,
    /// The bytes of the URL in the text, in order.
    pieces: Vec<Span>,
    url: Vec<u8>,
    line: Option<u64>,
    offset: Option<u64>,
    column: Option<u64>,
}

impl Shown {
    fn is_link(&self) -> bool {
        self.start == self.end
    }
}

/// Gives hits to the visitor, and keeps those whose lines it wants.
pub(super) struct Deliver<'d, V: Visitor> {
    pub(super) visitor: &'d mut V,
    pub(super) around: &'d mut Around,
}

impl<V: Visitor> Visitor for Deliver<'_, V> {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        let go_on = self.visitor.hit(found);
        if self.around.has_lines() && self.visitor.wants_lines(found) {
            self.around.push(found);
        }
        go_on
    }

    fn note(&mut self, note: &Note<'_>) {
        self.visitor.note(note);
    }
}

/// How the text was made from the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Origin {
    /// It is the source.
    #[default]
    Source,
    /// It is the source in another encoding.
    Transcoded,
    /// A map leads back to the source.
    Mapped,
}

/// See the module documentation.
#[derive(Debug, Default)]
pub(super) struct Around {
    columns: bool,
    context: Option<Context>,
    origin: Origin,
    /// The text that was searched last, and the offset of its first byte.
    bytes: Vec<u8>,
    base: u64,
    /// The map of these bytes, if the text is mapped.
    map: SourceMap,
    /// Source offset and column of the first byte of the part, if known.
    first: Option<(u64, u64)>,
    /// The line of the source on which the part begins; 0 if not known.
    part_line: u64,
    /// Offset of the start of the line of the last hit, and the offset up to
    /// which that start was searched for.
    line_start: u64,
    line_known: u64,
    /// A text offset, and the number of its line, counted in the text.
    numbered: (u64, u64),
    shown: VecDeque<Shown>,
    spare: Vec<Shown>,
    /// Offset of the next line to be given; `None` between groups of lines.
    next: Option<u64>,
    /// Lines that start before this are given.
    until: u64,
    /// The number of lines after a hit that are still to be given.
    after: usize,
    /// Offset up to which the end of the next line was searched for.
    looked: u64,
    /// Offset up to which lines of the text were given.
    given: Option<u64>,
    /// A line was given since the search began.
    any: bool,
}

impl Around {
    pub(super) fn new(columns: bool, context: Option<Context>) -> Around {
        Around {
            columns,
            context,
            ..Around::default()
        }
    }

    /// True if text is to be fed.
    pub(super) fn is_on(&self) -> bool {
        self.columns || self.context.is_some()
    }

    pub(super) fn has_lines(&self) -> bool {
        self.context.is_some()
    }

    /// True if lines of hits are not given yet.
    pub(super) fn is_pending(&self) -> bool {
        self.next.is_some() || !self.shown.is_empty()
    }

    /// Starts a file.
    pub(super) fn begin(&mut self) {
        self.any = false;
        self.reset(0, 0);
    }

    /// Starts plain text at `offset`, on line `line` (0: not known).
    pub(super) fn start_plain(&mut self, offset: u64, line: u64, transcoded: bool) {
        self.reset(offset, line);
        self.origin = match transcoded {
            true => Origin::Transcoded,
            false => Origin::Source,
        };
    }

    /// Starts the text of a part; its line is 0 if lines are not counted.
    pub(super) fn start_part(&mut self, part: &PartInfo<'_>, line: u64) {
        self.start_mapped(line, part.source.zip(part.column));
    }

    /// Starts a text that has a map.
    pub(super) fn start_mapped(&mut self, line: u64, first: Option<(u64, u64)>) {
        self.reset(0, u64::from(line > 0));
        self.map.reset(1);
        (self.origin, self.part_line, self.first) = (Origin::Mapped, line, first);
    }

    fn reset(&mut self, offset: u64, line: u64) {
        self.bytes.clear();
        self.base = offset;
        (self.line_start, self.line_known) = (offset, offset);
        self.numbered = (offset, line);
        self.spare.extend(self.shown.drain(..));
        (self.next, self.until, self.after, self.given) = (None, 0, 0, None);
        self.looked = offset;
    }

    /// The next bytes of the text, and its map if it has one.
    pub(super) fn feed(&mut self, bytes: &[u8], map: Option<&SourceMap>) {
        self.bytes.extend_from_slice(bytes);
        if let Some(map) = map {
            self.map.follow(map);
        }
    }

    /// The column of the text byte at `at`, which is not before that of the last
    /// call.
    pub(super) fn column(&mut self, at: u64) -> Option<u64> {
        self.column_of(&[], at)
    }

    /// As [`Around::column`]. The text is `whole`, unless it was fed.
    pub(super) fn column_of(&mut self, whole: &[u8], at: u64) -> Option<u64> {
        if !self.columns {
            return None;
        }
        self.know_line(whole, at);
        let before = at.saturating_sub(self.line_start);
        match self.origin {
            Origin::Source | Origin::Transcoded => Some(before + 1),
            Origin::Mapped if before > COLUMN_REACH as u64 => None,
            Origin::Mapped => self.map.column(self.line_start, at, self.first),
        }
    }

    /// Finds the start of the line of `at`. Each byte is examined once.
    fn know_line(&mut self, whole: &[u8], at: u64) {
        let bytes = if whole.is_empty() { &self.bytes } else { whole };
        let from = self.line_known.saturating_sub(self.base);
        let to = at.saturating_sub(self.base);
        if let Some(new) = bytes.get(from as usize..to as usize) {
            if let Some(feed) = memchr::memrchr(b'\n', new) {
                self.line_start = self.base + from + feed as u64 + 1;
            }
            self.line_known = at;
        }
    }

    /// Keeps a hit until its lines are known.
    fn push(&mut self, found: &Match<'_>) {
        let link = found.place.link();
        let mut shown = self.spare.pop().unwrap_or_default();
        let hit = found.hit;
        let span = link.map_or(hit.span(), |at| Span::new(at, at));
        (shown.start, shown.end) = (span.start, span.end);
        shown.line = found.line();
        shown.offset = found.source().map(|source| source.span().start);
        shown.column = found.column();
        shown.url.clear();
        shown.url.extend_from_slice(hit.url());
        shown.pieces.clear();
        if link.is_none() {
            let seams = hit.seams().iter().filter(|seam| seam.len > 0);
            shown.pieces.extend_from_slice(hit.segments());
            shown.pieces.extend(seams.map(|seam| seam.span));
            shown.pieces.sort_unstable_by_key(|piece| piece.start);
            shown.pieces.dedup_by(|next, last| {
                let touches = last.end == next.start;
                if touches {
                    last.end = next.end;
                }
                touches
            });
        }
        self.shown.push_back(shown);
    }

    /// Gives the lines that are known, and forgets text. All hits that begin
    /// before `settled` have been pushed; `eof`: no more text comes.
    ///
    /// Linear in the text: a byte is searched for line breaks at most three
    /// times.
    pub(super) fn advance<V: Visitor>(&mut self, settled: u64, eof: bool, visitor: &mut V) {
        if self.has_lines() {
            while self.line(settled, eof, visitor) {}
        }
        let end = self.end();
        let settled = settled.min(end);
        let first = self.shown.front().map_or(settled, |s| s.start.min(settled));
        // One byte more shows whether a line starts there.
        let reach = if self.has_lines() {
            LINES_REACH
        } else {
            COLUMN_REACH
        };
        let reach = first.saturating_sub(reach as u64 + 1);
        let keep = self.next.map_or(reach, |next| next.min(reach));
        self.know_line(&[], settled);
        self.forget(keep);
    }

    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Forgets the bytes before `keep`, if they are more than half of the
    /// text.
    fn forget(&mut self, keep: u64) {
        let drop = keep.saturating_sub(self.base) as usize;
        if drop > self.bytes.len() / 2 {
            self.number(keep);
            self.bytes.drain(..drop);
            self.base = keep;
            self.map.forget(keep.saturating_sub(1));
        }
    }

    /// Index of the byte at `offset`, or of the first or last one.
    fn index(&self, offset: u64) -> usize {
        (offset.saturating_sub(self.base) as usize).min(self.bytes.len())
    }

    /// The number of the line in the text that holds `offset`; 0 if lines are
    /// not counted. No call has a lower offset than the call before.
    fn number(&mut self, offset: u64) -> u64 {
        let (at, number) = self.numbered;
        if number > 0 && offset > at {
            let passed = &self.bytes[self.index(at)..self.index(offset)];
            self.numbered = (offset, number + line_feeds(passed));
        }
        self.numbered.1
    }

    /// Gives the next line that is wanted and known. Returns false if there is
    /// none.
    fn line<V: Visitor>(&mut self, settled: u64, eof: bool, visitor: &mut V) -> bool {
        let Some(at) = self.wanted() else {
            return false;
        };
        let text_end = self.end();
        if at >= text_end && self.shown.is_empty() {
            self.next = self.next.filter(|_| !eof);
            return false;
        }
        let Some(end) = self.line_end(at, eof) else {
            return false;
        };
        if end > settled && !eof {
            return false;
        }
        let last = eof && end == text_end;
        // A link after the last byte is on the last line.
        let hits_end = if last { u64::MAX } else { end };
        let gap = match self.given {
            Some(given) => given < at,
            None => self.any,
        };
        let number = self.number(at);
        let (number, offset) = self.place(at, number);
        let mut on_line = self.shown.iter().take_while(|s| s.start < hits_end);
        let kind = if on_line.any(|s| s.end > at || s.start >= at) {
            LineKind::Hit
        } else if self.after > 0 {
            LineKind::After
        } else {
            LineKind::Before
        };
        let line = Line {
            bytes: &self.bytes[self.index(at)..self.index(end)],
            number,
            offset,
            kind,
            gap,
            at,
            end: hits_end,
            shown: self.shown.as_slices(),
        };
        visitor.line(&line);
        for shown in line.shown() {
            self.until = self.until.max(shown.end);
        }
        self.after = match kind {
            LineKind::Hit => self.context.unwrap_or_default().after,
            LineKind::After => self.after - 1,
            LineKind::Before => 0,
        };
        while let Some(front) = self.shown.front()
            && front.start < hits_end
            && front.end <= end
            && let Some(shown) = self.shown.pop_front()
        {
            self.spare.push(shown);
        }
        (self.any, self.given, self.next) = (true, Some(end), Some(end));
        if last {
            self.spare.extend(self.shown.drain(..));
            self.next = None;
        }
        true
    }

    /// Offset of the next line that is wanted, if that is known.
    fn wanted(&mut self) -> Option<u64> {
        if let Some(next) = self.next
            && (next < self.until || self.after > 0)
        {
            return Some(next);
        }
        self.next = None;
        self.after = 0;
        let (start, end) = self.shown.front().map(|first| (first.start, first.end))?;
        // A link is on the line of the byte after it.
        self.until = end.max(start + 1);
        let given = self.given.unwrap_or(0);
        let low = given
            .max(start.saturating_sub(LINES_REACH as u64))
            .max(self.base);
        let low_index = self.index(low);
        let line_start = |end: usize| {
            let bytes = self.bytes.get(low_index..end)?;
            match memchr::memrchr(b'\n', bytes) {
                Some(at) => Some(low_index + at + 1),
                None if low_index == 0 || self.bytes[low_index - 1] == b'\n' => Some(low_index),
                None => None,
            }
        };
        // A line that is too long is given from its middle on.
        let mut from = line_start(self.index(start)).unwrap_or(low_index);
        for _ in 0..self.context.unwrap_or_default().before {
            match from
                .checked_sub(1)
                .filter(|_| from > low_index)
                .and_then(line_start)
            {
                Some(line) => from = line,
                None => break,
            }
        }
        self.next = Some(self.base + from as u64);
        self.looked = self.base + from as u64;
        self.next
    }

    /// Offset after the line that begins at `at`, if it is known.
    fn line_end(&mut self, at: u64, eof: bool) -> Option<u64> {
        let limit = (at + LINES_REACH as u64).min(self.end());
        let from = self.looked.clamp(at, limit);
        let bytes = &self.bytes[self.index(from)..self.index(limit)];
        self.looked = limit;
        match memchr::memchr(b'\n', bytes) {
            Some(i) => {
                let end = from + i as u64 + 1;
                // The same end may be asked for again.
                self.looked = end - 1;
                Some(end)
            }
            None if limit == at + LINES_REACH as u64 || eof => Some(limit),
            None => None,
        }
    }

    /// The number and the offset in the source of the line that begins at `at`
    /// and has this number in the text.
    fn place(&self, at: u64, number: u64) -> (Option<u64>, Option<u64>) {
        let number = (number > 0).then_some(number);
        match self.origin {
            Origin::Source => (number, Some(at)),
            Origin::Transcoded => (number, None),
            Origin::Mapped => {
                let delta = self.map.line_delta(at);
                let of_source =
                    |n: u64| delta.map_or(self.part_line, |d| n.saturating_add_signed(d));
                let offset = self
                    .map
                    .extent(Span::new(at, at + 1))
                    .map(|span| span.start);
                (number.map(of_source), offset)
            }
        }
    }
}
