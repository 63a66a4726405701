//! Writes rows into the tables. Each transaction ends at a place where the
//! reading of a file can continue.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::{Connection, OptionalExtension, params};

use super::known::{self, How, Known, Plan};
use super::rows::{HitRow, MessageRow, Row, Rows};
use super::urls::{self, Keys, Urls};
use super::{Summary, Update, date_text, schema};
use crate::engine::{Delivery, Fault, FaultKind, Kind};
use crate::mail::Position;
use crate::ranges::cut::LOOK;
use crate::url::{Profile, registered_domain, validate};

mod file;

use file::Next;

/// A transaction that has taken this long ends with the current file.
const WHILE: Duration = Duration::from_secs(1);

/// Writes the rows of all workers, in the order of the input.
pub(super) struct Writer<'l> {
    conn: &'l Connection,
    keys: Arc<Keys>,
    known: Arc<Mutex<Known>>,
    profile: Profile,
    /// The number of hits after which a transaction ends at the next message.
    transaction: u64,
    run: i64,
    next_hit: i64,
    open: Option<Open>,
    urls: Urls,
    /// How the hits of the transaction change the table of URLs.
    changes: HashMap<i64, Change>,
    /// The faults of the current file and of later files.
    faults: Vec<Fault>,
    hits: u64,
    began: Option<Instant>,
    /// Rows were removed in this run, so a hit may have been recorded earlier.
    has_old: bool,
    summary: Summary,
}

/// A file that is being read.
struct Open {
    plan: Plan,
    /// The id of its row.
    file: i64,
    /// The current text: the file itself, or a member of the archive.
    text: Option<OpenText>,
}

struct OpenText {
    path: Vec<u8>,
    file: i64,
    kind: Kind,
    /// The row and the date of the current message.
    message: Option<(i64, Option<i64>)>,
    /// Identifies a hit together with its URL. It is the Message-ID, or else
    /// the path.
    place: Vec<u8>,
    /// The starts of the last messages or texts.
    places: Vec<Position>,
    /// Offset and line of the end. True if the file ended at unreadable bytes.
    end: Option<(u64, u64, bool)>,
}

/// Hits of a URL.
#[derive(Default)]
struct Change {
    hits: i64,
    unbroken: i64,
    /// The first and the last date, in seconds since the epoch.
    dates: Option<(i64, i64)>,
}

impl Change {
    fn add(&mut self, other: &Change) {
        self.hits += other.hits;
        self.unbroken += other.unbroken;
        if let Some((first, last)) = other.dates {
            let dates = self.dates.get_or_insert((first, last));
            *dates = (dates.0.min(first), dates.1.max(last));
        }
    }
}

