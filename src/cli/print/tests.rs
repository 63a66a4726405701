//! Runs the rows of `testdata/output`: a text, the options, and the expected
//! bytes.

#[path = "../../../tests/common/mod.rs"]
mod common;

use std::ops::ControlFlow;

use super::{Printer, Style, TextConfig};
use proptest::prelude::*;
use proptest::sample::select;
use serde::Deserialize;
use urlgrep::mail::{Container, Position};
use urlgrep::rows::Record;
use urlgrep::search::{Context, Line, Match, Searcher, Visitor};
use urlgrep::{Extractor, Profile};

use common::{generate, rows};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    row: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    /// The origin of the case.
    #[allow(dead_code, reason = "for readers")]
    source: String,
    #[allow(dead_code, reason = "for readers")]
    why: Option<String>,
    /// `None` is standard input.
    path: Option<String>,
    text: String,
    /// The text is one message. Otherwise it is plain text.
    #[serde(default)]
    message: bool,
    /// `--profile`.
    profile: Option<String>,
    /// `--rejects`: only refused text is printed. Otherwise refused text is not
    /// printed.
    #[serde(default)]
    rejects: bool,
    /// `text`, `json`, `explain`, or a template.
    #[serde(default)]
    style: String,
    #[serde(default)]
    options: Vec<String>,
    out: String,
}

struct Print<'a> {
    printer: Printer,
    path: Option<&'a [u8]>,
    text: &'a [u8],
    rejects: bool,
    /// The number of printed records.
    printed: usize,
    out: Vec<u8>,
}

impl Visitor for Print<'_> {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.print(Record::new(self.path, *found));
        ControlFlow::Continue(())
    }
}

impl Print<'_> {
    fn print(&mut self, mut record: Record<'_>) {
        if record.hit.url().is_err() != self.rejects {
            return;
        }
        if let Some(source) = record.found.source() {
            let offset = source.span().start;
            let before = &self.text[..offset as usize];
            let start = before
                .iter()
                .rposition(|&b| b == b'\n')
                .map_or(0, |i| i + 1);
            record.column = Some(offset - start as u64 + 1);
        }
        self.printed += 1;
        self.printer.print(&record, &mut self.out);
    }
}

fn style(row: &Row) -> Style {
    match &*row.style {
        "" | "text" => Style::Text,
        "json" => Style::Json(Vec::new()),
        "explain" => Style::Explain,
        template => Style::Format(
            template
                .parse()
                .unwrap_or_else(|e| panic!("{}: {e}", row.name)),
        ),
    }
}

fn text_config(row: &Row) -> TextConfig {
    let has = |option: &str| row.options.iter().any(|o| o == option);
    let known = [
        "-H",
        "-n",
        "--column",
        "-b",
        "-0",
        "--color",
        "--hyperlink",
        "terminal",
        "both",
    ];
    assert!(
        row.options.iter().all(|o| known.contains(&&**o)),
        "{}",
        row.name
    );
    TextConfig {
        path: has("-H"),
        line: has("-n"),
        column: has("--column"),
        offset: has("-b"),
        null: has("-0"),
        color: has("--color"),
        hyperlink: has("--hyperlink"),
        heading: false,
        known: false,
        terminal: has("terminal"),
        both: has("both"),
        clean: false,
    }
}

fn run(row: &Row) -> Vec<u8> {
    let text = rows::unescape(&row.text);
    let path = row.path.as_deref().map(rows::unescape);
    let name = row.profile.as_deref().unwrap_or("iri");
    let profile = Profile::from_name(name).expect("a profile");
    let builder = Extractor::builder().profile(profile).rejects(true);
    let mut print = Print {
        printer: Printer::new(style(row), text_config(row)),
        path: path.as_deref(),
        text: &text,
        rejects: row.rejects,
        printed: 0,
        out: Vec::new(),
    };
    let options = Searcher::builder().extractor(builder).message_ends(true);
    let container = if row.message {
        Container::Message
    } else {
        Container::Text
    };
    let _ = options
        .build()
        .search(container, Position::START, &text, &mut print);
    print.out
}

