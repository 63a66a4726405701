//! RFC 8141, urn.

use super::super::class::{ALPHANUM, ByteClass};
use super::super::document::Cursor;
use super::super::parts::Kind;
use super::super::reject::{Refusal, Rule};
use super::{PATH, PCHAR, QUERY};

// namestring    = assigned-name [ rq-components ] [ "#" f-component ]
// assigned-name = "urn" ":" NID ":" NSS
// NSS           = pchar *(pchar / "/")
pub(super) fn urn(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Urn);
    nid(c)?;
    c.expect(
        b":",
        if c.at_end() {
            Rule::AssignedName
        } else {
            Rule::Nid
        },
    )?;
    c.one(&PCHAR, Rule::Nss)?;
    c.run(&PATH, Rule::Nss)?;
    c.path_ends();
    if !c.eat(b'?') {
        return c.end(Rule::Nss);
    }
    rq_components(c)?;
    Ok(())
}

// NID           = (alphanum) 0*30(ldh) (alphanum)
// ldh           = alphanum / "-"
fn nid(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    const LDH: ByteClass = ALPHANUM.or(ByteClass::of(b"-"));
    const MOST: usize = 32;
    let start = c.pos();
    if c.peek() == Some(b'-') {
        return Err(c.fault(Rule::Nid));
    }
    let len = c.plain(&LDH);
    if len > MOST {
        c.jump(start + MOST);
        return Err(c.fault(Rule::Nid));
    }
    if len < 2 || c.since(start).last() == Some(&b'-') {
        return Err(c.fault(Rule::Nid));
    }
    Ok(())
}

// rq-components = [ "?+" r-component ]
//                 [ "?=" q-component ]
// r-component   = pchar *( pchar / "/" / "?" )
// q-component   = pchar *( pchar / "/" / "?" )
//
// The first question mark has been read. The first `?=` ends an r-component
// (2.3.1).
fn rq_components(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    if c.eat(b'+') {
        c.one(&PCHAR, Rule::RComponent)?;
        loop {
            c.run(&PATH, Rule::RComponent)?;
            if !c.eat(b'?') {
                return c.end(Rule::RComponent);
            }
            if c.peek() == Some(b'=') {
                break;
            }
        }
    }
    c.expect(b"=", Rule::RqComponents)?;
    c.one(&PCHAR, Rule::QComponent)?;
    c.run(&QUERY, Rule::QComponent)?;
    c.end(Rule::QComponent)
}
