//! Seams of text that a program wrote: escapes, colours and the rows of a terminal. It is a second
//! reading of the rules, apart from that of the search.

use super::seam::Beside;
use urlgrep_base::digits::hex_byte;

/// The characters in the URL of an escape in program text, roff, LaTeX, Markdown or JSON.
pub(super) fn escape(bytes: &[u8], beside: &Beside<'_>) -> Option<Vec<u8>> {
    // An empty comment of LaTeX, with the line end and the indent after it.
    if let [b'%', b'\r' | b'\n', rest @ ..] = bytes {
        let is_white = rest.iter().all(u8::is_ascii_whitespace);
        return is_white.then(Vec::new);
    }
    // SQL and YAML write an apostrophe of a text twice.
    if bytes == b"''" {
        return Some(b"'".to_vec());
    }
    // The end of a string literal and the beginning of the next one, below it.
    if let [first @ (b'"' | b'\''), white @ .., last] = bytes {
        let is_white = white.iter().all(u8::is_ascii_whitespace);
        let is_indented = white.contains(&b'\n') && !white.ends_with(b"\n");
        return (first == last && is_white && is_indented).then(Vec::new);
    }
    // BibTeX has the tilde in braces, or as a sign of mathematics.
    if [&br"{\textasciitilde}"[..], br"{\~}", br"{\~{}}", br"$\sim$"].contains(&bytes) {
        return Some(b"~".to_vec());
    }
    let slashes = bytes.iter().take_while(|&&b| b == b'\\').count();
    if slashes == 0 || slashes > 4 {
        return None;
    }
    let mut after = &bytes[slashes..];
    // A colour may change before the line end that the backslash escapes.
    while let Some(end) = after.iter().position(|b| matches!(b, b'm' | b'K'))
        && is_colour(&after[..=end])
    {
        after = &after[end + 1..];
    }
    let nothing = Some(Vec::new());
    match after {
        [] => None,
        b"\n" | b"\r\n" | b"\r" => nothing,
        // The indent has no meaning in a reference of reStructuredText, nor have the marks of a
        // quotation or of comments before both lines.
        [b'\n' | b'\r', indent @ ..]
            if indent
                .iter()
                .all(|b| b.is_ascii_whitespace() || b">|#/%".contains(b)) =>
        {
            nothing
        }
        [b'x' | b'u' | b'U', ..] => characters(bytes, slashes),
        b"textasciitilde" | b"textasciitilde " | b"textasciitilde{}" | b"~{}" | b"(ti"
        | b"[ti]" => Some(b"~".to_vec()),
        [b'(', name @ ..] if name.len() == 2 => roff(name),
        [b'[', name @ .., b']'] if name.len() == 2 => roff(name),
        // These three are nothing in roff, and themselves elsewhere.
        [mark @ (b':' | b'%' | b'&')] => match beside.rest.first() {
            Some(first) if first == mark && is_itself(*mark, beside.after) => Some(vec![*mark]),
            _ => nothing,
        },
        [mark] if mark.is_ascii_punctuation() => Some(vec![*mark]),
        _ => None,
    }
}

/// What a mark that defangs a URL means.
pub(super) fn refanged(bytes: &[u8]) -> Option<Vec<u8>> {
    // Markdown has a backslash before a bracket.
    let is_around = |b: &u8| b" []{}()\\".contains(b);
    let inner: Vec<u8> = bytes.iter().copied().filter(|b| !is_around(b)).collect();
    Some(match &*inner.to_ascii_lowercase() {
        b"" if !bytes.is_empty() => Vec::new(),
        b"dot" | b"." => b".".to_vec(),
        b"at" | b"@" => b"@".to_vec(),
        b"x" | b"*" => b"t".to_vec(),
        b"xx" | b"**" => b"tt".to_vec(),
        _ => return None,
    })
}

/// True if a mark that may be nothing is itself before `after`.
fn is_itself(mark: u8, after: &[u8]) -> bool {
    match mark {
        b'%' => matches!(after, [a, b, ..] if hex_byte(*a, *b).is_some()),
        b'&' => after.first().is_some_and(|&b| b > b' ' && b != b'.'),
        _ => true,
    }
}

/// A character of roff that a URL may have.
fn roff(name: &[u8]) -> Option<Vec<u8>> {
    let c = match name {
        b"aq" => b'\'',
        b"hy" | b"mi" => b'-',
        b"sl" => b'/',
        b"at" => b'@',
        b"sh" => b'#',
        b"Do" => b'$',
        b"ul" => b'_',
        b"pl" => b'+',
        b"eq" => b'=',
        _ => return None,
    };
    Some(vec![c])
}

