//! Mail and news: decodes messages.
//!
//! [`sniff()`] recognises a stream by its first bytes, and [`Splitter`] splits it into
//! messages; both are those of the crate `urlgrep-containers`. [`mime::Walker`] decodes a
//! message into texts with a map to the stream. All three are fed slices of any size, do no
//! input or output, and know nothing of URLs.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod author;
pub mod mime;

pub use author::Author;
pub use mime::{Date, HeaderPolicy, MessageInfo, Role};
pub use urlgrep_containers as containers;
pub use urlgrep_containers::*;
