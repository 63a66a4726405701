//! Prints the URLs of standard input, with the library alone:
//!
//!     cargo run --no-default-features --example urls < FILE

use std::io::{self, Write};

use urlgrep::{Extractor, Hit, Profile};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut print = |hit: &Hit| -> io::Result<bool> {
        if hit.verdict().is_ok() {
            out.write_all(hit.url())?;
            out.write_all(b"\n")?;
        }
        Ok(true)
    };
    let mut extractor = Extractor::new(Profile::Current);
    extractor.search_reader(io::stdin().lock(), &mut print)?;
    out.flush()
}
