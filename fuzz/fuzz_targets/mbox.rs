//! The splitter of streams into messages: how the stream is to be read in the
//! first byte, the size of chunks in the second.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/messages.rs"]
mod messages;

use libfuzzer_sys::fuzz_target;

use urlgrep::mail::As;

fuzz_target!(|data: &[u8]| {
    let [hint, size, stream @ ..] = data else {
        return;
    };
    let hints = [As::Auto, As::Mbox, As::Message, As::Rnews, As::Text];
    let hint = hints[*hint as usize % hints.len()];
    messages::split_is_independent_of_chunks(hint, stream, &[1 + *size as usize]);
});
