//! The fields printed with a URL, and their form.

#[cfg(feature = "ledger")]
use std::process::Stdio;
use std::time::{Duration, Instant};

use super::kit::{Dir, TEXT};

#[test]
fn one_url_a_line() {
    let dir = Dir::with("t", TEXT);
    dir.run(["t"])
        .is("http://a.example/1\nftp://b.example/2\nmailto:joe@c.example\nhttp://a.example/1\n");
    dir.run(["-o", "t"]).is(&dir.run(["t"]).text());
    Dir::with("t", "nothing\n").run(["t"]).is_none();
    Dir::with("t", "").run(["t"]).is_none();
}

#[test]
fn fields_before_it() {
    let dir = Dir::with("t", TEXT);
    let first = |args: &[&str]| dir.run(args).text().lines().nth(1).unwrap().to_owned();
    assert_eq!(first(&["-H", "t"]), "t:ftp://b.example/2");
    assert_eq!(first(&["-n", "t"]), "2:ftp://b.example/2");
    assert_eq!(first(&["-b", "t"]), "32:ftp://b.example/2");
    assert_eq!(first(&["--column", "t"]), "6:ftp://b.example/2");
    assert_eq!(
        first(&["-b", "-nH", "--column", "t"]),
        "t:2:6:32:ftp://b.example/2"
    );
    assert_eq!(first(&["-HI", "t"]), "ftp://b.example/2");
    assert_eq!(first(&["-IH", "t"]), "t:ftp://b.example/2");
    assert_eq!(first(&["-H0", "t"]), "t\0ftp://b.example/2");
    assert_eq!(first(&["-H0n", "t"]), "t\x002:ftp://b.example/2");
}

#[test]
fn standard_input_has_a_name() {
    let dir = Dir::new();
    dir.pipe(["-H"], b"http://a.example/")
        .is("<stdin>:http://a.example/\n");
    dir.pipe(["-H", "-"], b"http://a.example/")
        .is("<stdin>:http://a.example/\n");
}

#[test]
fn columns_count_in_long_lines_too() {
    let mut text = "x".repeat(100_000);
    text.push_str(" http://a.example/ http://b.example/\n");
    let dir = Dir::with("t", &text);
    let expected = "1:100002:100001:http://a.example/\n1:120:119:http://b.example/\n";
    let expected = expected.replace("1:120:119", "1:100020:100019");
    dir.run(["-nb", "--column", "t"]).is(&expected);
    dir.run(["-nb", "--column", "--segment-size", "64", "-j3", "t"])
        .is(&expected);
}

#[test]
fn colours() {
    let dir = Dir::with("t", "http://a.example/\n");
    let plain = "t:1:http://a.example/\n";
    dir.run(["-Hn", "t"]).is(plain);
    dir.run(["-Hn", "--color", "never", "t"]).is(plain);
    dir.run(["-Hn", "--color=auto", "t"]).is(plain);
    let colored = dir.run(["-Hn", "--color", "always", "t"]).text();
    assert!(colored.contains("\x1b[0m\x1b[35mt\x1b[0m"), "{colored:?}");
    // An option on the command line overrides the environment.
    let out = super::kit::run(
        dir.command()
            .args(["-Hn", "--color", "always", "t"])
            .env("NO_COLOR", "1"),
        None,
    );
    assert_eq!(out.text(), colored);
}

#[test]
fn vimgrep_has_every_number() {
    let mail = "From: a@b.example\nSubject: x\nContent-Transfer-Encoding: base64\n\naHR0cDovL2EuZXhhbXBsZS8K\n";
    let dir = Dir::with("m.eml", mail);
    dir.write("t", TEXT);
    dir.run(["--vimgrep", "--host", "example", "."])
        .is("./m.eml:5:1:http://a.example/\n./t:1:5:http://a.example/1\n./t:2:6:ftp://b.example/2\n./t:3:24:http://a.example/1\n");
}

