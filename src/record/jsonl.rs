//! `--json`: JSON Lines, one object a hit.
//!
//! # Schema, version 1
//!
//! `v` is the version. Within one version keys may be added, never removed or
//! given another meaning. Offsets are 0-based bytes of the file (of the
//! uncompressed member, in an archive); a span is `[start, end]`, with the
//! offset after its last byte. *Text* is a string, or, where the bytes are not
//! UTF-8, `{"bytes": "<base64>"}`.
//!
//! Always there:
//!
//! | key | value |
//! | --- | --- |
//! | `v` | `1` |
//! | `type` | `"hit"`, or `"reject"` for what was refused |
//! | `path` | text; `<stdin>` for standard input |
//! | `line` | LF count before the URL's first byte, + 1; where `offset` is null, the line on which the part begins; null if not known |
//! | `offset`, `end` | the URL's own first byte and the byte after its last; null where the file does not hold the URL's bytes |
//! | `url` | text: the URL, rejoined; UTF-8 in a hit |
//! | `scheme` | in lower case; null if there is none |
//! | `profile` | the document that judged: `url-00` … `current` |
//! | `form` | `wrapped`, `bracketed`, `quoted`, `prefixed`, `bare` |
//! | `segments` | spans of the bytes that are copied into the URL, in order; null if `offset` is |
//! | `seams` | what lies between the segments, in order; null if `offset` is |
//! | `alternates` | other readings that are valid: `{"kind", "url"}`; kinds `plain`, `hyphen`, `space`, `joined`, `qp`, `raw` |
//! | `doubt` | `inner-space`, `script`, or null |
//! | `continues` | true if a bare URL plainly goes on in the next line |
//! | `glued` | true if letters stood right before the scheme |
//! | `cautions` | `password`, `user`, `low-port`, `encoded-cr`, `encoded-lf`, `encoded-nul`, `port-range` |
//! | `components` | name to text, in the order of the URL; empty in a reject |
//!
//! A seam is `{"kind", "start", "end", "at", "len"}`: the source bytes, where
//! they stand in the URL (bytes from its first), and how many bytes of it they
//! stand for: 0 where they were removed. Segments and seams together cover
//! `offset` to `end` without a gap; [`verify`](super::verify) says what each
//! kind removes or decodes, and replays it.
//!
//! Only where there is something to say:
//!
//! | key | value |
//! | --- | --- |
//! | `column` | bytes from the start of the line, + 1 |
//! | `decoded` | `{"start", "end", "segments", "seams"}`: the place in the decoded text of the part, where `offset` is null |
//! | `reason` | in a reject: `{"rule", "at", "found", "text"}`; `found` is the byte as a number, null for the end of the string |
//! | `message` | `{"number", "start", "end", "id", "date", "from", "subject", "newsgroups", "list"}`; number from 1, `start` to `end` its bytes (`end` null in a message over 64 KiB), the others text (`date` ISO 8601 in UTC) or null |
//! | `part` | MIME part, as `1.2` |
//! | `header` | text: the field that the URL stands in |
//! | `role` | `body`, `quoted`, `signature`, `footer`, `header`, `html-link`, `html-text`, `attachment` |
//! | `depth` | how deeply it is quoted |
//!
//! A tolerated fault is an object of its own: `v`, `type` `"note"`, `path`,
//! `offset`, `message` (its number), `part`, `kind`, `text`; the middle three
//! may be null.
//!
//! # Safety
//!
//! In strings, every control and format character (as
//! [`escape::is_hidden`] has them) is a `\u` escape, so that a record can be
//! shown on a terminal as it is and no line can be forged.

use std::fmt;
use std::io;

use serde::{Serialize, Serializer};
use serde_json::ser::Formatter;

use super::{NoteRecord, Record, some};
use crate::escape::{self, STDIN};
use crate::extract::Hit;
use crate::mail::mime::{Date, Role};
use crate::search;
use crate::span::{Seam, Span};
use crate::url::{Found, Reject, Url};

/// The version of the schema.
pub const VERSION: u32 = 1;

