//! Readings of a bare URL: its bytes on the first line, and its possible
//! continuation after the line end.
//!
//! A [`BareUrl`] is what `examine` found on one line. [`BareUrl::readings`] fills the candidate. The
//! reading that a careful reader would take comes first. Each other question has its module:
//!
//! * `cut`: may a line end have cut the URL?
//! * `below`: how far does it continue over the next lines? `next_line` reads each of them.
//! * `gedcom`: does it continue over lines of this format?
//! * `soft`: does it continue over undeclared soft breaks of quoted-printable?
//! * `parts`: the parts that these found, and the URL that they make.

mod below;
mod cut;
mod gedcom;
mod next_line;
mod parts;
mod soft;

use super::boundary::{self, Bare, Longer, Opener};
use super::candidate::{Candidate, Doubt, ReadingKind};
use super::evidence::Evidence;
use super::gateway;
use super::leader::skip_blanks;
use super::limits::NEXT_LINE_MAX;
use super::rejoin::after_break;
use super::script::Choice;
use super::trim::trim;
use super::typeset;
use super::window::Window;
use crate::text::class::{is_blank, is_break};
pub(super) use cut::{is_cut, may_go_on, text_follows};
use parts::span;
use urlgrep_base::span::SeamKind;

/// A bare URL on its first line.
pub(super) struct BareUrl {
    pub(super) start: usize,
    /// Index after its scheme with colon and slashes.
    pub(super) body: usize,
    pub(super) extent: boundary::Extent,
    pub(super) opener: Opener,
    /// Index of the first byte of its line. `None` if this is unknown, or if
    /// the URL does not end its line, or if the next line is blank.
    pub(super) line: Option<usize>,
    pub(super) max: usize,
    /// False if the URL is inside the continuation of another URL. That URL has
    /// claimed the following lines. Searching them from each URL inside would
    /// read them repeatedly.
    pub(super) may_go_on: bool,
    /// Whether the first reading joins lines that clearly belong together.
    pub(super) join: bool,
    /// The start of another possible scheme, if the letters before the URL
    /// allow one.
    pub(super) other: Option<usize>,
    /// Index of an opening bracket with `URL:` before the URL, whose wrapper was not
    /// read as one.
    pub(super) wrapper: Option<usize>,
}

impl BareUrl {
    /// Fills `out` with the readings of the URL. Returns the index after the
    /// first reading. `None` if the next line shows that this is no URL.
    #[inline]
    pub(super) fn readings(&self, w: &Window<'_>, base: u64, out: &mut Candidate) -> Option<usize> {
        let plain = |out: &mut Candidate, kind, same| {
            let bytes = &w.bytes()[self.start..self.extent.end];
            if self.extent.is_typeset {
                self.typeset(bytes, base, out);
            } else {
                out.copy(bytes, span(base, self.start, self.extent.end));
            }
            out.finish(kind, same);
        };
        let soft = self.soft_break(w);
        if let Some(soft) = soft.as_ref().filter(|soft| soft.likely) {
            let end = soft.readings(self, w, base, out, ReadingKind::Plain);
            plain(out, ReadingKind::Raw, false);
            return Some(end);
        }
        let more = self.line.and_then(|line| self.continuation(w, line));
        let mut end = self.extent.end;
        match more {
            Some((_, Evidence::Wrong)) => return None,
            Some((pieces, Evidence::Plain)) if self.join => {
                out.signs.doubts.add(Doubt::Joined, true);
                pieces.reading(w, base, out, ReadingKind::Joined, true);
                plain(out, ReadingKind::Plain, false);
                pieces.reading(w, base, out, ReadingKind::Hyphen, true);
                end = pieces.end();
            }
            Some((pieces, _)) => {
                plain(out, ReadingKind::Plain, true);
                out.signs.continues = true;
                pieces.reading(w, base, out, ReadingKind::Joined, false);
                pieces.reading(w, base, out, ReadingKind::Hyphen, false);
            }
            None => plain(out, ReadingKind::Plain, true),
        }
        // A value of JSON, or a mark that cuts the URL.
        if w.bytes().get(self.extent.raw) == Some(&b'"') {
            out.signs.continues |= self.is_before_value(w) || self.is_before_quote(w);
        }
        if self.extent.has_high {
            self.other_spellings(w, base, out, end);
        }
        self.other_script(w, base, out);
        if end == self.extent.end {
            self.other_ends(w, base, out);
        }
        if let Some(other) = self.other {
            out.copy(
                &w.bytes()[other..self.extent.end],
                span(base, other, self.extent.end),
            );
            out.finish(ReadingKind::Scheme, false);
        }
        if let Some(open) = self.wrapper.filter(|_| self.is_cut(w)) {
            out.unclosed = self.closes(w, open);
            out.signs.doubts.add(Doubt::Unclosed, !out.unclosed);
        }
        // The link of a gateway has its own end, so no encoder broke it there.
        let url = &w.bytes()[self.body - 1..self.extent.raw];
        if let Some(soft) = soft.filter(|_| gateway::end_marks(url).is_none()) {
            soft.readings(self, w, base, out, ReadingKind::Qp);
        }
        Some(end)
    }

