//! Bytes together with their place in the source. The decoding stages pass them
//! to each other.

use memchr::memchr_iter;

use urlgrep_base::span::{SeamKind, Span};

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

    /// The span of the source bytes, if any.
    pub(super) fn source(&self) -> Option<Span> {
        match self.origin {
            Origin::Copy(s) => Some(Span::new(s, s + self.bytes.len() as u64)),
            Origin::Seam(_, span, _) => Some(span),
            Origin::Opaque(_) => None,
        }
    }

    /// The source offset of the first byte, if it has one.
    pub(super) fn start(&self) -> Option<u64> {
        self.source().map(|source| source.start)
    }

    /// True if the piece has no bytes and removes nothing.
    pub(super) fn is_nothing(&self) -> bool {
        self.bytes.is_empty() && matches!(self.origin, Origin::Copy(_) | Origin::Opaque(0))
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
