//! Computes the values of a row.

use std::io::Write as _;

use super::field::{Field, VERSION};
use super::value::{Names, Value};
use super::{EndRecord, FaultRecord, NoteRecord, Record, some};
use urlgrep_base::escape::STDIN;
use urlgrep_find::Hit;
use urlgrep_find::scan::ReadingKind;
use urlgrep_mail::Author;
use urlgrep_mail::mime::{Date, MessageInfo, Role};
use urlgrep_search::{Composition, Match, Message, Note};
use urlgrep_url::{Reject, Url, registered_domain};

/// A row: a hit, a reject, a note or an error. The value of each field is
/// computed on demand.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    path: &'a [u8],
    read_as: Option<&'a str>,
    column: Option<u64>,
    what: What<'a>,
}

/// A place in a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaceInPart<'a> {
    pub role: Option<Role>,
    /// The number of the part.
    pub part: Option<&'a str>,
    pub content_type: Option<&'a str>,
    pub file_name: Option<&'a str>,
}

#[derive(Clone, Copy, Debug)]
enum What<'a> {
    Hit(Located<'a>),
    Note(Note<'a>),
    Fault(FaultRecord<'a>),
    End(EndRecord<'a>),
}

/// Values of a hit that several fields share.
#[derive(Clone, Copy, Debug)]
struct Located<'a> {
    found: Match<'a>,
    verdict: Result<Url<'a>, Reject>,
    source: Option<Composition<'a>>,
    /// The values of `offset` and `end`.
    span: Option<(u64, u64)>,
}

impl<'a> From<&Record<'a>> for Row<'a> {
    fn from(record: &Record<'a>) -> Row<'a> {
        let source = record.found.source();
        let span = source.map(|pieces| pieces.span());
        Row {
            path: record.path_or_stdin(),
            read_as: record.read_as,
            column: record.column,
            what: What::Hit(Located {
                found: record.found,
                verdict: record.hit.url(),
                source,
                span: span.map(|span| (span.start, span.end)),
            }),
        }
    }
}

impl<'a> From<&Match<'a>> for Row<'a> {
    /// The row of a match whose file has no name, as of standard input.
    fn from(found: &Match<'a>) -> Row<'a> {
        Row::from(&Record::new(None, *found))
    }
}

impl<'a> From<&NoteRecord<'a>> for Row<'a> {
    fn from(record: &NoteRecord<'a>) -> Row<'a> {
        Row::without_hit(record.path, What::Note(record.note))
    }
}

impl<'a> From<&FaultRecord<'a>> for Row<'a> {
    fn from(record: &FaultRecord<'a>) -> Row<'a> {
        Row::without_hit(record.path, What::Fault(*record))
    }
}

impl<'a> From<&EndRecord<'a>> for Row<'a> {
    fn from(record: &EndRecord<'a>) -> Row<'a> {
        Row::without_hit(record.path, What::End(*record))
    }
}

impl<'a> Row<'a> {
    fn without_hit(path: Option<&'a [u8]>, what: What<'a>) -> Row<'a> {
        Row {
            path: path.unwrap_or(STDIN),
            read_as: None,
            column: None,
            what,
        }
    }

    /// The path of the file.
    pub(super) fn path(&self) -> &'a [u8] {
        self.path
    }

    /// How the file was read.
    pub(super) fn read_as(&self) -> Option<&'a str> {
        self.read_as
    }

    /// True if the place is in a header field or in the member of an attached archive.
    pub(super) fn is_inside(&self) -> bool {
        match &self.what {
            What::Hit(located) => {
                located.found.header().is_some() || located.found.member().is_some()
            }
            What::Note(note) => note.member.is_some(),
            What::Fault(_) | What::End(_) => false,
        }
    }

    /// True if the hit can be read in one way only, and its bytes are in the file.
    pub(super) fn is_sure(&self) -> bool {
        let What::Hit(Located { found, .. }) = &self.what else {
            return false;
        };
        let hit = found.hit;
        let has_other = hit.alternates().next().is_some() || !hit.doubts().is_empty();
        let is_joined = hit.continues() || hit.glued();
        !has_other
            && !is_joined
            && found.decoded().is_none()
            && found.in_ledger().corroborated.is_none()
    }

    /// The place in the part. `None` if more is to be said about it: that a link and its text
    /// differ.
    pub(super) fn place_in_part(&self) -> Option<PlaceInPart<'a>> {
        let What::Hit(Located { found, .. }) = &self.what else {
            return None;
        };
        let is_link = found.link_target().is_some() || found.link_text().is_some();
        (!is_link).then(|| PlaceInPart {
            role: found.role(),
            part: found.part(),
            content_type: found.content_type(),
            file_name: found.file_name(),
        })
    }

    /// The message of the row, if any.
    pub(super) fn message(&self) -> Option<Message<'a>> {
        match &self.what {
            What::Hit(located) => located.found.message,
            _ => None,
        }
    }

    /// True if the row is a hit or a reject.
    pub(super) fn is_candidate(&self) -> bool {
        matches!(self.what, What::Hit(_))
    }

    /// The URL of a hit.
    pub(super) fn url(&self) -> Option<Url<'a>> {
        match &self.what {
            What::Hit(located) => located.verdict.ok(),
            _ => None,
        }
    }

    /// True if the cautions are those of the URL alone: there is neither a link of
    /// HTML with another URL, nor one that `whatwg` has mended.
    #[doc(hidden)]
    pub fn cautions_are_of_url(&self) -> bool {
        let What::Hit(Located { found, .. }) = &self.what else {
            return false;
        };
        let mut others = found.hit.alternates();
        found.link_target().is_none() && !others.any(|other| other.kind == ReadingKind::Written)
    }

    /// Computes the value of `field` only. A value that cannot be borrowed is
    /// written to `scratch`, which is cleared first.
    ///
    /// # Complexity
    ///
    /// Linear in the value.
    #[inline(always)]
    pub fn value<'v>(&'v self, field: Field, scratch: &'v mut Vec<u8>) -> Value<'v> {
        match (field, &self.what) {
            (Field::Version, _) => Value::Number(VERSION),
            (Field::Path, _) => Value::Text(self.path),
            (Field::Folder, _) => Value::Text(folder(self.path)),
            (Field::ReadAs, _) => name(self.read_as),
            (Field::Column, _) => number(self.column),
            (_, What::Hit(located)) => located.value(field, scratch),
            (_, What::Note(note)) => of_note(note, field, scratch),
            (_, What::Fault(fault)) => of_fault(fault, field),
            (_, What::End(end)) => of_end(end, field),
        }
    }
}

