//! Runs the rows of `testdata/mime/*.toml`. Each message is run with LF and
//! with CRLF, whole and in chunks of several sizes. Every byte of decoded text
//! is mapped to the source.

mod check;
mod chunks;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;
use urlgrep_base::span::SourceMap;
use urlgrep_mail::mime::*;

use self::check::{Seen, walk};
use crate::common::rows::{self, unescape};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The origin of the case.
    source: String,
    #[serde(default)]
    why: String,
    /// The message. After TOML, `\xNN`, `\n`, `\r`, `\t`, `\f` and `\\` are
    /// decoded.
    text: String,
    /// `none` (the default here), `auto` or `all`.
    #[serde(default)]
    headers: String,
    /// Also run the row with CRLF instead of LF.
    #[serde(default = "yes")]
    crlf: bool,
    #[serde(default)]
    notes: Vec<String>,
    #[serde(default)]
    info: BTreeMap<String, String>,
    #[serde(default)]
    part: Vec<Expected>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    path: String,
    /// `body`, `attachment`, `html`, `preamble`, `epilogue`, `binary`,
    /// `header Name`, `link N element attribute`.
    kind: String,
    #[serde(default)]
    text: String,
    /// The number of bytes of the text without a place in the source.
    #[serde(default)]
    opaque: usize,
    /// The kinds of the seams, in order. Adjacent seams of the same kind count
    /// once.
    seams: Option<Vec<String>>,
    /// For each of these strings, the role of the place where it starts.
    #[serde(default)]
    roles: BTreeMap<String, String>,
    /// The places where the link of the text changes: `N@offset`. From the
    /// offset on, the text belongs to link N. `-` means no link.
    anchors: Option<Vec<String>>,
    /// The line of the part.
    line: Option<u64>,
    /// The name of the file in which the part is.
    file: Option<String>,
}

fn yes() -> bool {
    true
}

fn without_cr(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|&b| b != b'\r').collect()
}

fn with_crlf(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &b in bytes {
        if b == b'\n' && out.last() != Some(&b'\r') {
            out.push(b'\r');
        }
        out.push(b);
    }
    out
}

fn kebab(camel: &str) -> String {
    let mut out = String::new();
    for c in camel.chars() {
        if c.is_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.extend(c.to_lowercase());
    }
    out
}

impl Row {
    fn policy(&self) -> HeaderPolicy {
        match &self.headers[..] {
            "" => HeaderPolicy::None,
            name => HeaderPolicy::from_name(name)
                .unwrap_or_else(|| panic!("{}: headers = {name:?}", self.name)),
        }
    }

    /// A description of the differences from the expectation of the row.
    fn differences(&self, parts: &[Seen], notes: &[MessageNoteKind], info: &MessageInfo) -> String {
        let mut out = String::new();
        let notes: Vec<_> = notes.iter().map(|n| kebab(&format!("{n:?}"))).collect();
        if notes != self.notes {
            writeln!(out, "notes {notes:?}, expected {:?}", self.notes).unwrap();
        }
        for (key, value) in &self.info {
            let got = match &key[..] {
                "message-id" => info.message_id().to_vec(),
                "date" => info.date().map_or(vec![], |d| d.to_string().into()),
                "from" => info.from().to_vec(),
                "subject" => info.subject().to_vec(),
                "newsgroups" => info.newsgroups().to_vec(),
                "list-id" => info.list_id().to_vec(),
                _ => panic!("{}: info.{key}", self.name),
            };
            if got != unescape(value) {
                writeln!(out, "{key}: {:?}", String::from_utf8_lossy(&got)).unwrap();
            }
        }
        for (got, want) in parts.iter().zip(&self.part) {
            let text = unescape(&want.text);
            let show = |b: &[u8]| b.escape_ascii().to_string();
            let got_text = without_cr(&got.text);
            if got.path != want.path || got.kind != want.kind || got_text != without_cr(&text) {
                writeln!(
                    out,
                    "got  {} {}: {}\nwant {} {}: {}",
                    got.path,
                    got.kind,
                    show(&got_text),
                    want.path,
                    want.kind,
                    show(&text)
                )
                .unwrap();
                continue;
            }
            if got.opaque != want.opaque {
                writeln!(out, "{}: {} bytes are opaque", got.path, got.opaque).unwrap();
            }
            let seams: Vec<_> = got.seams.iter().map(|s| kebab(s)).collect();
            if want.seams.as_ref().is_some_and(|s| *s != seams) {
                writeln!(out, "{}: seams {seams:?}", got.path).unwrap();
            }
            if want.line.is_some_and(|line| line != got.line) {
                writeln!(out, "{}: line {}", got.path, got.line).unwrap();
            }
            if want.file.as_ref().is_some_and(|name| *name != got.file) {
                writeln!(out, "{}: in the file {:?}", got.path, got.file).unwrap();
            }
            if want.anchors.as_ref().is_some_and(|a| *a != got.anchors) {
                writeln!(out, "{}: anchors {:?}", got.path, got.anchors).unwrap();
            }
            for (place, role) in &want.roles {
                let at = got
                    .text
                    .windows(place.len())
                    .position(|w| w == place.as_bytes())
                    .unwrap_or_else(|| panic!("{}: no {place:?}", self.name));
                let is = match got.roles[at] {
                    Role::Quoted(n) => format!("quoted {n}"),
                    r => r.name().to_string(),
                };
                if is != *role {
                    writeln!(out, "{}: {place} is {is}", got.path).unwrap();
                }
            }
        }
        for p in parts.iter().skip(self.part.len()) {
            let text = p.text.escape_ascii();
            writeln!(out, "not expected: {} {}: {text}", p.path, p.kind).unwrap();
        }
        for p in self.part.iter().skip(parts.len()) {
            writeln!(out, "missing: {} {}", p.path, p.kind).unwrap();
        }
        out
    }
}

