//! A URL for people: with as few escapes as its detection in a text allows.
//!
//! UTS #58, "Formatting": characters are shown unless a detector that follows the
//! standard would end the link there. We differ in one point. An escape of a
//! reserved character stays, because without it this would be another URL (RFC
//! 3986 section 2.2).

use super::parts::Url;
use crate::digits::{hex_byte, put_hex};
use crate::link::{INCLUDE, SOFT, link_bracket, link_term};

impl Url<'_> {
    /// Appends the URL for people. The text before the path is kept. Linear.
    pub(crate) fn readable_into(&self, out: &mut Vec<u8>) {
        let (text, path) = (self.as_bytes(), self.meta().path_start as usize);
        let (head, rest) = text.split_at_checked(path).unwrap_or((text, b""));
        out.extend_from_slice(head);
        let find = |byte, end| memchr::memchr(byte, &rest[..end]).unwrap_or(end);
        let fragment = find(b'#', rest.len());
        let query = find(b'?', fragment);
        // Where the soft characters at the end of `out` begin. A link ends before
        // them, unless another character follows.
        let mut soft = None;
        let parts = [
            (0, &rest[..query]),
            (1, &rest[query..fragment]),
            (1, &rest[fragment..]),
        ];
        for (mark, part) in parts {
            let (mark, part) = part.split_at(mark.min(part.len()));
            out.extend_from_slice(mark);
            soft = soft.filter(|_| mark.is_empty());
            put_part(part, &mut soft, out);
        }
        if let Some(at) = soft {
            let ends = out.split_off(at);
            ends.iter().for_each(|&byte| put_escape(byte, out));
        }
    }
}

/// Appends a path, a query or a fragment. A bracket that closes must have one that
/// opens in the same part.
fn put_part(mut rest: &[u8], soft: &mut Option<usize>, out: &mut Vec<u8>) {
    let mut open = Vec::new();
    while let Some((c, written)) = next(rest) {
        rest = &rest[written.len()..];
        let (at, mut utf8) = (out.len(), [0; 4]);
        let shown = c.map_or(&[][..], |c| c.encode_utf8(&mut utf8).as_bytes());
        let is_escape = written.len() > shown.len();
        let (is_kept, is_shown) = match c {
            None => (true, false),
            Some('%') => (false, !begins_with_digits(rest)),
            Some(c) if is_escape && is_reserved(c) => (true, false),
            Some(c) => match (link_term(c), link_bracket(c)) {
                (INCLUDE | SOFT, _) => (false, true),
                (_, Some((first, _))) if c == first => {
                    open.push(c);
                    (false, true)
                }
                (_, Some((first, _))) => (false, open.pop_if(|last| *last == first).is_some()),
                _ => (false, false),
            },
        };
        match (is_kept, is_shown) {
            (true, _) => out.extend_from_slice(written),
            (_, true) => out.extend_from_slice(shown),
            _ => shown.iter().for_each(|&byte| put_escape(byte, out)),
        }
        let is_soft = !is_kept && c.is_some_and(|c| link_term(c) == SOFT);
        *soft = is_soft.then(|| soft.unwrap_or(at));
    }
}

/// The next character, decoded, and the bytes that it is written with. `None` for
/// an escape of bytes that are not UTF-8.
fn next(text: &[u8]) -> Option<(Option<char>, &[u8])> {
    let escapes = text.chunks(3).map_while(|escape| match *escape {
        [b'%', high, low] => hex_byte(high, low),
        _ => None,
    });
    let (mut bytes, mut n) = ([0; 4], 0);
    for byte in escapes.take(4) {
        bytes[n] = byte;
        n += 1;
    }
    let first = |bytes: &[u8]| bytes.utf8_chunks().next()?.valid().chars().next();
    match first(&bytes[..n]) {
        _ if text.is_empty() => None,
        Some(c) => Some((Some(c), &text[..3 * c.len_utf8()])),
        None if n > 0 => Some((None, &text[..3])),
        None => {
            let c = first(&text[..text.len().min(4)]);
            Some((c, &text[..c.map_or(1, char::len_utf8)]))
        }
    }
}

/// True if the next two characters would make an escape of a `%`.
fn begins_with_digits(text: &[u8]) -> bool {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_hexdigit());
    let two = next(text).and_then(|(c, written)| Some((c, next(&text[written.len()..])?.0)));
    two.is_some_and(|(a, b)| is_digit(a) && is_digit(b))
}

/// RFC 3986 section 2.2.
fn is_reserved(c: char) -> bool {
    ":/?#[]@!$&'()*+,;=".contains(c)
}

fn put_escape(byte: u8, out: &mut Vec<u8>) {
    out.push(b'%');
    put_hex(byte, out);
}
