//! Reads a tag to its end, and does what its element wants: a line break, a link, the text of a link, content
//! that nobody sees.

use memchr::memchr;

use super::super::mapped::line_feeds;
use super::super::note::MessageNoteKind;
use super::super::sink::MailSink;
use super::super::text::MAX_TOKEN;
use super::css;
use super::page::Page;
use super::tags::{
    CLOSE, Element, Link, SPACE, TagEnd, Value, Wanted, attributes, find, is_space, link_attribute,
    run, xml_attribute,
};
use super::{Flow, Html, State};
use urlgrep_base::span::SeamKind;

impl Html {
    /// Reads the rest of a tag.
    pub(super) fn tag<S: MailSink>(&mut self, page: &mut Page<'_, '_, '_, S>) -> Flow {
        let bytes = &page.bytes()[page.at..];
        self.attributes(&bytes[..bytes.len().min(MAX_TOKEN)], 0, page)
    }

    /// Reads the attributes at `at`, and the end of the tag. `bytes` are those after
    /// the place of the page, up to the limit for a token.
    #[expect(
        clippy::too_many_lines,
        reason = "one tag, from its attributes to the state that its end leaves"
    )]
    pub(super) fn attributes<S: MailSink>(
        &mut self,
        bytes: &[u8],
        at: usize,
        page: &mut Page<'_, '_, '_, S>,
    ) -> Flow {
        self.values.clear();
        let element = (!self.closing).then_some(&*self.name);
        let link: Link = if self.is_xml {
            xml_attribute
        } else {
            link_attribute
        };
        let wanted = Wanted {
            link,
            reads_marks: self.reads_marks,
        };
        let before = self.seen.mark();
        let (seen, values) = (&mut self.seen, &mut self.values);
        let sink = &mut *page.cx.sink;
        let read = |name: &[u8], value: &[u8], whole| sink.attribute(name, value, whole);
        let (open, quote) = match attributes(bytes, at, element, wanted, seen, values, read) {
            TagEnd::At(len) => {
                let is_anchor = *self.name == *b"a";
                if is_anchor && self.divides_urls(len, page).is_none() {
                    // The attributes are read again.
                    self.seen.restore(before);
                    return Flow::Stop;
                }
                page.cx.sink.tag(&self.name, self.closing);
                let element = if self.is_xml {
                    Element::of_xml(&self.name)
                } else {
                    if self.reads_marks {
                        self.begin_mark(bytes, page);
                    }
                    Element::of(&self.name)
                };
                if !self.values.is_empty() {
                    self.hand_links(page);
                }
                return self.end_tag(element, self.name.word(), len, page);
            }
            TagEnd::Open(open, quote) => (open, quote),
        };
        let is_far = bytes.len() == MAX_TOKEN;
        if !is_far && !page.end {
            // The attributes are read again.
            self.seen.restore(before);
            return Flow::Stop;
        }
        let (read, state) = match quote {
            // The standard drops a tag that is cut by the end of the input. Its
            // link is kept here, because it is useful. A value without its closing
            // quotation mark is the rest of the page, so only its first word is kept.
            _ if !is_far => {
                if let Some(Some(_)) = quote
                    && let Some(value) = self.values.last_mut()
                    && value.range.end == bytes.len()
                {
                    let start = value.range.start + run(&bytes[value.range.clone()], is_space);
                    value.range.end = find(bytes, start, SPACE | CLOSE);
                    value.is_unclosed = true;
                }
                page.settle();
                (bytes.len(), State::Text)
            }
            // A tag that is too long is removed attribute by attribute.
            _ if open > 0 => {
                let is_open = |value: &mut Value| value.range.end == bytes.len();
                self.values.pop_if(is_open);
                (open, State::Tag)
            }
            Some(quote) => (bytes.len(), State::Value(quote)),
            None => (bytes.len(), State::Tag),
        };
        page.holds_space = false;
        self.hand_links(page);
        page.at += read;
        if is_far && self.values.last().is_some_and(|v| v.range.end == read) {
            page.cx
                .note(MessageNoteKind::LinkTooLong, page.text_at(page.at).source());
        }
        self.state = state;
        Flow::Continue
    }

    /// Reads the rest of a value that is too long.
    pub(super) fn value<S: MailSink>(
        &mut self,
        quote: Option<u8>,
        page: &mut Page<'_, '_, '_, S>,
    ) -> Flow {
        let bytes = &page.bytes()[page.at..];
        let end = match quote {
            Some(quote) => memchr(quote, bytes).map(|n| n + 1),
            None => Some(find(bytes, 0, SPACE | CLOSE)).filter(|&n| n < bytes.len()),
        };
        self.end_at(end, State::Tag, page)
    }

    /// Ends a tag, which has this length.
    #[inline]
    pub(super) fn end_tag<S: MailSink>(
        &mut self,
        element: Element,
        name: u64,
        len: usize,
        page: &mut Page<'_, '_, '_, S>,
    ) -> Flow {
        self.state = State::Text;
        if !self.marks.open.is_empty() && self.marks.tag(name, self.closing) {
            let by = self.marks.enclosing();
            page.cx.sink.enclosed(by, page.out.end());
        }
        if element.breaks_line() {
            // The text already ends in a line feed if white space is held.
            if page.out.last() == b'\n' {
                page.at += len;
            } else {
                page.remove_to(page.at);
                let lines = line_feeds(&page.bytes()[page.at..][..len]);
                page.at += len;
                page.replace(SeamKind::Markup, b"\n", lines - 1);
            }
            page.holds_space = false;
            if element != Element::LineBreak || self.after_break {
                page.cx.sink.paragraph(page.out.end());
            }
            self.break_line(element);
            return Flow::Continue;
        }
        // XML alone has elements that end where they begin.
        let is_empty = self.is_xml && page.bytes()[page.at..][..len].ends_with(b"/>");
        if let Element::Character(character) = element
            && !self.closing
        {
            page.remove_to(page.at);
            let lines = line_feeds(&page.bytes()[page.at..][..len]);
            page.at += len;
            page.replace(SeamKind::Markup, &[character], lines);
            return Flow::Continue;
        }
        if element == Element::Anchor && self.divides_urls(len, page) == Some(true) {
            return self.divide(len, page);
        }
        page.at += len;
        match element {
            Element::Anchor => self.end_anchor(page),
            // Everything from the start tag to the end tag is one removal.
            Element::Raw(end) if !self.closing && !is_empty => self.begin_raw(end),
            _ => {}
        }
        Flow::Continue
    }

    /// True if the tag of `a`, which has this length, is at the end of a word, and a URL begins
    /// directly after it: a URL before it goes on no further. `None` if more bytes must follow to
    /// know it.
    pub(super) fn divides_urls<S: MailSink>(
        &self,
        len: usize,
        page: &Page<'_, '_, '_, S>,
    ) -> Option<bool> {
        const SCHEMES: [&[u8]; 2] = [b"https://", b"http://"];
        let last = page.out.last();
        let ends_word = if self.closing {
            self.anchored && !is_space(last)
        } else {
            last.is_ascii_alphanumeric()
        };
        if !ends_word || page.holds_space {
            return Some(false);
        }
        let next = &page.bytes()[page.at + len..];
        let next = next.strip_prefix(b"(").unwrap_or(next);
        if SCHEMES.iter().any(|scheme| next.starts_with(scheme)) {
            return Some(true);
        }
        let may_begin = !page.end && SCHEMES.iter().any(|scheme| scheme.starts_with(next));
        (!may_begin).then_some(false)
    }

    /// At such a tag: a blank stands for it.
    #[cold]
    fn divide<S: MailSink>(&mut self, len: usize, page: &mut Page<'_, '_, '_, S>) -> Flow {
        page.remove_to(page.at);
        let lines = line_feeds(&page.bytes()[page.at..][..len]);
        page.at += len;
        let is_end = self.closing;
        if is_end {
            self.end_anchor(page);
        }
        page.replace(SeamKind::Markup, b" ", lines);
        if !is_end {
            self.end_anchor(page);
        }
        Flow::Continue
    }

    /// At the tag of a block element.
    #[inline]
    fn break_line(&mut self, element: Element) {
        if element.keeps_space() {
            self.preformatted = if self.closing {
                self.preformatted.saturating_sub(1)
            } else {
                self.preformatted.saturating_add(1)
            };
        }
        match element {
            Element::Fallback(end) if !self.closing => self.begin_raw(end),
            Element::Title(verbatim) | Element::Verbatim(verbatim) if !self.closing => {
                self.verbatim = Some(verbatim);
            }
            _ => {}
        }
        self.long_space = false;
        self.after_break = self.preformatted == 0;
    }

    /// At the end of a start tag, after which invisible text follows up to `end`.
    pub(super) fn begin_raw(&mut self, end: &'static [u8]) {
        self.state = State::Raw(end);
        self.sheet = css::Place::Sheet;
    }

    /// At the end of a tag of `a`: the text of a link begins or ends.
    pub(super) fn end_anchor<S: MailSink>(&mut self, page: &mut Page<'_, '_, '_, S>) {
        let end = page.out.end();
        if std::mem::take(&mut self.anchored) {
            page.cx.sink.anchor(None, end);
        }
        if let Some(link) = self.href.take()
            && !self.closing
        {
            self.anchored = true;
            page.cx.sink.anchor(Some(link), end);
        }
    }
}
