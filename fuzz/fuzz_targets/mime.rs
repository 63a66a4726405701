//! The walker over the parts of a message: the size of chunks in the first
//! byte.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/messages.rs"]
mod messages;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [size, message @ ..] = data else { return };
    messages::walk_is_independent_of_chunks(message, &[1 + *size as usize]);
});
