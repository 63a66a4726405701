//! Compares what the text of a link of HTML shows with the target of the link.
//!
//! Programs write a URL twice, as the target of a link and as its text, and the text has
//! other letters: it is decoded (`My Plan.doc` for `My%20Plan.doc`), has invisible characters
//! so that a line can break, lacks the scheme or `www.`, or is shortened with dots. All of
//! these show the target. A text that shows another URL is what deceives.

use urlgrep_base::digits::hex_byte;

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
    let text = String::from_utf8_lossy(text);
    let Some(shown) = shown_url(&text) else {
        return Shown::Other;
    };
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
    if one == other {
        return true;
    }
    // Fast path: most hosts begin with another letter than that of the target.
    let [first, second] = [one, other].map(first_of_host);
    let differ = first != second && [first, second].iter().all(u8::is_ascii_alphanumeric);
    !differ && without_slash(body(&letters(one))) == without_slash(body(&letters(other)))
}

/// The first byte of the host without `www.`, in lower case. 0 if there is none.
fn first_of_host(url: &[u8]) -> u8 {
    let start = memchr::memchr(b':', url).map_or(0, |at| at + 1);
    let host = url[start..].strip_prefix(b"//").unwrap_or(url);
    let has_www = host.len() > 4 && host[..4].eq_ignore_ascii_case(b"www.");
    let name = if has_www { &host[4..] } else { host };
    name.first().map_or(0, u8::to_ascii_lowercase)
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
    while let [first, after @ ..] = rest {
        let escaped = match after {
            [high, low, ..] if *first == b'%' => hex_byte(*high, *low),
            _ => None,
        };
        decoded.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() {
            &after[2..]
        } else {
            after
        };
    }
    let lower = if decoded.is_ascii() {
        // Most URLs are. U+000B is white space, too.
        decoded.retain(|b| !b.is_ascii_whitespace() && *b != 0x0B);
        decoded.make_ascii_lowercase();
        String::from_utf8(decoded).unwrap_or_default()
    } else {
        let text = String::from_utf8_lossy(&decoded);
        let visible = text.chars().filter(|&c| !is_invisible(c));
        visible.flat_map(char::to_lowercase).collect()
    };
    if lower.contains("&amp;") {
        lower.replace("&amp;", "&")
    } else {
        lower
    }
}

/// True for white space and for characters that only let a line break.
fn is_invisible(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}'
        )
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
