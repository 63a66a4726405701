//! Mail and news: decodes messages. Transfer encodings, charsets, `format=flowed`, HTML and
//! calendars become texts, with a map to the bytes of the stream, and each line has a [`Role`]:
//! own text, quotation, signature or footer.
//!
//! The crate `urlgrep-containers` finds the messages of a stream. [`mime::Walker`] is fed one in
//! slices of any size, and decodes it. Nothing here does input or output, or knows what a URL
//! is.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod author;
pub mod mime;

pub use author::Author;
pub use mime::{Date, HeaderPolicy, MessageInfo, Role};
