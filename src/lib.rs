//! Finds every URL in mail and Usenet text: unwraps, rejoins, validates, and
//! says where each one stood.
//!
//! ```
//! use urlgrep::{Extractor, Profile};
//!
//! let reply = b"> The draft: <URL:http://www.example.org/drafts/\n> fields.html>, I think.\n";
//! let mut extractor = Extractor::new(Profile::Iri);
//! for hit in extractor.find_iter(reply) {
//!     assert_eq!(hit.url(), b"http://www.example.org/drafts/fields.html");
//!     assert_eq!(hit.line(), Some(1));
//!     assert_eq!(hit.segments().len(), 2);
//!     assert_eq!(hit.verdict().unwrap().path(), b"/drafts/fields.html");
//! }
//! ```
//!
//! # Layers
//!
//! ```text
//! span  <-  scan | url | mail  <-  extract  <-  search  <-  record | unpack | ranges  <-  engine  <-  the command
//! ```
//!
//! Each knows those to its left, and the three in the middle do not know each
//! other.
//!
//! | module | knows | features |
//! | --- | --- | --- |
//! | [`span`] | offsets, and the map from a decoded text to the file | none |
//! | [`scan`] | bytes: where a URL may stand and how it may be read. Reports too much rather than too little, and never judges | none |
//! | [`url`] | grammar: seven profiles, documents from 1993 to today. Alone it judges | none |
//! | `mail` | containers, messages, transfer encodings | `mail` |
//! | [`extract`] | joins `scan` and `url`: [`Extractor`], [`Hit`] | none |
//! | `search` | joins `extract` and `mail`: `Searcher` | `mail` |
//! | `record` | the one row for a hit, written and read as JSON Lines, and replayed on its source | `record` |
//! | `unpack` | compressed and archived files as streams of members; UTF-16 | `unpack` |
//! | [`escape`] | how untrusted bytes are shown | none |
//! | `ranges` | reading from any offset, and where a file can be cut | `mail` |
//! | `engine` | folders, files, threads: gives pieces to workers, and takes what they make in order | `engine` |
//!
//! Without features, memchr is the only dependency. Below
//! `engine` nothing opens a file, starts a thread or has global state. Time is
//! linear, memory bounded, and no result depends on how the input was cut into
//! chunks. The command is no part of the library: it is a user of it.
//!
//! # Words
//!
//! One word for one idea, in names and in comments:
//!
//! * **haystack**: the bytes that are searched. **Source**: the file they come
//!   from, or the uncompressed member of an archive.
//! * **candidate**: the scanner's claim that a URL stands here.
//! * **form**: how a candidate is delimited: `wrapped` (`<URL:…>`),
//!   `bracketed` (`<http://…>`), `quoted`, `prefixed` (`URL:…`), `bare`,
//!   and on request `suffix` (`www.example.org`).
//! * **extent**: from where to where a candidate goes. There is one, chosen
//!   by the bytes alone, and no verdict changes it.
//! * **leader**: the quote or comment mark before a line: `> `, `# `, `JS> `.
//! * **seam**: what was removed or decoded inside a URL: a line break, a
//!   leader, `=3D`.
//! * **segment**: a span of the source that was copied into the URL.
//! * **reading**: one way to make a URL of an extent. The first that is valid
//!   is the hit's; the others are its **alternates**.
//! * **doubt**: why a reading may be wrong although it is valid.
//! * **profile**: the document that judges.
//! * **hit**: a candidate after the verdict. **Reject**: the verdict that it
//!   is no URL, with the rule and the byte.
//! * **role**: what a place in a message is to its reader: own text, quotation,
//!   signature, list footer, header, link.
//! * **note**: something wrong inside a message that was tolerated.
//! * **ground**: a place at which no candidate can be open, such as a blank
//!   line. There a haystack can be cut.

#![forbid(unsafe_code)]

#[cfg(feature = "record")]
mod by_name;
#[cfg(feature = "engine")]
pub mod engine;
pub mod escape;
pub mod extract;
#[cfg(feature = "mail")]
pub mod mail;
#[cfg(feature = "mail")]
pub mod ranges;
#[cfg(feature = "record")]
pub mod record;
pub mod scan;
#[cfg(feature = "mail")]
pub mod search;
pub mod span;
#[cfg(feature = "unpack")]
pub mod unpack;
pub mod url;

pub use extract::{Alternate, Extractor, ExtractorBuilder, FindIter, Forms, Hit, Hyphen, Sink};
pub use url::Profile;

/// The Rust examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
