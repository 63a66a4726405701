//! Random public calls on one object. The first byte selects the object and its
//! options. The next two bytes are a call and the length of its argument, divided
//! by 4. The argument follows, then the next call.

#![no_main]

#[path = "../../tests/common/calls.rs"]
mod calls;

use libfuzzer_sys::fuzz_target;

use calls::{EXTRACTOR, SEARCHER, Step, compare, extract, search};
use urlgrep::search::Searcher;
use urlgrep::{Extractor, Profile};

fuzz_target!(|data: &[u8]| {
    let [options, rest @ ..] = data else {
        return;
    };
    let is_searcher = options & 1 == 1;
    let known = if is_searcher { SEARCHER } else { EXTRACTOR };
    let mut steps: Vec<Step> = Vec::new();
    let mut rest = rest;
    // A step repeats the steps before it, so the cost is quadratic.
    while let ([call, len, after @ ..], true) = (rest, steps.len() < 12) {
        let len = (*len as usize * 4).min(after.len());
        let (bytes, after) = after.split_at(len);
        // The quotient is the number of hits after which the caller stops. Any
        // quotient but 1, 2 and 3 means no limit.
        let enough = match *call as usize / known.len() {
            n @ 1..4 => n,
            _ => usize::MAX,
        };
        steps.push((known[*call as usize % known.len()], bytes.to_vec(), enough));
        rest = after;
    }
    if is_searcher {
        let options = Searcher::builder().message_ends(options & 2 == 2);
        compare(&steps, || options.build(), search);
    } else {
        let lines = options & 2 == 2;
        let builder = Extractor::builder()
            .profile(Profile::Current)
            .line_numbers(lines);
        compare(&steps, || builder.build().stream(), extract);
    }
});
