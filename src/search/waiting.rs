//! Hits that wait until all is known of them.

use std::collections::VecDeque;

use super::{Find, Finds, Message, Note, Place};
use crate::extract::Hit;
use crate::mail;
use crate::mail::mime::{self, Role};
use crate::span::{Seam, Span};

/// More notes than the kinds of them, each of which a part has but once.
const NOTES: usize = 64;

/// How many spare hits keep their memory, and how many bytes of it each.
const SPARE: usize = 1024;
const SPARE_BYTES: usize = 1024;

/// Hits whose role, or whose message's end, is not yet known, and links before
/// which the text may still have a hit, in order.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    hits: VecDeque<Held>,
    /// How many of `hits`, from the front, are waiting; the rest is spare.
    len: usize,
    /// How many of them are of parts that have ended.
    ended: usize,
    /// Text offset in the part at hand before which it has no hit any more.
    settled: u64,
    /// What was noted of the part at hand: it is told after its hits, whenever
    /// they were found.
    notes: Vec<HeldNote>,
}

/// A note that waits.
#[derive(Debug)]
pub(super) struct HeldNote {
    pub(super) kind: NoteKind,
    pub(super) at: Option<u64>,
    pub(super) message: u64,
    pub(super) part: Option<String>,
}

/// Who noted what.
#[derive(Clone, Copy, Debug)]
pub(super) enum NoteKind {
    Container(mail::NoteKind),
    Message(mime::NoteKind),
}

impl HeldNote {
    fn give<F: Finds>(&self, finds: &mut F) {
        let (text, name): (&dyn std::fmt::Display, _) = match &self.kind {
            NoteKind::Container(kind) => (kind, kind.name()),
            NoteKind::Message(kind) => (kind, kind.name()),
        };
        finds.note(&Note {
            text,
            name,
            at: self.at,
            message: Some(self.message),
            part: self.part.as_deref(),
        });
    }
}

/// A hit that waits.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) hit: Hit,
    /// About how many bytes it takes.
    weight: usize,
    has_place: bool,
    segments: Vec<Span>,
    seams: Vec<Seam>,
    line: Option<u64>,
    has_part: bool,
    part: String,
    has_header: bool,
    header: Vec<u8>,
    pub(super) role: Option<Role>,
    /// The role is not known while the text of its part goes on.
    pub(super) unknown: bool,
    /// For a link, the text offset at which it stands.
    link: Option<u64>,
    /// It is no hit but this.
    note: Option<HeldNote>,
}

impl Waiting {
    /// Forgets those that a sink that had had enough did not take.
    pub(super) fn clear(&mut self) {
        (self.len, self.ended, self.settled) = (0, 0, 0);
        self.notes.clear();
    }

    /// The text of the part has no hit any more that starts before `offset`.
    pub(super) fn settle(&mut self, offset: u64) {
        self.settled = self.settled.max(offset);
    }

    /// Another part begins.
    pub(super) fn start_part(&mut self) {
        (self.ended, self.settled) = (self.len, 0);
    }

    /// Gives `find` to the sink, unless its role is `unknown` or its message's
    /// end is (`holding`), or others wait before it: then it waits too. Returns
    /// false once the sink has had enough.
    pub(super) fn give<F: Finds>(
        &mut self,
        find: &Find<'_>,
        holding: bool,
        unknown: bool,
        finds: &mut F,
    ) -> bool {
        let start = find.hit.span().start;
        self.settle(start);
        if !unknown && self.len == 0 && !holding {
            return finds.find(find);
        }
        self.push(find, unknown, None);
        // Before the links that stand behind it.
        let mut at = self.len - 1;
        while at > self.ended && self.hits[at - 1].link.is_some_and(|link| link > start) {
            self.hits.swap(at - 1, at);
            at -= 1;
        }
        true
    }

    /// As [`give`](Waiting::give), for the URL of a link that stands at the
    /// text offset `at`: it waits for the hits of the text before it.
    pub(super) fn give_link<F: Finds>(
        &mut self,
        find: &Find<'_>,
        at: u64,
        holding: bool,
        finds: &mut F,
    ) -> bool {
        if self.len == 0 && !holding && at <= self.settled {
            return finds.find(find);
        }
        self.push(find, false, Some(at));
        true
    }

    /// Takes a note of the part at hand.
    pub(super) fn note(&mut self, note: HeldNote) {
        self.notes.push(note);
    }

    /// True if more were taken than one part has.
    pub(super) fn has_many_notes(&self) -> bool {
        self.notes.len() > NOTES
    }

    /// Gives the notes taken to the sink, after what waits.
    pub(super) fn give_notes<F: Finds>(&mut self, holding: bool, finds: &mut F) {
        if self.notes.is_empty() {
            return;
        }
        for note in std::mem::take(&mut self.notes) {
            if self.len == 0 && !holding {
                note.give(finds);
            } else {
                let held = self.next();
                (held.unknown, held.link, held.note) = (false, None, Some(note));
            }
        }
    }

    /// The next to wait.
    fn next(&mut self) -> &mut Held {
        if self.len == self.hits.len() {
            self.hits.push_back(Held::default());
        }
        self.len += 1;
        &mut self.hits[self.len - 1]
    }

    fn push(&mut self, find: &Find<'_>, unknown: bool, link: Option<u64>) {
        let held = self.next();
        held.note = None;
        // The memory of a spare one is never more than that of the largest.
        held.weight = held.weight.max(find.weight());
        held.hit.copy_from(find.hit);
        held.has_place = find.place.is_some();
        held.segments.clear();
        held.seams.clear();
        if let Some(place) = find.place {
            held.segments.extend_from_slice(place.segments);
            held.seams.extend_from_slice(place.seams);
        }
        held.line = find.line;
        held.has_part = find.part.is_some();
        held.part.clear();
        held.part.push_str(find.part.unwrap_or_default());
        held.has_header = find.header.is_some();
        held.header.clear();
        held.header
            .extend_from_slice(find.header.unwrap_or_default());
        held.role = find.role;
        held.unknown = unknown;
        held.link = link;
    }

    /// Those whose role was not known, last first. Only the part at hand has
    /// any, and its hits came last.
    pub(super) fn unknown(&mut self) -> impl Iterator<Item = &mut Held> {
        let waiting = self.hits.range_mut(..self.len);
        waiting.rev().take_while(|held| held.unknown)
    }

    /// Makes rejects of those whose role is not known, or forgets them.
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

    /// Gives those at the front that need not wait any longer to the sink.
    /// Returns false once the sink has had enough.
    pub(super) fn release<F: Finds>(&mut self, message: Message<'_>, finds: &mut F) -> bool {
        if self.len == 0 {
            return true;
        }
        let mut done = 0;
        let mut go_on = true;
        while done < self.len
            && go_on
            && !self.hits[done].unknown
            && (done < self.ended || self.hits[done].link.is_none_or(|at| at <= self.settled))
        {
            let held = &self.hits[done];
            done += 1;
            if let Some(note) = &held.note {
                note.give(finds);
                continue;
            }
            let place = Place {
                segments: &held.segments,
                seams: &held.seams,
            };
            go_on = finds.find(&Find {
                hit: &held.hit,
                place: held.has_place.then_some(place),
                line: held.line,
                message: Some(message),
                part: held.has_part.then_some(&held.part),
                header: held.has_header.then_some(&held.header),
                role: held.role,
            });
        }
        for held in self.hits.range_mut(..done) {
            if held.weight > SPARE_BYTES {
                *held = Held::default();
            }
        }
        // To the spare ones: as many moves as were given, however many wait.
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
