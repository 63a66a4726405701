//! Decodes quoted-printable (RFC 2045 section 6.7).

use memchr::{memchr, memmem};

use super::super::charset::Charset;
use super::super::note::MessageNoteKind;
use super::super::out::Cx;
use super::super::sink::MailSink;
use super::super::text::{Text, TextBuffer};
use urlgrep_base::digits::{hex, hex_byte};
use urlgrep_base::span::SeamKind;

/// The maximum length of white space after the `=` of a soft break. Such white
/// space is padding that a transport added. A line has at most 76 characters
/// (RFC 2045 section 6.7, rule 5).
const MAX_PADDING: usize = 128;

/// The approximate number of bytes and escapes that are decoded before they are
/// passed on. Longer text without escapes is not copied.
const DECODED: usize = 8 * 1024;

/// The room for the first text, so that its memory does not grow step by step.
const FIRST_BYTES: usize = 1024;
const FIRST_ENTRIES: usize = 64;

/// > (2) … If the line break is to be encoded as such … "=" as the last
/// > character on the encoded line is used to indicate a non-significant
/// > ("soft") line break.  (RFC 2045 section 6.7)
#[derive(Debug, Default)]
pub(super) struct QuotedPrintable {
    /// Decoded text, until it is passed on.
    pub(super) out: TextBuffer,
    /// The last bytes of the source before the text that is decoded, at least [`WORD_MAX`] if
    /// there are as many.
    pub(super) before: Vec<u8>,
}

/// The number of bytes before an `=` in which the URL is searched for whose parameter it ends.
const WORD_MAX: usize = 256;
/// The maximum length of the name of that parameter.
const NAME_MAX: usize = 32;

impl QuotedPrintable {
    pub(super) fn decode<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        next: &mut Charset,
        cx: &mut Cx<'_, S>,
    ) {
        self.out.make_room(FIRST_BYTES, FIRST_ENTRIES);
        let start = text.position();
        loop {
            let rest = text.bytes();
            // One escape often follows another.
            let plain = match rest.first() {
                Some(b'=') => 0,
                _ => memchr(b'=', rest).unwrap_or(rest.len()),
            };
            let equals = match &rest[plain..] {
                [] => None,
                from => Some(self.meaning(&text.all()[start..], from, equals(from, end), end)),
            };
            if self.out.size() + plain > DECODED || equals.is_none() {
                self.hand(next, cx);
            }
            let mut before = plain;
            let escape = &rest[plain..];
            if plain > DECODED || equals.is_none() {
                next.put(text.take(plain), cx);
                before = 0;
            }
            let (n, lines, byte) = match equals {
                None if text.is_empty() => {
                    self.remember(&text.all()[start..text.position()]);
                    return;
                }
                None => continue,
                Some(Equals::Unknown) => {
                    self.out.copy(text, before);
                    break;
                }
                // > … it is reasonable for a robust implementation … to include
                // > the "=" character and the following character in the decoded
                // > data without any transformation.  (RFC 2045 section 6.7)
                Some(Equals::Text) => {
                    self.out.copy(text, before);
                    self.hand(next, cx);
                    cx.note(MessageNoteKind::BadQuotedPrintable, text.source());
                    self.out.copy(text, 1);
                    continue;
                }
                Some(Equals::SoftBreak(n)) => (n, i64::from(escape[n - 1] == b'\n'), None),
                Some(Equals::Byte(b'\n')) => (3, -1, Some(b'\n')),
                Some(Equals::Byte(byte)) => (3, 0, Some(byte)),
                Some(Equals::Broken(n, byte)) => (n, 1 - i64::from(byte == b'\n'), Some(byte)),
            };
            let kind = match byte {
                None => SeamKind::SoftBreak,
                Some(_) => SeamKind::QpByte,
            };
            self.out.escape(text, before, n, kind, byte, lines);
        }
        self.hand(next, cx);
        self.remember(&text.all()[start..text.position()]);
    }

    /// The meaning of the `=` at `from`, the end of `text`, which reads as `equals`. Some programs
    /// declare quoted-printable and encode nothing. In their text the `=` after the name of a
    /// parameter is the URL's, although two digits may follow it: `http://a.example/?id=42&b=20`.
    #[inline]
    fn meaning(&self, text: &[u8], from: &[u8], equals: Equals, end: bool) -> Equals {
        let Equals::Byte(byte) = equals else {
            return equals;
        };
        let before = &text[..text.len() - from.len()];
        // Nearly all escapes are an `=`, a blank or a letter beyond ASCII.
        let is_after_name = match before.last().or(self.before.last()) {
            Some(b) => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'),
            None => false,
        };
        if byte == b'=' || !is_after_name {
            return equals;
        }
        self.of_parameter(before, from, byte, end)
    }

    /// As [`meaning`](QuotedPrintable::meaning), for an `=` after a letter.
    #[cold]
    fn of_parameter(&self, before: &[u8], from: &[u8], byte: u8, end: bool) -> Equals {
        let needed = WORD_MAX.saturating_sub(before.len()).min(self.before.len());
        let earlier = &self.before[self.before.len() - needed..];
        let word = [earlier, &before[before.len().saturating_sub(WORD_MAX)..]].concat();
        if !ends_in_parameter(&word) {
            return Equals::Byte(byte);
        }
        let is_cut = from.len() < 4 && !end;
        let next = from.get(3).copied();
        let is_raw = match byte {
            // An encoder has no reason to write these so.
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => true,
            _ if is_cut => return Equals::Unknown,
            // A letter beyond ASCII has more octets in UTF-8, and a blank ends a word or a line.
            0x80.. => next != Some(b'='),
            _ => matches!(next, Some(b'&' | b'#')),
        };
        if is_raw {
            Equals::Text
        } else {
            Equals::Byte(byte)
        }
    }

    /// Keeps the last bytes of those that were `read`.
    fn remember(&mut self, read: &[u8]) {
        let read = &read[read.len().saturating_sub(WORD_MAX)..];
        if self.before.len() + read.len() > 4 * WORD_MAX {
            let old = self.before.len().saturating_sub(WORD_MAX);
            self.before.drain(..old);
        }
        self.before.extend_from_slice(read);
    }

    fn hand<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
        if !self.out.is_empty() {
            next.put(self.out.text(), cx);
            self.out.clear();
        }
    }
}

