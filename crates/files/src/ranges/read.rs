//! Reads a source at any offset.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

/// The size of a file system block. After a read error, the bytes before the
/// unreadable block are read block by block.
const BLOCK: u64 = 4096;
/// The number of blocks that are tried after an unreadable block: 1 MiB.
const TRIES: u64 = 256;

/// A source of bytes that several threads can read at any offset: a file, bytes
/// in memory, an object in a store.
///
/// ```
/// use std::io;
/// use urlgrep::ranges::ReadAt;
///
/// struct Zeros(u64);
///
/// impl ReadAt for Zeros {
///     fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
///         let left = usize::try_from(self.0.saturating_sub(offset)).unwrap_or(usize::MAX);
///         let n = buffer.len().min(left);
///         buffer[..n].fill(0);
///         Ok(n)
///     }
///
///     fn size(&self) -> io::Result<Option<u64>> {
///         Ok(Some(self.0))
///     }
/// }
///
/// assert_eq!(Zeros(10).read_at(&mut [1; 8], 4).unwrap(), 6);
/// ```
pub trait ReadAt {
    /// Reads bytes at `offset` into `buffer`, and returns their number. It may
    /// be less than the length of `buffer`. 0 means that the source ends at or
    /// before `offset`.
    ///
    /// # Errors
    ///
    /// Read errors of the source. An [interrupted](io::ErrorKind::Interrupted)
    /// read is retried.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// The current size of the source in bytes, if known. If reading finds that
    /// the source is shorter, this is an error.
    ///
    /// # Errors
    ///
    /// Errors of the source.
    fn size(&self) -> io::Result<Option<u64>>;
}

impl ReadAt for File {
    /// On Unix this is pread(2), which does not move the file's cursor.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        #[cfg(unix)]
        {
            std::os::unix::fs::FileExt::read_at(self, buffer, offset)
        }
        #[cfg(windows)]
        {
            std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
        }
        #[cfg(not(any(unix, windows)))]
        {
            let _ = (buffer, offset);
            Err(io::ErrorKind::Unsupported.into())
        }
    }

    fn size(&self) -> io::Result<Option<u64>> {
        let meta = self.metadata()?;
        Ok(meta.is_file().then_some(meta.len()))
    }
}

impl ReadAt for [u8] {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(offset)
            .ok()
            .and_then(|at| self.get(at..))
            .unwrap_or_default();
        let n = rest.len().min(buffer.len());
        buffer[..n].copy_from_slice(&rest[..n]);
        Ok(n)
    }

    fn size(&self) -> io::Result<Option<u64>> {
        Ok(Some(self.len() as u64))
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self[..].read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<Option<u64>> {
        self[..].size()
    }
}

impl<T: ReadAt + ?Sized> ReadAt for &T {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<Option<u64>> {
        (**self).size()
    }
}

impl<T: ReadAt + ?Sized> ReadAt for Arc<T> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (**self).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<Option<u64>> {
        (**self).size()
    }
}

/// As [`ReadAt::read_at`]. After an error it reads the bytes before the
/// unreadable block. So the place of an error does not depend on the size of
/// the read.
fn read_to_hole(src: &(impl ReadAt + ?Sized), buffer: &mut [u8], at: u64) -> io::Result<usize> {
    match uninterrupted(src, buffer, at) {
        Ok(n) => return Ok(n),
        Err(error) if at % BLOCK + buffer.len() as u64 <= BLOCK => return Err(error),
        Err(_) => {}
    }
    let mut len = 0;
    while len < buffer.len() {
        let from = at + len as u64;
        let most = buffer.len().min(len + (BLOCK - from % BLOCK) as usize);
        match uninterrupted(src, &mut buffer[len..most], from) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) if len == 0 => return Err(error),
            Err(_) => break,
        }
    }
    Ok(len)
}

fn uninterrupted(src: &(impl ReadAt + ?Sized), buffer: &mut [u8], at: u64) -> io::Result<usize> {
    loop {
        match src.read_at(buffer, at) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            // Do not trust a source that claims to have read more bytes than
            // the buffer holds.
            Ok(n) if n > buffer.len() => {
                return Err(io::Error::other(
                    "a read returned more bytes than the buffer holds",
                ));
            }
            result => return result,
        }
    }
}

