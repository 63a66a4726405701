//! Reads hits back. Restores from their rows the records that a search would
//! make.

use std::ops::Range;

use rusqlite::types::{FromSql, Type, Value, ValueRef};
use rusqlite::{Connection, Row, params, params_from_iter};

use super::known;
use super::urls::{self, Keys};

use urlgrep_base::names::Set;
use urlgrep_base::span::{Seam, SeamKind, Span};
use urlgrep_files::engine::Kind;
use urlgrep_find::Hit;
use urlgrep_find::scan::{Doubt, Form, ReadingKind, Signs};
use urlgrep_mail::mime::{Date, MessageInfo, Role, StoredInfo};
use urlgrep_rows::filter::Filter;
use urlgrep_rows::record::Record;
use urlgrep_search::{InLedger, Match, Message, Place, StoredPlace};
use urlgrep_url::{Profile, validate};

/// Selects and sorts hits. The default selects all of them. The caller must filter by any
/// other property.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Query {
    /// Hits that were first recorded by the updates since the last
    /// [`Ledger::finish`].
    ///
    /// [`Ledger::finish`]: super::Ledger::finish
    pub news: bool,
    /// Only new hits of URLs that were not known before.
    pub new_urls: bool,
    /// Hits with the schemes, hosts and dates that this filter may accept. The
    /// caller must apply the filter to each hit.
    pub filter: Filter,
    /// Whether another reading of a hit may be preferred. If the first reading
    /// does not occur elsewhere without repair and doubt, but an alternate
    /// does, the alternate with the most such occurrences is given. See
    /// [`InLedger::corroborated`](urlgrep_search::InLedger::corroborated).
    pub corroborate: bool,
    /// The order of the hits.
    pub order: Order,
}

/// The order of hits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// The order in which hits were recorded. Files come one after the other,
    /// and hits in a file are ordered by place. Hits that were added to a file
    /// later come later. No sorting is needed.
    #[default]
    Recorded,
    /// The order of the first message with the URL, by its date. Then by URL,
    /// then by the date of the message. URLs without a date come last.
    FirstSeen,
}

impl Query {
    fn sql(&self) -> (String, Vec<Value>) {
        let mut sql = String::from(SELECT);
        let mut values = Vec::new();
        if self.news {
            sql.push_str(
                " AND h.id > ifnull((SELECT min(first_hit) FROM run WHERE finished IS NULL), 0)
                AND h.run IN (SELECT id FROM run WHERE finished IS NULL)",
            );
        }
        if self.new_urls {
            sql.push_str(" AND u.run IN (SELECT id FROM run WHERE finished IS NULL)");
        }
        let (schemes, hosts) = (self.filter.plain_schemes(), self.filter.plain_hosts());
        if !schemes.is_empty() {
            let marks = vec!["?"; schemes.len()].join(", ");
            sql.push_str(&format!(" AND u.scheme IN ({marks})"));
            values.extend(schemes.into_iter().map(Value::Text));
        }
        if !hosts.is_empty() {
            let mark = "host = ? OR host LIKE '%.' || ?";
            let marks = vec![mark; hosts.len()].join(" OR ");
            sql.push_str(&format!(" AND h.url IN (SELECT id FROM url WHERE {marks})"));
            let twice = |host: String| [host.clone(), host].map(Value::Text);
            values.extend(hosts.into_iter().flat_map(twice));
        }
        let (since, until) = self.filter.period();
        for (bound, operator) in [(since, ">="), (until, "<")] {
            if let Some(bound) = bound {
                sql.push_str(&format!(" AND m.date {operator} ?"));
                values.push(Value::Text(super::date_text(bound)));
            }
        }
        sql.push_str(match self.order {
            Order::Recorded => " ORDER BY h.id",
            Order::FirstSeen => " ORDER BY u.first_seen IS NULL, u.first_seen, u.id, m.date, h.id",
        });
        (sql, values)
    }
}

const SELECT: &str = r#"SELECT h.id, h.file, h.message, u.canonical, h.spelling, h."offset",
    h."end", h.line, h.role, h.depth, h.form, h.doubt, h.seams, h.marks, h.part, h.header, h.member,
    h."column", h.link_target, h.link_text, u.unbroken - (h.seams IS NULL AND h.doubt IS NULL),
    u.first_seen, u.last_seen, u.count, h.content_type, h.file_name
    FROM hit AS h LEFT JOIN url AS u ON u.id = h.url LEFT JOIN message AS m ON m.id = h.message
    WHERE h.copy = 0"#;