fn rows() -> Vec<Row> {
    let files = rows::files("mime").into_iter();
    files
        .filter(|path| !path.ends_with("known-differences.toml"))
        .flat_map(|path| rows::read_rows(&path))
        .collect()
}

#[test]
fn rows_of_testdata() {
    let rows = rows();
    assert!(rows.len() >= 100, "only {} rows", rows.len());
    let mut names: Vec<_> = rows.iter().map(|r| &r.name).collect();
    names.sort();
    assert!(
        names.windows(2).all(|w| w[0] != w[1]),
        "names are not unique"
    );
    let mut failed = String::new();
    for row in rows.iter().filter(|r| rows::wanted(&r.name)) {
        assert!(!row.source.is_empty(), "{}: no source", row.name);
        let lf = unescape(&row.text);
        let mut forms = vec![("LF", lf.clone())];
        if row.crlf {
            forms.push(("CRLF", with_crlf(&lf)));
        }
        let mut walker = Walker::builder().headers(row.policy()).build();
        for (form, raw) in forms {
            for size in [usize::MAX, 1, 2, 3, 7, 64] {
                let (parts, notes, info) = walk(&mut walker, &raw, size.min(raw.len().max(1)));
                let differences = row.differences(&parts, &notes, &info);
                if !differences.is_empty() {
                    writeln!(
                        failed,
                        "--- {} ({form}, {size})\n{differences}{}",
                        row.name, row.why
                    )
                    .unwrap();
                    break;
                }
            }
        }
    }
    assert!(failed.is_empty(), "\n{failed}");
}

