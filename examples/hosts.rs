//! Counts the hosts of rows that `urlgrep --json` printed:
//!
//!     urlgrep --json DIR | cargo run --no-default-features --features record --example hosts

use std::collections::BTreeMap;
use std::io::{self, Write};

use urlgrep::record::jsonl::{ReadErrorKind, Reader};

fn main() -> io::Result<()> {
    let mut hosts: BTreeMap<String, u64> = BTreeMap::new();
    for row in Reader::new(io::stdin().lock()) {
        match row {
            Ok(row) if row.r#type == "hit" => {
                *hosts.entry(row.host.unwrap_or_default()).or_default() += 1;
            }
            Ok(_) => {}
            // A line that is no row is named, and the others are counted.
            Err(error) => match error.kind {
                ReadErrorKind::Io(error) => return Err(error),
                _ => eprintln!("{error}"),
            },
        }
    }
    let mut out = io::stdout().lock();
    for (host, count) in hosts {
        writeln!(out, "{count}\t{host}")?;
    }
    Ok(())
}
