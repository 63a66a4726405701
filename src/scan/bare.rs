//! What follows a bare URL at a line end: its continuation, or a soft break.

use super::boundary::{self, Bare, Opener};
use super::candidate::{Candidate, ReadingKind};
use super::class::{CLASS, Class, is_break, is_space};
use super::leader::Leader;
use super::rejoin::{after_break, line_at, skip_indent};
use super::scheme;
use super::window::Window;
use super::{CONTINUES_LINE, JOINED_LINES, NEXT_LINE_MAX};
use crate::span::{SeamKind, Span};

/// Lengths, in bytes with the `=`, of a line that quoted-printable broke: RFC
/// 2045 6.7 allows 76, and encoders stop up to three bytes short of it rather
/// than split a triplet.
const SOFT_LINE: std::ops::RangeInclusive<usize> = 73..=76;

/// The line on which a bare URL stands, as far as its continuation asks.
#[derive(Clone, Copy)]
pub(super) struct Line<'h> {
    /// Index of its first byte; `None` if that is too far back to know.
    pub(super) start: Option<usize>,
    pub(super) leader: Leader<'h>,
}

/// A bare URL and where it may go on.
pub(super) struct Found<'h> {
    pub(super) start: usize,
    pub(super) extent: boundary::Extent,
    pub(super) opener: Opener,
    pub(super) line: Line<'h>,
    pub(super) max: usize,
}

impl<'h> Found<'h> {
    /// Fills `out` with the readings of the URL. Returns the index after the
    /// bytes that the first of them takes.
    pub(super) fn readings(&self, w: &Window<'h>, base: u64, out: &mut Candidate) -> usize {
        let raw = self.extent.raw;
        let plain = |out: &mut Candidate, kind, same| {
            out.copy(
                &w.bytes()[self.start..self.extent.end],
                span(base, self.start, self.extent.end),
            );
            out.finish(kind, same);
        };
        if w.at(raw).is_some_and(is_break) {
            if let Some(soft) = self.soft_break(w) {
                if soft.likely {
                    let end = soft.readings(self, w, base, out, ReadingKind::Plain);
                    plain(out, ReadingKind::Raw, false);
                    return end;
                }
                plain(out, ReadingKind::Plain, true);
                soft.readings(self, w, base, out, ReadingKind::Qp);
                return self.extent.end;
            }
            plain(out, ReadingKind::Plain, true);
            self.continuation(w, base, out);
        } else {
            plain(out, ReadingKind::Plain, true);
        }
        self.extent.end
    }

    /// Reads a `=` at the end of the line as a soft break that no header
    /// declares, over as many lines as end in one.
    fn soft_break(&self, w: &Window<'h>) -> Option<Soft> {
        let mut soft = Soft {
            pieces: Vec::new(),
            likely: false,
        };
        let (mut start, mut raw) = (self.start, self.extent.raw);
        let mut line = self.line.start;
        while w.bytes()[start..raw].ends_with(b"=") && w.at(raw).is_some_and(is_break) {
            let next = after_break(w, raw);
            if !w.at(next).is_some_and(is_url_byte) || soft.pieces.len() >= JOINED_LINES {
                break;
            }
            let likely = line.is_some_and(|line| SOFT_LINE.contains(&(raw - line)));
            if soft.pieces.is_empty() {
                soft.likely = likely;
            } else if !likely {
                break;
            }
            soft.pieces.push((start, raw - 1, next));
            let Bare::Found(extent) = boundary::bare(w, next, next, self.opener, self.max) else {
                return None;
            };
            (start, raw, line) = (next, extent.raw, Some(next));
        }
        if soft.pieces.is_empty() {
            return None;
        }
        let end = start + boundary::trim(&w.bytes()[start..raw], 0);
        soft.pieces.push((start, end, end));
        Some(soft)
    }

