//! Searches the decoded text of a message, and gives each hit its place in the source.
//!
//! # How to think about it
//!
//! A message is a series of texts: header fields, bodies, the values of links. [`Decode`]
//! is the sink of the walker, which calls `part_start`, `text` any number of times, and
//! `part_end`. (Text without a header takes a shorter way, `plain`: no walker, and the
//! role is always the body.) It goes in one direction:
//!
//! 1. If roles are wanted and depend on the text of a part, it is collected, with its map, until
//!    the part ends: only the end shows a signature or a footer. A long text comes in pages. What
//!    comes between two texts, such as a link, is kept in [`Collected`].
//! 2. The extractor reads the text, and finds a hit when it has read what may belong
//!    to it. `settled` is the offset before which it will find nothing more. The lines around
//!    hits and the texts of links are copied from the same bytes.
//! 3. The first hit of a page asks the role tracker, which reads the page then. A part without
//!    a hit is never read.
//! 4. The visitor gets the hit. [`Waiting`] keeps it only if the caller asked for the end of its
//!    message, or if a link must come before it.
//!
//! The walker forgets the bytes and the map of a chunk, so `search` looks up the place in the
//! source as soon as the extractor finds a hit. Only for a link something may be added later: the
//! URL that its text shows. Of a text that is not collected, the last hits are found when it ends,
//! and `part_end` brings no map. So after each chunk, `settle` copies the part of the map that
//! comes after `settled`.
//!
//! HTML is the hard case, because there texts nest, one level deep: the value of a link is a
//! part of its own that comes between two chunks of the page's text, and a URL in the page's
//! text may continue after the tag. We use two extractors, so that neither disturbs the
//! other. The hits of a link are passed on before those in the text of the same `<a>`. If
//! that text shows the URL of the link again, the hit in the text is dropped. If it shows
//! another URL, both hits stay, and the place of each names the other URL (`text`, `target`).
//! So a link waits for the hits before it, and for at most 1 KiB of its text.
//!
//! An unfinished URL in the page's text holds up every link after it. A page can have
//! any number of links, so we bound them: the page's text ends, and begins again, after
//! [`LINKS`] links, or after [`LINK_BYTES`] bytes of hits in links. A URL across that place
//! is cut. A line with that many hits ends there too, because its hits are kept until it ends
//! if lines around hits are wanted.

use std::ops::ControlFlow;

use super::anchors::Anchors;
use super::around::{Around, Deliver};
use super::attachment::Attached;
use super::collected::{Collected, Event, LinkHit};
use super::json::Talk;
use super::memo::{Memo, may_have_url};
use super::place::{Current, Origin};
use super::roles::Roles;
use super::seen::Seen;
use super::shown::{self, Shown};
use super::waiting::{HeldNote, InText, Waiting};
use super::{Give, Match, NoteKind, Place, SearcherBuilder, Visitor, go_on};
use urlgrep_base::span::{SeamKind, SourceMap, Span};
use urlgrep_find::scan;
use urlgrep_find::{Drive, ExtractorBuilder, Hit, Stream as TextStream};
use urlgrep_mail::mime::Content;
use urlgrep_mail::mime::{
    self, Enclosing, HeaderPolicy, JsonEvent, JsonObjects, LinkAttribute, MailSink, PartEnd,
    PartInfo, PartKind,
};

/// The maximum number of links that are searched together with one text, and
/// the maximum size of their hits in bytes. These hits wait for the text before
/// them. At either limit the text ends, and another text continues.
pub(super) const LINKS: u32 = 1024;
pub(super) const LINK_BYTES: usize = 256 * 1024;

/// The number of bytes of HTML that are searched before the hits that wait for a link are given.
const SLICE: usize = 8 * 1024;

/// Bytes of the current part.
#[derive(Clone, Copy, Debug)]
enum Bytes<'b> {
    /// From the walker.
    Here(&'b [u8]),
    /// Between these places of the page of collected text.
    Page(usize, usize),
}

