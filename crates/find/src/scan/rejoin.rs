//! White space inside a delimited URL: spaces, line breaks with indents and
//! leaders, and page breaks.

use super::leader::{self, Leader};
use super::limits::{NEXT_LINE_MAX, PAGE_LINES};
use super::window::Window;
use crate::text::class::{is_blank, is_break, is_space};

/// White space between two parts of a URL, with the leader and page furniture
/// in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) kind: GapKind,
    /// Index of the first byte of the gap.
    pub(super) start: usize,
    /// Index of the first mark of the leader. Equal to `end` if there is no
    /// leader.
    pub(super) leader: usize,
    /// Index after the last byte of the gap.
    pub(super) end: usize,
    /// Index of the first byte of the line after the break.
    pub(super) line: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GapKind {
    /// A line break, with the white space and the leader around it.
    Break,
    /// White space within a line.
    Space,
    /// Line breaks with page furniture between them.
    Page,
    /// Blank lines, before the line on which the wrapper closes.
    Blank,
}

/// Index after the line break at `i`: LF, CRLF or CR.
pub(super) fn after_break(w: &Window<'_>, i: usize) -> usize {
    match w.at(i) {
        Some(b'\r') if w.at(i + 1) == Some(b'\n') => i + 2,
        _ => i + 1,
    }
}

/// Reads the white space that starts at `start`, up to `limit`. `opener` is the
/// delimiter before the URL. `None` at the limit and at the end of the
/// haystack.
///
/// Also `None` at a blank line, because it ends an open candidate. There are
/// two exceptions: page furniture, and blank lines before the line on which the
/// wrapper closes. The second one needs `blank_ok` and an empty `leader`. A line
/// with only a leader is blank.
pub(super) fn gap(
    w: &Window<'_>,
    start: usize,
    leader: &Leader<'_>,
    opener: u8,
    limit: usize,
    blank_ok: bool,
) -> Option<Gap> {
    let mut i = start;
    let mut first_break = None;
    let mut marks = None;
    let mut line = start;
    loop {
        if i > limit {
            return None;
        }
        let b = w.at(i)?;
        if is_break(b) {
            if let Some(first) = first_break {
                if let Some(end) = page(w, first, opener) {
                    return Some(Gap {
                        kind: GapKind::Page,
                        start,
                        leader: end,
                        end,
                        line: end,
                    });
                }
                if !blank_ok || !leader.is_none() && !leader.is_quotation() {
                    return None;
                }
                return blank(w, first, leader).map(|gap| Gap { start, ..gap });
            }
            first_break = Some(i);
            i = after_break(w, i);
            line = i;
            while i <= limit && w.at(i).is_some_and(|b| is_space(b) && !is_break(b)) {
                i += 1;
            }
            let after = if leader.is_none() {
                leader::skip_lone(w, i)
            } else {
                leader.skip(w, i)
            };
            if after > i {
                marks = Some(i);
                i = after;
            }
        } else if is_space(b) {
            i += 1;
        } else {
            break;
        }
    }
    let kind = if first_break.is_some() {
        GapKind::Break
    } else {
        GapKind::Space
    };
    w.count(i - start);
    Some(Gap {
        kind,
        start,
        leader: marks.unwrap_or(i),
        end: i,
        line,
    })
}

/// Reads at most [`PAGE_LINES`] blank lines from the line break at `from`, which may have the marks
/// of a quotation. Returns the gap up to the text after them if the wrapper closes on that line. In a
/// quotation it must be one word, because its marks may close nothing.
fn blank(w: &Window<'_>, from: usize, leader: &Leader<'_>) -> Option<Gap> {
    let mut line = after_break(w, from);
    for _ in 0..PAGE_LINES {
        let marks = skip_indent(w, line);
        let after = leader.skip(w, marks);
        let text = skip_indent(w, after);
        w.count(text - line);
        if is_break(w.at(text)?) {
            line = after_break(w, text);
            continue;
        }
        let bytes = line_at(w, text);
        let found = memchr::memchr2(b'<', b'>', bytes);
        w.count(found.unwrap_or(bytes.len()));
        let is_word = |at: &usize| leader.is_none() || !bytes[..*at].iter().any(|b| is_blank(*b));
        found.filter(|&at| bytes[at] == b'>').filter(is_word)?;
        return Some(Gap {
            kind: GapKind::Blank,
            start: from,
            leader: if after > marks { marks } else { text },
            end: text,
            line: if after > marks { line } else { text },
        });
    }
    None
}

