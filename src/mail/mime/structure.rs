//! The structure of a message: header blocks, boundaries, and which decoder
//! each part needs.

mod lines;

use std::fmt::Write;
use std::ops::Range;

use memchr::{memmem, memrchr};

use crate::span::{SeamKind, Span};

use self::lines::{Ahead, BodyLine, MAX_BOUNDARY, hash};
use super::format::TextFormat;
use super::head::Head;
use super::header::{Line, MAX_HEADER, Read};
use super::mapped::{MappedBytes, line_feeds};
use super::out::Cx;
use super::params::split_type;
use super::transfer::Transfer;
use super::uu::Encoded;
use super::{
    Encoding, MailSink, MessageInfo, MessageMeta, MessageNoteKind, Part, PartEnd, PartInfo,
    PartKind, Sibling, WalkerBuilder,
};

/// How deep parts may be nested in one another; deeper ones are read as text.
pub const MAX_DEPTH: usize = 64;

/// How many bytes of a header block are taken at once: most blocks in two goes,
/// and not much of the body with them, where parts are very small.
const HEADER_BYTES: usize = 512;

/// Takes one message after another apart. See the [module](super) for what it
/// does and an example.
///
/// A walker keeps its buffers from one message to the next, so that small
/// messages need no allocation.
#[derive(Debug)]
pub struct Walker {
    config: WalkerBuilder,
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
    /// What they find next in the slice that is being read.
    ahead: Ahead,
    examined: u64,
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

impl Default for Walker {
    fn default() -> Walker {
        WalkerBuilder::default().build()
    }
}

impl Walker {
    /// Settings, and then a walker; the first message starts with
    /// [`Walker::message`].
    #[must_use]
    pub fn builder() -> WalkerBuilder {
        WalkerBuilder::default()
    }

    pub(super) fn new(config: WalkerBuilder) -> Walker {
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
            ahead: Ahead::default(),
            examined: 0,
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

    /// Starts a page of HTML: a message without a header, whose body it is. It
    /// begins at `source`.
    pub fn html<S: MailSink>(&mut self, meta: MessageMeta, source: u64, sink: &mut S) {
        self.message(meta);
        self.at = source;
        let part = &mut self.part;
        part.content_type.clear();
        part.content_type.push_str("text/html");
        part.encoding = Encoding::Identity;
        part.charset.clear();
        part.attachment = false;
        part.file_name.clear();
        part.after = None;
        self.outermost = false;
        sink.headers(&self.info);
        self.state = State::Body;
        self.line_starts = true;
        self.push_path(1);
        self.start_leaf(sink);
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
        // Lines of a header block that turn out to be the body are read while
        // another slice is.
        let outer = std::mem::take(&mut self.ahead);
        let mut n = 0;
        while n < bytes.len() {
            let (rest, here) = (&bytes[n..], source + n as u64);
            n += match self.state {
                State::Idle => break,
                State::Header => self.header(rest, here, sink),
                State::Body => self.body(rest, here, sink),
            };
        }
        self.ahead = outer;
    }

    /// How many bytes of lines were looked at so far, those of header blocks
    /// included, bytes that were looked at twice counted twice. What decoders
    /// and the counting of lines cost is not in it: they look at each byte
    /// once.
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.examined
    }

    /// The container removed the source bytes `span` here, at the start of a
    /// line; they hold `lines` line feeds.
    pub fn feed_seam<S: MailSink>(&mut self, kind: SeamKind, span: Span, lines: i64, sink: &mut S) {
        if self.state == State::Header {
            self.recall(sink);
        }
        match self.state {
            State::Idle => return,
            State::Header => self.head.block.seam(kind, span, lines),
            State::Body if self.uu != Encoded::None => self.skipped += lines,
            State::Body => {
                // What the container quotes is neither a boundary nor a file.
                self.release_all(sink);
                if self.leaf == Leaf::Text {
                    let (stages, mut cx) = self.stages(sink);
                    stages.put(MappedBytes::seam(kind, span, b"", lines), &mut cx);
                }
            }
        }
        self.line = self.line.saturating_add_signed(lines);
    }

