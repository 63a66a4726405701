//! Undeclared quoted-printable. It was pasted without its headers, or an
//! archive stored it without them.

use super::candidate::Encoded;
use urlgrep_base::digits::hex_byte;

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
        let byte = byte(high, low)?;
        Some(Encoded { at, len: 3, byte })
    })
}

/// The byte of `=XX`. RFC 2045 6.7: "Uppercase letters must be used".
pub(super) fn byte(high: u8, low: u8) -> Option<u8> {
    let is_upper = !high.is_ascii_lowercase() && !low.is_ascii_lowercase();
    hex_byte(high, low).filter(|_| is_upper)
}
