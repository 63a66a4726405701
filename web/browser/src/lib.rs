//! The module of the page: that of `urlgrep-web`, with two of its dependencies replaced.
//!
//! A page should be small, and a browser has large tables of its own: those of charsets
//! (`encoding_rs`), and those of international host names (`idna`). The packages in these two
//! folders ask the browser for them. Node's charsets differ from those of browsers, so the package
//! for JavaScript has the tables inside.
//!
//! What the module asks for is in `../page/host.js`. Nothing is here but the functions that
//! `urlgrep-web` exports.

pub use urlgrep_web::*;