impl Located<'_> {
    #[expect(clippy::too_many_lines, reason = "one arm for each field")]
    #[inline(always)]
    fn value<'v>(&'v self, field: Field, scratch: &'v mut Vec<u8>) -> Value<'v> {
        let hit = self.found.hit;
        let url = self.verdict.as_ref().ok();
        let reject = self.verdict.as_ref().err();
        let message = self.found.message.as_ref();
        let info = message.map(|message| message.info);
        match field {
            Field::Type => Value::Name(if url.is_some() { "hit" } else { "reject" }),
            Field::Line => number(self.found.line()),
            Field::Offset => number(self.span.map(|span| span.0)),
            Field::End => number(self.span.map(|span| span.1)),
            Field::Url => Value::Text(hit.text()),
            Field::Canonical => computed(url, scratch, |url, out| url.canonical_into(out)),
            Field::Surt => computed(url, scratch, |url, out| url.surt_into(out)),
            Field::Uri => match url.filter(|_| !hit.text().is_ascii()) {
                None => Value::Null,
                url => computed(url, scratch, |url, out| {
                    out.extend_from_slice(url.to_uri().as_bytes());
                }),
            },
            Field::Unwrapped => match url.and_then(|url| url.hops().last()) {
                None => Value::Null,
                inner => computed(inner.as_ref(), scratch, |inner, out| {
                    out.extend_from_slice(inner.as_bytes());
                }),
            },
            Field::Clean => match url.and_then(|url| url.clean()) {
                None => text(url.map(|_| hit.text())),
                clean => computed(clean.as_ref(), scratch, |clean, out| {
                    out.extend_from_slice(clean.as_bytes());
                }),
            },
            Field::Scheme => lower(scheme(hit, url), scratch),
            Field::Host => lower(url.and_then(|url| url.host_bytes()), scratch),
            Field::Domain => {
                let host = url.and_then(|url| url.host_bytes());
                lower(host.and_then(registered_domain), scratch)
            }
            Field::HostMeaning => {
                let meaning = url.and_then(|url| url.host_meaning());
                computed(meaning.as_ref(), scratch, |meaning, out| {
                    out.extend_from_slice(meaning.as_bytes());
                })
            }
            Field::Port => number(url.and_then(|url| url.port_number()).map(u64::from)),
            Field::Profile => Value::Name(hit.profile().name()),
            Field::Form => Value::Name(hit.form().name()),
            Field::Segments => self
                .source
                .map_or(Value::Null, |p| Value::Spans(p.segments)),
            Field::Seams => self.source.map_or(Value::Null, |p| Value::Seams(p.seams)),
            Field::Decoded => self.found.decoded().map_or(Value::Null, Value::Decoded),
            Field::Hops => {
                let links = hit
                    .alternates()
                    .filter(|other| other.kind == ReadingKind::Outer);
                number(Some(links.count() as u64).filter(|&hops| hops > 0))
            }
            Field::Corroborated => number(self.found.in_ledger().corroborated),
            Field::Count => number(self.found.in_ledger().count),
            Field::FirstSeen => time(self.found.in_ledger().first_seen),
            Field::LastSeen => time(self.found.in_ledger().last_seen),
            Field::Alternates => Value::Alternates(hit),
            Field::Doubt => Value::Names(Names::Doubt(hit.doubts())),
            Field::Continues => Value::Flag(hit.continues()),
            Field::Glued => Value::Flag(hit.glued()),
            Field::Cautions => {
                let cautions = url.map(|url| self.found.cautions_of(url));
                Value::Names(Names::Cautions(cautions.unwrap_or_default()))
            }
            Field::Components => Value::Components(url.copied()),
            Field::Rule => name(reject.map(|reject| reject.rule.name())),
            Field::RuleAt => number(reject.map(|reject| u64::from(reject.at))),
            Field::RuleFound => number(reject.and_then(|reject| reject.found).map(u64::from)),
            Field::Reason => computed(reject, scratch, |reject, out| {
                // OK to ignore: writing to a vector does not fail.
                let _ = write!(out, "{reject}");
            }),
            Field::Role => name(self.found.role().map(|role| role.name())),
            Field::Depth => number(
                self.found
                    .role()
                    .and_then(|role| role.depth())
                    .map(u64::from),
            ),
            Field::LinkTarget => text(self.found.link_target()),
            Field::LinkText => text(self.found.link_text()),
            Field::Part => name(self.found.part()),
            Field::ContentType => part(self.found.content_type()),
            Field::FileName => part(self.found.file_name()),
            Field::Member => text(self.found.member()),
            Field::Header => text(self.found.header()),
            Field::MessageNumber => number(message.and_then(|message| message.number)),
            Field::MessageStart => number(message.map(|message| message.start)),
            Field::MessageEnd => number(message.and_then(|message| message.end)),
            Field::MessageId => text(info.and_then(|info| some(info.message_id()))),
            Field::Mid => text(info.and_then(|info| some(info.message_id())).map(|id| {
                let id = id.strip_prefix(b"<").unwrap_or(id);
                id.strip_suffix(b">").unwrap_or(id)
            })),
            Field::Date => time(info.and_then(|info| info.date())),
            Field::From => text(info.and_then(|info| some(info.from()))),
            Field::Subject => text(info.and_then(|info| some(info.subject()))),
            Field::Newsgroups => text(info.and_then(|info| some(info.newsgroups()))),
            Field::ListId => text(info.and_then(|info| some(info.list_id()))),
            Field::RecordUrl => text(info.and_then(|info| some(info.record_url()))),
            Field::Year => date_part(info, "YYYY", scratch),
            Field::Month => date_part(info, "YYYY-MM", scratch),
            Field::Day => date_part(info, "YYYY-MM-DD", scratch),
            Field::Timestamp => {
                let date = info.and_then(|info| info.date());
                computed(date.as_ref(), scratch, |date, out| {
                    out.extend(date.text().iter().filter(|b| b.is_ascii_digit()));
                })
            }
            Field::FromAddress => author_part(info, Author::address, scratch),
            Field::FromName => author_part(info, Author::name, scratch),
            Field::To => text(info.and_then(|info| some(info.to()))),
            Field::Cc => text(info.and_then(|info| some(info.cc()))),
            Field::Group => {
                let groups = info.and_then(|info| some(info.newsgroups()));
                text(groups.or_else(|| info.and_then(|info| some(info.list_id()))))
            }
            Field::User => part(url.and_then(|url| url.user())),
            Field::Password => part(url.and_then(|url| url.password())),
            Field::Readable => computed(url, scratch, |url, out| url.readable_into(out)),
            Field::UrlPath => part(url.map(|url| url.path())),
            Field::Query => part(url.and_then(|url| url.query())),
            Field::Fragment => part(url.and_then(|url| url.fragment())),
            Field::Version
            | Field::Path
            | Field::Folder
            | Field::ReadAs
            | Field::Column
            | Field::Note
            | Field::Request => Value::Null,
        }
    }
}

