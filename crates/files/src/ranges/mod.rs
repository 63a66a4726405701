//! Searches byte ranges of large files. Any partition of a file into ranges
//! gives each record exactly once, with the offsets of the file.
//!
//! [`describe`] recognises the format of a file once. Then any number of
//! threads or machines [`search`] ranges of the file, each with its own
//! [`Searcher`]. A message belongs to the range that holds the start of its
//! separator line. Plain text is divided at places that no URL can span.
//!
//! ```
//! use std::ops::ControlFlow;
//! use urlgrep::mail::ReadAs;
//! use urlgrep::ranges::{describe, search};
//! use urlgrep::search::Searcher;
//!
//! let one = "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nhttp://a.example/\n\n";
//! let mbox = one.repeat(3);
//! let (src, mut urls) = (mbox.as_bytes(), Vec::new());
//! let description = describe(src, ReadAs::Auto)?;
//! let mut searcher = Searcher::default();
//! for range in [0..70, 70..100, 100..src.len() as u64] {
//!     search(src, &description, range, &mut searcher, |m| {
//!         urls.push(m.hit.to_string());
//!         ControlFlow::Continue(())
//!     })?;
//! }
//! assert_eq!(urls, ["http://a.example/"; 3]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # What depends on the range
//!
//! In a range that does not begin at 0, line numbers are unknown
//! ([`Match::line`]). Messages have no number ([`Message::number`]). The offset
//! of a message identifies it.
//!
//! A file that cannot be cut belongs to the range that holds its first byte.
//! [`Description::is_divisible`] is false for such a file.
//!
//! # Complexity
//!
//! A search reads each byte once. It reads a range from about 25 KiB before its
//! first byte, to the end of the range's last message, or to the first place
//! after the range where plain text can be cut. It reads at most 68 KiB more. If
//! no message begins in the range, it stops at the end of the range.
//!
//! All ranges of a file together read at most 1.05 times its size, plus 128 KiB
//! per range, unless ranges end inside of very long messages. From the end of a
//! range to the end of its last message, each byte is read twice: to search the
//! message, and to see that no message begins there.
//!
//! [`Match::line`]: urlgrep_search::Match::line
//! [`Message::number`]: urlgrep_search::Message::number

#[doc(hidden)]
pub mod cut;
#[doc(hidden)]
pub mod read;

use std::io;
use std::ops::{ControlFlow, Range};

use cut::{CutReader, CutRule};
use read::fill;
use urlgrep_base::magic;
use urlgrep_containers::{Container, Position, ReadAs, SNIFF, is_undecided, sniff};
use urlgrep_search::{Match, Searcher, Visitor};

pub use read::ReadAt;

/// The format of a source. It is small, and is the same for all ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Description {
    /// The container.
    pub container: Container,
    /// The encoding. Only a plain source can be searched.
    #[cfg_attr(feature = "serde", serde(default))]
    pub encoding: Encoding,
    /// Its size in bytes, if known.
    pub size: Option<u64>,
}

/// The encoding of a source. It shows whether a source can be searched in ranges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Encoding {
    /// The source can be searched as it is.
    #[default]
    Plain,
    /// The source is compressed or an archive. It must be unpacked first. The crate
    /// `urlgrep-unpack` can unpack it.
    Packed,
    /// The source is UTF-16 text with a byte order mark. It must be converted to
    /// UTF-8 first.
    Utf16,
}

impl Description {
    /// False if the source cannot be divided. Then it belongs to the range that
    /// holds its first byte. This applies to single messages, news batches and
    /// sessions, and to every source whose [`encoding`](Description::encoding)
    /// is not plain.
    #[must_use]
    pub fn is_divisible(&self) -> bool {
        self.encoding == Encoding::Plain && CutRule::of(self.container) != CutRule::Nowhere
    }

    /// The description of a source with this name that was not asked to be read as anything: a
    /// file of text whose name ends in `.csv` or `.tsv` is a table.
    #[doc(hidden)]
    #[must_use]
    pub fn named(self, name: &[u8]) -> Description {
        match self.encoding {
            Encoding::Plain => Description {
                container: self.container.named(name),
                ..self
            },
            Encoding::Packed | Encoding::Utf16 => self,
        }
    }

