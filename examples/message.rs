//! The URLs of one message, each with its role:
//!
//!     cargo run --no-default-features --features mail --example message < MESSAGE

use std::io::{self, Read};

use urlgrep::search::{Match, Searcher, Visitor};

/// Prints hits into a string.
pub struct Print(pub String);

impl Visitor for Print {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        if found.hit.verdict().is_ok() {
            let role = found.role().map_or("text", |role| role.name());
            let url = String::from_utf8_lossy(found.hit.url());
            self.0.push_str(&format!("{role}\t{url}\n"));
        }
        true
    }
}

/// A line for each URL of a message: its role, and the URL.
pub fn urls(message: &[u8]) -> String {
    let mut print = Print(String::new());
    Searcher::default().search_message(message, &mut print);
    print.0
}

#[allow(dead_code, reason = "the tests call `urls`")]
fn main() -> io::Result<()> {
    let mut message = Vec::new();
    io::stdin().read_to_end(&mut message)?;
    print!("{}", urls(&message));
    Ok(())
}
