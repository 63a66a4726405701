//! Today's documents: the generic syntax of RFC 3986, and one file for the
//! schemes of each RFC that narrows it.
//!
//! A scheme without a row here is judged by RFC 3986 alone.

mod address;
mod file;
mod host;
mod http;
mod mailto;
mod mid;
mod news;
mod retained;
mod tel;
mod urn;

use super::class::{ALPHA, ALPHANUM, ByteClass, Ranges};
use super::document::{Cursor, Document, RuleFn};
use super::draft06;
use super::parts::Kind;
use super::reject::{Refusal, Rule};
use urlgrep_base::names::key;

// unreserved    = ALPHA / DIGIT / "-" / "." / "_" / "~"
const UNRESERVED: ByteClass = ALPHANUM.or(ByteClass::of(b"-._~"));
// sub-delims    = "!" / "$" / "&" / "'" / "(" / ")"
//               / "*" / "+" / "," / ";" / "="
const SUB_DELIMS: ByteClass = ByteClass::of(b"!$&'()*+,;=");
// pchar         = unreserved / pct-encoded / sub-delims / ":" / "@"
const PCHAR: ByteClass = UNRESERVED.or(SUB_DELIMS).or(ByteClass::of(b":@"));
// path-abempty  = *( "/" segment )
// segment       = *pchar
const PATH: ByteClass = PCHAR.or(ByteClass::of(b"/"));
// query         = *( pchar / "/" / "?" )
// fragment      = *( pchar / "/" / "?" )
const QUERY: ByteClass = PCHAR.or(ByteClass::of(b"/?"));

/// [`PATH`] as a type.
struct Path;

impl Ranges for Path {
    const RANGES: &'static [(u8, u8)] = &PATH.ranges::<8>();
}

/// [`QUERY`] as a type.
struct Query;

impl Ranges for Query {
    const RANGES: &'static [(u8, u8)] = &QUERY.ranges::<8>();
}

/// The characters whose escapes are decoded: the unreserved characters.
pub(super) const DECODABLE: ByteClass = UNRESERVED;

/// The profile `current`.
pub(super) const DOCUMENT: Document = Document {
    scheme,
    schemes: &[SCHEMES],
    generic,
    fragment: (&QUERY, Rule::Fragment),
    decodable: &DECODABLE,
    late: retained::LATE,
    ..draft06::DOCUMENT
};

const SCHEMES: &[(u64, RuleFn)] = &[
    (key(b"http"), |c| http::web(c, Rule::HttpUri)),
    (key(b"https"), |c| http::web(c, Rule::HttpsUri)),
    (key(b"ftp"), draft06::ftp),
    (key(b"mailto"), mailto::mailto),
    (key(b"news"), news::news),
    (key(b"file"), file::file),
    (key(b"gopher"), draft06::gopher),
    (key(b"telnet"), draft06::telnet),
    (key(b"nntp"), news::nntp),
    (key(b"wais"), draft06::wais),
    (key(b"prospero"), draft06::prospero),
    (key(b"mid"), mid::mid),
    (key(b"cid"), mid::cid),
    (key(b"urn"), urn::urn),
    (key(b"tel"), tel::tel),
    (key(b"ws"), |c| http::socket(c, Rule::WsUri)),
    (key(b"wss"), |c| http::socket(c, Rule::WssUri)),
    // RFC 4516. The host may be empty.
    (key(b"ldap"), |c| hier_part(c, host::named_or_empty)),
    (key(b"imap"), internet),
    (key(b"irc"), internet),
    (key(b"git"), internet),
    (key(b"ssh"), internet),
    (key(b"svn"), internet),
    (key(b"rsync"), internet),
    (key(b"nfs"), internet),
    (key(b"xmpp"), internet),
];

// scheme        = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
#[inline]
fn scheme(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    const SCHEME: ByteClass = ALPHANUM.or(ByteClass::of(b"+-."));
    // Fast path: nearly all schemes begin so.
    if c.rest().starts_with(b"http") {
        c.jump(c.pos() + 4);
    } else if !c.peek().is_some_and(|byte| ALPHA.has(byte)) {
        return Err(c.fault(Rule::Scheme));
    }
    c.plain(&SCHEME);
    Ok(())
}

// URI           = scheme ":" hier-part [ "?" query ] [ "#" fragment ]
// hier-part     = "//" authority path-abempty
//               / path-absolute
//               / path-rootless
//               / path-empty
pub(super) fn generic(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    hier_part(c, host::any)
}

/// RFC 3986. After `//` the host rule for named schemes applies.
fn internet(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    hier_part(c, host::named)
}

// path-absolute = "/" [ segment-nz *( "/" segment ) ]
// path-rootless = segment-nz *( "/" segment )
// segment-nz    = 1*pchar
//
// A text that does not begin with `//` matches one of the last three
// alternatives. Its segments need no check: an empty first segment after a
// slash would make `//`.
fn hier_part(c: &mut Cursor<'_>, hostport: host::Hostport) -> Result<(), Refusal> {
    if c.rest().starts_with(b"//") {
        c.jump(c.pos() + 2);
        host::authority(c, hostport)?;
        c.path_of(Kind::Generic);
    } else {
        c.opaque(Kind::Generic);
    }
    path_and_query(c)
}

// path-abempty [ "?" query ]
#[inline]
fn path_and_query(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.run(&Path, Rule::Segment)?;
    c.path_ends();
    if !c.eat(b'?') {
        return c.end(Rule::Segment);
    }
    c.run(&Query, Rule::Query)?;
    c.end(Rule::Query)
}

/// Fails unless a path, a query, a fragment or the end follows the authority.
/// `last` is the production that was read last.
#[inline]
fn after(c: &Cursor<'_>, last: Rule) -> Result<Rule, Refusal> {
    match c.peek() {
        None | Some(b'/' | b'?' | b'#') => Ok(last),
        Some(_) => Err(c.fault(last)),
    }
}
