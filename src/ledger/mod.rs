//! Hits of many runs over files that grow, in an SQLite database.
//!
//! [`Ledger::update`] reads what is new in files and folders: a file that only
//! grew is read from where the last run left it, an unchanged one is not
//! opened. [`Ledger::records`] gives hits back as [`Record`](crate::record::Record)s, which print as
//! those of a search do.
//!
//! ```
//! use urlgrep::engine::{Engine, Input};
//! use urlgrep::ledger::{Ledger, Query, Update};
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
//! ledger.records(&Query::new(), |found| {
//!     urls.push(found.record.hit().to_string());
//!     true
//! })?;
//! assert_eq!(urls, ["http://a.example/"]);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Promises
//!
//! * A transaction holds the rows of whole files, or of whole messages, and how
//!   far their file was read. After a run that was killed the next one goes on
//!   from there, and ends with the rows that one run would have made.
//! * Memory does not grow with the number of hits. One bit is kept for each
//!   file.
//! * One process writes at a time. Others can read meanwhile.
//! * A file that is not a ledger is never written to.

mod error;
mod known;
mod lock;
mod query;
mod rows;
mod schema;
mod write;

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, OptionalExtension, params};

use crate::engine::{Delivery, EngineBuilder, Fault, Input};
use crate::extract::ExtractorBuilder;
use crate::mail::mime::{Date, HeaderPolicy};
use crate::url::Profile;

pub use error::{Error, ErrorKind};
pub use query::{Found, Order, Query};

use known::Known;
use lock::Lock;
use rows::{Recorder, Rows};
use write::Writer;

/// How long to wait for another process, before it is reported.
const PATIENCE: Duration = Duration::from_secs(2);
/// How many hits a transaction has.
const TRANSACTION: u64 = 50_000;
/// How many prepared statements are kept.
const STATEMENTS: usize = 48;
/// A ledger of at most this many bytes is checked as a whole when it is opened
/// for an update: that takes 4 ms for each MiB.
const CHECKED: u64 = 4 << 20;

/// Hashes URLs to 128 bits under a key of this run, so that no input can hold
/// two URLs that are taken for one.
#[derive(Debug, Default)]
struct Keys(RandomState, RandomState);

impl Keys {
    fn hash(&self, bytes: &[u8]) -> u128 {
        u128::from(self.0.hash_one(bytes)) << 64 | u128::from(self.1.hash_one(bytes))
    }
}

/// A database of hits. See the module.
#[derive(Debug)]
pub struct Ledger {
    path: PathBuf,
    conn: Connection,
    /// Held from the first update until the ledger is dropped.
    lock: Option<Lock>,
}

/// How an update reads and searches.
#[derive(Clone, Debug)]
pub struct Update {
    /// Which files are read, and how.
    pub engine: EngineBuilder,
    /// How URLs are found.
    pub extractor: ExtractorBuilder,
    /// Which header fields are searched.
    pub headers: HeaderPolicy,
    /// The document that judges, which the extractor is made with.
    pub profile: Profile,
    /// What else decides what is found, by name. A ledger is updated with the
    /// settings that it was made with, or not at all.
    pub settings: Vec<(String, String)>,
    /// How many hits a transaction has, or more if a message has more. Default:
    /// 50,000.
    pub transaction: u64,
}

impl Update {
    /// With the default settings of the search.
    #[must_use]
    pub fn new(engine: EngineBuilder) -> Update {
        Update {
            engine,
            extractor: ExtractorBuilder::default(),
            headers: HeaderPolicy::default(),
            profile: Profile::default(),
            settings: Vec::new(),
            transaction: TRANSACTION,
        }
    }
}

/// What an update did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Files that were read, from their beginning or from where they were left.
    pub read: u64,
    /// Files that were not opened.
    pub unchanged: u64,
    /// Files that have another name now.
    pub renamed: u64,
    /// Files that are not there any more.
    pub vanished: u64,
    /// Hits that were recorded, known ones of files that were read anew
    /// included.
    pub hits: u64,
    /// Devices, links and the like that were passed over.
    pub passed_over: u64,
}

