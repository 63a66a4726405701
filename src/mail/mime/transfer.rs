//! Transfer encodings: quoted-printable and base64 (RFC 2045 section 6).

use memchr::memchr;

use crate::digits::{BASE64, hex, hex_byte};
use crate::span::SeamKind;

use super::charset::Charset;
use super::decoded::{DecodedBytes, Escape};
use super::mapped::{Held, MappedBytes, Origin, line_feeds};
use super::out::Cx;
use super::{Encoding, MailSink, MessageNoteKind};

/// The first decoding stage: decodes the transfer encoding.
#[derive(Debug, Default)]
pub(super) struct Transfer {
    encoding: Encoding,
    qp: QuotedPrintable,
    base64: Base64,
    pub(super) next: Charset,
}

impl Transfer {
    /// Starts a part in `encoding`. The caller must start the later stages.
    pub(super) fn start(&mut self, encoding: Encoding) {
        self.encoding = encoding;
        self.qp.held.clear();
        self.base64.start();
    }

    pub(super) fn put<S: MailSink>(&mut self, piece: MappedBytes<'_>, cx: &mut Cx<'_, S>) {
        match self.encoding {
            Encoding::Identity => self.next.put(piece, cx),
            Encoding::QuotedPrintable => self.qp.put(piece, &mut self.next, cx),
            Encoding::Base64 => self.base64.put(piece, &mut self.next, cx),
        }
    }

    /// Passes on the text decoded so far, unless it is base64. Line numbers of
    /// base64 are kept per decoded chunk, so a chunk must not be cut early.
    pub(super) fn flush<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        self.next.next.flush(cx);
    }

    pub(super) fn finish<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        match self.encoding {
            Encoding::Identity => {}
            Encoding::QuotedPrintable => self.qp.finish(&mut self.next, cx),
            Encoding::Base64 => self.base64.finish(&mut self.next, cx),
        }
        self.next.finish(cx);
    }
}

/// The maximum length of white space after the `=` of a soft break. Such white
/// space is padding that a transport added. A line has at most 76 characters
/// (RFC 2045 section 6.7, rule 5).
const MAX_PADDING: usize = 128;

/// > (2) … If the line break is to be encoded as such … "=" as the last
/// > character on the encoded line is used to indicate a non-significant
/// > ("soft") line break.  (RFC 2045 section 6.7)
#[derive(Debug, Default)]
struct QuotedPrintable {
    /// An undecided `=` and the bytes after it: `=`, `=H`, or `=` with white
    /// space, which may end in a CR.
    held: Held,
    /// Decoded bytes and the escapes among them, until they are passed on.
    text: Vec<u8>,
    escapes: Vec<Escape>,
}

/// The approximate number of bytes that are decoded before they are passed on.
const DECODED: usize = 16 * 1024;

impl QuotedPrintable {
    fn put<S: MailSink>(
        &mut self,
        mut rest: MappedBytes<'_>,
        next: &mut Charset,
        cx: &mut Cx<'_, S>,
    ) {
        if rest.bytes.is_empty() {
            // A removal keeps its position among the bytes.
            if self.held.is_empty() {
                next.put(rest, cx);
            } else {
                self.held.push(rest);
            }
            return;
        }
        while !rest.bytes.is_empty() {
            if self.held.is_empty() {
                self.whole_escapes(&mut rest, next, cx);
            }
            let Some(&b) = rest.bytes.first() else {
                return;
            };
            if self.held.is_empty() {
                match rest.bytes.get(1) {
                    Some(&after) if matches!(step(b"=", after), Step::Malformed) => {
                        let at = rest.source().map(|s| s.start);
                        cx.note(MessageNoteKind::BadQuotedPrintable, at);
                        next.put(rest.take(1), cx);
                    }
                    _ => self.held.push(rest.take(1)),
                }
                continue;
            }
            match step(self.held.bytes(), b) {
                Step::More => self.held.push(rest.take(1)),
                Step::Byte(b) => {
                    self.held.push(rest.take(1));
                    self.seam(SeamKind::QpByte, &[b], next, cx);
                }
                Step::Soft => {
                    self.held.push(rest.take(1));
                    self.seam(SeamKind::SoftBreak, b"", next, cx);
                }
                Step::Malformed => self.release(next, cx),
            }
        }
    }

