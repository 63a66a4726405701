//! Runs the rows of `testdata/strings`: JSON, read as its strings, and tables, read as their
//! fields. Each text is read in pieces of several sizes, and by a searcher that is asked for the
//! end of the message.

use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;
use urlgrep::search::{Match, Message, Note, Searcher, Visitor};
use urlgrep_containers::ReadAs;

use crate::common::rows;

const FOLDER: &str = "testdata/strings";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The origin of the case.
    #[serde(rename = "source")]
    _source: String,
    /// The file with the text, or the text.
    file: Option<String>,
    #[serde(default)]
    text: String,
    /// `text` if the row is no JSON. `csv` if it is to be read as a table.
    #[serde(default)]
    read_as: String,
    /// Only the URL Standard allows the URL.
    #[serde(default)]
    whatwg: bool,
    hits: Vec<String>,
    #[serde(default)]
    notes: Vec<String>,
}

/// The hits and notes of a file.
#[derive(Debug, Default, PartialEq)]
struct Seen {
    hits: Vec<String>,
    notes: Vec<String>,
    /// The place of each hit in the source, and its line.
    places: Vec<(u64, u64, u64)>,
    /// Whether each hit came after the message that it names.
    message: Option<String>,
}

fn said(message: Option<&Message<'_>>) -> String {
    let info = message.map(|message| message.info);
    let date = info.and_then(|info| info.date());
    let date = date.map_or_else(|| "-".to_owned(), |date| date.to_string());
    let from = info.map_or(&b""[..], |info| info.from());
    let from = String::from_utf8_lossy(if from.is_empty() { b"-" } else { from });
    format!("{date} {from}")
}

impl Visitor for Seen {
    fn message(&mut self, message: &Message<'_>) -> bool {
        self.message = Some(said(Some(message)));
        true
    }

    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        let said = said(found.message.as_ref());
        if found.message.is_some() {
            assert_eq!(self.message.as_ref(), Some(&said));
        }
        let url = String::from_utf8_lossy(found.hit.text());
        self.hits.push(format!("{url} {said}"));
        let place = found.source().expect("JSON has all bytes of its URLs");
        let span = place.span();
        self.places
            .push((span.start, span.end, found.line().unwrap_or(0)));
        ControlFlow::Continue(())
    }

    fn note(&mut self, note: &Note<'_>) {
        self.notes.push(note.kind.name().to_owned());
    }
}

/// A reader that gives at most `size` bytes at a time.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.1.min(buffer.len());
        self.0.read(&mut buffer[..n])
    }
}

fn search(text: &[u8], size: usize, ends: bool) -> Seen {
    search_as(ReadAs::Auto, text, size, ends)
}

fn search_as(read_as: ReadAs, text: &[u8], size: usize, ends: bool) -> Seen {
    let mut seen = Seen::default();
    let mut searcher = Searcher::builder().message_ends(ends).build();
    let _ = searcher
        .visit_reader(Pieces(text, size), read_as, &mut seen)
        .expect("memory can be read");
    seen
}

fn text_of(row: &Row) -> Vec<u8> {
    match &row.file {
        Some(name) => std::fs::read(format!("{FOLDER}/{name}")).unwrap(),
        None => row.text.clone().into_bytes(),
    }
}

#[test]
fn rows() {
    let rows: Vec<Row> = rows::read_rows(&Path::new(FOLDER).join("rows.toml"));
    let mut failed = String::new();
    let is_tested = |row: &&Row| cfg!(feature = "whatwg") || !row.whatwg;
    for row in rows.iter().filter(is_tested) {
        let text = text_of(row);
        let read_as = match &*row.read_as {
            "csv" => ReadAs::Csv,
            _ => ReadAs::Auto,
        };
        let whole = search_as(read_as, &text, usize::MAX, false);
        let is_text = whole.message.is_none();
        if whole.hits != row.hits || whole.notes != row.notes || is_text != (row.read_as == "text")
        {
            failed += &format!("{}: {:#?} {:?}\n", row.name, whole.hits, whole.notes);
        }
        for size in [1, 2, 3, 7, 64] {
            for ends in [false, true] {
                let seen = search_as(read_as, &text, size, ends);
                assert_eq!(seen, whole, "{} in pieces of {size}", row.name);
            }
        }
        // A cut file has the hits before the cut, and nothing panics.
        for end in 0..text.len().min(2000) {
            search_as(read_as, &text[..end], 64, false);
        }
        for (start, end, line) in &whole.places {
            let before = &text[..*start as usize];
            let feeds = before.iter().filter(|&&b| b == b'\n').count() as u64;
            assert_eq!(feeds + 1, *line, "{}: {start} to {end}", row.name);
        }
    }
    assert!(failed.is_empty(), "{failed}");
}

/// The hits of an object that never ends are not kept, and those after damage are found.
#[test]
fn long_json_is_given_early() {
    let one = r#"{"text": "http://a.example/b", "n": 1},"#;
    let mut text = r#"{"author": "Ann", "created_at": "2024-05-06", "list": ["#.to_owned();
    let count = 5000;
    text += &one.repeat(count);
    text += "}, http://c.example/";
    let whole = search(text.as_bytes(), usize::MAX, false);
    assert_eq!(whole.hits.len(), count + 1);
    let named = "http://a.example/b 2024-05-06T00:00:00Z Ann";
    assert_eq!(whole.hits.iter().filter(|hit| *hit == named).count(), count);
    assert_eq!(whole.hits[count], "http://c.example/ - -");
    assert_eq!(whole.notes, ["damaged-json"]);
    for size in [1, 63, 4096] {
        assert!(search(text.as_bytes(), size, false) == whole, "{size}");
    }
}

/// Nesting has a limit, and time is linear in it.
#[test]
fn deep_json_is_text() {
    let deep = |depth: usize| {
        let open = r#"{"text":["http://a.example/","#.repeat(depth);
        format!("{open}\"http://b.example/\"{}", "]}".repeat(depth))
    };
    let seen = search(deep(255).as_bytes(), 100, false);
    assert_eq!((seen.hits.len(), seen.notes.len()), (256, 0));
    let seen = search(deep(10_000).as_bytes(), 100, false);
    assert_eq!(seen.notes, ["damaged-json"]);
    assert_eq!(seen.hits.len(), 10_001);
}
