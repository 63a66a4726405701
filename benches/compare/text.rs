//! The comparison on one text: limits of the machine, libraries, programs.

use std::fs;
use std::hint::black_box;
use std::io;
use std::ops::ControlFlow;

use linkify::{LinkFinder, LinkKind};
use mail_parser::{MessageParser, PartType};
use urlgrep::search::Searcher;
use urlgrep::{Extractor, ExtractorBuilder, Hit};
use urlgrep_find::Drive;
use urlgrep_find::scan::Scanner;

use crate::programs::{self, ALL_DECODING, DECODING, FAST, OURS, OURS_ON_TWO, PATTERN, RG, SLOW};
use crate::race::{Contender, Row, print, ratio, report, target};
use crate::texts::{Text, messages};
use crate::{Options, common};

const COLONS: &str = "memchr: visit each `:`";
const COLONS_ON_TWO: &str = "memchr: visit each `:`, two threads";
const EXTRACTOR: &str = "urlgrep: extractor, lines";
const LINKIFY: &str = "linkify: URLs";
const LIBRARY: &str = "urlgrep: Searcher, a call for each message";
const LIBRARY_DETAILS: &str = "urlgrep: the same, with roles and headers";
pub const PARSER: &str = "mail-parser: parse; counts messages";
const BOTH: &str = "mail-parser, and linkify for each text";

pub fn compare(text: &Text, options: &Options) -> io::Result<()> {
    let bytes = common::rotate(&text.bytes, options.bytes());
    let len = bytes.len();
    let lossy = String::from_utf8_lossy(&bytes);
    let mails = messages(&bytes);

    let part_len = len.min(2_000_000);
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("text");
    fs::write(&file, &bytes)?;
    let part = folder.path().join("part");
    fs::write(&part, &bytes[..part_len])?;

    let mut contenders = limits(&bytes);
    contenders.extend(others(&bytes, &lossy));
    contenders.extend(ours(&bytes));
    if !mails.is_empty() {
        contenders.extend(libraries(&mails));
    }
    println!("\n{}, {:.0} MB", text.name, len as f64 / 1e6);
    println!(
        "  {:<44} {:>9} {:>8} {:>10}",
        "", "MB/s", "ratio", "hits or lines"
    );
    let all = FAST.iter().chain(&ALL_DECODING);
    let rows = programs::race_with(contenders, all, &file, len, options.runs);
    print(&rows, EXTRACTOR);
    let slow = programs::race_with(Vec::new(), &SLOW, &part, part_len, 1);
    print(&slow, "");

    print_targets(text, &rows);
    if !mails.is_empty() {
        // One thread reads a message, so only mailboxes gain from a second thread.
        programs::print_decoding(&rows);
    }
    Ok(())
}

/// Prints which targets are met. Rows that do not exist are left out.
fn print_targets(text: &Text, rows: &[Row]) {
    let sparse = matches!(text.name, "sparse" | "rfc" | "prose");
    let least = if sparse { 0.75 } else { 0.5 };
    target("to the colon loop", rows, EXTRACTOR, COLONS, least);
    target("to linkify", rows, EXTRACTOR, LINKIFY, 1.0);
    let least = if text.name == "mixed" { 1.0 } else { 1.0 / 1.6 };
    target("command to rg", rows, OURS, RG, least);
    if let Some(two) = ratio(rows, COLONS_ON_TWO, COLONS) {
        let what = "no decoding, two threads to one";
        target(what, rows, OURS_ON_TWO, OURS, 0.95 * two);
    }
    let least = if text.is_html() { 0.25 } else { 0.4 };
    target("decoding to rg", rows, DECODING, RG, least);
    target("decoding to mail-parser", rows, DECODING, PARSER, 2.0);
    report("library to mail-parser", rows, LIBRARY, PARSER);
    report("library to mail-parser and linkify", rows, LIBRARY, BOTH);
}

/// The limits of the machine.
fn limits(text: &[u8]) -> Vec<Contender<'_>> {
    vec![
        Contender::new("memchr: count `:`", text.len(), || {
            memchr::memchr_iter(b':', text).count()
        }),
        Contender::new(COLONS, text.len(), || colons(text)),
        Contender::new(COLONS_ON_TWO, text.len(), || {
            let (one, two) = text.split_at(text.len() / 2);
            std::thread::scope(|scope| {
                let one = scope.spawn(|| colons(one));
                colons(two) + one.join().unwrap_or_default()
            })
        }),
        Contender::new("memchr: count line feeds", text.len(), || {
            memchr::memchr_iter(b'\n', text).count()
        }),
        Contender::new("memmem: `://`", text.len(), || {
            memchr::memmem::find_iter(text, b"://").count()
        }),
    ]
}

