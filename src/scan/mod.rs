//! The scanner: finds each place where a URL may stand, how it is delimited,
//! and the ways to read it. It knows bytes, not grammars: it may report what
//! is no URL, never misses one, and never judges.
//!
//! A [`Scanner`] is fed a haystack in chunks of any size and reports
//! [`Candidate`]s in the order in which they start. Every look back or ahead is
//! bounded by a constant of this module, so that what is reported depends on
//! the bytes alone, not on how they were cut. Where a bound is passed the
//! answer is "unknown": the line has no leader, the wrapper is not closed.
//!
//! Time is linear in the haystack. A byte can be looked at once in search of
//! colons, once in search of the start of its line, once each in search of the
//! `@`, the comma and the dot that a scheme without `//` needs, once as part of
//! a bare URL, three times as what may follow one at a line end (a soft break,
//! the first word of the next line, the rest of the URL), and for brackets and
//! quotes alike once as what they hold and twice as page furniture inside. No
//! text can have it all, and nearly all text has the first alone. In chunks,
//! what waits for more is looked at again when as many bytes have come in as it
//! has, and early, at line ends, for no more bytes than have come in. Retained
//! memory is at most the bytes that the constants reach over, about 32 KiB, and
//! one chunk.

mod bare;
mod boundary;
mod candidate;
mod class;
mod colons;
mod delimited;
mod evidence;
mod leader;
mod lines;
mod qp;
mod rejoin;
mod scheme;
mod script;
mod suffix;
#[cfg(test)]
mod tests;
mod window;

pub use candidate::{Candidate, Doubt, Doubts, Form, Reading, ReadingKind};
pub use lines::is_ground;
#[cfg(feature = "mail")]
pub(crate) use lines::line_feeds;

use bare::BareUrl;
use boundary::{Bare, Opener};
use class::{CLASS, Class, is_scheme_byte, is_space};
use colons::Colons;
use delimited::Draft;
use leader::Leader;
use lines::{Line, LineStart};
use scheme::{AFTER, ANY, BEFORE, SCHEME, SPACED, Shape};
use window::Window;

use crate::span::Span;

/// How many bytes before `:` can be a scheme.
#[doc(hidden)]
pub const SCHEME_MAX: usize = 32;
/// How many bytes a leader, and the white space around `URL` and its colon,
/// can have.
#[doc(hidden)]
pub const LEADER_MAX: usize = 64;
/// How far before a candidate the start of its line is looked for.
#[doc(hidden)]
pub const LINE_START_MAX: usize = 1024;
/// How many bytes a delimited form can have, from its opening byte on.
pub const DELIMITED_MAX: usize = 8192;
/// How many bytes of a following line are looked at.
pub(crate) const NEXT_LINE_MAX: usize = 1024;
/// How many lines page furniture can have.
pub(crate) const PAGE_LINES: usize = 12;
/// How many bytes a URL can have unless the caller says otherwise. RFC 9110
/// 4.1 recommends "support at a minimum 8000 octets".
pub const URL_MAX: usize = 8192;
/// How many readings are reported besides the first.
pub const ALTERNATES_MAX: usize = 4;

/// How many bytes after the colon of a scheme its shape must show in.
const SHAPE_MAX: usize = 320;
/// How many lines a bare URL is joined from, at most.
const JOINED_LINES: usize = 32;
/// How many bytes are searched for colons before their lines are counted: few
/// enough to be in a second-level cache still, so that the second pass does not
/// go to memory; many, because the first pass waits for memory at its start.
const BLOCK: usize = 64 * 1024;
/// How far on the examination of a colon can look: to the limit of a delimited
/// form, and over page furniture and a line from there.
const AHEAD: usize = DELIMITED_MAX + (PAGE_LINES + 3) * NEXT_LINE_MAX;
/// How many bytes may at most be looked at again early, at line ends: those of
/// a few URLs of usual length.
const CREDIT: u64 = 4096;
/// How far back the examination of a colon can look: over `<URL` and the white
/// space in it, then to the start of that line and the break before it.
const BEHIND: usize = LINE_START_MAX + 1 + 2 * LEADER_MAX + 4;

/// How many bytes of a chunk are copied behind what is kept of those before, so
/// that the scan goes on in the chunk itself: twice as many as are looked back
/// on.
const NEAR: usize = 2 * BEHIND;

/// Finds candidates in a haystack that comes in chunks.
///
/// # Complexity
///
/// Linear in the haystack; one look at each colon, and at the bytes of what
/// may be a URL.
#[derive(Clone, Debug)]
pub struct Scanner {
    /// What came in and may still be looked at; empty while slices are scanned.
    buffer: Vec<u8>,
    phase: Phase,
    state: State,
    candidate: Candidate,
    draft: Draft,
}

/// What was done with a scanner since it was made or reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing.
    Fresh,
    /// A whole haystack was scanned, perhaps not to its end.
    Scanned,
    /// Chunks were fed.
    Fed,
    /// The end was reported.
    Ended,
}

