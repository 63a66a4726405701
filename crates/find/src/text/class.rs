//! Classes of bytes and characters. They determine the end of a URL.

use urlgrep_base::link::{INCLUDE, SOFT, link_bracket, link_term};

/// The class of a byte in running text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Always part of a URL.
    Plain = 0,
    /// `( [ {`
    Open,
    /// `) ] }`
    Close,
    /// A byte with a special rule in `boundary`: `' , & | = ! \`.
    Mark,
    /// Never part of a bare URL: white space, control bytes, `< > "` and the
    /// back-quote.
    Stop,
    /// 0x80 to 0xFF. The character decides.
    High,
}

const fn class(b: u8) -> Class {
    match b {
        0..=b' ' | 0x7F | b'<' | b'>' | b'"' | b'`' => Class::Stop,
        b'(' | b'[' | b'{' => Class::Open,
        b')' | b']' | b'}' => Class::Close,
        b'\'' | b',' | b'&' | b'|' | b'=' | b'!' | b'\\' => Class::Mark,
        0x80..=0xFF => Class::High,
        _ => Class::Plain,
    }
}

pub(crate) static CLASS: [Class; 256] = {
    let mut table = [Class::Stop; 256];
    let mut b = 0;
    while b < 256 {
        table[b] = class(b as u8);
        b += 1;
    }
    table
};

/// The number of bytes at the start of `bytes` that are always part of a URL. Four are looked up at
/// a time, because most URLs are only such bytes.
#[inline(always)]
pub(crate) fn plain_len(bytes: &[u8]) -> usize {
    let mut rest = bytes;
    while let Some(([a, b, c, d], after)) = rest.split_first_chunk() {
        let class = |b: &u8| CLASS[*b as usize] as u8;
        if class(a) | class(b) | class(c) | class(d) != Class::Plain as u8 {
            break;
        }
        rest = after;
    }
    let is_plain = |b: &&u8| CLASS[**b as usize] == Class::Plain;
    bytes.len() - rest.len() + rest.iter().take_while(is_plain).count()
}

/// True for a scheme character: RFC 3986 3.1,
/// `ALPHA / DIGIT / "+" / "-" / "."`. It is a table, because the bytes before
/// many colons are checked.
#[inline]
pub(crate) fn is_scheme_byte(b: u8) -> bool {
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

/// True for a byte that is never part of a bare URL.
pub(crate) fn is_stop(b: u8) -> bool {
    CLASS[b as usize] == Class::Stop
}

/// White space. RFC 1738 (Appendix) names spaces, line breaks and
/// tabs. Form feeds and vertical tabs occur in old page-oriented texts.
pub(crate) const fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C)
}

/// A space or tab.
pub(crate) const fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t')
}

/// LF or CR. A line ends at LF, at CRLF, or at a lone CR.
pub(crate) const fn is_break(b: u8) -> bool {
    matches!(b, b'\n' | b'\r')
}

/// How a character beyond ASCII affects a URL directly before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum High {
    /// Punctuation, a space, or an invisible or format character. The URL ends
    /// before it.
    Ends,
    /// An arrow of this many bytes. The URL ends before it, unless its host goes on.
    Arrow(usize),
    /// A symbol or a mark of this many bytes. It is part of the URL if more of the URL
    /// follows.
    Inside(usize),
    /// A sign that Chinese, Japanese and Korean have between letters (`・`).
    East(usize),
    /// Punctuation of these languages. `。` may stand for a dot in a host.
    EastStop(usize),
    /// A letter, digit or mark of this many bytes, in a script with spaces
    /// between words. It is part of the URL.
    Part(usize),
    /// A letter, digit or mark in a script without spaces. Prose may follow a
    /// URL directly, so the bytes before the character decide.
    Script(usize),
    /// U+2013, an en dash. It is part of the URL between letters or digits.
    Dash,
    /// U+203E, an overline. Before a letter it is a mangled `~`.
    Overline,
    /// U+2010 or U+2011. Between letters or digits it is a `-` that a typesetter wrote so.
    Hyphen,
    /// An invisible character of this many bytes. Between bytes of a URL it only lets a
    /// line break.
    Invisible(usize),
}

/// The length of U+2013 and of U+203E in UTF-8.
pub(crate) const DASH_LEN: usize = 3;

