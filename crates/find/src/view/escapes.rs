//! The layer of escapes: a backslash and what it means in program text, in roff, LaTeX, Markdown
//! and JSON.
//!
//! No document allows a backslash in a URL, so one that stands there was put there by a program. It
//! either hides a character of the URL (`\_`, `\u0026`), or it ends the URL (`\n`). The longest
//! escape that fits is read. What fits none stays as it is, and the grammar refuses the URL.
//!
//! Paths of Windows are no escapes: `http://server\team` stays refused. Nor are patterns, such as
//! `http:\/\/(?:www\.)?a\.example`.

use std::cell::OnceCell;

use super::page::{END, Edits, Page};
use crate::text::schemes::starts_url;
use urlgrep_base::digits::hex_byte;
use urlgrep_base::span::SeamKind;

/// The letters after a backslash that end a text: line feed, return, tab, form feed, vertical tab,
/// bell, backspace, escape, and the end of a string.
const CONTROLS: &[u8] = b"nrtfvabe0";

/// The longest run of backslashes that is read as one. A string inside of a string inside of a
/// string has four.
const RUN_MAX: usize = 4;

/// The maximum length of an escape.
const ESCAPE_MAX: usize = 24;

/// The characters of roff by their names of two letters (groff_char(7)) that a URL may have.
const ROFF: [(&[u8; 2], u8); 12] = [
    (b"ti", b'~'),
    (b"aq", b'\''),
    (b"hy", b'-'),
    (b"mi", b'-'),
    (b"sl", b'/'),
    (b"at", b'@'),
    (b"sh", b'#'),
    (b"Do", b'$'),
    (b"ul", b'_'),
    (b"pl", b'+'),
    (b"eq", b'='),
    (b"co", END),
];

/// Names of characters of roff that no URL has.
const ROFF_ENDS: [&[u8; 2]; 18] = [
    b"em", b"en", b"lq", b"rq", b"oq", b"cq", b"dq", b"ha", b"bu", b"rs", b"ga", b"aa", b"la",
    b"ra", b"lB", b"rB", b"ba", b"->",
];

/// The number of bytes after a backslash that may show what it means. A page that ends before
/// them is cut.
const LOOK_MAX: usize = 32;

/// The marks of quotations and comments before a line, and the maximum length of them.
const LEADER: &[u8] = b">|#/%";
const LEADER_MAX: usize = 12;

/// LaTeX's name of the tilde.
const TILDE: &[u8] = b"textasciitilde";

/// What an escape means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    /// Nothing, or these characters.
    Text([u8; 4], usize),
    /// The text ends.
    End,
}

/// True if the bytes after `rest` may belong to the escape or the comment that begins it, or say
/// what it means.
fn is_cut(rest: &[u8]) -> bool {
    if rest.len() >= LOOK_MAX {
        return false;
    }
    let run = rest.iter().take_while(|&&b| b == b'\\').count().max(1);
    let after = &rest[run..];
    let next = match after {
        [b'\n', next @ ..] | [b'\r', b'\n', next @ ..] => next,
        [b'\r'] => return true,
        _ => {
            // What belongs to an escape has no blank, but whether it is one may depend on its line.
            let of_line = matches!(after, [b'(', ..])
                || after.starts_with(TILDE) && after.len() < TILDE.len() + 2
                || matches!(after, [letter, b'a'..=b'z', ..] if CONTROLS.contains(letter));
            let is_end = |b: &u8| *b == b'\n' || *b == b' ' && !of_line;
            return !after.iter().any(is_end);
        }
    };
    let is_leader = |b: &&u8| matches!(b, b' ' | b'\t') || LEADER.contains(b);
    let leader = next.iter().take(LEADER_MAX).take_while(is_leader).count();
    let word = if next[..leader].iter().any(|b| LEADER.contains(b)) {
        &next[leader..]
    } else {
        next
    };
    !word.iter().any(|b| matches!(b, b'\n' | b' '))
        || rest[0] == b'%' && next.iter().all(|b| matches!(b, b' ' | b'\t'))
}

