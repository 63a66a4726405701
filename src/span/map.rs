//! The map from a decoded text back to its source.

use std::collections::VecDeque;

use super::{Seam, SeamKind, Span};

/// A map from the bytes of a text to the bytes of the file that it was decoded
/// from. It is built while the text is decoded.
///
/// Its entries tile the text in order. A *copy* is in the file byte for byte.
/// A *seam* stands for source bytes that were removed or decoded to other
/// bytes. An *opaque* entry (base64, a converted charset) has no bytes of its
/// own in the file. Memory is proportional to the number of entries.
/// [`SourceMap::forget`] drops the entries that no hit can reach any more, so
/// a stream needs a bounded map.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// Ordered by `text`. Each entry begins where the one before it ends.
    entries: VecDeque<MapEntry>,
    /// The number of entries dropped from the front.
    dropped: u64,
    /// Text offset of the end of the last entry pushed.
    end: u64,
    /// The number of line feeds in the source minus the number in the text, so
    /// far.
    delta: i64,
}

#[derive(Clone, Copy, Debug)]
struct MapEntry {
    /// Text offset of the first byte.
    text: u64,
    /// Number of bytes of text; 0 for a removal.
    len: u64,
    /// The source bytes: exactly `len` of them for a copy, empty for opaque
    /// text.
    source: Span,
    kind: MapEntryKind,
    /// The difference between line numbers of source and text, from the first
    /// byte of this entry on.
    delta: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MapEntryKind {
    Copy,
    Seam(SeamKind),
    Opaque,
}

impl SourceMap {
    /// An empty map for a text that starts on source line `line` (counted from 1).
    #[must_use]
    pub fn new(line: u64) -> SourceMap {
        let mut map = SourceMap::default();
        map.reset(line);
        map
    }

    /// Empties the map for another text, which starts on source line `line`
    /// (counted from 1). Keeps its allocation.
    pub fn reset(&mut self, line: u64) {
        self.entries.clear();
        self.dropped = 0;
        self.end = 0;
        self.delta = line as i64 - 1;
    }

    /// Text offset after the last entry.
    #[must_use]
    pub fn text_end(&self) -> u64 {
        self.end
    }

    /// Records that the next `len` bytes of text are copied from the source at
    /// `source`.
    pub fn copy(&mut self, source: u64, len: u64) {
        if len == 0 {
            return;
        }
        if let Some(last) = self.entries.back_mut()
            && last.kind == MapEntryKind::Copy
            && last.source.end == source
        {
            last.len += len;
            last.source.end += len;
            self.end += len;
            return;
        }
        self.push(MapEntryKind::Copy, Span::new(source, source + len), len);
    }

    /// Records that the next `len` bytes of text (0 for a removal) stand for
    /// the source bytes `source`. `lines` is the number of line feeds in those
    /// source bytes minus the number in the `len` bytes of text.
    pub fn seam(&mut self, kind: SeamKind, source: Span, len: u32, lines: i64) {
        self.push(MapEntryKind::Seam(kind), source, u64::from(len));
        self.delta += lines;
    }

    /// Records that the next `len` bytes of text have no place in the source.
    /// `lines` as for [`SourceMap::seam`].
    pub fn opaque(&mut self, len: u64, lines: i64) {
        self.push(MapEntryKind::Opaque, Span::default(), len);
        self.delta += lines;
    }

    fn push(&mut self, kind: MapEntryKind, source: Span, len: u64) {
        self.entries.push_back(MapEntry {
            text: self.end,
            len,
            source,
            kind,
            delta: self.delta,
        });
        self.end += len;
    }

    /// Drops entries that end at or before the text offset `before`.
    pub fn forget(&mut self, before: u64) {
        while let Some(entry) = self.entries.front() {
            if entry.text + entry.len > before || self.entries.len() == 1 {
                break;
            }
            self.entries.pop_front();
            self.dropped += 1;
        }
    }

