//! Order and counts: `--unwrap`, `--sort date`, `--tally=FIELDS`, `--unique-message`.

use super::kit::Dir;

const LINK: &str =
    "https://eur01.safelinks.protection.outlook.com/?url=http%3A%2F%2Fa.example%2Fx&data=02";

#[test]
fn links_of_gateways_are_unwrapped() {
    let text = format!("{LINK}\nhttp://a.example/x\n<{LINK}3>\n");
    let dir = Dir::with("a", &text);
    dir.run(["--format", "{url} {unwrapped}", "a"]).is(&format!(
        "{LINK} http://a.example/x\nhttp://a.example/x \n{LINK}3 http://a.example/x\n"
    ));
    let inner = "http://a.example/x\n";
    dir.run(["--unwrap", "a"]).is(&inner.repeat(3));
    dir.run(["--unwrap", "-u", "a"]).is(inner);
    dir.run(["--unwrap", "--tally", "a"])
        .is(&format!("3\t{inner}"));
    dir.run(["--unwrap", "-c", "--host", "a.example", "a"])
        .is("3\n");
    dir.run([
        "--unwrap",
        "--format",
        "{alternates} {unwrapped}",
        "-m1",
        "a",
    ])
    .is(&format!("{LINK} \n"));
    // Each link around the URL is an alternate, the one in the file first.
    let chain = "https://l.instagram.com/?u=https%3A%2F%2Fslack-redir.net%2Flink%3Furl%3D\
                 http%253A%252F%252Ft.example%252F%253Fto%253Dhttp%25253A%25252F%25252Fa.example%25252F";
    dir.write("b", chain);
    let between = "https://slack-redir.net/link?url=http%3A%2F%2Ft.example%2F%3Fto%3Dhttp%253A%252F%252Fa.example%252F";
    dir.run(["--unwrap", "--format", "{url} {hops} {alternates}", "b"])
        .is(&format!(
            "http://t.example/?to=http%3A%2F%2Fa.example%2F 2 {chain} {between} http://a.example/\n"
        ));
    // The record describes the outer link, because that is in the file.
    let json = dir.run(["--unwrap", "--json", "a", "b"]).bytes;
    dir.write("json", &json);
    dir.run(["--verify", "json"])
        .ends(0, "", "4 replayed, 0 in decoded text");
}

