//! Quotation marks at the end of a URL and in it.
//!
//! Strings of programs in single quotation marks, with text before the URL: `'see http://a.example/b',1`.
//! An apostrophe may belong to a URL, so it ends one only where such a string is open before it, and
//! where what follows it goes on after a string.
//!
//! The mark `"` is in no URL, but browsers send it escaped, and people copy what they see:
//! `/place/45°11'07.2"N+5°43'20.9"E/`, `?q="a"+b`. Where no string is open before the URL, such a mark
//! belongs to it, and any other that a letter follows directly shows that more was meant.

use crate::scan::marks;
use crate::scan::window::Window;
use crate::text::class::{is_break, is_space, is_stop};

/// The number of bytes before a URL in which the mark that opens a string is searched for.
const REACH: usize = crate::scan::limits::LINE_START_MAX;
/// The maximum number of apostrophes that are passed over on the way to it. It keeps the time linear
/// on a line of URLs with apostrophes.
const APOSTROPHES_MAX: usize = 6;
/// Words of programs that may follow a string directly: `'see http://a.example/b'if x`.
const WORDS: [&[u8]; 12] = [
    b"and", b"as", b"do", b"else", b"for", b"from", b"if", b"in", b"is", b"not", b"or", b"unless",
];

/// What an apostrophe before a URL is.
enum Quote {
    Opens,
    Closes,
    /// It is a letter of the text: `O'Neil`, `\'`, `''` of SQL.
    Letter,
}

/// True if a string in apostrophes is open at `start`, on its line. Linear in [`REACH`], but a line
/// is not read again for each of its URLs: the caller has found an apostrophe in each of them.
#[cold]
pub(super) fn is_open(w: &Window<'_>, start: usize) -> bool {
    let low = start.saturating_sub(REACH);
    let text = &w.bytes()[..start];
    let mut from = start;
    for _ in 0..APOSTROPHES_MAX {
        let mark = memchr::memrchr3(b'\'', b'\n', b'\r', &text[low..from]);
        let at = low + mark.unwrap_or(0);
        w.count(from - at);
        if mark.is_none() || text[at] != b'\'' {
            return false;
        }
        // Two of them are an empty string, or an apostrophe inside of a string of SQL.
        let is_pair = text[..at].ends_with(b"'");
        let first = at - usize::from(is_pair);
        match quote(&text[..first], &text[at + 1..], is_pair) {
            Quote::Opens => return true,
            Quote::Closes => return false,
            Quote::Letter => from = first.max(low),
        }
    }
    false
}

/// What the apostrophe between `before` and `after` is, or two of them if it `is_pair`.
fn quote(before: &[u8], after: &[u8], is_pair: bool) -> Quote {
    let is_letter = |b: &u8| b.is_ascii_alphanumeric() || !b.is_ascii();
    let begins = before
        .last()
        .is_none_or(|b| is_break(*b) || b"([{,=+".contains(b));
    if is_pair {
        return if begins || before.last().is_some_and(|b| is_space(*b) || *b == b':') {
            Quote::Closes
        } else {
            Quote::Letter
        };
    }
    if begins {
        return Quote::Opens;
    }
    let is_before_letter = after.first().is_some_and(is_letter);
    match before.last() {
        Some(b'\\') => Quote::Letter,
        Some(b) if is_letter(b) && is_prefix(before) => Quote::Opens,
        Some(b) if is_letter(b) && is_before_letter => Quote::Letter,
        // After a mark of a sentence it also may close: `'He said:' http://a.example/b`.
        Some(b)
            if b" \t:.;!?|&>/\"".contains(b) && after.first().is_some_and(|b| !is_space(*b)) =>
        {
            if is_before_letter || b" \t:".contains(b) {
                Quote::Opens
            } else {
                Quote::Closes
            }
        }
        _ => Quote::Closes,
    }
}

/// True if the letter at the end of `before` says which string follows: `(u'see`, `=N'see` (Python,
/// SQL).
fn is_prefix(before: &[u8]) -> bool {
    let [text @ .., b'b' | b'f' | b'r' | b'u' | b'N' | b'E'] = before else {
        return false;
    };
    let text = text.strip_suffix(b" ").unwrap_or(text);
    text.last().is_some_and(|b| b"([{,=:+".contains(b))
}

