//! Records the hits of many runs over growing files in an SQLite database.
//!
//! [`Ledger::update`] reads the new parts of files and folders. A file that
//! only grew is read from the last position on. An unchanged file is not
//! opened. [`Ledger::records`] returns hits as
//! [`Record`](urlgrep_rows::record::Record)s. They are printed like those of a search.
//!
//! ```
//! use urlgrep_files::engine::{Engine, Input};
//! use urlgrep_ledger::{Ledger, Query, Update};
//!
//! # let folder = std::env::temp_dir().join(format!("urlgrep-ledger-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let mailbox = folder.join("in.txt");
//! std::fs::write(&mailbox, "see http://a.example/\n")?;
//! let mut ledger = Ledger::open(&folder.join("links.db"))?;
//! let inputs = vec![Input::Path(mailbox)];
//! let summary = ledger.update(inputs, Update::new(Engine::builder()), |_fault| {})?;
//! assert_eq!(summary.hits, 1);
//!
//! let mut urls = Vec::new();
//! ledger.records(&Query::default(), |found| {
//!     urls.push(found.record.hit.to_string());
//!     true
//! })?;
//! assert_eq!(urls, ["http://a.example/"]);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//!
//! * A transaction contains rows of whole files or whole messages, and the
//!   position that was reached in their file. If a run is killed, the next run
//!   continues at that position. The rows are then the same as after one
//!   complete run.
//! * Memory does not depend on the number of hits. It grows by one bit per
//!   file.
//! * One process writes at a time, by whatever path it found the file. Other
//!   processes can read meanwhile.
//! * A file that is not a ledger is never written to.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

// The tests of the command read the databases that it writes.
#[doc(hidden)]
pub use rusqlite;

mod error;
mod known;
mod lock;
mod query;
mod rows;
mod schema;
mod urls;
mod write;

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, params};

use urlgrep_files::engine::{Delivery, EngineBuilder, Fault, FileId, Input, file_id};
use urlgrep_find::ExtractorBuilder;
use urlgrep_mail::mime::{Date, HeaderPolicy};
use urlgrep_search::{MAX_ATTACHMENT, Searcher, Unsearched};
use urlgrep_url::Profile;

pub use error::{Error, ErrorKind};
pub use query::{Found, Order, Query};

use known::Known;
use lock::Lock;
use rows::{Recorder, Rows};
use urls::Keys;
use write::Inserter;

/// The time that a run waits for another process before it fails.
const PATIENCE: Duration = Duration::from_secs(2);
/// The default number of hits in a transaction.
const TRANSACTION: u64 = 200_000;
/// The number of prepared statements that are cached.
const STATEMENTS: usize = 48;
/// The maximum size of a ledger that is checked when it is opened. The check,
/// `PRAGMA quick_check`, takes 4 ms per MiB.
const CHECKED: u64 = 4 << 20;

/// A database of hits. See the [module](self).
#[derive(Debug)]
pub struct Ledger {
    /// The path as the caller named it, for messages.
    path: PathBuf,
    /// The path of the file itself, without symbolic links.
    file: PathBuf,
    /// The file at this path when it was opened.
    id: Option<FileId>,
    conn: Connection,
    /// Held from the first update until the ledger is dropped.
    lock: Option<Lock>,
}

/// The options of an update.
#[derive(Clone, Debug)]
pub struct Update {
    /// The files to read, and how to read them.
    pub engine: EngineBuilder,
    /// The options of the search for URLs.
    pub extractor: ExtractorBuilder,
    /// The header fields to search.
    pub headers: HeaderPolicy,
    /// See [`SearcherBuilder::attachments`](urlgrep_search::SearcherBuilder::attachments).
    pub attachments: Option<usize>,
    /// The profile that judges URLs. It must be that of the extractor.
    pub profile: Profile,
    /// The names and values of other settings that change the hits. An update
    /// fails if they differ from those of the ledger.
    pub settings: Vec<(String, String)>,
    /// The number of hits in a transaction. A message is never divided, so a
    /// transaction may have more. Default: 200,000.
    pub transaction: u64,
}

impl Update {
    /// An update with the default settings of a search.
    #[must_use]
    pub fn new(engine: EngineBuilder) -> Update {
        Update {
            engine,
            extractor: ExtractorBuilder::default(),
            headers: HeaderPolicy::default(),
            attachments: Some(MAX_ATTACHMENT),
            profile: Profile::default(),
            settings: Vec::new(),
            transaction: TRANSACTION,
        }
    }
}

