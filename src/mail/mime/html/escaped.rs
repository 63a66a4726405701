//! Links in quoted-printable that no header declares: `href=3D"http://…"`.
//!
//! Such a value begins with `3D` and a quotation mark. No URL begins so.

use memchr::memchr;

use crate::digits::hex_byte;
use crate::span::SeamKind;

use super::super::MailSink;
use super::super::mapped::{Held, Stretches};
use super::super::out::{Cx, Out};
use super::links::Links;
use super::{Html, MappedBytes, Quote, State};

impl Html {
    /// Processes the next byte `b` of a value that may begin with `3D` and a
    /// quotation mark. The bytes before it are held.
    pub(super) fn escaped_quote<S: MailSink>(
        &mut self,
        rest: &mut MappedBytes<'_>,
        b: u8,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        match (self.held.bytes().len(), b) {
            (1, b'D' | b'd') => self.hold(rest),
            (2, b'"' | b'\'') => {
                self.held_to_tag();
                self.skip(rest, 1);
                self.start_value(Quote::of(b), rest);
                self.links.unescape_at_end();
            }
            _ => {
                let held = std::mem::take(&mut self.held);
                for (i, piece) in held.iter().enumerate() {
                    if i == 0 {
                        self.start_value(Quote::None, &piece);
                    }
                    self.tag.add(&piece);
                    self.links.put(piece, self.line, out, cx);
                }
                self.held = held;
                self.held.clear();
                self.state = State::Value(Quote::None);
            }
        }
    }
}

impl Links {
    /// Decodes the held value as quoted-printable (RFC 2045 6.7).
    pub(super) fn unescape<S: MailSink>(&mut self, list: &Held, cx: &mut Cx<'_, S>) {
        let bytes = list.bytes();
        let mut pieces = Stretches::of(list);
        let mut at = 0;
        while at < bytes.len() {
            let plain = memchr(b'=', &bytes[at..]).unwrap_or(bytes.len() - at);
            let escape = at + plain;
            pieces.read(at..escape, |piece| self.put_one(piece, cx));
            let (n, byte) = decode(&bytes[escape..]);
            let kind = match byte {
                Some(_) => SeamKind::QpByte,
                None => SeamKind::QpGuess,
            };
            let mut held = Held::default();
            pieces.read(escape..escape + n, |piece| held.push(piece));
            if n == 1 {
                held.iter().for_each(|piece| self.put_one(piece, cx));
            } else {
                self.put_one(held.seam(n, kind, byte.as_slice()), cx);
            }
            at = escape + n;
        }
    }
}

/// The length of the escape or soft line break at the start of `bytes`, and the
/// byte that it encodes. An `=` that is neither encodes itself.
fn decode(bytes: &[u8]) -> (usize, Option<u8>) {
    match bytes {
        [] => (0, None),
        [_, b'\n', ..] => (2, None),
        [_, b'\r', b'\n', ..] => (3, None),
        [_, high, low, ..] => match hex_byte(*high, *low) {
            Some(byte) => (3, Some(byte)),
            None => (1, Some(b'=')),
        },
        _ => (1, Some(b'=')),
    }
}
