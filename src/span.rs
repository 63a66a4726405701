//! Where bytes came from: spans, seams, and the map from a decoded text back
//! to the file it was decoded from.
//!
//! All offsets are absolute, 0-based bytes. A *source* offset counts from the
//! first byte of the file (of the uncompressed member, in an archive); a
//! *text* offset counts from the first byte of the text that is scanned. For a
//! plain file the two are the same; for a decoded part a [`SourceMap`] leads
//! from one to the other.

use std::collections::VecDeque;
use std::ops::Range;

/// A half-open range of byte offsets, `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset of the byte after the last one.
    pub end: u64,
}

impl Span {
    /// The span `start..end`. An `end` before `start` makes an empty span.
    #[must_use]
    pub const fn new(start: u64, end: u64) -> Span {
        Span {
            start,
            end: if end < start { start } else { end },
        }
    }

    /// How many bytes the span covers.
    #[must_use]
    pub const fn len(self) -> u64 {
        self.end - self.start
    }

    /// True if the span covers no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The span as a range of `u64`.
    #[must_use]
    pub const fn range(self) -> Range<u64> {
        self.start..self.end
    }

    /// The bytes of `haystack` that the span covers, if it has them all. Offsets
    /// count from its first byte.
    ///
    /// ```
    /// use urlgrep::span::Span;
    ///
    /// assert_eq!(Span::new(2, 4).of(b"abcde"), Some(&b"cd"[..]));
    /// assert_eq!(Span::new(2, 9).of(b"abcde"), None);
    /// ```
    #[must_use]
    pub fn of(self, haystack: &[u8]) -> Option<&[u8]> {
        haystack.get(Range::try_from(self).ok()?)
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span::new(range.start as u64, range.end as u64)
    }
}

impl TryFrom<Span> for Range<usize> {
    type Error = std::num::TryFromIntError;

    /// Fails where an offset does not fit, which takes a file over 4 GiB and a
    /// machine of 32 bits.
    fn try_from(span: Span) -> Result<Range<usize>, Self::Error> {
        Ok(span.start.try_into()?..span.end.try_into()?)
    }
}

/// The column of the byte at `offset` of `haystack`: bytes from the start of its
/// line, plus 1. A line ends at LF. Linear in the length of the line.
///
/// ```
/// assert_eq!(urlgrep::span::column(b"ab\ncd", 4), 2);
/// ```
#[must_use]
pub fn column(haystack: &[u8], offset: u64) -> u64 {
    let at = usize::try_from(offset)
        .unwrap_or(usize::MAX)
        .min(haystack.len());
    let line = memchr::memrchr(b'\n', &haystack[..at]).map_or(0, |lf| lf + 1);
    (at - line) as u64 + 1
}

/// What kind of repair a [`Seam`] is. The kind alone, with the source bytes
/// under the seam, says which bytes of the URL it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum SeamKind {
    /// White space that holds a line break (LF, CRLF or CR), removed.
    LineBreak,
    /// White space within a line, removed.
    Space,
    /// A quote or comment mark at the start of a continuation line, removed.
    Leader,
    /// A hyphen before a line break, taken as the typesetter's and removed.
    Hyphen,
    /// Page furniture (footer, form feed, header), removed.
    Page,
    /// A soft line break of quoted-printable that no header declares, removed.
    QpGuess,
    /// A soft line break of declared quoted-printable, removed.
    SoftBreak,
    /// `=XX`, read as the byte it encodes.
    QpByte,
    /// A line break of `format=flowed; delsp=yes` text, removed.
    FlowedBreak,
    /// The space that `format=flowed` stuffs before a line, removed.
    SpaceStuff,
    /// A character reference of HTML, read as the UTF-8 of its character.
    Entity,
    /// A blank inside an attribute of HTML, read as `%20`.
    Blank,
    /// Markup or other bytes inside a run of HTML text, removed.
    Markup,
    /// The first dot of a dot-stuffed line, removed.
    DotStuff,
    /// The `>` that mbox puts before `From `, removed.
    FromQuote,
    /// The line break of a folded header field, removed.
    Fold,
}

