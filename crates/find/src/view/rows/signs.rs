//! What the words of a row show: another record, the rest of a URL, prose.

use crate::text::bars;
use crate::text::extension::is_extension;
use crate::text::schemes::starts_url;
use crate::text::words::{is_cased, is_www, until_blank};

pub(super) fn is_base64(row: &[u8]) -> bool {
    let is_digit = |b: &u8| b.is_ascii_alphanumeric() || b"+/=".contains(b);
    row.iter().all(is_digit)
}

/// A byte at which the text of a URL ends in a row.
pub(super) fn ends_url(b: u8) -> bool {
    b <= b' ' || matches!(b, b'"' | b'<' | b'>' | b'`')
}

pub(super) fn is_of_url(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b >= 0x80 || b"-._~:/?#[@!$&'(*+,;=%".contains(&b)
}

/// The length of the number of a line with which `less -N` begins each row of it, and of the blanks
/// around it. 0 if there is none.
pub(super) fn number_len(text: &[u8]) -> usize {
    let blanks = text.iter().take_while(|&&b| b == b' ').count();
    let digits = text[blanks..]
        .iter()
        .take_while(|b| b.is_ascii_digit())
        .count();
    let len = blanks + digits + 1;
    let is_number = blanks > 0 && digits > 0 && text.get(len - 1) == Some(&b' ');
    if is_number { len } else { 0 }
}

/// True if a word draws a border: `╰──╯`, `+---+`, `====`.
pub(super) fn is_border(word: &[u8]) -> bool {
    let text = String::from_utf8_lossy(word);
    text.chars().all(bars::is_border) && (word.len() > 2 || word.is_empty())
}

/// True if the row above may have the beginning of the name of the scheme at the end of `text`.
pub(super) fn may_be_rest_of_scheme(text: &[u8]) -> bool {
    let letters = text
        .iter()
        .rev()
        .take(6)
        .take_while(|b| b.is_ascii_alphanumeric());
    let name = &text[text.len() - letters.count()..];
    name.len() < 5 && name != b"http" && (b"https".ends_with(name) || b"http".ends_with(name))
}

/// True if `text` begins with the scheme of a web page and its slashes, and its first `len` bytes,
/// which are a row, end within them.
pub(super) fn breaks_scheme(text: &[u8], len: usize) -> bool {
    [
        &b"https://"[..],
        b"http://",
        b"ftp://",
        b"wss://",
        b"ssh://",
        b"git://",
    ]
    .iter()
    .any(|scheme| len < scheme.len() && text.starts_with(scheme))
}

/// True if the row `url` ends inside of an octet in percent-encoding, and `text`, the row below,
/// begins with its rest: `%E` and `3%81`. Nothing but the width breaks it.
pub(super) fn breaks_escape(url: &[u8], text: &[u8]) -> bool {
    let digits = missing_digits(url);
    let rest = text.get(..digits).unwrap_or_default();
    digits > 0 && rest.len() == digits && rest.iter().all(u8::is_ascii_hexdigit)
}

/// The lengths of the groups of a UUID.
const UUID: [usize; 5] = [8, 4, 4, 4, 12];

/// True if the row `url` ends inside of a UUID, and `word`, which begins the row below, has just its
/// rest: `…/cli/5c0e7d11-5f0b-4b4d-9d47-02d` and `8041ddef2`.
pub(super) fn breaks_uuid(url: &[u8], word: &[u8]) -> bool {
    let is_digit = |b: &u8| b.is_ascii_hexdigit() || *b == b'-';
    let here = url.iter().rev().take_while(|b| is_digit(b)).count();
    let below = word.iter().take_while(|b| is_digit(b)).count();
    let rest = word.get(below);
    if here < UUID[0] + 1 || below == 0 || rest.is_some_and(u8::is_ascii_alphanumeric) {
        return false;
    }
    let whole = [&url[url.len() - here..], &word[..below]].concat();
    let lens = whole.split(|&b| b == b'-').map(<[u8]>::len);
    lens.eq(UUID)
}