#[test]
fn hyperlinks() {
    let dir = Dir::with("t", "<URL:http://a.example/b>\n");
    dir.run(["t"]).is("http://a.example/b\n");
    for no in ["--hyperlink=auto", "--hyperlink=never"] {
        dir.run([no, "t"]).is("http://a.example/b\n");
    }
    dir.run(["--hyperlink=always", "t"])
        .is("\x1b]8;;http://a.example/b\x1b\\http://a.example/b\x1b]8;;\x1b\\\n");
}

#[test]
fn lines_around() {
    let dir = Dir::with(
        "t",
        "1\n2\n3\nhttp://a.example/ x http://b.example/\n5\n6\nhttp://c.example/\n8\n9\n10\n11\nhttp://d.example/\n13",
    );
    dir.run(["-A1", "-n", "t"]).is(
        "4:http://a.example/ x http://b.example/\n5-5\n--\n7:http://c.example/\n8-8\n--\n12:http://d.example/\n13-13\n",
    );
    dir.run(["-B2", "t"]).is(
        "2\n3\nhttp://a.example/ x http://b.example/\n5\n6\nhttp://c.example/\n--\n10\n11\nhttp://d.example/\n",
    );
    dir.run(["-C1", "-Hnb", "t"]).is(
        "t-3-4-3\nt:4:6:http://a.example/ x http://b.example/\nt-5-44-5\nt-6-46-6\nt:7:48:http://c.example/\n\
         t-8-66-8\n--\nt-11-73-11\nt:12:76:http://d.example/\nt-13-94-13\n",
    );
    // The lines after the last hit are printed, although no more hits are wanted.
    dir.run(["-A2", "-m2", "t"])
        .is("http://a.example/ x http://b.example/\n5\n6\n");
    let line = "http://a.example/ x http://b.example/\n";
    dir.run(["-C0", "-m1", "t"]).is(line);
    // As in ripgrep, `--` separates groups only if lines around hits are printed.
    let lines = format!("{line}http://c.example/\nhttp://d.example/\n");
    for option in ["-B0", "-A0", "-C0"] {
        dir.run([option, "t"]).is(&lines);
    }
    dir.run(["-C1", "-A0", "-e", "[cd]", "t"])
        .is("6\nhttp://c.example/\n--\n11\nhttp://d.example/\n");
    dir.run(["-C0", "--host", "b.example", "t"]).is(line);
    // `--` also separates the groups of different files, with and without names.
    // Files without hits have no group, and a heading needs no `--`.
    let text = "1\nhttp://x.example/\n3\n4\nhttp://y.example/\n";
    dir.write("d/a", text);
    dir.write("d/b", "none\n");
    dir.write("d/c", text);
    let group = "1\nhttp://x.example/\n3\n4\nhttp://y.example/\n";
    let both = format!("{group}--\n{group}");
    for threads in ["-j1", "-j3"] {
        dir.run([threads, "-C1", "d"]).is(&both);
        dir.run([threads, "-C1", "-H", "-e", "x.ex", "d"])
            .is("d/a-1\nd/a:http://x.example/\nd/a-3\n--\nd/c-1\nd/c:http://x.example/\nd/c-3\n");
        dir.run([threads, "-A1", "-e", "y.ex", "d"])
            .is("http://y.example/\n--\nhttp://y.example/\n");
        dir.run([threads, "-u", "-A1", "-e", "x.ex", "d"])
            .is("http://x.example/\n3\n");
        dir.run([threads, "-m1", "-B1", "d"])
            .is("1\nhttp://x.example/\n--\n1\nhttp://x.example/\n");
        dir.run([threads, "-C0", "-e", "x.ex", "d"])
            .is("http://x.example/\nhttp://x.example/\n");
        let headed = format!("d/a\n{group}\nd/c\n{group}");
        dir.run([threads, "-C1", "--heading", "d"]).is(&headed);
    }
    // If a hit has several lines, the lines around it are those before its first line
    // and after its last line.
    let dir = Dir::with("t", "1\n<URL:http://a.exa\nmple/>\n4\n");
    dir.run(["-C1", "-n", "t"])
        .is("1-1\n2:<URL:http://a.exa\n3:mple/>\n4-4\n");
}

