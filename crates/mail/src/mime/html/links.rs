//! The links of a tag or style sheet. They are values that are URLs or contain
//! URLs.

use std::cell::OnceCell;
use std::ops::Range;

use memchr::{memchr, memmem};

use super::super::mapped::Origin;
use super::super::out::{Cx, Out};
use super::super::text::{Lines, Text, TextBuffer};
use super::super::{MailSink, MessageNoteKind, PartEnd, PartKind};
use super::css;
use super::page::Page;
use super::reference::reference;
use super::script::{SCHEME, is_url, next_string};
use super::tags::{
    Element, Name, NameEnd, Seen, TagEnd, Value, attributes, is_space, link_attribute, raw_end, run,
};
use super::{Html, MAX_LINK};
use urlgrep_base::digits::hex_byte;
use urlgrep_base::span::SeamKind;

/// The attributes that are read: those that may have links, and those that name marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkAttribute {
    /// `href`, including that of `<base>`.
    Href,
    /// `src`.
    Src,
    /// `action`.
    Action,
    /// `cite`.
    Cite,
    /// `background`.
    Background,
    /// `poster`.
    Poster,
    /// `data`.
    Data,
    /// `formaction`.
    Formaction,
    /// `longdesc`.
    Longdesc,
    /// `ping`: several URLs with white space between them.
    Ping,
    /// `srcset`: several URLs with commas between them, each with the size of
    /// its picture.
    Srcset,
    /// `srcdoc` of `<iframe>`: the tags of an HTML document.
    Srcdoc,
    /// `style`, or the element with this name: `url(…)` and `@import` in CSS.
    Style,
    /// `content` of `<meta http-equiv=refresh>`: `5; url=…`.
    Content,
    /// `http-equiv` of `<meta>`, which says what `content` is.
    Pragma,
    /// `property` and `name` of `<meta>`, and the URL in the `content` that they name:
    /// `<meta property="og:image" content="…">`.
    Property,
    /// A script: the value of `onclick` and other event handlers, or the rest
    /// of a `javascript:` URL. Its links are the strings that are URLs.
    Script,
    /// In XML, any other attribute whose value is a URL.
    Other,
    /// `class`, `id`, and `name` of `<a>`. They have no links, but may say who wrote the
    /// content of the element.
    Name,
    /// `name` of `<div>`, by which Spark marks a signature, and GMX and WEB.DE a quotation.
    DivName,
    /// In XML, an attribute with names of vocabularies (`xmlns`, `schemaLocation`), or a
    /// declaration.
    Namespace,
}

impl LinkAttribute {
    /// True if the whole value is one URL.
    pub(crate) fn is_one_url(self) -> bool {
        use LinkAttribute as L;
        !matches!(
            self,
            L::Ping
                | L::Srcset
                | L::Srcdoc
                | L::Style
                | L::Content
                | L::Pragma
                | L::Script
                | L::Namespace
                | L::Name
                | L::DivName
        )
    }
}

/// Reads one value after another, and passes on its links, up to [`MAX_LINK`] bytes
/// of each.
#[derive(Debug)]
pub(super) struct Links {
    /// The link that is being written.
    link: Out,
    /// The value without its character references.
    value: TextBuffer,
    /// A value that was in quoted-printable.
    unescaped: TextBuffer,
    /// A URL of a style sheet without its escapes.
    style_url: TextBuffer,
    /// The number of links in the part so far.
    count: u32,
    /// The scheme of the base of the page, and `//`. Empty if it is not known.
    base: &'static [u8],
    /// The page has had a `<base href>`. Only the first one counts (HTML 4.2.3).
    has_base: bool,
}

impl Default for Links {
    fn default() -> Links {
        Links {
            link: Out::whole(),
            value: TextBuffer::default(),
            unescaped: TextBuffer::default(),
            style_url: TextBuffer::default(),
            count: 0,
            base: b"",
            has_base: false,
        }
    }
}

/// `http://`, `https://` or `ftp://` at the start of the base of a page.
pub(in super::super) fn base_scheme(url: &[u8]) -> Option<&'static [u8]> {
    let url = url.trim_ascii_start();
    let begins = |scheme: &&&[u8]| {
        let start = url.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    [&b"https://"[..], b"http://", b"ftp://"]
        .iter()
        .find(begins)
        .copied()
}

