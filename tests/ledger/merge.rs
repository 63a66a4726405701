//! `--merge`: two ledgers become what one ledger of the files of both is.

use super::random::Random;
use super::spool::{Spool, WRONG, mbox, message};
use crate::common::make::{gzip, tar};

/// Files with messages, of which some are in several of them.
fn fill(spool: &Spool, random: &mut Random) -> Vec<String> {
    let mut names = Vec::new();
    for i in 0..8 {
        let start = random.below(40);
        let text = mbox(start..start + 1 + random.below(9));
        let (name, bytes) = match i {
            0 => ("a.gz".to_owned(), gzip(text.as_bytes())),
            1 => {
                let one = message(random.below(40));
                let members = [("x", text.as_bytes()), ("y", one.as_bytes())];
                ("b.tar".to_owned(), tar(&members))
            }
            2 => {
                let text = "see http://text.example/ and\n\nhttp://every.example/\n";
                ("c.txt".to_owned(), text.repeat(1 + random.below(9)).into())
            }
            // A URL over a line end has other readings, and a link of HTML another URL.
            3 => {
                let text = "<p>http://joined.example/a-\nb <a href=http://one.example/>http://two.example/</a>";
                let head = "From: a@b.example\nDate: 1 Jan 1999 10:00:00 +0000\nMessage-ID: <h@b.example>\nContent-Type: text/html\n\n";
                ("d.eml".to_owned(), format!("{head}{text}\n").into())
            }
            4 => ("e".to_owned(), b"no URL\n".to_vec()),
            _ => (format!("m{i}"), text.into_bytes()),
        };
        spool.write(&name, bytes);
        names.push(format!("spool/{name}"));
    }
    names
}

fn update(spool: &Spool, ledger: &str, names: &[String]) {
    if names.is_empty() {
        return;
    }
    let args = ["-q", "--ledger", ledger].into_iter();
    let out = spool.dir.run(args.chain(names.iter().map(|name| &**name)));
    assert_eq!(out.errors, "");
}

fn merge(spool: &Spool, args: &[&str]) {
    spool.run(args).ends(0, "", "");
}

#[test]
fn two_ledgers_are_one_for_each_of_twelve_splits() {
    for seed in 0..12 {
        let spool = Spool::new();
        let mut random = Random(seed);
        let names = fill(&spool, &mut random);
        let (some, rest): (Vec<_>, Vec<_>) = names.into_iter().partition(|_| random.below(2) == 0);
        update(&spool, "some.db", &some);
        update(&spool, "rest.db", &rest);
        let both = ["--merge", "some.db", "--merge", "rest.db"];
        let given = match (some.is_empty(), rest.is_empty()) {
            (true, _) => &both[2..],
            (_, true) => &both[..2],
            _ => &both[..],
        };
        merge(&spool, given);
        spool.is_as_new();
        // Again nothing is added, and nothing is new.
        let dump = spool.dump("links.db");
        merge(&spool, given);
        assert_eq!(spool.dump("links.db"), dump, "{seed}");
        assert_eq!(spool.news(), [""; 0], "{seed}");
        // Small transactions have the same rows.
        std::fs::remove_file(spool.dir.path().join("links.db")).unwrap();
        let small = ["--ledger-transaction", "3"];
        merge(&spool, &[given, &small].concat());
        spool.is_as_new();
    }
}

/// Of a file that both have, the later version counts, whichever ledger is first.
#[test]
fn the_later_version_of_a_file_counts() {
    for order in [["old.db", "new.db"], ["new.db", "old.db"]] {
        let spool = Spool::new();
        let mut random = Random(5);
        let names = fill(&spool, &mut random);
        update(&spool, "old.db", &names);
        spool.append("m5", mbox(50..53));
        spool.touch("m5");
        spool.write("m6", mbox(60..63));
        spool.touch("m6");
        update(&spool, "new.db", &names);
        merge(&spool, &["--merge", order[0], "--merge", order[1]]);
        spool.is_as_new();
    }
}

