//! Filters: which hits are printed.

use super::kit::{Dir, TEXT};

const A: &str = "http://a.example/1\n";
const B: &str = "ftp://b.example/2\n";
const C: &str = "mailto:joe@c.example\n";

#[test]
fn patterns() {
    let dir = Dir::with("t", TEXT);
    dir.run(["-e", "^ftp", "t"]).is(B);
    dir.run(["-e", "^ftp", "-e", "joe", "t"])
        .is(&format!("{B}{C}"));
    dir.run(["-e", "JOE", "t"]).is_none();
    dir.run(["-ie", "JOE", "t"]).is(C);
    dir.run(["-ve", "a.example", "t"]).is(&format!("{B}{C}"));
    dir.run(["-Fe", ".e", "-m1", "t"]).is(A);
    dir.run(["-Fe", "a.ex.mple", "t"]).is_none();
    dir.run(["-Fie", "A.EX", "-m1", "t"]).is(A);
    dir.run(["-e", "-x", "-e", "ftp", "t"]).is(B);
    dir.run(["-e", "(", "t"]).fails("pattern");
}

#[test]
fn patterns_from_files() {
    let dir = Dir::with("t", TEXT);
    dir.write("p", "^ftp\njoe\n");
    dir.write("none", "");
    dir.run(["-f", "p", "t"]).is(&format!("{B}{C}"));
    dir.run(["-f", "none", "t"])
        .ends(1, "", "none has no pattern, so nothing can match\n");
    dir.pipe(["-f", "-", "t"], b"^ftp\n").is(B);
    dir.write("blank", "^ftp\n\n");
    let warning = "urlgrep: warning: line 2 of blank, which is empty, matches every URL\n";
    dir.run(["-f", "blank", "-m1", "t"]).ends(0, A, warning);
    dir.run(["-f", "blank", "-s", "-m1", "t"]).is(A);
    let warning = "urlgrep: warning: -e '' matches every URL\n";
    dir.run(["-e", "", "-m1", "t"]).ends(0, A, warning);
    dir.run(["-x", "-e", "", "t"]).is_none();
    dir.run(["-f", "nowhere", "t"]).fails("nowhere");
    dir.pipe(["-f", "-", "-"], b"x").fails("once");
}

/// Patterns that begin with other patterns took quadratic time: 40,000 took 12
/// s and more of processor time in this build.
#[test]
fn a_file_of_patterns_that_are_prefixes() {
    let dir = Dir::with("t", "http://a.example/x7 http://a.example/x0\n");
    let patterns: String = (1..40_000).map(|i| format!("x{i}\n")).collect();
    dir.write("p", patterns);
    for options in ["-F", "-Fi", "-Fw", ""] {
        let out = dir.shell(&format!("ulimit -t 5; \"$U\" {options} -f p t"));
        out.is("http://a.example/x7\n");
    }
}

/// Strings that were compiled as one expression took a second for each 20,000
/// strings. A million strings exceeded the size limit.
#[test]
fn a_file_of_many_plain_strings() {
    let strings: String = (0..20_000).map(|i| format!("/pat{i}x\n")).collect();
    let dir = Dir::with("p", strings);
    let text = b"http://a.example/pat19999x http://a.example/pat19999 http://a.example/PAT1X\n";
    dir.pipe(["-F", "-f", "p"], text)
        .is("http://a.example/pat19999x\n");
    dir.pipe(["-Fi", "-f", "p"], text)
        .is("http://a.example/pat19999x\nhttp://a.example/PAT1X\n");
    dir.pipe(["-Fv", "-f", "p"], text)
        .is("http://a.example/pat19999\nhttp://a.example/PAT1X\n");
}

#[test]
fn schemes() {
    let dir = Dir::with("t", TEXT);
    dir.run(["--scheme", "FTP", "t"]).is(B);
    dir.run(["--scheme", "ftp,mailto", "t"])
        .is(&format!("{B}{C}"));
    dir.run(["--scheme", "ftp", "--scheme", "mailto:", "t"])
        .is(&format!("{B}{C}"));
    dir.run(["--scheme", "gopher", "t"]).is_none();
}

#[test]
fn hosts() {
    let dir = Dir::with(
        "t",
        "http://www.A.example/ http://a.example/ http://aa.example/ http://x.org:80/ mailto:x@a.example\n",
    );
    dir.run(["--host", "a.EXAMPLE", "t"])
        .is("http://www.A.example/\nhttp://a.example/\n");
    dir.run(["--host", "a?.*", "--host", "x.org", "t"])
        .is("http://aa.example/\nhttp://x.org:80/\n");
    dir.run(["--host", "[", "t"]).fails("--host");
    dir.run(["--exclude-host", "a.example", "t"])
        .is("http://aa.example/\nhttp://x.org:80/\nmailto:x@a.example\n");
    dir.run(["--host", "*.example", "--exclude-host", "aa.*", "t"])
        .is("http://www.A.example/\nhttp://a.example/\n");
    dir.run(["--exclude-scheme", "http", "t"])
        .is("mailto:x@a.example\n");
}

