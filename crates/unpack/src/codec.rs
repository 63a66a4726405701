//! The trait of the decoders of compressed data.

use std::io;

use super::layer::Supply;

/// Decodes the streams of a [`Supply`] one after the other. A read returns
/// bytes of the current stream, and 0 at the end of the stream. All bytes that
/// can be decoded are returned before an error.
///
/// A decoder must read from a [`BufRead`](std::io::BufRead), and consume nothing after the end of
/// its stream. The kind of a fault is derived from [`io::Error::kind`], unless
/// the error holds an [`UnpackFault`](super::UnpackFault). The text of an error must not depend on
/// how many bytes were read at once.
pub(super) trait Codec: Send {
    /// Begins the stream at the front of `input`.
    fn begin(&mut self, input: &mut Supply) -> io::Result<()>;

    /// Decodes bytes of the stream into `out`, and returns their number.
    fn read(&mut self, input: &mut Supply, out: &mut [u8]) -> io::Result<usize>;
}

/// The codec of the formats that this build leaves out.
#[cfg(not(feature = "formats"))]
pub(super) struct LeftOut;

#[cfg(not(feature = "formats"))]
impl Codec for LeftOut {
    fn begin(&mut self, _: &mut Supply) -> io::Result<()> {
        let kind = io::ErrorKind::Unsupported;
        Err(io::Error::new(kind, "this program does not read it"))
    }

    fn read(&mut self, _: &mut Supply, _: &mut [u8]) -> io::Result<usize> {
        Ok(0)
    }
}

/// The error for data that breaks the rules of its format.
pub(super) fn corrupt(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}
