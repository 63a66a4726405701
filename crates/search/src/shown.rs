//! Compares what the text of a link of HTML shows with the target of the link.
//!
//! Programs write a URL twice, as the target of a link and as its text, and the text has
//! other letters: it is decoded (`My Plan.doc` for `My%20Plan.doc`), has invisible characters
//! so that a line can break, lacks the scheme or `www.`, has the letters of a host in Punycode,
//! or is shortened with dots. All of these show the target. A text that shows another URL is
//! what deceives.

use std::borrow::Cow;

use urlgrep_base::digits::hex_byte;
use urlgrep_base::escape::is_joiner;
use urlgrep_url::punycode;

/// What the text of a link shows.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// The target of the link.
    Target,
    /// The beginning of another URL, which somebody shortened.
    Stump(Vec<u8>),
    /// Another URL, or none.
    Other,
}

/// Marks of abbreviation, the longer ones first.
const MARKS: [&str; 5] = ["[...]", "[…]", "...", "…", ".."];
/// Punctuation that may follow a URL and its mark.
const PUNCTUATION: &[char] = &['.', ',', ';', ':', '!', '?', ')', ']', '>', '"', '\''];

/// What `text` shows, which is the whole text of the link to `target`. Quadratic in the text,
/// which is short.
pub(super) fn read(text: &[u8], target: &[u8]) -> Shown {
    if !may_have_url(text) {
        return Shown::Other;
    }
    // Fast path: the check alone is cheaper than the conversion.
    let text = match std::str::from_utf8(text) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(text),
    };
    let Some(shown) = shown_url(&text) else {
        return Shown::Other;
    };
    if is_plain(shown) {
        // Fast path: most texts are the target, or have another host.
        match compare(shown.as_bytes(), target) {
            Some(false) => return Shown::Other,
            Some(true) if !may_be_glued(target) => return Shown::Target,
            _ => {}
        }
    }
    let shown_letters = letters(shown.as_bytes());
    let target = letters(target);
    if is_glued(&target) {
        return Shown::Other;
    }
    let own = shown_letters.trim_end_matches(PUNCTUATION);
    let is_target = |letters: &str| without_slash(body(letters)) == without_slash(body(&target));
    if is_target(&shown_letters) || is_target(own) || is_before_words(shown, is_target) {
        return Shown::Target;
    }
    if is_shortened(body(&shown_letters), body(&target)) {
        return Shown::Target;
    }
    match stump(shown) {
        Some(stump) if !body(&letters(stump.as_bytes())).is_empty() => {
            let scheme = if stump.contains(':') { "" } else { "http://" };
            Shown::Stump([scheme, stump].concat().into_bytes())
        }
        _ => Shown::Other,
    }
}

/// True if the URLs are equal, apart from their escapes, `http` or `https`, `www.`, the case
/// of letters, and a final `/`.
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    compare(one, other).unwrap_or_else(|| {
        without_slash(body(&letters(one))) == without_slash(body(&letters(other)))
    })
}

/// As [`is_same`], decided without a copy of the letters. `None` if that is not possible.
fn compare(one: &[u8], other: &[u8]) -> Option<bool> {
    if one == other {
        return Some(true);
    }
    let (one, other) = (web_body(one), web_body(other));
    let mut pairs = one.iter().zip(other);
    let differ = pairs.position(|(a, b)| !a.eq_ignore_ascii_case(b));
    let at = differ.unwrap_or(one.len().min(other.len()));
    // An escape or `&amp;` that the URLs share in part may be another byte.
    let shared = &one[at.saturating_sub(4)..at];
    if shared.iter().any(|b| b"%&".contains(b)) {
        return None;
    }
    match (&one[at..], &other[at..]) {
        ([], b"/") | (b"/", []) => return Some(true),
        ([], rest) | (rest, []) => {
            let rest = rest.strip_prefix(b"/").unwrap_or(rest);
            return first_letter(rest).map(|_| false);
        }
        _ => {}
    }
    let differ = first_letter(&one[at..])? != first_letter(&other[at..])?;
    let is_in_path = without_scheme(&one[..at])
        .iter()
        .any(|b| b"/?#".contains(b));
    let may_be_punycode = !is_in_path && (has_punycode(one) || has_punycode(other));
    (differ && !may_be_punycode).then_some(false)
}

