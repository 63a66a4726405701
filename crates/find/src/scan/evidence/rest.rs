//! Shapes of a word that may be the rest of a URL, and of the end of a URL that may lack one. The
//! reasons and the vetoes are made of them.

use crate::text::extension::{EXTENSION_MAX, ends_file, is_extension};
use crate::text::words::{has_digit, is_path_of_prose};
use urlgrep_base::digits::hex_byte;

/// True if `rest` completes the URL `first`, which a line end cut, without a doubt: it has the
/// rest of a path with the name of a file, or of the extension of one.
pub(in crate::scan) fn completes(first: &[u8], rest: &[u8]) -> bool {
    let slash = memchr::memrchr2(b'/', b'.', first);
    let extension = slash
        .filter(|&at| first[at] == b'.')
        .map(|at| &first[at + 1..]);
    let is_extension_part = extension.is_some_and(|start| {
        let letters = |part: &[u8]| part.iter().all(u8::is_ascii_lowercase);
        start.len() + rest.len() <= EXTENSION_MAX
            && letters(start)
            && letters(rest)
            && !rest.is_empty()
            || is_extension(rest)
    });
    is_extension_part || ends_file(rest) || rest.len() > 1 && is_path(rest)
}

/// True if `url` ends in letters and digits that may be base64, whose end is a `=`.
pub(in crate::scan) fn ends_in_token(url: &[u8]) -> bool {
    const TOKEN_MIN: usize = 20;
    let is_base64 = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'+' || **b == b'_';
    let len = url.iter().rev().take_while(is_base64).count();
    let has_capital = url[url.len() - len..].iter().any(u8::is_ascii_uppercase);
    len >= TOKEN_MIN && has_capital
}

/// True for a word that looks like the rest of a path or query.
pub(super) fn is_path(word: &[u8]) -> bool {
    let sign = |b: &u8| b"/=&%#_~".contains(b);
    let inner = &word[..word.len() - 1];
    (inner.iter().any(sign) || word.iter().any(sign) && has_dot(word) || ends_file(word))
        && !is_path_of_prose(word)
}

/// True if `url` ends in the name of a parameter without its value.
pub(super) fn ends_parameter(url: &[u8]) -> bool {
    let name = url.iter().rev().take_while(|b| b.is_ascii_alphabetic());
    let name = name.count();
    name > 0 && matches!(url[..url.len() - name].last(), Some(b'?' | b'&' | b';'))
}

/// True if a dot has a letter or digit on both sides.
pub(super) fn has_dot(word: &[u8]) -> bool {
    word.windows(3)
        .any(|w| w[1] == b'.' && w[0].is_ascii_alphanumeric() && w[2].is_ascii_alphanumeric())
}

/// The maximum length of the name of a parameter at the beginning of a line.
const NAME_MAX: usize = 64;

/// True if no prose begins with `word`: an escape of a URL (`%20c66`), or a parameter
/// with its name (`&name=`, `?name=`).
pub(in crate::scan) fn begins_as_no_prose(word: &[u8]) -> bool {
    match word {
        [b'%', ..] => begins_with_escape(word),
        [b'&' | b'?', first, rest @ ..] if first.is_ascii_alphabetic() || *first == b'_' => {
            let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"_-.[]%".contains(b);
            let name = rest
                .iter()
                .take(NAME_MAX)
                .take_while(|b| is_of_name(b))
                .count();
            rest.get(name) == Some(&b'=')
        }
        _ => false,
    }
}

/// True if `url` ends in an escaped blank. A path hardly does, so a line end may have cut it.
pub(in crate::scan) fn ends_in_blank(url: &[u8]) -> bool {
    url.ends_with(b"%20")
}

/// True for an escape with a digit, or for two escapes. `%be` may begin a comment of LaTeX
/// (`%begin`), and `%3d` alone is a format of `printf`.
fn begins_with_escape(word: &[u8]) -> bool {
    let escape = |bytes: &[u8]| match bytes {
        [b'%', high, low, ..] => hex_byte(*high, *low),
        _ => None,
    };
    let Some(byte) = escape(word) else {
        return false;
    };
    let is_text = byte >= b' ' && byte != 0x7F || b"\t\n\r".contains(&byte);
    let has_digit = word[1..3].iter().any(u8::is_ascii_digit);
    let is_format = word.len() == 3 && word[2].is_ascii_lowercase();
    is_text && !is_format && (has_digit || escape(&word[3..]).is_some())
}

/// True for the name with which an author signs: `/John`.
pub(super) fn is_signature(token: &[u8]) -> bool {
    match token {
        [b'/', first, rest @ ..] => {
            first.is_ascii_uppercase()
                && (1..15).contains(&rest.len())
                && rest.iter().all(u8::is_ascii_lowercase)
        }
        _ => false,
    }
}

/// True for the place of a message in a page of public-inbox: `#m8a7b6c5d4`.
pub(super) fn names_message(word: &[u8]) -> bool {
    word.strip_prefix(b"#m").is_some_and(|hash| {
        hash.len() > 7
            && has_digit(hash)
            && hash.iter().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
    })
}
