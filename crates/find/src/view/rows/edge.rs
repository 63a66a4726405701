//! Where a URL ends in its row, and what the rows around it show of the width.

use super::grid::{Cell, Pane, Row};
use super::signs::{begins_prose, begins_url, breaks_url};
use super::{Block, Edits, Found, GUTTER, NEAR, PLAIN, Place, SCREEN, STANDARD, WIDE};
use crate::text::bars::is_drawn;
use crate::text::records;
use crate::text::schemes::slashes;
use crate::text::words::{is_cased, until_blank};

/// The number of rows before that of the URL that are read.
pub(super) const ABOVE: usize = 4;

/// Where a URL ends in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Where the rows around it end.
    Full,
    /// No row is longer, but none shows the width.
    Unknown,
    /// Before the end of another row, after a mark at which programs break a long word.
    AtMark,
    /// Before the end of another row.
    Inside,
}

/// What the rows around a URL show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    pub(super) edge: Edge,
    /// Another row, a frame, or a width that many terminals have.
    pub(super) is_shown: bool,
    /// The same, or other rows that end with a URL, which may be as long by chance.
    pub(super) may_be_shown: bool,
    /// There is a frame on both sides.
    pub(super) is_framed: bool,
    /// Rows end there without regard to words.
    pub(super) is_hard: bool,
}

impl Width {
    fn of(edge: Edge) -> Width {
        Width {
            edge,
            is_shown: false,
            may_be_shown: false,
            is_framed: false,
            is_hard: false,
        }
    }
}

/// The rows of the block around the first row of a URL.
struct Neighbours {
    /// The nearest is the first.
    above: Vec<Cell>,
    below: Vec<Cell>,
}

/// The number of rows around those of the URL that are read.
#[derive(Clone, Copy)]
struct Most {
    above: usize,
    below: usize,
}

impl Most {
    const PLAIN: Most = Most {
        above: NEAR,
        below: NEAR,
    };
    const IN_FRAME: Most = Most { above: 3, below: 0 };
}

/// True if rows end at the width without regard to words: `full` rows end there, `of_words` end
/// before it where the next word would not have fitted, and `nearly` one column before it. Of the
/// rows of prose one in five is full, and of rows that break words nearly all are.
pub(super) fn is_hard(full: usize, of_words: usize, nearly: usize) -> bool {
    full > 3 * of_words + nearly
}

/// The number of rows of a block that end at the column of the URL, without the row of the URL.
#[derive(Default)]
struct Full {
    others: usize,
    /// Those that end with a URL that may be whole, as each line of a list does. They may be as long by
    /// chance.
    whole: usize,
    /// Those that are inside of another URL.
    broken: usize,
    /// Those that end with a URL above a word of letters, where the URL may end too.
    urls: usize,
    /// The rows that end before it, because the next word did not fit.
    of_words: usize,
    /// The rows that end one column before it. A blank at the end of a full row may be missing.
    nearly: usize,
}

impl Full {
    /// True if the rows end there without regard to words.
    fn is_hard(&self, edge: usize) -> bool {
        let shown = self.others - self.urls.max(self.whole);
        let most = shown + self.broken + usize::from(STANDARD.contains(&edge));
        shown > 0 && most > 1 && is_hard(shown, self.of_words, self.nearly)
    }
}

/// True if `row` begins with the date or the time of a record, or with the address of a client.
pub(super) fn begins_record(row: &[u8]) -> bool {
    let word = until_blank(row);
    let word = word.strip_prefix(b"[").unwrap_or(word);
    let is_of_address = |b: &u8| b.is_ascii_digit() || *b == b'.';
    let is_address = word.iter().all(is_of_address) && memchr::memchr_iter(b'.', word).count() == 3;
    is_address || records::is_date_or_time(word)
}

