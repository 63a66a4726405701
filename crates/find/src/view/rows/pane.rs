//! Panes that a URL fills: the bar after it is no part of it, and where nothing of the next row goes on
//! with it, the pane has cut it.
//!
//! ```text
//! see https://a.example/one/pag|import os
//! the rest of the text         |
//! ```

use super::chop::{has_other_host, last_word};
use super::grid::{Cell, Pane, Row};
use super::{Block, CUT, END, Edits, Place};
use crate::text::bars::is_drawn;
use crate::text::schemes::slashes;
use crate::view::Edit;
use urlgrep_base::span::SeamKind;

/// The number of rows of the pane before that of the URL, and after it, that are read.
const NEAR: usize = 4;

/// A row that has the bar of a pane, at the index `bar`.
#[derive(Clone, Copy)]
struct RowOfPane {
    row: Row,
    bar: usize,
}

impl Block<'_> {
    /// Ends the URL with its pane, if it fills that and no rows are joined in `out`. Where they would be
    /// joined by a guess, and only what is sure is asked for, the guess says that it goes on.
    pub(super) fn end_pane(&self, out: &mut Edits) {
        if out.cut.is_some() {
            return;
        }
        let Some(place) = self.place.get() else {
            return;
        };
        let Place {
            row, pane, cell, ..
        } = place;
        let Some((column, c)) = pane.right else {
            return;
        };
        let is_sure = self.page.sight.is_sure;
        let is_joint = |edit: &Edit| edit.becomes.is_empty() && edit.end > edit.start;
        let is_kept = |edit: &Edit| is_joint(edit) && !(edit.is_weak && is_sure);
        if out.list.iter().any(is_kept) {
            return;
        }
        let is_guess = out.list.iter().any(is_joint);
        let bars = self.bars(row);
        let Some(at) = bars
            .iter()
            .find(|bar| bar.column == column)
            .map(|bar| bar.at)
        else {
            return;
        };
        let is_beside = at == cell.end;
        let len = if is_beside { c.len_utf8() } else { 0 };
        let is_framed = pane.left.is_some() && is_drawn(c) && !cell.is_padded(pane);
        let may_be_cut = (is_beside || is_framed) && !is_guess && !is_sure;
        let rows = if may_be_cut {
            self.rows_of_pane(row, (column, c), out)
        } else {
            Some(Vec::new())
        };
        // The page may not have them.
        let Some(rows) = rows else {
            return;
        };
        // Other rows that end before the bar show that the pane has cut this one, or, in a frame, rows
        // that fill it too.
        let is_padded = |row: &RowOfPane| self.bytes()[..row.bar].ends_with(b" ");
        let is_cut = if is_beside {
            rows.iter().any(is_padded)
        } else {
            rows.iter().any(|other| self.fills(other.row, pane, cell))
        };
        if is_cut {
            out.list.clear();
            let becomes = [CUT, &[END]].concat();
            out.push(cell.end, cell.end + len, SeamKind::Row, becomes);
        } else if is_beside {
            out.list.clear();
            out.push(at, at + len, SeamKind::Row, &[END]);
        }
    }

    /// True if the row `other` of the pane is as full as the one of the URL in `cell`. Two URLs of one
    /// length may be items of a list in a frame that was made for them, if they have one host.
    fn fills(&self, other: Row, pane: Pane, cell: Cell) -> bool {
        let last_len = |cell: Cell| {
            let word = last_word(&self.bytes()[cell.start..cell.end]);
            (word.len(), slashes(word).is_some())
        };
        let text = |cell: Cell| &self.bytes()[cell.start..cell.end];
        self.cell(other, pane).is_some_and(|other| {
            let is_other = || has_other_host(text(cell), text(other));
            other.to == cell.to && (last_len(other) != last_len(cell) || is_other())
        })
    }

    /// The rows around `row` that have the bar of a pane too. `None` if the page
    /// does not have them.
    fn rows_of_pane(
        &self,
        row: Row,
        side: (usize, char),
        out: &mut Edits,
    ) -> Option<Vec<RowOfPane>> {
        let with_bar = |row: Row| {
            let bars = self.bars(row);
            let same = bars.iter().find(|bar| bar.side() == side);
            same.map(|bar| RowOfPane { row, bar: bar.at })
        };
        let mut rows = Vec::with_capacity(2 * NEAR);
        let mut above = row;
        while rows.len() < NEAR
            && let Some(before) = self.row_before(above.start).and_then(with_bar)
        {
            rows.push(before);
            above = before.row;
        }
        let mut below = row;
        for i in 1..=NEAR {
            let Some(next) = below.next.map(|start| self.row(start)) else {
                if !self.page.is_end {
                    self.wants_rows_below(row, i, out);
                    return None;
                }
                break;
            };
            if !next.is_whole && !self.page.is_end {
                self.wants_rows_below(row, i, out);
                return None;
            }
            let Some(next) = with_bar(next) else {
                break;
            };
            rows.push(next);
            below = next.row;
        }
        Some(rows)
    }
}
