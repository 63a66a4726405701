//! SURT: the key by which web archives find a URL.
//!
//! These are the keys of CDX files. The labels of the host are in reverse
//! order, so that the URLs of a domain sort together. Path and query follow in
//! a normalised form. Spellings that servers usually treat alike have the same
//! form.
//!
//! No document specifies the key. The reference is version 0.3.1 of the
//! Internet Archive's Python package `surt`, which writes the keys of most
//! archives (`surt.surt(url)` with its default options).

use std::borrow::Cow;

use super::parts::{Host, Url};
use super::{punycode, validate};
use urlgrep_base::digits::{hex_byte, put_hex};

impl Url<'_> {
    /// The SURT of the URL, as in CDX files.
    ///
    /// * Scheme, user, password and fragment are left out. A URL without a host
    ///   keeps its scheme: `mailto:ann@example.org`.
    /// * The host is in lower case, without escapes, and in Punycode (RFC
    ///   3492). Before Punycode it is only lower-cased, without the
    ///   normalisation of RFC 3491. A first label like `www` or `www2` is left
    ///   out. The labels are in reverse order, with commas between them, even
    ///   those of an IPv4 address. A `)` follows. Addresses of fewer than four
    ///   numbers, which only some profiles allow, are not completed.
    /// * The port is left out if it is 80 in http, 443 in https, or 0.
    /// * The path is in lower case. Escapes are decoded until none is left.
    ///   Then `#`, `%` and the bytes outside `!` to `~` are escaped again. Dot
    ///   segments, empty segments, the session of ASP.NET and the last slash
    ///   are removed.
    /// * The query is in lower case. Its escapes are treated as in the path.
    ///   The parameters `jsessionid`, `phpsessid`, `sid`, `aspsessionid`, and
    ///   `cfid` with `cftoken`, are removed. The other parameters are sorted.
    ///   An empty query is left out.
    ///
    /// # Complexity
    ///
    /// Linear, except for the sorting of the parameters.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let url = b"http://www.Example.org:80/A/?b=2&a=1#top";
    /// let url = validate(Profile::Current, url).unwrap();
    /// assert_eq!(url.surt(), "org,example)/a?a=1&b=2");
    /// ```
    #[doc(hidden)] // For the column of rows, and the ledger.
    #[must_use]
    pub fn surt(&self) -> String {
        let mut out = Vec::new();
        self.surt_into(&mut out);
        // The default is never used, because a SURT is ASCII.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Appends [`Url::surt`] to `out`. Reusing `out` saves an allocation for
    /// each URL.
    #[doc(hidden)]
    pub fn surt_into(&self, out: &mut Vec<u8>) {
        let text = self.as_bytes();
        // Of `http://http://a.example/` only the second URL counts.
        if let Some(inner) = nested(text)
            && let Ok(url) = validate(self.profile(), inner)
        {
            return url.surt_into(out);
        }
        out.reserve(text.len() + 1);
        // Fast path: no part has or needs an escape.
        let is_plain = text.is_ascii() && memchr::memchr(b'%', text).is_none();
        let has_host = self.put_host(is_plain, out);
        if !has_host {
            out.extend(self.scheme().bytes().map(|b| b.to_ascii_lowercase()));
            out.push(b':');
        }
        let rest = text.get(self.meta().path_start as usize..);
        let rest = rest.unwrap_or_default();
        let rest = memchr::memchr(b'#', rest).map_or(rest, |at| &rest[..at]);
        let (path, query) = match memchr::memchr(b'?', rest) {
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (rest, &[][..]),
        };
        let start = out.len();
        put_part(path, is_plain, out);
        finish_path(start, has_host, out);
        if !query.is_empty() {
            if out.len() == start {
                out.push(b'/');
            }
            out.push(b'?');
            let start = out.len();
            put_part(query, is_plain, out);
            finish_query(start, out);
            if out.len() == start {
                out.pop();
            }
        }
    }

    /// Appends host and port. Returns false and appends nothing if there is no
    /// host.
    fn put_host(&self, is_plain: bool, out: &mut Vec<u8>) -> bool {
        let host = match self.host() {
            None => return false,
            Some(Host::Ipv6(text) | Host::IpvFuture(text)) => {
                // Remove the brackets of an IPv6 address.
                text.get(1..text.len().saturating_sub(1))
                    .unwrap_or_default()
                    .as_bytes()
            }
            Some(host) => host.as_str().as_bytes(),
        };
        let host = if is_plain && !host.windows(2).any(|two| two == b"..") {
            Cow::Borrowed(host)
        } else {
            Cow::Owned(clean_host(host))
        };
        let host = trim_dots(&host);
        if host.is_empty() {
            return false;
        }
        reversed(without_www(host), out);
        if let Some(port) = self.port() {
            let port = port.trim_start_matches('0');
            let is = |scheme: &str| self.scheme().eq_ignore_ascii_case(scheme);
            let is_default = port == "80" && is("http") || port == "443" && is("https");
            if !port.is_empty() && !is_default {
                out.push(b':');
                out.extend_from_slice(port.as_bytes());
            }
        }
        out.push(b')');
        true
    }
}

