//! mbox: messages with a `From ` line before each.
//!
//! RFC 4155 does not define the separator exactly, and programs that write mbox
//! differ. A reader that takes every `From ` for a separator splits messages
//! inside prose. So the first line of the file determines a [`Dialect`]. A
//! later line is a separator if it is of that dialect and a header line
//! follows.
//!
//! Mail programs quote `From ` lines. So in their files a line of another
//! dialect can also be a separator. The line before it must be blank, and the
//! header line after it must have a known name. The decision depends only on
//! the dialect and these three lines.
//!
//! Programs also leave empty lines or lines of their own between a separator and its header, a
//! [lead](super::lead). Then the header must show that it is one of a message.
//!
//! Before the first separator there may be a [`preface`], or a message that
//! begins with its header or with what may precede one.
//!
//! `>From ` is read as mboxrd writes it: one `>` is removed from lines that
//! begin with one or more `>` and `From `.

use std::sync::LazyLock;

use memchr::memmem;

use super::article::Opening;
use super::beginning::{Beginning, SNIFF_MAX, before_first_header};
use super::date::ends_with_date;
use super::events::{ContainerSink, Out, Outside, Shape, View};
use super::fields::is_known_field;
use super::lines::{Answer, LINE, header_follows, partial_line};
use urlgrep_base::span::{SeamKind, Span};

/// The form of the `From ` lines of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Dialect {
    /// `From WORD… DATE`, as mail programs write it. It needs no blank line
    /// before it, because many files have none.
    Dated,
    /// `From ...`, in Usenet archives. It needs a blank line before it.
    Dots,
    /// `From -?DIGITS` and `From DIGITS@xxx`, in Usenet and mail archives. It
    /// needs a blank line before it.
    Number,
    /// `From -`, by Netscape. Its files also have dated lines. Both may
    /// directly follow the last line of a body.
    Dash,
    /// The first line does not determine a dialect. Any of the lines above may
    /// be a separator.
    Any,
}

/// A `From ` line that may be a separator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FromLine {
    Dated,
    Dots,
    Number,
    Dash,
}

impl FromLine {
    /// The kind of a line that begins with `From `. The line end may be
    /// missing. `None` for prose.
    pub fn of(line: &[u8]) -> Option<FromLine> {
        let rest = line.strip_prefix(b"From ")?.trim_ascii();
        // Where a message whose lines end with CR alone stands in a mailbox with LF, all its
        // lines look like one. It is text, or its URLs would be lost.
        if memchr::memchr(b'\r', rest).is_some() {
            return None;
        }
        Some(match rest {
            b"..." => FromLine::Dots,
            b"-" => FromLine::Dash,
            _ if is_number(rest) => FromLine::Number,
            _ if ends_with_date(rest) => FromLine::Dated,
            _ => return None,
        })
    }

    /// The dialect of a file that begins with this line.
    pub fn dialect(self) -> Dialect {
        match self {
            FromLine::Dated => Dialect::Dated,
            FromLine::Dots => Dialect::Dots,
            FromLine::Number => Dialect::Number,
            FromLine::Dash => Dialect::Dash,
        }
    }

    /// The kind of header line that must follow this line in a file of this
    /// dialect. `None` if this line is not a separator.
    fn needs(self, dialect: Dialect, after_blank: bool) -> Option<Follows> {
        use FromLine as L;
        let (fits, mixes) = match dialect {
            Dialect::Dated => (self == L::Dated, after_blank),
            // Usenet archives do not quote `From `. So a line of another
            // dialect belongs to the text of an article.
            Dialect::Dots => (self == L::Dots && after_blank, false),
            Dialect::Number => (self == L::Number && after_blank, false),
            Dialect::Dash => (matches!(self, L::Dash | L::Dated), after_blank),
            Dialect::Any => (self == L::Dated || after_blank, false),
        };
        let known = mixes.then_some(Follows::KnownField);
        if fits { Some(Follows::AnyField) } else { known }
    }
}

