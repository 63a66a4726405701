//! The state of each file in the ledger, and the decision for each file that
//! is found.
//!
//! The thread that walks the folders makes the decisions, with its own database
//! connection. The writer receives them through a queue, in the same order.

use std::collections::{HashSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Params, Row, params};

use super::{Error, lock as beside, prepare};
use urlgrep_containers::{Container, Position};
use urlgrep_files::engine::{
    Choice, EngineBuilder, Fault, FileId, Input, Kind, file_id, message_of_maildir,
};
use urlgrep_files::ranges::read::fill;

/// The number of bytes that are hashed at the start and at the end of the part
/// that was read.
const SAMPLE: u64 = 4096;
/// The metadata by which a change of a file is recognised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stat {
    pub size: i64,
    /// Nanoseconds since the epoch.
    pub mtime: i64,
    pub inode: Option<i64>,
}

impl Stat {
    fn of(meta: &Metadata) -> Stat {
        let mtime = meta.modified().ok().map_or(0, nanoseconds);
        Stat {
            size: meta.len() as i64,
            mtime,
            inode: file_id(meta).map(|id| id.1 as i64),
        }
    }
}

/// Saturates at 292 years before and after the epoch.
fn nanoseconds(time: std::time::SystemTime) -> i64 {
    let fit = |time: std::time::Duration| i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(since) => fit(since),
        Err(before) => -fit(before.duration()),
    }
}

/// A file that was found, and the decision about its rows.
#[derive(Debug)]
pub(super) struct FilePlan {
    /// The path as the walk found it.
    pub path: Vec<u8>,
    /// The absolute path.
    pub absolute: Vec<u8>,
    pub stat: Stat,
    pub how: How,
}

impl FilePlan {
    /// True if the text with this path is this file or one of its members.
    pub fn owns(&self, path: &[u8]) -> bool {
        let rest = path.strip_prefix(&*self.path);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"!"))
    }

    /// True if `path` may be the new name of this file in a maildir. Messages
    /// move between `new` and `cur`, and their flags follow a colon.
    fn was_moved(&self, path: &[u8]) -> bool {
        let (had, has) = (path_of(self.path.clone()), path_of(path.to_vec()));
        let message = message_of_maildir(&had);
        message.is_some() && message == message_of_maildir(&has)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// The file is new and is read.
    New,
    /// The file is read, and its rows are replaced.
    Anew(i64),
    /// The file is read from this position on. Its rows from there on are
    /// replaced.
    Rest(i64, Position),
    /// The file is not read, because it was only renamed.
    Keep(i64),
}

/// What the ledger has of a file.
struct KnownFile {
    id: i64,
    stat: Option<Stat>,
    container: Option<String>,
    next: Position,
    head: Option<i64>,
    tail: Option<i64>,
    state: String,
}

impl KnownFile {
    fn of(row: &Row<'_>) -> rusqlite::Result<KnownFile> {
        let (size, mtime): (Option<i64>, Option<i64>) = (row.get(1)?, row.get(2)?);
        let inode = row.get(3)?;
        let stat = |(size, mtime)| Stat { size, mtime, inode };
        Ok(KnownFile {
            id: row.get(0)?,
            stat: size.zip(mtime).map(stat),
            container: row.get(4)?,
            next: Position {
                offset: row.get(5)?,
                line: row.get(6)?,
                number: row.get(7)?,
            },
            head: row.get(8)?,
            tail: row.get(9)?,
            state: row.get(10)?,
        })
    }
}

/// The bytes of a TEXT or BLOB value.
pub(super) fn bytes(value: ValueRef<'_>) -> Vec<u8> {
    match value {
        ValueRef::Text(text) | ValueRef::Blob(text) => text.to_vec(),
        _ => Vec::new(),
    }
}

/// A TEXT value, or a BLOB value if the bytes are not UTF-8.
pub(super) fn text(bytes: &[u8]) -> ToSqlOutput<'_> {
    ToSqlOutput::Borrowed(match std::str::from_utf8(bytes) {
        Ok(_) => ValueRef::Text(bytes),
        Err(_) => ValueRef::Blob(bytes),
    })
}

