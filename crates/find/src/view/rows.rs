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
//! There are two answers. A row is *joined* if the URL filled two rows one after the other, or if
//! the next row has what only a URL has. It is a *guess* if only the sense can decide. Rows of a
//! table, items of a list, new records and prose are never joined.

use super::width::{character, is_wide, width};
use super::{END, Edits, Page};
use crate::bars::{self, is_bar, is_drawn};
use crate::scan::words::{is_cased, is_number_of_item, is_path_of_prose, until_blank};
use crate::scan::{is_extension, records, starts_url};
use urlgrep_base::span::SeamKind;

/// The fewest columns of a terminal.
const NARROW: usize = 20;
/// The most columns that a row may have.
const WIDE: usize = 1000;
/// The widths of terminals that people have not changed. A URL that has the block for itself and
/// ends there has filled its row. Beside other rows that is only a guess.
const STANDARD: [usize; 5] = [80, 100, 120, 132, 160];
/// The fewest columns of a terminal that one other row of the same width shows.
const PLAIN: usize = 40;
/// The number of rows of the block that are read before the first of the URL, and after its last.
const NEAR: usize = 8;
/// The maximum number of rows of a URL.
const ROWS: usize = 64;

/// True if the rows after a URL that ends at `end` may go on with it. This is a quick test of the
/// text, before a page is made. Nearly all rows of prose fail it.
pub(crate) fn may_go_on(bytes: &[u8], end: usize) -> bool {
    let rest = &bytes[end.min(bytes.len())..];
    let blanks = rest.iter().take_while(|&&b| b == b' ').count();
    let next = match &rest[blanks..] {
        [b'\n', next @ ..] | [b'\r', b'\n', next @ ..] => next,
        [] | [b'\r'] => return true,
        // A character that the window cuts may be a bar.
        [first, rest @ ..] if *first >= 0x80 && rest.len() < 2 => return true,
        rest => return is_bar(character(rest).0),
    };
    let indent = next.iter().take_while(|&&b| b == b' ').count();
    match next.get(indent) {
        None => return true,
        Some(b'\r' | b'\n' | b'\t') => return false,
        Some(_) => {}
    }
    let seen = &next[..next.len().min(ROW_SEEN)];
    let next_end = memchr::memchr(b'\n', seen);
    if next_end.is_none() && seen.len() < ROW_SEEN {
        return true;
    }
    let next = seen[..next_end.unwrap_or(seen.len())].trim_ascii_end();
    let before = &bytes[end.saturating_sub(ABOVE_SEEN)..end];
    let row_start = memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
    let (above, row) = before.split_at(row_start);
    let has_columns = |row: &[u8]| !row.is_ascii() || memchr::memchr(b'\t', row).is_some();
    if has_columns(row) || has_columns(next) {
        return true;
    }
    // A row that goes on is as long as its neighbours, and the next begins below its text.
    let is_below = indent == 0
        || matches!(row.get(indent - 1..=indent), Some([b' ', b]) if *b != b' ')
        || indent == 1;
    let text = &next[indent..];
    let len = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    // Nearly all next rows begin with a word of prose and another word.
    let is_prose = len > 0 && text.get(len) == Some(&b' ') && !text[len..].trim_ascii().is_empty();
    let begins = text.first().is_some_and(|&b| is_of_url(b)) && !starts_url(text);
    begins
        && !text.starts_with(b"--")
        && (NARROW..WIDE).contains(&row.len())
        && next.len() <= row.len()
        && is_below
        && (!is_prose || STANDARD.contains(&row.len()))
        && is_longest(above, row.len())
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
        if is_text && row.len() > len {
            return false;
        }
        above = &rows[..start];
    }
    true
}

/// The number of bytes of a row at which [`may_go_on`] looks.
const ROW_SEEN: usize = 256;
/// The number of bytes before the end of the URL at which it looks.
const ABOVE_SEEN: usize = 1024;

