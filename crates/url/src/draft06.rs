//! draft-ietf-uri-url-06 (August 1994), section 5, in its order.
//!
//! The BNF is new. Little of url-03 is left except its names. RFC 1738 took
//! over some rules unchanged. The structure is here, and the document provides
//! the characters and the host, as a [`Late`].

use super::class::{ALPHA, ALPHANUM, ByteClass, DIGIT};
use super::document::{Cursor, Document, Late, RuleFn};
use super::draft00::{self, hostnumber};
use super::parts::{HostKind, Kind};
use super::reject::{Refusal, Rule};
use urlgrep_base::names::key;

// safe           = "$" | "-" | "_" | "." | "+"
const SAFE: ByteClass = ByteClass::of(b"$-_.+");
// extra          = "!" | "*" | "'" | "(" | ")" | "," | "="
const EXTRA: ByteClass = ByteClass::of(b"!*'(),=");
// national       = "{" | "}" | "|" | "\" | "^" | "~" | "[" | "]"
const NATIONAL: ByteClass = ByteClass::of(b"{}|\\^~[]");
// unreserved     = alpha | digit | safe | extra | national
const UNRESERVED: ByteClass = ALPHANUM.or(SAFE).or(EXTRA).or(NATIONAL);
// uchar          = unreserved | escape
const UCHAR: ByteClass = UNRESERVED;
// group          = alpha *[ alpha | digit | "-" | "." ]
const GROUP: ByteClass = ALPHANUM.or(ByteClass::of(b"-."));

const LATE: Late = Late::new(UCHAR, GROUP, [host, hostport, login]);

/// The profile `url-06`.
pub(super) const DOCUMENT: Document = Document {
    scheme,
    schemes: &[SCHEMES],
    generic: other,
    // The draft has no BNF for the fragment: "the identifier would be placed
    // within the brackets as well" (Appendix). RFC 1808 2.2 has the characters
    // of xchar.
    fragment: (&LATE.xchar, Rule::Fragment),
    void_fragment: false,
    decodable: &ALPHANUM.or(ByteClass::of(b"-._~")),
    late: Late {
        // `=` is a uchar here, so a fieldname may contain it. Yet the first `=`
        // is taken as the delimiter.
        fieldname: LATE.fieldname.minus(b"="),
        ..LATE
    },
    ..draft00::DOCUMENT
};

// url            = httpurl | ftpurl | newsurl | nntpurl | telneturl |
//                  gopherurl | waisurl | mailtourl | fileurl |
//                  prosperourl | otherurl
pub(super) const SCHEMES: &[(u64, RuleFn)] = &[
    (key(b"http"), http),
    (key(b"ftp"), ftp),
    (key(b"news"), news),
    (key(b"mailto"), mailto),
    (key(b"file"), file),
    (key(b"gopher"), gopher),
    (key(b"telnet"), telnet),
    (key(b"nntp"), nntp),
    (key(b"wais"), wais),
    (key(b"prospero"), prospero),
];

// otherurl       = scheme ":" schemepart
// schemepart     = *xchar
fn other(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Generic);
    c.run(&c.document.late.xchar, Rule::Schemepart)?;
    c.end(Rule::Schemepart)
}

// scheme         = 1*[ lowalpha | digit | "+" | "-" | "." ]
//
// "Programs interpreting URLs should allow upper case letters" (2.1).
fn scheme(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    const SCHEME: ByteClass = ALPHANUM.or(ByteClass::of(b"+-."));
    c.plain1(&SCHEME, Rule::Scheme)
}

// login          = [ user [ ":" password ] "@" ] hostport
//
// Neither a user name nor a password contains `@` or `:`. Both may be empty.
pub(super) fn login(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let Some(at) = c.first_at_sign(b"/") else {
        return (c.document.late.hostport)(c);
    };
    let mut part = c.up_to(at);
    part.run(&c.document.late.user, Rule::User)?;
    c.user_is(part.mark());
    if part.eat(b':') {
        part.run(&c.document.late.user, Rule::Password)?;
        part.exhausted(Rule::Password)?;
    }
    part.exhausted(Rule::User)?;
    c.jump(at + 1);
    (c.document.late.hostport)(c)
}

