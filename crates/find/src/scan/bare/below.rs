//! Decides how far a bare URL continues over the lines below its own, for its readings.
//!
//! [`BareUrl::continuation`] goes from line to line. It reads the next line, describes the line end
//! as a [`Break`], and [`evidence`] weighs it. What a [`Break`] cannot describe is decided here: a
//! host that only begins on the next line, the link of a gateway, which has its own end, and what
//! both lines are together, such as entries of an outline, or a heading and its rule.

use std::cell::LazyCell;
use std::ops::Range;

use super::BareUrl;
use super::next_line::{NextLine, beginning, line_end};
use super::parts::LineParts;
use crate::scan::boundary::Extent;
use crate::scan::columns;
use crate::scan::domain;
use crate::scan::evidence::{self, Break, Evidence, LONG, LOOK_MAX};
use crate::scan::gateway;
use crate::scan::leader::{self, Leader, skip_blanks};
use crate::scan::limits::{DELIMITED_MAX, LEADER_MAX};
use crate::scan::rejoin::{after_break, skip_indent};
use crate::scan::trim::trim;
use crate::scan::window::Window;
use crate::text::class::{is_blank, is_break, is_space};
use crate::text::records;
use crate::text::schemes;
use crate::text::words::{is_number_of_item, is_www};
use crate::view::NARROW;
use urlgrep_url::gateways::Marks;

/// The maximum length of a mark of a quotation with letters (`JS>`).
const INITIALS: usize = 9;

/// The most bytes of a number that stands between two URLs.
const NUMBER_MAX: usize = 4;

/// The last line of the URL so far.
#[derive(Clone, Copy)]
struct LastLine {
    /// Index of its first byte.
    line: usize,
    /// Index of the first byte of the URL on it.
    from: usize,
    extent: Extent,
    /// The width of the line above. 0 if that has nothing of the URL, or only its scheme.
    width_above: usize,
    /// It lacks the leader of the first line.
    lacks_leader: bool,
}

