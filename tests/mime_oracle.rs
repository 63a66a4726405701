//! Compares the decoded text of real messages with what mail-parser makes of
//! them. Reads the folder that URLGREP_CORPUS names (its `mime`, and what
//! else holds one message a file); does nothing without it.
//!
//! Differences are listed in `testdata/mime/known-differences.toml` with the
//! reason for each. One that is not listed fails, and so does a listed one
//! that is no more.

#![cfg(feature = "mail")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use mail_parser::{Message, MessageParser, MimeHeaders, PartType};
use serde::Deserialize;
use urlgrep::mail::mime::{
    HeaderPolicy, MailSink, MessageMeta, PartEnd, PartInfo, PartKind, Walker, WalkerConfig,
};
use urlgrep::span::SourceMap;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    difference: Vec<Difference>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    /// Why the two differ; said once for all files it holds for.
    reason: String,
    /// Paths below the corpus folder.
    files: Vec<String>,
}

/// The text of a part, or of an attribute.
#[derive(Clone, Debug, PartialEq)]
struct Text {
    path: String,
    text: String,
}

#[derive(Default)]
struct Collect {
    open: Vec<(String, bool, Vec<u8>)>,
    texts: Vec<Text>,
}

impl MailSink for Collect {
    fn part_start(&mut self, part: &PartInfo<'_>) {
        // mail-parser drops the text around the parts of a multipart, and
        // gives an attachment's bytes undecoded; both are compared elsewhere.
        let compared = matches!(
            part.kind,
            PartKind::Body | PartKind::HtmlText | PartKind::HtmlLink { .. }
        ) && part.content_type.starts_with("text/")
            && !part.attachment;
        self.open.push((part.path.into(), compared, vec![]));
    }

    fn text(&mut self, bytes: &[u8], _map: &SourceMap) {
        self.open.last_mut().unwrap().2.extend_from_slice(bytes);
    }

    fn part_end(&mut self, _end: PartEnd) {
        let (path, compared, text) = self.open.pop().unwrap();
        let text = String::from_utf8_lossy(&text).replace('\r', "");
        let text = text
            .trim_end()
            .trim_start_matches(['\n', '\u{FEFF}'])
            .to_string();
        if compared && !text.is_empty() {
            self.texts.push(Text { path, text });
        }
    }
}

fn walk(raw: &[u8]) -> Vec<Text> {
    let mut walker = Walker::new(WalkerConfig::default().headers(HeaderPolicy::None));
    let mut sink = Collect::default();
    walker.message(MessageMeta::default());
    walker.feed(raw, 0, &mut sink);
    walker.finish(&mut sink);
    sink.texts
}

/// The texts that mail-parser finds. It knows nothing of flowed text, files in
/// text, or tags, so its decoded text goes through that last step of ours.
fn oracle(message: &Message<'_>, out: &mut Vec<Text>) {
    for part in &message.parts {
        let file = part
            .content_disposition()
            .is_some_and(|d| d.ctype().eq_ignore_ascii_case("attachment"));
        let (text, subtype) = match &part.body {
            PartType::Text(text) if !file => (text, "plain"),
            PartType::Html(text) if !file => (text, "html"),
            PartType::Message(inner) => {
                oracle(inner, out);
                continue;
            }
            _ => continue,
        };
        let mut wrapped = format!("Content-Type: text/{subtype}; charset=utf-8");
        if let Some(t) = part.content_type().filter(|_| subtype == "plain") {
            for name in ["format", "delsp"] {
                if let Some(value) = t.attribute(name) {
                    write!(wrapped, "; {name}={value}").unwrap();
                }
            }
        }
        wrapped += "\n\n";
        wrapped += text;
        out.extend(walk(wrapped.as_bytes()));
    }
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

/// One message: some fields that messages have, and no mailbox.
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

/// Where two lists of texts begin to differ.
fn first_difference(ours: &[Text], theirs: &[Text]) -> Option<String> {
    let same = |(a, b): (&Text, &Text)| a.text == b.text;
    let at = ours.iter().zip(theirs).take_while(|&p| same(p)).count();
    if at == ours.len() && at == theirs.len() {
        return None;
    }
    let text = |t: Option<&Text>| t.map_or(String::new(), |t| t.text.clone());
    let (a, b) = (text(ours.get(at)), text(theirs.get(at)));
    let start = a.chars().zip(b.chars()).take_while(|(x, y)| x == y).count();
    let show = |t: &str| -> String { t.chars().skip(start.saturating_sub(20)).take(70).collect() };
    Some(format!(
        "{} and {} texts, part {}, character {start}\n  ours   {:?}\n  theirs {:?}",
        ours.len(),
        theirs.len(),
        ours.get(at).map_or("-", |t| &t.path),
        show(&a),
        show(&b)
    ))
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
    let (mut compared, mut texts) = (0, 0);
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
        oracle(&message, &mut theirs);
        compared += 1;
        texts += ours.len();
        match (first_difference(&ours, &theirs), reasons.remove(&name)) {
            (None, None) | (Some(_), Some(_)) => {}
            (None, Some(_)) => writeln!(failed, "{name}: listed, but they agree").unwrap(),
            (Some(d), None) => writeln!(failed, "{name}: {d}").unwrap(),
        }
    }
    for name in reasons.keys() {
        writeln!(failed, "{name}: listed, but not in the corpus").unwrap();
    }
    println!("{compared} messages, {texts} texts");
    assert!(compared > 500, "only {compared} messages in the corpus");
    assert!(failed.is_empty(), "\n{failed}");
}
