//! The links of HTML. They are kept while the text around them is read.

use std::collections::VecDeque;
use std::ops::Range;

/// The maximum number of URLs of links that are kept while the text of the links
/// is read.
const LINKS: usize = 16;

/// The maximum length of a link's text that may be a host without a scheme.
const TEXT: usize = 256;

/// The links of an HTML part. With them, a link whose text is its own URL is
/// reported as one hit.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// Text offsets, and the link to which the text from there on belongs.
    /// Offsets ascend. There are at most as many entries as bytes of text that
    /// are not settled.
    changes: VecDeque<(u64, Option<u32>)>,
    /// The URLs of the most recent links.
    urls: VecDeque<Target>,
    /// The link whose text is being read, and this text, up to one byte more than
    /// [`TEXT`].
    current: Option<u32>,
    text: Vec<u8>,
}

/// A URL of a link.
#[derive(Debug, Default)]
struct Target {
    link: u32,
    url: Vec<u8>,
    /// The URL is valid, not a reject.
    is_hit: bool,
}

/// True if the URLs are equal. A final `/` does not matter, nor the case of letters of
/// `HTTP://Host.example`.
pub(super) fn is_same(one: &[u8], other: &[u8]) -> bool {
    let [one, other] = [one, other].map(|url| url.strip_suffix(b"/").unwrap_or(url));
    let scheme = memchr::memchr(b':', one).filter(|&at| one[at + 1..].starts_with(b"//"));
    let Some(host) = scheme.map(|at| at + 3) else {
        return one == other;
    };
    let len = one[host..].iter().position(|b| b"/?#".contains(b));
    let path = len.map_or(one.len(), |len| host + len);
    // The name of a user has its case too.
    let user = memchr::memrchr(b'@', &one[host..path]).map_or(host, |at| host + at);
    let is_exact = |range: Range<usize>| one[range.clone()] == other[range];
    one.eq_ignore_ascii_case(other) && is_exact(host..user) && is_exact(path..one.len())
}

impl Anchors {
    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.urls.clear();
        self.current = None;
    }

    /// Records that the text from the offset `at` on belongs to `link`. Returns
    /// the link whose text ends there.
    pub(super) fn change(&mut self, at: u64, link: Option<u32>) -> Option<u32> {
        let ended = self.changes.back().and_then(|last| last.1);
        match self.changes.back_mut() {
            // The previous link has no text.
            Some(last) if last.0 == at => last.1 = link,
            _ => self.changes.push_back((at, link)),
        }
        ended
    }

    /// Reads the next bytes of the text, which begin at `at`. Passes each link whose
    /// text ends to `ended`, with that text if it has at most [`TEXT`] bytes. The
    /// link may still be waiting only until the text after it comes, so a text that
    /// ends at the last byte has ended, too.
    pub(super) fn read(&mut self, at: u64, bytes: &[u8], mut ended: impl FnMut(u32, &[u8])) {
        let first = self.changes.partition_point(|&(from, _)| from < at);
        let (mut rest, mut from) = (bytes, at);
        for &(change, link) in self.changes.range(first..) {
            let Some((text, after)) = rest.split_at_checked((change - from) as usize) else {
                break;
            };
            self.current.is_some().then(|| push(&mut self.text, text));
            (rest, from) = (after, change);
            if let Some(link) = self.current.take()
                && self.text.len() <= TEXT
            {
                ended(link, &self.text);
            }
            self.text.clear();
            // At the last byte another change may still replace this one.
            self.current = link.filter(|_| !rest.is_empty());
        }
        self.current.is_some().then(|| push(&mut self.text, rest));
    }

    /// Keeps a URL of a link that may have text.
    pub(super) fn url(&mut self, link: u32, url: &[u8], is_hit: bool) {
        let oldest = match self.urls.len() {
            LINKS.. => self.urls.pop_front(),
            _ => None,
        };
        let mut target = oldest.unwrap_or_default();
        (target.link, target.is_hit) = (link, is_hit);
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

    /// True if `url` is one of the URLs of `link` that are still kept.
    pub(super) fn repeats(&self, link: u32, url: &[u8]) -> bool {
        let mut urls = self.urls.iter();
        urls.any(|target| target.link == link && is_same(&target.url, url))
    }

    /// Drops the changes before `at`, except for the last of them.
    pub(super) fn forget(&mut self, at: u64) {
        while self.changes.len() > 1 && self.changes[1].0 <= at {
            self.changes.pop_front();
        }
    }
}

/// Appends as much of `more` as shows that the text is too long.
fn push(text: &mut Vec<u8>, more: &[u8]) {
    let room = TEXT + 1 - text.len();
    text.extend_from_slice(&more[..more.len().min(room)]);
}
