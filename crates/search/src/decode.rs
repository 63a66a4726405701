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
//!    comes between two texts, such as a link, is kept in
//!    [`Collected`](super::collected::Collected).
//! 2. The extractor reads the text, and finds a hit when it has read what may belong
//!    to it. `settled` is the offset before which it will find nothing more. The lines around
//!    hits and the texts of links are copied from the same bytes.
//! 3. The first hit of a page asks the role tracker, which reads the page then. A part without
//!    a hit is never read.
//! 4. The visitor gets the hit. [`Waiting`](super::waiting::Waiting) keeps it only if the caller
//!    asked for the end of its message, or if a link must come before it.
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
//! [`LINKS`](crate::LINKS) links, or after [`LINK_BYTES`](crate::LINK_BYTES) bytes of hits in
//! links. A URL across that place is cut. A line with that many hits ends there too, because its
//! hits are kept until it ends if lines around hits are wanted.

mod page;
mod parts;

use std::ops::ControlFlow;

pub(super) use self::parts::{Parts, SearchedText};
use super::around::Deliver;
use super::collected::Event;
use super::memo::may_have_url;
use super::place::Current;
use super::shown;
use super::spelling::Spelling;
use super::waiting::{HeldNote, InText};
use super::{Give, Match, NoteKind, Visitor, go_on};
use urlgrep_base::span::SourceMap;
use urlgrep_find::{Drive, Hit, Stream};
use urlgrep_mail::mime::Content;
use urlgrep_mail::mime::{
    self, Enclosing, JsonEvent, JsonObjects, LinkAttribute, MailSink, PartEnd, PartInfo, PartKind,
};

/// The number of bytes of HTML that are searched before the hits that wait for a link are given,
/// and of any text before what is kept around hits is dropped.
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

/// Receives the decoded text of the walker, and searches it.
pub(super) struct Decode<'d> {
    pub(super) message: &'d mut Current,
    pub(super) parts: &'d mut Parts,
    pub(super) visitor: &'d mut dyn Visitor,
}

impl MailSink for Decode<'_> {
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
        self.parts.seen.start_part();
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
        if link.is_some() && self.parts.roles.read_text() {
            self.parts.roles.tracker.linked(at);
        }
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

impl Decode<'_> {
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
        feed: impl FnOnce(&mut Stream, &[u8], &mut Give<'_>) -> ControlFlow<()>,
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
        feed: impl FnOnce(&mut Stream, &[u8], &mut Give<'_>) -> ControlFlow<()>,
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
            let mut other = None;
            if is_hit && !is_abbreviated {
                if parts.text.is_part && hit.has_alternates() {
                    other = hit.other_hyphen();
                }
                parts.seen.add(hit.text(), other.is_none());
                if other.is_none() {
                    parts.waiting.spell(at, hit.text());
                }
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
            if let Some(other) = other
                && refused.is_none()
                && waiting.admits(at)
            {
                let mut place = found.place.clone();
                place.locate(&other, map, line);
                let mut spelling = Spelling::new(hit, other, place);
                for url in parts.seen.of_part() {
                    spelling.note(hit.text(), url);
                }
                waiting.hold(&found, in_text, Some(spelling));
                return ControlFlow::Continue(());
            }
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
}
