//! Fast path for tokens that are complete in the slice. Nearly all tokens are.

use memchr::memchr2;

use super::super::MailSink;
use super::super::decoded::DecodedBytes;
use super::super::out::{Cx, Out};
use super::reference::whole_reference;
use super::tags::{CLOSE, EQUALS, Element, SLASH, SPACE, find, is_space, plain_attributes, skip};
use super::{Context, Html, MAX_NAME, Quote, State, markup};

/// Puts the gap into the text as one removal.
#[inline]
fn put_gap(rest: &mut DecodedBytes<'_>, out: &mut Out) {
    if rest.has_gap() {
        let (source, lines) = rest.skip_gap();
        let piece = markup(source, lines, b"");
        if !piece.is_nothing() {
            out.remove(piece.origin);
        }
    }
}

impl Html {
    /// Processes complete tokens at the start of `rest`. `Html::steps` has the
    /// same result byte by byte, and processes all other tokens. Counts lines
    /// only where a link needs them.
    ///
    /// Adjacent tags and the removed white space between them become one
    /// removal. Until it is put into the text, it is the gap of `rest`.
    pub(super) fn whole_tokens<S: MailSink>(
        &mut self,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        loop {
            if rest.is_at_soft_break() {
                put_gap(rest, out);
                self.removal(rest.take(0), out, cx);
                continue;
            }
            let bytes = rest.after_gap();
            let Some(&b) = bytes.first() else {
                break;
            };
            let is_taken = match (self.state, b) {
                (State::Text, b'<') => self.whole_tag(bytes, rest, out, cx),
                (State::Text, _) if self.after_break && is_space(b) => {
                    // An escape with this space is one byte.
                    let near = rest.before_escape().max(1);
                    rest.widen_gap(skip(&bytes[..near], 0, SPACE));
                    true
                }
                _ => {
                    put_gap(rest, out);
                    self.whole_token(b, rest, out, cx)
                }
            };
            if !is_taken {
                break;
            }
        }
        put_gap(rest, out);
    }

    /// Processes a token other than a tag. Its first byte is `b`. Returns false
    /// if the token is not complete.
    fn whole_token<S: MailSink>(
        &mut self,
        b: u8,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        match (self.state, b) {
            (State::Text, b'&') => match whole_reference(rest.bytes(), Context::Text) {
                Some((n, c)) => self.character(Context::Text, c, rest.skip(n), out, cx),
                None => return false,
            },
            (State::Text, _) => self.words(rest, out, cx),
            (State::BeforeAttribute, _) => return self.attributes(rest, out, cx),
            (State::BeforeValue, b'"' | b'\'') => {
                self.line = self.line.saturating_add_signed(rest.passed_lines());
                let mut quote = rest.take(1);
                self.tag.add(&quote);
                quote.take(1);
                self.start_value(Quote::of(b), &quote);
            }
            (State::Value(quote), _) => return self.value(quote, rest, out, cx),
            _ => return false,
        }
        true
    }

    /// Processes the text up to the next `<` or `&`.
    fn words<S: MailSink>(
        &mut self,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        self.after_break = false;
        let bytes = rest.bytes();
        let mut left = memchr2(b'<', b'&', bytes).unwrap_or(bytes.len());
        while left > 0 {
            let piece = rest.take(left);
            left -= piece.bytes.len();
            match piece.bytes {
                [] => self.removal(piece, out, cx),
                _ => self.text(piece, out, cx),
            }
        }
    }