    /// Adds the readings of a URL with characters beyond ASCII that are spelled in another way.
    /// `end` is the end of the first reading.
    #[cold]
    fn other_spellings(&self, w: &Window<'_>, base: u64, out: &mut Candidate, end: usize) {
        let is_same = end == self.extent.end;
        if self.extent.is_typeset {
            let bytes = &w.bytes()[self.start..self.extent.end];
            out.copy(bytes, span(base, self.start, self.extent.end));
            out.finish(ReadingKind::Raw, is_same);
        }
        if is_same {
            self.as_typed(w, base, out);
        }
    }

    /// Copies `bytes` of the URL without what a typesetter added, and notes it.
    #[cold]
    fn typeset(&self, bytes: &[u8], base: u64, out: &mut Candidate) {
        let has_hyphen = bytes.windows(typeset::HYPHEN_LEN).any(typeset::is_hyphen);
        out.signs.doubts.add(Doubt::Typeset, has_hyphen);
        out.copy_decoded(bytes, base + self.start as u64, typeset::find);
    }

    /// Adds the reading of a URL as somebody would type it who sees it in a document: without the
    /// numbers of footnotes at its end, and with letters for ligatures.
    fn as_typed(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
        let text = &w.bytes()[self.start..self.extent.end];
        let len = typeset::before_notes(text);
        let text = &text[..len];
        let is_changed = self.start + len < self.extent.end || typeset::drawn(text).is_some();
        if !is_changed || self.start + len <= self.body {
            return;
        }
        let mut from = 0;
        while let Some(typeset::Drawn { at, len, letters }) = typeset::drawn(&text[from..]) {
            let at = from + at;
            let (start, next) = (self.start + from, self.start + at);
            out.copy(&text[from..at], span(base, start, next));
            out.seam(
                SeamKind::Typeset,
                span(base, next, next + len),
                letters.as_bytes(),
            );
            from = at + len;
        }
        let end = self.start + text.len();
        out.copy(&text[from..], span(base, self.start + from, end));
        out.finish(ReadingKind::Plain, false);
    }

    /// Adds the readings that end elsewhere on the line.
    #[inline]
    fn other_ends(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
        let end = self.extent.end;
        if end < self.extent.raw || self.extent.longer != Longer::No {
            self.tail(w, base, out);
        }
        // It may also be the mark of an emphasis, or of a reference.
        let is_mark = w.bytes()[end - 1] == b'_' && w.bytes()[end - 2] != b'_';
        if is_mark && !w.at(end).is_some_and(is_break) {
            let bytes = &w.bytes()[self.start..end - 1];
            out.copy(bytes, span(base, self.start, end - 1));
            out.finish(ReadingKind::Plain, false);
        }
    }

    /// Adds the reading with trailing bytes that the extent leaves to the text, where a careful
    /// reader would hesitate.
    fn tail(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
        let end = match self.extent.longer {
            Longer::No if self.extent.end < self.extent.raw => self.extent.end + self.tail_len(w),
            Longer::No => return,
            Longer::To(end) => end,
            Longer::OverMarks if self.may_go_on => {
                let (end, looked) = boundary::over_marks(w, &self.extent, self.opener);
                out.looked_to = out.looked_to.max(base + looked as u64);
                match end {
                    Some(end) => end,
                    None => return,
                }
            }
            Longer::OverMarks => return,
        };
        if end > self.extent.end {
            out.copy(&w.bytes()[self.start..end], span(base, self.start, end));
            out.finish(ReadingKind::Tail, false);
        }
    }

    /// The number of bytes after the extent that may belong to the URL.
    fn tail_len(&self, w: &Window<'_>) -> usize {
        let bytes = w.bytes();
        let url = &bytes[self.body..self.extent.end];
        let raw = &bytes[self.extent.end..self.extent.raw];
        match raw[0] {
            b'\'' if raw.starts_with(b"'s") && url.contains(&b'/') => 2,
            // A suffix: `http://a.example'dan`.
            b'\'' if raw.len() > 1 && !raw.starts_with(b"'s") => trim(raw, 0),
            // A comma or bracket, or a word that was glued to the name of a file.
            b',' | b'(' | b'a'..=b'z' => trim(raw, 0),
            // A parameter that has the name of a character of HTML: `?id=5&copy;`.
            b'&' => memchr::memchr(b';', raw).unwrap_or(0),
            // The end of base64 before a bracket: `?token=YWJj=>`.
            b'=' if w.at(self.extent.raw) == Some(b'>') && url.contains(&b'?') => {
                raw.iter().take_while(|b| **b == b'=').count()
            }
            _ => 0,
        }
    }

