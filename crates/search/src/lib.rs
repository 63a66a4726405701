//! Searches mail. A container is split into messages, and each message is
//! decoded into texts. Each text is searched, and each hit is mapped back to
//! the bytes of the file.
//!
//! A [`Searcher`] is fed the bytes of a container, or of one message. It
//! reports each URL with its place to a [`Visitor`]. It does no input or
//! output, and reuses its memory for the next message.
//!
//! ```
//! use std::ops::ControlFlow;
//! use urlgrep::search::Searcher;
//!
//! let mail = b"Subject: x\nContent-Transfer-Encoding: quoted-printable\n\n> see http://www.exa=\nmple.org/a=3Db\n";
//! # let mail = &mail[..];
//! Searcher::default().search_message(mail, |found| {
//!     assert_eq!(found.hit.text(), b"http://www.example.org/a=b");
//!     assert_eq!(found.source().unwrap().span().start, 62);
//!     ControlFlow::Continue(())
//! });
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod anchors;
#[doc(hidden)]
pub mod around;
mod attached;
mod attachment;
mod builder;
mod collected;
mod decode;
mod join;
mod json;
mod memo;
mod place;
mod plain;
mod record;
mod repeat;
mod roles;
mod seen;
mod shown;
mod spelling;
mod unsearched;
mod visitor;
mod waiting;

use std::io::{self, Read};
use std::ops::ControlFlow;

use urlgrep_base::magic;
use urlgrep_base::span::Span;
use urlgrep_containers::{
    self, Container, ContainerSink, Position, ReadAs, SNIFF, Shape, Splitter, Start, is_undecided,
    sniff,
};
use urlgrep_find::{Drive, Extractor, Hit, Stream};
use urlgrep_mail::mime::{Walker, encoded_lines};
use urlgrep_unpack::Limits;
use urlgrep_url::Profile;

use self::around::Deliver;
use self::attachment::Coded;
use self::decode::Parts;
use self::join::Join;
use self::place::TRANSCODED;
use self::place::{Current, PLAIN};

#[doc(hidden)] // For the command, which prints lines.
pub use self::around::{Context, Line, LineKind, LineUrl};
// For the engine and the ledger.
#[doc(hidden)]
pub use self::attachment::{ConvertPart, FilePart};
pub use self::builder::{MAX_ATTACHMENT, SearcherBuilder};
pub use self::place::{Composition, Match, Message};
#[doc(hidden)]
pub use self::place::{InLedger, Place, StoredPlace};
pub use self::record::Record;
#[doc(hidden)] // For the command and Python.
pub use self::unsearched::Unsearched;
pub use self::visitor::{Note, NoteKind, Visitor};
#[doc(hidden)]
pub use urlgrep_find::go_on;

/// Bytes that [`Searcher::search_reader`] reads at a time.
const READ: usize = 64 * 1024;
/// Bytes of a message that are searched between two questions whether to continue. A message that
/// may need no decoding is shorter than this.
const PIECE: usize = 128 * 1024;

/// The maximum number of links that are searched together with one text, and
/// the maximum size of their hits in bytes. These hits wait for the text before
/// them. At either limit the text ends, and another text continues.
const LINKS: u32 = 1024;
const LINK_BYTES: usize = 256 * 1024;