/// The numbers of the columns of [`SELECT`].
mod column {
    pub const ID: usize = 0;
    pub const FILE: usize = 1;
    pub const MESSAGE: usize = 2;
    pub const CANONICAL: usize = 3;
    pub const SPELLING: usize = 4;
    pub const OFFSET: usize = 5;
    pub const END: usize = 6;
    pub const LINE: usize = 7;
    pub const ROLE: usize = 8;
    pub const DEPTH: usize = 9;
    pub const FORM: usize = 10;
    pub const DOUBT: usize = 11;
    pub const SEAMS: usize = 12;
    pub const MARKS: usize = 13;
    pub const PART: usize = 14;
    pub const HEADER: usize = 15;
    pub const MEMBER: usize = 16;
    pub const COLUMN: usize = 17;
    pub const LINK_TARGET: usize = 18;
    pub const LINK_TEXT: usize = 19;
    pub const UNBROKEN_ELSEWHERE: usize = 20;
    pub const FIRST_SEEN: usize = 21;
    pub const LAST_SEEN: usize = 22;
    pub const COUNT: usize = 23;
    pub const CONTENT_TYPE: usize = 24;
    pub const FILE_NAME: usize = 25;
}

/// The file and the message of the hit `?1`. Hits that follow each other mostly share both.
const AROUND: &str = r#"SELECT ?1, f.path, f.container, m.number, m.start, m."end", m.message_id,
    m.date, m."from", m.subject, m."group", m.list_id, m."to", m.cc, m.record_url
    FROM file AS f LEFT JOIN message AS m ON m.id = ?3 WHERE f.id = ?2"#;
/// The numbers of the columns of [`AROUND`].
mod around {
    pub const PATH: usize = 1;
    pub const CONTAINER: usize = 2;
    pub const NUMBER: usize = 3;
    pub const START: usize = 4;
    pub const END: usize = 5;
    pub const MESSAGE_ID: usize = 6;
    pub const DATE: usize = 7;
    pub const FROM: usize = 8;
    pub const SUBJECT: usize = 9;
    pub const GROUP: usize = 10;
    pub const LIST_ID: usize = 11;
    pub const TO: usize = 12;
    pub const CC: usize = 13;
    pub const RECORD_URL: usize = 14;
}
/// The alternates of the hit `?1`, and those of the hits after it.
const ALTERNATES: &str =
    "SELECT hit, kind, spelling FROM alternate WHERE hit >= ?1 ORDER BY hit, number";

/// A hit of a ledger.
#[derive(Debug)]
#[non_exhaustive]
pub struct Found<'f> {
    /// The hit as a search would report it. If the bytes of the URL are not in
    /// the file itself, the place in the decoded text is missing.
    pub record: Record<'f>,
    /// The format in which its file was read.
    pub kind: Kind,
    /// The id of its file.
    pub file: i64,
    /// The id of its message.
    pub message: Option<i64>,
}

/// The storage that a record borrows.
struct Restorer<'c> {
    conn: &'c Connection,
    keys: Keys,
    corroborate: bool,
    profile: Profile,
    hit: Hit,
    place: Place,
    /// The ids of the file and the message of the last hit.
    ids: Option<(i64, Option<i64>)>,
    around: Around,
    path: Vec<u8>,
    info: MessageInfo,
    /// Hits without alternates.
    alone: Range<i64>,
}

/// The file and the message around a hit.
#[derive(Clone, Copy)]
struct Around {
    /// The format in which the file was read.
    kind: Kind,
    /// The number of the message.
    number: Option<u64>,
    /// The offset of the first byte of the message. `None` outside of messages.
    start: Option<u64>,
    /// The offset after the last byte of the message.
    end: Option<u64>,
}

