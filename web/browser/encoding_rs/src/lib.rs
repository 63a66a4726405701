//! The charsets of the browser, for the module of the page.
//!
//! The tables of the crate `encoding_rs` are a seventh of the module. A browser has the same
//! tables, because both follow the Encoding Standard of the WHATWG: its `TextDecoder` decodes
//! here. `../Cargo.toml` puts this package in the place of the other one, so it has the name and the
//! interface of that one, as far as urlgrep uses them. The tests of the page compare it with the
//! command, in a browser.
//!
//! The browser cannot give a text to the module. It says how long the text is, and writes it when
//! there is room ([`charset_take`]).

use std::fmt;

#[expect(unsafe_code, reason = "the functions of the host are declared")]
#[link(wasm_import_module = "host")]
unsafe extern "C" {
    /// The length of the name of the charset that `label` means. 0 if there is none.
    safe fn charset_name(label: *const u8, len: usize) -> usize;
    /// A new decoder for a charset.
    safe fn charset_open(name: *const u8, len: usize) -> u32;
    /// Decodes bytes, and returns the length of their text in UTF-8. Malformed bytes become U+FFFD.
    safe fn charset_decode(decoder: u32, bytes: *const u8, len: usize, last: u32) -> usize;
    /// Ends a decoder.
    safe fn charset_close(decoder: u32);
    /// Writes the text whose length was returned last.
    safe fn charset_take(to: *mut u8);
}

/// The text with this length.
fn take(len: usize) -> Vec<u8> {
    let mut text = vec![0; len];
    charset_take(text.as_mut_ptr());
    text
}

/// A charset.
#[derive(Debug, PartialEq, Eq)]
pub struct Encoding(&'static str);

/// The charsets of the standard. [`REPLACEMENT`] is none of them, because a browser does not decode it.
static ENCODINGS: [Encoding; 39] = [
    Encoding("utf-8"),
    Encoding("utf-16le"),
    Encoding("utf-16be"),
    Encoding("iso-2022-jp"),
    Encoding("big5"),
    Encoding("euc-jp"),
    Encoding("euc-kr"),
    Encoding("gb18030"),
    Encoding("gbk"),
    Encoding("shift_jis"),
    Encoding("ibm866"),
    Encoding("iso-8859-2"),
    Encoding("iso-8859-3"),
    Encoding("iso-8859-4"),
    Encoding("iso-8859-5"),
    Encoding("iso-8859-6"),
    Encoding("iso-8859-7"),
    Encoding("iso-8859-8"),
    Encoding("iso-8859-8-i"),
    Encoding("iso-8859-10"),
    Encoding("iso-8859-13"),
    Encoding("iso-8859-14"),
    Encoding("iso-8859-15"),
    Encoding("iso-8859-16"),
    Encoding("koi8-r"),
    Encoding("koi8-u"),
    Encoding("macintosh"),
    Encoding("windows-874"),
    Encoding("windows-1250"),
    Encoding("windows-1251"),
    Encoding("windows-1252"),
    Encoding("windows-1253"),
    Encoding("windows-1254"),
    Encoding("windows-1255"),
    Encoding("windows-1256"),
    Encoding("windows-1257"),
    Encoding("windows-1258"),
    Encoding("x-mac-cyrillic"),
    Encoding("x-user-defined"),
];

/// The number of [`ENCODINGS`] at whose start a character may have several bytes.
const MULTIBYTE: usize = 10;

/// UTF-8.
pub static UTF_8: &Encoding = &ENCODINGS[0];
/// UTF-16 with the low byte first.
pub static UTF_16LE: &Encoding = &ENCODINGS[1];
/// UTF-16 with the high byte first.
pub static UTF_16BE: &Encoding = &ENCODINGS[2];
/// ISO-2022-JP.
pub static ISO_2022_JP: &Encoding = &ENCODINGS[3];
/// The charsets that browsers refuse.
pub static REPLACEMENT: &Encoding = &Encoding("replacement");

/// The byte order marks, and what they say.
static MARKS: [(&[u8], &Encoding); 3] = [
    (b"\xEF\xBB\xBF", &ENCODINGS[0]),
    (b"\xFF\xFE", &ENCODINGS[1]),
    (b"\xFE\xFF", &ENCODINGS[2]),
];

impl Encoding {
    /// The charset that a label means.
    #[must_use]
    pub fn for_label(label: &[u8]) -> Option<&'static Encoding> {
        let name = take(charset_name(label.as_ptr(), label.len()));
        ENCODINGS.iter().find(|known| known.0.as_bytes() == name)
    }

    /// The charset of a text that begins with a byte order mark, and the length of the mark.
    #[must_use]
    pub fn for_bom(text: &[u8]) -> Option<(&'static Encoding, usize)> {
        let (mark, encoding) = MARKS.iter().find(|(mark, _)| text.starts_with(mark))?;
        Some((*encoding, mark.len()))
    }

    /// The name of the charset.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0
    }

    /// True if each byte is a character.
    #[must_use]
    pub fn is_single_byte(&self) -> bool {
        !ENCODINGS[..MULTIBYTE].contains(self)
    }

    /// The number of bytes of ASCII at the start of `text`.
    #[must_use]
    pub fn ascii_valid_up_to(text: &[u8]) -> usize {
        let end = text.iter().position(|b| !b.is_ascii());
        end.unwrap_or(text.len())
    }

    /// A decoder. A byte order mark at the start of the text decides what the charset is.
    #[must_use]
    pub fn new_decoder(&'static self) -> Decoder {
        Decoder::new(self, Start::Unknown(Vec::new()))
    }

    /// A decoder that removes its own byte order mark. Here it is one for which any mark decides:
    /// urlgrep asks for it only after it has read a mark.
    #[must_use]
    pub fn new_decoder_with_bom_removal(&'static self) -> Decoder {
        self.new_decoder()
    }

    /// A decoder to which a byte order mark is a character.
    #[must_use]
    pub fn new_decoder_without_bom_handling(&'static self) -> Decoder {
        Decoder::new(self, Start::Known(self.open()))
    }

    fn open(&self) -> Host {
        Host(charset_open(self.0.as_ptr(), self.0.len()))
    }
}

