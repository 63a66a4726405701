//! JSON, read as its strings, and tables, read as their fields. The first byte has the options, the
//! second the size of chunks. Any chunks give the same rows, and each row is verified.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/records.rs"]
mod records;

use libfuzzer_sys::fuzz_target;

use urlgrep::Extractor;
use urlgrep::mail::ReadAs;
use urlgrep::search::Searcher;

fuzz_target!(|data: &[u8]| {
    let [options, size, text @ ..] = data else {
        return;
    };
    let bit = |n: u32| options >> n & 1 == 1;
    let read_as = match (bit(0), bit(1)) {
        (false, false) => ReadAs::Json,
        (true, false) => ReadAs::Csv,
        _ => ReadAs::Auto,
    };
    let extractor = Extractor::builder()
        .rejects(bit(2))
        .join(!bit(3))
        .refang(bit(4));
    let options = Searcher::builder().extractor(extractor).columns(bit(5));
    let size = *size as usize;
    records::streams_are_confirmed(options, read_as, text, &[1 + size, 1 + 20 * size]);
});
