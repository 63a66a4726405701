//! Where the grammar refuses what was joined.
//!
//! # How to think about it
//!
//! The lines of a letter, the rows of a terminal and the literals of a program are joined by what
//! they show. What they show may deceive: below a URL that fills two rows stands the line of tmux
//! (`[main] 0:zsh*`), a question (`[y/N]`) or a template (`T={name}`). Then the grammar refuses the
//! whole, and the URL would be lost, although nothing is wrong with its first rows.
//!
//! So what was joined is the one text about which the scanner asks the grammar. If it is refused,
//! the URL ends before the line with the byte that does not fit, and the scan continues there. This
//! is the only place that does so, whatever joined the lines.

use super::candidate::{Candidate, Doubt, Form, Reading, ReadingKind, Readings};
use super::state::State;
use super::trim::trim;
use super::window::Window;
use crate::grammar::Grammar;
use crate::text::schemes::slashes;
use urlgrep_base::names::Set;
use urlgrep_base::span::{Seam, SeamKind};

/// The most ends that are tried before that of the first line.
const TRIES: usize = 4;

/// A line end that was taken out of a URL.
#[derive(Clone, Copy)]
struct Joint {
    /// The number of seams before it.
    seams: usize,
    /// Its place in the text of the URL.
    at: usize,
    /// Its offset in the haystack.
    offset: u64,
}

impl State {
    /// Ends the joined URL of `out` earlier if the grammar refuses it. Returns the index at which the
    /// scan continues, which is `resume` if nothing has changed.
    #[inline]
    pub(super) fn without_refused(
        &self,
        w: &Window<'_>,
        out: &mut Candidate,
        resume: usize,
    ) -> usize {
        // Fast path: most candidates were not joined.
        if !out.readings.have_seams() {
            return resume;
        }
        let grammar = self.config.grammar;
        let kept = grammar.and_then(|grammar| self.end_earlier(w, grammar, out));
        kept.unwrap_or(resume)
    }

    /// True if the grammar refuses a backslash of a URL that has rows of a terminal. An escape of the
    /// first row may then be hidden by those below.
    pub(super) fn refuses_rows(&self, viewed: &Candidate) -> bool {
        let first = viewed.readings.reading(0);
        let has_rows = first.seams.iter().any(|seam| seam.kind == SeamKind::Row);
        let grammar = self.config.grammar.filter(|_| has_rows);
        let refused = grammar.and_then(|grammar| grammar.refused_at(first.text, viewed.ends_word));
        refused.is_some_and(|at| first.text.get(at) == Some(&b'\\'))
    }

    #[cold]
    fn end_earlier(&self, w: &Window<'_>, grammar: Grammar, out: &mut Candidate) -> Option<usize> {
        let is_open = matches!(out.signs.form, Form::Bare | Form::Prefixed | Form::Suffix);
        if !is_open || out.cut || out.too_long || out.host_is_cut {
            return None;
        }
        let first = out.readings.reading(0);
        // Fast path: what was joined is nearly always a URL.
        self.joints(w, &first).next()?;
        let refused = grammar.refused_at(first.text, out.ends_word)?;
        let joints: Vec<Joint> = self.joints(w, &first).collect();
        // A host alone names no page, and browsers take a backslash for a slash of the URL.
        let is_of_text = first.seams[joints[0].seams].kind == SeamKind::LineBreak;
        let is_host = || is_host(&first.text[..joints[0].at]);
        if is_of_text && first.text.get(refused) == Some(&b'\\') && is_host() {
            return None;
        }
        // Another repair of the same bytes may be a URL.
        let is_url = |other: &Reading<'_>| grammar.refused_at(other.text, true).is_none();
        let is_same = |other: &Reading<'_>| other.same_extent == first.same_extent;
        let is_repaired = out
            .readings
            .from(1)
            .any(|other| is_same(&other) && is_url(&other));
        if is_repaired {
            return None;
        }
        let is_first_line =
            |other: &Reading<'_>| other.kind == ReadingKind::Plain && !other.same_extent;
        let plain = out.readings.from(1).find(is_first_line).filter(is_url);
        let mut kept = Readings::default();
        if keep_lines(grammar, &first, &joints[1..], refused, &mut kept) {
            if let Some(plain) = plain {
                kept.push(&plain);
            }
        } else {
            if let Some(plain) = plain.filter(|plain| has_host(plain.text, &first)) {
                kept.push(&Reading {
                    same_extent: true,
                    ..plain
                });
            } else if !keep_lines(grammar, &first, &joints[..1], refused, &mut kept) {
                return None;
            }
            let is_of_join = |doubt: &Doubt| matches!(doubt, Doubt::Joined | Doubt::Escape);
            let doubts = out.signs.doubts.iter().filter(|doubt| !is_of_join(doubt));
            out.signs.doubts = doubts.fold(Set::NONE, Set::with);
        }
        // In a letter the line below nearly always belongs to the URL, so the hit says that it goes on.
        out.signs.continues = is_of_text;
        out.is_refused_below = is_of_text;
        out.looked_to = out.looked_to.max(out.reach());
        out.host_may_be_cut = false;
        out.ends_word = true;
        let end = kept.reading(0).segments.last()?.end;
        out.readings = kept;
        Some((end - self.base) as usize)
    }

