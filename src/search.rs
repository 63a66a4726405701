//! The whole way through mail: a container is split into messages, a message
//! decoded into texts, each text searched, and each hit led back to the bytes
//! of the file.
//!
//! A [`Searcher`] is fed the bytes of a container, or of one message, and
//! gives a [`Finds`] each URL with all that is known of its place. It does no
//! input or output, and keeps its memory from one message to the next.
//!
//! ```
//! use urlgrep::search::{Find, Finds, Searcher};
//!
//! struct Print;
//! impl Finds for Print {
//!     fn find(&mut self, find: &Find<'_>) -> bool {
//!         assert_eq!(find.hit.url(), b"http://www.example.org/a=b");
//!         assert_eq!(find.place.unwrap().span().start, 62);
//!         true
//!     }
//! }
//!
//! let mail = b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n> see http://www.exa=\nmple.org/a=3Db\n";
//! # let mail = &mail[..];
//! let mut searcher = Searcher::new(Default::default());
//! searcher.search_message(mail, &mut Print);
//! ```

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fmt;
use std::io::{self, Read};

use crate::extract::{Extractor, ExtractorBuilder, Hit};
use crate::mail::mime::{
    self, HeaderPolicy, MailSink, MessageMeta, PartEnd, PartInfo, PartKind, Role, RoleTracker,
    Walker, WalkerConfig,
};
use crate::mail::{
    self, As, Container, ContainerSink, Outside, Position, SNIFF, Shape, Splitter, Start, sniff,
};
use crate::span::{Seam, SeamKind, SourceMap, Span};

/// How many links of HTML are remembered while their text is read.
const LINKS: usize = 16;
/// How many bytes [`Searcher::search_reader`] reads at a time.
const READ: usize = 64 * 1024;
/// How many bytes of a message may be read while its hits wait for its end.
const HOLD: u64 = 64 * 1024;

/// What a [`Searcher`] is asked to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// How URLs are found and judged.
    pub extractor: ExtractorBuilder,
    /// Which header fields are searched.
    pub headers: HeaderPolicy,
    /// Whether hits are held back until their message has ended, so that
    /// [`Message::end`] is known. A message over 64 KiB is not waited for.
    pub message_ends: bool,
}

/// Receives what a [`Searcher`] finds.
pub trait Finds {
    /// A URL, or a reject. Returns whether to go on.
    fn find(&mut self, find: &Find<'_>) -> bool;

    /// The header of a message was read. Returns whether its URLs are wanted.
    fn message(&mut self, _message: &Message<'_>) -> bool {
        true
    }

    /// Something was wrong and was tolerated.
    fn note(&mut self, _note: &Note<'_>) {}
}

/// The message that is being searched.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Its number in the container, from 1.
    pub number: u64,
    /// Offset of its first byte, after the separator line.
    pub start: u64,
    /// Offset after its last byte, if it is known by now and asked for; see
    /// [`Options::message_ends`].
    pub end: Option<u64>,
    /// What its header says.
    pub info: &'a mime::MessageInfo,
}

/// Where the bytes of a URL stand in the source.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The bytes that are copied into the URL, in order.
    pub segments: &'a [Span],
    /// What lies between them, in order. Both together have no gap.
    pub seams: &'a [Seam],
}

impl Place<'_> {
    /// From the URL's own first byte to after its last.
    #[must_use]
    pub fn span(&self) -> Span {
        let ends = |segment: Option<&Span>, seam: Option<&Seam>| {
            let seam = seam.map(|s| s.span);
            (segment.copied(), seam)
        };
        let start = match ends(self.segments.first(), self.seams.first()) {
            (Some(a), Some(b)) => a.start.min(b.start),
            (a, b) => a.or(b).map_or(0, |s| s.start),
        };
        let end = match ends(self.segments.last(), self.seams.last()) {
            (Some(a), Some(b)) => a.end.max(b.end),
            (a, b) => a.or(b).map_or(start, |s| s.end),
        };
        Span::new(start, end)
    }
}

