//! `--report`: the page is safe, agrees with the other output modes, and does
//! not depend on threads.

mod commands;
mod contrast;
mod html;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use crate::cli::kit::Dir;

/// The page of the command with these arguments in the root of the repository,
/// and its status.
fn page_and_status(args: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_urlgrep"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.env_remove("URLGREP_CONFIG_PATH");
    let out = command.args(["--report", "-"]).args(args).output().unwrap();
    (String::from_utf8(out.stdout).unwrap(), out.status.code())
}

fn page(args: &[&str]) -> String {
    let (page, status) = page_and_status(args);
    assert_eq!(status, Some(0));
    page
}

/// The first two columns of the table whose first heading is `of`.
fn column(page: &str, of: &str) -> BTreeMap<String, String> {
    let start = page.find(&format!("<th scope=\"col\">{of}</th>")).unwrap();
    let table = &page[start..start + page[start..].find("</table>").unwrap()];
    let rows = table.split("<tr>").skip(1);
    rows.map(|row| {
        let mut cells = row
            .split("</t")
            .map(|cell| cell.rsplit('>').next().unwrap());
        let name = cells.next().unwrap().to_owned();
        (name, cells.next().unwrap().to_owned())
    })
    .collect()
}

#[test]
fn the_example_is_the_output_of_the_command() {
    let page = page(&["testdata/mail"]);
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/report.html");
    let kept = std::fs::read_to_string(example).unwrap();
    assert!(
        page == kept,
        "run: urlgrep --report docs/report.html testdata/mail"
    );
    assert!(page.len() < 250_000);
    html::check(&page);
}

#[test]
fn numbers_equal_those_of_tally() {
    let page = page(&["testdata/mail"]);
    for (field, links, heading) in [
        ("host", "--authored", "host"),
        ("host", "--role=header,signature,footer", "repeated host"),
        ("domain", "--authored", "domain"),
        ("role", "-j2", "role"),
        ("group", "--authored", "group or list"),
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_urlgrep"));
        command.current_dir(env!("CARGO_MANIFEST_DIR"));
        let tally = format!("--tally={field}");
        command.args([&*tally, links, "testdata/mail"]);
        let out = String::from_utf8(command.output().unwrap().stdout).unwrap();
        let rows = out.lines().filter_map(|line| line.split_once('\t'));
        let rows = rows.filter(|row| row.1 != "-");
        let rows: BTreeMap<_, _> = rows.map(|(n, name)| (name.into(), n.into())).collect();
        assert!(rows.len() > 1);
        assert_eq!(column(&page, heading), rows, "{field}");
    }
}

#[test]
fn threads_and_pieces_change_nothing() {
    let (one, status) = page_and_status(&["-j1", "testdata"]);
    let (many, other) = page_and_status(&["-j4", "--segment-size=4096", "testdata"]);
    assert_eq!(status, other);
    assert!(one.len() > 50_000);
    assert_eq!(
        one.replace("-j1", ""),
        many.replace("-j4 --segment-size=4096", "")
    );
    html::check(&one);
}

#[test]
fn no_text_of_the_input_becomes_markup() {
    let bad = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&lt;\u{202E}\u{200B}";
    let encoded = format!("\x1b[31m{bad}</td></table></style>--><!--");
    let message = format!(
        "From: {encoded}\nSubject: {encoded}\nNewsgroups: a,{encoded}\nMessage-ID: <{encoded}>\n\
         Date: Thu, 9 Jun 1994 10:00:00 +0000\n\n\
         http://a.example/{bad}\n<URL:http://b.example/{encoded}>\n<URL:{bad}>\n\
         http://c.example/'onmouseover='alert(1)'\njavascript:alert(1) data:text/html,{bad}\n\
         https://www.google.com/url?q=http://d.example/%3Cscript%3E\n\
         http://user:pa&quot;ss@e.example/?q=<svg/onload=alert(1)>\nhttp://[<b>]/\n"
    );
    let name = "<b onclick='x'>&\"\u{202E}\x07.eml";
    let dir = Dir::with(name, &message);
    let mut command = dir.command();
    let out = command
        .args(["--report", "out.html", "-e", "[<>]*", "."])
        .output();
    assert!(out.unwrap().status.success());
    let page = String::from_utf8(dir.read("out.html")).unwrap();
    assert!(
        page.contains("&lt;script&gt;") && page.contains("\\u{202e}"),
        "{page}"
    );
    html::check(&page);
}

const FROM: &str = "From a@b Thu Jan  1 00:00:00 1970\n";

