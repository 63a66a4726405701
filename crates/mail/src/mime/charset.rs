//! Decodes charsets. Text in UTF-8, in ASCII or in an unknown charset is
//! copied. UTF-7 has a decoder here. `encoding_rs` converts every other charset
//! to UTF-8.
//!
//! URLs are ASCII. If a charset encodes ASCII as itself, runs of ASCII keep
//! their place in the source. Only converted bytes are opaque.

use encoding_rs::{DecoderResult, Encoding, ISO_2022_JP, REPLACEMENT, UTF_8, UTF_16BE, UTF_16LE};
use memchr::memchr;

use super::content::Content;
use super::content::TextFormat;
use super::format::Format;
use super::mapped::{MappedBytes, Origin, line_feeds};
use super::note::MessageNoteKind;
use super::out::Cx;
use super::part::PartInfo;
use super::sink::MailSink;
use super::text::{Text, TextBuffer};
use super::unknown::Unknown;
use urlgrep_base::digits::sextet;
use urlgrep_base::magic;
use urlgrep_containers::is_table;

/// The second decoding stage: decodes the charset of a part.
#[derive(Debug, Default)]
pub(super) struct Charset {
    mode: Mode,
    /// The mode of a part that has no byte order mark, while `mode` is [`Mode::Marked`].
    declared: Mode,
    unknown: Unknown,
    out: Decoded,
    pub(super) next: Format,
}

#[derive(Default)]
enum Mode {
    /// Bytes are copied.
    #[default]
    Copy,
    /// A charset in which an ASCII byte is itself, unless it follows a lead
    /// byte.
    Superset(Superset),
    /// ASCII until an escape sequence.
    Iso2022Jp(Option<Escaped>),
    /// UTF-16, in which no single byte is an ASCII character.
    Whole(Decoder),
    Utf7(Utf7),
    /// As `Copy`, but the first two bytes may be the byte order mark of UTF-16. `unknown` has
    /// the first of them until the second is there.
    Marked,
    /// Bytes are collected until they show what the part is.
    Unknown,
    /// Bytes go to the sink as they are.
    File,
    /// Bytes are dropped.
    Drop,
}

impl std::fmt::Debug for Mode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Mode::Copy => "Copy",
            Mode::Superset(_) => "Superset",
            Mode::Iso2022Jp(_) => "Iso2022Jp",
            Mode::Whole(_) => "Whole",
            Mode::Utf7(_) => "Utf7",
            Mode::Marked => "Marked",
            Mode::Unknown => "Unknown",
            Mode::File => "File",
            Mode::Drop => "Drop",
        })
    }
}

type Decoder = encoding_rs::Decoder;

struct Superset {
    decoder: Decoder,
    /// The maximum number of ASCII bytes that may belong to a preceding byte
    /// over 127.
    reach: u8,
    /// The number of these bytes that may still follow.
    tail: u8,
}

struct Escaped {
    decoder: Decoder,
    /// The last two bytes.
    before: [u8; 2],
}

