//! A valid URL: its text and a few offsets.
//!
//! The parts that depend on the scheme are not stored. [`Url::components`] finds
//! them in the text on request.

use std::fmt;

use super::profile::Profile;
use urlgrep_base::names::key;

/// The offset of an absent part. Valid offsets are smaller.
const NONE: u32 = u32::MAX;

/// The division of the text after the authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    Generic,
    Http,
    Ftp,
    File,
    /// url-00, url-03, www-uri-00: the search is after `?`.
    GopherQuery,
    /// From url-06 on: the search is after `%09`.
    GopherTab,
    Mailto,
    News,
    Nntp,
    Telnet,
    /// `database / wtype / wpath`.
    Wais,
    /// url-00, url-03: `database / wtype / digits / path`.
    WaisLength,
    /// url-00: the version is after `%23`.
    ProsperoPath,
    /// url-03, www-uri-00: the version is after `%00`.
    ProsperoVersion,
    /// From url-06 on: fields are `;name=value`.
    ProsperoFields,
    Afs,
    Mid,
    Cid,
    Urn,
    Tel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum HostKind {
    Absent,
    Name,
    Ipv4,
    Ipv6,
    IpvFuture,
}

/// The offsets of a valid [`Url`] without its text. A caller that stores the
/// text elsewhere can keep them.
///
/// ```
/// use urlgrep::url::{Profile, validate};
///
/// let text = b"ftp://ds.internic.net/rfc".to_vec();
/// let meta = validate(Profile::Rfc1738, &text).unwrap().meta();
/// assert_eq!(meta.with(&text).path(), "/rfc");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Meta {
    // scheme ":" [ "//" [ user [ ":" password ] "@" ] host [ ":" port ] ] path [ "?" query ] [ "#" fragment ]
    pub(super) scheme_end: u32,
    /// `NONE` without a user. The user name starts three bytes after
    /// `scheme_end` and ends here. Between here and `host_start` are the
    /// delimiters and the password, if any.
    pub(super) user_end: u32,
    /// Equal to `path_start` if there is no host. Then `host_end` is the same
    /// too.
    pub(super) host_start: u32,
    pub(super) host_end: u32,
    pub(super) path_start: u32,
    /// `NONE` during a check, if the path continues to the end.
    pub(super) path_end: u32,
    pub(super) query_end: u32,
    pub(super) len: u32,
    pub(super) kind: Kind,
    pub(super) host: HostKind,
    profile: Profile,
}

impl Meta {
    /// The offsets before a check.
    ///
    /// The cursor holds them, and the rules fill them in place. Returning them by value
    /// from each rule took a third of the time of a verdict.
    #[inline]
    pub(super) const fn empty(profile: Profile, len: u32) -> Meta {
        Meta {
            scheme_end: 0,
            user_end: NONE,
            host_start: 0,
            host_end: 0,
            path_start: 0,
            path_end: NONE,
            query_end: len,
            len,
            kind: Kind::Generic,
            host: HostKind::Absent,
            profile,
        }
    }

    /// The offsets after a check. `end` is the end of the URL proper. The fragment, if
    /// any, begins there.
    #[inline]
    pub(super) fn until(mut self, end: u32) -> Meta {
        self.query_end = end;
        self.path_end = self.path_end.min(end);
        self
    }

    /// The URL for these offsets. `text` must be the text that was validated.
    /// With any other text the parts are arbitrary, but nothing panics. Constant
    /// time.
    #[inline]
    #[must_use]
    pub const fn with(self, text: &[u8]) -> Url<'_> {
        Url { text, meta: self }
    }
}

/// A valid URL: its text and the offsets of its parts.
///
/// Two URLs are equal if their texts and their profiles are equal. They are ordered
/// by text, then by profile. URLs with the same [`Url::canonical`] form are the
/// same by their document. An absent part differs from an empty part. [`Meta`] can
/// be stored beside a text that is owned.
///
/// A valid URL is UTF-8, so its text and its parts are `&str`. Outside of
/// `iri` they are ASCII. A method that returns a `&str` is linear in this part,
/// because it checks the part for UTF-8. [`Url::as_bytes`] checks nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Url<'a> {
    text: &'a [u8],
    meta: Meta,
}

/// `text` as a string. The text and the parts of a valid URL are UTF-8. Empty
/// for any other text.
const fn utf8(text: &[u8]) -> &str {
    match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(_) => "",
    }
}

