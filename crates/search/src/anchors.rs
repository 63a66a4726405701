//! The links of HTML. They are kept while the text around them is read.

use std::collections::VecDeque;

use super::shown::{self, Shown, is_same};

/// The maximum number of URLs of links that are kept while the text of the links
/// is read, and of their rejects, so that a hit does not depend on the rejects beside it.
const LINKS: usize = 16;

/// The maximum length of a link's text that is compared with its target as a whole.
const TEXT: usize = 256;

/// The links of an HTML part. With them, a link whose text is its own URL is
/// reported as one hit.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// Text offsets, and the link to which the text from there on belongs.
    /// Offsets ascend. There are at most as many entries as bytes of text that
    /// are not settled.
    changes: VecDeque<(u64, Option<u32>)>,
    /// The URLs of the most recent links that may have a text.
    urls: VecDeque<Target>,
    /// The link whose text is being read, and this text, up to one byte more than
    /// [`TEXT`].
    current: Option<u32>,
    text: Vec<u8>,
    /// The offset up to which the text was read.
    read_to: u64,
    /// Links whose text shows their target, and the ends of these texts. Both ascend.
    repeated: VecDeque<(u64, u32)>,
    /// The last URL in the text of a link, and the last reject.
    said: [Said; 2],
}

/// A URL in the text of a link.
#[derive(Debug, Default)]
struct Said {
    link: Option<u32>,
    url: Vec<u8>,
}

/// A URL of a link.
#[derive(Debug, Default)]
struct Target {
    link: u32,
    url: Vec<u8>,
    /// The URL is valid, not a reject.
    is_hit: bool,
}

impl Anchors {
    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.urls.clear();
        self.current = None;
        self.read_to = 0;
        self.repeated.clear();
        for said in &mut self.said {
            said.link = None;
        }
    }

    /// Records that the text from the offset `at` on belongs to `link`. Returns
    /// the link whose text ends there.
    pub(super) fn change(&mut self, at: u64, link: Option<u32>) -> Option<u32> {
        let ended = self.changes.back().and_then(|last| last.1);
        match self.changes.back_mut() {
            // The previous link has no text, so that nothing asks for its URLs. There may be any
            // number of such links, and those with a text must not go for them.
            Some(last) if last.0 == at => {
                if last.1 != link
                    && let Some(empty) = last.1
                {
                    self.urls.retain(|target| target.link != empty);
                }
                last.1 = link;
            }
            _ => self.changes.push_back((at, link)),
        }
        ended
    }

    /// Reads the next bytes of the text, which begin at `at`. Passes each link whose
    /// text ends to `ended`, with that text and what it shows, if it has at most
    /// [`TEXT`] bytes. The link may still be waiting only until the text after it comes,
    /// so a text that ends at the last byte has ended, too.
    pub(super) fn read(
        &mut self,
        at: u64,
        bytes: &[u8],
        mut ended: impl FnMut(u32, &[u8], &Shown),
    ) {
        self.read_to = at + bytes.len() as u64;
        let first = self.changes.partition_point(|&(from, _)| from < at);
        let mut rest = bytes;
        let mut from = at;
        for &(change, link) in self.changes.range(first..) {
            let Some((text, after)) = rest.split_at_checked((change - from) as usize) else {
                break;
            };
            self.current.is_some().then(|| push(&mut self.text, text));
            rest = after;
            from = change;
            if let Some(link) = self.current.take()
                && self.text.len() <= TEXT
            {
                let target = self.urls.iter().find(|target| target.link == link);
                let shown = match target {
                    Some(target) => shown::read(&self.text, &target.url),
                    None => Shown::Other,
                };
                if shown == Shown::Target {
                    self.repeated.push_back((change, link));
                }
                ended(link, &self.text, &shown);
            }
            self.text.clear();
            // At the last byte another change may still replace this one.
            self.current = link.filter(|_| !rest.is_empty());
        }
        self.current.is_some().then(|| push(&mut self.text, rest));
    }

    /// Keeps a URL of a link that may have text.
    pub(super) fn url(&mut self, link: u32, url: &[u8], is_hit: bool) {
        let is_alike = |target: &Target| target.is_hit == is_hit;
        let alike = self.urls.iter().filter(|target| is_alike(target));
        let oldest = match alike.count() {
            LINKS.. => self.urls.iter().position(is_alike),
            _ => None,
        };
        let oldest = oldest.and_then(|at| self.urls.remove(at));
        let mut target = oldest.unwrap_or_default();
        target.link = link;
        target.is_hit = is_hit;
        url.clone_into(&mut target.url);
        self.urls.push_back(target);
    }

    /// The link to which the text at `at` belongs.
    pub(super) fn link_at(&self, at: u64) -> Option<u32> {
        let i = self.changes.partition_point(|&(from, _)| from <= at);
        i.checked_sub(1).and_then(|i| self.changes[i].1)
    }

    /// The first valid URL of `link` that is still kept.
    pub(super) fn target(&self, link: u32) -> Option<&[u8]> {
        let mut urls = self.urls.iter();
        let target = urls.find(|target| target.link == link && target.is_hit)?;
        Some(&target.url)
    }

    /// True if the whole text of `link` shows its target.
    pub(super) fn shows_target(&self, link: u32) -> bool {
        self.repeated.iter().any(|&(_, other)| other == link)
    }

    /// If the text of the link to which the text at `at` belongs has not been read to its
    /// end, the offset before which it must end to be compared with the target.
    pub(super) fn unread(&self, at: u64) -> Option<u64> {
        let next = self.changes.partition_point(|&(from, _)| from <= at);
        let ends = self.changes.get(next);
        if ends.is_some_and(|&(end, _)| end <= self.read_to) {
            return None;
        }
        let start = self.changes[next.checked_sub(1)?].0;
        let limit = start + TEXT as u64 + 1;
        (at < limit).then_some(limit)
    }

    /// True if `url` is one of the URLs of `link` that are still kept.
    pub(super) fn repeats(&self, link: u32, url: &[u8]) -> bool {
        let mut urls = self.urls.iter();
        urls.any(|target| target.link == link && is_same(&target.url, url))
    }

    /// Records that the text of `link` has `url`. Returns true if it has it a second time, with
    /// no other URL between: archivers write `http://a.example/x[http://a.example/x]`.
    pub(super) fn says_again(&mut self, link: u32, url: &[u8], is_hit: bool) -> bool {
        let said = &mut self.said[usize::from(!is_hit)];
        if said.link == Some(link) && said.url == url {
            return true;
        }
        said.link = Some(link);
        url.clone_into(&mut said.url);
        false
    }

    /// Drops the changes before `at`, except for the last of them.
    pub(super) fn forget(&mut self, at: u64) {
        while self.changes.len() > 1 && self.changes[1].0 <= at {
            self.changes.pop_front();
        }
        while self.repeated.front().is_some_and(|&(end, _)| end <= at) {
            self.repeated.pop_front();
        }
    }
}

/// Appends as much of `more` as shows that the text is too long.
fn push(text: &mut Vec<u8>, more: &[u8]) {
    let room = TEXT + 1 - text.len();
    text.extend_from_slice(&more[..more.len().min(room)]);
}
