//! A queue of hits that wait for the end of their message, or for the text of a link.

use std::collections::VecDeque;

use super::collected::LinkHit;
use super::shown::is_same;
use super::spelling::{Spelling, Waited};
use super::{Match, Message, Note, NoteKind, Place, Visitor};
use urlgrep_find::Hit;
use urlgrep_url::{Url, is_same_site, site, validate};

/// More than the number of kinds of notes. Each kind occurs at most once per
/// part.
const NOTES: usize = 64;

/// A link is reported together with the first URL in its text (`link_text`). We
/// look for that URL in this many bytes of the text, so a link waits until they
/// have been searched.
const LINK_TEXT: u64 = 1024;

/// The maximum number of unused hits whose memory is kept, and the maximum size
/// of each.
const SPARE: usize = 1024;
const SPARE_BYTES: usize = 1024;

/// The waiting hits, in order. A hit waits for one of these reasons:
///
/// * The end of its message is unknown.
/// * It is a link, and the text before it or its own text may still have a hit.
/// * Its hyphen at a line end may not be its own, and the text after it may show that.
/// * An earlier hit waits.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    hits: VecDeque<Held>,
    /// The number of waiting hits, at the front of `hits`. The rest of `hits`
    /// is unused.
    len: usize,
    /// The number of waiting hits in parts that have ended.
    ended: usize,
    /// The current part has no further hit before this text offset.
    settled: u64,
    /// The number of hits that wait for the end of a link's text.
    in_link: usize,
    /// The number of hits that wait for another spelling of their name.
    spelled: usize,
    /// The last hits of the part that waited for one.
    waited: Waited,
    /// Notes of the current part. They are reported after its hits, even if
    /// they were found earlier.
    notes: Vec<HeldNote>,
}

/// A waiting note.
#[derive(Debug)]
pub(super) struct HeldNote {
    pub(super) kind: NoteKind,
    pub(super) at: Option<u64>,
    pub(super) message: Option<u64>,
    pub(super) part: Option<String>,
    /// Empty if the note is about no member of an attachment.
    pub(super) member: Vec<u8>,
}

impl HeldNote {
    fn give(&self, visitor: &mut dyn Visitor) {
        visitor.note(&Note {
            kind: self.kind,
            at: self.at,
            message: self.message,
            part: self.part.as_deref(),
            member: (!self.member.is_empty()).then_some(&self.member),
        });
    }
}

/// A waiting hit.
#[derive(Debug, Default)]
pub(super) struct Held {
    hit: Hit,
    place: Place,
    /// The approximate size of the hit in bytes.
    weight: usize,
    link: Option<Link>,
    /// The text of the link is a host without a scheme ([`Waiting::set_site`]).
    is_site: bool,
    /// The hit is in the text of a link, which has not ended.
    in_text: Option<InText>,
    /// The other reading of a hyphen at a line end.
    spelling: Option<Box<Spelling>>,
    /// The hit is no hit of its own, because it repeats the target of its link.
    dropped: bool,
    /// A note that waits among the hits, where it was found.
    note: Option<HeldNote>,
}

/// The text of a link that has not ended. Its end shows whether it repeats the target.
#[derive(Clone, Copy, Debug)]
pub(super) struct InText {
    /// The number of the link in its part.
    pub(super) link: u32,
    /// A text that goes on up to this offset is not compared with the target.
    pub(super) until: u64,
}

/// A link in HTML.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// The number of the link in its part.
    pub(super) number: u32,
    /// Text offset of the link.
    pub(super) at: u64,
    /// The link waits for the text up to this offset. That text may have a hit
    /// before the link, or one that belongs to the link.
    until: u64,
}

impl Link {
    /// A link at the text offset `at`. `has_text` means that it may have a
    /// text.
    pub(super) fn new(number: u32, at: u64, has_text: bool) -> Link {
        let until = at + if has_text { LINK_TEXT } else { 0 };
        Link { number, at, until }
    }
}