/// The extent of a command of LaTeX from `start` to `end` with what BibTeX puts around it, not
/// before `low`: `{\textasciitilde}`, `$\sim$`.
fn around(bytes: &[u8], low: usize, start: usize, end: usize) -> (usize, usize) {
    let is_command = matches!(bytes[start..end], [b'\\', b't' | b's' | b'~', ..]);
    let pair = (start > low).then(|| (bytes[start - 1], bytes.get(end)));
    if is_command && matches!(pair, Some((b'{', Some(b'}')) | (b'$', Some(b'$')))) {
        (start - 1, end + 1)
    } else {
        (start, end)
    }
}

impl Meaning {
    const NOTHING: Meaning = Meaning::Text([0; 4], 0);

    fn byte(b: u8) -> Meaning {
        Meaning::Text([b, 0, 0, 0], 1)
    }
}

pub(super) fn edits(page: &Page<'_>) -> Edits {
    let mut out = Edits::default();
    let bytes = page.bytes;
    let scheme = scheme_start(bytes, page.colon);
    let near = &bytes[scheme.saturating_sub(ESCAPE_MAX)..];
    if memchr::memchr(b'\\', near).is_none() || is_pattern(&bytes[scheme..]) {
        return out;
    }
    let text = Text {
        bytes,
        scheme,
        may_be_path: OnceCell::new(),
    };
    // An escape before the scheme: `\nhttp://a.example`.
    if let Some(start) = after_escape(&bytes[..scheme]) {
        out.push(start, scheme, SeamKind::Escape, &[END]);
    }
    let after = &bytes[page.colon..];
    let is_properties = bytes[..page.colon].ends_with(b"\\")
        && (after.starts_with(b"://") || after.starts_with(b":\\/\\/"));
    let word = bytes[scheme..].iter();
    let word_end = scheme + word.take_while(|&&b| b == b'\\' || !ends_word(b)).count();
    let word_end = argument_end(bytes, scheme, word_end);
    let mark = mark_of_pattern(
        &bytes[..word_end],
        page.colon,
        bytes.get(word_end).is_some(),
    );
    let end = mark.unwrap_or(bytes.len());
    let Some(at) = text.escapes(page, end, word_end, is_properties, &mut out) else {
        return Edits::default();
    };
    if let Some(mark) = mark.filter(|&mark| mark >= at && out.cut.is_none()) {
        out.push(mark, mark + 1, SeamKind::Escape, &[END]);
    }
    out
}

/// The index of the brace that closes the one before the URL at `scheme`, or `word_end`. What
/// follows it is another argument: `\href{http://a.example/x\_y}{\LaTeX}`.
fn argument_end(bytes: &[u8], scheme: usize, word_end: usize) -> usize {
    if !bytes[..scheme].ends_with(b"{") {
        return word_end;
    }
    let mut open = 0;
    for at in scheme..word_end {
        let is_escaped = bytes[at - 1] == b'\\';
        match bytes[at] {
            b'{' if !is_escaped => open += 1,
            b'}' if !is_escaped && open == 0 => return at,
            b'}' if !is_escaped => open -= 1,
            _ => {}
        }
    }
    word_end
}