// hostport       = host [ ":" port ]
// port           = digits
pub(super) fn hostport(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let mut last = (c.document.late.host)(c)?;
    if c.eat(b':') {
        c.digits(Rule::Port)?;
        last = Rule::Port;
    }
    Ok(last)
}

// ftpurl         = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
// ftptype        = "A" | "I" | "D" | "a" | "i" | "d"
pub(super) fn ftp(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    const FTPTYPE: ByteClass = ByteClass::of(b"AIDaid");
    c.expect(b"//", Rule::Ftpurl)?;
    let last = (c.document.late.login)(c)?;
    c.path_of(Kind::Ftp);
    if c.peek() != Some(b'/') {
        return c.end(c.after_host(last, Rule::Ftpurl));
    }
    c.run(&c.document.late.fpath, Rule::Fsegment)?;
    if c.eat(b';') {
        c.expect(b"type=", Rule::Ftpurl)?;
        if !c.peek().is_some_and(|byte| FTPTYPE.has(byte)) {
            return Err(c.fault(Rule::Ftptype));
        }
        c.jump(c.pos() + 1);
        c.end(Rule::Ftptype)?;
    }
    c.end(Rule::Fsegment)
}

// fileurl        = "file://" host [ "/" fpath ]
//
// "As a special case, <host> can be the string "localhost" or the empty string"
// (3.10). So the host may be empty.
fn file(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Fileurl)?;
    let last = optional_host(c)?;
    c.path_of(Kind::File);
    if c.peek() != Some(b'/') {
        return c.end(c.after_host(last, Rule::Fileurl));
    }
    c.run(&c.document.late.fpath, Rule::Fsegment)?;
    c.end(Rule::Fsegment)
}

// host           = hostname | hostnumber
// hostname       = alpha *uchar
fn host(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let start = c.pos();
    match c.peek() {
        Some(byte) if DIGIT.has(byte) => {
            hostnumber(c)?;
            Ok(c.host_is(start, HostKind::Ipv4, Rule::Hostnumber))
        }
        Some(byte) if ALPHA.has(byte) => {
            c.run(&UCHAR, Rule::Hostname)?;
            Ok(c.host_is(start, HostKind::Name, Rule::Hostname))
        }
        _ => Err(c.no_host(Rule::Hostname)),
    }
}

// [ host ] before a slash or the end
pub(super) fn optional_host(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    if c.at_end() || c.peek() == Some(b'/') {
        return Ok(c.empty_host());
    }
    (c.document.late.host)(c)
}

// httpurl        = "http://" hostport [ "/" hpath [ "?" search ]]
// hpath          = hsegment *[ "/" hsegment ]
fn http(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Httpurl)?;
    let last = (c.document.late.hostport)(c)?;
    c.path_of(Kind::Http);
    if c.peek() != Some(b'/') {
        return c.end(c.after_host(last, Rule::Httpurl));
    }
    c.run(&c.document.late.hpath, Rule::Hsegment)?;
    c.path_ends();
    optional_search(c, Rule::Hsegment)
}

// [ "?" search ]
fn optional_search(c: &mut Cursor<'_>, last: Rule) -> Result<(), Refusal> {
    if !c.eat(b'?') {
        return c.end(last);
    }
    c.run(&c.document.late.search, Rule::Search)?;
    c.end(Rule::Search)
}

// gopherurl      = "gopher://" hostport [ / [ gtype [ selector
//                  [ "%09" search [ "%09" gopher+_string ] ] ] ] ]
// gtype          = xchar
// selector       = *xchar
// gopher+_string = *xchar
//
// An escaped tab is also an xchar, so a selector matches the rest of the URL.
// Url::components finds the end of the selector.
pub(super) fn gopher(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Gopherurl)?;
    let last = (c.document.late.hostport)(c)?;
    c.path_of(Kind::GopherTab);
    if !c.eat(b'/') {
        return c.end(c.after_host(last, Rule::Gopherurl));
    }
    if !c.at_end() {
        c.one(&c.document.late.xchar, Rule::Gtype)?;
        c.run(&c.document.late.xchar, Rule::Selector)?;
        c.end(Rule::Selector)?;
    }
    Ok(())
}

