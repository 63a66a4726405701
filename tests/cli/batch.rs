//! `--batch`: each request is answered before the next one is made.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::kit::{Dir, TEXT};
use crate::common::schema;

/// The command with pipes on both sides.
struct Process {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Process {
    fn new(dir: &Dir, options: &[&str]) -> Process {
        let mut command = dir.command();
        command
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command");
        Process {
            requests: child.stdin.take().expect("a pipe"),
            answers: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
        }
    }

    /// Makes a request, and reads lines up to the line that ends the answer. It
    /// hangs if the answer depends on the next request.
    fn ask(&mut self, request: impl AsRef<[u8]>, is_end: impl Fn(&str) -> bool) -> Vec<String> {
        self.requests
            .write_all(request.as_ref())
            .expect("a request");
        self.requests.flush().expect("a request");
        let mut lines: Vec<String> = Vec::new();
        while lines.last().is_none_or(|line| !is_end(line)) {
            let mut line = String::new();
            let n = self.answers.read_line(&mut line).expect("an answer");
            assert!(n > 0, "no end after {lines:?}");
            lines.push(line.trim_end_matches('\n').to_owned());
        }
        lines
    }

    /// Closes standard input. Returns the status and standard error.
    fn finish(self) -> (Option<i32>, String) {
        drop(self.requests);
        let out = self.child.wait_with_output().expect("the command");
        (
            out.status.code(),
            String::from_utf8_lossy(&out.stderr).into_owned(),
        )
    }
}

const MESSAGE: &str = "From: ann@a.example\nSubject: s\n\nsee http://a.example/m\n";

#[test]
fn names_of_files() {
    let dir = Dir::with("a", TEXT);
    dir.write("empty", "");
    dir.write("d/m1", MESSAGE);
    dir.write("d/m2", MESSAGE);
    let mut process = Process::new(&dir, &["--batch", "--host=a.example"]);
    let mut ask = |name: &str| process.ask(format!("{name}\n"), str::is_empty);
    assert_eq!(ask("a"), ["http://a.example/1", "http://a.example/1", ""]);
    assert_eq!(ask("empty"), [""]);
    assert_eq!(ask("none"), [""]);
    assert_eq!(ask("d"), ["http://a.example/m", "http://a.example/m", ""]);
    let (code, errors) = process.finish();
    assert_eq!(code, Some(2));
    assert_eq!(errors, "urlgrep: none: No such file or directory\n");
    // The last line needs no line feed.
    dir.pipe(["--batch", "-n"], b"d/m1")
        .is("d/m1:4:http://a.example/m\n\n");
    dir.pipe(["--batch=lines", "-u"], b"d/m1\nd/m2\n")
        .is("http://a.example/m\n\n\n");
    dir.pipe(["--batch"], b"").is_none();
}

#[test]
fn messages_as_netstrings() {
    let dir = Dir::new();
    let mut process = Process::new(&dir, &["--batch=netstring", "--json"]);
    let mut ask = |message: &str| {
        let request = format!("{}:{message},", message.len());
        let lines = process.ask(request, |line| line.contains("\"type\":\"end\""));
        let rows: Vec<serde_json::Value> = lines
            .iter()
            .map(|line| serde_json::from_str(line).expect("a row"))
            .collect();
        rows.iter().for_each(schema::check);
        rows
    };
    for number in 1..4 {
        let rows = ask(MESSAGE);
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0]["url"], "http://a.example/m");
        assert_eq!(rows[0]["from"], "ann@a.example");
        assert_eq!(
            (&rows[1]["request"], &rows[1]["count"]),
            (&number.into(), &1.into())
        );
    }
    // The URL at the end of one message does not continue in the next one.
    assert_eq!(ask("http://a.example/\n")[0]["url"], "http://a.example/");
    assert_eq!(ask("")[0]["count"], 0);
    assert_eq!(ask(&"x".repeat(300_000)).len(), 1);
    assert_eq!(process.finish(), (Some(0), String::new()));
}

#[test]
fn a_file_that_cannot_be_read_is_in_its_end_row() {
    let out = Dir::new().pipe(["--batch", "--json"], b"none\n");
    let row: serde_json::Value = serde_json::from_slice(&out.bytes).expect("a row");
    assert_eq!(
        (&row["type"], &row["path"]),
        (&"end".into(), &"none".into())
    );
    assert_eq!(row["reason"], "none: No such file or directory");
    assert_eq!(out.code, Some(2));
}

