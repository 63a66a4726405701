//! Finds the URLs of a text.
//!
//! [`Extractor`] is the door. It searches bytes in memory, from a reader, or in chunks. Each
//! [`Hit`] has the URL, its place, and every repair.
//!
//! ```
//! use urlgrep_find::Extractor;
//! use urlgrep_url::Profile;
//!
//! let reply = b"> The draft: <URL:http://www.example.org/drafts/\n> fields.html>, I think.\n";
//! let extractor = Extractor::new(Profile::Iri);
//! let hit = extractor.find_iter(reply).next().unwrap();
//! assert_eq!(hit.text(), b"http://www.example.org/drafts/fields.html");
//! assert_eq!(hit.segments().len(), 2);
//! ```
//!
//! Two modules do the work, from the bytes to the hit:
//!
//! * [`scan`]: finds possible URLs and their readings. It reports too many rather than too few,
//!   and does not say what is a URL.
//! * the extractor: passes each candidate to the grammar, which is the crate `urlgrep-url`, and
//!   takes the first reading that is a URL.
//!
//! Where the bytes of a text are not what a reader sees, as in a program's string or the rows of a
//! terminal, `scan` reads through a *view* of them. `view` does not know `scan`. What both ask about a
//! few bytes, such as whether they are a date or begin a URL, is in `text`, below them.
//!
//! `scan` asks the grammar about one thing, through a function: whether the lines that it joined
//! are a URL. Of `urlgrep-url` it uses only the table of services that put links around links.
//! Nothing here knows what a message is, or opens a file.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

mod extract;
mod grammar;
pub mod scan;
mod text;
mod view;

#[doc(hidden)]
pub use extract::go_on;
pub use extract::{Alternate, Drive, Extractor, ExtractorBuilder, Hit, Hyphen, Stream};
pub use scan::{Doubt, Form, ReadingKind};
pub use urlgrep_base::span::{Seam, SeamKind, Span};
