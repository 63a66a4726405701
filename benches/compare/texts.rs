//! The texts: files of two collections, or generated ones.

use std::fs;
use std::path::Path;

use urlgrep::mail::{Container, ReadAs, sniff};
use urlgrep_containers::Dialect;

use crate::common::{self, TEXTS};

/// The line before a message that has none.
const SEPARATOR: &[u8] = b"From compare Thu Jan  1 00:00:00 1998\n";

/// Further texts: a name, and files or folders. `corpus2` is the second
/// collection, beside the first one.
const MORE: [(&str, &[&str]); 4] = [
    (
        "outlook",
        &[
            "../corpus2/mail/usrp-users-1.mbox",
            "../corpus2/mail/usrp-users-2.mbox",
            "../corpus2/mail/usrp-users-3.mbox",
            "../corpus2/mail/usrp-users-4.mbox",
            "../corpus2/mail/usrp-users-5.mbox",
        ],
    ),
    (
        QUOTED_PRINTABLE,
        &["../corpus2/mail", "mail/linux-hams.mbox"],
    ),
    ("cobol", &["../corpus2/news"]),
    ("pipermail", &["list/pipermail", "../corpus2/list/rlists"]),
];

/// The text of the messages with quoted-printable and without HTML.
const QUOTED_PRINTABLE: &str = "quoted-printable";

/// Everything except the RFCs, which are no messages.
const MAIL: [&str; 6] = [
    "news",
    "list",
    "mail",
    "../corpus2/news",
    "../corpus2/list/rlists",
    "../corpus2/mail",
];

pub struct Text {
    pub name: &'static str,
    /// An mbox, or text without messages.
    pub bytes: Vec<u8>,
}

impl Text {
    /// True for mail whose messages are mostly HTML.
    pub fn is_html(&self) -> bool {
        ["spamassassin", "outlook"].contains(&self.name)
    }
}

/// All texts. The last one is a mixture.
pub fn all(corpus: Option<&Path>) -> Vec<Text> {
    let Some(corpus) = corpus else {
        let samples = common::generated(4 << 20).into_iter();
        let texts = samples.map(|s| Text {
            name: s.name,
            bytes: s.bytes,
        });
        let mail = Text {
            name: "mail",
            bytes: common::mailbox(4 << 20),
        };
        return texts.chain([mail]).collect();
    };
    let texts = MORE.iter().chain(TEXTS);
    texts
        .map(|&(name, files)| Text {
            name,
            bytes: load(corpus, name, files),
        })
        .collect()
}

fn load(corpus: &Path, name: &str, files: &[&str]) -> Vec<u8> {
    let bytes = mailbox(corpus, files);
    if name != QUOTED_PRINTABLE {
        return bytes;
    }
    let has = |message: &[u8], words: &[u8]| {
        let mut windows = message.windows(words.len());
        windows.any(|window| window.eq_ignore_ascii_case(words))
    };
    let wanted = |message: &&[u8]| {
        has(message, b"transfer-encoding: quoted-printable") && !has(message, b"text/html")
    };
    pieces(&bytes)
        .into_iter()
        .filter(wanted)
        .flatten()
        .copied()
        .collect()
}

/// The files, concatenated in the order of their names. The text has one kind of
/// separators, because the first one decides which lines separate messages. So a
/// file with one message gets a separator, and the line `From ...` is replaced.
fn mailbox(corpus: &Path, files: &[&str]) -> Vec<u8> {
    let mut text = Vec::new();
    for path in common::paths(corpus, files) {
        let bytes = fs::read(path).unwrap_or_default();
        let container = sniff(&bytes, true, ReadAs::Auto);
        if container == Container::Mbox(Dialect::Dots) {
            for piece in pieces(&bytes) {
                text.extend_from_slice(SEPARATOR);
                text.extend_from_slice(without_separator(piece));
            }
        } else {
            if container == Container::Message && !bytes.starts_with(b"From ") {
                text.extend_from_slice(SEPARATOR);
            }
            text.extend_from_slice(&bytes);
        }
        text.extend_from_slice(if text.ends_with(b"\n") {
            b"\n"
        } else {
            b"\n\n"
        });
    }
    text
}

/// Every n-th message of the mail and news of both collections: at most about
/// `max` bytes. Without a collection, generated messages.
pub fn sample(corpus: Option<&Path>, max: usize) -> Vec<u8> {
    let Some(corpus) = corpus else {
        return common::mailbox(max);
    };
    let text = mailbox(corpus, &MAIL);
    let step = text.len().div_ceil(max).max(1);
    pieces(&text)
        .into_iter()
        .step_by(step)
        .flatten()
        .copied()
        .collect()
}

/// The parts of an mbox, cut before each line that starts with `From `. None if it
/// does not start with such a line.
pub fn pieces(text: &[u8]) -> Vec<&[u8]> {
    if !text.starts_with(b"From ") {
        return Vec::new();
    }
    let mut cuts = vec![0];
    cuts.extend(memchr::memmem::find_iter(text, b"\nFrom ").map(|at| at + 1));
    cuts.push(text.len());
    cuts.windows(2)
        .map(|pair| &text[pair[0]..pair[1]])
        .collect()
}

/// The messages of an mbox, without their separator lines.
pub fn messages(text: &[u8]) -> Vec<&[u8]> {
    pieces(text).into_iter().map(without_separator).collect()
}

fn without_separator(piece: &[u8]) -> &[u8] {
    &piece[memchr::memchr(b'\n', piece).map_or(0, |at| at + 1)..]
}
