//! Partial forms: the rules of each document to resolve a part of a URL to the
//! whole URL.
//!
//! | profile | rules |
//! | --- | --- |
//! | url-00, url-03 | "Partial form": scheme, host and path inherited in turn |
//! | www-uri-00 | "Partial (relative) form": if the partial form starts with n slashes, it replaces the base from the first run of exactly n slashes on |
//! | url-06 | none. Section 2 announces "the rules under which parts of the URL may be omitted"; the text has none |
//! | rfc1738 | none of its own (2.3: "Relative links are not described in this document"): RFC 1808, its companion |
//! | current, iri | RFC 3986 section 5.2, strict |
//! | whatwg | the basic URL parser with a base. The result is serialised |

use std::fmt;

use super::parts::Url;
use super::profile::Profile;
use super::reject::{Refusal, Reject, Rule};
use super::{check, validate};

/// Resolves `partial` against `base`, by the rules of the profile's document.
/// `partial` may be a whole URL, and may have a fragment. The fragment of
/// `base` is not inherited. There is one exception: RFC 1808 inherits it if
/// `partial` is empty.
///
/// # Errors
///
/// A [`ResolveError`], which says whether `base`, `partial` or the result was
/// refused. `partial` is refused if the document gives it no meaning. The
/// result is refused if it is a URL neither by the production of its scheme nor
/// by the generic production. For example, `http:g` is the correct result of
/// RFC 3986 5.4.2, although it is not an http URL.
///
/// # Complexity
///
/// Linear in the two lengths.
///
/// ```
/// use urlgrep::url::{Profile, resolve};
///
/// let base = b"magic://a/b/c//d/e/f";
/// assert_eq!(resolve(Profile::WwwUri00, base, b"/g").unwrap(), "magic://a/g");
/// ```
pub fn resolve(profile: Profile, base: &[u8], partial: &[u8]) -> Result<String, ResolveError> {
    let base = validate(profile, base).map_err(ResolveError::Base)?;
    let refused = |fault| ResolveError::Partial(Reject::new(profile, partial, fault));
    let no_form = Refusal {
        rule: Rule::PartialForm,
        at: 0,
    };
    let url = match profile {
        Profile::Url00 | Profile::Url03 | Profile::WwwUri00 => {
            by_slashes(&base, partial).ok_or_else(|| refused(no_form))?
        }
        Profile::Url06 => return Err(refused(no_form)),
        Profile::Rfc1738 => by_rfc1808(&base, partial),
        Profile::Current | Profile::Iri => by_rfc3986(&base, partial),
        #[cfg(feature = "whatwg")]
        Profile::Whatwg => {
            return super::whatwg::join(base.as_bytes(), partial).map_err(refused);
        }
    };
    match check(profile, &url) {
        // The default is never used, because a valid URL is UTF-8.
        Ok(()) => Ok(String::from_utf8(url).unwrap_or_default()),
        Err(reject) => Err(ResolveError::Result { url, reject }),
    }
}

/// The reason why [`resolve`] has no result: the string that was refused, with
/// the rule and the offset.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResolveError {
    /// The base is not a URL.
    Base(Reject),
    /// The document gives no meaning to the partial form.
    Partial(Reject),
    /// The result is not a URL.
    Result {
        /// The result.
        url: Vec<u8>,
        /// Why the result is not a URL.
        reject: Reject,
    },
}

impl ResolveError {
    /// The failed rule, and its offset in the string that was refused.
    #[must_use]
    pub fn reject(&self) -> &Reject {
        match self {
            ResolveError::Base(reject)
            | ResolveError::Partial(reject)
            | ResolveError::Result { reject, .. } => reject,
        }
    }
}

impl fmt::Display for ResolveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResolveError::Base(reject) => write!(f, "base: {reject}"),
            ResolveError::Partial(reject) => write!(f, "partial form: {reject}"),
            ResolveError::Result { url, reject } => {
                write!(f, "result {}: {reject}", url.escape_ascii())
            }
        }
    }
}

