//! The structure of a message: header blocks, boundaries, and decoders of
//! parts.

mod leaf;
mod lines;

use std::fmt::Write;
use std::ops::Range;

use urlgrep_base::span::{SeamKind, Span};
use urlgrep_containers::{Coding, Record};

use self::lines::{Ahead, MAX_BOUNDARY, find_boundary, hash};
use super::builder::{MessageMeta, WalkerBuilder};
use super::head::Head;
use super::header::{BlockEnd, MAX_HEADER};
use super::html::base_scheme;
use super::info::MessageInfo;
use super::mapped::MappedBytes;
use super::note::MessageNoteKind;
use super::out::Cx;
use super::part::{Context, Encoding, Part, Sibling};
use super::policy::HeaderPolicy;
use super::sink::MailSink;
use super::text::{Entry, Text};
use super::transfer::Transfer;
use super::uu::Encoded;
use crate::Author;

/// The maximum depth of parts. Deeper parts are read as text.
pub const MAX_DEPTH: usize = 64;

/// The number of bytes of a header block that are collected in the first step,
/// and the maximum number in one step. Up to this maximum, each step doubles the
/// block. So there are few steps, and few bytes of the body are collected.
const HEADER_BYTES: usize = 512;
const HEADER_STEP: usize = 2048;

/// Parses one message after another. See the module for a description and an
/// example.
///
/// A walker reuses its buffers. So small messages need no allocation.
///
/// It is one thing: a line can end the header, the part and the parts around it at once, and
/// each of these groups of fields is read and changed by the step of a line.
#[derive(Debug)]
pub struct Walker {
    config: WalkerBuilder,
    state: PartState,
    /// The multiparts and messages around the current part, the outermost
    /// first.
    frames: Vec<Frame>,
    /// The boundaries of all frames, one after the other.
    boundaries: Vec<u8>,

    head: Head,
    /// The header block belongs to a message, not to a part.
    of_message: bool,
    /// The header block belongs to the outermost message.
    outermost: bool,
    /// The header block is that of HTTP, and `info` is that of a record.
    of_http: bool,
    info: MessageInfo,
    /// A line that was taken from the header block.
    spare: Vec<u8>,

    part: Part,
    leaf: Leaf,
    stages: Transfer,
    noted: u32,

    /// Bytes at the end of the input that were not read, because the rest of
    /// their line decides about them. They are contiguous in the source.
    hold: Vec<u8>,
    hold_source: u64,
    /// The length of `hold` at which it is read again even if its line is not
    /// complete.
    hold_again: usize,
    /// Unused memory for `hold`.
    spare_hold: Vec<u8>,
    /// The next byte that was not read starts a line.
    line_starts: bool,
    uu: Encoded,
    /// uuencoded and yEnc files are recognised in this part.
    watch: bool,
    /// The number of line feeds in the skipped file.
    skipped: i64,

    /// The source line of the next byte. It is maintained only while another
    /// part may follow.
    line: u64,
    /// Source offset of the next byte.
    at: u64,
    /// Cached search results in the current slice.
    ahead: Ahead,
    examined: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PartState {
    Idle,
    Header,
    Body,
}

/// Where the bytes of the current part go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leaf {
    /// The bytes are dropped.
    Skip,
    /// As `Skip`, for a part whose start was reported to the sink.
    Binary,
    /// The bytes are skipped until the first byte that is not white space. A
    /// part starts there.
    Around(Around),
    /// The bytes are decoded.
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Preamble,
    Epilogue,
}

#[derive(Debug)]
struct Frame {
    /// The range of the boundary in `boundaries`, and its hash. `None` for a
    /// message.
    boundary: Option<(Range<usize>, u64)>,
    /// The length of the path of the multipart or message.
    path: usize,
    /// The number of parts so far.
    children: u32,
    mixed: bool,
    /// > … in a digest, the default Content-Type … is changed from
    /// > "text/plain" to "message/rfc822". (RFC 2046 section 5.1.5)
    digest: bool,
    /// It is a message beside other parts, and in no digest.
    is_attached: bool,
    /// The previous part.
    last: Option<Sibling>,
    context: Context,
    /// The file name around its parts: see [`Part::around`].
    around: Range<usize>,
}

impl Default for Walker {
    fn default() -> Walker {
        WalkerBuilder::default().build()
    }
}

