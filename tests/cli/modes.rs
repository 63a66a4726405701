//! Output modes that print something other than URLs, and the exit status.

use super::kit::{Dir, TEXT};

/// Two files with hits and one without.
fn three() -> Dir {
    let dir = Dir::with("a", TEXT);
    dir.write("b", "none\n");
    dir.write("c", "http://c.example/\n");
    dir
}

#[test]
fn counts() {
    let dir = three();
    dir.run(["-c", "a"]).is("4\n");
    dir.run(["-cH", "a"]).is("a:4\n");
    dir.run(["-c", "a", "b", "c"]).is("a:4\nc:1\n");
    dir.run(["-c", "."]).is("./a:4\n./c:1\n");
    dir.run(["-cI", "a", "c"]).is("4\n1\n");
    dir.run(["-c0", "a", "c"]).is("a\x004\nc\x001\n");
    dir.run(["-c", "b"]).is_none();
    dir.pipe(["-c"], TEXT.as_bytes()).is("4\n");
}

#[test]
fn files() {
    let dir = three();
    dir.run(["-l", "a", "b", "c"]).is("a\nc\n");
    dir.run(["-l0", "a", "b", "c"]).is("a\0c\0");
    dir.run(["-l", "b"]).is_none();
    dir.run(["--files-without-match", "a", "b", "c"]).is("b\n");
    dir.run(["--files-without-match", "a"]).is_none();
    dir.run(["-l", "-e", "^ftp", "a", "b", "c"]).is("a\n");
    dir.pipe(["-l"], TEXT.as_bytes()).is("<stdin>\n");
}

#[test]
fn quiet() {
    let dir = three();
    dir.run(["-q", "a"]).is("");
    dir.run(["-q", "b"]).is_none();
    // A hit is success, even if something else failed.
    dir.run(["-q", "nowhere.t", "a"]).ends(0, "", "nowhere");
    dir.run(["-q", "nowhere.t", "b"]).fails("nowhere");
    dir.run(["-q", "--json", "a"]).is("");
}

#[test]
fn tally() {
    let dir = three();
    dir.run(["--tally", "."]).is(
        "2\thttp://a.example/1\n1\tftp://b.example/2\n1\thttp://c.example/\n1\tmailto:joe@c.example\n",
    );
    dir.run(["--tally", "b"]).is_none();
}

/// Values are quoted, not escaped, and in UTF-8.
#[test]
fn tables() {
    let dir = Dir::new();
    dir.write(
        "m",
        "From: =?utf-8?Q?J=C3=BCrgen?= <a@b.example>\nDate: Fri, 5 Jun 1998 10:00:00 +0000\n\
         Subject: a, \"b\"\n\nhttp://a.example/x\n",
    );
    let from = "J\u{fc}rgen <a@b.example>";
    dir.run(["--csv", "m"]).is(&format!(
        "date,from,subject,role,path,line,url\n\
         1998-06-05T10:00:00Z,{from},\"a, \"\"b\"\"\",body,m,5,http://a.example/x\n"
    ));
    dir.run(["--tsv", "--fields", "url,from,subject,column", "m"])
        .is(&format!(
            "url\tfrom\tsubject\tcolumn\nhttp://a.example/x\t{from}\t\"a, \"\"b\"\"\"\t1\n"
        ));
    dir.run(["--csv", "--fields", "url", "-e", "none", "m"])
        .ends(1, "url\n", "");
    dir.run(["--csv", "--fields", "nothing", "m"])
        .fails("--fields: no field `nothing`; --help lists the fields\n");
    dir.run(["--csv", "--fields", " url, line ,", "m"])
        .is("url,line\nhttp://a.example/x,5\n");
    assert_eq!(dir.run(["--csv", "--tsv", "m"]).code, Some(2));
    dir.run(["-q", "--csv", "m"]).is("");
}

