//! The lines of a body. Finds boundaries and the lines of encoded files,
//! without examining every other line.
//!
//! The line break before a boundary belongs to the boundary (RFC 2046 section
//! 5.1.1). So if the bytes so far end in a line break and the start of a line that may
//! matter, these are held, and read again with the rest of that line.

use std::sync::LazyLock;

use memchr::{memchr, memmem, memrchr};

use super::super::mapped::{MappedBytes, line_feeds};
use super::super::note::MessageNoteKind;
use super::super::sink::MailSink;
use super::super::text::{Entry, Text};
use super::super::uu::{self, Encoded, Verdict};
use super::{Frame, Leaf, Walker};

/// > Boundary delimiters must … be no longer than 70 characters, not counting
/// > the two leading hyphens. (RFC 2046 section 5.1.1)
///
/// The maximum length of a boundary here. Some programs exceed the limit of the
/// RFC. A longer line is not a boundary.
pub(super) const MAX_BOUNDARY: usize = 512;
/// The maximum length of a line that is examined. A longer line is not a
/// boundary, and does not belong to a uuencoded or yEnc file.
const MAX_LINE: usize = 1100;

impl Walker {
    /// Counts the lines of bytes that were read, if lines are counted and another part
    /// may follow.
    pub(super) fn count(&mut self, bytes: &[u8]) {
        if self.stages.next.next.out.counts_lines && self.is_bound() {
            self.line += line_feeds(bytes) as u64;
        }
    }

    /// True if a boundary may follow.
    pub(super) fn is_bound(&self) -> bool {
        self.frames.iter().any(|f| f.boundary.is_some())
    }

    /// Reads bytes of a body, and returns their number. Does not read a line that may
    /// matter and is not complete, and the line break before it, unless the message
    /// ends with `bytes`.
    pub(super) fn body<S: MailSink>(
        &mut self,
        bytes: &[u8],
        source: u64,
        is_end: bool,
        sink: &mut S,
    ) -> usize {
        let is_file = self.uu != Encoded::None;
        let mut next = if is_file || self.line_starts && self.may_matter(bytes) {
            Some(0)
        } else {
            self.next_candidate(bytes, 0, source)
        };
        while let Some(start) = next {
            let near = &bytes[start..bytes.len().min(start + MAX_LINE)];
            let feed = memchr(b'\n', near);
            let is_whole = feed.is_some() || near.len() < MAX_LINE;
            if feed.is_none() && is_whole && !is_end {
                return self.pass(bytes, break_start(bytes, start), source, sink);
            }
            let line = feed.map_or(near, |feed| &near[..=feed]);
            self.examined += 2 * line.len() as u64;
            let n = start + line.len();
            let found = if is_whole {
                self.classify(line)
            } else {
                BodyLine::Text
            };
            if let BodyLine::Boundary(frame, last) = found {
                let before = break_start(bytes, start);
                self.emit(&bytes[..before], source, sink);
                self.count(&bytes[before..n]);
                self.at = source + n as u64;
                self.boundary(frame, last, sink);
                return n;
            }
            if self.uu.line(line) == Verdict::Data {
                self.skipped += line_feeds(line);
                self.count(line);
                return n;
            }
            self.end_file(sink);
            if let BodyLine::File(uu) = found {
                self.emit(&bytes[..n], source, sink);
                self.start_file(uu, source + n as u64, sink);
                return n;
            }
            next = self.next_candidate(bytes, start, source);
        }
        let n = if is_end {
            bytes.len()
        } else {
            self.decided(bytes)
        };
        self.pass(bytes, n, source, sink)
    }

