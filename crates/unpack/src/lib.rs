//! Compressed and archived input as a stream of members, each an [`io::Read`].
//!
//! [`Unpacker`] reads a file or a stream. It recognises gzip, bzip2, xz, zstd,
//! `.Z`, tar and zip by their first bytes. It unpacks up to [`Limits::depth`]
//! nested layers. It yields *members*: streams of bytes that are not packed. A
//! file that is not packed has one member, which is the file itself. [`utf16`] converts UTF-16,
//! and a [`Spool`] keeps what must be read twice, in memory or in a temporary file. Mail is not
//! known here.
//!
//! ```
//! use std::io::Read;
//! use urlgrep_unpack::{Event, UnpackFault, Limits, Source, Unpacker};
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
//! Each fault is reported once. If a member ends early, all bytes that could be
//! decoded are delivered first. Then the read fails with an [`io::Error`] that
//! holds the [`UnpackFault`]. Later reads return 0. Every other fault becomes an
//! [`Event::Fault`]. Examples are a member that could not be opened, a wrong
//! checksum at the end of a member, and data after the end of an archive.
//!
//! # Layers
//!
//! Each layer of packing owns the layer below.
//!
//! * `layer` has the trait `Layer`, and `Supply`, the buffered bytes of a layer.
//!   A supply implements [`Read`] and [`BufRead`](io::BufRead). It returns an
//!   error of the layer once, after the bytes before it.
//! * `codec` has the trait `Codec`: a decoder that reads from a `Supply`. `gzip`,
//!   `bzip2`, `xz`, `zstd` and `lzw` implement it.
//! * `filter` is the layer over such a decoder. `tar` and `zip` are the layers
//!   that are archives.
//! * `limits` has the state that the layers of a file share. This is the
//!   limits, the cost so far, and the faults that no read returned.
//!
//! There are crates with readers of whole formats, and we use their decoders
//! only. Each of these readers either keeps all names of an archive in memory, or
//! loses bytes that were decoded before a fault. The head of each file says which
//! ones we looked at, and what would be lost.
//!
//! # Complexity
//!
//! Time is linear in the bytes read and the bytes decoded. Each layer needs a
//! buffer of 64 KiB. The windows of the xz and zstd decoders together need at
//! most [`Limits::max_window`]. Each other decoder needs at most 4 MB. A few
//! long names are also kept. A file that is not packed is read straight
//! into the caller's buffer, except for its first bytes, which are needed to
//! recognise it.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

#[cfg(feature = "formats")]
mod bzip2;
mod codec;
mod fault;
mod filter;
mod first;
mod gzip;
mod layer;
mod limits;
mod lzw;
mod tar;
#[cfg(test)]
mod tests;
pub mod utf16;
#[cfg(feature = "formats")]
mod window;
#[cfg(feature = "formats")]
mod xz;
mod zip;
#[cfg(feature = "formats")]
mod zstd;

// A part of the tests is also a part of the fuzz targets, which use the crate by its name.
#[cfg(test)]
extern crate self as urlgrep_unpack;

use std::io::{self, Read};
use std::sync::Arc;

use filter::{Compression, Decompressor};
use layer::{Advance, Layer, Supply};
use limits::Ctx;
use tar::Tar;
use zip::Zip;

use urlgrep_base::magic::{COMPRESSION_HEAD, Format, TAR_BLOCK};

pub use fault::{UnpackFault, UnpackFaultKind};
pub use first::FirstBytes;
pub use layer::{ReadSeek, Source};
pub use limits::{Costs, lock};
pub use limits::{Limits, NESTED_DECOMPRESSED};
pub use tempfile::SpooledTempFile as Spool;

/// Bytes at the start of a stream that are enough to recognise packed data.
pub const HEAD: usize = TAR_BLOCK;

/// An event of an [`Unpacker`].
#[derive(Debug)]
pub enum Event {
    /// A new member. It can be read from the [`Unpacker`].
    Member,
    /// A fault: data could not be read, or not to its end.
    Fault(UnpackFault),
}

/// The result of [`sniff`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sniff {
    /// The stream is not packed.
    Plain,
    /// The stream is packed.
    Packed,
    /// More bytes are needed to decide, at most [`HEAD`].
    Short,
}

/// Decides whether a stream that begins with `head` is packed. If `eof`, the
/// head is the whole stream. A line feed in the first bytes is enough to
/// recognise text.
///
/// # Complexity
///
/// O(1).
#[must_use]
pub fn sniff(head: &[u8], eof: bool) -> Sniff {
    match Format::of(head, eof) {
        Some(Format::Plain) => Sniff::Plain,
        Some(_) => Sniff::Packed,
        None => Sniff::Short,
    }
}

