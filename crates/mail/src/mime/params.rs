//! Parameters of Content-Type and Content-Disposition: RFC 2045 section 5.1.
//! RFC 2231 defines those in pieces or with a charset.

use std::ops::Range;

use memchr::memchr;

use super::charset::transcode;
use urlgrep_base::digits::hex_byte;

/// The maximum number of parameters of a field that are read.
const MAX_PARAMS: usize = 64;

/// The first word of a field value, and its parameters.
#[derive(Debug, Default)]
pub(super) struct Params {
    /// The word before the first `;`, in lower case, without white space and without
    /// quotation marks around it or around the whole value.
    token: String,
    params: Vec<Param>,
    /// Names and values of the parameters.
    arena: Vec<u8>,
    scratch: Vec<u8>,
}

#[derive(Clone, Debug)]
pub(super) struct Param {
    name: Range<usize>,
    value: Range<usize>,
    /// The number after the `*` in the name.
    section: Option<u32>,
    /// The name ends in a `*`, so the value is percent-encoded.
    encoded: bool,
    /// The whole parameter, as a range of the field value.
    pub(super) raw: Range<usize>,
}

impl Param {
    /// True if the value is encoded or in pieces.
    pub(super) fn is_extended(&self) -> bool {
        self.encoded || self.section.is_some()
    }
}

impl Params {
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    pub(super) fn params(&self) -> &[Param] {
        &self.params
    }

    pub(super) fn name(&self, param: &Param) -> &[u8] {
        &self.arena[param.name.clone()]
    }

    /// Parses `value`. Time is linear in its length.
    pub(super) fn parse(&mut self, value: &[u8]) {
        self.token.clear();
        self.params.clear();
        self.arena.clear();
        let mut at = skip_space(value, 0);
        // No rule allows quotation marks here, but some programs write them around the
        // type, or around the whole value.
        let quote = value.get(at).copied().filter(|b| matches!(b, b'"' | b'\''));
        let mut value = value;
        if let Some(quote) = quote {
            at += 1;
            let end = value.trim_ascii_end();
            let is_around_all = end.len() > at && end.ends_with(&[quote]);
            if is_around_all {
                value = &end[..end.len() - 1];
            }
        }
        let is_end =
            |b: u8| Some(b) == quote || matches!(b, b';' | b'(' | b'=') || b.is_ascii_whitespace();
        let token = before(&value[at..], is_end);
        let letters = token.iter().map(|&b| char::from(b.to_ascii_lowercase()));
        self.token.extend(letters);
        at += token.len();
        at += usize::from(quote.is_some() && value.get(at).copied() == quote);
        self.arena.reserve(value.len() - at);
        while at < value.len() && self.params.len() < MAX_PARAMS {
            at = skip_space(value, at);
            if value.get(at) == Some(&b';') {
                at += 1;
                continue;
            }
            at = self.param(value, at);
        }
    }

    /// Reads the parameter at `from`. Returns its end, which is after `from`
    /// unless `from` is the end of `value`.
    fn param(&mut self, value: &[u8], from: usize) -> usize {
        let name_start = self.arena.len();
        let is_end = |b: u8| matches!(b, b'=' | b';') || b.is_ascii_whitespace();
        let text = before(&value[from..], is_end);
        self.arena.extend_from_slice(text);
        self.arena[name_start..].make_ascii_lowercase();
        let mut at = from + text.len();
        let mut name = name_start..self.arena.len();
        at = skip_space(value, at);
        if value.get(at) != Some(&b'=') {
            // The word is not a parameter. Skip at least one byte, so that there
            // is progress.
            return at.max(from + 1).min(value.len());
        }
        at = skip_space(value, at + 1);
        let value_start = self.arena.len();
        if value.get(at) == Some(&b'"') {
            at += 1;
            loop {
                let is_special = |b: u8| matches!(b, b'"' | b'\\' | b'\r' | b'\n');
                let text = before(&value[at..], is_special);
                self.arena.extend_from_slice(text);
                at += text.len();
                let Some(special) = value.get(at) else { break };
                at += 1;
                match special {
                    b'"' => break,
                    b'\\' => {
                        // The last byte stands for itself.
                        let escaped = value.get(at);
                        self.arena.push(*escaped.unwrap_or(special));
                        at += usize::from(escaped.is_some());
                    }
                    _ => {}
                }
            }
        } else {
            let is_file = matches!(&self.arena[name.clone()], b"name" | b"filename");
            let text = if is_file {
                file_name(&value[at..])
            } else {
                before(&value[at..], |b| b == b';' || b.is_ascii_whitespace())
            };
            self.arena.extend_from_slice(text);
            at += text.len();
        }
        let encoded = self.arena[name.clone()].ends_with(b"*");
        name.end -= usize::from(encoded);
        let mut section = None;
        if let Some(star) = self.arena[name.clone()].iter().position(|&b| b == b'*') {
            let digits = &self.arena[name.start + star + 1..name.end];
            section = std::str::from_utf8(digits)
                .ok()
                .and_then(|d| d.parse().ok());
            name.end = name.start + star;
        }
        self.params.push(Param {
            name,
            value: value_start..self.arena.len(),
            section,
            encoded,
            raw: from..at,
        });
        at
    }

