//! Rows of JSON. Each row follows the schema of `docs/json.md`, has the values
//! of its record, and is verified on its source.

use std::ops::ControlFlow;

use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::TestRunner;
use serde::Deserialize;
use urlgrep::Span;
use urlgrep::mail::{HeaderPolicy, ReadAs};
use urlgrep::rows::{
    Bytes, EndRecord, FaultRecord, Field, NoteRecord, OwnedRecord, Record, Row, Value, json,
};
use urlgrep::search::{Match, Note, NoteKind, Searcher, Visitor};
use urlgrep::{Extractor, Form, Hit, Profile};
use urlgrep_mail::mime;
use urlgrep_verify::Claim;

use crate::common::generate::{self, DOCUMENTS};
use crate::common::records::{self, json};
use crate::common::{rows, schema, slow};

/// Reads a row that follows the schema.
fn read(line: &str) -> OwnedRecord {
    schema::check(&serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}")));
    let mut rows = json::Reader::new(line.as_bytes());
    let row = rows.next().expect("a row");
    row.unwrap_or_else(|e| panic!("{e}: {line}"))
}

fn hits(text: &[u8]) -> Vec<Hit> {
    let builder = Extractor::builder().rejects(true);
    builder.build().find_iter(text).collect()
}

/// All values of the record are those of the hit.
fn compare(record: &Record<'_>, line: &str) {
    let row = read(line);
    let hit = record.hit;
    assert_eq!(row, OwnedRecord::from(&Row::from(record)), "{line}");
    let again: OwnedRecord = serde_json::from_str(&serde_json::to_string(&row).unwrap()).unwrap();
    assert_eq!(row, again);
    let text = |text: &Option<String>, bytes: &Option<Bytes>| match bytes {
        Some(bytes) => bytes.0.clone(),
        None => text.clone().unwrap_or_default().into_bytes(),
    };
    assert_eq!(text(&row.url, &row.url_bytes), hit.text());
    assert_eq!(
        text(&Some(row.path), &row.path_bytes),
        record.path_or_stdin()
    );
    let components = row.components.expect("components");
    match hit.url() {
        Ok(url) => {
            assert_eq!(row.r#type, "hit");
            let parts: Vec<_> = url.components().collect();
            let read = components.iter().map(|c| (&*c.name, &*c.value));
            assert_eq!(read.collect::<Vec<_>>(), parts);
            assert_eq!(row.canonical, Some(url.canonical()));
            let cautions = record.found.cautions();
            let cautions: Vec<_> = cautions.iter().map(|c| c.name()).collect();
            assert_eq!(row.cautions.unwrap(), cautions);
            assert_eq!((row.rule, row.rule_at, row.rule_found), (None, None, None));
            let host = url.host().map(|host| host.as_str().to_ascii_lowercase());
            assert_eq!(row.host, host);
        }
        Err(reject) => {
            assert_eq!(row.r#type, "reject");
            assert_eq!(row.rule.as_deref(), Some(reject.rule.name()));
            assert_eq!(row.rule_at, Some(u64::from(reject.at)));
            let found = hit.text().get(reject.at as usize).copied();
            assert_eq!(row.rule_found, found.map(u64::from));
            assert_eq!(row.reason, Some(reject.to_string()));
            assert!(components.is_empty() && row.cautions.unwrap().is_empty());
            assert_eq!((row.canonical, row.host, row.port), (None, None, None));
        }
    }
    assert_eq!(row.profile.as_deref(), Some(hit.profile().name()));
    assert_eq!(row.form.as_deref(), Some(hit.form().name()));
    let doubt: Vec<_> = hit.doubts().iter().map(|d| d.name()).collect();
    assert_eq!(row.doubt.unwrap(), doubt);
    assert_eq!(row.continues, Some(hit.continues()));
    assert_eq!(row.glued, Some(hit.glued()));
    assert_eq!(row.line, record.found.line());
    assert_eq!(row.column, record.column);
    let span = record.found.source().map(|pieces| pieces.span());
    assert_eq!(row.offset, span.map(|span| span.start));
    assert_eq!(row.end, span.map(|span| span.end));
    let alternates: Vec<_> = hit.alternates().map(|a| (a.kind.name(), a.url)).collect();
    let read = row.alternates.expect("alternates");
    let read = read.iter().map(|a| (&*a.kind, &*a.url));
    assert_eq!(read.collect::<Vec<_>>(), alternates);
    let (segments, seams) = match row.decoded {
        Some(decoded) => {
            assert!(row.segments.is_none() && row.seams.is_none());
            let span = record.found.decoded().map(|pieces| pieces.span());
            assert_eq!(Some(Span::new(decoded.start, decoded.end)), span);
            (decoded.segments, decoded.seams)
        }
        None => (row.segments.expect("segments"), row.seams.expect("seams")),
    };
    let made_of = record.found.source().or(record.found.decoded());
    let made_of = made_of.expect("pieces");
    assert_eq!(segments, made_of.segments);
    assert_eq!(seams.len(), made_of.seams.len());
    for (read, seam) in seams.iter().zip(made_of.seams) {
        assert_eq!(read.kind, seam.kind.name());
        assert_eq!(Span::new(read.start, read.end), seam.span);
        assert_eq!((read.at, read.len), (seam.at, u64::from(seam.len)));
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

/// Documents and archives, and whatever is like them but for a byte.
#[test]
fn attachments_are_read_back_and_replayed() {
    let mut runner = TestRunner::new(generate::config(if slow() { 2000 } else { 60 }));
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata");
    let names = [
        "office/links.xlsx",
        "office/links.odt",
        "unpack/dir.zip",
        "unpack/text.gz",
    ];
    for name in names {
        let file = std::fs::read(format!("{folder}/{name}")).expect("a file");
        let count = records::attachment_is_confirmed(&file, &[1, 700]);
        assert_eq!(count.decoded, 0, "{name}");
        assert!(count.replayed > 0, "{name}");
        let places = (0..file.len(), any::<u8>(), 1..4000_usize);
        let change = |(at, byte, size): (usize, u8, usize)| {
            let mut file = file.clone();
            file[at] = byte;
            records::attachment_is_confirmed(&file, &[size]);
            Ok(())
        };
        runner.run(&places, change).unwrap();
    }
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
                let one = records::hits_are_confirmed(
                    name,
                    Extractor::builder().rejects(true),
                    &text,
                    compare,
                );
                count += one.replayed;
                records::any_line_is_answered(&text, &text);
            }
        }
    }
    assert!(count > 100, "{count}");
}

/// Every hit of every message of the decoder: printed, read, and replayed.
#[test]
fn rows_of_the_decoder_are_read_back_and_replayed() {
    let (mut replayed, mut decoded) = (0, 0);
    for row in rows::messages() {
        let text = rows::unescape(&row.text);
        for crlf in [false, true] {
            let text = if crlf { with_crlf(&text) } else { text.clone() };
            let (name, options) = (row.name.as_bytes(), Searcher::builder());
            let auto = HeaderPolicy::Written;
            let one = records::finds_are_confirmed(name, options, auto, &text, compare);
            replayed += one.replayed;
            decoded += one.decoded;
            records::streams_are_confirmed(options, ReadAs::Auto, &text, &[7, 512]);
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

/// The same for every container, with two URLs at each line end.
#[test]
fn rows_of_containers_are_read_back_and_replayed() {
    let mut count = 0;
    for path in rows::files("containers") {
        let all: ContainerRows = rows::read(&path);
        for row in all.row.iter().filter(|row| rows::wanted(&row.name)) {
            let hint = row.hint.as_deref().map_or(ReadAs::Auto, as_named);
            let text = rows::unescape(&row.text.replace(['⟦', '⟧'], ""));
            let text: Vec<&[u8]> = text.split(|&b| b == b'\n').collect();
            let text = text.join(&b" <URL:http://a.example/> http://b.example/\n"[..]);
            for crlf in [false, true] {
                let text = if crlf { with_crlf(&text) } else { text.clone() };
                let one = records::streams_are_confirmed(Searcher::builder(), hint, &text, &[7]);
                count += one.replayed;
            }
        }
    }
    assert!(count > 100, "{count}");
}

fn as_named(name: &str) -> ReadAs {
    match name {
        "auto" => ReadAs::Auto,
        "mbox" => ReadAs::Mbox,
        "message" => ReadAs::Message,
        "rnews" => ReadAs::Rnews,
        "html" => ReadAs::Html,
        "text" => ReadAs::Text,
        other => panic!("no such way to read: {other}"),
    }
}

/// Found by fuzzing: the end of a message without a header was reported too
/// early, and the removed dots of its lines were not counted.
#[test]
fn articles_without_a_header_are_replayed() {
    let stream = b"222 1 <a@b> body\r\nhttp://a.example/1\r\n..http://a.example/2\r\n\
        <URL:http://a.example/\r\n..b> http://a.example/3\r\n.\r\n\
        222 2 <c@d> body\r\nhttp://a.example/4\r\n.\r\n";
    let count =
        records::streams_are_confirmed(Searcher::builder(), ReadAs::Auto, stream, &[1, 2, 7, 64]);
    assert_eq!((count.replayed, count.decoded), (5, 0));
}

/// Messages that are longer than the memory of the searcher, in chunks of the
/// same size. The role of a line once depended on the bytes after it.
#[test]
fn chunks_of_long_messages_change_no_record() {
    const URL: &str = "<http://a.example/x>";
    let mut state = 7u32;
    let mut draw = |n: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % n
    };
    let mut body = String::new();
    let len = if slow() { 1 << 20 } else { 1 << 17 };
    while body.len() < len {
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
        let count = records::streams_are_confirmed(Searcher::builder(), ReadAs::Auto, mail, &sizes);
        assert!(count.replayed > len / 1048, "{head}: {count:?}");
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
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        (self.0)(&Record::new(Some(b"a.zip!b\n\xFE"), *found));
        ControlFlow::Continue(())
    }
}

#[test]
fn every_known_value_is_written() {
    let text = "Message-ID: <1@a.example>\nDate: Tue, 20 Dec 1994 11:00:00 +0100\n\
        From: J\u{fc}rgen \u{202e}<x@y.example>\nNewsgroups: comp.a,comp.b\n\
        Comments: http://h.example/\nMIME-Version: 1.0\n\
        Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b\n\n\
        > > <URL:HTTP://u:p@a.example:25/%0d\n> > b?q#f> y\n--b--\n";
    let bytes = text.as_bytes();
    let options = Searcher::builder().message_ends(true);
    let mut lines = Vec::new();
    let mut each = Each(|record: &Record<'_>| {
        let mut record = *record;
        record.column = Some(8);
        let line = json(&record);
        compare(&record, &line);
        lines.push(line);
    });
    let _ = options.build().visit_message(bytes, &mut each);
    let [header, line] = &lines[..] else {
        panic!("{lines:?}");
    };
    assert_eq!(read(header).header.as_deref(), Some("Comments"));
    let row = read(line);
    assert_eq!(row.path, "a.zip!b\n\u{FFFD}");
    assert_eq!(row.path_bytes, Some(Bytes(b"a.zip!b\n\xFE".to_vec())));
    assert!(line.contains("\"path_bytes\":\"YS56aXAhYgr+\""), "{line}");
    assert_eq!(row.scheme.as_deref(), Some("http"));
    assert_eq!(
        (row.host.as_deref(), row.port),
        (Some("a.example"), Some(25))
    );
    let canonical = "http://u:p@a.example:25/%0Db?q#f";
    assert_eq!(row.canonical.as_deref(), Some(canonical));
    assert_eq!(row.uri, None);
    let cautions = ["password", "low-port", "encoded-cr"].map(str::to_owned);
    assert_eq!(row.cautions, Some(cautions.to_vec()));
    let components = row.components.expect("components");
    let scheme = components.iter().find(|c| c.name == "scheme");
    assert_eq!(scheme.map(|c| &*c.value), Some("HTTP"));
    let end = bytes.len() as u64;
    let message = (row.message_number, row.message_start, row.message_end);
    assert_eq!(message, (Some(1), Some(0), Some(end)));
    assert_eq!(row.message_id.as_deref(), Some("<1@a.example>"));
    assert_eq!(row.date.as_deref(), Some("1994-12-20T10:00:00Z"));
    let from = "J\u{fc}rgen \u{202e}<x@y.example>";
    assert_eq!(row.from.as_deref(), Some(from));
    assert_eq!(row.newsgroups.as_deref(), Some("comp.a,comp.b"));
    assert_eq!(row.list_id, None);
    assert_eq!(row.part.as_deref(), Some("2"));
    assert_eq!((row.role.as_deref(), row.depth), (Some("quoted"), Some(2)));
    assert!(line.contains("J\u{fc}rgen \\u202e<x"), "{line}");
}

#[test]
fn a_whole_row() {
    let text = b"under <URL:ftp://info.cern.ch/pub/www/doc;\n   type=d> but";
    let hit = &hits(text)[0];
    assert_eq!(
        json(&Record::plain(Some(b"a.txt"), hit)),
        r#"{"v":2,"type":"hit","path":"a.txt","path_bytes":null,"read_as":null,"line":1,"#
            .to_owned()
            + r#""column":null,"offset":11,"end":52,"url":"ftp://info.cern.ch/pub/www/doc;type=d","#
            + r#""url_bytes":null,"canonical":"ftp://info.cern.ch/pub/www/doc;type=d","#
            + r#""surt":"ch,cern,info)/pub/www/doc;type=d","uri":null,"unwrapped":null,"#
            + r#""clean":"ftp://info.cern.ch/pub/www/doc;type=d","#
            + r#""scheme":"ftp","host":"info.cern.ch","domain":"cern.ch","host_meaning":null,"port":null,"profile":"iri","#
            + r#""form":"wrapped","segments":[{"start":11,"end":42},{"start":46,"end":52}],"#
            + r#""seams":[{"kind":"line-break","start":42,"end":46,"at":31,"len":0}],"#
            + r#""decoded":null,"alternates":[],"hops":null,"corroborated":null,"doubt":[],"continues":false,"glued":false,"#
            + r#""cautions":[],"components":[{"name":"scheme","value":"ftp"},"#
            + r#"{"name":"host","value":"info.cern.ch"},{"name":"path","value":"/pub/www/doc"},"#
            + r#"{"name":"typecode","value":"d"}],"rule":null,"rule_at":null,"rule_found":null,"#
            + r#""note":null,"reason":null,"request":null,"count":null,"role":null,"depth":null,"target":null,"text":null,"#
            + r#""part":null,"content_type":null,"file_name":null,"member":null,"member_bytes":null,"header":null,"header_bytes":null,"message_number":null,"message_start":null,"#
            + r#""message_end":null,"message_id":null,"message_id_bytes":null,"date":null,"#
            + r#""from":null,"from_bytes":null,"subject":null,"subject_bytes":null,"#
            + r#""newsgroups":null,"newsgroups_bytes":null,"list_id":null,"list_id_bytes":null,"record_url":null}"#
    );
}

#[test]
fn decoded_places_have_no_offset() {
    let text = b"<URL:http://a.example/\nb>";
    let hit = &hits(text)[0];
    let record = Record::new(None, Match::transcoded(hit));
    let line = json(&record);
    compare(&record, &line);
    let row = read(&line);
    assert_eq!((row.offset, row.end), (None, None));
    assert_eq!(row.path, "<stdin>");
}

/// Found by fuzzing: `xalpha` of url-03 contains the quotation mark.
#[test]
fn a_scheme_may_contain_quote_marks() {
    let text = b"<URL:ht\"path\":tnm>";
    for &profile in DOCUMENTS {
        let builder = Extractor::builder().profile(profile).rejects(true);
        let count = records::hits_are_confirmed(b"a", builder, text, |record, line| {
            let valid = record.hit.url().is_ok();
            assert!(valid || profile != Profile::Url03, "{line}");
            let scheme = valid.then(|| "ht\"path\"".to_owned());
            assert_eq!(read(line).scheme, scheme);
        });
        assert_eq!(count.replayed, 1);
    }
}

#[test]
fn rejects_may_contain_any_bytes() {
    let text =
        b"http://a.example/K\xE4se and http://a.example/\xC3\xA4\xE4 and <URL:http://a.\x07m/>";
    let all = hits(text);
    assert_eq!(all.len(), 3);
    for hit in &all {
        let record = Record::plain(None, hit);
        let line = json(&record);
        compare(&record, &line);
        assert_eq!(read(&line).r#type, "reject");
    }
}

#[test]
fn notes_errors_and_ends_are_rows() {
    let mut out = Vec::new();
    let mut writer = json::Writer::new();
    let note = Note {
        kind: NoteKind::Message(mime::MessageNoteKind::BadBase64),
        at: Some(7),
        message: Some(3),
        part: Some("1"),
        member: None,
    };
    let path = Some(&b"a"[..]);
    writer.write(&NoteRecord { path, note }, &mut out);
    let fault = FaultRecord {
        path,
        offset: None,
        text: "no such file",
    };
    writer.write(&fault, &mut out);
    let end = EndRecord {
        path,
        number: 2,
        count: 5,
        fault: None,
    };
    writer.write(&end, &mut out);
    let rows: Vec<_> = out.split_inclusive(|&b| b == b'\n').collect();
    let row = read(std::str::from_utf8(rows[2]).unwrap());
    assert_eq!((row.r#type.as_str(), row.reason), ("end", None));
    assert_eq!((row.request, row.count), (Some(2), Some(5)));
    let row = read(std::str::from_utf8(rows[0]).unwrap());
    assert_eq!((row.r#type.as_str(), row.path.as_str()), ("note", "a"));
    assert_eq!((row.offset, row.message_number), (Some(7), Some(3)));
    assert_eq!(row.part.as_deref(), Some("1"));
    assert_eq!(row.note.as_deref(), Some("bad-base64"));
    assert_eq!(row.reason, Some(note.kind.to_string()));
    let row = read(std::str::from_utf8(rows[1]).unwrap());
    assert_eq!((row.r#type.as_str(), row.offset), ("error", None));
    assert_eq!(row.reason.as_deref(), Some("no such file"));
}

/// The values that all rows of a message share are written once and reused.
/// They are not reused for another message that differs in one text only.
#[test]
fn a_writer_reuses_no_wrong_header() {
    let mbox = |texts: [&str; 3]| {
        let message = |text| {
            format!(
                "From a@b Thu Jan  1 00:00:00 1970\nFrom: {text}\nSubject: s\n\nhttp://a.example/ http://b.example/\n\n"
            )
        };
        texts.map(message).concat()
    };
    for texts in [["a", "b", "a"], ["", "a", ""], ["a", "a", "a"]] {
        let mut writer = json::Writer::new();
        let mut count = 0;
        let mut each = Each(|record: &Record<'_>| {
            let mut out = Vec::new();
            writer.write(record, &mut out);
            assert_eq!(String::from_utf8(out).unwrap().trim_end(), json(record));
            count += 1;
        });
        let mut searcher = Searcher::default();
        let mbox = mbox(texts);
        let source = mbox.as_bytes();
        let _ = searcher
            .visit_reader(source, ReadAs::Mbox, &mut each)
            .unwrap();
        assert_eq!(count, 6);
    }
}

#[test]
fn bad_lines_are_reported() {
    let good = json(&Record::plain(None, &hits(b"http://a.example/")[0]));
    let long = "x".repeat((1 << 20) + 10);
    let lines = format!("{good}\n\n{{\"v\":1,\"doubt\":null}}\n{long}\n[]\n{good}");
    let read: Vec<_> = json::Reader::new(lines.as_bytes())
        .map(|row| row.map(|row| row.url).map_err(|e| e.to_string()))
        .collect();
    let url = Ok(Some("http://a.example/".to_owned()));
    assert_eq!(read.len(), 5, "{read:?}");
    assert_eq!((&read[0], &read[4]), (&url, &url));
    let version = "line 3: version 1 of the schema is not supported, only 2";
    assert_eq!(read[1], Err(version.to_owned()));
    assert_eq!(read[2], Err("line 4: too long".to_owned()));
    assert!(matches!(&read[3], Err(e) if e.starts_with("line 5: not a row")));
}

/// A column can be computed alone.
#[test]
fn each_value_has_the_type_of_its_field() {
    use urlgrep::rows::Type;

    let hits = hits(b"<URL:http://u@a.example:80/b c?d#e> http://h\xFF/");
    assert_eq!(hits.len(), 2);
    let mut scratch = Vec::new();
    for hit in &hits {
        let record = Record::plain(None, hit);
        let row = Row::from(&record);
        for &field in Field::ALL {
            let ty = match row.value(field, &mut scratch) {
                Value::Null => continue,
                Value::Name(_) => Type::Name,
                Value::Text(_) => Type::Text,
                Value::Number(_) => Type::Number,
                Value::Flag(_) => Type::Flag,
                Value::Time(_) => Type::Time,
                Value::Names(_) => Type::Names,
                Value::Spans(_) => Type::Spans,
                Value::Seams(_) => Type::Seams,
                Value::Decoded(_) => Type::Decoded,
                Value::Alternates(_) => Type::Alternates,
                Value::Components(_) => Type::Components,
                other => panic!("{other:?}"),
            };
            assert_eq!(field.ty(), ty, "{}", field.name());
            assert_eq!(Field::from_name(field.name()), Some(field));
        }
    }
}

/// The values of a row that do not need `details`, as text.
fn other_values(message: &[u8], details: bool) -> Vec<String> {
    let options = Searcher::builder().columns(true).details(details);
    let (mut rows, mut scratch) = (Vec::new(), Vec::new());
    options.build().search_message(message, |found| {
        let record = Record::new(None, *found);
        let row = Row::from(&record);
        let fields = Field::ALL.iter().filter(|f| !Field::DETAILS.contains(f));
        let values = fields.map(|&f| format!("{} {:?}", f.name(), row.value(f, &mut scratch)));
        rows.push(values.collect::<Vec<_>>().join("\n"));
        ControlFlow::Continue(())
    });
    rows
}

#[test]
fn only_the_fields_of_details_need_details() {
    let mut count = 0;
    for row in rows::messages() {
        let text = rows::unescape(&row.text);
        let with = other_values(&text, true);
        assert_eq!(with, other_values(&text, false), "{}", row.name);
        count += with.len();
    }
    assert!(count > 50, "{count}");
}

#[test]
fn the_documentation_is_the_table() {
    schema::docs_are_the_table();
}

/// If the file does not contain the bytes of a hit, another decoder confirms
/// the hit. A changed row is refused.
#[test]
fn decoded_parts_agree_with_mail_parser() {
    let text = b"Subject: x\nMIME-Version: 1.0\nContent-Type: text/plain; charset=us-ascii\n\
        Content-Transfer-Encoding: base64\n\n\
        U2xpZGVzOiA8VVJMOmh0dHA6Ly93d3cuZXhhbXBsZS5uZXQvc2xpZGVzLwppbmRleC5odG1sPgo=\n";
    let mut lines = Vec::new();
    let (options, auto) = (Searcher::builder(), HeaderPolicy::Written);
    records::finds_are_confirmed(b"base64", options, auto, text, |_, line| {
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

/// Pieces of mail whose meaning depends on the bytes after them, or that are encoded.
const MAIL: &[&str] = &[
    "Content-Type: text/html\n",
    "Content-Type: text/plain; charset=iso-2022-jp\n",
    "Content-Type: text/plain; charset=utf-7\n",
    "Content-Type: text/plain; format=flowed; delsp=yes\n",
    "Content-Type: application/o\n",
    "Content-Type: application/octet-stream; name=a.bin\n",
    "Content-Type: message/rfc822\n",
    "Content-Type: text/calendar\n",
    "Content-Type: application/xml\n",
    "Content-Type: multipart/mixed; boundary=b\n",
    "Content-Type: multipart/alternative; boundary=b\n",
    "Content-Transfer-Encoding: quoted-printable\n",
    "Content-Transfer-Encoding: base64\n",
    "Content-Disposition: attachment\n",
    "In-Reply-To: <a@b.example>\n",
    "List-Id: <talk.a.example>\n",
    "From: Ann Reed <ann@a.example>\n",
    "\n",
    "\n",
    "\r\n",
    "\n--b\n",
    "\n--b--\n",
    "=\n",
    "=3D",
    "=20\n",
    "=",
    ">",
    "> ",
    ">> > ",
    "&gt;",
    "&gt;&gt; ",
    "\u{203A} ",
    "| ",
    "   ",
    "-- \n",
    "--\n",
    "Ann Reed\n",
    "Regards,\n",
    "________________________________\n",
    "Ann Reed wrote:\n",
    "On Monday Ann Reed\nwrote:\n",
    "-----Original Message-----\n",
    "From: a\nSent: b\nSubject: c\n",
    "##- Reply above this line -##\n",
    "-------- Original Message --------From: a <a@b.example> Date: c\n",
    "On Mon, Mar 4, 2024 at 9:12, Ann<a@b.example> wrote:   ",
    "This email and any attachments are confidential\n",
    "EMAIL PREFERENCES\n",
    "AR> ",
    "P.S.: ",
    "<a href=http://a.example/>",
    "<a href=\"p://\">",
    "<a href=\"http:\\\\b.\nexample\">",
    "</a>",
    "<b>",
    "<br>",
    "<p>",
    "<blockquote>",
    "</blockquote>",
    "<div class=gmail_quote>",
    "</div>",
    "<base href=\"http://c.example/\">",
    "<img src=d>",
    "<!--",
    "-->",
    "WWW.",
    "www.a.ps://c",
    "e.org/o",
    "a.example",
    "http://",
    "S://l",
    "<URL:",
    "aHR0cDovL2EuZXhhbXBsZS8K\n",
    "d3d3LmEucHM6Ly9j\n",
    "tp://w",
    "\u{1B}$B",
    "\u{1B}(B",
    "+AGE-",
    "+AG",
    "\u{E9}",
    " ",
];

fn mail() -> impl Strategy<Value = Vec<u8>> {
    let word = prop_oneof![
        6 => select(MAIL),
        1 => generate::token(),
    ];
    let words = prop::collection::vec(word, 0..50);
    words.prop_map(|words| format!("Subject: x\n{}", words.concat()).into_bytes())
}

proptest! {
    #![proptest_config(generate::config(400))]

    /// Rows have the same columns however their mail comes in, and each is verified.
    #[test]
    fn cuts_of_mail_make_no_difference(
        mail in mail(),
        cuts in prop::collection::vec(any::<Index>(), 0..6),
        all_forms in any::<bool>(),
    ) {
        let mut options = Searcher::builder().columns(true);
        if all_forms {
            let forms = Form::ALL.iter().copied();
            options = options.extractor(Extractor::builder().forms(forms).rejects(true));
        }
        let cuts: Vec<_> = cuts.iter().map(|cut| cut.index(mail.len() + 1)).collect();
        records::cuts_make_no_difference(options, ReadAs::Message, &mail, &cuts);
        records::streams_are_confirmed(options, ReadAs::Message, &mail, &[1, 2, 5]);
    }
}

/// Words of a page. Some links have no text, and some targets are rejects.
const PAGE: &[&str] = &[
    "http://a.example/",
    "http://b.example/",
    "http://<b>c</b>.example/",
    "http&#58;//d.example/",
    "<a href=http://a.example/>",
    "<a href=\"http://b.example/?c&amp;d\"></a>",
    "<a href=http://p&shy.example/></a><a href=http://q.example/></a>",
    "<a href=hxxp://r.example/></a><a href=news:*.s></a><a href=t:></a>",
    "<a href=u></a><p>",
    "<img src=http://i.example/>",
    "</a>",
    "<p>",
    "<br>",
    "<blockquote type=cite>",
    "</blockquote>",
    "<style>a { b: url(http://s.example/) }</style>",
    "&gt; ",
    "&shy",
    "&lt;URL:",
    "\u{300A}\u{0A41}",
    "\u{3042}\u{E9}",
    "\r\n",
    "\n",
    "\n\n",
    " ",
    "x ",
];

/// How a text comes in a part: its charset, and whether as quoted-printable or base64.
#[derive(Clone, Copy, Debug)]
enum Coding {
    Plain,
    Quoted,
    Base64,
}

/// A page as a message in this charset.
fn coded(page: &str, charset: &str, coding: Coding) -> Vec<u8> {
    let units = page.encode_utf16();
    let bytes: Vec<u8> = match charset {
        "utf-16be" => units.flat_map(u16::to_be_bytes).collect(),
        "utf-16le" => units.flat_map(u16::to_le_bytes).collect(),
        _ => page.as_bytes().to_vec(),
    };
    let (name, body) = match coding {
        Coding::Plain => ("8bit", bytes),
        Coding::Base64 => ("base64", records::base64(&bytes).into_bytes()),
        Coding::Quoted => {
            let mut body = String::new();
            for (i, &b) in bytes.iter().enumerate() {
                match b {
                    b'\n' if !charset.starts_with("utf-16") => body.push('\n'),
                    b'=' | 0..=0x1F | 0x7F.. => body += &format!("={b:02X}"),
                    _ => body.push(char::from(b)),
                }
                if i % 20 == 19 {
                    body += "=\n";
                }
            }
            ("quoted-printable", body.into_bytes())
        }
    };
    let head = format!(
        "Subject: x\nContent-Type: text/html; charset={charset}\n\
        Content-Transfer-Encoding: {name}\n\n"
    );
    [head.as_bytes(), &body].concat()
}

proptest! {
    #![proptest_config(generate::config(300))]

    /// A page has the same rows however it comes in, whatever its charset is. Each row is
    /// verified, and no hit depends on the rejects beside it.
    #[test]
    fn coded_pages_have_one_answer(
        words in prop::collection::vec(select(PAGE), 0..60),
        charset in select(&["utf-8", "utf-16be", "utf-16le", "gb18030", "iso-2022-jp", "utf-7"][..]),
        coding in select(&[Coding::Plain, Coding::Quoted, Coding::Base64][..]),
    ) {
        let mail = coded(&words.concat(), charset, coding);
        let options = Searcher::builder().columns(true);
        records::streams_are_confirmed(options, ReadAs::Message, &mail, &[1, 2, 5, 64]);
        records::rejects_change_no_hit(Extractor::builder(), ReadAs::Message, &mail);
    }
}

const STRINGS: &[&str] = &[
    "{\"",
    "\":\"",
    "\",\"",
    "[",
    "]",
    "{",
    "}",
    "\"",
    ",",
    ":",
    "\\",
    "\\n",
    "\\\"",
    "\\/",
    "\\u0026",
    "\\ud83d",
    "\\ude00",
    "null",
    "-1.5",
    "\n",
    " ",
    "\"ts\":\"1764183828.0001\",",
    "\"from\":\"Ida\",",
    "\"text\":\"see http://a.example/b",
    "http:\\/\\/a.example\\/c",
    "<http://a.example/d|e>",
    "&amp;",
    "hxxp://a[.]example",
    "\u{e9}",
    "\u{feff}",
    "(http://a.example/f_",
];

proptest! {
    #![proptest_config(generate::config(400))]

    /// JSON and tables have the same rows however they come in, and each row is verified.
    #[test]
    fn chunks_of_json_make_no_difference(
        start in select(&["{\"a\":\"", "[\"", "", "a,b\n1,"][..]),
        words in prop::collection::vec(select(STRINGS), 0..40),
        read_as in select(&[ReadAs::Json, ReadAs::Csv, ReadAs::Auto][..]),
        refangs in any::<bool>(),
    ) {
        let text = format!("{start}{}", words.concat());
        let extractor = Extractor::builder().rejects(true).refang(refangs);
        let options = Searcher::builder().extractor(extractor).columns(true);
        records::streams_are_confirmed(options, read_as, text.as_bytes(), &[1, 2, 5, 64]);
    }
}

/// Found by fuzzing: a column depended on the place of a cut, or was wrong.
const FOUND: &[&str] = &[
    // The depth of a link before quote marks that the end of the part follows.
    "Content-Type: text/html\n\n<a href=http://a.example/>&gt;&gt;",
    "Content-Type: text/html\n\n<a href=http://a.example/>&gt; &#x203a;",
    // The place after a soft break at the start of a part of unknown type.
    "Content-Type: application/o\nContent-Transfer-Encoding: quoted-printable\n\nA=\nS://l",
    // The line after blank lines of a part that is not base64 although it says so.
    "Content-Type: e/f\nContent-Transfer-Encoding: base64\n\n\ntp://w",
    "Content-Type: e/f\nContent-Transfer-Encoding: base64\n\n\n\n\nhttp://a.example/ b",
    "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\n\n\nhttp://a.example/ b",
    // The text of a link that is a host without a scheme, and a URL.
    "Content-Type: text/html\n\n<a href=p://>WWW.<b>e.org/o\n<a>",
    "Content-Type: text/html\n\n<a href=http://a.example>WWW.e.org/o</a> b",
    // A soft hyphen whose name has no `;`.
    "Content-Type: text/html\n\nhttp://p&shyaypal.example/ b",
    // A host without a scheme takes the place of a URL if such hosts are searched for.
    "Content-Type: text/x-vcard\nContent-Transfer-Encoding: base64\n\nd3d3LmEucHM6Ly9j",
];

/// Found by fuzzing: a row was called wrong, or was wrong.
#[test]
fn rows_of_odd_texts_are_confirmed() {
    let long = format!("\"see: http:\n{}\"http://a.example/\n", "a b ".repeat(600));
    for (read_as, text) in [
        // The URL Standard allows characters beyond ASCII, and a bracket in a query.
        (ReadAs::Text, "http://a.example/?\u{e9}[1 "),
        // A colour between a backslash and the line end that it escapes.
        (ReadAs::Text, "http://a.example/b\\\u{1b}[m\nc "),
        // The mark of mutt before the rest of a line.
        (
            ReadAs::Text,
            "the graphs of the last night are all at this address http://grafana.a.example/d/b\n\
            +?orgId=1&from=now-6h&to=now\n",
        ),
        // The line feed in the first field of a table.
        (ReadAs::Csv, "\"see: http:\n\"http://a.example/\n"),
        (ReadAs::Csv, &long),
        (ReadAs::Json, "\"see: http:\n\"http://a.example/\n"),
    ] {
        let options = Searcher::builder().columns(true);
        let count = records::streams_are_confirmed(options, read_as, text.as_bytes(), &[1, 7]);
        assert_eq!(count.replayed, 1, "{text}");
    }
}

/// The record of a defanged URL in an attachment does not say that such URLs were searched for.
#[test]
fn defanged_urls_of_attachments_are_confirmed() {
    let attached = records::base64(b"hxxp://a[.]example/b http://c.example/");
    let mail = format!(
        "From: a\nSubject: b\nContent-Type: application/octet-stream; name=f\n\
        Content-Transfer-Encoding: base64\n\n{attached}"
    );
    let options = Searcher::builder().extractor(Extractor::builder().refang(true));
    let count = records::streams_are_confirmed(options, ReadAs::Message, mail.as_bytes(), &[1]);
    assert_eq!(count.replayed, 2);
}

#[test]
fn no_cut_makes_a_difference() {
    for mail in FOUND {
        let mail = format!("Subject: x\n{mail}");
        let forms = Form::ALL.iter().copied();
        let all = Extractor::builder().forms(forms).rejects(true);
        for extractor in [Extractor::builder(), all] {
            let options = Searcher::builder().columns(true).extractor(extractor);
            let mail = mail.as_bytes();
            let count = records::no_cut_makes_a_difference(options, ReadAs::Message, mail);
            assert!(
                count.replayed + count.decoded > 0,
                "{}",
                mail.escape_ascii()
            );
            records::streams_are_confirmed(options, ReadAs::Message, mail, &[1, 2]);
        }
    }
}

/// Found by a search for inputs whose rows depend on their chunks.
const FOUND_IN_TEXTS: &[(ReadAs, &str)] = &[
    // A page that is cut before the backslash for which the layer of escapes refuses its word.
    (ReadAs::Json, r#"tp://\/c}nu.4/b\/\u00a,b\r\n \"\u0026[H"#),
    (
        ReadAs::Text,
        "\\\\* urn:x:www.c.example/\r\nx#f-abc-defxxxxxxxxxxxx\nxxxxxxxxample/?",
    ),
    // The column `continues`.
    (
        ReadAs::Text,
        "\\htp:a.://x\n.ä%20\\http://paypal.com/x-xxxxxxxxx?q=1",
    ),
];

/// The rows of a text do not depend on the place of any cut, nor on the size of chunks.
#[test]
fn no_cut_of_a_text_makes_a_difference() {
    let forms = Form::ALL.iter().copied();
    let all = Extractor::builder().forms(forms.clone()).rejects(true);
    let of_forms = Extractor::builder().forms(forms);
    for &(read_as, text) in FOUND_IN_TEXTS {
        for extractor in [Extractor::builder(), of_forms, all] {
            let options = Searcher::builder().columns(true).extractor(extractor);
            let text = text.as_bytes();
            records::no_cut_makes_a_difference(options, read_as, text);
            records::streams_are_confirmed(options, read_as, text, &[1, 2, 3, 7, 64]);
        }
    }
}

/// Parts of texts whose places are read through a view: escapes, control codes, rows of a
/// terminal and marks that defang.
const VIEWED: &[&str] = &[
    "\\/c}",
    "\\/",
    "\\u0026",
    "\\u00a,",
    "\\n",
    "\\r\\n ",
    "\\\"",
    "\\q",
    "\\\n",
    "\\",
    "\u{1b}[1m",
    "_\u{8}",
    "%\n",
    "\n",
    "\r\nx",
    "\n+",
    " | ",
    "xxxxxxxxxxxx",
    "-abc-def",
    "example/?q=1",
    "#f",
    ".",
    " http://paypal.com/x",
    " tp://x",
    " urn:x:www.c.example/",
];

/// Beginnings of such texts.
const BEGINNINGS: &[&str] = &[
    "tp://\\/a.4/b",
    "http://a.example/b",
    "\\\\* urn:x:www.c.example/",
    "\\htp:a.://x",
    "hxxp://b[.]example/",
    "http:\\/\\/a.example\\/b",
];

fn viewed() -> impl Strategy<Value = Vec<u8>> {
    let words = prop::collection::vec(select(VIEWED), 2..10);
    (select(BEGINNINGS), words)
        .prop_map(|(first, words)| format!("{first}{}", words.concat()).into_bytes())
}

proptest! {
    #![proptest_config(generate::config(150))]

    /// Rows of texts that are read through a view do not depend on the chunks.
    #[test]
    fn cuts_of_viewed_texts_make_no_difference(
        text in viewed(),
        read_as in select(&[ReadAs::Text, ReadAs::Json, ReadAs::Csv]),
        refang in any::<bool>(),
        all_forms in any::<bool>(),
    ) {
        let mut extractor = Extractor::builder().refang(refang);
        if all_forms {
            extractor = extractor.forms(Form::ALL.iter().copied());
        }
        let options = Searcher::builder().columns(true).extractor(extractor);
        records::no_cut_makes_a_difference(options, read_as, &text);
        records::streams_are_confirmed(options, read_as, &text, &[1, 3, 7, 64]);
    }
}

/// Rows of the profile `whatwg` are about the text as it was written too.
#[test]
fn rows_of_browsers_are_confirmed() {
    let texts = [
        ("http://:@a.example/", 1),
        ("http://u:@a.example/ ftp://:p@b.example/x", 2),
        (
            "http://a.example/%0D/../x http://a.example/%0a/../%00/../y",
            2,
        ),
    ];
    let whatwg = || Extractor::builder().profile(Profile::Whatwg);
    for (text, hits) in texts {
        let count = records::hits_are_confirmed(b"a", whatwg(), text.as_bytes(), |_, _| {});
        assert_eq!(count.replayed, hits, "{text}");
    }
    let page = "<style>a { b: url(\"data:, '\") }</style><a href=\"data:, b  c\">d</a>";
    let mail = format!("Subject: x\nContent-Type: text/html\n\n{page}");
    let options = Searcher::builder().extractor(whatwg());
    let count = records::streams_are_confirmed(options, ReadAs::Message, mail.as_bytes(), &[1]);
    assert_eq!(count.replayed, 2);
}

/// A URL of the maximum length is found before punctuation too, and a longer one is none,
/// even if it is joined from lines.
#[test]
fn urls_have_a_maximum_length() {
    let max = urlgrep::ExtractorBuilder::URL_MAX;
    let head = "http://a.example/";
    let url = |len: usize| format!("{head}{}", "b".repeat(len - head.len()));
    for end in [
        "", " ", "\n", ".", ",", ".\n", "...", ").", "? ", ">", "\" ",
    ] {
        for (len, found) in [
            (max - 1, 1),
            (max, 1),
            (max + 1, 0),
            (max + 2, 0),
            (max + 40, 0),
        ] {
            let text = format!("see {}{end}", url(len));
            let builder = Extractor::builder();
            let hits: Vec<_> = builder.build().find_iter(text.as_bytes()).collect();
            let lens: Vec<_> = hits.iter().map(|hit| hit.text().len()).collect();
            assert_eq!(lens, vec![len; found], "{len} and {end:?}");
        }
    }
    // Soft breaks that no header declares, after an escape.
    for (lines, is_found) in [(20, true), (30, false)] {
        let line = format!("{}=3D=\n", "b".repeat(300));
        let text = format!("{head}{}c\n", line.repeat(lines));
        let builder = Extractor::builder().rejects(true);
        let hits: Vec<_> = builder.build().find_iter(text.as_bytes()).collect();
        assert!(hits.iter().all(|hit| hit.text().len() <= max), "{lines}");
        let whole = head.len() + 301 * lines + 1;
        let is_whole = |hit: &Hit| hit.url().is_ok() && hit.text().len() == whole;
        assert_eq!(hits.iter().any(is_whole), is_found, "{lines}");
    }
}

/// A byte order mark is in the first line of its file, whatever the file is read as.
#[test]
fn a_byte_order_mark_counts_as_columns() {
    let mail = "\u{feff}Subject: http://a.example/\n http://b.example/\n\nhttp://c.example/\n";
    // The same field in an attached message does not begin after the mark.
    let attached = "\u{feff}X-A: http://a.example/\nSubject: b\nContent-Type: message/rfc822\n\n\
        X-A: http://a.example/\nSubject: b\n\nhttp://c.example/\n";
    for (read_as, text, rows) in [
        (ReadAs::Message, attached, 3),
        (ReadAs::Text, "\u{feff}xp://x", 1),
        (ReadAs::Csv, "\u{feff}xp://x", 1),
        (ReadAs::Json, "\u{feff}xp://x\nxp://y", 2),
        (
            ReadAs::Message,
            "\u{feff}http://a.example/\nhttp://b.example/",
            2,
        ),
        (ReadAs::Message, mail, 3),
        // Three bytes that are no mark.
        (ReadAs::Message, "\n\n\nhttp://a.example/", 1),
    ] {
        let options = Searcher::builder().columns(true);
        let text = text.as_bytes();
        let count = records::streams_are_confirmed(options, read_as, text, &[1, 2, 3, 7]);
        assert_eq!(count.replayed, rows, "{}", text.escape_ascii());
    }
}
