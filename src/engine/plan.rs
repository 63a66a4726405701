//! Chooses where to cut a regular file that the workers read themselves.
//!
//! Bytes that one core has read are in its cache. Another core would pay more
//! to fetch them from there than to read the file. So a worker receives only
//! the range of bytes to read, large enough for many segments. The bytes
//! around each cut are read twice: here, to find the place, and by the worker.
//! If lines or messages are counted, the whole file is read here.

use std::sync::Arc;

use super::control::Control;
use super::cut::{CutPolicy, Segment, StreamCutter};
use super::open::{Bytes, Counted};
use super::worker::Kind;
use super::{Shared, Source};
use crate::mail::Container;
use crate::ranges::first::CutRule;
use crate::ranges::read::Reading;

/// The maximum number of segments in a range. It amortises the hand-over, even
/// if a thread must be woken for it.
const SEGMENTS: u64 = 8;
/// The same if the output of a range may be as long as the range. A worker
/// with a full output waits until all earlier output is written.
const LONG_SEGMENTS: u64 = 2;
/// The number of bytes of a range that are searched for a place to cut. It is
/// enough to recognise base64.
const REACH: usize = 32 << 10;

/// The cuts of a file into ranges.
pub(super) struct Plan {
    src: Arc<dyn Source>,
    size: Option<u64>,
    shared: Arc<Shared>,
    kind: Kind,
    /// The length of a range in bytes.
    range: u64,
    /// Whether lines are counted.
    lines: bool,
    how: How,
    buffer: Vec<u8>,
}

enum How {
    /// By reading the whole file.
    Read(Box<StreamCutter>),
    /// By reading only the bytes after the end of each range.
    Look(Look),
}

struct Look {
    place: CutRule,
    range: u64,
    size: u64,
    /// Offset of the next range.
    offset: u64,
    /// 1, or 0 if lines and messages have no numbers.
    number: u64,
    /// Whether the next range begins a text.
    fresh: bool,
    /// Whether the last range was handed out.
    done: bool,
}

impl Plan {
    /// Whether this system can read a file at any offset without moving its
    /// cursor (pread).
    pub(super) const CAN: bool = cfg!(any(unix, windows));

    /// A plan for `src` from its byte `start` on. `size` is its length when it
    /// was opened. If `start` is not 0, lines and messages have no numbers.
    pub(super) fn new(
        src: Arc<dyn Source>,
        size: Option<u64>,
        start: u64,
        kind: Kind,
        shared: &Arc<Shared>,
    ) -> Plan {
        let settings = &shared.settings;
        let lines = settings.lines && start == 0;
        // A short file also has a range for each thread.
        let least = settings.segment as u64;
        let most = if settings.long_output {
            LONG_SEGMENTS
        } else {
            SEGMENTS
        };
        let len = size.unwrap_or(u64::MAX).saturating_sub(start);
        let range = (len / (2 * settings.threads as u64)).clamp(least, most * least);
        let container = kind.container();
        let is_text = container == Container::Text;
        let place = CutRule::of(container);
        let look = match place {
            CutRule::Nowhere => !container.has_many(),
            CutRule::Ground => !lines,
            CutRule::Message(_) => !lines && (start > 0 || !settings.numbers),
        };
        let how = match size {
            Some(size) if look => How::Look(Look {
                place,
                range,
                size,
                offset: start,
                number: u64::from(start == 0),
                fresh: true,
                done: false,
            }),
            _ => {
                let rdr = Reading::new(Arc::clone(&src), start, u64::MAX, size);
                // The workers count the bytes that they read.
                let rdr = Bytes::Source(Counted::new(rdr, &Control::new(), false));
                let segment = settings.segment;
                let cutter = StreamCutter::new(rdr, segment, segment, CutPolicy::Ground, lines)
                    .resumes(settings.resume_rule(kind));
                How::Read(Box::new(if is_text {
                    cutter
                } else {
                    cutter.messages(container)
                }))
            }
        };
        Plan {
            src,
            size,
            shared: Arc::clone(shared),
            kind,
            range,
            lines: lines && is_text,
            how,
            buffer: Vec::new(),
        }
    }

