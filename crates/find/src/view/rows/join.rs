//! Which of the rows below a URL are its own.

use super::edge::{Edge, Width};
use super::grid::{Bar, Row};
use super::signs::{
    begins_prose, breaks_escape, breaks_extension, closes, closes_own, completes_file,
    could_follow, has_numbered_place, has_only_a_url, has_parameter, is_own, is_rest_of_query,
    is_rest_of_word, is_slug, is_source_file, is_token, names_page, names_text,
};
use super::{Block, END, Edits, Found, HYPHEN, Part, STANDARD};
use crate::text::bars::is_drawn;
use crate::text::extension::{ends_file, is_extension};
use crate::text::records;
use crate::text::schemes::slashes;
use crate::text::words::{is_cased, is_path_of_prose, is_www, until_blank};
use urlgrep_base::span::SeamKind;

impl Block<'_> {
    /// Joins the rows of the URL, or some of them.
    pub(super) fn join(&self, row: Row, next: Row, found: &Found, width: Width, out: &mut Edits) {
        let bytes = self.bytes();
        let count = found.parts.len();
        if count < 2 {
            return;
        }
        let is_table = self.is_row_of_table(row, next);
        let is_standard = STANDARD.contains(&self.columns(row.start, row.end));
        for i in 1..count {
            let (before, here) = (found.parts[i - 1], found.parts[i]);
            // After a mark only the first row can be told, so the URL must end in it.
            let is_made_up = width.edge == Edge::AtMark
                && here.end < here.text_end
                && (has_parameter(before.word(bytes), here.word(bytes))
                    || is_token(here.word(bytes))
                    || is_slug(here.word(bytes)) && bytes[before.end - 1] != b'.');
            // No prose has the rest of a query.
            let is_query = width.edge == Edge::Unknown
                && i == 1
                && here.end == here.text_end
                && is_rest_of_query(before.word(bytes), here.word(bytes));
            let is_sure = is_made_up
                || is_query && !is_table
                || width.edge == Edge::Full
                    && !is_table
                    && (i == 1 && self.is_broken || self.is_of_url(found, i, width));
            // A word and more text after it is a new sentence, unless the row of the URL is
            // known to be full.
            let rest = here.rest(bytes);
            let is_unshown = matches!(width.edge, Edge::Unknown | Edge::AtMark);
            let word = here.word(bytes);
            // No sentence begins with the name of a web file: `quilibrium.html, and`.
            let names_file = completes_file(before.word(bytes), word);
            let is_filled = found.full > 1 || width.may_be_shown || is_unshown || names_file;
            // A name may begin the line below a sentence that ends with the URL.
            let is_name = bytes[before.end - 1] == b'.' && is_slug(word);
            let is_text = begins_prose(word) && !word[0].is_ascii_digit() || is_name;
            let is_prose = is_text && !rest.is_empty();
            let may_go_on = !is_prose || width.is_framed || is_standard || found.full > 1;
            // One row that is full says little, and a word of its own stands below it.
            let is_apart = found.full < 2 && !width.is_framed && rest.is_empty() && is_own(word);
            let is_guess = !self.page.sight.is_sure
                && (rest.is_empty() || is_filled)
                && may_go_on
                && !is_apart;
            // To the rules of mail the mark is a byte of the URL.
            let has_mark = !self.mark.is_empty() && !self.is_of_patch;
            if !is_sure && i == 1 && (has_mark || self.is_other(row, found, width)) {
                self.end_with(row);
            }
            if !is_sure && !is_guess {
                break;
            }
            let end = before.end - mark_len(&bytes[found.parts[0].start..before.end]);
            out.push(end, here.start, SeamKind::Row, b"");
            out.set_weak(!is_sure);
            if !is_sure {
                break;
            }
        }
        // The rules of mail do not go on where these end.
        if let Some(last) = out.list.last() {
            let end = self.row_end(last.end);
            if self.has_list && bytes[last.end..end].ends_with(b"$") {
                out.push(end - 1, end, SeamKind::Row, &[END, END]);
            } else if bytes.get(end).is_some() {
                out.push(end, end + 1, SeamKind::Row, &[END]);
            }
        }
    }

    /// True if the word below the first row, which the rules of mail take for the rest of a path, is
    /// something else: the page of a folder, or the name of a file that `less` shows in the last row of
    /// the screen.
    fn is_other(&self, row: Row, found: &Found, width: Width) -> bool {
        if width.edge != Edge::Full || found.parts.len() > 2 || found.full > 1 {
            return false;
        }
        let (before, here) = (found.parts[0], found.parts[1]);
        let bytes = self.bytes();
        let (url, word) = (before.word(bytes), here.word(bytes));
        let is_alone = here.end == here.text_end;
        let is_last =
            found.after.is_none() && self.page.is_end && self.row_before(row.start).is_some();
        is_alone && (names_page(url, word) || is_last && names_text(word))
    }

    /// True if the row below the first, with which the URL would end, begins with a host, or stands below the
    /// name of a file and begins no query. Nothing shows the width but these two rows.
    pub(super) fn is_above_other(&self, found: &Found, width: Width) -> bool {
        let is_lone = found.full < 2 || found.is_pair;
        if !is_lone || width.is_framed || width.is_hard {
            return false;
        }
        let (before, here) = (found.parts[0], found.parts[1]);
        let bytes = self.bytes();
        let (url, word) = (before.word(bytes), here.word(bytes));
        let is_word = word.first().is_some_and(u8::is_ascii_alphanumeric);
        is_www(word) || ends_in_file(url) && is_word
    }

    /// True if the row `i` of a URL is its own for sure. The row before it is full.
    fn is_of_url(&self, found: &Found, i: usize, width: Width) -> bool {
        let bytes = self.bytes();
        let (before, here) = (found.parts[i - 1], found.parts[i]);
        let url = found.parts[0].word(bytes);
        let word = here.word(bytes);
        let rest = here.rest(bytes);
        let is_alone = !rest.first().is_some_and(u8::is_ascii_alphanumeric);
        // `=` at the end of a row may be a soft break of quoted-printable.
        let is_soft = bytes[before.end - 1] == b'=' && !url.contains(&b'?');
        let begins_prose = if is_soft { is_cased } else { begins_prose };
        // Rows of two columns say nothing of the width.
        let has_columns = !url.contains(&b'/') || self.has_columns(found.parts[0].start, here);
        // A URL that fills two rows or more ends at the end of a row once in their width.
        let is_text = begins_prose(word) && !word[0].is_ascii_digit();
        if found.full > 1
            && i >= found.full
            && (reads_as_prose(word, rest) || is_closing(word, rest))
        {
            return false;
        }
        if found.full > 1 && (i < found.full || !is_text) {
            return true;
        }
        if found.full < 2 && rest.is_empty() && names_page(url, word) {
            return false;
        }
        // Of the lines that begin with `#` after a URL in mail none was its fragment.
        if word.starts_with(b"#") {
            return width.is_hard && rest.is_empty();
        }
        // A URL that begins its row fills the frame by chance once in its width, and then a word of
        // its own would be a paragraph.
        let has_row = self.bytes()[..found.parts[0].start].ends_with(b" ");
        if width.is_framed && has_row && found.parts.len() == 2 && self.is_last(found) {
            return true;
        }
        if self.is_broken_inside(found, i, width) {
            return true;
        }
        // No URL ends with `#`, and prose closes no bracket that the URL has opened.
        let is_open = bytes[before.end - 1] == b'#';
        if width.is_shown && rest.is_empty() && (is_open || closes_own(url, word)) {
            return true;
        }
        let may_be_other = found.is_list || is_known_alone(word);
        if has_form_of_rest(bytes, found, i, width, is_soft) {
            return true;
        }
        let is_marked = self.has_mark_of_program() && self.mark != b"+";
        // A folder may be the whole, and more words follow the one below it.
        let may_be_whole = bytes[before.end - 1] == b'/' && is_cased(word) && !rest.is_empty();
        if !is_soft
            && !may_be_whole
            && (width.is_hard || is_marked)
            && is_rest_of_word(word)
            && !may_be_other
            && !has_columns
        {
            return true;
        }
        let has_sign = if width.is_shown && is_alone && !may_be_other {
            has_only_a_url(url, word)
        } else {
            has_parameter(url, word)
        };
        has_sign && could_follow(rest)
    }

    /// True if the row before the row `i` of a URL ends inside of something that goes on there: an escape,
    /// an extension, a place in a page, or the brackets around the URL. Or a program marks such rows.
    fn is_broken_inside(&self, found: &Found, i: usize, width: Width) -> bool {
        let bytes = self.bytes();
        let (start, before, here) = (found.parts[0].start, found.parts[i - 1], found.parts[i]);
        let (row, word) = (&bytes[start..before.end], here.word(bytes));
        if self.is_of_program || breaks_escape(row, word) {
            return true;
        }
        let rest = here.rest(bytes);
        let is_inside = breaks_extension(row, word) || has_numbered_place(word);
        if width.is_shown && is_inside && could_follow(rest) {
            return true;
        }
        let url = &bytes[start..found.parts[0].end];
        let is_soft = row.ends_with(b"=") && !url.contains(&b'?');
        !is_soft && closes(self.opener(start), url, &bytes[here.start..here.text_end])
    }

    /// True if nothing follows the last row of the URL in its block, and nothing else is in the row.
    pub(super) fn is_last(&self, found: &Found) -> bool {
        let last = found.parts[found.parts.len() - 1];
        let below = found.after.map(|start| self.text(self.row(start)));
        last.end == last.text_end && below.is_none_or(|row| row.trim_ascii().is_empty())
    }

    /// True if there are wide blanks before the URL that begins at `start`, or after its text in the
    /// row `below`.
    fn has_columns(&self, start: usize, below: Part) -> bool {
        let bytes = self.bytes();
        let before = bytes[..start].trim_ascii_end();
        let is_first = before.is_empty() || bytes[before.len()..start].contains(&b'\n');
        let rest = &bytes[below.end..below.text_end];
        !is_first && start - before.len() > 2 || rest.windows(3).any(|blanks| blanks == b"   ")
    }

    /// The byte before the URL that begins at `start`.
    fn opener(&self, start: usize) -> Option<u8> {
        let before = start.checked_sub(1)?;
        self.bytes().get(before).copied()
    }

    /// True if the rows are of a table with more than one column, and the row `next` is not only the
    /// rest of one of its cells.
    fn is_row_of_table(&self, row: Row, next: Row) -> bool {
        // `*` and `#` are the sides of a box, but not of a cell.
        let sides = |row: Row| {
            let bars = self.bars(row).into_iter();
            bars.filter(|bar| !matches!(bar.c, '*' | '#'))
                .collect::<Vec<_>>()
        };
        let (mine, bars) = (sides(row), sides(next));
        if mine.len() < 3 || bars.len() < 3 || has_two_frames(&mine, &bars) {
            return false;
        }
        // The bars between panes are drawn, and text stands beside the first and the last.
        let is_outer = |bar: &Bar| self.is_outer(row, bar.at, bar.c);
        let drawn = mine.iter().filter(|bar| is_drawn(bar.c));
        let (first, last) = (drawn.clone().next(), drawn.clone().next_back());
        if let (Some(first), Some(last)) = (first, last)
            && !is_outer(first)
            && !is_outer(last)
        {
            return false;
        }
        let text = self.text(next);
        let mut from = 0;
        let mut filled = 0;
        for at in bars
            .iter()
            .map(|bar| bar.at - next.start)
            .chain([text.len()])
        {
            filled += usize::from(text[from..at].iter().any(u8::is_ascii_graphic));
            from = text.len().min(at + 1);
        }
        filled > 1
    }

    /// Index of the end of the row with the byte at `at`.
    fn row_end(&self, at: usize) -> usize {
        let lf = memchr::memchr(b'\n', &self.bytes()[at..]);
        lf.map_or(self.bytes().len(), |lf| at + lf)
    }
}