/// The first byte of `url` in lower case, if it stays what it is wherever it is in a URL.
fn first_letter(url: &[u8]) -> Option<u8> {
    let byte = match *url {
        [b'%', high, low, ..] => hex_byte(high, low)?,
        [byte, ..] => byte,
        [] => return None,
    };
    let is_letter = byte.is_ascii_graphic() && !b"%&/".contains(&byte);
    is_letter.then_some(byte.to_ascii_lowercase())
}

/// The URL without `http://` or `https://` and `www.`.
fn web_body(url: &[u8]) -> &[u8] {
    let without = |url, start: &[u8]| strip_prefix(url, start).unwrap_or(url);
    let url = match strip_prefix(url, b"http") {
        Some(rest) => {
            let rest = without(rest, b"s");
            rest.strip_prefix(b"://").unwrap_or(url)
        }
        None => url,
    };
    without(url, b"www.")
}

/// `text` without `start`, in any case.
fn strip_prefix<'t>(text: &'t [u8], start: &[u8]) -> Option<&'t [u8]> {
    let (head, rest) = text.split_at_checked(start.len())?;
    head.eq_ignore_ascii_case(start).then_some(rest)
}

/// What follows the scheme and its `//`, if the URL has a scheme.
fn without_scheme(url: &[u8]) -> &[u8] {
    let scheme = url
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || b"+-.".contains(b));
    let rest = &url[scheme.count()..];
    rest.strip_prefix(b"://").unwrap_or(url)
}

/// True if a label of the host may be Punycode, or is not ASCII.
fn has_punycode(url: &[u8]) -> bool {
    let url = without_scheme(url);
    let end = url.iter().position(|b| b"/?#".contains(b));
    let host = &url[..end.unwrap_or(url.len())];
    !host.is_ascii()
        || host
            .windows(4)
            .any(|four| four.eq_ignore_ascii_case(b"xn--"))
}

/// True if `target` begins with `stump`, compared as by [`is_same`].
pub(super) fn begins(stump: &[u8], target: &[u8]) -> bool {
    body(&letters(target)).starts_with(body(&letters(stump)))
}

/// The part of the text of a link from its first URL on.
fn shown_url(text: &str) -> Option<&str> {
    let text = text.trim();
    if let Some(at) = text.find("://") {
        let before =
            text[..at].trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "+-.".contains(c));
        return Some(&text[before.len()..]);
    }
    let begins_as_url = |start: &str| {
        let there = text.as_bytes().get(..start.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(start.as_bytes()))
    };
    (begins_as_url("www.") || begins_as_url("mailto:")).then_some(text)
}

/// False only if [`shown_url`] finds nothing.
fn may_have_url(text: &[u8]) -> bool {
    let has_scheme = || {
        let mut colons = memchr::memchr_iter(b':', text);
        colons.any(|at| text[at..].starts_with(b"://"))
    };
    // The first letter of `www.` or `mailto:`, or white space that is not ASCII.
    let first = text.trim_ascii_start().first();
    first.is_some_and(|b| b"wWmM".contains(b) || !b.is_ascii() || *b < b' ') || has_scheme()
}

/// True for a text whose only URL is all of it, without a mark of abbreviation.
fn is_plain(shown: &str) -> bool {
    let bytes = shown.as_bytes();
    let ends_in_letter = bytes
        .last()
        .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'/');
    let is_graphic = bytes.iter().fold(true, |is, b| is & b.is_ascii_graphic());
    let has_dots = || bytes.windows(2).any(|two| two == b"..");
    // Escapes of dots and of `…`.
    let has_escaped_mark = || {
        let mut escapes = memchr::memchr_iter(b'%', bytes);
        escapes.any(|at| matches!(bytes.get(at + 1), Some(b'2' | b'e' | b'E')))
    };
    ends_in_letter && is_graphic && !has_dots() && !has_escaped_mark()
}

