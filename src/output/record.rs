//! The one row that every printer shares: a hit, and all that is known of
//! where it was.

use std::fmt;

use crate::extract::Hit;
use crate::mail::mime::{Date, Role};
use crate::search::{Find, Message};
use crate::span::{Seam, Span};

/// What the path of standard input is printed as.
pub const STDIN: &[u8] = b"<stdin>";

/// A hit and where it was. Borrowed: the caller fills one for each hit from
/// what it has at hand, and nothing is copied.
#[derive(Clone, Copy, Debug)]
pub struct Record<'a> {
    /// The file as it was named or walked, in raw bytes; a member of an
    /// archive is `archive.zip!member`. `None` is standard input, printed as
    /// [`STDIN`].
    pub path: Option<&'a [u8]>,
    /// Which way the file was read (`text`, `mbox`, `message` …); only
    /// `--explain` and `--format` show it.
    pub read_as: Option<&'a str>,
    /// The URL and what the extractor says of it.
    pub hit: &'a Hit,
    /// Where it stands in the file.
    pub place: Place<'a>,
    /// The message it stands in.
    pub message: Option<&'a MessageInfo<'a>>,
    /// The MIME part, as `1.2`; absent in a message of one part and in plain
    /// text.
    pub part: Option<&'a str>,
    /// The header field it stands in; absent in a body. The field's name is
    /// what the sender wrote, so it may hold any bytes.
    pub header: Option<&'a [u8]>,
    /// The name of its role: `body`, `quoted`, `signature` …
    pub role: Option<&'a str>,
    /// How deeply it is quoted, where the role is `quoted`.
    pub depth: Option<u32>,
}

impl<'a> Record<'a> {
    /// The record of a hit in a plain file, where the text that was scanned
    /// is the file itself.
    #[must_use]
    pub fn plain(path: Option<&'a [u8]>, hit: &'a Hit) -> Record<'a> {
        Record {
            path,
            read_as: None,
            hit,
            place: Place::plain(hit),
            message: None,
            part: None,
            header: None,
            role: None,
            depth: None,
        }
    }

    /// The record of what a searcher found; `message` is its message, from
    /// [`MessageInfo::from`].
    #[must_use]
    pub fn found(
        path: Option<&'a [u8]>,
        find: &Find<'a>,
        message: Option<&'a MessageInfo<'a>>,
    ) -> Record<'a> {
        Record {
            path,
            read_as: None,
            hit: find.hit,
            place: Place::found(find),
            message,
            part: find.part,
            header: find.header,
            role: find.role.map(Role::name),
            depth: match find.role {
                Some(Role::Quoted(depth)) => Some(u32::from(depth)),
                _ => None,
            },
        }
    }

    /// The path to print: [`STDIN`] where there is none.
    #[must_use]
    pub fn path_or_stdin(&self) -> &'a [u8] {
        self.path.unwrap_or(STDIN)
    }
}

/// Where a hit stands in its file.
///
/// Either its bytes stand in the file: then `offset`, `end`, `segments` and
/// `seams` say where, and `decoded` is absent. Or they do not (base64, a
/// re-encoded charset): then `decoded` is the extent in the decoded text of
/// the part, the hit's own [`segments`](Hit::segments) and
/// [`seams`](Hit::seams) count in that text, and the four others are empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Place<'a> {
    /// The line of the URL's first byte in the file: LF count before it, + 1.
    /// Where the URL is decoded, the line on which its part begins.
    pub line: Option<u64>,
    /// Bytes from the start of that line to the URL's first byte, + 1.
    pub column: Option<u64>,
    /// Offset of the URL's own first byte in the file.
    pub offset: Option<u64>,
    /// Offset of the byte after its last.
    pub end: Option<u64>,
    /// The bytes of the file that are copied into the URL, in order.
    pub segments: &'a [Span],
    /// What lies between the segments, in order. Together with them the seams
    /// cover `offset..end` without a gap.
    pub seams: &'a [Seam],
    /// The extent in the decoded text, if the file does not hold the bytes.
    pub decoded: Option<Span>,
}

