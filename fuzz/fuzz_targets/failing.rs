//! A reader that fails. The first two bytes of the input are the place of the
//! failure. The third byte is the way of reading.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/broken.rs"]
mod broken;
#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/properties/mod.rs"]
mod properties;

use libfuzzer_sys::fuzz_target;

use urlgrep::mail::ReadAs;

fuzz_target!(|data: &[u8]| {
    let [high, low, read_as, text @ ..] = data else {
        return;
    };
    let hint = [ReadAs::Auto, ReadAs::Text, ReadAs::Message][*read_as as usize % 3];
    let place = u16::from_be_bytes([*high, *low]) as usize % (text.len() + 1);
    broken::check("input", text, hint, [place, text.len()].into_iter());
});
