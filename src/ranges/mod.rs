//! Byte ranges of large files.

pub(crate) mod cut;
pub(crate) mod first;
pub(crate) mod read;

pub use read::ReadAt;