/// A hit and where it was.
#[derive(Clone, Copy, Debug)]
pub struct Find<'a> {
    /// The URL. Its segments and seams count in the decoded text of the part.
    pub hit: &'a Hit,
    /// Where its bytes stand in the source; `None` if they do not stand there
    /// (base64, a re-encoded charset).
    pub place: Option<Place<'a>>,
    /// The line of the source; where there is no place, the line on which the
    /// part begins.
    pub line: Option<u64>,
    /// The message it stands in; `None` in plain text.
    pub message: Option<Message<'a>>,
    /// The number of its MIME part; `None` in a header and in plain text.
    pub part: Option<&'a str>,
    /// The name of the header field it stands in.
    pub header: Option<&'a [u8]>,
    /// What it is to the reader of the message.
    pub role: Option<Role>,
}

/// Something tolerated.
#[derive(Clone, Copy)]
pub struct Note<'a> {
    /// In a few words, for people.
    pub text: &'a dyn fmt::Display,
    /// In one word, for programs.
    pub name: &'a str,
    /// Where, if that is known.
    pub at: Option<u64>,
    /// The number of the message.
    pub message: Option<u64>,
    /// The number of the part.
    pub part: Option<&'a str>,
}

/// Searches containers, messages and plain text.
#[derive(Debug)]
pub struct Searcher {
    options: Options,
    splitter: Option<Splitter>,
    is_text: bool,
    walker: Walker,
    message: Current,
    parts: Parts,
}

/// The message at hand.
#[derive(Debug, Default)]
struct Current {
    number: u64,
    start: u64,
    end: Option<u64>,
    /// Its hits wait for its end.
    holding: bool,
    shape: Option<Shape>,
    /// Its URLs are wanted.
    wanted: bool,
    /// The sink has had enough.
    stopped: bool,
}

/// The part at hand, and the link inside it.
#[derive(Debug)]
struct Parts {
    info: mime::MessageInfo,
    text: Stream,
    /// The value of a link, which comes inside the text of its part.
    value: Stream,
    in_value: bool,
    roles: RoleTracker,
    waiting: Waiting,
    anchors: Anchors,
}

/// One text and the extractor that reads it.
#[derive(Debug)]
struct Stream {
    extractor: Extractor,
    path: String,
    /// The name of the header field, where the part is one.
    header: Vec<u8>,
    is_header: bool,
    /// Line of the source on which the part begins.
    line: u64,
    role: Option<Role>,
    link: Option<u32>,
    /// The end of the map of the text so far.
    map: SourceMap,
    segments: Vec<Span>,
    seams: Vec<Seam>,
}

impl Stream {
    fn new(builder: ExtractorBuilder) -> Stream {
        Stream {
            extractor: builder.build(),
            path: String::new(),
            header: Vec::new(),
            is_header: false,
            line: 1,
            role: None,
            link: None,
            map: SourceMap::new(1),
            segments: Vec::new(),
            seams: Vec::new(),
        }
    }

    fn start(&mut self, part: &PartInfo<'_>) {
        self.extractor.reset(0, 1);
        self.map.reset(1);
        self.path.clear();
        self.path.push_str(part.path);
        self.line = part.line;
        self.role = None;
        self.link = None;
        self.header.clear();
        self.is_header = false;
        if let PartKind::Header { name } = part.kind {
            self.header.extend_from_slice(name);
            self.is_header = true;
        }
    }
}

/// Hits whose role, or whose message's end, is not yet known, in order.
#[derive(Debug, Default)]
struct Waiting {
    hits: Vec<Held>,
    /// How many of `hits` are waiting; the rest is spare.
    len: usize,
}

/// A hit that waits.
#[derive(Debug, Default)]
struct Held {
    hit: Hit,
    has_place: bool,
    segments: Vec<Span>,
    seams: Vec<Seam>,
    line: Option<u64>,
    part: String,
    has_header: bool,
    header: Vec<u8>,
    /// `None` while the text of its part goes on.
    role: Option<Role>,
}

