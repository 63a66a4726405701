//! The cursor that all rules use: a text and an offset in it.
//!
//! It knows only what all profiles share: an escape is `%` and two hexadecimal
//! digits and counts as one character, a `#` ends the URL, and a fault has a
//! rule and an offset. The rules also record in it the offsets that they find.
//!
//! It also knows the one difference between `iri` and `current`: a character
//! beyond ASCII is allowed wherever an escape is (see [`iri`]).

use super::class::{ByteClass, DIGIT, HEX, Set};
use super::iri::{self, Beyond};
use super::parts::{HostKind, Kind, Shape};
use super::reject::{Refusal, Rule};

/// An offset in a text.
///
/// Invariants: `pos <= text.len()`, and `text.len()` fits in a `u32`
/// ([`validate`](super::validate) refuses longer texts before it makes a
/// cursor).
pub(super) struct Cursor<'a> {
    text: &'a [u8],
    pos: usize,
    shape: Shape,
    beyond: Beyond,
}

impl<'a> Cursor<'a> {
    /// A cursor at the start of `text`, for a document that takes characters
    /// beyond ASCII or does not.
    pub(super) fn new(text: &'a [u8], beyond: Beyond) -> Cursor<'a> {
        Cursor {
            text,
            pos: 0,
            shape: Shape::EMPTY,
            beyond,
        }
    }

    /// The offsets recorded so far.
    #[inline]
    pub(super) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Records that the path starts here and that there is no host.
    #[inline]
    pub(super) fn opaque(&mut self, kind: Kind) {
        self.shape.host_start = self.mark();
        self.shape.host_end = self.mark();
        self.path_of(kind);
    }

    /// Records that the user name before the host ends at `end`.
    #[inline]
    pub(super) fn user_is(&mut self, end: u32) {
        self.shape.user_end = end;
    }

    /// Records a host from `start` to here. Returns `last`, the production
    /// that was read last and could not take the next byte.
    #[inline]
    pub(super) fn host_is(&mut self, start: usize, kind: HostKind, last: Rule) -> Rule {
        self.shape.host = kind;
        self.shape.host_start = start as u32;
        self.shape.host_end = self.mark();
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
        self.shape.kind = kind;
        self.shape.path_start = self.mark();
    }

    /// Records that the path ends here, before a `?` or the end.
    #[inline]
    pub(super) fn path_ends(&mut self) {
        self.shape.path_end = self.mark();
    }

    /// The offset in the type that spans use.
    #[inline]
    pub(super) fn mark(&self) -> u32 {
        // OK because of the second invariant.
        self.pos as u32
    }

    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// Goes to `pos`, or to the end if that comes first.
    #[inline]
    pub(super) fn jump(&mut self, pos: usize) {
        self.pos = pos.min(self.text.len());
    }

    /// The next byte, a `#` included; `None` at the end.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.pos).copied()
    }

