//! Placeholders that a program fills: `http://a.example/$1`, `?q=$name`, `/$(VERSION)/`. Such a text
//! names no page, but the grammar allows `$` nearly everywhere, and some URLs have it: tokens
//! (`/r?eUcT$DXP`), ids of news, files of VMS (`disk$user`), and the operations of OData and FHIR
//! (`/$metadata`).
//!
//! In four collections 11 of 247 URLs with a `$` are templates, and each begins a name after a mark of
//! the URL. So a `$` counts only there, and only before the fragment. Other placeholders (`{id}`,
//! `%s`) are refused by the grammar.
//!
//! Blanks inside of a placeholder (`/{{ id }}/b`, `/<%= id %>`) would end the URL, and what is before
//! them would be printed as a URL. So [`Spaced`] reads over them.

use super::boundary::{self, Bare, Depth, Opener};
use super::window::Window;
use crate::text::class::is_break;
use crate::text::schemes::slashes;

/// What a URL shows of a placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placeholder {
    /// It may have one.
    Maybe,
    /// It is a template.
    Sure,
}

/// The maximum number of names that are looked at.
const NAMES: usize = 8;

/// The maximum length of a name.
const NAME_MAX: usize = 32;

/// Segments that begin with `$` and are no placeholders: system resources of OData (4.01 Part 2, 4),
/// operations of FHIR (R4, "Operations") and a folder of Windows.
const OPERATIONS: [&[u8]; 32] = [
    b"RECYCLE",
    b"all",
    b"apply",
    b"batch",
    b"closure",
    b"convert",
    b"count",
    b"crossjoin",
    b"data",
    b"defs",
    b"document",
    b"each",
    b"entity",
    b"everything",
    b"expand",
    b"export",
    b"filter",
    b"find",
    b"graphql",
    b"itself",
    b"links",
    b"lookup",
    b"match",
    b"meta",
    b"metadata",
    b"query",
    b"ref",
    b"root",
    b"stats",
    b"subsumes",
    b"translate",
    b"value",
];

/// The placeholder of the `url` after `before`, which is text of its line.
#[cold]
pub(super) fn of(url: &[u8], before: &[u8]) -> Option<Placeholder> {
    if is_argument_of_tex(url, before) {
        return Some(Placeholder::Sure);
    }
    let host = slashes(url)? + 3;
    let end = memchr::memchr(b'#', url).unwrap_or(url.len());
    let url = &url[..end];
    let dollars = memchr::memchr_iter(b'$', url).filter(|&at| at >= host);
    let mut found = None;
    let mut count = 0;
    for at in dollars.take(NAMES) {
        let name = Name::at(url, at, at == host);
        match name.and_then(Name::placeholder) {
            Some(Placeholder::Sure) => return Some(Placeholder::Sure),
            Some(Placeholder::Maybe) => {
                count += 1;
                found = Some(Placeholder::Maybe);
            }
            None => {}
        }
    }
    // A second one, or one in the text of a program, leaves no doubt.
    if count > 1 || count == 1 && is_of_program(before) {
        return Some(Placeholder::Sure);
    }
    found
}

/// True for the argument of a macro that TeX defines:
/// `\newcommand{\doi}[1]{\href{https://doi.org/#1}{#1}}`.
fn is_argument_of_tex(url: &[u8], before: &[u8]) -> bool {
    ends_in_argument(url)
        && before.ends_with(b"{")
        && [&b"\\def"[..], b"command", b"Command"]
            .iter()
            .any(|name| memchr::memmem::find(before, name).is_some())
}

/// True if `url` ends as the argument of a macro of TeX does.
pub(super) fn ends_in_argument(url: &[u8]) -> bool {
    matches!(url, [.., b'#', b'1'..=b'9'])
}

/// True if the line before a URL is of a program: a quotation mark directly before it, in which names
/// are replaced, or another name.
fn is_of_program(before: &[u8]) -> bool {
    let is_name = |pair: &[u8]| {
        pair[0] == b'$' && (pair[1].is_ascii_lowercase() || b"_{(".contains(&pair[1]))
    };
    matches!(before.last(), Some(b'"' | b'`')) || before.windows(2).any(is_name)
}

/// The URL before a placeholder with blanks in it.
#[derive(Clone, Copy)]
struct Spaced {
    start: usize,
    body: usize,
    opener: Opener,
    max: usize,
}

/// The maximum length of a placeholder with blanks.
const SPACED_MAX: usize = 128;

/// The maximum number of placeholders with blanks in a URL.
const SPACED_COUNT: usize = 4;

/// True if the URL that stops at `raw` may go on with a placeholder with blanks.
#[inline]
fn may_be_spaced(bytes: &[u8], raw: usize) -> bool {
    // Nearly all URLs stop at a blank that no bracket precedes.
    match bytes.get(raw) {
        Some(b' ') => matches!(bytes[raw - 1], b'{' | b'('),
        Some(b'<') => matches!(bytes.get(raw + 1), Some(b'%' | b'?')),
        _ => false,
    }
}