impl<'b> Bytes<'b> {
    fn of<'x>(self, page: &'x [u8]) -> &'x [u8]
    where
        'b: 'x,
    {
        match self {
            Bytes::Here(bytes) => bytes,
            Bytes::Page(start, end) => &page[start..end],
        }
    }

    fn len(self) -> usize {
        match self {
            Bytes::Here(bytes) => bytes.len(),
            Bytes::Page(start, end) => end - start,
        }
    }

    /// The first bytes, at most `most`, and the others.
    fn split(self, most: usize) -> (Self, Self) {
        let at = most.min(self.len());
        match self {
            Bytes::Here(bytes) => (Bytes::Here(&bytes[..at]), Bytes::Here(&bytes[at..])),
            Bytes::Page(start, end) => {
                (Bytes::Page(start, start + at), Bytes::Page(start + at, end))
            }
        }
    }
}

/// The current part, and the current link in it.
///
/// It is one thing: each event of a message, such as the start of a part, reaches most of its
/// fields, and the larger ones have their own types.
#[derive(Debug)]
pub(super) struct Parts {
    pub(super) info: mime::MessageInfo,
    pub(super) text: Stream,
    /// Reads the value of a link. It comes inside the text of its part.
    value: Stream,
    in_value: bool,
    /// What to report. All links of HTML are read, whatever forms are wanted, because
    /// their text may repeat them. All of the text is read, because it may be that of a
    /// link, or have the whole of a URL that is shortened later.
    pub(super) options: ExtractorBuilder,
    /// Determine roles and header texts.
    pub(super) has_details: bool,
    has_places: bool,
    /// A message that needs no decoding does not go to the walker.
    may_look_ahead: bool,
    pub(super) headers: HeaderPolicy,
    /// The number of messages since the last one of that kind.
    pub(super) decoded: u32,
    /// The bytes of such a message.
    pub(super) held: Vec<u8>,
    pub(super) held_map: SourceMap,
    roles: Roles,
    collected: Collected,
    pub(super) waiting: Waiting,
    pub(super) around: Around,
    anchors: Anchors,
    pub(super) memo: Memo,
    pub(super) seen: Seen,
    pub(super) attached: Attached,
    pub(super) talk: Talk,
}

impl Parts {
    pub(super) fn new(config: SearcherBuilder, around: Around) -> Parts {
        let SearcherBuilder {
            extractor, details, ..
        } = config;
        let all = ExtractorBuilder::default().wanted_forms();
        let mut text =
            Stream::new(extractor.forms(all.iter().chain(extractor.wanted_forms().iter())));
        // A search of bytes begins as one of text, which may be from a terminal.
        text.extractor.set_text(true);
        Parts {
            attached: Attached::new(config),
            info: mime::MessageInfo::default(),
            text,
            value: Stream::new(extractor.forms(all.iter())),
            in_value: false,
            options: extractor,
            has_details: details,
            has_places: config.places,
            headers: config.headers,
            decoded: 0,
            may_look_ahead: !(extractor.finds_more() || details && config.all_infos),
            held: Vec::new(),
            held_map: SourceMap::default(),
            roles: Roles::new(details),
            collected: Collected::default(),
            waiting: Waiting::default(),
            around,
            anchors: Anchors::default(),
            memo: Memo::default(),
            seen: Seen::default(),
            talk: Talk::default(),
        }
    }

    /// True if the next message may need no decoding. In mail of today hardly any is of
    /// that kind, so after a few others only one message in 16 is tried.
    pub(super) fn looks_ahead(&mut self) -> bool {
        self.decoded = self.decoded.wrapping_add(1);
        self.may_look_ahead && (self.decoded < 5 || self.decoded.is_multiple_of(16))
    }

    /// Begins a message. `yes` means that its source lines are known.
    pub(super) fn count_lines(&mut self, yes: bool) {
        self.text.place.counts_lines = yes;
        self.value.place.counts_lines = yes;
    }

    /// Begins a message without a header at the offset `source`, on line `line`.
    pub(super) fn start_plain(&mut self, source: u64, line: u64) {
        self.text.start_plain(line);
        self.anchors.clear();
        self.seen.clear();
        self.roles.tracker.start_plain();
        if self.around.is_on() {
            let line = self.text.line_if_counted(line);
            self.around.start_mapped(line, Some((source, 1)));
        }
    }

    /// True if the text of the part is collected before it is searched. JSON and tables have no
    /// roles, as files of text.
    fn collects(&self) -> bool {
        self.roles.read_text() && !self.talk.has_no_roles
    }

