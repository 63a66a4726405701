//! Properties of JSON records that must hold for every input, as plain
//! functions; see `properties`.

use std::io::Cursor;
use std::ops::ControlFlow;

use urlgrep::ExtractorBuilder;
use urlgrep::mail::{HeaderPolicy, Position, ReadAs, sniff};
use urlgrep::rows::{Record, json};
use urlgrep::search::{Match, Searcher, SearcherBuilder, Visitor};
use urlgrep_base::escape;
use urlgrep_base::span::SourceMap;
use urlgrep_mail::mime::{MailSink, MessageMeta, PartEnd, PartInfo, Walker};
use urlgrep_verify::{Checked, Claim, Replay};

/// The record as a line of JSON, without its end. The line has no byte that a
/// terminal does not show.
pub fn json(record: &Record<'_>) -> String {
    let mut out = Vec::new();
    json::Writer::new().write(record, &mut out);
    let line = String::from_utf8(out).expect("JSON is UTF-8");
    let body = line.strip_suffix('\n').expect("a line");
    assert!(
        !body.chars().any(escape::is_hidden),
        "a byte that a terminal does not show: {body:?}"
    );
    body.to_owned()
}

/// The number of records whose URL was rebuilt from the source, and of records
/// whose URL is in decoded text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Count {
    pub replayed: usize,
    pub decoded: usize,
}

/// The hits of plain text are printed, read back, and verified. `each` gets every
/// record and its line.
pub fn hits_are_confirmed(
    path: &[u8],
    builder: ExtractorBuilder,
    text: &[u8],
    mut each: impl FnMut(&Record<'_>, &str),
) -> Count {
    let mut lines = vec![];
    for hit in builder.build().find_iter(text) {
        let record = Record::plain(Some(path), &hit);
        let line = json(&record);
        each(&record, &line);
        lines.push(line);
    }
    confirm(&lines, text, &[])
}

/// The hits of a message are printed, read back, and verified on the message or
/// on its decoded text.
pub fn finds_are_confirmed(
    path: &[u8],
    options: SearcherBuilder,
    headers: HeaderPolicy,
    message: &[u8],
    each: impl FnMut(&Record<'_>, &str),
) -> Count {
    let mut lines = Lines::new(path, each);
    let options = options.headers(headers).message_ends(true);
    let _ = options.build().visit_message(message, &mut lines);
    let mut texts = Texts::default();
    let mut walker = Walker::builder().headers(headers).build();
    walker.message(MessageMeta::default());
    walker.feed(message, 0, &mut texts);
    walker.finish(&mut texts);
    confirm(&lines.lines, message, &texts.done)
}

/// The records of a stream do not depend on the chunks, and are verified on the
/// stream.
pub fn streams_are_confirmed(
    options: SearcherBuilder,
    hint: ReadAs,
    stream: &[u8],
    sizes: &[usize],
) -> Count {
    let options = options.message_ends(true);
    let whole = whole_rows(options, hint, stream);
    for &size in sizes {
        let found = rows_of_chunks(options, hint, stream, stream.chunks(size.max(1)));
        assert_eq!(whole, found, "chunks of {size}: {}", stream.escape_ascii());
    }
    confirm(&whole, stream, &[])
}

/// The rows of a stream, with all their columns, are the same if it is cut at `cuts`, which
/// may be beyond its end. Each row is verified on the stream.
pub fn cuts_make_no_difference(
    options: SearcherBuilder,
    hint: ReadAs,
    stream: &[u8],
    cuts: &[usize],
) -> Count {
    let options = options.message_ends(true);
    let whole = whole_rows(options, hint, stream);
    cut_gives(&whole, options, hint, stream, cuts);
    confirm(&whole, stream, &[])
}

/// The same for each place of the stream, one cut at a time.
pub fn no_cut_makes_a_difference(options: SearcherBuilder, hint: ReadAs, stream: &[u8]) -> Count {
    let options = options.message_ends(true);
    let whole = whole_rows(options, hint, stream);
    for cut in 0..=stream.len() {
        cut_gives(&whole, options, hint, stream, &[cut]);
    }
    confirm(&whole, stream, &[])
}

/// The stream has these rows if it is cut at `cuts`.
fn cut_gives(
    whole: &[String],
    options: SearcherBuilder,
    hint: ReadAs,
    stream: &[u8],
    cuts: &[usize],
) {
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut % (stream.len() + 1)).collect();
    cuts.sort_unstable();
    let mut chunks = Vec::new();
    let mut start = 0;
    for &end in cuts.iter().chain([&stream.len()]) {
        chunks.push(&stream[start..end]);
        start = end;
    }
    let found = rows_of_chunks(options, hint, stream, chunks);
    assert_eq!(whole, found, "{cuts:?}: {}", stream.escape_ascii());
}

/// The hits of a stream have the same columns whether rejects are reported beside them or not.
pub fn rejects_change_no_hit(extractor: ExtractorBuilder, hint: ReadAs, stream: &[u8]) {
    let rows = |rejects| {
        let extractor = extractor.rejects(rejects);
        let options = Searcher::builder().columns(true).extractor(extractor);
        whole_rows(options, hint, stream)
    };
    let mut hits = rows(true);
    hits.retain(|row| row.contains("\"type\":\"hit\""));
    assert_eq!(rows(false), hits, "{}", stream.escape_ascii());
}

fn whole_rows(options: SearcherBuilder, hint: ReadAs, stream: &[u8]) -> Vec<String> {
    let container = sniff(stream, true, hint);
    let mut found = Lines::new(b"f", |_, _| {});
    let mut searcher = options.build();
    let _ = searcher.search(container, Position::START, stream, &mut found);
    found.lines
}

/// The rows of `stream`, which comes in `chunks`.
fn rows_of_chunks<'s>(
    options: SearcherBuilder,
    hint: ReadAs,
    stream: &'s [u8],
    chunks: impl IntoIterator<Item = &'s [u8]>,
) -> Vec<String> {
    let mut found = Lines::new(b"f", |_, _| {});
    let mut searcher = options.build();
    searcher.begin(sniff(stream, true, hint), Position::START);
    for chunk in chunks {
        let _ = searcher.feed(chunk, &mut found);
    }
    let _ = searcher.finish(&mut found);
    found.lines
}

