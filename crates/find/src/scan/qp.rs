//! Undeclared quoted-printable. It was pasted without its headers, or an
//! archive stored it without them.

use super::encoded::Encoded;
use super::window::Window;
use crate::text::class::{High, high, is_break, is_stop};
use crate::text::schemes;
use urlgrep_base::digits::hex_byte;
use urlgrep_base::span::SeamKind;

/// True if an encoder would break a line of `len` bytes, with its final `=`, at
/// this length. RFC 2045 6.7 allows 76 bytes. Encoders stop up to three bytes
/// earlier so that they do not split a triplet.
pub(super) fn is_soft_line(len: usize) -> bool {
    (73..=76).contains(&len)
}

/// The first `=XX`.
pub(super) fn find(bytes: &[u8]) -> Option<Encoded> {
    memchr::memchr_iter(b'=', bytes).find_map(|at| {
        Some(Encoded {
            at,
            len: OCTET,
            byte: Some(octet(&bytes[at..])?),
            kind: SeamKind::QpByte,
        })
    })
}

/// The length of `=XX`.
const OCTET: usize = 3;

/// The byte that `=XX` at the beginning of `bytes` encodes.
fn octet(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'=', high, low, ..] => byte(*high, *low),
        _ => None,
    }
}

/// True if `bytes` have an encoded `=` (`=3D`), and each `=` in them encodes a byte.
pub(super) fn is_encoded(bytes: &[u8]) -> bool {
    let mut equals = memchr::memchr_iter(b'=', bytes);
    let is_code = |at: usize| match bytes[at + 1..] {
        [high, low, ..] => byte(high, low).is_some(),
        _ => false,
    };
    memchr::memmem::find(bytes, b"=3D").is_some() && equals.all(is_code)
}

/// True if the query of `url` has two parameters or more, and each `=` of it is encoded:
/// `?id=3D12&page=3D2`. A part was encoded twice, or nothing declares its encoding.
pub(super) fn is_encoded_twice(url: &[u8]) -> bool {
    let mut equals = memchr::memchr_iter(b'=', url);
    let Some(first) = equals.next().filter(|&at| url[at..].starts_with(b"=3D")) else {
        return false;
    };
    let is_query = memchr::memchr2(b'?', b'#', url).is_some_and(|at| url[at] == b'?' && at < first);
    let mut others = 0;
    let all = equals.all(|at| {
        let is_sign = url[at..].starts_with(b"=3D");
        others += usize::from(is_sign);
        is_sign || matches!(url[at + 1..], [high, low, ..] if byte(high, low).is_some())
    });
    is_query && all && others > 0
}

/// The byte of `=XX`. RFC 2045 6.7: "Uppercase letters must be used".
pub(super) fn byte(high: u8, low: u8) -> Option<u8> {
    let is_upper = !high.is_ascii_lowercase() && !low.is_ascii_lowercase();
    hex_byte(high, low).filter(|_| is_upper)
}

/// The index in `bytes` of the first `=XX` that encodes what no URL has or ends in: white space, a
/// quotation mark, a bracket of a wrapper, or such a character beyond ASCII.
pub(super) fn stop(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = find(&bytes[from..]) {
        let at = from + found.at;
        if found.byte.is_some_and(is_stop) {
            return Some(at);
        }
        from = at + found.len;
        if found.byte >= Some(0x80) {
            match letter_len(&bytes[at..]) {
                0 => return Some(at),
                len => from = at + len,
            }
        }
    }
    None
}

/// The length of the octets at the beginning of `bytes` that encode one letter beyond ASCII. 0 if
/// they encode another character, which ends a URL. If they are no UTF-8, they are read as
/// windows-1252, whose letters are the last of its rows.
fn letter_len(bytes: &[u8]) -> usize {
    let mut text = [0; 4];
    let octets = bytes.chunks(OCTET).map_while(octet);
    let mut len = 0;
    for (place, byte) in text.iter_mut().zip(octets) {
        *place = byte;
        len += 1;
    }
    let first = text[..len].utf8_chunks().next();
    let Some(first) = first.and_then(|chunk| chunk.valid().chars().next()) else {
        return if text[0] < 0xC0 { 0 } else { OCTET };
    };
    let mut place = [0; 4];
    let class = high(first.encode_utf8(&mut place).as_bytes());
    if matches!(class, High::Part(_) | High::Script(_) | High::Hyphen) {
        OCTET * first.len_utf8()
    } else {
        0
    }
}

/// The length of `text`, which begins with a URL, without the octets at its end that encode a
/// blank or a mark: `http://a.example/x=20`. The URL has no query, in which they could be a value.
/// `None` if it ends with another octet.
pub(super) fn before_codes(text: &[u8]) -> Option<usize> {
    let mut start = text.len();
    while start >= OCTET && octet(&text[start - OCTET..]).is_some() {
        start -= OCTET;
    }
    if text[..start].iter().any(|b| b"?&#=".contains(b)) {
        return None;
    }
    if let Some(stop) = stop(&text[start..]) {
        return Some(start + stop);
    }
    let mut end = text.len();
    while end > start {
        let is_mark =
            octet(&text[end - OCTET..]).is_some_and(|byte| b".,;:!?'()]}".contains(&byte));
        if !is_mark {
            break;
        }
        end -= OCTET;
    }
    (end < text.len()).then_some(end)
}

