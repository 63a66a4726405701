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
    assert_eq!(one, many.replace(" --segment-size=4096", ""));
    html::check(&one);
}

/// The messages of a text of JSON all begin where the text does.
#[test]
fn a_text_of_json_has_the_authors_of_its_messages() {
    let page = page(&["testdata/strings/discord.json"]);
    assert_eq!(column(&page, "author").len(), 3);
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

/// The text of a table as CSV with this name, from its link.
fn csv(page: &str, name: &str) -> String {
    let link = format!("download=\"{name}.csv\" href=\"data:text/csv;charset=utf-8;base64,");
    let start = page.find(&link).expect("a link") + link.len();
    let digits = page[start..]
        .bytes()
        .take_while(|&b| b != b'"' && b != b'=');
    let table = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let values = digits.map(|b| table.iter().position(|&d| d == b).expect("base64") as u32);
    let values: Vec<u32> = values.collect();
    let mut out = Vec::new();
    for four in values.chunks(4) {
        let bits = (0..4).fold(0, |bits, at| bits << 6 | four.get(at).copied().unwrap_or(0));
        out.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    String::from_utf8(out).expect("UTF-8")
}

/// Two domains of 2001, of which one has links until 2003, and a third of 2003.
#[test]
fn domains_by_year_are_new_and_vanish() {
    let dir = Dir::new();
    let mut mbox = String::new();
    for (date, text) in [
        (
            "1 Feb 2001",
            "http://www.old.example/ http://stays.example/",
        ),
        ("1 Mar 2001", "http://old.example/b"),
        (
            "1 Apr 2002",
            "http://stays.example/ > http://no.example/\n> http://quoted.example/",
        ),
        ("14 Jun 2003", "http://stays.example/\nhttp://new.example/"),
    ] {
        mbox += &format!("{FROM}Date: {date} 10:00 GMT\n\n{text}\n\n");
    }
    dir.write("a.mbox", &mbox);
    let page = |args: &[&str]| {
        let out = dir.command().args(["--report", "-"]).args(args).output();
        let page = String::from_utf8(out.expect("a run").stdout).expect("UTF-8");
        html::check(&page);
        page
    };
    let all = page(&["a.mbox"]);
    assert_eq!(
        csv(&all, "new and vanished domains").replace('\r', ""),
        "year,domains,new,most linked new one,vanished,most linked vanished one\n\
         2001,2,2,stays.example,1,old.example\n\
         2002,2,1,no.example,1,no.example\n\
         2003,2,1,new.example,,\n"
    );
    let years = csv(&all, "domains by year");
    for line in [
        "domain,year,links",
        "old.example,2001,2",
        "old.example,2002,0",
    ] {
        assert!(years.contains(&format!("{line}\r\n")), "{years}");
    }
    // One line for each domain.
    let (_, lines) = all.split_once("<ul class=\"lines\">").expect("lines");
    let (lines, _) = lines.split_once("</ul>").expect("their end");
    assert_eq!(lines.matches("<svg").count(), 4);
    assert!(lines.contains("<li>old.example<div") && lines.contains("at most 2, in 2001"));
    // The year 2003 is marked in both tables of years and below both plots of them. The
    // plot ends with a marker that is not filled.
    assert!(all.contains("<th class=\"d\" scope=\"row\">2003*</th>"));
    assert_eq!(
        all.matches("2003*</th>").count(),
        1,
        "the other table has months"
    );
    assert!(
        all.contains("* Only until 2003-06, the last day")
            || all.contains("* Only until 2003-06-14, the last day")
    );
    assert!(all.contains(". The last point is hollow: the last day with a link is 2003-06-14."));
    assert!(all.contains(". The end in dots is 2003, until 2003-06-14."));
    let hollow = "<circle cx=\"";
    let circles = all.split(hollow).skip(1);
    let open = circles.filter(|rest| {
        rest.split('>')
            .next()
            .is_some_and(|tag| tag.contains("fill=\"none\""))
    });
    // Once in the wide plot and once in the narrow one.
    assert_eq!(open.count(), 2);
    let one = page(&["--since", "2003", "a.mbox"]);
    assert!(one.contains("<p>The links are not of two years or more.</p>"));
    dir.write("a.mbox", mbox.replace("14 Jun 2003", "31 Dec 2003"));
    let whole = page(&["a.mbox"]);
    assert!(!whole.contains("Only until") && !whole.contains("hollow"));
    assert!(!whole.contains("in dots"));
}

/// Links that differ by parameters that only track are one URL.
#[test]
fn clean_urls_are_counted() {
    let mut mbox = String::new();
    for day in 1..=3 {
        mbox += &format!(
            "{FROM}Date: {day} Jun 2024 10:00 GMT\n\nhttps://a.example/?id=1&utm_source={day}\n\n"
        );
    }
    let dir = Dir::with("a.mbox", mbox);
    for (clean, rows, tile) in [(&["--clean"][..], 1, 1), (&[], 3, 3)] {
        let out = dir
            .command()
            .args(["--report", "-", "a.mbox"])
            .args(clean)
            .output();
        let page = String::from_utf8(out.expect("a run").stdout).expect("UTF-8");
        html::check(&page);
        let urls = column(&page, "URL");
        assert_eq!(urls.len(), rows, "{urls:?}");
        if !clean.is_empty() {
            assert_eq!(urls["https://a.example/?id=1"], "3");
        }
        assert!(page.contains(&format!("<dt>different URLs</dt><dd>{tile}</dd>")));
        assert!(page.contains("<dt>links by authors</dt><dd>3</dd>"));
    }
}

/// Narrow screens and paper have rules of their own. A long title has no blank at which a
/// line could end.
#[test]
fn the_style_fits_narrow_screens_and_paper() {
    let page = page(&["--title", &"x".repeat(150), "testdata/mail"]);
    let viewport = "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
    assert!(page.contains(viewport));
    let rule = |name: &str| {
        let start = page
            .find(&format!("\n{name}{{"))
            .unwrap_or_else(|| panic!("{name}"));
        page[start + 1..].lines().next().expect("a line")
    };
    assert!(rule("h1").contains("overflow-wrap:anywhere"));
    assert!(rule(".wide").contains("overflow-x:auto"));
    assert!(rule("@media screen and (max-width:40rem)").contains(".large,.bar{display:none}"));
    let print = rule("@media print");
    assert!(print.contains("nav,details{display:none}"));
    assert!(print.contains("tr,figure,.tiles{break-inside:avoid}"));
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
    let out = dir.command().args(["--report", "x.pdf", "a.txt"]).output();
    let errors = String::from_utf8(out.expect("a run").stderr).expect("UTF-8");
    assert!(errors.contains("the page is HTML; a browser prints it as PDF"));
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
        let expected = "urlgrep: --report old: this file is not a page of urlgrep, so it is not replaced; \
             FILE, such as report.html, comes before the paths\n";
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
