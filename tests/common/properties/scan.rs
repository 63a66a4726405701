//! The scanner.

use urlgrep_find::scan::{Candidate, Scanner};

use super::hit::replayed;

/// All fields of a candidate, to compare.
fn describe(c: &Candidate) -> String {
    let mut out = format!(
        "{} line {:?} doubt {:?} glued {} continues {} too long {}",
        c.signs.form.name(),
        c.signs.line,
        c.signs.doubts,
        c.signs.glued,
        c.signs.continues,
        c.too_long
    );
    for r in c.readings() {
        let text = String::from_utf8_lossy(r.text);
        out += &format!(
            "\n  {} {text:?} {:?} {:?}",
            r.kind.name(),
            r.segments,
            r.seams
        );
    }
    out
}

/// The candidates of a haystack that is scanned as one slice.
pub fn whole(haystack: &[u8], plain: bool, url_max: usize) -> Vec<String> {
    let mut found = vec![];
    let mut scanner = Scanner::new().url_max(url_max);
    if plain {
        scanner = scanner.plain();
    }
    scanner.scan(haystack, |c| {
        found.push(describe(c));
        true
    });
    found
}

/// The candidates of a haystack that is fed in chunks of `size` bytes.
pub fn chunked(haystack: &[u8], size: usize, url_max: usize) -> Vec<String> {
    let mut found = vec![];
    let mut scanner = Scanner::new().url_max(url_max);
    for chunk in haystack.chunks(size.max(1)) {
        scanner.feed(chunk, |c| {
            found.push(describe(c));
            true
        });
    }
    scanner.finish(|c| {
        found.push(describe(c));
        true
    });
    found
}

/// Any chunking gives the candidates of one slice. The scanner that visits every
/// byte gives them too.
pub fn scan_is_independent_of_chunks(haystack: &[u8], sizes: &[usize], url_max: usize) {
    let expected = whole(haystack, false, url_max);
    assert_eq!(
        expected,
        whole(haystack, true, url_max),
        "fast and plain differ"
    );
    for &size in sizes {
        let found = chunked(haystack, size, url_max);
        if let Some(i) =
            (0..expected.len().max(found.len())).find(|&i| expected.get(i) != found.get(i))
        {
            panic!(
                "chunks of {size}: candidate {i}\nwhole: {}\nchunks: {}\nin {:?}",
                expected.get(i).map_or("none", |s| s),
                found.get(i).map_or("none", |s| s),
                String::from_utf8_lossy(haystack)
            );
        }
    }
}

/// A scan that stops at every candidate finds the candidates of a scan that does
/// not stop. After a stop it continues with the next chunk, or with an empty one.
pub fn a_stopped_feed_goes_on(haystack: &[u8], sizes: &[usize]) {
    let expected = whole(haystack, false, 8192);
    for &size in sizes {
        let mut found = vec![];
        let mut scanner = Scanner::new();
        for chunk in haystack.chunks(size) {
            let mut emit = |c: &Candidate| {
                found.push(describe(c));
                false
            };
            // After about a third of the stops, the next chunk is fed at once.
            let mut more = !scanner.feed(chunk, &mut emit) && !scanner.settled().is_multiple_of(3);
            while more {
                more = !scanner.feed(b"", &mut emit);
            }
        }
        while !scanner.finish(|c| {
            found.push(describe(c));
            false
        }) {}
        assert_eq!(found, expected, "chunks of {size}");
    }
}

/// Segments and seams of every reading are ordered, in bounds and disjoint. They
/// cover the extent of the reading and give its text.
pub fn readings_replay(haystack: &[u8], url_max: usize) {
    let mut last = 0;
    Scanner::new().url_max(url_max).scan(haystack, |c| {
        for r in c.readings() {
            let text = replayed(haystack, r.segments, r.seams);
            assert_eq!(text, r.text, "segments and seams give the text");
            assert!(!r.text.is_empty());
        }
        let first = c.readings().next().expect("at least one reading");
        let start = first.segments[0].start;
        assert!(
            start >= last,
            "candidates come in order: {start} after {last}"
        );
        last = first.segments.last().expect("a segment").end;
        true
    });
}

/// The scanner examines at most `15 n + c` bytes of a haystack of `n` bytes: once
/// for each of the reasons that `scan` lists. A text with one of these reasons
/// costs less than `4 n`. The worst mixture that a random search found costs less
/// than `9 n`. tests/hostile.rs has both.
pub fn scan_is_linear(haystack: &[u8]) {
    let mut scanner = Scanner::new();
    scanner.scan(haystack, |_| true);
    let (n, seen) = (haystack.len() as u64, scanner.examined());
    assert!(seen <= 15 * n + 4096, "{seen} bytes examined, of {n}");
}
