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
use super::document::{Cursor, Document, Early, RuleFn};
use super::draft00::{self, before_at_sign, hostname, hostport, slash_path};
use super::parts::Kind;
use super::reject::{Refusal, Rule};
use urlgrep_base::names::key;

// safe          $ | - | _ | @ | . | &
const SAFE: ByteClass = ByteClass::of(b"$-_@.&");
// extra         ! | * | " | ' | ( | ) | : | ; | , | space
//
// The space is never part of a URL here: extraction has removed spaces
// (docs/profiles.md, ruling 4).
pub(super) const EXTRA: ByteClass = ByteClass::of(b"!*\"'():;,");
// xalpha        alpha | digit | safe | extra | escape
const XALPHA: ByteClass = ALPHA.or(DIGIT).or(SAFE).or(EXTRA);

/// The profile `url-03`.
pub(super) const DOCUMENT: Document = Document {
    schemes: &[SCHEMES, draft00::SCHEMES],
    // fragmentid    xalphas
    // "A void fragment-id with or without the hash sign means that the URL
    // refers to the whole object."
    fragment: (&XALPHA, Rule::Fragmentid),
    early: Early::new(XALPHA, XALPHA.minus(b":"), Rule::Path),
    ..draft00::DOCUMENT
};

// url           generic | httpaddress | ftpaddress | newsaddress |
//               nntpaddress | prosperoaddress | telnetaddress |
//               gopheraddress | waisaddress | mailtoaddress
pub(super) const SCHEMES: &[(u64, RuleFn)] = &[
    (key(b"ftp"), ftp),
    (key(b"nntp"), nntp),
    (key(b"prospero"), prospero),
    (key(b"telnet"), telnet),
    (key(b"mailto"), mailto),
    (key(b"afs"), afs),
];

// ftpaddress    f t p : / / login / path
fn ftp(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Ftpaddress)?;
    let last = login(c)?;
    c.path_of(Kind::Ftp);
    slash_path(c, c.after_host(last, Rule::Ftpaddress))
}

// afsaddress    a f s : / / cellname / path
//
// "The "afsaddress" is left in as historical note, but is not a url". The colon
// completes the scheme afs, so the fault is at the colon.
fn afs(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    Err(Refusal {
        rule: Rule::Afsaddress,
        at: c.mark().saturating_sub(1),
    })
}

// nntpaddress   n n t p : group / digits
// group         ialpha [ . group ]
fn nntp(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Nntp);
    if !c.peek().is_some_and(|byte| ALPHA.has(byte)) {
        return Err(c.fault(Rule::Group));
    }
    c.run(&c.document.early.xalpha, Rule::Group)?;
    c.slash(Rule::Group, Rule::Nntpaddress)?;
    c.digits(Rule::Digits)?;
    c.end(Rule::Digits)
}

// mailtoaddress  m a i l t o : xalphas @ hostname
//
// An xalpha may be an `@`. So the last `@` counts.
fn mailto(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Mailto);
    let Some(at) = c.last_at_sign(b"") else {
        c.run(&c.document.early.xalpha, Rule::Mailtoaddress)?;
        return Err(c.fault(Rule::Mailtoaddress));
    };
    before_at_sign(c, at, &c.document.early.xalpha, Rule::Mailtoaddress)?;
    hostname(c)?;
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
    prospero_hsoname(c)?;
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
pub(super) fn prospero_hsoname(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Prosperolink)?;
    let last = hostport(c)?;
    c.path_of(Kind::ProsperoVersion);
    c.expect(b"/", c.after_host(last, Rule::Prosperolink))?;
    c.run_to(b"%00", &c.document.early.path, c.document.early.path_rule)?;
    if c.peek() != Some(b'%') {
        c.end(c.document.early.path_rule)?;
    }
    Ok(())
}

// telnetaddress  t e l n e t : / / login
fn telnet(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Telnetaddress)?;
    let last = login(c)?;
    c.path_of(Kind::Telnet);
    c.end(c.after_host(last, Rule::Telnetaddress))
}

// login         [ user [ : password ] @ ] hostport
// user          xalphas
// password      xalphas
//
// Both `@` and `:` are xalphas. The last `@` before the path ends the login
// name. The first colon before that `@` starts the password.
fn login(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let Some(at) = c.last_at_sign(b"/?") else {
        return hostport(c);
    };
    let mut part = c.up_to(at);
    part.run1(&c.document.early.no_colon, Rule::User)?;
    c.user_is(part.mark());
    if part.eat(b':') {
        part.run1(&c.document.early.xalpha, Rule::Password)?;
        part.exhausted(Rule::Password)?;
    }
    part.exhausted(Rule::User)?;
    c.jump(at + 1);
    hostport(c)
}
