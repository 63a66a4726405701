//! Recognises streams that are one message, and extracts the message.
//!
//! * A plain message, an A-news article, or plain text is passed on unchanged.
//! * Wire format: INN can store articles as NNTP sends them (RFC 3977 §3.1.1).
//!   They have CRLF, a dot before each line that begins with a dot, and a last
//!   line of one dot.
//! * `.emlx`: a line with the byte count, the message, and a property list.

use memchr::{memchr, memmem};

use super::beginning::{Beginning, before_header, has_cr_lines, with_line_feeds};
use super::date::is_date_line;
use super::events::{ContainerNoteKind, ContainerSink, Out, Outside, Shape, View};
use super::lines::{Answer, LINE};
use super::mbox::{Dialect, FromLine, Mbox};
use super::sniff::MARK;
use urlgrep_base::digits::decimal;
use urlgrep_base::span::{SeamKind, Span};

/// Whether `head` begins with the header of an A-news article: five lines with
/// the values of Article-I.D., Newsgroups, Path, Date and Subject (RFC 1036 §2:
/// "the A format, which looks like this"). An `A` precedes the first value. The first
/// four lines are examined. The fourth line must be a date. The fifth line may be any text.
pub(crate) fn is_anews(head: &[u8], whole: bool) -> Answer<()> {
    if head.first().is_some_and(|&b| b != b'A') {
        return Answer::No;
    }
    let mut rest = head;
    // The bytes of the first three values, beside letters and digits.
    for more in [&b".-_!"[..], b".-_+,!", b".-_!@%:"] {
        let end = memchr(b'\n', rest);
        let line = rest[..end.unwrap_or(rest.len())].trim_ascii_end();
        let is_word = |b: &u8| b.is_ascii_alphanumeric() || more.contains(b);
        if !line.iter().all(is_word) || line.is_empty() && end.is_some() {
            return Answer::No;
        }
        let Some(end) = end else {
            return Answer::unless(whole);
        };
        rest = &rest[end + 1..];
    }
    let Some(end) = memchr(b'\n', rest) else {
        return Answer::unless(whole);
    };
    if is_date_line(rest[..end].trim_ascii_end()) {
        Answer::Yes(())
    } else {
        Answer::No
    }
}

/// Whether `head` is an emlx file: a line with a byte count, then a message.
/// `full` means that no byte after `head` is examined.
pub(crate) fn is_emlx(head: &[u8], full: bool) -> Answer<()> {
    let near = &head[..head.len().min(COUNT_LINE)];
    match count_line(head) {
        Some((_, length)) => Beginning::of(&head[length..], full, false).is_bare_message(),
        None if memchr(b'\n', near).is_some() || near.len() == COUNT_LINE => Answer::No,
        None if near.is_empty() || decimal(near.trim_ascii_end()).is_some() => Answer::unless(full),
        None => Answer::No,
    }
}

/// The maximum length of the first line of an emlx file.
const COUNT_LINE: usize = 64;

/// Whether `head` is the start of an HTML page. White space, comments and an
/// XML declaration may come first. Then comes one of the tags that begin a
/// page. The patterns are those of the MIME Sniffing Standard (7.1), except for
/// patterns with which other text can begin.
pub(crate) fn is_html(head: &[u8], whole: bool) -> Answer<()> {
    const TAGS: [&str; 6] = [
        "<!doctype html",
        // The bookmarks that browsers export.
        "<!doctype netscape-bookmark-file-1",
        "<html",
        "<head",
        "<body",
        "<title",
    ];
    let Some(rest) = after(&SKIPPED, head) else {
        return Answer::unless(whole);
    };
    if SKIPPED.iter().any(|(open, _)| open.starts_with(rest)) {
        return Answer::unless(whole);
    }
    begins_with(rest, &TAGS, <[u8]>::eq_ignore_ascii_case, ends_name, whole)
}

