//! Reuse: one object, called in any order, gives the results of fresh objects.
//!
//! A random sequence of all public calls is made on one object, with random
//! bytes and sinks that stop. After each call, a fresh object repeats the calls
//! since the last call that starts anew. Both must give the same result.
//!
//! The header fields that a searcher remembers have a test of their own.

use std::ops::ControlFlow;

use crate::common::calls::{
    Answer, Call, EXTRACTOR, SEARCHER, Step, compare, describe, extract, search,
};
use crate::common::generate;
use proptest::prelude::*;
use proptest::sample::select;
use urlgrep::mail::{Container, HeaderPolicy, Position};
use urlgrep::search::{Match, Searcher};
use urlgrep::{Extractor, Form, Hit, Stream};
use urlgrep_containers::Dialect;
use urlgrep_find::{Drive, go_on};

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let words = [
        "http://one.example/a ",
        "<URL:http://two.\nexample/> ",
        "x\n",
        "> http://three.example/ b\n",
        "mailto:a@b.example,",
        "\n\n",
        "Subject: http://four.example/\n",
        "\nFrom a@b Thu Jan  1 00:00:00 1970\n",
        "____________________________\n",
        "htt",
        "p://",
        "\"http://five.example/\"",
    ];
    let word = prop_oneof![
        4 => select(words.to_vec()),
        2 => generate::token(),
    ];
    let text = prop::collection::vec(word, 0..12).prop_map(|words| words.concat().into_bytes());
    prop_oneof![
        8 => text,
        1 => prop::collection::vec(any::<u8>(), 0..40),
        1 => Just("and a line of words\n".repeat(100).into_bytes()),
    ]
}

/// Found by fuzzing: a hit that a stopped search of plain text had left was found in the
/// next message, if that broke off in its header.
#[test]
fn a_stopped_search_leaves_nothing() {
    let text =
        b"- http://one.example/\n  - http://two.example/\n  - http://three.example/\n".to_vec();
    // The length of the argument of `Begin` selects a message.
    let steps = [
        (Call::Feed, text, 1),
        (Call::Begin, vec![0], usize::MAX),
        (Call::Feed, b"x".to_vec(), usize::MAX),
        (Call::BreakOff, vec![], usize::MAX),
    ];
    compare(&steps, Searcher::default, search);
}

fn steps(calls: &'static [Call]) -> impl Strategy<Value = Vec<Step>> {
    let enough = prop_oneof![2 => Just(usize::MAX), 1 => 1usize..4];
    prop::collection::vec((select(calls), bytes(), enough), 1..14)
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 300, ..generate::config(300) })]

    #[test]
    fn an_extractor_equals_a_fresh_one(steps in steps(EXTRACTOR), lines in any::<bool>()) {
        let builder = Extractor::builder().rejects(true).line_numbers(lines);
        compare(&steps, || builder.build().stream(), extract);
    }

    #[test]
    fn no_hit_of_a_stream_is_lost(
        before in steps(EXTRACTOR),
        chunks in prop::collection::vec(bytes(), 0..5),
    ) {
        let mut extractor = Extractor::builder().rejects(true).build().stream();
        for step in &before {
            extract(&mut extractor, step);
        }
        extractor.reset(0, 1);
        let mut found = Answer::new(usize::MAX);
        let mut sink = |hit: &Hit| go_on(found.take(describe(hit)));
        for chunk in &chunks {
            let _ = extractor.feed(chunk, &mut sink);
        }
        let _ = extractor.finish(&mut sink);
        let whole = Extractor::builder().rejects(true).build()
            .find_iter(&chunks.concat())
            .map(|hit| describe(&hit))
            .collect::<Vec<_>>();
        prop_assert_eq!(found.hits, whole);
    }
}

proptest! {
    // Fewer cases, because making a searcher is expensive.
    #![proptest_config(ProptestConfig { max_shrink_iters: 300, ..generate::config(30) })]

    #[test]
    fn a_searcher_equals_a_fresh_one(steps in steps(SEARCHER), message_ends in any::<bool>()) {
        let options = Searcher::builder().message_ends(message_ends);
        compare(&steps, || options.build(), search);
    }
}

/// Orders of calls that panicked or lost hits before.
#[test]
fn orders_that_panicked() {
    let mut extractor = Extractor::builder().rejects(true).build().stream();
    let long = b"x http://one.example/ http://two.example/ and more ";
    let short = b"http://three.example/ x\n";
    let step = |call, bytes: &[u8]| (call, bytes.to_vec(), usize::MAX);
    let run =
        |extractor: &mut Stream, call, bytes: &[u8]| extract(extractor, &step(call, bytes)).len();
    for first in [Call::Iter, Call::Slice, Call::Here, Call::Reader] {
        assert_eq!(run(&mut extractor, first, long), 2, "{first:?}");
        let fed = run(&mut extractor, Call::Feed, short);
        let rest = run(&mut extractor, Call::Finish, b"");
        assert_eq!(fed + rest, 1, "{first:?}");
    }
    assert_eq!(run(&mut extractor, Call::Here, b"http://a.b/1\n"), 1);
    assert_eq!(run(&mut extractor, Call::Here, b"http://a.b/2\n"), 1);
    run(&mut extractor, Call::Feed, long);
    assert_eq!(run(&mut extractor, Call::Here, short), 1);
    assert!(extractor.find_iter(long).next().is_some());
    assert_eq!(run(&mut extractor, Call::Finish, b""), 0);
}

