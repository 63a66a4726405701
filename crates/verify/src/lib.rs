//! Checks a row of JSON against the bytes of its source. `urlgrep --verify` is its user.
//!
//! A check that shares code with the search would repeat its mistakes. So the row is read by
//! `urlgrep-rows`, but the values that a key may have (forms, roles, cautions) are listed here
//! once more, and the rules for seams are its own. A *seam* is a place in the source where bytes
//! were removed from the URL or decoded, such as a line break; a *segment* was copied. The check
//! goes through both in the order of the source, and confirms the following:
//!
//! * Segments and seams cover `offset` to `end` without gap or overlap.
//! * The bytes of each seam are right for its kind. The seam is at the stated
//!   place in the URL, and has the stated number of bytes there.
//! * The segments, and the bytes that seams become, make up `url`.
//! * `line` and `column` are those of `offset`. `message_start` is the start of
//!   a line, and the message contains the URL.
//! * `scheme`, `host`, `port` and `components` are those of `url`. `rule_at` is
//!   an offset in it. Each name is a name of the schema.
//!
//! A URL in an attached file has no bytes in the source. Its message is searched again, by the
//! search itself, and must have the URL at the same place in the same part and member.
//!
//! The bytes of the URL cannot confirm everything. These keys are not checked: `form`, `doubt`,
//! `alternates`, `continues`, `glued`, the cautions `user`, `low-port` and `text-differs`, `role`,
//! `canonical`, `clean`, `domain`, `surt`, `uri`, `hops`, `unwrapped`, `host_meaning`,
//! `corroborated`, `depth`, `read_as` and the header texts. If two kinds of seam can remove the
//! same bytes (`line-break` and `fold`), either kind is accepted.
//!
//! ```
//! use std::io::Cursor;
//! use urlgrep_verify::{Claim, Replay};
//! use urlgrep::rows::{Record, json};
//! use urlgrep::{Extractor, Profile};
//!
//! let text = b"under <URL:ftp://info.cern.ch/pub/www/doc;\n   type=d> but";
//! let hit = Extractor::new(Profile::Rfc1738).find_iter(text).next().unwrap();
//! let mut json = Vec::new();
//! json::Writer::new().write(&Record::plain(None, &hit), &mut json);
//!
//! let claim = Claim::read(&json).unwrap().unwrap();
//! let mut replay = Replay::new(Cursor::new(text));
//! assert!(replay.check(&claim).is_ok());
//! let mut other = Replay::new(Cursor::new(b"something else"));
//! assert!(other.check(&claim).is_err());
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod attached;
mod claim;
mod entity;
mod lines;
mod program;
mod seam;
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};

pub use claim::Claim;
use lines::LineCounter;

use claim::Stated;
use urlgrep_base::span::Span;
use urlgrep_rows::record::OwnedSeam;

/// The maximum number of source bytes in one seam. No reader would recognise a
/// URL with a larger gap.
const SEAM_MAX: u64 = 1 << 20;

/// Why a record was not confirmed.
#[derive(Debug)]
pub enum VerifyError {
    /// The source could not be read.
    Io(io::Error),
    /// The record, or its claim about the source, is wrong.
    Differs {
        /// The offset in the source at which the difference is visible, if any.
        at: Option<u64>,
        /// A description. Bytes of the record and of the source are escaped in
        /// it.
        what: String,
    },
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Io(error) => error.fmt(f),
            VerifyError::Differs { at: None, what } => f.write_str(what),
            VerifyError::Differs { at: Some(at), what } => write!(f, "byte {at}: {what}"),
        }
    }
}

impl std::error::Error for VerifyError {}

impl From<io::Error> for VerifyError {
    fn from(error: io::Error) -> VerifyError {
        VerifyError::Io(error)
    }
}

/// A difference without an offset in the source.
fn differs(what: impl Into<String>) -> VerifyError {
    VerifyError::Differs {
        at: None,
        what: what.into(),
    }
}

fn differs_at(at: u64, what: impl Into<String>) -> VerifyError {
    VerifyError::Differs {
        at: Some(at),
        what: what.into(),
    }
}

/// The minimum length of a message whose end may be missing in the record.
const LONG_MESSAGE: u64 = 64 * 1024;

/// At most 60 bytes in a form for people.
fn show(bytes: &[u8]) -> String {
    let mut out = Vec::new();
    urlgrep_base::escape::field(&bytes[..bytes.len().min(60)], &mut out);
    let dots = if bytes.len() > 60 { "..." } else { "" };
    format!("`{}`{dots}", String::from_utf8_lossy(&out))
}

