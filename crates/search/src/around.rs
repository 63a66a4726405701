//! Gives the lines around hits, and the columns of hits, in the text that is
//! searched. That text is plain text, or the decoded text of a part.
//!
//! The most recent text is kept. A hit is kept until its lines are complete. A
//! line is complete when it has ended and no further hit can begin on it. Each
//! line is given once, even if several hits are near it.

use std::collections::VecDeque;
use std::ops::ControlFlow;

use super::place::Origin;
use super::{LINK_BYTES, LINKS};
use super::{Match, Note, Visitor};
use urlgrep_base::span::{SourceMap, Span};
use urlgrep_containers::MARK;
use urlgrep_find::scan::line_feeds;
use urlgrep_mail::mime::PartInfo;

/// The number of bytes before a hit that are searched for its lines. A longer
/// line is given in pieces of at most this length.
pub const LINES_REACH: usize = 64 << 10;

/// The number of bytes before a hit in a message that are searched for the
/// start of its line. The start is needed for the column.
const COLUMN_REACH: usize = 8 << 10;

/// The maximum number of unused hits whose memory is kept, and the maximum size
/// of each.
const SPARE: usize = 1024;
const SPARE_BYTES: usize = 1024;

/// The number of lines around hits that are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Lines before the first line of a hit.
    pub before: usize,
    /// Lines after the last line of a hit.
    pub after: usize,
}

/// The reason why a [`Line`] is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineKind {
    /// A hit, or a part of a hit, is on the line.
    Hit,
    /// The line comes before a hit.
    Before,
    /// The line comes after a hit.
    After,
}

/// A line of the searched text, with the hits on it. See [`Visitor::line`].
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// The bytes of the line, including its line break if it has one. A line
    /// over 64 KiB comes in pieces, and so does a line of HTML or XML with more than
    /// 1,024 links or 256 KiB of links.
    pub bytes: &'a [u8],
    /// The number of the line in the source, counted from 1. `None` if lines
    /// are not counted. If the source does not contain the line, this is the
    /// line on which its part begins.
    pub number: Option<u64>,
    /// Offset of the first byte in the source. `None` if the source does not
    /// contain the line.
    pub offset: Option<u64>,
    /// The reason why the line is given.
    pub kind: LineKind,
    /// True if lines were left out before this line.
    pub gap: bool,
    /// Text offset of the first byte.
    at: u64,
    /// A hit is on the line if it begins before this text offset.
    end: u64,
    shown: (&'a [Shown], &'a [Shown]),
}

/// A URL on a [`Line`].
#[derive(Clone, Copy, Debug)]
pub struct LineUrl<'a> {
    /// The bytes of the line that belong to the URL. `None` for the target of
    /// an HTML link, which is not in the text.
    pub span: Option<Span>,
    /// The whole URL.
    pub url: &'a [u8],
    /// The line of the URL in the source, as in [`Match::line`].
    pub line: Option<u64>,
    /// Offset of the URL in the source, if the source contains the URL.
    pub offset: Option<u64>,
}

impl<'a> Line<'a> {
    /// The URLs on the line, in order. There is one item for each run of bytes.
    /// A URL that was joined from several lines is on each of them.
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

    /// The number of hits that begin on the line.
    #[must_use]
    pub fn hits(&self) -> usize {
        self.shown().filter(|shown| shown.start >= self.at).count()
    }

    /// The column of the first hit on the line, as in [`Match::column`].
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

/// A hit whose lines have not all been given.
#[derive(Debug, Default)]
struct Shown {
    /// Text offsets. For a link both are the same.
    start: u64,
    end: u64,
    /// The spans of the URL in the text, in order.
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

    /// The approximate size in bytes.
    fn weight(&self) -> usize {
        size_of::<Shown>() + self.url.capacity() + self.pieces.capacity() * size_of::<Span>()
    }
}

/// What comes after the text that was fed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rest {
    /// More text, on the same line.
    Text,
    /// More text, on a line of its own.
    OtherLine,
    /// Nothing.
    Nothing,
}

