//! Any partition of a file into ranges gives each record once, with the offsets
//! of the file.

use std::cell::Cell;
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use urlgrep::mail::{Container, ReadAs};
use urlgrep::ranges::{Description, Encoding, ReadAt, describe, visit};
use urlgrep::search::{Match, Searcher, Visitor};
use urlgrep_containers::MessageFinder;
use urlgrep_find::scan::is_ground;

/// The bytes that one range reads.
#[derive(Clone, Copy, Default)]
struct Read {
    number: u64,
    /// Offset of the first byte that was read, and offset after the last.
    span: Option<(u64, u64)>,
}

/// Counts the bytes that are read.
struct Counted<'a>(&'a [u8], Cell<Read>);

impl ReadAt for Counted<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let n = self.0.read_at(buffer, offset)?;
        let Read { number, span } = self.1.get();
        let (start, end) = (offset, offset + n as u64);
        self.1.set(Read {
            number: number + n as u64,
            span: span.map_or(Some((start, end)), |(first, last)| {
                Some((first.min(start), last.max(end)))
            }),
        });
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
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        let known = found.line().is_some();
        assert!(found.message.is_none_or(|m| m.number.is_some() == known));
        self.1 |= known;
        let message = found.message.map(|m| (m.start, m.end));
        self.0.push(format!(
            "{} {:?} {:?} {message:?} {:?} {:?} {:?}",
            found.hit.text().escape_ascii(),
            found.hit.url().map(|_| ()),
            found.source(),
            found.part(),
            found.header(),
            found.role(),
        ));
        ControlFlow::Continue(())
    }
}

fn searcher() -> Searcher {
    Searcher::builder().message_ends(true).build()
}

/// A file, and where it can be cut.
struct File<'a> {
    name: &'a str,
    src: Counted<'a>,
    description: Description,
    places: Vec<u64>,
}

impl<'a> File<'a> {
    fn new(name: &'a str, bytes: &'a [u8]) -> File<'a> {
        let src = Counted(bytes, Cell::default());
        let description = describe(&src, ReadAs::Auto).unwrap();
        let places = match description.container {
            container @ Container::Mbox(_) => {
                let (mut finder, mut starts) = (MessageFinder::new(container), Vec::new());
                finder.feed(bytes, &mut starts);
                finder.finish(&mut starts);
                starts.iter().map(|start| start.offset).collect()
            }
            Container::Text => {
                let starts = memchr::memchr_iter(b'\n', bytes).map(|at| at + 1);
                let places = starts.filter(|&at| is_ground(bytes, at));
                places.map(|at| at as u64).collect()
            }
            _ => Vec::new(),
        };
        File {
            name,
            src,
            description,
            places,
        }
    }

    /// The records of these ranges, which begin at `cuts`, and the number of
    /// bytes that were read.
    fn records(&self, cuts: &[u64], searcher: &mut Searcher) -> (Vec<String>, u64) {
        let (mut all, mut number) = (Vec::new(), 0);
        let len = self.src.0.len() as u64;
        let starts = [0].iter().chain(cuts);
        let ends = cuts.iter().chain(std::slice::from_ref(&len));
        for (&start, &end) in starts.zip(ends) {
            let mut records = Records::default();
            self.src.1.set(Read::default());
            visit(
                &self.src,
                &self.description,
                start..end,
                searcher,
                &mut records,
            )
            .unwrap();
            assert_eq!(records.1, start == 0 && !records.0.is_empty());
            all.append(&mut records.0);
            self.check_read(start, end);
            number += self.src.1.get().number;
        }
        (all, number)
    }

    /// The number of bytes from a cut to the end of the message that it divides.
    /// The range before the cut must read them because they belong to its last
    /// message. The range after the cut must read them to see that no message
    /// begins there. They are less than 5 % of a file, unless it has very long
    /// messages.
    fn shared(&self, cuts: &[u64]) -> u64 {
        let (len, mut end, mut number) = (self.src.0.len() as u64, 0, 0);
        for &cut in cuts.iter().filter(|_| self.description.is_divisible()) {
            let next = self.places.iter().copied().find(|&place| place >= cut);
            let next = next.unwrap_or(len).max(end);
            number += next - cut.max(end);
            end = next;
        }
        number
    }

    /// No byte was read twice, and few bytes outside of the range and of its
    /// last message.
    fn check_read(&self, start: u64, end: u64) {
        let Read { number, span } = self.src.1.get();
        let (first, last) = span.unwrap_or((start, start));
        assert_eq!(number, last - first, "{} {start}..{end}", self.name);
        let next = |at| self.places.iter().copied().find(|&place| place >= at);
        let cuts = self.description.is_divisible();
        let most = match next(start) {
            _ if !cuts && start > 0 => return assert_eq!(number, 0),
            // No message begins in the range.
            place if cuts && start > 0 && place.is_none_or(|place| place >= end) => end,
            _ => next(end).filter(|_| cuts).unwrap_or(u64::MAX),
        };
        let (before, after) = (start.saturating_sub(first), last.saturating_sub(most));
        assert!(
            before <= 26 << 10 && after <= 68 << 10,
            "{} {start}..{end}: {before} bytes before it, {after} bytes after {most}",
            self.name
        );
    }
}

