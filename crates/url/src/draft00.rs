//! draft-ietf-uri-url-00 (1993), "BNF syntax", in its order.
//!
//! Later documents took over some rules unchanged. The structure is here, and the
//! document provides the characters, as an [`Early`].
//!
//! Our copy of the draft is damaged. It is read as follows (docs/profiles.md,
//! rulings 5, 8 and 9). The second half of the BNF lost its `|`. `\$` and `\_`
//! are Markdown. `xpalphas xalpha +` and `xpalphas xpalphas [ xpalphas ]` are
//! `xpalpha = xalpha | +` and `xpalphas = xpalpha [ xpalphas ]`. `wais: index`
//! is `waisindex`. Gopher's `[ / selector ]` is `[ selector ]`.
//! `path = void | xpalphas [ / path ]` is `( void | xpalphas ) [ / path ]`. `%`
//! is listed as a plain xalpha, but it only starts an escape.

use super::beyond::Beyond;
use super::class::{ALPHA, ALPHANUM, ByteClass, DIGIT};
use super::document::{Cursor, Document, Early, Late, RuleFn};
use super::parts::{HostKind, Kind};
use super::reject::{Refusal, Rule};
use urlgrep_base::names::key;

// xalpha        alpha | $ | - | _ | @ | ! | % | ^ | & | * | ( | ) | . | digit
const XALPHA: ByteClass = ALPHANUM.or(ByteClass::of(b"$-_@!^&*()."));
// xpalpha       xalpha | +
const XPALPHA: ByteClass = XALPHA.or(ByteClass::of(b"+"));

/// The profile `url-00`.
pub(super) const DOCUMENT: Document = Document {
    scheme,
    schemes: &[SCHEMES],
    generic,
    // anchorid      xalphas
    // "If the anchor-id is void, the hash sign may be omitted".
    fragment: (&XALPHA, Rule::Anchorid),
    beyond: Beyond::Refused,
    void_fragment: true,
    // "Certain path elements ("..", ".") have a significance reserved for
    // representing a hierarchical space" (Partial form). So `%2E` is not a dot.
    decodable: &ALPHANUM.or(ByteClass::of(b"-_")),
    early: Early {
        user: true,
        ..Early::new(XALPHA, XALPHA, Rule::Path)
    },
    // Not used.
    late: Late::new(XALPHA, XALPHA, [host; 3]),
};

// docaddress    generic | httpaddress | fileaddress | newsaddress |
//               prosperoaddress | telnetaddress | gopheraddress |
//               waisaddress | afsaddress
pub(super) const SCHEMES: &[(u64, RuleFn)] = &[
    (key(b"http"), http),
    (key(b"ftp"), ftp),
    (key(b"news"), news),
    (key(b"prospero"), prospero),
    (key(b"telnet"), telnet),
    (key(b"gopher"), gopher),
    (key(b"wais"), wais),
    (key(b"afs"), afs),
];

// scheme        ialpha
//
// The scheme ends at the first colon (docs/profiles.md, ruling 1), although a
// colon is an xalpha from -03 on.
fn scheme(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    ialpha(c, &c.document.early.no_colon, Rule::Scheme, Rule::Scheme)
}

// generic       scheme : path [ ? search ]
fn generic(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Generic);
    c.run(&c.document.early.path, c.document.early.path_rule)?;
    c.path_ends();
    optional_search(c, c.document.early.path_rule)
}

// httpaddress   h t t p : / / hostport [ / path ] [ ? search ]
fn http(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Httpaddress)?;
    let mut last = hostport(c)?;
    c.path_of(Kind::Http);
    if c.peek() == Some(b'/') {
        c.run(&c.document.early.path, c.document.early.path_rule)?;
        last = c.document.early.path_rule;
    }
    c.path_ends();
    optional_search(c, last)
}

