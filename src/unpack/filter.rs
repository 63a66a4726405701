//! Compressed streams: what they are, and the one way all of them are read.

use std::borrow::Cow;

use super::bzip2::Bunzip2;
use super::fault::FaultKind;
use super::gzip::{Gunzip, Inflate};
use super::layer::Input;
use super::limits::{Broken, Ctx};
use super::lzw::Uncompress;
use super::xz::Unxz;
use super::zstd::Unzstd;

/// How a stream is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// RFC 1951, without anything around it; as in zip.
    Deflate,
    /// RFC 1950.
    Zlib,
    /// RFC 1952.
    Gzip,
    Bzip2,
    Xz,
    /// RFC 8878.
    Zstd,
    /// compress(1), `.Z`.
    Lzw,
}

impl Compression {
    /// What the magic bytes say, from 6 of them, or fewer at the end.
    pub fn of(head: &[u8]) -> Option<Compression> {
        Some(match head {
            // RFC 1952, 2.3.1: "CM = 8 denotes the "deflate" compression
            // method", the only one there is.
            [0x1F, 0x8B, 8, ..] => Compression::Gzip,
            // The number of bits of a code, two reserved bits, and the flag
            // of the clear code.
            [0x1F, 0x9D, flags, ..] if flags & 0x60 == 0 && (9..=16).contains(&(flags & 0x1F)) => {
                Compression::Lzw
            }
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Compression::Xz,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            // RFC 8878, 3.1.2: a skippable frame; pzstd begins with one.
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] => Compression::Zstd,
            // The size of a block, and the first digits of pi, or, where
            // there is no block, of its square root.
            [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..] if !rest.is_empty() => {
                let n = rest.len().min(2);
                let block =
                    [0x31, 0x41].starts_with(&rest[..n]) || [0x17, 0x72].starts_with(&rest[..n]);
                return block.then_some(Compression::Bzip2);
            }
            _ => return None,
        })
    }

    /// The name of the program that made it.
    fn name(self) -> &'static str {
        match self {
            Compression::Deflate => "deflate",
            Compression::Zlib => "zlib",
            Compression::Gzip => "gzip",
            Compression::Bzip2 => "bzip2",
            Compression::Xz => "xz",
            Compression::Zstd => "zstd",
            Compression::Lzw => "compress",
        }
    }
}

/// What one step of a decoder did.
pub(super) struct Step {
    /// How many bytes it put out. It may be none.
    pub n: usize,
    /// Why it cannot go on, if it cannot.
    pub halt: Option<Halt>,
}

impl Step {
    pub fn out(n: usize) -> Step {
        Step { n, halt: None }
    }

    pub fn halt(halt: Halt) -> Step {
        Step {
            n: 0,
            halt: Some(halt),
        }
    }

    pub fn corrupt(text: impl Into<Cow<'static, str>>) -> Step {
        Step::halt(Halt::Fault(FaultKind::Corrupt, text.into()))
    }
}

