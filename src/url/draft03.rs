//! draft-ietf-uri-url-03 (October 1993, March 1994), "BNF syntax": the
//! differences from url-00.
//!
//! Our copy comes from a web page that lost some names (`generic`, `groupart`,
//! `digit`, `void`) and the ends of two lines. These ends are `search ]` of
//! waisindex, and `digits / path` of waisdoc. The prose mentions the length,
//! which is `digits`. The names and ends are restored from www-uri-00 and
//! url-00. `xpalpha [ xpalpha ]` is read as `xpalpha [ xpalphas ]`. The doubled
//! colon of `mailto` is a misprint (docs/profiles.md, ruling 9 and "Schemes").

use super::class::{ALPHA, ALPHANUM, ByteClass, DIGIT};
use super::cursor::Cursor;
use super::draft00::{
    Xalphas, before_at_sign, generic, gopher, hostname, hostport, http, news, scheme, slash_path,
    wais,
};
use super::iri::Beyond;
use super::parts::Kind;
use super::profile::{Document, RuleFn, SchemeKey};
use super::reject::{Refusal, Rule};

/// The characters of url-03.
enum Draft03 {}

// safe          $ | - | _ | @ | . | &
const SAFE: ByteClass = ByteClass::of(b"$-_@.&");
// extra         ! | * | " | ' | ( | ) | : | ; | , | space
//
// The space is never part of a URL here: extraction has removed spaces
// (docs/profiles.md, ruling 4).
pub(super) const EXTRA: ByteClass = ByteClass::of(b"!*\"'():;,");
// xalpha        alpha | digit | safe | extra | escape
const XALPHA: ByteClass = ALPHA.or(DIGIT).or(SAFE).or(EXTRA);
// xpalpha       xalpha | +
const XPALPHA: ByteClass = XALPHA.or(ByteClass::of(b"+"));

impl Xalphas for Draft03 {
    const XALPHA: &'static ByteClass = &XALPHA;
    const NO_COLON: &'static ByteClass = &XALPHA.minus(b":");
    const IN_HOST: &'static ByteClass = &XALPHA.minus(b"@:");
    const PATH: &'static ByteClass = &XPALPHA.or(ByteClass::of(b"/"));
    const PATH_RULE: Rule = Rule::Path;

    fn hostport(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        hostport::<Draft03>(c)
    }
}

/// The profile `url-03`.
pub(super) const DOCUMENT: Document = Document {
    scheme: scheme::<Draft03>,
    schemes: SCHEMES,
    generic: generic::<Draft03>,
    // fragmentid    xalphas
    // "A void fragment-id with or without the hash sign means that the URL
    // refers to the whole object."
    fragment: (&XALPHA, Rule::Fragmentid),
    beyond: Beyond::Refused,
    void_fragment: true,
    // "Certain path elements ("..", ".") have a significance reserved for
    // representing a hierarchical space" (Partial form). So `%2E` is not a dot.
    decodable: &ALPHANUM.or(ByteClass::of(b"-_")),
    gives: &[
        Rule::Scheme,
        Rule::Path,
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
//               gopheraddress | waisaddress | mailtoaddress
const SCHEMES: &[(SchemeKey, RuleFn)] = &[
    (SchemeKey::of(b"http"), http::<Draft03>),
    (SchemeKey::of(b"ftp"), ftp::<Draft03>),
    (SchemeKey::of(b"news"), news::<Draft03>),
    (SchemeKey::of(b"nntp"), nntp::<Draft03>),
    (SchemeKey::of(b"prospero"), prospero),
    (SchemeKey::of(b"telnet"), telnet::<Draft03>),
    (SchemeKey::of(b"gopher"), gopher::<Draft03>),
    (SchemeKey::of(b"wais"), wais::<Draft03>),
    (SchemeKey::of(b"mailto"), mailto::<Draft03>),
    (SchemeKey::of(b"afs"), afs),
];

// ftpaddress    f t p : / / login / path
pub(super) fn ftp<D: Xalphas>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Ftpaddress)?;
    let last = login::<D>(c)?;
    c.path_of(Kind::Ftp);
    slash_path::<D>(c, c.after_host(last, Rule::Ftpaddress))
}

