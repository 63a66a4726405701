//! What the values of attributes have: one URL with blanks around it, a list of URLs, a URL with escapes of
//! another language.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::memchr;

use super::super::text::{Text, TextBuffer};
use super::css;
use super::reference::reference;
use super::script::SCHEME;
use super::tags::{is_space, run};
use urlgrep_base::digits::hex_byte;
use urlgrep_base::span::SeamKind;

/// True if a value begins with `javascript:`. Browsers ignore white space and controls before
/// it, and tabs and line breaks inside it.
pub(super) fn is_script(value: &[u8]) -> bool {
    let is_read = |b: &&u8| !matches!(b, b'\t' | b'\n' | b'\r');
    let lead = run(value, |b| b <= b' ');
    let mut value = value[lead..].iter().filter(is_read);
    let is_next = |b: &u8| {
        value
            .next()
            .is_some_and(|found| found.eq_ignore_ascii_case(b))
    };
    SCHEME.iter().all(is_next)
}

/// Appends `text` with its character references decoded.
pub(super) fn decode_references(mut text: Text<'_>, out: &mut TextBuffer) {
    while let bytes = text.bytes()
        && let Some(plain) = memchr(b'&', bytes)
    {
        out.copy(&mut text, plain);
        match reference(&bytes[plain..], true, true) {
            Some((n, Some(to))) => {
                let mut utf8 = [0; 4];
                let to = to.encode(&mut utf8);
                let lines = -i64::from(to == b"\n");
                out.seam(&mut text, n, SeamKind::Entity, to, lines);
            }
            Some((n, None)) => out.copy(&mut text, n),
            None => break,
        }
    }
    out.copy_all(text);
}

/// Appends `text`, decoded as quoted-printable (RFC 2045 section 6.7) that no header
/// declares.
pub(super) fn unescape(mut text: Text<'_>, out: &mut TextBuffer) {
    while let bytes = text.bytes()
        && !bytes.is_empty()
    {
        let plain = memchr(b'=', bytes).unwrap_or(bytes.len());
        out.copy(&mut text, plain);
        match bytes[plain..] {
            [_, b'\n', ..] => out.seam(&mut text, 2, SeamKind::QpGuess, b"", 1),
            [_, b'\r', b'\n', ..] => out.seam(&mut text, 3, SeamKind::QpGuess, b"", 1),
            [_, high, low, ..] => match hex_byte(high, low) {
                Some(byte) => {
                    let lines = -i64::from(byte == b'\n');
                    out.seam(&mut text, 3, SeamKind::QpByte, &[byte], lines);
                }
                None => out.copy(&mut text, 1),
            },
            _ => out.copy(&mut text, bytes.len() - plain),
        }
    }
}

/// Appends the URL of a style sheet, with its escapes decoded.
pub(super) fn decode_escapes(mut text: Text<'_>, out: &mut TextBuffer) {
    while let bytes = text.bytes()
        && let Some(plain) = memchr(b'\\', bytes)
    {
        out.copy(&mut text, plain);
        let (len, to) = css::escape(&bytes[plain..]);
        let source = &bytes[plain..plain + len];
        let mut utf8 = [0; 4];
        let to = match to {
            Some(c) => c.encode_utf8(&mut utf8).as_bytes(),
            None => b"",
        };
        let breaks = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() as i64;
        let lines = breaks(source) - breaks(to);
        out.seam(&mut text, len, SeamKind::CssEscape, to, lines);
    }
    out.copy_all(text);
}

/// The place in `value` between the slashes after its scheme and the end of its host. Empty if it has
/// no such slashes.
pub(super) fn host_of(value: &[u8]) -> Range<usize> {
    let colon = memchr(b':', value).unwrap_or(value.len());
    if !value[colon..].starts_with(b"://") {
        return 0..0;
    }
    let start = colon + b"://".len();
    let len = value[start..].iter().position(|b| b"/?#\\".contains(b));
    start..len.map_or(value.len(), |len| start + len)
}

/// True if the blanks in white space inside of a URL belong to it. `space` is its place, with
/// text before and after it.
///
/// A browser removes line breaks and keeps blanks. But many programs break a line beside a
/// blank that they add, and others indent the next line. So a blank beside a line break is
/// kept only in a query: in the text of a mail, if the query has other blanks, or if one
/// blank at the end of the line is between two words.
pub(super) fn is_meant(value: &[u8], space: Range<usize>, query: &Query<'_>) -> bool {
    let is_in_query = query.start.is_some_and(|start| start < space.start);
    let (before, after) = (&value[..space.start], &value[space.end..]);
    let blanks = &value[space];
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    let Some(first_break) = blanks.iter().position(is_break) else {
        return true;
    };
    if !is_in_query {
        return false;
    }
    let is_mail = before
        .get(..7)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"mailto:"));
    let is_word_end = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let is_one_blank = blanks[..first_break] == *b" " && blanks[first_break..].iter().all(is_break);
    is_mail
        || is_one_blank && is_word_end(before.last()) && is_word_end(after.first())
        || query.has_inner_blank()
}

/// The query of a value. It is read at most once for all white space in the value.
pub(super) struct Query<'v> {
    value: &'v [u8],
    /// The place of its `?`.
    start: Option<usize>,
    has_inner_blank: OnceCell<bool>,
}

