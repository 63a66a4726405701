//! The public API: readers that fail, sinks that stop, attribute values, and the
//! accessors of a URL.

use std::io::{self, Read};
use std::ops::ControlFlow;

use urlgrep::url::validate;
use urlgrep::{Extractor, Hit, Profile};
use urlgrep_find::Drive;
use urlgrep_search::go_on;

/// A reader that returns one byte a call, sometimes an interruption, and at the
/// end an error if `fails` is true.
struct Slow<'a> {
    bytes: &'a [u8],
    calls: usize,
    fails: bool,
}

impl Slow<'_> {
    fn new(bytes: &[u8], fails: bool) -> Slow<'_> {
        let calls = 0;
        Slow {
            bytes,
            calls,
            fails,
        }
    }
}

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        if self.calls.is_multiple_of(3) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match self.bytes.split_first() {
            Some((&first, rest)) => {
                buffer[0] = first;
                self.bytes = rest;
                Ok(1)
            }
            None if self.fails => Err(io::Error::other("gone")),
            None => Ok(0),
        }
    }
}

const TEXT: &[u8] = b"http://a.example/ <URL:http://b.\nexample/> and http://c.example/d";
const URLS: [&str; 3] = [
    "http://a.example/",
    "http://b.example/",
    "http://c.example/d",
];

#[test]
fn a_reader_is_searched_to_its_end_or_its_error() {
    for fails in [false, true] {
        let mut urls = vec![];
        let extractor = Extractor::builder().rejects(true).build();
        let done = extractor.search_reader(Slow::new(TEXT, fails), |hit| {
            urls.push(String::from_utf8_lossy(hit.text()).into_owned());
            ControlFlow::Continue(())
        });
        assert_eq!(
            done.map_err(|e| e.to_string()),
            if fails { Err("gone".into()) } else { Ok(()) }
        );
        assert_eq!(urls, URLS);
    }
}

#[test]
fn a_sink_that_stops_ends_the_search() {
    let mut extractor = Extractor::new(Profile::Current).stream();
    // Long enough that the first hits are reported before the end is read.
    let words = b"\nwords and more words\n".repeat(1000);
    let text = [TEXT, &words, b" http://d.example/"].concat();
    let text = &text[..];
    for enough in 1..5 {
        let mut hits = 0;
        let mut stop = |_: &Hit| {
            hits += 1;
            go_on(hits < enough)
        };
        let flow = extractor.search_reader(Slow::new(text, false), &mut stop);
        assert!(flow.unwrap().is_break());
        assert_eq!(hits, enough);
        let mut hits = 0;
        let mut stop = |_: &Hit| {
            hits += 1;
            go_on(hits < enough)
        };
        assert!(extractor.search_here(text, &mut stop).is_break());
        assert_eq!(hits, enough);
    }
}

#[test]
fn a_line_end_decides_a_waiting_candidate() {
    // The sink stops after each hit. The next search continues there.
    let mut extractor = Extractor::new(Profile::Current).stream();
    let mut urls = vec![];
    let mut feed = |chunk: &[u8]| {
        let mut sink = |hit: &Hit| {
            urls.push(String::from_utf8_lossy(hit.text()).into_owned());
            ControlFlow::Break(())
        };
        let flow = extractor.feed(chunk, &mut sink);
        (flow.is_continue(), urls.clone())
    };
    let no_more = (true, vec![]);
    assert_eq!(feed(b"see http://a.exam"), no_more);
    assert_eq!(feed(b"ple/ or http://b."), no_more);
    let one = vec!["http://a.example/".to_owned()];
    assert_eq!(feed(b"example/ so\n"), (false, one.clone()));
    let two = [one, vec!["http://b.example/".to_owned()]].concat();
    assert_eq!(feed(b""), (false, two.clone()));
    assert_eq!(feed(b""), (true, two));
}

