//! The map from a decoded text back to its source.

use std::collections::VecDeque;

use super::{Seam, SeamKind, Span};

/// Maps the bytes of a decoded text to the bytes of its source. It is built
/// while the text is decoded.
///
/// Its entries cover the text in order, without gaps. There are three kinds. A
/// *copy* has the same bytes in the source. A *seam* has source bytes that were
/// removed or decoded to other bytes. The text of an *opaque* entry is not in
/// the source, because it was in base64 or in another charset.
///
/// Memory is proportional to the number of entries. [`SourceMap::forget`] drops
/// the entries that no hit can reach any more, so the map of a stream stays
/// bounded.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// Ordered by `text`. Each entry begins where the previous one ends.
    entries: VecDeque<MapEntry>,
    /// The number of entries dropped from the front.
    dropped: u64,
    /// Text offset after the last entry.
    end: u64,
    /// The number of line feeds so far in the source, minus the number in the
    /// text.
    delta: i64,
    /// Nobody asks for places: there are no entries, only an end.
    is_off: bool,
}

/// There may be two entries for each byte, and the lines around hits are found in a map of
/// 64 KiB of text, so an entry is as small as it can be.
#[derive(Clone, Copy, Debug)]
struct MapEntry {
    /// Text offset of the first byte.
    text: u64,
    /// The length, and the kind in the lowest byte.
    len_and_kind: u64,
    /// The source bytes. A copy has exactly as many as its length. An opaque entry has
    /// an empty span.
    source: Span,
    /// Source line number minus text line number, from the first byte of this
    /// entry on.
    delta: i64,
}

const _: () = assert!(size_of::<MapEntry>() == 40);

impl MapEntry {
    /// The number of bytes of text. 0 for a removal.
    #[inline]
    fn len(&self) -> u64 {
        self.len_and_kind >> 8
    }

    /// The text offset after the last byte.
    #[inline]
    fn end(&self) -> u64 {
        self.text + self.len()
    }

    #[inline]
    fn kind(&self) -> MapEntryKind {
        match self.len_and_kind as u8 {
            COPY => MapEntryKind::Copy,
            OPAQUE => MapEntryKind::Opaque,
            seam => MapEntryKind::Seam(SeamKind::ALL[usize::from(seam - FIRST_SEAM)]),
        }
    }

    #[inline]
    fn is_copy(&self) -> bool {
        self.len_and_kind as u8 == COPY
    }

    #[inline]
    fn is_opaque(&self) -> bool {
        self.len_and_kind as u8 == OPAQUE
    }
}

/// A map of this many entries (640 KiB) no longer doubles.
const LARGE_MAP: usize = 16 * 1024;

// The kinds of entries as bytes. Seams come after the others.
const COPY: u8 = 0;
const OPAQUE: u8 = 1;
const FIRST_SEAM: u8 = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MapEntryKind {
    Copy,
    Seam(SeamKind),
    Opaque,
}

impl SourceMap {
    /// An empty map for a text that starts on line `line` of the source
    /// (counted from 1).
    #[must_use]
    pub fn new(line: u64) -> SourceMap {
        let mut map = SourceMap::default();
        map.reset(line);
        map
    }

    /// Empties the map for another text, which starts on line `line` of the
    /// source (counted from 1). Keeps its allocation.
    pub fn reset(&mut self, line: u64) {
        self.entries.clear();
        self.dropped = 0;
        self.end = 0;
        self.delta = line as i64 - 1;
    }

    /// Makes room for this many entries.
    pub fn reserve(&mut self, entries: usize) {
        if !self.is_off {
            self.entries.reserve(entries);
        }
    }

    /// Text offset after the last entry.
    #[must_use]
    pub fn text_end(&self) -> u64 {
        self.end
    }

    /// Appends `len` bytes of text that are a copy of the source bytes at
    /// `source`.
    #[inline]
    pub fn copy(&mut self, source: u64, len: u64) {
        if len == 0 {
            return;
        }
        if let Some(last) = self.entries.back_mut()
            && last.is_copy()
            && last.source.end == source
        {
            last.len_and_kind += len << 8;
            last.source.end += len;
            self.end += len;
            return;
        }
        self.push(COPY, Span::new(source, source + len), len);
    }

    /// Appends `len` bytes of text that represent the source bytes `source`.
    /// `len` is 0 for a removal. `lines` is the number of line feeds in the
    /// source bytes, minus the number in the text bytes.
    #[inline]
    pub fn seam(&mut self, kind: SeamKind, source: Span, len: u32, lines: i64) {
        self.push(FIRST_SEAM + kind as u8, source, u64::from(len));
        self.delta += lines;
    }

