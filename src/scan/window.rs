//! The part of the haystack that is in memory.

use std::cell::Cell;

/// A view of the haystack around the place that is examined.
///
/// The functions that decide about a place read through a window. They are
/// bounded by the constants of the scanner, never by the window. If one reads
/// past the last byte while more may come, the window records that it was
/// *starved*. The decision is dropped, and made again when more bytes are
/// there. So a decision is a function of the haystack alone, however it was
/// cut into chunks.
pub(super) struct Window<'h> {
    bytes: &'h [u8],
    /// True if no byte follows the last one of `bytes`.
    eof: bool,
    /// Hosts without a scheme are looked for.
    pub(super) suffixes: bool,
    starved: Cell<bool>,
    /// The number of bytes that the decisions examined, for the tests of
    /// linear time.
    examined: Cell<u64>,
}

impl<'h> Window<'h> {
    pub(super) fn new(bytes: &'h [u8], eof: bool) -> Window<'h> {
        Window {
            bytes,
            eof,
            suffixes: false,
            starved: Cell::new(false),
            examined: Cell::new(0),
        }
    }

    /// All bytes of the window, for lookbehind, which never starves.
    pub(super) fn bytes(&self) -> &'h [u8] {
        self.bytes
    }

    /// The byte at `i`, or `None` at the end of the haystack.
    pub(super) fn at(&self, i: usize) -> Option<u8> {
        match self.bytes.get(i) {
            Some(&b) => Some(b),
            None => {
                self.starve();
                None
            }
        }
    }

    /// At most `max` bytes from `from` on. A shorter slice ends where the
    /// window does. A caller that needs the byte after it calls [`Window::at`]
    /// there.
    pub(super) fn slice(&self, from: usize, max: usize) -> &'h [u8] {
        let from = from.min(self.bytes.len());
        let end = from.saturating_add(max).min(self.bytes.len());
        &self.bytes[from..end]
    }

    /// True if the bytes from `from` on start with `word` (ASCII, lower case),
    /// in any case.
    pub(super) fn has_word(&self, from: usize, word: &[u8]) -> bool {
        let there = self.slice(from, word.len());
        if !there
            .iter()
            .zip(word)
            .all(|(a, b)| a.to_ascii_lowercase() == *b)
        {
            return false;
        }
        if there.len() < word.len() {
            self.starve();
            return false;
        }
        true
    }

    fn starve(&self) {
        if !self.eof {
            self.starved.set(true);
        }
    }

    /// True if a decision since the last call needed bytes that are not here.
    pub(super) fn take_starved(&self) -> bool {
        self.starved.take()
    }

    /// Counts `n` bytes as examined.
    pub(super) fn count(&self, n: usize) {
        self.examined.set(self.examined.get() + n as u64);
    }

    pub(super) fn examined(&self) -> u64 {
        self.examined.get()
    }
}
