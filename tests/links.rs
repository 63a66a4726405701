//! Runs the rows of `testdata/links.toml`: pages of HTML and the links in them. Each page is
//! searched whole and in two chunks, with every place between them.

use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;
use urlgrep::ExtractorBuilder;
use urlgrep::search::{Match, Searcher};
use urlgrep_containers::{Container, Position};

use crate::common::rows::{self, Failures, unescape};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(default, rename = "source")]
    _source: String,
    #[serde(default, rename = "why")]
    _why: String,
    text: String,
    hits: Vec<String>,
}

/// A hit as the rows write it.
fn line(found: &Match<'_>) -> String {
    let hit = found.hit;
    let mut line = String::new();
    if let Err(reject) = hit.url() {
        line += &format!("REJECT {}: ", reject.rule);
    }
    line += &String::from_utf8_lossy(hit.text());
    let doubts: Vec<_> = hit.doubts().iter().map(|doubt| doubt.name()).collect();
    if !doubts.is_empty() {
        line += &format!(" {{{}}}", doubts.join(","));
    }
    let form = hit.form().name();
    if form != "link" {
        line += &format!(" ({form})");
    }
    line
}

/// The hits in `message`, which comes in two chunks.
fn hits(searcher: &mut Searcher, (one, other): (&[u8], &[u8])) -> Vec<String> {
    let mut lines = vec![];
    let mut push = |found: &Match<'_>| {
        lines.push(line(found));
        ControlFlow::Continue(())
    };
    searcher.begin(Container::Message, Position::START);
    let _ = searcher.feed(one, &mut push);
    let _ = searcher.feed(other, &mut push);
    let _ = searcher.finish(&mut push);
    lines
}

#[test]
fn links_of_pages() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/links.toml");
    let rows: Vec<Row> = rows::read_rows(&path);
    let extractor = ExtractorBuilder::default().rejects(true);
    let mut searcher = Searcher::builder().extractor(extractor).build();
    let mut failures = Failures::default();
    for row in rows.iter().filter(|row| rows::wanted(&row.name)) {
        let head = b"From: u@a.example\nSubject: x\nContent-Type: text/html; charset=utf-8\n\n";
        let message = [&head[..], &unescape(&row.text)].concat();
        for cut in head.len()..=message.len() {
            let found = hits(&mut searcher, message.split_at(cut));
            if found != row.hits {
                let wanted = &row.hits;
                failures.add(format!(
                    "{}, cut at {cut}: {found:#?}, not {wanted:#?}",
                    row.name
                ));
                break;
            }
        }
    }
    failures.check(rows.len());
}
