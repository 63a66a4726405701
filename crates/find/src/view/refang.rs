//! The layer of defanged URLs, by option only: `hxxp://a[.]example`.
//!
//! People who write about harmful pages break their URLs on purpose, so that no program makes a link
//! of them. This layer reads what was meant. The spellings are those that iocextract and rspamd
//! read, and that reports of malware have:
//!
//! * the name of the scheme: `hxxp`, `hXXps`, `fxp`, `h**p`
//! * what follows it: `[:]//`, `[://]`, `:[/][/]`, and blanks around these marks
//! * in the host, and then anywhere in the word: `[.]`, `(.)`, `{.}`, `[dot]`, `(dot)`, `[at]`,
//!   `[:]`, `[/]`
//! * only in a host that something else shows to be defanged: ` dot `
//!
//! A URL without any of these stays as it is, and so does a path such as `/a(dot)b` after a plain
//! scheme and host, which the grammar allows.

use super::page::{END, Edits, Page};
use urlgrep_base::span::SeamKind;

/// The names of schemes as they are defanged, and what they mean. The case does not matter.
const NAMES: [(&[u8], &[u8]); 10] = [
    (b"hxxp", b"http"),
    (b"hxxps", b"https"),
    (b"h**p", b"http"),
    (b"h**ps", b"https"),
    (b"hxtp", b"http"),
    (b"hxtps", b"https"),
    (b"htxp", b"http"),
    (b"htxps", b"https"),
    (b"fxp", b"ftp"),
    (b"f*p", b"ftp"),
];
/// Schemes whose slashes or host may be defanged.
const PLAIN: [&[u8]; 12] = [
    b"http", b"https", b"ftp", b"ftps", b"sftp", b"ws", b"wss", b"tcp", b"udp", b"ssh", b"smb",
    b"ldap",
];
/// The scheme of an address.
const MAIL: &[u8] = b"mailto";

/// The maximum number of labels after a ` dot `, and of bytes of one, in which a bracket is searched
/// for.
const LABELS: usize = 4;
const LABEL_MAX: usize = 63;

/// The longest name of a scheme.
const NAME_MAX: usize = 8;
/// The most bytes of what stands for `://`: `[ : ] [ / ] [ / ]`.
const SLASHES_MAX: usize = 20;
/// The most bytes after an index that decide what stands there.
const TOKEN_MAX: usize = 16;
/// The most bytes of a host that are read. A longer one has no address (RFC 1035, 2.3.4).
const HOST_MAX: usize = 512;

/// The words between brackets, in lower case, and what they mean.
const WORDS: [(&[u8], u8); 6] = [
    (b"dot", b'.'),
    (b".", b'.'),
    (b"at", b'@'),
    (b"@", b'@'),
    (b":", b':'),
    (b"/", b'/'),
];

pub(super) fn edits(page: &Page<'_>) -> Edits {
    let mut out = Edits::default();
    if !page.sight.refangs {
        return out;
    }
    match read(page.bytes, page.colon, page.is_end) {
        Seen::Plain => {}
        Seen::Undecided => out.cut = Some(page.colon + 1),
        Seen::Defanged(marks) => {
            for mark in marks {
                out.push(mark.start, mark.end, SeamKind::Refanged, mark.becomes);
            }
        }
    }
    out
}

/// True if the colon at `colon` may be one that only this layer understands.
pub(crate) fn may_matter(bytes: &[u8], colon: usize) -> bool {
    match bytes.get(colon + 1) {
        Some(b'/' | b'[' | b'(' | b'{' | b']' | b')' | b'}' | b' ') => {
            scheme(bytes, colon).is_some()
        }
        Some(_) => false,
        None => true,
    }
}

/// What a URL with a colon is.
pub(crate) enum Seen {
    Plain,
    /// The bytes after these decide it.
    Undecided,
    /// The marks that defang it, in order.
    Defanged(Vec<Mark>),
}

