//! Generated streams: a simple implementation of mbox finds the same messages, and
//! chunks change nothing.

use super::*;
use crate::common::slow;

/// A small generator of pseudo-random numbers (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % n
    }

    /// A stream of up to `most` pieces.
    fn stream(&mut self, pieces: &[&str], most: usize) -> Vec<u8> {
        (0..self.below(most) + 1)
            .flat_map(|_| pieces[self.below(pieces.len())].bytes())
            .collect()
    }
}

/// Pieces of an mbox. A separator and its date are one piece. The simple
/// implementation looks for a date only on the line of the separator, so the
/// date must not be a piece of its own.
const MBOX: [&str; 24] = [
    "\nFrom x Thu Dec 21 07:24:52 1995\n",
    "\nFrom x Thu Dec 21 07:24:52 1995\nSubject: a\n",
    "\nFrom x Thu Dec 21 07:24:52 1995\r\nSubject: a\r\n",
    "\n\nFrom ...\nSubject: a\n",
    "\r\n\r\nFrom -1\r\nSubject: a\r\n",
    "\nFrom -\nSubject: a\n",
    "From ...",
    "From -",
    "From 12",
    "From ",
    "From",
    "Fro",
    ">From ",
    ">>From",
    ">",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "Subject: x",
    "http://x",
    "Name :",
    "Article 1",
];

/// True if the line at `i` separates messages.
fn plain_separates(dialect: Dialect, lines: &[&str], i: usize) -> bool {
    let Some(word) = lines[i].strip_prefix("From ") else {
        return false;
    };
    let Some(next) = lines.get(i + 1).filter(|line| is_plain_header(line)) else {
        return false;
    };
    let word = word.trim();
    let blank = i > 0 && matches!(lines[i - 1], "\n" | "\r\n");
    let dated = word == "x Thu Dec 21 07:24:52 1995";
    let digits = word.strip_prefix('-').unwrap_or(word);
    let number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let other = blank && (number || word == "..." || word == "-");
    let known = next.split_once(':').map(|(name, _)| name.trim_end()) == Some("Subject");
    match dialect {
        Dialect::Dated => dated || (other && known),
        Dialect::Dots => word == "..." && blank,
        Dialect::Number => number && blank,
        Dialect::Dash => word == "-" || dated || (other && known),
        _ => dated || other,
    }
}

fn is_plain_header(line: &str) -> bool {
    let digit = |s: &str| s.starts_with(|c: char| c.is_ascii_digit());
    if line.starts_with(">From ") || line.strip_prefix("Article ").is_some_and(digit) {
        return true;
    }
    let Some((name, rest)) = line.split_once(':') else {
        return false;
    };
    let name = name.strip_suffix(' ').unwrap_or(name);
    !rest.starts_with("//")
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.bytes().all(|b| b.is_ascii_graphic())
}

/// The number of lines before the first separator, or of all lines if there is
/// no separator.
fn plain_preface(dialect: Dialect, lines: &[&str]) -> usize {
    for (i, line) in lines.iter().enumerate() {
        if line.starts_with("From ") && line.ends_with('\n') {
            let separates = i > 0 && i < 24 && plain_separates(dialect, lines, i);
            return if separates { i } else { 0 };
        }
        let is_from = line.starts_with("From ");
        let ends = |rest: &str| rest.chars().next().is_none_or(char::is_whitespace);
        let mut colons = line.match_indices(':');
        let holds_url = !is_from && !colons.all(|(colon, _)| ends(&line[colon + 1..]));
        let is_first = lines[..i].iter().all(|line| line.trim().is_empty());
        let is_header = is_first && is_plain_header(line);
        if i == 24 || holds_url || is_header || (i == 0 && is_from) {
            return 0;
        }
    }
    lines.len()
}

/// Splits an mbox line by line: a simple implementation for comparison.
fn plain_mbox(dialect: Dialect, text: &[u8]) -> Vec<Span> {
    let text = std::str::from_utf8(text).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let first = plain_preface(dialect, &lines);
    let mut at = lines[..first].iter().map(|line| line.len() as u64).sum();
    let (mut spans, mut start) = (Vec::new(), at);
    if first == lines.len() {
        return spans;
    }
    for (i, line) in lines.iter().enumerate().skip(first) {
        let separates = i > first && plain_separates(dialect, &lines, i);
        if separates {
            spans.push(Span::new(start, at));
        }
        at += line.len() as u64;
        let is_head = i == first && line.starts_with("From ") && line.ends_with('\n');
        if separates || is_head {
            start = at;
        }
    }
    spans.push(Span::new(start, at));
    spans
}

/// mboxrd, line by line.
fn unquoted(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|&b| b == b'\n').flat_map(|line| {
        let depth = line.iter().take_while(|&&b| b == b'>').count();
        let quoted = depth > 0 && line[depth..].starts_with(b"From ");
        &line[usize::from(quoted)..]
    });
    lines.copied().collect()
}

#[test]
fn mbox_equals_the_simple_implementation() {
    let mut random = Random(7);
    let dialects = [
        Dialect::Dated,
        Dialect::Dots,
        Dialect::Number,
        Dialect::Dash,
        Dialect::Any,
    ];
    let mut messages = 0;
    let rounds = if slow() { 3_000 } else { 500 };
    for round in 0..rounds {
        let text = random.stream(&MBOX, 40);
        let dialect = dialects[round % dialects.len()];
        let trace = check(Container::Mbox(dialect), &text);
        let shown = String::from_utf8_lossy(&text);
        let extents: Vec<_> = trace.messages.iter().map(|m| m.extent).collect();
        assert_eq!(extents, plain_mbox(dialect, &text), "{dialect:?} {shown:?}");
        for message in &trace.messages {
            let extent = message.extent.start as usize..message.extent.end as usize;
            assert_eq!(message.data, unquoted(&text[extent]), "{shown:?}");
        }
        messages += extents.len();
    }
    assert!(3 * messages > 5 * rounds, "{messages}");
}

#[test]
fn chunks_and_cuts_change_nothing() {
    let pieces = [
        "#! rnews 11\n",
        "#! rnews 11\nPath: a\n\nx\n",
        "#! rnews 11\nPath: a\n\nx\n",
        "#! rnews 30\n",
        "#! rnews 35\nPath: b\n\n#! rnews 9\nPath: c\n\n",
        "#! rnews",
        "#! ",
        "Path: a\n\nx\n",
        "220 1 <a@b>\n",
        "222 1 <a@b> x\r\n",
        "220",
        "\n.\n",
        "\r\n.\r\n",
        "\n.",
        ".",
        "\r",
        "\n",
        "0123456789012345678901234567890123456789 blob 11\n",
        "0123456789012345678901234567890123456789 tree 2\n",
        "01234567890123456789012345678901234567",
        "WARC/1.0\nWARC-Type: response\nContent-Type: application/http\nContent-Length: 50\n\n",
        "WARC/1.1\r\nContent-Length: 9\r\n",
        "WARC-Type: conversion\r\n\r\n",
        "HTTP/1.1 200\nTransfer-Encoding: chunked\n\n",
        "3\nabc\n0\n",
        "8\n",
        "<?xml",
        "\u{FEFF}",
        "A: b\n",
    ];
    let containers = [
        Container::Text,
        Container::Message,
        Container::Wire,
        Container::Emlx,
        Container::ANews,
        Container::Rnews,
        Container::Packed(Packing::Gzip),
        Container::Session,
        Container::GitCat,
        Container::Warc,
    ];
    let mut random = Random(11);
    for round in 0..6_000 {
        let text = random.stream(&pieces, 24);
        check(containers[round % containers.len()], &text);
    }
}
