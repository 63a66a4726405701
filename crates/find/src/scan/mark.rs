//! Marks that show that somebody left out a part of a URL: `http://a.example/lon...`,
//! `git://git.kern..`, `http://a.example/long […]`.
//!
//! # How to think about it
//!
//! Dots after a URL have three meanings, and the text around them tells which:
//!
//! * A program cut the URL. Forums and trackers shorten the text of a link so, and some
//!   programs cut a line at a width. What is left names nothing.
//! * The author trails off, or means "and so on": `see http://a.example/...`. The URL is
//!   whole.
//! * The dots are in the URL: `v1...v2`. Then a letter follows, and [`boundary`](super::boundary) has
//!   included them.
//!
//! Of 34 places in our collections with exactly two full stops 33 were cut by a program, and
//! the last one is an example of RFC 2396: `g..  =  http://a/b/c/g..`. Of 417 places with three or more after a
//! word, 405 are the id of an article in an attribution of Outlook Express (`wrote in
//! message news:x@y.example...`), which is whole, so dots after such an id are no mark.

use super::boundary::extent::Extent;
use super::rejoin::after_break;
use super::trim::trim;
use super::window::Window;
use crate::text::class::{is_blank, is_break, is_space};
use crate::text::extension::ends_file;
use crate::text::words::is_www;
use crate::view;

/// `…`, U+2026.
const ELLIPSIS: &[u8] = "…".as_bytes();
/// The number of bytes after a mark between blanks that are examined.
const WORD_MAX: usize = 64;
/// The number of bytes before a URL in which its line is searched for its last name.
const REACH: usize = 512;

/// What a mark after a URL shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// The text up to this index is no URL.
    Cut(usize),
    /// The dots up to this index are no mark. They belong to the URL.
    Dots(usize),
    /// The mark is directly after a host. The URL is whole if the host is.
    Host,
    /// The URL may be whole.
    Trails,
    /// The mark is in the middle of a word, which is cut.
    Word,
}

/// The mark after the URL at `start` whose scheme and slashes end at `body`, and the index
/// after the mark. `None` if there is no mark. Decided by the URL, and by at most
/// [`WORD_MAX`] bytes after it.
#[inline(always)] // It runs for each bare URL.
pub(super) fn after(
    w: &Window<'_>,
    start: usize,
    body: usize,
    extent: &Extent,
) -> Option<(Mark, usize)> {
    // Nearly all URLs end without a mark, and are known by these bytes.
    let bytes = w.bytes();
    let is_end = |b: u8| bytes[extent.end - 1] == b;
    let may_have_mark = extent.raw >= extent.end + 2 && matches!(bytes[extent.end], b'.' | b'?')
        || is_end(b']')
        || match w.at(extent.raw) {
            Some(b' ') => matches!(w.at(extent.raw + 1), Some(b'.' | 0xE2)),
            next => next == Some(ELLIPSIS[0]),
        };
    if may_have_mark || bytes[body - 1] == b':' && is_masked(w, body, extent) {
        read(w, start, body, extent)
    } else {
        None
    }
}

#[inline(never)] // Most URLs have slashes.
fn is_masked(w: &Window<'_>, body: usize, extent: &Extent) -> bool {
    masked(&w.bytes()[body..extent.raw]).is_some()
}

/// The mark after a URL that was joined over lines, and ends at `end`. `first` is its extent
/// on the first line.
pub(super) fn after_line(
    w: &Window<'_>,
    start: usize,
    body: usize,
    first: &Extent,
    end: usize,
) -> Option<Mark> {
    let mut raw = end;
    while raw < end + WORD_MAX && w.at(raw) == Some(b'.') {
        raw += 1;
    }
    w.count(raw - end);
    let mut extent = *first;
    extent.end = end;
    extent.raw = raw;
    after(w, start, body, &extent).map(|(mark, _)| match mark {
        Mark::Dots(raw) => Mark::Cut(raw),
        mark => mark,
    })
}

/// True if `text`, which is between delimiters, ends in a mark of abbreviation. Two dots are those of
/// a path.
pub(super) fn trails(text: &[u8]) -> bool {
    text.ends_with(b"...") && !text.ends_with(b"/...") || text.ends_with(ELLIPSIS)
}