    /// Makes this map the part of `other` that covers the text from `from` on.
    /// This map must be empty or an earlier such part. Entries that it has
    /// already are kept, so the cost is that of the new entries. `from` must
    /// not decrease between calls.
    pub fn copy_tail(&mut self, other: &SourceMap, from: u64) {
        // Most texts are one entry.
        if other.entries.len() == 1 {
            self.entries.clear();
            self.entries.extend(&other.entries);
            (self.dropped, self.end, self.delta) = (other.dropped, other.end, other.delta);
            return;
        }
        let first = other
            .entries
            .partition_point(|entry| entry.text + entry.len <= from);
        // A removal right before `from` is at its edge and may be needed.
        let first = other.dropped + first.saturating_sub(1) as u64;
        // Only the last entry can have grown.
        self.entries.pop_back();
        let behind = first.saturating_sub(self.dropped);
        let behind = behind.min(self.entries.len() as u64);
        self.entries.drain(..behind as usize);
        self.dropped += behind;
        if self.entries.is_empty() {
            self.dropped = first;
        }
        let next = self.dropped + self.entries.len() as u64;
        let new = next.saturating_sub(other.dropped) as usize;
        let new = new.min(other.entries.len());
        self.entries.extend(other.entries.range(new..));
        self.end = other.end;
        self.delta = other.delta;
    }

    /// Appends what `other` has got since this map followed it last. Entries that
    /// `other` has forgotten since are kept.
    #[cfg(feature = "mail")]
    pub(crate) fn follow(&mut self, other: &SourceMap) {
        // Only the last entry can have grown.
        self.entries.pop_back();
        let mut next = self.dropped + self.entries.len() as u64;
        if next < other.dropped {
            self.entries.clear();
            (self.dropped, next) = (other.dropped, other.dropped);
        }
        let new = ((next - other.dropped) as usize).min(other.entries.len());
        self.entries.extend(other.entries.range(new..));
        self.end = other.end;
        self.delta = other.delta;
    }

    /// The column in the source of the text byte at `at`, where the source has
    /// the line up to there byte for byte, save for the marks that mailboxes put
    /// before lines. `line` is the text offset of the line's first byte;
    /// `first` is the source offset and the column of the first byte of the
    /// text, if they are known.
    #[cfg(feature = "mail")]
    pub(crate) fn column(&self, line: u64, at: u64, first: Option<(u64, u64)>) -> Option<u64> {
        let from = match line.checked_sub(1) {
            Some(line_feed) => self.entry_at(line_feed)?,
            None => 0,
        };
        let mut entries = self.entries.range(from..);
        let head = *entries.next()?;
        // The source offset and the column of a byte of the line.
        let (start, column) = match line.checked_sub(1) {
            Some(line_feed) => (head.source.start + (line_feed - head.text), 0),
            None => first.filter(|first| head.text == 0 && head.source.start == first.0)?,
        };
        let mut end = head.source.start;
        for entry in std::iter::once(&head).chain(entries) {
            let is_mark = matches!(
                entry.kind,
                MapEntryKind::Seam(SeamKind::FromQuote | SeamKind::DotStuff)
            );
            let is_kept = entry.kind == MapEntryKind::Copy || (is_mark && entry.len == 0);
            if !is_kept || entry.source.start != end {
                return None;
            }
            if at < entry.text + entry.len {
                let source = entry.source.start + (at - entry.text);
                return source.checked_sub(start).map(|before| column + before);
            }
            end = entry.source.end;
        }
        None
    }

    /// The difference between the line numbers of source and text at the text
    /// offset `text`. `None` if the text is opaque there or was forgotten.
    #[must_use]
    pub fn line_delta(&self, text: u64) -> Option<i64> {
        let entry = self.entries.get(self.entry_at(text)?)?;
        (entry.kind != MapEntryKind::Opaque).then_some(entry.delta)
    }

    /// Index of the entry with the text byte at `text`.
    fn entry_at(&self, text: u64) -> Option<usize> {
        // The newest entry is the likeliest.
        let newest = self.entries.back()?;
        if newest.text <= text && text < newest.text + newest.len {
            return Some(self.entries.len() - 1);
        }
        let i = self
            .entries
            .partition_point(|entry| entry.text + entry.len <= text);
        (i < self.entries.len() && self.entries[i].text <= text).then_some(i)
    }