/// True if a file whose first bytes are `head` is compressed or an archive.
#[must_use]
pub fn is_packed(head: &[u8]) -> bool {
    sniff(head, true) == Sniff::Packed
}

/// Knows the members of office documents that are no text: pictures and fonts, by their
/// folder, and all others with a NUL. Nobody follows the URLs in their metadata.
#[derive(Debug, Default)]
pub struct Office {
    /// The start of the paths of all members of the last document.
    document: Option<Vec<u8>>,
}

impl Office {
    /// True if the member with this path and these first bytes is one of them. It is asked
    /// about all members, in order, because each document begins with a file of this name.
    pub fn hides(&mut self, path: &[u8], head: &[u8]) -> bool {
        const FIRST: [&[u8]; 3] = [b"!mimetype", b"![Content_Types].xml", b"!docProps/app.xml"];
        if let Some(document) = FIRST.iter().find_map(|name| path.strip_suffix(*name)) {
            self.document = Some([document, b"!"].concat());
        }
        let document = self.document.as_ref();
        let Some(inside) = document.and_then(|document| path.strip_prefix(&document[..])) else {
            return false;
        };
        // Only the folders of these formats: an archive of text may have the same first file.
        let mut folders = inside.split(|&b| b == b'/');
        let is_media = match folders.next() {
            Some(b"word" | b"xl" | b"ppt") => {
                matches!(folders.next(), Some(b"media" | b"fonts")) && folders.next().is_some()
            }
            Some(b"Pictures" | b"Fonts") => folders.next().is_some(),
            _ => false,
        };
        is_media || memchr::memchr(0, head).is_some() && !utf16::is_marked(head)
    }
}

/// Unpacks a file. [`next`](Unpacker::next) goes to the next member. The
/// unpacker itself then reads that member.
pub struct Unpacker {
    at: At,
    ctx: Arc<Ctx>,
    path: Option<Vec<u8>>,
}

/// The position of an [`Unpacker`].
enum At {
    /// Before a stream that is not yet recognised.
    Head(Supply),
    /// In a member.
    Member(Supply),
    /// After the end of a stream or member.
    After(Box<dyn Layer>),
    End,
}

impl At {
    /// Leaves the rest of an input unread.
    fn after(input: Supply) -> At {
        input.into_layer().map_or(At::End, At::After)
    }
}

impl Unpacker {
    /// Unpacks `source`. `head` are the first bytes of the file, which were
    /// already read from `source`. `path` is the name of the source, or `None`
    /// for standard input.
    #[must_use]
    pub fn new(source: Source, head: Vec<u8>, path: Option<&[u8]>, limits: Limits) -> Unpacker {
        Unpacker::sharing(Arc::default(), source, head, path, limits)
    }

    /// As [`Unpacker::new`], with limits for all that share `costs`.
    pub fn sharing(
        costs: Arc<Costs>,
        source: Source,
        head: Vec<u8>,
        path: Option<&[u8]>,
        limits: Limits,
    ) -> Unpacker {
        let path = path.map(<[u8]>::to_vec);
        let ctx = Arc::new(Ctx::new(limits, costs));
        let input = Supply::source(source, head, path.clone(), Arc::clone(&ctx));
        Unpacker {
            at: At::Head(input),
            ctx,
            path,
        }
    }

    /// Decompresses the rest of a compressed news batch. `rdr` begins after the
    /// line `#! cunbatch`, `#! gunbatch` or `#! zunbatch`. The batch is the
    /// only member.
    #[must_use]
    pub fn batch(rdr: Box<dyn Read + Send>, path: Option<&[u8]>, limits: Limits) -> Unpacker {
        let mut unpacker = Unpacker::new(Source::Reader(rdr), Vec::new(), path, limits);
        if let At::Head(input) = std::mem::replace(&mut unpacker.at, At::End) {
            unpacker.at = At::Member(input);
            unpacker.enter(0);
        }
        unpacker
    }