/// Passes hits to the visitor, and keeps those whose lines it wants.
pub(super) struct Deliver<'d> {
    pub(super) visitor: &'d mut dyn Visitor,
    pub(super) around: &'d mut Around,
}

impl Visitor for Deliver<'_> {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
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

/// Keeps text and hits until their lines can be given. See the module
/// documentation.
///
/// It is one thing: the text that is kept, the next wanted line in it and the last line that was
/// given are offsets in the same text, and move together.
#[derive(Debug, Default)]
pub(super) struct Around {
    columns: bool,
    context: Option<Context>,
    /// [`Origin::Mapped`] also if the source does not contain the text.
    origin: Origin,
    /// The most recent text, and the offset of its first byte.
    bytes: Vec<u8>,
    base: u64,
    /// The map of these bytes. Empty if the text has no map.
    map: SourceMap,
    /// The file begins with a byte order mark.
    has_mark: bool,
    /// Source offset and column of the part's first byte, if known.
    first: Option<(u64, u64)>,
    /// The source line on which the part begins. 0 if unknown.
    part_line: u64,
    /// Offset of the start of the last hit's line, and the offset up to which
    /// line starts were searched for.
    line_start: u64,
    line_known: u64,
    /// A text offset and its line number in the text.
    numbered: (u64, u64),
    shown: VecDeque<Shown>,
    spare: Vec<Shown>,
    /// Offset of the next line to give. `None` between groups of lines.
    next: Option<u64>,
    /// Lines that start before this offset are given.
    until: u64,
    /// The number of lines after a hit that have not been given yet.
    after: usize,
    /// Offset up to which the end of the next line was searched for.
    looked: u64,
    /// Offset up to which lines were given. `None` before the first line of the
    /// text.
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

    /// True if the caller must feed text.
    pub(super) fn is_on(&self) -> bool {
        self.columns || self.context.is_some()
    }

    pub(super) fn wants_columns(&self) -> bool {
        self.columns
    }

    pub(super) fn has_lines(&self) -> bool {
        self.context.is_some()
    }

    /// True if some lines of hits have not been given yet.
    pub(super) fn is_pending(&self) -> bool {
        self.next.is_some() || !self.shown.is_empty()
    }

    /// Starts a file.
    pub(super) fn begin(&mut self) {
        self.any = false;
        self.has_mark = false;
        self.reset(0, 0);
    }

    /// The file begins with a byte order mark, which is in its first line but in no text.
    pub(super) fn begin_with_mark(&mut self) {
        self.has_mark = true;
    }

    /// Starts plain text at `offset`, on line `line`. Line 0 means unknown.
    pub(super) fn start_plain(&mut self, offset: u64, line: u64, transcoded: bool) {
        self.reset(offset, line);
        self.origin = if transcoded {
            Origin::Transcoded
        } else {
            Origin::Source
        };
    }

    /// Starts the text of a part. `line` is 0 if lines are not counted.
    pub(super) fn start_part(&mut self, part: &PartInfo<'_>, line: u64) {
        self.start_mapped(line, part.source.zip(part.column));
    }

    /// Starts a text with a map.
    pub(super) fn start_mapped(&mut self, line: u64, first: Option<(u64, u64)>) {
        self.reset(0, u64::from(line > 0));
        self.map.reset(1);
        self.origin = Origin::Mapped;
        self.part_line = line;
        self.first = first.map(|(source, column)| (source, self.column_in_file(source, column)));
    }

    /// The column in the line of the file, which a byte order mark may begin, of the byte at the
    /// offset `source` that is at `column` in its line of the message.
    pub(super) fn column_in_file(&self, source: u64, column: u64) -> u64 {
        let mark = MARK.len() as u64;
        let is_after_mark = self.has_mark && source + 1 == mark + column;
        if is_after_mark { mark + column } else { column }
    }

