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
use urlgrep_mail::mime::{Date, MessageInfo, Role};
use urlgrep_rows::filter::Filter;
use urlgrep_rows::record::Record;
use urlgrep_search::{InLedger, Match, Message, Place};
use urlgrep_url::{Profile, validate};

/// Selects and sorts hits. The default selects all of them. The caller must filter by any other property.
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
    /// [`Match::corroborated`].
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
    u.first_seen, u.last_seen, u.count
    FROM hit AS h LEFT JOIN url AS u ON u.id = h.url LEFT JOIN message AS m ON m.id = h.message
    WHERE h.copy = 0"#;
/// The file and the message of the hit `?1`, which one after the other mostly share.
const AROUND: &str = r#"SELECT ?1, f.path, f.container, m.number, m.start, m."end", m.message_id,
    m.date, m."from", m.subject, m."group", m.list_id, m."to", m.cc, m.record_url
    FROM file AS f LEFT JOIN message AS m ON m.id = ?3 WHERE f.id = ?2"#;
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
    /// The ids of the file and the message of the last hit, the kind of the file, and
    /// number, start and end of the message.
    ids: Option<(i64, Option<i64>)>,
    around: (Kind, Option<u64>, Option<u64>, Option<u64>),
    path: Vec<u8>,
    info: MessageInfo,
    /// Hits without alternates.
    alone: Range<i64>,
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
        around: (Kind::Text, None, None, None),
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
        let ids = (row.get(1)?, value(row, 2)?);
        if self.ids == Some(ids) {
            return Ok(());
        }
        self.ids = None;
        let (path, info) = (&mut self.path, &mut self.info);
        let values = params![row.get::<_, i64>(0)?, ids.0, ids.1];
        let around = known::first(self.conn, AROUND, values, |row| {
            text(row, 1)?.ok_or_else(|| wrong(row, 1))?.clone_into(path);
            let kind = parsed(row, 2, known::kind)?.unwrap_or(Kind::Text);
            let field = |column| text(row, column).map(Option::unwrap_or_default);
            let is_date = |text| Date::of_text(text).map(|_| text);
            let date = parsed(row, 7, |text| is_date(text.as_bytes()))?.unwrap_or_default();
            let (id, from, subject) = (field(6)?, field(8)?, field(9)?);
            let (group, list, to, cc) = (field(10)?, field(11)?, field(12)?, field(13)?);
            let url = field(14)?;
            info.restore([id, date, from, subject, group, list, to, cc, url]);
            Ok((kind, value(row, 3)?, value(row, 4)?, value(row, 5)?))
        })?;
        self.around = around.ok_or_else(|| wrong(row, 1))?;
        // Each message has a start.
        if ids.1.is_some() && self.around.2.is_none() {
            return Err(wrong(row, 2));
        }
        self.ids = Some(ids);
        Ok(())
    }

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

    #[expect(clippy::too_many_lines, reason = "one column of the row after another")]
    fn restore<'f>(&'f mut self, row: &'f Row<'_>) -> rusqlite::Result<Found<'f>> {
        let id: i64 = row.get(0)?;
        self.restore_around(row)?;
        let canonical = text(row, 3)?.ok_or_else(|| wrong(row, 3))?;
        let spelling = text(row, 4)?.unwrap_or(canonical);
        let marks = parsed(row, 13, Some)?.unwrap_or_default();
        let seams = parsed(row, 12, seams)?.unwrap_or_default();
        let span = value(row, 5)?.zip(value(row, 6)?);
        let segments = span.map_or_else(Vec::new, |span| segments(span, &seams));
        let signs = Signs {
            form: parsed(row, 10, Form::from_name)?.ok_or_else(|| wrong(row, 10))?,
            line: value(row, 7)?,
            doubts: parsed(row, 11, doubts)?.unwrap_or_default(),
            glued: marks.split(',').any(|mark| mark == "glued"),
            continues: marks.split(',').any(|mark| mark == "continues"),
        };
        let pieces = (&segments[..], &seams[..]);
        self.hit.restore(spelling, self.profile, signs, pieces);
        if self.hit.url().is_err() {
            return Err(wrong(row, 4));
        }
        let others = self.alternates(id)?;
        for (kind, url) in &others {
            self.hit.restore_alternate(*kind, url);
        }
        let mut corroborated = None;
        if self.corroborate && !others.is_empty() {
            let (number, better) = self.elsewhere(id, spelling, row.get(20)?)?;
            corroborated = Some(number);
            if let Some(better) = better {
                let pieces = (&[][..], &[][..]);
                self.hit.restore(&better, self.profile, signs, pieces);
                self.hit.restore_alternate(ReadingKind::Plain, spelling);
                for (kind, url) in others.iter().filter(|other| other.1 != better) {
                    self.hit.restore_alternate(*kind, url);
                }
            }
        }
        let depth = value(row, 9)?.unwrap_or(0);
        let role = parsed(row, 8, |name| Role::from_name(name, depth))?;
        self.place.restore(
            &self.hit,
            value(row, 17)?,
            text(row, 14)?,
            text(row, 15)?,
            text(row, 16)?,
            role,
        );
        let field = |column| text(row, column).map(Option::unwrap_or_default);
        self.place.restore_link(field(18)?, field(19)?);
        let date = |column| text(row, column).map(|text| Date::of_text(text?));
        self.place.set_in_ledger(InLedger {
            corroborated,
            first_seen: date(21)?,
            last_seen: date(22)?,
            count: value(row, 23)?,
        });
        let ((file, id), (kind, number, start, end)) = (self.ids.unwrap_or_default(), self.around);
        let start = start.unwrap_or(0);
        let message = Message {
            number,
            separator: start,
            start,
            line: None,
            end,
            info: &self.info,
        };
        let found = Match {
            hit: &self.hit,
            place: &self.place,
            message: id.map(|_| message),
        };
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
