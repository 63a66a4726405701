//! RFC 8089, file.

use super::super::document::Cursor;
use super::super::parts::Kind;
use super::super::reject::{Refusal, Rule};
use super::{PATH, host};

// file-URI       = file-scheme ":" file-hier-part
// file-hier-part = ( "//" auth-path ) / local-path
// auth-path      = [ file-auth ] path-absolute
// local-path     = path-absolute
// file-auth      = "localhost" / host
//
// It has no user, port or query. The nonstandard forms of the appendices
// (`file:c:/x`, `file:////host/share`) are not part of the RFC's syntax.
pub(super) fn file(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    if c.rest().starts_with(b"//") {
        c.jump(c.pos() + 2);
        let last = file_auth(c)?;
        c.path_of(Kind::File);
        c.expect(b"/", c.after_host(last, Rule::PathAbsolute))?;
    } else {
        c.opaque(Kind::File);
        c.expect(b"/", Rule::FileUri)?;
    }
    path_absolute(c)
}

// [ file-auth ]
fn file_auth(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    if c.at_end() || c.peek() == Some(b'/') {
        return Ok(c.empty_host());
    }
    host::host(c)
}

// path-absolute = "/" [ segment-nz *( "/" segment ) ]
//
// The first slash has been read.
fn path_absolute(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    if c.peek() == Some(b'/') {
        return Err(c.fault(Rule::PathAbsolute));
    }
    c.run(&PATH, Rule::Segment)?;
    c.end(match c.peek() {
        Some(b'?') => Rule::FileUri,
        _ => Rule::Segment,
    })
}
