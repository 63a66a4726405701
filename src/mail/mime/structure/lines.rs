//! The lines of a body. Finds boundaries and the lines of encoded files,
//! without examining every other line.
//!
//! The line break before a boundary belongs to the boundary (RFC 2046 section
//! 5.1.1). So if the bytes so far end in a line break and the start of the next
//! line, these are held back.

use memchr::{memchr, memmem, memrchr};

use super::super::mapped::{MappedBytes, line_feeds};
use super::super::text::{Entry, Text};
use super::super::uu::{self, Encoded, Verdict};
use super::super::{MailSink, MessageNoteKind};
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
    /// Counts the lines of bytes that were read. Does so only if another part
    /// may follow.
    pub(super) fn count(&mut self, bytes: &[u8]) {
        if self.is_bound() {
            self.line += line_feeds(bytes) as u64;
        }
    }

    /// True if a boundary may follow.
    pub(super) fn is_bound(&self) -> bool {
        self.frames.iter().any(|f| f.boundary.is_some())
    }

    /// Reads some bytes of a body. Returns their number.
    pub(super) fn body<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) -> usize {
        let bound = self.is_bound();
        if !bound && !self.watch {
            self.emit(bytes, source, sink);
            return bytes.len();
        }
        if self.uu != Encoded::None {
            return self.extend_hold(bytes, source, sink);
        }
        if self.line_starts || !self.hold.is_empty() {
            match self.first_line(bytes) {
                First::More => return self.extend_hold(bytes, source, sink),
                First::Text => self.release_all(sink),
                First::File(uu, n) => {
                    self.release_all(sink);
                    self.emit(&bytes[..n], source, sink);
                    self.start_file(uu, source + n as u64, sink);
                    return n;
                }
                First::Boundary(frame, last, n) => {
                    self.drop_hold();
                    self.count(&bytes[..n]);
                    self.at = source + n as u64;
                    self.boundary(frame, last, sink);
                    return n;
                }
            }
        }
        // Inside a line: continue at the next line that may matter, or at the
        // end.
        let mut search = 0;
        while let Some(feed) = self.next_candidate(bytes, search, source) {
            let line = &bytes[feed + 1..];
            let end = memchr(b'\n', &line[..line.len().min(MAX_LINE)]);
            let Some(end) = end else {
                if line.len() < MAX_LINE {
                    // The rest of the line is in the next bytes.
                    return self.hold_from(bytes, break_start(bytes, feed), source, sink);
                }
                self.examined += MAX_LINE as u64;
                search = feed + 1;
                continue;
            };
            self.examined += 2 * (end + 1) as u64;
            match self.classify(&line[..end]) {
                BodyLine::Text => search = feed + 1,
                BodyLine::File(uu) => {
                    let n = feed + 1 + end + 1;
                    self.emit(&bytes[..n], source, sink);
                    self.start_file(uu, source + n as u64, sink);
                    return n;
                }
                BodyLine::Boundary(frame, last) => {
                    let before = break_start(bytes, feed);
                    let n = feed + 1 + end + 1;
                    self.emit(&bytes[..before], source, sink);
                    self.count(&bytes[before..n]);
                    self.at = source + n as u64;
                    self.boundary(frame, last, sink);
                    return n;
                }
            }
        }
        // The next bytes may be needed to decide about the last line.
        let feed = memrchr(b'\n', &bytes[bytes.len().saturating_sub(MAX_LINE)..])
            .map(|i| i + bytes.len().saturating_sub(MAX_LINE));
        match feed {
            Some(i) if i + 1 == bytes.len() && !bound => self.line_starts = true,
            Some(i) if self.may_matter(&bytes[i + 1..]) => {
                return self.hold_from(bytes, break_start(bytes, i), source, sink);
            }
            _ if bound && bytes.ends_with(b"\r") => {
                return self.hold_from(bytes, bytes.len() - 1, source, sink);
            }
            _ => {}
        }
        self.emit(bytes, source, sink);
        bytes.len()
    }

    /// The index of the first line feed at or after `from` that precedes a line
    /// that may matter: a boundary, or the first line of an encoded file.
    fn next_candidate(&mut self, bytes: &[u8], from: usize, source: u64) -> Option<usize> {
        let bound = self.is_bound();
        let rest = &bytes[from..];
        let here = source + from as u64;
        let Ahead { dashes, begin } = &mut self.ahead;
        let dashes = bound.then(|| {
            dashes.at(here, rest, &mut self.examined, |rest| {
                self.dashes.find(rest)
            })
        });
        let begin = self.watch.then(|| {
            begin.at(here, rest, &mut self.examined, |rest| {
                before_begin(&self.begin, rest)
            })
        });
        match (dashes.flatten(), begin.flatten()) {
            (Some(a), Some(b)) => Some(from + a.min(b)),
            (a, b) => a.or(b).map(|i| from + i),
        }
    }

    /// The kind of the first line of `bytes`. It may continue the held line.
    fn first_line(&mut self, bytes: &[u8]) -> First {
        // If more than a line break is held, the line has already begun.
        if self.hold.len() != break_len(&self.hold) {
            return First::More;
        }
        let first = bytes[0];
        let bound = first == b'-' && self.is_bound();
        if !bound && !(self.watch && (first == b'b' || first == b'=')) {
            return First::Text;
        }
        let near = &bytes[..bytes.len().min(MAX_LINE)];
        let Some(end) = memchr(b'\n', near) else {
            self.examined += near.len() as u64;
            return match near.len() < MAX_LINE {
                true => First::More,
                false => First::Text,
            };
        };
        self.examined += 2 * (end + 1) as u64;
        match self.classify(&bytes[..end]) {
            BodyLine::Text => First::Text,
            BodyLine::Boundary(frame, last) => First::Boundary(frame, last, end + 1),
            BodyLine::File(uu) => First::File(uu, end + 1),
        }
    }

    /// Passes on the bytes before `from`, and holds the rest.
    fn hold_from<S: MailSink>(
        &mut self,
        bytes: &[u8],
        from: usize,
        source: u64,
        sink: &mut S,
    ) -> usize {
        self.emit(&bytes[..from], source, sink);
        self.hold_source = source + from as u64;
        self.hold.extend_from_slice(&bytes[from..]);
        bytes.len()
    }

    /// Adds bytes to the held bytes, up to the next line feed, and decides
    /// about them.
    fn extend_hold<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) -> usize {
        if self.hold.is_empty() {
            self.hold_source = source;
        }
        let room = MAX_LINE + self.held_break() - self.hold.len();
        let near = &bytes[..bytes.len().min(room)];
        let n = memchr(b'\n', near).map_or(near.len(), |i| i + 1);
        self.examined += 2 * n as u64;
        self.hold.extend_from_slice(&bytes[..n]);
        self.settle(false, sink);
        n
    }

    /// True if a line that begins like this may matter.
    fn may_matter(&self, line: &[u8]) -> bool {
        let like = |mark: &[u8]| line.starts_with(mark) || mark.starts_with(line);
        like(b"--") && self.is_bound() || self.watch && uu::MARKS.iter().any(|m| like(m))
    }

    /// Decides about the held bytes. These are an optional line break, and a
    /// line or its start. At the `end` of the message a line needs no line
    /// feed.
    pub(super) fn settle<S: MailSink>(&mut self, end: bool, sink: &mut S) {
        let start = self.held_break();
        let line = &self.hold[start..];
        if line.is_empty() || line == b"\r" && start == 0 && !end {
            return;
        }
        let whole = end || line.ends_with(b"\n");
        let full = line.len() >= MAX_LINE;
        if !whole && !full && (self.uu != Encoded::None || self.may_matter(line)) {
            return;
        }
        let mut found = BodyLine::Text;
        if whole {
            found = self.classify(line);
        }
        if let BodyLine::Boundary(frame, last) = found {
            self.at = self.hold_source + self.hold.len() as u64;
            self.drop_hold();
            self.boundary(frame, last, sink);
            return;
        }
        if self.uu != Encoded::None {
            if self.uu.line(line) == Verdict::Data {
                self.skipped += line_feeds(line);
                self.drop_hold();
                self.line_starts = true;
                return;
            }
            self.end_file(sink);
        }
        if let BodyLine::File(uu) = found {
            let at = self.hold_source + self.hold.len() as u64;
            self.release_all(sink);
            self.start_file(uu, at, sink);
        } else {
            self.release(sink);
        }
    }

    /// The length of the line break at the start of the held bytes. Inside an
    /// encoded file only whole lines are held.
    fn held_break(&self) -> usize {
        match self.uu {
            Encoded::None => break_len(&self.hold),
            _ => 0,
        }
    }

    fn drop_hold(&mut self) {
        let lines = line_feeds(&self.hold) as u64;
        if self.is_bound() {
            self.line += lines;
        }
        self.hold.clear();
    }

    /// Passes on the held bytes as text. Keeps a line break at their end, or
    /// the first byte of a line break, because it may belong to a boundary.
    fn release<S: MailSink>(&mut self, sink: &mut S) {
        let len = self.hold.len();
        let from = match self.hold.last() {
            Some(b'\n') => break_start(&self.hold, len - 1),
            Some(b'\r') => len - 1,
            _ => len,
        };
        if !self.is_bound() || from == len {
            let line_starts = self.hold.ends_with(b"\n");
            self.release_all(sink);
            self.line_starts = line_starts;
            return;
        }
        let mut hold = std::mem::take(&mut self.hold);
        self.emit(&hold[..from], self.hold_source, sink);
        hold.drain(..from);
        self.hold = hold;
        self.hold_source += from as u64;
        self.line_starts = false;
    }

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
    pub(super) fn classify(&self, line: &[u8]) -> BodyLine {
        let line = line.trim_ascii_end();
        if let Some(rest) = line.strip_prefix(b"--") {
            if let Some((frame, last)) = self.find_boundary(rest) {
                return BodyLine::Boundary(frame, last);
            }
        } else if self.watch && self.leaf == Leaf::Text {
            let uu = uu::begins(line);
            if uu != Encoded::None {
                return BodyLine::File(uu);
            }
        }
        BodyLine::Text
    }

    /// The innermost frame that has `line` as its boundary, and whether it is
    /// the last boundary.
    fn find_boundary(&self, line: &[u8]) -> Option<(usize, bool)> {
        if line.len() > MAX_BOUNDARY + 2 {
            return None;
        }
        let closing = line.strip_suffix(b"--").map(|l| (l, hash(l)));
        let open = (line, hash(line));
        let is = |(text, h): (&[u8], u64), frame: &Frame| {
            frame
                .boundary
                .as_ref()
                .is_some_and(|(range, b)| *b == h && self.boundaries[range.clone()] == *text)
        };
        self.frames.iter().enumerate().rev().find_map(|(i, f)| {
            if is(open, f) {
                Some((i, false))
            } else {
                closing.is_some_and(|c| is(c, f)).then_some((i, true))
            }
        })
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

/// The length of the line break at the start of `bytes`.
fn break_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    }
}

/// The start of the line break that ends with the line feed at `feed`.
fn break_start(bytes: &[u8], feed: usize) -> usize {
    feed - usize::from(feed > 0 && bytes[feed - 1] == b'\r')
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

/// The first line feed in `bytes` that precedes a line with one of
/// [`uu::MARKS`].
fn before_begin(begin: &memmem::Finder<'_>, bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        let word = at + begin.find(&bytes[at..])?;
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

/// The kind of the first line of some bytes, and its length if known.
enum First {
    /// More bytes are needed to decide.
    More,
    Text,
    Boundary(usize, bool, usize),
    File(Encoded, usize),
}
