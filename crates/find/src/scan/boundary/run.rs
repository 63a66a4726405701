//! The way forward: the bytes that may belong to a bare URL, up to the first one that ends it in any
//! context.

use super::brackets::{Depth, Opener};
use super::quotes;
use crate::scan::marks;
use crate::scan::markup;
use crate::scan::scheme;
use crate::scan::script::{self, Scripts};
use crate::scan::template;
use crate::scan::window::Window;
use crate::text::class::{CLASS, Class, is_space, plain_len};
use crate::view::is_bar_of_terminal;

/// The bytes that may belong to a URL.
pub(super) struct Run {
    /// Index after the last one.
    pub(super) end: usize,
    pub(super) has_comma: bool,
    pub(super) has_apostrophe: bool,
    /// Two equal marks end it, such as `''` or `&&`.
    pub(super) ends_in_marks: bool,
}

/// Where the bytes that a run reads begin.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// A URL at `start`, whose scheme and slashes end at `body`.
    Url { start: usize, body: usize },
    /// The rest of a URL, at this index.
    Rest(usize),
}

impl Origin {
    pub(super) fn start(self) -> usize {
        match self {
            Origin::Url { start, .. } | Origin::Rest(start) => start,
        }
    }

    /// The index of the first byte that is no part of a scheme.
    pub(super) fn body(self) -> usize {
        match self {
            Origin::Url { body, .. } | Origin::Rest(body) => body,
        }
    }

    fn is_url(self) -> bool {
        matches!(self, Origin::Url { .. })
    }
}

/// Searches forward for the first byte that cannot belong to the URL. Inlined, because a call passes
/// its state through memory.
#[expect(
    clippy::too_many_lines,
    reason = "one loop with an arm for each class of bytes"
)]
#[inline(always)]
pub(super) fn run(
    w: &Window<'_>,
    origin: Origin,
    opener: Opener,
    depth: &mut Depth,
    scripts: &mut Option<Scripts>,
    max: usize,
) -> Option<Run> {
    let start = origin.start();
    let body = origin.body();
    let limit = start.saturating_add(max);
    // One byte beyond the limit distinguishes a URL of exactly `max` bytes from
    // a longer URL.
    let bytes = w.slice(0, limit.saturating_add(1));
    let mut i = body;
    let mut has_comma = false;
    let mut has_apostrophe = false;
    let mut ends_in_marks = false;
    let mut budget = Budget::default();
    // Whether a string in apostrophes is open before the URL.
    let mut in_string = None;
    let mut before = Before::new(body);
    let end = loop {
        // Fast path for most bytes. It takes three instructions per byte, and
        // the match below many more.
        i += plain_len(bytes.get(i..).unwrap_or_default());
        let Some(&b) = bytes.get(i) else {
            // This is the limit, or the end of the window.
            if i > limit {
                break None;
            }
            let _ = w.at(i);
            break Some(i);
        };
        match CLASS[b as usize] {
            Class::Plain => i += 1,
            Class::Stop => {
                if matches!(b, b'<' | b'"')
                    && i > body
                    && let Some(next) = over_stop(w, origin, i, b)
                {
                    i = next;
                    continue;
                }
                if b < b' ' && !is_space(b) {
                    w.disturb(i);
                }
                break Some(i);
            }
            Class::Open => {
                if let Some(end) = ends_at_bracket(w, origin, i, b, &mut budget) {
                    break Some(end);
                }
                if b == b'('
                    && let Some(len) = script::parenthesis(w, i)
                    && (!origin.is_url() || before.read(&bytes[..i]).has_path())
                {
                    let scripts = scripts.get_or_insert_with(|| Scripts::new(w, start, body));
                    scripts.take_parenthesis(w, i, len);
                    i += len;
                    continue;
                }
                depth.open(b);
                i += 1;
            }
            Class::Close => {
                if !depth.close(b) {
                    break Some(i);
                }
                i += 1;
            }
            Class::Mark => {
                if opener.is_closed(w, i, b) {
                    // Between apostrophes two of them are one of the text (SQL, YAML).
                    if w.at(i + 1) == Some(b) && is_doubled(w, start, i) {
                        w.disturb(i);
                    }
                    break Some(i);
                }
                if ends_at_mark(w, origin, i, b, &mut before) {
                    ends_in_marks = matches!(b, b'\'' | b'&') && w.at(i + 1) == Some(b);
                    break Some(i);
                }
                if b == b'\\' && is_left_to_view(w, start, i) {
                    return None;
                }
                if b == b'\''
                    && origin.is_url()
                    && opener.0 != Some(b)
                    && quotes::closes(w, i)
                    && *in_string.get_or_insert_with(|| quotes::is_open(w, start))
                {
                    break Some(i);
                }
                has_comma |= b == b',';
                has_apostrophe |= b == b'\'';
                i += 1;
            }
            Class::High => {
                let scripts = scripts.get_or_insert_with(|| Scripts::new(w, start, body));
                match scripts.take(w, i, w.character(i)) {
                    Some(len) => {
                        if is_bar_of_terminal(w.character(i)) && is_left_to_view(w, start, i) {
                            return None;
                        }
                        i += len;
                    }
                    None => break Some(i),
                }
            }
        }
    };
    w.count(end.unwrap_or(limit).saturating_sub(start));
    let end = end.filter(|&end| end <= limit)?;
    Some(Run {
        end,
        has_comma,
        has_apostrophe,
        ends_in_marks,
    })
}

