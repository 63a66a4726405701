//! bzip2.

use std::io::{self, BufRead};

use bzip2::{Decompress, Status};

use super::codec::{Codec, corrupt};
use super::layer::Supply;

/// Bytes decoded at a time. After corrupt data the library does not return the
/// number of bytes decoded before the fault. Those bytes are lost. A small
/// fixed size loses few bytes, and always the same bytes.
const PIECE: usize = 1 << 10;

/// A stream of at most this length is first decoded with the smallest block
/// size. See [`Bunzip2::short`].
const SHORT: usize = 2 << 10;

/// An empty stream after `BZh` and a digit: the end mark, then a checksum of 0.
const NOTHING: [u8; 10] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];

/// Decodes bzip2, one stream at a time.
#[derive(Default)]
pub(super) struct Bunzip2 {
    /// The decoder. `None` at the end of the stream.
    z: Option<Decompress>,
    /// Decoded bytes. `piece[pos..]` is not returned yet.
    piece: Vec<u8>,
    pos: usize,
    /// The error to return after the piece.
    error: Option<io::Error>,
}

impl Bunzip2 {
    /// Decodes a short stream in one call. Returns its length, or 0 if this is
    /// not possible.
    ///
    /// The digit in the header is the maximum size of a block. The decoder
    /// clears up to 3.6 MB for this size. Clearing dominates the cost of a
    /// short stream: 75 µs for a stream of 2 bytes. With the smallest block
    /// size in the header it takes 9 µs. For comparison: bzip2(1) takes 4 µs, a
    /// gzip or zstd member 0.2 µs, an xz stream 1.6 µs.
    ///
    /// If decoding fails, the stream is decoded again with its own header. One
    /// cause is a block that is larger than the smallest size. The output is
    /// the same.
    fn short(&mut self, input: &Supply) -> usize {
        let bytes = input.buffered();
        let at_end = input.is_at_end() || input.left() == bytes.len() as u64;
        let [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] = bytes else {
            return 0;
        };
        let len = match memchr::memmem::find(rest, b"BZh") {
            Some(at) => at + 4,
            None if at_end => bytes.len(),
            None => return 0,
        };
        if len > SHORT {
            return 0;
        }
        let mut z = Decompress::new(false);
        self.piece.resize(PIECE, 0);
        for part in [&b"BZh1"[..], &bytes[4..len]] {
            let from = z.total_out() as usize;
            match z.decompress(part, &mut self.piece[from..]) {
                Ok(Status::StreamEnd) => {
                    self.piece.truncate(z.total_out() as usize);
                    return z.total_in() as usize;
                }
                Ok(_) => {}
                Err(_) => break,
            }
        }
        0
    }

    /// Decodes into `piece[from..]`. Returns the number of bytes.
    fn decode(&mut self, input: &mut Supply, from: usize) -> usize {
        let Some(z) = &mut self.z else {
            return 0;
        };
        let (read, written) = (z.total_in(), z.total_out());
        let bytes = input.fill(1);
        let at_end = bytes.is_empty();
        let result = z.decompress(bytes, &mut self.piece[from..]);
        let read = (z.total_in() - read) as usize;
        let n = (z.total_out() - written) as usize;
        input.consume(read);
        match result {
            Ok(Status::StreamEnd) => self.z = None,
            Ok(Status::MemNeeded) => self.error = Some(io::ErrorKind::OutOfMemory.into()),
            Ok(_) if n > 0 || read > 0 => {}
            Ok(_) if at_end => self.error = Some(input.truncated()),
            // The library returns the same error for a wrong checksum. So it is
            // also reported as corrupt data.
            Ok(_) | Err(_) => self.error = Some(corrupt("corrupt")),
        }
        n
    }
}

impl Codec for Bunzip2 {
    fn begin(&mut self, input: &mut Supply) -> io::Result<()> {
        let head = input.fill(4 + NOTHING.len());
        if let [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] = head
            && rest.starts_with(&NOTHING)
        {
            input.consume(4 + NOTHING.len());
            return Ok(());
        }
        self.pos = 0;
        match self.short(input) {
            0 => {
                self.piece.clear();
                self.z = Some(Decompress::new(false));
            }
            n => input.consume(n),
        }
        Ok(())
    }

    fn read(&mut self, input: &mut Supply, out: &mut [u8]) -> io::Result<usize> {
        if self.pos == self.piece.len() {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            self.piece.resize(PIECE, 0);
            let mut n = 0;
            while n < PIECE && self.z.is_some() && self.error.is_none() {
                n += self.decode(input, n);
            }
            self.piece.truncate(n);
            self.pos = 0;
            if n == 0
                && let Some(error) = self.error.take()
            {
                return Err(error);
            }
        }
        let n = out.len().min(self.piece.len() - self.pos);
        out[..n].copy_from_slice(&self.piece[self.pos..self.pos + n]);
        self.pos += n;
        Ok(n)
    }
}
