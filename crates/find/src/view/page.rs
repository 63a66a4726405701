//! What a layer gets, a [`Page`], and what it gives: [`Edits`].

use std::borrow::Cow;
use std::cell::Cell;

use super::controls::Codes;
use urlgrep_base::span::SeamKind;

/// Stands in a view where an escape ends the text of a URL, such as `\n`. No document allows a
/// control byte in a URL, and the layer of control codes has removed all others.
pub(crate) const END: u8 = 0x1F;

/// The longest word that a layer looks at.
pub(super) const WORD_MAX: usize = 1024;

/// What is known of the text that a page is from.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sight {
    /// It is text without a header, which may be from a terminal.
    pub(crate) has_rows: bool,
    /// A drawn bar ends a URL, although the rows around it may not be read, because too many URLs in
    /// them were refused.
    pub(crate) has_bars: bool,
    /// Edits that are only a guess are left out.
    pub(crate) is_sure: bool,
    /// To join rows is only a guess, whatever shows it.
    pub(crate) guesses_rows: bool,
    /// Defanged URLs are read as they were meant.
    pub(crate) refangs: bool,
}

/// The bytes around a candidate.
pub(crate) struct Page<'p> {
    pub(crate) bytes: &'p [u8],
    /// The place of the first byte in the haystack. Only the first layer reads bytes that have one.
    pub(crate) from: u64,
    /// Index of the colon of the candidate's scheme.
    pub(crate) colon: usize,
    /// Index of the first byte of the paragraph of the candidate: after a blank line, or at the start of the
    /// text. `None` if that is before the page.
    pub(crate) paragraph: Option<usize>,
    /// No byte follows the page.
    pub(crate) is_end: bool,
    pub(crate) sight: Sight,
    /// The number of bytes before the candidate that the layers looked at. For the tests of
    /// linear time.
    pub(crate) behind: &'p Cell<usize>,
    /// The codes before the candidates so far.
    pub(crate) codes: &'p Cell<Codes>,
}

/// The maximum length of a blank line and of the line end before it.
pub(crate) const BLANK_LINE: usize = 4;

/// More rows than any layer reads above that of a candidate.
const ABOVE: usize = 16;

/// Index after the last blank line of `text`, unless more rows than any layer reads follow it.
pub(crate) fn after_blank_line(text: &[u8]) -> Option<usize> {
    let mut lfs = memchr::memrchr_iter(b'\n', text).take(ABOVE);
    let mut last = lfs.next()?;
    for lf in lfs {
        if is_blank(&text[lf + 1..last]) {
            return Some(last + 1);
        }
        last = lf;
    }
    None
}

/// Index after the first blank line of `text`, which begins inside of a line.
pub(crate) fn end_of_blank_line(text: &[u8]) -> Option<usize> {
    let mut lfs = memchr::memchr_iter(b'\n', text);
    let mut last = lfs.next()?;
    for lf in lfs {
        if is_blank(&text[last + 1..lf]) {
            return Some(lf + 1);
        }
        last = lf;
    }
    None
}

/// True for a line without its end that is blank, as [`is_ground`](crate::scan::is_ground) takes it.
fn is_blank(line: &[u8]) -> bool {
    matches!(line, [] | [b'\r'])
}

/// Bytes of a page that a reader does not see as they are.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    /// Index of the first byte.
    pub(super) start: usize,
    /// Index after the last byte.
    pub(super) end: usize,
    pub(super) kind: SeamKind,
    /// What a reader sees instead. Empty if the bytes are removed.
    pub(super) becomes: Cow<'static, [u8]>,
    /// It is only a guess. A URL that depends on it is an alternate.
    pub(super) is_weak: bool,
}

/// What a layer found in a page.
#[derive(Debug, Default)]
pub(crate) struct Edits {
    /// In order. They do not overlap.
    pub(super) list: Vec<Edit>,
    /// The layer cannot decide what follows this index without the bytes after the page.
    pub(super) cut: Option<usize>,
    /// What a page must have so that the layer can decide.
    pub(super) wanted: Wanted,
}

/// What a page must have at least after the colon. A shorter one need not be read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted {
    /// The number of line ends. Fewer suffice if one of them ends a blank line.
    pub(super) lines: usize,
    /// As many more, or fewer if one of their rows has more than `edge` bytes.
    pub(super) more: usize,
    pub(super) edge: usize,
    /// At least one byte follows all of them.
    pub(super) has_next: bool,
}

impl Wanted {
    /// The number of bytes of `text`, which begins with the colon, that have it.
    pub(crate) fn len_in(self, text: &[u8]) -> Option<usize> {
        if self.lines == 0 {
            return Some(0);
        }
        let mut line_ends = memchr::memchr_iter(b'\n', text);
        let mut end = line_ends.next()?;
        for read in 1..self.lines + self.more {
            let next = line_ends.next()?;
            let row = text[end + 1..next].trim_ascii_end();
            // The text of a layer ends with a blank line.
            if matches!(text[end + 1..=next], [b'\n'] | [b'\r', b'\n']) {
                return Some(next + 1);
            }
            end = next;
            if read >= self.lines && row.len() > self.edge {
                break;
            }
        }
        let len = end + 1 + usize::from(self.has_next);
        (len <= text.len()).then_some(len)
    }
}

impl Edits {
    pub(super) fn push(
        &mut self,
        start: usize,
        end: usize,
        kind: SeamKind,
        becomes: impl Into<Cow<'static, [u8]>>,
    ) {
        self.list.push(Edit {
            start,
            end,
            kind,
            becomes: becomes.into(),
            is_weak: false,
        });
    }

    /// Sets whether the last edit is only a guess.
    pub(super) fn set_weak(&mut self, yes: bool) {
        if let Some(last) = self.list.last_mut() {
            last.is_weak = yes;
        }
    }
}
