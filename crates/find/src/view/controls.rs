//! The layer of control codes: the colours of a terminal and of IRC, and the backspaces with which
//! nroff prints bold and underlined letters (`h\x08h`, `_\x08h`). A blank and a backspace, with which
//! `less` begins a new row in the middle of a line, are none either.
//!
//! A program that colours the parts of a path puts its codes inside of a URL. They are no text. A
//! code that does more than to colour, such as one that moves the cursor or begins a link, ends the
//! URL.

use super::page::{END, Edit, Edits, Page};
use crate::text::schemes::{SCHEME_MAX, starts_url};
use urlgrep_base::span::SeamKind;

/// The maximum length of a code.
const CODE_MAX: usize = 64;
/// The maximum length of the numbers of colours of IRC: `04,12`.
const IRC_MAX: usize = 5;
/// The length of a colour of IRC in hexadecimal: `RRGGBB`.
const RGB: usize = 6;
const BACKSPACE: u8 = 0x08;
/// The bytes from the start of a code that say what it is, if the character before it is no longer than
/// [`CHARACTER`].
const NEAR: usize = CODE_MAX + 2 * CHARACTER;
const CHARACTER: usize = 8;

/// The codes before a candidate, with their places in the haystack. The page of the next one has most
/// of these bytes, too, so each code is read once, and not again for each colon after it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Codes(Vec<Code>);

/// A code, what it becomes, and the byte before it, if that is none of another code.
#[derive(Clone, Copy, Debug)]
struct Code {
    start: u64,
    end: u64,
    becomes: &'static [u8],
    before: Option<u8>,
}

impl Code {
    /// The edit of a page that begins at `from`.
    fn edit(&self, from: u64) -> Edit {
        Edit {
            start: (self.start - from) as usize,
            end: (self.end - from) as usize,
            kind: SeamKind::Control,
            becomes: self.becomes.into(),
            is_weak: false,
        }
    }
}

impl Codes {
    /// The codes after the one that ends at `at`, up to `end`. `None` if none ends there: then what
    /// has been read of the page so far is not in step with what was read before.
    fn after(&self, at: u64, end: u64) -> Option<&[Code]> {
        let next = self.0.partition_point(|code| code.end <= at);
        let is_in_step = next > 0 && self.0[next - 1].end == at;
        let last = self.0.partition_point(|code| code.end <= end);
        is_in_step.then(|| self.0.get(next..last).unwrap_or_default())
    }
}

/// What a code shows: itself, or the place from which on only more bytes can tell.
enum Read {
    Code(Code),
    Cut(usize),
}

pub(super) fn edits(page: &Page<'_>) -> Edits {
    let mut out = Edits::default();
    let bytes = page.bytes;
    // Only the columns of a terminal need what stands before the URL.
    let mut at = if page.sight.has_rows {
        0
    } else {
        page.colon.saturating_sub(CODE_MAX)
    };
    let here = &bytes[at..];
    // Most pages have no code.
    if !has_code(here) {
        return out;
    }
    let place = |at: usize| page.from + at as u64;
    let known = page.codes.take();
    let mut codes: Vec<Code> = Vec::with_capacity(known.0.len() + 8);
    // No code that ends before depends on the colon, or on where the page ends.
    let mut near = place(page.colon.saturating_sub(NEAR));
    let mut is_in_step = false;
    // The byte that a reader sees before the code.
    let mut seen = None;
    loop {
        if !is_in_step && let Some(rest) = known.after(place(at), near) {
            is_in_step = true;
            codes.extend_from_slice(rest);
            at = codes
                .last()
                .map_or(at, |code| (code.end - page.from) as usize);
            seen = codes.iter().rev().find_map(|code| code.before);
        }
        let Some(found) = bytes[at..].iter().position(|&b| STARTS[usize::from(b)]) else {
            break;
        };
        let start = at + found;
        let before = (found > 0).then(|| bytes[start - 1]);
        seen = before.or(seen);
        let code = match read(page, at, start, seen) {
            Read::Code(code) => Code { before, ..code },
            Read::Cut(cut) => {
                out.cut = Some(cut);
                break;
            }
        };
        if last_len(&bytes[at..start]) > CHARACTER {
            near = near.min(place(start));
        }
        at = (code.end - page.from) as usize;
        codes.push(code);
    }
    out.list = codes.iter().map(|code| code.edit(page.from)).collect();
    codes.retain(|code| code.end <= near);
    page.codes.set(if page.sight.has_rows {
        Codes(codes)
    } else {
        known
    });
    let is_struck = memchr::memchr(BACKSPACE, here).is_some();
    if is_struck && !page.is_end && out.cut.is_none() {
        out.cut = Some(bytes.len() - last_len(&bytes[at..]).max(1));
    }
    out
}