#[test]
fn rows_of_output() {
    let mut failures = rows::Failures::default();
    let mut names = std::collections::HashSet::new();
    for path in rows::files("output") {
        let all: Rows = rows::read(&path);
        for row in all.row.iter().filter(|row| rows::wanted(&row.name)) {
            assert!(names.insert(row.name.clone()), "{} twice", row.name);
            let found = run(row);
            if found != rows::unescape(&row.out) {
                failures.add(format!("{}:\n{}", row.name, found.escape_ascii()));
            }
        }
    }
    failures.check(names.len());
}

/// Checks which bytes reach a terminal, for input with any bytes.
#[test]
fn nothing_hidden_reaches_a_terminal() {
    let mut all: Vec<u8> = (0..=255).filter(|&b| b != b'\n').collect();
    all.extend("\u{202e}\u{2066}\u{200b}\u{feff}\u{61c}\u{e0041}\u{85}\u{2028}".as_bytes());
    let mut text = b"From: a <a@b.example>\nSubject: ".to_vec();
    text.extend(all.iter().filter(|&&b| b != b'\r'));
    text.extend(b"\nMessage-ID: <1@b.example>\n\nhttp://a.example/ <URL:http://b");
    text.extend(all.iter().filter(|b| !b"\r<>".contains(b)));
    text.extend(b"/> end\n");
    let path: Vec<u8> = all.iter().copied().chain(*b"\n").collect();
    for style in [
        "text",
        "json",
        "explain",
        "{path} {subject}\\t{url}{reason}",
        "{subject}{path}{url}",
    ] {
        for rejects in [false, true] {
            let row = Row {
                name: "hidden".to_owned(),
                source: String::new(),
                why: None,
                path: None,
                text: String::new(),
                message: true,
                profile: None,
                rejects,
                style: style.to_owned(),
                options: vec!["-H".to_owned(), "terminal".to_owned()],
                out: String::new(),
            };
            let mut print = Print {
                printer: Printer::new(self::style(&row), text_config(&row)),
                path: Some(&path),
                text: &text,
                rejects,
                printed: 0,
                out: Vec::new(),
            };
            let mut searcher = Searcher::builder()
                .extractor(Extractor::builder().rejects(true))
                .build();
            let _ = searcher.visit_message(&text, &mut print);
            let out = String::from_utf8(print.out).expect("UTF-8");
            assert!(!out.is_empty(), "{style} {rejects}");
            let tabs = style.contains("\\t") || (style == "text" && rejects);
            let hidden =
                |c: char| urlgrep_base::escape::is_hidden(c) && c != '\n' && !(tabs && c == '\t');
            assert!(!out.chars().any(hidden), "{style}: {}", out.escape_debug());
            if style != "explain" {
                assert_eq!(out.lines().count(), 1, "{style}: {out}");
            }
            if tabs {
                assert_eq!(out.matches('\t').count(), 1, "{style}: {out}");
            }
        }
    }
}

/// Bytes with a meaning for a terminal, or for a reader of lines, fields or
/// JSON.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let marks: Vec<&[u8]> = vec![
        b"\x1b[31m",
        b"\x1b]8;;http://evil.example/\x07",
        b"\xc2\x9b31m",
        b"\n",
        b"\r",
        b"\r\n",
        b"\t",
        b"\0",
        b"\x08",
        b"\x7f",
        b"\xff",
        b"\xe2\x80",
        b"\xc0\xaf",
        b"\xed\xa0\x80",
        "\u{202e}".as_bytes(),
        "\u{2066}".as_bytes(),
        "\u{200b}".as_bytes(),
        "\u{feff}".as_bytes(),
        "\u{2028}".as_bytes(),
        "\u{e0041}".as_bytes(),
        "\u{85}".as_bytes(),
        "\u{61c}".as_bytes(),
        "ü".as_bytes(),
        b"\\",
        b"\"",
        b"{url}",
        b":",
        b"\\x0A",
        b"\\u{202e}",
    ];
    let words: Vec<&[u8]> = vec![
        b"http://a.example/",
        b"<URL:http://b.example/",
        b">",
        b"\"http://c.example/",
        b"mailto:",
        b"@",
        b" ",
        b"x",
        b"=?utf-8?q?=1B=5B31m=0A=E2=80=AE?=",
        b"=?utf-8?b?Cg==?=",
        b"\n ",
        b"\n> ",
        b"=1B",
        b"=0A",
    ];
    let token = prop_oneof![
        4 => select(marks).prop_map(<[u8]>::to_vec),
        4 => select(words).prop_map(<[u8]>::to_vec),
        1 => any::<u8>().prop_map(|b| vec![b]),
    ];
    prop::collection::vec(token, 0..30).prop_map(|tokens| tokens.concat())
}

