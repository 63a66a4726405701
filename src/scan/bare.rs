//! What follows a bare URL at a line end: its continuation, or a soft break.

use super::boundary::{self, Bare, Opener};
use super::candidate::{Candidate, Doubt, ReadingKind};
use super::class::{CLASS, Class, is_break, is_space};
use super::leader::{self, Leader};
use super::qp;
use super::rejoin::{after_break, line_at, skip_indent};
use super::scheme;
use super::script::Choice;
use super::window::Window;
use super::{CONTINUES_LINE, JOINED_LINES, NEXT_LINE_MAX};
use crate::span::{SeamKind, Span};

/// How many bytes of a continuation line are looked at to tell whether it is one.
const TOKEN_MAX: usize = 128;

/// A bare URL and where it may go on.
pub(super) struct Found {
    pub(super) start: usize,
    pub(super) extent: boundary::Extent,
    pub(super) opener: Opener,
    /// Index of the first byte of its line, if that is known; `None` unless
    /// the URL ends its line.
    pub(super) line: Option<usize>,
    pub(super) max: usize,
    /// False if the URL stands in what another one goes on over: its bytes are
    /// claimed, and looking on from each of such URLs would read the same
    /// lines again and again.
    pub(super) may_go_on: bool,
}

impl Found {
    /// Fills `out` with the readings of the URL. Returns the index after the
    /// bytes that the first of them takes.
    pub(super) fn readings(&self, w: &Window<'_>, base: u64, out: &mut Candidate) -> usize {
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
                self.continuation(w, base, out);
                soft.readings(self, w, base, out, ReadingKind::Qp);
                return self.extent.end;
            }
            plain(out, ReadingKind::Plain, true);
            self.continuation(w, base, out);
        } else {
            plain(out, ReadingKind::Plain, true);
        }
        self.other_script(w, base, out);
        self.extent.end
    }

    /// Adds the other reading of a script without spaces, if there is one.
    fn other_script(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
        let bytes = w.bytes();
        let end = match self.extent.choice {
            Some(Choice::EndsAt(at)) => self.start + boundary::trim(&bytes[self.start..at], 0),
            Some(Choice::GoesOn) if self.may_go_on => {
                let (end, looked) = boundary::over_script(w, &self.extent, self.opener);
                out.looked_to = base + looked as u64;
                match end {
                    Some(end) => end,
                    None => return,
                }
            }
            _ => return,
        };
        out.doubt = Some(Doubt::Script);
        out.copy(&bytes[self.start..end], span(base, self.start, end));
        out.finish(ReadingKind::Script, false);
    }

    /// Reads a `=` at the end of the line as a soft break that no header
    /// declares, over as many lines as end in one.
    fn soft_break(&self, w: &Window<'_>) -> Option<Soft> {
        let mut soft = Soft {
            pieces: Pieces::default(),
            likely: false,
        };
        let (mut start, mut raw) = (self.start, self.extent.raw);
        let (mut line, mut depth) = (self.line, self.extent.depth);
        while w.bytes()[start..raw].ends_with(b"=") && w.at(raw).is_some_and(is_break) {
            let next = after_break(w, raw);
            if !w.at(next).is_some_and(is_url_byte) || soft.pieces.is_full() {
                break;
            }
            let likely = line.is_some_and(|line| qp::is_soft_line(raw - line));
            if soft.pieces.as_slice().is_empty() {
                soft.likely = likely;
            } else if !likely {
                break;
            }
            soft.pieces.push(Piece {
                start,
                end: raw - 1,
                marks: next,
                next,
            });
            let Bare::Found(extent) = boundary::more(w, next, next, self.opener, depth, self.max)
            else {
                return None;
            };
            (start, raw, line, depth) = (next, extent.raw, Some(next), extent.depth);
        }
        if soft.pieces.as_slice().is_empty() {
            return None;
        }
        let end = start + boundary::trim(&w.bytes()[start..raw], 0);
        soft.pieces.push(Piece {
            start,
            end,
            marks: end,
            next: end,
        });
        Some(soft)
    }

    /// Looks for the rest of the URL on the following lines; adds the joined
    /// readings if there plainly is one.
    fn continuation(&self, w: &Window<'_>, base: u64, out: &mut Candidate) {
        let Some(line) = self.line.filter(|_| self.may_go_on) else {
            return;
        };
        if self.extent.raw - line < CONTINUES_LINE {
            return;
        }
        let leader = Leader::of(w.bytes(), line, self.start);
        let mut pieces = Pieces::default();
        let (mut start, mut raw, mut line) = (self.start, self.extent.raw, line);
        let mut depth = self.extent.depth;
        while raw - line >= CONTINUES_LINE && !pieces.is_full() && w.at(raw).is_some_and(is_break) {
            let below = after_break(w, raw);
            let marks = skip_indent(w, below);
            // A leader that only the next line has: its author put the URL on a
            // line of its own, and the mailer quoted what it broke off.
            let only_below = leader.is_none() && w.at(marks) == Some(b'>');
            let after = if only_below {
                leader::skip_quotes(w, marks)
            } else {
                leader.skip(w, marks)
            };
            let next = if after > marks {
                skip_indent(w, after)
            } else {
                marks
            };
            let token = token(w, next);
            w.count(token.len());
            if only_below && !token.first().is_some_and(|b| b"/?&=#%".contains(b)) {
                break;
            }
            if !goes_on(&w.bytes()[start..raw], token) {
                break;
            }
            let Bare::Found(extent) =
                boundary::more(w, next, next, self.opener, depth, NEXT_LINE_MAX)
            else {
                break;
            };
            if extent.end == next {
                break;
            }
            pieces.push(Piece {
                start,
                end: raw,
                marks: if after > marks { marks } else { next },
                next,
            });
            (start, raw, line, depth) = (next, extent.raw, below, extent.depth);
        }
        let Some(&first) = pieces.as_slice().first() else {
            return;
        };
        let end = start + boundary::trim(&w.bytes()[start..raw], 0);
        pieces.push(Piece {
            start,
            end,
            marks: end,
            next: end,
        });
        out.continues = true;
        for drop in [false, true] {
            if drop && !w.bytes()[..first.end].ends_with(b"-") {
                break;
            }
            for (i, piece) in pieces.as_slice().iter().enumerate() {
                let cut = piece.end - usize::from(drop && i == 0);
                out.copy(&w.bytes()[piece.start..cut], span(base, piece.start, cut));
                out.seam(SeamKind::Hyphen, span(base, cut, piece.end), b"");
                out.seam(SeamKind::LineBreak, span(base, piece.end, piece.marks), b"");
                out.seam(SeamKind::Leader, span(base, piece.marks, piece.next), b"");
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

/// The pieces of a URL that was broken over lines, at most [`JOINED_LINES`].
#[derive(Clone, Copy, Default)]
struct Pieces {
    items: [Piece; JOINED_LINES],
    len: usize,
}

/// One of them, as indexes into the window.
#[derive(Clone, Copy, Default)]
struct Piece {
    start: usize,
    end: usize,
    /// Where the leader of the next line starts; `next` where there is none.
    marks: usize,
    /// Where the next piece starts.
    next: usize,
}

impl Pieces {
    fn as_slice(&self) -> &[Piece] {
        &self.items[..self.len]
    }

    /// True if only the last piece, which no other follows, still fits.
    fn is_full(&self) -> bool {
        self.len + 1 >= JOINED_LINES
    }

    fn push(&mut self, piece: Piece) {
        if let Some(place) = self.items.get_mut(self.len) {
            *place = piece;
            self.len += 1;
        }
    }
}

/// A URL broken by soft breaks.
struct Soft {
    pieces: Pieces,
    /// True if the first break stands where an encoder would put one.
    likely: bool,
}

impl Soft {
    fn readings(
        &self,
        found: &Found,
        w: &Window<'_>,
        base: u64,
        out: &mut Candidate,
        kind: ReadingKind,
    ) -> usize {
        let mut last = found.start;
        for piece in self.pieces.as_slice() {
            qp::copy_decoded(w, base, out, piece.start, piece.end);
            out.seam(SeamKind::QpGuess, span(base, piece.end, piece.next), b"");
            last = piece.end;
        }
        out.finish(kind, kind == ReadingKind::Plain);
        last
    }
}

fn span(base: u64, start: usize, end: usize) -> Span {
    Span::new(base + start as u64, base + end as u64)
}

fn is_url_byte(b: u8) -> bool {
    matches!(CLASS[b as usize], Class::Plain | Class::Mark | Class::Open)
}

/// The bytes from `start` up to white space; no more than tell a path from
/// prose. Nothing if the first of them is none of a URL's.
fn token<'h>(w: &Window<'h>, start: usize) -> &'h [u8] {
    if !w.at(start).is_some_and(is_url_byte) {
        return &[];
    }
    let line = line_at(w, start);
    let line = &line[..line.len().min(TOKEN_MAX)];
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
    if word.is_empty() || is_another(url, word) || is_decoration(token) {
        return false;
    }
    // After what looks like a whole file only its query or fragment can follow.
    if memchr::memchr(b'?', url).is_none()
        && ends_file(url)
        && !matches!(first, b'?' | b'#' | b'&' | b'=' | b'%' | b'/' | b'.' | b'_')
    {
        return false;
    }
    // An extension by itself: `…/elopetestimplementation` and `.zip`.
    if first == b'.' && last.is_ascii_alphanumeric() && is_extension(&word[1..]) {
        return true;
    }
    let inner = &word[..word.len() - 1];
    let sign = |bytes: &[u8]| bytes.iter().any(|b| b"/=&%#_~".contains(b));
    match last {
        // Nothing ends so: `...&url=http%3A%2F%`, `...?a=1&`.
        b'%' | b'&' => first.is_ascii_alphanumeric(),
        b',' | b';' | b':' | b'!' | b'\'' | b'*' | b'|' => false,
        // Prose never begins so.
        _ if matches!(first, b'/' | b'?' | b'&' | b'=' | b'#' | b'%') => true,
        b'=' | b'?' => first.is_ascii_alphanumeric() && !is_prose(word),
        b'-' => first.is_ascii_alphanumeric() && !is_prose(word),
        b'.' => is_extension(word) || (sign(word) && has_dot(word)),
        b'/' => sign(inner) && !is_prose(word) || ends_file(word),
        b'_' | b'~' | b'+' => !is_prose(word),
        _ => {
            (sign(inner) || sign(word) && has_dot(word) || ends_file(word) || is_suffix(url, word))
                && !is_path_of_prose(word)
        }
    }
}

/// A URL, an address or a host of its own.
fn is_another(url: &[u8], word: &[u8]) -> bool {
    let host = &word[..word.iter().position(|&b| b == b'/').unwrap_or(word.len())];
    let ends_in = |top: &[u8]| {
        host.len() > top.len() && host[host.len() - top.len()..].eq_ignore_ascii_case(top)
    };
    // The host of this URL may itself be broken: `ftp://ftp.` and `uu.net/x`.
    let broken_host = matches!(url.last(), Some(b'.' | b'-'));
    word.windows(3).any(|three| three == b"://")
        || word.len() >= 4 && word[..4].eq_ignore_ascii_case(b"www.")
        || (memchr::memchr(b'@', word).is_some() && memchr::memchr(b'/', word).is_none())
        || (!broken_host
            && [&b".com"[..], b".org", b".net", b".edu", b".gov"]
                .iter()
                .any(|top| ends_in(top)))
        || word
            .iter()
            .position(|&b| b == b':')
            .is_some_and(|i| scheme::shape(&word[..i]).is_some())
}

/// A rule, a comment mark, or an octet of quoted-printable (`=20`).
fn is_decoration(token: &[u8]) -> bool {
    let mark = |b: &u8| !b.is_ascii_alphanumeric();
    token.iter().take(3).filter(|b| mark(b)).count() == token.len().min(3)
        || matches!(token, [b'=', a, b, ..] if qp::digit(*a).is_some() && qp::digit(*b).is_some())
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

const EXTENSIONS: [&[u8]; 39] = [
    b"html", b"htm", b"shtml", b"txt", b"text", b"gz", b"tgz", b"zip", b"ps", b"pdf", b"tar", b"Z",
    b"gif", b"jpg", b"jpeg", b"png", b"asp", b"aspx", b"cgi", b"php", b"jsp", b"pl", b"py", b"rb",
    b"js", b"css", b"xml", b"bz2", b"xz", b"patch", b"diff", b"doc", b"exe", b"rpm", b"deb",
    b"lisp", b"el", b"asc", b"sig",
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
