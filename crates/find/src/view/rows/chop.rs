//! Rows that the screen cuts: `less -S`, `nano`, `set nowrap` of vim. What stands to the right of
//! them is not in the text, so a URL that ends there is only its beginning.

use super::edge::{ABOVE, begins_record, is_hard};
use super::glance::{SEEN, in_paragraph, seen_above};
use super::grid::{Pane, Row};
use super::signs::{begins_prose, breaks_url, ends_url};
use super::{Block, Edits, PLAIN, SCREEN, STANDARD};
use crate::text::own_url::{are_entries, url_start};
use crate::text::schemes::slashes;
use crate::text::words::until_blank;
use crate::text::{records, screen};
use crate::view::width::columns;
use std::ops::Range;
use urlgrep_base::span::SeamKind;

/// The rows around one of them, in their order.
struct Rows<'h> {
    list: [&'h [u8]; FAR + 1 + BELOW],
    /// The index of the first, and of the row itself.
    first: usize,
    count: usize,
    /// No further row above is asked for.
    has_all_above: bool,
}

impl<'h> Rows<'h> {
    /// The rows around the one that ends before `rest`, with at most `most` before it. `above` ends
    /// before it. `None` if one of them is longer, but of those above only [`ABOVE`] count for that.
    /// A row with codes may be shorter than it seems. The last row is left out if its end has not come
    /// yet (`is_open`).
    fn around(
        above: &'h [u8],
        row: &'h [u8],
        rest: &'h [u8],
        most: usize,
        is_open: bool,
    ) -> Option<Rows<'h>> {
        let edge = columns(row);
        let is_shown = |b: &u8| matches!(b, b'\t' | b' '..=b'~');
        let is_longer = |other: &[u8]| other.len() > edge && other.iter().all(is_shown);
        let mut rows = Rows {
            list: [b""; FAR + 1 + BELOW],
            first: FAR,
            count: 1,
            has_all_above: false,
        };
        rows.list[FAR] = row;
        let mut above = above;
        while rows.first + most > FAR
            && let Some(text) = above.strip_suffix(b"\n")
        {
            let start = memchr::memrchr(b'\n', text).map_or(0, |lf| lf + 1);
            let before = without_cr(&text[start..]);
            if is_longer(before) {
                if rows.first + ABOVE > FAR {
                    return None;
                }
                rows.has_all_above = true;
                break;
            }
            rows.first -= 1;
            rows.list[rows.first] = before;
            above = &text[..start];
        }
        rows.has_all_above |= rows.first + most == FAR;
        let mut below = memchr::memchr(b'\n', rest).map(|lf| &rest[lf + 1..]);
        while rows.count <= BELOW
            && let Some(text) = below
        {
            let end = memchr::memchr(b'\n', text);
            if is_open && end.is_none() {
                break;
            }
            let next = without_cr(&text[..end.unwrap_or(text.len())]);
            if is_longer(next) {
                return None;
            }
            rows.list[FAR + rows.count] = next;
            rows.count += 1;
            below = end.map(|lf| &text[lf + 1..]);
        }
        Some(rows)
    }

    /// The other rows, each with the row below it.
    fn others(&self) -> impl Iterator<Item = (&'h [u8], &'h [u8])> {
        let end = FAR + self.count;
        let others = (self.first..end).filter(|&i| i != FAR);
        others.map(move |i| {
            let below = if i + 1 < end { self.list[i + 1] } else { b"" };
            (self.list[i], below)
        })
    }
}

fn without_cr(row: &[u8]) -> &[u8] {
    row.strip_suffix(b"\r").unwrap_or(row)
}

