//! URLs in a column without bars, as `sqlite3` and many programs print tables: the rest of a cell
//! stands below it, and the columns to its left are empty there.

use super::grid::{Pane, Row};
use super::signs::{begins_url, ends_url, has_only_a_url, has_parameter, is_of_url, is_slug};
use super::{Block, END, Edits, ROWS, WIDE};
use crate::view::width::columns;
use urlgrep_base::span::SeamKind;

impl Block<'_> {
    /// Reads the rows below the URL that begins at `start` in `row`, where another column stands to
    /// its right.
    pub(super) fn read_column(&self, row: Row, start: usize, out: &mut Edits) {
        let bytes = self.bytes();
        let Some(len) = bytes[start..row.end].iter().position(|&b| ends_url(b)) else {
            return;
        };
        let (url, rest) = bytes[start..row.end].split_at(len);
        // Two blanks after a sentence are no column.
        let is_sentence = url.last().is_some_and(|b| b".,;:!?)".contains(b));
        let has_slashes = memchr::memmem::find(url, b"//").is_some();
        if !rest.starts_with(b"  ") || rest.trim_ascii().is_empty() || is_sentence || !has_slashes {
            return;
        }
        let from = self.columns(row.start, start);
        let to = from + self.columns(start, start + len);
        let mut rows = vec![(start, start + len)];
        let mut next = row.next;
        while let Some(at) = next
            && rows.len() < ROWS
        {
            let below = self.row(at);
            if below.next.is_none() && !self.page.is_end {
                self.wants(below, 1, WIDE, out);
                return;
            }
            let Some(cell) = self.cell(below, Pane::default()) else {
                break;
            };
            let text = &bytes[cell.start..cell.end];
            let is_rest = cell.from == from
                && cell.to <= to
                && is_of_url(text[0])
                && !begins_url(text)
                && !text.iter().any(|&b| ends_url(b));
            if !is_rest {
                break;
            }
            rows.push((cell.start, cell.end));
            next = below.next.filter(|_| cell.to == to);
        }
        let [_, rows_below @ ..] = &rows[..] else {
            return;
        };
        let (Some(first), Some(last)) = (rows_below.first(), rows_below.last()) else {
            return;
        };
        let tail = &bytes[last.0..last.1];
        let is_sure = rows_below.len() > 1 && has_parameter(url, tail)
            || rows_below.len() > 1 && is_slug(&bytes[first.0..first.1])
            || has_only_a_url(url, &bytes[first.0..first.1])
            || is_slug(tail);
        for pair in rows.windows(2) {
            out.push(pair[0].1, pair[1].0, SeamKind::Row, b"");
            out.set_weak(!is_sure);
        }
        if last.1 < bytes.len() {
            out.push(last.1, last.1 + 1, SeamKind::Row, &[END]);
        }
    }

    /// The number of columns of the bytes from `start` to `end`, which are in one row.
    pub(super) fn columns(&self, start: usize, end: usize) -> usize {
        columns(&self.bytes()[start..end])
    }
}
