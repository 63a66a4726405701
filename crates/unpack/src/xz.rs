//! xz: "The .xz File Format", version 1.2.1. Section numbers below refer to it.
//!
//! The container is parsed here. lzma-rust2 decodes the LZMA2 data in it. Its
//! two readers of the container are not used. `XzReader` reads a whole LZMA2
//! chunk before it decodes any of it. So a truncated file would lose up to 64
//! KiB, which can be up to 2 MiB of text. `XzStream` keeps a record of each
//! block, so its memory grows with the file.
//!
//! LZMA2 is the only supported filter. The other filters are for machine code
//! and sound. A SHA-256 check is skipped, as 3.4 allows ("If the Check is not
//! supported by the decoder …"). `xz` writes CRC64 by default.

use std::io::{self, BufRead};

use crc::{CRC_64_XZ, Digest};
use flate2::Crc;
use lzma_rust2::{Action, Lzma2Stream, Status};

use super::codec::{Codec, corrupt};
use super::fault::UnpackFaultKind;
use super::layer::Supply;
use super::window::Window;

const MAGIC: [u8; 6] = [0xFD, b'7', b'z', b'X', b'Z', 0];

/// The decoder gets the input in pieces of this size, counted from the start of
/// a block. When a piece is corrupt, the bytes decoded from it are lost. A
/// small piece loses few bytes. The decoder always gets whole pieces, so it
/// always loses the same bytes.
const BITE: u64 = 1 << 10;

/// 16 tables, so that 16 bytes are read at a time.
type Slices = crc::Table<16>;
static CRC64: crc::Crc<u64, Slices> = crc::Crc::<u64, Slices>::new(&CRC_64_XZ);

/// Decodes xz, one stream at a time.
pub(super) struct Unxz {
    /// The two bytes of the stream flags (2.1.1.2).
    flags: [u8; 2],
    /// The decoder of the current block. `None` between blocks.
    data: Option<Lzma2Stream>,
    block: BlockState,
    /// All data of the block was returned. Its padding and check come next.
    at_check: bool,
    window: Window,
    /// The number of blocks read in this stream.
    blocks: u64,
    ended: bool,
    /// The error to return after the last bytes.
    error: Option<io::Error>,
}

/// The state of a block.
#[derive(Default)]
struct BlockState {
    packed: u64,
    unpacked: u64,
    /// The sizes in the block header, if it has them.
    packed_stated: Option<u64>,
    unpacked_stated: Option<u64>,
    check: Check,
}

#[derive(Default)]
enum Check {
    #[default]
    None,
    Crc32(Crc),
    Crc64(Digest<'static, u64, Slices>),
}

impl Unxz {
    pub fn new(input: &Supply) -> Unxz {
        Unxz {
            window: Window::new(&input.ctx),
            flags: [0; 2],
            data: None,
            block: BlockState::default(),
            at_check: false,
            blocks: 0,
            ended: true,
            error: None,
        }
    }

    /// Parses a block header (3.1). A zero instead begins the index.
    fn block(&mut self, input: &mut Supply) -> io::Result<()> {
        let &[size, ..] = input.fill(1) else {
            return Err(input.truncated());
        };
        if size == 0 {
            self.ended = true;
            self.index(input)?;
            return self.footer(input);
        }
        let len = (usize::from(size) + 1) * 4;
        let Some(header) = input.fill(len).get(..len) else {
            return Err(input.truncated());
        };
        let (body, crc) = header.split_at(len - 4);
        if crc32(body) != *crc {
            return Err(corrupt("wrong checksum of a block header"));
        }
        let (block, window) = block(body).ok_or_else(|| unsupported("unsupported block header"))?;
        self.window.grow(window)?;
        // The cast is safe: a window has at most 2^32 - 1 bytes.
        self.data = Some(Lzma2Stream::new(window as u32));
        self.block = block;
        self.block.check = match self.flags[1] {
            1 => Check::Crc32(Crc::new()),
            4 => Check::Crc64(CRC64.digest()),
            _ => Check::None,
        };
        self.blocks += 1;
        input.consume(len);
        Ok(())
    }