impl Block<'_> {
    /// What shows that the URL, after which its row has no blanks, ends where the rows around it
    /// end. `None` if the page does not show it.
    pub(super) fn width(&self, place: Place, found: &Found, out: &mut Edits) -> Option<Width> {
        let Place {
            row, pane, cell, ..
        } = place;
        // Nothing but the width breaks a scheme.
        if self.is_broken || self.is_broken_at_mark(&self.bytes()[cell.start..cell.end]) {
            return Some(Width::of(Edge::Full));
        }
        let edge = cell.to;
        let has_right = pane.right.is_some();
        let is_framed = pane.right.is_some() && !cell.is_padded(pane);
        // The columns of `diff -y` are cut, not broken.
        let is_left_column = pane.left.is_none() && pane.right.is_some_and(|(_, c)| c == '|');
        let may_be_cut = is_left_column || self.has_text_left(row, pane);
        if is_framed {
            return self.width_in_frame(place, found, may_be_cut, out);
        }
        let near = self.neighbours(place, found, Most::PLAIN, edge, out)?;
        let all = near.above.iter().chain(&near.below);
        // mutt keeps the last column free where a line goes on.
        let is_of_mutt = self.mark == b"+" && !self.is_of_patch;
        let slack = usize::from(is_of_mutt) + self.padding.get();
        let is_longer = |cell: &Cell| {
            cell.to > edge + slack || cell.padded > edge + slack + usize::from(has_right)
        };
        let has_column =
            !self.is_above_words(&near.below, edge) && self.has_column_after(edge, all.clone());
        if all.clone().any(is_longer) && !has_column {
            let edge = self.edge_inside(cell, &near);
            return Some(Width::of(edge));
        }
        let full = self.full_rows(cell, found, &near, edge);
        let others = found.full - 1 + full.others;
        let is_alone = near.above.len() + near.below.len() + 1 == found.parts.len();
        let is_standard = STANDARD.contains(&edge);
        let shows = |rows: usize| {
            rows > 1 || has_column || rows > 0 && edge >= PLAIN || is_standard && is_alone
        };
        let is_shown = shows(others - full.whole);
        // The rows beyond a border show it too.
        let may_show =
            pane == Pane::default() && edge <= SCREEN && !self.is_above_prose(&near.below);
        let is_hard = full.is_hard(edge)
            || may_show && {
                let word = self.last_word(row);
                let right = self.right_edge(row, edge, None, ABOVE, word.len(), out)?;
                right.shows_width()
            };
        let is_shown = is_shown || is_hard;
        let may_be_shown = is_shown || shows(others);
        let is_known = may_be_shown
            || edge >= PLAIN && is_alone
            || is_standard
            || self.is_of_program
            || self.has_mark_of_program();
        Some(Width {
            edge: if is_known { Edge::Full } else { Edge::Unknown },
            is_shown,
            may_be_shown,
            is_framed: false,
            is_hard: !may_be_cut && is_hard,
        })
    }

    /// What the frame shows whose side the URL reaches. No row is longer than its frame, and a few of them
    /// show whether it breaks words.
    fn width_in_frame(
        &self,
        place: Place,
        found: &Found,
        may_be_cut: bool,
        out: &mut Edits,
    ) -> Option<Width> {
        let edge = place.cell.to;
        let near = self.neighbours(place, found, Most::IN_FRAME, edge, out)?;
        let full = self.full_rows(place.cell, found, &near, edge);
        Some(Width {
            edge: Edge::Full,
            is_shown: true,
            may_be_shown: true,
            is_framed: place.pane.left.is_some(),
            is_hard: !may_be_cut && full.is_hard(edge),
        })
    }

    /// True if the first of the rows `below` begins with a word of prose.
    fn is_above_prose(&self, below: &[Cell]) -> bool {
        let word = below.first().map_or(&b""[..], |cell| {
            until_blank(&self.bytes()[cell.start..cell.end])
        });
        word.first().is_some_and(|b| !b.is_ascii_digit()) && begins_prose(word)
    }

    /// How the URL in `cell` ends before the end of another row.
    fn edge_inside(&self, cell: Cell, near: &Neighbours) -> Edge {
        let longest = near
            .above
            .iter()
            .chain(&near.below)
            .map(|cell| cell.to)
            .max();
        if self.is_at_mark(cell, near.below.first(), longest.unwrap_or_default()) {
            Edge::AtMark
        } else {
            Edge::Inside
        }
    }

    /// True if the first of the rows `below` begins with two words and one blank between them, before the
    /// column `edge`. Prose has a blank in any column.
    fn is_above_words(&self, below: &[Cell], edge: usize) -> bool {
        below.first().is_some_and(|cell| {
            let text = &self.bytes()[cell.start..cell.end];
            let word = until_blank(text);
            let next = text.get(word.len() + 1);
            word.len() + 1 < edge && is_cased(word) && next.is_some_and(u8::is_ascii_lowercase)
        })
    }

    /// True if more than a time or a name stands in `row` to the left of the bar of `pane`.
    fn has_text_left(&self, row: Row, pane: Pane) -> bool {
        let Some((column, '|')) = pane.left else {
            return false;
        };
        let bars = self.bars(row);
        let Some(at) = bars.iter().position(|bar| bar.column == column) else {
            return false;
        };
        let before = bars[..at].iter().rfind(|bar| is_drawn(bar.c));
        let from = before.map_or(row.start, |bar| bar.at + bar.c.len_utf8());
        self.bytes()[from..bars[at].at].trim_ascii().len() > GUTTER
    }

    /// True if all rows that are longer than `edge` have a blank there, and two of them a word in the
    /// column after it: another column of text.
    fn has_column_after<'c>(&self, edge: usize, rows: impl Iterator<Item = &'c Cell>) -> bool {
        let mut words = 0;
        for cell in rows.filter(|cell| cell.to > edge) {
            let is_plain = cell.end - cell.start == cell.to - cell.from;
            let at = (cell.start + edge).checked_sub(cell.from);
            let Some(at) = at.filter(|&at| is_plain && at >= cell.start) else {
                return false;
            };
            let (gap, word) = (self.bytes()[at], self.bytes().get(at + 1));
            if gap != b' ' {
                return false;
            }
            words += usize::from(word.is_some_and(u8::is_ascii_graphic));
        }
        words > 1
    }

    /// What shows that the URL ends its padded row with a mark.
    pub(super) fn width_at_mark(
        &self,
        place: Place,
        found: &Found,
        out: &mut Edits,
    ) -> Option<Width> {
        let near = self.neighbours(place, found, Most::PLAIN, WIDE, out)?;
        let edge = self.edge_inside(place.cell, &near);
        (edge == Edge::AtMark).then_some(Width::of(edge))
    }

    /// True if the row `cell` of a URL ends with a mark at which a program breaks a long word, and
    /// what follows up to the next such mark in the row `below` would not have fitted into the
    /// `longest` row.
    fn is_at_mark(&self, cell: Cell, below: Option<&Cell>, longest: usize) -> bool {
        let Some(below) = below else {
            return false;
        };
        let text = &self.bytes()[cell.start..cell.end];
        let word = until_blank(&self.bytes()[below.start..below.end]);
        // Those of w3m, and those of vim.
        [&b"/=#?&"[..], b"-./?:,;+@"].iter().any(|marks| {
            let is_mark = |b: &u8| marks.contains(b);
            let first = word
                .iter()
                .position(is_mark)
                .map_or(word.len(), |at| at + 1);
            text.last().is_some_and(is_mark) && cell.to + first > longest
        })
    }

    /// Counts the rows around the URL in `cell` that end at the column `edge`. A second row of it, which
    /// is its last, is not counted.
    fn full_rows(&self, cell: Cell, found: &Found, near: &Neighbours, edge: usize) -> Full {
        let tail = found.is_pair.then(|| found.parts[1].start);
        let mut full = Full::default();
        let rows = near.above.iter().rev().chain([&cell]).chain(&near.below);
        let mut rows = rows.peekable();
        while let Some(row) = rows.next() {
            let text = &self.bytes()[row.start..row.end];
            let below = rows
                .peek()
                .map_or(&b""[..], |next| &self.bytes()[next.start..next.end]);
            let word = until_blank(below);
            if row.to == edge || row.padded == edge {
                if row.start == cell.start || tail == Some(row.start) {
                    continue;
                }
                let last = &text[memchr::memrchr(b' ', text).map_or(0, |at| at + 1)..];
                let is_url = slashes(last).is_some();
                let is_broken = is_url && breaks_url(last, below);
                // Items of a list of URLs may be as long by chance.
                let is_item = last.len() == text.len() && begins_url(text);
                full.others += usize::from(!is_item || is_broken);
                full.whole += usize::from(is_url && !is_item && !is_broken);
                // The row may end with the URL by chance, and a word of its own stand below it. A row
                // below that is full too goes on with the text.
                let may_end = is_url && !is_item && !is_broken;
                let next = rows.peek().copied();
                let is_above_word = next.is_some_and(|next| self.is_word_below(*row, *next, edge));
                full.urls += usize::from(may_end && is_above_word);
                full.broken += usize::from(is_broken);
            } else if row.to + 1 + word.len() > edge && !begins_record(below) {
                // A word that fills its row would not have fitted anywhere.
                let is_long = rows.peek().is_some_and(|next| next.to == edge) && word == below;
                let is_nearly = row.to + 1 == edge || is_long;
                full.nearly += usize::from(is_nearly);
                full.of_words += usize::from(!is_nearly);
            }
        }
        full
    }

    /// True if a word of letters begins the row below the one of `cell`, and that is not full. `next` is the
    /// row after it that is not of letters and digits alone.
    fn is_word_below(&self, cell: Cell, next: Cell, edge: usize) -> bool {
        let between = &self.bytes()[cell.end..next.start];
        let is_next = memchr::memchr_iter(b'\n', between).count() == 1;
        let word = until_blank(&self.bytes()[next.start..next.end]);
        !is_next || next.to < edge && is_cased(word)
    }

    /// The other rows of the block: those before the first of the URL, and those of the URL with those
    /// after it, up to one that ends after the column `edge`. `None` if the page does not have them.
    fn neighbours(
        &self,
        place: Place,
        found: &Found,
        most: Most,
        edge: usize,
        out: &mut Edits,
    ) -> Option<Neighbours> {
        let Place { row, pane, .. } = place;
        let mut above = Vec::new();
        let mut start = row.start;
        for _ in 0..most.above {
            let before = self.row_before(start);
            let Some((before, cell)) =
                before.and_then(|before| Some((before, self.cell(before, pane)?)))
            else {
                break;
            };
            start = before.start;
            if !self.is_base64(before) {
                above.push(cell);
            }
        }
        let mut below = Vec::new();
        let mut next = row.next;
        let count = found.parts.len() - 1 + most.below;
        for i in 0..count {
            let Some(row) = next.map(|start| self.row(start)) else {
                break;
            };
            if row.next.is_none() && !self.page.is_end {
                self.wants(row, count - i, edge, out);
                return None;
            }
            let Some(cell) = self.cell(row, pane) else {
                break;
            };
            below.push(cell);
            if cell.to > edge {
                break;
            }
            next = row.next;
        }
        Some(Neighbours { above, below })
    }
}