/// What is carried from one place of the haystack to the next.
#[derive(Clone, Debug)]
struct State {
    config: Config,
    /// Offset of the window's first byte.
    base: u64,
    /// Offset from which colons are looked for.
    next: u64,
    /// Offset before which everything belongs to candidates reported already.
    floor: u64,
    /// Offset up to which the last bare URL that goes on does so.
    joined_to: u64,
    /// True inside a URL that was too long: nothing counts before its end.
    skipping: bool,
    /// How far the haystack must have come before the place at `next` is
    /// examined again, after an examination that ran out of bytes.
    need: u64,
    /// How many bytes may be looked at again before `need` is reached. Each
    /// byte that comes in adds one, up to [`CREDIT`], so that all such looks
    /// together cost no more than the haystack and `CREDIT`.
    credit: u64,
    lines: Lines,
    line_start: LineStart,
    at_sign: NextByte,
    comma: NextByte,
    end: End,
    examined: u64,
}

/// How the haystack ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// No byte follows the last one.
    Whole,
    /// Bytes follow that cannot be read. What they cannot change is reported.
    Broken,
    /// They may change everything that is still to be reported.
    Uncertain,
}

#[derive(Clone, Copy, Debug)]
struct Config {
    url_max: usize,
    count_lines: bool,
    /// Bare URLs are joined over lines where they plainly go on.
    join: bool,
    /// Hosts without a scheme are looked for.
    suffixes: bool,
    /// Visits every byte and keeps no caches: the oracle of the fast scanner.
    plain: bool,
}

/// Counts line feeds up to the places that ask.
#[derive(Clone, Copy, Debug, Default)]
struct Lines {
    /// Number of the line at offset `at`.
    line: u64,
    at: u64,
}

impl Default for Scanner {
    fn default() -> Scanner {
        Scanner::new()
    }
}

impl Scanner {
    /// A scanner at the start of a haystack, with the limits of this module,
    /// that counts lines.
    #[must_use]
    pub fn new() -> Scanner {
        let config = Config {
            url_max: URL_MAX,
            count_lines: true,
            join: true,
            suffixes: false,
            plain: false,
        };
        Scanner {
            buffer: Vec::new(),
            phase: Phase::Fresh,
            state: State::new(config),
            candidate: Candidate::default(),
            draft: Draft::default(),
        }
    }

    /// Sets how many bytes a URL can have; at least 16. Longer ones are
    /// reported as too long, and skipped.
    #[must_use]
    pub fn url_max(mut self, bytes: usize) -> Scanner {
        self.state.config.url_max = bytes.max(16);
        self
    }

    /// Sets whether candidates have line numbers. On by default.
    #[must_use]
    pub fn count_lines(mut self, yes: bool) -> Scanner {
        self.state.config.count_lines = yes;
        self
    }

    /// Sets whether a bare URL that plainly goes on in the next line takes that
    /// line's bytes too: its first reading is the joined one, with the doubt
    /// [`Doubt::Joined`]. Else the joined reading is an alternate. On by default.
    #[must_use]
    pub fn join(mut self, yes: bool) -> Scanner {
        self.state.config.join = yes;
        self
    }

    /// Sets whether hosts that begin with `www.`, `ftp.` or `gopher.` are found
    /// without a scheme, as [`Form::Suffix`] with the scheme in front of them. Off
    /// by default. The scan is slower with it: it looks at each dot.
    #[must_use]
    pub fn suffixes(mut self, yes: bool) -> Scanner {
        self.state.config.suffixes = yes;
        self
    }

    /// Makes this scanner visit every byte and keep no caches. It reports the
    /// same candidates, slowly; tests compare the two.
    #[doc(hidden)]
    #[must_use]
    pub fn plain(mut self) -> Scanner {
        self.state.config.plain = true;
        self
    }

    /// Forgets everything, for another haystack, whose first byte has the
    /// offset `base` and stands on line `line` (counted from 1; 0 if that is not known, and then lines
    /// are not counted). Keeps memory.
    pub fn reset(&mut self, base: u64, line: u64) {
        let State { config, credit, .. } = self.state;
        self.buffer.clear();
        self.phase = Phase::Fresh;
        self.state = State::new(config);
        // Not given anew: many small haystacks would cost more than one.
        self.state.credit = credit;
        self.state.base = base;
        self.state.next = base;
        self.state.floor = base;
        self.state.lines = Lines { line, at: base };
        self.state.line_start = LineStart::new(base);
    }

    /// Says that nothing more of this haystack is wanted: the next call of
    /// `feed` or `finish` begins another one.
    pub(crate) fn close(&mut self) {
        self.phase = Phase::Scanned;
    }

    /// True if nothing was scanned or fed since the scanner was made or reset.
    pub(crate) fn is_fresh(&self) -> bool {
        self.phase == Phase::Fresh
    }

