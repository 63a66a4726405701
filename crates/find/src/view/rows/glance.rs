//! Quick tests of a text before a page is made of it, because each view of a page is dear. They may
//! say yes for nothing, and never miss rows that the layer would join.

use super::beside::may_be_beside;
use super::chop::{self, NO_ROOM, may_be_chopped};
use super::edge::begins_record;
use super::signs::{
    begins_prose, breaks_extension, ends_url, has_inner_mark, is_base64, is_of_url, is_token,
    missing_digits,
};
use super::{DIVIDERS, NEAR, PLAIN, STANDARD, WIDE};
use crate::text::bars::{is_bar, is_drawn};
use crate::text::schemes::starts_url;
use crate::text::words::until_blank;
use crate::view::Wanted;
use crate::view::page::{BLANK_LINE, after_blank_line, end_of_blank_line};
use crate::view::width::{NARROW, character, columns};

const BACKSPACE: u8 = 0x08;
const ESCAPE: u8 = 0x1B;

/// What a page must have in which the URL with the colon at `colon` ends with its row, as far as
/// `bytes` show it: that row and those below it, up to one that is longer. Nearly nothing can be
/// said with less, and each view of a page is dear.
pub(crate) fn wanted(bytes: &[u8], colon: usize) -> Wanted {
    let text = &bytes[colon..];
    let word = text.iter().position(|&b| ends_url(b));
    let Some(rest) = word.map(|len| &text[len..]) else {
        return Wanted::default();
    };
    if !matches!(rest, [b' ' | b'\t' | b'\r' | b'\n', ..]) || is_inside_of_row(rest) {
        return Wanted::default();
    }
    let start = memchr::memrchr(b'\n', &bytes[..colon]).map_or(0, |lf| lf + 1);
    let edge = bytes.len() - rest.len() - start;
    // No screen cuts such a row in a word, so the next one decides. In a live stream it is waited for.
    let is_short = edge < PLAIN;
    Wanted {
        lines: 1,
        more: if is_short { 1 } else { chop::BELOW },
        edge,
        has_next: !is_short,
    }
}

/// True if the rows after a URL that ends at `end` may go on with it. This is a quick test of the
/// text, before a page is made. Nearly all rows of prose fail it. `is_end` if no byte follows `bytes`.
pub(crate) fn may_go_on(bytes: &[u8], end: usize, is_end: bool) -> bool {
    let rest = &bytes[end.min(bytes.len())..];
    let blanks = rest.iter().take_while(|&&b| b == b' ').count();
    let next = match &rest[blanks..] {
        // A pager begins the next row so.
        [BACKSPACE, ..] if blanks == 1 => return true,
        [b'\n' | b'\r', ..] if bytes[..end].ends_with(NO_ROOM) => return true,
        [b'\n', next @ ..] | [b'\r', b'\n', next @ ..] => next,
        [] | [b'\r'] => return true,
        // A character that the window cuts may be a bar.
        [first, rest @ ..] if *first >= 0x80 && rest.len() < 2 => return true,
        // A typesetter broke a word.
        [0xE2, 0x80, 0x90] | [0xE2, 0x80, 0x90, b'\n' | b'\r', ..] => return true,
        // `nano` marks so a row that the screen cuts.
        [b'>'] => return true,
        rest if mark_len(rest) > 0 => return may_be_chopped(bytes, end + mark_len(rest), is_end),
        rest => return is_bar(character(rest).0) || blanks > 1 && may_hang(rest),
    };
    let indent = next.iter().take_while(|&&b| b == b' ').count();
    match next.get(indent) {
        None | Some(b'\t') => return true,
        Some(b'\r' | b'\n') => return may_be_chopped(bytes, end, is_end),
        Some(_) => {}
    }
    let (seen, is_end) = in_paragraph(&next[..next.len().min(ROW_SEEN)], is_end);
    let next_end = memchr::memchr(b'\n', seen);
    if next_end.is_none() && seen.len() < ROW_SEEN {
        return true;
    }
    let next_row = &seen[..next_end.unwrap_or(seen.len())];
    let next = next_row.trim_ascii_end();
    let (before, _) = seen_above(bytes, end);
    let row_start = memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
    let (above, row) = before.split_at(row_start);
    // Only the layer can measure a row with codes of colour.
    let has_columns = |row: &[u8]| !row.is_ascii() || memchr::memchr2(b'\t', ESCAPE, row).is_some();
    // Nor can a row be seen here that is indented further than `ROW_SEEN`.
    let is_hidden = next.len() < indent;
    if is_hidden || has_columns(row) || has_columns(next) || missing_digits(row) > 0 {
        return true;
    }
    if may_be_chopped(bytes, end, is_end) || may_be_beside(row) {
        return true;
    }
    let text = &next[indent..];
    // The ends of lines, as vim shows them.
    let last = above.strip_suffix(b"\n").unwrap_or(above);
    let ends = [row, next, last]
        .into_iter()
        .filter(|row| row.ends_with(b"$"));
    if ends.count() > 1 {
        return true;
    }
    // The bar between two panes, of which the left one is empty in the next row.
    if text.first() == Some(&b'|') && row.get(indent) == Some(&b'|') {
        return true;
    }
    let is_mark = match text {
        [b'+', ..] => true,
        [b'>', ..] => may_be_marked(above, row, blanks, next_row, text),
        _ => false,
    };
    let begins = is_mark || text.first().is_some_and(|&b| is_of_url(b));
    let is_possible = begins
        && !starts_url(text)
        && (NARROW..WIDE).contains(&row.len())
        && is_below(row, indent)
        && (!begins_record(text) || row.ends_with(b"\\"));
    is_possible && (is_mark || may_follow(above, row, seen, is_end, text))
}