/// The end of the URL from `start` that stops at `raw`, if it goes on with a placeholder with blanks. Its
/// scheme and slashes end at `body`.
#[inline]
pub(super) fn over_blanks(
    w: &Window<'_>,
    start: usize,
    body: usize,
    raw: usize,
    opener: Opener,
    max: usize,
) -> Option<usize> {
    if !may_be_spaced(w.bytes(), raw) {
        return None;
    }
    let url = Spaced {
        start,
        body,
        opener,
        max,
    };
    url.end(w, raw)
}

impl Spaced {
    /// The end of the URL that stops at `raw`, if a placeholder with blanks follows there.
    #[cold]
    fn end(&self, w: &Window<'_>, raw: usize) -> Option<usize> {
        let mut end = None;
        let mut raw = raw;
        for _ in 0..SPACED_COUNT {
            let Some(close) = self.close(w, raw).filter(|at| at - self.start <= self.max) else {
                break;
            };
            let max = self.max - (close - self.start);
            let depth = Depth::default();
            let Bare::Found(more) = boundary::more(w, close, self.opener, depth, max) else {
                return Some(close);
            };
            end = Some(more.end);
            raw = more.raw;
            if !may_be_spaced(w.bytes(), raw) {
                break;
            }
        }
        end
    }

    /// The index after the placeholder whose first blank or `<` is at `raw`.
    fn close(&self, w: &Window<'_>, raw: usize) -> Option<usize> {
        let rest = w.until(raw, SPACED_MAX, is_break).text;
        let before = &w.bytes()[self.body.min(raw)..raw];
        let until = |close: &[u8], is: fn(&[u8]) -> bool| {
            let len = memchr::memmem::find(rest, close)?;
            let text = rest[..len].trim_ascii();
            (!text.is_empty() && is(text)).then_some(raw + len + close.len())
        };
        let is_single = |text: &[u8]| !text.iter().any(|b| b"{(".contains(b));
        if rest.starts_with(b"<%=") {
            return until(b"%>", |_| true);
        }
        if rest.starts_with(b"<?=") || rest.starts_with(b"<?php echo ") {
            return until(b"?>", |_| true);
        }
        if rest.starts_with(b"<") {
            return None;
        }
        match before {
            [.., b'{', b'{'] => until(b"}}", |text| !is_directive(text)),
            [.., b'$' | b'#' | b'@', b'{'] => until(b"}", is_single),
            [.., b'$', b'('] => until(b")", is_single),
            // In code a brace may also begin a block: `http://a.example/{ x(); }`.
            [.., b'/' | b'=' | b'-' | b'_' | b'.' | b':' | b'&', b'{'] => until(b"}", is_name),
            _ => None,
        }
    }
}

/// True for the name of a variable.
fn is_name(text: &[u8]) -> bool {
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"_.-".contains(b);
    text.first().is_some_and(u8::is_ascii_alphabetic) && text.iter().all(is_of_name)
}

/// True for what stands in double braces and prints nothing: the end of a block that began before the
/// URL, or its other case (`{{ if x }}http://a.example/{{ else }}`), a comment, a call.
fn is_directive(text: &[u8]) -> bool {
    const WORDS: [&[u8]; 12] = [
        b"block", b"each", b"else", b"elseif", b"end", b"endif", b"endfor", b"for", b"if",
        b"range", b"unless", b"with",
    ];
    let text = text.strip_prefix(b"-").unwrap_or(text).trim_ascii_start();
    let end = text.iter().position(|b| !b.is_ascii_alphanumeric());
    let word = &text[..end.unwrap_or(text.len())];
    WORDS.contains(&word) || text.first().is_none_or(|b| b"/#^!>*".contains(b))
}

/// The maximum length of a directive after a URL.
const DIRECTIVE_MAX: usize = 64;

/// Words of a directive that ends what another began before the URL, or begins its other case.
const ENDS: [&[u8]; 9] = [
    b"end",
    b"endblock",
    b"endcase",
    b"endfor",
    b"endforeach",
    b"endif",
    b"endset",
    b"endunless",
    b"endwith",
];

/// True if a directive of a template stands at `i` directly after a URL, which ends there:
/// `{{if x}}http://a.example/b{{end}}`, `http://a.example/b{% endif %}`. If more of a URL follows it,
/// the whole is a template.
#[cold]
pub(super) fn ends_before(w: &Window<'_>, i: usize) -> bool {
    let close: &[u8] = if w.at(i + 1) == Some(b'{') {
        b"}}"
    } else {
        b"%}"
    };
    let directive = w.until_found(i + 2, DIRECTIVE_MAX, |text| {
        memchr::memmem::find(text, close)
    });
    if directive.end.is_none() {
        return false;
    }
    let len = directive.text.len();
    let is_trim = |b: &u8| b.is_ascii_whitespace() || b"-~".contains(b);
    let start = directive.text.iter().position(|b| !is_trim(b));
    let text = &directive.text[start.unwrap_or(len)..];
    let is_of_word = |b: &&u8| b.is_ascii_alphanumeric();
    let word = &text[..text.iter().take_while(is_of_word).count()];
    let closes = word.is_empty() && text.first().is_some_and(|b| b"/^".contains(b));
    let goes_on = |b: u8| b.is_ascii_alphanumeric() || b"/-_=&%?#+~${[".contains(&b);
    [&b"elif"[..], b"else", b"elseif", b"elsif"].contains(&word)
        || (ENDS.contains(&word) || closes) && !w.at(i + 2 + len + 2).is_some_and(goes_on)
}

