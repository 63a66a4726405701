//! Checks whether the text after a scheme without `//` has the shape that the
//! scheme needs.

use memchr::memmem;

use super::delimited::Draft;
use super::script;
use super::window::Window;
use crate::text::class::{CLASS, Class, is_scheme_byte, is_stop};
use crate::text::schemes;
use crate::text::schemes::SCHEME_MAX;
use crate::text::schemes::SchemeShape;

/// The number of bytes after the colon of a scheme that must show the shape.
const SHAPE_MAX: usize = 320;

/// The text in which a shape is searched for.
pub(super) enum ShapeText<'t> {
    /// Running text. An `@` or a comma must be before the end of the word, and
    /// not its last byte, which belongs to the sentence.
    Bare {
        base: u64,
        at_sign: &'t mut NextByte,
        comma: &'t mut NextByte,
    },
    /// The URL between quotation marks, after its line breaks were removed.
    Quoted(&'t Draft),
}

impl ShapeText<'_> {
    fn holds(&mut self, w: &Window<'_>, body: usize, wanted: u8) -> bool {
        let (next, base) = match self {
            ShapeText::Bare { base, comma, .. } if wanted == b',' => (comma, *base),
            ShapeText::Bare { base, at_sign, .. } => (at_sign, *base),
            ShapeText::Quoted(draft) => return draft.holds(w, wanted),
        };
        let follows = |b: u8| b.is_ascii_alphanumeric() || b == b'%';
        next.find(w, base, body, wanted).is_some_and(|at| {
            let next = at + 1;
            let is_letter = || wanted == b'@' && script::letter_at(w, next);
            w.bytes()[at] == wanted && (w.at(next).is_some_and(follows) || is_letter())
        })
    }
}

/// True if the value of an attribute is a URL, and not a partial form. Nothing else stands
/// in such a value, so nearly every registered scheme makes it a URL.
pub(super) fn is_link(value: &[u8]) -> bool {
    let Some(colon) = memchr::memchr(b':', value) else {
        return false;
    };
    let (name, rest) = (&value[..colon], &value[colon + 1..]);
    if name.len() > SCHEME_MAX || !name.iter().all(|&b| is_scheme_byte(b)) {
        return false;
    }
    if rest.starts_with(b"//") {
        return name.first().is_some_and(u8::is_ascii_alphabetic);
    }
    let has = |wanted| memchr::memchr(wanted, rest).is_some();
    let is = |schemes: &[&[u8]]| schemes.iter().any(|other| name.eq_ignore_ascii_case(other));
    if is(&[b"mailto"]) {
        return is_mailto(rest);
    }
    if is(&[b"mid", b"cid"]) {
        return has(b'@');
    }
    if is(&[b"data"]) {
        return has(b',');
    }
    if is(&[b"tel", b"fax", b"sms", b"callto"]) {
        return rest.iter().any(u8::is_ascii_alphanumeric);
    }
    // Browsers take `http:host`, `http:\\host` and `https:/host` for `//` (URL Standard
    // 4.4, "special authority ignore slashes state").
    if is(&[b"http", b"https", b"ftp"]) {
        return !rest.is_empty() && !b"?#".contains(&rest[0]);
    }
    // They name a part of the browser or of the page.
    if is(&[b"about", b"blob"]) {
        return false;
    }
    if schemes::is_slashed(name) {
        return matches!(rest.first(), Some(b'/' | b'\\'));
    }
    schemes::is_iana(name) && rest.first().is_some_and(u8::is_ascii_graphic)
}

/// True if `mailto:` and this text begin a mail: with an address, whose `@` may be escaped or
/// masked, or at least with a subject.
fn is_mailto(rest: &[u8]) -> bool {
    let holds = |wanted: &[u8]| memmem::find(rest, wanted).is_some();
    memchr::memchr(b'@', rest).is_some()
        || holds(b"%40")
        || holds(b"%20at%20")
        || rest.starts_with(b"?") && holds(b"=")
}

