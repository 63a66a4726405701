//! Opens files: reads their first bytes, and creates their readers.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use super::control::Control;
use super::worker::Kind;
use super::{Settings, fault::Fault};
use crate::ranges::ReadAt;
use crate::ranges::cut::CutRule;
use crate::ranges::read::RangeReader;
use urlgrep_base::magic;
use urlgrep_containers::{Container, MARK, ReadAs, SNIFF, is_undecided, sniff};
use urlgrep_unpack::{Sniff, Source, utf16};

/// The first bytes of a stream.
pub(super) struct Head {
    pub bytes: Vec<u8>,
    /// The stream ends after these bytes.
    pub eof: bool,
    /// The error that prevents reading more bytes.
    pub error: Option<io::Error>,
}

impl Head {
    /// Reads the first [`SNIFF`] bytes of a stream, or more if they are not
    /// enough to recognise it. Stops earlier if `enough` is true for the bytes so
    /// far.
    pub(super) fn read(
        rdr: &mut dyn Read,
        settings: &Settings,
        enough: impl Fn(&[u8]) -> bool,
    ) -> Head {
        let mut head = Head {
            bytes: vec![0; SNIFF],
            eof: false,
            error: None,
        };
        let mut len = 0;
        loop {
            let is_enough = match len {
                0 => false,
                1..SNIFF => enough(&head.bytes[..len]),
                _ => len == head.bytes.len() && !settings.is_undecided(&head.bytes),
            };
            if is_enough {
                break;
            }
            if len == head.bytes.len() {
                head.bytes.resize(2 * len, 0);
            }
            match rdr.read(&mut head.bytes[len..]) {
                Ok(0) => {
                    head.eof = true;
                    break;
                }
                Ok(n) => len += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    head.error = Some(e);
                    break;
                }
            }
        }
        head.bytes.truncate(len);
        head
    }

    /// Reads on until there are `most` bytes.
    pub(super) fn go_on(&mut self, rdr: &mut dyn Read, most: usize) {
        let wants = most.saturating_sub(self.bytes.len());
        if self.eof || self.error.is_some() || wants == 0 {
            return;
        }
        let read = rdr.take(wants as u64).read_to_end(&mut self.bytes);
        self.eof = matches!(read, Ok(n) if n < wants);
        self.error = read.err();
    }

    /// The fault of a stream, if a read error came before the kind of the
    /// stream was known. Such a stream is not searched.
    pub(super) fn fault(&self, path: Option<&[u8]>, settings: &Settings) -> Option<Fault> {
        let error = self.error.as_ref()?;
        let undecided = settings.is_undecided(&self.bytes);
        (self.bytes.is_empty() || undecided).then(|| Fault::broken(path, 0, None, error))
    }
}

impl Settings {
    /// The kind of a stream that begins with `head`. If `eof`, the head is the
    /// whole stream.
    #[inline]
    pub(super) fn kind(&self, head: &[u8], eof: bool) -> Kind {
        if utf16::is_marked(head) {
            return Kind::Utf16;
        }
        if !self.decode {
            return Kind::Text;
        }
        match sniff(head, eof, self.read_as) {
            Container::Text => Kind::Text,
            container => Kind::Mail(container),
        }
    }

    /// The kind of a stream with this path.
    #[inline]
    pub(super) fn kind_of(&self, path: Option<&[u8]>, head: &[u8], eof: bool) -> Kind {
        match (self.kind(head, eof), path) {
            (Kind::Text, Some(path)) if !self.reads_all() => match Container::Text.named(path) {
                Container::Text => Kind::Text,
                container => Kind::Mail(container),
            },
            (kind, _) => kind,
        }
    }

    /// True if a file is not read from its first to its last byte.
    pub(super) fn is_part(&self) -> bool {
        self.start > 0 || self.end.is_some()
    }