/// What is gone in one ledger stays, unless the other has it.
#[test]
fn messages_that_are_gone_stay() {
    let spool = Spool::new();
    spool.write("a", mbox(0..6));
    spool.write("b", mbox(4..8));
    update(&spool, "one.db", &["spool/a".to_owned()]);
    // The messages 0 to 2 are nowhere, 3 to 5 in `a`, 4 to 7 in `b`.
    spool.write("a", mbox(3..4));
    spool.touch("a");
    update(&spool, "one.db", &["spool/a".to_owned()]);
    update(&spool, "two.db", &["spool/b".to_owned()]);
    for order in [["one.db", "two.db"], ["two.db", "one.db"]] {
        merge(&spool, &["--merge", order[0], "--merge", order[1]]);
        spool.is_as_new();
        let gone = spool.ask("SELECT count(*) FROM message WHERE gone = 1");
        assert_eq!(gone, 3, "{order:?}");
        let links = spool.ask("SELECT count(*) FROM links");
        assert_eq!(links, 16, "{order:?}");
        std::fs::remove_file(spool.dir.path().join("links.db")).unwrap();
    }
}

/// What a message lost when it was edited is gone in the merged ledger too, in any order, once.
#[test]
fn links_of_an_edited_message_stay() {
    let letter = |text: &str| format!("Message-ID: <1@b.example>\nFrom: a@b.example\n\n{text}\n");
    let (one, two, three) = (
        "http://one.example/",
        "http://two.example/",
        "http://three.example/",
    );
    let spool = Spool::new();
    for (name, texts) in [
        ("one", [format!("{one}\n{two}"), one.to_owned()]),
        (
            "two",
            [format!("{two}\n{three}"), format!("{one}\n{three}")],
        ),
    ] {
        for text in texts {
            spool.write(name, letter(&text));
            spool.touch(name);
            update(&spool, &format!("{name}.db"), &[format!("spool/{name}")]);
        }
    }
    for order in [["one.db", "two.db"], ["two.db", "one.db"]] {
        merge(&spool, &["--merge", order[0], "--merge", order[1]]);
        spool.is_as_new();
        let gone = "SELECT count(*) FROM links WHERE gone AND url = 'http://two.example/'";
        assert_eq!(spool.ask(gone), 1, "{order:?}");
        assert_eq!(spool.ask("SELECT count(*) FROM links"), 3, "{order:?}");
        let dump = spool.dump("links.db");
        merge(&spool, &["--merge", order[0], "--merge", order[1]]);
        assert_eq!(spool.dump("links.db"), dump, "{order:?}");
        assert_eq!(spool.ask("SELECT count(*) FROM links"), 3, "{order:?}");
        std::fs::remove_file(spool.dir.path().join("links.db")).unwrap();
    }
}

/// The links keep the time when they were first recorded, and what was not printed yet is new.
#[test]
fn a_link_keeps_its_time() {
    let spool = Spool::new();
    spool.write("a", mbox(0..3));
    update(&spool, "a.db", &["spool/a".to_owned()]);
    let path = spool.dir.path().join("a.db");
    let conn = urlgrep_ledger::rusqlite::Connection::open(path).unwrap();
    let sql = "UPDATE run SET started = '2001-01-01T00:00:00Z'";
    conn.execute_batch(sql).unwrap();
    drop(conn);
    merge(&spool, &["--merge", "a.db"]);
    let early = "SELECT count(*) FROM links WHERE added < '2002'";
    assert_eq!(spool.ask(early), 6);
    assert_eq!(spool.ask("SELECT count(*) FROM run"), 1);
    for sql in WRONG {
        assert_eq!(spool.ask(sql), 0, "{sql}");
    }
}

#[test]
fn what_cannot_be_merged_is_refused() {
    let spool = Spool::new();
    spool.write("a", mbox(0..3));
    update(&spool, "links.db", &["spool".to_owned()]);
    let out = spool
        .dir
        .run(["-q", "--ledger", "other.db", "--www", "spool"]);
    assert_eq!(out.errors, "");
    let dump = spool.dump("links.db");
    for (args, error) in [
        (["--merge", "other.db"], "www"),
        (["--merge", "links.db"], "cannot be added to itself"),
        (["--merge", "none.db"], "none.db"),
        (["--merge", "spool/a"], "not a ledger"),
    ] {
        spool.run(&args).ends(2, "", error);
    }
    assert_eq!(spool.dump("links.db"), dump);
    spool
        .dir
        .run(["--merge", "links.db"])
        .ends(2, "", "--ledger");
}
