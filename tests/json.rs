//! The schema of `--json`, as a strict reader of another program would write
//! it down: a key more, a key less or a value of another type fails.

#![cfg(feature = "cli")]

mod common;

use serde::Deserialize;
use urlgrep::mail::{As, mime};
use urlgrep::record::verify::Claim;
use urlgrep::record::{NoteRecord, Record, jsonl};
use urlgrep::search::{Match, Note as Noted, NoteKind, Options, Searcher, Visitor};
use urlgrep::span::Span;
use urlgrep::{Extractor, Hit, Profile};

use common::records::{self, json};
use common::rows;

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Object {
    Hit(Row),
    Reject(Row),
    Note(Note),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    v: u32,
    path: Text,
    #[serde(deserialize_with = "present")]
    line: Option<u64>,
    column: Option<u64>,
    #[serde(deserialize_with = "present")]
    offset: Option<u64>,
    #[serde(deserialize_with = "present")]
    end: Option<u64>,
    url: Text,
    #[serde(deserialize_with = "present")]
    scheme: Option<String>,
    profile: String,
    form: String,
    #[serde(deserialize_with = "present")]
    segments: Option<Vec<(u64, u64)>>,
    #[serde(deserialize_with = "present")]
    seams: Option<Vec<Seam>>,
    decoded: Option<Decoded>,
    alternates: Vec<Alternate>,
    #[serde(deserialize_with = "present")]
    doubt: Option<String>,
    continues: bool,
    glued: bool,
    cautions: Vec<String>,
    components: serde_json::Map<String, serde_json::Value>,
    reason: Option<Reason>,
    message: Option<Message>,
    part: Option<String>,
    header: Option<Text>,
    role: Option<String>,
    depth: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seam {
    kind: String,
    start: u64,
    end: u64,
    at: u64,
    len: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Decoded {
    start: u64,
    end: u64,
    segments: Vec<(u64, u64)>,
    seams: Vec<Seam>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Alternate {
    kind: String,
    url: Text,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    rule: String,
    at: u32,
    #[serde(deserialize_with = "present")]
    found: Option<u8>,
    text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Message {
    number: u64,
    start: u64,
    end: Option<u64>,
    #[serde(deserialize_with = "present")]
    id: Option<Text>,
    #[serde(deserialize_with = "present")]
    date: Option<String>,
    #[serde(deserialize_with = "present")]
    from: Option<Text>,
    #[serde(deserialize_with = "present")]
    subject: Option<Text>,
    #[serde(deserialize_with = "present")]
    newsgroups: Option<Text>,
    #[serde(deserialize_with = "present")]
    list: Option<Text>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    v: u32,
    path: Text,
    #[serde(deserialize_with = "present")]
    offset: Option<u64>,
    #[serde(deserialize_with = "present")]
    message: Option<u64>,
    #[serde(deserialize_with = "present")]
    part: Option<String>,
    kind: String,
    text: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(untagged, deny_unknown_fields)]
enum Text {
    Text(String),
    Bytes { bytes: String },
}

/// Null or a value, but not nothing: a key that is always there.
fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::deserialize(deserializer)
}

impl Text {
    fn as_str(&self) -> &str {
        match self {
            Text::Text(text) => text,
            Text::Bytes { .. } => panic!("not a string: {self:?}"),
        }
    }
}

fn read(line: &str) -> Object {
    serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"))
}

fn read_row(line: &str) -> Row {
    match read(line) {
        Object::Hit(row) | Object::Reject(row) => row,
        Object::Note(_) => panic!("a note: {line}"),
    }
}

fn hits(text: &[u8]) -> Vec<Hit> {
    Extractor::new(Profile::default()).find_iter(text).collect()
}

fn spans(spans: &[Span]) -> Vec<(u64, u64)> {
    spans.iter().map(|s| (s.start, s.end)).collect()
}

/// Everything the record says is what the hit says.
fn compare(record: &Record<'_>, line: &str) {
    let hit = record.hit();
    let row = match (read(line), hit.verdict()) {
        (Object::Hit(row), Ok(url)) => {
            let parts: Vec<_> = url.components().collect();
            assert_eq!(row.components.len(), parts.len(), "{line}");
            for (name, part) in parts {
                assert_eq!(row.components[name].as_str().unwrap().as_bytes(), part);
            }
            let cautions: Vec<_> = url.cautions().iter().map(|c| c.name()).collect();
            assert_eq!(row.cautions, cautions);
            assert!(row.reason.is_none());
            row
        }
        (Object::Reject(row), Err(reject)) => {
            let reason = row.reason.as_ref().expect("a reason");
            assert_eq!(reason.rule, reject.rule.name());
            assert_eq!(reason.at, reject.at);
            assert_eq!(reason.found, hit.url().get(reject.at as usize).copied());
            assert_eq!(reason.text, reject.to_string());
            assert!(row.components.is_empty() && row.cautions.is_empty());
            row
        }
        (object, _) => panic!("{object:?}"),
    };
    assert_eq!(row.v, 1);
    assert_eq!(row.profile, hit.profile().name());
    assert_eq!(row.form, hit.form().name());
    assert_eq!(row.doubt.as_deref(), hit.doubt().map(|d| d.name()));
    assert_eq!(row.continues, hit.continues());
    assert_eq!(row.glued, hit.glued());
    assert_eq!(row.line, record.found.line());
    assert_eq!(row.column, record.column);
    let span = record.found.source().map(|pieces| pieces.span());
    assert_eq!(row.offset, span.map(|span| span.start));
    assert_eq!(row.end, span.map(|span| span.end));
    if let Ok(url) = std::str::from_utf8(hit.url()) {
        assert_eq!(row.url.as_str(), url);
        let scheme = url.split(':').next().unwrap().to_ascii_lowercase();
        assert!(row.scheme.is_none_or(|s| s == scheme), "{line}");
    } else {
        assert!(matches!(row.url, Text::Bytes { .. }), "{line}");
    }
    let alternates: Vec<_> = hit.alternates().collect();
    assert_eq!(row.alternates.len(), alternates.len());
    for (read, other) in row.alternates.iter().zip(alternates) {
        assert_eq!(read.kind, other.kind.name());
        assert_eq!(read.url.as_str().as_bytes(), other.url);
    }
    let (segments, seams) = match row.decoded {
        Some(decoded) => {
            assert!(row.segments.is_none() && row.seams.is_none());
            assert_eq!(
                Some(Span::new(decoded.start, decoded.end)),
                record.found.decoded().map(|pieces| pieces.span())
            );
            (decoded.segments, decoded.seams)
        }
        None => (row.segments.expect("segments"), row.seams.expect("seams")),
    };
    let made_of = record.found.source().or(record.found.decoded());
    let made_of = made_of.expect("pieces");
    assert_eq!(segments, spans(made_of.segments));
    assert_eq!(seams.len(), made_of.seams.len());
    for (read, seam) in seams.iter().zip(made_of.seams) {
        assert_eq!(read.kind, seam.kind.name());
        assert_eq!(Span::new(read.start, read.end), seam.span);
        assert_eq!((read.at, read.len), (seam.at, seam.len));
    }
}

#[derive(Deserialize)]
struct Rows {
    row: Vec<ExtractRow>,
}

#[derive(Deserialize)]
struct ExtractRow {
    name: String,
    text: String,
}

/// Every hit of every row of the extractor: printed, read, and replayed.
#[test]
fn rows_of_the_extractor_are_read_back_and_replayed() {
    let mut count = 0;
    for path in rows::files("extract") {
        let all: Rows = rows::read(&path);
        for row in all.row.iter().filter(|row| rows::wanted(&row.name)) {
            let text = rows::unescape(&row.text.replace(['⟦', '⟧'], "").replace('⏎', ""));
            for crlf in [false, true] {
                let text = if crlf { with_crlf(&text) } else { text.clone() };
                let name = row.name.as_bytes();
                let one = records::hits_are_confirmed(name, Extractor::builder(), &text, compare);
                count += one.replayed;
                records::any_line_is_answered(&text, &text);
            }
        }
    }
    assert!(count > 100, "{count}");
}

#[derive(Deserialize)]
struct MimeRows {
    /// One of the files lists something else.
    #[serde(default)]
    row: Vec<MimeRow>,
}

#[derive(Deserialize)]
struct MimeRow {
    name: String,
    text: String,
}

/// Every hit of every message of the decoder: printed, read, and replayed.
#[test]
fn rows_of_the_decoder_are_read_back_and_replayed() {
    let (mut replayed, mut decoded) = (0, 0);
    for path in rows::files("mime") {
        let all: MimeRows = rows::read(&path);
        for row in all.row.iter().filter(|row| rows::wanted(&row.name)) {
            let text = rows::unescape(&row.text);
            for crlf in [false, true] {
                let text = if crlf { with_crlf(&text) } else { text.clone() };
                let (name, options) = (row.name.as_bytes(), Options::default());
                let one = records::finds_are_confirmed(name, options, &text, compare);
                replayed += one.replayed;
                decoded += one.decoded;
                records::streams_are_confirmed(options, As::Auto, &text, &[7, 512]);
            }
        }
    }
    assert!(replayed > 50 && decoded > 10, "{replayed} {decoded}");
}

#[derive(Deserialize)]
struct ContainerRow {
    name: String,
    text: String,
    #[serde(rename = "as")]
    hint: Option<String>,
}

#[derive(Deserialize)]
struct ContainerRows {
    row: Vec<ContainerRow>,
}

/// The same of every container, with a URL at each line end.
#[test]
fn rows_of_containers_are_read_back_and_replayed() {
    let mut count = 0;
    for path in rows::files("containers") {
        let all: ContainerRows = rows::read(&path);
        for row in all.row.iter().filter(|row| rows::wanted(&row.name)) {
            let hint = row.hint.as_deref().map_or(As::Auto, as_named);
            let text = rows::unescape(&row.text.replace(['⟦', '⟧'], ""));
            let text: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
            let text = text.join(&b" <URL:http://a.example/> http://b.example/\n"[..]);
            for crlf in [false, true] {
                let text = if crlf { with_crlf(&text) } else { text.clone() };
                let one = records::streams_are_confirmed(Options::default(), hint, &text, &[7]);
                count += one.replayed;
            }
        }
    }
    assert!(count > 100, "{count}");
}

fn as_named(name: &str) -> As {
    match name {
        "auto" => As::Auto,
        "mbox" => As::Mbox,
        "message" => As::Message,
        "rnews" => As::Rnews,
        "text" => As::Text,
        other => panic!("no such way to read: {other}"),
    }
}

/// What fuzzing found: the end of a message that has no header was not waited
/// for, and the dots that its lines lost were not counted.
#[test]
fn articles_without_a_header_are_replayed() {
    let stream = b"222 1 <a@b> body\r\nhttp://a.example/1\r\n..http://a.example/2\r\n\
        <URL:http://a.example/\r\n..b> http://a.example/3\r\n.\r\n\
        222 2 <c@d> body\r\nhttp://a.example/4\r\n.\r\n";
    let count =
        records::streams_are_confirmed(Options::default(), As::Auto, stream, &[1, 2, 7, 64]);
    assert_eq!((count.replayed, count.decoded), (5, 0));
}

/// Messages longer than all that is remembered of them, in chunks as long: the
/// role of a line once depended on what had been fed after it.
#[test]
fn chunks_of_long_messages_change_no_record() {
    const URL: &str = "<http://a.example/x>";
    let mut state = 7u32;
    let mut draw = |n: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % n
    };
    let mut body = String::new();
    while body.len() < 1 << 20 {
        let depth = draw(4) as usize;
        match draw(400) {
            0 => body.push_str("-- \n"),
            1 => body.push_str("________________________\na mailing list\n"),
            _ => {}
        }
        for _ in 0..=draw(30) {
            let words = &"a few words of what somebody wrote "[..draw(35) as usize];
            let url = if draw(20) == 0 { URL } else { "" };
            body.push_str(&format!("{}{words}{url}\n", "> ".repeat(depth)));
        }
    }
    let kinds = [
        ("", ""),
        ("Content-Transfer-Encoding: quoted-printable\n", ""),
        ("Content-Type: text/plain; format=flowed\n", ""),
        ("Content-Type: text/html\n", "<pre>"),
        ("Content-Type: multipart/mixed; boundary=b\n", "--b\n\n"),
    ];
    for (head, start) in kinds {
        let mail = format!("From: a@b.example\nSubject: x\n{head}\n{start}{body}");
        let sizes = [1000, 32 << 10, 64 << 10, 100_000, 256 << 10, 1 << 20];
        let mail = mail.as_bytes();
        let count = records::streams_are_confirmed(Options::default(), As::Auto, mail, &sizes);
        assert!(count.replayed > 1000, "{head}: {count:?}");
    }
}

fn with_crlf(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &b in text {
        if b == b'\n' && !out.ends_with(b"\r") {
            out.push(b'\r');
        }
        out.push(b);
    }
    out
}

/// Hands the records of a message to a function.
struct Each<F>(F);

impl<F: FnMut(&Record<'_>)> Visitor for Each<F> {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        (self.0)(&Record::new(Some(b"a.zip!b\n\xFE"), *found));
        true
    }
}

#[test]
fn everything_that_is_known_is_there() {
    let text = "Message-ID: <1@a.example>\nDate: Tue, 20 Dec 1994 11:00:00 +0100\n\
        From: J\u{fc}rgen \u{202e}<x@y.example>\nNewsgroups: comp.a,comp.b\n\
        Comments: http://h.example/\nMIME-Version: 1.0\n\
        Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\n\n\
        > > <URL:HTTP://u:p@a.example:25/%0d\n> > b?q#f> y\n--b--\n";
    let mut bytes = b"Subject: \x1b[31mred\xFF\n".to_vec();
    bytes.extend_from_slice(text.as_bytes());
    let options = Options {
        message_ends: true,
        ..Options::default()
    };
    let mut lines = Vec::new();
    let mut each = Each(|record: &Record<'_>| {
        let mut record = *record;
        record.column = Some(8);
        let line = json(&record);
        compare(&record, &line);
        lines.push(line);
    });
    Searcher::new(options).search_message(&bytes, &mut each);
    let [header, line] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(read_row(header).header.unwrap().as_str(), "Comments");
    let row = read_row(line);
    assert_eq!(
        row.path,
        Text::Bytes {
            bytes: "YS56aXAhYgr+".to_owned()
        }
    );
    assert_eq!(row.scheme.as_deref(), Some("http"));
    assert_eq!(row.cautions, ["password", "low-port", "encoded-cr"]);
    assert_eq!(row.components["scheme"], "HTTP");
    assert_eq!(row.components["password"], "p");
    let info = row.message.expect("a message");
    let end = bytes.len() as u64;
    assert_eq!((info.number, info.start, info.end), (1, 0, Some(end)));
    assert_eq!(info.id.unwrap().as_str(), "<1@a.example>");
    assert_eq!(info.date.as_deref(), Some("1994-12-20T10:00:00Z"));
    assert_eq!(
        info.from.unwrap().as_str(),
        "J\u{fc}rgen \u{202e}<x@y.example>"
    );
    assert_eq!(
        info.subject,
        Some(Text::Bytes {
            bytes: "G1szMW1yZWT/".to_owned()
        })
    );
    assert_eq!(info.newsgroups.unwrap().as_str(), "comp.a,comp.b");
    assert_eq!(info.list, None);
    assert_eq!(row.part.as_deref(), Some("2"));
    assert_eq!((row.role.as_deref(), row.depth), (Some("quoted"), Some(2)));
    assert!(line.contains("J\u{fc}rgen \\u202e<x"), "{line}");
}

