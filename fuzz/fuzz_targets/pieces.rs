//! Pieces of a file. The first six bytes are three cuts. The seventh byte says how
//! often the rest is repeated, so that the file is large enough to cut.

#![no_main]

#[path = "../../tests/common/pieces.rs"]
mod pieces;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [a, b, c, d, e, f, times, text @ ..] = data else {
        return;
    };
    let text = text.repeat(1 + *times as usize % 32);
    let cuts = [[*a, *b], [*c, *d], [*e, *f]].map(|pair| u64::from(u16::from_be_bytes(pair)));
    pieces::pieces_give_the_whole(&text, &cuts);
});