    /// How many bytes have been looked at so far, those of a place that was
    /// examined twice counted twice. For tests.
    #[doc(hidden)]
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.state.examined
    }

    /// Offset before which no candidate can start any more.
    #[must_use]
    pub fn settled(&self) -> u64 {
        // The place at `next` may still turn out to be the colon of a scheme.
        self.state
            .next
            .saturating_sub(BEHIND as u64)
            .max(self.state.floor.min(self.state.next))
    }

    /// Scans a whole haystack. `emit` is called for each candidate and returns
    /// whether to go on. Returns false if `emit` stopped the scan; called again
    /// with the same haystack, the scan goes on from there. After `feed` or
    /// `finish`, or with a haystack that is shorter than what was scanned, the
    /// scanner is reset first.
    pub fn scan(&mut self, haystack: &[u8], emit: impl FnMut(&Candidate) -> bool) -> bool {
        let end = self.state.base + haystack.len() as u64;
        if matches!(self.phase, Phase::Fed | Phase::Ended) || self.state.next > end {
            self.reset(0, 1);
        }
        self.phase = Phase::Scanned;
        self.state
            .advance(haystack, true, &mut self.candidate, &mut self.draft, emit)
    }

    /// Reads `text` as the value of an attribute that holds a URL and nothing
    /// else, as HTML has them: white space around it and line breaks inside it
    /// are removed, anything else is part of it. Gives it to `emit` as a quoted
    /// candidate, if it starts with a scheme as a candidate does; a partial
    /// form is none. Does not touch what was fed before.
    pub fn value(&mut self, text: &[u8], emit: impl FnOnce(&Candidate) -> bool) -> bool {
        // `trim_ascii` would leave vertical tabs, which are white space here.
        let Some(start) = text.iter().position(|&b| !is_space(b)) else {
            return true;
        };
        let end = text
            .iter()
            .rposition(|&b| !is_space(b))
            .map_or(0, |i| i + 1);
        let value = &text[start..end];
        let Some(colon) = memchr::memchr(b':', value) else {
            return true;
        };
        let (name, rest) = (&value[..colon], &value[colon + 1..]);
        let is_url = match scheme::shape(name) {
            _ if name.len() > SCHEME_MAX || !name.iter().all(|&b| is_scheme_byte(b)) => false,
            _ if rest.starts_with(b"//") => name.first().is_some_and(u8::is_ascii_alphabetic),
            Some(shape) => value_has_shape(shape, rest),
            None => false,
        };
        if !is_url {
            return true;
        }
        delimited::value(value, start as u64, &mut self.candidate);
        let breaks = memchr::memchr_iter(b'\n', &text[..start]).count() as u64;
        self.candidate.line = self.state.config.count_lines.then_some(1 + breaks);
        self.candidate.limit(self.state.config.url_max);
        emit(&self.candidate)
    }

    /// Takes the next chunk of the haystack. Candidates that can be decided
    /// are given to `emit`, as for [`Scanner::scan`]; one that needs bytes which
    /// have not come yet is tried again when a line has ended, or, where that
    /// would cost too much, when twice as many bytes are here. After `scan` or
    /// `finish` the scanner is reset first.
    pub fn feed(&mut self, chunk: &[u8], mut emit: impl FnMut(&Candidate) -> bool) -> bool {
        if matches!(self.phase, Phase::Scanned | Phase::Ended) {
            self.reset(0, 1);
        }
        self.phase = Phase::Fed;
        if self.buffer.is_empty() {
            return self.look(chunk, chunk.len(), emit);
        }
        let start = self.state.base + self.buffer.len() as u64;
        let (near, rest) = chunk.split_at(chunk.len().min(NEAR));
        if !self.push(near, &mut emit) {
            self.buffer.extend_from_slice(rest);
            return false;
        }
        if rest.is_empty() {
            return true;
        }
        let keep = self.state.keep();
        if keep < start {
            return self.push(rest, emit);
        }
        // All that will be looked at from here on stands in the chunk.
        self.state.count_lines_to(&self.buffer, keep);
        self.buffer.clear();
        self.state.base = keep;
        self.look(&chunk[(keep - start) as usize..], rest.len(), emit)
    }

    /// Says that the haystack that was fed has ended. The rest of the candidates
    /// is given to `emit`; if `emit` stops this, the next call gives the others.
    pub fn finish(&mut self, emit: impl FnMut(&Candidate) -> bool) -> bool {
        if self.phase == Phase::Scanned {
            self.reset(0, 1);
        }
        self.phase = Phase::Ended;
        self.run(true, emit)
    }

    /// Says that bytes follow which cannot be read. The rest of the candidates
    /// is given to `emit`: those that the missing bytes cannot change, then,
    /// as [`input_ended`](Candidate::input_ended), those that they may.
    pub fn break_off(&mut self, emit: impl FnMut(&Candidate) -> bool) -> bool {
        if self.phase == Phase::Scanned {
            self.reset(0, 1);
        }
        self.phase = Phase::Ended;
        if self.state.end == End::Whole {
            self.state.end = End::Broken;
        }
        self.run(true, emit)
    }

    /// Adds `chunk` to what is kept, and scans that.
    fn push(&mut self, chunk: &[u8], emit: impl FnMut(&Candidate) -> bool) -> bool {
        self.buffer.extend_from_slice(chunk);
        let seen = self.state.base + self.buffer.len() as u64;
        if !self.state.is_due(chunk, seen) {
            return true;
        }
        self.run(false, emit)
    }

    /// Scans `bytes`, of which the last `new` are new, where nothing is kept
    /// from before, and keeps the end of them.
    fn look(&mut self, bytes: &[u8], new: usize, emit: impl FnMut(&Candidate) -> bool) -> bool {
        let state = &mut self.state;
        let seen = state.base + bytes.len() as u64;
        let go_on = !state.is_due(&bytes[bytes.len() - new..], seen)
            || state.advance(bytes, false, &mut self.candidate, &mut self.draft, emit);
        let keep = state.keep();
        state.count_lines_to(bytes, keep);
        self.buffer
            .extend_from_slice(&bytes[(keep - state.base) as usize..]);
        state.base = keep;
        go_on
    }

    fn run(&mut self, eof: bool, emit: impl FnMut(&Candidate) -> bool) -> bool {
        let (buffer, state) = (&mut self.buffer, &mut self.state);
        let go_on = state.advance(buffer, eof, &mut self.candidate, &mut self.draft, emit);
        let keep = state.keep();
        let drop = (keep - state.base) as usize;
        // Moving the rest down costs as much as it is long: wait until more
        // can be dropped than must be moved.
        if drop > buffer.len() / 2 {
            state.count_lines_to(buffer, keep);
            buffer.drain(..drop);
            state.base = keep;
        }
        go_on
    }
}

