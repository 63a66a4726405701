//! Undeclared quoted-printable. It was pasted without its headers, or an
//! archive stored it without them.

use super::boundary;
use super::candidate::Encoded;
use super::class::{is_break, is_stop};
use super::scheme;
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
        let [_, high, low] = *bytes[at..].first_chunk()?;
        let byte = Some(byte(high, low)?);
        let kind = SeamKind::QpByte;
        Some(Encoded {
            at,
            len: 3,
            byte,
            kind,
        })
    })
}

/// The byte of `=XX`. RFC 2045 6.7: "Uppercase letters must be used".
pub(super) fn byte(high: u8, low: u8) -> Option<u8> {
    let is_upper = !high.is_ascii_lowercase() && !low.is_ascii_lowercase();
    hex_byte(high, low).filter(|_| is_upper)
}

/// The index in `bytes` of the first `=XX` that encodes a byte which no URL has: white space, a
/// quotation mark or a bracket of a wrapper.
pub(super) fn stop(bytes: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = find(&bytes[from..]) {
        if found.byte.is_some_and(is_stop) {
            return Some(from + found.at);
        }
        from += found.at + found.len;
    }
    None
}

/// The length of `bytes`, the end of a URL, without the punctuation of the sentence, which may be
/// encoded. The URL has `open` brackets before it.
pub(super) fn trim(bytes: &[u8], open: u32) -> usize {
    let mut text = Vec::with_capacity(bytes.len());
    let mut ends = Vec::with_capacity(bytes.len());
    let mut from = 0;
    while from < bytes.len() {
        let found = find(&bytes[from..]).filter(|found| found.at == 0);
        let byte = found.and_then(|found| found.byte);
        from += found.map_or(1, |found| found.len);
        text.push(byte.unwrap_or(bytes[from - 1]));
        ends.push(from);
    }
    // A bracket that closes outside of the URL.
    let mut open = open;
    for (at, b) in text.iter().enumerate() {
        if *b == b'(' {
            open += 1;
        } else if *b == b')' && open > 0 {
            open -= 1;
        } else if *b == b')' {
            text.truncate(at);
            break;
        }
    }
    let len = boundary::trim(&text, 0);
    len.checked_sub(1).map_or(0, |last| ends[last])
}

/// True if `text` has a sign of quoted-printable: an encoded `=` or blank, two bytes of a letter
/// beyond ASCII, or a soft break where encoders put it.
pub(super) fn has_sign(text: &[u8]) -> bool {
    memchr::memchr_iter(b'=', text).any(|at| {
        let rest = &text[at..];
        let is_soft = || {
            let line = &text[..at];
            let start = memchr::memrchr(b'\n', line);
            let next = rest[1..].trim_ascii_start();
            rest.get(1).is_some_and(|b| is_break(*b))
                && start.is_some_and(|start| is_soft_line(at - start))
                && !next.is_empty()
                && !scheme::starts_url(next)
                && !scheme::starts_url(&line[start.map_or(0, |start| start + 1)..])
        };
        match rest {
            [b'=', b'3', b'D', ..] => true,
            [b'=', b'2', b'0', next, ..] if is_break(*next) => true,
            [b'=', a, b, b'=', c, d, ..] => byte(*a, *b).is_some() && byte(*c, *d).is_some(),
            _ => is_soft(),
        }
    })
}