/// The extent to which a record was confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The URL was rebuilt from the source, or found again in an attachment.
    Replayed,
    /// The record is consistent, but its URL is in decoded text.
    /// [`Claim::check_decoded`] can confirm it.
    Decoded,
}

/// A segment or a seam of the extent.
#[derive(Clone, Copy)]
struct Tile<'r> {
    start: u64,
    end: u64,
    /// `None` is a segment.
    seam: Option<&'r OwnedSeam>,
}

impl Tile<'_> {
    fn kind(&self) -> Option<&str> {
        self.seam.map(|seam| &*seam.kind)
    }
}

/// Confirms the records of one source. It remembers up to which offset it has
/// counted lines. So records in source order need one pass.
#[derive(Debug)]
pub struct Replay<R> {
    source: R,
    lines: LineCounter,
    attached: attached::Attached,
}

impl<R: Read + Seek> Replay<R> {
    /// Checks records against `source`, which is a file, or a member of an
    /// archive in memory.
    pub fn new(source: R) -> Replay<R> {
        Replay {
            source,
            lines: LineCounter::default(),
            attached: attached::Attached::default(),
        }
    }

    /// Checks one record.
    ///
    /// # Errors
    ///
    /// The difference, or a read error.
    pub fn check(&mut self, claim: &Claim) -> Result<Checked, VerifyError> {
        let row = &claim.row;
        claim.check_without_source()?;
        let Some((offset, end)) = row.extent()? else {
            return self.attached.check(claim, &mut self.source);
        };
        let segments = row.segments.as_deref().unwrap_or_default();
        let seams = row.seams.as_deref().unwrap_or_default();
        self.replay(claim, (offset, end), segments, seams)?;
        if let Some(line) = row.line {
            let in_message = row.message_start.is_some();
            let (found, start) = self.lines.at(&mut self.source, offset, in_message)?;
            if found != line {
                let what = format!("the line is {found}, not {line}");
                return Err(differs_at(offset, what));
            }
            if let Some(column) = row.column {
                let found = offset - start + 1;
                if found != column {
                    let what = format!("the column is {found}, not {column}");
                    return Err(differs_at(offset, what));
                }
            }
        }
        if let Some(start) = row.message_start {
            let its_end = row.message_end;
            if start > offset || its_end.is_some_and(|its| its < end) {
                return Err(differs_at(offset, "the message does not contain the URL"));
            }
            let size = self.source.seek(SeekFrom::End(0))?;
            match its_end {
                Some(end) if end > size => {
                    return Err(differs_at(end, "the source ends before the message"));
                }
                // The schema allows a missing end only in longer messages.
                None if size - start.min(size) <= LONG_MESSAGE => {
                    return Err(differs_at(start, "the message has no end"));
                }
                _ => {}
            }
            // A byte order mark before the first message is not part of the
            // message.
            let before = self.read(start.saturating_sub(3), start)?;
            if !matches!(&before[..], [] | [.., b'\n' | b'\r'] | b"\xEF\xBB\xBF") {
                return Err(differs_at(start, "no line feed before the message"));
            }
        }
        Ok(Checked::Replayed)
    }

    fn replay(
        &mut self,
        claim: &Claim,
        (offset, end): (u64, u64),
        segments: &[Span],
        seams: &[OwnedSeam],
    ) -> Result<(), VerifyError> {
        let (row, url) = (&claim.row, claim.source_url());
        let pieces = tile(offset, end, segments, seams)?;
        let mut at = 0_usize;
        for (i, piece) in pieces.iter().enumerate() {
            let Tile { start, end, seam } = *piece;
            match seam {
                None => {
                    // A segment longer than the rest of the URL need not be
                    // read.
                    let length = usize::try_from(end - start).unwrap_or(usize::MAX);
                    let Some(expected) =
                        at.checked_add(length).and_then(|after| url.get(at..after))
                    else {
                        return Err(differs_at(
                            start,
                            "a segment is longer than the rest of the URL",
                        ));
                    };
                    let found = self.read(start, end)?;
                    same(start, &found, expected)?;
                    at += length;
                }
                Some(seam) => {
                    if seam.at != at as u64 {
                        let what = format!("{} at {} of the URL is at {at}", seam.kind, seam.at);
                        return Err(differs_at(seam.start, what));
                    }
                    let text =
                        self.undo((row, url, &url[at.min(url.len())..]), &pieces, i, seam)?;
                    if text.len() as u64 != seam.len {
                        let what = format!(
                            "{} becomes {} bytes, not {}",
                            seam.kind,
                            text.len(),
                            seam.len
                        );
                        return Err(differs_at(seam.start, what));
                    }
                    let expected = &url[at..url.len().min(at + text.len())];
                    same(seam.start, &text, expected)?;
                    at += text.len();
                }
            }
        }
        if at != url.len() {
            let what = format!("the URL ends in {}, the source does not", show(&url[at..]));
            return Err(differs_at(end, what));
        }
        Ok(())
    }

