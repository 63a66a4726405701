//! The URLs that a message has already shown. A URL that somebody shortened repeats one of
//! them if that begins with what is left.

/// The number of URLs of a message that are kept, and the maximum length of each.
const URLS: usize = 64;
const URL_BYTES: usize = 512;

/// The last URLs in the texts of the current message. The targets of links are not among
/// them, because they are read before the text around them is settled.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// At most [`URLS`]. The memory of earlier messages is reused.
    urls: Vec<Vec<u8>>,
    /// The number of URLs that the message has shown.
    count: usize,
}

impl Seen {
    /// Begins another message.
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    /// Keeps a URL in place of the oldest one, unless it is too long.
    #[inline]
    pub(super) fn add(&mut self, url: &[u8]) {
        if url.len() > URL_BYTES {
            return;
        }
        let place = self.count % URLS;
        if place == self.urls.len() {
            self.urls.push(Vec::new());
        }
        url.clone_into(&mut self.urls[place]);
        self.count += 1;
    }

    /// True if a kept URL begins with `stump` and goes on.
    pub(super) fn goes_on(&self, stump: &[u8]) -> bool {
        let mut urls = self.urls.iter().take(self.count);
        urls.any(|url| url.len() > stump.len() && url.starts_with(stump))
    }
}
