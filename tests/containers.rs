//! Containers: the rows of `testdata/containers/*.toml`, properties over
//! generated streams, and the message counts of real archives.
//!
//! A row has a `text` with ⟦ and ⟧ around each message. TOML drops a line feed
//! directly after `'''`. The test decodes `\xNN`, `\n`, `\r`, `\\`. These are
//! the other fields:
//!
//! * `as`: the value of `--as` (default `auto`);
//! * `container`: the recognised container;
//! * `shapes`, one for each message (default: all `message`);
//! * `lines`: the line number of the first line of each message;
//! * `data`: the unescaped messages, if they differ from the bytes in the text;
//! * `seams`: the number of places at which unescaping removed bytes (default 0);
//! * `notes`: the tolerated faults, in order;
//! * `compressed`: the offset at which compressed data begins;
//! * `crlf = false`: the row is not run with CRLF instead of LF;
//! * `name`, `source`, `why`: for the reader.
#![cfg(feature = "mail")]

use std::collections::HashSet;
use std::path::Path;

use serde::Deserialize;
use urlgrep::mail::{
    Container, ContainerNote, ContainerNoteKind, ContainerSink, Dialect, MessageFinder,
    MessageStart, Outside, Packing, Position, ReadAs, SNIFF, Shape, Splitter, Start, is_undecided,
    sniff,
};
use urlgrep::span::{SeamKind, Span};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    source: String,
    #[serde(default)]
    why: String,
    text: String,
    #[serde(rename = "as")]
    hint: Option<String>,
    container: String,
    shapes: Option<Vec<String>>,
    lines: Option<Vec<u64>>,
    data: Option<Vec<String>>,
    #[serde(default)]
    seams: usize,
    #[serde(default)]
    notes: Vec<String>,
    compressed: Option<u64>,
    #[serde(default = "yes")]
    crlf: bool,
}

fn yes() -> bool {
    true
}

/// All events of a splitter. Neighbouring runs of bytes are joined, so that the
/// trace does not depend on the slices.
#[derive(Debug, Default, PartialEq, Eq)]
struct Trace {
    messages: Vec<Message>,
    open: bool,
    outside: Vec<(Outside, Span)>,
    notes: Vec<ContainerNote>,
    compressed: Option<(Packing, u64)>,
    /// The end of the events so far. The next event must begin here, because
    /// the events cover the stream without gaps.
    at: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct Message {
    number: u64,
    shape: Shape,
    head: Vec<u8>,
    line: u64,
    extent: Span,
    data: Vec<u8>,
    seams: Vec<(SeamKind, Span)>,
}

impl Trace {
    fn pass(&mut self, span: Span) {
        assert_eq!(self.at, span.start, "bytes are missing or given twice");
        self.at = span.end;
    }
}

impl ContainerSink for Trace {
    fn message_start(&mut self, start: &Start<'_>) {
        assert!(!self.open);
        assert_eq!(start.head.len() as u64, start.head_span.len());
        self.pass(start.head_span);
        self.open = true;
        self.messages.push(Message {
            number: start.number,
            shape: start.shape,
            head: start.head.to_vec(),
            line: start.line,
            extent: Span::new(start.head_span.end, start.head_span.end),
            data: Vec::new(),
            seams: Vec::new(),
        });
    }

    fn data(&mut self, bytes: &[u8], offset: u64) {
        assert!(self.open && !bytes.is_empty());
        self.pass(Span::new(offset, offset + bytes.len() as u64));
        self.messages.last_mut().unwrap().data.extend(bytes);
    }

    fn seam(&mut self, kind: SeamKind, span: Span) {
        assert!(self.open);
        self.pass(span);
        self.messages.last_mut().unwrap().seams.push((kind, span));
    }

    fn message_end(&mut self, end: u64) {
        assert!(self.open);
        assert_eq!(self.at, end);
        self.open = false;
        self.messages.last_mut().unwrap().extent.end = end;
    }

