//! The visible text: white space, and the line breaks of block elements.

use memchr::memchr;

use super::super::MailSink;
use super::super::mapped::{MappedBytes, Origin};
use super::super::out::{Cx, Out};
use super::tags::{Element, is_space};
use super::{Html, MAX_SPACE};

/// The maximum length of a decoded character in UTF-8.
const SHORT: usize = 4;

impl Html {
    /// Processes text, including trailing white space. White space directly after
    /// the tag of a block element was removed before.
    #[inline]
    pub(super) fn text<S: MailSink>(
        &mut self,
        piece: MappedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let ends_in_space = piece.bytes.last().is_some_and(|&b| is_space(b));
        if !ends_in_space || self.preformatted > 0 {
            self.put_text(piece, out, cx);
        } else {
            self.text_and_space(piece, out, cx);
        }
    }

    /// Processes text that ends in white space.
    fn text_and_space<S: MailSink>(
        &mut self,
        mut piece: MappedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let n = piece.bytes.len();
        let words = piece
            .bytes
            .iter()
            .rposition(|&b| !is_space(b))
            .map_or(0, |i| i + 1);
        let after_feed = words == 0 && (out.last() == b'\n' || !self.space.is_empty());
        let from = match memchr(b'\n', &piece.bytes[words..]) {
            _ if after_feed => 0,
            Some(feed) => words + feed + 1,
            None => n,
        };
        if words > 0 {
            self.long_space = false;
        }
        if from > 0 {
            let long_space = self.long_space;
            self.put_text(piece.take(from), out, cx);
            self.long_space = long_space;
        }
        if from == n {
            return;
        }
        if self.long_space {
            out.put(piece, cx.sink);
        } else if self.space.bytes().len() + piece.bytes.len() > MAX_SPACE {
            self.put_text(piece, out, cx);
            self.long_space = true;
        } else {
            self.space.push(piece);
        }
    }

    /// Appends the held white space, then the text.
    #[inline]
    pub(super) fn put_text<S: MailSink>(
        &mut self,
        piece: MappedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        if !self.space.is_empty() {
            self.release_space(out, cx);
        }
        (self.after_break, self.long_space) = (false, false);
        match piece.origin {
            Origin::Copy(source) => out.put_copy(piece.bytes, source, cx.sink),
            _ if piece.bytes.len() <= SHORT => out.put_short(&piece, cx.sink),
            _ => out.put(piece, cx.sink),
        }
    }

    /// Appends the held white space as text.
    pub(super) fn release_space<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        for p in self.space.iter() {
            out.put(p, cx.sink);
        }
        self.space.clear();
    }

    /// Removes a comment, or a tag that does not break the line.
    pub(super) fn put_markup<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        self.release_space(out, cx);
        out.put(self.tag.take(b""), cx.sink);
    }

    /// Appends a line break for the tag of a block element, unless the text
    /// already ends in one.
    pub(super) fn put_break<S: MailSink>(
        &mut self,
        element: Element,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        for p in self.space.iter() {
            self.tag.add(&p);
        }
        self.space.clear();
        let text: &[u8] = if out.last() == b'\n' { b"" } else { b"\n" };
        out.put(self.tag.take(text), cx.sink);
        self.break_line(element);
    }

    /// Updates the state at the tag of a block element, also if no line break
    /// was appended for it.
    #[inline]
    pub(super) fn break_line(&mut self, element: Element) {
        if element == Element::Preformatted {
            self.preformatted = match self.closing {
                true => self.preformatted.saturating_sub(1),
                false => self.preformatted.saturating_add(1),
            };
        }
        self.long_space = false;
        self.after_break = self.preformatted == 0;
    }
}