impl std::error::Error for ResolveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.reject())
    }
}

/// The text before the first `separator`, and the text from the separator on.
fn cut_at(text: &[u8], separator: u8) -> (&[u8], &[u8]) {
    let at = memchr::memchr(separator, text).unwrap_or(text.len());
    text.split_at(at)
}

/// `text` up to and including its last slash. Empty if there is no slash.
fn directory(text: &[u8]) -> &[u8] {
    let end = memchr::memrchr(b'/', text).map_or(0, |at| at + 1);
    text.get(..end).unwrap_or_default()
}

/// The host with its `//`, and the text after it. The host ends before the next
/// `/` or `?`. It is empty if `text` does not start with `//`.
fn split_host(text: &[u8]) -> (&[u8], &[u8]) {
    match text.strip_prefix(b"//") {
        Some(rest) => {
            let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?'));
            text.split_at(end.unwrap_or(rest.len()) + 2)
        }
        None => (b"", text),
    }
}

/// The parts of a base, for documents that know only slashes. They are the
/// scheme with its colon, and the rest without the fragment. These documents
/// call the base the context.
fn context<'a>(base: &Url<'a>) -> (&'a [u8], &'a [u8]) {
    let (whole, _) = cut_at(base.as_bytes(), b'#');
    whole.split_at((base.scheme().len() + 1).min(whole.len()))
}

/// "A full form must have a colon and that colon must occur before any slash
/// characters."
fn is_full_form(partial: &[u8]) -> bool {
    let first = partial.iter().find(|byte| matches!(byte, b':' | b'/'));
    first == Some(&b':')
}

/// url-00 and url-03, "Partial form"; www-uri-00, "Partial (relative) form". The
/// fragment is not part of the locator. `None` in www-uri-00 if `partial` starts
/// with a number of slashes that does not occur in the context.
fn by_slashes(base: &Url<'_>, partial: &[u8]) -> Option<Vec<u8>> {
    let (locator, fragment) = cut_at(partial, b'#');
    if is_full_form(locator) {
        return Some(partial.to_vec());
    }
    let trailing = match base.profile() {
        Profile::WwwUri00 => Trailing::Kept,
        _ => Trailing::Removed,
    };
    let (scheme, rest) = context(base);
    let (host, path) = split_host(rest);
    let (given, search) = cut_at(locator, b'?');
    let mut out = scheme.to_vec();
    let slashes = locator.iter().take_while(|&&byte| byte == b'/').count();
    if locator.is_empty() {
        // The documents do not mention this case: all parts are the same.
        out.extend_from_slice(rest);
        out.extend_from_slice(fragment);
        return Some(out);
    }
    match (slashes, trailing) {
        (0, trailing) => {
            out.extend_from_slice(host);
            append(&mut out, path, given, trailing);
            out.extend_from_slice(search);
        }
        // "If the partial URI starts with a non-zero number of consecutive
        // slashes, then everything from the context URI up to (but not
        // including) the first occurrence of exactly the same number of
        // consecutive slashes is taken to be the same".
        (_, Trailing::Kept) => {
            out.extend_from_slice(before_slashes(rest, slashes)?);
            out.extend_from_slice(locator);
        }
        // "If a leading slash is present, the path is absolute."
        (1, _) => out.extend([host, locator].concat()),
        // "If the host and/or port parts are the different, the host, port
        // name and all the rest of the locator must be given."
        _ => out.extend_from_slice(locator),
    }
    out.extend_from_slice(fragment);
    Some(out)
}

/// The text before the first run of exactly `count` slashes.
fn before_slashes(text: &[u8], count: usize) -> Option<&[u8]> {
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let run = rest.iter().take_while(|&&byte| byte == b'/').count();
        if run == count {
            return text.get(..at);
        }
        at += run.max(1);
    }
    None
}

