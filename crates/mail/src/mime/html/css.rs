//! The links of a style sheet: `url(…)` (CSS Values 4, section 4.5), and the string of
//! `@import` (CSS Cascade 4, section 2).
//!
//! It divides a sheet into tokens as far as links need it (CSS Syntax 3, section 4). An
//! `url(` in a comment or in another string is no link.

use std::ops::Range;

use memchr::{memchr, memchr3, memchr3_iter, memmem};

use super::super::text::MAX_TOKEN;
use super::tags::{CSS, find, run};

/// The longest text before a `(` in which the name `url` is searched for: three letters,
/// each as an escape with six digits and a blank.
const MAX_NAME: usize = 24;

/// Where the next byte of a sheet is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Place {
    /// Between two tokens.
    #[default]
    Sheet,
    /// After `@import`. A string is a link there.
    Import,
    /// In a comment. True after `@import`.
    Comment(bool),
    /// In the rest of a string, or of an `url(`, that ends with this byte. The rest has no
    /// link.
    Rest(u8),
}

/// What the next bytes of a sheet are.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Next {
    Link {
        /// Where the content of `url(`, or the string, begins.
        open: usize,
        /// The URL, whose escapes are not decoded.
        url: Range<usize>,
    },
    /// There is no further link. The token that begins here is not complete.
    Stop(usize),
}

/// A string, or the content of an `url(`.
enum Content {
    /// It has this length, without its end.
    Link(usize),
    /// It is not valid, and ends with this byte. The bytes before it were read.
    Bad(usize, u8),
    /// More bytes must follow.
    Open,
}

/// Finds the next link of `sheet` at or after `at`. Moves `at` to the end of the link, and
/// `place` to what follows. `end` is true if the sheet ends with these bytes.
///
/// # Complexity
///
/// Linear over all calls for one sheet.
pub(super) fn next(sheet: &[u8], at: &mut usize, place: &mut Place, end: bool) -> Next {
    // Fast path: most sheets have no link, and what follows the last one is of no interest.
    if end && *place == Place::Sheet && !may_have_link(&sheet[*at..]) {
        *at = sheet.len();
        return Next::Stop(*at);
    }
    loop {
        let stop = match *place {
            Place::Sheet => match sheet_token(sheet, at, place, end) {
                Some(next) => return next,
                None => false,
            },
            Place::Import => match import(sheet, at, place, end) {
                Some(next) => return next,
                None => false,
            },
            Place::Comment(in_import) => match memmem::find(&sheet[*at..], b"*/") {
                Some(n) => {
                    *at += n + 2;
                    *place = if in_import {
                        Place::Import
                    } else {
                        Place::Sheet
                    };
                    false
                }
                None => {
                    let star = sheet.len() > *at && sheet.ends_with(b"*");
                    *at = sheet.len() - usize::from(star);
                    true
                }
            },
            Place::Rest(close) => !skip_rest(sheet, at, place, close),
        };
        if stop {
            return Next::Stop(*at);
        }
    }
}

/// False only if there is no link: the name before `(` ends in `l` or its escape, and that of
/// a rule for imports begins with `@i`. Reads up to the first of these, which is at or before
/// the next link, so that all calls for one sheet are linear.
fn may_have_link(sheet: &[u8]) -> bool {
    memchr3_iter(b'(', b'@', b'\\', sheet).any(|i| match sheet[i] {
        b'(' => i > 0 && sheet[i - 1].eq_ignore_ascii_case(&b'l'),
        b'@' => sheet
            .get(i + 1)
            .is_some_and(|b| b.eq_ignore_ascii_case(&b'i')),
        _ => may_be_l(&sheet[i + 1..]),
    })
}

/// False only if the escape after whose backslash `bytes` are is not an `l`.
fn may_be_l(bytes: &[u8]) -> bool {
    let digits = &bytes[run(bytes, |b| b == b'0')..];
    matches!(digits, [b'4' | b'6', b'c' | b'C', ..] | [b'l' | b'L', ..])
}

