use std::ops::ControlFlow;

use super::*;

#[derive(Default)]
struct Urls(Vec<String>);

impl Visitor for Urls {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        let number = found
            .message
            .and_then(|message| message.number)
            .unwrap_or(0);
        self.0.push(format!(
            "{number} {}",
            String::from_utf8_lossy(found.hit.text())
        ));
        ControlFlow::Continue(())
    }
}

/// Returns one byte per read, and an error at the end.
struct Slow<'a>(&'a [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((&first, rest)) = self.0.split_first() else {
            return Err(io::Error::other("gone"));
        };
        buffer[0] = first;
        self.0 = rest;
        Ok(1)
    }
}

/// Stops after the first hit of each text.
#[derive(Default)]
struct First(Vec<String>);

impl Visitor for First {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.0
            .push(String::from_utf8_lossy(found.hit.text()).into_owned());
        ControlFlow::Break(())
    }
}

#[test]
fn hits_left_after_a_stop_are_not_hits_of_the_next_text() {
    // Hits after a rule line wait, because the rule may begin a footer.
    let rule = "_".repeat(22);
    let two = format!("Subject: x\n\n{rule}\nhttp://one.example/\nhttp://two.example/\n");
    let none = "Subject: y\n\nno URL\n";
    for message_ends in [false, true] {
        let mut searcher = Searcher::builder().build();
        let mut first = First::default();
        for text in [&two, none, &two] {
            let _ = searcher.visit_message(text.as_bytes(), &mut first);
        }
        for text in [&two, none, &two] {
            let _ = searcher.search(
                Container::Message,
                Position::START,
                text.as_bytes(),
                &mut first,
            );
        }
        // An unfinished search is also dropped.
        searcher.begin(Container::Message, Position::START);
        let _ = searcher.feed(two.as_bytes(), &mut first);
        let _ = searcher.visit_message(none.as_bytes(), &mut first);
        assert_eq!(first.0, ["http://one.example/"; 4], "{message_ends}");
    }
}

#[test]
fn a_reader_is_recognised_and_searched_to_its_end() {
    let mbox = b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\n<URL:http://a.ex\nample/>\n\n\
        From a@b Thu Jan  1 00:00:00 1970\nSubject: y\n\nhttp://b.example/ and more\n";
    let mut searcher = Searcher::default();
    let expected = ["1 http://a.example/", "2 http://b.example/"];
    let mut urls = Urls::default();
    let _ = searcher
        .visit_reader(&mbox[..], ReadAs::Auto, &mut urls)
        .unwrap();
    assert_eq!(urls.0, expected);
    let mut urls = Urls::default();
    assert!(
        searcher
            .visit_reader(Slow(mbox), ReadAs::Auto, &mut urls)
            .is_err()
    );
    assert_eq!(urls.0, expected);
    let mut urls = Urls::default();
    let _ = searcher
        .visit_reader(&b"http://c.example/"[..], ReadAs::Auto, &mut urls)
        .unwrap();
    assert_eq!(urls.0, ["0 http://c.example/"]);
}