/// The text after the scheme, if the scheme is http or https. That text must
/// again be a URL with one of these schemes.
fn nested(text: &[u8]) -> Option<&[u8]> {
    let mut inner = after_scheme(text)?;
    let mut rest = after_scheme(inner)?;
    // All schemes but the last are removed here, so that one call is enough.
    while let Some(after) = after_scheme(rest) {
        inner = rest;
        rest = after;
    }
    Some(inner)
}

/// The text after `http://` or `https://`.
fn after_scheme(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"http")?;
    let rest = rest.strip_prefix(b"s").unwrap_or(rest);
    rest.strip_prefix(b"://")
}

/// Cleans a host with an escape, a character beyond ASCII, or two adjacent
/// dots. Escapes are decoded, names become Punycode, adjacent dots become one
/// dot, and bytes that need an escape are escaped.
fn clean_host(host: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(host.len());
    put_unescaped(host, &mut plain);
    if !plain.is_ascii() {
        let name: String = plain.utf8_chunks().map(|chunk| chunk.valid()).collect();
        plain = punycode::to_ascii(&name).unwrap_or(name).into_bytes();
    }
    let mut joined = Vec::with_capacity(plain.len());
    let mut rest = &plain[..];
    while let [first, after @ ..] = rest {
        joined.push(*first);
        rest = match after {
            [b'.', after @ ..] if *first == b'.' => after,
            _ => after,
        };
    }
    escape_from(0, &mut joined);
    joined
}

fn trim_dots(mut host: &[u8]) -> &[u8] {
    while let [b'.', rest @ ..] | [rest @ .., b'.'] = host {
        host = rest;
    }
    host
}

/// The host without its first label, if that is `www` and digits.
fn without_www(host: &[u8]) -> &[u8] {
    let Some((www, rest)) = host.split_at_checked(3) else {
        return host;
    };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    match rest.get(digits..) {
        Some([b'.', rest @ ..]) if www.eq_ignore_ascii_case(b"www") => rest,
        _ => host,
    }
}

/// Appends the labels of `host` in reverse order and lower case, with commas.
fn reversed(host: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    for label in host.rsplit(|&b| b == b'.') {
        out.extend_from_slice(label);
        out.push(b',');
    }
    out.pop();
    out[start..].make_ascii_lowercase();
}

/// Appends a path or a query in lower case, with one level of escapes.
fn put_part(part: &[u8], is_plain: bool, out: &mut Vec<u8>) {
    let start = out.len();
    if is_plain {
        out.extend_from_slice(part);
    } else {
        put_unescaped(part, out);
        escape_from(start, out);
    }
    out[start..].make_ascii_lowercase();
}

/// Appends `text` with its escapes decoded until none is left: `%2541` becomes
/// `A`. The order does not matter, because no two escapes share a byte. Each
/// escape is decoded when its last digit is appended. Linear, because each
/// decoded escape shortens the text.
fn put_unescaped(text: &[u8], out: &mut Vec<u8>) {
    let start = out.len();
    for &b in text {
        out.push(b);
        while let [.., b'%', high, low] = out[start..]
            && let Some(decoded) = hex_byte(high, low)
        {
            out.truncate(out.len() - 3);
            out.push(decoded);
        }
    }
}