    /// Reads the held bytes again, together with the start of `bytes`, which
    /// follow. Returns the number of bytes after the held ones.
    pub(super) fn read_held<S: MailSink>(&mut self, bytes: &[u8], sink: &mut S) -> usize {
        let near = &bytes[..bytes.len().min(MAX_LINE)];
        let feed = memchr(b'\n', near);
        let n = feed.map_or(near.len(), |feed| feed + 1);
        self.hold.extend_from_slice(&near[..n]);
        // A line is read again when it is complete, or when it has doubled. So the
        // time is linear.
        if feed.is_none() && self.hold.len() < self.hold_again {
            return n;
        }
        let held = std::mem::replace(&mut self.hold, std::mem::take(&mut self.spare_hold));
        self.hold.clear();
        self.read(&held, self.hold_source, false, sink);
        self.spare_hold = held;
        if self.hold.len() > n {
            return n;
        }
        // What was not read is the start of `bytes`.
        let n = n - self.hold.len();
        self.hold.clear();
        n
    }

    /// Passes on the first `n` bytes. Returns their number.
    fn pass<S: MailSink>(&mut self, bytes: &[u8], n: usize, source: u64, sink: &mut S) -> usize {
        if n > 0 {
            self.line_starts = bytes[n - 1] == b'\n';
            self.emit(&bytes[..n], source, sink);
        }
        n
    }

    /// The start of the first line at or after `from` that follows another and may
    /// matter: a boundary, or the first line of an encoded file.
    fn next_candidate(&mut self, bytes: &[u8], from: usize, source: u64) -> Option<usize> {
        let bound = self.is_bound();
        let rest = &bytes[from..];
        let here = source + from as u64;
        let Ahead { dashes, begin } = &mut self.ahead;
        let dashes =
            bound.then(|| dashes.at(here, rest, &mut self.examined, |rest| DASHES.find(rest)));
        let begin = self
            .watch
            .then(|| begin.at(here, rest, &mut self.examined, before_begin));
        let feed = match (dashes.flatten(), begin.flatten()) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        feed.map(|feed| from + feed + 1)
    }

    /// The number of bytes before those that the next bytes decide about. These can
    /// be a line break, or a line break and the start of a line that may matter. A
    /// whole [`uu::MARKS`] has already been found.
    fn decided(&self, bytes: &[u8]) -> usize {
        let bound = self.is_bound();
        let from = bytes.len().saturating_sub(uu::MARKS[1].len());
        if let Some(feed) = memrchr(b'\n', &bytes[from..]) {
            let start = from + feed + 1;
            if self.may_matter(&bytes[start..]) && (bound || start < bytes.len()) {
                return break_start(bytes, start);
            }
        }
        bytes.len() - usize::from(bound && bytes.ends_with(b"\r"))
    }

    /// True if a line that begins like this may matter.
    fn may_matter(&self, line: &[u8]) -> bool {
        let like = |mark: &[u8]| line.starts_with(mark) || mark.starts_with(line);
        like(b"--") && self.is_bound() || self.watch && uu::MARKS.iter().any(|m| like(m))
    }

    /// Passes on the held bytes as text.
    pub(super) fn release_all<S: MailSink>(&mut self, sink: &mut S) {
        let hold = std::mem::take(&mut self.hold);
        if !hold.is_empty() {
            self.emit(&hold, self.hold_source, sink);
        }
        self.hold = hold;
        self.hold.clear();
        self.line_starts = false;
    }

    /// The kind of a complete line of a body. The line break may be missing.
    fn classify(&self, line: &[u8]) -> BodyLine {
        if line.starts_with(b"--") {
            return match find_boundary(&self.frames, &self.boundaries, line) {
                Some((frame, last)) => BodyLine::Boundary(frame, last),
                None => BodyLine::Text,
            };
        }
        if self.watch && self.leaf == Leaf::Text {
            match uu::begins(line.trim_ascii_end()) {
                Encoded::None => BodyLine::Text,
                uu => BodyLine::File(uu),
            }
        } else {
            BodyLine::Text
        }
    }

    // Encoded files in the text.

    fn start_file<S: MailSink>(&mut self, uu: Encoded, at: u64, sink: &mut S) {
        self.uu = uu;
        self.line_starts = true;
        self.note(MessageNoteKind::EncodedFile, at, sink);
    }