/// A scheme that looks misspelt is not reported if a hit has it.
#[test]
fn misspelt_schemes() {
    let dir = Dir::with("t", "http://a.example/ httpd://b.example/\n");
    let (a, b) = ("http://a.example/\n", "httpd://b.example/\n");
    dir.run(["--scheme", "httpd", "t"]).is(b);
    dir.run(["--exclude-scheme", "httpd", "t"]).is(a);
    let none = "--scheme htp: no such URL was found; did you mean http?\n";
    dir.run(["--scheme", "htp", "t"]).fails(none);
    dir.run(["--scheme", "htp,httpd", "t"]).ends(0, b, none);
    dir.run(["--scheme", "htp,httpd", "-m1", "t"]).is(b);
    dir.run(["--exclude-scheme", "htp", "t"])
        .ends(0, &format!("{a}{b}"), "did you mean http?");
    dir.run(["--scheme", "htp", "--no-messages", "t"]).fails("");
}

/// `-v` inverts all URL filters together, not only the pattern.
#[test]
fn inverted() {
    let dir = Dir::with("t", TEXT);
    dir.run(["-v", "--host", "a.example", "t"])
        .is(&format!("{B}{C}"));
    dir.run(["-v", "--scheme", "http", "-e", "joe", "t"])
        .is(&format!("{A}{B}{C}{A}"));
    dir.run(["-v", "--exclude-scheme", "ftp", "t"]).is(B);
    dir.run(["-v", "-e", "http", "-e", "joe", "t"]).is(B);
    dir.run(["-v", "t"])
        .fails("-v needs -e, -f, --scheme, --exclude-scheme, --host or --exclude-host");
}

#[test]
fn case_words_and_whole_urls() {
    let dir = Dir::with(
        "t",
        "HTTP://A.Example/Path http://b.example/path-a http://b.example/a\n",
    );
    let (a, b, c) = (
        "HTTP://A.Example/Path\n",
        "http://b.example/path-a\n",
        "http://b.example/a\n",
    );
    dir.run(["-e", "http://a.example/Path", "t"]).is(a);
    dir.run(["-e", "http://a.example/path", "t"]).is_none();
    dir.run(["-F", "-e", "a.example/P", "t"]).is(a);
    dir.run(["-S", "-e", "path", "t"]).is(&format!("{a}{b}"));
    dir.run(["-S", "-e", "Path", "t"]).is(a);
    dir.run(["-iS", "-e", "PATH", "t"]).is_none();
    dir.run(["-Si", "-e", "PATH", "t"]).is(&format!("{a}{b}"));
    dir.run(["-w", "-e", "a", "t"]).is(&format!("{a}{b}{c}"));
    dir.run(["-w", "-e", "pat", "t"]).is_none();
    dir.run(["-x", "-e", "http://b.*", "t"])
        .is(&format!("{b}{c}"));
    dir.run(["-xF", "-e", "http://b.example/a", "-e", "/a", "t"])
        .is(c);
}

#[test]
fn filters_that_match_nothing_are_reported() {
    let dir = Dir::with("t", TEXT);
    for (args, why) in [
        (&["--scheme", "htp"][..], "did you mean http?"),
        (&["--scheme", "htp", "-q", "-j1"], "did you mean http?"),
        (&["--scheme", "http/"], ""),
        (&["--host", "https://x.example/"], "use --host x.example"),
        (&["--host", "www.x.example/"], "use --host www.x.example"),
        (&["--host", "!x.example"], "use --exclude-host x.example"),
        (
            &["--scheme", "ftp", "--exclude-scheme", "ftp"],
            "excludes every scheme",
        ),
        (
            &["--since", "1998", "--until", "1998-01"],
            "--since must be earlier than --until",
        ),
        (&["--since", "soon"], "not a date"),
        (&["-r"], ""),
        (&["-R"], ""),
        (&["-rn"], ""),
        (&["-E"], ""),
        (&["-P"], "use -e"),
    ] {
        let out = dir.run(args.iter().chain(&["t"]));
        if why.is_empty() {
            assert_eq!(out.code, Some(0), "{args:?}");
        } else {
            out.fails(why);
        }
    }
    let part = "warning: `--host a` is that host and its subdomains; `--host '*a*'` are all";
    dir.run(["--host", "a", "t"]).ends(1, "", part);
    dir.run(["--host", "example", "-m1", "t"]).is(A);
    dir.run(["--host", "a.example.org", "t"]).is_none();
    let none = "warning: no messages were found";
    for option in ["--from", "--subject", "--group", "--since"] {
        dir.run([option, "1998", "t"]).ends(1, "", none);
        dir.run([option, "1998", "--no-messages", "t"]).is_none();
    }
    dir.write("m", "From: a@b.example\nSubject: c\n\nhttp://a.example/1\n");
    dir.run(["--group", "c", "m"])
        .ends(1, "", "1 of 1 messages name no newsgroup or list");
    dir.run(["--from", "c", "m"]).is_none();
    dir.run(["--to", "c", "m"])
        .ends(1, "", "warning: no message has To, Cc or Bcc");
    dir.write(
        "to",
        "From: a@b.example\nTo: b@b.example\nSubject: d\n\nhttp://a.example/1\n",
    );
    dir.run(["--to", "c", "m", "to"]).is_none();
    // An archive of pipermail has neither field.
    dir.write(
        "n",
        "From: a@b.example\nNewsgroups: a.b\n\nhttp://a.example/1\n",
    );
    dir.run(["--group", "c", "m", "n"])
        .ends(1, "", "1 of 2 messages name no newsgroup or list");
    dir.run(["--group", "a.b", "m", "n"]).is(A);
    dir.run(["--group", "c.d", "n"]).is_none();
}

