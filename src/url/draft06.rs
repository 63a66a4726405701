//! draft-ietf-uri-url-06 (August 1994), section 5, in its order.
//!
//! The BNF is new. Little of url-03 is left except its names. RFC 1738 took
//! over some rules unchanged. These rules are generic over [`Uchars`]: the
//! structure is here, and the document provides the characters and the host.

use super::class::{ALPHA, ALPHANUM, ByteClass, DIGIT};
use super::cursor::Cursor;
use super::draft00::hostnumber;
use super::iri::Beyond;
use super::parts::{HostKind, Kind};
use super::profile::{Document, RuleFn, SchemeKey};
use super::reject::{Refusal, Rule};

/// The differences between the documents of this family: the characters and the
/// hosts.
pub(super) trait Uchars {
    /// `uchar` without escapes: a database, wtype or wpath.
    const UCHAR: &'static ByteClass;
    /// `xchar` without escapes.
    const XCHAR: &'static ByteClass;
    /// `uchar | ";" | ":" | "@" | "&" | "="`: an hsegment or a search.
    const SEARCH: &'static ByteClass;
    /// `uchar | "?" | ":" | "@" | "&" | "="`, and the slash between fsegments
    /// or psegments.
    const FPATH: &'static ByteClass;
    /// `uchar | "?" | ":" | "@" | "&"`, without `=`: a fieldname up to the
    /// first `=`.
    const FIELDNAME: &'static ByteClass;
    /// `uchar | "?" | ":" | "@" | "&"`: a fieldvalue.
    const FIELDVALUE: &'static ByteClass;
    /// `host [ ":" port ]`
    fn hostport(c: &mut Cursor<'_>) -> Result<Rule, Refusal>;
    /// `[ user [ ":" password ] "@" ] hostport`
    fn login(c: &mut Cursor<'_>) -> Result<Rule, Refusal>;
}

/// The sets for schemes that were replaced by RFCs after 1738.
pub(super) trait Schemes: Uchars {
    /// `uchar | ";" | "?" | "&" | "="`: a user name or password.
    const LOGIN: &'static ByteClass;
    /// [`Uchars::SEARCH`] and the slash between hsegments.
    const HPATH: &'static ByteClass;
    /// `uchar | ";" | "/" | "?" | ":" | "&" | "="`: before the `@` of an
    /// article.
    const ARTICLE: &'static ByteClass;
    /// The characters after the first letter of a group.
    const GROUP: &'static ByteClass;
    /// `host`
    fn host(c: &mut Cursor<'_>) -> Result<Rule, Refusal>;
}

/// The characters of url-06.
enum Draft06 {}

// safe           = "$" | "-" | "_" | "." | "+"
const SAFE: ByteClass = ByteClass::of(b"$-_.+");
// extra          = "!" | "*" | "'" | "(" | ")" | "," | "="
const EXTRA: ByteClass = ByteClass::of(b"!*'(),=");
// national       = "{" | "}" | "|" | "\" | "^" | "~" | "[" | "]"
const NATIONAL: ByteClass = ByteClass::of(b"{}|\\^~[]");
// reserved       = ";" | "/" | "?" | ":" | "@" | "&" | "="
const RESERVED: ByteClass = ByteClass::of(b";/?:@&=");
// unreserved     = alpha | digit | safe | extra | national
const UNRESERVED: ByteClass = ALPHANUM.or(SAFE).or(EXTRA).or(NATIONAL);
// uchar          = unreserved | escape
const UCHAR: ByteClass = UNRESERVED;
// xchar          = unreserved | reserved | escape
const XCHAR: ByteClass = UNRESERVED.or(RESERVED);
// hsegment       = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
// search         = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
const SEARCH: ByteClass = UCHAR.or(ByteClass::of(b";:@&="));
// fsegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
// psegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
const FSEGMENT: ByteClass = UCHAR.or(ByteClass::of(b"?:@&="));
// fieldname      = *[ uchar | "?" | ":" | "@" | "&" ]
// fieldvalue     = *[ uchar | "?" | ":" | "@" | "&" ]
const FIELD: ByteClass = UCHAR.or(ByteClass::of(b"?:@&"));

impl Uchars for Draft06 {
    const UCHAR: &'static ByteClass = &UCHAR;
    const XCHAR: &'static ByteClass = &XCHAR;
    const SEARCH: &'static ByteClass = &SEARCH;
    const FPATH: &'static ByteClass = &FSEGMENT.or(ByteClass::of(b"/"));
    // `=` is a uchar here, so a fieldname may contain it. Yet the first `=` is
    // taken as the delimiter.
    const FIELDNAME: &'static ByteClass = &FIELD.minus(b"=");
    const FIELDVALUE: &'static ByteClass = &FIELD;

    fn hostport(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        hostport::<Draft06>(c)
    }

    fn login(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        login::<Draft06>(c)
    }
}

impl Schemes for Draft06 {
    // user           = *[ uchar | ";" | "?" | "&" | "=" ]
    // password       = *[ uchar | ";" | "?" | "&" | "=" ]
    const LOGIN: &'static ByteClass = &UCHAR.or(ByteClass::of(b";?&="));
    const HPATH: &'static ByteClass = &SEARCH.or(ByteClass::of(b"/"));
    const ARTICLE: &'static ByteClass = &UCHAR.or(ByteClass::of(b";/?:&="));
    // group          = alpha *[ alpha | digit | "-" | "." ]
    const GROUP: &'static ByteClass = &ALPHANUM.or(ByteClass::of(b"-."));

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
}

/// The profile `url-06`.
pub(super) const DOCUMENT: Document = Document {
    scheme,
    schemes: SCHEMES,
    generic: other::<Draft06>,
    // The draft has no BNF for the fragment: "the identifier would be placed
    // within the brackets as well" (Appendix). RFC 1808 2.2 has the characters
    // of xchar.
    fragment: (&XCHAR, Rule::Fragment),
    beyond: Beyond::Refused,
    void_fragment: false,
    decodable: &ALPHANUM.or(ByteClass::of(b"-._~")),
    gives: RULES,
};

/// The rules that can fail in this family. They are the same in RFC 1738.
pub(super) const RULES: &[Rule] = &[
    Rule::Scheme,
    Rule::Schemepart,
    Rule::Fragment,
    Rule::Host,
    Rule::Hostname,
    Rule::Hostnumber,
    Rule::Port,
    Rule::User,
    Rule::Password,
    Rule::Ftpurl,
    Rule::Fsegment,
    Rule::Ftptype,
    Rule::Fileurl,
    Rule::Httpurl,
    Rule::Hsegment,
    Rule::Search,
    Rule::Gopherurl,
    Rule::Gtype,
    Rule::Selector,
    Rule::Encoded822addr,
    Rule::Grouppart,
    Rule::Group,
    Rule::Article,
    Rule::Nntpurl,
    Rule::Digits,
    Rule::Telneturl,
    Rule::Waisurl,
    Rule::Waisdoc,
    Rule::Database,
    Rule::Wtype,
    Rule::Wpath,
    Rule::Prosperourl,
    Rule::Psegment,
    Rule::Fieldspec,
    Rule::Fieldname,
    Rule::Fieldvalue,
];

// url            = httpurl | ftpurl | newsurl | nntpurl | telneturl |
//                  gopherurl | waisurl | mailtourl | fileurl |
//                  prosperourl | otherurl
const SCHEMES: &[(SchemeKey, RuleFn)] = &[
    (SchemeKey::of(b"http"), http::<Draft06>),
    (SchemeKey::of(b"ftp"), ftp::<Draft06>),
    (SchemeKey::of(b"news"), news::<Draft06>),
    (SchemeKey::of(b"mailto"), mailto::<Draft06>),
    (SchemeKey::of(b"file"), file),
    (SchemeKey::of(b"gopher"), gopher::<Draft06>),
    (SchemeKey::of(b"telnet"), telnet::<Draft06>),
    (SchemeKey::of(b"nntp"), nntp::<Draft06>),
    (SchemeKey::of(b"wais"), wais::<Draft06>),
    (SchemeKey::of(b"prospero"), prospero::<Draft06>),
];

// otherurl       = scheme ":" schemepart
// schemepart     = *xchar
pub(super) fn other<D: Uchars>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Generic);
    c.run(D::XCHAR, Rule::Schemepart)?;
    c.end(Rule::Schemepart)
}

// scheme         = 1*[ lowalpha | digit | "+" | "-" | "." ]
//
// "Programs interpreting URLs should allow upper case letters" (2.1).
pub(super) fn scheme(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    const SCHEME: ByteClass = ALPHANUM.or(ByteClass::of(b"+-."));
    c.plain1(&SCHEME, Rule::Scheme)
}

// login          = [ user [ ":" password ] "@" ] hostport
//
// Neither a user name nor a password contains `@` or `:`. Both may be empty.
pub(super) fn login<D: Schemes>(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let Some(at) = c.first_at_sign(b"/") else {
        return D::hostport(c);
    };
    let mut part = c.up_to(at);
    part.run(D::LOGIN, Rule::User)?;
    c.user_is(part.mark());
    if part.eat(b':') {
        part.run(D::LOGIN, Rule::Password)?;
        part.exhausted(Rule::Password)?;
    }
    part.exhausted(Rule::User)?;
    c.jump(at + 1);
    D::hostport(c)
}

// hostport       = host [ ":" port ]
// port           = digits
pub(super) fn hostport<D: Schemes>(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let mut last = D::host(c)?;
    if c.eat(b':') {
        c.digits(Rule::Port)?;
        last = Rule::Port;
    }
    Ok(last)
}

// ftpurl         = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
// ftptype        = "A" | "I" | "D" | "a" | "i" | "d"
pub(super) fn ftp<D: Uchars>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    const FTPTYPE: ByteClass = ByteClass::of(b"AIDaid");
    c.expect(b"//", Rule::Ftpurl)?;
    let last = D::login(c)?;
    c.path_of(Kind::Ftp);
    if c.peek() != Some(b'/') {
        return c.end(c.after_host(last, Rule::Ftpurl));
    }
    c.run(D::FPATH, Rule::Fsegment)?;
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
    let last = optional_host::<Draft06>(c)?;
    c.path_of(Kind::File);
    if c.peek() != Some(b'/') {
        return c.end(c.after_host(last, Rule::Fileurl));
    }
    c.run(Draft06::FPATH, Rule::Fsegment)?;
    c.end(Rule::Fsegment)
}

