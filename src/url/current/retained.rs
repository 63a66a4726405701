//! Schemes whose only syntax is still that of RFC 1738, or a copy of it. They
//! are ftp, gopher (RFC 4266), telnet (RFC 4248), wais (RFC 4156) and prospero
//! (RFC 4157).
//!
//! The rules are those of RFC 1738, with the characters of RFC 3986. `~`
//! becomes unreserved. Host and port follow the same rule as in http: the host
//! must not be empty, and the port is at most 65,535. The productions decide
//! about `?`: it belongs to an ftp or prospero path and to a gopher selector. Of
//! the five schemes only wais has a query.

use super::super::class::ByteClass;
use super::super::cursor::Cursor;
use super::super::draft06::{self, Uchars};
use super::super::profile::RuleFn;
use super::super::reject::{Refusal, Rule};
use super::{QUERY, SUB_DELIMS, UNRESERVED, host};

/// The characters of RFC 3986, by the names of RFC 1738.
enum Retained {}

pub(super) const FTP: RuleFn = draft06::ftp::<Retained>;
pub(super) const GOPHER: RuleFn = draft06::gopher::<Retained>;
pub(super) const TELNET: RuleFn = draft06::telnet::<Retained>;
pub(super) const WAIS: RuleFn = draft06::wais::<Retained>;
pub(super) const PROSPERO: RuleFn = draft06::prospero::<Retained>;

// uchar          = unreserved | escape
//
// These are the sub-delims of RFC 3986, without those that RFC 1738 reserves:
// `;`, `&`, `=`.
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

    // The userinfo of RFC 3986.
    fn login(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        host::authority(c, host::named)
    }
}
