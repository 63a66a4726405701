//! Writes rows into the tables. Each transaction ends at a place where the
//! reading of a file can continue.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rusqlite::{Connection, Row, Statement, ToSql, params, params_from_iter};

use super::known::{self, FilePlan, How, Known};
use super::rows::{HitRow, LedgerRow, MessageRow, Rows};
use super::urls;
use super::{Summary, Update, date_text, schema, seconds_now};
use urlgrep_containers::Position;
use urlgrep_files::engine::{Delivery, Fault, FaultKind, Kind};
use urlgrep_files::ranges::cut::LOOK;
use urlgrep_url::{Profile, registered_domain, validate};

mod file;
mod merge;

use file::Next;

/// A transaction that has taken this long ends with the current file.
const WHILE: Duration = Duration::from_secs(1);

const INSERT_HIT: &str = r#"INSERT INTO hit (id, url, file, message, "offset", "end", line,
    "column", role, depth, form, run, place, copy, marks,
    spelling, doubt, seams, part, header, link_target, link_text, member, content_type,
    file_name)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
    ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25)"#;

const INSERT_URL: &str = "INSERT INTO url (canonical, key, scheme, host, domain, surt, run,
    count, unbroken, first_seen, last_seen) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8, ?9, ?9)";

/// The number of URLs whose ids a first run keeps after a transaction.
const URLS: usize = 250_000;

/// Writes the rows of all workers, in the order of the input.
///
/// Most fields belong to the transaction: what it may reuse, and what it has not written yet.
/// They are changed together when it ends.
pub(super) struct Inserter<'l> {
    conn: &'l Connection,
    known: Arc<Mutex<Known>>,
    profile: Profile,
    /// The number of hits after which a transaction ends at the next message.
    transaction: u64,
    /// The id of this run.
    run: i64,
    /// The id of the next hit.
    next_hit: i64,
    /// A cached statement would have all its parameters reset after each row.
    insert_hit: Statement<'l>,
    insert_url: Statement<'l>,
    /// The ledger has all its indexes.
    is_indexed: bool,
    open: Option<Open>,
    /// The ids of the URLs of the transaction, by their hashes.
    urls: HashMap<u128, i64>,
    /// `urls` has every URL of the ledger.
    has_all: bool,
    /// How the hits of the transaction change the table of URLs.
    changes: HashMap<i64, Change>,
    /// The last date that counts, in seconds since the epoch: that of tomorrow.
    /// Messages with a later date, or one before 1970, have a wrong clock.
    latest: i64,
    /// The faults of the current file and of later files.
    faults: Vec<Fault>,
    /// The number of hits in the transaction.
    hits: u64,
    /// When the transaction began. `None` if there is none.
    began: Option<Instant>,
    /// `temp.old` is not empty: a hit of the file may have been recorded
    /// earlier.
    has_old: bool,
    summary: Summary,
}

/// A file that is being read.
struct Open {
    plan: FilePlan,
    /// The id of its row.
    file: i64,
    /// Earlier rows of the file may be there: those of an earlier run, or of the
    /// same run if the caller named the file twice.
    had_rows: bool,
    /// The current text: the file itself, or a member of the archive.
    text: Option<OpenText>,
}

struct OpenText {
    path: Vec<u8>,
    file: i64,
    kind: Kind,
    /// The current message.
    message: Option<OpenMessage>,
    /// The starts of the last messages or texts.
    places: Vec<Position>,
    /// Offset and line of the end. True if the file ended at unreadable bytes.
    end: Option<(u64, u64, bool)>,
}

/// A message that has a row.
#[derive(Clone, Copy)]
struct OpenMessage {
    id: i64,
    date: Option<i64>,
    /// The id of the first message with the same Message-ID.
    place: i64,
    has_id: bool,
    /// There are other messages with the same Message-ID.
    is_known: bool,
    /// One of them is gone.
    replaces: bool,
    /// One of them is not gone.
    has_others: bool,
}

