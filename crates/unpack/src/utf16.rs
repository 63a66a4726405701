//! Converts UTF-16 to UTF-8, for text with a UTF-16 byte order mark.
//!
//! Offsets in such text are offsets in the UTF-8 text, not in the file.
//! Unpaired surrogates become U+FFFD.

use std::io::{BufReader, Read};

use encoding_rs_io::DecodeReaderBytes;

/// True if `head` begins with a byte order mark of UTF-16.
#[must_use]
pub fn is_marked(head: &[u8]) -> bool {
    urlgrep_base::magic::is_utf16(head)
}

/// Converts UTF-16 text with a byte order mark to UTF-8 without one.
pub fn reader<R: Read + Send>(rdr: R) -> impl Read + Send {
    // The buffer prevents a loss: the decoder drops bytes of a final
    // replacement character if the caller's buffer is shorter than the
    // character.
    BufReader::new(DecodeReaderBytes::new(rdr))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_at_any_size() {
        let text = "http://a.example/ \u{1F600} ü\n".repeat(400);
        for big in [false, true] {
            let mut bytes = if big {
                vec![0xFE, 0xFF]
            } else {
                vec![0xFF, 0xFE]
            };
            for unit in text.encode_utf16() {
                bytes.extend(if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                });
            }
            assert!(is_marked(&bytes));
            for size in (1..=20).chain([4096]) {
                let mut rdr = reader((&bytes[..3]).chain(&bytes[3..]));
                let (mut out, mut chunk) = (Vec::new(), vec![0; size]);
                loop {
                    match rdr.read(&mut chunk).unwrap() {
                        0 => break,
                        n => out.extend_from_slice(&chunk[..n]),
                    }
                }
                assert!(out == text.as_bytes(), "{big} {size}");
            }
        }
        assert!(!is_marked(b"\xFF") && !is_marked(b"http"));
    }

    #[test]
    fn half_a_character_at_the_end_is_replaced() {
        for (bytes, text) in [
            (&b"\xFF\xFEa\0b"[..], "a\u{FFFD}"),
            (b"\xFF\xFEa\0\x3D\xD8", "a\u{FFFD}"),
            (b"\xFF\xFEa\0\x3D\xD8b", "a\u{FFFD}"),
            (b"\xFF\xFE\x3D\xD8a\0", "\u{FFFD}a"),
        ] {
            for size in 1..9 {
                let (mut rdr, mut out) = (reader(bytes), Vec::new());
                let mut chunk = vec![0; size];
                while let n @ 1.. = rdr.read(&mut chunk).unwrap() {
                    out.extend_from_slice(&chunk[..n]);
                }
                assert_eq!(String::from_utf8(out).unwrap(), text, "{size}");
            }
        }
    }
}
