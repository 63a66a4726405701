//! The rows of `benches/record`: tasks of users, each compared with a floor. A
//! floor is the work that every program for the task must do. The texts are
//! generated here.

#![allow(dead_code, reason = "steps uses a part of it")]

use std::hint::black_box;
use std::ops::ControlFlow;

use memchr::{memchr, memchr_iter, memmem};
use urlgrep::mail::{Container, Position};
use urlgrep::rows::{Record, json};
use urlgrep::search::{Match, Searcher, Visitor};
use urlgrep_containers::Dialect;

use super::common::generated;

/// A function of a text that keeps its state between calls.
pub type Task = Box<dyn FnMut(&[u8])>;

/// One row.
pub struct Row {
    pub name: &'static str,
    /// The unit, and the number of units in the text.
    pub unit: &'static str,
    pub units: usize,
    pub text: Vec<u8>,
    pub ours: fn() -> Task,
    /// The part of `ours` that the row does not measure. It is subtracted.
    pub without: Option<fn() -> Task>,
    pub floor: fn() -> Task,
}

/// The length of the texts.
const LEN: usize = 128 << 10;

/// Every row.
pub fn rows() -> Vec<Row> {
    let plain = plain();
    let row = |name, text: Vec<u8>, floor| Row {
        name,
        unit: "byte",
        units: text.len(),
        text,
        ours: message,
        without: None,
        floor,
    };
    let (news, articles) = news();
    let hits = count(&news, "http://");
    vec![
        row("text, 8bit", part("text/plain", "8bit", &plain), || {
            Box::new(search_floor)
        }),
        row(
            "text, quoted-printable",
            part("text/plain", "quoted-printable", &quoted_printable(&plain)),
            || decoded(qp_floor, search_floor),
        ),
        row(
            "text, base64",
            part("text/plain", "base64", &base64(&plain)),
            || decoded(base64_floor, search_floor),
        ),
        row("HTML, 8bit", part("text/html", "8bit", &html()), || {
            decoded(html_floor, search_floor)
        }),
        row(
            "HTML, quoted-printable",
            part("text/html", "quoted-printable", &quoted_printable(&html())),
            || {
                let mut html = decoded(html_floor, search_floor);
                let mut text = Vec::new();
                Box::new(move |bytes| {
                    qp_floor(bytes, &mut text);
                    html(&text);
                })
            },
        ),
        Row {
            ours: mailbox,
            ..row("plain news", news.clone(), || Box::new(news_floor))
        },
        Row {
            unit: "line",
            units: HEADER_LINES,
            ..row("header lines", header(), || Box::new(lines_floor))
        },
        Row {
            unit: "hit",
            units: hits,
            ours: json,
            without: Some(details),
            ..row("--json, new header", news.clone(), || Box::new(rows_floor))
        },
        Row {
            unit: "hit",
            units: hits,
            ours: details,
            without: Some(mailbox),
            ..row("roles and header texts", news.clone(), || {
                Box::new(line_starts_floor)
            })
        },
        Row {
            unit: "call",
            units: 1,
            ours: || Box::new(|text| read(Searcher::default(), text)),
            floor: || Box::new(search_floor),
            ..row(
                "Searcher::default and a message",
                article(&news, articles),
                || Box::new(search_floor),
            )
        },
    ]
}

// Ours.

/// Adds up the lengths of the URLs of all hits.
#[derive(Default)]
struct Count(usize);

impl Visitor for Count {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.0 += found.hit.text().len();
        ControlFlow::Continue(())
    }
}

/// Prints hits in the same way as `--json`.
#[derive(Default)]
struct Json {
    writer: json::Writer,
    out: Vec<u8>,
}

impl Visitor for Json {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.writer.write(
            &Record::new(Some(b"mail/inbox.mbox"), *found),
            &mut self.out,
        );
        ControlFlow::Continue(())
    }
}

fn read(mut searcher: Searcher, text: &[u8]) {
    let mut count = Count::default();
    let _ = searcher.visit_message(text, &mut count);
    assert!(black_box(count.0) > 0, "no hit");
}

fn message() -> Task {
    let mut searcher = Searcher::builder().details(false).build();
    Box::new(move |text| {
        let mut count = Count::default();
        let _ = searcher.visit_message(text, &mut count);
        assert!(black_box(count.0) > 0, "no hit");
    })
}

