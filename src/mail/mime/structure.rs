//! The structure of a message: header blocks, boundaries, and which decoder
//! each part needs.

use std::fmt::Write;
use std::ops::Range;

use memchr::{memchr, memmem, memrchr};

use crate::span::{SeamKind, Span};

use super::format::TextFormat;
use super::head::Head;
use super::header::{Line, MAX_HEADER};
use super::out::Cx;
use super::piece::{Piece, line_feeds};
use super::transfer::Transfer;
use super::uu::{self, Encoded, Verdict};
use super::{
    Encoding, MailSink, MessageInfo, MessageMeta, NoteKind, Part, PartEnd, PartKind, Sibling,
    WalkerConfig,
};

/// How deep parts may be nested in one another; deeper ones are read as text.
pub const MAX_DEPTH: usize = 64;

/// > Boundary delimiters must … be no longer than 70 characters, not counting
/// > the two leading hyphens. (RFC 2046 section 5.1.1)
///
/// Writers exceed it; this is where a boundary stops to be one.
const MAX_BOUNDARY: usize = 512;
/// A longer line is no boundary, and no line of a uuencoded or yEnc file.
const MAX_LINE: usize = 1100;

/// Takes one message after another apart. See the [module](super) for what it
/// does and an example.
///
/// A walker keeps its buffers from one message to the next, so that small
/// messages need no allocation.
#[derive(Debug)]
pub struct Walker {
    config: WalkerConfig,
    state: State,
    /// Multiparts and messages that the current part stands in, outermost
    /// first.
    frames: Vec<Frame>,
    /// The boundaries of the frames, one behind the other.
    boundaries: Vec<u8>,

    head: Head,
    /// The header block is that of a message, not of a part of one.
    of_message: bool,
    /// … and of the outermost.
    outermost: bool,
    info: MessageInfo,
    /// A line that was taken out of the header block.
    spare: Vec<u8>,

    part: Part,
    leaf: Leaf,
    stages: Transfer,
    noted: u32,

    /// The end of the bytes so far, while they may be the line break before a
    /// boundary and the start of one, or another line that matters. Stands in
    /// the source without a gap.
    hold: Vec<u8>,
    hold_source: u64,
    /// The next byte starts a line (and the line break before it is not in
    /// `hold`).
    line_starts: bool,
    uu: Encoded,
    /// Files are looked for in this part.
    watch: bool,
    /// Line feeds of the file that is being skipped.
    skipped: i64,

    /// The line of the source that the next byte stands on; kept up only while
    /// a part may still follow.
    line: u64,
    /// Source offset of the next byte.
    at: u64,
    dashes: memmem::Finder<'static>,
    begin: memmem::Finder<'static>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    Header,
    Body,
}

/// What becomes of the bytes of the current part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaf {
    /// Nothing.
    Skip,
    /// As `Skip`, in a part that the sink knows of.
    Binary,
    /// A part with these bytes starts at the first that is not white space.
    Around(Around),
    /// They are decoded.
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Preamble,
    Epilogue,
}

#[derive(Debug)]
struct Frame {
    /// The boundary in `boundaries`; `None` for a message.
    boundary: Option<(Range<usize>, u64)>,
    /// Length of the path of the multipart or message itself.
    path: usize,
    /// Parts so far.
    children: u32,
    mixed: bool,
    /// > … in a digest, the default Content-Type … is changed from
    /// > "text/plain" to "message/rfc822". (RFC 2046 section 5.1.5)
    digest: bool,
    /// The last part so far.
    last: Option<Sibling>,
}

/// What a whole line in a body is.
enum Found {
    Text,
    /// The boundary of this frame; true if it is the last one.
    Boundary(usize, bool),
    File(Encoded),
}

impl Walker {
    /// A walker; the first message starts with [`Walker::message`].
    #[must_use]
    pub fn new(config: WalkerConfig) -> Walker {
        Walker {
            config,
            state: State::Idle,
            frames: Vec::new(),
            boundaries: Vec::new(),
            head: Head::default(),
            of_message: true,
            outermost: true,
            info: MessageInfo::default(),
            spare: Vec::new(),
            part: Part::default(),
            leaf: Leaf::Skip,
            stages: Transfer::default(),
            noted: 0,
            hold: Vec::new(),
            hold_source: 0,
            line_starts: true,
            uu: Encoded::None,
            watch: false,
            skipped: 0,
            line: 1,
            at: 0,
            dashes: memmem::Finder::new(b"\n--"),
            begin: memmem::Finder::new(b"begin "),
        }
    }

