//! The scanner. The result does not depend on chunks, and readings replay. The
//! first byte determines the size of the chunks. The second byte determines the
//! maximum length of a URL.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/properties/mod.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let [size, max, text @ ..] = data else { return };
    let url_max = if max % 4 == 0 {
        16 + *max as usize
    } else {
        8192
    };
    // Small chunks, and some that are longer than the lookbehind.
    let size = *size as usize;
    properties::scan_is_independent_of_chunks(text, &[1 + size, 1 + 20 * size], url_max);
    properties::readings_replay(text, url_max);
});
