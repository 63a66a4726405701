//! HTML: the visible text, and the attributes that hold URLs.
//!
//! A tolerant tokeniser in the shape of the living standard (13.2.5), pushed
//! bytes and bounded in memory. The tokenisers that exist pull from a reader,
//! keep each attribute and comment whole, and give a place to tokens, not to
//! the character references in them; a map needs every one of them.
//!
//! Tags become line breaks (block elements) or nothing (the others), scripts,
//! styles and comments become nothing, character references become their
//! character. Each link is a part of its own, handed on as soon as its value
//! is complete, between two chunks of the visible text.

use memchr::{memchr, memchr2};

use crate::span::{SeamKind, Span};

use super::entities;
use super::out::{Cx, Out};
use super::piece::{Held, Piece, cover, line_feeds};
use super::{LinkAttribute, MailSink, NoteKind, PartKind};

/// The longest character reference: `&`, a name or number, and `;`.
pub(super) const MAX_REFERENCE: usize = 32;
/// Names of elements and attributes are not told apart behind this.
const MAX_NAME: usize = 16;
/// What of a longer link is handed on. Inline images (`data:`) are the only
/// long links that mail holds.
pub const MAX_LINK: usize = 16 * 1024;

#[derive(Debug)]
pub(super) struct Html {
    state: State,
    /// The line of the source that the next byte stands on.
    line: u64,
    /// `<`, `</` and a name, or a character reference, until it is decided on.
    held: Held,
    /// The tag, comment or script that is being removed.
    tag: Removed,
    /// The element's name in lower case, cut.
    name: Vec<u8>,
    closing: bool,
    /// The attribute's name in lower case, cut.
    attribute: Vec<u8>,
    /// The attribute whose value is gathered, if it is a link.
    wanted: Option<LinkAttribute>,
    value: Out,
    value_line: u64,
    value_source: Option<u64>,
    /// How many links the part has had.
    links: u32,
    /// The link of this tag's `href`.
    href: Option<u32>,
    /// Inside of a link's text.
    anchored: bool,
}

