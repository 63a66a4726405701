//! HTML: the visible text, and the attributes that contain URLs.
//!
//! A tolerant tokeniser after the living standard (13.2.5). The caller pushes
//! bytes, and memory is bounded. Existing tokenisers do not fit: they pull from
//! a reader, keep each attribute and comment in memory, and give only the
//! offsets of tokens. A map also needs the offset of each character reference.
//!
//! The tag of a block element becomes a line break. All other tags, scripts,
//! styles and comments are removed. A character reference becomes its
//! character. White space next to the tag of a block element is removed. So
//! `<br>` and the line feed that most programs write after it are one line
//! break.
//!
//! Each link is a part of its own. It is passed on when its value is complete,
//! between two chunks of the visible text.

mod escaped;
mod links;
mod memo;
mod raw;
mod reference;
mod script;
mod tags;
mod text;
mod whole;

use memchr::memchr;

use crate::span::{SeamKind, Span};

use self::links::Links;
use self::memo::Memo;
pub(super) use self::tags::is_space;
use self::tags::{Element, Name, is_bracketed_text, link_attribute, starts_markup};
use super::decoded::DecodedBytes;
use super::mapped::{Held, MappedBytes, cover, line_feeds};
use super::out::{Cx, Out};
use super::{LinkAttribute, MailSink};

/// The maximum length of a character reference: `&`, a name or number, and `;`.
pub(super) const MAX_REFERENCE: usize = 32;
/// The maximum length of the names of elements and attributes. Longer names are
/// cut.
const MAX_NAME: usize = 16;
/// The maximum length of a link. A longer link is cut. In mail only inline
/// images (`data:`) are longer.
pub const MAX_LINK: usize = 16 * 1024;
/// The maximum length of white space that is removed. A longer run is text,
/// even next to a block element.
const MAX_SPACE: usize = 1024;

#[derive(Debug)]
pub(super) struct Html {
    state: State,
    /// The source line of the next byte.
    line: u64,
    /// Undecided bytes: `<` or `</` and a name, or a character reference.
    held: Held,
    /// The current tag, comment or script. It is removed.
    tag: Removed,
    /// The name of the element in lower case, cut.
    name: Name,
    closing: bool,
    /// Tags that were read before.
    memo: Memo,
    /// The name of the attribute in lower case, cut.
    attribute: Vec<u8>,
    links: Links,
    /// White space after a line feed. It is removed if the tag of a block
    /// element follows.
    space: Held,
    /// The current run of white space is longer than [`MAX_SPACE`].
    long_space: bool,
    /// The last token was the tag of a block element. White space after it is
    /// removed.
    after_break: bool,
    /// The number of open elements that keep white space.
    preformatted: u8,
    /// The number of the link in the `href` of this tag.
    href: Option<u32>,
    /// True inside the text of a link.
    anchored: bool,
}