/// The numbers of bytes after a separator that were examined, at first 0: as a field, and as a
/// lead.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    line: usize,
    lead: usize,
}

/// Whether what must follow a separator follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Met {
    No,
    /// It does, after a lead of this length.
    After(usize),
}

/// The kind of header line that must follow a separator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Follows {
    #[default]
    AnyField,
    /// A header line with a known name.
    KnownField,
}

impl Follows {
    /// The maximum number of bytes that show whether a message follows a lead. They end at the
    /// next separator, so no byte is examined for two.
    const NEAR: usize = SNIFF_MAX;

    /// Whether a header line of this kind follows a separator, or a lead and the header of a
    /// message. If so, also says how long the lead is that its reader does not skip. `None` if
    /// more bytes are needed. `seen` must be passed to the next call for the same separator.
    #[inline]
    pub fn are_met_by(self, after: &[u8], seen: &mut Seen, eof: bool) -> Option<Met> {
        if matches!(after.first(), Some(b'\n' | b'\r' | b' ' | b'\t')) {
            return Follows::are_met_after_lead(after, &mut seen.lead, eof);
        }
        if !header_follows(after, &mut seen.line, eof)? {
            return Follows::are_met_after_lead(after, &mut seen.lead, eof);
        }
        Some(if self.is_met_by(after) {
            Met::After(0)
        } else {
            Met::No
        })
    }

    /// As [`Follows::are_met_by`], for bytes that do not begin with a field.
    #[inline(never)] // Few separators have other bytes after them.
    fn are_met_after_lead(after: &[u8], seen: &mut usize, eof: bool) -> Option<Met> {
        let near = &after[..after.len().min(Follows::NEAR)];
        let whole = eof || near.len() == Follows::NEAR;
        // The bytes are examined again when their number has doubled.
        if !whole && near.len() < 2 * *seen {
            return None;
        }
        *seen = near.len();
        let start = Beginning::of(near, whole, false);
        match start.is_message() {
            Answer::Yes(()) => Some(Met::After(start.lead_to_remove())),
            Answer::No => Some(Met::No),
            Answer::More => None,
        }
    }

    /// True if `line` begins with a header line of this kind.
    fn is_met_by(self, line: &[u8]) -> bool {
        let near = &line[..line.len().min(LINE)];
        let name = || memchr::memchr(b':', near).map(|colon| near[..colon].trim_ascii_end());
        self == Follows::AnyField || name().is_some_and(is_known_field)
    }
}

/// The start of a separator.
pub(crate) const FROM: &[u8] = b"From ";

/// The maximum length of a preface in bytes.
const PREFACE: usize = 2048;
/// The maximum number of lines of a preface and the separator after it.
const PREFACE_LINES: usize = 24;

/// The result of reading a preface, which is text before the first separator of
/// an mbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Preface {
    /// A preface of this many bytes, then this separator.
    Before(usize, FromLine),
    /// All bytes so far may belong to a preface.
    Open,
    /// There is no preface.
    No,
}

