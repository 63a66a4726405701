//! Strings of programs in single quotation marks, with text before the URL: `'see http://a.example/b',1`.
//! An apostrophe may belong to a URL, so it ends one only where such a string is open before it, and
//! where what follows it goes on after a string.

use crate::scan::class::{is_break, is_space};
use crate::scan::window::Window;

/// The number of bytes before a URL in which the mark that opens a string is searched for.
const REACH: usize = crate::scan::LINE_START_MAX;
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
