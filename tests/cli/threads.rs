//! The output is the same for any number of threads and any size of segment.

use std::io::Write;
use std::process::Stdio;
use std::time::Duration;

use super::kit::Dir;
use crate::common::slow;

/// Text in which every cut is inside something: wrappers, leaders, CRLF, blank
/// lines, page furniture, long lines, UTF-8.
fn text(lines: usize) -> Vec<u8> {
    let mut text = Vec::new();
    let mut n = 0_u32;
    for i in 0..lines {
        // A simple generator that gives the same text every time.
        n = n.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let line: String = match n >> 24 & 15 {
            0 => "\n".into(),
            1 => "\r\n".into(),
            2 => format!("> see <URL:http://a{i}.example/b\n> c/{}>\n", n % 50),
            3 => format!(
                "see <URL:ftp://b.example/{i};\r\n   type=d> and \"http://c.example/d\r\n/e\"\r\n"
            ),
            4 => format!(
                "http://d{}.example/x-\ny plain http://e.example/\n\n",
                n % 20
            ),
            5 => format!(
                "Author                Standards Track               [Page {i}]\n\x0C\nRFC 1738   URL   December 1994\n\n"
            ),
            6 => format!(
                "{}http://f.example/{i}{}\n",
                "é".repeat(40),
                "z".repeat((n % 300) as usize)
            ),
            7 => format!(
                "mailto:u{i}@g.example: http://h_{i}/ <http://i.example/{i}\n\n not closed\n"
            ),
            8 => format!(
                "# {} http://j.example/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/{}\n# bbb.html\n",
                n % 7,
                n % 9
            ),
            _ => format!("plain words without any, line {i}; and: more: words\n"),
        };
        text.extend_from_slice(line.as_bytes());
    }
    text
}

const OPTIONS: &[&[&str]] = &[
    &["-Hnb", "--column"],
    &["-b"],
    &["--json", "--rejects=both"],
    &["-u", "-n"],
    &["-c"],
    &["-l"],
    &["--files-without-match"],
    &["-m", "3", "-b"],
    &["-m", "5", "-uc"],
    &["--tally"],
    &["-C", "2", "-n"],
    &["--rejects", "-b"],
    &["-B1", "-A3", "-b"],
    &["--scheme", "ftp", "-q"],
    // It says that mail is no list.
    &["--check", "-s"],
];

/// Runs each set of options with many threads and small segments, and compares
/// with one thread and large ones.
fn same(dir: &Dir, sizes: &[&str], paths: &[&str], input: &[u8]) {
    for options in OPTIONS {
        let run = |threads: &str, size: &str| {
            let args = ["-j", threads, "--segment-size", size];
            let args = args.iter().chain(*options).chain(paths);
            if paths.is_empty() {
                dir.pipe(args, input)
            } else {
                dir.run(args)
            }
        };
        let expected = run("1", "1000000");
        assert!(expected.errors.is_empty(), "{}", expected.errors);
        let threads = ["1", "3", "2", "16"];
        let threads = &threads[..if slow() { 4 } else { 2 }];
        for size in sizes {
            for threads in threads {
                let got = run(threads, size);
                assert!(
                    got == expected,
                    "{options:?} -j{threads} --segment-size {size}"
                );
            }
        }
    }
}

#[test]
fn one_file() {
    let dir = Dir::with("t", text(400));
    same(&dir, &["64", "1000"], &["t"], b"");
}

/// An mbox of messages in every encoding, with lines that look like separators.
fn mbox(messages: usize) -> Vec<u8> {
    let body = text(messages * 3);
    let mut lines = body.split_inclusive(|&b| b == b'\n');
    let mut mbox = Vec::new();
    for i in 0..messages {
        let part: Vec<u8> = lines.by_ref().take(3).flatten().copied().collect();
        let encoding = ["7bit", "quoted-printable", "base64"][i % 3];
        let encoded = match i % 3 {
            1 => [&b"see http://q.example/=3D=\nx\n"[..], &part].concat(),
            2 => b"c2VlIGh0dHA6Ly9iNjQuZXhhbXBsZS9hIGFuZCBmdHA6Ly9iNjQuZXhhbXBsZS9iDQo=\n".to_vec(),
            _ => part,
        };
        mbox.extend_from_slice(
            format!(
                "From a@b.example Thu Jan  1 00:00:{:02} 1970\nFrom: a@b.example\nSubject: http://s.example/{i}\n\
                 Message-ID: <{i}@x.example>\nContent-Transfer-Encoding: {encoding}\n\n",
                i % 60
            )
            .as_bytes(),
        );
        mbox.extend_from_slice(&encoded);
        mbox.extend_from_slice(b"\nFrom here on http://f.example/\n>From x http://g.example/\n\n");
    }
    mbox
}

