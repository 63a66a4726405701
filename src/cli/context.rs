//! The lines around hits (`-A`, `-B`, `-C`).
//!
//! A hit waits until the lines after it have been read, or the next hit is
//! known. A line is printed once, however many hits it is near to. What is
//! looked at is bounded: lines that do not lie whole within [`AROUND`] bytes of
//! a hit are not printed.

use std::collections::VecDeque;

use urlgrep::extract::Hit;

/// How many bytes before and after a hit its lines are looked for.
pub const AROUND: usize = 64 << 10;
/// How many hits wait at most; with so many the next one is always known.
const WAITING: usize = 256;

/// What was read last of a text that is fed in chunks.
#[derive(Debug, Default)]
pub struct Tail {
    pub bytes: Vec<u8>,
    /// Offset of the first of them.
    pub base: u64,
}

impl Tail {
    /// Starts another text at this offset.
    pub fn reset(&mut self, base: u64) {
        self.bytes.clear();
        self.base = base;
    }

    /// Offset after the last byte.
    pub fn end(&self) -> u64 {
        self.base + self.bytes.len() as u64
    }

    /// Forgets what is before `keep`, when that is more than what is not.
    pub fn forget(&mut self, keep: u64) {
        let drop = keep.saturating_sub(self.base) as usize;
        if drop > self.bytes.len() / 2 {
            self.bytes.drain(..drop.min(self.bytes.len()));
            self.base += drop as u64;
        }
    }

    /// Index of the byte at `offset`, or of the first or last one.
    fn index(&self, offset: u64) -> usize {
        (offset.saturating_sub(self.base) as usize).min(self.bytes.len())
    }
}

/// Hits whose lines are not all known yet.
#[derive(Debug, Default)]
pub struct Around {
    before: usize,
    after: usize,
    waiting: VecDeque<Waiting>,
    /// The line breaks after the first hit in the queue.
    breaks: Breaks,
    /// Hits that were printed, to be filled again.
    spare: Vec<Hit>,
    /// Offset up to which lines have been printed; `None` before the first.
    printed: Option<u64>,
}

#[derive(Debug)]
struct Waiting {
    hit: Hit,
    column: Option<u64>,
    /// Offset of the first byte of the hit's line.
    line: u64,
}

/// The line breaks after a hit, as far as they were counted. No byte is
/// searched for them twice.
#[derive(Clone, Copy, Debug, Default)]
struct Breaks {
    /// Offset up to which breaks were counted; `None` if no byte was searched.
    at: Option<u64>,
    /// Offset after the first break.
    first: Option<u64>,
    /// Offset after the last break.
    last: u64,
    /// How many came after the first one.
    more: usize,
}

/// A hit with its lines: ranges of offsets, line breaks included.
#[derive(Debug)]
pub struct Group {
    pub hit: Hit,
    pub column: Option<u64>,
    /// Lines lie between these and what was printed before.
    pub gap: bool,
    /// The lines before that of the hit, from the first one on.
    pub before: (u64, u64),
    pub after: (u64, u64),
}

impl Around {
    /// Prints so many lines before and after each hit.
    pub fn new(before: usize, after: usize) -> Around {
        Around {
            before,
            after,
            ..Around::default()
        }
    }

    /// Starts another text.
    pub fn reset(&mut self) {
        self.spare.extend(self.waiting.drain(..).map(|w| w.hit));
        self.breaks = Breaks::default();
        self.printed = None;
    }

    /// Takes a hit, the offset of its line and its column. Returns whether there
    /// is room for more before [`Around::next`] was called.
    pub fn push(&mut self, hit: &Hit, line: u64, column: Option<u64>) -> bool {
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.clone_from(hit);
        self.waiting.push_back(Waiting {
            hit: kept,
            column,
            line,
        });
        self.waiting.len() < WAITING
    }

