//! The elements that say who wrote the text in them. Mail programs give the element of a
//! quotation or a signature a fixed class, id or name, so a table of these is enough. Only
//! `<blockquote>`, `<hr>`, and two styles, of Word and of Gmail, are found without it.
//!
//! # How to think about it
//!
//! Only marked elements are kept, and no other element needs a place in memory. Each marked
//! one counts the open elements of its name, itself included, up to the next marked one of
//! that name, so that we know which end tag is its own. If that tag is missing, a later end
//! tag of the same name ends the element, and all marked elements in it, as the standard does
//! with nearly all elements (13.2.6.4.7). [`Mark::Rest`] is no element: it is kept in `rest`,
//! to the end of the page.

use super::super::role::{Enclosing, Role};
use super::super::sink::MailSink;
use super::page::Page;
use super::{Html, LinkAttribute};
use urlgrep_base::words::words;

/// The effect of an element on the role of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// Its content is one level deeper.
    Quote,
    /// Its content is quoted up to the end of the first quotation in it: the line that
    /// names the author, and the quotation. A reply between two quotations follows.
    Intro,
    /// An author forwards a message in it. The message begins with its header, and what an
    /// author wrote before it has the marks of the message that he answered.
    Forward,
    Signature,
    Footer,
    /// The header of a quoted message may be in it, as Word writes it.
    Header,
    /// All text from here on was quoted.
    Rest,
    /// A line, after which the footer of a list may begin.
    Rule,
    /// It has no effect any more.
    Spent,
}

/// The marks, and the classes, ids and names that have them.
static NAMES: [&str; 62] = words(include_str!("marks.txt"));

/// The mark of an attribute with this value.
pub(super) fn find(attribute: LinkAttribute, value: &[u8]) -> Option<Mark> {
    match attribute {
        // As a class it is any quotation, such as one of a newsletter.
        LinkAttribute::DivName if value.eq_ignore_ascii_case(b"quote") => Some(Mark::Quote),
        LinkAttribute::Name | LinkAttribute::DivName => {
            value.split(u8::is_ascii_whitespace).find_map(named)
        }
        LinkAttribute::Style if is_header(value) => Some(Mark::Header),
        LinkAttribute::Style if is_indent(value) => Some(Mark::Spent),
        _ => None,
    }
}

/// The mark of a class, id or name. Outlook puts `x_` before those of the messages that it
/// quotes, once for each level.
fn named(mut word: &[u8]) -> Option<Mark> {
    while let Some(rest) = word.strip_prefix(b"x_") {
        word = rest;
    }
    // Fast path: nearly all names are those of the styles of Word.
    if word.starts_with(b"Mso") {
        return None;
    }
    let mut rows = NAMES.chunks_exact(2);
    let row = rows.find(|row| row[1].as_bytes().eq_ignore_ascii_case(word));
    Some(match row?[0] {
        "quote" => Mark::Quote,
        "intro" => Mark::Intro,
        "forward" => Mark::Forward,
        "signature" => Mark::Signature,
        "footer" => Mark::Footer,
        _ => Mark::Rest,
    })
}

/// True for a border above only, with which Word begins the header of a quoted message.
fn is_header(style: &[u8]) -> bool {
    let has = |border: &[u8]| memchr::memmem::find(style, border).is_some();
    style.starts_with(b"border") && (has(b"border-top:solid") || has(b"solid none none"))
}

/// True for the margin with which Gmail indents the author's own text, in a `blockquote`.
fn is_indent(style: &[u8]) -> bool {
    style.starts_with(b"margin:0") && memchr::memmem::find(style, b" 40px;border:none").is_some()
}

/// The maximum depth of nested marked elements. Deeper ones are ignored.
const MAX_OPEN: usize = 64;