impl Default for Html {
    fn default() -> Html {
        Html {
            state: State::Text,
            line: 1,
            held: Held::default(),
            tag: Removed::default(),
            name: Vec::with_capacity(MAX_NAME),
            closing: false,
            attribute: Vec::with_capacity(MAX_NAME),
            wanted: None,
            value: Out::whole(),
            value_line: 1,
            value_source: None,
            links: 0,
            href: None,
            anchored: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    /// After `&`, in text or in a value.
    Reference(Place),
    TagOpen,
    EndTagOpen,
    TagName,
    /// A name longer than any that matters.
    LongTagName,
    BeforeAttribute,
    Attribute,
    AfterAttribute,
    BeforeValue,
    Value(Quote),
    MarkupDeclaration,
    CommentStart,
    /// In a comment, after so many `-`.
    Comment(u8),
    /// In anything else that ends with `>`.
    Declaration,
    /// In a script or style sheet: so many bytes of `</name` were seen.
    Raw(&'static [u8], usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Text,
    Value(Quote),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quote {
    Double,
    Single,
    None,
}

/// Source bytes that were removed.
#[derive(Debug, Default)]
struct Removed {
    span: Option<Span>,
    opaque: bool,
    lines: i64,
}

impl Removed {
    fn add(&mut self, piece: &Piece<'_>) {
        self.add_with(piece, piece.source_lines());
    }

    /// Adds a piece with so many line feeds in its source.
    fn add_with(&mut self, piece: &Piece<'_>, lines: i64) {
        match piece.source() {
            Some(span) => self.span = Some(cover(self.span, span)),
            None => self.opaque = self.opaque || !piece.bytes.is_empty(),
        }
        self.lines += lines;
    }

    /// The removal as a piece that stands for `text`.
    fn take<'t>(&mut self, text: &'t [u8]) -> Piece<'t> {
        let all = std::mem::take(self);
        let lines = all.lines - line_feeds(text);
        match all.span {
            Some(span) if !all.opaque => Piece::seam(SeamKind::Markup, span, text, lines),
            _ => Piece::opaque(text, lines),
        }
    }
}

/// Elements that do not break the line they stand in. Unknown elements are
/// taken for such.
fn breaks_line(name: &[u8]) -> bool {
    // Cells, controls and pictures as well: what stands on either side of
    // them does not belong together.
    #[rustfmt::skip]
    let breaks = matches!(
        name,
        b"address" | b"applet" | b"area" | b"article" | b"aside" | b"blockquote" | b"body"
            | b"br" | b"button" | b"caption" | b"center" | b"col" | b"dd" | b"details" |
            b"dialog" | b"dir" | b"div" | b"dl" | b"dt" | b"embed" | b"fieldset" |
            b"figcaption" | b"figure" | b"footer" | b"form" | b"frame" | b"frameset" |
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"header" | b"hr" |
            b"html" | b"iframe" | b"img" | b"input" | b"isindex" | b"legend" | b"li" |
            b"link" | b"listing" | b"main" | b"map" | b"marquee" | b"menu" | b"meta" |
            b"nav" | b"noframes" | b"noscript" | b"object" | b"ol" | b"optgroup" |
            b"option" | b"p" | b"plaintext" | b"pre" | b"section" | b"select" | b"summary"
            | b"table" | b"tbody" | b"td" | b"textarea" | b"tfoot" | b"th" | b"thead" |
            b"title" | b"tr" | b"ul" | b"video" | b"xmp"
    );
    breaks
}

/// `<http://…>` and `<URL:…>` in HTML are not tags but what a writer meant to
/// be seen. A colon in a real name separates a namespace, none of which is
/// one of these.
fn is_bracketed_text(name: &[u8]) -> bool {
    const WORDS: &[&[u8]] = &[
        b"file",
        b"ftp",
        b"gopher",
        b"http",
        b"https",
        b"mailto",
        b"news",
        b"nntp",
        b"prospero",
        b"telnet",
        b"url",
        b"wais",
    ];
    WORDS.binary_search(&name).is_ok()
}

/// Elements whose content is no markup and not shown.
fn raw_text(name: &[u8]) -> Option<&'static [u8]> {
    match name {
        b"script" => Some(b"</script"),
        b"style" => Some(b"</style"),
        _ => None,
    }
}

/// How long the white space and the attributes at the start of `bytes` are, in
/// [`State::BeforeAttribute`]: those that lie within the slice, as most do, and
/// hold no link. The states after it do the same byte by byte.
fn plain_attributes(bytes: &[u8], closing: bool) -> usize {
    let mut at = 0;
    loop {
        let start = at + run(&bytes[at..], |b| is_space(b) || b == b'/');
        if matches!(bytes.get(start), None | Some(b'>')) {
            return start;
        }
        // At least one byte, which may be a `=` at the start.
        let end = start + 1;
        let end = end + run(&bytes[end..], |b| !(is_space(b) || b"/>=".contains(&b)));
        at = end + run(&bytes[end..], is_space);
        match bytes.get(at) {
            None => return start,
            Some(b'=') => at += 1,
            // Without a value.
            Some(_) => continue,
        }
        if !closing && link_attribute(&bytes[start..end]).is_some() {
            return start;
        }
        at += run(&bytes[at..], is_space);
        let value = &bytes[at..];
        let len = match value.first() {
            Some(&quote @ (b'"' | b'\'')) => memchr(quote, &value[1..]).map(|i| i + 2),
            _ => Some(run(value, |b| !(is_space(b) || b == b'>'))).filter(|&n| n < value.len()),
        };
        match len {
            Some(len) => at += len,
            None => return start,
        }
    }
}

/// How many bytes at the start are of a kind.
fn run(bytes: &[u8], kind: impl Fn(u8) -> bool) -> usize {
    let other = bytes.iter().position(|&b| !kind(b));
    other.unwrap_or(bytes.len())
}

/// Which attribute with links `name`, in any case, is.
fn link_attribute(name: &[u8]) -> Option<LinkAttribute> {
    // As long as the longest of them.
    let mut lower = [0; 10];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    Some(match &*lower {
        b"href" => LinkAttribute::Href,
        b"src" => LinkAttribute::Src,
        b"action" => LinkAttribute::Action,
        b"cite" => LinkAttribute::Cite,
        b"background" => LinkAttribute::Background,
        _ => return None,
    })
}

/// False if `next` after `b`, a `<` or `&`, shows that `b` is text. The states
/// behind [`State::TagOpen`] and [`State::Reference`] come to the same.
fn starts_markup(b: u8, next: u8) -> bool {
    match b {
        b'<' => next.is_ascii_alphabetic() || matches!(next, b'/' | b'!' | b'?'),
        _ => next.is_ascii_alphabetic() || next == b'#',
    }
}

fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

impl Html {
    /// Starts a text, which begins on line `line` of the source.
    pub(super) fn start(&mut self, line: u64) {
        self.state = State::Text;
        self.line = line;
        self.held.clear();
        self.tag = Removed::default();
        self.wanted = None;
        self.links = 0;
        self.href = None;
        self.anchored = false;
    }

