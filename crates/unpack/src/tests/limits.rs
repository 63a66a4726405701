//! Limits of windows, output and depth, and files made to be slow.

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::write::GzEncoder;
use urlgrep_unpack::{Event, Limits, Source, Unpacker};

use super::STREAMS;
use super::fixture;
use super::make::{ZipMember, bzip2, deflate, gzip, stored_xz, tar, tar_member, zip, zstd};
use super::properties::{FILE, How, PIPE, unpack};

#[test]
fn four_deep_and_five() {
    let text = b"http://a.example/\n";
    let one = gzip(text);
    let two = tar(&[("in.gz", &one), ("beside", text)]);
    let three = zip(&[
        ZipMember::deflated("in.tar", &two),
        ZipMember::stored("after", text),
    ]);
    let four = bzip2(&three);
    let five = tar(&[("deep.bz2", &four), ("last", text)]);
    for how in [FILE, PIPE] {
        let got = unpack(&four, how);
        assert_eq!(
            got.names(),
            ["f!in.tar!in.gz", "f!in.tar!beside", "f!after"]
        );
        assert!(got.whole().iter().all(|leaf| leaf.1 == text));
        let got = unpack(&five, how);
        assert_eq!(
            got.names(),
            ["f!deep.bz2!in.tar!beside", "f!deep.bz2!after", "f!last"]
        );
        assert_eq!(
            got.faults,
            ["f!deep.bz2!in.tar!in.gz: packed more than 4 deep; left out"]
        );
        let none = How {
            limits: Limits::default().depth(0),
            ..how
        };
        assert_eq!(unpack(&one, none).faults.len(), 1);
    }
}

#[test]
fn a_zip_in_a_zip() {
    let text = fixture("text");
    let inner = zip(&[
        ZipMember::deflated("a", &text),
        ZipMember {
            late: true,
            ..ZipMember::deflated("b", &text)
        },
    ]);
    let outer = zip(&[
        ZipMember::deflated("x.zip", &inner),
        ZipMember::stored("y.zip", &inner),
    ]);
    for how in [FILE, PIPE] {
        let leaves = unpack(&outer, how).whole();
        assert!(leaves.iter().all(|leaf| leaf.1 == text));
        let names: Vec<_> = leaves.iter().map(|leaf| leaf.0.as_str()).collect();
        assert_eq!(names, ["f!x.zip!a", "f!x.zip!b", "f!y.zip!a", "f!y.zip!b"]);
    }
}

#[test]
fn windows_over_the_limit_are_refused() {
    let text = fixture("text");
    for (name, wide) in [("window.xz", "256 MiB"), ("window.zst", "512 MiB")] {
        let got = unpack(&fixture(name), FILE);
        assert_eq!((got.bytes(), got.faults.len()), (Vec::new(), 1), "{name}");
        got.says(&["f: ", wide]);
        let limits = Limits::default().max_window(1 << 30);
        assert_eq!(
            unpack(&fixture(name), How { limits, ..FILE }).whole()[0].1,
            text
        );
    }
    unpack(&fixture("x86.xz"), FILE).says(&["unsupported"]);
}

#[test]
fn all_layers_share_the_budget_of_windows() {
    // 64 MiB and 64 MiB are 128 MiB.
    let half = |bytes: &[u8]| stored_xz(bytes, 14);
    for file in [half(&half(b"text")), half(&gzip(&half(b"text")))] {
        assert_eq!(unpack(&file, PIPE).whole()[0].1, b"text");
    }
    let inner = half(&half(b"text"));
    let got = unpack(&half(&inner), PIPE);
    assert_eq!(got.bytes(), b"");
    assert_eq!(
        got.faults,
        [
            "f: 12: xz data: needs a window of 64 MiB; at most 128 MiB are allowed, \
             and other layers use 128 MiB"
        ]
    );
    // The window of a finished stream or member is free again.
    let two = [half(b"one "), half(b"two")].concat();
    assert_eq!(unpack(&half(&two), PIPE).whole()[0].1, b"one two");
    let members = [("a", &*half(b"a")), ("b", &*half(b"b")), ("c", &half(b"c"))];
    assert_eq!(unpack(&half(&tar(&members)), PIPE).whole().len(), 3);
    // The window of a zstd frame counts too.
    let zstd = fixture("window.zst");
    let limits = Limits::default().max_window(600 << 20);
    let got = |file: &[u8]| unpack(file, How { limits, ..PIPE });
    assert_eq!(got(&half(&zstd)).whole()[0].1, fixture("text"));
    got(&half(&half(&zstd))).says(&["512 MiB", "at most 600 MiB", "use 128 MiB"]);
}