    /// The error for a source that cannot be searched.
    fn check(&self) -> io::Result<()> {
        let error = match self.encoding {
            Encoding::Plain => return Ok(()),
            Encoding::Packed => "a compressed file or archive cannot be searched in ranges",
            Encoding::Utf16 => "UTF-16 text cannot be searched in ranges",
        };
        Err(io::Error::new(io::ErrorKind::Unsupported, error))
    }
}

/// Recognises a source by its first 8 KiB, or by up to 256 KiB if it begins with a
/// long header. A caller who knows that it is mail or text says so by `read_as`.
///
/// # Errors
///
/// Read errors of the source.
pub fn describe(src: &(impl ReadAt + ?Sized), read_as: ReadAs) -> io::Result<Description> {
    let (head, eof) = head(src, |head| is_undecided(head, read_as))?;
    let head = &*head;
    let container = sniff(head, eof, read_as);
    let is_batch = matches!(container, Container::Packed(_));
    Ok(Description {
        container,
        encoding: if is_batch {
            Encoding::Packed
        } else if magic::is_utf16(head) {
            Encoding::Utf16
        } else if matches!(
            magic::Format::of(head, eof),
            None | Some(magic::Format::Plain)
        ) {
            Encoding::Plain
        } else {
            Encoding::Packed
        },
        size: src.size()?,
    })
}

/// The first bytes of a source, and whether they are all. More than [`SNIFF`] are
/// read only as long as the stream is undecided.
pub(crate) fn head(
    src: &(impl ReadAt + ?Sized),
    is_undecided: impl Fn(&[u8]) -> bool,
) -> io::Result<(Vec<u8>, bool)> {
    let mut head = vec![0; SNIFF];
    let mut len = 0;
    loop {
        let (n, result) = fill(src, &mut head[len..], len as u64);
        result?;
        len += n;
        let eof = len < head.len();
        head.truncate(len);
        if eof || !is_undecided(&head) {
            return Ok((head, eof));
        }
        head.resize(2 * len, 0);
    }
}

/// Gives each hit of a range of `src` to `each`, which says whether to continue. Offsets are
/// those of the source. The range may end after the source. An empty range has no hits.
///
/// # Errors
///
/// [`Unsupported`](io::ErrorKind::Unsupported), if the
/// [encoding](Description::encoding) is not plain.
///
/// Read errors of the source. Hits before the error have been reported. The
/// search ends as in [`Searcher::break_off`].
///
/// An attachment that was not searched to its end because of a limit or an error of the
/// system. The rest of the range has been searched.
pub fn search<S: ReadAt + ?Sized>(
    src: &S,
    description: &Description,
    range: Range<u64>,
    searcher: &mut Searcher,
    mut each: impl FnMut(&Match<'_>) -> ControlFlow<()>,
) -> io::Result<()> {
    visit(src, description, range, searcher, &mut each)
}

/// As [`search`], for a visitor.
///
/// # Errors
///
/// As there.
pub fn visit<S, V>(
    src: &S,
    description: &Description,
    range: Range<u64>,
    searcher: &mut Searcher,
    visitor: &mut V,
) -> io::Result<()>
where
    S: ReadAt + ?Sized,
    V: Visitor,
{
    description.check()?;
    let Description {
        container, size, ..
    } = *description;
    if range.start > 0 && !description.is_divisible() {
        return Ok(());
    }
    let mut rdr = CutReader::new(src, CutRule::of(container), range.start, size);
    let Some(start) = rdr.first(range.start, range.end, |_| true)? else {
        return Ok(());
    };
    let at = match start {
        0 => Position::START,
        offset => Position {
            offset,
            line: 0,
            number: 0,
        },
    };
    searcher.begin(container, at);
    let end = if description.is_divisible() {
        range.end
    } else {
        u64::MAX
    };
    let result = rdr.first(end, u64::MAX, |bytes| {
        searcher.feed(bytes, visitor).is_continue()
    });
    let _ = match result {
        Ok(_) => searcher.finish(visitor),
        Err(_) => searcher.break_off(visitor),
    };
    let result = result.and_then(|_| searcher.attachment_fault());
    result.map(|_| ())
}
