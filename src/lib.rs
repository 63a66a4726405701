//! Finds every URL in mail and Usenet text. Unwraps, rejoins and validates each
//! URL, and says which bytes it came from.
//!
//! Mail breaks URLs. A pattern finds the pieces that are left; we look for what
//! the author wrote:
//!
//! ```
//! use urlgrep::{Extractor, Profile};
//!
//! let extractor = Extractor::new(Profile::Iri);
//! for (text, url) in [
//!     // The bracket and the full stop belong to the sentence, but one bracket
//!     // belongs to the URL.
//!     ("(see http://a.example/wiki/C_(language).)", "http://a.example/wiki/C_(language)"),
//!     // A mailer broke the line, and a reply quoted both halves.
//!     ("> <URL:http://a.example/drafts/\n> fields.html>?", "http://a.example/drafts/fields.html"),
//!     // No space ends the URL, and the prose after it is no part of it.
//!     ("詳細はhttp://a.example/見てください。", "http://a.example/"),
//! ] {
//!     let hit = extractor.find_iter(text).next().unwrap();
//!     assert_eq!(hit.to_string(), url);
//! }
//! ```
//!
//! There are four doors, from a text in memory to a file of terabytes.
//!
//! # Find: the URLs of a text
//!
//! [`Extractor`] searches bytes in memory, from a reader, or in chunks. It
//! needs no features. A [`Hit`] has the URL, its place, and every repair.
//!
//! ```
//! use urlgrep::{Extractor, Profile};
//!
//! let reply = b"> The draft: <URL:http://www.example.org/drafts/\n> fields.html>, I think.\n";
//! let extractor = Extractor::new(Profile::Iri);
//! for hit in extractor.find_iter(reply) {
//!     assert_eq!(hit.text(), b"http://www.example.org/drafts/fields.html");
//!     assert_eq!(hit.line(), Some(1));
//!     assert_eq!(hit.segments().len(), 2);
//!     assert_eq!(hit.url().unwrap().path(), "/drafts/fields.html");
//! }
//! ```
//!
//! [`url::validate`] judges one string and finds its parts. Its result can be
//! compared with other URLs.
//!
//! # Messages: mail and news, decoded
//!
//! `search::Searcher` (feature `search`) splits mailboxes and decodes messages.
//! Each hit comes with its place, its role and its message.
//!
//! ```
//! # #[cfg(feature = "search")] {
//! use std::ops::ControlFlow;
//! use urlgrep::search::Searcher;
//!
//! let message = b"Subject: x\n\n> http://a.example/\nhttp://b.example/\n";
//! let mut urls = Vec::new();
//! Searcher::default().search_message(message, |m| {
//!     let role = m.role().map_or("text", |role| role.name());
//!     urls.push(format!("{role} {}", m.hit));
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(urls, ["quoted http://a.example/", "body http://b.example/"]);
//! # }
//! ```
//!
//! `rows` (feature `rows`) writes hits as rows, the same rows as those of `urlgrep --json`.
//!
//! # Paths: folders, packed files, all processors
//!
//! `search_paths` (feature `files`) walks folders, unpacks archives, and searches with all
//! processors. The hits come in the order of the input.
//!
//! ```
//! # #[cfg(all(feature = "files", feature = "rows"))] {
//! use std::ops::ControlFlow;
//! use urlgrep::rows::json;
//! use urlgrep::{Options, search_paths};
//!
//! let (mut writer, mut out) = (json::Writer::new(), Vec::new());
//! search_paths(["testdata/mail"], Options::default(), |m| {
//!     writer.write(m, &mut out);
//!     // Enough? `ControlFlow::Break(())` ends the search.
//!     ControlFlow::Continue(())
//! })?;
//! assert!(out.starts_with(b"{\"v\":2,\"type\":\"hit\",\"path\":\"testdata/mail/"));
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Ranges: parts of a large file
//!
//! `ranges::search` (feature `files`) searches bytes `a..b` of a file, or of an
//! object in a store. Any partition of the file gives each hit once.
//!
//! ```
//! # #[cfg(feature = "files")] {
//! use std::ops::ControlFlow;
//! use urlgrep::mail::ReadAs;
//! use urlgrep::ranges::{describe, search};
//! use urlgrep::search::Searcher;
//!
//! let mbox = "From a@b Thu Jan  1 00:00:00 1970\nSubject: x\n\nhttp://a.example/\n\n".repeat(2);
//! let (file, mut offsets) = (mbox.as_bytes(), Vec::new());
//! let description = describe(file, ReadAs::Auto)?;
//! for range in [0..50, 50..u64::MAX] {
//!     search(file, &description, range, &mut Searcher::default(), |m| {
//!         offsets.extend(m.source().map(|place| place.span().start));
//!         ControlFlow::Continue(())
//!     })?;
//! }
//! assert_eq!(offsets, [46, 111]);
//! # }
//! # Ok::<(), std::io::Error>(())
//! ```
//!
//! # Features
//!
//! The command is a default feature. A library that uses urlgrep turns it off:
//!
//! ```toml
//! [dependencies]
//! urlgrep = { version = "0.2", default-features = false, features = ["search"] }
//! ```
//!
//! | feature | includes | adds these dependencies |
//! | --- | --- | --- |
//! | none | | memchr |
//! | `search` | | aho-corasick, encoding_rs, entities, psl; bzip2, crc, encoding_rs_io, flate2, lzma-rust2, ruzstd, tempfile |
//! | `files` | `search` | globset, rayon; on Unix rustix, signal-hook |
//! | `rows` | `search` | globset, itoa, jiff, regex, serde, serde_json, unicode-normalization |
//! | `verify` | `rows` | |
//! | `whatwg` | | unicode-security; url, with its IDNA: the profile `Whatwg` |
//! | `ledger` | `files`, `rows` | rusqlite, with SQLite compiled in |
//! | `report` | `rows` | maud, plotters |
//! | `cli` (default) | `files`, `rows`, `verify`, `whatwg` | clap and more, for the command |
//! | `full` | all | |
//!
//! # Promises
//!
//! * There is no `unsafe` code, and no input causes a panic.
//! * Time is linear in the input. Memory is bounded for every input.
//! * No result depends on the chunks of the input, or on the number of threads.
//! * Without features, memchr is the only dependency.
//! * Below `files`, nothing opens a file by name or starts a thread. A large attachment goes to
//!   an unnamed temporary file. Global state is constant tables.
//!
//! # Layers
//!
//! This package is a front door. Each part behind it is a crate with one job, and uses only
//! crates to its left. The chains beside a bar do not know each other, so no code of mail can
//! know what a URL is:
//!
//! ```text
//! base  <-  url <- find | containers <- mail | unpack  <-  search  <-  files | rows  <-  ledger | report | verify  <-  the command
//! ```
//!
//! | crate | here | what it does | feature |
//! | --- | --- | --- | --- |
//! | `urlgrep-base` | [`Set`], [`Span`] | what the others share: spans and maps of places, digits, escapes, named enums, tables of words | none |
//! | `urlgrep-url` | [`url`] | the grammar: eight profiles, documents from 1993 to today. Only this crate judges | none |
//! | `urlgrep-find` | [`Extractor`], [`Hit`] | the scanner, which reports too many rather than too few and never judges, and the extractor | none |
//! | `urlgrep-containers` | `mail` | mailboxes, spools and news batches: recognises them, and splits them into messages | `search` |
//! | `urlgrep-mail` | `mail` | messages: transfer encodings, charsets, HTML, roles. Knows no URLs | `search` |
//! | `urlgrep-unpack` | | compressed and archived files as streams of members; UTF-16 | `search` |
//! | `urlgrep-search` | `search` | the URLs of a message, with place, role and attachments | `search` |
//! | `urlgrep-files` | `search_paths`, `ranges` | folders, files, threads, ordered output; parts of a large file; programs that convert files | `files` |
//! | `urlgrep-rows` | `rows`, `filter` | one row for each hit, written and read as JSON Lines; messages and hits by date, sender, host and more | `rows` |
//! | `urlgrep-verify` | | checks rows against their source | `verify` |
//! | `urlgrep-ledger` | | the hits of many runs in a database, and the new hits in files that grow | `ledger` |
//! | `urlgrep-report` | | hits as one HTML page with tables and plots | `report` |
//!
//! The command is not part of the library. It uses the library like any other
//! program.
//!
//! # Words
//!
//! One word for one idea, in names and in comments:
//!
//! * **haystack**: the bytes that are searched.
//! * **source**: the file that the haystack comes from, or the uncompressed
//!   member of an archive.
//! * **candidate**: a place where the scanner reports a possible URL.
//! * **form**: how a candidate is delimited: `wrapped` (`<URL:…>`), `bracketed`
//!   (`<http://…>`), `quoted`, `prefixed` (`URL:…`), `bare`, and on request
//!   `suffix` (`www.example.org`).
//! * **extent**: the span of a candidate. Only the bytes decide it. No verdict
//!   changes it.
//! * **leader**: the quote or comment mark at the start of a line: `> `, `# `,
//!   `JS> `.
//! * **seam**: bytes that were removed or decoded inside a URL: a line break, a
//!   leader, `=3D`.
//! * **segment**: a span of the source that was copied into the URL.
//! * **reading**: one way to make a URL of an extent. The first valid reading
//!   is the URL of the hit. The other valid readings are its **alternates**.
//! * **doubt**: a reason why a valid reading may still be wrong.
//! * **profile**: the document that judges candidates.
//! * **hit**: a candidate with its verdict.
//! * **reject**: the verdict that a candidate is not a URL, with the rule and
//!   the offset.
//! * **role**: the function of a place in a message: own text, quotation,
//!   signature, list footer, header, link.
//! * **note**: a fault inside a message that was tolerated.
//! * **ground**: a place where no candidate can be open, such as a blank line.
//!   A haystack can be cut there.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]
// Items that need a feature say so on docs.rs, which builds with nightly.
#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(inline)]
pub use urlgrep_base::names::Set;
#[cfg(feature = "files")]
#[doc(inline)]
pub use urlgrep_files::{Options, ranges, search_paths};
pub use urlgrep_find::{Alternate, Doubt, Extractor, ExtractorBuilder, Form, Hit, Hyphen};
pub use urlgrep_find::{ReadingKind, Seam, SeamKind, Span, Stream};
#[cfg(feature = "rows")]
#[doc(inline)]
pub use urlgrep_rows::{filter, record as rows};
#[cfg(feature = "search")]
#[doc(inline)]
pub use urlgrep_search as search;
#[doc(inline)]
pub use urlgrep_url as url;
#[doc(no_inline)]
pub use urlgrep_url::Profile;

/// Mail and news: containers and messages, without URLs.
#[cfg(feature = "search")]
pub mod mail {
    #[doc(hidden)]
    pub use urlgrep_containers::SNIFF;
    pub use urlgrep_containers::{Container, ContainerNoteKind, Position, ReadAs, sniff};
    #[doc(hidden)]
    pub use urlgrep_mail::Author;
    pub use urlgrep_mail::mime::MessageNoteKind;
    pub use urlgrep_mail::{Date, HeaderPolicy, MessageInfo, Role};
}

/// Runs the Rust examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