/// The meaning of a charset label.
enum Named {
    Bytes,
    Unknown,
    Utf7,
    Encoding(&'static Encoding),
}

fn named(label: &[u8]) -> Named {
    let label = label.trim_ascii();
    let is = |names: &[&str]| {
        names
            .iter()
            .any(|n| label.eq_ignore_ascii_case(n.as_bytes()))
    };
    // encoding_rs decodes ASCII as windows-1252, as browsers do. But text that
    // is declared as ASCII and has other bytes is in an unknown charset.
    if label.is_empty() || is(&["us-ascii", "ascii", "utf-8", "utf8", "unknown-8bit"]) {
        return Named::Bytes;
    }
    if is(&[
        "utf-7",
        "unicode-1-1-utf-7",
        "x-unicode-2-0-utf-7",
        "csutf7",
    ]) {
        return Named::Utf7;
    }
    match Encoding::for_label(label) {
        Some(e) if e == UTF_8 => Named::Bytes,
        // Browsers reject ISO-2022-KR, HZ and some other charsets. ASCII in
        // them is copied.
        Some(e) if e == REPLACEMENT => Named::Unknown,
        Some(e) => Named::Encoding(e),
        None => Named::Unknown,
    }
}

impl Charset {
    /// Starts a part in the charset `label`. Returns false if the label is
    /// unknown. Bytes are then copied.
    pub(super) fn start(&mut self, label: &[u8]) -> bool {
        self.mode = match named(label) {
            Named::Bytes => Mode::Copy,
            Named::Unknown => {
                self.mode = Mode::Copy;
                return false;
            }
            Named::Utf7 => Mode::Utf7(Utf7::default()),
            Named::Encoding(e) if e == ISO_2022_JP => Mode::Iso2022Jp(None),
            Named::Encoding(e) if e == UTF_16LE || e == UTF_16BE => Mode::Whole(e.new_decoder()),
            Named::Encoding(e) => Mode::Superset(Superset {
                decoder: e.new_decoder_without_bom_handling(),
                // > If byte is in the range 0x30 to 0x39, inclusive, then set
                // > gb18030 second to byte … (Encoding Standard 10.2.1)
                // `reach` covers such a digit and the byte that makes it
                // malformed.
                reach: if e.is_single_byte() { 0 } else { 2 },
                tail: 0,
            }),
        };
        true
    }

    /// Takes the part that has been started for UTF-16 if it begins with a byte order mark, whatever
    /// charset its header names. Exports of Notepad and Excel are attached so. For encoded parts,
    /// because others cannot hold the bytes of UTF-16.
    ///
    /// > The byte order mark … is considered more authoritative than anything else.
    /// > (Encoding Standard 6, "decode")
    pub(super) fn look_for_mark(&mut self) {
        if matches!(self.mode, Mode::Copy | Mode::Superset(_)) {
            let declared = std::mem::replace(&mut self.mode, Mode::Marked);
            self.declared = declared;
            self.unknown.head.clear();
        }
    }

    /// Passes on `text` when the first two bytes of the part are there, or its end.
    fn read_mark<S: MailSink>(&mut self, mut text: Text<'_>, end: bool, cx: &mut Cx<'_, S>) {
        const MARK: usize = 2;
        let mut head = std::mem::take(&mut self.unknown.head);
        let len = head.text().bytes().len();
        let more = text.bytes().len().min(MARK - len);
        head.copy_all(text.take(more));
        if len + more == MARK || end {
            self.mode = std::mem::take(&mut self.declared);
            if magic::is_utf16(head.text().bytes()) {
                self.start(UTF_16LE.name().as_bytes());
            }
            self.put(head.text(), cx);
            self.put(text, cx);
            head.clear();
        }
        self.unknown.head = head;
    }

    /// Starts a part whose content is not known. Its start is reported to the sink when
    /// its content is.
    pub(super) fn start_unknown(&mut self, at: u64, line: u64, note: Option<MessageNoteKind>) {
        self.mode = Mode::Unknown;
        self.unknown.start(at, line, note);
        self.next.start(TextFormat::Plain, line);
    }

    /// True if the rest of the part is not needed.
    pub(super) fn is_dropped(&self) -> bool {
        matches!(self.mode, Mode::Drop)
    }

    /// Passes on `text` when the content of the part is known.
    fn recognise<S: MailSink>(&mut self, mut text: Text<'_>, end: bool, cx: &mut Cx<'_, S>) {
        let mut unknown = std::mem::take(&mut self.unknown);
        if let Some(content) = unknown.feed(&mut text, end, cx.sink) {
            let (at, line) = (unknown.at, unknown.line);
            if let Some(note) = unknown.note(content) {
                cx.note(note, Some(at));
            }
            let known = match content {
                Content::Utf16 => self.start(UTF_16LE.name().as_bytes()),
                _ => self.start(&cx.part.charset),
            };
            match content {
                Content::Data => self.mode = Mode::Drop,
                Content::File => self.mode = Mode::File,
                _ if known => {}
                _ => cx.note(MessageNoteKind::UnknownCharset, Some(at)),
            }
            let format = match content.format() {
                TextFormat::Plain if is_table(&cx.part.file_name) => TextFormat::Csv,
                format => format,
            };
            self.next.start(format, line);
            cx.sink.part_start(&PartInfo {
                column: Some(1),
                ..cx.part.info(content.kind(), Some(at), line)
            });
            self.put(unknown.head.text(), cx);
            self.put(text, cx);
        }
        self.unknown = unknown;
    }

