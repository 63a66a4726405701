//! The data of a row that a report needs, owned and bounded.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use super::days::year_of;
use urlgrep_base::escape;
use urlgrep_base::names::Set;
use urlgrep_find::scan::{Doubt, ReadingKind};
use urlgrep_mail::Author;
use urlgrep_mail::mime::{Date, Role};
use urlgrep_rows::record::{Field, Record, Row, Value};
use urlgrep_url::{Caution, Host, validate};

/// The maximum length of a text that is kept and shown, in characters.
pub(super) const TEXT: usize = 200;
/// The maximum number of groups of a message that are counted.
const GROUPS: usize = 64;
/// The number of earlier links among which an equal URL is looked for. A message of a
/// mailing list has up to ten URLs in its header, and so has the next one.
const EARLIER: usize = 16;

static KEYS: LazyLock<RandomState> = LazyLock::new(RandomState::new);

/// The data of a row that a report needs. A worker creates it and another
/// thread counts it. Links share the data of their message and of their URL.
#[derive(Clone, Debug)]
pub struct Link {
    pub(super) post: Arc<Post>,
    pub(super) url: Arc<LinkUrl>,
    pub(super) line: Option<u64>,
    pub(super) form: &'static str,
    pub(super) role: Option<&'static str>,
    pub(super) source: LinkSource,
    /// The kinds of the seams. There is one bit for each kind, in the order of
    /// `SeamKind::ALL`.
    pub(super) seams: u32,
    pub(super) doubts: Set<Doubt>,
}

/// The data of a message.
#[derive(Debug)]
pub(super) struct Post {
    pub path: Box<str>,
    /// The offset at which the message begins.
    pub start: Option<u64>,
    /// See [`sender`].
    pub sender: (Option<Date>, u64),
    pub date: Option<Date>,
    pub year: Option<i32>,
    /// The address of the author, or what else tells authors apart.
    pub author: Box<str>,
    /// The name and the address of the author.
    pub author_shown: Box<str>,
    pub groups: Vec<Box<str>>,
}

/// The data of a URL, or of a reject.
#[derive(Debug)]
pub(super) struct LinkUrl {
    /// The whole text, if all data follows from it. Otherwise empty.
    text: Box<[u8]>,
    pub shown: Box<str>,
    /// The canonical form. It has at most [`TEXT`] characters.
    pub key: Box<str>,
    /// A hash of the whole canonical form.
    pub hash: u64,
    pub scheme: Box<str>,
    pub host: Box<str>,
    pub domain: Box<str>,
    pub cautions: Set<Caution>,
    /// The rule that failed, and the reason as text.
    pub rule: Option<(&'static str, String)>,
    /// The host of the gateway, and the original URL inside.
    pub rewritten: Option<(Box<str>, Box<str>)>,
}

/// Who put a link into a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkSource {
    /// The author of the message, as with `--authored`.
    Author,
    /// A program, or the habit of a sender: header fields, signatures, footers.
    Boilerplate,
    /// The author of an earlier message.
    Quotation,
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
    /// The data of a hit or a reject. `earlier` has the links before it, and the last of
    /// them is of the same text if `same_text` is true. If `clean` is true, URLs are counted
    /// without the parameters that only track ([`Url::clean`](urlgrep_url::Url::clean)).
    #[must_use]
    pub fn new(record: &Record<'_>, earlier: &[Link], same_text: bool, clean: bool) -> Link {
        let row = Row::from(record);
        let found = &record.found;
        let hit = found.hit;
        let pieces = found.source().or_else(|| found.decoded());
        let seams = pieces.map_or(&[][..], |pieces| pieces.seams).iter();
        let seams = seams.fold(0, |bits, seam| bits | 1 << seam.kind as u32);
        let start = found.message.map(|message| message.start);
        let last = earlier.last().filter(|_| same_text && start.is_some());
        let post = last.map(|last| Arc::clone(&last.post));
        let post = post.filter(|post| post.start == start && post.sender == sender(record));
        let mut earlier = earlier.iter().rev().take(EARLIER);
        let same = earlier.find(|link| *link.url.text == *hit.text());
        let same = same.filter(|_| is_all_in_text(&row, record));
        let url = same.map(|link| Arc::clone(&link.url));
        Link {
            post: post.unwrap_or_else(|| Post::new(&row, record).into()),
            url: url.unwrap_or_else(|| LinkUrl::new(&row, record, clean).into()),
            line: found.line(),
            form: hit.form().name(),
            role: found.role().map(|role| role.name()),
            source: match found.role() {
                Some(Role::Quoted(_)) => LinkSource::Quotation,
                Some(Role::Header | Role::Signature | Role::Footer) => LinkSource::Boilerplate,
                _ => LinkSource::Author,
            },
            seams,
            doubts: hit.doubts(),
        }
    }

    /// The approximate memory in bytes, without what it shares with an earlier link.
    #[must_use]
    pub fn weight(&self) -> usize {
        let post = match Arc::strong_count(&self.post) {
            1 => self.post.weight(),
            _ => 0,
        };
        let url = match Arc::strong_count(&self.url) {
            1 => self.url.weight(),
            _ => 0,
        };
        size_of::<Link>() + post + url
    }