impl Held {
    /// True if the text before the offset `settled` shows all that the hit waits for.
    fn is_complete(&self, settled: u64) -> bool {
        self.link.is_none_or(|link| link.until <= settled)
            && self.in_text.is_none_or(|text| text.until <= settled)
            && self
                .spelling
                .as_ref()
                .is_none_or(|other| other.until <= settled)
    }
}

impl Waiting {
    /// Drops hits that were not delivered because the visitor stopped.
    pub(super) fn clear(&mut self) {
        self.len = 0;
        self.ended = 0;
        self.settled = 0;
        self.in_link = 0;
        self.spelled = 0;
        self.waited.clear();
        self.notes.clear();
    }

    /// True if no hit waits.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Records that no further hit in the part starts before `offset`.
    pub(super) fn settle(&mut self, offset: u64) {
        self.settled = self.settled.max(offset);
    }

    /// Text offset of the first waiting hit of the current part. `u64::MAX` if
    /// there is none.
    pub(super) fn first(&self) -> u64 {
        if self.ended >= self.len {
            return u64::MAX;
        }
        let held = &self.hits[self.ended];
        match held.note {
            Some(_) => u64::MAX,
            None => held.link.as_ref().map_or(held.hit.start(), |link| link.at),
        }
    }

    /// Begins another part.
    pub(super) fn start_part(&mut self) {
        self.ended = self.len;
        self.settled = 0;
        self.waited.clear();
    }

    /// True if the hit at the text offset `at` may wait for another spelling of its name.
    pub(super) fn admits(&mut self, at: u64) -> bool {
        self.waited.admits(at)
    }

    /// Records that the part has `url` at the text offset `at`.
    #[inline]
    pub(super) fn spell(&mut self, at: u64, url: &[u8]) {
        if self.spelled > 0 {
            self.note_spelling(at, url);
        }
    }

    #[inline(never)]
    fn note_spelling(&mut self, at: u64, url: &[u8]) {
        for held in self.hits.range_mut(self.ended..self.len) {
            if let Some(spelling) = &mut held.spelling
                && at < spelling.until
            {
                spelling.note(held.hit.text(), url);
            }
        }
    }

    /// Passes `found` to the visitor if all its properties are known and no
    /// other hit waits. Otherwise the hit waits. `holding` means that the end of its message is
    /// unknown. `in_text` is the link in whose text it is, if that may still show to repeat the
    /// link. Returns false if the visitor stops.
    pub(super) fn give(
        &mut self,
        found: &Match<'_>,
        holding: bool,
        in_text: Option<InText>,
        visitor: &mut dyn Visitor,
    ) -> bool {
        let start = found.hit.start();
        self.settle(start);
        if self.len == 0 && !holding && in_text.is_none() {
            return visitor.hit(found).is_continue();
        }
        self.hold(found, in_text, None);
        true
    }

    /// Lets `found` wait, for its other `spelling` too if there is one.
    pub(super) fn hold(
        &mut self,
        found: &Match<'_>,
        in_text: Option<InText>,
        spelling: Option<Spelling>,
    ) {
        let start = found.hit.start();
        self.settle(start);
        self.spelled += usize::from(spelling.is_some());
        let held = self.next();
        held.spelling = spelling.map(Box::new);
        // Reused memory may be larger than the new hit. So the weight is the
        // maximum so far.
        held.weight = held.weight.max(found.weight());
        held.hit.copy_from(found.hit);
        held.place.clone_from(found.place);
        held.in_text = in_text;
        self.in_link += usize::from(in_text.is_some());
        // Insert it before the links that come after it.
        let mut at = self.len - 1;
        while at > self.ended && self.hits[at - 1].link.is_some_and(|link| link.at > start) {
            self.hits.swap(at - 1, at);
            at -= 1;
        }
    }