/// In `out[start..]`, escapes `#`, `%` and the bytes outside `!` to `~`.
fn escape_from(start: usize, out: &mut Vec<u8>) {
    let is_plain = |b: &u8| (0x21..0x7F).contains(b) && !b"#%".contains(b);
    if out[start..].iter().all(is_plain) {
        return;
    }
    for b in out.split_off(start) {
        if is_plain(&b) {
            out.push(b);
        } else {
            out.push(b'%');
            put_hex(b, out);
        }
    }
}

/// Normalises the path that begins at `start`.
fn finish_path(start: usize, has_host: bool, out: &mut Vec<u8>) {
    if has_host {
        let path = &out[start..];
        // Without an early exit this examines blocks of bytes.
        let has_dots = |any, (&a, &b): (&u8, &u8)| any | (a == b'/') & ((b == b'/') | (b == b'.'));
        if path.is_empty() {
            out.push(b'/');
        } else if path.iter().zip(&path[1..]).fold(false, has_dots) {
            normalize_path(start, out);
        }
    }
    if memchr::memchr(b'(', &out[start..]).is_some() {
        strip_session(start, is_nested_session, out);
        strip_session(start, is_session, out);
    }
    if out.len() > start + 1 && out.ends_with(b"/") {
        out.pop();
    }
}

/// Removes dot segments and empty segments. A `..` also removes the segment
/// before it, and is kept if there is none.
fn normalize_path(start: usize, out: &mut Vec<u8>) {
    let path = out.split_off(start);
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|&b| b == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if kept.pop().is_some() => {}
            segment => kept.push(segment),
        }
    }
    out.push(b'/');
    if let Some((last, before)) = kept.split_last() {
        for segment in before.iter().filter(|segment| !segment.is_empty()) {
            out.extend_from_slice(segment);
            out.push(b'/');
        }
        out.extend_from_slice(last);
    }
}

/// Removes the session of an ASP.NET page from the path that begins at `start`.
/// The session is the last segment that `is` recognises and that has a page after
/// it.
fn strip_session(start: usize, is: fn(&[u8]) -> bool, out: &mut Vec<u8>) {
    const PAGE: &[u8] = b".aspx";
    let path = &out[start..];
    // No page ends after this index.
    let mut end = path.len();
    let mut slash = path.len();
    while let Some(at) = memchr::memrchr(b'/', &path[..slash]) {
        let after = slash + 1;
        if slash < path.len() && is(&path[at + 1..slash]) {
            // `[^?]+\.aspx`
            let rest = path.get(after..end).unwrap_or_default();
            let question = memchr::memchr(b'?', rest).unwrap_or(rest.len());
            let page = rest.get(1..).unwrap_or_default();
            let page = memchr::memmem::find(page, PAGE);
            if page.is_some_and(|page| page < question) {
                out.drain(start + at + 1..start + after);
                return;
            }
            // No `.aspx` after the byte at `after` makes a page.
            end = (after + 1 + PAGE.len()).min(end);
        }
        slash = at;
    }
}

/// `(`, 24 letters or digits, and `)`.
fn is_session(segment: &[u8]) -> bool {
    match segment {
        [b'(', id @ .., b')'] => id.len() == 24 && id.iter().all(u8::is_ascii_alphanumeric),
        _ => false,
    }
}

/// `(`, one or more letters, each followed by a session, and `)`.
fn is_nested_session(segment: &[u8]) -> bool {
    match segment {
        [b'(', all @ .., b')'] => {
            let is_one = |one: &[u8]| one[0].is_ascii_alphabetic() && is_session(&one[1..]);
            !all.is_empty() && all.chunks(27).all(is_one)
        }
        _ => false,
    }
}

