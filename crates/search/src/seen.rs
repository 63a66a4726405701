//! The URLs that a message has already shown. A URL that somebody shortened repeats one of
//! them if that begins with what is left.

/// The number of URLs of a message that are kept, and the maximum length of each.
const URLS: usize = 64;
const URL_BYTES: usize = 512;

/// The last URLs in the texts of the current message. The targets of links are not among
/// them, because they are read before the text around them is settled.
#[derive(Debug)]
pub(super) struct Seen {
    /// At most [`URLS`]. The memory of earlier messages is reused.
    urls: Vec<Vec<u8>>,
    /// Whether each was read in only one way.
    is_sure: [bool; URLS],
    /// The number of URLs that the message has shown, and that it had shown before its part.
    count: usize,
    before_part: usize,
}

impl Default for Seen {
    fn default() -> Seen {
        Seen {
            urls: Vec::new(),
            is_sure: [false; URLS],
            count: 0,
            before_part: 0,
        }
    }
}

impl Seen {
    /// Begins another message.
    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.before_part = 0;
    }

    /// Begins another part.
    pub(super) fn start_part(&mut self) {
        self.before_part = self.count;
    }

    /// The kept URLs of the current part that were read in only one way.
    pub(super) fn of_part(&self) -> impl Iterator<Item = &[u8]> {
        let first = self.before_part.max(self.count.saturating_sub(URLS));
        let places = (first..self.count).map(|i| i % URLS);
        let sure = places.filter(|&place| self.is_sure[place]);
        sure.map(|place| self.urls[place].as_slice())
    }

    /// Keeps a URL in place of the oldest one, unless it is too long. `is_sure` means that it was read
    /// in only one way.
    #[inline]
    pub(super) fn add(&mut self, url: &[u8], is_sure: bool) {
        if url.len() > URL_BYTES {
            return;
        }
        let place = self.count % URLS;
        if place == self.urls.len() {
            self.urls.push(Vec::new());
        }
        url.clone_into(&mut self.urls[place]);
        self.is_sure[place] = is_sure;
        self.count += 1;
    }

    /// True if a kept URL begins with `stump` and goes on.
    pub(super) fn goes_on(&self, stump: &[u8]) -> bool {
        let mut urls = self.urls.iter().take(self.count);
        urls.any(|url| url.len() > stump.len() && url.starts_with(stump))
    }
}
