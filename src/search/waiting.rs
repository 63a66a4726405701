//! Hits that wait until everything about them is known.

use std::collections::VecDeque;

use super::{Match, Message, Note, NoteKind, Place, Visitor};
use crate::extract::Hit;
use crate::mail::mime::Role;

/// More than the number of kinds of notes, each of which occurs at most once
/// in a part.
const NOTES: usize = 64;

/// The URL of a link is reported with the link if it begins within this many
/// bytes of its text. The link waits for them.
const LINK_TEXT: u64 = 1024;

/// The number of spare hits that keep their memory, and the maximum size of
/// each.
const SPARE: usize = 1024;
const SPARE_BYTES: usize = 1024;

/// Hits whose role or end of message is unknown, and links that come after
/// text that may still have a hit, in order.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    hits: VecDeque<Held>,
    /// The number of `hits` that wait, from the front. The others are spare.
    len: usize,
    /// The number of these that belong to parts that have ended.
    ended: usize,
    /// Text offset in the current part before which it has no further hit.
    settled: u64,
    /// Notes of the current part. They are given after its hits, whenever they
    /// were found.
    notes: Vec<HeldNote>,
}

/// A note that waits.
#[derive(Debug)]
pub(super) struct HeldNote {
    pub(super) kind: NoteKind,
    pub(super) at: Option<u64>,
    pub(super) message: Option<u64>,
    pub(super) part: Option<String>,
}

impl HeldNote {
    fn give<V: Visitor>(&self, visitor: &mut V) {
        visitor.note(&Note {
            kind: self.kind,
            at: self.at,
            message: self.message,
            part: self.part.as_deref(),
        });
    }
}

/// A hit that waits.
#[derive(Debug, Default)]
pub(super) struct Held {
    hit: Hit,
    place: Place,
    /// Its approximate size in bytes.
    weight: usize,
    /// The role is unknown while the text of its part continues.
    unknown: bool,
    link: Option<Link>,
    /// Not a hit but a note.
    note: Option<HeldNote>,
}

/// A link of HTML.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Its number in the part.
    pub(super) number: u32,
    /// Its offset in the text.
    pub(super) at: u64,
    /// The text offset before which the text may still have a hit that comes
    /// before the link, or that belongs to it.
    until: u64,
}

impl Link {
    /// A link at the text offset `at`; `has_text` if it may have a text.
    pub(super) fn new(number: u32, at: u64, has_text: bool) -> Link {
        let until = at + if has_text { LINK_TEXT } else { 0 };
        Link { number, at, until }
    }
}

impl Waiting {
    /// Forgets hits that a stopped sink did not take.
    pub(super) fn clear(&mut self) {
        (self.len, self.ended, self.settled) = (0, 0, 0);
        self.notes.clear();
    }

    /// No further hit in the text of the part starts before `offset`.
    pub(super) fn settle(&mut self, offset: u64) {
        self.settled = self.settled.max(offset);
    }

    /// Text offset of the first waiting hit of the current part.
    pub(super) fn first(&self) -> u64 {
        if self.ended >= self.len {
            return u64::MAX;
        }
        let held = &self.hits[self.ended];
        match held.note {
            Some(_) => u64::MAX,
            None => held
                .link
                .as_ref()
                .map_or(held.hit.span().start, |link| link.at),
        }
    }

    /// Another part begins.
    pub(super) fn start_part(&mut self) {
        (self.ended, self.settled) = (self.len, 0);
    }

    /// Gives `found` to the sink, unless its role is `unknown`, or the end of
    /// its message is (`holding`), or other hits wait before it. Then it waits
    /// too. Returns false if the sink stops.
    pub(super) fn give<V: Visitor>(
        &mut self,
        found: &Match<'_>,
        holding: bool,
        unknown: bool,
        visitor: &mut V,
    ) -> bool {
        let start = found.hit.span().start;
        self.settle(start);
        if !unknown && self.len == 0 && !holding {
            return visitor.hit(found);
        }
        self.push(found, unknown, None);
        // Before the links that come after it.
        let mut at = self.len - 1;
        while at > self.ended && self.hits[at - 1].link.is_some_and(|link| link.at > start) {
            self.hits.swap(at - 1, at);
            at -= 1;
        }
        true
    }

    /// As [`give`](Waiting::give), for the URL of a link. It waits for the
    /// hits of the text before it, and for its own text.
    pub(super) fn give_link<V: Visitor>(
        &mut self,
        found: &Match<'_>,
        link: Link,
        holding: bool,
        visitor: &mut V,
    ) -> bool {
        if self.len == 0 && !holding && link.until <= self.settled {
            return visitor.hit(found);
        }
        self.push(found, false, Some(link));
        true
    }

