//! The links of a tag or style sheet. They are values that are URLs or contain
//! URLs.

use std::ops::Range;

use memchr::{memchr, memchr2};

use crate::span::SeamKind;

use super::super::mapped::{Held, Lines, MappedBytes, Stretches};
use super::super::out::{Cx, Out};
use super::super::{LinkAttribute, MailSink, MessageNoteKind, PartEnd, PartKind};
use super::MAX_LINK;
use super::script::{SCHEME, next_string};
use super::tags::{is_space, run};

/// Collects one value after another, up to [`MAX_LINK`] bytes of each, and
/// passes on its links.
#[derive(Debug)]
pub(super) struct Links {
    /// The attribute of the current value, if it can have links.
    wanted: Option<LinkAttribute>,
    /// The link so far.
    value: Out,
    /// The link has a byte that is not white space.
    begun: bool,
    /// The link so far is a prefix of `javascript:`. It is in `list`.
    may_be_script: bool,
    /// The value is quoted-printable that no header declares. It is in `list`
    /// until it ends.
    escaped: bool,
    /// White space at the end of the link so far.
    blanks: Held,
    /// A value with several links, or the content of `url(…)`.
    list: Held,
    /// The place where the value starts.
    line: u64,
    source: Option<u64>,
    /// The number of links in the part so far.
    count: u32,
    css: Css,
}

/// The state while a style sheet is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Css {
    /// After this number of bytes of `url(`.
    Text(usize),
    /// Inside the parentheses.
    Url,
}

impl Default for Links {
    fn default() -> Links {
        Links {
            wanted: None,
            value: Out::whole(),
            begun: false,
            may_be_script: false,
            escaped: false,
            blanks: Held::default(),
            list: Held::default(),
            line: 1,
            source: None,
            count: 0,
            css: Css::Text(0),
        }
    }
}

impl Links {
    /// Starts another part.
    pub(super) fn clear(&mut self) {
        self.wanted = None;
        self.count = 0;
        self.css = Css::Text(0);
    }

    /// Starts a value before `rest`. The value begins on line `line` of the
    /// source.
    pub(super) fn start(
        &mut self,
        wanted: Option<LinkAttribute>,
        line: u64,
        rest: &MappedBytes<'_>,
    ) {
        self.wanted = wanted;
        if wanted.is_some() {
            self.start_link(line, rest);
            self.css = Css::Text(0);
        }
    }

    fn start_link(&mut self, line: u64, rest: &MappedBytes<'_>) {
        self.line = line;
        self.source = rest.source().map(|s| s.start);
        self.value.start(line);
        (self.begun, self.may_be_script, self.escaped) = (false, false, false);
        self.blanks.clear();
        self.list.clear();
    }

    /// The value that has just started is decoded as quoted-printable.
    pub(super) fn unescape_at_end(&mut self) {
        self.escaped = true;
    }

    /// True if the current value can have links.
    pub(super) fn is_wanted(&self) -> bool {
        self.wanted.is_some()
    }

    /// Adds the next bytes of the value. They begin on line `line`.
    pub(super) fn put<S: MailSink>(
        &mut self,
        piece: MappedBytes<'_>,
        line: u64,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        match self.wanted {
            None => {}
            Some(LinkAttribute::Style) => self.style(piece, line, out, cx),
            Some(LinkAttribute::Ping | LinkAttribute::Srcset | LinkAttribute::Content) => {
                self.gather(piece, cx);
            }
            Some(_) if self.escaped => self.gather(piece, cx),
            Some(_) => self.put_one(piece, cx),
        }
    }

    /// Adds the next bytes of a value that is one link, unless it is a script.
    pub(super) fn put_one<S: MailSink>(&mut self, piece: MappedBytes<'_>, cx: &mut Cx<'_, S>) {
        match self.wanted {
            Some(LinkAttribute::Script) => self.gather(piece, cx),
            _ => self.put_link(piece, cx),
        }
    }