/// Reads page furniture from the line break at `from`. It consists of at most
/// [`PAGE_LINES`] lines: blank lines, a footer
/// (`Author   Informational   [Page 48]`), a form feed, and a header with a blank
/// line after it. Returns the index of the first byte of text after the
/// furniture. The lines must have a form feed, or both a footer and a header.
/// Otherwise they count as a blank line.
///
/// A line with `opener`, the delimiter of the candidate, is text. Otherwise
/// furniture could hide the start of the next candidate, and each candidate
/// would read over all later candidates.
fn page(w: &Window<'_>, from: usize, opener: u8) -> Option<usize> {
    let mut line = after_break(w, from);
    let mut feed = false;
    let mut footer = false;
    let mut header = false;
    for _ in 0..=PAGE_LINES {
        if header {
            // Only blank lines may follow.
            let bytes = blanks_at(w, line);
            w.count(bytes.len());
            let end = line + bytes.len();
            if bytes.len() < NEXT_LINE_MAX && !is_break(w.at(end)?) {
                return (feed || footer).then_some(end);
            }
            feed |= memchr::memchr(0x0C, bytes).is_some();
            line = after_break(w, end);
            continue;
        }
        let bytes = line_at(w, line);
        let text = bytes.trim_ascii();
        let has_feed = memchr::memchr(0x0C, bytes).is_some();
        let opens = memchr::memchr(opener, bytes).is_some();
        w.count(bytes.len());
        if text.is_empty() {
            feed |= has_feed;
        } else if !opens && is_footer(text) {
            footer = true;
            feed |= has_feed;
        } else if !opens
            && (feed || has_feed || footer)
            && !starts_indented(bytes)
            && blank_follows(w, line + bytes.len())
        {
            header = true;
            feed |= has_feed;
        } else {
            let indent = bytes.iter().take_while(|&&b| is_space(b)).count();
            return feed.then_some(line + indent);
        }
        w.at(line + bytes.len())?;
        line = after_break(w, line + bytes.len());
    }
    None
}

/// The line at `start` without its line break. At most [`NEXT_LINE_MAX`] bytes.
pub(super) fn line_at<'h>(w: &Window<'h>, start: usize) -> &'h [u8] {
    let bytes = w.slice(start, NEXT_LINE_MAX);
    match memchr::memchr2(b'\n', b'\r', bytes) {
        Some(len) => &bytes[..len],
        None => {
            if bytes.len() < NEXT_LINE_MAX {
                let _ = w.at(start + bytes.len());
            }
            bytes
        }
    }
}

/// The white space at `start`, without line breaks. At most [`NEXT_LINE_MAX`]
/// bytes.
fn blanks_at<'h>(w: &Window<'h>, start: usize) -> &'h [u8] {
    let bytes = w.slice(start, NEXT_LINE_MAX);
    let is_inner = |b: &u8| is_space(*b) && !is_break(*b);
    &bytes[..bytes.iter().take_while(|b| is_inner(b)).count()]
}

/// True if the text of a line does not start in its first column. A form feed
/// may come before the text. Headers always start in the first column.
fn starts_indented(line: &[u8]) -> bool {
    line.iter()
        .find(|&&b| b != 0x0C)
        .is_none_or(|&b| is_blank(b))
}

/// True if the line that ends at `end` is followed by a blank line.
fn blank_follows(w: &Window<'_>, end: usize) -> bool {
    if !w.at(end).is_some_and(is_break) {
        return false;
    }
    let start = after_break(w, end);
    let next = line_at(w, start);
    w.count(next.len());
    next.iter().all(|&b| is_space(b)) && w.at(start + next.len()).is_some()
}

/// True if a line ends with `[Page 48]`, as in the RFCs.
fn is_footer(text: &[u8]) -> bool {
    let Some(rest) = text.strip_suffix(b"]") else {
        return false;
    };
    let digits = rest
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    digits > 0
        && rest[..rest.len() - digits]
            .to_ascii_lowercase()
            .ends_with(b"[page ")
}

/// Index of the first byte at or after `i` on the same line that is not blank.
pub(super) fn skip_indent(w: &Window<'_>, i: usize) -> usize {
    let bytes = w.slice(i, NEXT_LINE_MAX);
    let len = bytes.iter().take_while(|&&b| is_blank(b)).count();
    if len == bytes.len() {
        let _ = w.at(i + len);
    }
    i + len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<Gap> {
        gap(
            &Window::new(text.as_bytes(), true),
            0,
            &Leader::default(),
            b'<',
            1000,
            false,
        )
    }

    #[test]
    fn reads_white_space() {
        assert_eq!(
            read("  x"),
            Some(Gap {
                kind: GapKind::Space,
                start: 0,
                leader: 2,
                end: 2,
                line: 0,
            })
        );
        assert_eq!(
            read(" \r\n\t x"),
            Some(Gap {
                kind: GapKind::Break,
                start: 0,
                leader: 5,
                end: 5,
                line: 3,
            })
        );
        assert_eq!(read("\rx").map(|g| g.kind), Some(GapKind::Break));
        assert_eq!(read("\n\nx"), None);
        assert_eq!(read("\n \t\r\nx"), None);
        assert_eq!(read("\n"), None);
    }

    #[test]
    fn reads_pages() {
        let page = "\n\n\nNystroem       Informational       [Page 48]\n\x0C\nRFC 4758    CT-KIP     November 2006\n\n\n   x";
        assert_eq!(
            read(page).map(|g| (g.kind, g.end)),
            Some((GapKind::Page, page.len() - 1))
        );
        assert_eq!(read("\n\x0C\nx").map(|g| g.kind), Some(GapKind::Page));
        let no_feed = "\n\nA. Author   [Page 1]\n\nRFC 1   T   1990\n\nx";
        assert_eq!(read(no_feed).map(|g| g.kind), Some(GapKind::Page));
        assert_eq!(read("\n\nA. Author   [Page 1]\nx"), None);
        let another = "\n\x0C\nA <URL:a>   November 2006\n\n\n   x";
        assert_eq!(read(another).map(|g| g.end), Some(3));
        let long = format!("\n\x0C{}x", "\n".repeat(PAGE_LINES + 1));
        assert_eq!(read(&long), None);
    }
}