    /// Passes on the bytes before the first `=` that does not begin a complete
    /// escape.
    fn whole_escapes<S: MailSink>(
        &mut self,
        rest: &mut MappedBytes<'_>,
        next: &mut Charset,
        cx: &mut Cx<'_, S>,
    ) {
        loop {
            let n = self.decode(rest.bytes);
            let piece = rest.take(n);
            match piece.origin {
                _ if n == 0 => return,
                Origin::Copy(source) if !self.escapes.is_empty() => {
                    let bytes = DecodedBytes::new(&self.text, source, &self.escapes);
                    next.put_bytes(bytes, cx);
                }
                // No escapes. The bytes of the first stage are always a copy.
                _ => next.put(piece, cx),
            }
        }
    }

    /// Decodes bytes up to the first `=` that does not begin a complete escape,
    /// but at most about [`DECODED`] bytes. Returns the number of bytes read.
    /// Bytes without a preceding escape are not copied.
    fn decode(&mut self, bytes: &[u8]) -> usize {
        self.text.clear();
        self.escapes.clear();
        let mut read = 0;
        loop {
            let rest = &bytes[read..];
            // One escape often follows another.
            let plain = match rest.first() {
                Some(b'=') => 0,
                _ => memchr(b'=', rest).unwrap_or(rest.len()),
            };
            let escape = whole_escape(&rest[plain..]);
            if escape.is_none() && self.escapes.is_empty() {
                return plain;
            }
            if self.text.len() + self.escapes.len() + plain > DECODED {
                return match self.escapes.is_empty() {
                    true => plain,
                    false => read,
                };
            }
            self.text.extend_from_slice(&rest[..plain]);
            read += plain;
            let Some((source_len, byte)) = escape else {
                return read;
            };
            self.escapes.push(Escape {
                at: self.text.len() as u32,
                source_len,
                len: u8::from(byte.is_some()),
                lines: match byte {
                    None => 1,
                    Some(b'\n') => -1,
                    Some(_) => 0,
                },
            });
            if let Some(byte) = byte {
                self.text.push(byte);
            }
            read += usize::from(source_len);
        }
    }

    fn seam<S: MailSink>(
        &mut self,
        kind: SeamKind,
        text: &[u8],
        next: &mut Charset,
        cx: &mut Cx<'_, S>,
    ) {
        let n = self.held.bytes().len();
        next.put(self.held.seam(n, kind, text), cx);
        self.held.clear();
    }

    /// Passes on the held bytes as text, because they are not an escape.
    ///
    /// > … it is reasonable for a robust implementation … to include the
    /// > "=" character and the following character in the decoded data
    /// > without any transformation.  (RFC 2045 section 6.7)
    fn release<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
        let at = self.held.iter().find_map(|p| p.source()).map(|s| s.start);
        cx.note(MessageNoteKind::BadQuotedPrintable, at);
        for p in self.held.iter() {
            next.put(p, cx);
        }
        self.held.clear();
    }

    fn finish<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
        // The line break before a boundary belongs to the boundary. So the last
        // soft break of a part has lost its line break.
        if self.held.bytes().first() == Some(&b'=')
            && self.held.bytes()[1..].iter().all(u8::is_ascii_whitespace)
        {
            self.seam(SeamKind::SoftBreak, b"", next, cx);
        } else if !self.held.is_empty() {
            self.release(next, cx);
        }
    }
}

enum Step {
    More,
    Byte(u8),
    Soft,
    Malformed,
}

/// The effect of `b` after the held bytes `=…`. Digits in lower case are read,
/// too:
///
/// > … robust implementations might choose to recognize them as the
/// > corresponding uppercase letters.  (RFC 2045 section 6.7)
fn step(held: &[u8], b: u8) -> Step {
    match (held.len(), b) {
        (1, _) if hex(b).is_some() => Step::More,
        (2, _) if hex(held[1]).is_some() => {
            hex_byte(held[1], b).map_or(Step::Malformed, Step::Byte)
        }
        (_, b'\n') => Step::Soft,
        (n, b' ' | b'\t' | b'\r') if n < MAX_PADDING && held.last() != Some(&b'\r') => Step::More,
        _ => Step::Malformed,
    }
}