/// The counts of an update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files that were read, completely or from the last position on.
    pub read: u64,
    /// Files that were not opened.
    pub unchanged: u64,
    /// Files that were renamed.
    pub renamed: u64,
    /// Files that are now missing.
    pub vanished: u64,
    /// Hits that were recorded. If a file was read again, its known hits count
    /// again.
    pub hits: u64,
    /// Special files that were skipped: devices, links and the like.
    pub passed_over: u64,
    /// Parts and files that were read, but could not be searched.
    pub unsearched: Unsearched,
    /// The settings whose value meant something else when the ledger was made. It has the
    /// new value from now on, so each is here in one update only.
    pub changed: Vec<ChangedSetting>,
}

/// The counts of a [merge](Ledger::merge).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Merged {
    /// Files and members of archives that were added, or replaced by a later version.
    pub files: u64,
    /// Those that were left out, because this ledger has the same version or a later one.
    pub older: u64,
    /// Hits that were added.
    pub hits: u64,
}

/// A setting of a ledger whose value had another meaning when the ledger was made.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedSetting {
    /// The name of the setting.
    pub name: String,
    /// The value in the ledger so far.
    pub had: String,
    /// The value from now on.
    pub has: String,
}

impl fmt::Display for ChangedSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ChangedSetting { name, had, has } = self;
        write!(
            f,
            "the ledger was made with {name} {had}, and has {name} {has} from now on; \
             what it found before stays"
        )
    }
}

/// The settings that had other values in earlier ledgers: the name, the earlier value, and
/// the values that may replace it. `auto` was the default of `headers`, with the fields of
/// mailing lists and of many programs. A nightly run goes on with the new default.
const EARLIER: [(&str, &str, &[&str]); 1] = [("headers", "auto", &["written", "list"])];

/// True if the value `had` of an earlier ledger becomes `has`.
fn is_replaced(name: &str, had: &str, has: &str) -> bool {
    let mut rows = EARLIER.iter();
    rows.any(|(of, earlier, now)| *of == name && *earlier == had && now.contains(&has))
}

impl Ledger {
    /// Opens a ledger. Creates one if the file is missing or empty.
    ///
    /// # Errors
    ///
    /// The file is not a ledger, is damaged, has another version, has several
    /// names (hard links), or cannot be opened or created.
    pub fn open(path: &Path) -> Result<Ledger, Error> {
        Ledger::open_with(path, OpenFlags::default())
    }

    /// Opens an existing ledger to read it.
    ///
    /// # Errors
    ///
    /// The errors of [`Ledger::open`], and an error for a missing file.
    pub fn open_existing(path: &Path) -> Result<Ledger, Error> {
        std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        Ledger::open_with(path, flags)
    }

    fn open_with(path: &Path, flags: OpenFlags) -> Result<Ledger, Error> {
        let error = |error| Error::of(path, error);
        let size = size_of(path)?;
        let conn = Connection::open_with_flags(path, flags).map_err(error)?;
        prepare(&conn).map_err(error)?;
        let may_create = flags.contains(OpenFlags::SQLITE_OPEN_CREATE);
        if may_create && size == 0 && is_empty(&conn).map_err(error)? {
            create(&conn).map_err(error)?;
        }
        let file = std::fs::canonicalize(path).map_err(|error| Error::io(path, error))?;
        let id = id_of(path, &file)?;
        upgrade(&conn).map_err(error)?;
        check(path, &conn)?;
        Ok(Ledger {
            path: path.to_path_buf(),
            file,
            id,
            conn,
            lock: None,
        })
    }

