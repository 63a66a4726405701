//! Blocks between rules or bars at the end of a letter.
//!
//! People put their signature into a box: name, address, motto and pages between two rules, or with
//! bars at both sides. They also draw boxes around what they show: an announcement, a table, what a
//! program printed. The name of the author is in both. So the block is no signature as soon as it has
//! something that signatures never have, such as the rows of a table. Text of their own that is
//! called a signature is lost to whoever asks for what they wrote.

use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr3_iter, memmem};

use urlgrep_base::escape::has;

use super::below::{self, Look};
use super::blocks;
use super::people;
use super::quote_marks;
use super::sections;
use super::shapes;
use super::signature::{DRAWN_LINES, Signs};
use super::tail::Source;

/// The minimum length of a line of a box.
const WIDTH: usize = 20;
/// The minimum length of a short rule.
const SHORT: usize = 5;
/// With this many numbered lines, settings or other lines of one kind, a block is no signature.
const FEW: usize = 2;
/// The minimum number of lines of a box that has bars alone.
const SIDES: usize = 3;
/// The cells of a row of a table. A signature may have two halves.
const CELLS: usize = 3;
/// The minimum number of words of a line below a box that shows that the letter goes on.
const SENTENCE: u32 = 3;
/// The number of lines at the beginning in which the name of the author is looked for.
const FIRST: usize = 2;
/// The number of lines above a box among which the beginning of a patch is looked for.
const HUNK: usize = 8;
/// The bytes by which a rule is longer or shorter than the title above it.
const TITLE: usize = 3;
/// The maximum number of words of a line that names a page of the author.
const OWN_PAGE_WORDS: usize = 8;
/// The maximum number of slashes after the host of such a page: `http://a.example/Hill/1148/`.
const PATH: usize = 2;
/// The maximum number of lines of a signature that is known by such a page, and names nobody.
const OWN_PAGE_LINES: usize = 8;
/// The same without a motto.
const PLAIN: usize = 3;
/// The maximum number of words before the colon of a label.
const LABEL: usize = 3;

/// True for the mark of a signature and an edge on one line: `-- =-=-=-=`.
pub(super) fn is_edge_below_dashes(line: &[u8]) -> bool {
    let edge = line.strip_prefix(b"-- ");
    edge.is_some_and(|edge| !edge.starts_with(b"-") && is_edge(edge) && is_drawn(edge))
}

/// True for a rule that is shorter than an edge.
pub(super) fn is_short_rule(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    matches!(line, [b'-' | b'=' | b'_' | b'*' | b'~' | b'#', first @ ..]
        if (SHORT..WIDTH).contains(&line.len()) && first.iter().all(|b| *b == line[0]))
}

/// True if the name or the address of the author stands directly below a short rule on this row. A
/// line of the same length directly above it is a title, unless it is the name, too.
fn begins_below(source: Source<'_>, row: usize) -> bool {
    let (rows, author) = (&source.lines.rows, &source.facts.author);
    let text = |i: usize| shapes::bare(source.line(i).head()).trim_ascii();
    let is_own = |i: usize| rows.get(i).is_some_and(|row| row.is_own());
    let len = text(row).len();
    let is_title = |i: usize| {
        let goes_on = is_own(row + 1) && text(row + 1).starts_with(text(i));
        is_own(i) && text(i).len().abs_diff(len) <= TITLE && !author.signs(text(i)) && !goes_on
    };
    let is_name = |i: usize| is_own(i) && author.is_in_or_named(text(i));
    !row.checked_sub(1).is_some_and(is_title) && (is_name(row + 1) || is_name(row + 2))
}

/// The bytes with which people draw lines.
static MARKS: [bool; 256] = {
    let mut marks = [false; 256];
    let mut b = 0;
    while b < 128 {
        let byte = b as u8;
        let is_other = matches!(byte, b'"' | b'\'' | b'(' | b')' | b'@' | b'?' | b'%');
        marks[b] = byte.is_ascii_punctuation() && !is_other;
        b += 1;
    }
    marks
};

#[inline]
fn is_mark(b: u8) -> bool {
    MARKS[usize::from(b)]
}

