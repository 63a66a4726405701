//! The pages of a candidate: of how many bytes a view is made, how many more the next one has, and
//! whether the looks so far leave room for it.

use crate::scan::looks::{LOOKS, LOOKS_OF_SCHEME, LOOKS_OF_URL};
use crate::scan::state::{Outcome, State};
use crate::scan::window::Window;
use crate::text::class::is_space;
use crate::view::{self, NARROW, Sight, Wanted};
use urlgrep_base::span::Span;

/// The number of bytes of the first page after the place that disturbed the readers.
const PAGE: usize = 40;

/// The most bytes from the colon of a URL to the end of its row that rows of a terminal have.
const ROW_MAX: usize = 1024;

/// The maximum length of a line end.
const LINE_END: usize = 2;

/// How many times longer a page is than the one before, at most.
const GROWTH: usize = 3;

/// A page in the window.
pub(super) struct PageExtent {
    /// Index of the colon of the candidate.
    pub(super) colon: usize,
    /// Index after the last byte.
    pub(super) end: usize,
    /// No byte follows, or as many as any candidate needs are in the page.
    pub(super) is_whole: bool,
    pub(super) sight: Sight,
}

/// The pages of one candidate, each longer than the one before.
///
/// A page ends after a line or after a number of bytes, so its end depends on the text alone and not
/// on its chunks. A line of a live stream is read when it has ended.
#[derive(Clone, Copy)]
pub(super) struct Pages {
    /// Index of the colon of the candidate.
    pub(super) colon: usize,
    /// Index after the last byte of the page.
    pub(super) end: usize,
    /// No byte follows the page, or no page is longer.
    pub(super) is_whole: bool,
    /// The maximum number of bytes of the page after the colon, and of any page.
    len: usize,
    most: usize,
    /// The number of bytes of the pages after the first: of those that were needed to show the word,
    /// and of longer ones.
    pub(super) of_word: usize,
    pub(super) of_block: usize,
    /// The page is one that shows the word.
    pub(super) is_of_word: bool,
    /// The row of the URL is not too long for one of a list.
    pub(super) is_of_list: bool,
}

/// What became of the wish for a longer page.
pub(super) enum Grown {
    Longer,
    /// The window does not have it yet, and is starved.
    Waits,
    /// The looks over these bytes have cost too much.
    Denied,
}

impl State {
    /// Makes the page longer until it has what is `wanted`, if the looks over its bytes have not cost
    /// too much. `found` is what the text gave.
    pub(super) fn grow(
        &self,
        w: &Window<'_>,
        pages: &mut Pages,
        found: &Outcome,
        wanted: Wanted,
    ) -> Grown {
        if pages.is_whole {
            return Grown::Denied;
        }
        let next = if pages.have(w, wanted) {
            pages.next(w)
        } else {
            pages.next_with(w, wanted)
        };
        let Some(next) = next else {
            return Grown::Waits;
        };
        let is_url = matches!(found, Outcome::Candidate { .. });
        let (stretch, read, most) = if next.is_of_word {
            (&self.looks.word, next.of_word, LOOKS)
        } else {
            let is_listed = is_url && next.is_of_list;
            let most = if is_listed {
                LOOKS_OF_URL
            } else if may_break_scheme(w, pages.colon) || has_code_in_scheme(w, pages.colon) {
                LOOKS_OF_SCHEME
            } else {
                LOOKS
            };
            (&self.looks.block, next.of_block, most)
        };
        let place = Span::new(self.base + next.colon as u64, self.base + next.end as u64);
        if !stretch.allows(place, read, most) {
            return Grown::Denied;
        }
        *pages = next;
        Grown::Longer
    }

