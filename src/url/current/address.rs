//! Mail addresses and message identifiers inside URLs: RFC 5322's `addr-spec`
//! and its kin, read through their escapes.
//!
//! A character may be written as itself or escaped; which of the two a URL
//! allows is the scheme's affair ([`Address`]), what it may mean is RFC 5322's.

use super::super::class::{ALPHANUM, ByteClass};
use super::super::cursor::Cursor;
use super::super::parts::decode;
use super::super::reject::{Fault, Rule};

// atext           =   ALPHA / DIGIT /    ; Printable US-ASCII
//                     "!" / "#" /        ;  characters not including
//                     "$" / "%" /        ;  specials.  Used for atoms.
//                     "&" / "'" / "*" / "+" / "-" / "/" / "=" / "?" /
//                     "^" / "_" / "`" / "{" / "|" / "}" / "~"
//
// And the dot between atoms.
fn is_atext_or_dot(byte: u8) -> bool {
    const ATEXT: ByteClass = ALPHANUM.or(ByteClass::of(b"!$&'*+-/=?^_`{|}~."));
    ATEXT.has(byte) || matches!(byte, b'#' | b'%')
}

// qtext           =   %d33 /             ; Printable US-ASCII
//                     %d35-91 /          ;  characters not including
//                     %d93-126 /         ;  "\" or the quote character
fn is_qtext(byte: u8) -> bool {
    matches!(byte, 33 | 35..=91 | 93..=126)
}

// dtext-no-obs = %d33-90 / ; Printable US-ASCII
//                %d94-126  ; characters not including "[", "]", or "\"
fn is_dtext(byte: u8) -> bool {
    matches!(byte, 33..=90 | 94..=126)
}

// mdtext          =  %d33-61 /        ; The rest of the US-ASCII
//                    %d63-90 /        ; characters not including
//                    %d94-126         ; ">", "[", "]", or "\"
fn is_mdtext(byte: u8) -> bool {
    is_dtext(byte) && byte != b'>'
}

/// What a scheme allows to stand unescaped.
pub(super) struct Address {
    /// Between the dots of a dot-atom, and the dot.
    pub(super) atom: ByteClass,
    /// Between quotation marks or brackets, which are themselves escaped.
    pub(super) inside: ByteClass,
    /// What an escape over 7F means.
    pub(super) beyond: Beyond,
}

/// Whether escapes of bytes over 7F may stand in an address.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Beyond {
    /// RFC 6068 2, rules 4 and 5: UTF-8 for internationalised addresses.
    Allowed,
    /// RFC 822, RFC 5536: ASCII only.
    Refused,
}

impl Address {
    // addr-spec    = local-part "@" domain
    // local-part   = dot-atom-text / quoted-string
    // domain       = dot-atom-text / "[" *dtext-no-obs "]"
    pub(super) fn addr_spec(&self, c: &mut Cursor<'_>) -> Result<(), Fault> {
        if c.at_escape(b"%22") {
            self.quoted_string(c)?;
        } else {
            self.dot_atom(c, Rule::LocalPart)?;
        }
        if !c.eat(b'@') {
            let whole = c.at_end();
            return Err(c.fault(if whole {
                Rule::AddrSpec
            } else {
                Rule::LocalPart
            }));
        }
        if c.at_escape(b"%5B") {
            self.literal(c, is_dtext, Rule::Domain)
        } else {
            self.dot_atom(c, Rule::Domain)
        }
    }

    // msg-id-core     =  id-left "@" id-right
    // id-left         =  dot-atom-text
    // id-right        =  dot-atom-text / no-fold-literal
    // no-fold-literal =  "[" *mdtext "]"
    pub(super) fn msg_id_core(&self, c: &mut Cursor<'_>, rule: Rule) -> Result<(), Fault> {
        self.dot_atom(c, rule)?;
        c.expect(b"@", rule)?;
        if c.at_escape(b"%5B") {
            self.literal(c, is_mdtext, rule)
        } else {
            self.dot_atom(c, rule)
        }
    }

