//! The URL Standard of the WHATWG: what a browser would open.
//!
//! The crate `url` is the parser, because hosts need the tables of UTS #46. A
//! text is valid if the basic URL parser, without a base, does not return
//! failure. The canonical form is the serialised URL, `href`.
//!
//! The standard divides the URL only after it has changed the text, so a
//! [`Meta`] of a text that is not its own `href` has the parts as written. The
//! parts of the `href` are those of the URL record.

use ::url::{ParseError, Url};

use super::parts::{HostKind, Kind, Meta};
use super::profile::Profile;
use super::reject::{Refusal, Rule};

/// The maximum length of a URL. The standard has none. Browsers and mail
/// programs support at least 8,000 bytes (RFC 9110 4.1).
pub(super) const URL_MAX: usize = 8192;

pub(super) fn parse(text: &[u8]) -> Result<Url, Refusal> {
    let fault = |rule, at| Refusal { rule, at };
    if text.len() > URL_MAX {
        return Err(fault(Rule::TooLong, URL_MAX as u32));
    }
    let utf8 = std::str::from_utf8(text);
    let utf8 = utf8.map_err(|e| fault(Rule::Fragment, e.valid_up_to() as u32))?;
    Url::parse(utf8).map_err(|e| refusal(text, e))
}

/// The crate does not say where it stopped. The fault is where the part begins
/// that it refused.
fn refusal(text: &[u8], error: ParseError) -> Refusal {
    let meta = split(text);
    let (rule, at) = match error {
        ParseError::EmptyHost => (Rule::Host, meta.host_start),
        ParseError::InvalidPort => (Rule::Port, meta.host_end),
        ParseError::InvalidIpv4Address => (Rule::Hostnumber, meta.host_start),
        ParseError::InvalidIpv6Address => (Rule::Ipv6address, meta.host_start),
        ParseError::IdnaError | ParseError::InvalidDomainCharacter => {
            (Rule::Domain, meta.host_start)
        }
        _ => (Rule::Scheme, 0),
    };
    Refusal { rule, at }
}

/// As [`measure`](super::measure). The text is shorter than 4 GiB.
pub(super) fn read(text: &[u8]) -> Result<Meta, Refusal> {
    parse(text)?;
    Ok(split(text))
}

/// Divides an `href`, or roughly a text that is none: the end of the scheme, the
/// parts, and the end of the URL proper.
fn split(text: &[u8]) -> Meta {
    let find = |from: usize, to: usize, bytes: &[u8]| {
        let found = text[from..to].iter().position(|b| bytes.contains(b));
        found.map_or(to, |at| from + at)
    };
    let end = find(0, text.len(), b"#");
    let colon = find(0, end, b":");
    let scheme = text[..colon].to_ascii_lowercase();
    let is_web = matches!(&scheme[..], b"http" | b"https" | b"ws" | b"wss");
    let mut meta = Meta::empty(Profile::Whatwg, text.len() as u32);
    meta.scheme_end = colon as u32;
    if is_web {
        meta.kind = Kind::Http;
    }
    let mut path = (colon + 1).min(end);
    if text[path..end].starts_with(b"//") {
        let is_special = is_web || matches!(&scheme[..], b"ftp" | b"file");
        let stops: &[u8] = if is_special { b"/\\?" } else { b"/?" };
        let start = path + 2;
        path = find(start, end, stops);
        let mut host = start;
        if let Some(at) = memchr::memrchr(b'@', &text[start..path]) {
            host = start + at + 1;
            meta.user_end = find(start, host - 1, b":") as u32;
        }
        let bracket = find(host, path, b"]");
        let is_ipv6 = text[host..path].starts_with(b"[") && bracket < path;
        let host_end = find(if is_ipv6 { bracket } else { host }, path, b":");
        let is_number = |b: &u8| b.is_ascii_digit() || *b == b'.';
        let name = &text[host..host_end];
        meta.host = if is_ipv6 {
            HostKind::Ipv6
        } else if is_special && !name.is_empty() && name.iter().all(is_number) {
            HostKind::Ipv4
        } else {
            HostKind::Name
        };
        meta.host_start = host as u32;
        meta.host_end = host_end as u32;
    } else {
        // "If url's host is null … and url's path[0] is the empty string, then
        // append `/.`" (URL serializing): it is no part of the path.
        path += if text[path..end].starts_with(b"/.//") {
            2
        } else {
            0
        };
        meta.host_start = path as u32;
        meta.host_end = path as u32;
    }
    meta.path_start = path as u32;
    meta.path_end = find(path, end, b"?") as u32;
    meta.until(end as u32)
}

/// The serialised URL. A text that is none is returned as it is.
pub(super) fn href(text: &[u8]) -> Vec<u8> {
    parse(text).map_or_else(|_| text.to_vec(), |url| String::from(url).into())
}

/// The serialised URL of `partial` relative to `base`, which is valid.
pub(super) fn join(base: &[u8], partial: &[u8]) -> Result<String, Refusal> {
    let base = parse(base)?;
    match std::str::from_utf8(partial) {
        Ok(text) if text.len() <= URL_MAX => {
            let url = base.join(text).map_err(|e| refusal(partial, e))?;
            Ok(url.into())
        }
        _ => Err(Refusal {
            rule: Rule::PartialForm,
            at: 0,
        }),
    }
}

/// The letters of the labels of `host` that are in Punycode.
pub(super) fn letters(host: &str) -> String {
    ::url::quirks::domain_to_unicode(host)
}
