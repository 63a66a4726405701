//! The links of a tag or style sheet. They are values that are URLs or contain
//! URLs.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::super::mapped::Origin;
use super::super::note::MessageNoteKind;
use super::super::out::{Cx, Out, Replacement};
use super::super::part::{LinkAttribute, PartEnd, PartKind};
use super::super::sink::MailSink;
use super::super::text::{Lines, Text, TextBuffer};
use super::css;
use super::page::Page;
use super::script::{is_url, next_string};
use super::tags::{
    Element, Name, NameEnd, Seen, TagEnd, Value, Wanted, attributes, is_space, link_attribute,
    raw_end, run,
};
use super::values::{
    Query, before_space, decode_escapes, decode_references, host_of, is_meant, is_script,
    next_source, next_word, refresh, unescape,
};
use super::{Html, MAX_LINK};
use urlgrep_base::span::SeamKind;

/// Of a page inside of a page only the links are read.
const LINKS: Wanted = Wanted {
    link: link_attribute,
    reads_marks: false,
};

/// The scheme `bytes`, which a link takes from the page.
fn as_scheme(bytes: &[u8]) -> Replacement<'_> {
    Replacement {
        kind: SeamKind::Scheme,
        bytes,
        lines: 0,
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
                self.style(&mut text, owner, &mut place, true, out, cx);
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
                    let blank = Replacement {
                        kind: SeamKind::Blank,
                        bytes: b"%20",
                        lines: 0,
                    };
                    self.link.seam(&mut text, 1, blank, cx.sink);
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
            self.link.seam(text, 2, as_scheme(self.base), cx.sink);
            return;
        }
        let is_kept = |b: &&u8| !matches!(b, b'\t' | b'\n' | b'\r');
        let mut bytes = text.bytes().iter().filter(is_kept);
        if let (Some(&first @ (b'/' | b'\\')), Some(b'/' | b'\\')) = (bytes.next(), bytes.next()) {
            let with_scheme = [scheme, &[first]].concat();
            self.link.seam(text, 1, as_scheme(&with_scheme), cx.sink);
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
        place: &mut css::Place,
        end: bool,
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
            let skip = |_: &[u8], _: &[u8], _| {};
            let end = attributes(
                rest,
                1 + len,
                Some(&name),
                LINKS,
                &mut seen,
                &mut values,
                skip,
            );
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

/// The first [`MAX_LINK`] bytes of `text`. Reports that it is cut.
fn within<'t, S: MailSink>(mut text: Text<'t>, cx: &mut Cx<'_, S>) -> Text<'t> {
    if text.bytes().len() <= MAX_LINK {
        return text;
    }
    let kept = text.take(MAX_LINK);
    cx.note(MessageNoteKind::LinkTooLong, text.source());
    kept
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