    /// True if no hit waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Offset of the first byte that may still be asked for, if all hits
    /// before `settled` have been pushed.
    pub fn keep(&self, settled: u64) -> u64 {
        let first = self
            .waiting
            .front()
            .map_or(settled, |w| w.hit.span().start.min(settled));
        // One more, to see whether a line starts there.
        first.saturating_sub(AROUND as u64 + 1)
    }

    /// Takes back a hit that was printed.
    pub fn recycle(&mut self, hit: Hit) {
        self.spare.push(hit);
    }

    /// The next hit whose lines are known. All hits before `settled` have been
    /// pushed; `eof`: `tail` holds the end of the text.
    ///
    /// Linear in the text: the bytes searched for one hit end where the next
    /// hit begins.
    pub fn next(&mut self, tail: &Tail, settled: u64, eof: bool) -> Option<Group> {
        let front = self.waiting.front()?;
        let (span, line) = (front.hit.span(), front.line);
        let after = self.after_of(tail, span.end, settled, eof)?;
        let printed = self.printed.unwrap_or(0);
        let low = printed.max(span.start.saturating_sub(AROUND as u64));
        let line = if line < low { span.start } else { line };
        let before = self.before_of(tail, line, low);
        let gap = self.printed.is_some_and(|printed| printed < before.0);
        self.printed = Some(after.1.max(printed));
        self.breaks = Breaks::default();
        let Waiting { hit, column, .. } = self.waiting.pop_front()?;
        Some(Group {
            hit,
            column,
            gap,
            before,
            after,
        })
    }

    /// The lines before the one that starts at `line`, none of which starts
    /// before `low`.
    fn before_of(&self, tail: &Tail, line: u64, low: u64) -> (u64, u64) {
        let low_index = tail.index(low);
        let mut from = tail.index(line);
        let end = from;
        for _ in 0..self.before {
            if from <= low_index {
                break;
            }
            // The byte before `from` is the break that ends the line before.
            match memchr::memrchr(b'\n', &tail.bytes[low_index..from - 1]) {
                Some(at) => from = low_index + at + 1,
                None if low == 0 || (low_index > 0 && tail.bytes[low_index - 1] == b'\n') => {
                    from = low_index
                }
                None => break,
            }
        }
        (tail.base + from as u64, tail.base + end as u64)
    }

    /// The lines after that of the byte before `end`, up to the next hit;
    /// `None` if more must be read to know.
    fn after_of(&mut self, tail: &Tail, end: u64, settled: u64, eof: bool) -> Option<(u64, u64)> {
        let start = end.saturating_sub(1);
        let around = start + AROUND as u64;
        // Without a next hit, one may still come after `settled`.
        let (stop, known) = match self.waiting.get(1) {
            Some(next) => (around.min(next.hit.span().start), u64::MAX),
            None if eof => (around.min(tail.end()), u64::MAX),
            None => (around, settled.max(start)),
        };
        let limit = stop.min(known).min(tail.end());
        let full = self.breaks.count(tail, start, limit, self.after);
        if !full && limit < stop {
            return None;
        }
        let Some(first) = self.breaks.first else {
            return Some((limit, limit));
        };
        let ends_here = !full && eof && limit == tail.end();
        Some((first, if ends_here { limit } else { self.breaks.last }))
    }
}

impl Breaks {
    /// Counts the breaks from `start` to `limit`, or goes on with it. Returns
    /// true if there were `after` of them after the first one.
    fn count(&mut self, tail: &Tail, start: u64, limit: u64, after: usize) -> bool {
        let at = self.at.unwrap_or(start);
        let from = tail.index(at);
        let to = tail.index(limit).max(from);
        self.at = Some(limit.max(at));
        for i in memchr::memchr_iter(b'\n', &tail.bytes[from..to]) {
            if self.is_full(after) {
                break;
            }
            self.more += usize::from(self.first.is_some());
            self.last = tail.base + (from + i) as u64 + 1;
            self.first.get_or_insert(self.last);
        }
        self.is_full(after)
    }

    fn is_full(&self, after: usize) -> bool {
        self.first.is_some() && self.more >= after
    }
}
