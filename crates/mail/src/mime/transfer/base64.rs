//! Decodes base64 (RFC 2045 section 6.8).

use memchr::{memchr, memmem};

use super::super::charset::Charset;
use super::super::mapped::{MappedBytes, line_feeds};
use super::super::note::MessageNoteKind;
use super::super::out::Cx;
use super::super::sink::MailSink;
use super::super::text::{Entry, Text};
use urlgrep_base::digits::BASE64;

/// The maximum length of a line that is checked as a whole before it is
/// decoded.
const JUDGED: usize = 1024;
/// The approximate length of the chunks in which decoded bytes are passed on.
const CHUNK: usize = 4 * 1024;

/// > All line breaks or other characters not found in Table 1 must be ignored
/// > by decoding software.  (RFC 2045 section 6.8)
///
/// Only white space and a stray byte in a line of digits are ignored here. In real mail, a
/// line with other bytes is text that a list or a virus scanner appended to the base64. If
/// only the other bytes were ignored, the rest of the line would decode to noise.
#[derive(Debug, Default)]
pub(super) struct Base64 {
    state: Base64State,
    quantum: Quantum,
    out: Vec<u8>,
    /// The last decoded byte that was passed on.
    last: Option<u8>,
    /// The number of source line feeds since the last chunk was passed on.
    lines: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Base64State {
    #[default]
    Data,
    /// In a line longer than [`JUDGED`]. Its bytes are decoded as they come in.
    LongLine,
    /// After the final `=`.
    Ended,
    /// After the final `=` and a blank line.
    EndedBlank,
    /// After the last base64 line.
    Text,
}

#[derive(Debug, Default)]
struct Quantum {
    bits: u32,
    digits: u8,
    /// True if an `=` has followed the last digit.
    padded: bool,
}

impl Base64 {
    pub(super) fn start(&mut self) {
        self.state = Base64State::Data;
        self.quantum = Quantum::default();
        self.out.clear();
        self.last = None;
        self.lines = 0;
    }

    #[expect(
        clippy::too_many_lines,
        reason = "the states differ in a step of the same loop"
    )]
    pub(super) fn decode<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        next: &mut Charset,
        cx: &mut Cx<'_, S>,
    ) {
        while !text.is_empty() {
            let bytes = text.bytes();
            if self.state == Base64State::Text {
                next.put(text.take(bytes.len()), cx);
                return;
            }
            // A chunk ends after the same digit whatever the input was cut into.
            let most = match self.state {
                Base64State::LongLine => {
                    let groups = (CHUNK - self.out.len()).div_ceil(3);
                    JUDGED.min(4 * groups - usize::from(self.quantum.digits))
                }
                _ => JUDGED,
            };
            let near = &bytes[..bytes.len().min(most)];
            let feed = memchr(b'\n', near);
            let n = match feed {
                Some(feed) => feed + 1,
                None if end || near.len() == JUDGED || self.state == Base64State::LongLine => {
                    near.len()
                }
                None => return,
            };
            let line = &bytes[..n];
            let start = self.out.len();
            // Most lines consist of groups of four digits and a line break.
            let groups = match (self.state, self.quantum.digits) {
                (Base64State::Data | Base64State::LongLine, 0) => {
                    self.quantum.groups(line, &mut self.out)
                }
                _ => 0,
            };
            let rest = &line[groups..];
            let is_line_end = matches!(rest, b"\n" | b"\r\n");
            let good = if is_line_end {
                rest.len()
            } else if self.state == Base64State::LongLine {
                rest.iter().take_while(|&&b| is_base64(b)).count()
            } else if self.is_data(line) {
                rest.len()
            } else if self.state == Base64State::Data && is_damaged(line) {
                cx.note(MessageNoteKind::BadBase64, text.source());
                rest.len()
            } else {
                self.out.truncate(start);
                self.end(text, next, cx);
                continue;
            };
            if !is_line_end {
                if self.state == Base64State::EndedBlank && !rest.trim_ascii().is_empty() {
                    self.break_line();
                }
                self.quantum.decode(&rest[..good], &mut self.out);
            }
            self.lines +=
                text.pass(groups + good).1 + i64::from(feed.is_some() && good == rest.len());
            if good < rest.len() {
                self.end(text, next, cx);
                continue;
            }
            let had_ended = matches!(self.state, Base64State::Ended | Base64State::EndedBlank);
            self.state = if feed.is_none() {
                Base64State::LongLine
            } else if had_ended && line.trim_ascii().is_empty() {
                Base64State::EndedBlank
            } else if self.quantum.padded {
                Base64State::Ended
            } else {
                Base64State::Data
            };
            if self.out.len() >= CHUNK {
                self.hand(next, cx);
            }
        }
    }

    /// True if the line can be decoded.
    fn is_data(&self, line: &[u8]) -> bool {
        if !line.iter().all(|&b| is_base64(b)) {
            return false;
        }
        match self.state {
            // After the final `=`, text may follow that has only bytes of the
            // alphabet. So a line counts as data only if it is blank, or if its
            // length is a multiple of 4. Programs that encode each section of a
            // report alone put blank lines between them.
            Base64State::Ended | Base64State::EndedBlank => {
                let line = line.trim_ascii();
                let is_clear = self.state == Base64State::Ended || looks_encoded(line);
                line.is_empty() || is_clear && line.len().is_multiple_of(4)
            }
            _ => true,
        }
    }

    /// Ends the data before `text`, which is not base64.
    fn end<S: MailSink>(&mut self, text: &Text<'_>, next: &mut Charset, cx: &mut Cx<'_, S>) {
        self.close(cx);
        self.break_line();
        self.hand(next, cx);
        self.state = Base64State::Text;
        cx.note(MessageNoteKind::TextInBase64, text.source());
    }

    /// Adds a line break, as the source has one, unless the data ends with one. Without it the
    /// text below would continue a URL at the end of the data.
    fn break_line(&mut self) {
        // In UTF-16 the last byte may be the 0 of a line feed.
        let last = self.out.last().copied().or(self.last);
        if last.is_some_and(|b| b != b'\n' && b != 0) {
            self.out.push(b'\n');
        }
    }

    fn hand<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
        let lines = self.lines - line_feeds(&self.out);
        let entry = Entry::of(&MappedBytes::opaque(&self.out, lines));
        next.put(Text::one(&self.out, &entry), cx);
        self.last = self.out.last().copied().or(self.last);
        self.out.clear();
        self.lines = 0;
    }

    /// Ends the decoding. An incomplete quantum is decoded as if its `=` were
    /// present.
    fn close<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        if self.quantum.digits == 1 {
            cx.note(MessageNoteKind::BadBase64, None);
        }
        self.quantum.pad(&mut self.out);
    }

    pub(super) fn finish<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
        if self.state != Base64State::Text {
            self.close(cx);
            self.hand(next, cx);
        }
    }
}

