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
//! `glance` has the quick tests before a page is made. `grid` has the rows and the panes, `edge` what
//! the rows around show of the width, `new` which rows begin something new, `join` the decision, and
//! `signs` what a word shows. The other modules have special cases: `scheme` and `hyphens` what a
//! break did to a scheme and to a word, `column` tables without bars, and `chop`, `pane` and `beside` rows
//! that the screen, a pane or a column cuts.

mod beside;
mod chop;
mod column;
mod edge;
mod glance;
mod grid;
mod hyphens;
mod join;
mod new;
mod pane;
mod scheme;
mod signs;

use super::page::{END, Edit, Edits, Page, Wanted, after_blank_line, end_of_blank_line};
use super::width::{NARROW, character, is_wide, width};
use crate::text::bars::is_drawn;
use crate::text::records;
use crate::text::words::{is_cased, until_blank};
use chop::{CUT, Right};
use edge::Edge;
use glance::is_inside_of_row;
pub(crate) use glance::{has_bar_above, is_bar_of_terminal, may_go_on, wanted};
use grid::{Cell, LINE_END, MARKED, Pane, Row};
use signs::{
    breaks_escape, breaks_scheme, breaks_uuid, ends_url, has_inner_mark, is_rest, is_rest_of_word,
    is_token, number_len,
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

/// U+2010, with which typesetters break words.
const HYPHEN: &[u8] = "\u{2010}".as_bytes();

/// The most bars of ASCII that divide a row into panes.
const DIVIDERS: usize = 2;

/// The number of rows below that of the URL that show a box without a border.
const IN_BOX: usize = 4;

/// The maximum number of rows of a URL.
const ROWS: usize = 64;

pub(super) fn edits(page: &Page<'_>) -> Edits {
    let (start, paragraph) = paragraph_of(page);
    let mut out = edits_of_paragraph(&paragraph);
    for edit in &mut out.list {
        edit.start += start;
        edit.end += start;
    }
    out.cut = out.cut.map(|cut| cut + start);
    out
}

/// The paragraph of the candidate as a page of its own, and its index in `page`. No row beyond a blank
/// line is read, because a text can be cut there.
fn paragraph_of<'p>(page: &Page<'p>) -> (usize, Page<'p>) {
    let (above, below) = page.bytes.split_at(page.colon);
    let start = after_blank_line(above).max(page.paragraph);
    let from = start.unwrap_or(0);
    // A text may begin with a blank line.
    let blank = start.map_or(0, |from| match above[from..] {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] => 2,
        _ => 0,
    });
    let from = from + blank;
    let end = end_of_blank_line(below).map(|len| page.colon + len);
    let paragraph = Page {
        bytes: &page.bytes[from..end.unwrap_or(page.bytes.len())],
        colon: page.colon - from,
        paragraph: start.map(|_| 0),
        is_end: page.is_end || end.is_some(),
        ..*page
    };
    (from, paragraph)
}

fn edits_of_paragraph(page: &Page<'_>) -> Edits {
    let mut out = Edits::default();
    if page.sight.has_rows {
        let mut block = Block {
            page,
            is_broken: false,
            is_of_program: false,
            ends_here: cell::Cell::default(),
            right: cell::Cell::default(),
            place: cell::Cell::default(),
            has_list: false,
            mark: b"",
            first: usize::MAX,
            is_of_patch: false,
            padding: cell::Cell::default(),
        };
        block.read(&mut out);
        if page.sight.guesses_rows {
            guess_rows(page, &mut out);
        }
        block.end_pane(&mut out);
        block.end_next_line(&mut out);
        if out.list.is_empty() && out.cut.is_none() {
            end_at_bar(page, &mut out);
        }
        // A row that seems to go on was not cut.
        if out.list.is_empty() && out.cut.is_none() && !page.sight.is_sure {
            block.chop(&mut out);
        }
        if out.list.is_empty() && out.cut.is_none() && !page.sight.is_sure {
            block.beside(&mut out);
        }
        // The rules of mail do not go on here either.
        if out
            .list
            .iter()
            .all(|edit| edit.is_weak && page.sight.is_sure)
            && out.cut.is_none()
            && let Some(end) = block.ends_here.get()
        {
            out.list.clear();
            out.push(end, end + 1, SeamKind::Row, &[END]);
        }
    } else if page.sight.has_bars {
        end_at_bar(page, &mut out);
    }
    out
}

