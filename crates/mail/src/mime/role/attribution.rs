//! The line that names the author of the text below it: `On 3 Mar 98, Jo wrote:`.
//!
//! Its shape is the same in all languages: it ends in a colon, and has a name or an address, and
//! a date or a verb. The verbs are rows of `languages.txt`.

use memchr::{memchr, memchr2, memmem};

use urlgrep_base::escape::has;

use super::blocks::{has_address, has_date_or_year, has_time};
use super::language::{self, Group, Use, Words};

/// The maximum length of an attribution in bytes, on all its lines.
const BYTES: usize = 400;

/// How sure it is that a line is an attribution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    None,
    /// If marked text is below it.
    Weak,
    /// The text below it is quoted, with or without marks.
    Strong,
}

/// True if the line ends as an attribution does.
#[inline]
pub(super) fn ends_attribution(line: &[u8]) -> bool {
    match line.trim_ascii_end().last() {
        Some(b':') => true,
        // A mark of bold text, or the last byte of a blank, of U+FF1A or of a mark of direction.
        Some(b'*' | b'_' | 0x80..) => ends_in_colon(without_blanks(line)),
        _ => false,
    }
}

fn ends_in_colon(text: &[u8]) -> bool {
    text.ends_with(b":") || text.ends_with("：".as_bytes())
}

/// The text without blanks, marks of bold text and marks of direction at its end.
pub(super) fn without_blanks(mut text: &[u8]) -> &[u8] {
    const MARKS: [&str; 7] = [
        "\u{a0}", "\u{200e}", "\u{200f}", "\u{202a}", "\u{202b}", "\u{202c}", "\u{2069}",
    ];
    // A rule has many of them.
    let is_mark = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'*' | b'_');
    loop {
        let end = text.iter().rposition(|b| !is_mark(b));
        text = &text[..end.map_or(0, |end| end + 1)];
        let is_other = text.last().is_some_and(|b| !b.is_ascii());
        let shorter = MARKS
            .iter()
            .filter(|_| is_other)
            .find_map(|mark| text.strip_suffix(mark.as_bytes()));
        match shorter {
            Some(rest) => text = rest,
            None => return text,
        }
    }
}

/// Examines the text of one or more lines, without line ends.
pub(super) fn strength(text: &[u8], words: &Words) -> Strength {
    if text.len() > BYTES || !ends_attribution(text) {
        return Strength::None;
    }
    let text = without_blanks(text);
    let has_digit = text.iter().any(u8::is_ascii_digit);
    if has_digit && text.starts_with(b"On ") && text.ends_with(b"wrote:") {
        // `On 3 March 2021 at 10:00 I wrote:`
        let is_own = memmem::find(text, b" I ").is_some();
        return if is_own {
            Strength::Weak
        } else {
            Strength::Strong
        };
    }
    let has_address = has_address(text);
    if !has_address && !has_digit {
        return Strength::None;
    }
    let has_bracket = has_address && memchr2(b'<', b'[', text).is_some();
    // A page in it is named by a sentence.
    if memmem::find(text, b"://").is_some() {
        return Strength::None;
    }
    let has_verb = words.has_verb(text);
    if !has_verb && !has_bracket {
        return Strength::None;
    }
    let has_date = has_digit && has_date_or_year(text);
    let has_time = has_digit && has_time(text);
    if has_verb {
        if names_self(text, words) {
            return Strength::None;
        }
        // `El lun, 4 mar a las 9:12, Jo Doe <jo@a.example> escribió:`
        if has_date && (has_time || has_address) || has_time && has_bracket {
            return Strength::Strong;
        }
        if has_date || has_address || has_time {
            return Strength::Weak;
        }
        return Strength::None;
    }
    // `3 мая 2021 г. в 10:00, Jo Doe <jo@a.example>:`
    let ends_in_address = {
        let before = &text[..text.len() - 1];
        let before = before.strip_suffix(b"\xEF\xBC").unwrap_or(before);
        let before = before.trim_ascii_end();
        matches!(before, [.., b'>' | b']']) || before.ends_with(b">)")
    };
    if has_date && has_time && has_bracket && ends_in_address && !names_self(text, words) {
        return Strength::Strong;
    }
    Strength::None
}

/// True if the line is an attribution with the first line of the quotation after it, as Yahoo's
/// program for phones writes it: `On Mon, Mar 4, 2024 at 9:12, Jo<jo@a.example> wrote:   text`.
pub(super) fn is_before_text(line: &[u8]) -> bool {
    let line = &line[..line.len().min(BYTES)];
    let Some(from) = memchr(b'>', line) else {
        return false;
    };
    let Some(colon) = memmem::find(&line[from..], b":   ") else {
        return false;
    };
    let at = from + colon;
    let has_text = !line[at + 1..].trim_ascii().is_empty();
    let (text, words) = (line[..=at].trim_ascii(), language::known());
    has_text
        && strength(text, words) == Strength::Strong
        && words.has_verb(text)
        && !names_self(text, words)
}

/// The number of dashes before and after an attribution of Zoho.
const DASHES: usize = 3;

/// The length of the attribution between dashes that `text` begins with, as Zoho writes it. It has
/// one or two lines: `---- On Mon, 04 Mar 2024 10:11:12 +0000 Jo Doe <jo@a.example> wrote ----`.
pub(super) fn between_dashes(text: &[u8]) -> Option<usize> {
    let mut len = 0;
    for line in text.split_inclusive(|&b| b == b'\n').take(2) {
        len += line.len();
        let text = text[..len].trim_ascii();
        if text.len() > BYTES {
            return None;
        }
        let before = text.iter().take_while(|b| **b == b'-').count();
        let after = text.iter().rev().take_while(|b| **b == b'-').count();
        if before < DASHES || before == text.len() {
            return None;
        }
        if after >= DASHES {
            let text = text[before..text.len() - after].trim_ascii();
            let text = [text.strip_suffix(b":").unwrap_or(text), b":"].concat();
            let words = language::known();
            let is_named = strength(&text, words) == Strength::Strong && words.has_verb(&text);
            return is_named.then_some(len);
        }
    }
    None
}

/// True if an attribution between dashes may begin on the line, which may end on the next one.
#[inline]
pub(super) fn may_be_between_dashes(line: &[u8]) -> bool {
    line.trim_ascii_start().starts_with(b"---") && has(line, |b| b.is_ascii_digit())
}

/// True for the line of GroupWise above a quotation: `>>> Jo Doe <jo@a.example> 3/5/2021 10:00 AM
/// >>>`. The text below it has no marks.
#[inline]
pub(super) fn is_of_group_wise(line: &[u8]) -> bool {
    let Some(text) = line.strip_prefix(b">>> ") else {
        return false;
    };
    let Some(text) = text.trim_ascii_end().strip_suffix(b">>>") else {
        return false;
    };
    has_time(text) && has_date_or_year(text)
}

/// True if the author names himself: `As I wrote on 3 March 2021 at 10:00:`.
fn names_self(text: &[u8], words: &Words) -> bool {
    // The prefilter knows no `’`.
    let may_be = |word: &[u8]| !word.is_ascii() || words.may_begin(word, Group::Other);
    text.split(|b| b.is_ascii_whitespace() || b == &b',')
        .filter(|word| !word.is_empty())
        .map(|word| word.strip_suffix(b":").unwrap_or(word))
        .any(|word| may_be(word) && words.is(word, Use::Own))
}