impl Walker {
    /// Begins the settings of a walker. The first message starts with
    /// [`Walker::message`].
    #[must_use]
    pub fn builder() -> WalkerBuilder {
        WalkerBuilder::default()
    }

    pub(super) fn new(config: WalkerBuilder) -> Walker {
        let mut stages = Transfer::default();
        stages.find(config.places, config.info);
        Walker {
            config,
            state: PartState::Idle,
            frames: Vec::new(),
            boundaries: Vec::new(),
            head: Head::new(config.headers, config.info),
            of_message: true,
            outermost: true,
            of_http: false,
            info: MessageInfo::default(),
            spare: Vec::new(),
            part: Part::default(),
            leaf: Leaf::Skip,
            stages,
            noted: 0,
            hold: Vec::new(),
            hold_source: 0,
            hold_again: 0,
            spare_hold: Vec::new(),
            line_starts: true,
            uu: Encoded::None,
            watch: false,
            skipped: 0,
            line: 1,
            at: 0,
            ahead: Ahead::default(),
            examined: 0,
        }
    }

    /// Starts a message. An unfinished message is dropped.
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
        self.line = meta.line.max(1);
        self.stages.next.next.out.counts_lines = meta.line > 0;
        self.outermost = true;
        self.of_http = false;
        self.part.coding = Coding::Identity;
        self.start_header(true);
    }

    /// Starts a document of this type at `source`. It is a message without a header,
    /// and the document is its body.
    pub fn document<S: MailSink>(
        &mut self,
        meta: MessageMeta,
        content_type: &str,
        source: u64,
        sink: &mut S,
    ) {
        self.message(meta);
        self.start_content(content_type.as_bytes(), b"", source);
        sink.headers(&self.info);
        self.start_leaf(true, sink);
    }

    /// Starts a record of a web archive whose block begins at `source`, and has the type that the
    /// record says.
    pub fn record<S: MailSink>(
        &mut self,
        meta: MessageMeta,
        record: &Record<'_>,
        source: u64,
        sink: &mut S,
    ) {
        self.message(meta);
        self.info.set_record(record);
        let base = base_scheme(record.url).unwrap_or_default();
        self.start_content(record.content_type, base, source);
        sink.headers(&self.info);
        self.start_leaf(false, sink);
    }

    /// Starts a record of a web archive that is a response of HTTP, with its header.
    pub fn response(&mut self, meta: MessageMeta, record: &Record<'_>) {
        self.message(meta);
        self.info.set_record(record);
        self.of_http = true;
        self.part.coding = record.coding;
        self.part.context.base = base_scheme(record.url).unwrap_or_default();
        // A blank line is the end of the header.
        self.head.block.start(self.line, false);
    }

    /// Starts the decoded body of a response of HTTP, whose type and base the header has said.
    /// It is the body of a message without a header, and its first byte has the offset 0.
    pub fn decoded<S: MailSink>(&mut self, content_type: &[u8], base: &'static [u8], sink: &mut S) {
        self.message(MessageMeta { line: 0 });
        self.start_content(content_type, base, 0);
        sink.headers(&self.info);
        self.start_leaf(false, sink);
    }

    /// Makes the message a body of this type, which begins at `source`.
    fn start_content(&mut self, content_type: &[u8], base: &'static [u8], source: u64) {
        self.at = source;
        let part = &mut self.part;
        self.head.read_type(content_type, part);
        part.encoding = Encoding::Identity;
        part.declares_none = false;
        part.attachment = false;
        part.file_name.clear();
        part.around = 0..0;
        part.after = None;
        part.context = Context {
            base,
            is_reply: true, // Nothing says that it is none.
            is_forwarded: false,
        };
        self.outermost = false;
        self.state = PartState::Body;
        self.line_starts = true;
        self.push_path(1);
    }

    /// Processes the next bytes of the message, which begin at `source`.
    /// Ignores them if no message was started.
    pub fn feed<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) {
        if !self.hold.is_empty() && self.hold_source + self.hold.len() as u64 != source {
            self.release_all(sink);
        }
        self.read(bytes, source, false, sink);
        self.at = source + bytes.len() as u64;
    }

    /// Reads bytes of the message, and holds those that cannot be read yet. A
    /// body ends with these bytes if `is_end` is true.
    fn read<S: MailSink>(&mut self, bytes: &[u8], source: u64, is_end: bool, sink: &mut S) {
        // The cached results are those of the slice of the caller. A nested
        // call processes another slice: held bytes, or lines of a header block
        // that turned out to be the body.
        let outer = std::mem::take(&mut self.ahead);
        let mut n = 0;
        while n < bytes.len() {
            let (rest, here) = (&bytes[n..], source + n as u64);
            n += match self.state {
                PartState::Idle => break,
                PartState::Header => self.header(rest, here, sink),
                PartState::Body if !self.hold.is_empty() => self.read_held(rest, sink),
                PartState::Body => match self.body(rest, here, is_end, sink) {
                    0 => {
                        self.hold_source = here;
                        self.hold.extend_from_slice(rest);
                        self.hold_again = match rest.len() {
                            0..64 => 0,
                            len => 2 * len,
                        };
                        rest.len()
                    }
                    read => read,
                },
            };
        }
        self.ahead = outer;
    }

    /// The number of bytes of lines examined so far, including header blocks.
    /// Bytes that were examined twice count twice. Decoding and counting lines
    /// are not included, because they examine each byte once.
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.examined
    }

    /// Records that the container removed the source bytes `span` here, at the
    /// start of a line. They have no line feed. [`SeamKind::Chunk`] may be anywhere in a body,
    /// and has one line feed.
    pub fn feed_seam<S: MailSink>(&mut self, kind: SeamKind, span: Span, sink: &mut S) {
        if self.state == PartState::Header
            && let Some(end) = self.head.block.recall()
        {
            self.end_block(end, sink);
        }
        match self.state {
            PartState::Idle => {}
            PartState::Header => self.head.block.seam(kind, span),
            PartState::Body if self.uu != Encoded::None => {}
            PartState::Body => {
                // A line that the container quoted is neither a boundary nor
                // the start of a file.
                self.release_all(sink);
                if self.leaf == Leaf::Text {
                    let (stages, mut cx) = self.stages(sink);
                    let lines = i64::from(kind == SeamKind::Chunk);
                    let seam = Entry::of(&MappedBytes::seam(kind, span, b"", lines));
                    stages.put(Text::one(b"", &seam), &mut cx);
                }
            }
        }
    }

    /// Passes the text decoded so far to the sink. This is for interactive
    /// input. Otherwise the sink receives larger chunks.
    pub fn flush<S: MailSink>(&mut self, sink: &mut S) {
        if self.state == PartState::Body && self.leaf == Leaf::Text {
            let (stages, mut cx) = self.stages(sink);
            stages.flush(&mut cx);
        }
    }

    /// Ends the message.
    pub fn finish<S: MailSink>(&mut self, sink: &mut S) {
        // This can happen twice, if text that was taken for a body starts another
        // header.
        while self.state == PartState::Header {
            self.cut_header(sink);
        }
        if self.state == PartState::Body {
            let hold = std::mem::take(&mut self.hold);
            self.read(&hold, self.hold_source, true, sink);
            self.hold = hold;
            self.hold.clear();
            self.end_leaf(true, sink);
            if self.frames.iter().any(|f| f.boundary.is_some()) {
                self.note(MessageNoteKind::MissingEnd, self.at, sink);
            }
        }
        self.state = PartState::Idle;
    }

    fn note<S: MailSink>(&mut self, kind: MessageNoteKind, at: u64, sink: &mut S) {
        self.stages(sink).1.note(kind, Some(at));
    }

    /// The decoding stages, and their context.
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
        self.state = PartState::Header;
        self.of_message = of_message;
        self.noted = 0;
        self.head.block.start(self.line, of_message);
    }

    /// Reads lines of a header block. Returns the number of bytes.
    fn header<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) -> usize {
        let len = self.head.block.len();
        let step = len.clamp(HEADER_BYTES, HEADER_STEP).min(MAX_HEADER - len);
        let near = &bytes[..bytes.len().min(step)];
        let boundary = |line: &[u8]| find_boundary(&self.frames, &self.boundaries, line);
        let (n, end) = self.head.block.read(near, source, false, boundary);
        // The line will be read again when it is complete.
        self.examined += 2 * n as u64;
        self.at = source + n as u64;
        if let Some(end) = end {
            self.end_block(end, sink);
        } else if self.head.block.len() == MAX_HEADER {
            self.note(MessageNoteKind::HeaderTooLong, self.at, sink);
            self.cut_header(sink);
        }
        n
    }

    /// Ends the header block after the bytes so far.
    fn cut_header<S: MailSink>(&mut self, sink: &mut S) {
        let block = &mut self.head.block;
        // The rest of a line that is too long is not known.
        let is_full = block.len() == MAX_HEADER;
        let line_starts = block.ends_line();
        let boundary = |line: &[u8]| {
            if is_full {
                None
            } else {
                find_boundary(&self.frames, &self.boundaries, line)
            }
        };
        if let (_, Some(end)) = block.read(b"", self.at, true, boundary) {
            self.end_block(end, sink);
            if end == BlockEnd::Blank {
                self.line_starts = line_starts;
            }
        }
    }

    /// Ends the header block, and starts its body.
    fn end_block<S: MailSink>(&mut self, end: BlockEnd, sink: &mut S) {
        self.line = self.head.block.next_line();
        if matches!(end, BlockEnd::Text | BlockEnd::Empty) {
            return self.start_in_block(end, sink);
        }
        self.end_header(sink);
        self.start_body(sink);
        if let BlockEnd::Boundary(frame, last) = end {
            // The header block ends with its message.
            self.boundary(frame, last, sink);
        }
    }

    /// Begins the body with the current lines of the header block.
    fn start_in_block<S: MailSink>(&mut self, end: BlockEnd, sink: &mut S) {
        let mut text = std::mem::take(&mut self.spare);
        text.clear();
        let source = self.head.block.take_line(&mut text);
        self.at = source;
        self.end_header(sink);
        if end == BlockEnd::Text {
            self.note(MessageNoteKind::MissingSeparator, source, sink);
        }
        self.start_body(sink);
        self.read(&text, source, false, sink);
        // Keep this buffer, because a nested header block used a smaller one
        // meanwhile.
        self.spare = text;
    }

    /// Interprets the block, and passes its fields to the sink.
    fn end_header<S: MailSink>(&mut self, sink: &mut S) {
        let parent = if self.of_message {
            None
        } else {
            self.frames.last()
        };
        let default = match parent {
            Some(f) if f.digest => "message/rfc822",
            // > … the recipient MAY … examine the data to determine its type. (RFC 9110 section 8.3)
            None if self.of_http => "application/octet-stream",
            // > … default … "text/plain; charset=us-ascii" … recommended …
            // > for … a syntactically invalid Content-Type … (RFC 2045
            // > section 5.2)
            _ => "text/plain",
        };
        self.part.after = parent.filter(|f| f.mixed).and_then(|f| f.last);
        let of_http = std::mem::take(&mut self.of_http);
        self.part.context = match parent {
            Some(f) => f.context,
            None if of_http => Context {
                base: self.part.context.base,
                is_reply: true,
                is_forwarded: false,
            },
            None => Context {
                is_forwarded: self.is_forwarded(),
                ..Context::default()
            },
        };
        if !of_http {
            self.part.coding = Coding::Identity;
        }
        self.look_around();
        let unknown = self.head.read_part(default, &mut self.part);
        let mut over = None;
        if self.of_message && std::mem::take(&mut self.outermost) {
            if self.config.info && !of_http {
                over = self.head.read_info(&mut self.info);
            }
            sink.headers(&self.info);
        }
        // Programs write all fields of HTTP.
        if !of_http || self.config.headers == HeaderPolicy::All {
            let out = &mut self.stages.next.next.out;
            self.head.hand(self.config.headers, &self.part, out, sink);
        }
        if let Some(at) = over {
            self.note(MessageNoteKind::RecipientsCut, at, sink);
        }
        if let Some(at) = unknown {
            self.note(MessageNoteKind::UnknownEncoding, at, sink);
        }
    }

    /// True if the message whose header was read is in one that somebody else forwarded, or is
    /// attached and of another author than the outermost one. A filter of mail attaches the message
    /// that it marks, and lists attach one whose author they hide, as `Ann via LIST`: these stay
    /// their author's. Where an author is not known, nothing says that there are two.
    fn is_forwarded(&mut self) -> bool {
        let Some(frame) = self.frames.last() else {
            return false;
        };
        if frame.context.is_forwarded || !frame.is_attached || !self.config.info {
            return frame.context.is_forwarded;
        }
        let mut from = Vec::new();
        self.head.read_from(&mut from);
        let (outer, inner) = (Author::of(self.info.from()), Author::of(&from));
        let is_known = !outer.key().is_empty() && !inner.key().is_empty();
        let name = outer.name().strip_prefix(inner.name());
        let is_hidden =
            !inner.name().is_empty() && name.is_some_and(|rest| rest.starts_with(b" via "));
        is_known && outer.key() != inner.key() && !is_hidden
    }

    // Bodies.

    /// Starts the body for the last header block.
    #[expect(clippy::too_many_lines, reason = "one arm for each kind of body")]
    fn start_body<S: MailSink>(&mut self, sink: &mut S) {
        self.state = PartState::Body;
        self.line_starts = true;
        self.hold.clear();
        self.watch = false;
        self.leaf = Leaf::Skip;
        let at = self.at;
        let deep = self.frames.len() >= MAX_DEPTH;
        let is_coded = self.part.coding != Coding::Identity;
        let multipart = self.part.content_type.strip_prefix("multipart/");
        if let Some(subtype) = multipart.filter(|_| !is_coded) {
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
                    is_attached: false,
                    last: None,
                    context: self.part.context,
                    around: self.part.around.clone(),
                });
                self.leaf = Leaf::Around(Around::Preamble);
                return;
            }
            self.boundaries.truncate(start);
            let kind = if deep {
                MessageNoteKind::TooDeep
            } else {
                MessageNoteKind::MissingBoundary
            };
            self.note(kind, at, sink);
        }
        if self.of_message {
            self.push_path(1);
        }
        // The header of a message alone, in a report of a mail server (RFC 6522 section 4, RFC 6533
        // section 6.1), has the fields that the whole message has.
        let message = matches!(
            &self.part.content_type[..],
            "message/rfc822"
                | "message/news"
                | "message/global"
                | "text/rfc822-headers"
                | "message/global-headers"
        );
        if message && self.part.encoding == Encoding::Identity && !is_coded {
            if !deep {
                self.set_last(Sibling::Other);
                let around = self.part.add_name();
                let parent = self.frames.last().filter(|_| !self.of_message);
                let is_attached = parent.is_some_and(|f| f.boundary.is_some() && !f.digest);
                self.frames.push(Frame {
                    boundary: None,
                    path: self.part.path.len(),
                    children: 0,
                    mixed: false,
                    digest: false,
                    is_attached,
                    last: None,
                    context: Context {
                        is_forwarded: self.part.context.is_forwarded,
                        ..Context::default()
                    },
                    around,
                });
                self.start_header(true);
                self.head.block.allow_lead();
                return;
            }
            self.note(MessageNoteKind::TooDeep, at, sink);
        }
        self.start_leaf(false, sink);
    }

    /// Sets the name of the file around the part that begins.
    pub(super) fn look_around(&mut self) {
        let frame = self.frames.last();
        self.part.around = frame.map_or(0..0, |frame| frame.around.clone());
    }

    fn set_last(&mut self, sibling: Sibling) {
        if !self.of_message
            && let Some(f) = self.frames.last_mut()
        {
            f.last = Some(sibling);
        }
    }

    fn push_path(&mut self, number: u32) {
        let path = &mut self.part.path;
        if !path.is_empty() {
            path.push('.');
        }
        match char::from_digit(number, 10) {
            // This is the usual case, and runs at least once per message.
            Some(digit) => path.push(digit),
            // OK to ignore: writing to a string does not fail.
            None => _ = write!(path, "{number}"),
        }
    }

    /// Processes a boundary line of the frame.
    fn boundary<S: MailSink>(&mut self, frame: usize, last: bool, sink: &mut S) {
        let inner = self.frames.len() - 1 > frame;
        self.end_leaf(inner || last, sink);
        self.noted = 0;
        let open = &self.frames[frame + 1..];
        if open.iter().any(|f| f.boundary.is_some()) {
            self.note(MessageNoteKind::MissingEnd, self.at, sink);
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
            self.state = PartState::Body;
            self.leaf = Leaf::Around(Around::Epilogue);
        } else {
            let f = &mut self.frames[frame];
            f.children = f.children.saturating_add(1);
            let number = f.children;
            self.push_path(number);
            self.start_header(false);
        }
    }
}
