//! What a document is: a table that maps schemes to rule functions, and the
//! characters that these rules use. And the cursor of all rules: a text, an
//! offset in it, and the document that judges it.
//!
//! The cursor knows only what all profiles share. An escape is `%` and two
//! hexadecimal digits, and counts as one character. A `#` ends the URL. A fault
//! has a rule and an offset. The rules also use the cursor to record the
//! offsets that they find.
//!
//! The cursor also knows the one difference between `iri` and `current`: `iri`
//! allows a character beyond ASCII wherever it allows an escape (see [`super::iri`]).

use super::beyond::{self, Beyond};
use super::class::{ByteClass, ByteSet, DIGIT, HEX};
use super::parts::{HostKind, Kind, Meta};
use super::profile::Profile;
use super::reject::{Refusal, Rule};

/// Reads one production. The cursor starts after the scheme's colon. It ends at
/// the end of the URL, before the fragment.
pub(super) type RuleFn = fn(&mut Cursor<'_>) -> Result<(), Refusal>;

/// A profile as data.
pub(super) struct Document {
    /// The production `scheme`. Stops before the colon, or where the colon
    /// should be.
    pub(super) scheme: RuleFn,
    /// The schemes with a production of their own. Only that production judges
    /// their URLs (docs/profiles.md, ruling 2). Common schemes come first.
    ///
    /// The table of a later document comes before those that it takes over, and
    /// the first row of a scheme decides.
    pub(super) schemes: &'static [&'static [(u64, RuleFn)]],
    /// The production of any other scheme.
    pub(super) generic: RuleFn,
    /// The production after the `#`, and its name.
    pub(super) fragment: (&'static ByteClass, Rule),
    /// Whether a character beyond ASCII is allowed wherever an escape is.
    pub(super) beyond: Beyond,
    /// True if an empty fragment is equivalent to no fragment.
    pub(super) void_fragment: bool,
    /// The characters whose escapes [`canonical`](super::Url::canonical)
    /// decodes.
    pub(super) decodable: &'static ByteClass,
    /// For the rules of url-00, url-03 and www-uri-00.
    pub(super) early: Early,
    /// For the rules of url-06 and RFC 1738.
    pub(super) late: Late,
}

impl Document {
    /// The rule function for the scheme `key`. Compares once for each row.
    #[inline]
    pub(super) fn rule(&self, key: u64) -> RuleFn {
        for &(own, rule) in self.schemes.iter().copied().flatten() {
            if own == key {
                return rule;
            }
        }
        self.generic
    }
}

/// What differs between url-00, url-03 and www-uri-00: their characters, the
/// name of the innermost production of a path, and the text before a host.
pub(super) struct Early {
    /// `xalpha` without escapes.
    pub(super) xalpha: ByteClass,
    /// `xalpha` without the colon. A colon ends a scheme and a user name.
    pub(super) no_colon: ByteClass,
    /// `xalpha` without `@` and `:`: the characters of a hostname
    /// (docs/profiles.md, "Hosts and logins", ruling).
    pub(super) in_host: ByteClass,
    /// `xpalpha` and the slash between segments.
    pub(super) path: ByteClass,
    /// The production of a fault in a path.
    pub(super) path_rule: Rule,
    /// True if a user name may precede each host.
    pub(super) user: bool,
}

impl Early {
    /// `no_colon` is `xalpha` without the colon.
    pub(super) const fn new(xalpha: ByteClass, no_colon: ByteClass, path_rule: Rule) -> Early {
        Early {
            xalpha,
            no_colon,
            in_host: no_colon.minus(b"@"),
            // xpalpha       xalpha | +
            path: xalpha.or(ByteClass::of(b"+")).or(ByteClass::of(b"/")),
            path_rule,
            user: false,
        }
    }
}

/// Reads a production with a host. Returns the production that was read last.
pub(super) type HostFn = fn(&mut Cursor<'_>) -> Result<Rule, Refusal>;

/// What differs between url-06, RFC 1738, and the schemes that `current` takes
/// from RFC 1738: their characters and hosts.
pub(super) struct Late {
    pub(super) uchar: ByteClass,
    pub(super) xchar: ByteClass,
    pub(super) search: ByteClass,
    /// An hsegment, and the slash between hsegments.
    pub(super) hpath: ByteClass,
    /// An fsegment or psegment, and the slash between them.
    pub(super) fpath: ByteClass,
    /// A fieldname up to the first `=`.
    pub(super) fieldname: ByteClass,
    pub(super) fieldvalue: ByteClass,
    /// A user name or password.
    pub(super) user: ByteClass,
    /// Before the `@` of an article.
    pub(super) article: ByteClass,
    /// The characters after the first letter of a group.
    pub(super) group: ByteClass,
    /// `host`
    pub(super) host: HostFn,
    /// `host [ ":" port ]`
    pub(super) hostport: HostFn,
    /// `[ user [ ":" password ] "@" ] hostport`
    pub(super) login: HostFn,
}

impl Late {
    /// The sets that the BNF derives from `uchar`, in the same way in url-06 and
    /// in RFC 1738.
    pub(super) const fn new(uchar: ByteClass, group: ByteClass, hosts: [HostFn; 3]) -> Late {
        // hsegment       = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
        // search         = *[ uchar | ";" | ":" | "@" | "&" | "=" ]
        let search = uchar.or(ByteClass::of(b";:@&="));
        // fieldname      = *[ uchar | "?" | ":" | "@" | "&" ]
        // fieldvalue     = *[ uchar | "?" | ":" | "@" | "&" ]
        let field = uchar.or(ByteClass::of(b"?:@&"));
        let [host, hostport, login] = hosts;
        Late {
            uchar,
            // reserved       = ";" | "/" | "?" | ":" | "@" | "&" | "="
            // xchar          = unreserved | reserved | escape
            xchar: uchar.or(ByteClass::of(b";/?:@&=")),
            search,
            hpath: search.or(ByteClass::of(b"/")),
            // fsegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
            // psegment       = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
            fpath: uchar.or(ByteClass::of(b"?:@&=/")),
            fieldname: field,
            fieldvalue: field,
            // user           = *[ uchar | ";" | "?" | "&" | "=" ]
            // password       = *[ uchar | ";" | "?" | "&" | "=" ]
            user: uchar.or(ByteClass::of(b";?&=")),
            // article        = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
            article: uchar.or(ByteClass::of(b";/?:&=")),
            group,
            host,
            hostport,
            login,
        }
    }
}

/// An offset in a text.
///
/// Invariants: `pos <= text.len()`, and `text.len()` fits in a `u32`.
/// [`validate`](super::validate) refuses longer texts before it creates a
/// cursor.
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    pos: usize,
    /// The offsets recorded so far.
    pub(super) meta: Meta,
    beyond: Beyond,
    pub(super) document: &'static Document,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `text`, which has `len` bytes.
    pub(super) fn new(text: &'a [u8], len: u32, profile: Profile) -> Cursor<'a> {
        let document = profile.document();
        Cursor {
            text,
            pos: 0,
            meta: Meta::empty(profile, len),
            beyond: document.beyond,
            document,
        }
    }

    /// Records that the path starts here and that there is no host.
    #[inline]
    pub(super) fn opaque(&mut self, kind: Kind) {
        self.meta.host_start = self.mark();
        self.meta.host_end = self.mark();
        self.path_of(kind);
    }

    /// Records that the user name before the host ends at `end`.
    #[inline]
    pub(super) fn user_is(&mut self, end: u32) {
        self.meta.user_end = end;
    }

    /// Records a host from `start` to here. Returns `last`, the production that
    /// was read last. The next byte does not belong to it.
    #[inline]
    pub(super) fn host_is(&mut self, start: usize, kind: HostKind, last: Rule) -> Rule {
        self.meta.host = kind;
        self.meta.host_start = start as u32;
        self.meta.host_end = self.mark();
        last
    }

    /// Records an empty host here.
    #[inline]
    pub(super) fn empty_host(&mut self) -> Rule {
        self.host_is(self.pos, HostKind::Name, Rule::Host)
    }

    /// Records that the path starts here, after a host.
    #[inline]
    pub(super) fn path_of(&mut self, kind: Kind) {
        self.meta.kind = kind;
        self.meta.path_start = self.mark();
    }

    /// Records that the path ends here, before a `?` or the end.
    #[inline]
    pub(super) fn path_ends(&mut self) {
        self.meta.path_end = self.mark();
    }

    /// The current offset, in the type of the recorded offsets.
    #[inline]
    pub(super) fn mark(&self) -> u32 {
        // The cast is safe because of the second invariant.
        self.pos as u32
    }

    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// Moves to `pos`, but not beyond the end.
    #[inline]
    pub(super) fn jump(&mut self, pos: usize) {
        self.pos = pos.min(self.text.len());
    }

    /// The next byte, which may be a `#`. `None` at the end.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.pos).copied()
    }

    /// The bytes that have not been read yet.
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.get(self.pos..).unwrap_or_default()
    }

    /// The bytes read since `start`.
    #[inline]
    pub(super) fn since(&self, start: usize) -> &'a [u8] {
        self.text.get(start..self.pos).unwrap_or_default()
    }

    /// True at the end of the URL, which is the end of the text or a `#`
    /// (docs/profiles.md, ruling 3).
    #[inline]
    pub(super) fn at_end(&self) -> bool {
        matches!(self.peek(), None | Some(b'#'))
    }

    /// Reads `byte` if it is next.
    #[inline]
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.pos += usize::from(found);
        found
    }

    /// A fault of `rule` here.
    #[cold]
    pub(super) fn fault(&self, rule: Rule) -> Refusal {
        Refusal {
            rule,
            at: self.mark(),
        }
    }

    /// Reads `literal`. Fails at the first byte that differs from it.
    #[inline]
    pub(super) fn expect(&mut self, literal: &[u8], rule: Rule) -> Result<(), Refusal> {
        if self.rest().starts_with(literal) {
            self.pos += literal.len();
            return Ok(());
        }
        for &byte in literal {
            if !self.eat(byte) {
                break;
            }
        }
        Err(self.fault(rule))
    }

    /// Fails unless the URL ends here. `rule` is the production that the next
    /// byte does not belong to.
    #[inline]
    pub(super) fn end(&self, rule: Rule) -> Result<(), Refusal> {
        if self.at_end() {
            Ok(())
        } else {
            Err(self.fault(rule))
        }
    }

    /// Fails unless all text was read. The text of a cursor from
    /// [`Cursor::up_to`] ends at a delimiter, not at the end of the URL.
    #[inline]
    pub(super) fn exhausted(&self, rule: Rule) -> Result<(), Refusal> {
        if self.pos == self.text.len() {
            Ok(())
        } else {
            Err(self.fault(rule))
        }
    }

    /// The production of a fault after a host and port. `last` is the
    /// production that was read last. If a delimiter or the end follows, the
    /// host is complete. Then the fault is in `whole`, the production of the
    /// URL.
    #[inline]
    pub(super) fn after_host(&self, last: Rule, whole: Rule) -> Rule {
        match self.peek() {
            None | Some(b'/' | b'?' | b'#') => whole,
            Some(_) => last,
        }
    }

    /// The fault of a missing host. Its production is `host` before a delimiter
    /// or the end, and `name` before any other byte.
    #[cold]
    pub(super) fn no_host(&self, name: Rule) -> Refusal {
        match self.peek() {
            None | Some(b'/' | b'?' | b'#' | b':' | b'@') => self.fault(Rule::Host),
            Some(_) => self.fault(name),
        }
    }

    /// Reads a required `/`. At the end of the URL the fault is in `whole`, the
    /// production of the URL. Before another byte it is in `part`, the
    /// production that was just read.
    #[inline]
    pub(super) fn slash(&mut self, part: Rule, whole: Rule) -> Result<(), Refusal> {
        if self.eat(b'/') {
            Ok(())
        } else if self.at_end() {
            Err(self.fault(whole))
        } else {
            Err(self.fault(part))
        }
    }

    /// Reads `*( class / escape )`. Stops before the first byte that is
    /// neither. A `%` without two hexadecimal digits is a fault of `rule`. The
    /// fault is at the byte that should be a digit.
    #[inline]
    pub(super) fn run(&mut self, class: &impl ByteSet, rule: Rule) -> Result<(), Refusal> {
        self.pos = class.span(self.text, self.pos);
        match self.peek() {
            Some(b'%' | 0x80..) => self.run_on(class, rule),
            _ => Ok(()),
        }
    }

    /// Continues [`Cursor::run`] after its fast path, which needs no loop.
    #[inline(never)]
    fn run_on(&mut self, class: &impl ByteSet, rule: Rule) -> Result<(), Refusal> {
        loop {
            match self.peek() {
                Some(b'%') => self.escape(rule)?,
                Some(0x80..) if self.eat_beyond() => {}
                _ => return Ok(()),
            }
            self.pos = class.span(self.text, self.pos);
        }
    }

    /// Reads the next characters beyond ASCII, if the document allows them.
    /// Returns whether there were any.
    #[cold]
    pub(super) fn eat_beyond(&mut self) -> bool {
        let start = self.pos;
        loop {
            match self.beyond_len() {
                0 => return self.pos > start,
                len => self.pos += len,
            }
        }
    }

    /// The length of the next character if it is beyond ASCII and the document
    /// allows it, else 0.
    #[cold]
    fn beyond_len(&mut self) -> usize {
        if self.beyond == Beyond::Refused {
            return 0;
        }
        match beyond::character(self.rest()) {
            Some((beyond::Set::Ucschar, len)) => len,
            Some((beyond::Set::Iprivate, len)) if self.in_query() => len,
            _ => 0,
        }
    }

    /// True after the first `?` and before the first `#`. The positions are
    /// cached.
    fn in_query(&mut self) -> bool {
        let (start, end) = match self.beyond {
            Beyond::TakenQuery(start, end) => (start, end),
            Beyond::Refused | Beyond::Taken => {
                let url = self.text.split(|&byte| byte == b'#').next();
                let url = url.unwrap_or_default();
                let start = memchr::memchr(b'?', url).unwrap_or(url.len());
                // The casts are safe because of the second invariant.
                (start as u32, url.len() as u32)
            }
        };
        self.beyond = Beyond::TakenQuery(start, end);
        (start..end).contains(&self.mark())
    }

    /// Reads `1*( class / escape )`.
    #[inline]
    pub(super) fn run1(&mut self, class: &ByteClass, rule: Rule) -> Result<(), Refusal> {
        self.one(class, rule)?;
        self.run(class, rule)
    }

    /// Reads `class / escape`, one character.
    #[inline]
    pub(super) fn one(&mut self, class: &ByteClass, rule: Rule) -> Result<(), Refusal> {
        match self.peek() {
            Some(b'%') => self.escape(rule),
            Some(byte) if class.has(byte) => {
                self.pos += 1;
                Ok(())
            }
            Some(0x80..) => match self.beyond_len() {
                0 => Err(self.fault(rule)),
                len => {
                    self.pos += len;
                    Ok(())
                }
            },
            _ => Err(self.fault(rule)),
        }
    }

    /// Reads `*class`, without escapes. Returns the number of bytes.
    #[inline]
    pub(super) fn plain(&mut self, class: &ByteClass) -> usize {
        let start = self.pos;
        self.pos = class.span(self.text, start);
        self.pos - start
    }

    /// Reads `1*class`, without escapes.
    #[inline]
    pub(super) fn plain1(&mut self, class: &ByteClass, rule: Rule) -> Result<(), Refusal> {
        if self.plain(class) == 0 {
            return Err(self.fault(rule));
        }
        Ok(())
    }

    /// Reads `digits = 1*digit`.
    #[inline]
    pub(super) fn digits(&mut self, rule: Rule) -> Result<(), Refusal> {
        self.plain1(&DIGIT, rule)
    }

    /// Reads `escape = "%" hex hex`. The cursor is on the `%`.
    fn escape(&mut self, rule: Rule) -> Result<(), Refusal> {
        self.pos += 1;
        for _ in 0..2 {
            if !self.peek().is_some_and(|byte| HEX.has(byte)) {
                return Err(self.fault(rule));
            }
            self.pos += 1;
        }
        Ok(())
    }

    /// True if `escape`, such as `%00`, is next. Its hexadecimal digits may
    /// have either case.
    #[inline]
    pub(super) fn at_escape(&self, escape: &[u8; 3]) -> bool {
        // The first comparison is a fast path, because few characters are escapes.
        let is_next = |next: &[u8]| next.eq_ignore_ascii_case(escape);
        self.peek() == Some(b'%') && self.rest().get(..3).is_some_and(is_next)
    }

    /// Reads a dot, plain or escaped.
    #[inline]
    pub(super) fn eat_dot(&mut self) -> bool {
        let len = match self.peek() {
            Some(b'.') => 1,
            Some(b'%') if self.at_escape(b"%2E") => 3,
            _ => return false,
        };
        self.pos += len;
        true
    }

    /// As [`Cursor::run`], but stops before `escape`.
    pub(super) fn run_to(
        &mut self,
        escape: &[u8; 3],
        class: &ByteClass,
        rule: Rule,
    ) -> Result<(), Refusal> {
        loop {
            self.plain(class);
            if self.peek() != Some(b'%') || self.at_escape(escape) {
                return Ok(());
            }
            self.escape(rule)?;
        }
    }

    /// The offset of the first `@` before the first byte of `stops` or `#`.
    pub(super) fn first_at_sign(&self, stops: &[u8]) -> Option<usize> {
        let rest = self.rest();
        let is_end = |byte: &u8| matches!(byte, b'@' | b'#') || stops.contains(byte);
        let found = rest.iter().position(is_end)?;
        (rest.get(found) == Some(&b'@')).then_some(self.pos + found)
    }

    /// The offset of the last `@` before the first byte of `stops` or `#`.
    pub(super) fn last_at_sign(&self, stops: &[u8]) -> Option<usize> {
        let rest = self.rest();
        let is_end = |byte: &u8| *byte == b'#' || stops.contains(byte);
        let end = rest.iter().position(is_end).unwrap_or(rest.len());
        memchr::memrchr(b'@', rest.get(..end)?).map(|found| self.pos + found)
    }

    /// A new cursor at this offset, whose offsets this cursor does not record.
    pub(super) fn fork(&self) -> Cursor<'a> {
        self.up_to(self.text.len())
    }

    /// A new cursor at this offset for the text up to `end`, whose offsets this
    /// cursor does not record.
    pub(super) fn up_to(&self, end: usize) -> Cursor<'a> {
        Cursor {
            text: self.text.get(..end).unwrap_or(self.text),
            beyond: match self.beyond {
                // Drop the cached positions, because the text may now end
                // earlier.
                Beyond::TakenQuery(..) => Beyond::Taken,
                beyond => beyond,
            },
            ..*self
        }
    }
}
