//! What a few bytes of a text are: a class of characters, a word, the name of a scheme or of a file, a
//! date, a prompt, a comment.
//!
//! These rules get bytes and nothing else: no place in a haystack, no window, no view. So the scanner
//! and the views ask the same ones, and each is tested with a line.

pub(crate) mod bars;
pub(crate) mod class;
pub(crate) mod commands;
pub(crate) mod comment;
pub(crate) mod extension;
pub(crate) mod own_url;
pub(crate) mod records;
pub(crate) mod schemes;
pub(crate) mod screen;
pub(crate) mod words;