/// "The last part of the path of the context locator (anything following the
/// rightmost slash) is removed, and the given partial URL appended in its
/// place." After a host without a path a slash is added, which the documents do
/// not mention. Dots in a search are not path elements.
fn append(out: &mut Vec<u8>, path: &[u8], given: &[u8], trailing: Trailing) {
    let from = out.len();
    let (path, _) = cut_at(path, b'?');
    if path.is_empty() && out.last() != Some(&b':') {
        out.push(b'/');
    }
    out.extend_from_slice(directory(path));
    out.extend_from_slice(given);
    remove_dots(out, from, trailing);
}

/// How a document treats a `..` at the end of the path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trailing {
    /// `/xxx/..` is removed.
    Removed,
    /// Only `xxx/../` is removed.
    Kept,
    /// A `.` is removed, too, and the slash before either stays.
    Slash,
}

/// Removes dot elements from the path that starts at `from`.
///
/// url-00 and url-03: "all occurrences of "/xxx/.." or "/." are recursively
/// removed". www-uri-00: "all occurrences of "xxx/../" or "/."" "where xxx,
/// ".." and "." are complete path elements". An xxx is not a `..`. It may be
/// empty, as between the slashes of `c//d`. The host is not a path element.
///
/// RFC 1808 section 4, step 6, a to d. A `..` without a segment before it is
/// kept.
fn remove_dots(out: &mut Vec<u8>, from: usize, trailing: Trailing) {
    let path = out.split_off(from.min(out.len()));
    let absolute = path.starts_with(b"/");
    let mut kept: Vec<&[u8]> = Vec::new();
    let body = path.strip_prefix(b"/").unwrap_or(&path);
    let mut elements = body.split(|&byte| byte == b'/').peekable();
    while let Some(element) = elements.next() {
        let last = elements.peek().is_none();
        let is_parent = element == b".." && kept.last().is_some_and(|&above| above != b"..");
        let ends_in_slash = last && trailing == Trailing::Slash;
        if is_parent && (!last || trailing != Trailing::Kept) {
            kept.pop();
        // "/." needs a slash before it, but not in RFC 1808.
        } else if element != b"." || !(absolute || !kept.is_empty() || trailing == Trailing::Slash)
        {
            kept.push(element);
            continue;
        }
        kept.extend(ends_in_slash.then_some(&b""[..]));
    }
    if absolute && !kept.is_empty() {
        out.push(b'/');
    }
    out.extend_from_slice(&kept.join(&b'/'));
}

/// A reference, divided as in RFC 3986 Appendix B. Each part includes its
/// delimiter. So an absent part is empty, and a present part is never empty.
struct Reference<'a> {
    /// The scheme with its colon.
    scheme: &'a [u8],
    /// The authority with its `//`.
    authority: &'a [u8],
    path: &'a [u8],
    /// The parameters with their `;`, only in RFC 1808.
    params: &'a [u8],
    /// The query with its `?`.
    query: &'a [u8],
    /// The fragment with its `#`.
    fragment: &'a [u8],
}

/// Whether a `;` ends the path.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Params {
    Apart,
    InPath,
}