/// The length of an empty comment of LaTeX, with the line end and the indent after it. 1 if the `%`
/// that begins `text` is another.
fn comment_len(text: &[u8]) -> usize {
    let after = &text[1..];
    let line_end = match after {
        [b'\r', b'\n', ..] => 2,
        [b'\n', ..] => 1,
        _ => return 1,
    };
    let indent = after[line_end..].iter().take(LOOK_MAX - 4);
    1 + line_end + indent.take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The index of a mark of the pattern in which the URL stands: the `/` that ends it, where those
/// of the scheme are escaped (`s/http:\/\/a.example\/b/…/`), or a `$` at its end, where a dot is
/// escaped (`'http://a\.example/x$'`). `text` ends with the word, and `is_whole` if the page shows
/// that.
fn mark_of_pattern(text: &[u8], colon: usize, is_whole: bool) -> Option<usize> {
    let word = &text[colon.min(text.len())..];
    let slash = [&b":\\/\\/"[..], b":\\\\/\\\\/"]
        .iter()
        .find(|escaped| word.starts_with(escaped))
        .and_then(|escaped| {
            let from = escaped.len();
            memchr::memchr_iter(b'/', &word[from..])
                .map(|at| from + at)
                .find(|&at| at > from && word[at - 1] != b'\\')
        });
    let end = slash.unwrap_or(word.len());
    let pattern = word[..end].strip_suffix(b"'").unwrap_or(&word[..end]);
    let is_dollar = pattern.ends_with(b"$")
        && (slash.is_some() || is_whole || pattern.len() < end)
        && memchr::memmem::find(pattern, b"\\.").is_some();
    let mark = if is_dollar {
        Some(pattern.len() - 1)
    } else {
        slash
    };
    mark.map(|at| colon + at)
}

/// Index of the first byte of the scheme before the colon, which may have a backslash of its own.
fn scheme_start(bytes: &[u8], colon: usize) -> usize {
    let name = &bytes[..colon];
    let name = name.strip_suffix(b"\\").unwrap_or(name);
    let is_part = |&b: &u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    let len = name.iter().rev().take_while(|b| is_part(b)).count();
    let start = name.len() - len;
    // In `\nhttp` and `\fBhttp` the letters after the backslash are not of the scheme.
    let run = &name[start..];
    let tail = COMMON.iter().find(|scheme| {
        let rest = run.len().checked_sub(scheme.len());
        rest.is_some_and(|rest| rest > 0 && run[rest..].eq_ignore_ascii_case(scheme))
    });
    match tail {
        Some(scheme) if after_escape(&bytes[..name.len() - scheme.len()]).is_some() => {
            name.len() - scheme.len()
        }
        _ => start,
    }
}

/// Schemes that stand directly after an escape. The longer ones come first.
const COMMON: [&[u8]; 11] = [
    b"hxxps", b"hxxp", b"https", b"http", b"gopher", b"telnet", b"mailto", b"file", b"ftp", b"wss",
    b"ws",
];

/// The index of the escape that ends with `before`, if its last bytes are letters or digits.
fn after_escape(before: &[u8]) -> Option<usize> {
    let from = before.len().saturating_sub(10);
    let at = from + memchr::memrchr(b'\\', &before[from..])?;
    let after = &before[at + 1..];
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    let is_escape = match after {
        [letter] => CONTROLS.contains(letter) || *letter == b'c',
        [b'f', font] => font.is_ascii_uppercase() || font.is_ascii_digit(),
        [b'(', _, _] | [b'*', b'(', _, _] | [b'f', b'(', _, _] => true,
        [b'x', digits @ ..] => digits.len() == 2 && is_hex(digits),
        [b'u', digits @ ..] => digits.len() == 4 && is_hex(digits),
        [b'U', digits @ ..] => digits.len() == 8 && is_hex(digits),
        _ => false,
    };
    is_escape.then_some(at)
}

/// True if the word that begins `text` reads as a pattern of a program, not as a URL.
fn is_pattern(text: &[u8]) -> bool {
    let end = text.iter().position(|&b| ends_word(b) && b != b'\\');
    let word = &text[..end.unwrap_or(text.len()).min(super::page::WORD_MAX)];
    // A bracket that no bracket opens is not of the word: `](http://a.example)*`.
    let close = memchr::memchr(b')', word);
    let is_opened = |at: usize| memchr::memchr(b'(', &word[..at]).is_some();
    let word = match close {
        Some(at) if !is_opened(at) => &word[..at],
        _ => word,
    };
    let is_mark = |pair: &[u8]| {
        matches!(
            pair,
            b"(?" | b"[^" | b".*" | b".+" | b")?" | b")*" | b")+" | b"]*" | b"]+"
        )
    };
    word.windows(2).any(is_mark)
}

/// A page in which escapes are read.
struct Text<'p> {
    bytes: &'p [u8],
    /// Index of the scheme of the URL.
    scheme: usize,
    /// The line may be a path of Windows.
    may_be_path: OnceCell<bool>,
}

