//! What people and programs do to a mailbox, and the links that are then new.

use std::fs;

use super::grow::{gzip, tar};
use super::spool::{Spool, mbox, message};

/// A change of the file `box`, which has the messages 0 to 39, and the messages
/// whose links are then new.
type Change = (&'static str, fn(&Spool), &'static [usize]);

const CHANGES: &[Change] = &[
    (
        "compressed",
        |spool| {
            spool.write("box.gz", gzip(&spool.read("box"), 6));
            remove(spool, "box");
        },
        &[],
    ),
    (
        "copied",
        |spool| spool.write("a copy", spool.read("box")),
        &[],
    ),
    (
        "packed",
        |spool| {
            let text = mbox(0..40);
            spool.write("mail.tar", tar(&[("box", text)]));
            remove(spool, "box");
        },
        &[],
    ),
    (
        "packed and compressed, and the mailbox stays",
        |spool| spool.write("mail.tar.gz", gzip(&tar(&[("box", mbox(0..40))]), 6)),
        &[],
    ),
    (
        "rotated",
        |spool| {
            rename(spool, "box", "box.1");
            spool.write("box", mbox(40..42));
        },
        &[40, 41],
    ),
    (
        "rotated and compressed",
        |spool| {
            spool.write("box.1.gz", gzip(&spool.read("box"), 6));
            spool.write("box", mbox(40..42));
        },
        &[40, 41],
    ),
    ("renamed", |spool| rename(spool, "box", "sub/name"), &[]),
    (
        "split",
        |spool| {
            spool.write("a", mbox(0..13));
            spool.write("c", mbox(13..40));
            remove(spool, "box");
        },
        &[],
    ),
    (
        "split into a folder of messages",
        |spool| {
            for n in 0..40 {
                let text = message(n);
                let (_, text) = text.split_once('\n').unwrap();
                spool.write(&format!("cur/{n}:2,"), text);
            }
            remove(spool, "box");
        },
        &[],
    ),
    (
        "concatenated",
        |spool| spool.write("box", mbox(50..60) + &mbox(0..40)),
        &[50, 51, 52, 53, 54, 55, 56, 57, 58, 59],
    ),
    (
        "expunged",
        |spool| {
            spool.write("box", mbox(0..10) + &mbox(15..40));
            spool.touch("box");
        },
        &[],
    ),
    (
        "expunged, and the messages moved to another folder",
        |spool| {
            spool.write("box", mbox(0..10) + &mbox(15..40));
            spool.write("another", mbox(10..15));
        },
        &[],
    ),
    (
        "sorted the other way round",
        |spool| {
            let messages = (0..40).rev().map(message);
            spool.write("box", messages.collect::<String>());
            spool.touch("box");
        },
        &[],
    ),
    (
        "read, so that each message has a Status",
        |spool| {
            let text = mbox(0..40).replace("\nSubject:", "\nStatus: RO\nSubject:");
            spool.write("box", text);
        },
        &[],
    ),
    (
        "appended to",
        |spool| spool.append("box", mbox(40..41)),
        &[40],
    ),
    (
        "cut inside its last message",
        |spool| {
            let text = mbox(0..40);
            spool.write("box", &text[..text.len() - 300]);
        },
        &[],
    ),
    ("removed", |spool| remove(spool, "box"), &[]),
    (
        "emptied",
        |spool| {
            spool.write("box", "");
        },
        &[],
    ),
];

fn remove(spool: &Spool, name: &str) {
    fs::remove_file(spool.path(name)).unwrap();
}

fn rename(spool: &Spool, from: &str, to: &str) {
    let to = spool.path(to);
    fs::create_dir_all(to.parent().unwrap()).unwrap();
    fs::rename(spool.path(from), to).unwrap();
}

/// Each change, then two more runs: one without a change, and one in which the
/// mailbox is as before. No link is ever new twice.
#[test]
fn the_links_of_a_known_message_are_never_new_again() {
    for (what, change, new) in CHANGES {
        let spool = Spool::new();
        spool.write("box", mbox(0..40));
        spool.write("other", mbox(100..102));
        assert_eq!(spool.news().len(), 84);
        change(&spool);
        let urls = |n: &usize| [format!("http://h{}.example/{n}", n % 7), every()];
        let mut expected: Vec<_> = new.iter().flat_map(urls).collect();
        expected.sort();
        assert_eq!(spool.news(), expected, "{what}");
        spool.is_as_new();
        // Nothing that was found is forgotten, and nothing counts twice.
        let count = "SELECT count FROM url WHERE canonical = 'http://every.example/'";
        let messages = (42 + new.len()) as i64;
        assert_eq!(spool.ask(count), messages, "{what}");
        let lines = spool.run(&[]).text().lines().count() as i64;
        assert_eq!(lines, 2 * messages, "{what}");
        assert!(spool.news().is_empty(), "{what}");
        spool.write("box", mbox(0..40));
        spool.touch("box");
        assert!(spool.news().is_empty(), "{what}");
        spool.is_as_new();
        assert_eq!(spool.ask(count), messages, "{what}");
    }
}