/// What `read` makes of the first row of a query.
pub(super) fn first<T>(
    conn: &Connection,
    sql: &str,
    values: impl Params,
    read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Option<T>> {
    let mut statement = conn.prepare_cached(sql)?;
    statement.query_row(values, read).optional()
}

/// The known files. The lock is held for one call at a time.
pub(super) struct Known {
    conn: Connection,
    engine: EngineBuilder,
    here: PathBuf,
    /// One bit for each row before this run whose file was found.
    seen: Vec<u64>,
    /// The rows of files that were renamed.
    taken: HashSet<i64>,
    /// The files and folders that the caller named.
    roots: Vec<Vec<u8>>,
    /// The ledger. No part of its path is a symbolic link.
    ledger: PathBuf,
    /// The names of the files that SQLite keeps beside it.
    companions: Vec<OsString>,
    own_id: Option<FileId>,
    pub plans: VecDeque<FilePlan>,
    pub unchanged: u64,
    /// The first error of the database.
    pub error: Option<rusqlite::Error>,
}

impl Known {
    /// `ledger` is the path of the file itself, without symbolic links.
    pub fn new(ledger: &Path, engine: &EngineBuilder) -> Result<Known, Error> {
        let error = |error| Error::of(ledger, error);
        let io = |error| Error::io(ledger, error);
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let conn = Connection::open_with_flags(ledger, flags).map_err(error)?;
        prepare(&conn).map_err(error)?;
        let sql = "SELECT ifnull(max(id), 0) FROM file";
        let rows: u64 = conn.query_row(sql, [], |row| row.get(0)).map_err(error)?;
        let here = std::env::current_dir().map_err(io)?;
        let of = |suffix: &str| {
            let mut name = ledger.file_name().unwrap_or_default().to_owned();
            name.push(suffix);
            name
        };
        let mut companions = ["-wal", "-shm", "-journal", "-lock-journal"]
            .map(of)
            .to_vec();
        companions.extend(beside::path_of(ledger).file_name().map(OsString::from));
        let meta = std::fs::metadata(ledger).map_err(io)?;
        Ok(Known {
            conn,
            engine: engine.clone(),
            here,
            seen: vec![0; rows as usize / 64 + 1],
            taken: HashSet::new(),
            roots: Vec::new(),
            ledger: ledger.to_path_buf(),
            companions,
            own_id: file_id(&meta),
            plans: VecDeque::new(),
            unchanged: 0,
            error: None,
        })
    }

    /// Records an input that the caller named. A stream becomes a fault,
    /// because a ledger records only files.
    pub fn root(&mut self, input: Input) -> Input {
        match &input {
            // This is a device or a FIFO.
            Input::Path(path)
                if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) =>
            {
                return Input::Fault(Fault::new(path, &no_stream()));
            }
            Input::Path(path) => self.roots.push(self.absolute(path)),
            Input::Here => self.roots.push(path_bytes(&self.here).to_vec()),
            Input::Fault(_) => {}
            _ => return Input::Fault(Fault::new(Path::new("-"), &no_stream())),
        }
        input
    }

    /// Takes the first plan of the queue. Returns it, and whether the text with
    /// this path belongs to it. `None` if the text belongs to no plan of the
    /// queue.
    pub fn next_for(&mut self, path: &[u8]) -> Option<(FilePlan, bool)> {
        let position = |is: &dyn Fn(&FilePlan) -> bool| self.plans.iter().position(is);
        let at = position(&|plan| plan.owns(path));
        let at = at.or_else(|| position(&|plan| plan.was_moved(path)))?;
        let mut plan = self.plans.pop_front()?;
        if at == 0 && !plan.owns(path) {
            plan.absolute = self.absolute(&path_of(path.to_vec()));
            plan.path = path.to_vec();
        }
        Some((plan, at == 0))
    }

    fn absolute(&self, path: &Path) -> Vec<u8> {
        let bytes = path_bytes(path);
        let is_plain = || {
            let is_odd = |pair: &[u8]| pair == b"//" || pair == b"/.";
            !bytes.ends_with(b"/") && !bytes.windows(2).any(is_odd)
        };
        match bytes.first() {
            Some(b'/') if is_plain() => return bytes.to_vec(),
            Some(b'/' | b'.') | None => {}
            Some(_) if cfg!(unix) && is_plain() => {
                return [path_bytes(&self.here), b"/", bytes].concat();
            }
            Some(_) => {}
        }
        let whole = std::path::absolute(path).unwrap_or_else(|_| self.here.join(path));
        // Remove a final slash.
        path_bytes(&whole.components().collect::<PathBuf>()).to_vec()
    }

    /// Decides whether and how a file is read.
    pub fn choose(&mut self, path: &Path, meta: &Metadata) -> Choice {
        let absolute = self.absolute(path);
        let is_ledger = match self.own_id {
            Some(id) => file_id(meta) == Some(id),
            None => self.is_beside(&absolute, self.ledger.file_name()),
        };
        let mut companions = self.companions.iter();
        if is_ledger || companions.any(|name| self.is_beside(&absolute, Some(name))) {
            return Choice::Skip;
        }
        match self.decide(path, &absolute, meta) {
            Ok(choice) => choice,
            Err(error) => {
                self.error.get_or_insert(error);
                Choice::Skip
            }
        }
    }

    /// True if this is the path of the file `name` beside the ledger. The walk may have found it
    /// through a link to the folder.
    fn is_beside(&self, path: &[u8], name: Option<&OsStr>) -> bool {
        if !name.is_some_and(|name| path.ends_with(name.as_encoded_bytes())) {
            return false;
        }
        let path = path_of(path.to_vec());
        let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
        path.file_name() == name && folder.as_deref() == self.ledger.parent()
    }

    fn decide(
        &mut self,
        path: &Path,
        absolute: &[u8],
        meta: &Metadata,
    ) -> rusqlite::Result<Choice> {
        let stat = Stat::of(meta);
        let (how, choice) = match self.find(absolute)? {
            None => match self.renamed(stat)? {
                Some(id) => {
                    self.see(id);
                    self.taken.insert(id);
                    (How::Keep(id), Choice::Skip)
                }
                None => (How::New, Choice::Read),
            },
            Some(row) if self.taken.contains(&row.id) => (How::New, Choice::Read),
            Some(row) if self.was_seen(row.id) => return Ok(Choice::Skip),
            Some(row) => {
                self.see(row.id);
                if row.stat == Some(stat) && row.state == "read" {
                    self.unchanged += 1;
                    return Ok(Choice::Skip);
                }
                match resumes(&row, stat, path, &self.engine) {
                    Some(container) => (
                        How::Rest(row.id, row.next),
                        Choice::From(container, row.next),
                    ),
                    None => (How::Anew(row.id), Choice::Read),
                }
            }
        };
        self.plans.push_back(FilePlan {
            path: path_bytes(path).to_vec(),
            absolute: absolute.to_vec(),
            stat,
            how,
        });
        Ok(choice)
    }

    fn find(&self, path: &[u8]) -> rusqlite::Result<Option<KnownFile>> {
        let sql = "SELECT id, size, mtime, inode, container, read_up_to, next_line, next_message,
            head, tail, state FROM file WHERE path = ?1";
        // One transaction serves all files until the writer commits. With one for
        // each file, 100,000 unchanged files took twice the time.
        if self.conn.is_autocommit() {
            self.conn.execute_batch("BEGIN")?;
        }
        first(&self.conn, sql, [text(path)], KnownFile::of)
    }

    /// Ends the transaction, so that the log does not grow.
    pub fn release(&self) -> rusqlite::Result<()> {
        if self.conn.is_autocommit() {
            Ok(())
        } else {
            self.conn.execute_batch("COMMIT")
        }
    }

    /// The row of a file that was renamed. It has the same inode, size and time
    /// as the new file, and this file is no longer at the old path.
    fn renamed(&mut self, stat: Stat) -> rusqlite::Result<Option<i64>> {
        let Some(inode) = stat.inode else {
            return Ok(None);
        };
        let sql = "SELECT id, path FROM file
            WHERE inode = ?1 AND archive IS NULL AND size = ?2 AND mtime = ?3 AND state = 'read'";
        let values = params![inode, stat.size, stat.mtime];
        let read = |row: &Row<'_>| Ok((row.get(0)?, bytes(row.get_ref(1)?)));
        let found: Option<(i64, Vec<u8>)> = first(&self.conn, sql, values, read)?;
        Ok(found.and_then(|(id, old)| {
            let meta = std::fs::symlink_metadata(path_of(old));
            let is_there = meta.is_ok_and(|meta| Stat::of(&meta) == stat);
            (!is_there && !self.was_seen(id)).then_some(id)
        }))
    }

    fn see(&mut self, id: i64) {
        let (word, bit) = ((id / 64) as usize, id % 64);
        if let Some(word) = self.seen.get_mut(word) {
            *word |= 1 << bit;
        }
    }

    /// True if the file of a row was found, or if the row is of this run.
    fn was_seen(&self, id: i64) -> bool {
        let word = self.seen.get((id / 64) as usize);
        word.is_none_or(|word| word >> (id % 64) & 1 != 0)
    }

    /// The files below the named inputs that are now missing.
    pub fn vanished(&self) -> rusqlite::Result<Vec<i64>> {
        let mut gone = Vec::new();
        for root in &self.roots {
            let mut below = root.clone();
            if !below.ends_with(b"/") {
                below.push(b'/');
            }
            let mut after = below.clone();
            after.pop();
            after.push(b'/' + 1);
            // The index of paths is enough to answer this query.
            let sql = "SELECT id FROM file WHERE path = ?1
                UNION ALL SELECT id FROM file WHERE path > ?2 AND path < ?3";
            let mut statement = self.conn.prepare_cached(sql)?;
            let range = params![text(root), text(&below), text(&after)];
            let ids = statement.query_map(range, |row| row.get(0))?;
            for id in ids {
                let id = id?;
                if !self.was_seen(id) && self.is_gone(id)? {
                    gone.push(id);
                }
            }
        }
        Ok(gone)
    }

    /// True if this file is missing and the ledger has not recorded that yet.
    fn is_gone(&self, id: i64) -> rusqlite::Result<bool> {
        let sql = "SELECT path FROM file WHERE id = ?1 AND archive IS NULL AND state <> 'vanished'";
        let path = first(&self.conn, sql, [id], |row| Ok(bytes(row.get_ref(0)?)))?;
        let meta = path.map(|path| std::fs::symlink_metadata(path_of(path)));
        Ok(meta.is_some_and(|meta| meta.is_err_and(|error| is_absence(&error))))
    }
}