    /// Processes a tag up to its first link. `bytes` are the bytes after the gap,
    /// and start with the `<`. Returns false if the name of the tag is not
    /// complete.
    fn whole_tag<S: MailSink>(
        &mut self,
        bytes: &[u8],
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let closing = bytes.get(1) == Some(&b'/');
        let start = 1 + usize::from(closing);
        let name = bytes.get(start..).unwrap_or_default();
        let Some(len) = self.name.read(name) else {
            return false;
        };
        (self.closing, self.href) = (closing, None);
        let (n, ends) = self.plain_attributes(start + len, bytes);
        let element = Element::of(&self.name);
        let is_raw = !closing && matches!(element, Element::Raw(_));
        if ends && !is_raw && self.space.is_empty() {
            self.links.end_style();
            if !element.breaks_line() {
                rest.widen_gap(n);
                if element == Element::Anchor {
                    self.end_anchor(out, cx);
                }
                return true;
            }
            if out.last() == b'\n' {
                rest.widen_gap(n);
            } else {
                put_gap(rest, out);
                let (source, lines) = rest.skip(n);
                out.put_short(&markup(source, lines, b"\n"), cx.sink);
            }
            self.break_line(element);
            return true;
        }
        put_gap(rest, out);
        let (source, lines) = rest.skip(n);
        self.tag.add_source(source, lines);
        self.state = State::BeforeAttribute;
        if ends {
            self.end_tag(out, cx);
        }
        true
    }

    /// Returns the end of the attributes without links that start at `n`. If a
    /// `>` follows them, the end includes it, and the second value is true.
    #[inline]
    fn plain_attributes(&self, n: usize, bytes: &[u8]) -> (usize, bool) {
        let n = match bytes.get(n) {
            Some(b'>') => n,
            _ => n + plain_attributes(&bytes[n..], &self.name, self.closing),
        };
        let ends = bytes.get(n) == Some(&b'>');
        (n + usize::from(ends), ends)
    }

    /// Processes attributes without links, or the name of an attribute with a
    /// link. Returns false if that name is not complete.
    fn attributes<S: MailSink>(
        &mut self,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let bytes = rest.bytes();
        let (mut n, ends) = self.plain_attributes(0, bytes);
        if n == 0 {
            let name = find(bytes, 0, SPACE | SLASH | CLOSE | EQUALS);
            if name == 0 || bytes.get(name) != Some(&b'=') {
                return false;
            }
            self.attribute.clear();
            self.attribute
                .extend_from_slice(&bytes[..name.min(MAX_NAME)]);
            self.attribute.make_ascii_lowercase();
            self.state = State::BeforeValue;
            n = name + 1;
        }
        let (source, lines) = rest.skip(n);
        self.tag.add_source(source, lines);
        if ends {
            self.end_tag(out, cx);
        }
        true
    }

    /// Processes a part of a value, or its end. Returns false at a reference that
    /// is not complete.
    fn value<S: MailSink>(
        &mut self,
        quote: Quote,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let bytes = rest.bytes();
        let is_end = |b: u8| match quote {
            Quote::Double => b == b'"',
            Quote::Single => b == b'\'',
            Quote::None => is_space(b) || b == b'>',
        };
        let n = match quote {
            Quote::Double => memchr2(b'"', b'&', bytes),
            Quote::Single => memchr2(b'\'', b'&', bytes),
            Quote::None => bytes.iter().position(|&b| b == b'&' || is_end(b)),
        };
        let mut left = n.unwrap_or(bytes.len());
        if left > 0 {
            while left > 0 {
                self.line = self.line.saturating_add_signed(rest.passed_lines());
                let piece = rest.take(left);
                left -= piece.bytes.len();
                self.tag.add(&piece);
                self.links.put(piece, self.line, out, cx);
            }
        } else if is_end(bytes[0]) {
            if quote != Quote::None {
                self.tag.add(&rest.take(1));
            }
            self.end_value(out, cx);
            self.state = State::BeforeAttribute;
        } else if self.links.is_wanted() {
            let place = Context::Value(quote);
            let Some((n, c)) = whole_reference(bytes, place) else {
                return false;
            };
            let (source, lines) = rest.skip(n);
            self.tag.add_source(source, lines);
            self.character(place, c, (source, lines), out, cx);
        } else {
            self.tag.add(&rest.take(1));
        }
        true
    }
}
