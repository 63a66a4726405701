//! Where lines start, and where a haystack can be cut.

use super::leader::Leader;
use super::window::Window;
use super::{LINE_START_MAX, NEXT_LINE_MAX};

/// The line on which a candidate opens.
#[derive(Clone, Copy)]
pub(super) struct Line<'h> {
    /// Index of its first byte; `None` if that is too far back to know.
    pub(super) start: Option<usize>,
    /// The marks before its text.
    pub(super) leader: Leader<'h>,
}

/// The start of the line of a place, looked for at most [`LINE_START_MAX`]
/// bytes back, with what is known from the last time: places come in order,
/// and many can stand on one line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineStart {
    /// Offset of the haystack's first byte.
    origin: u64,
    /// Offset of a line's first byte; `None` if it is too far before `to`.
    from: Option<u64>,
    /// No line ends from `from` to this offset.
    to: u64,
}

impl LineStart {
    /// For a haystack whose first byte has the offset `origin`.
    pub(super) fn new(origin: u64) -> LineStart {
        LineStart {
            origin,
            from: Some(origin),
            to: origin,
        }
    }

    /// Forgets all but where the haystack starts.
    pub(super) fn forget(&mut self) {
        *self = LineStart::new(self.origin);
    }

    /// Index of the first byte of the line that holds the byte at `at`, or
    /// `None` if it is more than [`LINE_START_MAX`] bytes back. `base` is the
    /// offset of the window's first byte.
    pub(super) fn of(&mut self, w: &Window<'_>, base: u64, at: usize) -> Option<usize> {
        let place = base + at as u64;
        // One byte more than the longest line, for the break before it.
        let low = place
            .saturating_sub(LINE_START_MAX as u64 + 1)
            .max(self.origin);
        if place < self.to {
            self.forget();
        }
        let search = low.max(self.to);
        let bytes = &w.bytes()[(search - base) as usize..at];
        let found = memchr::memrchr2(b'\n', b'\r', bytes);
        w.count(bytes.len() - found.unwrap_or(0));
        if let Some(i) = found {
            self.from = Some(search + i as u64 + 1);
        } else if search > self.to {
            self.from = None;
        }
        self.to = place;
        let start = self
            .from
            .filter(|start| place - start <= LINE_START_MAX as u64)?;
        Some((start - base) as usize)
    }
}

/// How many line feeds there are in `bytes`.
///
/// The sums of one byte are what makes this fast: the compiler turns them into
/// sixteen lanes, which is twice as fast as counting by `memchr_iter` on a
/// block, and more on the short stretches between two candidates.
pub(super) fn line_feeds(bytes: &[u8]) -> u64 {
    // A sum of one byte cannot overflow in so many.
    const CHUNK: usize = 192;
    let sum = |chunk: &[u8]| {
        let feeds = chunk.iter().map(|&b| u8::from(b == b'\n'));
        u64::from(feeds.fold(0u8, u8::wrapping_add))
    };
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    chunks.iter().map(|chunk| sum(chunk)).sum::<u64>() + sum(rest)
}

/// True if no candidate can stand across `at` in `haystack`: the bytes before
/// it end a blank line, and no page furniture is near. A haystack may be cut
/// there and its pieces scanned apart, with the same result.
///
/// `haystack` must hold [`NEXT_LINE_MAX`] bytes on either side of `at`, or all
/// there are.
#[must_use]
pub fn is_ground(haystack: &[u8], at: usize) -> bool {
    let (before, after) = haystack.split_at(at.min(haystack.len()));
    let Some(line) = before.strip_suffix(b"\n") else {
        return false;
    };
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    if !line.ends_with(b"\n") {
        return false;
    }
    // Furniture joins across blank lines; all of it has a form feed or a footer.
    let near = |bytes: &[u8]| {
        memchr::memchr(0x0C, bytes).is_some()
            || memchr::memchr_iter(b'[', bytes)
                .any(|i| bytes[i..].len() >= 5 && bytes[i + 1..i + 5].eq_ignore_ascii_case(b"page"))
    };
    !near(&before[before.len().saturating_sub(NEXT_LINE_MAX)..])
        && !near(&after[..after.len().min(NEXT_LINE_MAX)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_every_line_feed() {
        let text: Vec<u8> = (0..1000u32).map(|i| (i * i % 13) as u8).collect();
        for len in (0..text.len()).step_by(7) {
            let expected = text[..len].iter().filter(|&&b| b == b'\n').count() as u64;
            assert_eq!(line_feeds(&text[..len]), expected, "{len}");
        }
        assert_eq!(line_feeds(&[b'\n'; 999]), 999);
    }
}
