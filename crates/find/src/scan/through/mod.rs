//! Looks at a candidate a second time, through the view of its page.
//!
//! The readers of candidates record in their [`Window`] where a byte disturbed them: a backslash, a
//! control code, the end of a row of a terminal. Then this module makes the [`View`] of the bytes around the
//! candidate, lets the same readers read that, and maps what they found back to the haystack.
//!
//! `pages` has the bytes that a view is made of, and `merge` puts together what the text and the view
//! gave. `looks`, beside this module, counts what all of it costs.

mod merge;
mod pages;

use std::cell::Cell;

use super::candidate::{Candidate, Doubt, Form, Reading, ReadingKind, Readings};
use super::delimited::Draft;
use super::gateway;
use super::hyperlink;
use super::limits::{AHEAD, BEHIND};
use super::looks::LOOKS;
use super::qp;
use super::state::{Outcome, State};
use super::template::{self, Placeholder};
use super::window::Window;
use crate::text::schemes::SCHEME_MAX;
use crate::view::{self, Page, Refanged, Sight, View, Wanted};
use merge::{Guess, beside_another, merge, place_in_text};
use pages::{Grown, PageExtent, Pages};
use urlgrep_base::span::{SeamKind, Span};

/// The number of bytes of a page before its colon.
const PAGE_BEHIND: usize = BEHIND - view::BLANK_LINE;

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

impl State {
    /// Examines the byte at `colon`, through a view if the text calls for it.
    pub(super) fn decide(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        if self.is_claimed(colon) {
            return Outcome::Nothing;
        }
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
            if hyperlink::repeats_target(w, colon, (out.start() - self.base) as usize) {
                let _ = w.take_disturbed();
                return Outcome::Nothing;
            }
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
        let found = match w.take_disturbed() {
            // The draft of 1994 whose URLs may have a backslash is read to the letter.
            Some(at) if !w.is_starved() && !self.config.national => {
                self.decide_through(w, colon, at, found, out, draft)
            }
            _ => found,
        };
        // Few URLs have these bytes.
        let text = out.readings.first_text();
        if matches!(found, Outcome::Candidate { .. })
            && (memchr::memchr2(b'$', b'=', text).is_some() || template::ends_in_argument(text))
        {
            self.remark(w, out);
        }
        found
    }

    /// Notes what the bytes of a URL show, and what stands before it on its line: a placeholder, or
    /// quoted-printable that was encoded twice.
    #[cold]
    fn remark(&self, w: &Window<'_>, out: &mut Candidate) {
        const BEFORE: usize = 128;
        let first = out.readings.reading(0);
        let Some(start) = first.segments.first().map(|segment| segment.start) else {
            return;
        };
        // Brackets are for URLs that their author has written as such.
        let is_marked = matches!(out.signs.form, Form::Wrapped | Form::Bracketed);
        if !is_marked {
            let start = start.saturating_sub(self.base) as usize;
            let before = &w.bytes()[start.saturating_sub(BEFORE)..start];
            let line = memchr::memrchr2(b'\n', b'\r', before).map_or(0, |at| at + 1);
            let found = template::of(first.text, &before[line..]);
            out.is_template |= found == Some(Placeholder::Sure);
            let is_maybe = found == Some(Placeholder::Maybe);
            out.signs.doubts.add(Doubt::Placeholder, is_maybe);
        }
        let first = out.readings.reading(0);
        if !first.seams.is_empty() {
            return;
        }
        if w.encoded && qp::is_encoded(first.text) && self.is_in_encoded_lines(w, start, first.text)
        {
            let readings = std::mem::take(&mut out.readings);
            let first = readings.reading(0);
            out.copy_decoded(first.text, start, qp::find);
            out.finish(ReadingKind::Plain, true);
            out.readings.push(&Reading {
                kind: ReadingKind::Raw,
                same_extent: false,
                ..first
            });
        } else if qp::is_encoded_twice(first.text) {
            let text = first.text.to_vec();
            out.copy_decoded(&text, start, qp::find);
            out.finish(ReadingKind::Qp, false);
        }
    }

