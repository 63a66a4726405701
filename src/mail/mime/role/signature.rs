//! Signatures after `--`, `---` or a line that closes a letter. Only the text after such a
//! line shows whether it begins a signature.

use std::mem::take;

use memchr::{memchr, memmem};

use super::{FOOTER_BYTES, Role, RoleTracker};

/// The maximum number of lines of a signature that does not follow `-- `. Blank
/// lines do not count.
pub(super) const SIGNATURE_LINES: u64 = 10;
/// Text after `--` is a part of a letter and no signature if its first line has this many
/// characters, it has more than this many lines, and a last paragraph of at least
/// [`PARAGRAPH`] lines.
pub(super) const PROSE: usize = 50;
const DIVIDED_LINES: u64 = 6;
const PARAGRAPH: u64 = 4;

/// The maximum length of the name of an author.
const NAME_BYTES: usize = 80;

/// A line after which a signature may begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    pub(super) at: u64,
    /// The number of earlier lines with words.
    pub(super) worded: u64,
    /// The line closes a letter (`Yours,`).
    pub(super) closing: bool,
    /// The next line is longer than the name of an author.
    pub(super) is_prose: bool,
}

/// The bytes between words.
static BREAKS: [bool; 256] = {
    let (mut breaks, mut b) = ([false; 256], 0);
    while b < 128 {
        breaks[b] = !(b as u8).is_ascii_alphanumeric();
        b += 1;
    }
    breaks
};

/// The words of a line or a name.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = text.split(|&b| BREAKS[usize::from(b)]);
    words.filter(|word| word.len() > 2)
}

/// The name in a From field: `Jo` in `Jo <a@b.example>`, in `a@b.example (Jo)`, and in
/// `Jo via list <list@b.example>`. Without a name, the address up to `@`.
fn author(from: &[u8]) -> &[u8] {
    let name = match (memchr(b'<', from), memchr(b'(', from)) {
        (Some(at @ 1..), _) => &from[..at],
        (_, Some(at)) => &from[at..],
        _ => from,
    };
    let end = memmem::find(name, b" via ").or_else(|| memchr(b'@', name));
    &name[..end.unwrap_or(name.len()).min(NAME_BYTES)]
}

/// A bit for the first letter of a word.
fn initial(first: u8) -> u32 {
    1 << (first & 31)
}

/// A bit for the length and the first letter of a word.
fn outline(word: &[u8]) -> u64 {
    1 << ((word.len() * 5 + usize::from(word[0] & 31)) & 63)
}

impl RoleTracker {
    pub(super) fn set_author(&mut self, from: &[u8]) {
        self.author.extend_from_slice(author(from));
        (self.initials, self.outlines) = words(&self.author).fold((0, 0), |sets, word| {
            (sets.0 | initial(word[0]), sets.1 | outline(word))
        });
    }

    /// True if the line is or begins with the name of the author. `first` is the first byte
    /// after the indent.
    pub(super) fn names_author(&self, line: &[u8], first: u8) -> bool {
        // A name may have a mark before it, as in `-- Jo`, `*Jo*` or `// Jo`.
        let is_mark = matches!(
            first,
            b'-' | b'|' | b'*' | b'/' | b'#' | b'~' | b'_' | b'\\'
        );
        let letter = match is_mark {
            true => words(line).next().map(|word| &word[0]),
            false => Some(&first),
        };
        if letter.is_none_or(|&b| self.initials & initial(b) == 0) {
            return false;
        }
        let is_name = |word: &[u8]| {
            self.outlines & outline(word) != 0
                && words(&self.author).any(|w| w.eq_ignore_ascii_case(word))
        };
        let mut line = words(line);
        let begins = line.next().is_some_and(is_name);
        match line.next().is_some_and(is_name) {
            true => begins || line.next().is_none(),
            false => begins && line.next().is_none(),
        }
    }

    pub(super) fn push_signs(&mut self, closing: bool) {
        if self.base == 0 {
            let (at, worded) = (self.line_start, self.worded + self.quoted);
            self.dashes.push_back(Signs {
                at,
                worded,
                closing,
                is_prose: false,
            });
        }
    }

    /// Counts a line, which may have words.
    #[inline]
    pub(super) fn count(&mut self, role: Role, has_words: bool) {
        match role {
            Role::Quoted(depth) => {
                self.quoted += u64::from(has_words);
                if depth > self.base.max(self.within.rest.into()) {
                    // A footer quotes nothing.
                    self.rules.clear();
                    self.kept.clear();
                    self.after = None;
                }
                return;
            }
            _ if has_words => {
                let at = self.line_start;
                if self.quoted > 0 && self.rules.back().is_none_or(|rule| rule.at < at) {
                    // An answer below a quotation: the letter was not closed above it.
                    self.dashes.retain(|signs| !signs.closing || signs.at == at);
                }
                self.worded += take(&mut self.quoted) + 1;
            }
            _ => self.blank_after = self.worded,
        }
        if !self.dashes.is_empty() {
            self.give_up_signs();
        }
    }

    /// Forgets lines after which a signature would be too long, or a letter.
    fn give_up_signs(&mut self) {
        // Each line is asked about all of them, so that the result does not depend on chunks.
        let (worded, blank) = (self.worded, self.blank_after);
        let rule = self.rules.back().map(|rule| rule.at);
        self.dashes.retain(|signs| {
            let is_letter = signs.is_prose
                && blank > signs.worded + 1
                && worded >= blank + PARAGRAPH
                && worded > signs.worded + 1 + DIVIDED_LINES
                && rule.is_none_or(|at| at < signs.at);
            !is_letter && worded <= signs.worded + SIGNATURE_LINES + 1
        });
    }

    /// The place after which the first `--` is too far back.
    pub(super) fn far_sign(&self) -> u64 {
        let first = self.dashes.front();
        first.map_or(u64::MAX, |signs| signs.at + FOOTER_BYTES)
    }

    /// Before a line that ends at `end`: decides about a `--` that is too far back for the
    /// end of the part to decide. If only its signature and a quotation follow, the author
    /// wrote above the quotation.
    pub(super) fn sign_above_quotation(&mut self, end: u64) {
        while let Some(&Signs { at, worded, .. }) = self.dashes.front()
            && end > at + FOOTER_BYTES
        {
            if self.quoted > 0 && self.worded - worded <= SIGNATURE_LINES + 1 {
                self.sign(at);
            }
            self.dashes.pop_front();
        }
    }

    /// Turns body text from `from` on into a signature.
    pub(super) fn sign(&mut self, from: u64) {
        let first = self.runs.partition_point(|&(at, _)| at < from);
        if first > 0 && self.runs[first - 1].1 == Role::Body {
            self.runs.insert(first, (from, Role::Body));
        }
        for (_, role) in self.runs.range_mut(first..) {
            if *role == Role::Body {
                *role = Role::Signature;
            }
        }
    }
}
