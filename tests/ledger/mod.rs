//! `--ledger`: the rows that runs over a changing spool write to the database,
//! and their output.
//!
//! A ledger after an update is compared with a new ledger of the same files. Both
//! must have the same rows ([`spool::Spool::dump`]), except ids and runs.

mod answers;
mod grow;
mod mailbox;
mod merge;
mod random;
mod spool;
mod torn;