impl<'a> Place<'a> {
    /// The place of a hit whose haystack is the file itself. The column is
    /// left out: only the caller knows where the line starts.
    #[must_use]
    pub fn plain(hit: &'a Hit) -> Place<'a> {
        Place::of(hit.line(), hit.segments(), hit.seams())
    }

    /// The place of what a searcher found, without its column.
    #[must_use]
    pub fn found(find: &Find<'a>) -> Place<'a> {
        match find.place {
            Some(place) => Place::of(find.line, place.segments, place.seams),
            None => Place {
                line: find.line,
                decoded: Some(extent(find.hit.segments(), find.hit.seams())),
                ..Place::default()
            },
        }
    }

    fn of(line: Option<u64>, segments: &'a [Span], seams: &'a [Seam]) -> Place<'a> {
        let span = extent(segments, seams);
        Place {
            line,
            column: None,
            offset: Some(span.start),
            end: Some(span.end),
            segments,
            seams,
            decoded: None,
        }
    }
}

/// From the first byte of all pieces to after the last one: a URL can begin or
/// end with a byte that stood encoded.
fn extent(segments: &[Span], seams: &[Seam]) -> Span {
    let first = [segments.first().copied(), seams.first().map(|s| s.span)];
    let last = [segments.last().copied(), seams.last().map(|s| s.span)];
    let start = first.iter().flatten().map(|s| s.start).min();
    let end = last.iter().flatten().map(|s| s.end).max();
    Span::new(start.unwrap_or(0), end.unwrap_or(0))
}

/// The message that a hit stands in. What its header does not hold is `None`.
/// Header text is decoded where it could be; it may still hold any bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct MessageInfo<'a> {
    /// Counted from 1 within the file.
    pub number: u64,
    /// Offset of its first byte, after the separator line.
    pub start: u64,
    /// Offset after its last byte; `None` if it is longer than was waited for.
    pub end: Option<u64>,
    /// Message-ID, with its angle brackets.
    pub id: Option<&'a [u8]>,
    /// Date as written; read by [`MessageInfo::date`], for few printers ask.
    pub date_text: Option<&'a [u8]>,
    /// From.
    pub from: Option<&'a [u8]>,
    /// Subject.
    pub subject: Option<&'a [u8]>,
    /// Newsgroups, as the field has them: with commas.
    pub newsgroups: Option<&'a [u8]>,
    /// List-Id.
    pub list: Option<&'a [u8]>,
}

impl MessageInfo<'_> {
    /// Date, where it can be read; it displays as ISO 8601 in UTC.
    #[must_use]
    pub fn date(&self) -> Option<Date> {
        self.date_text.and_then(Date::parse)
    }
}

impl<'a> From<&Message<'a>> for MessageInfo<'a> {
    fn from(message: &Message<'a>) -> MessageInfo<'a> {
        let info = message.info;
        let text = |text: &'a [u8]| (!text.is_empty()).then_some(text);
        MessageInfo {
            number: message.number,
            start: message.start,
            end: message.end,
            id: text(info.message_id()),
            date_text: text(info.date_text()),
            from: text(info.from()),
            subject: text(info.subject()),
            newsgroups: text(info.newsgroups()),
            list: text(info.list_id()),
        }
    }
}

/// A line that is printed because a hit is near (`-A`, `-B`, `-C`).
#[derive(Clone, Copy, Debug)]
pub struct ContextLine<'a> {
    /// Its number, counted from 1.
    pub line: Option<u64>,
    /// Offset of its first byte in the file.
    pub offset: Option<u64>,
    /// Its bytes, with or without the line break.
    pub bytes: &'a [u8],
}

/// A fault inside a message that was tolerated.
#[derive(Clone, Copy)]
pub struct NoteInfo<'a> {
    /// As [`Record::path`].
    pub path: Option<&'a [u8]>,
    /// Where in the file, if that is known.
    pub offset: Option<u64>,
    /// The number of the message.
    pub message: Option<u64>,
    /// The MIME part.
    pub part: Option<&'a str>,
    /// The name of its kind, in kebab-case.
    pub kind: &'a str,
    /// In a few words, for people.
    pub text: &'a dyn fmt::Display,
}