    /// The bytes that are searched of a file that begins with `head`, if it is a
    /// database: enough to recognise it, and no text.
    pub(super) fn of_database<'h>(&self, head: &'h [u8]) -> Option<&'h [u8]> {
        let is_one = !self.reads_all() && magic::is_database(head);
        // A ledger is known by later bytes than other databases, and has no text before them.
        let most = match magic::unreadable(head) {
            Some(magic::LEDGER) => magic::DATABASE_HEAD,
            _ => magic::UNREADABLE_HEAD,
        };
        is_one.then(|| &head[..most])
    }

    /// True if all bytes are searched, even those that are no text.
    pub(super) fn reads_all(&self) -> bool {
        !self.decode || self.read_as != ReadAs::Auto
    }

    /// True if a file that begins with `head` must be unpacked. It is packed,
    /// or it is a news batch of packed articles.
    #[inline]
    pub(super) fn is_packed(&self, head: &[u8]) -> bool {
        self.decompress
            && (urlgrep_unpack::sniff(head, true) == Sniff::Packed || self.is_batch(head))
    }

    /// True if a stream that begins with `head` is a news batch of packed articles.
    #[inline]
    pub(super) fn is_batch(&self, head: &[u8]) -> bool {
        // Most streams need no look at their format.
        let line = head.strip_prefix(MARK).unwrap_or(head);
        line.starts_with(b"#!") && matches!(self.kind(head, true), Kind::Mail(Container::Packed(_)))
    }

    /// The rule for the place at which a file continues after unreadable bytes.
    pub(super) fn resume_rule(&self, kind: Kind) -> CutRule {
        if self.whole || kind == Kind::Utf16 {
            CutRule::Nowhere
        } else {
            CutRule::of(kind.container())
        }
    }

    /// True if more bytes may change the kind of a stream.
    pub(super) fn is_undecided(&self, head: &[u8]) -> bool {
        self.decompress && urlgrep_unpack::sniff(head, false) == Sniff::Short
            || self.decode && is_undecided(head, self.read_as)
    }
}

/// A reader of UTF-8. It yields `head`, then the bytes of `rdr`.
pub(super) fn text_reader(
    head: Vec<u8>,
    rdr: impl Read + Send + 'static,
    kind: Kind,
) -> Box<dyn Read + Send> {
    let rdr = io::Cursor::new(head).chain(rdr);
    match kind {
        Kind::Utf16 => Box::new(utf16::reader(rdr)),
        _ => Box::new(rdr),
    }
}

/// The reader of a text.
pub(super) enum Bytes {
    /// A stream. A read error ends it.
    Stream(Box<dyn Read + Send>),
    /// A source. Reading can continue after a read error.
    Source(Counted<RangeReader<Arc<dyn super::Source>>>),
}

impl Bytes {
    /// Reads the bytes `at..end` of a source. `size` was its size when it was
    /// opened.
    pub(super) fn of(
        src: Arc<dyn super::Source>,
        at: u64,
        end: u64,
        size: Option<u64>,
        control: &Control,
    ) -> Bytes {
        let rdr = RangeReader::new(src, at, end, size);
        Bytes::Source(Counted::new(rdr, control, false))
    }

    /// Moves past the unreadable bytes of a read error to the next place where
    /// `rule` allows a cut. Returns that place.
    pub(super) fn resume(&mut self, rule: CutRule) -> Option<u64> {
        match self {
            Bytes::Stream(_) => None,
            Bytes::Source(rdr) => rule.resume(&mut rdr.rdr),
        }
    }

    /// Moves forward to the offset `at`. Does nothing for a stream, or if the
    /// reader is already beyond `at`.
    pub(super) fn skip_to(&mut self, at: u64) {
        if let Bytes::Source(rdr) = self {
            rdr.rdr.skip_to(at);
        }
    }
}

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Bytes::Stream(rdr) => rdr.read(buffer),
            Bytes::Source(rdr) => rdr.read(buffer),
        }
    }
}

/// Adds the bytes that are read to the progress.
pub(super) struct Counted<R> {
    rdr: R,
    control: Control,
    /// True if the size of the input was not known before.
    stream: bool,
}

impl<R> Counted<R> {
    pub(super) fn new(rdr: R, control: &Control, stream: bool) -> Counted<R> {
        Counted {
            rdr,
            control: control.clone(),
            stream,
        }
    }
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.rdr.read(buffer)?;
        self.control.add_bytes(n as u64);
        if self.stream {
            self.control.add_known(n as u64);
        }
        Ok(n)
    }
}

impl<R: Seek> Seek for Counted<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.rdr.seek(to)
    }
}

/// A source for the unpacker.
pub(super) fn source(rdr: Counted<impl Read + Seek + Send + 'static>, can_seek: bool) -> Source {
    if can_seek {
        Source::Seek(Box::new(rdr))
    } else {
        Source::Reader(Box::new(rdr))
    }
}

/// A reader for a source that is not packed.
pub(super) fn reader(source: Source) -> Box<dyn Read + Send> {
    match source {
        Source::Seek(rdr) => Box::new(rdr),
        Source::Reader(rdr) => rdr,
    }
}

