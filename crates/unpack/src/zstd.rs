//! Zstandard: RFC 8878.

use std::io::{self, BufRead, Read};

use ruzstd::decoding::errors::FrameDecoderError;
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::codec::Codec;
use super::fault::UnpackFaultKind;
use super::layer::Supply;
use super::window::Window;

/// Decodes zstd, one frame at a time.
pub(super) struct Unzstd {
    decoder: FrameDecoder,
    window: Window,
    /// The decoder has all available bytes of the frame, or the frame is
    /// complete.
    ended: bool,
    /// The error to return after the decoded bytes.
    error: Option<io::Error>,
}

/// The input of the decoder. An error stays in the [`Supply`].
struct Reader<'a> {
    input: &'a mut Supply,
    /// The decoder asked for more bytes than the input has.
    ended: bool,
}

impl Read for Reader<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let bytes = self.input.fill(1);
        let n = bytes.len().min(out.len());
        out[..n].copy_from_slice(&bytes[..n]);
        self.input.consume(n);
        self.ended |= n == 0 && !out.is_empty();
        Ok(n)
    }
}

impl Reader<'_> {
    fn error(self, error: &FrameDecoderError) -> io::Error {
        if self.ended {
            return self.input.truncated();
        }
        let kind = match error {
            FrameDecoderError::DictNotProvided { .. } => io::ErrorKind::Unsupported,
            _ => io::ErrorKind::InvalidData,
        };
        // The decoder's messages may have several lines. The text of a fault has
        // one line.
        let text = error.to_string();
        let words: Vec<_> = text.split_whitespace().collect();
        io::Error::new(kind, words.join(" "))
    }
}

impl Unzstd {
    pub fn new(input: &Supply) -> Unzstd {
        Unzstd {
            window: Window::new(&input.ctx),
            decoder: FrameDecoder::new(),
            ended: true,
            error: None,
        }
    }

    /// Decodes one block into the window.
    fn block(&mut self, input: &mut Supply) {
        let ended = false;
        let mut reader = Reader { input, ended };
        let one = BlockDecodingStrategy::UptoBlocks(1);
        if let Err(error) = self.decoder.decode_blocks(&mut reader, one) {
            self.error = Some(reader.error(&error));
            // The decoder holds back a window of bytes until the frame ends. An
            // empty last block of type "raw" ends the frame. The checksum after
            // it is not compared.
            let mut end = &[1, 0, 0, 0, 0, 0, 0][..];
            let one = BlockDecodingStrategy::UptoBlocks(1);
            if !self.decoder.is_finished() && self.decoder.decode_blocks(&mut end, one).is_err() {
                self.decoder = FrameDecoder::new();
            }
            self.ended = true;
        }
        self.ended |= self.decoder.is_finished();
    }

    /// Compares the checksum, after all bytes of the frame were returned.
    fn check(&self, input: &mut Supply) {
        let stated = self.decoder.get_checksum_from_data();
        if stated.is_some() && stated != self.decoder.get_calculated_checksum() {
            input.note(UnpackFaultKind::Checksum, "zstd data: wrong checksum");
        }
    }
}

impl Codec for Unzstd {
    fn begin(&mut self, input: &mut Supply) -> io::Result<()> {
        // 3.1.2: skip a skippable frame. Its length follows its magic number.
        if let [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] = input.fill(4) {
            input.consume(4);
            let len = u32::from_le_bytes(input.array()?);
            return input.pass(len.into());
        }
        let len = window(input.fill(18)).unwrap_or(0);
        self.window.grow(len)?;
        let max = input.ctx.limits.max_window;
        self.decoder.set_max_window_size(max);
        let ended = false;
        let mut reader = Reader { input, ended };
        if let Err(error) = self.decoder.init(&mut reader) {
            return Err(reader.error(&error));
        }
        self.ended = false;
        Ok(())
    }

    fn read(&mut self, input: &mut Supply, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if self.decoder.can_collect() > 0 {
                return self.decoder.read(out);
            }
            if self.ended {
                if let Some(error) = self.error.take() {
                    return Err(error);
                }
                self.check(input);
                return Ok(0);
            }
            self.block(input);
        }
    }
}

/// The window of the frame whose header is `head` (3.1.1.1). It is the stated
/// window size, or else the size of the content.
fn window(head: &[u8]) -> Option<u64> {
    let (&descriptor, rest) = head.get(4..)?.split_first()?;
    if descriptor & 0x20 == 0 {
        let &size = rest.first()?;
        let base = 1u64 << (10 + (size >> 3));
        return Some(base + base / 8 * u64::from(size & 7));
    }
    let id = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let len = [1, 2, 4, 8][usize::from(descriptor >> 6)];
    let mut size = [0; 8];
    size[..len].copy_from_slice(rest.get(id..id + len)?);
    let more = if len == 2 { 256 } else { 0 };
    Some(u64::from_le_bytes(size).saturating_add(more))
}