    /// Looks for the rest of the URL on the following lines; adds the joined
    /// readings if there plainly is one.
    fn continuation(&self, w: &Window<'h>, base: u64, out: &mut Candidate) {
        let Some(line) = self.line.start else { return };
        if self.extent.raw - line < CONTINUES_LINE {
            return;
        }
        let mut pieces = vec![(self.start, self.extent.raw)];
        let mut gaps: Vec<(usize, usize)> = Vec::new();
        let mut line = line;
        while pieces.len() < JOINED_LINES {
            let (start, raw) = pieces[pieces.len() - 1];
            if raw - line < CONTINUES_LINE || !w.at(raw).is_some_and(is_break) {
                break;
            }
            let next = after_break(w, raw);
            let marks = skip_indent(w, next);
            let after = self.line.leader.skip(w, marks);
            let text = if after > marks {
                skip_indent(w, after)
            } else {
                marks
            };
            let token = token(w, text);
            w.count(token.len());
            if !goes_on(&w.bytes()[start..raw], token) {
                break;
            }
            let Bare::Found(extent) = boundary::bare(w, text, text, self.opener, NEXT_LINE_MAX)
            else {
                break;
            };
            if extent.end == text {
                break;
            }
            pieces.push((text, extent.raw));
            gaps.push((raw, if after > marks { marks } else { text }));
            line = next;
        }
        if pieces.len() == 1 {
            return;
        }
        out.continues = true;
        let last = pieces.len() - 1;
        pieces[last].1 =
            pieces[last].0 + boundary::trim(&w.bytes()[pieces[last].0..pieces[last].1], 0);
        let hyphen = w.bytes()[..pieces[0].1].ends_with(b"-");
        for drop in [false, true] {
            if drop && !hyphen {
                break;
            }
            for (i, &(start, end)) in pieces.iter().enumerate() {
                let cut = end - usize::from(drop && i == 0);
                out.copy(&w.bytes()[start..cut], span(base, start, cut));
                out.seam(SeamKind::Hyphen, span(base, cut, end), b"");
                if let Some(&(gap, marks)) = gaps.get(i) {
                    out.seam(SeamKind::LineBreak, span(base, gap, marks), b"");
                    out.seam(SeamKind::Leader, span(base, marks, pieces[i + 1].0), b"");
                }
            }
            out.finish(
                if drop {
                    ReadingKind::Hyphen
                } else {
                    ReadingKind::Joined
                },
                false,
            );
        }
    }
}

/// A URL broken by soft breaks: where each piece starts and ends, and where
/// the seam after it does.
struct Soft {
    pieces: Vec<(usize, usize, usize)>,
    /// True if the first break stands where an encoder would put one.
    likely: bool,
}

impl Soft {
    fn readings(
        &self,
        found: &Found<'_>,
        w: &Window<'_>,
        base: u64,
        out: &mut Candidate,
        kind: ReadingKind,
    ) -> usize {
        let mut last = found.start;
        for &(start, end, seam) in &self.pieces {
            copy_decoded(w, base, out, start, end);
            out.seam(SeamKind::QpGuess, span(base, end, seam), b"");
            last = end;
        }
        out.finish(kind, kind == ReadingKind::Plain);
        last
    }
}

/// Copies `start..end`, each `=XX` read as the byte it stands for (RFC 2045
/// 6.7: its digits are upper case).
fn copy_decoded(w: &Window<'_>, base: u64, out: &mut Candidate, start: usize, end: usize) {
    let bytes = &w.bytes()[..end];
    let mut from = start;
    let mut i = start;
    while let Some(at) = memchr::memchr(b'=', &bytes[i..]) {
        i += at;
        let value = bytes
            .get(i + 1..i + 3)
            .and_then(|hex| Some(digit(hex[0])? << 4 | digit(hex[1])?));
        match value {
            Some(byte) => {
                out.copy(&bytes[from..i], span(base, from, i));
                out.seam(SeamKind::QpByte, span(base, i, i + 3), &[byte]);
                i += 3;
                from = i;
            }
            None => i += 1,
        }
    }
    out.copy(&bytes[from..], span(base, from, end));
}

fn digit(b: u8) -> Option<u8> {
    match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'A'..=b'F' => Some(b - b'A' + 10),
        _ => None,
    }
}

fn span(base: u64, start: usize, end: usize) -> Span {
    Span::new(base + start as u64, base + end as u64)
}

fn is_url_byte(b: u8) -> bool {
    matches!(CLASS[b as usize], Class::Plain | Class::Mark | Class::Open)
}

/// The bytes from `start` up to white space.
fn token<'h>(w: &Window<'h>, start: usize) -> &'h [u8] {
    let line = line_at(w, start);
    &line[..line.iter().position(|&b| is_space(b)).unwrap_or(line.len())]
}

