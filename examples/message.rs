//! The URLs of one message, each with its role:
//!
//!     cargo run --no-default-features --features search --example message < MESSAGE

use std::io::{self, Read};
use std::ops::ControlFlow;

use urlgrep::search::Searcher;

/// A line for each URL of a message: its role, and the URL.
pub fn urls(message: &[u8]) -> String {
    let mut lines = String::new();
    Searcher::default().search_message(message, |m| {
        let role = m.role().map_or("text", |role| role.name());
        lines.push_str(&format!("{role}\t{}\n", m.hit));
        ControlFlow::Continue(())
    });
    lines
}

#[allow(dead_code, reason = "the tests call `urls`")]
fn main() -> io::Result<()> {
    let mut message = Vec::new();
    io::stdin().read_to_end(&mut message)?;
    print!("{}", urls(&message));
    Ok(())
}
