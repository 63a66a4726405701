//! Rules of dashes that divide a letter.
//!
//! Some people sign below `--` or `---`, without the blank of RFC 3676. Others write such a rule
//! between the parts of a letter, a recipe or a log. A signature below has few short lines, and the
//! name of the author among the first of them. So a rule divides a letter if there is another one,
//! if numbered lines, settings, headings, lists of pages or prose are below it, or if the author
//! signs below those.

use super::super::header::line_feed;
use super::below::{self, Look};
use super::lines::{Code, Lines};
use super::people;
use super::shapes;
use super::signature::{PROSE, SIGNATURE_LINES, Signs};
use super::tail::Source;
use super::{FOOTER_BYTES, Page};

/// The rows of HTML below a rule that may have the name with which a signature begins.
const HEAD: usize = 2;
/// The number of numbered lines, and of settings, that no signature has.
const FEW: usize = 2;
/// The number of full lines in a row that no signature has, and of the words in each.
const FULL: usize = 4;
const WORDS: u32 = 5;

/// True if the line is `--` or `---`, and not the mark of RFC 3676.
fn is_rule(line: &[u8]) -> bool {
    let line = shapes::bare(line);
    line != b"-- " && matches!(line.trim_ascii_end(), b"--" | b"---")
}

/// True for a line of a list with numbers: `1. `, `2) `.
pub(super) fn is_numbered(line: &[u8]) -> bool {
    let digits = line.iter().take_while(|b| b.is_ascii_digit()).count();
    matches!(digits, 1..=2) && matches!(line[digits..], [b'.' | b')', b' ', ..])
}

/// True for a setting of a program: `retries = 3`.
pub(super) fn is_setting(line: &[u8]) -> bool {
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    let name = line.iter().take_while(|b| is_name(b)).count();
    let rest = line[name..].trim_ascii_start();
    name > 0 && matches!(rest, [b'=', next, ..] if *next != b'=') || rest == b"="
}

/// True for a full line of prose. A motto begins with a quotation mark.
fn is_full(line: &[u8]) -> bool {
    line.len() >= PROSE && Look::of(line).is_prose(WORDS)
}

/// True if the rule on which a signature may begin divides the letter, whose rows end before
/// `last`.
pub(super) fn divides(source: Source<'_>, signs: Signs, last: usize) -> bool {
    let (rows, author) = (&source.lines.rows, &source.facts.author);
    let text = |i: usize| shapes::bare(source.line(i).head()).trim_ascii();
    if !is_rule(source.line(signs.row).bytes) {
        return false;
    }
    let is_own = |i: &usize| people::is_own(source, *i);
    let below = (signs.row + 1..last).filter(is_own);
    let below: Vec<usize> = below.take(SIGNATURE_LINES as usize + 1).collect();
    let names_author = |i: &usize| {
        let first = text(*i).first().copied().unwrap_or_default();
        author.is_in(text(*i)) || author.is_named(text(*i), first)
    };
    let Some(&first) = below.first() else {
        return false;
    };
    // The signature of the author begins with the name. The text of HTML has no empty lines.
    let end = if source.facts.is_page {
        first + HEAD
    } else {
        (first..last).find(|i| rows[*i].is_blank()).unwrap_or(last)
    };
    if below.iter().take_while(|i| **i < end).any(names_author) {
        return false;
    }
    let is_signed = |i: &usize| *i >= end && people::closes(source, *i, below.last() == Some(i));
    let is_closing = |i: &usize| *i >= end && shapes::is_closing(text(*i));
    let count = |is: fn(&[u8]) -> bool| below.iter().filter(|i| is(text(**i))).count();
    let introduces = text(first).ends_with(b":");
    let is_prose = || {
        let full: Vec<usize> = below
            .iter()
            .copied()
            .filter(|i| is_full(text(*i)))
            .collect();
        let mut paragraphs = full.windows(FULL);
        let is_notice = |i: usize| source.is_legal_notice(source.page.at(rows[i].at()));
        paragraphs.any(|full| full[FULL - 1] - full[0] < FULL && !is_notice(full[FULL - 1]))
    };
    below.iter().any(|i| is_rule(source.line(*i).bytes))
        || below.iter().any(is_signed)
        || below.iter().any(is_closing)
        || count(is_numbered) >= FEW
        || count(is_setting) + usize::from(introduces) >= FEW
        || is_prose()
        || is_below_rule(source, signs)
        || below::is_letter(source, signs.row, last)
}

/// True if another rule is above this one.
fn is_below_rule(source: Source<'_>, signs: Signs) -> bool {
    let is_near = |at: u64| signs.at - at <= FOOTER_BYTES;
    let rows = (0..signs.row).rev();
    let mut near = rows.take_while(|i| is_near(source.page.at(source.lines.rows[*i].at())));
    near.any(|i| is_rule(source.line(i).bytes) && people::is_own(source, i))
        || source.lines.rule_above.is_some_and(is_near)
}

impl Lines {
    /// Remembers the last rule of the rows before `first`, which begins at `cut` in the page. They
    /// are dropped, and another rule may be below.
    pub(super) fn remember_rule(&mut self, page: &Page, first: usize, cut: usize) {
        let is_rule_at = |at: usize| {
            let len = line_feed(&page.text[at..cut], 0);
            is_rule(&page.text[at..len.map_or(cut, |len| at + len)])
        };
        let rows = self.rows[..first].iter().rev();
        let mut near = rows.take_while(|row| (cut - row.at()) as u64 <= FOOTER_BYTES);
        let rule = near.find(|row| {
            let is_footer = || self.code_at(page.at(row.at())) == Code::FOOTER;
            row.is_own() && is_rule_at(row.at()) && !is_footer()
        });
        self.rule_above = rule.map(|row| page.at(row.at())).or(self.rule_above);
    }
}