/// True if a URL that ends a long line as `url` does plainly goes on with
/// `token`, the first word of the next line. The evidence, in order: what a
/// URL never ends in, what prose never begins with, and a word cut in two.
fn goes_on(url: &[u8], token: &[u8]) -> bool {
    let Some(&first) = token.first() else {
        return false;
    };
    let (Some(&last), Some(word)) = (url.last(), token.get(..boundary::trim(token, 0))) else {
        return false;
    };
    if word.is_empty() || !is_url_byte(first) || is_another(word) {
        return false;
    }
    let inner = &word[..word.len() - 1];
    let sign = |bytes: &[u8]| bytes.iter().any(|b| b"/=&%?#_~".contains(b));
    match last {
        // Nothing ends so: `...&url=http%3A%2F%`, `...?a=1&`.
        b'%' | b'&' => first.is_ascii_alphanumeric(),
        b'=' | b'?' => first.is_ascii_alphanumeric() && !is_prose(word),
        b'-' => {
            first.is_ascii_alphanumeric()
                && (sign(word) || has_dot(word) || !is_prose(word) || ends_file(word))
        }
        b'.' => is_extension(word) || (sign(word) && has_dot(word)),
        b',' | b';' | b':' | b'!' | b'\'' | b'*' | b'|' => false,
        _ if matches!(first, b'/' | b'?' | b'&' | b'=' | b'#' | b'%') => true,
        b'/' => sign(inner) && !is_prose(word) || ends_file(word),
        b'_' | b'~' | b'+' => sign(word) || has_dot(word) || !is_prose(word),
        _ => {
            (sign(inner) || sign(word) && has_dot(word) || ends_file(word) || is_suffix(url, word))
                && !is_path_of_prose(word)
        }
    }
}

/// A URL, an address or a host of its own.
fn is_another(word: &[u8]) -> bool {
    memchr::memmem::find(word, b"://").is_some()
        || word.len() >= 4 && word[..4].eq_ignore_ascii_case(b"www.")
        || (memchr::memchr(b'@', word).is_some() && memchr::memchr(b'/', word).is_none())
        || word
            .iter()
            .position(|&b| b == b':')
            .is_some_and(|i| scheme::shape(&word[..i]).is_some())
}

/// Letters only, perhaps with an apostrophe or a hyphen: a word of prose.
fn is_prose(word: &[u8]) -> bool {
    word.iter()
        .all(|b| b.is_ascii_alphabetic() || matches!(b, b'\'' | b'-' | b'(' | b')' | b','))
}

/// `and/or`, `TCP/IP`: two words of prose with one slash between them.
fn is_path_of_prose(word: &[u8]) -> bool {
    let mut parts = word.split(|&b| b == b'/');
    let short = |p: Option<&[u8]>| {
        p.is_some_and(|p| !p.is_empty() && p.len() <= 4 && p.iter().all(u8::is_ascii_alphabetic))
    };
    short(parts.next()) && short(parts.next()) && parts.next().is_none()
}

/// A dot with a letter or digit on either side.
fn has_dot(word: &[u8]) -> bool {
    word.windows(3)
        .any(|w| w[1] == b'.' && w[0].is_ascii_alphanumeric() && w[2].is_ascii_alphanumeric())
}

const EXTENSIONS: [&[u8]; 26] = [
    b"html", b"htm", b"shtml", b"txt", b"text", b"gz", b"tgz", b"zip", b"ps", b"pdf", b"tar", b"Z",
    b"gif", b"jpg", b"jpeg", b"png", b"asp", b"aspx", b"cgi", b"php", b"jsp", b"pl", b"xml",
    b"bz2", b"patch", b"diff",
];

fn is_extension(word: &[u8]) -> bool {
    EXTENSIONS.iter().any(|e| word.eq_ignore_ascii_case(e))
}

/// `ar.gz`, `index.html`: a word that ends like a file of the web.
fn ends_file(word: &[u8]) -> bool {
    let word = &word[..word
        .iter()
        .position(|&b| b == b'#' || b == b'?')
        .unwrap_or(word.len())];
    word.iter()
        .rposition(|&b| b == b'.')
        .is_some_and(|dot| dot > 0 && is_extension(&word[dot + 1..]))
}

/// True if `word` ends an extension that `url` begins: `.ht` and `ml`.
fn is_suffix(url: &[u8], word: &[u8]) -> bool {
    let Some(dot) = url.iter().rposition(|&b| b == b'.' || b == b'/') else {
        return false;
    };
    let start = &url[dot + 1..];
    url[dot] == b'.'
        && !start.is_empty()
        && !is_extension(start)
        && EXTENSIONS.iter().any(|e| {
            e.len() == start.len() + word.len() && e.starts_with(start) && e.ends_with(word)
        })
}
