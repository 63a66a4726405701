//! The table of seam kinds: the source bytes that each kind may have, and the
//! bytes that they become in the URL.
//!
//! | kind | source bytes | stands for |
//! | --- | --- | --- |
//! | `line-break` | white space that holds a line break, and perhaps lines with only quote marks | nothing |
//! | `space` | white space without a line break | nothing |
//! | `leader` | quote or comment marks and white space, after a removed line break; or the level and the tag of a line of GEDCOM, `3 CONC ` | nothing |
//! | `hyphen` | `-`, before a removed line break or page | nothing |
//! | `page` | lines with a form feed or a footer, with white space before and after them | nothing |
//! | `qp-guess` | `=`, blanks, line break, blanks, perhaps a leader | nothing |
//! | `soft-break` | `=`, blanks, line break; any number of times | nothing |
//! | `qp-byte` | `=XX`, perhaps with a soft line break between the digits | that byte |
//! | `flowed-break` | blank, line break, the `>` marks of the next line, perhaps a blank | nothing |
//! | `space-stuff` | one blank at the start of a line | nothing |
//! | `entity` | one character reference | its characters, in UTF-8 |
//! | `escape` | `\` and one of `n N , ; : \` in a calendar, or an escape of JSON | a line feed, or the second character; or the character of JSON, in UTF-8 |
//! | `escape` | an escape of a program: `\` and a mark, `\u0026`, `\(ti`, `\` and a line break | its characters, or nothing |
//! | `control` | a code of colour, or a backspace with the letter or line that it prints over | nothing |
//! | `invisible` | U+00AD, U+200B, U+2060 or U+FEFF | nothing |
//! | `row` | a line break, with blanks, bars and numbers around it | nothing |
//! | `chunk` | the line of the size of a chunk of HTTP, or the line break before it, or both | nothing |
//! | `css-escape` | `\` and a line break, a hexadecimal number or another character | nothing, or the character |
//! | `blank` | one blank | `%20` |
//! | `markup` | white space after `>`; or bytes from `<` to `>`, with white space around them; or several adjacent removals of different kinds | nothing |
//! | `markup` | `<w:noBreakHyphen/>` of Word | `-` |
//! | `dot-stuff` | `.` at the start of a line | nothing |
//! | `from-quote` | `>` at the start of a line, before `From ` | nothing |
//! | `fold` | a line break before a blank; or line breaks, each with a blank after it | nothing |
//! | `scheme` | `www.`, `ftp.`, `gopher.` or `//` | `http://`, `ftp://`, `gopher://`, `http:` or `https:`, and these bytes |
//! | `refanged` | a mark that defangs a URL: `xx`, `[.]`, ` dot ` | what was meant |
//! | `mask` | ` at `, in an address | `@` |
//!
//! Text can be encoded twice. Examples are quoted-printable inside HTML, a
//! space as `=20`, a line break as `<br>`, and blanks around a fold. The bytes
//! of a seam are then those of the outer encoding. So each rule is applied to
//! several forms of the bytes, in this order:
//!
//! 1. unchanged
//! 2. decoded from quoted-printable
//! 3. decoded from quoted-printable and then from HTML
//! 4. decoded from quoted-printable, then without folds (in a header field), or
//!    without flowed breaks or the folds of a calendar (in a part)
//! 5. without the sizes of chunks of HTTP, and then decoded from HTML (in a part)

use super::{entity, program};
use urlgrep_base::digits::hex_byte;

/// The surroundings of a seam.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside<'a> {
    /// The source byte before the seam.
    pub(super) before: Option<u8>,
    /// Some source bytes after the seam.
    pub(super) after: &'a [u8],
    /// The kind of the previous piece, if that is a seam.
    pub(super) piece_before: Option<&'a str>,
    /// The kind of the next piece, if that is a seam.
    pub(super) piece_after: Option<&'a str>,
    /// Where in a message the URL is.
    pub(super) within: Within,
    /// The URL, and what follows the seam in it.
    pub(super) url: &'a [u8],
    pub(super) rest: &'a [u8],
}

/// Where in a message a URL is. This decides how the text around it may be
/// broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Within {
    /// A file that was read as text.
    Text,
    /// A header field of a message.
    Header,
    /// A part of a message.
    Part,
}

impl Beside<'_> {
    fn is_line_start(&self) -> bool {
        matches!(self.before, None | Some(b'\n' | b'\r'))
    }
}