    /// Reads the new parts of `inputs`, which must be paths. `fault` receives
    /// each input that could not be read.
    ///
    /// Until [`Ledger::finish`] is called, [`Query::news`] selects the new
    /// hits.
    ///
    /// # Errors
    ///
    /// The update fails if another process updates the ledger, or if the
    /// settings differ from those of the ledger. It also fails if the database
    /// fails, for example because the disk is full. The next update then
    /// continues from the last commit.
    pub fn update<I>(
        &mut self,
        inputs: I,
        update: Update,
        mut fault: impl FnMut(&Fault),
    ) -> Result<Summary, Error>
    where
        I: IntoIterator<Item = Input, IntoIter: Send + 'static>,
    {
        self.lock()?;
        let path = self.path.clone();
        let error = |error| Error::of(&path, error);
        let changed = self.settings(&update)?;
        let run = self.begin_run().map_err(error)?;
        let keys = Arc::new(Keys::of(&self.conn).map_err(error)?);
        let known = Arc::new(Mutex::new(Known::new(&self.file, &update.engine)?));
        let mut writer = Inserter::new(&self.conn, &known, run, &update).map_err(error)?;
        let choose = Arc::clone(&known);
        let engine = update
            .engine
            .lines(true)
            .numbers(true)
            .choose(move |path, meta| urlgrep_unpack::lock(&choose).choose(path, meta))
            .build();
        let roots = Arc::clone(&known);
        let inputs = inputs
            .into_iter()
            .map(move |input| urlgrep_unpack::lock(&roots).root(input));
        let searcher = Searcher::builder()
            .headers(update.headers)
            .attachments(update.attachments);
        let make = move || Recorder::new(searcher, update.extractor, &keys);
        let mut failed = None;
        let took = engine.run(inputs, make, |delivery: &mut Delivery<'_, Rows>| {
            delivery.faults.iter().for_each(&mut fault);
            let result = writer.take(delivery);
            delivery.output.clear();
            failed = result.err();
            failed.is_none()
        });
        let result = match failed {
            Some(error) => Err(error),
            None => writer.finish(),
        };
        if result.is_err() {
            writer.roll_back();
        }
        took.map_err(|source| Error::io(&self.path, source))?;
        let mut summary = result.map_err(error)?;
        summary.changed = changed;
        Ok(summary)
    }

    /// Adds the files, messages and hits of another ledger. The result is that of one ledger that
    /// has read the files of both: messages with one Message-ID are one message, and a path that
    /// both have is one file, of which the later version counts. A link keeps the time when it was
    /// first recorded, so it is not new.
    ///
    /// # Errors
    ///
    /// The other ledger has other settings or is this one, another process updates this one, or
    /// a database fails. The next merge then continues after the last commit.
    pub fn merge(&mut self, other: &Ledger) -> Result<Merged, Error> {
        if other.file == self.file {
            return Err(Error::new(&self.path, ErrorKind::Itself));
        }
        self.lock()?;
        let error = |error| Error::of(&self.path, error);
        let update = Update {
            profile: self.take_settings(other)?,
            ..Update::new(EngineBuilder::default())
        };
        let run = self.begin_run().map_err(error)?;
        let keys = Keys::of(&self.conn).map_err(error)?;
        let known = Arc::new(Mutex::new(Known::new(&self.file, &update.engine)?));
        let mut writer = Inserter::new(&self.conn, &known, run, &update).map_err(error)?;
        let begun = other.conn.execute_batch("BEGIN");
        begun.map_err(|error| Error::of(&other.path, error))?;
        let merged = writer.merge(&other.conn, &keys);
        if merged.is_err() {
            writer.roll_back();
        }
        // OK to ignore: nothing was written there.
        let _ = other.conn.execute_batch("ROLLBACK");
        // No hit is of this run.
        let sql = "DELETE FROM run WHERE id = ?1";
        self.conn.execute(sql, [run]).map_err(error)?;
        merged.map_err(error)
    }

    /// Compares the settings with those of another ledger, or copies them if this one is new.
    /// Returns the profile.
    fn take_settings(&self, other: &Ledger) -> Result<Profile, Error> {
        let read = |ledger: &Ledger| {
            let sql = "SELECT name, value FROM setting WHERE name <> 'hash_key' ORDER BY name";
            let mut statement = ledger.conn.prepare(sql)?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect::<rusqlite::Result<Vec<(String, String)>>>()
        };
        let has = read(other).map_err(|error| Error::of(&other.path, error))?;
        let had = read(self).map_err(|error| Error::of(&self.path, error))?;
        if had.is_empty() {
            let sql = "INSERT INTO setting VALUES (?1, ?2)";
            for (name, value) in &has {
                let done = self.conn.execute(sql, [name, value]);
                done.map_err(|error| Error::of(&self.path, error))?;
            }
        } else if let Some((ours, theirs)) = had.iter().zip(&has).find(|(a, b)| a != b) {
            let (name, had) = ours.clone();
            let has = theirs.1.clone();
            return Err(Error::new(
                &self.path,
                ErrorKind::Setting { name, had, has },
            ));
        }
        let profile = has.iter().find(|(name, _)| name == "profile");
        let profile = profile.and_then(|(_, name)| Profile::from_name(name));
        Ok(profile.unwrap_or_default())
    }

    /// Takes the lock for the updates of this ledger.
    fn lock(&mut self) -> Result<(), Error> {
        if self.lock.is_none() {
            let lock = Lock::take(&self.path, &self.file, &self.conn)?;
            // Another program may have put another file there while this one waited.
            if id_of(&self.path, &self.file)? != self.id {
                return Err(Error::new(&self.path, ErrorKind::Replaced));
            }
            self.lock = Some(lock);
        }
        Ok(())
    }

    /// Marks the new hits of all updates so far as delivered. [`Query::news`]
    /// then no longer selects them.
    ///
    /// # Errors
    ///
    /// An error of the database.
    pub fn finish(&mut self) -> Result<(), Error> {
        let sql = "UPDATE run SET finished = ?1 WHERE finished IS NULL";
        let done = self.conn.execute(sql, [now()]);
        done.map(|_| ())
            .map_err(|error| Error::of(&self.path, error))
    }

    /// Passes the hits that `query` selects to `each`, until it returns false.
    ///
    /// # Errors
    ///
    /// An error of the database, or values in it that no update writes.
    pub fn records(
        &self,
        query: &Query,
        each: impl FnMut(&Found<'_>) -> bool,
    ) -> Result<(), Error> {
        query::run(&self.conn, query, each).map_err(|error| Error::of(&self.path, error))
    }

    /// Compares the settings with those of the ledger. In a new ledger it
    /// records them. Returns those that it replaced.
    fn settings(&self, update: &Update) -> Result<Vec<ChangedSetting>, Error> {
        let error = |error| Error::of(&self.path, error);
        let profile = ("profile".to_owned(), update.profile.name().to_owned());
        let runs: i64 = self
            .conn
            .query_row("SELECT count(*) FROM run", [], |row| row.get(0))
            .map_err(error)?;
        let mut changed = Vec::new();
        for (name, value) in update.settings.iter().chain([&profile]) {
            let sql = "SELECT value FROM setting WHERE name = ?1";
            let row = known::first(&self.conn, sql, [name], |row| row.get::<_, String>(0));
            match row.map_err(error)? {
                Some(had) if had == *value => {}
                None if runs == 0 => {}
                Some(had) if is_replaced(name, &had, value) => {
                    let sql = "UPDATE setting SET value = ?2 WHERE name = ?1";
                    self.conn.execute(sql, [name, value]).map_err(error)?;
                    changed.push(ChangedSetting {
                        name: name.clone(),
                        had,
                        has: value.clone(),
                    });
                }
                had => {
                    let (name, had) = (name.clone(), had.unwrap_or_default());
                    let has = value.clone();
                    return Err(Error::new(
                        &self.path,
                        ErrorKind::Setting { name, had, has },
                    ));
                }
            }
            let sql = "INSERT OR IGNORE INTO setting VALUES (?1, ?2)";
            self.conn.execute(sql, [name, value]).map_err(error)?;
        }
        Ok(changed)
    }

    /// Refuses settings that are not those of the ledger, for somebody who only reads it.
    ///
    /// # Errors
    ///
    /// The ledger was made with another value of one of them, or an error of the database.
    pub fn check_settings(&self, settings: &[(String, String)]) -> Result<(), Error> {
        for (name, value) in settings {
            let sql = "SELECT value FROM setting WHERE name = ?1";
            let had = known::first(&self.conn, sql, [name], |row| row.get::<_, String>(0));
            let had = had.map_err(|error| Error::of(&self.path, error))?;
            if let Some(had) = had.filter(|had| had != value) {
                let (name, has) = (name.clone(), value.clone());
                return Err(Error::new(
                    &self.path,
                    ErrorKind::Setting { name, had, has },
                ));
            }
        }
        Ok(())
    }

    fn begin_run(&self) -> rusqlite::Result<i64> {
        self.conn
            .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;")?;
        let sql = "INSERT INTO run (started, process, first_hit) VALUES (?1, ?2,
            max(ifnull((SELECT max(id) FROM hit), 0), ifnull((SELECT max(first_hit) FROM run), 0)))";
        self.conn.execute(sql, params![now(), std::process::id()])?;
        Ok(self.conn.last_insert_rowid())
    }
}