    /// Starts a message. One that was not finished is forgotten.
    pub fn message(&mut self, meta: MessageMeta) {
        self.frames.clear();
        self.boundaries.clear();
        self.info.clear();
        self.part.path.clear();
        self.leaf = Leaf::Skip;
        self.hold.clear();
        self.uu = Encoded::None;
        self.watch = false;
        self.skipped = 0;
        self.noted = 0;
        self.line = meta.line;
        self.outermost = true;
        self.start_header(true);
    }

    /// The next bytes of the message, which stand at `source`. Without a
    /// message that was started they are ignored.
    pub fn feed<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) {
        if !self.hold.is_empty() && self.hold_source + self.hold.len() as u64 != source {
            self.release_all(sink);
        }
        self.read(bytes, source, sink);
        self.at = source + bytes.len() as u64;
    }

    fn read<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) {
        let mut n = 0;
        while n < bytes.len() {
            let (rest, here) = (&bytes[n..], source + n as u64);
            n += match self.state {
                State::Idle => return,
                State::Header => self.header(rest, here, sink),
                State::Body => self.body(rest, here, sink),
            };
        }
    }

    /// The container removed the source bytes `span` here, at the start of a
    /// line; they hold `lines` line feeds.
    pub fn feed_seam<S: MailSink>(&mut self, kind: SeamKind, span: Span, lines: i64, sink: &mut S) {
        match self.state {
            State::Idle => return,
            State::Header => self.head.block.seam(kind, span, lines),
            State::Body if self.uu != Encoded::None => self.skipped += lines,
            State::Body => {
                // What the container quotes is neither a boundary nor a file.
                self.release_all(sink);
                if self.leaf == Leaf::Text {
                    let (stages, mut cx) = self.stages(sink);
                    stages.put(Piece::seam(kind, span, b"", lines), &mut cx);
                }
            }
        }
        self.line = self.line.saturating_add_signed(lines);
    }

    /// The message ends here.
    pub fn finish<S: MailSink>(&mut self, sink: &mut S) {
        if self.state == State::Header {
            if !self.head.block.current().is_empty() {
                self.header_line(sink);
            }
            // Twice, if what was taken for a body starts another header.
            while self.state == State::Header {
                if !self.recall(sink) {
                    self.end_header(sink);
                    self.start_body(sink);
                }
            }
        }
        if self.state == State::Body {
            if !self.hold.is_empty() {
                self.settle(true, sink);
            }
            self.release_all(sink);
            self.end_leaf(true, sink);
            if self.frames.iter().any(|f| f.boundary.is_some()) {
                self.note(NoteKind::MissingEnd, self.at, sink);
            }
        }
        self.state = State::Idle;
    }

    fn note<S: MailSink>(&mut self, kind: NoteKind, at: u64, sink: &mut S) {
        self.stages(sink).1.note(kind, Some(at));
    }

    /// The decoders, and what they need.
    fn stages<'a, S>(&'a mut self, sink: &'a mut S) -> (&'a mut Transfer, Cx<'a, S>) {
        let cx = Cx {
            sink,
            part: &self.part,
            noted: &mut self.noted,
        };
        (&mut self.stages, cx)
    }

    // Header blocks.

    fn start_header(&mut self, of_message: bool) {
        self.state = State::Header;
        self.of_message = of_message;
        self.noted = 0;
        self.head.block.start(self.line);
    }

    /// Reads one line of a header block, or the start of one; returns how many
    /// bytes were read.
    fn header<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) -> usize {
        let room = MAX_HEADER - self.head.block.len();
        let end = memchr(b'\n', bytes).map(|i| i + 1);
        let n = end.unwrap_or(bytes.len()).min(room);
        self.head.block.push(&bytes[..n], source);
        self.at = source + n as u64;
        if end == Some(n) {
            self.line += 1;
            self.header_line(sink);
        }
        if self.state == State::Header && self.head.block.len() == MAX_HEADER {
            self.note(NoteKind::HeaderTooLong, source + n as u64, sink);
            let cut = !self.head.block.current().is_empty();
            if cut && self.head.block.end_line() == Line::Other {
                self.start_without_blank(sink);
            } else if !self.recall(sink) {
                self.end_header(sink);
                self.start_body(sink);
                self.line_starts = !cut;
            }
        }
        n
    }

    /// Decides on the line of the header block that was read last.
    fn header_line<S: MailSink>(&mut self, sink: &mut S) {
        let line = self.head.block.current();
        if line.starts_with(b"--")
            && let Found::Boundary(frame, last) = self.classify(line)
        {
            if self.recall(sink) {
                return;
            }
            // A header block that nothing follows.
            self.head.block.drop_line();
            self.end_header(sink);
            self.start_body(sink);
            self.boundary(frame, last, sink);
            return;
        }
        match self.head.block.end_line() {
            Line::Part => {}
            Line::Blank => {
                self.end_header(sink);
                self.start_body(sink);
            }
            Line::Other => self.start_without_blank(sink),
        }
    }

    /// If the header block ends in lines that look like no header, starts the
    /// body with them.
    fn recall<S: MailSink>(&mut self, sink: &mut S) -> bool {
        let recalled = self.head.block.recall();
        if recalled {
            self.start_without_blank(sink);
        }
        recalled
    }

    /// Starts the body with the current lines of the header block.
    fn start_without_blank<S: MailSink>(&mut self, sink: &mut S) {
        let (source, lines) = self.head.block.current_source();
        self.line = self.line.saturating_sub(lines);
        self.at = source;
        let mut text = std::mem::take(&mut self.spare);
        text.clear();
        text.extend_from_slice(self.head.block.current());
        self.head.block.drop_line();
        self.end_header(sink);
        self.note(NoteKind::MissingSeparator, source, sink);
        self.start_body(sink);
        self.read(&text, source, sink);
        // What a nested header block took from it in the meantime is smaller.
        self.spare = text;
    }

    /// Reads what the block says, and hands its fields on.
    fn end_header<S: MailSink>(&mut self, sink: &mut S) {
        let parent = match self.of_message {
            true => None,
            false => self.frames.last(),
        };
        let default = match parent {
            Some(f) if f.digest => "message/rfc822",
            // > … default … "text/plain; charset=us-ascii" … recommended …
            // > for … a syntactically invalid Content-Type … (RFC 2045
            // > section 5.2)
            _ => "text/plain",
        };
        self.part.after = parent.filter(|f| f.mixed).and_then(|f| f.last);
        let unknown = self.head.read_part(default, &mut self.part);
        if self.of_message && std::mem::take(&mut self.outermost) {
            self.head.read_info(&mut self.info);
            sink.headers(&self.info);
        }
        let out = &mut self.stages.next.next.out;
        self.head.hand(self.config.headers, &self.part, out, sink);
        if let Some(at) = unknown {
            self.note(NoteKind::UnknownEncoding, at, sink);
        }
    }

    // Bodies.

    /// Starts the body that the header block read last belongs to.
    fn start_body<S: MailSink>(&mut self, sink: &mut S) {
        self.state = State::Body;
        self.line_starts = true;
        self.hold.clear();
        self.watch = false;
        self.leaf = Leaf::Skip;
        self.head.parse_type();
        let at = self.at;
        let deep = self.frames.len() >= MAX_DEPTH;
        let multipart = self.part.content_type.strip_prefix("multipart/");
        if let Some(subtype) = multipart {
            let (mixed, digest) = (subtype == "mixed", subtype == "digest");
            let start = self.boundaries.len();
            self.head.params.get(b"boundary", &mut self.boundaries);
            // > … not end with a space … (RFC 2046 section 5.1.1, and a space
            // > at the end of a boundary line is not part of it)
            let len = self.boundaries[start..].trim_ascii_end().len();
            self.boundaries.truncate(start + len);
            if (1..=MAX_BOUNDARY).contains(&len) && !deep {
                self.set_last(Sibling::Multipart);
                let boundary = &self.boundaries[start..];
                let hash = hash(boundary);
                self.frames.push(Frame {
                    boundary: Some((start..start + len, hash)),
                    path: self.part.path.len(),
                    children: 0,
                    mixed,
                    digest,
                    last: None,
                });
                self.leaf = Leaf::Around(Around::Preamble);
                return;
            }
            self.boundaries.truncate(start);
            let kind = if deep {
                NoteKind::TooDeep
            } else {
                NoteKind::MissingBoundary
            };
            self.note(kind, at, sink);
        }
        if self.of_message {
            self.push_path(1);
        }
        let message = matches!(
            &self.part.content_type[..],
            "message/rfc822" | "message/news" | "message/global"
        );
        if message && self.part.encoding == Encoding::Identity {
            if !deep {
                self.set_last(Sibling::Other);
                self.frames.push(Frame {
                    boundary: None,
                    path: self.part.path.len(),
                    children: 0,
                    mixed: false,
                    digest: false,
                    last: None,
                });
                self.start_header(true);
                return;
            }
            self.note(NoteKind::TooDeep, at, sink);
        }
        self.start_leaf(sink);
    }

    fn set_last(&mut self, sibling: Sibling) {
        if !self.of_message
            && let Some(f) = self.frames.last_mut()
        {
            f.last = Some(sibling);
        }
    }

    fn push_path(&mut self, number: u32) {
        let dot = if self.part.path.is_empty() { "" } else { "." };
        // Writing to a string cannot fail.
        _ = write!(self.part.path, "{dot}{number}");
    }

    /// Starts a part that holds no others.
    fn start_leaf<S: MailSink>(&mut self, sink: &mut S) {
        let part = &self.part;
        let (major, minor) = part.content_type.split_once('/').unwrap_or_default();
        let html = matches!(
            &part.content_type[..],
            "text/html" | "application/xhtml+xml"
        );
        let is_text = match major {
            "text" | "message" | "multipart" => true,
            // What needs no base64 is text more often than not, and so is
            // what is called so.
            "application" => {
                html || part.encoding != Encoding::Base64 || is_text_name(&part.file_name)
            }
            _ => false,
        };
        let is_file = part.attachment || !matches!(major, "text" | "multipart");
        let kind = match (is_text, html, is_file) {
            (false, ..) => PartKind::Binary,
            (true, true, _) => PartKind::HtmlText,
            (true, false, true) => PartKind::Attachment,
            (true, false, false) => PartKind::Body,
        };
        let format = if html {
            TextFormat::Html
        } else if minor == "plain" && self.head.param_is(b"format", b"flowed") {
            TextFormat::Flowed {
                delete_space: self.head.param_is(b"delsp", b"yes"),
            }
        } else {
            TextFormat::Plain
        };
        let at = self.at;
        self.set_last(if is_text {
            Sibling::Text
        } else {
            Sibling::Other
        });
        sink.part_start(&self.part.info(kind, Some(at), self.line));
        if is_text {
            self.start_text(format, at, sink);
            self.watch = self.part.encoding == Encoding::Identity && !html;
        } else {
            self.leaf = Leaf::Binary;
        }
    }

    fn start_text<S: MailSink>(&mut self, format: TextFormat, at: u64, sink: &mut S) {
        self.leaf = Leaf::Text;
        self.stages.start(self.part.encoding);
        let known = self.stages.next.start(&self.part.charset);
        self.stages.next.next.start(format, self.line);
        if !known {
            self.note(NoteKind::UnknownCharset, at, sink);
        }
    }

    fn end_leaf<S: MailSink>(&mut self, last: bool, sink: &mut S) {
        self.end_file(sink);
        match self.leaf {
            Leaf::Skip | Leaf::Around(_) => {}
            Leaf::Binary => sink.part_end(PartEnd { last }),
            Leaf::Text => {
                let (stages, mut cx) = self.stages(sink);
                stages.finish(&mut cx);
                sink.part_end(PartEnd { last });
            }
        }
        self.leaf = Leaf::Skip;
        self.watch = false;
    }

    /// A boundary line of the frame was read.
    fn boundary<S: MailSink>(&mut self, frame: usize, last: bool, sink: &mut S) {
        let inner = self.frames.len() - 1 > frame;
        self.end_leaf(inner || last, sink);
        self.noted = 0;
        let open = &self.frames[frame + 1..];
        if open.iter().any(|f| f.boundary.is_some()) {
            self.note(NoteKind::MissingEnd, self.at, sink);
        }
        let keep = frame + usize::from(!last);
        let path = self.frames[frame].path;
        for f in self.frames.drain(keep..).rev() {
            if let Some((range, _)) = f.boundary {
                self.boundaries.truncate(range.start);
            }
        }
        self.part.path.truncate(path);
        self.line_starts = true;
        if last {
            self.state = State::Body;
            self.leaf = Leaf::Around(Around::Epilogue);
        } else {
            let f = &mut self.frames[frame];
            f.children = f.children.saturating_add(1);
            let number = f.children;
            self.push_path(number);
            self.start_header(false);
        }
    }

    /// Bytes of the current part.
    fn emit<S: MailSink>(&mut self, mut bytes: &[u8], mut source: u64, sink: &mut S) {
        if let Leaf::Around(around) = self.leaf {
            let space = bytes.iter().take_while(|b| b.is_ascii_whitespace()).count();
            self.line += line_feeds(&bytes[..space]) as u64;
            bytes = &bytes[space..];
            source += space as u64;
            if bytes.is_empty() {
                return;
            }
            self.start_around(around, source, sink);
        }
        if self.leaf == Leaf::Text {
            let (stages, mut cx) = self.stages(sink);
            stages.put(Piece::copy(bytes, source), &mut cx);
        }
        self.count(bytes);
    }

    fn start_around<S: MailSink>(&mut self, around: Around, source: u64, sink: &mut S) {
        self.push_path(0);
        let part = &mut self.part;
        part.content_type.clear();
        part.content_type.push_str("text/plain");
        part.encoding = Encoding::Identity;
        part.attachment = false;
        part.charset.clear();
        part.file_name.clear();
        part.after = None;
        let kind = match around {
            Around::Preamble => PartKind::Preamble,
            Around::Epilogue => PartKind::Epilogue,
        };
        sink.part_start(&part.info(kind, Some(source), self.line));
        self.start_text(TextFormat::Plain, source, sink);
    }

    /// Counts the lines of bytes that were read, if any part may still follow.
    fn count(&mut self, bytes: &[u8]) {
        if self.is_bound() {
            self.line += line_feeds(bytes) as u64;
        }
    }

    /// True if a boundary may come.
    fn is_bound(&self) -> bool {
        self.frames.iter().any(|f| f.boundary.is_some())
    }

    /// Reads some bytes of a body; returns how many.
    fn body<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) -> usize {
        let bound = self.is_bound();
        if !bound && !self.watch {
            self.emit(bytes, source, sink);
            return bytes.len();
        }
        if !self.hold.is_empty() || self.line_starts || self.uu != Encoded::None {
            return self.extend_hold(bytes, source, sink);
        }
        // In the middle of a line: to the next line that matters, or the end.
        let mut search = 0;
        let mut lines = Candidates::new(bound, self.watch);
        while let Some(feed) = lines.next(bytes, search, &self.dashes, &self.begin) {
            let line = &bytes[feed + 1..];
            let end = memchr(b'\n', &line[..line.len().min(MAX_LINE)]);
            let Some(end) = end else {
                if line.len() < MAX_LINE {
                    // The rest of the line comes with the next bytes.
                    return self.hold_from(bytes, break_start(bytes, feed), source, sink);
                }
                search = feed + 1;
                continue;
            };
            match self.classify(&line[..end]) {
                Found::Text => search = feed + 1,
                Found::File(uu) => {
                    let n = feed + 1 + end + 1;
                    self.emit(&bytes[..n], source, sink);
                    self.start_file(uu, source + n as u64, sink);
                    return n;
                }
                Found::Boundary(frame, last) => {
                    let before = break_start(bytes, feed);
                    let n = feed + 1 + end + 1;
                    self.emit(&bytes[..before], source, sink);
                    self.count(&bytes[before..n]);
                    self.at = source + n as u64;
                    self.boundary(frame, last, sink);
                    return n;
                }
            }
        }
        // What the last line is may be clear only with the next bytes.
        let feed = memrchr(b'\n', &bytes[bytes.len().saturating_sub(MAX_LINE)..])
            .map(|i| i + bytes.len().saturating_sub(MAX_LINE));
        match feed {
            Some(i) if i + 1 == bytes.len() && !bound => self.line_starts = true,
            Some(i) if self.may_matter(&bytes[i + 1..]) => {
                return self.hold_from(bytes, break_start(bytes, i), source, sink);
            }
            _ if bound && bytes.ends_with(b"\r") => {
                return self.hold_from(bytes, bytes.len() - 1, source, sink);
            }
            _ => {}
        }
        self.emit(bytes, source, sink);
        bytes.len()
    }

    /// Gives the bytes before `from` and holds the others.
    fn hold_from<S: MailSink>(
        &mut self,
        bytes: &[u8],
        from: usize,
        source: u64,
        sink: &mut S,
    ) -> usize {
        self.emit(&bytes[..from], source, sink);
        self.hold_source = source + from as u64;
        self.hold.extend_from_slice(&bytes[from..]);
        bytes.len()
    }

    /// Adds bytes up to the next line feed to what is held, and decides on it.
    fn extend_hold<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) -> usize {
        if self.hold.is_empty() {
            self.hold_source = source;
        }
        let room = MAX_LINE + self.held_break() - self.hold.len();
        let n = memchr(b'\n', bytes)
            .map_or(bytes.len(), |i| i + 1)
            .min(room);
        self.hold.extend_from_slice(&bytes[..n]);
        self.settle(false, sink);
        n
    }

    /// True if a line that starts like this may be one that matters.
    fn may_matter(&self, line: &[u8]) -> bool {
        let like = |mark: &[u8]| line.starts_with(mark) || mark.starts_with(line);
        like(b"--") && self.is_bound() || self.watch && uu::MARKS.iter().any(|m| like(m))
    }

    /// Decides on what is held: a line break or none, and the start of a line
    /// or all of it. At the `end` of the message a line needs no line feed.
    fn settle<S: MailSink>(&mut self, end: bool, sink: &mut S) {
        let start = self.held_break();
        let line = &self.hold[start..];
        if line.is_empty() || line == b"\r" && start == 0 && !end {
            return;
        }
        let whole = end || line.ends_with(b"\n");
        let full = line.len() >= MAX_LINE;
        if !whole && !full && (self.uu != Encoded::None || self.may_matter(line)) {
            return;
        }
        let mut found = Found::Text;
        if whole {
            found = self.classify(line);
        }
        if let Found::Boundary(frame, last) = found {
            self.at = self.hold_source + self.hold.len() as u64;
            self.drop_hold();
            self.boundary(frame, last, sink);
            return;
        }
        if self.uu != Encoded::None {
            if self.uu.line(line) == Verdict::Data {
                self.skipped += line_feeds(line);
                self.drop_hold();
                self.line_starts = true;
                return;
            }
            self.end_file(sink);
        }
        if let Found::File(uu) = found {
            let at = self.hold_source + self.hold.len() as u64;
            self.release_all(sink);
            self.start_file(uu, at, sink);
        } else {
            self.release(sink);
        }
    }

    /// How long the line break at the start of what is held is. Among the lines
    /// of a file only whole lines are held.
    fn held_break(&self) -> usize {
        match self.uu {
            Encoded::None => break_len(&self.hold),
            _ => 0,
        }
    }

    fn drop_hold(&mut self) {
        let lines = line_feeds(&self.hold) as u64;
        if self.is_bound() {
            self.line += lines;
        }
        self.hold.clear();
    }

    /// Gives what is held as text, but for a line break at its end, or the
    /// start of one, which may belong to a boundary.
    fn release<S: MailSink>(&mut self, sink: &mut S) {
        let len = self.hold.len();
        let from = match self.hold.last() {
            Some(b'\n') => break_start(&self.hold, len - 1),
            Some(b'\r') => len - 1,
            _ => len,
        };
        if !self.is_bound() || from == len {
            let line_starts = self.hold.ends_with(b"\n");
            self.release_all(sink);
            self.line_starts = line_starts;
            return;
        }
        let mut hold = std::mem::take(&mut self.hold);
        self.emit(&hold[..from], self.hold_source, sink);
        hold.drain(..from);
        self.hold = hold;
        self.hold_source += from as u64;
        self.line_starts = false;
    }

    fn release_all<S: MailSink>(&mut self, sink: &mut S) {
        let hold = std::mem::take(&mut self.hold);
        if !hold.is_empty() {
            self.emit(&hold, self.hold_source, sink);
        }
        self.hold = hold;
        self.hold.clear();
        self.line_starts = false;
    }

    /// What a whole line of a body is, with or without its line break.
    fn classify(&self, line: &[u8]) -> Found {
        let line = line.trim_ascii_end();
        if let Some(rest) = line.strip_prefix(b"--") {
            if let Some((frame, last)) = self.find_boundary(rest) {
                return Found::Boundary(frame, last);
            }
        } else if self.watch && self.leaf == Leaf::Text {
            let uu = uu::begins(line);
            if uu != Encoded::None {
                return Found::File(uu);
            }
        }
        Found::Text
    }

    /// The innermost frame whose boundary `line` is.
    fn find_boundary(&self, line: &[u8]) -> Option<(usize, bool)> {
        if line.len() > MAX_BOUNDARY + 2 {
            return None;
        }
        let closing = line.strip_suffix(b"--").map(|l| (l, hash(l)));
        let open = (line, hash(line));
        let is = |(text, h): (&[u8], u64), frame: &Frame| {
            frame
                .boundary
                .as_ref()
                .is_some_and(|(range, b)| *b == h && self.boundaries[range.clone()] == *text)
        };
        self.frames.iter().enumerate().rev().find_map(|(i, f)| {
            if is(open, f) {
                Some((i, false))
            } else {
                closing.is_some_and(|c| is(c, f)).then_some((i, true))
            }
        })
    }

    // Files in the text.

    fn start_file<S: MailSink>(&mut self, uu: Encoded, at: u64, sink: &mut S) {
        self.uu = uu;
        self.line_starts = true;
        self.note(NoteKind::EncodedFile, at, sink);
    }

    fn end_file<S: MailSink>(&mut self, sink: &mut S) {
        self.uu = Encoded::None;
        let lines = std::mem::take(&mut self.skipped);
        if lines != 0 && self.leaf == Leaf::Text {
            let (stages, mut cx) = self.stages(sink);
            stages.put(Piece::opaque(b"", lines), &mut cx);
        }
    }
}

