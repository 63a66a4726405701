//! Tags that were read before.
//!
//! A page repeats its tags. Of the tags with attributes, two in three are equal to
//! one of the last few, such as `<p class="MsoNormal">`. A comparison with such a
//! tag is cheaper than reading its attributes. The meaning of a tag depends on
//! nothing but its bytes.

use super::tags::{Element, hash};

/// The number of tags.
const SLOTS: usize = 32;
/// The maximum length of a tag.
const MAX_TAG: usize = 96;

/// Some of the tags without links that were read so far. The first bytes of a tag
/// determine its slot. A tag replaces the last tag of its slot.
#[derive(Debug)]
pub(super) struct Memo([Known; SLOTS]);

/// A tag, from its `<` to its `>`.
#[derive(Debug)]
struct Known {
    /// Empty if no tag is known here.
    bytes: Vec<u8>,
    element: Element,
    /// The number of its line feeds.
    lines: i64,
}

impl Default for Memo {
    fn default() -> Memo {
        Memo(std::array::from_fn(|_| Known {
            bytes: Vec::new(),
            element: Element::Other,
            lines: 0,
        }))
    }
}

impl Memo {
    /// The length of the known tag at the start of `bytes`, the number of its line
    /// feeds, and its element.
    #[inline]
    pub(super) fn find(&self, bytes: &[u8]) -> Option<(usize, i64, Element)> {
        let known = &self.0[slot(bytes)?];
        let is_known = !known.bytes.is_empty() && bytes.starts_with(&known.bytes);
        is_known.then_some((known.bytes.len(), known.lines, known.element))
    }

    /// Keeps `tag`, unless it is long.
    pub(super) fn keep(&mut self, tag: &[u8], element: Element, lines: i64) {
        if tag.len() <= MAX_TAG
            && let Some(slot) = slot(tag)
        {
            let known = &mut self.0[slot];
            known.bytes.clear();
            known.bytes.extend_from_slice(tag);
            (known.element, known.lines) = (element, lines);
        }
    }
}

/// The slot of the tag at the start of `bytes`, by its first 16 bytes. `None` if
/// there are fewer bytes.
#[inline]
fn slot(bytes: &[u8]) -> Option<usize> {
    let near = u128::from_le_bytes(*bytes.first_chunk()?);
    let bits = (near as u64).rotate_left(7) ^ (near >> 64) as u64;
    Some((hash(bits) >> 59) as usize)
}
