//! The common modules of several test programs.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub mod bnf;
#[cfg(feature = "mail")]
pub mod broken;
#[cfg(feature = "mail")]
pub mod calls;
pub mod generate;
#[cfg(feature = "mail")]
pub mod messages;
#[cfg(feature = "mail")]
pub mod oracle;
#[cfg(feature = "mail")]
pub mod pieces;
pub mod properties;
#[cfg(feature = "cli")]
pub mod records;
pub mod rows;
#[cfg(feature = "cli")]
pub mod schema;
#[cfg(feature = "mail")]
pub mod truth;
