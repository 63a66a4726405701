//! Finds the end of a URL without delimiters.
//!
//! The bytes alone determine one extent, as a careful reader would choose it.
//! The search goes forward over every byte that a URL may have. Then it goes
//! back over the punctuation of the sentence. This module does not decide
//! whether the extent is a URL.

use super::class::{CLASS, Class, is_space, is_stop, plain_len};
use super::extension::is_extension;
use super::marks;
use super::markup;
use super::qp;
use super::scheme;
use super::script::{self, Choice, Scripts};
use super::typeset;
use super::window::Window;
use crate::view::is_bar_of_terminal;

/// The byte directly before a URL. It determines the byte that closes the URL.
#[derive(Clone, Copy, Default)]
pub(super) struct Opener(pub(super) Option<u8>);

/// The number of bytes after an apostrophe that are searched for the one that closes.
const QUOTE_MAX: usize = 256;

impl Opener {
    /// True if the byte `b` at `i` closes the opener: `'url'`, `|url|`, `[url|text]`. An
    /// apostrophe inside a word (`'http://a.example/o'neil'`) closes nothing if the word has
    /// another one.
    fn is_closed(self, w: &Window<'_>, i: usize, b: u8) -> bool {
        match b {
            b'\'' => self.0 == Some(b'\'') && !is_apostrophe(w, i),
            b'|' => matches!(self.0, Some(b'|' | b'[')),
            _ => false,
        }
    }
}

/// True if a letter follows the apostrophe at `i`, and another apostrophe in the same word.
#[cold]
fn is_apostrophe(w: &Window<'_>, i: usize) -> bool {
    if !w.at(i + 1).is_some_and(|b| b.is_ascii_alphanumeric()) {
        return false;
    }
    let rest = w.slice(i + 1, QUOTE_MAX);
    let end = rest.iter().position(|&b| b == b'\'' || is_stop(b));
    let len = end.unwrap_or(rest.len());
    w.count(len);
    if end.is_none() && len < QUOTE_MAX {
        // More bytes may follow, which starves the window.
        w.at(i + 1 + len);
    }
    rest.get(len) == Some(&b'\'')
}

/// The number of unclosed brackets of each kind, and the kinds of the last 32, with two
/// bits each. Brackets that cross (`([)]`) end the URL (UTS #58, "Close").
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Depth {
    round: u32,
    square: u32,
    curly: u32,
    last: u64,
}

impl Depth {
    /// The number of open round brackets.
    pub(super) fn round(self) -> u32 {
        self.round
    }

    /// Adds an opening bracket.
    fn open(&mut self, b: u8) {
        *self.of(b) += 1;
        self.last = self.last << 2 | Depth::kind(b);
    }

    /// Removes the bracket that `b` closes. False if it is not the last one.
    fn close(&mut self, b: u8) -> bool {
        let is_last = *self.of(b) > 0 && [0, Depth::kind(b)].contains(&(self.last & 3));
        if is_last {
            *self.of(b) -= 1;
            self.last >>= 2;
        }
        is_last
    }

    fn kind(b: u8) -> u64 {
        match b {
            b'(' | b')' => 1,
            b'[' | b']' => 2,
            _ => 3,
        }
    }

    fn of(&mut self, b: u8) -> &mut u32 {
        match b {
            b'(' | b')' => &mut self.round,
            b'[' | b']' => &mut self.square,
            _ => &mut self.curly,
        }
    }
}

/// The end of a bare URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Index after the last byte of the URL.
    pub(super) end: usize,
    /// Index after the URL and its trailing punctuation.
    pub(super) raw: usize,
    /// The brackets that are open at `raw`.
    pub(super) depth: Depth,
    /// The place of another reading, if a script without spaces begins there.
    pub(super) choice: Option<Choice>,
    /// There is a comma before `raw`.
    has_comma: bool,
    /// There is an apostrophe before `raw`.
    has_apostrophe: bool,
    /// Characters before `raw` are not printed as they are. See [`typeset`].
    pub(super) is_typeset: bool,
    /// There are characters beyond ASCII before `raw`.
    pub(super) has_high: bool,
    /// Whether a reader may see a longer URL.
    pub(super) longer: Longer,
}

