//! The layer of rows: the lines of a terminal, where a program broke a URL at the width.
//!
//! # How to think about it
//!
//! A terminal breaks a line where it is full, without regard to words. So the evidence is not how
//! long a line is, but that the URL ends where the rows around it end: at the column of the longest
//! rows, at the frame around the text, or at the end of the padding. The next row then begins where
//! the text begins, without a blank.
//!
//! What is no text goes first: a frame, a gutter, padding. A bar that stands in the same column of
//! two rows divides panes, and only the pane of the URL is read.
//!
//! There are two answers. A row is *joined* if the URL filled two rows one after the other (it would
//! end at the end of a row once in their width), if the rows around it end there inside of words, if a
//! bracket before it closes in the next row, or if that has what only a URL has. It is a *guess* if
//! only the sense can decide. Items of a list, new records and prose are never joined, and cells of a
//! table only if their neighbours in the next row are empty.
//!
//! `grid` has the rows and the panes, `edge` what the rows around show of the width, `join` the
//! decision, `signs` what a word shows, `column` tables without bars, and `chop` and `beside` rows that
//! the screen cuts.

mod beside;
mod chop;
mod column;
mod edge;
mod grid;
mod join;
mod signs;

use super::width::{NARROW, character, is_wide, width};
use super::{END, Edits, Page, Wanted};
use crate::bars::{self, is_bar, is_drawn};
use crate::scan::words::{is_cased, is_number_of_item, until_blank};
use crate::scan::{comment, records, screen, starts_url};
use beside::may_be_beside;
use chop::{CUT, Right, may_be_chopped};
use edge::{Edge, begins_record};
use grid::{Cell, MARKED, Pane, Row};
use signs::{
    begins_prose, begins_url, breaks_escape, breaks_scheme, ends_file, ends_item, ends_url,
    has_inner_mark, has_parameter, is_base64, is_entry, is_labelled, is_of_url, is_rest,
    is_rest_of_word, is_token, key_len, may_be_rest_of_scheme, missing_digits,
};
use std::cell;
use urlgrep_base::span::SeamKind;

/// The most columns of a screen that cuts its rows.
const SCREEN: usize = 400;
/// The most columns that a row may have.
const WIDE: usize = 1000;
/// The widths of terminals that people have not changed. A URL that has the block for itself and
/// ends there has filled its row. Beside other rows that is only a guess.
const STANDARD: [usize; 5] = [80, 100, 120, 132, 160];
/// The fewest columns of a terminal that one other row of the same width shows.
const PLAIN: usize = 40;
/// The number of rows of the block that are read before the first of the URL, and after its last.
const NEAR: usize = 8;
/// The most bytes of a gutter with the numbers of lines.
const GUTTER: usize = 16;
/// The length of a word that is too long for prose.
const LONG: usize = 16;
/// The length of a word that is too long for the number of an item.
const ITEM: usize = 5;
/// U+2010, with which typesetters break words.
const HYPHEN: &[u8] = "\u{2010}".as_bytes();
/// The schemes that are read where the width broke them.
const BROKEN: [&[u8]; 6] = [b"https", b"http", b"ftp", b"wss", b"ssh", b"git"];
/// The most bars of ASCII that divide a row into panes.
const DIVIDERS: usize = 2;
/// The maximum number of rows of a URL.
const ROWS: usize = 64;

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
        [b'\n', next @ ..] | [b'\r', b'\n', next @ ..] => next,
        [] | [b'\r'] => return true,
        // A character that the window cuts may be a bar.
        [first, rest @ ..] if *first >= 0x80 && rest.len() < 2 => return true,
        // A typesetter broke a word.
        [0xE2, 0x80, 0x90] | [0xE2, 0x80, 0x90, b'\n' | b'\r', ..] => return true,
        // `nano` marks so a row that the screen cuts.
        [b'>'] => return true,
        [b'>', b'\n' | b'\r', ..] => return may_be_chopped(bytes, end + 1, is_end),
        rest => return is_bar(character(rest).0) || blanks > 1 && may_hang(rest),
    };
    let indent = next.iter().take_while(|&&b| b == b' ').count();
    match next.get(indent) {
        None => return true,
        Some(b'\t') => return true,
        Some(b'\r' | b'\n') => return may_be_chopped(bytes, end, is_end),
        Some(_) => {}
    }
    let seen = &next[..next.len().min(ROW_SEEN)];
    let next_end = memchr::memchr(b'\n', seen);
    if next_end.is_none() && seen.len() < ROW_SEEN {
        return true;
    }
    let next_row = &seen[..next_end.unwrap_or(seen.len())];
    let next = next_row.trim_ascii_end();
    let before = &bytes[end.saturating_sub(ABOVE_SEEN)..end];
    let row_start = memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
    let (above, row) = before.split_at(row_start);
    let has_columns = |row: &[u8]| !row.is_ascii() || memchr::memchr(b'\t', row).is_some();
    if has_columns(row) || has_columns(next) || missing_digits(row) > 0 {
        return true;
    }
    if may_be_chopped(bytes, end, is_end) || may_be_beside(row) {
        return true;
    }
    let text = &next[indent..];
    let is_mark = match text {
        [b'+', ..] => true,
        [b'>', ..] => may_be_marked(above, (row, blanks), next_row, text),
        _ => false,
    };
    let begins = is_mark || text.first().is_some_and(|&b| is_of_url(b));
    let is_possible = begins
        && !starts_url(text)
        && (NARROW..WIDE).contains(&row.len())
        && is_below(row, indent)
        && (!begins_record(text) || row.ends_with(b"\\"));
    is_possible && (is_mark || may_follow(above, row, next, text))
}

