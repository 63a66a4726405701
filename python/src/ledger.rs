//! Ledgers: what Python's sqlite3 cannot do.

use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use urlgrep_ledger::{Error, ErrorKind, Ledger, Merged};

/// Adds the ledger other to the ledger path, which is made if it is missing. Returns the numbers
/// of files that were added, of files that path has in the same version or a later one, and of
/// hits that were added.
#[pyfunction]
pub fn merge_ledgers(py: Python<'_>, path: PathBuf, other: PathBuf) -> PyResult<(u64, u64, u64)> {
    let merged = py.detach(|| -> Result<Merged, Error> {
        let other = Ledger::open_existing(&other)?;
        Ledger::open(&path)?.merge(&other)
    });
    match merged {
        Ok(merged) => Ok((merged.files, merged.older, merged.hits)),
        Err(error) => Err(match error.kind() {
            ErrorKind::Io(_) | ErrorKind::Full => PyOSError::new_err(error.to_string()),
            _ => PyValueError::new_err(error.to_string()),
        }),
    }
}