impl Default for Html {
    fn default() -> Html {
        Html {
            state: State::Text,
            line: 1,
            held: Held::default(),
            tag: Removed::default(),
            name: Name::default(),
            closing: false,
            memo: Memo::default(),
            attribute: Vec::with_capacity(MAX_NAME),
            links: Links::default(),
            space: Held::default(),
            long_space: false,
            after_break: false,
            preformatted: 0,
            href: None,
            anchored: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    /// After `&`, in text or in an attribute value.
    Reference(Context),
    TagOpen,
    EndTagOpen,
    TagName,
    /// In a name longer than [`MAX_NAME`].
    LongTagName,
    BeforeAttribute,
    Attribute,
    AfterAttribute,
    BeforeValue,
    /// After `3` or `3D` at the start of a value that is a link.
    EscapedQuote,
    Value(Quote),
    MarkupDeclaration,
    CommentStart,
    /// After `<!--`, and this number of bytes of `[if`.
    Condition(usize),
    /// In a comment, after this number of `-`.
    Comment(u8),
    /// In other markup that ends with `>`.
    Declaration,
    /// In a script or style sheet, after this number of bytes of `</name`.
    Raw(&'static [u8], usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Text,
    Value(Quote),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    Double,
    Single,
    None,
}

impl Quote {
    /// The quote that begins with `b`.
    fn of(b: u8) -> Quote {
        match b {
            b'"' => Quote::Double,
            b'\'' => Quote::Single,
            _ => Quote::None,
        }
    }
}

/// Source bytes that were removed.
#[derive(Debug, Default)]
struct Removed {
    span: Option<Span>,
    opaque: bool,
    lines: i64,
}

impl Removed {
    fn add(&mut self, piece: &MappedBytes<'_>) {
        self.add_with(piece, piece.source_lines());
    }

    /// Adds the source of a piece with `lines` line feeds.
    fn add_with(&mut self, piece: &MappedBytes<'_>, lines: i64) {
        match piece.source() {
            None if piece.bytes.is_empty() => self.lines += lines,
            source => self.add_source(source, lines),
        }
    }

    /// Adds bytes that were decoded from `source`. `source` is `None` if the
    /// bytes have no place in the source. `lines` is the number of source line
    /// feeds.
    fn add_source(&mut self, source: Option<Span>, lines: i64) {
        match source {
            Some(span) => self.span = Some(cover(self.span, span)),
            None => self.opaque = true,
        }
        self.lines += lines;
    }

    /// Returns the removal as a piece whose text is `text`.
    fn take<'t>(&mut self, text: &'t [u8]) -> MappedBytes<'t> {
        let all = std::mem::take(self);
        markup(all.span.filter(|_| !all.opaque), all.lines, text)
    }
}

/// Markup that becomes `text`: its source bytes, if they have a place there,
/// and the number of their line feeds.
#[inline]
fn markup(source: Option<Span>, lines: i64, text: &[u8]) -> MappedBytes<'_> {
    let lines = lines - line_feeds(text);
    match source {
        Some(span) => MappedBytes::seam(SeamKind::Markup, span, text, lines),
        None => MappedBytes::opaque(text, lines),
    }
}

impl Html {
    /// Starts a text that begins on line `line` of the source.
    pub(super) fn start(&mut self, line: u64) {
        self.state = State::Text;
        self.line = line;
        self.held.clear();
        self.tag = Removed::default();
        self.links.clear();
        self.space.clear();
        (self.long_space, self.after_break, self.preformatted) = (false, false, 0);
        self.href = None;
        self.anchored = false;
    }

    /// Adds the next `n` bytes of `rest` to the tag.
    fn skip(&mut self, rest: &mut MappedBytes<'_>, n: usize) {
        let piece = rest.take(n);
        let lines = self.count(&piece);
        self.tag.add_with(&piece, lines);
    }

    /// Holds the next byte of `rest` until later bytes decide its meaning.
    fn hold(&mut self, rest: &mut MappedBytes<'_>) {
        let piece = rest.take(1);
        self.count(&piece);
        self.held.push(piece);
    }

    /// Advances the line number by the line feeds of `piece`. Returns their
    /// number.
    fn count(&mut self, piece: &MappedBytes<'_>) -> i64 {
        let lines = piece.source_lines();
        self.line = self.line.saturating_add_signed(lines);
        lines
    }

    /// Processes one piece.
    pub(super) fn put_piece<S: MailSink>(
        &mut self,
        piece: MappedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        if piece.bytes.is_empty() {
            self.count(&piece);
            self.removal(piece, out, cx);
        } else {
            self.put(piece.into(), out, cx);
        }
    }

    /// Processes bytes.
    pub(super) fn put<S: MailSink>(
        &mut self,
        mut rest: DecodedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        loop {
            self.whole_tokens(&mut rest, out, cx);
            self.line = self.line.saturating_add_signed(rest.passed_lines());
            let mut ahead = rest.clone();
            let Some(mut piece) = ahead.next_piece() else {
                return;
            };
            let len = piece.bytes.len();
            self.steps(&mut piece, out, cx);
            if piece.bytes.len() < len {
                rest.take(len - piece.bytes.len());
                rest.forget_lines();
            }
        }
    }

