//! One object, called in any order, gives the results of fresh objects. Covers
//! all public calls of an extractor and of a searcher, as plain functions.

use std::io::{self, Read};
use std::ops::ControlFlow;

use urlgrep::mail::{Container, Position, ReadAs, sniff};
use urlgrep::search::{Match, Searcher, Visitor};
use urlgrep::{Hit, Stream};
use urlgrep_find::Drive;
use urlgrep_search::go_on;

/// One public call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
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

/// A call, its bytes, and the number of hits after which the caller stops.
pub type Step = (Call, Vec<u8>, usize);

pub const EXTRACTOR: &[Call] = &[
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

pub const SEARCHER: &[Call] = &[
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

pub fn describe(hit: &Hit) -> String {
    format!(
        "{} {:?} line {:?} {:?}",
        hit.text().escape_ascii(),
        hit.span(),
        hit.line(),
        hit.url().is_ok()
    )
}

/// The hits of a search, up to a number.
pub struct Answer {
    pub hits: Vec<String>,
    left: usize,
}

impl Answer {
    pub fn new(enough: usize) -> Answer {
        Answer {
            hits: vec![],
            left: enough,
        }
    }

    pub fn take(&mut self, hit: String) -> bool {
        self.hits.push(hit);
        self.left -= 1;
        self.left > 0
    }
}

impl Visitor for Answer {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        let message = found.message.map(|message| message.number);
        let place = (
            found.source(),
            found.decoded(),
            found.line(),
            found.column(),
        );
        let within = (found.part(), found.header(), found.role());
        let hit = describe(found.hit);
        go_on(self.take(format!("{hit} {message:?} {place:?} {within:?}")))
    }
}

/// Reads a few bytes at a time. Fails at the end if their number is odd.
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

/// True if a call continues the call before it.
fn goes_on(call: Call, before: Option<Call>) -> bool {
    match call {
        Call::Here => before == Some(Call::Reset),
        Call::Feed => matches!(before, Some(Call::Feed | Call::Reset | Call::Begin)),
        // If the sink stopped a `finish`, the next call passes the hits that are
        // left.
        Call::Finish | Call::BreakOff => matches!(
            before,
            Some(Call::Feed | Call::Reset | Call::Begin | Call::Finish | Call::BreakOff)
        ),
        _ => false,
    }
}

/// Makes the calls of `steps` on one object. Some calls continue the call before
/// them, and all others start a new haystack. After each call, a fresh object
/// makes the calls from the last start on. Its last call must give the same hits.
pub fn compare<T>(
    steps: &[Step],
    fresh: impl Fn() -> T,
    call: impl Fn(&mut T, &Step) -> Vec<String>,
) {
    let mut used = fresh();
    let (mut since, mut before) = (0, None);
    for (i, step) in steps.iter().enumerate() {
        // Searching a value does not change the object.
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
        assert_eq!(hits, expected, "call {i}, from {since}");
    }
}

pub fn extract(extractor: &mut Stream, (call, bytes, enough): &Step) -> Vec<String> {
    let mut found = Answer::new(*enough);
    let mut sink = |hit: &Hit| go_on(found.take(describe(hit)));
    match call {
        Call::Iter => {
            for hit in extractor.find_iter(bytes) {
                if !found.take(describe(&hit)) {
                    break;
                }
            }
        }
        Call::Slice => {
            extractor.reset(0, 1);
            let _ = extractor.search_here(bytes, &mut sink);
        }
        Call::Here => drop(extractor.search_here(bytes, &mut sink)),
        Call::Reader => {
            let fails = bytes.len() % 2 == 1;
            drop(extractor.search_reader(Slow(bytes, fails), &mut sink));
        }
        Call::Value => drop(extractor.search_value(bytes, false, &mut sink)),
        Call::Reset => extractor.reset(bytes.len() as u64, 7),
        Call::Feed => drop(extractor.feed(bytes, &mut sink)),
        Call::Finish => drop(extractor.finish(&mut sink)),
        Call::BreakOff => drop(extractor.break_off(&mut sink)),
        Call::Begin | Call::Search | Call::Message => unreachable!("a call of a searcher"),
    }
    found.hits
}

pub fn search(searcher: &mut Searcher, (call, bytes, enough): &Step) -> Vec<String> {
    let mut found = Answer::new(*enough);
    let containers = [
        Container::Text,
        Container::Message,
        Container::Wire,
        Container::Rnews,
        sniff(
            b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n",
            true,
            ReadAs::Auto,
        ),
    ];
    let container = containers[bytes.len() % containers.len()];
    match call {
        Call::Begin => searcher.begin(container, Position::START),
        Call::Feed => drop(searcher.feed(bytes, &mut found)),
        Call::Finish => drop(searcher.finish(&mut found)),
        Call::BreakOff => drop(searcher.break_off(&mut found)),
        Call::Search => drop(searcher.search(container, Position::START, bytes, &mut found)),
        Call::Message => drop(searcher.visit_message(bytes, &mut found)),
        Call::Reader => {
            let fails = bytes.len() % 2 == 1;
            drop(searcher.visit_reader(Slow(bytes, fails), ReadAs::Auto, &mut found));
        }
        _ => unreachable!("a call of an extractor"),
    }
    found.hits
}
