//! Mail and news: decodes messages. Transfer encodings, charsets, `format=flowed`, HTML and
//! calendars become texts, with a map to the bytes of the stream, and each line has a [`Role`]:
//! own text, quotation, signature or footer.
//!
//! [`sniff()`] recognises a stream by its first bytes, and [`Splitter`] splits it into
//! messages; both are those of the crate `urlgrep-containers`. [`mime::Walker`] decodes a
//! message into texts with a map to the stream. Splitter and walker are fed
//! slices of any size. Nothing here does input or output, and of `urlgrep-find` only spans and
//! maps are used: what a URL is, is not known here.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod author;
pub mod mime;

pub use author::Author;
pub use mime::{Date, HeaderPolicy, MessageInfo, Role};
pub use urlgrep_containers as containers;
pub use urlgrep_containers::*;