    fn outside(&mut self, bytes: &[u8], offset: u64, what: Outside) {
        assert!(!self.open);
        let span = Span::new(offset, offset + bytes.len() as u64);
        self.pass(span);
        match self.outside.last_mut() {
            Some((kind, last)) if *kind == what && last.end == offset => last.end = span.end,
            _ => self.outside.push((what, span)),
        }
    }

    fn compressed(&mut self, packing: Packing, offset: u64) {
        assert_eq!(self.at, offset);
        self.compressed = Some((packing, offset));
    }

    fn note(&mut self, note: ContainerNote) {
        self.notes.push(note);
    }
}

/// The chunk sizes of every test; the last one is the whole input.
const CHUNKS: [usize; 6] = [1, 2, 3, 7, 64, usize::MAX];

fn chunks(text: &[u8], size: usize) -> std::slice::Chunks<'_, u8> {
    text.chunks(size.min(text.len().max(1)))
}

fn run(mut splitter: Splitter, text: &[u8], size: usize, trace: &mut Trace) {
    for bytes in chunks(text, size) {
        splitter.feed(bytes, trace);
        assert!(splitter.held() <= 80 * 1024);
    }
    splitter.finish(trace);
    assert!(!trace.open);
    assert_eq!(splitter.held(), 0);
}

fn split(container: Container, text: &[u8], size: usize) -> Trace {
    let mut trace = Trace::default();
    let splitter = Splitter::resume(container, Position::START);
    run(splitter, text, size, &mut trace);
    assert_eq!(trace.at, text.len() as u64);
    trace
}

fn cuts(container: Container, text: &[u8], size: usize) -> Vec<MessageStart> {
    let (mut cutter, mut cuts) = (MessageFinder::new(container), Vec::new());
    for bytes in chunks(text, size) {
        let (had, settled) = (cuts.len(), cutter.settled());
        cutter.feed(bytes, &mut cuts);
        assert!(cuts[had..].iter().all(|cut| cut.offset >= settled));
    }
    cutter.finish(&mut cuts);
    cuts
}

/// The starts of messages, found from `base` on. Starts in the four bytes from
/// `base` on are left out, because the finder may miss them.
fn cuts_from(dialect: Dialect, text: &[u8], base: usize, size: usize) -> Vec<u64> {
    let (mut cutter, mut cuts) = (MessageFinder::inside(dialect, base as u64), Vec::new());
    for bytes in chunks(&text[base..], size) {
        cutter.feed(bytes, &mut cuts);
    }
    cutter.finish(&mut cuts);
    let offsets = cuts.iter().map(|cut| cut.offset);
    offsets.filter(|&at| at >= base as u64 + 4).collect()
}

/// Splits each piece between two cuts separately.
fn split_pieces(container: Container, text: &[u8], size: usize) -> Trace {
    let mut trace = Trace::default();
    let cuts = cuts(container, text, size);
    let (mut from, mut line, mut number) = (0, 1, 1);
    let inner = cuts.iter().filter(|cut| cut.offset > 0);
    let ends = inner.map(|cut| (cut.offset as usize, cut.number));
    for (end, next) in ends.chain([(text.len(), 0)]) {
        let at = Position {
            offset: from as u64,
            line,
            number,
        };
        let piece = &text[from..end];
        run(
            Splitter::resume(container, at),
            piece,
            size.max(5),
            &mut trace,
        );
        line += piece.iter().filter(|&&b| b == b'\n').count() as u64;
        (from, number) = (end, next);
    }
    trace
}