/// True if the screen may cut the row that ends at `end`, as it cut another of the rows around it.
/// This is a quick test of the text, before a page is made: what [`Block::chop`] measures, but a row
/// that is not of ASCII may be of any width. `is_end` if no byte follows `bytes`.
pub(super) fn may_be_chopped(bytes: &[u8], end: usize, is_end: bool) -> bool {
    let (seen, is_all_above) = seen_above(bytes, end);
    let start = memchr::memrchr(b'\n', seen).map_or(0, |lf| lf + 1);
    let (above, row) = seen.split_at(start);
    let edge = columns(row);
    if !(PLAIN..=SCREEN).contains(&edge) {
        return false;
    }
    let (rest, is_end) = in_paragraph(&bytes[end..bytes.len().min(end + SEEN)], is_end);
    let below = rest
        .iter()
        .position(|&b| b == b'\n')
        .map(|lf| &rest[lf + 1..]);
    if STANDARD.contains(&edge) && below.is_some_and(|below| below.starts_with(b"--More--")) {
        return true;
    }
    let is_odd = row.last().is_some_and(|b| ODD.contains(b));
    let most = if is_odd || STANDARD.contains(&edge) {
        FAR
    } else {
        ABOVE
    };
    let is_open = !is_end && rest.len() < SEEN;
    let Some(rows) = Rows::around(above, row, rest, most, is_open) else {
        return false;
    };
    let len = last_word(row).len();
    // A row has at most as many columns as bytes, if it has no tabs. One with more bytes is not of
    // ASCII. Rows with URLs of one length may be a list.
    let is_alike = |row: &[u8]| {
        let word = last_word(row);
        word.len() == len && slashes(word).is_some()
    };
    let may_be_full = |other: &[u8]| other.len() > edge || other.len() == edge && !is_alike(other);
    let full = rows.others().filter(|(row, _)| may_be_full(row)).count();
    let is_whole = is_end && rest.len() < SEEN;
    let are_all = (rows.has_all_above || is_all_above) && (rows.count > BELOW || is_whole);
    if !are_all {
        return true;
    }
    if has_mark_of_screen(&rows, row, edge) {
        return true;
    }
    if full == 0 && !STANDARD.contains(&edge) {
        return false;
    }
    let is_alone = is_url_alone(row);
    let is_of_host = |other: &[u8]| {
        !is_alone && other.len() == edge && is_alike(other) && has_other_host(row, other)
    };
    let hosts = rows.others().filter(|(row, _)| is_of_host(row)).count();
    if full == 0 && hosts < SHOWN {
        return false;
    }
    let mut full_rows = rows.others().filter(|(other, _)| may_be_full(other));
    if is_alone && full_rows.any(|(other, _)| is_url_alone(other)) {
        return true;
    }
    shows_screen(&rows, row, edge, full + hosts)
}

/// True if a mark at the end of `row`, or a line of state, may show that the screen cuts its rows.
fn has_mark_of_screen(rows: &Rows<'_>, row: &[u8], edge: usize) -> bool {
    let mark = row.last().filter(|b| b"$\\>".contains(b));
    let has_mark = |other: &[u8]| {
        other.len() >= edge && (other.last() == mark || mark == Some(&b'>') && is_title(other))
    };
    let is_lone = match mark {
        Some(b'>') => is_lone_bracket(row, edge),
        Some(b'$') => STANDARD.contains(&edge),
        _ => false,
    };
    if is_lone || mark.is_some() && rows.others().any(|(other, _)| has_mark(other)) {
        return true;
    }
    let has_bar = |(other, _): (&[u8], _)| other.len() == edge && is_bar_of_state(other);
    rows.others().any(has_bar)
}

/// True if the `rows` around `row`, of which `full` end in the column `edge`, may show that the screen cuts
/// them.
fn shows_screen(rows: &Rows<'_>, row: &[u8], edge: usize, full: usize) -> bool {
    let is_of_words = |&(other, below): &(&[u8], &[u8])| {
        let below = below.trim_ascii_start();
        let is_short = other.len() + 1 + until_blank(below).len() > edge;
        is_short
            && !is_word_of(below, edge)
            && (1..edge - 1).contains(&other.len())
            && other.is_ascii()
            && !begins_record(below)
    };
    let of_words = rows.others().filter(is_of_words).count();
    if STANDARD.contains(&edge) {
        of_words == 0 || full >= SHOWN
    } else if of_words == 0 && row.last().is_some_and(|b| ODD.contains(b)) {
        true
    } else {
        // The URL may also go on in the next row, if that is no prose.
        let below = rows.list.get(FAR + 1).filter(|_| rows.count > 1);
        let is_prose = below.is_some_and(|row| begins_prose(until_blank(row.trim_ascii_start())));
        full >= SHOWN && (2 * of_words <= full || !is_prose)
    }
}

pub(super) fn last_word(row: &[u8]) -> &[u8] {
    let blank = memchr::memrchr(b' ', row);
    &row[blank.map_or(0, |at| at + 1)..]
}

