//! Reads a stream in segments that can be searched separately.
//!
//! A segment ends at the last place where a [`Cutter`] can cut it. If there is
//! none, it ends anywhere, and the next segment belongs to the same *stretch*.
//! A stretch is searched as one text. So cuts never depend on hits, and hits
//! never depend on cuts.

use std::io::{self, Read};
use std::ops::Range;

use super::open::Bytes;
use crate::ranges::cut::{CutRule, Cutter, LOOK, View};
use urlgrep_containers::{Container, Position};

/// Reads a stream in segments.
///
/// Its fields are the rest of the last segment, the place of this rest in the stream, and how
/// the stream ends. Each read changes all three.
pub(super) struct SegmentReader {
    rdr: Bytes,
    segment: usize,
    /// The rule for the place at which the stream continues after unreadable
    /// bytes.
    rule: CutRule,
    cutter: Cutter,
    /// Whether segments are handed out as soon as bytes arrive.
    urgent: bool,
    /// Whether line feeds are counted.
    lines: bool,
    /// The last bytes that were read. The first `start` of them, at most [`LOOK`], were handed
    /// out: the cutter needs them to see what is before a cut.
    rest: Vec<u8>,
    /// Index in `rest` at which the next segment starts.
    start: usize,
    /// Offset and line of the next segment's first byte.
    offset: u64,
    line: u64,
    /// Whether the next segment begins a stretch.
    fresh: bool,
    /// Set when no more bytes can be read: at the end, or at this error.
    ended: Option<Option<io::Error>>,
    /// Whether the last segment was handed out.
    done: bool,
    /// The number of the message at the start of the part, if the cutter does
    /// not find messages.
    number: u64,
    /// The end of the part that is read.
    outer: Outer,
}

/// How the part of a stream that is read ends. A stream that is read whole is one part.
struct Outer {
    /// The end of the part ends a stretch.
    last: bool,
    /// The end of the part is the end of the stream.
    eof: bool,
    /// The error that ended the stream, if any.
    error: Option<io::Error>,
    /// The offset at which the stream continues after unreadable bytes.
    resume: Option<u64>,
}

/// Where a stream may be cut into stretches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CutPolicy {
    /// Wherever a [`Cutter`] for its container can cut it.
    Free,
    /// Nowhere, so the stream is one stretch.
    Nowhere,
    /// Nowhere, and segments are handed out as soon as bytes arrive.
    AsItComes,
}

/// A part of a stream.
#[derive(Debug)]
pub(super) struct Segment {
    /// The segment as a range of the buffer.
    pub range: Range<usize>,
    /// Offset of the first byte in the stream.
    pub offset: u64,
    /// Line of the first byte. 0 if lines are not counted.
    pub line: u64,
    /// The number of the message that begins with the segment, from 1. 0 if
    /// messages have no numbers.
    pub number: u64,
    /// Whether the segment begins a stretch.
    pub first: bool,
    /// Whether the segment ends a stretch.
    pub last: bool,
    /// Whether the segment ends the stream.
    pub eof: bool,
    /// The error that ended the stream, if any.
    pub error: Option<io::Error>,
    /// The offset at which the stream continues after unreadable bytes.
    pub resume: Option<u64>,
    /// Whether the stream ended because its reader panicked.
    pub panicked: bool,
}

impl Segment {
    /// The whole stream from `at` on, for [`SegmentReader::part`].
    pub fn all_from(at: Position) -> Segment {
        Segment {
            offset: at.offset,
            line: at.line,
            number: at.number,
            ..Segment::tail(at.offset)
        }
    }

    /// The stream from `offset` on, for [`SegmentReader::part`]. Its length is
    /// not known yet. Lines and messages have no numbers.
    pub fn tail(offset: u64) -> Segment {
        Segment {
            range: 0..0,
            offset,
            line: 0,
            number: 0,
            first: true,
            last: true,
            eof: true,
            error: None,
            resume: None,
            panicked: false,
        }
    }
}

impl SegmentReader {
    /// A reader of segments of `rdr`, which is a stream of this container.
    pub fn new(
        rdr: Bytes,
        segment: usize,
        cut: CutPolicy,
        container: Container,
        lines: bool,
    ) -> SegmentReader {
        let cutter = match (cut, container) {
            (CutPolicy::Free, Container::Text) => Cutter::Ground,
            // Lines are counted by LF.
            (CutPolicy::Free, Container::CrMbox) => Cutter::Nowhere,
            (CutPolicy::Free, container) => Cutter::messages(container),
            _ => Cutter::Nowhere,
        };
        SegmentReader {
            rdr,
            segment,
            rule: CutRule::Nowhere,
            cutter,
            urgent: cut == CutPolicy::AsItComes,
            lines,
            rest: Vec::new(),
            start: 0,
            offset: 0,
            line: 1,
            fresh: true,
            ended: None,
            done: false,
            number: 1,
            outer: Outer {
                last: true,
                eof: true,
                error: None,
                resume: None,
            },
        }
    }

