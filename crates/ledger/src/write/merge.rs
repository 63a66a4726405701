//! Adds the content of one ledger to another, as if that had read the files itself.
//!
//! The rows of the other ledger are replayed, in the order of their hits, into the functions
//! that write those of a search. So copies, dates, counts and messages that are gone come out as
//! they would of one ledger. Three things cannot come from a search:
//!
//! * The rows of files are copied at the end. Until then the state of a file is `partly`, so that a
//!   merge that is killed reads it again.
//! * The runs of the other ledger become runs of this one, so that a link keeps the time when it was
//!   first recorded.
//! * A path that both have is one file. The ledger that has the later version of it counts.

use std::collections::HashMap;

use rusqlite::{Connection, Row, Rows as Cursor, params};

use super::{Inserter, Open, OpenText};
use crate::known::{self, FilePlan, How, Stat};
use crate::rows::{HitRow, MessageRow, Rows};
use crate::urls::Keys;
use crate::{Merged, query};
use urlgrep_containers::Position;
use urlgrep_files::engine::Kind;
use urlgrep_find::scan::{Form, ReadingKind};
use urlgrep_mail::mime::{Date, Role};

/// The hits of a ledger with their messages and URLs, in the order in which they were recorded.
const HITS: &str = r#"SELECT h.id, h.file, h.message, h.run, u.canonical, u.host, h.spelling,
    h."offset", h."end", h.line, h."column", h.role, h.depth, h.form, h.marks, h.seams, h.doubt,
    h.part, h.header, h.link_target, h.link_text, h.member, h.content_type,
    h.file_name
    FROM hit AS h JOIN url AS u ON u.id = h.url ORDER BY h.id"#;
/// A message of a ledger.
const MESSAGE: &str = r#"SELECT number, start, "end", date, gone, message_id, "from", subject,
    "group", list_id, "to", cc, record_url FROM message WHERE id = ?1"#;
/// The readings of all hits, in the order of the hits.
const ALTERNATES: &str =
    "SELECT hit, kind, spelling, canonical FROM alternate ORDER BY hit, number";
/// What a file row has besides its id and its archive.
const COPIED: &str = "size, mtime, inode, container, read_up_to, next_line, next_message, head, \
    tail, state, fault";

/// A file of the other ledger, and its row here.
#[derive(Clone, Debug)]
struct Twin {
    path: Vec<u8>,
    kind: Kind,
    /// The id of its row here. `None` if this ledger has a later version of the file.
    here: Option<i64>,
}

/// The place in the other ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct At {
    file: i64,
    message: Option<i64>,
    /// This ledger has a later version of the file.
    is_left_out: bool,
    /// The id here of the message, if it is gone there.
    gone: Option<i64>,
}