/// What an examined colon turned out to be. Indexes are of the window.
enum Outcome {
    Nothing,
    Candidate { resume: usize },
    TooLong { start: usize, resume: usize },
}

impl State {
    fn new(config: Config) -> State {
        State {
            config,
            base: 0,
            next: 0,
            floor: 0,
            joined_to: 0,
            skipping: false,
            need: 0,
            credit: CREDIT,
            lines: Lines { line: 1, at: 0 },
            line_start: LineStart::new(0),
            at_sign: NextByte::default(),
            comma: NextByte::default(),
            end: End::Whole,
            examined: 0,
        }
    }

    /// Offset before which nothing will be looked at any more.
    fn keep(&self) -> u64 {
        self.next.saturating_sub(BEHIND as u64).max(self.base)
    }

    /// Whether the place at `next` is examined, now that `chunk` has come in
    /// and the haystack with it up to `seen`. If it waits for more it is
    /// examined all the same at the end of a line, as far as the credit goes:
    /// the line after it decides most of what waits, and somebody may be
    /// reading along.
    fn is_due(&mut self, chunk: &[u8], seen: u64) -> bool {
        self.credit = CREDIT.min(self.credit + chunk.len() as u64);
        if seen >= self.need {
            return true;
        }
        let again = seen - self.next;
        if again > self.credit || memchr::memchr(b'\n', chunk).is_none() {
            return false;
        }
        self.credit -= again;
        // Whatever is left over, if `emit` stops, waits for nothing.
        self.need = 0;
        true
    }

