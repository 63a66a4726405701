//! Recognises a container by the first bytes of the stream. The file name does
//! not matter.

use super::article::{is_anews, is_calendar, is_emlx, is_html, is_html_part, is_xml};
use super::beginning::{Beginning, SNIFF, SNIFF_MAX, has_cr_lines, with_line_feeds};
use super::events::Packing;
use super::gitcat::object_head;
use super::json::is_json;
use super::lines::{Answer, LINE};
use super::mbox::{
    Dialect, FROM, Follows, FromLine, Met, Preface, Seen, preface, separator_after_header,
};
use super::nntp::is_session;
use super::rnews::{batch_head, packing_head};
use super::warc::is_warc;
use urlgrep_base::named;

/// The UTF-8 byte order mark, which some tools put before any file.
pub const MARK: &[u8] = b"\xEF\xBB\xBF";

named! {
    /// The format that the user requests for a file (`--as`).
    #[derive(Default)]
    pub enum ReadAs {
        /// The format is recognised by the content.
        #[default]
        Auto => "auto",
        /// Plain text.
        Text => "text",
        /// An mbox, regardless of its first line.
        Mbox => "mbox",
        /// One message.
        Message => "message",
        /// A news batch, which may be compressed.
        Rnews => "rnews",
        /// A page of HTML.
        Html => "html",
        /// JSON, or JSON Lines.
        Json => "json",
        /// A table of CSV or TSV.
        Csv => "csv",
    }
}

/// The format of a stream that contains messages or text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Container {
    /// Plain text.
    Text,
    /// One message: `.eml`, MH, Maildir, a spool, B-news.
    Message,
    /// One article in the form in which NNTP sends it: CRLF, stuffed dots, a
    /// final dot.
    Wire,
    /// One message in Apple's format: a byte count, the message, a property
    /// list.
    Emlx,
    /// One article in the A-news format.
    ANews,
    /// Messages with a `From ` line before each.
    Mbox(Dialect),
    /// An mbox whose lines end with CR alone, as classic Mac OS wrote it.
    CrMbox,
    /// Articles with a `#! rnews N` line before each.
    Rnews,
    /// A line such as `#! cunbatch`, and compressed data after it.
    Packed(Packing),
    /// A captured session of a news server and its client.
    Session,
    /// The output of `git cat-file --batch`.
    GitCat,
    /// Records of a web archive: WARC, WET, WAT.
    Warc,
    /// A page of HTML: one message without a header.
    Html,
    /// A calendar (`.ics`) or vCards (`.vcf`): one message without a header.
    Calendar,
    /// XML, such as SVG, RSS and Atom: one message without a header.
    Xml,
    /// JSON, or JSON Lines: one message without a header.
    Json,
    /// A table of CSV or TSV: one message without a header. Only the name of a file tells it from
    /// text.
    Csv,
}

impl Container {
    /// The names of all containers.
    pub const NAMES: [(Container, &str); 23] = [
        (Container::Text, "text"),
        (Container::Message, "message"),
        (Container::Wire, "wire"),
        (Container::Emlx, "emlx"),
        (Container::ANews, "a-news"),
        (Container::Mbox(Dialect::Dated), "mbox"),
        (Container::Mbox(Dialect::Dots), "mbox-dots"),
        (Container::Mbox(Dialect::Number), "mbox-number"),
        (Container::Mbox(Dialect::Dash), "mbox-dash"),
        (Container::Mbox(Dialect::Any), "mbox-any"),
        (Container::CrMbox, "mbox-cr"),
        (Container::Rnews, "rnews"),
        (Container::Packed(Packing::Compress), "cunbatch"),
        (Container::Packed(Packing::Gzip), "gunbatch"),
        (Container::Packed(Packing::Zlib), "zunbatch"),
        (Container::Session, "nntp"),
        (Container::GitCat, "git-cat-file"),
        (Container::Warc, "warc"),
        (Container::Html, "html"),
        (Container::Calendar, "calendar"),
        (Container::Xml, "xml"),
        (Container::Json, "json"),
        (Container::Csv, "csv"),
    ];

    /// The container of a file of this name that was recognised as this one. Text is a table if
    /// its name ends in `.csv` or `.tsv`, before the ending of a compressed file.
    #[doc(hidden)]
    #[must_use]
    pub fn named(self, name: &[u8]) -> Container {
        if self == Container::Text && is_table(name) {
            Container::Csv
        } else {
            self
        }
    }