/// True if the line is an edge of a box, or a rule: marks that repeat, perhaps with a corner before
/// them and words among them: `+---- Jo Doe ----+`, `<><><><><><><><><><><>`.
pub(super) fn is_edge(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let [corner, a, b, c, d, .., last] = *line else {
        return false;
    };
    // Few lines repeat their marks.
    let repeats = a == c && (b == d || b == corner);
    line.len() >= WIDTH
        && repeats
        && [corner, a, b, c, d, last].into_iter().all(is_mark)
        && line.iter().filter(|b| is_mark(**b)).count() >= WIDTH
        && !shapes::holds_url(line)
}

/// The text of a line between the bars or stars at both sides of it.
fn between_sides(line: &[u8]) -> Option<&[u8]> {
    let line = line.trim_ascii();
    if line.len() < WIDTH {
        return None;
    }
    match line {
        [b'|', text @ .., b'|'] => Some(text),
        [b'*', b' ' | b'\t', text @ .., b'*'] => Some(text),
        _ => ["│", "┃", "║"].iter().find_map(|bar| {
            let text = line.strip_prefix(bar.as_bytes())?;
            text.strip_suffix(bar.as_bytes())
        }),
    }
}

/// True if the line has a bar at each side.
pub(super) fn has_sides(line: &[u8]) -> bool {
    between_sides(line).is_some()
}

/// True if the text has marks alone.
fn is_drawn(text: &[u8]) -> bool {
    // Most texts begin with a word. The loop has no exit, so that the compiler uses vectors.
    let is_word = |b: u8| b.is_ascii_alphanumeric() | !b.is_ascii();
    let mut start = text.iter().take(4);
    !start.any(|b| is_word(*b)) && !has(text, is_word)
}

/// True if the line is drawn and has no words: a long rule, an edge, or what is between two sides.
pub(super) fn is_line(line: &[u8]) -> bool {
    let text = line.trim_ascii_start();
    text.len() >= WIDTH && is_drawn(text) && text.trim_ascii_end().len() >= WIDTH
}

/// True for an edge of a table, which has a crossing between two columns: `+-----+-----+`.
fn has_crossings(line: &[u8]) -> bool {
    let [b'+' | b'|', inside @ .., b'+' | b'|'] = line.trim_ascii() else {
        return false;
    };
    let mut columns = inside.split(|b| matches!(b, b'+' | b'|'));
    let is_column = |line: &[u8]| {
        let mut marks = line.iter().filter(|b| !matches!(b, b' ' | b':'));
        line.len() > 1 && marks.all(|b| matches!(b, b'-' | b'='))
    };
    columns.clone().count() > 1 && columns.all(is_column)
}

/// The number of lines of a box among these rows that are drawn, up to a few.
pub(super) fn drawn(source: Source<'_>, rows: Range<usize>) -> u64 {
    let is_drawn = |i: &usize| source.lines.rows[*i].is_own() && is_line(source.line(*i).head());
    let lines = rows.filter(is_drawn).take(DRAWN_LINES as usize);
    lines.count() as u64
}

/// The number of the cells of a row of a table, each of which has words.
fn cells(line: &[u8]) -> usize {
    let bars = memchr_iter(b'|', line).count();
    let mut cells = line.split(|b| *b == b'|');
    if bars > 0 && cells.all(|cell| !is_drawn(cell)) {
        bars + 1
    } else {
        0
    }
}

/// A line of a block.
#[derive(Clone, Copy)]
struct BoxLine<'t> {
    row: usize,
    text: &'t [u8],
    /// It may have a URL.
    has_page: bool,
}

/// The rows of a box and of what is below it. Each is read once, and the rules ask what was found.
struct Block<'t> {
    source: Source<'t>,
    /// The lines with words or marks of the author.
    lines: Vec<BoxLine<'t>>,
    /// The texts inside of the box, without edges and sides.
    texts: Vec<&'t [u8]>,
    /// One of the texts has a bar, or `@`.
    has_bar: bool,
    has_at: bool,
}

