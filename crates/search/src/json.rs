//! Hits in a file of JSON, and the date and author of the message that each is in.
//!
//! What an object says of a hit may come after it: `{"text": "http://…", "ts": 1714979289}`. So a
//! hit waits until the objects around it have ended, or have said all that is wanted: a date, and
//! an author. An object around everything, such as that of a whole export, would keep all hits, so
//! at most [`HITS`] of them wait, or [`BYTES`]. The oldest is then given with what the objects have
//! said so far.
//!
//! The hits that wait are in the order of the file, and each knows the innermost object around it
//! that has not ended. When an object ends, the hits in it are the last ones of the queue, because
//! an earlier hit is in no deeper object that is still open. So a hit is touched once for each
//! object around it.
//!
//! Each message is shown to the visitor before its hits, as the messages of a mailbox are, so a
//! filter by date or author works. JSON within a message of mail has the date and the author of that
//! mail: nothing waits.

use std::collections::VecDeque;
use std::sync::Arc;

use super::around::Deliver;
use super::decode::Decode;
use super::{Match, Place, Visitor};
use urlgrep_containers::Shape;
use urlgrep_find::{Hit, scan};
use urlgrep_mail::Date;
use urlgrep_mail::mime::{JsonEvent, JsonObject, JsonObjects};

/// The maximum number of hits that wait, and their approximate size in bytes.
const HITS: usize = 1024;
const BYTES: usize = 256 * 1024;

/// The hits that wait for what the objects around them say.
#[derive(Debug, Default)]
pub(super) struct Talk {
    /// A file of JSON is searched.
    pub(super) is_on: bool,
    /// A file of JSON or a table is searched. It has no roles, as a file of text.
    pub(super) has_no_roles: bool,
    held: VecDeque<Held>,
    weight: usize,
    /// The number of objects around the current string.
    depth: usize,
    /// What the last hit was given, and whether its message is wanted. `None` before the first.
    given: Option<(Said, bool)>,
}

/// A hit that waits.
#[derive(Debug)]
struct Held {
    hit: Hit,
    place: Place,
    weight: usize,
    /// The number of open objects around it.
    depth: usize,
    said: Said,
    /// It waits no more, but perhaps an earlier hit does.
    is_done: bool,
}

/// What the objects around a hit have said, from the innermost on.
#[derive(Clone, Debug, Default, PartialEq)]
struct Said {
    /// An object has an author, a role or a text. Only from there on a date counts.
    is_said: bool,
    date: Option<Date>,
    author: Option<Arc<[u8]>>,
    role: Option<Arc<[u8]>>,
}

impl Said {
    /// Adds what the next object around has said. Returns true if nothing more is wanted.
    fn add(&mut self, object: &JsonObject) -> bool {
        self.is_said |= object.is_said();
        if self.is_said {
            self.date = self.date.or(object.date());
            if self.author.is_none() {
                self.author = object.author().cloned();
            }
            if self.role.is_none() {
                self.role = object.role().cloned();
            }
        }
        self.date.is_some() && self.author.is_some()
    }

    /// What was said of the message. Without a date there is none.
    fn message(self) -> Said {
        match self.date {
            Some(_) => self,
            None => Said::default(),
        }
    }
}

impl Held {
    /// The innermost object around the hit ends.
    fn hear(&mut self, object: &JsonObject) {
        self.depth -= 1;
        self.hear_more(object);
        self.is_done |= self.depth == 0;
    }

    fn hear_more(&mut self, object: &JsonObject) {
        if !self.is_done {
            self.is_done = self.said.add(object);
        }
    }
}

impl Talk {
    /// Begins a document of this shape, or anything else.
    pub(super) fn start(&mut self, shape: Option<Shape>) {
        self.is_on = shape == Some(Shape::Json);
        self.has_no_roles = matches!(shape, Some(Shape::Json | Shape::Csv));
        self.held.clear();
        self.weight = 0;
        self.depth = 0;
        self.given = None;
    }

    /// The offset of the first hit that waits.
    pub(super) fn first(&self) -> u64 {
        self.held.front().map_or(u64::MAX, |held| held.hit.start())
    }

