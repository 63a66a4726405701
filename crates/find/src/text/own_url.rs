//! Says whether a line has a URL of its own, so that it is no rest of the URL above it.
//!
//! Lists have a URL on each line, and lines of one list are often equally long, as the rows of a screen
//! are. So the width shows nothing there, and the next line decides: one that begins with a URL, or with
//! a cell of a record and then a URL, is an entry. Its scheme may be any, because a list may be one of a
//! program that we do not know (`obsidian://`), or of indicators of compromise (`hxxp://`).
//!
//! The trap: a URL may have another one inside (`?to=https://`, `/web/2020/https://`), and a line may end
//! anywhere in it. There the byte before the scheme is one that URLs have inside.

use super::class::{is_blank, is_scheme_byte};
use super::schemes::{is_iana, shape, slashes};

/// The bytes of a URL after which another one is a part of it.
const INSIDE: &[u8] = b"/=&?%#";

/// Schemes that no registry has, and that no `//` follows.
const WITHOUT_SLASHES: [&[u8]; 12] = [
    b"app",
    b"arn",
    b"cpe",
    b"intent",
    b"javascript",
    b"lightning",
    b"monero",
    b"mqtt",
    b"mqtts",
    b"nostr",
    b"pkg",
    b"slack",
];

/// True if `word`, with which the line below a URL begins, is a URL of its own or has one after a mark
/// that divides cells: `gs://a/b`, `hxxps[:]//a.example`, `evil[.]example/a`, `02,https://a.example/b`.
/// `url` is the line of the URL above, up to its end.
pub(crate) fn has_own_url(url: &[u8], word: &[u8]) -> bool {
    begins_without_slashes(url, word)
        || after_scheme(word).is_some_and(|at| is_own(url, word, at))
        || is_defanged_host(url, word)
}

/// True if a URL stands in `text`, what follows the first word of a line, and is no part of another
/// word.
pub(crate) fn has_url_apart(text: &[u8]) -> bool {
    // Fast path: most lines have none.
    let Some(at) = slashes(text) else {
        return false;
    };
    let name = scheme_len(&text[..at]);
    let before = text[..at - name].last();
    name > 0 && before.is_none_or(|b| !INSIDE.contains(b))
}

/// True if the line of a URL and the line `text` below it are two entries of one list: a word, the same
/// mark after it, and a URL. `before` is what stands before the URL above: `a1 -> ` or `a1=`.
pub(crate) fn are_entries(before: &[u8], text: &[u8]) -> bool {
    // Fast path: most lines have no URL.
    let Some(start) = url_start(text) else {
        return false;
    };
    let own = mark_after_word(before);
    own.is_some() && mark_after_word(&text[..start]) == own
}

/// The index of the first URL in `text` whose scheme has two slashes.
pub(crate) fn url_start(text: &[u8]) -> Option<usize> {
    slashes(text).map(|at| at - scheme_len(&text[..at]))
}

/// What stands after the first word of `before`, up to a URL: ` `, ` -> `, `=`. `None` if it has another
/// word, or a parameter.
fn mark_after_word(before: &[u8]) -> Option<&[u8]> {
    let before = before.trim_ascii_start();
    let is_of_word = |b: &u8| b.is_ascii_alphanumeric() || *b >= 0x80;
    let len = before.iter().rposition(is_of_word)? + 1;
    let (word, mark) = before.split_at(len);
    let is_other = |b: &u8| is_blank(*b) || b"?&".contains(b);
    (!mark.is_empty() && !word.iter().any(is_other)).then_some(mark)
}

/// The index after the name of the first scheme before `://`, or such a mark in brackets.
fn after_scheme(word: &[u8]) -> Option<usize> {
    let is_mark = |at: &usize| {
        let rest = &word[*at..];
        rest.starts_with(b"://") || rest.starts_with(b":]//")
    };
    let at = memchr::memchr_iter(b':', word).find(is_mark)?;
    let is_bracketed = at > 0 && word[at - 1] == b'[';
    Some(at - usize::from(is_bracketed))
}

/// The number of bytes at the end of `text` that may be the name of a scheme. 0 if none is a letter.
fn scheme_len(text: &[u8]) -> usize {
    let name = text.iter().rev().take_while(|&&b| is_scheme_byte(b));
    let len = name.count();
    let has_letter = text[text.len() - len..].iter().any(u8::is_ascii_alphabetic);
    if has_letter { len } else { 0 }
}

/// True if the scheme that ends before the index `at` of `word` begins a URL of its own.
fn is_own(url: &[u8], word: &[u8], at: usize) -> bool {
    let len = scheme_len(&word[..at]);
    let (before, name) = word[..at].split_at(at - len);
    if len == 0 {
        return false;
    }
    match before.last() {
        None => !goes_on_with_scheme(url, name),
        // The text of a link, and its target: `name[https://a.example/]`.
        Some(b'[' | b'(' | b'<') if word[0].is_ascii_alphanumeric() => false,
        Some(b) => !INSIDE.contains(b),
    }
}

