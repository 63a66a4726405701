//! The URLs of a string:
//!
//!     cargo run --no-default-features --example find

use urlgrep::{Extractor, Profile};

/// The URLs of a text, each with the number of its first line.
pub fn find(text: &str) -> Vec<(u64, String)> {
    let extractor = Extractor::new(Profile::Current);
    let hits = extractor.find_iter(text.as_bytes());
    hits.filter(|hit| hit.url().is_ok())
        .map(|hit| {
            let url = String::from_utf8_lossy(hit.text()).into_owned();
            (hit.line().unwrap_or(0), url)
        })
        .collect()
}

#[allow(dead_code, reason = "the tests call `find`")]
fn main() {
    let text = "The draft <URL:http://www.example.org/drafts/\nfields.html> is at www.\n";
    for (line, url) in find(text) {
        println!("{line}: {url}");
    }
}