/// The host of a URL, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Host<'a> {
    /// A name. It is empty in `file:///x`. It may contain escapes, except in
    /// the profile `rfc1738`.
    Name(&'a str),
    /// Four groups of digits. In the early profiles the numbers may have any
    /// value.
    Ipv4(&'a str),
    /// An IPv6 address with its brackets.
    Ipv6(&'a str),
    /// An address of a future version, with its brackets.
    IpvFuture(&'a str),
}

impl<'a> Host<'a> {
    /// The host as written. An IPv6 address has its brackets.
    #[must_use]
    pub const fn as_str(self) -> &'a str {
        match self {
            Host::Name(text) | Host::Ipv4(text) | Host::Ipv6(text) | Host::IpvFuture(text) => text,
        }
    }
}

impl fmt::Display for Host<'_> {
    /// Writes the host as written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl<'a> Url<'a> {
    /// The bytes from `start` to `end`. Empty if the text does not have all of
    /// them. Then it is not the text that was validated.
    #[inline]
    pub(super) fn cut(&self, start: u32, end: u32) -> &'a [u8] {
        self.text
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    /// As [`Url::cut`], as a string.
    fn part(&self, start: u32, end: u32) -> &'a str {
        utf8(self.cut(start, end))
    }

    /// The whole text, including the fragment.
    #[inline]
    #[must_use]
    pub const fn as_str(&self) -> &'a str {
        utf8(self.text)
    }

    /// [`Url::as_str`] as bytes. Constant time.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.text
    }

    /// The offsets without the text.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub const fn meta(&self) -> Meta {
        self.meta
    }

    /// The profile of the URL.
    #[inline]
    #[doc(hidden)]
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.meta.profile
    }

    /// The scheme as written, without its colon. Compare it without regard to
    /// case.
    #[must_use]
    pub fn scheme(&self) -> &'a str {
        self.part(0, self.meta.scheme_end)
    }

    /// [`Url::scheme`] as bytes. Constant time.
    #[doc(hidden)]
    pub fn scheme_bytes(&self) -> &'a [u8] {
        self.cut(0, self.meta.scheme_end)
    }

    /// [`Url::host`] as bytes. Constant time.
    #[doc(hidden)]
    pub fn host_bytes(&self) -> Option<&'a [u8]> {
        self.has_host()
            .then(|| self.cut(self.meta.host_start, self.meta.host_end))
    }

    /// The user name. Escapes are not decoded.
    #[must_use]
    pub fn user(&self) -> Option<&'a str> {
        let user_end = self.meta.user_end;
        // The user follows `://`.
        (user_end != NONE).then(|| self.part(self.meta.scheme_end.saturating_add(3), user_end))
    }

    /// The password. Escapes are not decoded.
    #[must_use]
    pub fn password(&self) -> Option<&'a str> {
        let (user_end, host_start) = (self.meta.user_end, self.meta.host_start);
        if user_end == NONE || user_end.saturating_add(1) >= host_start {
            return None;
        }
        Some(self.part(user_end + 1, host_start - 1))
    }

    /// The host. `None` if the URL has none.
    #[must_use]
    pub fn host(&self) -> Option<Host<'a>> {
        let text = self.part(self.meta.host_start, self.meta.host_end);
        match self.meta.host {
            HostKind::Absent => None,
            HostKind::Name => Some(Host::Name(text)),
            HostKind::Ipv4 => Some(Host::Ipv4(text)),
            HostKind::Ipv6 => Some(Host::Ipv6(text)),
            HostKind::IpvFuture => Some(Host::IpvFuture(text)),
        }
    }

    /// The digits of the port as written. In `current` and `iri` they may be
    /// empty.
    #[must_use]
    pub fn port(&self) -> Option<&'a str> {
        let (host_end, path_start) = (self.meta.host_end, self.meta.path_start);
        (host_end < path_start).then(|| self.part(host_end + 1, path_start))
    }

    /// The number of [`Url::port`]. `None` if there is no port or if it is
    /// empty. Also `None` if it is above 65,535, which only the early profiles
    /// and unnamed schemes allow. So `None` does not mean that the default
    /// applies.
    #[must_use]
    pub fn port_number(&self) -> Option<u16> {
        let digits = self.port().filter(|digits| !digits.is_empty())?;
        digits.bytes().try_fold(0u16, |value, digit| {
            let digit = digit.checked_sub(b'0')?;
            value.checked_mul(10)?.checked_add(u16::from(digit))
        })
    }

    /// The default port of the scheme, or `None`. RFC 1738 section 3 defines
    /// it. `current` and `iri` also have one for news, ws, wss and https.
    #[doc(hidden)]
    #[must_use]
    pub fn default_port(&self) -> Option<u16> {
        let key = key(self.cut(0, self.meta.scheme_end));
        let find = |ports: &[(u64, u16)]| {
            let row = ports.iter().find(|row| row.0 == key);
            row.map(|row| row.1)
        };
        let modern = self.meta.profile.is_modern();
        find(&PORTS_1738).or_else(|| modern.then(|| find(&PORTS_CURRENT))?)
    }

    /// The text after the authority, or after the scheme's colon if there is no
    /// authority. It ends at a `?` that starts a query, at a `#`, or at the
    /// end. [`Url::components`] divides it further for some schemes.
    #[must_use]
    pub fn path(&self) -> &'a str {
        self.part(self.meta.path_start, self.meta.path_end)
    }

    /// The text after the `?` that ends the path, if the scheme has a query. In
    /// url-00 to RFC 1738 it is the search, and in a mailto URL the headers.
    #[must_use]
    pub fn query(&self) -> Option<&'a str> {
        let (path_end, query_end) = (self.meta.path_end, self.meta.query_end);
        (path_end < query_end).then(|| self.part(path_end + 1, query_end))
    }

    /// The text after the first `#`. It does not belong to the URL proper.
    #[must_use]
    pub fn fragment(&self) -> Option<&'a str> {
        let Meta { query_end, len, .. } = self.meta;
        (query_end < len).then(|| self.part(query_end + 1, len))
    }

    pub(super) const fn kind(&self) -> Kind {
        self.meta.kind
    }

    pub(super) const fn has_host(&self) -> bool {
        !matches!(self.meta.host, HostKind::Absent)
    }
}

impl fmt::Debug for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({:?}, {})", self.as_str(), self.profile())
    }
}

impl fmt::Display for Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl AsRef<str> for Url<'_> {
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<[u8]> for Url<'_> {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

const PORTS_1738: [(u64, u16); 7] = [
    (key(b"ftp"), 21),
    (key(b"telnet"), 23),
    (key(b"gopher"), 70),
    (key(b"http"), 80),
    (key(b"nntp"), 119),
    (key(b"wais"), 210),
    (key(b"prospero"), 1525),
];

const PORTS_CURRENT: [(u64, u16); 4] = [
    (key(b"news"), 119),
    (key(b"ws"), 80),
    (key(b"https"), 443),
    (key(b"wss"), 443),
];
