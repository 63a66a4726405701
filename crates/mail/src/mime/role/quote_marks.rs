//! Marks before lines that quote: `> `, `| `, `Jo> `.

/// The maximum number of letters of initials, and of the bytes of a name that is a mark.
const INITIALS: usize = 4;
const NAME: usize = 16;
/// The bytes of a line in which the end of such a mark is searched for.
const NAME_HEAD: usize = 16;

/// Names before `>` that are prompts of programs.
const PROMPTS: [&[u8]; 14] = [
    b"SQL", b"GAP", b"FTP", b"Prelude", b"Main", b"Hugs", b"Router", b"Switch", b"Octave",
    b"Debug", b"Shell", b"Maple", b"Telnet", b"Console",
];

/// U+FF1E, which people write before each line that they quote.
pub(super) const WIDE: &[u8] = "＞".as_bytes();

/// True if initials may be at the start of the line: `Jo> `.
#[inline]
pub(super) fn has_initials(line: &[u8]) -> bool {
    // The loops have no exit, so that the compiler uses vector instructions.
    let has = |any: bool, b: &u8| any | (*b == b'>');
    let has_mark = match line.first_chunk::<NAME_HEAD>() {
        Some(head) => head.iter().fold(false, has),
        None => line.iter().fold(false, has),
    };
    let name = line.trim_ascii_start();
    has_mark && initials(name).is_some_and(|len| name.get(len) == Some(&b'>'))
}

/// More marks than these may be a frame, which the end of the line shows: `>>>> Jo <<<<`.
const FRAME: usize = 2;

/// The number of quote marks at the start of `line`: `>`, or U+203A, which some archives
/// write instead.
#[inline]
pub(super) fn quote_marks(line: &[u8]) -> u8 {
    let (marks, rest) = split_quote_marks(line);
    let is_frame = marks > FRAME
        && line.trim_ascii_start().starts_with(b">>>")
        && rest.trim_ascii_end().ends_with(b"<<<");
    if is_frame {
        return 0;
    }
    u8::try_from(marks).unwrap_or(u8::MAX)
}

/// As [`quote_marks`]. Most marks are one or two `>` at the start of the line.
#[inline]
pub(super) fn first_marks(line: &[u8]) -> u8 {
    let mut marks = 0;
    for &b in &line[..line.len().min(2 * FRAME + 1)] {
        match b {
            b'>' => marks += 1,
            b' ' => {}
            0xE2 => break,
            _ if marks > 0 && usize::from(marks) <= FRAME => return marks,
            _ => break,
        }
    }
    quote_marks(line)
}

/// True if bytes after these cannot be another quote mark at the start of the line.
pub(super) fn has_all_quote_marks(line: &[u8]) -> bool {
    let (marks, rest) = split_quote_marks(line);
    // An empty rest, or a part of U+203A.
    marks <= FRAME && !b"\xE2\x80\xBA".starts_with(rest)
}

/// The number of quote marks at the start of `line`, and the bytes after them.
#[inline]
fn split_quote_marks(line: &[u8]) -> (usize, &[u8]) {
    let mut marks = 0;
    let mut rest = line.trim_ascii_start();
    while let [b'>' | b' ', after @ ..] | [0xE2, 0x80, 0xBA, after @ ..] = rest {
        marks += usize::from(rest[0] != b' ');
        rest = after;
    }
    (marks, rest)
}

/// A mark before a line. It means a quotation if two consecutive lines have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// `| `
    Bar,
    /// `: `
    Colon,
    /// U+FF1E. Alone it is an arrow, too.
    Wide,
    /// Initials or a name, such as `Jo> `, `S.P.> `, `Susan> ` and `ИП> `.
    Initials(Initials),
}

impl Mark {
    /// True for a name that is longer than initials. Logs of talks have names, too.
    pub(super) fn is_name(self) -> bool {
        let is_letter = |b: &&u8| !matches!(b, 0 | b'.' | 0x80..=0xBF);
        matches!(self, Mark::Initials(name) if name.iter().filter(is_letter).count() > INITIALS)
    }
}

/// Initials or a name, padded with zeros.
pub(super) type Initials = [u8; NAME];

