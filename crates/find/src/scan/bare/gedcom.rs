//! Lines of GEDCOM, the format of family trees (5.5.1, "Gedcom Form"): a number of a level, a tag and a
//! value. The tag `CONC` goes on with the value above it, which programs cut at a width inside of words.

use super::BareUrl;
use super::next_line::is_url_byte;
use super::parts::LineParts;
use crate::scan::boundary::{self, Bare};
use crate::scan::limits::NEXT_LINE_MAX;
use crate::scan::rejoin::{after_break, skip_indent};
use crate::scan::trim::trim;
use crate::scan::window::Window;
use crate::text::class::is_break;

/// The maximum length of a level and a tag, with the blanks after them.
const HEAD_MAX: usize = 40;

impl BareUrl {
    /// The parts of the URL over the lines of `CONC` below it, if the line at `line` is one of GEDCOM.
    #[cold]
    pub(super) fn over_conc(&self, w: &Window<'_>, line: usize) -> Option<LineParts> {
        let head = &w.bytes()[line..self.start];
        let level = Head::of(&head[..head.len().min(HEAD_MAX)])?.level;
        let mut parts = LineParts::default();
        let (mut from, mut extent) = (self.start, self.extent);
        while w.at(extent.raw).is_some_and(is_break) && !parts.is_full() {
            let next = after_break(w, extent.raw);
            let marks = skip_indent(w, next);
            let head = w.ahead(marks, HEAD_MAX);
            w.count(head.len());
            let Some(head) = Head::of(head).filter(|head| head.tag == b"CONC") else {
                break;
            };
            let start = marks + head.len;
            if !(level..=level + 1).contains(&head.level) || !w.at(start).is_some_and(is_url_byte) {
                break;
            }
            let Bare::Found(more) =
                boundary::more(w, start, self.opener, extent.depth, NEXT_LINE_MAX)
            else {
                break;
            };
            parts.push(from, extent.raw, marks, start);
            (from, extent) = (start, more);
        }
        if parts.len == 0 {
            return None;
        }
        let end = from + trim(&w.bytes()[from..extent.raw], 0);
        parts.push(from, end, end, end);
        Some(parts)
    }
}

/// The beginning of a line: `2 CONT `.
struct Head<'h> {
    level: u32,
    tag: &'h [u8],
    /// The length of both, with the blank after them.
    len: usize,
}

impl<'h> Head<'h> {
    fn of(line: &'h [u8]) -> Option<Head<'h>> {
        let indent = line.iter().take_while(|b| **b == b' ').count();
        let text = &line[indent..];
        let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
        let level = std::str::from_utf8(text.get(..digits)?).ok()?;
        let text = text[digits..].strip_prefix(b" ")?;
        let is_of_tag = |b: &&u8| b.is_ascii_uppercase() || **b == b'_';
        let len = text.iter().take_while(is_of_tag).count();
        let is_head = (1..3).contains(&digits) && len > 2 && text.get(len) == Some(&b' ');
        let level = level.parse().ok()?;
        is_head.then_some(Head {
            level,
            tag: &text[..len],
            len: indent + digits + 1 + len + 1,
        })
    }
}