/// A spreadsheet would run these values as formulas.
#[test]
fn tables_for_spreadsheets() {
    let dir = Dir::new();
    for (i, first) in ["=", "+", "-", "@", "=EF=BC=9D"].iter().enumerate() {
        dir.write(
            format!("{i}"),
            format!(
                "From: =?utf-8?Q?{first}cmd|' /C calc'!A0?=\nSubject: a=b\n\nhttp://a.example/\n"
            ),
        );
    }
    let rows = |options: &[&str]| {
        let options = options.iter().chain(&["--fields=from,subject,url", "."]);
        dir.run(options).text()
    };
    let values = ["=", "+", "-", "@", "\u{ff1d}"];
    let (faithful, excel) = (rows(&["--csv"]), rows(&["--csv=excel"]));
    assert_eq!(faithful, rows(&["--csv=rfc4180"]));
    for value in values {
        let value = format!("{value}cmd|' /C calc'!A0");
        let row = |value| format!("\n{value},a=b,http://a.example/\n");
        assert!(
            faithful.contains(&row(value.clone())),
            "{value:?}\n{faithful}"
        );
        assert!(
            excel.contains(&row(format!("'{value}"))),
            "{value:?}\n{excel}"
        );
    }
    // A table of one empty column has no blank lines.
    dir.run(["--csv", "--fields=date", "0"]).is("date\n\"\"\n");
}

#[test]
fn json() {
    let dir = three();
    let out = dir.run(["--json", "c"]).text();
    let row: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(row["url"], "http://c.example/");
    assert_eq!(row["path"], "c");
    assert_eq!(
        (row["line"].as_u64(), row["column"].as_u64()),
        (Some(1), Some(1))
    );
    assert_eq!(
        (row["offset"].as_u64(), row["end"].as_u64()),
        (Some(0), Some(17))
    );
    assert_eq!(dir.run(["--json", "a", "b", "c"]).text().lines().count(), 5);
}

/// A row of JSON with the fields that one wants, each with its value in the
/// whole row.
#[test]
fn json_with_some_fields() {
    let dir = Dir::new();
    dir.write(
        "m\u{e9}",
        b"From: a <a@b.example>\nMessage-ID: <1@b.example>\nSubject: a\xFF\nDate: Fri, 5 Jun 1998 10:00:00 +0000\n\
          \n> http://A.example:80/x?q=1 http://h_st^/\n",
    );
    let rows = |args: &[&str]| -> Vec<serde_json::Value> {
        let out = dir
            .run(args.iter().chain(&["--json", "--as=message", "."]))
            .text();
        out.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    let whole = rows(&[]);
    let names: Vec<&String> = whole[0].as_object().unwrap().keys().collect();
    for name in names {
        if !name.ends_with("_bytes") {
            if name == "count" {
                continue; // Only a ledger has it.
            }
            let row = &rows(&["--fields", name])[0];
            assert_eq!(row[name], whole[0][name], "{name}");
            let bytes = format!("{name}_bytes");
            let has_bytes = whole[0].get(&bytes).is_some_and(|bytes| !bytes.is_null());
            assert_eq!(row.as_object().unwrap().len(), 1 + usize::from(has_bytes));
            assert!(!has_bytes || row[&bytes] == whole[0][&bytes], "{name}");
        }
    }
    let text = |args: &[&str]| dir.run(args.iter().chain(&["--json", "."])).text();
    assert_eq!(
        text(&["--fields=url,date,host,mid,year"]),
        "{\"url\":\"http://A.example:80/x?q=1\",\"date\":\"1998-06-05T10:00:00Z\",\
         \"host\":\"a.example\",\"mid\":\"1@b.example\",\"year\":\"1998\"}\n"
    );
    assert_eq!(
        text(&["--fields=port,user"]),
        "{\"port\":80,\"user\":null}\n"
    );
    assert_eq!(
        dir.run(["--json", "--rejects=both", "--fields=type,rule", "."])
            .text(),
        "{\"type\":\"hit\",\"rule\":null}\n{\"type\":\"reject\",\"rule\":\"reg-name\"}\n"
    );
    // The end of an answer can be told from a hit.
    let out = dir.pipe(
        ["--batch", "--json", "--fields=url"],
        "m\u{e9}\n".as_bytes(),
    );
    let lines: Vec<String> = out.text().lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "{\"url\":\"http://A.example:80/x?q=1\"}");
    assert!(lines.len() == 2 && lines[1].starts_with("{\"v\":2,\"type\":\"end\","));
}

