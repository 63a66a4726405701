//! Parses each message of mailboxes with mail-parser 1.0, which decodes a text only when it is
//! asked for. Prints the number of messages (`parse`), the bytes of their decoded texts (`texts`),
//! or the links that linkify finds in these (`links`):
//!
//!     parser1 parse|texts|links MAILBOX...

use linkify::{LinkFinder, LinkKind};
use mail_parser::MessageParser;

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let what = args.next().unwrap_or_default();
    let (parser, mut finder) = (MessageParser::default(), LinkFinder::new());
    finder.kinds(&[LinkKind::Url]);
    let mut sum = 0;
    for path in args {
        let bytes = std::fs::read(path)?;
        let ends = memchr::memmem::find_iter(&bytes, b"\nFrom ").map(|at| at + 1);
        let mut start = 0;
        for end in ends.chain([bytes.len()]) {
            let message = parser.parse(&bytes[start..end]);
            start = end;
            let texts = message.iter().flat_map(|message| message.parts());
            let texts = texts.filter_map(|part| part.text());
            sum += match &*what {
                "texts" => texts.map(|text| text.len()).sum(),
                "links" => texts.map(|text| finder.links(&text).count()).sum(),
                _ => usize::from(message.is_some()),
            };
        }
    }
    println!("{sum}");
    Ok(())
}