/// An earlier version searched the bytes after each hit again. It took a hundred
/// times as long.
#[test]
fn many_lines_around_cost_no_more_than_few() {
    let short = "http://a.example/b\n".repeat(50_000);
    let long = "http://a.example/b ".repeat(50_000);
    for text in [short, long] {
        let dir = Dir::with("t", &text);
        let time = |context: &str| {
            let start = Instant::now();
            let out = dir.run(["-j1", context, "t"]);
            // Lines of a million bytes are printed in pieces.
            let pieces = text.len() / (64 << 10) + 1;
            let lines = if text.contains(' ') { pieces } else { 50_000 };
            assert_eq!(out.text().lines().count(), lines, "{context}");
            start.elapsed()
        };
        let (few, many) = (time("-B1"), time("-C1000000"));
        assert!(many < 8 * few + Duration::from_secs(1), "{few:?} {many:?}");
    }
}

/// Two messages, the second in quoted-printable, and a link of HTML.
const MAIL: &str = "From x@y.example Mon Jun  3 10:12:41 2002\nFrom: Joe <joe@a.example>\nSubject: one\n\
    Date: Mon, 3 Jun 2002 10:12:41 +0200\n\na\nsee http://a.example/1 and\n> http://q.example/\nb\n\n\
    From x@y.example Mon Jun  3 10:12:41 2002\nFrom: =?utf-8?Q?J=C3=BCrgen?= <j@b.example>\n\
    Content-Transfer-Encoding: quoted-printable\n\ncaf=C3=A9 http://b.exa=\nmple/2\nc http://a.example/1\n";

#[test]
fn lines_of_mail_are_decoded() {
    let dir = Dir::with("m", MAIL);
    dir.run(["-C0", "-n", "m"])
        .is("7:see http://a.example/1 and\n8:> http://q.example/\n\
         15:café http://b.example/2\n17:c http://a.example/1\n");
    dir.run(["-C1", "--authored", "m"])
        .is("a\nsee http://a.example/1 and\n> http://q.example/\n--\n\
         café http://b.example/2\nc http://a.example/1\n");
    dir.run(["-A1", "--from", "joe", "--host", "a.example", "m"])
        .is("see http://a.example/1 and\n> http://q.example/\n");
    // Only lines of new hits are printed.
    dir.run(["-u", "-B1", "m"])
        .is("a\nsee http://a.example/1 and\n> http://q.example/\n--\ncafé http://b.example/2\n");
    dir.run(["-n", "--column", "m"]).is(
        "7:5:http://a.example/1\n8:3:http://q.example/\n15::http://b.example/2\n17:3:http://a.example/1\n",
    );
    let html = "Subject: x\nContent-Type: text/html\n\n<p>click <a href=\"http://a.example/\">here</a></p><p>x</p>";
    Dir::with("h", html)
        .run(["-C0", "-n", "--as=message", "h"])
        .is("4-click here\n4:http://a.example/\n");
}

#[test]
fn headings() {
    let dir = Dir::with("m", MAIL);
    let one = "one  Joe <joe@a.example>  2002-06-03T08:12:41Z\n";
    let two = "Jürgen <j@b.example>\n";
    let all = format!(
        "{one}http://a.example/1\nhttp://q.example/\n\n{two}http://b.example/2\nhttp://a.example/1\n"
    );
    dir.run(["--heading", "m"]).is(&all);
    dir.run(["--heading", "--segment-size=9", "-j3", "m"])
        .is(&all);
    let all = format!("{one}7:see http://a.example/1 and\n\n{two}17:c http://a.example/1\n");
    dir.run(["--heading", "-n", "-C0", "--host=a.example", "m"])
        .is(&all);
    let first =
        format!("m\n\n{one}http://a.example/1\nhttp://q.example/\n\n{two}http://b.example/2\n");
    dir.run(["--heading", "-H", "-u", "m"]).is(&first);
    // A message without printed hits has no heading.
    dir.write("n", MAIL);
    dir.write("t", "http://t.example/\n");
    dir.run(["--heading", "-u", "m", "n", "t"])
        .is(&format!("{first}\nt\nhttp://t.example/\n"));
    // RFC 5322, 2.2.3: unfolding keeps the tab of a fold.
    dir.write(
        "f",
        "From: j@b.example\nSubject: wrong\n\tsign\n\nhttp://t.example/\n",
    );
    dir.run(["--heading", "f"])
        .is("wrong sign  j@b.example\nhttp://t.example/\n");
}

