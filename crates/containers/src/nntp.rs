//! A captured session between a news server and a client.
//!
//! RFC 3977 §6.2: after `220 n message-id` comes an article, after `221` its
//! header, after `222` its body. Each ends with a line of one dot, and dots are
//! stuffed. All other bytes are talk, such as greetings, commands and lists.

use super::article::Dots;
use super::events::{ContainerNoteKind, ContainerSink, Out, Outside, Shape, View};
use super::lines::{Answer, LINE};
use urlgrep_base::digits::decimal;
use urlgrep_base::words::words;

/// Commands with which a capture may begin, if it includes the client's side.
const COMMANDS: [&str; 14] = words(
    "MODE CAPABILITIES AUTHINFO GROUP LISTGROUP LIST ARTICLE HEAD BODY STAT NEXT OVER XOVER DATE",
);

/// The part of an article that the line announces, if any:
/// `220 n <message-id>`.
fn article_line(line: &[u8]) -> Option<Shape> {
    let mut words = line
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty());
    let shape = shape_of(words.next()?)?;
    decimal(words.next()?)?;
    let id = words.next()?;
    (id.starts_with(b"<") && id.ends_with(b">")).then_some(shape)
}

fn shape_of(code: &[u8]) -> Option<Shape> {
    Some(match code {
        b"220" => Shape::Message,
        b"221" => Shape::Header,
        b"222" => Shape::Body,
        _ => return None,
    })
}

/// Whether `head` is the start of a session. It must begin with a reply or a
/// command, and announce an article on any line. `whole` means that no following
/// byte can change the answer.
pub(crate) fn is_session(head: &[u8], whole: bool) -> Answer<()> {
    let end = head.iter().position(u8::is_ascii_whitespace);
    let word = &head[..end.unwrap_or(head.len().min(LINE))];
    let begins = match end {
        Some(_) => {
            matches!(word, [b'1'..=b'5', b, c] if b.is_ascii_digit() && c.is_ascii_digit())
                || COMMANDS
                    .iter()
                    .any(|c| word.eq_ignore_ascii_case(c.as_bytes()))
        }
        // The first word may have more bytes after `head`.
        None => {
            word.len() < 4 && word.iter().all(u8::is_ascii_digit)
                || COMMANDS.iter().any(|c| {
                    c.get(..word.len())
                        .is_some_and(|c| word.eq_ignore_ascii_case(c.as_bytes()))
                })
        }
    };
    if !begins {
        return Answer::No;
    }
    let announced = head
        .split_inclusive(|&b| b == b'\n')
        .filter(|line| whole || line.ends_with(b"\n"))
        .any(|line| line.len() <= LINE && article_line(line).is_some());
    if announced {
        Answer::Yes(())
    } else {
        Answer::unless(whole)
    }
}

/// Splits a session into articles and talk.
#[derive(Debug)]
pub(crate) struct Session {
    /// True in an article, false in talk.
    in_article: bool,
    /// True if the next byte of the talk is the first of a line.
    at_line: bool,
    /// Reads the text of the article.
    dots: Dots,
}

impl Session {
    pub fn new() -> Session {
        Session {
            in_article: false,
            at_line: true,
            dots: Dots::new(false),
        }
    }

    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        let View { buf, base, eof } = view;
        let mut at = 0;
        while at < buf.len() {
            let rest = &buf[at..];
            let offset = base + at as u64;
            if self.in_article {
                let view = View {
                    buf: rest,
                    base: offset,
                    eof,
                };
                let (length, done) = self.dots.step(view, out);
                at += length;
                if !done {
                    break;
                }
                self.in_article = false;
                self.at_line = true;
                continue;
            }
            if self.at_line {
                match announcement(rest, eof) {
                    None => return at,
                    Some(Some((shape, length))) => {
                        out.start(&rest[..length], offset, shape);
                        at += length;
                        self.in_article = true;
                        self.dots.begin();
                        continue;
                    }
                    Some(None) => {}
                }
            }
            let end = memchr::memchr(b'\n', rest);
            self.at_line = end.is_some();
            let length = end.map_or(rest.len(), |end| end + 1);
            out.outside(&rest[..length], offset, Outside::Talk);
            at += length;
        }
        if eof && self.in_article {
            out.note(ContainerNoteKind::NoFinalDot, base + at as u64);
        }
        at
    }
}

/// The announcement at the start of `line`, and its length. `Some(None)` if
/// there is no announcement. `None` if more bytes are needed.
fn announcement(line: &[u8], eof: bool) -> Option<Option<(Shape, usize)>> {
    let code = &line[..line.len().min(3)];
    if code.len() < 3 {
        return (eof || !b"22".starts_with(&code[..code.len().min(2)])).then_some(None);
    }
    if shape_of(code).is_none() {
        return Some(None);
    }
    let window = &line[..line.len().min(LINE)];
    match memchr::memchr(b'\n', window) {
        Some(end) => Some(article_line(&line[..end]).map(|shape| (shape, end + 1))),
        None => (eof || window.len() == LINE).then_some(None),
    }
}