#[test]
fn dates_and_groups() {
    let dir = Dir::new();
    let mail = |year: u32, field: &str| {
        format!(
            "From: a@b.example\nDate: Fri, 5 Jun {year} 10:00:00 +0000\n{field}\n\nhttp://a.example/{year}\n"
        )
    };
    dir.write(
        "1",
        mail(1998, "List-Id: Alsa <alsa-devel.alsa-project.org>"),
    );
    dir.write("2", mail(1999, "Newsgroups: comp.lang.lisp,alt.x"));
    let (one, two) = ("http://a.example/1998\n", "http://a.example/1999\n");
    dir.run(["--since", "1999", "."]).is(two);
    dir.run(["--since", "1998-07", "."]).is(two);
    dir.run(["--since", "1998", "--until", "1999", "."]).is(one);
    for same in ["1998", "1998-06", "1998-06-05", "5 June 1998"] {
        dir.run(["--since", same, "--until", same, "."]).is(one);
    }
    dir.run(["--since", "1998-06-04", "--until", "1998-06-04", "."])
        .is_none();
    dir.run(["--since", "2 weeks", "."]).is_none();
    dir.run(["--until", "2 weeks ago", "."])
        .is(&format!("{one}{two}"));
    dir.run(["--group", "alsa-devel", "."]).is(one);
    dir.run(["--group", "comp.lang", "."]).is(two);
    dir.run(["--group", "alt.x", "."]).is(two);
    dir.run(["--group", "*lisp", "."]).is(two);
    dir.run(["--group", "lisp", "."]).ends(
        1,
        "",
        "warning: `--group lisp` are names that begin with it",
    );
}

/// A filter takes several values: repeated, and for names also as a list.
#[test]
fn filters_of_several_values() {
    let dir = Dir::new();
    let mail = |name: &str, group: &str, body: &str| {
        dir.write(
            name,
            format!("From: {name}@x.example\nSubject: s{name}\nNewsgroups: {group}\n\n{body}\n"),
        );
    };
    mail("1", "comp.a", "http://a.example/");
    mail("2", "comp.b", "> ftp://b.example/");
    mail(
        "3",
        "comp.c",
        "<gopher://c.example/>\n-- \n\"https://d.example/\"",
    );
    let rows = [
        ("--scheme", "http", "ftp", "ab"),
        ("--exclude-scheme", "http", "ftp", "cd"),
        ("--host", "a.example", "{b,c}.example", "abc"),
        ("--exclude-host", "a.example", "[b,x].example", "cd"),
        ("--form", "bracketed", "quoted", "cd"),
        ("--role", "quoted", "signature", "bd"),
        ("--group", "comp.a", "*.{b,x}", "ab"),
        ("-e", "^http", "c.ex", "acd"),
        ("--from", "^1", "^2", "ab"),
        ("--subject", "s1", "s[2]", "ab"),
    ];
    for (option, one, other, expected) in rows {
        let is = |args: &[&str]| {
            let out = dir.run(args.iter().chain(&["."])).text();
            let hosts: String = out.lines().map(|url| &url[url.len() - 10..][..1]).collect();
            assert_eq!(hosts, expected, "{args:?}");
        };
        is(&[option, one, option, other]);
        is(&[option, other, option, one]);
        if !["-e", "--from", "--subject"].contains(&option) {
            is(&[option, &format!("{one},{other}")]);
        }
    }
    // `--help` promises lists for exactly these.
    let help = dir.run(["--help"]).text();
    let entries = help.split("\n      --").skip(1);
    let lists = entries
        .filter(|entry| entry.contains("may be a list") || entry.contains("a\n          list"));
    let lists: Vec<_> = lists
        .map(|entry| entry.split(' ').next().unwrap())
        .collect();
    let expected = [
        "scheme",
        "exclude-scheme",
        "host",
        "exclude-host",
        "form",
        "role",
        "group",
    ];
    assert_eq!(lists, expected);
    for option in ["--host", "--exclude-host", "--group", "--scheme"] {
        dir.run([option, "a.example,", "."]).fails(option);
    }
}

