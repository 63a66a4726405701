//! Runs of white space.

use super::role::letters::has_single_blanks;

/// Makes one blank of each run of white space in `text` from `start` on, and none of those at its
/// ends. Time is linear in the text.
pub(super) fn one_blank(text: &mut Vec<u8>, start: usize) {
    // Fast path: nearly all values are so already.
    let value = &text[start..];
    if !value.starts_with(b" ") && has_single_blanks(value) {
        if !value.is_empty() {
            text.pop_if(|last| *last == b' ');
        }
        return;
    }
    let mut before = b' ';
    let is_kept = |&byte: &u8| {
        let is_plain = !byte.is_ascii_whitespace() || byte == b' ' && before != b' ';
        before = byte;
        is_plain
    };
    let done = start + text[start..].iter().copied().take_while(is_kept).count();
    let mut end = done;
    for at in done..text.len() {
        let byte = text[at];
        if !byte.is_ascii_whitespace() {
            text[end] = byte;
            end += 1;
        } else if end > start && text[end - 1] != b' ' {
            text[end] = b' ';
            end += 1;
        }
    }
    text.truncate(end);
    if end > start {
        text.pop_if(|last| *last == b' ');
    }
}