    pub(super) fn example(&self, note: &str) -> Example {
        Example {
            url: self.url.shown.clone(),
            note: note.into(),
            path: self.post.path.clone(),
            line: self.line,
            date: self.post.date,
        }
    }
}

/// What tells apart the messages of a text of JSON, which all begin where it does: the date, and
/// a hash of the author.
fn sender(record: &Record<'_>) -> (Option<Date>, u64) {
    let info = record.found.message.map(|message| message.info);
    let author = info.map_or(0, |info| KEYS.hash_one(info.from()));
    (info.and_then(|info| info.date()), author)
}

/// True if the text of a hit decides about all data of its URL.
fn is_all_in_text(row: &Row<'_>, record: &Record<'_>) -> bool {
    let mut others = record.hit.alternates();
    record.hit.url().is_ok()
        && row.cautions_are_of_url()
        && !others.any(|other| other.kind == ReadingKind::Outer)
}

fn text(row: &Row<'_>, field: Field) -> Box<str> {
    match row.value(field, &mut Vec::new()) {
        Value::Text(text) => shown(text, TEXT),
        _ => Box::default(),
    }
}

impl Post {
    fn weight(&self) -> usize {
        let texts = [&self.path, &self.author, &self.author_shown];
        let bytes: usize = texts.into_iter().chain(&self.groups).map(|t| t.len()).sum();
        size_of::<Post>() + bytes + size_of::<Box<str>>() * self.groups.len()
    }

    fn new(row: &Row<'_>, record: &Record<'_>) -> Post {
        let message = record.found.message;
        let mut scratch = Vec::new();
        let groups = match row.value(Field::Group, &mut scratch) {
            Value::Text(groups) => groups,
            _ => b"",
        };
        let groups = groups.split(|&b| b == b',').map(<[u8]>::trim_ascii);
        let groups = groups.filter(|group| !group.is_empty()).take(GROUPS);
        let date = message.and_then(|message| message.info.date());
        let author = Author::of(message.map_or(b"", |message| message.info.from()));
        Post {
            path: text(row, Field::Path),
            start: message.map(|message| message.start),
            sender: sender(record),
            date,
            year: date.and_then(year_of),
            author: shown(author.key(), TEXT),
            author_shown: shown(author.shown(), TEXT),
            groups: groups.map(|group| shown(group, TEXT)).collect(),
        }
    }
}

impl LinkUrl {
    fn weight(&self) -> usize {
        let texts = [&self.shown, &self.key, &self.host, &self.domain];
        let bytes: usize = texts.into_iter().map(|text| text.len()).sum();
        let reason = self.rule.as_ref().map_or(0, |(_, reason)| reason.len());
        let inner = self.rewritten.as_ref();
        let inner = inner.map_or(0, |(gateway, inner)| gateway.len() + inner.len());
        size_of::<LinkUrl>() + self.text.len() + bytes + reason + inner
    }

    fn new(row: &Row<'_>, record: &Record<'_>, clean: bool) -> LinkUrl {
        let hit = record.hit;
        let verdict = hit.url();
        let url = |url: &[u8]| cut(url, TEXT, escape::url);
        let outer = hit.alternates().find(|a| a.kind == ReadingKind::Outer);
        let hops = || verdict.as_ref().ok().and_then(|url| url.hops().last());
        let rewritten = match outer {
            Some(outer) => {
                let outer = validate(hit.profile(), outer.url.as_bytes());
                let host = outer.ok().and_then(|url| url.host());
                let host = host.map_or("", Host::as_str).as_bytes();
                Some((shown(host, TEXT), url(hit.text())))
            }
            None => hops().map(|inner| (text(row, Field::Host), url(inner.as_bytes()))),
        };
        let mut canonical = Vec::new();
        if let Ok(url) = &verdict {
            let clean = if clean { url.clean() } else { None };
            let clean = clean
                .as_ref()
                .map(|clean| validate(hit.profile(), clean.as_bytes()));
            match clean {
                Some(Ok(clean)) => clean.canonical_into(&mut canonical),
                _ => url.canonical_into(&mut canonical),
            }
        }
        let text_of_hit = if is_all_in_text(row, record) {
            hit.text().into()
        } else {
            Box::default()
        };
        let reject = verdict.err();
        LinkUrl {
            text: text_of_hit,
            shown: match verdict {
                Ok(_) => url(hit.text()),
                Err(_) => shown(hit.text(), TEXT),
            },
            key: url(&canonical),
            hash: KEYS.hash_one(&canonical),
            scheme: text(row, Field::Scheme),
            host: text(row, Field::Host),
            domain: text(row, Field::Domain),
            cautions: record.found.cautions(),
            rule: reject.map(|reject| (reject.rule.name(), reject.to_string())),
            rewritten,
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
    if is_plain && let Ok(text) = str::from_utf8(bytes) {
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
