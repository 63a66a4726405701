//! Finds the line numbers of a source. Counts each line once if offsets ascend.

use std::io::{self, Read, Seek, SeekFrom};

/// Bytes read at a time.
const CHUNK: u64 = 64 * 1024;
/// The bytes at the start of a source of messages that show how its lines end.
const HEAD: u64 = 8192;

/// A place whose line number is known. Lines are counted from here.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineCounter {
    offset: u64,
    /// The number of line ends before `offset`, plus 1.
    line: u64,
    /// Offset of the first byte of that line.
    start: u64,
    /// The byte that ends a line. `None` until it is known.
    end: Option<u8>,
}

impl Default for LineCounter {
    fn default() -> LineCounter {
        LineCounter {
            offset: 0,
            line: 1,
            start: 0,
            end: None,
        }
    }
}

impl LineCounter {
    /// The line of `offset`, counted from 1, and the offset of the first byte
    /// of that line. In a source of messages, lines may end with CR alone.
    ///
    /// # Complexity
    ///
    /// Linear in the bytes between this offset and the last one. If this offset
    /// is smaller, also in the bytes before it in its line.
    pub(super) fn at<R: Read + Seek>(
        &mut self,
        r: &mut R,
        offset: u64,
        in_message: bool,
    ) -> io::Result<(u64, u64)> {
        let mut chunk = Vec::new();
        let end = match self.end {
            Some(end) => end,
            None if in_message => line_end(r)?,
            None => b'\n',
        };
        self.end = Some(end);
        while self.offset < offset {
            let from = self.offset;
            read(r, from, (offset - from).min(CHUNK), &mut chunk)?;
            for i in memchr::memchr_iter(end, &chunk) {
                self.line += 1;
                self.start = from + i as u64 + 1;
            }
            self.offset += chunk.len() as u64;
        }
        // The records of one message may be out of order, but they are near
        // each other.
        while self.offset > offset {
            let from = self.offset.saturating_sub(CHUNK).max(offset);
            read(r, from, self.offset - from, &mut chunk)?;
            self.line -= memchr::memchr_iter(end, &chunk).count() as u64;
            self.offset = from;
        }
        let mut before = self.offset;
        while self.start > self.offset {
            let from = before.saturating_sub(CHUNK);
            read(r, from, before - from, &mut chunk)?;
            match memchr::memrchr(end, &chunk) {
                Some(i) => self.start = from + i as u64 + 1,
                None if from == 0 => self.start = 0,
                None => before = from,
            }
        }
        Ok((self.line, self.start))
    }
}

/// CR if the first [`HEAD`] bytes have CR and no LF, as classic Mac OS wrote messages. Else LF.
fn line_end<R: Read + Seek>(r: &mut R) -> io::Result<u8> {
    let size = r.seek(SeekFrom::End(0))?;
    let mut head = Vec::new();
    read(r, 0, size.min(HEAD), &mut head)?;
    let is_cr = head.contains(&b'\r') && !head.contains(&b'\n');
    Ok(if is_cr { b'\r' } else { b'\n' })
}

fn read<R: Read + Seek>(r: &mut R, from: u64, len: u64, out: &mut Vec<u8>) -> io::Result<()> {
    out.resize(len as usize, 0);
    r.seek(SeekFrom::Start(from))?;
    r.read_exact(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    #[test]
    fn counts_forth_and_back() {
        let text: Vec<u8> = (0..300_000u32)
            .map(|i| {
                if i % 7 == 3 || i % 90_000 == 0 {
                    b'\n'
                } else {
                    b'x'
                }
            })
            .map(|b| if b == b'\n' { b } else { b'x' })
            .collect();
        let mut long = vec![b'y'; 200_000];
        long.extend(&text);
        let mut r = Cursor::new(&long);
        let mut lines = LineCounter::default();
        for offset in [
            0, 5, 200_010, 400_000, 399_990, 200_004, 100, 0, 499_999, 199_999,
        ] {
            let before = &long[..offset];
            let line = before.iter().filter(|&&b| b == b'\n').count() as u64 + 1;
            let start = before
                .iter()
                .rposition(|&b| b == b'\n')
                .map_or(0, |i| i + 1);
            assert_eq!(
                lines.at(&mut r, offset as u64, true).unwrap(),
                (line, start as u64),
                "{offset}"
            );
        }
        assert!(lines.at(&mut r, 600_000, true).is_err());
    }

    #[test]
    fn lines_of_messages_may_end_with_cr() {
        let mut r = Cursor::new(b"a\rbc\rd");
        assert_eq!(LineCounter::default().at(&mut r, 5, true).unwrap(), (3, 5));
        assert_eq!(LineCounter::default().at(&mut r, 5, false).unwrap(), (1, 0));
    }
}
