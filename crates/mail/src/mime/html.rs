//! HTML: the visible text, and the links in attributes and style sheets.
//!
//! A tolerant tokeniser, modelled on the HTML standard (13.2.5). The caller pushes bytes,
//! and memory is bounded. Existing tokenisers do not fit: they pull from a reader, keep each
//! attribute and comment in memory, and give only the offsets of tokens. We keep the place
//! in the source of everything we pass on, so we also need the offset of each character
//! reference. (In base64 a byte has no place of its own; see `transfer`.)
//!
//! The tag of a block element becomes a line break, unless the text already ends in
//! one: two `<br>` are one break. Any such tag but a single `<br>` also ends a paragraph,
//! which the sink learns (`paragraph`), because no URL goes on after it. White space after
//! such a tag is removed. White space before it is removed if the line has nothing else
//! before the tag, and if it is no longer than [`MAX_SPACE`]: we do not wait for the end of a
//! longer run. White space in `<pre>` is kept. All other tags, scripts, styles and comments
//! are removed, except that the content of a conditional comment is read as HTML. The content
//! of `<iframe>`, `<noembed>` and `<noframes>` is removed too, because no browser shows it. In
//! `<title>`, `<textarea>`, `<xmp>` and `<plaintext>` a tag is text. A character reference
//! becomes its characters.
//!
//! We know only a few elements of XML. So nearly every tag of it is a line break, and the
//! content of no element is hidden. The exceptions are `<a>`, and the runs into which
//! office programs divide a paragraph: a tag within a paragraph is no break.
//!
//! Each link is a part of its own. The links of a tag are passed on at the end of the
//! tag, and those of a style sheet at the end of each `url(…)` or `@import`, both between two
//! chunks of the visible text. Of an event handler or a `javascript:` URL, each string that is a
//! URL is a link. The sink also learns where the text of an `<a href>` begins and ends
//! (`anchor`), and which elements say who wrote a text (`enclosed`, see `marks`).
//!
//! # How to think about it
//!
//! [`Html::read`] reads the complete tokens of a text. It leaves an incomplete one at the
//! end, and [`Carry`](super::carry::Carry) gives it to `read` again, in front of the next
//! bytes. So a function here sees a whole comment start, a whole character reference, and
//! a whole tag of up to [`MAX_TOKEN`] bytes, and no second version of it is needed for tokens
//! that a chunk cuts. A function answers [`Flow::Stop`] if the text has ended, or if more
//! bytes could change what it decides. At the end of the page no more will come, so there
//! every function must decide about a token that is cut: it is text, or it is removed.
//!
//! A [`Page`] is the text at hand, with two positions in it. The tokeniser reads at `at`,
//! and everything before the position of `text` was passed on. Between the two is what was
//! read and not yet passed on: tags, which together will be one removal, or white space
//! after a line feed, which is text unless the tag of a block element follows.
//!
//! [`State`] exists only because some markup can have any length. Comments, declarations,
//! CDATA sections, scripts and style sheets always have a state of their own. A tag of up to
//! `MAX_TOKEN` bytes is read as a whole, in [`State::Text`]. The attributes of a longer one
//! are read one by one, in [`State::Tag`], and so are those of the end tag of a script or
//! style sheet, whatever its length.
//!
//! The trap is the boundary of two chunks. A decision that needs bytes that are not there
//! yet must wait for them, or two sizes of chunks give two results. The test
//! `chunks_make_no_difference` finds such a mistake within seconds. A soft line break that
//! an earlier stage removed is a hidden case of it. If one stands next to a tag, the two
//! removals could become one, but only if no chunk ends between them. So `pass_removals`
//! always keeps them apart. A soft line break inside a tag becomes part of the tag's removal.
//!
//! We had a second tokeniser once, for tags that lie whole in the chunk, and a machine
//! that read byte by byte for those that a chunk cuts. The two took 700 lines more. The one
//! of today takes 13 % fewer instructions on phishing mail, which is nearly all HTML, and up to
//! 5 % more instructions on a list whose mail is mostly quoted-printable.

mod css;
mod element;
mod links;
mod marks;
mod page;
mod reference;
mod script;
mod tags;
mod values;

use memchr::{memchr, memchr2, memmem};

