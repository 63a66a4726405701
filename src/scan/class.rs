//! Classes of bytes and characters that decide where a URL ends.

/// What a byte means to a URL that stands in running text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// Part of a URL, wherever it stands.
    Plain,
    /// `( [ {`
    Open,
    /// `) ] }`
    Close,
    /// A byte that some rule of the boundary looks at: `' , & | =`.
    Mark,
    /// White space, control bytes, `< > "` and the back-quote: never part of a
    /// bare URL.
    Stop,
    /// 0x80 to 0xFF: the character decides.
    High,
}

const fn class(b: u8) -> Class {
    match b {
        0..=b' ' | 0x7F | b'<' | b'>' | b'"' | b'`' => Class::Stop,
        b'(' | b'[' | b'{' => Class::Open,
        b')' | b']' | b'}' => Class::Close,
        b'\'' | b',' | b'&' | b'|' | b'=' => Class::Mark,
        0x80..=0xFF => Class::High,
        _ => Class::Plain,
    }
}

pub(super) static CLASS: [Class; 256] = {
    let mut table = [Class::Stop; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = class(b as u8);
        b += 1;
    }
    table
};

/// Scheme characters: RFC 3986 3.1, `ALPHA / DIGIT / "+" / "-" / "."`. A
/// table, because the run before every other colon is read.
#[inline]
pub(super) fn is_scheme_byte(b: u8) -> bool {
    SCHEME[b as usize]
}

static SCHEME: [bool; 256] = {
    let mut table = [false; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = (b as u8).is_ascii_alphanumeric() || matches!(b as u8, b'+' | b'-' | b'.');
        b += 1;
    }
    table
};

/// The white space of the Appendix: RFC 1738 names spaces, line breaks and
/// tabs; form feed and vertical tab stand in old page-oriented texts.
pub(super) const fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C)
}

/// A space or tab.
pub(super) const fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}

/// LF or CR: a line ends at LF, at CRLF and at a lone CR alike.
pub(super) const fn is_break(b: u8) -> bool {
    matches!(b, b'\n' | b'\r')
}

/// What the bytes from the start of `bytes`, the first of them 0x80 or above,
/// mean to a URL right before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum High {
    /// Punctuation, space, symbol, or a letter of a script that is written
    /// without spaces: the URL ends before it.
    Ends,
    /// A letter, digit or mark of this many bytes, which the writer took for
    /// part of the URL.
    Part(usize),
}

pub(super) fn high(bytes: &[u8]) -> High {
    match decode(bytes) {
        Some((c, len)) => {
            if is_part(c) {
                High::Part(len)
            } else {
                High::Ends
            }
        }
        // Not UTF-8, so most likely one of the ISO 8859 family, in which 0xC0
        // to 0xFF are letters and what is below are controls and signs.
        None if bytes.first().is_some_and(|&b| b >= 0xC0) => High::Part(1),
        None => High::Ends,
    }
}

/// True for a non-ASCII character that could be a piece of a word in a script
/// that puts spaces between words.
fn is_part(c: char) -> bool {
    if is_unspaced(c) {
        return false;
    }
    // Combining marks are no letters to `char`, but `a` with U+0308 is `ä`.
    c.is_alphanumeric()
        || matches!(c, '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}')
}

/// Han, Kana, Bopomofo and Hangul: text in them follows a URL without a space.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{11FF}'      // Hangul Jamo
            | '\u{2E80}'..='\u{2FDF}' // CJK and Kangxi radicals
            | '\u{3005}'..='\u{3007}' // iteration mark, closing mark, zero
            | '\u{3021}'..='\u{3029}' // Hangzhou numerals
            | '\u{3031}'..='\u{303C}' // Kana repeat marks
            | '\u{3041}'..='\u{31FF}' // Hiragana to Katakana extensions
            | '\u{3220}'..='\u{33FF}' // enclosed and squared CJK
            | '\u{3400}'..='\u{4DBF}' // Han extension A
            | '\u{4E00}'..='\u{9FFF}' // Han
            | '\u{A960}'..='\u{A97F}' // Hangul Jamo extended A
            | '\u{AC00}'..='\u{D7FF}' // Hangul
            | '\u{F900}'..='\u{FAFF}' // Han compatibility
            | '\u{FF00}'..='\u{FFEF}' // half and full width forms
            | '\u{1AFF0}'..='\u{1B16F}' // Kana supplements
            | '\u{20000}'..='\u{3FFFF}' // Han extensions B and on
    )
}

/// The first character of `bytes` and its length, if it is well-formed UTF-8.
fn decode(bytes: &[u8]) -> Option<(char, usize)> {
    let len = match bytes.first()? {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    let c = std::str::from_utf8(bytes.get(..len)?)
        .ok()?
        .chars()
        .next()?;
    Some((c, len))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_end_a_url_or_spoil_it() {
        for end in [
            "\u{A0}", "\u{200B}", "»", "…", "”", "。", "漢", "か", "한", "，", "→", "\u{FEFF}", "€",
        ] {
            assert_eq!(high(end.as_bytes()), High::Ends, "{end:?}");
        }
        for part in ["ä", "é", "ж", "λ", "\u{308}", "א", "ว"] {
            assert_eq!(high(part.as_bytes()), High::Part(part.len()), "{part:?}");
        }
        assert_eq!(high(b"\xA0x"), High::Ends);
        assert_eq!(high(b"\xE4r"), High::Part(1));
        assert_eq!(high(b"\xE2\x80"), High::Part(1));
    }
}