/// False only if the target is not [glued](is_glued).
fn may_be_glued(target: &[u8]) -> bool {
    memchr::memchr2(b'[', b'%', target).is_some() || target.ends_with(b"_")
}

/// True if the URL ends before a blank of the text, and no other URL follows:
/// `http://a.example/My Plan.doc (PDF)`.
fn is_before_words(shown: &str, is_target: impl Fn(&str) -> bool) -> bool {
    let is_blank = |c: char| c.is_whitespace() && c != '\n' && c != '\r';
    let blanks = shown.match_indices(is_blank);
    let is_end = |at: usize| {
        let url = letters(&shown.as_bytes()[..at]);
        is_target(url.trim_end_matches(PUNCTUATION)) && !shown[at..].contains("://")
    };
    blanks.map(|(at, _)| at).any(is_end)
}

/// True if `text` has a mark, `target` begins with what is before the mark, and ends with what
/// is after it.
fn is_shortened(text: &str, target: &str) -> bool {
    let fits = |at: usize, mark: &str| {
        let tail = &text[at + mark.len()..];
        let tail = tail.trim_start_matches('.').trim_end_matches(PUNCTUATION);
        let head = &text[..at];
        let rest = target.strip_prefix(head);
        !head.is_empty()
            && rest.is_some_and(|rest| without_slash(rest).ends_with(without_slash(tail)))
    };
    MARKS
        .iter()
        .any(|mark| text.match_indices(mark).any(|(at, _)| fits(at, mark)))
}

/// True for a target into which the program that made the link from a text has put more than
/// the URL: a second URL in brackets, or a line of underscores. Such a link leads nowhere, and
/// the URL that people meant is the one in its text. 58 links of the USRP list are so.
fn is_glued(target: &str) -> bool {
    let has_second = ["[http://", "[https://", "[mailto:"]
        .iter()
        .any(|second| target.contains(second));
    has_second || target.ends_with("____")
}

/// The text before the mark that ends `shown`.
fn stump(shown: &str) -> Option<&str> {
    let closing = &PUNCTUATION[1..];
    let text = shown
        .trim_end()
        .trim_end_matches(|c| c != ']' && closing.contains(&c));
    let before = MARKS.iter().find_map(|mark| text.strip_suffix(mark))?;
    let before = before.trim_end_matches(['.', ' ', '\u{A0}']);
    (!before.contains(char::is_whitespace)).then_some(before)
}

/// The letters of a URL: its escapes are decoded, white space and invisible characters are
/// left out, and all letters are in lower case. Marks that change the direction of the text
/// stay, because they deceive.
fn letters(text: &[u8]) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'%', rest) {
        let (before, escape) = rest.split_at(at);
        decoded.extend_from_slice(before);
        let (byte, len) = match *escape {
            [_, high, low, ..] => match hex_byte(high, low) {
                Some(byte) => (byte, 3),
                None => (b'%', 1),
            },
            _ => (b'%', 1),
        };
        decoded.push(byte);
        rest = &escape[len..];
    }
    decoded.extend_from_slice(rest);
    let lower = if decoded.is_ascii() {
        // Most URLs are. U+000B is white space, too.
        decoded.retain(|b| !b.is_ascii_whitespace() && *b != 0x0B);
        decoded.make_ascii_lowercase();
        String::from_utf8(decoded).unwrap_or_default()
    } else {
        let text = String::from_utf8_lossy(&decoded);
        let visible = text.chars().filter(|&c| !is_invisible(c));
        with_ascii_host(visible.flat_map(char::to_lowercase).collect())
    };
    if memchr::memchr(b'&', lower.as_bytes()).is_some() {
        lower.replace("&amp;", "&")
    } else {
        lower
    }
}

/// The letters of a URL with its host in Punycode, if the host has other letters than ASCII.
fn with_ascii_host(letters: String) -> String {
    let start = letters.find("://").map_or(0, |at| at + 3);
    if start == 0 && !letters.starts_with("www.") {
        return letters;
    }
    let len = letters[start..].find(['/', '?', '#', ':']);
    let end = len.map_or(letters.len(), |len| start + len);
    let host = &letters[start..end];
    if host.is_ascii() {
        return letters;
    }
    match punycode::to_ascii(host) {
        Some(host) => [&letters[..start], &host, &letters[end..]].concat(),
        None => letters,
    }
}