#[test]
fn forms() {
    let dir = Dir::with(
        "t",
        "<URL:http://a/> <http://b/> \"http://c/\" URL: http://d/ http://e/\n",
    );
    for (form, host) in [
        ("wrapped", "a"),
        ("bracketed", "b"),
        ("quoted", "c"),
        ("prefixed", "d"),
        ("bare", "e"),
    ] {
        dir.run(["--form", form, "t"])
            .is(&format!("http://{host}/\n"));
    }
    dir.run(["--form", "wrapped,bare", "t"])
        .is("http://a/\nhttp://e/\n");
    assert_eq!(dir.run(["--form", "other", "t"]).code, Some(2));
}

/// Hosts without a scheme are found if the option is set, in mail too.
#[test]
fn www() {
    let dir = Dir::with("t", "www.a.example/x joe@www.b.example http://c.example/\n");
    let (a, c) = ("http://www.a.example/x\n", "http://c.example/\n");
    dir.run(["t"]).is(c);
    dir.run(["--www", "t"]).is(&format!("{a}{c}"));
    dir.run(["--www", "--form", "bare", "t"])
        .is(&format!("{a}{c}"));
    dir.run(["--form", "suffix", "t"]).is(a);
    let json = dir.run(["--form", "suffix", "--json", "t"]).text();
    dir.pipe(["--verify", "-"], json.as_bytes());
    let mail = "From: a@b.example\nTo: c@d.example\nSubject: www.s.example now\n\
        Content-Transfer-Encoding: quoted-printable\n\nat www=2Eq.example/a=\nb, ftp.f.example\n";
    dir.write("m.eml", mail);
    dir.run(["--www", "m.eml"])
        .is("http://www.s.example\nhttp://www.q.example/ab\nftp://ftp.f.example\n");
    dir.run(["m.eml"]).is_none();
}

/// A filter prints only hits that are printed without it too. A link whose text
/// is its own URL is one hit, with the form `link`.
#[test]
fn forms_of_links() {
    let dir = Dir::new();
    let mail = "From: a@b.example\nTo: c@d.example\nSubject: x\nMIME-Version: 1.0\n\
        Date: Thu, 1 Jan 1998 00:00:00 +0000\nContent-Type: text/html\n\n\
        <a href=\"http://a.example/\">http://a.example/</a> http://b.example/\n";
    dir.write("m.eml", mail);
    let (a, b) = ("http://a.example/\n", "http://b.example/\n");
    dir.run(["m.eml"]).is(&format!("{a}{b}"));
    dir.run(["--form", "link", "m.eml"]).is(a);
    dir.run(["--form", "bare", "m.eml"]).is(b);
}

#[test]
fn max_count() {
    let dir = Dir::with("a", TEXT);
    dir.write("b", TEXT);
    dir.run(["-m1", "a", "b"]).is(&A.repeat(2));
    dir.run(["-m", "2", "-c", "a", "b"]).is("a:2\nb:2\n");
    dir.run(["-m0", "a"]).is_none();
    dir.run(["-m3", "-u", "a", "b"]).is(&format!("{A}{B}{C}"));
    // Duplicates that are dropped do not count for `-m`.
    let dir = Dir::with("t", "http://a/ http://a/ http://a/ http://b/ http://c/\n");
    dir.run(["-um2", "t"]).is("http://a/\nhttp://b/\n");
}

#[test]
fn each_url_once() {
    let dir = Dir::with(
        "t",
        "HTTP://A.example:80/%7ea http://a.example/%7Ea http://a.example/%2F http://a.example//\n",
    );
    dir.run(["-u", "t"])
        .is("HTTP://A.example:80/%7ea\nhttp://a.example/%2F\nhttp://a.example//\n");
    dir.run(["-uc", "t"]).is("3\n");
}