/// Whether `head`, which is no other kind of file, is a part of an HTML page, such as a page of an
/// archive or what a program exports. It begins with another tag than a page, after comments and
/// `<?php … ?>`. Markdown begins so too (`<p align="center">`), and shows itself by its marks, which
/// are searched for in all of `head`.
pub(crate) fn is_html_part(head: &[u8], whole: bool) -> Answer<()> {
    let Some(rest) = after(&SKIPPED, head) else {
        return Answer::unless(whole);
    };
    if SKIPPED.iter().any(|(open, _)| open.starts_with(rest)) {
        return Answer::unless(whole);
    }
    let ends_start = |b| ends_name(b) || matches!(b, b'/' | b'=');
    match begins_with(
        rest,
        &FRAGMENTS,
        <[u8]>::eq_ignore_ascii_case,
        ends_start,
        whole,
    ) {
        Answer::Yes(()) if is_markdown(head) || is_docbook(head) || head.starts_with(b"<?xml") => {
            Answer::No
        }
        Answer::Yes(()) if whole && !is_tag(rest) => Answer::No,
        // The rest may have a mark of Markdown.
        Answer::Yes(()) if !whole => Answer::More,
        answer => answer,
    }
}

/// Marks with their ends before the first tag of a page. A script or a style alone is no page:
/// components of Vue have them too.
const SKIPPED: [(&[u8], &[u8]); 5] = [
    (b"<!--", b"-->"),
    (b"<?xml", b"?>"),
    (b"<?php", b"?>"),
    (b"<script", b"</script>"),
    (b"<style", b"</style>"),
];

/// Tags with which a part of a page begins. Those of names in chats (`<b> hi`) and of other
/// kinds of file (`<article>` of DocBook) are missing. A longer one comes first.
const FRAGMENTS: [&str; 35] = [
    "<a class",
    "<a href",
    "<a id",
    "<a name",
    "<a target",
    "<base href",
    "<base target",
    "<blockquote",
    "<br",
    "<button",
    "<center",
    "<dl",
    "<details",
    "<div",
    "<font",
    "<form",
    "<h1",
    "<h2",
    "<h3",
    "<h4",
    "<header",
    "<hr",
    "<iframe",
    "<img",
    "<link href",
    "<link rel",
    "<main",
    "<meta",
    "<ol",
    "<pre",
    "<p",
    "<section",
    "<span",
    "<table",
    "<ul",
];

/// True if the first tag of `text` ends, and what is in it reads as attributes. In `<p see
/// http://a.example` the `<` is a mark of the text.
fn is_tag(text: &[u8]) -> bool {
    const ATTRIBUTES: usize = 8;
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"-_:".contains(b);
    let after_name = |text: &'_ [u8]| text.iter().take_while(|b| is_of_name(b)).count();
    let mut rest = &text[1 + after_name(&text[1..])..];
    for _ in 0..ATTRIBUTES {
        rest = rest.trim_ascii_start();
        let name = after_name(rest);
        match rest[name..].trim_ascii_start() {
            [b'=' | b'>', ..] | [b'/', b'>', ..] => return memchr(b'>', text).is_some(),
            [b, ..] if name > 0 && is_of_name(b) => rest = &rest[name..],
            _ => return false,
        }
    }
    false
}

/// True if `text` has an element of DocBook, whose `<section>` is not that of HTML.
fn is_docbook(text: &[u8]) -> bool {
    let marks = [&b"<para"[..], b"<ulink", b"<itemizedlist", b"xml:id="];
    marks.iter().any(|mark| memmem::find(text, mark).is_some())
}

/// True if `text` has a link or a block of Markdown (CommonMark 4.2, 4.5, 6.3, 6.5).
fn is_markdown(text: &[u8]) -> bool {
    let marks = [
        &b"]("[..],
        b"\n```",
        b"\n# ",
        b"\n## ",
        b"<http",
        b"<mailto:",
    ];
    marks.iter().any(|mark| memmem::find(text, mark).is_some())
}

/// What follows white space and any of these pairs of marks. `None` if one has no end.
fn after<'h>(marks: &[(&[u8], &[u8])], head: &'h [u8]) -> Option<&'h [u8]> {
    let mut rest = head.trim_ascii_start();
    while let Some((open, close)) = marks.iter().find(|(open, _)| rest.starts_with(open)) {
        let end = memmem::find(&rest[open.len()..], close)?;
        rest = rest[open.len() + end + close.len()..].trim_ascii_start();
    }
    Some(rest)
}