    /// Sets that nobody asks for places. The map then has no entries, only an end.
    pub fn turn_off(&mut self, is_off: bool) {
        self.is_off = is_off;
    }

    /// True if nobody asks for places.
    #[inline]
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// Appends `len` bytes of text without a place in the source. For `lines`
    /// see [`SourceMap::seam`].
    pub fn opaque(&mut self, len: u64, lines: i64) {
        self.push(OPAQUE, Span::default(), len);
        self.delta += lines;
    }

    #[inline]
    fn push(&mut self, kind: u8, source: Span, len: u64) {
        if !self.is_off {
            if self.entries.len() == self.entries.capacity() {
                make_room(&mut self.entries, 1);
            }
            self.entries.push_back(MapEntry {
                text: self.end,
                len_and_kind: len << 8 | u64::from(kind),
                source,
                delta: self.delta,
            });
        }
        self.end += len;
    }

    /// Drops the entries that end at or before the text offset `before`.
    #[inline]
    pub fn forget(&mut self, before: u64) {
        // Most maps have one entry, which stays.
        if self.entries.len() > 1 {
            self.forget_entries(before);
        }
    }

    fn forget_entries(&mut self, before: u64) {
        let is_past = |entry: &&MapEntry| entry.end() <= before;
        let past = self.entries.iter().take_while(is_past).count();
        // One entry stays.
        let past = past.min(self.entries.len().saturating_sub(1));
        if past > 0 {
            self.entries.drain(..past);
            self.dropped += past as u64;
        }
    }

    /// Makes this map the part of `other` that covers the text from `from` on.
    /// This map must be empty, or an earlier part of `other`. `from` must not
    /// decrease between calls. The cost is that of the new entries, because
    /// existing entries are kept.
    pub fn copy_tail(&mut self, other: &SourceMap, from: u64) {
        // Fast path: most texts have one entry.
        if other.entries.len() == 1 {
            self.entries.clear();
            self.entries.extend(&other.entries);
            self.dropped = other.dropped;
            self.end = other.end;
            self.delta = other.delta;
            return;
        }
        let first = other.entries.partition_point(|entry| entry.end() <= from);
        // Keep one entry before `from`. It may be a removal at the start of a
        // URL there.
        let first = other.dropped + first.saturating_sub(1) as u64;
        let behind = first.saturating_sub(self.dropped);
        let behind = behind.min(self.entries.len() as u64);
        self.entries.drain(..behind as usize);
        self.dropped += behind;
        self.extend(other, first, u64::MAX);
    }

    /// Appends the entries that `other` has received since the last call.
    /// Entries that `other` has dropped since are kept.
    pub fn follow(&mut self, other: &SourceMap) {
        self.extend(other, other.dropped, u64::MAX);
    }

    /// As [`SourceMap::follow`], for the text before the offset `to` only.
    pub fn follow_to(&mut self, other: &SourceMap, to: u64) {
        self.extend(other, other.dropped, to);
    }

    /// Appends the entries that `other` has received since the last call and that begin before
    /// the text offset `to`. Those before its entry `first` are not needed.
    fn extend(&mut self, other: &SourceMap, first: u64, to: u64) {
        // Only the last entry can have grown.
        self.entries.pop_back();
        let mut next = self.dropped + self.entries.len() as u64;
        if next < first {
            self.entries.clear();
            self.dropped = first;
            next = first;
        }
        let new = ((next - other.dropped) as usize).min(other.entries.len());
        let last = if to < other.end {
            other.entries.partition_point(|entry| entry.text < to)
        } else {
            other.entries.len()
        };
        let added = other.entries.range(new..last.max(new));
        if added.len() > self.entries.capacity() - self.entries.len() {
            make_room(&mut self.entries, added.len());
        }
        self.entries.extend(added);
        self.end = other.end;
        self.delta = other.delta;
    }

