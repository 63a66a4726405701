//! The splitter of streams into messages. The first byte is the format of the
//! stream, the second the size of chunks.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/messages.rs"]
mod messages;

use libfuzzer_sys::fuzz_target;

use urlgrep::mail::ReadAs;

fuzz_target!(|data: &[u8]| {
    let [hint, size, stream @ ..] = data else {
        return;
    };
    let hints = [
        ReadAs::Auto,
        ReadAs::Mbox,
        ReadAs::Message,
        ReadAs::Rnews,
        ReadAs::Text,
    ];
    let hint = hints[*hint as usize % hints.len()];
    messages::split_is_independent_of_chunks(hint, stream, &[1 + *size as usize]);
});
