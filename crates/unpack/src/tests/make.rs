//! Packed files made by the tests, also by those of the repository's `tests` folder.

use std::io::Write;

use flate2::write::{DeflateEncoder, GzEncoder};

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), flate2::Compression::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

pub fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut to = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

pub fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// compress(1) without clearing its table, with codes of at most `max` bits.
pub fn lzw(bytes: &[u8], max: u32) -> Vec<u8> {
    let mut out = vec![0x1F, 0x9D, 0x80 | max as u8];
    let mut table = std::collections::HashMap::new();
    let (mut next, mut width, mut in_group) = (257u32, 9, 0);
    let (mut acc, mut held) = (0u64, 0);
    let mut put = |code: u32, next: u32, last: bool| {
        acc |= u64::from(code) << held;
        held += width;
        in_group += 1;
        // The reader adds each entry one code later.
        if next > 1 << width && width < max {
            held += (8 - in_group % 8) % 8 * width;
            in_group = 0;
            width += 1;
        }
        while held >= 8 || (last && held > 0) {
            out.push(acc as u8);
            acc = if held > 64 { acc } else { acc >> 8 };
            held = held.saturating_sub(8);
        }
    };
    let mut string: Option<u32> = None;
    for &b in bytes {
        let Some(prefix) = string else {
            string = Some(b.into());
            continue;
        };
        if let Some(&code) = table.get(&(prefix, b)) {
            string = Some(code);
            continue;
        }
        if next < 1 << max {
            table.insert((prefix, b), next);
            next += 1;
        }
        put(prefix, next, false);
        string = Some(b.into());
    }
    if let Some(code) = string {
        put(code, 0, true);
    }
    out
}

/// One tar header and its data.
pub fn tar_member(name: &[u8], kind: u8, data: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name);
    header[124..136].copy_from_slice(format!("{:011o}\0", data.len()).as_bytes());
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    tar_block(header, data)
}

/// Adds the checksum to the header, and the data after it.
pub fn tar_block(mut header: [u8; 512], data: &[u8]) -> Vec<u8> {
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|&b| u32::from(b)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut out = header.to_vec();
    out.extend_from_slice(data);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut out: Vec<u8> = members
        .iter()
        .flat_map(|(name, data)| tar_member(name.as_bytes(), b'0', data))
        .collect();
    out.resize(out.len() + 1024, 0);
    out
}

/// How a member is stored in a zip.
#[derive(Clone)]
pub struct ZipMember<'a> {
    pub name: &'a [u8],
    pub data: Vec<u8>,
    pub method: u16,
    pub flags: u16,
    /// Lengths and checksum come after the data.
    pub late: bool,
    /// The lengths are in a zip64 extra field.
    pub wide: bool,
    pub crc: u32,
    pub len: usize,
}

pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    crc.sum()
}

pub fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut to = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