impl Text<'_> {
    /// Adds the escapes of the page before `end` to `out`. The word of the URL ends at `word_end`.
    /// Returns the index after the last escape, or `None` if a backslash of the word stays.
    fn escapes(
        &self,
        page: &Page<'_>,
        end: usize,
        mut word_end: usize,
        is_properties: bool,
        out: &mut Edits,
    ) -> Option<usize> {
        let bytes = self.bytes;
        let mut at = self.scheme;
        let is_latex = [&b"\\url{"[..], b"\\href{", b"\\nolinkurl{"]
            .iter()
            .any(|command| bytes[..at].ends_with(command));
        let next_mark = |text: &[u8]| {
            if is_latex {
                memchr::memchr2(b'\\', b'%', text)
            } else {
                memchr::memchr(b'\\', text)
            }
        };
        while let Some(found) = next_mark(&bytes[at..end]) {
            let start = at + found;
            if !page.is_end && is_cut(&bytes[start..]) {
                out.cut = Some(start);
                break;
            }
            if bytes[start] == b'%' {
                let len = comment_len(&bytes[start..]);
                if len > 1 {
                    out.push(start, start + len, SeamKind::Escape, b"");
                }
                at = start + len;
                continue;
            }
            let run = bytes[start..].iter().take_while(|&&b| b == b'\\').count();
            let Some((len, meaning)) = self.read(start, run, is_properties) else {
                // A backslash that stays is refused, whatever follows it.
                if start < word_end {
                    return None;
                }
                at = start + run;
                continue;
            };
            match meaning {
                Meaning::Text(text, text_len) => {
                    let (from, to) = around(bytes, at, start, start + len);
                    out.push(from, to, SeamKind::Escape, text[..text_len].to_vec());
                    at = to;
                    continue;
                }
                Meaning::End => {
                    out.push(start, start + len, SeamKind::Escape, &[END]);
                    word_end = self.scheme;
                }
            }
            at = start + len;
        }
        Some(at)
    }

    /// The length and the meaning of the escape that begins at `start` with `run` backslashes.
    fn read(&self, start: usize, run: usize, is_properties: bool) -> Option<(usize, Meaning)> {
        let rest = &self.bytes[start + run..];
        if run == 1 {
            return self
                .single(start, rest, is_properties)
                .map(|(len, meaning)| (1 + len, meaning));
        }
        // Emacs: \\=' is a quotation mark.
        if run == 2 && matches!(rest, [b'=', b'\'' | b'`', ..]) {
            return Some((run, Meaning::End));
        }
        let first = rest.first().copied();
        // LaTeX ends a line so.
        if run == 2 && first.is_none_or(|b| b.is_ascii_whitespace()) {
            return Some((run, Meaning::End));
        }
        let is_doubled = run <= RUN_MAX
            && first.is_some_and(|b| {
                CONTROLS.contains(&b)
                    || b"\"'<>/".contains(&b)
                    || b == b'x'
                    || b == b'u'
                    || b == b'U'
            });
        if is_doubled {
            return self
                .single(start, rest, is_properties)
                .map(|(len, meaning)| (run + len, meaning));
        }
        None
    }

    /// The meaning of a backslash at `start`, and the length of what belongs to it in `rest`.
    fn single(&self, start: usize, rest: &[u8], is_properties: bool) -> Option<(usize, Meaning)> {
        let Some(&first) = rest.first() else {
            return Some((0, Meaning::End));
        };
        let second = rest.get(1).copied();
        match first {
            b'\n' | b'\r' => {
                // Prose may follow a URL that looks whole.
                let before = self.bytes[..start].last();
                let is_open = before.is_some_and(|b| b"/-_?&=.".contains(b));
                let leader = if is_open { self.leader() } else { &[] };
                if !is_open && begins_sentence(rest.trim_ascii_start()) {
                    return Some((0, Meaning::End));
                }
                if !is_open && self.has_leader_again(rest) {
                    return Some((0, Meaning::End));
                }
                Some(line_end(rest, self.is_reference(), leader))
            }
            b' ' | b'\t' => Some((0, Meaning::End)),
            _ if is_of_rtf(rest) => Some((0, Meaning::End)),
            b'x' | b'u' | b'U' => character(rest),
            b't' if rest.starts_with(TILDE) => {
                // TeX skips a blank after the name of a command.
                let len = match &rest[TILDE.len()..] {
                    [b'{', b'}', ..] => 2,
                    [b' ', next, ..] if next.is_ascii_alphanumeric() => 1,
                    _ => 0,
                };
                Some((TILDE.len() + len, Meaning::byte(b'~')))
            }
            b's' if rest.starts_with(b"sim$") && self.bytes[..start].ends_with(b"$") => {
                Some((3, Meaning::byte(b'~')))
            }
            b'f' if font_len(rest).is_some() => Some((font_len(rest)?, Meaning::End)),
            b'e' if second.is_some_and(|b| b.is_ascii_alphanumeric()) => None,
            b'c' if second.is_some_and(|b| b.is_ascii_alphanumeric()) => None,
            b'c' => Some((1, Meaning::End)),
            _ if CONTROLS.contains(&first) => {
                let is_letter = second.is_some_and(|b| b.is_ascii_lowercase());
                (!is_letter || !self.may_be_path(start)).then_some((1, Meaning::End))
            }
            b'N' | b'h' if self.is_subtitle() => Some((1, Meaning::End)),
            b'"' | b'<' | b'>' => Some((1, Meaning::byte(first))),
            b'\'' => Some((1, Meaning::End)),
            b'*' if matches!(second, Some(b'(' | b'[')) => Some((1, Meaning::End)),
            b':' if self.is_of_scheme(start, rest) || is_properties => {
                Some((1, Meaning::byte(b':')))
            }
            b':' => Some((1, Meaning::NOTHING)),
            b'%' if !is_hex_pair(&rest[1..]) => Some((1, Meaning::NOTHING)),
            b'&' if second.is_none_or(|b| b == b'.' || ends_word(b)) => Some((1, Meaning::NOTHING)),
            b'~' if rest.starts_with(b"~{}") => Some((3, Meaning::byte(b'~'))),
            b'@' if second.is_some_and(|b| b.is_ascii_alphabetic()) => None,
            b'\\' => None,
            _ if first.is_ascii_punctuation() => {
                roff_character(rest).or(Some((1, Meaning::byte(first))))
            }
            _ => None,
        }
    }

    /// True if `rest`, which begins with a line end, goes on with the marks of the line of the URL.
    fn has_leader_again(&self, rest: &[u8]) -> bool {
        let marks = self.leader().trim_ascii_end();
        let next = rest.trim_ascii_start();
        !marks.is_empty() && next.starts_with(marks.trim_ascii_start())
    }

    /// The marks of a quotation, a comment or a patch at the beginning of the line of the URL, with the
    /// blanks after them. Empty if there are none.
    fn leader(&self) -> &[u8] {
        let before = &self.bytes[..self.scheme];
        let line = memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
        let is_part = |b: &&u8| matches!(b, b' ' | b'\t') || LEADER.contains(b);
        let side = usize::from(matches!(before.get(line), Some(b'+' | b'-')));
        let marks = before[line + side..]
            .iter()
            .take(LEADER_MAX)
            .take_while(is_part);
        let leader = &before[line..line + side + marks.count()];
        if side > 0 || leader.iter().any(|b| LEADER.contains(b)) {
            leader
        } else {
            &[]
        }
    }

    /// True if the URL is the target of a reference of reStructuredText, in which white space has no
    /// meaning: `<http://a.example/b>`, `.. _name: http://a.example/b` ("Hyperlink Targets").
    fn is_reference(&self) -> bool {
        let before = &self.bytes[..self.scheme];
        let line = memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
        before.ends_with(b"<") || before[line..].trim_ascii_start().starts_with(b".. _")
    }

    /// True if the line is a subtitle of Advanced SubStation Alpha, in which `\N` is a line end and `\h`
    /// a blank.
    fn is_subtitle(&self) -> bool {
        /// The maximum length of a line before a URL.
        const LEN: usize = 512;
        let before = &self.bytes[self.scheme.saturating_sub(LEN)..self.scheme];
        let line = memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
        let is_event = |name: &&[u8]| before[line..].starts_with(name);
        [&b"Dialogue: "[..], b"Comment: "].iter().any(is_event)
    }

    /// True if the backslash at `start` stands before the colon of the scheme, as in a file of
    /// properties of Java.
    fn is_of_scheme(&self, start: usize, rest: &[u8]) -> bool {
        (rest.starts_with(b"://") || rest.starts_with(b":\\/\\/"))
            && self.bytes[self.scheme..start]
                .iter()
                .all(u8::is_ascii_alphanumeric)
    }

    /// True if the letters after the backslash at `at` may be of a path of Windows: the URL stands
    /// outside of quotation marks, and the line has no escape that such a path cannot have.
    fn may_be_path(&self, at: usize) -> bool {
        *self.may_be_path.get_or_init(|| {
            let before = &self.bytes[..self.scheme];
            let line = memchr::memrchr(b'\n', before).map_or(0, |lf| lf + 1);
            let before = &before[line..];
            let is_open = |mark: u8| memchr::memchr_iter(mark, before).count() % 2 == 1;
            if is_open(b'"') || is_open(b'`') || opens_apostrophe(before) {
                return false;
            }
            let rest = &self.bytes[at..];
            let rest = &rest[..rest.len().min(LOOK_MAX)];
            let end = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let line = &self.bytes[line..at + end];
            !memchr::memchr_iter(b'\\', line).any(|i| match line.get(i + 1) {
                Some(b'"' | b'\'' | b'/') => true,
                Some(b'n' | b't') => !line.get(i + 2).is_some_and(u8::is_ascii_alphabetic),
                _ => false,
            })
        })
    }
}