    /// Maps the text bytes `span`, which are at `at` in the URL, to the
    /// source. Appends the copies to `segments` and the text between them to
    /// `seams`, both in source order. Leaves out seams at either edge of
    /// `span`. Returns false, and appends nothing, if any of the bytes has no
    /// place in the source.
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
            let end = (entry.text + entry.len).min(span.end);
            let here = at + (start - span.start);
            let whole = start == entry.text && end == entry.text + entry.len;
            match entry.kind {
                MapEntryKind::Copy => {
                    let s = entry.source.start + (start - entry.text);
                    segments.push(Span::new(s, s + (end - start)));
                }
                MapEntryKind::Seam(kind) if whole => {
                    seams.push(Seam {
                        kind,
                        span: entry.source,
                        at: here,
                        len: entry.len as u32,
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

    /// Maps the parts of a URL from the text to the source. `entries` are its
    /// spans of the text, `joints` its seams in the text, both in order and
    /// together without a gap. Appends its source spans to `segments` and its
    /// source seams to `seams`, also without a gap. Returns false, and appends
    /// nothing, if any part has no place in the source.
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
            && entry.kind == MapEntryKind::Copy
            && span.end <= entry.text + entry.len
        {
            let start = entry.source.start + (span.start - entry.text);
            segments.push(Span::new(start, start + span.len()));
            return true;
        }
        let had = (segments.len(), seams.len());
        let (mut pieces, mut joints) = (pieces.iter().peekable(), joints.iter().peekable());
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
        // Source bytes that became no text and are not recorded as removed,
        // such as the escape sequence of a charset, leave a gap.
        let tiles = tiles(&segments[had.0..], &seams[had.1..]);
        if !tiles {
            segments.truncate(had.0);
            seams.truncate(had.1);
        }
        tiles
    }

    /// Appends the removals right before the text byte at `text`, unless it is
    /// the first of a URL.
    fn removals(&self, first: bool, text: u64, at: u64, seams: &mut Vec<Seam>) {
        if first {
            return;
        }
        let from = self.entries.partition_point(|entry| entry.text < text);
        for entry in self
            .entries
            .range(from..)
            .take_while(|entry| entry.text == text && entry.len == 0)
        {
            if let MapEntryKind::Seam(kind) = entry.kind {
                seams.push(Seam {
                    kind,
                    span: entry.source,
                    at,
                    len: 0,
                });
            }
        }
    }

    /// Appends a seam of the text as a seam of the source.
    fn joint(&self, joint: &Seam, seams: &mut Vec<Seam>) -> bool {
        let Some(span) = self.extent(joint.span) else {
            return false;
        };
        // A decoded byte is read from the source as it is. If it was encoded
        // twice, the source bytes mean something else.
        if joint.len > 0 && span.len() != joint.span.len() {
            return false;
        }
        if self.has_hole(joint.span) {
            return false;
        }
        seams.push(Seam { span, ..*joint });
        true
    }

    /// True if the source bytes of the text `span` include bytes that became
    /// other text, or bytes of unknown meaning.
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
                entry.kind == MapEntryKind::Opaque || !follows
            })
    }

    /// The source bytes from the first byte of the text `span` to its last,
    /// with everything between. `None` if either end is opaque.
    #[must_use]
    pub fn extent(&self, span: Span) -> Option<Span> {
        let first = self.entries.get(self.entry_at(span.start)?)?;
        let last = self.entries.get(self.entry_at(span.end.checked_sub(1)?)?)?;
        if first.kind == MapEntryKind::Opaque || last.kind == MapEntryKind::Opaque {
            return None;
        }
        let start = match first.kind {
            MapEntryKind::Copy => first.source.start + (span.start - first.text),
            _ => first.source.start,
        };
        let end = match last.kind {
            MapEntryKind::Copy => last.source.start + (span.end - last.text),
            _ => last.source.end,
        };
        Some(Span::new(start, end))
    }
}

/// True if there is no gap between them. Both are in order.
fn tiles(segments: &[Span], seams: &[Seam]) -> bool {
    let (mut segments, mut seams) = (segments.iter(), seams.iter());
    let (mut segment, mut seam) = (segments.next(), seams.next());
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
