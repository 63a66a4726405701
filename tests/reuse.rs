//! Reuse: one object called in any order answers as fresh objects do.
//!
//! A random sequence of all public calls, with random bytes and sinks that
//! stop, is made on one object. After each call a fresh object repeats the
//! calls since the last one that started anew; both must give the same.

#![cfg(feature = "mail")]

mod common;

use std::io::{self, Read};

use common::generate;
use proptest::prelude::*;
use proptest::sample::select;
use urlgrep::mail::{As, Container, Position, sniff};
use urlgrep::search::{Match, Options, Searcher, Visitor};
use urlgrep::{Extractor, Hit};

/// One public call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Iter,
    Slice,
    Here,
    Reader,
    Value,
    Reset,
    Feed,
    Finish,
    BreakOff,
    Begin,
    Search,
    Message,
}

/// A call, its bytes, and after how many hits the caller stops.
type Step = (Call, Vec<u8>, usize);

const EXTRACTOR: &[Call] = &[
    Call::Iter,
    Call::Slice,
    Call::Here,
    Call::Reader,
    Call::Value,
    Call::Reset,
    Call::Feed,
    Call::Feed,
    Call::Feed,
    Call::Finish,
    Call::BreakOff,
];

const SEARCHER: &[Call] = &[
    Call::Begin,
    Call::Feed,
    Call::Feed,
    Call::Feed,
    Call::Finish,
    Call::BreakOff,
    Call::Search,
    Call::Message,
    Call::Reader,
];

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

fn steps(calls: &'static [Call]) -> impl Strategy<Value = Vec<Step>> {
    let enough = prop_oneof![2 => Just(usize::MAX), 1 => 1usize..4];
    prop::collection::vec((select(calls), bytes(), enough), 1..14)
}

fn describe(hit: &Hit) -> String {
    format!(
        "{} {:?} line {:?} {:?}",
        hit.url().escape_ascii(),
        hit.span(),
        hit.line(),
        hit.verdict().is_ok()
    )
}

/// What a search gave, until it had enough.
struct Found {
    hits: Vec<String>,
    left: usize,
}

impl Found {
    fn new(enough: usize) -> Found {
        Found {
            hits: vec![],
            left: enough,
        }
    }

    fn take(&mut self, hit: String) -> bool {
        self.hits.push(hit);
        self.left -= 1;
        self.left > 0
    }
}

impl Visitor for Found {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        let message = found.message.map(|message| message.number);
        self.take(format!(
            "{} {message:?} {:?}",
            describe(found.hit),
            found.place
        ))
    }
}

/// Gives a few bytes at a time, and fails at the end if there is an odd number.
struct Slow<'a>(&'a [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() && self.1 {
            return Err(io::Error::other("gone"));
        }
        let len = self.0.len().min(7).min(buffer.len());
        let (now, later) = self.0.split_at(len);
        buffer[..len].copy_from_slice(now);
        self.0 = later;
        Ok(len)
    }
}

/// Whether a call goes on from the one before it.
fn goes_on(call: Call, before: Option<Call>) -> bool {
    match call {
        Call::Here => before == Some(Call::Reset),
        Call::Feed => matches!(before, Some(Call::Feed | Call::Reset | Call::Begin)),
        // An end that was stopped goes on.
        Call::Finish | Call::BreakOff => matches!(
            before,
            Some(Call::Feed | Call::Reset | Call::Begin | Call::Finish | Call::BreakOff)
        ),
        _ => false,
    }
}

/// Makes the calls of `steps` on one object, and after each those since the
/// last that started anew on a fresh one.
fn compare<T>(
    steps: &[Step],
    fresh: impl Fn() -> T,
    call: impl Fn(&mut T, &Step) -> Vec<String>,
) -> Result<(), TestCaseError> {
    let mut used = fresh();
    let (mut since, mut before) = (0, None);
    for (i, step) in steps.iter().enumerate() {
        // Values touch nothing else.
        if step.0 != Call::Value {
            if !goes_on(step.0, before) {
                since = i;
            }
            before = Some(step.0);
        }
        let hits = call(&mut used, step);
        let mut other = fresh();
        let mut expected = vec![];
        for step in &steps[since..=i] {
            expected = call(&mut other, step);
        }
        prop_assert_eq!(hits, expected, "call {}, from {}", i, since);
    }
    Ok(())
}