/// How long the line break at the start of `bytes` is.
fn break_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    }
}

/// Where the line break that ends with the line feed at `feed` starts.
fn break_start(bytes: &[u8], feed: usize) -> usize {
    feed - usize::from(feed > 0 && bytes[feed - 1] == b'\r')
}

/// Line feeds before lines that may matter, in order.
struct Candidates {
    bound: bool,
    watch: bool,
    /// The next of each kind; searched for once.
    dashes: Option<usize>,
    begin: Option<usize>,
}

impl Candidates {
    fn new(bound: bool, watch: bool) -> Candidates {
        Candidates {
            bound,
            watch,
            dashes: Some(0),
            begin: Some(0),
        }
    }

    /// The first at `from` or behind it. `from` never goes back.
    fn next(
        &mut self,
        bytes: &[u8],
        from: usize,
        dashes: &memmem::Finder<'_>,
        begin: &memmem::Finder<'_>,
    ) -> Option<usize> {
        if self.bound
            && let Some(i) = self.dashes
            && (i < from || i == 0)
        {
            self.dashes = dashes.find(&bytes[from..]).map(|i| i + from);
        }
        if self.watch
            && let Some(i) = self.begin
            && (i < from || i == 0)
        {
            let mut at = from;
            self.begin = loop {
                let Some(i) = begin.find(&bytes[at..]) else {
                    break None;
                };
                let word = at + i;
                let start = word - if bytes[..word].ends_with(b"=y") { 2 } else { 0 };
                if start > from && bytes[start - 1] == b'\n' {
                    break Some(start - 1);
                }
                at = word + 1;
            };
        }
        let dashes = self.dashes.filter(|_| self.bound);
        let begin = self.begin.filter(|_| self.watch);
        match (dashes, begin) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

/// Names of files that are text although they came as something else.
fn is_text_name(name: &[u8]) -> bool {
    const ENDINGS: &[&str] = &[
        "txt", "text", "log", "diff", "patch", "htm", "html", "xml", "csv", "md", "tex", "c", "h",
        "pl", "py", "sh", "el", "lisp", "ics", "vcf", "eml", "json", "url",
    ];
    let Some(dot) = memrchr(b'.', name) else {
        return false;
    };
    let ending = &name[dot + 1..];
    ENDINGS
        .iter()
        .any(|e| ending.eq_ignore_ascii_case(e.as_bytes()))
}

/// FNV-1a: boundaries are compared byte by byte only if their hashes are equal.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |h, &b| {
        (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3)
    })
}
