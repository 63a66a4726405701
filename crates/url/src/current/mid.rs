//! RFC 2392, mid and cid.

use super::super::class::{ALPHANUM, ByteClass};
use super::super::document::Cursor;
use super::super::parts::Kind;
use super::super::reject::{Refusal, Rule};
use super::address::{Address, Names};
use super::{SUB_DELIMS, UNRESERVED};

// url-addr-spec = addr-spec  ; URL encoding of RFC 822 addr-spec
//
// "Any such character (including "/", which is reserved within the "mid"
// scheme) must be hex-encoded". RFC 822's specials are those of RFC 5322.
const ADDRESS: Address = Address {
    atext: ALPHANUM.or(ByteClass::of(b"!$&'*+-=_~")),
    inside: UNRESERVED.or(SUB_DELIMS).or(ByteClass::of(b":@")),
    never: None,
};

// mid-url       = "mid" ":" message-id [ "/" content-id ]
// message-id    = url-addr-spec
pub(super) fn mid(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Mid);
    ADDRESS.addr_spec(c, Names::one(Rule::MessageId))?;
    if c.eat(b'/') {
        return content_id(c);
    }
    c.end(Rule::MessageId)
}

// cid-url       = "cid" ":" content-id
pub(super) fn cid(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Cid);
    content_id(c)
}

// content-id    = url-addr-spec
fn content_id(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    ADDRESS.addr_spec(c, Names::one(Rule::ContentId))?;
    c.end(Rule::ContentId)
}