fn extract(extractor: &mut Extractor, (call, bytes, enough): &Step) -> Vec<String> {
    let mut found = Found::new(*enough);
    let mut sink = |hit: &Hit| Ok::<bool, io::Error>(found.take(describe(hit)));
    match call {
        Call::Iter => {
            for hit in extractor.find_iter(bytes) {
                if !found.take(describe(&hit)) {
                    break;
                }
            }
        }
        Call::Slice => extractor.search_slice(bytes, &mut sink).expect("no error"),
        Call::Here => drop(extractor.search_here(bytes, &mut sink).expect("no error")),
        Call::Reader => {
            let fails = bytes.len() % 2 == 1;
            drop(extractor.search_reader(Slow(bytes, fails), &mut sink));
        }
        Call::Value => drop(extractor.search_value(bytes, &mut sink).expect("no error")),
        Call::Reset => extractor.reset(bytes.len() as u64, 7),
        Call::Feed => drop(extractor.feed(bytes, &mut sink).expect("no error")),
        Call::Finish => drop(extractor.finish(&mut sink).expect("no error")),
        Call::BreakOff => drop(extractor.break_off(&mut sink).expect("no error")),
        Call::Begin | Call::Search | Call::Message => unreachable!("a call of a searcher"),
    }
    found.hits
}

fn search(searcher: &mut Searcher, (call, bytes, enough): &Step) -> Vec<String> {
    let mut found = Found::new(*enough);
    let containers = [
        Container::Text,
        Container::Message,
        Container::Wire,
        Container::Rnews,
        sniff(
            b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n",
            true,
            As::Auto,
        ),
    ];
    let container = containers[bytes.len() % containers.len()];
    match call {
        Call::Begin => searcher.begin(container, Position::START),
        Call::Feed => drop(searcher.feed(bytes, &mut found)),
        Call::Finish => drop(searcher.finish(&mut found)),
        Call::BreakOff => drop(searcher.break_off(&mut found)),
        Call::Search => drop(searcher.search(container, Position::START, bytes, &mut found)),
        Call::Message => drop(searcher.search_message(bytes, &mut found)),
        Call::Reader => {
            let fails = bytes.len() % 2 == 1;
            drop(searcher.search_reader(Slow(bytes, fails), As::Auto, &mut found));
        }
        _ => unreachable!("a call of an extractor"),
    }
    found.hits
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 300, ..generate::config(300) })]

    #[test]
    fn an_extractor_is_as_a_fresh_one(steps in steps(EXTRACTOR), lines in any::<bool>()) {
        let builder = Extractor::builder().rejects(true).line_numbers(lines);
        compare(&steps, || builder.build(), extract)?;
    }

    #[test]
    fn no_hit_of_a_stream_is_lost(
        before in steps(EXTRACTOR),
        chunks in prop::collection::vec(bytes(), 0..5),
    ) {
        let mut extractor = Extractor::builder().rejects(true).build();
        for step in &before {
            extract(&mut extractor, step);
        }
        extractor.reset(0, 1);
        let mut found = Found::new(usize::MAX);
        let mut sink = |hit: &Hit| Ok::<bool, io::Error>(found.take(describe(hit)));
        for chunk in &chunks {
            extractor.feed(chunk, &mut sink).expect("no error");
        }
        extractor.finish(&mut sink).expect("no error");
        let whole = Extractor::builder().rejects(true).build()
            .find_iter(&chunks.concat())
            .map(|hit| describe(&hit))
            .collect::<Vec<_>>();
        prop_assert_eq!(found.hits, whole);
    }
}

proptest! {
    // Fewer: a searcher is dear to make.
    #![proptest_config(ProptestConfig { max_shrink_iters: 300, ..generate::config(30) })]

    #[test]
    fn a_searcher_is_as_a_fresh_one(steps in steps(SEARCHER), message_ends in any::<bool>()) {
        let options = Options { message_ends, ..Options::default() };
        compare(&steps, || Searcher::new(options), search)?;
    }
}

/// The orders that panicked or lost hits.
#[test]
fn orders_that_panicked() {
    let mut extractor = Extractor::builder().rejects(true).build();
    let long = b"x http://one.example/ http://two.example/ and more ";
    let short = b"http://three.example/ x\n";
    let step = |call, bytes: &[u8]| (call, bytes.to_vec(), usize::MAX);
    let run = |extractor: &mut Extractor, call, bytes: &[u8]| {
        extract(extractor, &step(call, bytes)).len()
    };
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
