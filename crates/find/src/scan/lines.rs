//! Finds the starts of lines, and the places where a haystack can be cut.

use super::leader::Leader;
use super::limits::{AHEAD, LINE_START_MAX, NEXT_LINE_MAX};
use super::window::Window;

/// The maximum length of a line of base64. RFC 2045 6.8: "The encoded output
/// stream must be represented in lines of no more than 76 characters each".
const BASE64_LINE: usize = 76;

/// The line on which a candidate opens.
#[derive(Clone, Copy)]
pub(super) struct LineHead<'h> {
    /// Index of its first byte. `None` if that is too far back.
    pub(super) start: Option<usize>,
    /// The marks before the text of the line.
    pub(super) leader: Leader<'h>,
}

/// Finds the first byte of a line, at most [`LINE_START_MAX`] bytes back. The
/// last result is cached, because places come in order and several can be on
/// one line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineStart {
    /// Offset of the haystack's first byte.
    origin: u64,
    /// Offset of the first byte of the line of `to`. It is an earlier offset if
    /// that byte is too far back.
    from: u64,
    /// The offset of the last lookup.
    to: u64,
}

impl LineStart {
    /// For a haystack that starts at the offset `origin`.
    pub(super) fn new(origin: u64) -> LineStart {
        LineStart {
            origin,
            from: origin,
            to: origin,
        }
    }

    /// Drops the cached result.
    pub(super) fn forget(&mut self) {
        *self = LineStart::new(self.origin);
    }

    /// Index of the last lookup in a window that begins at the offset `base`.
    pub(super) fn last(&self, base: u64) -> usize {
        self.to.saturating_sub(base) as usize
    }

    /// The cached result for another text, which has the bytes of this one from `low` on. `index`
    /// gives the index there of the byte at an offset. `None` if the last lookup was before `low`.
    pub(super) fn moved(&self, low: u64, index: impl Fn(u64) -> usize) -> Option<LineStart> {
        (self.to >= low).then(|| LineStart {
            origin: 0,
            from: index(self.from.max(low)) as u64,
            to: index(self.to) as u64,
        })
    }

    /// Index of the first byte of the line with the byte at `at`. `None` if it
    /// is more than [`LINE_START_MAX`] bytes back. `base` is the offset of the
    /// window's first byte.
    pub(super) fn of(&mut self, w: &Window<'_>, base: u64, at: usize) -> Option<usize> {
        let place = base + at as u64;
        // One byte more than the maximum, because the break before the line is
        // searched for.
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
            self.from = search + i as u64 + 1;
        }
        self.to = place;
        // Bytes before `low` that were not searched do not matter. A line start
        // among them would be too far back.
        (place - self.from <= LINE_START_MAX as u64).then(|| (self.from - base) as usize)
    }
}

/// The number of line feeds in `bytes`.
///
/// Sums of one byte are fast, because the compiler uses sixteen lanes. This is
/// twice as fast as `memchr_iter` on a block. The gain is larger on the short
/// runs between two candidates.
pub fn line_feeds(bytes: &[u8]) -> u64 {
    // A one-byte sum of this many bytes, each 0 or 1, cannot overflow.
    const CHUNK: usize = 192;
    let sum = |chunk: &[u8]| {
        let feeds = chunk.iter().map(|&b| u8::from(b == b'\n'));
        u64::from(feeds.fold(0u8, u8::wrapping_add))
    };
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    chunks.iter().map(|chunk| sum(chunk)).sum::<u64>() + sum(rest)
}