/// True if an apostrophe that begins a word is open at the end of `before`.
fn opens_apostrophe(before: &[u8]) -> bool {
    let mut is_open = false;
    for at in memchr::memchr_iter(b'\'', before) {
        let in_word = at > 0
            && before[at - 1].is_ascii_alphanumeric()
            && before.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if !in_word {
            is_open = !is_open;
        }
    }
    is_open
}

/// True for a control word of RTF that stands after text: the end of a paragraph, of a line or of a
/// cell, or another colour or language ("Rich Text Format Specification 1.9.1").
fn is_of_rtf(rest: &[u8]) -> bool {
    const WORDS: [&[u8]; 6] = [b"par", b"pard", b"line", b"cell", b"ulnone", b"plain"];
    const NUMBERED: [&[u8]; 3] = [b"cf", b"lang", b"insrsid"];
    let letters = rest
        .iter()
        .take(LOOK_MAX)
        .take_while(|b| b.is_ascii_lowercase())
        .count();
    let (word, after) = rest.split_at(letters);
    match after.first() {
        Some(b'0'..=b'9') => NUMBERED.contains(&word),
        _ => WORDS.contains(&word),
    }
}

/// A backslash at the end of a line goes with the line end, as in a shell and in C, unless the next
/// line begins with a blank or is empty. The indent of a `reference` goes too, and the same `leader`
/// as before the URL, but not where prose follows it: in a program the backslash makes the next line
/// a part of the comment.
fn line_end(rest: &[u8], reference: bool, leader: &[u8]) -> (usize, Meaning) {
    let mut len = if rest.starts_with(b"\r\n") { 2 } else { 1 };
    if !leader.is_empty() {
        let next = &rest[len..];
        if next.starts_with(leader) {
            len += leader.len();
            if begins_prose(&rest[len..]) {
                return (0, Meaning::End);
            }
        } else if next.starts_with(leader.trim_ascii_end()) {
            return (0, Meaning::End);
        }
    }
    if reference {
        let indent = rest[len..].iter().take(LOOK_MAX - 8);
        len += indent.take_while(|b| b" \t".contains(b)).count();
    }
    let next = &rest[len..];
    match next.first() {
        Some(&b) if !ends_word(b) && !starts_url(next) => (len, Meaning::NOTHING),
        _ => (0, Meaning::End),
    }
}

