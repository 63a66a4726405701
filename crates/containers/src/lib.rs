//! The formats that messages come in: mailboxes, spools, news batches and web archives. [`sniff()`]
//! recognises a format, and a [`Splitter`] splits it into messages.
//!
//! ```
//! use urlgrep_containers::{Container, ContainerSink, ReadAs, Splitter, Start, sniff};
//!
//! /// Collects the text of each message.
//! #[derive(Default)]
//! struct Messages(Vec<Vec<u8>>);
//!
//! impl ContainerSink for Messages {
//!     fn message_start(&mut self, _: &Start<'_>) {
//!         self.0.push(Vec::new());
//!     }
//!     fn data(&mut self, bytes: &[u8], _offset: u64) {
//!         self.0.last_mut().unwrap().extend_from_slice(bytes);
//!     }
//! }
//!
//! let mbox = b"From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\n>From here\n\n".repeat(2);
//! assert!(matches!(sniff(&mbox, true, ReadAs::Auto), Container::Mbox(_)));
//!
//! let mut messages = Messages::default();
//! let mut splitter = Splitter::new(ReadAs::Auto);
//! splitter.feed(&mbox, &mut messages);
//! splitter.finish(&mut messages);
//! assert_eq!(messages.0.len(), 2);
//! ```
//!
//! # Where to begin reading
//!
//! `events` says what a container reports, and `split` is the driver. `gitcat` is the shortest
//! machine; `mbox`, `rnews`, `nntp`, `warc`, and the single messages of `article` work alike. A
//! machine gets the bytes that are not decided yet, emits events for those that it can decide, and
//! returns how many these were. `beginning` and `lead` find the first header below blank lines,
//! banners and other text that may precede it. `date` reads the date of a `From ` line.
//!
//! Only the header of a message is looked at, because the names of its fields ([`fields`]) show
//! where a message begins. The crate `urlgrep-mail` reads messages.

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
#[doc(hidden)]
pub use lead::is_lead;
pub use mbox::Dialect;
pub use sniff::MARK;
#[doc(hidden)]
pub use sniff::is_table;
pub use sniff::{Container, ReadAs, is_undecided, sniff};
pub use split::{MessageFinder, MessageStart, Splitter};
pub use warc::{Coding, Record};