impl SeamKind {
    /// Every kind.
    pub const ALL: &[SeamKind] = &[
        SeamKind::LineBreak,
        SeamKind::Space,
        SeamKind::Leader,
        SeamKind::Hyphen,
        SeamKind::Page,
        SeamKind::QpGuess,
        SeamKind::SoftBreak,
        SeamKind::QpByte,
        SeamKind::FlowedBreak,
        SeamKind::SpaceStuff,
        SeamKind::Entity,
        SeamKind::Blank,
        SeamKind::Markup,
        SeamKind::DotStuff,
        SeamKind::FromQuote,
        SeamKind::Fold,
    ];

    /// The name that records carry: `line-break`, `qp-byte`, …
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            SeamKind::LineBreak => "line-break",
            SeamKind::Space => "space",
            SeamKind::Leader => "leader",
            SeamKind::Hyphen => "hyphen",
            SeamKind::Page => "page",
            SeamKind::QpGuess => "qp-guess",
            SeamKind::SoftBreak => "soft-break",
            SeamKind::QpByte => "qp-byte",
            SeamKind::FlowedBreak => "flowed-break",
            SeamKind::SpaceStuff => "space-stuff",
            SeamKind::Entity => "entity",
            SeamKind::Blank => "blank",
            SeamKind::Markup => "markup",
            SeamKind::DotStuff => "dot-stuff",
            SeamKind::FromQuote => "from-quote",
            SeamKind::Fold => "fold",
        }
    }
}

/// Source bytes that are not copied into the URL as they stand: removed, or
/// read as other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
pub struct Seam {
    /// What was repaired.
    pub kind: SeamKind,
    /// The source bytes under the seam.
    pub span: Span,
    /// Where the seam stands in the text made from the source (in a hit: bytes
    /// from the URL's first byte).
    pub at: u64,
    /// How many bytes of text the seam stands for: 0 where bytes were removed.
    pub len: u32,
}

/// From the first byte of what a URL was made of to after the last: `segments`
/// and `seams`, each in order. A URL can begin or end with a byte that was
/// encoded. Empty at 0 where there are none.
#[must_use]
pub fn extent(segments: &[Span], seams: &[Seam]) -> Span {
    let first = [segments.first().copied(), seams.first().map(|s| s.span)];
    let last = [segments.last().copied(), seams.last().map(|s| s.span)];
    let start = first.iter().flatten().map(|span| span.start).min();
    let end = last.iter().flatten().map(|span| span.end).max();
    Span::new(start.unwrap_or(0), end.unwrap_or(0))
}

/// A map from the bytes of a text to the bytes of the file it was decoded
/// from, built piece by piece as the text is decoded.
///
/// The pieces tile the text in order. A *copy* stands in the file byte for
/// byte; a *seam* stands for source bytes that were removed or read as other
/// bytes; an *opaque* piece (base64, a re-encoded charset) has no bytes of its
/// own in the file. Memory is one entry a piece; [`SourceMap::forget`] drops
/// what no hit can reach any more, so a stream needs a bounded map.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// Ordered by `text`; each begins where the one before ends.
    pieces: VecDeque<MapEntry>,
    /// How many pieces stood before the first one.
    dropped: u64,
    /// Text offset of the end of the last piece ever pushed.
    end: u64,
    /// Line feeds of the source less line feeds of the text, so far.
    delta: i64,
}

#[derive(Clone, Copy, Debug)]
struct MapEntry {
    /// Text offset of the first byte.
    text: u64,
    /// How many bytes of text; 0 for a removal.
    len: u64,
    /// The source bytes; for a copy exactly `len` of them, empty for opaque.
    source: Span,
    kind: MapEntryKind,
    /// What to add to a line number of the text, from this piece's first byte.
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
    /// (counted from 1). Keeps its memory.
    pub fn reset(&mut self, line: u64) {
        self.pieces.clear();
        self.dropped = 0;
        self.end = 0;
        self.delta = line as i64 - 1;
    }

    /// Text offset after the last piece.
    #[must_use]
    pub fn text_end(&self) -> u64 {
        self.end
    }