/// Makes the rows that were joined a guess. Where no guess is wanted, the URL ends with its first row.
fn guess_rows(page: &Page<'_>, out: &mut Edits) {
    let is_joint =
        |edit: &Edit| edit.becomes.is_empty() && page.bytes[edit.start..edit.end].contains(&b'\n');
    if !out.list.iter().any(is_joint) {
        return;
    }
    if page.sight.is_sure {
        out.list.clear();
    }
    for edit in &mut out.list {
        edit.is_weak = true;
    }
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

/// The index of the first drawn bar in `text`.
fn first_drawn(text: &[u8]) -> Option<usize> {
    memchr::memchr_iter(0xE2, text).find(|&at| is_drawn(character(&text[at..]).0))
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

/// The page as rows.
struct Block<'p> {
    page: &'p Page<'p>,
    /// The width of the terminal broke the scheme of the URL, or an escape in its first row.
    is_broken: bool,
    /// The rows below have what a program puts into each row that goes on, and nobody else.
    is_of_program: bool,
    /// The row ends at this index, and so does the URL: what begins the next row is of something else.
    ends_here: cell::Cell<Option<usize>>,
    /// What the rows around the URL show of the right edge of the screen, once they were read.
    right: cell::Cell<Option<Right>>,
    /// Where the URL begins, once its row was read.
    place: cell::Cell<Option<Place>>,
    /// vim shows the ends of lines as `$` (`:set list`).
    has_list: bool,
    /// The mark of rows that go on, where the rows below the one that begins at `first` have it.
    mark: &'static [u8],
    first: usize,
    /// The mark is that of a side of a patch.
    is_of_patch: bool,
    /// The number of blanks at the end of the longest rows, where a program has filled all rows with blanks.
    padding: cell::Cell<usize>,
}

/// Where a URL begins.
#[derive(Clone, Copy)]
struct Place {
    /// The row, the pane of it, and the text of that.
    row: Row,
    pane: Pane,
    cell: Cell,
    /// Index of the first byte of the URL, which goes on to the end of `cell`.
    start: usize,
}

impl Place {
    fn part(self) -> Part {
        Part {
            start: self.start,
            end: self.cell.end,
            text_end: self.cell.end,
        }
    }
}

/// What a row has of a URL.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    end: usize,
    /// Index after the text of the row.
    text_end: usize,
}

impl Part {
    fn of(cell: Cell, len: usize) -> Part {
        Part {
            start: cell.start,
            end: cell.start + len,
            text_end: cell.end,
        }
    }

    fn word(self, bytes: &[u8]) -> &[u8] {
        &bytes[self.start..self.end]
    }

    /// The text after it in its row.
    fn rest(self, bytes: &[u8]) -> &[u8] {
        bytes[self.end..self.text_end].trim_ascii()
    }
}

/// The rows of a URL.
struct Found {
    /// Its text in each row.
    parts: Vec<Part>,
    /// The number of its rows that are full, one after the other.
    full: usize,
    /// The row after it.
    after: Option<usize>,
    /// The last of its rows is one of a list: the row after it has one word too.
    is_list: bool,
    /// It has two rows, and both are full. The second may be as long by chance.
    is_pair: bool,
}

impl<'p> Block<'p> {
    /// Reads the rows around the URL.
    fn read(&mut self, out: &mut Edits) {
        let Some((place, next)) = self.find_place(out) else {
            return;
        };
        self.place.set(Some(place));
        // The rules of mail know no panes.
        if let Some((column, _)) = place.pane.left
            && (column >= NARROW || self.has_text_before(next, column))
        {
            self.end_with(place.row);
        }
        self.read_word(place, next, out);
    }

