//! The state of a scan, and the loop from one colon to the next.

use super::candidate::{Candidate, Doubt, ReadingKind};
use super::colons::{Asked, Finder};
use super::delimited::Draft;
use super::leader::Leader;
use super::limits::{AHEAD, BEHIND, BLOCK, CREDIT};
use super::lines::{self, LineHead, LineStart};
use super::looks::Looks;
use super::shape::NextByte;
use super::window::Window;
use crate::grammar::Grammar;
use crate::text::class::is_stop;
use crate::view::{Codes, Sight};
use urlgrep_base::span::Span;

/// The state of a scan between two places of the haystack.
///
/// It is one thing: what a scan remembers of the text before `next`, and what it examined after
/// it. A scan that stops at any byte continues from it.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub(super) config: Config,
    /// Offset of the window's first byte.
    pub(super) base: u64,
    /// Offset at which the search for the next colon starts.
    pub(super) next: u64,
    /// All bytes before this offset belong to candidates that were reported.
    pub(super) floor: u64,
    /// Offset of the end of the last continuation of a bare URL.
    pub(super) joined_to: u64,
    /// Rows of reported URLs after `floor`, beside which another pane has URLs of its own.
    pub(super) claimed: Vec<Span>,
    /// The codes before the candidates that were read through a view.
    pub(super) codes: Codes,
    /// What the looks through views so far have cost.
    pub(super) looks: Looks,
    /// True inside a URL that was too long. Bytes are skipped up to its end.
    pub(super) skipping: bool,
    /// The place at `next` needs more bytes. It is re-examined when the
    /// haystack has reached this offset.
    pub(super) need: u64,
    /// The number of bytes that may be re-examined before `need` is reached.
    /// Each byte that comes in adds one, up to [`CREDIT`]. So all such
    /// re-examinations together cost at most the length of the haystack plus
    /// `CREDIT`.
    pub(super) credit: u64,
    pub(super) lines: Lines,
    pub(super) line_start: LineStart,
    /// The offsets after the ends of paragraphs, in order. None is before the window.
    pub(super) paragraphs: Vec<u64>,
    pub(super) at_sign: NextByte,
    pub(super) comma: NextByte,
    pub(super) end: End,
    pub(super) examined: u64,
}

/// How the haystack ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The last byte is the end.
    Whole,
    /// Unreadable bytes follow. Candidates that they cannot change are
    /// reported.
    Broken,
    /// Unreadable bytes follow. They may change every further candidate.
    Uncertain,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Config {
    pub(super) url_max: usize,
    pub(super) count_lines: bool,
    /// Join bare URLs over lines if they clearly continue.
    pub(super) join: bool,
    /// Search for hosts without a scheme.
    pub(super) suffixes: bool,
    /// `{ } | [ ]` may be part of a URL anywhere.
    pub(super) national: bool,
    /// Experimental schemes are found in brackets.
    pub(super) experimental: bool,
    /// The text may be quoted-printable that nothing declares.
    pub(super) encoded: bool,
    /// The text is what a page of HTML shows.
    pub(super) is_page: bool,
    /// Visit every byte and use no caches. This is the reference for the fast
    /// scanner.
    pub(super) plain: bool,
    /// What is known of the text.
    pub(super) sight: Sight,
    /// What may be asked about a URL that was joined. `None` where nobody judges.
    pub(super) grammar: Option<Grammar>,
}

impl Config {
    fn asked(&self) -> Asked {
        Asked {
            dots: self.suffixes,
            defanged: self.sight.refangs,
            experimental: self.experimental,
        }
    }
}

/// Counts line feeds on demand.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lines {
    /// The number of the line at the offset `at`.
    pub(super) line: u64,
    pub(super) at: u64,
}

/// The result of examining a colon. Indexes refer to the window.
pub(super) enum Outcome {
    Nothing,
    Candidate { resume: usize },
    TooLong { start: usize, resume: usize },
}

impl Outcome {
    /// Index at which the scan continues after a candidate.
    pub(super) fn resume(&self) -> Option<usize> {
        match *self {
            Outcome::Nothing => None,
            Outcome::Candidate { resume } | Outcome::TooLong { resume, .. } => Some(resume),
        }
    }
}

