//! Finds the end of a URL without delimiters.
//!
//! The bytes alone determine one extent, as a careful reader would choose it.
//! The search goes forward over every byte that a URL may have. Then it goes
//! back over the punctuation of the sentence. This module does not decide
//! whether the extent is a URL.
//!
//! [`bare`] is the door. `run` goes forward and knows the `brackets`, and [`trim`] goes back. `tail`
//! looks for ends that are no punctuation, but belong to the text.

mod brackets;
pub(super) mod extent;
mod quotes;
mod run;
mod tail;

use super::mark;
use super::marks;
use super::qp;
use super::script::Scripts;
use super::shell;
use super::trim::trim;
use super::window::Window;
use crate::text::class::is_space;
use crate::text::schemes;
pub(super) use brackets::{Depth, Opener};
pub(super) use extent::{Bare, Extent, Longer};
pub(super) use quotes::cuts;
use run::{Origin, Run, run};
use tail::{before_codes, before_mark, before_word, is_own_underscore, repeated, tail};

/// Finds the extent of a bare URL of at most `max` bytes. `start` is the index
/// of its scheme, and `body` is the index after the scheme and its slashes.
///
/// Linear in the extent found, plus a constant.
#[inline]
pub(super) fn bare(w: &Window<'_>, start: usize, body: usize, opener: Opener, max: usize) -> Bare {
    if let Some(raw) = marks::delimiter(w, start, body).filter(|raw| raw - start <= max) {
        return Bare::Found(up_to(w, body, raw));
    }
    let origin = Origin::Url { start, body };
    let mut found = reach(w, origin, opener, Depth::default(), max);
    if let Bare::Found(extent) = &mut found {
        shorten(w, start, body, extent);
        let is_own = match w.bytes().get(extent.end) {
            Some(b'_') => is_own_underscore(w, start, body, extent),
            Some(b'?') => is_own_value(w, opener, extent),
            _ => false,
        };
        extent.end += usize::from(is_own);
    }
    found
}

/// Ends the URL before what its own bytes show to be no part of it.
#[inline]
fn shorten(w: &Window<'_>, start: usize, body: usize, extent: &mut Extent) {
    let text = w.slice(start, extent.end.saturating_sub(start));
    let scheme = body - start;
    if let Some(half) = repeated(text, scheme) {
        extent.end_at(start + half);
    } else if let Some(cut) = before_prose(w, start, text, scheme, extent) {
        extent.end = start + cut;
    } else if let Some(cut) = before_octets(w, start, text, scheme) {
        extent.longer = Longer::To(extent.end);
        extent.end_at(start + cut);
    } else if let Some(cut) = shell::before_command(w, start, text) {
        extent.end_at(start + cut);
    } else if let Some(cut) = before_mark(w, start, text, scheme) {
        if text.last().is_some_and(u8::is_ascii_digit) {
            extent.longer = Longer::To(extent.end);
        }
        extent.end_at(start + cut);
        if text.ends_with(b")") {
            // The dots before a note are a mark, which `mark` reads.
            extent.raw += mark::dots(&text[cut..]);
        }
    }
}

/// The length of the URL in `text` before a word or an ending of the sentence around it.
#[inline]
fn before_prose(
    w: &Window<'_>,
    start: usize,
    text: &[u8],
    scheme: usize,
    extent: &Extent,
) -> Option<usize> {
    if (extent.has_comma || extent.depth.round > 0)
        && let Some(cut) = tail(text, scheme, extent.depth)
    {
        return Some(cut);
    }
    if matches!(text.last(), Some(b'd' | b't' | b'r'))
        && let Some(cut) = before_word(text, scheme)
        && w.at(start + text.len()).is_none_or(is_space)
    {
        return Some(cut);
    }
    if !extent.has_apostrophe {
        return None;
    }
    let cut = marks::before_suffix(text, scheme)?;
    marks::is_end(w, extent.raw).then_some(cut)
}

/// The length of the URL in `text` before octets of quoted-printable that nothing declares.
#[inline]
fn before_octets(w: &Window<'_>, start: usize, text: &[u8], scheme: usize) -> Option<usize> {
    match text {
        [.., b'=', high, low] if w.encoded && qp::byte(*high, *low).is_some() => {
            before_codes(w, start, text, scheme)
        }
        _ => None,
    }
}