/// A decoder of the browser.
struct Host(u32);

impl Drop for Host {
    fn drop(&mut self) {
        charset_close(self.0);
    }
}

enum Start {
    /// These first bytes may be a part of a byte order mark.
    Unknown(Vec<u8>),
    Known(Host),
}

/// A decoder of a text that comes in pieces.
pub struct Decoder {
    encoding: &'static Encoding,
    start: Start,
    /// Text that the caller had no room for.
    text: Vec<u8>,
    /// The number of bytes of `text` that the caller has.
    taken: usize,
}

impl fmt::Debug for Decoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.encoding.0)
    }
}

/// Why a decoder stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoderResult {
    /// It has read the input.
    InputEmpty,
    /// It has more text than there is room for.
    OutputFull,
}

/// Why a decoder stopped that reports malformed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecoderResult {
    /// It has read the input.
    InputEmpty,
    /// It has more text than there is room for.
    OutputFull,
    /// Is never returned, because the browser has replaced malformed bytes.
    Malformed(u8, u8),
}

impl Decoder {
    fn new(encoding: &'static Encoding, start: Start) -> Decoder {
        Decoder {
            encoding,
            start,
            text: Vec::new(),
            taken: 0,
        }
    }

    /// The charset.
    #[must_use]
    pub fn encoding(&self) -> &'static Encoding {
        self.encoding
    }

    /// Decodes `from` into `to`, and returns why it stopped, and the numbers of bytes read and written.
    pub fn decode_to_utf8_without_replacement(
        &mut self,
        from: &[u8],
        to: &mut [u8],
        last: bool,
    ) -> (DecoderResult, usize, usize) {
        let (result, read, written, _) = self.decode_to_utf8(from, to, last);
        let result = match result {
            CoderResult::InputEmpty => DecoderResult::InputEmpty,
            CoderResult::OutputFull => DecoderResult::OutputFull,
        };
        (result, read, written)
    }

    /// As [`Decoder::decode_to_utf8_without_replacement`]. The last value says nothing here.
    pub fn decode_to_utf8(
        &mut self,
        from: &[u8],
        to: &mut [u8],
        last: bool,
    ) -> (CoderResult, usize, usize, bool) {
        // What the caller had no room for goes before what it brings.
        let read = if self.taken == self.text.len() {
            self.text = self.decode(from, last);
            self.taken = 0;
            from.len()
        } else {
            0
        };
        let rest = &self.text[self.taken..];
        let mut written = rest.len().min(to.len());
        let is_inside = |at: usize| rest.get(at).is_some_and(|b| b & 0xC0 == 0x80);
        while is_inside(written) {
            written -= 1;
        }
        to[..written].copy_from_slice(&rest[..written]);
        self.taken += written;
        let is_done = read == from.len() && self.taken == self.text.len();
        let result = if is_done {
            CoderResult::InputEmpty
        } else {
            CoderResult::OutputFull
        };
        (result, read, written, false)
    }

    fn decode(&mut self, from: &[u8], last: bool) -> Vec<u8> {
        let mut joined = Vec::new();
        let mut bytes = from;
        if let Start::Unknown(head) = &mut self.start {
            head.extend_from_slice(from);
            let may_be_mark = |(mark, _): &(&[u8], _)| mark.starts_with(head) && mark != head;
            if !last && MARKS.iter().any(may_be_mark) {
                return Vec::new();
            }
            joined = std::mem::take(head);
            let mut mark = 0;
            if let Some((encoding, len)) = Encoding::for_bom(&joined) {
                self.encoding = encoding;
                mark = len;
            }
            bytes = &joined[mark..];
            self.start = Start::Known(self.encoding.open());
        }
        let Start::Known(host) = &self.start else {
            return joined;
        };
        take(charset_decode(
            host.0,
            bytes.as_ptr(),
            bytes.len(),
            u32::from(last),
        ))
    }
}