impl Query<'_> {
    pub(super) fn of(value: &[u8]) -> Query<'_> {
        Query {
            value,
            start: memchr(b'?', value),
            has_inner_blank: OnceCell::new(),
        }
    }

    /// True if it has a blank between two bytes that are no white space.
    pub(super) fn has_inner_blank(&self) -> bool {
        *self.has_inner_blank.get_or_init(|| {
            let query = self.start.map_or(&b""[..], |start| &self.value[start..]);
            let mut near = query.windows(3);
            near.any(|w| w[1] == b' ' && !is_space(w[0]) && !is_space(w[2]))
        })
    }
}

/// The number of bytes before the first white space. Nearly all values have none.
pub(super) fn before_space(bytes: &[u8]) -> usize {
    // Without a branch, the compiler uses vector instructions.
    let has_space = bytes.iter().fold(false, |has, &b| has | is_space(b));
    if has_space {
        run(bytes, |b| !is_space(b))
    } else {
        bytes.len()
    }
}

/// The next word of `ping`.
pub(super) fn next_word(list: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + run(&list[at..], is_space);
    let len = run(&list[start..], |b| !is_space(b));
    (len > 0).then_some(start..start + len)
}

/// The next URL of `srcset`.
///
/// > Collect a sequence of code points that are not ASCII whitespace … If url
/// > ends with U+002C (,), … remove all trailing U+002C COMMA characters …
/// > Otherwise … descriptors (HTML 4.8.4.2.2)
///
/// The descriptors extend to the next comma.
pub(super) fn next_source(list: &[u8], mut at: usize) -> Option<Range<usize>> {
    let before = list[..at].trim_ascii_end();
    // Descriptors follow a URL that does not end with a comma.
    if !before.is_empty() && list.get(at) != Some(&b',') {
        at += memchr(b',', &list[at..])?;
    }
    let start = at + run(&list[at..], |b| is_space(b) || b == b',');
    let end = start + run(&list[start..], |b| !is_space(b));
    let commas = list[start..end].iter().rev().take_while(|&&b| b == b',');
    let end = end - commas.count();
    (start < end).then_some(start..end)
}

/// The URL of `<meta http-equiv=refresh content=…>`, by the "shared declarative refresh
/// steps" (HTML 4.2.5.3): digits, `;` or `,` or white space, perhaps `url=`, and the URL, which
/// may be quoted.
pub(super) fn refresh(content: &[u8], at: usize) -> Option<Range<usize>> {
    if at > 0 {
        return None;
    }
    let skip = |at: usize, kind: &dyn Fn(u8) -> bool| at + run(&content[at..], kind);
    let start = skip(0, &is_space);
    let digits = skip(start, &|b| b.is_ascii_digit() || b == b'.');
    if digits == start {
        return None;
    }
    let mut at = skip(digits, &is_space);
    if matches!(content.get(at)?, b';' | b',') {
        at = skip(at + 1, &is_space);
    } else if at == digits {
        return None;
    }
    let rest = &content[at..];
    let after_name = match rest.get(..3) {
        Some(name) if name.eq_ignore_ascii_case(b"url") => skip(at + 3, &is_space),
        _ => at,
    };
    if after_name > at {
        if content.get(after_name) != Some(&b'=') {
            // A path that begins with these letters.
            return Some(at..content.trim_ascii_end().len());
        }
        at = skip(after_name + 1, &is_space);
    }
    let rest = &content[at..];
    let range = match rest.first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let len = memchr(quote, &rest[1..]).unwrap_or(rest.len() - 1);
            at + 1..at + 1 + len
        }
        _ => at..content.trim_ascii_end().len().max(at),
    };
    (!range.is_empty()).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(list: &str, next: fn(&[u8], usize) -> Option<Range<usize>>) -> Vec<&str> {
        let (mut all, mut at) = (vec![], 0);
        while let Some(link) = next(list.as_bytes(), at) {
            at = link.end;
            all.push(&list[link]);
        }
        all
    }

    #[test]
    fn urls_in_values() {
        assert_eq!(all(" a  b\nc ", next_word), ["a", "b", "c"]);
        assert_eq!(all(" ", next_word), [""; 0]);
        for (list, urls) in [
            ("a", &["a"][..]),
            ("a 1x, b 2x", &["a", "b"]),
            (" a , b 2x,c", &["a", "b", "c"]),
            ("a, b,,", &["a", "b"]),
            ("a 1x", &["a"]),
            ("a,b 2x, c", &["a,b", "c"]),
            (", ,", &[]),
            ("", &[]),
        ] {
            assert_eq!(all(list, next_source), urls, "{list:?}");
        }
        for (content, urls) in [
            ("0;url=http://a/", &["http://a/"][..]),
            (" 5 ; URL = 'http://a/b' x", &["http://a/b"]),
            ("0.5,url=\"http://a/", &["http://a/"]),
            ("0; url=http://a/b c ", &["http://a/b c"]),
            ("0;http://a/", &["http://a/"]),
            ("0, 'http://a/'x", &["http://a/"]),
            ("0 http://a/", &["http://a/"]),
            ("0;;url=http://a/", &[";url=http://a/"]),
            ("0;url http://a/", &["url http://a/"]),
            ("0;urls=x", &["urls=x"]),
            ("0http://a/", &[]),
            (";url=http://a/", &[]),
            ("text/html; charset=x", &[]),
            ("url=http://a/", &[]),
            ("5", &[]),
            ("5;url=", &[]),
            ("5;url=\"", &[]),
        ] {
            assert_eq!(all(content, refresh), urls, "{content:?}");
        }
    }
}
