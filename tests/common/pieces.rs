//! A function that checks ranges. Any partition of a file into ranges must give
//! each hit once, with the offsets of the file.

use std::ops::ControlFlow;

use urlgrep::mail::ReadAs;
use urlgrep::ranges::{Encoding, describe, visit};
use urlgrep::search::{Match, Searcher, Visitor};
use urlgrep_unpack::UnpackFault;

/// The fields of hits that do not depend on the text before the range.
#[derive(Default)]
struct Urls(Vec<String>);

impl Visitor for Urls {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.0.push(format!(
            "{} {} at {:?} {:?} part {:?} role {:?} message at {:?}",
            found.hit.form().name(),
            found.hit.text().escape_ascii(),
            found.source().map(|place| place.span()),
            found.hit.url().is_ok(),
            found.part(),
            found.role(),
            found.message.map(|message| message.start),
        ));
        ControlFlow::Continue(())
    }
}

/// The ranges between `cuts` give the hits of the whole file. A packed file and UTF-16
/// are refused.
pub fn pieces_give_the_whole(bytes: &[u8], cuts: &[u64]) {
    let mut searcher = Searcher::default();
    let description = describe(bytes, ReadAs::Auto).expect("a slice has no errors");
    if description.encoding != Encoding::Plain {
        let mut found = Urls::default();
        let whole = visit(bytes, &description, 0..u64::MAX, &mut searcher, &mut found);
        assert!(whole.is_err() && found.0.is_empty());
        return;
    }
    let mut hits_of = |ranges: &[std::ops::Range<u64>]| {
        let mut found = Urls::default();
        for range in ranges {
            let visited = visit(
                bytes,
                &description,
                range.clone(),
                &mut searcher,
                &mut found,
            );
            // A limit of attachments is told after all has been searched. A slice has no other
            // errors.
            if let Err(error) = visited {
                assert!(UnpackFault::of(&error).is_some(), "{error}");
            }
        }
        found.0
    };
    let end = bytes.len() as u64;
    let mut ends: Vec<u64> = cuts.iter().map(|cut| cut % (end + 1)).collect();
    ends.push(end);
    ends.sort_unstable();
    let mut start = 0;
    let mut ranges = Vec::new();
    for end in ends {
        ranges.push(start..end);
        start = end;
    }
    assert_eq!(
        hits_of(&ranges),
        hits_of(std::slice::from_ref(&(0..end))),
        "{ranges:?}"
    );
}