    /// Takes `n` bytes off `rest` as part of the tag.
    fn skip(&mut self, rest: &mut Piece<'_>, n: usize) {
        let piece = rest.take(n);
        let lines = self.count(&piece);
        self.tag.add_with(&piece, lines);
    }

    /// Takes one byte off `rest` to be decided on later.
    fn hold(&mut self, rest: &mut Piece<'_>) {
        let piece = rest.take(1);
        self.count(&piece);
        self.held.push(piece);
    }

    /// Goes on by the lines of `piece`; returns how many.
    fn count(&mut self, piece: &Piece<'_>) -> i64 {
        let lines = piece.source_lines();
        self.line = self.line.saturating_add_signed(lines);
        lines
    }

    pub(super) fn put<S: MailSink>(
        &mut self,
        mut rest: Piece<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        if rest.bytes.is_empty() {
            self.removal(rest, out, cx);
            return;
        }
        while let Some(&b) = rest.bytes.first() {
            match self.state {
                State::Text => {
                    let n = memchr2(b'<', b'&', rest.bytes).unwrap_or(rest.bytes.len());
                    if n > 0 {
                        let piece = rest.take(n);
                        self.count(&piece);
                        out.put(piece, cx.sink);
                    } else if rest
                        .bytes
                        .get(1)
                        .is_some_and(|&next| !starts_markup(b, next))
                    {
                        out.put(rest.take(1), cx.sink);
                    } else if b == b'<' {
                        self.tag_open(&mut rest, out, cx);
                    } else if !self.whole_reference(Place::Text, &mut rest, out, cx) {
                        self.hold(&mut rest);
                        self.state = State::Reference(Place::Text);
                    }
                }
                State::Reference(place) => self.reference(place, &mut rest, b, out, cx),
                State::TagOpen => match b {
                    b'/' => {
                        self.hold(&mut rest);
                        self.state = State::EndTagOpen;
                    }
                    b'!' => self.commit(State::MarkupDeclaration, &mut rest),
                    b'?' => self.commit(State::Declaration, &mut rest),
                    _ if b.is_ascii_alphabetic() => self.tag_name(false),
                    _ => self.release(out, cx),
                },
                State::EndTagOpen => match b {
                    _ if b.is_ascii_alphabetic() => self.tag_name(true),
                    b'>' => {
                        self.commit(State::Text, &mut rest);
                        out.put(self.tag.take(b""), cx.sink);
                    }
                    _ => self.commit(State::Declaration, &mut rest),
                },
                State::TagName => {
                    if is_space(b) || b == b'/' || b == b'>' {
                        self.held_to_tag();
                        self.state = State::BeforeAttribute;
                    } else if b == b':' && is_bracketed_text(&self.name) {
                        self.release(out, cx);
                    } else if self.name.len() < MAX_NAME {
                        self.name.push(b.to_ascii_lowercase());
                        self.hold(&mut rest);
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
                    self.skip(&mut rest, n.unwrap_or(all));
                    if n.is_some() {
                        self.state = State::BeforeAttribute;
                    }
                }
                State::BeforeAttribute => {
                    if !self.attributes(0, &mut rest, out, cx) {
                        self.attribute.clear();
                        self.state = State::Attribute;
                    }
                }
                State::Attribute => {
                    if is_space(b) || b == b'/' || b == b'>' {
                        self.state = State::AfterAttribute;
                    } else if b == b'=' && !self.attribute.is_empty() {
                        self.skip(&mut rest, 1);
                        self.state = State::BeforeValue;
                    } else {
                        // At least this byte, which may be a `=` at the start.
                        let more = rest.bytes[1..]
                            .iter()
                            .take_while(|&&b| !(is_space(b) || b"/>=".contains(&b)));
                        let n = 1 + more.count();
                        let room = MAX_NAME.saturating_sub(self.attribute.len());
                        let name = rest.bytes[..n].iter().take(room);
                        self.attribute.extend(name.map(u8::to_ascii_lowercase));
                        self.skip(&mut rest, n);
                    }
                }
                State::AfterAttribute => {
                    if is_space(b) {
                        self.skip(&mut rest, 1);
                    } else if b == b'=' {
                        self.skip(&mut rest, 1);
                        self.state = State::BeforeValue;
                    } else {
                        self.state = State::BeforeAttribute;
                    }
                }
                State::BeforeValue => match b {
                    b'"' | b'\'' => {
                        self.skip(&mut rest, 1);
                        let quote = match b {
                            b'"' => Quote::Double,
                            _ => Quote::Single,
                        };
                        self.start_value(quote, &rest);
                    }
                    b'>' => self.state = State::BeforeAttribute,
                    _ if is_space(b) => self.skip(&mut rest, 1),
                    _ => self.start_value(Quote::None, &rest),
                },
                State::Value(quote) => self.value(quote, &mut rest, out, cx),
                State::MarkupDeclaration => {
                    if b == b'-' {
                        self.skip(&mut rest, 1);
                        self.state = State::CommentStart;
                    } else {
                        self.state = State::Declaration;
                    }
                }
                State::CommentStart => {
                    if b == b'-' {
                        self.skip(&mut rest, 1);
                        // `<!-->` is a whole comment.
                        self.state = State::Comment(2);
                    } else {
                        self.state = State::Declaration;
                    }
                }
                State::Comment(dashes) => self.comment(dashes, &mut rest, b, out, cx),
                State::Declaration => {
                    let end = memchr(b'>', rest.bytes).map(|i| i + 1);
                    let all = rest.bytes.len();
                    self.skip(&mut rest, end.unwrap_or(all));
                    if end.is_some() {
                        self.state = State::Text;
                        out.put(self.tag.take(b""), cx.sink);
                    }
                }
                State::Raw(end, seen) => self.raw(end, seen, &mut rest, b),
            }
        }
    }

    /// A removal of an earlier stage keeps its place.
    fn removal<S: MailSink>(&mut self, piece: Piece<'_>, out: &mut Out, cx: &mut Cx<'_, S>) {
        self.count(&piece);
        match self.state {
            _ if !self.held.is_empty() => self.held.push(piece),
            State::Text => out.put(piece, cx.sink),
            State::Value(_) if self.wanted.is_some() => {
                self.tag.add(&piece);
                self.value.put(piece, cx.sink);
            }
            _ => self.tag.add(&piece),
        }
    }

    /// What was held is markup, and so is the next byte.
    fn commit(&mut self, state: State, rest: &mut Piece<'_>) {
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

    /// What was held is text.
    fn release<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        for p in self.held.iter() {
            out.put(p, cx.sink);
        }
        self.held.clear();
        self.state = State::Text;
    }

    /// At a `<`. A tag whose name lies within the slice, as most do, is taken
    /// at once; the states after [`State::TagOpen`] do the same byte by byte.
    fn tag_open<S: MailSink>(&mut self, rest: &mut Piece<'_>, out: &mut Out, cx: &mut Cx<'_, S>) {
        let closing = rest.bytes.get(1) == Some(&b'/');
        let start = 1 + usize::from(closing);
        let name = &rest.bytes[start.min(rest.bytes.len())..];
        let len = name
            .iter()
            .take(MAX_NAME)
            .take_while(|b| b.is_ascii_alphanumeric());
        let len = len.count();
        let ends = name
            .get(len)
            .is_some_and(|&b| is_space(b) || b == b'/' || b == b'>');
        if ends && name[0].is_ascii_alphabetic() {
            self.tag_name(closing);
            self.name
                .extend(name[..len].iter().map(u8::to_ascii_lowercase));
            self.state = State::BeforeAttribute;
            self.attributes(start + len, rest, out, cx);
        } else {
            self.hold(rest);
            self.state = State::TagOpen;
        }
    }

    /// Takes `n` bytes, the attributes behind them that hold no link, and the end
    /// of the tag, if it follows. False if that is nothing.
    fn attributes<S: MailSink>(
        &mut self,
        n: usize,
        rest: &mut Piece<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let n = n + plain_attributes(&rest.bytes[n..], self.closing);
        if rest.bytes.get(n) == Some(&b'>') {
            self.skip(rest, n + 1);
            self.end_tag(out, cx);
        } else if n > 0 {
            self.skip(rest, n);
        } else {
            return false;
        }
        true
    }

    /// At an `&`: takes a reference that lies within the slice, with its `;`.
    /// False if there is none; then [`Html::reference`] decides byte by byte.
    fn whole_reference<S: MailSink>(
        &mut self,
        place: Place,
        rest: &mut Piece<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> bool {
        let near = &rest.bytes[..rest.bytes.len().min(MAX_REFERENCE)];
        let len = near[1..]
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric() || **b == b'#');
        let len = 1 + len.count() + 1;
        if near.get(len - 1) != Some(&b';') {
            return false;
        }
        let Some((n, c)) = character(&near[..len], place, None).filter(|&(n, _)| n == len) else {
            return false;
        };
        let reference = rest.take(n);
        let lines = self.count(&reference);
        if place != Place::Text {
            self.tag.add_with(&reference, lines);
        }
        let mut utf8 = [0; 4];
        let text = c.encode_utf8(&mut utf8).as_bytes();
        let lines = lines - line_feeds(text);
        let piece = match reference.source() {
            Some(span) => Piece::seam(SeamKind::Entity, span, text, lines),
            None => Piece::opaque(text, lines),
        };
        self.put_decoded(place, piece, out, cx);
        true
    }

    fn tag_name(&mut self, closing: bool) {
        self.name.clear();
        self.closing = closing;
        self.href = None;
        self.state = State::TagName;
    }

    fn end_tag<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        let text: &[u8] = if breaks_line(&self.name) && out.last() != b'\n' {
            b"\n"
        } else {
            b""
        };
        self.state = State::Text;
        if !self.closing
            && let Some(end) = raw_text(&self.name)
        {
            // One removal from the start tag to the end tag.
            self.state = State::Raw(end, 0);
            return;
        }
        out.put(self.tag.take(text), cx.sink);
        if self.name == b"a" {
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
    }

    fn start_value(&mut self, quote: Quote, rest: &Piece<'_>) {
        self.state = State::Value(quote);
        self.wanted = match self.closing {
            false => link_attribute(&self.attribute),
            true => None,
        };
        if self.wanted.is_some() {
            self.value_line = self.line;
            self.value_source = rest.source().map(|s| s.start);
            self.value.start(self.line);
        }
    }

    fn value<S: MailSink>(
        &mut self,
        quote: Quote,
        rest: &mut Piece<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let is_end = |b: u8| match quote {
            Quote::Double => b == b'"',
            Quote::Single => b == b'\'',
            Quote::None => is_space(b) || b == b'>',
        };
        let n = match quote {
            Quote::Double => memchr2(b'"', b'&', rest.bytes),
            Quote::Single => memchr2(b'\'', b'&', rest.bytes),
            Quote::None => rest.bytes.iter().position(|&b| b == b'&' || is_end(b)),
        };
        let n = n.unwrap_or(rest.bytes.len());
        if n > 0 {
            let piece = rest.take(n);
            let lines = self.count(&piece);
            self.tag.add_with(&piece, lines);
            self.put_value(piece, cx);
            return;
        }
        if is_end(rest.bytes[0]) {
            if quote != Quote::None {
                self.skip(rest, 1);
            }
            self.end_value(out, cx);
            self.state = State::BeforeAttribute;
        } else if self.wanted.is_some() {
            if !self.whole_reference(Place::Value(quote), rest, out, cx) {
                self.hold(rest);
                self.state = State::Reference(Place::Value(quote));
            }
        } else {
            self.skip(rest, 1);
        }
    }

    fn put_value<S: MailSink>(&mut self, piece: Piece<'_>, cx: &mut Cx<'_, S>) {
        if self.wanted.is_none() {
            return;
        }
        let room = MAX_LINK.saturating_sub(self.value.end() as usize);
        if piece.bytes.len() > room {
            cx.note(NoteKind::LinkTooLong, piece.source().map(|s| s.start));
            self.value.put(piece.split_at(room).0, cx.sink);
        } else {
            self.value.put(piece, cx.sink);
        }
    }

    fn end_value<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        let Some(attribute) = self.wanted.take() else {
            return;
        };
        let link = self.links;
        self.links = self.links.wrapping_add(1);
        if attribute == LinkAttribute::Href {
            self.href = Some(link);
        }
        // In the order of the source: first the text before the tag.
        out.flush(cx.sink);
        let kind = PartKind::HtmlLink {
            link,
            element: &self.name,
            attribute,
        };
        let info = cx.part.info(kind, self.value_source, self.value_line);
        cx.sink.part_start(&info);
        self.value.flush(cx.sink);
        cx.sink.part_end(super::PartEnd { last: false });
    }