#[test]
fn how_urls_are_read() {
    let dir = Dir::with("t", "<URL:http://a.example/x-\ny> <URL:http://h_st/a b>\n");
    dir.run(["--scheme=http", "-e", "a.ex", "t"])
        .is("http://a.example/x-y\n");
    dir.run(["--hyphen", "drop", "-e", "a.ex", "t"])
        .is("http://a.example/xy\n");
    dir.run(["--hyphen", "both", "-e", "a.ex", "t"])
        .is("http://a.example/x-y\nhttp://a.example/xy\n");
    dir.run(["--no-doubtful", "t"]).is("http://a.example/x-y\n");
    dir.run(["--profile", "rfc1738", "t"])
        .is("http://a.example/x-y\n");
    assert_eq!(dir.run(["--profile", "rfc9999", "t"]).code, Some(2));
    let dir = Dir::with(
        "t",
        "the list is at ftp://ftp.example.org/pub/docs/languages/pgp-lang.italian.t\nar.gz\n",
    );
    let whole = "ftp://ftp.example.org/pub/docs/languages/pgp-lang.italian.tar.gz\n";
    dir.run(["t"]).is(whole);
    dir.run(["--no-join", "t"])
        .is("ftp://ftp.example.org/pub/docs/languages/pgp-lang.italian.t\n");
    // The first line alone has no doubt.
    dir.run(["--no-doubtful", "--format", "{url} {continues}", "t"])
        .is("ftp://ftp.example.org/pub/docs/languages/pgp-lang.italian.t true\n");
}

/// `--refang` reads what was meant, in fields, bodies, encoded parts and strings of JSON alike.
#[test]
fn defanged_urls_are_read_on_request() {
    let dir = Dir::with(
        "m",
        "Subject: see hxxp[:]//s[.]example/a\nFrom: a@b\n\n> http[:]//a[.]example/b or \
         http://c.example/d\n",
    );
    dir.run(["m"]).is("http://c.example/d\n");
    dir.run(["--refang", "m"])
        .is("http://s.example/a\nhttp://a.example/b\nhttp://c.example/d\n");
    dir.run(["--refang", "--no-doubtful", "m"])
        .is("http://c.example/d\n");
    dir.write("j.json", "{\"text\": \"http[:]//a[.]example\\/b\"}");
    dir.run(["--refang", "j.json"]).is("http://a.example/b\n");
    dir.write(
        "q",
        "Subject: x\nFrom: a@b\nMIME-Version: 1.0\nContent-Type: text/html\n\
         Content-Transfer-Encoding: quoted-printable\n\n<p>hxxp://a&#91;.&#93;example/=\nb</p>\n",
    );
    dir.run(["--refang", "q"]).is("http://a.example/b\n");
    for input in ["m", "j.json", "q"] {
        let rows = dir.run(["--refang", "--json", input]).bytes;
        dir.write("rows", &rows);
        assert_eq!(dir.run(["--verify", "rows"]).code, Some(0), "{input}");
    }
}

/// Files that are read without decoding have no messages.
#[test]
fn filters_of_messages_need_messages() {
    let dir = Dir::with("m", "Subject: PGP\nFrom: a@b\n\nhttp://a.example/\n");
    for asked in [
        &["--since", "1996-01-01"][..],
        &["--subject", "PGP"],
        &["--role", "body"],
        &["--authored"],
        &["--unique-per-message"],
    ] {
        for (read, why) in [
            (&["--no-decode"][..], "--no-decode"),
            (&["--as", "text"], "--as text"),
        ] {
            let out = dir.run(asked.iter().chain(read).chain(&["m"]));
            assert!(out.errors.contains("cannot be used with"), "{}", out.errors);
            out.fails(why);
        }
    }
    dir.run(["--subject", "pgp", "m"]).is("http://a.example/\n");
    dir.run(["--subject", "P.P", "m"]).is("http://a.example/\n");
    dir.run(["-F", "--subject", "P.P", "m"]).is_none();
}

