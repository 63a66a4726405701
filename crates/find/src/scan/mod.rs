//! The scanner. It finds each place where a URL may be, its delimiters, and the
//! possible readings. It may report text that is not a URL, never misses a URL,
//! and does not say what is one. It asks the grammar in one case only: whether
//! lines that it has joined are a URL, to choose where that ends (`refused`).
//!
//! A [`Scanner`] is fed a haystack in chunks of any size. It reports
//! [`Candidate`]s in the order in which they start. Lookbehind and lookahead
//! are bounded by constants of this module. So the result depends only on the
//! bytes, not on the chunks. Beyond a bound the answer is "unknown": the line
//! has no leader, or the wrapper is not closed.
//!
//! A byte is processed as follows. `colons` finds a colon. `examine` decides
//! what the colon belongs to (`scheme`, `prefix`). It reads the text after the
//! colon (`delimited`, or `bare` with `boundary`), checks its `shape`, and
//! fills a `candidate`. If bytes of it may not be text, `through` has it read
//! again through a view. If the grammar does not accept the lines that were
//! joined, `refused` ends it before them. `state` has the loop around these
//! steps.
//!
//! Time is linear in the haystack. A byte is examined at most:
//!
//! * once in the search for colons
//! * once in the search for the start of its line
//! * once in each search for the `@`, the comma and the dot that a scheme
//!   without `//` needs
//! * once as part of a bare URL
//! * three times as the possible continuation of a bare URL: after a soft
//!   break, as first word of the next line, and in the rest of the URL
//! * twice as the possible rest of a link of a mail gateway, in the same way
//! * three times for a form in brackets: once as part of the form, and twice as
//!   page furniture
//! * three times for a form in quotation marks, in the same way
//!
//! No text has all of these. Most text has only the first.
//!
//! If a place in a chunk needs more bytes, it is re-examined when the buffer
//! has doubled. It is re-examined earlier if a new chunk has a line feed. All
//! early re-examinations together read at most as many bytes as the haystack
//! has, plus a constant. Retained memory is one chunk and the range of the
//! constants, which is about 32 KiB.

mod bare;
mod boundary;
mod candidate;
mod colons;
mod columns;
mod delimited;
mod doi;
mod domain;
mod encoded;
mod entity;
mod evidence;
mod examine;
mod gateway;
mod hyperlink;
mod leader;
mod limits;
mod lines;
mod looks;
mod mark;
mod marks;
mod markup;
mod masked;
mod prefix;
mod qp;
mod refused;
mod rejoin;
mod scheme;
mod script;
mod shape;
mod shell;
mod state;
mod suffix;
mod template;
#[cfg(test)]
mod tests;
mod through;
mod trim;
mod typeset;
mod window;

pub(crate) use candidate::Readings;
pub use candidate::{Candidate, Doubt, Form, Reading, ReadingKind, Signs};
pub use lines::is_ground;
pub use lines::line_feeds;

#[doc(hidden)]
pub use crate::text::schemes::SCHEME_MAX;
pub use colons::first_colon;
pub use colons::follows_scheme;
pub use colons::matters;
pub use limits::{ALTERNATES_MAX, DELIMITED_MAX, NEXT_LINE_MAX, URL_MAX};
#[doc(hidden)]
pub use limits::{LEADER_MAX, LINE_START_MAX};

use crate::grammar::Grammar;
use crate::text::class::is_space;
use crate::view::Sight;
use delimited::Draft;
use limits::{BEHIND, NEAR};
use lines::LineStart;
use state::{Config, End, Lines, State};

/// Finds candidates in a haystack that comes in chunks.
///
/// # Complexity
///
/// Linear in the haystack. Only colons and the bytes of possible URLs are
/// examined closely.
#[derive(Clone, Debug)]
pub struct Scanner {
    /// Bytes that may still be needed. Empty while slices are scanned.
    buffer: Vec<u8>,
    phase: Phase,
    state: State,
    candidate: Candidate,
    draft: Draft,
}

/// The last use of a scanner since it was created or reset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// It was not used.
    Fresh,
    /// A whole haystack was scanned, possibly not to its end.
    Scanned,
    /// Chunks were fed.
    Fed,
    /// The end was reported.
    Ended,
}

impl Default for Scanner {
    fn default() -> Scanner {
        Scanner::new()
    }
}

impl Scanner {
    /// A scanner at the start of a haystack. It has the limits of this module,
    /// and counts lines.
    #[must_use]
    pub fn new() -> Scanner {
        let config = Config {
            url_max: URL_MAX,
            count_lines: true,
            join: true,
            suffixes: false,
            national: false,
            experimental: false,
            encoded: true,
            is_page: false,
            plain: false,
            sight: Sight::default(),
            grammar: None,
        };
        Scanner {
            buffer: Vec::new(),
            phase: Phase::Fresh,
            state: State::new(config),
            candidate: Candidate::default(),
            draft: Draft::default(),
        }
    }