    #[inline]
    pub(super) fn put<S: MailSink>(&mut self, text: Text<'_>, cx: &mut Cx<'_, S>) {
        let is_unchanged = match &self.mode {
            Mode::Copy => true,
            Mode::Superset(s) => s.tail == 0 && text.bytes().is_ascii(),
            // A text without bytes matters too: it may have a removal.
            _ => false,
        };
        if is_unchanged {
            self.next.put(text, cx);
        } else {
            self.decode(text, cx);
        }
    }

    fn decode<S: MailSink>(&mut self, mut text: Text<'_>, cx: &mut Cx<'_, S>) {
        match self.mode {
            Mode::Unknown => return self.recognise(text, false, cx),
            Mode::Marked => return self.read_mark(text, false, cx),
            Mode::File => return cx.sink.file(text.bytes()),
            Mode::Drop => return,
            _ => {}
        }
        let Charset {
            mode, out, next, ..
        } = self;
        while !text.is_empty() {
            let mut part = text.take(text.bytes().len().min(DECODED));
            match mode {
                Mode::Copy | Mode::Marked | Mode::Unknown | Mode::File | Mode::Drop => {}
                Mode::Superset(s) => s.put(&mut part, out),
                Mode::Iso2022Jp(escaped) => iso_2022_jp(escaped, &mut part, out),
                Mode::Whole(decoder) => out.decode_lines(decoder, &mut part),
                Mode::Utf7(utf7) => utf7.put(&mut part, out),
            }
            out.text.copy_all(part);
            next.put(out.text.text(), cx);
            out.text.clear();
        }
    }

    pub(super) fn finish<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        match self.mode {
            Mode::Unknown => self.recognise(Text::copy(b"", 0), true, cx),
            Mode::Marked => self.read_mark(Text::copy(b"", 0), true, cx),
            _ => {}
        }
        let Charset {
            mode, out, next, ..
        } = self;
        match mode {
            Mode::Superset(Superset { decoder, .. })
            | Mode::Whole(decoder)
            | Mode::Iso2022Jp(Some(Escaped { decoder, .. })) => {
                decode(decoder, b"", true, &mut out.scratch);
            }
            Mode::Utf7(utf7) => {
                if utf7.close(&mut out.scratch) {
                    cx.note(MessageNoteKind::BadCharset, None);
                }
            }
            Mode::Copy
            | Mode::Iso2022Jp(None)
            | Mode::Marked
            | Mode::Unknown
            | Mode::File
            | Mode::Drop => {}
        }
        if !out.scratch.is_empty() {
            out.put_lines();
            next.put(out.text.text(), cx);
            out.text.clear();
        }
        out.lines = 0;
        // A decoder must not be used after its end.
        self.mode = Mode::Copy;
        self.next.finish(cx);
    }
}

/// The maximum number of bytes that are decoded before they are passed on.
const DECODED: usize = 16 * 1024;

/// Decoded text for the next stage.
#[derive(Debug, Default)]
struct Decoded {
    text: TextBuffer,
    /// Characters that are not in `text` yet.
    scratch: Vec<u8>,
    /// The number of source line feeds before the next character of a charset that is decoded as a
    /// whole.
    lines: i64,
}

impl Decoded {
    /// Decodes at most `n` bytes of `text`.
    fn decode(&mut self, decoder: &mut Decoder, text: &mut Text<'_>, n: usize, last: bool) {
        let n = n.min(text.bytes().len());
        decode(decoder, &text.bytes()[..n], last, &mut self.scratch);
        self.put(text, n);
    }

