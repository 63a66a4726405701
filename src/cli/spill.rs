//! Printed text in a temporary file.
//!
//! The search of a message cannot stop, so a full output cannot wait until it
//! is written. One header block of 1 MiB can have 90,000 URLs, whose JSON rows
//! take 180 MB. The file has no name, so the operating system removes it
//! however the process ends.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Blocks of whole lines in a temporary file. All blocks are written before the
/// first is read.
#[derive(Debug)]
pub struct Spill {
    file: File,
    /// The lengths of the blocks that were not read, in bytes.
    blocks: VecDeque<usize>,
    /// The length of the file in bytes.
    len: u64,
}

impl Spill {
    /// Creates the file.
    pub fn new() -> io::Result<Spill> {
        Ok(Spill {
            file: tempfile::tempfile()?,
            blocks: VecDeque::new(),
            len: 0,
        })
    }

    /// Appends a block. After an error the block is not part of the file.
    pub fn push(&mut self, block: &[u8]) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(self.len))?;
        self.file.write_all(block)?;
        self.blocks.push_back(block.len());
        self.len += block.len() as u64;
        Ok(())
    }

    /// Goes to the first block.
    pub fn rewind(&mut self) -> io::Result<()> {
        self.file.rewind()
    }

    /// Reads the next block into `buffer`. Returns false if there is none.
    pub fn next(&mut self, buffer: &mut Vec<u8>) -> io::Result<bool> {
        let Some(len) = self.blocks.pop_front() else {
            return Ok(false);
        };
        buffer.resize(len, 0);
        self.file.read_exact(buffer)?;
        Ok(true)
    }
}
