//! Layers of packing, each over the one below, and the buffered end of a
//! layer that the next one reads.

use std::io::{self, Read, Seek, SeekFrom};

use super::fault::FaultKind;
use super::filter::Filter;
use super::limits::{Broken, Ctx};
use super::tar::Tar;
use super::zip::Zip;

/// How much is read at once.
const CAPACITY: usize = 64 << 10;
/// How much is read at once after a jump, where little may be wanted.
const JUMPED: usize = 4 << 10;

/// A file that can be read from anywhere.
pub trait ReadSeek: Read + Seek + Send {}

impl<T: Read + Seek + Send> ReadSeek for T {}

/// Where packed data comes from.
pub enum Source {
    /// A file, of which any part can be had: a zip is read by its directory.
    Seek(Box<dyn ReadSeek>),
    /// A stream.
    Reader(Box<dyn Read + Send>),
}

impl From<std::fs::File> for Source {
    /// Only a regular file can be read from anywhere.
    fn from(file: std::fs::File) -> Source {
        match file.metadata() {
            Ok(meta) if meta.is_file() => Source::Seek(Box::new(file)),
            _ => Source::Reader(Box::new(file)),
        }
    }
}

/// One layer.
pub(super) enum Layer {
    Origin(Origin),
    Filter(Box<Filter>),
    Tar(Box<Tar>),
    Zip(Box<Zip>),
}

/// The file itself.
pub(super) struct Origin {
    pub source: Source,
    pub path: Option<Vec<u8>>,
    /// How far it was read.
    pub offset: u64,
    pub broken: bool,
}

impl Origin {
    fn read(&mut self, out: &mut [u8], ctx: &mut Ctx) -> Result<usize, Broken> {
        while !self.broken {
            let got = match &mut self.source {
                Source::Seek(file) => file.read(out),
                Source::Reader(rdr) => rdr.read(out),
            };
            match got {
                Ok(n) => {
                    self.offset += n as u64;
                    return Ok(n);
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => self.fail(&e, ctx),
            }
        }
        Err(Broken)
    }

    fn fail(&mut self, error: &io::Error, ctx: &mut Ctx) {
        self.broken = true;
        ctx.fault(
            FaultKind::Io(error.kind()),
            self.path.as_deref(),
            Some(self.offset),
            error.to_string(),
        );
    }

    fn seek(&mut self, to: SeekFrom, ctx: &mut Ctx) -> Option<u64> {
        let Source::Seek(file) = &mut self.source else {
            return None;
        };
        match file.seek(to) {
            Ok(at) => {
                self.offset = at;
                Some(at)
            }
            Err(e) => {
                self.fail(&e, ctx);
                None
            }
        }
    }
}

impl Layer {
    /// The next bytes of the stream, or of the member that an archive is at.
    fn read(&mut self, out: &mut [u8], ctx: &mut Ctx) -> Result<usize, Broken> {
        match self {
            Layer::Origin(origin) => origin.read(out, ctx),
            Layer::Filter(filter) => filter.read(out, ctx),
            Layer::Tar(tar) => tar.read(out, ctx),
            Layer::Zip(zip) => zip.read(out, ctx),
        }
    }
}

/// The bytes of a layer, buffered.
pub(super) struct Input {
    layer: Layer,
    /// How many layers are below, itself included; the file itself is none.
    pub depth: u32,
    /// How many of them decompress.
    pub level: u32,
    /// `buf[pos..end]` is read and not consumed. The rest is room.
    buf: Vec<u8>,
    pos: usize,
    end: usize,
    /// Offset of `buf[pos]` in the layer's bytes.
    offset: u64,
    /// How many bytes, from `pos` on, are to be seen: the member's.
    left: u64,
    /// How much to read at once.
    step: usize,
    /// The layer has come to its end, or is broken.
    stop: Option<Stop>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    End,
    Broken,
}

impl Input {
    pub fn new(layer: Layer, buf: Vec<u8>) -> Input {
        let (depth, level) = match &layer {
            Layer::Origin(_) => (0, 0),
            Layer::Filter(filter) => (filter.input.depth + 1, filter.input.level + 1),
            Layer::Tar(tar) => (tar.input.depth + 1, tar.input.level),
            Layer::Zip(zip) => (zip.input.depth + 1, zip.level()),
        };
        Input {
            layer,
            depth,
            level,
            buf,
            pos: 0,
            end: 0,
            offset: 0,
            left: u64::MAX,
            step: CAPACITY,
            stop: None,
        }
    }

    /// The file itself, of which `head` was read already.
    pub fn origin(mut origin: Origin, head: Vec<u8>) -> Input {
        origin.offset = head.len() as u64;
        let mut input = Input::new(Layer::Origin(origin), head);
        input.end = input.buf.len();
        input
    }

    /// The layer, without what was read of it.
    pub fn into_layer(self, ctx: &mut Ctx) -> Layer {
        ctx.give_back(self.buf);
        self.layer
    }

    /// Offset of the next byte in the layer's bytes.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// True if no more than what is in the buffer can be had because of a
    /// fault that was told. That something is missing then is no news.
    pub fn is_broken(&self) -> bool {
        self.stop == Some(Stop::Broken)
    }

    /// True once all there is, is in the buffer.
    pub fn is_at_end(&self) -> bool {
        self.stop.is_some()
    }