/// Reads the tokens up to the next link, or up to one after which another place begins.
#[expect(clippy::too_many_lines, reason = "one arm for each token")]
fn sheet_token(sheet: &[u8], at: &mut usize, place: &mut Place, end: bool) -> Option<Next> {
    // A name may begin here or later. It may have escapes, so they do not move this place.
    let mut floor = *at;
    loop {
        let mark = find(sheet, *at, CSS);
        let rest = &sheet[mark..];
        let Some(&first) = rest.first() else {
            // The last bytes may be the name before a `(`.
            let name = if end {
                0
            } else {
                name_before(sheet, floor, mark)
            };
            return Some(Next::Stop(mark - name));
        };
        let is_cut = rest.len() == 1 && !end;
        match first {
            b'"' | b'\'' => match string(&rest[1..], first, end) {
                Content::Link(len) => *at = (mark + 1 + len + 1).min(sheet.len()),
                Content::Bad(len, _) => *at = mark + 1 + len,
                Content::Open if rest.len() >= MAX_TOKEN => {
                    *at = mark + 1;
                    *place = Place::Rest(first);
                    return None;
                }
                Content::Open => return Some(Next::Stop(mark)),
            },
            b'/' if is_cut => return Some(Next::Stop(mark)),
            b'/' if rest.get(1) == Some(&b'*') => {
                *at = mark + 2;
                *place = Place::Comment(false);
                return None;
            }
            b'@' => {
                const IMPORT: &[u8] = b"@import";
                let len = rest.len().min(IMPORT.len());
                let begins = rest[..len].eq_ignore_ascii_case(&IMPORT[..len]);
                if begins && rest.len() <= IMPORT.len() && !end {
                    return Some(Next::Stop(mark));
                }
                let is_longer = rest.get(len).is_some_and(|&b| is_name_byte(b));
                if begins && len == IMPORT.len() && !is_longer {
                    *at = mark + len;
                    *place = Place::Import;
                    return None;
                }
                *at = mark + 1;
            }
            b'(' if is_url(&sheet[..mark]) => {
                let name = name_before(sheet, floor, mark);
                return match url(sheet, mark + 1, place, end) {
                    Some((link, next)) => {
                        *at = next;
                        if let Some(url) = link {
                            return Some(Next::Link {
                                open: mark + 1,
                                url,
                            });
                        }
                        None
                    }
                    None => Some(Next::Stop(mark - name)),
                };
            }
            b'\\' if is_cut => {
                let name = name_before(sheet, floor, mark);
                return Some(Next::Stop(mark - name));
            }
            b'\\' => {
                *at = (mark + 2).min(sheet.len());
                continue;
            }
            _ => *at = mark + 1,
        }
        floor = *at;
    }
}

/// Reads what follows `@import`.
fn import(sheet: &[u8], at: &mut usize, place: &mut Place, end: bool) -> Option<Next> {
    *at += run(&sheet[*at..], is_css_space);
    let rest = &sheet[*at..];
    match rest {
        [] => Some(Next::Stop(*at)),
        [b'/'] if !end => Some(Next::Stop(*at)),
        [b'/', b'*', ..] => {
            *at += 2;
            *place = Place::Comment(true);
            None
        }
        [quote @ (b'"' | b'\''), ..] => {
            let open = *at + 1;
            let is_far = rest.len() >= MAX_TOKEN;
            let len = match string(&rest[1..], *quote, end) {
                Content::Link(len) => len,
                Content::Open if is_far => {
                    *at = sheet.len();
                    *place = Place::Rest(*quote);
                    let url = open..*at;
                    return Some(Next::Link { open, url });
                }
                Content::Open => return Some(Next::Stop(*at)),
                Content::Bad(len, _) => {
                    *at = open + len;
                    *place = Place::Sheet;
                    return None;
                }
            };
            *at = (open + len + 1).min(sheet.len());
            *place = Place::Sheet;
            let url = open..open + len;
            Some(Next::Link { open, url })
        }
        _ => {
            *place = Place::Sheet;
            None
        }
    }
}