#[test]
fn the_example_of_the_readme_stays_as_it_is() {
    let text = b"under <URL:ftp://info.cern.ch/pub/www/doc;\n   type=d> but";
    let hit = &hits(text)[0];
    assert_eq!(
        json(&Record::plain(Some(b"a.txt"), hit)),
        r#"{"v":1,"type":"hit","path":"a.txt","line":1,"offset":11,"end":52,"#.to_owned()
            + r#""url":"ftp://info.cern.ch/pub/www/doc;type=d","scheme":"ftp","profile":"iri","#
            + r#""form":"wrapped","segments":[[11,42],[46,52]],"#
            + r#""seams":[{"kind":"line-break","start":42,"end":46,"at":31,"len":0}],"#
            + r#""alternates":[],"doubt":null,"continues":false,"glued":false,"cautions":[],"#
            + r#""components":{"scheme":"ftp","host":"info.cern.ch","path":"/pub/www/doc","typecode":"d"}}"#
    );
}

#[test]
fn decoded_places_have_no_offset() {
    let text = b"<URL:http://a.example/\nb>";
    let hit = &hits(text)[0];
    let record = Record::new(None, Match::transcoded(hit));
    let line = json(&record);
    compare(&record, &line);
    let row = read_row(&line);
    assert_eq!((row.offset, row.end), (None, None));
    assert_eq!(row.path.as_str(), "<stdin>");
}

