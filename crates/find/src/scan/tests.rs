use super::limits::{BLOCK, CREDIT};
use super::*;

fn found(text: &str) -> Vec<String> {
    let mut urls = vec![];
    Scanner::new().scan(text.as_bytes(), |c| {
        let readings: Vec<_> = c
            .readings()
            .map(|r| format!("{} {}", r.kind.name(), String::from_utf8_lossy(r.text)))
            .collect();
        urls.push(format!("{}: {}", c.signs.form.name(), readings.join(" | ")));
        true
    });
    urls
}

#[test]
fn each_form_and_all_its_readings() {
    assert_eq!(
        found(
            "see <URL:ftp://info.cern.ch/pub/www/doc;\n      type=d> but http://a.b/c. and\n> <http://x/\n> y> \"http://q/-\nz\" URL: http://p/ mailto:joe@x.org Re:foo"
        ),
        [
            "wrapped: plain ftp://info.cern.ch/pub/www/doc;type=d",
            "bare: plain http://a.b/c",
            "bracketed: plain http://x/y",
            "quoted: plain http://q/-z | hyphen http://q/z",
            "prefixed: plain http://p/",
            "bare: plain mailto:joe@x.org",
        ]
    );
}

/// When a candidate is reported, at most its own length and one chunk of bytes
/// have followed it. At most twice the lookbehind and twice the candidate are
/// kept. A place that needs more bytes is not re-examined with each byte.
#[test]
fn candidates_are_reported_early_and_text_is_dropped() {
    let ahead = "It was a dark and stormy night.\n".repeat(150);
    let url = format!("http://a.example/{}", "b".repeat(500));
    let text = format!("{ahead}See {url} for more.\n{ahead}");
    let end = ahead.len() + "See ".len() + url.len();
    for size in [1, 3000] {
        let mut scanner = Scanner::new();
        let (mut told, mut fed) = (vec![], 0);
        for chunk in text.as_bytes().chunks(size) {
            fed += chunk.len();
            scanner.feed(chunk, |_| {
                told.push(fed);
                true
            });
            let kept = scanner.buffer.len();
            assert!(kept <= 2 * BEHIND + 2 * url.len(), "{size}: {kept}");
        }
        assert_eq!(told.len(), 1, "{size}");
        assert!((end..end + url.len() + size).contains(&told[0]), "{told:?}");
        scanner.finish(|_| true);
        let examined = scanner.examined() as usize;
        let most = text.len() + 4 * url.len();
        assert!((text.len()..most).contains(&examined), "{size}: {examined}");
    }
}

/// The tables reject nearly all colons, but never a colon of a URL or a
/// wrapper. A missing rejection costs only time, so no other test would notice
/// it.
#[test]
fn the_colons_of_headers_and_prose_do_not_matter() {
    let colons = |text: &'static str| {
        let bytes = text.as_bytes();
        memchr::memchr_iter(b':', bytes).map(|at| colons::matters(bytes, at))
    };
    for text in [
        "Subject: a",
        "Subject:Date:From",
        "10:30",
        "a::b",
        "e:b",
        "t:b",
        "Email: a",
        "Cell:1",
        "a : b",
        "To: a",
        "he says: a",
    ] {
        assert!(colons(text).all(|matters| !matters), "{text}");
    }
    for text in [
        "http://a",
        "x://a",
        "://",
        "mailto:a",
        "MAILTO:a",
        "doi:1",
        "URL:a",
        "<url: a",
        "URL : a",
        "URL:",
        ":",
        "tel:1",
        "<tel: 1",
        "url\r\n\x0B : a",
        "<mailto: a",
        "<HTTP: a",
    ] {
        assert!(colons(text).all(|matters| matters), "{text}");
    }
}

