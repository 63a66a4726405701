//! A header field whose hits are known: they are given again, at its own place.

use super::around::Deliver;
use super::decode::Decode;
use super::{Match, Place};
use urlgrep_find::Hit;
use urlgrep_mail::mime::PartInfo;

impl Decode<'_> {
    /// Reports the hits of a header field that is equal to an earlier one. Returns false if
    /// there is none.
    pub(super) fn repeat(&mut self, part: &PartInfo<'_>, raw: &[u8]) -> bool {
        let parts = &mut *self.parts;
        let counts_lines = parts.text.line_if_counted(1) > 0;
        let first = part.source.zip(part.column);
        let column = first.map(|(source, column)| parts.around.column_in_file(source, column));
        let Some(hits) = parts.memo.recall(part, raw, column, counts_lines) else {
            return false;
        };
        parts.waiting.start_part();
        let message = self.message.at_hand(&parts.info);
        let holding = self.message.holding;
        let (visitor, around) = (&mut *self.visitor, &mut parts.around);
        let mut deliver = Deliver { visitor, around };
        let mut give = |(hit, place): &(Hit, Place)| {
            if hit.url().is_ok() && !hit.is_abbreviated() {
                parts.seen.add(hit.text(), true);
            }
            let found = Match {
                hit,
                place,
                message: Some(message),
            };
            parts.waiting.give(&found, holding, None, &mut deliver)
        };
        self.message.stopped = !hits.iter().all(&mut give);
        self.end_part();
        true
    }
}
