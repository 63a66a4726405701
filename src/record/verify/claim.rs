//! A record as a stranger reads it: by the schema, and strictly.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};

use super::seam::Within;
use super::{Difference, differs, show};

const VERSION: u32 = 1;
/// The longest URL that is a hit; what is longer is refused as too long.
const URL_MAX: usize = 8192;
const FORMS: &[&str] = &["wrapped", "bracketed", "quoted", "prefixed", "bare"];
const DOUBTS: &[&str] = &["inner-space", "script"];
const READINGS: &[&str] = &["plain", "hyphen", "space", "joined", "qp", "raw", "script"];
const PROFILES: &[&str] = &[
    "url-00",
    "url-03",
    "www-uri-00",
    "url-06",
    "rfc1738",
    "current",
    "iri",
];
const CAUTIONS: &[&str] = &[
    "password",
    "user",
    "low-port",
    "encoded-cr",
    "encoded-lf",
    "encoded-nul",
    "port-range",
];
/// In the order in which those of one URL stand in it.
const COMPONENTS: &[&str] = &[
    "scheme",
    "user",
    "password",
    "host",
    "port",
    "path",
    "typecode",
    "to",
    "headers",
    "group",
    "article",
    "number",
    "gtype",
    "selector",
    "database",
    "wtype",
    "length",
    "wpath",
    "search",
    "gopher-plus",
    "object",
    "version",
    "attributes",
    "fields",
    "id",
    "content-id",
    "nid",
    "nss",
    "parameters",
    "query",
    "fragment",
];
const ROLES: &[&str] = &[
    "body",
    "quoted",
    "signature",
    "footer",
    "header",
    "html-link",
    "html-text",
    "attachment",
];

/// A record that was read back: what it claims of its source.
#[derive(Clone, Debug)]
pub struct Claim {
    pub(super) row: Row,
}

#[derive(serde::Deserialize)]
struct Kind {
    r#type: String,
}

impl Claim {
    /// Reads one line of `--json`. A note is nothing to confirm: `None`.
    ///
    /// # Errors
    ///
    /// The line is no record of this schema.
    pub fn read(line: &[u8]) -> Result<Option<Claim>, Difference> {
        let wrong = |error: serde_json::Error| differs(format!("not a record: {error}"));
        let kind: Kind = serde_json::from_slice(line).map_err(wrong)?;
        if kind.r#type == "note" {
            let _: Note = serde_json::from_slice(line).map_err(wrong)?;
            return Ok(None);
        }
        let row = serde_json::from_slice(line).map_err(wrong)?;
        Ok(Some(Claim { row }))
    }

    /// The path of the source, in its own bytes.
    #[must_use]
    pub fn path(&self) -> &[u8] {
        self.row.path.bytes()
    }

    /// The URL.
    #[must_use]
    pub fn url(&self) -> &[u8] {
        self.row.url.bytes()
    }

    /// The number of the message, and the MIME part.
    #[must_use]
    pub fn message_and_part(&self) -> (Option<u64>, Option<&str>) {
        let number = self.row.message.as_ref().map(|message| message.number);
        (number, self.row.part.as_deref())
    }

    /// True if the URL stands in decoded text and not in the source itself.
    #[must_use]
    pub fn is_decoded(&self) -> bool {
        self.row.decoded.is_some()
    }
}

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Row {
    v: u32,
    r#type: String,
    path: Text,
    pub(super) line: Option<u64>,
    pub(super) column: Option<u64>,
    offset: Option<u64>,
    end: Option<u64>,
    pub(super) url: Text,
    scheme: Option<String>,
    profile: String,
    form: String,
    pub(super) segments: Option<Vec<(u64, u64)>>,
    pub(super) seams: Option<Vec<Seam>>,
    pub(super) decoded: Option<Decoded>,
    alternates: Vec<Alternate>,
    doubt: Option<String>,
    #[serde(rename = "continues")]
    _continues: bool,
    #[serde(rename = "glued")]
    _glued: bool,
    cautions: Vec<String>,
    components: Pairs,
    reason: Option<Reason>,
    pub(super) message: Option<Message>,
    part: Option<String>,
    header: Option<Text>,
    role: Option<String>,
    #[serde(rename = "depth")]
    _depth: Option<u32>,
}

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Seam {
    pub(super) kind: String,
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) at: u64,
    pub(super) len: u64,
}

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Decoded {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) segments: Vec<(u64, u64)>,
    pub(super) seams: Vec<Seam>,
}

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Alternate {
    kind: String,
    #[serde(rename = "url")]
    _url: Text,
}

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Reason {
    rule: String,
    at: u64,
    found: Option<u8>,
    text: String,
}