/// The length of `bytes`, the end of a URL, without the punctuation of the sentence, which may be
/// encoded. The URL has `open` brackets before it.
pub(super) fn trim(bytes: &[u8], open: u32) -> usize {
    let mut text = Vec::with_capacity(bytes.len());
    let mut ends = Vec::with_capacity(bytes.len());
    let mut from = 0;
    while from < bytes.len() {
        match octet(&bytes[from..]) {
            Some(byte) => {
                text.push(byte);
                from += OCTET;
            }
            None => {
                text.push(bytes[from]);
                from += 1;
            }
        }
        ends.push(from);
    }
    // A bracket that closes outside of the URL.
    let mut open = open;
    let (mut has_square, mut has_curly) = (false, false);
    let is_encoded = |at: usize| bytes[ends[at].saturating_sub(OCTET)] == b'=';
    let mut len = 0;
    for (at, b) in text.iter().enumerate() {
        match b {
            b'[' => has_square = true,
            b'{' => has_curly = true,
            b']' if !has_square && is_encoded(at) => break,
            b'}' if !has_curly && is_encoded(at) => break,
            b'(' => open += 1,
            b')' if open > 0 => open -= 1,
            b')' => break,
            _ => {}
        }
        len = at + 1;
    }
    text.truncate(len);
    let len = super::trim::trim(&text, 0);
    len.checked_sub(1).map_or(0, |last| ends[last])
}

/// The number of bytes before and after a URL in which its paragraph is searched for a sign of
/// quoted-printable. It is a line (RFC 2045 6.7).
pub(super) const SIGN_MAX: usize = 80;
/// The same for a URL that has no soft break, which may be short.
pub(super) const SHORT_MAX: usize = 32;

/// True if the paragraph has a sign of quoted-printable within `most` bytes before `start` or after
/// `end`.
pub(super) fn has_sign_near(w: &Window<'_>, start: usize, end: usize, most: usize) -> bool {
    is_near(w, start, end, most, has_sign)
}

/// As [`has_sign_near`], but `=3D` is none: another URL may have it for the same reason.
pub(super) fn has_line_sign_near(w: &Window<'_>, start: usize, end: usize, most: usize) -> bool {
    is_near(w, start, end, most, has_line_sign)
}

fn is_near(
    w: &Window<'_>,
    start: usize,
    end: usize,
    most: usize,
    has_sign: fn(&[u8]) -> bool,
) -> bool {
    let before = &w.bytes()[start.saturating_sub(most)..start];
    let blank = |text: &[u8]| {
        memchr::memchr_iter(b'\n', text).find(|&at| {
            let next = &text[at + 1..];
            next.starts_with(b"\n") || next.starts_with(b"\r\n")
        })
    };
    let after = w.until_found(end, most, blank).text;
    w.count(before.len());
    let mut before = before;
    while let Some(at) = blank(before) {
        before = &before[at + 1..];
    }
    has_sign(before) || has_sign(after)
}

/// True if the word of `text` that ends after the octet at `at` is a URL, and the octet is the value
/// of a parameter: `http://a.example/?page=20`.
fn is_value(text: &[u8], at: usize) -> bool {
    let is_end = text.get(at + 3).is_none_or(|b| is_stop(*b));
    let start = text[..at].iter().rposition(|b| is_stop(*b));
    let word = &text[start.map_or(0, |start| start + 1)..at];
    let name = word.iter().rev().take_while(|b| b.is_ascii_alphanumeric());
    let before = word.len() - name.count();
    is_end && matches!(word[..before].last(), Some(b'?' | b'&' | b';')) && before < word.len()
}

/// True if `text` has a sign of quoted-printable: an encoded `=` or blank, two bytes of a letter
/// beyond ASCII, or a soft break where encoders put it.
fn has_sign(text: &[u8]) -> bool {
    let mut equals = memchr::memmem::find_iter(text, b"=3D");
    equals.any(|at| !is_value(text, at)) || has_line_sign(text)
}

/// As [`has_sign`], but `=3D` is none.
fn has_line_sign(text: &[u8]) -> bool {
    memchr::memchr_iter(b'=', text).any(|at| {
        let rest = &text[at..];
        let is_soft = || {
            let line = &text[..at];
            let start = memchr::memrchr(b'\n', line);
            let next = rest[1..].trim_ascii_start();
            rest.get(1).is_some_and(|b| is_break(*b))
                && start.is_some_and(|start| is_soft_line(at - start))
                && !next.is_empty()
                && !schemes::starts_url(next)
                && !schemes::starts_url(&line[start.map_or(0, |start| start + 1)..])
        };
        match rest {
            [b'=', b'2', b'0', next, ..] if is_break(*next) => !is_value(text, at),
            [b'=', a, b, b'=', c, d, ..] => byte(*a, *b).is_some() && byte(*c, *d).is_some(),
            _ => is_soft(),
        }
    })
}
