//! tar in three formats: POSIX.1-2024 ("ustar Interchange Format" and "pax
//! Interchange Format"), GNU, and the seventh edition of Unix.

use std::io::{self, BufRead, Read};

use super::fault::{UnpackFault, UnpackFaultKind};
use super::layer::{Advance, Layer, Supply, member_path};
use urlgrep_base::magic::{TAR_BLOCK as BLOCK, is_tar_header, octal};

/// The maximum length in bytes of a long name or a pax header. A longer one is
/// skipped.
const LONG: u64 = 64 << 10;

/// Reads the members of a tar.
pub(super) struct Tar {
    input: Supply,
    /// The full name of the current member.
    member: Vec<u8>,
    /// Bytes of padding after the member, up to the next block.
    padding: u64,
    /// The truncation of the member was already reported.
    broken: bool,
    /// The name and the size of the next member, if a pax or GNU header stated
    /// them.
    long_name: Option<Vec<u8>>,
    long_size: Option<u64>,
    /// A block of zeros was read, so this may be the end of the archive.
    may_end: bool,
    /// Blocks without a valid header are being skipped. This was reported.
    lost: bool,
}

impl Tar {
    pub fn new(input: Supply) -> Tar {
        Tar {
            input,
            member: Vec::new(),
            padding: 0,
            broken: false,
            long_name: None,
            long_size: None,
            may_end: false,
            lost: false,
        }
    }

    /// Reports that the archive ends too early, unless the member reported it.
    fn cut_short(&mut self, text: &str) -> Advance {
        if !self.broken {
            self.input.cut_short(text);
        }
        Advance::End
    }

    fn header(&mut self, header: &Header<'_>) -> Advance {
        let size = header.size();
        match header.kind() {
            b'x' => self.pax(size),
            b'L' => {
                self.long_name = self.text(size).map(|name| text(&name).to_vec());
                Advance::Other
            }
            // In this order: the name of a link, a pax header for all members,
            // the label of a volume, the list of files of a folder, and GNU's
            // old list of long names.
            b'K' | b'g' | b'V' | b'D' | b'N' => {
                self.extent(size);
                Advance::Other
            }
            kind => {
                let name = self.long_name.take().unwrap_or_else(|| header.name());
                let mut size = self.long_size.take().unwrap_or(size);
                self.member = member_path(self.input.path.as_deref(), &name);
                // "For other types [links, devices, folders, FIFOs] … the size
                // field … no data". There are two exceptions. pax may archive
                // the contents of a hard link. Old tars gave a link the size of
                // its file, but no data. So the next block is examined. If it
                // is not a header, it is data.
                let is_file = match kind {
                    b'1' if size > 0 => !self.at_header(),
                    b'1'..=b'6' => {
                        size = 0;
                        false
                    }
                    // A folder in the format of the seventh edition.
                    0 | b'0' => !name.ends_with(b"/"),
                    _ => true,
                };
                if kind == b'1' && !is_file {
                    size = 0;
                }
                // GNU's old sparse file: its map continues in more blocks. The
                // data is delivered as stored, so the holes are missing.
                if kind == b'S' {
                    let mut more = header.0[482] != 0;
                    while more {
                        let Some(block) = self.input.fill(BLOCK).first_chunk::<BLOCK>() else {
                            break;
                        };
                        more = block[504] != 0;
                        self.input.consume(BLOCK);
                    }
                }
                self.extent(size);
                if is_file {
                    Advance::Member(self.member.clone())
                } else {
                    Advance::Other
                }
            }
        }
    }

    /// The next `size` bytes are the data of the current header.
    fn extent(&mut self, size: u64) {
        self.input.limit(size);
        self.padding = size.wrapping_neg() % BLOCK as u64;
        self.broken = false;
    }

    /// True if the next block is a header or the end mark.
    fn at_header(&mut self) -> bool {
        let Some(block) = self.input.fill(BLOCK).first_chunk::<BLOCK>() else {
            return true;
        };
        block.iter().all(|&b| b == 0) || Header::new(block).is_some()
    }

    /// The data of a header that describes the next header. `None` if it is
    /// longer than [`LONG`] or truncated.
    fn text(&mut self, size: u64) -> Option<Vec<u8>> {
        self.extent(size);
        if size > LONG {
            self.input.report(
                UnpackFaultKind::Unsupported,
                "name or header longer than 64 KiB; left out",
            );
            return None;
        }
        let mut text = Vec::new();
        // A truncation is reported at the end of the archive.
        self.input.append(size as usize, &mut text);
        (text.len() as u64 == size).then_some(text)
    }

    /// Reads a pax header. Its records have the format
    /// `"%d %s=%s\n", <length>, <keyword>, <value>`.
    fn pax(&mut self, size: u64) -> Advance {
        let Some(text) = self.text(size) else {
            return Advance::Other;
        };
        let mut rest = &text[..];
        while let Some((record, after)) = pax_record(rest) {
            rest = after;
            let Some(eq) = memchr::memchr(b'=', record) else {
                continue;
            };
            let (key, value) = (&record[..eq], &record[eq + 1..]);
            match key {
                b"path" | b"GNU.sparse.name" => self.long_name = Some(value.to_vec()),
                b"size" => self.long_size = str::from_utf8(value).ok().and_then(|s| s.parse().ok()),
                _ => {}
            }
        }
        Advance::Other
    }
}