/// `--clean` prints, compares and counts URLs without parameters that only track. The field
/// `url` stays as it was found.
#[test]
fn parameters_that_only_track_are_removed() {
    let shop = "https://shop.example/p?utm_source=a&id=1";
    let gateway = "https://eur01.safelinks.protection.outlook.com/\
                   ?url=https%3A%2F%2Fshop.example%2Fp%3Fid%3D1%26fbclid%3Dx&data=02";
    let text = format!(
        "{shop}\n{gateway}\nhttps://shop.example/p?id=1&source=b\nmailto:a@b.example?utm_source=x\n"
    );
    let dir = Dir::with("a", text);
    let clean = "https://shop.example/p?id=1";
    let others = "https://shop.example/p?id=1&source=b\nmailto:a@b.example?utm_source=x\n";
    dir.run(["--clean", "a"])
        .is(&format!("{clean}\n{gateway}\n{others}"));
    dir.run(["--clean", "--unwrap", "a"])
        .is(&format!("{clean}\n{clean}\n{others}"));
    dir.run(["--clean", "--unwrap", "-u", "a"])
        .is(&format!("{clean}\n{others}"));
    dir.run(["--unwrap", "-u", "-c", "a"]).is("4\n");
    dir.run(["--clean", "--unwrap", "-u", "-c", "a"]).is("3\n");
    for tally in ["--tally", "--tally=url"] {
        let [one, two] = [0, 1].map(|at| others.lines().nth(at).unwrap_or_default());
        dir.run(["--clean", "--unwrap", tally, "a"])
            .is(&format!("2\t{clean}\n1\t{one}\n1\t{two}\n"));
    }
    dir.run(["--clean", "-n", "-m1", "a"])
        .is(&format!("1:{clean}\n"));
    dir.run(["--clean", "--hyperlink=always", "-m1", "a"])
        .is(&format!("\x1b]8;;{clean}\x1b\\{clean}\x1b]8;;\x1b\\\n"));
    // Rows have both, and the default column is the clean one.
    let hint =
        "urlgrep: warning: the field `url` is the URL as it was found; `clean` is the clean one\n";
    assert_eq!(dir.run(["--clean", "--format", "{url}", "a"]).errors, hint);
    assert_eq!(
        dir.run(["--clean", "--json", "--fields=url", "a"]).errors,
        hint
    );
    for quiet in ["{clean}", "{url} {clean}", "{host}"] {
        assert_eq!(dir.run(["--clean", "--format", quiet, "a"]).errors, "");
    }
    for clean_or_not in [&["--clean"][..], &[]] {
        let args = ["--format={url} {clean}", "-m1", "a"];
        dir.run(args.iter().chain(clean_or_not))
            .is(&format!("{shop} {clean}\n"));
    }
    dir.run(["--clean", "--csv", "-m1", "a"]).is(&format!(
        "date,from,subject,role,path,line,clean\n,,,,a,1,{clean}\n"
    ));
    let row = dir.run(["--clean", "--json", "-m1", "a"]).text();
    let row: serde_json::Value = serde_json::from_str(&row).unwrap();
    assert_eq!(
        (row["url"].as_str(), row["clean"].as_str()),
        (Some(shop), Some(clean))
    );
    let shown = dir.run(["--explain", "-m1", "a"]).text();
    assert!(
        shown.contains(&format!("clean        {clean}\n")),
        "{shown}"
    );
    // A filter sees the URL as it was found, and a record describes the file.
    dir.run(["--clean", "-e", "utm_source=a", "a"])
        .is(&format!("{clean}\n"));
    let json = dir.run(["--clean", "--json", "a"]).bytes;
    dir.write("json", &json);
    dir.run(["--verify", "json"]).ends(0, "", "4 replayed");
}

#[cfg(feature = "ledger")]
#[test]
fn a_ledger_is_printed_and_counted_clean() {
    let dir = Dir::with(
        "a",
        "https://a.example/?gclid=1 https://a.example/?gclid=2\n",
    );
    dir.run(["--ledger=x.db", "--clean", "a"])
        .is("https://a.example/\nhttps://a.example/\n");
    dir.run(["--ledger=x.db", "--clean", "--tally"])
        .is("2\thttps://a.example/\n");
    dir.run(["--ledger=x.db", "--clean", "-u"])
        .fails("--clean cannot be used with -u of a ledger");
}

fn message(date: &str, id: &str, body: &str) -> String {
    let date = match date {
        "" => String::new(),
        date => format!("Date: {date}\n"),
    };
    format!(
        "From a@b.example Fri Jun  5 10:00:00 1998\nFrom: Ann <ann@b.example>\n{date}\
         Newsgroups: comp.a, comp.b\nMessage-ID: <{id}@b.example>\n\n{body}\n\n"
    )
}

fn dated() -> Dir {
    let dir = Dir::with(
        "a",
        message(
            "Fri, 5 Jun 1998 10:00:00 +0000",
            "1",
            "http://a.example/1 http://A.example/2",
        ) + &message("", "2", "http://a.example/3"),
    );
    dir.write(
        "b",
        message("Fri, 5 Jun 1998 10:00:00 +0000", "3", "http://a.example/4")
            + &message(
                "Wed, 5 Jun 1996 10:00:00 +0000",
                "4",
                "http://www.a.example/5 http://a.example/2",
            )
            + &message("", "1", "http://a.example/6"),
    );
    dir.write("c", "http://a.example/7\n");
    dir
}

