//! What the decoding stages hand from one to the next: bytes together with
//! where they came from.

use std::ops::Range;

use memchr::memchr_iter;

use crate::span::{SeamKind, Span};

/// Where the bytes of a [`MappedBytes`] come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// They stand in the source at this offset.
    Copy(u64),
    /// They stand for these source bytes. The number is how many line feeds
    /// the source bytes hold more than the piece.
    Seam(SeamKind, Span, i64),
    /// They stand nowhere. The number as for a seam.
    Opaque(i64),
}

/// Some bytes of a text on their way through the stages.
#[derive(Clone, Copy, Debug)]
pub(super) struct MappedBytes<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) origin: Origin,
}

/// How many line feeds `bytes` holds.
pub(super) fn line_feeds(bytes: &[u8]) -> i64 {
    // Most pieces between two tags or escapes are short: a call costs more than
    // the count. The compiler makes vectors of the sums of one byte.
    const SHORT: usize = 128;
    if bytes.len() <= SHORT {
        let feeds = bytes.iter().map(|&b| u8::from(b == b'\n'));
        return i64::from(feeds.fold(0u8, u8::wrapping_add));
    }
    memchr_iter(b'\n', bytes).count() as i64
}

impl<'a> MappedBytes<'a> {
    pub(super) fn copy(bytes: &'a [u8], source: u64) -> MappedBytes<'a> {
        MappedBytes {
            bytes,
            origin: Origin::Copy(source),
        }
    }

    pub(super) fn seam(
        kind: SeamKind,
        source: Span,
        bytes: &'a [u8],
        lines: i64,
    ) -> MappedBytes<'a> {
        MappedBytes {
            bytes,
            origin: Origin::Seam(kind, source, lines),
        }
    }

    pub(super) fn opaque(bytes: &'a [u8], lines: i64) -> MappedBytes<'a> {
        MappedBytes {
            bytes,
            origin: Origin::Opaque(lines),
        }
    }

    /// The first `n` bytes, and the rest; a removal goes with the rest of
    /// nothing. A seam that is cut in two loses its
    /// place in the source: half of an encoding is no place.
    pub(super) fn split_at(self, n: usize) -> (MappedBytes<'a>, MappedBytes<'a>) {
        let (a, b) = self.bytes.split_at(n);
        match self.origin {
            Origin::Copy(s) => (MappedBytes::copy(a, s), MappedBytes::copy(b, s + n as u64)),
            _ if a.is_empty() => (MappedBytes::opaque(a, 0), self),
            _ if b.is_empty() => (self, MappedBytes::opaque(b, 0)),
            Origin::Seam(_, _, lines) | Origin::Opaque(lines) => {
                (MappedBytes::opaque(a, lines), MappedBytes::opaque(b, 0))
            }
        }
    }

    /// Takes the first `n` bytes off.
    pub(super) fn take(&mut self, n: usize) -> MappedBytes<'a> {
        let (a, b) = self.split_at(n);
        *self = b;
        a
    }

    /// The source bytes, where there are any.
    pub(super) fn source(&self) -> Option<Span> {
        match self.origin {
            Origin::Copy(s) => Some(Span::new(s, s + self.bytes.len() as u64)),
            Origin::Seam(_, span, _) => Some(span),
            Origin::Opaque(_) => None,
        }
    }

    /// How many line feeds stand in the source under this piece.
    pub(super) fn source_lines(&self) -> i64 {
        let more = match self.origin {
            Origin::Copy(_) => 0,
            Origin::Seam(_, _, lines) | Origin::Opaque(lines) => lines,
        };
        more + line_feeds(self.bytes)
    }

    /// True if the piece says nothing at all.
    pub(super) fn is_nothing(&self) -> bool {
        self.bytes.is_empty() && matches!(self.origin, Origin::Copy(_) | Origin::Opaque(0))
    }
}

/// A few bytes that wait until more is known: then they become one seam, or
/// go on as they came.
#[derive(Debug, Default)]
pub(super) struct Held {
    bytes: Vec<u8>,
    /// Lengths and origins of the pieces, in order. No two removals stand side
    /// by side, so there are at most twice as many as bytes, and one.
    pieces: Vec<(u32, Origin)>,
}

impl Held {
    pub(super) fn push(&mut self, piece: MappedBytes<'_>) {
        if piece.is_nothing() {
            return;
        }
        let len = piece.bytes.len() as u32;
        if let Some((n, last)) = self.pieces.last_mut() {
            match (&mut *last, piece.origin) {
                (Origin::Copy(s), Origin::Copy(t)) if *s + u64::from(*n) == t => {
                    *n += len;
                    self.bytes.extend_from_slice(piece.bytes);
                    return;
                }
                (a, b) if *n == 0 && len == 0 => {
                    *a = join_removals(*a, b);
                    return;
                }
                _ => {}
            }
        }
        self.bytes.extend_from_slice(piece.bytes);
        self.pieces.push((len, piece.origin));
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.pieces.clear();
    }