/// Searches containers, messages and plain text.
///
/// The methods can be called in any order. Each search starts in a clean state.
/// Bytes that are fed without [`Searcher::begin`] are plain text.
///
/// # Memory
///
/// Memory is bounded for every input. The largest parts are:
///
/// * the header block, at most 1 MiB
/// * the map of decoded text, for at most 36 KiB of text, and the map of one
///   link, for at most 16 KiB. A map has at most three pieces of 48 bytes for
///   each byte
/// * hits of links that wait for the text before them. The wait ends after
///   1,024 links or 256 KiB of hits, whichever comes first
/// * with [`SearcherBuilder::message_ends`], the hits in the first 64 KiB of a
///   message
/// * a message of at most 64 KiB whose header needs no decoding
/// * 64 header fields that may repeat, each with its hits: at most 5 KiB
/// * the last 64 URLs of the message, each of at most 512 bytes
/// * hits in a file of JSON that wait for the end of the objects around them: 1,024 hits or
///   256 KiB of hits, whichever comes first, and 512 objects, each with at most three names of 1 KiB
/// * the last 64 KiB of the text of a part with its map, whose roles the end decides, and the links
///   in it
/// * with [`SearcherBuilder::context`], at most 192 KiB of text, its map, and
///   its hits. Links count as hits: their line ends after 1,024 links or 256 KiB of hits too
/// * an attachment that is opened, in at most four levels together, and the buffers of its
///   decoders
/// * with [`SearcherBuilder::columns`], at most 24 KiB of text and its map
#[derive(Debug)]
pub struct Searcher {
    message_ends: bool,
    /// The last search has ended. The next call begins another search.
    ended: bool,
    splitter: Option<Splitter>,
    /// The place of the hits of plain text. `None` in a container of messages.
    text: Option<&'static Place>,
    /// The first bytes of a file of plain text, until they show whether its text is
    /// encoded.
    head: Vec<u8>,
    /// The offset of `head` in the file.
    head_at: usize,
    looks: bool,
    walker: Walker,
    message: Current,
    parts: Parts,
}

impl Default for Searcher {
    fn default() -> Searcher {
        SearcherBuilder::default().build()
    }
}

impl Searcher {
    /// A searcher with default settings and this profile.
    #[must_use]
    pub fn new(profile: Profile) -> Searcher {
        Searcher::builder()
            .extractor(Extractor::builder().profile(profile))
            .build()
    }

    /// Begins the settings of a searcher.
    #[must_use]
    pub fn builder() -> SearcherBuilder {
        SearcherBuilder::default()
    }

    /// Begins a container, or a piece of one at the position `at`. A piece must
    /// begin where a message begins, or where plain text can be cut. An unfinished search is
    /// dropped.
    pub fn begin(&mut self, container: Container, at: Position) {
        self.forget();
        self.parts.around.begin();
        if container == Container::Text {
            self.begin_text(at, &PLAIN);
        } else {
            self.text = None;
            self.splitter = Some(Splitter::resume(container, at));
        }
    }

    /// Has attachments converted before they are searched, and unpacked up to `limits`.
    #[doc(hidden)]
    pub fn convert_parts(&mut self, by: std::sync::Arc<dyn ConvertPart>, limits: Limits) {
        self.parts.attached.convert(by, limits);
    }

    /// The error, such as a limit or a full disk, that left an attachment of the searched bytes
    /// unsearched. A damaged attachment is a note instead.
    ///
    /// # Errors
    ///
    /// That error.
    #[doc(hidden)]
    pub fn attachment_fault(&mut self) -> io::Result<()> {
        let fault = self.parts.attached.reported.take();
        fault.map_or(Ok(()), |fault| Err(fault.into()))
    }

    /// Begins plain text that was converted, for example from UTF-16. `at`
    /// counts in the converted text. Its hits are [`Match::decoded`].
    #[doc(hidden)]
    pub fn begin_transcoded(&mut self, at: Position) {
        self.forget();
        self.parts.around.begin();
        self.begin_text(at, &TRANSCODED);
    }

    fn begin_text(&mut self, at: Position, place: &'static Place) {
        self.text = Some(place);
        self.splitter = None;
        self.head.clear();
        self.head_at = usize::try_from(at.offset).unwrap_or(usize::MAX);
        self.looks = self.head_at < SNIFF && !place.is_transcoded();
        self.parts.text.extractor.reset(at.offset, at.line);
        // It has no header, so it may be from a terminal.
        self.parts.text.extractor.set_text(true);
        self.parts.count_lines(at.line > 0);
        let line = self.parts.text.line_if_counted(at.line);
        let transcoded = place.is_transcoded();
        self.parts.around.start_plain(at.offset, line, transcoded);
    }

