//! What all layers of a packed file have in common: the trait [`Layer`], and
//! [`Supply`], the buffered bytes of one layer, from which the layer above reads.
//!
//! No layer is named here. Each knows this file, and only `filter` and the head
//! of the module know which layers there are.

use std::io::{self, BufRead, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::fault::{UnpackFault, UnpackFaultKind};
use super::limits::Ctx;
use urlgrep_base::escape;

/// Bytes read at a time.
const CAPACITY: usize = 64 << 10;
/// Bytes read at a time after a seek. A header may be all that is needed.
const JUMPED: usize = 4 << 10;

/// A file that can be read at any offset.
pub trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// The source of packed data.
pub enum Source {
    /// A file that can be read at any offset. A zip is then read by its central
    /// directory.
    Seek(Box<dyn ReadSeek>),
    /// A stream that is read in order.
    Reader(Box<dyn Read + Send>),
}

impl From<std::fs::File> for Source {
    /// A regular file becomes [`Source::Seek`]. Other files become
    /// [`Source::Reader`].
    fn from(file: std::fs::File) -> Source {
        match file.metadata() {
            Ok(meta) if meta.is_file() => Source::Seek(Box::new(file)),
            _ => Source::Reader(Box::new(file)),
        }
    }
}

/// A layer of packing: an archive, or a compression. It reads as the current
/// member of the archive, or as the decompressed stream.
pub(super) trait Layer: Read + Send {
    /// The input of the layer.
    fn input(&mut self) -> &mut Supply;

    /// True if the bytes of the layer are decompressed by it.
    fn is_filter(&self) -> bool;

    /// Goes to the next member. A compressed stream has no members.
    fn next(&mut self) -> Advance {
        Advance::End
    }
}

/// The result of looking for a member.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Advance {
    /// A member with this name. It can be read.
    Member(Vec<u8>),
    /// Not a member. More may follow.
    Other,
    End,
}

/// What a [`Supply`] reads.
enum Below {
    Nothing,
    /// The source, and its name.
    Source(Source, Option<Vec<u8>>),
    Layer(Box<dyn Layer>),
}

impl Below {
    /// Reads. An interrupted read is repeated.
    fn retry(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            let result = match self {
                Below::Nothing => Ok(0),
                Below::Source(Source::Seek(file), _) => file.read(out),
                Below::Source(Source::Reader(rdr), _) => rdr.read(out),
                Below::Layer(layer) => layer.read(out),
            };
            match result {
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                result => return result,
            }
        }
    }
}

/// The buffered bytes of a layer.
///
/// [`Read`] and [`BufRead`] return an error once, after the bytes before it.
/// Afterwards the input is at its end. The other methods do not return the
/// error. After a premature end their caller gets it from [`Supply::truncated`].
///
/// Its fields are the buffer, the place of the buffer in the bytes of the layer, and the state
/// of the layer below, which a read changes together. The rest describes the layer in faults.
pub(super) struct Supply {
    below: Below,
    pub ctx: Arc<Ctx>,
    /// The name of the data in faults.
    pub path: Option<Vec<u8>>,
    /// The number of layers from this layer down, without the source.
    pub depth: u32,
    /// The number of these layers that are decompressors.
    pub level: u32,
    /// `buf[pos..end]` was read and not consumed. The rest of the buffer is
    /// free.
    buf: Vec<u8>,
    pos: usize,
    end: usize,
    /// Offset of `buf[pos]` in the bytes of the layer.
    offset: u64,
    /// The number of visible bytes from `pos` on: the rest of the member.
    /// `u64::MAX` means no limit.
    left: u64,
    /// Bytes to read at a time.
    step: usize,
    stop: Option<Stop>,
    /// A fault was reported by [`Supply::note`].
    pub noted: bool,
}

/// Why the input has ended.
enum Stop {
    End,
    /// An error. `None` after it was returned.
    Failed(Option<io::Error>),
}

impl Supply {
    /// The bytes of a layer. `path` is their name in faults.
    pub fn new(mut layer: Box<dyn Layer>, path: Option<Vec<u8>>) -> Supply {
        let is_filter = layer.is_filter();
        let input = layer.input();
        let depth = input.depth + 1;
        let level = input.level + u32::from(is_filter);
        let ctx = Arc::clone(&input.ctx);
        let buf = ctx.buffer();
        Supply {
            depth,
            level,
            ..Supply::bottom(Below::Layer(layer), buf, path, ctx)
        }
    }

    /// The input of the source. `head` was already read from it.
    pub fn source(source: Source, head: Vec<u8>, path: Option<Vec<u8>>, ctx: Arc<Ctx>) -> Supply {
        let end = head.len();
        Supply {
            end,
            ..Supply::bottom(Below::Source(source, path.clone()), head, path, ctx)
        }
    }

