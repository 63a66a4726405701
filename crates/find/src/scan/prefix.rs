//! The text that may precede a URL: `URL:`, `URL=`, and the `<` of a wrapper.

use super::limits::LEADER_MAX;
use super::window::Window;
use crate::text::class::{self, is_space};

/// `URL:` or `URL=` directly before a place.
#[derive(Clone, Copy)]
pub(super) struct Prefix {
    /// Index of the `<` before it, if any.
    pub(super) bracket: Option<usize>,
}

/// True if `run`, a run of scheme characters, ends in the word `URL`.
pub(super) fn is_prefix_word(run: &[u8]) -> bool {
    let Some((before, word)) = run.split_last_chunk::<3>() else {
        return false;
    };
    // Without a call, because this is asked at most colons.
    word.map(|b| b | 0x20) == *b"url" && !before.last().is_some_and(u8::is_ascii_alphanumeric)
}

/// Index of the first byte of the white space directly before `from`. Reads at
/// most [`LEADER_MAX`] bytes, and stops at a blank line.
pub(super) fn space_before(bytes: &[u8], floor: usize, from: usize) -> usize {
    let low = floor.max(from.saturating_sub(LEADER_MAX));
    let mut at = from;
    let mut broken = false;
    while at > low && is_space(bytes[at - 1]) {
        // The LF of a CRLF is not a second break.
        let half = bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
        if class::is_break(bytes[at - 1]) && !half {
            if broken {
                break;
            }
            broken = true;
        }
        at -= 1;
    }
    at
}

/// Searches back from `end` for a colon or equals sign, `URL` before it, and
/// perhaps `<` before that. White space may be between them.
pub(super) fn prefix_before(w: &Window<'_>, floor: usize, end: usize) -> Option<Prefix> {
    let bytes = w.bytes();
    let back = |from: usize| space_before(bytes, floor, from);
    if end <= floor || !matches!(bytes[end - 1], b':' | b'=') {
        return None;
    }
    let word_end = back(end - 1);
    let word = word_end.checked_sub(3).filter(|&at| at >= floor)?;
    if !bytes[word..word_end].eq_ignore_ascii_case(b"url")
        || (word > floor && bytes[word - 1].is_ascii_alphanumeric())
    {
        return None;
    }
    let before = back(word);
    let bracket = (before > floor && bytes[before - 1] == b'<').then(|| before - 1);
    // White space before the colon is allowed only in a wrapper.
    (bracket.is_some() || word_end == end - 1).then_some(Prefix { bracket })
}