/// Appends `record` as one line.
///
/// # Complexity
///
/// Linear in the bytes of the record.
pub fn print(record: &Record<'_>, out: &mut Vec<u8>) {
    let (hit, found) = (record.hit(), &record.found);
    let verdict = hit.verdict();
    let (source, decoded) = (found.source(), found.decoded());
    let span = source.map(|pieces| pieces.span());
    let (role, depth) = (found.role(), found.role().and_then(Role::depth));
    put(
        &Row {
            v: VERSION,
            r#type: if verdict.is_ok() { "hit" } else { "reject" },
            path: Text(record.path_or_stdin()),
            line: found.line(),
            column: record.column,
            offset: span.map(|span| span.start),
            end: span.map(|span| span.end),
            url: Text(hit.url()),
            scheme: scheme(hit).map(|scheme| Display(Lower(scheme))),
            profile: hit.profile().name(),
            form: hit.form().name(),
            segments: source.map(|pieces| Spans(pieces.segments)),
            seams: source.map(|pieces| Seams(pieces.seams)),
            decoded: decoded.map(|pieces| Decoded {
                start: pieces.span().start,
                end: pieces.span().end,
                segments: Spans(pieces.segments),
                seams: Seams(pieces.seams),
            }),
            alternates: Alternates(hit),
            doubt: hit.doubt().map(|doubt| doubt.name()),
            continues: hit.continues(),
            glued: hit.glued(),
            cautions: Cautions(verdict.ok()),
            components: Components(verdict.ok()),
            reason: verdict.err().map(Reason),
            message: found.message.map(Message),
            part: found.part(),
            header: found.header().map(Text),
            role: role.map(Role::name),
            depth,
        },
        out,
    );
}

/// Appends a note as one line.
pub fn print_note(record: &NoteRecord<'_>, out: &mut Vec<u8>) {
    let note = &record.note;
    put(
        &Note {
            v: VERSION,
            r#type: "note",
            path: Text(record.path.unwrap_or(STDIN)),
            offset: note.at,
            message: note.message,
            part: note.part,
            kind: note.kind.name(),
            text: Display(&note.kind),
        },
        out,
    );
}

fn put(row: &impl Serialize, out: &mut Vec<u8>) {
    // OK to ignore: a vector takes every byte, and no row has a map with keys
    // that are not strings.
    let _ = row.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, Safe));
    out.push(b'\n');
}

/// The scheme of a hit, or of what looked like one.
pub(crate) fn scheme(hit: &Hit) -> Option<&str> {
    match hit.verdict() {
        // The grammar knows: the first drafts allow quote marks in it.
        Ok(url) => std::str::from_utf8(url.scheme()).ok(),
        Err(_) => likely_scheme(hit.url()),
    }
}

/// What stands before the first colon, if a scheme can be made of that.
fn likely_scheme(url: &[u8]) -> Option<&str> {
    let scheme = &url[..memchr::memchr(b':', url)?];
    let is_scheme = |b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
    (!scheme.is_empty() && scheme.iter().all(is_scheme))
        .then(|| std::str::from_utf8(scheme).ok())?
}

/// Escapes what [`escape::is_hidden`] names, beyond what JSON asks for.
struct Safe;

impl Formatter for Safe {
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if !escape::has(fragment.as_bytes(), |b| !b.is_ascii() || b == 0x7F) {
            return writer.write_all(fragment.as_bytes());
        }
        let mut from = 0;
        for (at, c) in fragment
            .char_indices()
            .filter(|&(_, c)| escape::is_hidden(c))
        {
            writer.write_all(&fragment.as_bytes()[from..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            from = at + c.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[from..])
    }
}

#[derive(Serialize)]
struct Row<'a> {
    v: u32,
    r#type: &'static str,
    path: Text<'a>,
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u64>,
    offset: Option<u64>,
    end: Option<u64>,
    url: Text<'a>,
    scheme: Option<Display<Lower<'a>>>,
    profile: &'static str,
    form: &'static str,
    segments: Option<Spans<'a>>,
    seams: Option<Seams<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    decoded: Option<Decoded<'a>>,
    alternates: Alternates<'a>,
    doubt: Option<&'static str>,
    continues: bool,
    glued: bool,
    cautions: Cautions<'a>,
    components: Components<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    part: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    header: Option<Text<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    role: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
}

#[derive(Serialize)]
struct Note<'a> {
    v: u32,
    r#type: &'static str,
    path: Text<'a>,
    offset: Option<u64>,
    message: Option<u64>,
    part: Option<&'a str>,
    kind: &'a str,
    text: Display<&'a search::NoteKind>,
}

#[derive(Serialize)]
struct Decoded<'a> {
    start: u64,
    end: u64,
    segments: Spans<'a>,
    seams: Seams<'a>,
}

/// A string, or the object that stands for bytes that are none.
struct Text<'a>(&'a [u8]);

impl Serialize for Text<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Bytes<'a> {
            bytes: Display<Base64<'a>>,
        }
        match std::str::from_utf8(self.0) {
            Ok(text) => serializer.serialize_str(text),
            Err(_) => Bytes {
                bytes: Display(Base64(self.0)),
            }
            .serialize(serializer),
        }
    }
}

/// What a value displays as, as a string.
struct Display<T>(T);

impl<T: fmt::Display> Serialize for Display<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// Base 64 of RFC 4648 section 4, with padding.
struct Base64<'a>(&'a [u8]);

impl fmt::Display for Base64<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        for group in self.0.chunks(3) {
            let byte = |i: usize| u32::from(group.get(i).copied().unwrap_or(0));
            let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
            for i in 0..4 {
                let digit = DIGITS[(bits >> (18 - 6 * i)) as usize & 63];
                let digit = if i > group.len() { b'=' } else { digit };
                fmt::Write::write_char(f, char::from(digit))?;
            }
        }
        Ok(())
    }
}