impl Drop for Ledger {
    /// Merges the log into the database file, if no other process reads the
    /// ledger.
    fn drop(&mut self) {
        if self.lock.is_some() {
            // OK to ignore: if a reader keeps the log open, the next run
            // empties it.
            let _ = self.conn.busy_timeout(Duration::ZERO);
            let _ = self.conn.execute_batch("PRAGMA journal_mode = DELETE");
        }
    }
}

/// Sets the options of every connection.
fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    conn.busy_timeout(PATIENCE)?;
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF; PRAGMA cache_size = -32768; PRAGMA temp_store = FILE;",
    )
}

/// The size of the file `path`. 0 if the file does not exist. An error if it is
/// not an SQLite database.
fn size_of(path: &Path) -> Result<u64, Error> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(Error::io(path, error)),
    };
    let mut head = Vec::new();
    let read = Read::by_ref(&mut file).take(16).read_to_end(&mut head);
    read.map_err(|error| Error::io(path, error))?;
    if !head.is_empty() && head != b"SQLite format 3\0" {
        return Err(Error::new(path, ErrorKind::Foreign));
    }
    let meta = file.metadata().map_err(|error| Error::io(path, error))?;
    Ok(meta.len())
}

/// The device and inode of the ledger `file`, if the system has such numbers. A file with
/// several names is refused: SQLite puts its log beside the name that it was opened by, so
/// processes that use two names have two logs for one file. A symbolic link is no such
/// name, because SQLite follows it. `path` is the name in messages.
fn id_of(path: &Path, file: &Path) -> Result<Option<FileId>, Error> {
    let meta = std::fs::metadata(file).map_err(|error| Error::io(path, error))?;
    // Elsewhere the standard library cannot count the names.
    #[cfg(unix)]
    {
        let names = std::os::unix::fs::MetadataExt::nlink(&meta);
        if names > 1 {
            return Err(Error::new(path, ErrorKind::Names(names)));
        }
    }
    Ok(file_id(&meta))
}