/// Bytes that defang a URL, and what they mean.
pub(crate) struct Mark {
    start: usize,
    end: usize,
    becomes: Vec<u8>,
}

/// The name of a scheme before a colon.
struct Scheme {
    start: usize,
    end: usize,
    meaning: &'static [u8],
    is_mail: bool,
}

/// Reads the URL whose scheme has the colon at `colon`. `is_end` is true if no byte follows `bytes`.
pub(crate) fn read(bytes: &[u8], colon: usize, is_end: bool) -> Seen {
    let Some(scheme) = scheme(bytes, colon) else {
        return Seen::Plain;
    };
    let mut reader = Reader {
        bytes,
        is_end,
        is_mail: scheme.is_mail,
        marks: Vec::new(),
        is_undecided: false,
    };
    reader.scheme(&scheme);
    reader.url(&scheme);
    if reader.is_undecided {
        Seen::Undecided
    } else if reader.marks.is_empty() {
        Seen::Plain
    } else {
        Seen::Defanged(reader.marks)
    }
}

/// The scheme before the colon at `colon`, perhaps with a bracket or blanks between the two.
fn scheme(bytes: &[u8], colon: usize) -> Option<Scheme> {
    let before = &bytes[..colon];
    let before = without_blanks(before);
    let before = before.strip_suffix(b"[").unwrap_or(before);
    let before = before.strip_suffix(b"(").unwrap_or(before);
    let before = before.strip_suffix(b"{").unwrap_or(before);
    let before = without_blanks(before);
    let is_of_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'*';
    let len = before
        .iter()
        .rev()
        .take(NAME_MAX)
        .take_while(is_of_name)
        .count();
    let start = before.len() - len;
    let name = &before[start..];
    let known = NAMES.iter().map(|(name, meaning)| (*name, *meaning));
    let plain = PLAIN.iter().map(|name| (*name, *name));
    let (_, meaning) = known
        .chain(plain)
        .chain([(MAIL, MAIL)])
        .find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(Scheme {
        start,
        end: before.len(),
        meaning,
        is_mail: meaning == MAIL,
    })
}

/// `bytes` without at most two blanks at its end.
fn without_blanks(bytes: &[u8]) -> &[u8] {
    let once = bytes.strip_suffix(b" ").unwrap_or(bytes);
    once.strip_suffix(b" ").unwrap_or(once)
}

/// Reads one URL.
struct Reader<'b> {
    bytes: &'b [u8],
    is_end: bool,
    /// It is an address, in which any brackets are marks.
    is_mail: bool,
    marks: Vec<Mark>,
    is_undecided: bool,
}