/// Normalises the query that begins at `start`.
fn finish_query(start: usize, out: &mut Vec<u8>) {
    if memchr::memmem::find(&out[start..], b"id").is_some() {
        for name in ["jsessionid=", "phpsessid=", "sid="] {
            strip_value(start, out, |parameter| {
                let (before, id) = parameter.split_at_checked(parameter.len().checked_sub(32)?)?;
                let before = before.strip_suffix(name.as_bytes())?;
                id.iter()
                    .all(u8::is_ascii_alphanumeric)
                    .then_some(before.len())
            });
        }
        strip_value(start, out, |parameter| {
            let (before, value) = parameter.split_at_checked(parameter.len().checked_sub(33)?)?;
            let before = before.strip_suffix(b"aspsessionid")?;
            let is_letter =
                |(i, b): (usize, &u8)| b.is_ascii_alphabetic() || (i == 8 && *b == b'=');
            let is_id = value[8] == b'=' && value.iter().enumerate().all(is_letter);
            is_id.then_some(before.len())
        });
        strip_cfid(start, out);
    }
    let query = &out[start..];
    if memchr::memchr(b'&', query).is_some() && !parameters(query).is_sorted() {
        let query = out.split_off(start);
        let mut sorted: Vec<_> = parameters(&query).collect();
        sorted.sort_unstable();
        for (name, value) in sorted {
            out.extend_from_slice(name);
            if let Some(value) = value {
                out.push(b'=');
                out.extend_from_slice(value);
            }
            out.push(b'&');
        }
        out.pop();
    }
}

/// Splits a query into names and values. A value may be absent.
fn parameters(query: &[u8]) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
    query
        .split(|&b| b == b'&')
        .map(|parameter| match memchr::memchr(b'=', parameter) {
            Some(at) => (&parameter[..at], Some(&parameter[at + 1..])),
            None => (parameter, None),
        })
}

/// Removes the last parameter in which `find` finds a session, and the `&`
/// after it. The removed text starts at the byte that `find` returns.
fn strip_value(start: usize, out: &mut Vec<u8>, find: impl Fn(&[u8]) -> Option<usize>) {
    let query = &out[start..];
    let mut end = query.len();
    loop {
        let from = memchr::memrchr(b'&', &query[..end]).map_or(0, |at| at + 1);
        if let Some(at) = find(&query[from..end]) {
            let end = (end + 1).min(query.len());
            out.drain(start + from + at..start + end);
            return;
        }
        if from == 0 {
            return;
        }
        end = from - 1;
    }
}

/// Removes the last `cfid=…&cftoken=…`, and the `&` after it.
fn strip_cfid(start: usize, out: &mut Vec<u8>) {
    const TOKEN: &[u8] = b"&cftoken=";
    let query = &out[start..];
    let mut before = query.len();
    while let Some(at) = memchr::memmem::rfind(&query[..before], TOKEN) {
        let value = at + TOKEN.len();
        let end = memchr::memchr(b'&', &query[value..]).map_or(query.len(), |len| value + len);
        let from = memchr::memrchr(b'&', &query[..at]).map_or(0, |at| at + 1);
        // The value of `cfid` has at least one byte.
        let id = query.get(from..at.saturating_sub(1));
        let id = id.and_then(|id| memchr::memmem::rfind(id, b"cfid="));
        if let (Some(id), true) = (id, end > value) {
            let end = (end + 1).min(query.len());
            out.drain(start + from + id..start + end);
            return;
        }
        before = at;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    /// Very long sessions and escapes. Each is read a bounded number of times.
    #[test]
    fn long_urls_take_linear_time() {
        let long = 1 << 20;
        for (unit, end) in [
            ("%25", "41"),
            ("/(aaaaaaaaaaaaaaaaaaaaaaaa)", "/x"),
            ("/(a(aaaaaaaaaaaaaaaaaaaaaaaa)", "/x"),
            ("?cfid=&cftoken=", "&"),
            ("?cfid=", "&cftoken="),
            ("&cfid=1&cftoken=", ""),
            ("/..", "/.."),
            ("sid=", "?"),
        ] {
            let url = format!("http://a/{}{end}", unit.repeat(long / unit.len()));
            if let Ok(url) = validate(Profile::Current, url.as_bytes()) {
                assert!(url.surt().len() < 2 * long);
            }
        }
    }
}