impl Inserter<'_> {
    /// Adds the content of `other`.
    pub fn merge(&mut self, other: &Connection, keys: &Keys) -> rusqlite::Result<Merged> {
        let most = std::mem::replace(&mut self.transaction, u64::MAX);
        self.begin_transaction()?;
        let runs = self.copy_runs(other)?;
        let twins = self.twins(other)?;
        let mut statement = other.prepare(HITS)?;
        let mut hits = statement.query([])?;
        let mut alternates = other.prepare(ALTERNATES)?;
        let mut alternates = alternates.query([])?;
        let mut reading = next_reading(&mut alternates)?;
        let mut rows = Rows::default();
        let mut at = At::default();
        while let Some(row) = hits.next()? {
            let (hit, file): (i64, i64) = (row.get(0)?, row.get(1)?);
            let message: Option<i64> = row.get(2)?;
            let Some(twin) = twins.get(&file) else {
                continue;
            };
            rows.clear();
            if (at.file, at.message) != (file, message) {
                self.leave(at)?;
                if self.hits >= most {
                    self.commit()?;
                    self.begin_transaction()?;
                }
                self.enter(twin, at.file == file);
                at = At {
                    file,
                    message,
                    is_left_out: twin.here.is_none(),
                    gone: None,
                };
                if let Some(message) = message.filter(|_| !at.is_left_out) {
                    at.gone = self.merge_message(other, message, &mut rows)?;
                }
            }
            if !at.is_left_out {
                self.run = runs.get(&row.get(3)?).copied().unwrap_or(self.run);
                let read = hit_row(row, keys, &mut rows)?;
                self.hit(&rows, &read)?;
            }
            while let Some((of, kind, spelling, canonical)) = reading.take_if(|one| one.0 <= hit) {
                if !at.is_left_out && of == hit {
                    self.alternate(kind, &spelling, &canonical)?;
                }
                reading = next_reading(&mut alternates)?;
            }
        }
        self.leave(at)?;
        self.open = None;
        self.end_merge(other, &twins)
    }

    /// Writes the state of the files, and ends the merge.
    fn end_merge(
        &mut self,
        other: &Connection,
        twins: &HashMap<i64, Twin>,
    ) -> rusqlite::Result<Merged> {
        let mut merged = Merged {
            hits: self.summary.hits,
            ..Merged::default()
        };
        let read = format!("SELECT {COPIED} FROM file WHERE id = ?1");
        let columns = COPIED.replace(' ', "");
        let columns: Vec<&str> = columns.split(',').collect();
        let set: Vec<String> = (columns.iter().enumerate())
            .map(|(i, column)| format!("{column} = ?{}", i + 2))
            .collect();
        let write = format!("UPDATE file SET {} WHERE id = ?1", set.join(", "));
        for (id, twin) in twins {
            let Some(here) = twin.here else {
                merged.older += 1;
                continue;
            };
            self.settle(here)?;
            let mut read = other.prepare_cached(&read)?;
            let mut values = vec![rusqlite::types::Value::Integer(here)];
            read.query_row([id], |row| {
                (0..columns.len()).try_for_each(|i| row.get(i).map(|value| values.push(value)))
            })?;
            let values = rusqlite::params_from_iter(values);
            self.conn.prepare_cached(&write)?.execute(values)?;
            merged.files += 1;
        }
        self.finish()?;
        Ok(merged)
    }

    /// The runs of the other ledger, each with its row here.
    fn copy_runs(&self, other: &Connection) -> rusqlite::Result<HashMap<i64, i64>> {
        let mut runs = HashMap::new();
        let mut statement = other.prepare("SELECT id, started, process, finished FROM run")?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            let (id, started): (i64, String) = (row.get(0)?, row.get(1)?);
            let (process, finished): (i64, Option<String>) = (row.get(2)?, row.get(3)?);
            let sql = "SELECT id FROM run WHERE started = ?1 AND process = ?2";
            let had = known::first(self.conn, sql, params![started, process], |row| row.get(0))?;
            let here = match had {
                Some(here) => here,
                None => {
                    let sql = "INSERT INTO run (started, process, first_hit, finished)
                        VALUES (?1, ?2, ?3, ?4)";
                    let values = params![started, process, self.next_hit - 1, finished];
                    self.conn.prepare_cached(sql)?.insert(values)?
                }
            };
            runs.insert(id, here);
        }
        Ok(runs)
    }

    /// The files of the other ledger. Those that it has read later than this one are prepared for
    /// another reading.
    fn twins(&mut self, other: &Connection) -> rusqlite::Result<HashMap<i64, Twin>> {
        let sql = "SELECT id, path, archive, container, mtime, state FROM file
            ORDER BY archive IS NOT NULL, id";
        let mut statement = other.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut twins: HashMap<i64, Twin> = HashMap::new();
        while let Some(row) = rows.next()? {
            let path = known::bytes(row.get_ref(1)?);
            let archive: Option<i64> = row.get(2)?;
            let container: Option<String> = row.get(3)?;
            let (mtime, state): (Option<i64>, String) = (row.get(4)?, row.get(5)?);
            let here = match archive.map(|archive| twins.get(&archive).and_then(|twin| twin.here)) {
                None => self.twin(&path, mtime, &state)?,
                Some(None) => None,
                Some(Some(archive)) => Some(self.member(&path, archive)?),
            };
            let kind = container.as_deref().and_then(known::kind);
            let kind = kind.unwrap_or(Kind::Text);
            twins.insert(row.get(0)?, Twin { path, kind, here });
        }
        Ok(twins)
    }

    /// The row here of a file that is no member. `None` if this ledger has a later version.
    fn twin(
        &mut self,
        path: &[u8],
        mtime: Option<i64>,
        state: &str,
    ) -> rusqlite::Result<Option<i64>> {
        let sql = "SELECT id, mtime, state FROM file WHERE path = ?1";
        let read = |row: &Row<'_>| {
            Ok((
                row.get::<_, i64>(0)?,
                row.get::<_, Option<i64>>(1)?,
                row.get::<_, String>(2)?,
            ))
        };
        match known::first(self.conn, sql, [known::text(path)], read)? {
            None => {
                let sql = "INSERT INTO file (path, state) VALUES (?1, 'partly')";
                let mut insert = self.conn.prepare_cached(sql)?;
                Ok(Some(insert.insert([known::text(path)])?))
            }
            // What was read wholly is better than what was not, and the later version is better.
            Some((here, had, had_state)) => {
                let rank = |state: &str, mtime| (state == "read", state == "partly", mtime);
                if rank(state, mtime) <= rank(&had_state, had) {
                    return Ok(None);
                }
                self.reopen_all(here)?;
                Ok(Some(here))
            }
        }
    }

    /// The row here of a member of an archive.
    fn member(&self, path: &[u8], archive: i64) -> rusqlite::Result<i64> {
        let sql = "INSERT INTO file (path, archive, state) VALUES (?1, ?2, 'read')
            ON CONFLICT (path) DO UPDATE SET archive = ?2 RETURNING id";
        let mut statement = self.conn.prepare_cached(sql)?;
        statement.query_row(params![known::text(path), archive], |row| row.get(0))
    }

    /// Makes `twin` the current file. The message goes on if it `is_same` file.
    fn enter(&mut self, twin: &Twin, is_same: bool) {
        if is_same && let Some(text) = self.current_text() {
            text.message = None;
            return;
        }
        self.open = twin.here.map(|file| Open {
            plan: FilePlan {
                path: twin.path.clone(),
                absolute: twin.path.clone(),
                stat: Stat::default(),
                how: How::Anew(file),
            },
            file,
            had_rows: true,
            text: Some(OpenText {
                path: twin.path.clone(),
                file,
                kind: twin.kind,
                message: None,
                places: Vec::new(),
                end: None,
            }),
        });
    }

    /// Ends a message. If it is gone there, it is gone here too, and has only those hits that no
    /// message with its Message-ID has here.
    fn leave(&mut self, at: At) -> rusqlite::Result<()> {
        let Some(message) = at.gone else {
            return Ok(());
        };
        let sql = "UPDATE message SET gone = 1 WHERE id = ?1";
        self.conn.prepare_cached(sql)?.execute([message])?;
        self.summary.hits -= self.remove_found(message)?;
        Ok(())
    }

    /// Adds a message. Returns its id here, if it is gone there.
    fn merge_message(
        &mut self,
        other: &Connection,
        message: i64,
        rows: &mut Rows,
    ) -> rusqlite::Result<Option<i64>> {
        let read = |row: &Row<'_>| {
            let date: Option<String> = row.get(3)?;
            let date = date.and_then(|date| Date::of_text(date.as_bytes()));
            let mut texts: [_; 8] = Default::default();
            for (i, text) in texts.iter_mut().enumerate() {
                *text = rows.put(&known::bytes(row.get_ref(5 + i)?));
            }
            let message = MessageRow {
                at: Position::START,
                number: row.get(0)?,
                start: row.get(1)?,
                end: row.get(2)?,
                date: date.map(Date::unix_seconds),
                texts,
            };
            Ok((message, row.get::<_, bool>(4)?))
        };
        let Some((row, is_gone)) = known::first(other, MESSAGE, [message], read)? else {
            return Ok(None);
        };
        self.message(rows, &row)?;
        Ok(is_gone.then_some(self.next_hit))
    }
}