pub(super) fn run(
    conn: &Connection,
    query: &Query,
    mut each: impl FnMut(&Found<'_>) -> bool,
) -> rusqlite::Result<()> {
    let sql = "SELECT value FROM setting WHERE name = 'profile'";
    let profile = conn.query_row(sql, [], |row| row.get::<_, String>(0));
    let profile = match profile {
        Ok(name) => Profile::from_name(&name).ok_or_else(|| {
            let what = "the profile is unknown".into();
            rusqlite::Error::FromSqlConversionFailure(0, Type::Text, what)
        })?,
        // No update has been made yet.
        Err(rusqlite::Error::QueryReturnedNoRows) => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut restorer = Restorer {
        conn,
        keys: Keys::of(conn)?,
        corroborate: query.corroborate,
        profile,
        hit: Hit::default(),
        place: Place::default(),
        ids: None,
        around: Around {
            kind: Kind::Text,
            number: None,
            start: None,
            end: None,
        },
        path: Vec::new(),
        info: MessageInfo::default(),
        alone: 0..0,
    };
    let (sql, values) = query.sql();
    let mut statement = conn.prepare(&sql)?;
    let mut rows = statement.query(params_from_iter(values))?;
    // A damaged row does not hide those after it.
    let mut fault = None;
    while let Some(row) = rows.next()? {
        match restorer.restore(row) {
            Ok(found) if each(&found) => {}
            Ok(_) => break,
            Err(error) => {
                fault.get_or_insert(error);
            }
        }
    }
    fault.map_or(Ok(()), Err)
}

/// A value that no update writes.
pub(super) fn wrong(row: &Row<'_>, column: usize) -> rusqlite::Error {
    let name = row.as_ref().column_name(column).unwrap_or_default();
    let hit = row.get::<_, i64>(0).unwrap_or_default();
    let what = format!("hit {hit} has an impossible value of {name}");
    let kind = row.get_ref(column).map_or(Type::Null, |v| v.data_type());
    rusqlite::Error::FromSqlConversionFailure(column, kind, what.into())
}

/// A value of a column, or null.
fn value<T: FromSql>(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<T>> {
    row.get(column).map_err(|_| wrong(row, column))
}

fn text<'r>(row: &'r Row<'_>, column: usize) -> rusqlite::Result<Option<&'r [u8]>> {
    match row.get_ref(column)? {
        ValueRef::Text(text) | ValueRef::Blob(text) => Ok(Some(text)),
        ValueRef::Null => Ok(None),
        _ => Err(wrong(row, column)),
    }
}

/// A text that `parse` understands, or null.
pub(super) fn parsed<'r, T>(
    row: &'r Row<'_>,
    column: usize,
    parse: impl FnOnce(&'r str) -> Option<T>,
) -> rusqlite::Result<Option<T>> {
    let Some(text) = text(row, column)? else {
        return Ok(None);
    };
    let value = std::str::from_utf8(text).ok().and_then(parse);
    value.map(Some).ok_or_else(|| wrong(row, column))
}

impl Restorer<'_> {
    /// Returns the number of other places in which the URL is unbroken, and the
    /// alternate to print instead. `own` is this number for the first reading.
    /// There is such an alternate only if `own` is 0 and an alternate is
    /// unbroken elsewhere. The first line of a joined URL is not considered,
    /// because it is often a host or a folder that occurs elsewhere by itself.
    /// The links around and inside a link are not readings of it, nor is the text
    /// that the URL Standard mended.
    fn elsewhere(
        &self,
        hit: i64,
        spelling: &[u8],
        own: i64,
    ) -> rusqlite::Result<(u64, Option<Vec<u8>>)> {
        if own > 0 {
            return Ok((own as u64, None));
        }
        let sql = "SELECT canonical, spelling FROM alternate WHERE hit = ?1
            AND kind NOT IN ('outer', 'inner', 'written') AND NOT (kind = 'plain' AND substr(?2, 1, length(spelling)) = spelling)
            ORDER BY number";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query(params![hit, known::text(spelling)])?;
        let mut best = (0, None);
        while let Some(row) = rows.next()? {
            let canonical = known::bytes(row.get_ref(0)?);
            let hash = self.keys.hash(&canonical);
            let host = urls::host(validate(self.profile, &canonical));
            let host = host.as_deref().map(str::as_bytes);
            let found = urls::find(self.conn, hash, host, &canonical)?;
            let unbroken = found.map_or(0, |found| found.1);
            if unbroken as u64 > best.0 {
                best = (unbroken as u64, Some(known::bytes(row.get_ref(1)?)));
            }
        }
        Ok(best)
    }

    /// Reads the file and the message of a hit, unless those of the last hit are the same.
    fn restore_around(&mut self, row: &Row<'_>) -> rusqlite::Result<()> {
        let ids = (row.get(column::FILE)?, value(row, column::MESSAGE)?);
        if self.ids == Some(ids) {
            return Ok(());
        }
        self.ids = None;
        let (path, info) = (&mut self.path, &mut self.info);
        let values = params![row.get::<_, i64>(column::ID)?, ids.0, ids.1];
        let around = known::first(self.conn, AROUND, values, |row| {
            let found = text(row, around::PATH)?;
            let found = found.ok_or_else(|| wrong(row, around::PATH))?;
            found.clone_into(path);
            let kind = parsed(row, around::CONTAINER, known::kind)?;
            let field = |column| text(row, column).map(Option::unwrap_or_default);
            let is_date = |text: &str| Date::of_text(text.as_bytes()).is_some();
            let date = parsed(row, around::DATE, |text| is_date(text).then_some(text))?;
            info.restore(&StoredInfo {
                message_id: field(around::MESSAGE_ID)?,
                date: date.unwrap_or_default().as_bytes(),
                from: field(around::FROM)?,
                to: field(around::TO)?,
                cc: field(around::CC)?,
                subject: field(around::SUBJECT)?,
                newsgroups: field(around::GROUP)?,
                list_id: field(around::LIST_ID)?,
                record_url: field(around::RECORD_URL)?,
            });
            Ok(Around {
                kind: kind.unwrap_or(Kind::Text),
                number: value(row, around::NUMBER)?,
                start: value(row, around::START)?,
                end: value(row, around::END)?,
            })
        })?;
        self.around = around.ok_or_else(|| wrong(row, column::FILE))?;
        // Each message has a start.
        if ids.1.is_some() && self.around.start.is_none() {
            return Err(wrong(row, column::MESSAGE));
        }
        self.ids = Some(ids);
        Ok(())
    }

    /// The alternates of a hit. Hits must be asked for in ascending order.
    fn alternates(&mut self, hit: i64) -> rusqlite::Result<Vec<(ReadingKind, Vec<u8>)>> {
        let mut alternates = Vec::new();
        if self.alone.contains(&hit) {
            return Ok(alternates);
        }
        self.alone = hit + 1..i64::MAX;
        let mut statement = self.conn.prepare_cached(ALTERNATES)?;
        let mut rows = statement.query([hit])?;
        while let Some(row) = rows.next()? {
            self.alone.end = row.get(0)?;
            if self.alone.end > hit {
                break;
            }
            let kind = parsed(row, 1, ReadingKind::from_name)?.ok_or_else(|| wrong(row, 1))?;
            alternates.push((kind, known::bytes(row.get_ref(2)?)));
        }
        Ok(alternates)
    }

    /// Makes the record of a row.
    fn restore<'f>(&'f mut self, row: &'f Row<'_>) -> rusqlite::Result<Found<'f>> {
        self.restore_around(row)?;
        let corroborated = self.restore_hit(row)?;
        self.restore_place(row, corroborated)?;
        let (file, id) = self.ids.unwrap_or_default();
        let start = self.around.start.unwrap_or(0);
        let message = Message {
            number: self.around.number,
            separator: start,
            start,
            line: None,
            end: self.around.end,
            info: &self.info,
        };
        let found = Match {
            hit: &self.hit,
            place: &self.place,
            message: id.map(|_| message),
        };
        let kind = self.around.kind;
        Ok(Found {
            record: Record {
                read_as: Some(kind.name()),
                ..Record::new(Some(&self.path), found)
            },
            kind,
            file,
            message: id,
        })
    }

    /// Reads the URL of a row, with its segments, seams and alternates. Returns the number of
    /// places that corroborate it, if this is asked for.
    fn restore_hit(&mut self, row: &Row<'_>) -> rusqlite::Result<Option<u64>> {
        let canonical = text(row, column::CANONICAL)?;
        let canonical = canonical.ok_or_else(|| wrong(row, column::CANONICAL))?;
        let spelling = text(row, column::SPELLING)?.unwrap_or(canonical);
        let marks = parsed(row, column::MARKS, Some)?.unwrap_or_default();
        let seams = parsed(row, column::SEAMS, seams)?.unwrap_or_default();
        let span = value(row, column::OFFSET)?.zip(value(row, column::END)?);
        let segments = span.map_or_else(Vec::new, |span| segments(span, &seams));
        let form = parsed(row, column::FORM, Form::from_name)?;
        let signs = Signs {
            form: form.ok_or_else(|| wrong(row, column::FORM))?,
            line: value(row, column::LINE)?,
            doubts: parsed(row, column::DOUBT, doubts)?.unwrap_or_default(),
            glued: marks.split(',').any(|mark| mark == "glued"),
            continues: marks.split(',').any(|mark| mark == "continues"),
        };
        self.hit
            .restore(spelling, self.profile, signs, &segments, &seams);
        if self.hit.url().is_err() {
            return Err(wrong(row, column::SPELLING));
        }
        let id: i64 = row.get(column::ID)?;
        let others = self.alternates(id)?;
        for (kind, url) in &others {
            self.hit.restore_alternate(*kind, url);
        }
        if !self.corroborate || others.is_empty() {
            return Ok(None);
        }
        let own = row.get(column::UNBROKEN_ELSEWHERE)?;
        let (number, better) = self.elsewhere(id, spelling, own)?;
        if let Some(better) = better {
            self.hit.restore(&better, self.profile, signs, &[], &[]);
            self.hit.restore_alternate(ReadingKind::Plain, spelling);
            for (kind, url) in others.iter().filter(|other| other.1 != better) {
                self.hit.restore_alternate(*kind, url);
            }
        }
        Ok(Some(number))
    }

    /// Reads where the URL of a row is. Its hit must have been read before.
    fn restore_place(&mut self, row: &Row<'_>, corroborated: Option<u64>) -> rusqlite::Result<()> {
        let depth = value(row, column::DEPTH)?.unwrap_or(0);
        let role = parsed(row, column::ROLE, |name| Role::from_name(name, depth))?;
        let stored = StoredPlace {
            column: value(row, column::COLUMN)?,
            part: text(row, column::PART)?,
            content_type: text(row, column::CONTENT_TYPE)?,
            file_name: text(row, column::FILE_NAME)?,
            header: text(row, column::HEADER)?,
            member: text(row, column::MEMBER)?,
            role,
        };
        self.place.restore(&self.hit, &stored);
        let target = text(row, column::LINK_TARGET)?.unwrap_or_default();
        let link_text = text(row, column::LINK_TEXT)?.unwrap_or_default();
        self.place.restore_link(target, link_text);
        let date = |column| text(row, column).map(|text| Date::of_text(text?));
        self.place.set_in_ledger(InLedger {
            corroborated,
            first_seen: date(column::FIRST_SEEN)?,
            last_seen: date(column::LAST_SEEN)?,
            count: value(row, column::COUNT)?,
        });
        Ok(())
    }
}

fn doubts(names: &str) -> Option<Set<Doubt>> {
    names.split(',').map(Doubt::from_name).collect()
}

/// Parses the output of [`put_seams`](super::rows).
fn seams(text: &str) -> Option<Vec<Seam>> {
    let seam = |text: &str| {
        let mut words = text.split(' ');
        let kind = SeamKind::from_name(words.next()?)?;
        let (start, end) = words.next()?.split_once('-')?;
        let (start, end) = (start.parse().ok()?, end.parse().ok()?);
        (start <= end).then_some(())?;
        Some(Seam {
            kind,
            span: Span::new(start, end),
            at: words.next()?.parse().ok()?,
            len: words.next()?.parse().ok()?,
        })
    };
    text.split(';').map(seam).collect()
}

/// The spans between the seams.
fn segments((start, end): (u64, u64), seams: &[Seam]) -> Vec<Span> {
    let mut segments = Vec::new();
    let mut at = start;
    for seam in seams {
        if seam.span.start > at {
            segments.push(Span::new(at, seam.span.start));
        }
        at = seam.span.end.max(at);
    }
    if end > at {
        segments.push(Span::new(at, end));
    }
    segments
}
