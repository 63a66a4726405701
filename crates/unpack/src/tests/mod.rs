//! Compressed and packed files: whole, cut at every byte, corrupted, nested.

mod archives;
mod damage;
mod limits;
mod make;
mod properties;
mod streams;

use std::io::{Cursor, Read, Write};

use flate2::write::ZlibEncoder;
use proptest::prelude::*;
use urlgrep_unpack::{Event, HEAD, Limits, Sniff, Unpacker, sniff};

use make::{ZipMember, bzip2, gzip, lzw, tar, zip, zstd};
use properties::{FILE, How, PIPE, escape, source, unpack};

/// A file of `testdata/unpack`.
fn fixture(name: &str) -> Vec<u8> {
    let path = format!(
        "{}/../../testdata/unpack/{name}",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// True if `URLGREP_SLOW` is set, as `.ci/full` does.
fn slow() -> bool {
    std::env::var_os("URLGREP_SLOW").is_some()
}

/// Fixtures that decode to the file `text`.
const STREAMS: [&str; 10] = [
    "text.gz",
    "text.bz2",
    "text.xz",
    "blocks.xz",
    "crc32.xz",
    "streams.xz",
    "text.zst",
    "frames.zst",
    "text.Z",
    "ten.Z",
];
const ARCHIVES: [&str; 6] = [
    "gnu.tar",
    "pax.tar",
    "v7.tar",
    "dir.zip",
    "streamed.zip",
    "bz.zip",
];

#[test]
fn files_compressed_by_other_programs() {
    let text = fixture("text");
    for name in STREAMS {
        for how in [FILE, PIPE] {
            let leaves = unpack(&fixture(name), how).whole();
            assert_eq!(leaves, [("f".to_owned(), text.clone())], "{name}");
        }
    }
}

#[test]
fn archives_of_other_programs() {
    let text = fixture("text");
    let long = format!("f!{}/{}", "d".repeat(90), "n".repeat(120));
    for how in [FILE, PIPE] {
        for name in ["gnu.tar", "pax.tar", "v7.tar"] {
            let leaves = unpack(&fixture(name), how).whole();
            let mut want = vec![
                ("f!a".to_owned(), text.clone()),
                ("f!b\\xff".to_owned(), b"http://b.example/\n".to_vec()),
                (long.clone(), b"long name\n".to_vec()),
                ("f!empty".to_owned(), Vec::new()),
            ];
            if name == "v7.tar" {
                want.remove(2);
            }
            assert_eq!(leaves, want, "{name}");
        }
        let c = ("f!c".to_owned(), b"http://c.example/\n".to_vec());
        let leaves = unpack(&fixture("dir.zip"), how).whole();
        assert_eq!(
            leaves[..3],
            [
                ("f!a".to_owned(), text.clone()),
                c.clone(),
                ("f!empty".to_owned(), Vec::new())
            ]
        );
        // Only the directory says that it is a link.
        assert_eq!(leaves.len(), if how.seek { 3 } else { 4 });
        let leaves = unpack(&fixture("streamed.zip"), how).whole();
        assert_eq!(leaves, [("f!a".to_owned(), text.clone()), c]);
        let leaves = unpack(&fixture("bz.zip"), how).whole();
        assert_eq!(leaves, [("f!a".to_owned(), text.clone())]);
        let got = unpack(&fixture("enc.zip"), how);
        assert_eq!(got.faults.len(), 1, "{:?}", got.faults);
        assert_eq!(got.names(), ["f!empty", "f!a"]);
        got.says(&["f!c", "encrypted"]);
    }
}

#[test]
fn an_unpacked_file_is_returned_unchanged() {
    let plain: [&[u8]; 12] = [
        b"",
        b"P",
        b"From me\n",
        b"BZh91 is no number\n",
        b"PK is not enough\n",
        b"PK\n",
        b"\x1F\x8B\x07 another method",
        b"\x1F\x9D\xFF another width",
        &[0; 600],
        b"\xFD7zX",
        &[b'a'; 600],
        b"\x1F",
    ];
    for bytes in plain {
        for how in [
            FILE,
            PIPE,
            How {
                step: 1,
                ask: 1,
                ..PIPE
            },
            How { head: 3, ..PIPE },
            How { head: 1000, ..FILE },
        ] {
            let leaves = unpack(bytes, how).whole();
            assert_eq!(leaves, [("f".to_owned(), bytes.to_vec())]);
        }
        assert_eq!(sniff(bytes, true), Sniff::Plain);
    }
}

#[test]
fn a_line_of_text_is_enough_to_decide() {
    assert_eq!(sniff(b"From me\n", false), Sniff::Plain);
    assert_eq!(sniff(b"PK\n", false), Sniff::Plain);
    assert_eq!(sniff(b"", false), Sniff::Short);
    assert_eq!(sniff(b"From me", false), Sniff::Short);
    assert_eq!(sniff(&[b'a'; HEAD], false), Sniff::Plain);
    for name in STREAMS.iter().chain(&ARCHIVES) {
        let bytes = fixture(name);
        assert_eq!(sniff(&bytes, false), Sniff::Packed, "{name}");
        // A verdict on fewer bytes is never changed.
        let first = (0..bytes.len())
            .find(|&n| sniff(&bytes[..n], false) != Sniff::Short)
            .unwrap();
        assert!(
            first <= HEAD
                && (first..HEAD.min(bytes.len()))
                    .all(|n| sniff(&bytes[..n], false) == Sniff::Packed),
            "{name}"
        );
    }
}

#[test]
fn the_way_of_reading_makes_no_difference() {
    for name in STREAMS.iter().chain(&ARCHIVES) {
        let bytes = fixture(name);
        for seek in [false, true] {
            let want = unpack(&bytes, How { seek, ..FILE });
            for step in [1, 2, 3, 7, 511, 513] {
                for (ask, head) in [(1, 0), (7, 1), (1000, 300), (1 << 16, 8192)] {
                    let how = How {
                        seek,
                        step,
                        ask,
                        head,
                        ..FILE
                    };
                    assert_eq!(unpack(&bytes, how), want, "{name} {how:?}");
                }
            }
        }
    }
}

#[test]
fn a_leaf_need_not_be_read() {
    let inner = tar(&[("a", &[b'a'; 5000]), ("b", b"b")]);
    let late = ZipMember {
        late: true,
        ..ZipMember::deflated("c", &inner)
    };
    let bytes = zip(&[
        ZipMember::deflated("x.tar", &inner),
        late,
        ZipMember::stored("d", b"d"),
    ]);
    for how in [FILE, PIPE] {
        let (source, head) = source(&bytes, how);
        let mut unpacker = Unpacker::new(source, head, None, Limits::default());
        let mut names = Vec::new();
        while let Some(event) = unpacker.next() {
            assert!(matches!(event, Event::Member), "{event:?}");
            assert!(unpacker.is_unpacked());
            let peeked = unpacker.peek(1).first().copied();
            let mut one = [0];
            assert_eq!(
                (unpacker.read(&mut one).unwrap(), Some(one[0])),
                (1, peeked)
            );
            names.push(escape(unpacker.path().unwrap()));
        }
        assert_eq!(
            names,
            [
                "<stdin>!x.tar!a",
                "<stdin>!x.tar!b",
                "<stdin>!c!a",
                "<stdin>!c!b",
                "<stdin>!d"
            ]
        );
    }
}

#[test]
fn news_batches() {
    let text = fixture("text");
    let zlib = {
        let mut to = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        to.write_all(&text).unwrap();
        to.finish().unwrap()
    };
    let cases = [
        (fixture("text.Z"), true),
        (gzip(&text), true),
        (zlib, true),
        (text.clone(), false),
        (Vec::new(), false),
    ];
    for (bytes, is_good) in cases {
        let batch = |bytes: &[u8]| {
            let rdr = Box::new(Cursor::new(bytes.to_vec()));
            let mut unpacker = Unpacker::batch(rdr, Some(b"f"), Limits::default());
            let mut out = Vec::new();
            unpacker.read_to_end(&mut out).unwrap();
            let faults = std::iter::from_fn(|| unpacker.next()).count();
            (out, faults)
        };
        assert_eq!(
            batch(&bytes),
            if is_good {
                (text.clone(), 0)
            } else {
                (Vec::new(), 1)
            }
        );
        // Nested in another archive, after its line.
        let line = b"#! cunbatch\n";
        let packed = gzip(&[line, &bytes[..]].concat());
        let (source, head) = source(&packed, PIPE);
        let mut unpacker = Unpacker::new(source, head, Some(b"f"), Limits::default());
        assert!(matches!(unpacker.next(), Some(Event::Member)));
        assert!(unpacker.peek(12).starts_with(line));
        unpacker.enter(line.len());
        let mut out = Vec::new();
        unpacker.read_to_end(&mut out).unwrap();
        assert_eq!(out == text, is_good);
        assert_eq!(unpacker.next().is_none(), is_good);
    }
}

#[test]
fn an_unpacker_can_move_to_a_thread() {
    fn is_send<T: Send>() {}
    is_send::<Unpacker>();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Decompression gives the packed data for every way of reading.
    #[test]
    fn round_trips(
        seed in proptest::collection::vec((any::<u8>(), 1usize..200), 0..400),
        step in 1usize..5000,
        ask in 1usize..5000,
        head in 0usize..600,
        max in 9u32..=16,
        seek: bool,
    ) {
        let text: Vec<u8> = seed.iter().flat_map(|&(b, n)| (0..n).map(move |i| b ^ (i % 7) as u8)).collect();
        let how = How { seek, step, ask, head, ..FILE };
        let members = [ZipMember::deflated("a", &text), ZipMember::stored("b", b"\n")];
        for packed in [gzip(&text), bzip2(&text), zstd(&text), lzw(&text, max), tar(&[("a", &text)]), zip(&members)] {
            // Random text could itself look like a compressed file.
            if sniff(&text, true) == Sniff::Packed {
                continue;
            }
            let leaves = unpack(&packed, how).whole();
            prop_assert_eq!(&leaves[0].1, &text);
        }
    }

    /// Arbitrary bytes, and bytes with a valid magic number, do no harm.
    #[test]
    fn hostile_bytes(
        which in 0usize..16,
        keep in 0usize..600,
        noise in proptest::collection::vec(any::<u8>(), 0..600),
        seek: bool,
        mend: bool,
    ) {
        let name = STREAMS.iter().chain(&ARCHIVES).nth(which).unwrap();
        let mut bytes = fixture(name);
        bytes.truncate(keep);
        bytes.extend_from_slice(&noise);
        if mend {
            bytes = properties::with_checksums(&bytes);
        }
        let limits = Limits::default().max_decompressed(Some(64 << 20));
        let how = How { seek, limits, ..FILE };
        properties::unpacking_is_independent_of_steps(&bytes, how, &[(5, 77, 0), (1000, 1, 512)]);
        let others = [(5, 77), (1000, 1)];
        properties::a_batch_is_independent_of_steps(&bytes, limits, &others);
    }
}
