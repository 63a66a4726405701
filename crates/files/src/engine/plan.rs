//! Decides where to cut a regular file that the workers read.
//!
//! A worker receives a range of offsets and reads the bytes itself. Bytes that
//! another core has read would be in the cache of that core. Fetching them from
//! there costs more than reading the file. A range is large enough for many
//! segments.
//!
//! The bytes around each cut are read twice: once here, to find the cut, and
//! once by a worker. If lines or messages are counted, the whole file is read
//! here too.

use std::sync::Arc;

use super::control::Control;
use super::open::{Bytes, Counted};
use super::segments::{CutPolicy, Segment, SegmentReader};
use super::worker::Kind;
use super::{Shared, Source};
use crate::ranges::cut::CutRule;
use crate::ranges::read::RangeReader;
use urlgrep_containers::Container;

/// The maximum number of segments in a range. Each range has a fixed cost: a thread may have to
/// be woken up, and the bytes around the cut are read twice. With 32 segments this cost is small
/// beside the search.
const SEGMENTS: u64 = 32;
/// The maximum if the output of a range may be as long as the range. A worker whose outputs
/// do not fit into its place in the line (see `run`) waits until all earlier output is
/// delivered, so long ranges would make the threads wait for each other.
const LONG_SEGMENTS: u64 = 2;

/// Cuts a file into ranges.
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
    /// Reads the whole file.
    Read(Box<SegmentReader>),
    /// Reads only bytes after the end of each range.
    Look(Look),
}

struct Look {
    place: CutRule,
    range: u64,
    size: u64,
    /// Offset of the next range.
    offset: u64,
    /// 1, or 0 if lines and messages have no numbers. It is the number of the
    /// first line and message.
    number: u64,
    /// Whether the next range begins a text.
    fresh: bool,
    /// Whether the last range was handed out.
    done: bool,
}

impl Plan {
    /// Whether this system can read a file at any offset (pread), which a plan needs.
    pub(super) const IS_POSSIBLE: bool = cfg!(any(unix, windows));

    /// A plan for `src` from the offset `start` on. `size` was the size of the
    /// source when it was opened. If `start` is not 0, lines and messages have
    /// no numbers.
    pub(super) fn new(
        src: Arc<dyn Source>,
        size: Option<u64>,
        start: u64,
        kind: Kind,
        shared: &Arc<Shared>,
    ) -> Plan {
        let settings = &shared.settings;
        let lines = settings.lines && start == 0;
        // Even a short file has about two ranges for each thread. A range has
        // at least one segment.
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
            CutRule::Nowhere => !container.is_divisible(),
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
                let rdr = RangeReader::new(Arc::clone(&src), start, u64::MAX, size);
                // Do not count these bytes as progress. The workers count the
                // bytes that they read.
                let rdr = Bytes::Source(Counted::new(rdr, &Control::new(), false));
                let segment = settings.segment;
                let rdr = SegmentReader::new(rdr, segment, CutPolicy::Free, container, lines)
                    .resumes(settings.resume_rule(kind));
                How::Read(Box::new(rdr))
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

    /// A reader without input. It ends a file that will not be read further.
    pub(super) fn abandon(&mut self) -> Option<SegmentReader> {
        let range = match &mut self.how {
            How::Read(rdr) => rdr.abandon(),
            How::Look(look) => {
                let done = std::mem::replace(&mut look.done, true);
                (!done).then(|| look.range(look.offset, true, true))
            }
        };
        Some(self.reader(range?))
    }

    fn reader(&self, range: Segment) -> SegmentReader {
        let end = range.offset + range.range.len() as u64;
        // If the file has grown, it is read to its new end.
        let end = if range.eof && end > range.offset && self.size.is_some_and(|size| end >= size) {
            u64::MAX
        } else {
            end
        };
        let src = Arc::clone(&self.src);
        let rdr = Bytes::of(src, range.offset, end, self.size, &self.shared.control);
        // A range of messages is not cut here, because the worker finds the
        // messages. A range of text can be cut only if it begins and ends a
        // text. Otherwise bytes outside the range are needed to prove a ground
        // state.
        let container = self.kind.container();
        let cut = if container == Container::Text && range.first && range.last {
            CutPolicy::Free
        } else {
            CutPolicy::Nowhere
        };
        let segment = self.shared.settings.segment;
        let rule = self.shared.settings.resume_rule(self.kind);
        SegmentReader::new(rdr, segment, cut, container, self.lines)
            .resumes(rule)
            .part(range)
    }

    fn range(&mut self) -> Option<Segment> {
        let segment = self.shared.settings.segment;
        match &mut self.how {
            How::Look(look) => look.next(&*self.src),
            How::Read(rdr) => read_range(rdr, self.range, segment, &mut self.buffer),
        }
    }
}

impl Iterator for Plan {
    type Item = SegmentReader;

    /// A reader of the segments of the next range.
    fn next(&mut self) -> Option<SegmentReader> {
        let range = self.range()?;
        Some(self.reader(range))
    }
}

/// The next range of a file that is read here. It has about `len` bytes.
fn read_range(
    rdr: &mut SegmentReader,
    len: u64,
    segment: usize,
    buffer: &mut Vec<u8>,
) -> Option<Segment> {
    let mut range = rdr.next(buffer)?;
    range.range = 0..range.range.len();
    // The range grows until it is full. If it does not end a text then, it
    // grows until it does, or until it has about twice `len` bytes.
    let (full, most) = (len - segment as u64, 2 * len);
    let more = |len: usize, last: bool| len as u64 <= if last { full } else { most };
    while !range.eof && range.error.is_none() && more(range.range.len(), range.last) {
        let Some(next) = rdr.next(buffer) else {
            break;
        };
        range.range.end += next.range.len();
        range.last = next.last;
        range.eof = next.eof;
        range.error = next.error;
        range.resume = next.resume;
    }
    Some(range)
}

impl Look {
    fn next(&mut self, src: &dyn Source) -> Option<Segment> {
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
        match self.place.first(src, most, limit) {
            Ok(Some(cut)) => Some(self.range(cut, true, false)),
            Ok(None) => {
                self.done = limit == self.size;
                Some(self.range(limit, self.done, self.done))
            }
            // The worker will meet and report the same error.
            Err(_) => Some(self.range(most, false, false)),
        }
    }

    /// The range from the current offset to `end`.
    fn range(&mut self, end: u64, last: bool, eof: bool) -> Segment {
        let range = Segment {
            range: 0..(end - self.offset) as usize,
            line: self.number,
            number: self.number,
            first: self.fresh,
            last,
            eof,
            ..Segment::tail(self.offset)
        };
        self.offset = end;
        self.fresh = last;
        // The lines and messages of this range were not counted, so those of the next range
        // have no numbers.
        self.number = 0;
        range
    }
}