/// How the source bytes of a kind of seam should be. `None` for an unknown kind.
fn should(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "line-break" => "should be white space with a line break",
        "space" => "should be white space within a line",
        "leader" => "should be quote or comment marks after a line break",
        "hyphen" => "should be a hyphen before a line break",
        "page" => "should be a footer or a form feed between line breaks",
        "qp-guess" | "soft-break" => "should be `=` at the end of a line",
        "qp-byte" => "should be `=` and two hexadecimal digits",
        "flowed-break" => "should be a blank, a line break and the quote marks after it",
        "space-stuff" => "should be a blank at the start of a line",
        "entity" => "should be a character reference",
        "escape" => {
            "should be a backslash and a character, two apostrophes, or quotation marks around a line break"
        }
        "css-escape" => "should be a backslash and a character",
        "control" => "should be a code of colour, or a letter printed twice",
        "row" => "should be the end of a row with its frame",
        "blank" => "should be a blank",
        "markup" => "should be markup, or removals of several kinds",
        "dot-stuff" => "should be a dot at the start of a line, before another dot",
        "from-quote" => "should be the `>` of a quoted From line",
        "fold" => "should be a line break before a blank",
        "scheme" => "should be `www.`, `ftp.`, `gopher.` or slashes",
        "mask" => "should be ` at ` or `<`",
        "typeset" => "should be a hyphen, a tilde or a ligature of a typesetter",
        "invisible" => "should be an invisible character",
        "refanged" => "should be a mark that defangs a URL",
        "chunk" => "should be the line with the size of a chunk of HTTP",
        _ => return None,
    })
}

/// What the bytes of a kind of seam are in the URL. `None` if they cannot be a
/// seam of that kind.
fn text(kind: &str, bytes: &[u8], beside: &Beside<'_>) -> Option<Vec<u8>> {
    let is_removed = match kind {
        // A calendar may write it as `\n` (RFC 5545 section 3.3.11).
        "line-break" if matches!(bytes, br"\n" | br"\N") => true,
        "line-break" => is_line_break(bytes),
        // Codes of looks may stand among the blanks.
        "space" => {
            let blanks = without(bytes, program::after_colour);
            !blanks.is_empty() && blanks.iter().all(|b| is_space(b) && !is_break(b))
        }
        "leader" => (is_leader(bytes) || is_conc(bytes)) && beside.piece_before.is_some(),
        "hyphen" => is_hyphen(bytes) && matches!(beside.piece_after, Some("line-break" | "page")),
        "page" => is_page(bytes),
        "qp-guess" => soft(bytes)
            .map(after_blanks)
            .is_some_and(|rest| rest.is_empty() || is_leader(rest)),
        "soft-break" => !bytes.is_empty() && without(bytes, soft).is_empty(),
        "flowed-break" => matches!(after_flowed(bytes), Some(b"" | b" ")),
        "space-stuff" => bytes == b" " && (beside.is_line_start() || beside.piece_before.is_some()),
        // ECMA-376, part 1, 17.3.3.18
        "markup" if bytes.starts_with(b"<w:noBreakHyphen") => return Some(b"-".to_vec()),
        "markup" => is_markup(bytes, beside),
        "dot-stuff" => bytes == b"." && beside.is_line_start() && beside.after.starts_with(b"."),
        "from-quote" => bytes == b">" && beside.is_line_start() && is_from(beside.after),
        "fold" => is_fold(bytes, beside),
        "qp-byte" => return qp_byte(bytes),
        "entity" => return reference(bytes).map(String::into_bytes),
        "escape" => return program::escape(bytes, beside).or_else(|| escape(bytes)),
        "control" => program::is_colour(bytes) || program::is_struck_over(bytes, beside.after),
        "row" => program::is_row_end(bytes),
        "chunk" => is_chunk(bytes),
        "css-escape" => return css_escape(bytes),
        "blank" => return (bytes == b" ").then(|| b"%20".to_vec()),
        "scheme" => return scheme(bytes, beside.url),
        "refanged" => return program::refanged(bytes),
        "typeset" => return typed(bytes).map(|typed| typed.as_bytes().to_vec()),
        "invisible" => {
            let all = ["\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}"];
            all.iter().any(|character| bytes == character.as_bytes())
        }
        // RFC 1738, 3.6
        "mask" if bytes == b"<" => beside
            .url
            .get(..5)
            .is_some_and(|name| name.eq_ignore_ascii_case(b"news:")),
        "mask" => return bytes.eq_ignore_ascii_case(b" at ").then(|| b"@".to_vec()),
        _ => false,
    };
    is_removed.then(Vec::new)
}

