//! All integration tests, as one program, so that the library is linked once.
//!
//! A module tests one subject. The rows are in `testdata`. `memory` is a program of its own,
//! because it limits the memory of the whole process.

mod api;
#[cfg(feature = "search")]
mod broken;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod collections;
mod common;
#[cfg(feature = "search")]
mod containers;
#[cfg(feature = "files")]
mod deliveries;
#[cfg(feature = "files")]
mod engine;
#[cfg(feature = "files")]
mod examples;
mod extract;
mod grammar;
mod hostile;
#[cfg(feature = "search")]
mod html_oracle;
#[cfg(feature = "cli")]
mod json;
#[cfg(all(feature = "cli", feature = "ledger"))]
mod ledger;
#[cfg(feature = "search")]
mod lines;
#[cfg(all(feature = "search", feature = "whatwg"))]
mod links;
#[cfg(feature = "files")]
mod maildirs;
#[cfg(feature = "search")]
mod mime;
#[cfg(feature = "search")]
mod mime_alloc;
#[cfg(feature = "search")]
mod mime_oracle;
mod oracles;
#[cfg(feature = "search")]
mod pieces;
mod properties;
#[cfg(feature = "search")]
mod ranges;
#[cfg(feature = "cli")]
mod readme;
#[cfg(all(feature = "cli", unix))]
mod recipes;
#[cfg(all(feature = "cli", feature = "report"))]
mod report;
#[cfg(feature = "search")]
mod reuse;
#[cfg(feature = "cli")]
mod search_paths;
#[cfg(feature = "cli")]
mod silence;
#[cfg(feature = "search")]
mod strings;
#[cfg(feature = "cli")]
mod threads;
#[cfg(feature = "search")]
mod truth;
#[cfg(feature = "cli")]
mod uts58;
#[cfg(feature = "cli")]
mod versions;
#[cfg(feature = "cli")]
mod whatwg;