fn is_empty(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("SELECT count(*) FROM sqlite_master", [], |row| {
        Ok(row.get::<_, i64>(0)? == 0)
    })
}

fn pragma(conn: &Connection, name: &str) -> rusqlite::Result<i64> {
    conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
}

/// Makes all tables, or none.
fn create(conn: &Connection) -> rusqlite::Result<()> {
    let (application, version) = (schema::APPLICATION, schema::VERSION);
    let tables = schema::TABLES;
    let made = conn.execute_batch(&format!(
        "BEGIN EXCLUSIVE;
        PRAGMA application_id = {application};
        PRAGMA user_version = {version};
        {tables}
        COMMIT;"
    ));
    if made.is_err() && !conn.is_autocommit() {
        conn.execute_batch("ROLLBACK")?;
        // Another process has created the tables meanwhile.
        if !is_empty(conn)? {
            return Ok(());
        }
    }
    made
}

/// Adds to a ledger of an earlier version what it lacks. Another program may do the same
/// meanwhile, so the version is read again under the lock of the database.
fn upgrade(conn: &Connection) -> rusqlite::Result<()> {
    let lacking = || -> rusqlite::Result<String> {
        if pragma(conn, "application_id")? != i64::from(schema::APPLICATION) {
            return Ok(String::new());
        }
        let version = pragma(conn, "user_version")?;
        let upgrades = schema::UPGRADES.iter();
        let later = upgrades.skip_while(|(number, _)| i64::from(*number) != version);
        Ok(later.map(|(_, tables)| *tables).collect())
    };
    if lacking()?.is_empty() {
        return Ok(());
    }
    conn.execute_batch("BEGIN IMMEDIATE")?;
    let upgraded = lacking().and_then(|tables| {
        if tables.is_empty() {
            return Ok(());
        }
        let version = schema::VERSION;
        conn.execute_batch(&format!("{tables} PRAGMA user_version = {version};"))
    });
    let end = if upgraded.is_ok() {
        "COMMIT"
    } else {
        "ROLLBACK"
    };
    conn.execute_batch(end)?;
    upgraded
}

fn check(path: &Path, conn: &Connection) -> Result<(), Error> {
    let error = |error| Error::of(path, error);
    if pragma(conn, "application_id").map_err(error)? != i64::from(schema::APPLICATION) {
        return Err(Error::new(path, ErrorKind::Foreign));
    }
    let version = pragma(conn, "user_version").map_err(error)?;
    if version != i64::from(schema::VERSION) {
        return Err(Error::new(path, ErrorKind::Version(version)));
    }
    let pages = pragma(conn, "page_count").map_err(error)?;
    let page = pragma(conn, "page_size").map_err(error)?;
    let size = std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
    if size.len() <= CHECKED && (pages * page) as u64 <= CHECKED {
        let sql = "PRAGMA quick_check(1)";
        let found: String = conn.query_row(sql, [], |row| row.get(0)).map_err(error)?;
        if found != "ok" {
            return Err(Error::new(path, ErrorKind::Corrupt(found)));
        }
    }
    Ok(())
}

fn seconds_now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |time| time.as_secs() as i64)
}

/// The time in UTC, to the second.
fn now() -> String {
    date_text(seconds_now())
}

fn date_text(seconds: i64) -> String {
    Date::from_unix_seconds(seconds).to_string()
}
