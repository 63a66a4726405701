//! Digital object identifiers (ISO 26324): a prefix (`10.1000`), a slash and a suffix. A DOI has a
//! suffix, so a URL that ends after the slash is not whole.

/// True if `url` ends with the prefix of a DOI and its slash: `https://doi.org/10.1000/`,
/// `doi:10.1000/`.
pub(super) fn ends_doi_prefix(url: &[u8]) -> bool {
    let before = url.strip_suffix(b"/").unwrap_or(url);
    let is_prefix = |b: &&u8| b.is_ascii_digit() || **b == b'.';
    let len = before.iter().rev().take_while(is_prefix).count();
    let (start, prefix) = before.split_at(before.len() - len);
    before.len() < url.len() && len > 6 && prefix.starts_with(b"10.") && names_doi(start)
}

/// True if `url` begins with the prefix of a DOI and has a part of its suffix.
pub(super) fn has_doi_prefix(url: &[u8]) -> bool {
    let at = memchr::memmem::find(url, b"10.");
    at.is_some_and(|at| {
        let slash = memchr::memchr(b'/', &url[at..]);
        slash
            .is_some_and(|slash| at + slash + 1 < url.len() && ends_doi_prefix(&url[..=at + slash]))
    })
}

/// True if a DOI follows `start`.
pub(super) fn names_doi(start: &[u8]) -> bool {
    let ends_with = |name: &[u8]| {
        let at = start.len().checked_sub(name.len());
        at.is_some_and(|at| start[at..].eq_ignore_ascii_case(name))
    };
    ends_with(b"doi.org/") || ends_with(b"doi:")
}
