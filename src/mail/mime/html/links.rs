//! The links of a tag or style sheet. They are values that are URLs or contain
//! URLs.

use std::ops::Range;

use memchr::{memchr, memchr2};

use super::super::mapped::Origin;
use super::super::out::{Cx, Out};
use super::super::text::{Lines, MAX_TOKEN, Text, TextBuffer};
use super::super::{MailSink, MessageNoteKind, PartEnd, PartKind};
use super::page::Page;
use super::reference::reference;
use super::script::{SCHEME, next_string};
use super::tags::{is_space, run};
use super::{Html, MAX_LINK};
use crate::digits::hex_byte;
use crate::span::SeamKind;

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
    /// `style`, or the element with this name: `url(…)` in CSS.
    Style,
    /// `content` of `<meta>`: `5; url=…`.
    Content,
    /// A script: the value of `onclick` and other event handlers, or the rest
    /// of a `javascript:` URL. Its links are the strings that are URLs.
    Script,
    /// In XML, any other attribute whose value is a URL.
    Other,
    /// `class`, `id`, and `name` of `<a>`. They have no links, but may say who wrote the
    /// content of the element.
    Name,
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
            L::Ping | L::Srcset | L::Style | L::Content | L::Script | L::Namespace | L::Name
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
    /// The number of links in the part so far.
    count: u32,
    /// The scheme of the base of the page, and `//`. Empty if it is not known.
    base: &'static [u8],
}

impl Default for Links {
    fn default() -> Links {
        Links {
            link: Out::whole(),
            value: TextBuffer::default(),
            unescaped: TextBuffer::default(),
            count: 0,
            base: b"",
        }
    }
}

/// `http://` or `https://` at the start of the base of a page.
pub(in super::super) fn base_scheme(url: &[u8]) -> Option<&'static [u8]> {
    let url = url.trim_ascii_start();
    let begins = |scheme: &&&[u8]| {
        let start = url.get(..scheme.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    [&b"https://"[..], b"http://"].iter().find(begins).copied()
}

impl Html {
    /// Passes on the links of this tag, or of the part of it that was read.
    pub(super) fn hand_links<S: MailSink>(&mut self, page: &mut Page<'_, '_, '_, S>) {
        let values = self.values.iter();
        for value in values.filter(|value| value.attribute != LinkAttribute::Name) {
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
                attribute: value.attribute,
                element: &self.name,
                source,
                line: self.line + page.lines.up_to(&text),
                least_line: self.least_line,
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

/// What the links of a value have in common.
pub(super) struct Owner<'e> {
    pub(super) attribute: LinkAttribute,
    /// The name of the element.
    pub(super) element: &'e [u8],
    /// The place where the value starts, and its line, which is not before `least_line`.
    pub(super) source: Option<u64>,
    pub(super) line: i64,
    pub(super) least_line: i64,
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
        (self.count, self.base) = (0, base);
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
                self.style(&mut text, owner, out, cx);
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
                if owner.element == b"base"
                    && let Some(scheme) = base_scheme(text.bytes())
                {
                    self.base = scheme;
                }
                self.url(text, cx);
                Some(self.hand(&owner, out, cx))
            }
        };
        (self.value, self.unescaped) = (value, unescaped);
        number
    }

    /// Writes a value that is one link.
    ///
    /// > Remove any leading and trailing C0 control or space from input. …
    /// > Remove all ASCII tab or newline from input. (URL Standard 4.4)
    ///
    /// White space at the end is not added to the link. The scanner removes
    /// white space at the start, and white space with a line break. A blank
    /// inside a URL is percent-encoded, because it is in the percent-encode
    /// sets of path, query and fragment (1.3). A blank next to a line break is
    /// removed, because the program that broke the line added it.
    fn url<S: MailSink>(&mut self, mut text: Text<'_>, cx: &mut Cx<'_, S>) {
        let lead = run(text.bytes(), is_space);
        self.fill(&mut text, lead, cx);
        // A network-path reference has the scheme of the base (RFC 3986 section 5.2.2).
        if !self.base.is_empty() && text.bytes().starts_with(b"//") {
            let seam = (SeamKind::Scheme, self.base, 0);
            self.link.seam(&mut text, 2, seam, cx.sink);
        }
        while !text.bytes().is_empty() {
            let word = before_space(text.bytes());
            self.fill(&mut text, word, cx);
            let blanks = &text.bytes()[..run(text.bytes(), is_space)];
            if blanks.len() == text.bytes().len() {
                return;
            }
            let has_break = memchr2(b'\n', b'\r', blanks).is_some();
            for &blank in blanks {
                if blank != b' ' || has_break {
                    self.fill(&mut text, 1, cx);
                } else if self.room() >= 3 {
                    self.link
                        .seam(&mut text, 1, (SeamKind::Blank, b"%20", 0), cx.sink);
                } else {
                    cx.note(MessageNoteKind::LinkTooLong, text.source());
                    return;
                }
            }
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
        let (list, mut lines) = (text.bytes(), Lines::of(&text));
        let mut at = 0;
        while let Some(link) = next(list, at) {
            text.pass(link.start - at);
            text.pass_removals();
            self.link.start(owner.line(lines.up_to(&text)));
            let mut url = within(text.take(link.len()), cx);
            self.link.copy(&mut url, link.len().min(MAX_LINK), cx.sink);
            at = link.end;
            if self.link.end() > 0 {
                self.hand(owner, out, cx);
            }
        }
        None
    }

    /// Reads a style sheet, up to its last complete `url(…)`. Each is a link (CSS
    /// Values 4, section 4.5). `owner` has the line of the first byte.
    pub(super) fn style<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        mut owner: Owner<'_>,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        owner.element = b"style";
        let (first_line, mut lines) = (owner.line, Lines::of(text));
        while let Some(open) = find_url(text.bytes())
            && let content = &text.bytes()[open..]
            && let is_far = content.len() >= MAX_TOKEN
            && let near = &content[..content.len().min(MAX_TOKEN)]
            && let Some(len) = memchr(b')', near).or(is_far.then_some(near.len()))
        {
            text.pass(open - 1);
            owner.source = text.after_next();
            text.pass(1);
            owner.line = first_line + lines.up_to(text);
            let mut url = within(text.take(len), cx);
            let bytes = url.bytes();
            let mut link = run(bytes, |b| b.is_ascii_whitespace())..bytes.trim_ascii_end().len();
            if link.len() > 1
                && let quote @ (b'"' | b'\'') = bytes[link.start]
                && bytes[link.end - 1] == quote
            {
                link = link.start + 1..link.end - 1;
            }
            let mut lines = Lines::of(&url);
            url.pass(link.start);
            url.pass_removals();
            self.link.start(owner.line(lines.up_to(&url)));
            self.link.copy(&mut url, link.len(), cx.sink);
            if self.link.end() > 0 {
                self.hand(&owner, out, cx);
            }
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
        };
        let info = cx.part.info(kind, owner.source, owner.line(0));
        cx.sink.part_start(&info);
        self.link.flush(cx.sink);
        cx.sink.part_end(PartEnd { last: false });
        link
    }
}