impl Html {
    /// Passes on the links of this tag, or of the part of it that was read.
    pub(super) fn hand_links<S: MailSink>(&mut self, page: &mut Page<'_, '_, '_, S>) {
        let bytes = &page.bytes()[page.at..];
        for value in &self.values {
            let Some(attribute) = link_of(value, &self.values, bytes) else {
                continue;
            };
            let quote = usize::from(value.is_quoted);
            let mut text = page.text_at(page.at + value.range.start - quote);
            let source = if value.is_quoted {
                let source = text.after_next();
                text.pass(1);
                source
            } else {
                text.pass_removals();
                text.source()
            };
            let owner = Owner {
                attribute,
                element: &self.name,
                source,
                line: self.line + page.lines.up_to(&text),
                least_line: self.least_line,
                is_unclosed: value.is_unclosed,
            };
            let text = text.take(value.range.len());
            let link = self
                .links
                .read(text, value.is_escaped, owner, page.out, page.cx);
            if link.is_some() && value.attribute == LinkAttribute::Href {
                self.href = link;
            }
        }
    }
}

/// How the links of `value` are found, if it may have some. `values` are those of its tag, in
/// `bytes`.
///
/// The content of `<meta>` is a link only if another attribute says so. Nearly all such
/// content is text, and a title may begin like a URL (`News: …`), so after `property` and
/// `name` a link must have `://`.
fn link_of(value: &Value, values: &[Value], bytes: &[u8]) -> Option<LinkAttribute> {
    use LinkAttribute as L;
    let has = |attribute| values.iter().any(|other| other.attribute == attribute);
    match value.attribute {
        L::Name | L::DivName | L::Pragma | L::Property => None,
        L::Content if has(L::Pragma) => Some(L::Content),
        L::Content => {
            let content = bytes[value.range.clone()].trim_ascii();
            let is_link = has(L::Property) && is_url(content);
            is_link.then_some(L::Property)
        }
        attribute => Some(attribute),
    }
}

/// What the links of a value have in common.
pub(super) struct Owner<'e> {
    pub(super) attribute: LinkAttribute,
    /// The name of the element.
    pub(super) element: &'e [u8],
    /// The place where the value starts, and its line, which is not before `least_line`.
    pub(super) source: Option<u64>,
    pub(super) line: i64,
    pub(super) least_line: i64,
    /// The closing quotation mark of the value is missing.
    pub(super) is_unclosed: bool,
}

impl Owner<'_> {
    /// The line that is `more` lines after the first.
    fn line(&self, more: i64) -> u64 {
        (self.line + more).max(self.least_line) as u64
    }
}

/// Finds the next link of a value, at or after an offset.
type Next = fn(&[u8], usize) -> Option<Range<usize>>;

impl Links {
    /// Starts another part.
    pub(super) fn start(&mut self, base: &'static [u8]) {
        self.count = 0;
        self.base = base;
        self.has_base = false;
    }

