//! Common code of the benches: texts from the corpus, and generated texts with
//! known hits.

#![allow(dead_code, reason = "each bench uses a part of it")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// A text and its expected hits.
pub struct Sample {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    /// The number of its hits, or `None` if it is not known.
    pub hits: Option<usize>,
}

/// The corpus texts: a name, and the files or folders of the text.
pub const TEXTS: &[(&str, &[&str])] = &[
    (
        "sparse",
        &["news/spool", "news/comp.lang.lisp-1986-1990.mbx"],
    ),
    ("rfc", &["rfc"]),
    ("linux-hams", &["mail/linux-hams.mbox"]),
    ("cypherpunks-1996", &["list/cypherpunks-1996.mbox"]),
    ("spamassassin", &["mail/spamassassin"]),
    ("mixed", &["news", "list", "mail", "rfc"]),
];

/// The folder named by `URLGREP_CORPUS`, if it is set.
pub fn corpus() -> Option<PathBuf> {
    let folder = PathBuf::from(env::var_os("URLGREP_CORPUS")?);
    folder.is_dir().then_some(folder)
}

/// The files of a corpus text, concatenated in the order of their names. Empty if
/// they do not exist.
pub fn load(corpus: &Path, names: &[&str]) -> Vec<u8> {
    let read = |path| fs::read(path).unwrap_or_default();
    paths(corpus, names).into_iter().flat_map(read).collect()
}

/// The files of `corpus` with these names, and of folders with these names, in
/// the order of their names.
pub fn paths(corpus: &Path, names: &[&str]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in names {
        append(corpus.join(name), &mut files);
    }
    files
}

fn append(path: PathBuf, files: &mut Vec<PathBuf>) {
    if let Ok(entries) = fs::read_dir(&path) {
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            append(path, files);
        }
    } else if path.is_file() {
        files.push(path);
    }
}

/// `text` repeated until there are at least `len` bytes.
pub fn rotate(text: &[u8], len: usize) -> Vec<u8> {
    let times = len.div_ceil(text.len().max(1)).max(1);
    text.repeat(times)
}

/// The generated texts, each of about `n` bytes.
pub fn generated(n: usize) -> Vec<Sample> {
    vec![
        prose(n),
        sparse(n),
        dense(n),
        quoted(n),
        message(),
        schemes(n),
    ]
}

const SENTENCES: [&str; 4] = [
    "The quick brown fox jumps over the lazy dog, and then it goes home again.\n",
    "Nobody had asked it to; nobody minds (much). \"Well\", it said, \"well\".\n",
    "It came back at 10:30, as follows: first the dog, then the fox.\n",
    "In article 93 he writes about foxes, dogs and what they think of us.\n",
];

/// Adds sentences until `bytes` has grown by `len`.
fn pad(bytes: &mut Vec<u8>, len: usize) {
    let end = bytes.len() + len;
    for sentence in SENTENCES.iter().cycle() {
        if bytes.len() >= end {
            break;
        }
        bytes.extend_from_slice(sentence.as_bytes());
    }
}

/// Prose with some colons and no URL.
fn prose(n: usize) -> Sample {
    let mut bytes = Vec::new();
    pad(&mut bytes, n);
    Sample {
        name: "prose",
        bytes,
        hits: Some(0),
    }
}

/// One URL about every four thousand bytes.
fn sparse(n: usize) -> Sample {
    every("sparse", n, 4000)
}

/// One URL every two lines.
fn dense(n: usize) -> Sample {
    every("dense", n, 70)
}

fn every(name: &'static str, n: usize, gap: usize) -> Sample {
    let (mut bytes, mut hits) = (Vec::new(), 0);
    while bytes.len() < n {
        pad(&mut bytes, gap);
        let url = [
            "See http://www.example.org/fox/",
            "or (https://dog.example/a_(b)?q=",
            "at <URL:ftp://ftp.example.com/pub/",
            "by mailto:fox@example.net?subject=",
        ][hits % 4];
        let end = ["/index.html.\n", "&x=1).\n", ".tar.gz>\n", ",\n"][hits % 4];
        bytes.extend_from_slice(format!("{url}{hits}{end}").as_bytes());
        hits += 1;
    }
    Sample {
        name,
        bytes,
        hits: Some(hits),
    }
}

/// Quoted mail: wrappers broken over quoted lines.
fn quoted(n: usize) -> Sample {
    let (mut bytes, mut hits) = (Vec::new(), 0);
    while bytes.len() < n {
        let marks = "> ".repeat(1 + hits % 3);
        for sentence in SENTENCES {
            bytes.extend_from_slice(format!("{marks}{sentence}").as_bytes());
        }
        let broken =
            format!("{marks}found under <URL:ftp://info.cern.ch/pub/\n{marks}www/doc/{hits};\n");
        bytes.extend_from_slice(broken.as_bytes());
        bytes.extend_from_slice(format!("{marks}type=d> but\n").as_bytes());
        hits += 1;
    }
    Sample {
        name: "quoted mail",
        bytes,
        hits: Some(hits),
    }
}

