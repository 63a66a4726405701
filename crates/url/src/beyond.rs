//! Characters beyond ASCII: the sets of RFC 3987 2.2, and whether a document
//! allows them. The cursor of all documents reads them, so they are below the
//! documents.

/// Whether a document allows characters beyond ASCII.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    Refused,
    Taken,
    /// Allowed. The numbers are the span of the query of RFC 3987, in which
    /// `iprivate` is allowed. It is cached.
    TakenQuery(u32, u32),
}

/// A set of RFC 3987 2.2.
pub(super) enum Set {
    Ucschar,
    Iprivate,
}

/// The set of the first character of `text`, and the length of the character in
/// UTF-8. `None` if the character is in neither set, or the bytes are not
/// UTF-8.
pub(super) fn character(text: &[u8]) -> Option<(Set, usize)> {
    let len = match text.first()? {
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return None,
    };
    let character = std::str::from_utf8(text.get(..len)?).ok()?.chars().next()?;
    if is_ucschar(character) {
        Some((Set::Ucschar, len))
    } else if is_iprivate(character) {
        Some((Set::Iprivate, len))
    } else {
        None
    }
}

// ucschar        = %xA0-D7FF / %xF900-FDCF / %xFDF0-FFEF
//                / %x10000-1FFFD / %x20000-2FFFD / %x30000-3FFFD
//                / … / %xD0000-DFFFD / %xE1000-EFFFD
//
// "IRIs MUST NOT contain bidirectional formatting characters (LRM, RLM, LRE,
// RLE, LRO, RLO, and PDF)" (4.1).
fn is_ucschar(character: char) -> bool {
    match character {
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' => false,
        '\u{a0}'..='\u{d7ff}' | '\u{f900}'..='\u{fdcf}' | '\u{fdf0}'..='\u{ffef}' => true,
        '\u{10000}'..='\u{dffff}' | '\u{e1000}'..='\u{effff}' => {
            // The last two code points of a plane are noncharacters.
            u32::from(character) & 0xffff <= 0xfffd
        }
        _ => false,
    }
}

// iprivate       = %xE000-F8FF / %xF0000-FFFFD / %x100000-10FFFD
fn is_iprivate(character: char) -> bool {
    matches!(
        character,
        '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}'
    )
}