/// The map of a long text covers its last bytes that the sink needs, and drops
/// earlier ones.
#[test]
fn maps_reach_back_a_bounded_distance() {
    #[derive(Default)]
    struct Sink {
        end: u64,
        forgot: bool,
        settles: bool,
    }
    impl MailSink for Sink {
        fn part_start(&mut self, _: &PartInfo<'_>) {}
        fn text(&mut self, bytes: &[u8], map: &SourceMap) {
            let start = self.end;
            self.end += bytes.len() as u64;
            assert_eq!(map.text_end(), self.end);
            let reach = if self.settles { 1 } else { MAP_REACH };
            assert!(map.line_delta(start.saturating_sub(reach)).is_some());
            // An entry has at most six bytes.
            assert!(!self.settles || start < 8 || map.line_delta(start - 8).is_none());
            self.forgot |= map.line_delta(0).is_none();
        }
        fn settled(&self) -> u64 {
            if self.settles { self.end } else { 0 }
        }
    }
    let head = b"Content-Transfer-Encoding: quoted-printable\n\n";
    let mut raw = head.to_vec();
    for _ in 0..20_000 {
        raw.extend_from_slice(b"=41bcdef=\n");
    }
    let mut walker = Walker::default();
    for settles in [false, true] {
        let mut sink = Sink {
            settles,
            ..Sink::default()
        };
        walker.message(MessageMeta::default());
        walker.feed(&raw, 0, &mut sink);
        walker.finish(&mut sink);
        assert_eq!(sink.end, 120_000);
        assert!(sink.forgot);
    }
}

/// Nested parts are walked up to a limit, and read as text beyond it.
#[test]
fn nesting_has_a_limit() {
    for kind in ["multipart/mixed; boundary=", "message/rfc822; x="] {
        let mut raw = String::new();
        for i in 0..MAX_DEPTH + 10 {
            write!(raw, "Content-Type: {kind}b{i}\n\n").unwrap();
            if kind.starts_with("multipart") {
                writeln!(raw, "--b{i}").unwrap();
            }
        }
        raw += "http://a.example/\n";
        let mut walker = Walker::builder().headers(HeaderPolicy::None).build();
        let (parts, notes, _) = walk(&mut walker, raw.as_bytes(), 7);
        assert!(notes.contains(&MessageNoteKind::TooDeep), "{kind}");
        let last = parts.last().unwrap();
        assert!(last.text.ends_with(b"http://a.example/\n"));
    }
}

#[derive(Default)]
struct Texts {
    text: Vec<u8>,
    notes: Vec<MessageNoteKind>,
}

impl MailSink for Texts {
    fn part_start(&mut self, _: &PartInfo<'_>) {}

    fn text(&mut self, bytes: &[u8], _: &SourceMap) {
        self.text.extend_from_slice(bytes);
    }

    fn note(&mut self, note: MessageNote<'_>) {
        self.notes.push(note.kind);
    }
}

/// A note names its part, even before the header of the part was read, and its
/// place.
#[test]
fn notes_name_their_part() {
    #[derive(Default)]
    struct Notes(Vec<String>);

    impl MailSink for Notes {
        fn part_start(&mut self, _: &PartInfo<'_>) {}

        fn text(&mut self, _: &[u8], _: &SourceMap) {}

        fn note(&mut self, note: MessageNote<'_>) {
            let name = note.kind.name();
            self.0.push(format!("{:?} {name} {:?}", note.part, note.at));
        }
    }

    let notes = |message: &str, size: usize| {
        let (mut walker, mut notes) = (Walker::default(), Notes::default());
        walker.message(MessageMeta::default());
        for (i, chunk) in message.as_bytes().chunks(size).enumerate() {
            walker.feed(chunk, (i * size) as u64, &mut notes);
        }
        walker.finish(&mut notes);
        notes.0
    };
    let multipart =
        "Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\nno field\n\n--b--\n";
    assert_eq!(notes(multipart, 100), ["\"2\" missing-separator Some(56)"]);
    let bare = "Subject: x\nno field at all\n\nx\n";
    assert_eq!(notes(bare, 100), ["\"\" missing-separator Some(11)"]);
    // A link is cut at the same byte for any chunks.
    let link = format!(
        "Content-Type: text/html\n\n<a href=\"{}\">",
        "x".repeat(50_000)
    );
    for size in [7, 1000, 32 << 10, 1 << 20] {
        assert_eq!(
            notes(&link, size),
            ["\"1\" link-too-long Some(16418)"],
            "{size}"
        );
    }
}

/// A header block over the limit is cut, and its rest is text.
#[test]
fn long_headers_are_cut() {
    for (unit, kept) in [("a: b\n", true), ("x", false), ("a b\n", false)] {
        let mut raw = unit.repeat(MAX_HEADER / unit.len() + 100);
        raw += "\n\nhttp://a.example/\n";
        for size in [64 * 1024, 1000] {
            let mut walker = Walker::builder().headers(HeaderPolicy::None).build();
            let mut sink = Texts::default();
            walker.message(MessageMeta::default());
            for (i, chunk) in raw.as_bytes().chunks(size).enumerate() {
                walker.feed(chunk, (i * size) as u64, &mut sink);
            }
            walker.finish(&mut sink);
            // The line that crosses the limit is text.
            let behind = if kept { MAX_HEADER / 5 * 5 } else { 0 };
            assert!(sink.text == raw.as_bytes()[behind..], "{unit:?} {size}");
            let cut = sink.notes.contains(&MessageNoteKind::HeaderTooLong);
            assert_eq!(cut, unit != "a b\n");
        }
    }
}

/// Walks some of the real messages in the folder URLGREP_CORPUS. Every byte
/// maps to the source, and chunks make no difference.
#[test]
fn real_messages_lead_back() {
    let Some(corpus) = std::env::var_os("URLGREP_CORPUS") else {
        return;
    };
    let mut folders = vec![Path::new(&corpus).join("mime")];
    folders.push(Path::new(&corpus).join("mail/spamassassin"));
    folders.push(Path::new(&corpus).join("news/spool"));
    let mut walker = Walker::builder().headers(HeaderPolicy::All).build();
    let (mut count, mut seen) = (0, 0);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            // Without optimisation, all of them would take minutes.
            seen += 1;
            if seen % 40 != 0 || std::fs::metadata(&path).unwrap().len() > 64 * 1024 {
                continue;
            }
            let raw = std::fs::read(&path).unwrap();
            if raw.is_empty() {
                continue;
            }
            let whole = walk(&mut walker, &raw, raw.len());
            let cut = walk(&mut walker, &raw, 61);
            assert!(whole.0 == cut.0 && whole.1 == cut.1, "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 100, "only {count} messages");
}