#[inline(never)]
fn read(w: &Window<'_>, start: usize, body: usize, extent: &Extent) -> Option<(Mark, usize)> {
    let bytes = w.bytes();
    let Extent { end, raw, .. } = *extent;
    // `mailto:`, `news:` and others, whose URLs are not hosts with paths.
    let is_opaque = bytes[body - 1] == b':';
    if is_opaque && let Some(at) = masked(&bytes[body..raw]) {
        // The mask of an archive, `mailto:ann...@a.example`.
        return Some((Mark::Cut(end), body + at));
    }
    if bytes[..end].ends_with(b"[...]") && ends_word(w, end) {
        return Some((Mark::Cut(end), end));
    }
    if bytes[end..raw] == *b"[" && is_ellipsis(w, raw) && w.at(raw + 3) == Some(b']') {
        let end = raw + ELLIPSIS.len() + 1;
        return ends_word(w, end).then_some((Mark::Cut(end), end));
    }
    let tail = &bytes[end..raw];
    // `http://a.example/search?...` is without its query.
    let question = usize::from(tail.first() == Some(&b'?'));
    let dots = dots(&tail[question..]);
    let after_dots = end + question + dots;
    // What may close an emphasis or open a note is of the URL before an ellipsis: `/Sieve_(…`.
    let of_name = tail.iter().all(|b| b"_(-".contains(b));
    if is_ellipsis(w, raw) && (after_dots == raw || of_name) {
        let next = raw + ELLIPSIS.len();
        if w.at(next) == Some(b'@') && is_opaque {
            return Some((Mark::Cut(next), next));
        }
        // Text after `…` in the same word is the rest of the URL, as in `http://a.example/…/c`.
        let is_inside = w
            .at(next)
            .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'/');
        let mark = match place(bytes, start, body, end)? {
            Mark::Trails if is_inside || question > 0 => Mark::Word,
            mark => mark,
        };
        return Some((mark, next));
    }
    if dots == 2 && question == 0 {
        // The frame of a list that cuts its rows so.
        let is_at_bar = w.at(raw) == Some(0xE2) && view::is_bar_of_terminal(w.character(raw))
            || w.at(raw) == Some(view::END);
        let is_mark = after_dots == raw && (ends_word(w, raw) || is_at_bar);
        let mark = if is_mark && is_named(w, start, body, raw) {
            Mark::Dots(raw)
        } else {
            Mark::Cut(raw)
        };
        return is_mark.then_some((mark, raw));
    }
    if dots > 2 {
        let mark = match place(bytes, start, body, end)? {
            Mark::Trails if question > 0 => Mark::Word,
            mark => mark,
        };
        return Some((mark, after_dots));
    }
    if !is_opaque && raw == end && is_divided(w, body, end) {
        return Some((Mark::Cut(end), end));
    }
    None
}

/// The length of `text` before dots and a note in brackets at its end, which says that there is more:
/// `http://a.example/lon...(more)`, `http://a.example/lon...(read on)`. The bracket may close in
/// another word.
#[cold]
pub(super) fn before_note(text: &[u8], body: usize) -> Option<usize> {
    let inside = text.strip_suffix(b")").unwrap_or(text);
    let letters = inside.iter().rev().take_while(|b| b.is_ascii_alphabetic());
    let before = inside[..inside.len() - letters.count()].strip_suffix(b"(")?;
    let dots = before.iter().rev().take_while(|b| **b == b'.').count();
    let end = before.len() - dots;
    (dots > 2 && inside.len() > before.len() + 2 && end > body).then_some(end)
}

/// The number of dots at the beginning of `text`.
pub(super) fn dots(text: &[u8]) -> usize {
    text.iter().take_while(|b| **b == b'.').count()
}

/// What a mark after the URL means, judged by the URL alone. `None` for a URL that the
/// mark does not shorten.
pub(super) fn place(bytes: &[u8], start: usize, body: usize, end: usize) -> Option<Mark> {
    let url = &bytes[body..end];
    if bytes[body - 1] == b':' {
        // After the host of an id or an address it is whole. Other URLs without slashes
        // are short, and nobody cuts them.
        return None;
    }
    if !url.iter().any(|b| b"/?#".contains(b)) {
        return Some(Mark::Host);
    }
    let has_query = url.iter().any(|b| b"?#".contains(b));
    let is_whole = url.ends_with(b"/") || !has_query && ends_file(&bytes[start..end]);
    Some(if is_whole { Mark::Trails } else { Mark::Word })
}