/// `--explain` shows the text of the file, not what urlgrep has made of it.
#[test]
fn explain_shows_what_was_rewritten() {
    let html = "<!doctype html><a href=\"http://0x7f.1/a/b\">x</a>";
    let text = Dir::with("n.html", html)
        .run(["--explain", "n.html"])
        .text();
    let rows =
        "  source       24 to 41 copied http://0x7f.1/a/b\n  rewritten    by the URL Standard\n";
    assert!(text.contains(rows), "{text}");
    let link = "https://www.google.com/url?q=http%3A%2F%2Fa.example%2F";
    let text = Dir::with("t", link)
        .run(["--unwrap", "--explain", "t"])
        .text();
    let rows = format!("  source       0 to 54 copied {link}\n  unwrapped    http://a.example/\n");
    assert!(text.contains(&rows), "{text}");
}

#[test]
fn stats_go_to_standard_error() {
    let dir = Dir::with("t", TEXT);
    let out = dir.run(["--stats", "t"]);
    assert_eq!(out.text().lines().count(), 4);
    for line in [
        "4 hits\n",
        "0 messages\n",
        "1 file searched\n",
        "97 bytes searched\n",
        "0 errors\n",
    ] {
        assert!(out.errors.contains(line), "{line}: {}", out.errors);
    }
}

#[test]
fn stats_list_unsearched_data() {
    let part = |kind: &str, name: &str| {
        format!(
            "--b\nContent-Type: {kind}; name={name}\nContent-Transfer-Encoding: base64\n\nAAEC\n"
        )
    };
    let mut mail = String::from(
        "From: a@b.example\nSubject: x\nContent-Type: multipart/mixed; boundary=b\n\n\
         --b\n\nhttp://a.example/\nbegin 644 x.bin\n#86)C\n`\nend\n",
    );
    for (kind, name) in [
        ("application/zip", "a.zip"),
        ("application/gzip", "b.gz"),
        ("application/msword", "c.doc"),
        ("application/pdf", "d.pdf"),
        ("application/pgp-encrypted", "e.asc"),
        ("application/octet-stream", "f.gpg"),
        ("application/ms-tnef", "winmail.dat"),
        ("x-house/plan", "plan"),
        // These hold no URLs, or are text by their type.
        ("application/octet-stream", "g.JPG"),
        ("image/png", "h.png"),
        ("image/svg+xml", "logo.svg"),
        ("application/pkcs7-signature", "smime.p7s"),
    ] {
        mail += &part(kind, name);
    }
    mail += "--b--\n";
    let dir = Dir::with("m", &mail);
    let out = dir.run(["--stats", "--as", "message", "m"]);
    let expected = "0 errors\n\
        not searched: PDF, in 1 part\n\
        not searched: compressed file or archive, in 2 parts\n\
        not searched: data in an unknown format, in 2 parts\n\
        not searched: encrypted part, in 2 parts\n\
        not searched: office document, in 1 part\n\
        not searched: uuencoded or yEnc file, in 1 part\n";
    assert!(out.errors.ends_with(expected), "{}", out.errors);
    let notes = dir.run(["--notes", "--as", "message", "m"]).errors;
    assert_eq!(notes.matches(", not searched\n").count(), 9, "{notes}");
}

