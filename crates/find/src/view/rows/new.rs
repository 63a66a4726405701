//! Decides whether a row is something new, which no URL goes on with: an item of a list, a record, a
//! prompt, a row of a table.

use super::chop::is_bar_of_state;
use super::edge::begins_record;
use super::grid::{Cell, Row};
use super::signs::{
    ends_file, ends_item, has_parameter, is_entry, is_labelled, is_of_url, key_len,
};
use super::{Block, GUTTER};
use crate::text::bars::{self, is_drawn};
use crate::text::extension::is_extension;
use crate::text::own_url::{are_entries, has_own_url, has_url_apart};
use crate::text::schemes::slashes;
use crate::text::words::{is_number_of_item, until_blank};
use crate::text::{comment, records, screen};

/// The length of a word that is too long for the number of an item.
const ITEM: usize = 5;

/// What vim draws in the rows below the end of the text.
const END_OF_TEXT: &[u8] = b"~";

impl<'p> Block<'p> {
    /// True if the row `next` is no part of a URL: an item of a list, a record, a prompt, a row with
    /// a number of its own, or a row of a table. The URL begins at `start` in `cell`, the text of
    /// `row`, and has `count` rows so far.
    pub(super) fn is_new(
        &self,
        row: Row,
        next: Row,
        below: Cell,
        (cell, start): (Cell, usize),
        count: usize,
    ) -> bool {
        let bytes = self.bytes();
        let text = &bytes[below.start..below.end];
        let word = until_blank(text);
        let gap = &text[word.len()..];
        let rest = gap.trim_ascii_start();
        let url = &bytes[start..below.start];
        // The bracket that closes around the URL is none.
        let is_bracketed = bytes[..start].ends_with(b"<") && word.ends_with(b">");
        let is_mark = |b: &u8| b"$#%>".contains(b) && !is_bracketed;
        // A program that waits for a line has its prompt alone in the row.
        let is_waiting = word.ends_with(b">") && !bytes[row.start..start].contains(&b'<');
        let is_prompt =
            word.last().is_some_and(is_mark) && !rest.is_empty() || word == b"$" || is_waiting;
        // Marks of comments: `//!`, `;;`.
        let is_text = |b: &u8| b.is_ascii_alphanumeric() || *b >= 0x80;
        let is_leader = word.len() > 1 && !rest.is_empty() && !word.iter().any(is_text);
        let is_item = matches!(word, b"-" | b"*" | b"+" | b"--" | b"=>")
            || begins_item(word, rest, count) && !self.is_broken_table(row, next);
        // A shell has a bar after a URL that is only the end of the row.
        let is_table = bars::side(rest).is_some()
            && (self.has_side(row) || !has_parameter(url, word))
            && !self.is_broken_table(row, next);
        // A value fills its row only by chance.
        let is_full = below.to == cell.to && rest.is_empty() && word.contains(&b'/');
        let is_key = is_key(&bytes[cell.start..start], url, word, (count, is_full));
        // The line of Emacs below a window, and that of mutt below an index.
        let is_mode_line = text.starts_with(b"-")
            && memchr::memmem::find(word, b"---").is_some()
            && !rest.is_empty()
            || is_bar_of_state(text);
        let own = &bytes[cell.start..start];
        let has_own_url = || is_entry_of_urls(own, url.trim_ascii_end(), text, count);
        if count == 1 && (self.is_broken || self.is_of_program) {
            return is_mode_line
                || !text.first().is_some_and(|&b| is_of_url(b))
                || !self.is_broken && has_own_url();
        }
        // A branch or a change of the repository.
        let is_revision = bytes[start..cell.end].ends_with(b".git")
            && word.first().is_some_and(u8::is_ascii_alphanumeric);
        // A fragment begins a row only by chance.
        let is_slug = memchr::memchr_iter(b'-', word).count() > 1 && !word.starts_with(b"#EXT");
        let is_comment = text.starts_with(b"#") && (count == 1 && !is_slug || !rest.is_empty());
        is_comment
            || count == 1 && ends_item(&bytes[start..cell.end])
            || is_mode_line
            || text.starts_with(b"--")
            || is_revision
            || !text.first().is_some_and(|&b| is_of_url(b))
            || has_own_url()
            || is_prompt
            || records::is_prompt(word)
            || text == END_OF_TEXT
            || is_item
            || is_leader
            || is_table
            || is_key
            || is_labelled(text) && is_labelled(own)
            || is_entry(own, word, gap)
            || records::is_of_program(word, gap)
            || are_settings(own, url.trim_ascii_end(), word)
            || screen::is_state_line(text)
            || self.ends_comment((row, start), (next, below))
            || begins_record(text)
            || !rest.is_empty() && records::begin_alike(until_blank(own), word)
            || self.has_other_number(row, next, cell, below)
            || self.has_next_number(row, next)
            || begins_later_line(self.text(row), self.text(next))
    }

    /// True if the text `below` of the row `next` stands outside of the comment in which the URL begins at
    /// `start` in `row`. What a program has broken there is no line of its own.
    fn ends_comment(&self, (row, start): (Row, usize), (next, below): (Row, Cell)) -> bool {
        let bytes = self.bytes();
        !(self.is_broken || self.is_of_program)
            && comment::ends_before(
                &bytes[row.start..start],
                &bytes[next.start..below.start],
                &bytes[below.start..below.end],
            )
    }

