//! Where bytes come from: paths, folders, files, pipes; and how a large file
//! is cut into pieces of work.

pub mod cut;
pub mod feed;
pub mod leaves;
pub mod plan;
pub mod walk;

use std::fmt;
use std::io;
use std::path::Path;

use crate::escape;
use crate::unpack::{self, FaultKind};

/// A path that could not be read, or not to its end.
#[derive(Debug)]
pub struct Fault {
    /// As it was named or walked; `None` is standard input.
    pub path: Option<Vec<u8>>,
    /// How many bytes of it had been read, if any.
    pub offset: Option<u64>,
    /// What happened.
    pub text: String,
}

impl Fault {
    /// `error` struck `path`.
    pub fn new(path: &Path, error: &io::Error) -> Fault {
        Fault {
            path: path_bytes(path),
            offset: None,
            text: plain(error),
        }
    }

    /// `error` struck the file with this path after `offset` bytes. A fault of
    /// unpacking knows better than that where it is.
    pub fn at(path: Option<&[u8]>, offset: u64, error: &io::Error) -> Fault {
        if let Some(fault) = unpack::Fault::of(error) {
            return fault.clone().into();
        }
        Fault {
            path: path.map(<[u8]>::to_vec),
            offset: (offset > 0).then_some(offset),
            text: plain(error),
        }
    }
}

impl From<unpack::Fault> for Fault {
    /// With the option that sets the limit, if one was reached.
    fn from(fault: unpack::Fault) -> Fault {
        let option = match fault.kind {
            FaultKind::Window => " (--max-window)",
            FaultKind::Decompressed => " (--max-decompressed)",
            _ => "",
        };
        Fault {
            path: fault.path,
            offset: fault.offset,
            text: fault.text + option,
        }
    }
}

/// The error without the number that the standard library adds.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.rfind(" (os error ") {
        Some(end) if error.raw_os_error().is_some() => text[..end].to_owned(),
        _ => text,
    }
}

impl fmt::Display for Fault {
    /// One line, whatever the path is made of.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = Vec::new();
        escape::terminal(self.path.as_deref().unwrap_or(escape::STDIN), &mut shown);
        write!(f, "{}: ", String::from_utf8_lossy(&shown))?;
        if let Some(offset) = self.offset {
            write!(f, "byte {offset}: ")?;
        }
        shown.clear();
        escape::terminal(self.text.as_bytes(), &mut shown);
        f.write_str(&String::from_utf8_lossy(&shown))
    }
}

/// The bytes of a path to print; `None` for `-`, standard input.
pub fn path_bytes(path: &Path) -> Option<Vec<u8>> {
    let bytes = path.as_os_str().as_encoded_bytes();
    (bytes != b"-").then(|| bytes.to_vec())
}
