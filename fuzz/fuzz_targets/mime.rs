//! The walker over the parts of a message. The result does not depend on chunks.
//! A well-formed message is decoded as by mail-parser. The first byte determines
//! the size of the chunks. It also determines what the rest is: a message, or the
//! choices from which a message is generated.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/messages.rs"]
mod messages;

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/oracle.rs"]
mod oracle;

use std::borrow::Cow;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [size, rest @ ..] = data else { return };
    let message = match size {
        0..=0xBF => Cow::from(rest),
        _ => Cow::from(oracle::message(rest)),
    };
    messages::walk_is_independent_of_chunks(&message, &[1 + *size as usize]);
    oracle::decoded_as_by_mail_parser(&message);
});