/// Device and inode. They identify a file under any path.
pub type FileId = (u64, u64);

/// The identity of the file, if the operating system provides one.
pub fn file_id(meta: &Metadata) -> Option<FileId> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        Some((meta.dev(), meta.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        None
    }
}

/// The part of a source that is read if reading starts at an offset.
pub(super) struct Tail {
    pub kind: Kind,
    /// Offset of its first byte.
    pub start: u64,
    /// Offset after its last byte.
    pub size: u64,
}

/// The part of a source that is read. Plain text is read from the offset in the
/// settings on. An mbox is read from the first message at or after that offset. If the settings
/// have an end, plain text is read from the first cut at or after the offset, and both are read up
/// to the first cut at or after the end. `None` if the whole source is read.
///
/// # Errors
///
/// Read errors of the source, or an error that says why the source cannot be
/// read from that offset.
pub(super) fn tail(
    src: &dyn super::Source,
    path: Option<&[u8]>,
    settings: &Settings,
) -> io::Result<Option<Tail>> {
    let start = settings.start;
    let size = src.size()?.ok_or_else(no_tail)?;
    if start > size && settings.end.is_none() {
        let error = format!("the file has {size} bytes, and is to be read from byte {start}");
        return Err(io::Error::other(error));
    }
    let mut rdr = RangeReader::new(src, 0, u64::MAX, Some(size));
    let head = Head::read(&mut rdr, settings, |_| false);
    if let Some(error) = head.error {
        return Err(error);
    }
    let kind = settings.kind_of(path, &head.bytes, head.eof);
    let is_packed = settings.is_packed(&head.bytes);
    let rule = CutRule::of(kind.container());
    if let Some(end) = settings.end {
        if is_packed || kind == Kind::Utf16 || rule == CutRule::Nowhere {
            // It belongs to the range with its first byte.
            let whole = start == 0 && end > 0;
            return Ok((!whole).then(|| Tail::empty(size)));
        }
        let cut = |at: u64| match at {
            0 => Ok(0),
            _ => Ok::<_, io::Error>(rule.first(src, at, u64::MAX)?.unwrap_or(size)),
        };
        let (start, size) = (cut(start.min(size))?, cut(end.min(size))?);
        let tail = Tail { kind, start, size };
        return Ok(Some(if start < size {
            tail
        } else {
            Tail::empty(size)
        }));
    }
    if is_packed {
        return Err(io::Error::other(
            "a compressed file or archive cannot be read from the middle",
        ));
    }
    let start = match (kind, rule) {
        (Kind::Text, _) => start,
        (Kind::Mail(_), CutRule::Message(_)) => rule.first(src, start, u64::MAX)?.unwrap_or(size),
        _ => {
            return Err(io::Error::other(
                "only plain text and mbox files can be read from the middle",
            ));
        }
    };
    Ok(Some(Tail { kind, start, size }))
}

/// A source that ends at an offset.
pub(super) struct UpTo {
    pub src: Arc<dyn super::Source>,
    pub end: u64,
}

impl ReadAt for UpTo {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let rest = usize::try_from(self.end.saturating_sub(offset)).unwrap_or(usize::MAX);
        let len = buffer.len().min(rest);
        self.src.read_at(&mut buffer[..len], offset)
    }

    fn size(&self) -> io::Result<Option<u64>> {
        Ok(self.src.size()?.map(|size| size.min(self.end)))
    }
}

impl Tail {
    /// No part of a source of this size.
    fn empty(size: u64) -> Tail {
        Tail {
            kind: Kind::Text,
            start: size,
            size,
        }
    }
}

/// Standard input, as a file that can be read at any offset.
///
/// # Errors
///
/// If standard input is not a regular file.
pub(super) fn stdin_file() -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let file = File::from(io::stdin().as_fd().try_clone_to_owned()?);
        if file.metadata()?.is_file() {
            return Ok(file);
        }
    }
    Err(no_tail())
}

/// The error for a pipe or device that should be read from an offset.
pub(super) fn no_tail() -> io::Error {
    io::Error::other("a pipe or device cannot be read from the middle")
}

/// Unbuffered standard input, and whether it is a regular file.
pub(super) fn stdin() -> (Box<dyn Read + Send>, bool) {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        if let Ok(fd) = io::stdin().as_fd().try_clone_to_owned() {
            let file = File::from(fd);
            let regular = file.metadata().is_ok_and(|meta| meta.is_file());
            return (Box::new(file), regular);
        }
    }
    (Box::new(io::stdin()), false)
}
