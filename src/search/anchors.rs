//! The links of HTML, remembered while their text is read.

use std::collections::VecDeque;

/// How many links of HTML are remembered while their text is read.
const LINKS: usize = 16;

/// The links of a part of HTML, so that a link whose text is its own URL is
/// one hit.
#[derive(Debug, Default)]
pub(super) struct Anchors {
    /// From which text offset on the text is that of which link. Offsets rise:
    /// there are at most as many as the text has bytes that are not settled.
    changes: VecDeque<(u64, Option<u32>)>,
    /// The URLs of the last links.
    urls: VecDeque<(u32, Vec<u8>)>,
}

impl Anchors {
    pub(super) fn clear(&mut self) {
        self.changes.clear();
        self.urls.clear();
    }

    /// From the text offset `at` on, the text is that of `link`.
    pub(super) fn change(&mut self, at: u64, link: Option<u32>) {
        match self.changes.back_mut() {
            // The link before has no text.
            Some(last) if last.0 == at => last.1 = link,
            _ => self.changes.push_back((at, link)),
        }
    }

    pub(super) fn url(&mut self, link: u32, url: &[u8]) {
        let mut kept = if self.urls.len() >= LINKS {
            self.urls
                .pop_front()
                .map(|(_, kept)| kept)
                .unwrap_or_default()
        } else {
            Vec::new()
        };
        kept.clear();
        kept.extend_from_slice(url);
        self.urls.push_back((link, kept));
    }

    /// True if the text at `at` is that of a link to `url` itself.
    pub(super) fn repeats(&self, at: u64, url: &[u8]) -> bool {
        let i = self.changes.partition_point(|&(from, _)| from <= at);
        let Some(link) = i.checked_sub(1).and_then(|i| self.changes[i].1) else {
            return false;
        };
        let bare = |url: &[u8]| url.strip_suffix(b"/").map_or(url.len(), <[u8]>::len);
        self.urls
            .iter()
            .any(|(l, its)| *l == link && its[..bare(its)] == url[..bare(url)])
    }

    /// Forgets changes before `at`, all but the last of them.
    pub(super) fn forget(&mut self, at: u64) {
        while self.changes.len() > 1 && self.changes[1].0 <= at {
            self.changes.pop_front();
        }
    }
}