    /// Reads the value of an attribute. If the whole value is one link, returns the
    /// number of that link.
    pub(super) fn read<S: MailSink>(
        &mut self,
        text: Text<'_>,
        is_escaped: bool,
        mut owner: Owner<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> Option<u32> {
        let mut value = std::mem::take(&mut self.value);
        let mut unescaped = std::mem::take(&mut self.unescaped);
        let mut text = text;
        if memchr(b'&', text.bytes()).is_some() {
            value.clear();
            decode_references(text, &mut value);
            text = value.text();
        }
        if is_escaped {
            unescaped.clear();
            unescape(within(text, cx), &mut unescaped);
            text = unescaped.text();
        }
        if owner.attribute.is_one_url() && is_script(text.bytes()) {
            owner.attribute = LinkAttribute::Script;
        }
        let number = match owner.attribute {
            LinkAttribute::Style => {
                let mut place = css::Place::Sheet;
                self.style(&mut text, owner, (&mut place, true), out, cx);
                None
            }
            LinkAttribute::Srcdoc => {
                self.document(text, &owner, out, cx);
                None
            }
            LinkAttribute::Namespace if owner.element.starts_with(b"!") => {
                self.list(text, next_string, &owner, out, cx)
            }
            LinkAttribute::Ping | LinkAttribute::Namespace => {
                self.list(text, next_word, &owner, out, cx)
            }
            LinkAttribute::Srcset => self.list(text, next_source, &owner, out, cx),
            LinkAttribute::Content => self.list(text, refresh, &owner, out, cx),
            LinkAttribute::Script => self.list(text, next_string, &owner, out, cx),
            _ => {
                self.link.start(owner.line(0));
                if owner.element == b"base" && owner.attribute == LinkAttribute::Href {
                    self.set_base(text.bytes());
                }
                self.url(text, cx);
                Some(self.hand(&owner, out, cx))
            }
        };
        self.value = value;
        self.unescaped = unescaped;
        number
    }

    /// Reads the `href` of a `<base>`. A relative one keeps the scheme of the header fields.
    fn set_base(&mut self, href: &[u8]) {
        if std::mem::replace(&mut self.has_base, true) {
            return;
        }
        if let Some(scheme) = base_scheme(href) {
            self.base = scheme;
        }
    }

    /// Writes a value that is one link.
    ///
    /// > Remove any leading and trailing C0 control or space from input. …
    /// > Remove all ASCII tab or newline from input. (URL Standard 4.4)
    ///
    /// White space at the end is not added to the link. The scanner removes
    /// white space at the start, and white space with a line break. A blank
    /// inside a URL is percent-encoded, because it is in the percent-encode
    /// sets of path, query and fragment (1.3). In a host it stays, and no browser
    /// opens the link. A blank next to a line break is
    /// removed where the program that broke the line may have added it.
    fn url<S: MailSink>(&mut self, mut text: Text<'_>, cx: &mut Cx<'_, S>) {
        let lead = run(text.bytes(), |b| b <= b' ');
        if self.is_relative(&text.bytes()[lead..]) {
            return;
        }
        self.fill(&mut text, lead, cx);
        self.add_scheme(&mut text, cx);
        let value = text.bytes();
        let query = Query::of(value);
        let mut host = None;
        let mut word = before_space(value);
        loop {
            self.fill(&mut text, word, cx);
            let at = value.len() - text.bytes().len();
            let blanks = at..at + run(&value[at..], is_space);
            if blanks.end == value.len() {
                return;
            }
            let is_kept = is_meant(value, blanks.clone(), &query);
            let is_in_host = host.get_or_insert_with(|| host_of(value)).contains(&at);
            for &blank in &value[blanks] {
                if blank != b' ' || !is_kept || is_in_host {
                    self.fill(&mut text, 1, cx);
                } else if self.room() >= 3 {
                    self.link
                        .seam(&mut text, 1, (SeamKind::Blank, b"%20", 0), cx.sink);
                } else {
                    cx.note(MessageNoteKind::LinkTooLong, text.source());
                    return;
                }
            }
            word = run(text.bytes(), |b| !is_space(b));
        }
    }

    /// True for `http:a.html` in a page whose base has the scheme `http`.
    ///
    /// > If url is special, base is non-null, and base's scheme is url's scheme: … set state
    /// > to special relative or authority state. (URL Standard 4.4)
    fn is_relative(&self, value: &[u8]) -> bool {
        let Some(scheme) = self.base.strip_suffix(b"//") else {
            return false;
        };
        let has_scheme = value
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme));
        let is_slash = |b: &&u8| matches!(b, b'/' | b'\\');
        let is_kept = |b: &&u8| !matches!(b, b'\t' | b'\n' | b'\r');
        let after = || value[scheme.len()..].iter().find(is_kept);
        has_scheme && !after().as_ref().is_some_and(is_slash)
    }

    /// Writes the scheme of the base before a network-path reference (RFC 3986 section
    /// 5.2.2). Browsers read a backslash as a slash, and ignore tabs and line breaks (URL
    /// Standard 4.4).
    fn add_scheme<S: MailSink>(&mut self, text: &mut Text<'_>, cx: &mut Cx<'_, S>) {
        let Some(scheme) = self.base.strip_suffix(b"//") else {
            return;
        };
        if text.bytes().starts_with(b"//") {
            let seam = (SeamKind::Scheme, self.base, 0);
            self.link.seam(text, 2, seam, cx.sink);
            return;
        }
        let is_kept = |b: &&u8| !matches!(b, b'\t' | b'\n' | b'\r');
        let mut bytes = text.bytes().iter().filter(is_kept);
        if let (Some(&first @ (b'/' | b'\\')), Some(b'/' | b'\\')) = (bytes.next(), bytes.next()) {
            let with_scheme = [scheme, &[first]].concat();
            let seam = (SeamKind::Scheme, &with_scheme[..], 0);
            self.link.seam(text, 1, seam, cx.sink);
        }
    }

    /// Appends the next `n` bytes of `text` to the link, up to its limit.
    fn fill<S: MailSink>(&mut self, text: &mut Text<'_>, mut n: usize, cx: &mut Cx<'_, S>) {
        while n > 0
            && let Some(mut piece) = text.next_piece(n)
        {
            n -= piece.bytes.len();
            let room = self.room();
            if piece.bytes.len() > room {
                let Origin::Copy(source) = piece.origin else {
                    cx.note(MessageNoteKind::LinkTooLong, piece.start());
                    continue;
                };
                cx.note(MessageNoteKind::LinkTooLong, Some(source + room as u64));
                piece.bytes = &piece.bytes[..room];
            }
            self.link.put(piece, cx.sink);
        }
    }

    fn room(&self) -> usize {
        MAX_LINK - self.link.end() as usize
    }

    /// Passes on the links that `next` finds in `text`.
    fn list<S: MailSink>(
        &mut self,
        mut text: Text<'_>,
        next: Next,
        owner: &Owner<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> Option<u32> {
        let list = text.bytes();
        let mut lines = Lines::of(&text);
        let mut at = 0;
        while let Some(link) = next(list, at) {
            text.pass(link.start - at);
            text.pass_removals();
            self.link.start(owner.line(lines.up_to(&text)));
            let mut url = within(text.take(link.len()), cx);
            if owner.attribute != LinkAttribute::Script {
                self.add_scheme(&mut url, cx);
            }
            let len = url.bytes().len();
            self.fill(&mut url, len, cx);
            at = link.end;
            if self.link.end() > 0 {
                self.hand(owner, out, cx);
            }
        }
        None
    }

    /// Reads a style sheet up to a token that is not complete. Each `url(…)` and `@import` is
    /// a link. `owner` has the line of the first byte. `place` is where that byte is, and
    /// `end` is true if the sheet ends with `text`.
    pub(super) fn style<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        mut owner: Owner<'_>,
        (place, end): (&mut css::Place, bool),
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        owner.element = b"style";
        let first_line = owner.line;
        let mut lines = Lines::of(text);
        let sheet = text.bytes();
        let mut at = 0;
        loop {
            let (open, link) = match css::next(sheet, &mut at, place, end) {
                css::Next::Link { open, url } => (open, url),
                css::Next::Stop(read) => {
                    let passed = sheet.len() - text.bytes().len();
                    text.pass(read - passed);
                    return;
                }
            };
            let passed = sheet.len() - text.bytes().len();
            text.pass(open - 1 - passed);
            owner.source = text.after_next();
            text.pass(1);
            owner.line = first_line + lines.up_to(text);
            let mut url = text.take(link.end - open);
            let mut url_lines = Lines::of(&url);
            url.pass(link.start - open);
            url.pass_removals();
            self.link.start(owner.line(url_lines.up_to(&url)));
            let mut style_url = std::mem::take(&mut self.style_url);
            let mut url = within(url, cx);
            if memchr(b'\\', url.bytes()).is_some() {
                style_url.clear();
                decode_escapes(url, &mut style_url);
                url = style_url.text();
            }
            self.add_scheme(&mut url, cx);
            let len = url.bytes().len();
            self.fill(&mut url, len, cx);
            self.style_url = style_url;
            if self.link.end() > 0 {
                self.hand(&owner, out, cx);
            }
        }
    }

    /// Passes on the links of the tags of an HTML document that is a value. Its visible text
    /// is not read, and neither is a document in that document.
    fn document<S: MailSink>(
        &mut self,
        mut text: Text<'_>,
        around: &Owner<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        let document = text.bytes();
        let mut lines = Lines::of(&text);
        let mut name = Name::default();
        let mut seen = Seen::default();
        let mut values = Vec::new();
        let mut at = 0;
        while let Some(n) = memchr(b'<', &document[at..]) {
            at += n;
            let rest = &document[at..];
            if rest.starts_with(b"<!--") {
                at += memmem::find(rest, b"-->").unwrap_or(rest.len());
                continue;
            }
            let begins_tag = rest.get(1).is_some_and(u8::is_ascii_alphabetic);
            let NameEnd::At(len) = name.read(&rest[1..], true) else {
                at += 1;
                continue;
            };
            if !begins_tag {
                at += 1;
                continue;
            }
            seen.clear();
            values.clear();
            let found = (&mut seen, &mut values);
            let wanted = (link_attribute as _, false);
            let end = attributes(rest, 1 + len, Some(&name), wanted, found, |_, _, _| {});
            let TagEnd::At(len) = end else {
                return;
            };
            for value in &values {
                let Some(attribute) = link_of(value, &values, rest) else {
                    continue;
                };
                if attribute == LinkAttribute::Srcdoc {
                    continue;
                }
                let passed = document.len() - text.bytes().len();
                text.pass(at + value.range.start - passed);
                text.pass_removals();
                let owner = Owner {
                    attribute,
                    element: &name,
                    source: text.source(),
                    line: around.line + lines.up_to(&text),
                    ..*around
                };
                let content = text.take(value.range.len());
                self.read(content, value.is_escaped, owner, out, cx);
            }
            at += len;
            at += verbatim_len(&name, &document[at..]);
        }
    }

    /// Passes on the link. Returns its number.
    fn hand<S: MailSink>(&mut self, owner: &Owner<'_>, out: &mut Out, cx: &mut Cx<'_, S>) -> u32 {
        let link = self.count;
        self.count = self.count.wrapping_add(1);
        // Keep the source order: the text before the tag comes first.
        out.flush(cx.sink);
        let kind = PartKind::HtmlLink {
            link,
            element: owner.element,
            attribute: owner.attribute,
            is_unclosed: owner.is_unclosed,
        };
        let info = cx.part.info(kind, owner.source, owner.line(0));
        cx.sink.part_start(&info);
        self.link.flush(cx.sink);
        cx.sink.part_end(PartEnd { last: false });
        link
    }
}

