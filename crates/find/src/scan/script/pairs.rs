//! Brackets, quotation marks and apostrophes beyond ASCII. They are of the prose around a URL, unless
//! they belong to a name in its path: `/wiki/L’Équipe`, `/wiki/“Heroes”_(album)`, `/wiki/東京（駅）`.

use super::{Choice, RUN_MAX, Scripts, goes_on_after, letter_at};
use crate::scan::typeset::HYPHEN_LEN;
use crate::scan::window::Window;
use crate::text::class::{CLASS, Class, DASH_LEN, High, closing_bracket, high, is_stop};

/// U+2019.
const APOSTROPHE: &[u8] = "’".as_bytes();
/// The maximum number of bytes of a title in quotation marks.
const QUOTED_MAX: usize = 96;

impl Scripts {
    /// Takes the round brackets of `len` bytes at `i`. If letters of a script without spaces
    /// begin in them directly after a letter, a digit or a slash, and the URL ends with
    /// them, they may belong to the prose.
    pub(in crate::scan) fn take_parenthesis(&mut self, w: &Window<'_>, i: usize, len: usize) {
        let before = w.bytes()[i - 1];
        let is_prose = (before.is_ascii_alphanumeric() || before == b'/')
            && matches!(high(w.character(i + 1)), High::Script(_))
            && !goes_on_after(w, i + len);
        if is_prose && self.choice.is_none() {
            self.choice = Some(Choice::EndsAt(i));
        }
        self.taken = true;
        self.bracket_end = i + len;
    }

    /// The length of what is taken at a bracket, a quotation mark or an apostrophe of prose.
    /// `None` if it ends the URL.
    pub(super) fn take_mark(&mut self, w: &Window<'_>, i: usize, bytes: &[u8]) -> Option<usize> {
        if bytes == APOSTROPHE {
            return self.is_apostrophe(w, i).then_some(bytes.len());
        }
        if self.quote_end == i {
            return Some(bytes.len());
        }
        if let Some(close) = self.quoted(w, i, bytes) {
            self.quote_end = close;
            return Some(bytes.len());
        }
        let is_after_letter = self.letter_end == i;
        let len = bracketed(w, i, bytes)?;
        if !is_after_letter && !path_goes_on(w, i + len) {
            return None;
        }
        self.letter_end = i + len;
        self.script_end = i + len;
        Some(len)
    }

    /// The index of the closing quotation mark, if the one at `i` opens a title in the path:
    /// `/wiki/“Heroes”_(album)`. The URL goes on after it, or the title is a whole name. If the URL
    /// is itself in quotation marks, the next mark ends it.
    fn quoted(&self, w: &Window<'_>, i: usize, open: &[u8]) -> Option<usize> {
        // The marks that close it, and those that it closes if they stand before the URL.
        let (close, closes): (&[&str], &[&str]) = match std::str::from_utf8(open).ok()? {
            "“" => (&["”"], &["“", "„"]),
            "„" => (&["“", "”"], &["„"]),
            "«" => (&["»"], &["«"]),
            "‹" => (&["›"], &["‹"]),
            "‘" => (&["’"], &["‘", "‚"]),
            "‚" => (&["‘", "’"], &["‚"]),
            _ => return None,
        };
        let before = w.bytes()[..i].last();
        let is_name = before.is_some_and(|b| b"/_-=".contains(b));
        if self.is_after(w, closes) || !is_name && !self.after_letter(w, i) {
            return None;
        }
        let mut at = i + open.len();
        let end = at + QUOTED_MAX;
        while at < end {
            let next = w.character(at);
            let is_close = close.iter().any(|close| next == close.as_bytes());
            if is_close {
                w.count(at - i);
                let after = at + next.len();
                let is_whole = is_name && at > i + open.len() && word_ends(w, after);
                return (is_whole || path_goes_on(w, after)).then_some(at);
            }
            at += match next {
                [b] if b.is_ascii_alphanumeric() || b"_-.,!%+()".contains(b) => 1,
                [b, ..] if !b.is_ascii() => match high(next) {
                    High::Part(len) | High::Script(len) => len,
                    High::Ends if next == APOSTROPHE => next.len(),
                    High::Dash => DASH_LEN,
                    _ => break,
                },
                _ => break,
            };
        }
        w.count(at - i);
        None
    }

    /// True if one of the quotation marks `marks` stands before the URL.
    fn is_after(&self, w: &Window<'_>, marks: &[&str]) -> bool {
        const SCHEME_LEN: usize = 12;
        let before = &w.bytes()[self.body.saturating_sub(SCHEME_LEN)..self.body];
        let has = |mark: &&str| memchr::memmem::find(before, mark.as_bytes()).is_some();
        marks.iter().any(has)
    }