    /// True if a blank line follows the URL.
    fn is_cut(&self, w: &Window<'_>) -> bool {
        // If punctuation ends the URL, it is complete.
        if self.extent.end != self.extent.raw {
            return false;
        }
        let mut at = skip_blanks(w, self.extent.raw);
        for _ in 0..2 {
            if !w.at(at).is_some_and(is_break) {
                return false;
            }
            at = skip_blanks(w, after_break(w, at));
        }
        true
    }

    /// True if the wrapper that opens at `open` closes after the URL, other than by a
    /// quote mark. The search is as long as `is_ground` keeps a wrapper open.
    fn closes(&self, w: &Window<'_>, open: usize) -> bool {
        let (from, limit) = (self.extent.raw, open + NEXT_LINE_MAX);
        let rest = w.slice(from, limit.saturating_sub(from));
        let Some(at) = memchr::memchr2(b'<', b'>', rest) else {
            w.count(rest.len());
            return from + rest.len() < limit && w.at(from + rest.len()).is_some();
        };
        w.count(at);
        let before = rest[..at].iter().rev().find(|&&b| !is_blank(b));
        rest[at] == b'>' && !before.is_some_and(|&b| is_break(b))
    }

    /// Adds the other reading of a script without spaces, if any.
    #[inline]
    fn other_script(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
        if self.extent.choice.is_some() {
            self.read_script(w, base, out);
        }
    }

    #[cold]
    fn read_script(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
        let bytes = w.bytes();
        let end = match self.extent.choice {
            Some(Choice::EndsAt(at)) => self.start + trim(&bytes[self.start..at], 0),
            Some(Choice::GoesOn) if self.may_go_on => {
                let (end, looked) = boundary::over_script(w, &self.extent, self.opener);
                out.looked_to = base + looked as u64;
                match end {
                    Some(end) => end,
                    None => return,
                }
            }
            Some(Choice::Over(len)) if self.may_go_on => {
                self.over_invisible(w, base, len, out);
                return;
            }
            Some(Choice::GoesOn) => {
                out.signs.doubts.add(Doubt::Script, true);
                return;
            }
            _ => return,
        };
        out.signs.doubts.add(Doubt::Script, true);
        out.copy(&bytes[self.start..end], span(base, self.start, end));
        out.finish(ReadingKind::Script, false);
    }

    /// True if a value of JSON follows the `=` at the end of the URL: `/?f=[["a"]]`. No URL has its
    /// quotation marks, but a browser sends them, so the author meant more than is printed. The caller
    /// has found a quotation mark after the URL.
    #[cold]
    fn is_before_value(&self, w: &Window<'_>) -> bool {
        let (end, raw) = (self.extent.end, self.extent.raw);
        let opens = w.bytes().get(end..raw).unwrap_or_default();
        w.bytes()[end - 1] == b'=' && !opens.is_empty() && opens.iter().all(|b| b"[{".contains(b))
    }

    /// True if the quotation mark after the URL cuts it.
    #[cold]
    fn is_before_quote(&self, w: &Window<'_>) -> bool {
        self.extent.end == self.extent.raw && boundary::cuts(w, self.start, self.extent.raw)
    }

    /// Adds the reading that goes on after the invisible character of `len` bytes at the end of
    /// the URL.
    #[cold]
    fn over_invisible(&self, w: &Window<'_>, base: u64, len: usize, out: &mut Candidate) {
        let raw = self.extent.raw;
        let next = raw + len;
        let Bare::Found(more) =
            boundary::more(w, next, self.opener, self.extent.depth, NEXT_LINE_MAX)
        else {
            return;
        };
        out.looked_to = base + more.raw as u64;
        out.copy(&w.bytes()[self.start..raw], span(base, self.start, raw));
        out.seam(SeamKind::Invisible, span(base, raw, next), b"");
        out.copy(&w.bytes()[next..more.end], span(base, next, more.end));
        out.finish(ReadingKind::Joined, false);
        out.signs.continues = true;
    }

    /// Fills `out` with the scheme and its slashes, without a host.
    pub(super) fn stump(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
        let bytes = &w.bytes()[self.start..self.body];
        out.copy(bytes, span(base, self.start, self.body));
        out.finish(ReadingKind::Plain, true);
        out.host_is_cut = true;
    }

    /// Fills `out` with a URL of which the line has only the scheme and its slashes, and the next
    /// lines its host and its rest. Returns the index after it.
    pub(super) fn host_below(
        &self,
        w: &Window<'_>,
        base: u64,
        line: usize,
        out: &mut Candidate,
    ) -> Option<usize> {
        let (pieces, _) = self.continuation(w, line)?;
        out.signs.doubts.add(Doubt::Joined, true);
        pieces.reading(w, base, out, ReadingKind::Joined, true);
        Some(pieces.end())
    }
}