/// True if the row `text` is an entry of the same list as the row `own`, which ends with a URL.
fn is_entry_beside(own: &[u8], text: &[u8]) -> bool {
    url_start(own).is_some_and(|at| are_entries(&own[..at], text))
}

/// True if the row `text` is one word, which fills the width `edge`.
fn is_word_of(text: &[u8], edge: usize) -> bool {
    text.len() >= edge && !text.contains(&b' ')
}

/// True if a row has more brackets that close than such as open.
fn has_unopened(row: &[u8]) -> bool {
    memchr::memchr_iter(b'>', row).count() > memchr::memchr_iter(b'<', row).count()
}

/// True if a row has more brackets that open than such as close.
fn has_unclosed(row: &[u8]) -> bool {
    memchr::memchr_iter(b'<', row).count() > memchr::memchr_iter(b'>', row).count()
}

/// True if `row`, which has `edge` columns, ends with a `>` that closes no bracket. An arrow after a URL
/// is text, unless the width is a usual one.
fn is_lone_bracket(row: &[u8], edge: usize) -> bool {
    let is_arrow = row.ends_with(b"->") || row.ends_with(b"=>");
    has_unopened(row) && (!is_arrow || STANDARD.contains(&edge))
}

/// True for a line that a program draws over the whole width of the screen: the line of state of mutt.
pub(super) fn is_bar_of_state(row: &[u8]) -> bool {
    row.starts_with(b"-") && row.ends_with(b"--") && row.iter().any(u8::is_ascii_alphabetic)
}

/// True if the last words of both rows are URLs with other hosts.
pub(super) fn has_other_host(own: &[u8], other: &[u8]) -> bool {
    let host = |row: &'_ [u8]| {
        let at = slashes(row)? + 3;
        let len = row[at..].iter().position(|b| b"/?#: ".contains(b));
        Some((at, at + len.unwrap_or(row.len() - at)))
    };
    match (host(own), host(other)) {
        (Some(mine), Some(theirs)) => own[mine.0..mine.1] != other[theirs.0..theirs.1],
        _ => false,
    }
}

/// True for the title of nano, which fills the screen with blanks.
fn is_title(row: &[u8]) -> bool {
    row.starts_with(b"  ") && row.ends_with(b"  ") && !row.trim_ascii().is_empty()
}

/// True if a row has one URL, and before it at most a mark or a number.
fn is_url_alone(row: &[u8]) -> bool {
    let name = slashes(row).map(|at| &row[..at]);
    name.is_some_and(|name| {
        let mark = name.iter().take_while(|b| !b.is_ascii_alphabetic()).count();
        !name[mark..].contains(&b' ') && !row[name.len()..].contains(&b' ')
    })
}

/// What stands in a view after a URL of which only the beginning is there.
pub(super) const CUT: &[u8] = "…".as_bytes();
/// What vim draws at the right of the last row of the screen if the line does not fit.
pub(super) const NO_ROOM: &[u8] = b"@@@";
/// Bytes with which few URLs end.
const ODD: &[u8] = b"-_=&%?#+~(";
/// The number of rows before that of the URL that are read where the others do not show that the
/// screen cuts its rows.
const FAR: usize = 12;
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
    /// The rows that end there with a `>` that closes no bracket of theirs.
    unopened: usize,
    /// The rows that end there with a URL that may be whole, as each line of a list does.
    whole: usize,
    /// The rows that end there with a URL of another host, of the same length. A list seldom has two.
    hosts: usize,
    /// A line of state ends there, which a program draws over the whole width.
    has_bar: bool,
    /// A row is longer. Then nothing is counted.
    is_longer: bool,
}

impl Right {
    /// True if rows beyond a border end there too, without regard to words.
    pub(super) fn shows_width(&self) -> bool {
        let shown = self.full - self.whole;
        !self.is_longer && shown >= SHOWN && is_hard(shown, self.of_words, self.nearly)
    }
}

