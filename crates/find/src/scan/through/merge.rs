//! Puts what the text gave and what its view gave together in one candidate.

use crate::scan::candidate::{Candidate, Doubt, Reading, ReadingKind, Readings};
use crate::scan::limits::ALTERNATES_MAX;
use crate::scan::state::Outcome;
use crate::text::schemes::slashes;
use crate::view::{self, Placed, View};
use urlgrep_base::span::{Seam, SeamKind, Span, extent};

/// The maximum length of the mark of a row that the screen cuts: `@@@`.
const CHOP_MARK_MAX: usize = 3;

/// The offset after the first row of a URL, if a URL of another pane begins between its rows. The scan
/// continues there. `text` gives the bytes of a span.
pub(super) fn beside_another<'h>(out: &Candidate, text: impl Fn(Span) -> &'h [u8]) -> Option<u64> {
    let first = out.readings.reading(0);
    let is_beside = |seam: &&Seam| seam.kind == SeamKind::Row && slashes(text(seam.span)).is_some();
    first.seams.iter().find(is_beside)?;
    first.segments.first().map(|row| row.end)
}

/// Maps the readings of a candidate from the view to the haystack, in which the page begins at
/// `base`. A reading that has no place there is dropped. Returns false if that is the first.
pub(super) fn place_in_text(out: &mut Candidate, view: &View<'_>, base: u64) -> bool {
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
pub(super) fn merge<'h>(
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
    // The mark of a row that the screen cuts may seem to be of the URL.
    let own = out.readings.first_text();
    let is_at_bar = own.strip_prefix(first).is_some_and(begins_pane);
    // The last byte of the row and the mark may seem to be an arrow.
    let is_before_arrow = matches!(first.strip_prefix(own), Some(b"-" | b"="));
    let is_chopped = is_candidate
        && is_abbreviated(&viewed)
        && !is_abbreviated(out)
        && (own.starts_with(first) || is_before_arrow)
        && (is_at_bar || own.len() <= first.len() + CHOP_MARK_MAX);
    // A row that goes on was not cut.
    if is_chopped && !is_at_bar && (out.signs.continues || out.signs.doubts.has(Doubt::Joined)) {
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
    // What the rules of mail take from the next row is of something else.
    let is_of_row = viewed.ends_row && !is_joined;
    let is_taken = has(SeamKind::Control) || is_joined || is_refanged || is_of_row;
    // An escape may also end the URL.
    let is_cut = !is_taken && !is_chopped && (!is_candidate || first != out.readings.first_text());
    let is_escaped = has(SeamKind::Escape) || is_cut;
    viewed.signs.doubts.add(Doubt::Escape, is_escaped);
    viewed.signs.doubts.add(Doubt::Joined, is_joined);
    viewed.signs.doubts.add(Doubt::Refanged, is_refanged);
    let own = out.readings.first_text();
    viewed.signs.continues |=
        (is_joined || is_of_row) && own.len() > first.len() && own.starts_with(first);
    // A scheme that begins with the last letter of a code is nobody's reading, and neither is what
    // stands beyond a bar.
    let start = |readings: &Readings| {
        let first = readings.reading(0).segments.first();
        first.map(|segment| segment.start)
    };
    let begins_in_code = has(SeamKind::Control) && start(&viewed.readings) < start(&out.readings);
    let is_beyond_bar = is_at_bar && (is_of_row || is_chopped);
    if !is_candidate || is_refanged {
        add_raw(&mut viewed, text);
    } else if !begins_in_code && !is_beyond_bar {
        let kind = if is_joined {
            ReadingKind::Plain
        } else if is_of_row {
            ReadingKind::Joined
        } else {
            ReadingKind::Raw
        };
        add_written(&mut viewed, &out.readings.reading(0), kind);
    }
    *out = viewed;
    Some(Outcome::Candidate { resume })
}

/// True if `text`, which follows a URL, begins with the bar between two panes.
fn begins_pane(text: &[u8]) -> bool {
    text.starts_with(b"|") || view::is_bar_of_terminal(text)
}

/// Adds the bytes of the URL as they are as an alternate. `text` gives the bytes of a span.
fn add_raw<'h>(viewed: &mut Candidate, text: impl Fn(Span) -> &'h [u8]) {
    let first = viewed.readings.reading(0);
    let span = extent(first.segments, first.seams);
    let written = Reading {
        text: text(span),
        segments: &[span],
        seams: &[],
        ..first
    };
    let written = Readings::of(&written);
    add(viewed, &written.reading(0), ReadingKind::Raw);
}

/// Adds what is `written` without a view as an alternate, but without the text of another pane after
/// the first row.
fn add_written(viewed: &mut Candidate, written: &Reading<'_>, kind: ReadingKind) {
    // The text of another pane, which the rules of mail took, is nobody's reading.
    let has_bar = |at: usize| view::is_bar_of_terminal(&written.text[at..]);
    if kind == ReadingKind::Joined && (0..written.text.len()).any(has_bar) {
        return;
    }
    let has_bar_after = |row: &Reading<'_>| {
        let rest = written.text.strip_prefix(row.text);
        rest.is_some_and(begins_pane)
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
pub(super) struct Guess {
    pub(super) candidate: Option<Candidate>,
    pub(super) is_too_long: bool,
    /// Only a longer page could tell how the text goes on.
    pub(super) is_short: bool,
}

impl Guess {
    /// A guess of which nothing is known but whether only a longer page could tell.
    pub(super) fn new(is_short: bool) -> Guess {
        Guess {
            is_short,
            ..Guess::default()
        }
    }

    pub(super) fn is_none(&self) -> bool {
        self.candidate.is_none() && !self.is_too_long
    }

    /// Records in `out` that the text may go on as it was guessed. `outcome` is about `out`.
    pub(super) fn note(&self, out: &mut Candidate, outcome: &Outcome) {
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
