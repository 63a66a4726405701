//! Reads a bare URL over soft breaks of quoted-printable that nothing declares: a `=` at the end of
//! a line. Decides for its readings whether an encoder wrote that `=`.

use super::BareUrl;
use super::next_line::{is_url_byte, line_end};
use super::parts::{LinePart, LineParts, span};
use crate::scan::boundary::{self, Bare};
use crate::scan::candidate::{Candidate, ReadingKind};
use crate::scan::rejoin::after_break;
use crate::scan::window::Window;
use crate::scan::{evidence, qp, scheme};
use urlgrep_base::span::SeamKind;

impl BareUrl {
    /// Reads a `=` at the end of the line as an undeclared soft break.
    /// Continues over the following lines that also end in one.
    #[inline]
    pub(super) fn soft_break(&self, w: &Window<'_>) -> Option<Soft> {
        // Few URLs end in this byte.
        if w.bytes()[self.extent.raw - 1] == b'=' {
            self.read_soft_break(w)
        } else {
            None
        }
    }

    #[inline(never)]
    fn read_soft_break(&self, w: &Window<'_>) -> Option<Soft> {
        let first = self.extent.raw;
        if line_end(w, first) != Some(first) || !w.encoded {
            return None;
        }
        let mut soft = Soft {
            pieces: LineParts::default(),
            likely: false,
        };
        let mut start = self.start;
        let mut raw = self.extent.raw;
        let mut line = self.line;
        let mut depth = self.extent.depth;
        while w.bytes()[start..raw].ends_with(b"=") && line_end(w, raw) == Some(raw) {
            // A `=3D` directly before it is proof enough, and a query whose other `=` are `=3D`.
            // If a `=` before it encodes nothing, the text is no quoted-printable.
            let bytes = &w.bytes()[start..raw - 1];
            let is_wide = line.is_some_and(|line| qp::is_soft_line(raw - line));
            let likely = is_wide
                && memchr::memchr(b'=', bytes) == qp::find(bytes).map(|first| first.at)
                && qp::stop(bytes).is_none()
                || bytes.ends_with(b"=3D")
                || qp::is_encoded(bytes);
            if soft.pieces.as_slice().is_empty() {
                soft.likely = likely;
            } else if !likely {
                break;
            }
            let next = after_break(w, raw);
            let goes_on = w.at(next).is_some_and(|b| is_url_byte(b) && b != b'#');
            if !goes_on || scheme::starts_at(w, next) || soft.pieces.is_full() {
                break;
            }
            soft.pieces.push(start, raw - 1, next, next);
            let Bare::Found(extent) = boundary::more(w, next, self.opener, depth, self.max) else {
                return None;
            };
            start = next;
            raw = extent.raw;
            line = Some(next);
            depth = extent.depth;
            if qp::stop(&w.bytes()[start..raw]).is_some() {
                break;
            }
        }
        if soft.pieces.as_slice().is_empty() {
            return None;
        }
        let rest = &w.bytes()[start..raw];
        let rest = &rest[..qp::stop(rest).unwrap_or(rest.len())];
        let open = self.extent.depth.round();
        let end = start + qp::trim(rest, open);
        // Base64 ends in `=` too, and one line in three that ends in it has this length.
        let first = &w.bytes()[self.start..self.extent.raw - 1];
        let rest = &w.bytes()[start..end];
        soft.likely = soft.likely
            && (open > 0 && rest.contains(&b')')
                || evidence::completes(first, rest) && !evidence::ends_in_token(first)
                || self.has_soft_sign(w, &soft, raw))
            || BareUrl::is_encoded_below(first, rest)
            || self.is_in_encoded_lines(w);
        soft.pieces.push(start, end, end, end);
        Some(soft)
    }

    /// True if the lines around the URL, whose line may be short, have a sign of quoted-printable. An
    /// encoder that breaks between words makes lines of any width. The shorter the URL, the less of the
    /// text around is read, because many short ones would read it again and again.
    fn is_in_encoded_lines(&self, w: &Window<'_>) -> bool {
        let end = self.extent.raw;
        let near = qp::SIGN_MAX.min(end - self.start);
        let is_short = near < qp::SHORT_MAX;
        let is_wide = self.line.is_some_and(|line| qp::is_soft_line(end - line));
        !is_wide && !is_short && self.ends_in_path(w) && qp::has_sign_near(w, self.start, end, near)
    }

    /// True if the URL has a path, and nothing to which its last `=` may belong: an empty value of a
    /// query.
    fn ends_in_path(&self, w: &Window<'_>) -> bool {
        let first = &w.bytes()[self.body..self.extent.raw - 1];
        first.contains(&b'/') && !first.iter().any(|b| b"?#;=".contains(b))
    }

    /// True if the rest of the URL is in quoted-printable, and the `=` at the end of its `first` line is
    /// not that of a parameter. Then the width of the line does not matter: some encoders break between
    /// words.
    fn is_encoded_below(first: &[u8], rest: &[u8]) -> bool {
        !first.iter().any(|b| b"?#;=".contains(b)) && qp::is_encoded(rest)
    }

    /// True if the URL or its paragraph has another sign of quoted-printable than the soft break
    /// in the URL, which ends before `raw`.
    fn has_soft_sign(&self, w: &Window<'_>, soft: &Soft, raw: usize) -> bool {
        let pieces = soft.pieces.as_slice();
        let has_code = |piece: &LinePart| qp::find(&w.bytes()[piece.start..piece.end]).is_some();
        let last = pieces.last().map_or(raw, |piece| piece.next);
        if pieces.len() > 1
            || pieces.iter().any(has_code)
            || qp::find(&w.bytes()[last..raw]).is_some()
        {
            return true;
        }
        qp::has_sign_near(w, self.start, raw, qp::SIGN_MAX)
    }
}

/// A URL that is divided by soft breaks.
pub(super) struct Soft {
    pieces: LineParts,
    /// True if an encoder would put the first break at this place.
    pub(super) likely: bool,
}

impl Soft {
    pub(super) fn readings(
        &self,
        found: &BareUrl,
        w: &Window<'_>,
        base: u64,
        out: &mut Candidate,
        kind: ReadingKind,
    ) -> usize {
        let mut last = found.start;
        for piece in self.pieces.as_slice() {
            let bytes = &w.bytes()[piece.start..piece.end];
            let start = base + piece.start as u64;
            out.copy_decoded(bytes, start, qp::find);
            out.seam(SeamKind::QpGuess, span(base, piece.end, piece.next), b"");
            last = piece.end;
        }
        out.finish(kind, kind == ReadingKind::Plain);
        last
    }
}
