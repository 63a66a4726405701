//! One row for each hit, with the URL, its place, and its message.
//!
//! * [`record`]: the table of fields, a row that borrows, a row that owns, and lines of JSON.
//! * [`filter`]: which messages and hits are wanted, by date, sender, host and more.
//!
//! Nothing here opens a file.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

pub mod filter;
pub mod record;
