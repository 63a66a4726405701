//! Scans of files as Arrow record batches. The Python package and the C library
//! use it.
//!
//! [`spawn`] starts the thread of a scan. It sends batches, one [`Event`] each. The
//! columns and their types come from the field table of the library ([`Columns`]).
//!
//! Without the feature `arrow` the crate has only the [`Options`], for programs that search
//! texts and messages through the C library.
//!
//! This is not a module of the library, because the Arrow crates have a new major
//! version every few months.

#[cfg(feature = "arrow")]
mod batch;
#[cfg(feature = "arrow")]
mod column;
mod options;
#[cfg(feature = "arrow")]
pub mod panics;
#[cfg(feature = "arrow")]
mod scan;
#[cfg(feature = "arrow")]
mod table;
#[cfg(feature = "arrow")]
mod values;
#[cfg(feature = "arrow")]
mod worker;

pub use options::Options;
#[cfg(feature = "arrow")]
pub use scan::{Event, Failure, Input, Stream, What, spawn};
#[cfg(feature = "arrow")]
pub use worker::{Faults, Plan};