    /// Decodes `text`, in which no byte is a character. Each line feed of the source is counted at
    /// its place, and not at the start of what is decoded together, which depends on the chunks.
    fn decode_lines(&mut self, decoder: &mut Decoder, text: &mut Text<'_>) {
        while let Some(piece) = text.next_piece(usize::MAX) {
            if let Origin::Seam(_, _, lines) | Origin::Opaque(lines) = piece.origin {
                self.lines += lines;
            }
            let mut rest = piece.bytes;
            while !rest.is_empty() {
                let line = memchr(b'\n', rest).map_or(rest.len(), |at| at.max(1));
                let (bytes, after) = rest.split_at(line);
                rest = after;
                self.lines += line_feeds(bytes);
                decode(decoder, bytes, false, &mut self.scratch);
                self.put_lines();
            }
        }
    }

    /// Appends the characters, without a place in the source.
    fn put_lines(&mut self) {
        for piece in self.scratch.split_inclusive(|&b| b == b'\n') {
            let (line, end) = match piece {
                [line @ .., b'\n'] => (line, &b"\n"[..]),
                line => (line, &b""[..]),
            };
            if !line.is_empty() {
                self.text.put(&MappedBytes::opaque(line, self.lines));
                self.lines = 0;
            }
            if !end.is_empty() {
                self.text.put(&MappedBytes::opaque(end, self.lines - 1));
                self.lines = 0;
            }
        }
        self.scratch.clear();
    }

    /// Appends the characters in place of the next `n` bytes of `text`.
    fn put(&mut self, text: &mut Text<'_>, n: usize) {
        let lines = line_feeds(&text.bytes()[..n]) + text.pass(n).1 - line_feeds(&self.scratch);
        self.text.put(&MappedBytes::opaque(&self.scratch, lines));
        self.scratch.clear();
    }
}

/// Decodes `bytes` and appends the result. Malformed bytes become U+FFFD.
fn decode(decoder: &mut Decoder, mut bytes: &[u8], last: bool, out: &mut Vec<u8>) {
    loop {
        let mut chunk = [0; 256];
        let (result, read, written) =
            decoder.decode_to_utf8_without_replacement(bytes, &mut chunk, last);
        out.extend_from_slice(&chunk[..written]);
        bytes = &bytes[read..];
        match result {
            DecoderResult::InputEmpty => return,
            DecoderResult::OutputFull => {}
            DecoderResult::Malformed(..) => out.extend_from_slice("\u{FFFD}".as_bytes()),
        }
    }
}

/// Converts `bytes` from the charset `label` to UTF-8, and appends them. If the
/// label is unknown, they are copied.
pub(super) fn transcode(label: &[u8], bytes: &[u8], out: &mut Vec<u8>) {
    match named(label) {
        Named::Bytes | Named::Unknown => out.extend_from_slice(bytes),
        Named::Utf7 => {
            let mut utf7 = Utf7::default();
            for &b in bytes {
                utf7.step(b, out);
            }
            utf7.close(out);
        }
        Named::Encoding(e) => decode(&mut e.new_decoder(), bytes, true, out),
    }
}

impl Superset {
    fn put(&mut self, text: &mut Text<'_>, out: &mut Decoded) {
        while let Some(&b) = text.bytes().first() {
            if !b.is_ascii() {
                let run = text.bytes().iter().position(u8::is_ascii);
                out.decode(&mut self.decoder, text, run.unwrap_or(usize::MAX), false);
                self.tail = self.reach;
            } else if self.tail > 0 {
                self.tail -= 1;
                decode(&mut self.decoder, &[b], false, &mut out.scratch);
                // If the byte was ASCII, it is the last byte of the output. A
                // U+FFFD for malformed bytes may precede it. Otherwise the byte
                // was part of a longer character.
                if out.scratch.last() == Some(&b) {
                    out.scratch.pop();
                    out.put(text, 0);
                    out.text.copy(text, 1);
                } else {
                    out.put(text, 1);
                }
            } else {
                let run = Encoding::ascii_valid_up_to(text.bytes());
                out.text.copy(text, run);
            }
        }
    }
}

