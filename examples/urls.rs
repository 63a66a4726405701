//! Prints the URLs of standard input, with the library alone:
//!
//!     cargo run --no-default-features --example urls < FILE

use std::io::{self, Write};

use urlgrep::{Extractor, Hit, Profile};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut printed = Ok(());
    let mut print = |hit: &Hit| {
        printed = out
            .write_all(hit.text())
            .and_then(|()| out.write_all(b"\n"));
        printed.is_ok()
    };
    let extractor = Extractor::new(Profile::Current);
    extractor.search_reader(io::stdin().lock(), &mut print)?;
    printed.and_then(|()| out.flush())
}
