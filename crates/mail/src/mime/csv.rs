//! Tables of CSV (RFC 4180) and TSV, read as their fields: each field is a text of its own.
//!
//! In the decoded text each field stands on a line of its own, and no URL goes on from one field to
//! the next ([`MailSink::field_end`]). A field that the sink does not want
//! ([`MailSink::wants_string`]) is removed.
//!
//! RFC 4180 has commas. Programs of countries that write `1,5` use `;`, and others a tab or `|`. If
//! the first line has a tab outside of quotation marks, tabs divide the table, and else the most
//! frequent of the other three. A line without any of them is divided by commas.

use memchr::{memchr, memchr3};

use super::out::{Out, Replacement};
use super::sink::MailSink;
use super::text::{MAX_TOKEN, Text};
use urlgrep_base::span::SeamKind;

/// The bytes that may divide a table, if it has no tabs. If two are as frequent, the first one does.
const DIVIDERS: [u8; 3] = [b',', b';', b'|'];

/// The maximum length of a field that is read whole.
const MAX_SHORT: usize = 1024;

#[derive(Debug, Default)]
pub(super) struct Csv {
    /// The byte between two fields. `None` before the first line.
    divider: Option<u8>,
    place: FieldPlace,
}

/// Where the next byte is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FieldPlace {
    /// At the first byte of a field.
    #[default]
    Start,
    /// In a field that is passed on.
    Plain,
    /// In a field in quotation marks, which is passed on.
    Quoted,
}

impl Csv {
    pub(super) fn start(&mut self) {
        *self = Csv::default();
    }

    /// Reads `text` up to what is not complete. `end` is true if the part ends with it.
    pub(super) fn read<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        sink: &mut S,
    ) {
        while !text.bytes().is_empty() {
            let Some(divider) = self.divider.or_else(|| divider(text.bytes(), end)) else {
                break;
            };
            self.divider = Some(divider);
            let goes_on = match self.place {
                FieldPlace::Start => self.begin(divider, text, end, out, sink),
                FieldPlace::Plain => self.plain(divider, text, out, sink),
                FieldPlace::Quoted => self.quoted(text, end, out, sink),
            };
            if !goes_on {
                break;
            }
        }
        if end && self.place != FieldPlace::Start {
            self.end_field(out, sink);
        }
        out.pass_removals(text);
    }

    fn end_field<S: MailSink>(&mut self, out: &mut Out, sink: &mut S) {
        out.flush(sink);
        sink.field_end();
        self.place = FieldPlace::Start;
    }

    /// Reads the divider or line end before a field, and the field if it is not wanted. Returns
    /// false if more bytes are needed.
    fn begin<S: MailSink>(
        &mut self,
        divider: u8,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        sink: &mut S,
    ) -> bool {
        let bytes = text.bytes();
        if bytes[0] == divider || matches!(bytes[0], b'\r' | b'\n') {
            out.cut(text, 1, SeamKind::Markup);
            return true;
        }
        let is_quoted = bytes[0] == b'"';
        let near = &bytes[..bytes.len().min(MAX_SHORT)];
        let len = if is_quoted {
            // > each field may or may not be enclosed in double quotes (RFC 4180 section 2)
            memchr(b'"', &near[1..]).map(|len| len + 2)
        } else {
            memchr3(divider, b'\r', b'\n', near)
        };
        if len.is_none() && near.len() < MAX_SHORT && !end {
            return false;
        }
        // The sink learns of a long field too, although that is always passed on.
        let is_wanted = sink.wants_string(&bytes[..len.unwrap_or(near.len())]);
        if let Some(len) = len.filter(|_| !is_wanted) {
            out.cut(text, len, SeamKind::Markup);
            return true;
        }
        if is_quoted {
            out.cut(text, 1, SeamKind::Markup);
        }
        self.place = if is_quoted {
            FieldPlace::Quoted
        } else {
            FieldPlace::Plain
        };
        true
    }

    fn plain<S: MailSink>(
        &mut self,
        divider: u8,
        text: &mut Text<'_>,
        out: &mut Out,
        sink: &mut S,
    ) -> bool {
        let bytes = text.bytes();
        let field_end = memchr3(divider, b'\r', b'\n', bytes);
        out.copy(text, field_end.unwrap_or(bytes.len()), sink);
        if field_end.is_some() {
            self.end_field(out, sink);
            line_feed(text, out, sink);
        }
        true
    }

    /// > a double-quote appearing inside a field must be escaped by preceding it with another
    /// > double quote (RFC 4180 section 2)
    fn quoted<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        sink: &mut S,
    ) -> bool {
        let bytes = text.bytes();
        let quote = memchr(b'"', bytes);
        let len = quote.unwrap_or(bytes.len());
        if len > 0 {
            out.copy(text, len, sink);
        }
        if quote.is_none() {
            return true;
        }
        match text.bytes().get(1) {
            None if !end => return false,
            Some(b'"') => {
                let quote = Replacement {
                    kind: SeamKind::Escape,
                    bytes: b"\"",
                    lines: 0,
                };
                out.seam(text, 2, quote, sink);
            }
            _ => {
                // What follows up to the divider is no field of its own in RFC 4180. It is read as
                // one.
                self.end_field(out, sink);
                line_feed(text, out, sink);
            }
        }
        true
    }
}

/// Puts a line feed in place of the byte after a field.
fn line_feed<S: MailSink>(text: &mut Text<'_>, out: &mut Out, sink: &mut S) {
    let added = i64::from(text.bytes()[0] != b'\n');
    let line_end = Replacement {
        kind: SeamKind::Markup,
        bytes: b"\n",
        lines: -added,
    };
    out.seam(text, 1, line_end, sink);
}

/// The divider of the table whose first line `bytes` begin with. `None` if more bytes are needed.
fn divider(bytes: &[u8], end: bool) -> Option<u8> {
    let mut counts = [0; DIVIDERS.len()];
    let mut is_quoted = false;
    let near = &bytes[..bytes.len().min(MAX_TOKEN)];
    let mut has_ended = end || near.len() == MAX_TOKEN;
    for &byte in near {
        match byte {
            b'"' => is_quoted = !is_quoted,
            b'\n' if !is_quoted => {
                has_ended = true;
                break;
            }
            _ if is_quoted => {}
            b'\t' => return Some(b'\t'),
            _ => {
                if let Some(i) = DIVIDERS.iter().position(|&divider| divider == byte) {
                    counts[i] += 1;
                }
            }
        }
    }
    let most = counts.iter().max().copied().unwrap_or(0);
    let first = counts.iter().position(|&count| count == most).unwrap_or(0);
    has_ended.then_some(DIVIDERS[first])
}