#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Message {
    number: u64,
    pub(super) start: u64,
    /// Null in a message that is longer than was waited for.
    pub(super) end: Option<u64>,
    #[serde(rename = "id")]
    _id: Option<Text>,
    #[serde(rename = "date")]
    _date: Option<String>,
    #[serde(rename = "from")]
    _from: Option<Text>,
    #[serde(rename = "subject")]
    _subject: Option<Text>,
    #[serde(rename = "newsgroups")]
    _newsgroups: Option<Text>,
    #[serde(rename = "list")]
    _list: Option<Text>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Note {
    #[serde(rename = "v")]
    _v: u32,
    #[serde(rename = "type")]
    _type: String,
    #[serde(rename = "path")]
    _path: Text,
    #[serde(rename = "offset")]
    _offset: Option<u64>,
    #[serde(rename = "message")]
    _message: Option<u64>,
    #[serde(rename = "part")]
    _part: Option<String>,
    #[serde(rename = "kind")]
    _kind: String,
    #[serde(rename = "text")]
    _text: String,
}

/// A string, or bytes in base 64.
#[derive(Clone, Debug)]
pub(super) struct Text(Vec<u8>);

impl Text {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(untagged, deny_unknown_fields)]
        enum Either {
            Text(String),
            Bytes { bytes: String },
        }
        match Either::deserialize(deserializer)? {
            Either::Text(text) => Ok(Text(text.into_bytes())),
            Either::Bytes { bytes } => match decode_base64(&bytes) {
                Some(bytes) if std::str::from_utf8(&bytes).is_err() => Ok(Text(bytes)),
                Some(_) => Err(D::Error::custom("bytes that a string could hold")),
                None => Err(D::Error::custom("bytes that are not base 64")),
            },
        }
    }
}

/// RFC 4648 section 4, with its padding and no bits left over.
fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    if !text.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut out = Vec::new();
    let (mut bits, mut held) = (0u32, 0);
    for b in digits.bytes() {
        let digit = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(digit);
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    (bits == 0).then_some(out)
}