    /// True if both rows begin with a number in the same columns, and that of `next` is one more.
    fn has_next_number(&self, row: Row, next: Row) -> bool {
        let number = |row: Row| {
            let text = self.text(row);
            let from = text.iter().position(|&b| b != b' ')?;
            let digits = text[from..].iter().take_while(|b| b.is_ascii_digit());
            let to = from + digits.count();
            let digits = std::str::from_utf8(&text[from..to]).ok()?;
            let ends = matches!(text.get(to), None | Some(b' '));
            ends.then_some((to, digits.parse::<u32>().ok()?))
        };
        // A number beyond a bar is of another pane.
        let is_beyond = |bar: &(usize, usize, char)| is_drawn(bar.2) && bar.1 < self.page.colon;
        let mine = number(row).filter(|_| !self.bars(row).iter().any(is_beyond));
        mine.is_some_and(|(to, count)| number(next) == Some((to, count.saturating_add(1))))
    }

    /// True if both rows have a number before their text, and not the same.
    fn has_other_number(&self, row: Row, next: Row, cell: Cell, below: Cell) -> bool {
        let bytes = self.bytes();
        let number = |from: usize, to: usize| {
            if to > from + GUTTER {
                return None;
            }
            let text = bytes[from..to.max(from)].trim_ascii();
            let text = text
                .strip_suffix("│".as_bytes())
                .unwrap_or(text)
                .trim_ascii();
            let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
            is_number.then_some(text)
        };
        let mine = number(row.start, cell.start);
        let theirs = number(next.start, below.start);
        mine.is_some() && theirs.is_some() && mine != theirs
    }
}

/// True if the row with `text`, below `count` rows of `url`, has a URL of its own. `own` is what stands
/// before the URL. After two rows that are full the first word is the rest, and another URL may follow.
fn is_entry_of_urls(own: &[u8], url: &[u8], text: &[u8], count: usize) -> bool {
    let open = text.iter().take_while(|b| b"([<{\"'".contains(b)).count();
    let word = until_blank(&text[open..]);
    has_own_url(url, word)
        || count == 1 && has_url_apart(&text[open + word.len()..])
        || are_entries(own, text)
}

/// True if both rows begin with the number of a line as `grep -n` and `rg` print it, and that of `next`
/// is larger: `6:` and `9:`, or `6-` around what was found.
fn begins_later_line(row: &[u8], next: &[u8]) -> bool {
    /// So that the number is one of 32 bits.
    const DIGITS: usize = 7;
    let number = |row: &[u8]| {
        let digits = row.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > DIGITS || !matches!(row.get(digits), Some(b':' | b'-')) {
            return None;
        }
        std::str::from_utf8(&row[..digits])
            .ok()?
            .parse::<u32>()
            .ok()
    };
    let (mine, below) = (number(row), number(next));
    mine.is_some() && below > mine
}

/// True if `word` is the number of an item, with the `rest` of its row after it. The URL has `count`
/// rows so far: the last digits of one that has filled two are no number.
fn begins_item(word: &[u8], rest: &[u8], count: usize) -> bool {
    let number = word.strip_suffix(b":").unwrap_or(word);
    let may_be_rest = count > 1 && number.iter().all(u8::is_ascii_digit) && slashes(rest).is_none();
    !rest.is_empty() && word.len() < ITEM && is_number_of_item(word) && !may_be_rest
}

/// True if the last row of `url` ends inside of an extension, of which `name` is the rest: `.htm` and `l`.
fn ends_extension(url: &[u8], name: &[u8]) -> bool {
    let url = url.trim_ascii_end();
    let dot = memchr::memrchr(b'.', url).filter(|dot| url.len() - dot < ITEM);
    dot.is_some_and(|dot| name.len() < ITEM && is_extension(&[&url[dot + 1..], name].concat()))
}

/// True if the URL is the value of a name, and `word` another name with its value. A row that begins with
/// something else is no line of settings, and the open query of its URL goes on.
fn are_settings(own: &[u8], url: &[u8], word: &[u8]) -> bool {
    if matches!(own.last(), Some(b'"' | b'\'')) {
        return false;
    }
    let first = until_blank(own);
    let begins_record = first.len() < own.trim_ascii().len() && begins_record(first);
    let is_open = url.contains(&b'?') && begins_record;
    !is_open && records::are_settings(own, url, word)
}

/// True if `word` is the name of another value, or a name with its value: `status:`, `size=4`. A URL
/// with a query may go on so, and so may one whose row and the next are full (`is_full`). `own` is the
/// text before it, and `url` what it has in `count` rows.
fn is_key(own: &[u8], url: &[u8], word: &[u8], (count, is_full): (usize, bool)) -> bool {
    let Some(len) = key_len(word) else {
        return false;
    };
    let is_value = word.get(len) == Some(&b'=') && word.len() > len + 1;
    // Inside of quotation marks no line of settings begins.
    let is_quoted = matches!(own.last(), Some(b'"' | b'\''));
    let own = until_blank(own);
    let is_assigned = !is_quoted && key_len(own).is_some_and(|len| own.get(len) == Some(&b'='));
    // A value that filled two rows was not alone in its row.
    // A query whose names have no capitals goes on with none that is of capitals.
    let is_other = word[..len].iter().all(u8::is_ascii_uppercase)
        && len > 1
        && !url.iter().any(u8::is_ascii_uppercase);
    let is_joined = !is_assigned && !is_other || word.contains(&b'&') || count > 1;
    let is_open = url.contains(&b'?') && is_joined || is_full && !is_assigned;
    let name = word.strip_suffix(b":").unwrap_or(word);
    let is_path =
        word.contains(&b'/') || ends_file(url, name) || count > 1 && ends_extension(url, name);
    let is_label = word.ends_with(b":") && word.get(len) == Some(&b':');
    is_label && !is_path || is_value && !is_open
}