    /// The next `len` bytes of text stand in the source at `source`.
    pub fn copy(&mut self, source: u64, len: u64) {
        if len == 0 {
            return;
        }
        if let Some(last) = self.pieces.back_mut()
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

    /// The next `len` bytes of text (none, if bytes were removed) stand for
    /// the source bytes at `source`. `lines` is the number of line feeds among
    /// those source bytes less that among the `len` bytes of text.
    pub fn seam(&mut self, kind: SeamKind, source: Span, len: u32, lines: i64) {
        self.push(MapEntryKind::Seam(kind), source, u64::from(len));
        self.delta += lines;
    }

    /// The next `len` bytes of text stand nowhere in the source as they are.
    /// `lines` as for [`SourceMap::seam`].
    pub fn opaque(&mut self, len: u64, lines: i64) {
        self.push(MapEntryKind::Opaque, Span::default(), len);
        self.delta += lines;
    }

    fn push(&mut self, kind: MapEntryKind, source: Span, len: u64) {
        self.pieces.push_back(MapEntry {
            text: self.end,
            len,
            source,
            kind,
            delta: self.delta,
        });
        self.end += len;
    }

    /// Drops pieces that end at or before the text offset `before`.
    pub fn forget(&mut self, before: u64) {
        while let Some(p) = self.pieces.front() {
            if p.text + p.len > before || self.pieces.len() == 1 {
                break;
            }
            self.pieces.pop_front();
            self.dropped += 1;
        }
    }

    /// Makes this map the part of `other` that covers the text from `from` on.
    /// It is empty, or such a part already: what it has is kept, so that the
    /// cost is that of what is new. `from` never goes back.
    pub fn copy_tail(&mut self, other: &SourceMap, from: u64) {
        // Most texts stand in one piece.
        if other.pieces.len() == 1 {
            self.pieces.clear();
            self.pieces.extend(&other.pieces);
            (self.dropped, self.end, self.delta) = (other.dropped, other.end, other.delta);
            return;
        }
        let first = other.pieces.partition_point(|p| p.text + p.len <= from);
        // A removal right before `from` stands at its edge, and may be wanted.
        let first = other.dropped + first.saturating_sub(1) as u64;
        // Only the last piece can have grown.
        self.pieces.pop_back();
        let behind = first.saturating_sub(self.dropped);
        let behind = behind.min(self.pieces.len() as u64);
        self.pieces.drain(..behind as usize);
        self.dropped += behind;
        if self.pieces.is_empty() {
            self.dropped = first;
        }
        let next = self.dropped + self.pieces.len() as u64;
        let new = next.saturating_sub(other.dropped) as usize;
        let new = new.min(other.pieces.len());
        self.pieces.extend(other.pieces.range(new..));
        self.end = other.end;
        self.delta = other.delta;
    }

    /// Appends what `other` has got since this map followed it last. Entries that
    /// `other` has forgotten since are kept.
    #[cfg(feature = "mail")]
    pub(crate) fn follow(&mut self, other: &SourceMap) {
        // Only the last entry can have grown.
        self.pieces.pop_back();
        let mut next = self.dropped + self.pieces.len() as u64;
        if next < other.dropped {
            self.pieces.clear();
            (self.dropped, next) = (other.dropped, other.dropped);
        }
        let new = ((next - other.dropped) as usize).min(other.pieces.len());
        self.pieces.extend(other.pieces.range(new..));
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
            Some(line_feed) => self.piece_at(line_feed)?,
            None => 0,
        };
        let mut entries = self.pieces.range(from..);
        let entry = *entries.next()?;
        // The source offset and the column of a byte of the line.
        let (start, column) = match line.checked_sub(1) {
            Some(line_feed) => (entry.source.start + (line_feed - entry.text), 0),
            None => first.filter(|first| entry.text == 0 && entry.source.start == first.0)?,
        };
        let mut end = entry.source.start;
        for p in std::iter::once(&entry).chain(entries) {
            let is_mark = matches!(
                p.kind,
                MapEntryKind::Seam(SeamKind::FromQuote | SeamKind::DotStuff)
            );
            let is_kept = p.kind == MapEntryKind::Copy || (is_mark && p.len == 0);
            if !is_kept || p.source.start != end {
                return None;
            }
            if at < p.text + p.len {
                let source = p.source.start + (at - p.text);
                return source.checked_sub(start).map(|before| column + before);
            }
            end = p.source.end;
        }
        None
    }

