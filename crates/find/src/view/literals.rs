//! The layer of string literals: a URL that a program has in two literals, one below the other.
//!
//! ```text
//! print("see https://a.example/docs/"
//!       "guide.html#x")
//! ```
//!
//! C, C++, Python and other languages take literals that follow each other as one, so the quotation
//! marks and the white space between them are no part of the URL. The next line must be indented: the
//! log of a web server has quoted fields at the first column (`"http://a.example/"` and
//! `"Mozilla/5.0"`). A program that forgot the blank between two words is not told from one that
//! broke a word, so after a letter or digit only a mark of URLs goes on: `#x`, `/x`, `-x`.
//!
//! A list of Lisp and an array of a shell have no mark between their literals, so in `'("a" "b")` and
//! in `URLS=("a" "b")` each is one of its own.

use super::page::{Edits, Page};
use crate::text::schemes::starts_url;
use urlgrep_base::span::SeamKind;

/// The maximum number of bytes from one literal to the next.
const JOINT_MAX: usize = 128;

/// The number of bytes of the next literal that show whether the URL goes on.
const LOOK_MAX: usize = 12;

/// The maximum number of literals of a URL.
const LITERALS: usize = 8;

/// The maximum number of lines before that of the URL in which the beginning of its list may stand.
const LINES: usize = 8;

/// What follows a quotation mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// The next literal begins after so many bytes, the mark included.
    Literal(usize),
    /// Something else.
    Other,
    /// The bytes do not show it.
    Undecided,
}

/// True if the URL before the quotation mark that begins `text` may go on in a literal of the next
/// line. `None` if `text`, which goes on, is too short.
pub(crate) fn may_follow(text: &[u8]) -> Option<bool> {
    match after(text) {
        After::Literal(_) => Some(true),
        After::Other => Some(false),
        After::Undecided => None,
    }
}

pub(super) fn edits(page: &Page<'_>) -> Edits {
    let mut out = Edits::default();
    let bytes = page.bytes;
    let mut at = page.colon;
    let ends = |b: &u8| *b <= b' ' || b"<>\"'`".contains(b);
    while out.list.len() < LITERALS
        && let Some(len) = bytes[at..].iter().position(ends)
    {
        let quote = at + len;
        let next = match after(&bytes[quote..]) {
            After::Literal(len) => quote + len,
            // An apostrophe may be of the URL.
            After::Other if bytes[quote] == b'\'' => {
                at = quote + 1;
                continue;
            }
            After::Undecided if !page.is_end => {
                out.cut = Some(quote);
                break;
            }
            After::Other | After::Undecided => break,
        };
        if bytes.len() < next + LOOK_MAX && !page.is_end {
            out.cut = Some(quote);
            break;
        }
        let is_first = out.list.is_empty();
        if !goes_on(bytes[quote - 1], &bytes[next..]) || is_first && is_in_list(page) {
            break;
        }
        out.push(quote, next, SeamKind::Escape, b"");
        at = next;
    }
    out
}

/// True if the URL of the page is a literal in a list of Lisp or in an array of a shell.
fn is_in_list(page: &Page<'_>) -> bool {
    let mut before = &page.bytes[..page.colon];
    for i in 0..=LINES {
        let start = memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
        page.behind.set(page.behind.get() + before.len() - start);
        let line = before[start..].trim_ascii_end();
        // The text before the last literal of the line.
        let line = match memchr::memrchr2(b'"', b'\'', line) {
            Some(quote) if i == 0 => &line[..quote],
            Some(quote) if quote + 1 == line.len() => {
                let open = memchr::memrchr(line[quote], &line[..quote]);
                &line[..open.unwrap_or(0)]
            }
            _ => line,
        };
        let text = line.trim_ascii();
        if !text.is_empty() || start == 0 {
            return opens_list(line);
        }
        before = &before[..start - 1];
    }
    false
}

/// True if `line` ends with what opens a list: `'(`, `(list`, or `name=(` at the first column, where
/// no argument of Python stands.
fn opens_list(line: &[u8]) -> bool {
    let text = line.trim_ascii_end();
    let is_lisp = [&b"'("[..], b"`(", b"(list"]
        .iter()
        .any(|open| text.ends_with(open));
    let name = text
        .strip_suffix(b"=(")
        .map(|name| name.strip_suffix(b"+").unwrap_or(name));
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    is_lisp
        || name.is_some_and(|name| {
            let word = &name[memchr::memrchr(b' ', name).map_or(0, |at| at + 1)..];
            let command = name[..name.len() - word.len()].trim_ascii_start();
            let declares = [
                &b"local "[..],
                b"declare ",
                b"typeset ",
                b"readonly ",
                b"export ",
            ];
            let is_declared = declares.iter().any(|start| command.starts_with(start));
            !word.is_empty()
                && word.iter().all(is_name)
                && (word.len() == name.len() || is_declared)
        })
}