    fn reset(&mut self, offset: u64, line: u64) {
        self.bytes.clear();
        self.base = offset;
        self.line_start = offset;
        self.line_known = offset;
        self.numbered = (offset, line);
        self.drop_shown(self.shown.len());
        self.next = None;
        self.until = 0;
        self.after = 0;
        self.given = None;
        self.looked = offset;
    }

    /// Adds the next bytes of the text, and its map if it has one.
    pub(super) fn feed(&mut self, bytes: &[u8], map: Option<&SourceMap>) {
        self.bytes.extend_from_slice(bytes);
        if let Some(map) = map {
            self.map.follow_to(map, self.end());
        }
    }

    /// The column of the text byte at `at`. `at` must not decrease between
    /// calls.
    pub(super) fn column(&mut self, at: u64) -> Option<u64> {
        self.column_of(&[], at)
    }

    /// As [`Around::column`], for a text that is in `whole`. If `whole` is
    /// empty, the text was fed.
    pub(super) fn column_of(&mut self, whole: &[u8], at: u64) -> Option<u64> {
        if !self.columns {
            return None;
        }
        self.know_line(whole, at);
        let before = at.saturating_sub(self.line_start);
        match self.origin {
            Origin::Source | Origin::Transcoded => Some(before + 1),
            _ if before > COLUMN_REACH as u64 => None,
            _ => self.map.column(self.line_start, at, self.first),
        }
    }

    /// Finds the start of the line with the byte at `at`. Each byte is examined
    /// once.
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