/// A run ends with the number of parts and files that were not searched.
#[test]
fn the_last_line_says_what_was_not_searched() {
    const PDF: &str = "From: ann@b.example\nSubject: x\nContent-Type: application/pdf\n\
        Content-Transfer-Encoding: base64\n\nAAEC\n";
    let dir = Dir::with("url", "http://a.example/\n");
    dir.write("pdf", PDF);
    dir.write(
        "box",
        format!("From x Thu Jan  1 00:00:00 1998\n{PDF}\n").repeat(200),
    );
    dir.write("db", b"SQLite format 3\0\x10\0");
    dir.write("objects/pack/p.pack", b"PACK\0\0\0\x02\0\0\0\x01");
    dir.write("short", "%PDF-");
    let line = |what: &str| format!("urlgrep: {what}\n");
    let ends = |args: &[&str], error: &str| {
        let out = dir.run(args.iter().chain(&["url"]));
        assert_eq!(
            (out.errors.as_str(), out.code),
            (error, Some(0)),
            "{args:?}"
        );
        out
    };
    let reads = "--pre 'application/pdf=pdftotext - -' or --pre '*.pdf=pdftotext - -' reads it";
    let one = line(&format!("pdf: 1 part was not read: PDF; {reads}"));
    let database = |path: &str| {
        let what = "its text was not read: SQLite database";
        line(&format!(
            "{path}: {what}; `sqlite3 FILE .dump | urlgrep` reads it"
        ))
    };
    ends(&["pdf"], &one);
    ends(&["db"], &database("db"));
    let git = line(
        "objects/pack/p.pack: its text was not read: git pack; \"public-inbox in git\" in \
         docs/recipes.md searches a git repository",
    );
    let short = "its text was not read: PDF; --pre '*.pdf=pdftotext - -' reads it";
    let short = line(&format!("short: {short}"));
    ends(&["objects", "short"], &(git.clone() + &short));
    // Three files are named. More are only counted.
    let many = "1 part and 3 files have text that was not read (--notes names them; \
                \"public-inbox in git\" in docs/recipes.md searches a git repository)";
    for threads in ["-j1", "-j2"] {
        for size in ["50", "1000000"] {
            let args = [
                threads,
                "--segment-size",
                size,
                "-c",
                "pdf",
                "db",
                "objects",
                "short",
            ];
            ends(&args, &line(many));
            let args = [threads, "--segment-size", size, "box"];
            ends(
                &args,
                &line(&format!("box: 200 parts were not read: PDF; {reads}")),
            );
        }
    }
    ends(&["--json", "pdf"], &one);
    for args in [
        ["-q", "pdf"],
        ["--no-messages", "pdf"],
        ["-l", "pdf"],
        ["-m1", "pdf"],
    ] {
        ends(&args, "");
    }
    // Only messages that the filters select count.
    dir.run(["--from=bob", "pdf"]).is_none();
    dir.run(["--from=ann", "pdf"]).ends(1, "", &one);
    // A database is not text, however long it is and wherever it is.
    let rows = b"SQLite format 3\0\x10\0 http://row.example/ ".repeat(20_000);
    let index = "// <!-- <mdb:mork:z v=\"1.4\"/> -->\n< <(a=c)> http://x.example/ >\n";
    for bytes in [&rows[..80], &rows] {
        dir.write("databases/a.sqlite", bytes);
        dir.write("databases/b.msf", index);
        for threads in ["-j1", "-j2"] {
            let file = database("databases/a.sqlite");
            dir.run([threads, "databases"]).ends(1, "", &file);
            dir.pipe([threads, "-"], bytes)
                .ends(1, "", &database("<stdin>"));
            dir.run([threads, "--as=text", "-u", "databases/b.msf"])
                .is("http://x.example/\n");
        }
    }
    // The library's note is a row.
    let out = dir.run(["--json", "--notes", "db"]);
    assert!(
        out.text().contains("\"note\":\"unsearched-file\""),
        "{}",
        out.text()
    );
    assert!(
        out.text()
            .contains("\"reason\":\"SQLite database, not searched\"")
    );
    // A pipe is a file, too.
    dir.pipe(["-"], b"%PDF-1.4\n")
        .ends(1, "", &short.replace("short", "<stdin>"));
    dir.pipe(["--batch"], b"db\npdf\n")
        .ends(1, "\n\n", &(database("db") + &one));
    #[cfg(feature = "ledger")]
    {
        dir.run(["--ledger=l", "pdf", "db", "url"])
            .is("http://a.example/\n");
        // `script` runs a command on a terminal.
        let bin = env!("CARGO_BIN_EXE_urlgrep");
        let command = format!("{bin} --no-progress --ledger=m pdf db url");
        let mut script = std::process::Command::new("script");
        script.args(["-qec", &command, "/dev/null"]);
        let on_terminal = script
            .current_dir(dir.path())
            .env_remove("URLGREP_CONFIG_PATH")
            .stdin(Stdio::null())
            .output();
        if let Ok(out) = on_terminal {
            let text = String::from_utf8_lossy(&out.stdout).replace("\r\n", "\n");
            assert!(
                text.ends_with(&line(
                    "1 part and 1 file have text that was not read (--notes names them)"
                )),
                "{text}"
            );
        }
    }
}