fn search_mailbox(details: bool) -> Task {
    let mut searcher = Searcher::builder().details(details).build();
    Box::new(move |text| {
        let mut count = Count::default();
        let _ = searcher.search(
            Container::Mbox(Dialect::Dated),
            Position::START,
            text,
            &mut count,
        );
        assert!(black_box(count.0) > 0, "no hit");
    })
}

fn mailbox() -> Task {
    search_mailbox(false)
}

fn details() -> Task {
    search_mailbox(true)
}

fn json() -> Task {
    let mut searcher = Searcher::default();
    let mut json = Json::default();
    Box::new(move |text| {
        json.out.clear();
        let _ = searcher.search(
            Container::Mbox(Dialect::Dated),
            Position::START,
            text,
            &mut json,
        );
        assert!(!black_box(&json.out).is_empty(), "no hit");
    })
}

// Floors.

/// Runs `decode`, then runs `search` on its output.
fn decoded(decode: fn(&[u8], &mut Vec<u8>), search: fn(&[u8])) -> Task {
    let mut text = Vec::new();
    Box::new(move |bytes| {
        decode(bytes, &mut text);
        search(&text);
    })
}

/// Visits each colon, and counts line feeds.
fn search_floor(text: &[u8]) {
    let slashes = |at: usize| text.get(at + 1) == Some(&b'/');
    black_box(memchr_iter(b':', text).filter(|&at| slashes(at)).count());
    black_box(memchr_iter(b'\n', text).count());
}

/// Decodes quoted-printable without a source map.
fn qp_floor(text: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut rest = text;
    while let Some(at) = memchr(b'=', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = match rest[at + 1..] {
            [b'\n', ref rest @ ..] => rest,
            [high, low, ref rest @ ..] => {
                let digit = |b: u8| (b & 15) + 9 * (b >> 6);
                out.push(digit(high) << 4 | digit(low));
                rest
            }
            _ => &[],
        };
    }
    out.extend_from_slice(rest);
}

/// Decodes base64 with a table, without a source map.
fn base64_floor(text: &[u8], out: &mut Vec<u8>) {
    static VALUE: [u8; 256] = {
        let mut table = [255; 256];
        let mut i = 0;
        while i < 64 {
            table[DIGITS[i] as usize] = i as u8;
            i += 1;
        }
        table
    };
    out.clear();
    for line in text.split(|&b| b == b'\n') {
        let start = out.len();
        let groups = line.as_chunks::<4>().0;
        out.resize(start + 3 * groups.len(), 0);
        for (group, to) in groups.iter().zip(out[start..].as_chunks_mut::<3>().0) {
            let [a, b, c, d] = group.map(|b| u32::from(VALUE[usize::from(b)]));
            let [_, octets @ ..] = (a << 18 | b << 12 | c << 6 | d).to_be_bytes();
            *to = octets;
        }
    }
}

/// Removes tags: from each `<` to the next `>`.
fn html_floor(text: &[u8], out: &mut Vec<u8>) {
    out.clear();
    let mut rest = text;
    while let Some(at) = memchr(b'<', rest) {
        out.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        rest = &rest[memchr(b'>', rest).map_or(rest.len(), |end| end + 1)..];
    }
    out.extend_from_slice(rest);
}

/// [`search_floor`], and a search for separators.
fn news_floor(text: &[u8]) {
    black_box(memmem::find_iter(text, b"\nFrom ").count());
    search_floor(text);
}

/// The end of each line, and its first colon.
fn lines_floor(text: &[u8]) {
    let mut start = 0;
    for end in memchr_iter(b'\n', text) {
        black_box(memchr(b':', &text[start..end]));
        start = end + 1;
    }
}

/// The first byte of each line.
fn line_starts_floor(text: &[u8]) {
    let marks = memchr_iter(b'\n', text).filter(|&end| text.get(end + 1) == Some(&b'>'));
    black_box(marks.count());
}

/// Copies 1,200 bytes for each hit.
fn rows_floor(text: &[u8]) {
    const ROW: [u8; 1200] = [b'x'; 1200];
    let mut out = Vec::with_capacity(256 * ROW.len());
    for _ in memmem::find_iter(text, b"http://") {
        if out.len() + ROW.len() > out.capacity() {
            out.clear();
        }
        out.extend_from_slice(black_box(&ROW));
    }
    black_box(out);
}

// Texts.

fn count(text: &[u8], word: &str) -> usize {
    memmem::find_iter(text, word.as_bytes()).count()
}