    // dot-atom-text   =   1*atext *("." 1*atext)
    fn dot_atom(&self, c: &mut Cursor<'_>, rule: Rule) -> Result<(), Fault> {
        let mut after_dot = true;
        loop {
            // What most addresses are made of, in a loop of its own.
            let rest = c.rest();
            let inner = |&b: &u8| b != b'.' && self.atom.has(b);
            let len = rest.iter().position(|b| !inner(b)).unwrap_or(rest.len());
            c.jump(c.pos() + len);
            after_dot &= len == 0;
            let Some(byte) = self.character(c, &self.atom, is_atext_or_dot, rule)? else {
                break;
            };
            if byte == b'.' && after_dot {
                return Err(last_byte(c, rule));
            }
            after_dot = byte == b'.';
        }
        if after_dot {
            return Err(c.fault(rule));
        }
        Ok(())
    }

    // quoted-string   =   DQUOTE *([FWS] qcontent) [FWS] DQUOTE
    // qcontent        =   qtext / quoted-pair
    // quoted-pair     =   ("\" (VCHAR / WSP))
    //
    // "Whitespace … within <local-part> and <domain> MUST NOT be used": not as
    // FWS. A quoted pair may be of white space.
    fn quoted_string(&self, c: &mut Cursor<'_>) -> Result<(), Fault> {
        let rule = Rule::LocalPart;
        c.expect(b"%22", rule)?;
        while !c.at_escape(b"%22") {
            if c.at_escape(b"%5C") {
                c.jump(c.pos() + 3);
                let quoted = |byte| matches!(byte, b'\t' | b' '..=b'~');
                self.some(c, quoted, rule)?;
            } else {
                self.some(c, is_qtext, rule)?;
            }
        }
        c.jump(c.pos() + 3);
        Ok(())
    }

    // "[" *… "]"
    fn literal(&self, c: &mut Cursor<'_>, means: fn(u8) -> bool, rule: Rule) -> Result<(), Fault> {
        c.jump(c.pos() + 3);
        while !c.at_escape(b"%5D") {
            self.some(c, means, rule)?;
        }
        c.jump(c.pos() + 3);
        Ok(())
    }

    /// One character between quotation marks or brackets.
    fn some(&self, c: &mut Cursor<'_>, means: fn(u8) -> bool, rule: Rule) -> Result<(), Fault> {
        match self.character(c, &self.inside, means, rule)? {
            Some(_) => Ok(()),
            None => Err(c.fault(rule)),
        }
    }

    /// One character, if the next byte is in `plain` or starts an escape; an
    /// escape must mean what `means` or [`Beyond`] allows.
    fn character(
        &self,
        c: &mut Cursor<'_>,
        plain: &ByteClass,
        means: fn(u8) -> bool,
        rule: Rule,
    ) -> Result<Option<u8>, Fault> {
        let Some(byte) = c.peek() else {
            return Ok(None);
        };
        if byte != b'%' {
            if !plain.has(byte) {
                return Ok(None);
            }
            c.jump(c.pos() + 1);
            return Ok(Some(byte));
        }
        let start = c.pos();
        c.one(plain, rule)?;
        let allowed = |byte| means(byte) || (byte > 0x7f && self.beyond == Beyond::Allowed);
        let byte = decode(c.since(start)).next().unwrap_or_default();
        if allowed(byte) {
            return Ok(Some(byte));
        }
        // At the second digit, unless no second digit would have helped.
        let high = byte & 0xf0;
        let second = (high..=high | 0x0f).any(allowed);
        c.jump(start + if second { 2 } else { 1 });
        Err(c.fault(rule))
    }
}

/// A fault at the byte just read.
fn last_byte(c: &Cursor<'_>, rule: Rule) -> Fault {
    Fault {
        rule,
        at: c.mark().saturating_sub(1),
    }
}