impl<'a> ZipMember<'a> {
    pub fn stored(name: &'a str, bytes: &[u8]) -> ZipMember<'a> {
        ZipMember {
            name: name.as_bytes(),
            data: bytes.to_vec(),
            method: 0,
            flags: 0,
            late: false,
            wide: false,
            crc: crc32(bytes),
            len: bytes.len(),
        }
    }

    pub fn deflated(name: &'a str, bytes: &[u8]) -> ZipMember<'a> {
        ZipMember {
            data: deflate(bytes),
            method: 8,
            ..ZipMember::stored(name, bytes)
        }
    }

    pub fn extra(&self, fields: &[u64]) -> Vec<u8> {
        let mut extra = b"XX\x01\0?".to_vec();
        if self.wide {
            extra.extend_from_slice(&[1, 0, (8 * fields.len()) as u8, 0]);
            for n in fields {
                extra.extend_from_slice(&n.to_le_bytes());
            }
        }
        extra
    }

    /// The fields from the flags to the length of the extra field. `late`
    /// leaves out the values that come after the data.
    pub fn fields(&self, late: bool, extra: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let flags = self.flags | if self.late { 8 } else { 0 };
        out.extend_from_slice(&flags.to_le_bytes());
        out.extend_from_slice(&self.method.to_le_bytes());
        out.extend_from_slice(&[0; 4]);
        let numbers = match (late, self.wide) {
            (true, _) => [0; 3],
            (false, true) => [self.crc, u32::MAX, u32::MAX],
            (false, false) => [self.crc, self.data.len() as u32, self.len as u32],
        };
        for n in numbers {
            out.extend_from_slice(&n.to_le_bytes());
        }
        out.extend_from_slice(&(self.name.len() as u16).to_le_bytes());
        out.extend_from_slice(&(extra.len() as u16).to_le_bytes());
        out
    }
}

pub fn zip(members: &[ZipMember<'_>]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for m in members {
        let at = out.len();
        let lengths = [m.len as u64, m.data.len() as u64];
        let extra = m.extra(&lengths);
        out.extend_from_slice(b"PK\x03\x04\x14\0");
        out.extend_from_slice(&m.fields(m.late, &extra));
        out.extend_from_slice(m.name);
        out.extend_from_slice(&extra);
        out.extend_from_slice(&m.data);
        if m.late {
            out.extend_from_slice(b"PK\x07\x08");
            out.extend_from_slice(&m.crc.to_le_bytes());
            for n in [m.data.len(), m.len] {
                if m.wide {
                    out.extend_from_slice(&(n as u64).to_le_bytes());
                } else {
                    out.extend_from_slice(&(n as u32).to_le_bytes());
                }
            }
        }
        let extra = m.extra(&[lengths[0], lengths[1], at as u64]);
        directory.extend_from_slice(b"PK\x01\x02\x14\0\x14\0");
        directory.extend_from_slice(&m.fields(false, &extra));
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&if m.wide { u32::MAX } else { at as u32 }.to_le_bytes());
        directory.extend_from_slice(m.name);
        directory.extend_from_slice(&extra);
    }
    let (start, size, count) = (out.len(), directory.len(), members.len() as u64);
    out.extend_from_slice(&directory);
    let wide = members.iter().any(|m| m.wide);
    if wide {
        let end = out.len() as u64;
        out.extend_from_slice(b"PK\x06\x06\x2C\0\0\0\0\0\0\0\x2D\0\x2D\0\0\0\0\0\0\0\0\0");
        for n in [count, count, size as u64, start as u64] {
            out.extend_from_slice(&n.to_le_bytes());
        }
        out.extend_from_slice(b"PK\x06\x07\0\0\0\0");
        out.extend_from_slice(&end.to_le_bytes());
        out.extend_from_slice(&[1, 0, 0, 0]);
    }
    out.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    let count = if wide { 0xFFFF } else { count as u16 };
    out.extend_from_slice(&[count.to_le_bytes(), count.to_le_bytes()].concat());
    out.extend_from_slice(&if wide { u32::MAX } else { size as u32 }.to_le_bytes());
    out.extend_from_slice(&if wide { u32::MAX } else { start as u32 }.to_le_bytes());
    out.extend_from_slice(&[0; 2]);
    out
}

/// The xz format with a window of `2 << (11 + log)` bytes, stored.
pub fn stored_xz(bytes: &[u8], log: u8) -> Vec<u8> {
    let mut out = b"\xFD7zXZ\0\0\0".to_vec();
    out.extend_from_slice(&crc32(&[0, 0]).to_le_bytes());
    let header = [2, 0, 0x21, 1, 2 * log, 0, 0, 0];
    out.extend_from_slice(&header);
    out.extend_from_slice(&crc32(&header).to_le_bytes());
    for chunk in bytes.chunks(1 << 16) {
        out.push(1);
        out.extend_from_slice(&((chunk.len() - 1) as u16).to_be_bytes());
        out.extend_from_slice(chunk);
    }
    out.push(0);
    out.resize(out.len().next_multiple_of(4), 0);
    let index = [0, 1, 1, 1];
    out.extend_from_slice(&index);
    out.extend_from_slice(&crc32(&index).to_le_bytes());
    let footer = [1, 0, 0, 0, 0, 0];
    out.extend_from_slice(&crc32(&footer).to_le_bytes());
    out.extend_from_slice(&footer);
    out.extend_from_slice(b"YZ");
    out
}
