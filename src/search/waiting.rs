//! Hits that wait until all is known of them.

use super::{Find, Finds, Message, Place};
use crate::extract::Hit;
use crate::mail::mime::Role;
use crate::span::{Seam, Span};

/// Hits whose role, or whose message's end, is not yet known, in order.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) hits: Vec<Held>,
    /// How many of `hits` are waiting; the rest is spare.
    pub(super) len: usize,
}

/// A hit that waits.
#[derive(Debug, Default)]
pub(super) struct Held {
    pub(super) hit: Hit,
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
}

impl Waiting {
    /// Forgets those that a sink that had had enough did not take.
    pub(super) fn clear(&mut self) {
        self.len = 0;
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
        if !unknown && self.len == 0 && !holding {
            return finds.find(find);
        }
        self.push(find, unknown);
        true
    }

    fn push(&mut self, find: &Find<'_>, unknown: bool) {
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
        held.has_part = find.part.is_some();
        held.part.clear();
        held.part.push_str(find.part.unwrap_or_default());
        held.has_header = find.header.is_some();
        held.header.clear();
        held.header
            .extend_from_slice(find.header.unwrap_or_default());
        held.role = find.role;
        held.unknown = unknown;
        self.len += 1;
    }

    /// Gives those at the front whose role is known to the sink. Returns false
    /// once the sink has had enough.
    pub(super) fn release<F: Finds>(&mut self, message: Message<'_>, finds: &mut F) -> bool {
        let mut done = 0;
        let mut go_on = true;
        while done < self.len && go_on && !self.hits[done].unknown {
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
                part: held.has_part.then_some(&held.part),
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
