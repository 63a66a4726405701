//! Escapes untrusted bytes for output. The bytes of a stranger's mail must not
//! forge a line, a field, a colour or a hyperlink.
//!
//! There are four rules. Each printer says which rule it uses:
//!
//! | function | for | control bytes | hidden characters, bytes that are not UTF-8 | `\` |
//! | --- | --- | --- | --- | --- |
//! | [`url()`] | URLs, into a pipe and onto a terminal | `%NN` | `%NN` | as it is |
//! | [`terminal`] | text onto a terminal | `\xNN` | `\u{N}`, `\xNN` | as it is |
//! | [`path()`] | paths in lines of text | `\xNN` | `\u{N}`, `\xNN` | `\\` |
//! | [`field`] | fields of a line, tab-separated output | `\xNN` | `\u{N}`, `\xNN` | `\\` |
//!
//! The result of `url` is an equivalent URL. The rule `terminal` is for people:
//! a text with the four characters `\x0A` looks like one with a line feed. The
//! escapes of the other two rules can be undone, and [`undo_field`] does it. JSON has
//! its own escapes, which can also be undone.

use std::io::{self, Write as _};

use crate::digits::{hex_byte, put_hex};

/// The printed path of standard input.
pub const STDIN: &[u8] = b"<stdin>";

/// Maps the hidden characters of a URL as RFC 3987, section 3.1, maps an IRI to
/// a URI: each byte of their UTF-8 becomes `%NN`. The result identifies the same
/// resource, no program reads it as several lines, and a terminal shows all of
/// it. Visible characters are copied.
///
/// The profile `iri` allows, for example, U+2028 and the isolates U+2066 to
/// U+2069 in a URL, because RFC 3987, section 2.2, does. Some readers end a line
/// at U+2028, and an isolate changes the order in which a URL is displayed.
///
/// ```
/// use urlgrep_base::escape;
///
/// let mut out = Vec::new();
/// escape::url("http://a.example/Käse\u{2028}x".as_bytes(), &mut out);
/// assert_eq!(out, "http://a.example/Käse%E2%80%A8x".as_bytes());
/// ```
pub fn url(bytes: &[u8], out: &mut Vec<u8>) {
    if !has(bytes, |b| !(b' '..=b'~').contains(&b)) {
        out.extend_from_slice(bytes);
        return;
    }
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let utf8 = c.encode_utf8(&mut buffer).as_bytes();
            if is_hidden(c) {
                percent(utf8, out);
            } else {
                out.extend_from_slice(utf8);
            }
        }
        percent(chunk.invalid(), out);
    }
}

/// Appends `%NN` for each byte.
fn percent(bytes: &[u8], out: &mut Vec<u8>) {
    for b in bytes {
        // OK to ignore: writing to a vector does not fail.
        let _ = write!(out, "%{b:02X}");
    }
}

/// Escapes text for a terminal. Visible characters in well-formed UTF-8 are
/// copied. Other single bytes become `\xNN`. Other characters of several bytes
/// become `\u{N}`.
pub fn terminal(bytes: &[u8], out: &mut Vec<u8>) {
    visible(bytes, false, out);
}

/// The text of an I/O error without its number, for example
/// `Permission denied`. The standard library appends the number, for example
/// ` (os error 13)`. This function removes it.
#[must_use]
pub fn system_error(error: &io::Error) -> String {
    let text = error.to_string();
    let without = text.split_once(" (os error ").and_then(|(before, rest)| {
        let (number, after) = rest.split_once(')')?;
        let is_number = number.bytes().all(|b| b.is_ascii_digit());
        is_number.then(|| [before, after].concat())
    });
    without.unwrap_or(text)
}

/// As [`terminal`], but `\` becomes `\\`, so that the escapes can be undone.
pub fn field(bytes: &[u8], out: &mut Vec<u8>) {
    visible(bytes, true, out);
}

/// Appends the text that [`field`] has escaped to `text`. Other backslashes are copied.
///
/// ```
/// use urlgrep_base::escape;
///
/// let (mut escaped, mut out) = (Vec::new(), Vec::new());
/// escape::field(b"M\xC3\xBCller\t\\\xFF", &mut escaped);
/// assert_eq!(escaped, "Müller\\x09\\\\\\xFF".as_bytes());
/// escape::undo_field(&escaped, &mut out);
/// assert_eq!(out, b"M\xC3\xBCller\t\\\xFF");
/// ```
pub fn undo_field(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        match undo_one(rest, out) {
            Some(after) => rest = after,
            None => out.push(b'\\'),
        }
    }
    out.extend_from_slice(rest);
}

