//! Mail and news: splits containers into messages, and parses messages.
//!
//! [`sniff()`] recognises a stream by its first bytes. [`Splitter`] splits it
//! into messages. [`mime::Walker`] decodes a message into texts with a map to
//! the stream. All three are fed slices of any size, do no input or output, and
//! know nothing of URLs.

mod answer;
mod article;
pub(crate) mod beginning;
mod date;
mod gitcat;
mod mbox;
pub(crate) mod mime;
mod nntp;
mod rnews;
pub(crate) mod sniff;
pub(crate) mod split;

pub use beginning::SNIFF;
pub use mbox::Dialect;
pub use mime::{Date, HeaderPolicy, MessageInfo, MessageNoteKind, Role};
#[cfg(feature = "engine")]
pub(crate) use sniff::MARK;
pub(crate) use sniff::is_undecided;
pub use sniff::{Container, Packing, ReadAs, sniff};
pub(crate) use split::{
    ContainerNote, ContainerSink, MessageFinder, MessageStart, Outside, Shape, Splitter, Start,
};
pub use split::{ContainerNoteKind, Position};