#[test]
fn the_title_has_the_name_and_the_dates_of_the_messages() {
    let mbox = |date: &str| format!("{FROM}Date: {date}\n\nhttp://a.example/\n\n");
    let dir = Dir::with("a&b.mbox", mbox("9 Jun 1994 10:00 GMT"));
    dir.write("c.mbox", mbox("8 Jul 1994 10:00 GMT"));
    dir.write("d.txt", "http://a.example/");
    for (args, title) in [
        (&["a&b.mbox"][..], "a&amp;b.mbox, 1994-06-09"),
        (
            &["a&b.mbox", "c.mbox"],
            "a&amp;b.mbox and 1 more, 1994-06-09 to 1994-07-08",
        ),
        (&["d.txt"], "d.txt"),
        (
            &["--title", "A <list>", "c.mbox"],
            "A &lt;list&gt;, 1994-07-08",
        ),
    ] {
        let out = dir.command().args(["--report", "-"]).args(args).output();
        let page = String::from_utf8(out.unwrap().stdout).unwrap();
        assert!(page.contains(&format!("<title>{title}</title>")), "{page}");
        assert!(page.contains(&format!("<h1>{title}</h1>")), "{page}");
        html::check(&page);
    }
    assert_eq!(
        dir.command()
            .args(["--title", "x", "d.txt"])
            .output()
            .unwrap()
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn links_of_headers_signatures_and_footers_are_apart() {
    let dir = Dir::new();
    let mut mbox = String::new();
    for day in 1..=20 {
        mbox += &format!(
            "{FROM}Date: {day} Jun 1994 10:00 GMT\nList-Archive: <http://lists.example/a>\n\n\
             > http://q.example/\nhttp://body.example/{day}\n-- \nhttp://sig.example/\n\n"
        );
    }
    dir.write("a.mbox", mbox);
    let out = dir
        .command()
        .args(["--report", "-", "--headers=all", "."])
        .output();
    let page = String::from_utf8(out.unwrap().stdout).unwrap();
    let rows = |names: &[(&str, &str)]| {
        let rows = names
            .iter()
            .map(|(name, n)| ((*name).to_owned(), (*n).to_owned()));
        rows.collect::<BTreeMap<_, _>>()
    };
    assert_eq!(column(&page, "host"), rows(&[("body.example", "20")]));
    let repeated = rows(&[("lists.example", "20"), ("sig.example", "20")]);
    assert_eq!(column(&page, "repeated host"), repeated);
    for (tile, number) in [
        ("links by authors", 20),
        ("headers, signatures, footers", 40),
        ("in quotations", 20),
    ] {
        assert!(
            page.contains(&format!("<dt>{tile}</dt><dd>{number}</dd>")),
            "{page}"
        );
    }
    assert!(page.contains("by day; "));
}

#[cfg(unix)]
#[test]
fn the_hostile_file_of_the_safety_tests_is_harmless() {
    let dir = crate::cli::kit::hostile();
    let args = ["--report", "-", "--headers=all", "."];
    let out = dir.command().args(args).output().unwrap();
    let page = String::from_utf8(out.stdout).unwrap();
    assert!(
        page.contains("d.example") && page.contains("\\x1B"),
        "{page}"
    );
    html::check(&page);
}

#[test]
fn a_page_of_an_earlier_run_is_not_searched() {
    let dir = Dir::with("a.txt", "http://a.example/\n");
    for _ in 0..2 {
        let out = dir.command().args(["--report", "out.html", "."]).output();
        assert!(out.unwrap().status.success());
        let page = String::from_utf8(dir.read("out.html")).unwrap();
        assert!(page.contains("<p>1 files and members"));
    }
}

#[test]
fn faults_of_reading_and_writing_are_reported() {
    let dir = Dir::with("a.txt", "http://a.example/\n");
    let out = dir
        .command()
        .args(["--report", "-", "a.txt", "gone"])
        .output();
    let out = out.unwrap();
    assert_eq!(out.status.code(), Some(2));
    let page = String::from_utf8(out.stdout).unwrap();
    assert!(page.contains(">1 inputs could not be read") && page.contains("<code>gone: "));
    html::check(&page);
    let out = dir
        .command()
        .args(["--report", "no/x.html", "a.txt"])
        .output();
    let out = out.unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("there is no such folder"));
}

/// As in `urlgrep --report mail/*`, where the first mailbox is taken for FILE.
#[test]
fn only_pages_are_replaced() {
    let dir = Dir::new();
    dir.write("a.txt", "http://a.example/\n");
    let run = |file: &str| {
        let out = dir.command().args(["--report", file, "a.txt"]).output();
        let out = out.unwrap();
        (out.status.code(), String::from_utf8(out.stderr).unwrap())
    };
    for text in [
        "From a@b Thu Jan  1 00:00:00 1970\n",
        "<!DOCTYPE html><html>",
        "<",
        "\n",
    ] {
        dir.write("old", text);
        let (code, errors) = run("old");
        let expected =
            "urlgrep: --report old: this file is not a page of urlgrep, so it is not replaced\n";
        assert_eq!((code, errors.as_str()), (Some(2), expected));
        assert_eq!(dir.read("old"), text.as_bytes());
    }
    dir.write("old", "");
    // An empty file, then the page of the first run.
    for _ in 0..2 {
        assert_eq!(run("old"), (Some(0), String::new()));
        html::check(&String::from_utf8(dir.read("old")).unwrap());
    }
}

#[cfg(feature = "ledger")]
#[test]
fn a_ledger_has_the_same_hosts() {
    let mail = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/mail");
    let dir = Dir::new();
    let mut command = dir.command();
    let out = command
        .args(["--ledger", "links.db", "-q"])
        .arg(&mail)
        .output();
    assert!(out.unwrap().status.success());
    let out = dir
        .command()
        .args(["--ledger", "links.db", "--report", "-"])
        .output();
    let ledger = String::from_utf8(out.unwrap().stdout).unwrap();
    let direct = page(&["testdata/mail"]);
    for heading in ["host", "author", "repair", "year", "role"] {
        assert_eq!(
            column(&ledger, heading),
            column(&direct, heading),
            "{heading}"
        );
    }
    html::check(&ledger);
}
