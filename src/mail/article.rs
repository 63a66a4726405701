//! A stream that is one message: what makes it one, and its wrappings.
//!
//! * a plain message, an A-news article, or plain text: passed on as it is;
//! * wire format: INN can keep articles as NNTP sends them (RFC 3977 §3.1.1),
//!   with CRLF, a dot before each line that begins with one, and a last line
//!   of one dot;
//! * `.emlx`: a line with the byte count, the message, a property list.

use memchr::{memchr_iter, memmem};

use super::date::is_date_line;
use super::mbox::header_follows;
use super::split::{ContainerSink, NoteKind, Out, Outside, Shape, View};
use crate::span::{SeamKind, Span};

/// What the first five lines of an A-news article hold, in order, as names of
/// fields (RFC 1036 §2: "the A format, which looks like this"). The first line
/// has an `A` before its value.
pub const ANEWS_FIELDS: [&str; 5] = ["Article-I.D.", "Newsgroups", "Path", "Date", "Subject"];

/// The fields of which two make a message, and Xref, which does not count.
const FIELDS: [&[u8]; 9] = [
    b"from",
    b"date",
    b"subject",
    b"message-id",
    b"received",
    b"path",
    b"newsgroups",
    b"return-path",
    b"xref",
];
const PATH: u16 = 1 << 5;
const NEWSGROUPS: u16 = 1 << 6;
const XREF: u16 = 1 << 8;

/// True if at least two of the fields that mark a message stand in the header
/// block at the beginning of `head`.
pub(crate) fn is_message(head: &[u8]) -> bool {
    (fields(head) & !XREF).count_ones() >= 2
}

/// True if `head` begins with a `From ` line or a header block, in which one of
/// the fields stands that mark a message, and the block has not ended.
pub(crate) fn is_open(head: &[u8]) -> bool {
    let mut lines = head.split_inclusive(|&b| b == b'\n');
    let from = head.starts_with(b"From ");
    if from {
        lines.next();
    }
    let goes_on = |line: &[u8]| {
        matches!(line.first(), Some(b' ' | b'\t'))
            || header_follows(line, &mut 0, false) != Some(false)
    };
    lines.all(goes_on) && (from || fields(head) != 0)
}

/// Which of [`FIELDS`] stand in the header block, one bit each.
fn fields(head: &[u8]) -> u16 {
    let mut found = 0;
    for (i, line) in head.split_inclusive(|&b| b == b'\n').enumerate() {
        // A `From ` line that a mail program left there.
        if i == 0 && line.starts_with(b"From ") {
            continue;
        }
        if i > 0 && matches!(line.first(), Some(b' ' | b'\t')) {
            continue;
        }
        if header_follows(line, &mut 0, true) != Some(true) {
            break;
        }
        let name = line.split(|&b| b == b':').next().unwrap_or(line);
        let name = name.trim_ascii_end();
        if let Some(bit) = FIELDS.iter().position(|f| name.eq_ignore_ascii_case(f)) {
            found |= 1 << bit;
        }
    }
    found
}

/// True if `head`, which begins with a header block, is in wire format.
///
/// A file that is seen whole must end with the final dot. Of a longer one only
/// the beginning is known: then CRLF in an article that a server filed (it has
/// Path, Newsgroups and Xref), without a line that begins with one dot, says
/// it. The final dot itself is a final dot only if nothing follows it.
pub(crate) fn is_wire(head: &[u8], eof: bool) -> bool {
    let crlf = memchr_iter(b'\n', head).all(|i| i > 0 && head[i - 1] == b'\r');
    if !crlf {
        return false;
    }
    if eof {
        return head.ends_with(b"\r\n.\r\n");
    }
    let stuffed =
        memmem::find_iter(head, b"\n.").all(|i| matches!(head.get(i + 2), Some(b'.') | None));
    let filed = PATH | NEWSGROUPS | XREF;
    stuffed && fields(head) & filed == filed
}

/// True if `head` begins with the five lines of an A-news header (see
/// [`ANEWS_FIELDS`]). That the fourth is a date leaves no doubt.
pub(crate) fn is_anews(head: &[u8]) -> bool {
    let mut lines = head.split(|&b| b == b'\n').map(<[u8]>::trim_ascii_end);
    let mut word = |more: &[u8]| {
        lines.next().is_some_and(|line| {
            !line.is_empty()
                && line
                    .iter()
                    .all(|b| b.is_ascii_alphanumeric() || more.contains(b))
        })
    };
    head.first() == Some(&b'A')
        && word(b".-_!")
        && word(b".-_+,!")
        && word(b".-_!@%:")
        && lines.next().is_some_and(is_date_line)
        && lines.next().is_some()
}

/// The first line of an emlx file: the byte count, and the line's length.
pub(crate) fn count_line(head: &[u8]) -> Option<(u64, usize)> {
    let window = &head[..head.len().min(64)];
    let length = memchr::memchr(b'\n', window)? + 1;
    let digits = window[..length].trim_ascii_end();
    Some((decimal(digits)?, length))
}

/// The value of a run of decimal digits; `None` if it is none or too large.
pub(crate) fn decimal(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |n, b| {
        let digit = b.is_ascii_digit().then(|| u64::from(b - b'0'))?;
        n.checked_mul(10)?.checked_add(digit)
    })
}