impl<'a> Reference<'a> {
    fn new(text: &'a [u8], params: Params) -> Reference<'a> {
        let (rest, fragment) = cut_at(text, b'#');
        let colon = rest.iter().position(|byte| !is_scheme_byte(*byte));
        let (scheme, rest) = match colon {
            // "After the first character" (RFC 1808 2.4.2).
            Some(at) if at > 0 && rest.get(at) == Some(&b':') => rest.split_at(at + 1),
            _ => rest.split_at(0),
        };
        let (authority, rest) = match rest.strip_prefix(b"//") {
            Some(inside) => {
                let ends = |byte: &u8| match params {
                    Params::Apart => *byte == b'/',
                    Params::InPath => matches!(byte, b'/' | b'?'),
                };
                let len = inside.iter().position(ends).unwrap_or(inside.len());
                rest.split_at(len + 2)
            }
            None => rest.split_at(0),
        };
        let (rest, query) = cut_at(rest, b'?');
        let (path, params) = match params {
            Params::Apart => cut_at(rest, b';'),
            Params::InPath => rest.split_at(rest.len()),
        };
        Reference {
            scheme,
            authority,
            path,
            params,
            query,
            fragment,
        }
    }

    fn recompose(&self) -> Vec<u8> {
        [
            self.scheme,
            self.authority,
            self.path,
            self.params,
            self.query,
            self.fragment,
        ]
        .concat()
    }
}

fn is_scheme_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

/// RFC 1808 section 4, steps 2 to 7.
fn by_rfc1808(base: &Url<'_>, partial: &[u8]) -> Vec<u8> {
    // a) "If the embedded URL is entirely empty, it inherits the entire base
    // URL".
    if partial.is_empty() {
        return base.as_bytes().to_vec();
    }
    let base = Reference::new(base.as_bytes(), Params::Apart);
    let mut url = Reference::new(partial, Params::Apart);
    // b) "If the embedded URL starts with a scheme name, it is interpreted as
    // an absolute URL".
    if !url.scheme.is_empty() {
        return partial.to_vec();
    }
    url.scheme = base.scheme;
    // Step 3: "non-empty". A lone `//` counts as empty.
    if url.authority.len() > 2 {
        return url.recompose();
    }
    url.authority = base.authority;
    // Step 4.
    if url.path.starts_with(b"/") {
        return url.recompose();
    }
    // Step 5. A lone `;` or `?` also counts as empty.
    if url.path.is_empty() {
        url.path = base.path;
        if url.params.len() <= 1 {
            url.params = base.params;
            if url.query.len() <= 1 {
                url.query = base.query;
            }
        }
        return url.recompose();
    }
    // Step 6.
    let mut path = [directory(base.path), url.path].concat();
    remove_dots(&mut path, 0, Trailing::Slash);
    url.path = &path;
    url.recompose()
}

/// RFC 3986 section 5.2.2, strict.
fn by_rfc3986(base: &Url<'_>, partial: &[u8]) -> Vec<u8> {
    let base = Reference::new(base.as_bytes(), Params::InPath);
    let mut target = Reference::new(partial, Params::InPath);
    let path;
    if !target.scheme.is_empty() || !target.authority.is_empty() {
        if target.scheme.is_empty() {
            target.scheme = base.scheme;
        }
        path = remove_dot_segments(target.path);
    } else {
        target.scheme = base.scheme;
        target.authority = base.authority;
        if target.path.is_empty() {
            if target.query.is_empty() {
                target.query = base.query;
            }
            target.path = base.path;
            return target.recompose();
        }
        if target.path.starts_with(b"/") {
            path = remove_dot_segments(target.path);
        } else if !base.authority.is_empty() && base.path.is_empty() {
            path = remove_dot_segments(&[b"/", target.path].concat());
        } else {
            path = remove_dot_segments(&[directory(base.path), target.path].concat());
        }
    }
    target.path = &path;
    target.recompose()
}

/// RFC 3986 section 5.2.4. The letters below are those of its steps.
fn remove_dot_segments(path: &[u8]) -> Vec<u8> {
    let mut input = path;
    // A and D apply only here, because the other steps leave an input that begins with a
    // slash.
    while let Some(rest) = input.strip_prefix(b"../").or(input.strip_prefix(b"./")) {
        input = rest;
    }
    if input == b"." || input == b".." {
        return Vec::new();
    }
    let mut segments = input.split(|&byte| byte == b'/').peekable();
    let mut output = segments.next().unwrap_or_default().to_vec();
    while let Some(segment) = segments.next() {
        // C: "Remove the last segment and its preceding "/" (if any)".
        if segment == b".." {
            output.truncate(memchr::memrchr(b'/', &output).unwrap_or(0));
        }
        let is_dots = segment == b"." || segment == b"..";
        // B and C leave a slash in the input.
        if !is_dots || segments.peek().is_none() {
            output.push(b'/');
        }
        // E.
        if !is_dots {
            output.extend_from_slice(segment);
        }
    }
    output
}

#[cfg(test)]
mod tests;
