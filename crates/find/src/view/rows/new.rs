//! Decides whether a row is something new, which no URL goes on with: an item of a list, a record, a
//! prompt, a row of a table.

use super::chop::is_bar_of_state;
use super::edge::begins_record;
use super::grid::{Bar, Cell, Row};
use super::signs::{
    completes_file, ends_item, has_parameter, is_entry, is_labelled, is_of_url, key_len,
};
use super::{Block, GUTTER, Place};
use crate::text::bars::{self, is_drawn};
use crate::text::extension::is_extension;
use crate::text::own_url::{are_entries, has_own_url, has_url_apart};
use crate::text::schemes::{slashes, starts_url};
use crate::text::words::{is_number_of_item, until_blank};
use crate::text::{commands, comment, records, screen};

/// The length of a word that is too long for the number of an item.
const ITEM: usize = 5;

/// What vim draws in the rows below the end of the text.
const END_OF_TEXT: &[u8] = b"~";

/// The text of a row below a URL.
#[derive(Clone, Copy)]
struct Line<'p> {
    text: &'p [u8],
    /// Its first word.
    word: &'p [u8],
    /// What follows the word.
    gap: &'p [u8],
    /// The same without blanks around it.
    rest: &'p [u8],
}

impl<'p> Line<'p> {
    fn of(text: &'p [u8]) -> Line<'p> {
        let word = until_blank(text);
        let gap = &text[word.len()..];
        Line {
            text,
            word,
            gap,
            rest: gap.trim_ascii_start(),
        }
    }

    fn begins_as_url(self) -> bool {
        self.text.first().is_some_and(|&b| is_of_url(b))
    }

    /// The line of Emacs below a window, or that of mutt below an index.
    fn is_mode_line(self) -> bool {
        let has_dashes = || memchr::memmem::find(self.word, b"---").is_some();
        self.text.starts_with(b"-") && has_dashes() && !self.rest.is_empty()
            || is_bar_of_state(self.text)
    }

    /// What a program draws in a row of its own, and no text has.
    fn is_of_screen(self) -> bool {
        self.is_mode_line()
            || self.text == END_OF_TEXT
            || self.text.starts_with(b"--")
            || records::is_prompt(self.word)
            || screen::is_state_line(self.text)
    }

    /// A comment. A fragment begins a row only by chance. The URL has `count` rows so far.
    fn is_comment(self, count: usize) -> bool {
        let is_slug =
            || memchr::memchr_iter(b'-', self.word).count() > 1 && !self.word.starts_with(b"#EXT");
        self.text.starts_with(b"#") && (count == 1 && !is_slug() || !self.rest.is_empty())
    }

    /// It begins with the mark of a comment: `//!`, `;;`.
    fn has_leader(self) -> bool {
        let is_text = |b: &u8| b.is_ascii_alphanumeric() || *b >= 0x80;
        self.word.len() > 1 && !self.rest.is_empty() && !self.word.iter().any(is_text)
    }

    /// It goes on with what stands before the URL, `own`, in the next record: the same label, the same
    /// cells, the same first word.
    fn is_record_after(self, own: &[u8]) -> bool {
        is_labelled(self.text) && is_labelled(own)
            || is_entry(own, self.word, self.gap)
            || records::is_of_program(self.word, self.gap)
            || begins_record(self.text)
            || (!self.rest.is_empty() || self.word.contains(&b':'))
                && records::begin_alike(until_blank(own), self.word)
    }
}

impl<'p> Block<'p> {
    /// True if the row `next`, with the text `below`, is no part of a URL: an item of a list, a record, a
    /// prompt, a row with a number of its own, or a row of a table. The URL has `count` rows so far.
    pub(super) fn is_new(&self, place: Place, next: Row, below: Cell, count: usize) -> bool {
        let bytes = self.bytes();
        let row = place.row;
        let line = Line::of(&bytes[below.start..below.end]);
        let own = &bytes[place.cell.start..place.start];
        let url = &bytes[place.start..below.start];
        let has_own_url = || is_entry_of_urls(own, url.trim_ascii_end(), line.text, count);
        if count == 1 && (self.is_broken || self.is_of_program) {
            return line.is_mode_line()
                || !line.begins_as_url()
                || !self.is_broken && has_own_url();
        }
        // A value fills its row only by chance.
        let is_full =
            below.to == place.cell.to && line.rest.is_empty() && line.word.contains(&b'/');
        let first = place.part().word(bytes);
        !line.begins_as_url()
            || line.is_comment(count)
            || count == 1 && ends_item(first)
            || is_revision(first, line.word)
            || has_own_url()
            || line.is_of_screen()
            || line.has_leader()
            || self.is_prompt(place, line)
            || self.is_item(row, next, line, count)
            || self.is_in_table(row, next, url, line)
            || is_apart(line, count)
            || self.names_program(place, line)
            || count == 1 && self.is_between_urls(row, next, line)
            || is_key(own, url, line.word, count, is_full)
            || are_settings(own, url.trim_ascii_end(), line.word)
            || line.is_record_after(own)
            || self.ends_comment(place, next, below)
            || self.has_other_number(row, next, place.cell, below)
            || self.has_next_number(row, next)
            || begins_later_line(self.text(row), self.text(next))
    }

