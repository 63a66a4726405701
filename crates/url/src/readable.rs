//! A URL for people: with as few escapes as its detection in a text allows.
//!
//! UTS #58, "Formatting": characters are shown unless a detector that follows the
//! standard would end the link there. We differ in three points, so that the search
//! of this crate finds nearly all texts whole and as the same URL. An escape stays if it is of
//! a reserved character (RFC 3986 section 2.2), or of one that a URL may have only
//! there. A `%` is shown by itself only under `whatwg`. And the marks of emphasis are
//! soft, too.

use super::parts::Url;
use urlgrep_base::digits::{hex_byte, put_hex};
use urlgrep_base::link::{INCLUDE, SOFT, link_bracket, link_term};

impl Url<'_> {
    /// Appends the URL for people. The text before the path is kept. Linear.
    #[doc(hidden)]
    pub fn readable_into(&self, out: &mut Vec<u8>) {
        let (text, path) = (self.as_bytes(), self.meta().path_start as usize);
        let (head, rest) = text.split_at_checked(path).unwrap_or((text, b""));
        out.extend_from_slice(head);
        let find = |byte, end| memchr::memchr(byte, &rest[..end]).unwrap_or(end);
        let fragment = find(b'#', rest.len());
        let query = find(b'?', fragment);
        // Where a soft character at the end of `out` begins. A link ends before it and
        // the soft ones before it, unless another character follows.
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
            self.put_part(part, &mut soft, out);
        }
        let end = out.split_off(soft.unwrap_or(out.len()));
        for byte in end {
            put_escape(byte, out);
        }
    }

    /// Appends a path, a query or a fragment. A bracket that closes must have one that
    /// opens in the same part.
    fn put_part(&self, mut rest: &[u8], soft: &mut Option<usize>, out: &mut Vec<u8>) {
        // A build without the feature `whatwg` has no such variant.
        let is_whatwg = self.profile().name() == "whatwg";
        let mut open = Vec::new();
        while let Some((c, written)) = next(rest) {
            rest = &rest[written.len()..];
            let at = out.len();
            let mut utf8 = [0; 4];
            let shown = c.map_or(&[][..], |c| c.encode_utf8(&mut utf8).as_bytes());
            let is_escape = written.len() > shown.len();
            let (is_kept, is_shown) = match c {
                None => (true, false),
                Some('%') => (false, is_whatwg && !begins_with_digits(rest)),
                Some(c) if is_escape && KEPT.contains(c) => (true, false),
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
            let is_soft = |c| link_term(c) == SOFT || "*_~".contains(c);
            *soft = (!is_kept && c.is_some_and(is_soft)).then_some(at);
        }
    }
}

/// The next character, decoded, and the bytes that it is written with. `None` for
/// an escape of bytes that are not UTF-8.
fn next(text: &[u8]) -> Option<(Option<char>, &[u8])> {
    let escapes = text.chunks(3).map_while(|escape| match *escape {
        [b'%', high, low] => hex_byte(high, low),
        _ => None,
    });
    let bytes: Vec<_> = escapes.take(4).collect();
    let first = |bytes: &[u8]| bytes.utf8_chunks().next()?.valid().chars().next();
    if text.is_empty() {
        return None;
    }
    match first(&bytes) {
        Some(c) => Some((Some(c), &text[..3 * c.len_utf8()])),
        None if !bytes.is_empty() => Some((None, &text[..3])),
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

/// The reserved characters, and those that a URL has only as an escape.
const KEPT: &str = ":/?#[]@!$&'()*+,;=\"<>\\^`{|}";

fn put_escape(byte: u8, out: &mut Vec<u8>) {
    out.push(b'%');
    put_hex(byte, out);
}
