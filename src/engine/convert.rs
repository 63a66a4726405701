//! Files that are converted before they are searched.

use std::fs::File;
use std::io;
use std::path::Path;

use super::Control;

/// Converts files. A worker has one file at a time converted, so that at most as
/// many are converted at once as there are threads.
pub trait Convert: Send + Sync {
    /// True if the file is converted.
    fn wants(&self, path: &Path) -> bool;

    /// Converts a file. The result is searched as the member `pre` of the file,
    /// and its format is recognised. It ends early if the run is cancelled.
    ///
    /// # Errors
    ///
    /// If there is nothing to search. The error becomes a fault of the file.
    fn convert(&self, path: &Path, input: File, control: &Control) -> io::Result<Converted>;
}

/// The result of a conversion.
#[derive(Debug)]
pub struct Converted {
    /// What is searched, from its beginning.
    pub output: File,
    /// Why the output may be incomplete. It becomes a fault of the file.
    pub fault: Option<io::Error>,
}
