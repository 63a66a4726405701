//! The properties that must hold for every input, as plain functions: called
//! by the property tests here and by the fuzz targets alike. Each panics with
//! what differs.

use urlgrep::scan::{Candidate, Scanner};

/// Everything that a scanner says of a candidate, to compare.
fn describe(c: &Candidate) -> String {
    let mut out = format!(
        "{} line {:?} doubt {:?} glued {} continues {} too long {}",
        c.form().name(),
        c.line(),
        c.doubt(),
        c.glued(),
        c.continues(),
        c.too_long()
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

/// Any chunking gives the candidates of one slice, and so does the scanner
/// that visits every byte.
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

/// Segments and seams of every reading are ordered, in bounds and disjoint,
/// they tile the reading's extent, and they make up its text.
pub fn readings_replay(haystack: &[u8], url_max: usize) {
    let mut last = 0;
    Scanner::new().url_max(url_max).scan(haystack, |c| {
        for r in c.readings() {
            let mut pieces: Vec<(u64, u64, Vec<u8>)> = r
                .segments
                .iter()
                .map(|s| {
                    (
                        s.start,
                        s.end,
                        haystack[s.start as usize..s.end as usize].to_vec(),
                    )
                })
                .collect();
            for seam in r.seams {
                let source = &haystack[seam.span.start as usize..seam.span.end as usize];
                let bytes = match (seam.len, source) {
                    (0, _) => vec![],
                    (1, [b'=', hex @ ..]) => {
                        let hex = std::str::from_utf8(hex).expect("hexadecimal digits are ASCII");
                        vec![u8::from_str_radix(hex, 16).expect("two hexadecimal digits")]
                    }
                    _ => panic!("seam {seam:?} of {source:?}"),
                };
                pieces.push((seam.span.start, seam.span.end, bytes));
            }
            pieces.sort();
            assert!(
                pieces.windows(2).all(|p| p[0].1 == p[1].0),
                "pieces tile: {pieces:?}"
            );
            let text: Vec<u8> = pieces.iter().flat_map(|p| p.2.iter().copied()).collect();
            assert_eq!(text, r.text, "replay gives the text");
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

/// The scanner looks at no more than `8 n + c` bytes of a haystack of `n`. One
/// idea alone costs less than `4 n` (tests/hostile.rs); a mixture of several
/// makes it look at the same bytes for several reasons: as a wrapper, as what
/// a quote holds, as a URL, as the line after a page.
pub fn scan_is_linear(haystack: &[u8]) {
    let mut scanner = Scanner::new();
    scanner.scan(haystack, |_| true);
    let (n, seen) = (haystack.len() as u64, scanner.examined());
    assert!(seen <= 8 * n + 4096, "{seen} bytes looked at, of {n}");
}
