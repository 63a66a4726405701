//! Marks of texts and programs that end a URL: tables of them, and what the text around a URL must
//! have so that it ends there.

use super::markup;
use super::rejoin::{after_break, skip_indent};
use super::script;
use super::window::{Stretch, Window};
use crate::text::class::{is_break, is_space, is_stop};
use crate::text::extension::{ends_file, is_extension as is_known_extension};
use crate::text::schemes::slashes;
use crate::text::words::is_number;
use urlgrep_base::variables::is_variable;

/// The number of bytes before a URL in which its line is searched for what opens around it.
pub(super) const REACH: usize = 512;
/// The maximum length of the text between brackets after a URL.
const NOTE_MAX: usize = 256;
/// The maximum length of the text between braces after a URL.
const MACRO_MAX: usize = 64;

/// Marks that texts put directly before and after a URL. At both ends they are no part of it.
///
/// | mark | seen in |
/// | --- | --- |
/// | `#` | the bold of an Italian newsletter on Amiga disks: 450 of 500 URLs with a `#` at their end |
/// | `+`, `$`, `@`, `^` | Org, BBS texts; Textile (`@code@`, `^superscript^`) |
/// | `%` | comments of Obsidian (`%%`) |
/// | `=` | highlights (`==`), verbatim text of Org (`=`) |
/// | `-` | deletions of Textile |
const PAIRS: &[u8] = b"#+$@^%=-";
/// The maximum number of equal marks.
const PAIR_MAX: usize = 4;

/// The commands of Texinfo whose arguments are divided by commas: `@uref{url,,text}` (Texinfo
/// manual, "`@url`, `@uref`").
const TEXINFO: [&[u8]; 2] = [b"@uref{", b"@url{"];

/// Header fields of HTTP that players of playlists read after a bar:
/// `http://a.example/x.m3u8?t=a|User-Agent=Mozilla/5.0` (Kodi, "HTTP").
const FIELDS: [&str; 16] = [
    "accept",
    "accept-encoding",
    "accept-language",
    "authorization",
    "connection",
    "cookie",
    "host",
    "http-referrer",
    "http-user-agent",
    "icy-metadata",
    "origin",
    "range",
    "referer",
    "referrer",
    "seekable",
    "user-agent",
];

/// The index in `text`, which begins with a URL, at which the marks after it begin, if the same
/// marks are before it. `w` has the URL at `start`.
#[inline]
pub(super) fn pair(w: &Window<'_>, start: usize, text: &[u8]) -> Option<usize> {
    let mark = *w.bytes()[..start].last()?;
    if text.last() != Some(&mark) || !PAIRS.contains(&mark) {
        return None;
    }
    pair_of(w, start, text, mark)
}

#[cold]
fn pair_of(w: &Window<'_>, start: usize, text: &[u8], mark: u8) -> Option<usize> {
    let run = |bytes: &mut dyn Iterator<Item = &u8>| {
        bytes.take(PAIR_MAX).take_while(|b| **b == mark).count()
    };
    let before = run(&mut w.bytes()[..start].iter().rev());
    let after = run(&mut text.iter().rev());
    let outside = w.bytes()[..start - before].last();
    if outside.is_some_and(|b| b.is_ascii_alphanumeric() || b"/?&_.".contains(b)) {
        return None;
    }
    // `-` may be a bullet, and the hyphen at the line end the URL's own.
    let end = start + text.len();
    if mark == b'-' && w.at(end).is_some_and(is_break) {
        let next = skip_indent(w, after_break(w, end));
        if w.at(next).is_some_and(|b| !is_break(b)) {
            return None;
        }
    }
    // `=x==` ends as base64 does.
    if mark == b'=' && before < after {
        return None;
    }
    Some(text.len() - before.min(after))
}

/// The index of the mark that ends the URL at `start` in a command of `sed`:
/// `s#http://a.example#https://b.example#g`. The mark before the URL is the same.
#[inline]
pub(super) fn delimiter(w: &Window<'_>, start: usize, body: usize) -> Option<usize> {
    match w.bytes()[..start].last()? {
        // The marks that people choose there, and that the way forward does not end at.
        mark @ (b'#' | b'@' | b'%' | b'~' | b'+' | b'^') => end_in_sed(w, start, body, *mark),
        _ => None,
    }
}

