//! The first bytes of a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Reads a file as if it ended after a number of bytes, because another process may still
/// write to it.
#[derive(Debug)]
pub struct FirstBytes {
    file: File,
    len: u64,
    at: u64,
}

impl FirstBytes {
    /// The first `len` bytes of a file whose cursor is at its start.
    pub fn new(file: File, len: u64) -> FirstBytes {
        FirstBytes { file, len, at: 0 }
    }

    /// The offset at which the file ends, if it is not shorter.
    pub fn end(&self) -> u64 {
        self.len
    }

    /// The whole file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// The number of bytes from `offset` to the end.
    pub fn after(&self, offset: u64) -> u64 {
        self.len.saturating_sub(offset)
    }
}

impl Read for FirstBytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.after(self.at).min(buffer.len() as u64);
        let n = self.file.read(&mut buffer[..left as usize])?;
        self.at += n as u64;
        Ok(n)
    }
}

impl Seek for FirstBytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.len.checked_add_signed(by),
        };
        let to = to.ok_or(io::ErrorKind::InvalidInput)?;
        self.at = self.file.seek(SeekFrom::Start(to))?;
        Ok(self.at)
    }
}