/// True if a value begins with `javascript:`. Browsers ignore white space and controls before
/// it, and tabs and line breaks inside it.
fn is_script(value: &[u8]) -> bool {
    let is_read = |b: &&u8| !matches!(b, b'\t' | b'\n' | b'\r');
    let lead = run(value, |b| b <= b' ');
    let mut value = value[lead..].iter().filter(is_read);
    let is_next = |b: &u8| {
        value
            .next()
            .is_some_and(|found| found.eq_ignore_ascii_case(b))
    };
    SCHEME.iter().all(is_next)
}

/// The first [`MAX_LINK`] bytes of `text`. Reports that it is cut.
fn within<'t, S: MailSink>(mut text: Text<'t>, cx: &mut Cx<'_, S>) -> Text<'t> {
    if text.bytes().len() <= MAX_LINK {
        return text;
    }
    let kept = text.take(MAX_LINK);
    cx.note(MessageNoteKind::LinkTooLong, text.source());
    kept
}

/// Appends `text` with its character references decoded.
fn decode_references(mut text: Text<'_>, out: &mut TextBuffer) {
    while let bytes = text.bytes()
        && let Some(plain) = memchr(b'&', bytes)
    {
        out.copy(&mut text, plain);
        match reference(&bytes[plain..], true, true) {
            Some((n, Some(to))) => {
                let mut utf8 = [0; 4];
                let to = to.encode(&mut utf8);
                let lines = -i64::from(to == b"\n");
                out.seam(&mut text, n, SeamKind::Entity, to, lines);
            }
            Some((n, None)) => out.copy(&mut text, n),
            None => break,
        }
    }
    out.copy_all(text);
}