/// The bytes in the URL of a seam of this kind with the source bytes `bytes`.
///
/// # Errors
///
/// A description of the right bytes.
pub(super) fn undo(kind: &str, bytes: &[u8], beside: &Beside<'_>) -> Result<Vec<u8>, &'static str> {
    let should = should(kind).ok_or("unknown kind of seam")?;
    let undone = |bytes: &[u8]| text(kind, bytes, beside);
    let plain = undo_qp(bytes);
    undone(bytes)
        .or_else(|| undone(&plain))
        .or_else(|| undone(&undo_html(&plain, b"\n")))
        .or_else(|| undone(&undo_html(&plain, b"")))
        .or_else(|| match beside.within {
            Within::Text => None,
            Within::Header => undone(&undo_folds(&plain)),
            Within::Part => {
                let whole = without_chunks(bytes);
                undone(&undo_flowed(&plain))
                    .or_else(|| undone(&unfold(&plain)))
                    .or_else(|| undone(&whole))
                    .or_else(|| undone(&undo_html(&whole, b"\n")))
                    .or_else(|| undone(&undo_html(&whole, b"")))
            }
        })
        .ok_or(should)
}

/// `bytes` without each size of a chunk of HTTP, the line break before it and that after it.
fn without_chunks(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(&byte) = rest.first() {
        let size = after_break(rest).and_then(|line| {
            let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
            let end = memchr::memchr(b'\n', &line[digits..])?;
            (digits > 0).then(|| &line[digits + end + 1..])
        });
        match size {
            Some(after) => rest = after,
            None => {
                out.push(byte);
                rest = &rest[1..];
            }
        }
    }
    out
}

/// True for line breaks and the sizes of chunks, each with a line break after it.
fn is_chunk(bytes: &[u8]) -> bool {
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some(size) = after_break(rest) else {
            return false;
        };
        let Some(end) = memchr::memchr(b'\n', size) else {
            return false;
        };
        let line = size[..end].strip_suffix(b"\r").unwrap_or(&size[..end]);
        let digits = line.iter().take_while(|b| b.is_ascii_hexdigit()).count();
        // There may be an extension after the digits (RFC 9112, 7.1.1).
        let is_text = line.iter().all(|&b| b >= b' ' || b == b'\t');
        let is_size = matches!(line.get(digits), None | Some(b';' | b' ' | b'\t'));
        if digits == 0 || !is_size || !is_text {
            return false;
        }
        rest = &size[end + 1..];
    }
    !bytes.is_empty()
}

/// True for a hyphen, or one of a typesetter.
fn is_hyphen(bytes: &[u8]) -> bool {
    bytes == b"-" || bytes == "\u{2010}".as_bytes() || bytes == "\u{2011}".as_bytes()
}

/// What people type for a character of a typesetter.
fn typed(bytes: &[u8]) -> Option<&'static str> {
    Some(match std::str::from_utf8(bytes).ok()? {
        "-" | "\u{2010}" | "\u{2011}" => "-",
        "\u{2DC}" | "\u{223C}" | "\u{FF5E}" => "~",
        "\u{FB00}" => "ff",
        "\u{FB01}" => "fi",
        "\u{FB02}" => "fl",
        "\u{FB03}" => "ffi",
        "\u{FB04}" => "ffl",
        "\u{FB05}" | "\u{FB06}" => "st",
        _ => return None,
    })
}

fn is_blank(b: &u8) -> bool {
    matches!(b, b' ' | b'\t')
}

fn is_break(b: &u8) -> bool {
    matches!(b, b'\n' | b'\r')
}

fn is_space(b: &u8) -> bool {
    is_blank(b) || is_break(b) || matches!(b, 0x0B | 0x0C)
}

/// `bytes` without leading blanks.
fn after_blanks(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|b| is_blank(b)).count()..]
}

/// `bytes` without a leading LF, CRLF or CR. `None` if there is none.
fn after_break(bytes: &[u8]) -> Option<&[u8]> {
    bytes
        .strip_prefix(b"\r\n")
        .or_else(|| bytes.strip_prefix(b"\n"))
        .or_else(|| bytes.strip_prefix(b"\r"))
}