    /// The place of the URL, and the row below it. `None` if it does not fill its row, or if `out` has
    /// all that is to be said of it.
    fn find_place(&mut self, out: &mut Edits) -> Option<(Place, Row)> {
        let bytes = self.bytes();
        let (row, start) = self.find_start(out)?;
        let Some(next) = row.next.map(|next| self.row(next)) else {
            self.end_last_line(row, out);
            return None;
        };
        let needed = self.rows_needed(row, next);
        if !self.has_rows_below(row, needed) {
            self.wants_rows_below(row, needed, out);
            return None;
        }
        self.read_marks(row, next, start);
        let pane = self.pane(row, next, start);
        if pane.gutter > 0 && !self.has_rows_below(row, MARKED) {
            self.wants_rows_below(row, MARKED, out);
            return None;
        }
        let cell = self.cell(row, pane)?;
        if start < cell.start || start >= cell.end {
            return None;
        }
        if self.has_list && bytes[cell.end..row.end] == *LINE_END {
            self.end_last_line(row, out);
            return None;
        }
        let word = &bytes[start..cell.end];
        if pane == Pane::default() && word.windows(2).any(|blanks| blanks == b"  ") {
            self.read_column(row, start, out);
            return None;
        }
        if word.iter().any(|&b| ends_url(b)) || !(NARROW..WIDE).contains(&cell.to) {
            return None;
        }
        // A drawn bar in the word ends it, and so does its row.
        if first_drawn(word).is_some() {
            return None;
        }
        let place = Place {
            row,
            pane,
            cell,
            start,
        };
        Some((place, next))
    }

