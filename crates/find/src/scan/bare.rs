//! Readings of a bare URL: its bytes on the first line, and its possible
//! continuation after the line end.

use std::cell::LazyCell;
use std::ops::Range;

use super::boundary::{self, Bare, Longer, Opener};
use super::candidate::{Candidate, Doubt, ReadingKind};
use super::class::{CLASS, Class, is_blank, is_break, is_space};
use super::columns;
use super::domain;
use super::evidence::{self, Break, Evidence, LONG, LOOK_MAX};
use super::leader::{self, Leader, skip_blanks};
use super::qp;
use super::records;
use super::rejoin::{after_break, skip_indent};
use super::scheme;
use super::script::Choice;
use super::suffix;
use super::typeset;
use super::window::Window;
use super::{DELIMITED_MAX, JOINED_LINES, LEADER_MAX, NEXT_LINE_MAX};
use crate::view::NARROW;
use urlgrep_base::span::{SeamKind, Span};
use urlgrep_url::gateways::Marks;

/// The maximum length of a mark of a quotation with letters (`JS>`).
const INITIALS: usize = 9;

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
        out.signs.continues |= self.is_before_value(w);
        if self.extent.has_high {
            self.other_spellings(w, base, out, end);
        }
        self.other_script(w, base, out);
        let has_more = end < self.extent.raw || self.extent.longer != Longer::No;
        if end == self.extent.end && has_more {
            self.tail(w, base, out);
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
        if let Some(soft) = soft.filter(|_| evidence::end_marks(url).is_none()) {
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
        while let Some((at, len, letters)) = typeset::drawn(&text[from..]) {
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
            b'\'' if raw.len() > 1 && !raw.starts_with(b"'s") => boundary::trim(raw, 0),
            // A comma or bracket, or a word that was glued to the name of a file.
            b',' | b'(' | b'a'..=b'z' => boundary::trim(raw, 0),
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
            Some(Choice::EndsAt(at)) => self.start + boundary::trim(&bytes[self.start..at], 0),
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
    /// quotation marks, but a browser sends them, so the author meant more than is printed.
    fn is_before_value(&self, w: &Window<'_>) -> bool {
        let (end, raw) = (self.extent.end, self.extent.raw);
        let opens = w.bytes().get(end..raw).unwrap_or_default();
        w.bytes()[end - 1] == b'='
            && !opens.is_empty()
            && opens.iter().all(|b| b"[{".contains(b))
            && w.bytes().get(raw) == Some(&b'"')
    }

    /// Adds the reading that goes on after the invisible character of `len` bytes at the end of
    /// the URL.
    #[cold]
    fn over_invisible(&self, w: &Window<'_>, base: u64, len: usize, out: &mut Candidate) {
        let raw = self.extent.raw;
        let next = raw + len;
        let Bare::Found(more) =
            boundary::more(w, next, next, self.opener, self.extent.depth, NEXT_LINE_MAX)
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

    /// Reads a `=` at the end of the line as an undeclared soft break.
    /// Continues over the following lines that also end in one.
    #[inline]
    fn soft_break(&self, w: &Window<'_>) -> Option<Soft> {
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
            let likely = line.is_some_and(|line| qp::is_soft_line(raw - line))
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
            let Bare::Found(extent) = boundary::more(w, next, next, self.opener, depth, self.max)
            else {
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
        // The lines around are read only for such a line, because short ones would read the same
        // bytes again and again.
        soft.likely = soft.likely
            && (open > 0 && rest.contains(&b')')
                || evidence::completes(first, rest) && !evidence::ends_in_token(first)
                || self.has_soft_sign(w, &soft, raw));
        soft.pieces.push(start, end, end, end);
        Some(soft)
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

    /// Searches the following lines for the rest of the URL. Returns its parts,
    /// and the evidence for the first joint. `None` if the URL does not
    /// continue. Not inlined, because most URLs do not end their line.
    #[expect(
        clippy::too_many_lines,
        reason = "each next line is judged by what the lines before it were"
    )]
    #[inline(never)]
    fn continuation(&self, w: &Window<'_>, line: usize) -> Option<(LineParts, Evidence)> {
        // The bracket, the fields of a table and a word after a file name belong to the text:
        // `.../2012(slides` and `44-53)`, `.../a,1,private`, `.../a.htmland`.
        let tail = &w.bytes()[self.extent.end..self.extent.raw];
        let of_text =
            matches!(tail, [b'(', ..] | [b',', b'0'..=b'9' | b'a'..=b'z', ..] | [b'a'..=b'z', ..]);
        if of_text || !self.may_go_on {
            return None;
        }
        if let Some(marks) = evidence::end_marks(&w.bytes()[self.body - 1..self.extent.raw])
            && let Some(pieces) = self.up_to_mark(w, line, marks)
        {
            return (pieces.len > 1).then_some((pieces, Evidence::Plain));
        }
        // Most lines are decided without their leader.
        let leader = LazyCell::new(|| Leader::of(w.bytes(), line, self.start));
        // A short line was not broken because of its width. This is decided by the first
        // bytes of the next line.
        if self.extent.raw - line < LONG
            && self.extent.raw > self.body
            && w.bytes()[self.extent.raw - 1].is_ascii_alphanumeric()
            && self.closer(w, line).is_none()
            && !self.is_before_no_prose(w, &leader)
            && !self.is_label_before_text(w)
            && !self.is_above_row(w, line)
        {
            return None;
        }
        // The parts so far, and the evidence for the first joint.
        let mut joined: Option<(LineParts, Evidence)> = None;
        let mut from = self.start;
        let mut extent = self.extent;
        let first_line = line;
        let is_stump = self.extent.raw == self.body;
        let mut line = line;
        let mut width = 0;
        let mut releadered = false;
        if is_stump {
            let (pieces, next) = self.over_slashes(w, &leader)?;
            joined = Some((pieces, Evidence::Plain));
            from = next.start;
            extent = next.extent;
            line = next.line;
        }
        let limit = self.start + self.max.min(DELIMITED_MAX);
        while let Some(end) = line_end(w, extent.raw)
            && !joined.as_ref().is_some_and(|(pieces, _)| pieces.is_full())
            && end < limit
        {
            let raw = extent.raw;
            let url = &w.bytes()[from..raw];
            if evidence::is_end(url) {
                break;
            }
            let ends_before =
                |at| joined.is_none() && evidence::ends_before(url, || letters(w, at));
            let Some(next) = self.next_line(w, &leader, end, extent.depth, ends_before) else {
                break;
            };
            let is_outline = || joined.is_none() && self.is_outline(w, line, &next);
            if is_outline() || records::are_sides(&w.bytes()[line..], &w.bytes()[next.line..]) {
                break;
            }
            let bracket = w.at(next.extent.raw).filter(|b| b")]".contains(b));
            let evidence = Break {
                url,
                width: raw - line,
                query: memchr::memchr(b'?', &w.bytes()[self.start..raw]).is_some(),
                in_host: joined.is_none()
                    && memchr::memchr(b'/', &w.bytes()[self.body..raw]).is_none(),
                chained: joined.is_some(),
                as_wide: joined.is_some() && raw - line == width,
                releadered: next.releadered,
                requoted: next.requoted,
                closes: bracket.is_some()
                    && [self.closer(w, first_line), self.closer_above(w, first_line)]
                        .contains(&bracket),
                before: &w.bytes()[first_line..self.start],
                indent: &w.bytes()[next.line..next.start],
                leader: leader.marks(),
                text: next.text,
                token: next.token,
                word: &w.bytes()[next.start..next.extent.end.max(next.start)],
            }
            .weigh();
            // A new number is a new line, so the lines are not joined.
            let evidence = if next.is_numbered && evidence == Evidence::Plain {
                Evidence::Weak
            } else {
                evidence
            };
            let needed = match joined {
                None | Some((_, Evidence::Weak)) => Evidence::Weak,
                Some(_) => Evidence::Plain,
            };
            // The mark of the URL begins the next item of its list, below the indented rest of it.
            let is_item = releadered && !next.releadered && leader.is_of_item();
            let heading = || is_underlined(w, &leader, next.start, next.text);
            let is_wrong = evidence == Evidence::Wrong;
            if is_wrong && joined.is_none() {
                return Some((LineParts::default(), evidence));
            }
            let is_divided =
                || joined.is_none() && columns::divide(w, line, self.start, next.line, next.start);
            if evidence < needed || is_wrong || is_item || heading() || is_divided() {
                break;
            }
            releadered = next.releadered;
            let (pieces, _) = joined.get_or_insert_with(|| (LineParts::default(), evidence));
            pieces.push(from, raw, next.marks, next.start);
            width = raw - line;
            from = next.start;
            extent = next.extent;
            line = next.line;
        }
        let (pieces, _) = joined.as_mut()?;
        let end = from + boundary::trim(&w.bytes()[from..extent.raw], 0);
        pieces.push(from, end, end, end);
        joined
    }

    /// True if the next line begins as no prose does, after the leader of this line.
    fn is_before_no_prose<'h>(
        &self,
        w: &Window<'h>,
        leader: &LazyCell<Leader<'h>, impl FnOnce() -> Leader<'h>>,
    ) -> bool {
        // Fast path: nearly all lines begin with a word.
        let raw = self.extent.raw;
        if let [b'\n', next @ ..] = &w.bytes()[raw..]
            && begins_with_word(next)
        {
            return false;
        }
        let Some(end) = line_end(w, raw) else {
            return false;
        };
        let mut start = skip_indent(w, after_break(w, end));
        if w.at(start).is_none() || is_letter(w, start) {
            return false;
        }
        // Nearly all others begin with a word after quote marks.
        let text = leader::skip_quotes(w, start);
        let word = w.slice(text, INITIALS);
        if word.len() < INITIALS {
            // More bytes may follow, which starves the window.
            w.at(text + word.len());
        }
        if is_word(word) {
            return false;
        }
        let after = leader.skip(w, start);
        if after > start {
            start = skip_indent(w, after);
        }
        matches!(w.at(start), Some(b'%' | b'&' | b'?'))
            && evidence::begins_as_no_prose(beginning(w, start))
    }

    /// True if the next line is as wide as the line of the URL, which is at `line`, and neither
    /// has a blank in its text: they may be rows of a screen.
    fn is_above_row(&self, w: &Window<'_>, line: usize) -> bool {
        let before = &w.bytes()[line..self.start];
        let width = self.extent.raw - line;
        if before.iter().any(u8::is_ascii_alphanumeric) || width < NARROW {
            return false;
        }
        let Some(end) = line_end(w, self.extent.raw) else {
            return false;
        };
        let next = after_break(w, end);
        let row = w.slice(next, width);
        w.count(row.len());
        let text = row.get(before.len()..).unwrap_or_default();
        w.at(next + width).is_none_or(is_break)
            && row.len() == width
            && !text.is_empty()
            && text.iter().all(u8::is_ascii_graphic)
    }

    /// The lines of a link up to the last of `marks`, whatever their width. `None` if it
    /// does not follow. A line with more text is the last one, and a line with another URL
    /// is none, so that no line is read for two links.
    fn up_to_mark(&self, w: &Window<'_>, line: usize, marks: Marks) -> Option<LineParts> {
        let leader = LazyCell::new(|| Leader::of(w.bytes(), line, self.start));
        let limit = self.start + self.max.min(DELIMITED_MAX);
        let mut pieces = LineParts::default();
        let mut from = self.start;
        let mut extent = self.extent;
        // A mark may be broken too.
        let mut text = Vec::with_capacity(4 * LOOK_MAX);
        let mut done = 0;
        let mut left = &marks[..];
        loop {
            let before = text.len();
            text.extend_from_slice(&w.bytes()[from..extent.raw]);
            while let [mark, rest @ ..] = left
                && let Some(at) = find(&text[done..], mark)
            {
                done += at + mark.len();
                left = rest;
            }
            let Some(mark) = left.first() else {
                let end = from + done - before;
                pieces.push(from, end, end, end);
                return (!w.at(end).is_some_and(|b| b.is_ascii_alphanumeric())).then_some(pieces);
            };
            done = done.max((text.len() + 1).saturating_sub(mark.len()));
            let end = line_end(w, skip_blanks(w, extent.raw))?;
            if pieces.is_full() || end >= limit {
                return None;
            }
            let next = self.next_line(w, &leader, end, extent.depth, |_| false)?;
            if scheme::slashes(&w.bytes()[next.start..next.extent.raw]).is_some() {
                return None;
            }
            pieces.push(from, extent.raw, next.marks, next.start);
            from = next.start;
            extent = next.extent;
        }
    }

    /// The index after the leader of the next line, which begins at `line`, and its first text
    /// at `marks`. True if only that line has a leader.
    fn after_leader<'h>(
        &self,
        w: &Window<'h>,
        leader: &LazyCell<Leader<'h>, impl FnOnce() -> Leader<'h>>,
        line: usize,
        marks: usize,
    ) -> (usize, bool) {
        if !leader.is_none() {
            return (leader.skip(w, marks), false);
        }
        // If only the next line has a leader, the author wrote the URL on a
        // separate line. The mailer broke that line and quoted only its rest.
        let first = w.at(marks);
        let initials = if first.is_some_and(|b| b.is_ascii_uppercase()) {
            leader::skip_initials(w, marks)
        } else {
            marks
        };
        if first == Some(b'>') || initials > marks {
            return (leader::skip_quotes(w, initials), true);
        }
        (columns::skip_bar(w, self.start, line, marks), false)
    }

    /// The index after the number of the line at `marks`, if the line of the URL has the one before
    /// it.
    fn after_number(&self, w: &Window<'_>, marks: usize) -> usize {
        match self.line {
            Some(line) if line < self.start => columns::skip_number(w, line, marks),
            _ => marks,
        }
    }

    /// Reads the line after the break at `end`. `None` if no URL can continue
    /// there, or if `ends_before` holds for the index of its first word.
    fn next_line<'h>(
        &self,
        w: &Window<'h>,
        leader: &LazyCell<Leader<'h>, impl FnOnce() -> Leader<'h>>,
        end: usize,
        depth: boundary::Depth,
        ends_before: impl Fn(usize) -> bool,
    ) -> Option<NextLine<'h>> {
        let line = after_break(w, end);
        let marks = skip_indent(w, line);
        if ends_before(marks) {
            return None;
        }
        let (mut after, only_below) = self.after_leader(w, leader, line, marks);
        let after_number = self.after_number(w, marks);
        let is_numbered = after == marks && after_number > marks;
        if is_numbered {
            after = after_number;
        }
        let quotes = |bytes: &[u8]| bytes.iter().filter(|&&b| b == b'>').count();
        let deeper =
            |after| quotes(&w.bytes()[marks..after]).saturating_sub(quotes(leader.marks()));
        // A program that wrapped the lines again added a mark.
        let mut requoted = false;
        if !only_below && after > marks && w.bytes()[end - 1] == b'-' {
            after = leader::skip_quotes(w, after);
            requoted = deeper(after) == 1;
        }
        if !only_below && deeper(after) > usize::from(requoted) {
            return None;
        }
        let start = if after > marks {
            skip_indent(w, after)
        } else {
            marks
        };
        if !w.at(start).is_some_and(is_url_byte) {
            return None;
        }
        if start > marks && ends_before(start) {
            return None;
        }
        let text = beginning(w, start);
        let len = text.iter().position(|&b| is_space(b));
        let token = &text[..len.unwrap_or(text.len())];
        // No URL ends in these bytes.
        let is_open = matches!(w.bytes()[end - 1], b'&' | b'%') && token.contains(&b'=');
        if only_below && !is_open && !token.first().is_some_and(|b| b"/?&=#%".contains(b)) {
            return None;
        }
        if scheme::starts_url(token) || w.suffixes && suffix::starts(token).is_some() {
            return None;
        }
        let Bare::Found(extent) =
            boundary::more(w, start, start, self.opener, depth, NEXT_LINE_MAX)
        else {
            return None;
        };
        Some(NextLine {
            line,
            marks: if after > marks { marks } else { start },
            start,
            extent,
            text,
            token,
            releadered: !leader.is_none() && after == marks,
            requoted,
            is_numbered,
        })
    }

    /// True if the line below the URL, which is the first text of the line at `line`, begins
    /// the next entry of an outline: it is indented, but less than the URL.
    fn is_outline(&self, w: &Window<'_>, line: usize, next: &NextLine<'_>) -> bool {
        let (above, below) = (line..self.start, next.line..next.start);
        let spaces = |range: Range<usize>| w.bytes()[range].iter().all(|&b| b == b' ');
        (1..above.len()).contains(&below.len())
            && matches!(w.bytes()[self.extent.raw - 1], b'/' | b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9')
            && skip_indent(w, line) == self.start
            && spaces(above)
            && spaces(below)
    }

    /// True if the URL is only a scheme with `//` and one label of a host, such as `www`, which a
    /// line end may have cut.
    #[inline]
    fn is_label(&self, w: &Window<'_>) -> bool {
        let host = &w.bytes()[self.body..self.extent.end];
        // Nearly all hosts have a full stop after a few bytes.
        !host.iter().any(|b| matches!(b, b'.' | b'/')) && self.has_label_only(w, host)
    }

    #[inline(never)]
    fn has_label_only(&self, w: &Window<'_>, host: &[u8]) -> bool {
        w.bytes()[..self.body].ends_with(b"//")
            && host.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'-')
            && !host.eq_ignore_ascii_case(b"localhost")
    }

    /// True if the URL [is a label](BareUrl::is_label), and no other URL begins the next line.
    fn is_label_before_text(&self, w: &Window<'_>) -> bool {
        self.is_label(w) && !scheme::starts_at(w, after_break(w, self.extent.raw))
    }

    /// True if a line end cuts the host of the URL after its first label: a full stop ends the line,
    /// or the next line begins with the rest of a host and a path.
    #[inline]
    pub(super) fn has_cut_host(&self, w: &Window<'_>) -> bool {
        self.is_label(w) && self.is_cut_label(w)
    }

    #[inline(never)]
    fn is_cut_label(&self, w: &Window<'_>) -> bool {
        let (end, raw) = (self.extent.end, self.extent.raw);
        if !text_follows(w, raw) {
            return false;
        }
        let Some(line_end) = line_end(w, raw) else {
            return false;
        };
        if w.bytes()[end..raw] == *b"." {
            return true;
        }
        let next = leader::skip_quotes(w, after_break(w, line_end));
        if end < raw || scheme::starts_at(w, next) {
            return false;
        }
        let text = beginning(w, next);
        let host = domain::host(text);
        domain::is_whole(host)
            && host
                .iter()
                .all(|b| b.is_ascii_alphanumeric() || b"-.".contains(b))
            && text.get(host.len()) == Some(&b'/')
    }

    /// True if `text`, a reading of this URL, is only a scheme and `www`: the beginning of a host
    /// that a line end has cut.
    pub(super) fn is_www_of(&self, text: &[u8]) -> bool {
        let body = self.body - self.start;
        text.len() == body + 3 && text[body..].eq_ignore_ascii_case(b"www")
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

    /// The parts of a URL over two lines, the first of which has only the scheme and its
    /// slashes. `None` if the second does not begin with a host, or only mentions one, as in
    /// `it begins with http://` and `Amazon.com and eBay.com are shops`.
    fn over_slashes<'h>(
        &self,
        w: &Window<'h>,
        leader: &LazyCell<Leader<'h>, impl FnOnce() -> Leader<'h>>,
    ) -> Option<(LineParts, NextLine<'h>)> {
        let end = line_end(w, self.extent.raw)?;
        let next = self.next_line(w, leader, end, self.extent.depth, |_| false)?;
        let text = &w.bytes()[next.start..next.extent.end.max(next.start)];
        let host = domain::host(text);
        let is_www = host.len() > 4 && host[..4].eq_ignore_ascii_case(b"www.");
        let is_alone = next.text[next.token.len()..].trim_ascii().is_empty();
        let is_url = is_www || text.len() > host.len() || is_alone;
        if !is_url || !domain::is_whole(host) {
            return None;
        }
        let mut pieces = LineParts::default();
        pieces.push(self.start, self.extent.raw, next.marks, next.start);
        Some((pieces, next))
    }

    /// As [`closer`](BareUrl::closer), for a bracket on the line before.
    fn closer_above(&self, w: &Window<'_>, line: usize) -> Option<u8> {
        let here = &w.bytes()[line..self.start];
        let is_bracket = |b: &u8| b"()[]".contains(b);
        if here.iter().any(is_bracket) {
            return None;
        }
        let above = columns::line_above(w, line, self.start)?;
        let bracket = above.iter().rfind(|b| is_bracket(b))?;
        match bracket {
            b'(' => Some(b')'),
            b'[' => Some(b']'),
            _ => None,
        }
    }

    /// The closing bracket for the bracket that was opened last before the URL
    /// on its line. `None` if that bracket is already closed.
    fn closer(&self, w: &Window<'_>, line: usize) -> Option<u8> {
        let before = &w.bytes()[line..self.start];
        let open = memchr::memrchr2(b'(', b'[', before);
        w.count(before.len() - open.unwrap_or(0));
        let open = open?;
        if memchr::memchr2(b')', b']', &before[open..]).is_some() {
            return None;
        }
        Some(if before[open] == b'(' { b')' } else { b']' })
    }
}