/// Whether `head`, the start of an mbox of this dialect, begins with a preface.
/// A preface consists of blank lines, rules and words. It has at most 23 lines
/// and 2 KiB. Its first line with words is not a header line. It contains no URL, because
/// every colon in it is followed by white space.
pub(crate) fn preface(dialect: Dialect, head: &[u8], eof: bool) -> Preface {
    let mut at = 0;
    for number in 0..PREFACE_LINES {
        let rest = &head[at..];
        let near = &rest[..rest.len().min(LINE)];
        let end = memchr::memchr(b'\n', near).map(|end| end + 1);
        let line = &near[..end.unwrap_or(near.len())];
        let is_from = line.starts_with(FROM);
        match end {
            Some(_) if is_from && number == 0 => return Preface::No,
            Some(end) if is_from => {
                let after_blank = head[..at].ends_with(b"\n\n") || head[..at].ends_with(b"\n\r\n");
                let after_blank = after_blank || matches!(&head[..at], b"\n" | b"\r\n");
                let line = FromLine::of(line);
                let needs = line.and_then(|line| Some((line, line.needs(dialect, after_blank)?)));
                let Some((line, follows)) = needs else {
                    return Preface::No;
                };
                return match follows.are_met_by(&rest[end..], &mut Seen::default(), eof) {
                    Some(Met::After(_)) => Preface::Before(at, line),
                    Some(Met::No) => Preface::No,
                    None => Preface::Open,
                };
            }
            None if near.len() < LINE && (is_from || FROM.starts_with(line)) => {
                return Preface::Open;
            }
            _ => {}
        }
        let is_first = head[..at].trim_ascii().is_empty();
        let is_field = || is_first && header_follows(line, &mut 0, true) == Some(true);
        let mut colons = memchr::memchr_iter(b':', line);
        let ends_word = |i: usize| line.get(i + 1).is_none_or(u8::is_ascii_whitespace);
        if !colons.all(ends_word) || is_field() || at + line.len() > PREFACE {
            return Preface::No;
        }
        match end {
            Some(end) => at += end,
            None if near.len() < LINE => return Preface::Open,
            None => return Preface::No,
        }
    }
    Preface::No
}

/// What [`separator_after_header`] searches for: the ends of a header, and a separator. It runs
/// for each message that is a file, and to make a finder takes as long as a search.
struct Finders {
    lf: memmem::Finder<'static>,
    crlf: memmem::Finder<'static>,
    from: memmem::Finder<'static>,
}

static FINDERS: LazyLock<Finders> = LazyLock::new(|| Finders {
    lf: memmem::Finder::new(b"\n\n"),
    crlf: memmem::Finder::new(b"\n\r\n"),
    from: memmem::Finder::new(b"\nFrom "),
});

/// Whether `head` is an mbox whose first message has no separator. `head`
/// begins with a header. A later line must be a complete separator, with a
/// blank line before it and a header line with a known name after it. A
/// multipart message is never such a file, because one of its parts may contain
/// an mbox.
pub(crate) fn separator_after_header(head: &[u8], whole: bool) -> Answer<Dialect> {
    let finders = &*FINDERS;
    let lf = finders.lf.find(head);
    let crlf = finders
        .crlf
        .find(&head[..lf.map_or(head.len(), |at| at + 2)]);
    let Some(body) = crlf.or(lf) else {
        return Answer::unless(whole);
    };
    let mut slashes = memchr::memchr_iter(b'/', &head[..body]);
    let is_multipart = |at| {
        let (before, _) = head.split_at(at);
        let word = before.last_chunk::<9>();
        word.is_some_and(|word| word.eq_ignore_ascii_case(b"multipart"))
    };
    if slashes.any(is_multipart) {
        return Answer::No;
    }
    for at in finders.from.find_iter(&head[body..]) {
        let (before, line) = head.split_at(body + at + 1);
        if !(before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n")) {
            continue;
        }
        let near = &line[..line.len().min(LINE)];
        let Some(end) = memchr::memchr(b'\n', near) else {
            continue;
        };
        let (line, rest) = line.split_at(end + 1);
        let Some(line) = FromLine::of(line) else {
            continue;
        };
        match Follows::KnownField.are_met_by(rest, &mut Seen::default(), whole) {
            None => return Answer::More,
            Some(Met::After(_)) => return Answer::Yes(line.dialect()),
            Some(Met::No) => {}
        }
    }
    Answer::unless(whole)
}

/// True for `-?DIGITS`, or `-?DIGITS@WORD`.
fn is_number(word: &[u8]) -> bool {
    let word = word.strip_prefix(b"-").unwrap_or(word);
    let digits = word.iter().take_while(|b| b.is_ascii_digit()).count();
    digits > 0
        && match &word[digits..] {
            [] => true,
            [b'@', host @ ..] => !host.is_empty() && host.iter().all(u8::is_ascii_graphic),
            _ => false,
        }
}