    /// Examines the colons of the window `bytes` from `next` on.
    fn advance(
        &mut self,
        bytes: &[u8],
        eof: bool,
        candidate: &mut Candidate,
        draft: &mut Draft,
        mut emit: impl FnMut(&Candidate) -> bool,
    ) -> bool {
        let Config {
            suffixes, plain, ..
        } = self.config;
        let window = |eof| {
            let mut w = Window::new(bytes, eof);
            w.suffixes = suffixes;
            w
        };
        let mut w = window(eof && self.end != End::Broken);
        let finder = colons::finder();
        let mut pos = (self.next - self.base) as usize;
        let go_on = 'scan: loop {
            if self.skipping {
                let rest = &bytes[pos..];
                let len = rest.iter().position(|&b| is_stop(b));
                let skipped = len.unwrap_or(rest.len());
                self.examined += skipped as u64;
                pos += skipped;
                if len.is_none() {
                    break true;
                }
                self.skipping = false;
                self.floor = self.base + pos as u64;
            }
            let from = pos;
            let end = bytes.len().min(from + BLOCK);
            let mut colons = Colons::new(finder.as_ref(), &bytes[from..end], suffixes, plain);
            loop {
                let Some(at) = colons.find(
                    |at| matters(bytes, from + at),
                    |at| suffix::may_end(bytes, from + at),
                ) else {
                    self.examined += (end - from) as u64;
                    pos = end;
                    if end == bytes.len() {
                        break 'scan true;
                    }
                    self.count_lines_to(bytes, self.base + end as u64);
                    break;
                };
                let colon = from + at;
                let mut found = self.examine(&w, colon, candidate, draft);
                let mut starved = w.take_starved();
                if starved && eof {
                    self.end = End::Uncertain;
                    self.examined += w.examined();
                    w = window(true);
                    found = self.examine(&w, colon, candidate, draft);
                    starved = false;
                }
                if starved {
                    self.examined += (colon - from) as u64;
                    pos = colon;
                    // Twice as many bytes each time, so that tiny chunks cost
                    // no more than twice; no more than can ever be wanted.
                    let ahead =
                        (2 * (bytes.len() - colon).max(32)).min(AHEAD.max(self.config.url_max));
                    self.need = self.base + (colon + ahead) as u64;
                    break 'scan true;
                }
                let resume = match found {
                    Outcome::Nothing => continue,
                    Outcome::Candidate { resume } => resume,
                    Outcome::TooLong { start, resume } => {
                        let (from, to) = (self.base + start as u64, self.base + resume as u64);
                        candidate.too_long = true;
                        candidate.copy(&bytes[start..resume], Span::new(from, to));
                        candidate.finish(ReadingKind::Plain, true);
                        self.skipping = true;
                        resume
                    }
                };
                if candidate.continues || candidate.doubts.has(Doubt::Joined) {
                    self.joined_to = candidate.reach();
                }
                self.joined_to = self.joined_to.max(candidate.looked_to);
                if self.counts_lines() {
                    self.count_lines_to(bytes, candidate.start());
                    candidate.line = Some(self.lines.line);
                }
                candidate.input_ended = self.end == End::Uncertain;
                pos = resume.max(colon + 1);
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
        go_on
    }

    fn counts_lines(&self) -> bool {
        self.config.count_lines && self.lines.line > 0
    }

    /// Counts the line feeds before the offset `to` that were not yet counted.
    fn count_lines_to(&mut self, bytes: &[u8], to: u64) {
        if self.counts_lines() && to > self.lines.at {
            let range = (self.lines.at - self.base) as usize..(to - self.base) as usize;
            self.lines.line += lines::line_feeds(&bytes[range]);
            self.lines.at = to;
        }
    }

    /// Decides what the colon at `colon` belongs to.
    fn examine(
        &mut self,
        w: &Window<'_>,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let bytes = w.bytes();
        let floor = self.floor.saturating_sub(self.base) as usize;
        if bytes[colon] == b'.' {
            return self.examine_suffix(w, floor, colon, out);
        }
        let slashes = w.at(colon + 1) == Some(b'/') && w.at(colon + 2) == Some(b'/');
        if slashes && let Some(start) = scheme::web(&bytes[floor..colon]) {
            let url = Start {
                start: floor + start,
                body: colon + 3,
                shape: None,
                glued: false,
                other: None,
            };
            return self.candidate(w, floor, url, out, draft);
        }
        let run_start = {
            let low = floor.max(colon.saturating_sub(SCHEME_MAX));
            low + bytes[low..colon]
                .iter()
                .rposition(|&b| !is_scheme_byte(b))
                .map_or(0, |i| i + 1)
        };
        let run = &bytes[run_start..colon];
        // The run goes on to the left: beyond what we look at, or into bytes
        // that belong to another candidate.
        let cut = colon - run_start == SCHEME_MAX
            && run_start > floor
            && is_scheme_byte(bytes[run_start - 1]);
        if is_prefix_word(run) || run.is_empty() {
            return self.examine_prefix(w, floor, colon, out, draft);
        }
        if slashes {
            let Some(scheme) = scheme::before_slashes(run, cut) else {
                return Outcome::Nothing;
            };
            let url = Start {
                start: run_start + scheme.start,
                body: colon + 3,
                shape: None,
                glued: scheme.glued,
                other: scheme.other.map(|at| run_start + at),
            };
            return self.candidate(w, floor, url, out, draft);
        }
        let word = run.iter().position(u8::is_ascii_alphabetic).unwrap_or(0);
        // A mark before the word (`--mailto:`) is none of a scheme's.
        let Some(shape) = scheme::shape(&run[word..])
            .filter(|_| !cut && !run[..word].iter().any(u8::is_ascii_digit))
        else {
            return Outcome::Nothing;
        };
        let url = Start {
            start: run_start + word,
            body: colon + 1,
            shape: Some(shape),
            glued: false,
            other: None,
        };
        self.candidate(w, floor, url, out, draft)
    }

    /// A colon that may be that of `<URL:`.
    fn examine_prefix(
        &mut self,
        w: &Window<'_>,
        floor: usize,
        colon: usize,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let Some(open) = prefix_before(w, floor, colon + 1).and_then(|p| p.bracket) else {
            return Outcome::Nothing;
        };
        let line = || self.line(w, open);
        let Some(resume) = draft.read(w, Form::Wrapped, open, colon + 1, line) else {
            return Outcome::Nothing;
        };
        if draft.is_several(w) {
            return Outcome::Nothing;
        }
        out.clear(Form::Wrapped);
        if w.suffixes
            && let Some(first) = draft.first()
            && let Some(scheme) = suffix::starts(w.slice(first, SCHEME_MAX))
            && suffix::has_host(draft.first_text(w))
        {
            out.clear(Form::Suffix);
            out.scheme = Some(scheme);
        }
        let resume = draft.readings(w, self.base, out, resume);
        out.limit(self.config.url_max);
        Outcome::Candidate { resume }
    }

    /// A dot that may end the first label of a host without a scheme.
    fn examine_suffix(
        &mut self,
        w: &Window<'_>,
        floor: usize,
        dot: usize,
        out: &mut Candidate,
    ) -> Outcome {
        let Some(label) = suffix::label(w.bytes(), floor, dot) else {
            return Outcome::Nothing;
        };
        let (start, body) = (label.start, dot + 1);
        let before = (start > floor).then(|| w.bytes()[start - 1]);
        let opener = Opener(before);
        let max = self.config.url_max - label.scheme.len();
        out.clear(Form::Suffix);
        out.scheme = Some((label.scheme, body - start));
        match boundary::bare(w, start, body, opener, max) {
            Bare::TooLong => Outcome::TooLong {
                start,
                resume: start + max,
            },
            Bare::Found(extent) => {
                if !suffix::has_host(w.slice(start, extent.end - start)) {
                    return Outcome::Nothing;
                }
                let line = match bare::line_end(w, extent.raw) {
                    Some(_) => self.line_start(w, start),
                    None => None,
                };
                let found = BareUrl {
                    start,
                    body,
                    extent,
                    opener,
                    line,
                    max,
                    join: self.config.join,
                    other: None,
                    wrapper: false,
                    may_go_on: self.base + start as u64 >= self.joined_to,
                };
                let resume = found.readings(w, self.base, out);
                Outcome::Candidate { resume }
            }
        }
    }

    /// A scheme at `url.start`: tries the forms that its surroundings allow.
    fn candidate(
        &mut self,
        w: &Window<'_>,
        floor: usize,
        url: Start,
        out: &mut Candidate,
        draft: &mut Draft,
    ) -> Outcome {
        let bytes = w.bytes();
        let before = space_before(bytes, floor, url.start);
        let opener = (before > floor).then(|| bytes[before - 1]);
        let delimited = match opener {
            Some(b'<') => Some(Form::Bracketed),
            Some(b'"') if before == url.start => Some(Form::Quoted),
            _ => None,
        };
        if let Some(form) = delimited
            && !url.glued
        {
            let open = before - 1;
            let line = || self.line(w, open);
            if let Some(resume) = draft.read(w, form, open, url.start, line)
                && url.shape.is_none_or(|shape| {
                    form == Form::Bracketed || draft_has_shape(w, draft, shape, url.body)
                })
                && !(form == Form::Quoted && url.is_drive())
                && !draft.is_several(w)
                && draft.first().is_some_and(|first| first == url.start)
            {
                out.clear(form);
                if form == Form::Quoted {
                    let before = (open > floor).then(|| bytes[open - 1]);
                    draft.trim_quoted(w, before);
                }
                if draft.first_text(w).len() > url.body - url.start || !draft.is_single() {
                    let resume = draft.readings(w, self.base, out, resume);
                    out.limit(self.config.url_max);
                    return Outcome::Candidate { resume };
                }
            }
        }
        let prefix = if delimited.is_none() {
            prefix_before(w, floor, before)
        } else {
            None
        };
        // After an explicit mark the grammar judges, whatever it is.
        if prefix.is_none()
            && (url.is_drive()
                || url
                    .shape
                    .is_some_and(|shape| !self.has_shape(w, shape, url.body)))
        {
            return Outcome::Nothing;
        }
        // An unclosed `<URL:` falls back to a bare URL.
        let form = if prefix.is_some_and(|p| p.bracket.is_none()) {
            Form::Prefixed
        } else {
            Form::Bare
        };
        let opener = Opener(if before == url.start { opener } else { None });
        match boundary::bare(w, url.start, url.body, opener, self.config.url_max) {
            Bare::TooLong => {
                out.clear(form);
                out.glued = url.glued;
                Outcome::TooLong {
                    start: url.start,
                    resume: url.start + self.config.url_max,
                }
            }
            Bare::Found(extent) if extent.end > url.body => {
                out.clear(form);
                out.glued = url.glued;
                let line = if bare::line_end(w, extent.raw).is_some() {
                    self.line_start(w, url.start)
                } else {
                    None
                };
                let max = self.config.url_max;
                let found = BareUrl {
                    start: url.start,
                    body: url.body,
                    extent,
                    opener,
                    line,
                    max,
                    join: self.config.join,
                    other: url.other,
                    wrapper: prefix.is_some_and(|p| p.bracket.is_some()),
                    may_go_on: self.base + url.start as u64 >= self.joined_to,
                };
                let resume = found.readings(w, self.base, out);
                Outcome::Candidate { resume }
            }
            Bare::Found(_) => Outcome::Nothing,
        }
    }

    /// Index of the first byte of the line of `at`, if it is known.
    fn line_start(&mut self, w: &Window<'_>, at: usize) -> Option<usize> {
        if self.config.plain {
            self.line_start.forget();
        }
        self.line_start.of(w, self.base, at)
    }

    fn line<'h>(&mut self, w: &Window<'h>, at: usize) -> Line<'h> {
        let start = self.line_start(w, at);
        let leader = start.map_or(Leader::default(), |start| Leader::of(w.bytes(), start, at));
        Line { start, leader }
    }

    /// True if the bytes from `body` on show the shape that the scheme before
    /// them needs.
    fn has_shape(&mut self, w: &Window<'_>, shape: Shape, body: usize) -> bool {
        if self.config.plain {
            (self.at_sign, self.comma) = Default::default();
        }
        let (base, bytes) = (self.base, w.bytes());
        let before_stop = |next: &mut NextByte, wanted: u8| {
            // At the end of a word it is the sentence's.
            next.find(w, base, body, wanted).is_some_and(|at| {
                let follows = |b: u8| b.is_ascii_alphanumeric() || b == b'%';
                bytes[at] == wanted && w.at(at + 1).is_some_and(follows)
            })
        };
        let next = w.at(body);
        match shape {
            Shape::At => before_stop(&mut self.at_sign, b'@'),
            Shape::Comma => before_stop(&mut self.comma, b','),
            Shape::Group | Shape::Host => {
                before_stop(&mut self.at_sign, b'@') || has_dotted_name(w, body)
            }
            Shape::Doi => w.has_word(body, b"10."),
            Shape::Digit => match next {
                Some(b'+') => w.at(body + 1).is_some_and(|b| b.is_ascii_digit()),
                next => next.is_some_and(|b| b.is_ascii_digit()),
            },
            Shape::Question => next == Some(b'?'),
            Shape::Nid => has_namespace(w, body),
            Shape::Marked => false,
        }
    }
}