/// True if the row `url` ends inside of the extension of a file, and `word` is the rest of it: `/plan.gi`
/// and `t`. The row may also end inside of the name of a repository: `/plan` and `ner.git`.
pub(super) fn breaks_extension(url: &[u8], word: &[u8]) -> bool {
    let name = &url[memchr::memrchr(b'/', url).map_or(0, |at| at + 1)..];
    let Some(dot) = memchr::memrchr(b'.', name).filter(|&dot| dot > 0) else {
        return word.ends_with(b".git") && is_name_of_file(word);
    };
    let part = &name[dot + 1..];
    let whole = [part, word].concat();
    let is_known = |extension: &[u8]| extension == b"git" || is_extension(extension);
    !part.is_empty() && !is_known(part) && is_known(&whole)
}

/// True if a row ends inside of the URL `last`, and the row `below` goes on with it as no other text
/// would.
pub(super) fn breaks_url(last: &[u8], below: &[u8]) -> bool {
    let word = until_blank(below);
    // The number of a line in a file: `/main.rs#L` and `417-L1244`.
    let breaks_place = last.ends_with(b"#L") && word.first().is_some_and(u8::is_ascii_digit);
    !begins_url(below)
        && (has_parameter(last, word)
            || is_slug(word)
            || has_place(word)
            || breaks_extension(last, word)
            || breaks_place)
}

fn is_name_of_file(word: &[u8]) -> bool {
    let is_of_name = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+~".contains(b);
    !word.is_empty() && word.iter().all(is_of_name)
}

/// True if `word` has a place in a page, as no prose has it: `settings.html#retry`.
pub(super) fn has_place(word: &[u8]) -> bool {
    let mark = memchr::memchr(b'#', word);
    mark.is_some_and(|at| {
        let place = &word[at + 1..];
        at > 0 && place.len() > 1 && place[0].is_ascii_alphabetic()
    })
}

/// True if there is a number in such a word: `877#step:7:412`.
pub(super) fn has_numbered_place(word: &[u8]) -> bool {
    has_place(word) && word.iter().any(u8::is_ascii_digit)
}

/// The names that the page of a folder and its parts have.
const PAGES: [&[u8]; 6] = [b"index", b"default", b"style", b"main", b"app", b"readme"];

/// True if `word` is the whole name of a page or a part of it (`index.html`, `style.css`), which is no rest
/// of the name at the end of the row `url`.
pub(super) fn names_page(url: &[u8], word: &[u8]) -> bool {
    let Some(dot) = memchr::memchr(b'.', word) else {
        return false;
    };
    let (name, extension) = (&word[..dot], &word[dot + 1..]);
    let is_inside = url.last().is_some_and(u8::is_ascii_alphanumeric);
    is_inside
        && PAGES.contains(&name)
        && (1..6).contains(&extension.len())
        && extension.iter().all(u8::is_ascii_alphabetic)
}

/// The extensions of texts that people read in a terminal.
const TEXTS: [&[u8]; 8] = [
    b"txt", b"log", b"md", b"conf", b"diff", b"patch", b"out", b"csv",
];

/// True if `word` is the name of a text, perhaps with its path.
pub(super) fn names_text(word: &[u8]) -> bool {
    let dot = memchr::memrchr(b'.', word);
    is_name_of_file(word) && dot.is_some_and(|dot| TEXTS.contains(&&word[dot + 1..]))
}

/// The number of digits that are missing at the end of `url` for an octet in percent-encoding.
pub(super) fn missing_digits(url: &[u8]) -> usize {
    match url {
        [.., b'%'] => 2,
        [.., b'%', digit] if digit.is_ascii_hexdigit() => 1,
        _ => 0,
    }
}

/// True if `word`, which begins a row, has a mark inside that prose seldom has, so that it may be the
/// rest of the URL in the row `url`: `work-editor-module`, `b/page.html`.
pub(super) fn has_inner_mark(url: &[u8], word: &[u8]) -> bool {
    let end = word.iter().rposition(|b| !b".,;:!?)".contains(b));
    let word = &word[..end.map_or(0, |end| end + 1)];
    let words = word.split(|b| matches!(b, b'-' | b'_')).count();
    let is_option = word.starts_with(b"--");
    !is_option && (has_only_a_url(url, word) || completes_file(url, word) || words > 2)
}

/// True if another URL begins `text`, perhaps after a bracket.
pub(super) fn begins_url(text: &[u8]) -> bool {
    let open = text.iter().take_while(|b| b"([<{\"'".contains(b)).count();
    starts_url(&text[open..])
}

