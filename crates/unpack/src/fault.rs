//! Faults in packed files, as values.

use std::fmt;
use std::io;

/// The kind of a fault in a packed file. It displays in a few words, for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnpackFaultKind {
    /// The source could not be read.
    Io(io::ErrorKind),
    /// The data ends before its end mark.
    Truncated,
    /// The data breaks the rules of its format.
    Corrupt,
    /// A checksum or a stated length is wrong. All bytes were delivered.
    Checksum,
    /// The data follows the format, but this crate cannot read it, for example because its
    /// compression method is unknown.
    Unsupported,
    /// The data is encrypted.
    Encrypted,
    /// Other data follows the last stream. It is ignored.
    Trailing,
    /// A decoder needs more than [`Limits::max_window`](super::Limits).
    Window,
    /// The decompressed data exceeds
    /// [`Limits::max_decompressed`](super::Limits).
    Decompressed,
    /// There are more layers than [`Limits::depth`](super::Limits) allows.
    Depth,
    /// An attachment exceeds a limit that no setting changes.
    Attachment,
}

impl fmt::Display for UnpackFaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            UnpackFaultKind::Io(kind) => return kind.fmt(f),
            UnpackFaultKind::Truncated => "truncated",
            UnpackFaultKind::Corrupt => "corrupt",
            UnpackFaultKind::Checksum => "wrong checksum or length",
            UnpackFaultKind::Unsupported => "unsupported",
            UnpackFaultKind::Encrypted => "encrypted",
            UnpackFaultKind::Trailing => "data after the end",
            UnpackFaultKind::Window => "window over the limit",
            UnpackFaultKind::Decompressed => "data over the limit",
            UnpackFaultKind::Depth => "layers over the limit",
            UnpackFaultKind::Attachment => "attachment over a limit",
        })
    }
}

/// A fault: its kind, its place, and a description.
///
/// A read returns it inside an [`io::Error`]. [`UnpackFault::of`] extracts it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnpackFault {
    /// The kind of fault.
    pub kind: UnpackFaultKind,
    /// Name of the damaged data: the file, or a member of it (`file!member`).
    /// `None` for a source without a name.
    pub path: Option<Vec<u8>>,
    /// Offset of the fault in this data, in bytes, if known.
    pub offset: Option<u64>,
    /// What happened, as a short phrase.
    pub text: String,
}

impl UnpackFault {
    /// A fault without a place.
    pub fn new(kind: UnpackFaultKind, text: impl Into<String>) -> UnpackFault {
        UnpackFault {
            kind,
            path: None,
            offset: None,
            text: text.into(),
        }
    }

    /// The fault inside an error of a member's reader. `None` for other errors.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&UnpackFault> {
        error.get_ref()?.downcast_ref()
    }
}

impl fmt::Display for UnpackFault {
    /// Writes path, offset and text. Bytes of the path that are not UTF-8
    /// become U+FFFD. Control characters are not escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.path {
            write!(f, "{}: ", String::from_utf8_lossy(path))?;
        }
        if let Some(offset) = self.offset {
            write!(f, "byte {offset}: ")?;
        }
        f.write_str(&self.text)
    }
}

impl std::error::Error for UnpackFault {}

impl From<UnpackFault> for io::Error {
    fn from(fault: UnpackFault) -> io::Error {
        match fault.kind {
            UnpackFaultKind::Io(kind) => io::Error::new(kind, fault),
            _ => io::Error::other(fault),
        }
    }
}