#[test]
fn rejects() {
    let dir = Dir::with("t", "http://ok.example/ http://h_st/a\n");
    let strict = |args: &[&str]| dir.run(["--profile", "rfc1738"].iter().chain(args).chain(&["t"]));
    strict(&[]).is("http://ok.example/\n");
    strict(&["--rejects"]).is("http://h_st/a\trfc1738 hostname, byte 8: `_`\n");
    strict(&["--rejects", "--scheme", "ftp"]).is_none();
    let both = strict(&["--json", "--rejects=both"]).text();
    let rows: Vec<serde_json::Value> = both
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(
        (&rows[0]["type"], &rows[1]["type"]),
        (&"hit".into(), &"reject".into())
    );
    assert_eq!(strict(&["--rejects=both"]).code, Some(2));
}

#[test]
fn templates() {
    let dir = three();
    dir.run(["--format", "{url} {path}:{line}:{column}", "-m1", "a"])
        .is("http://a.example/1 a:1:5\n");
    dir.run(["--format", "{nothing}", "a"]).fails("--format");
    for template in ["%u", "x\\n", "{{url}}", "url", ""] {
        dir.run(["--format", template, "a"]).fails(&format!(
            "--format: `{template}` has no field; a field is in braces: {{url}}\n"
        ));
    }
    dir.run(["--format", "100% {line} %u", "-m1", "a"])
        .is("100% 1 %u\n");
}

#[test]
fn cautions() {
    let text = "http://a.example/ http://0xC0000263/ http://u:p@xn--bcher-kva.example:25/\n";
    let dir = Dir::with("a", text);
    let rows = "http://0xC0000263/\tip-number\t192.0.2.99\t\n\
                http://u:p@xn--bcher-kva.example:25/\tpassword,low-port,punycode\tb\u{fc}cher.example\t\n";
    dir.run(["--cautions", "a"]).is(rows);
    dir.run(["--cautions", "-e", "//a.example", "a"]).is_none();
    // One of them, or several.
    let number = rows.split_inclusive('\n').next().unwrap();
    dir.run(["--cautions=ip-number", "a"]).is(number);
    dir.run(["--cautions=punycode,ip-number", "a"]).is(rows);
    dir.run(["--cautions=ip-number", "--cautions=user", "-c", "a"])
        .is("1\n");
    dir.run(["--cautions=phishing", "a"])
        .fails("--cautions phishing: there is no such caution");
    // It is a filter of every other output.
    dir.run(["--cautions", "-Hn", "--column", "-b", "-m1", "a"])
        .is("a:1:19:18:http://0xC0000263/\tip-number\t192.0.2.99\t\n");
    dir.run(["--cautions", "-c", "a"]).is("2\n");
    dir.run(["--cautions", "-l", "a"]).is("a\n");
    dir.run(["--cautions", "--tally=host", "a"])
        .is("1\t0xc0000263\n1\txn--bcher-kva.example\n");
    dir.run(["--cautions", "--csv", "--fields", "host_meaning", "a"])
        .is("host_meaning\n192.0.2.99\nb\u{fc}cher.example\n");
    // The columns of a table, and those of the rows above.
    dir.run(["--cautions", "--tsv", "-m1", "a"]).is(
        "date\tfrom\tsubject\trole\tpath\tline\turl\tcautions\thost_meaning\ttext\n\
         \t\t\t\ta\t1\thttp://0xC0000263/\tip-number\t192.0.2.99\t\n",
    );
    dir.run(["--cautions", "--format", "{line} {host}", "-m1", "a"])
        .is("1 0xc0000263\n");
    let link = "<html><a href=http://a.example/>paypal.com</a> <a href=http://b.example/>x</a>";
    dir.pipe(["--cautions", "-"], link.as_bytes())
        .is("http://a.example/\ttext-differs\t\thttp://paypal.com\n");
    dir.run(["--cautions", "-C1", "a"])
        .fails("'--cautions[=<NAMES>]' cannot be used with '--context <NUM>'");
}

#[test]
fn explain() {
    let out = three().run(["--explain", "c"]).text();
    assert!(
        out.starts_with("http://c.example/\n") && out.contains("rfc1738"),
        "{out}"
    );
}

