//! The parts of a tag: its name, its attributes, and what the element does to the text.

use std::ops::{Deref, Range};

use memchr::{memchr, memchr2, memchr3_iter, memmem};

use super::{LinkAttribute, MAX_NAME, marks};
use urlgrep_base::words::words;

/// The name of an element in lower case, cut to [`MAX_NAME`] bytes.
#[derive(Debug, Default)]
pub(super) struct Name {
    bytes: [u8; MAX_NAME],
    len: usize,
}

/// The end of the name of a tag.
pub(super) enum NameEnd {
    /// The name has this length.
    At(usize),
    /// The tag is text. This number of bytes belong to the text.
    Text(usize),
    /// More bytes must follow to know it.
    Unknown,
}

impl Name {
    /// Reads the name of a tag at the start of `bytes`. `end` is true if no byte
    /// follows them.
    #[inline]
    pub(super) fn read(&mut self, bytes: &[u8], end: bool) -> NameEnd {
        match bytes.first_chunk() {
            Some(near) => match self.read_near(near) {
                Some(len) => NameEnd::At(len),
                None => self.read_far(bytes, end),
            },
            None => self.read_far(bytes, end),
        }
    }

    /// Reads a name that ends within [`MAX_NAME`] bytes.
    #[inline]
    fn read_near(&mut self, near: &[u8; MAX_NAME + 1]) -> Option<usize> {
        let len = find(near, 0, SPACE | SLASH | CLOSE);
        // A prefix of one or two letters begins a tag: Office writes `<o:p>`.
        // The words of `is_bracketed_text` are longer.
        if len == near.len() || len > 3 && near[3..len].contains(&b':') {
            return None;
        }
        self.bytes = *near.first_chunk()?;
        self.bytes.make_ascii_lowercase();
        self.len = len;
        Some(len)
    }

    /// As [`Name::read`], in XML: a name may have any prefix.
    pub(super) fn read_xml(&mut self, bytes: &[u8], end: bool) -> NameEnd {
        let len = find(bytes, 0, SPACE | SLASH | CLOSE);
        self.take(bytes, len);
        if len < bytes.len() {
            NameEnd::At(len)
        } else if !end {
            NameEnd::Unknown
        } else {
            NameEnd::Text(len)
        }
    }

    /// Takes the first `len` bytes, at most [`MAX_NAME`], as the name.
    fn take(&mut self, bytes: &[u8], len: usize) {
        self.len = len.min(MAX_NAME);
        self.bytes[..self.len].copy_from_slice(&bytes[..self.len]);
        self.bytes.make_ascii_lowercase();
    }

    fn read_far(&mut self, bytes: &[u8], end: bool) -> NameEnd {
        // The start alone shows the mark of a URL. The end of the name may be far away, and a text
        // may have as many marks as words.
        self.take(
            bytes,
            find(
                &bytes[..bytes.len().min(MAX_NAME)],
                0,
                SPACE | SLASH | CLOSE,
            ),
        );
        if let Some(colon) = memchr(b':', &self.bytes[..self.len])
            && is_bracketed_text(&self.bytes[..colon])
        {
            return NameEnd::Text(colon);
        }
        let len = find(bytes, self.len, SPACE | SLASH | CLOSE);
        if len < bytes.len() {
            NameEnd::At(len)
        } else if !end {
            NameEnd::Unknown
        } else if len <= MAX_NAME {
            NameEnd::Text(len)
        } else {
            NameEnd::At(len)
        }
    }
}

impl Name {
    /// The first bytes of the name, as [`bare_tag`] has them.
    pub(super) fn word(&self) -> u64 {
        let mut word = [0; 8];
        let len = self.len.min(word.len());
        word[..len].copy_from_slice(&self.bytes[..len]);
        u64::from_le_bytes(word)
    }
}