/// Prose with some URLs.
fn plain() -> Vec<u8> {
    let mut texts = generated(LEN).into_iter();
    let sparse = texts.find(|sample| sample.name == "sparse");
    sparse.map(|sample| sample.bytes).unwrap_or_default()
}

/// The same text as HTML in the form of Outlook.
fn html() -> Vec<u8> {
    let mut html = Vec::new();
    for line in plain().split(|&b| b == b'\n') {
        html.extend_from_slice(
            b"<p class=\"MsoNormal\" style=\"margin-bottom:12.0pt\"><span lang=\"EN-US\">",
        );
        html.extend_from_slice(line);
        html.extend_from_slice(b"<o:p>&nbsp;</o:p></span></p>\n");
    }
    html
}

/// A message that is one part.
fn part(media: &str, encoding: &str, body: &[u8]) -> Vec<u8> {
    let header = format!(
        "From: fox@example.org\nSubject: home\nContent-Type: {media}; charset=utf-8\n\
         Content-Transfer-Encoding: {encoding}\n\n"
    );
    [header.as_bytes(), body].concat()
}

fn quoted_printable(text: &[u8]) -> Vec<u8> {
    let (mut out, mut width) = (Vec::new(), 0);
    for &b in text {
        if width > 72 && b != b'\n' {
            out.extend_from_slice(b"=\n");
            width = 0;
        }
        match b {
            b'=' => out.extend_from_slice(b"=3D"),
            _ => out.push(b),
        }
        width = if b == b'\n' { 0 } else { width + 1 };
    }
    out
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for line in text.chunks_exact(57) {
        for group in line.as_chunks::<3>().0 {
            let bits = group.iter().fold(0, |bits, &b| bits << 8 | usize::from(b));
            out.extend([18, 12, 6, 0].map(|at| DIGITS[bits >> at & 63]));
        }
        out.push(b'\n');
    }
    out
}

/// A mailbox of short articles with a hit in each, and their number.
fn news() -> (Vec<u8>, usize) {
    let prose = plain();
    let (mut text, mut n) = (Vec::new(), 0);
    while text.len() < LEN {
        let header = format!(
            "From fox@example.org Mon Jul  5 10:30:00 1993\n\
             Path: news.example.net!feed.example.com!not-for-mail\n\
             From: \"A Fox\" <fox@example.org>\nNewsgroups: comp.lang.lisp,alt.fox\n\
             Subject: Re: home {n}\nDate: Mon, 5 Jul 1993 10:{:02}:00 GMT\n\
             Organization: The Dog House\nLines: 30\nMessage-ID: <{n}@example.org>\n\
             References: <{}@example.net>\nNNTP-Posting-Host: dog.example.org\n\n",
            n % 60,
            n + 7,
        );
        text.extend_from_slice(header.as_bytes());
        text.extend_from_slice(&prose[..prose.len().min(1200)]);
        let body = format!("\n> See http://www.example.org/fox/{n}.html\n\n-- \nfox\n\n");
        text.extend_from_slice(body.as_bytes());
        n += 1;
    }
    (text, n)
}

const HEADER_LINES: usize = 2000;

/// One message with [`HEADER_LINES`] lines of header.
fn header() -> Vec<u8> {
    const LINES: [&str; 8] = [
        "Received: from dog.example.org (dog.example.org [192.0.2.7])\n",
        "\tby mail.example.net (8.8.5/8.8.5) with ESMTP id KAA01234;\n",
        "\tMon, 5 Jul 1993 10:30:00 GMT\n",
        "X-Mailing-List: <foxes@lists.example.org> archive/latest/4711\n",
        "X-Priority: 3\n",
        "References: <1993Jul5.103000.1@example.org>\n",
        "Organization: The Dog House\n",
        "X-Mailer: Fox Mail 1.0 beta 3\n",
    ];
    let mut text = b"From: fox@example.org\n".to_vec();
    for line in LINES.iter().cycle().take(HEADER_LINES - 1) {
        text.extend_from_slice(line.as_bytes());
    }
    text.extend_from_slice(b"\nhttp://a.example/\n");
    text
}

/// The first of the articles.
fn article(news: &[u8], articles: usize) -> Vec<u8> {
    let line = memchr(b'\n', news).map_or(0, |end| end + 1);
    news[line..news.len() / articles].to_vec()
}
