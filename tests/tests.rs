//! All integration tests, as one program, so that the library is linked once.
//!
//! A module tests one subject. The rows are in `testdata`. `memory` is a program of its own,
//! because it limits the memory of the whole process.

mod api;
#[cfg(feature = "mail")]
mod broken;
#[cfg(feature = "cli")]
mod cli;
#[cfg(feature = "cli")]
mod collections;
mod common;
#[cfg(feature = "mail")]
mod containers;
#[cfg(feature = "engine")]
mod deliveries;
#[cfg(feature = "engine")]
mod engine;
#[cfg(feature = "engine")]
mod examples;
mod extract;
mod grammar;
mod hostile;
#[cfg(feature = "mail")]
mod html_oracle;
#[cfg(feature = "cli")]
mod json;
#[cfg(all(feature = "cli", feature = "ledger"))]
mod ledger;
#[cfg(feature = "mail")]
mod lines;
#[cfg(all(feature = "mail", feature = "whatwg"))]
mod links;
#[cfg(feature = "engine")]
mod maildirs;
#[cfg(feature = "mail")]
mod mime;
#[cfg(feature = "mail")]
mod mime_alloc;
#[cfg(feature = "mail")]
mod mime_oracle;
mod oracles;
#[cfg(feature = "mail")]
mod pieces;
mod properties;
#[cfg(feature = "mail")]
mod ranges;
#[cfg(feature = "cli")]
mod readme;
#[cfg(all(feature = "cli", unix))]
mod recipes;
#[cfg(all(feature = "cli", feature = "report"))]
mod report;
#[cfg(feature = "mail")]
mod reuse;
#[cfg(feature = "cli")]
mod threads;
#[cfg(feature = "mail")]
mod truth;
#[cfg(feature = "unpack")]
mod unpack;
#[cfg(feature = "cli")]
mod uts58;
#[cfg(feature = "cli")]
mod versions;
#[cfg(feature = "cli")]
mod whatwg;