impl State {
    pub(super) fn new(config: Config) -> State {
        State {
            config,
            base: 0,
            next: 0,
            floor: 0,
            joined_to: 0,
            claimed: Vec::new(),
            codes: Codes::default(),
            looks: Looks::default(),
            skipping: false,
            need: 0,
            credit: CREDIT,
            lines: Lines { line: 1, at: 0 },
            line_start: LineStart::new(0),
            paragraphs: Vec::new(),
            at_sign: NextByte::default(),
            comma: NextByte::default(),
            end: End::Whole,
            examined: 0,
        }
    }

    /// Bytes before this offset are no longer needed.
    pub(super) fn keep(&self) -> u64 {
        self.next.saturating_sub(BEHIND as u64).max(self.base)
    }

    /// Whether to examine the place at `next` now. `chunk` is new and ends at
    /// the offset `seen`. A place that needs more bytes is examined early at
    /// the end of a line, if the credit allows it. The next line decides most
    /// places, and the output may be interactive.
    pub(super) fn is_due(&mut self, chunk: &[u8], seen: u64) -> bool {
        self.credit = CREDIT.min(self.credit + chunk.len() as u64);
        if seen >= self.need {
            return true;
        }
        let again = seen - self.next;
        if again > self.credit || memchr::memchr(b'\n', chunk).is_none() {
            return false;
        }
        self.credit -= again;
        // The place no longer waits for bytes, even if `emit` stops the scan.
        self.need = 0;
        true
    }