pub(crate) fn high(bytes: &[u8]) -> High {
    match decode(bytes) {
        Some(('\u{2013}', _)) => High::Dash,
        Some(('\u{203E}', _)) => High::Overline,
        Some(('\u{2010}' | '\u{2011}', _)) => High::Hyphen,
        Some(('\u{AD}' | '\u{200B}' | '\u{2060}' | '\u{FEFF}', len)) => High::Invisible(len),
        Some((c, len)) if is_unspaced(c) => High::Script(len),
        Some((c, len)) => beyond(c, len),
        // The bytes are not UTF-8. They are most likely in a charset of the ISO
        // 8859 family. There 0xC0 to 0xFF are letters, and lower bytes are
        // controls and signs.
        None if bytes.first().is_some_and(|&b| b >= 0xC0) => High::Part(1),
        None => High::Ends,
    }
}

/// The closing bracket, if `bytes` start with an opening one beyond ASCII.
pub(crate) fn closing_bracket(bytes: &[u8]) -> Option<char> {
    let (c, _) = decode(bytes)?;
    let (open, close) = link_bracket(c)?;
    (c == open).then_some(close)
}

/// The class of a character that is not of a script without spaces. `Link_Term` of UTS
/// #58 decides, with two exceptions. Mail puts dashes, quotation marks and invisible
/// characters directly after a URL, so all of General Punctuation ends it. And a symbol
/// or a soft mark is part of it only if more of the URL follows, as in `?utf8=✓&q=a`.
fn beyond(c: char, len: usize) -> High {
    let ends = matches!(c, '\u{AB}' | '\u{AD}' | '\u{BB}' | '\u{61C}' | '\u{2000}'..='\u{200B}'
        | '\u{200E}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF0}'..='\u{FFFF}');
    let is_east = matches!(c, '\u{2E80}'..='\u{33FF}' | '\u{FF00}'..='\u{FFEF}');
    let is_symbol = matches!(c, '\u{A1}'..='\u{BF}' | '×' | '÷' | '\u{200C}'..='\u{2BFF}'
        | '\u{FE00}'..='\u{FE0F}' | '\u{1F000}'..);
    if is_arrow(c) {
        return High::Arrow(len);
    }
    match link_term(c) {
        INCLUDE | SOFT if ends => High::Ends,
        INCLUDE if is_east => High::East(len),
        SOFT if is_east => High::EastStop(len),
        INCLUDE if c.is_alphanumeric() || !is_symbol => High::Part(len),
        INCLUDE | SOFT => High::Inside(len),
        _ => High::Ends,
    }
}

/// True for an arrow, which people write between a URL and what it leads to.
fn is_arrow(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{21FF}' | '\u{27F0}'..='\u{27FF}' | '\u{2900}'..='\u{297F}'
        | '\u{2B00}'..='\u{2B0D}' | '➔' | '➜' | '➝' | '➞' | '➡')
}

/// True for a letter, digit or mark of Thai, Lao, Myanmar, Khmer, Hangul, Han,
/// Kana or Bopomofo. Text in these scripts follows a URL without a space.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{0E01}'..='\u{0E3A}' | '\u{0E40}'..='\u{0E4E}' | '\u{0E50}'..='\u{0E59}' // Thai
            | '\u{0E81}'..='\u{0EDF}' // Lao
            | '\u{1000}'..='\u{1049}' | '\u{1050}'..='\u{109D}' // Myanmar
            | '\u{A9E0}'..='\u{A9FE}' | '\u{AA60}'..='\u{AA76}' | '\u{AA7A}'..='\u{AA7F}'
            | '\u{1780}'..='\u{17D3}' | '\u{17D7}' | '\u{17DC}' | '\u{17DD}' // Khmer
            | '\u{17E0}'..='\u{17E9}'
            | '\u{1100}'..='\u{11FF}' | '\u{3131}'..='\u{318E}' // Hangul
            | '\u{A960}'..='\u{A97C}' | '\u{AC00}'..='\u{D7FF}'
            | '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{302F}' // Han: marks and numerals
            | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' // Han
            | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFD}'
            | '\u{3031}'..='\u{3035}' | '\u{3038}'..='\u{303C}' // Kana: repeat marks
            | '\u{3041}'..='\u{309A}' | '\u{309D}'..='\u{309F}' // Hiragana
            | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' // Katakana
            | '\u{31F0}'..='\u{31FF}' | '\u{1AFF0}'..='\u{1B16F}'
            | '\u{3105}'..='\u{312F}' | '\u{31A0}'..='\u{31BF}' // Bopomofo
            | '\u{FF10}'..='\u{FF19}' | '\u{FF21}'..='\u{FF3A}' // half and full width
            | '\u{FF41}'..='\u{FF5A}' | '\u{FF66}'..='\u{FFDC}'
    )
}