/// True if a sentence begins with `text`: a backslash before it is a line break of Markdown.
fn begins_sentence(text: &[u8]) -> bool {
    let Some((first, rest)) = text.split_first() else {
        return false;
    };
    let is_lower = |b: &&u8| b.is_ascii_lowercase() || **b == b'\'';
    if !first.is_ascii_uppercase() {
        return false;
    }
    let len = rest.iter().take_while(is_lower).count();
    matches!(rest.get(len), Some(b' ' | b'\t'))
}

/// True if `text` begins with a word of letters before a blank.
fn begins_prose(text: &[u8]) -> bool {
    let letters = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    letters > 0 && text.get(letters) == Some(&b' ')
}

/// True if a word ends before `b`.
fn ends_word(b: u8) -> bool {
    b <= b' ' || matches!(b, b'"' | b'<' | b'>' | b'\\')
}

fn is_hex_pair(bytes: &[u8]) -> bool {
    matches!(bytes, [high, low, ..] if hex_byte(*high, *low).is_some())
}

/// The number of hexadecimal digits of `\x`, `\u` or `\U`.
fn hex_len(rest: &[u8]) -> Option<usize> {
    let len = match rest.first()? {
        b'x' => 2,
        b'u' => 4,
        _ => 8,
    };
    let digits = rest.get(1..=len)?;
    digits.iter().all(u8::is_ascii_hexdigit).then_some(len)
}