    /// True if the lines around the URL `text` at the offset `start` have a sign of quoted-printable.
    fn is_in_encoded_lines(&self, w: &Window<'_>, start: u64, text: &[u8]) -> bool {
        let start = start.saturating_sub(self.base) as usize;
        let most = qp::SIGN_MAX.min(text.len());
        most >= qp::SHORT_MAX && qp::has_line_sign_near(w, start, start + text.len(), most)
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
        if self.is_among_refused(colon) && self.awaits_rows(w, colon) {
            return found;
        }
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
        sight.has_bars = sight.has_rows;
        // Each URL in rows that are refused would read all of them.
        let is_refused = sight.has_rows && self.is_among_refused(colon);
        sight.has_rows &= !is_refused;
        let is_lost = is_lost(w, colon, &found);
        let mut guess = Guess::new(is_refused);
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
                    Grown::Denied if self.awaits_rows(w, colon) => return found,
                    Grown::Denied if sight.has_rows && (is_undecided || is_lost) => {
                        // Only more rows show whether the URL goes on. Its own word needs none.
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

    /// True if the window must have more bytes after `colon`, and is starved. The quick test of the rows
    /// says yes where it does not see the next one, and what is then said of a URL whose rows are not
    /// read, or not all, must not depend on how many bytes have come.
    fn awaits_rows(&self, w: &Window<'_>, colon: usize) -> bool {
        let has_rows = self.config.sight.has_rows;
        let awaits = has_rows && !w.is_end() && w.bytes().len() < colon + self.page_max();
        if awaits {
            w.at(w.bytes().len());
        }
        awaits
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
            let low = colon.saturating_sub(PAGE_BEHIND);
            let wanted = view::wanted_by_rows(&w.bytes()[low..pages.end], colon - low);
            let is_short = !pages.is_whole && !pages.have(w, wanted);
            if is_short && matches!(self.grow(w, &mut pages, found, wanted), Grown::Waits) {
                return None;
            }
        }
        Some(pages)
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
        let (colon, end) = (extent.colon, extent.end);
        let low = colon.saturating_sub(PAGE_BEHIND);
        let page = &w.bytes()[low..end];
        let behind = Cell::new(0);
        let codes = Cell::new(std::mem::take(&mut self.codes));
        let view = View::of(&Page {
            bytes: page,
            from: self.base + low as u64,
            colon: colon - low,
            paragraph: paragraph_start(w, low, colon),
            is_end: extent.is_whole,
            sight: extent.sight,
            behind: &behind,
            codes: &codes,
        });
        self.codes = codes.take();
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
        let end_in_view = out.readings.first_segment_end();
        out.ends_row = end_in_view.is_some_and(|end| view.ends_row(end as usize));
        let base = self.base + low as u64;
        if !place_in_text(out, &view, base) {
            return nothing;
        }
        if out.looked_to > 0 {
            out.looked_to = base + view.index_in_page(out.looked_to as usize) as u64;
        }
        let resume = self.without_refused_lines(w, colon, out, resume);
        let beside = beside_another(out, |span| text_at(w, self.base, span));
        Seen::Candidate(beside.map_or(resume, |end| (end - self.base) as usize))
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
        v.is_page = w.is_page;
        v.paragraphs = &paragraphs;
        v.is_view = true;
        let found = inner.examine(&v, view.colon, out, draft);
        w.count(v.examined() as usize);
        (!v.is_starved()).then_some(found)
    }
}

/// The index of the first byte of the paragraph of `colon`, counted from `low`, with which the page begins.
/// `None` if that is before it.
fn paragraph_start(w: &Window<'_>, low: usize, colon: usize) -> Option<usize> {
    // The blank line may end directly before the page.
    let above = low.saturating_sub(view::BLANK_LINE);
    match view::after_blank_line(&w.bytes()[above..colon]) {
        Some(at) => (above + at).checked_sub(low),
        None => (low == 0).then_some(0),
    }
}

/// True if the text shows no URL at `colon`, because a program has coloured its scheme.
fn is_lost(w: &Window<'_>, colon: usize, found: &Outcome) -> bool {
    matches!(found, Outcome::Nothing) && pages::has_code_in_scheme(w, colon)
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
