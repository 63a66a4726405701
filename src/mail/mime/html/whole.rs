//! Fast path for tokens that are complete in the slice. Nearly all tokens are.

use memchr::memchr2;

use super::super::MailSink;
use super::super::decoded::DecodedBytes;
use super::super::mapped::{Origin, line_feeds};
use super::super::out::{Cx, Out};
use super::reference::whole_reference;
use super::tags::{
    CLOSE, EQUALS, Element, SLASH, SPACE, bare_tag, find, first, is_space, plain_attributes,
    repeat, skip, zeros,
};
use super::{Context, Html, MAX_NAME, Quote, State, markup};
use crate::span::SeamKind;

/// The length of the text up to the next `<` or `&`. Half of the texts between
/// two tags are shorter than 16 bytes, and for these a call to `memchr2` costs more
/// than the search.
#[inline]
fn text_len(bytes: &[u8]) -> usize {
    for at in [0, 8] {
        let Some(near) = bytes.get(at..).and_then(|rest| rest.first_chunk()) else {
            break;
        };
        let word = u64::from_le_bytes(*near);
        let ends = zeros(word ^ repeat(b'<')) | zeros(word ^ repeat(b'&'));
        if ends != 0 {
            return at + first(ends);
        }
    }
    memchr2(b'<', b'&', bytes).unwrap_or(bytes.len())
}

/// Returns the end of the attributes without links that start at `n`. If a `>`
/// follows them, the end includes it, and the second value is true.
#[inline]
fn plain_attributes_end(n: usize, bytes: &[u8], element: &[u8], closing: bool) -> (usize, bool) {
    let n = match bytes.get(n) {
        Some(b'>') => n,
        _ => n + plain_attributes(&bytes[n..], element, closing),
    };
    let ends = bytes.get(n) == Some(&b'>');
    (n + usize::from(ends), ends)
}

/// Puts the gap into the text as one removal.
#[inline]
fn put_gap(rest: &mut DecodedBytes<'_>, out: &mut Out) {
    out.remove_markup(rest.take_gap());
}

impl Html {
    /// Processes complete tokens at the start of `rest`. `Html::steps` has the
    /// same result byte by byte, and processes all other tokens. Counts lines
    /// only where a link needs them.
    pub(super) fn whole_tokens<S: MailSink>(
        &mut self,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        loop {
            if self.state == State::Text
                && self.space.is_empty()
                && !self.long_space
                && !rest.is_other()
            {
                self.plain_tokens(rest, out, cx);
            }
            if rest.is_at_soft_break() {
                self.removal(rest.take(0), out, cx);
                continue;
            }
            let Some(&b) = rest.bytes().first() else {
                return;
            };
            if !self.whole_token(b, rest, out, cx) {
                return;
            }
        }
    }

    /// Processes text, character references, and tags without links. Nearly all
    /// tokens are such. Stops before any other token.
    ///
    /// Adjacent tags and the removed white space between them become one
    /// removal. Until it is put into the text, it is the gap of `rest`.
    fn plain_tokens<S: MailSink>(
        &mut self,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        while !rest.is_at_soft_break()
            && let bytes = rest.after_gap()
            && let Some(&b) = bytes.first()
        {
            let is_taken = match b {
                b'<' => self.plain_tag(bytes, rest, out, cx),
                _ if self.after_break && is_space(b) => {
                    rest.widen_gap_over_space();
                    true
                }
                b'&' => self.plain_reference(bytes, rest, out, cx),
                _ => self.plain_words(text_len(bytes), rest, out, cx),
            };
            if !is_taken {
                break;
            }
        }
        put_gap(rest, out);
    }

    /// Processes the next `left` bytes, which are text. Returns false before the end
    /// of the text if white space must be held.
    #[inline]
    fn plain_words<S: MailSink>(
        &mut self,
        mut left: usize,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        self.after_break = false;
        let mut gap = rest.take_gap();
        while left > 0 {
            let near = rest.before_escape();
            if near == 0 && rest.is_at_soft_break() {
                out.remove_markup(gap.take());
                out.remove(rest.take(0).origin);
                continue;
            }
            // An escape is one byte.
            let n = left.min(near.max(1));
            if !self.is_shown(&rest.bytes()[..n], out.last() == b'\n') {
                out.remove_markup(gap);
                self.text(rest.take(n), out, cx);
                return false;
            }
            left -= n;
            if near > 0 {
                let (bytes, source) = rest.take_copy(n);
                out.put_words(gap.take(), bytes, source, cx.sink);
            } else if let piece = rest.take(n)
                && let Origin::Seam(kind, span, lines) = piece.origin
            {
                let seam = (kind, span, lines);
                out.put_seam(gap.take(), seam, piece.bytes, cx.sink);
            }
        }
        true
    }

    /// Processes a character reference at the start of `bytes`, which are the bytes
    /// after the gap. Returns false if it is not complete.
    #[inline]
    fn plain_reference<S: MailSink>(
        &mut self,
        bytes: &[u8],
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let Some((n, c)) = whole_reference(bytes, Context::Text) else {
            return false;
        };
        self.after_break = false;
        let gap = rest.take_gap();
        rest.widen_gap(n, 0);
        if let Some((span, lines)) = rest.take_gap() {
            let mut utf8 = [0; 4];
            let text = c.encode_utf8(&mut utf8).as_bytes();
            let lines = lines - i64::from(c == '\n');
            out.put_seam(gap, (SeamKind::Entity, span, lines), text, cx.sink);
        }
        true
    }

