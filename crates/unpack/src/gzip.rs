//! gzip, zlib and plain deflate.
//!
//! From flate2 only the inflater is used. Its gzip readers drop the bytes of
//! the call that meets corrupt data. They also stop after a wrong checksum. So
//! gzip headers are parsed here.

use std::io::{self, BufRead};

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::codec::{Codec, corrupt};
use super::fault::UnpackFaultKind;
use super::layer::Supply;
use urlgrep_base::magic::Compression;

/// The position in a member. The trailer is read after all bytes of the member
/// have been returned. So an error in the trailer comes after the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemberState {
    Data,
    Trailer,
    Over,
}

const FHCRC: u8 = 2;
const FEXTRA: u8 = 4;
const FNAME: u8 = 8;
const FCOMMENT: u8 = 16;
const RESERVED: u8 = 0xE0;

/// Decodes deflated data, one gzip member (RFC 1952) at a time. Other data is a
/// zlib stream (RFC 1950), or has neither header nor trailer.
pub(super) struct Inflate {
    wrapper: Compression,
    z: Decompress,
    /// Checksum and length of the member's bytes.
    crc: Crc,
    state: MemberState,
    /// The error to return after the last bytes.
    error: Option<io::Error>,
}

impl Inflate {
    pub fn new(wrapper: Compression) -> Inflate {
        Inflate {
            wrapper,
            z: Decompress::new(wrapper == Compression::Zlib),
            crc: Crc::new(),
            state: MemberState::Data,
            error: None,
        }
    }

    /// Parses the header of a member: RFC 1952, 2.3.
    fn header(input: &mut Supply) -> io::Result<()> {
        let head: [u8; 10] = input.array()?;
        let flags = head[3];
        let unsupported = |what| Err(io::Error::new(io::ErrorKind::Unsupported, what));
        if head[2] != 8 {
            return unsupported("unsupported compression method");
        }
        if flags & RESERVED != 0 {
            return unsupported("unsupported header flags");
        }
        if flags & FEXTRA != 0 {
            let len = u16::from_le_bytes(input.array()?);
            input.pass(len.into())?;
        }
        for flag in [FNAME, FCOMMENT] {
            if flags & flag != 0 {
                pass_text(input)?;
            }
        }
        input.pass(if flags & FHCRC != 0 { 2 } else { 0 })
    }

    /// Checks the checksum and the length of a member: RFC 1952, 2.3.1.
    fn trailer(&self, input: &mut Supply) -> io::Result<()> {
        if self.wrapper != Compression::Gzip {
            return Ok(());
        }
        let crc = u32::from_le_bytes(input.array()?);
        let len = u32::from_le_bytes(input.array()?);
        if (crc, len) != (self.crc.sum(), self.crc.amount()) {
            input.note(UnpackFaultKind::Checksum, "gzip data: wrong checksum");
        }
        Ok(())
    }
}

/// Skips a text that ends with a NUL.
fn pass_text(input: &mut Supply) -> io::Result<()> {
    loop {
        let bytes = input.fill(1);
        if let Some(at) = memchr::memchr(0, bytes) {
            input.consume(at + 1);
            return Ok(());
        }
        let len = bytes.len().max(1);
        input.pass(len as u64)?;
    }
}

impl Codec for Inflate {
    fn begin(&mut self, input: &mut Supply) -> io::Result<()> {
        self.z.reset(self.wrapper == Compression::Zlib);
        self.crc.reset();
        self.state = MemberState::Data;
        match self.wrapper {
            Compression::Gzip => Inflate::header(input),
            _ => Ok(()),
        }
    }

    fn read(&mut self, input: &mut Supply, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            match self.state {
                MemberState::Data => {}
                MemberState::Trailer => {
                    self.state = MemberState::Over;
                    self.trailer(input)?;
                    return Ok(0);
                }
                MemberState::Over => return Ok(0),
            }
            let (read, written) = (self.z.total_in(), self.z.total_out());
            // The inflater may still hold output at the end of the input.
            let bytes = input.fill(1);
            let at_end = bytes.is_empty();
            let result = self.z.decompress(bytes, out, FlushDecompress::None);
            let read = (self.z.total_in() - read) as usize;
            let n = (self.z.total_out() - written) as usize;
            input.consume(read);
            if self.wrapper == Compression::Gzip {
                self.crc.update(&out[..n]);
            }
            match result {
                Ok(Status::StreamEnd) => self.state = MemberState::Trailer,
                Ok(_) if n > 0 || read > 0 => {}
                Ok(_) if at_end => self.error = Some(input.truncated()),
                // This text replaces the inflater's own, which depends on how
                // many bytes were read.
                Ok(_) | Err(_) => self.error = Some(corrupt("corrupt")),
            }
            if n > 0 {
                return Ok(n);
            }
        }
    }
}
