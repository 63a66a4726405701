//! Looks at a candidate a second time, through the view of its page.
//!
//! The readers of candidates record in their [`Window`] where a byte disturbed them: a backslash, a
//! control code, the end of a row of a terminal. Then this module makes the [`View`] of the bytes around the
//! candidate, lets the same readers read that, and maps what they found back to the haystack.

use std::cell::Cell;

use super::candidate::{Candidate, Doubt, Reading, ReadingKind, Readings};
use super::class::is_space;
use super::delimited::Draft;
use super::gateway;
use super::state::{Outcome, State};
use super::window::Window;
use super::{AHEAD, ALTERNATES_MAX, BEHIND, SCHEME_MAX};
use crate::view::{self, Page, Placed, Refanged, Sight, View, Wanted};
use urlgrep_base::span::{Seam, SeamKind, Span, extent};

/// The number of bytes of the first page after the place that disturbed the readers.
const PAGE: usize = 40;

/// The most bytes from the colon of a URL to the end of its row that rows of a terminal have.
const ROW_MAX: usize = 1024;

/// The maximum length of a line end.
const LINE_END: usize = 2;

/// How many times longer a page is than the one before, at most.
const GROWTH: usize = 3;

/// The most times that a byte is read for longer pages whose looks found nothing. So the cost of all
/// looks is linear in the text.
const LOOKS: u64 = 2;
/// The same for the rows around what is a URL without them too. Each of a list of URLs needs those
/// around it, and no URL is as short as the candidates of hostile texts.
const LOOKS_OF_URL: u64 = 32;

/// What the readers found in a view.
enum Seen {
    /// The view shows no more than the text. `has_rows` if rows were joined in it.
    Nothing { has_rows: bool },
    /// The page must be longer. `is_undecided` if a layer shows nothing of the URL in this one.
    Starved { is_undecided: bool, wanted: Wanted },
    /// The candidate was read again. The index is where the scan continues.
    Candidate(usize),
    /// The URL is too long. The indexes are those of its first byte and of the limit.
    TooLong { start: usize, resume: usize },
}

/// A page in the window.
struct PageExtent {
    /// Index of the colon of the candidate.
    colon: usize,
    /// Index after the last byte.
    end: usize,
    /// No byte follows, or as many as any candidate needs are in the page.
    is_whole: bool,
    sight: Sight,
}

/// The pages of one candidate, each longer than the one before.
///
/// A page ends after a line or after a number of bytes, so its end depends on the text alone and not
/// on its chunks. A line of a live stream is read when it has ended.
#[derive(Clone, Copy)]
struct Pages {
    /// Index of the colon of the candidate.
    colon: usize,
    /// Index after the last byte of the page.
    end: usize,
    /// No byte follows the page, or no page is longer.
    is_whole: bool,
    /// The maximum number of bytes of the page after the colon, and of any page.
    len: usize,
    most: usize,
    /// The number of bytes of the pages after the first: of those that were needed to show the word,
    /// and of longer ones.
    of_word: usize,
    of_block: usize,
    /// The page is one that shows the word.
    is_of_word: bool,
    /// The row of the URL is not too long for one of a list.
    is_of_list: bool,
}

/// What became of the wish for a longer page.
enum Grown {
    Longer,
    /// The window does not have it yet, and is starved.
    Waits,
    /// The looks over these bytes have cost too much.
    Denied,
}

/// Bytes over which looks found nothing. A candidate after their end begins another stretch.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    start: u64,
    end: u64,
    /// The number of bytes of all pages but the first of each candidate.
    read: u64,
}

/// What the looks so far have cost. They pay for the bytes that they read, so it depends on the
/// text alone how far a candidate can look, and nothing is left of it where a range begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Looks {
    /// Pages that show a word, and longer ones, which concern its paragraph. A word can always be
    /// read, whatever stands before it.
    word: Stretch,
    block: Stretch,
    /// What was read of words as they are written, where their views end before that.
    written: Stretch,
    /// The rows of URLs that the grammar refused, so that the scan continues before their end.
    refused: Stretch,
}

impl State {
    /// Examines the byte at `colon`, through a view if the text calls for it.
    pub(super) fn decide(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let start = self.base + colon as u64;
        // Nearly always, because few texts have looks.
        let is_free = start >= self.looks.written.end;
        if is_free
            || self
                .looks
                .written
                .allows(Span::new(start, start + 1), 1, LOOKS)
        {
            self.decide_once(w, colon, out, draft)
        } else {
            self.decide_briefly(w, colon, out, draft)
        }
    }

