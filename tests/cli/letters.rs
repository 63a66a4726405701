//! Letters beyond ASCII: whatever prints a field prints what `--format` prints for it.

use super::kit::{Dir, Out};
use crate::common::make;

use urlgrep::rows::{Field, Type};

/// A message with letters beyond ASCII in every text that can have them.
const MESSAGE: &str = "From: Ann M\u{fc}ller <\u{e4}nn@b.example>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\
    To: J\u{f6}rg <j@b.example>\nCc: Zo\u{eb} <z@b.example>\n\
    Newsgroups: de.caf\u{e9}\nList-Id: <liste.\u{f6}.example>\nMessage-ID: <\u{e4}@b.example>\n\
    Subject: Gr\u{fc}\u{df}e \u{2014} \u{65e5}\u{672c}\nMIME-Version: 1.0\n\
    Content-Type: text/html; charset=utf-8\n\n\
    <a href=\"http://\u{fc}ser:p\u{f6}@k\u{e4}se.example/\u{e9}?\u{e4}=\u{f6}#\u{fc}\">http://w\u{fc}rst.example/\u{e4}</a>\n\
    <a href=\"https://www.google.com/url?q=http://x.example/\u{e4}\">x</a>\n\
    <a href=\"http://xn--bcher-kva.example/\">y</a>\n";

/// A message with an attachment and an attached archive. The archive follows.
const ATTACHED: &str = "From: a@b.example\nSubject: x\nMIME-Version: 1.0\n\
    Content-Type: multipart/mixed; boundary=b\n\n\
    --b\nContent-Disposition: attachment; filename=\"gr\u{fc}n.txt\"\n\nhttp://attached.example/\n\
    --b\nContent-Type: application/x-tar\n\
    Content-Disposition: attachment; filename=\"a.tar\"\n\n";

const RECORD: &str = "WARC/1.0\r\nWARC-Type: conversion\r\n\
    WARC-Target-URI: http://page.example/\u{e4}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
    Content-Type: text/plain\r\nContent-Length: 23\r\n\r\nhttp://record.example/\n\r\n\r\n";

/// Fields whose texts have no other letters than those of ASCII: what the specifications allow, and
/// words of ours.
const PLAIN: [&str; 11] = [
    "canonical",
    "surt",
    "uri",
    "scheme",
    "reason",
    "content_type",
    "header",
    "year",
    "month",
    "day",
    "timestamp",
];

/// The option that selects the row which has letters in `field`.
fn row_with(field: &str) -> &'static str {
    match field {
        "unwrapped" => "--host=google.com",
        "host_meaning" => "--host=xn--bcher-kva.example",
        "file_name" => "--host=attached.example",
        "member" => "--host=member.example",
        "record_url" => "--host=record.example",
        _ => "--host=k\u{e4}se.example",
    }
}

/// All fields that may have these letters: a new field is one of them, or of [`PLAIN`].
fn fields() -> Vec<&'static str> {
    let texts = Field::ALL.iter().filter(|field| field.ty() == Type::Text);
    let names = texts.map(|field| field.name());
    names.filter(|name| !PLAIN.contains(name)).collect()
}

/// The fields of `--tally` among them, which a mistake names. The URL is counted in its canonical
/// form, so that it is compared as it is without fields.
fn tallied(dir: &Dir) -> Vec<&'static str> {
    let mistake = dir.run(["--tally=x", "."]).errors;
    let (_, list) = mistake.split_once("the fields are ").expect("a list");
    let keys: Vec<_> = list.split(", ").collect();
    let mut fields = fields();
    fields.retain(|field| keys.contains(field) && *field != "url");
    fields
}

fn archive() -> Dir {
    let dir = Dir::new();
    dir.write("Gr\u{f6}\u{df}e/m.eml", MESSAGE);
    let attached = make::tar(&[("\u{fc}.txt", b"http://member.example/\n")]);
    dir.write(
        "Gr\u{f6}\u{df}e/a.eml",
        [ATTACHED.as_bytes(), &attached, b"\n--b--\n"].concat(),
    );
    dir.write("Gr\u{f6}\u{df}e/r.warc", RECORD);
    dir
}

/// Runs the command on the row that has letters in `field`.
fn run(dir: &Dir, field: &str, args: &[&str]) -> Out {
    let row = row_with(field);
    let out = dir.run(args.iter().chain([&row, &"Gr\u{f6}\u{df}e"]));
    assert_eq!(out.code, Some(0), "{args:?}: {}", out.errors);
    out
}

fn line(dir: &Dir, field: &str, args: &[&str]) -> String {
    run(dir, field, args)
        .text()
        .lines()
        .last()
        .unwrap_or_default()
        .to_owned()
}

fn json_value(line: &str, field: &str) -> String {
    let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
    row[field].as_str().expect("a text").to_owned()
}