    /// Sets the maximum length of a URL in bytes, at least 16. A longer URL is
    /// reported as too long and skipped.
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

    /// Sets whether a bare URL is joined if it clearly continues on the next
    /// line. On by default. The joined reading comes first and has the doubt
    /// [`Doubt::Joined`]. If this is off, the joined reading is an alternate.
    #[must_use]
    pub fn join(mut self, yes: bool) -> Scanner {
        self.state.config.join = yes;
        self.state.config.sight.guesses_rows = !yes;
        self
    }

    /// Sets whether hosts without a scheme that begin with `www.`, `ftp.` or
    /// `gopher.` are found. Off by default. They are reported as
    /// [`Form::Suffix`], with the scheme added. The scan is slower, because
    /// each dot is examined.
    #[must_use]
    pub fn suffixes(mut self, yes: bool) -> Scanner {
        self.state.config.suffixes = yes;
        self
    }

    /// Sets whether the grammar has the characters `{ } | [ ]`, as draft -06 has. Off by
    /// default. Then they end a bare URL where they are markup, a note or a separator.
    #[must_use]
    pub(crate) fn national(mut self, yes: bool) -> Scanner {
        self.state.config.national = yes;
        self
    }

    /// Sets whether experimental schemes are found in brackets (`<x-foo:bar>`), as draft -03 has
    /// them. Off by default.
    #[must_use]
    pub(crate) fn experimental(mut self, yes: bool) -> Scanner {
        self.state.config.experimental = yes;
        self
    }

    /// Sets the grammar that ends a joined URL before a line which it refuses. By default there is
    /// none.
    #[must_use]
    pub(crate) fn grammar(mut self, grammar: Grammar) -> Scanner {
        self.state.config.grammar = Some(grammar);
        self
    }

    /// Sets whether defanged URLs are read as they were meant. Off by default.
    #[must_use]
    pub fn refang(mut self, yes: bool) -> Scanner {
        self.state.config.sight.refangs = yes;
        self
    }

    /// Sets whether the next haystacks may be from a terminal.
    pub(crate) fn set_text(&mut self, has_rows: bool) {
        self.state.config.sight.has_rows = has_rows;
    }

    /// Sets whether the next haystacks may be quoted-printable that nothing declares.
    pub(crate) fn set_encoded(&mut self, yes: bool) {
        self.state.config.encoded = yes;
    }

    /// Sets whether the next haystacks are what a page of HTML shows.
    pub(crate) fn set_page(&mut self, yes: bool) {
        self.state.config.is_page = yes;
    }

    /// Makes this scanner visit every byte and use no caches. It is slow and
    /// reports the same candidates. Tests compare the two.
    #[doc(hidden)]
    #[must_use]
    pub fn plain(mut self) -> Scanner {
        self.state.config.plain = true;
        self
    }

    /// Starts another haystack. `base` is the offset of its first byte. `line`
    /// is the line of that byte, counted from 1. If `line` is 0, lines are not
    /// counted. Memory is kept.
    pub fn reset(&mut self, base: u64, line: u64) {
        let State { config, credit, .. } = self.state;
        self.buffer.clear();
        self.phase = Phase::Fresh;
        let mut paragraphs = std::mem::take(&mut self.state.paragraphs);
        paragraphs.clear();
        self.state = State::new(config);
        self.state.paragraphs = paragraphs;
        // The credit is kept. Renewing it would make many small haystacks more
        // expensive than one large haystack.
        self.state.credit = credit;
        self.state.base = base;
        self.state.next = base;
        self.state.floor = base;
        self.state.lines = Lines { line, at: base };
        self.state.line_start = LineStart::new(base);
    }

    /// Ends this haystack. The next call of `feed` or `finish` begins another
    /// one.
    pub(crate) fn close(&mut self) {
        self.phase = Phase::Scanned;
    }

    /// Passes over the first `bytes` of a haystack that was not begun. None of them may be
    /// a colon that matters.
    pub(crate) fn skip(&mut self, bytes: usize) {
        self.state.next += bytes as u64;
    }

    /// True if nothing was scanned or fed since the scanner was created or
    /// reset.
    pub(crate) fn is_fresh(&self) -> bool {
        self.phase == Phase::Fresh
    }