    /// The pieces in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = MappedBytes<'_>> {
        let mut at = 0;
        self.pieces.iter().map(move |&(len, origin)| {
            let from = at;
            at += len as usize;
            MappedBytes {
                bytes: &self.bytes[from..at],
                origin,
            }
        })
    }

    /// The pieces of the bytes from `from` on.
    pub(super) fn iter_from(&self, from: usize) -> impl Iterator<Item = MappedBytes<'_>> {
        let mut at = 0;
        self.iter().filter_map(move |p| {
            let (start, end) = (at, at + p.bytes.len());
            at = end;
            if end <= from && !(start == from && p.bytes.is_empty()) {
                return None;
            }
            // A removal has nothing to split: it would be lost.
            Some(if start >= from {
                p
            } else {
                p.split_at(from - start).1
            })
        })
    }

    /// All that stands in the first `n` bytes, read as `text`.
    pub(super) fn seam<'t>(&self, n: usize, kind: SeamKind, text: &'t [u8]) -> MappedBytes<'t> {
        let mut span: Option<Span> = None;
        let mut known = true;
        let mut lines = -line_feeds(text);
        let mut at = 0;
        for p in self.iter() {
            // A removal after the last byte goes with the bytes after it, if any.
            if at >= n && n < self.bytes.len() {
                break;
            }
            let p = match n - at < p.bytes.len() {
                true => p.split_at(n - at).0,
                false => p,
            };
            at += p.bytes.len();
            lines += p.source_lines();
            match p.source() {
                Some(s) => span = Some(cover(span, s)),
                None => known = known && p.bytes.is_empty(),
            }
        }
        match span {
            Some(span) if known => MappedBytes::seam(kind, span, text, lines),
            _ => MappedBytes::opaque(text, lines),
        }
    }
}

/// Reads the pieces of stretches of held bytes, each after the one before.
pub(super) struct Stretches<'h> {
    held: &'h Held,
    /// The piece that is next, and where it begins.
    next: usize,
    at: usize,
}

impl<'h> Stretches<'h> {
    pub(super) fn of(held: &'h Held) -> Stretches<'h> {
        Stretches {
            held,
            next: 0,
            at: 0,
        }
    }

    /// Gives the pieces of the bytes in `range` to `put`.
    pub(super) fn read(&mut self, range: Range<usize>, mut put: impl FnMut(MappedBytes<'h>)) {
        while let Some(&(len, origin)) = self.held.pieces.get(self.next) {
            if self.at >= range.end {
                return;
            }
            let end = self.at + len as usize;
            let bytes = &self.held.bytes[self.at..end];
            let piece = MappedBytes { bytes, origin };
            let (from, to) = (self.at.max(range.start), end.min(range.end));
            if from < to {
                put(piece.split_at(from - self.at).1.split_at(to - from).0);
            } else if bytes.is_empty() && self.at > range.start {
                put(piece);
            }
            if end > range.end {
                return;
            }
            self.next += 1;
            self.at = end;
        }
    }
}

/// `more`, and what was there before it.
pub(super) fn cover(span: Option<Span>, more: Span) -> Span {
    match span {
        Some(s) => Span::new(s.start.min(more.start), s.end.max(more.end)),
        None => more,
    }
}

/// Two removals, the second right after the first, as one. Without this a
/// stream of removals would grow a map although the text does not grow.
/// Removals of one kind keep it; bytes removed for two reasons are `Markup`,
/// the kind that says only that they were removed.
pub(super) fn join_removals(a: Origin, b: Origin) -> Origin {
    match (a, b) {
        (Origin::Seam(k, s, m), Origin::Seam(l, t, n)) => {
            let kind = if k == l { k } else { SeamKind::Markup };
            Origin::Seam(kind, cover(Some(s), t), m + n)
        }
        (Origin::Seam(k, s, m), Origin::Opaque(n)) | (Origin::Opaque(n), Origin::Seam(k, s, m)) => {
            Origin::Seam(k, s, m + n)
        }
        (Origin::Opaque(m), Origin::Opaque(n)) => Origin::Opaque(m + n),
        // A copy of no bytes says nothing.
        (Origin::Copy(_), x) | (x, Origin::Copy(_)) => x,
    }
}
