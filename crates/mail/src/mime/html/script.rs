//! URLs in scripts: event handlers and `javascript:` URLs.

use std::ops::Range;

use memchr::memchr2;

use super::tags::run;

/// The scheme of a URL that is a script.
pub(super) const SCHEME: &[u8] = b"javascript:";

/// The next string of a script that is a URL, after the one that ends at `at`.
/// A string with a backslash has escapes, so it is not a URL. A string next to
/// a `+` is only a part of one.
///
/// # Complexity
///
/// Linear over all calls for one script.
pub(super) fn next_string(script: &[u8], at: usize) -> Option<Range<usize>> {
    // A link ends at its closing quotation mark.
    let mut at = at + usize::from(at > 0);
    loop {
        let start = at + memchr2(b'"', b'\'', &script[at..])? + 1;
        let quote = script[start - 1];
        let mut end = start;
        let mut has_escape = false;
        loop {
            end += memchr2(quote, b'\\', &script[end..])?;
            if script[end] == quote {
                break;
            }
            has_escape = true;
            end = (end + 2).min(script.len());
        }
        at = end + 1;
        let is_joined = script[..start - 1].trim_ascii_end().ends_with(b"+")
            || script[at..].trim_ascii_start().starts_with(b"+");
        if !has_escape && is_url(&script[start..end]) && !is_joined {
            return Some(start..end);
        }
    }
}

/// True for a scheme and `://`, or `mailto:`, with more after it.
pub(super) fn is_url(text: &[u8]) -> bool {
    let scheme = run(text, |b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    let (scheme, rest) = text.split_at(scheme);
    scheme.first().is_some_and(u8::is_ascii_alphabetic)
        && match rest.strip_prefix(b"://") {
            Some(rest) => !rest.is_empty(),
            None => scheme.eq_ignore_ascii_case(b"mailto") && rest.len() > 1 && rest[0] == b':',
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_that_are_urls() {
        for (script, urls) in [
            (
                "a('http://b/', \"ftp://c/\")",
                &["http://b/", "ftp://c/"][..],
            ),
            ("'http://a/''http://b/'", &["http://a/", "http://b/"]),
            ("x='mailto:a@b'", &["mailto:a@b"]),
            ("'http://a/?' + b", &[]),
            ("b +'http://a/'", &[]),
            ("'http://'", &[]),
            ("'mailto:'", &[]),
            ("'://a/' '/a' 'a' ''", &[]),
            ("'http://a/", &[]),
            ("'it\\'s http://a/' 'http://b/'", &["http://b/"]),
            ("'http://a/\\", &[]),
        ] {
            let (mut all, mut at) = (vec![], 0);
            while let Some(link) = next_string(script.as_bytes(), at) {
                at = link.end;
                all.push(&script[link]);
            }
            assert_eq!(all, urls, "{script}");
        }
    }
}
