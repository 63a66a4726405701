//! `--ledger`: what runs over a spool that changes leave in the database, and
//! what they print.
//!
//! The measure of an update is a new ledger of the same files: both must have
//! the same rows ([`spool::Spool::dump`]), ids and runs apart.

mod answers;
mod grow;
#[path = "../cli/kit.rs"]
#[allow(dead_code, reason = "a part of it is used here")]
mod kit;
mod random;
mod spool;
mod torn;