    /// Notes what the looks at a candidate cost, less what its own bytes pay.
    pub(super) fn pay(&mut self, w: &Window<'_>, pages: &Pages, outcome: &Outcome) {
        let colon = pages.colon;
        let passed = match outcome.resume() {
            Some(resume) => resume.saturating_sub(colon) * LOOKS as usize,
            None => 0,
        };
        let page = w.slice(colon, pages.end - colon);
        let place = |len: usize| {
            let start = self.base + colon as u64;
            Span::new(start, start + len as u64)
        };
        let word = place(word_end(page).unwrap_or(page.len()));
        self.looks
            .word
            .pay(word, pages.of_word.saturating_sub(passed));
        if pages.of_block > passed {
            let is_blank_line = |at: &usize| matches!(page.get(at + 1), Some(b'\r' | b'\n'));
            let end = memchr::memchr_iter(b'\n', page).find(is_blank_line);
            let block = place(end.unwrap_or(page.len()));
            self.looks.block.pay(block, pages.of_block - passed);
        }
    }

    /// True if the URL with the colon at `colon` stands in rows that the grammar has refused often.
    pub(super) fn is_among_refused(&self, colon: usize) -> bool {
        let start = self.base + colon as u64;
        let place = Span::new(start, start + 1);
        !self.looks.refused.allows(place, 1, 1)
    }
}

impl Pages {
    /// The first page of the candidate at `colon`, which a byte at `at` disturbed. `None` if the
    /// window does not have it yet.
    pub(super) fn first(w: &Window<'_>, colon: usize, at: usize, most: usize) -> Option<Pages> {
        let mut pages = Pages {
            colon,
            end: colon,
            is_whole: false,
            len: at.saturating_sub(colon) + PAGE,
            most,
            of_word: 0,
            of_block: 0,
            is_of_word: true,
            is_of_list: true,
        };
        pages.read(w, at.max(colon)).then_some(pages)
    }

    /// The page after this one: first the whole word and the bytes beside it, then the next line,
    /// then at least twice as many bytes as before. `None` if the window does not have it yet.
    pub(super) fn next(&self, w: &Window<'_>) -> Option<Pages> {
        let mut next = *self;
        let len = self.end - self.colon;
        let longer = (GROWTH * len).min(self.most);
        let seen = w.slice(self.colon, longer);
        let from = match word_end(seen) {
            // Only these bytes show where the word ends.
            None if seen.len() < longer && !w.is_end() => {
                w.at(w.bytes().len());
                return None;
            }
            None => {
                next.len = longer;
                longer
            }
            // The page ends before the word, or with its line.
            Some(word) if len <= word + LINE_END => {
                next.len = word + PAGE;
                next.is_of_word = true;
                word.max(len)
            }
            Some(_) if self.of_block == 0 => {
                next.len = longer;
                next.is_of_word = false;
                len
            }
            Some(_) => {
                next.len = longer;
                2 * len
            }
        };
        if !next.read(w, self.colon + from) {
            return None;
        }
        let read = next.end - next.colon;
        if next.is_of_word {
            next.of_word += read;
        } else {
            next.of_block += read;
        }
        Some(next)
    }

    /// Sets the end of a page of at most `len` bytes: the first end of a line after `from`, if there
    /// is one. Returns false if the window does not have it, which is then starved.
    fn read(&mut self, w: &Window<'_>, from: usize) -> bool {
        self.len = self.len.min(self.most);
        let limit = self.colon + self.len;
        let page = w.slice(0, limit);
        let line_end = memchr::memchr(b'\n', &page[from.min(page.len())..]);
        if line_end.is_none() && page.len() < limit && !w.is_end() {
            w.at(page.len());
            return false;
        }
        let read = self.end;
        self.end = line_end.map_or(page.len(), |len| from + len + 1);
        self.is_whole =
            self.end >= self.colon + self.most || line_end.is_none() && self.end < limit;
        // As `next_with`.
        let end = view::end_of_blank_line(&page[self.colon..self.end]).map(|end| self.colon + end);
        if let Some(end) = end.filter(|&end| read < end && end < self.end) {
            self.end = end;
            self.is_whole = false;
        }
        true
    }