    /// A cutter without input, for a file whose rest is not wanted.
    pub(super) fn abandon(&mut self) -> Option<StreamCutter> {
        let range = match &mut self.how {
            How::Read(cutter) => cutter.abandon(),
            How::Look(look) => {
                let done = std::mem::replace(&mut look.done, true);
                (!done).then(|| look.range(look.offset, true, true))
            }
        };
        Some(self.cutter(range?))
    }

    fn cutter(&self, range: Segment) -> StreamCutter {
        let end = range.offset + range.range.len() as u64;
        // A file that has grown is read to its end.
        let end = if range.eof && end > range.offset && self.size.is_some_and(|size| end >= size) {
            u64::MAX
        } else {
            end
        };
        let src = Arc::clone(&self.src);
        let rdr = Bytes::of(src, range.offset, end, self.size, &self.shared.control);
        // The worker finds the messages. The bytes of a range alone do not
        // prove a ground state, unless nothing outside the range matters at
        // its ends.
        let is_text = self.kind.container() == Container::Text;
        let cut = if is_text && range.first && range.last {
            CutPolicy::Ground
        } else {
            CutPolicy::Nowhere
        };
        let segment = self.shared.settings.segment;
        let rule = self.shared.settings.resume_rule(self.kind);
        StreamCutter::new(rdr, segment, REACH, cut, self.lines)
            .resumes(rule)
            .part(range)
    }

    fn range(&mut self) -> Option<Segment> {
        let segment = self.shared.settings.segment;
        match &mut self.how {
            How::Look(look) => look.next(&*self.src, &mut self.buffer),
            How::Read(cutter) => read_range(cutter, self.range, segment, &mut self.buffer),
        }
    }
}

impl Iterator for Plan {
    type Item = StreamCutter;

    /// A cutter that reads the next range and cuts it into segments.
    fn next(&mut self) -> Option<StreamCutter> {
        let range = self.range()?;
        Some(self.cutter(range))
    }
}

/// The next range of a file that is read here. Its length is about `len`
/// bytes.
fn read_range(
    cutter: &mut StreamCutter,
    len: u64,
    segment: usize,
    buffer: &mut Vec<u8>,
) -> Option<Segment> {
    let mut range = cutter.next(buffer)?;
    range.range = 0..range.range.len();
    // The range grows until it is full. It grows further if the end of a text
    // is near.
    let (full, most) = (len - segment as u64, 2 * len);
    let more = |len: usize, last: bool| len as u64 <= if last { full } else { most };
    while !range.eof && range.error.is_none() && more(range.range.len(), range.last) {
        let Some(next) = cutter.next(buffer) else {
            break;
        };
        range.range.end += next.range.len();
        (range.last, range.eof, range.error) = (next.last, next.eof, next.error);
        range.resume = next.resume;
    }
    Some(range)
}

impl Look {
    fn next(&mut self, src: &dyn Source, buffer: &mut Vec<u8>) -> Option<Segment> {
        if self.done {
            return None;
        }
        let most = self.offset + self.range;
        if most >= self.size {
            self.done = true;
            return Some(self.range(self.size.max(self.offset), true, true));
        }
        if let CutRule::Nowhere = self.place {
            return Some(self.range(most, false, false));
        }
        let limit = self.size.min(most + self.range);
        match self.place.first(src, most, limit, buffer) {
            Ok(Some(cut)) => Some(self.range(cut, true, false)),
            Ok(None) => {
                self.done = limit == self.size;
                Some(self.range(limit, self.done, self.done))
            }
            // The worker will meet the same error.
            Err(_) => Some(self.range(most, false, false)),
        }
    }

    /// The range that ends at `end`.
    fn range(&mut self, end: u64, last: bool, eof: bool) -> Segment {
        let range = Segment {
            range: 0..(end - self.offset) as usize,
            offset: self.offset,
            line: self.number,
            number: self.number,
            first: self.fresh,
            last,
            eof,
            error: None,
            resume: None,
            panicked: false,
        };
        self.offset = end;
        self.fresh = last;
        range
    }
}