#[test]
fn lines_are_counted_if_asked_for() {
    for (wanted, lines) in [
        (true, [Some(1), Some(1), Some(2)]),
        (false, [None, None, None]),
    ] {
        let mut extractor = Extractor::builder().line_numbers(wanted).build().stream();
        let found: Vec<Hit> = extractor.find_iter(TEXT).collect();
        assert!(found.iter().map(Hit::line).eq(lines));
        // Each byte is examined, on average less than three times.
        let least = TEXT.len() as u64;
        assert!((least..3 * least).contains(&extractor.examined()));
        assert_eq!(found[2], found[2].clone());
    }
}

#[test]
fn hits_are_counted_as_they_are_found() {
    let extractor = Extractor::new(Profile::Current);
    assert_eq!(extractor.find_iter(TEXT).count(), 3);
    let mut hits = extractor.find_iter(TEXT);
    assert_eq!(hits.next().unwrap().text(), URLS[0].as_bytes());
    assert_eq!(hits.count(), 2);
    let found: Vec<Hit> = extractor.find_iter(TEXT).collect();
    assert!(found.iter().map(Hit::text).eq(URLS.map(str::as_bytes)));
}

/// A value of an attribute, and its URL, or `None` if it is not a URL.
const VALUES: &[(&str, Option<&str>)] = &[
    ("http://a.example/", Some("http://a.example/")),
    (" \n http://a.example/\t ", Some("http://a.example/")),
    ("http://a.exa\nmple/\r\n  b", Some("http://a.example/b")),
    ("http://a.example/b c", Some("http://a.example/b c")),
    ("http://a.example/b \n\n c\nd", Some("http://a.example/bcd")),
    ("HTTP://a.example/", Some("HTTP://a.example/")),
    ("a://b", Some("a://b")),
    (
        "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz://b",
        Some("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz://b"),
    ),
    ("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz://b", None),
    ("1a://b", None),
    ("a b://c", None),
    ("://b", None),
    ("index.html", None),
    ("#top", None),
    ("", None),
    ("http:index.html", Some("http:index.html")),
    ("javascript:void(0)", None),
    ("mailto:ann@a.example", Some("mailto:ann@a.example")),
    ("mailto:ann", None),
    ("MAILTO:ann@a.example", Some("MAILTO:ann@a.example")),
    ("mid:1@a.example", Some("mid:1@a.example")),
    ("cid:1", None),
    ("news:comp.lang.lisp", Some("news:comp.lang.lisp")),
    ("news:1@a.example", Some("news:1@a.example")),
    ("news:*", Some("news:*")),
    ("news:comp", Some("news:comp")),
    ("sip:ann@a.example", Some("sip:ann@a.example")),
    ("sip:a.example", Some("sip:a.example")),
    ("sip:ann", Some("sip:ann")),
    ("doi:10.1000/1", Some("doi:10.1000/1")),
    ("doi:11.1000/1", Some("doi:11.1000/1")),
    ("tel:+1-201", Some("tel:+1-201")),
    ("tel:201;phone-context=+1", Some("tel:201;phone-context=+1")),
    ("tel:one", Some("tel:one")),
    ("magnet:?xt=urn:x", Some("magnet:?xt=urn:x")),
    ("magnet:xt", Some("magnet:xt")),
    ("urn:isbn:1", Some("urn:isbn:1")),
    ("urn:isbn", Some("urn:isbn")),
    ("data:,x", Some("data:,x")),
    ("data:x", None),
    ("x:y", None),
    (
        "ms-word:ofe|u|https://a.example/",
        Some("ms-word:ofe|u|https://a.example/"),
    ),
    ("geo:", None),
    ("about:blank", None),
    ("ht\ttp:\n//a.exam\tple/\n\tb", Some("http://a.example/b")),
    ("h\r\nttps:/\r/a.example/ \n b", Some("https://a.example/b")),
    ("mail\nto:\tann@a.example", Some("mailto:ann@a.example")),
    ("ht tp://a.example/", None),
    ("http\u{b}://a.example/", None),
    ("top\n#http://a.example/", None),
];