// mailtourl      = "mailto:" encoded822addr
// encoded822addr = 1*xchar
fn mailto(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Mailto);
    c.run1(&c.document.late.xchar, Rule::Encoded822addr)?;
    c.end(Rule::Encoded822addr)
}

// newsurl        = "news:" grouppart
// grouppart      = "*" | group | article
// article        = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//
// "A message identifier may be distinguished from a news group name by the
// presence of the commercial at "@" character" (3.6).
fn news(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::News);
    if let Some(at) = c.first_at_sign(b"") {
        let mut part = c.up_to(at);
        part.run1(&c.document.late.article, Rule::Article)?;
        part.exhausted(Rule::Article)?;
        c.jump(at + 1);
        // This host is not a server. It is part of the name.
        let mut name = c.fork();
        let last = (c.document.late.host)(&mut name)?;
        c.jump(name.pos());
        c.end(last)
    } else if c.eat(b'*') {
        c.end(Rule::Grouppart)
    } else {
        group(c, Rule::Grouppart)?;
        c.end(Rule::Group)
    }
}

// group          = alpha *[ … ]
fn group(c: &mut Cursor<'_>, first: Rule) -> Result<(), Refusal> {
    if !c.peek().is_some_and(|byte| ALPHA.has(byte)) {
        return Err(c.fault(first));
    }
    c.plain(&c.document.late.group);
    Ok(())
}

// nntpurl        = "nntp://" hostport "/" group [ "/" digits ]
fn nntp(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Nntpurl)?;
    let last = (c.document.late.hostport)(c)?;
    c.path_of(Kind::Nntp);
    c.expect(b"/", c.after_host(last, Rule::Nntpurl))?;
    group(c, Rule::Group)?;
    if !c.eat(b'/') {
        return c.end(Rule::Group);
    }
    c.digits(Rule::Digits)?;
    c.end(Rule::Digits)
}

// telneturl      = "telnet://" login [ "/" ]
pub(super) fn telnet(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Telneturl)?;
    let last = (c.document.late.login)(c)?;
    c.path_of(Kind::Telnet);
    if c.eat(b'/') {
        return c.end(Rule::Telneturl);
    }
    c.end(c.after_host(last, Rule::Telneturl))
}

// waisurl        = waisdatabase | waisindex | waisdoc
// waisdatabase   = "wais://" hostport "/" database
// waisindex      = "wais://" hostport "/" database "?" search
// waisdoc        = "wais://" hostport "/" database "/" wtype "/" wpath
// database       = *uchar
// wtype          = *uchar
// wpath          = *uchar
pub(super) fn wais(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Waisurl)?;
    let last = (c.document.late.hostport)(c)?;
    c.path_of(Kind::Wais);
    c.expect(b"/", c.after_host(last, Rule::Waisurl))?;
    c.run(&c.document.late.uchar, Rule::Database)?;
    if c.eat(b'/') {
        c.run(&c.document.late.uchar, Rule::Wtype)?;
        c.slash(Rule::Wtype, Rule::Waisdoc)?;
        c.run(&c.document.late.uchar, Rule::Wpath)?;
        return c.end(Rule::Wpath);
    }
    c.path_ends();
    optional_search(c, Rule::Database)
}

// prosperourl    = "prospero://" hostport "/" ppath *[ fieldspec ]
// ppath          = psegment *[ "/" psegment ]
// fieldspec      = ";" fieldname "=" fieldvalue
pub(super) fn prospero(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Prosperourl)?;
    let last = (c.document.late.hostport)(c)?;
    c.path_of(Kind::ProsperoFields);
    c.expect(b"/", c.after_host(last, Rule::Prosperourl))?;
    c.run(&c.document.late.fpath, Rule::Psegment)?;
    let mut last = Rule::Psegment;
    while c.eat(b';') {
        c.run(&c.document.late.fieldname, Rule::Fieldname)?;
        if !c.eat(b'=') {
            let whole = c.at_end();
            return Err(c.fault(if whole {
                Rule::Fieldspec
            } else {
                Rule::Fieldname
            }));
        }
        c.run(&c.document.late.fieldvalue, Rule::Fieldvalue)?;
        last = Rule::Fieldvalue;
    }
    c.end(last)
}
