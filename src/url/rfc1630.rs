//! draft-www-uri-00 (March 1994), which became RFC 1630: the differences from
//! url-03.
//!
//! The draft has two BNFs. This is the second, "BNF for specific URL schemes",
//! with its `generic` (docs/profiles.md, ruling 10). The RFC later changed some
//! rules: ftptype, gcommand, user and password of `alphanum2`, and no `:` and
//! `;` in `extra`. The draft decides here, because the profile has its name.

use super::class::{ALPHANUM, ByteClass};
use super::cursor::Cursor;
use super::draft00::{
    Xalphas, before_at_sign, generic, gopher, hostport, http, news, optional_search, scheme,
    slash_path, wais_database,
};
use super::draft03::{EXTRA, afs, ftp, mailto, nntp, prospero_hsoname, telnet};
use super::iri::Beyond;
use super::parts::Kind;
use super::profile::{Document, RuleFn, SchemeKey};
use super::reject::{Refusal, Rule};

/// The characters of www-uri-00.
enum WwwUri00 {}

// safe          $ | - | _ | @ | . | & | + | -
//
// The draft lists `-` twice.
const SAFE: ByteClass = ByteClass::of(b"$-_@.&+");
// xalpha        alpha | digit | safe | extra | escape
const XALPHA: ByteClass = ALPHANUM.or(SAFE).or(EXTRA);
// xpalpha       xalpha | +
const XPALPHA: ByteClass = XALPHA.or(ByteClass::of(b"+"));

impl Xalphas for WwwUri00 {
    const XALPHA: &'static ByteClass = &XALPHA;
    const NO_COLON: &'static ByteClass = &XALPHA.minus(b":");
    const IN_HOST: &'static ByteClass = &XALPHA.minus(b"@:");
    // path          void | segment [ / path ]
    // segment       xpalphas
    const PATH: &'static ByteClass = &XPALPHA.or(ByteClass::of(b"/"));
    const PATH_RULE: Rule = Rule::Segment;

    fn hostport(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        hostport::<WwwUri00>(c)
    }
}

/// The profile `www-uri-00`.
pub(super) const DOCUMENT: Document = Document {
    scheme: scheme::<WwwUri00>,
    schemes: SCHEMES,
    generic: generic::<WwwUri00>,
    // fragmentid    xalphas
    // "A void fragment-id with or without the hash sign means that the URL
    // refers to the whole object."
    fragment: (&XALPHA, Rule::Fragmentid),
    beyond: Beyond::Refused,
    void_fragment: true,
    // "Substrings consisting of single or double dots … are similarly reserved"
    // (Hierarchical forms). So `%2E` is not a dot.
    decodable: &ALPHANUM.or(ByteClass::of(b"-_")),
    gives: &[
        Rule::Scheme,
        Rule::Segment,
        Rule::Search,
        Rule::Fragmentid,
        Rule::Host,
        Rule::Hostname,
        Rule::Hostnumber,
        Rule::Port,
        Rule::User,
        Rule::Password,
        Rule::Httpaddress,
        Rule::Ftpaddress,
        Rule::Afsaddress,
        Rule::Groupart,
        Rule::Group,
        Rule::Article,
        Rule::Nntpaddress,
        Rule::Mailtoaddress,
        Rule::AddrSpec,
        Rule::ContentIdentifier,
        Rule::Waisaddress,
        Rule::Waisdoc,
        Rule::Database,
        Rule::Wtype,
        Rule::Digits,
        Rule::Prosperolink,
        Rule::Version,
        Rule::Attribute,
        Rule::Telnetaddress,
        Rule::Gopheraddress,
        Rule::Gtype,
        Rule::Selector,
    ],
};

// url           generic | httpaddress | ftpaddress | newsaddress |
//               nntpaddress | prosperoaddress | telnetaddress |
//               gopheraddress | waisaddress | mailtoaddress |
//               midaddress | cidaddress
const SCHEMES: &[(SchemeKey, RuleFn)] = &[
    (SchemeKey::of(b"http"), http::<WwwUri00>),
    (SchemeKey::of(b"ftp"), ftp::<WwwUri00>),
    (SchemeKey::of(b"news"), news::<WwwUri00>),
    (SchemeKey::of(b"nntp"), nntp::<WwwUri00>),
    (SchemeKey::of(b"prospero"), prospero),
    (SchemeKey::of(b"telnet"), telnet::<WwwUri00>),
    (SchemeKey::of(b"gopher"), gopher::<WwwUri00>),
    (SchemeKey::of(b"wais"), wais),
    (SchemeKey::of(b"mailto"), mailto::<WwwUri00>),
    (SchemeKey::of(b"mid"), mid),
    (SchemeKey::of(b"cid"), cid),
    (SchemeKey::of(b"afs"), afs),
];

// midaddress    m i d : addr-spec
fn mid(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Mid);
    identifier(c, Rule::AddrSpec)
}

// cidaddress    c i d : content-identifier
fn cid(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Cid);
    identifier(c, Rule::ContentIdentifier)
}

// The document defines neither production, and addr-spec is that of RFC 822.
// Both are read as `xalphas @ xalphas`, split at the last `@`. Characters that
// are not xalphas must be escaped (docs/profiles.md, "Schemes").
fn identifier(c: &mut Cursor<'_>, rule: Rule) -> Result<(), Refusal> {
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
    wais_database::<WwwUri00>(c, Kind::Wais)?;
    if c.eat(b'/') {
        c.run1(&XALPHA, Rule::Wtype)?;
        let rule = if c.at_end() {
            Rule::Waisdoc
        } else {
            Rule::Wtype
        };
        return slash_path::<WwwUri00>(c, rule);
    }
    c.path_ends();
    optional_search::<WwwUri00>(c, Rule::Database)
}

// prosperolink  p r o s p e r o : / / hostport / hsoname [ % 0 0 version [ attributes ] ]
// version       digits
// attributes    attribute [ attributes ]
// attribute     alphanums
fn prospero(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    prospero_hsoname::<WwwUri00>(c)?;
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