#[test]
fn hits_by_date() {
    let dir = dated();
    let url = |n: u32| match n {
        5 => "http://www.a.example/5\n".to_owned(),
        n => format!("http://a.example/{n}\n"),
    };
    let urls = |all: &[u32]| all.iter().map(|&n| url(n)).collect::<String>();
    let all = urls(&[5, 2, 1]) + "http://A.example/2\n" + &urls(&[4, 3, 6, 7]);
    for threads in ["1", "2", "4"] {
        dir.run(["--sort", "date", "-j", threads, "c", "b", "a"])
            .is(&all);
        dir.run(["--sort", "date", "-u", "-j", threads, "b", "a", "c"])
            .is(&urls(&[5, 2, 1, 4, 3, 6, 7]));
    }
    dir.run(["--sort", "date", "--format", "{year} {month} {line}", "a", "b"])
        .is("1996 1996-06 15\n1996 1996-06 15\n1998 1998-06 7\n1998 1998-06 7\n1998 1998-06 7\n  14\n  22\n");
    dir.run(["--sort", "date", "--csv", "--fields", "date", "b"])
        .is("date\n1996-06-05T10:00:00Z\n1996-06-05T10:00:00Z\n1998-06-05T10:00:00Z\n\"\"\n");
    dir.run(["--sort", "date", "-m1", "a", "b"])
        .is(&urls(&[1, 4]));
    dir.run(["--sort", "date", "-e", "nothing", "a"]).is_none();
    dir.run(["--sort", "date", "-c", "a"])
        .fails("--sort date cannot be used with -c");
    dir.run(["--sort", "date", "-u", "-m1", "a"])
        .fails("--sort date with -u cannot be used with -m");
}

/// A run without space for its temporary files ends at the first of them, which
/// is written after 64 MiB of rows.
#[test]
fn hits_by_date_without_space() {
    let dir = Dir::with("a", "http://a.example/\n".repeat(18_000));
    let format = format!("{{url}} {}", "x".repeat(4_000));
    for limit in ["TMPDIR=/none", "trap '' XFSZ; ulimit -f 2048;"] {
        let out = dir.shell(&format!("{limit} \"$U\" --sort date --format '{format}' a"));
        assert_eq!((out.code, out.text().as_str()), (Some(2), ""));
        let folder = match limit {
            "TMPDIR=/none" => "/none".into(),
            _ => std::env::temp_dir(),
        };
        let start = format!("urlgrep: {}: temporary file: ", folder.display());
        assert!(out.errors.starts_with(&start), "{}", out.errors);
        assert_eq!(out.errors.lines().count(), 1, "{}", out.errors);
    }
}

#[test]
fn messages_once() {
    let dir = dated();
    dir.run(["--unique-message", "b", "a"]).is(
        "http://a.example/4\nhttp://www.a.example/5\nhttp://a.example/2\nhttp://a.example/6\n\
         http://a.example/3\n",
    );
    dir.run(["--unique-message", "-cH", "a", "b", "c"])
        .is("a:3\nb:3\nc:1\n");
    dir.run([
        "--unique-message",
        "--sort",
        "date",
        "-e",
        "[16]$",
        "a",
        "b",
    ])
    .is("http://a.example/1\n");
}

#[test]
fn tallies_of_folders() {
    let dir = Dir::new();
    for name in ["top", "lists/a/1", "lists/a/2", "lists/b/old/1"] {
        dir.write(name, "http://a.example/\n");
    }
    assert_eq!(dir.shell("tar cf lists/c.tar lists/a top").code, Some(0));
    dir.run(["--tally=folder", "top", "lists"])
        .is("2\tlists/a\n2\tlists/c.tar!lists/a\n1\t.\n1\tlists/b/old\n1\tlists/c.tar\n");
    dir.run(["--tally=folder,2", "lists"])
        .is("3\tlists/c.tar\n2\tlists/a\n1\tlists/b\n");
    dir.run(["--tally=folder,1,host", "./lists", "top"])
        .is("6\t./lists\ta.example\n1\t.\ta.example\n");
    // The first folder is the named one, wherever it is.
    let all = format!("{}/", dir.path().join("lists").display());
    dir.run(["--tally=folder,1", &all])
        .is(&format!("6\t{}\n", all.trim_end_matches('/')));
    dir.run(["--tally=folder,2", &all])
        .is(&format!("3\t{all}c.tar\n2\t{all}a\n1\t{all}b\n"));
    dir.run(["--tally=folder,1", "lists/a", "lists/b"])
        .is("2\tlists/a\n1\tlists/b\n");
    // A folder whose name begins with that of another named one is not inside of it.
    dir.write("lists/abc/1", "http://a.example/\n");
    dir.run(["--tally=folder,1", "lists", "lists/a"])
        .is("5\tlists\n4\tlists/a\n");
    dir.run(["--format={folder}", "top", "lists/a/1"])
        .is(".\nlists/a\n");
    dir.pipe(["--format={folder}"], b"http://a.example/\n")
        .is(".\n");
}