/// True if the row `i` of a URL has the form of a rest: an extension, a name that a program made up, or
/// anything but a word in a frame that is full. `is_soft` says that the row before may end with a soft break.
fn has_form_of_rest(bytes: &[u8], found: &Found, i: usize, width: Width, is_soft: bool) -> bool {
    let (before, here) = (found.parts[i - 1], found.parts[i]);
    let url = found.parts[0].word(bytes);
    let word = here.word(bytes);
    let rest = here.rest(bytes);
    let is_alone = !rest.first().is_some_and(u8::is_ascii_alphanumeric);
    // No sentence begins with an extension: `…-any.`, `whl (61 kB)`.
    let is_name = is_alone
        && bytes[before.end - 1] == b'.'
        && word.len() < 5
        && word.iter().all(u8::is_ascii_lowercase)
        && (found.full > 1 || is_extension(word));
    let may_be_other = found.is_list || is_known_alone(word);
    // A frame shows the width, so that a row that fills it is full by chance once in its width.
    let fills = width.is_framed && rest.is_empty() && !is_cased(word) && !may_be_other;
    let has_form = is_token(word) || completes_file(url, word);
    let is_long_name = is_slug(word) && bytes[before.end - 1] != b'.';
    let is_made_up = is_long_name || has_form && width.is_shown;
    is_name || fills || !is_soft && is_made_up && !may_be_other
}

