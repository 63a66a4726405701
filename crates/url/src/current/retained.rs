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
use super::super::document::{Cursor, Late};
use super::super::reject::{Refusal, Rule};
use super::{SUB_DELIMS, UNRESERVED, host};

// uchar          = unreserved | escape
//
// These are the sub-delims of RFC 3986, without those that RFC 1738 reserves:
// `;`, `&`, `=`.
const UCHAR: ByteClass = UNRESERVED.or(SUB_DELIMS.minus(b";&="));

/// The characters of RFC 3986, by the names of RFC 1738. No retained scheme has
/// a group, or a host without a port.
pub(super) const LATE: Late = Late::new(UCHAR, UCHAR, [host::named, host::named, login]);

// The userinfo of RFC 3986.
fn login(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    host::authority(c, host::named)
}
