//! Text without a header. It is searched as it is, without the walker.

use super::decode::{Decode, Parts, SearchedText};
use urlgrep_find::Drive;

impl Decode<'_> {
    /// Text of a message without a header, at the offset `offset`.
    pub(super) fn plain(&mut self, bytes: &[u8], offset: u64) {
        let Parts { text, around, .. } = &mut *self.parts;
        text.map.copy(offset, bytes.len() as u64);
        if around.is_on() {
            around.feed(bytes, Some(&text.map));
        }
        self.search_kept(|extractor, _, sink| extractor.feed(bytes, sink));
        let SearchedText { extractor, map, .. } = &mut self.parts.text;
        let settled = extractor.settled();
        // A removal directly before the kept bytes may be needed.
        map.forget(settled.saturating_sub(1));
        self.lines(settled, false);
    }

    /// Ends a message without a header.
    pub(super) fn plain_end(&mut self) {
        self.search_kept(|extractor, _, sink| extractor.finish(sink));
        self.lines(u64::MAX, true);
    }

    /// Ends a message without a header, before unreadable bytes.
    pub(super) fn plain_break_off(&mut self) {
        self.search_kept(|extractor, _, sink| extractor.break_off(sink));
        self.lines(u64::MAX, true);
    }
}
