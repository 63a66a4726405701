//! Compares the decoded text of messages with the text that mail-parser
//! decodes. The messages are rows of `testdata/mime`, generated messages, and
//! real messages. The real messages are in the folder `mime` of URLGREP_CORPUS,
//! and in other folders there that have one message a file. Without
//! URLGREP_CORPUS they are skipped.
//!
//! `testdata/mime/known-differences.toml` lists the differences, each with its
//! reason. A difference that is not listed fails. A listed one that does not
//! occur fails too.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use mail_parser::MessageParser;
use proptest::prelude::*;
use serde::Deserialize;

use crate::common::oracle::{self, first_difference, walk};
use crate::common::rows;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    difference: Vec<Difference>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    /// The reason for the difference, for all of `files`.
    reason: String,
    /// Paths below the corpus folder.
    files: Vec<String>,
}

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut entries: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, out);
        } else {
            out.push(path);
        }
    }
}

/// True if the file is one message: it has some header fields and is not a
/// mailbox.
fn is_message(raw: &[u8]) -> bool {
    const FIELDS: [&str; 8] = [
        "From:",
        "Date:",
        "Subject:",
        "Message-ID:",
        "Content-Type:",
        "MIME-Version:",
        "Received:",
        "To:",
    ];
    let head = &raw[..raw.len().min(8192)];
    let has = |f: &&&str| {
        head.split(|&b| b == b'\n')
            .any(|l| l.len() > f.len() && l[..f.len()].eq_ignore_ascii_case(f.as_bytes()))
    };
    let first = head.iter().position(|&b| b == b':').is_some_and(|i| {
        head[..i]
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || *b == b'-')
    });
    FIELDS.iter().filter(has).count() >= 2 && first
}

#[test]
fn agrees_with_mail_parser() {
    let Some(corpus) = std::env::var_os("URLGREP_CORPUS").map(PathBuf::from) else {
        return;
    };
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let known = manifest.join("testdata/mime/known-differences.toml");
    let known: Known = toml::from_str(&std::fs::read_to_string(known).unwrap()).unwrap();
    let mut reasons = BTreeMap::new();
    for d in &known.difference {
        assert!(!d.reason.is_empty());
        for f in &d.files {
            let twice = reasons.insert(f.clone(), &d.reason).is_some();
            assert!(!twice, "{f} is listed twice");
        }
    }
    let mut paths = vec![];
    for folder in [
        "mime",
        "mail/spamassassin",
        "list/cypherpunks-1995",
        "news/spool",
    ] {
        files(&corpus.join(folder), &mut paths);
    }
    let (mut compared, mut texts, mut in_order) = (0, 0, 0);
    let mut failed = String::new();
    for path in paths {
        let name = path.strip_prefix(&corpus).unwrap();
        let name = name.to_string_lossy().into_owned();
        let raw = std::fs::read(&path).unwrap();
        if !is_message(&raw) {
            continue;
        }
        let Some(message) = MessageParser::default().parse(&raw) else {
            continue;
        };
        let ours = walk(&raw);
        let mut theirs = vec![];
        oracle::oracle(&message, &mut theirs);
        compared += 1;
        texts += ours.len();
        let difference = first_difference(&ours, &theirs);
        let order = oracle::disorder(&raw).is_none();
        in_order += usize::from(order);
        if order && difference.is_some() {
            writeln!(failed, "{name}: well-formed, but decoded differently").unwrap();
        }
        match (difference, reasons.remove(&name)) {
            (None, None) | (Some(_), Some(_)) => {}
            (None, Some(_)) => writeln!(failed, "{name}: listed, but they agree").unwrap(),
            (Some(d), None) => writeln!(failed, "{name}: {d}").unwrap(),
        }
    }
    for name in reasons.keys() {
        writeln!(failed, "{name}: listed, but not in the corpus").unwrap();
    }
    println!("{compared} messages, {texts} texts, {in_order} well-formed");
    assert!(in_order > 200, "only {in_order} messages are well-formed");
    assert!(compared > 500, "only {compared} messages in the corpus");
    assert!(failed.is_empty(), "\n{failed}");
}

/// The rows of the decoder that are well-formed messages.
#[test]
fn well_formed_rows_are_decoded_alike() {
    let mut in_order = 0;
    for row in rows::messages() {
        let text = rows::unescape(&row.text);
        in_order += usize::from(oracle::decoded_as_by_mail_parser(&text).is_none());
    }
    assert!(in_order > 20, "{in_order}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Generated messages are well-formed, and mail-parser decodes them alike.
    #[test]
    fn generated_messages_are_decoded_alike(
        choices in proptest::collection::vec(any::<u8>(), 0..2000),
    ) {
        let message = oracle::message(&choices);
        let disorder = oracle::decoded_as_by_mail_parser(&message);
        // Random text may have these, which the two decoders read differently.
        let differ = [
            "a byte order mark of UTF-16",
            "an escape after the name of a parameter",
        ];
        prop_assert!(disorder.is_none_or(|class| differ.contains(&class)), "{disorder:?}");
    }
}