/// A name after a `$`.
#[derive(Clone, Copy)]
struct Name<'u> {
    text: &'u [u8],
    /// The byte before the `$`, and the one after the name.
    before: u8,
    after: Option<u8>,
    begins_host: bool,
    in_brackets: bool,
}

impl<'u> Name<'u> {
    fn at(url: &'u [u8], dollar: usize, begins_host: bool) -> Option<Name<'u>> {
        let in_brackets = url.get(dollar + 1) == Some(&b'(');
        let from = dollar + 1 + usize::from(in_brackets);
        let is_name = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'_';
        let len = url[from..]
            .iter()
            .take(NAME_MAX)
            .take_while(is_name)
            .count();
        (len > 0).then(|| Name {
            text: &url[from..from + len],
            before: url[dollar - 1],
            after: url.get(from + len).copied(),
            begins_host,
            in_brackets,
        })
    }

    fn placeholder(self) -> Option<Placeholder> {
        use Placeholder::{Maybe, Sure};
        let is_word = !self.text[0].is_ascii_digit();
        if self.in_brackets || self.begins_host {
            return is_word.then_some(Sure);
        }
        let ends = |marks: &[u8]| self.after.is_none_or(|b| marks.contains(&b));
        let is_capital = !self.text.iter().any(u8::is_ascii_lowercase);
        let is_long_name = self.text.contains(&b'_') || is_capital && self.text.len() > 5;
        match self.before {
            // The groups of a pattern.
            b'/' | b'=' if !is_word => {
                let is_group = self.text.len() < 3 && ends(b"/?&");
                is_group.then_some(Sure)
            }
            // The name of a share: `?q=$TSLA`.
            b'=' if ends(b"&;") => Some(if is_capital && !is_long_name {
                Maybe
            } else {
                Sure
            }),
            // The last one of a list (`PATH=http://a.example/b:$PATH`), or a password.
            b':' if is_word && is_capital && ends(b"/:@;?&") => Some(Sure),
            b'/' if OPERATIONS.contains(&self.text) || self.after == Some(b'-') => None,
            b'/' if ends(b"/?.") => Some(if is_long_name { Sure } else { Maybe }),
            b'-' | b'_' | b'.' if is_word && self.text.len() > 2 && ends(b"-./?&") => {
                Some(if is_long_name { Sure } else { Maybe })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders() {
        use Placeholder::{Maybe, Sure};
        for (before, url, wanted) in [
            ("", "http://a/$1", Some(Sure)),
            ("", "http://a/b/$2/c?d", Some(Sure)),
            ("", "http://a/?q=$q", Some(Sure)),
            ("", "http://a/?q=$q&r=1#x", Some(Sure)),
            ("", "x://$rest", Some(Sure)),
            ("", "http://a/b:$PATH", Some(Sure)),
            ("", "http://a/b:$x", None),
            ("", "http://a/$(PKG).tgz", Some(Sure)),
            ("", "http://a/$(date", Some(Sure)),
            ("", "http://a/b-$b_version.tgz", Some(Sure)),
            ("", "http://a/$id", Some(Maybe)),
            ("\"", "http://a/$id", Some(Sure)),
            ("rewrite $x ", "http://a/$id", Some(Sure)),
            ("", "http://a/$id/$name", Some(Sure)),
            ("", "http://a/?q=$TSLA", Some(Maybe)),
            ("\\newcommand{\\d}[1]{\\href{", "http://a/#1", Some(Sure)),
            ("\\def\\d#1{\\href{", "http://a/#1", Some(Sure)),
            ("{", "http://a/#1", None),
            ("\\href{", "http://a/#1", None),
            ("see [1] ", "http://a/#1", None),
            ("", "http://a/r?eUcT$DXPhW5$zo", None),
            ("", "http://a/stories/reader$85", None),
            ("", "file://a/disk$user/x", None),
            ("", "http://a/odata/$metadata", None),
            ("", "http://a/b?$filter=x", None),
            ("", "http://a/b/1/$validate-code", None),
            ("", "http://a/#/!b:c/$d", None),
            ("", "http://a/v3/__b__;!!c!d$", None),
            ("", "news:8o5q4p$2hn$1@a", None),
            ("", "http://a/Outer$Inner.html", None),
        ] {
            assert_eq!(
                of(url.as_bytes(), before.as_bytes()),
                wanted,
                "{before}{url}"
            );
        }
    }
}