    fn comment<S: MailSink>(
        &mut self,
        dashes: u8,
        rest: &mut Piece<'_>,
        b: u8,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        match b {
            b'-' => {
                self.skip(rest, 1);
                self.state = State::Comment((dashes + 1).min(2));
            }
            b'>' if dashes == 2 => {
                self.skip(rest, 1);
                self.state = State::Text;
                out.put(self.tag.take(b""), cx.sink);
            }
            // `--!>` ends a comment too.
            b'!' if dashes == 2 => self.skip(rest, 1),
            _ => {
                let n = memchr(b'-', rest.bytes).unwrap_or(rest.bytes.len());
                // At least this byte, which is no `-`.
                self.skip(rest, n.max(1));
                self.state = State::Comment(0);
            }
        }
    }

    fn raw(&mut self, end: &'static [u8], seen: usize, rest: &mut Piece<'_>, b: u8) {
        if seen == end.len() {
            if is_space(b) || b == b'/' || b == b'>' {
                self.closing = true;
                self.state = State::BeforeAttribute;
                return;
            }
            self.state = State::Raw(end, 0);
        } else if seen == 0 {
            let n = memchr(b'<', rest.bytes).unwrap_or(rest.bytes.len());
            self.skip(rest, n);
            if !rest.bytes.is_empty() {
                self.skip(rest, 1);
                self.state = State::Raw(end, 1);
            }
        } else if b.to_ascii_lowercase() == end[seen] {
            self.skip(rest, 1);
            self.state = State::Raw(end, seen + 1);
        } else {
            // Only the first byte of `end` is `<`, so nothing seen so far but
            // this byte can start it.
            self.state = State::Raw(end, 0);
        }
    }