/// Whether `head` is the start of XML that is not HTML: an XML declaration, the root of a
/// frequent kind of file that often has none, or any root whose first attribute is a
/// namespace, as in the spreadsheets of openpyxl. Comments may precede the root.
pub(crate) fn is_xml(head: &[u8], whole: bool) -> Answer<()> {
    const STARTS: [&str; 6] = ["<?xml", "<!DOCTYPE svg", "<svg", "<rss", "<gpx", "<xml"];
    const NAMESPACE: &[u8] = b"xmlns";
    let Some(head) = after(&[(b"<!--", b"-->")], head) else {
        return Answer::unless(whole);
    };
    match begins_with(head, &STARTS, |a, b| a == b, ends_name, whole) {
        Answer::No => {}
        answer => return answer,
    }
    let Some(tag) = head.strip_prefix(b"<") else {
        return Answer::No;
    };
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b":_-.".contains(b);
    let (name, rest) = tag.split_at(tag.iter().take_while(is_name).count());
    let attribute = rest.trim_ascii_start();
    let near = &attribute[..attribute.len().min(NAMESPACE.len())];
    let is_tag = !name.is_empty() && (rest.is_empty() || rest[0].is_ascii_whitespace());
    if !is_tag || !NAMESPACE.starts_with(near) {
        Answer::No
    } else if near == NAMESPACE {
        Answer::Yes(())
    } else {
        Answer::unless(whole)
    }
}

/// Whether `head` is the start of a calendar (RFC 5545 section 3.4) or of vCards (RFC 6350
/// section 3.3): their first line.
pub(crate) fn is_calendar(head: &[u8], whole: bool) -> Answer<()> {
    const LINES: [&str; 2] = ["BEGIN:VCALENDAR", "BEGIN:VCARD"];
    let ends_line = |b| matches!(b, b'\r' | b'\n');
    begins_with(head, &LINES, <[u8]>::eq_ignore_ascii_case, ends_line, whole)
}

/// True for a byte after the name of a tag.
fn ends_name(b: u8) -> bool {
    b.is_ascii_whitespace() || b == b'>'
}

/// Whether `head` begins with one of `starts`, as `same` compares them, and a byte
/// after it for which `ends` is true.
fn begins_with(
    head: &[u8],
    starts: &[&str],
    same: fn(&[u8], &[u8]) -> bool,
    ends: fn(u8) -> bool,
    whole: bool,
) -> Answer<()> {
    let begins = |start: &&&str| {
        let len = start.len().min(head.len());
        same(&start.as_bytes()[..len], &head[..len])
    };
    let start = starts.iter().find(begins);
    match start.map(|start| head.get(start.len())) {
        Some(Some(&b)) if ends(b) => Answer::Yes(()),
        Some(None) => Answer::unless(whole),
        _ => Answer::No,
    }
}

/// The byte count on the first line of an emlx file, and the length of that
/// line.
pub(crate) fn count_line(head: &[u8]) -> Option<(u64, usize)> {
    let window = &head[..head.len().min(COUNT_LINE)];
    let length = memchr(b'\n', window)? + 1;
    let digits = window[..length].trim_ascii_end();
    Some((decimal(digits)?, length))
}

/// Passes on the whole stream as one message. What precedes its header becomes the head.
#[derive(Debug)]
pub(crate) struct Whole {
    shape: Shape,
    begun: bool,
    opening: Opening,
    /// Lines end with CR alone.
    has_cr_lines: bool,
}