/// The mark of the line. `None` if the line also ends with a bar, because it is
/// then part of a frame.
pub(super) fn mark(line: &[u8]) -> Option<Mark> {
    let line = line.trim_ascii_end();
    // Supercite indents a name.
    let name = line.trim_ascii_start();
    let line = line.strip_prefix(b" ").unwrap_or(line);
    match line {
        [b'|', rest @ ..] if rest.is_empty() || rest[0] == b' ' => {
            (!rest.ends_with(b"|") && !is_branch(line)).then_some(Mark::Bar)
        }
        [b':', rest @ ..] if rest.is_empty() || rest[0] == b' ' => Some(Mark::Colon),
        _ if line.starts_with(WIDE) => Some(Mark::Wide),
        _ => {
            if !has_initials(line) {
                return None;
            }
            let len = initials(name)?;
            let mut mark = [0; NAME];
            mark.get_mut(..len)?.copy_from_slice(&name[..len]);
            let ends = name.get(len) == Some(&b'>')
                && matches!(name.get(len + 1), None | Some(b' ' | b'>'));
            // DOS has a prompt of one letter.
            let is_prompt = PROMPTS.contains(&&name[..len]) || len == 1 && line.len() > name.len();
            let is_mark = ends && !is_prompt;
            is_mark.then_some(Mark::Initials(mark))
        }
    }
}

/// True for a branch of a tree that is drawn: `   |-- src`, `    +-- src`.
pub(super) fn is_branch(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|b| matches!(b, b' ' | b'|')).count();
    let branch = &line[marks..];
    line[..marks].contains(&b'|') && branch.starts_with(b"--")
        || [b"+--", b"`--", b"\\--"]
            .iter()
            .any(|mark| branch.starts_with(*mark))
}

/// The length of the name at the start of the line, in letters of ASCII or Cyrillic.
fn initials(line: &[u8]) -> Option<usize> {
    let is_capital = match line {
        [b'A'..=b'Z', ..] => true,
        [0xD0, second, ..] => matches!(second, 0x90..=0xAF | 0x81),
        _ => false,
    };
    let mut len = 0;
    for _ in 0..NAME {
        len += match line[len..] {
            [b'A'..=b'Z' | b'a'..=b'z' | b'.', ..] => 1,
            [0xD0 | 0xD1, 0x80..=0xBF, ..] => 2,
            _ => break,
        };
    }
    is_capital.then_some(len)
}

/// True for a line that somebody typed at the prompt of Python or R: `>>> import os`,
/// `> x <- read.csv("https://…")`.
pub(super) fn is_typed(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let name = |text: &[u8]| {
        let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_');
        text.iter().take_while(is_name).count()
    };
    if let Some(text) = line.strip_prefix(b">>> ") {
        let words: [&[u8]; 4] = [b"import ", b"from ", b"print ", b"def "];
        let rest = &text[name(text)..];
        let is_call = name(text) > 0 && (rest.starts_with(b"(") || rest.starts_with(b" = "));
        return is_call || words.iter().any(|word| text.starts_with(word));
    }
    let Some(text) = line.strip_prefix(b"> ") else {
        return false;
    };
    let rest = &text[name(text)..];
    name(text) > 0
        && (rest.starts_with(b" <- ")
            || rest.starts_with(b"(") && matches!(rest, [.., b')' | b',']))
}

/// True if a quotation of AOL may begin on the line: `<< It is on http://…`.
pub(super) fn begins_angles(line: &[u8]) -> bool {
    matches!(line.trim_ascii_start(), [b'<', b'<', next, ..] if *next != b'<')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_lines() {
        assert_eq!(mark(b"| a"), Some(Mark::Bar));
        assert_eq!(mark(b": a"), Some(Mark::Colon));
        let jo = *b"Jo\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
        assert_eq!(mark(b" Jo> a"), Some(Mark::Initials(jo)));
        assert_eq!(mark(b"    Jo> a"), Some(Mark::Initials(jo)));
        for (line, is_name) in [("S.P.> a", false), ("Susan> a", true)] {
            assert_eq!(mark(line.as_bytes()).map(Mark::is_name), Some(is_name));
        }
        assert_eq!(mark("＞ a".as_bytes()), Some(Mark::Wide));
        let cyrillic = mark("ИП> a".as_bytes());
        assert!(matches!(
            cyrillic,
            Some(Mark::Initials([0xD0, 0x98, 0xD0, 0x9F, 0, ..]))
        ));
        for line in [
            &b"| a |"[..],
            b"|a",
            ":-)".as_bytes(),
            b"a> b",
            b"SQL> b",
            b"Prelude> b",
            "ипп> b".as_bytes(),
            b"J b",
            b"",
        ] {
            assert_eq!(mark(line), None, "{}", line.escape_ascii());
        }
    }
}
