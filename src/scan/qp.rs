//! Undeclared quoted-printable. It was pasted without its headers, or an
//! archive stored it without them.

use super::candidate::Candidate;
use super::window::Window;
use crate::span::{SeamKind, Span};

/// True if an encoder would break a line of `len` bytes, with its final `=`, at
/// this length. RFC 2045 6.7 allows 76 bytes. Encoders stop up to three bytes
/// earlier so that they do not split a triplet.
pub(super) fn is_soft_line(len: usize) -> bool {
    (73..=76).contains(&len)
}

/// Appends the bytes `start..end`, and decodes each `=XX`.
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
    let mut i = start;
    while let Some(at) = memchr::memchr(b'=', &bytes[i..]) {
        i += at;
        let value = bytes
            .get(i + 1..i + 3)
            .and_then(|hex| Some(digit(hex[0])? << 4 | digit(hex[1])?));
        match value {
            Some(byte) => {
                out.copy(&bytes[from..i], span(from, i));
                out.seam(SeamKind::QpByte, span(i, i + 3), &[byte]);
                i += 3;
                from = i;
            }
            None => i += 1,
        }
    }
    out.copy(&bytes[from..], span(from, end));
}

/// The value of a digit of `=XX`. RFC 2045 6.7: "Uppercase letters must be
/// used".
pub(super) fn digit(b: u8) -> Option<u8> {
    match b {
        b'0'..=b'9' => Some(b - b'0'),
        b'A'..=b'F' => Some(b - b'A' + 10),
        _ => None,
    }
}