    /// Looks at the first [`SNIFF`] bytes of a file of plain text. If they show that its text
    /// is encoded, this is a note. A file may be searched in parts, and no part knows what
    /// another one found. So each encoded line is a note, and not only the first.
    #[inline]
    fn look(&mut self, bytes: &[u8], eof: bool, visitor: &mut dyn Visitor) {
        if self.looks && self.text.is_some() {
            self.look_at_text(bytes, eof, visitor);
        }
    }

    #[inline(never)] // Most files are messages.
    fn look_at_text(&mut self, bytes: &[u8], eof: bool, visitor: &mut dyn Visitor) {
        let wanted = SNIFF - self.head_at - self.head.len();
        let near = &bytes[..bytes.len().min(wanted)];
        let is_last = eof || near.len() == wanted;
        if !is_last || !self.head.is_empty() {
            self.head.extend_from_slice(near);
        }
        if !is_last {
            return;
        }
        self.looks = false;
        // Most files come at once, so their first bytes need not be copied.
        let head = if self.head.is_empty() {
            near
        } else {
            &self.head
        };
        let mut note = |kind, at| {
            visitor.note(&Note {
                kind,
                at,
                message: None,
                part: None,
                member: None,
            });
        };
        if self.head_at == 0
            && let Some(what) = magic::unreadable(head)
        {
            note(NoteKind::File(what), None);
        }
        for at in encoded_lines(head) {
            note(NoteKind::EncodedText, Some((self.head_at + at) as u64));
        }
    }

    /// True if some hits have lines that were not reported yet. See
    /// [`Visitor::line`].
    #[doc(hidden)]
    #[must_use]
    pub fn has_pending_lines(&self) -> bool {
        self.parts.around.is_pending()
    }

    /// Searches the next bytes of the container. Returns what the visitor answers. After a
    /// `Break` nothing more is searched until [`Searcher::begin`].
    pub fn feed<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> ControlFlow<()> {
        self.feed_some(bytes, false, visitor)
    }

    /// As [`Searcher::feed`]. If these are `all` bytes, `finish` follows at once.
    fn feed_some(&mut self, bytes: &[u8], all: bool, visitor: &mut dyn Visitor) -> ControlFlow<()> {
        self.start();
        self.look(bytes, false, visitor);
        if self.text.is_some() && self.parts.around.is_on() && !self.message.stopped {
            self.parts.around.feed(bytes, None);
        }
        self.run(
            &[],
            visitor,
            |splitter, join| {
                splitter.feed(bytes, join);
                // The next read may block.
                if !all {
                    join.flush();
                }
            },
            |extractor, sink| extractor.feed(bytes, sink),
        )
    }

    /// Ends the container, or the piece of it. Returns what the visitor answers.
    pub fn finish<V: Visitor>(&mut self, visitor: &mut V) -> ControlFlow<()> {
        self.end(
            visitor,
            |splitter, join| splitter.finish(join),
            |extractor, sink| extractor.finish(sink),
        )
    }

    /// Ends the search before unreadable bytes, for example after a read error
    /// or in a truncated file.
    ///
    /// Reports the hits that the missing bytes cannot change. Other hits become
    /// rejects with the rule [`InputEnded`](urlgrep_url::Rule::InputEnded). An incomplete header
    /// field or link is not searched. The end of the message is unknown.
    #[doc(hidden)] // For the engine, which reads files with holes.
    pub fn break_off<V: Visitor>(&mut self, visitor: &mut V) -> ControlFlow<()> {
        self.end(
            visitor,
            |_, join| join.break_off(),
            |extractor, sink| extractor.break_off(sink),
        )
    }

