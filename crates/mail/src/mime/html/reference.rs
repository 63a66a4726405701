//! Character references, such as `&amp;` and `&#38;` (HTML 13.2.5.72), in text and in values.

use super::super::entities;

/// The maximum length of a character reference: `&`, and a name or number.
pub(in super::super) const MAX_REFERENCE: usize = 32;

/// The characters that a reference stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Characters {
    One(char),
    /// One or two characters with a name.
    Named(&'static str),
}

impl Characters {
    /// The characters in UTF-8. `buffer` has room for one of them.
    #[inline]
    pub(in super::super) fn encode(self, buffer: &mut [u8; 4]) -> &[u8] {
        match self {
            Characters::One(c) => c.encode_utf8(buffer).as_bytes(),
            Characters::Named(text) => text.as_bytes(),
        }
    }
}

/// Reads the `&` at the start of `bytes`. Returns a length, and the characters that
/// these bytes stand for. `None` means that they are text. The whole is `None` if
/// more bytes must follow to know that: never if `end` is true.
#[inline]
pub(in super::super) fn reference(
    bytes: &[u8],
    in_value: bool,
    end: bool,
) -> Option<(usize, Option<Characters>)> {
    let one = |len, c| Some((len, Some(Characters::One(c))));
    // Most references in mail.
    match bytes {
        [_, b'n', b'b', b's', b'p', b';', ..] => one(6, '\u{A0}'),
        [_, b'q', b'u', b'o', b't', b';', ..] => one(6, '"'),
        [_, b'a', b'm', b'p', b';', ..] => one(5, '&'),
        [_, b'l', b't', b';', ..] => one(4, '<'),
        [_, b'g', b't', b';', ..] => one(4, '>'),
        _ => other_reference(bytes, in_value, end),
    }
}

fn other_reference(bytes: &[u8], in_value: bool, end: bool) -> Option<(usize, Option<Characters>)> {
    let near = &bytes[..bytes.len().min(MAX_REFERENCE)];
    let run = |from: usize, kind: fn(&u8) -> bool| {
        from + near[from..].iter().take_while(|&b| kind(b)).count()
    };
    let len = match &near[1..] {
        [b'#', b'x' | b'X', ..] => run(3, u8::is_ascii_hexdigit),
        [b'#', ..] => run(2, u8::is_ascii_digit),
        [b, ..] if b.is_ascii_alphabetic() => run(2, u8::is_ascii_alphanumeric),
        _ => 1,
    };
    let next = bytes.get(len).copied();
    if next.is_none() && !end {
        return None;
    }
    let len = len + usize::from(len > 1 && next == Some(b';'));
    Some(match characters(&bytes[..len], in_value, next) {
        Some((len, to)) => (len, Some(to)),
        None => (len, None),
    })
}

/// The characters of the reference at the start of `held`, and the length of the
/// reference in bytes. `next` is the byte after `held`.
fn characters(held: &[u8], in_value: bool, next: Option<u8>) -> Option<(usize, Characters)> {
    let closed = held.ends_with(b";");
    let body = held.strip_prefix(b"&")?;
    let body = body.strip_suffix(b";").unwrap_or(body);
    if let Some(number) = body.strip_prefix(b"#") {
        let (digits, radix) = match number.strip_prefix(b"x").or(number.strip_prefix(b"X")) {
            Some(hex) => (hex, 16),
            None => (number, 10),
        };
        let is_digit = |b: &u8| char::from(*b).is_digit(radix);
        let digits = std::str::from_utf8(digits).ok();
        let digits = digits.filter(|d| !d.is_empty() && d.as_bytes().iter().all(is_digit))?;
        // A number that is too large for `u32` is also too large for a
        // character.
        let code = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
        return Some((held.len(), Characters::One(numeric(code))));
    }
    if closed && let Some(to) = entities::find(body, true) {
        return Some((held.len(), Characters::Named(to)));
    }
    if in_value {
        // > If the character reference was consumed as part of an attribute,
        // > and the last character matched is not a ";", and the next input
        // > character is either a "=" or an ASCII alphanumeric, then, for
        // > historical reasons, flush … (13.2.5.73)
        // This includes a name followed by more letters.
        let is_alone = !closed && next != Some(b'=');
        let to = entities::find(body, false).filter(|_| is_alone)?;
        return Some((held.len(), Characters::Named(to)));
    }
    // In text, use the longest name that is valid without `;`. Such names have
    // at most 6 bytes.
    (2..=body.len().min(6)).rev().find_map(|n| {
        let to = entities::find(&body[..n], false)?;
        Some((n + 1, Characters::Named(to)))
    })
}

/// > … If the number is one of the numbers in the first column of the
/// > following table … (13.2.5.80): the C1 controls are read as windows-1252.
fn numeric(code: u32) -> char {
    const WINDOWS: [u16; 32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
        0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ];
    let code = match code {
        0x80..=0x9F => u32::from(WINDOWS[(code - 0x80) as usize]),
        0 => 0xFFFD,
        _ => code,
    };
    char::from_u32(code).unwrap_or('\u{FFFD}')
}