/// As [`streams_are_confirmed`], for a message with a file of these bytes in base64.
pub fn attachment_is_confirmed(file: &[u8], sizes: &[usize]) -> Count {
    let head = "From: a\nSubject: b\nContent-Type: application/octet-stream; name=f\n\
        Content-Transfer-Encoding: base64\n\n";
    let message = format!("{head}{}", base64(file));
    streams_are_confirmed(
        Searcher::builder(),
        ReadAs::Message,
        message.as_bytes(),
        sizes,
    )
}

/// The bytes in base64, in lines.
pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, i| {
            bits << 8 | u32::from(*chunk.get(i).unwrap_or(&0))
        });
        for i in 0..4 {
            let digit = char::from(DIGITS[(bits >> (18 - 6 * i)) as usize & 63]);
            out.push(if i <= chunk.len() { digit } else { '=' });
        }
        if out.len() % 77 == 76 {
            out.push('\n');
        }
    }
    out
}

/// A line that may be a record is accepted or refused, and so are its claims
/// about `source`. Nothing panics.
pub fn any_line_is_answered(line: &[u8], source: &[u8]) {
    let Ok(Some(claim)) = Claim::read(line) else {
        return;
    };
    let mut replay = Replay::new(Cursor::new(source));
    let first = replay.check(&claim).map_err(|fault| fault.to_string());
    // The lines that were counted before do not matter.
    let second = replay.check(&claim).map_err(|fault| fault.to_string());
    assert_eq!(first, second, "{}", line.escape_ascii());
    // OK to ignore: the source is not the decoded text, so only a panic would be a fault.
    let _ = claim.check_decoded(source);
    let _ = (claim.path(), claim.url());
}

/// Verifies records, in order, on their source, or on one of its decoded texts if
/// there are any.
fn confirm(lines: &[String], source: &[u8], texts: &[Vec<u8>]) -> Count {
    let mut count = Count::default();
    let mut replay = Replay::new(Cursor::new(source));
    for line in lines {
        let shown = || format!("{line}\nof {}", source.escape_ascii());
        let claim = match Claim::read(line.as_bytes()) {
            Ok(claim) => claim.expect("no note"),
            Err(difference) => panic!("{difference}: {}", shown()),
        };
        match replay.check(&claim) {
            Ok(Checked::Replayed) => count.replayed += 1,
            Ok(Checked::Decoded) => {
                count.decoded += 1;
                let found = texts.iter().any(|text| claim.check_decoded(text).is_ok());
                assert!(found || texts.is_empty(), "in no decoded text: {}", shown());
            }
            Err(fault) => panic!("{fault}: {}", shown()),
        }
    }
    count
}

/// Prints the matches of a searcher.
struct Lines<'a, F> {
    path: &'a [u8],
    each: F,
    lines: Vec<String>,
}

impl<'a, F: FnMut(&Record<'_>, &str)> Lines<'a, F> {
    fn new(path: &'a [u8], each: F) -> Lines<'a, F> {
        Lines {
            path,
            each,
            lines: vec![],
        }
    }
}

impl<F: FnMut(&Record<'_>, &str)> Visitor for Lines<'_, F> {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        let record = Record::new(Some(self.path), *found);
        let line = json(&record);
        (self.each)(&record, &line);
        self.lines.push(line);
        ControlFlow::Continue(())
    }
}

/// The decoded texts of a message.
#[derive(Default)]
struct Texts {
    open: Vec<Vec<u8>>,
    done: Vec<Vec<u8>>,
}

impl MailSink for Texts {
    fn part_start(&mut self, _part: &PartInfo<'_>) {
        self.open.push(vec![]);
    }

    fn text(&mut self, bytes: &[u8], _map: &SourceMap) {
        let text = self.open.last_mut().expect("text outside of a part");
        text.extend_from_slice(bytes);
    }

    fn part_end(&mut self, _end: PartEnd) {
        self.done.extend(self.open.pop());
    }
}
