//! Files that change between two runs: they grow, are rewritten, renamed,
//! compressed anew or removed.

use std::fs;
use std::io::Write;

use super::spool::{Spool, mbox, message};

/// The URLs of these messages, and the URLs that every message has.
fn urls(numbers: std::ops::Range<usize>) -> Vec<String> {
    let own = |n: usize| format!("http://h{}.example/{n}", n % 7);
    let mut urls: Vec<_> = numbers.clone().map(own).collect();
    urls.extend(numbers.map(|_| "http://every.example/".to_owned()));
    urls.sort();
    urls
}

pub fn gzip(bytes: &[u8], level: u32) -> Vec<u8> {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
    gzip.write_all(bytes).unwrap();
    gzip.finish().unwrap()
}

/// An archive in the format ustar.
pub fn tar(names: &[(&str, String)]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, text) in names {
        let mut header = [0u8; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[100..108].copy_from_slice(b"0000644\0");
        header[124..136].copy_from_slice(format!("{:011o}\0", text.len()).as_bytes());
        header[136..148].copy_from_slice(b"00000000000\0");
        header[156] = b'0';
        header[257..265].copy_from_slice(b"ustar\x0000");
        header[148..156].fill(b' ');
        let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
        header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        tar.extend_from_slice(&header);
        tar.extend_from_slice(text.as_bytes());
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar.resize(tar.len() + 1024, 0);
    tar
}

#[test]
fn a_mailbox_that_grew_is_read_from_its_last_message() {
    let spool = Spool::new();
    spool.write("box", mbox(0..40));
    assert_eq!(spool.news(), urls(0..40));
    spool.is_as_new();
    assert!(spool.ask("SELECT read_up_to FROM file") > 12_000);

    // The bytes between the samples are not read again.
    let text = String::from_utf8(spool.read("box")).unwrap();
    let other = text.replace("http://h6.example/20", "http://h6.example/XY");
    assert_ne!(text, other);
    spool.write("box", other + &mbox(40..43));
    assert_eq!(spool.news(), urls(40..43));

    spool.write("box", text + &mbox(40..43));
    spool.touch("box");
    spool.is_as_new();
}

#[test]
fn a_message_that_is_written_in_two_parts_is_one() {
    let spool = Spool::new();
    let all = mbox(0..21);
    for cut in [1, 30, 47, 100, 150, 200, 250, 300, 399] {
        spool.write("box", &all[..mbox(0..20).len() + cut]);
        spool.touch("box");
        spool.news();
        spool.write("box", &all);
        spool.news();
        spool.is_as_new();
        fs::remove_file(spool.dir.path().join("links.db")).unwrap();
    }
}

#[test]
fn plain_text_that_grew_is_read_from_a_blank_line() {
    let spool = Spool::new();
    let paragraph = |n: usize| format!("Some words and http://a.example/{n}\nmore\n\n");
    let text: String = (0..400).map(paragraph).collect();
    spool.write("faq.txt", &text);
    assert_eq!(spool.news().len(), 400);
    spool.is_as_new();
    assert!(spool.ask("SELECT read_up_to FROM file") > 12_000);

    let other = text.replace("http://a.example/140", "http://a.example/XYZ");
    spool.write("faq.txt", other + "see http://b.example/");
    assert_eq!(spool.news(), ["http://b.example/"]);
    // The file grows, and the URL at its end continues.
    spool.write("faq.txt", text + "see http://b.example/more\n");
    assert_eq!(spool.news(), ["http://b.example/more"]);
    spool.is_as_new();
}

#[test]
fn an_unchanged_file_is_not_opened() {
    let spool = Spool::new();
    spool.write("box", mbox(0..3));
    spool.write("text", "http://a.example/");
    spool.news();
    spool.write_unseen("text", "http://b.example/");
    assert!(spool.news().is_empty());
    assert_eq!(spool.run(&["--stats", "-F", "-e", "b.example"]).text(), "");
}

#[test]
fn a_file_that_was_rewritten_is_read_anew() {
    let spool = Spool::new();
    spool.write("box", mbox(0..40));
    spool.news();
    let text = String::from_utf8(spool.read("box")).unwrap();
    // The same size, and the same bytes at both ends.
    spool.write(
        "box",
        text.replace("http://h6.example/20", "http://h6.example/XY"),
    );
    spool.touch("box");
    assert_eq!(spool.news(), ["http://h6.example/XY"]);
    spool.is_as_new();
    // Shorter: the first messages were removed. The link that was replaced is back, and was gone.
    spool.write("box", mbox(10..40));
    assert!(spool.news().is_empty());
    spool.is_as_new();
    // Longer, with another beginning. It has two messages twice.
    spool.write("box", mbox(50..52) + &mbox(10..60));
    assert_eq!(spool.news(), urls(40..60));
    spool.is_as_new();
}

#[test]
fn a_file_that_was_rotated_gives_no_news() {
    let spool = Spool::new();
    spool.write("box", mbox(0..40));
    spool.news();
    fs::rename(spool.path("box"), spool.path("box.1")).unwrap();
    spool.write("box", mbox(40..42));
    assert_eq!(spool.news(), urls(40..42));
    spool.is_as_new();
}

#[test]
fn a_file_that_was_compressed_anew_is_read_anew() {
    let spool = Spool::new();
    let text = mbox(0..40);
    spool.write("box.gz", gzip(text.as_bytes(), 9));
    assert_eq!(spool.news(), urls(0..40));
    spool.is_as_new();
    spool.write("box.gz", gzip(text.as_bytes(), 1));
    assert!(spool.news().is_empty());
    spool.is_as_new();
    spool.write("box.gz", gzip(mbox(0..42).as_bytes(), 1));
    assert_eq!(spool.news(), urls(40..42));
    spool.is_as_new();
    // Two members of gzip are one file.
    let two = [gzip(text.as_bytes(), 1), gzip(message(40).as_bytes(), 1)].concat();
    spool.write("box.gz", two);
    assert!(spool.news().is_empty());
    spool.is_as_new();
}

#[test]
fn a_file_that_vanished_is_marked_and_keeps_its_hits() {
    let spool = Spool::new();
    spool.write("box", mbox(0..3));
    spool.write("other", mbox(3..6));
    spool.news();
    let away = spool.dir.path().join("away");
    fs::rename(spool.path("box"), &away).unwrap();
    assert!(spool.news().is_empty());
    assert_eq!(
        spool.ask("SELECT count(*) FROM file WHERE state = 'vanished'"),
        1
    );
    assert_eq!(spool.run(&["-c"]).text().lines().count(), 2);
    fs::rename(&away, spool.path("box")).unwrap();
    assert!(spool.news().is_empty());
    spool.is_as_new();
    // A file that another run does not search is not marked.
    spool.run(&["spool/box"]);
    spool.run(&["-g", "box", "spool"]);
    spool.is_as_new();
}

#[test]
fn a_file_that_was_renamed_is_not_read() {
    let spool = Spool::new();
    spool.write("new/1", mbox(0..2));
    spool.write("cur/0", mbox(2..4));
    spool.news();
    fs::rename(spool.path("new/1"), spool.path("cur/1:2,S")).unwrap();
    assert!(spool.news().is_empty());
    spool.is_as_new();
    // The other way round: the new name is sorted first.
    fs::rename(spool.path("cur/1:2,S"), spool.path("cur/.1")).unwrap();
    spool.write("cur/1:2,S", mbox(9..10));
    assert_eq!(spool.news(), urls(9..10));
    spool.is_as_new();
}

#[test]
fn members_of_archives_come_and_go() {
    let spool = Spool::new();
    spool.write(
        "a.tar",
        tar(&[("one", mbox(0..2)), ("two", "http://two.example/".into())]),
    );
    assert_eq!(spool.news().len(), 5);
    spool.is_as_new();
    spool.write(
        "a.tar",
        tar(&[("two", "http://two.example/".into()), ("three", mbox(4..5))]),
    );
    assert_eq!(spool.news(), urls(4..5));
    spool.is_as_new();
    let here = "SELECT count(*) FROM file WHERE state <> 'vanished'";
    assert_eq!(spool.ask(here), 3);
    spool.write("a.tar", tar(&[]));
    assert!(spool.news().is_empty());
    spool.is_as_new();
    fs::rename(spool.path("a.tar"), spool.path("b.tar")).unwrap();
    spool.news();
    spool.is_as_new();
}

#[test]
fn a_run_that_was_not_finished_loses_no_news() {
    let spool = Spool::new();
    spool.write("box", mbox(0..4));
    spool.news();
    spool.write("box", mbox(0..5));
    // Nothing can be printed to a full disk.
    let out = spool.dir.shell("$U --ledger links.db spool >/dev/full");
    assert_eq!(out.code, Some(2));
    assert_eq!(spool.news(), urls(4..5));
    assert!(spool.news().is_empty());
}