    /// Examines the colons of the window `bytes`, from `next` on. `candidate` and `draft` are only
    /// memory. Returns false if `emit` stopped the scan.
    #[expect(
        clippy::too_many_lines,
        reason = "one loop over the colons of a window, which can end in six ways"
    )]
    pub(super) fn advance(
        &mut self,
        bytes: &[u8],
        eof: bool,
        candidate: &mut Candidate,
        draft: &mut Draft,
        mut emit: impl FnMut(&Candidate) -> bool,
    ) -> bool {
        let Config {
            suffixes,
            national,
            encoded,
            is_page,
            plain,
            ..
        } = self.config;
        let mut paragraphs = std::mem::take(&mut self.paragraphs);
        let base = self.base;
        let window = |eof| {
            let mut w = Window::new(bytes, eof);
            w.suffixes = suffixes;
            w.national = national;
            w.encoded = encoded;
            w.is_page = is_page;
            w.paragraphs = &paragraphs;
            w.base = base;
            w
        };
        let mut w = window(eof && self.end != End::Broken);
        let finder = Finder::new(self.config.asked(), plain);
        let mut pos = (self.next - self.base) as usize;
        let go_on = 'scan: loop {
            if self.skipping {
                pos = self.skip_rest(bytes, pos);
                if self.skipping {
                    break true;
                }
            }
            let from = pos;
            let end = bytes.len().min(from + BLOCK);
            loop {
                let Some(colon) = finder.find(bytes, pos, end) else {
                    self.examined += (end - from) as u64;
                    pos = end;
                    if end == bytes.len() {
                        break 'scan true;
                    }
                    self.count_lines_to(bytes, self.base + end as u64);
                    break;
                };
                let mut found = self.decide(&w, colon, candidate, draft);
                let mut starved = w.take_starved();
                if starved && eof {
                    self.end = End::Uncertain;
                    self.examined += w.examined();
                    w = window(true);
                    found = self.decide(&w, colon, candidate, draft);
                    starved = false;
                }
                if starved {
                    self.examined += (colon - from) as u64;
                    pos = colon;
                    self.wait_at(colon, bytes.len());
                    break 'scan true;
                }
                let resume = match found {
                    Outcome::Nothing => {
                        pos = colon + 1;
                        continue;
                    }
                    Outcome::Candidate { resume } => resume,
                    Outcome::TooLong { start, resume } => {
                        self.cut(bytes, start, resume, candidate);
                        resume
                    }
                };
                self.complete(bytes, candidate);
                pos = resume.max(colon + 1);
                self.claim_rows(candidate, self.base + pos as u64);
                self.examined += (pos - from) as u64;
                self.floor = self.base + resume as u64;
                if !emit(candidate) {
                    break 'scan false;
                }
                break;
            }
        };
        self.next = self.base + pos as u64;
        self.examined += w.examined();
        // Few are left, because the candidates before `next` are decided.
        paragraphs.drain(..paragraphs.partition_point(|&at| at <= self.next));
        self.paragraphs = paragraphs;
        go_on
    }

    /// Skips the rest of a URL that is too long, which goes on at `pos`. Returns the index after it, or
    /// that of the end of the bytes. Then it is still being skipped.
    #[cold]
    fn skip_rest(&mut self, bytes: &[u8], pos: usize) -> usize {
        let rest = &bytes[pos..];
        let len = rest.iter().position(|&b| is_stop(b));
        let skipped = len.unwrap_or(rest.len());
        self.examined += skipped as u64;
        if len.is_some() {
            self.skipping = false;
            self.floor = self.base + (pos + skipped) as u64;
        }
        pos + skipped
    }

    /// Waits for more bytes than the `len` of the window, which the place at `colon` needs.
    fn wait_at(&mut self, colon: usize, len: usize) {
        // Doubling bounds the cost of tiny chunks. All examinations of a place together cost at most
        // twice the last one. No place needs more than [`AHEAD`] bytes, or the maximum length of a
        // URL if that is larger.
        let ahead = (2 * (len - colon).max(32)).min(AHEAD.max(self.config.url_max));
        self.need = self.base + (colon + ahead) as u64;
    }

    /// Fills `candidate` with the beginning of a URL that is too long, and skips its rest.
    #[cold]
    fn cut(&mut self, bytes: &[u8], start: usize, resume: usize, candidate: &mut Candidate) {
        let (from, to) = (self.base + start as u64, self.base + resume as u64);
        candidate.too_long = true;
        candidate.copy(&bytes[start..resume], Span::new(from, to));
        candidate.finish(ReadingKind::Plain, true);
        self.skipping = true;
    }

    /// Adds to `candidate` what only the scan knows, and notes how far the candidate has looked.
    fn complete(&mut self, bytes: &[u8], candidate: &mut Candidate) {
        if candidate.signs.continues || candidate.signs.doubts.has(Doubt::Joined) {
            self.joined_to = candidate.reach();
        }
        self.joined_to = self.joined_to.max(candidate.looked_to);
        if self.counts_lines() {
            self.count_lines_to(bytes, candidate.start());
            candidate.signs.line = Some(self.lines.line);
        }
        candidate.input_ended = self.end == End::Uncertain;
    }

    /// True if the colon at `colon` is inside of a URL that was found already.
    pub(super) fn is_claimed(&self, colon: usize) -> bool {
        let at = self.base + colon as u64;
        // Nearly always there are none.
        self.claimed
            .iter()
            .any(|row| row.start <= at && at < row.end)
    }

    /// Notes the rows of `candidate` after `resume`, where the scan continues beside them.
    #[inline]
    fn claim_rows(&mut self, candidate: &Candidate, resume: u64) {
        // Fast path: few URLs have rows.
        if !self.claimed.is_empty() || candidate.readings.have_seams() {
            self.claim_rows_of(candidate, resume);
        }
    }

    #[cold]
    fn claim_rows_of(&mut self, candidate: &Candidate, resume: u64) {
        self.claimed.retain(|row| row.end > resume);
        if candidate.reach() > resume {
            let rows = candidate.readings.reading(0).segments;
            let rows = rows.iter().filter(|row| row.start >= resume);
            self.claimed.extend(rows);
        }
    }

    fn counts_lines(&self) -> bool {
        self.config.count_lines && self.lines.line > 0
    }

    /// Counts the line feeds before the offset `to` that are not counted yet.
    pub(super) fn count_lines_to(&mut self, bytes: &[u8], to: u64) {
        if self.counts_lines() && to > self.lines.at {
            let range = (self.lines.at - self.base) as usize..(to - self.base) as usize;
            self.lines.line += lines::line_feeds(&bytes[range]);
            self.lines.at = to;
        }
    }

    /// Index of the first byte of the line with the byte at `at`, if known.
    pub(super) fn line_start(&mut self, w: &Window<'_>, at: usize) -> Option<usize> {
        if self.config.plain {
            self.line_start.forget();
        }
        self.line_start.of(w, self.base, at)
    }

    pub(super) fn line<'h>(&mut self, w: &Window<'h>, at: usize) -> LineHead<'h> {
        let start = self.line_start(w, at);
        let leader = start.map_or(Leader::default(), |start| Leader::of(w.bytes(), start, at));
        LineHead { start, leader }
    }
}