/// Tests these partitions of a file, and how many bytes they read.
fn check(name: &str, bytes: &[u8], partitions: impl Iterator<Item = Vec<u64>>) {
    let file = File::new(name, bytes);
    let mut searcher = searcher();
    let (whole, _) = file.records(&[], &mut searcher);
    for cuts in partitions {
        let (got, read) = file.records(&cuts, &mut searcher);
        if got != whole {
            let i = (0..).find(|&i| got.get(i) != whole.get(i)).unwrap();
            panic!(
                "{name} {:?} cut at {cuts:?}: record {i}: {:?} instead of {:?}",
                file.description,
                got.get(i),
                whole.get(i)
            );
        }
        let (len, ranges) = (bytes.len() as u64, cuts.len() as u64 + 1);
        let most = (len * 21 / 20).max(len + file.shared(&cuts)) + ranges * (128 << 10);
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
    assert!(
        !describe(message.as_bytes(), ReadAs::Auto)
            .unwrap()
            .is_divisible()
    );
}

/// The range is searched to its end, and then the fault is returned, as an engine reports it.
#[cfg(feature = "cli")]
#[test]
fn an_attachment_over_a_limit_is_an_error_of_its_range() {
    use urlgrep_unpack::{UnpackFault, UnpackFaultKind};

    use crate::common::make::gzip;
    use crate::common::records::base64;

    let bomb = gzip(&gzip(&vec![b'x'; 20 << 20]));
    let mail = format!(
        "From: a\nSubject: b\nContent-Type: application/gzip; name=b.gz\n\
         Content-Transfer-Encoding: base64\n\n{}\nFrom a@b Thu Jan  1 00:00:00 1970\n\
         From: a\nSubject: c\n\nhttp://after.example/\n",
        base64(&bomb)
    );
    let mail = format!("From a@b Thu Jan  1 00:00:00 1970\n{mail}");
    let src = mail.as_bytes();
    let description = describe(src, ReadAs::Auto).unwrap();
    let (mut searcher, mut found) = (searcher(), Records::default());
    let error = visit(src, &description, 0..u64::MAX, &mut searcher, &mut found).unwrap_err();
    let fault = UnpackFault::of(&error).unwrap();
    // `--max-decompressed` sets another limit, so the fault is of this kind.
    assert_eq!(fault.kind, UnpackFaultKind::Decompressed);
    let at = mail.find("\n\n").map(|at| at as u64 + 2);
    assert_eq!(fault.offset, at);
    assert!(
        fault.text.starts_with("part 1, b.gz: stopped after"),
        "{fault}"
    );
    assert_eq!(found.0.len(), 1);
    // The next range of the same searcher knows nothing of it.
    let from = src.len() as u64 / 2;
    visit(src, &description, from..u64::MAX, &mut searcher, &mut found).unwrap();
    assert_eq!(found.0.len(), 2);
}

/// Compressed data, archives and UTF-16 are described as such. They are not
/// searched as text, although each of these has a URL in plain bytes.
#[test]
fn packed_sources_are_refused() {
    let url = b"\nhttp://a.example/\n";
    let gzip = [&b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x01\x13\0\xEC\xFF"[..], url].concat();
    let zip = [&b"PK\x03\x04\x14\0\0\0\0\0"[..], url].concat();
    let batch = [b"#! cunbatch\n\x1F\x9D\x90", &url[..]].concat();
    let mut tar = vec![0; 1024];
    tar[..1].copy_from_slice(b"a");
    tar[124..136].copy_from_slice(b"00000000023\0");
    tar[512..][..url.len()].copy_from_slice(url);
    let sum = 8 * 32 + tar[..512].iter().map(|&b| u32::from(b)).sum::<u32>();
    tar[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let utf16 = [&b"\xFF\xFE"[..], url].concat();
    for (bytes, encoding) in [
        (gzip, Encoding::Packed),
        (zip, Encoding::Packed),
        (batch, Encoding::Packed),
        (tar, Encoding::Packed),
        (utf16, Encoding::Utf16),
    ] {
        let description = describe(&bytes, ReadAs::Auto).unwrap();
        assert_eq!(description.encoding, encoding);
        assert!(!description.is_divisible());
        for range in [0..u64::MAX, 0..12, 12..u64::MAX] {
            let mut records = Records::default();
            let error = visit(&bytes, &description, range, &mut searcher(), &mut records);
            let error = error.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::Unsupported);
            assert!(error.to_string().ends_with("cannot be searched in ranges"));
            assert!(records.0.is_empty());
        }
    }
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

/// All files of both collections, if `URLGREP_CORPUS` names the first one.
fn corpora() -> Vec<(PathBuf, u64)> {
    fn walk(folder: &Path, out: &mut Vec<(PathBuf, u64)>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, out);
            } else {
                let len = path.metadata().unwrap().len();
                out.push((path, len));
            }
        }
    }
    let mut files = Vec::new();
    if let Some(first) = std::env::var_os("URLGREP_CORPUS").map(PathBuf::from) {
        walk(&first, &mut files);
        let second = first.with_file_name("corpus2");
        if second.is_dir() {
            walk(&second, &mut files);
        }
    }
    files.sort();
    files
}

