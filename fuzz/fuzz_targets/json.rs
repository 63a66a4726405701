//! JSON, read back. With an even first byte the input is a text, a message or a
//! stream, whose records are printed and verified. With an odd one it is a line
//! that may be a record, followed by the source of the record.

#![no_main]

#[allow(dead_code, reason = "each target uses a part of it")]
#[path = "../../tests/common/records.rs"]
mod records;

use libfuzzer_sys::fuzz_target;

use urlgrep::mail::HeaderPolicy;
use urlgrep::mail::ReadAs;
use urlgrep::search::Searcher;
use urlgrep::{Extractor, Hyphen, Profile};

fuzz_target!(|data: &[u8]| {
    let [options, size, text @ ..] = data else {
        return;
    };
    if options & 1 == 1 {
        let end = text.iter().position(|&b| b == b'\n');
        let (line, rest) = text.split_at(end.unwrap_or(text.len()));
        records::any_line_is_answered(line, rest.strip_prefix(b"\n").unwrap_or_default());
        return;
    }
    let bit = |n: u32| options >> n & 1 == 1;
    let extractor = Extractor::builder()
        .profile(Profile::ALL[*size as usize % Profile::ALL.len()])
        .hyphen(if bit(3) { Hyphen::Drop } else { Hyphen::Keep })
        .join(bit(4));
    let headers = if bit(5) {
        HeaderPolicy::All
    } else {
        HeaderPolicy::Written
    };
    let options = Searcher::builder().extractor(extractor).headers(headers);
    match (bit(1), bit(2)) {
        (true, _) => {
            records::finds_are_confirmed(b"f", options, headers, text, |_, _| {});
        }
        (false, true) => {
            records::streams_are_confirmed(options, ReadAs::Auto, text, &[1 + *size as usize]);
        }
        (false, false) => {
            records::hits_are_confirmed(b"f", extractor, text, |_, _| {});
        }
    }
});
