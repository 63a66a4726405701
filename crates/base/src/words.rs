//! Tables of words that are kept as text, such as the registered schemes.

/// The words of `text`, read at compile time. White space separates them, and
/// a line that begins with `#` is a comment. There must be `N` words.
pub const fn words<const N: usize>(text: &'static str) -> [&'static str; N] {
    split(text, b' ')
}

/// As [`words`], for entries of several words. `|` separates them.
pub const fn phrases<const N: usize>(text: &'static str) -> [&'static str; N] {
    split(text, b'|')
}

const fn split<const N: usize>(text: &'static str, separator: u8) -> [&'static str; N] {
    let bytes = text.as_bytes();
    let mut words = [""; N];
    let mut n = 0;
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let is_comment = bytes[at] == b'#';
        while at < bytes.len() && bytes[at] != b'\n' && (is_comment || bytes[at] != separator) {
            at += 1;
        }
        if start < at && !is_comment {
            words[n] = text.split_at(at).0.split_at(start).1;
            n += 1;
        }
        at += 1;
    }
    assert!(n == N);
    words
}
