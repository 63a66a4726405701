//! Checks whether the text after a scheme without `//` has the shape that the
//! scheme needs.

use super::class::{CLASS, Class, is_stop};
use super::delimited::Draft;
use super::scheme::Shape;
use super::state::State;
use super::window::Window;

/// The number of bytes after the colon of a scheme that must show the shape.
const SHAPE_MAX: usize = 320;

impl State {
    /// True if the bytes from `body` on have the shape that their scheme needs.
    pub(super) fn has_shape(&mut self, w: &Window<'_>, shape: Shape, body: usize) -> bool {
        if self.config.plain {
            (self.at_sign, self.comma) = Default::default();
        }
        let (base, bytes) = (self.base, w.bytes());
        let before_stop = |next: &mut NextByte, wanted: u8| {
            // At the end of a word the byte belongs to the sentence, not to the
            // URL.
            next.find(w, base, body, wanted).is_some_and(|at| {
                let follows = |b: u8| b.is_ascii_alphanumeric() || b == b'%';
                bytes[at] == wanted && w.at(at + 1).is_some_and(follows)
            })
        };
        let next = w.at(body);
        match shape {
            Shape::At => before_stop(&mut self.at_sign, b'@'),
            Shape::Comma => before_stop(&mut self.comma, b','),
            Shape::Group | Shape::Host => {
                before_stop(&mut self.at_sign, b'@') || has_dotted_name(w, body)
            }
            Shape::Doi => w.has_word(body, b"10."),
            Shape::Digit => match next {
                Some(b'+') => w.at(body + 1).is_some_and(|b| b.is_ascii_digit()),
                next => next.is_some_and(|b| b.is_ascii_digit()),
            },
            Shape::Question => next == Some(b'?'),
            Shape::Nid => has_namespace(w, body),
            Shape::Marked | Shape::Slashed => false,
        }
    }
}

/// [`State::has_shape`] for a URL between delimiters, after its line breaks
/// were removed.
pub(super) fn draft_has_shape(w: &Window<'_>, draft: &Draft, shape: Shape, body: usize) -> bool {
    let text = draft.first_text(w);
    let start = draft.first().unwrap_or(body);
    let rest = text.get(body - start..).unwrap_or_default();
    match shape {
        Shape::At => draft.holds(w, b'@'),
        Shape::Comma => draft.holds(w, b','),
        Shape::Group => {
            rest.first().is_some_and(|&b| b != b'-')
                && (rest == b"*" || draft.holds(w, b'@') || has_dotted_name(w, body))
        }
        Shape::Host => draft.holds(w, b'@') || has_dotted_name(w, body),
        Shape::Doi => rest.starts_with(b"10."),
        Shape::Digit => rest
            .first()
            .is_some_and(|&b| b == b'+' || b.is_ascii_digit()),
        Shape::Question => rest.first() == Some(&b'?'),
        Shape::Nid => has_namespace(w, body),
        Shape::Marked => true,
        Shape::Slashed => false,
    }
}

/// [`State::has_shape`] for an attribute value, which is only a URL.
pub(super) fn value_has_shape(shape: Shape, rest: &[u8]) -> bool {
    let w = Window::new(rest, true);
    match shape {
        Shape::At => memchr::memchr(b'@', rest).is_some(),
        Shape::Comma => memchr::memchr(b',', rest).is_some(),
        Shape::Group => {
            rest == b"*" || memchr::memchr(b'@', rest).is_some() || has_dotted_name(&w, 0)
        }
        Shape::Host => memchr::memchr(b'@', rest).is_some() || has_dotted_name(&w, 0),
        Shape::Doi => rest.starts_with(b"10."),
        Shape::Digit => rest
            .first()
            .is_some_and(|&b| b == b'+' || b.is_ascii_digit()),
        Shape::Question => rest.first() == Some(&b'?'),
        Shape::Nid => has_namespace(&w, 0),
        Shape::Marked | Shape::Slashed => false,
    }
}

/// True if a name with a dot inside begins at `body`: `comp.lang.lisp`,
/// `example.org`. The caller has searched for the end of the word, so the word
/// is in the window.
fn has_dotted_name(w: &Window<'_>, body: usize) -> bool {
    let name = w.slice(body, SHAPE_MAX);
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'_' | b'.');
    let len = name.iter().take_while(|b| is_name(b)).count();
    w.count(len);
    name[..len]
        .windows(3)
        .any(|p| p[1] == b'.' && p[0].is_ascii_alphanumeric() && p[2].is_ascii_alphanumeric())
        && name[0].is_ascii_alphanumeric()
}

/// True if a URN of RFC 8141 continues at `body`. A namespace of 2 to 32
/// letters, digits and hyphens comes first, then a colon and the name.
fn has_namespace(w: &Window<'_>, body: usize) -> bool {
    let mut len = 0;
    while len <= 32
        && w.at(body + len)
            .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'-')
    {
        len += 1;
    }
    (2..=32).contains(&len)
        && w.at(body + len) == Some(b':')
        && w.at(body + len + 1)
            .is_some_and(|b| !is_stop(b) && CLASS[b as usize] != Class::Close)
}

/// Finds the next place of a given byte, or of a byte that ends the word. The
/// result is cached, so a haystack full of schemes is searched only once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NextByte {
    /// The offset at which the search stopped. There is no such byte between
    /// the last lookup and this offset.
    to: u64,
    /// The byte at `to`, if the search stopped because of it.
    at: Option<u64>,
}

impl NextByte {
    /// Index of the first byte from `start` on that is `wanted` or ends the
    /// word, within [`SHAPE_MAX`] bytes.
    fn find(&mut self, w: &Window<'_>, base: u64, start: usize, wanted: u8) -> Option<usize> {
        let (from, limit) = (base + start as u64, base + (start + SHAPE_MAX) as u64);
        // Lookups come in ascending order.
        if self.to < from {
            (self.to, self.at) = (from, None);
        }
        if self.at.is_none() {
            let at = (self.to - base) as usize;
            let bytes = w.slice(at, limit.saturating_sub(self.to) as usize);
            let found = bytes.iter().position(|&b| b == wanted || is_stop(b));
            let seen = found.unwrap_or(bytes.len());
            w.count(seen);
            self.to += seen as u64;
            self.at = found.map(|_| self.to);
            // If the byte was not found, more bytes of the haystack are needed.
            let _ = w.at(at + seen);
        }
        self.at.map(|at| (at - base) as usize)
    }
}
