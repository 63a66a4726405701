//! The parts of a bare URL that was broken over lines, and the URL that they make.

use crate::scan::candidate::{Candidate, ReadingKind};
use crate::scan::limits::JOINED_LINES;
use crate::scan::typeset;
use crate::scan::window::Window;
use urlgrep_base::span::{SeamKind, Span};

/// The parts of a URL that was broken over lines. There are at most
/// [`JOINED_LINES`].
#[derive(Clone, Copy, Default)]
pub(super) struct LineParts {
    items: [LinePart; JOINED_LINES],
    pub(super) len: usize,
}

/// A part, as indexes into the window.
#[derive(Clone, Copy, Default)]
pub(super) struct LinePart {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The start of the next line's leader. Equal to `next` if there is no
    /// leader.
    pub(super) marks: usize,
    /// The start of the next part.
    pub(super) next: usize,
}

impl LineParts {
    pub(super) fn as_slice(&self) -> &[LinePart] {
        &self.items[..self.len]
    }

    /// True if there is room for only one more part.
    pub(super) fn is_full(&self) -> bool {
        self.len + 1 >= JOINED_LINES
    }

    /// Index after the last byte of the URL.
    pub(super) fn end(&self) -> usize {
        self.as_slice().last().map_or(0, |piece| piece.end)
    }

    /// Adds the joined URL to `out`. It is a [`ReadingKind::Hyphen`] if it
    /// leaves out a hyphen before the first break.
    pub(super) fn reading(
        &self,
        w: &Window<'_>,
        base: u64,
        out: &mut Candidate,
        kind: ReadingKind,
        same_extent: bool,
    ) {
        let drop = kind == ReadingKind::Hyphen;
        let hyphen = |piece: &LinePart| hyphen_len(&w.bytes()[..piece.end]);
        let first = self.as_slice().first().map_or(0, hyphen);
        if drop && first == 0 {
            return;
        }
        // Typesetters add U+2010 at the end of a line. Where the URL has a hyphen of ASCII, they did
        // not write U+2010 for its own.
        let is_last = |i: usize| i + 1 == self.len;
        let has_own = |piece: &LinePart| w.bytes()[piece.start..piece.end].contains(&b'-');
        let has_own = self.as_slice().iter().any(has_own);
        for (i, piece) in self.as_slice().iter().enumerate() {
            let is_typeset = typeset::is_hyphen(&w.bytes()[..piece.end]);
            let is_added = has_own && is_typeset && !is_last(i);
            let is_dropped = is_added != (drop && i == 0);
            let cut = piece.end - if is_dropped { hyphen(piece) } else { 0 };
            let bytes = &w.bytes()[piece.start..cut];
            let start = base + piece.start as u64;
            if bytes.is_ascii() {
                out.copy(bytes, span(base, piece.start, cut));
            } else {
                out.copy_decoded(bytes, start, typeset::find);
            }
            out.seam(SeamKind::Hyphen, span(base, cut, piece.end), b"");
            out.seam(SeamKind::LineBreak, span(base, piece.end, piece.marks), b"");
            out.seam(SeamKind::Leader, span(base, piece.marks, piece.next), b"");
        }
        out.finish(kind, same_extent);
    }

    pub(super) fn push(&mut self, start: usize, end: usize, marks: usize, next: usize) {
        if let Some(place) = self.items.get_mut(self.len) {
            *place = LinePart {
                start,
                end,
                marks,
                next,
            };
            self.len += 1;
        }
    }
}

/// The length of the hyphen at the end of `bytes`. 0 if there is none.
fn hyphen_len(bytes: &[u8]) -> usize {
    if typeset::is_hyphen(bytes) {
        typeset::HYPHEN_LEN
    } else {
        usize::from(bytes.ends_with(b"-"))
    }
}

pub(super) fn span(base: u64, start: usize, end: usize) -> Span {
    Span::new(base + start as u64, base + end as u64)
}
