//! A calendar or vCard. The parts and rows do not depend on chunks, and each row is verified. The first byte
//! is the size of the chunks.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/messages.rs"]
mod messages;
#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/records.rs"]
mod records;

use libfuzzer_sys::fuzz_target;

use urlgrep::mail::ReadAs;
use urlgrep::search::Searcher;
use urlgrep::{Extractor, Form};

fuzz_target!(|data: &[u8]| {
    let [size, text @ ..] = data else { return };
    let sizes = [1 + *size as usize];
    let message = [b"Subject: a\nContent-Type: text/calendar\n\n", text].concat();
    messages::walk_is_independent_of_chunks(&message, &sizes);
    let forms = Extractor::builder().forms(Form::ALL.iter().copied());
    let options = Searcher::builder().extractor(forms);
    records::streams_are_confirmed(options, ReadAs::Message, &message, &sizes);
});