    /// The offset after the text of the part so far.
    fn text_end(&self) -> u64 {
        if self.collects() {
            self.roles.tracker.page_end()
        } else {
            self.text.fed
        }
    }

    /// Drops unfinished parts and hits that were not delivered.
    pub(super) fn forget(&mut self) {
        self.in_value = false;
        self.collected.clear();
        self.waiting.clear();
        self.attached.forget();
        self.memo.forget();
        self.seen.clear();
        self.talk.start(None);
        self.text.extractor.reset(0, 0);
    }
}

/// A text, and the extractor that searches it.
///
/// It is one thing: the place of the text, and the link in it that is being read.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) extractor: TextStream,
    /// The place of the last hit.
    pub(super) place: Place,
    /// The source line at which the part begins.
    pub(super) line: u64,
    link: Option<u32>,
    /// The current link is the name of a vocabulary.
    is_name: bool,
    /// The end of the current link is not known.
    is_unclosed: bool,
    /// The current link may have a text.
    has_text: bool,
    /// The size in bytes of the hits of links since a text last ended at
    /// [`LINKS`] or [`LINK_BYTES`], or since the start of the part.
    link_bytes: usize,
    /// The number of bytes that the extractor received, and of line feeds if the text is HTML or
    /// has strings.
    pub(super) fed: u64,
    pub(super) lines: u64,
    is_html: bool,
    /// The text is divided into strings of JSON or fields of a table.
    pub(super) has_strings: bool,
    /// The extractor counts lines.
    counts_lines: bool,
    /// The map for the most recent text.
    pub(super) map: SourceMap,
}

impl Stream {
    fn new(builder: ExtractorBuilder) -> Stream {
        Stream {
            counts_lines: builder.has_lines(),
            extractor: builder.build().into_stream(),
            place: Place::new(Origin::Lost),
            line: 1,
            link: None,
            is_name: false,
            is_unclosed: false,
            has_text: false,
            link_bytes: 0,
            fed: 0,
            lines: 0,
            is_html: false,
            has_strings: false,
            map: SourceMap::new(1),
        }
    }

    fn start(&mut self, part: &PartInfo<'_>) {
        self.extractor.reset(0, 1);
        self.map.reset(1);
        self.place.start(part);
        self.line = part.line;
        self.link = None;
        self.link_bytes = 0;
        self.fed = 0;
        self.lines = 0;
        self.is_html = part.kind == PartKind::HtmlText;
        self.has_strings = false;
        // The fields of mailing lists (RFC 2369) are links that a mail program opens.
        let is_list = |name: &[u8]| {
            let start = name.get(..5);
            start.is_some_and(|start| start.eq_ignore_ascii_case(b"List-"))
        };
        let is_links = matches!(part.kind, PartKind::Header { name } if is_list(name));
        self.extractor.set_links(is_links);
        self.extractor.set_text(false);
    }

    /// Begins a message without a header. It is searched without decoding.
    fn start_plain(&mut self, line: u64) {
        self.extractor.reset(0, 1);
        self.extractor.set_links(false);
        self.extractor.set_text(true);
        self.map.reset(line);
        self.place.start_plain();
        self.line = line;
    }

    /// `line` if lines are counted, else 0.
    pub(super) fn line_if_counted(&self, line: u64) -> u64 {
        if self.counts_lines && self.place.counts_lines {
            line
        } else {
            0
        }
    }

    /// Source bytes of a message without a header that are not text.
    pub(super) fn plain_seam(&mut self, kind: SeamKind, span: Span) {
        self.map.seam(kind, span, 0, 0);
    }
}

/// Receives the decoded text of the walker, and searches it.
pub(super) struct Decode<'d, V: Visitor> {
    pub(super) message: &'d mut Current,
    pub(super) parts: &'d mut Parts,
    pub(super) visitor: &'d mut V,
}