/// The extent of a URL whose mark at `raw` ends it.
#[cold]
fn up_to(w: &Window<'_>, body: usize, raw: usize) -> Extent {
    Extent {
        end: trim(w.slice(0, raw), body),
        raw,
        depth: Depth::default(),
        choice: None,
        has_comma: false,
        has_apostrophe: false,
        is_typeset: false,
        has_high: false,
        longer: Longer::No,
    }
}

/// True if the question mark after the URL is the value of its last parameter, and apostrophes stand
/// around both: `'http://a.example/?callback=?'`.
fn is_own_value(w: &Window<'_>, opener: Opener, extent: &Extent) -> bool {
    opener.0 == Some(b'\'')
        && extent.end + 1 == extent.raw
        && w.bytes()[extent.end - 1] == b'='
        && w.at(extent.raw) == Some(b'\'')
}

/// The maximum number of bytes of punctuation after a URL of the maximum length.
const PUNCTUATION_MAX: usize = 16;

/// Finds the extent of the rest of a bare URL that continues at `start`.
/// `depth` has its open brackets. Otherwise as [`bare`].
pub(super) fn more(w: &Window<'_>, start: usize, opener: Opener, depth: Depth, max: usize) -> Bare {
    reach(w, Origin::Rest(start), opener, depth, max)
}

/// [`more`], which is also the beginning of [`bare`]. There it is inlined, because each URL is read
/// so.
#[inline(always)]
fn reach(w: &Window<'_>, origin: Origin, opener: Opener, mut depth: Depth, max: usize) -> Bare {
    let start = origin.start();
    let body = origin.body();
    let mut scripts = None;
    // The punctuation after a URL is no part of it.
    let limit = max.saturating_add(PUNCTUATION_MAX);
    let Some(Run {
        end: raw,
        has_comma,
        has_apostrophe,
        ends_in_marks,
    }) = run(w, origin, opener, &mut depth, &mut scripts, limit)
    else {
        return Bare::TooLong;
    };
    let mut text = w.slice(0, raw);
    // The shaft of an arrow: `http://a.example->x`, `http://a.example/x=>y`.
    if matches!(text.last(), Some(b'-' | b'='))
        && w.at(raw) == Some(b'>')
        && !w.bytes()[..start].ends_with(b"<")
        && raw > body
    {
        // The last parameter of a query may have no value: `http://a.example/?b=->x`.
        let has_query = text[body..].contains(&b'?');
        let head = text.last();
        let is_shaft = |b: &&u8| matches!(b, b'-' | b'=') && (!has_query || Some(*b) == head);
        let shaft = text[body..].iter().rev().take_while(is_shaft).count();
        text = &text[..raw - shaft];
    }
    // `\"` is a quotation mark inside a string, and ends the URL. A backslash
    // before white space belongs to the prose if the URL has a path. Without a
    // path it remains in the URL.
    let string = || w.at(raw) == Some(b'"');
    let spaced = || text[body..].contains(&b'/') && w.at(raw).is_none_or(is_space);
    if text.ends_with(b"\\") && (string() || spaced()) {
        text = &text[..raw - 1];
    }
    let end = trim(text, body);
    if end.saturating_sub(start) > max {
        return Bare::TooLong;
    }
    Bare::Found(Extent {
        end,
        raw,
        depth,
        choice: scripts.as_ref().and_then(|scripts| scripts.choice),
        has_comma,
        has_apostrophe,
        is_typeset: scripts.as_ref().is_some_and(|scripts| scripts.is_typeset),
        has_high: scripts.is_some(),
        longer: if ends_in_marks && end == raw {
            Longer::OverMarks
        } else {
            Longer::No
        },
    })
}

/// The number of bytes after a URL that are searched for the end of its other
/// reading. That reading continues over a script without spaces.
const SCRIPT_MAX: usize = 256;