#[cold]
fn end_in_sed(w: &Window<'_>, start: usize, body: usize, mark: u8) -> Option<usize> {
    let before = &w.bytes()[start.saturating_sub(REACH)..start - 1];
    let is_begin = |before: &[u8]| match before {
        [.., b, b's'] => !b.is_ascii_alphanumeric() && !b"/.-_".contains(b),
        before => before == b"s",
    };
    // The URL may be the second part.
    let begins = is_begin(before) || {
        let first = memchr::memrchr2(mark, b'\n', before);
        w.count(before.len() - first.unwrap_or(0));
        first.is_some_and(|at| before[at] == mark && is_begin(&before[..at]))
    };
    if !begins {
        return None;
    }
    let part = w.until(body, NOTE_MAX, |b| b == mark || b == b'\\' || is_stop(b));
    let is_part = !part.text.is_empty() && part.end == Some(mark);
    is_part.then_some(body + part.text.len())
}

/// True if the comma at `i` divides the arguments of a command around the URL at `start`.
pub(super) fn divides_arguments(w: &Window<'_>, start: usize) -> bool {
    let before = &w.bytes()[..start];
    before.ends_with(b"{") && TEXINFO.iter().any(|command| before.ends_with(command))
}

/// True if the URL at `start` is the value of a name: `url=http://a.example/x`.
pub(super) fn is_value(w: &Window<'_>, start: usize) -> bool {
    matches!(&w.bytes()[..start], [.., name, b'='] if is_of_name(name))
}

fn is_of_name(b: &u8) -> bool {
    b.is_ascii_alphanumeric() || *b == b'_'
}

/// True if a name with a value is at `at`: `status=200` (logfmt and the like).
pub(super) fn names_value(w: &Window<'_>, at: usize) -> bool {
    let name = w.until(at, VALUE_NAME_MAX, |b| !is_of_name(&b));
    name.end == Some(b'=') && name.text.first().is_some_and(u8::is_ascii_alphabetic)
}

/// The maximum length of the name of a value after a URL, and of the mark after it.
const VALUE_NAME_MAX: usize = 24;

/// True if a table, a link or a template of a wiki is open before the URL at `start`, in which a
/// bar separates: `||`, `[[`, `{{`.
pub(super) fn is_in_pair_of_marks(w: &Window<'_>, start: usize) -> bool {
    mark_before(w, start, [b'|', b'|']).is_some()
        || is_in_pair(w, start, b'[', b']')
        || is_in_pair(w, start, b'{', b'}')
}

/// True if two of the brackets `open` stand before `start` on its line, or in its paragraph within
/// [`ABOVE`](markup::ABOVE) bytes, and are not closed: `{{` of a template may be lines above.
fn is_in_pair(w: &Window<'_>, start: usize, open: u8, close: u8) -> bool {
    let before = &w.bytes()[start.saturating_sub(REACH)..start];
    let before = &before[markup::line_or_above(before)..];
    let mut closed = 0;
    let mut to = before.len();
    while let Some(at) = memchr::memrchr3(b'\n', open, close, &before[..to]) {
        let b = before[at];
        to = at;
        if b == b'\n' {
            let above = before[..at].strip_suffix(b"\r").unwrap_or(&before[..at]);
            if above.is_empty() || above.ends_with(b"\n") {
                break;
            }
        } else if b == close {
            closed += 1;
        } else if closed > 0 {
            closed -= 1;
        } else {
            w.count(before.len() - at);
            return before[..at].ends_with(&[open]);
        }
    }
    w.count(before.len() - to);
    false
}

/// The maximum length of the name of a header field, and of the mark after it.
const FIELD_MAX: usize = 24;

/// True if the name of a header field and `=` begin at `from`.
pub(super) fn names_field(w: &Window<'_>, from: usize) -> bool {
    let name = w.until(from, FIELD_MAX, |b| !b.is_ascii_alphabetic() && b != b'-');
    name.end == Some(b'=')
        && FIELDS
            .iter()
            .any(|field| name.text.eq_ignore_ascii_case(field.as_bytes()))
}