impl<'t> Block<'t> {
    /// The author's rows from `first` on. The rows of the part end before `last`.
    fn new(source: Source<'t>, first: usize, last: usize) -> Block<'t> {
        let own = (first..last).filter(|row| people::is_own(source, *row));
        let lines = own.map(|row| {
            let text = shapes::bare(source.line(row).head()).trim_ascii();
            BoxLine {
                row,
                text,
                has_page: shapes::holds_url(text),
            }
        });
        let lines: Vec<BoxLine<'t>> = lines.collect();
        let inside = lines.iter().map(|line| {
            let text = between_sides(line.text).unwrap_or(line.text);
            text.trim_ascii()
        });
        let texts: Vec<&[u8]> = inside.filter(|text| !is_drawn(text)).collect();
        let has = |b: u8| texts.iter().any(|text| memchr(b, text).is_some());
        Block {
            source,
            has_bar: has(b'|'),
            has_at: has(b'@'),
            lines,
            texts,
        }
    }

    fn count(&self, is: impl Fn(&[u8]) -> bool) -> usize {
        self.texts.iter().filter(|text| is(text)).count()
    }

    /// True if one of the first lines names the author, and is no sentence about him.
    fn is_named(&self) -> bool {
        let author = &self.source.facts.author;
        self.texts.iter().take(FIRST).any(|text| {
            author.is_in_or_named(text)
                && !sections::is_numbered(text)
                && label(text).is_none()
                && !is_sentence(text)
        })
    }

    /// True if the line above says that something follows: `It prints:`.
    fn is_introduced(&self) -> bool {
        let rows = &self.source.lines.rows;
        let first = self.lines[0].row;
        let above = (first.saturating_sub(2)..first).rev();
        let above = above.into_iter().find(|i| !rows[*i].is_blank());
        above.is_some_and(|i| {
            let text = shapes::bare(self.source.line(i).head()).trim_ascii();
            let is_intro = text.ends_with(b":") || text.ends_with("：".as_bytes());
            rows[i].is_own() && is_intro && !shapes::is_closing(text)
        })
    }

    /// True if several rows of bars have a page.
    fn has_column_of_pages(&self) -> bool {
        self.has_bar && self.count(|text| cells(text) > 1 && shapes::holds_url(text)) >= FEW
    }

    /// True if the rows are those of a table.
    fn is_table(&self) -> bool {
        let is_wide = || self.count(|text| cells(text) >= CELLS) >= FEW;
        self.has_bar && (is_wide() || self.has_column_of_pages())
            || self.lines.iter().any(|line| has_crossings(line.text))
    }

    /// True if the rows name several people.
    fn is_directory(&self) -> bool {
        let author = &self.source.facts.author;
        let has_address = |text: &[u8]| memchr(b'@', text).is_some();
        let is_other = |text: &[u8]| has_address(text) && !author.has_address(text);
        let is_entry = |text: &[u8]| has_address(text) && shapes::holds_url(text);
        self.has_at && self.count(is_entry) >= FEW && self.count(is_other) > 0
    }

    /// True for a program, a patch, or a list with numbers.
    fn is_listing(&self) -> bool {
        let begins = |mark: &[u8]| self.lines.iter().any(|line| line.text.starts_with(mark));
        let is_comment = |text: &[u8]| text.starts_with(b"# ");
        is_in_patch(self.source, self.lines[0].row)
            || begins(b"# ")
            || begins(b"@@ ")
            || self.count(is_comment) > 0
            || self.count(sections::is_numbered) >= FEW
            || self.count(sections::is_setting) >= FEW
            || self.count(shapes::is_note) >= FEW
    }

    /// True for an announcement: sentences with pages, or labels that no signature has.
    fn is_announcement(&self) -> bool {
        let is_other = |text: &[u8]| label(text).is_some_and(|label| !below::has_label(label));
        let texts = &self.texts;
        let is_dated = |text: &[u8]| {
            let digits = text.iter().filter(|b| b.is_ascii_digit()).count();
            digits > 4 && blocks::has_time(text) && blocks::has_date_or_year(text)
        };
        below::has_sentence_with_page(texts)
            || self.count(is_other) >= FEW
            || texts.iter().any(|text| is_dated(text))
    }

    /// True for a sentence with a page in a paragraph below the first one.
    fn has_letter(&self) -> bool {
        let rows = &self.source.lines.rows;
        let mut all = self.lines.windows(2);
        let Some(at) = all.position(|pair| rows[pair[1].row - 1].is_blank()) else {
            return false;
        };
        let below = self.lines[at + 1..].iter();
        let texts: Vec<&[u8]> = below.map(|line| line.text).collect();
        below::has_sentence_with_page(&texts)
    }

    /// True if nothing but the last lines says whose block it is: they name a page of the author,
    /// below a motto.
    fn has_own_page(&self) -> bool {
        let texts = &self.texts;
        let end = texts.len().saturating_sub(2);
        let is_motto = texts.len() <= PLAIN || texts.first().is_some_and(|text| is_quote(text));
        is_motto
            && texts.len() <= OWN_PAGE_LINES
            && texts[end..].iter().any(|text| names_own_page(text))
            && !texts[..end].iter().any(|text| shapes::holds_url(text))
    }

    /// True if the author signs below a page of the block, at the end of the letter.
    fn is_signed_below(&self) -> bool {
        let page = self.lines.iter().position(|line| line.has_page);
        let last = self.lines.last().map(|line| line.row);
        page.is_some_and(|at| {
            let mut below = self.lines[at + 1..].iter().map(|line| line.row);
            below.any(|row| people::closes(self.source, row, Some(row) == last))
        })
    }

    /// True if the letter goes on with a sentence, in a paragraph below the box.
    fn goes_on(&self) -> bool {
        let rows = &self.source.lines.rows;
        let is_frame = |line: &BoxLine<'_>| is_edge(line.text) || has_sides(line.text);
        let Some(end) = self.lines.iter().skip(1).rposition(is_frame) else {
            return false;
        };
        let below = &self.lines[end + 2..];
        let is_apart = below
            .first()
            .is_some_and(|line| rows[line.row - 1].is_blank());
        let is_own = |line: &BoxLine<'_>| {
            let at = self.source.page.at(rows[line.row].at());
            is_stopped(line.text) && !self.source.is_legal_notice(at)
        };
        is_apart && below.iter().any(is_own)
    }
}