/// The end of the reading that continues over the script after this extent, and
/// the index up to which bytes were examined. The end is `None` if there is
/// none within [`SCRIPT_MAX`], or if another URL comes first. Then the script
/// is prose.
#[cold]
pub(super) fn over_script(
    w: &Window<'_>,
    extent: &Extent,
    opener: Opener,
) -> (Option<usize>, usize) {
    let raw = extent.raw;
    let mut depth = extent.depth;
    let mut scripts = Some(Scripts::going_on(raw));
    let rest = Origin::Rest(raw);
    let Some(Run { end, .. }) = run(w, rest, opener, &mut depth, &mut scripts, SCRIPT_MAX) else {
        return (None, raw + SCRIPT_MAX);
    };
    let text = w.slice(raw, end - raw);
    let another = schemes::slashes(text).is_some();
    ((!another).then(|| raw + trim(text, 0)), end)
}

/// The maximum number of pairs of marks in the longer reading of a URL.
const MARKS_MAX: usize = 4;

/// The end of the reading that continues over the two equal marks after this extent, and the
/// index up to which bytes were examined. The end is `None` if there is nothing of a URL after
/// them within [`SCRIPT_MAX`] bytes, or another URL.
#[cold]
pub(super) fn over_marks(
    w: &Window<'_>,
    extent: &Extent,
    opener: Opener,
) -> (Option<usize>, usize) {
    let mut depth = extent.depth;
    let mut end = extent.raw;
    for _ in 0..MARKS_MAX {
        let from = end + 2;
        let rest = Origin::Rest(from);
        let Some(more) = run(w, rest, opener, &mut depth, &mut None, SCRIPT_MAX) else {
            return (None, from + SCRIPT_MAX);
        };
        end = more.end;
        if !more.ends_in_marks {
            break;
        }
    }
    let text = w.slice(extent.raw, end - extent.raw);
    let another = schemes::slashes(text).is_some();
    let len = trim(text, 0);
    ((!another && len > 2).then_some(extent.raw + len), end)
}

/// True if `text`, which is between delimiters, has a `[`, `|` or `<` directly
/// before another URL: `X[X]`, `a|b`.
pub(super) fn holds_another(text: &[u8]) -> bool {
    memchr::memchr3_iter(b'[', b'|', b'<', text).any(|i| schemes::starts_url(&text[i + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(text: &str) -> &str {
        let w = Window::new(text.as_bytes(), true);
        match bare(&w, 0, 7, Opener::default(), 100) {
            Bare::Found(e) => &text[..e.end],
            Bare::TooLong => "too long",
        }
    }

    #[test]
    fn bare_urls_end_where_a_reader_ends_them() {
        assert_eq!(extent("http://a.b/c."), "http://a.b/c");
        assert_eq!(extent("http://a.b/c)."), "http://a.b/c");
        assert_eq!(extent("http://a.b/c_(d)."), "http://a.b/c_(d)");
        assert_eq!(extent("http://a.b's home"), "http://a.b");
        assert_eq!(extent("http://a,http://b"), "http://a");
        assert_eq!(extent("http://a/,b http://b"), "http://a/,b");
        assert_eq!(extent("http://a/x&gt; b"), "http://a/x");
        assert_eq!(extent("http://a/Käse."), "http://a/Käse");
        assert_eq!(extent("http://a/x»."), "http://a/x");
        assert_eq!(extent("http://..."), "http://");
        assert_eq!(extent("http://a/b#c.__d_e__."), "http://a/b#c.__d_e__");
        assert_eq!(extent("http://a/b__d__"), "http://a/b__d");
        assert_eq!(extent("http://a/____"), "http://a/");
    }

    #[test]
    fn the_limit_is_exact() {
        let text = format!("http://{}", "a".repeat(93));
        assert_eq!(extent(&text), text);
        assert_eq!(extent(&format!("{text}a")), "too long");
    }

    #[test]
    fn asks_for_more_rather_than_guess() {
        for cut in [
            "http://a/",
            "http://a,ht",
            "http://a,http:/",
            "http://a&g",
            "http://a/\u{e4}",
        ] {
            let bytes = &cut.as_bytes()[..cut.len() - usize::from(!cut.is_ascii())];
            let w = Window::new(bytes, false);
            bare(&w, 0, 7, Opener::default(), 100);
            assert!(w.take_starved(), "{cut}");
        }
        let w = Window::new(b"http://a, b", false);
        bare(&w, 0, 7, Opener::default(), 100);
        assert!(!w.take_starved());
    }
}
