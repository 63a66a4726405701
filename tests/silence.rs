//! Nothing is cut in silence: a hit after which the text goes on without a blank, or that ends in a
//! hyphen, says so. It continues, has a doubt, or has another reading.
//!
//! `URLGREP_CORPUS` names the first collection, and the others and the suites of other programs are
//! in the same folder. With `URLGREP_SLOW` all of them are read.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::slow;
use serde_json::Value;
use urlgrep::{Extractor, Form};

/// The collections.
const COLLECTIONS: [&str; 4] = ["corpus", "corpus2", "corpus3", "corpus4"];

/// How the text `rest` goes on after the hit `url`, if the hit must say something about it.
/// A symbol ends a URL as punctuation does.
fn goes_on(url: &[u8], rest: &[u8]) -> Option<&'static str> {
    // The other half of a pair, or another URL.
    let is_closed = rest.first().is_some_and(|b| b")]}>\"".contains(b));
    let scheme = rest.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    if is_closed || rest[scheme..].starts_with(b"://") {
        return None;
    }
    // No host goes on with another script.
    let is_host = url.iter().filter(|&&b| b == b'/').count() == 2;
    if is_host && rest.first().is_some_and(|b| !b.is_ascii()) {
        return None;
    }
    if url.ends_with(b"-") {
        let blank_line = {
            let mut lines = rest.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
            let first = lines.next().unwrap_or_default();
            first.is_empty() && lines.next().unwrap_or_default().is_empty()
        };
        return (!blank_line).then_some("a hyphen");
    }
    let text = String::from_utf8_lossy(&rest[..rest.len().min(8)]);
    let next = text.chars().next()?;
    let is_letter = next.is_alphanumeric() || next == '\u{FFFD}';
    is_letter.then_some("a letter")
}

/// The folder with the collections and the suites, if they exist.
fn folder() -> Option<PathBuf> {
    let first = PathBuf::from(env::var_os("URLGREP_CORPUS")?);
    let folder = first.parent()?.to_path_buf();
    folder.join("corpus4").is_dir().then_some(folder)
}

/// The rows of a search of `folder`.
fn rows(folder: &Path) -> Vec<Value> {
    let mut search = Command::new(env!("CARGO_BIN_EXE_urlgrep"));
    let fields = "path,url,form,segments,doubt,continues,alternates";
    search.args(["--no-config", "--json", "--fields", fields]);
    let output = search.arg(folder).stderr(Stdio::null()).output();
    let output = output.expect("the command ends").stdout;
    let lines = output
        .split(|&b| b == b'\n')
        .filter(|line| !line.is_empty());
    lines
        .map(|line| serde_json::from_slice(line).expect("JSON"))
        .collect()
}

/// True if the row of a hit says that the text may be read otherwise.
fn says_so(row: &Value) -> bool {
    let has = |name: &str| row[name].as_array().is_some_and(|list| !list.is_empty());
    row["continues"] == true || has("doubt") || has("alternates")
}

/// The hits of a collection that are cut in silence: their place, their text and what follows.
fn cut_in(folder: &Path) -> Vec<String> {
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    let mut cut = Vec::new();
    let rows = rows(folder);
    assert!(!rows.is_empty(), "{} has no hits", folder.display());
    for row in rows {
        let is_bare = row["form"] == "bare" || row["form"] == "prefixed";
        let end = row["segments"]
            .as_array()
            .and_then(|all| all.last()?["end"].as_u64());
        let (Some(path), Some(url), Some(end)) = (row["path"].as_str(), row["url"].as_str(), end)
        else {
            continue;
        };
        if !is_bare || says_so(&row) {
            continue;
        }
        let bytes = files
            .entry(path.to_owned())
            .or_insert_with(|| fs::read(path).unwrap_or_default());
        let end = (end as usize).min(bytes.len());
        // The bytes of another charset or of a compressed file are not those of the text.
        if !url.as_bytes().ends_with(&bytes[end.saturating_sub(1)..end]) {
            continue;
        }
        if let Some(how) = goes_on(url.as_bytes(), &bytes[end..]) {
            let rest = bytes[end..].iter().take(12).copied().collect::<Vec<_>>();
            cut.push(format!(
                "{path}:{end}: {how}: {url} {}",
                rest.escape_ascii()
            ));
        }
    }
    cut
}

#[test]
fn no_hit_of_the_collections_is_cut_in_silence() {
    let Some(folder) = folder().filter(|_| slow()) else {
        println!("skipped: it reads all collections");
        return;
    };
    for name in COLLECTIONS {
        let cut = cut_in(&folder.join(name));
        assert!(cut.is_empty(), "{name}: {cut:#?}");
    }
}

#[test]
fn no_hit_of_the_suites_is_cut_in_silence() {
    let Some(folder) = folder() else {
        println!("skipped: the suites do not exist");
        return;
    };
    let extractor = Extractor::builder().rows(true).build();
    let mut cut = Vec::new();
    let mut hits = 0;
    for file in fs::read_dir(folder.join("suites")).expect("the suites") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|name| name != "jsonl") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("text");
        for line in text.lines() {
            let case: Value = serde_json::from_str(line).expect("JSON");
            let text = case["text"].as_str().unwrap_or_default().as_bytes();
            for hit in extractor.find_iter(text) {
                hits += 1;
                let says = hit.continues()
                    || !hit.doubts().is_empty()
                    || hit.alternates().next().is_some();
                let rest = &text[hit.span().end as usize..];
                if hit.form() == Form::Bare
                    && !says
                    && let Some(how) = goes_on(hit.text(), rest)
                {
                    let text = hit.text().escape_ascii();
                    let rest = String::from_utf8_lossy(&rest[..rest.len().min(24)]);
                    cut.push(format!("{}: {how}: {text} {rest}", path.display()));
                }
            }
        }
    }
    assert!(hits > 100, "{hits} hits in the suites");
    // One ends before a word of Korean with a host after it.
    assert!(cut.len() <= 1, "{cut:#?}");
}

/// The cases of `terminal-hardwrap.jsonl`: screens on which a program has broken a URL over rows, in
/// frames, gutters and padding, and screens (`neg`) whose next row is no part of the URL.
#[test]
fn urls_that_a_terminal_breaks_are_whole() {
    let Some(folder) = folder() else {
        println!("skipped: the suites do not exist");
        return;
    };
    let path = folder.join("suites/terminal-hardwrap.jsonl");
    let cases = fs::read_to_string(path).expect("text");
    let extractor = Extractor::builder().rows(true).build();
    let mut right = 0;
    for case in cases.lines() {
        let case: Value = serde_json::from_str(case).expect("JSON");
        let text = case["text"].as_str().expect("a text").as_bytes();
        let expected = case["expected"].as_array().expect("a list").iter();
        let expected: Vec<_> = expected.map(|url| url.as_str().expect("a URL")).collect();
        let mut found: Vec<_> = extractor.find_iter(text).collect();
        let is_negative = case["kind"] == "neg";
        if is_negative {
            // The next row may be a URL of its own, which the case does not list.
            assert!(found.iter().all(|hit| hit.seams().is_empty()), "{case}");
            found.truncate(expected.len());
        }
        let found: Vec<_> = found.iter().map(|hit| hit.text()).collect();
        let is_right = found
            == expected
                .iter()
                .map(|url| url.as_bytes())
                .collect::<Vec<_>>();
        assert!(is_right || !is_negative, "{case}");
        right += usize::from(is_right);
    }
    println!("{right} of {} are right", cases.lines().count());
    assert!(right >= 198, "{right}");
}
