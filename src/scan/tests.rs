use super::*;

fn found(text: &str) -> Vec<String> {
    let mut urls = vec![];
    Scanner::new().scan(text.as_bytes(), |c| {
        let readings: Vec<_> = c
            .readings()
            .map(|r| format!("{} {}", r.kind.name(), String::from_utf8_lossy(r.text)))
            .collect();
        urls.push(format!("{}: {}", c.form().name(), readings.join(" | ")));
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

/// What is decided is told before the haystack is twice as long, no more is
/// kept than may be looked at again, twice over, and a place that must wait is
/// not looked at again with each byte.
#[test]
fn a_stream_is_told_of_soon_and_let_go_of() {
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

/// A quick look dismisses nearly all colons, and none of a URL's or a
/// wrapper's. That it does dismiss them shows in the time alone.
#[test]
fn the_colons_of_headers_and_prose_do_not_matter() {
    let colons = |text: &'static str| {
        let bytes = text.as_bytes();
        memchr::memchr_iter(b':', bytes).map(|at| matters(bytes, at))
    };
    for text in [
        "Subject: a",
        "Subject:Date:From",
        "10:30",
        "a::b",
        "e:b",
        "t:b",
    ] {
        assert!(colons(text).all(|matters| !matters), "{text}");
    }
    for text in [
        "http://a", "x://a", "://", "mailto:a", "MAILTO:a", "doi:1", "URL:a", "<url: a", "URL : a",
        "URL:", ":",
    ] {
        assert!(colons(text).all(|matters| matters), "{text}");
    }
}
