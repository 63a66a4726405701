//! Inputs that could not be read, or were not read to their end.

use std::fmt;
use std::io;
use std::path::Path;

use urlgrep_base::escape::{self, STDIN};
use urlgrep_unpack;

/// An input that could not be read, or was not read to its end. A fault is a
/// value: the run continues with the next input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fault {
    /// The path of the file as the caller named it or the walk found it. `None`
    /// is standard input.
    pub path: Option<Vec<u8>>,
    /// What kind of fault it is.
    pub kind: FaultKind,
    /// The number of bytes before the fault, if known.
    pub offset: Option<u64>,
    /// True if the bytes from `offset` to `end` were not searched.
    pub broken: bool,
    /// The offset at which the search continues, or else the size of the file,
    /// if known.
    pub end: Option<u64>,
    /// What happened, as a short phrase.
    pub text: String,
}

/// The kind of a [`Fault`]. It displays in a few words, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The operating system reported an error.
    Io(io::ErrorKind),
    /// Packed data is damaged, or exceeds a limit.
    Unpack(urlgrep_unpack::UnpackFaultKind),
    /// A worker panicked. The rest of its file is not searched.
    Panic,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FaultKind::Io(kind) => kind.fmt(f),
            FaultKind::Unpack(kind) => kind.fmt(f),
            FaultKind::Panic => f.pad("a worker panicked"),
        }
    }
}

impl Fault {
    /// A fault for an error that occurred before `path` was read.
    #[must_use]
    pub fn new(path: &Path, error: &io::Error) -> Fault {
        Fault::of(path_bytes(path).as_deref(), error)
    }

    fn of(path: Option<&[u8]>, error: &io::Error) -> Fault {
        Fault {
            path: path.map(<[u8]>::to_vec),
            kind: FaultKind::Io(error.kind()),
            offset: None,
            broken: false,
            end: None,
            text: escape::system_error(error),
        }
    }

    /// A fault for an error after `offset` bytes. The search continues at
    /// `end`, or the file ends there. A fault of unpacking has its own, more
    /// exact offset.
    #[must_use]
    pub fn broken(path: Option<&[u8]>, offset: u64, end: Option<u64>, error: &io::Error) -> Fault {
        if let Some(fault) = urlgrep_unpack::UnpackFault::of(error) {
            let mut fault: Fault = fault.clone().into();
            fault.path = fault.path.or_else(|| path.map(<[u8]>::to_vec));
            return fault;
        }
        Fault {
            offset: Some(offset),
            broken: true,
            end: end.filter(|&end| end > offset),
            ..Fault::of(path, error)
        }
    }

    pub(super) fn panic(path: Option<&[u8]>, payload: &(dyn std::any::Any + Send)) -> Fault {
        let text = payload
            .downcast_ref::<&str>()
            .map(ToString::to_string)
            .or_else(|| payload.downcast_ref::<String>().cloned());
        let text = text.unwrap_or_else(|| "no message".to_owned());
        Fault {
            kind: FaultKind::Panic,
            text: format!("a worker panicked: {text}"),
            ..Fault::of(path, &io::ErrorKind::Other.into())
        }
    }
}

impl From<urlgrep_unpack::UnpackFault> for Fault {
    fn from(fault: urlgrep_unpack::UnpackFault) -> Fault {
        Fault {
            path: fault.path,
            kind: match fault.kind {
                urlgrep_unpack::UnpackFaultKind::Io(kind) => FaultKind::Io(kind),
                kind => FaultKind::Unpack(kind),
            },
            offset: fault.offset,
            broken: false,
            end: None,
            text: fault.text,
        }
    }
}

impl fmt::Display for Fault {
    /// Writes one line for any path: control characters are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = Vec::new();
        escape::terminal(self.path.as_deref().unwrap_or(STDIN), &mut shown);
        write!(f, "{}: ", String::from_utf8_lossy(&shown))?;
        match (self.offset, self.end) {
            (Some(0), _) if self.broken => {}
            (Some(from), Some(end)) if self.broken => {
                write!(f, "bytes {from} to {end} were not searched: ")?;
            }
            (Some(from), _) if self.broken => write!(f, "not searched from byte {from} on: ")?,
            (Some(offset), _) => write!(f, "byte {offset}: ")?,
            (None, _) => {}
        }
        shown.clear();
        escape::terminal(self.text.as_bytes(), &mut shown);
        f.write_str(&String::from_utf8_lossy(&shown))
    }
}

impl std::error::Error for Fault {}

/// The bytes of a path; `None` for `-`, standard input.
pub(super) fn path_bytes(path: &Path) -> Option<Vec<u8>> {
    let bytes = path.as_os_str().as_encoded_bytes();
    (bytes != b"-").then(|| bytes.to_vec())
}