/// Passes the whole stream on as one message.
#[derive(Debug)]
pub(crate) struct Whole {
    shape: Shape,
    begun: bool,
}

impl Whole {
    pub fn new(shape: Shape) -> Whole {
        Whole {
            shape,
            begun: false,
        }
    }

    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        if !self.begun {
            self.begun = true;
            out.start(b"", view.base, self.shape);
        }
        out.data(view.buf, view.base);
        view.buf.len()
    }
}

/// Removes stuffed dots up to the line with the final dot.
#[derive(Debug)]
pub(crate) struct Dots {
    finder: memmem::Finder<'static>,
    /// True if the next byte is the first of a line.
    at_line: bool,
    /// True if a dot ends the text only at the end of the stream.
    last_only: bool,
}

impl Dots {
    pub fn new(last_only: bool) -> Dots {
        Dots {
            finder: memmem::Finder::new(b"\n."),
            at_line: true,
            last_only,
        }
    }

    /// Another text begins.
    pub fn begin(&mut self) {
        self.at_line = true;
    }

    /// Passes on the text; returns how many bytes were decided, and whether
    /// the final dot was among them.
    pub fn step<S: ContainerSink>(
        &mut self,
        view: View<'_>,
        out: &mut Out<'_, S>,
    ) -> (usize, bool) {
        let View { buf, base, eof } = view;
        let mut at = 0;
        while at < buf.len() {
            let offset = base + at as u64;
            let rest = &buf[at..];
            if self.at_line && rest[0] == b'.' {
                let end = match rest {
                    [b'.', b'.', ..] => {
                        // RFC 3977 §3.1.1: "an additional termination octet
                        // is added" before a line that begins with one.
                        out.seam(SeamKind::DotStuff, Span::new(offset, offset + 1));
                        self.at_line = false;
                        at += 1;
                        continue;
                    }
                    [_, b'\r', b'\n', ..] => 3,
                    [_, b'\n', ..] => 2,
                    [_] | [_, b'\r'] if eof => rest.len(),
                    [_] | [_, b'\r'] => return (at, false),
                    _ => 0,
                };
                if end > 0 && !self.last_only || end == rest.len() && eof {
                    out.end(offset);
                    out.outside(&rest[..end], offset, Outside::Frame);
                    return (at + end, true);
                }
                if end == rest.len() {
                    return (at, false);
                }
            }
            let length = self.finder.find(rest).map_or(rest.len(), |i| i + 1);
            out.data(&rest[..length], offset);
            self.at_line = rest[length - 1] == b'\n';
            at += length;
        }
        (at, false)
    }
}

/// Passes on an article in wire format.
#[derive(Debug)]
pub(crate) struct Wire {
    begun: bool,
    done: bool,
    dots: Dots,
}

impl Wire {
    pub fn new() -> Wire {
        Wire {
            begun: false,
            done: false,
            dots: Dots::new(true),
        }
    }

    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        if !self.begun {
            self.begun = true;
            out.start(b"", view.base, Shape::Message);
        }
        let (at, done) = self.dots.step(view, out);
        self.done |= done;
        if view.eof && !self.done {
            out.note(NoteKind::NoFinalDot, view.base + at as u64);
        }
        at
    }
}

/// Passes on the message of an `.emlx` file.
#[derive(Debug)]
pub(crate) struct Emlx {
    state: EmlxState,
}

#[derive(Debug)]
enum EmlxState {
    Head,
    /// In the message, which ends at this offset.
    Message(u64),
    /// The count was wrong: all the rest is the message.
    Rest,
    /// In the property list.
    Tail,
}

impl Emlx {
    pub fn new() -> Emlx {
        Emlx {
            state: EmlxState::Head,
        }
    }

    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        const LIST: &[u8] = b"<?xml";
        let View { buf, base, eof } = view;
        let mut at = 0;
        loop {
            let rest = &buf[at..];
            let offset = base + at as u64;
            match self.state {
                EmlxState::Head => {
                    if let Some((count, length)) = count_line(rest) {
                        out.start(&rest[..length], offset, Shape::Message);
                        at += length;
                        let end = (base + at as u64).saturating_add(count);
                        self.state = EmlxState::Message(end);
                    } else if !eof && rest.len() < 64 {
                        return at;
                    } else {
                        out.start(b"", offset, Shape::Message);
                        self.state = EmlxState::Rest;
                    }
                }
                EmlxState::Message(end) if offset < end => {
                    let left = usize::try_from(end - offset).unwrap_or(usize::MAX);
                    let length = left.min(rest.len());
                    out.data(&rest[..length], offset);
                    at += length;
                    if length < left {
                        if eof {
                            out.note(NoteKind::Count, base + at as u64);
                        }
                        return at;
                    }
                }
                EmlxState::Message(_) => {
                    if rest.starts_with(LIST) || (eof && rest.is_empty()) {
                        out.end(offset);
                        self.state = EmlxState::Tail;
                    } else if !eof && LIST.starts_with(rest) {
                        return at;
                    } else {
                        out.note(NoteKind::Count, offset);
                        self.state = EmlxState::Rest;
                    }
                }
                EmlxState::Rest => {
                    out.data(rest, offset);
                    return buf.len();
                }
                EmlxState::Tail => {
                    out.outside(rest, offset, Outside::Frame);
                    return buf.len();
                }
            }
        }
    }
}