/// Reads the content of an `url(` that begins at `open`. Returns the URL, if it is valid, and
/// the place after it. `None` if more bytes must follow.
fn url(
    sheet: &[u8],
    open: usize,
    place: &mut Place,
    end: bool,
) -> Option<(Option<Range<usize>>, usize)> {
    let start = open + run(&sheet[open..], is_css_space);
    let is_far = sheet.len() - open >= MAX_TOKEN;
    let (start, close, content) = match sheet.get(start) {
        Some(&quote @ (b'"' | b'\'')) => {
            let content = string(&sheet[start + 1..], quote, end);
            (start + 1, quote, content)
        }
        Some(_) => (start, b')', unquoted(&sheet[start..], end)),
        None if end => return Some((None, sheet.len())),
        None => (start, b')', Content::Open),
    };
    match content {
        Content::Link(len) => {
            let next = (start + len + 1).min(sheet.len());
            let is_empty = len == 0;
            let len = match close {
                b')' => sheet[start..start + len].trim_ascii_end().len(),
                _ => len,
            };
            Some(((!is_empty).then_some(start..start + len), next))
        }
        Content::Bad(len, b')') => {
            *place = Place::Rest(b')');
            Some((None, start + len))
        }
        Content::Bad(len, _) => Some((None, start + len)),
        // The link is cut.
        Content::Open if is_far => {
            *place = Place::Rest(close);
            Some((Some(start..sheet.len()), sheet.len()))
        }
        Content::Open => None,
    }
}

/// Reads a string after its opening quotation mark. A line break without a backslash before
/// it makes it invalid (CSS Syntax 3, section 4.3.5).
fn string(bytes: &[u8], quote: u8, end: bool) -> Content {
    let mut at = 0;
    loop {
        let Some(n) = memchr3(quote, b'\\', b'\n', &bytes[at..]) else {
            return if end {
                Content::Link(bytes.len())
            } else {
                Content::Open
            };
        };
        at += n;
        match bytes[at] {
            b'\n' => return Content::Bad(at, quote),
            b'\\' => {
                let is_crlf = bytes[at + 1..].starts_with(b"\r\n");
                at += if is_crlf { 3 } else { 2 };
                if at >= bytes.len() {
                    return if end {
                        Content::Link(bytes.len())
                    } else {
                        Content::Open
                    };
                }
            }
            _ => return Content::Link(at),
        }
    }
}

/// Reads an `url(` without quotation marks, from its first byte that is no white space.
/// White space, quotation marks and brackets make it invalid (CSS Syntax 3, section 4.3.6).
fn unquoted(bytes: &[u8], end: bool) -> Content {
    let mut at = 0;
    while let Some(&b) = bytes.get(at) {
        match b {
            b')' => return Content::Link(at),
            b'"' | b'\'' | b'(' | 0..=8 | 0x0B | 0x0E..=0x1F | 0x7F => {
                return Content::Bad(at, b')');
            }
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => return Content::Bad(at + 1, b')'),
            // A blank after the digits of an escape belongs to it.
            b'\\' => at += escape(&bytes[at..]).0.max(2),
            _ if is_css_space(b) => {
                let space = run(&bytes[at..], is_css_space);
                match bytes.get(at + space) {
                    Some(b')') => return Content::Link(at + space),
                    Some(_) => return Content::Bad(at, b')'),
                    None => break,
                }
            }
            _ => at += 1,
        }
    }
    if end {
        Content::Link(bytes.len())
    } else {
        Content::Open
    }
}

