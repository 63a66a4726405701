//! One row for each hit, with the URL, its place and its message; and the filters that choose rows.
//!
//! ```
//! use std::ops::ControlFlow;
//! use urlgrep_rows::filter::Filter;
//! use urlgrep_rows::record::{Field, Record, json};
//! use urlgrep_search::Searcher;
//!
//! let mbox = b"Subject: x\n\n> http://a.example/\nhttp://b.example/\n";
//! let filter = Filter::new([("role", &["quoted".to_owned()][..])]).unwrap();
//! let mut writer = json::Writer::with_fields(vec![Field::Line, Field::Url]);
//! let mut out = Vec::new();
//! Searcher::default().search_message(mbox, |found| {
//!     if filter.accepts(found) {
//!         writer.write(&Record::new(None, *found), &mut out);
//!     }
//!     ControlFlow::Continue(())
//! });
//! assert_eq!(out, b"{\"line\":3,\"url\":\"http://a.example/\"}\n");
//! ```
//!
//! * [`record`]: the table of fields, a row that borrows, a row that owns, and lines of JSON.
//! * [`filter`]: which messages and hits are wanted, by date, sender, host and more.
//!
//! Nothing here opens a file.
//!
//! # Where to begin reading
//!
//! `record::field` is the table from which JSON, templates and the documentation are derived. A new
//! field is one row there, and one arm in `record::row`, which computes its value. Of the filters,
//! `filter::mod` takes the options by name, and each other file has the rules of one kind of value.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]
#![warn(missing_docs)]

pub mod filter;
pub mod record;