    /// An input with no layer below it.
    fn bottom(below: Below, buf: Vec<u8>, path: Option<Vec<u8>>, ctx: Arc<Ctx>) -> Supply {
        Supply {
            below,
            path,
            depth: 0,
            level: 0,
            buf,
            pos: 0,
            end: 0,
            offset: 0,
            left: u64::MAX,
            step: CAPACITY,
            stop: None,
            noted: false,
            ctx,
        }
    }

    /// Returns the input and leaves an empty one in its place.
    pub fn detach(&mut self) -> Supply {
        let ctx = Arc::clone(&self.ctx);
        std::mem::replace(self, Supply::bottom(Below::Nothing, Vec::new(), None, ctx))
    }

    /// Drops the buffered bytes and returns the layer. `None` for the source.
    pub fn into_layer(self) -> Option<Box<dyn Layer>> {
        // If a member was not read to its end, its error was not returned yet.
        if let Some(Stop::Failed(Some(error))) = self.stop
            && let Ok(fault) = error.downcast::<UnpackFault>()
        {
            self.ctx.report(fault);
        }
        self.ctx.give_back(self.buf);
        match self.below {
            Below::Layer(layer) => Some(layer),
            Below::Nothing | Below::Source(..) => None,
        }
    }

    /// Offset of the next byte in the data of the layer.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// True if an error ended the input. Buffered bytes may remain. A premature
    /// end is then not reported as another fault.
    pub fn is_broken(&self) -> bool {
        matches!(self.stop, Some(Stop::Failed(_)))
    }

    /// True if all remaining bytes are in the buffer.
    pub fn is_at_end(&self) -> bool {
        self.stop.is_some()
    }

    /// A fault at the next byte.
    pub fn fault(&self, kind: UnpackFaultKind, text: impl Into<String>) -> UnpackFault {
        UnpackFault {
            path: self.path.clone(),
            offset: Some(self.offset),
            ..UnpackFault::new(kind, text)
        }
    }

    /// Queues a fault at the next byte. It becomes an event.
    pub fn report(&self, kind: UnpackFaultKind, text: impl Into<String>) {
        self.ctx.report(self.fault(kind, text));
    }

    /// Reports a fault that does not end the data. Only the first one is
    /// reported, because hostile data could have one every 20 bytes.
    pub fn note(&mut self, kind: UnpackFaultKind, text: impl Into<String>) {
        if !std::mem::replace(&mut self.noted, true) {
            self.report(kind, text);
        }
    }