// fileaddress   f t p : / / host / path
//
// The BNF has no port, although the prose ("FTP") has one. The BNF decides.
fn ftp(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Fileaddress)?;
    user(c)?;
    let last = host(c)?;
    c.path_of(Kind::Ftp);
    slash_path(c, c.after_host(last, Rule::Fileaddress))
}

// afsaddress    a f s : / / cellname / path
// cellname      hostname
fn afs(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Afsaddress)?;
    let start = c.pos();
    hostname(c)?;
    let last = c.host_is(start, HostKind::Name, Rule::Hostname);
    c.path_of(Kind::Afs);
    slash_path(c, c.after_host(last, Rule::Afsaddress))
}

// newsaddress   n e w s : groupart
// groupart      * | group | article
// group         ialpha [ . group ]
// article       xalphas @ host
//
// "A message identifier may be distinguished from a news group name by the
// presence of the commercial "@" character" (News). A dot is an xalpha, so
// `ialpha [ . group ]` is the same as ialpha.
fn news(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::News);
    if let Some(at) = c.last_at_sign(b"") {
        before_at_sign(c, at, &c.document.early.xalpha, Rule::Article)?;
        // This host is not a server. It is part of the name.
        let mut name = c.fork();
        let last = host(&mut name)?;
        c.jump(name.pos());
        c.end(last)
    } else if c.eat(b'*') {
        c.end(Rule::Groupart)
    } else {
        ialpha(c, &c.document.early.xalpha, Rule::Groupart, Rule::Group)?;
        c.end(Rule::Group)
    }
}

// waisaddress   waisindex | waisdoc
// waisindex     w a i s : / / hostport / database [ ? search ]
// waisdoc       w a i s : / / hostport / database / wtype / digits / path
fn wais(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    wais_database(c, Kind::WaisLength)?;
    if c.eat(b'/') {
        c.run1(&c.document.early.xalpha, Rule::Wtype)?;
        c.slash(Rule::Wtype, Rule::Waisdoc)?;
        c.digits(Rule::Digits)?;
        let rule = if c.at_end() {
            Rule::Waisdoc
        } else {
            Rule::Digits
        };
        return slash_path(c, rule);
    }
    c.path_ends();
    optional_search(c, Rule::Database)
}

// w a i s : / / hostport / database
// database      xalphas
pub(super) fn wais_database(c: &mut Cursor<'_>, kind: Kind) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Waisaddress)?;
    let last = hostport(c)?;
    c.path_of(kind);
    c.expect(b"/", c.after_host(last, Rule::Waisaddress))?;
    c.run1(&c.document.early.xalpha, Rule::Database)?;
    Ok(())
}

// prosperoaddress  p r o s p e r o : / / path
//
// "The host and port parts are used" (Prospero). So the first segment is the
// host. It has no port, because a colon is not an xpalpha.
fn prospero(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Prosperoaddress)?;
    let start = c.pos();
    let mut number = c.fork();
    c.run(&XPALPHA, Rule::Path)?;
    let is_number = hostnumber(&mut number).is_ok() && number.pos() == c.pos();
    let kind = if is_number {
        HostKind::Ipv4
    } else {
        HostKind::Name
    };
    c.host_is(start, kind, Rule::Path);
    c.path_of(Kind::ProsperoPath);
    c.run(&c.document.early.path, Rule::Path)?;
    c.end(Rule::Path)
}

// telnetaddress  t e l n e t : / / [ user @ ] hostport
fn telnet(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Telnetaddress)?;
    let last = hostport(c)?;
    c.path_of(Kind::Telnet);
    c.end(c.after_host(last, Rule::Telnetaddress))
}

// gopheraddress  g o p h e r : / / hostport [/ gtype [ selector ] ] [ ? search ]
// gtype         xalpha
// selector      path
fn gopher(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Gopheraddress)?;
    let mut last = hostport(c)?;
    c.path_of(Kind::GopherQuery);
    if c.eat(b'/') {
        c.one(&c.document.early.xalpha, Rule::Gtype)?;
        c.run(&c.document.early.path, Rule::Selector)?;
        last = Rule::Selector;
    }
    c.path_ends();
    optional_search(c, last)
}

