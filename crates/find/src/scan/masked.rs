//! URLs that somebody took apart: archives mask addresses (`mailto:x at y.example`),
//! authors put a blank after a scheme (`http:// host/x`) so that no program follows it, and
//! programs put the id of an article in brackets (`news:<x@y>`).

use crate::text::schemes;
use std::ops::Range;

use super::boundary::{self, Bare, Opener};
use super::candidate::{Candidate, Doubt, ReadingKind};
use super::window::Window;
use urlgrep_base::span::{SeamKind, Span};

/// The maximum length of the local part of an address (RFC 5321, 4.5.3.1.1).
const LOCAL_MAX: usize = 64;
/// The maximum length of a host (RFC 1035, 2.3.4).
const HOST_MAX: usize = 253;

/// A URL with a gap that does not belong to it.
pub(super) struct Masked {
    /// The text that the archive or the author wrote into the URL.
    gap: Range<usize>,
    /// Index after the URL.
    pub(super) end: usize,
    /// What the text stands for. `None` if it is a blank.
    mask: Option<&'static [u8]>,
}

impl Masked {
    /// Reads the URL at `start` whose scheme and slashes end at `body`. It is of at most
    /// `max` bytes.
    pub(super) fn read(
        w: &Window<'_>,
        start: usize,
        body: usize,
        opener: Opener,
        max: usize,
    ) -> Option<Masked> {
        let before = &w.bytes()[start..body];
        let is_address = || before.eq_ignore_ascii_case(b"mailto:");
        // RFC 1738, 3.6: the id is "without the enclosing "<" and ">"".
        let is_id = w.at(body) == Some(b'<') && before.eq_ignore_ascii_case(b"news:");
        if is_id || w.at(body) == Some(b' ') {
            let host = match before.strip_suffix(b"://") {
                Some(name) if schemes::is_slashed(name) => Some(body + 1),
                None if is_id => None,
                None if is_address() => {
                    Some(local(w, body + 1).filter(|&end| w.at(end) == Some(b'@'))? + 1)
                }
                _ => return None,
            };
            if let Some(host) = host {
                host_end(w, host)?;
            }
            let Bare::Found(extent) = boundary::bare(w, start, body + 1, opener, max) else {
                return None;
            };
            let id = &w.bytes()[body + 1..extent.end];
            let fits =
                !is_id || w.at(extent.end) == Some(b'>') && memchr::memchr(b'@', id) > Some(0);
            return fits.then_some(Masked {
                gap: body..body + 1,
                end: extent.end,
                mask: is_id.then_some(b""),
            });
        }
        // Nearly all addresses have their `@`.
        let ahead = w.slice(body, LOCAL_MAX);
        if memchr::memchr2(b'@', b' ', ahead).is_some_and(|at| ahead[at] == b'@') {
            return None;
        }
        let gap = local(w, body).filter(|&end| is_address() && w.has_word(end, b" at "))?;
        let end = host_end(w, gap + 4)?;
        (!matches!(w.at(end), Some(b'@' | b'_' | b'/' | b'-'))).then_some(Masked {
            gap: gap..gap + 4,
            end,
            mask: Some(b"@"),
        })
    }

    /// Fills `out` with the one reading of the URL at `start`.
    pub(super) fn reading(&self, w: &Window<'_>, base: u64, start: usize, out: &mut Candidate) {
        let (kind, doubt) = match self.mask {
            Some(_) => (SeamKind::Mask, Doubt::Unmasked),
            None => (SeamKind::Space, Doubt::InnerSpace),
        };
        let span = |from: usize, to: usize| Span::new(base + from as u64, base + to as u64);
        let Range {
            start: gap,
            end: on,
        } = self.gap;
        out.copy(&w.bytes()[start..gap], span(start, gap));
        out.seam(kind, span(gap, on), self.mask.unwrap_or_default());
        out.copy(&w.bytes()[on..self.end], span(on, self.end));
        out.signs.doubts.add(doubt, true);
        out.finish(ReadingKind::Plain, true);
    }
}

/// Index after the local part of an address at `from`.
fn local(w: &Window<'_>, from: usize) -> Option<usize> {
    let is_local = |b: u8| b.is_ascii_alphanumeric() || b"._+-=".contains(&b);
    Some(run(w, from, LOCAL_MAX, is_local)).filter(|&end| end > from)
}

/// Index after the host at `from`, which must have a dot and end in letters, without the
/// full stop of a sentence.
fn host_end(w: &Window<'_>, from: usize) -> Option<usize> {
    let is_host = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.');
    let name = &w.bytes()[from..run(w, from, HOST_MAX, is_host)];
    let name = name.strip_suffix(b".").unwrap_or(name);
    let top = memchr::memrchr(b'.', name).filter(|&dot| dot > 0)?;
    let letters = name[top + 1..].iter().all(u8::is_ascii_alphabetic);
    (letters && name.len() > top + 2 && name[0] != b'.').then_some(from + name.len())
}

/// Index after the bytes at `from` for which `is` holds, at most `max`.
fn run(w: &Window<'_>, from: usize, max: usize, is: impl Fn(u8) -> bool) -> usize {
    let mut at = from;
    while at - from < max && w.at(at).is_some_and(&is) {
        at += 1;
    }
    w.count(at - from);
    at
}
