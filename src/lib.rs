#![forbid(unsafe_code)]

#[cfg(feature = "mail")]
pub mod mail;
pub mod scan;
pub mod span;
pub mod url;
