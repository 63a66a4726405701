//! The files that are searched, and their order.

use super::kit::{Dir, TEXT};

/// Files that each contain a URL with the name of the file.
fn tree(names: &[&str]) -> Dir {
    let dir = Dir::new();
    for name in names {
        dir.write(
            name,
            format!("http://x.example/{}\n", name.replace('é', "e")),
        );
    }
    dir
}

#[test]
fn byte_order_of_names() {
    let dir = tree(&["b", "B", "a/z", "a.txt", ".hidden", "a/.x/y", "é", "Z/1"]);
    dir.run(["-l", "."])
        .is("./.hidden\n./B\n./Z/1\n./a/.x/y\n./a/z\n./a.txt\n./b\n./é\n");
    // Named paths are in the order of the command line, with repetitions.
    dir.run(["-l", "b", "a", "B", "b"])
        .is("b\na/.x/y\na/z\nB\nb\n");
    dir.run(["-l", "a/"]).is("a/.x/y\na/z\n");
    let mut unsorted: Vec<_> = dir
        .run(["-l", "--sort", "none", "."])
        .text()
        .lines()
        .map(str::to_owned)
        .collect();
    unsorted.sort();
    assert_eq!(unsorted.len(), 8);
}

#[test]
fn nothing_is_ignored() {
    let dir = tree(&[".git/x", "node_modules/y", "target/z"]);
    dir.write(".gitignore", "*\n");
    dir.write("binary", b"\0\0http://a.example/\0\x01");
    dir.run(["-l", "."])
        .is("./.git/x\n./binary\n./node_modules/y\n./target/z\n");
}

#[test]
fn globs() {
    let dir = tree(&["a.mbox", "b.txt", "sub/c.mbox", "sub/d.txt", "old/e.mbox"]);
    dir.run(["-l", "-g", "*.mbox", "."])
        .is("./a.mbox\n./old/e.mbox\n./sub/c.mbox\n");
    dir.run(["-l", "-g", "!old", "-g", "!*.txt", "."])
        .is("./a.mbox\n./sub/c.mbox\n");
    dir.run(["-l", "-g", "*.mbox", "-g", "!sub/*", "."])
        .is("./a.mbox\n./old/e.mbox\n");
    dir.run(["-l", "-g", "!*.txt", "-g", "d.*", "."])
        .is("./sub/d.txt\n");
    // A file that is named is always searched.
    dir.run(["-l", "-g", "*.mbox", "b.txt"]).is("b.txt\n");
    dir.run(["-g", "{", "."]).fails("--glob");
}

#[test]
fn depth() {
    let dir = tree(&["1", "a/2", "a/b/3"]);
    let hint = "--max-depth 0 enters no folder";
    dir.run(["-l", "--max-depth", "0", "."]).ends(1, "", hint);
    dir.run(["-l", "--max-depth", "1", "."]).is("./1\n");
    dir.run(["-l", "--max-depth", "2", "."]).is("./1\n./a/2\n");
    dir.run(["-l", "--max-depth", "0", "1"]).is("1\n");
    let dir = tree(&["a/b/3"]);
    let warning = "urlgrep: warning: a: no file at --max-depth 1, so none was searched\n";
    dir.run(["--max-depth", "1", "a"]).ends(1, "", warning);
    std::fs::remove_file(dir.path().join("a/b/3")).unwrap();
    let warning = "urlgrep: warning: a/b: no file in it, so none was searched\n";
    dir.run(["a/b"]).ends(1, "", warning);
    dir.run(["-s", "a/b"]).is_none();
    dir.run(["-q", "a/b"]).is_none();
}

#[test]
fn lists_of_paths() {
    let dir = tree(&["a", "b", "d/c"]);
    dir.write("l", "b\n\nd\na");
    dir.write("l0", "b\0d\0a\0");
    dir.run(["-l", "--files-from", "l"]).is("b\nd/c\na\n");
    dir.run(["-l", "--files0-from", "l0"]).is("b\nd/c\na\n");
    dir.pipe(["-l", "--files-from", "-"], b"d\n").is("d/c\n");
    dir.run(["-l", "a", "--files-from", "l"])
        .is("a\nb\nd/c\na\n");
    dir.pipe(["-l", "--files-from", "-", "-"], b"")
        .fails("once");
    dir.run(["-l", "--files-from", "nowhere"])
        .fails("nowhere: No such file");
}

