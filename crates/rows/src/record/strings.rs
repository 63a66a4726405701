//! Writes values as JSON.
//!
//! In strings, every control and format character ([`escape::is_hidden`])
//! becomes an escape: `\n`, `\r`, `\t` or `\u`. So a row can be shown on a
//! terminal, and no line can be forged.

use std::io::Write as _;

use urlgrep_base::escape;
use urlgrep_base::span::{Seam, Span};
use urlgrep_find::Hit;
use urlgrep_search::Composition;
use urlgrep_url::Url;

use super::value::Value;

/// True if `value` is a string. Its first quotation mark is part of its key.
#[inline(always)]
pub(super) fn is_string(value: &Value<'_>) -> bool {
    matches!(value, Value::Name(_) | Value::Text(_) | Value::Time(_))
}

/// Appends `value`. The caller has appended the first quotation mark of a
/// string. Returns false for a text that is not UTF-8.
#[inline(always)]
pub(super) fn put(value: Value<'_>, out: &mut Vec<u8>) -> bool {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Name(name) => quote_end(name, out),
        Value::Text(text) => return string_end(text, out),
        Value::Number(n) => number(n, out),
        Value::Flag(flag) => out.extend_from_slice(if flag { b"true" } else { b"false" }),
        Value::Time(date) => {
            out.extend_from_slice(&date.text());
            out.push(b'"');
        }
        Value::Names(names) if names.is_empty() => out.extend_from_slice(b"[]"),
        Value::Names(names) => list(names.iter(), out, quoted),
        Value::Spans(list) => spans(list, out),
        Value::Seams(list) => seams(list, out),
        Value::Decoded(pieces) => decoded(pieces, out),
        Value::Alternates(hit) => alternates(hit, out),
        Value::Components(url) => components(url, out),
    }
    true
}

/// Appends a word that needs no escape.
fn quoted(name: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    quote_end(name, out);
}

fn quote_end(name: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.push(b'"');
}

/// Appends `text` as a string. Bytes that are not UTF-8 become U+FFFD. Returns
/// whether the text is UTF-8.
#[inline]
fn string(text: &[u8], out: &mut Vec<u8>) -> bool {
    out.push(b'"');
    string_end(text, out)
}

#[inline]
fn string_end(text: &[u8], out: &mut Vec<u8>) -> bool {
    let is_utf8 = if is_plain(text) {
        out.extend_from_slice(text);
        true
    } else {
        escaped(text, out)
    };
    out.push(b'"');
    is_utf8
}

/// True if `text` is ASCII and needs no escape. Examines blocks of bytes.
#[inline]
fn is_plain(text: &[u8]) -> bool {
    !escape::has(text, |b| !is_plain_byte(b))
}

#[inline(always)] // It runs for each byte.
fn is_plain_byte(b: u8) -> bool {
    (0x20..0x7F).contains(&b) & (b != b'"') & (b != b'\\')
}

#[cold]
fn escaped(text: &[u8], out: &mut Vec<u8>) -> bool {
    let mut is_utf8 = true;
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        loop {
            let plain = rest.bytes().take_while(|&b| is_plain_byte(b)).count();
            let (before, after) = rest.split_at(plain);
            out.extend_from_slice(before.as_bytes());
            let mut chars = after.chars();
            let Some(c) = chars.next() else {
                break;
            };
            rest = chars.as_str();
            match c {
                '"' => out.extend_from_slice(b"\\\""),
                '\\' => out.extend_from_slice(b"\\\\"),
                '\n' => out.extend_from_slice(b"\\n"),
                '\r' => out.extend_from_slice(b"\\r"),
                '\t' => out.extend_from_slice(b"\\t"),
                c if !escape::is_hidden(c) => {
                    out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
                c => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        // OK to ignore: writing to a vector does not fail.
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
            }
        }
        if !chunk.invalid().is_empty() {
            is_utf8 = false;
            out.extend_from_slice("\u{FFFD}".as_bytes());
        }
    }
    is_utf8
}

/// Appends `n` in decimal.
#[inline]
fn number(n: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(n).as_bytes());
}

fn list<T>(
    items: impl IntoIterator<Item = T>,
    out: &mut Vec<u8>,
    mut put: impl FnMut(T, &mut Vec<u8>),
) {
    out.push(b'[');
    for (i, item) in items.into_iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        put(item, out);
    }
    out.push(b']');
}

fn spans(spans: &[Span], out: &mut Vec<u8>) {
    // Fast path: most URLs have one.
    if let [span] = spans {
        out.extend_from_slice(b"[{");
        ends(*span, out);
        out.extend_from_slice(b"}]");
        return;
    }
    list(spans, out, |span, out| {
        out.push(b'{');
        ends(*span, out);
        out.push(b'}');
    });
}

/// Appends the keys `start` and `end`.
fn ends(span: Span, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"start\":");
    number(span.start, out);
    out.extend_from_slice(b",\"end\":");
    number(span.end, out);
}

fn seams(seams: &[Seam], out: &mut Vec<u8>) {
    list(seams, out, |seam, out| {
        out.extend_from_slice(b"{\"kind\":");
        quoted(seam.kind.name(), out);
        out.push(b',');
        ends(seam.span, out);
        out.extend_from_slice(b",\"at\":");
        number(seam.at, out);
        out.extend_from_slice(b",\"len\":");
        number(u64::from(seam.len), out);
        out.push(b'}');
    });
}

fn decoded(pieces: Composition<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    ends(pieces.span(), out);
    out.extend_from_slice(b",\"segments\":");
    spans(pieces.segments, out);
    out.extend_from_slice(b",\"seams\":");
    seams(pieces.seams, out);
    out.push(b'}');
}

fn alternates(hit: &Hit, out: &mut Vec<u8>) {
    list(hit.alternates(), out, |other, out| {
        out.extend_from_slice(b"{\"kind\":");
        quoted(other.kind.name(), out);
        out.extend_from_slice(b",\"url\":");
        string(other.url.as_bytes(), out);
        out.push(b'}');
    });
}

fn components(url: Option<Url<'_>>, out: &mut Vec<u8>) {
    let all = url.iter().flat_map(|url| url.components());
    list(all, out, |(name, value), out| {
        out.extend_from_slice(b"{\"name\":");
        quoted(name, out);
        out.extend_from_slice(b",\"value\":");
        string(value.as_bytes(), out);
        out.push(b'}');
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &[u8]) -> String {
        let mut out = Vec::new();
        string(text, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_have_no_hidden_characters() {
        assert_eq!(json(b"a\"b\\c"), "\"a\\\"b\\\\c\"");
        assert_eq!(json(b"a\n\t\x1b[m"), "\"a\\n\\t\\u001b[m\"");
        assert_eq!(json(b"\x7f"), "\"\\u007f\"");
        assert_eq!(json(b"a\xFFb\xC3"), "\"a\u{FFFD}b\u{FFFD}\"");
        assert_eq!(
            json("ü\u{202e}\u{85}漢\u{e0041}".as_bytes()),
            "\"ü\\u202e\\u0085漢\\udb40\\udc41\""
        );
        for c in '\0'..=char::MAX {
            let line = json(c.encode_utf8(&mut [0; 4]).as_bytes());
            assert!(!line.chars().any(escape::is_hidden), "{c:?}: {line}");
            assert_eq!(serde_json::from_str::<char>(&line).unwrap(), c, "{line}");
        }
    }
}