/// True if `bytes` start with a letter of Hebrew, Arabic or a related script
/// that is written from right to left.
pub(crate) fn is_right_to_left(bytes: &[u8]) -> bool {
    let right_to_left = |c| matches!(c, '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}');
    decode(bytes).is_some_and(|(c, _)| right_to_left(c))
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

    /// The table of `is_unspaced` is ours. This fails if Unicode, in the release
    /// that the crate regex knows, has a letter, digit or mark of these scripts
    /// that it lacks. The exceptions are marks in old Chinese and Vietnamese, and
    /// digits for divination (Khmer) and of two small languages (Myanmar).
    #[test]
    fn the_table_of_scripts_has_what_unicode_has() {
        let scripts = r"[\p{Thai}\p{Lao}\p{Myanmar}\p{Khmer}\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}\p{Bopomofo}]";
        let unspaced = regex::Regex::new(&format!(r"^[{scripts}&&[\pL\pM\pN]]$")).unwrap();
        let lacking: Vec<String> = ('\u{80}'..=char::MAX)
            .filter(|c| !matches!(c, '\u{17F0}'..='\u{17F9}' | '\u{116D0}'..='\u{116E3}'))
            .filter(|&c| !is_unspaced(c) && unspaced.is_match(&c.to_string()))
            .map(|c| format!("{:X}", u32::from(c)))
            .collect();
        assert_eq!(lacking.join(" "), "16FE3 16FF0 16FF1");
    }

    #[test]
    fn characters_end_a_url_or_are_part_of_it() {
        for end in [
            "\u{A0}",
            "\u{2028}",
            "\u{3000}",
            "»",
            "…",
            "”",
            "—",
            "\u{FFFD}",
            "（",
            "」",
            "⟨",
            "\u{E000}",
            "\u{E0100}",
            "\u{10FFFF}",
        ] {
            assert_eq!(high(end.as_bytes()), High::Ends, "{end:?}");
        }
        for arrow in ["→", "⇒", "➜"] {
            assert_eq!(high(arrow.as_bytes()), High::Arrow(3), "{arrow:?}");
        }
        for inside in [
            "\u{200C}", "\u{FE0F}", "€", "✓", "😀", "၊", "།", "।", "،", "·",
        ] {
            let len = inside.len();
            assert_eq!(high(inside.as_bytes()), High::Inside(len), "{inside:?}");
        }
        assert_eq!(high("・".as_bytes()), High::East(3));
        assert_eq!(high("。".as_bytes()), High::EastStop(3));
        for part in [
            "ä", "é", "ж", "λ", "\u{308}", "א", "\u{94D}", "\u{64B}", "\u{F0B}", "฿", "²",
        ] {
            assert_eq!(high(part.as_bytes()), High::Part(part.len()), "{part:?}");
        }
        for script in [
            "漢", "か", "ー", "한", "ว", "\u{E31}", "ລ", "ខ", "\u{17D2}", "မ", "Ａ", "𠀀",
        ] {
            assert_eq!(
                high(script.as_bytes()),
                High::Script(script.len()),
                "{script:?}"
            );
        }
        for invisible in ["\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}"] {
            let len = invisible.len();
            assert_eq!(
                high(invisible.as_bytes()),
                High::Invisible(len),
                "{invisible:?}"
            );
        }
        assert_eq!(high("\u{2010}".as_bytes()), High::Hyphen);
        assert_eq!(high("\u{2011}".as_bytes()), High::Hyphen);
        assert_eq!(high("–".as_bytes()), High::Dash);
        assert_eq!(high("‾".as_bytes()), High::Overline);
        assert_eq!(high(b"\xA0x"), High::Ends);
        assert_eq!(high(b"\xE4r"), High::Part(1));
        assert_eq!(high(b"\xE2\x80"), High::Part(1));
    }
}