    /// Appends the decoded value of the parameter `name` to `out`. Returns
    /// false if there is none.
    pub(super) fn get(&mut self, name: &[u8], out: &mut Vec<u8>) -> bool {
        match self.params.iter().position(|p| self.name(p) == name) {
            Some(i) => {
                self.get_nth(i, out);
                true
            }
            None => false,
        }
    }

    /// Appends the decoded value of the parameter at `i`. If a parameter with
    /// this name is extended, all extended ones with this name are joined, and
    /// the plain ones are ignored.
    pub(super) fn get_nth(&mut self, i: usize, out: &mut Vec<u8>) {
        let (params, arena, scratch) = (&self.params, &self.arena, &mut self.scratch);
        let name = &arena[params[i].name.clone()];
        let named = |p: &&Param| &arena[p.name.clone()] == name;
        // A parameter may have a plain form and an extended form. The plain
        // form is for readers that do not know the extended form (RFC 5987
        // section 4.2, about the same pair in HTTP).
        if !params.iter().filter(named).any(Param::is_extended) {
            out.extend_from_slice(&arena[params[i].value.clone()]);
            return;
        }
        scratch.clear();
        let mut charset: &[u8] = b"";
        // There are at most MAX_PARAMS sections, so the quadratic search is
        // bounded.
        for n in 0..params.len() as u32 {
            let at = |p: &&Param| p.is_extended() && p.section.unwrap_or(0) == n;
            let Some(p) = params.iter().filter(named).find(at) else {
                break;
            };
            let mut value = &arena[p.value.clone()];
            if !p.encoded {
                scratch.extend_from_slice(value);
                continue;
            }
            // > … charset and language … are delimited by single quote
            // > characters … (RFC 2231 section 4)
            if n == 0 {
                let mut parts = value.splitn(3, |&b| b == b'\'');
                if let (Some(c), Some(_), Some(v)) = (parts.next(), parts.next(), parts.next()) {
                    charset = c;
                    value = v;
                }
            }
            percent(value, scratch);
        }
        transcode(charset, scratch, out);
    }
}

fn percent(text: &[u8], out: &mut Vec<u8>) {
    let mut i = 0;
    while i < text.len() {
        let escape = match text[i..] {
            [b'%', h, l, ..] => hex_byte(h, l),
            _ => None,
        };
        if let Some(byte) = escape {
            out.push(byte);
            i += 3;
        } else {
            out.push(text[i]);
            i += 1;
        }
    }
}

/// Splits a media type at its slash.
pub(super) fn split_type(content_type: &str) -> Option<(&str, &str)> {
    // memchr is several times as fast as `split_once`. This is measurable for
    // small messages.
    let slash = memchr(b'/', content_type.as_bytes())?;
    Some((&content_type[..slash], &content_type[slash + 1..]))
}

/// The name of a file without quotation marks, which should have no blanks but often does:
/// `name=my letter.doc`. It ends before another parameter whose `;` is missing.
fn file_name(value: &[u8]) -> &[u8] {
    let text = before(value, |b| matches!(b, b';' | b'\r' | b'\n'));
    let Some(equals) = memchr::memchr(b'=', text) else {
        return text.trim_ascii_end();
    };
    let blank = text[..equals].trim_ascii_end();
    let blank = blank.iter().rposition(u8::is_ascii_whitespace);
    blank.map_or(text, |at| &text[..at]).trim_ascii_end()
}