    /// What to add to a line number of the text at offset `text` to have the
    /// line number of the source; `None` where the text is opaque or forgotten.
    #[must_use]
    pub fn line_delta(&self, text: u64) -> Option<i64> {
        let p = self.pieces.get(self.piece_at(text)?)?;
        (p.kind != MapEntryKind::Opaque).then_some(p.delta)
    }

    /// Index of the piece that holds the text byte at `text`.
    fn piece_at(&self, text: u64) -> Option<usize> {
        // What was found last stands in what came last.
        let newest = self.pieces.back()?;
        if newest.text <= text && text < newest.text + newest.len {
            return Some(self.pieces.len() - 1);
        }
        let i = self.pieces.partition_point(|p| p.text + p.len <= text);
        (i < self.pieces.len() && self.pieces[i].text <= text).then_some(i)
    }

    /// Maps the text bytes `span`, which stand at `at` in the URL, to the
    /// source: appends the copies to `segments` and what lies between them to
    /// `seams`, both in source order. Seams at either edge of `span` are left
    /// out. Returns false, with both vectors as they were, if any of the bytes
    /// has no place in the source.
    pub fn map(
        &self,
        span: Span,
        at: u64,
        segments: &mut Vec<Span>,
        seams: &mut Vec<Seam>,
    ) -> bool {
        let (had_segments, had_seams) = (segments.len(), seams.len());
        let Some(first) = self.piece_at(span.start) else {
            return false;
        };
        for p in self.pieces.range(first..) {
            if p.text >= span.end {
                break;
            }
            let start = p.text.max(span.start);
            let end = (p.text + p.len).min(span.end);
            let here = at + (start - span.start);
            let whole = start == p.text && end == p.text + p.len;
            match p.kind {
                MapEntryKind::Copy => {
                    let s = p.source.start + (start - p.text);
                    segments.push(Span::new(s, s + (end - start)));
                }
                MapEntryKind::Seam(kind) if whole => {
                    seams.push(Seam {
                        kind,
                        span: p.source,
                        at: here,
                        len: p.len as u32,
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

    /// Maps what a URL was made of in the text, its `pieces` and their `joints`
    /// (both ordered, together without a gap), to what it was made of in the
    /// source, appended to `segments` and `seams`, which together have no gap
    /// either. Returns false, with nothing appended, if any of it has no place
    /// in the source.
    pub fn compose(
        &self,
        pieces: &[Span],
        joints: &[Seam],
        segments: &mut Vec<Span>,
        seams: &mut Vec<Seam>,
    ) -> bool {
        // Nearly always a URL is a piece of a piece.
        if let ([span], []) = (pieces, joints)
            && let Some(piece) = self.piece_at(span.start).map(|i| &self.pieces[i])
            && piece.kind == MapEntryKind::Copy
            && span.end <= piece.text + piece.len
        {
            let start = piece.source.start + (span.start - piece.text);
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
        // Source bytes that stand for no text and are not said to be removed,
        // such as the escape of a charset, leave a hole.
        let tiles = tiles(&segments[had.0..], &seams[had.1..]);
        if !tiles {
            segments.truncate(had.0);
            seams.truncate(had.1);
        }
        tiles
    }

    /// Appends the removals that stand right before the text byte at `text`,
    /// unless it is the first of a URL.
    fn removals(&self, first: bool, text: u64, at: u64, seams: &mut Vec<Seam>) {
        if first {
            return;
        }
        let from = self.pieces.partition_point(|p| p.text < text);
        for p in self
            .pieces
            .range(from..)
            .take_while(|p| p.text == text && p.len == 0)
        {
            if let MapEntryKind::Seam(kind) = p.kind {
                seams.push(Seam {
                    kind,
                    span: p.source,
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
        // What stands for a byte is read from the source as it is; encoded
        // once more, it would be read as something else.
        if joint.len > 0 && span.len() != joint.span.len() {
            return false;
        }
        if self.has_hole(joint.span) {
            return false;
        }
        seams.push(Seam { span, ..*joint });
        true
    }

    /// True if the source bytes of the text `span` have others among them that
    /// stand for something else, or for nothing that is known.
    fn has_hole(&self, span: Span) -> bool {
        let Some(first) = self.piece_at(span.start) else {
            return true;
        };
        let mut pieces = self.pieces.range(first..);
        let mut end = pieces.next().map(|p| p.source.end);
        pieces.take_while(|p| p.text < span.end).any(|p| {
            let follows = end.replace(p.source.end) == Some(p.source.start);
            p.kind == MapEntryKind::Opaque || !follows
        })
    }

    /// The source bytes from the first byte of the text `span` to the end of
    /// its last one, whatever lies between; `None` if either end is opaque.
    #[must_use]
    pub fn extent(&self, span: Span) -> Option<Span> {
        let first = self.pieces.get(self.piece_at(span.start)?)?;
        let last = self.pieces.get(self.piece_at(span.end.checked_sub(1)?)?)?;
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

/// True if these have no gap between them; both are in order.
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
mod tests {
    use super::*;

    /// `a=3Db=\nc` as quoted-printable: `a=bc`.
    fn sample() -> SourceMap {
        let mut map = SourceMap::new(7);
        map.copy(100, 1);
        map.seam(SeamKind::QpByte, Span::new(101, 104), 1, 0);
        map.copy(104, 1);
        map.seam(SeamKind::SoftBreak, Span::new(105, 107), 0, 1);
        map.copy(107, 1);
        map
    }

    #[test]
    fn maps_through_seams() {
        let map = sample();
        let (mut segments, mut seams) = (vec![], vec![]);
        assert!(map.map(Span::new(0, 4), 0, &mut segments, &mut seams));
        assert_eq!(
            segments,
            [
                Span::new(100, 101),
                Span::new(104, 105),
                Span::new(107, 108)
            ]
        );
        assert_eq!(
            seams,
            [
                Seam {
                    kind: SeamKind::QpByte,
                    span: Span::new(101, 104),
                    at: 1,
                    len: 1
                },
                Seam {
                    kind: SeamKind::SoftBreak,
                    span: Span::new(105, 107),
                    at: 3,
                    len: 0
                },
            ]
        );
        assert_eq!(map.line_delta(0), Some(6));
        assert_eq!(map.line_delta(3), Some(7));
    }

    #[test]
    fn what_has_a_hole_in_it_has_no_place() {
        // Bytes 2 to 5 of the source are an escape, which is not text.
        let mut map = SourceMap::new(1);
        map.copy(0, 2);
        map.copy(5, 2);
        let (mut segments, mut seams) = (vec![], vec![]);
        assert!(!map.compose(&[Span::new(0, 4)], &[], &mut segments, &mut seams));
        assert!(segments.is_empty() && seams.is_empty());
        assert!(map.compose(&[Span::new(2, 4)], &[], &mut segments, &mut seams));
        let joint = Seam {
            kind: SeamKind::Space,
            span: Span::new(1, 3),
            at: 1,
            len: 0,
        };
        let pieces = [Span::new(0, 1), Span::new(3, 4)];
        assert!(!map.compose(&pieces, &[joint], &mut segments, &mut seams));
    }

    #[test]
    fn leaves_out_seams_at_the_edges() {
        let map = sample();
        let (mut segments, mut seams) = (vec![], vec![]);
        assert!(map.map(Span::new(2, 3), 0, &mut segments, &mut seams));
        assert_eq!(segments, [Span::new(104, 105)]);
        assert_eq!(seams, []);
        assert_eq!(map.extent(Span::new(1, 4)), Some(Span::new(101, 108)));
    }

    #[test]
    fn composes_two_maps_without_a_gap() {
        // `ab=\n` + ` \n` + `=3D` + `c`: the text is `ab \n=c`, and a scanner
        // removed its white space.
        let mut map = SourceMap::new(1);
        map.copy(0, 2);
        map.seam(SeamKind::SoftBreak, Span::new(2, 4), 0, 1);
        map.copy(4, 2);
        map.seam(SeamKind::QpByte, Span::new(6, 9), 1, 0);
        map.copy(9, 1);
        let joint = Seam {
            kind: SeamKind::LineBreak,
            span: Span::new(2, 4),
            at: 2,
            len: 0,
        };
        let (mut segments, mut seams) = (vec![], vec![]);
        let pieces = [Span::new(0, 2), Span::new(4, 6)];
        assert!(map.compose(&pieces, &[joint], &mut segments, &mut seams));
        assert_eq!(segments, [Span::new(0, 2), Span::new(9, 10)]);
        assert_eq!(
            seams,
            [
                Seam {
                    kind: SeamKind::SoftBreak,
                    span: Span::new(2, 4),
                    at: 2,
                    len: 0
                },
                Seam {
                    kind: SeamKind::LineBreak,
                    span: Span::new(4, 6),
                    at: 2,
                    len: 0
                },
                Seam {
                    kind: SeamKind::QpByte,
                    span: Span::new(6, 9),
                    at: 2,
                    len: 1
                },
            ]
        );
    }

    #[test]
    fn opaque_text_has_no_source() {
        let mut map = SourceMap::new(1);
        map.copy(0, 3);
        map.opaque(5, 0);
        let (mut segments, mut seams) = (vec![], vec![]);
        assert!(!map.map(Span::new(1, 5), 0, &mut segments, &mut seams));
        assert!(segments.is_empty() && seams.is_empty());
        assert_eq!(map.line_delta(4), None);
        assert_eq!(map.extent(Span::new(1, 5)), None);
    }

    #[test]
    fn a_tail_that_follows_is_the_tail() {
        let (mut map, mut tail) = (SourceMap::new(1), SourceMap::new(1));
        let (mut source, mut random) = (0, 1_u32);
        for i in 0..200_u64 {
            // Copies that grow, removals at one place, and other bytes.
            for _ in 0..i % 4 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                match (random >> 24) % 5 {
                    0 => map.seam(SeamKind::Fold, Span::new(source, source + 2), 0, 1),
                    1 => map.opaque(3, 0),
                    2 => map.seam(SeamKind::QpByte, Span::new(source, source + 3), 1, 0),
                    _ => map.copy(source, 2),
                }
                source += 2;
            }
            let end = map.text_end();
            map.forget(end.saturating_sub(60));
            let from = end.saturating_sub(25) / 10 * 10;
            tail.copy_tail(&map, from);
            let mut whole = SourceMap::new(1);
            whole.copy_tail(&map, from);
            assert_eq!(format!("{tail:?}"), format!("{whole:?}"), "{i}");
            // All but the last of what ends before `from` is left out.
            let behind = map.pieces.iter().take_while(|p| p.text + p.len <= from);
            let behind = behind.count().saturating_sub(1);
            let expected: Vec<_> = map.pieces.range(behind..).collect();
            assert_eq!(format!("{:?}", tail.pieces), format!("{expected:?}"), "{i}");
            assert_eq!(tail.text_end(), map.text_end());
        }
        assert!(map.dropped > 100 && tail.pieces.len() > 5);
    }

    #[test]
    fn forgets_what_is_behind() {
        let mut map = sample();
        map.forget(1);
        assert_eq!(map.line_delta(0), None);
        assert_eq!(map.line_delta(1), Some(6));
        map.forget(3);
        assert_eq!(map.line_delta(2), None);
        assert_eq!(map.line_delta(3), Some(7));
        assert_eq!(map.line_delta(4), None);
        assert_eq!(map.text_end(), 4);
        // The last piece may still grow.
        map.forget(9);
        assert_eq!(map.line_delta(3), Some(7));
    }

    #[test]
    fn a_span_never_ends_before_it_starts() {
        assert_eq!(Span::new(5, 3), Span { start: 5, end: 5 });
        assert!(Span::new(5, 5).is_empty() && !Span::new(5, 6).is_empty());
        assert_eq!(Span::new(5, 8).len(), 3);
    }

    #[test]
    fn copies_that_follow_are_one_piece() {
        let mut map = SourceMap::new(3);
        for (source, len) in [(100, 4), (104, 6), (110, 1), (111, 5)] {
            map.copy(source, len);
        }
        assert_eq!((map.pieces.len(), map.text_end()), (1, 16));
        assert_eq!(map.pieces[0].source, Span::new(100, 116));
        // Line feeds of the source that the text has not.
        map.opaque(3, 4);
        map.copy(130, 1);
        assert_eq!(map.line_delta(0), Some(2));
        assert_eq!(map.line_delta(16), None);
        assert_eq!(map.line_delta(19), Some(6));
    }

    #[test]
    fn a_part_of_a_piece_has_its_own_place() {
        let mut map = SourceMap::new(1);
        map.copy(100, 4);
        map.copy(104, 6);
        map.copy(9, 0);
        map.seam(SeamKind::Entity, Span::new(110, 116), 2, 0);
        map.copy(116, 4);
        let (mut segments, mut seams) = (vec![], vec![]);
        assert!(map.map(Span::new(3, 7), 0, &mut segments, &mut seams));
        assert_eq!(segments, [Span::new(103, 107)]);
        assert_eq!(map.extent(Span::new(3, 7)), Some(Span::new(103, 107)));
        assert_eq!(map.extent(Span::new(3, 14)), Some(Span::new(103, 118)));
        assert_eq!(map.extent(Span::new(3, 12)), Some(Span::new(103, 116)));
        assert_eq!(map.extent(Span::new(10, 13)), Some(Span::new(110, 117)));
        assert_eq!(map.extent(Span::new(15, 17)), None);
        // A part of what an entity stands for stands nowhere.
        for (start, end) in [(8, 11), (11, 13), (10, 11), (11, 12)] {
            let span = Span::new(start, end);
            assert!(!map.map(span, 0, &mut segments, &mut seams), "{span:?}");
            assert_eq!((segments.len(), seams.len()), (1, 0));
        }
        let end = Span::new(8, 13);
        assert!(map.map(end, 20, &mut segments, &mut seams));
        assert_eq!(segments[1..], [Span::new(108, 110), Span::new(116, 117)]);
        assert_eq!((seams[0].at, seams[0].len), (22, 2));
    }

    /// What a scanner read as a byte, and what it removed, over text that was
    /// itself made of more.
    #[test]
    fn seams_of_the_text_are_seams_of_the_source() {
        let mut map = SourceMap::new(1);
        map.copy(0, 5);
        map.seam(SeamKind::SoftBreak, Span::new(5, 7), 0, 1);
        map.copy(7, 2);
        map.seam(SeamKind::QpByte, Span::new(9, 12), 1, 0);
        map.copy(20, 1);
        let joint = |start, end, len| Seam {
            kind: SeamKind::QpGuess,
            span: Span::new(start, end),
            at: 1,
            len,
        };
        let compose = |pieces: &[(u64, u64)], joint: Seam| {
            let pieces: Vec<Span> = pieces.iter().map(|p| Span::new(p.0, p.1)).collect();
            let (mut segments, mut seams) = (vec![], vec![]);
            let placed = map.compose(&pieces, &[joint], &mut segments, &mut seams);
            placed.then_some((segments, seams))
        };
        // `a=3Db`, then a removal, and a byte: the URL is `a=b..=`.
        let (segments, seams) = compose(&[(0, 1), (4, 8)], joint(1, 4, 1)).unwrap();
        assert_eq!(
            segments,
            [(0, 1), (4, 5), (7, 9)].map(|(a, b)| Span::new(a, b))
        );
        let places: Vec<_> = seams.iter().map(|s| (s.span.start, s.at, s.len)).collect();
        assert_eq!(places, [(1, 1, 1), (5, 3, 0), (9, 5, 1)]);
        // Around a soft break what was removed is removed; a byte is not read.
        assert!(compose(&[(0, 4), (6, 7)], joint(4, 6, 0)).is_some());
        assert!(compose(&[(0, 4), (6, 7)], joint(4, 6, 1)).is_none());
        // The hole before the last byte of the text is none of the joint's.
        assert!(compose(&[(0, 7)], joint(7, 8, 0)).is_some());
        assert!(compose(&[(5, 7), (8, 9)], joint(7, 8, 0)).is_none());
    }
}