/// True if two frames stand side by side: the right side of one and the left side of another, with at
/// most a blank between them, in the same columns of both rows. No table has so narrow a column.
fn has_two_frames(row: &[Bar], next: &[Bar]) -> bool {
    let is_shared =
        |bar: &Bar| is_drawn(bar.c) && next.iter().any(|other| other.side() == bar.side());
    let mut pairs = row.windows(2);
    pairs.any(|pair| pair[1].column - pair[0].column <= 2 && pair.iter().all(is_shared))
}

/// Words with which a sentence goes on after a URL.
const AFTER_URL: [&str; 40] = [
    "after", "again", "already", "also", "and", "are", "as", "at", "because", "before", "but",
    "by", "can", "every", "first", "for", "from", "has", "if", "in", "instead", "into", "is",
    "not", "now", "of", "on", "or", "since", "so", "to", "too", "under", "until", "was", "when",
    "where", "which", "will", "with",
];

/// True if `word`, with the `rest` of its row, reads as a sentence, in which no URL goes on: `results were
/// fine`. What could follow any URL begins none.
fn reads_as_prose(word: &[u8], rest: &[u8]) -> bool {
    const SHORT: usize = 4;
    let is_word = |word: &[u8]| word.iter().all(u8::is_ascii_lowercase);
    let second = until_blank(rest);
    word.len() >= SHORT
        && second.len() > 1
        && is_word(word)
        && is_word(second)
        && !AFTER_URL.iter().any(|after| after.as_bytes() == second)
}