/// A prefilter: false if the text has no code.
fn has_code(text: &[u8]) -> bool {
    memchr::memchr3(0x02, 0x03, 0x1B, text).is_some()
        || memchr::memchr3(0x0F, 0x16, 0x1D, text).is_some()
        || memchr::memchr3(0x04, 0x11, 0x1E, text).is_some()
        || memchr::memchr2(0x1F, BACKSPACE, text).is_some()
}

/// Reads the code at `start`. The one before it ended at `at`, and a reader sees the byte `seen` before
/// it.
fn read(page: &Page<'_>, at: usize, start: usize, seen: Option<u8>) -> Read {
    let (bytes, rest) = (page.bytes, &page.bytes[start..]);
    let code = |start: usize, end: usize, becomes| {
        Read::Code(Code {
            start: page.from + start as u64,
            end: page.from + end as u64,
            becomes,
            before: None,
        })
    };
    if !page.is_end && start > page.colon && is_cut(&bytes[at..start], rest) {
        // A backspace changes what is before it.
        let is_struck = rest[0] == BACKSPACE;
        let struck = usize::from(is_struck) * last_len(&bytes[at..start]);
        return Read::Cut(start - struck);
    }
    if rest[0] == BACKSPACE
        && let Some((from, to)) = struck_over(bytes, at, start)
    {
        return code(from, to, b"");
    }
    let Some(len) = colour_len(rest) else {
        return code(start, start + 1, &[END]);
    };
    let after = &rest[len..];
    let is_after_url = start > page.colon && seen.is_some_and(ends_before_url);
    if is_after_url && !page.is_end && may_start_url(after) {
        return Read::Cut(start);
    }
    let is_border = is_after_url && starts_url(after);
    code(start, start + len, if is_border { &[END] } else { b"" })
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
static STARTS: [bool; 256] = {
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
    use std::cell::Cell;

    use super::super::page::Sight;
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

    /// The codes that are known from the page of another colon are those of this one.
    #[test]
    fn codes_are_the_same_whatever_was_read_before() {
        let pieces = [
            "http://a",
            "\x08",
            "_\x08h",
            "\x1b[1m",
            "\x1b[38:5:1m",
            "\x0304,12",
            "\x02",
            "\x04aabbcc",
            "é\x08é",
            "\x1b",
            "\n",
            ":",
            "//",
            " \x08x",
            "漢\x08",
            "\x1b[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18m",
        ];
        let mut number: u64 = 1;
        let mut next = |most: usize| {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (number >> 33) as usize % most
        };
        let mut kept = 0;
        for _ in 0..300 {
            let count = 20 + next(200);
            let text: String = (0..count).map(|_| pieces[next(pieces.len())]).collect();
            let text = text.as_bytes();
            let shared = Cell::default();
            for colon in memchr::memchr_iter(b':', text) {
                let low = colon.saturating_sub(200);
                let end = text.len().min(colon + 1 + next(90));
                let edits_of = |codes: &Cell<Codes>| {
                    let page = Page {
                        bytes: &text[low..end],
                        from: low as u64,
                        colon: colon - low,
                        paragraph: (low == 0).then_some(0),
                        is_end: end == text.len(),
                        sight: Sight {
                            has_rows: true,
                            ..Sight::default()
                        },
                        behind: &Cell::default(),
                        codes,
                    };
                    let edits = edits(&page);
                    format!("{:?} {:?}", edits.list, edits.cut)
                };
                assert_eq!(
                    edits_of(&shared),
                    edits_of(&Cell::default()),
                    "{}",
                    text[low..end].escape_ascii()
                );
                let codes = shared.take();
                kept += codes.0.len();
                shared.set(codes);
            }
        }
        assert!(kept > 10_000, "{kept}");
    }
}