/// A file that is no list ends with an error, even if it has no end. Other
/// paths are still searched.
#[test]
fn lists_without_names() {
    let dir = tree(&["a"]);
    dir.write("l", format!("a\n{}\na\n", "x".repeat(70_000)));
    let too_long = "a path of more than 64 KiB; the rest of the list is not read\n";
    for (lists, found) in [
        (&["--files-from", "l"][..], "a\n"),
        (&["--files-from", "/dev/zero"], ""),
        (&["--files0-from", "/dev/zero"], ""),
        (&["--files-from", "/dev/zero", "--files0-from", "l"], ""),
    ] {
        let out = dir.run([&["-l"], lists].concat());
        let errors = lists[1..].iter().step_by(2);
        let errors: String = errors
            .map(|l| format!("urlgrep: {l}: {too_long}"))
            .collect();
        out.ends(2, found, &errors);
        let found = format!("a\n{found}");
        dir.run([&["-l", "a"], lists].concat())
            .ends(2, &found, &errors);
    }
}

#[test]
fn standard_input() {
    let dir = tree(&["a"]);
    dir.pipe([] as [&str; 0], TEXT.as_bytes())
        .is(&Dir::with("t", TEXT).run(["t"]).text());
    dir.pipe(["a", "-", "a"], b"http://x/")
        .is("http://x.example/a\nhttp://x/\nhttp://x.example/a\n");
    // A file with the name `-` needs another spelling.
    dir.write("-", "http://dash/\n");
    dir.pipe(["-"], b"http://x/").is("http://x/\n");
    dir.run(["./-"]).is("http://dash/\n");
}

#[test]
fn a_pattern_in_place_of_a_path() {
    let dir = tree(&["a"]);
    for pattern in ["^http", "example.org"] {
        dir.run([pattern])
            .fails("a pattern goes after -e, a host after --host");
    }
    for (args, host) in [
        (&["^http", "a"][..], "'^http'"),
        (&["example.org", "a"], "example.org"),
        (&["www.example.co.uk", "a"], "www.example.co.uk"),
        (&["http://x/", "a"], "x"),
        (&["a", "http://joe@x.example:80/b", "a"], "x.example"),
        (&["http://x.example/b"], "x.example"),
        (&["https://", "a"], "https://"),
    ] {
        let out = dir.run(args);
        out.fails(": no such file, so nothing was searched; a pattern is `-e ");
        out.fails(&format!(", a host `--host {host}`, a path `"));
    }
    // These are names of files.
    for name in ["*.mbox", "notes.txt", "1998.zip", "x/example.org", "org"] {
        let out = dir.run([&format!("./{name}"), "a"]);
        out.ends(2, "http://x.example/a\n", "No such file");
    }
    dir.run(["notes.txt", "a"])
        .ends(2, "http://x.example/a\n", "notes.txt: No such file");
    dir.run(["a", "example.org"])
        .ends(2, "http://x.example/a\n", "a host after --host");
    // A file may have the name of a host.
    dir.write("example.org", "http://x.example/b\n");
    dir.run(["example.org", "a"])
        .is("http://x.example/b\nhttp://x.example/a\n");
    let out = dir.run(["a", "b"]);
    out.ends(2, "http://x.example/a\n", "b: No such file");
    assert!(!out.errors.contains("-e"), "{}", out.errors);
}