// [ host ] before a slash or the end
pub(super) fn optional_host<D: Schemes>(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    if c.at_end() || c.peek() == Some(b'/') {
        return Ok(c.empty_host());
    }
    D::host(c)
}

// httpurl        = "http://" hostport [ "/" hpath [ "?" search ]]
// hpath          = hsegment *[ "/" hsegment ]
pub(super) fn http<D: Schemes>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Httpurl)?;
    let last = D::hostport(c)?;
    c.path_of(Kind::Http);
    if c.peek() != Some(b'/') {
        return c.end(c.after_host(last, Rule::Httpurl));
    }
    c.run(D::HPATH, Rule::Hsegment)?;
    c.path_ends();
    optional_search::<D>(c, Rule::Hsegment)
}

// [ "?" search ]
fn optional_search<D: Uchars>(c: &mut Cursor<'_>, last: Rule) -> Result<(), Refusal> {
    if !c.eat(b'?') {
        return c.end(last);
    }
    c.run(D::SEARCH, Rule::Search)?;
    c.end(Rule::Search)
}

// gopherurl      = "gopher://" hostport [ / [ gtype [ selector
//                  [ "%09" search [ "%09" gopher+_string ] ] ] ] ]
// gtype          = xchar
// selector       = *xchar
// gopher+_string = *xchar
//
// An escaped tab is also an xchar, so a selector matches the rest of the URL.
// Url::parts finds the end of the selector.
pub(super) fn gopher<D: Uchars>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Gopherurl)?;
    let last = D::hostport(c)?;
    c.path_of(Kind::GopherTab);
    if !c.eat(b'/') {
        return c.end(c.after_host(last, Rule::Gopherurl));
    }
    if !c.at_end() {
        c.one(D::XCHAR, Rule::Gtype)?;
        c.run(D::XCHAR, Rule::Selector)?;
        c.end(Rule::Selector)?;
    }
    Ok(())
}

