//! RFC 1738 (December 1994), section 5: the differences from url-06.
//!
//! `=` and the national characters are no longer unreserved. The slash of a
//! file URL is required. A group may contain `+` and `_`. A hostname consists
//! of labels.

use super::class::{ALPHA, ALPHANUM, ByteClass};
use super::cursor::Cursor;
use super::draft06::{
    RULES, Schemes, Uchars, ftp, gopher, hostport, http, login, mailto, news, nntp, optional_host,
    other, prospero, scheme, telnet, wais,
};
use super::iri::Beyond;
use super::parts::{HostKind, Kind};
use super::profile::{Document, RuleFn, SchemeKey};
use super::reject::{Refusal, Rule};

/// The characters of RFC 1738.
enum Rfc1738 {}

// safe           = "$" | "-" | "_" | "." | "+"
const SAFE: ByteClass = ByteClass::of(b"$-_.+");
// extra          = "!" | "*" | "'" | "(" | ")" | ","
const EXTRA: ByteClass = ByteClass::of(b"!*'(),");
// reserved       = ";" | "/" | "?" | ":" | "@" | "&" | "="
const RESERVED: ByteClass = ByteClass::of(b";/?:@&=");
// unreserved     = alpha | digit | safe | extra
const UNRESERVED: ByteClass = ALPHANUM.or(SAFE).or(EXTRA);
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

impl Uchars for Rfc1738 {
    const UCHAR: &'static ByteClass = &UCHAR;
    const XCHAR: &'static ByteClass = &XCHAR;
    const SEARCH: &'static ByteClass = &SEARCH;
    const FPATH: &'static ByteClass = &FSEGMENT.or(ByteClass::of(b"/"));
    const FIELDNAME: &'static ByteClass = &FIELD;
    const FIELDVALUE: &'static ByteClass = &FIELD;

    fn hostport(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        hostport::<Rfc1738>(c)
    }

    fn login(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        login::<Rfc1738>(c)
    }
}

impl Schemes for Rfc1738 {
    // user           = *[ uchar | ";" | "?" | "&" | "=" ]
    // password       = *[ uchar | ";" | "?" | "&" | "=" ]
    const LOGIN: &'static ByteClass = &UCHAR.or(ByteClass::of(b";?&="));
    const HPATH: &'static ByteClass = &SEARCH.or(ByteClass::of(b"/"));
    const ARTICLE: &'static ByteClass = &UCHAR.or(ByteClass::of(b";/?:&="));
    // group          = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
    const GROUP: &'static ByteClass = &ALPHANUM.or(ByteClass::of(b"-.+_"));

    fn host(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
        host(c)
    }
}

/// The profile `rfc1738`.
pub(super) const DOCUMENT: Document = Document {
    scheme,
    schemes: SCHEMES,
    generic: other::<Rfc1738>,
    // "The identifier would be placed within the brackets as well" (Appendix),
    // and RFC 1808 2.2: fragment = *( uchar | reserved ).
    fragment: (&XCHAR, Rule::Fragment),
    beyond: Beyond::Refused,
    void_fragment: false,
    decodable: &ALPHANUM.or(ByteClass::of(b"-._")),
    gives: RULES,
};

// url            = httpurl | ftpurl | newsurl | nntpurl | telneturl |
//                  gopherurl | waisurl | mailtourl | fileurl |
//                  prosperourl | otherurl
const SCHEMES: &[(SchemeKey, RuleFn)] = &[
    (SchemeKey::of(b"http"), http::<Rfc1738>),
    (SchemeKey::of(b"ftp"), ftp::<Rfc1738>),
    (SchemeKey::of(b"news"), news::<Rfc1738>),
    (SchemeKey::of(b"mailto"), mailto::<Rfc1738>),
    (SchemeKey::of(b"file"), file),
    (SchemeKey::of(b"gopher"), gopher::<Rfc1738>),
    (SchemeKey::of(b"telnet"), telnet::<Rfc1738>),
    (SchemeKey::of(b"nntp"), nntp::<Rfc1738>),
    (SchemeKey::of(b"wais"), wais::<Rfc1738>),
    (SchemeKey::of(b"prospero"), prospero::<Rfc1738>),
];

// host           = hostname | hostnumber
// hostname       = *[ domainlabel "." ] toplabel
// domainlabel    = alphadigit | alphadigit *[ alphadigit | "-" ] alphadigit
// toplabel       = alpha | alpha *[ alphadigit | "-" ] alphadigit
// hostnumber     = digits "." digits "." digits "." digits
//
// The last label decides between hostname and hostnumber. Labels are read as
// domainlabels. The last label must start with a letter, unless the host is
// four labels of digits.
fn host(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    const LABEL: ByteClass = ALPHANUM.or(ByteClass::of(b"-"));
    let start = c.pos();
    let mut labels = 0;
    let mut only_digits = true;
    let mut first;
    loop {
        first = c.peek();
        if !first.is_some_and(|byte| ALPHANUM.has(byte)) {
            return Err(match labels {
                0 => c.no_host(Rule::Hostname),
                1..=3 if only_digits => c.fault(Rule::Hostnumber),
                _ => c.fault(Rule::Hostname),
            });
        }
        let label = c.pos();
        c.plain(&LABEL);
        let label = c.since(label);
        if label.last() == Some(&b'-') {
            return Err(c.fault(Rule::Hostname));
        }
        only_digits &= label.iter().all(u8::is_ascii_digit);
        labels += 1;
        if !c.eat(b'.') {
            break;
        }
    }
    if only_digits && labels == 4 {
        return Ok(c.host_is(start, HostKind::Ipv4, Rule::Hostnumber));
    }
    if !first.is_some_and(|byte| ALPHA.has(byte)) {
        let number = only_digits && labels < 4;
        return Err(c.fault(if number {
            Rule::Hostnumber
        } else {
            Rule::Hostname
        }));
    }
    Ok(c.host_is(start, HostKind::Name, Rule::Hostname))
}

// fileurl        = "file://" [ host | "localhost" ] "/" fpath
fn file(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.expect(b"//", Rule::Fileurl)?;
    let last = optional_host::<Rfc1738>(c)?;
    c.path_of(Kind::File);
    c.expect(b"/", c.after_host(last, Rule::Fileurl))?;
    c.run(Rfc1738::FPATH, Rule::Fsegment)?;
    c.end(Rule::Fsegment)
}