impl Block<'_> {
    /// Says that a URL is cut if its row ends at the right edge of the screen.
    pub(super) fn chop(&self, out: &mut Edits) {
        if let Some(mark) = self.find_cut(out) {
            out.push(mark.start, mark.end, SeamKind::Row, CUT);
        }
    }

    /// Where the screen cuts the URL: the bytes of its mark, which may be none. `None` if it does not, or
    /// if the page does not have the rows that show it.
    fn find_cut(&self, out: &mut Edits) -> Option<Range<usize>> {
        let (bytes, colon) = (self.bytes(), self.page.colon);
        let len = bytes[colon..].iter().position(|&b| ends_url(b))?;
        let end = colon + len;
        let rest = bytes[end..].strip_prefix(b">").unwrap_or(&bytes[end..]);
        if !matches!(rest, [] | [b'\r' | b'\n', ..]) {
            return None;
        }
        let row = self.row_of_colon(out)?;
        if end == row.end && bytes[..end].ends_with(NO_ROOM) {
            return Some(end - NO_ROOM.len()..end);
        }
        // `man` puts a URL in such brackets, and a pager has broken its lines again.
        let name = bytes[..colon]
            .iter()
            .rev()
            .take_while(|b| b.is_ascii_alphanumeric());
        if bytes[..colon - name.count()].ends_with("⟨".as_bytes()) && end == row.end {
            return Some(end..end);
        }
        let mark = match bytes.get(end) {
            Some(b'>') if end + 1 == row.end => Some(b'>'),
            _ if end != row.end => return None,
            _ => bytes[..end]
                .last()
                .filter(|b| matches!(b, b'$' | b'\\'))
                .copied(),
        };
        let edge = self.columns(row.start, row.end);
        let is_standard = STANDARD.contains(&edge);
        // A full stop is rather that of a sentence.
        let is_word =
            bytes[end - 1].is_ascii_alphanumeric() || b"/-_=&%?#+~(".contains(&bytes[end - 1]);
        let may_be_cut = is_word || mark.is_some();
        if !(PLAIN..=SCREEN).contains(&edge) || !may_be_cut || self.is_above_request(row) {
            return None;
        }
        // What follows the row is not on the screen.
        let is_above_prompt = mark.is_none()
            && is_standard
            && row
                .next
                .is_some_and(|next| screen::is_prompt_for_more(self.text(self.row(next))));
        if is_above_prompt {
            return Some(end..end);
        }
        let mut is_cut = self.is_cut_at(row, edge, mark, ABOVE, out)?;
        // One more row that is full is enough there.
        if !is_cut && (is_standard || ODD.contains(&bytes[end - 1])) {
            is_cut = self.is_cut_at(row, edge, mark, FAR, out)?;
        }
        is_cut.then(|| row.end - usize::from(mark.is_some())..row.end)
    }

    /// True if the rows around `row`, of which `above` are before it, show that the screen cuts the URL
    /// at its end in the column `edge`. `None` if the page does not have them.
    fn is_cut_at(
        &self,
        row: Row,
        edge: usize,
        mark: Option<u8>,
        above: usize,
        out: &mut Edits,
    ) -> Option<bool> {
        let word = self.last_word(row);
        let right = self.right_edge(row, edge, mark, above, word.len(), out)?;
        let is_standard = STANDARD.contains(&edge);
        let is_cut = match mark {
            // The mark in the same column of two other rows closes no bracket.
            Some(b'>') if word.contains(&b'<') => right.unopened >= SHOWN,
            Some(mark) => right.full > 0 || self.is_lone_mark(row, mark, edge),
            // A browser wraps words, and cuts those that are longer than the screen.
            None if right.urls > 0 || right.has_bar => true,
            None if is_standard && right.hosts >= SHOWN => true,
            None if is_standard => right.full > 0 && right.of_words == 0,
            None => {
                right.full > 0
                    && right.full + right.hosts >= SHOWN
                    && 2 * right.of_words <= right.full
            }
        };
        Some(is_cut && !right.is_longer)
    }

    /// True if `mark`, at the end of `row` only, shows that the screen cuts it: a `>` that closes
    /// nothing, or the `$` of Emacs in the last column of a usual width.
    fn is_lone_mark(&self, row: Row, mark: u8, edge: usize) -> bool {
        let text = self.text(row);
        let mut above = row;
        let mut is_open = || {
            (0..ABOVE).any(|_| {
                let before = self.row_before(above.start);
                above = before.unwrap_or(above);
                before.is_some_and(|row| has_unclosed(self.text(row)))
            })
        };
        match mark {
            b'>' => is_lone_bracket(text, edge) && !is_open(),
            b'$' => STANDARD.contains(&edge),
            _ => false,
        }
    }

    /// Counts the rows around `row`, whose last word has `len` bytes, that end in the column `edge`.
    /// At most `most` of them are before it. `None` if the page does not have them.
    pub(super) fn right_edge(
        &self,
        row: Row,
        edge: usize,
        mark: Option<u8>,
        most: usize,
        len: usize,
        out: &mut Edits,
    ) -> Option<Right> {
        let is_known = mark.is_none() && most == ABOVE;
        if let Some(right) = self.right.get().filter(|_| is_known) {
            return Some(right);
        }
        let mut right = Right {
            is_longer: self.columns(row.start, row.end) > edge,
            ..Right::default()
        };
        let mut rows = Vec::with_capacity(most + 1 + BELOW);
        let mut above = row;
        for _ in 0..most {
            let Some(before) = self.row_before(above.start) else {
                break;
            };
            let columns = self.columns(before.start, before.end);
            right.is_longer |= columns > edge && rows.len() < ABOVE;
            if columns > edge {
                break;
            }
            rows.push((before, columns));
            above = before;
        }
        rows.reverse();
        let own = rows.len();
        rows.push((row, edge));
        let mut below = row;
        for i in 0..BELOW {
            // A longer row shows that the screen does not cut its rows, whatever the others say.
            if right.is_longer {
                break;
            }
            let Some(next) = below.next.map(|start| self.row(start)) else {
                break;
            };
            if next.next.is_none() && !self.page.is_end {
                self.wants(next, BELOW - i, edge, out);
                return None;
            }
            rows.push((next, self.columns(next.start, next.end)));
            below = next;
            right.is_longer = rows[rows.len() - 1].1 > edge;
        }
        if !right.is_longer {
            self.count_full(&rows, own, edge, mark, len, &mut right);
        }
        if is_known {
            self.right.set(Some(right));
        }
        Some(right)
    }

    /// Counts the `rows`, of which one is the URL's `own`, each with its columns. None has more than
    /// `edge`.
    fn count_full(
        &self,
        rows: &[(Row, usize)],
        own: usize,
        edge: usize,
        mark: Option<u8>,
        len: usize,
        right: &mut Right,
    ) {
        let own_text = self.text(rows[own].0);
        let is_own_alone = is_url_alone(own_text);
        for (i, &(here, columns)) in rows.iter().enumerate() {
            let text = self.text(here);
            if i == own || text.is_empty() {
                continue;
            }
            if columns == edge {
                // Entries of one list may be as long by chance.
                let is_entry = mark.is_none() && is_entry_beside(own_text, text);
                let is_full = !is_entry && self.shows_edge(here, mark, len);
                let is_host =
                    mark.is_none() && !is_full && !is_own_alone && has_other_host(own_text, text);
                right.hosts += usize::from(is_host);
                right.has_bar |= mark.is_none() && is_bar_of_state(text);
                right.full += usize::from(is_full);
                let below = rows.get(i + 1).map_or(&b""[..], |next| self.text(next.0));
                let last = last_word(text);
                let is_whole = || slashes(last).is_some() && !breaks_url(last, below);
                right.whole += usize::from(is_full && is_whole());
                right.unopened += usize::from(is_full && has_unopened(text));
                right.urls += usize::from(is_full && is_own_alone && is_url_alone(text));
                continue;
            }
            let below = rows.get(i + 1).map_or(&b""[..], |next| self.text(next.0));
            let below = below.trim_ascii_start();
            if columns + 1 + until_blank(below).len() > edge && !begins_record(below) {
                // A word that fills its row would not have fitted anywhere.
                let is_long = is_word_of(below, edge);
                let is_nearly = columns + 1 == edge || is_long;
                right.nearly += usize::from(is_nearly);
                right.of_words += usize::from(!is_nearly);
            }
        }
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
            return text.last() == Some(&mark) || mark == b'>' && is_title(text);
        }
        let word = self.last_word(here);
        let is_alike = word.len() == len && slashes(word).is_some();
        let gaps = text
            .trim_ascii()
            .windows(3)
            .filter(|three| three[0] != b' ' && three[1..] == *b"  ");
        let is_text = self.cell(here, Pane::default()).is_some() && !self.is_base64(here);
        is_text && !is_alike && gaps.count() < SHOWN
    }

    /// The last word of a row.
    pub(super) fn last_word(&self, row: Row) -> &[u8] {
        last_word(self.text(row))
    }
}
