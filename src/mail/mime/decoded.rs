//! Decoded bytes of several origins in one slice.

use super::html::is_space;
use super::mapped::{MappedBytes, Origin, line_feeds};
use crate::span::{SeamKind, Span};

/// An escape of quoted-printable: source bytes that became one other byte, or
/// a soft line break.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escape {
    /// The position of the escape in the decoded bytes.
    pub(super) at: u32,
    /// The number of source bytes of the escape.
    pub(super) source_len: u8,
    /// The number of decoded bytes: 1, or 0 for a soft line break.
    pub(super) len: u8,
    /// The number of line feeds in the source bytes minus the number in the
    /// decoded bytes.
    pub(super) lines: i8,
}

/// Either one piece, or the decoded text of consecutive source bytes. The HTML
/// tokeniser can thus read a tag as one slice. To find the place of the tag in
/// the source costs one step per escape and line feed.
#[derive(Clone, Debug)]
pub(super) struct DecodedBytes<'a> {
    /// All bytes. Those before `at` were taken.
    bytes: &'a [u8],
    at: usize,
    /// The end of the gap. The bytes from `at` to there are removed together.
    gap: usize,
    /// The source offset of the next byte minus `at`. Wraps if it is negative.
    base: u64,
    /// The origin of the remaining bytes, if they are not copied.
    other: Option<Origin>,
    /// The remaining escapes, in order.
    escapes: &'a [Escape],
    /// The number of escapes in the gap.
    gap_escapes: usize,
    /// The position of the first escape after the gap. `usize::MAX` if there is
    /// none.
    limit: usize,
    /// The number of line feeds of the decoded bytes in the gap.
    gap_lines: i64,
    /// The first byte that [`passed_lines`](DecodedBytes::passed_lines) has not
    /// counted yet.
    uncounted: usize,
    /// The number of source line feeds that were passed and are not in the
    /// decoded bytes.
    lines: i64,
}

impl<'a> From<MappedBytes<'a>> for DecodedBytes<'a> {
    fn from(piece: MappedBytes<'a>) -> DecodedBytes<'a> {
        let (base, other) = match piece.origin {
            Origin::Copy(source) => (source, None),
            other => (0, Some(other)),
        };
        DecodedBytes {
            bytes: piece.bytes,
            at: 0,
            gap: 0,
            base,
            other,
            escapes: &[],
            gap_escapes: 0,
            limit: usize::MAX,
            gap_lines: 0,
            uncounted: 0,
            lines: 0,
        }
    }
}