/// A tally as a table and as JSON: a header row, values as in the rows of hits, and the
/// empty value last.
#[test]
fn tallies_in_forms_for_programs() {
    let dir = Dir::new();
    let mbox = "From a@b.example Fri Jun  5 10:00:00 1998\nFrom: Ann <ann@b.example>\n\
        Subject: =x, \"M\u{fc}ll\"\n\nhttp://a.example/1 http://a.example/2 mailto:a@b.example \
        mailto:b@b.example mailto:c@b.example\n\n";
    dir.write("a", mbox);
    dir.run(["--tally=host,subject", "a"])
        .is("2\ta.example\t=x, \"M\u{fc}ll\"\n3\t-\t=x, \"M\u{fc}ll\"\n");
    dir.run(["--tally=host,subject", "--csv", "a"]).is(
        "count,host,subject\n2,a.example,\"=x, \"\"M\u{fc}ll\"\"\"\n3,,\"=x, \"\"M\u{fc}ll\"\"\"\n",
    );
    dir.run(["--tally=subject", "--csv=excel", "a"])
        .is("\u{feff}count,subject\n5,\"'=x, \"\"M\u{fc}ll\"\"\"\n");
    dir.run(["--tally=host,year", "--tsv", "a"])
        .is("count\thost\tyear\n2\ta.example\t\n3\t\t\n");
    dir.run(["--tally=host,subject", "--json", "a"]).is(
        "{\"count\":2,\"host\":\"a.example\",\"subject\":\"=x, \\\"M\u{fc}ll\\\"\"}\n\
         {\"count\":3,\"host\":null,\"subject\":\"=x, \\\"M\u{fc}ll\\\"\"}\n",
    );
    dir.run(["--tally", "--csv", "--scheme=http", "a"])
        .is("count,url\n1,http://a.example/1\n1,http://a.example/2\n");
    dir.run(["--tally=url", "--json", "--scheme=http", "-e1", "a"])
        .is("{\"count\":1,\"url\":\"http://a.example/1\"}\n");
    // A table has its header row even if nothing was found.
    dir.run(["--tally=host", "--csv", "-e", "nothing", "a"])
        .ends(1, "count,host\n", "");
    dir.run(["--tally=host", "--json", "-e", "nothing", "a"])
        .is_none();
    dir.run(["--tally=host", "--csv", "-q", "a"]).is("");
    dir.run(["--tally", "--color=always", "--scheme=http", "-e1", "a"])
        .is("\x1b[0m\x1b[32m1\x1b[0m\t\x1b[0m\x1b[1m\x1b[31mhttp://a.example/1\x1b[0m\n");
}