/// What fuzzing found: `xalpha` of the first drafts has the quote mark.
#[test]
fn a_scheme_may_hold_quote_marks() {
    let text = b"<URL:ht\"path\":tnm>";
    for &profile in Profile::ALL {
        let builder = Extractor::builder().profile(profile);
        let count = records::hits_are_confirmed(b"a", builder, text, |record, line| {
            let valid = record.hit().verdict().is_ok();
            assert!(valid || profile != Profile::Url03, "{line}");
            let scheme = valid.then(|| "ht\"path\"".to_owned());
            assert_eq!(read_row(line).scheme, scheme);
        });
        assert_eq!(count.replayed, 1);
    }
}

#[test]
fn rejects_may_hold_any_bytes() {
    let text =
        b"http://a.example/K\xE4se and http://a.example/\xC3\xA4\xE4 and <URL:http://a.\x1b[m/>";
    let all = hits(text);
    assert_eq!(all.len(), 3);
    for hit in &all {
        let record = Record::plain(None, hit);
        let line = json(&record);
        compare(&record, &line);
        assert!(matches!(read(&line), Object::Reject(_)), "{line}");
    }
}

#[test]
fn notes_are_objects_of_their_own() {
    let mut out = Vec::new();
    let note = Noted {
        kind: NoteKind::Message(mime::NoteKind::BadBase64),
        at: Some(7),
        message: None,
        part: Some("1"),
    };
    let path = Some(&b"a"[..]);
    jsonl::print_note(&NoteRecord { path, note }, &mut out);
    let Object::Note(note) = read(std::str::from_utf8(&out).unwrap()) else {
        panic!("no note");
    };
    assert_eq!(note.v, 1);
    assert_eq!(note.path.as_str(), "a");
    assert_eq!((note.offset, note.message), (Some(7), None));
    assert_eq!(note.part.as_deref(), Some("1"));
    assert_eq!(note.kind, "bad-base64");
    assert_eq!(note.text, mime::NoteKind::BadBase64.to_string());
}