    /// The name of the container in output and tests.
    #[must_use]
    pub fn name(self) -> &'static str {
        let row = Container::NAMES.iter().find(|row| row.0 == self);
        row.map_or("", |row| row.1)
    }

    /// True if a reader may divide the container between its messages, because it can have
    /// more than one, and their lines end as those of other texts.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_divisible(self) -> bool {
        matches!(
            self,
            Container::Mbox(_)
                | Container::Rnews
                | Container::Session
                | Container::GitCat
                | Container::Warc
        )
    }
}

/// Recognises a stream by its first bytes. These are the whole stream if `eof`.
/// Otherwise they must be enough: [`SNIFF`] bytes, and more as long as the stream
/// [is undecided](is_undecided).
///
/// # Complexity
///
/// Linear in `head`, in a few passes.
#[must_use]
pub fn sniff(head: &[u8], eof: bool, hint: ReadAs) -> Container {
    recognise(head, eof, hint).container
}

/// True if more bytes after `head` may change the result of [`sniff()`]. Then the
/// result does not depend on how the bytes arrive. A reader that does not wait for
/// [`SNIFF`] bytes can stop as soon as it is false. A reader that has them reads
/// more, and should double their number each time. It is false for [`SNIFF_MAX`]
/// bytes.
///
/// Text with a URL is decided, unless the URL is in a possible header.
///
/// ```
/// use urlgrep_containers::{ReadAs, is_undecided};
///
/// assert!(is_undecided(b"From: ann@example.org\nSubj", ReadAs::Auto));
/// assert!(is_undecided(b"200 news.example.org ready\r\n", ReadAs::Auto));
/// // A separator of an mbox may follow in the first bytes of the body.
/// assert!(is_undecided(b"From: ann@example.org\nSubject: x\n", ReadAs::Auto));
/// assert!(!is_undecided(b"See http://there.example/ for more\n", ReadAs::Auto));
/// ```
///
/// # Complexity
///
/// The same as of [`sniff()`].
#[must_use]
pub fn is_undecided(head: &[u8], hint: ReadAs) -> bool {
    recognise(head, false, hint).is_open
}

/// True if `name` ends in `.csv` or `.tsv`, and perhaps in that of a compressed file.
#[must_use]
pub fn is_table(name: &[u8]) -> bool {
    let ends = |name: &[u8], end: &str| {
        let start = name.len().checked_sub(end.len());
        start.is_some_and(|at| name[at..].eq_ignore_ascii_case(end.as_bytes()))
    };
    let packed = [".gz", ".xz", ".zst", ".bz2", ".Z"];
    let packing = packed.iter().find(|end| ends(name, end));
    let name = &name[..name.len() - packing.map_or(0, |end| end.len())];
    ends(name, ".csv") || ends(name, ".tsv")
}

/// The container of a stream, as far as its start shows it.
struct Recognised {
    container: Container,
    /// More bytes may change the container.
    is_open: bool,
}

/// Recognises a stream whose lines may end with CR alone.
fn recognise(head: &[u8], eof: bool, hint: ReadAs) -> Recognised {
    let full = eof || head.len() >= SNIFF_MAX;
    let eof = eof && head.len() < SNIFF_MAX;
    let head = &head[..head.len().min(SNIFF_MAX)];
    let may_be_mark = head.len() < MARK.len() && MARK.starts_with(head);
    let head = head.strip_prefix(MARK).unwrap_or(head);
    let mut found = by_lines(head, full, eof, hint);
    let has_cr = match hint {
        ReadAs::Text | ReadAs::Html | ReadAs::Json | ReadAs::Csv | ReadAs::Rnews => Some(false),
        ReadAs::Auto | ReadAs::Mbox | ReadAs::Message => has_cr_lines(head, full),
    };
    if has_cr != Some(false) && memchr::memchr(b'\r', head).is_some() {
        let with_feeds = by_lines(&with_line_feeds(head), full, eof, hint);
        // A line feed may follow, and then the lines are others.
        let is_open = has_cr.is_none() || with_feeds.is_open;
        match with_feeds.container {
            Container::Mbox(_) => found.container = Container::CrMbox,
            Container::Message => found.container = Container::Message,
            // The other formats are read as they stand.
            _ => {}
        }
        found.is_open = match with_feeds.container {
            Container::Mbox(_) | Container::Message => is_open,
            _ => found.is_open || with_feeds.is_open,
        };
    }
    // The first line of an mbox says how its lines end.
    found.is_open |= may_be_mark || hint == ReadAs::Mbox && has_cr.is_none();
    found.is_open &= !full
        && !matches!(
            hint,
            ReadAs::Text | ReadAs::Html | ReadAs::Json | ReadAs::Csv
        );
    found
}

