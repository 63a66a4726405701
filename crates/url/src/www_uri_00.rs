//! draft-www-uri-00 (March 1994), which became RFC 1630: the differences from
//! url-03.
//!
//! The draft has two BNFs. This is the second, "BNF for specific URL schemes",
//! with its `generic` (docs/profiles.md, ruling 10). The RFC later changed some
//! rules: ftptype, gcommand, user and password of `alphanum2`, and no `:` and
//! `;` in `extra`. The draft decides here, because the profile has its name.

use super::class::{ALPHANUM, ByteClass};
use super::document::{Cursor, Document, Early, RuleFn};
use super::draft00::{self, before_at_sign, optional_search, slash_path, wais_database};
use super::draft03::{self, EXTRA, prospero_hsoname};
use super::parts::Kind;
use super::reject::{Refusal, Rule};
use urlgrep_base::names::key;

// safe          $ | - | _ | @ | . | & | + | -
//
// The draft lists `-` twice.
const SAFE: ByteClass = ByteClass::of(b"$-_@.&+");
// xalpha        alpha | digit | safe | extra | escape
const XALPHA: ByteClass = ALPHANUM.or(SAFE).or(EXTRA);

/// The profile `www-uri-00`.
pub(super) const DOCUMENT: Document = Document {
    schemes: &[SCHEMES, draft03::SCHEMES, draft00::SCHEMES],
    fragment: (&XALPHA, Rule::Fragmentid),
    // "Substrings consisting of single or double dots … are similarly reserved"
    // (Hierarchical forms). So `%2E` is not a dot, as in url-03.
    //
    // path          void | segment [ / path ]
    // segment       xpalphas
    early: Early::new(XALPHA, XALPHA.minus(b":"), Rule::Segment),
    ..draft03::DOCUMENT
};

// url           generic | httpaddress | ftpaddress | newsaddress |
//               nntpaddress | prosperoaddress | telnetaddress |
//               gopheraddress | waisaddress | mailtoaddress |
//               midaddress | cidaddress
const SCHEMES: &[(u64, RuleFn)] = &[
    (key(b"prospero"), prospero),
    (key(b"wais"), wais),
    // midaddress    m i d : addr-spec
    (key(b"mid"), |c| identifier(c, Kind::Mid, Rule::AddrSpec)),
    // cidaddress    c i d : content-identifier
    (key(b"cid"), |c| {
        identifier(c, Kind::Cid, Rule::ContentIdentifier)
    }),
];

// The document defines neither production, and addr-spec is that of RFC 822.
// Both are read as `xalphas @ xalphas`, split at the last `@`. Characters that
// are not xalphas must be escaped (docs/profiles.md, "Schemes").
fn identifier(c: &mut Cursor<'_>, kind: Kind, rule: Rule) -> Result<(), Refusal> {
    c.opaque(kind);
    let Some(at) = c.last_at_sign(b"") else {
        c.run(&XALPHA, rule)?;
        return Err(c.fault(rule));
    };
    before_at_sign(c, at, &XALPHA, rule)?;
    c.run1(&XALPHA, rule)?;
    c.end(rule)
}

// waisdoc       w a i s : / / hostport / database / wtype / path
fn wais(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    wais_database(c, Kind::Wais)?;
    if c.eat(b'/') {
        c.run1(&XALPHA, Rule::Wtype)?;
        let rule = if c.at_end() {
            Rule::Waisdoc
        } else {
            Rule::Wtype
        };
        return slash_path(c, rule);
    }
    c.path_ends();
    optional_search(c, Rule::Database)
}

// prosperolink  p r o s p e r o : / / hostport / hsoname [ % 0 0 version [ attributes ] ]
// version       digits
// attributes    attribute [ attributes ]
// attribute     alphanums
fn prospero(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    prospero_hsoname(c)?;
    if c.at_escape(b"%00") {
        c.expect(b"%00", Rule::Version)?;
        c.digits(Rule::Version)?;
        if c.plain(&ALPHANUM) > 0 {
            c.end(Rule::Attribute)?;
        }
        c.end(Rule::Version)?;
    }
    Ok(())
}
