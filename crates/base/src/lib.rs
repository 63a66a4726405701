//! What the other crates of urlgrep share: [`digits`], [escapes](escape) for output of
//! untrusted bytes, [names] of enums and sets of their variants, [tables of words](words), a
//! [cache] of values that repeat, the [first bytes](magic) of file formats, Unicode's properties
//! of [characters in links](link), and [spans](span): offsets, and the map from a decoded text to
//! the file.
//!
//! Nothing here knows what a URL or a message is. A user of urlgrep needs this crate only
//! through the others, which export [`names::Set`], [`escape`] and [`span::Span`].

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

pub mod cache;
pub mod digits;
pub mod escape;
pub mod link;
pub mod magic;
pub mod names;
pub mod span;
pub mod words;
