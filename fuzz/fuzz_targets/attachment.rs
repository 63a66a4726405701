//! A file that is attached to a message: an archive, an office document, a message, or text.
//! The rows do not depend on chunks, and each is verified on the message. The first byte is
//! the size of the chunks.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/records.rs"]
mod records;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let [size, file @ ..] = data {
        records::attachment_is_confirmed(file, &[1 + *size as usize]);
    }
});
