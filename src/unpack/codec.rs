//! The trait of the decoders of compressed data.

use std::io::{self, Read};

use super::layer::Supply;

/// Decodes the streams of a [`Supply`] one after the other. A read returns
/// bytes of the current stream, and 0 at the end of the stream. All bytes that
/// can be decoded are returned before an error.
///
/// A decoder must read from a [`BufRead`](std::io::BufRead), and consume nothing after the end of
/// its stream. The kind of a fault is derived from [`io::Error::kind`], unless
/// the error holds an [`UnpackFault`](super::UnpackFault). The text of an error must not depend on
/// how many bytes were read at once.
pub(super) trait Codec: Read + Send {
    /// The compressed data.
    fn input(&mut self) -> &mut Supply;

    /// Begins the stream at the front of the input.
    fn begin(&mut self) -> io::Result<()>;
}

/// The error for data that breaks the rules of its format.
pub(super) fn corrupt(text: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, text)
}
