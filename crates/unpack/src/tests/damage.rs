//! Files that are cut short or corrupted.

use urlgrep_unpack::{HEAD, Limits, Source, Unpacker};

use super::fixture;
use super::make::{ZipMember, bzip2, gzip, tar, tar_block, tar_member, zip, zstd};
use super::properties::{FILE, Got, How, PIPE, Slow, run, unpack};
use super::slow;
use super::{ARCHIVES, STREAMS};

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
        let every = if name.ends_with("tar") {
            31
        } else if slow() {
            1
        } else {
            5
        };
        for i in (0..bytes.len()).step_by(every) {
            for flip in [0xFF, 1].into_iter().take(if every > 5 { 1 } else { 2 }) {
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