/// True if the bytes from `body` on have the shape that their scheme needs.
pub(super) fn has_shape(
    w: &Window<'_>,
    shape: SchemeShape,
    body: usize,
    mut text: ShapeText<'_>,
) -> bool {
    let is_digit = |b: u8| b.is_ascii_digit();
    // All bytes of the URL, if delimiters show where it ends.
    let whole = match text {
        ShapeText::Bare { .. } => None,
        ShapeText::Quoted(draft) => {
            let start = draft.first().unwrap_or(body);
            Some(draft.first_text(w).get(body - start..).unwrap_or_default())
        }
    };
    let next = w.at(body);
    match shape {
        SchemeShape::At => text.holds(w, body, b'@'),
        SchemeShape::Comma => begins_data(w, body) && text.holds(w, body, b','),
        // An option in quotation marks (`"news:-x"`) is no group.
        SchemeShape::Group
            if matches!(text, ShapeText::Quoted(_)) && matches!(whole, Some([] | [b'-', ..])) =>
        {
            false
        }
        SchemeShape::Group if whole == Some(b"*") => true,
        SchemeShape::Group | SchemeShape::Host => {
            text.holds(w, body, b'@') || has_dotted_name(w, body)
        }
        SchemeShape::Doi => w.has_word(body, b"10."),
        SchemeShape::Digit if next == Some(b'+') => {
            whole.is_some() || w.at(body + 1).is_some_and(is_digit)
        }
        SchemeShape::Digit => next.is_some_and(is_digit),
        SchemeShape::Number => {
            let from = body + usize::from(next == Some(b'+'));
            let least = if from > body { 1 } else { 5 };
            (from..from + least).all(|at| w.at(at).is_some_and(is_digit))
        }
        SchemeShape::Place => {
            let comma = number_end(w, body);
            let after = comma.filter(|&at| w.at(at) == Some(b','));
            after.is_some_and(|at| number_end(w, at + 1).is_some())
        }
        SchemeShape::Question => next == Some(b'?'),
        SchemeShape::Nid => has_namespace(w, body),
        SchemeShape::Marked => matches!(text, ShapeText::Quoted(_)),
        SchemeShape::Slashed => next == Some(b'/') && has_dotted_name(w, body + 1),
        SchemeShape::Path => {
            next == Some(b'/') && w.at(body + 1).is_some_and(|b| b.is_ascii_alphanumeric())
        }
    }
}

/// The index after the number of degrees at `from`: `-47.07`.
fn number_end(w: &Window<'_>, from: usize) -> Option<usize> {
    const DEGREES_MAX: usize = 24;
    let start = from + usize::from(w.at(from) == Some(b'-'));
    let mut end = start;
    while end < start + DEGREES_MAX && w.at(end).is_some_and(|b| b.is_ascii_digit() || b == b'.') {
        end += 1;
    }
    w.count(end - from);
    let is_number = w.slice(start, 1).first().is_some_and(u8::is_ascii_digit);
    (end > start && is_number).then_some(end)
}

/// The types of RFC 6838 4.2 and of later documents.
const MEDIA_TYPES: [&str; 12] = [
    "application",
    "audio",
    "chemical",
    "example",
    "font",
    "haptics",
    "image",
    "message",
    "model",
    "multipart",
    "text",
    "video",
];

/// True if the text at `body` begins as RFC 2397 wants it: with a media type, `;` or a comma. The
/// type need not be a known one if both names begin with a letter and `;` or a comma ends them
/// (`data:img/png;base64,`). But an object of JavaScript may have a member `data`
/// (`{data:e/f,g:1}`): of 12 texts with `data:` in minified programs 8 were no URLs.
fn begins_data(w: &Window<'_>, body: usize) -> bool {
    const TYPE_MAX: usize = 64;
    if matches!(w.at(body), Some(b',' | b';')) {
        return true;
    }
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"-.+_".contains(&b);
    let media_type = w.until(body, TYPE_MAX + 1, |b| !is_name(b));
    let name = media_type.text;
    let slash = name.len();
    let is_type = MEDIA_TYPES
        .iter()
        .any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
        || name.len() > 2 && name[..2].eq_ignore_ascii_case(b"x-");
    if media_type.end != Some(b'/')
        || !w
            .at(body + slash + 1)
            .is_some_and(|b| b.is_ascii_alphanumeric())
    {
        return false;
    }
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_alphabetic);
    is_type || is_name && !is_of_program(w, body) && ends_as_type(w, body + slash + 1)
}