    /// As [`give`](Waiting::give), for the URL of a link. The link waits for
    /// the hits in the text before it, and for its own text. `found` gets the memory of another
    /// one.
    pub(super) fn give_link(
        &mut self,
        found: &mut LinkHit,
        message: Message<'_>,
        holding: bool,
        visitor: &mut dyn Visitor,
    ) -> bool {
        let has_text = found.has_text && found.hit.url().is_ok();
        let link = Link::new(found.number, found.at, has_text);
        if self.len == 0 && !holding && link.until <= self.settled {
            let found = Match {
                hit: &found.hit,
                place: &found.place,
                message: Some(message),
            };
            return visitor.hit(&found).is_continue();
        }
        let held = self.next();
        std::mem::swap(&mut held.hit, &mut found.hit);
        std::mem::swap(&mut held.place, &mut found.place);
        std::mem::swap(&mut held.weight, &mut found.weight);
        held.link = Some(link);
        true
    }

    /// Records that the text of link `number` ends at the text offset `at`.
    pub(super) fn end_link(&mut self, number: u32, at: u64) {
        for held in self.link(number) {
            if let Some(link) = &mut held.link {
                link.until = link.until.min(at);
            }
        }
    }

    /// Records that the texts of all links end at the text offset `at`.
    pub(super) fn end_links(&mut self, at: u64) {
        for held in self.hits.range_mut(self.ended..self.len) {
            if let Some(link) = &mut held.link {
                link.until = link.until.min(at);
            }
            if let Some(text) = &mut held.in_text {
                text.until = text.until.min(at);
            }
        }
    }

    /// Records that the text of link `number` has `url` at the text offset
    /// `at`.
    pub(super) fn set_text(&mut self, number: u32, at: u64, url: &[u8]) {
        // A link before a hit that is so far away is not inside.
        let is_near = |held: &Held| {
            let is_hit = held.link.is_none() && held.note.is_none();
            !is_hit || at < held.hit.start() + LINK_TEXT
        };
        let waiting = self.hits.range_mut(self.ended..self.len).rev();
        let near = waiting.take_while(|held| is_near(held));
        for held in links(near, number) {
            let is_inside = held.link.is_some_and(|link| at < link.until);
            if is_inside && !is_same(held.hit.text(), url) {
                // A URL that was found in the text says more than the text itself, whichever
                // of them is known first.
                if std::mem::take(&mut held.is_site) {
                    held.place.forget_text();
                }
                held.place.set_text(url);
            }
        }
    }

    /// Records that the text of link `number` has ended. If it `repeats` the target, the
    /// hits in it are dropped.
    pub(super) fn end_text(&mut self, number: u32, repeats: bool) {
        if repeats {
            for held in self.link(number) {
                held.place.forget_text();
            }
        }
        if self.in_link == 0 {
            return;
        }
        let waiting = self.hits.range_mut(self.ended..self.len).rev();
        for held in waiting {
            if self.in_link == 0 {
                return;
            }
            let Some(text) = held.in_text else {
                continue;
            };
            if text.link < number {
                // Numbers ascend, and the text of that link was too long to be compared.
                return;
            }
            if text.link == number {
                held.in_text = None;
                held.dropped = repeats;
                self.in_link -= 1;
            }
        }
    }

    /// Records that link `number` shows `stump`, the beginning of another URL.
    pub(super) fn set_stump(&mut self, number: u32, stump: &[u8]) {
        for held in self.link(number) {
            let profile = held.hit.profile();
            if held.hit.url().is_ok() && validate(profile, stump).is_ok() {
                held.place.set_text(stump);
            }
        }
    }