impl Waiting {
    fn push(&mut self, find: &Find<'_>) {
        if self.len == self.hits.len() {
            self.hits.push(Held::default());
        }
        let held = &mut self.hits[self.len];
        held.hit.copy_from(find.hit);
        held.has_place = find.place.is_some();
        held.segments.clear();
        held.seams.clear();
        if let Some(place) = find.place {
            held.segments.extend_from_slice(place.segments);
            held.seams.extend_from_slice(place.seams);
        }
        held.line = find.line;
        held.part.clear();
        held.part.push_str(find.part.unwrap_or_default());
        held.has_header = find.header.is_some();
        held.header.clear();
        held.header
            .extend_from_slice(find.header.unwrap_or_default());
        held.role = find.role;
        self.len += 1;
    }

    /// Gives those at the front whose role is known to the sink. Returns false
    /// once the sink has had enough.
    fn release<F: Finds>(&mut self, message: Message<'_>, finds: &mut F) -> bool {
        let mut done = 0;
        let mut go_on = true;
        while done < self.len && go_on && self.hits[done].role.is_some() {
            let held = &self.hits[done];
            let place = Place {
                segments: &held.segments,
                seams: &held.seams,
            };
            go_on = finds.find(&Find {
                hit: &held.hit,
                place: held.has_place.then_some(place),
                line: held.line,
                message: Some(message),
                part: (!held.has_header).then_some(&held.part),
                header: held.has_header.then_some(&held.header),
                role: held.role,
            });
            done += 1;
        }
        self.hits[..self.len].rotate_left(done);
        self.len -= done;
        go_on
    }
}

/// The links of a part of HTML, so that a link whose text is its own URL is
/// one hit.
#[derive(Debug, Default)]
struct Anchors {
    /// From which text offset on the text is that of which link.
    changes: VecDeque<(u64, Option<u32>)>,
    /// The URLs of the last links.
    urls: VecDeque<(u32, Vec<u8>)>,
}

impl Anchors {
    fn clear(&mut self) {
        self.changes.clear();
        self.urls.clear();
    }

    fn url(&mut self, link: u32, url: &[u8]) {
        let mut kept = if self.urls.len() >= LINKS {
            self.urls
                .pop_front()
                .map(|(_, kept)| kept)
                .unwrap_or_default()
        } else {
            Vec::new()
        };
        kept.clear();
        kept.extend_from_slice(url);
        self.urls.push_back((link, kept));
    }

    /// True if the text at `at` is that of a link to `url` itself.
    fn repeats(&self, at: u64, url: &[u8]) -> bool {
        let i = self.changes.partition_point(|&(from, _)| from <= at);
        let Some(link) = i.checked_sub(1).and_then(|i| self.changes[i].1) else {
            return false;
        };
        let bare = |url: &[u8]| url.strip_suffix(b"/").map_or(url.len(), <[u8]>::len);
        self.urls
            .iter()
            .any(|(l, its)| *l == link && its[..bare(its)] == url[..bare(url)])
    }

    /// Forgets changes before `at`, all but the last of them.
    fn forget(&mut self, at: u64) {
        while self.changes.len() > 1 && self.changes[1].0 <= at {
            self.changes.pop_front();
        }
    }
}

impl Searcher {
    /// A searcher; start with [`Searcher::begin`].
    #[must_use]
    pub fn new(options: Options) -> Searcher {
        Searcher {
            options,
            splitter: None,
            is_text: true,
            walker: Walker::new(WalkerConfig::default().headers(options.headers)),
            message: Current::default(),
            parts: Parts {
                info: mime::MessageInfo::default(),
                text: Stream::new(options.extractor),
                value: Stream::new(options.extractor),
                in_value: false,
                roles: RoleTracker::default(),
                waiting: Waiting::default(),
                anchors: Anchors::default(),
            },
        }
    }

    /// The options it was made with.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// Starts a container, or a piece of one that begins at `at` (a
    /// [`Cut`](mail::Cut) of it, or a ground state of plain text). What was
    /// not finished is forgotten.
    pub fn begin(&mut self, container: Container, at: Position) {
        self.message = Current::default();
        self.is_text = container == Container::Text;
        if self.is_text {
            self.splitter = None;
            self.parts.text.extractor.reset(at.offset, at.line.max(1));
        } else {
            self.splitter = Some(Splitter::resume(container, at));
        }
    }