/// Hits of a URL. Dates are in seconds since the epoch.
#[derive(Default)]
struct Change {
    hits: i64,
    unbroken: i64,
    /// The first and the last date of added hits.
    dates: Option<(i64, i64)>,
    /// The same for removed hits.
    lost: Option<(i64, i64)>,
}

impl Change {
    /// Adds hits of one message, or removes them if their number is negative.
    fn add(&mut self, hits: i64, unbroken: i64, date: Option<i64>) {
        self.hits += hits;
        self.unbroken += unbroken;
        let dates = if hits < 0 {
            &mut self.lost
        } else {
            &mut self.dates
        };
        if let Some(date) = date {
            let (first, last) = dates.get_or_insert((date, date));
            *first = (*first).min(date);
            *last = (*last).max(date);
        }
    }

    /// True if a removed hit may have had the first or the last date of its URL.
    fn loses_dates(&self) -> bool {
        let covers = |added: (i64, i64), lost: (i64, i64)| added.0 <= lost.0 && lost.1 <= added.1;
        self.lost
            .is_some_and(|lost| !self.dates.is_some_and(|added| covers(added, lost)))
    }
}

impl<'l> Inserter<'l> {
    pub fn new(
        conn: &'l Connection,
        known: &Arc<Mutex<Known>>,
        run: i64,
        update: &Update,
    ) -> rusqlite::Result<Inserter<'l>> {
        conn.execute_batch(schema::TEMPORARY)?;
        let sql =
            "SELECT max(first_hit, ifnull((SELECT max(id) FROM hit), 0)) FROM run WHERE id = ?1";
        let last_hit: i64 = conn.query_row(sql, [run], |row| row.get(0))?;
        let sql = "SELECT NOT EXISTS (SELECT 1 FROM url)";
        let has_all = conn.query_row(sql, [], |row| row.get(0))?;
        let mut inserter = Inserter {
            conn,
            known: Arc::clone(known),
            profile: update.profile,
            transaction: update.transaction,
            run,
            next_hit: last_hit + 1,
            insert_hit: conn.prepare(INSERT_HIT)?,
            insert_url: conn.prepare(INSERT_URL)?,
            is_indexed: false,
            open: None,
            urls: HashMap::new(),
            has_all,
            changes: HashMap::new(),
            latest: seconds_now() + 24 * 60 * 60,
            faults: Vec::new(),
            hits: 0,
            began: None,
            has_old: false,
            summary: Summary::default(),
        };
        if !has_all {
            inserter.index()?;
        }
        Ok(inserter)
    }

    /// Makes the indexes that a first run does without.
    fn index(&mut self) -> rusqlite::Result<()> {
        if !self.is_indexed {
            self.conn.execute_batch(schema::INDEXES)?;
            self.is_indexed = true;
        }
        Ok(())
    }

    /// Takes the output of one or more pieces.
    pub fn take(&mut self, delivery: &mut Delivery<'_, Rows>) -> rusqlite::Result<()> {
        if let Some(error) = urlgrep_unpack::lock(&self.known).error.take() {
            return Err(error);
        }
        self.faults.append(delivery.faults);
        self.summary.passed_over += delivery.passed_over;
        let rows = &*delivery.output;
        self.summary.unsearched.add(&rows.unsearched);
        for row in &rows.rows {
            match row {
                LedgerRow::Text { path, kind, start } => {
                    self.text(rows.get(path), *kind, *start)?;
                }
                LedgerRow::Place(at) => self.place(*at),
                LedgerRow::Message(message) => self.message(rows, message)?,
                LedgerRow::Hit(hit) => self.hit(rows, hit)?,
                LedgerRow::Alternate {
                    kind,
                    spelling,
                    canonical,
                } => self.alternate(kind, rows.get(spelling), rows.get(canonical))?,
                LedgerRow::End { to, line, broken } => {
                    if let Some(text) = self.current_text() {
                        text.end = Some((*to, *line, *broken));
                    }
                }
            }
        }
        Ok(())
    }

    /// The text that is being read, if its file has one.
    fn current_text(&mut self) -> Option<&mut OpenText> {
        self.open.as_mut()?.text.as_mut()
    }

    /// Begins a text. It belongs to the current file, to another member, or to
    /// another file.
    fn text(&mut self, path: &[u8], kind: Kind, start: Position) -> rusqlite::Result<()> {
        let goes_on = |text: &OpenText| text.path == path && text.end.is_none();
        if self.current_text().is_some_and(|text| goes_on(text)) {
            self.place(start);
            if kind == Kind::Text {
                self.end_if_long(start)?;
            }
            return Ok(());
        }
        if !self.open.as_ref().is_some_and(|open| open.plan.owns(path)) {
            self.close()?;
            loop {
                let next = urlgrep_unpack::lock(&self.known).next_for(path);
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
    fn begin(&mut self, plan: FilePlan) -> rusqlite::Result<()> {
        self.begin_transaction()?;
        let path = known::text(&plan.absolute);
        let mut had_rows = true;
        let file = match plan.how {
            How::Keep(file) => file,
            How::Rest(file, at) => {
                self.reopen(file, at.offset)?;
                file
            }
            How::Anew(file) => {
                self.reopen_all(file)?;
                file
            }
            How::New => {
                let sql = "INSERT INTO file (path, state) VALUES (?1, 'partly')
                    ON CONFLICT (path) DO NOTHING";
                if self.conn.prepare_cached(sql)?.execute([&path])? > 0 {
                    had_rows = false;
                    self.conn.last_insert_rowid()
                } else {
                    // The caller named the file twice.
                    let sql = "SELECT id FROM file WHERE path = ?1";
                    let mut statement = self.conn.prepare_cached(sql)?;
                    let file = statement.query_row([path], |row| row.get(0))?;
                    self.reopen_all(file)?;
                    file
                }
            }
        };
        self.open = Some(Open {
            plan,
            file,
            had_rows,
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
                ON CONFLICT (path) DO UPDATE SET archive = ?2, container = ?3, state = 'read'
                RETURNING id";
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
            places: vec![start],
            end: None,
        });
        Ok(())
    }

    /// Records a place at which reading of the text can continue. The next run continues at the
    /// last one that has [`LOOK`] bytes after it, so those before it are dropped.
    fn place(&mut self, at: Position) {
        let Some(text) = self.current_text() else {
            return;
        };
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
        let file = text.file;
        let texts = message.texts.each_ref().map(|text| rows.some(text));
        let [
            message_id,
            from,
            subject,
            group,
            list_id,
            to,
            cc,
            record_url,
        ] = texts.map(|text| text.map(known::text));
        // Each message has a hit, so these ids are not used twice.
        let id = self.next_hit;
        let earlier = match texts[0] {
            Some(message_id) => self.earlier(message_id)?,
            None => None,
        };
        let place = earlier.map_or(id, |earlier| earlier.place);
        let sql = r#"INSERT INTO message (id, file, number, start, "end", message_id, date, "from",
            subject, "group", list_id, place, "to", cc, record_url)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"#;
        self.conn.prepare_cached(sql)?.execute(params![
            id,
            file,
            message.number,
            message.start,
            message.end,
            message_id,
            message.date.map(date_text),
            from,
            subject,
            group,
            list_id,
            place,
            to,
            cc,
            record_url,
        ])?;
        let open = OpenMessage {
            id,
            date: self.counted(message.date),
            place,
            has_id: texts[0].is_some(),
            is_known: earlier.is_some(),
            replaces: earlier.is_some_and(|earlier| earlier.is_gone),
            has_others: earlier.is_some_and(|earlier| earlier.is_there),
        };
        if let Some(text) = self.current_text() {
            text.message = Some(open);
        }
        Ok(())
    }

    fn hit(&mut self, rows: &Rows, hit: &HitRow) -> rusqlite::Result<()> {
        let Some(text) = self.open.as_ref().and_then(|open| open.text.as_ref()) else {
            return Ok(());
        };
        let (file, message) = (text.file, text.message.filter(|_| hit.in_message));
        let unbroken = i64::from(hit.unbroken);
        let date = message.and_then(|message| message.date);
        let (url, is_new) = self.url(rows, hit, unbroken, date)?;
        let (run, copy) = if is_new {
            (self.run, false)
        } else {
            self.first_run(file, message, url)?
        };
        if !is_new && !copy {
            self.change(url).add(1, unbroken, date);
        }
        let (start, end) = hit.span.unzip();
        let values: [&dyn ToSql; 16] = [
            &self.next_hit,
            &url,
            &file,
            &message.map(|message| message.id),
            &start,
            &end,
            &hit.line,
            &hit.column,
            &hit.role,
            &hit.depth,
            &hit.form,
            &run,
            &message.map(|message| message.place),
            &copy,
            &hit.marks,
            &rows.some(&hit.spelling).map(known::text),
        ];
        let texts = hit.texts.each_ref();
        let texts = texts.map(|text| rows.some(text).map(known::text));
        let more = texts.iter().map(|text| text as &dyn ToSql);
        let values = params_from_iter(values.into_iter().chain(more));
        self.insert_hit.execute(values)?;
        self.next_hit += 1;
        self.hits += 1;
        self.summary.hits += 1;
        Ok(())
    }

    /// The run that first recorded a hit, and whether the hit is a copy: another
    /// message with the same Message-ID has the URL too.
    fn first_run(
        &mut self,
        file: i64,
        message: Option<OpenMessage>,
        url: i64,
    ) -> rusqlite::Result<(i64, bool)> {
        let place = message.filter(|m| m.has_id).map_or(-file, |m| m.place);
        if let Some(message) = message.filter(|message| message.is_known) {
            let counted = self.counts_already(place, url, message.id)?;
            if let Some(run_and_copy) = counted {
                return Ok(run_and_copy);
            }
            if message.replaces
                && let Some(run) = self.replace(place, url, message.has_others)?
            {
                // A copy of the message that is gone may count in its place.
                let is_copy = if message.has_others {
                    let counted = self.counts_already(place, url, message.id)?;
                    counted.is_some_and(|(_, is_elsewhere)| is_elsewhere)
                } else {
                    false
                };
                return Ok((run, is_copy));
            }
        }
        if !self.has_old {
            return Ok((self.run, false));
        }
        let sql = "SELECT run FROM temp.old WHERE place = ?1 AND url = ?2";
        let run = known::first(self.conn, sql, [place, url], |row| row.get(0))?;
        Ok((run.unwrap_or(self.run), false))
    }

    /// The run of the hit of a URL and a Message-ID that counts and is not gone, and whether it is
    /// in another message than this one.
    fn counts_already(
        &self,
        place: i64,
        url: i64,
        message: i64,
    ) -> rusqlite::Result<Option<(i64, bool)>> {
        let sql =
            "SELECT h.run, h.message <> ?3 FROM hit AS h JOIN message AS m ON m.id = h.message
            WHERE h.place = ?1 AND h.url = ?2 AND h.copy = 0 AND m.gone = 0 LIMIT 1";
        let read = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
        known::first(self.conn, sql, [place, url, message], read)
    }

    /// The id of the URL of `hit`, and whether the URL is new. A new URL gets a
    /// row that counts the hit, because most URLs occur once.
    fn url(
        &mut self,
        rows: &Rows,
        hit: &HitRow,
        unbroken: i64,
        date: Option<i64>,
    ) -> rusqlite::Result<(i64, bool)> {
        if let Some(&id) = self.urls.get(&hit.hash) {
            return Ok((id, false));
        }
        let canonical = rows.get(&hit.canonical);
        let found = if self.has_all {
            None
        } else {
            urls::find(self.conn, hit.hash, rows.some(&hit.host), canonical)?
        };
        let id = match found {
            Some((id, _)) => id,
            None => self.url_row(rows, hit, unbroken, date)?,
        };
        self.urls.insert(hit.hash, id);
        Ok((id, found.is_none()))
    }

    /// The date of a message, unless its clock was wrong.
    fn counted(&self, date: Option<i64>) -> Option<i64> {
        date.filter(|date| (0..=self.latest).contains(date))
    }

    fn change(&mut self, url: i64) -> &mut Change {
        self.changes.entry(url).or_default()
    }

    fn url_row(
        &mut self,
        rows: &Rows,
        hit: &HitRow,
        unbroken: i64,
        date: Option<i64>,
    ) -> rusqlite::Result<i64> {
        let canonical = rows.get(&hit.canonical);
        let spelling = rows.some(&hit.spelling).unwrap_or(canonical);
        let url = validate(self.profile, spelling).ok();
        let host = rows.some(&hit.host);
        let domain = host.and_then(registered_domain);
        let values = params![
            known::text(canonical),
            urls::column(hit.hash),
            url.map(|url| url.scheme().to_lowercase()),
            host.map(known::text),
            domain.map(known::text),
            url.map(|url| url.surt()),
            self.run,
            unbroken,
            date.map(date_text),
        ];
        self.insert_url.insert(values)
    }

    fn alternate(&self, kind: &str, spelling: &[u8], canonical: &[u8]) -> rusqlite::Result<()> {
        if self.open.as_ref().is_none_or(|open| open.text.is_none()) {
            return Ok(());
        }
        let sql = "INSERT INTO alternate (hit, number, kind, spelling, canonical)
            SELECT ?1, count(*), ?2, ?3, ?4 FROM alternate WHERE hit = ?1";
        let hit = self.next_hit - 1;
        let values = params![hit, kind, known::text(spelling), known::text(canonical)];
        self.conn.prepare_cached(sql)?.execute(values).map(drop)
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
        if open.had_rows || self.has_old {
            self.settle(open.file)?;
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
            let values = params![open.file, fault];
            self.conn.prepare_cached(sql)?.execute(values)?;
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
        let mut update = self.conn.prepare_cached(sql)?;
        let sql = "UPDATE url SET (first_seen, last_seen) =
            (SELECT min(m.date), max(m.date) FROM hit AS h JOIN message AS m ON m.id = h.message
                WHERE h.url = ?1 AND h.copy = 0 AND m.date BETWEEN ?2 AND ?3)
            WHERE id = ?1 AND (first_seen >= ?4 OR last_seen <= ?5)";
        let mut dates = self.conn.prepare_cached(sql)?;
        let mut changes: Vec<_> = self.changes.drain().collect();
        changes.sort_unstable_by_key(|change| change.0);
        for (url, change) in changes {
            let (first, last) = change.dates.unzip();
            let (first, last) = (first.map(date_text), last.map(date_text));
            update.execute(params![url, change.hits, change.unbroken, first, last])?;
            if let Some((first, last)) = change.lost.filter(|_| change.loses_dates()) {
                let bounds = [0, self.latest, first, last].map(date_text);
                let [from, to, first, last] = bounds;
                dates.execute(params![url, from, to, first, last])?;
            }
        }
        Ok(())
    }

    fn commit(&mut self) -> rusqlite::Result<()> {
        self.flush()?;
        self.has_all &= self.urls.len() < URLS;
        if !self.has_all {
            self.urls.clear();
        }
        if self.began.take().is_some() {
            urlgrep_unpack::lock(&self.known).release()?;
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
            let plan = urlgrep_unpack::lock(&self.known).plans.pop_front();
            let Some(plan) = plan else { break };
            self.begin(plan)?;
            self.close()?;
        }
        let vanished = {
            let mut known = urlgrep_unpack::lock(&self.known);
            if let Some(error) = known.error.take() {
                return Err(error);
            }
            self.summary.unchanged = known.unchanged;
            known.vanished()?
        };
        self.begin_transaction()?;
        for id in vanished {
            self.vanish(id)?;
            self.summary.vanished += 1;
        }
        self.flush()?;
        let sql = "DELETE FROM url WHERE count = 0
            AND NOT EXISTS (SELECT 1 FROM hit WHERE hit.url = url.id)";
        self.conn.execute(sql, [])?;
        self.commit()?;
        self.index()?;
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
