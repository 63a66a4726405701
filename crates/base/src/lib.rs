//! What the other crates of urlgrep share. Nothing here knows what a URL or a message is.
//!
//! ```
//! use urlgrep_base::escape;
//! use urlgrep_base::span::{SeamKind, SourceMap, Span};
//!
//! // A decoded text remembers where its bytes were. Quoted-printable `a=3Db` becomes `a=b`.
//! let mut map = SourceMap::new(1);
//! map.copy(0, 1);
//! map.seam(SeamKind::QpByte, Span::new(1, 4), 1, 0);
//! map.copy(4, 1);
//! assert_eq!(map.extent(Span::new(1, 3)), Some(Span::new(1, 5)));
//!
//! // A file name from an archive must not clear the reader's terminal.
//! let mut shown = Vec::new();
//! escape::terminal(b"a\x1B[2J.txt", &mut shown);
//! assert_eq!(shown, b"a\\x1B[2J.txt");
//! ```
//!
//! Begin with [`span`]: every hit is described in its words. The other modules can be read in any
//! order:
//!
//! * [`span`]: offsets, seams, and the map from a decoded text to its source.
//! * [`names`]: enums whose variants have names, and sets of their variants.
//! * [`escape`]: output of untrusted bytes.
//! * [`digits`]: decimal, hexadecimal and base64.
//! * [`words`]: tables of words in files of text.
//! * [`magic`]: file formats, by their first bytes.
//! * [`link`]: Unicode's properties of characters in links.
//! * [`variables`]: names of what a template leaves open.
//! * [`cache`]: values that were computed for keys which repeat.
//!
//! A user of urlgrep needs this crate only through the others, which export [`names::Set`],
//! [`escape`] and [`span::Span`].

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
pub mod variables;
pub mod words;
