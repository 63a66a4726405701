//! The formats that messages come in: mailboxes, spools, news batches. [`sniff()`] recognises
//! one, and [`Splitter`] splits it into messages. What a message says is not read here, but for
//! the names of its header fields ([`fields`]), which show where a message begins. Of
//! `urlgrep-find` only spans and kinds of seams are used.
//!
//! Each format has a machine: `mbox`, `rnews`, `nntp`, `gitcat`, `warc`, and the single messages
//! of `article`. A machine gets the bytes that are not decided yet, emits events for those that
//! it can decide (`events`), and returns how many these were. `split` drives the machines.
//! `beginning` and `lead` find the first header below blank lines, banners and other text that
//! may stand before it; `date` reads the date of a `From ` line.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod article;
mod beginning;
mod date;
mod events;
pub mod fields;
mod gitcat;
#[doc(hidden)]
pub mod json;
mod lead;
mod lines;
mod mbox;
mod nntp;
mod rnews;
mod sniff;
mod split;
mod warc;

pub use beginning::{SNIFF, SNIFF_MAX};
pub use events::{
    ContainerNote, ContainerNoteKind, ContainerSink, Outside, Packing, Position, Shape, Start,
};
pub use mbox::Dialect;
pub use sniff::MARK;
#[doc(hidden)]
pub use sniff::is_table;
pub use sniff::{Container, ReadAs, is_undecided, sniff};
pub use split::{MessageFinder, MessageStart, Splitter};
pub use warc::{Coding, Record};