/// The number that the escape `rest` gives, and its length.
fn number(rest: &[u8]) -> Option<(u32, usize)> {
    let len = hex_len(rest)?;
    let digits = std::str::from_utf8(&rest[1..=len]).ok()?;
    Some((u32::from_str_radix(digits, 16).ok()?, len + 1))
}

/// The character of `\xhh`, `\uhhhh` or `\Uhhhhhhhh`. Two halves of a pair are one character, and so
/// are bytes of UTF-8 one after the other.
fn character(rest: &[u8]) -> Option<(usize, Meaning)> {
    let (code, len) = number(rest)?;
    if rest[0] == b'x'
        && let Some(found) = utf8_bytes(rest)
    {
        return Some(found);
    }
    let after = &rest[len..];
    let is_pair = (0xD800..0xDC00).contains(&code) && after.starts_with(b"\\u");
    if is_pair
        && let Some((low, low_len)) = number(&after[1..])
        && (0xDC00..0xE000).contains(&low)
    {
        let code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        return Some((len + 1 + low_len, meaning_of(char::from_u32(code))));
    }
    Some((len, meaning_of(char::from_u32(code))))
}

/// `\xc3\xa9`: bytes of one character, each as an escape.
fn utf8_bytes(rest: &[u8]) -> Option<(usize, Meaning)> {
    let mut bytes = [0; 4];
    let first = hex_byte(*rest.get(1)?, *rest.get(2)?)?;
    let count = match first {
        0xC2..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF4 => 4,
        _ => return None,
    };
    bytes[0] = first;
    for (i, byte) in bytes.iter_mut().enumerate().take(count).skip(1) {
        let [b'\\', b'x', high, low] = rest.get(4 * i - 1..4 * i + 3)? else {
            return None;
        };
        *byte = hex_byte(*high, *low)?;
    }
    std::str::from_utf8(&bytes[..count]).ok()?;
    Some((4 * count - 1, Meaning::Text(bytes, count)))
}

/// A character that a URL may have is read, and every other ends the URL.
fn meaning_of(c: Option<char>) -> Meaning {
    let Some(c) = c else {
        return Meaning::End;
    };
    let is_of_url = |b: u8| b.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&b);
    if c.is_ascii() && !is_of_url(c as u8) || c.is_control() {
        return Meaning::End;
    }
    let mut bytes = [0; 4];
    let len = c.encode_utf8(&mut bytes).len();
    Meaning::Text(bytes, len)
}

