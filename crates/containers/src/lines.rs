//! Questions about lines that several containers ask, and their [`Answer`].

use memchr::memchr;

/// The answer for the bytes so far. More bytes may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer<T> {
    /// Yes, regardless of the following bytes.
    Yes(T),
    /// No, regardless of the following bytes.
    No,
    /// The following bytes are needed to decide.
    More,
}

impl<T> Answer<T> {
    /// `No` if no more bytes will come, else `More`.
    pub fn unless(whole: bool) -> Answer<T> {
        if whole { Answer::No } else { Answer::More }
    }

    /// Converts the result of a test that returns `None` if it needs more
    /// bytes.
    pub fn of(known: Option<Option<T>>) -> Answer<T> {
        match known {
            Some(Some(value)) => Answer::Yes(value),
            Some(None) => Answer::No,
            None => Answer::More,
        }
    }

    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Answer::Yes(value) => Answer::Yes(f(value)),
            Answer::No => Answer::No,
            Answer::More => Answer::More,
        }
    }
}

/// The maximum length of a line that is judged, including its line end. A
/// longer line is never a separator.
pub(crate) const LINE: usize = 1024;

/// True if `buf` begins with a header line, false if not, `None` if more bytes
/// are needed. `seen` is the number of bytes already examined. It is 0 at
/// first, and must be passed to the next call for the same line.
///
/// A header line is `field-name ":"`. RFC 5322 §2.2 allows printable ASCII
/// without a colon. Here the name must begin with a letter or digit. §4.5
/// allows blanks before the colon. Two other lines count too:
/// `>From … remote from …`, which UUCP put below a separator, and
/// `Article 409 of GROUP:`, which news readers put there. `http://` does not
/// count.
pub(crate) fn header_follows(buf: &[u8], seen: &mut usize, eof: bool) -> Option<bool> {
    /// The number of blanks that are allowed before the colon.
    const BLANKS: usize = 8;
    let more = |at: usize| if eof || at >= LINE { Some(false) } else { None };

    let Some(&first) = buf.first() else {
        return more(0);
    };
    if !(first.is_ascii_alphanumeric() || first == b'>') {
        return Some(false);
    }
    let window = &buf[..buf.len().min(LINE)];
    let rest = &window[window.len().min(*seen)..];
    let name = &rest[..memchr(b':', rest).unwrap_or(rest.len())];
    // Without a branch, the compiler uses vector instructions.
    let is_name = name.iter().fold(true, |all, b| all & b.is_ascii_graphic());
    let n = if is_name {
        name.len()
    } else {
        name.iter().take_while(|b| b.is_ascii_graphic()).count()
    };
    let at = window.len() - rest.len() + n;
    *seen = at;
    let name = &window[..at];
    match window.get(at) {
        None => more(at),
        Some(b':') => match buf.get(at + 1..at + 3) {
            Some(b"//") => Some(false),
            Some(_) => Some(first != b'>'),
            None if eof || buf.get(at + 1).is_some_and(|&b| b != b'/') => Some(first != b'>'),
            None => None,
        },
        Some(b' ' | b'\t') => match name {
            b">From" => Some(true),
            b"Article" => match buf.get(at + 1) {
                Some(b) => Some(b.is_ascii_digit()),
                None => more(at),
            },
            _ if first == b'>' => Some(false),
            _ => {
                let after = &window[at..];
                match after.iter().position(|b| !matches!(b, b' ' | b'\t')) {
                    Some(n) if n <= BLANKS => Some(after[n] == b':'),
                    None if after.len() <= BLANKS => more(at + after.len()),
                    _ => Some(false),
                }
            }
        },
        Some(_) => Some(false),
    }
}

/// The index of the last line of `buf` if that line is a proper prefix of
/// `prefix`. An empty line is such a prefix.
pub(crate) fn partial_line(buf: &[u8], prefix: &[u8]) -> Option<usize> {
    let from = buf.len().saturating_sub(prefix.len());
    let line = from + memchr::memrchr(b'\n', &buf[from..])? + 1;
    prefix.starts_with(&buf[line..]).then_some(line)
}
