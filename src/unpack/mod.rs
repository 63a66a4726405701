//! Compressed and archived input as a stream of members, each an [`io::Read`].
//!
//! [`Unpacker`] takes a file or a stream and recognises gzip, bzip2, xz, zstd,
//! `.Z`, tar and zip by their first bytes, in each other up to
//! [`Limits::depth`] layers deep. It yields the *members*: streams of bytes
//! that are not packed any more. A file that is not packed has one member, the
//! file itself.
//!
//! ```
//! use std::io::Read;
//! use urlgrep::unpack::{Event, UnpackFault, Limits, Source, Unpacker};
//!
//! let source = Source::Reader(Box::new(&b"not packed"[..]));
//! let mut unpacker = Unpacker::new(source, Vec::new(), Some(b"name"), Limits::default());
//! let mut text = Vec::new();
//! while let Some(event) = unpacker.next() {
//!     match event {
//!         Event::Member => {
//!             assert_eq!(unpacker.path(), Some(&b"name"[..]));
//!             if let Err(error) = unpacker.read_to_end(&mut text) {
//!                 eprintln!("a member ended early: {}", UnpackFault::of(&error).unwrap());
//!             }
//!         }
//!         Event::Fault(fault) => eprintln!("{fault}"),
//!     }
//! }
//! assert_eq!(text, b"not packed");
//! ```
//!
//! # Faults
//!
//! Each fault is reported once. If the bytes of a member end before the member
//! does, all bytes that could be decoded are delivered first, then the read
//! fails with an [`io::Error`] that holds the [`UnpackFault`]; later reads return 0.
//! Every other fault is an [`Event::Fault`]: a member that could not be
//! begun, a wrong checksum after the last byte of a member, data after the
//! end of an archive.
//!
//! # Layers
//!
//! Each layer of packing owns the one below. `layer` has `Input`, the buffered
//! bytes of a layer: a [`Read`] and [`BufRead`](io::BufRead) that returns the
//! fault of the layer below once, after its bytes. A compressed stream is a
//! `filter::Codec`: a `Read` over an `Input` (`gzip`, `bzip2`, `xz`, `zstd`,
//! `lzw`), so that any decoder that reads from a `BufRead` can become one.
//! `tar` and `zip` are the archives. `limits` has what all layers of a file
//! share behind one `Arc`: the limits, what they have cost, and the faults
//! that no read returned.
//!
//! The readers of whole formats that crates offer are not used where they hold
//! names or directories in memory, or lose bytes that were decoded before a
//! fault. Each module says what would be lost.
//!
//! # Complexity
//!
//! Time is linear in what is read and what is decoded. Memory is a buffer of
//! 64 KiB a layer, the decoders' windows ([`Limits::max_window`] in all), and a
//! few long names. A file that is not packed is read straight into the
//! caller's memory, except for the bytes that were read to recognise it.

mod bzip2;
mod fault;
mod filter;
mod gzip;
mod layer;
mod limits;
mod lzw;
mod tar;
pub mod utf16;
mod xz;
mod zip;
mod zstd;

use std::io::{self, Read};
use std::sync::Arc;

use filter::{Compression, Filter};
use layer::{Input, Layer};
use limits::Ctx;
use tar::{Next, Tar};
use zip::Zip;

pub use fault::{UnpackFault, UnpackFaultKind};
pub use layer::{ReadSeek, Source};
pub use limits::{Limits, NESTED_DECOMPRESSED};

/// This many first bytes are enough to recognise packed data.
pub const HEAD: usize = tar::BLOCK;

/// An event of an [`Unpacker`].
#[derive(Debug)]
pub enum Event {
    /// A member, to be read from the [`Unpacker`].
    Member,
    /// A fault: something could not be read, or not to its end.
    Fault(UnpackFault),
}

/// The result of [`sniff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniff {
    /// No.
    Plain,
    /// Yes.
    Packed,
    /// More bytes are needed, [`HEAD`] at most.
    Short,
}