    /// The line ends that a reading leaves out, in order. One of an encoding is none.
    fn joints<'r>(
        &self,
        w: &Window<'r>,
        reading: &Reading<'r>,
    ) -> impl Iterator<Item = Joint> + use<'r> {
        use SeamKind::{Escape, LineBreak, Row};
        let (bytes, base) = (w.bytes(), self.base);
        let has_line_end = move |seam: &Seam| {
            let start = (seam.span.start - base) as usize;
            let taken = bytes.get(start..start + seam.span.len() as usize);
            matches!(seam.kind, LineBreak | Row | Escape)
                && memchr::memchr2(b'\n', b'\r', taken.unwrap_or_default()).is_some()
        };
        let seams = reading.seams.iter().enumerate();
        seams
            .filter(move |(_, seam)| has_line_end(seam))
            .map(|(seams, seam)| Joint {
                seams,
                at: seam.at as usize,
                offset: seam.span.start,
            })
    }
}

/// Adds the beginning of `reading` up to the last of the `joints` at which it is a URL to `kept`. The
/// grammar refuses its byte at `refused`. Returns false if there is none.
fn keep_lines(
    grammar: Grammar,
    reading: &Reading<'_>,
    joints: &[Joint],
    refused: usize,
    kept: &mut Readings,
) -> bool {
    let before = joints.iter().rev().filter(|joint| joint.at <= refused);
    for joint in before.take(TRIES) {
        let len = trim(&reading.text[..joint.at], 0);
        let text = &reading.text[..len];
        let count = reading
            .segments
            .partition_point(|segment| segment.start < joint.offset);
        let mut segments = reading.segments[..count].to_vec();
        let Some(last) = segments.last_mut() else {
            return false;
        };
        // A hyphen that was left out is the URL's own here.
        let is_plain = last.end == joint.offset && last.len() > (joint.at - len) as u64;
        if !is_plain || !has_host(text, reading) || grammar.refused_at(text, true).is_some() {
            continue;
        }
        last.end -= (joint.at - len) as u64;
        kept.push(&Reading {
            kind: ReadingKind::Plain,
            same_extent: true,
            text,
            segments: &segments,
            seams: &reading.seams[..joint.seams],
        });
        return true;
    }
    false
}

/// True if `text` has the whole host of `reading`, which begins with it.
fn has_host(text: &[u8], reading: &Reading<'_>) -> bool {
    let Some(slashes) = slashes(text) else {
        return true;
    };
    let is_of_host = |b: &u8| b.is_ascii_alphanumeric() || b"-._~%:@".contains(b) || *b >= 0x80;
    let host = &reading.text[(slashes + 3).min(reading.text.len())..];
    let len = host.iter().take_while(|b| is_of_host(b)).count();
    len > 0 && slashes + 3 + len <= text.len()
}

/// True for a URL that ends with its host, or with the slash after it.
fn is_host(text: &[u8]) -> bool {
    let text = text.strip_suffix(b"/").unwrap_or(text);
    slashes(text).is_some_and(|at| !text[at + 3..].contains(&b'/'))
}
