//! Compressed and packed files, recognised by their magic bytes and unpacked
//! as they are read.
//!
//! [`Unpacker`] takes a file, or a stream, and hands out what is in it, one
//! *leaf* after the other: a leaf is a stream of bytes that is not packed, or
//! the file itself if that is not. A leaf that has ended early is followed by
//! the [`Fault`] that says why; what could be decoded came before.
//!
//! ```
//! use std::io::Read;
//! use urlgrep::cli::input::unpack::{Event, Limits, Source, Unpacker};
//!
//! let source = Source::Reader(Box::new(&b"not packed"[..]));
//! let mut unpacker = Unpacker::new(source, Vec::new(), Some(b"name"), Limits::default());
//! while let Some(event) = unpacker.next() {
//!     match event {
//!         Event::Leaf => {
//!             let mut bytes = Vec::new();
//!             unpacker.read_to_end(&mut bytes).unwrap();
//!             assert_eq!((unpacker.path(), &bytes[..]), (Some(&b"name"[..]), &b"not packed"[..]));
//!         }
//!         Event::Fault(fault) => eprintln!("{fault}"),
//!     }
//! }
//! ```
//!
//! # Layers
//!
//! Each layer of packing owns the one below and reads from it: `layer` has the
//! chain and the buffer between two of them, `filter` the compressed streams
//! (`gzip`, `bzip2`, `xz`, `zstd`, `lzw`), `tar` and `zip` the archives,
//! `limits` what all of them share. Decoders are driven step by step over
//! slices, so that what they have decoded comes out when they fail.
//!
//! # Complexity
//!
//! Time is linear in what is read and what is decoded. Memory is a buffer of
//! 64 KiB a layer, the decoder's window, and a few long names. A file that is
//! not packed is read straight into the caller's memory, but for the bytes
//! that were read to recognise it.

mod bzip2;
mod filter;
mod gzip;
mod layer;
mod limits;
mod lzw;
mod tar;
mod xz;
mod zip;
mod zstd;

use std::io::{self, Read};

use super::Fault;
use crate::mail::Packing;
use filter::{Compression, Filter};
use layer::{Input, Layer, Origin};
use limits::Ctx;
use tar::{Next, Tar};
use zip::Zip;

pub use layer::{ReadSeek, Source};
pub use limits::{Limits, NESTED_DECOMPRESSED};

/// How many first bytes are enough to recognise what is packed.
pub const HEAD: usize = tar::BLOCK;

/// What comes out of a file.
#[derive(Debug)]
pub enum Event {
    /// A leaf, to be read from the [`Unpacker`].
    Leaf,
    /// Something that could not be read, or not to its end.
    Fault(Fault),
}

/// Whether a stream is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniff {
    /// No.
    Plain,
    /// Yes.
    Packed,
    /// It takes more bytes to know, [`HEAD`] at most.
    Short,
}

