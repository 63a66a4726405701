//! Web archives: WARC ([ISO 28500], version 1.1), and WET and WAT, which are WARC with other
//! records.
//!
//! > A WARC format file is the simple concatenation of one or more WARC records. (section 4)
//!
//! A record is a header, an empty line, a block of `Content-Length` bytes, and two line ends. The
//! block of a `response` is what a server sent: a status line, a header of HTTP, and a body. It
//! becomes a message of the shape [`Shape::Http`]. Its head is the header of the record and the
//! status line. The blocks of `resource`, `conversion` (WET) and `metadata` (WAT) become messages
//! of the shape [`Shape::Record`], whose type is that of the record.
//!
//! Passed over are `request` (what the crawler sent), `revisit` (a copy of another record),
//! `continuation` (the rest of one in another file), and records of unknown types: each is a note.
//! `warcinfo` describes the file, and is neither.
//!
//! A body may come in chunks (RFC 9112 section 7.1). Their sizes are removed, and each is a seam.
//! Many archives have bodies without the chunks that their header announces, so the first size
//! decides.
//!
//! A length may be wrong. If no record and no end of the file follows the block, the record goes
//! on up to the next version line. So no text is lost, and each byte is examined once.
//!
//! [ISO 28500]: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/

use memchr::{memchr, memmem};

use super::events::{ContainerNoteKind, ContainerSink, Out, Outside, Shape, View};
use super::lines::{Answer, partial_line};
use urlgrep_base::digits::{decimal, hex};
use urlgrep_base::span::{SeamKind, Span};

/// A record of a web archive, as its header describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record<'a> {
    /// `WARC-Record-ID`, with its angle brackets.
    pub id: &'a [u8],
    /// `WARC-Target-URI`, without angle brackets.
    pub url: &'a [u8],
    /// `WARC-Date`.
    pub date: &'a [u8],
    /// The type of the block. Empty for [`Shape::Http`], whose header has the type of its body.
    pub content_type: &'a [u8],
    /// How the body is encoded.
    pub coding: Coding,
}

/// The `Content-Encoding` of a body of HTTP (RFC 9110 section 8.4.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Coding {
    /// It is not encoded.
    #[default]
    Identity,
    /// `gzip`, or `x-gzip`.
    Gzip,
    /// `deflate`: zlib, or what has no header, because some servers send that.
    Deflate,
    /// `zstd` (RFC 8878).
    Zstd,
    /// Another coding, such as `br`, or several.
    Other,
}

impl Coding {
    /// The coding of this value of the field.
    fn of(value: &[u8]) -> Coding {
        let is = |name: &str| value.eq_ignore_ascii_case(name.as_bytes());
        if value.is_empty() || is("identity") || is("none") {
            Coding::Identity
        } else if is("gzip") || is("x-gzip") {
            Coding::Gzip
        } else if is("deflate") {
            Coding::Deflate
        } else if is("zstd") {
            Coding::Zstd
        } else {
            Coding::Other
        }
    }
}

/// The maximum length of the header of a record, and of that of HTTP in it.
const MAX_HEAD: usize = 64 * 1024;
/// The maximum length of the line with the size of a chunk.
const MAX_SIZE_LINE: usize = 256;
/// The maximum number of line ends after a block.
const MAX_ENDS: usize = 16;
/// The start of the version line of a record.
const VERSION: &[u8] = b"WARC/";
/// The maximum length of a version line.
const VERSION_LINE: usize = 16;

/// Whether `head` is a web archive: a version line, and a field of a record.
///
/// > version = "WARC/1.1" CRLF (section 4)
pub(crate) fn is_warc(head: &[u8], whole: bool) -> Answer<()> {
    const FIELDS: [&[u8]; 2] = [b"WARC-", b"Content-"];
    let len = match is_version(head, whole) {
        Answer::Yes(len) => len,
        Answer::No => return Answer::No,
        Answer::More => return Answer::More,
    };
    let field = &head[len..];
    let same = |name: &&[u8]| {
        let near = name.len().min(field.len());
        name[..near].eq_ignore_ascii_case(&field[..near])
    };
    match FIELDS.iter().find(|name| same(name)) {
        Some(name) if field.len() >= name.len() => Answer::Yes(()),
        Some(_) => Answer::unless(whole),
        None => Answer::No,
    }
}

