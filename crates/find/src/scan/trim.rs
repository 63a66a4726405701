//! Goes back over the punctuation of the sentence at the end of a URL.

use super::marks;
use super::typeset;
use crate::text::extension::{EXTENSION_MAX, is_extension};

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
    let mut has_query = None;
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
                // In `/*/` both marks have the same asterisk.
                if start.is_some_and(|start| body + start <= end - 2) {
                    break;
                }
                end -= 2;
            }
            // A shell runs the command before it beside the next one: `wget http://a/b.tgz&`. In a
            // query it may be the URL's.
            b'&' if ends_in_extension(&bytes[body..end - 1])
                && !*has_query.get_or_insert_with(|| has_mark_of_query(&bytes[body..end])) =>
            {
                end -= 1;
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

/// True if the last bytes of `text` are the extension of a file.
fn ends_in_extension(text: &[u8]) -> bool {
    let near = &text[text.len().saturating_sub(EXTENSION_MAX + 1)..];
    memchr::memrchr(b'.', near).is_some_and(|dot| is_extension(&near[dot + 1..]))
}

/// True if `text` has a `?`.
fn has_mark_of_query(text: &[u8]) -> bool {
    let mark = memchr::memchr(b'?', text);
    count_trimmed(mark.unwrap_or(text.len()));
    mark.is_some()
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
}