    /// As [`decide`](State::decide), in a long word with many URLs, which would all read the whole
    /// word again.
    #[cold]
    fn decide_briefly(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        w.is_brief.set(true);
        let brief = self.decide_once(w, colon, out, draft);
        w.is_brief.set(false);
        if !matches!(brief, Outcome::TooLong { .. }) || w.is_starved() {
            return brief;
        }
        *out = Candidate::default();
        let _ = w.take_disturbed();
        self.decide_once(w, colon, out, draft)
    }

    /// Inlined, because each colon is decided here.
    #[inline(always)]
    fn decide_once(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        if self.config.sight.refangs {
            self.disturb_defanged(w, colon);
        }
        let found = self.examine(w, colon, out, draft);
        if matches!(found, Outcome::Candidate { .. })
            && let Some(end) = out.readings.first_segment_end()
        {
            let end = (end - self.base) as usize;
            // Few URLs end beside a quotation mark.
            let is_quote = |at: usize| matches!(w.bytes().get(at), Some(b'"' | b'\''));
            if is_quote(end) {
                disturb_literal(w, end);
            } else if is_quote(end - 1) {
                disturb_literal(w, end - 1);
            }
        }
        let found = match found {
            Outcome::Candidate { resume } if out.readings.have_seams() && !w.is_starved() => {
                let resume = self.without_refused_lines(w, colon, out, resume);
                Outcome::Candidate { resume }
            }
            found => found,
        };
        match w.take_disturbed() {
            // The draft of 1994 whose URLs may have a backslash is read to the letter.
            Some(at) if !w.is_starved() && !self.config.national => {
                self.decide_through(w, colon, at, found, out, draft)
            }
            _ => found,
        }
    }

    /// What a view shows of the candidate at `colon`, which a byte at `at` disturbed. `found` and
    /// `out` are what the text gave.
    #[cold]
    fn decide_through(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        at: usize,
        found: Outcome,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let written = found.resume();
        let outcome = self.look_through(w, colon, at, found, out, draft);
        if let (Some(written), Some(resume)) = (written, outcome.resume())
            && resume < written
        {
            let start = self.base + colon as u64;
            let place = Span::new(start, self.base + written as u64);
            self.looks.written.pay(place, written - resume);
        }
        outcome
    }

    /// Disturbs the readers if the URL with the colon at `colon` is defanged.
    #[cold]
    fn disturb_defanged(&self, w: &Window<'_>, colon: usize) {
        let floor = self.floor.saturating_sub(self.base) as usize;
        match view::read_defanged(&w.bytes()[floor..], colon - floor, w.is_end()) {
            Refanged::Plain => {}
            Refanged::Undecided => {
                w.at(w.bytes().len());
            }
            Refanged::Defanged(_) => w.disturb(colon),
        }
    }

    /// Reads the candidate again through the view of its page. `found` and `out` are what the text
    /// gave, and `at` is the index of the byte that disturbed the readers.
    #[cold]
    fn look_through(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        at: usize,
        found: Outcome,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let mut sight = self.config.sight;
        sight.has_rows &= !has_own_end(&out.readings);
        // Each URL in rows that are refused would read all of them.
        let is_refused = sight.has_rows && self.is_among_refused(colon);
        sight.has_rows &= !is_refused;
        let mut guess = Guess {
            is_short: is_refused,
            ..Guess::default()
        };
        let Some(mut pages) = self.first_page(w, colon, at, &found, sight) else {
            return found;
        };
        loop {
            let mut viewed = Candidate::default();
            match self.read_view(w, &pages.extent(sight), &mut viewed, draft) {
                Seen::Starved {
                    is_undecided,
                    wanted,
                } => match self.grow(w, &mut pages, &found, wanted) {
                    Grown::Longer => {}
                    Grown::Waits => return found,
                    Grown::Denied if sight.has_rows && is_undecided => {
                        // Only the rows after these show whether the URL goes on. What its own
                        // word shows is read without them.
                        sight.has_rows = false;
                        guess.is_short = true;
                    }
                    Grown::Denied => {
                        guess.is_short = true;
                        guess.note(out, &found);
                        self.pay(w, &pages, &found);
                        return found;
                    }
                },
                // An escape that the rows broke may be read without them.
                ref seen if self.hide_rows(seen, &found, &viewed) => sight.has_rows = false,
                Seen::Candidate(_) if viewed.is_guess && guess.is_none() => {
                    // What is sure comes first, and the guess is an alternate.
                    guess.candidate = Some(viewed);
                    sight.is_sure = true;
                }
                Seen::TooLong { .. } if sight.has_rows && !sight.is_sure => {
                    guess.is_too_long = true;
                    sight.is_sure = true;
                }
                Seen::TooLong { start, resume } => {
                    *out = viewed;
                    return Outcome::TooLong { start, resume };
                }
                seen => {
                    let merged = match seen {
                        Seen::Candidate(resume) => {
                            let text = |span: Span| text_at(w, self.base, span);
                            merge(&found, out, viewed, resume, text)
                        }
                        _ => None,
                    };
                    let outcome = merged.unwrap_or(found);
                    guess.note(out, &outcome);
                    self.pay(w, &pages, &outcome);
                    return outcome;
                }
            }
        }
    }