    /// Ends the search. See [`Searcher::run`].
    fn end(
        &mut self,
        visitor: &mut dyn Visitor,
        mail: impl FnOnce(&mut Splitter, &mut Join<'_>),
        text: impl FnOnce(&mut Stream, &mut Give<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.start();
        self.look(&[], true, visitor);
        self.ended = true;
        self.run(&[], visitor, mail, text)
    }

    /// Searches a whole container, or a whole piece of one. As `begin`, `feed`
    /// and `finish`, but plain text is not copied.
    #[doc(hidden)]
    pub fn search<V: Visitor>(
        &mut self,
        container: Container,
        at: Position,
        bytes: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<()> {
        self.begin(container, at);
        self.search_here(bytes, visitor)
    }

    /// Searches all bytes after `begin`. As `feed` and `finish`, but plain text
    /// is not copied.
    #[doc(hidden)]
    pub fn search_here<V: Visitor>(&mut self, bytes: &[u8], visitor: &mut V) -> ControlFlow<()> {
        self.start();
        if self.text.is_some() && !self.parts.around.has_lines() {
            self.look(bytes, true, visitor);
            self.ended = true;
            return self.run(
                bytes,
                visitor,
                |_, _| {},
                |extractor, sink| extractor.search_here(bytes, sink),
            );
        }
        let mut answer = self.feed_some(bytes, true, visitor);
        if answer.is_continue() {
            answer = self.finish(visitor);
        }
        self.ended = true;
        answer
    }

    /// Searches one message in memory, and gives each hit to `each`, which says whether to
    /// continue. Offsets count from the first byte of the message, and lines from 1. A `From `
    /// line before the header belongs to the message. Nothing is allocated if earlier messages
    /// had the same size, except for HTML.
    ///
    /// # Complexity
    ///
    /// Linear in the message.
    pub fn search_message(
        &mut self,
        message: &[u8],
        mut each: impl FnMut(&Match<'_>) -> ControlFlow<()>,
    ) {
        let _ = self.visit_message(message, &mut each);
    }

    /// As [`Searcher::search_message`], for a visitor. Returns what it answers.
    pub fn visit_message<V: Visitor>(
        &mut self,
        message: &[u8],
        visitor: &mut V,
    ) -> ControlFlow<()> {
        self.forget();
        self.ended = true;
        self.text = None;
        self.splitter = None;
        let mut join = self.join(visitor);
        join.message_start(&Start {
            number: 1,
            shape: Shape::Message,
            head: b"",
            head_span: Span::new(0, 0),
            line: 1,
            record: None,
        });
        let mut at = 0;
        for piece in message.chunks(PIECE) {
            join.message.stopped |= join.visitor.goes_on().is_break();
            join.data(piece, at);
            at += piece.len() as u64;
        }
        join.message_end(at);
        self.answer()
    }

    /// Searches all bytes of `rdr`, and gives each hit to `each`, which says whether to
    /// continue. Their format is recognised by the first bytes, or is given by `hint`. Memory
    /// is bounded. A compressed file or an archive is not unpacked: `urlgrep::search_paths`
    /// does that.
    ///
    /// # Errors
    ///
    /// Read errors. The bytes before the error are searched. The search ends as
    /// in [`Searcher::break_off`]. If the error comes before the format is
    /// recognised, nothing is searched.
    pub fn search_reader(
        &mut self,
        rdr: impl Read,
        hint: ReadAs,
        mut each: impl FnMut(&Match<'_>) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.visit_reader(rdr, hint, &mut each).map(|_| ())
    }

    /// As [`Searcher::search_reader`], for a visitor. Returns what it answers.
    ///
    /// # Errors
    ///
    /// As there.
    pub fn visit_reader<V: Visitor>(
        &mut self,
        mut rdr: impl Read,
        hint: ReadAs,
        visitor: &mut V,
    ) -> io::Result<ControlFlow<()>> {
        self.begin(Container::Text, Position::START);
        let mut chunk = vec![0; READ];
        let mut len = 0;
        let mut begun = false;
        let mut want = SNIFF;
        loop {
            let (error, eof) = match rdr.read(&mut chunk[len..]) {
                Ok(n) => {
                    len += n;
                    (None, n == 0)
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
                Err(e) => (Some(e), true),
            };
            if !begun && (eof || len >= want) {
                let head = &chunk[..len];
                let whole = eof && error.is_none();
                if !whole && is_undecided(head, hint) {
                    if let Some(error) = error {
                        return Err(error);
                    }
                    want = 2 * len;
                    chunk.resize(want.max(READ), 0);
                    continue;
                }
                begun = true;
                self.begin(sniff(head, whole, hint), Position::START);
            }
            if begun {
                if visitor.goes_on().is_break() || self.feed(&chunk[..len], visitor).is_break() {
                    self.ended = true;
                    return Ok(ControlFlow::Break(()));
                }
                len = 0;
            }
            if let Some(error) = error {
                let _ = self.break_off(visitor);
                return Err(error);
            }
            if eof {
                return Ok(self.finish(visitor));
            }
        }
    }

    /// Searches the body of a response of HTTP that `rdr` has decoded.
    fn search_decoded(
        &mut self,
        mut rdr: impl Read,
        coded: &Coded,
        visitor: &mut dyn Visitor,
    ) -> io::Result<ControlFlow<()>> {
        self.forget();
        self.parts.around.begin();
        self.ended = true;
        self.text = None;
        self.splitter = None;
        let mut join = self.join(visitor);
        join.start_decoded(coded);
        let mut chunk = vec![0; READ];
        let mut at = 0;
        loop {
            match rdr.read(&mut chunk) {
                Ok(0) => {
                    join.message_end(at);
                    return Ok(self.answer());
                }
                Ok(n) => {
                    join.message.stopped |= join.visitor.goes_on().is_break();
                    join.data(&chunk[..n], at);
                    at += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    join.break_off();
                    return Err(e);
                }
            }
            if join.message.stopped {
                return Ok(self.answer());
            }
        }
    }

    /// Begins plain text if the last search has ended and no other search was
    /// begun.
    fn start(&mut self) {
        if self.ended {
            self.begin(Container::Text, Position::START);
        }
    }

    /// What connects the splitter, the walker and the extractor.
    fn join<'j>(&'j mut self, visitor: &'j mut dyn Visitor) -> Join<'j> {
        Join {
            walker: &mut self.walker,
            message: &mut self.message,
            parts: &mut self.parts,
            visitor,
            message_ends: self.message_ends,
        }
    }

    /// Drops an unfinished search and hits that were not delivered.
    fn forget(&mut self) {
        self.ended = false;
        self.message = Current::default();
        self.parts.forget();
    }

    /// Runs `mail` with the splitter of a container, or `text` with the
    /// extractor of plain text. The text is in `whole`, or it was fed.
    fn run(
        &mut self,
        whole: &[u8],
        visitor: &mut dyn Visitor,
        mail: impl FnOnce(&mut Splitter, &mut Join<'_>),
        text: impl FnOnce(&mut Stream, &mut Give<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.message.stopped {
            return ControlFlow::Break(());
        }
        if let Some(mut splitter) = self.splitter.take() {
            mail(&mut splitter, &mut self.join(visitor));
            self.splitter = Some(splitter);
        } else {
            let mut place = self.text.unwrap_or(&PLAIN).clone();
            let (stream, around) = (&mut self.parts.text, &mut self.parts.around);
            let mut deliver = Deliver { visitor, around };
            let mut sink = |hit: &Hit| {
                if !self.parts.options.wanted_forms().has(hit.form()) {
                    return ControlFlow::Continue(());
                }
                if deliver.around.wants_columns() {
                    place.column = deliver.around.column_of(whole, hit.span().start);
                }
                let found = Match {
                    hit,
                    place: &place,
                    message: None,
                };
                deliver.hit(&found)
            };
            let mut give: Give<'_> = &mut sink;
            let stopped = text(&mut stream.extractor, &mut give).is_break();
            self.message.stopped = stopped;
            if whole.is_empty() {
                let eof = self.ended && !stopped;
                around.advance(stream.extractor.settled(), eof, visitor);
            }
        }
        self.answer()
    }

    /// What the visitor of the search answers.
    fn answer(&self) -> ControlFlow<()> {
        if self.message.stopped {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Receives the hits of an extractor.
type Give<'g> = &'g mut dyn FnMut(&Hit) -> ControlFlow<()>;

#[cfg(test)]
mod tests;