#[cold]
fn of_note<'v>(note: &'v Note<'_>, field: Field, scratch: &'v mut Vec<u8>) -> Value<'v> {
    match field {
        Field::Type => Value::Name("note"),
        Field::Offset => number(note.at),
        Field::Part => name(note.part),
        Field::Member => text(note.member),
        Field::MessageNumber => number(note.message),
        Field::Note => Value::Name(note.kind.name()),
        Field::Reason => computed(Some(&note.kind), scratch, |kind, out| {
            // OK to ignore: writing to a vector does not fail.
            let _ = write!(out, "{kind}");
        }),
        _ => Value::Null,
    }
}

#[cold]
fn of_fault<'v>(fault: &'v FaultRecord<'_>, field: Field) -> Value<'v> {
    match field {
        Field::Type => Value::Name("error"),
        Field::Offset => number(fault.offset),
        Field::Reason => Value::Text(fault.text.as_bytes()),
        _ => Value::Null,
    }
}

#[cold]
fn of_end<'v>(end: &'v EndRecord<'_>, field: Field) -> Value<'v> {
    match field {
        Field::Type => Value::Name("end"),
        Field::Request => Value::Number(end.number),
        Field::Count => Value::Number(end.count),
        Field::Reason => text(end.fault.map(str::as_bytes)),
        _ => Value::Null,
    }
}

