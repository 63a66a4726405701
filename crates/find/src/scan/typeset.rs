//! Characters that typesetters and programs put into a URL: U+2010 and U+2011 for its hyphens,
//! and invisible characters where a line may break.

use super::candidate::Encoded;
use urlgrep_base::span::SeamKind;

/// The length of U+2010 and U+2011 in UTF-8.
pub(super) const HYPHEN_LEN: usize = 3;

/// True if `bytes` end with U+2010 or U+2011. groff 1.23 writes the first for `-`, and so do
/// programs of publishers.
pub(super) fn is_hyphen(bytes: &[u8]) -> bool {
    bytes.ends_with("\u{2010}".as_bytes()) || bytes.ends_with("\u{2011}".as_bytes())
}

/// The length of an invisible character at the beginning of `bytes`: U+00AD, U+200B, U+2060 or
/// U+FEFF.
pub(super) fn invisible(bytes: &[u8]) -> Option<usize> {
    let all = ["\u{AD}", "\u{200B}", "\u{2060}", "\u{FEFF}"];
    let found = all
        .iter()
        .find(|character| bytes.starts_with(character.as_bytes()));
    found.map(|character| character.len())
}

/// The first of these characters in `bytes`.
pub(super) fn find(bytes: &[u8]) -> Option<Encoded> {
    (0..bytes.len()).find_map(|at| {
        let rest = &bytes[at..];
        let b = rest[0];
        if b.is_ascii() {
            return None;
        }
        if rest.len() >= HYPHEN_LEN && is_hyphen(&rest[..HYPHEN_LEN]) {
            return Some(Encoded {
                at,
                len: HYPHEN_LEN,
                byte: Some(b'-'),
                kind: SeamKind::Typeset,
            });
        }
        invisible(rest).map(|len| Encoded {
            at,
            len,
            byte: None,
            kind: SeamKind::Invisible,
        })
    })
}