/// The line after a break.
struct NextLine<'h> {
    /// Indexes of the first byte of the line, of its leader, and of its text.
    line: usize,
    marks: usize,
    start: usize,
    /// The part of the line that would belong to the URL.
    extent: boundary::Extent,
    text: &'h [u8],
    token: &'h [u8],
    /// The line lacks the leader of the previous line.
    releadered: bool,
    /// The line is one level deeper in a quotation, after a hyphen.
    requoted: bool,
    /// Both lines have numbers, and this one has the next.
    is_numbered: bool,
}

/// True if a line begins with a word, perhaps after quote marks. False if `line`, the bytes at
/// hand, does not show it.
fn begins_with_word(line: &[u8]) -> bool {
    match line.first() {
        Some(b'>') => {
            let marks = line.iter().take(LEADER_MAX);
            let quotes = marks.take_while(|&&b| b == b'>' || is_blank(b)).count();
            line[quotes..]
                .first_chunk::<INITIALS>()
                .is_some_and(|word| is_word(word))
        }
        first => first.is_some_and(u8::is_ascii_alphanumeric),
    }
}

/// True if `text`, the first [`INITIALS`] bytes after quote marks, begins a word and no other
/// mark.
fn is_word(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_alphanumeric) && !text.contains(&b'>')
}