// mailtourl      = "mailto:" encoded822addr
// encoded822addr = 1*xchar
pub(super) fn mailto<D: Uchars>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Mailto);
    c.run1(D::XCHAR, Rule::Encoded822addr)?;
    c.end(Rule::Encoded822addr)
}

// newsurl        = "news:" grouppart
// grouppart      = "*" | group | article
// article        = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//
// "A message identifier may be distinguished from a news group name by the
// presence of the commercial at "@" character" (3.6).
pub(super) fn news<D: Schemes>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::News);
    if let Some(at) = c.first_at_sign(b"") {
        let mut part = c.up_to(at);
        part.run1(D::ARTICLE, Rule::Article)?;
        part.exhausted(Rule::Article)?;
        c.jump(at + 1);
        // This host is not a server. It is part of the name.
        let mut host = c.fork();
        let last = D::host(&mut host)?;
        c.jump(host.pos());
        c.end(last)
    } else if c.eat(b'*') {
        c.end(Rule::Grouppart)
    } else {
        group::<D>(c, Rule::Grouppart)?;
        c.end(Rule::Group)
    }
}

// group          = alpha *[ … ]
fn group<D: Schemes>(c: &mut Cursor<'_>, first: Rule) -> Result<(), Refusal> {
    if !c.peek().is_some_and(|byte| ALPHA.has(byte)) {
        return Err(c.fault(first));
    }
    c.plain(D::GROUP);
    Ok(())
}