    /// Ends the value of an attribute of `element`. If the whole value is one
    /// link, returns the number of that link.
    pub(super) fn end<S: MailSink>(
        &mut self,
        element: &[u8],
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> Option<u32> {
        if std::mem::take(&mut self.escaped) {
            let list = std::mem::take(&mut self.list);
            self.unescape(&list, cx);
        }
        if self.may_be_script {
            self.release_scheme(cx);
        }
        let attribute = self.wanted.take()?;
        let next: fn(&[u8], usize) -> Option<Range<usize>> = match attribute {
            LinkAttribute::Style => return None,
            LinkAttribute::Ping => next_word,
            LinkAttribute::Srcset => next_source,
            LinkAttribute::Content => refresh,
            LinkAttribute::Script => next_string,
            _ => return Some(self.hand(attribute, element, out, cx)),
        };
        let list = std::mem::take(&mut self.list);
        let mut pieces = Stretches::of(&list);
        let mut lines = Lines::of(list.iter());
        let mut at = 0;
        while let Some(link) = next(list.bytes(), at) {
            at = link.end;
            self.start_part(lines.before(link.start));
            self.hand_part((&mut pieces, link), attribute, element, out, cx);
        }
        drop(lines);
        self.list = list;
        None
    }

    /// Adds the next bytes of a value that is one link.
    ///
    /// > Remove any leading and trailing C0 control or space from input. …
    /// > Remove all ASCII tab or newline from input. (URL Standard 4.4)
    ///
    /// White space at the end is not added to the link. The scanner removes
    /// white space at the start, and white space with a line break. A blank
    /// inside a URL is percent-encoded, because it is in the percent-encode
    /// sets of path, query and fragment (1.3). A blank next to a line break is
    /// removed, because the program that broke the line added it.
    fn put_link<S: MailSink>(&mut self, mut piece: MappedBytes<'_>, cx: &mut Cx<'_, S>) {
        if piece.bytes.is_empty() {
            if !self.list.is_empty() {
                self.list.push(piece);
            } else if self.blanks.is_empty() {
                self.value.put(piece, cx.sink);
            } else {
                self.blanks.push(piece);
            }
        }
        while let Some(&b) = piece.bytes.first() {
            if !self.begun {
                let n = run(piece.bytes, is_space);
                self.fill(piece.take(n), cx);
                self.begun = !piece.bytes.is_empty();
                self.may_be_script = matches!(piece.bytes.first(), Some(b'j' | b'J'));
            } else if self.may_be_script {
                let seen = self.list.bytes().len();
                if !b.eq_ignore_ascii_case(&SCHEME[seen]) {
                    self.release_scheme(cx);
                    continue;
                }
                self.list.push(piece.take(1));
                if seen + 1 == SCHEME.len() {
                    self.start_script(piece, cx);
                    return;
                }
            } else if is_space(b) {
                let blank = piece.take(1);
                if self.blanks.bytes().len() < MAX_LINK {
                    self.blanks.push(blank);
                }
            } else {
                self.encode_blanks(cx);
                let n = before_space(piece.bytes);
                self.fill(piece.take(n), cx);
            }
        }
    }

    /// The link is a script, which continues with `piece`.
    fn start_script<S: MailSink>(&mut self, piece: MappedBytes<'_>, cx: &mut Cx<'_, S>) {
        self.wanted = Some(LinkAttribute::Script);
        self.may_be_script = false;
        self.list.clear();
        self.gather(piece, cx);
    }

    /// The held prefix of `javascript:` is the start of another link.
    fn release_scheme<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        self.may_be_script = false;
        let list = std::mem::take(&mut self.list);
        for piece in list.iter() {
            self.put_link(piece, cx);
        }
    }

    /// Encodes the held blanks, because the link continues after them.
    fn encode_blanks<S: MailSink>(&mut self, cx: &mut Cx<'_, S>) {
        if self.blanks.is_empty() {
            return;
        }
        let blanks = std::mem::take(&mut self.blanks);
        let has_break = memchr2(b'\n', b'\r', blanks.bytes()).is_some();
        for mut piece in blanks.iter() {
            if piece.bytes.is_empty() {
                self.value.put(piece, cx.sink);
            }
            while let Some(&b) = piece.bytes.first() {
                let blank = piece.take(1);
                self.fill(
                    match blank.source() {
                        _ if b != b' ' || has_break => blank,
                        Some(span) => {
                            MappedBytes::seam(SeamKind::Blank, span, b"%20", blank.source_lines())
                        }
                        None => MappedBytes::opaque(b"%20", blank.source_lines()),
                    },
                    cx,
                );
            }
        }
        self.blanks = blanks;
        self.blanks.clear();
    }

    /// Appends to the link, up to its limit.
    fn fill<S: MailSink>(&mut self, piece: MappedBytes<'_>, cx: &mut Cx<'_, S>) {
        let room = MAX_LINK.saturating_sub(self.value.end() as usize);
        self.value.put(within(piece, room, cx), cx.sink);
    }