/// True if the byte at `at` is a letter or digit of ASCII.
fn is_letter(w: &Window<'_>, at: usize) -> bool {
    w.at(at).is_some_and(|b| b.is_ascii_alphanumeric())
}

/// The place of `mark` in a line. To build a searcher takes longer than to read the line.
fn find(line: &[u8], mark: &[u8]) -> Option<usize> {
    let mut ends = memchr::memchr_iter(*mark.last()?, line).map(|at| at + 1);
    let end = ends.find(|&end| line[..end].ends_with(mark))?;
    Some(end - mark.len())
}

/// The word at `start` if it has only letters and white space follows it within
/// [`LOOK_MAX`] bytes.
fn letters<'h>(w: &Window<'h>, start: usize) -> Option<&'h [u8]> {
    let bytes = w.slice(start, LOOK_MAX);
    let len = bytes.iter().position(|b| !b.is_ascii_alphabetic());
    w.count(len.unwrap_or(bytes.len()));
    let (word, rest) = bytes.split_at(len?);
    is_space(rest[0]).then_some(word)
}

/// The line at `start` without its line break. At most [`LOOK_MAX`] bytes.
fn beginning<'h>(w: &Window<'h>, start: usize) -> &'h [u8] {
    let bytes = w.slice(start, LOOK_MAX);
    let end = memchr::memchr2(b'\n', b'\r', bytes);
    if end.is_none() && bytes.len() < LOOK_MAX {
        let _ = w.at(start + bytes.len());
    }
    let text = &bytes[..end.unwrap_or(bytes.len())];
    w.count(text.len());
    text
}