/// A property of every stream: chunks and cuts change nothing.
fn check(container: Container, text: &[u8]) -> Trace {
    let whole = split(container, text, usize::MAX);
    let starts = whole.messages.iter().map(|m| MessageStart {
        offset: m.extent.start - m.head.len() as u64,
        number: m.number,
    });
    let starts: Vec<_> = starts.collect();
    for size in CHUNKS {
        assert_eq!(split(container, text, size), whole, "chunks of {size}");
        assert_eq!(
            cuts(container, text, size),
            starts,
            "cuts, chunks of {size}"
        );
        if container.has_many() {
            assert_eq!(split_pieces(container, text, size), whole, "pieces");
        }
        if let Container::Mbox(dialect) = container {
            for base in (0..text.len()).step_by(1 + text.len() / 50) {
                assert_eq!(
                    cuts_from(dialect, text, base, size),
                    starts
                        .iter()
                        .map(|cut| cut.offset)
                        .filter(|&at| at >= base as u64 + 4)
                        .collect::<Vec<_>>(),
                    "cuts from {base} on, chunks of {size}"
                );
            }
        }
    }
    whole
}

fn unescape(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        if *first != b'\\' {
            out.push(*first);
            continue;
        }
        let [kind, tail @ ..] = rest else {
            panic!("backslash at the end")
        };
        rest = tail;
        out.push(match kind {
            b'n' => b'\n',
            b'r' => b'\r',
            b'\\' => b'\\',
            b'x' => {
                let (hex, tail) = rest.split_at(2);
                rest = tail;
                u8::from_str_radix(std::str::from_utf8(hex).unwrap(), 16).unwrap()
            }
            _ => panic!("escape"),
        });
    }
    out
}

fn crlf(text: &str, on: bool) -> String {
    if on {
        text.replace('\n', "\r\n")
    } else {
        text.to_string()
    }
}