/// Why a decoder stopped.
pub(super) enum Halt {
    /// The data is complete.
    End,
    /// The input ended before the data did.
    Truncated,
    /// It goes on, but this is to be told.
    Note(FaultKind, Cow<'static, str>),
    /// It cannot go on.
    Fault(FaultKind, Cow<'static, str>),
    /// It cannot go on, because of something after this offset.
    FaultAfter(u64, Cow<'static, str>),
}

enum Codec {
    Deflate(Inflate),
    Gzip(Box<Gunzip>),
    Bzip2(Bunzip2),
    Xz(Box<Unxz>),
    Zstd(Box<Unzstd>),
    Lzw(Box<Uncompress>),
}

/// Decodes one stream, and tells what is wrong with it. All bytes that could
/// be decoded come before the end, whatever the end is.
pub(super) struct Decoder {
    codec: Codec,
    name: &'static str,
    state: State,
    /// What the last step put out stopped at this.
    pending: Option<Halt>,
    /// A note was told: of one stream the first is enough, and there could be
    /// one for every 20 bytes.
    noted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Ended,
    Broken,
}

impl Decoder {
    pub fn new(compression: Compression) -> Decoder {
        Decoder {
            codec: match compression {
                Compression::Deflate => Codec::Deflate(Inflate::new(false)),
                Compression::Zlib => Codec::Deflate(Inflate::new(true)),
                Compression::Gzip => Codec::Gzip(Box::default()),
                Compression::Bzip2 => Codec::Bzip2(Bunzip2::default()),
                Compression::Xz => Codec::Xz(Box::default()),
                Compression::Zstd => Codec::Zstd(Box::default()),
                Compression::Lzw => Codec::Lzw(Box::default()),
            },
            name: compression.name(),
            state: State::Open,
            pending: None,
            noted: false,
        }
    }

    /// The next decoded bytes; none at the end. `path` names the data in
    /// faults, `level` counts the decompressors up to this one.
    pub fn read(
        &mut self,
        input: &mut Input,
        out: &mut [u8],
        level: u32,
        path: Option<&[u8]>,
        ctx: &mut Ctx,
    ) -> Result<usize, Broken> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            match self.state {
                State::Open => {}
                State::Ended => return Ok(0),
                State::Broken => return Err(Broken),
            }
            if let Some(halt) = self.pending.take() {
                self.settle(halt, input, path, ctx);
                continue;
            }
            let room = ctx.room(level);
            let mut probe = [0];
            let to = if room == 0 {
                &mut probe[..]
            } else {
                let n = usize::try_from(room).unwrap_or(usize::MAX).min(out.len());
                &mut out[..n]
            };
            let Step { n, halt } = match &mut self.codec {
                Codec::Deflate(codec) => codec.step(input, to, ctx),
                Codec::Gzip(codec) => codec.step(input, to, ctx),
                Codec::Bzip2(codec) => codec.step(input, to, ctx),
                Codec::Xz(codec) => codec.step(input, to, ctx),
                Codec::Zstd(codec) => codec.step(input, to, ctx),
                Codec::Lzw(codec) => codec.step(input, to, ctx),
            };
            self.pending = halt;
            if n > 0 {
                if room == 0 {
                    ctx.fault(
                        FaultKind::Decompressed,
                        path,
                        Some(input.offset()),
                        ctx.too_much(),
                    );
                    ctx.exhausted = true;
                    self.state = State::Broken;
                    continue;
                }
                ctx.spend(level, n);
                return Ok(n);
            }
        }
    }

    fn settle(&mut self, halt: Halt, input: &Input, path: Option<&[u8]>, ctx: &mut Ctx) {
        let mut at = input.offset();
        let (kind, text) = match halt {
            Halt::End => {
                self.state = State::Ended;
                return;
            }
            Halt::Truncated => {
                self.state = State::Broken;
                if input.is_broken() {
                    return;
                }
                at += input.buffered().len() as u64;
                (FaultKind::Truncated, Cow::from("it ends too early"))
            }
            Halt::Fault(kind, text) => {
                self.state = State::Broken;
                (kind, text)
            }
            Halt::FaultAfter(offset, text) => {
                self.state = State::Broken;
                at = offset;
                (FaultKind::Corrupt, text)
            }
            Halt::Note(..) if self.noted => return,
            Halt::Note(kind, text) => {
                self.noted = true;
                (kind, text)
            }
        };
        ctx.fault(kind, path, Some(at), format!("{} data: {text}", self.name));
    }
}

/// A compressed stream.
pub(super) struct Filter {
    pub input: Input,
    decoder: Decoder,
    /// The name of the stream.
    pub path: Option<Vec<u8>>,
}

impl Filter {
    pub fn new(compression: Compression, input: Input, path: Option<Vec<u8>>) -> Filter {
        Filter {
            input,
            decoder: Decoder::new(compression),
            path,
        }
    }

    pub fn read(&mut self, out: &mut [u8], ctx: &mut Ctx) -> Result<usize, Broken> {
        let level = self.input.level + 1;
        self.decoder
            .read(&mut self.input, out, level, self.path.as_deref(), ctx)
    }
}

/// What stands after the last stream of a file: nothing, or zeros up to the
/// end, as tapes and `tar -b` leave them, or something else, which is an
/// oddity to be told of. gzip(1), "decompression OK, trailing garbage
/// ignored", ends with status 2 then, and says nothing of zeros.
pub(super) fn trailer(told: &mut bool, input: &mut Input, ctx: &mut Ctx) -> Step {
    loop {
        let rest = input.fill(1, ctx);
        let zeros = rest.iter().take_while(|&&b| b == 0).count();
        if rest.is_empty() {
            return Step::halt(if input.is_broken() {
                Halt::Truncated
            } else {
                Halt::End
            });
        }
        if zeros < rest.len() && !*told {
            *told = true;
            input.consume(zeros);
            return Step::halt(Halt::Note(
                FaultKind::Trailing,
                "what follows it is something else, and is ignored".into(),
            ));
        }
        let n = rest.len();
        input.consume(n);
    }
}