    /// Decodes data of the block. May return 0 before its end.
    fn data(&mut self, input: &mut Supply, out: &mut [u8]) -> usize {
        let Some(stream) = &mut self.data else {
            return 0;
        };
        let written = stream.total_out();
        // Give the decoder no input while it has output.
        let want = (BITE - self.block.packed % BITE) as usize;
        let bytes = if stream.has_output() {
            &[]
        } else {
            input.fill(want)
        };
        let bytes = &bytes[..bytes.len().min(want)];
        let at_end = bytes.is_empty() && !stream.has_output();
        let action = if at_end { Action::Finish } else { Action::Run };
        let result = stream.process(bytes, out, action);
        let n = (stream.total_out() - written) as usize;
        self.block.unpacked += n as u64;
        match &mut self.block.check {
            Check::None => {}
            Check::Crc32(crc) => crc.update(&out[..n]),
            Check::Crc64(crc) => crc.update(&out[..n]),
        }
        let consumed = result.as_ref().map_or(0, |done| done.bytes_consumed);
        input.consume(consumed);
        self.block.packed += consumed as u64;
        match result.map(|done| done.status) {
            Ok(Status::StreamEnd) => {
                self.data = None;
                self.at_check = true;
            }
            Ok(Status::Ok) if n > 0 || consumed > 0 => {}
            _ if at_end => self.error = Some(input.truncated()),
            _ => self.error = Some(corrupt("corrupt block")),
        }
        n
    }

    /// Checks the end of a block: its padding (3.3) and its check (3.4).
    fn end_of_block(&mut self, input: &mut Supply) -> io::Result<()> {
        const LEN: [usize; 16] = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];
        let block = std::mem::take(&mut self.block);
        let padding = (block.packed.wrapping_neg() % 4) as usize;
        let len = padding + LEN[usize::from(self.flags[1] & 15)];
        let Some(bytes) = input.fill(len).get(..len) else {
            return Err(input.truncated());
        };
        let (padding, stated) = bytes.split_at(padding);
        let is_stated = block.packed_stated.is_none_or(|len| len == block.packed)
            && block
                .unpacked_stated
                .is_none_or(|len| len == block.unpacked);
        if padding.iter().any(|&b| b != 0) || !is_stated {
            return Err(corrupt("a block is not as long as stated"));
        }
        let is_right = match block.check {
            Check::None => true,
            Check::Crc32(crc) => crc.sum().to_le_bytes() == *stated,
            Check::Crc64(crc) => crc.finalize().to_le_bytes() == *stated,
        };
        input.consume(len);
        if !is_right {
            input.note(UnpackFaultKind::Checksum, "xz data: wrong checksum");
        }
        Ok(())
    }

    /// Checks the index (section 4). The sizes in the index are not compared
    /// with those of the blocks, because this would take memory. Each block has
    /// its own check.
    fn index(&self, input: &mut Supply) -> io::Result<()> {
        let mut crc = Crc::new();
        bytes::<1>(input, &mut crc)?;
        if next_number(input, &mut crc)? != self.blocks {
            return Err(corrupt("the index has a wrong number of blocks"));
        }
        for _ in 0..self.blocks * 2 {
            next_number(input, &mut crc)?;
        }
        while !crc.amount().is_multiple_of(4) {
            bytes::<1>(input, &mut crc)?;
        }
        if input.array()? != crc.sum().to_le_bytes() {
            return Err(corrupt("wrong checksum of the index"));
        }
        Ok(())
    }

    /// Checks the stream footer (2.1.2).
    fn footer(&self, input: &mut Supply) -> io::Result<()> {
        let footer: [u8; 12] = input.array()?;
        if crc32(&footer[4..10]) != footer[..4]
            || footer[8..10] != self.flags
            || &footer[10..] != b"YZ"
        {
            return Err(corrupt("wrong footer of the stream"));
        }
        Ok(())
    }
}

