//! Any partition of a file into ranges gives each record once, with the offsets
//! of the file.

#![cfg(feature = "mail")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use urlgrep::mail::{Container, MessageFinder};
use urlgrep::ranges::{Description, ReadAt, describe, search};
use urlgrep::scan::is_ground;
use urlgrep::search::{Match, Searcher, Visitor};

/// Counts the bytes that are read.
struct Counted<'a>(&'a [u8], AtomicU64);

impl ReadAt for Counted<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let n = self.0.read_at(buffer, offset)?;
        self.1.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }

    fn size(&self) -> io::Result<Option<u64>> {
        self.0.size()
    }
}

/// All fields of each hit except its line and the number of its message, which
/// a range may not know.
#[derive(Default)]
struct Records(Vec<String>, bool);

impl Visitor for Records {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        let known = found.line().is_some();
        assert!(found.message.is_none_or(|m| m.number.is_some() == known));
        self.1 |= known;
        let message = found.message.map(|m| (m.start, m.end));
        self.0.push(format!(
            "{} {:?} {:?} {message:?} {:?} {:?} {:?}",
            found.hit.url().escape_ascii(),
            found.hit.verdict().map(|_| ()),
            found.source(),
            found.part(),
            found.header(),
            found.role(),
        ));
        true
    }
}

fn searcher() -> Searcher {
    Searcher::builder().message_ends(true).build()
}

/// The records of these ranges, which begin at `cuts`.
fn of(
    src: &Counted<'_>,
    description: &Description,
    cuts: &[u64],
    searcher: &mut Searcher,
) -> Vec<String> {
    let mut all = Vec::new();
    let len = src.0.len() as u64;
    let starts = [0].iter().chain(cuts);
    let ends = cuts.iter().chain(std::slice::from_ref(&len));
    for (&start, &end) in starts.zip(ends) {
        let mut records = Records::default();
        search(src, description, start..end, searcher, &mut records).unwrap();
        assert_eq!(records.1, start == 0 && !records.0.is_empty());
        all.append(&mut records.0);
    }
    all
}

/// The total length of all messages over 64 KiB. In plain text, the total length
/// of all pieces over 64 KiB between two ground states. Ranges read these bytes
/// up to three times.
fn long(container: Container, bytes: &[u8]) -> u64 {
    let mut places = vec![0];
    match container {
        Container::Mbox(_) => {
            let (mut finder, mut starts) = (MessageFinder::new(container), Vec::new());
            finder.feed(bytes, &mut starts);
            finder.finish(&mut starts);
            places.extend(starts.iter().map(|start| start.offset as usize));
        }
        Container::Text => {
            let starts = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
            places.extend(starts.filter(|&at| is_ground(bytes, at)));
        }
        _ => return 0,
    }
    places.push(bytes.len());
    let apart = places.windows(2).map(|pair| (pair[1] - pair[0]) as u64);
    apart.filter(|&len| len > 64 << 10).sum()
}

/// Tests these partitions of a file, and how many bytes they read.
fn check(name: &str, bytes: &[u8], partitions: impl Iterator<Item = Vec<u64>>) {
    let src = Counted(bytes, AtomicU64::new(0));
    let description = describe(&src).unwrap();
    let long = long(description.container, bytes);
    let mut searcher = searcher();
    let whole = of(&src, &description, &[], &mut searcher);
    for cuts in partitions {
        src.1.store(0, Ordering::Relaxed);
        let got = of(&src, &description, &cuts, &mut searcher);
        let read = src.1.load(Ordering::Relaxed);
        if got != whole {
            let i = (0..).find(|&i| got.get(i) != whole.get(i)).unwrap();
            panic!(
                "{name} {description:?} cut at {cuts:?}: record {i}: {:?} instead of {:?}",
                got.get(i),
                whole.get(i)
            );
        }
        let ranges = cuts.len() as u64 + 1;
        let most = bytes.len() as u64 * 21 / 20 + 2 * long + ranges * (128 << 10);
        assert!(
            read <= most,
            "{name} cut at {cuts:?}: {read} bytes, bound {most}"
        );
    }
}

