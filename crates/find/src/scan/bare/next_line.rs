//! Reads the line after a line end, for `below`: which bytes of it would belong to the URL, and which
//! before them are quote marks and other leaders. `None` if no URL can continue there.

use std::cell::LazyCell;

use super::BareUrl;
use crate::scan::boundary::{self, Bare};
use crate::scan::evidence::LOOK_MAX;
use crate::scan::leader::{self, Leader, skip_blanks};
use crate::scan::limits::NEXT_LINE_MAX;
use crate::scan::rejoin::{after_break, skip_indent};
use crate::scan::window::Window;
use crate::scan::{columns, suffix};
use crate::text::class::{CLASS, Class, is_blank, is_break, is_space};
use crate::text::schemes;

impl BareUrl {
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
    pub(super) fn next_line<'h>(
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
        let mut is_deeper = false;
        if !only_below && after > marks && w.bytes()[end - 1] == b'-' {
            after = leader::skip_quotes(w, after);
            is_deeper = deeper(after) == 1;
        }
        if !only_below && deeper(after) > usize::from(is_deeper) {
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
        if schemes::starts_url(token) || w.suffixes && suffix::starts(token).is_some() {
            return None;
        }
        let Bare::Found(extent) = boundary::more(w, start, self.opener, depth, NEXT_LINE_MAX)
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
            lacks_leader: !leader.is_none() && after == marks,
            is_deeper,
            is_numbered,
        })
    }
}

/// The line after a break.
pub(super) struct NextLine<'h> {
    /// Indexes of the first byte of the line, of its leader, and of its text.
    pub(super) line: usize,
    pub(super) marks: usize,
    pub(super) start: usize,
    /// The part of the line that would belong to the URL.
    pub(super) extent: boundary::Extent,
    pub(super) text: &'h [u8],
    pub(super) token: &'h [u8],
    /// The line lacks the leader of the previous line.
    pub(super) lacks_leader: bool,
    /// The line is one level deeper in a quotation, after a hyphen.
    pub(super) is_deeper: bool,
    /// Both lines have numbers, and this one has the next.
    pub(super) is_numbered: bool,
}

/// The line at `start` without its line break. At most [`LOOK_MAX`] bytes.
pub(super) fn beginning<'h>(w: &Window<'h>, start: usize) -> &'h [u8] {
    let is_break = |bytes: &[u8]| memchr::memchr2(b'\n', b'\r', bytes);
    w.until_found(start, LOOK_MAX, is_break).text
}

/// Index of the line break after a URL, unless a paragraph ends there. `raw` is the end of
/// the URL with its punctuation. Blanks after a separator of the URL belong to the break,
/// because mailers leave them there.
#[inline]
pub(super) fn line_end(w: &Window<'_>, raw: usize) -> Option<usize> {
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

pub(super) fn is_url_byte(b: u8) -> bool {
    matches!(CLASS[b as usize], Class::Plain | Class::Mark | Class::Open)
}