/// True if the line is base64 with a stray byte in it, or with the marks of a quotation before
/// it: one foreign byte in 32, and no `://`, because a URL can look so too.
fn is_damaged(line: &[u8]) -> bool {
    const DIGITS_FOR_EACH: usize = 32;
    let is_mark = |b: &u8| matches!(b, b'>' | b'|' | b' ' | b'\t');
    let marks = line.iter().take_while(|b| is_mark(b)).count();
    let line = line[marks..].trim_ascii_end();
    let foreign = line.iter().filter(|&&b| !is_base64(b)).count();
    looks_encoded(line)
        && foreign <= 1.max(line.len() / DIGITS_FOR_EACH)
        && memmem::find(line, b"://").is_none()
}

/// True if the line, which may have other bytes too, is no text: it is one long word with small
/// and capital letters and figures, as nearly all base64 of this length is.
fn looks_encoded(line: &[u8]) -> bool {
    const LEAST: usize = 16;
    let has = |is: fn(&u8) -> bool| line.iter().any(is);
    line.len() >= LEAST
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && !has(u8::is_ascii_whitespace)
}

impl Quantum {
    /// Decodes the complete groups of four digits at the start of `bytes`, and
    /// appends the result. Returns their length. No digit may be pending.
    fn groups(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> usize {
        let mut done = 0;
        for near in bytes.chunks(GROUPS) {
            // `out` grows before the groups are decoded. The first group may already
            // be invalid, so the number of groups is limited.
            let start = out.len();
            out.resize(start + near.len() / 4 * 3, 0);
            let (groups, _) = near.as_chunks();
            let mut all = 0;
            for (from, to) in groups.iter().zip(out[start..].as_chunks_mut().0) {
                let bits = group(from);
                all |= bits;
                *to = octets(bits);
            }
            let bad = if all < NO_GROUP {
                None
            } else {
                groups.iter().position(|g| group(g) >= NO_GROUP)
            };
            let good = 4 * bad.unwrap_or(groups.len());
            out.truncate(start + good / 4 * 3);
            done += good;
            if good < near.len() {
                break;
            }
        }
        self.padded &= done == 0;
        done
    }

    /// Decodes `bytes` and appends the result. Bytes outside the alphabet are
    /// ignored.
    fn decode(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while let Some((&b, rest)) = bytes.split_first() {
            if self.digits == 0
                && let done @ 1.. = self.groups(bytes, out)
            {
                bytes = &bytes[done..];
                continue;
            }
            bytes = rest;
            match VALUE[usize::from(b)] {
                SPACE | BAD => {}
                PAD => {
                    self.pad(out);
                    self.padded = true;
                }
                v => {
                    self.padded = false;
                    self.bits = self.bits << 6 | u32::from(v);
                    self.digits += 1;
                    if self.digits == 4 {
                        out.extend_from_slice(&self.bits.to_be_bytes()[1..]);
                        self.digits = 0;
                        self.bits = 0;
                    }
                }
            }
        }
    }

    fn pad(&mut self, out: &mut Vec<u8>) {
        match self.digits {
            2 => out.push((self.bits >> 4) as u8),
            3 => out.extend_from_slice(&((self.bits >> 2) as u16).to_be_bytes()),
            _ => {}
        }
        self.digits = 0;
        self.bits = 0;
    }
}

/// The 24 bits of four digits. At least [`NO_GROUP`] if one is not a digit.
#[inline]
fn group(&[a, b, c, d]: &[u8; 4]) -> u32 {
    let digit = |place: usize, b: u8| DIGITS[place][usize::from(b)];
    digit(0, a) | digit(1, b) | digit(2, c) | digit(3, d)
}

#[inline]
fn octets(bits: u32) -> [u8; 3] {
    let [_, a, b, c] = bits.to_be_bytes();
    [a, b, c]
}

/// A bit above the 24 bits of four digits.
const NO_GROUP: u32 = 1 << 24;

/// The bits of each byte as the first, second, third and fourth digit of a
/// group. [`NO_GROUP`] if the byte is not a digit.
static DIGITS: [[u32; 256]; 4] = {
    let mut table = [[NO_GROUP; 256]; 4];
    let mut i = 0;
    while i < 4 * 256 {
        let (place, byte) = (i / 256, i % 256);
        if VALUE[byte] < SPACE {
            table[place][byte] = (VALUE[byte] as u32) << (18 - 6 * place);
        }
        i += 1;
    }
    table
};

/// The maximum number of bytes decoded in groups at a time. A line has at most
/// 76 (RFC 2045 section 6.8).
const GROUPS: usize = 128;

const SPACE: u8 = 64;
const PAD: u8 = 128;
const BAD: u8 = 255;

/// The value of each byte in the base64 alphabet (RFC 2045, Table 1), or one
/// of the marks above.
static VALUE: [u8; 256] = {
    let mut table = [BAD; 256];
    let mut i = 0;
    while i < 64 {
        table[BASE64[i] as usize] = i as u8;
        i += 1;
    }
    table[b'=' as usize] = PAD;
    table[b' ' as usize] = SPACE;
    table[b'\t' as usize] = SPACE;
    table[b'\r' as usize] = SPACE;
    table[b'\n' as usize] = SPACE;
    table
};

fn is_base64(b: u8) -> bool {
    VALUE[usize::from(b)] != BAD
}

/// Decodes the base64 `text` and appends the result. Bytes outside the alphabet
/// are ignored.
pub(in super::super) fn base64(text: &[u8], out: &mut Vec<u8>) {
    let mut quantum = Quantum::default();
    quantum.decode(text, out);
    quantum.pad(out);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decoding in groups has the same result as decoding byte by byte.
    #[test]
    fn groups_decode_like_single_bytes() {
        let alphabet: Vec<u8> = (0..=255)
            .filter(|&b| VALUE[usize::from(b)] < SPACE)
            .collect();
        let digits = alphabet.iter().cycle().step_by(7).copied();
        let digits: Vec<u8> = digits.take(2 * GROUPS + 80).collect();
        let decode = |line: &[u8], size: usize| {
            let (mut quantum, mut out) = (Quantum::default(), b"x".to_vec());
            for piece in line.chunks(size) {
                quantum.decode(piece, &mut out);
            }
            (out, quantum.digits, quantum.padded)
        };
        for len in 0..=digits.len() {
            for end in ["", "\n", "\r\n", "=\n", " a\n"] {
                let line = [&digits[..len], end.as_bytes()].concat();
                assert_eq!(decode(&line, usize::MAX), decode(&line, 1), "{len}");
            }
        }
        for (at, other) in (0..76).zip(b"= \t-_.\0\xFF".iter().cycle()) {
            let mut line = digits[..76].to_vec();
            line[at] = *other;
            assert_eq!(decode(&line, usize::MAX), decode(&line, 1), "{at}");
        }
    }
}
