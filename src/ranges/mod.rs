//! Byte ranges of large files.

#[cfg(feature = "engine")]
pub(crate) mod first;
pub(crate) mod read;

pub use read::ReadAt;
