//! Mail and news: splits containers into messages, and parses messages.
//!
//! [`sniff()`] recognises a stream by its first bytes. The private modules
//! `containers` and `mime` do the rest: `Splitter` splits a stream into messages,
//! and `mime::Walker` decodes a message into texts with a map to the stream. All
//! three are fed slices of any size, do no input or output, and know nothing of
//! URLs.

mod author;
pub(crate) mod containers;
pub(crate) mod mime;

pub use author::Author;
pub(crate) use containers::MARK;
pub use containers::{Container, Position, ReadAs, SNIFF, sniff};
pub(crate) use containers::{
    ContainerNote, ContainerNoteKind, ContainerSink, Dialect, MessageFinder, MessageStart, Outside,
    Shape, Splitter, Start, is_undecided,
};
pub use mime::{Date, HeaderPolicy, MessageInfo, Role};
