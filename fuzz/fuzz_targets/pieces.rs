//! Pieces of a file. The first six bytes are three cuts. The seventh byte says how
//! often the rest is repeated, so that the file is large enough to cut. The rest alone, cut
//! at the same places, has the rows of the whole message, in all columns.

#![no_main]

#[path = "../../tests/common/pieces.rs"]
mod pieces;
#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/records.rs"]
mod records;

use libfuzzer_sys::fuzz_target;
use urlgrep::mail::ReadAs;
use urlgrep::search::Searcher;
use urlgrep::{Extractor, Form};

fuzz_target!(|data: &[u8]| {
    let [a, b, c, d, e, f, times, rest @ ..] = data else {
        return;
    };
    let text = rest.repeat(1 + *times as usize % 32);
    let cuts = [[*a, *b], [*c, *d], [*e, *f]].map(|pair| u64::from(u16::from_be_bytes(pair)));
    pieces::pieces_give_the_whole(&text, &cuts);
    let cuts = cuts.map(|cut| cut as usize);
    let extractor = Extractor::builder().forms(Form::ALL.iter().copied());
    for options in [
        Searcher::builder(),
        Searcher::builder().extractor(extractor),
    ] {
        let options = options.columns(true);
        records::cuts_make_no_difference(options, ReadAs::Message, rest, &cuts);
    }
});