    /// The first page of the candidate at `colon`, which a byte at `at` disturbed, with the rows that
    /// a layer surely wants. `None` if the window does not have it yet.
    fn first_page(
        &self,
        w: &Window<'_>,
        colon: usize,
        at: usize,
        found: &Outcome,
        sight: Sight,
    ) -> Option<Pages> {
        let mut pages = Pages::first(w, colon, at, self.page_max())?;
        if sight.has_rows {
            let low = colon.saturating_sub(BEHIND);
            let wanted = view::wanted_by_rows(&w.bytes()[low..pages.end], colon - low);
            let is_short = !pages.is_whole && !pages.have(w, wanted);
            if is_short && matches!(self.grow(w, &mut pages, found, wanted), Grown::Waits) {
                return None;
            }
        }
        Some(pages)
    }

    /// Makes the page longer until it has what is `wanted`, if the looks over its bytes have not cost
    /// too much. `found` is what the text gave.
    fn grow(&self, w: &Window<'_>, pages: &mut Pages, found: &Outcome, wanted: Wanted) -> Grown {
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
            let most = if is_listed { LOOKS_OF_URL } else { LOOKS };
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
    fn pay(&mut self, w: &Window<'_>, pages: &Pages, outcome: &Outcome) {
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

    /// The maximum length of a page after the colon.
    fn page_max(&self) -> usize {
        AHEAD.max(self.config.url_max)
    }

    /// Reads the candidate in the view of a page.
    fn read_view(
        &mut self,
        w: &Window<'_>,
        extent: &PageExtent,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Seen {
        let &PageExtent {
            colon,
            end,
            is_whole,
            sight,
        } = extent;
        let low = colon.saturating_sub(BEHIND);
        let page = &w.bytes()[low..end];
        let behind = Cell::new(0);
        let view = View::of(&Page {
            bytes: page,
            colon: colon - low,
            is_start: colon < BEHIND,
            is_end: is_whole,
            sight,
            behind: &behind,
        });
        w.count(end - colon + behind.get());
        let Some(view) = view else {
            return Seen::Nothing { has_rows: false };
        };
        let nothing = Seen::Nothing {
            has_rows: view.has_rows(),
        };
        // A colon that is no text, such as roff's break, begins nothing.
        if view.bytes.get(view.colon) != w.bytes().get(colon) {
            return nothing;
        }
        // Each view would search the whole line again. The lookups are in order, as those of the text
        // itself are.
        if view.has_lines && !self.config.plain {
            let known = self.line_start.last(self.base);
            self.line_start(w, colon.saturating_sub(SCHEME_MAX + 1).max(known));
        }
        let Some(found) = self.examine_view(w, &view, low, end, out, draft) else {
            return Seen::Starved {
                is_undecided: view.bytes.len() <= view.colon + 1,
                wanted: view.wanted,
            };
        };
        let in_text = |at: usize| low + view.index_in_page(at);
        let (start, resume) = match found {
            Outcome::Nothing => return nothing,
            Outcome::TooLong { start, resume } => (in_text(start), in_text(resume)),
            Outcome::Candidate { resume } => (in_text(out.start() as usize), in_text(resume)),
        };
        // At the end of the longest page only that is known, not the end of the URL.
        let is_cut = end - colon >= self.page_max() && resume == end;
        if is_cut || matches!(found, Outcome::TooLong { .. }) {
            let resume = resume.min(start + self.config.url_max);
            return Seen::TooLong { start, resume };
        }
        let base = self.base + low as u64;
        if !place_in_text(out, &view, base) {
            return nothing;
        }
        if out.looked_to > 0 {
            out.looked_to = base + view.index_in_page(out.looked_to as usize) as u64;
        }
        Seen::Candidate(self.without_refused_lines(w, colon, out, resume))
    }

    /// As [`State::without_refused`], and notes which lines were refused.
    fn without_refused_lines(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        out: &mut Candidate,
        resume: usize,
    ) -> usize {
        let kept = self.without_refused(w, out, resume);
        if kept < resume || self.refuses_rows(out) {
            let place = Span::new(self.base + colon as u64, out.looked_to.max(out.reach()));
            self.looks.refused.pay(place, place.len() as usize);
        }
        kept
    }

    /// True if the URL with the colon at `colon` stands in rows that the grammar has refused often.
    fn is_among_refused(&self, colon: usize) -> bool {
        let start = self.base + colon as u64;
        let place = Span::new(start, start + 1);
        !self.looks.refused.allows(place, 1, 1)
    }

    /// True if the rows of a view hide what the text has: `found`.
    fn hide_rows(&self, seen: &Seen, found: &Outcome, viewed: &Candidate) -> bool {
        match seen {
            Seen::Nothing { has_rows } => *has_rows && matches!(found, Outcome::Nothing),
            Seen::Candidate(_) => self.refuses_rows(viewed),
            _ => false,
        }
    }

    /// Examines the candidate of a view of the page from `low` to `end`. `None` if the view is too
    /// short.
    fn examine_view(
        &self,
        w: &Window<'_>,
        view: &View<'_>,
        low: usize,
        end: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Option<Outcome> {
        let index =
            |at: u64| view.index((at.saturating_sub(self.base) as usize).saturating_sub(low));
        let mut inner = State::new(self.config);
        inner.floor = index(self.floor) as u64;
        inner.joined_to = index(self.joined_to.min(self.base + end as u64)) as u64;
        if view.has_lines && !self.config.plain {
            let known = self.line_start.moved(self.base + low as u64, index);
            inner.line_start = known.unwrap_or(inner.line_start);
        }
        let place = |at: &u64| (*at >= self.base + low as u64).then(|| index(*at) as u64);
        let paragraphs: Vec<u64> = w.paragraphs.iter().filter_map(place).collect();
        let mut v = Window::new(&view.bytes, view.is_end);
        v.suffixes = w.suffixes;
        v.national = w.national;
        v.encoded = w.encoded;
        v.paragraphs = &paragraphs;
        v.is_view = true;
        let found = inner.examine(&v, view.colon, out, draft);
        w.count(v.examined() as usize);
        (!v.is_starved()).then_some(found)
    }
}

impl Pages {
    /// The first page of the candidate at `colon`, which a byte at `at` disturbed. `None` if the
    /// window does not have it yet.
    fn first(w: &Window<'_>, colon: usize, at: usize, most: usize) -> Option<Pages> {
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
    fn next(&self, w: &Window<'_>) -> Option<Pages> {
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
        self.end = line_end.map_or(page.len(), |len| from + len + 1);
        self.is_whole =
            self.end >= self.colon + self.most || line_end.is_none() && self.end < limit;
        true
    }

    /// True if the page has what is `wanted`.
    fn have(&self, w: &Window<'_>, wanted: Wanted) -> bool {
        let page = w.slice(self.colon, self.end - self.colon);
        wanted.len_in(page).is_some()
    }

    /// The page after this one that has what is `wanted`. From the third on it has at least twice as
    /// many bytes as the one before. `None` if the window does not have it yet.
    fn next_with(&self, w: &Window<'_>, wanted: Wanted) -> Option<Pages> {
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

    fn extent(&self, sight: Sight) -> PageExtent {
        PageExtent {
            colon: self.colon,
            end: self.end,
            is_whole: self.is_whole,
            sight,
        }
    }
}

impl Stretch {
    /// True if pages of `read` bytes of the candidate at the start of `place` cost no more than the
    /// bytes can pay, each of them `most` times. The first of a stretch can look as far as it needs.
    fn allows(&self, place: Span, read: usize, most: u64) -> bool {
        let mut all = *self;
        all.pay(place, read);
        all.start == place.start || all.read <= most * (all.end - all.start)
    }

    /// Adds pages of `read` bytes of a candidate at the start of `place`.
    fn pay(&mut self, place: Span, read: usize) {
        if read == 0 {
            return;
        }
        if place.start >= self.end {
            *self = Stretch {
                start: place.start,
                end: place.end,
                read: 0,
            };
        }
        self.end = self.end.max(place.end);
        self.read += read as u64;
    }
}

/// Disturbs the readers if the next line has a string literal that may go on with the one of the
/// candidate, which ends with the quotation mark at `quote`.
#[cold]
fn disturb_literal(w: &Window<'_>, quote: usize) {
    match view::literal_may_follow(&w.bytes()[quote..]) {
        Some(true) => w.disturb(quote),
        None => {
            w.at(w.bytes().len());
        }
        Some(false) => {}
    }
}

/// The bytes of the haystack at `span`. Its window begins at `base`.
fn text_at<'h>(w: &Window<'h>, base: u64, span: Span) -> &'h [u8] {
    let start = span.start.saturating_sub(base) as usize;
    w.slice(start, span.len() as usize)
}

/// True if a gateway or an encoder broke the URL, so that their own rules decide where it ends.
fn has_own_end(readings: &Readings) -> bool {
    let first = readings.reading(0);
    let slashes = memchr::memmem::find(first.text, b"://").map(|at| &first.text[at + 2..]);
    let mut seams = first.seams.iter();
    slashes.and_then(gateway::end_marks).is_some()
        || seams.any(|seam| seam.kind == SeamKind::QpGuess)
}

/// The index of the white space after the word that begins `text`, unless a backslash takes the
/// line end out.
fn word_end(text: &[u8]) -> Option<usize> {
    let is_end = |at: &usize| is_space(text[*at]) && (*at == 0 || text[at - 1] != b'\\');
    (0..text.len()).find(is_end)
}

/// Maps the readings of a candidate from the view to the haystack, in which the page begins at
/// `base`. A reading that has no place there is dropped. Returns false if that is the first.
fn place_in_text(out: &mut Candidate, view: &View<'_>, base: u64) -> bool {
    let found = std::mem::take(&mut out.readings);
    for (i, reading) in found.from(0).enumerate() {
        let Some(placed) = view.place(reading.segments, reading.seams) else {
            if i == 0 {
                return false;
            }
            continue;
        };
        let Placed {
            mut segments,
            mut seams,
            is_weak,
        } = placed;
        let shift = |span: Span| Span::new(span.start + base, span.end + base);
        for span in &mut segments {
            *span = shift(*span);
        }
        for seam in &mut seams {
            seam.span = shift(seam.span);
        }
        out.is_guess |= i == 0 && is_weak;
        out.readings.push(&Reading {
            segments: &segments,
            seams: &seams,
            ..reading
        });
    }
    true
}

/// Puts what the text gave (`found` and `out`) and what its view gave together, in `out`. `resume`
/// is where the scan continues after the candidate of the view. `text` gives the bytes of a span.
/// `None` if the text stands.
fn merge<'h>(
    found: &Outcome,
    out: &mut Candidate,
    mut viewed: Candidate,
    resume: usize,
    text: impl Fn(Span) -> &'h [u8],
) -> Option<Outcome> {
    let is_candidate = matches!(found, Outcome::Candidate { .. });
    let first = viewed.readings.first_text();
    let is_abbreviated =
        |found: &Candidate| found.signs.doubts.has(Doubt::Abbreviated) || found.host_may_be_cut;
    // The mark of a row that the screen cuts may be one byte of the URL.
    let own = out.readings.first_text();
    let is_chopped = is_candidate
        && is_abbreviated(&viewed)
        && !is_abbreviated(out)
        && own.starts_with(first)
        && own.len() <= first.len() + 1;
    // A row that goes on was not cut.
    if is_chopped && (out.signs.continues || out.signs.doubts.has(Doubt::Joined)) {
        return None;
    }
    let is_same = is_candidate
        && !is_chopped
        && first == out.readings.first_text()
        && viewed.signs.glued == out.signs.glued;
    // What is refused anyway is refused as it was written.
    let is_refused = first.iter().any(|b| b"\\^{}".contains(b));
    if is_same || is_refused && is_candidate {
        return None;
    }
    let seams = viewed.readings.reading(0).seams;
    let has = |kind| seams.iter().any(|seam: &Seam| seam.kind == kind);
    let is_joined = has(SeamKind::Row);
    let is_refanged = has(SeamKind::Refanged);
    let is_taken = has(SeamKind::Control) || is_joined || is_refanged;
    // An escape may also end the URL.
    let is_cut = !is_taken && !is_chopped && (!is_candidate || first != out.readings.first_text());
    let is_escaped = has(SeamKind::Escape) || is_cut;
    viewed.signs.doubts.add(Doubt::Escape, is_escaped);
    viewed.signs.doubts.add(Doubt::Joined, is_joined);
    viewed.signs.doubts.add(Doubt::Refanged, is_refanged);
    let own = out.readings.first_text();
    viewed.signs.continues |= is_joined && own.len() > first.len() && own.starts_with(first);
    if is_candidate && !is_refanged {
        let kind = if is_joined {
            ReadingKind::Plain
        } else {
            ReadingKind::Raw
        };
        add_written(&mut viewed, &out.readings.reading(0), kind);
    } else {
        let first = viewed.readings.reading(0);
        let span = extent(first.segments, first.seams);
        let written = Reading {
            text: text(span),
            segments: &[span],
            seams: &[],
            ..first
        };
        let written = Readings::of(&written);
        add(&mut viewed, &written.reading(0), ReadingKind::Raw);
    }
    *out = viewed;
    Some(Outcome::Candidate { resume })
}

/// Adds what is `written` without a view as an alternate, but without the text of another pane after
/// the first row.
fn add_written(viewed: &mut Candidate, written: &Reading<'_>, kind: ReadingKind) {
    let has_bar_after = |row: &Reading<'_>| {
        let rest = written.text.strip_prefix(row.text);
        rest.is_some_and(|rest| rest.starts_with(b"|") || view::is_bar_of_terminal(rest))
    };
    let row = first_row(viewed).filter(has_bar_after);
    match row.map(|row| Readings::of(&row)) {
        Some(row) => add(viewed, &row.reading(0), kind),
        None => add(viewed, written, kind),
    }
}

/// The first row of a URL that was joined from rows.
fn first_row(viewed: &Candidate) -> Option<Reading<'_>> {
    let first = viewed.readings.reading(0);
    let joint = first
        .seams
        .first()
        .filter(|seam| seam.kind == SeamKind::Row)?;
    let segment = first
        .segments
        .first()
        .filter(|segment| segment.end == joint.span.start)?;
    Some(Reading {
        text: &first.text[..joint.at as usize],
        segments: std::slice::from_ref(segment),
        seams: &[],
        ..first
    })
}

/// What only the sense of a text can decide.
#[derive(Default)]
struct Guess {
    candidate: Option<Candidate>,
    is_too_long: bool,
    /// Only a longer page could tell how the text goes on.
    is_short: bool,
}

impl Guess {
    fn is_none(&self) -> bool {
        self.candidate.is_none() && !self.is_too_long
    }

    /// Records in `out` that the text may go on as it was guessed. `outcome` is about `out`.
    fn note(&self, out: &mut Candidate, outcome: &Outcome) {
        let is_candidate = matches!(outcome, Outcome::Candidate { .. });
        out.signs.continues |= self.is_too_long || self.is_short && is_candidate;
        let Some(guess) = &self.candidate else {
            return;
        };
        let longer = guess.readings.reading(0);
        if longer.text.len() > out.readings.first_text().len() {
            out.signs.continues = true;
            add(out, &longer, ReadingKind::Joined);
        }
    }
}

/// Adds a reading as an alternate. If there are four, it takes the place of the last.
fn add(out: &mut Candidate, reading: &Reading<'_>, kind: ReadingKind) {
    if out.readings.from(0).any(|other| other.text == reading.text) {
        return;
    }
    out.readings.truncate(ALTERNATES_MAX);
    out.readings.push(&Reading {
        kind,
        same_extent: false,
        ..*reading
    });
}
