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
mod generated;
mod long;
mod streams;

use std::collections::HashSet;

use serde::Deserialize;
use urlgrep::{SeamKind, Span};
use urlgrep_containers::{
    Container, ContainerNote, ContainerNoteKind, ContainerSink, Dialect, MessageFinder,
    MessageStart, Outside, Packing, Position, ReadAs, SNIFF, SNIFF_MAX, Shape, Splitter, Start,
    is_undecided, sniff,
};

use crate::common::rows;

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

/// A separator of an mbox.
const DATED: &str = "From x Thu Dec 21 07:24:52 1995";

/// The chunk sizes of every test; the last one is the whole input.
const CHUNKS: [usize; 6] = [1, 2, 3, 7, 64, usize::MAX];

fn chunks(text: &[u8], size: usize) -> std::slice::Chunks<'_, u8> {
    text.chunks(size.min(text.len().max(1)))
}

fn run(mut splitter: Splitter, text: &[u8], size: usize, trace: &mut Trace) {
    for bytes in chunks(text, size) {
        splitter.feed(bytes, trace);
        assert!(splitter.held() <= SNIFF_MAX);
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
        from = end;
        number = next;
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
        if container.is_divisible() {
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

    let hint = ReadAs::from_name(row.hint.as_deref().unwrap_or("auto")).unwrap();
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
    let files = rows::files("containers").into_iter();
    files.flat_map(|path| rows::read_rows(&path)).collect()
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