pub(super) use self::links::base_scheme;
use self::links::{Links, Owner};
use self::marks::Marks;
use self::page::Page;
#[cfg(test)]
pub(super) use self::reference::MAX_REFERENCE;
pub(super) use self::reference::{Characters, reference};
pub(super) use self::tags::is_space;
use self::tags::{
    BareTag, Element, Name, NameEnd, SPACE, Seen, Value, Verbatim, bare_tag, breaks_line, raw_end,
    run, skip,
};
use super::out::{Cx, Out};
use super::part::{Context, LinkAttribute};
use super::sink::MailSink;
use super::text::{MAX_TOKEN, Text};
use urlgrep_base::span::SeamKind;

/// The maximum length of the names of elements and attributes. Longer names are
/// cut.
const MAX_NAME: usize = 16;
/// The maximum length of a link. A longer link is cut. In mail only inline
/// images (`data:`) are longer.
pub const MAX_LINK: usize = 16 * 1024;
/// The maximum length of white space that is removed before the tag of a block
/// element. A longer run is text. After such a tag any length is removed.
const MAX_SPACE: usize = 1024;

/// Reads HTML.
///
/// It is one thing: the token that is being read, and what the tags before it have left open.
#[derive(Debug)]
pub(super) struct Html {
    state: State,
    /// The source line of the next byte. In base64, whose lines are counted at the end of
    /// each chunk, it can be too low before that.
    line: i64,
    /// A line that the next byte is not before.
    least_line: i64,
    /// The name of the element in lower case, cut.
    name: Name,
    closing: bool,
    /// The number of the link in the `href` of this tag.
    href: Option<u32>,
    /// The values of this tag that may have links.
    values: Vec<Value>,
    links: Links,
    marks: Marks,
    /// The current run of white space is longer than [`MAX_SPACE`].
    long_space: bool,
    /// The last token was the tag of a block element. White space after it is
    /// removed.
    after_break: bool,
    /// The number of open elements that keep white space.
    preformatted: u8,
    /// The attributes of the current tag.
    seen: Seen,
    /// How the open element is read whose content has no tags.
    verbatim: Option<Verbatim>,
    /// Where the next byte of the open style sheet is.
    sheet: css::Place,
    /// True inside the text of a link.
    anchored: bool,
    /// The page is XML.
    is_xml: bool,
    /// Elements that say who wrote a text are wanted.
    pub(super) reads_marks: bool,
}

impl Default for Html {
    fn default() -> Html {
        Html {
            state: State::Text,
            line: 1,
            least_line: 1,
            name: Name::default(),
            closing: false,
            href: None,
            values: Vec::new(),
            links: Links::default(),
            marks: Marks::default(),
            long_space: false,
            after_break: false,
            preformatted: 0,
            seen: Seen::default(),
            verbatim: None,
            sheet: css::Place::Sheet,
            anchored: false,
            is_xml: false,
            reads_marks: true,
        }
    }
}

/// Where the next byte is. In text, the next byte begins a token. The other states
/// are inside markup that may be longer than a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    /// In a tag, before an attribute.
    Tag,
    /// In the rest of a value that ends with this quotation mark, or with white
    /// space or a `>`.
    Value(Option<u8>),
    /// In a comment. True after two hyphens, with which it can end.
    Comment(bool),
    /// In other markup that ends with `>`.
    Declaration,
    /// In the text of a CDATA section of XML.
    Cdata,
    /// In a script, style sheet or other invisible text that ends with this tag.
    Raw(&'static [u8]),
}

/// Whether the page can be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Continue,
    /// A token is not complete, or the text has ended.
    Stop,
}

impl Html {
    /// Starts a text that begins on line `line` of the source.
    pub(super) fn start(&mut self, line: u64, is_xml: bool, context: Context) {
        self.is_xml = is_xml;
        self.state = State::Text;
        self.line = line as i64;
        self.least_line = 0;
        self.links.start(context.base);
        self.marks = Marks::new(context.is_reply);
        // XML keeps its white space.
        let preformatted = u8::from(is_xml);
        self.long_space = false;
        self.after_break = false;
        self.preformatted = preformatted;
        self.href = None;
        self.anchored = false;
        self.verbatim = None;
    }