/// Another reading of a URL, with more bytes at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Longer {
    No,
    /// It ends at this index: `http://a.example/wait....2`.
    To(usize),
    /// It goes on after two equal marks at `raw`, as [`over_marks`] reads it:
    /// `http://a.example/x''y''z`.
    OverMarks,
}

/// The result of [`bare`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bare {
    /// A URL of this extent. The extent is empty if only punctuation follows
    /// the scheme.
    Found(Extent),
    /// The URL is longer than `max` bytes.
    TooLong,
}

/// Finds the extent of a bare URL of at most `max` bytes. `start` is the index
/// of its scheme, and `body` is the index after the scheme and its slashes.
///
/// Linear in the extent found, plus a constant.
#[inline]
pub(super) fn bare(w: &Window<'_>, start: usize, body: usize, opener: Opener, max: usize) -> Bare {
    let mut found = reach(w, start, body, opener, Depth::default(), max);
    if let Bare::Found(extent) = &mut found {
        let text = w.slice(start, extent.end.saturating_sub(start));
        if let Some(half) = repeated(text, body - start) {
            extent.end = start + half;
            extent.raw = start + half;
        } else if (extent.has_comma || extent.depth.round > 0)
            && let Some(cut) = tail(text, body - start, extent.depth)
        {
            extent.end = start + cut;
        } else if matches!(text.last(), Some(b'd' | b't' | b'r'))
            && let Some(cut) = before_word(text, body - start)
            && w.at(start + text.len()).is_none_or(is_space)
        {
            extent.end = start + cut;
        } else if extent.has_apostrophe
            && let Some(cut) = marks::before_suffix(text, body - start)
            && marks::is_end(w, extent.raw)
        {
            extent.end = start + cut;
        } else if let [.., b'=', high, low] = text
            && w.encoded
            && qp::byte(*high, *low).is_some()
            && let Some(cut) = before_codes(w, start, text, body - start)
        {
            extent.longer = Longer::To(extent.end);
            extent.end = start + cut;
            extent.raw = extent.end;
        } else if let Some(cut) = before_mark(w, start, text, body - start) {
            if text.last().is_some_and(u8::is_ascii_digit) {
                extent.longer = Longer::To(extent.end);
            }
            extent.end = start + cut;
            extent.raw = extent.end;
        }
        if w.bytes().get(extent.end) == Some(&b'_')
            && marks::is_own_underscore(w, start, body, extent)
        {
            extent.end += 1;
        }
    }
    found
}

/// The end of `text`, the URL at `start`, before octets of quoted-printable that encode a blank or
/// a mark, if its paragraph has another sign of that encoding.
#[cold]
fn before_codes(w: &Window<'_>, start: usize, text: &[u8], body: usize) -> Option<usize> {
    let cut = qp::before_codes(text).filter(|cut| *cut > body)?;
    qp::has_sign_near(w, start, start + text.len(), qp::SHORT_MAX).then_some(cut)
}

/// The end of `text`, the URL at `start`, without what its last byte shows to be a mark of the
/// text.
#[inline]
fn before_mark(w: &Window<'_>, start: usize, text: &[u8], body: usize) -> Option<usize> {
    match text.last()? {
        b'a'..=b'z' | b'A'..=b'Z' | b'/' => None,
        b'0'..=b'9' => marks::before_page(text, body).map(|cut| trim(&text[..cut], body)),
        b')' => marks::before_node(text),
        _ => marks::pair(w, start, text).map(|cut| trim(&text[..cut], body)),
    }
}