    /// True if `line` is a prompt with a command, or a program waits in it for one.
    fn is_prompt(&self, place: Place, line: Line<'_>) -> bool {
        let before = &self.bytes()[..place.start];
        // The bracket that closes around the URL is none.
        let is_bracketed = before.ends_with(b"<") && line.word.ends_with(b">");
        let is_mark = |b: &u8| b"$#%>".contains(b) && !is_bracketed;
        // A program that waits for a line has its prompt alone in the row.
        let is_waiting = line.word.ends_with(b">") && !before[place.row.start..].contains(&b'<');
        line.word.last().is_some_and(is_mark) && !line.rest.is_empty()
            || line.word == b"$"
            || is_waiting
    }

    /// True if the row of the URL is one of a shell, and `line` is a path of the computer.
    fn names_program(&self, place: Place, line: Line<'_>) -> bool {
        line.word.starts_with(b"/")
            && records::begins_in_root(line.word)
            && commands::begins_command(&self.bytes()[place.cell.start..place.start])
    }

    /// True if `line`, the text of the row `next`, is a number alone in its row, and the row above the URL
    /// is one too, or another URL or page stands below it: the number of an item, or a cell.
    fn is_between_urls(&self, row: Row, next: Row, line: Line<'_>) -> bool {
        const NUMBER_MAX: usize = 4;
        let is_number = |text: &[u8]| text.len() <= NUMBER_MAX && is_number_of_item(text);
        if !line.rest.is_empty() || !is_number(line.word) {
            return false;
        }
        let above = self.row_before(row.start);
        let below = next.next.map(|start| self.text(self.row(start)));
        above.is_some_and(|above| is_number(self.text(above).trim_ascii()))
            || below
                .is_some_and(|below| below.starts_with(b"\x0C") || starts_url(below.trim_ascii()))
    }

    /// True if `line`, the text of the row `next`, is an item of a list.
    fn is_item(&self, row: Row, next: Row, line: Line<'_>, count: usize) -> bool {
        matches!(line.word, b"-" | b"*" | b"+" | b"--" | b"=>")
            || begins_item(line.word, line.rest, count) && !self.is_broken_table(row, next)
    }

    /// True if `line`, the text of the row `next`, has cells of a table. A shell has a bar after a URL that
    /// is only the end of the row.
    fn is_in_table(&self, row: Row, next: Row, url: &[u8], line: Line<'_>) -> bool {
        bars::side(line.rest).is_some()
            && (self.has_side(row) || !has_parameter(url, line.word))
            && !self.is_broken_table(row, next)
    }

    /// True if the text `below` of the row `next` stands outside of the comment in which the URL begins.
    /// What a program has broken there is no line of its own.
    fn ends_comment(&self, place: Place, next: Row, below: Cell) -> bool {
        let bytes = self.bytes();
        !(self.is_broken || self.is_of_program)
            && comment::ends_before(
                &bytes[place.row.start..place.start],
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
        let is_beyond = |bar: &Bar| is_drawn(bar.c) && bar.at < self.page.colon;
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

/// True if `line` is no part of a URL above it, whatever shows the width: a path from the folder of the
/// reader, or two numbers below the only row of the URL.
fn is_apart(line: Line<'_>, count: usize) -> bool {
    let is_fraction = line.rest.is_empty() && records::is_fraction(line.word);
    records::is_own_path(line.word) || count == 1 && is_fraction
}

/// True if `word` is a branch or a change of the repository that the row `url` ends with.
fn is_revision(url: &[u8], word: &[u8]) -> bool {
    url.ends_with(b".git") && word.first().is_some_and(u8::is_ascii_alphanumeric)
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
fn is_key(own: &[u8], url: &[u8], word: &[u8], count: usize, is_full: bool) -> bool {
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
        word.contains(&b'/') || completes_file(url, name) || count > 1 && ends_extension(url, name);
    let is_label = word.ends_with(b":") && word.get(len) == Some(&b':');
    is_label && !is_path || is_value && !is_open
}
