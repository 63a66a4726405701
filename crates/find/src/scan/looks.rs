//! What looks through views may cost: each byte is read a fixed number of times for looks that found
//! nothing, so the cost of all looks is linear in the text.

use urlgrep_base::span::Span;

/// The most times that a byte is read for longer pages whose looks found nothing. So the cost of all
/// looks is linear in the text.
pub(super) const LOOKS: u64 = 2;

/// The same for the rows around what is a URL without them too. Each of a list of URLs needs those
/// around it, and no URL is as short as the candidates of hostile texts.
pub(super) const LOOKS_OF_URL: u64 = 32;

/// The same for what a row of a terminal may have broken in its scheme: beside URLs, whose looks the
/// same bytes have paid.
pub(super) const LOOKS_OF_SCHEME: u64 = 4;

/// Bytes over which looks found nothing. A candidate after their end begins another stretch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Stretch {
    start: u64,
    pub(super) end: u64,
    /// The number of bytes of all pages but the first of each candidate.
    read: u64,
}

/// What the looks so far have cost. They pay for the bytes that they read, so it depends on the
/// text alone how far a candidate can look, and nothing is left of it where a range begins.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Looks {
    /// Pages that show a word, and longer ones, which concern its paragraph. A word can always be
    /// read, whatever stands before it.
    pub(super) word: Stretch,
    pub(super) block: Stretch,
    /// The bytes that were read beyond the end of a view, to see a word as it is written.
    pub(super) written: Stretch,
    /// The rows of URLs that the grammar refused, so that the scan continues before their end.
    pub(super) refused: Stretch,
}

impl Stretch {
    /// True if pages of `read` bytes of the candidate at the start of `place` cost no more than the
    /// bytes can pay, each of them `most` times. The first of a stretch can look as far as it needs.
    pub(super) fn allows(&self, place: Span, read: usize, most: u64) -> bool {
        let mut all = *self;
        all.pay(place, read);
        all.start == place.start || all.read <= most * (all.end - all.start)
    }

    /// Adds pages of `read` bytes of a candidate at the start of `place`.
    pub(super) fn pay(&mut self, place: Span, read: usize) {
        if read == 0 {
            return;
        }
        if place.start >= self.end {
            *self = Stretch {
                start: place.start,
                end: place.end,
                read: 0,
            };
        }
        self.end = self.end.max(place.end);
        self.read += read as u64;
    }
}
