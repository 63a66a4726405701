//! Bytes together with their place in the source. The decoding stages pass them
//! to each other.

use std::ops::Range;

use memchr::memchr_iter;

use crate::span::{SeamKind, Span};

/// The origin of the bytes of a [`MappedBytes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A copy of the source bytes at this offset.
    Copy(u64),
    /// Decoded from these source bytes. The number is the count of line feeds
    /// in the source bytes, minus the count in the piece.
    Seam(SeamKind, Span, i64),
    /// Without a place in the source. The number has the same meaning as for a
    /// seam.
    Opaque(i64),
}

/// Bytes of a text, as passed between two stages.
#[derive(Clone, Copy, Debug)]
pub(super) struct MappedBytes<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) origin: Origin,
}

/// The number of line feeds in `bytes`.
pub(super) fn line_feeds(bytes: &[u8]) -> i64 {
    // Most pieces between two tags or escapes are short. For these a call to
    // memchr costs more than the count. One-byte sums let the compiler use
    // vector instructions.
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

    /// Splits off the first `n` bytes. A removal has no bytes. It becomes the
    /// second piece. A seam that is split loses its place in the source,
    /// because half of an encoded character has no place.
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

    /// Splits off the first `n` bytes and returns them.
    pub(super) fn take(&mut self, n: usize) -> MappedBytes<'a> {
        let (a, b) = self.split_at(n);
        *self = b;
        a
    }

    /// The span of the source bytes, if any.
    pub(super) fn source(&self) -> Option<Span> {
        match self.origin {
            Origin::Copy(s) => Some(Span::new(s, s + self.bytes.len() as u64)),
            Origin::Seam(_, span, _) => Some(span),
            Origin::Opaque(_) => None,
        }
    }

    /// The number of line feeds in the source of this piece.
    pub(super) fn source_lines(&self) -> i64 {
        let more = match self.origin {
            Origin::Copy(_) => 0,
            Origin::Seam(_, _, lines) | Origin::Opaque(lines) => lines,
        };
        more + line_feeds(self.bytes)
    }

    /// True if the piece has no bytes and removes nothing.
    pub(super) fn is_nothing(&self) -> bool {
        self.bytes.is_empty() && matches!(self.origin, Origin::Copy(_) | Origin::Opaque(0))
    }
}

/// A few bytes that are held until later bytes decide their meaning. Then they
/// become one seam, or are passed on unchanged.
#[derive(Debug, Default)]
pub(super) struct Held {
    bytes: Vec<u8>,
    /// Lengths and origins of the pieces, in order. Adjacent removals are
    /// joined. So `n` bytes have at most `2n + 1` pieces.
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
            // A removal has no bytes to split, and splitting would lose it.
            Some(if start >= from {
                p
            } else {
                p.split_at(from - start).1
            })
        })
    }

    /// The first `n` bytes as one seam whose text is `text`.
    pub(super) fn seam<'t>(&self, n: usize, kind: SeamKind, text: &'t [u8]) -> MappedBytes<'t> {
        let mut span: Option<Span> = None;
        let mut known = true;
        let mut lines = -line_feeds(text);
        let mut at = 0;
        for p in self.iter() {
            // A removal after the last byte belongs to the next bytes, if there
            // are any.
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

/// Reads ranges of held bytes in ascending order.
pub(super) struct Stretches<'h> {
    held: &'h Held,
    /// The index of the next piece, and the offset of its first byte.
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

    /// Passes the pieces of the bytes in `range` to `put`.
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

/// Counts the line feeds of the source before places of a text, in ascending
/// order of the places.
pub(super) struct Lines<'h, I> {
    pieces: I,
    /// The rest of the piece at the last place.
    rest: Option<MappedBytes<'h>>,
    at: usize,
    count: i64,
}

impl<'h, I: Iterator<Item = MappedBytes<'h>>> Lines<'h, I> {
    pub(super) fn of(pieces: I) -> Lines<'h, I> {
        Lines {
            pieces,
            rest: None,
            at: 0,
            count: 0,
        }
    }

    /// The number of line feeds before the byte at `place`. This includes the
    /// line feeds of a removal directly before the byte.
    pub(super) fn before(&mut self, place: usize) -> i64 {
        while let Some(mut piece) = self.rest.take().or_else(|| self.pieces.next()) {
            let n = piece.bytes.len().min(place - self.at);
            let is_whole = n == piece.bytes.len();
            self.at += n;
            self.count += match is_whole {
                true => piece.source_lines(),
                false => piece.take(n).source_lines(),
            };
            if !is_whole {
                self.rest = Some(piece);
                break;
            }
        }
        self.count
    }
}

/// The span that covers both spans.
pub(super) fn cover(span: Option<Span>, more: Span) -> Span {
    match span {
        Some(s) => Span::new(s.start.min(more.start), s.end.max(more.end)),
        None => more,
    }
}

/// Joins two adjacent removals. Otherwise a series of removals would make the
/// map grow without any text. Two removals of the same kind keep this kind.
/// Otherwise the result is `Markup`, which only says that bytes were removed.
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
        // A copy of no bytes has no effect.
        (Origin::Copy(_), x) | (x, Origin::Copy(_)) => x,
    }
}
