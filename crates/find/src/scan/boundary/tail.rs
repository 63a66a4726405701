//! Ends of a URL that are no punctuation, but belong to the text: a word of prose, fields of a table,
//! codes, the number of a page. Decides for [`bare`](super::bare) where the URL ends before them.

use super::brackets::Depth;
use super::extent::Extent;
use crate::scan::domain;
use crate::scan::mark;
use crate::scan::marks;
use crate::scan::qp;
use crate::scan::trim::trim;
use crate::scan::window::Window;
use crate::text::class::is_space;
use crate::text::extension::is_extension;

/// The end of `text`, the URL at `start`, before octets of quoted-printable that encode a blank or
/// a mark, if its paragraph has another sign of that encoding.
#[cold]
pub(super) fn before_codes(
    w: &Window<'_>,
    start: usize,
    text: &[u8],
    body: usize,
) -> Option<usize> {
    let cut = qp::before_codes(text).filter(|cut| *cut > body)?;
    qp::has_sign_near(w, start, start + text.len(), qp::SHORT_MAX).then_some(cut)
}

/// The end of `text`, the URL at `start`, without what its last byte shows to be a mark of the
/// text.
#[inline]
pub(super) fn before_mark(w: &Window<'_>, start: usize, text: &[u8], body: usize) -> Option<usize> {
    let pair = || marks::pair(w, start, text).map(|cut| trim(&text[..cut], body));
    match text.last()? {
        b'D' | b'P' | b'p' | b'/' if text[..text.len() - 1].ends_with(b"-") => {
            before_smiley(w, start, text, body)
        }
        b'o' if w.at(start + text.len()) == Some(b')') => before_smiley(w, start, text, body),
        b'a'..=b'z' | b'A'..=b'Z' => {
            if may_have_case(text) {
                before_case(w, start, text, body)
            } else {
                None
            }
        }
        b'/' => None,
        b'0'..=b'9' => {
            let page = marks::before_page(text, body);
            let page = page.map(|cut| trim(&text[..cut], body));
            page.or_else(|| marks::before_place(text, body))
        }
        b')' => marks::before_node(text).or_else(|| mark::before_note(text, body)),
        b'-' | b'=' if matches!(w.at(start + text.len()), Some(b')' | b'(' | b'|')) => {
            before_smiley(w, start, text, body).or_else(pair)
        }
        0x80.. if may_have_case(text) => before_case(w, start, text, body),
        _ => pair(),
    }
}

/// The end of `text`, the URL at `start`, before a smiley that was glued to it: `:-)`, `;-(`, `:-D`,
/// `:-/`, `:o)`, `8-)`, `=)`. Its word must end after it. A mouth that is a bracket is after `text`.
#[cold]
fn before_smiley(w: &Window<'_>, start: usize, text: &[u8], body: usize) -> Option<usize> {
    let end = start + text.len();
    let mouth = w.at(end).unwrap_or_default();
    let is_after = |mouths: &[u8]| mouths.contains(&mouth) && marks::ends_word(w, end + 1);
    let (len, has_mouth) = match text {
        [.., b':' | b';', b'-', b'D' | b'P' | b'p' | b'/'] => (3, marks::ends_word(w, end)),
        [.., b':' | b';', b'-'] => (2, is_after(b")(|")),
        [.., b':' | b';', b'o'] => (2, is_after(b")")),
        // Without a colon it may also be the end of a URL in brackets.
        [.., before, b'8', b'-'] if !before.is_ascii_digit() => {
            (2, is_after(b")") && !is_in_brackets(w, start))
        }
        [.., before, b'='] if before.is_ascii_alphanumeric() && !text.contains(&b'?') => {
            (1, is_after(b")") && !is_in_brackets(w, start))
        }
        _ => return None,
    };
    let cut = text.len() - len;
    (has_mouth && cut > body).then(|| trim(&text[..cut], body))
}

/// True if a round bracket is open before `start` on its line.
fn is_in_brackets(w: &Window<'_>, start: usize) -> bool {
    let before = &w.bytes()[start.saturating_sub(marks::REACH)..start];
    let mark = memchr::memrchr3(b'(', b')', b'\n', before);
    w.count(before.len() - mark.unwrap_or(0));
    mark.is_some_and(|at| before[at] == b'(')
}

/// The endings of cases that Finnish and Swedish write after a colon: `http://a.example:ssä`.
const CASES: [&str; 26] = [
    "a", "een", "en", "et", "hen", "hin", "iin", "in", "ksi", "lla", "lle", "llä", "lta", "ltä",
    "n", "na", "nä", "ns", "s", "ssa", "ssä", "sta", "stä", "ta", "tä", "ä",
];

/// True if one of the last bytes of `text` is a colon. Nearly no URL has one there.
#[inline]
fn may_have_case(text: &[u8]) -> bool {
    const COLONS: u64 = 0x3A3A_3A3A_3A3A_3A3A;
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let Some(last) = text.last_chunk() else {
        return false;
    };
    let differing = u64::from_le_bytes(*last) ^ COLONS;
    differing.wrapping_sub(ONES) & !differing & HIGHS != 0
}