/// The number of bytes of `rest`, which follows a URL, up to the end of its row, if they are the mark of a
/// row that the screen cuts. The URL was taken to end before an arrow.
fn mark_len(rest: &[u8]) -> usize {
    match rest {
        [b'>', b'\n' | b'\r', ..] => 1,
        [b'-' | b'=', b'>', b'\n' | b'\r', ..] => 2,
        _ => 0,
    }
}

/// True if the text of a row, after `indent` blanks, begins below the text of `row`, as that
/// of a row that goes on does.
fn is_below(row: &[u8], indent: usize) -> bool {
    let own_indent = row.iter().take_while(|&&b| b == b' ').count();
    indent <= 1
        || indent + 1 == own_indent
        || matches!(row.get(indent - 1..=indent), Some([b' ', b]) if *b != b' ')
}

/// True if `text`, with which the rows in `seen` below begin, may be the rest of the URL at the end of `row`.
/// Such a row is as long as its neighbours, or ends at a mark. `is_end` if no byte follows `seen`.
fn may_follow(above: &[u8], row: &[u8], seen: &[u8], is_end: bool, text: &[u8]) -> bool {
    let word = until_blank(text);
    let is_at_mark = row.last().is_some_and(|b| b"-./?:,;+@=#&".contains(b))
        && (has_inner_mark(row, word) || is_token(word));
    if is_at_mark {
        return true;
    }
    // Nearly all next rows begin with a word of prose and another word.
    let len = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let is_prose = len > 0 && text.get(len) == Some(&b' ') && !text[len..].trim_ascii().is_empty();
    let may_be_rest = !is_prose
        || STANDARD.contains(&row.len())
        || (!begins_prose(word) || breaks_extension(row, word))
            && (has_equal(above, row.len())
                || has_equal_below(seen, row.len())
                || seen.len() < ROW_SEEN && !is_end);
    let next_end = memchr::memchr(b'\n', seen).unwrap_or(seen.len());
    let next = seen[..next_end].trim_ascii_end();
    may_be_rest && !is_longer(next, row.len()) && is_longest(above, row.len())
}

/// True if `> `, with which `text` may begin in the row `next`, may be the mark of a program for a row
/// that goes on, as [`grid`](super::grid) decides it. Nearly always it is that of a quotation, which begins the row of
/// the URL too, or follows the line that says who wrote it. `blanks` is the number of those after `row`.
fn may_be_marked(above: &[u8], row: &[u8], blanks: usize, next: &[u8], text: &[u8]) -> bool {
    let [b'>', b' ', text @ ..] = text else {
        return false;
    };
    if !text.first().is_some_and(|&b| is_of_url(b)) {
        return false;
    }
    // Only the layer knows the panes.
    if memchr::memchr3(b'|', b'*', b'#', row).is_some() {
        return true;
    }
    let edge = row.len() + blanks;
    let is_full = |row: &[u8]| row.len() == edge || row.len() + 1 == edge;
    if row.starts_with(b"> ") {
        // The rows above with the mark, and the one above them, end in the same column then.
        let Some(rows) = above.strip_suffix(b"\n") else {
            return true;
        };
        let Some(lf) = memchr::memrchr(b'\n', rows) else {
            return true;
        };
        let last = &rows[lf + 1..];
        let last = last.strip_suffix(b"\r").unwrap_or(last);
        return is_full(last) || !last.is_ascii() || last.contains(&b'\t');
    }
    let next = next.strip_suffix(b"\r").unwrap_or(next);
    let word = until_blank(text);
    let begins_name = word[0].is_ascii_uppercase() || !row.ends_with(b".");
    let is_prose = word[0].is_ascii_alphabetic()
        && begins_prose(word)
        && begins_name
        && !word.contains(&b')')
        && !text[word.len()..].trim_ascii().is_empty();
    // What the layer joins with prose: after a row of a usual width, a row that goes on in the next
    // to its end, or one that ends inside of a scheme, of a soft break or with the mark of Emacs.
    let is_usual = STANDARD.contains(&row.len()) || blanks > 0 || next.ends_with(b" ");
    let is_open = row.ends_with(b":/") || row.last().is_some_and(|b| b":=\\".contains(b));
    !is_prose || is_full(next) || next.len() >= ROW_SEEN || is_usual || is_open
}

/// True if `row` has more than `len` bytes, and no blank there, as another column has before it.
fn is_longer(row: &[u8], len: usize) -> bool {
    row.get(len).is_some_and(|&b| b != b' ')
}