/// True if no candidate can span `at` in `haystack`. The haystack can be cut at
/// `at`: its parts give the same result.
///
/// There are two kinds of such places:
///
/// * The bytes before `at` end a blank line. No wrapper is open there, and no
///   page furniture is near.
/// * The bytes before `at` are lines of base64, more of them than a candidate
///   can have.
///
/// `haystack` must have 1,040 bytes before `at` and 1,024 bytes after it, or
/// all bytes on that side. To recognise base64 it must have 23,552 bytes before
/// `at`.
#[must_use]
pub fn is_ground(haystack: &[u8], at: usize) -> bool {
    let (before, after) = haystack.split_at(at.min(haystack.len()));
    let Some(line) = before.strip_suffix(b"\n") else {
        return false;
    };
    if !line.strip_suffix(b"\r").unwrap_or(line).ends_with(b"\n") {
        return ends_base64(before);
    }
    // A wrapper can close on the line after a blank line.
    if opens_wrapper(&before[before.len().saturating_sub(NEXT_LINE_MAX + 16)..]) {
        return false;
    }
    // Page furniture joins text across blank lines. All furniture has a form
    // feed or a footer.
    let near = |bytes: &[u8]| {
        memchr::memchr(0x0C, bytes).is_some()
            || memchr::memchr_iter(b'[', bytes)
                .any(|i| bytes[i..].len() >= 5 && bytes[i + 1..i + 5].eq_ignore_ascii_case(b"page"))
    };
    let clear = !near(&before[before.len().saturating_sub(NEXT_LINE_MAX)..])
        && !near(&after[..after.len().min(NEXT_LINE_MAX)]);
    clear || ends_base64(before)
}

/// True if a wrapper is open at the end of `before`.
fn opens_wrapper(before: &[u8]) -> bool {
    let Some(open) = memchr::memrchr(b'<', before) else {
        return false;
    };
    let content = before[open + 1..].trim_ascii_start();
    content
        .get(..3)
        .is_some_and(|word| word.eq_ignore_ascii_case(b"url"))
        && memchr::memchr(b'>', content).is_none()
}

