//! Links of a terminal (OSC 8): `ESC ] 8 ; parameters ; target ST text ESC ] 8 ; ; ST`, where ST is
//! `ESC \` or BEL.
//!
//! The target is found as any URL is. Where the text of the link is its target again, as programs
//! print it, that is no URL of its own: above all not the part of it that fits into a row.

use super::limits::BEHIND;
use super::window::Window;
use crate::view::colour_len;

const ESCAPE: u8 = 0x1B;
const BELL: u8 = 0x07;
const OPEN: &[u8] = b"\x1B]8;";
const MARKS: [&[u8]; 2] = ["…".as_bytes(), b"..."];

/// True if the URL at `start` is the text of a link that has it as its target: the whole, its
/// beginning at the end of a row, or its beginning before a mark of omission. Its scheme ends at `colon`.
#[inline]
pub(super) fn repeats_target(w: &Window<'_>, colon: usize, start: usize) -> bool {
    let before = &w.bytes()[..start];
    // Fast path: nearly no URL stands after such a code.
    matches!(before.last(), Some(&(BELL | b'\\' | b'm'))) && is_text_of_link(w, colon, start)
}

#[cold]
fn is_text_of_link(w: &Window<'_>, colon: usize, start: usize) -> bool {
    // More bytes before the colon are kept only by chance.
    let before = &w.bytes()[colon.saturating_sub(BEHIND)..start];
    let Some(target) = target_before(before) else {
        return false;
    };
    // The text is at most as long as its target, but for a mark, a scheme and the codes after it.
    let ahead = w.ahead(start, target.len() + AHEAD);
    w.count(before.len() + ahead.len());
    let is_end = |b: &u8| *b <= b' ';
    let len = ahead.iter().position(is_end).unwrap_or(ahead.len());
    let (text, rest) = ahead.split_at(len);
    let mark = MARKS.into_iter().find(|mark| text.ends_with(mark));
    let shown = text.strip_suffix(mark.unwrap_or_default()).unwrap_or(text);
    let is_cut = mark.is_some() || ends_row(rest);
    let (shown, target) = (name(shown), name(target));
    shown == target || is_cut && !shown.is_empty() && target.starts_with(shown)
}

/// The most bytes of a text after as many as its target has.
const AHEAD: usize = 32;

/// The target of the link whose text begins after `before`.
fn target_before(before: &[u8]) -> Option<&[u8]> {
    let link = &before[memchr::memmem::rfind(before, OPEN)? + OPEN.len()..];
    let target = &link[memchr::memchr(b';', link)? + 1..];
    let len = target.iter().position(|&b| b < b' ')?;
    let (target, codes) = target.split_at(len);
    let codes = codes
        .strip_prefix(&[BELL])
        .or(codes.strip_prefix(b"\x1B\\"))?;
    (without_colours(codes).is_empty() && !target.is_empty()).then_some(target)
}

/// `text` without the codes of colour at its beginning.
fn without_colours(text: &[u8]) -> &[u8] {
    let mut text = text;
    while text.starts_with(&[ESCAPE])
        && let Some(len) = colour_len(text)
    {
        text = &text[len..];
    }
    text
}

/// True if the row ends with the text before `rest`, perhaps after the end of the link.
fn ends_row(rest: &[u8]) -> bool {
    let rest = without_colours(rest);
    let close = [&b"\x1B]8;;\x1B\\"[..], b"\x1B]8;;\x07"];
    let closed = close.iter().find_map(|code| rest.strip_prefix(*code));
    let rest = without_colours(closed.unwrap_or(rest));
    matches!(rest, [] | [b'\r' | b'\n' | ESCAPE, ..]) && !rest.starts_with(OPEN)
}

/// What tells one page from another: a URL without its scheme, `www.` and a final slash.
fn name(url: &[u8]) -> &[u8] {
    let url = match memchr::memmem::find(url, b"://") {
        Some(at) => &url[at + 3..],
        None => url,
    };
    let url = url.strip_prefix(b"www.").unwrap_or(url);
    url.strip_suffix(b"/").unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_stands_before_the_text() {
        for (before, target) in [
            (
                &b"see \x1b]8;;https://a.example/b\x1b\\"[..],
                Some(&b"https://a.example/b"[..]),
            ),
            (
                b"\x1b]8;id=4;https://a.example/b\x07\x1b[1;34m",
                Some(b"https://a.example/b"),
            ),
            (b"\x1b]8;;\x1b\\", None),
            (b"\x1b]8;;https://a.example/b\x1b\\see ", None),
            (b"https://a.example/b\x07", None),
        ] {
            assert_eq!(target_before(before), target, "{before:?}");
        }
    }

    #[test]
    fn a_row_ends_after_codes() {
        for rest in [
            &b"\n"[..],
            b"\x1b]8;;\x1b\\\r\n",
            b"\x1b[0m\x1b]8;;\x07\n",
            b"",
        ] {
            assert!(ends_row(rest), "{rest:?}");
        }
        for rest in [&b" x"[..], b"\x1b]8;;\x1b\\ x", b"\x1b[0m)"] {
            assert!(!ends_row(rest), "{rest:?}");
        }
    }
}
