//! Single compressed streams and layers of them.

use std::io::Write;

use flate2::write::GzEncoder;

use super::fixture;
use super::make::{ZipMember, bzip2, gzip, zip, zstd};
use super::properties::{FILE, PIPE, unpack};

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
        super::properties::unpacking_is_independent_of_steps(
            &bad,
            PIPE,
            &[(5, 31, 0), (1000, 1, 7)],
        );
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
    super::properties::unpacking_is_independent_of_steps(&file, FILE, &others);
    for at in (0..200).chain(file.len() - 40..file.len()) {
        let mut bad = file.clone();
        bad[at] ^= 4;
        super::properties::unpacking_is_independent_of_steps(&bad, FILE, &[(40, 1000, 0)]);
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