    /// Appends to the list, up to its limit.
    fn gather<S: MailSink>(&mut self, piece: MappedBytes<'_>, cx: &mut Cx<'_, S>) {
        let room = MAX_LINK.saturating_sub(self.list.bytes().len());
        self.list.push(within(piece, room, cx));
    }

    /// Processes the next bytes of a style sheet. They begin on line `line`.
    /// Each `url(…)` is a link (CSS Values 4, section 4.5).
    pub(super) fn style<S: MailSink>(
        &mut self,
        mut piece: MappedBytes<'_>,
        mut line: u64,
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        const URL: &[u8] = b"url(";
        if piece.bytes.is_empty() && self.css == Css::Url {
            self.list.push(piece);
        }
        while let Some(&b) = piece.bytes.first() {
            let n = match self.css {
                Css::Text(0) => memchr2(b'u', b'U', piece.bytes),
                Css::Text(_) => Some(0),
                Css::Url => memchr(b')', piece.bytes),
            };
            if n != Some(0) {
                let before = piece.take(n.unwrap_or(piece.bytes.len()));
                line = line.saturating_add_signed(before.source_lines());
                if self.css == Css::Url {
                    self.gather(before, cx);
                }
                continue;
            }
            match self.css {
                Css::Text(seen) if b.eq_ignore_ascii_case(&URL[seen]) => {
                    piece.take(1);
                    self.css = Css::Text(seen + 1);
                    if seen + 1 == URL.len() {
                        self.start_link(line, &piece);
                        self.css = Css::Url;
                    }
                }
                // `url(` has only one `u`, at its start.
                Css::Text(_) => {
                    self.css = Css::Text(0);
                    if !b.eq_ignore_ascii_case(&b'u') {
                        line = line.saturating_add_signed(piece.take(1).source_lines());
                    }
                }
                Css::Url => {
                    piece.take(1);
                    self.end_css_url(out, cx);
                }
            }
        }
    }

    /// Ends a style sheet.
    pub(super) fn end_style(&mut self) {
        self.css = Css::Text(0);
    }

    fn end_css_url<S: MailSink>(&mut self, out: &mut Out, cx: &mut Cx<'_, S>) {
        self.css = Css::Text(0);
        let list = std::mem::take(&mut self.list);
        let url = list.bytes().trim_ascii();
        let start = run(list.bytes(), |b| b.is_ascii_whitespace());
        let quoted = url.len() > 1 && matches!(url[0], b'"' | b'\'') && url.ends_with(&url[..1]);
        let quote = usize::from(quoted);
        let link = start + quote..start + url.len() - quote;
        self.start_part(Lines::of(list.iter()).before(link.start));
        let stretch = (&mut Stretches::of(&list), link);
        self.hand_part(stretch, LinkAttribute::Style, b"style", out, cx);
        self.list = list;
    }

    /// Starts a link from the list. It begins `lines` lines after the value.
    fn start_part(&mut self, lines: i64) {
        self.value.start(self.line.saturating_add_signed(lines));
    }

    /// Passes on a link from the list.
    fn hand_part<S: MailSink>(
        &mut self,
        (list, link): (&mut Stretches<'_>, Range<usize>),
        attribute: LinkAttribute,
        element: &[u8],
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) {
        list.read(link, |piece| self.value.put(piece, cx.sink));
        if self.value.end() > 0 {
            self.hand(attribute, element, out, cx);
        }
    }

    /// Passes on the link. Returns its number.
    fn hand<S: MailSink>(
        &mut self,
        attribute: LinkAttribute,
        element: &[u8],
        out: &mut Out,
        cx: &mut Cx<'_, S>,
    ) -> u32 {
        let link = self.count;
        self.count = self.count.wrapping_add(1);
        // Keep the source order: the text before the tag comes first.
        out.flush(cx.sink);
        let kind = PartKind::HtmlLink {
            link,
            element,
            attribute,
        };
        let info = cx.part.info(kind, self.source, self.line);
        cx.sink.part_start(&info);
        self.value.flush(cx.sink);
        cx.sink.part_end(PartEnd { last: false });
        link
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

/// The first `room` bytes of `piece`. Reports a link that is cut.
fn within<'p, S: MailSink>(
    piece: MappedBytes<'p>,
    room: usize,
    cx: &mut Cx<'_, S>,
) -> MappedBytes<'p> {
    if piece.bytes.len() <= room {
        return piece;
    }
    let (kept, cut) = piece.split_at(room);
    cx.note(MessageNoteKind::LinkTooLong, cut.source().map(|s| s.start));
    kept
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