/// The length of `f` and the name of a font: `fB`, `f5`, `f(CW`, `f[CB]`.
fn font_len(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'f', b'A'..=b'Z' | b'0'..=b'9', ..] => Some(2),
        [b'f', b'(', _, _, ..] => Some(4),
        [b'f', b'[', name @ ..] => {
            let end = name.iter().take(12).position(|&b| b == b']')?;
            name[..end]
                .iter()
                .all(u8::is_ascii_alphanumeric)
                .then_some(end + 3)
        }
        _ => None,
    }
}

/// The character of roff whose name begins `rest`: `(ti`, `[ti]`.
fn roff_character(rest: &[u8]) -> Option<(usize, Meaning)> {
    let (name, len) = match rest {
        [b'(', a, b, ..] => ([*a, *b], 3),
        [b'[', a, b, b']', ..] => ([*a, *b], 4),
        _ => return None,
    };
    // In Markdown brackets come in pairs: `\(ba\)`.
    let near = &rest[..rest.len().min(ESCAPE_MAX)];
    let line = near.split(|&b| b == b'\n').next().unwrap_or(near);
    let closes = memchr::memmem::find(line, b"\\)").is_some();
    if rest[0] == b'(' && closes {
        return None;
    }
    if ROFF_ENDS.contains(&&name) {
        return Some((len, Meaning::End));
    }
    let (_, byte) = ROFF.iter().find(|(known, _)| **known == name)?;
    let meaning = if *byte == END {
        Meaning::End
    } else {
        Meaning::byte(*byte)
    };
    Some((len, meaning))
}

#[cfg(test)]
mod tests {
    use crate::view::{self, Sight};

    /// The text as a reader sees it, with `|` where it ends.
    fn seen(text: &str) -> String {
        view::seen(text, Sight::default(), true).replace('\u{1F}', "|")
    }

    #[test]
    fn escapes_are_read_as_what_they_mean() {
        for (text, wanted) in [
            (
                r#"f("http://a.example/b\n")"#,
                r#"f("http://a.example/b|")"#,
            ),
            (
                r#""a\thttp://a.example/b\u0026c""#,
                r#""a|http://a.example/b&c""#,
            ),
            (r"\fBhttp://a.example/b\-c\fR.", "|http://a.example/b-c|."),
            (r"http://a.example/\(tix\:y\&.", "http://a.example/~xy."),
            (r"http://a.example/\[ti]x\%y", "http://a.example/~xy"),
            (r"http://a.example/x\_y\%20z", "http://a.example/x_y%20z"),
            (r"http://a.example/w/B_\(ba\)", "http://a.example/w/B_(ba)"),
            (r"https:\/\/a.example\/b", "https://a.example/b"),
            (
                r#"{\"https:\\/\\/a.example\\u0026\\\""#,
                r#"{\"https://a.example&""#,
            ),
            (
                r"https\://a.example\:8080/b\=c",
                "https://a.example:8080/b=c",
            ),
            (
                r"http://a.example/\textasciitilde{}x",
                "http://a.example/~x",
            ),
            (r"http://a.example/\xc3\xa9\x3d1", "http://a.example/é=1"),
            ("http://a.example/b\\\\\nc", "http://a.example/b|\nc"),
            (
                "\\url{http://a.example/b/%\n  c%20d}",
                "\\url{http://a.example/b/c%20d}",
            ),
            ("{http://a.example/b/%\n  c}", "{http://a.example/b/%\n  c}"),
            ("http://a.example/b\\\nc", "http://a.example/bc"),
            ("http://a.example/b\\\n c", "http://a.example/b|\n c"),
            ("<http://a.example/b/\\\n  #c>", "<http://a.example/b/#c>"),
        ] {
            assert_eq!(seen(text), wanted, "{text}");
        }
    }

    #[test]
    fn paths_and_patterns_stay() {
        for text in [
            r"http://server\team",
            r"http://srv/share\new",
            r"http:\\host\box",
            r"http://a\.example/.*\.html",
            r"http:\/\/(?:www\.)?a\.example",
            r"http://a.example\eb",
            r"http://a.example/x\@y",
        ] {
            assert_eq!(seen(text), text);
        }
    }
}