/// True if the row `url` ends with a file and a comma, as an item of a list does.
pub(super) fn ends_item(url: &[u8]) -> bool {
    let file = url.strip_suffix(b",").or(url.strip_suffix(b";"));
    file.is_some_and(|file| {
        let name = &file[memchr::memrchr(b'/', file).map_or(0, |at| at + 1)..];
        memchr::memrchr(b'.', name).is_some_and(|dot| is_extension(&name[dot + 1..]))
    })
}

/// The length of the name before `=` or `:` with which a word begins. It may have a length in braces,
/// as in `Title{19}:` (RFC 2655).
pub(super) fn key_len(word: &[u8]) -> Option<usize> {
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let name = word.iter().take_while(is_name).count();
    let braces = word[name..].strip_prefix(b"{").map_or(0, |count| {
        let digits = count.iter().take_while(|b| b.is_ascii_digit()).count();
        if count.get(digits) == Some(&b'}') {
            digits + 2
        } else {
            0
        }
    });
    let len = name + braces;
    let is_key = name > 0 && matches!(word.get(len), Some(b'=' | b':'));
    (is_key && !word[0].is_ascii_digit()).then_some(len)
}

/// True if `tail` has a parameter or an escape, as no prose has it, so that it needs no other
/// evidence. The row `url` is before it.
pub(super) fn has_parameter(url: &[u8], tail: &[u8]) -> bool {
    let is_open = url.contains(&b'?');
    let parameter = tail.iter().position(|&b| b == b'&' || b == b'?');
    has_escape(tail)
        || parameter.is_some_and(|at| tail[at..].contains(&b'='))
        || is_open && tail.contains(&b'=')
}

/// True if `tail` has an octet in percent-encoding.
pub(super) fn has_escape(tail: &[u8]) -> bool {
    let is_hex = |pair: &[u8]| pair.iter().all(u8::is_ascii_hexdigit);
    tail.windows(3)
        .any(|bytes| bytes[0] == b'%' && is_hex(&bytes[1..]))
}

/// True if `tail` begins as neither prose nor an option of a program does, so that the URL in the
/// row `url` seems to go on whatever the width: `&b=2`, `-of-the-page`.
pub(super) fn is_rest(url: &[u8], tail: &[u8]) -> bool {
    let words = tail.strip_prefix(b"-").unwrap_or_default();
    let is_words = words.iter().all(|b| b.is_ascii_lowercase() || *b == b'-');
    let first = words.iter().take_while(|&&b| b != b'-').count();
    has_parameter(url, tail) || is_words && first > 3 && words.len() > first + 3
}

/// True if `word` is the rest of a value and other parameters of the query that the row `url` has:
/// `BTma8WO5&index=5`.
pub(super) fn is_rest_of_query(url: &[u8], word: &[u8]) -> bool {
    let query = memchr::memchr(b'?', url).map(|at| &url[at + 1..]);
    let Some(at) = memchr::memchr(b'&', word).filter(|&at| at > 0) else {
        return false;
    };
    let is_value = word[..at].iter().all(u8::is_ascii_alphanumeric);
    let (name, value) =
        word[at + 1..].split_at(word[at + 1..].iter().position(|&b| b == b'=').unwrap_or(0));
    let is_name = !name.is_empty() && name.iter().all(u8::is_ascii_alphanumeric);
    query.is_some_and(|query| query.contains(&b'=')) && is_value && is_name && value.len() > 1
}

/// True for the path of a file that is seldom on the web, as lists of files have it:
/// `src/main2.rs`.
pub(super) fn is_source_file(word: &[u8]) -> bool {
    let is_of_path = |b: &u8| b.is_ascii_alphanumeric() || b"/._-+".contains(b);
    let dot = memchr::memrchr(b'.', word);
    dot.is_some_and(|dot| {
        let extension = &word[dot + 1..];
        word[0].is_ascii_alphanumeric()
            && word.iter().all(is_of_path)
            && word.contains(&b'/')
            && (1..5).contains(&extension.len())
            && extension.iter().all(u8::is_ascii_lowercase)
            && !is_extension(extension)
    })
}

/// True if `tail` has what only a URL has, after the row `url` of it.
pub(super) fn has_only_a_url(url: &[u8], tail: &[u8]) -> bool {
    let has = |b: u8| tail.contains(&b);
    let is_open = url.contains(&b'?');
    let has_letter = tail.iter().any(u8::is_ascii_alphabetic);
    let has_digit = tail.iter().any(u8::is_ascii_digit);
    let inner = &tail[..tail.len().saturating_sub(1)];
    has_escape(tail)
        || has(b'&')
        || has(b'?') && has(b'=')
        || has(b'=') && is_open
        || inner.contains(&b'/')
        || inner.contains(&b'#')
        || has_letter && has_digit
}