/// True if a part of a patch begins on one of the lines above the row.
fn is_in_patch(source: Source<'_>, row: usize) -> bool {
    let mut near = row.saturating_sub(HUNK)..row;
    near.any(|row| source.line(row).head().starts_with(b"@@ "))
}

/// True if the name of the author on this row is one of several in a box, is in a patch, or in a
/// tree that is drawn.
pub(super) fn shows_name(source: Source<'_>, row: usize, last: usize) -> bool {
    let line = shapes::bare(source.line(row).head());
    let is_listed = || {
        let block = Block::new(source, row, last);
        block.is_directory() || block.has_column_of_pages()
    };
    has_sides(line) && is_listed() || quote_marks::is_branch(line) || is_in_patch(source, row)
}

/// True for a line that begins with a quotation mark.
fn is_quote(text: &[u8]) -> bool {
    let marks = ["\"", "'", "“", "„", "«", "「", "``"];
    marks.iter().any(|mark| text.starts_with(mark.as_bytes()))
}

/// True for a sentence, and no motto.
fn is_sentence(text: &[u8]) -> bool {
    let begins = text.first().is_some_and(u8::is_ascii_alphanumeric);
    begins && Look::of(text).is_prose(SENTENCE + 1) && memmem::find(text, b"  ").is_none()
}

/// True for a line that ends a sentence.
fn is_stopped(text: &[u8]) -> bool {
    let look = Look::of(text);
    look.is_prose(SENTENCE) && look.is_stopped()
}

/// The words before the colon with which a label ends: `Where: `.
fn label(text: &[u8]) -> Option<&[u8]> {
    let at = memchr(b':', text)?;
    let (label, rest) = (&text[..at], &text[at + 1..]);
    let is_word = |b: &u8| b.is_ascii_alphabetic() || !b.is_ascii() || matches!(b, b' ' | b'-');
    let words = label.split(|b| *b == b' ').filter(|word| !word.is_empty());
    let is_label = !label.is_empty() && label.iter().all(is_word) && words.count() <= LABEL;
    (is_label && !rest.starts_with(b"//")).then_some(label)
}

