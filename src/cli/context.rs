//! The lines around hits (`-A`, `-B`, `-C`).
//!
//! A hit waits until the lines after it have been read, or the next hit is
//! known. A line is printed once, however many hits it is near to. What is
//! looked at is bounded: lines that do not lie whole within [`AROUND`] bytes of
//! a hit are not printed.

use std::collections::VecDeque;

use crate::extract::Hit;

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
    waiting: VecDeque<(Hit, Option<u64>)>,
    /// Hits that were printed, to be filled again.
    spare: Vec<Hit>,
    /// Offset up to which lines have been printed; `None` before the first.
    printed: Option<u64>,
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
        self.spare.extend(self.waiting.drain(..).map(|w| w.0));
        self.printed = None;
    }

    /// Takes a hit and its column. Returns whether there is room for more before
    /// [`Around::next`] was called.
    pub fn push(&mut self, hit: &Hit, column: Option<u64>) -> bool {
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.clone_from(hit);
        self.waiting.push_back((kept, column));
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
            .map_or(settled, |(hit, _)| hit.span().start.min(settled));
        // One more, to see whether a line starts there.
        first.saturating_sub(AROUND as u64 + 1)
    }

    /// Takes back a hit that was printed.
    pub fn recycle(&mut self, hit: Hit) {
        self.spare.push(hit);
    }

    /// The next hit whose lines are known. All hits before `settled` have been
    /// pushed; `eof`: `tail` holds the end of the text.
    pub fn next(&mut self, tail: &Tail, settled: u64, eof: bool) -> Option<Group> {
        let span = self.waiting.front()?.0.span();
        let after = match self.after_of(tail, span.end, eof) {
            // Another hit may turn up in these lines.
            Some((from, to)) if self.waiting.len() > 1 || eof || settled >= to => {
                let next = self
                    .waiting
                    .get(1)
                    .map_or(to, |next| line_start(tail, next.0.span().start));
                (from, to.min(next).max(from))
            }
            _ => return None,
        };
        let printed = self.printed.unwrap_or(0);
        let low = printed.max(span.start.saturating_sub(AROUND as u64));
        let before = self.before_of(tail, span.start, low);
        let gap = self.printed.is_some_and(|printed| printed < before.0);
        self.printed = Some(after.1.max(printed));
        let (hit, column) = self.waiting.pop_front()?;
        Some(Group {
            hit,
            column,
            gap,
            before,
            after,
        })
    }

    /// The lines before that of the byte at `start`, none of which starts
    /// before `low`.
    fn before_of(&self, tail: &Tail, start: u64, low: u64) -> (u64, u64) {
        let line = line_start(tail, start);
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

    /// The lines after that of the byte before `end`; `None` if more must be
    /// read to know.
    fn after_of(&self, tail: &Tail, end: u64, eof: bool) -> Option<(u64, u64)> {
        let start = tail.index(end.saturating_sub(1));
        let stop = tail.bytes.len().min(start + AROUND);
        let known = eof || stop == start + AROUND;
        let mut breaks = memchr::memchr_iter(b'\n', &tail.bytes[start..stop]);
        let Some(first) = breaks.next() else {
            return known.then_some((tail.base + stop as u64, tail.base + stop as u64));
        };
        let from = start + first + 1;
        let mut to = from;
        for _ in 0..self.after {
            match breaks.next() {
                Some(at) => to = start + at + 1,
                None if !known => return None,
                None => {
                    if eof && stop == tail.bytes.len() {
                        to = stop;
                    }
                    break;
                }
            }
        }
        Some((tail.base + from as u64, tail.base + to as u64))
    }
}

/// Offset of the first byte of the line of the byte at `offset`; that byte's
/// own offset if the line starts too far back.
fn line_start(tail: &Tail, offset: u64) -> u64 {
    let at = tail.index(offset);
    let low = at.saturating_sub(AROUND);
    match memchr::memrchr(b'\n', &tail.bytes[low..at]) {
        Some(i) => tail.base + (low + i) as u64 + 1,
        None if low == 0 && tail.base == 0 => 0,
        None => offset,
    }
}
