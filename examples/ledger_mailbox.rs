//! Writes mailbox N of the measurement of growth in `benches/record`.
//!
//! ```sh
//! cargo run --release --example ledger_mailbox -- 0 > box0
//! ```
//!
//! A mailbox has 100,000 messages and 500,000 hits. 80 % of the hits have a new
//! URL, on one of 100,000 hosts. The others have one of the URLs of all earlier
//! messages: the popularity of a URL follows Zipf's law with exponent 1. With a
//! second argument all earlier URLs are equally popular.

use std::io::{BufWriter, Write};

const MESSAGES: u64 = 100_000;
/// The number of new URLs in a message.
const NEW: u64 = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let number: u64 = args.next().ok_or("the number of the mailbox")?.parse()?;
    let is_uniform = args.next().is_some();
    let mut out = BufWriter::new(std::io::stdout().lock());
    for message in number * MESSAGES..(number + 1) * MESSAGES {
        let (user, day, year) = (message % 5000, 1 + message / 1000 % 28, 1990 + number);
        write!(
            out,
            "From user{user}@b.example Thu Jan  1 00:00:00 1998\n\
             Message-ID: <{message}@b.example>\n\
             Date: {day} Jan {year} 10:00:00 +0000\n\
             From: User <user{user}@b.example>\n\
             Subject: letter {message}\n\
             Newsgroups: comp.example\n\n"
        )?;
        let new = message * NEW;
        for number in new..new + NEW {
            writeln!(out, "some words before {}", url(number))?;
        }
        let random = hash(!message) as f64 / u64::MAX as f64;
        let earlier = if is_uniform {
            new as f64 * random
        } else {
            (new as f64).powf(random)
        };
        writeln!(out, "\nsee also <{}>\nor not\n", url(earlier as u64))?;
    }
    Ok(out.flush()?)
}

fn url(number: u64) -> String {
    let random = hash(number);
    let (host, folder) = (random % 100_000, random >> 40);
    format!("http://www.host{host}.example/archive/{folder:x}/{number}.html")
}

/// The finalizer of SplitMix64.
fn hash(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}
