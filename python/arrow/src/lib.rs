//! Scans of files as Arrow record batches. The Python package and the C library
//! use it.
//!
//! [`spawn`] starts the thread of a scan. It sends batches, one [`Event`] each. The
//! columns and their types come from the field table of the library ([`Columns`]).
//!
//! This is not a module of the library, because the Arrow crates have a new major
//! version every few months.

mod batch;
mod column;
mod options;
pub mod panics;
mod scan;
mod table;
mod values;
mod worker;

pub use options::Options;
pub use scan::{Event, Failure, Input, Stream, What, spawn};
pub use worker::{Faults, Plan};