impl Deref for Name {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

/// The effect of the tags of an element on the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// An unknown element, or one without an effect.
    Other,
    /// The element `a`. Its content may be the text of a link.
    Anchor,
    /// The tags break the line, and a paragraph ends.
    Break,
    /// The tag breaks the line. Two of them end a paragraph.
    LineBreak,
    /// As `Break`. The element keeps white space.
    Preformatted,
    /// As `Break`. The content is text without tags.
    Title(Verbatim),
    /// As `Preformatted`. The content is text without tags.
    Verbatim(Verbatim),
    /// The content is neither markup nor visible. The slice is the start of the
    /// end tag.
    Raw(&'static [u8]),
    /// The tag stands for this character of the line.
    Character(u8),
    /// As `Break`. The content is for programs that do not know the element. It is raw text
    /// for all others, and not visible (HTML 13.2.6.4).
    Fallback(&'static [u8]),
}

/// How the content of an element is read that has no tags (HTML 13.2.5.2 and 13.2.5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verbatim {
    /// The start of the end tag. Without one the content goes on to the end of the page.
    pub(super) end: Option<&'static [u8]>,
    /// Character references are decoded.
    pub(super) has_references: bool,
}

impl Verbatim {
    /// True if `bytes`, which start with a `<`, start with the end tag. `None` if more bytes
    /// must follow to know it: never if `end` is true.
    pub(super) fn ends_at(self, bytes: &[u8], end: bool) -> Option<bool> {
        let Some(tag) = self.end else {
            return Some(false);
        };
        let n = bytes.len().min(tag.len());
        if !bytes[..n].eq_ignore_ascii_case(&tag[..n]) {
            return Some(false);
        }
        match bytes.get(tag.len()) {
            Some(&b) => Some(is_space(b) || b == b'/' || b == b'>'),
            None if end => Some(false),
            None => None,
        }
    }
}

impl Element {
    /// The element with this name in lower case.
    #[rustfmt::skip]
    pub(super) const fn of(name: &[u8]) -> Element {
        // Table cells, form controls and images also break the line, because
        // the text before them does not continue after them.
        match name {
            b"a" => Element::Anchor,
            b"br" => Element::LineBreak,
            b"address" | b"applet" | b"area" | b"article" | b"aside" | b"blockquote" | b"body"
            | b"button" | b"caption" | b"center" | b"col" | b"dd" | b"details" |
            b"dialog" | b"dir" | b"div" | b"dl" | b"dt" | b"embed" | b"fieldset" |
            b"figcaption" | b"figure" | b"footer" | b"form" | b"frame" | b"frameset" |
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"head" | b"header" | b"hr" |
            b"html" | b"img" | b"input" | b"isindex" | b"legend" | b"li" |
            b"link" | b"main" | b"map" | b"marquee" | b"menu" | b"meta" |
            b"nav" | b"noscript" | b"object" | b"ol" | b"optgroup" |
            b"option" | b"p" | b"section" | b"select" | b"summary"
            | b"table" | b"tbody" | b"td" | b"tfoot" | b"th" | b"thead" |
            b"tr" | b"ul" | b"video" => Element::Break,
            b"pre" | b"listing" => Element::Preformatted,
            b"title" => Element::Title(Verbatim { end: Some(b"</title"), has_references: true }),
            b"textarea" =>
                Element::Verbatim(Verbatim { end: Some(b"</textarea"), has_references: true }),
            b"xmp" => Element::Verbatim(Verbatim { end: Some(b"</xmp"), has_references: false }),
            b"plaintext" => Element::Verbatim(Verbatim { end: None, has_references: false }),
            b"script" => Element::Raw(b"</script"),
            b"style" => Element::Raw(b"</style"),
            b"iframe" => Element::Fallback(b"</iframe"),
            b"noembed" => Element::Fallback(b"</noembed"),
            b"noframes" => Element::Fallback(b"</noframes"),
            _ => Element::Other,
        }
    }

