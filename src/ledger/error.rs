//! Errors of a ledger.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::schema;
use crate::escape;

/// The reason why a ledger cannot be used.
#[derive(Debug)]
pub struct Error {
    path: PathBuf,
    kind: ErrorKind,
}

/// The cause of an [`Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The file is not a ledger. Nothing was written to it.
    Foreign,
    /// The ledger has tables of this version, which is not supported.
    Version(i64),
    /// The ledger is damaged.
    Corrupt(String),
    /// Another process is updating the ledger. The values are the id of that
    /// process and the start time of the update, if known.
    Locked(Option<(i64, String)>),
    /// The ledger was created with another value of a setting.
    Setting {
        /// The name of the setting.
        name: String,
        /// The value in the ledger. Empty if there is none.
        had: String,
        /// The value in this update.
        has: String,
    },
    /// The disk is full.
    Full,
    /// The operating system reported an error.
    Io(io::Error),
    /// Any other error of SQLite.
    Sqlite(rusqlite::Error),
}

impl Error {
    fn new(path: &Path, kind: ErrorKind) -> Error {
        Error {
            path: path.to_path_buf(),
            kind,
        }
    }

    pub(super) fn of(path: &Path, error: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode;
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => ErrorKind::Foreign,
            Some(ErrorCode::DatabaseCorrupt) => ErrorKind::Corrupt(error.to_string()),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ErrorKind::Locked(None),
            Some(ErrorCode::DiskFull) => ErrorKind::Full,
            _ => ErrorKind::Sqlite(error),
        };
        Error::new(path, kind)
    }

    pub(super) fn io(path: &Path, error: io::Error) -> Error {
        Error::new(path, ErrorKind::Io(error))
    }

    pub(super) fn foreign(path: &Path) -> Error {
        Error::new(path, ErrorKind::Foreign)
    }

    pub(super) fn version(path: &Path, version: i64) -> Error {
        Error::new(path, ErrorKind::Version(version))
    }

    pub(super) fn corrupt(path: &Path, what: &str) -> Error {
        Error::new(path, ErrorKind::Corrupt(what.to_owned()))
    }

    pub(super) fn locked(path: &Path, by: Option<(i64, String)>) -> Error {
        Error::new(path, ErrorKind::Locked(by))
    }

    pub(super) fn setting(path: &Path, name: &str, had: &str, has: &str) -> Error {
        let (name, had, has) = (name.to_owned(), had.to_owned(), has.to_owned());
        Error::new(path, ErrorKind::Setting { name, had, has })
    }

    /// The cause of the error.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.kind
    }

    /// The path of the ledger.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.path.display())?;
        match &self.kind {
            ErrorKind::Foreign => f.write_str("not a ledger; nothing was written to it"),
            ErrorKind::Version(version) => write!(
                f,
                "the ledger has version {version}; only version {} is supported",
                schema::VERSION
            ),
            ErrorKind::Corrupt(what) => write!(
                f,
                "the ledger is damaged ({what}); use a copy of it, or make a new one"
            ),
            ErrorKind::Locked(Some((process, since))) => write!(
                f,
                "process {process} has been updating the ledger since {since}; try again when it has finished"
            ),
            ErrorKind::Locked(None) => {
                f.write_str("another process uses the ledger; try again later")
            }
            ErrorKind::Setting { name, had, has } if had.is_empty() => {
                write!(f, "the ledger was made without the setting {name} {has}")
            }
            ErrorKind::Setting { name, had, has } => write!(
                f,
                "the ledger was made with {name} {had}, not {has}; a ledger cannot mix settings"
            ),
            ErrorKind::Full => f.write_str(
                "the disk is full; hits recorded so far are kept, and the next run continues",
            ),
            ErrorKind::Io(error) => f.write_str(&escape::system_error(error)),
            ErrorKind::Sqlite(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.kind {
            ErrorKind::Io(error) => Some(error),
            ErrorKind::Sqlite(error) => Some(error),
            _ => None,
        }
    }
}
