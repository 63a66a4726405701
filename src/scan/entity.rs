//! HTML and XML that is shown as text. In an attribute value (`href="…"`), an
//! `&` is written as `&amp;` or `&#38;`.

use super::candidate::Candidate;
use super::window::Window;
use crate::span::{SeamKind, Span};

/// Appends the bytes `start..end`, and decodes each `&amp;` and `&#38;`.
pub(super) fn copy_decoded(
    w: &Window<'_>,
    base: u64,
    out: &mut Candidate,
    start: usize,
    end: usize,
) {
    let bytes = &w.bytes()[..end];
    let span = |start: usize, end: usize| Span::new(base + start as u64, base + end as u64);
    let mut from = start;
    while let Some(at) = find(&bytes[from..]) {
        let at = from + at;
        out.copy(&bytes[from..at], span(from, at));
        out.seam(SeamKind::Entity, span(at, at + LEN), b"&");
        from = at + LEN;
    }
    out.copy(&bytes[from..], span(from, end));
}

/// The length of `&amp;` and of `&#38;`.
const LEN: usize = 5;

/// The index of the first `&amp;` or `&#38;`.
pub(super) fn find(bytes: &[u8]) -> Option<usize> {
    memchr::memchr_iter(b'&', bytes)
        .find(|&i| matches!(bytes[i + 1..].first_chunk(), Some(b"amp;" | b"#38;")))
}