    /// Reads `text` up to a token that is not complete. `end` is true if the page
    /// ends with `text`.
    pub(super) fn read<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        self.least_line = self.least_line.max(self.line);
        let mut page = Page::new(text, end, out, cx);
        while let Flow::Continue = match self.state {
            State::Text => self.text(&mut page),
            State::Tag => self.tag(&mut page),
            State::Value(quote) => self.value(quote, &mut page),
            State::Comment(dashes) => self.comment(dashes, &mut page),
            State::Declaration => self.declaration(&mut page),
            State::Cdata => self.cdata(&mut page),
            State::Raw(end) => self.raw(end, &mut page),
        } {}
        if !page.holds_space {
            page.remove_to(page.at);
        }
        self.line += page.lines.up_to(page.text);
    }

    /// Ends the page.
    pub(super) fn finish<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        if std::mem::take(&mut self.anchored) {
            cx.sink.anchor(None, out.end());
        }
    }

    /// Reads text, and the tokens in it.
    fn text<S: MailSink>(&mut self, page: &mut Page<'_, '_, '_, S>) -> Flow {
        loop {
            page.pass_removals();
            let bytes = &page.bytes()[page.at..];
            let flow = match bytes.first() {
                None => Flow::Stop,
                Some(b'<') => self.markup(bytes, page),
                Some(&b) if self.after_break && is_space(b) => {
                    // A removal by another stage is not part of this one.
                    let near = &bytes[..bytes.len().min(page.removals.at() - page.at)];
                    page.at += skip(near, 0, SPACE);
                    Flow::Continue
                }
                Some(b'&') => self.reference(bytes, page),
                Some(_) => self.words(0, page),
            };
            if flow == Flow::Stop || self.state != State::Text {
                return flow;
            }
        }
    }

    fn reference<S: MailSink>(&mut self, bytes: &[u8], page: &mut Page<'_, '_, '_, S>) -> Flow {
        if self.verbatim.is_some_and(|element| !element.has_references) {
            return self.words(1, page);
        }
        match reference(bytes, false, page.end) {
            None => Flow::Stop,
            Some((n, None)) => self.words(n, page),
            Some((n, Some(to))) => {
                self.after_break = false;
                self.long_space = false;
                let mut utf8 = [0; 4];
                let to = to.encode(&mut utf8);
                page.remove_to(page.at);
                page.at += n;
                page.replace(SeamKind::Entity, to, -i64::from(to == b"\n"));
                Flow::Continue
            }
        }
    }

    /// Reads the text up to the next `<` or `&`. If the first `known` bytes have one
    /// of these, they are text too.
    ///
    /// White space after a line feed is removed if the tag of a block element
    /// follows. If that is not known, it is left.
    fn words<S: MailSink>(&mut self, known: usize, page: &mut Page<'_, '_, '_, S>) -> Flow {
        let bytes = &page.bytes()[page.at..];
        let more = memchr2(b'<', b'&', &bytes[known..]);
        let len = more.map_or(bytes.len(), |n| known + n);
        let (text, next) = bytes.split_at(len);
        page.settle();
        page.at += len;
        self.after_break = false;
        let ends_in_space = text.last().is_some_and(|&b| is_space(b));
        let held = if ends_in_space && self.preformatted == 0 {
            self.held_space(text, page.out.last() == b'\n')
        } else {
            self.long_space = false;
            0
        };
        page.copy_to(page.at - held);
        if held > 0 {
            page.out.pass_removals(page.text);
            page.holds_space = true;
            let is_far = next.len() >= MAX_TOKEN;
            match breaks_line(next, page.end || is_far) {
                Some(true) => {}
                Some(false) => page.settle(),
                None => return Flow::Stop,
            }
        }
        Flow::Continue
    }

    /// The length of the white space at the end of `text` that is removed if the tag
    /// of a block element follows. `after_feed` is true if a line feed precedes
    /// `text`.
    fn held_space(&mut self, text: &[u8], after_feed: bool) -> usize {
        let words = text
            .iter()
            .rposition(|&b| !is_space(b))
            .map_or(0, |i| i + 1);
        let space = &text[words..];
        let shown = if words == 0 && after_feed {
            0
        } else {
            memchr(b'\n', space).map_or(space.len(), |feed| feed + 1)
        };
        let held = space.len() - shown;
        self.long_space = held > MAX_SPACE || words == 0 && self.long_space;
        if self.long_space { 0 } else { held }
    }

    /// Reads the `<` at the start of `bytes`, and the name of its tag.
    #[inline]
    fn markup<S: MailSink>(&mut self, bytes: &[u8], page: &mut Page<'_, '_, '_, S>) -> Flow {
        if let Some(element) = self.verbatim {
            match element.ends_at(bytes, page.end) {
                Some(true) => self.verbatim = None,
                Some(false) => return self.words(1, page),
                None => return Flow::Stop,
            }
        }
        let closing = bytes.get(1) == Some(&b'/');
        let start = 1 + usize::from(closing);
        let Some(first) = bytes.get(start) else {
            return if page.end {
                self.words(start, page)
            } else {
                Flow::Stop
            };
        };
        if !first.is_ascii_alphabetic() {
            return self.other_markup(bytes, page);
        }
        if !self.is_xml
            && let Some(BareTag { len, element, name }) = bare_tag(&bytes[start..])
        {
            self.closing = closing;
            self.href = None;
            if element == Element::Anchor && self.divides_urls(start + len, page).is_none() {
                return Flow::Stop;
            }
            page.cx
                .sink
                .tag(&bytes[start..start + len - 1], self.closing);
            return self.end_tag(element, name, start + len, page);
        }
        let near = &bytes[..bytes.len().min(MAX_TOKEN)];
        let is_far = near.len() == MAX_TOKEN;
        let name = if self.is_xml {
            self.name.read_xml(&near[start..], page.end || is_far)
        } else {
            self.name.read(&near[start..], page.end || is_far)
        };
        match name {
            NameEnd::At(len) => {
                self.closing = closing;
                self.href = None;
                self.seen.clear();
                self.attributes(near, start + len, page)
            }
            NameEnd::Text(len) => self.words(start + len, page),
            NameEnd::Unknown => Flow::Stop,
        }
    }

    /// Reads a `<` without a name after it.
    fn other_markup<S: MailSink>(&mut self, bytes: &[u8], page: &mut Page<'_, '_, '_, S>) -> Flow {
        match bytes[1..] {
            [b'/', b'>', ..] => {
                page.at += 3;
                return Flow::Continue;
            }
            [b'/' | b'?', ..] => self.state = State::Declaration,
            [b'!', b'[', ref rest @ ..] if self.is_xml => {
                const CDATA: &[u8] = b"CDATA[";
                if !page.end && rest.len() < CDATA.len() && CDATA.starts_with(rest) {
                    return Flow::Stop;
                }
                self.state = State::Declaration;
                if rest.starts_with(CDATA) {
                    page.at += CDATA.len() + 1;
                    self.state = State::Cdata;
                }
            }
            [b'!', b'A'..=b'Z', ..] if self.is_xml => return self.names(bytes, page),
            [b'!', ref rest @ ..] => match after_bang(rest, page.end) {
                Some(state) => self.state = state,
                None => return Flow::Stop,
            },
            _ => return self.words(1, page),
        }
        page.at += 2;
        Flow::Continue
    }

    /// Reads a declaration of XML up to its first `>`. URLs in quotation marks in it are
    /// names: the DTD, and vocabularies that have an entity each.
    fn names<S: MailSink>(&mut self, bytes: &[u8], page: &mut Page<'_, '_, '_, S>) -> Flow {
        let near = &bytes[..bytes.len().min(MAX_TOKEN)];
        let end = memchr(b'>', near);
        if end.is_none() && near.len() < MAX_TOKEN && !page.end {
            return Flow::Stop;
        }
        let end = end.unwrap_or(near.len());
        self.name.read_xml(&near[1..], true);
        self.values.clear();
        self.values.push(Value {
            attribute: LinkAttribute::Namespace,
            range: 0..end,
            is_quoted: false,
            is_escaped: false,
            is_unclosed: false,
        });
        self.hand_links(page);
        page.at += end;
        self.state = State::Declaration;
        Flow::Continue
    }

    /// Reads a declaration, or markup that is read like one.
    fn declaration<S: MailSink>(&mut self, page: &mut Page<'_, '_, '_, S>) -> Flow {
        let end = memchr(b'>', &page.bytes()[page.at..]);
        self.end_at(end.map(|n| n + 1), State::Text, page)
    }

    /// Reads the text of a CDATA section, in which nothing is markup.
    fn cdata<S: MailSink>(&mut self, page: &mut Page<'_, '_, '_, S>) -> Flow {
        page.settle();
        let bytes = &page.bytes()[page.at..];
        let end = memmem::find(bytes, b"]]>");
        let brackets = bytes
            .iter()
            .rev()
            .take_while(|&&b| b == b']')
            .count()
            .min(2);
        let len = match end {
            None if !page.end => bytes.len() - brackets,
            end => end.unwrap_or(bytes.len()),
        };
        page.at += len;
        page.copy_to(page.at);
        match end {
            Some(_) => self.end_at(Some(3), State::Text, page),
            None => Flow::Stop,
        }
    }

    /// Reads markup up to its end, if that is known. `state` follows it.
    fn end_at<S: MailSink>(
        &mut self,
        end: Option<usize>,
        state: State,
        page: &mut Page<'_, '_, '_, S>,
    ) -> Flow {
        match end {
            Some(end) => {
                page.at += end;
                self.state = state;
                Flow::Continue
            }
            None => {
                page.at = page.bytes().len();
                Flow::Stop
            }
        }
    }

    /// Reads a comment. `--!>` also ends it, and `<!-->` is complete.
    fn comment<S: MailSink>(&mut self, dashes: bool, page: &mut Page<'_, '_, '_, S>) -> Flow {
        let bytes = page.bytes();
        let mut dashes = dashes;
        loop {
            if dashes {
                page.at += run(&bytes[page.at..], |b| b"-!".contains(&b));
                dashes = match bytes.get(page.at) {
                    Some(b'>') => return self.end_at(Some(1), State::Text, page),
                    Some(_) => false,
                    None => break,
                };
            }
            page.at += memchr(b'-', &bytes[page.at..]).unwrap_or(bytes.len() - page.at);
            match bytes[page.at..] {
                [b'-', b'-', ..] => {
                    page.at += 2;
                    dashes = true;
                }
                [_, _, ..] => page.at += 1,
                [_] if page.end => page.at += 1,
                _ => break,
            }
        }
        self.state = State::Comment(dashes);
        Flow::Stop
    }

    /// Reads a script, style sheet or other invisible text up to its end tag, which `tag`
    /// begins.
    fn raw<S: MailSink>(&mut self, tag: &'static [u8], page: &mut Page<'_, '_, '_, S>) -> Flow {
        let bytes = &page.bytes()[page.at..];
        let (mut len, ends) = raw_end(bytes, tag, page.end);
        if tag == b"</style" {
            let mut text = page.text_at(page.at);
            let line = self.line + page.lines.up_to(&text);
            let owner = Owner {
                attribute: LinkAttribute::Style,
                element: b"style",
                source: None,
                line,
                least_line: self.least_line,
                is_unclosed: false,
            };
            let mut sheet = text.take(len);
            let place = &mut self.sheet;
            self.links
                .style(&mut sheet, owner, place, ends, page.out, page.cx);
            if !ends && !page.end {
                len -= sheet.bytes().len();
            }
        }
        page.at += len;
        if !ends {
            return Flow::Stop;
        }
        page.at += tag.len();
        self.closing = true;
        self.state = State::Tag;
        Flow::Continue
    }
}

/// The state after `<!` and `rest`. `None` if more bytes must follow to know it:
/// never if `end` is true.
///
/// Some readers treat the content of a conditional comment as HTML, so it is read
/// as HTML. `<!--#…>` is a server command that was not executed. It ends like a tag.
fn after_bang(rest: &[u8], end: bool) -> Option<State> {
    const IF: &[u8] = b"--[if";
    let seen = rest
        .iter()
        .zip(IF)
        .take_while(|(a, b)| a.eq_ignore_ascii_case(b));
    let seen = seen.count();
    let is_cut = seen == rest.len() && seen < IF.len();
    let is_server_command = seen == 2 && rest.get(2) == Some(&b'#');
    if is_cut && !end {
        None
    } else if seen < 2 || is_server_command || seen == IF.len() {
        Some(State::Declaration)
    } else {
        Some(State::Comment(false))
    }
}