    /// The element of XML with this name in lower case. Office programs begin an element
    /// (`w:r`, `text:span`) wherever the font changes, so those do not break the line. Nor do the
    /// marks that OpenDocument has in a text: where a page ends, and where a bookmark or a change begins and
    /// ends (OpenDocument 1.2, part 1, 5.5, 5.6 and 6).
    pub(super) fn of_xml(name: &[u8]) -> Element {
        let mut words = name.splitn(2, |&b| b == b':');
        match (words.next(), words.next()) {
            (Some(b"a"), None) => Element::Anchor,
            (Some(b"br"), None) | (Some(b"w" | b"a" | b"m"), Some(b"br" | b"cr" | b"tab")) => {
                Element::LineBreak
            }
            (Some(b"w" | b"a" | b"m"), Some(b"p" | b"tc")) => Element::Break,
            // ECMA-376, part 1, 17.13.5.14: text that was deleted while changes were tracked. It is
            // often the old half of a URL, directly before the new one.
            (Some(b"w"), Some(b"del")) => Element::Raw(b"</w:del"),
            // ECMA-376, part 1, 17.3.3.18
            (Some(b"w"), Some(b"nobreakhyphen")) => Element::Character(b'-'),
            (Some(b"text"), Some(b"s")) => Element::Character(b' '),
            (Some(b"text"), Some(mark)) if is_mark_in_text(mark) => Element::Other,
            (Some(b"text"), Some(b"span" | b"a"))
            | (Some(b"w" | b"a" | b"m"), Some(_))
            | (
                Some(
                    b"t" | b"r" | b"rpr" | b"b" | b"i" | b"u" | b"sz" | b"color" | b"rfont"
                    | b"family" | b"scheme" | b"charset",
                ),
                None,
            ) => Element::Other,
            _ => Element::Break,
        }
    }

    /// True if the tags break the line.
    #[inline]
    pub(super) fn breaks_line(self) -> bool {
        matches!(
            self,
            Element::Break
                | Element::LineBreak
                | Element::Preformatted
                | Element::Title(_)
                | Element::Verbatim(_)
                | Element::Fallback(_)
        )
    }