fn every() -> String {
    "http://every.example/".to_owned()
}

/// The links of a deleted file and those of a message that its mailbox no longer
/// has are kept alike.
#[test]
fn what_is_gone_is_kept_and_marked() {
    let states = ["removed", "expunged"].map(|what| {
        let spool = Spool::new();
        spool.write("box", mbox(0..2));
        spool.write("one", mbox(2..3));
        spool.news();
        match what {
            "removed" => remove(&spool, "one"),
            _ => {
                spool.write("one", "\n");
                spool.touch("one");
            }
        }
        assert!(spool.news().is_empty());
        let gone = "SELECT count(*) FROM links WHERE gone";
        assert_eq!(spool.ask(gone), 2, "{what}");
        spool.run(&["--tsv", "--fields", "url,date,subject"]).text()
    });
    assert_eq!(states[0], states[1]);
}

/// A list server adds a footer, and a broken client uses an id twice.
#[test]
fn messages_with_one_id_and_other_links_are_both_printed() {
    let spool = Spool::new();
    let letter = |links: &str| format!("Message-ID: <1@b.example>\nFrom: a@b.example\n\n{links}\n");
    let (one, two) = ("http://one.example/", "http://two.example/");
    spool.write("a", letter(&format!("{one}\n{one}")));
    assert_eq!(spool.news(), [one, one]);
    spool.write("b", letter(&format!("{one}\n{two}")));
    assert_eq!(spool.news(), [two]);
    spool.is_as_new();
    spool.run(&[]).is(&format!("{one}\n{one}\n{two}\n"));
    // The links of the first message count in the second one, which has one.
    remove(&spool, "a");
    assert!(spool.news().is_empty());
    spool.is_as_new();
    spool.run(&[]).is(&format!("{one}\n{two}\n"));
    assert_eq!(spool.ask("SELECT sum(count) FROM url"), 2);
}

/// A URL that leaves a message while the message stays is gone, and not new when it is back.
#[test]
fn an_edited_message_keeps_its_links_as_gone() {
    let spool = Spool::new();
    let letter = |text: &str| format!("Message-ID: <1@b.example>\nFrom: a@b.example\n\n{text}\n");
    let (one, two, three) = (
        "http://one.example/",
        "http://two.example/",
        "http://three.example/",
    );
    let edit = |text: String| {
        spool.write("a", letter(&text));
        spool.touch("a");
        let news = spool.news();
        spool.is_as_new();
        news
    };
    let gone = |expected: &[&str]| {
        let sql = "SELECT count(*) FROM links WHERE gone";
        assert_eq!(spool.ask(sql), expected.len() as i64);
        for url in expected {
            let sql = format!("SELECT count(*) FROM links WHERE gone AND url = '{url}'");
            assert_eq!(spool.ask(&sql), 1, "{url}");
        }
    };
    assert_eq!(edit(format!("{one}\n{two}\n{two}x")).len(), 3);
    assert!(edit(format!("{one}\nsee below")).is_empty());
    spool.run(&[]).is(&format!("{two}\n{two}x\n{one}\n"));
    gone(&[two, &format!("{two}x")]);
    // Another edit, a copy, and a copy that goes: what is gone stays so.
    assert_eq!(edit(three.to_owned()), [three]);
    gone(&[one, two, &format!("{two}x")]);
    spool.write("b", letter(two));
    assert!(spool.news().is_empty());
    spool.is_as_new();
    gone(&[one, &format!("{two}x")]);
    remove(&spool, "b");
    assert!(spool.news().is_empty());
    spool.is_as_new();
    gone(&[one, two, &format!("{two}x")]);
    // All are back, and none is new.
    assert!(edit(format!("{one}\n{two}\n{two}x\n{three}")).is_empty());
    gone(&[]);
    assert_eq!(spool.ask("SELECT count(*) FROM message"), 1);
    assert_eq!(spool.ask("SELECT sum(count) FROM url"), 4);
}

/// Nothing but its file identifies a message without an id.
#[test]
fn a_message_without_an_id_counts_by_file() {
    let spool = Spool::new();
    let letter = "From: a@b.example\nSubject: s\n\nhttp://one.example/\n";
    spool.write("a", letter);
    assert_eq!(spool.news().len(), 1);
    spool.write("b", letter);
    assert_eq!(spool.news().len(), 1);
    spool.is_as_new();
    assert_eq!(spool.ask("SELECT count FROM url"), 2);
    // The same file, read again.
    spool.write("a", format!("Status: RO\n{letter}"));
    assert!(spool.news().is_empty());
    spool.is_as_new();
}
