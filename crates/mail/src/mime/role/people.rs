//! The name of the author in a list of people, which closes no letter: a row of a table, an item of
//! a list, or who took the photos.

use urlgrep_base::escape::has;

use super::lines::Code;
use super::shapes;
use super::tail::Source;

/// The words of a name or a thing before its number or its dash.
const NAME: usize = 3;
/// The bars of a row of a table. The frame of a signature has two.
const BARS: usize = 3;

/// The form of a row of a list or a table. Names, things and numbers stand in rows of the same form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// An item of a list, with its mark.
    Item(u8),
    /// A row of a table with this number of bars.
    Bars(usize),
    /// A short name, a dash, and what belongs to it: `Ann - plates`.
    Dash,
    /// Words, and numbers after them: `Lee 39:44`.
    Numbers(usize, usize),
}

impl Form {
    fn of(line: &[u8]) -> Option<Form> {
        let line = line.trim_ascii();
        // Most names stand alone.
        let is_mark = |b: u8| {
            b.is_ascii_digit() | !b.is_ascii() | matches!(b, b'-' | b'*' | b'+' | b'|' | b'\t')
        };
        if !has(line, is_mark) {
            return None;
        }
        let bars = line.iter().filter(|b| matches!(b, b'|' | b'\t')).count();
        if let [mark @ (b'-' | b'*' | b'+'), b' ', ..] = *line {
            return Some(Form::Item(mark));
        }
        if bars >= BARS {
            return Some(Form::Bars(bars));
        }
        if shapes::holds_url(line) || line.contains(&b'@') {
            return None;
        }
        let words = || {
            let words = line.split(u8::is_ascii_whitespace);
            words.filter(|word| !word.is_empty())
        };
        let is_dash =
            |word: &[u8]| word == b"-" || word == "–".as_bytes() || word == "—".as_bytes();
        if let Some(before @ 1..=NAME) = words().position(is_dash) {
            return (words().count() > before + 1).then_some(Form::Dash);
        }
        let has_digit = |word: &&[u8]| word.iter().any(u8::is_ascii_digit);
        let before = words().take_while(|word| !has_digit(word)).count();
        let numbers = words().skip(before).take_while(has_digit).count();
        let is_row =
            matches!(before, 1..=NAME) && numbers > 0 && words().count() == before + numbers;
        is_row.then_some(Form::Numbers(before, numbers))
    }
}

/// True if the line on this row is one of several rows of the same form, or has the name of who
/// made something.
pub(super) fn is_row(source: Source<'_>, row: usize) -> bool {
    let rows = &source.lines.rows;
    let text = |i: usize| {
        let is_own = rows.get(i).is_some_and(|row| row.is_own());
        is_own.then(|| shapes::bare(source.line(i).head()).trim_ascii())
    };
    let above = row.checked_sub(1).and_then(text);
    let is_name = |line| source.facts.author.signs(line);
    if above.is_some_and(shapes::is_credit) && text(row).is_some_and(is_name) {
        return true;
    }
    let Some(form) = text(row).and_then(Form::of) else {
        return false;
    };
    let is_same = |line: Option<&[u8]>| line.and_then(Form::of) == Some(form);
    let is_above = || match form {
        // The frame of a signature has the name on its first row.
        Form::Bars(_) => false,
        Form::Dash => is_same(text(row + 1)) && is_same(text(row + 2)),
        Form::Item(_) | Form::Numbers(..) => is_same(text(row + 1)),
    };
    is_same(above) || is_above()
}

/// True if the author signs below the last URL, on the row `end`, at the end of the letter. Then
/// the name on `row` closed nothing.
pub(super) fn is_signed_below(source: Source<'_>, row: usize, end: usize, last: usize) -> bool {
    let name = (row + 1..last).rev().find(|i| is_own(source, *i));
    name.is_some_and(|name| name > end && closes(source, name, true))
}

/// True for a row of the author's text, and of no footer.
pub(super) fn is_own(source: Source<'_>, row: usize) -> bool {
    let (row, lines) = (source.lines.rows[row], source.lines);
    row.is_own() && lines.code_at(source.page.at(row.at())) != Code::FOOTER
}

/// True if the row has the name of the author alone, as the end of a letter has it: below an empty
/// line, or below a few words (`See you`) that stand below one. The text of HTML has no empty lines,
/// so the name must be on the last row there (`is_last`).
pub(super) fn closes(source: Source<'_>, row: usize, is_last: bool) -> bool {
    let rows = &source.lines.rows;
    let text = |i: usize| shapes::bare(source.line(i).head()).trim_ascii();
    let is_blank = |i: usize| rows[i].is_blank();
    let is_short = |i: usize| {
        let words = text(i).split(u8::is_ascii_whitespace);
        words.count() <= NAME && !shapes::holds_url(text(i))
    };
    let is_apart = || match row {
        0 | 1 => false,
        _ if source.facts.is_page => is_last,
        _ if is_blank(row - 1) || shapes::is_farewell(text(row - 1)) => true,
        _ => rows[row - 1].is_own() && is_short(row - 1) && is_blank(row - 2),
    };
    source.facts.author.signs(text(row)) && is_apart()
}
