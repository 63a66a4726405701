//! Columns of a text: tables, pages of two columns, and the bar after the names of a chat.

use super::limits::{ABOVE_MAX, LINE_START_MAX};
use super::rejoin::line_at;
use super::window::Window;
use crate::text::bars::SIDES;
use crate::text::class::{is_blank, is_break};
use crate::text::extension::ends_file;
use crate::text::words::{self, is_letters};

/// True if the lines have columns, the URL at `start` stands in one, and the text at `next`, the
/// first of the line at `next_line`, stands to the left of it. `line` is the first byte of the
/// line of the URL.
///
/// A column has two blanks before it in the line of the URL, and at the same place in the line below.
/// The line above shows it as well, but only if prose stands to the left of the URL, because
/// a label or a mark (`--->  Fetching`) may have two blanks after it without a column.
pub(super) fn divide(
    w: &Window<'_>,
    line: usize,
    start: usize,
    next_line: usize,
    next: usize,
) -> bool {
    let before = &w.bytes()[line..start];
    let Some(gap) = gap_end(before) else {
        return false;
    };
    let column = width(&before[..gap]);
    let next_column = width(&w.bytes()[next_line..next]);
    if next_column >= column {
        return false;
    }
    // A list of files with what belongs to each.
    let here = before.trim_ascii_start();
    let is_list = before.len() - here.len() == next - next_line
        && ends_file(words::first(here))
        && ends_file(words::until_blank(line_at(w, next)));
    if is_list {
        return true;
    }
    let has_column = |text: &[u8]| begins_at(text, column);
    let is_prose = |text: &[u8]| {
        let words = text.split(|&b| is_blank(b)).filter(|word| is_letters(word));
        words.count() > 2
    };
    has_column(line_at(w, next_line))
        || is_prose(&before[..gap]) && line_above(w, line, start).is_some_and(has_column)
}

/// The index after the last two blanks of `text`, if text stands before them.
fn gap_end(text: &[u8]) -> Option<usize> {
    let is_gap = |pair: &[u8]| pair[0] == b' ' && pair[1] == b' ' || pair[1] == b'\t';
    let end = text.windows(2).rposition(is_gap)? + 2;
    let has_text = text[..end].iter().any(|b| !is_blank(*b));
    has_text.then_some(end)
}

/// The number of characters.
fn width(text: &[u8]) -> usize {
    text.iter().filter(|b| **b & 0xC0 != 0x80).count()
}

/// True if `line` has text at this column, two blanks before it, and text before these.
fn begins_at(line: &[u8], column: usize) -> bool {
    let mut characters = line.iter().enumerate().filter(|(_, b)| **b & 0xC0 != 0x80);
    let Some((at, b)) = characters.nth(column) else {
        return false;
    };
    !is_blank(*b) && gap_end(&line[..at]) == Some(at)
}

/// The line before the one at `line`, which has the URL at `start`. At most the last
/// [`ABOVE_MAX`] bytes of it, and none that are too far before the URL. `None` for a blank line,
/// which ends the paragraph.
pub(super) fn line_above<'h>(w: &Window<'h>, line: usize, start: usize) -> Option<&'h [u8]> {
    let low = line.saturating_sub(ABOVE_MAX);
    let low = low.max(start.saturating_sub(LINE_START_MAX)).min(line);
    let before = &w.bytes()[low..line];
    let before = before.strip_suffix(b"\n").unwrap_or(before);
    let before = before.strip_suffix(b"\r").unwrap_or(before);
    let start = before
        .iter()
        .rposition(|b| is_break(*b))
        .map_or(0, |at| at + 1);
    w.count(before.len() - start);
    let above = &before[start..];
    (!above.trim_ascii().is_empty()).then_some(above)
}

/// The index after the number at `from`, if it is that of a line and the one after the number of
/// the line at `above`, with the same mark: ` 12: http://a.example/x/` and ` 13: y.html`. `from` if
/// there is none.
pub(super) fn skip_number(w: &Window<'_>, above: usize, from: usize) -> usize {
    const DIGITS_MAX: usize = 6;
    // Nearly all lines begin with a letter.
    if !w.at(from).is_some_and(|b| b.is_ascii_digit()) {
        return from;
    }
    let number = |at: usize| {
        let bytes = w.slice(at, DIGITS_MAX + 1);
        let len = bytes.iter().take_while(|b| b.is_ascii_digit()).count();
        let digits = std::str::from_utf8(&bytes[..len]).ok()?;
        let mark = w.at(at + len).filter(|b| b":|".contains(b))?;
        Some((digits.parse::<u32>().ok()?, mark, at + len + 1))
    };
    let blanks = w.slice(above, LINE_START_MAX);
    let indent = blanks.iter().take_while(|b| is_blank(**b)).count();
    match (number(above + indent), number(from)) {
        (Some((one, mark, _)), Some((other, same, after))) if mark == same && one + 1 == other => {
            after
        }
        _ => from,
    }
}

/// The index after the bar at `from` and the blanks after it, if the line of the URL at `start`
/// has the same bar in the same column before the URL: a chat puts it after the name, and
/// before each line of a message. `from` if there is none.
pub(super) fn skip_bar(w: &Window<'_>, start: usize, line: usize, from: usize) -> usize {
    // Nearly all lines begin with another byte.
    if !matches!(w.at(from), Some(b'|' | 0xE2)) {
        return from;
    }
    let Some(bar) = SIDES.iter().find(|bar| w.has_word(from, bar.as_bytes())) else {
        return from;
    };
    let column = width(&w.bytes()[line..from]);
    let before = &w.bytes()[start.saturating_sub(ABOVE_MAX)..start];
    let line_start = before
        .iter()
        .rposition(|b| is_break(*b))
        .map_or(0, |at| at + 1);
    let above = &before[line_start..];
    w.count(above.len());
    let mut characters = above.iter().enumerate().filter(|(_, b)| **b & 0xC0 != 0x80);
    let is_there = characters
        .nth(column)
        .is_some_and(|(at, _)| above[at..].starts_with(bar.as_bytes()));
    let after = from + bar.len();
    if is_there && w.at(after).is_some_and(is_blank) {
        after
    } else {
        from
    }
}
