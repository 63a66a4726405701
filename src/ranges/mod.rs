//! Byte ranges of large files: searches a part of a file so that any partition
//! of it gives each record once, with the offsets of the file.
//!
//! [`describe`] finds once what a file is. Then any number of threads or
//! machines [`search`] ranges of it, each with a [`Searcher`] of its own. A
//! message belongs to the range in which its separator line begins. Plain text
//! belongs to ranges between places that no URL can span.
//!
//! ```
//! use urlgrep::ranges::{describe, search};
//! use urlgrep::search::{Match, Searcher, Visitor};
//!
//! struct Urls(Vec<String>);
//!
//! impl Visitor for Urls {
//!     fn hit(&mut self, found: &Match<'_>) -> bool {
//!         self.0.push(String::from_utf8_lossy(found.hit.url()).into_owned());
//!         true
//!     }
//! }
//!
//! let one = "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nhttp://a.example/\n\n";
//! let mbox = one.repeat(3);
//! let (src, mut urls) = (mbox.as_bytes(), Urls(Vec::new()));
//! let description = describe(src)?;
//! let mut searcher = Searcher::default();
//! for range in [0..70, 70..100, 100..src.len() as u64] {
//!     search(src, &description, range, &mut searcher, &mut urls)?;
//! }
//! assert_eq!(urls.0, ["http://a.example/"; 3]);
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # What depends on the range
//!
//! In a range that does not begin at 0 lines are not known ([`Match::line`]),
//! and messages have no number ([`Message::number`]): the start of a message
//! names it.
//!
//! A file that cannot be cut belongs to the range with its first byte:
//! [`Description::is_divisible`] tells.
//!
//! # Complexity
//!
//! A range is read from about 25 KiB before its first byte to the end of its
//! last message, or to the first place after it where plain text can be cut.
//! To find these places takes some KiB more at either end, or as many bytes as
//! there are without such a place. So the ranges of a file read together at most
//! 1.05 times its bytes and 128 KiB a range, where a place to cut comes every 64 KiB.
//! Bytes of a longer message or text are read at most three times: to search
//! it, to find its end, and to find that no message begins in the ranges over it.
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

/// How many bytes are read at a time.
const BLOCK: usize = 32 << 10;

/// What a source is, as its first bytes say. Small, and the same for all ranges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "record", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Description {
    /// How its bytes are read.
    pub container: Container,
    /// How many bytes it has, if that is known.
    pub size: Option<u64>,
}

impl Description {
    /// False if the source belongs to one range as a whole: to the one with its
    /// first byte. Such are single messages, news batches, sessions, and
    /// everything compressed.
    #[must_use]
    pub fn is_divisible(&self) -> bool {
        !matches!(CutRule::of(self.container), CutRule::Nowhere)
    }
}

/// Finds what a source is. Reads its first 8 KiB.
///
/// # Errors
///
/// What the source returns.
pub fn describe(src: &(impl ReadAt + ?Sized)) -> io::Result<Description> {
    describe_as(src, ReadAs::Auto)
}

/// As [`describe`], for a source that may be known to be mail, or text.
///
/// # Errors
///
/// As there.
pub fn describe_as(src: &(impl ReadAt + ?Sized), read_as: ReadAs) -> io::Result<Description> {
    let mut head = vec![0; SNIFF];
    let (len, result) = fill(src, &mut head, 0);
    result?;
    Ok(Description {
        container: sniff(&head[..len], len < SNIFF, read_as),
        size: src.size()?,
    })
}

/// Gives the hits of a range of `src` to `visitor`. Offsets are those of the
/// source.
///
/// The bytes are searched as they are: a compressed file, or text in UTF-16,
/// must be unpacked before.
///
/// # Errors
///
/// What the source returns. The hits before the error were given; the search
/// ends as [`Searcher::break_off`] says.
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
/// if the visitor wants no more.
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