impl Whole {
    pub fn new(shape: Shape) -> Whole {
        Whole {
            shape,
            begun: false,
            opening: Opening::default(),
            has_cr_lines: false,
        }
    }

    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        let View { buf, base, eof } = view;
        if self.shape == Shape::Message && !self.begun {
            match has_cr_lines(buf, eof) {
                Some(has) => self.has_cr_lines = has,
                None => return 0,
            }
        }
        if !self.has_cr_lines {
            return self.pass(view, out);
        }
        let buf = &with_decided_line_feeds(view);
        self.pass(View { buf, base, eof }, out)
    }

    #[inline]
    fn pass<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        let View { buf, base, .. } = view;
        let mut at = 0;
        if !self.begun {
            // A part of a stream has no lead.
            if self.shape == Shape::Message && base <= MARK.len() as u64 {
                match self.opening.of(view, before_header) {
                    Some(length) => at = length,
                    None => return 0,
                }
            }
            self.begun = true;
            out.start(&buf[..at], base, self.shape);
        }
        out.data(&buf[at..], base + at as u64);
        buf.len()
    }
}

/// The bytes of `view` with LF in place of CR, except for a last CR, which a line feed may
/// follow.
fn with_decided_line_feeds(view: View<'_>) -> Vec<u8> {
    let View { buf, eof, .. } = view;
    let len = buf.len() - usize::from(!eof && buf.ends_with(b"\r"));
    with_line_feeds(&buf[..len])
}

/// A mailbox whose lines end with CR alone. Each buffer becomes one with LF, which the machine
/// for an mbox reads. A file of it is not cut.
#[derive(Debug, Default)]
pub(crate) struct CrMbox {
    mbox: Option<Box<Mbox>>,
}

impl CrMbox {
    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        let View { base, eof, .. } = view;
        let buf = &with_decided_line_feeds(view);
        if self.mbox.is_none() {
            let near = &buf[..buf.len().min(LINE)];
            let end = memchr(b'\n', near);
            if end.is_none() && !eof && near.len() < LINE {
                return 0;
            }
            // The first message may have no separator, and then nothing is known of the others.
            let first = FromLine::of(&near[..end.unwrap_or(near.len())]);
            let dialect = first.map_or(Dialect::Any, FromLine::dialect);
            self.mbox = Some(Box::new(Mbox::new(dialect)));
        }
        match &mut self.mbox {
            Some(mbox) => mbox.step(View { buf, base, eof }, out),
            None => 0,
        }
    }
}

/// Finds the end of what precedes a header. It examines bytes again only when their number
/// has doubled, so the time is linear.
#[derive(Debug, Default)]
pub(crate) struct Opening {
    /// The number of bytes at which they are examined again.
    again: usize,
}

impl Opening {
    /// The length of what precedes the header in `view`, as `find` says. `None` if more
    /// bytes are needed.
    pub fn of(
        &mut self,
        view: View<'_>,
        find: impl FnOnce(&[u8], bool) -> Option<usize>,
    ) -> Option<usize> {
        let View { buf, eof, .. } = view;
        if buf.len() < self.again && !eof {
            return None;
        }
        self.again = 2 * buf.len();
        find(buf, eof)
    }
}

/// Removes stuffed dots. Stops after the line with the final dot.
#[derive(Debug)]
pub(crate) struct Dots {
    finder: memmem::Finder<'static>,
    /// True if the next byte is the first of a line.
    at_line: bool,
    /// True if a dot ends the text only when it ends the stream.
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

    /// Starts another text.
    pub fn begin(&mut self) {
        self.at_line = true;
    }

    /// Passes on bytes of the text. Returns the number of bytes decided, and
    /// whether they include the final dot.
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
                        // RFC 3977 §3.1.1: a line that begins with a dot is
                        // stuffed "by prepending an additional termination
                        // octet".
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
            out.note(ContainerNoteKind::NoFinalDot, view.base + at as u64);
        }
        at
    }
}

/// Passes on the message of an `.emlx` file.
#[derive(Debug, Default)]
pub(crate) struct Emlx {
    state: EmlxState,
}

#[derive(Debug, Default)]
enum EmlxState {
    #[default]
    Head,
    /// In the message. It ends at this offset.
    Message(u64),
    /// The byte count was wrong. The rest of the stream is the message.
    Rest,
    /// In the property list.
    Tail,
}

impl Emlx {
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
                    } else if !eof && rest.len() < COUNT_LINE {
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
                            out.note(ContainerNoteKind::Count, base + at as u64);
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
                        out.note(ContainerNoteKind::Count, offset);
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