/// Undoes an escape, of which `text` is the part after the backslash. Returns what
/// follows it, or `None` if it is no escape.
fn undo_one<'t>(text: &'t [u8], out: &mut Vec<u8>) -> Option<&'t [u8]> {
    match text {
        [b'\\', after @ ..] => {
            out.push(b'\\');
            Some(after)
        }
        [b'x', high, low, after @ ..] => {
            out.push(hex_byte(*high, *low)?);
            Some(after)
        }
        [b'u', b'{', after @ ..] => {
            let (c, after) = braced(after)?;
            out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            Some(after)
        }
        _ => None,
    }
}

/// The character of `N}`, and what follows it.
fn braced(text: &[u8]) -> Option<(char, &[u8])> {
    let end = memchr::memchr(b'}', text)?;
    let digits = str::from_utf8(&text[..end]).ok()?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    Some((char::from_u32(code)?, &text[end + 1..]))
}

/// Escapes a path. As [`field`], but on Windows `\` is copied, because it
/// separates folders.
pub fn path(bytes: &[u8], out: &mut Vec<u8>) {
    visible(bytes, !cfg!(windows), out);
}

/// True for a character that a terminal does not show, or that changes how
/// other characters are shown. These are control and format characters
/// (Unicode Cc, Cf, Zl, Zp), invisible fillers, and tags.
#[must_use]
pub fn is_hidden(c: char) -> bool {
    match c {
        ' '..='~' => false,
        '\0'..='\u{9F}' => true,
        _ => matches!(
            c,
            '\u{AD}' // soft hyphen
                | '\u{34F}' // combining grapheme joiner
                | '\u{600}'..='\u{605}' | '\u{61C}' | '\u{6DD}' | '\u{70F}'
                | '\u{890}'..='\u{891}' | '\u{8E2}'
                | '\u{115F}'..='\u{1160}' // Hangul fillers
                | '\u{17B4}'..='\u{17B5}'
                | '\u{180B}'..='\u{180F}'
                | '\u{200B}'..='\u{200F}' // zero width, marks of direction
                | '\u{2028}'..='\u{202E}' // separators, embeddings
                | '\u{2060}'..='\u{206F}' // joiners, isolates
                | '\u{3164}' | '\u{FFA0}' // Hangul fillers
                | '\u{FEFF}'
                | '\u{FFF0}'..='\u{FFFB}'
                | '\u{110BD}' | '\u{110CD}'
                | '\u{13430}'..='\u{1345F}'
                | '\u{1BCA0}'..='\u{1BCA3}'
                | '\u{1D173}'..='\u{1D17A}'
                | '\u{E0000}'..='\u{E0FFF}' // tags
        ),
    }
}

/// Appends `\xNN`.
fn hex(b: u8, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\\x");
    put_hex(b, out);
}

/// True if `is_special` is true for any byte. Special bytes are rare, so whole
/// blocks are tested without an early exit.
pub fn has(bytes: &[u8], is_special: impl Fn(u8) -> bool) -> bool {
    let any = |bytes: &[u8]| bytes.iter().fold(false, |any, &b| any | is_special(b));
    // The last block overlaps the block before it, because testing single bytes
    // is slower.
    if let Some(last) = bytes.last_chunk::<16>() {
        return bytes.as_chunks::<16>().0.iter().any(|c| any(c)) | any(last);
    }
    match (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        (Some(first), Some(last)) => any(first) | any(last),
        _ => any(bytes),
    }
}

fn visible(bytes: &[u8], backslash: bool, out: &mut Vec<u8>) {
    let is_special = |b: u8| !(b' '..=b'~').contains(&b) || (backslash && b == b'\\');
    if !has(bytes, is_special) {
        out.extend_from_slice(bytes);
        return;
    }
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\\' && backslash {
                out.extend_from_slice(b"\\\\");
            } else if !is_hidden(c) {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            } else if c.is_ascii() {
                hex(c as u8, out);
            } else {
                out.extend(c.escape_unicode().map(|c| c as u8));
            }
        }
        for &b in chunk.invalid() {
            hex(b, out);
        }
    }
}