    /// What is in the buffer.
    pub fn buffered(&self) -> &[u8] {
        let len = (self.end - self.pos).min(usize::try_from(self.left).unwrap_or(usize::MAX));
        &self.buf[self.pos..self.pos + len]
    }

    /// Reads until `want` bytes (at most the capacity) are in the buffer, or
    /// there are no more. Returns what is in the buffer.
    pub fn fill(&mut self, want: usize, ctx: &mut Ctx) -> &[u8] {
        let want = want.min(usize::try_from(self.left).unwrap_or(usize::MAX));
        while self.end - self.pos < want && self.stop.is_none() {
            self.fill_once(ctx);
        }
        self.buffered()
    }

    /// Reads once into the buffer.
    pub fn fill_once(&mut self, ctx: &mut Ctx) {
        if self.pos > 0 {
            self.buf.copy_within(self.pos..self.end, 0);
            self.end -= self.pos;
            self.pos = 0;
        }
        if self.buf.len() < CAPACITY {
            self.buf.resize(CAPACITY, 0);
        }
        if self.end == self.buf.len() {
            return;
        }
        let to = self.buf.len().min(self.end + self.step);
        self.step = CAPACITY;
        match self.layer.read(&mut self.buf[self.end..to], ctx) {
            Ok(0) => self.stop = Some(Stop::End),
            Ok(n) => self.end += n,
            Err(Broken) => self.stop = Some(Stop::Broken),
        }
    }

    /// Goes on by `n` bytes of the buffer.
    pub fn consume(&mut self, n: usize) {
        self.pos += n;
        self.offset += n as u64;
        if self.left != u64::MAX {
            self.left -= n as u64;
        }
    }

    /// Reads what is in the buffer, then straight from the layer.
    pub fn read(&mut self, out: &mut [u8], ctx: &mut Ctx) -> Result<usize, Broken> {
        let want = out
            .len()
            .min(usize::try_from(self.left).unwrap_or(usize::MAX));
        if want == 0 {
            return Ok(0);
        }
        let ready = self.buffered();
        let n = if ready.is_empty() {
            match self.stop {
                Some(Stop::End) => return Ok(0),
                Some(Stop::Broken) => return Err(Broken),
                None => {}
            }
            let got = self.layer.read(&mut out[..want], ctx);
            match got {
                Ok(0) => self.stop = Some(Stop::End),
                Ok(_) => {}
                Err(Broken) => self.stop = Some(Stop::Broken),
            }
            let n = got?;
            (self.pos, self.end) = (0, n);
            n
        } else {
            let n = want.min(ready.len());
            out[..n].copy_from_slice(&ready[..n]);
            n
        };
        // Bytes that went past the buffer are counted as if they had been in
        // it; it is empty afterwards in either case.
        self.consume(n);
        if self.pos == self.end {
            (self.pos, self.end) = (0, 0);
        }
        Ok(n)
    }

    /// Passes over `n` bytes; returns how many there were not.
    pub fn skip(&mut self, mut n: u64, ctx: &mut Ctx) -> u64 {
        loop {
            let ready = (self.buffered().len() as u64).min(n);
            self.consume(ready as usize);
            n -= ready;
            if n == 0 || self.left == 0 || self.fill(1, ctx).is_empty() {
                return n;
            }
        }
    }

    /// Passes over all there is, so that the layers below see their end and
    /// tell what is wrong with it.
    pub fn drain(&mut self, ctx: &mut Ctx) {
        self.left = u64::MAX;
        self.skip(u64::MAX, ctx);
    }

    /// Lets the next `n` bytes be seen, and nothing after them.
    pub fn limit(&mut self, n: u64) {
        self.left = n.min(u64::MAX - 1);
    }

    /// Lets everything be seen.
    pub fn no_limit(&mut self) {
        self.left = u64::MAX;
    }

    /// How many bytes are left up to the limit.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// True if any part of the layer can be had.
    pub fn can_seek(&self) -> bool {
        matches!(
            &self.layer,
            Layer::Origin(Origin {
                source: Source::Seek(_),
                ..
            })
        )
    }

    /// Goes to `to`, in a file that can be read from anywhere. Returns false
    /// if that cannot be done, which has been told.
    pub fn seek(&mut self, to: u64, ctx: &mut Ctx) -> bool {
        self.no_limit();
        let ahead = to.wrapping_sub(self.offset);
        if ahead <= (self.end - self.pos) as u64 {
            self.consume(ahead as usize);
            return true;
        }
        let Layer::Origin(origin) = &mut self.layer else {
            return false;
        };
        if origin.seek(SeekFrom::Start(to), ctx).is_none() {
            return false;
        }
        (self.pos, self.end) = (0, 0);
        self.offset = to;
        self.stop = None;
        self.step = JUMPED;
        true
    }

    /// The length of a file that can be read from anywhere. The next byte is
    /// its last.
    pub fn len(&mut self, ctx: &mut Ctx) -> Option<u64> {
        let Layer::Origin(origin) = &mut self.layer else {
            return None;
        };
        let len = origin.seek(SeekFrom::End(0), ctx)?;
        (self.pos, self.end) = (0, 0);
        self.offset = len;
        self.stop = None;
        Some(len)
    }
}