#[test]
fn an_mbox() {
    let text = mbox(60);
    let dir = Dir::with("m", &text);
    let out = dir.run(["--json", "m"]).text();
    assert!(
        out.contains("\"message_number\":60")
            && out.contains("b64.example")
            && out.contains("q.example/=x")
    );
    same(&dir, &["64", "1000"], &["m"], b"");
    same(&dir, &["500"], &[], &text);
}

#[test]
fn standard_input() {
    same(&Dir::new(), &["64", "3000"], &[], &text(150));
}

#[test]
fn a_large_file_first_or_last() {
    let dir = Dir::new();
    let large = text(3000);
    dir.write("a/large", &large);
    for i in 0..150 {
        dir.write(format!("b/{i}"), text(i % 20));
    }
    dir.write("c/large", &large[..large.len() / 2]);
    same(&dir, &["5000"], &["a", "b"], b"");
    same(&dir, &["5000"], &["b", "c"], b"");
}

#[test]
fn one_line_without_end() {
    let mut line = b"word: ".repeat(30_000);
    line.extend_from_slice(b" http://a.example/ ");
    line.extend(b"xy://b.example, ".repeat(5_000));
    let dir = Dir::with("t", &line);
    // A line over 64 KiB is printed in pieces.
    for (options, lines) in [(&["-nb", "--column"][..], 5_001), (&["-C1"], 3)] {
        let run = |args: [&str; 4]| dir.run(args.iter().chain(options).chain(&["t"]));
        let expected = run(["-j1", "--segment-size", "10000000", "-H"]);
        assert_eq!(expected.text().lines().count(), lines);
        assert_eq!(run(["-j3", "--segment-size", "640", "-H"]), expected);
    }
}

#[test]
fn more_output_than_a_buffer_holds() {
    // Each hit of seven bytes gives a record of some hundred bytes.
    let dir = Dir::with("t", b"ab://c ".repeat(20_000));
    let run = |threads, size| dir.run(["--json", "-j", threads, "--segment-size", size, "t"]);
    let expected = run("1", "64");
    assert_eq!(expected.text().lines().count(), 20_000);
    for (threads, size) in [
        ("1", "10000000"),
        ("2", "30000"),
        ("4", "10000000"),
        ("3", "100"),
    ] {
        assert!(
            run(threads, size) == expected,
            "-j{threads} --segment-size {size}"
        );
    }
}

#[test]
fn a_pipe_that_stalls() {
    let dir = Dir::new();
    let text = text(120);
    let expected = dir.pipe(["-nb"], &text);
    for args in [
        &["-j1"][..],
        &["-j3", "--segment-size", "64"],
        &["-j2", "--line-buffered"],
    ] {
        let mut child = dir
            .command()
            .arg("-nb")
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        for part in text.chunks(text.len() / 7) {
            pipe.write_all(part).unwrap();
            std::thread::sleep(Duration::from_millis(5));
        }
        drop(pipe);
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.stdout, expected.bytes, "{args:?}");
    }
}

/// Writes `parts` to a pipe, one at a time, and expects `url` before the pipe
/// is closed.
fn expect_before_the_end(args: &[&str], parts: &[&str], url: &str) {
    use std::io::{BufRead, BufReader};
    let mut child = Dir::new()
        .command()
        .current_dir("/")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let (sender, found) = std::sync::mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in lines {
            sender.send(line.unwrap()).unwrap();
        }
    });
    for part in parts {
        pipe.write_all(part.as_bytes()).unwrap();
        // So that each part is read separately.
        std::thread::sleep(Duration::from_millis(20));
    }
    let first = found.recv_timeout(Duration::from_secs(120));
    drop(pipe);
    assert_eq!(first.as_deref(), Ok(url), "{args:?} {parts:?}");
    reader.join().unwrap();
    assert!(found.try_recv().is_err(), "{args:?} {parts:?}");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_hit_is_printed_with_the_line_that_decides_it() {
    let long = format!("http://www.example.org/{}/", "a-b/c.d?".repeat(60));
    let header = "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\n";
    let cases = [
        (
            vec!["see http://a.exam", "ple/b\n", "and so on\n"],
            "http://a.example/b",
        ),
        (
            vec![
                "From: a@b.example\n",
                "see http://a.example/b\n",
                "and so on\n",
            ],
            "http://a.example/b",
        ),
        (
            vec!["see http", ":", "//a.example/b", "\n", "and so on\n"],
            "http://a.example/b",
        ),
        (
            vec!["> <URL:http://a.exam\n", "> ple/b\n", "> /c> or\n"],
            "http://a.example/b/c",
        ),
        (vec!["see <http://a.exam", "ple/b>\n"], "http://a.example/b"),
        (
            vec![
                &long[..100],
                &long[100..101],
                &long[101..],
                "\n",
                "and so on\n",
            ],
            &long,
        ),
        (
            vec!["mailto:a@b", ".example,\n", "and so on\n"],
            "mailto:a@b.example",
        ),
        (
            vec![
                header,
                "see http://a.exam",
                "ple/b\n",
                "and so on\n",
                "and so on\n",
            ],
            "http://a.example/b",
        ),
        // The header of the message arrives in several pieces.
        (
            vec![
                "From a@b Thu Jan  1 00:00:00 1970\n",
                "Subject: x\n",
                "Content-Transfer-Encoding: quoted-printable\n\n",
                "see http://a.exam=\n",
                "ple/b=3Dc\n",
                "and so on\n",
            ],
            "http://a.example/b=c",
        ),
        (
            vec![
                "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\nContent-Type: text/html\n\n",
                "<p>see http://a.exam<b>ple",
                "</b>/b<br>\n",
                "and so on\n",
            ],
            "http://a.example/b",
        ),
    ];
    for (parts, url) in cases {
        for threads in ["-j1", "-j3"] {
            expect_before_the_end(&["--line-buffered", threads], &parts, url);
        }
    }
}