/// True if the text of a row, after `indent` blanks, begins below the text of `row`, as that
/// of a row that goes on does.
fn is_below(row: &[u8], indent: usize) -> bool {
    let own_indent = row.iter().take_while(|&&b| b == b' ').count();
    indent <= 1
        || indent + 1 == own_indent
        || matches!(row.get(indent - 1..=indent), Some([b' ', b]) if *b != b' ')
}

/// True if `text`, which is all of the row `next`, may be the rest of the URL at the end of `row`. Such
/// a row is as long as its neighbours, or ends at a mark.
fn may_follow(above: &[u8], row: &[u8], next: &[u8], text: &[u8]) -> bool {
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
        || !begins_prose(word) && has_equal(above, row.len());
    may_be_rest && !is_longer(next, row.len()) && is_longest(above, row.len())
}

/// True if `> `, with which `text` may begin in the row `next`, may be the mark of a program for a row
/// that goes on, as [`grid`] decides it. Nearly always it is that of a quotation, which begins the row of
/// the URL too, or follows the line that says who wrote it. `blanks` is the number of those after `row`.
fn may_be_marked(above: &[u8], (row, blanks): (&[u8], usize), next: &[u8], text: &[u8]) -> bool {
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
    rows.any(|row| row.len() == len && row.iter().any(u8::is_ascii_alphanumeric))
}

/// The number of bytes of a row at which [`may_go_on`] looks.
const ROW_SEEN: usize = 256;
/// The number of bytes before the end of the URL at which it looks.
const ABOVE_SEEN: usize = 1024;

/// True if a bar that no text has begins `bytes`.
pub(crate) fn is_bar_of_terminal(bytes: &[u8]) -> bool {
    is_drawn(character(bytes).0)
}

pub(super) fn edits(page: &Page<'_>) -> Edits {
    let mut out = Edits::default();
    if page.sight.has_rows {
        let mut block = Block {
            page,
            is_broken: false,
            is_of_program: false,
            right: cell::Cell::default(),
            mark: b"",
            first: usize::MAX,
        };
        let _ = block.read(&mut out);
        if out.list.is_empty() && out.cut.is_none() {
            end_at_bar(page, &mut out);
        }
        // A row that seems to go on was not cut.
        if out.list.is_empty() && out.cut.is_none() && !page.sight.is_sure {
            let _ = block.chop(&mut out);
        }
        if out.list.is_empty() && out.cut.is_none() && !page.sight.is_sure {
            let _ = block.beside(&mut out);
        }
    }
    out
}

