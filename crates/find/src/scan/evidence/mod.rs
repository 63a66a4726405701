//! Weighs whether a bare URL continues on the next line.
//!
//! # How to think about this
//!
//! A bare URL has reached the end of its line, and we see at most [`LOOK_MAX`] bytes of
//! the next one. Nothing in the text marks a broken URL, so each answer is a bet, and it
//! can be lost in two ways: a wrong join prints a URL that nobody wrote, and a missed join
//! prints a truncated one. That is why there are three answers for a URL. [`Evidence::Plain`] joins
//! the lines and keeps the first line as an alternate, [`Evidence::Weak`] prints the first
//! line and keeps the join as an alternate, and [`Evidence::None`] takes the first line for
//! the whole URL. A fourth, [`Evidence::Wrong`], says that the first line ends in half of a host.
//!
//! Most line ends are settled before anything is weighed. `bare` says no if a short line ends
//! in a letter or digit, and `is_end` and `ends_before` say no from the last byte of the URL
//! and the first word of the next line. For the rest [`Break::weigh`] asks two questions, in
//! this order:
//!
//! 1. Is there any reason to join? The last byte of the URL says most. No URL ends in `&` or
//!    `%`, so nearly any word may be its rest. After `-` a word of prose is weak evidence, and
//!    any other word plain evidence. Many URLs end in `/`, so there the word must be a file
//!    name, or a path that had no room on the line. After a letter or digit the URL may simply
//!    be complete, and then only the width of the line and the shape of the next word can
//!    speak for a join.
//! 2. Does the next line look like something else: another URL, a list item, a row of a
//!    table, prose with more prose after it? Or does this URL end in a file name, and no query
//!    or fragment follows? Each of these is a veto, however strong the evidence. Vetoes come
//!    last because most line ends have no evidence, so most never need them.
//!
//! A URL may be broken more than once, and each break is weighed. The first one decides how
//! the whole URL is printed. If its evidence is plain, that of a later break must be plain
//! too, or the URL ends there. If it is weak, that of a later break may be weak or plain.
//!
//! `reasons` answers the first question and `vetoes` the second. `rest` has the shapes of words that both
//! need.
//!
//! The trap: most conditions stand for a few places in real mail, and they interact. Of the
//! URLs with weak evidence only about half really go on (`docs/answers.md`, rule 1). That is
//! too few to print the join and too many to drop it. If you loosen a condition, it breaks
//! nearly as many URLs as it repairs. Before you change one, run
//! `cargo run --example truth_report`, and compare the output on a large archive with the
//! old one line by line. `docs/answers.md` has the rules and their measured accuracy.

mod reasons;
mod rest;
mod vetoes;

use super::doi::ends_doi_prefix;
use super::typeset;
use crate::text::class::is_blank;
use crate::text::comment;
use crate::text::extension::{is_extension, is_suffix};
use crate::text::screen;
use crate::text::words;
use crate::view::NARROW;
pub(super) use rest::{begins_as_no_prose, completes, ends_in_blank, ends_in_token};
use vetoes::{is_another, is_decoration};

/// The minimum length of a line that may have been broken because of its width.
pub(super) const LONG: usize = 60;

/// The number of bytes of the next line that are examined.
pub(super) const LOOK_MAX: usize = 160;

/// The widths at which mailers break lines.
const FULL: std::ops::RangeInclusive<usize> = 68..=80;

/// The strength of the evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    /// The URL does not continue.
    None,
    /// The URL may continue. Only the first line is the URL, and the hit has
    /// `continues`.
    Weak,
    /// The URL clearly continues. The lines are joined.
    Plain,
    /// The line ends in half of a host, so it is no URL.
    Wrong,
}

/// A line end after a URL, and the line after it.
#[derive(Clone, Copy)]
pub(super) struct Break<'h> {
    /// The bytes of the URL on the line before the break, with trailing
    /// punctuation.
    pub(super) url: &'h [u8],
    /// The length of the line before the break.
    pub(super) width: usize,
    /// The URL already has a `?`.
    pub(super) query: bool,
    /// The URL ends inside its host.
    pub(super) in_host: bool,
    /// Other lines were joined before this break.
    pub(super) chained: bool,
    /// The line before was as wide.
    pub(super) as_wide: bool,
    /// The next line lacks the leader of the line before it.
    pub(super) lacks_leader: bool,
    /// The next line is one level deeper in a quotation.
    pub(super) is_deeper: bool,
    /// The next line lacks the quote mark, and the line after it has it again: somebody wrapped
    /// the quotation.
    pub(super) is_rewrapped: bool,
    /// A bracket that was opened before the URL is closed directly after
    /// `token`.
    pub(super) closes: bool,
    /// The text before the URL on its first line, and the leader in it.
    pub(super) before: &'h [u8],
    pub(super) leader: &'h [u8],
    /// The next line up to its first word.
    pub(super) indent: &'h [u8],
    /// The next line from its first word on, without the leader.
    pub(super) text: &'h [u8],
    /// The first word of the next line, up to white space.
    pub(super) token: &'h [u8],
    /// The part of `token` that would belong to the URL.
    pub(super) word: &'h [u8],
}

/// True if no URL continues after the last byte of `url`. This is decided
/// without the next line.
#[inline]
pub(super) fn is_end(url: &[u8]) -> bool {
    match url.last() {
        Some(b',' | b':' | b'!' | b'#') => true,
        Some(b';') => !url.ends_with(b"&amp;"),
        _ => false,
    }
}