/// Splits an mbox into messages.
#[derive(Debug)]
pub(crate) struct Mbox {
    dialect: Dialect,
    finder: memmem::Finder<'static>,
    /// True until the first line is read.
    begin: bool,
    opening: Opening,
    /// True if the next byte is the first of a line.
    at_line: bool,
    last: Last,
    probe: Probe,
    unquote: Unquote,
}

/// Facts about the `From ` line at the start of the view. We keep them so that
/// a line that comes in many pieces is not examined from its start each time.
#[derive(Debug, Default)]
struct Probe {
    /// The length of the line with its line end. 0 if unknown.
    line: usize,
    /// The number of bytes examined, until the line is known.
    seen: usize,
    /// The bytes examined after the line.
    after: Seen,
    follows: Follows,
}

enum Verdict {
    /// More bytes are needed.
    More,
    No,
    /// The line is a separator. It has this length, with the lead after it.
    Yes(usize),
}

impl Mbox {
    pub fn new(dialect: Dialect) -> Mbox {
        Mbox {
            dialect,
            finder: memmem::Finder::new(b"From "),
            begin: true,
            opening: Opening::default(),
            at_line: true,
            last: Last::START,
            probe: Probe::default(),
            unquote: Unquote::new(),
        }
    }

    /// A splitter for a part of an mbox that begins at any byte. No message
    /// begins at its first byte.
    pub fn inside(dialect: Dialect) -> Mbox {
        Mbox {
            begin: false,
            at_line: false,
            last: Last([0; 3]),
            ..Mbox::new(dialect)
        }
    }

    pub fn step<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> usize {
        let View { buf, base, eof } = view;
        let mut at = 0;
        if self.begin {
            match self.begin(view, out) {
                None => return 0,
                Some(length) => at = length,
            }
        }
        loop {
            if self.at_line {
                match self.judge(&buf[at..], eof) {
                    Verdict::More => return at,
                    Verdict::No => self.at_line = false,
                    Verdict::Yes(length) => {
                        let offset = base + at as u64;
                        self.unquote.flush(offset, out);
                        out.start(&buf[at..at + length], offset, Shape::Message);
                        self.last.push(&buf[at..at + length]);
                        at += length;
                        continue;
                    }
                }
            }
            let rest = &buf[at..];
            let (line, quoted) = self.next_from(rest);
            let length = match line {
                Some(line) => {
                    self.at_line = true;
                    line
                }
                None if eof => rest.len(),
                None => {
                    let held = partial_line(rest, b"From ");
                    self.at_line = held.is_some();
                    held.unwrap_or(rest.len())
                }
            };
            self.body(&rest[..length], base + at as u64, quoted, out);
            at += length;
            if !self.at_line {
                if eof {
                    self.unquote.flush(base + at as u64, out);
                }
                return at;
            }
        }
    }

    /// Index of the next line of `rest` that begins with `From `, and whether a
    /// `>From ` precedes it. Both are found in one search.
    fn next_from(&self, rest: &[u8]) -> (Option<usize>, bool) {
        let mut quoted = false;
        for at in self.finder.find_iter(rest).filter(|&at| at > 0) {
            match rest[at - 1] {
                b'\n' => return (Some(at), quoted),
                b'>' => quoted = true,
                _ => {}
            }
        }
        (None, quoted)
    }

