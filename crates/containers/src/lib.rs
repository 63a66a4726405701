//! The formats that messages come in. [`sniff()`] recognises one, [`Splitter`] takes it
//! apart.
//!
//! Each format has a machine: `mbox`, `rnews`, `nntp`, `gitcat`, and the single messages
//! of `article`. A machine gets the bytes that are not decided yet, says what it can, and
//! returns how many bytes that were (`events`). `split` drives them.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod article;
mod beginning;
mod date;
mod events;
pub mod fields;
mod gitcat;
mod lead;
mod lines;
mod mbox;
mod nntp;
mod rnews;
mod sniff;
mod split;

pub use beginning::{SNIFF, SNIFF_MAX};
pub use events::{
    ContainerNote, ContainerNoteKind, ContainerSink, Outside, Packing, Position, Shape, Start,
};
pub use mbox::Dialect;
pub use sniff::MARK;
pub use sniff::{Container, ReadAs, is_undecided, sniff};
pub use split::{MessageFinder, MessageStart, Splitter};