/// True if the line after `text` is a rule of about the same length. Then
/// `text` is a heading. `text` is at `start`.
fn is_underlined(w: &Window<'_>, leader: &Leader<'_>, start: usize, text: &[u8]) -> bool {
    let end = start + text.len();
    let len = text.trim_ascii_end().len();
    if !(3..LOOK_MAX).contains(&len) || !w.at(end).is_some_and(is_break) {
        return false;
    }
    let marks = skip_indent(w, after_break(w, end));
    let rule = skip_indent(w, leader.skip(w, marks));
    let Some(mark) = w.at(rule).filter(|b| b"=-~^*".contains(b)) else {
        return false;
    };
    let marks = w.slice(rule, len + 3);
    let count = marks.iter().take_while(|&&b| b == mark).count();
    w.count(count);
    if count == marks.len() && count < len + 3 {
        let _ = w.at(rule + count);
    }
    count >= 3 && count.abs_diff(len) < 3 && w.at(skip_blanks(w, rule + count)).is_none_or(is_break)
}

/// Index of the line break after a URL, unless a paragraph ends there. `raw` is the end of
/// the URL with its punctuation. Blanks after a separator of the URL belong to the break,
/// because mailers leave them there.
#[inline]
fn line_end(w: &Window<'_>, raw: usize) -> Option<usize> {
    let at = match w.at(raw)? {
        b if is_break(b) => raw,
        b if is_blank(b) && b"/-?&=!".contains(&w.bytes()[raw - 1]) => {
            let at = skip_blanks(w, raw);
            w.at(at).is_some_and(is_break).then_some(at)?
        }
        _ => return None,
    };
    let feed = at + usize::from(w.slice(at, 2) == b"\r\n");
    (!w.ends_paragraph(feed)).then_some(at)
}