impl Ledger {
    /// Opens a ledger, or makes one if there is no file or an empty one.
    ///
    /// # Errors
    ///
    /// The file is no ledger, is damaged, or is of another version; or it
    /// cannot be opened or made.
    pub fn open(path: &Path) -> Result<Ledger, Error> {
        let error = |error| Error::of(path, error);
        let size = size_of(path)?;
        let conn = Connection::open(path).map_err(error)?;
        prepare(&conn).map_err(error)?;
        if size == 0 && is_empty(&conn).map_err(error)? {
            create(&conn).map_err(error)?;
        }
        check(path, &conn)?;
        Ok(Ledger {
            path: path.to_path_buf(),
            conn,
            lock: None,
        })
    }

    /// Opens a ledger that is there, to read it.
    ///
    /// # Errors
    ///
    /// As [`Ledger::open`]; and there is no such file.
    pub fn open_existing(path: &Path) -> Result<Ledger, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let error = |error| Error::of(path, error);
        std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
        size_of(path)?;
        let conn = Connection::open_with_flags(path, flags).map_err(error)?;
        prepare(&conn).map_err(error)?;
        check(path, &conn)?;
        Ok(Ledger {
            path: path.to_path_buf(),
            conn,
            lock: None,
        })
    }

    /// The database, for queries of one's own.
    #[must_use]
    pub fn connection(&self) -> &Connection {
        &self.conn
    }

    /// Reads what is new in `inputs`, which are paths. `fault` gets what could
    /// not be read.
    ///
    /// The hits that were not there before are given by
    /// [`Query::news`] until [`Ledger::finish`] is called.
    ///
    /// # Errors
    ///
    /// Another process updates the ledger; the settings are not those that it
    /// was made with; or the database fails, for want of space for example. Then
    /// the next update goes on with what was committed.
    pub fn update<I>(
        &mut self,
        inputs: I,
        update: Update,
        mut fault: impl FnMut(&Fault),
    ) -> Result<Summary, Error>
    where
        I: IntoIterator<Item = Input, IntoIter: Send + 'static>,
    {
        if self.lock.is_none() {
            self.lock = Some(Lock::take(&self.path, &self.conn)?);
        }
        let path = self.path.clone();
        let error = |error| Error::of(&path, error);
        self.settings(&update)?;
        let run = self.begin_run().map_err(error)?;
        let keys = Arc::new(Keys::default());
        let known = Arc::new(Mutex::new(Known::new(&self.path, &update.engine)?));
        let mut writer = Writer::new(&self.conn, &known, run, &update).map_err(error)?;
        let choose = Arc::clone(&known);
        let engine = update
            .engine
            .lines(true)
            .numbers(true)
            .choose(move |path, meta| known::lock(&choose).choose(path, meta))
            .build();
        let roots = Arc::clone(&known);
        let inputs = inputs
            .into_iter()
            .map(move |input| known::lock(&roots).root(input));
        let make = move || Recorder::new(update.extractor, update.headers, &keys);
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
        result.map_err(error)
    }

    /// The news of the updates so far were taken: [`Query::news`] gives none
    /// of them again.
    ///
    /// # Errors
    ///
    /// The database fails.
    pub fn finish(&mut self) -> Result<(), Error> {
        let sql = "UPDATE run SET finished = ?1 WHERE finished IS NULL";
        let done = self.conn.execute(sql, [now()]);
        done.map(|_| ())
            .map_err(|error| Error::of(&self.path, error))
    }

    /// Gives the hits that `query` asks for, until `each` returns false.
    ///
    /// # Errors
    ///
    /// The database fails, or holds what no update writes.
    pub fn records(
        &self,
        query: &Query,
        each: impl FnMut(&Found<'_>) -> bool,
    ) -> Result<(), Error> {
        query::run(&self.conn, query, each).map_err(|error| Error::of(&self.path, error))
    }

    /// Checks that the settings are those the ledger was made with; in a new one,
    /// notes them.
    fn settings(&self, update: &Update) -> Result<(), Error> {
        let error = |error| Error::of(&self.path, error);
        let profile = ("profile".to_owned(), update.profile.name().to_owned());
        let runs: i64 = self
            .conn
            .query_row("SELECT count(*) FROM run", [], |row| row.get(0))
            .map_err(error)?;
        for (name, value) in update.settings.iter().chain([&profile]) {
            let sql = "SELECT value FROM setting WHERE name = ?1";
            let row = self
                .conn
                .query_row(sql, [name], |row| row.get::<_, String>(0));
            match row.optional().map_err(error)? {
                Some(had) if had != *value => {
                    return Err(Error::setting(&self.path, name, &had, value));
                }
                None if runs > 0 => return Err(Error::setting(&self.path, name, "", value)),
                _ => {}
            }
            let sql = "INSERT OR IGNORE INTO setting VALUES (?1, ?2)";
            self.conn.execute(sql, [name, value]).map_err(error)?;
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
    /// Leaves one file, if no other process reads it.
    fn drop(&mut self) {
        if self.lock.is_some() {
            // OK to ignore: a reader keeps the log, and the next run empties it.
            let _ = self.conn.busy_timeout(Duration::ZERO);
            let _ = self.conn.execute_batch("PRAGMA journal_mode = DELETE");
        }
    }
}

/// What every connection is set to.
fn prepare(conn: &Connection) -> rusqlite::Result<()> {
    conn.set_prepared_statement_cache_capacity(STATEMENTS);
    conn.busy_timeout(PATIENCE)?;
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF; PRAGMA cache_size = -32768; PRAGMA temp_store = FILE;",
    )
}

/// The size of the file `path`, which is no other than an SQLite database; 0 if
/// there is none.
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
        return Err(Error::foreign(path));
    }
    let meta = file.metadata().map_err(|error| Error::io(path, error))?;
    Ok(meta.len())
}