/// A hit in the text of a link is known to repeat the link only when the text has ended. It
/// must not be passed on before, whatever the chunks are and whatever forms are wanted.
#[test]
fn texts_that_repeat_their_link_are_dropped_in_any_chunks() {
    use urlgrep_find::scan::Form;
    let links = [
        (
            "http://a.example/My%20Plan.doc",
            "http://a.example/My Plan.doc",
        ),
        ("http://a.example/long/page", "see http://a.example/lon..."),
        ("http://a.example/x/y", "http://a.example/x/<b>&#8203;</b>y"),
        ("http://a.example/1", "http://b.example/My Plan.doc"),
    ];
    let mut mail = String::from("From: a@b.example\nSubject: x\nContent-Type: text/html\n\n");
    for (target, text) in links {
        mail += &format!("<p>x <a href=\"{target}\">{text}</a>, <img src=\"cid:a@b\">");
    }
    let all = [
        "http://a.example/My%20Plan.doc",
        "http://a.example/long/page",
        "http://a.example/x/y",
        "http://a.example/1",
        "http://b.example/My",
    ];
    for details in [false, true] {
        for (forms, first) in [(&[Form::Link, Form::Bare][..], 0), (&[Form::Bare], 4)] {
            let extractor = Extractor::builder().forms(forms.iter().copied());
            let builder = Searcher::builder().extractor(extractor).details(details);
            let mut searcher = builder.build();
            for size in [1, 2, 3, 7, 50, mail.len()] {
                let mut found = Vec::new();
                let mut sink = |found_here: &Match<'_>| {
                    found.push(String::from_utf8_lossy(found_here.hit.text()).into_owned());
                    ControlFlow::Continue(())
                };
                searcher.begin(Container::Message, Position::START);
                for chunk in mail.as_bytes().chunks(size) {
                    let _ = searcher.feed(chunk, &mut sink);
                }
                let _ = searcher.finish(&mut sink);
                found.retain(|url| !url.starts_with("cid:"));
                assert_eq!(found, all[first..], "chunks of {size}, details {details}");
            }
        }
    }
}

/// What only some options find has no colon by which the quick tests of messages, fields and strings
/// see it.
#[test]
fn what_was_asked_for_is_found_in_every_container() {
    use urlgrep_find::scan::Form;
    let with = |text: &str| {
        [
            (Container::Text, format!("see {text} x\n")),
            (Container::Message, format!("Subject: y\n\nsee {text} x\n")),
            (Container::Message, format!("Subject: {text}\n\ny\n")),
            (Container::Json, format!("{{\"a\": \"see {text} x\"}}\n")),
            (Container::Csv, format!("a,b\nsee {text} x,c\n")),
        ]
    };
    let any = Extractor::builder();
    let experimental = any.profile(Profile::Url03);
    for (extractor, text, wanted) in [
        (experimental, "<x-foo:bar>", Some("x-foo:bar")),
        (experimental, "<y-foo:bar>", None),
        (experimental, "x-foo:bar", None),
        (any, "<x-foo:bar>", None),
        (
            any.refang(true),
            "http[:]//a.example",
            Some("http://a.example"),
        ),
        (any, "http[:]//a.example", None),
        (
            any.forms([Form::Suffix]),
            "www.a.org/b",
            Some("http://www.a.org/b"),
        ),
        (any, "www.a.org/b", None),
    ] {
        for details in [false, true] {
            let builder = Searcher::builder().extractor(extractor).details(details);
            let mut searcher = builder.all_infos(details).build();
            for (container, text) in with(text) {
                let mut urls = Urls::default();
                let _ = searcher.search(container, Position::START, text.as_bytes(), &mut urls);
                let urls = urls.0.iter().map(|url| &url[2..]);
                assert!(urls.eq(wanted), "{container:?}: {text}");
            }
        }
    }
}

/// The links that come before a URL is known to end have no text, so the link around the URL keeps
/// its target.
#[test]
fn links_without_text_hide_no_target() {
    for empty in ["http://b.example/", "hxxp://b.example/", "news:*.b"] {
        for (number, rejects) in [(0, false), (15, true), (16, false), (17, true), (100, true)] {
            let links = format!("<a href={empty}></a><p>").repeat(number);
            let mail = format!(
                "Subject: x\nContent-Type: text/html\n\n\
                <a href=http://a.example/>see http://c.example/{links}"
            );
            let extractor = Extractor::builder().rejects(rejects);
            let mut targets = Vec::new();
            let mut searcher = Searcher::builder().extractor(extractor).build();
            searcher.search_message(mail.as_bytes(), |found| {
                if found.hit.text() == b"http://c.example/" {
                    targets.push(found.link_target().map(<[u8]>::to_vec));
                }
                ControlFlow::Continue(())
            });
            let target = Some(b"http://a.example/".to_vec());
            assert_eq!(targets, [target], "{number} times {empty}");
        }
    }
}