#[test]
fn check() {
    let dir = Dir::new();
    let lines = b"http://a.example/\r\nhttp://h_st/\n\n\xFF\thttp://b/\\\nhttp://c.example/";
    dir.pipe(["--check", "--profile", "rfc1738"], lines).ends(
        1,
        "valid\thttp://a.example/\ninvalid\thttp://h_st/\trfc1738 hostname, byte 8: `_`\n\
         \n\
         invalid\t\\xFF\\x09http://b/\\\\\trfc1738 scheme, byte 0: 0xFF\nvalid\thttp://c.example/\n",
        "",
    );
    dir.pipe(["--check"], b"http://a.example/\n")
        .is("valid\thttp://a.example/\n");
    dir.pipe(["--check"], b"").is("");
    dir.pipe(["--check"], b"\nhttp://a.example/\n \r\n")
        .is("\nvalid\thttp://a.example/\n\n");
    dir.pipe(["--check"], b"a.example/x\n").ends(
        1,
        "invalid\ta.example/x\tiri scheme, byte 9: `/`, no scheme such as `https:`\n",
        "",
    );
    dir.write("t", "http://a.example/\nftp://");
    dir.run(["--check", "http://a.example/"])
        .fails("(--check reads URLs from files and standard input: echo URL | urlgrep --check)\n");
    let out = dir.run(["--check", "t", "nowhere"]);
    assert_eq!((out.code, out.text().lines().count()), (Some(2), 2));
}

#[test]
fn a_line_too_long_is_refused_without_reading_it() {
    let long = format!(
        "http://a.example/{}\nhttp://b.example/\n",
        "x".repeat(200_000)
    );
    let out = Dir::new().pipe(["--check", "--segment-size", "1000"], long.as_bytes());
    let text = out.text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!((out.code, lines.len()), (Some(1), 2));
    assert!(lines[0].starts_with("invalid\thttp://a.example/xxx") && lines[0].len() < 70_000);
    assert_eq!(lines[1], "valid\thttp://b.example/");
}

#[test]
fn verify() {
    let dir = three();
    let records = dir.run(["--json", "a", "c"]);
    dir.pipe(["--verify"], &records.bytes).ends(
        0,
        "",
        "5 replayed, 0 in decoded text, 0 in compressed files, 0 wrong, 0 not read",
    );
    let wrong = records
        .text()
        .replace("ftp://b.example/2\"", "ftp://b.example/3\"");
    let out = dir.pipe(["--verify"], wrong.as_bytes());
    assert_eq!(out.code, Some(1));
    assert!(
        out.text().starts_with("wrong\ta\tftp://b.example/3\t"),
        "{}",
        out.text()
    );
    dir.write("a", "changed since");
    assert_eq!(dir.pipe(["--verify"], &records.bytes).code, Some(1));
    std::fs::remove_file(dir.path().join("a")).unwrap();
    dir.pipe(["--verify"], &records.bytes)
        .ends(2, "", "a: No such file");
    assert_eq!(dir.pipe(["--verify"], b"{}\n").code, Some(1));
}

#[test]
fn modes_exclude_each_other() {
    let dir = three();
    for modes in [
        ["--explain", "--tally"],
        ["--check", "--tally"],
        ["--fields=url", "--tally"],
        ["--fields=url", "-c"],
        ["--fields=url", "--explain"],
        ["--fields=url", "--format={url}"],
        ["--fields=url", "-n"],
        ["--fields=url", "-C0"],
        ["-c", "--files-without-match"],
        ["--check", "--explain"],
        ["--check", "-q"],
        // These modes read lines. They neither search nor decode.
        ["--check", "--no-join"],
        ["--check", "--no-decode"],
        ["--check", "--as=text"],
        ["--check", "--from=x"],
        ["--verify", "--role=body"],
        ["--verify", "--headers=all"],
        ["--verify", "--since=1990-01-01"],
    ] {
        let out = dir.run(modes.iter().chain(&["a"]));
        assert_eq!(out.code, Some(2), "{modes:?}");
        assert!(out.errors.contains("cannot be used with"), "{}", out.errors);
    }
    // Options that have a default do not conflict.
    assert_eq!(dir.pipe(["--check"], b"http://a.example/\n").code, Some(0));
}

#[test]
fn options_that_need_others() {
    let dir = three();
    for (options, why) in [
        (
            &["--sort=first-seen"][..],
            "--sort first-seen needs --ledger\n",
        ),
        (&["-w"], "-w needs -e, -f, --from, --to, "),
        (
            &["--sort=date", "--heading"],
            "--sort date cannot be used with --heading\n",
        ),
        (
            &["--as=text", "--authored"],
            "--as text cannot be used with --authored\n",
        ),
        (
            &["--authored", "--role=header,footer"],
            "leaves out every role of --role header,footer\n",
        ),
    ] {
        dir.run(options.iter().chain(&["a"])).fails(why);
    }
    dir.run(["--fields=scheme", "--csv", "-m1", "a"])
        .is("scheme\nhttp\n");
    // Without another form of output, --fields means --tsv.
    dir.run(["--fields=scheme,url", "-m1", "a"])
        .is("scheme\turl\nhttp\thttp://a.example/1\n");
}