#[test]
fn urls_and_hits_are_text() {
    let text = b"http://a_-.b/ see http://b.example/%41?q#f and http://a.example:8080/";
    let hits: Vec<Hit> = Extractor::new(Profile::Iri).find_iter(text).collect();
    let urls: Vec<_> = hits.iter().rev().map(|hit| hit.url().unwrap()).collect();
    assert_eq!(urls[0].as_str(), "http://a.example:8080/");
    assert_eq!(hits[0].to_string(), "http://b.example/%41?q#f");
    assert_eq!(
        format!("{:?}", urls[0]),
        r#"Url("http://a.example:8080/", iri)"#
    );
    assert!(format!("{:?}", hits[1]).contains(r#"text: "http://a.example:8080/""#));
    assert_eq!(urls[0].port_number(), Some(8080));
    assert_eq!(urls[1].port_number(), None);
    assert_eq!(hits[0].span().of(text), Some(urls[1].as_bytes()));
    assert_eq!(urlgrep_base::span::column(text, hits[0].span().start), 19);
    // The offsets and a copy of the text are the same URL.
    let (meta, text) = (urls[1].meta(), hits[0].to_string());
    assert_eq!(meta.with(text.as_bytes()), urls[1]);
}

#[test]
fn values_of_attributes() {
    let builder = Extractor::builder().profile(Profile::Current);
    let mut extractor = builder.rejects(true).build().stream();
    for &(value, url) in VALUES {
        let mut found = vec![];
        let mut sink = |hit: &Hit| {
            // Segments and seams cover the URL without gaps.
            let mut copy = vec![];
            let mut at = hit.span().start;
            let mut seams = hit.seams().iter().peekable();
            for piece in hit.segments() {
                while let Some(seam) = seams.next_if(|seam| seam.span.start < piece.start) {
                    assert_eq!(seam.span.start, at, "{value:?}");
                    at = seam.span.end;
                }
                assert_eq!(piece.start, at, "{value:?}");
                at = piece.end;
                copy.extend_from_slice(&value.as_bytes()[piece.start as usize..at as usize]);
            }
            assert_eq!(copy, hit.text(), "{value:?}");
            let before = &value[..hit.span().start as usize];
            let line = 1 + before.matches('\n').count() as u64;
            assert_eq!(hit.line(), Some(line), "{value:?}");
            found.push(String::from_utf8_lossy(hit.text()).into_owned());
            ControlFlow::Break(())
        };
        let flow = extractor.search_value(value.as_bytes(), false, &mut sink);
        assert_eq!(flow.is_continue(), url.is_none(), "{value:?}");
        assert_eq!(found, Vec::from_iter(url), "{value:?}");
    }
}

#[test]
fn default_equals_new() {
    let mut scanner = urlgrep_find::scan::Scanner::default();
    let mut found = 0;
    assert!(scanner.scan(TEXT, |_| {
        found += 1;
        true
    }));
    assert_eq!(found, 3);
    assert_eq!(urlgrep::Span::new(1, 3).len(), 2);
}

#[cfg(feature = "search")]
mod mail {
    use super::*;
    use urlgrep::mail::ReadAs;
    use urlgrep::mail::Role;
    use urlgrep::mail::{Container, Position};
    use urlgrep::search::{Match, Searcher, SearcherBuilder, Visitor};

    /// Stores up to `most` hits, then stops.
    struct Urls {
        found: Vec<(String, Option<u64>, Option<Role>)>,
        most: usize,
    }

    impl Visitor for Urls {
        fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
            let url = String::from_utf8_lossy(found.hit.text()).into_owned();
            let end = found.message.and_then(|message| message.end);
            self.found.push((url, end, found.role()));
            go_on(self.found.len() < self.most)
        }
    }

    fn search(mail: &[u8], options: SearcherBuilder, most: usize) -> Urls {
        let mut urls = Urls {
            found: vec![],
            most,
        };
        let mut searcher = options.build();
        let _ = searcher
            .visit_reader(Slow::new(mail, false), ReadAs::Auto, &mut urls)
            .unwrap();
        urls
    }

    #[test]
    fn a_news_article_is_read_unchanged() {
        let article =
            b"Aucbvax.1\nnet.test\nucbvax!joe\nSun Jan  3 14:00:00 1982\nsee http://a.example/\n\
            <URL:http://b.\nexample/>\n";
        let urls = search(article, Searcher::builder(), 9).found;
        let body = Some(Role::Body);
        assert_eq!(
            urls,
            [
                ("http://a.example/".into(), None, body),
                ("http://b.example/".into(), None, body)
            ]
        );
    }

    #[test]
    fn the_end_of_a_message_is_known_if_it_is_short() {
        let options = Searcher::builder().message_ends(true);
        let head = "Subject: x\nFrom: a@b.example\n\nhttp://a.example/\n";
        let short = search(head.as_bytes(), options, 9).found;
        assert_eq!(short[0].1, Some(head.len() as u64));
        let long = format!("{head}{}http://b.example/\n", "words\n".repeat(12_000));
        let long = search(long.as_bytes(), options, 9).found;
        assert_eq!(long.len(), 2);
        assert!(long.iter().all(|url| url.1.is_none()));
    }

    #[test]
    fn a_sink_that_stops_ends_the_search_of_mail() {
        let mail = "From a@b Thu Jan  1 00:00:00 1970\nSubject: http://s.example/\nContent-Type: text/html\n\n\
            <a href=http://a.example/>b</a> http://b.example/\n\n"
            .repeat(3);
        for message_ends in [false, true] {
            for most in 1..9 {
                let options = Searcher::builder().message_ends(message_ends);
                assert_eq!(search(mail.as_bytes(), options, most).found.len(), most);
            }
        }
    }

    #[test]
    fn links_whose_text_is_their_url_are_one_hit_among_many() {
        for (text, most) in [("http://a", 40), ("HTTP://A", 40), ("http://b", 80)] {
            let link = |i| format!("<a href=http://a{i}.example/x/>{text}{i}.example/x</a>\n");
            let html: String = (0..40).map(link).collect();
            let mail = format!("From: a@b.example\nSubject: x\nContent-Type: text/html\n\n{html}");
            let urls = search(mail.as_bytes(), Searcher::builder(), 99).found;
            assert_eq!(urls.len(), most);
            let urls = search(
                mail.replace("/x<", "/X<").as_bytes(),
                Searcher::builder(),
                99,
            )
            .found;
            assert_eq!(urls.len(), most, "the case of a path does not matter");
        }
        // Nor does that of a user. Another user is another URL.
        for (link, text, most) in [
            ("http://User@h.example/", "http://user@h.example/", 1),
            ("ftp://JO@h.example/a", "ftp://jo@h.example/a", 1),
            ("http://User@h.example/", "http://other@h.example/", 2),
        ] {
            let head = "From: a@b.example\nSubject: x\nContent-Type: text/html";
            let mail = format!("{head}\n\n<a href={link}>{text}</a>\n");
            let urls = search(mail.as_bytes(), Searcher::builder(), 99).found;
            assert_eq!(urls.len(), most, "{link}");
        }
    }

    /// The images have no text, so the end of the text of the link is not known
    /// before them. From the HTML of a real message.
    #[test]
    fn a_link_before_many_images_is_one_hit() {
        let image = |i| format!("<img src=http://i{i}.example/>");
        let images: String = (0..40).map(image).collect();
        let link = "<a href=http://a.example/>http://a.example</a>.";
        let head = "From: a@b.example\nSubject: x\nContent-Type: text/html";
        let mail = format!("{head}\n\n{link}{images}\n");
        let urls = search(mail.as_bytes(), Searcher::builder(), 99).found;
        assert_eq!(urls.len(), 41);
    }

    /// A URL was encoded twice, and only one encoding is declared. It has no place
    /// that `--verify` could read.
    #[test]
    fn a_url_that_is_encoded_twice_has_no_place() {
        struct Places(Vec<(String, bool)>);
        impl Visitor for Places {
            fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
                let url = String::from_utf8_lossy(found.hit.text()).into_owned();
                self.0.push((url, found.source().is_some()));
                ControlFlow::Continue(())
            }
        }
        let mut places = Places(vec![]);
        let x = "x".repeat(54);
        let mail = format!(
            "Content-Transfer-Encoding: quoted-printable\n\n\
             http://a.example/{x}=3D3D=3D\nb and http://c.example/=3D\n"
        );
        let mut searcher = Searcher::default();
        assert!(
            searcher
                .visit_message(mail.as_bytes(), &mut places)
                .is_continue()
        );
        let twice = format!("http://a.example/{x}=b");
        assert_eq!(
            places.0,
            [(twice, false), ("http://c.example/=".into(), true)]
        );
    }

    #[test]
    fn nothing_is_read_after_the_sink_stops() {
        let mut urls = Urls {
            found: vec![],
            most: 1,
        };
        let mut searcher = Searcher::default();
        for container in [Container::Text, Container::Message] {
            urls.found.clear();
            searcher.begin(container, Position::START);
            let text = b"A: b\n\nhttp://a.example/ http://b.example/\n".repeat(2000);
            assert!(searcher.feed(&text, &mut urls).is_break());
            assert!(searcher.feed(&text, &mut urls).is_break());
            assert!(searcher.finish(&mut urls).is_break());
            assert_eq!(urls.found.len(), 1);
            urls.found.clear();
            assert!(
                searcher
                    .search(container, Position::START, &text, &mut urls)
                    .is_break()
            );
            assert_eq!(urls.found.len(), 1);
        }
    }
}