#[test]
fn decompressed_bytes_are_limited() {
    let text = fixture("text");
    for name in STREAMS.iter().chain(&["streamed.zip", "bz.zip"]) {
        for (limit, faults) in [(0, 1), (1, 1), (100, 1), (1232, 1), (1233, 0), (1300, 0)] {
            let limits = Limits::default().max_decompressed(Some(limit));
            let got = unpack(&fixture(name), How { limits, ..PIPE });
            assert!(
                [&text[..], b"http://c.example/\n"]
                    .concat()
                    .starts_with(&got.bytes())
            );
            assert_eq!(
                got.bytes().len() as u64,
                limit.min(got.bytes().len() as u64)
            );
            if name.ends_with("streamed.zip") {
                continue;
            }
            assert_eq!(got.faults.len(), faults, "{name} {limit} {:?}", got.faults);
            assert!(
                limit > 1233 || got.bytes().len() as u64 == limit,
                "{name} {limit}"
            );
            if faults > 0 {
                got.says(&["f", &format!("{limit} bytes")]);
                assert!(got.stopped);
            }
        }
    }
    // All layers count: the outer layer outputs `inner` bytes, and the inner layer
    // 2,000 bytes.
    let nested = gzip(&gzip(&vec![b'a'; 2000]));
    let inner = gzip(&vec![b'a'; 2000]).len() as u64;
    for (limit, len) in [(inner + 1999, 1999), (inner + 2000, 2000)] {
        let limits = Limits::default().max_decompressed(Some(limit));
        let got = unpack(
            &nested,
            How {
                limits,
                ask: 64,
                ..PIPE
            },
        );
        assert_eq!(
            (got.bytes().len(), got.faults.is_empty()),
            (len, len == 2000)
        );
    }
    // Members that are not compressed do not count.
    let limits = Limits::default().max_decompressed(Some(0));
    unpack(&tar(&[("a", b"text")]), How { limits, ..PIPE }).whole();
    unpack(
        &zip(&[ZipMember::stored("a", b"text")]),
        How { limits, ..PIPE },
    )
    .whole();
}

#[test]
fn a_bomb_in_a_bomb_ends_at_the_default_limit() {
    // Compressed zeros can be compressed again. The test has 16 MiB of zeros, and a
    // limit of 5 MiB instead of the default of 16 GiB, so that it is quick.
    let mut to = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let zeros = vec![0; 1 << 20];
    for _ in 0..16 {
        to.write_all(&zeros).unwrap();
    }
    let bomb = gzip(&to.finish().unwrap());
    let limits = Limits::default().max_decompressed(Some(5 << 20));
    let got = unpack(&bomb, How { limits, ..PIPE });
    assert!(got.bytes().len() <= 5 << 20);
    assert!(got.stopped);
}

/// Counts the reads and seeks of a file.
struct Counting {
    file: Cursor<Vec<u8>>,
    read: Arc<AtomicU64>,
    sought: Arc<AtomicU64>,
}

impl Read for Counting {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buf)?;
        self.read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

impl Seek for Counting {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.sought.fetch_add(1, Ordering::Relaxed);
        self.file.seek(to)
    }
}

/// The number of bytes read of `file`, of seeks, of bytes in all leaves, of
/// leaves, and of faults.
fn cost(file: &[u8], seek: bool) -> (u64, u64, u64, u64, usize) {
    let (read, sought) = (Arc::default(), Arc::default());
    let counting = Counting {
        file: Cursor::new(file.to_vec()),
        read: Arc::clone(&read),
        sought: Arc::clone(&sought),
    };
    let source = if seek {
        Source::Seek(Box::new(counting))
    } else {
        Source::Reader(Box::new(counting))
    };
    let mut unpacker = Unpacker::new(source, Vec::new(), Some(b"f"), FILE.limits);
    let (mut out, mut leaves, mut faults) = (0, 0, 0);
    let mut buf = vec![0; 1 << 16];
    while let Some(event) = unpacker.next() {
        match event {
            Event::Fault(_) => faults += 1,
            Event::Member => {
                leaves += 1;
                while let n @ 1.. = unpacker.read(&mut buf).unwrap() {
                    out += n as u64;
                }
            }
        }
    }
    let count = |n: &AtomicU64| n.load(Ordering::Relaxed);
    (count(&read), count(&sought), out, leaves, faults)
}