/// Disturbs the readers at `i`. True if the rest of the word need not be read, because a view is
/// asked first: the URLs of a long word would read all of it again and again.
fn is_left_to_view(w: &Window<'_>, start: usize, i: usize) -> bool {
    w.disturb(i);
    let is_left = w.is_brief.get();
    if is_left {
        w.count(i - start);
    }
    is_left
}

/// What the URL has before a place. Each byte is examined once, however often it is asked.
struct Before {
    /// The bytes before this place are examined.
    to: usize,
    has_slash: bool,
    has_equals: bool,
    has_question: bool,
    has_hash: bool,
    /// Whether two bars or two brackets are open before the URL, if a bar asked.
    is_in_pair: Option<bool>,
}

impl Before {
    fn new(body: usize) -> Before {
        Before {
            to: body,
            has_slash: false,
            has_equals: false,
            has_question: false,
            has_hash: false,
            is_in_pair: None,
        }
    }

    /// Examines `bytes` to their end.
    fn read(&mut self, bytes: &[u8]) -> &Before {
        for b in bytes.get(self.to..).unwrap_or_default() {
            match b {
                b'/' => self.has_slash = true,
                b'=' => self.has_equals = true,
                b'#' => self.has_hash = true,
                b'?' => self.has_question = true,
                _ => {}
            }
        }
        self.to = bytes.len();
        self
    }

    /// True if the URL has the first byte of a path, a query or a fragment.
    fn has_path(&self) -> bool {
        self.has_slash || self.has_question || self.has_hash
    }

    /// True if the URL has a value of its own, or what may have one.
    fn has_value(&self) -> bool {
        self.has_equals || self.has_question || self.has_hash
    }
}

/// The number of searches that the brackets of one URL may still cost. Each of them reads up to a
/// line of text or the URL so far, so they are limited to keep the time linear.
struct Budget {
    /// Closing tags, for each of which the line is searched for the tag that opens it.
    tags: u32,
    /// Notes and macros, for each of which the URL so far is read.
    notes: u32,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { tags: 4, notes: 4 }
    }
}

/// True if one more search may be made, which it takes from `left`.
fn spend(left: &mut u32) -> bool {
    let may = *left > 0;
    *left = left.saturating_sub(1);
    may
}

/// The index after the bracket or quotation mark `b` at `i`, if it belongs to the URL.
#[inline(never)]
fn over_stop(w: &Window<'_>, origin: Origin, i: usize, b: u8) -> Option<usize> {
    if b == b'<' {
        return marks::in_angles(w, origin.body(), i);
    }
    match origin {
        Origin::Url { start, body } => quotes::inside(w, start, body, i),
        Origin::Rest(_) => None,
    }
}

