//! Hyphens that a typesetter put at the ends of rows, as `man` does.

use super::grid::{Cell, Pane, Row};
use super::signs::{ends_url, is_of_url};
use super::{Block, Edits, HYPHEN, NEAR, ROWS, WIDE};
use urlgrep_base::span::SeamKind;

impl<'p> Block<'p> {
    /// Takes out the hyphens that a typesetter put at the ends of the rows of the URL that begins in
    /// `cell`, as `man` does.
    pub(super) fn read_hyphens(&self, row: Row, pane: Pane, cell: Cell, out: &mut Edits) {
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
    pub(super) fn has_own_hyphens(&self, row: Row) -> bool {
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
}
