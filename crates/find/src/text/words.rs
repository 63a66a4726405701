//! What a word is, judged by its bytes alone: prose, a number, a word with digits. The rules of
//! line ends, records, columns and notes all ask these.

use super::class::is_blank;

/// The first word of `text`, after blanks. Empty if no blank follows it, because then it is all
/// of the text.
pub(crate) fn first(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    &text[..text.iter().position(|&b| is_blank(b)).unwrap_or(0)]
}

/// The bytes of `text` before its first blank.
pub(crate) fn until_blank(text: &[u8]) -> &[u8] {
    let end = text.iter().position(|&b| is_blank(b));
    &text[..end.unwrap_or(text.len())]
}

/// True for a host that begins with `www.`, perhaps with a path.
pub(crate) fn is_www(word: &[u8]) -> bool {
    word.len() > 4 && word[..4].eq_ignore_ascii_case(b"www.")
}

/// True for the number of an item of a list: `1.`, `2)`, `[3]`.
pub(crate) fn is_number_of_item(word: &[u8]) -> bool {
    let inner = word.strip_prefix(b"[").unwrap_or(word);
    let inner = inner.strip_suffix(b"]").unwrap_or(inner);
    let inner = inner
        .strip_suffix(b".")
        .or(inner.strip_suffix(b")"))
        .unwrap_or(inner);
    inner.len() < 8 && is_number(inner)
}

/// True for digits, and at least one.
pub(crate) fn is_number(word: &[u8]) -> bool {
    !word.is_empty() && word.iter().all(u8::is_ascii_digit)
}

pub(crate) fn has_digit(word: &[u8]) -> bool {
    word.iter().any(u8::is_ascii_digit)
}

/// True for two letters or more of any alphabet.
pub(crate) fn is_letters(word: &[u8]) -> bool {
    word.len() > 1
        && word
            .iter()
            .all(|b| b.is_ascii_alphabetic() || !b.is_ascii())
}

/// True for a word of prose: only letters, apostrophes, hyphens, parentheses and
/// commas.
pub(crate) fn is_prose(word: &[u8]) -> bool {
    word.iter()
        .all(|b| b.is_ascii_alphabetic() || matches!(b, b'\'' | b'-' | b'(' | b')' | b','))
}

/// True for a word of letters with the case that words of prose have: `word`, `Word`, `WORD`,
/// perhaps with punctuation after it. Also if there is only punctuation.
pub(crate) fn is_cased(word: &[u8]) -> bool {
    let end = word
        .iter()
        .rposition(|b| !b".,;:!?)".contains(b))
        .map_or(0, |i| i + 1);
    let word = &word[..end];
    let Some((first, rest)) = word.split_first() else {
        return true;
    };
    first.is_ascii_alphabetic()
        && (rest.iter().all(u8::is_ascii_lowercase) || word.iter().all(u8::is_ascii_uppercase))
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
        assert_eq!(until_blank(b"see http://a"), b"see");
        assert!(is_number_of_item(b"[3]") && is_number_of_item(b"2)") && !is_number_of_item(b"."));
        assert!(is_cased(b"Word,") && is_cased(b"WORD") && !is_cased(b"aB") && !is_cased(b".x"));
        assert!(is_number(b"07") && !is_number(b"") && !is_number(b"7a"));
        assert!(is_prose(b"it's") && is_prose(b"well-known,") && !is_prose(b"a1"));
        assert!(is_letters("fév".as_bytes()) && !is_letters(b"a") && !is_letters(b"a-b"));
        assert!(is_path_of_prose(b"and/or") && !is_path_of_prose(b"a/b/c"));
    }
}