/// True if the row below, after the `rest` of the row, begins far from the left, as the rest of a
/// cell does.
fn may_hang(rest: &[u8]) -> bool {
    let seen = &rest[..rest.len().min(ROW_SEEN)];
    let Some(lf) = memchr::memchr(b'\n', seen) else {
        return seen.len() < ROW_SEEN;
    };
    let next = &seen[lf + 1..];
    match next.iter().position(|&b| b != b' ') {
        Some(blanks) => blanks > 1 && !matches!(next[blanks], b'\r' | b'\n'),
        // The bytes after these decide it.
        None => seen.len() < ROW_SEEN,
    }
}

/// True if none of the rows `above` a row of `len` bytes, up to the first that is empty, is longer.
/// A row that only the layer can measure is not.
fn is_longest(above: &[u8], len: usize) -> bool {
    let mut above = above;
    for _ in 0..NEAR {
        let Some(rows) = above.strip_suffix(b"\n") else {
            break;
        };
        let start = memchr::memrchr(b'\n', rows).map_or(0, |lf| lf + 1);
        let row = rows[start..].trim_ascii_end();
        let is_text = row.is_ascii() && !is_base64(row);
        if row.is_empty() || !row.iter().any(u8::is_ascii_alphanumeric) {
            break;
        }
        // The beginning of the first row may be missing.
        if is_text && is_longer(row, len) {
            return false;
        }
        above = &rows[..start];
    }
    true
}

/// True if one of the rows `above` a row of `len` bytes has as many, up to the first that is empty.
fn has_equal(above: &[u8], len: usize) -> bool {
    let rows = above.trim_ascii_end().rsplit(|&b| b == b'\n').take(NEAR);
    let mut rows = rows
        .map(<[u8]>::trim_ascii_end)
        .take_while(|row| !row.is_empty());
    rows.any(|row| ends_at(row, len) && row.iter().any(u8::is_ascii_alphanumeric))
}

/// The same for the rows after the first of those `below`, as far as they are seen.
fn has_equal_below(below: &[u8], len: usize) -> bool {
    let rows = below.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end);
    let mut rows = rows.skip(1).take_while(|row| !row.is_empty());
    rows.any(|row| ends_at(row, len))
}

/// True if a row has `len` bytes, or a blank and another column there.
fn ends_at(row: &[u8], len: usize) -> bool {
    row.len() == len || row.get(len) == Some(&b' ')
}

/// The number of bytes of a row at which [`may_go_on`] looks.
const ROW_SEEN: usize = 256;

/// The number of bytes before the end of the URL, and after it, at which these tests look.
pub(super) const SEEN: usize = 1024;

/// The bytes of `rest`, which follows the URL or its row, without those after a blank line: no row of
/// another paragraph counts. And whether no byte follows them, which `is_end` says of `rest`.
pub(super) fn in_paragraph(rest: &[u8], is_end: bool) -> (&[u8], bool) {
    match end_of_blank_line(rest) {
        Some(end) => (&rest[..end], true),
        None => (rest, is_end),
    }
}

/// The bytes before `end` at which these tests look, but for those before a blank line, and whether they
/// are all of the paragraph.
pub(super) fn seen_above(bytes: &[u8], end: usize) -> (&[u8], bool) {
    let low = end.saturating_sub(SEEN);
    // The blank line may end directly before the first of them.
    let above = low.saturating_sub(BLANK_LINE);
    let from = after_blank_line(&bytes[above..end]).map(|at| above + at);
    let is_all = low == 0 || from.is_some_and(|from| from >= low);
    (&bytes[low.max(from.unwrap_or(0))..end], is_all)
}

/// True if a bar that no text has begins `bytes`.
pub(crate) fn is_bar_of_terminal(bytes: &[u8]) -> bool {
    is_drawn(character(bytes).0)
}

/// True if the row above has a bar of ASCII in the column of the one at `at`, as between two panes of
/// vim. In a live stream nothing is waited for: the row above is known.
pub(crate) fn has_bar_above(bytes: &[u8], at: usize) -> bool {
    let seen = &bytes[at.saturating_sub(2 * ROW_SEEN)..at];
    let Some(lf) = memchr::memrchr(b'\n', seen) else {
        return false;
    };
    let (above, row) = (&seen[..lf], &seen[lf + 1..]);
    let above = &above[memchr::memrchr(b'\n', above).map_or(0, |lf| lf + 1)..];
    // Fast path: a column is a byte.
    if row.is_ascii() && above.is_ascii() {
        return row.len() >= NARROW && above.get(row.len()) == Some(&b'|');
    }
    let column = columns(row);
    let bars = memchr::memchr_iter(b'|', above);
    column >= NARROW
        && bars
            .take(2 * DIVIDERS)
            .any(|bar| columns(&above[..bar]) == column)
}

/// True if a word follows in the row in whose text the URL ends before `rest`, and no bar stands
/// between the two. Two blanks may be those between two columns.
pub(super) fn is_inside_of_row(rest: &[u8]) -> bool {
    match rest {
        [b' ', first, ..] if first.is_ascii() => *first > b' ' && !is_bar(char::from(*first)),
        _ => false,
    }
}