proptest! {
    #![proptest_config(generate::config(300))]

    /// For any URLs, headers and paths, each record is one line or block of
    /// lines. It has only visible characters, and as many tabs as its template.
    #[test]
    fn nothing_forges_a_line_or_a_field(
        path in hostile(),
        subject in hostile(),
        body in hostile(),
        encoding in select(vec!["8bit", "quoted-printable"]),
        rejects in any::<bool>(),
    ) {
        // A blank line would end the header.
        let subject: Vec<u8> = subject.into_iter().filter(|b| !b"\r\n".contains(b)).collect();
        let text = [
            b"Subject: http://s.example/ ", &subject[..], b"\nFrom: ", &subject, b"\nMessage-ID: <",
            &subject, b">\nContent-Transfer-Encoding: ", encoding.as_bytes(), b"\n\n", &body,
        ].concat();
        let templates = ["{subject}\\t{from}\\t{path}\\t{url}\\t{reason}", "{path}:{line}:{message_id}:{url}{reason}"];
        for style in ["text", "json", "explain", templates[0], templates[1]] {
            for terminal in [true, false] {
                let row = Row {
                    name: String::new(), source: String::new(), why: None, path: None, text: String::new(),
                    message: true, profile: None, rejects, style: style.to_owned(), out: String::new(),
                    options: vec![],
                };
                let text_config = TextConfig { path: true, line: true, terminal, ..TextConfig::default() };
                let mut print = Print {
                    printer: Printer::new(self::style(&row), text_config),
                    path: Some(&path),
                    text: &text,
                    rejects,
                    printed: 0,
                    out: Vec::new(),
                };
                let _ = Searcher::default().visit_message(&text, &mut print);
                let lines = match style {
                    // A blank line ends each record.
                    "explain" => print.out.windows(2).filter(|w| w == b"\n\n").count(),
                    _ => print.out.iter().filter(|&&b| b == b'\n').count(),
                };
                prop_assert_eq!(lines, print.printed, "{}: {}", style, print.out.escape_ascii());
                let tabs = match style {
                    "text" => usize::from(rejects),
                    _ => style.matches("\\t").count(),
                };
                let is_control = |&&b: &&u8| b.is_ascii_control() && b != b'\n';
                let controls: Vec<u8> = print.out.iter().filter(is_control).copied().collect();
                prop_assert_eq!(&controls, &vec![b'\t'; tabs * lines], "{}", style);
                // A path keeps its encoding in a pipe.
                if terminal || style != "text" {
                    let out = String::from_utf8(print.out).expect("UTF-8");
                    let hidden = |c: char| urlgrep_base::escape::is_hidden(c) && c != '\n' && c != '\t';
                    prop_assert!(!out.chars().any(hidden), "{}: {}", style, out.escape_debug());
                    for line in out.lines().filter(|_| style == "json") {
                        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
                        let kind = if rejects { "reject" } else { "hit" };
                        prop_assert_eq!(&value["type"], kind);
                    }
                }
            }
        }
    }
}

/// Only the printer makes hyperlinks, for any bytes in a URL and its path.
#[test]
fn no_byte_forges_a_hyperlink() {
    let text = TextConfig {
        path: true,
        hyperlink: true,
        ..TextConfig::default()
    };
    let printer = Printer::new(Style::Text, text);
    let all: Vec<u8> = (0..=255).collect();
    let forged = b"\x1b]8;;http://evil.example/\x1b\\x\x1b]8;;\x07".to_vec();
    let csi = "\u{9b}31m\u{9d}8;;http://evil.example/\u{9c}"
        .as_bytes()
        .to_vec();
    for hostile in [all, forged, csi] {
        for rejects in [false, true] {
            let text = [b"http://a.example/ http://b.example/", &hostile[..], b" "].concat();
            let mut print = Print {
                printer: printer.clone(),
                path: Some(&hostile),
                text: &text,
                rejects,
                printed: 0,
                out: Vec::new(),
            };
            let extractor = Extractor::builder().rejects(true);
            let mut searcher = Searcher::builder().extractor(extractor).build();
            let _ = searcher.search(Container::Text, Position::START, &text, &mut print);
            let out = String::from_utf8(print.out).expect("UTF-8");
            let (mut rest, mut links) = (&*out, 0);
            while let Some((before, link)) = rest.split_once("\x1b]8;;") {
                let (target, after) = link.split_once("\x1b\\").expect("an end");
                assert!(target.bytes().all(|b| b.is_ascii_graphic()), "{target:?}");
                assert!(!before.contains('\x1b'), "{before:?}");
                // Links must begin and end alternately.
                assert_eq!(target.is_empty(), links % 2 == 1, "{target:?}");
                links += 1;
                rest = after;
            }
            assert!(links % 2 == 0 && links <= 2 * print.printed, "{links}");
            let is_hidden = |c| c != '\n' && c != '\t' && urlgrep_base::escape::is_hidden(c);
            assert!(!rest.chars().any(is_hidden), "{rest:?}");
        }
    }
}