/// An author is an address, and has the most frequent of its names.
#[test]
fn tallies_of_authors() {
    let mut mbox = String::new();
    for (at, from) in [
        "Ann M\u{fc}ller <ann@b.example>",
        "ann at b.example (Ann)",
        "ANN@B.example (Ann)",
        "\"Bob\" <bob@b.example>",
        "Cy via Talk <talk@l.example>",
        "Di via Talk <talk@l.example>",
        "nobody",
    ]
    .iter()
    .enumerate()
    {
        mbox += &format!(
            "From a@b.example Fri Jun  5 10:00:00 1998\nFrom: {from}\nSubject: s\n\nhttp://a.example/{at}\n\n"
        );
    }
    let dir = Dir::with("a", mbox);
    let authors = "3\tAnn <ann@b.example>\n1\tBob <bob@b.example>\n1\tCy via Talk <talk@l.example>\n\
                   1\tDi via Talk <talk@l.example>\n1\tnobody\n";
    dir.run(["--tally=from", "a"]).is(authors);
    dir.run(["--tally=from", "-j4", "--segment-size=64", "a"])
        .is(authors);
    dir.run(["--tally=host,from", "--json", "-e", "[0-2]$", "a"])
        .is("{\"count\":3,\"host\":\"a.example\",\"from\":\"Ann <ann@b.example>\"}\n");
    // Of names that are as frequent, the first one.
    dir.run(["--tally=from", "-e", "[01]$", "a"])
        .is("2\tAnn <ann@b.example>\n");
    // An address that mostly stands alone has the name of the other messages, and one that always
    // does has none.
    let message = |from: &str| {
        format!(
            "From a@b Fri Jun  5 10:00:00 1998\nFrom: {from}\nTo: {from}\n\nhttp://a.example/\n\n"
        )
    };
    let alone = message("ann@b.example");
    let named = message("Ann <ann@b.example>");
    let quoted = message("\"ann@b.example\" <ann@b.example>");
    let bob = message("bob@b.example");
    dir.write(
        "b",
        [&alone, &*named, &alone, &quoted, &alone, &bob].concat(),
    );
    for people in ["from", "to"] {
        dir.run([&format!("--tally={people}"), "b"])
            .is("5\tAnn <ann@b.example>\n1\tbob@b.example\n");
    }
}

/// A recipient counts as an author does, by address: each of several, once in a message,
/// with the most frequent name.
#[test]
fn tallies_of_recipients() {
    let mut mbox = String::new();
    for (at, fields) in [
        "To: \"Reed, Ann\" <Ann@b.example>, bob@b.example\nCc: Cleo <cleo@b.example>",
        "To: Ann Reed <ann@b.example>\nCC: cleo at b.example, Dan\nBcc: Bob <bob@b.example>",
        "To: Team: Ann Reed <ann@b.example>, ann@b.example;",
        "To: undisclosed-recipients:;",
        "Newsgroups: comp.a",
    ]
    .iter()
    .enumerate()
    {
        mbox += &format!(
            "From a@b.example Fri Jun  5 10:00:00 1998\nFrom: Ann <ann@b.example>\n{fields}\n\n\
             http://a.example/{at}\n\n"
        );
    }
    let dir = Dir::with("a", mbox);
    dir.write("text", "http://a.example/5\n");
    let all = "3\tAnn Reed <ann@b.example>\n2\tBob <bob@b.example>\n\
               2\tCleo <cleo@b.example>\n1\tDan\n3\t-\n";
    dir.run(["--tally=to", "a", "text"]).is(all);
    dir.run(["--tally=to", "-j4", "--segment-size=64", "a", "text"])
        .is(all);
    dir.run(["--tally=cc,host", "--csv", "a"])
        .is("count,cc,host\n2,Cleo <cleo@b.example>,a.example\n1,Dan,a.example\n3,,a.example\n");
    // The name is the most frequent one of the person in both columns.
    dir.run(["--tally=from,to", "-e[01]$", "a"]).is(
        "2\tAnn <ann@b.example>\tAnn <ann@b.example>\n\
         2\tAnn <ann@b.example>\tBob <bob@b.example>\n\
         2\tAnn <ann@b.example>\tCleo <cleo@b.example>\n\
         1\tAnn <ann@b.example>\tDan\n",
    );
    dir.run(["--tally=group,to", "a"])
        .fails("--tally: a message has several values of each of to, cc and group");
}