    /// The source column of the text byte at `at`.
    ///
    /// `None` if the line up to that byte is not copied from the source. Marks
    /// that a mailbox puts before lines (`>` before `From `, a stuffed dot) may
    /// be removed. `line` is the text offset of the first byte of the line.
    /// `first` is the source offset and the column of the first byte of the
    /// text, if known.
    pub fn column(&self, line: u64, at: u64, first: Option<(u64, u64)>) -> Option<u64> {
        let from = match line.checked_sub(1) {
            Some(line_feed) => self.entry_at(line_feed)?,
            None => 0,
        };
        let mut entries = self.entries.range(from..);
        let head = *entries.next()?;
        // The source offset and the column of one byte of the line.
        let (start, column) = match line.checked_sub(1) {
            Some(line_feed) => (head.source.start + (line_feed - head.text), 0),
            None => first.filter(|first| head.text == 0 && head.source.start == first.0)?,
        };
        let mut end = head.source.start;
        for entry in std::iter::once(&head).chain(entries) {
            let is_mark = matches!(
                entry.kind(),
                MapEntryKind::Seam(SeamKind::FromQuote | SeamKind::DotStuff)
            );
            let is_kept = entry.is_copy() || (is_mark && entry.len() == 0);
            if !is_kept || entry.source.start != end {
                return None;
            }
            if at < entry.end() {
                let source = entry.source.start + (at - entry.text);
                return source.checked_sub(start).map(|before| column + before);
            }
            end = entry.source.end;
        }
        None
    }

    /// Source line number minus text line number at the text offset `text`.
    /// `None` if the entry there is opaque or was dropped.
    #[must_use]
    pub fn line_delta(&self, text: u64) -> Option<i64> {
        let entry = self.entries.get(self.entry_at(text)?)?;
        (!entry.is_opaque()).then_some(entry.delta)
    }

    /// The index of the entry with the text byte at `text`.
    fn entry_at(&self, text: u64) -> Option<usize> {
        // Fast path: hits are usually in the newest entry.
        let newest = self.entries.back()?;
        if newest.text <= text && text < newest.end() {
            return Some(self.entries.len() - 1);
        }
        let i = self.entries.partition_point(|entry| entry.end() <= text);
        (i < self.entries.len() && self.entries[i].text <= text).then_some(i)
    }

    /// Maps the text bytes `span` to the source. `at` is their offset in the
    /// URL. Copies are appended to `segments`, and seams to `seams`, both in
    /// source order. Seams at the edges of `span` are left out. Returns false,
    /// and appends nothing, if a byte has no place in the source.
    pub fn map(
        &self,
        span: Span,
        at: u64,
        segments: &mut Vec<Span>,
        seams: &mut Vec<Seam>,
    ) -> bool {
        let (had_segments, had_seams) = (segments.len(), seams.len());
        let Some(first) = self.entry_at(span.start) else {
            return false;
        };
        for entry in self.entries.range(first..) {
            if entry.text >= span.end {
                break;
            }
            let start = entry.text.max(span.start);
            let end = (entry.end()).min(span.end);
            let here = at + (start - span.start);
            let whole = start == entry.text && end == entry.end();
            match entry.kind() {
                MapEntryKind::Copy => {
                    let s = entry.source.start + (start - entry.text);
                    segments.push(Span::new(s, s + (end - start)));
                }
                MapEntryKind::Seam(kind) if whole => {
                    seams.push(Seam {
                        kind,
                        span: entry.source,
                        at: here,
                        len: entry.len() as u32,
                    });
                }
                MapEntryKind::Seam(_) | MapEntryKind::Opaque => {
                    segments.truncate(had_segments);
                    seams.truncate(had_seams);
                    return false;
                }
            }
        }
        true
    }

    /// Maps the parts of a URL from the text to the source. `pieces` are its
    /// spans of text, and `joints` are its seams in the text. Both are in
    /// order, and together they have no gap. The source spans are appended to
    /// `segments`, and the source seams to `seams`, also without a gap. Returns
    /// false, and appends nothing, if a part has no place in the source.
    pub fn compose(
        &self,
        pieces: &[Span],
        joints: &[Seam],
        segments: &mut Vec<Span>,
        seams: &mut Vec<Seam>,
    ) -> bool {
        // Fast path: most URLs lie in one copy.
        if let ([span], []) = (pieces, joints)
            && let Some(entry) = self.entry_at(span.start).map(|i| &self.entries[i])
            && entry.is_copy()
            && span.end <= entry.end()
        {
            let start = entry.source.start + (span.start - entry.text);
            segments.push(Span::new(start, start + span.len()));
            return true;
        }
        let had = (segments.len(), seams.len());
        let mut pieces = pieces.iter().peekable();
        let mut joints = joints.iter().peekable();
        let mut at = 0;
        let mut first = true;
        loop {
            let joint_first = match (pieces.peek(), joints.peek()) {
                (None, None) => break,
                (Some(piece), Some(joint)) => joint.span.start < piece.start,
                (piece, _) => piece.is_none(),
            };
            let mapped = if joint_first {
                let Some(joint) = joints.next() else {
                    break;
                };
                self.removals(first, joint.span.start, at, seams);
                at += u64::from(joint.len);
                self.joint(joint, seams)
            } else {
                let Some(&piece) = pieces.next() else {
                    break;
                };
                self.removals(first, piece.start, at, seams);
                let start = at;
                at += piece.len();
                self.map(piece, start, segments, seams)
            };
            if !mapped {
                segments.truncate(had.0);
                seams.truncate(had.1);
                return false;
            }
            first = false;
        }
        // Some source bytes become no text and are not recorded as removed. One
        // example is the escape sequence of a charset. Such bytes leave a gap
        // here.
        let tiles = tiles(&segments[had.0..], &seams[had.1..]);
        if !tiles {
            segments.truncate(had.0);
            seams.truncate(had.1);
        }
        tiles
    }

