//! UTF-16 text as UTF-8, for files that say by a byte order mark that they
//! are UTF-16.
//!
//! Offsets in such a file count in the UTF-8 text, and are told apart from
//! those of other files: they are `decoded` (see
//! [`Match::decoded`](crate::search::Match::decoded)). Unpaired surrogates become U+FFFD.

use std::io::{self, Read};

use encoding_rs::{Decoder, Encoding};

/// How many bytes are read at a time.
const READ: usize = 16 << 10;

/// The encoding that the mark at the start of `head` names, if it is UTF-16.
pub fn encoding(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [0xFF, 0xFE, ..] => Some(encoding_rs::UTF_16LE),
        [0xFE, 0xFF, ..] => Some(encoding_rs::UTF_16BE),
        _ => None,
    }
}

/// Yields a stream of UTF-16 as UTF-8.
pub struct Transcoder<R> {
    rdr: R,
    decoder: Decoder,
    input: Vec<u8>,
    /// What of `input` is still to be decoded.
    from: usize,
    to: usize,
    /// Decoded bytes that did not fit, from `kept` on. A character takes at
    /// most 4, and the decoder writes none in part.
    small: [u8; 16],
    kept: usize,
    len: usize,
    eof: bool,
    done: bool,
}

impl<R: Read> Transcoder<R> {
    /// Reads `rdr`, of which `head` was read already, mark included.
    pub fn new(rdr: R, head: &[u8], encoding: &'static Encoding) -> Transcoder<R> {
        let mut input = head.to_vec();
        input.resize(head.len().max(READ), 0);
        Transcoder {
            rdr,
            decoder: encoding.new_decoder_with_bom_removal(),
            input,
            from: 0,
            to: head.len(),
            small: [0; 16],
            kept: 0,
            len: 0,
            eof: false,
            done: false,
        }
    }
}

impl<R: Read> Read for Transcoder<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            if self.kept < self.len {
                let n = out.len().min(self.len - self.kept);
                out[..n].copy_from_slice(&self.small[self.kept..self.kept + n]);
                self.kept += n;
                return Ok(n);
            }
            if self.done {
                return Ok(0);
            }
            if self.from == self.to && !self.eof {
                self.to = self.rdr.read(&mut self.input)?;
                self.from = 0;
                self.eof = self.to == 0;
            }
            // The decoder wants room for more than one character.
            let direct = out.len() >= self.small.len();
            let room = if direct {
                &mut *out
            } else {
                &mut self.small[..]
            };
            let (result, read, written, _) =
                self.decoder
                    .decode_to_utf8(&self.input[self.from..self.to], room, self.eof);
            self.from += read;
            self.done = self.eof && result == encoding_rs::CoderResult::InputEmpty;
            if direct && written > 0 {
                return Ok(written);
            }
            if !direct {
                (self.kept, self.len) = (0, written);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_at_any_size() {
        let text = "http://a.example/ \u{1F600} ü\n".repeat(40);
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
            let encoding = encoding(&bytes).unwrap();
            for size in [1, 3, 16, 17, 4096] {
                let mut rdr = Transcoder::new(&bytes[3..], &bytes[..3], encoding);
                let (mut out, mut chunk) = (Vec::new(), vec![0; size]);
                loop {
                    match rdr.read(&mut chunk).unwrap() {
                        0 => break,
                        n => out.extend_from_slice(&chunk[..n]),
                    }
                }
                assert_eq!(out, text.as_bytes(), "{big} {size}");
            }
        }
        assert!(encoding(b"\xFF").is_none() && encoding(b"http").is_none());
    }

    #[test]
    fn half_a_character_at_the_end_is_replaced() {
        let mut rdr = Transcoder::new(&b"\xFF\xFEa\0b"[..], &[], encoding_rs::UTF_16LE);
        let mut out = String::new();
        rdr.read_to_string(&mut out).unwrap();
        assert_eq!(out, "a\u{FFFD}");
    }
}