/// > The text must end in ASCII … If there are JIS X 0208 characters on a
/// > line, there must be a switch to ASCII or to the "Roman" … before the
/// > end of the line.  (RFC 1468)
///
/// So a line break ends an escape that is still open. "Roman" differs from
/// ASCII in two characters. One of them is the tilde, which URLs use. So text
/// after a switch to "Roman" is read as ASCII.
fn iso_2022_jp(escaped: &mut Option<Escaped>, text: &mut Text<'_>, out: &mut Decoded) {
    const ESC: u8 = 0x1B;
    while !text.bytes().is_empty() {
        let Some(e) = escaped else {
            let n = memchr(ESC, text.bytes()).unwrap_or(text.bytes().len());
            out.text.copy(text, n);
            if !text.bytes().is_empty() {
                *escaped = Some(Escaped {
                    decoder: ISO_2022_JP.new_decoder_without_bom_handling(),
                    before: [0; 2],
                });
            }
            continue;
        };
        let mut n = 0;
        let mut ends = false;
        for &b in text.bytes() {
            if b == b'\n' || b == b'\r' {
                ends = true;
                break;
            }
            n += 1;
            ends = e.before == [ESC, b'('] && (b == b'B' || b == b'J');
            e.before = [e.before[1], b];
            if ends {
                break;
            }
        }
        out.decode(&mut e.decoder, text, n, ends);
        if ends {
            *escaped = None;
        }
    }
}

/// UTF-7 (RFC 2152): direct characters, and `+…-` with UTF-16 in base64.
#[derive(Clone, Copy, Default)]
struct Utf7 {
    shifted: bool,
    /// No base64 digit has followed the `+` yet.
    fresh: bool,
    bits: u32,
    count: u8,
    /// A high surrogate whose low surrogate is missing so far.
    high: u16,
}

impl Utf7 {
    fn put(&mut self, text: &mut Text<'_>, out: &mut Decoded) {
        while let Some(&b) = text.bytes().first() {
            if !self.shifted && b != b'+' {
                let n = memchr(b'+', text.bytes()).unwrap_or(text.bytes().len());
                out.text.copy(text, n);
            } else if self.shifted && sextet(b).is_none() && b != b'-' {
                // A line end ends a shifted run and is itself text. So does any
                // other byte outside base64, except `-`, which is dropped.
                self.close(&mut out.scratch);
                out.put(text, 0);
            } else {
                self.step(b, &mut out.scratch);
                out.put(text, 1);
            }
        }
    }

    /// Reads one byte.
    fn step(&mut self, b: u8, out: &mut Vec<u8>) {
        if !self.shifted {
            if b == b'+' {
                *self = Utf7 {
                    shifted: true,
                    fresh: true,
                    ..Utf7::default()
                };
            } else {
                out.push(b);
            }
            return;
        }
        if let Some(v) = sextet(b) {
            self.fresh = false;
            self.bits = self.bits << 6 | u32::from(v);
            self.count += 6;
            if self.count >= 16 {
                self.count -= 16;
                let unit = (self.bits >> self.count) as u16;
                self.bits &= (1 << self.count) - 1;
                self.unit(unit, out);
            }
            return;
        }
        self.close(out);
        if b != b'-' {
            out.push(b);
        }
    }

    fn unit(&mut self, unit: u16, out: &mut Vec<u8>) {
        for c in char::decode_utf16([self.high, unit].into_iter().filter(|&u| u != 0)) {
            match c {
                Ok(c) => {
                    self.high = 0;
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Err(e) if e.unpaired_surrogate() == unit && (0xD800..0xDC00).contains(&unit) => {
                    self.high = unit;
                }
                Err(_) => {
                    self.high = 0;
                    out.extend_from_slice("\u{FFFD}".as_bytes());
                }
            }
        }
    }

    /// Ends a shifted run. Returns true if its last high surrogate has no low
    /// surrogate.
    fn close(&mut self, out: &mut Vec<u8>) -> bool {
        // > … the sequence "+-" may be used to encode the character "+".
        // > (RFC 2152, rule 2)
        if self.fresh {
            out.push(b'+');
        }
        let broken = self.high != 0;
        if broken {
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
        *self = Utf7::default();
        broken
    }
}