    /// Skips the rest of the current member, and goes to the next member or
    /// fault. `None` at the end.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator could not be read between two items"
    )]
    pub fn next(&mut self) -> Option<Event> {
        loop {
            if let Some(fault) = self.ctx.fault() {
                return Some(Event::Fault(fault));
            }
            let at = std::mem::replace(&mut self.at, At::End);
            if self.ctx.is_exhausted() {
                return None;
            }
            match at {
                At::End => return None,
                At::Head(input) => {
                    self.open(input);
                    if matches!(self.at, At::Member(_)) {
                        return Some(Event::Member);
                    }
                }
                At::Member(input) => self.at = At::after(input),
                At::After(layer) => self.go_on(layer),
            }
        }
    }

    /// Recognises the format of a stream, and opens it.
    fn open(&mut self, mut input: Supply) {
        let format = loop {
            match Format::of(input.buffered(), input.is_at_end()) {
                Some(format) => break format,
                None => input.fill_once(),
            }
        };
        if format != Format::Plain && self.is_too_deep(&input) {
            self.at = At::after(input);
            return;
        }
        self.at = match format {
            Format::Plain => At::Member(input),
            Format::Compressed(compression) => At::Head(filter(compression, input)),
            Format::Tar => At::After(Box::new(Tar::new(input))),
            Format::Zip => At::After(Box::new(Zip::new(input))),
        };
    }

    /// Continues after a stream, or after a member of an archive.
    fn go_on(&mut self, mut layer: Box<dyn Layer>) {
        self.at = match layer.next() {
            Advance::Other => At::After(layer),
            Advance::Member(name) => {
                self.path = Some(name);
                At::Head(Supply::new(layer, self.path.clone()))
            }
            Advance::End => {
                let below = layer.input().detach();
                self.path.clone_from(&below.path);
                At::after(below)
            }
        };
    }

    /// The name of the member. It is the name of the source, then the name in
    /// each archive, each after a `!`. `None` for a source without a name.
    #[must_use]
    pub fn path(&self) -> Option<&[u8]> {
        self.path.as_deref()
    }

    /// True if the member was packed. Offsets in it are then not offsets in the
    /// file.
    #[must_use]
    pub fn is_unpacked(&self) -> bool {
        matches!(&self.at, At::Member(input) if input.depth > 0)
    }

    /// The next bytes of the member, without consuming them. Returns at least
    /// `want` bytes (up to 64 KiB), or fewer at the end of the member. Empty
    /// between members.
    pub fn peek(&mut self, want: usize) -> &[u8] {
        match &mut self.at {
            At::Member(input) => input.fill(want),
            _ => &[],
        }
    }

    /// Decompresses the member from its byte `line` on. The member is a
    /// compressed news batch, and its first line is `#! cunbatch`,
    /// `#! gunbatch` or `#! zunbatch`. The limits apply as for any other layer.
    /// Call this before the member is read.
    ///
    /// The compression is recognised by the first bytes of the data. The line
    /// is not reliable: senders mixed up the names, and INN gives all batches
    /// to `gzip -d`. Only zlib has no magic number.
    pub fn enter(&mut self, line: usize) {
        let At::Member(mut input) = std::mem::replace(&mut self.at, At::End) else {
            return;
        };
        input.skip(line as u64);
        let head = input.fill(8);
        let compression = Compression::of(head).or(is_zlib(head).then_some(Compression::Zlib));
        self.at = match compression {
            None => {
                input.cut_short_as(
                    UnpackFaultKind::Unsupported,
                    "the compression of the batch is unknown",
                );
                At::after(input)
            }
            Some(_) if self.is_too_deep(&input) => At::after(input),
            Some(compression) => At::Member(filter(compression, input)),
        };
    }

    /// Goes to the only member of a compressed stream that is no archive. If it `may_be_deflate`,
    /// it is zlib, or deflate without a header, unless it has a magic number. Call this first.
    ///
    /// > … some non-conformant implementations send the "deflate" compressed data without the
    /// > zlib wrapper. (RFC 9110 section 8.4.1.2)
    pub fn decode(&mut self, may_be_deflate: bool) {
        let At::Head(mut input) = std::mem::replace(&mut self.at, At::End) else {
            return;
        };
        let head = input.fill(COMPRESSION_HEAD);
        let compression = match Compression::of(head) {
            None if may_be_deflate && is_zlib(head) => Some(Compression::Zlib),
            None if may_be_deflate => Some(Compression::Deflate),
            known => known,
        };
        self.at = At::Member(match compression {
            Some(compression) => filter(compression, input),
            None => input,
        });
    }

    /// Reports a fault if the limits allow no layer over `input`.
    fn is_too_deep(&mut self, input: &Supply) -> bool {
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

/// True if `head` is the header of zlib. RFC 1950, 2.2: the method is 8, and the first two bytes
/// are a multiple of 31.
fn is_zlib(head: &[u8]) -> bool {
    matches!(head, &[a, b, ..] if a & 15 == 8 && u16::from_be_bytes([a, b]) % 31 == 0)
}

/// A layer that decompresses `input`.
fn filter(compression: Compression, input: Supply) -> Supply {
    let path = input.path.clone();
    Supply::new(Box::new(Decompressor::new(compression, input)), path)
}

impl Read for Unpacker {
    /// Reads from the member. Returns 0 between members.
    ///
    /// # Errors
    ///
    /// A [`UnpackFault`] if the member ends early. It is returned once, after
    /// the last byte.
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.at {
            At::Member(input) => input.read(out),
            _ => Ok(0),
        }
    }
}
