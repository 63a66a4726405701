//! Character references.

use super::super::mapped::MappedBytes;
use super::super::out::{Cx, Out};
use super::super::{MailSink, entities};
use super::{Context, Html, MAX_REFERENCE, State};
use crate::span::{SeamKind, Span};

impl Html {
    /// Appends the character of a reference. `source` is the place of the
    /// reference, or `None` if it has no place. `lines` is the number of source
    /// line feeds.
    pub(super) fn character<S: MailSink>(
        &mut self,
        place: Context,
        c: char,
        (source, lines): (Option<Span>, i64),
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let mut utf8 = [0; 4];
        let text = c.encode_utf8(&mut utf8).as_bytes();
        let lines = lines - i64::from(c == '\n');
        let piece = match source {
            Some(span) => MappedBytes::seam(SeamKind::Entity, span, text, lines),
            None => MappedBytes::opaque(text, lines),
        };
        self.put_decoded(place, piece, out, cx);
    }

    pub(super) fn reference<S: MailSink>(
        &mut self,
        place: Context,
        rest: &mut MappedBytes<'_>,
        b: u8,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let held = self.held.bytes();
        let more = match held.len() {
            1 => b == b'#' || b.is_ascii_alphabetic(),
            2 if held[1] == b'#' => b.is_ascii_digit() || b == b'x' || b == b'X',
            n if n >= MAX_REFERENCE => false,
            _ if held[1] != b'#' => b.is_ascii_alphanumeric(),
            _ if held[2].is_ascii_digit() => b.is_ascii_digit(),
            _ => b.is_ascii_hexdigit(),
        };
        if more {
            self.hold(rest);
            return;
        }
        let closed = b == b';' && held.len() > 1;
        if closed {
            self.hold(rest);
        }
        self.resolve(place, Some(b), out, cx);
    }

    /// Decides about the held reference. `b` is the byte after it, if the
    /// reference has no `;`.
    pub(super) fn resolve<S: MailSink>(
        &mut self,
        place: Context,
        b: Option<u8>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let held = std::mem::take(&mut self.held);
        let found = character(held.bytes(), place != Context::Text, b);
        self.state = match place {
            Context::Text => State::Text,
            Context::Value(quote) => State::Value(quote),
        };
        let mut from = 0;
        if let Some((n, c)) = found {
            let mut utf8 = [0; 4];
            let piece = held.seam(n, SeamKind::Entity, c.encode_utf8(&mut utf8).as_bytes());
            self.put_decoded(place, piece, out, cx);
            from = n;
        }
        if from < held.bytes().len() {
            for p in held.iter_from(from) {
                self.put_decoded(place, p, out, cx);
            }
        }
        if place != Context::Text {
            for p in held.iter() {
                self.tag.add(&p);
            }
        }
        self.held = held;
        self.held.clear();
    }

    pub(super) fn put_decoded<S: MailSink>(
        &mut self,
        place: Context,
        piece: MappedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        match place {
            Context::Text => self.put_text(piece, out, cx),
            Context::Value(_) => self.links.put(piece, self.line, out, cx),
        }
    }
}

/// The length and the character of the reference at the start of `bytes`. This
/// is the fast path for a reference that is complete in the slice, including
/// its `;`. For all other references the result is `None`, and
/// [`Html::reference`] then decides byte by byte.
pub(super) fn whole_reference(bytes: &[u8], place: Context) -> Option<(usize, char)> {
    // Most references in mail.
    match bytes {
        [_, b'n', b'b', b's', b'p', b';', ..] => return Some((6, '\u{A0}')),
        [_, b'q', b'u', b'o', b't', b';', ..] => return Some((6, '"')),
        [_, b'a', b'm', b'p', b';', ..] => return Some((5, '&')),
        [_, b'l', b't', b';', ..] => return Some((4, '<')),
        [_, b'g', b't', b';', ..] => return Some((4, '>')),
        _ => {}
    }
    let near = &bytes[..bytes.len().min(MAX_REFERENCE)];
    let len = near[1..]
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'#');
    let len = 1 + len.count() + 1;
    let reference = near.get(..len).filter(|r| r.ends_with(b";"))?;
    character(reference, place != Context::Text, None).filter(|&(n, _)| n == len)
}

/// The character of the reference at the start of `held`, and the length of the
/// reference in bytes. `next` is the byte after `held`.
pub(super) fn character(held: &[u8], in_value: bool, next: Option<u8>) -> Option<(usize, char)> {
    let closed = held.ends_with(b";");
    let body = held.strip_prefix(b"&")?;
    let body = body.strip_suffix(b";").unwrap_or(body);
    if let Some(number) = body.strip_prefix(b"#") {
        let (digits, radix) = match number.strip_prefix(b"x").or(number.strip_prefix(b"X")) {
            Some(hex) => (hex, 16),
            None => (number, 10),
        };
        let is_digit = |b: &u8| char::from(*b).is_digit(radix);
        let digits = std::str::from_utf8(digits).ok();
        let digits = digits.filter(|d| !d.is_empty() && d.as_bytes().iter().all(is_digit))?;
        // A number that is too large for `u32` is also too large for a
        // character.
        let code = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
        return Some((held.len(), numeric(code)));
    }
    let found = entities::find(body);
    if closed && let Some(e) = found {
        return Some((held.len(), e.to));
    }
    if in_value {
        // > If the character reference was consumed as part of an attribute,
        // > and the last character matched is not a ";", and the next input
        // > character is either a "=" or an ASCII alphanumeric, then, for
        // > historical reasons, flush … (13.2.5.73)
        // This includes a name followed by more letters.
        let e = found.filter(|e| e.bare && !closed && next != Some(b'='))?;
        return Some((held.len(), e.to));
    }
    // In text, use the longest name that is valid without `;`. Such names have
    // at most 6 bytes.
    (2..=body.len().min(6)).rev().find_map(|n| {
        let e = entities::find(&body[..n]).filter(|e| e.bare)?;
        Some((n + 1, e.to))
    })
}

/// > … If the number is one of the numbers in the first column of the
/// > following table … (13.2.5.80): the C1 controls are read as windows-1252.
fn numeric(code: u32) -> char {
    const WINDOWS: [u16; 32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
        0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ];
    let code = match code {
        0x80..=0x9F => u32::from(WINDOWS[(code - 0x80) as usize]),
        0 => 0xFFFD,
        _ => code,
    };
    char::from_u32(code).unwrap_or('\u{FFFD}')
}
