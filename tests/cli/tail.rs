//! `--start-at`: only the bytes added to a file since the last search.

use std::fs::File;

use super::kit::{Dir, TEXT, run};

/// A message whose URLs have this number.
fn message(number: usize) -> String {
    format!(
        "From ann@a.example Mon Jan  5 15:20:{number:02} 1998\nFrom: ann@a.example\nSubject: s\n\n\
         From here on: <http://a.example/{number}/\nindex>\n\n"
    )
}

fn mbox(messages: impl Iterator<Item = usize>) -> String {
    messages.map(message).collect()
}

/// A search that starts at any byte gives the messages that begin at or after it,
/// with the same rows as a search of the whole file.
#[test]
fn an_mbox_from_any_byte() {
    let whole = mbox(10..40);
    let dir = Dir::with("m", &whole);
    let format = ["--format={offset} {message_start} {url}", "m"];
    let rows = dir.run(format).text();
    let starts: Vec<usize> = (10..40).map(|n| mbox(10..n).len()).collect();
    for start in (0..whole.len() + 1).step_by(101).chain(starts.clone()) {
        let before = starts.iter().filter(|&&at| at < start).count();
        let expected: String = rows.split_inclusive('\n').skip(before).collect();
        for options in [&["-j1"][..], &["-j2", "--segment-size=64"]] {
            let start = format!("--start-at={start}");
            let out = dir.run(options.iter().chain(&[start.as_str()]).chain(&format));
            assert_eq!(out.text(), expected, "{options:?} {start}");
            assert_eq!(out.code, Some(i32::from(expected.is_empty())));
        }
    }
}

#[test]
fn a_growing_file() {
    let dir = Dir::with("m", mbox(10..12));
    let size = mbox(10..12).len();
    let start = format!("--start-at={size}");
    dir.run([&start, "m"]).is_none();
    dir.write("m", mbox(10..13));
    dir.run([&start, "m"]).is("http://a.example/12/index\n");
    let out = dir.run([&start, "--json", "m"]);
    let row: serde_json::Value = serde_json::from_slice(&out.bytes).expect("a row");
    let separator = message(12).find('\n').expect("a line") + 1;
    assert_eq!(row["message_start"], size + separator);
    assert!(row["line"].is_null() && row["message_number"].is_null());
    // The offsets are offsets in the whole file.
    dir.write("rows", &out.bytes);
    dir.run(["--verify", "rows"]).ends(0, "", "1 replayed");
    dir.shell(&format!("$U --start-at={size} -j2 <m"))
        .is("http://a.example/12/index\n");
}

#[test]
fn text_from_a_byte() {
    let dir = Dir::with("a", TEXT);
    for threads in ["-j1", "-j2"] {
        dir.run([threads, "--start-at=4", "-b", "a"]).is(
            "4:http://a.example/1\n32:ftp://b.example/2\n57:mailto:joe@c.example\n78:http://a.example/1\n",
        );
        dir.run([threads, "--start-at=24", "-b", "a"])
            .is("32:ftp://b.example/2\n57:mailto:joe@c.example\n78:http://a.example/1\n");
    }
    dir.run(["--start-at=0", "-n", "--host=b.example", "a"])
        .is("2:ftp://b.example/2\n");
    let out = dir.run(["--start-at=40", "--no-decode", "-C1", "a"]).text();
    assert!(out.starts_with("example/2>, or\n"), "{out}");
}

#[test]
fn files_that_cannot_be_read_from_the_middle() {
    let dir = Dir::with("a", TEXT);
    dir.write("one.eml", "From: a@b\nSubject: s\n\nhttp://a.example/\n");
    assert_eq!(dir.shell("gzip -k a && mkdir d && cp a d").code, Some(0));
    for (path, error) in [
        (
            "a.gz",
            "a.gz: a compressed file or archive cannot be read from the middle",
        ),
        (
            "one.eml",
            "one.eml: only plain text and mbox files can be read from the middle",
        ),
        ("none", "none: No such file or directory"),
        ("d", "--start-at needs exactly one file"),
    ] {
        dir.run(["--start-at=1", path]).fails(error);
    }
    dir.run(["--start-at=1", "a", "a"])
        .fails("--start-at needs exactly one file");
    dir.run(["--start-at=200", "a"])
        .fails("a: the file has 97 bytes, and is to be read from byte 200");
    dir.pipe(["--start-at=1"], TEXT.as_bytes())
        .fails("a pipe or device cannot be read from the middle");
    let mut stdin = dir.command();
    stdin
        .args(["--start-at=24", "-"])
        .stdin(File::open(dir.path().join("a")).expect("a"));
    assert_eq!(run(&mut stdin, None).text().lines().count(), 3);
}

/// Any partition of a file gives each row once, whatever is in it.
#[test]
fn parts_of_a_file() {
    let text = "see <http://a.example/\nlong/er> and http://b.example/c\n\n".repeat(40);
    let table = format!("url,b\n{}", "http://c.example/d,1\n".repeat(20));
    let dir = Dir::with("m", mbox(10..40));
    dir.write("t", &text);
    dir.write("t.csv", table);
    dir.write("one", message(1).split_once('\n').expect("a line").1);
    for file in ["m", "t", "t.csv", "one"] {
        let format = ["--format={offset} {message_start} {url}", file];
        let whole = dir.run(format).text();
        assert!(!whole.is_empty(), "{file}");
        for step in [1, 97, 500, 100_000] {
            let size = dir.read(file).len();
            let step = step.max(size / 12);
            for options in ["-j1", "-j2"] {
                let mut rows = String::new();
                for start in (0..size + step).step_by(step) {
                    let part = [
                        format!("--start-at={start}"),
                        format!("--end-at={}", start + step),
                    ];
                    let part = part.iter().map(String::as_str);
                    rows += &dir.run(part.chain([options]).chain(format)).text();
                }
                assert_eq!(rows, whole, "{file} {step} {options}");
            }
        }
        dir.run(["--end-at=0", file]).is_none();
    }
    dir.run(["--end-at=50", "-n", "t"])
        .is("1:http://a.example/long/er\n2:http://b.example/c\n");
    dir.run(["--end-at=1", "t", "m"])
        .fails("--end-at needs exactly one file");
    dir.pipe(["--end-at=1"], TEXT.as_bytes())
        .fails("a pipe or device cannot be read from the middle");
}