    /// The next bytes of the container. Returns false once the sink has had
    /// enough.
    pub fn feed<F: Finds>(&mut self, bytes: &[u8], finds: &mut F) -> bool {
        self.run(
            finds,
            |splitter, join| splitter.feed(bytes, join),
            |extractor, sink| extractor.feed(bytes, sink),
        )
    }

    /// The container, or the piece of it, ends here.
    pub fn finish<F: Finds>(&mut self, finds: &mut F) -> bool {
        self.run(
            finds,
            |splitter, join| splitter.finish(join),
            |extractor, sink| extractor.finish(sink),
        )
    }

    /// All of a container, or of a piece of it, at once: as `begin`, `feed`
    /// and `finish`, but plain text is not copied.
    pub fn search<F: Finds>(
        &mut self,
        container: Container,
        at: Position,
        bytes: &[u8],
        finds: &mut F,
    ) -> bool {
        self.begin(container, at);
        if self.is_text {
            return self.run(
                finds,
                |_, _| {},
                |extractor, sink| extractor.search_here(bytes, sink),
            );
        }
        self.feed(bytes, finds) && self.finish(finds)
    }

    /// One message in memory. Offsets count from its first byte. Allocates
    /// nothing once it has seen messages of its size, HTML apart.
    pub fn search_message<F: Finds>(&mut self, message: &[u8], finds: &mut F) -> bool {
        self.message = Current::default();
        self.is_text = false;
        self.splitter = None;
        let mut join = Join {
            walker: &mut self.walker,
            message: &mut self.message,
            parts: &mut self.parts,
            finds,
            message_ends: self.options.message_ends,
        };
        join.message_start(&Start {
            number: 1,
            shape: Shape::Message,
            head: b"",
            head_span: Span::new(0, 0),
            line: 1,
        });
        join.data(message, 0);
        join.message_end(message.len() as u64);
        !self.message.stopped
    }

    /// Everything that `rdr` yields, which is recognised by its first bytes
    /// unless `hint` says what it is. Retains a bounded part of it.
    ///
    /// # Errors
    ///
    /// What the reader returns; what was read before that is searched.
    pub fn search_reader<F: Finds>(
        &mut self,
        mut rdr: impl Read,
        hint: As,
        finds: &mut F,
    ) -> io::Result<()> {
        let mut chunk = vec![0; READ];
        let (mut len, mut begun) = (0, false);
        loop {
            let (error, eof) = match rdr.read(&mut chunk[len..]) {
                Ok(n) => {
                    len += n;
                    (None, n == 0)
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                // Nothing found is lost: what was read is searched to its end.
                Err(e) => (Some(e), true),
            };
            if !begun && (eof || len >= SNIFF) {
                begun = true;
                self.begin(sniff(&chunk[..len.min(SNIFF)], eof, hint), Position::START);
            }
            if begun {
                if !self.feed(&chunk[..len], finds) {
                    return Ok(());
                }
                len = 0;
            }
            if eof {
                self.finish(finds);
                return error.map_or(Ok(()), Err);
            }
        }
    }

    /// Does `mail` with the splitter of a container, or `text` with the
    /// extractor of plain text.
    fn run<F: Finds>(
        &mut self,
        finds: &mut F,
        mail: impl FnOnce(&mut Splitter, &mut Join<'_, F>),
        text: impl FnOnce(&mut Extractor, &mut Give<'_>) -> Result<bool, Infallible>,
    ) -> bool {
        if self.message.stopped {
            return false;
        }
        if let Some(splitter) = &mut self.splitter {
            let mut join = Join {
                walker: &mut self.walker,
                message: &mut self.message,
                parts: &mut self.parts,
                finds,
                message_ends: self.options.message_ends,
            };
            mail(splitter, &mut join);
        } else {
            let mut sink = |hit: &Hit| Ok(finds.find(&plain(hit)));
            let mut give: Give<'_> = &mut sink;
            let Ok(go_on) = text(&mut self.parts.text.extractor, &mut give);
            self.message.stopped = !go_on;
        }
        !self.message.stopped
    }
}

/// Takes the hits of an extractor.
type Give<'g> = &'g mut dyn FnMut(&Hit) -> Result<bool, Infallible>;

/// A hit of plain text, which is its own source.
fn plain(hit: &Hit) -> Find<'_> {
    Find {
        hit,
        place: Some(Place {
            segments: hit.segments(),
            seams: hit.seams(),
        }),
        line: hit.line(),
        message: None,
        part: None,
        header: None,
        role: None,
    }
}

/// Hands what the splitter says to the walker, and what the walker says to the
/// extractor.
struct Join<'j, F: Finds> {
    walker: &'j mut Walker,
    message: &'j mut Current,
    parts: &'j mut Parts,
    finds: &'j mut F,
    message_ends: bool,
}

impl<F: Finds> ContainerSink for Join<'_, F> {
    fn message_start(&mut self, start: &Start<'_>) {
        self.message.number = start.number;
        self.message.start = start.head_span.end;
        self.message.end = None;
        self.message.holding = self.message_ends;
        self.message.shape = Some(start.shape);
        self.message.wanted = true;
        match start.shape {
            Shape::Message | Shape::Header => {
                self.walker.message(MessageMeta {
                    line: start.line.max(1),
                });
            }
            // No header that MIME knows of: read as it stands.
            _ => {
                self.parts.info = mime::MessageInfo::default();
                let extractor = &mut self.parts.text.extractor;
                extractor.reset(start.head_span.end, start.line.max(1));
            }
        }
    }

