//! Prints the URLs of standard input, with the library alone:
//!
//!     cargo run --no-default-features --example urls < FILE

use std::io::{self, Write};
use std::ops::ControlFlow;

use urlgrep::{Extractor, Profile};

fn main() -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    let mut printed = Ok(());
    let extractor = Extractor::new(Profile::Current);
    extractor.search_reader(io::stdin().lock(), |hit| {
        printed = writeln!(out, "{hit}");
        match printed {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    printed.and_then(|()| out.flush())
}
