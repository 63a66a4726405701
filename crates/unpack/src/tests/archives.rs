//! Members of zip and tar archives.

use super::fixture;
use super::make::{ZipMember, bzip2, tar_block, tar_member, zip, zstd};
use super::properties::{FILE, How, PIPE, escape, unpack};

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
        if readable {
            assert_eq!((got.leaves.len(), got.faults.len()), (3, 0), "{got:?}");
        } else {
            got.says(&["f!bad: ", words]);
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
    super::properties::unpacking_is_independent_of_steps(&bytes, PIPE, &[(1, 1, 0), (5, 31, 0)]);
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
