//! Counts the hosts of the rows that `urlgrep --json` printed:
//!
//!     urlgrep --json DIR | cargo run --no-default-features --features rows --example hosts

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use urlgrep::rows::json::{ReadErrorKind, Reader};

#[allow(dead_code, reason = "a test calls the function alone")]
fn main() -> io::Result<()> {
    hosts(io::stdin().lock(), io::stdout().lock())
}

/// Prints the number of hits of each host in `rows`.
pub fn hosts(rows: impl BufRead, mut out: impl Write) -> io::Result<()> {
    let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
    for row in Reader::new(rows) {
        match row {
            Ok(row) if row.r#type == "hit" => {
                *hosts.entry(row.host.unwrap_or_default()).or_default() += 1;
            }
            Ok(_) => {}
            // A line that is not a row is reported, and reading continues.
            Err(error) => match error.kind {
                ReadErrorKind::Io(error) => return Err(error),
                _ => eprintln!("{error}"),
            },
        }
    }
    for (host, count) in hosts {
        writeln!(out, "{count}\t{host}")?;
    }
    Ok(())
}