    /// Records the whole text of link `number`, if it is a host without a scheme
    /// (`paypal.com`) and the link leads to another site. We leave out a text that
    /// names the site of its link, because it misleads nobody.
    pub(super) fn set_site(&mut self, number: u32, text: &[u8]) {
        let Some(shown) = site(text) else {
            return;
        };
        for held in self.link(number) {
            let differs = |url: &Url<'_>| {
                let shown = validate(url.profile(), shown.as_bytes()).ok();
                let shown = shown.as_ref().and_then(Url::host);
                let both = url.host().zip(shown);
                both.is_some_and(|(one, other)| !is_same_site(one.as_str(), other.as_str()))
            };
            if !held.place.has_text() && held.hit.url().is_ok_and(|url| differs(&url)) {
                held.place.set_text(shown.as_bytes());
                held.is_site = true;
            }
        }
    }

    /// The URLs of link `number` in the current part, the last one first.
    /// Numbers ascend, so only links and hits after it are visited.
    fn link(&mut self, number: u32) -> impl Iterator<Item = &mut Held> {
        links(self.hits.range_mut(self.ended..self.len).rev(), number)
    }

    /// Queues a note of the current part, in the order of the file. A long tag is read
    /// when it ends. The earlier stages have then reported faults after it.
    pub(super) fn note(&mut self, note: HeldNote) {
        let is_before = |other: &HeldNote| note.at.is_none() || other.at <= note.at;
        let before = self.notes.iter().rposition(is_before);
        self.notes.insert(before.map_or(0, |i| i + 1), note);
    }

    /// True if there are more notes than one part can have.
    pub(super) fn has_many_notes(&self) -> bool {
        self.notes.len() > NOTES
    }

    /// Passes the notes to the visitor, after the waiting hits.
    pub(super) fn give_notes(&mut self, holding: bool, visitor: &mut dyn Visitor) {
        if self.notes.is_empty() {
            return;
        }
        for note in std::mem::take(&mut self.notes) {
            if self.len == 0 && !holding {
                note.give(visitor);
            } else {
                self.next().note = Some(note);
            }
        }
    }

    /// A slot at the end of the queue, for a hit or a note.
    fn next(&mut self) -> &mut Held {
        if self.len == self.hits.len() {
            self.hits.push_back(Held::default());
        }
        self.len += 1;
        let held = &mut self.hits[self.len - 1];
        held.note = None;
        held.link = None;
        held.is_site = false;
        held.in_text = None;
        held.spelling = None;
        held.dropped = false;
        held
    }

    /// Passes the complete hits at the front to the visitor. Returns false if
    /// the visitor stops.
    pub(super) fn release(&mut self, message: Message<'_>, visitor: &mut dyn Visitor) -> bool {
        if self.len == 0 {
            return true;
        }
        let mut done = 0;
        let mut go_on = true;
        while done < self.len
            && go_on
            && (done < self.ended || self.hits[done].is_complete(self.settled))
        {
            let held = &mut self.hits[done];
            done += 1;
            self.in_link -= usize::from(held.in_text.is_some());
            if let Some(spelling) = held.spelling.take() {
                self.spelled -= 1;
                spelling.decide(&mut held.hit, &mut held.place);
            }
            if held.dropped {
                continue;
            }
            if let Some(note) = &held.note {
                note.give(visitor);
                continue;
            }
            let found = Match {
                hit: &held.hit,
                place: &held.place,
                message: Some(message),
            };
            go_on = visitor.hit(&found).is_continue();
        }
        for held in self.hits.range_mut(..done) {
            if held.weight > SPARE_BYTES {
                *held = Held::default();
            }
        }
        // Move the delivered hits after the waiting ones, if there are any. The cost is
        // proportional to the delivered hits, not to the waiting ones.
        if done < self.len {
            self.hits.rotate_left(done);
        }
        self.len -= done;
        if self.len == 0 && self.hits.len() > SPARE {
            self.hits.truncate(SPARE);
            self.hits.shrink_to_fit();
        }
        self.ended = self.ended.saturating_sub(done);
        go_on
    }
}

/// The URLs of link `number` in `waiting`, which has the last hit first.
fn links<'h>(
    waiting: impl Iterator<Item = &'h mut Held>,
    number: u32,
) -> impl Iterator<Item = &'h mut Held> {
    waiting
        .take_while(move |held| held.link.is_none_or(|link| link.number >= number))
        .filter(move |held| held.link.is_some_and(|link| link.number == number))
}