/// True if the bracket at `i` opens a note or a label after the URL, whose scheme and slashes
/// end at `body`: `http://a.example/x[1]`, `http://a.example/x[two words]`. The word must end after
/// it. The brackets of the name of a parameter (`?a[]=1`) are the URL's, and those of patterns
/// (`/img[001-100].jpg`, `/blog/[slug]`) name no page.
pub(super) fn ends_at_square(w: &Window<'_>, body: usize, i: usize) -> bool {
    let url = &w.bytes()[body..i];
    let Some(&before) = url.last() else {
        return false;
    };
    let is_query = url.iter().find(|b| b"?#".contains(b)) == Some(&b'?')
        && memchr::memchr(b'#', url).is_none();
    // An address of RFC 3986 3.2.2 after a login, or a value in brackets.
    if b"@=?&".contains(&before) {
        return false;
    }
    let brackets = w.until(i + 1, NOTE_MAX + 1, |b| b"[]".contains(&b) || is_break(b));
    let note = brackets.text;
    let close = i + 1 + note.len();
    // A mark of abbreviation, which `mark` reads.
    let is_mark = note == "…".as_bytes() || !note.is_empty() && note.iter().all(|b| *b == b'.');
    let count = |mark| memchr::memchr_iter(mark, note).count();
    if is_mark || count(b'(') != count(b')') || brackets.end != Some(b']') {
        return false;
    }
    let is_label = is_again(url, note) || note.contains(&b' ') || note.ends_with(b"^");
    if is_query {
        let parameter = url
            .rsplit(|b| b"?&;".contains(b))
            .next()
            .unwrap_or_default();
        let is_value = || !parameter.ends_with(b"=") && parameter.contains(&b'=');
        let is_word = || note.len() > 1 && note.iter().all(u8::is_ascii_alphabetic);
        // A name with a blank is none of a parameter, and a word after a value is its label.
        let is_note =
            is_label || (is_number(note) || is_word() && !is_variable(note)) && is_value();
        return is_note && !goes_on(w, close + 1);
    }
    // A part of a pattern, as in `dav://machine[:port]/path` and `/ns/0.[123]`, and no text.
    let is_pattern = note.first().is_some_and(|b| b"/:?#&=".contains(b)) && !is_issue(note)
        || matches!(url, [.., b'0'..=b'9', b'.'])
        || is_range(note)
        || before == b'/' && is_variable(note);
    (is_label || !is_pattern) && !goes_on(w, close + 1)
}

/// True if the note says the end of the URL again, perhaps after a mark: `/issues/3641[#3641]`,
/// `/ann[@ann]` (AsciiDoc).
fn is_again(url: &[u8], note: &[u8]) -> bool {
    let name = note.strip_prefix(b"#").or(note.strip_prefix(b"@"));
    name.is_some_and(|name| name.len() > 1 && url.ends_with(name))
}

/// The length of `text` before the brackets of AsciiDoc at its end, which say the name of its page
/// again: `https://a.example/ann[@ann]`.
pub(super) fn before_name(text: &[u8]) -> Option<usize> {
    let inside = text.strip_suffix(b"]")?;
    let open = memchr::memrchr(b'[', inside)?;
    is_again(&text[..open], &inside[open + 1..]).then_some(open)
}

/// True for the number of an issue: `#12`.
fn is_issue(note: &[u8]) -> bool {
    note.strip_prefix(b"#").is_some_and(is_number)
}

/// True for a range of numbers or letters: `001-100`, `a-z:2` (curl, "URL globbing").
fn is_range(note: &[u8]) -> bool {
    let dash = memchr::memchr(b'-', note);
    dash.is_some_and(|at| {
        let (first, last) = (&note[..at], &note[at + 1..]);
        let last = &last[..memchr::memchr(b':', last).unwrap_or(last.len())];
        let is_letter = |part: &[u8]| matches!(part, [b] if b.is_ascii_alphabetic());
        is_letter(first) && is_letter(last) || is_number(first) && is_number(last)
    })
}