/// True if a subtype that begins with a letter is at `from`, and `;` or a comma after it.
fn ends_as_type(w: &Window<'_>, from: usize) -> bool {
    const SUBTYPE_MAX: usize = 127; // RFC 6838 4.2
    let is_name = |b: u8| b.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&b);
    let subtype = w.until(from, SUBTYPE_MAX + 1, |b| !is_name(b));
    subtype.text.first().is_some_and(u8::is_ascii_alphabetic)
        && matches!(subtype.end, Some(b';' | b','))
}

/// True if `data:` before `body` may be a word of a program: the name of a member of an object
/// (`{data:e,f:1}`), or an argument. In `url(data:…)` of a style sheet it is none.
fn is_of_program(w: &Window<'_>, body: usize) -> bool {
    let start = body.saturating_sub(b"data:".len());
    let before = &w.bytes()[..start];
    matches!(before.last(), Some(b'{' | b',' | b'(')) && !before.ends_with(b"url(")
}

/// True if a name with a dot inside begins at `body`: `comp.lang.lisp`,
/// `example.org`. The caller has searched for the end of the word, so the word
/// is in the window.
fn has_dotted_name(w: &Window<'_>, body: usize) -> bool {
    let is_name = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'_' | b'.');
    let name = w.until(body, SHAPE_MAX, |b| !is_name(b)).text;
    name.windows(3)
        .any(|p| p[1] == b'.' && p[0].is_ascii_alphanumeric() && p[2].is_ascii_alphanumeric())
        && name[0].is_ascii_alphanumeric()
}

/// True if a URN of RFC 8141 continues at `body`. A namespace of 2 to 32
/// letters, digits and hyphens comes first, then a colon and the name.
fn has_namespace(w: &Window<'_>, body: usize) -> bool {
    let mut len = 0;
    while len <= 32
        && w.at(body + len)
            .is_some_and(|b| b.is_ascii_alphanumeric() || b == b'-')
    {
        len += 1;
    }
    (2..=32).contains(&len)
        && w.at(body + len) == Some(b':')
        && w.at(body + len + 1)
            .is_some_and(|b| !is_stop(b) && CLASS[b as usize] != Class::Close)
}

/// Finds the next place of a given byte, or of a byte that ends the word. The
/// result is cached, so a haystack full of schemes is searched only once.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NextByte {
    /// The offset at which the search stopped. There is no such byte between
    /// the last lookup and this offset.
    to: u64,
    /// The byte at `to`, if the search stopped because of it.
    at: Option<u64>,
}

impl NextByte {
    /// Index of the first byte from `start` on that is `wanted` or ends the
    /// word, within [`SHAPE_MAX`] bytes.
    fn find(&mut self, w: &Window<'_>, base: u64, start: usize, wanted: u8) -> Option<usize> {
        let (from, limit) = (base + start as u64, base + (start + SHAPE_MAX) as u64);
        // Lookups come in ascending order.
        if self.to < from {
            self.to = from;
            self.at = None;
        }
        if self.at.is_none() {
            let at = (self.to - base) as usize;
            let bytes = w.slice(at, limit.saturating_sub(self.to) as usize);
            let found = bytes.iter().position(|&b| b == wanted || is_stop(b));
            let seen = found.unwrap_or(bytes.len());
            w.count(seen);
            self.to += seen as u64;
            self.at = found.map(|_| self.to);
            // If the byte was not found, more bytes of the haystack are needed.
            let _ = w.at(at + seen);
        }
        self.at.map(|at| (at - base) as usize)
    }
}