/// A drawn bar inside of the URL ends it: the text after it is of another pane.
fn end_at_bar(page: &Page<'_>, out: &mut Edits) {
    let text = &page.bytes[page.colon..];
    let mut at = 0;
    while at < text.len() && !ends_url(text[at]) {
        let (c, len) = character(&text[at..]);
        if is_drawn(c) {
            let start = page.colon + at;
            out.push(start, start + len, SeamKind::Row, &[END]);
            return;
        }
        at += len;
    }
}

/// The index of the first bar in `text` that may be the side of a pane.
fn first_bar(text: &[u8]) -> Option<usize> {
    // Fast path: nearly no URL has one.
    let first = memchr::memchr2(b'|', 0xE2, text)?;
    let is_side = |at: &usize| {
        let c = character(&text[*at..]).0;
        c == '|' || is_drawn(c)
    };
    (first..text.len()).find(is_side)
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
    let column_of = |text: &[u8]| {
        let (mut column, mut at) = (0, 0);
        while at < text.len() {
            let (c, len) = character(&text[at..]);
            column += width(c, column);
            at += len;
        }
        column
    };
    let column = column_of(row);
    let bars = memchr::memchr_iter(b'|', above);
    column >= NARROW
        && bars
            .take(2 * DIVIDERS)
            .any(|bar| column_of(&above[..bar]) == column)
}

/// True if a word follows in the row in whose text the URL ends before `rest`, and no bar stands
/// between the two. Two blanks may be those between two columns.
fn is_inside_of_row(rest: &[u8]) -> bool {
    match rest {
        [b' ', first, ..] if first.is_ascii() => *first > b' ' && !is_bar(char::from(*first)),
        _ => false,
    }
}

/// The page as rows.
struct Block<'p> {
    page: &'p Page<'p>,
    /// The width of the terminal broke the scheme of the URL, or an escape in its first row.
    is_broken: bool,
    /// The rows below have what a program puts into each row that goes on, and nobody else.
    is_of_program: bool,
    /// What the rows around the URL show of the right edge of the screen, once they were read.
    right: cell::Cell<Option<Right>>,
    /// The mark of rows that go on, where the rows below the one that begins at `first` have it.
    mark: &'static [u8],
    first: usize,
}

/// The rows of a URL.
struct Found {
    /// Its text in each row: the indexes of its first byte, after its last, and after the text of
    /// the row.
    cells: Vec<(usize, usize, usize)>,
    /// The number of its rows that are full, one after the other.
    full: usize,
    /// The row after it.
    after: Option<usize>,
    /// The last of its rows is one of a list: the row after it has one word too.
    is_list: bool,
}

impl<'p> Block<'p> {
    /// Reads the rows around the URL. `None` if nothing is to be done.
    fn read(&mut self, out: &mut Edits) -> Option<()> {
        let (bytes, colon) = (self.bytes(), self.page.colon);
        // Most words end before their row.
        let Some(word) = bytes[colon..].iter().position(|&b| ends_url(b)) else {
            if self.may_be_broken() {
                self.undecided(Wanted::default(), out);
            }
            return None;
        };
        // The bar of a pane may follow at once.
        let bar = first_bar(&bytes[colon..colon + word]);
        let ends_word =
            bar.is_some() || matches!(bytes[colon + word], b' ' | b'\t' | b'\r' | b'\n');
        let is_inside = bar.is_none() && (!ends_word || is_inside_of_row(&bytes[colon + word..]));
        if is_inside && !self.may_be_broken() {
            return None;
        }
        let row = self.row_of_colon(out)?;
        let name = self.scheme(row);
        let broken = self.broken_scheme(row, name);
        if !ends_word && broken.is_none() {
            return None;
        }
        let (row, start) = broken.unwrap_or((row, colon - name.len()));
        let next = self.row(row.next?);
        let needed = self.rows_needed(row, next);
        if !self.has_rows_below(row, needed) {
            self.wants_rows_below(row, needed, out);
            return None;
        }
        self.first = row.start;
        (self.mark, self.is_of_program) = self.mark_of(row, next, start);
        let pane = self.pane(row, next, start);
        if pane.gutter > 0 && !self.has_rows_below(row, MARKED) {
            self.wants_rows_below(row, MARKED, out);
            return None;
        }
        let cell = self.cell(row, pane)?;
        if start < cell.start || start >= cell.end {
            return None;
        }
        let word = &bytes[start..cell.end];
        if pane == Pane::default() && word.windows(2).any(|blanks| blanks == b"  ") {
            return self.read_column(row, start, out);
        }
        if word.iter().any(|&b| ends_url(b)) || !(NARROW..WIDE).contains(&cell.to) {
            return None;
        }
        self.read_word((row, next), pane, (cell, start), broken.is_some(), out)
    }