/// Case, the form of accents and ` at ` mean nothing in names and subjects.
#[test]
fn people_and_subjects() {
    let dir = Dir::new();
    dir.write(
        "box",
        "From a@b Mon Jan  1 00:00:00 2024\nFrom: Ann Mu\u{308}ller <ann@a.example>\n\
         To: Bob <bob@b.example>\nCC: =?utf-8?q?Carol_=C3=89?= <carol@c.example>,\n Dan <dan@d.example>\n\
         Subject: \u{dc}ber uns\nMessage-ID: <1@a.example>\nDate: Mon, 1 Jan 2024 10:00:00 +0000\n\n\
         http://one.example/\n\n\
         From a@b Mon Jan  1 00:00:00 2024\nFrom: bob at b.example (Bob)\nTo: ann at a.example\n\
         Bcc: robot@r.example\nSubject: u\u{308}brig\nMessage-ID: <2@a.example>\n\
         Date: Mon, 1 Jan 2035 10:00:00 +0000\n\nhttp://two.example/\n\n\
         From a@b Mon Jan  1 00:00:00 2024\nSubject: [bot] joann@a.example\n\nhttp://three.example/\n",
    );
    dir.write("text", "http://text.example/\n");
    let (one, two) = ("http://one.example/\n", "http://two.example/\n");
    let (three, text) = ("http://three.example/\n", "http://text.example/\n");
    for (args, found) in [
        (&["--from", "müller"][..], &[one][..]),
        (&["--from", "mu\u{308}LLER"], &[one]),
        (&["--from", "bob@b.example"], &[two]),
        (&["--from", "Bob <BOB@b.example>"], &[two]),
        (&["--from", "ob@b.example"], &[]),
        (&["--from", "^ann"], &[one]),
        (&["-F", "--from", "^ann"], &[]),
        (&["--from", "ann", "--to", "bob"], &[one]),
        (&["--to", "carol é"], &[one]),
        (&["--to", "dan@d.example"], &[one]),
        (&["--to", "ann@a.example"], &[two]),
        (&["--to", "robot"], &[two]),
        (&["--to", "ann", "--to", "bob"], &[one, two]),
        (&["--subject", "ÜB"], &[one, two]),
        // A tag, and a class of letters.
        (&["--subject", "[bot]"], &[three]),
        (&["--subject", "[bot] j"], &[three]),
        (&["--subject", "([bot])"], &[one, two, three]),
        (&["--subject", "[R] Calling"], &[]),
        (&["-F", "--subject", "[BOT]"], &[three]),
        (&["--exclude-from", "müller"], &[two, three, text]),
        (
            &["--exclude-to", "robot", "--exclude-to", "bob"],
            &[three, text],
        ),
        (&["--exclude-subject", "bot"], &[one, two, text]),
        (&["--exclude-from", "bob", "--from", "."], &[one]),
        (&["--message-id", "1@a.example"], &[one]),
        (
            &["--message-id", "<2@a.example>", "--message-id", "mid:3@x"],
            &[two],
        ),
        // The date of the second message is a mistake.
        (&["--since", "Jan 2024"], &[one]),
        (&["--since", "2024-1-1", "--until", "2024-1-2"], &[one]),
        (&["--since", "yesterday"], &[]),
    ] {
        let output = dir.run(args.iter().chain(&["box", "text"]));
        assert_eq!(output.text(), found.concat(), "{args:?}");
    }
    dir.run(["--from", "!ann", "box"])
        .fails("--from !ann: use --exclude-from ann");
    dir.run(["--exclude-to", "(", "box"])
        .fails("--exclude-to: ");
    dir.run(["--format", "{day} {timestamp} {to}; {cc}", "--message-id", "1@a.example", "box"])
        .is("2024-01-01 20240101100000 Bob <bob@b.example>, Carol É <carol@c.example>, Dan <dan@d.example>; Carol É <carol@c.example>, Dan <dan@d.example>\n");
    let row = "{from_name}\\t{from_address}";
    dir.run(["--format", row, "--message-id", "2@a.example", "box"])
        .is("Bob\tbob@b.example\n");
    dir.run([
        "--json",
        "--fields",
        "day,to",
        "--message-id",
        "2@a.example",
        "box",
    ])
    .is("{\"day\":\"2035-01-01\",\"to\":\"ann at a.example, robot@r.example\"}\n");
}

/// Unfolding removes only the line break (RFC 5322, 2.2.3), and a run of white space is one blank
/// (3.2.2). Agents fold with a tab or two blanks.
#[test]
fn blanks_of_fields_are_one() {
    let head = "From a@b Mon Jan  1 00:00:00 2024\n";
    let dir = Dir::with(
        "box",
        format!(
            "{head}From: \"Ann  Reed\"\n\t<ann@a.example>\nTo: \"Bob\n\tJones\" <bob@b.example>\n\
             Cc: Carol <c@c.example>,\n\t  Dan <d@d.example>\n\
             Subject: managed buffer\n\tallocation  notes\n\nhttp://one.example/\n\n\
             {head}From: Ann Reed <ann@a.example>\nTo: bob@b.example\n\
             Subject: managed buffer\n allocation =?utf-8?q?_notes?=\n\nhttp://two.example/\n"
        ),
    );
    let (one, two) = ("http://one.example/\n", "http://two.example/\n");
    for (args, found) in [
        (
            &["--subject", "managed buffer allocation notes"][..],
            &[one, two][..],
        ),
        (
            &["-F", "--subject", "managed buffer allocation notes"],
            &[one, two],
        ),
        (&["-F", "--subject", "buffer  \tallocation"], &[one, two]),
        (&["--subject", "buffer\tallocation"], &[one, two]),
        (&["--subject", "buffer +allocation"], &[one, two]),
        (&["--subject", "bufferallocation"], &[]),
        (&["--from", "Ann Reed"], &[one, two]),
        (&["--from", "\"Ann Reed\" <"], &[one]),
        (&["--to", "Bob Jones"], &[one]),
        (&["--to", "example>, dan"], &[one]),
        (&["--exclude-subject", "buffer allocation"], &[]),
    ] {
        let output = dir.run(args.iter().chain(&["box"]));
        assert_eq!(output.text(), found.concat(), "{args:?}");
    }
    dir.run(["--tally=subject", "box"])
        .is("2\tmanaged buffer allocation notes\n");
    let people = r#""Ann Reed" <ann@a.example>; "Bob Jones" <bob@b.example>, Carol <c@c.example>, Dan <d@d.example>; Carol <c@c.example>, Dan <d@d.example>"#;
    dir.run(["--format={subject}; {from}; {to}; {cc}", "-m1", "box"])
        .is(&format!("managed buffer allocation notes; {people}\n"));
    dir.run(["--json", "--fields", "subject,from", "-m1", "box"])
        .is("{\"subject\":\"managed buffer allocation notes\",\"from\":\"\\\"Ann Reed\\\" <ann@a.example>\"}\n");
}