    fn reference<S: MailSink>(
        &mut self,
        place: Place,
        rest: &mut Piece<'_>,
        b: u8,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let held = self.held.bytes();
        let more = match held.len() {
            1 => b == b'#' || b.is_ascii_alphabetic(),
            2 if held[1] == b'#' => b.is_ascii_digit() || b == b'x' || b == b'X',
            n if n >= MAX_REFERENCE => false,
            _ if held[1] != b'#' => b.is_ascii_alphanumeric(),
            _ if held[2].is_ascii_digit() => b.is_ascii_digit(),
            _ => b.is_ascii_hexdigit(),
        };
        if more {
            self.hold(rest);
            return;
        }
        let closed = b == b';' && held.len() > 1;
        if closed {
            self.hold(rest);
        }
        self.resolve(place, Some(b), out, cx);
    }

    /// Decides on the reference that is held, with `b` behind it if it is not
    /// closed by a `;`.
    fn resolve<S: MailSink>(
        &mut self,
        place: Place,
        b: Option<u8>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let held = std::mem::take(&mut self.held);
        let found = character(held.bytes(), place, b);
        self.state = match place {
            Place::Text => State::Text,
            Place::Value(quote) => State::Value(quote),
        };
        let mut from = 0;
        if let Some((n, c)) = found {
            let mut utf8 = [0; 4];
            let piece = held.seam(n, SeamKind::Entity, c.encode_utf8(&mut utf8).as_bytes());
            self.put_decoded(place, piece, out, cx);
            from = n;
        }
        if from < held.bytes().len() {
            for p in held.iter_from(from) {
                self.put_decoded(place, p, out, cx);
            }
        }
        if place != Place::Text {
            for p in held.iter() {
                self.tag.add(&p);
            }
        }
        self.held = held;
        self.held.clear();
    }

