//! Named character references of HTML, from the table of the crate `entities`.
//!
//! > This list is static and will not be expanded or changed in the future. (HTML 13.5)
//!
//! So the table cannot become outdated. The crate has a list in no order that can be
//! searched. We build an index of it at compile time, because sorting the list takes as many
//! instructions as searching half a megabyte of mail.

use entities::ENTITIES;

/// The number of slots of the index. It is a power of two.
const SLOTS: usize = 4096;
/// Marks an empty slot.
const VACANT: u16 = u16::MAX;

/// Indexes of [`ENTITIES`]. A name is in the slot of its hash, or in the next slot that was
/// vacant. Half of the slots are vacant, so a search ends after few slots.
static INDEX: [u16; SLOTS] = {
    let mut index = [VACANT; SLOTS];
    let mut i = 0;
    while i < ENTITIES.len() {
        let (_, name) = ENTITIES[i].entity.as_bytes().split_at(1);
        let mut slot = hash(name, START) % SLOTS;
        while index[slot] != VACANT {
            slot = (slot + 1) % SLOTS;
        }
        index[slot] = i as u16;
        i += 1;
    }
    index
};

const START: u32 = 0x811C_9DC5;

/// The hash FNV-1a of `bytes` after those that have the hash `seed`.
const fn hash(bytes: &[u8], seed: u32) -> usize {
    let mut hash = seed;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u32).wrapping_mul(0x0100_0193);
        i += 1;
    }
    hash as usize
}

/// The one or two characters that the reference `name` stands for. `is_closed` is true if it
/// ends with `;`. The standard allows only old names without it.
pub(crate) fn find(name: &[u8], is_closed: bool) -> Option<&'static str> {
    // Fast path for most references in HTML mail.
    if name == b"nbsp" {
        return Some("\u{A0}");
    }
    let end: &[u8] = if is_closed { b";" } else { b"" };
    let mut slot = hash(end, hash(name, START) as u32) % SLOTS;
    while INDEX[slot] != VACANT {
        let entry = &ENTITIES[usize::from(INDEX[slot])];
        if let Some(rest) = entry.entity.as_bytes()[1..].strip_prefix(name)
            && rest == end
        {
            return Some(entry.characters);
        }
        slot = (slot + 1) % SLOTS;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_name() {
        for entry in &ENTITIES {
            let name = &entry.entity[1..];
            assert!(name.len() <= super::super::html::MAX_REFERENCE);
            let found = match name.strip_suffix(';') {
                Some(stem) => find(stem.as_bytes(), true),
                None => find(name.as_bytes(), false),
            };
            assert_eq!(found, Some(entry.characters), "{name}");
        }
        assert_eq!(ENTITIES.len(), 2231);
    }

    #[test]
    fn finds_whole_names_only() {
        assert_eq!(find(b"amp", false), Some("&"));
        assert_eq!(find(b"AMP", true), Some("&"));
        assert_eq!(find(b"colon", true), Some(":"));
        assert_eq!(find(b"fjlig", true), Some("fj"));
        assert_eq!(find(b"NotEqualTilde", true), Some("\u{2242}\u{338}"));
        assert_eq!(find(b"colon", false), None);
        assert_eq!(find(b"ampere", true), None);
        assert_eq!(find(b"am", true), None);
        assert_eq!(find(b"", true), None);
    }
}
