//! The output of a ledger is the output of a search of the files.

use std::path::Path;

use urlgrep::ReadingKind;
use urlgrep_files::engine::{Engine, Input};
use urlgrep_ledger::{Found, Ledger, Query, Update};

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
        &["--authored"],
        &["--since", "1996"],
        &["--until", "1996"],
        &["--from", "@"],
        &["--subject", "E"],
        &["--to", "example"],
        &["--exclude-to", "list"],
        &["--exclude-from", "a", "--exclude-subject", "x"],
        &["--format", "{day} {timestamp} {to}"],
        &["--group", "comp"],
        &["--unique-per-message"],
    ] {
        let search = spool.dir.run(args.iter().chain(&[&*folder]));
        let ledger = spool.run(args);
        assert_eq!(ledger.text(), search.text(), "{args:?}");
        assert_eq!(ledger.code, search.code, "{args:?}");
    }
}

/// The rows of `--json`.
fn rows(out: crate::cli::kit::Out) -> Vec<serde_json::Value> {
    let lines = out.text();
    let rows = lines.lines().map(|line| {
        let mut row: serde_json::Value = serde_json::from_str(line).unwrap();
        // The ledger does not store the place in decoded text.
        row["decoded"] = serde_json::Value::Null;
        // Only a ledger has it in a hit.
        row["count"] = serde_json::Value::Null;
        row
    });
    rows.collect()
}

#[test]
fn records_equal_those_of_a_search() {
    let (spool, folder) = ledger_of("testdata");
    let search = rows(spool.dir.run(["--json", "--unique-message", &folder]));
    let ledger = rows(spool.run(&["--json"]));
    assert!(search.len() > 300, "{}", search.len());
    assert_eq!(ledger.len(), search.len());
    for (has, expected) in ledger.iter().zip(&search) {
        assert_eq!(has, expected);
    }
}

/// A ledger can give back what it has stored of a file of each format.
#[test]
fn every_format_is_given_back() {
    let spool = Spool::new();
    let calendar = "BEGIN:VCALENDAR\nURL:http://a.example/\nEND:VCALENDAR\n";
    spool.write("a.ics", calendar);
    spool.write(
        "b.svg",
        "<?xml version='1.0'?>\n<svg><a href='http://b.example/'/></svg>\n",
    );
    spool.write("c.html", "<html><a href=http://c.example/>x</a></html>\n");
    let folder = spool.path("");
    let args = ["--format={read_as} {url}", folder.to_str().unwrap()];
    spool
        .run(&args)
        .is("calendar http://a.example/\nxml http://b.example/\nhtml http://c.example/\n");
}

/// A URL without a byte of its own in the file. Spammers write `mailto:` so.
#[test]
fn a_url_written_in_entities_has_its_place() {
    let spool = Spool::new();
    let url: String = "http://a.example/"
        .bytes()
        .map(|b| format!("&#{b};"))
        .collect();
    spool.write("a.html", format!("<html><a href=\"{url}\">x</a></html>\n"));
    let path = spool.path("a.html");
    let args = ["--as", "html", "--json", path.to_str().unwrap()];
    let search = rows(spool.dir.run(args));
    assert_eq!(search[0]["seams"].as_array().unwrap().len(), 17);
    assert_eq!(rows(spool.run(&args)), search);
}

#[test]
fn a_url_has_its_dates_and_its_count() {
    let spool = Spool::new();
    spool.write("box", mbox(0..3));
    let args = [
        "--csv",
        "--fields",
        "url,first_seen,last_seen,count",
        "spool",
    ];
    let row = |n: usize| {
        let (first, last) = ("1998-01-01T10:00:00Z", "1998-01-03T10:00:00Z");
        let own = format!("1998-01-0{}T10:00:00Z", n + 1);
        format!("http://h{n}.example/{n},{own},{own},1\nhttp://every.example/,{first},{last},3\n")
    };
    let rows: String = (0..3).map(row).collect();
    let out = spool.run(&args);
    out.is(&format!("url,first_seen,last_seen,count\n{rows}"));
    let out = spool.run(&["--format", "{url},{first_seen},{last_seen},{count}"]);
    out.is(&rows);
    // A search knows nothing of them.
    for name in ["first_seen", "last_seen", "count"] {
        let format = format!("{{url}}{{{name}}}");
        for asked in [["--format", &format], ["--fields", name]] {
            let out = spool.dir.run([asked[0], asked[1], "spool"]);
            out.fails(&format!("the field {name} needs --ledger"));
        }
    }
}