    /// Continues after unreadable bytes at the first place where `rule` allows
    /// a cut.
    pub fn resumes(mut self, rule: CutRule) -> SegmentReader {
        self.rule = rule;
        self
    }

    /// Skips the bytes before the offset `at`. A text continues there after
    /// unreadable bytes.
    pub fn skip_to(&mut self, at: u64) {
        if self.offset < at {
            self.rdr.skip_to(at);
            self.offset = at;
        }
    }

    /// Reads only a part of a stream. Offsets, lines and numbers continue those
    /// of `part`. The last segment ends the stretch or the stream if `part`
    /// does.
    pub fn part(mut self, part: Segment) -> SegmentReader {
        self.offset = part.offset;
        self.line = part.line;
        self.number = part.number;
        self.fresh = part.first;
        self.outer = Outer {
            last: part.last,
            eof: part.eof,
            error: part.error,
            resume: part.resume,
        };
        self.lines &= part.line > 0;
        self
    }

    /// Whether segments are handed out as they come in.
    pub fn is_urgent(&self) -> bool {
        self.urgent
    }

    /// Whether the last segment ends a stretch.
    pub fn is_last(&self) -> bool {
        self.outer.last
    }

    /// Whether the next segment begins a text.
    pub fn begins_text(&self) -> bool {
        self.fresh
    }

    /// An empty last segment. The rest of the stream will not be read.
    pub fn abandon(&mut self) -> Option<Segment> {
        if self.done {
            return None;
        }
        self.done = true;
        Some(Segment {
            eof: self.outer.eof,
            ..self.segment(0..0, self.outer.last)
        })
    }

    /// The next segment, which is `range` of the buffer.
    fn segment(&self, range: Range<usize>, last: bool) -> Segment {
        Segment {
            range,
            line: self.line,
            number: self.number(),
            first: self.fresh,
            last,
            eof: false,
            ..Segment::tail(self.offset)
        }
    }

    /// The length of a buffer for a segment and its context.
    pub fn buffer_len(segment: usize) -> usize {
        segment + 2 * LOOK
    }

    /// Reads the next segment into `buffer`. `None` after the last segment. The
    /// buffer grows as needed and never shrinks.
    pub fn next(&mut self, buffer: &mut Vec<u8>) -> Option<Segment> {
        if self.done {
            return None;
        }
        let start = self.start;
        let mut want = start + self.segment + LOOK;
        let mut filled = self.rest.len();
        let (end, last) = loop {
            let len = want.max(filled);
            if buffer.is_empty() {
                // The system gives pages of zeros, so nothing is written.
                *buffer = vec![0; len];
            } else if buffer.len() < len {
                buffer.resize(len, 0);
            }
            if filled == self.rest.len() {
                buffer[..filled].copy_from_slice(&self.rest);
            }
            while filled < want && self.ended.is_none() && !(self.urgent && filled > start) {
                filled += read(&mut self.rdr, &mut buffer[filled..want], &mut self.ended);
            }
            let (end, last) = self.end(&buffer[..filled], start);
            // The segment is empty only if its first line may begin a message.
            // Then more bytes are needed.
            if end > start || self.ended.is_some() {
                break (end, last);
            }
            want += self.segment + LOOK;
        };
        let hay = &buffer[..filled];
        self.done = self.ended.is_some() && end == filled;
        let mut segment = self.segment(start..end, last);
        if self.done {
            let error = self.ended.take().flatten();
            segment.last = self.outer.last;
            segment.eof = self.outer.eof;
            if let Some(error) = error {
                segment.error = Some(error);
                if let Some(at) = self.rdr.resume(self.rule) {
                    self.go_on_at(at);
                    segment.last = true;
                    segment.eof = false;
                    segment.resume = Some(at);
                }
                return Some(segment);
            }
            segment.error = self.outer.error.take();
            segment.resume = self.outer.resume;
        }
        let context = end.saturating_sub(LOOK);
        hay[context..].clone_into(&mut self.rest);
        self.start = end - context;
        self.offset += (end - start) as u64;
        self.line = if self.lines {
            self.line + memchr::memchr_iter(b'\n', &hay[start..end]).count() as u64
        } else {
            0
        };
        self.fresh = segment.last;
        self.cutter.pass(self.offset);
        Some(segment)
    }

    /// Begins another text at the offset `at`, after unreadable bytes. Lines
    /// and messages have no numbers from there on.
    fn go_on_at(&mut self, at: u64) {
        self.rest.clear();
        self.start = 0;
        self.offset = at;
        self.line = 0;
        self.number = 0;
        self.lines = false;
        self.fresh = true;
        self.done = false;
        if let (Cutter::Message(_), CutRule::Message(dialect)) = (&self.cutter, self.rule) {
            self.cutter = Cutter::inside(dialect, at);
        }
    }