#[test]
fn utf16() {
    let text = "Grüße http://a.example/1\r\nhttp://b.example/\u{1F600}\r\n";
    for (name, mark) in [("le", [0xFF, 0xFE]), ("be", [0xFE, 0xFF])] {
        let mut bytes = mark.to_vec();
        for unit in text.encode_utf16() {
            bytes.extend(if name == "le" {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            });
        }
        let dir = Dir::with(name, &bytes);
        let expected = "1:9::http://a.example/1\n2:1::http://b.example/\n";
        dir.run(["-n", "--column", "-b", name]).is(expected);
        dir.pipe(["-n", "--column", "-b"], &bytes).is(expected);
        let json = dir.run(["--json", "-m1", name]).text();
        let row: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert!(
            row["offset"].is_null() && row["segments"].is_null(),
            "{json}"
        );
    }
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links() {
        let dir = tree(&["real/a", "other/b"]);
        symlink("../other", dir.path().join("real/folder")).unwrap();
        symlink("../other/b", dir.path().join("real/file")).unwrap();
        dir.run(["-l", "real"]).is("real/a\n");
        dir.run(["-lL", "real"])
            .is("real/a\nreal/file\nreal/folder/b\n");
        // A link that is named is followed.
        dir.run(["-l", "real/folder", "real/file"])
            .is("real/folder/b\nreal/file\n");
        // A glob for files does not keep the walk out of linked folders.
        dir.write("other/c.txt", b"http://c.example/\n");
        let out = dir.run(["-L", "-g", "*.txt", "real"]);
        assert_eq!(out.text(), "http://c.example/\n");
    }

    #[test]
    fn a_loop_of_links() {
        let dir = tree(&["a/b/x", "a/y"]);
        symlink("../..", dir.path().join("a/b/up")).unwrap();
        dir.run(["-l", "."]).is("./a/b/x\n./a/y\n");
        dir.run(["-lL", "."])
            .ends(2, "./a/b/x\n./a/y\n", "./a/b/up: symbolic link loop");
        symlink("self", dir.path().join("self")).unwrap();
        dir.run(["-lL", "."])
            .ends(2, "./a/b/x\n./a/y\n", "./self: ");
    }

    #[test]
    fn a_name_that_is_no_utf8() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let dir = Dir::new();
        let name = OsStr::from_bytes(b"a\xFFb");
        dir.write(name, "http://a.example/\n");
        dir.run(["-H", "."]).is("./a\\xFFb:http://a.example/\n");
        dir.run([OsStr::new("-H"), name])
            .is("a\\xFFb:http://a.example/\n");
        dir.write("list", b"a\xFFb\n");
        let out = dir.run(["-l0", "--files-from", "list"]);
        assert_eq!(out.bytes, b"a\xFFb\0");
        let json = dir.run(["--json", "-gb", "-ga*", "."]).text();
        let row: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (&row["path"], &row["path_bytes"]),
            (&"./a\u{FFFD}b".into(), &"Li9h/2I=".into())
        );
        std::fs::remove_file(dir.path().join(name)).unwrap();
        dir.run([OsStr::new("nowhere.t"), name])
            .fails("a\\xFFb: No such file");
    }

    #[test]
    fn only_files_are_searched() {
        let dir = tree(&["a"]);
        assert!(dir.shell("mkfifo fifo").code == Some(0));
        let out = dir.run(["-l", "--stats", "."]);
        assert_eq!((out.code, out.text().as_str()), (Some(0), "./a\n"));
        assert!(out.errors.contains("1 passed over"), "{}", out.errors);
        // A FIFO that is named is read.
        dir.shell("echo http://x/ >fifo & exec \"$U\" fifo")
            .is("http://x/\n");
    }

    #[test]
    fn the_output_is_not_searched() {
        let dir = tree(&["a", "b"]);
        dir.shell("\"$U\" . >out").is("");
        assert_eq!(dir.read("out"), b"http://x.example/a\nhttp://x.example/b\n");
        dir.shell("\"$U\" a out >>out")
            .ends(2, "", "out: the output goes to this file");
        assert_eq!(
            dir.read("out"),
            b"http://x.example/a\nhttp://x.example/b\nhttp://x.example/a\n"
        );
    }
}

#[test]
fn undelivered_files_of_a_maildir_are_skipped() {
    let dir = tree(&[
        "m/cur/1:2,S",
        "m/new/2",
        "m/tmp/3",
        "m/.Sub/cur/4",
        "m/.Sub/new/5",
        "m/.Sub/tmp/6",
        "other/tmp/7",
    ]);
    dir.run(["-l", "."])
        .is("./m/.Sub/cur/4\n./m/.Sub/new/5\n./m/cur/1:2,S\n./m/new/2\n./other/tmp/7\n");
    // A folder that is named is searched, whatever its name.
    dir.run(["-l", "m/tmp"]).is("m/tmp/3\n");
}
