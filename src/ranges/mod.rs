//! Searches byte ranges of large files. Any partition of a file into ranges
//! gives each record exactly once, with the offsets of the file.
//!
//! [`describe`] recognises the format of a file once. Then any number of
//! threads or machines [`search`] ranges of the file, each with its own
//! [`Searcher`]. A message belongs to the range that holds the start of its
//! separator line. Plain text is divided at places that no URL can span.
//!
//! ```
//! use urlgrep::ranges::{describe, search};
//! use urlgrep::search::{Match, Searcher};
//!
//! let one = "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nhttp://a.example/\n\n";
//! let mbox = one.repeat(3);
//! let (src, mut urls) = (mbox.as_bytes(), Vec::new());
//! let mut add = |found: &Match<'_>| {
//!     urls.push(found.hit.to_string());
//!     true
//! };
//! let description = describe(src)?;
//! let mut searcher = Searcher::default();
//! for range in [0..70, 70..100, 100..src.len() as u64] {
//!     search(src, &description, range, &mut searcher, &mut add)?;
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
//! A search reads a range from about 25 KiB before its first byte. It reads on
//! to the end of the range's last message, or to the first place after the
//! range where plain text can be cut. Finding these places takes some KiB more
//! at either end. If there is no such place, it reads all bytes.
//!
//! If there is a place to cut in every 64 KiB, all ranges of a file together
//! read at most 1.05 times its size, plus 128 KiB per range. Bytes of a longer
//! message are read at most three times: to search the message, to find its
//! end, and to see that no message begins in the ranges that it covers.
//!
//! [`Match::line`]: crate::search::Match::line
//! [`Message::number`]: crate::search::Message::number

pub(crate) mod first;
pub(crate) mod read;

use std::io::{self, Read};
use std::ops::Range;

use crate::mail::{Container, Position, ReadAs, SNIFF, sniff};
use crate::search::{Searcher, Visitor};
use first::CutRule;
use read::{Reading, fill};

pub use read::ReadAt;

/// Bytes read at a time.
const BLOCK: usize = 32 << 10;

/// The format of a source. It is small, and is the same for all ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Description {
    /// The container.
    pub container: Container,
    /// Its size in bytes, if known.
    pub size: Option<u64>,
}

impl Description {
    /// False if the whole source belongs to the range that holds its first
    /// byte. This applies to single messages, news batches and sessions.
    #[must_use]
    pub fn is_divisible(&self) -> bool {
        !matches!(CutRule::of(self.container), CutRule::Nowhere)
    }
}

/// Recognises a source by its first 8 KiB.
///
/// Compressed files, archives and UTF-16 are not recognised. They are described
/// as text. A search finds nothing in compressed data and in UTF-16. It reads an
/// archive without compression as one text. `unpack::sniff` (feature `unpack`)
/// recognises packed data.
///
/// # Errors
///
/// Read errors of the source.
pub fn describe(src: &(impl ReadAt + ?Sized)) -> io::Result<Description> {
    describe_as(src, ReadAs::Auto)
}

/// As [`describe`], if the caller may know that the source is mail or text.
///
/// # Errors
///
/// Read errors of the source.
pub fn describe_as(src: &(impl ReadAt + ?Sized), read_as: ReadAs) -> io::Result<Description> {
    let mut head = vec![0; SNIFF];
    let (len, result) = fill(src, &mut head, 0);
    result?;
    Ok(Description {
        container: sniff(&head[..len], len < SNIFF, read_as),
        size: src.size()?,
    })
}

/// Reports the hits of a range of `src` to `visitor`. Offsets are those of the
/// source. The range may end after the source. An empty range has no hits.
///
/// The bytes are not unpacked or converted. The caller must unpack a compressed
/// source, and convert UTF-16.
///
/// # Errors
///
/// Read errors of the source. Hits before the error have been reported. The
/// search ends as in [`Searcher::break_off`].
pub fn search<S, V>(
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
    let Description { container, size } = *description;
    let place = CutRule::of(container);
    let mut buffer = Vec::new();
    let Some(start) = place.first(src, range.start, range.end, &mut buffer)? else {
        return Ok(());
    };
    let start_at = if start == 0 {
        Position::START
    } else {
        Position {
            offset: start,
            line: 0,
            number: 0,
        }
    };
    searcher.begin(container, start_at);
    let inner = match place {
        CutRule::Nowhere => u64::MAX,
        _ => range.end,
    };
    let result = feed(src, start..inner, size, searcher, visitor, &mut buffer).and_then(|more| {
        if !more || inner == u64::MAX {
            return Ok(());
        }
        let end = place.first(src, inner, u64::MAX, &mut buffer)?;
        let rest = inner..end.unwrap_or(u64::MAX);
        feed(src, rest, size, searcher, visitor, &mut buffer).map(|_| ())
    });
    match result {
        Ok(()) => searcher.finish(visitor),
        Err(_) => searcher.break_off(visitor),
    };
    result
}

/// Feeds bytes of `src` to the searcher. Returns false at the end of `src`, or
/// if the visitor stops.
fn feed<S, V>(
    src: &S,
    range: Range<u64>,
    size: Option<u64>,
    searcher: &mut Searcher,
    visitor: &mut V,
    buffer: &mut Vec<u8>,
) -> io::Result<bool>
where
    S: ReadAt + ?Sized,
    V: Visitor,
{
    buffer.resize(buffer.len().max(BLOCK), 0);
    let mut left = range.end - range.start.min(range.end);
    let mut rdr = Reading::new(src, range.start, range.end, size);
    while left > 0 {
        let n = rdr.read(&mut buffer[..BLOCK])?;
        if n == 0 || !searcher.feed(&buffer[..n], visitor) {
            return Ok(false);
        }
        left -= n as u64;
    }
    Ok(true)
}