#[test]
fn random_partitions_of_real_mail() {
    /// The maximum number of bytes of a file that are searched. They begin
    /// anywhere in the file, before a message if there is one.
    const MOST: u64 = 1 << 20;
    let files = corpora();
    let total = files.iter().map(|file| file.1).sum::<u64>();
    let number = std::env::var("URLGREP_PARTITIONS").map_or(40, |n| n.parse().unwrap());
    let mut random = Lcg(14);
    for i in 0..if files.is_empty() { 0 } else { number } {
        // Every second file is chosen by its size, because most files are small.
        let (path, len) = if i % 2 == 0 {
            &files[random.next(files.len() as u64) as usize]
        } else {
            let mut at = random.next(total);
            let is_here = |file: &&(PathBuf, u64)| {
                let here = at < file.1;
                at = at.saturating_sub(file.1);
                here
            };
            files.iter().find(is_here).unwrap_or(&files[0])
        };
        let mut bytes = fs::read(path).unwrap();
        let from = random.next(1 + len.saturating_sub(MOST)) as usize;
        let message = memchr::memmem::find(&bytes[from..], b"\nFrom ").filter(|_| from > 0);
        bytes.drain(..from + message.map_or(0, |at| at + 1));
        bytes.truncate(MOST as usize);
        if bytes.is_empty()
            || describe(&bytes[..], ReadAs::Auto).unwrap().encoding != Encoding::Plain
        {
            continue;
        }
        let len = bytes.len() as u64;
        let mut cuts: Vec<u64> = (0..random.next(12)).map(|_| random.next(len)).collect();
        cuts.sort_unstable();
        check(&path.display().to_string(), &bytes, std::iter::once(cuts));
    }
}
