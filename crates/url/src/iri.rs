//! RFC 3987 (2005): `current`, and characters beyond ASCII.
//!
//! RFC 3987 2.2 repeats the grammar of RFC 3986, with `iunreserved` for
//! `unreserved` and `iquery` for `query`. Section 3.1 says that
//! "scheme-specific restrictions are applied to IRIs by converting IRIs to URIs
//! and checking the URIs". The conversion replaces each character beyond ASCII
//! by escapes. So such a character is allowed exactly where `current` allows an
//! escape, in every scheme. One pass over the text is enough to decide. The
//! rules have the same names as in `current`.
//!
//! No IDNA tables are needed. "Systems accepting IRIs MAY convert the ireg-name
//! component" to a DNS name, and `current` allows escapes in hosts.

use super::beyond::Beyond;
use super::current;
use super::document::Document;

/// The profile `iri`.
pub(super) const DOCUMENT: Document = Document {
    beyond: Beyond::Taken,
    ..current::DOCUMENT
};