/// True if a letter, a digit or a slash follows at `from` in the same word, perhaps after
/// marks that URLs have.
fn goes_on(w: &Window<'_>, from: usize) -> bool {
    const MARKS_MAX: usize = 8;
    let mut at = from;
    while at < from + MARKS_MAX && w.at(at).is_some_and(|b| b".-_=&?%#~+:,;@!".contains(&b)) {
        at += 1;
    }
    w.count(at - from);
    w.at(at)
        .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'/')
        || script::is_word_at(w, at)
}

/// The end of the URL at `start` before the brace at `i`, if the braces are markup: the line has
/// such braces before the URL too, and nothing of a URL follows them. 3,607 of 4,832 refused
/// texts on Amiga disks end so (`@{b}http://a.example/x@{ub}`, `{bold}http://a.example/x{nobold}`).
pub(super) fn ends_at_brace(w: &Window<'_>, start: usize, body: usize, i: usize) -> Option<usize> {
    let url = &w.bytes()[body..i];
    let before = *url.last()?;
    let braces = until_brace(w, i + 1);
    let note = braces.text;
    let close = i + 1 + note.len();
    if braces.end != Some(b'}') || matches!(before, b'$' | b'{') {
        return None;
    }
    let goes_on = |at: usize| match w.at(at) {
        Some(b) if b.is_ascii_alphanumeric() || b"/-_=&%?#+~$[".contains(&b) => true,
        Some(b'.' | b':' | b',') => w.at(at + 1).is_some_and(|b| b.is_ascii_alphanumeric()),
        _ => false,
    };
    // A shell makes several words of such braces.
    let is_list = note.contains(&b',') || memchr::memmem::find(note, b"..").is_some();
    let after = after_braces(w, close + 1);
    if goes_on(after) || is_list && !note.contains(&b'\\') {
        return None;
    }
    if let Some(name) = note.strip_prefix(b"/")
        && !name.is_empty()
        && name.iter().all(u8::is_ascii_alphanumeric)
        && markup::is_open(w, start, b'{', name)
    {
        return Some(i);
    }
    let closed = mark_before(w, start, [b'}', b'}'])?;
    // Braces may be double.
    let is_double = w.bytes()[..closed].ends_with(b"}");
    let open = mark_before(w, closed - usize::from(is_double), [b'{', b'}'])?;
    // Between other bytes of a URL braces are a template, unless they stand on both sides.
    let is_between = b"/=-.&?".contains(&before) && closed + 1 < start;
    if w.bytes()[open] != b'{' || is_between {
        return None;
    }
    let at_sign = usize::from(before == b'@');
    Some(i - at_sign)
}

/// What stands at `from` before the next brace of the line.
fn until_brace<'h>(w: &Window<'h>, from: usize) -> Stretch<'h> {
    w.until(from, MACRO_MAX + 1, |b| b"{}".contains(&b) || is_break(b))
}

/// The index after the closed braces at `from`, at most four.
fn after_braces(w: &Window<'_>, from: usize) -> usize {
    const BRACES: usize = 4;
    let mut at = from;
    for _ in 0..BRACES {
        if w.at(at) != Some(b'{') {
            return at;
        }
        let braces = until_brace(w, at + 1);
        if braces.end != Some(b'}') {
            return at;
        }
        at += braces.text.len() + 2;
    }
    at
}

/// The index of the last of two marks before `start`, on the same line and within [`REACH`]
/// bytes.
fn mark_before(w: &Window<'_>, start: usize, marks: [u8; 2]) -> Option<usize> {
    let low = start.saturating_sub(REACH);
    let before = &w.bytes()[low..start];
    let found = memchr::memrchr3(b'\n', marks[0], marks[1], before);
    w.count(before.len() - found.unwrap_or(0));
    found.filter(|&at| before[at] != b'\n').map(|at| low + at)
}