/// Half the length of `text` if it is the same URL twice, as after pasting it
/// twice.
fn repeated(text: &[u8], body: usize) -> Option<usize> {
    let (first, second) = text.split_at(text.len() / 2);
    // Nearly all texts differ in the first byte.
    let half = first.len();
    (half > body && first[0] == second[0] && first == second).then_some(half)
}

/// The end of `text` without a tail that belongs to the prose. Such a tail is
/// two fields of a table, a number and a word (`http://a.b/c,1,private`), or an
/// unclosed bracket and a word (`2012(slides`).
#[inline(never)]
fn tail(text: &[u8], body: usize, depth: Depth) -> Option<usize> {
    let at = if depth.round > 0 {
        let is_word = |bytes: &[u8]| !bytes.is_empty() && bytes.iter().all(u8::is_ascii_alphabetic);
        memchr::memrchr(b'(', text).filter(|&at| {
            is_word(&text[at + 1..]) && text[..at].last().is_some_and(u8::is_ascii_alphanumeric)
        })
    } else {
        let before = before_field(text, u8::is_ascii_alphabetic);
        let before = before.and_then(|text| before_field(text, u8::is_ascii_digit));
        before.map(<[u8]>::len)
    };
    at.filter(|&at| at > body)
}

/// The end of `text` without a word of prose that was glued to the name of a web file:
/// `posting-guide.htmland`, `a.html,but`.
#[inline(never)]
fn before_word(text: &[u8], body: usize) -> Option<usize> {
    let words: [&[u8]; 4] = [b"and", b"but", b"for", b"or"];
    let file = words.iter().find_map(|word| text.strip_suffix(*word))?;
    let file = file.strip_suffix(b",").unwrap_or(file);
    let dot = memchr::memrchr(b'.', file)?;
    let has_path = memchr::memchr(b'/', file.get(body..dot)?).is_some();
    (has_path && is_extension(&file[dot + 1..])).then_some(file.len())
}

/// The part of `text` before its last comma. At least one byte must follow the
/// comma, and `is` must hold for all bytes after it.
fn before_field(text: &[u8], is: fn(&u8) -> bool) -> Option<&[u8]> {
    let comma = text.iter().rposition(|b| !is(b))?;
    (text[comma] == b',' && comma + 1 < text.len()).then(|| &text[..comma])
}

/// The maximum number of bytes of punctuation after a URL of the maximum length.
const PUNCTUATION_MAX: usize = 16;

/// Finds the extent of the rest of a bare URL that continues at `start`.
/// `depth` has its open brackets. Otherwise as [`bare`].
pub(super) fn more(
    w: &Window<'_>,
    start: usize,
    body: usize,
    opener: Opener,
    depth: Depth,
    max: usize,
) -> Bare {
    reach(w, start, body, opener, depth, max)
}