impl Reader<'_> {
    /// Marks the bytes from `start` to `end`, which mean `becomes`. A sign that stands among them
    /// stays, so that only what is around it is removed: such a mark can be escaped as well.
    fn mark(&mut self, start: usize, end: usize, becomes: &[u8]) {
        let bytes = &self.bytes[start..end];
        let is_around = |b: &u8| b" []{}()".contains(b);
        let inner = bytes.iter().filter(|b| !is_around(b));
        if !inner.eq(becomes) {
            let becomes = becomes.to_vec();
            self.marks.push(Mark {
                start,
                end,
                becomes,
            });
            return;
        }
        let mut at = start;
        for run in bytes.chunk_by(|a, b| is_around(a) == is_around(b)) {
            if is_around(&run[0]) {
                self.marks.push(Mark {
                    start: at,
                    end: at + run.len(),
                    becomes: Vec::new(),
                });
            }
            at += run.len();
        }
    }

    /// The byte at `at`. Without it nothing is decided, unless the text ends there.
    fn at(&mut self, at: usize) -> Option<u8> {
        let byte = self.bytes.get(at).copied();
        self.is_undecided |= byte.is_none() && !self.is_end;
        byte
    }

    /// Marks the letters of the name that are not those of its meaning.
    fn scheme(&mut self, scheme: &Scheme) {
        let name = &self.bytes[scheme.start..scheme.end];
        let is_other = |at: &usize| !name[*at].eq_ignore_ascii_case(&scheme.meaning[*at]);
        let Some(first) = (0..name.len()).find(is_other) else {
            return;
        };
        let last = (0..name.len()).rfind(is_other).unwrap_or(first);
        let (start, end) = (scheme.start + first, scheme.start + last + 1);
        self.mark(start, end, &scheme.meaning[first..=last]);
    }

    /// Reads what follows the name of the scheme.
    fn url(&mut self, scheme: &Scheme) {
        let wanted: &[u8] = if scheme.is_mail { b":" } else { b"://" };
        let Some(body) = self.slashes(scheme.end, wanted) else {
            self.marks.clear();
            return;
        };
        if self.bytes[scheme.end..body] != *wanted {
            self.mark(scheme.end, body, wanted);
        }
        let text = &self.bytes[body..];
        let blanks = text.iter().take(2).take_while(|b| **b == b' ').count();
        let (host, before) = (body + blanks, self.marks.len());
        let end = self.host(host, before > 0);
        // Blanks after a plain scheme are for the scanner, and a word of prose is no host.
        let last = end.saturating_sub(1).max(host);
        let has_dot = self.bytes[host..last].contains(&b'.') || self.marks.len() > before;
        if end == host || self.marks.is_empty() || blanks > 0 && !has_dot && !self.is_mail {
            self.marks.clear();
            return;
        }
        if blanks > 0 {
            let blank = Mark {
                start: body,
                end: host,
                becomes: Vec::new(),
            };
            self.marks.insert(before, blank);
        }
        self.rest(end);
    }

    /// The index after what stands for `wanted` at `from`. `None` if something else stands there.
    fn slashes(&mut self, from: usize, wanted: &[u8]) -> Option<usize> {
        let (mut at, mut done, mut open) = (from, 0, 0);
        while at < from + SLASHES_MAX {
            // A bracket that was opened is closed after the last mark.
            if done == wanted.len() && open == 0 {
                return Some(at);
            }
            match self.at(at)? {
                b if wanted.get(done) == Some(&b) => done += 1,
                b'[' | b'(' | b'{' if done < wanted.len() => open += 1,
                b']' | b')' | b'}' if open > 0 => open -= 1,
                b' ' if done < wanted.len() || open > 0 => {}
                _ => return None,
            }
            at += 1;
        }
        None
    }

    /// Marks what defangs the host that begins at `start`. `is_shown` is true if the URL was
    /// defanged before it. Returns the index after the host.
    fn host(&mut self, start: usize, is_shown: bool) -> usize {
        let mut at = start;
        let mut is_shown = is_shown;
        while at < start + HOST_MAX {
            let Some(b) = self.at(at) else {
                return at;
            };
            if at > start
                && let Some((end, meaning)) = self.token(at, is_shown)
            {
                self.mark(at, end, &[meaning]);
                is_shown = true;
                at = end;
                if meaning == b'/' {
                    return at;
                }
                continue;
            }
            let is_part = b.is_ascii_alphanumeric() || b >= 0x80 || b"-._~%@:".contains(&b);
            // A bracket that lost its other half: `a[.example`.
            if at > start && b"[]{}".contains(&b) && self.is_half(at) {
                self.mark(at, at + 1, b"");
                is_shown = true;
            } else if !is_part {
                return at;
            }
            at += 1;
        }
        at
    }

    /// True if the bracket at `at` stands alone beside the dot of a host, with a label on the other
    /// side.
    fn is_half(&mut self, at: usize) -> bool {
        self.at(at + 2);
        let is_label = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
        let bytes = self.bytes;
        match bytes[at] {
            b'[' | b'{' => {
                is_label(bytes.get(at.wrapping_sub(1)))
                    && bytes.get(at + 1) == Some(&b'.')
                    && is_label(bytes.get(at + 2))
            }
            b']' | b'}' => {
                bytes[at - 1] == b'.'
                    && is_label(bytes.get(at.wrapping_sub(2)))
                    && is_label(bytes.get(at + 1))
            }
            _ => false,
        }
    }

    /// Marks what defangs the word from `start` on, after the host.
    fn rest(&mut self, start: usize) {
        let mut at = start;
        while at < start + super::page::WORD_MAX {
            let Some(b) = self.at(at) else {
                return;
            };
            if b <= b' ' || matches!(b, b'"' | b'<' | b'>' | b'`') {
                return;
            }
            // A list without blanks: `hxxp://a[.]example/b,hxxp://c[.]example`.
            if matches!(b, b',' | b';' | b'|') && !self.marks.is_empty() && self.begins_url(at + 1)
            {
                self.mark(at, at + 1, &[END]);
                return;
            }
            match self.token(at, true) {
                Some((end, meaning)) if b != b' ' => {
                    self.mark(at, end, &[meaning]);
                    at = end;
                }
                _ => at += 1,
            }
        }
    }

    /// True if the name of a scheme, as it is or defanged, and its colon begin at `from`.
    fn begins_url(&mut self, from: usize) -> bool {
        let is_of_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'*';
        let rest = self.bytes.get(from..).unwrap_or_default();
        let len = rest
            .iter()
            .take(NAME_MAX + 1)
            .take_while(is_of_name)
            .count();
        self.at(from + len + 1);
        let rest = self.bytes.get(from..).unwrap_or_default();
        let is_colon = matches!(&rest[len..], [b':', ..] | [b'[' | b'(' | b'{', b':', ..]);
        let mut names = NAMES.iter().map(|(name, _)| *name).chain(PLAIN);
        is_colon && names.any(|name| name.eq_ignore_ascii_case(&rest[..len]))
    }

    /// The index after the mark that begins at `at`, and what it means. After a plain scheme and a
    /// plain host (`is_shown` is false) it must be one that no host has.
    fn token(&mut self, at: usize, is_shown: bool) -> Option<(usize, u8)> {
        let first = self.bytes[at];
        if !matches!(first, b' ' | b'[' | b'(' | b'{') {
            return None;
        }
        if !self.is_end && self.bytes.len() < at + TOKEN_MAX && !self.has_line_end(at) {
            self.is_undecided = true;
            return None;
        }
        let text = &self.bytes[at..self.bytes.len().min(at + TOKEN_MAX)];
        let (len, meaning) = word(text)?;
        let next = text.get(len);
        let is_label = next.is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80);
        let is_bare = !text[..len].iter().any(|b| b"[({".contains(b));
        // No host has square brackets or braces, but it may have round ones.
        let is_round = memchr::memchr(b'(', &text[..len]).is_some();
        let is_allowed = is_shown
            || !is_bare && (!is_round || meaning == b'.' || self.is_mail)
            || is_bare && meaning == b'.' && self.is_shown_after(at + len);
        (is_allowed && (is_label || meaning == b'/')).then_some((at + len, meaning))
    }

    /// True if a bracket in a later part of the host, the next label of which begins at `from`, shows
    /// that it is defanged: `cdn dot a[.]example`.
    fn is_shown_after(&mut self, from: usize) -> bool {
        let mut at = from;
        for _ in 0..LABELS {
            let rest = self.bytes.get(at..).unwrap_or_default();
            let is_of_label = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'-';
            let label = rest.iter().take(LABEL_MAX).take_while(is_of_label).count();
            at += label;
            let Some(next) = self.at(at).filter(|_| label > 0) else {
                return false;
            };
            if next == b'.' {
                at += 1;
                continue;
            }
            if !self.is_end && self.bytes.len() < at + TOKEN_MAX && !self.has_line_end(at) {
                self.is_undecided = true;
                return false;
            }
            let text = &self.bytes[at..self.bytes.len().min(at + TOKEN_MAX)];
            match word(text) {
                Some((len, b'.')) if text[..len].iter().any(|b| b"[({".contains(b)) => return true,
                Some((len, b'.')) => at += len,
                _ => return false,
            }
        }
        false
    }

    /// True if the line with the byte at `at`, near the end of the page, ends there.
    fn has_line_end(&self, at: usize) -> bool {
        memchr::memchr(b'\n', &self.bytes[at..]).is_some()
    }
}