impl<'l> Writer<'l> {
    pub fn new(
        conn: &'l Connection,
        keys: &Arc<Keys>,
        known: &Arc<Mutex<Known>>,
        run: i64,
        update: &Update,
    ) -> rusqlite::Result<Writer<'l>> {
        conn.execute_batch("DROP TABLE IF EXISTS temp.old; DROP TABLE IF EXISTS temp.gone;")?;
        conn.execute_batch(schema::TEMPORARY)?;
        let sql =
            "SELECT max(first_hit, ifnull((SELECT max(id) FROM hit), 0)) FROM run WHERE id = ?1";
        let last_hit: i64 = conn.query_row(sql, [run], |row| row.get(0))?;
        Ok(Writer {
            conn,
            keys: Arc::clone(keys),
            known: Arc::clone(known),
            profile: update.profile,
            transaction: update.transaction,
            run,
            next_hit: last_hit + 1,
            open: None,
            urls: Urls::new(conn, update.transaction)?,
            changes: HashMap::new(),
            faults: Vec::new(),
            hits: 0,
            began: None,
            has_old: false,
            summary: Summary::default(),
        })
    }

    /// Takes the output of one or more pieces.
    pub fn take(&mut self, delivery: &mut Delivery<'_, Rows>) -> rusqlite::Result<()> {
        if let Some(error) = known::lock(&self.known).error.take() {
            return Err(error);
        }
        self.faults.append(delivery.faults);
        self.summary.passed_over += delivery.passed_over;
        let rows = &*delivery.output;
        self.summary.unsearched.add(&rows.unsearched);
        for row in &rows.rows {
            match row {
                Row::Text { path, kind, start } => self.text(rows.get(path), *kind, *start)?,
                Row::Place(at) => self.place(*at),
                Row::Message(message) => self.message(rows, message)?,
                Row::Hit(hit) => self.hit(rows, hit)?,
                Row::Alternate {
                    kind,
                    spelling,
                    canonical,
                } => self.alternate(kind, rows.get(spelling), rows.get(canonical))?,
                Row::End { to, line, broken } => {
                    if let Some(text) = self.at_hand() {
                        text.end = Some((*to, *line, *broken));
                    }
                }
            }
        }
        Ok(())
    }

    fn at_hand(&mut self) -> Option<&mut OpenText> {
        self.open.as_mut()?.text.as_mut()
    }

    /// Begins a text. It belongs to the current file, to another member, or to
    /// another file.
    fn text(&mut self, path: &[u8], kind: Kind, start: Position) -> rusqlite::Result<()> {
        let goes_on = |text: &OpenText| text.path == path && text.end.is_none();
        if self.at_hand().is_some_and(|text| goes_on(text)) {
            self.place(start);
            if kind == Kind::Text {
                self.end_if_long(start)?;
            }
            return Ok(());
        }
        if !self.open.as_ref().is_some_and(|open| open.plan.owns(path)) {
            self.close()?;
            loop {
                let next = known::lock(&self.known).next_for(path);
                let Some((plan, is_it)) = next else {
                    return Ok(());
                };
                self.begin(plan)?;
                if is_it {
                    break;
                }
                self.close()?;
            }
        }
        self.begin_text(path, kind, start)
    }

    /// Begins the next file.
    fn begin(&mut self, plan: Plan) -> rusqlite::Result<()> {
        self.begin_transaction()?;
        let path = known::text(&plan.absolute);
        let file = match plan.how {
            How::Keep(file) => file,
            How::Rest(file, at) => {
                self.remove(file, at.offset)?;
                file
            }
            How::Anew(file) => {
                self.remove_all(file)?;
                file
            }
            How::New => {
                let sql = "INSERT INTO file (path, state) VALUES (?1, 'partly')
                    ON CONFLICT (path) DO NOTHING";
                if self.conn.prepare_cached(sql)?.execute([&path])? > 0 {
                    self.conn.last_insert_rowid()
                } else {
                    // The caller named the file twice.
                    let sql = "SELECT id FROM file WHERE path = ?1";
                    let mut statement = self.conn.prepare_cached(sql)?;
                    let file = statement.query_row([path], |row| row.get(0))?;
                    self.remove_all(file)?;
                    file
                }
            }
        };
        self.open = Some(Open {
            plan,
            file,
            text: None,
        });
        Ok(())
    }

    fn begin_text(&mut self, path: &[u8], kind: Kind, start: Position) -> rusqlite::Result<()> {
        let Some(open) = &mut self.open else {
            return Ok(());
        };
        let rest = path.get(open.plan.path.len()..).unwrap_or_default();
        let absolute = [&open.plan.absolute, rest].concat();
        let file = if rest.is_empty() {
            open.file
        } else {
            let sql =
                "INSERT INTO file (path, archive, container, state) VALUES (?1, ?2, ?3, 'read')
                ON CONFLICT (path) DO UPDATE SET archive = ?2, container = ?3 RETURNING id";
            let mut statement = self.conn.prepare_cached(sql)?;
            let values = params![known::text(&absolute), open.file, kind.name()];
            statement.query_row(values, |row| row.get(0))?
        };
        if let How::Keep(_) = open.plan.how {
            // A file with this decision is not read.
            return Ok(());
        }
        open.text = Some(OpenText {
            path: path.to_vec(),
            file,
            kind,
            message: None,
            place: absolute,
            places: vec![start],
            end: None,
        });
        Ok(())
    }

    fn place(&mut self, at: Position) {
        let Some(text) = self.at_hand() else { return };
        text.places.push(at);
        if text.places.len() > 64 {
            let last = text.places.last().map_or(0, |at| at.offset);
            let far = |at: &Position| at.offset + LOOK as u64 <= last;
            let keep = text.places.iter().rposition(far).unwrap_or(0);
            text.places.drain(..keep);
        }
    }

    fn message(&mut self, rows: &Rows, message: &MessageRow) -> rusqlite::Result<()> {
        self.end_if_long(message.at)?;
        let Some(text) = self.open.as_mut().and_then(|open| open.text.as_mut()) else {
            return Ok(());
        };
        let texts = [
            &message.message_id,
            &message.from,
            &message.subject,
            &message.group,
            &message.list_id,
        ];
        let [message_id, from, subject, group, list_id] =
            texts.map(|text| rows.some(text).map(known::text));
        let sql = r#"INSERT INTO message (file, number, start, "end", message_id, date,
            "from", subject, "group", list_id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"#;
        let id = self.conn.prepare_cached(sql)?.insert(params![
            text.file,
            message.number.map(|n| n as i64),
            message.start as i64,
            message.end.map(|n| n as i64),
            message_id,
            message.date.map(date_text),
            from,
            subject,
            group,
            list_id,
        ])?;
        text.message = Some((id, message.date));
        if let Some(id) = rows.some(&message.message_id) {
            text.place = id.to_vec();
        }
        Ok(())
    }

    fn hit(&mut self, rows: &Rows, hit: &HitRow) -> rusqlite::Result<()> {
        let Some(text) = self.open.as_ref().and_then(|open| open.text.as_ref()) else {
            return Ok(());
        };
        let (file, (message, date)) = (text.file, text.message.filter(|_| hit.in_message).unzip());
        let seams = rows.some(&hit.seams).map(known::text);
        let doubt = rows.some(&hit.doubt).map(known::text);
        let change = Change {
            hits: 1,
            unbroken: i64::from(seams.is_none() && doubt.is_none()),
            dates: date.flatten().map(|date| (date, date)),
        };
        let url = self.url(rows, hit, &change)?;
        let run = self.first_run(url)?;
        let sql = r#"INSERT INTO hit (id, url, file, message, "offset", "end", line, "column", role, depth,
            form, spelling, doubt, seams, marks, part, header, link_target, link_text, run)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)"#;
        let (start, end) = hit.span.unzip();
        self.conn.prepare_cached(sql)?.execute(params![
            self.next_hit,
            url,
            file,
            message,
            start.map(|n| n as i64),
            end.map(|n| n as i64),
            hit.line.map(|n| n as i64),
            hit.column.map(|n| n as i64),
            hit.role,
            hit.depth,
            hit.form,
            rows.some(&hit.spelling).map(known::text),
            doubt,
            seams,
            hit.marks,
            rows.some(&hit.part).map(known::text),
            rows.some(&hit.header).map(known::text),
            rows.some(&hit.link_target).map(known::text),
            rows.some(&hit.link_text).map(known::text),
            run,
        ])?;
        self.next_hit += 1;
        self.hits += 1;
        self.summary.hits += 1;
        Ok(())
    }

    /// The run that first recorded this hit.
    fn first_run(&self, url: i64) -> rusqlite::Result<i64> {
        let text = self.open.as_ref().and_then(|open| open.text.as_ref());
        let Some(text) = text.filter(|_| self.has_old) else {
            return Ok(self.run);
        };
        let sql = "SELECT run FROM temp.old WHERE url = ?1 AND place = ?2";
        let mut statement = self.conn.prepare_cached(sql)?;
        let had = statement.query_row(params![url, known::text(&text.place)], |row| row.get(0));
        Ok(had.optional()?.unwrap_or(self.run))
    }

    /// Adds `change` to the row of the URL of `hit`. Returns its id.
    fn url(&mut self, rows: &Rows, hit: &HitRow, change: &Change) -> rusqlite::Result<i64> {
        let id = match self.urls.get(hit.hash) {
            Some(id) => id,
            None => {
                let canonical = rows.get(&hit.canonical);
                let known = self.urls.find(self.conn, hit.hash, canonical)?;
                let id = match known {
                    Some(id) => id,
                    None => self.url_row(rows, hit, change)?,
                };
                self.urls.put(hit.hash, id);
                if known.is_none() {
                    self.urls.add(self.conn, hit.hash, id)?;
                    return Ok(id);
                }
                id
            }
        };
        self.changes.entry(id).or_default().add(change);
        Ok(id)
    }

    /// Inserts the row of a URL with its first hit. Most new URLs occur once.
    fn url_row(&self, rows: &Rows, hit: &HitRow, change: &Change) -> rusqlite::Result<i64> {
        let canonical = rows.get(&hit.canonical);
        let spelling = rows.some(&hit.spelling).unwrap_or(canonical);
        let url = validate(self.profile, spelling).ok();
        let scheme = url.map(|url| url.scheme().to_lowercase());
        let host = url
            .and_then(|url| url.host())
            .map(|host| host.as_str().to_lowercase());
        let domain = host.as_deref().and_then(registered_domain);
        let surt = url.map(|url| url.surt());
        let date = change.dates.map(|dates| date_text(dates.0));
        let sql = "INSERT INTO url (canonical, scheme, host, domain, surt, run,
                count, unbroken, first_seen, last_seen)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)";
        let values = params![
            known::text(canonical),
            scheme,
            host,
            domain,
            surt,
            self.run,
            change.hits,
            change.unbroken,
            date
        ];
        self.conn.prepare_cached(sql)?.insert(values)
    }

    fn alternate(&self, kind: &str, spelling: &[u8], canonical: &[u8]) -> rusqlite::Result<()> {
        if self.open.as_ref().is_none_or(|open| open.text.is_none()) {
            return Ok(());
        }
        let sql = "INSERT INTO alternate (hit, number, kind, spelling, canonical)
            SELECT ?1, count(*), ?2, ?3, ?4 FROM alternate WHERE hit = ?1";
        let hit = self.next_hit - 1;
        let values = params![hit, kind, known::text(spelling), known::text(canonical)];
        self.conn.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// Ends the current file and completes its row.
    fn close(&mut self) -> rusqlite::Result<()> {
        let Some(open) = self.open.take() else {
            return Ok(());
        };
        let plan = &open.plan;
        let mut faults = Vec::new();
        self.faults.retain(|fault| {
            let path = fault.path.as_deref().unwrap_or_default();
            let is_its = plan.owns(path);
            if is_its {
                faults.push(fault.clone());
            }
            !is_its
        });
        if let How::Keep(file) = plan.how {
            self.summary.renamed += 1;
            return self.rename(file, &plan.absolute);
        }
        let is_damaged = |fault: &Fault| matches!(fault.kind, FaultKind::Unpack(_));
        // The next run should try again to read a file that could not be read.
        // Damage is permanent, so a damaged file is not tried again.
        let is_done = faults.iter().all(is_damaged);
        let text = open.text.filter(|text| text.file == open.file);
        let is_done = is_done && text.as_ref().is_none_or(|text| text.end.is_some());
        let state = if is_done { "read" } else { "partly" };
        let next = text
            .as_ref()
            .map(|text| text.next(plan))
            .unwrap_or_default();
        let stat = is_done.then_some(plan.stat);
        self.file_row(
            open.file,
            stat,
            text.as_ref().map(|text| text.kind),
            &next,
            state,
        )?;
        let fault = faults.first().map(ToString::to_string);
        if fault.is_some() {
            let sql = "UPDATE file SET fault = ?2 WHERE id = ?1";
            self.conn
                .prepare_cached(sql)?
                .execute(params![open.file, fault])?;
        }
        self.summary.read += 1;
        let is_old = self.began.is_some_and(|began| began.elapsed() >= WHILE);
        if self.hits >= self.transaction || is_old {
            self.commit()?;
        }
        Ok(())
    }

    /// Ends the transaction if it has enough hits. All rows so far must come
    /// from before `at`, and reading of the current file must be able to
    /// continue at `at`.
    fn end_if_long(&mut self, at: Position) -> rusqlite::Result<()> {
        if self.hits < self.transaction {
            return Ok(());
        }
        if let Some(open) = &self.open {
            let text = open.text.as_ref().filter(|text| text.file == open.file);
            let next = match text {
                Some(text) if text.grows() && at.line > 0 => Next::of(at, &open.plan),
                _ => Next::default(),
            };
            let (plan, kind) = (&open.plan, text.map(|text| text.kind));
            self.file_row(open.file, Some(plan.stat), kind, &next, "partly")?;
        }
        self.commit()?;
        self.begin_transaction()
    }

    fn begin_transaction(&mut self) -> rusqlite::Result<()> {
        if self.began.is_none() {
            self.conn.execute_batch("BEGIN IMMEDIATE")?;
            self.began = Some(Instant::now());
        }
        Ok(())
    }

    /// Writes the changes to the table of URLs.
    fn flush(&mut self) -> rusqlite::Result<()> {
        if self.changes.is_empty() {
            return Ok(());
        }
        let sql = "UPDATE url SET count = count + ?2, unbroken = unbroken + ?3,
            first_seen = ifnull(min(first_seen, ?4), ifnull(first_seen, ?4)),
            last_seen = ifnull(max(last_seen, ?5), ifnull(last_seen, ?5)) WHERE id = ?1";
        let mut statement = self.conn.prepare_cached(sql)?;
        let mut changes: Vec<_> = self.changes.drain().collect();
        changes.sort_unstable_by_key(|change| change.0);
        for (url, change) in changes {
            let (first, last) = change.dates.unzip();
            let values = params![
                url,
                change.hits,
                change.unbroken,
                first.map(date_text),
                last.map(date_text)
            ];
            statement.execute(values)?;
        }
        Ok(())
    }

    fn commit(&mut self) -> rusqlite::Result<()> {
        self.flush()?;
        self.urls.merge(self.conn)?;
        if self.began.take().is_some() {
            self.conn.execute_batch("COMMIT")?;
        }
        self.hits = 0;
        Ok(())
    }

    /// Ends the run. Closes the last files, and marks the files that were not
    /// found.
    pub fn finish(&mut self) -> rusqlite::Result<Summary> {
        self.close()?;
        loop {
            let plan = known::lock(&self.known).plans.pop_front();
            let Some(plan) = plan else { break };
            self.begin(plan)?;
            self.close()?;
        }
        let known = Arc::clone(&self.known);
        let mut known = known::lock(&known);
        if let Some(error) = known.error.take() {
            return Err(error);
        }
        let vanished = known.vanished()?;
        self.begin_transaction()?;
        for id in vanished {
            let sql = "UPDATE file SET state = 'vanished' WHERE id = ?1";
            self.conn.prepare_cached(sql)?.execute([id])?;
            self.summary.vanished += 1;
        }
        self.flush()?;
        urls::remove_unused(self.conn, &self.keys)?;
        self.commit()?;
        self.summary.unchanged = known.unchanged;
        Ok(std::mem::take(&mut self.summary))
    }

    /// Rolls back to the last commit.
    pub fn roll_back(&mut self) {
        if !self.conn.is_autocommit() {
            // OK to ignore: nothing is kept without a commit.
            let _ = self.conn.execute_batch("ROLLBACK");
        }
    }
}