/// True for white space with a line break. A line between two breaks may have quote marks.
fn is_line_break(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(is_break);
    let (Some(first), Some(last)) = (lines.next(), lines.next_back()) else {
        return false;
    };
    let is_white = |line: &[u8]| line.iter().all(is_space);
    is_white(first) && is_white(last) && lines.all(|line| is_white(line) || is_leader(line))
}

/// `bytes` without leading white space. A line break is kept.
fn after_spaces(bytes: &[u8]) -> &[u8] {
    let is_inner = |b: &&u8| is_space(b) && !is_break(b);
    &bytes[bytes.iter().take_while(is_inner).count()..]
}

/// True for quote marks and white space, with at least one mark.
fn is_leader(bytes: &[u8]) -> bool {
    let mut rest = after_spaces(bytes);
    let any = !rest.is_empty();
    while !rest.is_empty() {
        let word = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        let mark = match *rest {
            [
                b'>' | b'<' | b'|' | b'#' | b'*' | b'%' | b';' | b':' | b'}' | b'+' | b'-' | b'!',
                ..,
            ] => 1,
            [b'/', b'/', ..] => 2,
            // U+2502, U+2503, U+2551.
            [0xE2, 0x94, 0x82 | 0x83, ..] | [0xE2, 0x95, 0x91, ..] => 3,
            _ if (1..=8).contains(&word) && rest.get(word) == Some(&b'>') => word + 1,
            // Initials with a blank before the mark: `AB >> `.
            _ if (1..=4).contains(&word) && after_blanks(&rest[word..]).starts_with(b">") => word,
            _ => return false,
        };
        rest = after_spaces(&rest[mark..]);
    }
    any
}

/// True for the beginning of a line of GEDCOM that goes on with the text of the one above.
fn is_conc(bytes: &[u8]) -> bool {
    let line = after_blanks(bytes);
    let level = line.iter().take_while(|b| b.is_ascii_digit()).count();
    level > 0 && line[level..] == *b" CONC "
}

fn is_page(bytes: &[u8]) -> bool {
    let footer = bytes.windows(6).any(|w| w.eq_ignore_ascii_case(b"[page "));
    let breaks = bytes.iter().filter(|b| is_break(b)).count();
    bytes.first().is_some_and(is_space)
        && bytes.last().is_some_and(is_space)
        && breaks > 1
        && (footer || bytes.contains(&0x0C))
}

/// `bytes` without one leading soft line break.
fn soft(bytes: &[u8]) -> Option<&[u8]> {
    after_break(after_blanks(bytes.strip_prefix(b"=")?))
}

fn qp_byte(bytes: &[u8]) -> Option<Vec<u8>> {
    let [b'=', high, rest @ ..] = bytes else {
        return None;
    };
    match soft(rest).unwrap_or(rest) {
        [low] => hex_byte(*high, *low).map(|b| vec![b]),
        _ => None,
    }
}

/// `bytes` without a leading blank, a line break and the quote marks after it.
fn after_flowed(bytes: &[u8]) -> Option<&[u8]> {
    Some(after_marks(after_break(bytes.strip_prefix(b" ")?)?))
}

/// `bytes` without leading `>`.
fn after_marks(bytes: &[u8]) -> &[u8] {
    &bytes[bytes.iter().take_while(|&&b| b == b'>').count()..]
}

/// The characters of the reference `bytes`. The `;` at its end may be missing, or be
/// escaped as in a calendar.
fn reference(bytes: &[u8]) -> Option<String> {
    let body = std::str::from_utf8(bytes).ok()?.strip_prefix('&')?;
    let body = body.strip_suffix(';').unwrap_or(body);
    let body = body.strip_suffix('\\').unwrap_or(body);
    let Some(number) = body.strip_prefix('#') else {
        return entity::find(body).map(String::from);
    };
    let (digits, radix) = match number.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16),
        None => (number, 10),
    };
    if digits.is_empty() || !digits.bytes().all(|b| char::from(b).is_digit(radix)) {
        return None;
    }
    // HTML 13.2.5.80: a number that is not a character becomes U+FFFD. C1
    // controls are read as windows-1252. Five of them are undefined there and
    // stay as they are.
    const WINDOWS_1252: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ";
    let code = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
    let to = match code {
        0x80..=0x9F => WINDOWS_1252.chars().nth(code as usize - 0x80)?,
        0 => '\u{FFFD}',
        _ => char::from_u32(code).unwrap_or('\u{FFFD}'),
    };
    Some(String::from(to))
}

