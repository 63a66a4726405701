//! Whether the bytes around a scheme, or after a URL, may not be what a reader sees: an escape, a colour, a
//! row of a terminal. Then a view of them is made.

use crate::scan::scheme;
use crate::scan::window::Window;
use crate::view;

/// True if a backslash stands beside the scheme `run_start..colon`: `https\://`, `https:\/\/`,
/// `\nhttp://`. Or if the colon is printed over another character.
pub(super) fn is_escaped(w: &Window<'_>, floor: usize, run_start: usize, colon: usize) -> bool {
    // A code of IRC, as around a bold `http`.
    let is_code =
        |at: usize| matches!(w.bytes()[at], 0x02..=0x04 | 0x0F | 0x11 | 0x16 | 0x1D..=0x1F);
    if run_start == colon && colon > floor && is_code(colon - 1) {
        return true;
    }
    let is_near = |i: usize| run_start >= floor + i && w.bytes()[run_start - i] == b'\\';
    let is_next = w.at(colon + 1) == Some(b'\\')
        && matches!(w.at(colon + 2), Some(b'/' | b'\\' | b'u' | b'x'));
    let is_twice = match &w.bytes()[floor..colon] {
        [.., b, b'_', scheme::BACKSPACE] => b.is_ascii_alphabetic(),
        [.., b] => b.is_ascii_alphabetic() && w.at(colon + 1) == Some(scheme::BACKSPACE),
        [] => false,
    };
    is_next || is_twice || (1..4).any(is_near)
}

/// True if codes of a terminal or of IRC stand inside of the scheme `run_start..colon` or beside its
/// colon, as where a program colours what it searched for: `\x1b[31mhttp\x1b[m\x1b[Ks://`.
#[inline]
pub(super) fn is_coloured(w: &Window<'_>, floor: usize, run_start: usize, colon: usize) -> bool {
    let run = &w.bytes()[run_start..colon];
    let slashes = w.slice(colon + 1, 2).iter().take_while(|&&b| b == b'/');
    let after = colon + 1 + slashes.count();
    if after < colon + 3 && w.at(after) == Some(scheme::ESCAPE) {
        return true;
    }
    let is_rest = |name: &[u8]| name.is_empty() || is_rest_of_scheme(name);
    let before = &w.bytes()[floor..run_start];
    match before.last() {
        // The last letter of the code may seem to begin the scheme, as may its last number.
        Some(b'[' | b';' | b':') => {
            let numbers = before.iter().rev().take(CODE_NEAR);
            let len = numbers.take_while(|&&b| b.is_ascii_digit() || matches!(b, b';' | b':'));
            let code = &before[..before.len() - len.count()];
            let digits = run.iter().take_while(|b| b.is_ascii_digit()).count();
            code.ends_with(b"\x1B[")
                && matches!(&run[digits..], [b'm' | b'K', name @ ..] if is_rest(name))
        }
        // A set of characters: `\x1b(B`.
        Some(b'(') => {
            before.ends_with(b"\x1B(") && matches!(run, [b'B' | b'0', name @ ..] if is_rest(name))
        }
        Some(0x02 | 0x0F | 0x11 | 0x16 | 0x1D..=0x1F) => is_rest_of_scheme(run),
        _ => false,
    }
}

/// The most bytes of the numbers of a colour.
const CODE_NEAR: usize = 32;

/// True if `name` is the end of `http` or `https`, but not the whole.
fn is_rest_of_scheme(name: &[u8]) -> bool {
    [&b"ttps"[..], b"tps", b"ps", b"ttp", b"tp", b"p", b"s"].contains(&name)
}

/// True if `before`, the text before `://`, ends with a row that may end with a scheme.
#[cold]
fn scheme_is_above(before: &[u8]) -> bool {
    let blanks = before
        .iter()
        .rev()
        .take(ROW_START)
        .take_while(|&&b| b != b'\n');
    let above = &before[..before.len() - blanks.count()];
    let Some(above) = above.strip_suffix(b"\n") else {
        return false;
    };
    let end = above
        .iter()
        .rev()
        .take(ROW_END)
        .find(|b| b.is_ascii_alphabetic());
    end.is_some_and(|b| b"sptSPT".contains(b))
}

/// The most bytes before the text of a row, and after it.
const ROW_START: usize = 16;
const ROW_END: usize = 160;

/// True if the width of a terminal may have broken the scheme at the colon: before it, in its name
/// `run`, or after it.
pub(super) fn is_broken_by_row(w: &Window<'_>, floor: usize, run: &[u8], colon: usize) -> bool {
    let at = colon + 1;
    let slashes = w.slice(at, 2).iter().take_while(|&&b| b == b'/').count();
    match slashes {
        2 if run.is_empty() => scheme_is_above(&w.bytes()[floor..colon]),
        2 => is_rest_of_scheme(run),
        _ => {
            let ends = |b| {
                matches!(
                    b,
                    b' ' | b'\r' | b'\n' | b'|' | b'*' | b'#' | b'\\' | 0x80..
                )
            };
            scheme::ends_web(run) && w.at(at + slashes).is_some_and(ends)
        }
    }
}

/// True if a URL that begins at `start` and ends at `end` may go on in the next row of a terminal. It
/// may also end before a bar which it seems to have.
pub(super) fn rows_may_go_on(w: &Window<'_>, start: usize, end: usize) -> bool {
    let is_end = |b: u8| matches!(b, b' ' | b'\r' | b'\n' | b'>' | 0x80..);
    let bar = || {
        let word = w.slice(start, end + 1 - start);
        memchr::memchr(b'|', word).map(|at| start + at)
    };
    w.at(end).is_some_and(is_end) && view::may_go_on(w.bytes(), end, w.is_end())
        || bar().is_some_and(|bar| view::has_bar_above(w.bytes(), bar))
}

/// True if an empty comment of LaTeX takes out the line end after the URL: `\url{http://a/%`.
#[inline]
pub(super) fn is_commented(w: &Window<'_>, start: usize, end: usize) -> bool {
    w.bytes()[end - 1] == b'%'
        && w.bytes()[..start].ends_with(b"{")
        && matches!(w.at(end), Some(b'\r' | b'\n'))
}