    /// True if white space in the content is kept.
    pub(super) fn keeps_space(self) -> bool {
        matches!(self, Element::Preformatted | Element::Verbatim(_))
    }
}

/// True if this element of OpenDocument, without its prefix, only marks a place in a text.
fn is_mark_in_text(name: &[u8]) -> bool {
    const MARKS: [&[u8]; 4] = [b"bookmark", b"change-", b"reference-m", b"soft-page-b"];
    // A name may have been cut.
    name == b"change" || MARKS.iter().any(|mark| name.starts_with(mark))
}

/// The start of the end tag that begins with `tag`, and true. If there is none, the
/// number of bytes that are not a part of it, and false.
pub(super) fn raw_end(bytes: &[u8], tag: &[u8], end: bool) -> (usize, bool) {
    let starts = memchr::memchr_iter(b'<', bytes);
    for start in starts {
        let near = &bytes[start..];
        let n = near.len().min(tag.len());
        if near[..n].eq_ignore_ascii_case(&tag[..n]) {
            match near.get(tag.len()) {
                Some(&b) if is_space(b) || b == b'/' || b == b'>' => return (start, true),
                None if !end => return (start, false),
                _ => {}
            }
        }
    }
    (bytes.len(), false)
}

/// True if `bytes` begin with the tag of a block element. `None` if more bytes must
/// follow to know that: never if `end` is true.
pub(super) fn breaks_line(bytes: &[u8], end: bool) -> Option<bool> {
    let start = 1 + usize::from(bytes.get(1) == Some(&b'/'));
    match bytes.get(start) {
        Some(first) if bytes[0] == b'<' && first.is_ascii_alphabetic() => {}
        Some(_) => return Some(false),
        None => return end.then_some(false),
    }
    if let Some(tag) = bare_tag(&bytes[start..]) {
        return Some(tag.element.breaks_line());
    }
    let mut name = Name::default();
    match name.read(&bytes[start..], end) {
        NameEnd::At(_) => Some(Element::of(&name).breaks_line()),
        NameEnd::Text(_) => Some(false),
        NameEnd::Unknown => None,
    }
}

/// Eight times the byte `b`.
const fn repeat(b: u8) -> u64 {
    u64::from_ne_bytes([b; 8])
}

/// A word whose lowest set bit is the highest bit of the first zero byte of `word`.
/// 0 if there is no zero byte.
#[inline]
fn zeros(word: u64) -> u64 {
    word.wrapping_sub(repeat(1)) & !word & repeat(0x80)
}

/// A tag without attributes.
pub(super) struct BareTag {
    /// The length of its name with the `>`.
    pub(super) len: usize,
    pub(super) element: Element,
    /// The name as a number.
    pub(super) name: u64,
}

/// Reads the name of a tag and the `>` after it, at the start of `bytes`. `None` unless the name is
/// in [`FREQUENT`] and the tag has no attributes.
#[inline]
pub(super) fn bare_tag(bytes: &[u8]) -> Option<BareTag> {
    let word = u64::from_le_bytes(*bytes.first_chunk()?);
    let ends = zeros(word ^ repeat(b'>'));
    if ends == 0 {
        return None;
    }
    // The bytes before the `>`.
    let name = word & (ends ^ (ends - 1)) >> 8;
    // Letters in lower case. Digits do not have the bit 0x40.
    let name = name | (name & repeat(0x40)) >> 1;
    let (known, element) = FREQUENT[slot(name)];
    (known == name).then_some(BareTag {
        len: ends.trailing_zeros() as usize / 8 + 1,
        element,
        name,
    })
}

/// A hash whose highest bits depend on all bits of `word` (Fibonacci hashing: the
/// factor is 2⁶⁴ divided by the golden ratio).
const fn hash(word: u64) -> u64 {
    word.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The index of a name in [`FREQUENT`].
const fn slot(name: u64) -> usize {
    (hash(name) >> 58) as usize
}

/// Marks a slot without a name. No name has this value.
const VACANT: u64 = u64::MAX;

/// The names of the elements of most tags in mail, and the elements. A few names
/// are missing because another name has their slot.
static FREQUENT: [(u64, Element); 64] = {
    const NAMES: [&[u8]; 28] = [
        b"div", b"br", b"p", b"span", b"o:p", b"a", b"u", b"b", b"i", b"td", b"tr", b"code",
        b"pre", b"li", b"font", b"table", b"tbody", b"strong", b"em", b"ul", b"ol", b"center",
        b"h1", b"h2", b"h3", b"body", b"html", b"head",
    ];
    let mut table = [(VACANT, Element::Other); 64];
    let mut i = 0;
    while i < NAMES.len() {
        let mut name = 0;
        let mut at = 0;
        while at < NAMES[i].len() {
            name |= (NAMES[i][at] as u64) << (8 * at);
            at += 1;
        }
        if table[slot(name)].0 == VACANT {
            table[slot(name)] = (name, Element::of(NAMES[i]));
        }
        i += 1;
    }
    table
};

/// True for a name as in `<http://…>` or `<URL:…>`. The author meant visible
/// text, not a tag. In a real tag name the colon follows a namespace prefix,
/// and these words are not prefixes.
pub(super) fn is_bracketed_text(name: &[u8]) -> bool {
    const WORDS: [&str; 12] =
        words("file ftp gopher http https mailto news nntp prospero telnet url wais");
    WORDS.iter().any(|word| word.as_bytes() == name)
}

/// The value of an attribute that may have links.
#[derive(Debug)]
pub(super) struct Value {
    pub(super) attribute: LinkAttribute,
    /// The place of the value, without its quotation marks.
    pub(super) range: Range<usize>,
    /// True if a quotation mark precedes it.
    pub(super) is_quoted: bool,
    /// The value is quoted-printable that no header declares. It begins with `3D`
    /// and a quotation mark. No URL begins so.
    pub(super) is_escaped: bool,
    /// The closing quotation mark is missing.
    pub(super) is_unclosed: bool,
}

/// The attributes of a tag so far. Browsers use only the first of those with the same name
/// (HTML 13.2.5.33).
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// A bit for each kind of attribute, and [`XLINK`].
    kinds: u32,
    /// The names of event handlers in lower case, up to [`MAX_HANDLERS`].
    handlers: Vec<[u8; MAX_NAME]>,
}

/// The bit of `xlink:href`, which is not `href`.
const XLINK: u32 = 1 << 31;

/// The maximum number of event handlers of a tag that are compared with each other. A tag
/// with more of them was made to cost time.
const MAX_HANDLERS: usize = 64;

/// What [`Seen`] had at a place.
#[derive(Clone, Copy)]
pub(super) struct SeenMark {
    kinds: u32,
    handlers: usize,
}

impl Seen {
    pub(super) fn clear(&mut self) {
        self.kinds = 0;
        self.handlers.clear();
    }

    /// The state to which [`Seen::restore`] goes back.
    pub(super) fn mark(&self) -> SeenMark {
        SeenMark {
            kinds: self.kinds,
            handlers: self.handlers.len(),
        }
    }

