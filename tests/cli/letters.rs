//! Letters beyond ASCII: whatever prints a field prints what `--format` prints for it.

use super::kit::{Dir, Out};

/// A message with letters beyond ASCII in every text that can have them.
const MESSAGE: &str = "From: Ann M\u{fc}ller <ann@b.example>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\
    Newsgroups: de.caf\u{e9}\nList-Id: <liste.\u{f6}.example>\nMessage-ID: <\u{e4}@b.example>\n\
    Subject: Gr\u{fc}\u{df}e \u{2014} \u{65e5}\u{672c}\nMIME-Version: 1.0\n\
    Content-Type: text/html; charset=utf-8\n\n\
    <a href=\"http://\u{fc}ser@k\u{e4}se.example/\u{e9}?\u{e4}=\u{f6}#\u{fc}\">http://w\u{fc}rst.example/\u{e4}</a>\n";

/// The fields whose values have these letters.
const FIELDS: [&str; 19] = [
    "url",
    "host",
    "domain",
    "path",
    "folder",
    "from",
    "subject",
    "newsgroups",
    "list_id",
    "group",
    "message_id",
    "mid",
    "readable",
    "url_path",
    "query",
    "fragment",
    "user",
    "target",
    "text",
];

/// The fields of `--tally` among them. The URL is counted in its canonical form, so that it
/// is compared as it is without fields.
const TALLIED: [&str; 7] = [
    "host", "domain", "from", "subject", "group", "path", "folder",
];

fn archive() -> Dir {
    let dir = Dir::new();
    dir.write("Gr\u{f6}\u{df}e/m.eml", MESSAGE);
    dir
}

/// Runs the command on the link of the message, not on its text.
fn run(dir: &Dir, args: &[&str]) -> Out {
    let out = dir.run(args.iter().chain(&["--form=link", "Gr\u{f6}\u{df}e"]));
    assert_eq!(out.code, Some(0), "{args:?}: {}", out.errors);
    out
}

fn line(dir: &Dir, args: &[&str]) -> String {
    run(dir, args)
        .text()
        .lines()
        .last()
        .unwrap_or_default()
        .to_owned()
}

fn json_value(line: &str, field: &str) -> String {
    let row: serde_json::Value = serde_json::from_str(line).expect("JSON");
    row[field].as_str().expect("a text").to_owned()
}

/// The value that `--format` prints.
fn formatted(dir: &Dir, field: &str) -> String {
    let value = line(dir, &["--format", &format!("{{{field}}}")]);
    assert!(
        !value.is_ascii() && !value.contains('\\'),
        "{field}: {value}"
    );
    value
}

#[test]
fn rows_have_the_letters_of_format() {
    let dir = archive();
    for field in FIELDS {
        let expected = formatted(&dir, field);
        let quoted = format!("\"{expected}\"");
        for args in [
            &["--csv", "--fields", field][..],
            &["--csv=excel", "--fields", field],
            &["--tsv", "--fields", field],
            &["--fields", field],
        ] {
            let value = line(&dir, args);
            assert!([&expected, &quoted].contains(&&value), "{args:?}: {value}");
        }
        for args in [
            &["--json", "--fields", field][..],
            &["--json", "--rejects=both", "--fields", field],
        ] {
            let value = line(&dir, args);
            assert_eq!(json_value(&value, field), expected, "{args:?}");
        }
    }
    for field in FIELDS {
        let is_key = ![
            "folder", "group", "mid", "readable", "url_path", "query", "fragment", "user",
        ]
        .contains(&field);
        if is_key {
            assert_eq!(
                json_value(&line(&dir, &["--json"]), field),
                formatted(&dir, field)
            );
        }
    }
}

#[test]
fn tallies_have_the_letters_of_format() {
    let dir = archive();
    for field in TALLIED {
        let expected = formatted(&dir, field);
        let tally = format!("--tally={field}");
        assert_eq!(line(&dir, &[&tally]), format!("1\t{expected}"));
        assert_eq!(line(&dir, &[&tally, "--tsv"]), format!("1\t{expected}"));
        assert_eq!(line(&dir, &[&tally, "--csv"]), format!("1,{expected}"));
        assert_eq!(
            json_value(&line(&dir, &[&tally, "--json"]), field),
            expected
        );
    }
    let url = formatted(&dir, "url");
    assert_eq!(line(&dir, &["--tally"]), format!("1\t{url}"));
    assert_eq!(json_value(&line(&dir, &["--tally", "--json"]), "url"), url);
}

#[test]
fn texts_for_people_have_the_letters_of_format() {
    let dir = archive();
    let value = |field| formatted(&dir, field);
    for (args, fields) in [
        (
            &["--heading", "-H"][..],
            &["path", "from", "subject", "url"][..],
        ),
        (&["-H"], &["path", "url"]),
        (&["-l"], &["path"]),
        (&["-cH"], &["path"]),
        (&["--explain"], &["path", "url", "from", "subject"]),
        #[cfg(feature = "report")]
        (&["--report=-"], &["host", "from", "group", "path"]),
    ] {
        // A report counts all hits.
        let out = match args {
            ["--report=-"] => dir.run(["--report=-", "Gr\u{f6}\u{df}e"]),
            _ => run(&dir, args),
        };
        let shown = out.text().replace("&lt;", "<").replace("&gt;", ">");
        for field in fields {
            assert!(shown.contains(&value(field)), "{args:?}: {field}: {shown}");
        }
    }
    // A refused text, and the verdict of --check.
    dir.write("r", "http://h_\u{fc}^/ \n");
    let refused = dir.run(["--rejects", "--format={url}", "r"]).text();
    let refused = refused.trim_end();
    assert!(refused.contains('\u{fc}'), "{refused}");
    let shown = dir.run(["--rejects", "r"]).text();
    assert!(shown.starts_with(&format!("{refused}\t")), "{shown}");
    let shown = dir.pipe(["--check"], refused.as_bytes()).text();
    assert!(
        shown.starts_with(&format!("invalid\t{refused}\t")),
        "{shown}"
    );
}

#[cfg(feature = "ledger")]
#[test]
fn ledgers_have_the_letters_of_format() {
    let dir = archive();
    let all = dir.path().join("Gr\u{f6}\u{df}e");
    let out = dir.run([&"--ledger=links.db".into(), &all.into_os_string()]);
    assert_eq!(out.code, Some(0), "{}", out.errors);
    let ledger = |args: &[&str]| {
        let args = args.iter().chain(&["--ledger=links.db", "--form=link"]);
        dir.run(args)
            .text()
            .lines()
            .last()
            .unwrap_or_default()
            .to_owned()
    };
    for field in ["host", "domain", "from", "subject", "group", "url"] {
        let expected = formatted(&dir, field);
        assert_eq!(ledger(&["--format", &format!("{{{field}}}")]), expected);
        assert_eq!(ledger(&["--tsv", "--fields", field]), expected);
        if field != "url" {
            assert_eq!(
                ledger(&[&format!("--tally={field}")]),
                format!("1\t{expected}")
            );
        }
    }
}