// hostport      host [ : port ]
// port          digits
//
// "An optional user name … followed by a commercial at sign" (Internet
// protocol parts) may precede each host of url-00. The BNF has it only for
// telnet (docs/profiles.md, "Hosts and logins", ruling).
pub(super) fn hostport(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    if c.document.early.user {
        user(c)?;
    }
    let mut last = host(c)?;
    if c.eat(b':') {
        c.digits(Rule::Port)?;
        last = Rule::Port;
    }
    Ok(last)
}

// host          hostname | hostnumber
fn host(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let start = c.pos();
    if c.peek().is_some_and(|byte| DIGIT.has(byte)) {
        hostnumber(c)?;
        return Ok(c.host_is(start, HostKind::Ipv4, Rule::Hostnumber));
    }
    if !c.peek().is_some_and(|byte| ALPHA.has(byte)) {
        return Err(c.no_host(Rule::Hostname));
    }
    hostname(c)?;
    Ok(c.host_is(start, HostKind::Name, Rule::Hostname))
}

// hostname      ialpha [ . hostname ]
//
// The dot is also an xalpha.
pub(super) fn hostname(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    if !c.peek().is_some_and(|byte| ALPHA.has(byte)) {
        return Err(c.fault(Rule::Hostname));
    }
    c.run(&c.document.early.in_host, Rule::Hostname)
}

// hostnumber    digits . digits . digits . digits
//
// The numbers may have any value (docs/profiles.md, ruling 6).
pub(super) fn hostnumber(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.digits(Rule::Hostnumber)?;
    for _ in 0..3 {
        c.expect(b".", Rule::Hostnumber)?;
        c.digits(Rule::Hostnumber)?;
    }
    Ok(())
}

// / path
// path          void | xpalphas [ / path ]
//
// `rule` is the production without the slash.
pub(super) fn slash_path(c: &mut Cursor<'_>, rule: Rule) -> Result<(), Refusal> {
    c.expect(b"/", rule)?;
    c.run(&c.document.early.path, c.document.early.path_rule)?;
    c.end(c.document.early.path_rule)
}

// [ ? search ]
// search        xalphas [ + search ]
pub(super) fn optional_search(c: &mut Cursor<'_>, last: Rule) -> Result<(), Refusal> {
    if !c.eat(b'?') {
        return c.end(last);
    }
    c.run1(&c.document.early.xalpha, Rule::Search)?;
    while c.eat(b'+') {
        c.run1(&c.document.early.xalpha, Rule::Search)?;
    }
    c.end(Rule::Search)
}

// [ user @ ]
// user          xalphas
//
// An xalpha may be an `@`. So the last `@` before the path ends the user name.
fn user(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    let Some(at) = c.last_at_sign(b"/?") else {
        return Ok(());
    };
    before_at_sign(c, at, &XALPHA, Rule::User)?;
    // The cast is safe, because an offset in the text fits in a u32.
    c.user_is(at as u32);
    Ok(())
}

// xalphas @
pub(super) fn before_at_sign(
    c: &mut Cursor<'_>,
    at: usize,
    class: &ByteClass,
    rule: Rule,
) -> Result<(), Refusal> {
    let mut part = c.up_to(at);
    part.run1(class, rule)?;
    part.exhausted(rule)?;
    c.jump(at + 1);
    Ok(())
}

// ialpha        alpha [ xalphas ]
fn ialpha(c: &mut Cursor<'_>, xalpha: &ByteClass, first: Rule, rest: Rule) -> Result<(), Refusal> {
    if !c.peek().is_some_and(|byte| ALPHA.has(byte)) {
        return Err(c.fault(first));
    }
    c.run(xalpha, rest)
}
