//! Tables of words that are kept as text, such as the registered schemes.

/// The words of `text`, read at compile time. White space separates them, and
/// a line that begins with `#` is a comment. There must be `N` words.
pub(crate) const fn words<const N: usize>(text: &'static str) -> [&'static str; N] {
    let bytes = text.as_bytes();
    let (mut words, mut n, mut at) = ([""; N], 0, 0);
    while at < bytes.len() {
        let start = at;
        let is_comment = bytes[at] == b'#';
        while at < bytes.len() && !ends(bytes[at], is_comment) {
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

const fn ends(b: u8, is_comment: bool) -> bool {
    b == b'\n' || !is_comment && b == b' '
}