/// The escape at the start of `bytes`, if it is complete and has no padding.
/// Returns its length and the decoded byte, which is `None` for a soft break.
fn whole_escape(bytes: &[u8]) -> Option<(u8, Option<u8>)> {
    match *bytes {
        [_, b'\n', ..] => Some((2, None)),
        [_, b'\r', b'\n', ..] => Some((3, None)),
        [_, h, l, ..] => Some((3, Some(hex_byte(h, l)?))),
        _ => None,
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
/// Only white space is ignored here. In real mail, a line with other bytes is
/// text that a list or a virus scanner appended to the base64. If only the
/// other bytes were ignored, the rest of the line would decode to noise.
#[derive(Debug, Default)]
struct Base64 {
    state: State,
    /// The line so far, while it is shorter than [`JUDGED`].
    line: Held,
    quantum: Quantum,
    out: Vec<u8>,
    /// The number of source line feeds since the last chunk was passed on.
    lines: i64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
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
        self.state = State::Data;
        self.line.clear();
        self.quantum = Quantum::default();
        self.out.clear();
        self.lines = 0;
    }

    fn put<S: MailSink>(
        &mut self,
        mut rest: MappedBytes<'_>,
        next: &mut Charset,
        cx: &mut Cx<'_, S>,
    ) {
        if rest.bytes.is_empty() {
            match self.state {
                State::Text => next.put(rest, cx),
                _ => self.line.push(rest),
            }
            return;
        }
        while !rest.bytes.is_empty() {
            match self.state {
                State::Text => {
                    next.put(rest, cx);
                    return;
                }
                State::LongLine => {
                    let end = memchr(b'\n', rest.bytes).map_or(rest.bytes.len(), |i| i + 1);
                    let bad = rest.bytes[..end]
                        .iter()
                        .position(|&b| VALUE[usize::from(b)] == BAD);
                    let line = rest.take(bad.unwrap_or(end));
                    self.decode(line, next, cx);
                    if bad.is_some() {
                        self.text(rest.source().map(|s| s.start), next, cx);
                    } else if line.bytes.ends_with(b"\n") {
                        self.state = self.after_line();
                    }
                }
                State::Data | State::Ended | State::EndedBlank => {
                    let end = memchr(b'\n', rest.bytes).map(|i| i + 1);
                    if let Some(end) = end
                        && end <= JUDGED
                        && self.line.is_empty()
                    {
                        // Fast path: a line that is complete in the slice.
                        let line = rest.take(end);
                        if self.state == State::Data
                            && self.quantum.digits == 0
                            && whole_groups(line.bytes, &mut self.out)
                        {
                            self.quantum.padded = false;
                            self.lines += match line.origin {
                                Origin::Copy(_) => 1,
                                _ => line.source_lines(),
                            };
                            if self.out.len() >= CHUNK {
                                self.hand(next, cx);
                            }
                        } else if self.is_data(line.bytes) {
                            self.decode(line, next, cx);
                            self.state = self.after_judged(line.bytes);
                        } else {
                            self.text(line.source().map(|s| s.start), next, cx);
                            next.put(line, cx);
                        }
                        continue;
                    }
                    // Take at least one byte. A full line is checked below.
                    let room = JUDGED - self.line.bytes().len().min(JUDGED - 1);
                    let n = end.unwrap_or(rest.bytes.len()).min(room);
                    self.line.push(rest.take(n));
                    if self.line.bytes().ends_with(b"\n") || self.line.bytes().len() >= JUDGED {
                        self.judge(next, cx);
                    }
                }
            }
        }
    }

    /// True if the line can be decoded.
    fn is_data(&self, line: &[u8]) -> bool {
        if !line.iter().all(|&b| VALUE[usize::from(b)] != BAD) {
            return false;
        }
        match self.state {
            // After the final `=`, text may follow that has only bytes of the
            // alphabet. So a line counts as data only if it is blank, or if its
            // length is a multiple of 4 and no blank line came before it.
            State::Ended | State::EndedBlank => {
                let line = line.trim_ascii();
                line.is_empty() || (self.state == State::Ended && line.len().is_multiple_of(4))
            }
            _ => true,
        }
    }

    fn after_judged(&self, line: &[u8]) -> State {
        match self.state {
            State::Ended | State::EndedBlank if line.trim_ascii().is_empty() => State::EndedBlank,
            _ => self.after_line(),
        }
    }

    fn after_line(&self) -> State {
        if self.quantum.padded {
            State::Ended
        } else {
            State::Data
        }
    }

    /// Decides about the held line.
    fn judge<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
        let line = std::mem::take(&mut self.line);
        let bytes = line.bytes();
        if self.is_data(bytes) {
            for p in line.iter() {
                self.decode(p, next, cx);
            }
            self.state = if bytes.ends_with(b"\n") {
                self.after_judged(bytes)
            } else {
                State::LongLine
            };
        } else {
            let at = line.iter().find_map(|p| p.source()).map(|s| s.start);
            self.text(at, next, cx);
            for p in line.iter() {
                next.put(p, cx);
            }
        }
        self.line = line;
        self.line.clear();
    }

    /// Treats the rest of the part as text.
    fn text<S: MailSink>(&mut self, at: Option<u64>, next: &mut Charset, cx: &mut Cx<'_, S>) {
        self.close(next, cx);
        self.state = State::Text;
        cx.note(MessageNoteKind::TextInBase64, at);
    }

    fn decode<S: MailSink>(
        &mut self,
        piece: MappedBytes<'_>,
        next: &mut Charset,
        cx: &mut Cx<'_, S>,
    ) {
        self.lines += piece.source_lines();
        let mut bytes = piece.bytes;
        while !bytes.is_empty() {
            let n = bytes.len().min(CHUNK);
            self.quantum.decode(&bytes[..n], &mut self.out);
            bytes = &bytes[n..];
            if self.out.len() >= CHUNK {
                self.hand(next, cx);
            }
        }
    }

    fn hand<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
        let lines = self.lines - line_feeds(&self.out);
        next.put(MappedBytes::opaque(&self.out, lines), cx);
        self.out.clear();
        self.lines = 0;
    }

    /// Ends the decoding. An incomplete quantum is decoded as if its `=` were
    /// present.
    fn close<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
        if self.quantum.digits == 1 {
            cx.note(MessageNoteKind::BadBase64, None);
        }
        self.quantum.pad(&mut self.out);
        self.hand(next, cx);
    }

    fn finish<S: MailSink>(&mut self, next: &mut Charset, cx: &mut Cx<'_, S>) {
        if !self.line.is_empty() {
            self.judge(next, cx);
        }
        if self.state != State::Text {
            self.close(next, cx);
        }
    }
}