/// Other libraries on text that is not decoded.
fn others<'t>(text: &'t [u8], lossy: &'t str) -> Vec<Contender<'t>> {
    let regex = regex::bytes::Regex::new(PATTERN).expect("the pattern is well-formed");
    let finder = finder();
    vec![
        Contender::new("regex", text.len(), move || regex.find_iter(text).count()),
        Contender::new(LINKIFY, lossy.len(), move || finder.links(lossy).count()),
    ]
}

fn finder() -> LinkFinder {
    let mut finder = LinkFinder::new();
    finder.kinds(&[LinkKind::Url]);
    finder
}

/// This library on text that is not decoded.
fn ours(text: &[u8]) -> Vec<Contender<'_>> {
    let rejects = || Extractor::builder().rejects(true);
    let len = text.len();
    vec![
        Contender::new("urlgrep: scanner, lines", len, || scan(true, text)),
        Contender::new("urlgrep: scanner", len, || scan(false, text)),
        Contender::new(EXTRACTOR, len, move || extract(rejects(), text)),
        Contender::new("urlgrep: extractor", len, move || {
            extract(rejects().line_numbers(false), text)
        }),
        Contender::new("urlgrep: extractor, lines, fed by 64 KiB", len, || {
            feed(text)
        }),
        Contender::new("urlgrep: find_iter().count(), lines", len, move || {
            rejects().build().find_iter(text).count()
        }),
    ]
}

/// Libraries that decode, one call for each message.
fn libraries<'t>(mails: &'t [&[u8]]) -> Vec<Contender<'t>> {
    let len = mails.iter().map(|mail| mail.len()).sum();
    let parser = MessageParser::default();
    let parse = move || {
        let parsed = mails.iter().filter(|mail| parses(&parser, mail));
        parsed.count()
    };
    let both = (MessageParser::default(), finder());
    let both = move || mails.iter().map(|mail| links(&both.0, &both.1, mail)).sum();
    let plain = Searcher::builder().details(false).build();
    vec![
        Contender::new(LIBRARY, len, search(mails, plain)),
        Contender::new(LIBRARY_DETAILS, len, search(mails, Searcher::default())),
        Contender::new(PARSER, len, parse),
        Contender::new(BOTH, len, both),
    ]
}

/// Searches each message in a call of its own.
fn search<'t>(mails: &'t [&[u8]], mut searcher: Searcher) -> impl FnMut() -> usize + 't {
    move || {
        let mut hits = 0;
        for mail in mails {
            searcher.search_message(mail, |found| {
                black_box(found);
                hits += 1;
                ControlFlow::Continue(())
            });
        }
        hits
    }
}

pub fn parses(parser: &MessageParser, mail: &[u8]) -> bool {
    black_box(parser.parse(mail)).is_some()
}

/// The number of links in the texts of a message, also in attached messages.
fn links(parser: &MessageParser, finder: &LinkFinder, mail: &[u8]) -> usize {
    fn count(finder: &LinkFinder, part: &PartType<'_>) -> usize {
        match part {
            PartType::Text(text) | PartType::Html(text) => finder.links(text).count(),
            PartType::Message(message) => {
                let parts = message.parts.iter();
                parts.map(|part| count(finder, &part.body)).sum()
            }
            _ => 0,
        }
    }
    parser.parse(mail).map_or(0, |message| {
        let parts = message.parts.iter();
        parts.map(|part| count(finder, &part.body)).sum()
    })
}

fn colons(text: &[u8]) -> usize {
    let mut sum = 0;
    for at in memchr::memchr_iter(b':', text) {
        sum += black_box(at) & 1 | 1;
    }
    sum
}

fn scan(lines: bool, text: &[u8]) -> usize {
    let (mut scanner, mut hits) = (Scanner::new().count_lines(lines), 0);
    scanner.scan(text, |candidate| {
        black_box(candidate);
        hits += 1;
        true
    });
    hits
}

fn extract(builder: ExtractorBuilder, text: &[u8]) -> usize {
    let (mut extractor, mut hits) = (builder.build().stream(), 0);
    let _ = extractor.search_here(text, |hit: &Hit| {
        black_box(hit);
        hits += 1;
        ControlFlow::Continue(())
    });
    hits
}

fn feed(text: &[u8]) -> usize {
    let (mut extractor, mut hits) = (Extractor::builder().rejects(true).build().stream(), 0);
    let mut sink = |hit: &Hit| {
        black_box(hit);
        hits += 1;
        ControlFlow::Continue(())
    };
    for chunk in text.chunks(64 << 10) {
        let _ = extractor.feed(chunk, &mut sink);
    }
    let _ = extractor.finish(&mut sink);
    hits
}