    /// The bytes that have not been read.
    #[inline]
    pub(super) fn rest(&self) -> &'a [u8] {
        self.text.get(self.pos..).unwrap_or_default()
    }

    /// The bytes read since `start`.
    #[inline]
    pub(super) fn since(&self, start: usize) -> &'a [u8] {
        self.text.get(start..self.pos).unwrap_or_default()
    }

    /// True at the end of the URL: at the end of the text or before a `#`
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

    /// Reads `literal`, or faults at the first byte that differs from it.
    #[inline]
    pub(super) fn expect(&mut self, literal: &[u8], rule: Rule) -> Result<(), Refusal> {
        for &byte in literal {
            if !self.eat(byte) {
                return Err(self.fault(rule));
            }
        }
        Ok(())
    }

    /// Faults unless the URL ends here. `rule` is the production that could
    /// not take the next byte.
    #[inline]
    pub(super) fn end(&self, rule: Rule) -> Result<(), Refusal> {
        if self.at_end() {
            Ok(())
        } else {
            Err(self.fault(rule))
        }
    }

    /// Faults unless all of the text is read; for the cursors of
    /// [`Cursor::up_to`], whose end is a delimiter and not the end of the URL.
    #[inline]
    pub(super) fn exhausted(&self, rule: Rule) -> Result<(), Refusal> {
        if self.pos == self.text.len() {
            Ok(())
        } else {
            Err(self.fault(rule))
        }
    }

    /// The production that could not continue after a host and port; `last`
    /// was read last. If a delimiter or the end follows, the host is complete,
    /// and the production is `whole`, that of the URL.
    #[inline]
    pub(super) fn after_host(&self, last: Rule, whole: Rule) -> Rule {
        match self.peek() {
            None | Some(b'/' | b'?' | b'#') => whole,
            Some(_) => last,
        }
    }

    /// The production that cannot start here: `host` before a delimiter or the
    /// end, `name` before any other byte.
    #[cold]
    pub(super) fn no_host(&self, name: Rule) -> Refusal {
        match self.peek() {
            None | Some(b'/' | b'?' | b'#' | b':' | b'@') => self.fault(Rule::Host),
            Some(_) => self.fault(name),
        }
    }

    /// Reads a `/` that is required here. At the end of the URL the fault is
    /// that of `whole`, the production of the URL. Before another byte it is
    /// that of `part`, the production just read.
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

    /// `*( class / escape )`. Stops before the first byte that is neither. A
    /// `%` without two hexadecimal digits is a fault of `rule`, at the byte
    /// that should be a digit.
    #[inline]
    pub(super) fn run(&mut self, class: &impl Set, rule: Rule) -> Result<(), Refusal> {
        loop {
            self.pos = class.span(self.text, self.pos);
            if !matches!(self.peek(), Some(b'%' | 0x80..)) {
                return Ok(());
            }
            if !self.beside_class(rule)? {
                return Ok(());
            }
        }
    }

    /// Reads an escape, or characters beyond ASCII. False if the document
    /// allows none here.
    fn beside_class(&mut self, rule: Rule) -> Result<bool, Refusal> {
        if self.peek() != Some(b'%') {
            return Ok(self.eat_beyond());
        }
        self.escape(rule).map(|()| true)
    }

    /// True if the next character is beyond ASCII and the document allows it.
    #[inline]
    pub(super) fn at_beyond(&mut self) -> bool {
        self.peek().is_some_and(|byte| byte >= 0x80) && self.beyond_len() > 0
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
        match iri::character(self.rest()) {
            Some((iri::Set::Ucschar, len)) => len,
            Some((iri::Set::Iprivate, len)) if self.in_query() => len,
            _ => 0,
        }
    }

    /// True after the first `?` and before the first `#`. The result of the
    /// search is cached.
    fn in_query(&mut self) -> bool {
        let (start, end) = match self.beyond {
            Beyond::TakenQuery(start, end) => (start, end),
            Beyond::Refused | Beyond::Taken => {
                let url = self.text.split(|&byte| byte == b'#').next();
                let url = url.unwrap_or_default();
                let start = memchr::memchr(b'?', url).unwrap_or(url.len());
                // OK because of the second invariant.
                (start as u32, url.len() as u32)
            }
        };
        self.beyond = Beyond::TakenQuery(start, end);
        (start..end).contains(&self.mark())
    }

    /// `1*( class / escape )`.
    #[inline]
    pub(super) fn run1(&mut self, class: &ByteClass, rule: Rule) -> Result<(), Refusal> {
        self.one(class, rule)?;
        self.run(class, rule)
    }

    /// `class / escape`: one character.
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

    /// `*class`, without escapes; how many were read.
    #[inline]
    pub(super) fn plain(&mut self, class: &ByteClass) -> usize {
        let start = self.pos;
        self.pos = class.span(self.text, start);
        self.pos - start
    }

    /// `1*class`, without escapes.
    #[inline]
    pub(super) fn plain1(&mut self, class: &ByteClass, rule: Rule) -> Result<(), Refusal> {
        if self.plain(class) == 0 {
            return Err(self.fault(rule));
        }
        Ok(())
    }

    /// `digits = 1*digit`.
    #[inline]
    pub(super) fn digits(&mut self, rule: Rule) -> Result<(), Refusal> {
        self.plain1(&DIGIT, rule)
    }

    /// `escape = "%" hex hex`, with the cursor on the `%`.
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

    /// True if `escape`, such as `%00`, is next; its hexadecimal digits may
    /// have either case.
    pub(super) fn at_escape(&self, escape: &[u8; 3]) -> bool {
        self.rest()
            .get(..3)
            .is_some_and(|next| next.eq_ignore_ascii_case(escape))
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

    /// The text from here to the first byte of `stops`, to a `#`, or to the
    /// end.
    fn stretch(&self, stops: &[u8]) -> &'a [u8] {
        let rest = self.rest();
        let end = rest
            .iter()
            .position(|byte| *byte == b'#' || stops.contains(byte));
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    /// The place of the first `@` before the first byte of `stops`.
    pub(super) fn first_at_sign(&self, stops: &[u8]) -> Option<usize> {
        let found = self.stretch(stops).iter().position(|&byte| byte == b'@');
        found.map(|i| self.pos + i)
    }

    /// The place of the last `@` before the first byte of `stops`.
    pub(super) fn last_at_sign(&self, stops: &[u8]) -> Option<usize> {
        let found = self.stretch(stops).iter().rposition(|&byte| byte == b'@');
        found.map(|i| self.pos + i)
    }

    /// A cursor here, with no offsets recorded.
    pub(super) fn fork(&self) -> Cursor<'a> {
        self.up_to(self.text.len())
    }

    /// A cursor here over a text that ends at `end`, with no offsets recorded.
    pub(super) fn up_to(&self, end: usize) -> Cursor<'a> {
        Cursor {
            text: self.text.get(..end).unwrap_or(self.text),
            pos: self.pos,
            shape: Shape::EMPTY,
            beyond: match self.beyond {
                // The text may end earlier here.
                Beyond::TakenQuery(..) => Beyond::Taken,
                beyond => beyond,
            },
        }
    }
}