#[test]
fn the_reader_is_strict() {
    let text = b"http://a.example/";
    let line = json(&Record::plain(None, &hits(text)[0]));
    for (from, to) in [
        ("\"v\":1,", ""),
        ("\"line\":1,", ""),
        ("\"line\":1,", "\"line\":\"1\","),
        ("\"line\":1,", "\"line\":1,\"lines\":1,"),
        ("\"doubt\":null,", ""),
        ("\"type\":\"hit\"", "\"type\":\"url\""),
        ("[[0,17]]", "[[0,17,1]]"),
    ] {
        assert!(line.contains(from), "{line}");
        let other = line.replace(from, to);
        assert!(serde_json::from_str::<Object>(&other).is_err(), "{other}");
    }
}

/// A hit whose bytes the file does not hold is confirmed on what another
/// program decodes, and refused where that is changed.
#[test]
fn decoded_parts_are_those_of_mail_parser() {
    let text = b"Subject: x\nMIME-Version: 1.0\nContent-Type: text/plain; charset=us-ascii\n\
        Content-Transfer-Encoding: base64\n\n\
        U2xpZGVzOiA8VVJMOmh0dHA6Ly93d3cuZXhhbXBsZS5uZXQvc2xpZGVzLwppbmRleC5odG1sPgo=\n";
    let mut lines = Vec::new();
    records::finds_are_confirmed(b"base64", Options::default(), text, |_, line| {
        lines.push(line.to_owned());
    });
    let claim = Claim::read(lines[0].as_bytes()).unwrap().unwrap();
    assert!(claim.is_decoded());
    let message = mail_parser::MessageParser::default()
        .parse(&text[..])
        .unwrap();
    let decoded = message.body_text(0).unwrap();
    claim.check_decoded(decoded.as_bytes()).unwrap();
    let other = decoded.replace("slides", "slaves");
    assert!(claim.check_decoded(other.as_bytes()).is_err());
}