    /// True if the page has what is `wanted`.
    pub(super) fn have(&self, w: &Window<'_>, wanted: Wanted) -> bool {
        let page = w.slice(self.colon, self.end - self.colon);
        wanted.len_in(page).is_some()
    }

    /// The page after this one that has what is `wanted`. From the third on it has at least twice as
    /// many bytes as the one before. `None` if the window does not have it yet.
    pub(super) fn next_with(&self, w: &Window<'_>, wanted: Wanted) -> Option<Pages> {
        let seen = w.slice(self.colon, self.most);
        let read = self.end - self.colon;
        let least = if self.of_block > read { 2 * read } else { 0 };
        let len = wanted.len_in(seen).and_then(|len| {
            if len >= least {
                return Some(len);
            }
            let rest = seen.get(least..)?;
            memchr::memchr(b'\n', rest).map(|lf| least + lf + 1)
        });
        // No row beyond a blank line is wanted, and what such rows cost must not count.
        let paragraph = view::end_of_blank_line(&seen[..len.unwrap_or(seen.len())]);
        let len = paragraph.filter(|&end| end > read).or(len);
        if len.is_none() && seen.len() < self.most && !w.is_end() {
            w.at(w.bytes().len());
            return None;
        }
        let mut next = *self;
        next.len = len.unwrap_or(seen.len());
        next.end = self.colon + next.len;
        next.is_whole = len.is_none() || next.len >= self.most;
        let row = &seen[..seen.len().min(ROW_MAX)];
        next.is_of_list = memchr::memchr(b'\n', row).is_some();
        next.is_of_word = false;
        next.of_block += next.len;
        Some(next)
    }

    pub(super) fn extent(&self, sight: Sight) -> PageExtent {
        PageExtent {
            colon: self.colon,
            end: self.end,
            is_whole: self.is_whole,
            sight,
        }
    }
}

/// True if a row of a terminal may have broken the scheme of the colon at `colon`: the row ends after
/// the colon, or begins with the rest of the scheme. Such a URL is found only with the rows around it.
fn may_break_scheme(w: &Window<'_>, colon: usize) -> bool {
    let seen = &w.bytes()[colon.saturating_sub(ROW_MAX)..colon];
    let start = memchr::memrchr(b'\n', seen).map_or(0, |lf| lf + 1);
    let (above, row) = seen.split_at(start);
    let after = w.slice(colon + 1, 3);
    let slashes = after.iter().take_while(|&&b| b == b'/').count();
    let is_last = slashes < 2
        && matches!(
            after.get(slashes),
            Some(b'\r' | b'\n' | b' ' | b'|' | 0x80..)
        );
    if is_last {
        return row.len() >= NARROW;
    }
    let is_first = row.trim_ascii_start().len() <= SCHEME_REST;
    let above = above.strip_suffix(b"\n").unwrap_or(above);
    let above = &above[memchr::memrchr(b'\n', above).map_or(0, |lf| lf + 1)..];
    is_first && slashes == 2 && above.len() >= NARROW
}

/// True if a program coloured a part of the scheme of the colon at `colon`, as where it shows what it
/// searched for. Such a URL is found only without the codes.
pub(super) fn has_code_in_scheme(w: &Window<'_>, colon: usize) -> bool {
    let before = &w.bytes()[colon.saturating_sub(CODE_NEAR)..colon];
    let name = before
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric());
    let has_code = name.count() < before.len() && memchr::memrchr(0x1B, before).is_some();
    has_code && w.slice(colon + 1, 2) == b"//"
}

/// The number of bytes before a colon in which a code of its scheme is searched for.
const CODE_NEAR: usize = 16;

/// The most letters of a scheme that begin a row.
const SCHEME_REST: usize = 4;

/// The index of the white space after the word that begins `text`, unless a backslash takes the
/// line end out.
pub(super) fn word_end(text: &[u8]) -> Option<usize> {
    let is_end = |at: &usize| is_space(text[*at]) && (*at == 0 || text[at - 1] != b'\\');
    (0..text.len()).find(is_end)
}