    /// Processes tokens byte by byte, up to a place where
    /// [`Html::whole_tokens`] can continue.
    fn steps<S: MailSink>(
        &mut self,
        rest: &mut MappedBytes<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        while let Some(&b) = rest.bytes.first() {
            match self.state {
                State::Text => {
                    let next = rest.bytes.get(1);
                    if next.is_some_and(|&next| !starts_markup(b, next)) {
                        let piece = rest.take(1);
                        self.put_text(piece, out, cx);
                    } else {
                        self.hold(rest);
                        self.state = match b {
                            b'<' => State::TagOpen,
                            _ => State::Reference(Context::Text),
                        };
                    }
                }
                State::Reference(place) => self.reference(place, rest, b, out, cx),
                State::TagOpen => match b {
                    b'/' => {
                        self.hold(rest);
                        self.state = State::EndTagOpen;
                    }
                    b'!' => self.commit(State::MarkupDeclaration, rest),
                    b'?' => self.commit(State::Declaration, rest),
                    _ if b.is_ascii_alphabetic() => self.tag_name(false),
                    _ => self.release(out, cx),
                },
                State::EndTagOpen => match b {
                    _ if b.is_ascii_alphabetic() => self.tag_name(true),
                    b'>' => {
                        self.commit(State::Text, rest);
                        self.put_markup(out, cx);
                    }
                    _ => self.commit(State::Declaration, rest),
                },
                State::TagName => {
                    if is_space(b) || b == b'/' || b == b'>' {
                        self.held_to_tag();
                        self.state = State::BeforeAttribute;
                    } else if b == b':' && is_bracketed_text(&self.name) {
                        self.release(out, cx);
                    } else if self.name.len() < MAX_NAME {
                        self.name.push(b.to_ascii_lowercase());
                        self.hold(rest);
                    } else {
                        self.held_to_tag();
                        self.state = State::LongTagName;
                    }
                }
                State::LongTagName => {
                    let n = rest
                        .bytes
                        .iter()
                        .position(|&b| is_space(b) || b == b'/' || b == b'>');
                    let all = rest.bytes.len();
                    self.skip(rest, n.unwrap_or(all));
                    if n.is_some() {
                        self.state = State::BeforeAttribute;
                    }
                }
                State::BeforeAttribute => {
                    self.attribute.clear();
                    self.state = State::Attribute;
                }
                State::Attribute => {
                    if is_space(b) || b == b'/' || b == b'>' {
                        self.state = State::AfterAttribute;
                    } else if b == b'=' && !self.attribute.is_empty() {
                        self.skip(rest, 1);
                        self.state = State::BeforeValue;
                    } else {
                        // Take at least this byte, which may be a leading `=`.
                        let more = rest.bytes[1..]
                            .iter()
                            .take_while(|&&b| !(is_space(b) || b"/>=".contains(&b)));
                        let n = 1 + more.count();
                        let room = MAX_NAME.saturating_sub(self.attribute.len());
                        let name = rest.bytes[..n].iter().take(room);
                        self.attribute.extend(name.map(u8::to_ascii_lowercase));
                        self.skip(rest, n);
                    }
                }
                State::AfterAttribute => {
                    if is_space(b) {
                        self.skip(rest, 1);
                    } else if b == b'=' {
                        self.skip(rest, 1);
                        self.state = State::BeforeValue;
                    } else {
                        self.state = State::BeforeAttribute;
                    }
                }
                State::BeforeValue => match b {
                    b'"' | b'\'' => {
                        self.skip(rest, 1);
                        self.start_value(Quote::of(b), rest);
                    }
                    b'>' => self.state = State::BeforeAttribute,
                    _ if is_space(b) => self.skip(rest, 1),
                    b'3' if self.link().is_some_and(LinkAttribute::is_one_url) => {
                        self.hold(rest);
                        self.state = State::EscapedQuote;
                    }
                    _ => self.start_value(Quote::None, rest),
                },
                State::EscapedQuote => self.escaped_quote(rest, b, out, cx),
                State::Value(quote) => {
                    // Any other byte is taken by `whole_tokens`.
                    self.hold(rest);
                    self.state = State::Reference(Context::Value(quote));
                }
                State::MarkupDeclaration => {
                    if b == b'-' {
                        self.skip(rest, 1);
                        self.state = State::CommentStart;
                    } else {
                        self.state = State::Declaration;
                    }
                }
                State::CommentStart => {
                    if b == b'-' {
                        self.skip(rest, 1);
                        self.state = State::Condition(0);
                    } else {
                        self.state = State::Declaration;
                    }
                }
                State::Condition(seen) => self.condition(seen, rest, b),
                State::Comment(dashes) => self.comment(dashes, rest, b, out, cx),
                State::Declaration => {
                    let end = memchr(b'>', rest.bytes).map(|i| i + 1);
                    let all = rest.bytes.len();
                    self.skip(rest, end.unwrap_or(all));
                    if end.is_some() {
                        self.state = State::Text;
                        self.put_markup(out, cx);
                    }
                }
                State::Raw(end, seen) => self.raw(end, seen, rest, b, out, cx),
            }
            if let State::Text | State::BeforeAttribute | State::Value(_) = self.state {
                return;
            }
        }
    }

