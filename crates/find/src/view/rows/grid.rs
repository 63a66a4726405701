//! The page as rows, and the text of a row between the bars beside it.

use super::signs::{begins_prose, begins_url, is_base64, is_border, is_of_url, number_len};
use super::{Block, DIVIDERS, NEAR, WIDE};
use crate::text::bars::{is_bar, is_drawn};
use crate::text::schemes::slashes;
use crate::text::words::until_blank;
use crate::view::width::{NARROW, character, width};

/// What programs begin a row with that goes on with the line above it: `markers` of mutt,
/// `showbreak` of vim.
const MARKS: [&str; 7] = ["+++ ", "+++", "+", "> ", "↪ ", "↪", "↳ "];

/// The marks with which a patch begins the lines of each side.
const SIDES: [&[u8]; 2] = [b"+", b"-"];

/// The number of rows around a row that must have a bar of ASCII in one column, to divide the page.
const DIVIDED: usize = 4;

/// The number of rows below that show a mark or a gutter of numbers.
pub(super) const MARKED: usize = 5;

/// The mark with which vim shows the end of each line (`:set list`).
pub(super) const LINE_END: &[u8] = b"$";

/// What begins a branch of a tree. The rows that go on with the branch have a bar below it.
const BRANCH: char = '├';

/// The bar that continues `c` in the next row.
fn trunk(c: char) -> char {
    if c == BRANCH { '│' } else { c }
}

/// The most blanks between a frame and the text.
const PADDING: usize = 4;

/// A row of the page: the indexes of its first byte and after its last one, without the line end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Index of the first byte of the next row. `None` if the page ends with this row.
    pub(super) next: Option<usize>,
    /// Its line end is in the page.
    pub(super) is_whole: bool,
}

/// The pane of the URL: the columns of the bars beside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pane {
    pub(super) left: Option<(usize, char)>,
    pub(super) right: Option<(usize, char)>,
    /// The number of columns of a gutter that has the number of the line in each of its rows.
    pub(super) gutter: usize,
}

/// A bar of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bar {
    pub(super) column: usize,
    /// Index of its first byte.
    pub(super) at: usize,
    pub(super) c: char,
}

impl Bar {
    /// The side of a pane that it is.
    pub(super) fn side(self) -> (usize, char) {
        (self.column, self.c)
    }
}

/// The text of a row in a pane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    /// Indexes of the first byte that is no blank, and after the last.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Their columns.
    pub(super) from: usize,
    pub(super) to: usize,
    /// The column after the padding.
    pub(super) padded: usize,
}

impl Cell {
    /// True if the pane has blanks after the text. Before a frame there may be one, or as many as
    /// after the other side of it.
    pub(super) fn is_padded(self, pane: Pane) -> bool {
        let padding = match (pane.left, pane.right) {
            (Some((left, _)), Some(_)) => (self.from - left).saturating_sub(1).clamp(1, PADDING),
            (_, right) => usize::from(right.is_some()),
        };
        self.padded > self.to + padding
    }
}

