//! Recognises a container by the first bytes of the stream, never by a name.

use super::article::{is_anews, is_message, is_open, is_wire};
use super::gitcat::object_line;
use super::mbox::{Dialect, FromLine, header_follows};
use super::nntp::is_session;
use super::rnews::{batch_line, packing_line};
use super::split::LINE;

/// How many bytes of the beginning of a stream are looked at. What needs more
/// to be recognised is plain text.
pub const SNIFF: usize = 8192;

/// The UTF-8 byte order mark, which some tools put before everything.
pub(crate) const MARK: &[u8] = b"\xEF\xBB\xBF";

/// How the user says a file is to be read (`--as`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum As {
    /// By its content.
    #[default]
    Auto,
    /// Plain text.
    Text,
    /// As an mbox, whatever its first line is.
    Mbox,
    /// As one message.
    Message,
    /// As a news batch (compressed ones too).
    Rnews,
}

impl std::str::FromStr for As {
    type Err = UnknownAs;

    fn from_str(name: &str) -> Result<As, UnknownAs> {
        Ok(match name {
            "auto" => As::Auto,
            "text" => As::Text,
            "mbox" => As::Mbox,
            "message" => As::Message,
            "rnews" => As::Rnews,
            _ => return Err(UnknownAs),
        })
    }
}

/// The name given to `--as` is none of its names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownAs;

impl std::fmt::Display for UnknownAs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("expected auto, text, mbox, message or rnews")
    }
}

impl std::error::Error for UnknownAs {}

/// What a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Container {
    /// Plain text.
    Text,
    /// One message: `.eml`, MH, Maildir, a spool, B-news.
    Message,
    /// One article as it goes over the wire: CRLF, dots stuffed, a final dot.
    Wire,
    /// One message in Apple's format: a byte count, the message, a plist.
    Emlx,
    /// One article in the A-news format.
    ANews,
    /// Messages after `From ` lines.
    Mbox(Dialect),
    /// Articles after `#! rnews N` lines.
    Rnews,
    /// A line such as `#! cunbatch`, then compressed data.
    Packed(Packing),
    /// What a news server and its client said to each other.
    Session,
    /// The output of `git cat-file --batch`.
    GitCat,
}

impl Container {
    /// The name of the container, as output and tests write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Container::Text => "text",
            Container::Message => "message",
            Container::Wire => "wire",
            Container::Emlx => "emlx",
            Container::ANews => "a-news",
            Container::Mbox(Dialect::Dated) => "mbox",
            Container::Mbox(Dialect::Dots) => "mbox-dots",
            Container::Mbox(Dialect::Number) => "mbox-number",
            Container::Mbox(Dialect::Dash) => "mbox-dash",
            Container::Mbox(Dialect::Any) => "mbox-any",
            Container::Rnews => "rnews",
            Container::Packed(Packing::Compress) => "cunbatch",
            Container::Packed(Packing::Gzip) => "gunbatch",
            Container::Packed(Packing::Zlib) => "zunbatch",
            Container::Session => "nntp",
            Container::GitCat => "git-cat-file",
        }
    }

    /// True if the container can hold more than one message.
    #[must_use]
    pub const fn has_many(self) -> bool {
        matches!(
            self,
            Container::Mbox(_) | Container::Rnews | Container::Session | Container::GitCat
        )
    }
}

/// How a news batch is said to be compressed. What it really is, its first
/// bytes say: INN gives all of them to `gzip -d`, and senders mixed them up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Packing {
    /// `#! cunbatch`: compress(1), or gzip.
    Compress,
    /// `#! gunbatch`: gzip.
    Gzip,
    /// `#! zunbatch`: gzip, or zlib.
    Zlib,
}

/// What the stream is that begins with `head`: its first [`SNIFF`] bytes, or
/// all of it if `eof`.
///
/// # Complexity
///
/// Linear in `head`; a few passes.
#[must_use]
pub fn sniff(head: &[u8], eof: bool, hint: As) -> Container {
    let eof = eof && head.len() <= SNIFF;
    let head = &head[..head.len().min(SNIFF)];
    let head = head.strip_prefix(MARK).unwrap_or(head);
    match hint {
        As::Text => Container::Text,
        As::Mbox => Container::Mbox(mbox(head, eof).unwrap_or(Dialect::Any)),
        As::Rnews => packing_line(head).map_or(Container::Rnews, |(p, _)| Container::Packed(p)),
        As::Message => article(head, eof).unwrap_or(Container::Message),
        As::Auto => {
            if let Some(dialect) = mbox(head, eof) {
                Container::Mbox(dialect)
            } else if let Some((packing, _)) = packing_line(head) {
                Container::Packed(packing)
            } else if batch_line(head).is_some() {
                Container::Rnews
            } else if object_line(head).is_some() {
                Container::GitCat
            } else if is_session(head) {
                Container::Session
            } else {
                article(head, eof).unwrap_or(Container::Text)
            }
        }
    }
}

/// True if a stream that begins with `head`, of which more will come, is plain
/// text so far and may yet turn out to be mail: a header has begun in it. For
/// those who would not wait for [`SNIFF`] bytes.
///
/// ```
/// use urlgrep::mail::{As, is_undecided};
///
/// assert!(is_undecided(b"From: ann@example.org\nSubj", As::Auto));
/// assert!(!is_undecided(b"From: ann@example.org\nSubject: x\n", As::Auto));
/// assert!(!is_undecided(b"From: here\nto there\n", As::Auto));
/// ```
///
/// # Complexity
///
/// As of [`sniff()`].
#[must_use]
pub fn is_undecided(head: &[u8], hint: As) -> bool {
    hint == As::Auto
        && head.len() < SNIFF
        && sniff(head, false, hint) == Container::Text
        && is_open(head.strip_prefix(MARK).unwrap_or(head))
}

/// The dialect, if the first line is a `From ` line followed by a header line.
fn mbox(head: &[u8], eof: bool) -> Option<Dialect> {
    if !head.starts_with(b"From ") {
        return None;
    }
    let window = &head[..head.len().min(LINE)];
    let end = memchr::memchr(b'\n', window)? + 1;
    if header_follows(&head[end..], &mut 0, eof) != Some(true) {
        return None;
    }
    match FromLine::of(&head[..end]) {
        Some(line) => Some(line.dialect()),
        // `From someone` of a tool that gives no date: good enough before a
        // message, but "From the FAQ:" stands before anything.
        None => is_message(&head[end..]).then_some(Dialect::Any),
    }
}

/// The kind of article, if the whole stream is one.
fn article(head: &[u8], eof: bool) -> Option<Container> {
    if let Some((_, length)) = super::article::count_line(head)
        && is_message(&head[length..])
    {
        Some(Container::Emlx)
    } else if is_anews(head) {
        Some(Container::ANews)
    } else if !is_message(head) {
        None
    } else if is_wire(head, eof) {
        Some(Container::Wire)
    } else {
        Some(Container::Message)
    }
}
