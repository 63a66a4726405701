//! The layer of doubled apostrophes. SQL, Pascal and YAML write an apostrophe twice in a text that
//! stands between apostrophes: `'http://a.example/O''Brien'`.
//!
//! Two apostrophes around a URL are italics of MediaWiki, and end it. So the text must stand between
//! single ones, and a letter or digit must follow the pair.

use super::page::{Edits, Page, WORD_MAX};
use urlgrep_base::span::SeamKind;

/// The maximum length of the name of a scheme in such a text, and of the apostrophe before it.
const NAME_MAX: usize = 32;

pub(super) fn edits(page: &Page<'_>) -> Edits {
    let mut out = Edits::default();
    let bytes = page.bytes;
    // Fast path: few texts have an apostrophe before a scheme, and then one twice.
    let near = &bytes[page.colon.saturating_sub(NAME_MAX)..page.colon];
    if memchr::memchr(b'\'', near).is_none() {
        return out;
    }
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
    let scheme = near.iter().rev().take_while(is_part).count();
    let before = &bytes[..page.colon - scheme];
    if !before.ends_with(b"'") || before.ends_with(b"''") {
        return out;
    }
    let from = page.colon;
    let rest = &bytes[from..bytes.len().min(from + WORD_MAX)];
    let is_end = |b: &u8| *b <= b' ' || matches!(b, b'"' | b'<' | b'>');
    let end = rest.iter().position(is_end);
    let word = &rest[..end.unwrap_or(rest.len())];
    let mut at = 0;
    let mut is_closed = false;
    while let Some(found) = memchr::memchr(b'\'', &word[at..]) {
        let quote = at + found;
        let is_double = word.get(quote + 1) == Some(&b'\'');
        if !is_double {
            // One inside a word is no end: `O'Brien`.
            let after = word.get(quote + 1);
            is_closed = !after.is_some_and(u8::is_ascii_alphanumeric);
            break;
        }
        if !word.get(quote + 2).is_some_and(u8::is_ascii_alphanumeric) {
            break;
        }
        let start = from + quote;
        out.push(start, start + 2, SeamKind::Escape, b"'");
        at = quote + 2;
    }
    let is_whole = end.is_some() || page.is_end || rest.len() == WORD_MAX;
    if !is_whole {
        // Only the bytes after the page show whether the text is closed.
        let mark = memchr::memchr(b'\'', word);
        out.cut = mark.map(|at| from + at);
    }
    if !is_closed || !is_whole {
        out.list.clear();
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::view::{self, Sight};

    fn seen(text: &str) -> String {
        view::seen(text, Sight::default(), true)
    }

    #[test]
    fn a_doubled_apostrophe_is_one() {
        for (text, wanted) in [
            ("('http://a/O''B/x');", "('http://a/O'B/x');"),
            ("- 'http://a/d''e''f'", "- 'http://a/d'e'f'"),
        ] {
            assert_eq!(seen(text), wanted);
        }
    }

    #[test]
    fn other_apostrophes_stay() {
        for text in [
            "''http://a/x''y''",
            "'http://a/x''",
            "'http://a/x''y z'",
            "\"http://a/x''y\"",
            "'http://a/x'y''z'",
            "'http://a/','http://b/''c'",
        ] {
            assert_eq!(seen(text), text);
        }
    }
}
