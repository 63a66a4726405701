//! Positions of bytes: spans, seams, and the map from a decoded text to its
//! source.
//!
//! All offsets are absolute and count bytes from 0. A *source* offset counts
//! from the first byte of the file, or of the uncompressed member of an
//! archive. A *text* offset counts from the first byte of the text that is
//! scanned. For a plain file the two are equal. For a decoded part a
//! [`SourceMap`] converts text offsets to source offsets.

use std::ops::Range;

use crate::named;

mod map;

pub use map::SourceMap;

/// A half-open range of byte offsets, `start..end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Span {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
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

    /// The number of bytes in the span.
    #[must_use]
    pub const fn len(self) -> u64 {
        self.end - self.start
    }

    /// True if the span covers no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The bytes of `haystack` in the span. `None` if the haystack is too
    /// short. Offsets count from its first byte.
    ///
    /// ```
    /// use urlgrep::Span;
    ///
    /// assert_eq!(Span::new(2, 4).of(b"abcde"), Some(&b"cd"[..]));
    /// assert_eq!(Span::new(2, 9).of(b"abcde"), None);
    /// ```
    #[doc(hidden)]
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

    /// Fails if an offset does not fit in `usize`. This happens only on a
    /// 32-bit machine, in a file over 4 GiB.
    fn try_from(span: Span) -> Result<Range<usize>, Self::Error> {
        Ok(span.start.try_into()?..span.end.try_into()?)
    }
}

/// The column of the byte at `offset` of `haystack`: the number of bytes since
/// the start of its line, plus 1. LF ends a line. Linear in the length of the
/// line.
///
/// ```
/// assert_eq!(urlgrep_base::span::column(b"ab\ncd", 4), 2);
/// ```
#[must_use]
pub fn column(haystack: &[u8], offset: u64) -> u64 {
    let at = usize::try_from(offset)
        .unwrap_or(usize::MAX)
        .min(haystack.len());
    let line = memchr::memrchr(b'\n', &haystack[..at]).map_or(0, |lf| lf + 1);
    (at - line) as u64 + 1
}

named! {
    /// The kind of repair in a [`Seam`]. The kind and the source bytes of the seam
    /// determine its bytes in the URL.
    pub enum SeamKind {
        /// White space with a line break (LF, CRLF or CR), removed.
        LineBreak => "line-break",
        /// White space within a line, removed.
        Space => "space",
        /// A quote or comment mark at the start of a continuation line, removed.
        Leader => "leader",
        /// A hyphen that a typesetter added before a line break, removed.
        Hyphen => "hyphen",
        /// Page furniture (footer, form feed, header), removed.
        Page => "page",
        /// A soft line break of quoted-printable that no header declares, removed.
        QpGuess => "qp-guess",
        /// A soft line break of declared quoted-printable, removed.
        SoftBreak => "soft-break",
        /// `=XX`, read as the byte it encodes.
        QpByte => "qp-byte",
        /// A line break of `format=flowed; delsp=yes` text, removed.
        FlowedBreak => "flowed-break",
        /// The space that `format=flowed` adds before a line, removed.
        SpaceStuff => "space-stuff",
        /// A character reference of HTML, read as the UTF-8 of its character.
        Entity => "entity",
        /// An escape of a calendar or vCard (`\,`), or of a program (`\_`, `\u0026`, a backslash
        /// with the line break after it), read as its characters or removed. So are the quotation
        /// marks and the line break between two string literals.
        Escape => "escape",
        /// An escape of a style sheet (`\/`, `\3a `), read as the UTF-8 of its character.
        CssEscape => "css-escape",
        /// A blank in an HTML attribute, read as `%20`.
        Blank => "blank",
        /// Markup or other bytes in an HTML text, removed. A line break, a blank or a hyphen stands in
        /// place of some tags.
        Markup => "markup",
        /// The first dot of a dot-stuffed line, removed.
        DotStuff => "dot-stuff",
        /// The `>` that mbox puts before `From `, removed.
        FromQuote => "from-quote",
        /// The line break of a folded header field, or the line break and the blank after
        /// it in a calendar or vCard, removed.
        Fold => "fold",
        /// `www.`, `ftp.` or `gopher.` at the start of a host without a scheme, or the `//` of
        /// an HTML link without one, or the first byte of `\\\\` there. The URL has `http://`,
        /// `ftp://`, `gopher://`, or the scheme of the base of the page before these bytes.
        Scheme => "scheme",
        /// The ` at ` by which an archive masked an address, read as `@`.
        Mask => "mask",
        /// U+2010 or U+2011, read as the hyphen for which a typesetter wrote it. In an alternate also
        /// a ligature, read as its letters, and U+02DC or U+223C, read as a tilde.
        Typeset => "typeset",
        /// An invisible character (U+00AD, U+200B, U+2060, U+FEFF), removed.
        Invisible => "invisible",
        /// A code that colours the text of a terminal or of IRC, removed.
        Control => "control",
        /// The end of a row of a terminal, with its padding and its frame, removed.
        Row => "row",
        /// The line with the size of a chunk of HTTP, or the line end after a chunk, removed.
        Chunk => "chunk",
        /// What defangs a URL (`xx` in `hxxp`, `[.]`, ` dot `), read as what was meant. Found on
        /// request only.
        Refanged => "refanged",
    }
}

/// Source bytes that were not copied into the URL. They were removed, or
/// decoded to other bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seam {
    /// The kind of repair.
    pub kind: SeamKind,
    /// The source bytes of the seam.
    pub span: Span,
    /// The place of the seam in the decoded text. In a hit this is the offset
    /// from the first byte of the URL.
    pub at: u64,
    /// The number of bytes of text that the seam became. 0 for a removal.
    pub len: u32,
}

/// The span from the first byte of all `segments` and `seams` to their last
/// byte. Each of the two slices must be in the order of the source. A URL can
/// begin or end with a seam, because its first or last byte can be encoded. If
/// both slices are empty, the result is an empty span at 0.
#[must_use]
pub fn extent(segments: &[Span], seams: &[Seam]) -> Span {
    let first = [segments.first().copied(), seams.first().map(|s| s.span)];
    let last = [segments.last().copied(), seams.last().map(|s| s.span)];
    let start = first.iter().flatten().map(|span| span.start).min();
    let end = last.iter().flatten().map(|span| span.end).max();
    Span::new(start.unwrap_or(0), end.unwrap_or(0))
}
