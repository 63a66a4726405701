//! The command as a process: output and exit status.
//!
//! Each test creates a new folder ([`kit::Dir`]), runs the command in it, and
//! compares. Expected output is written out, except in [`threads`]. There, every
//! number of threads must give the output of one thread.

mod attached;
mod batch;
mod faults;
mod filters;
mod jobs;
pub mod kit;
mod letters;
mod links;
mod live;
mod mistakes;
mod modes;
mod output;
mod own;
mod packed;
mod paths;
mod pre;
mod safety;
mod tables;
mod tail;
mod terminal;
mod threads;
mod warc;
