//! Compressed files and archives.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use urlgrep::mail::{ReadAs, sniff};

use super::kit::Dir;
use crate::common::fields::{SIZES, server_fields};
use crate::common::rows;

#[derive(Deserialize)]
struct Row {
    text: String,
    container: String,
}

const HEAD: &str = "From: a@b.example\nSubject: x\n\n";
const BODY: &str = "<URL:http://a.example/>\n";

/// One file with a URL for each kind of container.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let message = format!("{HEAD}{BODY}");
    let mbox = |line: &str| format!("From {line}\n{message}\n");
    let session = format!("200 news ready\n220 1 <a@b>\n{message}.\n");
    let batch = format!("#! rnews {}\n{message}", message.len());
    let blob = format!("{} blob {}\n{message}\n", "0".repeat(40), message.len());
    let mut samples: Vec<(&str, Vec<u8>)> = [
        ("text", BODY.to_owned()),
        ("message", message.clone()),
        (
            "html",
            "<!DOCTYPE html>\n<html><body><a href=\"http://a.example/\">a</a></body></html>\n"
                .into(),
        ),
        (
            "calendar",
            "BEGIN:VCALENDAR\nURL:http://a.exa\n mple/\\,b\nEND:VCALENDAR\n".into(),
        ),
        (
            "xml",
            "<?xml version=\"1.0\"?><x>http://a.example/?b&amp;c</x>\n".into(),
        ),
        ("json", "[\"http:\\/\\/a.example\\/b\"]\n".into()),
        ("emlx", format!("{}\n{message}<?xml", message.len())),
        (
            "a-news",
            format!("Aucbvax.1\nfa.test\nucbvax!a\nMon Jan  4 09:00:00 1982\nx\n{BODY}"),
        ),
        ("mbox", mbox("a@b.example Thu Jan  1 00:00:00 1998")),
        ("mbox-dots", mbox("...")),
        ("mbox-number", mbox("1234567890")),
        ("mbox-dash", mbox("-")),
        ("mbox-any", mbox("somebody")),
        ("git-cat-file", blob),
        (
            "warc",
            "WARC/1.0\nWARC-Type: conversion\nContent-Type: text/plain\nContent-Length: 18\n\nhttp://a.example/\n\n\n".into(),
        ),
        ("rnews", batch.clone()),
    ]
    .map(|(kind, text)| (kind, text.into_bytes()))
    .into();
    let crlf = |text: String| text.replace('\n', "\r\n").into_bytes();
    samples.push(("nntp", crlf(session)));
    samples.push(("wire", crlf(format!("{message}.\n"))));
    let mac = mbox("a@b.example Thu Jan  1 00:00:00 1998").replace('\n', "\r");
    samples.push(("mbox-cr", mac.into_bytes()));
    let mut zlib = flate2::write::ZlibEncoder::new(b"#! zunbatch\n".to_vec(), Default::default());
    zlib.write_all(batch.as_bytes()).unwrap();
    samples.push(("zunbatch", zlib.finish().unwrap()));
    for (kind, line) in [
        ("cunbatch", b"#! cunbatch\n"),
        ("gunbatch", b"#! gunbatch\n"),
    ] {
        samples.push((kind, [&line[..], &gzip(batch.as_bytes())].concat()));
    }
    samples
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut to = bzip2::write::BzEncoder::new(Vec::new(), Default::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Verifies the records of this file. Returns their number.
#[track_caller]
fn verified(dir: &Dir, file: &Path, name: &str) -> usize {
    let records = dir
        .run([Path::new("--json"), Path::new("--notes"), file])
        .bytes;
    let out = dir.pipe(["--verify"], &records);
    let right = out.code == Some(0) && out.errors.contains(" 0 wrong, 0 not read");
    assert!(right, "{name}: {}{}", out.text(), out.errors);
    records
        .windows(12)
        .filter(|w| w == b"\"type\":\"hit\"")
        .count()
}

/// The records of every kind of container, packed in every way, are replayed, or
/// counted as records that cannot be replayed. None of them is reported as wrong.
#[test]
fn verify_recognises_packed_files() {
    let dir = Dir::new();
    let mut kinds = BTreeSet::new();
    for (kind, bytes) in samples() {
        assert_eq!(sniff(&bytes, true, ReadAs::Auto).name(), kind);
        kinds.insert(kind.to_owned());
        for packed in [bytes.clone(), gzip(&bytes), bzip2(&bytes), zstd(&bytes)] {
            dir.write("file", packed);
            assert!(
                verified(&dir, Path::new("file"), kind) > 0,
                "{kind}: no hit"
            );
        }
    }
    for file in rows::files("containers") {
        for Row { text, container } in rows::read_rows::<Row>(&file) {
            dir.write("file", rows::unescape(&text.replace(['⟦', '⟧'], "")));
            verified(&dir, Path::new("file"), &text);
            assert!(kinds.contains(&container), "no sample of {container}");
        }
    }
    let unpack: PathBuf = [env!("CARGO_MANIFEST_DIR"), "testdata", "unpack"]
        .iter()
        .collect();
    for entry in std::fs::read_dir(unpack).unwrap() {
        let file = entry.unwrap().path();
        verified(&dir, &file, &file.display().to_string());
    }
}

/// A message is decoded although its own header begins after kilobytes of fields that
/// servers put before it: as a file, from a pipe, in an archive, and with threads.
#[test]
#[cfg(unix)]
fn long_headers_in_every_kind_of_input() {
    let message = format!("{HEAD}see h=\nttp://a.example/\n")
        .replace("\n\n", "\nContent-Transfer-Encoding: quoted-printable\n\n");
    for fields in SIZES.into_iter().flat_map(server_fields) {
        let long = format!("{fields}{message}");
        let dir = Dir::with("m/1", &long);
        dir.write("m/2", &long);
        dir.write("m/3.gz", gzip(long.as_bytes()));
        assert_eq!(dir.shell("tar cf m/4.tar -C m 1 2").code, Some(0));
        for threads in ["-j1", "-j2"] {
            for size in ["300", "5000", "1000000"] {
                dir.run([threads, "--segment-size", size, "-I", "m"])
                    .is(&"http://a.example/\n".repeat(5));
            }
        }
        dir.pipe(["-"], long.as_bytes()).is("http://a.example/\n");
        dir.pipe(["--batch"], b"m/1\n").is("http://a.example/\n\n");
        let batch = format!("{}:{long},", long.len());
        dir.pipe(["--batch=netstring"], batch.as_bytes())
            .is("http://a.example/\n\n");
    }
}

/// A table is told from text by the name of its file alone, also in a compressed file and in an
/// archive, and as an attachment.
#[test]
fn tables_have_names() {
    let table = b"url,width\nhttp://a.example/x.png,640\n";
    let dir = Dir::with("a.csv", table);
    dir.write("b.TSV", b"http://a.example/x,1\t640\n");
    dir.write("c.csv.gz", gzip(table));
    dir.write("d.txt", table);
    let mail = format!(
        "From: a@b.example\nSubject: x\nContent-Type: application/octet-stream; name=e.csv\n\n{}",
        String::from_utf8_lossy(table)
    );
    dir.write("e.eml", mail);
    let field = "http://a.example/x.png\n";
    dir.run(["a.csv"]).is(field);
    dir.run(["b.TSV"]).is("http://a.example/x,1\n");
    dir.run(["c.csv.gz"]).is(field);
    dir.run(["d.txt"]).is("http://a.example/x.png,640\n");
    dir.run(["--as=csv", "d.txt"]).is(field);
    dir.run(["--as=text", "a.csv"])
        .is("http://a.example/x.png,640\n");
    dir.run(["e.eml"]).is(field);
    dir.run(["--format={read_as} {line} {role}", "a.csv"])
        .is("csv 2 \n");
    for file in ["a.csv", "b.TSV", "c.csv.gz", "e.eml"] {
        assert_eq!(verified(&dir, &dir.path().join(file), file), 1, "{file}");
    }
}

/// JSON is read as its strings wherever it is: in a file of any name, from a pipe, compressed, and
/// as an attachment, where the date and the author are those of the mail.
#[test]
fn json_is_read_everywhere() {
    let json = r#"[{"text": "http:\/\/a.example\/b", "author": "Joe", "date": "2020-02-02"}]"#;
    let dir = Dir::with("a.txt", json);
    dir.write("b.gz", gzip(json.as_bytes()));
    for (name, fields) in [
        ("c", "application/json"),
        ("d", "text/plain; name=d.jsonl"),
        ("e", "application/octet-stream"),
    ] {
        let header = "From: ann@a.example\nSubject: x\nDate: Fri, 3 Jan 2020 00:00:00 +0000\n";
        let mail = format!("{header}Content-Type: {fields}\n\n{json}\n");
        dir.write(format!("{name}.eml"), mail);
    }
    let format = "--format={read_as} {date} {from} {role} {url}";
    let row = "json 2020-02-02T00:00:00Z Joe  http://a.example/b\n";
    dir.run([format, "a.txt"]).is(row);
    dir.run([format, "b.gz"]).is(row);
    dir.pipe([format], json.as_bytes()).is(row);
    dir.run([format, "--since=2020-02", "--from=joe", "a.txt"])
        .is(row);
    dir.run([format, "--since=2020-03", "a.txt"]).is_none();
    dir.run([format, "--from=ann", "a.txt"]).is_none();
    for mail in ["c.eml", "d.eml", "e.eml"] {
        dir.run([format, mail])
            .is("message 2020-01-03T00:00:00Z ann@a.example attachment http://a.example/b\n");
        assert_eq!(verified(&dir, Path::new(mail), mail), 1, "{mail}");
    }
    assert_eq!(verified(&dir, Path::new("a.txt"), "a.txt"), 1);
}
