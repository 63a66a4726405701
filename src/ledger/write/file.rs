//! Writes the row of a file: its state and the position where reading
//! continues. Renames and removes files.

use std::fs::File;

use rusqlite::params;

use super::{OpenText, Writer};
use crate::engine::Kind;
use crate::ledger::known::{self, Plan};
use crate::mail::Position;
use crate::ranges::cut::{LOOK, last_ground};

impl Writer<'_> {
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
            next.at.offset as i64,
            next.at.line as i64,
            next.at.number as i64,
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
        let rename = "UPDATE file SET path = ?2, state = 'read' WHERE id = ?1";
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

    /// Removes the messages and hits of a file, and its members with theirs.
    /// The row of the file remains, with the state `partly`.
    pub(super) fn remove_all(&mut self, file: i64) -> rusqlite::Result<()> {
        for (member, _) in self.members(file)? {
            self.remove(member, 0)?;
            let sql = "DELETE FROM file WHERE id = ?1";
            self.conn.prepare_cached(sql)?.execute([member])?;
        }
        self.remove(file, 0)?;
        self.file_row(file, None, None, &Next::default(), "partly")
    }

    /// Removes these rows of a file from the offset `from` on:
    ///
    /// * Messages that begin there, and their hits.
    /// * Hits outside messages that begin there, or whose offset is unknown.
    pub(super) fn remove(&mut self, file: i64, from: u64) -> rusqlite::Result<()> {
        self.flush()?;
        const THOSE: &str = r#"h.file = ?1 AND (?2 = 0 OR h.message IN
                (SELECT id FROM message WHERE file = ?1 AND start >= ?2)
            OR h.message IS NULL AND ifnull(h."offset" >= ?2, 1))"#;
        let from = from as i64;
        let execute = |sql: &str| -> rusqlite::Result<usize> {
            let sql = sql.replace("THOSE", THOSE);
            self.conn.prepare_cached(&sql)?.execute(params![file, from])
        };
        self.conn.execute("DELETE FROM temp.gone", [])?;
        execute(
            "INSERT OR IGNORE INTO temp.old
            SELECT h.url, ifnull(m.message_id, f.path), min(h.run)
            FROM hit AS h JOIN file AS f ON f.id = h.file LEFT JOIN message AS m ON m.id = h.message
            WHERE THOSE GROUP BY 1, 2",
        )?;
        execute(
            "INSERT INTO temp.gone
            SELECT h.url, count(*), sum(h.seams IS NULL AND h.doubt IS NULL), min(m.date), max(m.date)
            FROM hit AS h LEFT JOIN message AS m ON m.id = h.message
            WHERE THOSE GROUP BY 1",
        )?;
        execute("DELETE FROM alternate WHERE hit IN (SELECT h.id FROM hit AS h WHERE THOSE)")?;
        let removed = execute("DELETE FROM hit AS h WHERE THOSE")?;
        execute("DELETE FROM message WHERE file = ?1 AND start >= ?2")?;
        if removed == 0 {
            return Ok(());
        }
        self.has_old = true;
        self.conn.execute_batch(
            "UPDATE url SET count = count - g.hits, unbroken = url.unbroken - g.unbroken
                FROM temp.gone AS g WHERE g.url = url.id;
            UPDATE url SET (first_seen, last_seen) =
                (SELECT min(m.date), max(m.date) FROM hit AS h JOIN message AS m ON m.id = h.message
                    WHERE h.url = url.id)
                FROM temp.gone AS g
                WHERE g.url = url.id AND (g.first <= first_seen OR g.last >= last_seen);",
        )
    }
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
    pub(super) fn of(at: Position, plan: &Plan) -> Next {
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
    pub(super) fn next(&self, plan: &Plan) -> Next {
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
