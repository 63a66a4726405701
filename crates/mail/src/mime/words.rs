//! Decodes encoded-words (RFC 2047), and removes folds, in the value of a
//! header field.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::blanks::one_blank;
use super::charset::transcode;
use super::html::is_space;
use super::mapped::line_feeds;
use super::transfer::base64;
use urlgrep_base::digits::hex_byte;

/// A part of a decoded field value. Ranges refer to the raw value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Chunk<'a> {
    /// Bytes that are copied.
    Raw(Range<usize>),
    /// The line break of a fold.
    Fold(Range<usize>),
    /// A line break without white space after it, in a field whose folds have
    /// lost their white space. It separates words.
    Lost(Range<usize>),
    /// The text of encoded-words, and its number of line feeds.
    Decoded(&'a [u8], i64),
}

/// Buffers of the decoder.
#[derive(Debug, Default)]
pub(super) struct Words {
    bytes: Vec<u8>,
    text: Vec<u8>,
}

/// The maximum length of a charset name, including the `?` after it.
const MAX_CHARSET: usize = 64;

struct Word<'a> {
    charset: &'a [u8],
    base64: bool,
    text: &'a [u8],
    len: usize,
}

impl Words {
    /// Passes the decoded value to `put`, in order. Time is linear in `value`.
    pub(super) fn decode(&mut self, value: &[u8], mut put: impl FnMut(Chunk<'_>)) {
        let mut from = 0;
        let mut at = 0;
        while let Some(i) = memchr2(b'=', b'\n', &value[at..]) {
            let here = at + i;
            at = here + 1;
            if value[here] == b'\n' {
                let fold = here - usize::from(here > from && value[here - 1] == b'\r');
                if fold > from {
                    put(Chunk::Raw(from..fold));
                }
                // If the value ends here, it was cut, and white space follows
                // the line break in the message.
                let is_fold = value.get(at).is_none_or(|b| matches!(b, b' ' | b'\t'));
                put(if is_fold {
                    Chunk::Fold(fold..at)
                } else {
                    Chunk::Lost(fold..at)
                });
                from = at;
            } else if let Some(word) = encoded_word(&value[here..]) {
                if here > from {
                    put(Chunk::Raw(from..here));
                }
                from = self.run(value, here, word, &mut put);
                at = from;
            }
        }
        if from < value.len() {
            put(Chunk::Raw(from..value.len()));
        }
    }

    /// Decodes encoded-words that are separated only by white space. Returns
    /// the end of the last one.
    ///
    /// > When displaying … any 'linear-white-space' that separates a pair of
    /// > adjacent 'encoded-word's is ignored. (RFC 2047 section 6.2)
    fn run<'a>(
        &mut self,
        value: &'a [u8],
        mut at: usize,
        mut word: Word<'a>,
        put: &mut impl FnMut(Chunk<'_>),
    ) -> usize {
        let mut first = at;
        loop {
            let start = self.bytes.len();
            if word.base64 {
                base64(word.text, &mut self.bytes);
            } else {
                q_encoding(word.text, &mut self.bytes);
            }
            self.join_states(start);
            at += word.len;
            let gap = value[at..]
                .iter()
                .take_while(|b| b.is_ascii_whitespace())
                .count();
            let next = encoded_word(&value[at + gap..]);
            // > Each 'encoded-word' MUST represent an integral number of
            // > characters. (section 5)
            // Writers cut characters in two nevertheless, so words of one
            // charset are decoded together.
            let same = next.as_ref().is_some_and(|n| {
                n.charset == word.charset || n.charset.eq_ignore_ascii_case(word.charset)
            });
            if !same {
                transcode(word.charset, &self.bytes, &mut self.text);
                let lines = line_feeds(&value[first..at]) - line_feeds(&self.text);
                put(Chunk::Decoded(&self.text, lines));
                self.bytes.clear();
                self.text.clear();
                first = at;
            }
            let Some(next) = next else { return at };
            at += gap;
            word = next;
        }
    }

    /// Joins the texts of two words of ISO-2022-JP at `at`. If the first text
    /// ends with an escape sequence and the second begins with one, the first
    /// sequence is removed. Each word must begin and end in ASCII (RFC 1468).
    /// Yet a decoder reports an error for two escape sequences without text
    /// between them (Encoding Standard 12.2.1).
    fn join_states(&mut self, at: usize) {
        const TO_ASCII: &[u8] = b"\x1B(B";
        let (before, after) = self.bytes.split_at(at);
        if before.ends_with(TO_ASCII) && after.starts_with(b"\x1B") {
            self.bytes.drain(at - TO_ASCII.len()..at);
        }
    }

    /// Appends the decoded value as people read it: without blanks at its ends, and with one
    /// blank for each run of white space. This is the value of a field wherever it is shown or
    /// compared. At most `most` bytes of `out` are used.
    ///
    /// > Unfolding is accomplished by simply removing any CRLF that is immediately followed
    /// > by WSP. (RFC 5322 section 2.2.3)
    ///
    /// > … runs of FWS, comment, or CFWS … are semantically interpreted as a single space
    /// > character. (section 3.2.2)
    pub(super) fn value(&mut self, value: &[u8], out: &mut Vec<u8>, most: usize) {
        let (start, value) = (out.len(), value.trim_ascii());
        // Fast path: most values have nothing to change.
        if value.len() <= most.saturating_sub(start) && is_shown(value) {
            out.extend_from_slice(value);
            return;
        }
        self.plain(value, out, most);
        one_blank(out, start);
    }

    /// Appends the decoded value as text to `out`, up to `most` bytes. Bytes
    /// that are not UTF-8 are read as windows-1252, which is the charset of
    /// most old mail with 8-bit header fields.
    pub(super) fn plain(&mut self, value: &[u8], out: &mut Vec<u8>, most: usize) {
        // Fast path: most values have nothing to decode.
        if value.is_ascii() && memchr2(b'=', b'\n', value).is_none() {
            let room = most.saturating_sub(out.len()).min(value.len());
            return out.extend_from_slice(&value[..room]);
        }
        let mut legacy = Vec::new();
        self.decode(value, |chunk| {
            let bytes = match &chunk {
                Chunk::Raw(range) => &value[range.clone()],
                Chunk::Fold(_) => b"",
                Chunk::Lost(_) => b" ",
                Chunk::Decoded(text, _) => text,
            };
            let bytes = if bytes.is_ascii() || std::str::from_utf8(bytes).is_ok() {
                bytes
            } else {
                legacy.clear();
                transcode(b"windows-1252", bytes, &mut legacy);
                &legacy[..]
            };
            let room = most.saturating_sub(out.len()).min(bytes.len());
            // Do not cut inside a character.
            let is_start = |n: &usize| bytes.get(*n).is_none_or(|b| b & 0xC0 != 0x80);
            let end = (0..=room).rev().find(is_start).unwrap_or(0);
            out.extend_from_slice(&bytes[..end]);
        });
    }
}

/// True if the value has no encoded-word, no fold, no byte that is not ASCII, and no white space but
/// single blanks. The blocks have no exit, so that the compiler uses vector instructions.
fn is_shown(value: &[u8]) -> bool {
    const BLOCK: usize = 16;
    let is_other = |b: u8| !(b' '..=b'~').contains(&b) | (b == b'=');
    let is_pair = |a: u8, b: u8| (a == b' ') & (b == b' ');
    let has_other = |bytes: &[u8], next: &[u8]| {
        let pairs = bytes.iter().zip(next);
        pairs.fold(false, |any, (&a, &b)| any | is_other(a) | is_pair(a, b))
    };
    let next = value.get(1..).unwrap_or_default();
    let (Some(last), Some(last_next)) = (value.last(), next.last_chunk::<BLOCK>()) else {
        return !value.iter().any(|&b| is_other(b)) && !has_other(value, next);
    };
    let (blocks, nexts) = (value.as_chunks::<BLOCK>().0, next.as_chunks::<BLOCK>().0);
    let mut blocks = blocks.iter().zip(nexts);
    // The last block overlaps the block before it.
    let from = value.len() - 1 - BLOCK;
    !blocks.any(|(bytes, next)| has_other(bytes, next))
        && !has_other(&value[from..from + BLOCK], last_next)
        && !is_other(*last)
}

/// > encoded-word = "=?" charset "?" encoding "?" encoded-text "?="
/// > (RFC 2047 section 2)
///
/// The text may have spaces and folds here, because some programs write them.
/// It ends at the next `?`, so no byte is examined twice.
fn encoded_word(text: &[u8]) -> Option<Word<'_>> {
    let rest = text.strip_prefix(b"=?")?;
    // A name is too short for `memchr`.
    let near = rest.iter().take(MAX_CHARSET - 1);
    let charset = near.take_while(|&&b| b != b'?' && !is_space(b)).count();
    let (charset, rest) = (&rest[..charset], rest[charset..].strip_prefix(b"?")?);
    if charset.is_empty() {
        return None;
    }
    let base64 = match rest.first()? {
        b'B' | b'b' => true,
        b'Q' | b'q' => false,
        _ => return None,
    };
    let rest = rest[1..].strip_prefix(b"?")?;
    let end = memchr(b'?', rest)?;
    if rest.get(end + 1) != Some(&b'=') {
        return None;
    }
    // > … charset "*" language … (RFC 2231 section 5)
    let language = charset.iter().take_while(|&&b| b != b'*').count();
    Some(Word {
        base64,
        text: &rest[..end],
        len: text.len() - rest.len() + end + 2,
        charset: &charset[..language],
    })
}

