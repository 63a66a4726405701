//! The lock that allows one writer at a time.
//!
//! A run has many transactions, and no other run may write between them. SQLite
//! locks a database only for one transaction. So a run holds an exclusive
//! transaction on a second, empty database beside the ledger. The operating
//! system releases this lock when the process ends, even after a crash.
//!
//! The lock must be that of the file, and not of one of its paths. So it is beside
//! the file to which symbolic links lead, the ledger refuses hard links, and after
//! the lock is taken the path must still lead to the file that was opened: it may
//! have been replaced or renamed while this run waited.

use std::path::{Path, PathBuf};

use rusqlite::{Connection, ErrorCode, OptionalExtension};

use super::{Error, ErrorKind, PATIENCE};

/// The lock. Dropping it releases the lock.
#[derive(Debug)]
pub(super) struct Lock {
    _conn: Connection,
}

impl Lock {
    /// Locks the ledger `file`, which has no links in its path. `path` is its name in
    /// messages.
    pub fn take(path: &Path, file: &Path, ledger: &Connection) -> Result<Lock, Error> {
        let beside = path_of(file);
        let error = |error| Error::of(&beside, error);
        let conn = Connection::open(&beside).map_err(error)?;
        conn.busy_timeout(PATIENCE).map_err(error)?;
        match conn.execute_batch("BEGIN EXCLUSIVE") {
            Ok(()) => Ok(Lock { _conn: conn }),
            Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                let sql = "SELECT process, started FROM run ORDER BY id DESC LIMIT 1";
                let run = ledger.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?)));
                let run = run.optional().unwrap_or_default();
                Err(Error::new(path, ErrorKind::Locked(run)))
            }
            Err(e) => Err(error(e)),
        }
    }
}

/// The path of the database that is locked.
pub(super) fn path_of(ledger: &Path) -> PathBuf {
    let mut name = ledger.as_os_str().to_owned();
    name.push("-lock");
    name.into()
}