/// Some URLs are complete only when the next bytes are known. Links and notes that
/// come after such a URL are reported after it, for every cut of the input.
#[test]
fn hits_and_notes_are_in_the_order_of_the_text() {
    let html = |url: &str| {
        format!(
            "Subject: x\nContent-Type: text/html\n\n<p>\"{url} and <a href=\"http://l.example/\">l</a>{}\n<p>\n",
            " words".repeat(40)
        )
    };
    let base64 = format!(
        "Subject: y\nContent-Transfer-Encoding: base64\n\n{}not base64 at all\n\n",
        "aHR0cDovL2IuZXhhbXBsZS8g\n".repeat(4000)
    );
    let mut mbox = String::new();
    for i in 0..40 {
        mbox += "From a@b Thu Jan  1 00:00:00 1970\n";
        mbox += &html(&format!("http://{i}.example/http://c.example/"));
    }
    mbox += "From a@b Thu Jan  1 00:00:00 1970\n";
    mbox += &base64;
    // More links than are kept for one text.
    mbox += "From a@b Thu Jan  1 00:00:00 1970\n";
    mbox += "Subject: z\nContent-Type: text/html\n\n\"http://d.example/\n";
    mbox += &"<a href=\"http://e.example/\">".repeat(3000);
    let dir = Dir::with("m", mbox);
    let first = dir.run(["-m1", "m"]).text();
    assert_eq!(first, "http://0.example/http://c.example/\n");
    let offsets = dir
        .run(["--no-filename", "--format", "{offset}", "m"])
        .text();
    let offsets: Vec<u64> = offsets.lines().filter_map(|l| l.parse().ok()).collect();
    assert!(offsets.is_sorted() && offsets.len() > 3000);
    for options in [
        &["-b"][..],
        &["--json"],
        &["-m", "30", "--json"],
        &["-m3", "--notes"],
    ] {
        let run = |threads: &str, size: &str| {
            let args = ["-j", threads, "--segment-size", size];
            dir.run(args.iter().chain(options).chain(&["m"]))
        };
        let expected = run("1", "10000000");
        for (threads, size) in [("1", "64"), ("1", "1000"), ("3", "64"), ("3", "5000")] {
            assert!(
                run(threads, size) == expected,
                "{options:?} -j{threads} --segment-size {size}"
            );
        }
    }
}

#[test]
fn line_buffered_output_is_immediate() {
    use std::io::{BufRead, BufReader};
    for threads in ["-j1", "-j3"] {
        let mut child = Dir::new()
            .command()
            .current_dir("/")
            .args(["--line-buffered", threads])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        // These lines have more bytes than the credit of the scanner for early
        // re-examinations (`CREDIT`, 4,096 bytes).
        for i in 0..500 {
            // The URL is decided when the next line begins.
            for part in ["http://a.exam", &format!("ple/{i} \n"), "next\n"] {
                pipe.write_all(part.as_bytes()).unwrap();
            }
            assert_eq!(
                lines.next().unwrap().unwrap(),
                format!("http://a.example/{i}")
            );
        }
        drop(pipe);
        assert!(lines.next().is_none());
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn reading_stops_at_the_limit() {
    // The input never ends.
    let dir = Dir::new();
    for option in ["-q", "-l", "-m1"] {
        for threads in ["-j1", "-j2"] {
            let out = dir.shell(&format!(
                "yes 'http://a.example/ ' | \"$U\" {threads} {option} | wc -l"
            ));
            let lines = if option == "-q" { "0" } else { "1" };
            assert_eq!(out.text().trim(), lines, "{option} {threads}");
        }
    }
}
