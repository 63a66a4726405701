//! Web archives: records become messages, and their bodies are decoded.

use std::io::Write;

use super::kit::Dir;

/// A page with a URL in its text, a link, and a link without a scheme.
const PAGE: &str = "<!doctype html><p>http://text.example/\n\
    <a href=\"http://link.example/?a=1&amp;b=2\">x</a><img src=\"//image.example/\">\n";

/// The URLs of [`PAGE`], which is from a page of `https`.
const FOUND: [&str; 3] = [
    "http://text.example/",
    "http://link.example/?a=1&b=2",
    "https://image.example/",
];

/// A record. `fields` are those besides the ones of every record.
fn record(kind: &str, fields: &str, block: &[u8]) -> Vec<u8> {
    let size = block.len();
    // A ledger takes records with one id for one message.
    let number = |sum: u32, b: &u8| sum.wrapping_mul(31).wrapping_add(u32::from(*b));
    let id = block.iter().fold(kind.len() as u32, number);
    let head = format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: https://page.example/{kind}\r\n\
        WARC-Date: 2024-01-02T03:04:05Z\r\nWARC-Record-ID: <urn:uuid:{id}>\r\n{fields}\
        Content-Length: {size}\r\n\r\n"
    );
    [head.as_bytes(), block, b"\r\n\r\n"].concat()
}