    /// The text of the link `number` ends at the text offset `at`.
    pub(super) fn end_link(&mut self, number: u32, at: u64) {
        for held in self.link(number) {
            if let Some(link) = &mut held.link {
                link.until = link.until.min(at);
            }
        }
    }

    /// The texts of all links end at the text offset `at`.
    pub(super) fn end_links(&mut self, at: u64) {
        for held in self.hits.range_mut(self.ended..self.len) {
            if let Some(link) = &mut held.link {
                link.until = link.until.min(at);
            }
        }
    }

    /// The text of the link `number` has `url` at the text offset `at`.
    pub(super) fn set_text(&mut self, number: u32, at: u64, url: &[u8]) {
        for held in self.link(number) {
            if held.link.is_some_and(|link| at < link.until) {
                held.place.set_text(url);
            }
        }
    }

    /// The URLs of the link `number` of the current part, last first. Numbers
    /// rise, so only links and hits after it are visited.
    fn link(&mut self, number: u32) -> impl Iterator<Item = &mut Held> {
        let waiting = self.hits.range_mut(self.ended..self.len).rev();
        waiting
            .take_while(move |held| held.link.is_none_or(|link| link.number >= number))
            .filter(move |held| held.link.is_some_and(|link| link.number == number))
    }

    /// Takes a note of the current part.
    pub(super) fn note(&mut self, note: HeldNote) {
        self.notes.push(note);
    }

    /// True if more notes were taken than one part has.
    pub(super) fn has_many_notes(&self) -> bool {
        self.notes.len() > NOTES
    }

    /// Gives the notes to the sink, after the waiting hits.
    pub(super) fn give_notes<V: Visitor>(&mut self, holding: bool, visitor: &mut V) {
        if self.notes.is_empty() {
            return;
        }
        for note in std::mem::take(&mut self.notes) {
            if self.len == 0 && !holding {
                note.give(visitor);
            } else {
                let held = self.next();
                (held.unknown, held.link, held.note) = (false, None, Some(note));
            }
        }
    }

    /// The slot of the next hit to wait.
    fn next(&mut self) -> &mut Held {
        if self.len == self.hits.len() {
            self.hits.push_back(Held::default());
        }
        self.len += 1;
        &mut self.hits[self.len - 1]
    }

    fn push(&mut self, found: &Match<'_>, unknown: bool, link: Option<Link>) {
        let held = self.next();
        held.note = None;
        // A spare hit never has more memory than the largest.
        held.weight = held.weight.max(found.weight());
        held.hit.copy_from(found.hit);
        held.place.clone_from(found.place);
        held.unknown = unknown;
        held.link = link;
    }

    /// Sets the unknown roles that `role_at` knows, by the text offset of the
    /// hit. Only hits of the current part have unknown roles, and they came
    /// last.
    pub(super) fn set_roles(&mut self, mut role_at: impl FnMut(u64) -> Option<Role>) {
        for held in self.unknown() {
            let role = role_at(held.hit.span().start);
            held.place.set_role(role);
            held.unknown = role.is_none();
        }
    }

    /// Hits with unknown roles, last first.
    fn unknown(&mut self) -> impl Iterator<Item = &mut Held> {
        let waiting = self.hits.range_mut(..self.len);
        waiting.rev().take_while(|held| held.unknown)
    }

    /// Makes rejects of hits with unknown roles, or forgets them.
    pub(super) fn refuse_unknown(&mut self, rejects: bool) {
        let mut number = 0;
        for held in self.unknown() {
            held.hit.refuse();
            number += 1;
        }
        if !rejects {
            self.len -= number;
        }
    }

    /// Gives the hits at the front that need not wait any longer to the sink.
    /// Returns false if the sink stops.
    pub(super) fn release<V: Visitor>(&mut self, message: Message<'_>, visitor: &mut V) -> bool {
        if self.len == 0 {
            return true;
        }
        let mut done = 0;
        let mut go_on = true;
        while done < self.len
            && go_on
            && !self.hits[done].unknown
            && (done < self.ended
                || self.hits[done]
                    .link
                    .is_none_or(|link| link.until <= self.settled))
        {
            let held = &self.hits[done];
            done += 1;
            if let Some(note) = &held.note {
                note.give(visitor);
                continue;
            }
            go_on = visitor.hit(&Match {
                hit: &held.hit,
                place: &held.place,
                message: Some(message),
            });
        }
        for held in self.hits.range_mut(..done) {
            if held.weight > SPARE_BYTES {
                *held = Held::default();
            }
        }
        // Move them to the spare hits: as many moves as hits given, however
        // many wait.
        self.hits.rotate_left(done);
        self.len -= done;
        if self.len == 0 && self.hits.len() > SPARE {
            self.hits.truncate(SPARE);
            self.hits.shrink_to_fit();
        }
        self.ended = self.ended.saturating_sub(done);
        go_on
    }
}