    /// True if the apostrophe at `i` is in a name of the path: `/wiki/L’Équipe`,
    /// `/rock-’n’-roll`. It is Soft in UTS #58. A single `s` after it is of the prose, and after an
    /// opening quotation mark it may be the closing one.
    fn is_apostrophe(&self, w: &Window<'_>, i: usize) -> bool {
        let is_after_mark = w.bytes()[..i].last().is_some_and(|b| b"-_".contains(b));
        if !self.after_letter(w, i) && !is_after_mark || self.is_after(w, &["‘", "’", "‚"]) {
            return false;
        }
        let is_letter = |at| w.at(at).is_some_and(|b| b.is_ascii_alphabetic()) || letter_at(w, at);
        let next = i + APOSTROPHE.len();
        let name_goes_on = |at| matches!(w.at(at), Some(b'-' | b'_' | b'/')) && is_letter(at + 1);
        let bracket_goes_on = |at| w.at(at) == Some(b')') && name_goes_on(at + 1);
        if !is_letter(next) {
            return !is_after_mark && name_goes_on(next);
        }
        let goes_on = |at| is_letter(at) || name_goes_on(at) || bracket_goes_on(at);
        w.at(next) != Some(b's') || goes_on(next + 1)
    }
}

/// True if the path goes on at `i`, after a bracket or a quotation mark of prose: a sign of URLs and
/// then a letter or a digit, an escape or a bracket.
fn path_goes_on(w: &Window<'_>, i: usize) -> bool {
    let is_letter = |at| w.at(at).is_some_and(|b| b.is_ascii_alphanumeric()) || letter_at(w, at);
    match w.at(i) {
        Some(b'/' | b'_' | b'-' | b'%') => {
            is_letter(i + 1) || w.at(i + 1).is_some_and(|b| b"(%".contains(&b))
        }
        _ => false,
    }
}

/// True if the word ends at `i`: a stop or the end of the text, after at most one mark of a sentence.
fn word_ends(w: &Window<'_>, i: usize) -> bool {
    let is_mark = w.at(i).is_some_and(|b| b".,;:!?".contains(&b));
    w.at(i + usize::from(is_mark)).is_none_or(is_stop)
}

/// The length of the brackets beyond ASCII at `i`, and of at most [`RUN_MAX`] letters between
/// them (UTS #58, `Link_Bracket`): `/wiki/東京（駅）`. After ASCII they are of the prose, unless the
/// path goes on after them.
pub(super) fn bracketed(w: &Window<'_>, i: usize, open: &[u8]) -> Option<usize> {
    let close = closing_bracket(open)?;
    let mut at = i + open.len();
    for _ in 0..RUN_MAX {
        let next = w.character(at);
        if next == close.encode_utf8(&mut [0; 4]).as_bytes() {
            return Some(at + next.len() - i);
        }
        at += match next {
            [b] if b.is_ascii_alphanumeric() || b"_-".contains(b) => 1,
            [b, ..] if !b.is_ascii() => match high(next) {
                High::Part(len) | High::Script(len) | High::East(len) => len,
                _ => return None,
            },
            _ => return None,
        };
    }
    None
}

/// The maximum length of round brackets with characters beyond ASCII.
const PARENTHESIS_MAX: usize = 128;

/// The length of the round brackets that open at `open` and close in the same word, if
/// they have characters beyond ASCII: `/wiki/I_(♥)_NY`, `/wiki/BTS_(그룹)`. They belong to the
/// URL as a whole, as in UTS #58. Brackets of ASCII are counted, because they may nest.
pub(in crate::scan) fn parenthesis(w: &Window<'_>, open: usize) -> Option<usize> {
    let mut is_ascii = true;
    let mut at = open + 1;
    while at - open < PARENTHESIS_MAX {
        let b = w.at(at)?;
        if b == b')' {
            w.count(at - open);
            return (!is_ascii).then_some(at + 1 - open);
        }
        let is_url = b == b':' && w.at(at + 1) == Some(b'/') && w.at(at + 2) == Some(b'/');
        if b.is_ascii() {
            if is_url || !matches!(CLASS[b as usize], Class::Plain | Class::Mark) {
                return None;
            }
            at += 1;
            continue;
        }
        is_ascii = false;
        at += match high(w.character(at)) {
            High::Part(len) | High::Script(len) | High::Inside(len) => len,
            High::East(len) | High::EastStop(len) => len,
            High::Dash | High::Overline => DASH_LEN,
            High::Hyphen => HYPHEN_LEN,
            High::Ends | High::Arrow(_) | High::Invisible(_) => return None,
        };
    }
    None
}
