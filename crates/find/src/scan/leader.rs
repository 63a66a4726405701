//! Quote and comment marks at the start of a line.

use super::limits::LEADER_MAX;
use super::window::Window;
use crate::text::bars;
use crate::text::class::{is_blank, is_break};

/// The marks before the text of a line:
///
/// * `>`, `>>`, `JS>`, `|`, `#`, `*`, `%`, `;`, `:`, `}`, `//`, and the sides of
///   a box.
/// * As the first bytes of a line: the `+`, `-`, `<` and `! ` of a diff, and the `--`
///   of a comment.
///
/// White space between marks is ignored, because mailers add and remove it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Leader<'h> {
    /// The bytes from the first mark to the last. Empty if the line has no
    /// marks.
    marks: &'h [u8],
}

impl<'h> Leader<'h> {
    /// The leader of the line that starts at `line`. It ends before `open`,
    /// where the candidate opens. Empty if it is longer than [`LEADER_MAX`].
    pub(super) fn of(bytes: &'h [u8], line: usize, open: usize) -> Leader<'h> {
        let text = &bytes[line.min(open)..open];
        // Without a limit, each wrapper on a line would read the whole indent
        // again. The 16 bytes are enough for one more mark. So a leader that is
        // too long is detected, not cut.
        let text = &text[..text.len().min(LEADER_MAX + 16)];
        let first = text.iter().take_while(|&&b| is_blank(b)).count();
        let (mut i, mut end) = (first, first);
        while let Some(len) = mark(&text[i..], i == 0) {
            // A word of the text, such as a tag: ` * #note`.
            if i > first && matches!(text[i..], [b'#', b, ..] if b.is_ascii_alphanumeric()) {
                break;
            }
            i += len;
            end = i;
            i += text[i..].iter().take_while(|&&b| is_blank(b)).count();
            if i > LEADER_MAX {
                return Leader::default();
            }
        }
        Leader {
            marks: &text[first..end],
        }
    }

    /// True if the line has no leader.
    pub(super) fn is_none(&self) -> bool {
        self.marks.is_empty()
    }

    /// True if the leader may be the mark of an item: the lines of an item have it once, and
    /// those of a quotation all.
    pub(super) fn is_of_item(&self) -> bool {
        !self.marks.iter().any(|b| matches!(b, b'>' | b'|'))
    }

    /// True if all marks are those of a quotation.
    pub(super) fn is_quotation(&self) -> bool {
        !self.is_none() && self.marks.iter().all(|b| *b == b'>' || is_blank(*b))
    }

    /// The bytes from the first mark to the last.
    pub(super) fn marks(&self) -> &'h [u8] {
        self.marks
    }

    /// Matches this leader at `from`, the first byte after the indent of a
    /// continuation line. Returns the index after its marks. If the line has
    /// only the marks of the outer quotation, returns the index after these. If
    /// re-wrapping lost the leader, returns `from`.
    pub(super) fn skip(&self, w: &Window<'_>, from: usize) -> usize {
        let mut i = from;
        for &mark in self.marks.iter().filter(|&&b| !is_blank(b)) {
            let at = skip_blanks(w, i);
            if w.at(at) != Some(mark) {
                // Either only the marks of the outer quotation are there (`> `
                // of `> 2> `), or the line has no leader.
                return if i > from && w.at(i - 1) == Some(b'>') {
                    i
                } else {
                    from
                };
            }
            i = at + 1;
        }
        // Another `>` without a space before it is a further level of
        // quotation. After a space it would close a wrapper.
        if self.marks.ends_with(b">") {
            while w.at(i) == Some(b'>') && i - from < LEADER_MAX {
                i += 1;
            }
        }
        i
    }
}

/// Index after the `>` and blanks at `from`. Reads at most [`LEADER_MAX`]
/// bytes.
pub(super) fn skip_quotes(w: &Window<'_>, from: usize) -> usize {
    let mut at = from;
    while at - from < LEADER_MAX && w.at(at).is_some_and(|b| b == b'>' || is_blank(b)) {
        at += 1;
    }
    at
}

/// Index of the `>` after initials and blanks at `from`, as in `AB >> text`. `from` if there is
/// none.
pub(super) fn skip_initials(w: &Window<'_>, from: usize) -> usize {
    const INITIALS_MAX: usize = 4;
    let mut at = from;
    while at - from < INITIALS_MAX && w.at(at).is_some_and(|b| b.is_ascii_uppercase()) {
        at += 1;
    }
    let mark = skip_blanks(w, at);
    if at > from && w.at(mark) == Some(b'>') {
        mark
    } else {
        from
    }
}