/// True if what follows the apostrophe at `i` goes on after a string that it closes. White space
/// and what ends any URL are not asked for, because there the apostrophe is trimmed anyway.
pub(super) fn closes(w: &Window<'_>, i: usize) -> bool {
    const WORD_MAX: usize = 8;
    let next = w.at(i + 1);
    match next {
        Some(b',' | b';' | b'.' | b'+' | b':' | b'=' | b'|' | b')' | b']' | b'}') => true,
        // The end of a tag, or a comment.
        Some(b'/') => w
            .at(i + 2)
            .is_none_or(|b| b">/*".contains(&b) || is_space(b)),
        Some(b'a'..=b'z') => {
            let text = w.slice(i + 1, WORD_MAX);
            let len = text.iter().take_while(|b| b.is_ascii_lowercase()).count();
            WORDS.contains(&&text[..len]) && w.at(i + 1 + len).is_none_or(is_space)
        }
        _ => false,
    }
}

/// The maximum length of a phrase between quotation marks in a query.
const PHRASE_MAX: usize = 128;

/// The index after the mark `"` at `i` that belongs to the URL at `start`, or after the phrase that
/// it opens. The scheme and slashes of the URL end at `body`.
#[cold]
pub(super) fn inside(w: &Window<'_>, start: usize, body: usize, i: usize) -> Option<usize> {
    if !is_before_letter(w, i) {
        return None;
    }
    let url = &w.bytes()[body..i];
    let end = if ends_in_seconds(url) {
        i + 1
    } else {
        phrase_end(w, url, i)?
    };
    (!is_string_open(w, start)).then_some(end)
}

/// True if the URL at `start` ends before the mark `"` at `i`, but a reader sees that it goes on: a
/// letter, a digit or the variable of a shell follows directly, and no string is open that the mark would
/// close.
#[cold]
pub(in crate::scan) fn cuts(w: &Window<'_>, start: usize, i: usize) -> bool {
    (is_before_letter(w, i) || w.at(i + 1) == Some(b'$')) && !is_string_open(w, start)
}

fn is_before_letter(w: &Window<'_>, i: usize) -> bool {
    w.at(i + 1).is_some_and(|b| b.is_ascii_alphanumeric())
}

/// True for a text that ends with degrees, minutes and seconds: `45°11'07.2`.
fn ends_in_seconds(url: &[u8]) -> bool {
    let before = |text: &'_ [u8], is: fn(&u8) -> bool| {
        let len = text.iter().rev().take_while(|b| is(b)).count();
        (len > 0).then(|| text.len() - len)
    };
    let seconds = before(url, |b| b.is_ascii_digit() || *b == b'.');
    let minutes = seconds.and_then(|at| url[..at].strip_suffix(b"'"));
    let degrees = minutes.and_then(|text| Some(&text[..before(text, u8::is_ascii_digit)?]));
    degrees.is_some_and(|text| text.ends_with("°".as_bytes()) || text.ends_with(b"%C2%B0"))
}

/// The index after the phrase that the mark at `i` opens in the query of `url`, and closes in the same
/// word: `?q="a"+b`.
fn phrase_end(w: &Window<'_>, url: &[u8], i: usize) -> Option<usize> {
    if !matches!(url.last(), Some(b'=' | b'+' | b':')) || !url.contains(&b'?') {
        return None;
    }
    let phrase = w.until(i + 1, PHRASE_MAX, is_stop);
    let close = i + 1 + phrase.text.len();
    (phrase.end == Some(b'"') && !is_before_letter(w, close)).then_some(close + 1)
}

/// True if a string between the marks `"` is open at `start`, on its line, or if the line is too long
/// to know. The last mark before it decides: one that opens stands at the beginning of a word. Linear in
/// [`marks::REACH`], and no line is read twice, because a mark follows each URL for which this is asked.
fn is_string_open(w: &Window<'_>, start: usize) -> bool {
    let low = start.saturating_sub(marks::REACH);
    let before = &w.bytes()[low..start];
    let found = memchr::memrchr3(b'"', b'\n', b'\r', before);
    w.count(before.len() - found.unwrap_or(0));
    let Some(at) = found.filter(|at| before[*at] == b'"') else {
        return found.is_none() && low > 0;
    };
    let begins_word = before[..at]
        .last()
        .is_none_or(|b| is_space(*b) || b"([{<>=,:;+'`".contains(b));
    let is_before_text = before.get(at + 1).is_none_or(|b| !is_space(*b));
    at + 1 == before.len() || begins_word && is_before_text
}
