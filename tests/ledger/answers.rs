//! What a ledger answers is what a search of the files prints.

use std::path::Path;

use super::spool::{Spool, mbox};

/// A ledger of `folder`, with absolute paths.
fn ledger_of(folder: &str) -> (Spool, String) {
    let spool = Spool::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let folder = folder.to_str().unwrap().to_owned();
    spool.run(&["-q", &folder]);
    (spool, folder)
}

#[test]
fn every_output_is_that_of_a_search() {
    let (spool, folder) = ledger_of("testdata/mail");
    for args in [
        &[][..],
        &["-nHb"],
        &["--vimgrep"],
        &["--tsv"],
        &[
            "--format",
            "{path} {scheme} {host} {role} {depth} {date} {form} {doubt} {message_start}",
        ],
        &["-c"],
        &["-l"],
        &["-u"],
        &["--tally"],
        &["-q"],
        &["-m1"],
        &["--scheme", "ftp,gopher"],
        &["-e", "example", "-v"],
        &["--host", "*.org"],
        &["--form", "wrapped,quoted"],
        &["--role", "body"],
        &["--new-only"],
        &["--since", "1996"],
        &["--until", "1996"],
        &["--from", "@"],
        &["--subject", "e", "-i"],
        &["--group", "comp"],
        &["--unique-per-message"],
    ] {
        let search = spool.dir.run(args.iter().chain(&[&*folder]));
        let ledger = spool.run(args);
        assert_eq!(ledger.text(), search.text(), "{args:?}");
        assert_eq!(ledger.code, search.code, "{args:?}");
    }
}

#[test]
fn records_are_those_of_a_search() {
    let (spool, folder) = ledger_of("testdata");
    let rows = |out: super::kit::Out| -> Vec<serde_json::Value> {
        let lines = out.text();
        let rows = lines.lines().map(|line| {
            let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
            // The place in decoded text is not kept.
            row["decoded"] = serde_json::Value::Null;
            row
        });
        rows.collect()
    };
    let search = rows(spool.dir.run(["--json", &folder]));
    let ledger = rows(spool.run(&["--json"]));
    assert!(search.len() > 300, "{}", search.len());
    assert_eq!(ledger.len(), search.len());
    for (has, expected) in ledger.iter().zip(&search) {
        assert_eq!(has, expected);
    }
}

#[test]
fn news_are_printed_in_every_mode() {
    let spool = Spool::new();
    spool.write("box", mbox(0..2));
    spool.news();
    spool.write("box", mbox(0..3));
    let out = spool.run(&["--tsv", "--fields", "url,line,subject", "spool"]);
    out.is("url\tline\tsubject\nhttp://h2.example/2\t45\tletter 2\nhttp://every.example/\t46\tletter 2\n");
    spool.write("box", mbox(0..4));
    // Once each, and only what the ledger did not have.
    spool.run(&["-u", "spool"]).is("http://h3.example/3\n");
    spool.write("box", mbox(0..5));
    let path = spool.path("box");
    spool
        .run(&["-c", "spool"])
        .is(&format!("{}:2\n", path.display()));
}
