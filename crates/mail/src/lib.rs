//! Mail and news: splits containers into messages, and parses messages.
//!
//! [`sniff()`] recognises a stream by its first bytes. The private modules
//! `containers` and `mime` do the rest: `Splitter` splits a stream into messages,
//! and `mime::Walker` decodes a message into texts with a map to the stream. All
//! three are fed slices of any size, do no input or output, and know nothing of
//! URLs.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod author;
pub mod containers;
pub mod mime;

pub use author::Author;
pub use containers::*;
pub use mime::{Date, HeaderPolicy, MessageInfo, Role};
