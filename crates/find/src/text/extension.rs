//! Names of files: the extensions that URLs end with.

use urlgrep_base::names::{key, keys};

const EXTENSIONS: [&[u8]; 49] = [
    b"html", b"htm", b"shtml", b"txt", b"text", b"gz", b"tgz", b"zip", b"ps", b"pdf", b"tar", b"Z",
    b"gif", b"jpg", b"jpeg", b"png", b"asp", b"aspx", b"cgi", b"php", b"jsp", b"pl", b"py", b"rb",
    b"js", b"css", b"xml", b"bz2", b"xz", b"patch", b"diff", b"doc", b"exe", b"rpm", b"deb",
    b"lisp", b"el", b"asc", b"sig", b"xhtml", b"json", b"yaml", b"yml", b"csv", b"svg", b"docx",
    b"xlsx", b"epub", b"jar",
];

/// The maximum length of an extension.
pub(crate) const EXTENSION_MAX: usize = 5;

static EXTENSION_KEYS: [u64; EXTENSIONS.len()] = keys(&EXTENSIONS);

pub(crate) fn is_extension(word: &[u8]) -> bool {
    word.len() <= EXTENSION_MAX && EXTENSION_KEYS.contains(&key(word))
}

/// The word without its query and fragment.
pub(crate) fn stem(word: &[u8]) -> &[u8] {
    let end = word.iter().position(|&b| b == b'#' || b == b'?');
    &word[..end.unwrap_or(word.len())]
}

/// True for a word with the extension of a web file: `ar.gz`, `index.html`.
pub(crate) fn ends_file(word: &[u8]) -> bool {
    let word = stem(word);
    word.iter()
        .rposition(|&b| b == b'.')
        .is_some_and(|dot| dot > 0 && is_extension(&word[dot + 1..]))
}

/// True if `word` completes an extension at the end of `url`: `.ht` and `ml`.
pub(crate) fn is_suffix(url: &[u8], word: &[u8]) -> bool {
    let Some(dot) = url.iter().rposition(|&b| b == b'.' || b == b'/') else {
        return false;
    };
    let start = &url[dot + 1..];
    url[dot] == b'.'
        && !start.is_empty()
        && start.len() + word.len() <= EXTENSION_MAX
        && !is_extension(start)
        && EXTENSIONS.iter().any(|e| {
            e.len() == start.len() + word.len() && e.starts_with(start) && e.ends_with(word)
        })
}