impl<V: Visitor> MailSink for Decode<'_, V> {
    fn headers(&mut self, info: &mime::MessageInfo) {
        if self.parts.has_details {
            self.parts.info.clone_from(info);
            self.parts.roles.clear();
        }
        self.parts.seen.clear();
        if self.parts.talk.is_on {
            // Its messages are not known yet.
            self.message.wanted = true;
            return;
        }
        let message = self.message.at_hand(&self.parts.info);
        self.message.wanted = self.visitor.message(&message);
    }

    /// Skips fields that cannot have a URL. A field whose hits are remembered is reported
    /// at once.
    fn wants_field<'p>(
        &mut self,
        _name: &[u8],
        raw: &[u8],
        part: impl FnOnce() -> Option<PartInfo<'p>>,
    ) -> bool {
        if self.message.stopped || !self.message.wanted {
            return false;
        }
        let may_have_url = may_have_url(raw) || self.parts.options.may_find_more(raw);
        // The lines around hits need the text of the field.
        may_have_url
            && (self.parts.around.has_lines() || !part().is_some_and(|p| self.repeat(&p, raw)))
    }

    fn part_start(&mut self, part: &PartInfo<'_>) {
        if let PartKind::HtmlLink {
            link,
            element,
            attribute,
            is_unclosed,
        } = part.kind
        {
            self.parts.in_value = true;
            let value = &mut self.parts.value;
            value.start(part);
            value.link = Some(link);
            value.is_name = attribute == LinkAttribute::Namespace;
            value.is_unclosed = is_unclosed;
            value.has_text = element == b"a" && attribute == LinkAttribute::Href;
            return;
        }
        self.parts.text.start(part);
        self.parts.waiting.start_part();
        self.parts.attached.start_part(part);
        self.parts.roles.start(&self.parts.info, part);
        self.parts.collected.clear();
        self.parts.anchors.clear();
        if self.parts.around.is_on() {
            let line = self.parts.text.line_if_counted(part.line);
            self.parts.around.start_part(part, line);
        }
    }

    fn anchor(&mut self, link: Option<u32>, at: u64) {
        self.event(Event::Anchor(link, at));
    }

    fn enclosed(&mut self, by: Enclosing, at: u64) {
        if self.parts.roles.read_text() {
            self.parts.roles.tracker.enclosed(by, at);
            self.parts.collected.part_links(at);
        }
    }

    fn paragraph(&mut self, at: u64) {
        if !self.message.stopped && self.message.wanted {
            self.event(Event::Paragraph(at));
        }
    }

    fn json(&mut self, event: JsonEvent, around: &JsonObjects) {
        self.json_event(event, around);
    }

    fn field_end(&mut self) {
        self.end_string();
    }

    fn wants_string(&mut self, raw: &[u8]) -> bool {
        self.wants_json_string(raw)
    }

    fn text(&mut self, bytes: &[u8], map: &SourceMap) {
        if self.message.stopped || !self.message.wanted {
            return;
        }
        if self.parts.in_value {
            self.value(bytes, map);
            return;
        }
        if self.parts.collects() {
            self.parts.text.map.follow(map);
            self.collect(bytes);
            return;
        }
        self.read(Bytes::Here(bytes), map);
        let settled = self.settle(map);
        self.read_to(settled);
    }

    fn wants_file(&mut self, part: &PartInfo<'_>) -> bool {
        self.parts.attached.wants(part)
    }

    fn content(&mut self, head: &[u8], eof: bool) -> Option<Content> {
        self.parts.attached.content(head, eof)
    }

    fn file(&mut self, bytes: &[u8]) {
        if !self.message.stopped && self.message.wanted {
            self.parts.attached.push(bytes);
        }
    }

    fn settled(&self) -> u64 {
        if self.parts.in_value {
            0
        } else if self.parts.collects() {
            self.parts.text_end()
        } else {
            self.parts.text.extractor.settled()
        }
    }

    fn part_end(&mut self, end: PartEnd) {
        if self.parts.in_value {
            self.parts.in_value = false;
            return;
        }
        if self.message.stopped || !self.message.wanted {
            self.parts.memo.forget();
            self.give_notes();
            return;
        }
        if self.parts.collects() {
            self.parts.roles.tracker.finish(end.last);
            self.search_page(u64::MAX);
        }
        self.read_links(Bytes::Here(b""));
        self.end_text();
        self.end_part();
    }

    fn note(&mut self, note: mime::MessageNote<'_>) {
        let at = note.at.filter(|_| self.parts.has_places);
        self.hold_note(note.kind, at, note.part.to_owned(), b"");
    }
}

