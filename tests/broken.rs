//! A cut input gives no URL that the whole input does not have. Tests every cut
//! of small texts and mails. If the environment variable `URLGREP_CORPUS` is
//! set, tests cuts of real mail as well.

use crate::common::{self, hostile_mail, slow};
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::common::broken::{Reported, check, search};
use crate::common::rows::{files, unescape};
use urlgrep::mail::{Container, ReadAs, SNIFF};
use urlgrep::search::Searcher;

/// At most `most` cuts of a text of `len` bytes.
fn cuts(len: usize, most: usize) -> impl Iterator<Item = usize> {
    (0..=len).step_by(1 + len / most)
}

/// The texts of the rows of a folder.
fn rows(folder: &str) -> Vec<(String, Vec<u8>)> {
    let mut rows = Vec::new();
    for file in files(folder) {
        let table: toml::Table = common::rows::read(&file);
        let rows_of_file = table.get("row").and_then(toml::Value::as_array);
        for row in rows_of_file.into_iter().flatten() {
            if let (Some(name), Some(text)) = (row.get("name"), row.get("text")) {
                let text = text.as_str().unwrap().replace(['⟦', '⟧'], "");
                rows.push((name.as_str().unwrap().to_owned(), unescape(&text)));
            }
        }
    }
    assert!(rows.len() > 20, "{folder}");
    rows
}

/// The most cuts of a short text.
fn most() -> usize {
    if slow() { 40 } else { 20 }
}

#[test]
fn every_cut_of_the_rows() {
    for folder in ["containers", "extract", "mime"] {
        for (name, text) in rows(folder) {
            for hint in [ReadAs::Auto, ReadAs::Text] {
                check(&name, &text, hint, cuts(text.len(), most()));
            }
        }
    }
}

#[test]
fn hostile_mails() {
    for family in hostile_mail::families() {
        let mail = family.make(600);
        check(family.name, &mail, ReadAs::Auto, cuts(mail.len(), most()));
    }
}

/// Long enough that the container is recognised.
#[test]
fn long_mails() {
    let texts: Vec<Vec<u8>> = rows("mime").into_iter().map(|(_, text)| text).collect();
    let mut mbox = Vec::new();
    for text in texts.iter().cycle().take(80) {
        mbox.extend_from_slice(b"From a@b.example Thu Jan  1 00:00:00 1970\n");
        mbox.extend_from_slice(text);
        mbox.extend_from_slice(b"\n\n");
    }
    assert!(mbox.len() > SNIFF);
    check("mbox", &mbox, ReadAs::Auto, cuts(mbox.len(), 60));
}

fn corpus_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            corpus_files(&path, out);
        } else {
            out.push(path);
        }
    }
}

#[test]
fn cuts_of_real_mail() {
    let Some(corpus) = std::env::var_os("URLGREP_CORPUS") else {
        return;
    };
    // `URLGREP_CUTS=100` makes at least 500 cuts, five in each file, if the
    // corpus has 100 files or more.
    let number = std::env::var("URLGREP_CUTS").map_or(20, |n| n.parse().unwrap());
    let mut files = Vec::new();
    corpus_files(Path::new(&corpus), &mut files);
    assert!(!files.is_empty(), "URLGREP_CORPUS has no files");
    let step = (files.len() / number).max(1);
    for (i, path) in files.iter().step_by(step).enumerate() {
        let mut bytes = Vec::new();
        let file = fs::File::open(path).unwrap();
        file.take(60_000).read_to_end(&mut bytes).unwrap();
        // Five places that do not depend on the rules.
        let len = bytes.len().max(1);
        let places = (1..=5).map(|n| (i * 7919 + n * 104_729) % len);
        check(&path.display().to_string(), &bytes, ReadAs::Auto, places);
    }
}

/// A URL that the cut cannot change is reported. A URL that it could change is
/// a reject.
#[test]
fn certain_urls_are_reported() {
    let line = b"see http://a.example/1 and so on\n";
    let text = [&line.repeat(2000)[..], b"see http://b.exa"].concat();
    let mail = [b"Subject: x\nFrom: a@b.example\n\n", &text[..]].concat();
    for (text, hint) in [(&text, ReadAs::Text), (&mail, ReadAs::Auto)] {
        let found = search(text, hint, true);
        assert!((1..40).contains(&found.ended), "{}", found.ended);
        assert_eq!(found.hits.len() + found.ended, 2001);
    }
    // A file is not recognised as mail by an incomplete header.
    assert_eq!(
        search(b"From: http://a.example/ ", ReadAs::Auto, true)
            .hits
            .len(),
        0
    );
    let mut searcher = Searcher::builder()
        .extractor(urlgrep::Extractor::builder().rejects(false))
        .build();
    let mut found = Reported::default();
    searcher.begin(Container::Message, urlgrep::mail::Position::START);
    let _ = searcher.feed(&mail, &mut found);
    let _ = searcher.break_off(&mut found);
    assert_eq!(found.ended, 0);
}
