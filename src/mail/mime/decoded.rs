//! Decoded bytes of several origins in one slice.

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
/// the source costs one step per escape.
#[derive(Clone, Debug)]
pub(super) struct DecodedBytes<'a> {
    /// The remaining bytes. If there are escapes, the origin is that of the
    /// next source byte.
    rest: MappedBytes<'a>,
    /// The position of `rest` in the decoded bytes.
    at: usize,
    /// The remaining escapes, in order.
    escapes: &'a [Escape],
    /// The number of bytes at the start of `rest` that are removed together.
    gap: usize,
    /// The number of escapes in the gap.
    gap_escapes: usize,
    /// The bytes from the first byte that
    /// [`passed_lines`](DecodedBytes::passed_lines) has not counted yet.
    uncounted: &'a [u8],
    /// The number of source line feeds that were passed and are not in the
    /// decoded bytes.
    lines: i64,
}

impl<'a> From<MappedBytes<'a>> for DecodedBytes<'a> {
    fn from(piece: MappedBytes<'a>) -> DecodedBytes<'a> {
        DecodedBytes {
            rest: piece,
            at: 0,
            escapes: &[],
            gap: 0,
            gap_escapes: 0,
            uncounted: piece.bytes,
            lines: 0,
        }
    }
}

impl<'a> DecodedBytes<'a> {
    /// `bytes` is the decoded text of the source bytes that start at `source`.
    pub(super) fn new(bytes: &'a [u8], source: u64, escapes: &'a [Escape]) -> DecodedBytes<'a> {
        DecodedBytes {
            escapes,
            ..DecodedBytes::from(MappedBytes::copy(bytes, source))
        }
    }

    /// The remaining bytes.
    pub(super) fn bytes(&self) -> &'a [u8] {
        self.rest.bytes
    }

    /// The next bytes up to an escape, or the next escape. `None` at the end.
    pub(super) fn next_piece(&mut self) -> Option<MappedBytes<'a>> {
        let left = self.rest.bytes.len();
        (left > 0 || !self.escapes.is_empty()).then(|| self.take(left))
    }

    /// The bytes after the gap.
    pub(super) fn after_gap(&self) -> &'a [u8] {
        &self.rest.bytes[self.gap..]
    }

    /// Adds the next `n` bytes to the gap.
    pub(super) fn widen_gap(&mut self, n: usize) {
        self.gap += n;
    }

    /// The next escape after the gap, and the number of bytes between the two.
    pub(super) fn escape_after_gap(&mut self) -> Option<(usize, Escape)> {
        let end = self.at + self.gap;
        loop {
            let escape = self.escapes.get(self.gap_escapes)?;
            match (escape.at as usize).checked_sub(end) {
                Some(n) => return Some((n, *escape)),
                None => self.gap_escapes += 1,
            }
        }
    }

    /// Skips the gap, unless it is empty. Returns the same as
    /// [`DecodedBytes::skip`].
    pub(super) fn skip_gap(&mut self) -> Option<(Option<Span>, i64)> {
        let gap = std::mem::take(&mut self.gap);
        self.gap_escapes = 0;
        (gap > 0).then(|| self.skip(gap))
    }

    /// Takes one piece: at most `n` bytes up to the next escape, or that escape.
    pub(super) fn take(&mut self, n: usize) -> MappedBytes<'a> {
        let (Some(escape), Origin::Copy(source)) = (self.escapes.first(), self.rest.origin) else {
            if let Origin::Seam(_, _, lines) | Origin::Opaque(lines) = self.rest.origin {
                self.lines += lines;
            }
            self.at += n;
            return self.rest.take(n);
        };
        let before = escape.at as usize - self.at;
        if before > 0 {
            let n = n.min(before);
            self.at += n;
            return self.rest.take(n);
        }
        self.escapes = &self.escapes[1..];
        let (bytes, after) = self.rest.bytes.split_at(usize::from(escape.len));
        let end = source + u64::from(escape.source_len);
        self.rest = MappedBytes::copy(after, end);
        self.at += bytes.len();
        self.lines += i64::from(escape.lines);
        let kind = match bytes {
            [] => SeamKind::SoftBreak,
            _ => SeamKind::QpByte,
        };
        let lines = i64::from(escape.lines);
        MappedBytes::seam(kind, Span::new(source, end), bytes, lines)
    }

    /// Skips the next `n` bytes. No removal may precede the first of them.
    /// Returns the place of their source bytes, if they have a place, and the
    /// number of source line feeds.
    pub(super) fn skip(&mut self, n: usize) -> (Option<Span>, i64) {
        let end = self.at + n;
        let Origin::Copy(start) = self.rest.origin else {
            let piece = self.take(n);
            return (piece.source(), piece.source_lines());
        };
        let (bytes, after) = self.rest.bytes.split_at(n);
        let (mut source, mut lines) = (start + n as u64, 0);
        while let Some(escape) = self.escapes.first()
            && (escape.at as usize) < end
        {
            source += u64::from(escape.source_len - escape.len);
            lines += i64::from(escape.lines);
            self.escapes = &self.escapes[1..];
        }
        self.rest = MappedBytes::copy(after, source);
        self.at = end;
        self.lines += lines;
        (Some(Span::new(start, source)), lines + line_feeds(bytes))
    }

    /// The number of source line feeds passed since the last call.
    pub(super) fn passed_lines(&mut self) -> i64 {
        let passed = self.uncounted.len() - self.rest.bytes.len();
        let lines = self.lines + line_feeds(&self.uncounted[..passed]);
        self.forget_lines();
        lines
    }

    /// Discards the count of source line feeds passed since the last call.
    pub(super) fn forget_lines(&mut self) {
        self.uncounted = self.rest.bytes;
        self.lines = 0;
    }
}
