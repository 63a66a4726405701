//! RFC 8089, file.

use super::super::cursor::Cursor;
use super::super::parts::{Authority, HostKind, Kind, Shape};
use super::super::reject::{Fault, Rule};
use super::{PATH, host};

// file-URI       = file-scheme ":" file-hier-part
// file-hier-part = ( "//" auth-path ) / local-path
// auth-path      = [ file-auth ] path-absolute
// local-path     = path-absolute
// file-auth      = "localhost" / host
//
// No user, port or query; the nonstandard forms of its appendices (`file:c:/x`,
// `file:////host/share`) are not the RFC's syntax.
pub(super) fn file(c: &mut Cursor<'_>) -> Result<Shape, Fault> {
    let shape = if c.rest().starts_with(b"//") {
        c.jump(c.pos() + 2);
        let authority = file_auth(c)?;
        let shape = Shape::with(Kind::File, &authority, c);
        c.slash(authority.last, Rule::FileHierPart)?;
        shape
    } else {
        let shape = Shape::opaque(Kind::File, c);
        c.expect(b"/", Rule::FileHierPart)?;
        shape
    };
    path_absolute(c)?;
    Ok(shape)
}

// [ file-auth ]
fn file_auth(c: &mut Cursor<'_>) -> Result<Authority, Fault> {
    if c.at_end() || c.peek() == Some(b'/') {
        return Ok(Authority::host(c, c.mark(), HostKind::Name, Rule::Host));
    }
    host::host(c)
}

// path-absolute = "/" [ segment-nz *( "/" segment ) ]
//
// The first slash is read.
fn path_absolute(c: &mut Cursor<'_>) -> Result<(), Fault> {
    if c.peek() == Some(b'/') {
        return Err(c.fault(Rule::PathAbsolute));
    }
    c.run(&PATH, Rule::Segment)?;
    c.end(Rule::Segment)
}
