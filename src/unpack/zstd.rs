//! Zstandard: RFC 8878.

use std::io::{self, Read};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::fault::FaultKind;
use super::filter::{Halt, Step, trailer};
use super::layer::Input;
use super::limits::{Ctx, mebibytes};

/// Decodes zstd. Frames that follow one another are one stream.
pub(super) struct Unzstd {
    decoder: FrameDecoder,
    state: State,
}

enum State {
    Begin,
    Skip(u64),
    Blocks,
    /// The decoder has all it can get, and this is told when it has put it
    /// out.
    Flush(Option<Halt>),
    /// After the last; what is there may have been told of.
    Rest(bool),
}

impl Default for Unzstd {
    fn default() -> Unzstd {
        Unzstd {
            decoder: FrameDecoder::new(),
            state: State::Begin,
        }
    }
}

/// The input as the decoder wants it.
struct Reader<'a> {
    input: &'a mut Input,
    ctx: &'a mut Ctx,
    /// It wanted more than there was.
    ended: bool,
}

impl Read for Reader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let n = self.input.read(out, self.ctx).unwrap_or(0);
        self.ended |= n == 0 && !out.is_empty();
        Ok(n)
    }
}

impl Unzstd {
    pub fn step(&mut self, input: &mut Input, out: &mut [u8], ctx: &mut Ctx) -> Step {
        match &mut self.state {
            State::Begin => self.begin(input, ctx),
            State::Skip(n) => {
                if input.skip(*n, ctx) > 0 {
                    return Step::halt(Halt::Truncated);
                }
                self.state = State::Begin;
                Step::out(0)
            }
            State::Blocks => {
                if self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                    self.block(input, ctx);
                }
                if self.decoder.is_finished() && matches!(self.state, State::Blocks) {
                    self.state = State::Flush(None);
                }
                self.collect(out)
            }
            State::Flush(halt) => {
                if self.decoder.can_collect() > 0 {
                    return self.collect(out);
                }
                let halt = halt.take().or_else(|| self.check());
                self.state = State::Begin;
                Step { n: 0, halt }
            }
            State::Rest(told) => trailer(told, input, ctx),
        }
    }

    fn begin(&mut self, input: &mut Input, ctx: &mut Ctx) -> Step {
        match *input.fill(8, ctx) {
            [0x50..=0x5F, 0x2A, 0x4D, 0x18, ref rest @ ..] => {
                let Some(&len) = rest.first_chunk() else {
                    return Step::halt(Halt::Truncated);
                };
                input.consume(8);
                self.state = State::Skip(u64::from(u32::from_le_bytes(len)));
                return Step::out(0);
            }
            [0x28, 0xB5, 0x2F, 0xFD, ..] => {}
            _ => {
                self.state = State::Rest(false);
                return Step::out(0);
            }
        }
        self.decoder.set_max_window_size(ctx.limits.max_window);
        let mut reader = Reader {
            input,
            ctx,
            ended: false,
        };
        match self.decoder.init(&mut reader) {
            Ok(()) => {
                self.state = State::Blocks;
                Step::out(0)
            }
            Err(_) if reader.ended => Step::halt(Halt::Truncated),
            Err(FrameDecoderError::WindowSizeTooBig { requested, .. }) => Step::halt(Halt::Fault(
                FaultKind::Window,
                format!("it needs a window of {}", mebibytes(requested)).into(),
            )),
            Err(FrameDecoderError::DictNotProvided { dict_id }) => Step::halt(Halt::Fault(
                FaultKind::Unsupported,
                format!("it needs the dictionary {dict_id}").into(),
            )),
            Err(e) => Step::corrupt(plain(&e)),
        }
    }

    /// Decodes a block into the window.
    fn block(&mut self, input: &mut Input, ctx: &mut Ctx) {
        let mut reader = Reader {
            input,
            ctx,
            ended: false,
        };
        let result = self
            .decoder
            .decode_blocks(&mut reader, BlockDecodingStrategy::UptoBlocks(1));
        let Err(error) = result else { return };
        let halt = if reader.ended {
            Halt::Truncated
        } else {
            Halt::Fault(FaultKind::Corrupt, plain(&error).into())
        };
        // The decoder keeps a window's worth of bytes back until the frame
        // ends. So that they come out, it gets a last block, "raw" and empty,
        // and a checksum, which is not looked at.
        let mut end = &[1, 0, 0, 0, 0, 0, 0][..];
        let ended = self.decoder.is_finished()
            || self
                .decoder
                .decode_blocks(&mut end, BlockDecodingStrategy::UptoBlocks(1))
                .is_ok();
        self.state = State::Flush(Some(halt));
        if !ended {
            self.decoder = FrameDecoder::new();
        }
    }

    fn collect(&mut self, out: &mut [u8]) -> Step {
        // OK because reading from the decoder's own memory cannot fail.
        Step::out(self.decoder.read(out).unwrap_or(0))
    }

    /// The checksum of a frame that is complete.
    fn check(&self) -> Option<Halt> {
        let stated = self.decoder.get_checksum_from_data()?;
        let is_right = self.decoder.get_calculated_checksum() == Some(stated);
        (!is_right).then(|| {
            Halt::Note(
                FaultKind::Checksum,
                "the checksum of what stands before is wrong".into(),
            )
        })
    }
}

/// The decoder's words, on one line.
fn plain(error: &FrameDecoderError) -> String {
    let text = error.to_string();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