/// Prints the lines around hits.
struct Lines {
    printer: Printer,
    out: Vec<u8>,
}

impl Visitor for Lines {
    fn hit(&mut self, _: &Match<'_>) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn line(&mut self, line: &Line<'_>) {
        self.printer.line(Some(b"a\nb"), line, &mut self.out);
    }
}

#[test]
fn context_lines_differ_from_lines_with_hits() {
    let file =
        b"x\n\n\nsome\ttext \x1b[31m\xFF\r\n\thttp://a.example/ \x1b]8;; http://b.example/\nz";
    let print = |text: TextConfig, style: Style| {
        let printer = Printer::new(style, text);
        let mut searcher = Searcher::builder()
            .extractor(Extractor::builder().line_numbers(true))
            .columns(true)
            .context(Some(Context {
                before: 1,
                after: 0,
            }))
            .build();
        let out = Vec::new();
        let mut lines = Lines { printer, out };
        let _ = searcher.search(Container::Text, Position::START, file, &mut lines);
        lines.out
    };
    let all = TextConfig {
        path: true,
        line: true,
        column: true,
        offset: true,
        ..TextConfig::default()
    };
    assert_eq!(
        print(all, Style::Text),
        b"a\\x0Ab-4-4-some\ttext \x1b[31m\xFF\r\n\
          a\\x0Ab:5:2:22:\thttp://a.example/ \x1b]8;; http://b.example/\n"
    );
    assert_eq!(
        print(TextConfig { null: true, ..all }, Style::Text),
        b"a\nb\x004-4-some\ttext \x1b[31m\xFF\r\n\
          a\nb\x005:2:22:\thttp://a.example/ \x1b]8;; http://b.example/\n"
    );
    let terminal = TextConfig {
        terminal: true,
        hyperlink: true,
        offset: false,
        ..all
    };
    assert_eq!(
        print(terminal, Style::Text).escape_ascii().to_string(),
        b"a\\x0Ab-4-some    text \\x1B[31m\\xFF\n\
          a\\x0Ab:5:2:    \x1b]8;;http://a.example/\x1b\\http://a.example/\x1b]8;;\x1b\\ \\x1B]8;; \
          \x1b]8;;http://b.example/\x1b\\http://b.example/\x1b]8;;\x1b\\\n"
            .escape_ascii()
            .to_string()
    );
    assert_eq!(
        print(all, Style::Json(Vec::new())),
        b"",
        "JSON has no lines"
    );
}

#[test]
fn paths_and_counts() {
    let print = |text: TextConfig| {
        let printer = Printer::new(Style::Text, text);
        let mut out = Vec::new();
        printer.text.path_line(Some(b"a\nb"), &mut out);
        printer.text.count(Some(b"c"), 3, &mut out);
        printer.text.count(None, 4, &mut out);
        String::from_utf8(out).unwrap()
    };
    let path = TextConfig {
        path: true,
        ..TextConfig::default()
    };
    assert_eq!(print(TextConfig::default()), "a\\x0Ab\n3\n4\n");
    assert_eq!(print(path), "a\\x0Ab\nc:3\n<stdin>:4\n");
    assert_eq!(
        print(TextConfig { null: true, ..path }),
        "a\nb\0c\x003\n<stdin>\x004\n"
    );
    assert_eq!(
        print(TextConfig {
            null: true,
            terminal: true,
            ..path
        }),
        "a\\x0Ab\0c\x003\n<stdin>\x004\n"
    );
}
