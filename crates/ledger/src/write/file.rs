//! Writes the row of a file: its state and the position where reading
//! continues. Renames files, and removes hits that a file no longer has.
//!
//! A message with a Message-ID stays in the ledger when its file no longer has
//! it: it is `gone`. Before a file is read again, all its messages become
//! `gone`, so a run that is killed leaves nothing to undo. If another message
//! with this Message-ID is found, in this file or another one, each of its hits
//! replaces those of the same URL that are gone, and takes their run. What it
//! does not have, because it was edited, stays. A message that is gone is removed
//! with its last hit. Of the hits of one URL in messages with one Message-ID those
//! of one message count. The others are copies. If the message is removed, a copy
//! takes its place.

use std::fs::File;

use rusqlite::{Row, params};

use super::{Inserter, OpenText};
use crate::known::{self, FilePlan};
use urlgrep_containers::Position;
use urlgrep_files::engine::Kind;
use urlgrep_files::ranges::cut::{LOOK, last_ground};

/// The hits of the message `?1`. The next hit has the id `?2`.
const OF_MESSAGE: &str = "h.id >= ?1 AND h.id < ?2 AND h.message = ?1";
/// Those of them whose URL a message that was found has.
const REPLACED: &str =
    "h.id >= ?1 AND h.id < ?2 AND h.message = ?1 AND h.url IN (SELECT url FROM temp.found)";
/// The most hits of a URL that are removed at once.
const BATCH: i64 = 256;
/// The hits of the file `?1` outside messages, from the offset `?2` on.
const OF_TEXT: &str =
    r#"h.file = ?1 AND h.message IS NULL AND (h."offset" >= ?2 OR h."offset" IS NULL)"#;
/// The messages of the file `?1` that are gone and that nothing else identifies.
const UNKNOWN: &str = "INSERT INTO temp.stale SELECT id, -file FROM message
    WHERE file = ?1 AND message_id IS NULL AND gone = 1";
/// The messages of the file `?1` that are gone, but were found elsewhere.
const FOUND: &str = "INSERT INTO temp.stale SELECT id, place FROM message
    WHERE file = ?1 AND message_id IS NOT NULL AND gone = 1 AND EXISTS
    (SELECT 1 FROM message AS o WHERE o.message_id = message.message_id AND o.gone = 0)";

