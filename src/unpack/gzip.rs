//! gzip, zlib and plain deflate.
//!
//! From flate2 only the inflater is used. Its gzip readers drop the bytes of
//! the call that meets corrupt data. They also stop after a wrong checksum. So
//! gzip headers are parsed here.

use std::io::{self, BufRead, Read};

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::codec::{Codec, corrupt};
use super::fault::UnpackFaultKind;
use super::layer::Supply;

/// The header and trailer around the deflated data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrapper {
    None,
    /// RFC 1950.
    Zlib,
    /// RFC 1952.
    Gzip,
}

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

/// Decodes deflated data, one gzip member at a time.
pub(super) struct Inflate {
    input: Supply,
    wrapper: Wrapper,
    z: Decompress,
    /// Checksum and length of the member's bytes.
    crc: Crc,
    state: MemberState,
    /// The error to return after the last bytes.
    error: Option<io::Error>,
}

impl Inflate {
    pub fn new(input: Supply, wrapper: Wrapper) -> Inflate {
        Inflate {
            input,
            wrapper,
            z: Decompress::new(wrapper == Wrapper::Zlib),
            crc: Crc::new(),
            state: MemberState::Data,
            error: None,
        }
    }

    /// Parses the header of a member: RFC 1952, 2.3.
    fn header(&mut self) -> io::Result<()> {
        let head: [u8; 10] = self.input.array()?;
        let flags = head[3];
        let unsupported = |what| Err(io::Error::new(io::ErrorKind::Unsupported, what));
        if head[2] != 8 {
            return unsupported("unsupported compression method");
        }
        if flags & RESERVED != 0 {
            return unsupported("unsupported header flags");
        }
        if flags & FEXTRA != 0 {
            let len = u16::from_le_bytes(self.input.array()?);
            self.input.pass(len.into())?;
        }
        for flag in [FNAME, FCOMMENT] {
            if flags & flag != 0 {
                self.text()?;
            }
        }
        self.input.pass(if flags & FHCRC != 0 { 2 } else { 0 })
    }

    /// Skips a text that ends with a NUL.
    fn text(&mut self) -> io::Result<()> {
        loop {
            let bytes = self.input.fill(1);
            if let Some(at) = memchr::memchr(0, bytes) {
                self.input.consume(at + 1);
                return Ok(());
            }
            let len = bytes.len().max(1);
            self.input.pass(len as u64)?;
        }
    }

    /// Checks the checksum and the length of a member: RFC 1952, 2.3.1.
    fn trailer(&mut self) -> io::Result<()> {
        if self.wrapper != Wrapper::Gzip {
            return Ok(());
        }
        let crc = u32::from_le_bytes(self.input.array()?);
        let len = u32::from_le_bytes(self.input.array()?);
        if (crc, len) != (self.crc.sum(), self.crc.amount()) {
            self.input
                .note(UnpackFaultKind::Checksum, "gzip data: wrong checksum");
        }
        Ok(())
    }
}

impl Codec for Inflate {
    fn input(&mut self) -> &mut Supply {
        &mut self.input
    }

    fn begin(&mut self) -> io::Result<()> {
        self.z.reset(self.wrapper == Wrapper::Zlib);
        self.crc.reset();
        self.state = MemberState::Data;
        match self.wrapper {
            Wrapper::Gzip => self.header(),
            _ => Ok(()),
        }
    }
}

impl Read for Inflate {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            match self.state {
                MemberState::Data => {}
                MemberState::Trailer => {
                    self.state = MemberState::Over;
                    self.trailer()?;
                    return Ok(0);
                }
                MemberState::Over => return Ok(0),
            }
            let (read, written) = (self.z.total_in(), self.z.total_out());
            // The inflater may still hold output at the end of the input.
            let bytes = self.input.fill(1);
            let at_end = bytes.is_empty();
            let result = self.z.decompress(bytes, out, FlushDecompress::None);
            let read = (self.z.total_in() - read) as usize;
            let n = (self.z.total_out() - written) as usize;
            self.input.consume(read);
            if self.wrapper == Wrapper::Gzip {
                self.crc.update(&out[..n]);
            }
            match result {
                Ok(Status::StreamEnd) => self.state = MemberState::Trailer,
                Ok(_) if n > 0 || read > 0 => {}
                Ok(_) if at_end => self.error = Some(self.input.truncated()),
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
