//! Messages.

pub mod mime;