#[test]
fn tabs_and_escapes_in_names() {
    let dir = Dir::with("a\nb\t\x1b[31m", "http://a.example/\n");
    dir.run(["-H", "."])
        .is("./a\\x0Ab\\x09\\x1B[31m:http://a.example/\n");
    dir.run(["-l0", "."]).is("./a\nb\t\x1b[31m\0");
}

/// A link that shows one host and targets another: the rows of both URLs have
/// `target` and `text`, for any options. Only the first 1,024 bytes of the text
/// are searched.
#[test]
fn links_whose_text_is_another_url() {
    let page = |before: &str| {
        format!(
            "From: a@b.example\nSubject: x\nContent-Type: text/html\n\n\
             <p>Sign in: <a href=\"http://evil.example/x\">{before} https://bank.example/login</a>"
        )
    };
    let style = "{form} {url} [{target}] [{text}] {cautions}";
    let dir = Dir::with("near", page(""));
    dir.write("far", page(&"word ".repeat(205)));
    let both = "[http://evil.example/x] [https://bank.example/login]";
    let link = format!("link http://evil.example/x {both} text-differs\n");
    let text = format!("bare https://bank.example/login {both} \n");
    for options in [&[][..], &["--rejects"], &["-j3", "--segment-size", "64"]] {
        let mut args = options.to_vec();
        args.extend(["--format", style, "near"]);
        if options == ["--rejects"] {
            dir.run(args).is_none();
        } else {
            dir.run(args).is(&format!("{link}{text}"));
        }
    }
    dir.run(["--form", "link", "--format", style, "near"])
        .is(&link);
    dir.run(["--form", "bare", "--format", style, "near"])
        .is(&text);
    dir.run(["--format", style, "far"])
        .is(&format!("link http://evil.example/x [] [] \n{text}"));
}

/// The rows of one header block do not fit in memory. They go through a
/// temporary file, or stay in memory if there is none.
#[test]
fn a_header_with_very_many_urls() {
    let dir = Dir::new();
    let header = |from: u32, to: u32| {
        let urls: String = (from..to)
            .map(|i| format!(" http://a.example/{i}"))
            .collect();
        format!("From a@b Thu Jan  1 00:00:00 1970\nX-Urls:{urls}\n\nhttp://b.example/\n\n")
    };
    dir.write("mbox", header(0, 9000) + &header(6000, 12_000));
    for (options, lines) in [
        ("--json", 15_002),
        ("--json -j1", 15_002),
        ("--json -u", 12_001),
        ("--json -m 10000", 10_000),
        ("--csv -u", 12_002),
        ("--json -u --sort date", 12_001),
    ] {
        let out = dir.shell(&format!("\"$U\" {options} mbox"));
        assert_eq!((out.code, out.errors.as_str()), (Some(0), ""), "{options}");
        assert_eq!(out.text().lines().count(), lines, "{options}");
        if !options.contains("sort") {
            let kept = dir.shell(&format!("TMPDIR=/none \"$U\" {options} mbox"));
            assert!(out == kept, "{options}: {}", kept.errors);
        }
    }
}
