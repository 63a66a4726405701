//! HTML and XML that is shown as text. In an attribute value (`href="…"`), an
//! `&` is written as `&amp;` or `&#38;`.

use super::encoded::Encoded;
use urlgrep_base::span::SeamKind;

/// The first `&amp;` or `&#38;`.
pub(super) fn find(bytes: &[u8]) -> Option<Encoded> {
    let is_reference =
        |&at: &usize| matches!(bytes[at + 1..].first_chunk(), Some(b"amp;" | b"#38;"));
    memchr::memchr_iter(b'&', bytes)
        .find(is_reference)
        .map(|at| Encoded {
            at,
            len: 5,
            byte: Some(b'&'),
            kind: SeamKind::Entity,
        })
}