/// The end of the URL, if the opening bracket `b` at `i` ends it in any context.
fn ends_at_bracket(
    w: &Window<'_>,
    origin: Origin,
    i: usize,
    b: u8,
    budget: &mut Budget,
) -> Option<usize> {
    let start = origin.start();
    let body = origin.body();
    if b == b'(' {
        return None;
    }
    // `[mailto:` may end its line: `ann@a.example[mailto:ann@a.example]` (Outlook).
    if b == b'[' && (scheme::url_follows(w, i + 1) || w.has_word(i + 1, b"mailto:")) {
        return Some(i);
    }
    let is_double = b == b'{' && matches!(w.at(i + 1), Some(b'{' | b'%')) && i > body;
    if is_double && spend(&mut budget.notes) && template::ends_before(w, i) {
        return Some(i);
    }
    let closes = if b == b'[' {
        markup::closing_tag(w, i)
    } else {
        markup::closing_macro(w, i)
    };
    // The next item of a list of BBCode: `[*]http://a.example/x[*]http://a.example/y`.
    if b == b'[' && w.has_word(i + 1, b"*]") {
        let is_open = spend(&mut budget.tags)
            && [&b"*"[..], b"list"]
                .iter()
                .any(|name| markup::is_open(w, start, b, name));
        return is_open.then_some(i);
    }
    if let Some(name) = closes {
        let is_open = spend(&mut budget.tags) && markup::is_open(w, start, b, name);
        return is_open.then_some(i);
    }
    // A grammar may have these characters.
    if !origin.is_url() || w.national {
        return None;
    }
    // A parameter that is a list: `?a[]=1`.
    if b == b'[' && w.at(i + 1) == Some(b']') && !marks::ends_word(w, i + 2) {
        return None;
    }
    if !spend(&mut budget.notes) {
        return None;
    }
    if b == b'{' {
        return marks::ends_at_brace(w, start, body, i);
    }
    marks::ends_at_square(w, body, i).then_some(i)
}

/// True if the mark `b` at `i` ends the URL in any context.
fn ends_at_mark(w: &Window<'_>, origin: Origin, i: usize, b: u8, before: &mut Before) -> bool {
    let start = origin.start();
    let may_have_bar = origin.is_url() && i > origin.body() && !w.national;
    let url = &w.bytes()[..i];
    match b {
        b'|' if may_have_bar && ends_at_bar(w, start, i, before) => true,
        b',' if marks::divides_arguments(w, start) => true,
        // A URL that has a `=` or a query of its own goes on (`ldap://a.example/cn=x,dc=y`).
        b',' if marks::is_value(w, start)
            && !before.read(url).has_value()
            && marks::names_value(w, i + 1) =>
        {
            true
        }
        // "http://a,http://b" is two URLs. Without a comma between them it is
        // one URL (web.archive.org/web/http://...).
        b',' | b'|' => scheme::url_follows(w, i + 1),
        // An exclamation, or the mark that ends an image of Textile (`!image!:link`). After `#` it
        // begins the path of a program in a page (`#!http://b`).
        b'!' if w.bytes()[i - 1] != b'#' => {
            scheme::url_follows(w, i + 1)
                || w.at(i + 1) == Some(b':') && scheme::url_follows(w, i + 2)
        }
        // Italics of MediaWiki (`http://a.example/''label''`), and `&&` of a shell.
        b'\'' | b'&' if w.at(i + 1) == Some(b) && !before.read(url).has_question => true,
        // Brackets, quotation marks and blanks that were escaped as in HTML, in a
        // text that is not HTML.
        b'&' => {
            let names = [&b"gt;"[..], b"lt;", b"quot;"];
            names.iter().any(|name| w.has_word(i + 1, name)) || is_inner_blank(w, i)
        }
        _ => false,
    }
}

/// True if the bar at `i` ends the URL at `start`. In markup a bar separates; in a query it may be
/// the URL's, as browsers keep it.
fn ends_at_bar(w: &Window<'_>, start: usize, i: usize, before: &mut Before) -> bool {
    before.read(&w.bytes()[..i]);
    let is_query = before.has_question && !before.has_hash;
    !is_query
        || marks::names_field(w, i + 1)
        || *before
            .is_in_pair
            .get_or_insert_with(|| marks::is_in_pair_of_marks(w, start))
}

/// True if `&nbsp;` is at `i`, and more of the word follows. At the end of a word it is punctuation.
fn is_inner_blank(w: &Window<'_>, i: usize) -> bool {
    const NAME: &[u8] = b"nbsp;";
    w.has_word(i + 1, NAME) && !marks::ends_word(w, i + 1 + NAME.len())
}

/// True if the two apostrophes at `i` stand before a letter or digit, and a single one before the
/// URL at `start`.
#[cold]
fn is_doubled(w: &Window<'_>, start: usize, i: usize) -> bool {
    let before = &w.bytes()[..start];
    before.ends_with(b"'")
        && !before.ends_with(b"''")
        && w.at(i + 2).is_some_and(|b| b.is_ascii_alphanumeric())
}