impl Inserter<'_> {
    pub(super) fn file_row(
        &self,
        file: i64,
        stat: Option<known::Stat>,
        kind: Option<Kind>,
        next: &Next,
        state: &str,
    ) -> rusqlite::Result<()> {
        let sql = "UPDATE file SET size = ?2, mtime = ?3, inode = ?4, container = ?5,
            read_up_to = ?6, next_line = ?7, next_message = ?8, head = ?9, tail = ?10,
            state = ?11, fault = NULL WHERE id = ?1";
        self.conn.prepare_cached(sql)?.execute(params![
            file,
            stat.map(|stat| stat.size),
            stat.map(|stat| stat.mtime),
            stat.and_then(|stat| stat.inode),
            kind.map(Kind::name),
            next.at.offset,
            next.at.line,
            next.at.number,
            next.samples.map(|samples| samples.0),
            next.samples.map(|samples| samples.1),
            state,
        ])?;
        Ok(())
    }

    /// Renames a file. The members of an archive are renamed with it.
    pub(super) fn rename(&self, file: i64, path: &[u8]) -> rusqlite::Result<()> {
        let sql = "SELECT path FROM file WHERE id = ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let had: Vec<u8> = statement.query_row([file], |row| Ok(known::bytes(row.get_ref(0)?)))?;
        let rename = "UPDATE file SET path = ?2 WHERE id = ?1";
        let mut rename = self.conn.prepare_cached(rename)?;
        rename.execute(params![file, known::text(path)])?;
        for (member, name) in self.members(file)? {
            let name = [path, name.get(had.len()..).unwrap_or_default()].concat();
            rename.execute(params![member, known::text(&name)])?;
        }
        Ok(())
    }

    fn members(&self, archive: i64) -> rusqlite::Result<Vec<(i64, Vec<u8>)>> {
        let sql = "SELECT id, path FROM file WHERE archive = ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let rows = statement.query_map([archive], |row| {
            Ok((row.get(0)?, known::bytes(row.get_ref(1)?)))
        })?;
        rows.collect()
    }

    /// Prepares a file and its members for another reading. The state of the
    /// file is then `partly`.
    pub(super) fn reopen_all(&mut self, file: i64) -> rusqlite::Result<()> {
        for (member, _) in self.members(file)? {
            self.reopen(member, 0)?;
            self.set_vanished(member)?;
        }
        self.reopen(file, 0)?;
        self.file_row(file, None, None, &Next::default(), "partly")
    }

    /// Prepares a file for another reading from the offset `from` on. Messages
    /// that begin there are gone until they are found. Hits without a
    /// Message-ID are removed if they are there, or if their offset is unknown.
    pub(super) fn reopen(&mut self, file: i64, from: u64) -> rusqlite::Result<()> {
        self.flush()?;
        self.index()?;
        let from = from as i64;
        let sql = "UPDATE message SET gone = 1 WHERE file = ?1 AND start >= ?2";
        self.conn.prepare_cached(sql)?.execute([file, from])?;
        self.remove_all(file, UNKNOWN, OF_MESSAGE)?;
        self.remove_hits(OF_TEXT, [file, from], -file).map(drop)
    }

    /// Ends the reading of a file. Removes its hits that are now elsewhere.
    pub(super) fn settle(&mut self, file: i64) -> rusqlite::Result<()> {
        let members = self.members(file)?.into_iter().map(|member| member.0);
        for file in members.chain([file]) {
            self.remove_all(file, FOUND, REPLACED)?;
        }
        if std::mem::take(&mut self.has_old) {
            self.conn.execute("DELETE FROM temp.old", [])?;
        }
        Ok(())
    }

    /// Records that a file is missing. Its hits remain unless they are found
    /// elsewhere.
    pub(super) fn vanish(&mut self, file: i64) -> rusqlite::Result<()> {
        let members = self.members(file)?.into_iter().map(|member| member.0);
        for file in members.chain([file]) {
            let sql = "UPDATE message SET gone = 1 WHERE file = ?1";
            self.conn.prepare_cached(sql)?.execute([file])?;
            self.set_vanished(file)?;
        }
        self.settle(file)
    }

    /// Without a size, the file is read anew if it comes back.
    fn set_vanished(&self, file: i64) -> rusqlite::Result<()> {
        let sql = "UPDATE file SET state = 'vanished', size = NULL WHERE id = ?1";
        self.conn.prepare_cached(sql)?.execute([file]).map(drop)
    }

    /// What the ledger has of a Message-ID.
    pub(super) fn earlier(&mut self, message_id: &[u8]) -> rusqlite::Result<Option<Earlier>> {
        let id = known::text(message_id);
        let sql = "SELECT place FROM message WHERE message_id = ?1 LIMIT 1";
        let Some(place) = known::first(self.conn, sql, [&id], |row| row.get(0))? else {
            return Ok(None);
        };
        self.index()?;
        let has = |gone: i64| {
            let sql = "SELECT 1 FROM message WHERE message_id = ?1 AND gone = ?2 LIMIT 1";
            let found = known::first(self.conn, sql, params![&id, gone], |_| Ok(()))?;
            Ok::<bool, rusqlite::Error>(found.is_some())
        };
        Ok(Some(Earlier {
            place,
            is_gone: has(1)?,
            is_there: has(0)?,
        }))
    }

    /// Removes the hits of a URL and a Message-ID that are gone, and returns the first of their
    /// runs. The hit that replaces them is not there yet. If there may be copies, one of them
    /// counts now.
    pub(super) fn replace(
        &mut self,
        place: i64,
        url: i64,
        has_copies: bool,
    ) -> rusqlite::Result<Option<i64>> {
        let conn = self.conn;
        let sql = "SELECT h.id, h.message, h.run, h.copy = 0,
                h.copy = 0 AND h.seams IS NULL AND h.doubt IS NULL, unixepoch(m.date)
            FROM hit AS h JOIN message AS m ON m.id = h.message
            WHERE h.place = ?1 AND h.url = ?2 AND m.gone = 1 LIMIT ?3";
        let mut statement = conn.prepare_cached(sql)?;
        let (mut first, mut counted) = (None::<i64>, false);
        loop {
            let read = |row: &Row<'_>| {
                let of = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok((of, row.get(3)?, row.get(4)?, row.get(5)?))
            };
            let rows = statement.query_map([place, url, BATCH], read)?;
            let rows: Vec<((i64, i64, i64), i64, i64, _)> =
                rows.collect::<rusqlite::Result<_>>()?;
            let is_last = (rows.len() as i64) < BATCH;
            for ((hit, message, run), hits, unbroken, date) in rows {
                let sql = "DELETE FROM alternate WHERE hit = ?1";
                conn.prepare_cached(sql)?.execute([hit])?;
                let sql = "DELETE FROM hit WHERE id = ?1";
                conn.prepare_cached(sql)?.execute([hit])?;
                self.remove_empty(message)?;
                first = Some(first.map_or(run, |first| first.min(run)));
                if hits > 0 {
                    counted = true;
                    let date = self.counted(date);
                    self.change(url).add(-hits, -unbroken, date);
                }
            }
            if is_last {
                break;
            }
        }
        if counted && has_copies {
            self.promote(place, url)?;
        }
        Ok(first)
    }

    /// Removes a message without hits.
    fn remove_empty(&self, message: i64) -> rusqlite::Result<()> {
        let sql = "DELETE FROM message WHERE id = ?1 AND
            (SELECT message FROM hit WHERE hit.id >= ?1 ORDER BY hit.id LIMIT 1) IS NOT ?1";
        self.conn.prepare_cached(sql)?.execute([message]).map(drop)
    }

    /// Removes those hits of messages of a file, and the messages that have no others. `stale`
    /// collects the messages.
    fn remove_all(&mut self, file: i64, stale: &str, those: &str) -> rusqlite::Result<()> {
        let conn = self.conn;
        if conn.prepare_cached(stale)?.execute([file])? == 0 {
            return Ok(());
        }
        let sql = "SELECT message, place FROM temp.stale ORDER BY place";
        let mut statement = conn.prepare_cached(sql)?;
        let mut rows = statement.query([])?;
        let mut last = None;
        while let Some(row) = rows.next()? {
            let (message, place) = (row.get(0)?, row.get(1)?);
            if those == REPLACED && last.replace(place) != Some(place) {
                self.find_urls(message)?;
            }
            let next = self.hit_after(message)?;
            self.remove_hits(those, [message, next], place)?;
            self.remove_empty(message)?;
        }
        conn.execute("DELETE FROM temp.stale", [])?;
        Ok(())
    }

    /// Removes those hits of a message that is gone that a message with its Message-ID has. Returns
    /// their number.
    pub(super) fn remove_found(&mut self, message: i64) -> rusqlite::Result<u64> {
        self.find_urls(message)?;
        let sql = "SELECT place FROM message WHERE id = ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let place = statement.query_row([message], |row| row.get(0))?;
        let of = [message, self.hit_after(message)?];
        let removed = self.remove_hits(REPLACED, of, place)?;
        self.remove_empty(message)?;
        Ok(removed)
    }

    /// Collects the URLs of the messages that have the Message-ID of this one and are not gone.
    fn find_urls(&self, message: i64) -> rusqlite::Result<()> {
        self.conn.execute("DELETE FROM temp.found", [])?;
        let sql = "SELECT id FROM message WHERE gone = 0 AND
            message_id = (SELECT message_id FROM message WHERE id = ?1)";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut rows = statement.query([message])?;
        let sql = "INSERT OR IGNORE INTO temp.found
            SELECT url FROM hit WHERE id >= ?1 AND id < ?2 AND message = ?1";
        let mut insert = self.conn.prepare_cached(sql)?;
        while let Some(row) = rows.next()? {
            let other: i64 = row.get(0)?;
            insert.execute([other, self.hit_after(other)?])?;
        }
        Ok(())
    }

    /// The id of the hit after those of a message. The id of a message was that of
    /// its first hit, and its hits are adjacent.
    fn hit_after(&self, message: i64) -> rusqlite::Result<i64> {
        let sql = "SELECT ifnull((SELECT id FROM hit WHERE id > ?1 AND message IS NOT ?1
            ORDER BY id LIMIT 1), ?2)";
        let mut statement = self.conn.prepare_cached(sql)?;
        statement.query_row([message, self.next_hit], |row| row.get(0))
    }

    /// Removes hits, and returns their number. Their first runs go to `temp.old`.
    fn remove_hits(&mut self, those: &str, of: [i64; 2], place: i64) -> rusqlite::Result<u64> {
        let conn = self.conn;
        let execute = |sql: &str| {
            let sql = sql.replace("THOSE", those);
            conn.prepare_cached(&sql)?.execute(of)
        };
        let lost = execute(
            "INSERT INTO temp.lost SELECT h.url, sum(h.copy = 0),
                sum(h.copy = 0 AND h.seams IS NULL AND h.doubt IS NULL),
                unixepoch(m.date), min(h.run)
            FROM hit AS h LEFT JOIN message AS m ON m.id = h.message WHERE THOSE GROUP BY 1",
        )?;
        if lost == 0 {
            return Ok(0);
        }
        execute("DELETE FROM alternate WHERE hit IN (SELECT h.id FROM hit AS h WHERE THOSE)")?;
        let removed = execute("DELETE FROM hit AS h WHERE THOSE")?;
        let sql = "INSERT OR IGNORE INTO temp.old SELECT ?1, url, run FROM temp.lost";
        conn.prepare_cached(sql)?.execute([place])?;
        self.has_old = true;
        let sql = "SELECT url, hits, unbroken, date FROM temp.lost WHERE hits > 0";
        let mut statement = conn.prepare_cached(sql)?;
        let mut lost = statement.query([])?;
        while let Some(row) = lost.next()? {
            let (url, hits, unbroken): (_, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let date = self.counted(row.get(3)?);
            self.change(url).add(-hits, -unbroken, date);
            if place > 0 {
                self.promote(place, url)?;
            }
            if self.changes.len() as u64 > self.transaction {
                self.flush()?;
            }
        }
        conn.execute("DELETE FROM temp.lost", [])?;
        Ok(removed as u64)
    }

    /// Counts the hits of a URL in another message with the same Message-ID, if
    /// there is one.
    fn promote(&mut self, place: i64, url: i64) -> rusqlite::Result<()> {
        let conn = self.conn;
        let sql =
            "SELECT m.id, unixepoch(m.date) FROM hit AS h JOIN message AS m ON m.id = h.message
            WHERE h.place = ?1 AND h.url = ?2 AND h.copy = 1 AND m.gone = 0 LIMIT 1";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let Some((message, date)) = known::first(conn, sql, [place, url], read)? else {
            return Ok(());
        };
        let sql = "UPDATE hit SET copy = 0 WHERE id >= ?1 AND id < ?2 AND message = ?1 AND url = ?3
            RETURNING seams IS NULL AND doubt IS NULL";
        let mut statement = conn.prepare_cached(sql)?;
        let mut hits = statement.query([message, self.hit_after(message)?, url])?;
        let date = self.counted(date);
        while let Some(hit) = hits.next()? {
            self.change(url).add(1, hit.get(0)?, date);
        }
        Ok(())
    }
}