    fn data(&mut self, bytes: &[u8], offset: u64) {
        if self.message.stopped {
            return;
        }
        if self.message.holding && offset + bytes.len() as u64 - self.message.start > HOLD {
            self.message.holding = false;
            self.release();
        }
        match self.message.shape {
            Some(Shape::Message | Shape::Header) => {
                let mut decode = Decode {
                    message: self.message,
                    parts: self.parts,
                    finds: self.finds,
                };
                self.walker.feed(bytes, offset, &mut decode);
            }
            _ => self.as_it_stands(|extractor, sink| extractor.feed(bytes, sink)),
        }
    }

    fn seam(&mut self, kind: SeamKind, span: Span) {
        if let Some(Shape::Message | Shape::Header) = self.message.shape
            && !self.message.stopped
        {
            let mut decode = Decode {
                message: self.message,
                parts: self.parts,
                finds: self.finds,
            };
            self.walker.feed_seam(kind, span, 0, &mut decode);
        }
    }

    fn message_end(&mut self, end: u64) {
        if self.message.stopped {
            return;
        }
        match self.message.shape.take() {
            Some(Shape::Message | Shape::Header) => {
                let mut decode = Decode {
                    message: self.message,
                    parts: self.parts,
                    finds: self.finds,
                };
                self.walker.finish(&mut decode);
                if self.message.holding {
                    self.message.end = Some(end);
                    self.message.holding = false;
                    self.release();
                }
            }
            _ => self.as_it_stands(|extractor, sink| extractor.finish(sink)),
        }
    }

    fn outside(&mut self, _bytes: &[u8], _offset: u64, _what: Outside) {}

    fn note(&mut self, note: mail::Note) {
        self.finds.note(&Note {
            text: &note.kind,
            name: note.kind.name(),
            at: Some(note.at),
            message: Some(self.message.number),
            part: None,
        });
    }
}

impl<F: Finds> Join<'_, F> {
    fn release(&mut self) {
        let message = self.message.at_hand(&self.parts.info);
        if !self.message.stopped {
            self.message.stopped = !self.parts.waiting.release(message, self.finds);
        }
    }

    /// A message without a header that MIME knows of.
    fn as_it_stands(
        &mut self,
        feed: impl FnOnce(&mut Extractor, &mut Give<'_>) -> Result<bool, Infallible>,
    ) {
        let message = self.message.at_hand(&self.parts.info);
        let finds = &mut *self.finds;
        let mut sink = |hit: &Hit| {
            let find = Find {
                message: Some(message),
                role: Some(Role::Body),
                ..plain(hit)
            };
            Ok(finds.find(&find))
        };
        let mut give: Give<'_> = &mut sink;
        let Ok(go_on) = feed(&mut self.parts.text.extractor, &mut give);
        self.message.stopped |= !go_on;
    }
}