/// References to characters of HTML that programs put after a URL in a text that is not HTML:
/// blanks, dashes, quotation marks, brackets, dots and signs. Others may be parameters
/// (`?id=5&print;`).
const REFERENCES: [&[u8]; 32] = [
    b"amp", b"apos", b"bdquo", b"bull", b"copy", b"emsp", b"ensp", b"gt", b"hellip", b"laquo",
    b"larr", b"ldquo", b"lsaquo", b"lsquo", b"lt", b"mdash", b"middot", b"nbsp", b"ndash", b"quot",
    b"raquo", b"rarr", b"rdquo", b"reg", b"rsaquo", b"rsquo", b"sbquo", b"shy", b"thinsp",
    b"trade", b"zwj", b"zwnj",
];

/// The length of `text` without a reference to a character of HTML at its end (`&nbsp;`).
pub(super) fn before_reference(text: &[u8]) -> Option<usize> {
    const NAME_MAX: usize = 12;
    let name = text.strip_suffix(b";")?;
    let low = name.len().saturating_sub(NAME_MAX);
    let at = low + memchr::memrchr(b'&', &name[low..])?;
    let is_reference = match &name[at + 1..] {
        [b'#', b'x' | b'X', digits @ ..] if !digits.is_empty() => {
            digits.iter().all(u8::is_ascii_hexdigit)
        }
        [b'#', digits @ ..] => is_number(digits),
        name => REFERENCES.contains(&name),
    };
    is_reference.then_some(at)
}

/// The length of `text` without a suffix of a language that writes it after an apostrophe:
/// `http://a.example'dan`, `http://a.example/'nin`. After the name of a page the apostrophe may
/// be the URL's: `/wiki/L'Aquila`, `/rock'n'roll`.
pub(super) fn before_suffix(text: &[u8], body: usize) -> Option<usize> {
    let at = memchr::memrchr(b'\'', text).filter(|&at| at > body)?;
    let suffix = &text[at + 1..];
    let is_suffix = !suffix.is_empty()
        && suffix.len() < 16
        && suffix
            .iter()
            .all(|b| b.is_ascii_lowercase() || !b.is_ascii());
    let url = &text[body..at];
    let is_host = !url.iter().any(|b| b"/?#".contains(b));
    (is_suffix && (is_host || url.ends_with(b"/"))).then_some(at)
}

/// The length of `text` before the dots and the number of a table of contents:
/// `http://a.example/b....12`.
pub(super) fn before_page(text: &[u8], body: usize) -> Option<usize> {
    const DOTS_MIN: usize = 4;
    let digits = text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let before = &text[..text.len() - digits];
    if !before.ends_with(b"....") {
        return None;
    }
    let dots = before.iter().rev().take_while(|b| **b == b'.').count();
    let end = before.len() - dots;
    (digits < 5 && dots >= DOTS_MIN && end > body).then_some(end)
}

/// The length of `text` before a place in the file that it names, as programs print it: a line and
/// a column (`http://a.example/app.js:12:4`), a line (`…/app.js:12`), or the first byte and the
/// number of bytes (`hdfs://a.example/b:0+7292`, Hadoop).
pub(super) fn before_place(text: &[u8], body: usize) -> Option<usize> {
    let before_number = |text: &[u8], mark: u8| {
        let digits = text.iter().rev().take_while(|b| b.is_ascii_digit()).count();
        let before = text.len().checked_sub(digits + 1)?;
        (digits > 0 && text[before] == mark).then_some(before)
    };
    if let Some(plus) = before_number(text, b'+') {
        let at = before_number(&text[..plus], b':')?;
        return text.get(body..at)?.contains(&b'/').then_some(at);
    }
    let last = before_number(text, b':')?;
    let first = before_number(&text[..last], b':');
    let at = first.unwrap_or(last);
    let path = text.get(body..at)?;
    let path = &path[..path
        .iter()
        .position(|b| b"?#".contains(b))
        .unwrap_or(path.len())];
    let slash = memchr::memrchr(b'/', path)?;
    let name = &path[slash + 1..];
    let dot = memchr::memrchr(b'.', name)?;
    let extension = &name[dot + 1..];
    let is_extension = extension.first().is_some_and(u8::is_ascii_alphabetic)
        && extension.len() < 6
        && extension.iter().all(u8::is_ascii_alphanumeric);
    let is_file = if first.is_some() {
        is_extension
    } else {
        body + path.len() == at && is_known_extension(extension)
    };
    is_file.then_some(at)
}

