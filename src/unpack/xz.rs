//! xz: "The .xz File Format", version 1.2.1. The sections named below are its.
//!
//! The container is read here, the LZMA2 data in it by a crate. Of the filters
//! only LZMA2 is known: the others are for machine code and sound. A SHA-256
//! check is passed over, as 3.4 allows ("If the Check is not supported by the
//! decoder …"); `xz` writes CRC64 unless told otherwise.

use flate2::Crc;
use lzma_rust2::{Action, Lzma2Stream, Status};

use super::fault::FaultKind;
use super::filter::{Halt, Step, trailer};
use super::layer::Input;
use super::limits::{Ctx, mebibytes};

const MAGIC: [u8; 6] = [0xFD, b'7', b'z', b'X', b'Z', 0];

/// Where the input is cut for the decoder, counted from the start of a block.
/// What it had decoded of a piece is lost when that is corrupt, so pieces are
/// small; and they are whole, so that it is always the same that is lost.
const BITE: u64 = 1 << 10;

/// Decodes xz. Streams that follow one another are one.
pub(super) struct Unxz {
    state: State,
    /// 2.1.1.2, the two bytes of the stream flags.
    flags: [u8; 2],
    block: Block,
    /// How many blocks the stream had.
    blocks: u64,
    /// Of the index.
    crc: Crc,
    index_len: u64,
}

enum State {
    StreamHeader,
    BlockHeader,
    Body(Box<Lzma2Stream>),
    Padding,
    Check,
    /// The number of records.
    IndexCount,
    /// So many numbers, two a record.
    Index(u64),
    IndexEnd,
    Footer,
    Between,
    /// After the last; what is there may have been told of.
    Rest(bool),
}

/// What is known of a block.
#[derive(Default)]
struct Block {
    /// Where its data begins.
    start: u64,
    packed: u64,
    unpacked: u64,
    /// What its header says of them.
    packed_stated: Option<u64>,
    unpacked_stated: Option<u64>,
    check: Check,
}

impl Block {
    fn corrupt(&self) -> Halt {
        Halt::FaultAfter(self.start, "the block that begins here is corrupt".into())
    }
}

#[derive(Default)]
enum Check {
    #[default]
    None,
    Crc32(Crc),
    Crc64(u64),
}

impl Default for Unxz {
    fn default() -> Unxz {
        Unxz {
            state: State::StreamHeader,
            flags: [0; 2],
            block: Block::default(),
            blocks: 0,
            crc: Crc::new(),
            index_len: 0,
        }
    }
}

impl Unxz {
    pub fn step(&mut self, input: &mut Input, out: &mut [u8], ctx: &mut Ctx) -> Step {
        let done = match &mut self.state {
            State::Body(_) => return self.body(input, out, ctx),
            State::Rest(told) => return trailer(told, input, ctx),
            State::StreamHeader => self.stream_header(input, ctx),
            State::BlockHeader => self.block_header(input, ctx),
            State::Padding => self.padding(input, ctx),
            State::Check => self.check(input, ctx),
            State::IndexCount => self.index_count(input, ctx),
            State::Index(left) => {
                let left = *left;
                self.index(left, input, ctx)
            }
            State::IndexEnd => self.index_end(input, ctx),
            State::Footer => self.footer(input, ctx),
            State::Between => self.between(input, ctx),
        };
        match done {
            Ok(()) => Step::out(0),
            Err(halt) => Step::halt(halt),
        }
    }

    /// 2.1.1.
    fn stream_header(&mut self, input: &mut Input, ctx: &mut Ctx) -> Result<(), Halt> {
        let head: [u8; 12] = take(input, ctx)?;
        if !head.starts_with(&MAGIC) {
            return Err(corrupt("the header of the stream is wrong"));
        }
        self.flags = [head[6], head[7]];
        if crc32(&self.flags) != head[8..] {
            return Err(corrupt("the checksum of its header is wrong"));
        }
        if self.flags[0] != 0 || self.flags[1] > 15 {
            return Err(Halt::Fault(
                FaultKind::Unsupported,
                "unsupported header flags".into(),
            ));
        }
        self.blocks = 0;
        self.state = State::BlockHeader;
        Ok(())
    }

    /// 3.1, or 4, which begins with a zero instead.
    fn block_header(&mut self, input: &mut Input, ctx: &mut Ctx) -> Result<(), Halt> {
        let &[size, ..] = input.fill(1, ctx) else {
            return Err(Halt::Truncated);
        };
        if size == 0 {
            self.crc.reset();
            self.index_len = 0;
            self.index_bytes(1, input);
            self.state = State::IndexCount;
            return Ok(());
        }
        let len = (usize::from(size) + 1) * 4;
        let Some(header) = input.fill(len, ctx).get(..len) else {
            return Err(Halt::Truncated);
        };
        let (body, crc) = header.split_at(len - 4);
        if crc32(body) != *crc {
            return Err(corrupt("the checksum of a block's header is wrong"));
        }
        let (block, window) = block(body).ok_or_else(|| {
            Halt::Fault(FaultKind::Unsupported, "unsupported block header".into())
        })?;
        if window > ctx.limits.max_window {
            return Err(Halt::Fault(
                FaultKind::Window,
                format!("it needs a window of {}", mebibytes(window)).into(),
            ));
        }
        self.block = block;
        self.block.check = match self.flags[1] {
            1 => Check::Crc32(Crc::new()),
            4 => Check::Crc64(0),
            _ => Check::None,
        };
        self.blocks += 1;
        // OK because a window is at most 2^32 - 1.
        self.state = State::Body(Box::new(Lzma2Stream::new(window as u32)));
        input.consume(len);
        self.block.start = input.offset();
        Ok(())
    }