/// The bytes of `text` before the first one that `ends` it.
#[inline]
fn before(text: &[u8], ends: impl Fn(u8) -> bool) -> &[u8] {
    let len = text.iter().position(|&b| ends(b));
    &text[..len.unwrap_or(text.len())]
}

/// The index of the first byte at or after `at` that is neither white space nor
/// in a comment.
fn skip_space(value: &[u8], mut at: usize) -> usize {
    let mut depth = 0u32;
    while let Some(&b) = value.get(at) {
        match b {
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            _ if depth > 0 || b.is_ascii_whitespace() => {}
            _ => break,
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_values_apart() {
        #[rustfmt::skip]
        let rows: &[(&str, &str, &str, Option<&str>)] = &[
            ("text/plain", "text/plain", "charset", None),
            (" Text/Plain ; charset=us-ascii (Plain text)", "text/plain", "charset", Some("us-ascii")),
            ("text/plain; charset=\"us-ascii\"", "text/plain", "charset", Some("us-ascii")),
            ("text/plain charset=utf-8", "text/plain", "charset", Some("utf-8")),
            ("text/plain;charset = \"a\\\"b\";x", "text/plain", "charset", Some("a\"b")),
            ("multipart/mixed; boundary=\"gc0y0pkb9ex\r\n ab", "multipart/mixed", "boundary", Some("gc0y0pkb9ex ab")),
            ("multipart/mixed;\r\n\tboundary==_a_=b", "multipart/mixed", "boundary", Some("=_a_=b")),
            // RFC 2231 sections 3, 4 and 4.1.
            ("message/external-body; access-type=URL;\n URL*0=\"ftp://\";\n URL*1=\"cs.utk.edu/pub/moore/bulk-mailer/bulk-mailer.tar\"", "message/external-body", "url", Some("ftp://cs.utk.edu/pub/moore/bulk-mailer/bulk-mailer.tar")),
            ("application/x-stuff; title*=us-ascii'en-us'This%20is%20%2A%2A%2Afun%2A%2A%2A", "application/x-stuff", "title", Some("This is ***fun***")),
            ("application/x-stuff\n title*0*=us-ascii'en'This%20is%20even%20more%20\n title*1*=%2A%2A%2Afun%2A%2A%2A%20\n title*2=\"isn't it!\"", "application/x-stuff", "title", Some("This is even more ***fun*** isn't it!")),
            ("a/b; name*=iso-8859-1''%E9t%e9", "a/b", "name", Some("été")),
            ("a/b; name*2=b; name*0=a", "a/b", "name", Some("a")),
            ("a/b; name=my letter (2).doc; x=y", "a/b", "name", Some("my letter (2).doc")),
            ("a/b; name=my letter.doc charset=utf-8", "a/b", "name", Some("my letter.doc")),
            ("a/b; name=my letter.doc charset=utf-8", "a/b", "charset", Some("utf-8")),
            ("a/b; name=a=b.doc", "a/b", "name", Some("a=b.doc")),
            ("a/b; charset=utf-8 x", "a/b", "charset", Some("utf-8")),
            ("a/b; filename=my letter.doc\r\n x=y", "a/b", "filename", Some("my letter.doc")),
            ("a/b (unclosed; name=x", "a/b", "name", None),
            ("a/b; =x; name=y", "a/b", "name", Some("y")),
            ("\"text/html\"", "text/html", "charset", None),
            ("'text/html'; charset=utf-8", "text/html", "charset", Some("utf-8")),
            ("'text/html; charset=\"utf-8\"'", "text/html", "charset", Some("utf-8")),
            ("\"text/html; charset=utf-8\" ", "text/html", "charset", Some("utf-8")),
            ("\"text/html\"; charset=\"utf-8\"", "text/html", "charset", Some("utf-8")),
            ("\"", "", "charset", None),
            ("\"\"", "", "charset", None),
            ("", "", "name", None),
            (";;;===;", "", "name", None),
        ];
        let mut params = Params::default();
        for &(value, token, name, expected) in rows {
            params.parse(value.as_bytes());
            assert_eq!(params.token(), token, "{value:?}");
            let mut got = Vec::new();
            let found = params.get(name.as_bytes(), &mut got);
            assert_eq!(found, expected.is_some(), "{value:?}");
            assert_eq!(
                String::from_utf8_lossy(&got),
                expected.unwrap_or(""),
                "{value:?}"
            );
        }
    }
}