/// True if a value begins with `javascript:`. Browsers ignore white space before it, and tabs
/// and line breaks inside it.
fn is_script(value: &[u8]) -> bool {
    let is_read = |b: &&u8| !matches!(b, b'\t' | b'\n' | b'\r');
    let mut value = value.trim_ascii_start().iter().filter(is_read);
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
            Some((n, Some(c))) => {
                let mut utf8 = [0; 4];
                let c = c.encode_utf8(&mut utf8).as_bytes();
                let lines = -i64::from(c == b"\n");
                out.seam(&mut text, n, SeamKind::Entity, c, lines);
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

/// The place after the next `url(`.
fn find_url(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'u', b'U', &bytes[at..])? + 1;
        if let Some(word) = bytes[at..].get(..3)
            && word.eq_ignore_ascii_case(b"rl(")
        {
            return Some(at + 3);
        }
    }
}

/// The number of bytes at the end of a style sheet that belong to a `url(…)`, or may
/// begin one, if more follows.
pub(super) fn open_url(sheet: &[u8]) -> usize {
    const URL: &[u8] = b"url(";
    let begins = |n: &usize| {
        let start = sheet.len().checked_sub(*n).map(|at| &sheet[at..]);
        start.is_some_and(|start| start.eq_ignore_ascii_case(&URL[..*n]))
    };
    match find_url(sheet) {
        Some(open) => sheet.len() - open + URL.len(),
        None => (1..URL.len()).rev().find(begins).unwrap_or(0),
    }
}

/// The number of bytes before the first white space. Nearly all values have none.
fn before_space(bytes: &[u8]) -> usize {
    // Without a branch, the compiler uses vector instructions.
    let has_space = bytes.iter().fold(false, |has, &b| has | is_space(b));
    match has_space {
        true => run(bytes, |b| !is_space(b)),
        false => bytes.len(),
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

/// The URL of `<meta http-equiv=refresh content=…>`. The value has digits, `;`
/// or `,`, `url=`, and the URL, which may be quoted (HTML 4.2.5.3, "shared
/// declarative refresh steps").
fn refresh(content: &[u8], at: usize) -> Option<Range<usize>> {
    if at > 0 {
        return None;
    }
    let skip = |at: usize, kind: &dyn Fn(u8) -> bool| at + run(&content[at..], kind);
    let start = skip(0, &is_space);
    let digits = skip(start, &|b| b.is_ascii_digit() || b == b'.');
    let at = skip(digits, &|b| is_space(b) || b == b';' || b == b',');
    if digits == start || at == digits {
        return None;
    }
    let url = content
        .get(at..at + 3)
        .filter(|word| word.eq_ignore_ascii_case(b"url"));
    let at = skip(at + url?.len(), &is_space);
    if content.get(at) != Some(&b'=') {
        return None;
    }
    let start = skip(at + 1, &is_space);
    let rest = &content[start..];
    let range = match rest.first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let len = memchr(quote, &rest[1..]).unwrap_or(rest.len() - 1);
            start + 1..start + 1 + len
        }
        _ => start..content.trim_ascii_end().len().max(start),
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
            ("0;http://a/", &[]),
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