#[test]
fn help_and_version() {
    let dir = Dir::new();
    let out = dir.run(["--version"]);
    assert_eq!(out.code, Some(0));
    assert_eq!(
        out.text(),
        concat!("urlgrep ", env!("CARGO_PKG_VERSION"), "\n")
    );
    for flag in ["-h", "--help"] {
        let out = dir.run([flag]);
        assert_eq!(out.code, Some(0));
        assert!(out.text().contains("Usage: urlgrep [OPTIONS] [PATH]...") && out.errors.is_empty());
        assert!(!out.text().contains("segment-size"));
    }
    let out = dir.run(["--no-such-option"]);
    assert_eq!((out.code, out.text().as_str()), (Some(2), ""));
}

/// A URL in a compressed file has no offset in the file. `--verify` counts it, and
/// does not report it as wrong.
#[test]
fn verify_leaves_compressed_files_alone() {
    let dir = three();
    assert_eq!(dir.shell("gzip a && tar cf t.tar c").code, Some(0));
    let records = dir.run(["--json", "a.gz", "t.tar"]);
    dir.pipe(["--verify"], &records.bytes).ends(
        0,
        "",
        "0 replayed, 0 in decoded text, 5 in compressed files, 0 wrong, 0 not read",
    );
}

/// A hit after a rule line is kept until its role is known. With `--json` it is
/// kept until its message ends. A run that stops at the first hit must not leave
/// a kept hit to the next file.
#[test]
fn kept_hits_belong_to_their_file() {
    let dir = Dir::new();
    let rule = "_".repeat(22);
    let head = "From: a@b\nTo: c@d\nSubject: s\n\n";
    let two = format!("{head}{rule}\nhttp://one.example/\nhttp://two.example/\n");
    for (name, text) in [("1", &two), ("2", &format!("{head}none\n")), ("3", &two)] {
        dir.write(name, text);
    }
    for threads in ["-j1", "-j2"] {
        dir.run([threads, "-l", "1", "2", "3"]).is("1\n3\n");
        dir.run([threads, "--files-without-match", "1", "2", "3"])
            .is("2\n");
        dir.run([threads, "-H", "-m1", "1", "2", "3"])
            .is("1:http://one.example/\n3:http://one.example/\n");
        let records = dir.run([threads, "--json", "-m1", "1", "2", "3"]);
        assert_eq!(records.text().matches("\"type\":\"hit\"").count(), 2);
        dir.pipe(["--verify"], &records.bytes).ends(
            0,
            "",
            "2 replayed, 0 in decoded text, 0 in compressed files, 0 wrong, 0 not read",
        );
    }
}

/// A page that a browser saved with its images is a message with parts. Its
/// content shows that, for any file name.
#[test]
fn pages_that_a_browser_saved() {
    let page = "From: <Saved by Blink>\r\nSnapshot-Content-Location: http://a.example/?a&b\r\n\
        Subject: =?utf-8?Q?x?=\r\nDate: Mon, 3 Jun 2019 10:12:41 -0000\r\nMIME-Version: 1.0\r\n\
        Content-Type: multipart/related;\r\n\ttype=\"text/html\";\r\n\tboundary=\"----b\"\r\n\r\n\r\n\
        ------b\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\
        Content-Location: http://a.example/?a&b\r\n\r\n\
        <a href=3D\"http://b.example/?c=3D1&amp;=\r\nd=3D2\">x</a>\r\n------b--\r\n";
    let dir = Dir::with("page.mht", page);
    dir.write("page", page);
    for name in ["page.mht", "page"] {
        let style = "{read_as} {role} {url}";
        let out = dir.run(["--format", style, name]).text();
        assert!(
            out.ends_with("message body http://b.example/?c=1&d=2\n"),
            "{out}"
        );
        dir.run(["--as", "text", "--host", "b.example", "-c", name])
            .is("1\n");
    }
}