/// [`more`], which is also the beginning of [`bare`]. There it is inlined, because each URL is read
/// so.
#[inline(always)]
fn reach(
    w: &Window<'_>,
    start: usize,
    body: usize,
    opener: Opener,
    mut depth: Depth,
    max: usize,
) -> Bare {
    let mut scripts = None;
    // The punctuation after a URL is no part of it.
    let limit = max.saturating_add(PUNCTUATION_MAX);
    let Some(Run {
        end: raw,
        has_comma,
        has_apostrophe,
        ends_in_marks,
    }) = run(w, start, body, opener, &mut depth, &mut scripts, limit)
    else {
        return Bare::TooLong;
    };
    let mut text = w.slice(0, raw);
    // The shaft of an arrow: `http://a.example->x`, `http://a.example/x=>y`.
    if matches!(text.last(), Some(b'-' | b'='))
        && w.at(raw) == Some(b'>')
        && !w.bytes()[..start].ends_with(b"<")
        && raw > body
    {
        // The last parameter of a query may have no value: `http://a.example/?b=->x`.
        let has_query = text[body..].contains(&b'?');
        let head = text.last();
        let is_shaft = |b: &&u8| matches!(b, b'-' | b'=') && (!has_query || Some(*b) == head);
        let shaft = text[body..].iter().rev().take_while(is_shaft).count();
        text = &text[..raw - shaft];
    }
    // `\"` is a quotation mark inside a string, and ends the URL. A backslash
    // before white space belongs to the prose if the URL has a path. Without a
    // path it remains in the URL.
    let string = || w.at(raw) == Some(b'"');
    let spaced = || text[body..].contains(&b'/') && w.at(raw).is_none_or(is_space);
    if text.ends_with(b"\\") && (string() || spaced()) {
        text = &text[..raw - 1];
    }
    let end = trim(text, body);
    if end.saturating_sub(start) > max {
        return Bare::TooLong;
    }
    Bare::Found(Extent {
        end,
        raw,
        depth,
        choice: scripts.as_ref().and_then(|scripts| scripts.choice),
        has_comma,
        has_apostrophe,
        is_typeset: scripts.as_ref().is_some_and(|scripts| scripts.is_typeset),
        has_high: scripts.is_some(),
        longer: if ends_in_marks && end == raw {
            Longer::OverMarks
        } else {
            Longer::No
        },
    })
}

/// The number of bytes after a URL that are searched for the end of its other
/// reading. That reading continues over a script without spaces.
const SCRIPT_MAX: usize = 256;

/// The end of the reading that continues over the script after this extent, and
/// the index up to which bytes were examined. The end is `None` if there is
/// none within [`SCRIPT_MAX`], or if another URL comes first. Then the script
/// is prose.
#[cold]
pub(super) fn over_script(
    w: &Window<'_>,
    extent: &Extent,
    opener: Opener,
) -> (Option<usize>, usize) {
    let raw = extent.raw;
    let mut depth = extent.depth;
    let mut scripts = Some(Scripts::going_on(raw));
    let Some(Run { end, .. }) = run(w, raw, raw, opener, &mut depth, &mut scripts, SCRIPT_MAX)
    else {
        return (None, raw + SCRIPT_MAX);
    };
    let text = w.slice(raw, end - raw);
    let another = scheme::slashes(text).is_some();
    ((!another).then(|| raw + trim(text, 0)), end)
}

/// The maximum number of pairs of marks in the longer reading of a URL.
const MARKS_MAX: usize = 4;

/// The end of the reading that continues over the two equal marks after this extent, and the
/// index up to which bytes were examined. The end is `None` if there is nothing of a URL after
/// them within [`SCRIPT_MAX`] bytes, or another URL.
#[cold]
pub(super) fn over_marks(
    w: &Window<'_>,
    extent: &Extent,
    opener: Opener,
) -> (Option<usize>, usize) {
    let mut depth = extent.depth;
    let mut end = extent.raw;
    for _ in 0..MARKS_MAX {
        let from = end + 2;
        let mut scripts = None;
        let Some(more) = run(w, from, from, opener, &mut depth, &mut scripts, SCRIPT_MAX) else {
            return (None, from + SCRIPT_MAX);
        };
        end = more.end;
        if !more.ends_in_marks {
            break;
        }
    }
    let text = w.slice(extent.raw, end - extent.raw);
    let another = scheme::slashes(text).is_some();
    let len = trim(text, 0);
    ((!another && len > 2).then_some(extent.raw + len), end)
}

/// The bytes that may belong to a URL.
struct Run {
    /// Index after the last one.
    end: usize,
    has_comma: bool,
    has_apostrophe: bool,
    /// Two equal marks end it, such as `''` or `&&`.
    ends_in_marks: bool,
}

