//! Where a URL ends in its row, and what the rows around it show of the width.

use super::grid::{Cell, Pane, Row};
use super::signs::{begins_url, has_parameter, is_slug};
use super::{Block, Edits, Found, NEAR, PLAIN, STANDARD};
use crate::scan::words::until_blank;

/// Where a URL ends in its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edge {
    /// Where the rows around it end.
    Full,
    /// No row is longer, but none shows the width.
    Unknown,
    /// Before the end of another row.
    Inside,
}

/// What the rows around a URL show.
#[derive(Clone, Copy, Debug)]
pub(super) struct Width {
    pub(super) edge: Edge,
    /// Another row, a frame, or a width that many terminals have.
    pub(super) is_shown: bool,
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

/// The number of rows of a block that end at the column of the URL, without the row of the URL.
#[derive(Default)]
struct Full {
    others: usize,
    /// Those that are inside of another URL.
    broken: usize,
    /// The rows that end before it, because the next word did not fit.
    of_words: usize,
}

impl Full {
    /// True if the rows end there without regard to words.
    fn is_hard(&self, edge: usize) -> bool {
        let most = self.others + self.broken + usize::from(STANDARD.contains(&edge));
        self.others > 0 && self.of_words == 0 && most > 1
    }
}

impl Block<'_> {
    /// What shows that the URL, after which its row has no blanks, ends where the rows around it
    /// end. `None` if the page does not show it.
    pub(super) fn width(
        &self,
        row: Row,
        pane: Pane,
        cell: Cell,
        found: &Found,
        out: &mut Edits,
    ) -> Option<Width> {
        // Nothing but the width breaks a scheme.
        if self.is_broken {
            return Some(Width::of(Edge::Full));
        }
        let edge = cell.to;
        let has_right = pane.right.is_some();
        let is_framed = pane.right.is_some_and(|(column, _)| column <= edge + 1);
        // No row is longer than its frame, and few of them show whether it breaks words.
        let most = if is_framed { (2, 0) } else { (NEAR, NEAR) };
        let near = self.neighbours(row, pane, (found, most), edge, out)?;
        if is_framed {
            return Some(Width {
                edge: Edge::Full,
                is_shown: true,
                is_framed: pane.left.is_some(),
                is_hard: self.full_rows(cell, &near, edge).is_hard(edge),
            });
        }
        let all = near.above.iter().chain(&near.below);
        let is_longer = |cell: &Cell| cell.to > edge || cell.padded > edge + usize::from(has_right);
        if all.clone().any(is_longer) {
            return Some(Width::of(Edge::Inside));
        }
        let full = self.full_rows(cell, &near, edge);
        let others = found.full - 1 + full.others;
        let is_alone = near.above.len() + near.below.len() + 1 == found.cells.len();
        let is_standard = STANDARD.contains(&edge);
        let is_shown = others > 1 || others > 0 && edge >= PLAIN || is_standard && is_alone;
        let has_mark = self.has_mark_of_program();
        let is_known = is_shown || edge >= PLAIN && is_alone || is_standard || has_mark;
        Some(Width {
            edge: if is_known { Edge::Full } else { Edge::Unknown },
            is_shown,
            is_framed: false,
            is_hard: full.is_hard(edge),
        })
    }

    /// Counts the rows around the URL in `cell` that end at the column `edge`.
    fn full_rows(&self, cell: Cell, near: &Neighbours, edge: usize) -> Full {
        let mut full = Full::default();
        let rows = near.above.iter().rev().chain([&cell]).chain(&near.below);
        let mut rows = rows.peekable();
        while let Some(row) = rows.next() {
            let text = &self.bytes()[row.start..row.end];
            let below = rows
                .peek()
                .map_or(&b""[..], |next| &self.bytes()[next.start..next.end]);
            let word = until_blank(below);
            // Items of a list of URLs may be as long by chance.
            let is_item = begins_url(text) && !text.contains(&b' ');
            let last = text.rsplit(|&b| b == b' ').next().unwrap_or_default();
            let is_broken = memchr::memmem::find(last, b"://").is_some()
                && !begins_url(below)
                && (has_parameter(last, word) || is_slug(word));
            if row.to == edge || row.padded == edge {
                let is_own = row.start == cell.start;
                full.others += usize::from(!is_own && (!is_item || is_broken));
                full.broken += usize::from(!is_own && is_broken);
            } else {
                // A word that fills its row would not have fitted anywhere.
                let is_long = rows.peek().is_some_and(|next| next.to == edge) && word == below;
                full.of_words += usize::from(!is_long && row.to + 1 + word.len() > edge);
            }
        }
        full
    }

    /// The other rows of the block: at most `most_above` before `row`, the first of the URL, and those of
    /// the URL with `most_below` after it, up to one that ends after the column `edge`. `None` if the
    /// page does not have them.
    fn neighbours(
        &self,
        row: Row,
        pane: Pane,
        (found, (most_above, most_below)): (&Found, (usize, usize)),
        edge: usize,
        out: &mut Edits,
    ) -> Option<Neighbours> {
        let mut above = Vec::new();
        let mut start = row.start;
        for _ in 0..most_above {
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
        for _ in 0..found.cells.len() - 1 + most_below {
            let Some(row) = next.map(|start| self.row(start)) else {
                break;
            };
            if row.next.is_none() && !self.page.is_end {
                self.undecided(out);
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