/// A reading of a hit: the id of the hit, its kind, its spelling, its canonical form.
type Reading = (i64, &'static str, Vec<u8>, Vec<u8>);

fn next_reading(rows: &mut Cursor<'_>) -> rusqlite::Result<Option<Reading>> {
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let kind =
        query::parsed(row, 1, ReadingKind::from_name)?.ok_or_else(|| query::wrong(row, 1))?;
    let text = |column| row.get_ref(column).map(known::bytes);
    Ok(Some((row.get(0)?, kind.name(), text(2)?, text(3)?)))
}

/// The hit of a row of [`HITS`].
fn hit_row(row: &Row<'_>, keys: &Keys, rows: &mut Rows) -> rusqlite::Result<HitRow> {
    let text = |column| row.get_ref(column).map(known::bytes);
    let canonical = text(4)?;
    let hash = keys.hash(&canonical);
    let (seams, doubt) = (text(15)?, text(16)?);
    let depth: Option<u32> = row.get(12)?;
    let deep = u8::try_from(depth.unwrap_or(0)).unwrap_or(u8::MAX);
    let role = query::parsed(row, 11, |name| Role::from_name(name, deep))?;
    let form = query::parsed(row, 13, Form::from_name)?.ok_or_else(|| query::wrong(row, 13))?;
    let marks = match &*text(14)? {
        b"glued,continues" => Some("glued,continues"),
        b"glued" => Some("glued"),
        b"continues" => Some("continues"),
        _ => None,
    };
    let span: (Option<u64>, Option<u64>) = (row.get(7)?, row.get(8)?);
    Ok(HitRow {
        hash,
        host: rows.put(&text(5)?),
        canonical: rows.put(&canonical),
        spelling: rows.put(&text(6)?),
        in_message: row.get::<_, Option<i64>>(2)?.is_some(),
        span: span.0.zip(span.1),
        line: row.get(9)?,
        column: row.get(10)?,
        role: role.map(Role::name),
        depth,
        form: form.name(),
        marks,
        unbroken: seams.is_empty() && doubt.is_empty(),
        texts: [
            rows.put(&doubt),
            rows.put(&seams),
            rows.put(&text(17)?),
            rows.put(&text(18)?),
            rows.put(&text(19)?),
            rows.put(&text(20)?),
            rows.put(&text(21)?),
            rows.put(&text(22)?),
            rows.put(&text(23)?),
        ],
    })
}