/// True for a URL whose path ends with the name of a file, after which only a query or a fragment
/// begins.
fn ends_in_file(url: &[u8]) -> bool {
    let path = slashes(url).map_or(&b""[..], |at| &url[at + 3..]);
    let name = memchr::memrchr(b'/', path).map_or(&b""[..], |at| &path[at + 1..]);
    !path.iter().any(|b| b"?#".contains(b)) && ends_file(name)
}

/// True if `word` is alone in its row and ends a letter or a talk: `thanks`.
fn is_closing(word: &[u8], rest: &[u8]) -> bool {
    const CLOSINGS: [&[u8]; 8] = [
        b"thanks",
        b"thank",
        b"thx",
        b"cheers",
        b"regards",
        b"done",
        b"greetings",
        b"bye",
    ];
    let name = word
        .strip_suffix(b"!")
        .or(word.strip_suffix(b","))
        .unwrap_or(word);
    rest.is_empty() && CLOSINGS.contains(&name)
}

/// True for a word that often stands alone: a path of prose or of a source, or a value.
fn is_known_alone(word: &[u8]) -> bool {
    is_path_of_prose(word) || is_source_file(word) || records::is_value(word)
}

/// The length of the mark at the end of a row that goes on: the backslash of Emacs, or the hyphen
/// that a typesetter added to a URL whose own hyphens are of ASCII.
fn mark_len(url: &[u8]) -> usize {
    if url.ends_with(HYPHEN) && url.contains(&b'-') {
        return HYPHEN.len();
    }
    usize::from(url.ends_with(b"\\"))
}