/// The operators of a shell that stand between blanks.
const SHELL: [&[u8]; 9] = [b"|", b"||", b"&", b"&&", b";", b">", b">>", b"2>", b"\\"];

/// True if `rest` could follow any URL in its row.
pub(super) fn could_follow(rest: &[u8]) -> bool {
    match rest {
        [] => true,
        [b')' | b']' | b',' | b'.' | b'(', ..] => true,
        // An option or an operator of a shell.
        [b'-', b'-' | b'a'..=b'z' | b'A'..=b'Z', ..] => true,
        _ => {
            let word = until_blank(rest);
            is_cased(word) && word.len() > 1 || SHELL.contains(&word)
        }
    }
}

/// Words with which sentences go on or begin.
const OF_PROSE: [&str; 52] = [
    "a", "after", "all", "also", "an", "and", "are", "as", "at", "be", "because", "before", "but",
    "by", "can", "do", "for", "from", "has", "have", "here", "if", "in", "into", "is", "it", "its",
    "not", "now", "of", "on", "or", "see", "so", "that", "the", "then", "there", "they", "this",
    "to", "until", "was", "we", "when", "where", "which", "while", "with", "you", "your", "done",
];

/// True for words and a colon before a value: `console output: x`.
pub(super) fn is_labelled(text: &[u8]) -> bool {
    let is_of_label = |b: &&u8| b.is_ascii_alphabetic() || **b == b' ';
    let len = text.iter().take_while(is_of_label).count();
    len > 0 && text[len..].starts_with(b": ")
}

/// True if `word` may begin a sentence, or go on with one: `Then`, `and`. What a mark of a query begins
/// does not: `=64`, `&id`.
pub(super) fn begins_prose(word: &[u8]) -> bool {
    if let [b'=' | b'&' | b'%' | b'?', b, ..] = word
        && b.is_ascii_alphanumeric()
    {
        return false;
    }
    let len = word.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    is_cased(word)
        && (len == 0
            || word[0].is_ascii_uppercase()
            || OF_PROSE
                .iter()
                .any(|prose| prose.as_bytes() == &word[..len]))
}

/// True if `word`, in the row below a row that is known to be full, may be the rest of what the URL
/// in that row began. A bracket, a mark or a name with a colon begins something of its own.
pub(super) fn is_rest_of_word(word: &[u8]) -> bool {
    let may_begin = |b: &u8| b.is_ascii_alphanumeric() || b"-._~/?&=%".contains(b);
    word.first().is_some_and(may_begin)
        && !word.ends_with(b":")
        && !word.contains(&b'|')
        && (!word[0].is_ascii_uppercase() || word.iter().any(u8::is_ascii_digit))
        && !begins_prose(word)
}

/// True for a word that is alone in its row and no rest of a URL: a name or a greeting (`Paul`,
/// `Thanks!`), an address, a host, a word in brackets or a smiley.
pub(super) fn is_own(word: &[u8]) -> bool {
    let is_mark = |b: &u8| b.is_ascii_punctuation();
    let is_host = is_www(word);
    let is_address = memchr::memchr(b'@', word).is_some() && !word.contains(&b'/');
    let is_name = word.first().is_some_and(u8::is_ascii_uppercase) && word.len() > 1;
    let is_bracketed = word.starts_with(b"(") && word.ends_with(b")");
    let is_smiley = word.iter().all(is_mark) && word.len() > 1 && b":;".contains(&word[0]);
    is_name && is_cased(word) || is_address || is_host || is_bracketed || is_smiley
}

/// True for a name of three words or more, as addresses of pages have it, and hardly any prose:
/// `educed-our-build-times`, `distributed_file_systems`.
pub(super) fn is_slug(word: &[u8]) -> bool {
    let is_mark = |b: &u8| matches!(b, b'-' | b'_');
    let end = word.iter().rposition(|b| !b".,;:!?)".contains(b));
    let name = &word[..end.map_or(0, |end| end + 1)];
    let parts = name.split(is_mark);
    let is_part = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_alphanumeric);
    name.iter().filter(|b| is_mark(b)).count() > 2 && parts.filter(|part| is_part(part)).count() > 3
}