fn check_row(row: &Row, with_crlf: bool) {
    let text = crlf(&row.text, with_crlf);
    let (mut bytes, mut starts, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for piece in text.split_inclusive(['⟦', '⟧']) {
        bytes.extend(unescape(piece.trim_end_matches(['⟦', '⟧'])));
        if piece.ends_with('⟦') {
            starts.push(bytes.len() as u64);
        } else if piece.ends_with('⟧') {
            ends.push(bytes.len() as u64);
        }
    }
    assert_eq!(starts.len(), ends.len(), "marks");

    let hint: ReadAs = row.hint.as_deref().unwrap_or("auto").parse().unwrap();
    let container = sniff(&bytes, true, hint);
    assert_eq!(container.name(), row.container);
    let whole = check(container, &bytes);
    for size in CHUNKS {
        let mut trace = Trace::default();
        run(Splitter::new(hint), &bytes, size, &mut trace);
        assert_eq!(trace, whole);
    }

    let extents: Vec<_> = whole.messages.iter().map(|m| m.extent).collect();
    let expected: Vec<_> = starts
        .iter()
        .zip(&ends)
        .map(|(&start, &end)| Span::new(start, end))
        .collect();
    assert_eq!(extents, expected);
    for (i, message) in whole.messages.iter().enumerate() {
        assert_eq!(message.number, i as u64 + 1);
        let shape = row.shapes.as_ref().map_or("message", |shapes| &shapes[i]);
        assert_eq!(message.shape.name(), shape);
        if let Some(lines) = &row.lines {
            assert_eq!(message.line, lines[i]);
        }
        let data = match &row.data {
            Some(data) => unescape(&crlf(&data[i], with_crlf)),
            None => bytes[message.extent.start as usize..message.extent.end as usize].to_vec(),
        };
        assert_eq!(
            String::from_utf8_lossy(&message.data),
            String::from_utf8_lossy(&data)
        );
    }
    if let Some(data) = &row.data {
        assert_eq!(data.len(), whole.messages.len());
    }
    let seams: usize = whole.messages.iter().map(|m| m.seams.len()).sum();
    assert_eq!(seams, row.seams);
    let notes: Vec<_> = whole.notes.iter().map(|n| n.kind.name()).collect();
    assert_eq!(notes, row.notes);
    assert_eq!(whole.compressed.map(|c| c.1), row.compressed);
}

/// The rows of all files.
fn all_rows() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/containers");
    let files = std::fs::read_dir(folder).unwrap().flat_map(|entry| {
        let path = entry.unwrap().path();
        let file: File = toml::from_str(&std::fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        file.row
    });
    files.collect()
}

#[test]
fn rows() {
    let mut names = HashSet::new();
    let mut failed = Vec::new();
    for row in all_rows() {
        assert!(names.insert(row.name.clone()), "{} twice", row.name);
        assert!(!row.source.is_empty());
        for with_crlf in [false, true] {
            if with_crlf && !row.crlf {
                continue;
            }
            if std::panic::catch_unwind(|| check_row(&row, with_crlf)).is_err() {
                failed.push(format!("{} (crlf: {with_crlf}) {}", row.name, row.why));
            }
        }
    }
    assert!(names.len() > 40, "{} rows", names.len());
    assert!(failed.is_empty(), "failed:\n{}", failed.join("\n"));
}

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

const DATED: &str = "From x Thu Dec 21 07:24:52 1995";

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
        if i == 24 || holds_url || (i == 0 && (is_from || is_plain_header(line))) {
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
    for round in 0..3_000 {
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
    assert!(messages > 5_000, "{messages}");
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
    ];
    let mut random = Random(11);
    for round in 0..6_000 {
        let text = random.stream(&pieces, 24);
        check(containers[round % containers.len()], &text);
    }
}

/// Lines at and over the maximum length.
#[test]
fn long_lines_do_not_separate() {
    for (length, messages) in [(900, 2), (1_024, 2), (1_025, 1), (5_000, 1)] {
        let word = "x".repeat(length - DATED.len());
        let line = DATED.replace("x", &word);
        let text = format!("{DATED}\nSubject: a\n\n{line}\nSubject: b\n");
        let trace = check(Container::Mbox(Dialect::Dated), text.as_bytes());
        assert_eq!(trace.messages.len(), messages, "{length}");
    }
    for (length, messages) in [(1_000, 2), (1_023, 2), (1_024, 1), (4_000, 1)] {
        let name = "x".repeat(length);
        let text = format!("{DATED}\nSubject: a\n\n{DATED}\n{name}: b\n");
        let trace = check(Container::Mbox(Dialect::Dated), text.as_bytes());
        assert_eq!(trace.messages.len(), messages, "{length}");
    }
}

/// A doubtful count is checked only if it leads to a place at most 64 KiB ahead.
#[test]
fn rnews_reach() {
    for (length, messages) in [(60_000, 1), (70_000, 2)] {
        let text = "x\n".repeat(length / 2);
        let inner = "#! rnews 5\nA: b\n";
        let count = 6 + inner.len() + text.len();
        let batch = format!("#! rnews {count}\nA: b\n\n{inner}{text}");
        let whole = split(Container::Rnews, batch.as_bytes(), usize::MAX);
        assert_eq!(whole.messages.len(), messages);
        for size in [1_000, 4_096, 65_536] {
            assert_eq!(split(Container::Rnews, batch.as_bytes(), size), whole);
        }
    }
}

/// The recognised container does not depend on the chunks: the first result
/// that is not undecided is final.
#[test]
fn a_stream_of_single_bytes_is_recognised_like_the_whole() {
    let dribbled = |text: &[u8], hint: ReadAs| {
        let most = text.len().min(SNIFF);
        let at = (0..most).find(|&n| !is_undecided(&text[..n], hint));
        let at = at.unwrap_or(most);
        (at, sniff(&text[..at], at == text.len(), hint))
    };
    let check = |text: &[u8], name: &str| {
        let head = &text[..text.len().min(SNIFF)];
        for hint in [
            ReadAs::Auto,
            ReadAs::Mbox,
            ReadAs::Message,
            ReadAs::Rnews,
            ReadAs::Text,
        ] {
            let whole = sniff(head, text.len() <= SNIFF, hint);
            let (at, found) = dribbled(text, hint);
            assert_eq!(found, whole, "{name}, {hint:?}, after {at}");
        }
    };
    for row in all_rows() {
        for on in [false, true] {
            let text = unescape(&crlf(&row.text.replace(['⟦', '⟧'], ""), on && row.crlf));
            check(&text, &row.name);
            check(&[b"\xEF\xBB\xBF", &text[..]].concat(), &row.name);
            check(&text[..text.len() / 2], &row.name);
        }
    }
    let texts = [
        "To: a@b.example\nX-Mailer: b\nFrom: c@d.example\nSubject: e\n\nhttp://a.example/\n",
        "X-A: http://a.example/\nTo: a\nFrom: b\nDate: c\n\nd\n",
        "200 news.example.org ready\r\n211 1 2 3 a.b\r\n220 1 <a@b>\r\nFrom: c\r\n\r\nd\r\n.\r\n",
        "321\nFrom: a\nTo: b\nSubject: c\n\nd\n",
        "321\nwords\n220 1 <a@b>\nFrom: c\n",
        "Path: a\r\nFrom: b\r\nNewsgroups: c\r\n\r\n..d\r\n.\r\n",
        "Path: a\r\nFrom: b\r\nNewsgroups: c\r\n\r\n..d\r\n.\r\ne\r\n",
        "From a: b\nTo: c\n",
        "From: a\nPath://b\nTo: c\n\nd\n",
        "A\nb\nc\nd\ne\n",
        "#! words\n",
        "#! cunbatch",
        "0123456789abcdef0123456789abcdef01234567 blob 3\na: b\n",
        "0123456789abcdef0123456789abcdef01234567 words\n",
    ];
    for text in texts {
        check(text.as_bytes(), text);
        check(crlf(text, true).as_bytes(), text);
    }
    let log = "INFO: words\n".repeat(20) + "From: a\nDate: b\n";
    check(log.as_bytes(), "a log");
    let (at, _) = dribbled(log.as_bytes(), ReadAs::Auto);
    assert!(at < 120, "a log is recognised after {at} bytes");
    // Text is recognised at its first URL at the latest.
    for text in ["see http://a.example/", "\n\n---\nwords\nhttp://a.example/"] {
        let (at, _) = dribbled(text.as_bytes(), ReadAs::Auto);
        assert!(
            at < text.len() - 9,
            "{text:?} is recognised after {at} bytes"
        );
    }
    // A header block over the maximum length.
    let long = format!(
        "X-A: b\n{}From: c\nDate: d\n\ne\n",
        "X-B: c\nX-C: d\n".repeat(700)
    );
    check(long.as_bytes(), "a long header");
}

/// Wire format is recognised from the first 8 KiB of a long article, too.
#[test]
fn wire_format_of_a_long_article() {
    let body = "..stuffed\r\n".repeat(2_000);
    let text = format!("Path: a\r\nNewsgroups: b\r\nXref: c\r\n\r\n{body}.\r\n");
    let recognised = |text: &str| sniff(&text.as_bytes()[..SNIFF], false, ReadAs::Auto);
    assert_eq!(recognised(&text), Container::Wire);
    let trace = check(Container::Wire, text.as_bytes());
    assert_eq!(trace.messages[0].seams.len(), 2_000);
    assert_eq!(trace.notes, []);

    let cut = &text.as_bytes()[..text.len() - 3];
    let trace = check(Container::Wire, cut);
    assert_eq!(trace.notes[0].kind, ContainerNoteKind::NoFinalDot);

    // A copy saved by a news reader, and an article whose dots are not stuffed.
    let saved = text.replace("Xref", "Subject");
    assert_eq!(recognised(&saved), Container::Message);
    let unstuffed = text.replacen("..stuffed", ".stuffed", 1);
    assert_eq!(recognised(&unstuffed), Container::Message);
}

/// Streams on which a naive splitter takes much time or memory. The test has no
/// measurement: with a quadratic splitter it would not end.
#[test]
fn hostile_streams() {
    let dated = format!("{DATED}\n");
    let families: [(Container, &str); 14] = [
        (Container::Mbox(Dialect::Dated), "\nFrom "),
        (Container::Mbox(Dialect::Dated), "From "),
        (Container::Mbox(Dialect::Dated), &dated),
        (Container::Mbox(Dialect::Dated), "\nFrom Mon Mon"),
        (Container::Mbox(Dialect::Any), "\n\nFrom ...\nA"),
        (Container::Mbox(Dialect::Any), ">"),
        (Container::Mbox(Dialect::Any), ">From "),
        (Container::Mbox(Dialect::Any), "\n>From"),
        (Container::Rnews, "#! rnews 60000\nA: b\n"),
        (Container::Rnews, "#! rnews 9\n"),
        (Container::Rnews, "\n#! rnews 1000000\nA"),
        (Container::Session, "\n220 1 <"),
        (Container::Session, "220 1 <a@b>\n."),
        (Container::GitCat, "0123456789"),
    ];
    for (container, piece) in families {
        let text = piece.repeat(2_000_000 / piece.len());
        let whole = split(container, text.as_bytes(), usize::MAX);
        for size in [997, 65_536] {
            assert_eq!(split(container, text.as_bytes(), size), whole, "{piece:?}");
        }
    }
}

/// The counts of Python's `mailbox`, minus the body lines at which `mailbox`
/// splits. Skipped unless the environment variable URLGREP_CORPUS is set.
#[test]
fn counts_of_archives() {
    let Some(corpus) = std::env::var_os("URLGREP_CORPUS") else {
        return;
    };
    let corpus = Path::new(&corpus);
    let read = |path: &Path| {
        let text = std::fs::read(corpus.join(path)).unwrap();
        let head = &text[..text.len().min(SNIFF)];
        let container = sniff(head, text.len() <= SNIFF, ReadAs::Auto);
        let trace = split(container, &text, 65_536);
        if container.has_many() {
            let pieces = split_pieces(container, &text, 1 << 20);
            assert_eq!(pieces, trace, "{}", path.display());
        }
        (container.name(), trace.messages.len())
    };
    for (path, container, messages) in [
        ("news/comp.lang.lisp-1986-1990.mbx", "mbox-dots", 3_969),
        ("news/comp.lang.lisp-2016-2017.mbx", "mbox-dots", 5_358),
        ("mail/linux-hams.mbox", "mbox", 2_354),
        ("list/cypherpunks-1996.mbox", "mbox", 10_801),
        (
            "mime/gmime/tests/data/mbox/input/substring.mbox",
            "mbox-dash",
            3,
        ),
    ] {
        let found = read(Path::new(path));
        assert_eq!(found, (container, messages), "{path}");
    }
    let mimekit = Path::new("mime/mimekit/UnitTests/TestData/mbox");
    for (path, container, messages) in [
        ("simple.mbox.txt", "mbox-dash", 3),
        ("unmunged.mbox.txt", "mbox-dash", 2),
        ("content-length.mbox.txt", "mbox-dash", 29),
        ("issue1189.mbox.txt", "mbox-number", 4),
        ("jwz-summary.txt", "mbox-dash", 152),
    ] {
        let found = read(&mimekit.join(path));
        assert_eq!(found, (container, messages), "{path}");
    }
    // These lists have six body lines at which other readers split.
    let mut messages = 0;
    for list in [
        "list/pipermail/twisted-python",
        "list/pipermail/twisted-web",
    ] {
        for entry in std::fs::read_dir(corpus.join(list)).unwrap() {
            let (container, count) = read(&entry.unwrap().path());
            assert_eq!(container, "mbox");
            messages += count;
        }
    }
    assert_eq!(messages, 12_335);
}