    /// Begins the first message, after a preface. Returns the length of the
    /// preface, of the separator line and of the lead. Returns 0 if there is neither, and
    /// `None` if more bytes are needed.
    fn begin<S: ContainerSink>(&mut self, view: View<'_>, out: &mut Out<'_, S>) -> Option<usize> {
        let View { buf, base, eof } = view;
        if !buf.starts_with(FROM) {
            let lead = self.opening.of(view, before_first_header)?;
            if lead > 0 {
                out.start(&buf[..lead], base, Shape::Message);
                self.last.push(&buf[..lead]);
                self.begin = false;
                self.at_line = false;
                return Some(lead);
            }
        }
        let before = match preface(self.dialect, buf, eof) {
            Preface::Before(length, _) => length,
            Preface::Open if !eof => return None,
            // A preface has no message and no URL.
            Preface::Open if !buf.starts_with(FROM) => buf.len(),
            _ => 0,
        };
        out.outside(&buf[..before], base, Outside::Frame);
        let (rest, base) = (&buf[before..], base + before as u64);
        if rest.starts_with(FROM) {
            // The first line was checked when the file was recognised. It is
            // always a separator.
            let window = &rest[..rest.len().min(LINE)];
            match memchr::memchr(b'\n', window) {
                Some(end) => {
                    let after = &rest[end + 1..];
                    let follows = Follows::AnyField;
                    let lead = match follows.are_met_by(after, &mut self.probe.after, eof) {
                        Some(Met::After(lead)) => lead,
                        Some(Met::No) => 0,
                        None if eof => 0,
                        None => return None,
                    };
                    self.probe = Probe::default();
                    let length = end + 1 + lead;
                    out.start(&rest[..length], base, Shape::Message);
                    self.last.push(&rest[..length]);
                    self.begin = false;
                    return Some(before + length);
                }
                None if !eof && window.len() < LINE => return None,
                None => {}
            }
        }
        if !rest.is_empty() {
            out.start(b"", base, Shape::Message);
            self.at_line = false;
            self.begin = false;
        }
        Some(before)
    }

    /// Decides whether the line at the start of `line` is a separator.
    fn judge(&mut self, line: &[u8], eof: bool) -> Verdict {
        if line.len() < FROM.len() {
            return if !eof && FROM.starts_with(line) {
                Verdict::More
            } else {
                Verdict::No
            };
        }
        if !line.starts_with(FROM) {
            return Verdict::No;
        }
        let verdict = self.judge_from(line, eof);
        if !matches!(verdict, Verdict::More) {
            self.probe = Probe::default();
        }
        verdict
    }

    fn judge_from(&mut self, line: &[u8], eof: bool) -> Verdict {
        let more = if eof { Verdict::No } else { Verdict::More };
        if self.probe.line == 0 {
            let window = &line[..line.len().min(LINE)];
            let seen = self.probe.seen;
            let Some(end) = memchr::memchr(b'\n', &window[seen..]) else {
                self.probe.seen = window.len();
                return if window.len() < LINE {
                    more
                } else {
                    Verdict::No
                };
            };
            let length = seen + end + 1;
            let needs = FromLine::of(&line[..length])
                .and_then(|l| l.needs(self.dialect, self.last.is_blank_line()));
            let Some(follows) = needs else {
                return Verdict::No;
            };
            self.probe = Probe {
                line: length,
                seen: 0,
                after: Seen::default(),
                follows,
            };
        }
        let length = self.probe.line;
        let field = &line[length..];
        let follows = self.probe.follows;
        match follows.are_met_by(field, &mut self.probe.after, eof) {
            None => more,
            Some(Met::After(lead)) => Verdict::Yes(length + lead),
            Some(Met::No) => Verdict::No,
        }
    }

    /// Passes on bytes of the message. `quoted` means that they may contain a
    /// `>From `.
    fn body<S: ContainerSink>(
        &mut self,
        bytes: &[u8],
        offset: u64,
        quoted: bool,
        out: &mut Out<'_, S>,
    ) {
        self.last.push(bytes);
        if !out.cuts_only() {
            self.unquote.feed(bytes, offset, quoted, out);
        }
    }
}

/// The last three bytes. They show whether a line is blank.
#[derive(Debug)]
struct Last([u8; 3]);

impl Last {
    /// The start of a stream counts as the start of a line.
    const START: Last = Last([0, 0, b'\n']);

    fn push(&mut self, bytes: &[u8]) {
        match bytes.last_chunk() {
            Some(last) => self.0 = *last,
            None => {
                for &b in bytes {
                    self.0 = [self.0[1], self.0[2], b];
                }
            }
        }
    }