impl<'a> DecodedBytes<'a> {
    /// `bytes` is the decoded text of the source bytes that start at `source`.
    pub(super) fn new(bytes: &'a [u8], source: u64, escapes: &'a [Escape]) -> DecodedBytes<'a> {
        let mut all = DecodedBytes::from(MappedBytes::copy(bytes, source));
        all.escapes = escapes;
        all.find_limit();
        all
    }

    /// The remaining bytes.
    #[inline]
    pub(super) fn bytes(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// The next bytes up to an escape, or the next escape. `None` at the end.
    pub(super) fn next_piece(&mut self) -> Option<MappedBytes<'a>> {
        let left = self.bytes.len() - self.at;
        (left > 0 || !self.escapes.is_empty()).then(|| self.take(left))
    }

    /// The bytes after the gap.
    #[inline]
    pub(super) fn after_gap(&self) -> &'a [u8] {
        &self.bytes[self.gap..]
    }

    /// True if the bytes are not copied.
    pub(super) fn is_other(&self) -> bool {
        self.other.is_some()
    }

    /// Adds the white space up to the next escape, or in the next escape, to the
    /// gap.
    #[inline]
    pub(super) fn widen_gap_over_space(&mut self) {
        let near = self.before_escape().max(1);
        let (mut n, mut lines) = (0, 0);
        for &b in &self.bytes[self.gap..][..near] {
            if !is_space(b) {
                break;
            }
            n += 1;
            lines += i64::from(b == b'\n');
        }
        self.widen_gap(n, lines);
    }

    /// Adds the next `n` bytes, which have this number of line feeds, to the gap.
    #[inline]
    pub(super) fn widen_gap(&mut self, n: usize, lines: i64) {
        self.gap += n;
        self.gap_lines += lines;
        while self.limit < self.gap {
            self.gap_escapes += 1;
            self.find_limit();
        }
    }

    fn find_limit(&mut self) {
        let escape = self.escapes.get(self.gap_escapes);
        self.limit = escape.map_or(usize::MAX, |escape| escape.at as usize);
    }

    /// The number of bytes from the end of the gap to the next escape. At most
    /// the number of bytes after the gap.
    #[inline]
    pub(super) fn before_escape(&self) -> usize {
        self.limit.min(self.bytes.len()) - self.gap
    }

    /// True if a soft line break follows the gap.
    #[inline]
    pub(super) fn is_at_soft_break(&self) -> bool {
        self.limit == self.gap && self.escapes[self.gap_escapes].len == 0
    }

    /// Takes the gap. Returns the place of its source bytes, and the number of
    /// their line feeds. `None` if there is no gap.
    #[inline]
    pub(super) fn take_gap(&mut self) -> Option<(Span, i64)> {
        if self.gap == self.at {
            return None;
        }
        let start = self.source();
        let mut lines = std::mem::take(&mut self.gap_lines);
        if self.gap_escapes > 0 {
            lines += self.pass_escapes(self.gap);
        }
        self.at = self.gap;
        Some((Span::new(start, self.source()), lines))
    }

    /// Takes `n` bytes before the next escape, and their source offset. There must be
    /// no gap.
    #[inline]
    pub(super) fn take_copy(&mut self, n: usize) -> (&'a [u8], u64) {
        let taken = (&self.bytes[self.at..][..n], self.source());
        self.pass(n);
        taken
    }

    /// Moves past the next `n` bytes, which end the gap.
    #[inline]
    fn pass(&mut self, n: usize) {
        self.at += n;
        self.gap = self.at;
    }

    /// Takes one piece: at most `n` bytes up to the next escape, or that escape.
    /// There must be no gap.
    #[inline]
    pub(super) fn take(&mut self, n: usize) -> MappedBytes<'a> {
        if let Some(origin) = self.other {
            return self.take_other(n, origin);
        }
        let before = self.limit - self.at;
        if before == 0 {
            return self.take_escape();
        }
        let n = n.min(before);
        let piece = MappedBytes::copy(&self.bytes[self.at..][..n], self.source());
        self.pass(n);
        piece
    }

    /// The source offset of the next byte.
    #[inline]
    fn source(&self) -> u64 {
        self.base.wrapping_add(self.at as u64)
    }

    /// Takes the next escape.
    #[inline]
    fn take_escape(&mut self) -> MappedBytes<'a> {
        let Some((escape, later)) = self.escapes.split_first() else {
            return MappedBytes::opaque(b"", 0);
        };
        self.escapes = later;
        self.find_limit();
        let start = self.source();
        let bytes = &self.bytes[self.at..][..usize::from(escape.len)];
        self.pass(bytes.len());
        self.base = self
            .base
            .wrapping_add(u64::from(escape.source_len - escape.len));
        let lines = i64::from(escape.lines);
        self.lines += lines;
        let kind = match bytes {
            [] => SeamKind::SoftBreak,
            _ => SeamKind::QpByte,
        };
        MappedBytes::seam(kind, Span::new(start, self.source()), bytes, lines)
    }

    /// Takes at most `n` bytes that are not copied.
    fn take_other(&mut self, n: usize, origin: Origin) -> MappedBytes<'a> {
        if let Origin::Seam(_, _, lines) | Origin::Opaque(lines) = origin {
            self.lines += lines;
        }
        let bytes = self.bytes();
        let (taken, rest) = MappedBytes { bytes, origin }.split_at(n);
        self.other = Some(rest.origin);
        self.pass(n);
        taken
    }

    /// Skips the next `n` bytes. There must be no gap. No removal may precede the
    /// first of the bytes. Returns the place of their source bytes, if they have a
    /// place, and the number of source line feeds.
    #[inline]
    pub(super) fn skip(&mut self, n: usize) -> (Option<Span>, i64) {
        if self.other.is_some() {
            let piece = self.take(n);
            return (piece.source(), piece.source_lines());
        }
        let (start, end) = (self.source(), self.at + n);
        let mut lines = line_feeds(&self.bytes[self.at..end]);
        if self.limit < end {
            lines += self.pass_escapes(end);
        }
        self.pass(n);
        (Some(Span::new(start, self.source())), lines)
    }

    /// Skips the escapes before `end`. Returns the sum of their lines.
    fn pass_escapes(&mut self, end: usize) -> i64 {
        let mut lines = 0;
        while let Some(escape) = self.escapes.first()
            && (escape.at as usize) < end
        {
            self.base = self
                .base
                .wrapping_add(u64::from(escape.source_len - escape.len));
            lines += i64::from(escape.lines);
            self.escapes = &self.escapes[1..];
        }
        self.lines += lines;
        self.gap_escapes = 0;
        self.find_limit();
        lines
    }

    /// The number of source line feeds passed since the last call.
    pub(super) fn passed_lines(&mut self) -> i64 {
        let lines = self.lines + line_feeds(&self.bytes[self.uncounted..self.at]);
        self.forget_lines();
        lines
    }

    /// Discards the count of source line feeds passed since the last call.
    pub(super) fn forget_lines(&mut self) {
        (self.uncounted, self.lines) = (self.at, 0);
    }
}