    /// The reason for a premature end: the error of the layer, or
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof).
    pub fn truncated(&mut self) -> io::Error {
        match &mut self.stop {
            Some(Stop::Failed(error)) => error.take(),
            _ => None,
        }
        .unwrap_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    /// Reports that an archive ends too early. The fault is the error of the
    /// layer if there is one, else `text`.
    pub fn cut_short(&mut self, text: &str) {
        self.cut_short_as(UnpackFaultKind::Truncated, text);
    }

    /// As [`Supply::cut_short`], with another kind of fault.
    pub fn cut_short_as(&mut self, kind: UnpackFaultKind, text: &str) {
        if !self.is_broken() {
            self.report(kind, text);
        } else if let Ok(fault) = self.truncated().downcast() {
            self.ctx.report(fault);
        }
    }

    /// The visible bytes in the buffer.
    pub fn buffered(&self) -> &[u8] {
        let len = (self.end - self.pos).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        &self.buf[self.pos..self.pos + len]
    }

    /// Reads until the buffer has `want` visible bytes, or the input ends.
    /// `want` is at most the capacity. Returns the visible bytes.
    pub fn fill(&mut self, want: usize) -> &[u8] {
        let want = want.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        while self.end - self.pos < want && self.stop.is_none() {
            self.fill_once();
        }
        self.buffered()
    }

    /// Reads once into the buffer.
    pub fn fill_once(&mut self) {
        if self.pos > 0 {
            self.buf.copy_within(self.pos..self.end, 0);
            self.end -= self.pos;
            self.pos = 0;
        }
        if self.buf.len() < CAPACITY {
            // The system gives pages of zeros, so nothing is written.
            let read = std::mem::replace(&mut self.buf, vec![0; CAPACITY]);
            self.buf[..read.len()].copy_from_slice(&read);
        }
        if self.end == self.buf.len() {
            return;
        }
        let to = self.buf.len().min(self.end + self.step);
        self.step = CAPACITY;
        match self.below.retry(&mut self.buf[self.end..to]) {
            Ok(0) => self.stop = Some(Stop::End),
            Ok(n) => self.end += n,
            Err(error) => self.fail(error),
        }
    }

    /// Records an error of the layer. It comes after the buffered bytes.
    fn fail(&mut self, error: io::Error) {
        let error = match &self.below {
            Below::Source(_, path) => UnpackFault {
                kind: UnpackFaultKind::Io(error.kind()),
                path: path.clone(),
                offset: Some(self.offset + (self.end - self.pos) as u64),
                text: escape::system_error(&error),
            }
            .into(),
            _ => error,
        };
        self.stop = Some(Stop::Failed(Some(error)));
    }

    /// Consumes and returns the next `N` bytes.
    pub fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let Some(&bytes) = self.fill(N).first_chunk() else {
            return Err(self.truncated());
        };
        self.consume(N);
        Ok(bytes)
    }

    /// Moves the next `n` bytes to `to`, or fewer at the end.
    pub fn append(&mut self, n: usize, to: &mut Vec<u8>) {
        let end = to.len() + n;
        while to.len() < end {
            let ready = self.fill(1);
            let m = ready.len().min(end - to.len());
            if m == 0 {
                return;
            }
            to.extend_from_slice(&ready[..m]);
            self.consume(m);
        }
    }

    /// Skips `n` bytes. Returns how many are missing.
    pub fn skip(&mut self, mut n: u64) -> u64 {
        loop {
            let ready = (self.buffered().len() as u64).min(n);
            self.consume(ready as usize);
            n -= ready;
            if n == 0 || self.left == 0 || self.fill(1).is_empty() {
                return n;
            }
        }
    }

    /// Skips `n` bytes.
    ///
    /// # Errors
    ///
    /// If fewer than `n` bytes are left.
    pub fn pass(&mut self, n: u64) -> io::Result<()> {
        match self.skip(n) {
            0 => Ok(()),
            _ => Err(self.truncated()),
        }
    }

    /// Skips all remaining bytes, so that the layers below reach their end and
    /// report their faults.
    pub fn drain(&mut self) {
        self.left = u64::MAX;
        self.skip(u64::MAX);
        if self.is_broken() {
            self.cut_short("");
        }
    }

    /// Makes only the next `n` bytes visible.
    pub fn limit(&mut self, n: u64) {
        self.left = n.min(u64::MAX - 1);
    }

    /// Makes everything visible.
    pub fn no_limit(&mut self) {
        self.left = u64::MAX;
    }

    /// The number of bytes up to the limit.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// True if the layer can be read at any offset.
    pub fn can_seek(&self) -> bool {
        matches!(&self.below, Below::Source(Source::Seek(_), _))
    }

    /// Seeks to the offset `to`. Returns false if the layer cannot be read
    /// there.
    pub fn seek(&mut self, to: u64) -> bool {
        self.no_limit();
        let ahead = to.wrapping_sub(self.offset);
        if ahead <= (self.end - self.pos) as u64 {
            self.consume(ahead as usize);
            return true;
        }
        self.step = JUMPED;
        self.jump(SeekFrom::Start(to)).is_some()
    }

    /// The length of a file that can be read at any offset. Seeks to its end.
    pub fn len(&mut self) -> Option<u64> {
        self.jump(SeekFrom::End(0))
    }

    fn jump(&mut self, to: SeekFrom) -> Option<u64> {
        let Below::Source(Source::Seek(file), _) = &mut self.below else {
            return None;
        };
        self.pos = 0;
        self.end = 0;
        let at = file.seek(to).map_err(|error| self.fail(error)).ok();
        // The buffer is empty now, so no read will return the recorded error. It
        // is reported here.
        if self.is_broken() {
            self.cut_short("");
        }
        if let Some(at) = at {
            self.offset = at;
            self.stop = None;
        }
        at
    }
}

impl Read for Supply {
    /// Returns buffered bytes if there are any. Otherwise it reads from the
    /// layer without the buffer.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let want = out
            .len()
            .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if want == 0 {
            return Ok(0);
        }
        let ready = self.buffered();
        let n = if !ready.is_empty() {
            let n = want.min(ready.len());
            out[..n].copy_from_slice(&ready[..n]);
            n
        } else if self.stop.is_some() {
            return self.fill_buf().map(|_| 0);
        } else {
            match self.below.retry(&mut out[..want]) {
                Ok(0) => {
                    self.stop = Some(Stop::End);
                    0
                }
                // Count bytes that bypassed the buffer as consumed from it.
                Ok(n) => {
                    self.pos = 0;
                    self.end = n;
                    n
                }
                Err(error) => {
                    self.fail(error);
                    return self.fill_buf().map(|_| 0);
                }
            }
        };
        self.consume(n);
        if self.pos == self.end {
            self.pos = 0;
            self.end = 0;
        }
        Ok(n)
    }
}

impl BufRead for Supply {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.fill(1).is_empty()
            && self.left > 0
            && let Some(Stop::Failed(error)) = &mut self.stop
            && let Some(error) = error.take()
        {
            return Err(error);
        }
        Ok(self.buffered())
    }

    fn consume(&mut self, n: usize) {
        self.pos += n;
        self.offset += n as u64;
        if self.left != u64::MAX {
            self.left -= n as u64;
        }
    }
}

/// The name of a source without a name, in the names of its members.
const UNNAMED: &[u8] = b"<stdin>";

/// The name of a member: `archive!member`.
pub(super) fn member_path(archive: Option<&[u8]>, member: &[u8]) -> Vec<u8> {
    [archive.unwrap_or(UNNAMED), b"!", member].concat()
}