/// True if the line names a page of the author: `Visit my home page at`. The word for `my` stands
/// before a label, with at most a word between them, and begins with a capital only at the start of
/// the line: `Mon` is a day, `MA` a state, and `5 min` a time. A page deep in folders is shown and no
/// home page: `See my list http://a.example/2001/05/list`.
pub(super) fn names_own_page(line: &[u8]) -> bool {
    const MY: [&str; 30] = [
        "my", "mein", "meine", "meiner", "meinen", "mon", "ma", "mes", "mi", "mis", "mio", "mia",
        "mijn", "min", "mitt", "mój", "moja", "moją", "mojej", "moje", "meu", "minha", "мой",
        "моя", "мою", "моей", "Мой", "Моя", "Мою", "Моей",
    ];
    let is_my = |at: usize| {
        let word = words(&line[at..]).next().unwrap_or_default();
        let capitals = word.iter().filter(|b| b.is_ascii_uppercase()).count();
        let is_first = || line[..at].trim_ascii().is_empty();
        let is_small = capitals == 0 || capitals == 1 && is_first();
        is_small && MY.iter().any(|my| word.eq_ignore_ascii_case(my.as_bytes()))
    };
    let has_label = |at: usize| words(&line[at..]).skip(1).take(2).any(below::has_label);
    let is_after_number = |at: usize| {
        let before = words(&line[..at]).last();
        before.is_some_and(|word| word.iter().all(u8::is_ascii_digit))
    };
    // The words for `my` begin with one of two letters.
    let starts = memchr3_iter(b'm', b'M', 0xD0, line);
    let is_start = |at: &usize| *at == 0 || line[at - 1].is_ascii_whitespace();
    let mut starts = starts.filter(is_start);
    let is_deep = |word: &[u8]| {
        memmem::find(word, b"://").is_some_and(|at| {
            let path = &word[at + 3..];
            let path = path.strip_suffix(b"/").unwrap_or(path);
            path.iter().filter(|b| **b == b'/').count() > PATH
        })
    };
    starts.any(|at| is_my(at) && has_label(at) && !is_after_number(at))
        && words(line).count() <= OWN_PAGE_WORDS
        && !words(line).any(is_deep)
}

/// The words of a line, with the marks around them.
fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = line.split(u8::is_ascii_whitespace);
    words.filter(|word| !word.is_empty())
}

/// True if the author shows something in the block that begins with this rule, and it is no
/// signature. The rows of the part end before `last`.
pub(super) fn shows(source: Source<'_>, signs: Signs, last: usize) -> bool {
    let block = Block::new(source, signs.row, last);
    let Some(first) = block.lines.first().map(|line| line.text) else {
        return false;
    };
    let is_open = !is_edge(first) && !shapes::begins_rule(first);
    let sides = block.lines.iter().take_while(|line| has_sides(line.text));
    if is_open && has_sides(first) && sides.count() < SIDES {
        return true;
    }
    let has_bar = |line: &&BoxLine<'_>| memchr(b'|', line.text).is_some();
    let is_alone = signs.worded == 0;
    if is_alone && block.lines.iter().filter(has_bar).count() < SIDES {
        return true;
    }
    let author = &source.facts.author;
    let mut texts = block.lines.iter().map(|line| line.text);
    if signs.by_page && !texts.any(|text| author.is_in_or_named(text)) && !block.has_own_page() {
        return true;
    }
    let named = author.is_in(first) || block.is_named();
    block.is_introduced()
        || block.is_table()
        || block.is_directory()
        || block.is_listing()
        || block.goes_on()
        || block.is_signed_below()
        || named && block.has_letter()
        || !named && block.is_announcement()
}

/// True if a box begins on this row: with an edge, with a side, or with a short rule above the name
/// of the author.
pub(super) fn begin(source: Source<'_>, row: usize, line: &[u8]) -> bool {
    is_edge(line)
        || begins_with_side(source, row, line)
        || is_short_rule(line) && begins_below(source, row)
}

/// True if a box without an edge above it begins on this row.
fn begins_with_side(source: Source<'_>, row: usize, line: &[u8]) -> bool {
    let is_bar = line.trim_ascii_start().starts_with(b"|");
    if !is_bar || !has_sides(line) || memmem::find(line, b"|-").is_some() {
        return false;
    }
    let is_inside = |row: usize| {
        let line = shapes::bare(source.line(row).head());
        has_sides(line) || is_edge(line)
    };
    !row.checked_sub(1).is_some_and(is_inside)
}