/// One message of 2 KB with two URLs.
pub fn message() -> Sample {
    let mut bytes = b"From: fox@example.org\nTo: dog@example.org\n\
        Message-ID: <1@example.org>\nSubject: Re: home\nDate: Mon, 5 Jul 1993 10:30:00 GMT\n\n"
        .to_vec();
    pad(&mut bytes, 800);
    bytes.extend_from_slice(b"See <URL:http://www.example.org/fox>, or\n");
    pad(&mut bytes, 700);
    bytes.extend_from_slice(b"-- \nfox, http://www.example.org/~fox/\n");
    pad(&mut bytes, 250);
    Sample {
        name: "message",
        bytes,
        hits: Some(2),
    }
}

/// Schemes without slashes, and prose that looks like them.
fn schemes(n: usize) -> Sample {
    let (mut bytes, mut hits) = (Vec::new(), 0);
    while bytes.len() < n {
        bytes.extend_from_slice(
            b"Good news: see news:comp.lang.lisp or urn:isbn:0451450523, data: none,\n\
            mid:1@example.org and doi:10.1000/182. Tel: 555, tel:+1-201-555-0123, URL: none.\n",
        );
        hits += 5;
    }
    Sample {
        name: "schemes",
        bytes,
        hits: Some(hits),
    }
}

/// One message for each encoding, and the number of its URLs. A message has about
/// `n` bytes of text with a URL every two lines.
pub fn messages(n: usize) -> Vec<(Sample, usize)> {
    encoded(&dense(n))
}

fn encoded(text: &Sample) -> Vec<(Sample, usize)> {
    let hits = text.hits.unwrap_or_default();
    let html = |text: &[u8]| {
        let mut html = b"<html><body>".to_vec();
        for line in text.split(|&b| b == b'\n') {
            // In HTML the brackets of the wrapper would be a tag.
            let line: Vec<u8> = line
                .iter()
                .map(|&b| if b"<>".contains(&b) { b' ' } else { b })
                .collect();
            html.extend_from_slice(b"<p class=MsoNormal>");
            html.extend_from_slice(&line);
            html.extend_from_slice(b"</p>\n");
        }
        html
    };
    let message = |name, header: &str, body: &[u8]| Sample {
        name,
        bytes: [b"Subject: fox\n", header.as_bytes(), b"\n", body].concat(),
        hits: None,
    };
    let encoding = |name: &str| format!("Content-Transfer-Encoding: {name}\n");
    let plain = &text.bytes;
    vec![
        (message("plain", "", plain), hits),
        (
            message(
                "quoted-printable",
                &encoding("quoted-printable"),
                &quoted_printable(plain),
            ),
            hits,
        ),
        (message("base64", &encoding("base64"), &base64(plain)), hits),
        (
            message("flowed", "Content-Type: text/plain; format=flowed\n", plain),
            hits,
        ),
        (
            message(
                "latin-1",
                "Content-Type: text/plain; charset=iso-8859-1\n",
                plain,
            ),
            hits,
        ),
        (
            message("html", "Content-Type: text/html\n", &html(plain)),
            hits,
        ),
    ]
}

/// An mbox of at least `n` bytes. Its messages have all encodings in turn, and a
/// URL about every 800 bytes.
pub fn mailbox(n: usize) -> Vec<u8> {
    let (messages, mut text) = (encoded(&every("mail", 4000, 800)), Vec::new());
    for (i, (message, _)) in messages.iter().cycle().enumerate() {
        if text.len() >= n {
            break;
        }
        let (day, hour) = (i % 28 + 1, i / 28 % 24);
        let head = format!(
            "From fox@example.org Thu Jan  1 00:00:00 1998\nFrom: fox@example.org\n\
             Date: {day} Jan 1998 {hour:02}:30:00 +0000\nMessage-ID: <{i}@example.org>\n"
        );
        text.extend_from_slice(head.as_bytes());
        text.extend_from_slice(&message.bytes);
        text.extend_from_slice(b"\n\n");
    }
    text
}

/// RFC 2045 section 6.7, with a soft break about every 70 bytes.
fn quoted_printable(text: &[u8]) -> Vec<u8> {
    let (mut out, mut column) = (Vec::new(), 0);
    for &b in text {
        if b == b'\n' {
            column = 0;
            out.push(b);
            continue;
        }
        if column >= 70 {
            column = 0;
            out.extend_from_slice(b"=\n");
        }
        if b == b'=' {
            out.extend_from_slice(b"=3D");
        } else {
            out.push(b);
        }
        column += 1;
    }
    out
}

/// RFC 2045 section 6.8, in lines of 76 bytes.
fn base64(text: &[u8]) -> Vec<u8> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    for line in text.chunks(57) {
        for three in line.chunks(3) {
            let bits = (0..3).fold(0, |bits, i| {
                bits << 8 | usize::from(three.get(i).copied().unwrap_or(0))
            });
            for i in 0..4 {
                let digit = ALPHABET[bits >> (18 - 6 * i) & 63];
                out.push(if i <= three.len() { digit } else { b'=' });
            }
        }
        out.push(b'\n');
    }
    out
}