/// A scheme and what is known of it.
#[derive(Clone, Copy)]
struct Start {
    start: usize,
    /// Index after the scheme, its colon and its slashes.
    body: usize,
    shape: Option<Shape>,
    glued: bool,
    /// Index of another scheme that ends in the same letters.
    other: Option<usize>,
}

impl Start {
    /// A scheme of one letter is a drive (`C://x`), unless something marks it.
    fn is_drive(&self) -> bool {
        self.shape.is_none() && self.body - self.start == 4
    }
}

fn is_stop(b: u8) -> bool {
    CLASS[b as usize] == Class::Stop
}

/// True if the colon at `colon` can be that of a URL or a wrapper, by the bytes
/// beside it.
#[inline]
pub(crate) fn matters(bytes: &[u8], colon: usize) -> bool {
    let before = match colon.checked_sub(1) {
        Some(i) => BEFORE[bytes[i] as usize],
        None => ANY,
    };
    let after = match bytes.get(colon + 1) {
        Some(&b) => AFTER[b as usize],
        None => ANY,
    };
    match before & after {
        0 => false,
        // `Subject:Date:` in the signatures of mail is nearly all of these.
        SPACED => scheme::is_spaced(&bytes[..colon]),
        SCHEME => colon >= 2 && scheme::may_end(bytes[colon - 2], bytes[colon - 1]),
        _ => true,
    }
}

