//! The layer of control codes: the colours of a terminal and of IRC, and the backspaces with which
//! nroff prints bold and underlined letters (`h\x08h`, `_\x08h`). A blank and a backspace, with which
//! `less` begins a new row in the middle of a line, are none either.
//!
//! A program that colours the parts of a path puts its codes inside of a URL. They are no text. A
//! code that does more than to colour, such as one that moves the cursor or begins a link, ends the
//! URL.

use super::page::{END, Edits, Page};
use crate::text::schemes::{SCHEME_MAX, starts_url};
use urlgrep_base::span::SeamKind;

/// The maximum length of a code.
const CODE_MAX: usize = 64;
/// The maximum length of the numbers of colours of IRC: `04,12`.
const IRC_MAX: usize = 5;
/// The length of a colour of IRC in hexadecimal: `RRGGBB`.
const RGB: usize = 6;
const BACKSPACE: u8 = 0x08;

pub(super) fn edits(page: &Page<'_>) -> Edits {
    let mut out = Edits::default();
    let bytes = page.bytes;
    // Only the columns of a terminal need what stands before the URL.
    let mut at = if page.sight.has_rows {
        0
    } else {
        page.colon.saturating_sub(CODE_MAX)
    };
    // Fast path: most pages have no code.
    let here = &bytes[at..];
    if memchr::memchr3(0x02, 0x03, 0x1B, here).is_none()
        && memchr::memchr3(0x0F, 0x16, 0x1D, here).is_none()
        && memchr::memchr3(0x04, 0x11, 0x1E, here).is_none()
        && memchr::memchr2(0x1F, BACKSPACE, here).is_none()
    {
        return out;
    }
    // The byte that a reader sees before the code.
    let mut seen = None;
    while let Some(found) = bytes[at..].iter().position(|&b| CODES[usize::from(b)]) {
        let start = at + found;
        if found > 0 {
            seen = Some(bytes[start - 1]);
        }
        let rest = &bytes[start..];
        if !page.is_end && start > page.colon && is_cut(&bytes[at..start], rest) {
            // A backspace changes what is before it.
            let is_struck = rest[0] == BACKSPACE;
            let struck = usize::from(is_struck) * last_len(&bytes[at..start]);
            out.cut = Some(start - struck);
            break;
        }
        if rest[0] == BACKSPACE
            && let Some((from, to)) = struck_over(bytes, at, start)
        {
            out.push(from, to, SeamKind::Control, b"");
            at = to;
            continue;
        }
        match colour_len(rest) {
            Some(len) => {
                let after = &rest[len..];
                let is_after_url = start > page.colon && seen.is_some_and(ends_before_url);
                if is_after_url && !page.is_end && may_start_url(after) {
                    out.cut = Some(start);
                    break;
                }
                let is_border = is_after_url && starts_url(after);
                let becomes: &'static [u8] = if is_border { &[END] } else { b"" };
                out.push(start, start + len, SeamKind::Control, becomes);
                at = start + len;
            }
            None => {
                out.push(start, start + 1, SeamKind::Control, &[END]);
                at = start + 1;
            }
        }
    }
    let is_struck = memchr::memchr(BACKSPACE, here).is_some();
    if is_struck && !page.is_end && out.cut.is_none() {
        out.cut = Some(bytes.len() - last_len(&bytes[at..]).max(1));
    }
    out
}

/// True if a URL that ends with the byte `b` does not go on with another URL: `http://a/x` and
/// `http://b/`, but not `http://a/?u=` and `http://b/`. Where a blank, a line end or a quotation mark is
/// before the other URL, nothing needs to divide the two.
fn ends_before_url(b: u8) -> bool {
    b > b' ' && !b"=&?#|,(\"<>".contains(&b)
}

/// True if the bytes after `text`, which is short, may show that it begins a URL.
fn may_start_url(text: &[u8]) -> bool {
    let is_part = |b: &&u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
    let name = text.iter().take_while(is_part).count();
    text.len() < SCHEME_MAX + 3 && (name == text.len() || b"://".starts_with(&text[name..]))
}

/// The length of the last character of `text`.
fn last_len(text: &[u8]) -> usize {
    let is_first = |b: &u8| *b & 0xC0 != 0x80;
    let first = text.iter().rposition(is_first);
    text.len() - first.unwrap_or(text.len())
}