/// Appends `text`, decoded as quoted-printable (RFC 2045 section 6.7) that no header
/// declares.
fn unescape(mut text: Text<'_>, out: &mut TextBuffer) {
    while let bytes = text.bytes()
        && !bytes.is_empty()
    {
        let plain = memchr(b'=', bytes).unwrap_or(bytes.len());
        out.copy(&mut text, plain);
        match bytes[plain..] {
            [_, b'\n', ..] => out.seam(&mut text, 2, SeamKind::QpGuess, b"", 1),
            [_, b'\r', b'\n', ..] => out.seam(&mut text, 3, SeamKind::QpGuess, b"", 1),
            [_, high, low, ..] => match hex_byte(high, low) {
                Some(byte) => {
                    let lines = -i64::from(byte == b'\n');
                    out.seam(&mut text, 3, SeamKind::QpByte, &[byte], lines);
                }
                None => out.copy(&mut text, 1),
            },
            _ => out.copy(&mut text, bytes.len() - plain),
        }
    }
}

/// Appends the URL of a style sheet, with its escapes decoded.
fn decode_escapes(mut text: Text<'_>, out: &mut TextBuffer) {
    while let bytes = text.bytes()
        && let Some(plain) = memchr(b'\\', bytes)
    {
        out.copy(&mut text, plain);
        let (len, to) = css::escape(&bytes[plain..]);
        let source = &bytes[plain..plain + len];
        let mut utf8 = [0; 4];
        let to = match to {
            Some(c) => c.encode_utf8(&mut utf8).as_bytes(),
            None => b"",
        };
        let breaks = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() as i64;
        let lines = breaks(source) - breaks(to);
        out.seam(&mut text, len, SeamKind::CssEscape, to, lines);
    }
    out.copy_all(text);
}

