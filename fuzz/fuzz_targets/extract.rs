//! The extractor. The first byte has the options, the second the size of chunks.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/properties/mod.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

use urlgrep::{Extractor, Hyphen, Profile};

fuzz_target!(|data: &[u8]| {
    let [options, size, text @ ..] = data else {
        return;
    };
    let profile = Profile::ALL[*options as usize % Profile::ALL.len()];
    let hyphen = if options & 64 == 0 {
        Hyphen::Keep
    } else {
        Hyphen::Drop
    };
    let builder = Extractor::builder()
        .profile(profile)
        .hyphen(hyphen)
        .join(options & 128 != 0);
    let size = *size as usize;
    properties::hits_are_independent_of_chunks(builder, text, &[1 + size, 1 + 20 * size]);
    // A hit of this profile is what a browser makes of the text, so its segments do not
    // give it.
    if profile != Profile::Whatwg {
        properties::hits_replay(profile, text);
    }
    properties::ground_cuts_change_nothing(builder, text);
});