/// Index after a mark at `from` that the previous line lacks. `from` if there
/// is no such mark.
///
/// After the mark, the line must have a blank and then text. No URL continues
/// with these bytes, so the mark is not part of the URL. If the line has no such
/// text, the mark belongs to the URL, and a blank after it belongs to the line
/// break. A `>` is not such a mark, because it closes a wrapper.
pub(super) fn skip_lone(w: &Window<'_>, from: usize) -> usize {
    let len = match w.at(from) {
        Some(b'|' | b'#' | b'*' | b'%' | b';' | b':' | b'}' | b'+') => 1,
        Some(b'/') if w.at(from + 1) == Some(b'/') => 2,
        Some(b'-') if w.at(from + 1) == Some(b'-') => 2,
        Some(b'-') => 1,
        _ => return from,
    };
    let text = skip_blanks(w, from + len);
    let ends = w.at(text).is_none_or(|b| is_break(b) || b == b'>');
    if text > from + len && !ends {
        from + len
    } else {
        from
    }
}

/// Index of the first byte at or after `i` that is not a space or tab. Reads at
/// most [`LEADER_MAX`] bytes.
pub(super) fn skip_blanks(w: &Window<'_>, i: usize) -> usize {
    let mut at = i;
    while at - i < LEADER_MAX && w.at(at).is_some_and(is_blank) {
        at += 1;
    }
    at
}

/// The length of the mark at the start of `text`. `first` means that `text` is
/// the start of its line.
fn mark(text: &[u8], first: bool) -> Option<usize> {
    match *text.first()? {
        b'>' | b'|' | b'#' | b'*' | b'%' | b';' | b':' | b'}' => Some(1),
        b'/' if text.starts_with(b"//") => Some(2),
        // The old side of a diff, and a changed line of a context diff. Below: a comment
        // of SQL, Lua or Ada.
        b'<' | b'!' if first && text.get(1).copied().is_some_and(is_blank) => Some(1),
        b'-' if first && text.starts_with(b"--") && text.get(2).copied().is_some_and(is_blank) => {
            Some(2)
        }
        b'+' | b'-' if first => Some(1),
        // U+2502, U+2503 and U+2551 are the sides of a box.
        0xE2 => bars::side(text).map(str::len),
        // Supercite puts initials before the mark: `JS> `, `2> `.
        b if b.is_ascii_alphanumeric() => {
            let len = text
                .iter()
                .take(9)
                .take_while(|b| b.is_ascii_alphanumeric())
                .count();
            (len < 9 && text.get(len) == Some(&b'>')).then_some(len + 1)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leader(line: &str) -> &[u8] {
        Leader::of(line.as_bytes(), 0, line.len()).marks
    }

    #[test]
    fn knows_the_marks_of_mail() {
        for (line, marks) in [
            ("> see ", ">"),
            (">> > see ", ">> >"),
            (" JS> see ", "JS>"),
            ("> 2> and ", "> 2>"),
            ("| ", "|"),
            ("# x", "#"),
            ("// x", "//"),
            ("+ x", "+"),
            ("! x", "!"),
            ("!x", ""),
            ("│ x", "│"),
            ("see ", ""),
            ("a + b", ""),
        ] {
            assert_eq!(leader(line), marks.as_bytes(), "{line:?}");
        }
    }

    #[test]
    fn skips_the_same_leader_again() {
        let skip = |marks: &str, next: &str| {
            let w = Window::new(next.as_bytes(), true);
            Leader {
                marks: marks.as_bytes(),
            }
            .skip(&w, 0)
        };
        assert_eq!(skip("> >", "> > x"), 3);
        assert_eq!(skip("> >", ">> x"), 2);
        assert_eq!(skip(">", ">> x"), 2);
        assert_eq!(skip(">", "> > x"), 1);
        assert_eq!(skip(">>", "> x"), 1);
        assert_eq!(skip("JS>", "JS> x"), 3);
        assert_eq!(skip("JS>", "JSON"), 0);
        assert_eq!(skip("#", "x"), 0);
        assert_eq!(skip("", "> x"), 0);
    }
}