// afsaddress    a f s : / / cellname / path
//
// "The "afsaddress" is left in as historical note, but is not a url". The colon
// completes the scheme afs, so the fault is at the colon.
pub(super) fn afs(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    Err(Refusal {
        rule: Rule::Afsaddress,
        at: c.mark().saturating_sub(1),
    })
}

// nntpaddress   n n t p : group / digits
// group         ialpha [ . group ]
pub(super) fn nntp<D: Xalphas>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Nntp);
    if !c.peek().is_some_and(|byte| ALPHA.has(byte)) {
        return Err(c.fault(Rule::Group));
    }
    c.run(D::XALPHA, Rule::Group)?;
    c.slash(Rule::Group, Rule::Nntpaddress)?;
    c.digits(Rule::Digits)?;
    c.end(Rule::Digits)
}

// mailtoaddress  m a i l t o : xalphas @ hostname
//
// An xalpha may be an `@`. So the last `@` counts.
pub(super) fn mailto<D: Xalphas>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Mailto);
    let Some(at) = c.last_at_sign(b"") else {
        c.run(D::XALPHA, Rule::Mailtoaddress)?;
        return Err(c.fault(Rule::Mailtoaddress));
    };
    before_at_sign(c, at, D::XALPHA, Rule::Mailtoaddress)?;
    hostname::<D>(c)?;
    c.end(Rule::Hostname)
}

// prosperolink  p r o s p e r o : / / hostport / hsoname [ % 0 0 version [ attributes ] ]
// version       digits
// attributes    attribute [ attributes ]
// attribute     alphanums
//
// "Separated from the host specific object name and from each other by the
// characters "%00" … the version number must be present, but may be the empty
// string (i.e. the first attribute would be separated from the host specific
// name by "%00%00")": [digits] [alphanums] *[ %00 alphanums ].
fn prospero(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    prospero_hsoname::<Draft03>(c)?;
    if c.at_escape(b"%00") {
        c.expect(b"%00", Rule::Version)?;
        let mut rule = Rule::Version;
        c.plain(&DIGIT);
        if c.plain(&ALPHANUM) > 0 {
            rule = Rule::Attribute;
        }
        while c.at_escape(b"%00") {
            c.expect(b"%00", Rule::Attribute)?;
            c.plain1(&ALPHANUM, Rule::Attribute)?;
            rule = Rule::Attribute;
        }
        c.end(rule)?;
    }
    Ok(())
}

// p r o s p e r o : / / hostport / hsoname
// hsoname       path
//
// `%00` is also a valid escape. The first one starts the version.
pub(super) fn prospero_hsoname<D: Xalphas>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Prosperolink)?;
    let last = hostport::<D>(c)?;
    c.path_of(Kind::ProsperoVersion);
    c.expect(b"/", c.after_host(last, Rule::Prosperolink))?;
    c.run_to(b"%00", D::PATH, D::PATH_RULE)?;
    if c.peek() != Some(b'%') {
        c.end(D::PATH_RULE)?;
    }
    Ok(())
}

// telnetaddress  t e l n e t : / / login
pub(super) fn telnet<D: Xalphas>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Telnetaddress)?;
    let last = login::<D>(c)?;
    c.path_of(Kind::Telnet);
    c.end(c.after_host(last, Rule::Telnetaddress))
}

// login         [ user [ : password ] @ ] hostport
// user          xalphas
// password      xalphas
//
// Both `@` and `:` are xalphas. The last `@` before the path ends the login
// name. The first colon before that `@` starts the password.
fn login<D: Xalphas>(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let Some(at) = c.last_at_sign(b"/?") else {
        return hostport::<D>(c);
    };
    let mut part = c.up_to(at);
    part.run1(D::NO_COLON, Rule::User)?;
    c.user_is(part.mark());
    if part.eat(b':') {
        part.run1(D::XALPHA, Rule::Password)?;
        part.exhausted(Rule::Password)?;
    }
    part.exhausted(Rule::User)?;
    c.jump(at + 1);
    hostport::<D>(c)
}
