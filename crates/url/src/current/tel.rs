//! RFC 3966, tel.
//!
//! The syntax is narrower where RFC 3986 requires it. A `#` in a local number
//! would start the fragment. RFC 3986 allows `[` and `]` only in an IP literal,
//! so not in a pvalue.

use super::super::class::{ALPHA, ALPHANUM, ByteClass, DIGIT, HEX};
use super::super::document::Cursor;
use super::super::parts::Kind;
use super::super::reject::{Refusal, Rule};

// visual-separator     = "-" / "." / "(" / ")"
const VISUAL_SEPARATOR: ByteClass = ByteClass::of(b"-.()");
// phonedigit           = DIGIT / [ visual-separator ]
const PHONEDIGIT: ByteClass = DIGIT.or(VISUAL_SEPARATOR);
// phonedigit-hex       = HEXDIG / "*" / "#" / [ visual-separator ]
const PHONEDIGIT_HEX: ByteClass = HEX.or(ByteClass::of(b"*")).or(VISUAL_SEPARATOR);
// unreserved           = alphanum / mark
// mark                 = "-" / "_" / "." / "!" / "~" / "*" / "'" / "(" / ")"
const UNRESERVED: ByteClass = ALPHANUM.or(ByteClass::of(b"-_.!~*'()"));
// paramchar            = param-unreserved / unreserved / pct-encoded
// param-unreserved     = "[" / "]" / "/" / ":" / "&" / "+" / "$"
const PARAMCHAR: ByteClass = UNRESERVED.or(ByteClass::of(b"/:&+$"));
// uric                 = reserved / unreserved / pct-encoded
// reserved             = ";" / "/" / "?" / ":" / "@" / "&" /
//                        "=" / "+" / "$" / ","
//
// The semicolon is excluded, because it starts the next parameter.
const URIC: ByteClass = UNRESERVED.or(ByteClass::of(b"/?:@&=+$,"));

// telephone-uri        = "tel:" telephone-subscriber
// telephone-subscriber = global-number / local-number
// global-number        = global-number-digits *par
// local-number         = local-number-digits *par context *par
// par                  = parameter / extension / isdn-subaddress
//
// global-number-digits = "+" *phonedigit DIGIT *phonedigit
// local-number-digits  =
//    *phonedigit-hex (HEXDIG / "*" / "#")*phonedigit-hex
pub(super) fn tel(c: &mut Cursor<'_>) -> Result<(), Refusal> {
    c.opaque(Kind::Tel);
    let is_global = c.eat(b'+');
    let (digits, rule) = if is_global {
        (&PHONEDIGIT, Rule::GlobalNumber)
    } else if c.peek().is_some_and(|byte| PHONEDIGIT_HEX.has(byte)) {
        (&PHONEDIGIT_HEX, Rule::LocalNumber)
    } else {
        return Err(c.fault(Rule::TelephoneUri));
    };
    number(c, digits, rule)?;
    let mut last = rule;
    let mut context = false;
    while c.eat(b';') {
        last = par(c)?;
        context |= last == Rule::Context;
    }
    c.end(last)?;
    if is_global || context {
        Ok(())
    } else {
        Err(c.fault(Rule::LocalNumber))
    }
}

/// Reads digits of `class`. At least one of them must not be a visual
/// separator.
fn number(c: &mut Cursor<'_>, class: &ByteClass, rule: Rule) -> Result<(), Refusal> {
    let start = c.pos();
    c.plain(class);
    let mut digits = c.since(start).iter();
    if digits.all(|&byte| VISUAL_SEPARATOR.has(byte)) {
        return Err(c.fault(rule));
    }
    Ok(())
}

// parameter            = ";" pname ["=" pvalue ]
// pname                = 1*( alphanum / "-" )
// pvalue               = 1*paramchar
//
// The semicolon has been read. Three names have productions of their own, and
// only these productions apply to them.
fn par(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    const PNAME: ByteClass = ALPHANUM.or(ByteClass::of(b"-"));
    let start = c.pos();
    c.plain1(&PNAME, Rule::Par)?;
    let name = c.since(start);
    let is = |known: &[u8]| name.eq_ignore_ascii_case(known);
    if is(b"phone-context") {
        context(c)
    } else if is(b"ext") {
        // extension            = ";ext=" 1*phonedigit
        c.expect(b"=", Rule::Extension)?;
        c.plain1(&PHONEDIGIT, Rule::Extension)?;
        Ok(Rule::Extension)
    } else if is(b"isub") {
        // isdn-subaddress      = ";isub=" 1*uric
        c.expect(b"=", Rule::IsdnSubaddress)?;
        c.run1(&URIC, Rule::IsdnSubaddress)?;
        Ok(Rule::IsdnSubaddress)
    } else {
        if c.eat(b'=') {
            c.run1(&PARAMCHAR, Rule::Par)?;
        }
        Ok(Rule::Par)
    }
}

// context              = ";phone-context=" descriptor
// descriptor           = domainname / global-number-digits
// domainname           = *( domainlabel "." ) toplabel [ "." ]
// domainlabel          = alphanum
//                        / alphanum *( alphanum / "-" ) alphanum
// toplabel             = ALPHA / ALPHA *( alphanum / "-" ) alphanum
fn context(c: &mut Cursor<'_>) -> Result<Rule, Refusal> {
    const LABEL: ByteClass = ALPHANUM.or(ByteClass::of(b"-"));
    c.expect(b"=", Rule::Context)?;
    if c.eat(b'+') {
        number(c, &PHONEDIGIT, Rule::Context)?;
        return Ok(Rule::Context);
    }
    let mut top = None;
    loop {
        let start = c.pos();
        let first = c.peek().filter(|&byte| ALPHANUM.has(byte));
        if first.is_none() {
            break;
        }
        top = first;
        c.plain(&LABEL);
        if c.since(start).last() == Some(&b'-') {
            return Err(c.fault(Rule::Context));
        }
        if !c.eat(b'.') {
            break;
        }
    }
    if !top.is_some_and(|byte| ALPHA.has(byte)) {
        return Err(c.fault(Rule::Context));
    }
    Ok(Rule::Context)
}
