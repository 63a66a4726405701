//! The part of the haystack that is in memory.

use std::cell::Cell;

/// A view of the haystack around the place under examination.
///
/// All functions that decide about a place read through a window. Their reach
/// is limited by the constants of the scanner, not by the window. If a function
/// reads past the last byte while more bytes may come, the window records that
/// it was *starved*. The decision is then dropped, and made again when more
/// bytes are available. So a decision depends only on the haystack, not on its
/// chunks.
///
/// The settings of the scan are here, too, because each rule gets a window and nothing else.
pub(super) struct Window<'h> {
    bytes: &'h [u8],
    /// True if the haystack ends with `bytes`.
    eof: bool,
    /// Whether hosts without a scheme are searched for.
    pub(super) suffixes: bool,
    /// Whether `{ } | [ ]` may be part of a URL anywhere.
    pub(super) national: bool,
    /// Whether the text may be quoted-printable that nothing declares.
    pub(super) encoded: bool,
    /// The text is what a page of HTML shows.
    pub(super) is_page: bool,
    /// The bytes are those of a view, in which [`END`](crate::view::END) ends a URL.
    pub(super) is_view: bool,
    /// The offset of the first byte.
    pub(super) base: u64,
    /// The offsets after the ends of paragraphs.
    pub(super) paragraphs: &'h [u64],
    /// A bare URL is read up to the first backslash, and is then taken for too long.
    pub(super) is_brief: Cell<bool>,
    starved: Cell<bool>,
    /// The first byte that a reader could not make sense of, because it may not be text.
    disturbed: Cell<Option<usize>>,
    /// The number of bytes that were examined for decisions. For the tests of
    /// linear time.
    examined: Cell<u64>,
}

/// The bytes that a rule has read up to the first that it does not want.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'h> {
    pub(super) text: &'h [u8],
    /// The byte after `text`. `None` if the rule reads no further, or the window ends there.
    pub(super) end: Option<u8>,
}

impl<'h> Window<'h> {
    pub(super) fn new(bytes: &'h [u8], eof: bool) -> Window<'h> {
        Window {
            bytes,
            eof,
            suffixes: false,
            national: false,
            encoded: true,
            is_page: false,
            is_view: false,
            base: 0,
            paragraphs: &[],
            is_brief: Cell::new(false),
            starved: Cell::new(false),
            disturbed: Cell::new(None),
            examined: Cell::new(0),
        }
    }

    /// All bytes of the window. Meant for lookbehind, which never starves.
    pub(super) fn bytes(&self) -> &'h [u8] {
        self.bytes
    }

    /// The byte at `i`, or `None` after the end of the window. If more bytes may
    /// come, the window is then starved.
    pub(super) fn at(&self, i: usize) -> Option<u8> {
        match self.bytes.get(i) {
            Some(&b) => Some(b),
            None => {
                self.starve();
                None
            }
        }
    }

    /// The bytes from `from` on before the first for which `is_end` holds, at most `max`. They
    /// count as examined. If there is none before the end of the window, that is starved. A rule
    /// that needs the byte after `n` bytes asks for one more.
    #[inline]
    pub(super) fn until(
        &self,
        from: usize,
        max: usize,
        is_end: impl Fn(u8) -> bool,
    ) -> Stretch<'h> {
        self.until_found(from, max, |bytes| bytes.iter().position(|&b| is_end(b)))
    }

    /// As [`Window::until`], where `find` finds the end in the bytes.
    #[inline]
    pub(super) fn until_found(
        &self,
        from: usize,
        max: usize,
        find: impl FnOnce(&[u8]) -> Option<usize>,
    ) -> Stretch<'h> {
        let bytes = self.slice(from, max);
        let Some(len) = find(bytes) else {
            self.count(bytes.len());
            if bytes.len() < max {
                self.starve();
            }
            return Stretch {
                text: bytes,
                end: None,
            };
        };
        self.count(len);
        Stretch {
            text: &bytes[..len],
            end: Some(bytes[len]),
        }
    }

    /// The `len` bytes from `from` on. If the window has fewer, it is starved.
    #[inline]
    pub(super) fn ahead(&self, from: usize, len: usize) -> &'h [u8] {
        let bytes = self.slice(from, len);
        if bytes.len() < len {
            self.starve();
        }
        bytes
    }

    /// True if the bytes from `from` on start with `text`. They count as examined.
    pub(super) fn has_here(&self, from: usize, text: &[u8]) -> bool {
        let there = self.slice(from, text.len());
        self.count(there.len());
        if there.len() < text.len() && text.starts_with(there) {
            self.starve();
        }
        there == text
    }

    /// At most `max` bytes from `from` on. A shorter slice ends with the
    /// window. A caller that needs the byte after it must call [`Window::at`].
    pub(super) fn slice(&self, from: usize, max: usize) -> &'h [u8] {
        let from = from.min(self.bytes.len());
        let end = from.saturating_add(max).min(self.bytes.len());
        &self.bytes[from..end]
    }

    /// True if the bytes from `from` on start with `word`, without regard to
    /// case. `word` is ASCII in lower case.
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

    /// The bytes of the character at `i`, at most four.
    pub(super) fn character(&self, i: usize) -> &'h [u8] {
        let need = match self.at(i) {
            Some(0xF0..) => 4,
            Some(0xE0..) => 3,
            Some(0xC0..) => 2,
            _ => 1,
        };
        let bytes = self.slice(i, need);
        // Ask for more bytes only if the bytes so far are well-formed UTF-8.
        if bytes.len() < need && bytes[1.min(bytes.len())..].iter().all(|b| b & 0xC0 == 0x80) {
            self.starve();
        }
        bytes
    }

    /// True if a paragraph ends with the line feed at `i`.
    pub(super) fn ends_paragraph(&self, i: usize) -> bool {
        let at = self.base + i as u64 + 1;
        !self.paragraphs.is_empty() && self.paragraphs.binary_search(&at).is_ok()
    }

    fn starve(&self) {
        if !self.eof {
            self.starved.set(true);
        }
    }

    /// True if a decision since the last call needed bytes that are not
    /// available.
    pub(super) fn take_starved(&self) -> bool {
        self.starved.take()
    }

    /// As [`Window::take_starved`], but the window remembers it.
    pub(super) fn is_starved(&self) -> bool {
        self.starved.get()
    }

    /// True if the haystack ends with the window.
    pub(super) fn is_end(&self) -> bool {
        self.eof
    }

    /// Records that the byte at `i` may not be text, so that a view of the place is needed.
    #[cold]
    pub(super) fn disturb(&self, i: usize) {
        if self.disturbed.get().is_none() {
            self.disturbed.set(Some(i));
        }
    }

    /// The byte that was recorded since the last call.
    pub(super) fn take_disturbed(&self) -> Option<usize> {
        self.disturbed.take()
    }

    /// Counts `n` bytes as examined.
    pub(super) fn count(&self, n: usize) {
        self.examined.set(self.examined.get() + n as u64);
    }

    pub(super) fn examined(&self) -> u64 {
        self.examined.get()
    }
}
