//! Readings of a bare URL: its bytes on the first line, and its possible
//! continuation after the line end.

use std::cell::LazyCell;
use std::ops::Range;

use super::boundary::{self, Bare, Opener};
use super::candidate::{Candidate, Doubt, ReadingKind};
use super::class::{CLASS, Class, is_blank, is_break, is_space};
use super::evidence::{self, Break, Evidence, LONG, LOOK_MAX};
use super::leader::{self, Leader, skip_blanks};
use super::qp;
use super::rejoin::{after_break, skip_indent};
use super::scheme;
use super::script::Choice;
use super::suffix;
use super::window::Window;
use super::{DELIMITED_MAX, JOINED_LINES, LEADER_MAX, NEXT_LINE_MAX};
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
            out.copy(
                &w.bytes()[self.start..self.extent.end],
                span(base, self.start, self.extent.end),
            );
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
        self.other_script(w, base, out);
        if end == self.extent.end && end < self.extent.raw {
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
        if let Some(soft) = soft {
            soft.readings(self, w, base, out, ReadingKind::Qp);
        }
        Some(end)
    }

    /// Adds the reading with trailing bytes that the extent leaves to the text.
    /// These bytes are `'s` after a path, or they start with `,` or `(`, or are a word that
    /// was glued to a file name. Only there would a careful reader hesitate.
    fn tail(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
        let (bytes, end) = (w.bytes(), self.extent.end);
        let raw = &bytes[end..self.extent.raw];
        let len = match raw[0] {
            b'\'' if raw.starts_with(b"'s") && bytes[self.body..end].contains(&b'/') => 2,
            b',' | b'(' | b'a'..=b'z' => boundary::trim(raw, 0),
            _ => 0,
        };
        if len > 0 {
            out.copy(
                &bytes[self.start..end + len],
                span(base, self.start, end + len),
            );
            out.finish(ReadingKind::Tail, false);
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
    fn other_script(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
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
            _ => return,
        };
        out.signs.doubts.add(Doubt::Script, true);
        out.copy(&bytes[self.start..end], span(base, self.start, end));
        out.finish(ReadingKind::Script, false);
    }

    /// Reads a `=` at the end of the line as an undeclared soft break.
    /// Continues over the following lines that also end in one.
    fn soft_break(&self, w: &Window<'_>) -> Option<Soft> {
        let first = self.extent.raw;
        if w.bytes()[first - 1] != b'=' || line_end(w, first) != Some(first) {
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
            let next = after_break(w, raw);
            if !w.at(next).is_some_and(is_url_byte) || soft.pieces.is_full() {
                break;
            }
            // A `=3D` directly before it is proof enough.
            // If a `=` before it encodes nothing, the text is no quoted-printable.
            let bytes = &w.bytes()[start..raw - 1];
            let likely = line.is_some_and(|line| qp::is_soft_line(raw - line))
                && memchr::memchr(b'=', bytes) == qp::find(bytes).map(|first| first.at)
                || bytes.ends_with(b"=3D");
            if soft.pieces.as_slice().is_empty() {
                soft.likely = likely;
            } else if !likely {
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
        }
        if soft.pieces.as_slice().is_empty() {
            return None;
        }
        let end = start + boundary::trim(&w.bytes()[start..raw], 0);
        soft.pieces.push(start, end, end, end);
        Some(soft)
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
            && w.bytes()[self.extent.raw - 1].is_ascii_alphanumeric()
            && self.closer(w, line).is_none()
            && !self.is_before_no_prose(w, &leader)
        {
            return None;
        }
        // The parts so far, and the evidence for the first joint.
        let mut joined: Option<(LineParts, Evidence)> = None;
        let mut from = self.start;
        let mut extent = self.extent;
        let first_line = line;
        let mut line = line;
        let mut width = 0;
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
            if joined.is_none() && self.is_outline(w, line, &next) {
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
                closes: bracket.is_some() && self.closer(w, first_line) == bracket,
                text: next.text,
                token: next.token,
                word: &w.bytes()[next.start..next.extent.end.max(next.start)],
            }
            .weigh();
            let needed = match joined {
                None | Some((_, Evidence::Weak)) => Evidence::Weak,
                Some(_) => Evidence::Plain,
            };
            let heading = || is_underlined(w, &leader, next.start, next.text);
            let is_wrong = evidence == Evidence::Wrong;
            if is_wrong && joined.is_none() {
                return Some((LineParts::default(), evidence));
            }
            if evidence < needed || is_wrong || heading() {
                break;
            }
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
            if find(&w.bytes()[next.start..next.extent.raw], b"://").is_some() {
                return None;
            }
            pieces.push(from, extent.raw, next.marks, next.start);
            from = next.start;
            extent = next.extent;
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
        // If only the next line has a leader, the author wrote the URL on a
        // separate line. The mailer broke that line and quoted only its rest.
        let only_below = leader.is_none() && w.at(marks) == Some(b'>');
        let mut after = if only_below {
            leader::skip_quotes(w, marks)
        } else {
            leader.skip(w, marks)
        };
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
        if only_below && !token.first().is_some_and(|b| b"/?&=#%".contains(b)) {
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
        let hyphen = |piece: &LinePart| w.bytes()[..piece.end].ends_with(b"-");
        if drop && !self.as_slice().first().is_some_and(hyphen) {
            return;
        }
        for (i, piece) in self.as_slice().iter().enumerate() {
            let cut = piece.end - usize::from(drop && i == 0);
            out.copy(&w.bytes()[piece.start..cut], span(base, piece.start, cut));
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
            out.copy_decoded(bytes, start, SeamKind::QpByte, qp::find);
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
