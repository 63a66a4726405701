//! Characters that typesetters and programs put into a URL: U+2010 and U+2011 for its hyphens,
//! and invisible characters where a line may break.

use super::encoded::Encoded;
use urlgrep_base::span::SeamKind;

/// The length of U+2010 and U+2011 in UTF-8.
pub(super) const HYPHEN_LEN: usize = 3;

/// True if `bytes` end with U+2010 or U+2011. groff 1.23 writes the first for `-`, and so do
/// programs of publishers.
pub(super) fn is_hyphen(bytes: &[u8]) -> bool {
    bytes.ends_with("\u{2010}".as_bytes()) || bytes.ends_with("\u{2011}".as_bytes())
}

/// The characters that show nothing, and that programs put where a line may break.
const INVISIBLE: [&str; 4] = ["\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}"];

/// The length of an invisible character at the beginning of `bytes`: U+00AD, U+200B, U+2060 or
/// U+FEFF.
pub(super) fn invisible(bytes: &[u8]) -> Option<usize> {
    let is_here = |character: &&&str| bytes.starts_with(character.as_bytes());
    INVISIBLE
        .iter()
        .find(is_here)
        .map(|character| character.len())
}

/// The length of `bytes` without an invisible character at its end.
pub(super) fn before_invisible(bytes: &[u8]) -> usize {
    let is_last = |character: &&&str| bytes.ends_with(character.as_bytes());
    let last = INVISIBLE.iter().find(is_last);
    bytes.len() - last.map_or(0, |character| character.len())
}

/// Finds the next place of a text that is spelled in another way.
pub(super) type FindNext = fn(&[u8]) -> Option<Encoded>;

/// The first invisible character in `bytes`.
pub(super) fn find_invisible(bytes: &[u8]) -> Option<Encoded> {
    find_where(bytes, |_, _| true)
}

/// The first invisible character that lets a line break in `bytes`, a URL between delimiters or the
/// rest of one: a soft hyphen, one after a separator, and one at the end.
pub(super) fn find_break(bytes: &[u8]) -> Option<Encoded> {
    find_where(bytes, |at, len| {
        let is_after_mark = match at.checked_sub(1) {
            Some(before) => b"/.-_?&=".contains(&bytes[before]),
            None => true,
        };
        is_after_mark || bytes[at..].starts_with("\u{AD}".as_bytes()) || at + len == bytes.len()
    })
}

/// The first invisible character whose index and length are `wanted`.
fn find_where(bytes: &[u8], wanted: impl Fn(usize, usize) -> bool) -> Option<Encoded> {
    let high = (0..bytes.len()).filter(|&at| !bytes[at].is_ascii());
    for at in high {
        if let Some(len) = invisible(&bytes[at..])
            && wanted(at, len)
        {
            return Some(Encoded {
                at,
                len,
                byte: None,
                kind: SeamKind::Invisible,
            });
        }
    }
    None
}

/// Characters that programs for PDF files write for others: ligatures, and what TeX draws for `~`.
const DRAWN: [(&str, &str); 10] = [
    ("\u{2DC}", "~"),
    ("\u{223C}", "~"),
    ("\u{FF5E}", "~"),
    ("\u{FB00}", "ff"),
    ("\u{FB01}", "fi"),
    ("\u{FB02}", "fl"),
    ("\u{FB03}", "ffi"),
    ("\u{FB04}", "ffl"),
    ("\u{FB05}", "st"),
    ("\u{FB06}", "st"),
];

/// A character that is drawn for others.
pub(super) struct Drawn {
    pub(super) at: usize,
    pub(super) len: usize,
    /// What it stands for.
    pub(super) letters: &'static str,
}

/// The first of these characters in `bytes`.
pub(super) fn drawn(bytes: &[u8]) -> Option<Drawn> {
    (0..bytes.len()).find_map(|at| {
        let rest = &bytes[at..];
        let is_here = |row: &&(&str, &str)| rest.starts_with(row.0.as_bytes());
        let row = DRAWN.iter().find(is_here).filter(|_| !rest[0].is_ascii())?;
        Some(Drawn {
            at,
            len: row.0.len(),
            letters: row.1,
        })
    })
}

/// The length of `text` without the numbers of footnotes at its end: `²`, `²,³`.
pub(super) fn before_notes(text: &[u8]) -> usize {
    const DIGITS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let mut end = text.len();
    loop {
        let rest = text[..end].strip_suffix(b",").unwrap_or(&text[..end]);
        let is_last = |digit: &char| rest.ends_with(digit.encode_utf8(&mut [0; 4]).as_bytes());
        match DIGITS.chars().find(is_last) {
            Some(digit) => end = rest.len() - digit.len_utf8(),
            None => return end,
        }
    }
}

/// The first of these characters in `bytes`.
pub(super) fn find(bytes: &[u8]) -> Option<Encoded> {
    (0..bytes.len()).find_map(|at| {
        let rest = &bytes[at..];
        let b = rest[0];
        if b.is_ascii() {
            return None;
        }
        if rest.len() >= HYPHEN_LEN && is_hyphen(&rest[..HYPHEN_LEN]) {
            return Some(Encoded {
                at,
                len: HYPHEN_LEN,
                byte: Some(b'-'),
                kind: SeamKind::Typeset,
            });
        }
        invisible(rest).map(|len| Encoded {
            at,
            len,
            byte: None,
            kind: SeamKind::Invisible,
        })
    })
}