/// The value that `--format` prints.
fn formatted(dir: &Dir, field: &str) -> String {
    let value = line(dir, field, &["--format", &format!("{{{field}}}")]);
    assert!(
        !value.is_ascii() && !value.contains('\\'),
        "{field}: {value}"
    );
    value
}

#[test]
fn rows_have_the_letters_of_format() {
    let dir = archive();
    for field in fields() {
        let expected = formatted(&dir, field);
        let quoted = format!("\"{expected}\"");
        for args in [
            &["--csv", "--fields", field][..],
            &["--csv=excel", "--fields", field],
            &["--tsv", "--fields", field],
            &["--fields", field],
        ] {
            let value = line(&dir, field, args);
            assert!([&expected, &quoted].contains(&&value), "{args:?}: {value}");
        }
        for args in [
            &["--json", "--fields", field][..],
            &["--json", "--rejects=both", "--fields", field],
        ] {
            let value = line(&dir, field, args);
            assert_eq!(json_value(&value, field), expected, "{args:?}");
        }
    }
    for field in Field::KEYS.iter().map(|field| field.name()) {
        if fields().contains(&field) {
            assert_eq!(
                json_value(&line(&dir, field, &["--json"]), field),
                formatted(&dir, field)
            );
        }
    }
}

#[test]
fn tallies_have_the_letters_of_format() {
    let dir = archive();
    for field in tallied(&dir) {
        let expected = formatted(&dir, field);
        // Recipients are counted one by one, and the last line is that of the last one.
        let expected = expected.rsplit(", ").next().expect("a value");
        let tally = format!("--tally={field}");
        assert_eq!(line(&dir, field, &[&tally]), format!("1\t{expected}"));
        assert_eq!(
            line(&dir, field, &[&tally, "--tsv"]),
            format!("1\t{expected}")
        );
        assert_eq!(
            line(&dir, field, &[&tally, "--csv"]),
            format!("1,{expected}")
        );
        assert_eq!(
            json_value(&line(&dir, field, &[&tally, "--json"]), field),
            expected
        );
    }
    let url = formatted(&dir, "url");
    assert_eq!(line(&dir, "url", &["--tally"]), format!("1\t{url}"));
    assert_eq!(
        json_value(&line(&dir, "url", &["--tally", "--json"]), "url"),
        url
    );
}

#[test]
fn texts_for_people_have_the_letters_of_format() {
    let dir = archive();
    let value = |field| formatted(&dir, field);
    for (args, fields) in [
        (
            &["--heading", "-H"][..],
            &["path", "from", "subject", "url"][..],
        ),
        (&["-H"], &["path", "url"]),
        (&["-l"], &["path"]),
        (&["-cH"], &["path"]),
        (&["--explain"], &["path", "url", "from", "subject"]),
        #[cfg(feature = "report")]
        (&["--report=-"], &["host", "from", "group", "path"]),
    ] {
        // A report counts all hits.
        let out = match args {
            ["--report=-"] => dir.run(["--report=-", "Gr\u{f6}\u{df}e"]),
            _ => run(&dir, "url", args),
        };
        let shown = out.text().replace("&lt;", "<").replace("&gt;", ">");
        for field in fields {
            assert!(shown.contains(&value(field)), "{args:?}: {field}: {shown}");
        }
    }
    // A refused text, and the verdict of --check.
    dir.write("r", "http://h_\u{fc}^/ \n");
    let refused = dir.run(["--rejects", "--format={url}", "r"]).text();
    let refused = refused.trim_end();
    assert!(refused.contains('\u{fc}'), "{refused}");
    let shown = dir.run(["--rejects", "r"]).text();
    assert!(shown.starts_with(&format!("{refused}\t")), "{shown}");
    let shown = dir.pipe(["--check"], refused.as_bytes()).text();
    assert!(
        shown.starts_with(&format!("invalid\t{refused}\t")),
        "{shown}"
    );
}

#[cfg(feature = "ledger")]
#[test]
fn ledgers_have_the_letters_of_format() {
    let dir = archive();
    let all = dir.path().join("Gr\u{f6}\u{df}e");
    let out = dir.run([&"--ledger=links.db".into(), &all.into_os_string()]);
    assert_eq!(out.code, Some(0), "{}", out.errors);
    let ledger = |args: &[&str]| {
        let row = row_with("url");
        let args = args.iter().chain([&"--ledger=links.db", &row]);
        dir.run(args)
            .text()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    };
    for field in ["host", "domain", "from", "subject", "group", "url"] {
        let expected = formatted(&dir, field);
        assert_eq!(ledger(&["--format", &format!("{{{field}}}")]), expected);
        assert_eq!(ledger(&["--tsv", "--fields", field]), expected);
        if field != "url" {
            assert_eq!(
                ledger(&[&format!("--tally={field}")]),
                format!("1\t{expected}")
            );
        }
    }
}
