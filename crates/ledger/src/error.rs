//! Errors of a ledger.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::schema;
use urlgrep_base::escape;

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
    /// The file has this number of names (hard links).
    Names(u64),
    /// Another file has this path since the ledger was opened.
    Replaced,
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
    /// The ledger that should be added is this one.
    Itself,
    /// The disk is full.
    Full,
    /// The operating system reported an error.
    Io(io::Error),
    /// Any other error of SQLite.
    Sqlite(rusqlite::Error),
}

impl Error {
    pub(super) fn new(path: &Path, kind: ErrorKind) -> Error {
        Error {
            path: path.to_path_buf(),
            kind,
        }
    }

    pub(super) fn of(path: &Path, error: rusqlite::Error) -> Error {
        use rusqlite::{Error as E, ErrorCode};
        let kind = match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => ErrorKind::Foreign,
            Some(ErrorCode::DatabaseCorrupt) => ErrorKind::Corrupt(error.to_string()),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => ErrorKind::Locked(None),
            Some(ErrorCode::DiskFull) => ErrorKind::Full,
            // Values that no update writes.
            _ => match &error {
                E::FromSqlConversionFailure(_, _, why) => ErrorKind::Corrupt(why.to_string()),
                E::InvalidColumnType(..) | E::IntegralValueOutOfRange(..) => {
                    ErrorKind::Corrupt(error.to_string())
                }
                _ => ErrorKind::Sqlite(error),
            },
        };
        Error::new(path, kind)
    }

    pub(super) fn io(path: &Path, error: io::Error) -> Error {
        Error::new(path, ErrorKind::Io(error))
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
    /// One line. Values of a forged ledger may have line feeds.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{}: {}", self.path.display(), self.kind.text());
        let mut line = Vec::new();
        escape::terminal(text.as_bytes(), &mut line);
        f.write_str(&String::from_utf8_lossy(&line))
    }
}

impl ErrorKind {
    fn text(&self) -> String {
        match self {
            ErrorKind::Foreign => "not a ledger; nothing was written to it".to_owned(),
            ErrorKind::Itself => "a ledger cannot be added to itself".to_owned(),
            ErrorKind::Version(version) => format!(
                "the ledger has version {version}, and this program has version {}; \
                 name another file: its first run reads all files again",
                schema::VERSION
            ),
            ErrorKind::Corrupt(what) => {
                format!("the ledger is damaged ({what}); use a copy of it, or make a new one")
            }
            ErrorKind::Names(names) => format!(
                "the file has {names} names (hard links), and SQLite would keep a log for each; \
                 remove the other names, or use a copy of the file"
            ),
            ErrorKind::Replaced => {
                "the file was replaced or renamed while this run waited for it; run it again"
                    .to_owned()
            }
            ErrorKind::Locked(Some((process, since))) => format!(
                "process {process} has been updating the ledger since {since}; try again when it has finished"
            ),
            ErrorKind::Locked(None) => {
                "another process uses the ledger; try again later".to_owned()
            }
            ErrorKind::Setting { name, had, has } if had.is_empty() => {
                format!("the ledger was made without the setting {name} {has}")
            }
            ErrorKind::Setting { name, had, has } => format!(
                "the ledger was made with {name} {had}, not {has}; a ledger cannot mix settings"
            ),
            ErrorKind::Full => {
                "the disk is full; hits recorded so far are kept, and the next run continues"
                    .to_owned()
            }
            ErrorKind::Io(error) => escape::system_error(error),
            ErrorKind::Sqlite(error) => error.to_string(),
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