    /// Hands the text that was decoded so far to the sink, which otherwise has
    /// it once it is worth a call: for those who wait for the rest.
    pub fn flush<S: MailSink>(&mut self, sink: &mut S) {
        if self.state == State::Body && self.leaf == Leaf::Text {
            let (stages, mut cx) = self.stages(sink);
            stages.flush(&mut cx);
        }
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
                self.note(MessageNoteKind::MissingEnd, self.at, sink);
            }
        }
        self.state = State::Idle;
    }

    fn note<S: MailSink>(&mut self, kind: MessageNoteKind, at: u64, sink: &mut S) {
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

    /// Reads lines of a header block; returns how many bytes.
    fn header<S: MailSink>(&mut self, bytes: &[u8], source: u64, sink: &mut S) -> usize {
        let room = MAX_HEADER - self.head.block.len();
        let near = &bytes[..bytes.len().min(room).min(HEADER_BYTES)];
        self.head.block.push(near, source);
        let mut n = 0;
        // If a line ends the block, what comes next is not in the new one.
        while self.state == State::Header
            && let Some(Read { len, lines, ended }) = self.head.block.read()
        {
            n += len;
            // Once more when the line has ended.
            self.examined += 2 * len as u64;
            self.at = source + n as u64;
            self.line += lines;
            if ended {
                self.header_line(sink);
            }
        }
        if self.state == State::Header && self.head.block.len() == MAX_HEADER {
            self.note(MessageNoteKind::HeaderTooLong, source + n as u64, sink);
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
            && let BodyLine::Boundary(frame, last) = self.classify(line)
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
        self.note(MessageNoteKind::MissingSeparator, source, sink);
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
            if self.config.info {
                self.head.read_info(&mut self.info);
            }
            sink.headers(&self.info);
        }
        let out = &mut self.stages.next.next.out;
        self.head.hand(self.config.headers, &self.part, out, sink);
        if let Some(at) = unknown {
            self.note(MessageNoteKind::UnknownEncoding, at, sink);
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
                MessageNoteKind::TooDeep
            } else {
                MessageNoteKind::MissingBoundary
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
            self.note(MessageNoteKind::TooDeep, at, sink);
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
        let path = &mut self.part.path;
        if !path.is_empty() {
            path.push('.');
        }
        match char::from_digit(number, 10) {
            // Nearly always, and once a message at least.
            Some(digit) => path.push(digit),
            // Writing to a string cannot fail.
            None => _ = write!(path, "{number}"),
        }
    }

    /// Starts a part that holds no others.
    fn start_leaf<S: MailSink>(&mut self, sink: &mut S) {
        let part = &self.part;
        let (major, minor) = split_type(&part.content_type).unwrap_or_default();
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
        let unsearched = unsearched(&self.part.content_type, &self.part.file_name)
            .filter(|&note| !is_text || note == MessageNoteKind::EncryptedPart);
        if let Some(note) = unsearched {
            self.note(note, at, sink);
        }
        sink.part_start(&PartInfo {
            column: Some(1),
            ..self.part.info(kind, Some(at), self.line)
        });
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
            self.note(MessageNoteKind::UnknownCharset, at, sink);
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
            stages.put(MappedBytes::copy(bytes, source), &mut cx);
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
}

/// What a part is that holds text which is not searched.
fn unsearched(content_type: &str, name: &[u8]) -> Option<MessageNoteKind> {
    const COMPRESSED: &[&str] = &[
        "zip", "gz", "tgz", "bz2", "xz", "zst", "z", "7z", "rar", "tar", "arj", "lha", "lzh",
    ];
    const OFFICE: &[&str] = &[
        "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf",
    ];
    let subtype = content_type.strip_prefix("application/")?;
    let ending = memrchr(b'.', name).map_or(&b""[..], |dot| &name[dot + 1..]);
    let is_one = |endings: &[&str]| {
        let known = |e: &&str| ending.eq_ignore_ascii_case(e.as_bytes());
        endings.iter().any(known)
            || endings.contains(&subtype.strip_prefix("x-").unwrap_or(subtype))
    };
    let starts = |starts: &[&str]| starts.iter().any(|start| subtype.starts_with(start));
    if matches!(subtype, "pgp-encrypted" | "pkcs7-mime" | "x-pkcs7-mime") {
        Some(MessageNoteKind::EncryptedPart)
    } else if subtype == "pdf" || is_one(&["pdf"]) {
        Some(MessageNoteKind::PdfPart)
    } else if starts(&["msword", "vnd.ms-", "vnd.openxmlformats", "vnd.oasis."]) || is_one(OFFICE) {
        Some(MessageNoteKind::OfficePart)
    } else if starts(&[
        "gzip",
        "x-compress",
        "x-zip",
        "x-bzip",
        "x-7z",
        "vnd.rar",
        "zstd",
    ]) || is_one(COMPRESSED)
    {
        Some(MessageNoteKind::CompressedPart)
    } else {
        None
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