    /// True if the last complete line was empty.
    fn is_blank_line(&self) -> bool {
        matches!(self.0, [_, b'\n', b'\n'] | [b'\n', b'\r', b'\n'])
    }
}

/// Removes the `>` directly before `From ` in lines that begin with one or more
/// `>` and `From `. Removing the last `>` leaves the same bytes as removing the
/// first, and at most five bytes need to be held back.
#[derive(Debug)]
struct Unquote {
    finder: memmem::Finder<'static>,
    /// True if the line so far has only `>`.
    margin: bool,
    /// The number of bytes of `>From ` that are held back. Only `>` precede
    /// this `>` in its line.
    held: usize,
}

impl Unquote {
    const MARK: &'static [u8] = b">From ";

    fn new() -> Unquote {
        Unquote {
            finder: memmem::Finder::new(Self::MARK),
            margin: true,
            held: 0,
        }
    }

    /// Passes on `bytes`. `quoted` is false if they contain no whole mark.
    fn feed<S: ContainerSink>(
        &mut self,
        bytes: &[u8],
        offset: u64,
        quoted: bool,
        out: &mut Out<'_, S>,
    ) {
        let mut from = 0;
        if self.held > 0 {
            let wanted = &Self::MARK[self.held..];
            let same = wanted.iter().zip(bytes).take_while(|(a, b)| a == b).count();
            if same == wanted.len() {
                self.seam(offset - self.held as u64, out);
                from = same;
                self.margin = false;
            } else if same == bytes.len() {
                self.held += same;
                return;
            } else {
                // After a single `>` the next byte is still in the margin.
                self.margin = self.held == 1;
                self.flush_held(offset, out);
            }
        }
        let mut search = from;
        while quoted && let Some(found) = self.finder.find(&bytes[search..]) {
            let mark = search + found;
            search = mark + Self::MARK.len();
            if self.in_margin(&bytes[from..mark]) {
                out.data(&bytes[from..mark], offset + from as u64);
                self.seam(offset + mark as u64, out);
                from = search;
                self.margin = false;
                // `seam` has passed on the rest of the mark.
            }
        }
        let rest = &bytes[from..];
        // Fast path: most slices end with a line, and not with a part of a
        // mark.
        let held = (1..Self::MARK.len().min(rest.len() + 1))
            .rev()
            .filter(|_| !rest.ends_with(b"\n"))
            .find(|&n| rest.ends_with(&Self::MARK[..n]))
            .filter(|&n| self.in_margin(&rest[..rest.len() - n]))
            .unwrap_or(0);
        let pass = &rest[..rest.len() - held];
        out.data(pass, offset + from as u64);
        self.margin = self.in_margin(pass);
        self.held = held;
    }

    /// True if only `>` precede the byte after `before` in its line. The
    /// backward scan stops at the byte before a run of `>`. So no byte is
    /// visited for two marks.
    fn in_margin(&self, before: &[u8]) -> bool {
        match before.iter().rposition(|&b| b != b'>') {
            Some(i) => before[i] == b'\n',
            None => self.margin,
        }
    }

    /// Handles the mark at `offset`: removes its `>` and passes on the rest.
    fn seam<S: ContainerSink>(&mut self, offset: u64, out: &mut Out<'_, S>) {
        out.seam(SeamKind::FromQuote, Span::new(offset, offset + 1));
        out.data(&Self::MARK[1..], offset + 1);
        self.held = 0;
    }

    /// Passes on the bytes that are held back. They end at `offset`.
    fn flush_held<S: ContainerSink>(&mut self, offset: u64, out: &mut Out<'_, S>) {
        out.data(&Self::MARK[..self.held], offset - self.held as u64);
        self.held = 0;
    }

    /// Ends the message at `offset`.
    fn flush<S: ContainerSink>(&mut self, offset: u64, out: &mut Out<'_, S>) {
        self.flush_held(offset, out);
        self.margin = true;
    }
}