    /// Reads the rows from `row` on, at the end of which the URL that begins at `start` in `cell` seems
    /// to go on. `is_broken` says that its scheme does.
    fn read_word(
        &mut self,
        (row, next): (Row, Row),
        pane: Pane,
        (cell, start): (Cell, usize),
        is_broken: bool,
        out: &mut Edits,
    ) -> Option<()> {
        let bytes = self.bytes();
        let word = &bytes[start..cell.end];
        let below = self.cell(next, pane)?;
        // Emacs marks a row that goes on.
        let text = word.strip_suffix(b"\\").unwrap_or(word);
        let rest = [text, &bytes[below.start..below.end]].concat();
        self.is_broken = is_broken
            || breaks_scheme(&rest, text.len())
            || breaks_escape(text, &rest[text.len()..]);
        self.is_of_program |= self.is_marked_below(row, next, pane, cell);
        if self.mark.is_empty() && !self.is_below(row, cell, start, below, pane)
            || self.is_new(row, next, below, (cell, start), 1)
        {
            return None;
        }
        let is_typeset = text.ends_with(HYPHEN);
        if is_typeset && !self.has_rows_below(row, NEAR + 1) {
            self.wants_rows_below(row, NEAR + 1, out);
            return None;
        }
        if is_typeset && self.has_own_hyphens(row) {
            self.read_hyphens(row, pane, cell, out);
            return Some(());
        }
        self.read_rows((row, next), pane, (cell, start), below, out)
    }

    /// The row of the colon. `None` if the page does not have all of it.
    fn row_of_colon(&self, out: &mut Edits) -> Option<Row> {
        let (bytes, colon) = (self.bytes(), self.page.colon);
        let next = memchr::memchr(b'\n', &bytes[colon..]).map(|lf| colon + lf + 1);
        if !self.page.is_end && next.is_none_or(|next| next == bytes.len()) {
            self.undecided(wanted(bytes, colon), out);
            return None;
        }
        let start = match memchr::memrchr(b'\n', &bytes[..colon]) {
            Some(lf) => lf + 1,
            None if self.page.is_start => 0,
            None => return None,
        };
        self.look_behind(start, colon);
        Some(self.row(start))
    }