/// Searches forward from `body` for the first byte that cannot belong to the
/// URL. Inlined, because a call passes its state through memory.
#[expect(
    clippy::too_many_lines,
    reason = "one loop with an arm for each class of bytes"
)]
#[inline(always)]
fn run(
    w: &Window<'_>,
    start: usize,
    body: usize,
    opener: Opener,
    depth: &mut Depth,
    scripts: &mut Option<Scripts>,
    max: usize,
) -> Option<Run> {
    let limit = start.saturating_add(max);
    // One byte beyond the limit distinguishes a URL of exactly `max` bytes from
    // a longer URL.
    let bytes = w.slice(0, limit.saturating_add(1));
    let mut i = body;
    let mut has_comma = false;
    let mut has_apostrophe = false;
    let mut ends_in_marks = false;
    let mut budget = Budget::default();
    // The bytes before this place have no path.
    let mut host_to = body;
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
                if b == b'<'
                    && i > body
                    && let Some(next) = marks::in_angles(w, body, i)
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
                if let Some(end) = ends_at_bracket(w, (start, body), i, b, &mut budget) {
                    break Some(end);
                }
                if b == b'('
                    && let Some(len) = script::parenthesis(w, i)
                    && (body == start || has_path(&bytes[..i], &mut host_to))
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
                    break Some(i);
                }
                if ends_at_mark(w, (start, body), i, b) {
                    ends_in_marks = matches!(b, b'\'' | b'&') && w.at(i + 1) == Some(b);
                    break Some(i);
                }
                if b == b'\\' && is_left_to_view(w, start, i) {
                    return None;
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

/// True if the bytes from `host_to` on have the first byte of a path, a query or a fragment.
/// Moves `host_to` to it, or to the end, so that no byte is examined twice.
fn has_path(bytes: &[u8], host_to: &mut usize) -> bool {
    let path = bytes[*host_to..].iter().position(|b| b"/?#".contains(b));
    *host_to = path.map_or(bytes.len(), |at| *host_to + at);
    path.is_some()
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

/// The end of the URL at `start`, if the opening bracket `b` at `i` ends it in any context. Its
/// scheme and slashes end at `body`.
fn ends_at_bracket(
    w: &Window<'_>,
    (start, body): (usize, usize),
    i: usize,
    b: u8,
    budget: &mut Budget,
) -> Option<usize> {
    if b == b'(' {
        return None;
    }
    // `[mailto:` may end its line: `ann@a.example[mailto:ann@a.example]` (Outlook).
    if b == b'[' && (scheme::url_follows(w, i + 1) || w.has_word(i + 1, b"mailto:")) {
        return Some(i);
    }
    let closes = if b == b'[' {
        markup::closing_tag(w, i)
    } else {
        markup::closing_macro(w, i)
    };
    if let Some(name) = closes {
        let is_open = spend(&mut budget.tags) && markup::is_open(w, start, b, name);
        return is_open.then_some(i);
    }
    // The rest of a URL on another line, or a grammar that has these characters.
    if start == body || w.national {
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

/// True if the mark `b` at `i` ends the URL at `start` in any context. Its scheme and slashes
/// end at `body`.
fn ends_at_mark(w: &Window<'_>, (start, body): (usize, usize), i: usize, b: u8) -> bool {
    let is_first = |mark| memchr::memchr(mark, &w.bytes()[body..i]).is_none();
    match b {
        b'|' if start < body
            && i > body
            && !w.national
            && marks::ends_at_bar(w, start, body, i) =>
        {
            true
        }
        b',' if marks::divides_arguments(w, start) || marks::divides_values(w, start, i) => true,
        // "http://a,http://b" is two URLs. Without a comma between them it is
        // one URL (web.archive.org/web/http://...).
        b',' | b'|' => scheme::url_follows(w, i + 1),
        // Italics of MediaWiki (`http://a.example/''label''`), and `&&` of a shell.
        b'\'' | b'&' if w.at(i + 1) == Some(b) && is_first(b'?') => true,
        // Brackets and quotation marks that were escaped as in HTML, in a text
        // that is not HTML.
        b'&' => [&b"gt;"[..], b"lt;", b"quot;"]
            .iter()
            .any(|name| w.has_word(i + 1, name)),
        _ => false,
    }
}

/// True if `text`, which is between delimiters, has a `[`, `|` or `<` directly
/// before another URL: `X[X]`, `a|b`.
pub(super) fn holds_another(text: &[u8]) -> bool {
    memchr::memchr3_iter(b'[', b'|', b'<', text).any(|i| scheme::starts_url(&text[i + 1..]))
}

/// Goes back from the end of `bytes` over the punctuation of the sentence, but
/// not before `body`. Balanced brackets are part of the URL and are kept.
#[inline]
pub(super) fn trim(bytes: &[u8], body: usize) -> usize {
    // Nearly all URLs end in these bytes.
    match bytes.last() {
        Some(b'a'..=b'r' | b't'..=b'z' | b'A'..=b'Z' | b'0'..=b'9') => bytes.len(),
        _ => trim_marks(bytes, body),
    }
}

/// [`trim`] for an end that may have a mark.
fn trim_marks(bytes: &[u8], body: usize) -> usize {
    let mut end = bytes.len();
    let mut comment = None;
    while end > body {
        count_trimmed(1);
        match bytes[end - 1] {
            b';' => {
                let reference = marks::before_reference(&bytes[body..end]);
                end = reference.map_or(end - 1, |len| body + len);
            }
            b'_' if ends_name_of_python(&bytes[body..end]) => break,
            b'.' | b',' | b':' | b'!' | b'?' | b'\'' | b'*' | b'_' | b'~' | b'|' => end -= 1,
            // An opening bracket at the end belongs to the text after it.
            b'(' | b'[' | b'{' => end -= 1,
            // The end of a comment.
            b'/' if bytes[body..end].ends_with(b"*/") => {
                // It may be searched for once only: there may be many such ends.
                let text = &bytes[body..];
                let start = *comment.get_or_insert_with(|| comment_start(text));
                if start.is_some_and(|start| body + start <= end) {
                    break;
                }
                end -= 2;
            }
            // U+2010, the hyphen of a typesetter.
            0x90 | 0x91 if typeset::is_hyphen(&bytes[..end]) => end -= typeset::HYPHEN_LEN,
            b's' if end >= body + 2 && bytes[end - 2] == b'\'' => end -= 2,
            // A dash or a rule that the author drew directly after the URL.
            b @ (b'-' | b'=') => match rule(&bytes[body..end], b) {
                0 => break,
                len => {
                    count_trimmed(len);
                    end -= len;
                }
            },
            _ => break,
        }
    }
    end
}

/// True if `text` ends with a special name of Python, as anchors have it: `#object.__init__`.
fn ends_name_of_python(text: &[u8]) -> bool {
    let Some(name) = text.strip_suffix(b"__") else {
        return false;
    };
    // A rule of underscores would be read again for each of its bytes.
    if !name.last().is_some_and(u8::is_ascii_lowercase) {
        return false;
    }
    let is_letter = |b: &&u8| b.is_ascii_lowercase() || **b == b'_';
    let len = name.iter().rev().take_while(is_letter).count();
    count_trimmed(len);
    let (before, name) = name.split_at(name.len() - len);
    let word = name.strip_prefix(b"__").unwrap_or_default();
    before.last().is_some_and(|b| b"/#.=".contains(b))
        && word.first().is_some_and(u8::is_ascii_lowercase)
}

/// Index after the first mark that begins a comment in `text`. A `*/` after it ends a comment that
/// began in the text.
fn comment_start(text: &[u8]) -> Option<usize> {
    let open = memchr::memmem::find(text, b"/*");
    count_trimmed(open.unwrap_or(text.len()));
    open.map(|at| at + 2)
}

#[cfg(test)]
thread_local! {
    /// The number of bytes that trimming has examined.
    static TRIMMED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Counts `n` bytes as examined by trimming, for the test of linear time. Nothing is counted
/// elsewhere, because trimming has no window.
fn count_trimmed(n: usize) {
    #[cfg(test)]
    TRIMMED.with(|trimmed| trimmed.set(trimmed.get() + n));
    let _ = n;
}

/// The length of the run of `mark` at the end of `bytes`. 0 if it may be part
/// of the URL: `--` is a dash, but `==` may end base64.
fn rule(bytes: &[u8], mark: u8) -> usize {
    let len = bytes.iter().rev().take_while(|&&b| b == mark).count();
    if len >= if mark == b'-' { 2 } else { 3 } {
        len
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(text: &str) -> &str {
        let w = Window::new(text.as_bytes(), true);
        match bare(&w, 0, 7, Opener::default(), 100) {
            Bare::Found(e) => &text[..e.end],
            Bare::TooLong => "too long",
        }
    }

    #[test]
    fn bare_urls_end_where_a_reader_ends_them() {
        assert_eq!(extent("http://a.b/c."), "http://a.b/c");
        assert_eq!(extent("http://a.b/c)."), "http://a.b/c");
        assert_eq!(extent("http://a.b/c_(d)."), "http://a.b/c_(d)");
        assert_eq!(extent("http://a.b's home"), "http://a.b");
        assert_eq!(extent("http://a,http://b"), "http://a");
        assert_eq!(extent("http://a/,b http://b"), "http://a/,b");
        assert_eq!(extent("http://a/x&gt; b"), "http://a/x");
        assert_eq!(extent("http://a/Käse."), "http://a/Käse");
        assert_eq!(extent("http://a/x»."), "http://a/x");
        assert_eq!(extent("http://..."), "http://");
        assert_eq!(extent("http://a/b#c.__d_e__."), "http://a/b#c.__d_e__");
        assert_eq!(extent("http://a/b__d__"), "http://a/b__d");
        assert_eq!(extent("http://a/____"), "http://a/");
    }

    /// Marks are trimmed one by one, so a look at what is before each of them must be short.
    #[test]
    fn trimming_is_linear() {
        let tails = [
            "_", "a_", "__a__", "a__", ".", "*", "*/", "/*", "-", "=", "-=", "&", "amp;", "&amp;",
            ";", "'s", "'", "(", ")", "~", "|", "\u{2010}", "?", "/", "#",
        ];
        for first in tails {
            for second in tails {
                let text = format!("http://a/{}", [first, second].concat().repeat(2000));
                TRIMMED.set(0);
                trim(text.as_bytes(), 7);
                let trimmed = TRIMMED.get();
                let most = 4 * text.len();
                assert!(
                    trimmed <= most,
                    "{first} {second}: {trimmed} of {}",
                    text.len()
                );
            }
            // As the end of another text.
            let text = format!("http://a/{}{}", "ab".repeat(2000), first.repeat(2000));
            TRIMMED.set(0);
            trim(text.as_bytes(), 7);
            assert!(
                TRIMMED.get() <= 4 * text.len(),
                "{first}: {}",
                TRIMMED.get()
            );
        }
    }

    #[test]
    fn the_limit_is_exact() {
        let text = format!("http://{}", "a".repeat(93));
        assert_eq!(extent(&text), text);
        assert_eq!(extent(&format!("{text}a")), "too long");
    }

    #[test]
    fn asks_for_more_rather_than_guess() {
        for cut in [
            "http://a/",
            "http://a,ht",
            "http://a,http:/",
            "http://a&g",
            "http://a/\u{e4}",
        ] {
            let bytes = &cut.as_bytes()[..cut.len() - usize::from(!cut.is_ascii())];
            let w = Window::new(bytes, false);
            bare(&w, 0, 7, Opener::default(), 100);
            assert!(w.take_starved(), "{cut}");
        }
        let w = Window::new(b"http://a, b", false);
        bare(&w, 0, 7, Opener::default(), 100);
        assert!(!w.take_starved());
    }
}
