//! Compressed and packed files: whole, cut at every byte, corrupted, nested.
#![cfg(feature = "unpack")]

#[path = "common/unpack.rs"]
mod common;

use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use proptest::prelude::*;
use urlgrep::unpack::{Event, HEAD, Limits, Sniff, Source, Unpacker, sniff};

use common::{FILE, Got, How, PIPE, Slow, escape, run, source, unpack};

fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/testdata/unpack/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), flate2::Compression::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut to = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// compress(1) without clearing its table, with codes of at most `max` bits.
fn lzw(bytes: &[u8], max: u32) -> Vec<u8> {
    let mut out = vec![0x1F, 0x9D, 0x80 | max as u8];
    let mut table = std::collections::HashMap::new();
    let (mut next, mut width, mut in_group) = (257u32, 9, 0);
    let (mut acc, mut held) = (0u64, 0);
    let mut put = |code: u32, next: u32, last: bool| {
        acc |= u64::from(code) << held;
        held += width;
        in_group += 1;
        // The reader adds each entry one code later.
        if next > 1 << width && width < max {
            held += (8 - in_group % 8) % 8 * width;
            in_group = 0;
            width += 1;
        }
        while held >= 8 || (last && held > 0) {
            out.push(acc as u8);
            acc = if held > 64 { acc } else { acc >> 8 };
            held = held.saturating_sub(8);
        }
    };
    let mut string: Option<u32> = None;
    for &b in bytes {
        let Some(prefix) = string else {
            string = Some(b.into());
            continue;
        };
        if let Some(&code) = table.get(&(prefix, b)) {
            string = Some(code);
            continue;
        }
        if next < 1 << max {
            table.insert((prefix, b), next);
            next += 1;
        }
        put(prefix, next, false);
        string = Some(b.into());
    }
    if let Some(code) = string {
        put(code, 0, true);
    }
    out
}

/// One tar header and its data.
fn tar_member(name: &[u8], kind: u8, data: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name);
    header[124..136].copy_from_slice(format!("{:011o}\0", data.len()).as_bytes());
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    tar_block(header, data)
}

/// Adds the checksum to the header, and the data after it.
fn tar_block(mut header: [u8; 512], data: &[u8]) -> Vec<u8> {
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut out = header.to_vec();
    out.extend_from_slice(data);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out: Vec<u8> = members
        .iter()
        .flat_map(|(name, data)| tar_member(name.as_bytes(), b'0', data))
        .collect();
    out.resize(out.len() + 1024, 0);
    out
}

/// How a member is stored in a zip.
#[derive(Clone)]
struct ZipMember<'a> {
    name: &'a [u8],
    data: Vec<u8>,
    method: u16,
    flags: u16,
    /// Lengths and checksum come after the data.
    late: bool,
    /// The lengths are in a zip64 extra field.
    wide: bool,
    crc: u32,
    len: usize,
}

fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut to = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