/// Fills `buffer` with the bytes at the offset `at`, or with fewer at the end
/// of the source. Returns their number.
///
/// # Errors
///
/// A read error of the source. The bytes before the error are in `buffer`, and
/// are counted.
pub fn fill(src: &(impl ReadAt + ?Sized), buffer: &mut [u8], at: u64) -> (usize, io::Result<()>) {
    let mut len = 0;
    while len < buffer.len() {
        match read_to_hole(src, &mut buffer[len..], at + len as u64) {
            Ok(0) => break,
            Ok(n) => len += n,
            Err(error) => return (len, Err(error)),
        }
    }
    (len, Ok(()))
}

/// The first readable block after the unreadable block at `hole`. `None` if the
/// source ends first, or if all of the next [`TRIES`] blocks fail.
pub(super) fn after_hole(src: &(impl ReadAt + ?Sized), hole: u64) -> Option<u64> {
    let next = hole - hole % BLOCK + BLOCK;
    for at in (0..TRIES).map(|n| next + n * BLOCK) {
        match uninterrupted(src, &mut [0], at) {
            Ok(0) => return None,
            Ok(_) => return Some(at),
            Err(_) => {}
        }
    }
    None
}

/// Reads the bytes `at..end` of a source in order.
pub(crate) struct RangeReader<S> {
    pub(super) src: S,
    pub(super) at: u64,
    end: u64,
    /// The size that the source must at least have.
    least: u64,
}

impl<S: ReadAt> RangeReader<S> {
    /// Reads `at..end` of `src`. `size` is the size of the source when it was
    /// opened, if known.
    pub(crate) fn new(src: S, at: u64, end: u64, size: Option<u64>) -> RangeReader<S> {
        RangeReader {
            src,
            at,
            end,
            least: size.unwrap_or(0).min(end),
        }
    }

    /// Moves forward to the offset `at`. Does nothing if the reader is already
    /// beyond `at`.
    pub(crate) fn skip_to(&mut self, at: u64) {
        self.at = self.at.max(at);
    }
}

impl<S: ReadAt> Read for RangeReader<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.at)).unwrap_or(usize::MAX);
        let most = buffer.len().min(left);
        let n = read_to_hole(&self.src, &mut buffer[..most], self.at)?;
        if n == 0 && most > 0 && self.at < self.least {
            let error = "the file has become shorter while it was read";
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, error));
        }
        self.at += n as u64;
        Ok(n)
    }
}

impl<S: ReadAt> Seek for RangeReader<S> {
    /// Seeks from the start, from here, or from the size that the source had
    /// when it was opened.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::Current(by) => (self.at, by),
            SeekFrom::End(by) => (self.least, by),
        };
        let at = base.checked_add_signed(by);
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes with an unreadable range. A read that touches the range fails.
    struct Holed(Vec<u8>, std::ops::Range<u64>);

    impl ReadAt for Holed {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            if offset < self.1.end && self.1.start < offset + buffer.len() as u64 {
                return Err(io::Error::other("hole"));
            }
            self.0.read_at(buffer, offset)
        }

        fn size(&self) -> io::Result<Option<u64>> {
            self.0.size()
        }
    }

    #[test]
    fn all_bytes_before_a_hole_are_read_for_any_buffer() {
        let src = Holed((0..30_000u32).map(|i| i as u8).collect(), 12_288..16_384);
        for from in [0, 5, 4096, 12_000] {
            for len in [1, 100, 5000, 30_000] {
                let mut rdr = RangeReader::new(&src, from, u64::MAX, Some(30_000));
                let (mut bytes, mut buffer) = (Vec::new(), vec![0; len]);
                let error = loop {
                    match rdr.read(&mut buffer) {
                        Ok(n) => bytes.extend_from_slice(&buffer[..n]),
                        Err(error) => break error,
                    }
                };
                assert_eq!(error.to_string(), "hole");
                assert_eq!(bytes, src.0[from as usize..12_288], "{from} {len}");
            }
        }
    }

    #[test]
    fn a_source_that_has_become_shorter_is_broken() {
        let src = vec![0; 100];
        let read = |end, size| RangeReader::new(&src, 90, end, size).read_to_end(&mut Vec::new());
        assert_eq!(read(u64::MAX, None).unwrap(), 10);
        assert_eq!(read(u64::MAX, Some(100)).unwrap(), 10);
        assert_eq!(read(95, Some(200)).unwrap(), 5);
        assert!(read(u64::MAX, Some(101)).is_err() && read(101, Some(200)).is_err());
    }
}