impl Quantum {
    /// Decodes `bytes` and appends the result. Bytes outside the alphabet are
    /// ignored.
    fn decode(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while let Some((&b, rest)) = bytes.split_first() {
            if self.digits == 0 {
                // Fast path for complete groups, up to the first group with a
                // byte that is not a digit.
                let mut done = 0;
                let start = out.len();
                // `out` grows before the groups are decoded. The first group
                // may already be invalid, so the number of groups is limited.
                let most = bytes.len().min(GROUPS);
                out.resize(start + most / 4 * 3, 0);
                let to = out[start..].as_chunks_mut().0;
                for (from, to) in bytes.as_chunks().0.iter().zip(to) {
                    let bits = group(from);
                    if bits >= NO_GROUP {
                        break;
                    }
                    *to = octets(bits);
                    done += 4;
                }
                out.truncate(start + done / 4 * 3);
                if done > 0 {
                    self.padded = false;
                    bytes = &bytes[done..];
                    continue;
                }
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

/// Decodes `line` and appends the result, if it consists of groups of four
/// digits and a line end. Otherwise appends nothing and returns false.
fn whole_groups(line: &[u8], out: &mut Vec<u8>) -> bool {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (groups, rest) = line.as_chunks();
    if groups.is_empty() || !rest.is_empty() {
        return false;
    }
    let start = out.len();
    out.resize(start + groups.len() * 3, 0);
    let mut all = 0;
    for (from, to) in groups.iter().zip(out[start..].as_chunks_mut().0) {
        let bits = group(from);
        all |= bits;
        *to = octets(bits);
    }
    if all >= NO_GROUP {
        out.truncate(start);
    }
    all < NO_GROUP
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

    /// For each line, decoding in groups either fails or has the same result as
    /// decoding byte by byte.
    #[test]
    fn whole_groups_decode_like_single_bytes() {
        let alphabet: Vec<u8> = (0..=255)
            .filter(|&b| VALUE[usize::from(b)] < SPACE)
            .collect();
        let digits: Vec<u8> = alphabet
            .iter()
            .cycle()
            .step_by(7)
            .take(80)
            .copied()
            .collect();
        for len in 0..=digits.len() {
            for end in ["", "\n", "\r\n"] {
                let line = [&digits[..len], end.as_bytes()].concat();
                let mut fast = b"x".to_vec();
                let is_whole = whole_groups(&line, &mut fast);
                assert_eq!(is_whole, len > 0 && len % 4 == 0, "{len}");
                let mut slow = b"x".to_vec();
                let mut quantum = Quantum::default();
                for byte in line.chunks(1).filter(|_| is_whole) {
                    quantum.decode(byte, &mut slow);
                }
                assert_eq!(fast, slow, "{len}");
            }
        }
        for (at, other) in (0..76).zip(b"= \t-_.\0\xFF".iter().cycle()) {
            let mut line = digits[..76].to_vec();
            line[at] = *other;
            let mut out = Vec::new();
            assert!(!whole_groups(&line, &mut out) && out.is_empty(), "{at}");
        }
    }
}
