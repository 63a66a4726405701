//! Searches folders and files with all processors. The results come in the order of the input.
//!
//! ```
//! use std::ops::ControlFlow;
//! use urlgrep_files::{Options, search_paths};
//!
//! let mut lines = Vec::new();
//! search_paths(["src"], Options::default().threads(2), |m| {
//!     lines.push((m.path.map(<[u8]>::to_vec), m.found.line()));
//!     ControlFlow::Continue(())
//! })?;
//! assert!(lines.is_sorted_by_key(|(path, _)| path.clone()));
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! * [`search_paths`]: all URLs of files and folders.
//! * [`engine`]: walks folders, unpacks files, cuts large files into pieces, and runs a worker in
//!   each thread. `search_paths`, the command and the ledger are built on it.
//! * [`ranges`]: parts of a large file, or of an object in a store. Any partition gives each hit
//!   once.
//! * [`pre`]: programs that convert files before they are searched.
//!
//! Nothing here prints, and nothing knows how a hit is written.
//!
//! # Where to begin reading
//!
//! `paths` is the shortest user of the engine. `engine::run` explains in its head how the reader,
//! the workers and the consumer work together. `engine::feed` finds the jobs, `engine::plan` and
//! `engine::segments` cut files and streams, and `ranges::cut` has the rule for where a file may be
//! cut.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

pub mod engine;
mod paths;
pub mod pre;
pub mod ranges;

pub use paths::{Options, search_paths};