/// `URL` at the end of a run of scheme characters, as a word.
fn is_prefix_word(run: &[u8]) -> bool {
    let Some(at) = run.len().checked_sub(3) else {
        return false;
    };
    run[at..].eq_ignore_ascii_case(b"url")
        && !run[..at].last().is_some_and(u8::is_ascii_alphanumeric)
}

/// `URL:` or `URL=` right before a place.
#[derive(Clone, Copy)]
struct Prefix {
    /// Index of the `<` before it, if there is one.
    bracket: Option<usize>,
}

/// Index of the first byte of the white space right before `from`, at most
/// [`LEADER_MAX`] back, and not beyond a blank line, which ends everything.
fn space_before(bytes: &[u8], floor: usize, from: usize) -> usize {
    let low = floor.max(from.saturating_sub(LEADER_MAX));
    let mut at = from;
    let mut broken = false;
    while at > low && is_space(bytes[at - 1]) {
        // The LF of a CRLF is no break of its own.
        let half = bytes[at - 1] == b'\r' && bytes.get(at) == Some(&b'\n');
        if class::is_break(bytes[at - 1]) && !half {
            if broken {
                break;
            }
            broken = true;
        }
        at -= 1;
    }
    at
}

/// Looks back from `end`, the index after a colon or equals sign, for `URL`
/// and `<`, with white space between them.
fn prefix_before(w: &Window<'_>, floor: usize, end: usize) -> Option<Prefix> {
    let bytes = w.bytes();
    let back = |from: usize| space_before(bytes, floor, from);
    if end <= floor || !matches!(bytes[end - 1], b':' | b'=') {
        return None;
    }
    let word_end = back(end - 1);
    let word = word_end.checked_sub(3).filter(|&at| at >= floor)?;
    if !bytes[word..word_end].eq_ignore_ascii_case(b"url")
        || (word > floor && bytes[word - 1].is_ascii_alphanumeric())
    {
        return None;
    }
    let before = back(word);
    let bracket =
        (before > floor && bytes[before - 1] == b'<' && bytes[end - 1] == b':').then(|| before - 1);
    // Only in a wrapper may white space stand before the colon.
    (bracket.is_some() || word_end == end - 1).then_some(Prefix { bracket })
}