struct Lower<'a>(&'a str);

impl fmt::Display for Lower<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .chars()
            .try_for_each(|c| fmt::Write::write_char(f, c.to_ascii_lowercase()))
    }
}

struct Spans<'a>(&'a [Span]);

impl Serialize for Spans<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|span| [span.start, span.end]))
    }
}

struct Seams<'a>(&'a [Seam]);

impl Serialize for Seams<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row {
            kind: &'static str,
            start: u64,
            end: u64,
            at: u64,
            len: u32,
        }
        serializer.collect_seq(self.0.iter().map(|seam| Row {
            kind: seam.kind.name(),
            start: seam.span.start,
            end: seam.span.end,
            at: seam.at,
            len: seam.len,
        }))
    }
}

struct Alternates<'a>(&'a Hit);

impl Serialize for Alternates<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'a> {
            kind: &'static str,
            url: Text<'a>,
        }
        serializer.collect_seq(self.0.alternates().map(|other| Row {
            kind: other.kind.name(),
            url: Text(other.url),
        }))
    }
}

struct Cautions<'a>(Option<Url<'a>>);

impl Serialize for Cautions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let cautions = self.0.map(|url| url.cautions()).unwrap_or_default();
        serializer.collect_seq(cautions.iter().map(|caution| caution.name()))
    }
}

struct Components<'a>(Option<Url<'a>>);

impl Serialize for Components<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let components = self.0.iter().flat_map(Url::components);
        serializer.collect_map(components.map(|(name, part)| (name, Text(part))))
    }
}

struct Reason(Reject);

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row {
            rule: &'static str,
            at: u32,
            found: Option<u8>,
            text: Display<Reject>,
        }
        Row {
            rule: self.0.rule.name(),
            at: self.0.at,
            found: match self.0.found {
                Found::Byte(b) => Some(b),
                Found::End => None,
            },
            text: Display(self.0),
        }
        .serialize(serializer)
    }
}

struct Message<'a>(search::Message<'a>);

impl Serialize for Message<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Row<'a> {
            number: Option<u64>,
            start: u64,
            end: Option<u64>,
            id: Option<Text<'a>>,
            date: Option<Display<Date>>,
            from: Option<Text<'a>>,
            subject: Option<Text<'a>>,
            newsgroups: Option<Text<'a>>,
            list: Option<Text<'a>>,
        }
        let search::Message {
            number,
            start,
            end,
            info,
        } = self.0;
        Row {
            number,
            start,
            end,
            id: some(info.message_id()).map(Text),
            date: info.date().map(Display),
            from: some(info.from()).map(Text),
            subject: some(info.subject()).map(Text),
            newsgroups: some(info.newsgroups()).map(Text),
            list: some(info.list_id()).map(Text),
        }
        .serialize(serializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &[u8]) -> String {
        let mut out = Vec::new();
        put(&Text(text), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_hold_nothing_hidden() {
        assert_eq!(json(b"a\"b\\c"), "\"a\\\"b\\\\c\"\n");
        assert_eq!(json(b"a\n\t\x1b[m"), "\"a\\n\\t\\u001b[m\"\n");
        assert_eq!(json(b"\x7f"), "\"\\u007f\"\n");
        assert_eq!(
            json("ü\u{202e}\u{85}漢\u{e0041}".as_bytes()),
            "\"ü\\u202e\\u0085漢\\udb40\\udc41\"\n"
        );
        for c in '\0'..=char::MAX {
            let line = json(c.encode_utf8(&mut [0; 4]).as_bytes());
            assert!(
                !line.trim_end_matches('\n').chars().any(escape::is_hidden),
                "{c:?}"
            );
            assert_eq!(serde_json::from_str::<char>(&line).unwrap(), c);
        }
    }

    #[test]
    fn other_bytes_are_base_64() {
        // RFC 4648 section 10 has the digits; a first byte 0xFF makes each no UTF-8.
        for (bytes, base64) in [
            (&b"\xFF"[..], "/w=="),
            (b"\xFFf", "/2Y="),
            (b"\xFFfo", "/2Zv"),
            (b"\xFFfoo", "/2Zvbw=="),
        ] {
            assert_eq!(json(bytes), format!("{{\"bytes\":\"{base64}\"}}\n"));
        }
    }

    #[test]
    fn schemes_are_told_from_other_words() {
        assert_eq!(likely_scheme(b"HTTP://x"), Some("HTTP"));
        assert_eq!(likely_scheme(b"svn+ssh://x"), Some("svn+ssh"));
        assert_eq!(likely_scheme(b"a b:c"), None);
        assert_eq!(likely_scheme(b"://x"), None);
        assert_eq!(likely_scheme(b"x"), None);
    }
}