/// A name with a comma and without the quotation marks that it needs.
#[test]
fn names_with_a_comma() {
    let mbox = "From a@b.example Fri Jun  5 10:00:00 1998\n\
                From: Smith, Ann <ann@x.example>\nTo: Doe, Jim <jim@x.example>\n\n\
                http://a.example/1\n\n\
                From a@b.example Fri Jun  5 10:00:00 1998\n\
                From: =?utf-8?q?Smith=2C_Ann?= <ann@x.example>\n\
                To: bob@x.example, cleo@x.example, Jim <jim@x.example>\nCc: undisclosed-recipients:;\n\n\
                http://a.example/2\n";
    let dir = Dir::with("a", mbox);
    dir.run(["--tally=from", "a"])
        .is("2\tSmith, Ann <ann@x.example>\n");
    dir.run(["--format={from_name}|{from_address}", "-m1", "a"])
        .is("Smith, Ann|ann@x.example\n");
    dir.run(["--tally=to", "a"])
        .is("2\tDoe, Jim <jim@x.example>\n1\tbob@x.example\n1\tcleo@x.example\n");
}

/// Many recipients, as a change of a whole kernel has them, are all read. Over 64 KiB the last
/// ones are left out, with a note, and no address is cut.
#[test]
fn many_recipients() {
    let message = |number: usize| {
        let to: Vec<_> = (0..number)
            .map(|at| format!("Reader {at:04} <reader-{at:04}@b.example>"))
            .collect();
        format!(
            "From a@b.example Fri Jun  5 10:00:00 1998\nFrom: ann@b.example\nTo: {}\n\
             Cc: last@b.example\n\nhttp://a.example/\n",
            to.join(",\n ")
        )
    };
    let rows = |dir: &Dir| {
        let rows = dir.run(["--tally=to", "a.eml"]).text();
        let is_row = |row: &str| row.ends_with("@b.example>") || row == "1\tlast@b.example";
        assert!(rows.lines().all(is_row), "{rows}");
        rows.lines().count()
    };
    let dir = Dir::with("a.eml", message(1000));
    assert_eq!(rows(&dir), 1001);
    dir.run(["--to=last@b.example", "--notes", "a.eml"])
        .is("http://a.example/\n");
    dir.run(["--exclude-to=last@b.example", "a.eml"]).is_none();
    dir.write("a.eml", message(2000));
    assert!((1500..2000).contains(&rows(&dir)));
    let note = "a.eml: byte 66: recipients over 64 KiB, the rest left out\n";
    dir.run(["--notes", "a.eml"])
        .ends(0, "http://a.example/\n", note);
}