fn is_empty(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("SELECT count(*) FROM sqlite_master", [], |row| {
        Ok(row.get::<_, i64>(0)? == 0)
    })
}

fn pragma(conn: &Connection, name: &str) -> rusqlite::Result<i64> {
    conn.query_row(&format!("PRAGMA {name}"), [], |row| row.get(0))
}

/// Makes the tables, all or none.
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
        // Another process has made them in the meantime.
        if !is_empty(conn)? {
            return Ok(());
        }
    }
    made
}

/// Refuses what is no ledger of this version.
fn check(path: &Path, conn: &Connection) -> Result<(), Error> {
    let error = |error| Error::of(path, error);
    if pragma(conn, "application_id").map_err(error)? != i64::from(schema::APPLICATION) {
        return Err(Error::foreign(path));
    }
    let version = pragma(conn, "user_version").map_err(error)?;
    if version != i64::from(schema::VERSION) {
        return Err(Error::version(path, version));
    }
    let pages = pragma(conn, "page_count").map_err(error)?;
    let page = pragma(conn, "page_size").map_err(error)?;
    let size = std::fs::metadata(path).map_err(|error| Error::io(path, error))?;
    if size.len() <= CHECKED && (pages * page) as u64 <= CHECKED {
        let sql = "PRAGMA quick_check(1)";
        let found: String = conn.query_row(sql, [], |row| row.get(0)).map_err(error)?;
        if found != "ok" {
            return Err(Error::corrupt(path, &found));
        }
    }
    Ok(())
}

/// The time in UTC, to the second.
fn now() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    date_text(since.map_or(0, |time| time.as_secs() as i64))
}

fn date_text(seconds: i64) -> String {
    Date::from_unix_seconds(seconds).to_string()
}