/// Splits off the first record. Returns it without its length and line feed,
/// and the bytes after it.
fn pax_record(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = text.iter().take(20).position(|&b| b == b' ')?;
    let len: usize = str::from_utf8(&text[..space]).ok()?.parse().ok()?;
    let record = text.get(space + 1..len)?.strip_suffix(b"\n")?;
    Some((record, &text[len..]))
}

impl Layer for Tar {
    fn input(&mut self) -> &mut Supply {
        &mut self.input
    }

    fn is_filter(&self) -> bool {
        false
    }

    /// Goes to the next header.
    fn next(&mut self) -> Advance {
        let left = self.input.left();
        if left != u64::MAX {
            let missing = self.input.skip(left);
            self.input.no_limit();
            if missing > 0 {
                return self.cut_short("the archive ends within a member");
            }
            self.input.skip(self.padding);
        }
        let at = self.input.offset();
        let block = self.input.fill(BLOCK);
        let Some(&block) = block.first_chunk::<BLOCK>() else {
            if self.may_end {
                return Advance::End;
            }
            return self.cut_short("the archive ends without an end mark");
        };
        self.input.consume(BLOCK);
        if block.iter().all(|&b| b == 0) {
            self.may_end = true;
            return Advance::Other;
        }
        let Some(header) = Header::new(&block) else {
            // Any data may follow the end mark, because tapes were overwritten.
            if !self.may_end && !self.lost {
                self.lost = true;
                let mut fault = self.input.fault(
                    UnpackFaultKind::Corrupt,
                    "no member begins here; looking for the next",
                );
                fault.offset = Some(at);
                self.input.ctx.report(fault);
            }
            return Advance::Other;
        };
        self.may_end = false;
        self.lost = false;
        self.header(&header)
    }
}

impl Read for Tar {
    /// The next bytes of the member.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let got = self.input.read(out);
        self.broken |= got.is_err();
        if let Ok(0) = got
            && !out.is_empty()
            && self.input.left() > 0
            && !self.broken
        {
            self.broken = true;
            let fault = self.input.fault(
                UnpackFaultKind::Truncated,
                "the archive ends within this member",
            );
            return Err(UnpackFault {
                path: Some(self.member.clone()),
                ..fault
            }
            .into());
        }
        got
    }
}

/// A header with a correct checksum.
struct Header<'a>(&'a [u8; BLOCK]);

impl Header<'_> {
    fn new(block: &[u8; BLOCK]) -> Option<Header<'_>> {
        is_tar_header(block).then_some(Header(block))
    }

    fn kind(&self) -> u8 {
        self.0[156]
    }

    fn size(&self) -> u64 {
        octal(&self.0[124..136]).unwrap_or(0)
    }

    fn name(&self) -> Vec<u8> {
        let mut name = Vec::new();
        // The magic of GNU is "ustar  ". GNU has other data in the place of the
        // prefix.
        if &self.0[257..263] == b"ustar\0" {
            name.extend_from_slice(text(&self.0[345..500]));
            if !name.is_empty() {
                name.push(b'/');
            }
        }
        name.extend_from_slice(text(&self.0[..100]));
        name
    }
}

/// The bytes before the first NUL.
fn text(field: &[u8]) -> &[u8] {
    &field[..memchr::memchr(0, field).unwrap_or(field.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!(octal(b"0000644\0"), Some(0o644));
        assert_eq!(octal(b"   17 \0\0"), Some(0o17));
        assert_eq!(octal(b"00000000000\0"), Some(0));
        assert_eq!(octal(b"777777777777"), Some((1 << 36) - 1));
        assert_eq!(octal(b"\x80\0\0\0\0\0\0\x01\0\0\0\0"), Some(1 << 32));
        assert_eq!(octal(b"\x80\x01\0\0\0\0\0\0\0\0\0\0"), None);
        assert_eq!(octal(b"\0\0\0\0\0\0\0\0"), None);
        assert_eq!(octal(b"12x\0\0\0\0\0"), None);
        assert_eq!(octal(b"1\x8F"), None);
    }

    #[test]
    fn records() {
        assert_eq!(
            pax_record(b"11 path=ab\n6 a=b\n"),
            Some((&b"path=ab"[..], &b"6 a=b\n"[..]))
        );
        for bad in [
            &b""[..],
            b"11 path=ab",
            b"x",
            b"1 ",
            b"0 \n",
            b"99999999999999999999 a\n",
            b"3 \n",
        ] {
            assert!(
                pax_record(bad).is_none_or(|(record, _)| record.is_empty()),
                "{bad:?}"
            );
        }
    }
}
