//! The output of a ledger is the output of a search of the files.

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
fn every_output_equals_that_of_a_search() {
    let (spool, folder) = ledger_of("testdata/mail");
    for args in [
        &[][..],
        &["-nHb"],
        &["--vimgrep"],
        &["--tsv"],
        &["--csv"],
        &["--tally=host,year"],
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
fn records_equal_those_of_a_search() {
    let (spool, folder) = ledger_of("testdata");
    let rows = |out: crate::cli::kit::Out| -> Vec<serde_json::Value> {
        let lines = out.text();
        let rows = lines.lines().map(|line| {
            let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
            // The ledger does not store the place in decoded text.
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
    // Each new hit once, and no known hit.
    spool.run(&["-u", "spool"]).is("http://h3.example/3\n");
    spool.write("box", mbox(0..5));
    let path = spool.path("box");
    spool
        .run(&["-c", "spool"])
        .is(&format!("{}:2\n", path.display()));
}

#[test]
fn news_are_the_output_of_a_search_of_the_new_file() {
    let spool = Spool::new();
    spool.write("a", mbox(0..5));
    spool.news();
    let known = spool.dir.read("links.db");
    spool.write("b", mbox(5..9));
    let new = spool.path("b");
    let new = new.to_str().unwrap();
    for args in [
        &["-n"][..],
        &["-b"],
        &["-o"],
        &["--vimgrep"],
        &["--csv"],
        &["--tsv"],
        &["--json"],
        &["--format", "{url} {subject}"],
        &["-0"],
        &["-c"],
        &["-l"],
        &["-q"],
        &["--tally"],
        &["--tally=host,year"],
        &["-m2"],
    ] {
        spool.dir.write("links.db", &known);
        let ledger = spool.run(&[args, &["-H", "spool/a", new]].concat());
        let search = spool.dir.run(args.iter().chain(&["-H", new]));
        assert_eq!(ledger.text(), search.text(), "{args:?}");
        assert_eq!(ledger.code, search.code, "{args:?}");
    }
}

#[test]
fn urls_are_sorted_by_their_first_dates() {
    let spool = Spool::new();
    spool.write("b", mbox(0..30));
    spool.write("a.txt", "http://undated.example/");
    spool.news();
    let out = spool.run(&["--sort", "first-seen", "-u", "--host", "h3.example"]);
    // Message n has the day n % 28 + 1.
    out.is(
        "http://h3.example/3\nhttp://h3.example/10\nhttp://h3.example/17\nhttp://h3.example/24\n",
    );
    let all = spool.run(&["--sort", "first-seen"]).text();
    assert!(all.ends_with("http://undated.example/\n"));
    let out = spool.dir.run(["--sort", "first-seen", "spool"]);
    out.fails("needs --ledger");
    assert_eq!(
        spool.ask("SELECT sum(hits) FROM host_by_year WHERE year = '1998'"),
        60
    );
    assert_eq!(spool.ask("SELECT count(*) FROM first_seen"), 32);
    assert_eq!(
        spool.ask("SELECT count(*) FROM new_since WHERE added > '2000'"),
        61
    );
}

#[test]
fn a_reading_is_corroborated_by_other_places() {
    let spool = Spool::new();
    let broken = "see <URL:http://a.example/long-\nname.html> there\n";
    spool.write("broken", broken);
    let hit = |args: &[&str]| -> (String, Option<u64>) {
        let out = spool.run(&[&["--json", "-e", "a.example"], args].concat());
        let line = out.text();
        let row: serde_json::Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
        (
            row["url"].as_str().unwrap().to_owned(),
            row["corroborated"].as_u64(),
        )
    };
    let (kept, dropped) = (
        "http://a.example/long-name.html",
        "http://a.example/longname.html",
    );
    spool.news();
    assert_eq!(hit(&[]), (kept.to_owned(), None));
    assert_eq!(hit(&["--corroborate"]), (kept.to_owned(), Some(0)));
    // The ledger has it without a hyphen elsewhere.
    spool.write("whole", format!("{dropped}\n\nand {dropped}\n"));
    spool.news();
    assert_eq!(hit(&["--corroborate"]), (dropped.to_owned(), Some(2)));
    assert_eq!(hit(&[]), (kept.to_owned(), None));
    // The ledger also has it with a hyphen, so the first reading is printed.
    spool.write("more", format!("{kept}\n"));
    spool.news();
    assert_eq!(hit(&["--corroborate"]), (kept.to_owned(), Some(1)));
    // Another broken occurrence is not counted.
    let fresh = Spool::new();
    fresh.write("one", broken);
    fresh.write("two", broken);
    fresh.news();
    let out = fresh.run(&["--corroborate", "--json"]).text();
    assert!(out.contains("\"corroborated\":0"), "{out}");
}

#[test]
fn a_first_line_elsewhere_is_no_reading() {
    let spool = Spool::new();
    let line = "the guide is at http://a.example/projects/documentation/howto/";
    spool.write("broken", format!("{line}\nusing-it.html#part2\n"));
    spool.write(
        "folder",
        "see http://a.example/projects/documentation/howto/ there\n",
    );
    spool.news();
    let out = spool
        .run(&["--corroborate", "--json", "-e", "using"])
        .text();
    assert!(out.contains("\"kind\":\"plain\""), "{out}");
    assert!(
        out.contains("howto/using-it.html#part2\",") && out.contains("\"corroborated\":0"),
        "{out}"
    );
}
