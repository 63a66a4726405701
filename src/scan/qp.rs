//! Undeclared quoted-printable. It was pasted without its headers, or an
//! archive stored it without them.

use super::candidate::Encoded;

/// True if an encoder would break a line of `len` bytes, with its final `=`, at
/// this length. RFC 2045 6.7 allows 76 bytes. Encoders stop up to three bytes
/// earlier so that they do not split a triplet.
pub(super) fn is_soft_line(len: usize) -> bool {
    (73..=76).contains(&len)
}

/// The first `=XX`.
pub(super) fn find(bytes: &[u8]) -> Option<Encoded> {
    memchr::memchr_iter(b'=', bytes).find_map(|at| {
        let [_, high, low] = *bytes[at..].first_chunk()?;
        let byte = digit(high)? << 4 | digit(low)?;
        Some(Encoded { at, len: 3, byte })
    })
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