    fn body(&mut self, input: &mut Input, out: &mut [u8], ctx: &mut Ctx) -> Step {
        let State::Body(stream) = &mut self.state else {
            return Step::out(0);
        };
        let written = stream.total_out();
        // What is decoded goes out before more is waited for.
        let want = (BITE - self.block.packed % BITE) as usize;
        let bytes = if stream.has_output() {
            &[]
        } else {
            input.fill(want, ctx)
        };
        let bytes = &bytes[..bytes.len().min(want)];
        let at_end = bytes.is_empty() && !stream.has_output();
        let action = if at_end { Action::Finish } else { Action::Run };
        let result = stream.process(bytes, out, action);
        let n = (stream.total_out() - written) as usize;
        let halt = match result {
            Ok(done) => {
                input.consume(done.bytes_consumed);
                self.block.packed += done.bytes_consumed as u64;
                match done.status {
                    Status::StreamEnd => {
                        self.state = State::Padding;
                        None
                    }
                    Status::Ok if n > 0 || done.bytes_consumed > 0 => None,
                    Status::Ok if at_end => Some(Halt::Truncated),
                    Status::Ok => Some(self.block.corrupt()),
                }
            }
            Err(_) if at_end => Some(Halt::Truncated),
            Err(_) => Some(self.block.corrupt()),
        };
        self.block.unpacked += n as u64;
        match &mut self.block.check {
            Check::None => {}
            Check::Crc32(crc) => crc.update(&out[..n]),
            Check::Crc64(crc) => *crc = crc64(*crc, &out[..n]),
        }
        Step { n, halt }
    }

    /// 3.3.
    fn padding(&mut self, input: &mut Input, ctx: &mut Ctx) -> Result<(), Halt> {
        let n = (self.block.packed.wrapping_neg() % 4) as usize;
        let bytes = input.fill(n, ctx);
        if bytes.len() < n {
            return Err(Halt::Truncated);
        }
        let is_zero = bytes[..n].iter().all(|&b| b == 0);
        let is_stated = self
            .block
            .packed_stated
            .is_none_or(|len| len == self.block.packed)
            && self
                .block
                .unpacked_stated
                .is_none_or(|len| len == self.block.unpacked);
        if !is_zero || !is_stated {
            return Err(corrupt("a block is not as long as stated"));
        }
        input.consume(n);
        self.state = State::Check;
        Ok(())
    }

    /// 3.4.
    fn check(&mut self, input: &mut Input, ctx: &mut Ctx) -> Result<(), Halt> {
        const LEN: [usize; 16] = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];
        let len = LEN[usize::from(self.flags[1] & 15)];
        let Some(stated) = input.fill(len, ctx).get(..len) else {
            return Err(Halt::Truncated);
        };
        let is_right = match &self.block.check {
            Check::None => true,
            Check::Crc32(crc) => crc.sum().to_le_bytes() == *stated,
            Check::Crc64(crc) => crc.to_le_bytes() == *stated,
        };
        input.consume(len);
        self.state = State::BlockHeader;
        if is_right {
            Ok(())
        } else {
            Err(Halt::Note(
                FaultKind::Checksum,
                "the checksum of what stands before is wrong".into(),
            ))
        }
    }

    /// Goes on by `n` bytes of the index.
    fn index_bytes(&mut self, n: usize, input: &mut Input) {
        self.crc.update(&input.buffered()[..n]);
        self.index_len += n as u64;
        input.consume(n);
    }

    fn index_number(&mut self, input: &mut Input, ctx: &mut Ctx) -> Result<u64, Halt> {
        let bytes = input.fill(9, ctx);
        let whole = bytes.len() >= 9;
        match number(bytes) {
            Some((value, n)) => {
                self.index_bytes(n, input);
                Ok(value)
            }
            None if whole => Err(corrupt("the index is wrong")),
            None => Err(Halt::Truncated),
        }
    }

    /// 4.2.
    fn index_count(&mut self, input: &mut Input, ctx: &mut Ctx) -> Result<(), Halt> {
        let count = self.index_number(input, ctx)?;
        if count != self.blocks {
            return Err(corrupt("the index has not as many blocks as there are"));
        }
        self.state = State::Index(count * 2);
        Ok(())
    }

    /// 4.3. What stands there is not compared with the blocks: that would take
    /// memory, and each block has its own check.
    fn index(&mut self, left: u64, input: &mut Input, ctx: &mut Ctx) -> Result<(), Halt> {
        if left > 0 {
            self.index_number(input, ctx)?;
            self.state = State::Index(left - 1);
        } else {
            self.state = State::IndexEnd;
        }
        Ok(())
    }

    /// 4.4 and 4.5.
    fn index_end(&mut self, input: &mut Input, ctx: &mut Ctx) -> Result<(), Halt> {
        let padding = (self.index_len.wrapping_neg() % 4) as usize;
        if input.fill(padding + 4, ctx).len() < padding + 4 {
            return Err(Halt::Truncated);
        }
        self.index_bytes(padding, input);
        let crc: [u8; 4] = take(input, ctx)?;
        if self.crc.sum().to_le_bytes() != crc {
            return Err(corrupt("the checksum of the index is wrong"));
        }
        self.state = State::Footer;
        Ok(())
    }

    /// 2.1.2.
    fn footer(&mut self, input: &mut Input, ctx: &mut Ctx) -> Result<(), Halt> {
        let footer: [u8; 12] = take(input, ctx)?;
        if crc32(&footer[4..10]) != footer[..4]
            || footer[8..10] != self.flags
            || &footer[10..] != b"YZ"
        {
            return Err(corrupt("the footer of the stream is wrong"));
        }
        self.state = State::Between;
        Ok(())
    }

    /// 2.2: zeros, "a multiple of four bytes", or another stream.
    fn between(&mut self, input: &mut Input, ctx: &mut Ctx) -> Result<(), Halt> {
        match input.fill(6, ctx) {
            [0, 0, 0, 0, ..] => input.consume(4),
            rest if rest.starts_with(&MAGIC) => self.state = State::StreamHeader,
            _ => self.state = State::Rest(false),
        }
        Ok(())
    }
}