/// Archives made to be slow, however they are nested and however many members
/// they claim. At most four times the size of the file, plus 256 KiB, is read. The
/// output, the leaves, the seeks and the faults are bounded too.
#[test]
fn hostile_archives_are_read_once() {
    let many = 3000;
    let names: Vec<String> = (0..many).map(|i| format!("{i}")).collect();
    let members = |data: &[u8]| -> Vec<ZipMember<'_>> {
        names.iter().map(|n| ZipMember::stored(n, data)).collect()
    };
    let empty = zip(&members(b""));
    let small = zip(&members(b"http://a.example/"));
    let late: Vec<_> = members(b"x")
        .into_iter()
        .map(|m| ZipMember {
            late: true,
            method: 8,
            data: deflate(b"x"),
            ..m
        })
        .collect();
    let late = zip(&late);
    // A directory that names one member many times.
    let one = zip(&[ZipMember::stored("a", &[b'a'; 50_000])]);
    let (start, end) = (one.len() - 22 - 52, one.len() - 22);
    let mut again = one[..start].to_vec();
    (0..many).for_each(|_| again.extend_from_slice(&one[start..end]));
    let size = (again.len() - start) as u32;
    again.extend_from_slice(&one[end..]);
    let at = again.len() - 22;
    again[at + 8..at + 10].copy_from_slice(&(many as u16).to_le_bytes());
    again[at + 10..at + 12].copy_from_slice(&(many as u16).to_le_bytes());
    again[at + 12..at + 16].copy_from_slice(&size.to_le_bytes());
    // Signatures of an end record throughout the file.
    let ends = b"PK\x05\x06".repeat(50_000);
    let inner = zip(&members(b"http://a.example/")[..50]);
    let wide: Vec<_> = names[..50]
        .iter()
        .map(|n| ZipMember::stored(n, &inner))
        .collect();
    let wide = zip(&wide);
    let mut deep = gzip(b"http://a.example/");
    for name in &names[..8] {
        deep = zip(&[ZipMember::stored(name, &deep), ZipMember::stored("b", b"b")]);
    }
    let tars = |kind, data: &[u8]| tar_member(b"a", kind, data).repeat(many);
    let archives: Vec<(&str, Vec<u8>)> = vec![
        ("zip of empty members", empty),
        ("zip of small members", small),
        ("zip of late members", late),
        ("zip of one member again and again", again),
        ("ends of directories", [b"PK\x03\x04", &ends[..]].concat()),
        ("zip of zips", wide),
        ("zip in zip in zip", deep),
        ("tar of empty members", tars(b'0', b"")),
        ("tar of small members", tars(b'0', b"http://a.example/")),
        ("tar of long names", tars(b'L', b"name")),
        ("tar of pax headers", tars(b'x', b"12 path=abc\n")),
        ("tar of links", tars(b'2', b"")),
        (
            "tar in tar",
            tar(&[("a", &tar(&[("b", &tars(b'0', b"x"))]))]),
        ),
        ("gzip of empty streams", gzip(b"").repeat(many)),
        (
            "gzip of small streams",
            gzip(b"http://a.example/").repeat(many),
        ),
        (
            "gzip of gzip of gzip",
            gzip(&gzip(&gzip(b"http://a.example/ ")).repeat(many)),
        ),
        ("bzip2 of empty streams", bzip2(b"").repeat(many)),
        (
            "bzip2 of small streams",
            bzip2(b"http://a.example/").repeat(many / 10),
        ),
        (
            "zstd of small frames",
            zstd(b"http://a.example/").repeat(many),
        ),
        ("xz of small streams", fixture("text.xz").repeat(many / 10)),
    ];
    for (name, file) in &archives {
        let len = file.len() as u64;
        for seek in [true, false] {
            let (read, sought, out, leaves, faults) = cost(file, seek);
            let what = format!(
                "{name}, {seek}: {len} bytes, {read} read, {sought} places, {out} out, {leaves} leaves, {faults} faults"
            );
            assert!(read <= 4 * len + (1 << 18), "{what}");
            assert!(sought <= 2 * many as u64 + 16, "{what}");
            // The maximum ratio of deflate.
            assert!(out <= 1032 * len, "{what}");
            assert!(leaves <= len / 20 + 1, "{what}");
            assert!(faults <= many, "{what}");
        }
    }
}