/// A response with this header of HTTP and this body.
fn response(fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\n{fields}\r\n");
    let block = [head.as_bytes(), body].concat();
    record(
        "response",
        "Content-Type: application/http; msgtype=response\r\n",
        &block,
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::ZlibEncoder::new(Vec::new(), Default::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::DeflateEncoder::new(Vec::new(), Default::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

fn chunked(bytes: &[u8], size: usize) -> Vec<u8> {
    let chunks = bytes.chunks(size).flat_map(|chunk| {
        let line = format!("{:x}\r\n", chunk.len());
        [line.as_bytes(), chunk, b"\r\n"].concat()
    });
    chunks.chain(*b"0\r\n\r\n").collect()
}

const HTML: &str = "Content-Type: text/html; charset=utf-8\r\n";

/// The same page, however the server or the archive encoded it.
#[test]
fn every_coding_of_a_body_has_its_urls() {
    let page = PAGE.as_bytes();
    let (text, coded, both) = (
        "Transfer-Encoding: chunked\r\n",
        "Content-Encoding: gzip\r\n",
        "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
    );
    let deflated = "Content-Encoding: deflate\r\n";
    let rows: [(&str, Vec<u8>); 12] = [
        ("", page.to_vec()),
        (coded, gzip(page)),
        (coded, [gzip(&page[..9]), gzip(&page[9..])].concat()),
        ("Content-Encoding: X-GZIP\r\n", gzip(page)),
        (deflated, zlib(page)),
        (deflated, deflate(page)),
        (text, chunked(page, 7)),
        (text, chunked(page, 1)),
        (both, chunked(&gzip(page), 11)),
        // The archive has removed the codings, and left the fields.
        (both, page.to_vec()),
        (deflated, page.to_vec()),
        ("Content-Encoding: br\r\n", page.to_vec()),
    ];
    for (i, (fields, body)) in rows.iter().enumerate() {
        let archive = response(&format!("{HTML}{fields}"), body);
        for (name, bytes) in [("a.warc", archive.clone()), ("a.warc.gz", gzip(&archive))] {
            let dir = Dir::with(name, bytes);
            let fields = "{url} {role} {part} {content_type} {record_url} {date}";
            let expected = FOUND.map(|url| {
                format!(
                    "{url} body 1 text/html https://page.example/response 2024-01-02T03:04:05Z\n"
                )
            });
            dir.run(["--format", fields, name]).is(&expected.concat());
            let rows = dir.shell(&format!("$U --json {name} | $U --verify"));
            assert!(
                rows.errors.contains(" 0 wrong, 0 not read"),
                "{i}: {rows:?}"
            );
        }
    }
    // Bytes that are decoded have the line on which the body begins, and others their own.
    let dir = Dir::with(
        "a.warc",
        response(&format!("{HTML}{text}"), &chunked(page, 16)),
    );
    let line = |url: &str| {
        let all = String::from_utf8(dir.read("a.warc")).unwrap();
        let before = all.find(&url[..8]).unwrap();
        1 + all[..before].matches('\n').count()
    };
    dir.run(["--format", "{line}", "-m1", "a.warc"])
        .is(&format!("{}\n", line("http://text")));
}

/// What is no page, and what has no text of its own.
#[test]
fn records_are_read_by_their_type() {
    let json = b"{\"url\":\"http:\\/\\/json.example\\/a\"}";
    let text = b"see http://plain.example/ for more\n";
    let archive = [
        record("warcinfo", "", b"isPartOf: http://not.searched/\r\n"),
        record(
            "request",
            "",
            b"GET / HTTP/1.1\r\nReferer: http://not.searched/\r\n\r\n",
        ),
        response("Location: http://header.example/\r\n", b""),
        response("", text),
        response("Content-Type: application/json\r\n", json),
        response(
            "Content-Type: image/png\r\n",
            b"\x89PNG\0http://not.searched/",
        ),
        // A page that never ends its script ends with its record.
        response(HTML, b"<html><script>a = \"</p> <!-- http://not.searched/"),
        response(HTML, PAGE.as_bytes()),
        record(
            "revisit",
            "",
            b"HTTP/1.1 200 OK\r\nLocation: http://not.searched/\r\n\r\n",
        ),
        record("conversion", "Content-Type: text/plain\r\n", text),
        record("metadata", "Content-Type: application/json\r\n", json),
        record(
            "metadata",
            "Content-Type: application/warc-fields\r\n",
            b"outlink: http://out.example/ L a/@href\r\n",
        ),
    ];
    let dir = Dir::with("a.warc", archive.concat());
    let mut expected = vec![
        "http://plain.example/ response",
        "http://json.example/a response",
    ];
    let page = FOUND.map(|url| format!("{url} response"));
    expected.extend(page.iter().map(|row| &**row));
    expected.extend([
        "http://plain.example/ conversion",
        "http://json.example/a metadata",
        "http://out.example/ metadata",
    ]);
    let expected = expected.join("\n").replace(' ', " https://page.example/") + "\n";
    let urls = ["--format", "{url} {record_url}", "a.warc"];
    dir.run(urls).is(&expected);
    // The fields of HTTP are written by programs.
    dir.run(["--headers", "list"].iter().chain(&urls))
        .is(&expected);
    let header = "http://header.example/ https://page.example/response\n";
    dir.run(["--headers", "all"].iter().chain(&urls))
        .is(&format!("{header}{expected}"));
    let types = dir.run(["--format", "{content_type}", "a.warc"]);
    let rest = format!(
        "{}text/plain\napplication/json\ntext/plain\n",
        "text/html\n".repeat(FOUND.len())
    );
    types.is(&format!(
        "application/octet-stream\napplication/json\n{rest}"
    ));
    let stats = dir.run(["-q", "--stats", "a.warc"]).errors;
    assert!(
        stats.contains("2 records of web archives passed over"),
        "{stats}"
    );
    assert!(stats.contains("1 file read as warc"), "{stats}");
    assert!(!stats.contains("not searched"), "{stats}");
    let notes = dir.run(["--notes", "a.warc"]).errors;
    assert_eq!(notes.matches("passed over").count(), 2, "{notes}");
    dir.run(["--from", "nobody", "a.warc"]).is_none();
    if cfg!(feature = "ledger") {
        dir.run([
            "--ledger",
            "l.db",
            "--format",
            "{url} {record_url}",
            "a.warc",
        ])
        .is(&expected);
        dir.run(["--ledger", "l.db", "--format", "{url} {record_url}"])
            .is(&expected);
    }
}

/// A body that cannot be decoded is a note, and the next record is read.
#[test]
fn a_body_that_cannot_be_decoded_is_noted() {
    let whole = gzip(PAGE.repeat(40).as_bytes());
    let noise: Vec<u8> = (0..999u32).map(|i| (i * i % 251) as u8).collect();
    for (coding, body, note) in [
        ("gzip", &whole[..whole.len() / 2], "not searched to its end"),
        ("br", &noise[..], "not searched"),
        ("deflate", &noise[..], "not searched to its end"),
    ] {
        let fields = format!("{HTML}Content-Encoding: {coding}\r\n");
        let next = response("", b"http://next.example/\n");
        let dir = Dir::with("a.warc", [response(&fields, body), next].concat());
        let out = dir.run(["--notes", "a.warc"]);
        assert!(out.text().ends_with("http://next.example/\n"), "{out:?}");
        assert!(out.errors.contains(note), "{coding}: {}", out.errors);
    }
    // Nothing is opened, and nothing is searched as if it were text.
    let fields = format!("{HTML}Content-Encoding: gzip\r\n");
    let dir = Dir::with("a.warc", response(&fields, &whole));
    dir.run(["--max-attachment", "0", "a.warc"])
        .ends(1, "", "compressed file or archive");
}

/// Threads and pieces change nothing.
#[test]
fn a_long_archive_is_the_same_on_any_number_of_threads() {
    let mut archive = Vec::new();
    for i in 0..600 {
        let page = PAGE.replace(".example", &format!("{i}.example"));
        let (fields, body) = match i % 3 {
            0 => ("", page.into_bytes()),
            1 => ("Content-Encoding: gzip\r\n", gzip(page.as_bytes())),
            _ => (
                "Transfer-Encoding: chunked\r\n",
                chunked(page.as_bytes(), 50),
            ),
        };
        archive.extend(response(&format!("{HTML}{fields}"), &body));
        archive.extend(record("request", "", b"GET / HTTP/1.1\r\n\r\n"));
    }
    let packed = archive.chunks(70_000).flat_map(gzip).collect::<Vec<u8>>();
    let dir = Dir::with("a.warc", &archive);
    dir.write("b.warc.gz", &packed);
    let one = dir.run(["--json", "-j1", "a.warc"]);
    assert_eq!(one.text().lines().count(), 1_800);
    assert_eq!(dir.run(["--json", "-j4", "a.warc"]), one);
    let rest = |out: &super::kit::Out| out.text().replace("b.warc.gz", "a.warc");
    for threads in ["-j1", "-j4"] {
        let packed = dir.run(["--json", threads, "b.warc.gz"]);
        assert!(rest(&packed) == one.text(), "{threads}");
    }
    let piped = dir.pipe(["--json", "-"], &archive);
    assert!(piped.text().replace("<stdin>", "a.warc") == one.text());
}