/// True if `url` does not continue on the next line, judged by the first word of
/// that line. `word` returns the word if it has only letters. Most places are
/// decided here, so the rest of the line is not read. Only for the first line of a
/// URL.
#[inline]
pub(super) fn ends_before<'h>(url: &[u8], word: impl FnOnce() -> Option<&'h [u8]>) -> bool {
    match url.last() {
        Some(b'.') => word().is_some_and(|word| !is_extension(word)),
        Some(b) if b.is_ascii_alphanumeric() => {
            word().is_some_and(|word| !is_suffix(url, word)) && !ends_in_blank(url)
        }
        _ => false,
    }
}

impl Break<'_> {
    /// Weighs the evidence.
    pub(super) fn weigh(&self) -> Evidence {
        let (url, token, word) = (self.url, self.token, self.word);
        let (Some(&last), Some(&first), false) = (url.last(), token.first(), word.is_empty())
        else {
            return Evidence::None;
        };
        let last = if typeset::is_hyphen(url) { b'-' } else { last };
        if self.is_decoded_link() {
            return Evidence::Wrong;
        }
        // Most line ends have no evidence. So the vetoes come last.
        let evidence = if self.goes_on_as_no_prose(last, first) {
            Evidence::Plain
        } else {
            self.by_last_byte(last, first)
        };
        // A short line was not broken because of its width.
        let must_say = self.must_say(last, first);
        let is_row = self.is_below_full_row();
        let evidence = match evidence {
            // The first joint decides whether the rows are printed as one URL.
            Evidence::None | Evidence::Weak if is_row && self.chained => Evidence::Plain,
            Evidence::None if is_row => Evidence::Weak,
            evidence => evidence,
        };
        let short = evidence == Evidence::Weak && self.width < LONG && !must_say && !is_row;
        if evidence == Evidence::None
            || short
            // Of the vetoes this one excludes the most.
            || !must_say && self.is_before_prose(last)
            || is_another(url, &word[..word.len().min(token.len())]) && !self.completes_www()
            || is_decoration(url, token)
            || self.is_record()
            || self.is_vetoed(last, first)
        {
            return Evidence::None;
        }
        if screen::is_state_line(self.text) {
            return Evidence::None;
        }
        // `+` begins the rows that go on in a pager of mail, and stands between the words of a query.
        let is_marked = first == b'+' && !token[1..].contains(&b'+');
        if is_marked && evidence == Evidence::Plain {
            return Evidence::Weak;
        }
        if comment::ends_before(self.before, self.indent, self.text) || self.is_next_item() {
            return if must_say {
                Evidence::Weak
            } else {
                Evidence::None
            };
        }
        evidence
    }

    /// True if the URL cannot be printed without a sign that it may go on: it ends in a hyphen
    /// or an escaped blank, or is a DOI without its suffix. A prose word may follow it.
    fn must_say(&self, last: u8, first: u8) -> bool {
        first.is_ascii_alphanumeric()
            && (last == b'-' && !self.in_host
                || ends_in_blank(self.url)
                || last == b'/' && (ends_doi_prefix(self.url) || self.is_rewrapped))
    }

    /// True if the next line looks like a row of a screen below one that the URL filled: the URL
    /// has its line for itself, the next line has one word of what a URL has, and both are as
    /// wide, or those before were. A login link that was pasted from a terminal looks so.
    fn is_below_full_row(&self) -> bool {
        let len = self.indent.len() + self.token.len();
        let is_full = len == self.width || self.as_wide && len < self.width;
        let has = |is: fn(&u8) -> bool| self.token.iter().any(is);
        is_full
            && self.width >= NARROW
            && (self.chained || self.first_word().is_empty())
            && self.is_alone()
            && self.token.iter().all(u8::is_ascii_graphic)
            && !has(|b| *b == b'@')
            && (has(|b| b"=&%?/".contains(b))
                || has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic))
    }

    /// The first word of the line of the URL, after its leader. Empty if it is the URL.
    fn first_word(&self) -> &[u8] {
        const WORD_MAX: usize = 64;
        let start = self.before.iter().take_while(|b| is_blank(**b)).count();
        let text = &self.before[start..];
        let text = text.strip_prefix(self.leader).unwrap_or(text);
        let text = text.trim_ascii_start();
        words::first(&text[..text.len().min(WORD_MAX)])
    }

    /// True if the word is alone on the next line.
    fn is_alone(&self) -> bool {
        let rest = &self.text[self.token.len()..];
        self.token.len() < LOOK_MAX && rest.iter().all(|&b| is_blank(b))
    }

    /// True if the line before the break has a width at which mailers break
    /// lines.
    fn is_full(&self) -> bool {
        self.as_wide || FULL.contains(&self.width)
    }

    /// True if the line before the break would be too wide with the next word. A
    /// line of under half the width was broken for another reason.
    fn is_too_wide(&self) -> bool {
        2 * self.width >= *FULL.end() && self.width + self.token.len() >= *FULL.start()
    }

    /// True if a word of letters follows the first word.
    fn prose_follows(&self) -> bool {
        let rest = self.text[self.token.len()..].trim_ascii_start();
        rest.first().is_some_and(u8::is_ascii_alphabetic)
    }
}
