//! The grammar. The first byte is the profile. A string follows, and after it
//! perhaps a line feed (which no URL contains) and a partial form.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/properties/mod.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

use urlgrep::Profile;

fuzz_target!(|data: &[u8]| {
    let [profile, text @ ..] = data else { return };
    let profile = Profile::ALL[*profile as usize % Profile::ALL.len()];
    let mut lines = text.splitn(2, |&b| b == b'\n');
    let url = lines.next().unwrap_or_default();
    if profile == Profile::Whatwg {
        // A crate judges, and changes the text, so only its bounds are tested here.
        let _ = urlgrep::url::validate(profile, url);
    } else {
        properties::url_keeps_its_promises(profile, url);
    }
    if let Some(partial) = lines.next() {
        properties::resolve_answers(profile, url, partial);
    }
});