    /// The number of bytes examined so far. Bytes that are examined twice count
    /// twice. For tests.
    #[doc(hidden)]
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.state.examined
    }

    /// No further candidate starts before this offset.
    #[must_use]
    pub fn settled(&self) -> u64 {
        // `next` may be a colon. Its candidate starts at most `BEHIND` bytes
        // before it.
        self.state
            .next
            .saturating_sub(BEHIND as u64)
            .max(self.state.floor.min(self.state.next))
    }

    /// True if a place in the chunks so far needs more bytes. Otherwise
    /// [`finish`](Scanner::finish) reports nothing.
    pub(crate) fn is_pending(&self) -> bool {
        self.state.next < self.state.base + self.buffer.len() as u64
    }

    /// A paragraph ends before the offset `at`, as in HTML: no bare URL continues over the
    /// line break there. Must be called in order, before that place is fed.
    pub(crate) fn end_paragraph(&mut self, at: u64) {
        let known = &mut self.state.paragraphs;
        if known.last() != Some(&at) {
            known.push(at);
        }
    }

    /// Scans a whole haystack. `emit` is called for each candidate and returns
    /// whether to continue. Returns false if `emit` stopped the scan. Another
    /// call with the same haystack then continues the scan. The scanner is
    /// reset first after `feed` or `finish`, and if the haystack is shorter
    /// than the scanned part.
    pub fn scan(&mut self, haystack: &[u8], emit: impl FnMut(&Candidate) -> bool) -> bool {
        let end = self.state.base + haystack.len() as u64;
        if matches!(self.phase, Phase::Fed | Phase::Ended) || self.state.next > end {
            self.reset(0, 1);
        }
        self.phase = Phase::Scanned;
        self.state
            .advance(haystack, true, &mut self.candidate, &mut self.draft, emit)
    }

    /// Reads `text` as an HTML attribute value that is a single URL. White
    /// space and controls around the URL, and tabs and line breaks inside it, are removed. All
    /// other bytes are part of the URL. If the URL starts with a scheme, it is passed
    /// to `emit` as a candidate. A partial form (`../a.html`) is ignored. `is_unclosed` is true
    /// if the end of the URL is not known. A haystack that is being fed is not affected.
    pub fn value(
        &mut self,
        text: &[u8],
        is_unclosed: bool,
        emit: impl FnOnce(&Candidate) -> bool,
    ) -> bool {
        // > Remove any leading and trailing C0 control or space from input. (URL Standard 4.4)
        let is_kept = |&b: &u8| b > b' ';
        let Some(start) = text.iter().position(is_kept) else {
            return true;
        };
        let end = text.iter().rposition(is_kept).map_or(0, |i| i + 1);
        let value = &text[start..end];
        // > Remove all ASCII tab or newline from input (URL Standard 4.4)
        let mut joined = Vec::new();
        if memchr::memchr3(b'\t', b'\n', b'\r', value).is_some() {
            let is_kept = |b: &&u8| !matches!(b, b'\t' | b'\n' | b'\r');
            joined.extend(value.iter().filter(is_kept));
        }
        let plain = if joined.is_empty() { value } else { &joined };
        if !shape::is_link(plain) {
            return true;
        }
        delimited::value(value, start as u64, &mut self.candidate);
        let breaks = memchr::memchr_iter(b'\n', &text[..start]).count() as u64;
        self.candidate.signs.line = self.state.config.count_lines.then_some(1 + breaks);
        let is_control = |b: &u8| !is_space(*b);
        let has_control =
            text[..start].iter().any(is_control) || text[end..].iter().any(is_control);
        self.candidate.signs.doubts.add(Doubt::Browser, has_control);
        self.candidate.unclosed = is_unclosed;
        self.candidate.limit(self.state.config.url_max);
        emit(&self.candidate)
    }

    /// Processes the next chunk of the haystack. Decided candidates are passed
    /// to `emit`, as in [`Scanner::scan`]. A candidate that needs further bytes
    /// is re-examined after a line end. If this would cost too much, it is
    /// re-examined when the buffer has doubled. After `scan` or `finish` the
    /// scanner is reset first.
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
        // All bytes that are still needed are in the chunk.
        self.state.count_lines_to(&self.buffer, keep);
        self.buffer.clear();
        self.state.base = keep;
        self.look(&chunk[(keep - start) as usize..], rest.len(), emit)
    }

    /// Ends the haystack that was fed. The remaining candidates are passed to
    /// `emit`. If `emit` stops, the next call passes the rest.
    pub fn finish(&mut self, emit: impl FnMut(&Candidate) -> bool) -> bool {
        if self.phase == Phase::Scanned {
            self.reset(0, 1);
        }
        self.phase = Phase::Ended;
        self.run(true, emit)
    }

    /// Ends the haystack before unreadable bytes. The remaining candidates are
    /// passed to `emit`. First come those that the missing bytes cannot change.
    /// Then come those that they may change, marked as
    /// [`input_ended`](Candidate::input_ended).
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

    /// Appends `chunk` to the kept bytes, and scans them.
    fn push(&mut self, chunk: &[u8], emit: impl FnMut(&Candidate) -> bool) -> bool {
        self.buffer.extend_from_slice(chunk);
        let seen = self.state.base + self.buffer.len() as u64;
        if !self.state.is_due(chunk, seen) {
            return true;
        }
        self.run(false, emit)
    }

    /// Scans `bytes` while the buffer is empty, and keeps the end of them. The
    /// last `new` bytes are new.
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
        // Moving the kept bytes costs as much as their length. So wait until
        // more bytes can be dropped than must be moved.
        if drop > buffer.len() / 2 {
            state.count_lines_to(buffer, keep);
            buffer.drain(..drop);
            state.base = keep;
        }
        go_on
    }
}