/// True if `text` ends with the name of a parameter of a URL, whose word has no encoded `=`:
/// `http://a.example/?id`.
fn ends_in_parameter(text: &[u8]) -> bool {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let name = text.iter().rev().take(NAME_MAX).take_while(is_name).count();
    let before = &text[..text.len() - name];
    if name == 0 || !matches!(before.last(), Some(b'?' | b'&')) {
        return false;
    }
    let is_end = |b: &u8| b.is_ascii_whitespace() || matches!(b, b'<' | b'>' | b'"');
    let start = before.iter().rposition(is_end).map_or(0, |at| at + 1);
    let word = &before[start..];
    memmem::find(word, b"://").is_some() && memmem::find(word, b"=3D").is_none()
}

/// The meaning of an `=`.
enum Equals {
    /// It encodes a byte, together with two digits.
    Byte(u8),
    /// As `Byte`, in this number of bytes, because a soft line break stands between the digits.
    Broken(usize, u8),
    /// This number of bytes is a soft line break.
    SoftBreak(usize),
    /// It encodes nothing.
    Text,
    /// The bytes after it are not known yet.
    Unknown,
}

/// The meaning of the `=` at the start of `bytes`. `end` is true if the part ends
/// with `bytes`. Digits in lower case are read, too:
///
/// > … robust implementations might choose to recognize them as the
/// > corresponding uppercase letters.  (RFC 2045 section 6.7)
#[inline]
fn equals(bytes: &[u8], end: bool) -> Equals {
    match *bytes {
        [_, b'\n', ..] => Equals::SoftBreak(2),
        [_, b'\r', b'\n', ..] => Equals::SoftBreak(3),
        [_, high, low, ..] => match hex_byte(high, low) {
            Some(byte) => Equals::Byte(byte),
            None => padded_break(bytes, end),
        },
        _ => padded_break(bytes, end),
    }
}

/// As [`equals`], for an `=` with white space after it, or before the end of
/// `bytes`.
fn padded_break(bytes: &[u8], end: bool) -> Equals {
    if let [_, high, b'=', ..] = *bytes
        && is_digit(high)
    {
        return broken_byte(bytes, high, end);
    }
    let n = break_at(bytes);
    match bytes.get(n) {
        Some(b'\n') => Equals::SoftBreak(n + 1),
        // The line break before a boundary belongs to the boundary. So the last
        // soft break of a part has lost its line break.
        None if end => Equals::SoftBreak(n),
        None => Equals::Unknown,
        Some(&digit) if n == 1 && bytes.len() == 2 && !end && hex(digit).is_some() => {
            Equals::Unknown
        }
        Some(_) => Equals::Text,
    }
}

/// The index in `bytes`, which begin with an `=`, of the byte after padding and a CR. Programs that
/// converted the line ends twice have written two.
fn break_at(bytes: &[u8]) -> usize {
    let near = &bytes[..bytes.len().min(MAX_PADDING)];
    let is_padding = |b: &&u8| matches!(b, b' ' | b'\t');
    let n = 1 + near[1..].iter().take_while(is_padding).count();
    n + near[n..]
        .iter()
        .take(2)
        .take_while(|b| **b == b'\r')
        .count()
}

/// True for a digit of an escape as RFC 2045 wants it.
fn is_digit(b: u8) -> bool {
    matches!(b, b'0'..=b'9' | b'A'..=b'F')
}

/// As [`equals`], for an `=`, the digit `high` and another `=`. Programs that break a line at a
/// width have put a soft line break between the two digits.
fn broken_byte(bytes: &[u8], high: u8, end: bool) -> Equals {
    let feed = 2 + break_at(&bytes[2..]);
    match (bytes.get(feed), bytes.get(feed + 1)) {
        (Some(b'\n'), Some(&low)) if is_digit(low) => match hex_byte(high, low) {
            Some(byte) => Equals::Broken(feed + 2, byte),
            None => Equals::Text,
        },
        (Some(b'\n'), None) | (None, _) if !end => Equals::Unknown,
        _ => Equals::Text,
    }
}