/// The open elements that are marked: the first bytes of the name, the number of open
/// elements with this name from that one on, and the mark.
#[derive(Debug, Default)]
pub(super) struct Marks {
    pub(super) open: Vec<(u64, u64, Mark)>,
    rest: bool,
    /// The message answers another one.
    is_reply: bool,
}

impl Html {
    /// At the end of a start tag: the element may say who wrote its content. This comes
    /// before its links, because a quotation names its source in `cite`.
    pub(super) fn begin_mark<S: MailSink>(&mut self, bytes: &[u8], page: &mut Page<'_, '_, '_, S>) {
        if self.closing {
            return;
        }
        let values = self.values.iter();
        let mut marks =
            values.filter_map(|value| find(value.attribute, &bytes[value.range.clone()]));
        let first = marks.next();
        // A class says more than a style.
        let said = marks.find(|_| first == Some(Mark::Spent)).or(first);
        let mark = match &*self.name {
            // Newsletters use it to indent their text, which is not quoted from a message.
            b"blockquote" if said.is_none() && !self.marks.is_reply => None,
            b"blockquote" if said != Some(Mark::Spent) => Some(Mark::Quote),
            b"hr" => said.or(Some(Mark::Rule)),
            _ => said,
        };
        if let Some(mark) = mark {
            self.marks.rest |= mark == Mark::Rest;
            self.marks.is_reply |= matches!(mark, Mark::Intro | Mark::Quote | Mark::Rest);
            let has_content = !matches!(mark, Mark::Rest | Mark::Rule) && !is_void(&self.name);
            if has_content && self.marks.open.len() < MAX_OPEN {
                self.marks.open.push((self.name.word(), 0, mark));
            }
            let rule = mark == Mark::Rule;
            let by = Enclosing {
                rule,
                ..self.marks.enclosing()
            };
            page.cx.sink.enclosed(by, page.out.end());
        }
    }
}

/// True for an element without an end tag (13.1.2), such as the picture of a signature.
#[rustfmt::skip]
fn is_void(name: &[u8]) -> bool {
    matches!(
        name,
        b"area" | b"base" | b"br" | b"col" | b"embed" | b"hr" | b"img" | b"input" | b"link"
            | b"meta" | b"source" | b"track" | b"wbr"
    )
}

impl Marks {
    pub(super) fn new(is_reply: bool) -> Marks {
        Marks {
            is_reply,
            ..Marks::default()
        }
    }

    /// At any tag, after [`Html::begin_mark`]. True if a marked element ends.
    pub(super) fn tag(&mut self, name: u64, closing: bool) -> bool {
        let Some(at) = self.open.iter().rposition(|open| open.0 == name) else {
            return false;
        };
        let (_, same, ended) = &mut self.open[at];
        if closing {
            *same -= 1;
        } else {
            *same += 1;
        }
        if *same > 0 {
            return false;
        }
        let ended = *ended;
        self.open.truncate(at);
        if let Some((.., around @ Mark::Intro)) = self.open.last_mut()
            && ended == Mark::Quote
        {
            *around = Mark::Spent;
        }
        true
    }

    /// What the open elements say.
    pub(super) fn enclosing(&self) -> Enclosing {
        let (mut quotes, mut depth) = (0, 0);
        let mut role = Role::Body;
        let mut header = false;
        let mut is_forwarded = false;
        for (.., mark) in &self.open {
            match mark {
                Mark::Quote => quotes += 1,
                Mark::Intro if !is_forwarded => depth = quotes + 1,
                Mark::Forward => is_forwarded = true,
                Mark::Signature => role = Role::Signature,
                Mark::Footer => role = Role::Footer,
                Mark::Header => header = true,
                Mark::Intro | Mark::Rest | Mark::Rule | Mark::Spent => {}
            }
            depth = depth.max(quotes);
        }
        if depth > 0 {
            role = Role::Quoted(depth);
        }
        let rest = self.rest;
        Enclosing {
            role,
            header,
            rest,
            rule: false,
        }
    }
}