/// Says whether a stream is packed that begins with `head`, or, if `eof`, is
/// that. Text is known by its first line end, if that is soon.
///
/// # Complexity
///
/// Constant.
#[must_use]
pub fn sniff(head: &[u8], eof: bool) -> Sniff {
    match Format::of(head, eof) {
        Some(Format::Plain) => Sniff::Plain,
        Some(_) => Sniff::Packed,
        None => Sniff::Short,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Plain,
    Compressed(Compression),
    Tar,
    Zip,
}

impl Format {
    /// `None` if it takes more bytes to know.
    fn of(head: &[u8], eof: bool) -> Option<Format> {
        // Magic bytes go up to 8; none of them begins as text does, but for
        // `BZh` and `PK`.
        let is_likely = matches!(head, [] | [0x1F | 0x28 | 0x50..=0x5F | 0xFD | b'B', ..]);
        if is_likely && head.len() < 8 && !eof && !head.contains(&b'\n') {
            return None;
        }
        if let Some(compression) = Compression::of(head) {
            return Some(Format::Compressed(compression));
        }
        if zip::is_zip(head) {
            return Some(Format::Zip);
        }
        tar::is_tar(head, eof).map(|is_tar| if is_tar { Format::Tar } else { Format::Plain })
    }
}

/// Unpacks a file. Yields [`Event`]s by [`next`](Unpacker::next); reads the
/// leaf that it is at, which never fails: a leaf that ends early just ends,
/// and the next event is why.
pub struct Unpacker {
    at: At,
    ctx: Ctx,
    path: Option<Vec<u8>>,
}

/// Where an [`Unpacker`] is.
enum At {
    /// Before a stream that is still to be recognised.
    Head(Input),
    /// In a leaf.
    Leaf(Input),
    /// After something that is done with.
    After(Layer),
    End,
}

impl Unpacker {
    /// Unpacks `source`, of which `head` was read already. `path` is what it
    /// is called, `None` for standard input. The head must begin where the
    /// file does.
    #[must_use]
    pub fn new(source: Source, head: Vec<u8>, path: Option<&[u8]>, limits: Limits) -> Unpacker {
        let path = path.map(<[u8]>::to_vec);
        let origin = Origin {
            source,
            path: path.clone(),
            offset: 0,
            broken: false,
        };
        Unpacker {
            at: At::Head(Input::origin(origin, head)),
            ctx: Ctx::new(limits),
            path,
        }
    }

    /// Reads the rest of a compressed news batch: what follows its `#! cunbatch`
    /// line, or its like. There is one leaf, which may have faults after it.
    /// What the data is, its magic bytes say ([`Packing`] tells why); only zlib
    /// has none.
    #[must_use]
    pub fn batch(
        packing: Packing,
        rdr: Box<dyn Read + Send>,
        path: Option<&[u8]>,
        limits: Limits,
    ) -> Unpacker {
        let mut unpacker = Unpacker::new(Source::Reader(rdr), Vec::new(), path, limits);
        if let At::Head(input) = std::mem::replace(&mut unpacker.at, At::End) {
            unpacker.at = At::Leaf(input);
            unpacker.enter(packing, 0);
        }
        unpacker
    }

    /// Goes on to the next leaf, whatever is left of this one, or to the next
    /// fault. `None` at the end.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator could not be read from between two items"
    )]
    pub fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(fault) = self.ctx.faults.pop_front() {
                return Some(Event::Fault(fault));
            }
            match std::mem::replace(&mut self.at, At::End) {
                _ if self.ctx.exhausted => return None,
                At::End => return None,
                At::Head(input) => {
                    self.open(input);
                    if matches!(self.at, At::Leaf(_)) {
                        return Some(Event::Leaf);
                    }
                }
                At::Leaf(input) => self.at = At::After(input.into_layer(&mut self.ctx)),
                At::After(layer) => self.go_on(layer),
            }
        }
    }

    /// Recognises a stream.
    fn open(&mut self, mut input: Input) {
        let format = loop {
            match Format::of(input.buffered(), input.is_at_end()) {
                Some(format) => break format,
                None => input.fill_once(&mut self.ctx),
            }
        };
        if format != Format::Plain && input.depth >= self.ctx.limits.depth {
            let text = format!("packed more than {} deep; left out", self.ctx.limits.depth);
            self.ctx.fault(self.path.as_deref(), None, text);
            self.at = At::After(input.into_layer(&mut self.ctx));
            return;
        }
        let path = self.path.clone();
        self.at = match format {
            Format::Plain => At::Leaf(input),
            Format::Compressed(compression) => {
                let filter = Layer::Filter(Box::new(Filter::new(compression, input, path)));
                At::Head(Input::new(filter, self.ctx.buffer()))
            }
            Format::Tar => At::After(Layer::Tar(Box::new(Tar::new(input, path)))),
            Format::Zip => At::After(Layer::Zip(Box::new(Zip::new(input, path)))),
        };
    }

    /// Goes on after a stream or member of `layer`.
    fn go_on(&mut self, mut layer: Layer) {
        let next = match &mut layer {
            Layer::Origin(_) => return,
            // One stream is all it has.
            Layer::Filter(_) => Next::End,
            Layer::Tar(tar) => tar.next(&mut self.ctx),
            Layer::Zip(zip) => zip.next(&mut self.ctx),
        };
        self.at = match (next, layer) {
            (Next::Other, layer) => At::After(layer),
            (Next::Member, layer) => {
                let member = match &layer {
                    Layer::Tar(tar) => Some(&tar.member),
                    Layer::Zip(zip) => Some(&zip.name),
                    Layer::Origin(_) | Layer::Filter(_) => None,
                };
                self.path = member.cloned();
                At::Head(Input::new(layer, self.ctx.buffer()))
            }
            (Next::End, Layer::Filter(filter)) => self.below(filter.input, filter.path),
            (Next::End, Layer::Tar(tar)) => self.below(tar.input, tar.path),
            (Next::End, Layer::Zip(zip)) => self.below(zip.input, zip.path),
            (Next::End, Layer::Origin(_)) => At::End,
        };
    }

    /// The stream that had this name has been unpacked.
    fn below(&mut self, input: Input, path: Option<Vec<u8>>) -> At {
        self.path = path;
        At::After(input.into_layer(&mut self.ctx))
    }

    /// What the leaf is called: the path, and the names of members, each after
    /// a `!`. `None` for standard input itself.
    #[must_use]
    pub fn path(&self) -> Option<&[u8]> {
        self.path.as_deref()
    }

    /// True if the leaf was packed: its offsets are not those of the file.
    #[must_use]
    pub fn is_unpacked(&self) -> bool {
        matches!(&self.at, At::Leaf(input) if input.depth > 0)
    }

    /// The next bytes of the leaf, without going on: at least `want` of them
    /// (up to 64 KiB), unless it ends before. None if it is at no leaf.
    pub fn peek(&mut self, want: usize) -> &[u8] {
        match &mut self.at {
            At::Leaf(input) => input.fill(want, &mut self.ctx),
            _ => &[],
        }
    }

    /// Turns the leaf, which is a news batch packed in this way, into what is
    /// in the batch, passing over its first `line` bytes. Limits hold as for
    /// any other layer. Call it before the leaf was read.
    pub fn enter(&mut self, packing: Packing, line: usize) {
        let At::Leaf(mut input) = std::mem::replace(&mut self.at, At::End) else {
            return;
        };
        input.skip(line as u64, &mut self.ctx);
        let head = input.fill(8, &mut self.ctx);
        // RFC 1950, 2.2: the method, 8, and a multiple of 31.
        let is_zlib =
            matches!(head, &[a, b, ..] if a & 15 == 8 && u16::from_be_bytes([a, b]) % 31 == 0);
        let fault = match Compression::of(head) {
            _ if input.depth >= self.ctx.limits.depth => {
                format!("packed more than {} deep; left out", self.ctx.limits.depth)
            }
            Some(compression) => return self.enter_stream(compression, input),
            None if packing == Packing::Zlib && is_zlib => {
                return self.enter_stream(Compression::Zlib, input);
            }
            None => "the batch is not compressed in a known way".to_owned(),
        };
        if !input.is_broken() {
            self.ctx
                .fault(self.path.as_deref(), Some(input.offset()), fault);
        }
        self.at = At::After(input.into_layer(&mut self.ctx));
    }

    fn enter_stream(&mut self, compression: Compression, input: Input) {
        let filter = Filter::new(compression, input, self.path.clone());
        let buffer = self.ctx.buffer();
        self.at = At::Leaf(Input::new(Layer::Filter(Box::new(filter)), buffer));
    }
}

impl Read for Unpacker {
    /// Reads from the leaf; nothing where it is at none. Never fails.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.at {
            At::Leaf(input) => Ok(input.read(out, &mut self.ctx).unwrap_or(0)),
            _ => Ok(0),
        }
    }
}
