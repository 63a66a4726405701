//! Tags that a text has directly after a URL, and that its line opened before the URL.

use super::window::Window;

/// The maximum length of the name of a tag.
const NAME_MAX: usize = 16;
/// The number of bytes before a URL in which its line is searched for the opening tag.
const REACH: usize = 512;

/// The macros of Jira and Confluence that end with the tag that begins them
/// (`{code:java}` … `{code}`; Atlassian, "Text Formatting Notation Help", "Advanced
/// Formatting"). Other names in braces after a URL may be those of a template
/// (`http://a.example/{id}`).
const MACROS: [&[u8]; 5] = [b"code", b"color", b"noformat", b"panel", b"quote"];

/// The tags of BBCode that stand around lines.
const BLOCKS: [&[u8]; 7] = [
    b"center", b"code", b"img", b"list", b"quote", b"spoiler", b"url",
];

/// The name of the tag of BBCode at `i` that closes another, such as that in
/// `[img]http://a.example/x.png[/img]` or `[quote="ann"]http://a.example/[/quote]`.
pub(super) fn closing_tag<'h>(w: &Window<'h>, i: usize) -> Option<&'h [u8]> {
    if w.at(i) != Some(b'[') || w.at(i + 1) != Some(b'/') {
        return None;
    }
    let name = name(w, i + 2);
    let closes = !name.is_empty() && w.at(i + 2 + name.len()) == Some(b']');
    closes.then_some(name)
}

/// The name of the macro of Jira that may end at `i`.
pub(super) fn closing_macro<'h>(w: &Window<'h>, i: usize) -> Option<&'h [u8]> {
    let name = name(w, i + 1);
    let is_known = MACROS.iter().any(|known| name.eq_ignore_ascii_case(known));
    (is_known && w.at(i + 1 + name.len()) == Some(b'}')).then_some(name)
}

/// The letters and digits at `from`. Empty if there are more than [`NAME_MAX`].
fn name<'h>(w: &Window<'h>, from: usize) -> &'h [u8] {
    let name = w
        .until(from, NAME_MAX + 1, |b| !b.is_ascii_alphanumeric())
        .text;
    if name.len() > NAME_MAX { b"" } else { name }
}

/// The index after the last line break of `text`.
fn line_start(text: &[u8]) -> usize {
    memchr::memrchr2(b'\n', b'\r', text).map_or(0, |at| at + 1)
}

/// The number of bytes before a URL in which what opens around it may be lines above.
pub(super) const ABOVE: usize = 32;

/// The index in `text`, which ends at a URL, of the line of the URL, or of the last [`ABOVE`] bytes if
/// they begin earlier.
pub(super) fn line_or_above(text: &[u8]) -> usize {
    line_start(text).min(text.len().saturating_sub(ABOVE))
}

/// The index after the last blank line of `text`.
fn paragraph_start(text: &[u8]) -> usize {
    let is_blank = |&at: &usize| {
        let next = &text[at + 1..];
        next.starts_with(b"\n") || next.starts_with(b"\r\n")
    };
    memchr::memrchr_iter(b'\n', text)
        .find(is_blank)
        .map_or(0, |at| at + 1)
}

/// True if a tag or macro with this bracket and name stands on the line before the URL at `start`,
/// or in its paragraph if it stands around lines. Linear in [`REACH`].
pub(super) fn is_open(w: &Window<'_>, start: usize, bracket: u8, name: &[u8]) -> bool {
    let ends: &[u8] = if bracket == b'[' { b"]= " } else { b"}:" };
    let before = &w.bytes()[start.saturating_sub(REACH)..start];
    let is_block = bracket == b'[' && BLOCKS.iter().any(|known| name.eq_ignore_ascii_case(known));
    let line = if is_block {
        let near = &before[line_or_above(before)..];
        &near[paragraph_start(near)..]
    } else {
        &before[line_start(before)..]
    };
    w.count(line.len());
    memchr::memchr_iter(bracket, line).any(|at| {
        let tag = &line[at + 1..];
        let has_name = tag.len() > name.len() && tag[..name.len()].eq_ignore_ascii_case(name);
        has_name && ends.contains(&tag[name.len()])
    })
}