/// True if `word` and the `rest` of its row are the next entry of a list: after `own`, what stands
/// before the URL, it is a name of the same form, or another URL stands in a column.
pub(super) fn is_entry(own: &[u8], word: &[u8], rest: &[u8]) -> bool {
    let first = until_blank(own);
    let is_hex = |name: &[u8]| name.len() > 6 && name.iter().all(u8::is_ascii_hexdigit);
    let is_name = |name: &[u8]| is_token(name) || is_hex(name);
    let is_alike = first.len() == word.len() && is_name(first) && is_name(word);
    let url = memchr::memmem::find(rest, b"://").map(|at| &rest[..at]);
    let gap = url.and_then(|before| before.iter().rposition(|&b| b == b' '));
    let has_column = gap.is_some_and(|gap| gap > 0 && rest[gap - 1] == b' ');
    is_alike || has_column
}

/// True if `word` ends with the extension of a web file, and the URL in the row `url` has none yet:
/// `08ports.html`.
pub(super) fn completes_file(url: &[u8], word: &[u8]) -> bool {
    let end = word.iter().rposition(|b| !b".,;:!?)".contains(b));
    let name = &word[..end.map_or(0, |end| end + 1)];
    let extension = |name: &[u8]| {
        let dot = memchr::memrchr(b'.', name)?;
        is_extension(&name[dot + 1..]).then_some(dot)
    };
    let last = url.rsplit(|&b| b == b'/').next().unwrap_or_default();
    let is_lower = word.first().is_some_and(|b| !b.is_ascii_uppercase());
    is_lower && extension(name).is_some_and(|dot| dot > 0) && extension(last).is_none()
}

/// True for letters and digits that are no word, but what a program made up: `dfWmTyR9`,
/// `a780b1165251bc65`.
pub(super) fn is_token(word: &[u8]) -> bool {
    let end = word.iter().rposition(|b| !b".,;:!?)".contains(b));
    let word = &word[..end.map_or(0, |end| end + 1)];
    let count = |is: fn(&u8) -> bool| word.iter().filter(|b| is(b)).count();
    let (digits, upper) = (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase));
    let lower = count(u8::is_ascii_lowercase);
    let is_of_url = |b: &u8| b.is_ascii_alphanumeric() || b"-_/.~%=&?#+".contains(b);
    let turns = word.windows(2).filter(|pair| {
        pair[0].is_ascii_digit() != pair[1].is_ascii_digit()
            && pair.iter().all(u8::is_ascii_alphanumeric)
    });
    let is_mixed =
        lower > 1 && upper > 1 && digits > 0 || lower > 0 && digits > 3 && turns.count() > 1;
    word.len() > 6 && is_mixed && word.iter().all(is_of_url)
}

/// True if `text` closes the bracket or the quotation mark that `opener` opened before the row `url`.
pub(super) fn closes(opener: Option<u8>, url: &[u8], text: &[u8]) -> bool {
    let (open, close) = match opener {
        Some(b'(') => (b'(', b')'),
        Some(b'[') => (b'[', b']'),
        Some(b'{') => (b'{', b'}'),
        Some(b'<') => (b'<', b'>'),
        Some(quote @ (b'"' | b'\'' | b'`')) => (quote, quote),
        _ => return false,
    };
    let word = until_blank(text);
    let mut depth = 1;
    for (at, b) in url.iter().chain(word).enumerate() {
        if *b == close {
            depth -= 1;
        } else if *b == open {
            depth += 1;
        }
        if depth == 0 {
            let after = (at + 1)
                .checked_sub(url.len())
                .and_then(|at| word.get(at..));
            return after.is_some_and(|after| after.iter().all(u8::is_ascii_punctuation));
        }
    }
    false
}

/// True if `word` has the rest of the round brackets that the row `url` has opened, and ends with
/// them: `/wiki/Tokamak_(long_nam` and `e)`.
pub(super) fn closes_own(url: &[u8], word: &[u8]) -> bool {
    let Some((b')', name)) = word.split_last() else {
        return false;
    };
    let count = |text: &[u8], mark: u8| memchr::memchr_iter(mark, text).count();
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"-_".contains(b);
    !name.is_empty() && name.iter().all(is_name) && count(url, b'(') == count(url, b')') + 1
}