#[test]
fn tallies_of_fields() {
    let dir = dated();
    dir.run(["--tally=host", "."])
        .is("7\ta.example\n1\twww.a.example\n");
    // Years and months come in their order, other values by their number.
    dir.run(["--tally=year", "."])
        .is("2\t1996\n3\t1998\n3\t-\n");
    dir.run(["--tally=year,host", "."])
        .is("1\t1996\ta.example\n1\t1996\twww.a.example\n3\t1998\ta.example\n3\t-\ta.example\n");
    dir.run(["--tally=day,host", "."]).is(
        "1\t1996-06-05\ta.example\n1\t1996-06-05\twww.a.example\n3\t1998-06-05\ta.example\n3\t-\ta.example\n",
    );
    dir.run(["--tally=month,year,host", "--sort=count", "--from=Ann", "."])
        .is("3\t1998-06\t1998\ta.example\n1\t1996-06\t1996\ta.example\n\
         1\t1996-06\t1996\twww.a.example\n2\t-\t-\ta.example\n");
    dir.run(["--tally=host,year", "--sort=value", "."])
        .is("1\ta.example\t1996\n3\ta.example\t1998\n3\ta.example\t-\n1\twww.a.example\t1996\n");
    dir.run(["--tally", "--sort=value", "-e[45]$", "."])
        .is("1\thttp://a.example/4\n1\thttp://www.a.example/5\n");
    for order in ["count", "value"] {
        dir.run(["--sort", order, "a"])
            .fails(&format!("--sort {order} needs --tally\n"));
    }
    dir.run(["--tally=domain,year", "."])
        .is("3\ta.example\t1998\n2\ta.example\t1996\n3\ta.example\t-\n");
    dir.run(["--tally=group", "a"]).is("3\tcomp.a\n3\tcomp.b\n");
    dir.run(["--tally=from,role,path,scheme,month", "a"]).is(
        "2\tAnn <ann@b.example>\tbody\ta\thttp\t1998-06\n1\tAnn <ann@b.example>\tbody\ta\thttp\t-\n",
    );
    dir.run(["--tally=url", "a", "b", "-e", "2$"])
        .is("2\thttp://a.example/2\n");
    // The first spelling of two is printed.
    dir.run(["--tally", "a", "b", "-e", "2$"])
        .is("2\thttp://A.example/2\n");
    for wrong in ["folder,0", "host,2", "2", "folder,x"] {
        dir.run([&format!("--tally={wrong}"), "a"])
            .fails("no such field");
    }
    dir.run(["--tally=hosts", "a"])
        .fails("--tally=hosts: no such field; the fields are url, host");
    // A file may have the name of a field.
    dir.run(["--tally", "host", "a"])
        .fails("host: no such file; the fields of a tally follow `=`: --tally=host\n");
    dir.run(["a", "--tally", "host,year"])
        .fails("--tally=host,year\n");
    dir.write("host", "mailto:a@b.example\n");
    dir.run(["--tally", "host"]).is("1\tmailto:a@b.example\n");
    dir.run(["--tally=host,year,group,from", "host"])
        .is("1\t-\t-\t-\t-\n");
    // With -u a URL counts once in each row.
    dir.run(["-u", "--tally=host,path", "a", "b"])
        .is("3\ta.example\ta\n3\ta.example\tb\n1\twww.a.example\tb\n");
    dir.run(["-u", "--tally=host", "a", "b"])
        .is("5\ta.example\n1\twww.a.example\n");
    // A row may have the text of a URL, and two may have each other's.
    let message = |subject: &str, url: &str| {
        format!(
            "From a@b Fri Jun  5 10:00:00 1998\nFrom: a@b.example\nSubject: {subject}\n\n{url}\n\n"
        )
    };
    let [one, two] = ["http://one.example/", "http://two.example/"];
    let own = [message(one, ""), message(two, "")].concat();
    let crossed = [message(one, two), message(two, one)].concat();
    let rows = format!("1\t{one}\n1\t{two}\n");
    dir.write("own", own);
    dir.write("crossed", crossed);
    for unique in [&["-u"][..], &[]] {
        let args = ["--tally=subject", "own"];
        dir.run(unique.iter().chain(&args)).is(&rows);
        // The URL of the subject and that of the text.
        let args = ["--tally=subject", "crossed"];
        dir.run(unique.iter().chain(&args))
            .is(&rows.replace('1', "2"));
    }
    // In a message too, each row of a URL counts: a row without a value is no URL alone.
    let args = ["--unique-per-message", "--tally=group", "own"];
    dir.run(args).is("2\t-\n");
    for tally in ["--tally", "--tally=url", "--tally=year,url"] {
        dir.run(["-u", tally, "a"])
            .fails("-u: a tally has one row for each URL anyway");
    }
    for order in ["path", "none", "date"] {
        dir.run(["--tally=host", "--sort", order, "a"])
            .fails(&format!(
                "--sort {order} cannot be used with --tally; its rows "
            ));
    }
    // A link in both alternatives of a message counts once.
    dir.write(
        "d",
        "From: a@b.example\nSubject: s\nMIME-Version: 1.0\n\
         Content-Type: multipart/alternative; boundary=x\n\n--x\n\nhttp://a.example/1\n--x\n\
         Content-Type: text/html\n\n<a href=\"http://a.example/1\">http://a.example/1</a>\n--x--\n",
    );
    dir.run(["--tally=host", "d"]).is("1\ta.example\n");
    dir.run(["--tally=host,role", "d"])
        .is("1\ta.example\tbody\n");
}