    /// Keeps a hit until its lines are complete.
    fn push(&mut self, found: &Match<'_>) {
        let link = found.place.link;
        let mut shown = self.spare.pop().unwrap_or_default();
        let hit = found.hit;
        let span = link.map_or(hit.span(), |at| Span::new(at, at));
        shown.start = span.start;
        shown.end = span.end;
        shown.line = found.line();
        shown.offset = found.source().map(|source| source.span().start);
        shown.column = found.column();
        hit.text().clone_into(&mut shown.url);
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

    /// Gives the complete lines, and drops text that is no longer needed. All
    /// hits that begin before `settled` must have been pushed. `eof` means that
    /// no more text comes.
    ///
    /// Linear in the text. Each byte is searched for line breaks at most three
    /// times.
    pub(super) fn advance(&mut self, settled: u64, eof: bool, visitor: &mut dyn Visitor) {
        if self.has_lines() {
            let rest = if eof { Rest::Nothing } else { Rest::Text };
            while self.line(settled, rest, visitor) {}
        }
        let end = self.end();
        let settled = settled.min(end);
        let first = self.shown.front().map_or(settled, |s| s.start.min(settled));
        // One byte more is kept. It shows whether a line starts after it.
        let reach = |bytes: usize| first.saturating_sub(bytes as u64 + 1);
        let mut keep = reach(COLUMN_REACH);
        if self.has_lines() {
            // No line is given twice.
            let given = self.given.unwrap_or(0).saturating_sub(1);
            keep = keep.min(reach(LINES_REACH).max(given));
        }
        let keep = self.next.map_or(keep, |next| next.min(keep));
        self.know_line(&[], settled);
        self.forget(keep);
    }

    /// Ends the line at the end of the text so far, if one more link would be the
    /// [`LINKS`]th hit on it, or if its hits have [`LINK_BYTES`]. A page can have any number
    /// of links with no text between them, so its line may never end. All hits in the text so
    /// far must have been pushed.
    pub(super) fn end_long_line(&mut self, visitor: &mut dyn Visitor) {
        let end = self.end();
        self.advance(end, false, visitor);
        let weight: usize = self.shown.iter().map(Shown::weight).sum();
        if self.shown.len() + 1 >= LINKS as usize || weight >= LINK_BYTES {
            while self.line(end, Rest::OtherLine, visitor) {}
        }
    }

    /// Drops the first `number` hits. The memory of a few is kept for other hits.
    fn drop_shown(&mut self, number: usize) {
        for shown in self.shown.drain(..number) {
            if self.spare.len() < SPARE && shown.weight() <= SPARE_BYTES {
                self.spare.push(shown);
            }
        }
    }

    fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Drops the bytes before `keep`, if they are more than half of the text, and their
    /// map at once, because it can be a hundred times as large.
    fn forget(&mut self, keep: u64) {
        self.map.forget(keep.saturating_sub(1));
        let drop = keep.saturating_sub(self.base) as usize;
        if drop > self.bytes.len() / 2 {
            self.number(keep);
            self.bytes.drain(..drop);
            self.base = keep;
        }
    }

    /// Index of the byte at `offset`. An offset outside of the text gives the
    /// nearest index.
    fn index(&self, offset: u64) -> usize {
        (offset.saturating_sub(self.base) as usize).min(self.bytes.len())
    }

    /// The line number of `offset` in the text. 0 if lines are not counted.
    /// `offset` must not decrease between calls.
    fn number(&mut self, offset: u64) -> u64 {
        let (at, number) = self.numbered;
        if number > 0 && offset > at {
            let passed = &self.bytes[self.index(at)..self.index(offset)];
            self.numbered = (offset, number + line_feeds(passed));
        }
        self.numbered.1
    }

    /// Gives the next line if it is wanted and complete. Returns false if there
    /// is none.
    #[expect(
        clippy::too_many_lines,
        reason = "one line, from its start to the hits that it gives"
    )]
    fn line(&mut self, settled: u64, rest: Rest, visitor: &mut dyn Visitor) -> bool {
        let ends = rest != Rest::Text;
        let Some(at) = self.wanted() else {
            return false;
        };
        let text_end = self.end();
        if at >= text_end && self.shown.is_empty() {
            self.next = self.next.filter(|_| rest != Rest::Nothing);
            return false;
        }
        let Some(end) = self.line_end(at, ends) else {
            return false;
        };
        if end > settled && !ends {
            return false;
        }
        let last = ends && end == text_end;
        // A link after the last byte counts as on the last line.
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
        let is_done = |shown: &&Shown| shown.start < hits_end && shown.end <= end;
        let done = self.shown.iter().take_while(is_done).count();
        self.drop_shown(done);
        self.any = true;
        self.given = Some(end);
        self.next = Some(end);
        if last {
            self.drop_shown(self.shown.len());
            // A link at the end was on this line, so the next one has no part of it.
            self.until = end;
            self.next = self.next.filter(|_| rest != Rest::Nothing);
        }
        true
    }

    /// Offset of the next wanted line, if known.
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
        // A line that is too long is given from the search limit on.
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

    /// Offset after the line that begins at `at`, if known. `ends` means that the line
    /// does not go on after the text so far.
    fn line_end(&mut self, at: u64, ends: bool) -> Option<u64> {
        let limit = (at + LINES_REACH as u64).min(self.end());
        let from = self.looked.clamp(at, limit);
        let bytes = &self.bytes[self.index(from)..self.index(limit)];
        self.looked = limit;
        match memchr::memchr(b'\n', bytes) {
            Some(i) => {
                let end = from + i as u64 + 1;
                // Another call may ask for the same end.
                self.looked = end - 1;
                Some(end)
            }
            None if limit == at + LINES_REACH as u64 || ends => Some(limit),
            None => None,
        }
    }

    /// The source line and the source offset of a line. The line begins at
    /// `at`, and has the number `number` in the text.
    fn place(&self, at: u64, number: u64) -> (Option<u64>, Option<u64>) {
        let number = (number > 0).then_some(number);
        match self.origin {
            Origin::Source => (number, Some(at)),
            Origin::Transcoded => (number, None),
            _ => {
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