impl<'p> Block<'p> {
    pub(super) fn bytes(&self) -> &'p [u8] {
        self.page.bytes
    }

    pub(super) fn row(&self, start: usize) -> Row {
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

    pub(super) fn text(&self, row: Row) -> &'p [u8] {
        &self.bytes()[row.start..row.end]
    }

    /// The bars of a row.
    pub(super) fn bars(&self, row: Row) -> Vec<Bar> {
        let text = self.text(row);
        let (mut column, mut at, mut bars) = (0, 0, Vec::new());
        // Fast path: most rows have none.
        if memchr::memchr3(b'|', b'*', b'#', text).is_none() && memchr::memchr(0xE2, text).is_none()
        {
            return bars;
        }
        while at < text.len() && column < WIDE {
            let (c, len) = character(&text[at..]);
            if is_bar(c) || c == BRANCH {
                bars.push(Bar {
                    column,
                    at: row.start + at,
                    c: trunk(c),
                });
            }
            column += width(c, column);
            at += len;
        }
        bars
    }

    /// True if the row has a bar that may be the side of a cell.
    pub(super) fn has_side(&self, row: Row) -> bool {
        self.bars(row).iter().any(|bar| !matches!(bar.c, '*' | '#'))
    }

    /// True if a row of a table is wider than the screen, so that the rest of it is the row `next`:
    /// none of the bars of both rows are in the same column.
    pub(super) fn is_broken_table(&self, row: Row, next: Row) -> bool {
        let (mine, others) = (self.bars(row), self.bars(next));
        let is_apart = |bar: &Bar| others.iter().all(|other| other.column != bar.column);
        let is_wide =
            mine.len() > 1 || mine.len() == 1 && self.is_row_of_two(row, next, mine[0].column);
        is_wide && !others.is_empty() && mine.iter().all(is_apart)
    }

    /// True if the row two below, or the one two above, has a bar in the column `column` too: each row of
    /// the table has two of the screen.
    fn is_row_of_two(&self, row: Row, next: Row, column: usize) -> bool {
        let has_bar = |row: Row| self.bars(row).iter().any(|bar| bar.column == column);
        let above = self.row_before(row.start);
        let above = above.and_then(|above| self.row_before(above.start));
        let below = next.next.map(|start| self.row(start));
        above.is_some_and(has_bar) || below.is_some_and(has_bar)
    }

    /// The pane of the URL that begins at `start` in `row`. A drawn bar that both rows have in the
    /// same column is a side of it, and so is one of ASCII at both ends of both rows.
    pub(super) fn pane(&self, row: Row, next: Row, start: usize) -> Pane {
        let (mine, others) = (self.bars(row), self.bars(next));
        let is_shared = |bar: &Bar| {
            let is_same = |other: &Bar| other.column == bar.column && other.c == bar.c;
            others.iter().any(is_same)
        };
        // The borders of a table are in the same columns of all its rows.
        let is_table = mine.len() > 2
            && mine.len() == others.len()
            && mine.iter().all(|bar| bar.c == '|' && is_shared(bar));
        // A row with more bars has no panes, and each of them would be compared with the rows around.
        let may_divide = mine.iter().filter(|bar| bar.c == '|').count() <= DIVIDERS;
        let is_divider = |bar: &Bar| may_divide && bar.c == '|' && self.is_divider(row, *bar);
        let is_outer = |bar: &Bar| {
            is_table || self.is_outer(row, bar.at, bar.c) || is_drawn(bar.c) || is_divider(bar)
        };
        let end = self.bytes()[start..row.end].iter().position(|&b| b == b' ');
        let end = end.map_or(row.end, |len| start + len);
        let left = mine
            .iter()
            .rev()
            .find(|bar| bar.at < start && is_shared(bar) && is_outer(bar));
        let right = mine.iter().find(|bar| {
            let is_side = || is_drawn(bar.c) || bar.at + 1 == row.end || is_divider(bar);
            let is_after = bar.at >= end || bar.at >= start && is_side();
            is_after && is_shared(bar) && is_outer(bar)
        });
        let side = |bar: &Bar| bar.side();
        let pane = Pane {
            left: left.map(side),
            right: right.map(side),
            gutter: 0,
        };
        let gutter = self.gutter(row, next, 0);
        if gutter > 0 {
            return Pane {
                gutter,
                ..Pane::default()
            };
        }
        // Marks of ASCII are a frame only on both sides, but `|` may be a gutter.
        match (pane.left, pane.right) {
            (Some((_, '*' | '#')), None) => Pane::default(),
            (None, Some((column, '|')))
                if mine
                    .iter()
                    .any(|bar| bar.column == column && is_divider(bar)) =>
            {
                pane
            }
            (None, Some((_, c))) if c.is_ascii() => Pane::default(),
            (Some((column, c)), _) if is_drawn(c) => Pane {
                gutter: self.gutter(row, next, column + 1),
                ..pane
            },
            _ => pane,
        }
    }

    /// The column after a gutter that begins at the column `from`, and has the same number in both
    /// rows. 0 if there is none.
    fn gutter(&self, row: Row, next: Row, from: usize) -> usize {
        let after = |row: Row| {
            if from == 0 {
                return row.start;
            }
            let bar = self
                .bars(row)
                .into_iter()
                .find(|bar| bar.column + 1 == from);
            bar.map_or(row.start, |bar| bar.at + bar.c.len_utf8())
        };
        let (mine, below) = (
            &self.bytes()[after(row)..row.end],
            &self.bytes()[after(next)..next.end],
        );
        let len = number_len(mine);
        if len > 0 && below.get(..len) == mine.get(..len) {
            from + len
        } else {
            0
        }
    }

    /// True if the mark `c` at `at` is the first or the last character of its row.
    pub(super) fn is_outer(&self, row: Row, at: usize, c: char) -> bool {
        let is_blank = |bytes: &[u8]| bytes.iter().all(|&b| b == b' ' || b == b'\t');
        let bytes = self.bytes();
        is_blank(&bytes[row.start..at]) || is_blank(&bytes[at + c.len_utf8()..row.end])
    }

    /// The text of a row in a pane. `None` if there is none, or the row has other bars.
    pub(super) fn cell(&self, row: Row, pane: Pane) -> Option<Cell> {
        let text = self.text(row);
        if pane == Pane::default() && text.is_ascii() && memchr::memchr(b'\t', text).is_none() {
            return self
                .plain_cell(row)
                .map(|cell| self.without_mark(row, cell));
        }
        let (mut column, mut at) = (0, 0);
        let mut is_inside = pane.left.is_none();
        let mut is_closed = pane.right.is_none();
        let mut cell: Option<Cell> = None;
        let mut padded = 0;
        while at < text.len() && column < WIDE {
            let (c, len) = character(&text[at..]);
            let place = (column, trunk(c));
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
        let cell = self.without_mark(row, cell);
        self.is_text(&cell).then_some(Cell { padded, ..cell })
    }

    /// The text of a row below the first of the URL without the mark of a row that goes on.
    fn without_mark(&self, row: Row, cell: Cell) -> Cell {
        let text = &self.bytes()[cell.start..cell.end];
        if self.has_list && text.len() > 1 && text.ends_with(LINE_END) {
            let cell = Cell {
                end: cell.end - 1,
                to: cell.to - 1,
                ..cell
            };
            return self.without_mark_of_line(row, cell);
        }
        self.without_mark_of_line(row, cell)
    }

    fn without_mark_of_line(&self, row: Row, cell: Cell) -> Cell {
        let text = &self.bytes()[cell.start..cell.end];
        if row.start <= self.first || !text.starts_with(self.mark) {
            return cell;
        }
        Cell {
            start: cell.start + self.mark.len(),
            ..cell
        }
    }

    /// The mark with which a program begins the rows that go on with a line, if the row `next`
    /// begins with one, and whether the rows around show that no person wrote it. Each row that
    /// begins with it in the block follows one that is full. The URL begins at `start`.
    pub(super) fn mark_of(&self, row: Row, next: Row, start: usize) -> (&'static [u8], bool) {
        let begins = |row: Row| {
            let text = self.text(row).trim_ascii_start();
            let mark = MARKS.iter().find(|mark| text.starts_with(mark.as_bytes()));
            mark.map(|mark| (mark.as_bytes(), &text[mark.len()..]))
        };
        if self.is_of_patch {
            return (SIDES[usize::from(self.text(row).starts_with(b"-"))], false);
        }
        let Some((mark, text)) = begins(next) else {
            return (b"", false);
        };
        let own = begins(row);
        // A quotation and a patch have the mark in the row of the URL too, and a query may go on with
        // `+`. A program breaks a long URL only where it has the row for itself.
        let is_own = own.is_some_and(|(own, _)| own == mark);
        let is_exact = self.are_rows_exact(row, mark);
        let is_apart = self.bytes()[row.start..start].trim_ascii() == mark.trim_ascii();
        let is_quoted = is_own && (mark == b"> " && !is_exact || mark == b"+" && !is_apart);
        let text_of_row = own.map_or(self.text(row), |(_, text)| text);
        let has_plus = mark == b"+" && text_of_row.contains(&b'+');
        let is_of_query = mark == b"+" && !self.marks_rows(row, has_plus);
        if is_quoted || is_of_query || text.first().is_none_or(|&b| !is_of_url(b)) {
            return (b"", false);
        }
        let columns = |row: Row| self.columns_of_text(row);
        let edge = columns(row);
        let mut rows = (row, next);
        for _ in 1..MARKED {
            let (above, here) = rows;
            if let Some((same, text)) = begins(here)
                && same == mark
                && columns(above) + 1 + until_blank(text).len() <= edge
            {
                return (b"", false);
            }
            match here.next.map(|start| self.row(start)) {
                Some(below) if !self.text(below).is_empty() => rows = (here, below),
                _ => break,
            }
        }
        (mark, is_exact)
    }

    /// True if the URL that begins at `start` stands directly after the mark of a side of a patch, and
    /// `next` has it too. A list has a blank after its marks. A `+` is that of mutt, unless another line of
    /// a patch stands above.
    pub(super) fn is_of_patch(&self, row: Row, next: Row, start: usize) -> bool {
        let mark = &self.bytes()[row.start..start];
        let below = self.text(next).strip_prefix(mark).unwrap_or_default();
        let is_below_patch = || {
            let above = self.row_before(row.start).map(|above| self.text(above));
            above.is_some_and(|above| matches!(above, [b'+' | b'-' | b' ', ..] | [b'@', b'@', ..]))
        };
        SIDES.contains(&mark)
            && below.first().is_some_and(|&b| is_of_url(b))
            && (mark == b"-" || is_below_patch())
    }

    /// The columns of a row without the blanks at its end.
    fn columns_of_text(&self, row: Row) -> usize {
        let text = self.text(row).trim_ascii_end();
        self.columns(row.start, row.start + text.len())
    }

    /// True if the `+` that begins the row after `row` is a mark of mutt, and no byte of the URL: each
    /// row after a full one begins with it. If the URL `has_plus` of its own, two such rows must show
    /// it.
    fn marks_rows(&self, row: Row, has_plus: bool) -> bool {
        let edge = self.columns_of_text(row);
        let mut first = row;
        for _ in 1..MARKED {
            let Some(before) = self.row_before(first.start) else {
                break;
            };
            first = before;
        }
        let (mut above, mut count, mut read) = (first, 0, 1);
        // As many rows below as `rows_needed` has asked for.
        while let Some(next) = above.next.map(|start| self.row(start))
            && read <= MARKED
        {
            let (full, text) = (self.text(above).trim_ascii_end(), self.text(next));
            let word = until_blank(text);
            let last = &full[memchr::memrchr(b' ', full).map_or(0, |at| at + 1)..];
            let is_below = next.start > row.start;
            let is_full = self.columns_of_text(above) == edge;
            // Only inside of a URL a full row surely goes on.
            let is_inside = is_full && (is_below || slashes(last).is_some());
            let is_wrapped = is_full || self.columns_of_text(above) + word.len() > edge;
            if text.starts_with(b"+") && !full.is_empty() && is_wrapped {
                count += 1;
            } else if is_inside && text.first().is_some_and(|&b| is_of_url(b)) && !begins_url(text)
            {
                return false;
            }
            // What follows the URL is of another line.
            if is_below && !is_full && !has_plus {
                break;
            }
            read += usize::from(is_below);
            above = next;
        }
        count > usize::from(has_plus)
    }

    /// True if the rows below have a mark that no text has. mutt marks rows after whole words too.
    pub(super) fn has_mark_of_program(&self) -> bool {
        !self.mark.is_empty() && self.mark != b"> " && !self.is_of_patch
    }

    /// The number of rows below `row` that must be in the page, so that marks and bars can be told.
    pub(super) fn rows_needed(&self, row: Row, next: Row) -> usize {
        let (text, below) = (self.text(row).trim_ascii_end(), self.text(next));
        let below = below.trim_ascii_start();
        let has_mark = MARKS.iter().any(|mark| below.starts_with(mark.as_bytes()));
        let has_line_end = text.ends_with(LINE_END) || below.trim_ascii_end().ends_with(LINE_END);
        if has_mark || number_len(text) > 0 || text.ends_with(b"\\") || has_line_end {
            MARKED
        } else if memchr::memchr(b'|', text).is_some() {
            DIVIDED + 1
        } else {
            1
        }
    }

    /// True if `count` rows below `row` are whole, or the text ends with the page.
    pub(super) fn has_rows_below(&self, row: Row, count: usize) -> bool {
        let mut below = row;
        for _ in 0..count {
            match below.next {
                Some(next) => below = self.row(next),
                None => return self.page.is_end,
            }
        }
        self.page.is_end || below.is_whole
    }

    /// True if all rows of the line to which `row` belongs end in the same column, as no quotation
    /// does: those around it that begin with `mark`, but for the last, and the one above them.
    /// A blank at the end of a row may be missing.
    fn are_rows_exact(&self, row: Row, mark: &[u8]) -> bool {
        let begins = |row: Row| self.text(row).starts_with(mark);
        let edge = self.columns(row.start, row.end);
        let is_full = |row: Row| {
            let columns = self.columns(row.start, row.end);
            columns == edge || columns + 1 == edge
        };
        let mut count = 0;
        let mut above = row;
        while begins(above) {
            let Some(before) = self.row_before(above.start) else {
                return false;
            };
            if count >= NEAR {
                break;
            }
            if !is_full(before) {
                return false;
            }
            count += 1;
            above = before;
        }
        let (mut here, mut read) = (row, 1);
        while let Some(next) = here.next.map(|start| self.row(start))
            && begins(next)
            && read < MARKED
        {
            if !is_full(here) {
                return false;
            }
            count += 1;
            read += 1;
            here = next;
        }
        count > 2
    }

    /// True if the row below the URL in `cell` has the number of the line in its gutter again, or
    /// Emacs marked that the row goes on, and another row of the page shows the same.
    pub(super) fn is_marked_below(&self, row: Row, next: Row, pane: Pane, cell: Cell) -> bool {
        let is_marked = self.bytes()[cell.end - 1] == b'\\';
        let number = number_len(self.text(row));
        // The number of the line may stand in the first of its rows only.
        let is_first = |above: Row, below: Row| {
            let text = self.text(below);
            let blanks = text.iter().take_while(|&&b| b == b' ').count();
            number_len(self.text(above)) == number && blanks >= number && blanks < text.len()
        };
        let is_in_gutter = pane == Pane::default()
            && number > 0
            && is_first(row, next)
            && !begins_prose(until_blank(self.text(next).trim_ascii_start()));
        if pane.gutter == 0 && !is_marked && !is_in_gutter {
            return false;
        }
        let has_same = |above: Row, below: Row| {
            let (text, own) = (self.text(above), self.text(row));
            let is_as_long =
                self.columns(above.start, above.end) == self.columns(row.start, row.end);
            let from = pane.left.map_or(0, |(column, _)| column + 1);
            let is_numbered = pane.gutter > 0 && self.gutter(above, below, from) == pane.gutter;
            is_as_long
                && (is_numbered
                    || is_marked && text.last() == own.last()
                    || is_in_gutter && is_first(above, below))
        };
        let (mut above, mut below) = (row, next);
        for _ in 1..MARKED {
            if let Some(before) = self.row_before(above.start) {
                if has_same(before, above) {
                    return true;
                }
                above = before;
            }
            if let Some(after) = below.next.map(|start| self.row(start)) {
                if has_same(below, after) {
                    return true;
                }
                below = after;
            }
        }
        false
    }

    /// True if the number of the line stands beside the text of `row`, before a drawn bar, and none beside
    /// `next`, as `bat` prints the rows of one line.
    pub(super) fn is_numbered_beside(&self, row: Row, next: Row, pane: Pane) -> bool {
        let Some((column, bar)) = pane.left.filter(|side| is_drawn(side.1)) else {
            return false;
        };
        let before = |row: Row| {
            let bars = self.bars(row);
            let bar = bars.iter().find(|other| other.side() == (column, bar))?;
            Some(self.bytes()[row.start..bar.at].trim_ascii())
        };
        let is_number = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        before(row).is_some_and(is_number) && before(next).is_some_and(<[u8]>::is_empty)
    }

    /// True if a program shows the end of each line as `$`: the rows around `row` end so, but for those
    /// that are at least as long, whose line goes on in the next.
    pub(super) fn shows_line_ends(&self, row: Row) -> bool {
        let is_marked = |row: Row| self.text(row).ends_with(LINE_END);
        let mut marked = usize::from(is_marked(row));
        let own = self.columns(row.start, row.end);
        let mut longest = marked * own;
        let mut has_lengths = false;
        let mut counts = |other: Row| {
            let columns = self.columns(other.start, other.end);
            if is_marked(other) {
                marked += 1;
                // Emacs has it in the last column of each row that it cuts.
                has_lengths |= columns != own;
                longest = longest.max(columns);
            }
            is_marked(other) || columns >= longest
        };
        let (mut above, mut below) = (row, row);
        for _ in 1..MARKED {
            match self.row_before(above.start) {
                Some(before) if counts(before) => above = before,
                _ => break,
            }
        }
        for _ in 1..MARKED {
            match below.next.map(|start| self.row(start)) {
                Some(next) if (next.is_whole || self.page.is_end) && counts(next) => below = next,
                _ => break,
            }
        }
        marked > 2 && has_lengths
    }

    /// True if a bar divides the page: the rows around have it in the same column, and no other. Two
    /// divide it into three panes, if the text fills its pane, which no cell of a table does.
    fn is_divider(&self, row: Row, bar: Bar) -> bool {
        let own = self.bars(row);
        let own = || own.iter().filter(|other| other.c == bar.c);
        let columns: Vec<usize> = own().map(|other| other.column).collect();
        let is_filled = own().any(|bar| bar.at > row.start && self.bytes()[bar.at - 1] != b' ');
        let most = if is_filled { DIVIDERS } else { 1 };
        if columns.len() > most {
            return false;
        }
        let has_it = |row: Row| {
            let bars = self.bars(row);
            let others = bars.iter().filter(|other| other.c == bar.c);
            others.map(|other| other.column).eq(columns.iter().copied())
        };
        let (mut above, mut below) = (row, row);
        let (mut count, mut without, mut padded) = (0, 0, 0);
        let mut look = |row: Row| {
            let has_bar = has_it(row);
            count += usize::from(has_bar);
            without += usize::from(!has_bar);
            let is_padded = has_bar && self.is_padded_before(row, bar.column);
            padded += usize::from(is_padded);
        };
        for _ in 0..DIVIDED {
            if let Some(before) = self.row_before(above.start) {
                above = before;
                look(above);
            }
            if let Some(next) = below.next {
                below = self.row(next);
                look(below);
            }
        }
        // A text may have fewer rows. Then all of them have the bar, and text that fills its pane
        // stands above text that does not, as in no table.
        let is_beside = bar.at > row.start && self.bytes()[bar.at - 1] != b' ';
        let is_small = without == 0 && padded > 0 && is_beside && bar.column >= NARROW;
        count >= DIVIDED || is_small
    }

    /// True if at least two blanks stand before the bar of `row` in the column `column`.
    fn is_padded_before(&self, row: Row, column: usize) -> bool {
        let bars = self.bars(row);
        let bar = bars.iter().find(|bar| bar.column == column);
        bar.is_some_and(|bar| self.bytes()[row.start..bar.at].ends_with(b"  "))
    }

    /// The text of a row of ASCII without a frame, in which a column is a byte.
    pub(super) fn plain_cell(&self, row: Row) -> Option<Cell> {
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
    pub(super) fn is_text(&self, cell: &Cell) -> bool {
        let text = &self.bytes()[cell.start..cell.end];
        // Fast path: nearly all rows have a letter or a digit, and no border has one.
        let has_letter = |b: &u8| b.is_ascii_alphanumeric();
        text.iter().any(has_letter) || !text.split(|&b| b == b' ').all(is_border)
    }

    /// The row before the one that begins at `start`. `None` if it is not in the page.
    pub(super) fn row_before(&self, start: usize) -> Option<Row> {
        let bytes = self.bytes();
        let end = start.checked_sub(1)?;
        let lf = memchr::memrchr(b'\n', &bytes[..end]);
        if lf.is_none() && self.page.paragraph.is_none() {
            return None;
        }
        let start = lf.map_or(0, |lf| lf + 1);
        self.look_behind(start, end);
        Some(self.row(start))
    }

    /// Counts the bytes from `start` to `end`, which are before the candidate.
    pub(super) fn look_behind(&self, start: usize, end: usize) {
        let behind = &self.page.behind;
        behind.set(behind.get() + end.min(self.page.colon).saturating_sub(start));
    }

    /// True for a row that may be of base64. A file may be cut after many of them, so they must not
    /// show anything.
    pub(super) fn is_base64(&self, row: Row) -> bool {
        is_base64(self.text(row))
    }
}