fn no_stream() -> io::Error {
    io::Error::other("a ledger records only files and folders")
}

fn is_absence(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

pub(super) fn path_bytes(path: &Path) -> &[u8] {
    path.as_os_str().as_encoded_bytes()
}

pub(super) fn path_of(bytes: Vec<u8>) -> PathBuf {
    #[cfg(unix)]
    let name: OsString = std::os::unix::ffi::OsStringExt::from_vec(bytes);
    #[cfg(not(unix))]
    let name: OsString = String::from_utf8_lossy(&bytes).into_owned().into();
    name.into()
}

/// The container of a file, if reading can continue at its last position.
/// `None` otherwise. The file must have grown, or must have been read in part.
/// Hashes show that its beginning and the bytes before the position are
/// unchanged.
fn resumes(row: &KnownFile, stat: Stat, path: &Path, engine: &EngineBuilder) -> Option<Container> {
    let container = row.container.as_deref().and_then(growing)?;
    let had = row.stat?;
    let grew = match &*row.state {
        "partly" => stat.size >= had.size,
        _ => stat.size > had.size,
    };
    if !grew || row.next.offset == 0 || row.head.is_none() {
        return None;
    }
    let file = File::open(path).ok()?;
    let samples = samples(&file, row.next.offset)?;
    let is_same = samples == (row.head?, row.tail?);
    (is_same && engine.container(&file)? == container).then_some(container)
}

/// The format with this name.
pub(super) fn kind(name: &str) -> Option<Kind> {
    Some(match name {
        "text" => Kind::Text,
        "utf-16" => Kind::Utf16,
        name => Kind::Mail(Container::NAMES.iter().find(|row| row.1 == name)?.0),
    })
}

/// The container with this name, if reading can continue in a file that grows.
pub(super) fn growing(name: &str) -> Option<Container> {
    match kind(name)? {
        Kind::Text => Some(Container::Text),
        Kind::Mail(container @ Container::Mbox(_)) => Some(container),
        _ => None,
    }
}

/// Hashes of the first bytes, and of the last bytes before `end`. `None` if the
/// bytes cannot be read.
pub(super) fn samples(file: &File, end: u64) -> Option<(i64, i64)> {
    let mut buffer = [0; SAMPLE as usize];
    let mut hash = |from: u64, to: u64| {
        let bytes = &mut buffer[..(to - from) as usize];
        let (len, read) = fill(file, bytes, from);
        (read.is_ok() && len == bytes.len()).then(|| hash(bytes))
    };
    let head = hash(0, end.min(SAMPLE))?;
    let tail = hash(end.saturating_sub(SAMPLE), end)?;
    Some((head, tail))
}

/// The hash is the same in every version of the program. It does not resist
/// deliberate collisions.
fn hash(bytes: &[u8]) -> i64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut state = bytes.len() as u64;
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        state = (state ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
        state ^= state >> 32;
    }
    state as i64
}