/// The characters of `\xhh`, `\uhhhh` and `\Uhhhhhhhh`, one after the other.
fn characters(bytes: &[u8], slashes: usize) -> Option<Vec<u8>> {
    let mut rest = &bytes[slashes..];
    let is_bytes = rest.first() == Some(&b'x');
    let mut codes = Vec::new();
    loop {
        let len = match rest.first()? {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => return None,
        };
        let digits = std::str::from_utf8(rest.get(1..=len)?).ok()?;
        codes.push(u32::from_str_radix(digits, 16).ok()?);
        rest = &rest[len + 1..];
        match rest {
            [] => break,
            [b'\\', after @ ..] => rest = after,
            _ => return None,
        }
    }
    if is_bytes && codes.len() > 1 {
        let bytes: Vec<u8> = codes.iter().map(|&code| code as u8).collect();
        return std::str::from_utf8(&bytes).is_ok().then_some(bytes);
    }
    let code = match codes[..] {
        [code] => code,
        [high @ 0xD800..0xDC00, low @ 0xDC00..0xE000] => {
            0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
        }
        _ => return None,
    };
    char::from_u32(code).map(|c| String::from(c).into_bytes())
}

/// True for a code of colour or of a set of characters, of a terminal or of IRC.
pub(super) fn is_colour(bytes: &[u8]) -> bool {
    let is_number = |b: &u8| b.is_ascii_digit() || matches!(b, b';' | b':' | b',');
    match bytes {
        [0x1B, b'[', codes @ .., b'm' | b'K'] => codes.iter().all(is_number),
        [0x03, colours @ ..] => colours.len() <= 5 && colours.iter().all(is_number),
        [0x04, colour @ ..] => {
            matches!(colour.len(), 0 | 6) && colour.iter().all(u8::is_ascii_hexdigit)
        }
        [0x1B, b'(', b'B' | b'0'] => true,
        [0x02 | 0x0F | 0x11 | 0x16 | 0x1D | 0x1E | 0x1F] => true,
        _ => false,
    }
}

/// The bytes after the code with which `bytes` begin.
pub(super) fn after_colour(bytes: &[u8]) -> Option<&[u8]> {
    const CODE_MAX: usize = 64;
    let most = bytes.len().min(CODE_MAX);
    let len = (1..=most).find(|&len| is_colour(&bytes[..len]))?;
    Some(&bytes[len..])
}

/// True for letters that nroff prints again in their places for bold (`h\x08` before `h`), and
/// for lines under letters (`_\x08` before one, `\x08_` after one). The text after a blank and a
/// backspace covers the blank.
pub(super) fn is_struck_over(bytes: &[u8], after: &[u8]) -> bool {
    const BACKSPACE: u8 = 0x08;
    let mut rest = bytes;
    while !rest.is_empty() {
        if let Some(line) = rest.strip_prefix(&[BACKSPACE, b'_']) {
            rest = line;
            continue;
        }
        let is_inside = |b: &&u8| **b & 0xC0 == 0x80;
        let len = 1 + rest[1..].iter().take_while(is_inside).count();
        let (letter, printed) = rest.split_at(len);
        let Some(printed) = printed.strip_prefix(&[BACKSPACE]) else {
            return false;
        };
        let next = if printed.is_empty() { after } else { printed };
        let is_covered = letter == b" " && next.first().is_some_and(|b| *b > b' ');
        if letter != b"_" && !is_covered && !next.starts_with(letter) {
            return false;
        }
        rest = printed;
    }
    !bytes.is_empty()
}

/// True for the end of a row of a terminal: one line break, and blanks, bars, codes of colour, the
/// mark of Emacs, that of a program before the rest of a line, and the number of a line around it.
pub(super) fn is_row_end(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let breaks = text.matches('\n').count();
    let Some((before, after)) = text.split_once('\n') else {
        return false;
    };
    let is_frame = |c: char| {
        matches!(c, ' ' | '\t' | '\r' | '\u{A0}' | '|' | '*' | '#')
            || matches!(c, '\u{2500}'..='\u{259F}')
    };
    let is_bar = |c: char| is_frame(c) && !c.is_whitespace();
    let is_blank = |part: &str| {
        part.chars()
            .all(|c| is_frame(c) || c.is_ascii_digit() || c == '\\')
    };
    // A program may begin the rest of a line with a mark.
    let marks = ["+++", "+", ">", "\u{21AA}", "\u{21B3}"];
    let marked = marks
        .iter()
        .find_map(|mark| after.trim_start().strip_prefix(mark));
    let after = marked.unwrap_or(after);
    // Beyond a bar there may be the text of another pane.
    let inner_before = before.split(is_bar).next().unwrap_or_default();
    let inner_after = after.rsplit(is_bar).next().unwrap_or_default();
    breaks == 1 && is_blank(inner_before) && is_blank(inner_after)
}