    fn put_decoded<S: MailSink>(
        &mut self,
        place: Place,
        piece: Piece<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        match place {
            Place::Text => out.put(piece, cx.sink),
            Place::Value(_) => self.put_value(piece, cx),
        }
    }

    pub(super) fn finish<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        if let State::Reference(place) = self.state {
            self.resolve(place, None, out, cx);
        }
        if let State::TagOpen | State::EndTagOpen | State::TagName = self.state {
            self.release(out, cx);
        }
        // A link that the end of the part cuts off is worth more than a rule.
        self.end_value(out, cx);
        self.held_to_tag();
        out.put(self.tag.take(b""), cx.sink);
        if self.anchored {
            self.anchored = false;
            cx.sink.anchor(None, out.end());
        }
    }
}

/// The character that the reference at the start of `held` stands for, and
/// how many bytes it takes. `next` is the byte behind `held`.
fn character(held: &[u8], place: Place, next: Option<u8>) -> Option<(usize, char)> {
    let closed = held.ends_with(b";");
    let body = held.strip_prefix(b"&")?;
    let body = body.strip_suffix(b";").unwrap_or(body);
    if let Some(number) = body.strip_prefix(b"#") {
        let (digits, radix) = match number.strip_prefix(b"x").or(number.strip_prefix(b"X")) {
            Some(hex) => (hex, 16),
            None => (number, 10),
        };
        let is_digit = |b: &u8| char::from(*b).is_digit(radix);
        let digits = std::str::from_utf8(digits).ok();
        let digits = digits.filter(|d| !d.is_empty() && d.as_bytes().iter().all(is_digit))?;
        // Too large for the type is too large for a character.
        let code = u32::from_str_radix(digits, radix).unwrap_or(u32::MAX);
        return Some((held.len(), numeric(code)));
    }
    let found = entities::find(body);
    if closed && let Some(e) = found {
        return Some((held.len(), e.to));
    }
    if let Place::Value(_) = place {
        // > If the character reference was consumed as part of an attribute,
        // > and the last character matched is not a ";", and the next input
        // > character is either a "=" or an ASCII alphanumeric, then, for
        // > historical reasons, flush … (13.2.5.73)
        // A name with more letters behind it is such a one.
        let e = found.filter(|e| e.bare && !closed && next != Some(b'='))?;
        return Some((held.len(), e.to));
    }
    // In text the longest name that needs no `;`. None is longer than 6.
    (2..=body.len().min(6)).rev().find_map(|n| {
        let e = entities::find(&body[..n]).filter(|e| e.bare)?;
        Some((n + 1, e.to))
    })
}

/// > … If the number is one of the numbers in the first column of the
/// > following table … (13.2.5.80): the C1 controls are read as windows-1252.
fn numeric(code: u32) -> char {
    const WINDOWS: [u16; 32] = [
        0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
        0x2039, 0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013,
        0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
    ];
    let code = match code {
        0x80..=0x9F => u32::from(WINDOWS[(code - 0x80) as usize]),
        0 => 0xFFFD,
        _ => code,
    };
    char::from_u32(code).unwrap_or('\u{FFFD}')
}