    /// Passes on a removal of an earlier stage at its place. `piece` has no bytes.
    fn removal<S: MailSink>(&mut self, piece: MappedBytes<'_>, out: &mut Out, cx: &mut Cx<'_, S>) {
        match self.state {
            _ if !self.held.is_empty() => self.held.push(piece),
            State::Text if !self.space.is_empty() => self.space.push(piece),
            State::Text => out.put_short(&piece, cx.sink),
            State::Value(_) if self.links.is_wanted() => {
                self.tag.add(&piece);
                self.links.put(piece, self.line, out, cx);
            }
            State::Raw(b"</style", _) => {
                self.tag.add(&piece);
                self.links.style(piece, self.line, out, cx);
            }
            _ => self.tag.add(&piece),
        }
    }

    /// Treats the held bytes and the next byte as markup.
    fn commit(&mut self, state: State, rest: &mut MappedBytes<'_>) {
        self.held_to_tag();
        self.skip(rest, 1);
        self.state = state;
    }

    fn held_to_tag(&mut self) {
        for p in self.held.iter() {
            self.tag.add(&p);
        }
        self.held.clear();
    }

    /// Treats the held bytes as text.
    fn release<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        let held = std::mem::take(&mut self.held);
        for p in held.iter() {
            self.put_text(p, out, cx);
        }
        self.held = held;
        self.held.clear();
        self.state = State::Text;
    }

    fn tag_name(&mut self, closing: bool) {
        self.name.clear();
        self.closing = closing;
        self.href = None;
        self.state = State::TagName;
    }

    fn end_tag<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        self.state = State::Text;
        let element = Element::of(&self.name);
        if !self.closing
            && let Element::Raw(end) = element
        {
            // Everything from the start tag to the end tag is one removal.
            self.state = State::Raw(end, 0);
            return;
        }
        self.links.end_style();
        if element.breaks_line() {
            self.put_break(element, out, cx);
        } else {
            self.put_markup(out, cx);
        }
        if element == Element::Anchor {
            self.end_anchor(out, cx);
        }
    }

    /// At the end of a tag of `a`: the text of a link begins or ends.
    fn end_anchor<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        if self.anchored {
            self.anchored = false;
            cx.sink.anchor(None, out.end());
        }
        if let Some(link) = self.href.take()
            && !self.closing
        {
            self.anchored = true;
            cx.sink.anchor(Some(link), out.end());
        }
    }

    fn start_value(&mut self, quote: Quote, rest: &MappedBytes<'_>) {
        self.state = State::Value(quote);
        self.links.start(self.link(), self.line, rest);
    }

    /// The current attribute, if it can have links.
    fn link(&self) -> Option<LinkAttribute> {
        match self.closing {
            false => link_attribute(&self.attribute, &self.name),
            true => None,
        }
    }

    fn end_value<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        let link = self.links.end(&self.name, out, cx);
        if link.is_some() && self.attribute == b"href" {
            self.href = link;
        }
    }

    pub(super) fn finish<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        if let State::Reference(place) = self.state {
            self.resolve(place, None, out, cx);
        }
        if let State::TagOpen | State::EndTagOpen | State::TagName = self.state {
            self.release(out, cx);
        }
        // The standard drops a tag that is cut by the end of the input. Its
        // link is kept here, because it is useful.
        self.end_value(out, cx);
        self.held_to_tag();
        self.put_markup(out, cx);
        if self.anchored {
            self.anchored = false;
            cx.sink.anchor(None, out.end());
        }
    }
}