/// What follows the quotation mark that begins `text`, if it is one.
fn after(text: &[u8]) -> After {
    let Some(&quote @ (b'"' | b'\'')) = text.first() else {
        return After::Other;
    };
    let seen = &text[..text.len().min(JOINT_MAX)];
    let blanks = |from: usize| {
        let blanks = seen[from..].iter().take_while(|b| b" \t".contains(b));
        from + blanks.count()
    };
    let mut at = blanks(1);
    if seen.get(at) == Some(&b'\r') {
        at += 1;
    }
    match seen.get(at) {
        Some(b'\n') => {}
        Some(_) => return After::Other,
        None => return undecided(seen),
    }
    let next = blanks(at + 1);
    match seen.get(next) {
        Some(&b) if b == quote && next > at + 1 => After::Literal(next + 1),
        Some(_) => After::Other,
        None => undecided(seen),
    }
}

fn undecided(seen: &[u8]) -> After {
    if seen.len() < JOINT_MAX {
        After::Undecided
    } else {
        After::Other
    }
}

/// True if a URL whose last byte is `last` goes on with the literal `text`.
fn goes_on(last: u8, text: &[u8]) -> bool {
    let Some(&first) = text.first() else {
        return false;
    };
    let is_mark = b"/#?&%=-_".contains(&first);
    let may_begin = is_mark || first.is_ascii_alphanumeric() && !last.is_ascii_alphanumeric();
    let may_end = last.is_ascii_alphanumeric() || b"/-_=&?%+~#".contains(&last);
    may_begin && may_end && !starts_url(text)
}

#[cfg(test)]
mod tests {
    use crate::view::{self, Sight};

    /// The text as a reader sees it.
    fn seen(text: &str, is_end: bool) -> String {
        view::seen(text, Sight::default(), is_end)
    }

    #[test]
    fn literals_that_follow_each_other_are_one() {
        for (text, wanted) in [
            ("\"http://a/b/\"\n  \"c\"", "\"http://a/b/c\""),
            ("'http://a/b' \r\n\t'#c'", "'http://a/b#c'"),
            ("'(http://a/b/'\n '/c-'\n 'd)'", "'(http://a/b//c-d)'"),
            ("'http://a/it's/'\n 'c'", "'http://a/it's/c'"),
            (
                "get(url=(\n  \"http://a/\"\n  \"c\"))",
                "get(url=(\n  \"http://a/c\"))",
            ),
            ("(concat \"http://a/\"\n  \"c\")", "(concat \"http://a/c\")"),
            ("  url=(\"http://a/\"\n  \"c\")", "  url=(\"http://a/c\")"),
        ] {
            assert_eq!(seen(text, true), wanted);
        }
    }

    #[test]
    fn other_quotation_marks_stay() {
        for text in [
            "\"http://a/b/\"\n\"c\"",
            "\"http://a/b/\",\n  \"c\"",
            "\"http://a/b/\"\n  'c'",
            "\"http://a/b/ \"\n  \"c\"",
            "\"http://a/b\"\n  \"and c\"",
            "\"http://a/b/\"\n\n  \"c\"",
            "\"http://a/b/\"\n  \"http://c\"",
            "\"http://a/b.\"\n  \"c\"",
            "(setq x '(\"http://a/b/\"\n  \"c\"))",
            "(list \"http://a/b/\"\n  \"c\")",
            "URLS=(\n  \"http://a/b/\"\n  \"c\")",
            "local -a urls+=(\"http://a/b/\"\n  \"c\")",
        ] {
            assert_eq!(seen(text, true), text);
        }
    }

    #[test]
    fn a_page_that_ends_too_early_is_cut() {
        let text = "\"http://a/b/\"\n  \"c/de/fgh/ijk\"";
        for end in 13..text.len() - 2 {
            assert_eq!(seen(&text[..end], false), "\"http://a/b/", "{end}");
        }
    }
}