/// The length of a `mailto` URL before the size of the largest report that its owner wants, in a
/// record of DMARC (RFC 7489 6.2): `mailto:ann@a.example!10m`.
pub(super) fn before_size(text: &[u8]) -> Option<usize> {
    let number = match text {
        [number @ .., b'k' | b'm' | b'g' | b't'] => number,
        number => number,
    };
    let digits = number
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_digit())
        .count();
    let before = number[..number.len() - digits].strip_suffix(b"!")?;
    let is_host = before.last().is_some_and(u8::is_ascii_alphanumeric);
    (digits > 0 && is_host && before.contains(&b'@')).then_some(before.len())
}

/// The index of the byte `close` that ends the brackets or quotation marks around the URL from `start`
/// to `blank`, if what stands between is the rest of its path: a few words, the last of which names
/// a file or a folder.
#[cold]
pub(super) fn end_of_path(w: &Window<'_>, start: usize, blank: usize, close: u8) -> Option<usize> {
    const WORDS_MAX: usize = 6;
    let is_end = |b| b < b' ' || matches!(b, b'<' | b'>' | b'"' | b'`' | b'|');
    let rest = w.until(blank, NOTE_MAX + 1, is_end);
    if rest.end != Some(close) {
        return None;
    }
    let end = blank + rest.text.len();
    let text = &rest.text[1..];
    let is_word = |word: &[u8]| !word.is_empty() && !b".,;:!?".contains(&word[word.len() - 1]);
    let last = text.rsplit(|&b| b == b' ').next()?;
    let is_path = ends_file(last) || last.ends_with(b"/");
    let url = w.slice(start, blank - start);
    let has_path = slashes(url).is_some_and(|at| url[at + 3..].contains(&b'/'));
    let is_rest = is_path
        && has_path
        && !ends_file(url)
        && text.split(|&b| b == b' ').count() < WORDS_MAX
        && text.split(|&b| b == b' ').all(is_word)
        && slashes(text).is_none();
    is_rest.then_some(end)
}

/// The index after the target of a link of Org mode, if the URL from `start` to `blank` begins it:
/// `[[http://a.example/My Docs][text]]`. The brackets between target and text show that the blanks
/// are part of it.
#[cold]
pub(super) fn end_of_target(w: &Window<'_>, start: usize, blank: usize) -> Option<usize> {
    if !w.bytes()[..start].ends_with(b"[[") {
        return None;
    }
    let rest = w.until(blank, NOTE_MAX + 1, |b| {
        b < b' ' || matches!(b, b'[' | b']')
    });
    let end = blank + rest.text.len();
    let is_closed = rest.end == Some(b']') && w.at(end + 1) == Some(b'[');
    (is_closed && slashes(rest.text).is_none()).then_some(end)
}

/// The length of a `telnet` URL before the address of a node of FidoNet, which origin lines put
/// after it: `telnet://bbs.example.org:2323/(1:234/5)`. RFC 4248 has no path.
pub(super) fn before_node(text: &[u8]) -> Option<usize> {
    let is_telnet = text
        .get(..9)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"telnet://"));
    let open = memchr::memrchr(b'(', text)?;
    (is_telnet && text[..open].ends_with(b"/")).then_some(open)
}

/// The index after the angle brackets at `i` which belong to the text of the URL.
pub(super) fn in_angles(w: &Window<'_>, body: usize, i: usize) -> Option<usize> {
    sici(w, body, i).or_else(|| placeholder(w, body, i))
}

/// The index after `<`, numbers and names, and `>` at `i`, if they stand in the DOI of a journal
/// of 1996 to 2001 (SICI, ANSI/NISO Z39.56): `10.1002/(SICI)…16<1661::AID-SIM968>3.0.CO;2-2`.
fn sici(w: &Window<'_>, body: usize, i: usize) -> Option<usize> {
    let url = &w.bytes()[body..i];
    let is_doi = url.last().is_some_and(u8::is_ascii_digit)
        && memchr::memmem::find(url, b"10.").is_some_and(|at| url[at..].contains(&b'/'));
    if !is_doi {
        return None;
    }
    let is_part = |b: u8| b.is_ascii_alphanumeric() || b":-._;".contains(&b);
    let part = w.until(i + 1, MACRO_MAX + 1, |b| !is_part(b));
    let close = i + 1 + part.text.len();
    let is_closed = part.end == Some(b'>') && !is_tag(part.text);
    let is_sici = is_closed
        && part.text.first().is_some_and(u8::is_ascii_alphanumeric)
        && w.at(close + 1).is_some_and(|b| b.is_ascii_digit())
        && w.at(close + 2) == Some(b'.')
        && w.at(close + 3).is_some_and(|b| b.is_ascii_digit());
    is_sici.then_some(close + 1)
}