/// The place in `value` between the slashes after its scheme and the end of its host. Empty if it has
/// no such slashes.
fn host_of(value: &[u8]) -> Range<usize> {
    let colon = memchr(b':', value).unwrap_or(value.len());
    if !value[colon..].starts_with(b"://") {
        return 0..0;
    }
    let start = colon + b"://".len();
    let len = value[start..].iter().position(|b| b"/?#\\".contains(b));
    start..len.map_or(value.len(), |len| start + len)
}

/// True if the blanks in white space inside of a URL belong to it. `space` is its place, with
/// text before and after it.
///
/// A browser removes line breaks and keeps blanks. But many programs break a line beside a
/// blank that they add, and others indent the next line. So a blank beside a line break is
/// kept only in a query: in the text of a mail, if the query has other blanks, or if one
/// blank at the end of the line is between two words.
fn is_meant(value: &[u8], space: Range<usize>, query: &Query<'_>) -> bool {
    let is_in_query = query.start.is_some_and(|start| start < space.start);
    let (before, after) = (&value[..space.start], &value[space.end..]);
    let blanks = &value[space];
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r');
    let Some(first_break) = blanks.iter().position(is_break) else {
        return true;
    };
    if !is_in_query {
        return false;
    }
    let is_mail = before
        .get(..7)
        .is_some_and(|start| start.eq_ignore_ascii_case(b"mailto:"));
    let is_word_end = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    let is_one_blank = blanks[..first_break] == *b" " && blanks[first_break..].iter().all(is_break);
    is_mail
        || is_one_blank && is_word_end(before.last()) && is_word_end(after.first())
        || query.has_inner_blank()
}

/// The query of a value. It is read at most once for all white space in the value.
struct Query<'v> {
    value: &'v [u8],
    /// The place of its `?`.
    start: Option<usize>,
    has_inner_blank: OnceCell<bool>,
}

impl Query<'_> {
    fn of(value: &[u8]) -> Query<'_> {
        Query {
            value,
            start: memchr(b'?', value),
            has_inner_blank: OnceCell::new(),
        }
    }

    /// True if it has a blank between two bytes that are no white space.
    fn has_inner_blank(&self) -> bool {
        *self.has_inner_blank.get_or_init(|| {
            let query = self.start.map_or(&b""[..], |start| &self.value[start..]);
            let mut near = query.windows(3);
            near.any(|w| w[1] == b' ' && !is_space(w[0]) && !is_space(w[2]))
        })
    }
}

/// The number of bytes before the first white space. Nearly all values have none.
fn before_space(bytes: &[u8]) -> usize {
    // Without a branch, the compiler uses vector instructions.
    let has_space = bytes.iter().fold(false, |has, &b| has | is_space(b));
    if has_space {
        run(bytes, |b| !is_space(b))
    } else {
        bytes.len()
    }
}

/// The next word of `ping`.
fn next_word(list: &[u8], at: usize) -> Option<Range<usize>> {
    let start = at + run(&list[at..], is_space);
    let len = run(&list[start..], |b| !is_space(b));
    (len > 0).then_some(start..start + len)
}

/// The next URL of `srcset`.
///
/// > Collect a sequence of code points that are not ASCII whitespace … If url
/// > ends with U+002C (,), … remove all trailing U+002C COMMA characters …
/// > Otherwise … descriptors (HTML 4.8.4.2.2)
///
/// The descriptors extend to the next comma.
fn next_source(list: &[u8], mut at: usize) -> Option<Range<usize>> {
    let before = list[..at].trim_ascii_end();
    // Descriptors follow a URL that does not end with a comma.
    if !before.is_empty() && list.get(at) != Some(&b',') {
        at += memchr(b',', &list[at..])?;
    }
    let start = at + run(&list[at..], |b| is_space(b) || b == b',');
    let end = start + run(&list[start..], |b| !is_space(b));
    let commas = list[start..end].iter().rev().take_while(|&&b| b == b',');
    let end = end - commas.count();
    (start < end).then_some(start..end)
}