/// True if the last bytes of `before` are lines of base64, as far back as an
/// open candidate can begin. `before` ends a line. Lines of base64 have no
/// colon and no delimiter. Only a few such lines can belong to one URL, because
/// they are short.
fn ends_base64(before: &[u8]) -> bool {
    let Some(start) = before.len().checked_sub(AHEAD) else {
        return false;
    };
    let is_base64 = |&b: &u8| {
        b.is_ascii_alphanumeric() | matches!(b, b'+' | b'/' | b'=') | matches!(b, b'\r' | b'\n')
    };
    let mut rest = &before[start..];
    // There is no branch for each byte, so that the compiler vectorises the
    // loop.
    let mut chunks = rest.chunks(512);
    if !chunks.all(|chunk| chunk.iter().fold(true, |all, b| all & is_base64(b))) {
        return false;
    }
    while !rest.is_empty() {
        let line = &rest[..rest.len().min(BASE64_LINE + b"\r\n".len())];
        match memchr::memrchr(b'\n', line) {
            Some(end) => rest = &rest[end + 1..],
            None => return false,
        }
    }
    true
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

    #[test]
    fn ground_is_a_blank_line_without_furniture_near() {
        let far = "x".repeat(NEXT_LINE_MAX);
        let cut = |before: &str, after: &str| {
            let haystack = [before, after].concat();
            is_ground(haystack.as_bytes(), before.len())
        };
        for end in ["\n\n", "\n\r\n", "\r\n\r\n", "\n\n\n"] {
            assert!(cut(&format!("a{end}"), "b"), "{end:?}");
        }
        for end in ["", "\n", "\r\n", "\n\r", "\r\r", "\n "] {
            assert!(!cut(&format!("a{end}"), "\n"), "{end:?}");
        }
        assert!(!cut("", "a") && !cut("\n", "a"));
        for mark in ["\x0C", "[page", "[Page 7]", "[PAGE x", "[[page"] {
            assert!(!cut(&format!("{mark}\n\n"), "b"), "{mark:?}");
            assert!(!cut("a\n\n", mark), "{mark:?}");
            assert!(cut("a\n\n", &format!("{far}{mark}")), "{mark:?}");
            assert!(cut(&format!("{mark}{far}\n\n"), "b"), "{mark:?}");
        }
        for word in ["[pag", "[", "page", "(page", "[ page"] {
            assert!(cut(&format!("{word}\n\n"), word), "{word:?}");
        }
        // The form feed is in the last byte that is examined.
        assert!(!cut("a\n\n", &format!("{}\x0C", &far[1..])));
        assert!(!cut(&format!("\x0C{}\n\n", &far[3..]), "b"));
        assert!(cut(&format!("\x0C{}\n\n", &far[2..]), "b"));
        assert!(is_ground(b"a\n\n", 9));
    }

    #[test]
    fn text_after_enough_base64_is_ground() {
        assert_eq!(AHEAD, 23_552, "the documentation has this number");
        let lines = |line: &str, n: usize| [line, "\n"].concat().repeat(n).into_bytes();
        let line = "Az09+/==".repeat(8);
        let long = lines(&line, AHEAD / 65 + 1);
        assert!(is_ground(&long, long.len()));
        // Exactly as many bytes as are examined, and one fewer.
        let exact = &long[long.len() - AHEAD..];
        assert!(is_ground(exact, exact.len()));
        assert!(!is_ground(&exact[1..], exact.len() - 1));
        assert!(!is_ground(&long, long.len() - 1));
        assert!(!is_ground(&long, long.len() - 65));
        let ends = String::from_utf8(long.clone())
            .unwrap()
            .replace('\n', "\r\n");
        assert!(is_ground(ends.as_bytes(), ends.len()));
        for (at, byte) in [
            (1, b':'),
            (AHEAD / 2, b'<'),
            (AHEAD - 2, b' '),
            (70, b'-'),
            (130, b'\n'),
        ] {
            let mut text = long[long.len() - AHEAD - 1..].to_vec();
            text[at] = byte;
            assert_eq!(is_ground(&text, text.len()), byte == b'\n', "{at}");
        }
        // Earlier bytes do not matter.
        let after = [b"<URL:http://a/\n", &long[..]].concat();
        assert!(is_ground(&after, after.len()));
        // Lines have at most 76 bytes, and line breaks at most two.
        for end in ["", "\r"] {
            let wide = ["a".repeat(BASE64_LINE), end.into()].concat();
            let wide = lines(&wide, AHEAD / 77 + 2);
            assert!(is_ground(&wide, wide.len()), "{end:?}");
        }
        let wide = lines(&"a".repeat(BASE64_LINE + 2), AHEAD / 78 + 2);
        assert!(!is_ground(&wide, wide.len()));
    }

    /// Looks up the maximum distance and one byte more, after various earlier
    /// lookups.
    #[test]
    fn the_start_of_a_line_is_known_up_to_a_limit() {
        const MAX: usize = LINE_START_MAX;
        let text = format!("a\n{}\r{}", "b".repeat(2 * MAX), "c".repeat(2 * MAX));
        let cr = 2 + 2 * MAX;
        let slow = |at: usize| {
            let start = if at > cr {
                cr + 1
            } else {
                2 * usize::from(at > 1)
            };
            (at - start <= MAX).then_some(start)
        };
        let w = Window::new(text.as_bytes(), true);
        for step in [1, 2, 7, MAX - 1, MAX, MAX + 1, MAX + 2] {
            let mut line = LineStart::new(0);
            for at in (0..text.len()).step_by(step) {
                assert_eq!(line.of(&w, 0, at), slow(at), "{at} by {step}");
            }
            // A lookup further back, as after a scan that was stopped.
            assert_eq!(line.of(&w, 0, 5), slow(5));
        }
        // The same haystack in a later window, and a haystack that starts
        // elsewhere.
        let mut line = LineStart::new(0);
        assert_eq!(line.of(&w, 0, 5), Some(2));
        let later = Window::new(&text.as_bytes()[MAX..], true);
        assert_eq!(
            line.of(&later, MAX as u64, cr + 9 - MAX),
            Some(cr + 1 - MAX)
        );
        let mut line = LineStart::new(MAX as u64);
        for (at, start) in [
            (MAX, Some(0)),
            (MAX + 1, None),
            (cr + 9 - MAX, Some(cr + 1 - MAX)),
        ] {
            assert_eq!(line.of(&later, MAX as u64, at), start, "{at}");
        }
    }
}
