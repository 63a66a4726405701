//! A layer of compressed data: which decoder reads it, within which limits, and
//! what follows a stream.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

#[cfg(feature = "formats")]
use super::bzip2::Bunzip2;
use super::codec::Codec;
#[cfg(not(feature = "formats"))]
use super::codec::LeftOut;
use super::fault::{UnpackFault, UnpackFaultKind};
use super::gzip::Inflate;
use super::layer::{Layer, Supply};
use super::lzw::Uncompress;
#[cfg(feature = "formats")]
use super::xz::Unxz;
#[cfg(feature = "formats")]
use super::zstd::Unzstd;
use urlgrep_base::magic::COMPRESSION_HEAD;
pub(super) use urlgrep_base::magic::Compression;

/// Decodes all streams of one compression in an input.
pub(super) struct Decompressor {
    input: Supply,
    codec: Box<dyn Codec>,
    compression: Compression,
    state: StreamState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamState {
    /// Before the header of a stream.
    First,
    Stream,
    /// After the last stream, or after an error.
    Over,
}

impl Decompressor {
    pub fn new(compression: Compression, input: Supply) -> Decompressor {
        Decompressor {
            codec: match compression {
                Compression::Deflate | Compression::Zlib | Compression::Gzip => {
                    Box::new(Inflate::new(compression))
                }
                #[cfg(feature = "formats")]
                Compression::Bzip2 => Box::<Bunzip2>::default(),
                #[cfg(feature = "formats")]
                Compression::Xz => Box::new(Unxz::new(&input)),
                #[cfg(feature = "formats")]
                Compression::Zstd => Box::new(Unzstd::new(&input)),
                #[cfg(not(feature = "formats"))]
                Compression::Bzip2 | Compression::Xz | Compression::Zstd => Box::new(LeftOut),
                Compression::Lzw => Box::<Uncompress>::default(),
            },
            input,
            compression,
            state: StreamState::First,
        }
    }

    /// Reads from the codec within the limits.
    fn stream(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let input = &mut self.input;
        let ctx = Arc::clone(&input.ctx);
        let level = input.level + 1;
        let room = usize::try_from(ctx.room(level)).unwrap_or(usize::MAX);
        if room == 0 && self.codec.read(input, &mut [0])? > 0 {
            let fault = input.fault(UnpackFaultKind::Decompressed, ctx.exhaust());
            return Err(fault.into());
        }
        let len = out.len().min(room);
        let n = self.codec.read(input, &mut out[..len])?;
        ctx.spend(level, n);
        Ok(n)
    }

    /// Skips zeros, then checks for another stream. Tapes and `tar -b` leave
    /// zeros after a stream. Other data is ignored with a note. gzip(1) does
    /// the same: it says "decompression OK, trailing garbage ignored", and
    /// exits with status 2.
    fn after(&mut self) -> io::Result<StreamState> {
        // These are parts of zip files and news batches. Another stream cannot
        // follow.
        if matches!(self.compression, Compression::Deflate | Compression::Zlib) {
            return Ok(StreamState::Over);
        }
        let input = &mut self.input;
        loop {
            let rest = input.fill(COMPRESSION_HEAD);
            let zeros = rest.iter().take_while(|&&b| b == 0).count();
            if rest.is_empty() {
                // The end, or an error of the layer below.
                return input.fill_buf().map(|_| StreamState::Over);
            } else if zeros > 0 {
                input.consume(zeros);
            } else if Compression::of(rest) == Some(self.compression) {
                return Ok(StreamState::First);
            } else {
                let text = format!("{}: data after its end is ignored", self.compression.name());
                input.note(UnpackFaultKind::Trailing, text);
                input.skip(u64::MAX);
            }
        }
    }

    /// Adds the name and the offset to an error of the codec. Errors of the
    /// layers below already have them.
    fn fault(&self, error: io::Error) -> io::Error {
        if UnpackFault::of(&error).is_some() {
            return error;
        }
        let input = &self.input;
        let mut after = 0;
        let (kind, text) = match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                after = input.buffered().len() as u64;
                (UnpackFaultKind::Truncated, "ends too early".to_owned())
            }
            io::ErrorKind::OutOfMemory => (UnpackFaultKind::Window, error.to_string()),
            io::ErrorKind::Unsupported => (UnpackFaultKind::Unsupported, error.to_string()),
            _ => (UnpackFaultKind::Corrupt, error.to_string()),
        };
        let name = self.compression.name();
        let mut fault = input.fault(kind, format!("{name} data: {text}"));
        fault.offset = Some(input.offset() + after);
        fault.into()
    }
}

impl Layer for Decompressor {
    fn input(&mut self) -> &mut Supply {
        &mut self.input
    }

    fn is_filter(&self) -> bool {
        true
    }
}

impl Read for Decompressor {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        loop {
            let result = match self.state {
                StreamState::Over => return Ok(0),
                StreamState::First => {
                    let begun = self.codec.begin(&mut self.input);
                    begun.map(|()| self.state = StreamState::Stream)
                }
                StreamState::Stream => match self.stream(out) {
                    Ok(0) => self.after().map(|next| self.state = next),
                    Ok(n) => return Ok(n),
                    Err(error) => Err(error),
                },
            };
            if let Err(error) = result {
                self.state = StreamState::Over;
                return Err(self.fault(error));
            }
        }
    }
}
