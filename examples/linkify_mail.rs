//! Prints the links that mail-parser and linkify find together in a message: one of the
//! peers of `benches/peers.py`. linkify reads each text as plain text, HTML too.
//!
//! ```text
//! cargo run --locked --release --example linkify_mail -- MESSAGE
//! ```

use linkify::{LinkFinder, LinkKind};
use mail_parser::{MessageParser, PartType};

fn print(finder: &LinkFinder, part: &PartType<'_>) {
    match part {
        PartType::Text(text) | PartType::Html(text) => {
            for link in finder.links(text) {
                println!("{}", link.as_str());
            }
        }
        PartType::Message(message) => {
            message
                .parts
                .iter()
                .for_each(|part| print(finder, &part.body));
        }
        _ => {}
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args_os()
        .nth(1)
        .ok_or("the path of a message is missing")?;
    let raw = std::fs::read(path)?;
    let message = MessageParser::new().parse(&raw).ok_or("no message")?;
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    message
        .parts
        .iter()
        .for_each(|part| print(&finder, &part.body));
    Ok(())
}