/// A place that needs more bytes is re-examined at the end of a line, if the
/// credit is large enough. Each byte that comes in adds 1 to the credit, up to
/// [`CREDIT`]. A re-examination subtracts the number of bytes that it reads.
#[test]
fn a_waiting_candidate_is_examined_at_a_line_end() {
    let mut state = Scanner::new().state;
    state.next = 40;
    state.credit = 100;
    // A chunk, the offset of its end, whether the place is due, and the
    // remaining credit.
    for (chunk, seen, due, credit) in [
        ("ab\n", 90, true, 53),
        ("c\n", 96, false, 55),
        ("d", 95, false, 56),
        ("\n", 97, true, 0),
        ("efg", 100, false, 3),
        ("h", 999, false, 4),
        ("i", 1000, true, 5),
    ] {
        state.need = 1000;
        assert_eq!(state.is_due(chunk.as_bytes(), seen), due, "{chunk:?}");
        assert_eq!(state.credit, credit, "{chunk:?}");
        assert_eq!(state.need == 0, due && seen < 1000, "{chunk:?}");
    }
    state.is_due(&[b'x'; 5000], 6000);
    assert_eq!(state.credit, CREDIT);
}

/// A URL that is too long is skipped while it comes in. Each byte is examined
/// once.
#[test]
fn skipped_text_is_examined_once() {
    let long = format!("http://a.example/{}", "b".repeat(20_000));
    let text = format!("See {long} and http://c.example/ for more.\n");
    for size in [64, 5000, text.len()] {
        let mut scanner = Scanner::new();
        let mut starts = vec![];
        for (i, chunk) in text.as_bytes().chunks(size).enumerate() {
            scanner.feed(chunk, |candidate| {
                starts.push((candidate.start(), candidate.too_long));
                true
            });
            let fed = text.len().min((i + 1) * size) as u64;
            assert!(scanner.settled() <= fed, "{size}");
            // Skipped bytes are not kept.
            if fed > 18_000 {
                let kept = scanner.buffer.len();
                assert!(kept <= 2 * BEHIND + 2 * size + 1000, "{size}: {kept}");
            }
        }
        scanner.finish(|candidate| {
            starts.push((candidate.start(), candidate.too_long));
            true
        });
        let second = "See ".len() + long.len() + " and ".len();
        assert_eq!(starts, [(4, true), (second as u64, false)], "{size}");
        let examined = scanner.examined() as usize;
        let least = text.len();
        assert!(
            (least..2 * least + 4 * URL_MAX).contains(&examined),
            "{size}: {examined}"
        );
    }
}

/// A place that needs more bytes asks for twice the bytes after it. Bytes that
/// are kept before it do not count.
#[test]
fn a_waiting_candidate_needs_twice_the_text() {
    let mut scanner = Scanner::new();
    let text = format!("{} http://a.example/", "x".repeat(2000));
    for (chunk, need) in [(text.as_bytes(), 64), (&[b'b'; 100], 2 * 113)] {
        assert!(scanner.feed(chunk, |_| false));
        let colon = 2005;
        assert_eq!(
            (scanner.state.next, scanner.state.need),
            (colon, colon + need)
        );
    }
}

/// Lines are counted block by block, wherever the haystack starts.
#[test]
fn lines_are_counted_over_blocks() {
    let text = format!("{}http://a.example/", "a line\n".repeat(3 * BLOCK / 14));
    for base in [0, 1000] {
        let mut scanner = Scanner::new();
        scanner.reset(base, 7);
        let mut lines = vec![];
        scanner.scan(text.as_bytes(), |candidate| {
            lines.push(candidate.signs.line);
            true
        });
        assert_eq!(lines, [Some(7 + 3 * BLOCK as u64 / 14)], "{base}");
    }
}

/// How far is looked back for the target of a link does not depend on where a chunk ended.
#[test]
fn the_target_of_a_link_is_found_in_any_chunks() {
    let url = "http://a.example/b";
    for len in 1100..1200 {
        let target = format!("{url}?{}", "c".repeat(len));
        let text = format!("see \x1b]8;;{target}\x07{target}\x1b]8;;\x07 x\n");
        let hits = |split: usize| {
            let (mut scanner, mut count) = (Scanner::new(), 0);
            for chunk in [&text.as_bytes()[..split], &text.as_bytes()[split..]] {
                scanner.feed(chunk, |_| {
                    count += 1;
                    true
                });
            }
            scanner.finish(|_| {
                count += 1;
                true
            });
            count
        };
        let second = text.rfind("http").unwrap_or_default();
        let whole = hits(text.len());
        for split in second..second + 8 {
            assert_eq!(hits(split), whole, "{len}");
        }
    }
}