#[test]
fn an_iterator_is_fused() {
    let extractor = Extractor::new(Profile::Iri);
    let mut hits = extractor.find_iter(b"http://a.example/ and no more");
    assert!(hits.next().is_some());
    assert!((0..3).all(|_| hits.next().is_none()));
    assert_eq!(hits.count(), 0);
}

#[test]
fn cautions_are_listed() {
    let url = validate(Profile::Current, b"ftp://anonymous:pw@a.example:70/").unwrap();
    let cautions = url.cautions();
    let names: Vec<_> = cautions.iter().map(|caution| caution.name()).collect();
    assert_eq!(cautions.to_string(), names.join(", "));
    assert!(names.len() > 1, "{names:?}");
}

#[cfg(feature = "rows")]
mod with_serde {
    use urlgrep::mail::{Container, ReadAs};
    use urlgrep::ranges::{Description, describe};
    use urlgrep::rows::{OwnedRecord, Record, Row};
    use urlgrep::{Extractor, Profile};
    use urlgrep_containers::Dialect;

    #[test]
    fn a_description_is_read_back() {
        let mbox = b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nhttp://a.example/\n";
        let mut seen = Vec::new();
        for source in [&mbox[..], b"text", b"From: a@b\nDate: x\n\nbody\n"] {
            let description = describe(source, ReadAs::Auto).unwrap();
            let json = serde_json::to_string(&description).unwrap();
            let again: Description = serde_json::from_str(&json).unwrap();
            assert_eq!(again, description, "{json}");
            seen.push(description.container);
        }
        assert!(
            matches!(seen[0], Container::Mbox(Dialect::Dated | _)),
            "{seen:?}"
        );
        assert_eq!(seen[1..], [Container::Text, Container::Message]);
    }

    #[test]
    fn a_hit_is_written_as_its_row() {
        let text = b"see <URL:http://a.example/b\n  c.html> there";
        let hit = Extractor::new(Profile::Iri).find_iter(text).next().unwrap();
        let json = serde_json::to_string(&Row::from(&Record::plain(None, &hit))).unwrap();
        let row: OwnedRecord = serde_json::from_str(&json).unwrap();
        assert_eq!(row.url.as_deref(), Some(&*hit.to_string()));
        assert_eq!(row.segments.unwrap().len(), hit.segments().len());
    }
}