    /// The number of the message at the start of the next segment.
    fn number(&self) -> u64 {
        self.cutter.number().unwrap_or(self.number)
    }

    /// The end of the segment that starts at `start`, and whether a stretch
    /// ends there.
    fn end(&mut self, hay: &[u8], start: usize) -> (usize, bool) {
        let most = hay.len().min(start + self.segment);
        let view = View {
            bytes: hay,
            base: self.offset - start as u64,
            // After an error the next bytes are unknown.
            eof: matches!(self.ended, Some(None)) && self.outer.error.is_none(),
        };
        let known = (self.cutter.feed(&view).saturating_sub(view.base)) as usize;
        if self.ended.is_some() && hay.len() <= start + self.segment {
            return (hay.len(), true);
        }
        // Bytes that may begin a message are handed out later.
        let most = match self.ended {
            None => most.min(known).max(start),
            Some(_) => most,
        };
        let limit = view.base + most.min(known) as u64;
        match self.cutter.last(&view, self.offset, limit) {
            Some(cut) => ((cut - view.base) as usize, true),
            None => (most, false),
        }
    }
}

/// Reads once. Returns 0 and sets `ended` at the end or at an error.
fn read(rdr: &mut dyn Read, buffer: &mut [u8], ended: &mut Option<Option<io::Error>>) -> usize {
    loop {
        match rdr.read(buffer) {
            Ok(0) => *ended = Some(None),
            Ok(n) => return n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => *ended = Some(Some(e)),
        }
        return 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use urlgrep_find::scan::is_ground;

    /// Returns `step` bytes per read. Ends with an error if the last field is
    /// true.
    struct Slow(Vec<u8>, usize, bool);

    impl Read for Slow {
        fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() && self.2 {
                return Err(io::Error::other("gone"));
            }
            let n = self.1.min(buf.len()).min(self.0.len());
            buf[..n].copy_from_slice(&self.0[..n]);
            self.0.drain(..n);
            Ok(n)
        }
    }

    /// Cuts `text`, checks the invariants of a cut, and returns the number of
    /// stretches.
    fn cut(text: &[u8], segment: usize, step: usize, cut: CutPolicy) -> usize {
        let rdr = Bytes::Stream(Box::new(Slow(text.to_vec(), step, false)));
        let mut cutter = SegmentReader::new(rdr, segment, cut, Container::Text, true);
        let (mut buffer, mut seen, mut stretches, mut open) = (Vec::new(), Vec::new(), 0, false);
        while let Some(s) = cutter.next(&mut buffer) {
            assert_eq!(s.offset, seen.len() as u64);
            assert_eq!(
                s.line,
                1 + seen.iter().filter(|&&b| b == b'\n').count() as u64
            );
            assert_eq!(s.first, !open);
            seen.extend_from_slice(&buffer[s.range]);
            open = !s.last;
            stretches += usize::from(s.last);
            if s.last && !s.eof {
                assert!(is_ground(text, seen.len()));
            }
        }
        assert!(!open);
        assert_eq!(seen, text);
        stretches
    }

    #[test]
    fn segments_tile_the_stream() {
        let mut text = Vec::new();
        for i in 0..600 {
            text.extend_from_slice(
                format!("line {i}\r\n{}", ["", "\r\n", "\n", "\x0C\n"][i % 7 % 4]).as_bytes(),
            );
        }
        for segment in [1, 7, 64, 1000, 1 << 20] {
            for step in [1, 3, 5000] {
                cut(&text, segment, step, CutPolicy::Free);
                assert_eq!(cut(&text, segment, step, CutPolicy::Nowhere), 1);
                assert_eq!(cut(&text, segment, step, CutPolicy::AsItComes), 1);
            }
        }
    }

    #[test]
    fn cuts_at_blank_lines_but_not_near_form_feeds() {
        let text = b"some words\n\n".repeat(1000);
        assert_eq!(cut(&text, 64, 4096, CutPolicy::Free), 200);
        let text = b"some words\n\n\x0C".repeat(1000);
        assert_eq!(cut(&text, 64, 4096, CutPolicy::Free), 1);
        assert_eq!(cut(b"", 64, 1, CutPolicy::Free), 1);
    }

    #[test]
    fn what_was_read_before_an_error_is_handed_out() {
        let mut cutter = SegmentReader::new(
            Bytes::Stream(Box::new(Slow(b"xab".to_vec(), 1, true))),
            8,
            CutPolicy::Free,
            Container::Text,
            false,
        );
        let mut buffer = Vec::new();
        let s = cutter.next(&mut buffer).unwrap();
        assert_eq!(&buffer[s.range], b"xab");
        assert!(s.eof && s.last && s.error.is_some());
        assert!(cutter.next(&mut buffer).is_none());
    }
}