/// Searches what the walker decodes.
struct Decode<'d, F: Finds> {
    message: &'d mut Current,
    parts: &'d mut Parts,
    finds: &'d mut F,
}

impl<F: Finds> MailSink for Decode<'_, F> {
    fn headers(&mut self, info: &mime::MessageInfo) {
        self.parts.info.clone_from(info);
        let message = self.message.at_hand(&self.parts.info);
        self.message.wanted = self.finds.message(&message);
    }

    /// A URL has a colon; where none stands, only an encoded word or an
    /// extended parameter can hold one, and either has an `=`.
    fn wants_field(&mut self, _name: &[u8], raw: &[u8]) -> bool {
        memchr::memchr2(b':', b'=', raw).is_some()
    }

    fn part_start(&mut self, part: &PartInfo<'_>) {
        if let PartKind::HtmlLink { link, .. } = part.kind {
            self.parts.in_value = true;
            self.parts.value.start(part);
            self.parts.value.role = Some(Role::HtmlLink);
            self.parts.value.link = Some(link);
            return;
        }
        self.parts.text.start(part);
        self.parts.roles.start(&self.parts.info, part);
        self.parts.anchors.clear();
    }

    fn anchor(&mut self, link: Option<u32>, at: u64) {
        self.parts.anchors.changes.push_back((at, link));
    }

    fn text(&mut self, bytes: &[u8], map: &SourceMap) {
        if self.message.stopped || !self.message.wanted {
            return;
        }
        if self.parts.in_value {
            self.value(bytes, map);
            return;
        }
        self.parts.roles.feed(bytes);
        self.release();
        self.search(map, |extractor, sink| extractor.feed(bytes, sink));
        // What the extractor still holds back is decided when the part ends.
        let settled = self.parts.text.extractor.settled();
        self.parts.anchors.forget(settled);
        self.parts.text.map.copy_tail(map, settled);
    }

    fn part_end(&mut self, end: PartEnd) {
        if self.parts.in_value {
            self.parts.in_value = false;
            return;
        }
        if self.message.stopped || !self.message.wanted {
            return;
        }
        let map = std::mem::take(&mut self.parts.text.map);
        self.search(&map, |extractor, sink| extractor.finish(sink));
        self.parts.text.map = map;
        self.parts.roles.finish(end.last);
        self.release();
    }

    fn note(&mut self, note: mime::Note<'_>) {
        self.finds.note(&Note {
            text: &note.kind,
            name: note.kind.name(),
            at: note.at,
            message: Some(self.message.number),
            part: Some(note.part),
        });
    }
}

