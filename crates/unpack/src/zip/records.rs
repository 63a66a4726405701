//! The records of a zip: the entries of its directory, and the compression that
//! a header states.

use super::super::fault::UnpackFaultKind;
use super::super::filter::Compression;
use super::super::layer::Supply;
use super::{ENTRY, ENTRY_LEN, Stated};

/// Bytes of the directory read at a time. An entry may be longer.
const DIRECTORY: usize = 32 << 10;

/// A directory while it is read.
pub(super) struct Directory {
    /// Offset of the next entry, and offset of the end of the directory.
    pub at: u64,
    pub end: u64,
    /// Bytes of the directory that were read. The next entry is at
    /// `buf[pos..]`.
    pub buf: Vec<u8>,
    pub pos: usize,
    /// The total size that the remaining members may have. It starts as the
    /// size of the file. Without this limit, overlapping members could make the
    /// output grow with the square of the file.
    pub room: u64,
}

impl Directory {
    /// The next entry: its fixed part, name and extra field.
    pub fn entry(&mut self, input: &mut Supply) -> Option<Vec<u8>> {
        let fixed = self.bytes(ENTRY_LEN, input)?;
        if !fixed.starts_with(&ENTRY) {
            return None;
        }
        let len = ENTRY_LEN + usize::from(u16_at(fixed, 28)) + usize::from(u16_at(fixed, 30));
        let comment = usize::from(u16_at(fixed, 32));
        let entry = self.bytes(len, input)?.to_vec();
        self.at += (len + comment) as u64;
        self.pos = self.buf.len().min(self.pos + len + comment);
        Some(entry)
    }

    /// The next `n` bytes of the directory.
    fn bytes(&mut self, n: usize, input: &mut Supply) -> Option<&[u8]> {
        if self.buf.len() - self.pos < n {
            let want = (self.end - self.at).min(n.max(DIRECTORY) as u64) as usize;
            self.buf.clear();
            self.pos = 0;
            if !input.seek(self.at) {
                return None;
            }
            input.append(want, &mut self.buf);
        }
        self.buf.get(self.pos..self.pos + n)
    }
}

/// The flags and the compression method in a header.
pub(super) struct Header {
    pub flags: u16,
    pub method: u16,
    pub stated: Option<Stated>,
}

impl Header {
    /// The compression, or `None` for a stored member.
    ///
    /// # Errors
    ///
    /// Why the member cannot be read: the kind of the fault, and a text.
    pub fn compression(&self) -> Result<Option<Compression>, (UnpackFaultKind, String)> {
        let unsupported = |text| Err((UnpackFaultKind::Unsupported, text));
        // 4.4.4: bit 0 means that the member is encrypted.
        if self.flags & 1 != 0 {
            return Err((UnpackFaultKind::Encrypted, "it is encrypted".to_owned()));
        }
        // 4.4.5: the methods.
        let compression = match self.method {
            0 => return Ok(None),
            8 => Compression::Deflate,
            12 => Compression::Bzip2,
            20 | 93 => Compression::Zstd,
            95 => Compression::Xz,
            method => {
                return unsupported(format!("it is compressed by the unknown method {method}"));
            }
        };
        if self.stated.is_none() && compression != Compression::Deflate {
            return unsupported(
                "its length is stated only after its data; it cannot be read from a stream"
                    .to_owned(),
            );
        }
        Ok(Some(compression))
    }
}

/// Replaces the numbers that did not fit by those in the zip64 extra field
/// (4.5.3). `numbers` are length, packed length and offset. The field has them
/// in this order.
pub(super) fn widen(numbers: &mut [u64; 3], mut extra: &[u8]) {
    while let Some((head, rest)) = extra.split_first_chunk::<4>() {
        let Some((mut field, rest)) = rest.split_at_checked(usize::from(u16_at(head, 2))) else {
            return;
        };
        if u16_at(head, 0) == 1 {
            for number in numbers.iter_mut().filter(|number| **number == 0xFFFF_FFFF) {
                let Some((value, rest)) = field.split_first_chunk::<8>() else {
                    return;
                };
                *number = u64::from_le_bytes(*value);
                field = rest;
            }
        }
        extra = rest;
    }
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

pub(super) fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