    /// The name of the scheme before the colon in `row`. It begins with a letter, after the mark of
    /// a row that goes on.
    fn scheme(&self, row: Row) -> &'p [u8] {
        let text = &self.bytes()[row.start..self.page.colon];
        let is_of_scheme = |b: &&u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
        let name = text.iter().rev().take_while(is_of_scheme).count();
        let name = &text[text.len() - name..];
        let marks = name.iter().take_while(|b| !b.is_ascii_alphabetic()).count();
        &name[marks..]
    }

    /// Reads the row `next`, with the text `below`, after a URL that begins at `start` in `cell` and
    /// ends with a mark before the frame. Only that row is read.
    fn read_at_mark(
        &self,
        (row, next): (Row, Row),
        pane: Pane,
        (cell, start): (Cell, usize),
        below: Cell,
        out: &mut Edits,
    ) -> Option<()> {
        let bytes = self.bytes();
        let word = until_blank(&bytes[below.start..below.end]);
        let is_rest = has_inner_mark(&bytes[start..cell.end], word) || is_token(word);
        if pane.right.is_none() || !is_rest {
            return None;
        }
        let end = below.start + word.len();
        let found = Found {
            cells: vec![(start, cell.end, cell.end), (below.start, end, below.end)],
            full: 1,
            after: next.next,
            is_list: false,
        };
        let width = self.width_at_mark(row, pane, cell, &found, out)?;
        self.join(row, next, &found, width, out);
        Some(())
    }

    /// Takes out the hyphens that a typesetter put at the ends of the rows of the URL that begins in
    /// `cell`, as `man` does.
    fn read_hyphens(&self, row: Row, pane: Pane, cell: Cell, out: &mut Edits) {
        let bytes = self.bytes();
        let mut last = (row, cell.start, cell.end);
        for _ in 0..ROWS {
            let Some(next) = last.0.next.map(|start| self.row(start)) else {
                return;
            };
            if next.next.is_none() && !self.page.is_end {
                out.list.clear();
                self.wants(next, 1, WIDE, out);
                return;
            }
            let text = &bytes[last.1..last.2];
            let Some(below) = self.cell(next, pane) else {
                return;
            };
            if !text.ends_with(HYPHEN) || !is_of_url(bytes[below.start]) {
                return;
            }
            out.push(last.2 - HYPHEN.len(), below.start, SeamKind::Row, b"");
            let rest = &bytes[below.start..below.end];
            let is_word = !rest.iter().any(|&b| ends_url(b));
            if !is_word {
                return;
            }
            last = (next, below.start, below.end);
        }
    }

    /// True if the words around `row` have hyphens of ASCII, so that U+2010 is no hyphen of the text.
    fn has_own_hyphens(&self, row: Row) -> bool {
        let (mut above, mut below) = (row, row);
        let mut rows = vec![row];
        for _ in 0..NEAR {
            if let Some(before) = self.row_before(above.start) {
                above = before;
                rows.push(above);
            }
            if let Some(next) = below.next {
                below = self.row(next);
                rows.push(below);
            }
        }
        let is_inside = |text: &[u8], at: usize, len: usize| {
            let is_letter = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
            at > 0 && is_letter(text.get(at - 1)) && is_letter(text.get(at + len))
        };
        let has = |row: &Row, mark: &[u8]| {
            let text = self.text(*row);
            memchr::memmem::find_iter(text, mark).any(|at| is_inside(text, at, mark.len()))
        };
        rows.iter().any(|row| has(row, b"-")) && !rows.iter().any(|row| has(row, HYPHEN))
    }

    /// Reads the rows from `row` on, in which the URL begins at `start` in `cell`. The text of the
    /// `next` row is `below`.
    fn read_rows(
        &self,
        (row, next): (Row, Row),
        pane: Pane,
        (cell, start): (Cell, usize),
        below: Cell,
        out: &mut Edits,
    ) -> Option<()> {
        // A narrow row without a frame shows nothing, unless the next row is as wide. This spares a
        // live stream the wait for more rows.
        let is_narrow = cell.to < PLAIN && pane.right.is_none() && !self.is_broken;
        if is_narrow && below.to + 1 < cell.to {
            return None;
        }
        // Rows of one width with a blank at the end of each would have all rows after each of them
        // read.
        if !self.is_broken && cell.is_padded(pane) {
            return self.read_at_mark((row, next), pane, (cell, start), below, out);
        }
        let found = self.rows_of_url(row, pane, cell, start, out)?;
        let width = self.width(row, pane, cell, &found, out)?;
        let (url, tail) = (
            &self.bytes()[start..cell.end],
            &self.bytes()[below.start..below.end],
        );
        let is_known = match width.edge {
            Edge::Full => true,
            Edge::AtMark => has_inner_mark(url, until_blank(tail)) || is_token(until_blank(tail)),
            Edge::Unknown => {
                let is_last = found.cells.len() == 2 && self.is_last(&found) && cell.to >= PLAIN;
                let word = until_blank(tail);
                // A program that breaks at words puts a long URL into a row of its own.
                let is_wide = cell.to >= PLAIN && (start == cell.start || word.len() > LONG);
                is_rest(url, word)
                    || is_token(word)
                    || is_wide && !found.is_list && has_inner_mark(url, word)
                    || is_last && is_rest_of_word(tail) && !tail.iter().any(|b| b"/@".contains(b))
            }
            Edge::Inside => false,
        };
        if !is_known {
            return None;
        }
        self.join(row, next, &found, width, out);
        Some(())
    }

    /// True if the row above may have the beginning of the scheme: no text stands before the rest of
    /// its name in the row.
    fn may_be_broken(&self) -> bool {
        let before = &self.bytes()[..self.page.colon];
        let is_of_name = |b: &u8| b.is_ascii_alphanumeric();
        let name = before.iter().rev().take_while(|b| is_of_name(b)).count();
        let text = before[..before.len() - name].trim_ascii_end();
        let is_first = text.is_empty() && self.page.is_start;
        let between = &before[text.len()..];
        let begins_row = between.contains(&b'\n') || text.is_empty();
        // A frame, the number of the line, or a mark may stand before it.
        let may_be_frame = text
            .last()
            .is_none_or(|&b| !b.is_ascii() || b.is_ascii_digit() || b"|*#+>".contains(&b));
        may_be_rest_of_scheme(before) && !is_first && (begins_row || may_be_frame)
    }

    /// The row above `row` and the index in it where a scheme begins that ends with `name`, if the
    /// width of the terminal broke it: `http` and `s://`.
    fn broken_scheme(&self, row: Row, name: &[u8]) -> Option<(Row, usize)> {
        let may_be_rest = |scheme: &&[u8]| scheme.len() > name.len() && scheme.ends_with(name);
        if !BROKEN.iter().any(may_be_rest) {
            return None;
        }
        let above = self.row_before(row.start)?;
        if self.is_base64(above) {
            return None;
        }
        let bytes = self.bytes();
        let ends = self.bars(above).into_iter().map(|bar| bar.1);
        let cell = ends.chain([above.end]).find_map(|end| {
            let text = bytes[above.start..end].trim_ascii_end();
            let pane = self.pane(
                above,
                row,
                (above.start + text.len()).max(above.start + 1) - 1,
            );
            let cell = self.cell(above, pane)?;
            let below = self.cell(row, pane)?;
            (below.start + name.len() == self.page.colon).then_some(cell)
        })?;
        let text = &bytes[cell.start..cell.end];
        // Emacs marks a row that goes on.
        let text = text.strip_suffix(b"\\").unwrap_or(text);
        let letters = text
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        let start = cell.start + text.len() - letters;
        let whole = [&text[text.len() - letters..], name].concat();
        (letters > 0 && BROKEN.contains(&&whole[..])).then_some((above, start))
    }

    /// The page ends too early. Nothing of the URL can be read.
    fn undecided(&self, wanted: Wanted, out: &mut Edits) {
        if !self.page.is_end {
            out.cut = Some(self.page.colon + 1);
            out.wanted = wanted;
        }
    }

    /// The page ends too early: it must have `row`, which is below that of the URL, and `count - 1`
    /// rows more, or fewer if one has more than `edge` bytes. A byte follows them.
    fn wants(&self, row: Row, count: usize, edge: usize, out: &mut Edits) {
        let above = self.bytes().get(self.page.colon..row.start);
        let wanted = Wanted {
            lines: memchr::memchr_iter(b'\n', above.unwrap_or_default()).count(),
            more: count,
            edge,
            has_next: true,
        };
        self.undecided(wanted, out);
    }

    /// The page ends too early: it must have `count` rows below `row`.
    fn wants_rows_below(&self, row: Row, count: usize, out: &mut Edits) {
        let above = memchr::memchr_iter(b'\n', &self.bytes()[row.start..self.page.colon]).count();
        let wanted = Wanted {
            lines: (count + 1).saturating_sub(above),
            ..Wanted::default()
        };
        self.undecided(wanted, out);
    }

    /// True if the text `below` begins where a row that goes on begins: at the first column of the
    /// pane, under the text of the row, or under a word before the URL.
    fn is_below(&self, row: Row, cell: Cell, start: usize, below: Cell, pane: Pane) -> bool {
        // A row may begin with the blank at which the width broke the line.
        let is_after_blank = below.from + 1 == cell.from
            && self
                .row_before(row.start)
                .and_then(|above| self.cell(above, pane))
                .is_some_and(|above| above.from == below.from);
        if is_after_blank {
            return true;
        }
        let first = pane.left.map_or(pane.gutter, |(column, _)| column + 1);
        // A frame has a blank between it and the text.
        let is_in_frame = pane.left.is_some() && below.from == first + 1;
        if below.from == first || below.from == cell.from || is_in_frame {
            return true;
        }
        // A row may hang under any word that begins before the URL or with it.
        let text = self.text(row);
        let (mut column, mut at, mut is_blank) = (0, 0, false);
        while row.start + at <= start && column <= below.from {
            let (c, len) = character(&text[at..]);
            if column == below.from {
                return is_blank && c != ' ';
            }
            is_blank = matches!(c, ' ' | '\t');
            column += width(c, column);
            at += len;
        }
        false
    }

    /// True if the row `next` is no part of a URL: an item of a list, a record, a prompt, a row with
    /// a number of its own, or a row of a table. The URL begins at `start` in `cell`, the text of
    /// `row`, and has `count` rows so far.
    fn is_new(
        &self,
        row: Row,
        next: Row,
        below: Cell,
        (cell, start): (Cell, usize),
        count: usize,
    ) -> bool {
        let bytes = self.bytes();
        let text = &bytes[below.start..below.end];
        let word = until_blank(text);
        let rest = &text[word.len()..];
        let gap = rest;
        let rest = rest.trim_ascii_start();
        let url = &bytes[start..below.start];
        let is_mark = |b: &u8| b"$#%>".contains(b);
        // A program that waits for a line has its prompt alone in the row.
        let is_waiting = word.ends_with(b">") && !bytes[row.start..start].contains(&b'<');
        let is_prompt =
            word.last().is_some_and(is_mark) && !rest.is_empty() || word == b"$" || is_waiting;
        // Marks of comments: `//!`, `;;`.
        let is_text = |b: &u8| b.is_ascii_alphanumeric() || *b >= 0x80;
        let is_leader = word.len() > 1 && !rest.is_empty() && !word.iter().any(is_text);
        let is_item = matches!(word, b"-" | b"*" | b"+" | b"--" | b"=>")
            || !rest.is_empty()
                && word.len() < ITEM
                && is_number_of_item(word)
                && !self.is_broken_table(row, next);
        // A shell has a bar after a URL that is only the end of the row.
        let is_table = bars::side(rest).is_some()
            && (self.has_side(row) || !has_parameter(url, word))
            && !self.is_broken_table(row, next);
        let is_key = is_key(&bytes[cell.start..start], url, word, count);
        // The line of Emacs below a window.
        let is_mode_line = text.starts_with(b"-")
            && memchr::memmem::find(word, b"---").is_some()
            && !rest.is_empty();
        if count == 1 && (self.is_broken || self.is_of_program) {
            return is_mode_line || !text.first().is_some_and(|&b| is_of_url(b));
        }
        // A branch or a change of the repository.
        let is_revision = bytes[start..cell.end].ends_with(b".git")
            && word.first().is_some_and(u8::is_ascii_alphanumeric);
        // A fragment begins a row only by chance.
        let is_slug = memchr::memchr_iter(b'-', word).count() > 1;
        let is_comment = text.starts_with(b"#") && (count == 1 && !is_slug || !rest.is_empty());
        is_comment
            || count == 1 && ends_item(&bytes[start..cell.end])
            || is_mode_line
            || text.starts_with(b"--")
            || is_revision
            || !text.first().is_some_and(|&b| is_of_url(b))
            || begins_url(text) && !(self.is_broken && count == 1)
            || is_prompt
            || records::is_prompt(word)
            || is_item
            || is_leader
            || is_table
            || is_key
            || is_labelled(text) && is_labelled(&bytes[cell.start..start])
            || is_entry(&bytes[cell.start..start], word, gap)
            || records::is_of_program(word, &text[word.len()..])
            || records::are_settings(&bytes[cell.start..start], url.trim_ascii_end(), word)
            || screen::is_state_line(text)
            || comment::ends_before(
                &bytes[row.start..start],
                &bytes[next.start..below.start],
                text,
            )
            || begins_record(text)
            || !rest.is_empty()
                && records::begin_alike(until_blank(&bytes[cell.start..start]), word)
            || self.has_other_number(row, next, cell, below)
    }

    /// True if both rows have a number before their text, and not the same.
    fn has_other_number(&self, row: Row, next: Row, cell: Cell, below: Cell) -> bool {
        let bytes = self.bytes();
        let number = |from: usize, to: usize| {
            if to > from + GUTTER {
                return None;
            }
            let text = bytes[from..to.max(from)].trim_ascii();
            let text = text
                .strip_suffix("│".as_bytes())
                .unwrap_or(text)
                .trim_ascii();
            let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            is_number.then_some(text)
        };
        let mine = number(row.start, cell.start);
        let theirs = number(next.start, below.start);
        mine.is_some() && theirs.is_some() && mine != theirs
    }

    /// The rows that the URL may fill.
    fn rows_of_url(
        &self,
        row: Row,
        pane: Pane,
        cell: Cell,
        start: usize,
        out: &mut Edits,
    ) -> Option<Found> {
        let bytes = self.bytes();
        let edge = cell.to;
        let mut found = Found {
            cells: vec![(start, cell.end, cell.end)],
            full: 1,
            after: row.next,
            is_list: false,
        };
        let mut last = (row, cell);
        while let Some(next_start) = found.after
            && found.cells.len() < ROWS
        {
            let next = self.row(next_start);
            if next.next.is_none() && !self.page.is_end {
                self.wants(next, 1, WIDE, out);
                return None;
            }
            let Some(below) = self.cell(next, pane) else {
                break;
            };
            if !self.bytes()[..below.start].ends_with(self.mark) {
                break;
            }
            let is_first = found.cells.len() == 1;
            let is_aligned = is_first
                || !self.mark.is_empty()
                || below.from == last.1.from
                || found.cells.len() == 2 && self.is_below(row, cell, start, below, pane);
            // The first row below was looked at before.
            let is_new =
                || !is_first && self.is_new(row, next, below, (cell, start), found.cells.len());
            if !is_aligned || is_new() {
                break;
            }
            let text = &bytes[below.start..below.end];
            let len = text.iter().position(|&b| ends_url(b)).unwrap_or(text.len());
            found
                .cells
                .push((below.start, below.start + len, below.end));
            found.after = next.next;
            let is_short = below.to + 1 == edge && self.begins_wide(next, pane);
            if len < text.len() || below.to != edge && !is_short {
                found.is_list = len == text.len() && self.is_word(next.next, pane, below.from);
                break;
            }
            found.full += 1;
            last = (next, below);
        }
        Some(found)
    }

    /// True if the row that begins at `start` has one word, in the column `from`.
    fn is_word(&self, start: Option<usize>, pane: Pane, from: usize) -> bool {
        let cell = start.and_then(|start| self.cell(self.row(start), pane));
        cell.is_some_and(|cell| {
            let word = &self.bytes()[cell.start..cell.end];
            cell.from == from && !word.contains(&b' ') && !is_cased(word)
        })
    }

    /// True if the row after `row` begins with a wide character, which did not fit into it.
    fn begins_wide(&self, row: Row, pane: Pane) -> bool {
        let next = row.next.and_then(|next| self.cell(self.row(next), pane));
        next.is_some_and(|cell| is_wide(character(&self.bytes()[cell.start..]).0))
    }
}

/// True if `word` is the name of another value, or a name with its value: `status:`, `size=4`. A URL
/// with a query may go on so. `own` is the text before it, and `url` what it has in `count` rows.
fn is_key(own: &[u8], url: &[u8], word: &[u8], count: usize) -> bool {
    let Some(len) = key_len(word) else {
        return false;
    };
    let is_value = word.get(len) == Some(&b'=') && word.len() > len + 1;
    let own = until_blank(own);
    let is_assigned = key_len(own).is_some_and(|len| own.get(len) == Some(&b'='));
    // A value that filled two rows was not alone in its row.
    let is_joined = !is_assigned || word.contains(&b'&') || count > 1;
    let is_open = url.contains(&b'?') && is_joined;
    let is_path = word.contains(&b'/') || ends_file(url, word.strip_suffix(b":").unwrap_or(word));
    word.ends_with(b":") && !is_path || is_value && !is_open
}