/// The index after the dots of a masked address: `ann...@a.example`.
fn masked(address: &[u8]) -> Option<usize> {
    let at = memchr::memchr(b'@', address)?;
    address[..at].ends_with(b"...").then_some(at)
}

/// True if blanks and a mark divide the URL, which ends at `end`, from its last bytes:
/// `http://a.example/viewtop ... f=1&t=2`. These must be a word that prose does not have.
fn is_divided(w: &Window<'_>, body: usize, end: usize) -> bool {
    let has_path = w.bytes()[body..end].contains(&b'/');
    if !has_path || !w.bytes()[end - 1].is_ascii_alphanumeric() {
        return false;
    }
    let has_dots = w.has_word(end, b" ... ");
    let has_ellipsis =
        w.at(end) == Some(b' ') && is_ellipsis(w, end + 1) && w.at(end + 4) == Some(b' ');
    if !has_dots && !has_ellipsis {
        return false;
    }
    // Both marks have three bytes, and a blank on each side.
    let word = end + 5;
    let text = w.until(word, WORD_MAX, is_space).text;
    is_rest(&text[..trim(text, 0)])
}

/// True for a word that ends a URL and that prose does not have.
fn is_rest(word: &[u8]) -> bool {
    let is_address = word.contains(&b'@') || memchr::memmem::find(word, b"://").is_some();
    let has_sign = word.iter().any(|b| b"=&#%?".contains(b)) && word.len() > 2;
    let slashes = word.iter().filter(|&&b| b == b'/').count();
    !is_address && !is_www(word) && (has_sign || slashes > 1 || ends_file(word))
}

/// True if the line has the last name of the URL, with the dots at its end, before the URL:
///
/// > g..           =  http://a/b/c/g.. (RFC 2396, Appendix C.2)
///
/// A program that cuts a URL leaves a piece of a name, which no line has before it. A name with
/// one dot must stand in such a table, directly before the equals sign, because prose has it
/// too: `Read foo. at "http://a.example/foo."`.
pub(super) fn is_named(w: &Window<'_>, start: usize, body: usize, end: usize) -> bool {
    let url = &w.bytes()[body..end];
    let Some(slash) = memchr::memrchr(b'/', url) else {
        return false;
    };
    let name = &url[slash + 1..];
    if name.len() > WORD_MAX || !name.first().is_some_and(u8::is_ascii_alphanumeric) {
        return false;
    }
    let before = &w.bytes()[start.saturating_sub(REACH)..start];
    let line_start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
    let line = &before[line_start..];
    w.count(line.len());
    let mut words = line.split(|b| is_blank(*b) || matches!(b, b'"' | b'\''));
    if name.ends_with(b"..") {
        return words.any(|word| word == name);
    }
    let mut back = words.rev().filter(|word| !word.is_empty());
    back.next() == Some(b"=") && back.next() == Some(name)
}

fn is_ellipsis(w: &Window<'_>, at: usize) -> bool {
    w.at(at) == Some(ELLIPSIS[0]) && w.character(at) == ELLIPSIS
}

/// True if a word ends at `at`, perhaps with punctuation.
fn ends_word(w: &Window<'_>, at: usize) -> bool {
    w.at(at)
        .is_none_or(|b| is_space(b) || b")]}>\"'.,;:!?".contains(&b))
}

/// True if the URL whose beginning `stump` is stands whole after its mark, which ends at
/// `from`, in brackets: `http://a.example/lon... <http://a.example/long/page>`. At most one
/// line break is between the two.
pub(super) fn is_repeated(w: &Window<'_>, stump: &[u8], from: usize) -> bool {
    let skip = |mut at: usize| {
        while w.at(at).is_some_and(is_blank) && at < from + WORD_MAX {
            at += 1;
        }
        at
    };
    let mut at = skip(from);
    if w.at(at).is_some_and(is_break) {
        at = skip(after_break(w, at));
    }
    w.count(at - from);
    if !matches!(w.at(at), Some(b'<' | b'(' | b'[')) {
        return false;
    }
    let stump = stump.strip_suffix(b"[...]").unwrap_or(stump);
    w.has_here(at + 1, stump)
        && w.at(at + 1 + stump.len())
            .is_some_and(|b| !is_space(b) && b != ELLIPSIS[0] && !b">)[]".contains(&b))
}