/// Tries the formats one after the other. The first `Yes` decides.
fn by_lines(head: &[u8], full: bool, eof: bool, hint: ReadAs) -> Recognised {
    let mut is_open = false;
    let (near, whole) = near(head, full);
    let mut ask = |answer: Answer<Container>| match answer {
        Answer::Yes(container) => Some(container),
        Answer::No => None,
        Answer::More => {
            is_open = true;
            None
        }
    };
    let packing = || Answer::of(packing_head(near, whole)).map(Container::Packed);
    let mixes = hint == ReadAs::Auto;
    let (found, otherwise) = match hint {
        ReadAs::Text => (None, Container::Text),
        ReadAs::Html => (None, Container::Html),
        ReadAs::Json => (None, Container::Json),
        ReadAs::Csv => (None, Container::Csv),
        ReadAs::Mbox => (ask(mbox(head, whole, full)), Container::Mbox(Dialect::Any)),
        ReadAs::Rnews => (ask(packing()), Container::Rnews),
        ReadAs::Message => {
            let found = article(head, full, eof, mixes, &mut ask);
            (found, Container::Message)
        }
        ReadAs::Auto => {
            let found = ask(mbox(head, whole, full))
                .or_else(|| ask(packing()))
                .or_else(|| ask(Answer::of(batch_head(near, whole)).map(|_| Container::Rnews)))
                .or_else(|| ask(Answer::of(object_head(near, whole)).map(|_| Container::GitCat)))
                .or_else(|| ask(is_warc(near, whole).map(|()| Container::Warc)))
                .or_else(|| ask(is_session(near, whole).map(|()| Container::Session)))
                .or_else(|| ask(is_html(near, whole).map(|()| Container::Html)))
                .or_else(|| ask(is_xml(near, whole).map(|()| Container::Xml)))
                .or_else(|| ask(is_calendar(near, whole).map(|()| Container::Calendar)))
                .or_else(|| ask(is_json(near, whole).map(|()| Container::Json)))
                .or_else(|| article(head, full, eof, mixes, &mut ask))
                .or_else(|| {
                    ask(match preface(Dialect::Dated, near, whole) {
                        Preface::Before(_, FromLine::Dated) => {
                            Answer::Yes(Container::Mbox(Dialect::Dated))
                        }
                        Preface::Open => Answer::unless(whole),
                        Preface::Before(..) | Preface::No => Answer::No,
                    })
                })
                .or_else(|| ask(is_html_part(near, whole).map(|()| Container::Html)));
            (found, Container::Text)
        }
    };
    Recognised {
        container: found.unwrap_or(otherwise),
        is_open,
    }
}

/// The bytes by which all formats but single messages are recognised, and whether
/// no following byte matters to them.
fn near(head: &[u8], full: bool) -> (&[u8], bool) {
    let near = &head[..head.len().min(SNIFF)];
    (near, full || near.len() == SNIFF)
}

/// Whether the first line is a `From ` line followed by a header line.
fn mbox(head: &[u8], whole: bool, full: bool) -> Answer<Container> {
    if !head.starts_with(FROM) {
        return Answer::unless(whole || !FROM.starts_with(head));
    }
    let window = &head[..head.len().min(LINE)];
    let Some(end) = memchr::memchr(b'\n', window) else {
        return Answer::unless(whole || window.len() == LINE);
    };
    let (line, rest) = head.split_at(end + 1);
    let dialect = match Follows::AnyField.are_met_by(rest, &mut Seen::default(), full) {
        None => Answer::More,
        Some(Met::No) => Answer::No,
        Some(Met::After(_)) => match FromLine::of(line) {
            Some(line) => Answer::Yes(line.dialect()),
            // A tool wrote `From someone` without a date. Before a message this
            // is enough, but any text may begin with "From the FAQ:".
            None => Beginning::of(rest, full, false)
                .is_bare_message()
                .map(|()| Dialect::Any),
        },
    };
    dialect.map(Container::Mbox)
}

/// The kind of article, if the whole stream is one article. If `mixes`, an mbox
/// whose first message has no separator is recognised too.
fn article(
    head: &[u8],
    full: bool,
    eof: bool,
    mixes: bool,
    mut ask: impl FnMut(Answer<Container>) -> Option<Container>,
) -> Option<Container> {
    let (near, whole) = near(head, full);
    ask(is_emlx(head, full).map(|()| Container::Emlx))
        .or_else(|| ask(is_anews(near, whole).map(|()| Container::ANews)))
        .or_else(|| {
            let start = Beginning::of(head, full, eof);
            let message = ask(start.is_message().map(|()| Container::Message))?;
            ask(start.is_wire().map(|()| Container::Wire))
                .or_else(|| {
                    let dialect = || separator_after_header(start.head, start.whole);
                    mixes
                        .then(dialect)
                        .and_then(|it| ask(it.map(Container::Mbox)))
                })
                .or(Some(message))
        })
}