    pub(super) fn end_file<S: MailSink>(&mut self, sink: &mut S) {
        self.uu = Encoded::None;
        let lines = std::mem::take(&mut self.skipped);
        if lines != 0 && self.leaf == Leaf::Text {
            let (stages, mut cx) = self.stages(sink);
            let skipped = Entry::of(&MappedBytes::opaque(b"", lines));
            stages.put(Text::one(b"", &skipped), &mut cx);
        }
    }
}

/// The innermost frame that has `line` as its boundary, and whether it is the last
/// boundary. `line` may have a line break.
pub(super) fn find_boundary(
    frames: &[Frame],
    boundaries: &[u8],
    line: &[u8],
) -> Option<(usize, bool)> {
    let line = line.trim_ascii_end().strip_prefix(b"--")?;
    if line.len() > MAX_BOUNDARY + 2 {
        return None;
    }
    let closing = line.strip_suffix(b"--").map(|l| (l, hash(l)));
    let open = (line, hash(line));
    let is = |(text, h): (&[u8], u64), frame: &Frame| {
        frame
            .boundary
            .as_ref()
            .is_some_and(|(range, b)| *b == h && boundaries[range.clone()] == *text)
    };
    frames.iter().enumerate().rev().find_map(|(i, f)| {
        if is(open, f) {
            Some((i, false))
        } else {
            closing.is_some_and(|c| is(c, f)).then_some((i, true))
        }
    })
}

/// The start of the line break before the line at `start`, if it has one.
fn break_start(bytes: &[u8], start: usize) -> usize {
    let before = &bytes[..start];
    let before = before
        .strip_suffix(b"\n")
        .map_or(before, |b| b.strip_suffix(b"\r").unwrap_or(b));
    before.len()
}

/// The next line feeds in the current slice that precede lines that may matter.
/// They are cached between parts, because a slice with many parts must be
/// searched only once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ahead {
    dashes: Next,
    begin: Next,
}

#[derive(Clone, Copy, Debug, Default)]
enum Next {
    #[default]
    Unknown,
    /// Source offset of the line feed.
    At(u64),
    /// There is none up to the end of the slice.
    None,
}

impl Next {
    /// The index of the line feed in `rest`. `rest` begins at the source offset
    /// `here` and reaches to the end of the slice. `find` is called if the
    /// result is not cached.
    fn at(
        &mut self,
        here: u64,
        rest: &[u8],
        examined: &mut u64,
        find: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> Option<usize> {
        let stale = match *self {
            Next::Unknown => true,
            Next::At(at) => at < here,
            Next::None => false,
        };
        if stale {
            let found = find(rest);
            *examined += found.map_or(rest.len(), |i| i + 1) as u64;
            *self = found.map_or(Next::None, |i| Next::At(here + i as u64));
        }
        match *self {
            Next::At(at) => Some((at - here) as usize),
            Next::Unknown | Next::None => None,
        }
    }
}

/// What begins the line of a boundary, after the end of another line.
static DASHES: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"\n--"));
/// What may begin a uuencoded or yEnc file.
static BEGIN: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new(b"begin "));

/// The first line feed in `bytes` that precedes a line with one of
/// [`uu::MARKS`].
fn before_begin(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let word = at + BEGIN.find(&bytes[at..])?;
        let before = &bytes[..word];
        let before = before.strip_suffix(b"=y").unwrap_or(before);
        if before.last() == Some(&b'\n') {
            return Some(before.len() - 1);
        }
        at = word + 1;
    }
}

/// FNV-1a. Boundaries are compared byte by byte only if their hashes are the
/// same.
pub(super) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |h, &b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// The kind of a complete line of a body.
pub(super) enum BodyLine {
    Text,
    /// A boundary of this frame. True if it is the last boundary.
    Boundary(usize, bool),
    File(Encoded),
}
