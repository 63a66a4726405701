//! Rows that the screen cuts: `less -S`, `nano`, `set nowrap` of vim. What stands to the right of
//! them is not in the text, so a URL that ends there is only its beginning.

use super::edge::{begins_record, is_hard};
use super::grid::{Pane, Row};
use super::signs::ends_url;
use super::{Block, Edits, PLAIN, SCREEN, STANDARD, WIDE};
use crate::scan::records;
use crate::scan::words::until_blank;
use urlgrep_base::span::SeamKind;

/// True if a row has one URL, and before it at most a mark or a number.
pub(super) fn is_url_alone(row: &[u8]) -> bool {
    let name = memchr::memmem::find(row, b"://").map(|at| &row[..at]);
    name.is_some_and(|name| {
        let mark = name.iter().take_while(|b| !b.is_ascii_alphabetic()).count();
        !name[mark..].contains(&b' ') && !row[name.len()..].contains(&b' ')
    })
}

/// What stands in a view after a URL of which only the beginning is there.
const CUT: &[u8] = "…".as_bytes();
/// The number of rows before that of the URL that are read.
pub(super) const ABOVE: usize = 4;
/// The number of rows after it that are read.
pub(super) const BELOW: usize = 6;
/// The number of other rows that must end in the same column.
const SHOWN: usize = 2;

/// What the rows around show of the right edge of the screen.
#[derive(Clone, Copy, Default)]
pub(super) struct Right {
    /// The number of rows that end there, and with the same mark if the URL has one.
    full: usize,
    /// The rows that end before it, because the next word did not fit.
    of_words: usize,
    /// The rows that end one column before it.
    nearly: usize,
    /// The rows that end there and have only a URL of another length, if that of the URL has too.
    urls: usize,
    is_longer: bool,
}

impl Right {
    /// True if rows of other paragraphs end there too, without regard to words.
    pub(super) fn shows_width(&self) -> bool {
        !self.is_longer && self.full >= SHOWN && is_hard(self.full, self.of_words, self.nearly)
    }
}

impl Block<'_> {
    /// Says that a URL is cut if its row ends at the right edge of the screen.
    pub(super) fn chop(&self, out: &mut Edits) -> Option<()> {
        let (bytes, colon) = (self.bytes(), self.page.colon);
        let len = bytes[colon..].iter().position(|&b| ends_url(b))?;
        let end = colon + len;
        let rest = bytes[end..].strip_prefix(b">").unwrap_or(&bytes[end..]);
        if !matches!(rest, [] | [b'\r' | b'\n', ..]) {
            return None;
        }
        let row = self.row_of_colon(out)?;
        let mark = match bytes.get(end) {
            Some(b'>') if end + 1 == row.end => Some(b'>'),
            _ if end != row.end => return None,
            _ => bytes[..end]
                .last()
                .filter(|b| matches!(b, b'$' | b'\\'))
                .copied(),
        };
        let edge = self.columns(row.start, row.end);
        let is_word =
            bytes[end - 1].is_ascii_alphanumeric() || b"/-_=&%?#+~.".contains(&bytes[end - 1]);
        let may_be_cut = is_word || mark.is_some();
        if !(PLAIN..=SCREEN).contains(&edge) || !may_be_cut || self.is_above_request(row) {
            return None;
        }
        let word = self.last_word(row);
        let right = self.right_edge(row, edge, mark, word.len(), out)?;
        let is_cut = match mark {
            Some(b'>') => right.full > 0 && !word.contains(&b'<'),
            Some(_) => right.full > 0,
            // A browser wraps words, and cuts those that are longer than the screen.
            None if right.urls > 0 => true,
            None if STANDARD.contains(&edge) => right.full > 0 && right.of_words == 0,
            None => right.full >= SHOWN && 2 * right.of_words <= right.full,
        };
        if right.is_longer || !is_cut {
            return None;
        }
        let from = row.end - usize::from(mark.is_some());
        out.push(from, row.end, SeamKind::Row, CUT);
        Some(())
    }

    /// Counts the rows around `row`, whose last word has `len` bytes, that end in the column `edge`.
    /// `None` if the page does not have them.
    pub(super) fn right_edge(
        &self,
        row: Row,
        edge: usize,
        mark: Option<u8>,
        len: usize,
        out: &mut Edits,
    ) -> Option<Right> {
        if let Some(right) = self.right.get().filter(|_| mark.is_none()) {
            return Some(right);
        }
        let mut rows = Vec::new();
        let mut above = row;
        for _ in 0..ABOVE {
            let Some(before) = self.row_before(above.start) else {
                break;
            };
            rows.push(before);
            above = before;
            if before.end - before.start > WIDE {
                break;
            }
        }
        rows.reverse();
        rows.push(row);
        let mut below = row;
        for _ in 0..BELOW {
            let Some(next) = below.next.map(|start| self.row(start)) else {
                break;
            };
            if next.next.is_none() && !self.page.is_end {
                self.undecided(out);
                return None;
            }
            rows.push(next);
            below = next;
            if next.end - next.start > WIDE {
                break;
            }
        }
        let mut right = Right::default();
        for (i, &here) in rows.iter().enumerate() {
            let columns = self.columns(here.start, here.end);
            right.is_longer |= columns > edge;
            if here.start == row.start {
                continue;
            }
            let text = self.text(here);
            let below = rows.get(i + 1).map_or(&b""[..], |&next| self.text(next));
            if columns == edge {
                let is_full = self.shows_edge(here, mark, len);
                right.full += usize::from(is_full);
                let has_both = is_url_alone(self.text(here)) && is_url_alone(self.text(row));
                right.urls += usize::from(is_full && has_both);
            } else if !text.is_empty() && !begins_record(below.trim_ascii_start()) {
                let next = until_blank(below.trim_ascii_start());
                let is_short = columns + 1 + next.len() > edge;
                right.nearly += usize::from(is_short && columns + 1 == edge);
                right.of_words += usize::from(is_short && columns + 1 != edge);
            }
        }
        self.right.set(Some(right));
        Some(right)
    }

    /// True if the row below is a line of a program or of a manual.
    fn is_above_request(&self, row: Row) -> bool {
        row.next.is_some_and(|next| {
            let text = self.text(self.row(next));
            let word = until_blank(text);
            records::is_of_program(word, &text[word.len()..])
        })
    }

    /// True if the row `here` shows where the screen ends. One whose last word is a URL of `len`
    /// bytes may be an item of the same list, and justified text has wide blanks.
    fn shows_edge(&self, here: Row, mark: Option<u8>, len: usize) -> bool {
        let text = self.text(here);
        if let Some(mark) = mark {
            return text.last() == Some(&mark);
        }
        let word = self.last_word(here);
        let is_alike = word.len() == len && memchr::memmem::find(word, b"://").is_some();
        let gaps = text
            .trim_ascii()
            .windows(3)
            .filter(|three| three[0] != b' ' && three[1..] == *b"  ");
        let is_text = self.cell(here, Pane::default()).is_some() && !self.is_base64(here);
        is_text && !is_alike && gaps.count() < SHOWN
    }

    /// The last word of a row.
    pub(super) fn last_word(&self, row: Row) -> &[u8] {
        let text = self.text(row);
        let word = text.rsplit(|&b| b == b' ').next();
        word.unwrap_or_default()
    }
}
