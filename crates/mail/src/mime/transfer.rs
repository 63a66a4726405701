//! Transfer encodings: quoted-printable and base64 (RFC 2045 section 6).
//!
//! # How to think about it
//!
//! [`Transfer`] is the first of four stages: transfer encoding, [`Charset`], format, and
//! the output with its map. Each owns the next one and pushes text into it. A decoder with
//! nothing to change passes the text on without a copy, as with nearly all old mail and news.
//! Only the output copies short pieces (under 256 bytes), to join them into chunks.
//!
//! A decoder reads the complete tokens of a text. It leaves an incomplete one at the end,
//! such as an `=` without its two digits, and [`Carry`] gives it to the decoder again, in
//! front of the next bytes. At the end of the part, `finish` sends an empty text with `end`
//! set. The decoder then sees the rest alone, and must read all of it.
//!
//! The token of base64 is a line, because we look at a whole line before we call it base64.
//! At most [`JUDGED`] bytes wait for that. The rest of a longer line is decoded as it comes
//! in, up to the first byte that is no digit, no `=` and no white space.
//!
//! The two encodings differ in what we know about the place of a decoded byte. With
//! quoted-printable, it is exact. Most bytes are copies of the source. Where source and
//! result differ there is a seam: a span of the source, and the bytes that it became, one for
//! `=XX` and none for a soft line break. A byte of base64 has no place of its own. We know
//! only how many line feeds of the source a whole chunk used up. The line numbers of hits
//! therefore show where chunks end, so this must not depend on how the input was cut. A chunk
//! ends at the first line end after [`CHUNK`] decoded bytes, or, in a line longer than
//! `JUDGED`, after as many digits as make these bytes.
//!
//! The trap is text that is not what the header says. A `=` that encodes nothing is text. A
//! line that is not base64 ends the base64, for good, because lists append footers: that
//! line and the rest are passed on as text, below what was decoded, with a note. After the
//! final `=` a footer may look like base64, so a line there must be a multiple of 4 long, and
//! below a blank line it must look like nothing else. A line of digits with a stray byte is
//! still base64, see `is_damaged`.

use memchr::{memchr, memmem};

use super::carry::Carry;
use super::charset::Charset;
use super::mapped::{MappedBytes, line_feeds};
use super::out::Cx;
use super::text::{Entry, Text, TextBuffer};
use super::{Encoding, MailSink, MessageNoteKind};
use urlgrep_base::digits::{BASE64, hex, hex_byte};
use urlgrep_base::span::SeamKind;

/// The first decoding stage: decodes the transfer encoding.
#[derive(Debug, Default)]
pub(super) struct Transfer {
    encoding: Encoding,
    /// An escape or a line of base64 that is not complete.
    carry: Carry,
    qp: QuotedPrintable,
    base64: Base64,
    pub(super) next: Charset,
}

impl Transfer {
    /// Sets whether the places of text are kept, and whether the roles that HTML names are
    /// found.
    pub(super) fn find(&mut self, places: bool, roles: bool) {
        self.qp.out.is_mapped = places;
        self.next.next.out.map.turn_off(!places);
        self.next.next.html.reads_marks = roles;
    }

    /// Starts a part in `encoding`. The caller must start the later stages.
    pub(super) fn start(&mut self, encoding: Encoding) {
        self.encoding = encoding;
        self.carry.clear();
        self.qp.before.clear();
        self.base64.start();
    }

    pub(super) fn put<S: MailSink>(&mut self, text: Text<'_>, cx: &mut Cx<'_, S>) {
        match self.encoding {
            Encoding::Identity => self.next.put(text, cx),
            _ => self.decode(text, false, cx),
        }
    }

    fn decode<S: MailSink>(&mut self, text: Text<'_>, end: bool, cx: &mut Cx<'_, S>) {
        let next = &mut self.next;
        self.carry.feed(text, end, |text, end| match self.encoding {
            Encoding::Identity => {}
            Encoding::QuotedPrintable => self.qp.decode(text, end, next, cx),
            Encoding::Base64 => self.base64.decode(text, end, next, cx),
        });
    }

    /// Passes on the text decoded so far, unless it is base64. Line numbers of
    /// base64 are kept per decoded chunk, so a chunk must not be cut early.
    pub(super) fn flush<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        self.next.next.flush(cx);
    }

    pub(super) fn finish<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        if self.encoding != Encoding::Identity {
            self.decode(Text::copy(b"", 0), true, cx);
        }
        if self.encoding == Encoding::Base64 {
            self.base64.finish(&mut self.next, cx);
        }
        self.next.finish(cx);
    }
}

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
struct QuotedPrintable {
    /// Decoded text, until it is passed on.
    out: TextBuffer,
    /// The last bytes of the source before the text that is decoded, at least [`WORD_MAX`] if
    /// there are as many.
    before: Vec<u8>,
}

/// The number of bytes before an `=` in which the URL is searched for whose parameter it ends.
const WORD_MAX: usize = 256;
/// The maximum length of the name of that parameter.
const NAME_MAX: usize = 32;

impl QuotedPrintable {
    fn decode<S: MailSink>(
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
            self.out.escape(text, before, n, (kind, byte, lines));
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
struct Base64 {
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
    fn start(&mut self) {
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
    fn decode<S: MailSink>(
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

    fn finish<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
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
pub(super) fn base64(text: &[u8], out: &mut Vec<u8>) {
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