/// Lists of URLs that other programs have read, and `--tally=url`, have the canonical form.
#[test]
fn a_list_of_urls_finds_their_other_spellings() {
    let text = "http://A.example http://b.example/%7ea http://a.example/x\n";
    let dir = Dir::with("a", text);
    let all = "http://A.example\nhttp://b.example/%7ea\n";
    dir.write("list", "http://a.example/\nhttp://b.example/~a\n");
    dir.run(["-Fxf", "list", "a"]).is(all);
    dir.run(["-v", "-Fxf", "list", "a"])
        .is("http://a.example/x\n");
    dir.run(["-Ff", "list", "a"]).is("http://a.example/x\n");
    dir.shell("$U --tally=url a | cut -f2 >urls; $U -Fxf urls a | wc -l | tr -d ' '")
        .is("3\n");
}

/// What people type for one thing and urlgrep reads as another one gets a line if nothing was
/// found.
#[test]
fn an_empty_result_of_people_is_explained() {
    let message = "From: Ann <ann@a.example>\nTo: bob@b.example\nNewsgroups: comp.lang.lisp\n\
                   List-Id: <talk@lists.example>\nSubject: a\n\nhttp://one.example/\n";
    let dir = Dir::with("m.eml", message);
    let found = "http://one.example/\n";
    for (args, why) in [
        (
            ["--from", "ann,bob"],
            "--from 'ann,bob' is one pattern; for either of two, give --from twice",
        ),
        (
            ["--to", "comp.lang.lisp"],
            "--to is for To, Cc and Bcc; for newsgroups and lists, use --group comp.lang.lisp",
        ),
    ] {
        let error = format!("urlgrep: warning: {why}\n");
        dir.run(args.iter().chain(&["m.eml"])).ends(1, "", &error);
    }
    for args in [
        ["--from", "bob"],
        ["--to", "ann"],
        ["--to", "ann@a.example"],
        ["--subject", "b{1,2}"],
    ] {
        dir.run(args.iter().chain(&["m.eml"])).is_none();
    }
    for args in [
        ["--group", "talk@lists.example"],
        ["--group", "*@lists.example"],
        ["--group", "comp.lang"],
        ["--exclude-from", "ann,bob"],
    ] {
        dir.run(args.iter().chain(&["m.eml"])).is(found);
    }
}

/// A page, a calendar and XML have no fields. The warning says so, as it does for text.
#[test]
fn filters_of_messages_say_that_a_page_is_no_message() {
    let dir = Dir::with("page", "<html><a href='http://a.example/'>x</a></html>\n");
    dir.write("card", "BEGIN:VCARD\nURL:http://b.example/\nEND:VCARD\n");
    for file in ["page", "card"] {
        dir.run(["--since", "1996", file])
            .ends(1, "", "warning: no messages were found");
    }
    let stats = dir.run(["-q", "--stats", "page", "card"]);
    assert!(stats.errors.contains("\n0 messages\n"), "{}", stats.errors);
}