/// The next bytes.
fn take<const N: usize>(input: &mut Input, ctx: &mut Ctx) -> Result<[u8; N], Halt> {
    let &bytes = input.fill(N, ctx).first_chunk().ok_or(Halt::Truncated)?;
    input.consume(N);
    Ok(bytes)
}

fn corrupt(text: &'static str) -> Halt {
    Halt::Fault(FaultKind::Corrupt, text.into())
}

/// 3.1, without its size and checksum: the block and its window.
fn block(header: &[u8]) -> Option<(Block, u64)> {
    let (&[_, flags], mut rest) = header.split_first_chunk()?;
    // 3.1.2: how many filters, two bits reserved, and which sizes are there.
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
    // 5.3.1: the id of LZMA2, the length of its properties, the properties.
    let [0x21, 1, bits, padding @ ..] = rest else {
        return None;
    };
    let window = match u64::from(*bits) {
        40 => u64::from(u32::MAX),
        bits @ 0..40 => (2 | (bits & 1)) << (bits / 2 + 11),
        _ => return None,
    };
    let block = Block {
        packed_stated,
        unpacked_stated,
        ..Block::default()
    };
    padding.iter().all(|&b| b == 0).then_some((block, window))
}

/// 1.2: a number of at most 63 bits, seven a byte, and how many bytes it has.
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

/// 6: the polynomial of ECMA-182, reflected. `CRC64[k][b]` is the remainder
/// of `b` with `k` zero bytes after it.
const CRC64: [[u64; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut i = 0;
    while i < 256 {
        let mut crc = i as u64;
        let mut bit = 0;
        while bit < 8 {
            crc = (crc >> 1)
                ^ (if crc & 1 == 1 {
                    0xC96C_5795_D787_0F42
                } else {
                    0
                });
            bit += 1;
        }
        table[0][i] = crc;
        i += 1;
    }
    let mut k = 1;
    while k < 8 {
        let mut i = 0;
        while i < 256 {
            let crc = table[k - 1][i];
            table[k][i] = (crc >> 8) ^ table[0][(crc & 0xFF) as usize];
            i += 1;
        }
        k += 1;
    }
    table
};

/// The checksum of what `crc` is the checksum of with `bytes` after it.
fn crc64(crc: u64, bytes: &[u8]) -> u64 {
    let mut crc = !crc;
    let (words, rest) = bytes.as_chunks::<8>();
    for &word in words {
        let word = (crc ^ u64::from_le_bytes(word)).to_le_bytes();
        crc = 0;
        for (k, b) in word.into_iter().enumerate() {
            crc ^= CRC64[7 - k][usize::from(b)];
        }
    }
    for &b in rest {
        crc = (crc >> 8) ^ CRC64[0][usize::from(crc as u8 ^ b)];
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_of_the_nine_digits() {
        // The check value that catalogues of CRCs give for CRC-64/XZ.
        assert_eq!(crc64(0, b"123456789"), 0x995D_C9BB_DF19_39FA);
        assert_eq!(
            crc64(crc64(0, b"12345678901"), b"2345"),
            crc64(0, b"123456789012345")
        );
    }

    #[test]
    fn numbers() {
        assert_eq!(number(&[0x7F]), Some((0x7F, 1)));
        assert_eq!(number(&[0x80, 1, 9]), Some((0x80, 2)));
        assert_eq!(number(&[0x80]), None);
        // "the last byte … must not be zero" in a number of more than one.
        assert_eq!(number(&[0x80, 0]), None);
        assert_eq!(number(&[0xFF; 9]), None);
    }
}