// nntpurl        = "nntp://" hostport "/" group [ "/" digits ]
pub(super) fn nntp<D: Schemes>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Nntpurl)?;
    let last = D::hostport(c)?;
    c.path_of(Kind::Nntp);
    c.expect(b"/", c.after_host(last, Rule::Nntpurl))?;
    group::<D>(c, Rule::Group)?;
    if !c.eat(b'/') {
        return c.end(Rule::Group);
    }
    c.digits(Rule::Digits)?;
    c.end(Rule::Digits)
}

// telneturl      = "telnet://" login [ "/" ]
pub(super) fn telnet<D: Uchars>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Telneturl)?;
    let last = D::login(c)?;
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
pub(super) fn wais<D: Uchars>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Waisurl)?;
    let last = D::hostport(c)?;
    c.path_of(Kind::Wais);
    c.expect(b"/", c.after_host(last, Rule::Waisurl))?;
    c.run(D::UCHAR, Rule::Database)?;
    if c.eat(b'/') {
        c.run(D::UCHAR, Rule::Wtype)?;
        c.slash(Rule::Wtype, Rule::Waisdoc)?;
        c.run(D::UCHAR, Rule::Wpath)?;
        return c.end(Rule::Wpath);
    }
    c.path_ends();
    optional_search::<D>(c, Rule::Database)
}

// prosperourl    = "prospero://" hostport "/" ppath *[ fieldspec ]
// ppath          = psegment *[ "/" psegment ]
// fieldspec      = ";" fieldname "=" fieldvalue
pub(super) fn prospero<D: Uchars>(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Prosperourl)?;
    let last = D::hostport(c)?;
    c.path_of(Kind::ProsperoFields);
    c.expect(b"/", c.after_host(last, Rule::Prosperourl))?;
    c.run(D::FPATH, Rule::Psegment)?;
    let mut last = Rule::Psegment;
    while c.eat(b';') {
        c.run(D::FIELDNAME, Rule::Fieldname)?;
        if !c.eat(b'=') {
            let whole = c.at_end();
            return Err(c.fault(if whole {
                Rule::Fieldspec
            } else {
                Rule::Fieldname
            }));
        }
        c.run(D::FIELDVALUE, Rule::Fieldvalue)?;
        last = Rule::Fieldvalue;
    }
    c.end(last)
}
