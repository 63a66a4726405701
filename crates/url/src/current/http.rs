//! RFC 9110 section 4.2, http and https; RFC 6455 section 3, ws and wss.

use super::super::document::Cursor;
use super::super::parts::Kind;
use super::super::reject::{Refusal, Rule};
use super::{after, host, path_and_query};

// http-URI  = "http" "://" authority path-abempty [ "?" query ]
// https-URI = "https" "://" authority path-abempty [ "?" query ]
//
// RFC 9110 4.2.1: "A sender MUST NOT generate an "http" URI with an empty host
// identifier." A userinfo is deprecated (4.2.4) but well-formed, so the URL is
// valid and gets a caution.
#[inline]
pub(super) fn web(c: &mut Cursor<'_>, whole: Rule) -> Result<(), Refusal> {
    c.expect(b"//", whole)?;
    host::authority(c, host::named)?;
    c.path_of(Kind::Http);
    path_and_query(c)
}

// ws-URI = "ws:" "//" host [ ":" port ] path [ "?" query ]
// wss-URI = "wss:" "//" host [ ":" port ] path [ "?" query ]
//
// There is no user. There is no fragment: "fragment identifiers are meaningless
// in the context of WebSocket URIs and MUST NOT be used on these URIs".
pub(super) fn socket(c: &mut Cursor<'_>, whole: Rule) -> Result<(), Refusal> {
    c.expect(b"//", whole)?;
    let last = host::named(c)?;
    after(c, last)?;
    c.path_of(Kind::Http);
    path_and_query(c)?;
    c.exhausted(whole)
}