/// The end of `text`, the URL at `start`, before the ending of a case after a whole host. A port has
/// digits.
#[cold]
fn before_case(w: &Window<'_>, start: usize, text: &[u8], body: usize) -> Option<usize> {
    let colon = memchr::memrchr(b':', text).filter(|&at| at > body)?;
    let (host, case) = (&text[body..colon], &text[colon + 1..]);
    let is_host = host
        .iter()
        .all(|b| b.is_ascii_alphanumeric() || b"-.".contains(b) || !b.is_ascii());
    let is_case = CASES.iter().any(|ending| ending.as_bytes() == case);
    let is_slashed = text[..body].ends_with(b"//");
    (is_slashed
        && is_host
        && is_case
        && domain::is_whole(host)
        && marks::ends_word(w, start + text.len()))
    .then_some(colon)
}

/// Half the length of `text` if it is the same URL twice, as after pasting it
/// twice.
pub(super) fn repeated(text: &[u8], body: usize) -> Option<usize> {
    let (first, second) = text.split_at(text.len() / 2);
    // Nearly all texts differ in the first byte.
    let half = first.len();
    (half > body && first[0] == second[0] && first == second).then_some(half)
}

/// The end of `text` without a tail that belongs to the prose. Such a tail is
/// two fields of a table, a number and a word (`http://a.b/c,1,private`), or an
/// unclosed bracket and a word (`2012(slides`).
#[inline(never)]
pub(super) fn tail(text: &[u8], body: usize, depth: Depth) -> Option<usize> {
    let at = if depth.round > 0 {
        let is_word = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_alphabetic);
        let open = memchr::memrchr(b'(', text).filter(|&at| {
            is_word(&text[at + 1..]) && text[..at].last().is_some_and(u8::is_ascii_alphanumeric)
        });
        open.or_else(|| mark::before_note(text, body))
    } else {
        let before = before_field(text, u8::is_ascii_alphabetic);
        let before = before.and_then(|text| before_field(text, u8::is_ascii_digit));
        before.map(<[u8]>::len)
    };
    at.filter(|&at| at > body)
}

/// The end of `text` without a word of prose that was glued to the name of a web file:
/// `posting-guide.htmland`, `a.html,but`.
#[inline(never)]
pub(super) fn before_word(text: &[u8], body: usize) -> Option<usize> {
    let words: [&[u8]; 4] = [b"and", b"but", b"for", b"or"];
    let file = words.iter().find_map(|word| text.strip_suffix(*word))?;
    let file = file.strip_suffix(b",").unwrap_or(file);
    let dot = memchr::memrchr(b'.', file)?;
    let has_path = memchr::memchr(b'/', file.get(body..dot)?).is_some();
    (has_path && is_extension(&file[dot + 1..])).then_some(file.len())
}

/// The part of `text` before its last comma. At least one byte must follow the
/// comma, and `is` must hold for all bytes after it.
fn before_field(text: &[u8], is: fn(&u8) -> bool) -> Option<&[u8]> {
    let comma = text.iter().rposition(|b| !is(b))?;
    (text[comma] == b',' && comma + 1 < text.len()).then(|| &text[..comma])
}

/// True if the underscore after the URL of `extent`, which begins at `start`, belongs to it:
/// `http://a.example/b.html#Keys_and_types_`. Eight such URLs end a word in our collections and in
/// the documents of Debian: four are as their authors wrote them, a line end cut four, and none is
/// emphasised. docutils ends a URL after `_`, too. So the mark is the text's only where the line
/// has another one that opens
/// emphasis (`_see http://a.example/b_`).
#[cold]
pub(super) fn is_own_underscore(
    w: &Window<'_>,
    start: usize,
    body: usize,
    extent: &Extent,
) -> bool {
    let end = extent.end;
    let url = &w.bytes()[body..end];
    let is_after_word = url.last().is_some_and(u8::is_ascii_alphanumeric);
    if !is_after_word || !url.iter().any(|b| b"/?#".contains(b)) {
        return false;
    }
    let after = &w.bytes()[end + 1..extent.raw.max(end + 1)];
    if after.contains(&b'_') || !marks::ends_word(w, end + 1) {
        return false;
    }
    let before = &w.bytes()[start.saturating_sub(marks::REACH)..start];
    let opens = |at: usize| {
        let inside = before[..at].last().is_some_and(u8::is_ascii_alphanumeric);
        !inside && !before.get(at + 1).is_some_and(|&b| is_space(b))
    };
    // The underscore of another such URL is among these, so a line of them is read only twice.
    let mut from = before.len();
    let mut opened = false;
    for _ in 0..2 {
        let mark = memchr::memrchr3(b'_', b'\n', b'\r', &before[..from]);
        let underscore = mark.filter(|&at| before[at] == b'_');
        from = mark.unwrap_or(0);
        opened = underscore.is_some_and(opens);
        if opened || underscore.is_none() {
            break;
        }
    }
    w.count(before.len() - from);
    !opened
}