impl BareUrl {
    /// Searches the following lines for the rest of the URL. Returns its parts,
    /// and the evidence for the first joint. `None` if the URL does not
    /// continue. Not inlined, because most URLs do not end their line.
    #[expect(
        clippy::too_many_lines,
        reason = "one loop over the lines below, each of which ends it or is joined"
    )]
    #[inline(never)]
    pub(super) fn continuation(
        &self,
        w: &Window<'_>,
        line: usize,
    ) -> Option<(LineParts, Evidence)> {
        if self.ends_in_text(w) || !self.may_go_on {
            return None;
        }
        if w.bytes()[line].is_ascii_digit()
            && let Some(pieces) = self.over_conc(w, line)
        {
            return Some((pieces, Evidence::Plain));
        }
        if let Some(marks) = gateway::end_marks(&w.bytes()[self.body - 1..self.extent.raw])
            && let Some(pieces) = self.up_to_mark(w, line, marks)
        {
            return (pieces.len > 1).then_some((pieces, Evidence::Plain));
        }
        // Most lines are decided without their leader.
        let leader = LazyCell::new(|| Leader::of(w.bytes(), line, self.start));
        if self.is_whole_on_line(w, &leader, line) {
            return None;
        }
        // The parts so far, and the evidence for the first joint.
        let mut joined: Option<(LineParts, Evidence)> = None;
        let mut last = LastLine {
            line,
            from: self.start,
            extent: self.extent,
            width_above: 0,
            lacks_leader: false,
        };
        if self.extent.raw == self.body {
            let (pieces, next) = self.over_slashes(w, &leader)?;
            joined = Some((pieces, Evidence::Plain));
            last.line = next.line;
            last.from = next.start;
            last.extent = next.extent;
        }
        let limit = self.start + self.max.min(DELIMITED_MAX);
        while let Some(end) = line_end(w, last.extent.raw)
            && !joined.as_ref().is_some_and(|(pieces, _)| pieces.is_full())
            && end < limit
        {
            let raw = last.extent.raw;
            let url = &w.bytes()[last.from..raw];
            if evidence::is_end(url) {
                break;
            }
            let is_first = joined.is_none();
            let ends_before = |at| is_first && evidence::ends_before(url, || letters(w, at));
            let Some(next) = self.next_line(w, &leader, end, last.extent.depth, ends_before) else {
                break;
            };
            if is_first && self.is_outline(w, line, &next)
                || records::are_sides(&w.bytes()[last.line..], &w.bytes()[next.line..])
            {
                break;
            }
            let evidence = self.weigh(w, &leader, line, &last, is_first, &next);
            let needed = match joined {
                None | Some((_, Evidence::Weak)) => Evidence::Weak,
                Some(_) => Evidence::Plain,
            };
            let is_wrong = evidence == Evidence::Wrong;
            if is_wrong && is_first {
                return Some((LineParts::default(), evidence));
            }
            if evidence < needed
                || is_wrong
                || self.begins_another(w, &leader, &last, is_first, &next)
            {
                break;
            }
            let (pieces, _) = joined.get_or_insert_with(|| (LineParts::default(), evidence));
            pieces.push(last.from, raw, next.marks, next.start);
            last = LastLine {
                line: next.line,
                from: next.start,
                extent: next.extent,
                width_above: raw - last.line,
                lacks_leader: next.lacks_leader,
            };
        }
        let (pieces, _) = joined.as_mut()?;
        let end = last.from + trim(&w.bytes()[last.from..last.extent.raw], 0);
        pieces.push(last.from, end, end, end);
        joined
    }

    /// True if the bytes after the URL belong to the text: a bracket, the fields of a table, or a word
    /// after a file name (`.../2012(slides` and `44-53)`, `.../a,1,private`, `.../a.htmland`).
    fn ends_in_text(&self, w: &Window<'_>) -> bool {
        let tail = &w.bytes()[self.extent.end..self.extent.raw];
        matches!(tail, [b'(', ..] | [b',', b'0'..=b'9' | b'a'..=b'z', ..] | [b'a'..=b'z', ..])
    }

    /// True if the line of the URL is short, so that it was not broken because of its width, and the
    /// first bytes of the next line show no other reason.
    fn is_whole_on_line<'h>(
        &self,
        w: &Window<'h>,
        leader: &LazyCell<Leader<'h>, impl FnOnce() -> Leader<'h>>,
        line: usize,
    ) -> bool {
        self.extent.raw - line < LONG
            && self.extent.raw > self.body
            && w.bytes()[self.extent.raw - 1].is_ascii_alphanumeric()
            && !evidence::ends_in_blank(&w.bytes()[self.body..self.extent.raw])
            && self.closer(w, line).is_none()
            && !self.is_before_no_prose(w, leader)
            && !self.is_label_before_text(w)
            && !self.is_above_row(w, line)
    }

    /// Weighs the line end between the `last` line of the URL and the `next`. The URL begins on the line
    /// at `line`, which is the last too if it `is_first`.
    fn weigh<'h>(
        &self,
        w: &Window<'h>,
        leader: &LazyCell<Leader<'h>, impl FnOnce() -> Leader<'h>>,
        line: usize,
        last: &LastLine,
        is_first: bool,
        next: &NextLine<'h>,
    ) -> Evidence {
        let raw = last.extent.raw;
        if is_first && self.is_repeated(w, raw, next) {
            return Evidence::Plain;
        }
        let width = raw - last.line;
        let bracket = w.at(next.extent.raw).filter(|b| b")]".contains(b));
        let evidence = Break {
            url: &w.bytes()[last.from..raw],
            width,
            query: memchr::memchr(b'?', &w.bytes()[self.start..raw]).is_some(),
            in_host: is_first && memchr::memchr(b'/', &w.bytes()[self.body..raw]).is_none(),
            chained: !is_first,
            as_wide: !is_first && width == last.width_above,
            lacks_leader: next.lacks_leader,
            is_deeper: next.is_deeper,
            is_rewrapped: next.lacks_leader
                && w.bytes()[raw - 1] == b'/'
                && is_rewrapped(w, leader, next),
            closes: bracket.is_some()
                && [self.closer(w, line), self.closer_above(w, line)].contains(&bracket),
            before: &w.bytes()[line..self.start],
            indent: &w.bytes()[next.line..next.start],
            leader: leader.marks(),
            text: next.text,
            token: next.token,
            word: &w.bytes()[next.start..next.extent.end.max(next.start)],
        }
        .weigh();
        // A new number is a new line, so the lines are not joined.
        if next.is_numbered && evidence == Evidence::Plain {
            Evidence::Weak
        } else {
            evidence
        }
    }

    /// True if the URL, whose first line ends at `raw`, stands in brackets directly after its rest on the
    /// `next` line: `user-⏎guide<http://a.example/user-guide>`.
    fn is_repeated(&self, w: &Window<'_>, raw: usize, next: &NextLine<'_>) -> bool {
        let open = next.extent.raw;
        if w.at(open) != Some(b'<') {
            return false;
        }
        let first = &w.bytes()[self.start..raw];
        let rest = &w.bytes()[next.start..open];
        let middle = open + 1 + first.len();
        w.has_here(open + 1, first)
            && w.has_here(middle, rest)
            && w.at(middle + rest.len()) == Some(b'>')
    }

    /// True if the `next` line begins something that stands for itself, below the `last` line of the
    /// URL, which is also its first if it `is_first`: an item, a heading, or another column.
    fn begins_another<'h>(
        &self,
        w: &Window<'h>,
        leader: &LazyCell<Leader<'h>, impl FnOnce() -> Leader<'h>>,
        last: &LastLine,
        is_first: bool,
        next: &NextLine<'h>,
    ) -> bool {
        // The mark of the URL begins the next item of its list, below the indented rest of it.
        let is_item = last.lacks_leader && !next.lacks_leader && leader.is_of_item();
        is_item
            || is_underlined(w, leader, next.start, next.text)
            || is_first && self.is_entry(w, last.line)
            || is_first && columns::divide(w, last.line, self.start, next.line, next.start)
            || is_first && self.is_above_list(w, leader, last.line, next)
    }

    /// True if the `next` line, which has one word, is one of several: the first name of a list below its
    /// folder, or a number between two URLs, as in the cells of a table that was pasted. The URL is on the
    /// line at `line`.
    fn is_above_list<'h>(
        &self,
        w: &Window<'h>,
        leader: &LazyCell<Leader<'h>, impl FnOnce() -> Leader<'h>>,
        line: usize,
        next: &NextLine<'h>,
    ) -> bool {
        let is_number = next.token.len() <= NUMBER_MAX && is_number_of_item(next.token);
        let is_alone = next.text[next.token.len()..].iter().all(|&b| is_blank(b));
        let end = next.start + next.text.len();
        if records::is_open(&w.bytes()[line..self.extent.raw])
            || !is_alone
            || next.text.len() >= LONG
            || !w.at(end).is_some_and(is_break)
        {
            return false;
        }
        let is_below_number = || {
            columns::line_above(w, line, self.start)
                .is_some_and(|above| is_number_of_item(above.trim_ascii()))
        };
        if is_number && is_below_number() {
            return true;
        }
        let marks = skip_indent(w, after_break(w, end));
        let text = beginning(w, skip_indent(w, leader.skip(w, marks)));
        if is_number {
            return text.starts_with(b"\x0C") || schemes::starts_url(text);
        }
        let width = self.extent.raw - line;
        records::are_names(next.token, text.trim_ascii_end(), width)
    }

    /// True if the URL is an entry of a playlist, or a cell of a table of MediaWiki: the line above the
    /// one at `line` begins with a directive (`#EXTINF:`), or begins the table or a row (`{|`, `|-`),
    /// or has several cells.
    fn is_entry(&self, w: &Window<'_>, line: usize) -> bool {
        let is_cell = w.bytes()[line..self.start].trim_ascii() == b"|";
        // An entry of a playlist begins its line. Above nearly all other URLs no line is read.
        if !is_cell && line != self.start {
            return false;
        }
        let Some(above) = columns::line_above(w, line, self.start) else {
            return false;
        };
        let is_row = || {
            above.starts_with(b"|-")
                || above.starts_with(b"{|")
                || above.starts_with(b"|") && memchr::memmem::find(above, b"||").is_some()
        };
        above.starts_with(b"#EXT") || is_cell && is_row()
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
        if is_word(w.ahead(text, INITIALS)) {
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
            if schemes::slashes(&w.bytes()[next.start..next.extent.raw]).is_some() {
                return None;
            }
            pieces.push(from, extent.raw, next.marks, next.start);
            from = next.start;
            extent = next.extent;
        }
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
        let is_alone = next.text[next.token.len()..].trim_ascii().is_empty();
        let is_url = is_www(host) || text.len() > host.len() || is_alone;
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

/// True if the line after `next` has the leader of the URL's line again.
#[cold]
fn is_rewrapped<'h>(
    w: &Window<'h>,
    leader: &LazyCell<Leader<'h>, impl FnOnce() -> Leader<'h>>,
    next: &NextLine<'h>,
) -> bool {
    let end = next.start + next.text.len();
    // A list and a signature have other marks, and lines without one between them.
    if !leader.marks().contains(&b'>') || !w.at(end).is_some_and(is_break) {
        return false;
    }
    let marks = skip_indent(w, after_break(w, end));
    leader.skip(w, marks) > marks
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
    let word = w.until(start, LOOK_MAX, |b| !b.is_ascii_alphabetic());
    word.end.is_some_and(is_space).then_some(word.text)
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
    let count = w.until(rule, len + 3, |b| b != mark).text.len();
    count >= 3 && count.abs_diff(len) < 3 && w.at(skip_blanks(w, rule + count)).is_none_or(is_break)
}