/// Skips the rest of a token up to its end. Returns false if that did not come yet.
fn skip_rest(sheet: &[u8], at: &mut usize, place: &mut Place, close: u8) -> bool {
    while let Some(n) = memchr3(close, b'\\', b'\n', &sheet[*at..]) {
        let mark = *at + n;
        match sheet[mark] {
            b'\\' if mark + 1 == sheet.len() => {
                *at = mark;
                return false;
            }
            b'\\' => *at = mark + 2,
            b'\n' if close == b')' => *at = mark + 1,
            _ => {
                *at = mark + 1;
                *place = Place::Sheet;
                return true;
            }
        }
    }
    *at = sheet.len();
    false
}

/// True if `before` ends with the name `url`, which may be written with escapes.
fn is_url(before: &[u8]) -> bool {
    let near = &before[before.len().saturating_sub(MAX_NAME)..];
    if let Some(start) = near.len().checked_sub(3)
        && near[start..].eq_ignore_ascii_case(b"url")
    {
        let before_name = start.checked_sub(1).map(|i| near[i]);
        // A backslash may escape the `u`, or be the second of two.
        if before_name != Some(b'\\') {
            return !before_name.is_some_and(is_name_byte);
        }
    }
    if memchr(b'\\', near).is_none() {
        return false;
    }
    let is_start = |&i: &usize| i == 0 || !is_name_byte(near[i - 1]) && near[i - 1] != b'\\';
    (0..near.len())
        .filter(is_start)
        .any(|i| is_escaped_url(&near[i..]))
}

/// True if `name` is `url` after its escapes are decoded.
fn is_escaped_url(name: &[u8]) -> bool {
    let mut at = 0;
    for wanted in *b"url" {
        let (len, c) = match name.get(at) {
            Some(b'\\') => escape(&name[at..]),
            Some(&b) => (1, Some(char::from(b))),
            None => return false,
        };
        if !c.is_some_and(|c| c.eq_ignore_ascii_case(&char::from(wanted))) {
            return false;
        }
        at += len;
    }
    at == name.len()
}

/// The length of the name that ends at `mark`, of the bytes from `from` on.
fn name_before(sheet: &[u8], from: usize, mark: usize) -> usize {
    let is_name = |&b: &u8| is_name_byte(b) || b == b'\\' || is_css_space(b);
    let near = &sheet[from.max(mark.saturating_sub(2 * MAX_NAME))..mark];
    let other = near.iter().rposition(|b| !is_name(b));
    near.len() - other.map_or(0, |i| i + 1)
}

/// Reads the escape at the start of `bytes`, which are not empty. Returns its length, and its
/// character. A line break has none.
///
/// > Consume as many hex digits as possible, but no more than 5. … If the next input code
/// > point is whitespace, consume it as well. (CSS Syntax 3, section 4.3.7)
///
/// The five digits follow a first one.
pub(super) fn escape(bytes: &[u8]) -> (usize, Option<char>) {
    let after = &bytes[1..];
    let digits = run(&after[..after.len().min(6)], |b| b.is_ascii_hexdigit());
    if digits > 0 {
        let code = after[..digits].iter().fold(0, |code, &digit| {
            code << 4 | char::from(digit).to_digit(16).unwrap_or(0)
        });
        let space = match after[digits..] {
            [b'\r', b'\n', ..] => 2,
            [b, ..] if is_css_space(b) => 1,
            _ => 0,
        };
        let c = char::from_u32(code).filter(|&c| c != '\0');
        return (1 + digits + space, Some(c.unwrap_or('\u{FFFD}')));
    }
    match after {
        [b'\r', b'\n', ..] => (3, None),
        [b'\n' | b'\r' | 0x0C, ..] | [] => (bytes.len().min(2), None),
        [b, ..] if b.is_ascii() => (2, Some(char::from(*b))),
        // The backslash alone is removed, and the character stays.
        _ => (1, None),
    }
}

fn is_name_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | 0x80..)
}