/// True if the line ends at `raw`, and the next line is not blank.
pub(super) fn text_follows(w: &Window<'_>, raw: usize) -> bool {
    let end = skip_blanks(w, raw);
    if !w.at(end).is_some_and(is_break)
        || w.ends_paragraph(end + usize::from(w.slice(end, 2) == b"\r\n"))
    {
        return false;
    }
    let next = skip_indent(w, after_break(w, end));
    w.at(next).is_some_and(|b| !is_break(b))
}

/// True if a line ends with the URL at `raw`, whose last byte says that it is not whole: it is a
/// hyphen before a word, or that of the prefix of a DOI.
#[inline]
pub(super) fn is_cut(w: &Window<'_>, body: usize, raw: usize) -> bool {
    // Nearly all URLs end in another byte, or after a letter and a slash.
    match w.bytes()[..raw] {
        [.., b'-'] => is_cut_at(w, body, raw),
        [.., digit, b'/'] if digit.is_ascii_digit() => is_cut_at(w, body, raw),
        _ => false,
    }
}

#[inline(never)]
fn is_cut_at(w: &Window<'_>, body: usize, raw: usize) -> bool {
    const LINES: usize = 3;
    let mut at = skip_blanks(w, raw);
    if !w.at(at).is_some_and(is_break) {
        return false;
    }
    if w.bytes()[raw - 1] == b'-' {
        let next = skip_indent(w, after_break(w, at));
        let has_path = memchr::memchr(b'/', &w.bytes()[body..raw]).is_some();
        let is_letter = |at| w.at(at).is_some_and(|b| b.is_ascii_alphabetic());
        let is_word = || is_letter(next) && is_letter(next + 1);
        return has_path && is_word() && !scheme::url_follows(w, next);
    }
    let scheme = body.saturating_sub(LEADER_MAX);
    if !evidence::ends_doi_prefix(&w.bytes()[scheme..raw]) {
        return false;
    }
    for _ in 0..LINES {
        if !w.at(at).is_some_and(is_break) {
            break;
        }
        at = skip_indent(w, after_break(w, at));
    }
    w.at(at).is_some_and(|b| !is_break(b))
}

