//! What comes between the texts of a part while its text is collected.
//!
//! The roles of a text depend on its end, so a text is collected before it is searched. The links
//! of HTML, and the ends of strings, come between two texts. They are kept in their order, and
//! read when the text before them has been searched.

use std::collections::VecDeque;

use super::{Match, Place};
use urlgrep_find::Hit;

/// The maximum number of unused links whose memory is kept, and the maximum size of each.
const SPARE: usize = 1024;
const SPARE_BYTES: usize = 1024;

/// Something between two texts, at a text offset.
#[derive(Debug)]
pub(super) enum Event {
    /// The text from here on belongs to a link, or to none.
    Anchor(Option<u32>, u64),
    /// A paragraph ends before this place.
    Paragraph(u64),
    /// A URL of a link.
    Link(Box<LinkHit>),
    /// A string or a field ends.
    StringEnd(u64),
}

/// A URL of a link in HTML.
#[derive(Debug, Default)]
pub(super) struct LinkHit {
    pub(super) hit: Hit,
    pub(super) place: Place,
    /// The approximate size of both in bytes.
    pub(super) weight: usize,
    /// The number of the link in its part.
    pub(super) number: u32,
    /// Text offset of the link.
    pub(super) at: u64,
    /// The text at this offset has the role of the link, if no element gives it one.
    role_at: u64,
    /// The link may have a text.
    pub(super) has_text: bool,
    /// The form of the URL is wanted.
    pub(super) is_wanted: bool,
}

impl LinkHit {
    /// The text offset whose role the link has.
    pub(super) fn role_at(&self) -> u64 {
        self.role_at
    }

    /// Makes this link `number`, at the text offset `at`.
    pub(super) fn set_place(&mut self, number: u32, at: u64, has_text: bool) {
        self.number = number;
        self.at = at;
        self.role_at = at;
        self.has_text = has_text;
    }

    /// The approximate size in bytes.
    pub(super) fn weigh(&mut self) -> usize {
        let found = Match {
            hit: &self.hit,
            place: &self.place,
            message: None,
        };
        let weight = found.weight();
        // Reused memory may be larger than the new hit.
        self.weight = self.weight.max(weight);
        weight
    }
}

/// The events of a part that were not read yet.
#[derive(Debug, Default)]
pub(super) struct Collected {
    events: VecDeque<Event>,
    #[expect(
        clippy::vec_box,
        reason = "events are small, so a link moves as its box"
    )]
    spare: Vec<Box<LinkHit>>,
}

impl Collected {
    pub(super) fn clear(&mut self) {
        self.events.clear();
    }

    /// Adds an event. Of events at one place without a link between them, only the first and the
    /// last mean something, so there are not many more than bytes of text.
    pub(super) fn push(&mut self, event: Event) {
        let mut last = self.events.iter_mut().rev();
        match (&event, last.next(), last.next()) {
            (Event::StringEnd(at), Some(Event::StringEnd(same)), _)
            | (Event::Paragraph(at), Some(Event::Paragraph(same)), _)
                if at == same => {}
            (
                Event::Anchor(link, at),
                Some(Event::Anchor(last, same)),
                Some(Event::Anchor(_, first)),
            ) if at == same && at == first => *last = *link,
            _ => self.events.push_back(event),
        }
    }

    /// A link to be filled, with memory of an earlier one.
    pub(super) fn new_link(&mut self) -> Box<LinkHit> {
        self.spare.pop().unwrap_or_default()
    }

    /// Takes back a link that was read.
    pub(super) fn reuse(&mut self, link: Box<LinkHit>) {
        if self.spare.len() < SPARE && link.weight <= SPARE_BYTES {
            self.spare.push(link);
        }
    }

    /// The next event, if the text before it ends before `until`.
    pub(super) fn next(&mut self, until: u64) -> Option<Event> {
        let is_due = match self.events.front()? {
            Event::Anchor(..) | Event::Paragraph(_) => true,
            Event::Link(link) => link.at < until,
            Event::StringEnd(at) => *at < until,
        };
        if is_due {
            self.events.pop_front()
        } else {
            None
        }
    }

    /// Records that an element that says who wrote a text begins or ends at the text offset
    /// `at`. Links there come before it, and belong to the text before it.
    pub(super) fn part_links(&mut self, at: u64) {
        for event in self.events.iter_mut().rev() {
            match event {
                Event::Link(link) if link.role_at == at && at > 0 => link.role_at -= 1,
                // Those before it are of the text before it, and a page can have one at each byte.
                Event::Anchor(_, before) | Event::Paragraph(before) if *before >= at => {}
                _ => return,
            }
        }
    }
}
