//! What a word is, judged by its bytes alone: prose, a number, a word with digits. The rules of
//! line ends, records, columns and notes all ask these.

use super::class::is_blank;

/// The first word of `text`, after blanks. Empty if no blank follows it, because then it is all
/// of the text.
pub(super) fn first(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    &text[..text.iter().position(|&b| is_blank(b)).unwrap_or(0)]
}

/// True for digits, and at least one.
pub(super) fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

pub(super) fn has_digit(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit)
}

/// True for two letters or more of any alphabet.
pub(super) fn is_letters(word: &[u8]) -> bool {
    word.len() > 1
        && word
            .iter()
            .all(|b| b.is_ascii_alphabetic() || !b.is_ascii())
}

/// True for a word of prose: only letters, apostrophes, hyphens, parentheses and
/// commas.
pub(super) fn is_prose(word: &[u8]) -> bool {
    word.iter()
        .all(|b| b.is_ascii_alphabetic() || matches!(b, b'\'' | b'-' | b'(' | b')' | b','))
}

/// True for two words of prose with one slash between them: `and/or`, `TCP/IP`.
pub(crate) fn is_path_of_prose(word: &[u8]) -> bool {
    let mut parts = word.split(|&b| b == b'/');
    let short = |p: Option<&[u8]>| {
        p.is_some_and(|p| !p.is_empty() && p.len() <= 4 && p.iter().all(u8::is_ascii_alphabetic))
    };
    short(parts.next()) && short(parts.next()) && parts.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_by_their_bytes() {
        assert_eq!(first(b"  see http://a"), b"see");
        assert_eq!(first(b"see"), b"");
        assert!(is_number(b"07") && !is_number(b"") && !is_number(b"7a"));
        assert!(is_prose(b"it's") && is_prose(b"well-known,") && !is_prose(b"a1"));
        assert!(is_letters("fév".as_bytes()) && !is_letters(b"a") && !is_letters(b"a-b"));
        assert!(is_path_of_prose(b"and/or") && !is_path_of_prose(b"a/b/c"));
    }
}