/// The "Q" encoding (RFC 2047 section 4.2).
fn q_encoding(mut text: &[u8], out: &mut Vec<u8>) {
    while !text.is_empty() {
        let is_plain = |b: &&u8| !matches!(b, b'=' | b'_' | b'\r' | b'\n');
        let (plain, rest) = text.split_at(text.iter().take_while(is_plain).count());
        out.extend_from_slice(plain);
        let escape = match *rest {
            [b'=', h, l, ..] => hex_byte(h, l),
            _ => None,
        };
        let (n, byte) = match (rest.first(), escape) {
            (None, _) => return,
            (Some(_), Some(byte)) => (3, Some(byte)),
            (Some(b'_'), None) => (1, Some(b' ')),
            (Some(b'='), None) => (1, Some(b'=')),
            (Some(_), None) => (1, None),
        };
        out.extend(byte);
        text = &rest[n..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_values() {
        #[rustfmt::skip]
        let rows: &[(&str, &str)] = &[
            ("plain text", "plain text"),
            ("folded\r\n text\n\tagain", "folded text\tagain"),
            ("=?ISO-8859-1?Q?a?=", "a"),
            // RFC 2047 section 8.
            ("=?ISO-8859-1?Q?a?= b", "a b"),
            ("=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=", "ab"),
            ("=?ISO-8859-1?Q?a?=  \r\n  =?utf-8?Q?b?=", "ab"),
            ("=?ISO-8859-1?Q?a_b?=", "a b"),
            ("=?ISO-8859-1?B?SWYgeW91IGNhbiByZWFkIHRoaXMgeW8=?=\n\t=?ISO-8859-2?B?dSB1bmRlcnN0YW5kIHRoZSBleGFtcGxlLg==?=", "If you can read this you understand the example."),
            ("=?utf-8?q?caf=c3=A9?= http://x/", "café http://x/"),
            // A character that is divided between two words.
            ("=?UTF-8?B?4g==?= =?utf-8?B?gqw=?=", "€"),
            ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
            // Each word begins and ends in ASCII.
            ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?= =?ISO-2022-JP?B?GyRCRnxLXBsoQg==?=", "日本日本"),
            ("=?iso-2022-jp?B?GyRCRnxLXBsoQg==?= =?ISO-2022-JP?Q?a?=", "日本a"),
            ("=?us-ascii*en?Q?Keith?=", "Keith"),
            ("=?x?Q?no end", "=?x?Q?no end"),
            ("=?x?Q?a?b?=", "=?x?Q?a?b?="),
            ("=?=?utf-8?q?=41?=", "=?A"),
            ("a=b=?", "a=b=?"),
            ("", ""),
        ];
        let mut words = Words::default();
        for (value, text) in rows {
            let mut got = Vec::new();
            words.plain(value.as_bytes(), &mut got, 1000);
            assert_eq!(String::from_utf8_lossy(&got), *text, "{value:?}");
        }
    }

    #[test]
    fn bytes_of_header_fields_are_text() {
        let rows: &[(&[u8], usize, &str)] = &[
            (b"caf\xE9", 99, "café"),
            (b"caf\xC3\xA9", 99, "café"),
            (b"\x93caf\xE9\x94 =?utf-8?q?=C3=A9?= \xFC", 99, "“café” é ü"),
            (b"caf\xC3\xA9", 4, "caf"),
            (b"caf\xE9\xE9", 5, "café"),
        ];
        let mut words = Words::default();
        for (value, most, text) in rows {
            let mut got = Vec::new();
            words.plain(value, &mut got, *most);
            assert_eq!(std::str::from_utf8(&got), Ok(*text));
        }
    }

    #[test]
    fn a_run_of_white_space_is_one_blank() {
        #[rustfmt::skip]
        let rows: &[(&str, &str)] = &[
            ("", ""),
            (" \t", ""),
            ("a", "a"),
            ("a b c", "a b c"),
            (" a b\r\n\tc  d ", "a b c d"),
            ("a\n  b", "a b"),
            ("a\n\t", "a"),
            ("a \n", "a"),
            ("\"Ann  Reed\" <a@b.example>", "\"Ann Reed\" <a@b.example>"),
            ("a =?utf-8?Q?_b__c=09d_?=  e", "a b c d e"),
            ("=?utf-8?q?Re:_the_other_thing?=, and more", "Re: the other thing, and more"),
            ("Re: [talk] a value of many bytes ", "Re: [talk] a value of many bytes"),
            ("Re: [talk] a value of  many bytes", "Re: [talk] a value of many bytes"),
            ("Re: [talk] a value of many  bytes", "Re: [talk] a value of many bytes"),
            ("Re: [talk] a value of\tmany bytes", "Re: [talk] a value of many bytes"),
            // A no-break space is a character of the text (RFC 5322 section 2.2.2).
            ("a\u{a0} b", "a\u{a0} b"),
        ];
        let mut words = Words::default();
        for (value, text) in rows {
            for before in ["", "x, "] {
                let mut got = before.as_bytes().to_vec();
                words.value(value.as_bytes(), &mut got, 1000);
                assert_eq!(
                    String::from_utf8_lossy(&got),
                    format!("{before}{text}"),
                    "{value:?}"
                );
            }
        }
    }
}