impl<'a> ZipMember<'a> {
    fn stored(name: &'a str, bytes: &[u8]) -> ZipMember<'a> {
        ZipMember {
            name: name.as_bytes(),
            data: bytes.to_vec(),
            method: 0,
            flags: 0,
            late: false,
            wide: false,
            crc: crc32(bytes),
            len: bytes.len(),
        }
    }

    fn deflated(name: &'a str, bytes: &[u8]) -> ZipMember<'a> {
        ZipMember {
            data: deflate(bytes),
            method: 8,
            ..ZipMember::stored(name, bytes)
        }
    }

    fn extra(&self, fields: &[u64]) -> Vec<u8> {
        let mut extra = b"XX\x01\0?".to_vec();
        if self.wide {
            extra.extend_from_slice(&[1, 0, (8 * fields.len()) as u8, 0]);
            fields
                .iter()
                .for_each(|n| extra.extend_from_slice(&n.to_le_bytes()));
        }
        extra
    }

    /// The fields from the flags to the length of the extra field. `late`
    /// leaves out the values that come after the data.
    fn fields(&self, late: bool, extra: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let flags = self.flags | if self.late { 8 } else { 0 };
        out.extend_from_slice(&flags.to_le_bytes());
        out.extend_from_slice(&self.method.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        let numbers = match (late, self.wide) {
            (true, _) => [0; 3],
            (false, true) => [self.crc, u32::MAX, u32::MAX],
            (false, false) => [self.crc, self.data.len() as u32, self.len as u32],
        };
        numbers
            .iter()
            .for_each(|n| out.extend_from_slice(&n.to_le_bytes()));
        out.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        out.extend_from_slice(&(extra.len() as u16).to_le_bytes());
        out
    }
}

fn zip(members: &[ZipMember<'_>]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for m in members {
        let at = out.len();
        let lengths = [m.len as u64, m.data.len() as u64];
        let extra = m.extra(&lengths);
        out.extend_from_slice(b"PK\x03\x04\x14\0");
        out.extend_from_slice(&m.fields(m.late, &extra));
        out.extend_from_slice(m.name);
        out.extend_from_slice(&extra);
        out.extend_from_slice(&m.data);
        if m.late {
            out.extend_from_slice(b"PK\x07\x08");
            out.extend_from_slice(&m.crc.to_le_bytes());
            for n in [m.data.len(), m.len] {
                match m.wide {
                    true => out.extend_from_slice(&(n as u64).to_le_bytes()),
                    false => out.extend_from_slice(&(n as u32).to_le_bytes()),
                }
            }
        }
        let extra = m.extra(&[lengths[0], lengths[1], at as u64]);
        directory.extend_from_slice(b"PK\x01\x02\x14\0\x14\0");
        directory.extend_from_slice(&m.fields(false, &extra));
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&if m.wide { u32::MAX } else { at as u32 }.to_le_bytes());
        directory.extend_from_slice(m.name);
        directory.extend_from_slice(&extra);
    }
    let (start, size, count) = (out.len(), directory.len(), members.len() as u64);
    out.extend_from_slice(&directory);
    let wide = members.iter().any(|m| m.wide);
    if wide {
        let end = out.len() as u64;
        out.extend_from_slice(b"PK\x06\x06\x2C\0\0\0\0\0\0\0\x2D\0\x2D\0\0\0\0\0\0\0\0\0");
        for n in [count, count, size as u64, start as u64] {
            out.extend_from_slice(&n.to_le_bytes());
        }
        out.extend_from_slice(b"PK\x06\x07\0\0\0\0");
        out.extend_from_slice(&end.to_le_bytes());
        out.extend_from_slice(&[1, 0, 0, 0]);
    }
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    let count = if wide { 0xFFFF } else { count as u16 };
    out.extend_from_slice(&[count.to_le_bytes(), count.to_le_bytes()].concat());
    out.extend_from_slice(&if wide { u32::MAX } else { size as u32 }.to_le_bytes());
    out.extend_from_slice(&if wide { u32::MAX } else { start as u32 }.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out
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

/// True if `cut` is a correct result for `whole` without its end.
fn is_prefix(cut: &Got, whole: &Got) -> bool {
    let Some(last) = cut.leaves.len().checked_sub(1) else {
        return true;
    };
    let ((name, data), (whole_name, whole_data)) = (&cut.leaves[last], &whole.leaves[last]);
    // A cut magic number is not recognised.
    let unknown = |n: usize| whole_name.starts_with(name) && data.len() < n;
    cut.leaves[..last] == whole.leaves[..last]
        && ((name == whole_name && whole_data.starts_with(data))
            || unknown(6)
            || (name != whole_name && unknown(HEAD)))
}

/// Cuts `bytes` at every `step`th place from `from` on.
fn cut_everywhere(
    name: &str,
    bytes: &[u8],
    from: usize,
    step: usize,
    how: How,
) -> Vec<(usize, Got)> {
    assert_eq!(unpack(bytes, how).faults, Vec::<String>::new(), "{name}");
    // Cut data is read like a pipe, up to the cut.
    let whole = unpack(bytes, PIPE);
    (from..bytes.len())
        .step_by(step)
        .map(|n| {
            let cut = unpack(&bytes[..n], how);
            assert!(
                is_prefix(&cut, &whole),
                "{name} at {n} of {}: {cut:?}",
                bytes.len()
            );
            assert!(cut.faults.len() <= 2, "{name} at {n}: {:?}", cut.faults);
            (n, cut)
        })
        .collect()
}

#[test]
fn streams_cut_at_every_byte() {
    let text = fixture("text");
    for name in STREAMS {
        let bytes = fixture(name);
        let cuts = cut_everywhere(name, &bytes, 6, 1, How { ask: 999, ..PIPE });
        for (n, cut) in &cuts {
            // `.Z` has no end mark, and a file that ends between two streams
            // is complete.
            let is_complete = name.ends_with(".Z")
                || (*n > 100 && cut.bytes().len() >= 600 && cut.bytes().len() < text.len());
            assert!(
                cut.faults.len() == 1 || (is_complete && cut.faults.is_empty()),
                "{name} at {n}: {cut:?}"
            );
        }
        // If a checksum comes last, the whole text comes before it.
        let last = cuts.last().unwrap().1.bytes().len();
        assert!(
            last == text.len() || name.ends_with(".Z") || name == "frames.zst",
            "{name}: {last}"
        );
    }
    // Half of the compressed bytes decode to some of the text.
    for name in ["text.gz", "text.xz", "text.Z"] {
        let bytes = fixture(name);
        assert!(
            unpack(&bytes[..bytes.len() / 2], PIPE).bytes().len() > text.len() / 4,
            "{name}"
        );
    }
}

#[test]
fn archives_cut_at_every_byte() {
    for name in ARCHIVES {
        let bytes = fixture(name);
        // A tar ends with one block of zeros, and most programs write two.
        let end = bytes.iter().rposition(|&b| b != 0).unwrap() + 1;
        let complete = if name.ends_with("tar") {
            end.next_multiple_of(512) + 512
        } else {
            bytes.len()
        };
        for how in [FILE, PIPE] {
            // Long archives are not cut at every byte. Small ones are, below.
            let (from, step) = if name.ends_with("tar") {
                (512, 97)
            } else {
                (8, 1)
            };
            for (n, cut) in cut_everywhere(name, &bytes, from, step, how) {
                assert_eq!(
                    cut.faults.is_empty(),
                    n >= complete,
                    "{name} {how:?} at {n}: {:?}",
                    cut.faults
                );
            }
        }
    }
}

#[test]
fn small_archives_cut_at_every_byte() {
    let inner = tar(&[
        ("one", b"http://a.example/\n"),
        ("two.gz", &gzip(&fixture("text"))),
    ]);
    for (n, cut) in cut_everywhere("tar", &inner, 512, 1, PIPE) {
        assert_eq!(cut.faults.is_empty(), n >= inner.len() - 512, "{n} {cut:?}");
    }
    for bytes in [gzip(&inner), bzip2(&inner), zstd(&inner)] {
        for (_, cut) in cut_everywhere("tgz", &bytes, 6, 1, PIPE) {
            assert_eq!(cut.faults.len(), 1, "{cut:?}");
        }
    }
    let bytes = zip(&[
        ZipMember::stored("in.tgz", &gzip(&inner)),
        ZipMember::deflated("b", b"b"),
    ]);
    for how in [FILE, PIPE] {
        for (_, cut) in cut_everywhere("zip", &bytes, 8, 1, how) {
            assert!(!cut.faults.is_empty(), "{cut:?}");
        }
    }
}

#[test]
fn every_byte_corrupted() {
    for name in STREAMS.iter().chain(&ARCHIVES) {
        let bytes = fixture(name);
        // Tars are mostly zeros and text.
        let every = if name.ends_with("tar") { 31 } else { 1 };
        for i in (0..bytes.len()).step_by(every) {
            for flip in [0xFF, 1].into_iter().take(if every > 1 { 1 } else { 2 }) {
                let mut bad = bytes.clone();
                bad[i] ^= flip;
                for how in [FILE, PIPE]
                    .into_iter()
                    .skip(usize::from(!name.ends_with("zip")))
                {
                    let got = unpack(&bad, how);
                    let len: usize = got.leaves.iter().map(|leaf| leaf.1.len()).sum();
                    assert!(len < 1 << 20, "{name} at {i}: {len}");
                }
            }
        }
    }
}

#[test]
fn wrong_checksums_are_reported_and_the_data_is_kept() {
    let text = fixture("text");
    let len = |name: &str| fixture(name).len();
    let places = [
        ("text.gz", len("text.gz") - 8, "checksum"),
        ("text.gz", len("text.gz") - 1, "checksum"),
        ("text.bz2", len("text.bz2") - 2, "corrupt"),
        ("text.zst", len("text.zst") - 1, "checksum"),
    ];
    for (name, at, words) in places {
        let mut bad = fixture(name);
        bad[at] ^= 1;
        let got = unpack(&bad, FILE);
        assert_eq!(
            (got.bytes(), got.faults.len()),
            (text.clone(), 1),
            "{name}: {:?}",
            got.faults
        );
        got.says(&["f: ", words]);
    }
    // xz: the check of the one block ends where the index begins.
    for name in ["text.xz", "crc32.xz"] {
        let bytes = fixture(name);
        let backward =
            u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap());
        let index = bytes.len() - 12 - (backward as usize + 1) * 4;
        let mut bad = bytes.clone();
        bad[index - 1] ^= 1;
        let got = unpack(&bad, FILE);
        assert_eq!(got.bytes(), text);
        got.says(&["f: ", "xz", "checksum"]);
        assert_eq!(got.faults.len(), 1);
    }
    let wrong = ZipMember {
        crc: 1,
        ..ZipMember::deflated("bad", &text)
    };
    let late = ZipMember {
        late: true,
        ..wrong.clone()
    };
    for member in [
        wrong,
        late,
        ZipMember {
            crc: 1,
            ..ZipMember::stored("bad", &text)
        },
    ] {
        let bytes = zip(&[member, ZipMember::stored("good", b"good")]);
        for how in [FILE, PIPE] {
            let got = unpack(&bytes, how);
            assert_eq!(got.bytes(), [&text[..], b"good"].concat());
            assert_eq!(got.faults.len(), 1);
            got.says(&["f!bad: ", "checksum"]);
        }
    }
}

#[test]
fn gzip_members_zeros_and_garbage() {
    let mut bytes = [gzip(b"one "), gzip(b""), gzip(b"two ")].concat();
    assert_eq!(
        unpack(&bytes, PIPE).whole(),
        [("f".to_owned(), b"one two ".to_vec())]
    );
    bytes.resize(bytes.len() + 70_000, 0);
    assert_eq!(unpack(&bytes, PIPE).whole()[0].1, b"one two ");
    bytes.extend_from_slice(&gzip(b"three"));
    assert_eq!(unpack(&bytes, PIPE).whole()[0].1, b"one two three");
    bytes.extend_from_slice(&[0, 0, 7, 0x1F, 0x8B, 8]);
    let got = unpack(&bytes, PIPE);
    assert_eq!(
        (got.bytes(), got.faults.len()),
        (b"one two three".to_vec(), 1)
    );
    got.says(&["f: ", "ignored"]);
    // A wrong checksum does not end the stream, and is reported once.
    let mut bad = gzip(b"one ");
    let at = bad.len() - 6;
    bad[at] ^= 1;
    let got = unpack(&[&bad[..], &bad[..], &gzip(b"two")].concat(), PIPE);
    assert_eq!(
        (got.bytes(), got.faults.len()),
        (b"one one two".to_vec(), 1)
    );
    // All optional fields of a header.
    let mut all = vec![
        0x1F, 0x8B, 8, 0x1E, 0, 0, 0, 0, 0, 3, 3, 0, b'e', b'x', b't',
    ];
    all.extend_from_slice(b"name\0a comment\0\x12\x34");
    all.extend_from_slice(&gzip(b"body")[10..]);
    assert_eq!(unpack(&all, PIPE).whole()[0].1, b"body");
    all[3] |= 0x20;
    unpack(&all, PIPE).says(&["unsupported"]);
}

#[test]
fn other_streams_after_one_another() {
    for packed in [bzip2, zstd] {
        let mut bytes = [packed(b"one "), packed(b""), packed(b"two")].concat();
        bytes.extend_from_slice(&[0; 9]);
        assert_eq!(unpack(&bytes, PIPE).whole()[0].1, b"one two");
        bytes.extend_from_slice(b"garbage");
        let got = unpack(&bytes, PIPE);
        assert_eq!((got.bytes(), got.faults.len()), (b"one two".to_vec(), 1));
    }
}

/// The outer checksum is wrong because the inner data is. It must be reported
/// whether or not the outer layer was read ahead.
#[test]
fn the_end_of_a_layer_is_not_read_ahead() {
    let inner = gzip(&fixture("text"));
    let mut to = GzEncoder::new(Vec::new(), flate2::Compression::none());
    to.write_all(&inner).unwrap();
    let outer = to.finish().unwrap();
    for at in (30..outer.len() - 8).step_by(13) {
        let mut bad = outer.clone();
        bad[at] ^= 4;
        common::unpacking_is_independent_of_steps(&bad, PIPE, &[(5, 31, 0), (1000, 1, 7)]);
    }
}

/// Short bzip2 streams have a separate decoder, if their size is known.
#[test]
fn short_bzip2_streams() {
    let best = |bytes: &[u8]| {
        let mut to = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::best());
        to.write_all(bytes).unwrap();
        to.finish().unwrap()
    };
    // A block of 180,000 bytes in about 100 bytes, and a block that is larger
    // than one decoding step.
    let texts = [
        b"x\n".to_vec(),
        b"abc".repeat(60_000),
        b"BZh91AY&SY".to_vec(),
        Vec::new(),
        vec![b'a'; 5000],
        fixture("text"),
    ];
    let file: Vec<u8> = texts.iter().flat_map(|text| best(text)).collect();
    assert_eq!(unpack(&file, FILE).whole()[0].1, texts.concat());
    let others = [(1, 1000, 0), (40, 1 << 16, 7), (1000, 1, 100)];
    common::unpacking_is_independent_of_steps(&file, FILE, &others);
    for at in (0..200).chain(file.len() - 40..file.len()) {
        let mut bad = file.clone();
        bad[at] ^= 4;
        common::unpacking_is_independent_of_steps(&bad, FILE, &[(40, 1000, 0)]);
    }
    // Other data follows the stream of a zip member.
    let members: Vec<_> = ["a", "b"]
        .map(|name| ZipMember {
            data: best(name.as_bytes()),
            method: 12,
            ..ZipMember::stored(name, name.as_bytes())
        })
        .into();
    assert_eq!(unpack(&zip(&members), FILE).whole()[1].1, b"b");
}

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

/// The xz format with a window of `2 << (11 + log)` bytes, stored.
fn stored_xz(bytes: &[u8], log: u8) -> Vec<u8> {
    let mut out = b"\xFD7zXZ\0\0\0".to_vec();
    out.extend_from_slice(&crc32(&[0, 0]).to_le_bytes());
    let header = [2, 0, 0x21, 1, 2 * log, 0, 0, 0];
    out.extend_from_slice(&header);
    out.extend_from_slice(&crc32(&header).to_le_bytes());
    for chunk in bytes.chunks(1 << 16) {
        out.push(1);
        out.extend_from_slice(&((chunk.len() - 1) as u16).to_be_bytes());
        out.extend_from_slice(chunk);
    }
    out.push(0);
    out.resize(out.len().next_multiple_of(4), 0);
    let index = [0, 1, 1, 1];
    out.extend_from_slice(&index);
    out.extend_from_slice(&crc32(&index).to_le_bytes());
    let footer = [1, 0, 0, 0, 0, 0];
    out.extend_from_slice(&crc32(&footer).to_le_bytes());
    out.extend_from_slice(&footer);
    out.extend_from_slice(b"YZ");
    out
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

#[test]
fn zip_members_of_every_kind() {
    let text = fixture("text");
    let members = [
        ZipMember::stored("stored", &text),
        ZipMember::deflated("deflated", &text),
        ZipMember {
            late: true,
            ..ZipMember::deflated("late", &text)
        },
        ZipMember {
            wide: true,
            ..ZipMember::deflated("wide", &text)
        },
        ZipMember {
            wide: true,
            late: true,
            ..ZipMember::deflated("wide and late", &text)
        },
        ZipMember {
            wide: true,
            ..ZipMember::stored("wide and stored", &text)
        },
        ZipMember {
            method: 12,
            data: bzip2(&text),
            ..ZipMember::stored("bzip2", &text)
        },
        ZipMember {
            method: 93,
            data: zstd(&text),
            ..ZipMember::stored("zstd", &text)
        },
        ZipMember {
            method: 95,
            data: fixture("text.xz"),
            ..ZipMember::stored("xz", &text)
        },
        ZipMember {
            name: b"\xFF\xFE",
            ..ZipMember::stored("", &text)
        },
    ];
    for how in [
        FILE,
        PIPE,
        How {
            step: 1,
            ask: 10,
            ..FILE
        },
        How { step: 3, ..PIPE },
    ] {
        let leaves = unpack(&zip(&members), how).whole();
        assert_eq!(leaves.len(), members.len());
        for (leaf, member) in leaves.iter().zip(&members) {
            assert_eq!(leaf, &(format!("f!{}", escape(member.name)), text.clone()));
        }
    }
    // The empty archive, one with folders, and one that was meant to be split.
    assert!(
        unpack(&zip(&[]), FILE).whole().is_empty() && unpack(&zip(&[]), PIPE).whole().is_empty()
    );
    let folders = zip(&[ZipMember::stored("d/", b""), ZipMember::stored("d/e", b"e")]);
    let marked = [b"PK00", &folders[..]].concat();
    for bytes in [&folders, &marked] {
        assert_eq!(unpack(bytes, PIPE).names(), ["f!d/e"]);
    }
    assert_eq!(unpack(&folders, FILE).names(), ["f!d/e"]);
}

#[test]
fn zip_members_that_cannot_be_read() {
    let text = fixture("text");
    let good = ZipMember::stored("good", b"good");
    let cases = [
        (
            ZipMember {
                method: 9,
                ..ZipMember::deflated("bad", &text)
            },
            "method 9",
            true,
        ),
        (
            ZipMember {
                flags: 1,
                ..ZipMember::deflated("bad", &text)
            },
            "encrypted",
            true,
        ),
        (
            ZipMember {
                data: b"\xFF\xFF\xFF".to_vec(),
                ..ZipMember::deflated("bad", &text)
            },
            "deflate data",
            true,
        ),
        (
            ZipMember {
                flags: 9,
                ..ZipMember::deflated("bad", &text)
            },
            "encrypted",
            true,
        ),
        (
            ZipMember {
                len: 5,
                ..ZipMember::deflated("bad", &text)
            },
            "not 5 as stated",
            true,
        ),
        // A stream cannot be read after these members, because only the directory
        // shows where their data ends.
        (
            ZipMember {
                late: true,
                ..ZipMember::stored("bad", &text)
            },
            "stored",
            false,
        ),
        (
            ZipMember {
                late: true,
                method: 12,
                data: bzip2(&text),
                ..ZipMember::stored("bad", &text)
            },
            "stream",
            false,
        ),
        (
            ZipMember {
                late: true,
                data: b"\xFF".to_vec(),
                ..ZipMember::deflated("bad", &text)
            },
            "deflate data",
            false,
        ),
    ];
    for (bad, words, goes_on) in cases {
        let readable = bad.late && bad.data != b"\xFF";
        let bytes = zip(&[good.clone(), bad, good.clone()]);
        let got = unpack(&bytes, PIPE);
        got.says(&["f!bad: ", words]);
        assert_eq!(
            got.faults.len(),
            if goes_on { 1 } else { got.faults.len() },
            "{got:?}"
        );
        assert_eq!(
            got.names().last() == Some(&"f!good") && got.leaves.len() >= 2,
            goes_on,
            "{got:?}"
        );
        let got = unpack(&bytes, FILE);
        assert_eq!(got.names().last(), Some(&"f!good"));
        match readable {
            true => assert_eq!((got.leaves.len(), got.faults.len()), (3, 0), "{got:?}"),
            false => got.says(&["f!bad: ", words]),
        }
    }
}

#[test]
fn a_zip_is_read_by_its_directory() {
    let (one, two) = (
        ZipMember::stored("one", b"1"),
        ZipMember::stored("two", b"2"),
    );
    let bytes = zip(&[one, two]);
    // The directory has the members in another order, and one with another name.
    let start = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let end = bytes.windows(4).position(|w| w == b"PK\x05\x06").unwrap();
    let half = (end - start) / 2;
    let mut other = bytes.clone();
    other[start..end].rotate_left(half);
    other[start + 46..start + 49].copy_from_slice(b"new");
    assert_eq!(unpack(&other, FILE).names(), ["f!new", "f!one"]);
    assert_eq!(unpack(&other, PIPE).names(), ["f!one", "f!two"]);
    // An entry with a wrong offset, and an end record with a comment that looks
    // like an end record.
    let mut lost = bytes.clone();
    lost[start + 42] = 3;
    let got = unpack(&lost, FILE);
    assert_eq!(got.names(), ["f!two"]);
    got.says(&["f!one: 3: ", "directory"]);
    let mut comment = bytes.clone();
    let at = comment.len() - 2;
    comment[at] = 22;
    comment.extend_from_slice(b"PK\x05\x06________________\xFF\xFF");
    assert_eq!(unpack(&comment, FILE).whole().len(), 2);
    // A damaged directory, and a missing one.
    let mut bad = bytes.clone();
    bad[start + half] = b'Q';
    let got = unpack(&bad, FILE);
    assert_eq!(got.names(), ["f!one"]);
    got.says(&["f: ", "damaged directory"]);
    let got = unpack(&bytes[..start], FILE);
    assert_eq!(got.names(), ["f!one", "f!two"]);
    got.says(&["f: ", "without its directory"]);
}

#[test]
fn zip_members_that_overlap_are_left_out() {
    // A thousand entries for one member, as in a bomb without nesting.
    let text = vec![b'a'; 100_000];
    let bytes = zip(&[ZipMember::deflated("a", &text)]);
    let start = bytes.windows(4).position(|w| w == b"PK\x01\x02").unwrap();
    let end = bytes.windows(4).position(|w| w == b"PK\x05\x06").unwrap();
    let mut bomb = bytes[..start].to_vec();
    for _ in 0..1000 {
        bomb.extend_from_slice(&bytes[start..end]);
    }
    let size = (bomb.len() - start) as u32;
    bomb.extend_from_slice(b"PK\x05\x06\0\0\0\0\xE8\x03\xE8\x03");
    bomb.extend_from_slice(&size.to_le_bytes());
    bomb.extend_from_slice(&bytes[bytes.len() - 6..]);
    let got = unpack(&bomb, FILE);
    got.says(&["f: ", "overlap"]);
    assert!(got.leaves.len() * (start - 8) <= bomb.len());
}

/// Found by fuzzing: the size of read-ahead does not matter.
#[test]
fn zeros_after_a_stored_member_of_unknown_length() {
    let mut bytes = b"PK\x03\x04\x0A\0\x08\0\0\0".to_vec();
    bytes.resize(130, 0);
    bytes.extend_from_slice(b"PK\x05\x06");
    common::unpacking_is_independent_of_steps(&bytes, PIPE, &[(1, 1, 0), (5, 31, 0)]);
}

#[test]
fn tar_members_of_every_kind() {
    let mut bytes = Vec::new();
    // The prefix of POSIX, a binary size, a folder of the Seventh Edition.
    let mut header = [0; 512];
    header[..4].copy_from_slice(b"name");
    header[345..351].copy_from_slice(b"prefix");
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[124] = 0x80;
    header[135] = 3;
    bytes.extend(tar_block(header, b"abc"));
    bytes.extend(tar_member(b"folder/", 0, b""));
    // Links with a size: one has data, as in pax, and one has none.
    bytes.extend(tar_member(b"hard", b'1', b"linked"));
    let mut link = tar_member(b"soft", b'1', &[1; 700]);
    link.truncate(512);
    bytes.extend(link);
    bytes.extend(tar_member(b"fifo", b'6', b""));
    // Long names of both kinds, and a global header.
    bytes.extend(tar_member(b"pax", b'g', b"12 path=no!\n"));
    bytes.extend(tar_member(
        b"pax",
        b'x',
        b"14 path=\xFF\n?/p\n8 size=\n8 size=3\n",
    ));
    bytes.extend(tar_member(b"short", b'0', b"pax"));
    bytes.extend(tar_member(b"././@LongLink", b'K', b"target\0"));
    bytes.extend(tar_member(b"././@LongLink", b'L', b"gnu\0"));
    bytes.extend(tar_member(b"short", b'0', b"gnu"));
    bytes.extend(tar_member(b"contiguous", b'7', b"7"));
    bytes.extend(tar_member(b"unknown", b'Z', b"Z"));
    bytes.extend(tar_member(b"last", b'0', b"last"));
    bytes.resize(bytes.len() + 1024, 0);
    for how in [
        FILE,
        PIPE,
        How {
            step: 100,
            ask: 2,
            ..PIPE
        },
    ] {
        let leaves = unpack(&bytes, how).whole();
        let shown: Vec<_> = leaves
            .iter()
            .map(|(name, data)| format!("{} {}", &name[2..], escape(data)))
            .collect();
        assert_eq!(
            shown,
            [
                "prefix/name abc",
                "hard linked",
                "\\xff\\n?/p pax",
                "gnu gnu",
                "contiguous 7",
                "unknown Z",
                "last last"
            ]
        );
    }
}

#[test]
fn reading_continues_in_a_damaged_tar() {
    let members = [("one", &b"1"[..]), ("two", &[b'2'; 1000]), ("three", b"3")];
    let bytes = tar(&members);
    let mut bad = bytes.clone();
    bad[1024] ^= 1;
    let got = unpack(&bad, PIPE);
    assert_eq!(got.names(), ["f!one", "f!three"]);
    assert_eq!(
        got.faults,
        ["f: 1024: no member begins here; looking for the next"]
    );
    // Archives one after another, and the rest of a tape after the end.
    let mut two = [&bytes[..], &bytes[..]].concat();
    two.extend_from_slice(&[7; 2000]);
    assert_eq!(unpack(&two, PIPE).whole().len(), 6);
    // A pax header that exceeds the limit.
    let mut long = tar_member(b"pax", b'x', &vec![b'x'; 70_000]);
    long.extend_from_slice(&bytes);
    let got = unpack(&long, PIPE);
    assert_eq!((got.leaves.len(), got.faults.len()), (3, 1));
    got.says(&["f: ", "longer than 64 KiB"]);
    // A size that is larger than the file.
    let mut header: [u8; 512] = tar_member(b"huge", b'0', b"").try_into().unwrap();
    header[124..136].copy_from_slice(b"\x80\0\0\0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF");
    let got = unpack(&[tar_block(header, b"text"), bytes].concat(), PIPE);
    assert_eq!(got.names(), ["f!huge"]);
    got.says(&["f!huge: ", "ends within"]);
}

#[test]
fn a_damaged_member_does_not_end_the_archive() {
    let mut bad = gzip(&fixture("text"));
    let at = bad.len() / 2;
    bad[at] ^= 0x55;
    let bytes = tar(&[
        ("bad.gz", &bad),
        ("cut.gz", &gzip(b"a")[..15]),
        ("good", b"good"),
    ]);
    let got = unpack(&bytes, PIPE);
    assert_eq!(got.names(), ["f!bad.gz", "f!cut.gz", "f!good"]);
    assert_eq!((got.faults.len(), &got.leaves[2].1[..]), (2, &b"good"[..]));
    got.says(&["f!bad.gz: ", "gzip data"]);
    got.says(&["f!cut.gz: 15: ", "ends too early"]);
}

#[test]
fn a_source_that_fails() {
    let plain = fixture("text");
    for name in ["text", "text.gz", "gnu.tar", "streamed.zip"] {
        let bytes = fixture(name);
        let at = bytes.len() / 2;
        let slow = Slow {
            fails: true,
            ..Slow::new(&bytes[..at], 100)
        };
        let source = Source::Reader(Box::new(slow));
        let got = run(
            Unpacker::new(source, Vec::new(), Some(b"f"), Limits::default()),
            64,
        );
        assert_eq!(got.faults, [format!("f: {at}: the disk is gone")], "{name}");
        assert!(!got.bytes().is_empty());
        if name == "text" {
            assert_eq!(got.bytes(), plain[..at]);
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
    let source = match seek {
        true => Source::Seek(Box::new(counting)),
        false => Source::Reader(Box::new(counting)),
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
            bytes = common::with_checksums(&bytes);
        }
        let limits = Limits::default().max_decompressed(Some(64 << 20));
        let how = How { seek, limits, ..FILE };
        common::unpacking_is_independent_of_steps(&bytes, how, &[(5, 77, 0), (1000, 1, 512)]);
        let others = [(5, 77), (1000, 1)];
        common::a_batch_is_independent_of_steps(&bytes, limits, &others);
    }
}