/// True for white space and for characters that only let a line break.
fn is_invisible(c: char) -> bool {
    c.is_whitespace() || is_joiner(c)
}

/// The letters of a URL without `http://` or `https://` and `www.`. Another scheme is another
/// URL.
fn body(letters: &str) -> &str {
    let web = letters
        .strip_prefix("http://")
        .or(letters.strip_prefix("https://"));
    let rest = web.unwrap_or(letters);
    rest.strip_prefix("www.").unwrap_or(rest)
}

fn without_slash(letters: &str) -> &str {
    letters.strip_suffix('/').unwrap_or(letters)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_show_their_target() {
        for (text, target) in [
            ("http://a.example/lon...", "http://a.example/long/page"),
            ("http://a.example/lon…", "http://a.example/long/page"),
            ("http://a.example/lon[...]", "http://a.example/long/page"),
            (
                "http://a.example/ver.../file.pdf",
                "http://a.example/very/long/file.pdf",
            ),
            (
                "http://a.example/ver ... file.pdf",
                "http://a.example/very/long/file.pdf",
            ),
            ("http://a.example/…", "http://a.example/x/"),
            ("See http://a.example/lon....", "http://a.example/long/page"),
            (
                "http://a.example/My Plan.doc",
                "http://a.example/My%20Plan.doc",
            ),
            (
                "http://a.example/My\u{A0}Plan.doc (PDF)",
                "http://a.example/My%20Plan.doc",
            ),
            ("http://a.example/x/\u{200B}y", "http://a.example/x/y"),
            ("http://a.example/п", "http://a.example/%D0%BF"),
            (
                "http://bücher.example/lon...",
                "http://xn--bcher-kva.example/long",
            ),
            ("www.Bücher.example", "https://www.xn--bcher-kva.example/"),
            (
                "http://xn--bcher-kva.example/",
                "http://b%C3%BCcher.example/",
            ),
            (
                "ftp://xn--bcher-kva.example/x",
                "ftp://b%C3%BCcher.example/x",
            ),
            ("www.a.example/x.", "https://a.example/x"),
            ("HTTP://A.example", "https://www.a.example/"),
        ] {
            assert_eq!(
                read(text.as_bytes(), target.as_bytes()),
                Shown::Target,
                "{text}"
            );
        }
    }

    #[test]
    fn texts_that_show_something_else() {
        for (text, target) in [
            ("http://a.example/x", "http://a.example/y"),
            ("http://a.example/v1...v3", "http://a.example/v1...v2"),
            ("http://a.example/x http://b.example/", "http://a.example/x"),
            ("ftp://a.example/x", "http://a.example/x"),
            ("http://b.example/\u{202E}x", "http://b.example/x"),
            ("http://bucher.example/", "http://xn--bcher-kva.example/"),
            ("ftp://bucher.example/", "ftp://xn--bcher-kva.example/"),
            ("http://bücher.example/", "http://xn--bcher-kwa.example/"),
            ("http://...", "http://a.example/x"),
            ("click here...", "http://a.example/x"),
            (
                "http://a.example/x[http://a.example/x]",
                "http://a.example/x%5Bhttp://a.example/x%5D",
            ),
            ("http://a.example/x____", "http://a.example/x____"),
        ] {
            assert_eq!(
                read(text.as_bytes(), target.as_bytes()),
                Shown::Other,
                "{text}"
            );
        }
        let stump = read(b"www.bank.example/lo...", b"http://evil.example/");
        assert_eq!(stump, Shown::Stump(b"http://www.bank.example/lo".to_vec()));
        let stump = read(
            "http://bank.example/lo …".as_bytes(),
            b"http://evil.example/",
        );
        assert_eq!(stump, Shown::Stump(b"http://bank.example/lo".to_vec()));
    }
}