/// A name with a dot inside, from `body` on: `comp.lang.lisp`, `example.org`.
/// The end of its word must be in the window: who asks has looked for it.
fn has_dotted_name(w: &Window<'_>, body: usize) -> bool {
    let name = w.slice(body, SHAPE_MAX);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'_' | b'.');
    let len = name.iter().take_while(|b| is_name(b)).count();
    w.count(len);
    name[..len]
        .windows(3)
        .any(|p| p[1] == b'.' && p[0].is_ascii_alphanumeric() && p[2].is_ascii_alphanumeric())
        && name[0].is_ascii_alphanumeric()
}

/// RFC 8141: a namespace of 2 to 32 letters, digits and hyphens, a colon, and
/// the name.
fn has_namespace(w: &Window<'_>, body: usize) -> bool {
    let mut len = 0;
    while len <= 32
        && w.at(body + len)
            .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'-')
    {
        len += 1;
    }
    (2..=32).contains(&len)
        && w.at(body + len) == Some(b':')
        && w.at(body + len + 1)
            .is_some_and(|b| !is_stop(b) && CLASS[b as usize] != Class::Close)
}

/// [`State::has_shape`] for a URL between delimiters, whose line breaks are
/// out already.
fn draft_has_shape(w: &Window<'_>, draft: &Draft, shape: Shape, body: usize) -> bool {
    let text = draft.first_text(w);
    let start = draft.first().unwrap_or(body);
    let rest = text.get(body - start..).unwrap_or_default();
    match shape {
        Shape::At => draft.holds(w, b'@'),
        Shape::Comma => draft.holds(w, b','),
        Shape::Group => {
            rest.first().is_some_and(|&b| b != b'-')
                && (rest == b"*" || draft.holds(w, b'@') || has_dotted_name(w, body))
        }
        Shape::Host => draft.holds(w, b'@') || has_dotted_name(w, body),
        Shape::Doi => rest.starts_with(b"10."),
        Shape::Digit => rest
            .first()
            .is_some_and(|&b| b == b'+' || b.is_ascii_digit()),
        Shape::Question => rest.first() == Some(&b'?'),
        Shape::Nid => has_namespace(w, body),
        Shape::Marked => true,
    }
}

/// [`State::has_shape`] for a value that holds nothing else.
fn value_has_shape(shape: Shape, rest: &[u8]) -> bool {
    let w = Window::new(rest, true);
    match shape {
        Shape::At => memchr::memchr(b'@', rest).is_some(),
        Shape::Comma => memchr::memchr(b',', rest).is_some(),
        Shape::Group => {
            rest == b"*" || memchr::memchr(b'@', rest).is_some() || has_dotted_name(&w, 0)
        }
        Shape::Host => memchr::memchr(b'@', rest).is_some() || has_dotted_name(&w, 0),
        Shape::Doi => rest.starts_with(b"10."),
        Shape::Digit => rest
            .first()
            .is_some_and(|&b| b == b'+' || b.is_ascii_digit()),
        Shape::Question => rest.first() == Some(&b'?'),
        Shape::Nid => has_namespace(&w, 0),
        Shape::Marked => false,
    }
}

/// Where the next byte of some kind stands, or the one that ends the word.
/// Keeps what it saw, so that a haystack full of schemes is searched once only.
#[derive(Clone, Copy, Debug, Default)]
struct NextByte {
    /// From the place asked for last to this offset there is none, …
    to: u64,
    /// … and here stands one, if `to` was reached because of it.
    at: Option<u64>,
}

impl NextByte {
    /// Index of the first byte from `start` that is `wanted` or ends the word,
    /// if it is less than [`SHAPE_MAX`] bytes away.
    fn find(&mut self, w: &Window<'_>, base: u64, start: usize, wanted: u8) -> Option<usize> {
        let (from, limit) = (base + start as u64, base + (start + SHAPE_MAX) as u64);
        // Places come in order.
        if self.to < from {
            (self.to, self.at) = (from, None);
        }
        if self.at.is_none() {
            let at = (self.to - base) as usize;
            let bytes = w.slice(at, limit.saturating_sub(self.to) as usize);
            let found = bytes.iter().position(|&b| b == wanted || is_stop(b));
            let seen = found.unwrap_or(bytes.len());
            w.count(seen);
            self.to += seen as u64;
            self.at = found.map(|_| self.to);
            // If it was not found, it may stand in bytes that are not here yet.
            let _ = w.at(at + seen);
        }
        self.at.map(|at| (at - base) as usize)
    }
}
