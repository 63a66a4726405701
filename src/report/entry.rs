//! The data of a row that a report needs, owned and bounded.

use crate::escape;
use crate::mail::mime::{Date, Role};
use crate::record::{Field, Record, Row, Value};
use crate::scan::{Doubt, ReadingKind};
use crate::url::{Host, validate};

/// The maximum length of a text that is kept and shown, in characters.
pub(super) const TEXT: usize = 200;
/// The maximum number of groups of a message that are counted.
const GROUPS: usize = 64;

/// The data of a row that a report needs. A worker creates it and another
/// thread counts it. It has the canonical form of the URL, and usually a few
/// hundred bytes more.
#[derive(Clone, Debug)]
pub struct Link {
    pub(super) url: Box<str>,
    pub(super) canonical: Box<[u8]>,
    pub(super) scheme: Box<str>,
    pub(super) host: Box<str>,
    pub(super) domain: Box<str>,
    pub(super) author: Box<str>,
    pub(super) groups: Vec<Box<str>>,
    pub(super) date: Option<Date>,
    pub(super) path: Box<str>,
    pub(super) line: Option<u64>,
    /// The offset at which the message begins.
    pub(super) message: Option<u64>,
    pub(super) form: &'static str,
    pub(super) role: Option<&'static str>,
    pub(super) source: LinkSource,
    /// The kinds of the seams. There is one bit for each kind, in the order of
    /// `SeamKind::ALL`.
    pub(super) seams: u32,
    pub(super) doubts: Vec<&'static str>,
    pub(super) cautions: Vec<&'static str>,
    /// The rule that failed, and the reason as text.
    pub(super) rule: Option<(&'static str, String)>,
    /// The host of the gateway, and the original URL inside.
    pub(super) rewritten: Option<(Box<str>, Box<str>)>,
}

/// Who put a link into a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkSource {
    /// The author of the message, as with `--new-only`.
    Author,
    /// A program, or the habit of a sender: header fields, signatures, footers.
    Boilerplate,
    /// The author of an earlier message.
    Quotation,
}

impl From<Option<Role>> for LinkSource {
    fn from(role: Option<Role>) -> LinkSource {
        match role {
            Some(Role::Quoted(_)) => LinkSource::Quotation,
            Some(Role::Header | Role::Signature | Role::Footer) => LinkSource::Boilerplate,
            _ => LinkSource::Author,
        }
    }
}

/// A row of a list.
#[derive(Clone, Debug)]
pub(super) struct Example {
    pub url: Box<str>,
    /// The reason for the row to be in the list.
    pub note: Box<str>,
    pub path: Box<str>,
    pub line: Option<u64>,
    pub date: Option<Date>,
}

impl Link {
    /// The data of a hit or a reject.
    #[must_use]
    pub fn new(record: &Record<'_>) -> Link {
        let row = Row::from(record);
        let mut scratch = Vec::new();
        let text = |field| match row.value(field, &mut Vec::new()) {
            Value::Text(text) => shown(text, TEXT),
            _ => Box::default(),
        };
        let url = |url: &[u8]| cut(url, TEXT, escape::url);
        let found = &record.found;
        let hit = found.hit;
        let verdict = hit.url();
        let info = found.message.map(|message| message.info);
        let date = info.and_then(|info| info.date());
        let pieces = found.source().or_else(|| found.decoded());
        let seams = pieces.map_or(&[][..], |pieces| pieces.seams);
        let outer = hit.alternates().find(|a| a.kind == ReadingKind::Outer);
        let rewritten = match (
            outer,
            verdict.as_ref().ok().and_then(|url| url.hops().last()),
        ) {
            (Some(outer), _) => {
                let outer = validate(hit.profile(), outer.url.as_bytes());
                let host = outer.ok().and_then(|url| url.host());
                let host = host.map_or("", Host::as_str).as_bytes();
                Some((shown(host, TEXT), url(hit.text())))
            }
            (None, Some(inner)) => Some((text(Field::Host), url(inner.as_bytes()))),
            _ => None,
        };
        let mut canonical = Vec::new();
        if let Ok(url) = &verdict {
            url.canonical_into(&mut canonical);
        }
        let groups = match row.value(Field::Group, &mut scratch) {
            Value::Text(groups) => groups,
            _ => b"",
        };
        let groups = groups.split(|&b| b == b',').map(<[u8]>::trim_ascii);
        let groups = groups.filter(|group| !group.is_empty()).take(GROUPS);
        let groups = groups.map(|group| shown(group, TEXT)).collect();
        Link {
            url: match verdict {
                Ok(_) => url(hit.text()),
                Err(_) => shown(hit.text(), TEXT),
            },
            canonical: canonical.into(),
            scheme: text(Field::Scheme),
            host: text(Field::Host),
            domain: text(Field::Domain),
            author: text(Field::From),
            groups,
            date,
            path: text(Field::Path),
            line: found.line(),
            message: found.message.map(|message| message.start),
            form: hit.form().name(),
            role: found.role().map(|role| role.name()),
            source: found.role().into(),
            seams: seams
                .iter()
                .fold(0, |bits, seam| bits | 1 << seam.kind as u32),
            doubts: hit.doubts().iter().map(Doubt::name).collect(),
            cautions: found.cautions().iter().map(|c| c.name()).collect(),
            rule: verdict
                .err()
                .map(|reject| (reject.rule.name(), reject.to_string())),
            rewritten,
        }
    }

    /// The canonical form as text. It has at most [`TEXT`] characters.
    pub(super) fn key(&self) -> Box<str> {
        cut(&self.canonical, TEXT, escape::url)
    }

    pub(super) fn example(&self, note: &str) -> Example {
        Example {
            url: self.url.clone(),
            note: note.into(),
            path: self.path.clone(),
            line: self.line,
            date: self.date,
        }
    }
}

/// At most `max` characters of a text. Hidden characters are escaped.
pub(super) fn shown(bytes: &[u8], max: usize) -> Box<str> {
    cut(bytes, max, escape::terminal)
}

fn cut(bytes: &[u8], max: usize, rule: fn(&[u8], &mut Vec<u8>)) -> Box<str> {
    // Fast path: nearly all texts are short and plain.
    let is_plain = bytes.len() <= max && !escape::has(bytes, |b| !(b' '..=b'~').contains(&b));
    if let (true, Ok(text)) = (is_plain, str::from_utf8(bytes)) {
        return text.into();
    }
    // A character has at most four bytes.
    let mut out = Vec::new();
    rule(&bytes[..bytes.len().min(4 * max)], &mut out);
    let text = String::from_utf8_lossy(&out);
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]).into(),
        None => text.into(),
    }
}