/// True if the URL that ends at `raw` ends its line, and the next line may have
/// its rest. A blank line has none. Decides by the bytes of the window, because
/// a short line is no reason to wait for the next one.
#[inline]
pub(super) fn may_go_on(w: &Window<'_>, body: usize, raw: usize) -> bool {
    let url = &w.bytes()[body - 1..raw];
    let goes_on = |_: &_| !evidence::is_end(url) || evidence::end_marks(url).is_some();
    let Some(end) = line_end(w, raw).filter(goes_on) else {
        return false;
    };
    let bytes = &w.bytes()[end..];
    let next = 1 + usize::from(bytes.starts_with(b"\r\n"));
    let mut text = bytes[next..].iter().take(NEXT_LINE_MAX);
    !text.find(|&&b| !is_blank(b)).is_some_and(|&b| is_break(b))
}

/// The parts of a URL that was broken over lines. There are at most
/// [`JOINED_LINES`].
#[derive(Clone, Copy, Default)]
struct LineParts {
    items: [LinePart; JOINED_LINES],
    len: usize,
}

/// A part, as indexes into the window.
#[derive(Clone, Copy, Default)]
struct LinePart {
    start: usize,
    end: usize,
    /// The start of the next line's leader. Equal to `next` if there is no
    /// leader.
    marks: usize,
    /// The start of the next part.
    next: usize,
}

impl LineParts {
    fn as_slice(&self) -> &[LinePart] {
        &self.items[..self.len]
    }

    /// True if there is room for only one more part.
    fn is_full(&self) -> bool {
        self.len + 1 >= JOINED_LINES
    }

    /// Index after the last byte of the URL.
    fn end(&self) -> usize {
        self.as_slice().last().map_or(0, |piece| piece.end)
    }

    /// Adds the joined URL to `out`. It is a [`ReadingKind::Hyphen`] if it
    /// leaves out a hyphen before the first break.
    fn reading(
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

    fn push(&mut self, start: usize, end: usize, marks: usize, next: usize) {
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

/// A URL that is divided by soft breaks.
struct Soft {
    pieces: LineParts,
    /// True if an encoder would put the first break at this place.
    likely: bool,
}

impl Soft {
    fn readings(
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

fn span(base: u64, start: usize, end: usize) -> Span {
    Span::new(base + start as u64, base + end as u64)
}

fn is_url_byte(b: u8) -> bool {
    matches!(CLASS[b as usize], Class::Plain | Class::Mark | Class::Open)
}
