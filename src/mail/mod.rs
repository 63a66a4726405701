//! Mail and news: splits containers into messages, and parses messages.
//!
//! [`sniff()`] recognises a stream by its first bytes. [`Splitter`] splits it
//! into messages. [`mime::Walker`] decodes a message into texts with a map to
//! the stream. All three are fed slices of any size, do no input or output, and
//! know nothing of URLs.

mod answer;
pub mod article;
mod beginning;
mod date;
mod gitcat;
mod mbox;
pub mod mime;
mod nntp;
mod rnews;
mod sniff;
mod split;

pub use beginning::{SNIFF, SNIFF_MAX};
pub use mbox::Dialect;
#[cfg(feature = "engine")]
pub(crate) use sniff::MARK;
pub use sniff::{Container, Packing, ReadAs, UnknownReadAs, is_undecided, sniff};
pub use split::{
    ContainerNote, ContainerNoteKind, ContainerSink, MessageFinder, MessageStart, Outside,
    Position, Shape, Splitter, Start,
};
