//! Fast path for tokens that are complete in the slice. Nearly all tokens are.

use memchr::memchr2;

use super::super::MailSink;
use super::super::decoded::DecodedBytes;
use super::super::out::{Cx, Out};
use super::reference::whole_reference;
use super::tags::{name_len, plain_attributes};
use super::{Context, Html, State};

impl Html {
    /// Processes text, references and tags without links at the start of
    /// `rest`. A tag with a link is processed up to that link. `Html::steps`
    /// has the same result byte by byte, and processes all other tokens. Does
    /// not count lines.
    pub(super) fn whole_tokens<S: MailSink>(
        &mut self,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        loop {
            while let Some(removal) = rest.next_removal() {
                self.removal(removal, out, cx);
            }
            let Some(&b) = rest.bytes().first() else {
                return;
            };
            let is_taken = match (self.state, b) {
                (State::Text, b'<') => self.whole_tag(rest, out, cx),
                (State::Text, b'&') => self.character_of(rest, out, cx),
                (State::Text, _) => {
                    self.words(rest, out, cx);
                    true
                }
                (State::BeforeAttribute, _) => self.attributes(0, rest, out, cx),
                _ => false,
            };
            if !is_taken {
                return;
            }
        }
    }

    /// Processes the text up to the next `<` or `&`.
    fn words<S: MailSink>(
        &mut self,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
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

    /// Processes a complete reference. `rest` starts with its `&`.
    fn character_of<S: MailSink>(
        &mut self,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let Some((n, c)) = whole_reference(rest.bytes(), Context::Text) else {
            return false;
        };
        self.character(Context::Text, c, rest.skip(n), out, cx);
        true
    }

    /// Processes a tag up to its first link. `rest` starts with the `<`.
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
        let Some(len) = name_len(name) else {
            return false;
        };
        self.tag_name(closing, &name[..len]);
        self.state = State::BeforeAttribute;
        self.attributes(start + len, rest, out, cx)
    }

    /// Processes `n` bytes, the attributes without links that follow, and the
    /// `>` if it is next. Returns false if there are no such bytes.
    fn attributes<S: MailSink>(
        &mut self,
        n: usize,
        rest: &mut DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let bytes = rest.bytes();
        let n = match bytes.get(n) {
            Some(b'>') => n,
            _ => n + plain_attributes(&bytes[n..], &self.name, self.closing),
        };
        let ends = bytes.get(n) == Some(&b'>');
        let n = n + usize::from(ends);
        if n == 0 {
            return false;
        }
        let (source, lines) = rest.skip(n);
        self.tag.add_source(source, lines);
        if ends {
            self.end_tag(out, cx);
        }
        true
    }
}