/// Tags of HTML, which end a URL in a text that is not HTML.
const TAGS: [&str; 32] = [
    "a",
    "b",
    "big",
    "blockquote",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "font",
    "hr",
    "i",
    "img",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "small",
    "span",
    "strong",
    "sub",
    "sup",
    "table",
    "td",
    "tr",
    "tt",
    "u",
    "ul",
];

fn is_tag(name: &[u8]) -> bool {
    TAGS.iter()
        .any(|tag| name.eq_ignore_ascii_case(tag.as_bytes()))
}

/// The index after the placeholder that the `<` at `i` opens inside of a URL, as in
/// `http://a.example/<id>/b` and `http://a.example/?id=<id>`: a name in brackets after a separator, and
/// more of the URL after it, or nothing after the value of a parameter. The grammar refuses the URL, of
/// which the part before the placeholder names nothing.
fn placeholder(w: &Window<'_>, body: usize, i: usize) -> Option<usize> {
    let before = w.bytes()[body..i].last()?;
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"-_ ".contains(&b);
    let name = w.until(i + 1, MACRO_MAX + 1, |b| !is_name(b));
    let close = i + 1 + name.text.len();
    let is_after_mark = b"/=.-_:?&@".contains(before);
    if !is_after_mark || name.end != Some(b'>') {
        return None;
    }
    if !name.text.first().is_some_and(u8::is_ascii_alphabetic) || is_tag(name.text) {
        return None;
    }
    // The value of a parameter.
    if *before == b'=' && w.bytes()[body..i].contains(&b'?') && ends_word(w, close + 1) {
        return Some(close + 1);
    }
    let goes_on = match w.at(close + 1) {
        Some(b'/' | b'&' | b'=' | b'-' | b'_') => true,
        Some(b'.' | b':' | b'?') => w
            .at(close + 2)
            .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'<'),
        _ => false,
    };
    goes_on.then_some(close + 1)
}

/// True if the word at `end`, where a URL ends, ends after punctuation and brackets.
#[inline]
pub(super) fn ends_word(w: &Window<'_>, end: usize) -> bool {
    // Nearly all words end with their URL.
    w.at(end).is_none_or(is_stop)
        || ends_after_marks(w, end)
        || markup::closing_tag(w, end).is_some()
}

#[inline(never)]
fn ends_after_marks(w: &Window<'_>, end: usize) -> bool {
    let mut at = end;
    while at < end + 16 {
        match w.at(at) {
            Some(
                b')' | b']' | b'}' | b'.' | b',' | b';' | b':' | b'!' | b'?' | b'\'' | b'*' | b'_'
                | b'~',
            ) => at += 1,
            b => return b.is_none_or(is_stop),
        }
    }
    false
}

/// The number of bytes that [`doubled`] needs.
pub(super) const DOUBLED_MAX: usize = 8;

/// The length of the scheme at the beginning of `bytes`, which are directly after the slashes of another:
/// `http://http://a.example/`.
pub(super) fn doubled(bytes: &[u8]) -> Option<usize> {
    let schemes = [&b"http://"[..], b"https://", b"ftp://"];
    let scheme = schemes.iter().find(|scheme| {
        bytes.len() >= scheme.len() && bytes[..scheme.len()].eq_ignore_ascii_case(scheme)
    })?;
    Some(scheme.len())
}

/// True for white space, the end of the text or the end of its window.
pub(super) fn is_end(w: &Window<'_>, at: usize) -> bool {
    w.at(at).is_none_or(is_space)
}
