//! Looks at a candidate a second time, through the view of its page.
//!
//! The readers of candidates record in their [`Window`] where a byte disturbed them: a backslash, a
//! control code, the end of a row of a terminal. Then this module makes the [`View`] of the bytes around the
//! candidate, lets the same readers read that, and maps what they found back to the haystack.

use super::candidate::{Candidate, Doubt, Reading, ReadingKind, Readings};
use super::delimited::Draft;
use super::evidence;
use super::state::{Outcome, State};
use super::window::Window;
use super::{AHEAD, ALTERNATES_MAX, BEHIND};
use crate::view::{Page, Placed, Sight, View};
use urlgrep_base::span::{Seam, SeamKind, Span, extent};

/// The number of bytes of the first page after the place that disturbed the readers: for what is on
/// one line, and for rows.
const PAGE: usize = 40;
const PAGE_OF_ROWS: usize = 1024;

/// What the readers found in a view.
enum Seen {
    /// The view shows no more than the text.
    Nothing,
    /// The page must be longer.
    Starved,
    /// The candidate was read again. The index is where the scan continues.
    Candidate(usize),
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

impl State {
    /// Examines the byte at `colon`, through a view if the text calls for it.
    pub(super) fn decide(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let found = self.examine(w, colon, out, draft);
        match w.take_disturbed() {
            // The draft of 1994 whose URLs may have a backslash is read to the letter.
            Some(at) if !w.is_starved() && !self.config.national => {
                self.look_through(w, colon, at, found, out, draft)
            }
            _ => found,
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
        // Where a gateway or an encoder broke the URL, their own rules decide.
        let first = out.readings.reading(0);
        let slashes = memchr::memmem::find(first.text, b"://").map(|at| &first.text[at + 2..]);
        let has_marks = slashes.and_then(evidence::end_marks).is_some();
        let has_soft_break = first
            .seams
            .iter()
            .any(|seam| seam.kind == SeamKind::QpGuess);
        sight.has_rows &= !has_marks && !has_soft_break;
        let most = AHEAD.max(self.config.url_max);
        let page = if sight.has_rows { PAGE_OF_ROWS } else { PAGE };
        let mut len = at.saturating_sub(colon) + page;
        let mut found = found;
        let mut guess: Option<Candidate> = None;
        loop {
            let end = w.bytes().len().min(colon + len.min(most));
            let is_whole = len >= most || w.is_end() && end == w.bytes().len();
            let mut viewed = Candidate::default();
            let extent = PageExtent {
                colon,
                end,
                is_whole,
                sight,
            };
            match self.read_view(w, &extent, &mut viewed, draft) {
                Seen::Starved if end == w.bytes().len() => {
                    // The byte after the window is needed.
                    w.at(end);
                    return found;
                }
                Seen::Starved => len *= 2,
                Seen::Candidate(_) if viewed.is_guess && guess.is_none() => {
                    // What is sure comes first, and the guess is an alternate.
                    guess = Some(viewed);
                    sight.is_sure = true;
                }
                seen => {
                    if let Seen::Candidate(resume) = seen {
                        let text = |span: Span| {
                            let start = span.start.saturating_sub(self.base) as usize;
                            w.slice(start, span.len() as usize)
                        };
                        found = merge(found, out, viewed, resume, text);
                    }
                    if let Some(guess) = guess
                        && matches!(found, Outcome::Candidate { .. })
                    {
                        go_on(out, &guess);
                    }
                    return found;
                }
            }
        }
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
        // What stands before the colon is only copied, but for the rows of a terminal.
        w.count(if sight.has_rows {
            page.len()
        } else {
            end - colon
        });
        let Some(view) = View::of(&Page {
            bytes: page,
            colon: colon - low,
            is_start: colon < BEHIND,
            is_end: is_whole,
            sight,
        }) else {
            return Seen::Nothing;
        };
        // A colon that is no text, such as roff's break, begins nothing.
        if view.bytes.get(view.colon) != w.bytes().get(colon) {
            return Seen::Nothing;
        }
        let index =
            |at: u64| view.index((at.saturating_sub(self.base) as usize).saturating_sub(low));
        let mut inner = State::new(self.config);
        inner.floor = index(self.floor) as u64;
        inner.joined_to = index(self.joined_to.min(self.base + end as u64)) as u64;
        let place = |at: &u64| (*at >= self.base + low as u64).then(|| index(*at) as u64);
        let paragraphs: Vec<u64> = w.paragraphs.iter().filter_map(place).collect();
        let mut v = Window::new(&view.bytes, view.is_end);
        v.suffixes = w.suffixes;
        v.national = w.national;
        v.paragraphs = &paragraphs;
        v.is_view = true;
        let found = inner.examine(&v, view.colon, out, draft);
        w.count(v.examined() as usize);
        if v.is_starved() {
            return Seen::Starved;
        }
        let Outcome::Candidate { resume } = found else {
            return Seen::Nothing;
        };
        let base = self.base + low as u64;
        if !place_in_text(out, &view, base) {
            return Seen::Nothing;
        }
        if out.looked_to > 0 {
            out.looked_to = base + view.index_in_page(out.looked_to as usize) as u64;
        }
        Seen::Candidate(low + view.index_in_page(resume))
    }
}

/// Maps the readings of a candidate from the view to the haystack, in which the page begins at
/// `base`. A reading that has no place there is dropped. Returns false if that is the first.
fn place_in_text(out: &mut Candidate, view: &View, base: u64) -> bool {
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
fn merge<'h>(
    found: Outcome,
    out: &mut Candidate,
    mut viewed: Candidate,
    resume: usize,
    text: impl Fn(Span) -> &'h [u8],
) -> Outcome {
    let is_candidate = matches!(found, Outcome::Candidate { .. });
    let first = viewed.readings.first_text();
    let is_same =
        is_candidate && first == out.readings.first_text() && viewed.signs.glued == out.signs.glued;
    // What is refused anyway is refused as it was written.
    let is_refused = first.iter().any(|b| b"\\^{}".contains(b));
    if is_same || is_refused {
        return found;
    }
    let seams = viewed.readings.reading(0).seams;
    let has = |kind| seams.iter().any(|seam: &Seam| seam.kind == kind);
    let is_joined = has(SeamKind::Row);
    let is_taken = has(SeamKind::Control) || is_joined;
    // An escape may also end the URL.
    let is_cut = !is_taken && (!is_candidate || first != out.readings.first_text());
    let is_escaped = has(SeamKind::Escape) || is_cut;
    viewed.signs.doubts.add(Doubt::Escape, is_escaped);
    viewed.signs.doubts.add(Doubt::Joined, is_joined);
    if is_candidate {
        let kind = if is_joined {
            ReadingKind::Plain
        } else {
            ReadingKind::Raw
        };
        add(&mut viewed, &out.readings.reading(0), kind);
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
    Outcome::Candidate { resume }
}

/// Records that the text may go on as `guess` reads it, but only its reader knows.
fn go_on(out: &mut Candidate, guess: &Candidate) {
    let longer = guess.readings.reading(0);
    if longer.text.len() > out.readings.first_text().len() {
        out.signs.continues = true;
        add(out, &longer, ReadingKind::Joined);
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
