//! Reads the text of a part, the links in it, and what comes between two texts, in their order.

use std::ops::ControlFlow;

use super::{Bytes, Decode, Parts, SLICE};
use crate::around::Deliver;
use crate::collected::{Event, LinkHit};
use crate::shown::Shown;
use crate::{LINK_BYTES, LINKS};
use urlgrep_base::span::SourceMap;
use urlgrep_find::{Drive, Hit, scan};
use urlgrep_mail::mime::Role;

impl Decode<'_> {
    /// Keeps the part of `map` that the extractor still needs. Returns the
    /// offset before which no further hit can start.
    pub(super) fn settle(&mut self, map: &SourceMap) -> u64 {
        let text = &mut self.parts.text;
        let settled = text.extractor.settled();
        if text.extractor.is_pending() {
            text.map.copy_tail(map, settled);
        }
        settled
    }

    /// Compares each link whose text ends in `bytes` with its text. The text is
    /// whole then, and the link still waits.
    pub(super) fn read_links(&mut self, bytes: Bytes<'_>) {
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
    pub(super) fn end_text(&mut self) {
        if self.parts.text.extractor.is_pending() {
            self.search_kept(|extractor, _, sink| extractor.finish(sink));
        }
    }

    /// Collects text of the part. A full page is searched.
    pub(super) fn collect(&mut self, bytes: &[u8]) {
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
    pub(super) fn search_page(&mut self, until: u64) {
        self.read_events(until);
        self.search_to(until.min(self.parts.text_end()));
    }

    /// Searches the collected text up to the offset `to`.
    pub(super) fn search_to(&mut self, to: u64) {
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
    pub(super) fn read(&mut self, bytes: Bytes<'_>, map: &SourceMap) {
        let is_html = self.parts.text.is_html;
        let has_around = self.parts.around.is_on();
        // The hits in the text of a link wait for the link, which is released below. What is kept
        // around hits has a map of its own, which can be a hundred times as large as the text.
        let most = if is_html || has_around {
            SLICE
        } else {
            usize::MAX
        };
        let mut rest = bytes;
        while rest.len() > 0 && !self.message.stopped {
            let (piece, after) = rest.split(most);
            rest = after;
            if has_around {
                let Parts { roles, around, .. } = &mut *self.parts;
                around.feed(piece.of(roles.page().0), Some(map));
            }
            self.read_links(piece);
            let Parts { roles, text, .. } = &mut *self.parts;
            text.fed += piece.len() as u64;
            if (text.is_html || text.has_strings) && text.place.counts_lines {
                text.lines += scan::line_feeds(piece.of(roles.page().0));
            }
            self.search(map, |extractor, page, sink| {
                extractor.feed(piece.of(page), sink)
            });
            if is_html || !self.parts.waiting.is_empty() {
                let settled = self.parts.text.extractor.settled();
                self.parts.waiting.settle(settled);
                self.release();
            }
            if has_around && rest.len() > 0 {
                let settled = self.parts.text.extractor.settled();
                self.lines(settled, false);
            }
        }
    }

    /// Nothing more is found before the text offset `settled`.
    pub(super) fn read_to(&mut self, settled: u64) {
        if self.parts.text.is_html {
            self.parts.anchors.forget(settled);
        }
        self.lines(settled, false);
    }

    /// Something comes between two texts.
    pub(super) fn event(&mut self, event: Event) {
        if self.parts.collects() {
            self.parts.collected.push(event);
        } else {
            self.read_event(event);
        }
    }

    /// Reads the events before the text offset `until`, and the text before them.
    pub(super) fn read_events(&mut self, until: u64) {
        while let Some(event) = self.parts.collected.next(until) {
            self.read_event(event);
        }
    }

    /// Reads an event, and the text before it.
    pub(super) fn read_event(&mut self, event: Event) {
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
    pub(crate) fn end_string(&mut self) {
        self.event(Event::StringEnd(self.parts.text_end()));
    }

    /// Passes on a URL of a link. The text before it has been searched.
    pub(super) fn give_link(&mut self, mut link: Box<LinkHit>) {
        let parts = &mut *self.parts;
        if link.has_text {
            let is_hit = link.hit.url().is_ok();
            parts.anchors.url(link.number, link.hit.text(), is_hit);
        }
        let mut is_wanted = link.is_wanted && !self.message.stopped;
        if parts.has_details {
            let role = parts.roles.page().1.at(link.role_at(), link.hit.text());
            // The line of a phone is a footer in the element of a signature, too.
            let is_of_phone =
                link.place.role == Some(Role::Signature) && role == Some(Role::Footer);
            link.place.role = link.place.role.filter(|_| !is_of_phone).or(role);
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
    pub(super) fn value(&mut self, bytes: &[u8], map: &SourceMap) {
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
            value.place.role = roles.of_link(markup_role, at, link.hit.text());
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
    pub(super) fn part_text(&mut self) {
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
    pub(super) fn release(&mut self) {
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
