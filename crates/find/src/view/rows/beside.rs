//! Two texts side by side, as `diff -y` and `sdiff` print them. Each has half of the screen, and what
//! does not fit there is cut, so a URL that fills its half is only its beginning.
//!
//! ```text
//! https://a.example/one/page.html   https://a.example/one/page.html
//! https://a.example/another/page- | https://a.example/the-other/pag
//! https://a.example/old.html      <
//! ```

use super::grid::Row;
use super::signs::ends_url;
use super::{Block, CUT, Edits, PLAIN, WIDE};
use crate::view::width::{character, width};
use urlgrep_base::span::SeamKind;

/// The number of rows before that of the URL, and after it, that are read.
const NEAR: usize = 2;
/// The fewest bytes that both texts begin with.
const SAME: usize = "https://".len();
/// The fewest columns of one of the texts.
const HALF: usize = PLAIN / 2;

impl Block<'_> {
    /// Says that a URL is cut if it fills one of two texts.
    pub(super) fn beside(&self, out: &mut Edits) {
        let (bytes, colon) = (self.bytes(), self.page.colon);
        let len = bytes[colon..].iter().position(|&b| ends_url(b));
        let end = colon + len.unwrap_or(bytes.len() - colon);
        if !matches!(bytes[end..], [b' ', b'|', ..] | [b'\r' | b'\n', ..]) {
            return;
        }
        let Some(row) = self.row_of_colon(out) else {
            return;
        };
        let Some((left, right)) = halves(self.text(row)) else {
            return;
        };
        // The mark stands one column after the text if that is cut.
        let is_last = end == row.end && left.len() == right.len();
        let column = self.columns(row.start, row.start + left.len() + 1);
        if end != row.start + left.len() && !is_last || column < HALF {
            return;
        }
        let (mut above, mut below, mut shown) = (row, row, 0);
        for i in 0..NEAR {
            if let Some(before) = self.row_before(above.start) {
                above = before;
                shown += usize::from(self.is_beside(before, column));
            }
            if let Some(next) = below.next.map(|start| self.row(start)) {
                if next.next.is_none() && !self.page.is_end {
                    self.wants(next, NEAR - i, WIDE, out);
                    return;
                }
                below = next;
                shown += usize::from(self.is_beside(next, column));
            }
        }
        if shown > 0 {
            out.push(end, end, SeamKind::Row, CUT);
        }
    }

    /// True if the row has the same text on both sides of `column`, or a mark there that it is on one
    /// side only.
    fn is_beside(&self, row: Row, column: usize) -> bool {
        let text = self.text(row);
        let (mut at, mut to) = (0, 0);
        while at < text.len() && to < column {
            let (c, len) = character(&text[at..]);
            to += width(c, to);
            at += len;
        }
        let (left, right) = text.split_at(at);
        let mark = (to == column).then(|| right.first()).flatten();
        let is_one = match mark {
            Some(b'<') => right.len() == 1 && !left.trim_ascii().is_empty(),
            Some(b'>') => left.trim_ascii().is_empty() && right.len() > 1,
            _ => false,
        };
        let is_same = || {
            let left = left.trim_ascii_end();
            !left.is_empty() && left.len() < at && left == right.trim_ascii()
        };
        is_one || is_same()
    }
}

/// The two texts of a row that differ, if the first is as long as it can be. They are the same up to
/// what was changed.
fn halves(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mark = memchr::memchr_iter(b'|', text).find(|&at| {
        at > 1
            && text[at - 1] == b' '
            && text[at - 2] != b' '
            && matches!(text.get(at + 1), Some(b' ' | b'\t'))
    })?;
    let (left, right) = (&text[..mark - 1], text[mark + 1..].trim_ascii());
    let same = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    (same >= SAME).then_some((left, right))
}

/// True if a row that ends with a URL may be one of two texts side by side. This is a quick test of the
/// text, before a page is made.
pub(super) fn may_be_beside(row: &[u8]) -> bool {
    // Fast path: nearly no row has a bar.
    memchr::memchr(b'|', row).is_some() && halves(row).is_some()
}