/// True if a bar that no text has begins `bytes`.
pub(crate) fn is_bar_of_terminal(bytes: &[u8]) -> bool {
    is_drawn(character(bytes).0)
}

/// A row of the page: the indexes of its first byte and after its last one, without the line end.
#[derive(Clone, Copy, Debug)]
struct Row {
    start: usize,
    end: usize,
    /// Index of the first byte of the next row. `None` if the page ends with this row.
    next: Option<usize>,
    /// Its line end is in the page.
    is_whole: bool,
}

/// The pane of the URL: the columns of the bars beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pane {
    left: Option<(usize, char)>,
    right: Option<(usize, char)>,
    /// The number of columns of a gutter that has the number of the line in each of its rows.
    gutter: usize,
}

/// The text of a row in a pane.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Indexes of the first byte that is no blank, and after the last.
    start: usize,
    end: usize,
    /// Their columns.
    from: usize,
    to: usize,
    /// The column after the padding.
    padded: usize,
}

pub(super) fn edits(page: &Page<'_>) -> Edits {
    let mut out = Edits::default();
    if page.sight.has_rows {
        let mut block = Block {
            page,
            is_broken: false,
        };
        let _ = block.read(&mut out);
    }
    out
}

/// The page as rows.
struct Block<'p> {
    page: &'p Page<'p>,
    /// The width of the terminal broke the scheme of the URL.
    is_broken: bool,
}