/// Of an article of A-news, and of the reply to `BODY`, no field is known. So no filter of
/// messages accepts them.
#[test]
fn filters_of_messages_refuse_messages_without_a_header() {
    let dir = Dir::with(
        "anews",
        "Ay.123\nnet.misc\nx!y!joe\nSat Jan  5 10:20:30 1985\nold title\nsee ftp://a.example/\n",
    );
    dir.write(
        "session",
        "200 news ready\r\n220 1 <1@x>\r\nFrom: joe@x.example\r\nSubject: a\r\n\r\n\
         http://one.example/\r\n.\r\n222 2 <2@x> body\r\nhttp://two.example/\r\n.\r\n",
    );
    dir.run(["anews"]).is("ftp://a.example/\n");
    dir.run(["session"])
        .is("http://one.example/\nhttp://two.example/\n");
    dir.run(["--from=joe", "session"])
        .is("http://one.example/\n");
    dir.run(["--from=zzz", "anews"]).is_none();
    dir.run(["--since=1984", "anews"]).is_none();
}

/// List archives write ` at ` for `@`.
#[test]
fn senders_of_list_archives() {
    let mail = |from: &str, host: &str| {
        format!(
            "From {from}  Sat May  6 03:13:11 2000\nFrom: {from} (Ann at Home)\nSubject: x\n\nhttp://{host}.example/\n\n"
        )
    };
    let dir = Dir::with(
        "m",
        [mail("ann at a.example", "a"), mail("bob at b.example", "b")].concat(),
    );
    dir.run(["--from", "ann@a.example", "m"])
        .is("http://a.example/\n");
    dir.run(["--from", "@b.example", "m"])
        .is("http://b.example/\n");
    dir.run(["--from", "Ann at Home <ann@a.example>", "m"])
        .is("http://a.example/\n");
    dir.run(["--from", "ann at a", "m"])
        .is("http://a.example/\n");
    dir.run(["--from", "Ann@Home", "m"]).is_none();
    dir.run(["--from", "ann@b", "m"]).is_none();
}

#[test]
fn messages_that_thunderbird_has_deleted() {
    let dir = Dir::with("t", "http://text.example/\n");
    let mail = |status: &str| {
        format!(
            "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n{status}\n\nhttp://a.example/{status}\n\n"
        )
    };
    let names = [
        "0008",
        "0009",
        "0001",
        " 000A ",
        "0010",
        "8",
        "x",
        "",
        "FFFFFFFFF",
    ];
    let all: String = names
        .map(|value| mail(&format!("X-Mozilla-Status: {value}")))
        .concat();
    dir.write("Inbox", all + &mail("X-Mozilla-Status2: 00000008"));
    let numbers = |args: &[&str]| dir.run(args).text().replace('\n', "");
    assert_eq!(
        numbers(&["--format={message_number} ", "Inbox"]),
        "1 2 3 4 5 6 7 8 9 10 "
    );
    assert_eq!(
        numbers(&["--skip-deleted", "--format={message_number} ", "Inbox"]),
        "3 5 7 8 9 10 "
    );
    // Text outside of messages is never deleted.
    dir.run(["--skip-deleted", "t"])
        .is("http://text.example/\n");
}

/// What somebody else wrote is not the forwarder's own. A digest is what its authors wrote.
#[test]
fn authored_leaves_out_attached_messages() {
    let inner = |from: &str, number: u32| format!("From: {from}\n\nhttp://a.example/{number}\n");
    let message = |subtype: &str, parts: &[String]| {
        let parts: String = parts.iter().map(|part| format!("--x\n{part}")).collect();
        format!(
            "From: Ann <ann@a.example>\nTo: cleo@c.example\nSubject: s\nMIME-Version: 1.0\n\
             Content-Type: multipart/{subtype}; boundary=x\n\n{parts}--x--\n"
        )
    };
    let attached = |from: &str, number: u32| {
        let inner = inner(from, number);
        format!("Content-Type: message/rfc822\n\n{inner}")
    };
    let own = "\nhttp://a.example/1\n".to_owned();
    let (other, same) = (attached("bob@b.example", 2), attached("ann@a.example", 3));
    let dir = Dir::with("forwarded.eml", message("mixed", &[own, other, same]));
    let digest = [4, 5].map(|number| format!("\n{}", inner("bob@b.example", number)));
    dir.write("digest.eml", message("digest", &digest));
    let urls = |numbers: &[u32]| -> String {
        numbers
            .iter()
            .map(|n| format!("http://a.example/{n}\n"))
            .collect()
    };
    dir.run(["forwarded.eml"]).is(&urls(&[1, 2, 3]));
    dir.run(["--authored", "forwarded.eml"]).is(&urls(&[1, 3]));
    dir.run([
        "--role=quoted",
        "--format={url} {from} {depth}",
        "forwarded.eml",
    ])
    .is("http://a.example/2 Ann <ann@a.example> 1\n");
    dir.run(["--authored", "digest.eml"]).is(&urls(&[4, 5]));
    // Each row says the same without a filter of messages.
    dir.run(["--tally=role", "forwarded.eml"])
        .is("2\tbody\n1\tquoted\n");
}