/// The length of the mark that begins `text`, and what it means: `[.]`, ` (dot) `, ` dot `.
fn word(text: &[u8]) -> Option<(usize, u8)> {
    let blanks = |at: usize| usize::from(text.get(at) == Some(&b' '));
    let mut at = blanks(0);
    let is_apart = at > 0;
    let close = match text.get(at)? {
        b'[' => Some(b']'),
        b'(' => Some(b')'),
        b'{' => Some(b'}'),
        _ => None,
    };
    if close.is_some() {
        at += 1;
        at += blanks(at);
    }
    let rest = &text[at..];
    let (name, meaning) = WORDS.iter().find(|(name, _)| {
        let there = rest.get(..name.len());
        there.is_some_and(|there| there.eq_ignore_ascii_case(name))
    })?;
    at += name.len();
    match close {
        Some(close) => {
            at += blanks(at);
            if text.get(at) != Some(&close) {
                return None;
            }
            at += 1;
            // A blank before a mark has one after it.
            if is_apart {
                (text.get(at) == Some(&b' ')).then_some((at + 1, *meaning))
            } else {
                Some((at, *meaning))
            }
        }
        None if is_apart && *name == b"dot" && text.get(at) == Some(&b' ') => {
            Some((at + 1, *meaning))
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::view::{self, Sight};

    /// The text as it was meant.
    fn meant(text: &str) -> String {
        let sight = Sight {
            refangs: true,
            ..Sight::default()
        };
        view::seen(text, sight, true)
    }

    #[test]
    fn marks_are_read_as_what_they_mean() {
        for (text, wanted) in [
            ("hxxp://a.example/b", "http://a.example/b"),
            ("at hXXps://a[.]b[.]example/c", "at https://a.b.example/c"),
            ("h**p://a(.)example x", "http://a.example x"),
            ("fxp://a{.}example", "ftp://a.example"),
            ("http[:]//a.example/b", "http://a.example/b"),
            ("http[://]a.example", "http://a.example"),
            ("hxxp:[/][/]a[.]example[/]b", "http://a.example/b"),
            ("hxxp : // a [.] example /b", "http://a.example /b"),
            ("http:// a[dot]example", "http://a.example"),
            ("http://www dot a[.]example/b", "http://www.a.example/b"),
            (
                "http://www dot b dot a(dot)example",
                "http://www.b.a.example",
            ),
            ("http://a(dot)example/b", "http://a.example/b"),
            (
                "hxxp://www dot a dot example/b dot c",
                "http://www.a.example/b dot c",
            ),
            (
                "http://ida[at]a[.]example[:]8080/b",
                "http://ida@a.example:8080/b",
            ),
            ("hxxp://a[.example/b[.]html", "http://a.example/b.html"),
            ("mailto:ida[at]a[.]example", "mailto:ida@a.example"),
        ] {
            assert_eq!(meant(text), wanted, "{text}");
        }
    }

    #[test]
    fn plain_urls_stay() {
        for text in [
            "http://a.example/b(dot)c",
            "http://a.example/b[1]",
            "http://a.example[1] and",
            "http://a dot example",
            "http://a dot b [1] c",
            "http://a dot b, c[.]example",
            "http:// a.example",
            "http://[2001:db8::1]/a",
            "http://a.example/?b[.]=1",
            "see [http://a.example/] dot com",
            "mailto:ida@a.example",
            "http://a.example(at)b",
            "hxxp: a dot b",
        ] {
            assert_eq!(meant(text), text);
        }
    }
}