/// True if the bytes after `rest` may belong to the code that begins it. `before` is the text before
/// it.
fn is_cut(before: &[u8], rest: &[u8]) -> bool {
    match rest {
        [BACKSPACE, after @ ..] => {
            let under = &before[before.len() - last_len(before)..];
            after.is_empty() || after.len() < under.len() && under.starts_with(after)
        }
        [0x1B] | [0x1B, b'('] => true,
        [0x04, digits @ ..] => digits.len() < RGB && digits.iter().all(u8::is_ascii_hexdigit),
        [0x1B, b'[', codes @ ..] => codes.len() < CODE_MAX && codes.iter().all(is_parameter),
        [0x03, colours @ ..] => {
            let is_colour = |b: &u8| b.is_ascii_digit() || *b == b',';
            colours.len() < IRC_MAX && colours.iter().all(is_colour)
        }
        _ => false,
    }
}

/// True for a byte of the numbers of a code of ECMA-48.
fn is_parameter(b: &u8) -> bool {
    b.is_ascii_digit() || matches!(b, b';' | b':')
}

/// The first bytes of codes.
static CODES: [bool; 256] = {
    let mut codes = [false; 256];
    let mut b = 0;
    while b < 0x20 {
        codes[b] = matches!(
            b as u8,
            0x02..=0x04 | BACKSPACE | 0x0F | 0x11 | 0x16 | 0x1B | 0x1D..=0x1F
        );
        b += 1;
    }
    codes
};

/// The bytes that the backspace at `at` takes out: the character before it, or the one after it if
/// that is only a line under the other. `None` if it does not print over a character of the text
/// from `from` on.
fn struck_over(bytes: &[u8], from: usize, at: usize) -> Option<(usize, usize)> {
    let before = &bytes[from..at];
    let is_first = |b: &u8| *b & 0xC0 != 0x80;
    let first = from + before.iter().rposition(is_first)?;
    let (under, next) = (&bytes[first..at], *bytes.get(at + 1)?);
    // A pager makes the terminal begin the next row so: the text after it covers the blank.
    if under == b" " && next > b' ' {
        return Some((first, at + 1));
    }
    if under[0] <= b' ' {
        return None;
    }
    if next == b'_' && under != b"_" {
        return Some((at, at + 2));
    }
    let is_line = under == b"_" && next > b' ';
    (is_line || bytes[at + 1..].starts_with(under)).then_some((first, at + 1))
}

/// The length of a code that changes only how the text after it looks.
pub(crate) fn colour_len(rest: &[u8]) -> Option<usize> {
    match rest {
        // ECMA-48 8.3.117, SGR, and 8.3.41, EL.
        [0x1B, b'[', codes @ ..] => {
            let codes = &codes[..codes.len().min(CODE_MAX)];
            let len = codes.iter().take_while(|b| is_parameter(b)).count();
            matches!(codes.get(len), Some(b'm' | b'K')).then_some(len + 3)
        }
        // ISO 2022 4.3: a set of characters. Programs switch back to ASCII after drawing lines.
        [0x1B, b'(', b'B' | b'0', ..] => Some(3),
        [0x1B | BACKSPACE, ..] => None,
        // A colour of IRC in hexadecimal.
        [0x04, digits @ ..] => {
            let digits = digits.iter().take(RGB);
            let len = digits.take_while(|b| b.is_ascii_hexdigit()).count();
            Some(if len == RGB { 1 + RGB } else { 1 })
        }
        // Colours of IRC: one or two numbers of at most two digits.
        [0x03, colours @ ..] => {
            let digits = |bytes: &[u8]| {
                bytes
                    .iter()
                    .take(2)
                    .take_while(|b| b.is_ascii_digit())
                    .count()
            };
            let front = digits(colours);
            let back = match colours.get(front) {
                Some(b',') if front > 0 => digits(&colours[front + 1..]),
                _ => 0,
            };
            Some(1 + front + if back > 0 { 1 + back } else { 0 })
        }
        _ => Some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_has_a_length() {
        for (code, len) in [
            (&b"\x1b[1;31mx"[..], Some(7)),
            (b"\x1b[0Kx", Some(4)),
            (b"\x1b[2Cx", None),
            (b"\x1b]8;;http://a.example\x07", None),
            (b"\x0304,12x", Some(6)),
            (b"\x03,x", Some(1)),
            (b"\x02x", Some(1)),
        ] {
            assert_eq!(colour_len(code), len, "{code:?}");
        }
    }
}
