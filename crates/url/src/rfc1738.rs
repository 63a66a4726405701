//! RFC 1738 (December 1994), section 5: the differences from url-06.
//!
//! `=` and the national characters are no longer unreserved. The slash of a
//! file URL is required. A group may contain `+` and `_`. A hostname consists
//! of labels.

use super::class::{ALPHA, ALPHANUM, ByteClass};
use super::document::{Cursor, Document, Late};
use super::draft06::{self, hostport, login, optional_host};
use super::parts::{HostKind, Kind};
use super::reject::{Refusal, Rule};
use urlgrep_base::names::key;

// safe           = "$" | "-" | "_" | "." | "+"
const SAFE: ByteClass = ByteClass::of(b"$-_.+");
// extra          = "!" | "*" | "'" | "(" | ")" | ","
const EXTRA: ByteClass = ByteClass::of(b"!*'(),");
// unreserved     = alpha | digit | safe | extra
const UNRESERVED: ByteClass = ALPHANUM.or(SAFE).or(EXTRA);
// uchar          = unreserved | escape
const UCHAR: ByteClass = UNRESERVED;
// group          = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
const GROUP: ByteClass = ALPHANUM.or(ByteClass::of(b"-.+_"));

const LATE: Late = Late::new(UCHAR, GROUP, [host, hostport, login]);

/// The profile `rfc1738`.
pub(super) const DOCUMENT: Document = Document {
    schemes: &[&[(key(b"file"), file)], draft06::SCHEMES],
    // "The identifier would be placed within the brackets as well" (Appendix),
    // and RFC 1808 2.2: fragment = *( uchar | reserved ).
    fragment: (&LATE.xchar, Rule::Fragment),
    decodable: &ALPHANUM.or(ByteClass::of(b"-._")),
    late: LATE,
    ..draft06::DOCUMENT
};

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
    let last = optional_host(c)?;
    c.path_of(Kind::File);
    c.expect(b"/", c.after_host(last, Rule::Fileurl))?;
    c.run(&c.document.late.fpath, Rule::Fsegment)?;
    c.end(Rule::Fsegment)
}