/// A wrong clock does not decide when a URL was first or last seen.
#[test]
fn impossible_dates_are_not_the_first_or_the_last() {
    let spool = Spool::new();
    let letter = |n: usize, year: &str| {
        format!("Date: 2 Feb {year} 10:00:00 +0000\nMessage-ID: <{n}@b>\n\nhttp://a.example/\n")
    };
    for (n, year) in ["1996", "2038", "1969", "1997", "1998"].iter().enumerate() {
        spool.write(year, letter(n, year));
    }
    spool.news();
    let years = "SELECT substr(first_seen, 1, 4) || substr(last_seen, 1, 4) FROM url";
    let years = || spool.ask(&format!("SELECT CAST(({years}) AS INTEGER)"));
    assert_eq!(years(), 1996_1998);
    // The dates are computed again when a message is read again.
    spool.write("1998", letter(4, "1995"));
    spool.write("1996", letter(0, "2038"));
    spool.touch("1998");
    spool.touch("1996");
    spool.news();
    assert_eq!(years(), 1995_1997);
}

/// Rows that no update writes are faults. The other rows are printed.
#[test]
fn a_row_that_cannot_be_read_is_a_fault() {
    let spool = Spool::new();
    spool.write("box", mbox(0..3));
    spool.news();
    let good = spool.dir.read("links.db");
    for (damage, lines) in [
        ("UPDATE hit SET form = 'none' WHERE id = 1", 5),
        ("UPDATE hit SET role = 'none' WHERE id = 1", 5),
        ("UPDATE hit SET doubt = 'none' WHERE id = 1", 5),
        ("UPDATE hit SET seams = 'none' WHERE id = 1", 5),
        (
            "UPDATE hit SET seams = 'soft-break 9-3 0 0' WHERE id = 1",
            5,
        ),
        ("UPDATE hit SET spelling = 'no url' WHERE id = 1", 5),
        ("UPDATE hit SET spelling = 7 WHERE id = 1", 5),
        (r#"UPDATE hit SET "offset" = -5 WHERE id = 1"#, 5),
        (r#"UPDATE hit SET "end" = 'none' WHERE id = 1"#, 5),
        ("UPDATE hit SET line = -1 WHERE id = 1", 5),
        ("UPDATE hit SET depth = 999 WHERE id = 1", 5),
        ("UPDATE url SET canonical = x'0a' WHERE id = 1", 5),
        ("DELETE FROM url WHERE id = 1", 5),
        ("DELETE FROM message WHERE id = 1", 4),
        ("UPDATE message SET date = 'today' WHERE id = 1", 4),
        ("UPDATE message SET number = -1 WHERE id = 1", 4),
        ("UPDATE file SET container = 'none'", 0),
        ("DELETE FROM file", 0),
        (
            "UPDATE setting SET value = 'a' || x'0a' || 'b' WHERE name = 'profile'",
            0,
        ),
    ] {
        spool.dir.write("links.db", &good);
        spool.change(damage);
        let out = spool.run(&[]);
        assert_eq!(out.code, Some(2), "{damage}");
        assert!(
            out.errors.contains("the ledger is damaged"),
            "{damage}: {}",
            out.errors
        );
        assert_eq!(out.text().lines().count(), lines, "{damage}");
        assert_eq!(out.errors.lines().count(), 1, "{}", out.errors);
    }
    // The message of an update quotes a value of the last ledger.
    let out = spool.run(&["spool"]);
    assert!(out.errors.contains("made with profile a"), "{}", out.errors);
    assert_eq!(out.errors.lines().count(), 1, "{}", out.errors);
    spool.dir.write("links.db", &good);
    spool.change("UPDATE file SET read_up_to = -1, size = 3");
    spool.run(&["spool"]).fails("the ledger is damaged");
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

/// JSON without the number that only a ledger knows of a URL: how many hits it has.
fn without_count(json: &str) -> String {
    let mut parts = json.split(r#""count":"#);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        out += r#""count":null"#;
        out += rest;
    }
    out
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
        assert_eq!(without_count(&ledger.text()), search.text(), "{args:?}");
        assert_eq!(ledger.code, search.code, "{args:?}");
    }
}

/// The questions of docs/ledger.md take seconds in a ledger of ten million hits if one of
/// them reads a whole table. Only what came in since a day does, which the page says.
#[test]
fn the_questions_of_the_page_read_no_whole_table() {
    let spool = Spool::new();
    spool.write("b", mbox(0..3));
    spool.news();
    let page = include_str!("../../docs/ledger.md");
    let start = "sqlite3 links.db \"SELECT";
    let typed = page
        .split(start)
        .skip(1)
        .filter_map(|rest| rest.split('"').next());
    let mut questions: Vec<String> = typed.map(|rest| format!("SELECT{rest}")).collect();
    questions.retain(|sql| !sql.contains("added"));
    assert!(questions.len() >= 3, "{questions:?}");
    questions.push("SELECT url FROM links WHERE date >= '1998' AND date < '1999'".to_owned());
    for sql in questions {
        let plan = spool.plan(&sql);
        let scans = plan.iter().filter(|step| step.starts_with("SCAN"));
        let of_tables: Vec<_> = scans.filter(|step| *step != "SCAN host_by_year").collect();
        assert!(of_tables.is_empty(), "{sql}\n{plan:#?}");
    }
}

#[test]
fn hosts_are_found_as_in_a_search() {
    let spool = Spool::new();
    spool.write(
        "a.txt",
        "http://[::1]/ http://[2001:DB8::1]/ http://a.b.example/ http://b.example/ http://xb.example/\n",
    );
    spool.news();
    for (host, hits) in [
        ("::1", 1),
        ("[2001:db8::1]", 1),
        ("b.example", 2),
        ("*.b.example", 1),
        ("*b.example", 3),
        ("*.b.example,::1", 2),
    ] {
        let ledger = spool.run(&["--host", host]);
        let search = spool.dir.run(["--no-filename", "--host", host, "spool"]);
        assert_eq!(ledger.text(), search.text(), "{host}");
        assert_eq!(ledger.text().lines().count(), hits, "{host}");
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
        spool.ask("SELECT sum(hits) FROM host_by_year WHERE year = 1998"),
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

/// A URL in a parameter is a guess of where the link leads. It is no other reading
/// of the text.
#[test]
fn the_url_in_a_parameter_is_not_corroborated() {
    let spool = Spool::new();
    let outer = "http://t.example/?u=http%3A%2F%2Fb.example%2F";
    spool.write("one", format!("see {outer} there\n"));
    spool.write("two", "http://b.example/ and http://b.example/\n");
    let mut ledger = Ledger::open(&spool.path("links.db")).unwrap();
    let mut update = Update::new(Engine::builder());
    update.extractor = update.extractor.unwrap_links(true);
    let files = ["one", "two"].map(|name| Input::Path(spool.path(name)));
    ledger.update(files, update, |_| {}).unwrap();
    let mut query = Query::default();
    query.corroborate = true;
    let mut rows = Vec::new();
    let each = |found: &Found<'_>| {
        let hit = found.record.found.hit;
        let inner = hit
            .alternates()
            .map(|other| (other.kind, other.url.to_owned()));
        rows.push((hit.to_string(), inner.collect::<Vec<_>>()));
        true
    };
    ledger.records(&query, each).unwrap();
    let guess = (ReadingKind::Inner, "http://b.example/".to_owned());
    assert_eq!(rows[0], (outer.to_owned(), vec![guess]));
    assert_eq!(rows.len(), 3);
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
