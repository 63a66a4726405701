//! RFC 6068, mailto.

use super::super::class::{ALPHANUM, ByteClass};
use super::super::document::Cursor;
use super::super::parts::Kind;
use super::super::reject::{Refusal, Rule};
use super::UNRESERVED;
use super::address::{Address, Names};

// "The characters that cannot appear in a URI … as well as "%" … and all the
// characters in gen-delims except "@" and ":" (i.e., "/", "?", "#", "[", and
// "]"). Of the characters in sub-delims, at least … "&", ";", and "="" are
// escaped.
const ADDRESS: Address = Address {
    atext: ALPHANUM.or(ByteClass::of(b"!$'*+-_~")),
    inside: UNRESERVED.or(ByteClass::of(b"!$'()*+,:@")),
    never: None,
};

const NAMES: Names = Names {
    whole: Rule::AddrSpec,
    local_part: Rule::LocalPart,
    domain: Rule::Domain,
};

// qchar        = unreserved / pct-encoded / some-delims
// some-delims  = "!" / "$" / "'" / "(" / ")" / "*"
//              / "+" / "," / ";" / ":" / "@"
const QCHAR: ByteClass = UNRESERVED.or(ByteClass::of(b"!$'()*+,;:@"));

// mailtoURI    = "mailto:" [ to ] [ hfields ]
// to           = addr-spec *("," addr-spec )
pub(super) fn mailto(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Mailto);
    if !c.at_end() && c.peek() != Some(b'?') {
        ADDRESS.addr_spec(c, NAMES)?;
        while c.eat(b',') {
            ADDRESS.addr_spec(c, NAMES)?;
        }
    }
    c.path_ends();
    if !c.eat(b'?') {
        return c.end(Rule::Domain);
    }
    hfields(c)?;
    Ok(())
}

// hfields      = "?" hfield *( "&" hfield )
// hfield       = hfname "=" hfvalue
// hfname       = *qchar
// hfvalue      = *qchar
//
// The question mark has been read.
fn hfields(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    loop {
        c.run(&QCHAR, Rule::Hfname)?;
        if !c.eat(b'=') {
            let whole = c.at_end();
            return Err(c.fault(if whole { Rule::Hfield } else { Rule::Hfname }));
        }
        c.run(&QCHAR, Rule::Hfvalue)?;
        if !c.eat(b'&') {
            return c.end(Rule::Hfvalue);
        }
    }
}
