//! A file that Python's `lzma` has packed with the settings of `build.py`: forty equal lines, and
//! then each byte once.

use urlgrep_web_lzma::decode;

const SMALL: &[u8] = include_bytes!("small.lzma");

#[test]
fn a_file_is_decoded() {
    let mut wanted = b"<URL:http://a.example/>\n".repeat(40);
    wanted.extend(0..=255);
    assert_eq!(decode(SMALL).expect("the file is whole"), wanted);
}

#[test]
fn a_cut_or_damaged_file_is_an_error() {
    for end in 0..SMALL.len() {
        assert!(decode(&SMALL[..end]).is_err(), "cut at {end}");
    }
    let mut damaged = SMALL.to_vec();
    damaged[0] = 0xff;
    assert!(decode(&damaged).is_err(), "no such properties");
}