    /// The bytes that the seam with index `i` has in the URL.
    fn undo(
        &mut self,
        (row, url, rest): (&Stated, &[u8], &[u8]),
        pieces: &[Tile<'_>],
        i: usize,
        seam: &OwnedSeam,
    ) -> Result<Vec<u8>, VerifyError> {
        if seam.end - seam.start > SEAM_MAX {
            return Err(differs_at(seam.start, format!("{} is too long", seam.kind)));
        }
        let bytes = self.read(seam.start, seam.end)?;
        let before = match seam.start.checked_sub(1) {
            Some(start) => self.read(start, seam.start)?.first().copied(),
            None => None,
        };
        let after = self.read_up_to(seam.end, 8)?;
        let beside = seam::Beside {
            before,
            after: &after,
            piece_before: i.checked_sub(1).and_then(|i| pieces[i].kind()),
            piece_after: pieces.get(i + 1).and_then(Tile::kind),
            within: row.within(),
            url,
            rest,
        };
        match seam::undo(&seam.kind, &bytes, &beside) {
            Ok(text) => Ok(text),
            Err(why) => {
                let what = format!("{} over {}: {why}", seam.kind, show(&bytes));
                Err(differs_at(seam.start, what))
            }
        }
    }

    /// The source bytes `start..end`. An error if some of them are missing.
    fn read(&mut self, start: u64, end: u64) -> Result<Vec<u8>, VerifyError> {
        let bytes = self.read_up_to(start, end - start)?;
        if (bytes.len() as u64) < end - start {
            let at = start + bytes.len() as u64;
            return Err(differs_at(at, "the source ends here"));
        }
        Ok(bytes)
    }

    /// The source bytes from `start` on, at most `limit` of them.
    fn read_up_to(&mut self, start: u64, limit: u64) -> Result<Vec<u8>, VerifyError> {
        let mut bytes = Vec::new();
        self.source.seek(SeekFrom::Start(start))?;
        (&mut self.source).take(limit).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Claim {
    /// Checks a record whose URL is in decoded text against that text.
    ///
    /// # Errors
    ///
    /// The difference.
    pub fn check_decoded(&self, text: &[u8]) -> Result<(), VerifyError> {
        self.check_without_source()?;
        let Some(decoded) = &self.row.decoded else {
            return Err(differs("the record has no place in decoded text"));
        };
        Replay::new(io::Cursor::new(text)).replay(
            self,
            (decoded.start, decoded.end),
            &decoded.segments,
            &decoded.seams,
        )
    }
}

/// Segments and seams as one list. It must cover `offset..end`.
fn tile<'r>(
    offset: u64,
    end: u64,
    segments: &[Span],
    seams: &'r [OwnedSeam],
) -> Result<Vec<Tile<'r>>, VerifyError> {
    let ordered = segments.is_sorted_by(|a, b| a.end <= b.start)
        && seams.is_sorted_by(|a, b| a.end <= b.start);
    if !ordered {
        return Err(differs("segments or seams are not in order"));
    }
    let tile = |start, end, seam| Tile { start, end, seam };
    let segments = segments.iter().map(|span| tile(span.start, span.end, None));
    let seams = seams
        .iter()
        .map(|seam| tile(seam.start, seam.end, Some(seam)));
    let mut pieces: Vec<_> = segments.chain(seams).collect();
    pieces.sort_by_key(|piece| piece.start);
    let mut at = offset;
    if pieces.is_empty() {
        return Err(differs_at(offset, "there are no pieces"));
    }
    for piece in &pieces {
        let Tile { start, end, .. } = *piece;
        if start != at || end <= at {
            let what = format!("the piece {start} to {end} does not follow");
            return Err(differs_at(at, what));
        }
        at = end;
    }
    if at != end {
        return Err(differs_at(at, format!("the pieces end here, not at {end}")));
    }
    Ok(pieces)
}

/// Compares source bytes at `start` with bytes of the URL.
fn same(start: u64, found: &[u8], expected: &[u8]) -> Result<(), VerifyError> {
    if found == expected {
        return Ok(());
    }
    let at = found
        .iter()
        .zip(expected)
        .take_while(|(a, b)| a == b)
        .count();
    let what = format!(
        "the source has {}, the URL {}",
        show(&found[at..]),
        show(&expected[at..])
    );
    Err(differs_at(start + at as u64, what))
}