/// Says whether a stream that begins with `head` is packed. With `eof` the
/// head is the whole stream. Text is recognised by its first line end.
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
    /// `None` if more bytes are needed.
    fn of(head: &[u8], eof: bool) -> Option<Format> {
        // Magic bytes have at most 8 bytes. Only `BZh` and `PK` can begin a
        // text.
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

/// Unpacks a file. [`next`](Unpacker::next) goes to the next member, which is
/// then read from the unpacker itself.
pub struct Unpacker {
    at: At,
    ctx: Arc<Ctx>,
    path: Option<Vec<u8>>,
}

/// The position of an [`Unpacker`].
enum At {
    /// Before a stream that is not recognised yet.
    Head(Input),
    /// In a member.
    Member(Input),
    /// After the end of a layer.
    After(Layer),
    End,
}

impl Unpacker {
    /// Unpacks `source`. `head` was read from it already and begins where the
    /// file does. `path` is its name, `None` for standard input.
    #[must_use]
    pub fn new(source: Source, head: Vec<u8>, path: Option<&[u8]>, limits: Limits) -> Unpacker {
        let path = path.map(<[u8]>::to_vec);
        let ctx = Arc::new(Ctx::new(limits));
        let input = Input::source(source, head, path.clone(), Arc::clone(&ctx));
        Unpacker {
            at: At::Head(input),
            ctx,
            path,
        }
    }

    /// Reads the rest of a compressed news batch: what follows its line `#!
    /// cunbatch`, `#! gunbatch` or `#! zunbatch`. There is one member, the
    /// batch.
    #[must_use]
    pub fn batch(rdr: Box<dyn Read + Send>, path: Option<&[u8]>, limits: Limits) -> Unpacker {
        let mut unpacker = Unpacker::new(Source::Reader(rdr), Vec::new(), path, limits);
        if let At::Head(input) = std::mem::replace(&mut unpacker.at, At::End) {
            unpacker.at = At::Member(input);
            unpacker.enter(0);
        }
        unpacker
    }

    /// Goes to the next member or the next fault. Skips the rest of the
    /// current member. `None` at the end.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator could not be read from between two items"
    )]
    pub fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(fault) = self.ctx.fault() {
                return Some(Event::Fault(fault));
            }
            match std::mem::replace(&mut self.at, At::End) {
                _ if self.ctx.is_exhausted() => return None,
                At::End => return None,
                At::Head(input) => {
                    self.open(input);
                    if matches!(self.at, At::Member(_)) {
                        return Some(Event::Member);
                    }
                }
                At::Member(input) => {
                    self.at = At::After(input.into_layer());
                }
                At::After(layer) => self.go_on(layer),
            }
        }
    }

    /// Recognises a stream.
    fn open(&mut self, mut input: Input) {
        let format = loop {
            match Format::of(input.buffered(), input.is_at_end()) {
                Some(format) => break format,
                None => input.fill_once(),
            }
        };
        if format != Format::Plain && self.is_too_deep(&input) {
            self.at = At::After(input.into_layer());
            return;
        }
        self.at = match format {
            Format::Plain => At::Member(input),
            Format::Compressed(compression) => At::Head(filter(compression, input)),
            Format::Tar => At::After(Layer::Tar(Box::new(Tar::new(input)))),
            Format::Zip => At::After(Layer::Zip(Box::new(Zip::new(input)))),
        };
    }

    /// Continues after a stream or member of `layer`.
    fn go_on(&mut self, mut layer: Layer) {
        let next = match &mut layer {
            Layer::Nothing | Layer::Source(..) | Layer::Filter(_) => Next::End,
            Layer::Tar(tar) => tar.next(),
            Layer::Zip(zip) => zip.next(),
        };
        self.at = match next {
            Next::Other => At::After(layer),
            Next::Member => {
                self.path = match &layer {
                    Layer::Tar(tar) => Some(tar.member.clone()),
                    Layer::Zip(zip) => Some(zip.name.clone()),
                    _ => None,
                };
                let ctx = Arc::clone(&self.ctx);
                At::Head(Input::new(layer, self.path.clone(), ctx))
            }
            Next::End => match layer.input() {
                Some(below) => {
                    self.path.clone_from(&below.path);
                    At::After(below.detach().into_layer())
                }
                None => At::End,
            },
        };
    }

    /// The name of the member: the name of the source, then the names in
    /// archives, each after a `!`. `None` for a source without a name.
    #[must_use]
    pub fn path(&self) -> Option<&[u8]> {
        self.path.as_deref()
    }

    /// True if the member was packed. Its offsets are then not those of the
    /// file.
    #[must_use]
    pub fn is_unpacked(&self) -> bool {
        matches!(&self.at, At::Member(input) if input.depth > 0)
    }

    /// The next bytes of the member, without consuming them: at least `want`
    /// (up to 64 KiB), or fewer at the end of the member. Empty if the
    /// unpacker is at no member.
    pub fn peek(&mut self, want: usize) -> &[u8] {
        match &mut self.at {
            At::Member(input) => input.fill(want),
            _ => &[],
        }
    }

    /// Decompresses the member, a compressed news batch (`#! cunbatch`, `#!
    /// gunbatch`, `#! zunbatch`), after its first `line` bytes. The limits
    /// hold as for any other layer. Must be called before the member is read.
    ///
    /// The first bytes of the data decide about the compression, not the line:
    /// INN gives all batches to `gzip -d`, and senders mixed them up. Only
    /// zlib has no magic number.
    pub fn enter(&mut self, line: usize) {
        let At::Member(mut input) = std::mem::replace(&mut self.at, At::End) else {
            return;
        };
        input.skip(line as u64);
        let head = input.fill(8);
        // RFC 1950, 2.2: method 8, and a multiple of 31.
        let is_zlib =
            matches!(head, &[a, b, ..] if a & 15 == 8 && u16::from_be_bytes([a, b]) % 31 == 0);
        let compression = Compression::of(head).or(is_zlib.then_some(Compression::Zlib));
        self.at = match compression {
            None => {
                input.cut_short_as(
                    UnpackFaultKind::Unsupported,
                    "the batch is not compressed in a known way",
                );
                At::After(input.into_layer())
            }
            Some(_) if self.is_too_deep(&input) => At::After(input.into_layer()),
            Some(compression) => At::Member(filter(compression, input)),
        };
    }

    /// Reports a fault if no layer may be added to `input`.
    fn is_too_deep(&mut self, input: &Input) -> bool {
        let depth = self.ctx.limits.depth;
        if input.depth < depth {
            return false;
        }
        let mut fault = input.fault(
            UnpackFaultKind::Depth,
            format!("packed more than {depth} deep; left out"),
        );
        fault.offset = None;
        self.ctx.report(fault);
        true
    }
}

/// The decompressed bytes of `input`.
fn filter(compression: Compression, input: Input) -> Input {
    let (path, ctx) = (input.path.clone(), Arc::clone(&input.ctx));
    let filter = Filter::new(compression, input);
    Input::new(Layer::Filter(Box::new(filter)), path, ctx)
}

impl Read for Unpacker {
    /// Reads from the member; 0 if the unpacker is at none.
    ///
    /// # Errors
    ///
    /// A [`UnpackFault`], once, after the last byte, if the member ends early.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.at {
            At::Member(input) => input.read(out),
            _ => Ok(0),
        }
    }
}