fn escape(bytes: &[u8]) -> Option<Vec<u8>> {
    match bytes {
        [b'\\', b'n' | b'N'] => Some(b"\n".to_vec()),
        [b'\\', c @ (b',' | b';' | b':' | b'\\' | b'/' | b'"')] => Some(vec![*c]),
        [b'\\', b'u', ..] => json_escape(bytes),
        _ => None,
    }
}

/// The character of an escape of JSON with hexadecimal digits, or of two that are surrogates.
fn json_escape(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut units = Vec::new();
    for unit in bytes.chunks(6) {
        let digits = std::str::from_utf8(unit.strip_prefix(b"\\u")?).ok()?;
        if digits.len() != 4 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        units.push(u16::from_str_radix(digits, 16).ok()?);
    }
    let text = String::from_utf16_lossy(&units);
    (text.chars().count() == 1).then(|| text.into_bytes())
}

/// The character of an escape of a style sheet (CSS Syntax 3, section 4.3.7).
fn css_escape(bytes: &[u8]) -> Option<Vec<u8>> {
    let after = bytes.strip_prefix(b"\\")?;
    let digits = after.iter().take_while(|b| b.is_ascii_hexdigit()).count();
    if digits == 0 {
        return match after {
            b"\n" | b"\r\n" | b"\r" | b"\x0C" | b"" => Some(Vec::new()),
            [byte] => Some(vec![*byte]),
            _ => None,
        };
    }
    let space = &after[digits..];
    if digits > 6 || !space.iter().all(is_space) || space.len() > 2 {
        return None;
    }
    let number = std::str::from_utf8(&after[..digits]).ok()?;
    let code = u32::from_str_radix(number, 16).ok()?;
    let c = char::from_u32(code).filter(|&c| c != '\0');
    Some(String::from(c.unwrap_or('\u{FFFD}')).into_bytes())
}

fn is_markup(bytes: &[u8], beside: &Beside<'_>) -> bool {
    let inner = bytes.trim_ascii();
    let begins = inner.starts_with(b"<") || inner.starts_with(b"]]>");
    let tag = inner.len() > 2 && begins && (inner.ends_with(b">") || inner.ends_with(b"<![CDATA["));
    let space = inner.is_empty() && !bytes.is_empty() && beside.before == Some(b'>');
    tag || space || is_mixed(bytes, beside)
}

/// True for several adjacent removals, which the decoder merges.
fn is_mixed(bytes: &[u8], beside: &Beside<'_>) -> bool {
    let mut rest = bytes;
    let mut line_start = beside.is_line_start();
    let mut count = 0;
    while !rest.is_empty() {
        let next = if let Some(after) = soft(rest).or_else(|| after_break(rest)) {
            Some((after, true))
        } else if let Some(after) = after_flowed(rest) {
            Some((after, true))
        } else if rest.starts_with(b"<") {
            let end = memchr::memchr(b'>', rest);
            end.map(|end| (&rest[end + 1..], false))
        } else if line_start && matches!(rest[0], b'.' | b' ') {
            // A removed dot, then a removed space.
            Some((&rest[1..], true))
        } else if line_start && rest[0] == b'>' {
            // The `>` of a quoted From line. The URL continues on that line.
            let is_last = rest.len() == 1;
            (is_last && is_from(beside.after)).then_some((&rest[1..], true))
        } else {
            None
        };
        let Some((after, at_start)) = next else {
            return false;
        };
        rest = after;
        line_start = at_start;
        count += 1;
    }
    count > 1
}

/// True for a line before which mbox puts a mark: a From line, or a From line
/// with marks before it. `after` may be cut, so a line with nothing but marks
/// counts too.
fn is_from(after: &[u8]) -> bool {
    let from = after_marks(after);
    from.is_empty() || from.starts_with(b"From ")
}

fn is_fold(bytes: &[u8], beside: &Beside<'_>) -> bool {
    let mut rest = bytes;
    while beside.within == Within::Part
        && let Some([b' ' | b'\t', after @ ..]) = after_break(rest)
    {
        rest = after;
    }
    let is_header = || after_break(rest).is_some_and(<[u8]>::is_empty);
    !bytes.is_empty() && rest.is_empty()
        || is_header() && beside.after.first().is_some_and(is_blank)
}