    /// Appends the removals directly before the text byte at `text`. Appends
    /// nothing if this is the first byte of the URL.
    fn removals(&self, first: bool, text: u64, at: u64, seams: &mut Vec<Seam>) {
        if first {
            return;
        }
        let from = self.entries.partition_point(|entry| entry.text < text);
        for entry in self
            .entries
            .range(from..)
            .take_while(|entry| entry.text == text && entry.len() == 0)
        {
            if let MapEntryKind::Seam(kind) = entry.kind() {
                seams.push(Seam {
                    kind,
                    span: entry.source,
                    at,
                    len: 0,
                });
            }
        }
    }

    /// Converts a seam of the text to a seam of the source, and appends it.
    fn joint(&self, joint: &Seam, seams: &mut Vec<Seam>) -> bool {
        let Some(span) = self.extent(joint.span) else {
            return false;
        };
        // A seam is replayed by decoding its source bytes. So the source must
        // have the same encoded bytes as the text. If the lengths differ, the
        // bytes were encoded twice, and the seam cannot be replayed.
        if joint.len > 0 && span.len() != joint.span.len() {
            return false;
        }
        if self.has_hole(joint.span) {
            return false;
        }
        seams.push(Seam { span, ..*joint });
        true
    }

    /// True if the source bytes of the text `span` have a gap or include an
    /// opaque entry.
    fn has_hole(&self, span: Span) -> bool {
        let Some(first) = self.entry_at(span.start) else {
            return true;
        };
        let mut entries = self.entries.range(first..);
        let mut end = entries.next().map(|entry| entry.source.end);
        entries
            .take_while(|entry| entry.text < span.end)
            .any(|entry| {
                let follows = end.replace(entry.source.end) == Some(entry.source.start);
                entry.is_opaque() || !follows
            })
    }

    /// The source bytes from the first to the last byte of the text `span`,
    /// including everything between. `None` if either end is opaque.
    #[must_use]
    pub fn extent(&self, span: Span) -> Option<Span> {
        let first = self.entries.get(self.entry_at(span.start)?)?;
        let last = self.entries.get(self.entry_at(span.end.checked_sub(1)?)?)?;
        if first.is_opaque() || last.is_opaque() {
            return None;
        }
        let start = if first.is_copy() {
            first.source.start + (span.start - first.text)
        } else {
            first.source.start
        };
        let end = if last.is_copy() {
            last.source.start + (span.end - last.text)
        } else {
            last.source.end
        };
        Some(Span::new(start, end))
    }
}

/// Makes room for `more` entries. Large maps grow by a quarter, because the map of a hostile page
/// is most of what is kept, and a map that doubles can be half empty.
#[cold]
fn make_room(entries: &mut VecDeque<MapEntry>, more: usize) {
    let len = entries.len();
    if len >= LARGE_MAP && entries.capacity() - len < more {
        entries.reserve_exact(more.max(len / 4));
    }
}

/// True if `segments` and `seams` together have no gap. Both must be in order.
fn tiles(segments: &[Span], seams: &[Seam]) -> bool {
    let mut segments = segments.iter();
    let mut seams = seams.iter();
    let mut segment = segments.next();
    let mut seam = seams.next();
    let mut end = None;
    loop {
        let span = match (segment, seam) {
            (None, None) => return true,
            (Some(one), Some(other)) if other.span.start < one.start => other.span,
            (None, Some(other)) => other.span,
            (Some(one), _) => *one,
        };
        if segment == Some(&span) {
            segment = segments.next();
        } else {
            seam = seams.next();
        }
        if end.replace(span.end).is_some_and(|end| end != span.start) {
            return false;
        }
    }
}

#[cfg(test)]
#[path = "tests.rs"]
mod tests;
