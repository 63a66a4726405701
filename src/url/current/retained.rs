//! Schemes whose only syntax is still RFC 1738's, or a copy of it: ftp, gopher
//! (RFC 4266), telnet (RFC 4248), wais (RFC 4156), prospero (RFC 4157).
//!
//! RFC 1738's rules on RFC 3986's characters: `unreserved` gains `~`, the host
//! and the port are those of the named schemes here. The productions decide,
//! so that `?` belongs to an ftp or prospero path and to a gopher selector, and
//! none of the five but wais has a query.

use super::super::class::ByteClass;
use super::super::cursor::Cursor;
use super::super::draft06::{self, Uchars};
use super::super::profile::RuleFn;
use super::super::reject::{Refusal, Rule};
use super::{QUERY, SUB_DELIMS, UNRESERVED, host};

/// The characters of RFC 3986 in the places of RFC 1738's.
enum Retained {}

pub(super) const FTP: RuleFn = draft06::ftp::<Retained>;
pub(super) const GOPHER: RuleFn = draft06::gopher::<Retained>;
pub(super) const TELNET: RuleFn = draft06::telnet::<Retained>;
pub(super) const WAIS: RuleFn = draft06::wais::<Retained>;
pub(super) const PROSPERO: RuleFn = draft06::prospero::<Retained>;

// uchar          = unreserved | escape
//
// RFC 3986's sub-delims without those that RFC 1738 reserves: `;`, `&`, `=`.
const UCHAR: ByteClass = UNRESERVED.or(SUB_DELIMS.minus(b";&="));
// hsegment       = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
const SEARCH: ByteClass = UCHAR.or(ByteClass::of(b";:@&="));
// fsegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
const FSEGMENT: ByteClass = UCHAR.or(ByteClass::of(b"?:@&="));
// fieldname      = *[ uchar | "?" | ":" | "@" | "&" ]
const FIELD: ByteClass = UCHAR.or(ByteClass::of(b"?:@&"));

impl Uchars for Retained {
    const UCHAR: &'static ByteClass = &UCHAR;
    // xchar          = unreserved | reserved | escape
    const XCHAR: &'static ByteClass = &QUERY;
    const SEARCH: &'static ByteClass = &SEARCH;
    const FPATH: &'static ByteClass = &FSEGMENT.or(ByteClass::of(b"/"));
    const FIELDNAME: &'static ByteClass = &FIELD;
    const FIELDVALUE: &'static ByteClass = &FIELD;

    fn hostport(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        host::named(c)
    }

    // RFC 3986's userinfo.
    fn login(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        host::authority(c, host::named)
    }
}