impl Codec for Unxz {
    /// Parses the stream header (2.1.1).
    fn begin(&mut self, input: &mut Supply) -> io::Result<()> {
        let head: [u8; 12] = input.array()?;
        self.flags = [head[6], head[7]];
        if !head.starts_with(&MAGIC) || crc32(&self.flags) != head[8..] {
            return Err(corrupt("wrong header of the stream"));
        }
        if self.flags[0] != 0 || self.flags[1] > 15 {
            return Err(unsupported("unsupported header flags"));
        }
        self.blocks = 0;
        self.ended = false;
        Ok(())
    }

    fn read(&mut self, input: &mut Supply, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            if self.data.is_some() {
                match self.data(input, out) {
                    0 => {}
                    n => return Ok(n),
                }
            } else if std::mem::take(&mut self.at_check) {
                self.end_of_block(input)?;
            } else if self.ended {
                return Ok(0);
            } else {
                self.block(input)?;
            }
        }
    }
}

/// Reads bytes of the index, and adds them to `crc`.
fn bytes<const N: usize>(input: &mut Supply, crc: &mut Crc) -> io::Result<[u8; N]> {
    let bytes = input.array()?;
    crc.update(&bytes);
    Ok(bytes)
}

/// Reads a number of the index.
fn next_number(input: &mut Supply, crc: &mut Crc) -> io::Result<u64> {
    let mut digits = [0; 9];
    for byte in &mut digits {
        [*byte] = bytes(input, crc)?;
        if *byte & 0x80 == 0 {
            break;
        }
    }
    let (value, _) = number(&digits).ok_or_else(|| corrupt("wrong index"))?;
    Ok(value)
}

fn unsupported(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, text)
}

/// Parses a block header (3.1) without its size and checksum. Returns the block
/// and the size of its window.
fn block(header: &[u8]) -> Option<(BlockState, u64)> {
    let (&[_, flags], mut rest) = header.split_first_chunk()?;
    // 3.1.2: the flags have the number of filters minus 1 (two bits), four
    // reserved bits, and two bits that say which sizes are present.
    if flags & 0x3F != 0 {
        return None;
    }
    let mut stated = |bit| -> Option<Option<u64>> {
        if flags & bit == 0 {
            return Some(None);
        }
        let (value, n) = number(rest)?;
        rest = &rest[n..];
        Some(Some(value))
    };
    let packed_stated = stated(0x40)?;
    let unpacked_stated = stated(0x80)?;
    // 5.3.1: the id of LZMA2, the length of its properties, then the
    // properties.
    let [0x21, 1, bits, padding @ ..] = rest else {
        return None;
    };
    let window = match u64::from(*bits) {
        40 => u64::from(u32::MAX),
        bits @ 0..40 => (2 | (bits & 1)) << (bits / 2 + 11),
        _ => return None,
    };
    let block = BlockState {
        packed_stated,
        unpacked_stated,
        ..BlockState::default()
    };
    padding.iter().all(|&b| b == 0).then_some((block, window))
}

/// Parses a number of at most 63 bits, with seven bits in a byte (1.2). Returns
/// it and its length in bytes.
fn number(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut value = 0;
    for (i, &b) in bytes.iter().take(9).enumerate() {
        value |= u64::from(b & 0x7F) << (7 * i);
        if b & 0x80 == 0 {
            return (b != 0 || i == 0).then_some((value, i + 1));
        }
    }
    None
}

fn crc32(bytes: &[u8]) -> [u8; 4] {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(number(&[0x7F]), Some((0x7F, 1)));
        assert_eq!(number(&[0x80, 1, 9]), Some((0x80, 2)));
        assert_eq!(number(&[0x80]), None);
        // 1.2: "the last byte … must not be zero" if a number has more than one
        // byte.
        assert_eq!(number(&[0x80, 0]), None);
        assert_eq!(number(&[0xFF; 9]), None);
    }
}