/// An object; a list, so that a key that is there twice is seen.
#[derive(Clone, Debug)]
struct Pairs(Vec<(String, Text)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pairs, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Pairs;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some((name, text)) = map.next_entry::<String, Text>()? {
                    // Each is compared with all before it: there must be few.
                    if pairs.len() == COMPONENTS.len() {
                        return Err(A::Error::custom("more components than there are"));
                    }
                    if pairs.iter().any(|(other, _)| *other == name) {
                        return Err(A::Error::custom(format!("duplicate field `{name}`")));
                    }
                    pairs.push((name, text));
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl Row {
    /// What the URL stands in.
    pub(super) fn within(&self) -> Within {
        match (&self.header, &self.part) {
            (Some(_), _) => Within::Header,
            (None, Some(_)) => Within::Part,
            (None, None) => Within::Text,
        }
    }

    /// Where the URL stands in the source; `None` if it stands in decoded
    /// text.
    pub(super) fn extent(&self) -> Result<Option<(u64, u64)>, Difference> {
        let all = self.segments.is_some() && self.seams.is_some() && self.decoded.is_none();
        let none = self.segments.is_none() && self.seams.is_none() && self.decoded.is_some();
        match (self.offset, self.end) {
            (Some(offset), Some(end)) if all => Ok(Some((offset, end))),
            (None, None) if none => Ok(None),
            _ => Err(differs(
                "offset, end, segments and seams must be there, or decoded instead",
            )),
        }
    }

    /// Whatever can be told without the source.
    pub(super) fn agrees_with_itself(&self) -> Result<(), Difference> {
        if self.v != VERSION {
            return Err(differs(format!("version {} is not {VERSION}", self.v)));
        }
        known("form", FORMS, &self.form)?;
        known("profile", PROFILES, &self.profile)?;
        known("doubt", DOUBTS, self.doubt.as_deref().unwrap_or(DOUBTS[0]))?;
        known("role", ROLES, self.role.as_deref().unwrap_or(ROLES[0]))?;
        for alternate in &self.alternates {
            known("alternate", READINGS, &alternate.kind)?;
        }
        for caution in &self.cautions {
            known("caution", CAUTIONS, caution)?;
        }
        if self.message.as_ref().is_some_and(|m| m.number == 0) {
            return Err(differs("messages are counted from 1"));
        }
        let url = self.url.bytes();
        match memchr::memchr(b':', url) {
            Some(colon) => {
                let lower = url[..colon].to_ascii_lowercase();
                if self.scheme.as_ref().is_some_and(|s| s.as_bytes() != lower) {
                    return Err(differs(format!("the scheme is {}", show(&lower))));
                }
            }
            None if self.scheme.is_some() => return Err(differs("the URL has no scheme")),
            None => {}
        }
        match (&*self.r#type, &self.reason) {
            ("hit", None) => self.is_hit(url),
            ("reject", Some(reason)) => self.is_reject(url, reason),
            _ => Err(differs("a reject has a reason, and a hit has none")),
        }
    }

    fn is_hit(&self, url: &[u8]) -> Result<(), Difference> {
        // Only RFC 3987 knows characters beyond ASCII.
        let beyond = self.profile == "iri" && std::str::from_utf8(url).is_ok();
        let graphic = |b: &u8| b.is_ascii_graphic() || beyond && !b.is_ascii();
        if !url.iter().all(graphic) || self.scheme.is_none() {
            return Err(differs("a hit is graphic with a scheme"));
        }
        if url.len() > URL_MAX {
            return Err(differs(format!("a hit has at most {URL_MAX} bytes")));
        }
        for (name, _) in &self.components.0 {
            known("component", COMPONENTS, name)?;
        }
        // An object has no order that every program keeps.
        let component = |name: &&str| self.components.0.iter().find(|pair| pair.0 == **name);
        let parts: Vec<_> = COMPONENTS
            .iter()
            .filter_map(component)
            .map(|pair| pair.1.bytes())
            .collect();
        if component(&"scheme").is_none() || !covers(url, &parts) {
            return Err(differs("the components do not make up the URL"));
        }
        let facts = [
            ("password", component(&"password").is_some()),
            ("encoded-cr", has_escape(url, b"0D")),
            ("encoded-lf", has_escape(url, b"0A")),
            ("encoded-nul", has_escape(url, b"00")),
        ];
        for (name, holds) in facts {
            if self.cautions.iter().any(|caution| caution == name) != holds {
                return Err(differs(format!("the caution {name} is wrong")));
            }
        }
        Ok(())
    }

    fn is_reject(&self, url: &[u8], reason: &Reason) -> Result<(), Difference> {
        if !self.components.0.is_empty() || !self.cautions.is_empty() {
            return Err(differs("a reject has no components and no cautions"));
        }
        let at = usize::try_from(reason.at).unwrap_or(usize::MAX);
        if at > url.len() || url.get(at).copied() != reason.found {
            return Err(differs(format!("byte {at} of the URL is another one")));
        }
        let start = format!("{} {}, byte {at}: ", self.profile, reason.rule);
        if !reason.text.starts_with(&start) {
            return Err(differs(format!("the reason does not start with {start}")));
        }
        Ok(())
    }
}

fn known(what: &str, names: &[&str], name: &str) -> Result<(), Difference> {
    if names.contains(&name) {
        return Ok(());
    }
    Err(differs(format!("{what}: no {}", show(name.as_bytes()))))
}

/// True if `url` holds the escape of a byte.
fn has_escape(url: &[u8], hex: &[u8; 2]) -> bool {
    let mut rest = url;
    while let Some(at) = memchr::memchr(b'%', rest) {
        let escape = rest.get(at + 1..at + 3).unwrap_or_default();
        if escape.eq_ignore_ascii_case(hex) {
            return true;
        }
        rest = rest.get(at + 3..).unwrap_or_default();
    }
    false
}

/// True if `parts` stand in `url` one after the other, with nothing but
/// separators before, between and after them. A separator can be part of a
/// component too, so every way to lay them out is followed.
///
/// # Complexity
///
/// The square of the length of the URL, which is at most [`URL_MAX`].
fn covers(url: &[u8], parts: &[&[u8]]) -> bool {
    if parts.iter().map(|part| part.len()).sum::<usize>() > url.len() {
        return false;
    }
    // Whether what was laid out so far can end before each byte, or at the end.
    let mut ends = vec![false; url.len() + 1];
    ends[0] = true;
    over_separators(url, &mut ends);
    for part in parts {
        let mut next = vec![false; url.len() + 1];
        for (at, _) in ends.iter().enumerate().filter(|(_, end)| **end) {
            if url[at..].starts_with(part) {
                next[at + part.len()] = true;
            }
        }
        over_separators(url, &mut next);
        ends = next;
    }
    ends[url.len()]
}

/// Adds the places that only separators keep from one in `ends`.
fn over_separators(url: &[u8], ends: &mut [bool]) {
    for at in 0..url.len() {
        if let (true, Some(len)) = (ends[at], separator(&url[at..])) {
            ends[at + len] = true;
        }
    }
}

/// The length of the separator that `text` starts with: what stands between
/// components and belongs to none.
fn separator(text: &[u8]) -> Option<usize> {
    const WORDS: &[&[u8]] = &[b"type=", b"%09", b"%00", b"%2509"];
    let word = WORDS.iter().find(|word| {
        text.get(..word.len())
            .is_some_and(|t| t.eq_ignore_ascii_case(word))
    });
    match text.first()? {
        b':' | b'/' | b'?' | b'#' | b'@' | b';' | b'=' | b'&' => Some(1),
        _ => word.map(|word| word.len()),
    }
}
