//! The authority of RFC 3986 section 3.2, and the narrower hosts and ports of
//! the schemes that docs/profiles.md names. Names follow RFC 952 and RFC 1123
//! 2.1. They may also contain `_`, because real hosts do. Ports are checked by
//! value.

use super::super::class::{ALPHANUM, ByteClass, DIGIT, HEX};
use super::super::components::decode;
use super::super::document::Cursor;
use super::super::parts::HostKind;
use super::super::reject::{Refusal, Rule};
use super::{SUB_DELIMS, UNRESERVED, after};

/// A function that reads `host [ ":" port ]`.
pub(super) type Hostport = fn(&mut Cursor<'_>) -> Result<Rule, Refusal>;

// authority     = [ userinfo "@" ] host [ ":" port ]
//
// Few URLs have a userinfo, and a userinfo may look like a host. So the text is
// read as a host first. If that fails and an `@` comes before the path, it is
// read again as a userinfo.
#[inline]
pub(super) fn authority(
    c: &mut Cursor<'_>,
    hostport: impl Fn(&mut Cursor<'_>) -> Result<Rule, Refusal>,
) -> Result<Rule, Refusal> {
    let start = c.pos();
    let read = |c: &mut Cursor<'_>| hostport(c).and_then(|last| after(c, last));
    read(c).or_else(|fault| {
        c.jump(start);
        let at = c.first_at_sign(b"/?").ok_or(fault)?;
        userinfo(c, at)?;
        read(c)
    })
}

// userinfo      = *( unreserved / pct-encoded / sub-delims / ":" )
//
// Reads the userinfo up to the `@` at `at`. The first colon ends the user name.
#[cold]
fn userinfo(c: &mut Cursor<'_>, at: usize) -> Result<(), Refusal> {
    const NAME: ByteClass = UNRESERVED.or(SUB_DELIMS);
    const USERINFO: ByteClass = NAME.or(ByteClass::of(b":"));
    let mut part = c.up_to(at);
    part.run(&NAME, Rule::Userinfo)?;
    c.user_is(part.mark());
    part.run(&USERINFO, Rule::Userinfo)?;
    part.exhausted(Rule::Userinfo)?;
    c.jump(at + 1);
    Ok(())
}

// host          = IP-literal / IPv4address / reg-name
// reg-name      = *( unreserved / pct-encoded / sub-delims )
// port          = *DIGIT
pub(super) fn any(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    const REG_NAME: ByteClass = UNRESERVED.or(SUB_DELIMS);
    let mut last = if c.peek() == Some(b'[') {
        ip_literal(c)?
    } else {
        let start = c.pos();
        c.run(&REG_NAME, Rule::RegName)?;
        let kind = if is_ipv4(c.since(start)) {
            HostKind::Ipv4
        } else {
            HostKind::Name
        };
        c.host_is(start, kind, Rule::RegName)
    };
    if c.eat(b':') {
        c.plain(&DIGIT);
        last = Rule::Port;
    }
    Ok(last)
}

/// Reads a host that is not empty, and a port of at most 65,535.
#[inline]
pub(super) fn named(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let last = host(c)?;
    port(c, last)
}

/// As [`named`], but the host may be empty.
pub(super) fn named_or_empty(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    match c.peek() {
        None | Some(b'/' | b'?' | b'#' | b':') => {
            let empty = c.empty_host();
            port(c, empty)
        }
        Some(_) => named(c),
    }
}

/// Reads a host that is not empty, without a port.
#[inline]
pub(super) fn host(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    if c.peek() == Some(b'[') {
        return ip_literal(c);
    }
    let start = c.pos();
    let kind = name_or_ipv4(c)?;
    Ok(c.host_is(start, kind, Rule::RegName))
}

// RFC 952, ASSUMPTIONS 1: "A "name" … is a text string … drawn from the
// alphabet (A-Z), digits (0-9), minus sign (-), and period (.)". RFC 1123 2.1:
// a label may start with a digit. A label has 1 to 63 bytes and neither begins
// nor ends with `-`. A name has at most 253 bytes. A final dot does not count.
// If the last label has only digits, the host must be an IPv4address.
#[inline]
fn name_or_ipv4(c: &mut Cursor<'_>) -> Result<HostKind, Refusal> {
    if let Some(len) = plain_name(c.rest()) {
        c.jump(c.pos() + len);
        return Ok(HostKind::Name);
    }
    any_name_or_ipv4(c)
}

const LABEL: ByteClass = ALPHANUM.or(ByteClass::of(b"-_"));
const LABEL_MAX: usize = 63;
const NAME_MAX: usize = 253;

/// The length of the name at the start of `text`, if the name is a common one.
/// Such a name is no longer than a label may be, and ends in a letter. `None`
/// means that the slow path must decide.
///
/// This is a fast path for [`any_name_or_ipv4`]. It has one branch for each
/// byte. None of its branches depends on the places of the dots.
#[inline]
fn plain_name(text: &[u8]) -> Option<usize> {
    const OTHER: u8 = 1;
    const HYPHEN: u8 = 2;
    const DOT: u8 = 4;
    // The low three bits are the class of a byte. The next three bits are the
    // classes that it may not follow. Zero ends the name. Escapes and
    // characters beyond ASCII may follow no class, so a name with one takes the
    // slow path.
    const STEP: [u8; 256] = {
        let mut step = [0; 256];
        let mut byte = 0;
        while byte < 256 {
            if LABEL.has(byte as u8) {
                step[byte] = OTHER;
            } else if byte == b'%' as usize || byte >= 0x80 {
                step[byte] = OTHER | (OTHER | HYPHEN | DOT) << 3;
            }
            byte += 1;
        }
        step[b'-' as usize] = HYPHEN | DOT << 3;
        step[b'.' as usize] = DOT | (DOT | HYPHEN) << 3;
        step
    };

    let mut before = DOT;
    let mut wrong = 0;
    let mut len = 0_usize;
    for &byte in text {
        let step = STEP[usize::from(byte)];
        if step == 0 {
            break;
        }
        wrong |= before << 3 & step;
        before = step;
        len += 1;
    }
    let last = text.get(len.wrapping_sub(1)).copied().unwrap_or_default();
    (wrong == 0 && len <= LABEL_MAX && last.is_ascii_alphabetic()).then_some(len)
}

/// Checks the rule of [`name_or_ipv4`] label by label.
///
/// RFC 3986 3.2.2 allows escapes in a reg-name. By 2.3 an escape of an
/// unreserved character is "equivalent" to that character. So the rules apply
/// to the decoded name: `%2D` is a hyphen, `%2E` is a dot, and `%7E` is refused
/// because `~` is refused. Any other escape is one character that a label may
/// contain. The limits count decoded bytes. They do not apply to a name with a
/// character beyond ASCII, because the DNS has another form of such a name (RFC
/// 5890).
#[inline(never)]
fn any_name_or_ipv4(c: &mut Cursor<'_>) -> Result<HostKind, Refusal> {
    let start = c.pos();
    let mut name = NameState::default();
    // An empty label, or the end after a final dot, is `None`.
    while let Some(digits) = label(c, &mut name)? {
        name.digits = digits;
        if !c.eat_dot() {
            break;
        }
        name.push(b'.');
    }
    if c.pos() == start {
        return Err(c.no_host(Rule::RegName));
    }
    let decoded = name.first.get(..name.len).unwrap_or_default();
    if !name.digits {
        Ok(HostKind::Name)
    } else if !is_ipv4(decoded) {
        // Another byte is in no name, whatever is before it.
        Err(c.fault(match c.peek() {
            None | Some(b'/' | b'?' | b'#' | b':' | b'@') => Rule::Ipv4Address,
            Some(_) => Rule::RegName,
        }))
    } else if decoded.len() == c.pos() - start {
        Ok(HostKind::Ipv4)
    } else {
        // The name has escapes, and decodes to an IPv4address. By the grammar
        // of RFC 3986 it is a reg-name.
        Ok(HostKind::Name)
    }
}

/// The state while a name is read.
#[derive(Default)]
struct NameState {
    /// The first decoded bytes. They are enough for an IPv4address.
    first: [u8; 16],
    /// The number of decoded bytes.
    len: usize,
    /// True if a decoded byte is beyond ASCII.
    beyond: bool,
    /// True if the last label has only digits.
    digits: bool,
}

impl NameState {
    fn push(&mut self, decoded: u8) {
        if let Some(place) = self.first.get_mut(self.len) {
            *place = decoded;
        }
        self.len += 1;
        self.beyond |= decoded >= 0x80;
    }
}

/// Reads a label and adds it to `name`. Returns whether it has only digits. `None` if it
/// is empty.
fn label(c: &mut Cursor<'_>, name: &mut NameState) -> Result<Option<bool>, Refusal> {
    let mut len = 0;
    let mut digits = true;
    let mut hyphen = false;
    // The offset of the first byte beyond a limit.
    let mut over = None;
    while let Some(decoded) = character(c)? {
        hyphen = decoded == b'-';
        if hyphen && len == 0 {
            // Report the fault at the byte that completes the hyphen.
            c.jump(c.pos() - 1);
            return Err(c.fault(Rule::RegName));
        }
        digits &= decoded.is_ascii_digit();
        len += 1;
        name.push(decoded);
        if over.is_none() && (len > LABEL_MAX || name.len > NAME_MAX) {
            over = Some(c.mark() - 1);
        }
    }
    if let Some(at) = over.filter(|_| !name.beyond) {
        return Err(Refusal {
            rule: Rule::RegName,
            at,
        });
    }
    if hyphen {
        Err(c.fault(Rule::RegName))
    } else {
        Ok((len > 0).then_some(digits))
    }
}

/// Reads one character of a label. Returns its decoded byte, or a byte of 0x80
/// or more for a character beyond ASCII. `None` at the end of the label.
fn character(c: &mut Cursor<'_>) -> Result<Option<u8>, Refusal> {
    const OTHER: u8 = b'x';
    let Some(byte) = c.peek() else {
        return Ok(None);
    };
    if LABEL.has(byte) {
        c.jump(c.pos() + 1);
        return Ok(Some(byte));
    }
    if byte >= 0x80 && c.eat_beyond() {
        return Ok(Some(byte));
    }
    if byte != b'%' || c.at_escape(b"%2E") {
        return Ok(None);
    }
    let start = c.pos();
    c.one(&LABEL, Rule::RegName)?;
    match decode(c.since(start)).next() {
        Some(b'~') => Err(Refusal {
            rule: Rule::RegName,
            at: c.mark() - 1,
        }),
        Some(decoded) if LABEL.has(decoded) || decoded >= 0x80 => Ok(Some(decoded)),
        _ => Ok(Some(OTHER)),
    }
}

// [ ":" port ]
//
// "port 0 to 65535 (empty allowed, RFC 3986 3.2.3)". The fault is at the digit
// that makes the port too large.
#[inline]
fn port(c: &mut Cursor<'_>, last: Rule) -> Result<Rule, Refusal> {
    if !c.eat(b':') {
        return Ok(last);
    }
    let mut value = 0;
    while let Some(digit @ b'0'..=b'9') = c.peek() {
        value = value * 10 + u32::from(digit - b'0');
        if value > 65_535 {
            return Err(c.fault(Rule::Port));
        }
        c.jump(c.pos() + 1);
    }
    Ok(Rule::Port)
}

// IPv4address   = dec-octet "." dec-octet "." dec-octet "." dec-octet
fn is_ipv4(text: &[u8]) -> bool {
    let mut octets = 0;
    text.split(|&byte| byte == b'.').all(|octet| {
        octets += 1;
        is_dec_octet(octet)
    }) && octets == 4
}

// dec-octet     = DIGIT                 ; 0-9
//               / %x31-39 DIGIT         ; 10-99
//               / "1" 2DIGIT            ; 100-199
//               / "2" %x30-34 DIGIT     ; 200-249
//               / "25" %x30-35          ; 250-255
fn is_dec_octet(text: &[u8]) -> bool {
    matches!(
        *text,
        [b'0'..=b'9']
            | [b'1'..=b'9', b'0'..=b'9']
            | [b'1', b'0'..=b'9', b'0'..=b'9']
            | [b'2', b'0'..=b'4', b'0'..=b'9']
            | [b'2', b'5', b'0'..=b'5']
    )
}

// IP-literal    = "[" ( IPv6address / IPvFuture  ) "]"
#[cold]
fn ip_literal(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    let start = c.pos();
    c.expect(b"[", Rule::IpLiteral)?;
    let kind = match c.peek() {
        Some(b'v' | b'V') => {
            ipv_future(c)?;
            HostKind::IpvFuture
        }
        Some(byte) if byte == b':' || HEX.has(byte) => {
            ipv6(c)?;
            HostKind::Ipv6
        }
        _ => return Err(c.fault(Rule::IpLiteral)),
    };
    c.jump(c.pos() + 1);
    Ok(c.host_is(start, kind, Rule::IpLiteral))
}

// Reads up to the closing bracket, which must follow.
//
// IPvFuture     = "v" 1*HEXDIG "." 1*( unreserved / sub-delims / ":" )
fn ipv_future(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    const ADDRESS: ByteClass = UNRESERVED.or(SUB_DELIMS).or(ByteClass::of(b":"));
    c.jump(c.pos() + 1);
    c.plain1(&HEX, Rule::IpvFuture)?;
    c.expect(b".", Rule::IpvFuture)?;
    c.plain1(&ADDRESS, Rule::IpvFuture)?;
    before_bracket(c, Rule::IpvFuture)
}

// IPv6address   =                            6( h16 ":" ) ls32
//               /                       "::" 5( h16 ":" ) ls32
//               / [               h16 ] "::" 4( h16 ":" ) ls32
//               / [ *1( h16 ":" ) h16 ] "::" 3( h16 ":" ) ls32
//               / [ *2( h16 ":" ) h16 ] "::" 2( h16 ":" ) ls32
//               / [ *3( h16 ":" ) h16 ] "::"    h16 ":"   ls32
//               / [ *4( h16 ":" ) h16 ] "::"              ls32
//               / [ *5( h16 ":" ) h16 ] "::"              h16
//               / [ *6( h16 ":" ) h16 ] "::"
// ls32          = ( h16 ":" h16 ) / IPv4address
//
// An address has eight groups, or at most seven groups and one `::`. An
// IPv4address replaces the last two groups. The closing bracket must follow.
fn ipv6(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    let mut groups = 0;
    let mut gap = false;
    if c.eat(b':') {
        c.expect(b":", Rule::Ipv6address)?;
        gap = true;
        if c.peek() == Some(b']') {
            return Ok(());
        }
    }
    // A group must follow here: it is the first group, or comes after one or
    // two colons.
    loop {
        let most = if gap { 7 } else { 8 };
        let last_two = if gap {
            groups + 2 <= most
        } else {
            groups + 2 == most
        };
        if last_two && at_ipv4(c) {
            ipv4_in_ipv6(c)?;
            return before_bracket(c, Rule::Ipv6address);
        }
        if groups == most {
            return Err(c.fault(Rule::Ipv6address));
        }
        h16(c)?;
        groups += 1;
        if c.peek() == Some(b']') && (gap || groups == most) {
            return Ok(());
        }
        if groups == most {
            return Err(c.fault(Rule::Ipv6address));
        }
        c.expect(b":", Rule::Ipv6address)?;
        if !gap && c.eat(b':') {
            gap = true;
            if c.peek() == Some(b']') {
                return Ok(());
            }
        }
    }
}

// h16           = 1*4HEXDIG
fn h16(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    for i in 0..4 {
        if !c.peek().is_some_and(|byte| HEX.has(byte)) {
            return if i == 0 {
                Err(c.fault(Rule::Ipv6address))
            } else {
                Ok(())
            };
        }
        c.jump(c.pos() + 1);
    }
    Ok(())
}

/// True if a dec-octet and a dot follow.
fn at_ipv4(c: &Cursor<'_>) -> bool {
    let mut parts = c.rest().splitn(2, |&byte| byte == b'.');
    let octet = parts.next().unwrap_or_default();
    parts.next().is_some() && is_dec_octet(octet)
}

// IPv4address   = dec-octet "." dec-octet "." dec-octet "." dec-octet
//
// The fault is at the first byte that cannot be part of an IPv4address.
fn ipv4_in_ipv6(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    for i in 0..4 {
        if i > 0 {
            c.expect(b".", Rule::Ipv6address)?;
        }
        let start = c.pos();
        while c.peek().is_some_and(|byte| DIGIT.has(byte)) {
            c.jump(c.pos() + 1);
            if !is_dec_octet(c.since(start)) {
                c.jump(c.pos() - 1);
                return Err(c.fault(Rule::Ipv6address));
            }
        }
        if c.pos() == start {
            return Err(c.fault(Rule::Ipv6address));
        }
    }
    Ok(())
}

fn before_bracket(c: &Cursor<'_>, rule: Rule) -> Result<(), Refusal> {
    if c.peek() == Some(b']') {
        return Ok(());
    }
    Err(c.fault(rule))
}