    /// Processes a tag at the start of `bytes`, which are the bytes after the gap.
    /// Returns false if it may have a link or a content that is not text, or if it
    /// is not complete.
    #[inline]
    fn plain_tag<S: MailSink>(
        &mut self,
        bytes: &[u8],
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let closing = bytes.get(1) == Some(&b'/');
        let start = 1 + usize::from(closing);
        let (n, lines, element) = match bare_tag(&bytes[start..]) {
            Some((len, element)) => (start + len, 0, element),
            None => match self
                .memo
                .find(bytes)
                .or_else(|| self.unknown_tag(closing, bytes, rest, out))
            {
                Some(tag) => tag,
                None => return false,
            },
        };
        self.closing = closing;
        self.links.end_style();
        if element.breaks_line() {
            let is_seen = out.last() != b'\n';
            let gap = if is_seen { rest.take_gap() } else { None };
            rest.widen_gap(n, lines);
            if is_seen && let Some((span, lines)) = rest.take_gap() {
                out.put_seam(gap, (SeamKind::Markup, span, lines - 1), b"\n", cx.sink);
            }
            self.break_line(element);
            // A line feed often follows.
            if self.after_break && bytes.get(n) == Some(&b'\n') && rest.before_escape() > 0 {
                rest.widen_gap(1, 1);
            }
        } else {
            rest.widen_gap(n, lines);
            if element == Element::Anchor {
                self.href = None;
                self.end_anchor(out, cx);
            }
        }
        true
    }

    /// Reads a tag that is not known. Returns its length, the number of its line
    /// feeds, and its element. `None` if [`Html::plain_tag`] must return false. If
    /// the tag may have a link, its part before the link is then processed.
    fn unknown_tag(
        &mut self,
        closing: bool,
        bytes: &[u8],
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
    ) -> Option<(usize, i64, Element)> {
        let start = 1 + usize::from(closing);
        let len = self.name.read(&bytes[start..])?;
        let element = Element::of(&self.name);
        if !closing && matches!(element, Element::Raw(_)) {
            return None;
        }
        let (n, ends) = plain_attributes_end(start + len, bytes, &self.name, closing);
        if !ends {
            (self.closing, self.href) = (closing, None);
            put_gap(rest, out);
            let (source, lines) = rest.skip(n);
            self.tag.add_source(source, lines);
            self.state = State::BeforeAttribute;
            return None;
        }
        let lines = line_feeds(&bytes[..n]);
        self.memo.keep(&bytes[..n], element, lines);
        Some((n, lines, element))
    }

    /// True if all of this text is put into the visible text now, including white
    /// space at its end. `after_feed` is true if the text so far ends in a line
    /// feed.
    #[inline]
    fn is_shown(&self, text: &[u8], after_feed: bool) -> bool {
        let ends_in_space = text.last().is_some_and(|&b| is_space(b));
        if !ends_in_space || self.preformatted > 0 {
            return true;
        }
        let words = text.iter().rposition(|&b| !is_space(b));
        let space = &text[words.map_or(0, |i| i + 1)..];
        let feed = space.iter().position(|&b| b == b'\n');
        let is_held = words.is_none() && after_feed;
        !is_held && feed.is_none_or(|feed| feed + 1 == space.len())
    }

    /// Processes a token. Its first byte is `b`. Returns false if the token is not
    /// complete.
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
            (State::Text, b'<') => return self.whole_tag(rest, out, cx),
            (State::Text, _) if self.after_break && is_space(b) => {
                // An escape with this space is one byte.
                let near = rest.before_escape().max(1);
                let (source, lines) = rest.skip(skip(&rest.bytes()[..near], 0, SPACE));
                out.put_short(&markup(source, lines, b""), cx.sink);
            }
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
        let mut left = text_len(bytes);
        while left > 0 {
            let piece = rest.take(left);
            left -= piece.bytes.len();
            match piece.bytes {
                [] => self.removal(piece, out, cx),
                _ => self.text(piece, out, cx),
            }
        }
    }

    /// Processes a tag up to its first link. Returns false if the name of the tag is
    /// not complete.
    fn whole_tag<S: MailSink>(
        &mut self,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let bytes = rest.bytes();
        let closing = bytes.get(1) == Some(&b'/');
        let start = 1 + usize::from(closing);
        let name = bytes.get(start..).unwrap_or_default();
        let Some(len) = self.name.read(name) else {
            return false;
        };
        (self.closing, self.href) = (closing, None);
        let (n, ends) = plain_attributes_end(start + len, bytes, &self.name, closing);
        let (source, lines) = rest.skip(n);
        self.tag.add_source(source, lines);
        self.state = State::BeforeAttribute;
        if ends {
            self.end_tag(out, cx);
        }
        true
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
        let (mut n, ends) = plain_attributes_end(0, bytes, &self.name, self.closing);
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