impl<F: Finds> Decode<'_, F> {
    /// Gives the hits that `feed` finds in the text of the part to the sink,
    /// or lets them wait for their role.
    fn search(
        &mut self,
        map: &SourceMap,
        feed: impl FnOnce(&mut Extractor, &mut Give<'_>) -> Result<bool, Infallible>,
    ) {
        let Parts {
            info,
            text,
            roles,
            waiting,
            anchors,
            ..
        } = &mut *self.parts;
        let message = self.message.at_hand(info);
        let Stream {
            extractor,
            path,
            header,
            is_header,
            line: part_line,
            segments,
            seams,
            ..
        } = text;
        let holding = self.message.holding;
        let finds = &mut *self.finds;
        let mut sink = |hit: &Hit| {
            let at = hit.span().start;
            if anchors.repeats(at, hit.url()) {
                return Ok(true);
            }
            let (place, line) = lead_back(hit, map, *part_line, segments, seams);
            let role = roles.role_at(at);
            let find = Find {
                hit,
                place,
                line,
                message: Some(message),
                part: (!*is_header).then_some(path),
                header: is_header.then_some(header),
                role,
            };
            if role.is_some() && waiting.len == 0 && !holding {
                return Ok(finds.find(&find));
            }
            waiting.push(&find);
            Ok(true)
        };
        let mut give: Give<'_> = &mut sink;
        let Ok(go_on) = feed(extractor, &mut give);
        self.message.stopped |= !go_on;
    }

    /// The value of a link.
    fn value(&mut self, bytes: &[u8], map: &SourceMap) {
        let Parts {
            info,
            value,
            waiting,
            anchors,
            ..
        } = &mut *self.parts;
        let message = self.message.at_hand(info);
        let holding = self.message.holding;
        let Stream {
            extractor,
            path,
            line: part_line,
            link,
            segments,
            seams,
            ..
        } = value;
        let finds = &mut *self.finds;
        let mut sink = |hit: &Hit| {
            if let Some(link) = *link {
                anchors.url(link, hit.url());
            }
            let (place, line) = lead_back(hit, map, *part_line, segments, seams);
            let find = Find {
                hit,
                place,
                line,
                message: Some(message),
                part: Some(path),
                header: None,
                role: Some(Role::HtmlLink),
            };
            if waiting.len == 0 && !holding {
                return Ok(finds.find(&find));
            }
            waiting.push(&find);
            Ok(true)
        };
        let Ok::<bool, Infallible>(go_on) = extractor.search_value(bytes, &mut sink);
        self.message.stopped |= !go_on;
    }

    /// Asks again for the roles that were not known, and gives the hits that
    /// need not wait any longer to the sink.
    fn release(&mut self) {
        let Parts {
            info,
            roles,
            waiting,
            ..
        } = &mut *self.parts;
        // Only the part at hand has any, and its hits came last.
        for held in waiting.hits[..waiting.len].iter_mut().rev() {
            if held.role.is_some() {
                break;
            }
            held.role = roles.role_at(held.hit.span().start);
        }
        if !self.message.holding {
            let message = self.message.at_hand(info);
            self.message.stopped |= !waiting.release(message, self.finds);
        }
    }
}

/// Where a hit of a decoded text stands in the source, and on which line.
fn lead_back<'s>(
    hit: &Hit,
    map: &SourceMap,
    part_line: u64,
    segments: &'s mut Vec<Span>,
    seams: &'s mut Vec<Seam>,
) -> (Option<Place<'s>>, Option<u64>) {
    segments.clear();
    seams.clear();
    let placed = map.compose(hit.segments(), hit.seams(), segments, seams);
    let line = hit
        .line()
        .map(|line| match map.line_delta(hit.span().start) {
            Some(delta) => line.saturating_add_signed(delta),
            None => part_line,
        });
    (placed.then_some(Place { segments, seams }), line)
}

impl Current {
    fn at_hand<'a>(&self, info: &'a mime::MessageInfo) -> Message<'a> {
        Message {
            number: self.number,
            start: self.start,
            end: self.end,
            info,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Urls(Vec<String>);

    impl Finds for Urls {
        fn find(&mut self, find: &Find<'_>) -> bool {
            let number = find.message.map_or(0, |message| message.number);
            self.0.push(format!(
                "{number} {}",
                String::from_utf8_lossy(find.hit.url())
            ));
            true
        }
    }

    /// Gives one byte at a time, and an error at the end.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some((&first, rest)) = self.0.split_first() else {
                return Err(io::Error::other("gone"));
            };
            buffer[0] = first;
            self.0 = rest;
            Ok(1)
        }
    }

    #[test]
    fn a_reader_is_recognised_and_searched_to_its_end() {
        let mbox =
            b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\n<URL:http://a.ex\nample/>\n\n\
            From a@b Thu Jan  1 00:00:00 1970\nSubject: y\n\nhttp://b.example/\n";
        let mut searcher = Searcher::new(Options::default());
        let expected = ["1 http://a.example/", "2 http://b.example/"];
        let mut urls = Urls::default();
        searcher
            .search_reader(&mbox[..], As::Auto, &mut urls)
            .unwrap();
        assert_eq!(urls.0, expected);
        let mut urls = Urls::default();
        assert!(
            searcher
                .search_reader(Slow(mbox), As::Auto, &mut urls)
                .is_err()
        );
        assert_eq!(urls.0, expected);
        let mut urls = Urls::default();
        searcher
            .search_reader(&b"http://c.example/"[..], As::Auto, &mut urls)
            .unwrap();
        assert_eq!(urls.0, ["0 http://c.example/"]);
    }
}