/// Whether `bytes` begin with a version line, and its length.
fn is_version(bytes: &[u8], eof: bool) -> Answer<usize> {
    let near = &bytes[..bytes.len().min(VERSION.len())];
    if !VERSION.starts_with(near) {
        return Answer::No;
    }
    let line = &bytes[..bytes.len().min(VERSION_LINE)];
    let Some(end) = memchr(b'\n', line) else {
        return Answer::unless(eof || line.len() == VERSION_LINE);
    };
    let number = line[VERSION.len()..end].trim_ascii_end();
    let is_number = |b: &u8| b.is_ascii_digit() || *b == b'.';
    if number.first().is_some_and(u8::is_ascii_digit) && number.iter().all(is_number) {
        Answer::Yes(end + 1)
    } else {
        Answer::No
    }
}

/// The place after the first empty line of `bytes`. Nothing before `from` ends one.
fn after_blank_line(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        let feed = at + memchr(b'\n', bytes.get(at..)?)?;
        match bytes[feed + 1..] {
            [b'\n', ..] => return Some(feed + 2),
            [b'\r', b'\n', ..] => return Some(feed + 3),
            _ => at = feed + 1,
        }
    }
}

/// The values of the fields of a header with these names, without the white space around them.
/// The first field of a name counts. A value of several lines is left out.
fn fields<'a, const N: usize>(head: &'a [u8], names: [&str; N]) -> [&'a [u8]; N] {
    let mut values: [&[u8]; N] = [b""; N];
    let mut has = [false; N];
    for line in head.split(|&b| b == b'\n') {
        let Some(colon) = memchr(b':', line) else {
            continue;
        };
        let (name, value) = (&line[..colon], &line[colon + 1..]);
        let is = |wanted: &&str| name.eq_ignore_ascii_case(wanted.as_bytes());
        if let Some(i) = names.iter().position(is)
            && !has[i]
        {
            has[i] = true;
            values[i] = value.trim_ascii();
        }
    }
    values
}

/// What becomes of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// It is a response of HTTP.
    Http,
    /// Its block is read as its type says.
    Block,
    /// It is passed over, and perhaps noted.
    Passed { is_noted: bool },
}

/// What the header of a record says.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// The length of the header.
    len: usize,
    /// The length of the block, if it is known.
    size: Option<u64>,
    is_used: Use,
}

impl Facts {
    fn of(head: &[u8]) -> Facts {
        let [kind, size, content_type] =
            fields(head, ["WARC-Type", "Content-Length", "Content-Type"]);
        let is = |names: &[&str]| {
            let mut names = names.iter();
            names.any(|name| kind.eq_ignore_ascii_case(name.as_bytes()))
        };
        let http = b"application/http";
        let start = content_type.get(..http.len());
        Facts {
            len: head.len(),
            size: decimal(size),
            is_used: if is(&["warcinfo"]) {
                Use::Passed { is_noted: false }
            } else if is(&["response"]) && start.is_some_and(|s| s.eq_ignore_ascii_case(http)) {
                Use::Http
            } else if is(&["response", "resource", "conversion", "metadata"]) {
                Use::Block
            } else {
                Use::Passed { is_noted: true }
            },
        }
    }
}

/// The record with this header. `http` is that of HTTP, if it has one.
fn record<'a>(head: &'a [u8], http: &'a [u8]) -> Record<'a> {
    let [id, url, date, content_type] = fields(
        head,
        [
            "WARC-Record-ID",
            "WARC-Target-URI",
            "WARC-Date",
            "Content-Type",
        ],
    );
    let [coding] = fields(http, ["Content-Encoding"]);
    // > "WARC-Target-URI" ":" uri, and in version 1.0: "<" uri ">"
    let inner = url.strip_prefix(b"<").and_then(|u| u.strip_suffix(b">"));
    let fields_of_warc = b"application/warc-fields";
    let start = content_type.get(..fields_of_warc.len());
    let is_fields = start.is_some_and(|start| start.eq_ignore_ascii_case(fields_of_warc));
    let content_type: &[u8] = if !http.is_empty() {
        b""
    } else if is_fields {
        // Lines of the crawler, such as `outlink: http://…`.
        b"text/plain"
    } else if content_type.is_empty() {
        b"application/octet-stream"
    } else {
        content_type
    };
    Record {
        id,
        url: inner.unwrap_or(url),
        date,
        content_type,
        coding: Coding::of(coding),
    }
}