/// The messages with one Message-ID.
#[derive(Clone, Copy)]
pub(super) struct Earlier {
    pub(super) place: i64,
    /// One of them is gone.
    pub(super) is_gone: bool,
    /// One of them is not gone.
    pub(super) is_there: bool,
}

/// The position at which the next run continues to read a file.
pub(super) struct Next {
    at: Position,
    samples: Option<(i64, i64)>,
}

impl Default for Next {
    /// The beginning of the file.
    fn default() -> Next {
        Next {
            at: Position::START,
            samples: None,
        }
    }
}

impl Next {
    pub(super) fn of(at: Position, plan: &FilePlan) -> Next {
        let file = File::open(known::path_of(plan.path.clone())).ok();
        let samples = file.and_then(|file| known::samples(&file, at.offset));
        match samples {
            Some(_) => Next { at, samples },
            None => Next::default(),
        }
    }
}

impl OpenText {
    /// True if reading can continue in this file after it has grown.
    pub(super) fn grows(&self) -> bool {
        known::growing(self.kind.name()).is_some()
    }

    /// The position at which reading continues after the file has grown. It is
    /// the start of the last message, or the last place to cut plain text.
    /// [`LOOK`] bytes must follow it.
    pub(super) fn next(&self, plan: &FilePlan) -> Next {
        let Some((to, line, false)) = self.end else {
            return Next::default();
        };
        if !self.grows() || self.path != plan.path || to <= LOOK as u64 {
            return Next::default();
        }
        let known = to.saturating_sub(LOOK as u64);
        let at = if self.kind == Kind::Text {
            let file = File::open(known::path_of(plan.path.clone())).ok();
            file.and_then(|file| last_ground(&file, known, to).ok().flatten())
                .map(|(offset, breaks)| Position {
                    offset,
                    line: line.saturating_sub(breaks),
                    number: 1,
                })
        } else {
            let places = self.places.iter().rev();
            places.copied().find(|at| at.offset <= known)
        };
        let at = at.filter(|at| at.offset > 0 && at.line > 0);
        at.map_or_else(Next::default, |at| Next::of(at, plan))
    }
}