#[inline]
fn name(name: Option<&str>) -> Value<'_> {
    name.map_or(Value::Null, Value::Name)
}

/// A part of a URL.
fn part(part: Option<&str>) -> Value<'_> {
    text(part.map(str::as_bytes))
}

#[inline]
fn text(text: Option<&[u8]>) -> Value<'_> {
    text.map_or(Value::Null, Value::Text)
}

#[inline]
fn time(time: Option<Date>) -> Value<'static> {
    time.map_or(Value::Null, Value::Time)
}

#[inline]
fn number(number: Option<u64>) -> Value<'static> {
    number.map_or(Value::Null, Value::Number)
}

/// The part of a path before its last `/`, or before the `!` of an archive.
fn folder(path: &[u8]) -> &[u8] {
    match path.iter().rposition(|b| b"/!".contains(b)) {
        None => b".",
        Some(0) => b"/",
        Some(at) => &path[..at],
    }
}

/// A part of the author of a message.
fn author_part<'v>(
    info: Option<&MessageInfo>,
    part: impl FnOnce(&Author) -> &[u8],
    scratch: &'v mut Vec<u8>,
) -> Value<'v> {
    let author = info.map(|info| Author::of(info.from()));
    let part = author.as_ref().map(part);
    computed(part.and_then(some).as_ref(), scratch, |part, out| {
        out.extend_from_slice(part);
    })
}

/// The part of the date of a message that has this `form`, such as `YYYY-MM`.
fn date_part<'v>(info: Option<&MessageInfo>, form: &str, scratch: &'v mut Vec<u8>) -> Value<'v> {
    let date = info.and_then(|info| info.date());
    computed(date.as_ref(), scratch, |date, out| {
        out.extend_from_slice(&date.text()[..form.len()]);
    })
}

/// Clears `scratch`. If `of` has a value, `put` appends its text to `scratch`,
/// which becomes the result.
fn computed<'v, T>(
    of: Option<&T>,
    scratch: &'v mut Vec<u8>,
    put: impl FnOnce(&T, &mut Vec<u8>),
) -> Value<'v> {
    let Some(of) = of else {
        return Value::Null;
    };
    scratch.clear();
    put(of, scratch);
    Value::Text(scratch)
}

/// `bytes` in lower case. They are usually in lower case already, and are then
/// borrowed.
#[inline]
fn lower<'v>(bytes: Option<&'v [u8]>, scratch: &'v mut Vec<u8>) -> Value<'v> {
    match bytes {
        Some(bytes) if bytes.iter().any(u8::is_ascii_uppercase) => {
            computed(Some(&bytes), scratch, |bytes, out| {
                out.extend(bytes.iter().map(u8::to_ascii_lowercase));
            })
        }
        bytes => text(bytes),
    }
}

/// The scheme of a hit or of a reject.
fn scheme<'h>(hit: &'h Hit, url: Option<&Url<'h>>) -> Option<&'h [u8]> {
    match url {
        // Use the parsed URL, because the first drafts allow quotation marks in
        // a scheme.
        Some(url) => Some(url.scheme_bytes()),
        None => likely_scheme(hit.text()),
    }
}

/// The text before the first colon, if it has the form of a scheme.
fn likely_scheme(url: &[u8]) -> Option<&[u8]> {
    let scheme = &url[..memchr::memchr(b':', url)?];
    let is_scheme = |b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(b);
    (!scheme.is_empty() && scheme.iter().all(is_scheme)).then_some(scheme)
}