impl<V: Visitor> Decode<'_, V> {
    /// Passes on a note after the hits before it. `member` is that of an attachment.
    pub(super) fn hold_note(
        &mut self,
        kind: mime::MessageNoteKind,
        at: Option<u64>,
        part: String,
        member: &[u8],
    ) {
        self.parts.waiting.note(HeldNote {
            kind: NoteKind::Message(kind),
            at,
            message: self.message.number(),
            part: Some(part),
            member: member.to_vec(),
        });
        // There may be any number of parts without text, so notes must not
        // accumulate. Those of a text come after its hits.
        if self.parts.waiting.has_many_notes() && self.parts.text_end() == self.parts.text.fed {
            self.give_notes();
        }
    }

    /// Reports what has waited for the end of the part.
    pub(super) fn end_part(&mut self) {
        self.end_talk();
        self.parts.memo.end();
        self.parts.waiting.settle(u64::MAX);
        self.release();
        self.lines(u64::MAX, true);
        self.search_attached();
        self.give_notes();
    }

    /// Ends the message before unreadable bytes. The text decoded so far is the
    /// beginning of its text.
    pub(super) fn break_off(&mut self) {
        self.parts.in_value = false;
        if !self.message.wanted {
            return;
        }
        if self.parts.collects() {
            self.parts.roles.tracker.cut_off();
            self.search_page(u64::MAX);
        }
        self.search_kept(|extractor, _, sink| extractor.break_off(sink));
        self.end_talk();
        self.parts.waiting.settle(u64::MAX);
        self.release();
        self.lines(u64::MAX, true);
    }

    /// Gives the complete lines around hits, unless the visitor has stopped.
    /// All hits before `settled` have been found. Hits that wait do not count
    /// as found.
    pub(super) fn lines(&mut self, settled: u64, eof: bool) {
        let Parts {
            waiting,
            around,
            talk,
            ..
        } = &mut *self.parts;
        if around.is_on() && !self.message.stopped {
            let first = waiting.first().min(talk.first());
            around.advance(settled.min(first), eof, self.visitor);
        }
    }

    /// As `text`, for the whole text of a message. Its first colon that matters is at `colon`.
    pub(super) fn whole_text(&mut self, text: &[u8], colon: usize, map: &SourceMap) {
        if self.parts.around.is_on() {
            self.text(text, map);
        } else if self.message.wanted {
            self.parts.text.extractor.skip(colon);
            self.search(map, |extractor, _, sink| extractor.search_here(text, sink));
        }
    }

    /// As [`search`](Decode::search), with the map that the stream has kept.
    pub(super) fn search_kept(
        &mut self,
        feed: impl FnOnce(&mut TextStream, &[u8], &mut Give<'_>) -> ControlFlow<()>,
    ) {
        let map = std::mem::take(&mut self.parts.text.map);
        self.search(&map, feed);
        self.parts.text.map = map;
    }

    /// Passes the hits that `feed` finds in the text of the part to the visitor, unless they must
    /// wait for a link or for the end of the message. `feed` gets the page of collected text. Finds
    /// nothing after the visitor has stopped.
    ///
    /// A hit is not certain if its role is unknown, because the text broke off.
    #[expect(
        clippy::too_many_lines,
        reason = "one closure that the extractor calls for each hit, with all that a hit needs"
    )]
    fn search(
        &mut self,
        map: &SourceMap,
        feed: impl FnOnce(&mut TextStream, &[u8], &mut Give<'_>) -> ControlFlow<()>,
    ) {
        if self.message.stopped {
            return;
        }
        let parts = &mut *self.parts;
        let has_roles = parts.has_details && !parts.talk.has_no_roles;
        let (page, mut roles) = parts.roles.page();
        let message = self.message.at_hand(&parts.info);
        let holding = self.message.holding;
        let (visitor, around) = (&mut *self.visitor, &mut parts.around);
        let mut deliver = Deliver { visitor, around };
        let (line, place) = (parts.text.line, &mut parts.text.place);
        let mut sink = |hit: &Hit| {
            let at = hit.start();
            // Only HTML has links.
            let is_html = parts.text.is_html;
            let link = if is_html {
                parts.anchors.link_at(at)
            } else {
                None
            };
            let is_hit = hit.url().is_ok();
            let is_abbreviated = hit.is_abbreviated();
            // After a host or a slash dots are those of a sentence that trails off.
            if is_abbreviated && hit.continues() {
                // Whether it is a hit depends on its message, so an equal field of another
                // message may have other hits.
                parts.memo.forget();
                if parts.seen.goes_on(hit.text()) {
                    return ControlFlow::Continue(());
                }
            }
            if is_hit && !is_abbreviated {
                parts.seen.add(hit.text());
            }
            // The scheme of a URL may come before the link whose text is the rest. Other texts
            // are spared the span of the hit.
            let last = || parts.anchors.link_at(hit.span().end.saturating_sub(1));
            let around = if is_html { link.or_else(last) } else { None };
            if around.is_some_and(|link| parts.anchors.repeats(link, hit.text()))
                || link.is_some_and(|link| parts.anchors.shows_target(link))
            {
                return ControlFlow::Continue(());
            }
            if is_abbreviated
                && let Some(link) = link
                && let Some(target) = parts.anchors.target(link)
            {
                // What a link shows in short is never a hit of its own.
                if is_hit && !shown::begins(hit.text(), target) {
                    parts.waiting.set_text(link, at, hit.text());
                }
                return ControlFlow::Continue(());
            }
            if link.is_some_and(|link| parts.anchors.says_again(link, hit.text(), is_hit)) {
                return ControlFlow::Continue(());
            }
            if parts.has_places {
                place.locate(hit, map, line);
            }
            place.column = deliver.around.column(at);
            place.set_target(None);
            let in_text = link.and_then(|link| {
                let until = parts.anchors.unread(at)?;
                Some(InText { link, until })
            });
            if let Some(link) = link.filter(|_| is_hit) {
                parts.waiting.set_text(link, at, hit.text());
                place.set_target(parts.anchors.target(link));
            }
            if !parts.options.wanted_forms().has(hit.form()) {
                // It is among the URLs that the message has shown, and would not be if the
                // field were recalled.
                parts.memo.forget();
                return ControlFlow::Continue(());
            }
            place.role = if has_roles {
                roles.at(at, hit.text())
            } else {
                None
            };
            let refused = (has_roles && place.role.is_none()).then(|| {
                let mut hit = hit.clone();
                hit.refuse();
                hit
            });
            if refused.is_some() && !parts.options.has_rejects() {
                return ControlFlow::Continue(());
            }
            let found = Match {
                hit: refused.as_ref().unwrap_or(hit),
                place,
                message: Some(message),
            };
            if parts.talk.is_on {
                parts.talk.hold(hit, place, found.weight());
                return ControlFlow::Continue(());
            }
            parts.memo.add(&found);
            let waiting = &mut parts.waiting;
            go_on(waiting.give(&found, holding, in_text, &mut deliver))
        };
        let mut give: Give<'_> = &mut sink;
        let flow = feed(&mut parts.text.extractor, page, &mut give);
        self.message.stopped |= flow.is_break();
    }

    /// Passes the notes since the end of the last part to the visitor, unless
    /// it has stopped.
    pub(super) fn give_notes(&mut self) {
        if !self.message.stopped {
            let holding = self.message.holding;
            self.parts.waiting.give_notes(holding, self.visitor);
        }
    }

    /// Keeps the part of `map` that the extractor still needs. Returns the
    /// offset before which no further hit can start.
    fn settle(&mut self, map: &SourceMap) -> u64 {
        let text = &mut self.parts.text;
        let settled = text.extractor.settled();
        if text.extractor.is_pending() {
            text.map.copy_tail(map, settled);
        }
        settled
    }

    /// Compares each link whose text ends in `bytes` with its text. The text is
    /// whole then, and the link still waits.
    fn read_links(&mut self, bytes: Bytes<'_>) {
        let parts = &mut *self.parts;
        if parts.text.is_html {
            let bytes = bytes.of(parts.roles.page().0);
            let waiting = &mut parts.waiting;
            let ended = |link, text: &[u8], shown: &Shown| {
                waiting.end_text(link, *shown == Shown::Target);
                match shown {
                    Shown::Target => {}
                    Shown::Stump(stump) => waiting.set_stump(link, stump),
                    Shown::Other => waiting.set_site(link, text),
                }
            };
            parts.anchors.read(parts.text.fed, bytes, ended);
        }
    }

    /// Ends the text.
    fn end_text(&mut self) {
        if self.parts.text.extractor.is_pending() {
            self.search_kept(|extractor, _, sink| extractor.finish(sink));
        }
    }

    /// Collects text of the part. A full page is searched.
    fn collect(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() && !self.message.stopped {
            rest = self.parts.roles.tracker.fill(rest);
            if self.parts.roles.tracker.is_full() {
                let until = self.parts.roles.tracker.turn();
                self.search_page(until);
                self.parts.roles.tracker.drop_page();
            }
        }
    }

    /// Searches the collected text up to the offset `until`, before which all roles are known.
    fn search_page(&mut self, until: u64) {
        self.read_events(until);
        self.search_to(until.min(self.parts.text_end()));
    }

    /// Searches the collected text up to the offset `to`.
    fn search_to(&mut self, to: u64) {
        let start = self.parts.text.fed;
        if to <= start || self.message.stopped {
            return;
        }
        let page = self.parts.roles.tracker.page_start();
        let bytes = Bytes::Page((start - page) as usize, (to - page) as usize);
        let mut map = std::mem::take(&mut self.parts.text.map);
        self.read(bytes, &map);
        let settled = self.parts.text.extractor.settled();
        // A removal directly before the kept bytes may be needed.
        map.forget(settled.saturating_sub(1));
        self.parts.text.map = map;
        self.read_to(settled);
    }

    /// Reads bytes of the part.
    fn read(&mut self, bytes: Bytes<'_>, map: &SourceMap) {
        let Parts { roles, around, .. } = &mut *self.parts;
        if around.is_on() {
            around.feed(bytes.of(roles.page().0), Some(map));
        }
        // The hits in the text of a link wait for the link, which is released below.
        let is_html = self.parts.text.is_html;
        let most = if is_html { SLICE } else { usize::MAX };
        let mut rest = bytes;
        while rest.len() > 0 && !self.message.stopped {
            let (piece, after) = rest.split(most);
            rest = after;
            self.read_links(piece);
            let Parts { roles, text, .. } = &mut *self.parts;
            text.fed += piece.len() as u64;
            if (text.is_html || text.has_strings) && text.place.counts_lines {
                text.lines += scan::line_feeds(piece.of(roles.page().0));
            }
            self.search(map, |extractor, page, sink| {
                extractor.feed(piece.of(page), sink)
            });
            if is_html {
                let settled = self.parts.text.extractor.settled();
                self.parts.waiting.settle(settled);
                self.release();
            }
        }
    }

    /// Nothing more is found before the text offset `settled`.
    fn read_to(&mut self, settled: u64) {
        if self.parts.text.is_html {
            self.parts.anchors.forget(settled);
        }
        self.lines(settled, false);
    }

    /// Something comes between two texts.
    fn event(&mut self, event: Event) {
        if self.parts.collects() {
            self.parts.collected.push(event);
        } else {
            self.read_event(event);
        }
    }

    /// Reads the events before the text offset `until`, and the text before them.
    fn read_events(&mut self, until: u64) {
        while let Some(event) = self.parts.collected.next(until) {
            self.read_event(event);
        }
    }

    /// Reads an event, and the text before it.
    fn read_event(&mut self, event: Event) {
        match event {
            Event::Anchor(link, at) => {
                if let Some(ended) = self.parts.anchors.change(at, link) {
                    self.parts.waiting.end_link(ended, at);
                }
            }
            Event::Paragraph(at) => self.parts.text.extractor.end_paragraph(at),
            Event::Link(link) => {
                self.search_to(link.at);
                self.give_link(link);
            }
            Event::StringEnd(at) => {
                self.search_to(at);
                self.end_text();
                let text = &mut self.parts.text;
                text.extractor.reset(text.fed, 1 + text.lines);
                text.has_strings = true;
            }
        }
    }

    /// Ends the text of a string or a field. The next one is another text.
    pub(super) fn end_string(&mut self) {
        self.event(Event::StringEnd(self.parts.text_end()));
    }

    /// Passes on a URL of a link. The text before it has been searched.
    fn give_link(&mut self, mut link: Box<LinkHit>) {
        let parts = &mut *self.parts;
        if link.has_text {
            let is_hit = link.hit.url().is_ok();
            parts.anchors.url(link.number, link.hit.text(), is_hit);
        }
        let mut is_wanted = link.is_wanted && !self.message.stopped;
        if parts.has_details {
            let role = parts.roles.page().1.at(link.role_at(), link.hit.text());
            link.place.role = link.place.role.or(role);
            if role.is_none() {
                link.hit.refuse();
                is_wanted &= parts.options.has_rejects();
            }
        }
        if is_wanted {
            let message = self.message.at_hand(&parts.info);
            let holding = self.message.holding;
            let (visitor, around) = (&mut *self.visitor, &mut parts.around);
            let mut deliver = Deliver { visitor, around };
            let waiting = &mut parts.waiting;
            let go_on = waiting.give_link(&mut link, message, holding, &mut deliver);
            self.message.stopped |= !go_on;
        }
        self.parts.collected.reuse(link);
    }

    /// Searches the value of a link.
    fn value(&mut self, bytes: &[u8], map: &SourceMap) {
        let is_name = self.parts.value.is_name;
        if is_name && !self.parts.options.wanted_forms().has(scan::Form::Namespace) {
            return;
        }
        let is_due = |link| link % LINKS == LINKS - 1;
        if self.parts.text.link_bytes > LINK_BYTES || self.parts.value.link.is_some_and(is_due) {
            self.part_text();
            if self.message.stopped {
                return;
            }
        }
        let at = self.parts.text_end();
        let parts = &mut *self.parts;
        let (text, value, collected) = (&mut parts.text, &mut parts.value, &mut parts.collected);
        let markup_role = parts.roles.tracker.markup_role();
        let (_, mut roles) = parts.roles.page();
        let mut sink = |hit: &Hit| {
            let Some(number) = value.link else {
                return ControlFlow::Continue(());
            };
            let mut link = collected.new_link();
            link.hit.copy_from(hit);
            if is_name {
                link.hit.name_vocabulary();
            }
            if parts.has_places {
                value.place.locate(&link.hit, map, value.line);
            }
            // The role is known if all that was open here has been ended.
            value.place.role = markup_role.or_else(|| roles.at(at, link.hit.text()));
            value.place.link = Some(at);
            link.place.clone_from(&value.place);
            link.set_place(number, at, value.has_text);
            link.is_wanted = parts.options.wanted_forms().has(link.hit.form());
            let weight = link.weigh();
            if link.is_wanted {
                text.link_bytes += weight;
            }
            if link.is_wanted || link.has_text {
                collected.push(Event::Link(link));
            }
            ControlFlow::Continue(())
        };
        // The links are kept, so nothing stops here.
        let _ = value
            .extractor
            .search_value(bytes, value.is_unclosed, &mut sink);
        if !self.parts.collects() {
            self.read_events(u64::MAX);
        }
    }

    /// Ends the text of the part, and begins another one: a page can have any number of links.
    fn part_text(&mut self) {
        let collects = self.parts.collects();
        if collects {
            self.parts.roles.tracker.decide();
            self.search_page(u64::MAX);
            self.parts.roles.tracker.drop_page();
        }
        self.read_links(Bytes::Here(b""));
        self.end_text();
        let text = &mut self.parts.text;
        text.extractor.reset(text.fed, 1 + text.lines);
        text.link_bytes = 0;
        let end = text.fed;
        self.parts.anchors.forget(end);
        self.parts.waiting.end_links(end);
        self.parts.waiting.settle(end);
        self.release();
        if !self.message.stopped && self.parts.around.has_lines() {
            self.parts.around.end_long_line(self.visitor);
        }
    }

    /// Passes the hits that are complete to the visitor, unless it has stopped.
    fn release(&mut self) {
        if self.message.stopped || self.parts.waiting.is_empty() {
            return;
        }
        let parts = &mut *self.parts;
        if !self.message.holding {
            let message = self.message.at_hand(&parts.info);
            let (visitor, around) = (&mut *self.visitor, &mut parts.around);
            let mut deliver = Deliver { visitor, around };
            self.message.stopped |= !parts.waiting.release(message, &mut deliver);
        }
    }
}