    /// Keeps a hit.
    pub(super) fn hold(&mut self, hit: &Hit, place: &Place, weight: usize) {
        self.weight += weight;
        self.held.push_back(Held {
            hit: hit.clone(),
            place: place.clone(),
            weight,
            depth: self.depth,
            said: Said::default(),
            is_done: self.depth == 0,
        });
    }

    /// The innermost object ends.
    fn end_object(&mut self, around: &JsonObjects) {
        let open = around.open();
        let Some(object) = open.last() else { return };
        self.depth = open.len() - 1;
        let is_inside = |held: &&mut Held| held.depth == open.len();
        for held in self.held.iter_mut().rev().take_while(is_inside) {
            held.hear(object);
        }
    }

    /// Lets the oldest hits wait no more if there are too many. `around` are the open objects.
    fn bound(&mut self, around: &JsonObjects) {
        let (mut len, mut weight) = (self.held.len(), self.weight);
        for held in &mut self.held {
            if len <= HITS && weight <= BYTES {
                return;
            }
            len -= 1;
            weight -= held.weight;
            let open = around.open().iter().take(held.depth).rev();
            for object in open {
                held.hear_more(object);
            }
            held.is_done = true;
        }
    }
}

impl Decode<'_> {
    /// See [`MailSink::json`](urlgrep_mail::mime::MailSink::json).
    pub(super) fn json_event(&mut self, event: JsonEvent, around: &JsonObjects) {
        if self.message.stopped || !self.message.wanted {
            return;
        }
        match event {
            JsonEvent::String => {
                self.parts.talk.depth = around.open().len();
                self.parts.text.has_strings = true;
            }
            JsonEvent::More => {}
            JsonEvent::StringEnd => {
                self.end_string();
                self.parts.talk.depth = 0;
            }
            JsonEvent::ObjectEnd => self.parts.talk.end_object(around),
        }
        if event != JsonEvent::String && self.parts.talk.is_on {
            self.parts.talk.bound(around);
            self.give_talk();
        }
    }

    /// No object says more.
    pub(super) fn end_talk(&mut self) {
        for held in &mut self.parts.talk.held {
            held.is_done = true;
        }
        self.give_talk();
    }

    /// Gives the hits that wait no more, unless the end of the file is wanted.
    pub(super) fn give_talk(&mut self) {
        while !self.message.stopped
            && !self.message.holding
            && self
                .parts
                .talk
                .held
                .front()
                .is_some_and(|held| held.is_done)
            && let Some(held) = self.parts.talk.held.pop_front()
        {
            let parts = &mut *self.parts;
            parts.talk.weight -= held.weight;
            let said = held.said.message();
            let known = parts.talk.given.take().filter(|(last, _)| *last == said);
            let (said, is_wanted) = known.unwrap_or_else(|| {
                let author = said.author.as_ref().or(said.role.as_ref());
                let author = author.map_or(&b""[..], |author| author);
                parts.info.set_json(author, said.date);
                let message = self.message.at_hand(&parts.info);
                let is_wanted = self.visitor.message(&message);
                (said, is_wanted)
            });
            parts.talk.given = Some((said, is_wanted));
            if !is_wanted {
                continue;
            }
            let found = Match {
                hit: &held.hit,
                place: &held.place,
                message: Some(self.message.at_hand(&parts.info)),
            };
            let (visitor, around) = (&mut *self.visitor, &mut parts.around);
            self.message.stopped |= Deliver { visitor, around }.hit(&found).is_break();
        }
    }

    /// True if a string of JSON or a field may have a URL, or its text is wanted for another reason. `raw` is
    /// the string with its escapes.
    pub(super) fn wants_json_string(&mut self, raw: &[u8]) -> bool {
        if self.message.stopped || !self.message.wanted {
            return false;
        }
        // The line feeds of the first string count too.
        self.parts.text.has_strings = true;
        let mut special = memchr::memchr2_iter(b':', b'\\', raw);
        special.any(|at| raw[at] == b'\\' || scan::matters(raw, at))
            || self.parts.options.may_find_more(raw)
            || self.parts.around.has_lines()
    }
}
