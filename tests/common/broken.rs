//! A cut input gives no URL that the whole input does not have, as plain
//! functions.

use std::collections::HashMap;
use std::io::{self, Read};
use std::ops::ControlFlow;

use urlgrep::mail::ReadAs;
use urlgrep::search::{Match, Searcher, SearcherBuilder, Visitor};
use urlgrep::url::Rule;

use super::properties::describe_hit;

/// A reader that returns `step` bytes at a time, and then an error.
pub struct Failing<'a> {
    pub bytes: &'a [u8],
    pub step: usize,
}

impl Read for Failing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.step.min(buffer.len()).min(self.bytes.len());
        if n == 0 {
            return Err(io::Error::other("unreadable"));
        }
        buffer[..n].copy_from_slice(&self.bytes[..n]);
        self.bytes = &self.bytes[n..];
        Ok(n)
    }
}

/// All hits, rejects of the grammar included, and the number of hits that were
/// refused because the input ended.
#[derive(Default)]
pub struct Reported {
    pub hits: Vec<String>,
    pub ended: usize,
}

impl Visitor for Reported {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        if matches!(found.hit.url(), Err(reject) if reject.rule == Rule::InputEnded) {
            self.ended += 1;
            return ControlFlow::Continue(());
        }
        self.hits.push(format!(
            "{} line {:?} part {:?} header {:?} role {:?} at {:?}",
            describe_hit(found.hit),
            found.line(),
            found.part(),
            found
                .header()
                .map(<[u8]>::escape_ascii)
                .map(|h| h.to_string()),
            found.role(),
            found.source().map(|place| place.span()),
        ));
        ControlFlow::Continue(())
    }
}

/// Hits and rejects.
pub fn with_rejects() -> SearcherBuilder {
    Searcher::builder().extractor(urlgrep::Extractor::builder().rejects(true))
}

/// Searches `bytes` to their end, or to the error after them.
pub fn search(bytes: &[u8], hint: ReadAs, broken: bool) -> Reported {
    search_with(&mut with_rejects().build(), bytes, hint, broken)
}

pub fn search_with(searcher: &mut Searcher, bytes: &[u8], hint: ReadAs, broken: bool) -> Reported {
    let mut found = Reported::default();
    let failing = Failing { bytes, step: 4096 };
    let result = if broken {
        searcher.visit_reader(failing, hint, &mut found)
    } else {
        searcher.visit_reader(bytes, hint, &mut found)
    };
    assert_eq!(result.is_err(), broken);
    found
}

/// Every hit of a cut input is a hit of the whole input. It does not occur more
/// often in the cut input than in the whole input.
pub fn check(name: &str, bytes: &[u8], hint: ReadAs, cuts: impl Iterator<Item = usize>) {
    let mut searcher = with_rejects().build();
    let mut whole: HashMap<String, usize> = HashMap::new();
    for hit in search_with(&mut searcher, bytes, hint, false).hits {
        *whole.entry(hit).or_default() += 1;
    }
    for cut in cuts {
        let mut left = whole.clone();
        for hit in search_with(&mut searcher, &bytes[..cut], hint, true).hits {
            let number = left.entry(hit.clone()).or_default();
            assert!(
                *number > 0,
                "{name}, cut at {cut}: {hit}\nafter {}",
                bytes[cut.saturating_sub(200)..cut].escape_ascii()
            );
            *number -= 1;
        }
    }
}
