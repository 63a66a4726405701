//! The command as a process: output and exit status.
//!
//! Each test creates a new folder ([`kit::Dir`]), runs the command in it, and
//! compares. Expected output is written out, except in [`threads`]. There, every
//! number of threads must give the output of one thread.

#![cfg(feature = "cli")]

mod batch;
mod faults;
mod filters;
#[path = "../common/hostile.rs"]
mod hostile;
#[path = "../common/hostile_mail.rs"]
mod hostile_mail;
mod jobs;
mod kit;
mod live;
mod modes;
mod output;
mod own;
mod packed;
mod paths;
#[allow(dead_code, reason = "a part of it is used here")]
#[path = "../common/rows.rs"]
mod rows;
mod safety;
#[allow(dead_code, reason = "a part of it is used here")]
#[path = "../common/schema.rs"]
mod schema;
mod tables;
mod tail;
mod threads;