    /// The row in which the URL begins, and its index. `None` if it ends before its row does.
    fn find_start(&mut self, out: &mut Edits) -> Option<(Row, usize)> {
        let (bytes, colon) = (self.bytes(), self.page.colon);
        // Most words end before their row.
        let Some(word) = bytes[colon..].iter().position(|&b| ends_url(b)) else {
            // The row may end in another pane.
            if self.may_be_broken() || first_bar(&bytes[colon..]).is_some() {
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
        if let Some(broken) = self.broken_scheme(row, name) {
            self.is_broken = true;
            return Some(broken);
        }
        ends_word.then_some((row, colon - name.len()))
    }

    /// The rules of mail may go on with the row below, and must end before the mark of its end.
    fn end_next_line(&self, out: &mut Edits) {
        if !self.has_list || out.cut.is_some() || !out.list.is_empty() {
            return;
        }
        let next = self.place.get().and_then(|place| place.row.next);
        if let Some(next) = next.map(|next| self.row(next)) {
            self.end_before_mark(next, out);
        }
    }

    /// Ends the URL before the mark of the end of a line, if `row` has it.
    fn end_before_mark(&self, row: Row, out: &mut Edits) {
        if let Some(text) = self.text(row).strip_suffix(LINE_END) {
            out.push(row.start + text.len(), row.end, SeamKind::Row, &[END, END]);
        }
    }

    /// Reads what a program has put at the beginning and the end of the rows around the URL, which
    /// begins at `start` in `row`.
    fn read_marks(&mut self, row: Row, next: Row, start: usize) {
        self.first = row.start;
        let before = &self.bytes()[..row.start];
        let before = before.strip_suffix(b"\n").unwrap_or(before);
        let above = before.strip_suffix(b"\r").unwrap_or(before);
        // Fast path: nearly no row ends so.
        let has_end = [above, self.text(row), self.text(next)]
            .into_iter()
            .any(|text| text.ends_with(LINE_END));
        self.has_list = has_end && self.shows_line_ends(row);
        self.is_of_patch = self.is_of_patch(row, next, start);
        (self.mark, self.is_of_program) = self.mark_of(row, next, start);
    }

    /// Ends the URL, which ends with `row`, before the mark of the end of a line.
    fn end_last_line(&self, row: Row, out: &mut Edits) {
        if self.text(row).ends_with(LINE_END) && self.shows_line_ends(row) {
            self.end_before_mark(row, out);
        }
    }

    /// The URL ends with `row`, unless a layer joins its rows.
    fn end_with(&self, row: Row) {
        if row.is_whole {
            self.ends_here.set(Some(row.end));
        }
    }

    /// True if text stands in `row` before the bar in the column `column`.
    fn has_text_before(&self, row: Row, column: usize) -> bool {
        let bars = self.bars(row);
        bars.iter()
            .find(|bar| bar.column == column)
            .is_some_and(|bar| {
                let before = &self.bytes()[row.start..bar.at];
                before.iter().any(u8::is_ascii_alphanumeric)
            })
    }

    /// Reads the rows of the URL at `place`, which seems to go on in the row `next`.
    fn read_word(&mut self, place: Place, next: Row, out: &mut Edits) {
        let bytes = self.bytes();
        let Place {
            row, pane, cell, ..
        } = place;
        let Some(below) = self.cell(next, pane) else {
            return;
        };
        let word = &bytes[place.start..cell.end];
        // Emacs marks a row that goes on.
        let text = word.strip_suffix(b"\\").unwrap_or(word);
        let rest = [text, &bytes[below.start..below.end]].concat();
        self.is_broken |= breaks_scheme(&rest, text.len())
            || breaks_escape(text, &rest[text.len()..])
            || breaks_uuid(text, until_blank(&rest[text.len()..]));
        self.is_of_program |= self.is_marked_below(row, next, pane, cell);
        self.is_of_program |= self.is_numbered_beside(row, next, pane);
        if self.mark.is_empty() && !self.is_below(place, below)
            || self.is_new(place, next, below, 1)
        {
            return;
        }
        let is_typeset = text.ends_with(HYPHEN);
        if is_typeset && !self.has_rows_below(row, NEAR + 1) {
            self.wants_rows_below(row, NEAR + 1, out);
        } else if is_typeset && self.has_own_hyphens(row) {
            self.read_hyphens(row, pane, cell, out);
        } else {
            self.read_rows(place, next, below, out);
        }
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
            None if self.page.paragraph.is_some() => 0,
            None => return None,
        };
        self.look_behind(start, colon);
        Some(self.row(start))
    }

    /// Reads the row `next`, with the text `below`, after a URL that ends with a mark before the frame.
    /// Only that row is read.
    fn read_at_mark(&self, place: Place, next: Row, below: Cell, out: &mut Edits) {
        let bytes = self.bytes();
        let word = until_blank(&bytes[below.start..below.end]);
        let is_rest = has_inner_mark(place.part().word(bytes), word) || is_token(word);
        if place.pane.right.is_none() || !is_rest {
            return;
        }
        let found = Found {
            parts: vec![place.part(), Part::of(below, word.len())],
            full: 1,
            after: next.next,
            is_list: false,
            is_pair: false,
        };
        if let Some(width) = self.width_at_mark(place, &found, out) {
            self.join(place.row, next, &found, width, out);
        }
    }

    /// Joins the rows of the URL, if the width has broken it. The text of the `next` row is `below`.
    fn read_rows(&self, place: Place, next: Row, below: Cell, out: &mut Edits) {
        let Place {
            row, pane, cell, ..
        } = place;
        // A narrow row without a frame shows nothing, unless the next row is as wide. This spares a
        // live stream the wait for more rows.
        let is_narrow = cell.to < PLAIN && pane.right.is_none() && !self.is_broken;
        if is_narrow && below.to + 1 < cell.to {
            return;
        }
        // Rows of one width with a blank at the end of each would have all rows after each of them
        // read.
        if !self.is_broken && cell.is_padded(pane) {
            if cell.padded != cell.to + 1 || below.padded != cell.padded || pane.right.is_some() {
                self.read_at_mark(place, next, below, out);
                return;
            }
            if !self.has_rows_below(row, IN_BOX) {
                self.wants_rows_below(row, IN_BOX, out);
                return;
            }
            if !self.is_in_box(place) {
                self.read_at_mark(place, next, below, out);
                return;
            }
            self.padding.set(1);
        }
        let Some(found) = self.rows_of_url(place, out) else {
            return;
        };
        let Some(width) = self.width(place, &found, out) else {
            return;
        };
        if !self.goes_on(place, next, below, &found, width.edge) {
            return;
        }
        if self.is_above_other(&found, width) || self.is_above_names(row, &found) {
            self.end_with(row);
            return;
        }
        self.join(row, next, &found, width, out);
    }

    /// True if the URL has only its own row for sure, and the rows below it are the names of a list.
    fn is_above_names(&self, row: Row, found: &Found) -> bool {
        let [_, first, ..] = found.parts[..] else {
            return false;
        };
        let second = found.after.map(|start| self.text(self.row(start)));
        found.full < 2
            && first.end == first.text_end
            && second.is_some_and(|second| {
                let width = self.columns(row.start, row.end);
                records::are_names(first.word(self.bytes()), second.trim_ascii(), width)
            })
    }

    /// True if the rows around the URL are filled with blanks up to the column after its row, as those of
    /// a box without a border: one of them has more blanks there.
    fn is_in_box(&self, place: Place) -> bool {
        let Place {
            row, pane, cell, ..
        } = place;
        let is_filled = |other: Row| {
            self.cell(other, pane)
                .is_some_and(|other| other.padded == cell.padded && other.to + 1 < other.padded)
        };
        let below = std::iter::successors(row.next, |&start| self.row(start).next);
        self.row_before(row.start).is_some_and(is_filled)
            || below
                .take(IN_BOX)
                .map(|start| self.row(start))
                .any(is_filled)
    }

    /// True if the URL may go on in the row `next`, by where it ends in its own, and by the text `below`.
    fn goes_on(&self, place: Place, next: Row, below: Cell, found: &Found, edge: Edge) -> bool {
        let Place { row, cell, .. } = place;
        let url = place.part().word(self.bytes());
        let tail = &self.bytes()[below.start..below.end];
        let word = until_blank(tail);
        match edge {
            Edge::Full => true,
            Edge::AtMark => has_inner_mark(url, word) || is_token(word),
            Edge::Unknown => {
                let is_last = found.parts.len() == 2 && self.is_last(found) && cell.to >= PLAIN;
                // A program that breaks at words puts a long URL into a row of its own.
                let is_wide = cell.to >= PLAIN && (place.start == cell.start || word.len() > LONG);
                is_rest(url, word)
                    || self.is_broken_table(row, next)
                    || is_token(word)
                    || is_wide && !found.is_list && has_inner_mark(url, word)
                    || is_last && is_rest_of_word(tail) && !tail.iter().any(|b| b"/@".contains(b))
            }
            Edge::Inside => false,
        }
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
    fn is_below(&self, place: Place, below: Cell) -> bool {
        let Place {
            row,
            pane,
            cell,
            start,
        } = place;
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
        // The number of the line stands in the first of its rows only.
        let number = number_len(self.text(row));
        let is_in_gutter = pane.left.is_none() && number > 0 && below.from == number;
        if below.from == first || below.from == cell.from || is_in_frame || is_in_gutter {
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

    /// The rows that the URL may fill.
    fn rows_of_url(&self, place: Place, out: &mut Edits) -> Option<Found> {
        let Place {
            row, pane, cell, ..
        } = place;
        let bytes = self.bytes();
        let edge = cell.to;
        let mut found = Found {
            parts: vec![place.part()],
            full: 1,
            after: row.next,
            is_list: false,
            is_pair: false,
        };
        let mut last = (row, cell);
        while let Some(next_start) = found.after
            && found.parts.len() < ROWS
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
            let is_first = found.parts.len() == 1;
            let is_aligned = is_first
                || !self.mark.is_empty()
                || below.from == last.1.from
                || found.parts.len() == 2 && self.is_below(place, below);
            // The first row below was looked at before.
            let is_new = || !is_first && self.is_new(place, next, below, found.parts.len());
            if !is_aligned || is_new() {
                break;
            }
            let text = &bytes[below.start..below.end];
            let len = text.iter().position(|&b| ends_url(b)).unwrap_or(text.len());
            found.parts.push(Part::of(below, len));
            found.after = next.next;
            let is_short = below.to + 1 == edge && self.begins_wide(next, pane);
            let is_full = below.to == edge
                || is_short
                || self.is_broken_at_mark(text)
                || text.ends_with(b"&") && self.is_full_at_mark(next, pane, below, edge);
            if len < text.len() || !is_full {
                found.is_list = len == text.len() && self.is_word(next.next, pane, below.from);
                break;
            }
            found.full += 1;
            last = (next, below);
        }
        let is_plain = pane.right.is_none() && self.mark.is_empty() && !self.is_of_program;
        found.is_pair = found.full == 2 && found.parts.len() == 2 && is_plain && !self.is_broken;
        Some(found)
    }

    /// True if vim has broken a line after `text`, where it may break words (`:set linebreak`), and marks
    /// the rows that go on with an arrow, which no text begins with.
    fn is_broken_at_mark(&self, text: &[u8]) -> bool {
        let is_arrow = self.mark.first().is_some_and(|b| !b.is_ascii());
        is_arrow && text.last().is_some_and(|b| b"-./?:,;+@!*".contains(b))
    }

    /// True if a browser has broken the URL after the mark at the end of `row`, because what follows up to
    /// the next mark would not have fitted into the width `edge`.
    fn is_full_at_mark(&self, row: Row, pane: Pane, cell: Cell, edge: usize) -> bool {
        let Some(below) = row.next.and_then(|next| self.cell(self.row(next), pane)) else {
            return false;
        };
        let word = until_blank(&self.bytes()[below.start..below.end]);
        let is_mark = |b: &u8| b"/=#?&".contains(b);
        let first = word
            .iter()
            .position(is_mark)
            .map_or(word.len(), |at| at + 1);
        below.from == cell.from && word.contains(&b'=') && cell.to + first > edge
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
