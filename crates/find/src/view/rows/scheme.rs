//! Schemes that the width of a terminal broke: `http` and `s://`.

use super::Block;
use super::grid::Row;
use super::signs::may_be_rest_of_scheme;

/// The schemes that are read where the width broke them.
const BROKEN: [&[u8]; 6] = [b"https", b"http", b"ftp", b"wss", b"ssh", b"git"];

impl<'p> Block<'p> {
    /// The name of the scheme before the colon in `row`. It begins with a letter, after the mark of
    /// a row that goes on.
    pub(super) fn scheme(&self, row: Row) -> &'p [u8] {
        let text = &self.bytes()[row.start..self.page.colon];
        let is_of_scheme = |b: &&u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
        let name = text.iter().rev().take_while(is_of_scheme).count();
        let name = &text[text.len() - name..];
        let marks = name.iter().take_while(|b| !b.is_ascii_alphabetic()).count();
        &name[marks..]
    }

    /// True if the row above may have the beginning of the scheme: no text stands before the rest of
    /// its name in the row.
    pub(super) fn may_be_broken(&self) -> bool {
        let before = &self.bytes()[..self.page.colon];
        let is_of_name = |b: &u8| b.is_ascii_alphanumeric();
        let name = before.iter().rev().take_while(|b| is_of_name(b)).count();
        let text = before[..before.len() - name].trim_ascii_end();
        let is_first = text.is_empty() && self.page.paragraph.is_some();
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
    pub(super) fn broken_scheme(&self, row: Row, name: &[u8]) -> Option<(Row, usize)> {
        let may_be_rest = |scheme: &&[u8]| scheme.len() > name.len() && scheme.ends_with(name);
        if !BROKEN.iter().any(may_be_rest) {
            return None;
        }
        let above = self.row_before(row.start)?;
        if self.is_base64(above) {
            return None;
        }
        let bytes = self.bytes();
        let ends = self.bars(above).into_iter().map(|bar| bar.at);
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
}
