//! Lines of a shell, in which a `;` ends a command.

use super::marks::REACH;
use super::window::Window;
use crate::text::class::{is_blank, is_break};
use crate::text::commands::{COMMAND_MAX, is_command};

/// The length of `text`, which begins with the URL at `start`, before the `;` and the next command, if
/// the line of the URL is of a shell: `curl https://a.example/x;ls`, `A=https://a.example/x;export B`.
#[inline]
pub(super) fn before_command(w: &Window<'_>, start: usize, text: &[u8]) -> Option<usize> {
    // Few URLs have one there.
    let near = text.len().saturating_sub(COMMAND_MAX + 1);
    let at = near + memchr::memrchr(b';', &text[near..])?;
    if is_command(&text[at + 1..]) {
        after_command(w, start, text.len()).then_some(at)
    } else {
        None
    }
}

/// True if the word of the URL of `len` bytes at `start` ends with it, and a command or an assignment is
/// before it on its line.
#[cold]
fn after_command(w: &Window<'_>, start: usize, len: usize) -> bool {
    let is_end = |b: u8| is_blank(b) || is_break(b) || b"\"'`".contains(&b);
    if !w.at(start + len).is_none_or(is_end) {
        return false;
    }
    let before = &w.bytes()[start.saturating_sub(REACH)..start];
    let line = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
    let line = &before[line..];
    w.count(line.len());
    let name = line.strip_suffix(b"=");
    let last = name.and_then(|name| name.last());
    last.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        || line
            .split(|b| is_blank(*b) || b"\"'`;|&($".contains(b))
            .any(is_command)
}
