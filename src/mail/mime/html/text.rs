//! The visible text: white space, and the line breaks of block elements.

use memchr::memchr;

use super::super::MailSink;
use super::super::mapped::MappedBytes;
use super::super::out::{Cx, Out};
use super::tags::{is_preformatted, is_space};
use super::{Html, MAX_SPACE};

impl Html {
    /// Processes text, including trailing white space. White space directly after
    /// the tag of a block element was removed before.
    pub(super) fn text<S: MailSink>(
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
        if words == n || self.preformatted > 0 {
            self.put_text(piece, out, cx);
            return;
        }
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
    pub(super) fn put_text<S: MailSink>(
        &mut self,
        piece: MappedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        self.release_space(out, cx);
        (self.after_break, self.long_space) = (false, false);
        out.put(piece, cx.sink);
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
    pub(super) fn put_break<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        for p in self.space.iter() {
            self.tag.add(&p);
        }
        self.space.clear();
        let text: &[u8] = if out.last() == b'\n' { b"" } else { b"\n" };
        out.put(self.tag.take(text), cx.sink);
        self.break_line();
    }

    /// Updates the state at the tag of a block element, also if no line break
    /// was appended for it.
    pub(super) fn break_line(&mut self) {
        if is_preformatted(&self.name) {
            self.preformatted = match self.closing {
                true => self.preformatted.saturating_sub(1),
                false => self.preformatted.saturating_add(1),
            };
        }
        self.long_space = false;
        self.after_break = self.preformatted == 0;
    }
}
