//! What several modules of tests use. Benches and fuzz targets use some of it, too.

#![allow(dead_code, reason = "each set of features uses a part of it")]

/// True if `URLGREP_SLOW` is set, as `.ci/full` does. Tests then use more and longer inputs, which
/// take minutes without optimisation. Without it they have the same shapes in small.
pub fn slow() -> bool {
    std::env::var_os("URLGREP_SLOW").is_some()
}

pub mod bnf;
#[cfg(feature = "search")]
pub mod broken;
#[cfg(feature = "search")]
pub mod calls;
#[cfg(feature = "search")]
pub mod fields;
pub mod generate;
pub mod hostile;
#[cfg(feature = "search")]
pub mod hostile_mail;
#[cfg(feature = "search")]
#[path = "../../crates/unpack/src/tests/make.rs"]
pub mod make;
#[cfg(feature = "search")]
pub mod messages;
#[cfg(feature = "search")]
pub mod oracle;
#[cfg(feature = "search")]
pub mod pieces;
pub mod properties;
#[cfg(feature = "cli")]
pub mod records;
pub mod rows;
#[cfg(feature = "cli")]
pub mod schema;
#[cfg(feature = "search")]
pub mod truth;