/// True for a character without width that only lets a line break, or joins letters. Nobody sees it in
/// the text of a link.
#[must_use]
pub fn is_joiner(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{200B}'..='\u{200D}' | '\u{2060}' | '\u{FEFF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(f: fn(&[u8], &mut Vec<u8>), bytes: &[u8]) -> String {
        let mut out = Vec::new();
        f(bytes, &mut out);
        out.utf8_chunks()
            .map(|c| format!("{}{}", c.valid(), "?".repeat(c.invalid().len())))
            .collect()
    }

    #[test]
    fn each_rule_escapes_what_it_says() {
        let bytes = "a\\b\tc\n\u{1b}[31m\u{202e}ü\u{85}".as_bytes();
        assert_eq!(run(url, bytes), "a\\b%09c%0A%1B[31m%E2%80%AEü%C2%85");
        assert_eq!(
            run(terminal, bytes),
            "a\\b\\x09c\\x0A\\x1B[31m\\u{202e}ü\\u{85}"
        );
        assert_eq!(
            run(field, bytes),
            "a\\\\b\\x09c\\x0A\\x1B[31m\\u{202e}ü\\u{85}"
        );
    }

    #[test]
    fn bytes_that_are_no_utf8_are_escaped() {
        for f in [terminal, field] {
            assert_eq!(run(f, b"a\xFFb\xE2\x80"), "a\\xFFb\\xE2\\x80");
        }
        assert_eq!(run(url, b"a\xFFb\xE2\x80"), "a%FFb%E2%80");
    }

    #[test]
    fn no_byte_gets_past_a_terminal() {
        for b in 0..=255u8 {
            for f in [terminal, field, url] {
                let shown = run(f, &[b'a', b, b'z']);
                assert!(!shown.chars().any(is_hidden), "{b:02x}: {shown:?}");
            }
        }
        for c in '\0'..=char::MAX {
            if is_hidden(c) {
                let shown = run(terminal, c.encode_utf8(&mut [0; 4]).as_bytes());
                assert!(shown.is_ascii() && shown.starts_with('\\'), "{c:?}");
                let shown = run(url, c.encode_utf8(&mut [0; 4]).as_bytes());
                assert!(shown.is_ascii() && shown.starts_with('%'), "{c:?}");
            }
        }
    }

    #[test]
    fn what_a_field_escapes_is_undone() {
        let undo = |text: &[u8]| {
            let mut out = Vec::new();
            undo_field(text, &mut out);
            out
        };
        let mut all: Vec<Vec<u8>> = (0..=255u8).map(|b| vec![b'a', b, b'\\', b]).collect();
        all.extend(['\u{202E}', 'ü', '\u{E0001}', '\u{85}'].map(|c| format!("x{c}41}}").into()));
        all.push(br"\x41 \u{41} \\x41".to_vec());
        for bytes in all {
            let mut escaped = Vec::new();
            field(&bytes, &mut escaped);
            assert_eq!(undo(&escaped), bytes, "{}", escaped.escape_ascii());
        }
        // Backslashes that no escape begins with are copied.
        for text in [
            &br"\"[..],
            br"a\",
            br"\x4",
            br"\xZZ",
            br"\u{}",
            br"\u{110000}",
            br"\u{41",
        ] {
            let text = &text[1..];
            assert_eq!(undo(text), text, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn system_errors_have_no_numbers() {
        let system = io::Error::from_raw_os_error(1);
        let text = system_error(&system);
        assert!(!text.is_empty() && system.to_string() == format!("{text} (os error 1)"));
        for (text, shown) in [
            ("denied (os error 13) at path \"x\"", "denied at path \"x\""),
            ("an (os error of mine)", "an (os error of mine)"),
            ("plain", "plain"),
        ] {
            assert_eq!(system_error(&io::Error::other(text)), shown);
        }
    }

    #[test]
    fn characters_named_in_the_documents_are_hidden() {
        for c in [
            '\u{202A}', '\u{202E}', '\u{2066}', '\u{2069}', '\u{200B}', '\u{200F}',
        ] {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in [
            '\u{FEFF}',
            '\u{61C}',
            '\u{E0001}',
            '\u{E007F}',
            '\u{2028}',
            '\u{7F}',
        ] {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in [' ', '~', 'ü', '漢', '\u{A0}', '€', '\u{1F600}'] {
            assert!(!is_hidden(c), "{c:?}");
        }
    }
}