/// Where a URL ends in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edge {
    /// Where the rows around it end.
    Full,
    /// No row is longer, but none shows the width.
    Unknown,
    /// Before the end of another row.
    Inside,
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
    fn bytes(&self) -> &'p [u8] {
        self.page.bytes
    }

    /// Reads the rows around the URL. `None` if nothing is to be done.
    fn read(&mut self, out: &mut Edits) -> Option<()> {
        let (bytes, colon) = (self.bytes(), self.page.colon);
        // Most words end before their row.
        let Some(word) = bytes[colon..].iter().position(|&b| ends_url(b)) else {
            if may_be_rest_of_scheme(&bytes[..colon]) {
                self.undecided(out);
            }
            return None;
        };
        if !matches!(bytes[colon + word], b' ' | b'\t' | b'\r' | b'\n') {
            return None;
        }
        let row_start = match memchr::memrchr(b'\n', &bytes[..colon]) {
            Some(lf) => lf + 1,
            None if self.page.is_start => 0,
            None => return None,
        };
        self.look_behind(row_start, colon);
        let row = self.row(row_start);
        if row.next.is_none() && !self.page.is_end {
            self.undecided(out);
            return None;
        }
        let is_scheme = |b: &&u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
        let name = bytes[row.start..colon].iter().rev().take_while(is_scheme);
        let start = colon - name.count();
        let broken = self.broken_scheme(row, &bytes[start..colon]);
        let (row, start) = broken.unwrap_or((row, start));
        let next = self.row(row.next?);
        if !next.is_whole && !self.page.is_end {
            self.undecided(out);
            return None;
        }
        let pane = self.pane(row, next, start);
        let cell = self.cell(row, pane)?;
        if start < cell.start || start >= cell.end {
            return None;
        }
        let word = &bytes[start..cell.end];
        if word.iter().any(|&b| ends_url(b)) || !(NARROW..WIDE).contains(&cell.to) {
            return None;
        }
        let below = self.cell(next, pane)?;
        let rest = [word, &bytes[below.start..below.end]].concat();
        self.is_broken = broken.is_some() || breaks_scheme(&rest, word.len());
        if !self.is_below(row, cell, start, below, pane)
            || self.is_new(row, next, below, (cell, start), 1)
        {
            return None;
        }
        self.read_rows((row, next), pane, (cell, start), below, out)
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
        let found = self.rows_of_url(row, pane, cell, start, out)?;
        let edge = self.is_at_edge(row, pane, cell, &found, out)?;
        let (url, tail) = (
            &self.bytes()[start..cell.end],
            &self.bytes()[below.start..below.end],
        );
        let is_known = match edge {
            Edge::Full => true,
            Edge::Unknown => is_rest(url, until_blank(tail)),
            Edge::Inside => false,
        };
        if !is_known {
            return None;
        }
        self.join(row, next, &found, edge, out);
        Some(())
    }

    /// The row above `row` and the index in it where a scheme begins that ends with `name`, if the
    /// width of the terminal broke it: `http` and `s://`.
    fn broken_scheme(&self, row: Row, name: &[u8]) -> Option<(Row, usize)> {
        let above = self.row_before(row.start)?;
        if self.is_base64(above) {
            return None;
        }
        let bytes = self.bytes();
        let pane = self.pane(above, row, above.end);
        let (cell, below) = (self.cell(above, pane)?, self.cell(row, pane)?);
        let first = below.start + name.len();
        if first != self.page.colon {
            return None;
        }
        let text = &bytes[cell.start..cell.end];
        let letters = text
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        let start = cell.end - letters;
        let whole = [&bytes[start..cell.end], name].concat();
        let is_known =
            [&b"https"[..], b"http", b"ftp", b"wss", b"ssh", b"git"].contains(&&whole[..]);
        (letters > 0 && is_known).then_some((above, start))
    }

    /// The page ends too early. Nothing of the URL can be read.
    fn undecided(&self, out: &mut Edits) {
        if !self.page.is_end {
            out.cut = Some(self.page.colon + 1);
        }
    }

    fn row(&self, start: usize) -> Row {
        let bytes = self.bytes();
        let lf = memchr::memchr(b'\n', &bytes[start..]).map(|at| start + at);
        let end = lf.unwrap_or(bytes.len());
        let is_cr = end > start && bytes[end - 1] == b'\r';
        Row {
            start,
            end: end - usize::from(is_cr),
            next: lf.map(|lf| lf + 1).filter(|&next| next < bytes.len()),
            is_whole: lf.is_some(),
        }
    }

    fn text(&self, row: Row) -> &'p [u8] {
        &self.bytes()[row.start..row.end]
    }

    /// The bars of a row: column, index and character.
    fn bars(&self, row: Row) -> Vec<(usize, usize, char)> {
        let text = self.text(row);
        let (mut column, mut at, mut bars) = (0, 0, Vec::new());
        // Fast path: most rows have none.
        if memchr::memchr3(b'|', b'*', b'#', text).is_none() && memchr::memchr(0xE2, text).is_none()
        {
            return bars;
        }
        while at < text.len() && column < WIDE {
            let (c, len) = character(&text[at..]);
            if is_bar(c) {
                bars.push((column, row.start + at, c));
            }
            column += width(c, column);
            at += len;
        }
        bars
    }

    /// The pane of the URL that begins at `start` in `row`. A drawn bar that both rows have in the
    /// same column is a side of it, and so is one of ASCII at both ends of both rows.
    fn pane(&self, row: Row, next: Row, start: usize) -> Pane {
        let (mine, others) = (self.bars(row), self.bars(next));
        let is_shared = |bar: &(usize, usize, char)| {
            let is_same = |other: &(usize, usize, char)| other.0 == bar.0 && other.2 == bar.2;
            others.iter().any(is_same)
        };
        // The borders of a table are in the same columns of all its rows.
        let is_table = mine.len() > 2
            && mine.len() == others.len()
            && mine.iter().all(|bar| bar.2 == '|' && is_shared(bar));
        let is_outer = |bar: &(usize, usize, char)| {
            is_table || self.is_outer(row, bar.1, bar.2) || is_drawn(bar.2)
        };
        let end = self.bytes()[start..row.end].iter().position(|&b| b == b' ');
        let end = end.map_or(row.end, |len| start + len);
        let left = mine
            .iter()
            .rev()
            .find(|bar| bar.1 < start && is_shared(bar) && is_outer(bar));
        let right = mine.iter().find(|bar| {
            let is_after =
                bar.1 >= end || bar.1 >= start && (is_drawn(bar.2) || bar.1 + 1 == row.end);
            is_after && is_shared(bar) && is_outer(bar)
        });
        let side = |bar: &(usize, usize, char)| (bar.0, bar.2);
        let pane = Pane {
            left: left.map(side),
            right: right.map(side),
            gutter: 0,
        };
        let gutter = number_len(self.text(row));
        if gutter > 0 && self.text(next).get(..gutter) == self.text(row).get(..gutter) {
            return Pane {
                gutter,
                ..Pane::default()
            };
        }
        // Marks of ASCII are a frame only on both sides, but `|` may be a gutter.
        match (pane.left, pane.right) {
            (Some((_, '*' | '#')), None) => Pane::default(),
            (None, Some((_, c))) if c.is_ascii() => Pane::default(),
            _ => pane,
        }
    }

    /// True if the mark `c` at `at` is the first or the last character of its row.
    fn is_outer(&self, row: Row, at: usize, c: char) -> bool {
        let is_blank = |bytes: &[u8]| bytes.iter().all(|&b| b == b' ' || b == b'\t');
        let bytes = self.bytes();
        is_blank(&bytes[row.start..at]) || is_blank(&bytes[at + c.len_utf8()..row.end])
    }

    /// The text of a row in a pane. `None` if there is none, or the row has other bars.
    fn cell(&self, row: Row, pane: Pane) -> Option<Cell> {
        let text = self.text(row);
        if pane == Pane::default() && text.is_ascii() && memchr::memchr(b'\t', text).is_none() {
            return self.plain_cell(row);
        }
        let (mut column, mut at) = (0, 0);
        let mut is_inside = pane.left.is_none();
        let mut is_closed = pane.right.is_none();
        let mut cell: Option<Cell> = None;
        let mut padded = 0;
        while at < text.len() && column < WIDE {
            let (c, len) = character(&text[at..]);
            let place = (column, c);
            if pane.right == Some(place) {
                is_closed = true;
                padded = column;
                break;
            }
            let next = column + width(c, column);
            if is_inside {
                padded = next;
                let is_blank = matches!(c, ' ' | '\t' | '\u{A0}');
                if !is_blank && column >= pane.gutter {
                    let start =
                        cell.map_or((row.start + at, column), |cell| (cell.start, cell.from));
                    cell = Some(Cell {
                        start: start.0,
                        end: row.start + at + len,
                        from: start.1,
                        to: next,
                        padded: next,
                    });
                }
            }
            is_inside |= pane.left == Some(place);
            column = next;
            at += len;
        }
        let cell = cell.filter(|_| is_closed)?;
        self.is_text(&cell).then_some(Cell { padded, ..cell })
    }

    /// The text of a row of ASCII without a frame, in which a column is a byte.
    fn plain_cell(&self, row: Row) -> Option<Cell> {
        let text = self.text(row);
        let is_text = |b: &u8| *b != b' ';
        let from = text.iter().position(is_text)?;
        let to = text.iter().rposition(is_text)? + 1;
        let cell = Cell {
            start: row.start + from,
            end: row.start + to,
            from,
            to,
            padded: text.len(),
        };
        self.is_text(&cell).then_some(cell)
    }

    /// True if the cell is not a border.
    fn is_text(&self, cell: &Cell) -> bool {
        let text = &self.bytes()[cell.start..cell.end];
        // Fast path: nearly all rows have a letter or a digit, and no border has one.
        let has_letter = |b: &u8| b.is_ascii_alphanumeric();
        text.iter().any(has_letter) || !text.split(|&b| b == b' ').all(is_border)
    }

    /// True if the text `below` begins where a row that goes on begins: at the first column of the
    /// pane, under the text of the row, or under a word before the URL.
    fn is_below(&self, row: Row, cell: Cell, start: usize, below: Cell, pane: Pane) -> bool {
        let first = pane.left.map_or(pane.gutter, |(column, _)| column + 1);
        if below.from == first || below.from == cell.from {
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
        let rest = text[word.len()..].trim_ascii_start();
        let url = &bytes[start..below.start];
        let is_mark = |b: &u8| b"$#%>".contains(b);
        let is_prompt = word.last().is_some_and(is_mark) && !rest.is_empty() || word == b"$";
        // Marks of comments: `//!`, `;;`.
        let is_text = |b: &u8| b.is_ascii_alphanumeric() || *b >= 0x80;
        let is_leader = word.len() > 1 && !rest.is_empty() && !word.iter().any(is_text);
        let is_item = matches!(word, b"-" | b"*" | b"+" | b"--" | b"=>")
            || !rest.is_empty() && is_number_of_item(word);
        // A shell has a bar after a URL that is only the end of the row.
        let is_table =
            bars::side(rest).is_some() && !(has_parameter(url, word) && self.bars(row).is_empty());
        let is_key = key_len(word).is_some_and(|len| {
            let is_value = word.get(len) == Some(&b'=') && word.len() > len + 1;
            let own = until_blank(&bytes[cell.start..start]);
            let is_assigned = key_len(own).is_some_and(|len| own.get(len) == Some(&b'='));
            let is_open = url.contains(&b'?') && (!is_assigned || word.contains(&b'&'));
            word.ends_with(b":") || is_value && !is_open
        });
        // A fragment begins a row only by chance.
        let is_comment = text.first() == Some(&b'#') && (count == 1 || !rest.is_empty());
        is_comment
            || !text.first().is_some_and(|&b| is_of_url(b))
            || begins_url(text) && !(self.is_broken && count == 1)
            || is_prompt
            || is_item
            || is_leader
            || is_table
            || is_key
            || records::is_of_program(word, &text[word.len()..])
            || records::is_date_or_time(word.strip_prefix(b"[").unwrap_or(word))
            || records::begin_alike(until_blank(&bytes[cell.start..start]), word)
            || self.has_other_number(row, next, cell, below)
    }

    /// True if both rows have a number before their text, and not the same.
    fn has_other_number(&self, row: Row, next: Row, cell: Cell, below: Cell) -> bool {
        let bytes = self.bytes();
        let number = |from: usize, to: usize| {
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
                self.undecided(out);
                return None;
            }
            let Some(below) = self.cell(next, pane) else {
                break;
            };
            let is_first = found.cells.len() == 1;
            let is_aligned = is_first
                || below.from == last.1.from
                || found.cells.len() == 2 && self.is_below(row, cell, start, below, pane);
            if !is_aligned || self.is_new(row, next, below, (cell, start), found.cells.len()) {
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

    /// Whether the URL ends where the rows around it end. `None` if the page does not show it.
    fn is_at_edge(
        &self,
        row: Row,
        pane: Pane,
        cell: Cell,
        found: &Found,
        out: &mut Edits,
    ) -> Option<Edge> {
        // Nothing but the width breaks a scheme.
        if self.is_broken {
            return Some(Edge::Full);
        }
        let edge = cell.to;
        let is_framed = pane.right.is_some_and(|(column, _)| column <= edge + 1);
        if cell.padded > edge + usize::from(pane.right.is_some()) {
            return Some(Edge::Inside);
        }
        out.is_framed = is_framed && pane.left.is_some();
        // No row is longer than its frame.
        if is_framed {
            out.is_wide = true;
            return Some(Edge::Full);
        }
        let neighbours = self.neighbours(row, pane, found, edge, out)?;
        let bytes = self.bytes();
        let mut others = found.full - 1;
        for cell in &neighbours {
            if cell.to > edge || cell.padded > edge + usize::from(pane.right.is_some()) {
                return Some(Edge::Inside);
            }
            // Items of a list of URLs may be as long by chance.
            let text = &bytes[cell.start..cell.end];
            let is_item = begins_url(text) && !text.contains(&b' ');
            others += usize::from((cell.to == edge || cell.padded == edge) && !is_item);
        }
        let is_alone = neighbours.len() + 1 == found.cells.len();
        let is_standard = STANDARD.contains(&edge);
        out.is_wide = others > 1 || others > 0 && edge >= PLAIN || is_standard && is_alone;
        let is_full = out.is_wide || edge >= PLAIN && is_alone || is_standard;
        Some(if is_full { Edge::Full } else { Edge::Unknown })
    }

    /// The other rows of the block: at most [`NEAR`] before `row`, the first of the URL, and those of
    /// the URL with as many after it, up to one that ends after the column `edge`. `None` if the
    /// page does not have them.
    fn neighbours(
        &self,
        row: Row,
        pane: Pane,
        found: &Found,
        edge: usize,
        out: &mut Edits,
    ) -> Option<Vec<Cell>> {
        let mut cells = Vec::new();
        let mut start = row.start;
        for _ in 0..NEAR {
            let before = self.row_before(start);
            let Some((before, cell)) =
                before.and_then(|before| Some((before, self.cell(before, pane)?)))
            else {
                break;
            };
            start = before.start;
            if !self.is_base64(before) {
                cells.push(cell);
            }
        }
        let mut next = row.next;
        for _ in 0..found.cells.len() - 1 + NEAR {
            let Some(below) = next.map(|start| self.row(start)) else {
                break;
            };
            if below.next.is_none() && !self.page.is_end {
                self.undecided(out);
                return None;
            }
            let Some(cell) = self.cell(below, pane) else {
                break;
            };
            cells.push(cell);
            if cell.to > edge {
                break;
            }
            next = below.next;
        }
        Some(cells)
    }

    /// The row before the one that begins at `start`. `None` if it is not in the page.
    fn row_before(&self, start: usize) -> Option<Row> {
        let bytes = self.bytes();
        let end = start.checked_sub(1)?;
        let lf = memchr::memrchr(b'\n', &bytes[..end]);
        if lf.is_none() && !self.page.is_start {
            return None;
        }
        let start = lf.map_or(0, |lf| lf + 1);
        self.look_behind(start, end);
        Some(self.row(start))
    }

    /// Counts the bytes from `start` to `end`, which are before the candidate.
    fn look_behind(&self, start: usize, end: usize) {
        let behind = &self.page.behind;
        behind.set(behind.get() + end.min(self.page.colon).saturating_sub(start));
    }

    /// True for a row that may be of base64. A file may be cut after many of them, so they must not
    /// show anything.
    fn is_base64(&self, row: Row) -> bool {
        is_base64(self.text(row))
    }

    /// Joins the rows of the URL, or some of them.
    fn join(&self, row: Row, next: Row, found: &Found, edge: Edge, out: &mut Edits) {
        let bytes = self.bytes();
        let count = found.cells.len();
        if count < 2 {
            return;
        }
        let url = &bytes[found.cells[0].0..found.cells[0].1];
        let is_table = self.bars(row).len() > 2 && self.bars(next).len() > 2;
        for i in 1..count {
            let (before, here) = (found.cells[i - 1], found.cells[i]);
            let word = &bytes[here.0..here.1];
            let rest = bytes[here.1..here.2].trim_ascii();
            let is_alone = !rest.first().is_some_and(u8::is_ascii_alphanumeric);
            // No sentence begins with an extension: `…-any.`, `whl (61 kB)`.
            let is_name = is_alone
                && bytes[before.1 - 1] == b'.'
                && word.len() < 5
                && word.iter().all(u8::is_ascii_lowercase)
                && (found.full > 1 || is_extension(word));
            // Rows that are full one after the other are the URL's.
            let is_inner = found.full > 1 && (i < found.full || !is_cased(word));
            let may_be_other = is_path_of_prose(word) || is_source_file(word) || found.is_list;
            let is_of_url = if out.is_wide && is_alone && !may_be_other {
                has_only_a_url(url, word)
            } else {
                has_parameter(url, word)
            };
            // A frame shows the width, so that a row that fills it is full by chance once in its
            // width.
            let fills = out.is_framed && rest.is_empty() && !is_cased(word) && !may_be_other;
            let is_of_scheme = i == 1 && self.is_broken;
            let is_sure = edge == Edge::Full
                && !is_table
                && (is_inner
                    || is_name
                    || is_of_scheme
                    || fills
                    || is_of_url && could_follow(rest));
            // A word and more text after it is a new sentence, unless the row of the URL is
            // known to be full.
            let is_filled = found.full > 1 || out.is_wide || edge == Edge::Unknown;
            let is_guess = !self.page.sight.is_sure && (rest.is_empty() || is_filled);
            if !is_sure && !is_guess {
                break;
            }
            let end = before.1 - usize::from(bytes[before.1 - 1] == b'\\');
            out.push(end, here.0, SeamKind::Row, b"");
            out.set_weak(!is_sure);
            if !is_sure {
                break;
            }
        }
        // The rules of mail do not go on where these end.
        if let Some(last) = out.list.last() {
            let end = self.row_end(last.end);
            if bytes.get(end).is_some() {
                out.push(end, end + 1, SeamKind::Row, &[END]);
            }
        }
    }

    /// Index of the end of the row with the byte at `at`.
    fn row_end(&self, at: usize) -> usize {
        let lf = memchr::memchr(b'\n', &self.bytes()[at..]);
        lf.map_or(self.bytes().len(), |lf| at + lf)
    }
}

fn is_base64(row: &[u8]) -> bool {
    let is_digit = |b: &u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
    row.iter().all(is_digit)
}

/// A byte at which the text of a URL ends in a row.
fn ends_url(b: u8) -> bool {
    b <= b' ' || matches!(b, b'"' | b'<' | b'>' | b'`')
}

fn is_of_url(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b >= 0x80 || b"-._~:/?#[@!$&'(*+,;=%".contains(&b)
}

/// The length of the number of a line with which `less -N` begins each row of it, and of the blanks
/// around it. 0 if there is none.
fn number_len(text: &[u8]) -> usize {
    let blanks = text.iter().take_while(|&&b| b == b' ').count();
    let digits = text[blanks..]
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .count();
    let len = blanks + digits + 1;
    let is_number = blanks > 0 && digits > 0 && text.get(len - 1) == Some(&b' ');
    if is_number { len } else { 0 }
}

/// True if a word draws a border: `╰──╯`, `+---+`, `====`.
fn is_border(word: &[u8]) -> bool {
    let text = String::from_utf8_lossy(word);
    text.chars().all(bars::is_border) && (word.len() > 2 || word.is_empty())
}

/// True if the row above may have the beginning of the name of the scheme at the end of `text`.
fn may_be_rest_of_scheme(text: &[u8]) -> bool {
    let letters = text
        .iter()
        .rev()
        .take(6)
        .take_while(|b| b.is_ascii_alphanumeric());
    let name = &text[text.len() - letters.count()..];
    name.len() < 5 && name != b"http" && (b"https".ends_with(name) || b"http".ends_with(name))
}

/// True if `text` begins with the scheme of a web page and its slashes, and its first `len` bytes,
/// which are a row, end within them.
fn breaks_scheme(text: &[u8], len: usize) -> bool {
    [
        &b"https://"[..],
        b"http://",
        b"ftp://",
        b"wss://",
        b"ssh://",
        b"git://",
    ]
    .iter()
    .any(|scheme| len < scheme.len() && text.starts_with(scheme))
}

/// True if another URL begins `text`, perhaps after a bracket.
fn begins_url(text: &[u8]) -> bool {
    let open = text.iter().take_while(|b| b"([<{\"'".contains(b)).count();
    starts_url(&text[open..])
}

/// The length of the name before `=` or `:` with which a word begins.
fn key_len(word: &[u8]) -> Option<usize> {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let len = word.iter().take_while(is_name).count();
    let is_key = len > 0 && matches!(word.get(len), Some(b'=' | b':'));
    (is_key && !word[0].is_ascii_digit()).then_some(len)
}

/// True if `tail` has a parameter or an escape, as no prose has it, so that it needs no other
/// evidence. The row `url` is before it.
fn has_parameter(url: &[u8], tail: &[u8]) -> bool {
    let is_open = url.contains(&b'?');
    let parameter = tail.iter().position(|&b| b == b'&' || b == b'?');
    has_escape(tail)
        || parameter.is_some_and(|at| tail[at..].contains(&b'='))
        || is_open && tail.contains(&b'=')
}

/// True if `tail` has an octet in percent-encoding.
fn has_escape(tail: &[u8]) -> bool {
    let is_hex = |pair: &[u8]| pair.iter().all(u8::is_ascii_hexdigit);
    tail.windows(3)
        .any(|bytes| bytes[0] == b'%' && is_hex(&bytes[1..]))
}

/// True if `tail` begins as neither prose nor an option of a program does, so that the URL in the
/// row `url` seems to go on whatever the width: `&b=2`, `-of-the-page`.
fn is_rest(url: &[u8], tail: &[u8]) -> bool {
    let words = tail.strip_prefix(b"-").unwrap_or_default();
    let is_words = words.iter().all(|b| b.is_ascii_lowercase() || *b == b'-');
    let first = words.iter().take_while(|&&b| b != b'-').count();
    has_parameter(url, tail) || is_words && first > 3 && words.len() > first + 3
}

/// True for the path of a file that is seldom on the web, as lists of files have it:
/// `src/main2.rs`.
fn is_source_file(word: &[u8]) -> bool {
    let is_of_path = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+".contains(b);
    let dot = memchr::memrchr(b'.', word);
    dot.is_some_and(|dot| {
        let extension = &word[dot + 1..];
        word[0].is_ascii_alphanumeric()
            && word.iter().all(is_of_path)
            && word.contains(&b'/')
            && (1..5).contains(&extension.len())
            && extension.iter().all(u8::is_ascii_lowercase)
            && !is_extension(extension)
    })
}

/// True if `tail` has what only a URL has, after the row `url` of it.
fn has_only_a_url(url: &[u8], tail: &[u8]) -> bool {
    let has = |b: u8| tail.contains(&b);
    let is_open = url.contains(&b'?');
    let has_letter = tail.iter().any(u8::is_ascii_alphabetic);
    let has_digit = tail.iter().any(u8::is_ascii_digit);
    let inner = &tail[..tail.len().saturating_sub(1)];
    has_escape(tail)
        || has(b'&')
        || has(b'?') && has(b'=')
        || has(b'=') && is_open
        || inner.contains(&b'/')
        || inner.contains(&b'#')
        || has_letter && has_digit
}

/// The operators of a shell that stand between blanks.
const SHELL: [&[u8]; 9] = [b"|", b"||", b"&", b"&&", b";", b">", b">>", b"2>", b"\\"];

/// True if `rest` could follow any URL in its row.
fn could_follow(rest: &[u8]) -> bool {
    match rest {
        [] => true,
        [b')' | b']' | b',' | b'.' | b'(', ..] => true,
        // An option or an operator of a shell.
        [b'-', b'-' | b'a'..=b'z' | b'A'..=b'Z', ..] => true,
        _ => {
            let word = until_blank(rest);
            is_cased(word) && word.len() > 1 || SHELL.contains(&word)
        }
    }
}