fn scheme(bytes: &[u8], url: &[u8]) -> Option<Vec<u8>> {
    let scheme: &[u8] = match &*bytes.to_ascii_lowercase() {
        // The base of the page is not in the record. A browser reads a backslash as a slash.
        b"//" | b"/" | b"\\" => {
            let schemes = [&b"https:"[..], b"ftp:"];
            let known = schemes.into_iter().find(|&scheme| url.starts_with(scheme));
            known.unwrap_or(b"http:")
        }
        b"www." => b"http://",
        b"ftp." => b"ftp://",
        b"gopher." => b"gopher://",
        _ => return None,
    };
    Some([scheme, bytes].concat())
}

/// Decodes quoted-printable in `bytes`. Other bytes are copied.
fn undo_qp(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&b) = rest.first() {
        if let Some(after) = soft(rest) {
            rest = after;
            continue;
        }
        if let [b'=', high, after @ ..] = rest
            && let [low, after @ ..] = soft(after).unwrap_or(after)
            && let Some(byte) = hex_byte(*high, *low)
        {
            out.push(byte);
            rest = after;
            continue;
        }
        out.push(b);
        rest = &rest[1..];
    }
    out
}

/// The length of the longest reference, `&CounterClockwiseContourIntegral;`.
const MAX_REFERENCE: usize = 33;

/// Decodes HTML in `bytes`. Each tag becomes `tag`, which is a line break, or
/// empty for a tag within a line. A reference becomes its character.
fn undo_html(bytes: &[u8], tag: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    // No tag ends after the last `>`. Without this limit, each `<` would start
    // a search to the end.
    let last = memchr::memrchr(b'>', bytes).unwrap_or(0);
    while let Some(&b) = rest.first() {
        let at = bytes.len() - rest.len();
        if b == b'<'
            && at < last
            && let Some(end) = memchr::memchr(b'>', rest)
        {
            out.extend_from_slice(tag);
            rest = &rest[end + 1..];
            continue;
        }
        if b == b'&'
            && let Some(end) = memchr::memchr(b';', &rest[..rest.len().min(MAX_REFERENCE)])
            && let Some(to) = reference(&rest[..=end])
        {
            out.extend_from_slice(to.as_bytes());
            rest = &rest[end + 1..];
            continue;
        }
        if b == b'&'
            && let Some((to, len)) = unended(rest)
        {
            out.extend_from_slice(to.as_bytes());
            rest = &rest[len..];
            continue;
        }
        out.push(b);
        rest = &rest[1..];
    }
    out
}

/// The characters of the reference without `;` that begins `bytes`, and its length. HTML 13.5 has
/// the names that may end so, the longest of which is meant.
fn unended(bytes: &[u8]) -> Option<(String, usize)> {
    if let Some(number) = bytes.strip_prefix(b"&#") {
        let is_hex = matches!(number.first(), Some(b'x' | b'X'));
        let digits = number[usize::from(is_hex)..].iter();
        let is_digit = |b: &&u8| {
            if is_hex {
                b.is_ascii_hexdigit()
            } else {
                b.is_ascii_digit()
            }
        };
        let len = 2 + usize::from(is_hex) + digits.take_while(is_digit).count();
        return reference(&bytes[..len]).map(|to| (to, len));
    }
    let most = bytes.len().min(entity::UNENDED_MAX + 1);
    (3..=most).rev().find_map(|len| {
        let name = std::str::from_utf8(&bytes[1..len]).ok()?;
        entity::find_unended(name).map(|to| (to.to_owned(), len))
    })
}

/// Removes the folds of a header field from `bytes`.
fn undo_folds(bytes: &[u8]) -> Vec<u8> {
    without(bytes, |rest| {
        after_break(rest).filter(|after| after.first().is_some_and(is_blank))
    })
}

/// Removes the folds of a calendar from `bytes`.
fn unfold(bytes: &[u8]) -> Vec<u8> {
    without(bytes, |rest| {
        after_break(rest).and_then(|after| after.strip_prefix(b" ").or(after.strip_prefix(b"\t")))
    })
}

/// Removes flowed breaks from `bytes`.
fn undo_flowed(bytes: &[u8]) -> Vec<u8> {
    without(bytes, |rest| {
        let rest = after_flowed(rest)?;
        Some(rest.strip_prefix(b" ").unwrap_or(rest))
    })
}

/// Removes the parts of `bytes` that `after` recognises.
fn without(bytes: &[u8], after: impl Fn(&[u8]) -> Option<&[u8]>) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&b) = rest.first() {
        rest = after(rest).unwrap_or_else(|| {
            out.push(b);
            &rest[1..]
        });
    }
    out
}