/// Splits a web archive into records.
#[derive(Debug)]
pub(crate) struct Warc {
    state: State,
    finder: memmem::Finder<'static>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// Before a record, at the start of a line.
    Between,
    /// In the header of a record, or of HTTP in it. The end of the header is not before `seen`.
    Head { facts: Option<Facts>, seen: usize },
    /// In a block, which ends at this offset.
    Block { end: u64, at: Place },
    /// After a block.
    After { is_open: bool },
    /// After a block whose length is wrong or not known, up to the next version line.
    Loose { is_open: bool, at_line: bool },
}

/// A place in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// In the header of HTTP, which ends at `until`.
    Header { until: u64, is_chunked: bool },
    /// In a body without chunks.
    Plain,
    /// Before the size of a chunk.
    Size { is_first: bool },
    /// In a chunk.
    Chunk { until: u64 },
    /// At the line end after a chunk.
    ChunkEnd,
    /// In bytes that belong to no message.
    Passed,
}

impl Warc {
    pub fn new() -> Warc {
        Warc {
            state: State::Between,
            finder: memmem::Finder::new(b"\nWARC/"),
        }
    }

    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        let mut at = 0;
        loop {
            let here = View {
                buf: &view.buf[at..],
                base: view.base + at as u64,
                eof: view.eof,
            };
            let read = match self.state {
                State::Between => self.between(here, out),
                State::Head { facts, seen } => self.head(facts, seen, here, out),
                State::Block { end, at } => self.block(end, at, here, out),
                State::After { is_open } => self.after(is_open, here, out),
                State::Loose { is_open, at_line } => self.loose(is_open, at_line, here, out),
            };
            match read {
                Some(read) => at += read,
                None => return at,
            }
        }
    }

    /// Reads line ends, and finds the next record. `None` if more bytes are needed, as from all
    /// of these functions.
    fn between<S: ContainerSink>(&mut self, here: View<'_>, out: &mut Out<'_, S>) -> Option<usize> {
        let View { buf, base, eof } = here;
        let ends = buf
            .iter()
            .take_while(|b| matches!(b, b'\r' | b'\n'))
            .count();
        if ends > 0 {
            out.end(base);
            out.outside(&buf[..ends], base, Outside::Frame);
            return Some(ends);
        }
        if buf.is_empty() {
            return None;
        }
        match is_version(buf, eof) {
            Answer::Yes(len) => {
                // The line end of the version line may belong to an empty line.
                let seen = len - 1;
                self.state = State::Head { facts: None, seen };
            }
            Answer::No => {
                out.note(ContainerNoteKind::Count, base);
                self.state = State::Loose {
                    is_open: false,
                    at_line: false,
                };
            }
            Answer::More => return None,
        }
        Some(0)
    }

    /// Waits for the whole header of a record, and of HTTP in it, and begins the record.
    fn head<S: ContainerSink>(
        &mut self,
        facts: Option<Facts>,
        seen: usize,
        here: View<'_>,
        out: &mut Out<'_, S>,
    ) -> Option<usize> {
        let View { buf, base, eof } = here;
        let Some(facts) = facts else {
            let near = &buf[..buf.len().min(MAX_HEAD)];
            if let Some(len) = after_blank_line(near, seen) {
                let facts = Some(Facts::of(&buf[..len]));
                self.state = State::Head { facts, seen: len };
            } else if eof || near.len() == MAX_HEAD {
                out.note(ContainerNoteKind::Count, base);
                out.end(base);
                self.state = State::Loose {
                    is_open: false,
                    at_line: false,
                };
            } else {
                self.state = State::Head {
                    facts: None,
                    seen: seen.max(near.len().saturating_sub(3)),
                };
                return None;
            }
            return Some(0);
        };
        let block = &buf[facts.len..];
        let size = facts.size.map_or(usize::MAX, |size| {
            usize::try_from(size).unwrap_or(usize::MAX)
        });
        let most = size.min(MAX_HEAD);
        let near = &block[..block.len().min(most)];
        if facts.is_used == Use::Http && after_blank_line(near, seen - facts.len).is_none() {
            let is_whole = eof || near.len() == most;
            if !is_whole {
                self.state = State::Head {
                    facts: Some(facts),
                    seen: seen.max((facts.len + near.len()).saturating_sub(3)),
                };
                return None;
            }
        }
        Some(self.begin(facts, near, here, out))
    }

    /// Begins the record with these facts. `near` has the start of its block.
    fn begin<S: ContainerSink>(
        &mut self,
        facts: Facts,
        near: &[u8],
        here: View<'_>,
        out: &mut Out<'_, S>,
    ) -> usize {
        let View { buf, base, .. } = here;
        let head = &buf[..facts.len];
        let block = base + facts.len as u64;
        let end = facts.size.map(|size| block.saturating_add(size));
        let begins_http = facts.is_used == Use::Http && near.starts_with(b"HTTP/");
        let status = if begins_http {
            memchr(b'\n', near)
        } else {
            None
        };
        let mut len = facts.len;
        let mut place = Place::Plain;
        if let Use::Passed { is_noted } = facts.is_used {
            out.end(base);
            if is_noted {
                out.note(ContainerNoteKind::PassedRecord, base);
            }
            out.outside(head, base, Outside::Frame);
            place = Place::Passed;
        } else if let Some(status) = status {
            let until = after_blank_line(near, 0).unwrap_or(near.len());
            let http = &near[..until];
            let [transfer] = fields(http, ["Transfer-Encoding"]);
            len += status + 1;
            out.start_record(&buf[..len], base, Shape::Http, record(head, http));
            place = Place::Header {
                until: block + until as u64,
                // > … the chunked transfer coding … final … (RFC 9112 section 6.1)
                is_chunked: transfer.to_ascii_lowercase().ends_with(b"chunked"),
            };
        } else {
            let mut record = record(head, b"");
            if facts.is_used == Use::Http {
                record.content_type = b"application/octet-stream";
            }
            out.start_record(head, base, Shape::Record, record);
        }
        self.state = match end {
            Some(end) => State::Block { end, at: place },
            None => {
                out.note(ContainerNoteKind::Count, block);
                State::Loose {
                    is_open: place != Place::Passed,
                    at_line: true,
                }
            }
        };
        len
    }

    /// Reads bytes of a block.
    fn block<S: ContainerSink>(
        &mut self,
        end: u64,
        place: Place,
        here: View<'_>,
        out: &mut Out<'_, S>,
    ) -> Option<usize> {
        let View { buf, base, eof } = here;
        if base >= end {
            let is_open = place != Place::Passed;
            self.state = State::After { is_open };
            return Some(0);
        }
        if buf.is_empty() {
            if eof {
                out.note(ContainerNoteKind::Count, base);
            }
            return None;
        }
        let until = match place {
            Place::Header { until, .. } | Place::Chunk { until } => until.min(end),
            _ => end,
        };
        let left = usize::try_from(until - base).unwrap_or(usize::MAX);
        let near = &buf[..buf.len().min(left)];
        let at = match place {
            Place::Size { is_first } => {
                let eof = eof || near.len() == left;
                return self.size(
                    end,
                    is_first,
                    View {
                        buf: near,
                        base,
                        eof,
                    },
                    out,
                );
            }
            Place::ChunkEnd => {
                let eof = eof || near.len() == left;
                return self.chunk_end(
                    end,
                    View {
                        buf: near,
                        base,
                        eof,
                    },
                    out,
                );
            }
            Place::Passed => {
                out.outside(near, base, Outside::Frame);
                place
            }
            _ => {
                out.data(near, base);
                next_place(place, base + near.len() as u64)
            }
        };
        self.state = State::Block { end, at };
        Some(near.len())
    }

    /// Reads the size of a chunk, if `here` begins with one.
    ///
    /// > chunk = chunk-size [ chunk-ext ] CRLF chunk-data CRLF (RFC 9112 section 7.1)
    fn size<S: ContainerSink>(
        &mut self,
        end: u64,
        is_first: bool,
        here: View<'_>,
        out: &mut Out<'_, S>,
    ) -> Option<usize> {
        let View { buf, base, eof } = here;
        let line = &buf[..buf.len().min(MAX_SIZE_LINE)];
        let feed = memchr(b'\n', line);
        let digits = line.iter().take_while(|&&b| hex(b).is_some()).count();
        // Some servers write blanks after the digits.
        let mut after = line[digits..].iter().filter(|b| !matches!(b, b' ' | b'\t'));
        let may_be =
            matches!(digits, 1..=16) && matches!(after.next(), None | Some(b'\r' | b'\n' | b';'));
        if may_be && feed.is_none() && !eof && line.len() < MAX_SIZE_LINE {
            return None;
        }
        let Some(feed) = feed.filter(|_| may_be) else {
            // The archive has the body without its chunks, or the chunks are damaged.
            if !is_first {
                out.note(ContainerNoteKind::Count, base);
            }
            let at = Place::Plain;
            self.state = State::Block { end, at };
            return Some(0);
        };
        let digits = line[..digits].iter().filter_map(|&b| hex(b));
        let size = digits.fold(0u64, |size, digit| size << 4 | u64::from(digit));
        let len = feed + 1;
        let next = base + len as u64;
        let at = if size > 0 {
            out.seam(SeamKind::Chunk, Span::new(base, next));
            let until = next.saturating_add(size);
            Place::Chunk { until }
        } else {
            // The trailer follows.
            out.end(base);
            out.outside(&line[..len], base, Outside::Frame);
            Place::Passed
        };
        self.state = State::Block { end, at };
        Some(len)
    }

    /// Reads the line end after a chunk.
    fn chunk_end<S: ContainerSink>(
        &mut self,
        end: u64,
        here: View<'_>,
        out: &mut Out<'_, S>,
    ) -> Option<usize> {
        let View { buf, base, eof } = here;
        let len = match buf {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            [b'\r'] if !eof => return None,
            _ => 0,
        };
        let at = if len > 0 {
            out.seam(SeamKind::Chunk, Span::new(base, base + len as u64));
            Place::Size { is_first: false }
        } else {
            out.note(ContainerNoteKind::Count, base);
            Place::Plain
        };
        self.state = State::Block { end, at };
        Some(len)
    }

    /// Finds out whether the length of the block before was right.
    fn after<S: ContainerSink>(
        &mut self,
        is_open: bool,
        here: View<'_>,
        out: &mut Out<'_, S>,
    ) -> Option<usize> {
        let View { buf, base, eof } = here;
        let near = &buf[..buf.len().min(MAX_ENDS)];
        let ends = near
            .iter()
            .take_while(|b| matches!(b, b'\r' | b'\n'))
            .count();
        let rest = &buf[ends..];
        let is_right = if rest.is_empty() && eof {
            true
        } else if ends == MAX_ENDS {
            false
        } else {
            match is_version(rest, eof) {
                Answer::Yes(_) => true,
                Answer::No => false,
                Answer::More => return None,
            }
        };
        if is_right {
            out.end(base);
            self.state = State::Between;
        } else {
            out.note(ContainerNoteKind::Count, base);
            let at_line = false;
            self.state = State::Loose { is_open, at_line };
        }
        Some(0)
    }

    /// Reads bytes up to the next version line.
    fn loose<S: ContainerSink>(
        &mut self,
        is_open: bool,
        at_line: bool,
        here: View<'_>,
        out: &mut Out<'_, S>,
    ) -> Option<usize> {
        let View { buf, base, eof } = here;
        if at_line {
            match is_version(buf, eof) {
                Answer::Yes(_) => {
                    out.end(base);
                    self.state = State::Between;
                    return Some(0);
                }
                Answer::More => return None,
                Answer::No => {}
            }
        }
        if buf.is_empty() {
            return None;
        }
        let (len, at_line) = match self.finder.find(buf) {
            Some(feed) => (feed + 1, true),
            None if eof => (buf.len(), false),
            None => match partial_line(buf, VERSION) {
                Some(line) => (line, true),
                None => (buf.len(), false),
            },
        };
        if is_open {
            out.data(&buf[..len], base);
        } else {
            out.outside(&buf[..len], base, Outside::Talk);
        }
        self.state = State::Loose { is_open, at_line };
        Some(len)
    }
}

/// The place after bytes of the message that end at `offset`.
fn next_place(place: Place, offset: u64) -> Place {
    match place {
        Place::Header { until, is_chunked } if offset == until => {
            if is_chunked {
                Place::Size { is_first: true }
            } else {
                Place::Plain
            }
        }
        Place::Chunk { until } if offset == until => Place::ChunkEnd,
        _ => place,
    }
}