/// True if the line above ends inside of a scheme that a parameter or a path of `url` has, and `name` is
/// the rest of it: `?to=ht` and `tps://`.
fn goes_on_with_scheme(url: &[u8], name: &[u8]) -> bool {
    [&b"https"[..], b"http"].iter().any(|scheme| {
        let begin = scheme.strip_suffix(name).unwrap_or_default();
        let before = url.strip_suffix(begin).filter(|_| !begin.is_empty());
        before
            .and_then(|before| before.last())
            .is_some_and(|b| INSIDE.contains(b))
    })
}

/// True for a URL whose scheme no `//` follows: `sip:bob@a.example`, `pkg:npm/a@1`. A query may go on
/// with a name and a colon.
fn begins_without_slashes(url: &[u8], word: &[u8]) -> bool {
    let len = word.iter().take_while(|&&b| is_scheme_byte(b)).count();
    let (name, rest) = word.split_at(len);
    if !matches!(rest, [b':', next, ..] if next.is_ascii_graphic()) {
        return false;
    }
    let may_end = url
        .last()
        .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'/');
    let is_known = || is_iana(name) || WITHOUT_SLASHES.contains(&name);
    let is_lower = || !name.iter().any(u8::is_ascii_uppercase);
    shape(name).is_some() || may_end && is_lower() && is_known()
}

/// True if `word` begins with a host whose dots somebody has taken away, and `url` has its own.
fn is_defanged_host(url: &[u8], word: &[u8]) -> bool {
    let host = &word[..memchr::memchr(b'/', word).unwrap_or(word.len())];
    // Fast path: nearly no word has one.
    let Some(at) = memchr::memchr2(b'[', b'(', host) else {
        return false;
    };
    let marks = [&b"[.]"[..], b"(.)", b"[dot]", b"(dot)"];
    let begins = at > 0
        && host[..at]
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || b".-".contains(b));
    let has_path = slashes(url).is_some_and(|at| url[at + 3..].contains(&b'/'));
    begins && has_path && marks.iter().any(|mark| host[at..].starts_with(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_a_url_of_their_own() {
        let url = b"https://a.example/list/of";
        for word in [
            "gs://a/b",
            "hxxps://b[.]example/",
            "hxxps[:]//b.example/",
            "hxxp[://]b.example/",
            "b[.]example/a",
            "02,https://b.example/",
            "ann;http://b.example/",
            "a|ftp://b.example/",
            "name:https://b.example/",
            "jdbc:mysql://b.example/c",
            "a,\"https://b.example/\"",
            "sip:bob@b.example",
            "pkg:npm/a@1.0",
            "mailto:a@b.example",
        ] {
            assert!(has_own_url(url, word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn parts_of_a_url_that_have_one_inside() {
        let parts = [
            ("https://a.example/?to=ht", "tps://b.example/"),
            ("https://a.example/web/20", "20/https://b.example/"),
            ("https://a.example/?a=1&to", "=https://b.example/"),
            ("https://a.example/?a=1&t", "o=https://b.example/"),
            ("https://a.example/wiki/", "Help:Contents"),
            ("https://a.example/?q=", "tag:open"),
            ("https://a.example/", "://"),
            ("https://a-name", "[.]example/x"),
            (
                "https://a.example/page-1-0-",
                "name/[https://a.example/page-1-0-name/]",
            ),
            ("https://a.example/?id=tips:using-", "platform:macosx"),
        ];
        for (url, word) in parts {
            assert!(!has_own_url(url.as_bytes(), word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn entries_of_one_list() {
        let pairs = [
            ("a1 ", "b2 https://b.example/"),
            ("a1 -> ", "b2 -> gs://b/c"),
            ("a.b=", "c/d.e=https://b.example/"),
            ("  ann: ", "bob: https://b.example/"),
        ];
        for (before, text) in pairs {
            assert!(are_entries(before.as_bytes(), text.as_bytes()), "{text}");
        }
        let others = [
            ("", "https://b.example/"),
            ("see ", "b2, https://b.example/"),
            ("a1 ", "b2 and https://b.example/"),
            ("we see ", "b2 https://b.example/"),
            ("a1=", "b=2&c=https://b.example/"),
            ("a1=", "b2"),
        ];
        for (before, text) in others {
            assert!(!are_entries(before.as_bytes(), text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn urls_after_the_first_word() {
        for text in [
            " https://b.example/",
            " is (ftp://b.example/)",
            " a  gs://b/c",
        ] {
            assert!(has_url_apart(text.as_bytes()), "{text}");
        }
        for text in ["", " and more", " (see /web/https://b)", " a ://b"] {
            assert!(!has_url_apart(text.as_bytes()), "{text}");
        }
    }
}
