//! Searches folders and files: walks them, opens and unpacks files, cuts large ones into pieces,
//! and runs workers whose outputs come in the order of the input.
//!
//! * [`search_paths`]: all URLs of files and folders.
//! * [`engine`]: folders, files, threads, ordered output.
//! * [`ranges`]: parts of a large file, or of an object in a store. No partition changes a hit.
//! * [`pre`]: runs programs that convert files before they are searched.
//!
//! Nothing here prints, and nothing knows how a hit is written.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

pub mod engine;
mod paths;
pub mod pre;
pub mod ranges;

pub use paths::{Options, search_paths};
