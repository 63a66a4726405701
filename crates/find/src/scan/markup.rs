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

/// True if a tag of BBCode at `i` closes one that stands on the line before the URL at
/// `start`: `[img]http://a.example/x.png[/img]`, `[quote="ann"]http://a.example/[/quote]`.
pub(super) fn closes_tag(w: &Window<'_>, start: usize, i: usize) -> bool {
    if w.at(i + 1) != Some(b'/') {
        return false;
    }
    let name = name(w, i + 2);
    !name.is_empty()
        && w.at(i + 2 + name.len()) == Some(b']')
        && is_open(w, start, b'[', name, b"]= ")
}

/// True if a macro of Jira ends at `i`, and stands on the line before the URL at `start`.
pub(super) fn closes_macro(w: &Window<'_>, start: usize, i: usize) -> bool {
    let name = name(w, i + 1);
    MACROS.iter().any(|known| name.eq_ignore_ascii_case(known))
        && w.at(i + 1 + name.len()) == Some(b'}')
        && is_open(w, start, b'{', name, b"}:")
}

/// The letters and digits at `from`. Empty if there are more than [`NAME_MAX`].
fn name<'h>(w: &Window<'h>, from: usize) -> &'h [u8] {
    let bytes = w.slice(from, NAME_MAX + 1);
    let len = bytes
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    if len == bytes.len() && len <= NAME_MAX {
        // More of the name may follow, which starves the window.
        w.at(from + len);
    }
    w.count(len);
    &bytes[..if len > NAME_MAX { 0 } else { len }]
}

/// True if `bracket`, `name` and one of `ends` are in this order on the line before
/// `start`. Linear in [`REACH`].
fn is_open(w: &Window<'_>, start: usize, bracket: u8, name: &[u8], ends: &[u8]) -> bool {
    let before = &w.bytes()[start.saturating_sub(REACH)..start];
    let line_start = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
    let line = &before[line_start..];
    w.count(line.len());
    memchr::memchr_iter(bracket, line).any(|at| {
        let tag = &line[at + 1..];
        let has_name = tag.len() > name.len() && tag[..name.len()].eq_ignore_ascii_case(name);
        has_name && ends.contains(&tag[name.len()])
    })
}