/// The value of an attribute may begin and end with any white space. A vertical
/// tab after a line break once caused an endless loop.
#[test]
fn values_end_in_any_white_space() {
    for space in ["\n\x0B", "\r\n\x0C", "\x0B\n", "\n \t\n", "\x0B"] {
        let value = format!("{space}http://one.\nexample/{space}");
        let step = (Call::Value, value.into_bytes(), usize::MAX);
        let mut extractor = Extractor::builder().rejects(true).build().stream();
        let hits = extract(&mut extractor, &step);
        assert_eq!(hits.len(), 1, "{space:?}");
        assert!(hits[0].contains("http://one.example/"), "{hits:?}");
    }
    let mut extractor = Extractor::builder().rejects(true).build().stream();
    let none = (Call::Value, b"\n\x0B \r".to_vec(), usize::MAX);
    assert!(extract(&mut extractor, &none).is_empty());
}

/// A visitor that stopped gets no further hit. A hit of unknown role, which was
/// reported after its text was searched, was once followed by a second hit.
#[test]
fn no_hit_follows_a_stop() {
    let mut searcher = Searcher::default();
    let lines = b"From: a@b.example\n\n//m\n/\nm>\nea://m://m>/meamea://m";
    for cut in 1..lines.len() {
        for container in 0..5 {
            let (one, two) = lines.split_at(cut);
            let begin = (Call::Begin, vec![0; container], 1);
            search(&mut searcher, &begin);
            for bytes in [one, two, b"\n"] {
                let hits = search(&mut searcher, &(Call::Feed, bytes.to_vec(), 1));
                assert!(hits.len() <= 1, "{container} {cut}: {hits:?}");
            }
        }
    }
}

/// What is left of a shortened URL is no hit if its message has shown the whole one. A field
/// that an earlier message had too changes nothing.
#[test]
fn shortened_urls_are_judged_by_their_own_message() {
    let bare = "Subject: see http://a.example/long/page now\n";
    let bracketed = "Subject: see <http://a.example/long/page> now\n";
    let short = "Comments: http://a.example/lon... and\n";
    let body = "\nsee http://a.example/lon... and\n";
    let messages = [
        format!("{bare}{short}{body}"),
        format!("{short}{body}"),
        format!("{bare}{body}"),
        format!("{bracketed}{short}{body}"),
        format!("{bracketed}{body}"),
    ];
    let hits = |searcher: &mut Searcher, message: &str| {
        let mut hits = Vec::new();
        searcher.search_message(message.as_bytes(), |found| {
            hits.push(String::from_utf8_lossy(found.hit.text()).into_owned());
            ControlFlow::Continue(())
        });
        hits
    };
    for forms in [Form::ALL, &[Form::Bare]] {
        let forms = Extractor::builder().forms(forms.iter().copied());
        let options = Searcher::builder().extractor(forms);
        let mut reused = options.build();
        for message in messages.iter().chain(&messages) {
            let expected = hits(&mut options.build(), message);
            assert_eq!(hits(&mut reused, message), expected, "{message}");
        }
    }
    let mut searcher = Searcher::default();
    assert_eq!(hits(&mut searcher, &messages[0]).len(), 1);
    assert_eq!(hits(&mut searcher, &messages[1]).len(), 2);
}

/// The same fields at other places: after more lines, behind another name, and cut by the
/// mark of a mailbox.
#[test]
fn hits_of_equal_fields_are_at_their_own_places() {
    let field = "http://a.example/\r\n\t<http://b.example/c?d>, mailto:e@f.example\n";
    let mut mbox = String::new();
    for (i, name) in ["X", "X", "List-Help", "X", "Y", "X"].iter().enumerate() {
        let more = "Subject: more\n".repeat(i * i);
        mbox += "From a@b Thu Jan  1 00:00:00 1970\n";
        mbox += &format!(
            "{more}{name}: {field}Z: http://{}.example/\n\n{more}\n",
            i % 2
        );
    }
    for (columns, details) in [(false, false), (true, true), (true, false)] {
        let builder = Searcher::builder()
            .headers(HeaderPolicy::List)
            .columns(columns)
            .details(details);
        let mut places = Vec::new();
        let _ = builder.build().search(
            Container::Mbox(Dialect::Dated),
            Position::START,
            mbox.as_bytes(),
            &mut |found: &Match<'_>| {
                let span = found.source().unwrap().span();
                let before = &mbox[..span.start as usize];
                assert_eq!(
                    &mbox.as_bytes()[span.start as usize..span.end as usize],
                    found.hit.text()
                );
                let line = before.matches('\n').count() as u64 + 1;
                assert_eq!(found.line(), Some(line));
                let start = before.rfind('\n').map_or(0, |i| i + 1);
                let name = found.header().unwrap();
                let column = (span.start as usize - start + 1) as u64;
                // A folded line was joined.
                let is_first = mbox.as_bytes()[start..].starts_with(name);
                assert_eq!(found.column(), Some(column).filter(|_| columns && is_first));
                places.push(span.start);
                ControlFlow::Continue(())
            },
        );
        assert_eq!(places.len(), 6 * 4);
        assert!(places.is_sorted());
    }
}