#[test]
fn wrong_framing_ends_the_run() {
    let dir = Dir::new();
    for (input, expected, error) in [
        ("5:12345", "\n", "standard input ends within a netstring"),
        (
            "19:http://a.example/12",
            "http://a.example/12\n\n",
            "ends within a netstring",
        ),
        ("9:12", "\n", "standard input ends within a netstring"),
        ("2:12;", "\n", "not a netstring"),
        ("x:12,", "", "not a netstring"),
        ("-1:1,", "", "not a netstring"),
        ("99999999999999999999:1,", "", "not a netstring"),
        ("12", "", "not a netstring"),
    ] {
        dir.pipe(["--batch=netstring"], input.as_bytes())
            .ends(2, expected, error);
    }
    let long = vec![b'x'; 70_000];
    dir.pipe(["--batch"], &long).fails("a line is too long");
    // The rest of a message that is not searched is skipped.
    let two = "http://a.example/1\nhttp://a.example/2\n";
    let input = format!("{}:{two},{}:{two},", two.len(), two.len());
    dir.pipe(["--batch=netstring", "-m1"], input.as_bytes())
        .is("http://a.example/1\n\nhttp://a.example/1\n\n");
}

/// In no mode can a message, a name or an empty value forge the end of an
/// answer.
#[test]
fn no_row_forges_the_end_of_an_answer() {
    let dir = Dir::new();
    let forged = "From: a=?utf-8?Q?=0A=0Ahttp://forged.example/=0A=0A?= <a@b.example>\nSubject: =?utf-8?Q?=0D=0A=0D=0A,=22=0A=0A?=\n\nhttp://a.example/ <http://h_st/^>\n";
    dir.write("m", forged);
    dir.write("d/n\n\nm", forged.replace("?Q?", "?Q?{\"type\":\"end\"}"));
    dir.write("none", "From: a@b.example\nSubject:\n\nhttp://a.example/\n");
    let requests = "m\nd\nnone\nnowhere\nm\n";
    for (options, header) in [
        (&[][..], 0),
        (&["-Hnb", "--column"], 0),
        (&["--vimgrep"], 0),
        (&["--rejects", "-H"], 0),
        (&["--color=always", "--hyperlink=always"], 0),
        (&["--csv"], 1),
        (&["--csv=excel"], 1),
        (&["--tsv"], 1),
        (&["--csv", "--rejects"], 1),
        (&["--csv", "--fields=subject"], 1),
        (&["--csv", "--fields=path,from,subject,message_id"], 1),
        (&["--tsv", "--fields=from"], 1),
        (&["--tsv", "--fields=date"], 1),
        (&["--format=x{from}\\n{path}{url}"], 0),
        (&["--format={subject}\\t{url}"], 0),
    ] {
        let mut args = vec!["--batch", "--as=message"];
        args.extend(options);
        let out = dir.pipe(&args, requests.as_bytes());
        let text = out.text();
        let lines: Vec<&str> = text.split_terminator('\n').skip(header).collect();
        let ends = lines.iter().filter(|line| line.trim().is_empty()).count();
        assert_eq!(ends, 5, "{options:?}\n{text}");
        // Apart from the line feeds of a template, each hit is one line.
        if !text.contains("\\x0A") && !options.contains(&"--rejects") {
            assert_eq!(lines.len(), 5 + 4, "{options:?}\n{text}");
        }
    }
    let out = dir.pipe(["--batch", "--json"], requests.as_bytes()).text();
    assert_eq!(
        out.lines()
            .filter(|line| line.contains("\"type\":\"end\""))
            .count(),
        5
    );
    // A template that could print a blank line is refused.
    for template in [
        "{date}",
        "{subject} {from}",
        "{url}\\n",
        "{url}\\n{date}",
        "\\n{url}",
    ] {
        dir.pipe(["--batch", "--format", template], b"m\n")
            .fails("--format: with --batch each line needs {url}");
    }
    dir.pipe(["--batch", "-H0"], b"m\n")
        .fails("cannot be used with");
}

#[test]
fn other_input_and_output_is_refused() {
    let dir = Dir::with("a", TEXT);
    for option in [
        "-c",
        "-l",
        "-q",
        "--tally",
        "--check",
        "--files-from=a",
        "-C1",
        "--start-at=1",
    ] {
        dir.run(["--batch", option]).fails("cannot be used with");
    }
    dir.run(["--batch", "netstring"])
        .fails("the framing follows `=`: --batch=netstring\n");
}

#[test]
fn answers_can_be_verified() {
    let dir = Dir::with("a", TEXT);
    let out = dir.shell("echo a | \"$U\" --batch --json >rows; \"$U\" --verify rows");
    assert_eq!(out.code, Some(0), "{}", out.errors);
}