/// The length of the content of the element `name` in which nothing is a tag. It begins `rest`.
fn verbatim_len(name: &Name, rest: &[u8]) -> usize {
    let end = match Element::of(name) {
        Element::Raw(end) | Element::Fallback(end) => Some(end),
        Element::Title(verbatim) | Element::Verbatim(verbatim) => verbatim.end,
        _ => return 0,
    };
    end.map_or(rest.len(), |end| raw_end(rest, end, true).0)
}

/// The URL of `<meta http-equiv=refresh content=…>`, by the "shared declarative refresh
/// steps" (HTML 4.2.5.3): digits, `;` or `,` or white space, perhaps `url=`, and the URL, which
/// may be quoted.
fn refresh(content: &[u8], at: usize) -> Option<Range<usize>> {
    if at > 0 {
        return None;
    }
    let skip = |at: usize, kind: &dyn Fn(u8) -> bool| at + run(&content[at..], kind);
    let start = skip(0, &is_space);
    let digits = skip(start, &|b| b.is_ascii_digit() || b == b'.');
    if digits == start {
        return None;
    }
    let mut at = skip(digits, &is_space);
    if matches!(content.get(at)?, b';' | b',') {
        at = skip(at + 1, &is_space);
    } else if at == digits {
        return None;
    }
    let rest = &content[at..];
    let after_name = match rest.get(..3) {
        Some(name) if name.eq_ignore_ascii_case(b"url") => skip(at + 3, &is_space),
        _ => at,
    };
    if after_name > at {
        if content.get(after_name) != Some(&b'=') {
            // A path that begins with these letters.
            return Some(at..content.trim_ascii_end().len());
        }
        at = skip(after_name + 1, &is_space);
    }
    let rest = &content[at..];
    let range = match rest.first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let len = memchr(quote, &rest[1..]).unwrap_or(rest.len() - 1);
            at + 1..at + 1 + len
        }
        _ => at..content.trim_ascii_end().len().max(at),
    };
    (!range.is_empty()).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(list: &str, next: fn(&[u8], usize) -> Option<Range<usize>>) -> Vec<&str> {
        let (mut all, mut at) = (vec![], 0);
        while let Some(link) = next(list.as_bytes(), at) {
            at = link.end;
            all.push(&list[link]);
        }
        all
    }

    #[test]
    fn urls_in_values() {
        assert_eq!(all(" a  b\nc ", next_word), ["a", "b", "c"]);
        assert_eq!(all(" ", next_word), [""; 0]);
        for (list, urls) in [
            ("a", &["a"][..]),
            ("a 1x, b 2x", &["a", "b"]),
            (" a , b 2x,c", &["a", "b", "c"]),
            ("a, b,,", &["a", "b"]),
            ("a 1x", &["a"]),
            ("a,b 2x, c", &["a,b", "c"]),
            (", ,", &[]),
            ("", &[]),
        ] {
            assert_eq!(all(list, next_source), urls, "{list:?}");
        }
        for (content, urls) in [
            ("0;url=http://a/", &["http://a/"][..]),
            (" 5 ; URL = 'http://a/b' x", &["http://a/b"]),
            ("0.5,url=\"http://a/", &["http://a/"]),
            ("0; url=http://a/b c ", &["http://a/b c"]),
            ("0;http://a/", &["http://a/"]),
            ("0, 'http://a/'x", &["http://a/"]),
            ("0 http://a/", &["http://a/"]),
            ("0;;url=http://a/", &[";url=http://a/"]),
            ("0;url http://a/", &["url http://a/"]),
            ("0;urls=x", &["urls=x"]),
            ("0http://a/", &[]),
            (";url=http://a/", &[]),
            ("text/html; charset=x", &[]),
            ("url=http://a/", &[]),
            ("5", &[]),
            ("5;url=", &[]),
            ("5;url=\"", &[]),
        ] {
            assert_eq!(all(content, refresh), urls, "{content:?}");
        }
    }
}