fn is_css_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The links of a sheet that comes in chunks of `size` bytes.
    fn links(sheet: &str, size: usize) -> Vec<&str> {
        let (mut links, mut place) = (vec![], Place::Sheet);
        let (mut start, mut known) = (0, 0);
        loop {
            known = (known + size).min(sheet.len());
            let end = known == sheet.len();
            let near = &sheet.as_bytes()[start..known];
            let mut at = 0;
            let read = loop {
                match next(near, &mut at, &mut place, end) {
                    Next::Link { url, .. } => {
                        links.push(&sheet[start + url.start..start + url.end]);
                    }
                    Next::Stop(read) => break read,
                }
            };
            start += read;
            if end {
                return links;
            }
        }
    }

    #[test]
    fn links_of_sheets() {
        for (sheet, urls) in [
            ("a{b:url(c)}", &["c"][..]),
            ("url( c ) URL('d')uRl(\"e\")", &["c", "d", "e"]),
            ("url('a(b)c')url(\"a)b\")", &["a(b)c", "a)b"]),
            ("url('a\"b')", &["a\"b"]),
            (
                r"url('a\'b') url(a\)b) url(a\62 c)",
                &[r"a\'b", r"a\)b", r"a\62 c"],
            ),
            (
                r"\75rl(a) u\72 l(b) \u\r\l(c) \url(d)",
                &["a", "b", "c", "d"],
            ),
            (r"x\url(a) \\url(b) \7aurl(c)", &[]),
            ("xurl(a) -url(b) _url(c) url (d)", &[]),
            ("url(a b) url(c(d)) url(e'f) url(g)", &["g"]),
            // The line break ends the string, and the second quotation mark begins another.
            ("url('a\nb') url(c)", &[]),
            ("url('a\\\nb')", &["a\\\nb"]),
            (
                "/* url(a) */ url(b) /**/url(c)/***/url(d)/*/url(e)",
                &["b", "c", "d"],
            ),
            ("content:'url(a)';x:url(b)", &["b"]),
            ("url() url('') url( )", &[""; 0]),
            (
                "@import 'a';@IMPORT\n\"b\" screen;@import/**/ /*'x'*/ 'c'",
                &["a", "b", "c"],
            ),
            ("@import url(a) x;@import url('b');", &["a", "b"]),
            ("@imports 'a';@import x 'b';@charset 'c'", &[]),
            ("url(a", &["a"]),
            ("url('a", &["a"]),
            ("@import 'a", &["a"]),
            (r#"voice-family:"\"}\"";x:url(a)"#, &["a"]),
            ("a:'it\nurl(b)", &["b"]),
        ] {
            for size in 1..=sheet.len() {
                assert_eq!(links(sheet, size), urls, "{sheet:?} in chunks of {size}");
            }
        }
    }

    #[test]
    fn long_tokens_are_cut() {
        let long = "x".repeat(MAX_TOKEN + 9);
        for (sheet, count) in [
            (format!("url('{long}')url(b)"), 2),
            (format!("url({long})url(b)"), 2),
            (format!("'{long}'url(b)"), 1),
            (format!("@import '{long}';url(b)"), 2),
            (format!("url(a({long})url(b)"), 1),
        ] {
            for size in [1000, 7000] {
                let links = links(&sheet, size);
                assert_eq!(links.len(), count);
                assert_eq!(links.last(), Some(&"b"));
            }
        }
    }

    #[test]
    fn escapes() {
        for (text, len, c) in [
            (r"\3a b", 4, Some(':')),
            (r"\00003ab", 7, Some(':')),
            (r"\/", 2, Some('/')),
            ("\\\n", 2, None),
            ("\\\r\n", 3, None),
            (r"\0", 2, Some('\u{FFFD}')),
            (r"\110000", 7, Some('\u{FFFD}')),
            ("\\é", 1, None),
            ("\\", 1, None),
        ] {
            assert_eq!(escape(text.as_bytes()), (len, c), "{text}");
        }
    }
}