fn message(from: &str, i: usize) -> String {
    format!(
        "{from}\nMessage-ID: <{i}@x.example>\nSubject: http://s{i}.example/\n\nsee http://a{i}.example/\n\n\
         From here on, <URL:http://b{i}.exa\nmple/c>\n\nFrom me to you\n\n>From x\n-- \nhttp://c.example/\n\n"
    )
}

const DATED: &str = "From a@b.example Thu Jan  1 00:00:00 1970";

#[test]
fn every_cut_of_small_mailboxes() {
    let dialects = [
        vec![DATED],
        vec!["From ..."],
        vec!["From 12345", "From -77"],
        vec!["From - Thu Jan  1 00:00:00 1970"],
        vec!["From -", DATED],
        vec![DATED, "From ...", "From 12345"],
        vec!["From nobody", DATED, "From ..."],
    ];
    for lines in dialects {
        let mbox: String = (0..3).map(|i| message(lines[i % lines.len()], i)).collect();
        let cuts = (1..mbox.len() as u64).map(|cut| vec![cut]);
        check(lines[0], mbox.as_bytes(), cuts);
        let crlf = mbox.replace('\n', "\r\n");
        let cuts = (1..crlf.len() as u64).step_by(11).map(|cut| vec![cut]);
        check(lines[0], crlf.as_bytes(), cuts);
    }
}

#[test]
fn cuts_of_text() {
    let mut text =
        b"one http://a.example/\n\n<URL:http://b.exa\nmple/>\n\x0C\n\nhttp://c.example/d\n\n"
            .repeat(12);
    text.extend(b"Az09+/Az09+/Az09+/Az09+/Az09+/Az09+/Az09+/Az09+/AA==\n".repeat(1400));
    text.extend(b"http://e.example/ here\r\n\r\nand http://f.example/\n".repeat(20));
    let len = text.len() as u64;
    let near = (1..900).step_by(7).chain((len - 900..len).step_by(7));
    check("text", &text, near.map(|cut| vec![cut]));
    check(
        "text",
        &text,
        (1..40).map(|n| (1..n).map(|i| i * len / n).collect()),
    );
}

/// A file that cannot be cut belongs to the range with its first byte.
#[test]
fn one_message_is_one_range() {
    let message = format!("From: a@b.example\nDate: x\n{}", message("X: y", 1));
    check(
        "message",
        message.as_bytes(),
        (1..40).map(|cut| vec![cut * 3, cut * 4]),
    );
    assert!(!describe(message.as_bytes()).unwrap().is_divisible());
}

/// A generator of numbers with the same sequence on every machine.
struct Lcg(u64);

impl Lcg {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % below
    }
}

#[test]
fn random_partitions_of_real_mail() {
    let Some(corpus) = std::env::var_os("URLGREP_CORPUS") else {
        return;
    };
    fn files(folder: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files(&path, out);
            } else {
                out.push(path);
            }
        }
    }
    let number = std::env::var("URLGREP_PARTITIONS").map_or(40, |n| n.parse().unwrap());
    let mut paths = Vec::new();
    files(Path::new(&corpus), &mut paths);
    paths.sort();
    let mut random = Lcg(14);
    for _ in 0..number {
        let path = &paths[random.next(paths.len() as u64) as usize];
        let mut bytes = fs::read(path).unwrap();
        bytes.truncate(300_000);
        if bytes.is_empty() || bytes.starts_with(&[0x1F, 0x8B]) {
            continue;
        }
        let len = bytes.len() as u64;
        let mut cuts: Vec<u64> = (0..random.next(6)).map(|_| random.next(len)).collect();
        cuts.sort_unstable();
        check(&path.display().to_string(), &bytes, std::iter::once(cuts));
    }
}
