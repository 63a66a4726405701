//! Mail addresses and message identifiers in URLs: `addr-spec`, `msg-id-core`.
//!
//! The scheme decides which characters need no escape ([`Address`]). An escape
//! counts as one character of the production, whatever it decodes to
//! (docs/profiles.md, ruling 5). Five escapes are delimiters of the production:
//! `%2E` is a dot, `%22` a quotation mark, `%5C` a backslash, and `%5B` and
//! `%5D` are brackets.

use super::super::class::ByteClass;
use super::super::document::Cursor;
use super::super::reject::{Refusal, Rule};

/// The characters that a scheme allows without an escape.
pub(super) struct Address {
    /// The allowed characters of `atext`.
    pub(super) atext: ByteClass,
    /// The characters between quotation marks or brackets. These delimiters are
    /// themselves escaped.
    pub(super) inside: ByteClass,
    /// An escape that the scheme does not allow.
    pub(super) never: Option<&'static [u8; 3]>,
}

/// The rules that a fault names. They have the names of the scheme's document.
#[derive(Clone, Copy)]
pub(super) struct Names {
    /// The rule for an address that ends before its `@`.
    pub(super) whole: Rule,
    pub(super) local_part: Rule,
    pub(super) domain: Rule,
}

impl Names {
    /// The same rule for all faults.
    pub(super) const fn one(rule: Rule) -> Names {
        Names {
            whole: rule,
            local_part: rule,
            domain: rule,
        }
    }
}

impl Address {
    // addr-spec    = local-part "@" domain
    // local-part   = dot-atom-text / quoted-string
    // domain       = dot-atom-text / "[" *dtext-no-obs "]"
    pub(super) fn addr_spec(&self, c: &mut Cursor<'_>, names: Names) -> Result<(), Refusal> {
        if c.at_escape(b"%22") {
            self.quoted_string(c, names.local_part)?;
        } else {
            self.dot_atom(c, names.local_part)?;
        }
        let part = if c.at_end() {
            names.whole
        } else {
            names.local_part
        };
        c.expect(b"@", part)?;
        self.dot_atom_or_literal(c, names.domain)
    }

    // msg-id-core     =  id-left "@" id-right
    // id-left         =  dot-atom-text
    // id-right        =  dot-atom-text / no-fold-literal
    // no-fold-literal =  "[" *mdtext "]"
    pub(super) fn msg_id_core(&self, c: &mut Cursor<'_>, rule: Rule) -> Result<(), Refusal> {
        self.dot_atom(c, rule)?;
        c.expect(b"@", rule)?;
        self.dot_atom_or_literal(c, rule)
    }

    // dot-atom-text   =   1*atext *("." 1*atext)
    fn dot_atom(&self, c: &mut Cursor<'_>, rule: Rule) -> Result<(), Refusal> {
        loop {
            let start = c.pos();
            self.atext(c, rule)?;
            if c.pos() == start {
                // Report the fault at the byte that makes the character a dot.
                c.jump(start + if c.at_escape(b"%2E") { 2 } else { 0 });
                return Err(c.fault(rule));
            }
            if !c.eat_dot() {
                return Ok(());
            }
        }
    }

    /// Reads `*atext`. Stops before a dot, plain or escaped.
    fn atext(&self, c: &mut Cursor<'_>, rule: Rule) -> Result<(), Refusal> {
        loop {
            c.plain(&self.atext);
            match c.peek() {
                Some(b'%') if !c.at_escape(b"%2E") => self.one(c, &self.atext, rule)?,
                Some(0x80..) if c.eat_beyond() => {}
                _ => return Ok(()),
            }
        }
    }

    // dot-atom-text / "[" *… "]"
    fn dot_atom_or_literal(&self, c: &mut Cursor<'_>, rule: Rule) -> Result<(), Refusal> {
        if !c.at_escape(b"%5B") {
            return self.dot_atom(c, rule);
        }
        c.jump(c.pos() + 3);
        while !c.at_escape(b"%5D") {
            self.one(c, &self.inside, rule)?;
        }
        c.jump(c.pos() + 3);
        Ok(())
    }

    // quoted-string   =   DQUOTE *([FWS] qcontent) [FWS] DQUOTE
    // qcontent        =   qtext / quoted-pair
    // quoted-pair     =   ("\" (VCHAR / WSP))
    fn quoted_string(&self, c: &mut Cursor<'_>, rule: Rule) -> Result<(), Refusal> {
        c.jump(c.pos() + 3);
        while !c.at_escape(b"%22") {
            if c.at_escape(b"%5C") {
                c.jump(c.pos() + 3);
            }
            self.one(c, &self.inside, rule)?;
        }
        c.jump(c.pos() + 3);
        Ok(())
    }

    /// Reads one character or one escape.
    fn one(&self, c: &mut Cursor<'_>, plain: &ByteClass, rule: Rule) -> Result<(), Refusal> {
        if self.never.is_some_and(|never| c.at_escape(never)) {
            // Report the fault at the digit that completes the escape.
            c.jump(c.pos() + 2);
            return Err(c.fault(rule));
        }
        c.one(plain, rule)
    }
}