    pub(super) fn restore(&mut self, mark: SeenMark) {
        self.kinds = mark.kinds;
        self.handlers.truncate(mark.handlers);
    }

    /// Adds an attribute. Returns false if the tag already has one of this name.
    #[inline(always)] // It runs for each attribute that may have a link or a mark.
    fn add(&mut self, attribute: LinkAttribute, name: &[u8]) -> bool {
        use LinkAttribute as L;
        match attribute {
            // These have several names each, or may occur more than once.
            L::Name | L::Property | L::Other | L::Namespace => true,
            L::Script => self.add_handler(name),
            _ => {
                let is_xlink = attribute == L::Href && name.len() > 4 && name.contains(&b':');
                let bit = if is_xlink {
                    XLINK
                } else {
                    1 << attribute as u32
                };
                let is_new = self.kinds & bit == 0;
                self.kinds |= bit;
                is_new
            }
        }
    }

    #[inline(never)] // Few tags have one.
    fn add_handler(&mut self, name: &[u8]) -> bool {
        let mut key = [0; MAX_NAME];
        let len = name.len().min(MAX_NAME);
        key[..len].copy_from_slice(&name[..len]);
        key.make_ascii_lowercase();
        let is_new = !self.handlers.contains(&key);
        if is_new && self.handlers.len() < MAX_HANDLERS {
            self.handlers.push(key);
        }
        is_new
    }
}

/// The end of the attributes of a tag.
pub(super) enum TagEnd {
    /// The tag ends here, after its `>`.
    At(usize),
    /// The attribute that begins here is not complete. If its value has begun, it
    /// ends with this quotation mark, or with white space or a `>`.
    Open(usize, Option<Option<u8>>),
}

/// Finds the attribute that has this name on this element, if it may have links.
pub(super) type Link = fn(&[u8], &[u8]) -> Option<LinkAttribute>;

/// The attributes whose values are wanted.
#[derive(Clone, Copy)]
pub(super) struct Wanted {
    pub(super) link: Link,
    /// Those that may have marks too.
    pub(super) reads_marks: bool,
}

/// Reads the attributes at `at`, of a start tag of `element` or of an end tag.
/// Appends the values that are wanted to `values`. `seen` has the attributes before them. `read` gets
/// the name and the value of each attribute, and whether the value is complete.
#[inline(never)] // Inlined, it takes registers from its caller.
pub(super) fn attributes(
    bytes: &[u8],
    mut at: usize,
    element: Option<&[u8]>,
    wanted: Wanted,
    seen: &mut Seen,
    values: &mut Vec<Value>,
    mut read: impl FnMut(&[u8], &[u8], bool),
) -> TagEnd {
    loop {
        let start = skip(bytes, at, SPACE | SLASH);
        match bytes.get(start) {
            Some(b'>') => return TagEnd::At(start + 1),
            Some(_) => {}
            None => return TagEnd::Open(start, None),
        }
        // Take at least one byte, which may be a leading `=`.
        let name = find(bytes, start + 1, SPACE | SLASH | CLOSE | EQUALS);
        at = skip(bytes, name, SPACE);
        match bytes.get(at) {
            Some(b'=') => at = skip(bytes, at + 1, SPACE),
            // The attribute has no value.
            Some(_) => {
                read(&bytes[start..name], b"", true);
                continue;
            }
            None => return TagEnd::Open(start, None),
        }
        let attribute = element.and_then(|element| (wanted.link)(&bytes[start..name], element));
        let (is_escaped, quote) = match &bytes[at..] {
            [] => return TagEnd::Open(start, None),
            [b'3', b'D' | b'd', quote @ (b'"' | b'\''), ..]
                if attribute.is_some_and(LinkAttribute::is_one_url) =>
            {
                (true, Some(*quote))
            }
            [quote @ (b'"' | b'\''), ..] => (false, Some(*quote)),
            _ => (false, None),
        };
        at += usize::from(quote.is_some()) + 2 * usize::from(is_escaped);
        let len = match quote {
            Some(quote) => memchr(quote, &bytes[at..]),
            None => Some(find(bytes, at, SPACE | CLOSE) - at).filter(|n| at + n < bytes.len()),
        };
        let range = at..at + len.unwrap_or(bytes.len() - at);
        at = range.end + usize::from(quote.is_some());
        read(&bytes[start..name], &bytes[range.clone()], len.is_some());
        // An attribute that is cut is read again.
        if let Some(attribute) = attribute
            && (len.is_none() || seen.add(attribute, &bytes[start..name]))
            && may_be_wanted(attribute, &bytes[range.clone()], wanted.reads_marks)
        {
            values.push(Value {
                attribute,
                range,
                is_quoted: quote.is_some(),
                is_escaped,
                is_unclosed: false,
            });
        }
        if len.is_none() {
            return TagEnd::Open(start, Some(quote));
        }
    }
}

/// True if the value of this attribute may have a link, or a mark that is wanted.
#[inline(always)] // As `Seen::add`.
fn may_be_wanted(attribute: LinkAttribute, value: &[u8], reads_marks: bool) -> bool {
    let has_mark = || reads_marks && marks::find(attribute, value).is_some();
    match attribute {
        LinkAttribute::Script => memchr2(b':', b'&', value).is_some(),
        LinkAttribute::Style => may_have_url(value) || has_mark(),
        LinkAttribute::Name | LinkAttribute::DivName => has_mark(),
        LinkAttribute::Pragma => value.trim_ascii().eq_ignore_ascii_case(b"refresh"),
        // `og:image`, `twitter:image`
        LinkAttribute::Property => memchr(b':', value).is_some(),
        LinkAttribute::Other => {
            memmem::find(value, b"://").is_some()
                || value
                    .get(..7)
                    .is_some_and(|v| v.eq_ignore_ascii_case(b"mailto:"))
        }
        _ => true,
    }
}

/// True if a style may have a `url(…)`. Nearly all have none. A character
/// reference other than `&quot;` can encode a part of `url(`, and so can an escape.
fn may_have_url(style: &[u8]) -> bool {
    memchr3_iter(b'(', b'&', b'\\', style).any(|i| match style[i] {
        b'(' => style[..i]
            .last()
            .is_some_and(|b| b.eq_ignore_ascii_case(&b'l')),
        b'\\' => true,
        _ => !style[i..].starts_with(b"&quot;"),
    })
}

/// The number of leading bytes for which the predicate is true.
pub(super) fn run(bytes: &[u8], kind: impl Fn(u8) -> bool) -> usize {
    let other = bytes.iter().position(|&b| !kind(b));
    other.unwrap_or(bytes.len())
}

/// The index of the first byte at or after `at` that is in none of `classes`,
/// or the length of `bytes`.
#[inline]
pub(super) fn skip(bytes: &[u8], mut at: usize, classes: u8) -> usize {
    while at < bytes.len() && CLASSES[usize::from(bytes[at])] & classes != 0 {
        at += 1;
    }
    at
}

/// The index of the first byte at or after `at` that is in one of `classes`, or
/// the length of `bytes`.
#[inline]
pub(super) fn find(bytes: &[u8], mut at: usize, classes: u8) -> usize {
    while at < bytes.len() && CLASSES[usize::from(bytes[at])] & classes == 0 {
        at += 1;
    }
    at
}

/// The attribute with links that has this `name` on this element, in any case.
pub(super) fn link_attribute(name: &[u8], element: &[u8]) -> Option<LinkAttribute> {
    // The length and the first letter rule out nearly all other attributes.
    let (link, expected) = match (name.len(), name.first()?.to_ascii_lowercase()) {
        (4, b'h') => (LinkAttribute::Href, "href"),
        (3, b's') => (LinkAttribute::Src, "src"),
        (6, b'a') => (LinkAttribute::Action, "action"),
        (4, b'c') => (LinkAttribute::Cite, "cite"),
        (10, b'b') => (LinkAttribute::Background, "background"),
        (6, b'p') => (LinkAttribute::Poster, "poster"),
        (4, b'd') => (LinkAttribute::Data, "data"),
        (10, b'f') => (LinkAttribute::Formaction, "formaction"),
        (8, b'l') => (LinkAttribute::Longdesc, "longdesc"),
        (4, b'p') => (LinkAttribute::Ping, "ping"),
        (6, b's') if element == b"iframe" => (LinkAttribute::Srcdoc, "srcdoc"),
        (6, b's') => (LinkAttribute::Srcset, "srcset"),
        (11, b'i') => (LinkAttribute::Srcset, "imagesrcset"),
        (5, b's') => (LinkAttribute::Style, "style"),
        // SVG
        (10, b'x') => (LinkAttribute::Href, "xlink:href"),
        (7, b'c') if element == b"meta" => (LinkAttribute::Content, "content"),
        (10, b'h') if element == b"meta" => (LinkAttribute::Pragma, "http-equiv"),
        (8, b'p') if element == b"meta" => (LinkAttribute::Property, "property"),
        (4, b'n') if element == b"meta" => (LinkAttribute::Property, "name"),
        (5, b'c') => (LinkAttribute::Name, "class"),
        (2, b'i') => (LinkAttribute::Name, "id"),
        (4, b'n') if element == b"a" => (LinkAttribute::Name, "name"),
        (4, b'n') if element == b"div" => (LinkAttribute::DivName, "name"),
        (4, b't') if element == b"blockquote" => (LinkAttribute::Name, "type"),
        // The names of event handlers, such as `onclick`. Both callers see the
        // whole name, because it is shorter than `MAX_NAME`.
        (5..MAX_NAME, b'o')
            if name[1].eq_ignore_ascii_case(&b'n') && name.iter().all(u8::is_ascii_alphabetic) =>
        {
            return Some(LinkAttribute::Script);
        }
        _ => return None,
    };
    // The bytes of `expected` are letters, `-` and `:`, which have the bit 0x20.
    let mut pairs = name.iter().zip(expected.as_bytes());
    pairs.all(|(&a, &b)| a | 0x20 == b).then_some(link)
}

/// The attribute of XML with this `name` on this element. Any may have a link. The type of
/// a relationship and `uri` in an office document (ECMA-376) are names. So are types in RDF
/// (RDF/XML sections 2.9 and 2.13), which each OpenDocument file has in its `manifest.rdf`. A document
/// chooses its prefix of RDF.
pub(super) fn xml_attribute(name: &[u8], element: &[u8]) -> Option<LinkAttribute> {
    let colon = name.iter().position(|&b| b == b':');
    let is_type = |prefix: &[u8]| element.strip_prefix(prefix) == Some(b"type");
    let (prefix, local) = name.split_at(colon.map_or(0, |colon| colon + 1));
    if name == b"xmlns" || prefix == b"xmlns:" {
        return Some(LinkAttribute::Namespace);
    }
    Some(match local {
        b"schemaLocation" | b"noNamespaceSchemaLocation" => LinkAttribute::Namespace,
        b"Type" if element == b"relationship" => LinkAttribute::Namespace,
        b"uri" if element.contains(&b':') => LinkAttribute::Namespace,
        b"datatype" | b"type" if !prefix.is_empty() => LinkAttribute::Namespace,
        b"resource" if !prefix.is_empty() && is_type(prefix) => LinkAttribute::Namespace,
        b"href" => LinkAttribute::Href,
        b"src" => LinkAttribute::Src,
        b"style" => LinkAttribute::Style,
        // OpenDocument 1.2, part 1, 19.642: `of:=HYPERLINK("http://a.example/";"label")`
        b"formula" => LinkAttribute::Script,
        // ECMA-376, part 1, 17.16.19: `<w:fldSimple w:instr="HYPERLINK &quot;http://a.example/&quot;">`
        b"instr" if element == b"w:fldsimple" => LinkAttribute::Script,
        _ if local.starts_with(b"on") => LinkAttribute::Script,
        _ => LinkAttribute::Other,
    })
}

pub(in super::super) fn is_space(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
}

/// White space.
pub(super) const SPACE: u8 = 1;
/// `/`, which also ends a name.
pub(super) const SLASH: u8 = 2;
/// `>`
pub(super) const CLOSE: u8 = 4;
/// `=`
pub(super) const EQUALS: u8 = 8;
/// A byte of a style sheet that may begin a token with a link, a comment or an escape.
pub(super) const CSS: u8 = 16;

/// The class of each byte. A load is cheaper than seven comparisons.
static CLASSES: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = match i as u8 {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0C => SPACE,
            b'/' => SLASH | CSS,
            b'"' | b'\'' | b'@' | b'(' | b'\\' => CSS,
            b'>' => CLOSE,
            b'=' => EQUALS,
            _ => 0,
        };
        i += 1;
    }
    table
};
