//! What a valid URL is made of.
//!
//! Validation keeps a few offsets ([`Meta`]); the typed parts are taken out of
//! the text when asked for, in code that may rely on the text being valid.
//!
//! # Names of components
//!
//! [`Url::components`] gives each part that is present, in the order of the
//! URL. Between two of them, before the first and after the last stand
//! delimiters only. The names:
//!
//! | schemes | components |
//! | --- | --- |
//! | all | `scheme` (as written); `fragment` (after `#`, may be empty) |
//! | with `//` | `user`, `password`, `host` (with the brackets of an IPv6 address), `port` (digits, in `current` perhaps none) |
//! | http, https, ws, wss and any scheme without a line here | `path` (from its `/`; after the colon if the URL names no host), `query` |
//! | ftp | `path` (without `;type=`), `typecode` |
//! | file, telnet, afs | `path` |
//! | gopher | `gtype`, `selector`, `search`, `gopher-plus` |
//! | mailto | `to` (one address, or several with commas), `headers` (after `?`) |
//! | news | `group` (or `*`) or `article` (with its `@`) |
//! | nntp | `group`, `number` |
//! | wais | `database`, then `search`, or `wtype`, `length` (url-00, url-03) and `wpath` |
//! | prospero | `object`, then `fields` (from the first name to the last value), or in url-03 and www-uri-00 `version` and `attributes` |
//! | mid | `id`, `content-id` |
//! | cid | `id` |
//! | urn | `nid`, `nss`, `query` (from `?`'s right neighbour: `+…`, `=…`) |
//! | tel | `number`, `parameters` (after the first `;`) |
//!
//! A path holds its leading slash in every profile, so that `path` means one
//! thing; RFC 1738 writes it before `hpath` and `fpath`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::class::hex_value;
use super::cursor::Cursor;
use super::profile::{Profile, SchemeKey};

/// No such place; offsets are smaller.
const NONE: u32 = u32::MAX;

/// How the text after the authority is to be taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Generic,
    Http,
    Ftp,
    File,
    /// url-00, url-03, www-uri-00: the search after `?`.
    GopherQuery,
    /// From -06 on: the search after `%09`.
    GopherTab,
    Mailto,
    News,
    Nntp,
    Telnet,
    /// `database / wtype / wpath`.
    Wais,
    /// url-00, url-03: `database / wtype / digits / path`.
    WaisLength,
    /// url-00: all path, no host.
    ProsperoPath,
    /// url-03, www-uri-00: version after `%00`.
    ProsperoVersion,
    /// From -06 on: `;name=value`.
    ProsperoFields,
    Afs,
    Mid,
    Cid,
    Urn,
    Tel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum HostKind {
    Absent,
    Name,
    Ipv4,
    Ipv6,
    IpvFuture,
}

/// What stands between `//` and the path, as a rule function found it.
#[derive(Clone, Copy)]
pub(super) struct Authority {
    /// Where the user name ends; `NONE` without one.
    pub(super) user_end: u32,
    pub(super) host_start: u32,
    pub(super) host_end: u32,
    pub(super) host: HostKind,
    /// The production that was read last and met the next byte.
    pub(super) last: super::Rule,
}

impl Authority {
    /// A host without user name from `host_start` to where `cursor` stands.
    #[inline]
    pub(super) fn host(
        cursor: &Cursor<'_>,
        host_start: u32,
        host: HostKind,
        last: super::Rule,
    ) -> Authority {
        Authority {
            user_end: NONE,
            host_start,
            host_end: cursor.mark(),
            host,
            last,
        }
    }

    /// The same with a user name that ends at `user_end`.
    #[inline]
    pub(super) fn with_user(self, user_end: u32) -> Authority {
        Authority { user_end, ..self }
    }
}

/// What a rule function found: the offsets of [`Meta`] save the two ends.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    kind: Kind,
    host: HostKind,
    user_end: u32,
    host_start: u32,
    host_end: u32,
    path_start: u32,
    path_end: u32,
}

impl Shape {
    /// A URL without authority whose path starts where `cursor` stands.
    #[inline]
    pub(super) fn opaque(kind: Kind, cursor: &Cursor<'_>) -> Shape {
        let here = cursor.mark();
        Shape {
            kind,
            host: HostKind::Absent,
            user_end: NONE,
            host_start: here,
            host_end: here,
            path_start: here,
            path_end: NONE,
        }
    }

    /// A URL with `authority`, whose path starts where `cursor` stands.
    #[inline]
    pub(super) fn with(kind: Kind, authority: &Authority, cursor: &Cursor<'_>) -> Shape {
        Shape {
            kind,
            host: authority.host,
            user_end: authority.user_end,
            host_start: authority.host_start,
            host_end: authority.host_end,
            path_start: cursor.mark(),
            path_end: NONE,
        }
    }

    /// The path ends where `cursor` stands, before a `?` or the end.
    #[inline]
    pub(super) fn path_to(mut self, cursor: &Cursor<'_>) -> Shape {
        self.path_end = cursor.mark();
        self
    }
}

/// The offsets of a valid [`Url`] without its text, for whoever keeps the text
/// elsewhere.
///
/// ```
/// use urlgrep::url::{Profile, validate};
///
/// let text = b"ftp://ds.internic.net/rfc".to_vec();
/// let meta = validate(Profile::Rfc1738, &text).unwrap().meta();
/// assert_eq!(meta.with(&text).path(), b"/rfc");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Meta {
    // scheme ":" [ "//" [ user [ ":" password ] "@" ] host [ ":" port ] ] path [ "?" query ] [ "#" fragment ]
    scheme_end: u32,
    /// `NONE` without a user. Before it the user, which starts three bytes
    /// after `scheme_end`; from it to `host_start` the password, if any, and
    /// its two delimiters.
    user_end: u32,
    /// Equal to `path_start` without a host, as is `host_end`.
    host_start: u32,
    host_end: u32,
    path_start: u32,
    path_end: u32,
    query_end: u32,
    len: u32,
    kind: Kind,
    host: HostKind,
    profile: Profile,
}

impl Meta {
    /// `end` is where the URL ends and the fragment, if any, begins.
    #[inline]
    pub(super) fn new(
        profile: Profile,
        scheme_end: u32,
        shape: &Shape,
        end: u32,
        len: u32,
    ) -> Meta {
        Meta {
            scheme_end,
            user_end: shape.user_end,
            host_start: shape.host_start,
            host_end: shape.host_end,
            path_start: shape.path_start,
            path_end: shape.path_end.min(end),
            query_end: end,
            len,
            kind: shape.kind,
            host: shape.host,
            profile,
        }
    }

    /// The URL again. `text` must be the text it was validated in; the parts
    /// of any other text are arbitrary (never a panic).
    #[inline]
    #[must_use]
    pub fn with(self, text: &[u8]) -> Url<'_> {
        Url { text, meta: self }
    }
}

/// A valid URL: its text, and where its parts are.
///
/// Equal if the texts and the profiles are; for equality of what they name see
/// [`Url::canonical`]. Absent and empty parts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Url<'a> {
    text: &'a [u8],
    meta: Meta,
}

/// The host of a URL, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Host<'a> {
    /// A name; empty in `file:///x`. May hold escapes outside `current`'s
    /// named schemes.
    Name(&'a [u8]),
    /// Four groups of digits. In the early profiles any digits.
    Ipv4(&'a [u8]),
    /// With its brackets.
    Ipv6(&'a [u8]),
    /// With its brackets.
    IpvFuture(&'a [u8]),
}

impl<'a> Host<'a> {
    /// The host as it stands in the URL, brackets included.
    #[must_use]
    pub const fn as_bytes(self) -> &'a [u8] {
        match self {
            Host::Name(text) | Host::Ipv4(text) | Host::Ipv6(text) | Host::IpvFuture(text) => text,
        }
    }

    /// The address, if the host is one and its numbers have values
    /// (`999.1.1.1`, which the early profiles pass, has none).
    #[must_use]
    pub fn to_ip(self) -> Option<IpAddr> {
        let text = std::str::from_utf8(self.as_bytes()).ok()?;
        match self {
            Host::Ipv4(_) => text.parse::<Ipv4Addr>().ok().map(IpAddr::V4),
            Host::Ipv6(_) => {
                let inside = text.strip_prefix('[')?.strip_suffix(']')?;
                inside.parse::<Ipv6Addr>().ok().map(IpAddr::V6)
            }
            Host::Name(_) | Host::IpvFuture(_) => None,
        }
    }
}

/// What a news URL names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum News<'a> {
    /// A newsgroup; `*` is all of them, and in `current` any pattern, or none.
    Group(&'a [u8]),
    /// A message identifier without its angle brackets.
    Article(&'a [u8]),
}

/// The parts that depend on the scheme; see the table of
/// [components](self#names-of-components) for what each holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Parts<'a> {
    /// http, https, ws, wss.
    #[allow(missing_docs)]
    Http {
        path: &'a [u8],
        query: Option<&'a [u8]>,
    },
    /// ftp. The code is one of `A I D a i d`.
    #[allow(missing_docs)]
    Ftp {
        path: &'a [u8],
        typecode: Option<u8>,
    },
    /// file.
    #[allow(missing_docs)]
    File { path: &'a [u8] },
    /// gopher. Without a type the item is a menu, type `1`.
    #[allow(missing_docs)]
    Gopher {
        gtype: Option<&'a [u8]>,
        selector: Option<&'a [u8]>,
        search: Option<&'a [u8]>,
        plus: Option<&'a [u8]>,
    },
    /// mailto.
    #[allow(missing_docs)]
    Mailto {
        to: &'a [u8],
        headers: Option<&'a [u8]>,
    },
    /// news.
    News(News<'a>),
    /// nntp.
    #[allow(missing_docs)]
    Nntp {
        group: &'a [u8],
        number: Option<&'a [u8]>,
    },
    /// telnet; the path is `/` or empty.
    #[allow(missing_docs)]
    Telnet { path: &'a [u8] },
    /// wais: a database, a search in it, or a document.
    #[allow(missing_docs)]
    Wais {
        database: &'a [u8],
        search: Option<&'a [u8]>,
        wtype: Option<&'a [u8]>,
        length: Option<&'a [u8]>,
        wpath: Option<&'a [u8]>,
    },
    /// prospero.
    #[allow(missing_docs)]
    Prospero {
        object: &'a [u8],
        version: Option<&'a [u8]>,
        attributes: Option<&'a [u8]>,
        fields: Option<&'a [u8]>,
    },
    /// afs, in url-00; its cell is the host.
    #[allow(missing_docs)]
    Afs { path: &'a [u8] },
    /// mid: a message, or a body part of it.
    #[allow(missing_docs)]
    Mid {
        id: &'a [u8],
        content_id: Option<&'a [u8]>,
    },
    /// cid: a body part.
    #[allow(missing_docs)]
    Cid { id: &'a [u8] },
    /// urn.
    #[allow(missing_docs)]
    Urn {
        nid: &'a [u8],
        nss: &'a [u8],
        query: Option<&'a [u8]>,
    },
    /// tel.
    #[allow(missing_docs)]
    Tel {
        number: &'a [u8],
        parameters: Option<&'a [u8]>,
    },
    /// Any other scheme.
    #[allow(missing_docs)]
    Generic {
        path: &'a [u8],
        query: Option<&'a [u8]>,
    },
}

impl<'a> Url<'a> {
    #[inline]
    pub(super) fn new(text: &'a [u8], meta: Meta) -> Url<'a> {
        Url { text, meta }
    }

    /// The bytes from `start` to `end`; none if the text is not the one that
    /// was validated.
    #[inline]
    pub(super) fn cut(&self, start: u32, end: u32) -> &'a [u8] {
        self.text
            .get(start as usize..end as usize)
            .unwrap_or_default()
    }

    /// The whole text, fragment included.
    #[inline]
    #[must_use]
    pub const fn as_bytes(&self) -> &'a [u8] {
        self.text
    }

    /// The offsets alone.
    #[inline]
    #[must_use]
    pub const fn meta(&self) -> Meta {
        self.meta
    }

    /// The profile by which it is valid.
    #[inline]
    #[must_use]
    pub const fn profile(&self) -> Profile {
        self.meta.profile
    }

    /// The scheme as written, without its colon. Compare it without case.
    #[must_use]
    pub fn scheme(&self) -> &'a [u8] {
        self.cut(0, self.meta.scheme_end)
    }

    /// The user name, escapes and all.
    #[must_use]
    pub fn user(&self) -> Option<&'a [u8]> {
        let Meta {
            scheme_end,
            user_end,
            ..
        } = self.meta;
        // The user follows `://`.
        (user_end != NONE).then(|| self.cut(scheme_end.saturating_add(3), user_end))
    }

    /// The password, escapes and all.
    #[must_use]
    pub fn password(&self) -> Option<&'a [u8]> {
        let Meta {
            user_end,
            host_start,
            ..
        } = self.meta;
        if user_end == NONE || user_end.saturating_add(1) >= host_start {
            return None;
        }
        Some(self.cut(user_end + 1, host_start - 1))
    }

    /// The host; `None` where the URL has no place for one.
    #[must_use]
    pub fn host(&self) -> Option<Host<'a>> {
        let text = self.cut(self.meta.host_start, self.meta.host_end);
        match self.meta.host {
            HostKind::Absent => None,
            HostKind::Name => Some(Host::Name(text)),
            HostKind::Ipv4 => Some(Host::Ipv4(text)),
            HostKind::Ipv6 => Some(Host::Ipv6(text)),
            HostKind::IpvFuture => Some(Host::IpvFuture(text)),
        }
    }

    /// The digits of the port as written; in `current` there may be none after
    /// the colon.
    #[must_use]
    pub fn port(&self) -> Option<&'a [u8]> {
        let Meta {
            host_end,
            path_start,
            ..
        } = self.meta;
        (host_end < path_start).then(|| self.cut(host_end + 1, path_start))
    }

    /// The value of [`Url::port`]; `None` if there is none, or if it is over
    /// 65,535, which only the early profiles and unnamed schemes allow.
    #[must_use]
    pub fn port_number(&self) -> Option<u16> {
        let digits = self.port().filter(|digits| !digits.is_empty())?;
        digits.iter().try_fold(0u16, |value, &digit| {
            let digit = digit.checked_sub(b'0')?;
            value.checked_mul(10)?.checked_add(u16::from(digit))
        })
    }

    /// The port that the scheme stands for (RFC 1738 section 3; in `current`
    /// also that of news, ws, wss and https), or `None`.
    #[must_use]
    pub fn default_port(&self) -> Option<u16> {
        let key = SchemeKey::of(self.scheme());
        let find = |ports: &[(SchemeKey, u16)]| {
            let row = ports.iter().find(|row| row.0 == key);
            row.map(|row| row.1)
        };
        find(&PORTS_1738).or_else(|| match self.meta.profile {
            Profile::Current => find(&PORTS_CURRENT),
            _ => None,
        })
    }

    /// What stands between the authority (or the scheme's colon) and the `?`
    /// that starts a query, `#`, or the end. For the schemes that give it
    /// parts, see [`Url::parts`].
    #[must_use]
    pub fn path(&self) -> &'a [u8] {
        self.cut(self.meta.path_start, self.meta.path_end)
    }

    /// What follows the `?` that ends the path, where the scheme has one: the
    /// search of url-00 to RFC 1738, the headers of a mailto.
    #[must_use]
    pub fn query(&self) -> Option<&'a [u8]> {
        let Meta {
            path_end,
            query_end,
            ..
        } = self.meta;
        (path_end < query_end).then(|| self.cut(path_end + 1, query_end))
    }

    /// What follows the first `#`; not part of the URL proper.
    #[must_use]
    pub fn fragment(&self) -> Option<&'a [u8]> {
        let Meta { query_end, len, .. } = self.meta;
        (query_end < len).then(|| self.cut(query_end + 1, len))
    }

    pub(super) const fn kind(&self) -> Kind {
        self.meta.kind
    }

    /// Where the host starts (or the path, if there is none), where it ends,
    /// and where the path starts.
    pub(super) const fn host_and_path(&self) -> (u32, u32, u32) {
        let meta = &self.meta;
        (meta.host_start, meta.host_end, meta.path_start)
    }

    /// The parts that depend on the scheme. Linear in the length of the path.
    #[must_use]
    pub fn parts(&self) -> Parts<'a> {
        let path = self.path();
        let query = self.query();
        let inside = path.strip_prefix(b"/").unwrap_or(path);
        match self.meta.kind {
            Kind::Generic => Parts::Generic { path, query },
            Kind::Http => Parts::Http { path, query },
            Kind::Ftp => ftp(path),
            Kind::File => Parts::File { path },
            Kind::Telnet => Parts::Telnet { path },
            Kind::Afs => Parts::Afs { path },
            Kind::Mailto => Parts::Mailto {
                to: path,
                headers: query,
            },
            Kind::GopherQuery => {
                let (gtype, selector) = gtype(inside);
                Parts::Gopher {
                    gtype,
                    selector,
                    search: query,
                    plus: None,
                }
            }
            Kind::GopherTab => {
                let (gtype, rest) = gtype(inside);
                let (selector, rest) = split_each(rest, b"%09");
                let (search, plus) = split_each(rest, b"%09");
                Parts::Gopher {
                    gtype,
                    selector,
                    search,
                    plus,
                }
            }
            // A group cannot hold the slash that follows a server.
            Kind::News if path.contains(&b'@') => {
                Parts::News(News::Article(match self.meta.host {
                    HostKind::Absent => path,
                    _ => inside,
                }))
            }
            Kind::News => Parts::News(News::Group(inside)),
            Kind::Nntp => {
                let (group, number) = split(inside, b"/");
                Parts::Nntp { group, number }
            }
            Kind::Wais => {
                let (database, document) = split(inside, b"/");
                let (wtype, wpath) = split_each(document, b"/");
                Parts::Wais {
                    database,
                    search: query,
                    wtype,
                    length: None,
                    wpath,
                }
            }
            Kind::WaisLength => {
                let (database, document) = split(inside, b"/");
                let (wtype, rest) = split_each(document, b"/");
                let (length, wpath) = split_each(rest, b"/");
                Parts::Wais {
                    database,
                    search: query,
                    wtype,
                    length,
                    wpath,
                }
            }
            Kind::ProsperoPath => prospero(path, None, None, None),
            Kind::ProsperoVersion => {
                let (object, rest) = split(inside, b"%00");
                let digits = rest.map(|rest| {
                    let end = rest.iter().position(|byte| !byte.is_ascii_digit());
                    end.unwrap_or(rest.len())
                });
                let (version, attributes) = match (rest, digits) {
                    (Some(rest), Some(digits)) => {
                        let (version, rest) = rest.split_at(digits);
                        (Some(version), Some(rest).filter(|rest| !rest.is_empty()))
                    }
                    _ => (None, None),
                };
                prospero(object, version, attributes, None)
            }
            Kind::ProsperoFields => {
                let (object, fields) = split(inside, b";");
                prospero(object, None, None, fields)
            }
            Kind::Mid => {
                let (id, content_id) = split(path, b"/");
                Parts::Mid { id, content_id }
            }
            Kind::Cid => Parts::Cid { id: path },
            Kind::Urn => {
                let (nid, nss) = split(path, b":");
                Parts::Urn {
                    nid,
                    nss: nss.unwrap_or_default(),
                    query,
                }
            }
            Kind::Tel => {
                let (number, parameters) = split(path, b";");
                Parts::Tel { number, parameters }
            }
        }
    }

    /// Every part that is present, with its [name](self#names-of-components),
    /// in the order of the URL.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let url = validate(Profile::Current, b"http://a.example:81/b#c").unwrap();
    /// let parts: Vec<_> = url.components().collect();
    /// assert_eq!(parts[1..], [
    ///     ("host", &b"a.example"[..]),
    ///     ("port", b"81"),
    ///     ("path", b"/b"),
    ///     ("fragment", b"c"),
    /// ]);
    /// ```
    pub fn components(&self) -> impl Iterator<Item = (&'static str, &'a [u8])> + use<'a> {
        let named = |name: &'static str, part: Option<&'a [u8]>| part.map(|part| (name, part));
        let mut list = [None; 11];
        list[0] = named("scheme", Some(self.scheme()));
        list[1] = named("user", self.user());
        list[2] = named("password", self.password());
        list[3] = named("host", self.host().map(Host::as_bytes));
        list[4] = named("port", self.port());
        let own = match self.parts() {
            Parts::Http { path, query } | Parts::Generic { path, query } => [
                named("path", Some(path)),
                named("query", query),
                None,
                None,
                None,
            ],
            Parts::Ftp { path, typecode } => {
                // The code is the last byte of the URL proper.
                let end = self.meta.path_end;
                let code = typecode.map(|_| self.cut(end.saturating_sub(1), end));
                [
                    named("path", Some(path)),
                    named("typecode", code),
                    None,
                    None,
                    None,
                ]
            }
            Parts::File { path } | Parts::Telnet { path } | Parts::Afs { path } => {
                [named("path", Some(path)), None, None, None, None]
            }
            Parts::Gopher {
                gtype,
                selector,
                search,
                plus,
            } => [
                named("gtype", gtype),
                named("selector", selector),
                named("search", search),
                named("gopher-plus", plus),
                None,
            ],
            Parts::Mailto { to, headers } => [
                named("to", Some(to)),
                named("headers", headers),
                None,
                None,
                None,
            ],
            Parts::News(News::Group(group)) => {
                [named("group", Some(group)), None, None, None, None]
            }
            Parts::News(News::Article(article)) => {
                [named("article", Some(article)), None, None, None, None]
            }
            Parts::Nntp { group, number } => [
                named("group", Some(group)),
                named("number", number),
                None,
                None,
                None,
            ],
            Parts::Wais {
                database,
                search,
                wtype,
                length,
                wpath,
            } => [
                named("database", Some(database)),
                named("wtype", wtype),
                named("length", length),
                named("wpath", wpath),
                named("search", search),
            ],
            Parts::Prospero {
                object,
                version,
                attributes,
                fields,
            } => [
                named("object", Some(object)),
                named("version", version),
                named("attributes", attributes),
                named("fields", fields),
                None,
            ],
            Parts::Mid { id, content_id } => [
                named("id", Some(id)),
                named("content-id", content_id),
                None,
                None,
                None,
            ],
            Parts::Cid { id } => [named("id", Some(id)), None, None, None, None],
            Parts::Urn { nid, nss, query } => [
                named("nid", Some(nid)),
                named("nss", Some(nss)),
                named("query", query),
                None,
                None,
            ],
            Parts::Tel { number, parameters } => [
                named("number", Some(number)),
                named("parameters", parameters),
                None,
                None,
                None,
            ],
        };
        list[5..10].copy_from_slice(&own);
        list[10] = named("fragment", self.fragment());
        list.into_iter().flatten()
    }
}

const PORTS_1738: [(SchemeKey, u16); 7] = [
    (SchemeKey::of(b"ftp"), 21),
    (SchemeKey::of(b"telnet"), 23),
    (SchemeKey::of(b"gopher"), 70),
    (SchemeKey::of(b"http"), 80),
    (SchemeKey::of(b"nntp"), 119),
    (SchemeKey::of(b"wais"), 210),
    (SchemeKey::of(b"prospero"), 1525),
];

const PORTS_CURRENT: [(SchemeKey, u16); 4] = [
    (SchemeKey::of(b"news"), 119),
    (SchemeKey::of(b"ws"), 80),
    (SchemeKey::of(b"https"), 443),
    (SchemeKey::of(b"wss"), 443),
];

/// What stands before the first `separator`, and what after it.
fn split<'a>(text: &'a [u8], separator: &[u8]) -> (&'a [u8], Option<&'a [u8]>) {
    let at = text
        .windows(separator.len())
        .position(|window| window == separator);
    match at {
        Some(at) => (
            text.get(..at).unwrap_or_default(),
            text.get(at + separator.len()..),
        ),
        None => (text, None),
    }
}

fn split_each<'a>(
    text: Option<&'a [u8]>,
    separator: &[u8],
) -> (Option<&'a [u8]>, Option<&'a [u8]>) {
    match text {
        Some(text) => {
            let (before, after) = split(text, separator);
            (Some(before), after)
        }
        None => (None, None),
    }
}

fn ftp(path: &[u8]) -> Parts<'_> {
    const TYPE: &[u8] = b";type=";
    match path.split_last() {
        Some((&code, rest)) => match rest.strip_suffix(TYPE) {
            Some(path) => Parts::Ftp {
                path,
                typecode: Some(code),
            },
            None => Parts::Ftp {
                path,
                typecode: None,
            },
        },
        None => Parts::Ftp {
            path,
            typecode: None,
        },
    }
}

/// The type, one character or one escape, and what follows it.
fn gtype(path: &[u8]) -> (Option<&[u8]>, Option<&[u8]>) {
    let len = if path.first() == Some(&b'%') { 3 } else { 1 };
    match path.split_at_checked(len) {
        Some((gtype, rest)) => (Some(gtype), Some(rest)),
        None => (None, None),
    }
}

fn prospero<'a>(
    object: &'a [u8],
    version: Option<&'a [u8]>,
    attributes: Option<&'a [u8]>,
    fields: Option<&'a [u8]>,
) -> Parts<'a> {
    Parts::Prospero {
        object,
        version,
        attributes,
        fields,
    }
}

/// Decodes the escapes of a component; everything else stays as it is. What
/// the bytes then mean (a slash that is no separator, say) is the caller's to
/// keep in mind.
///
/// ```
/// assert_eq!(urlgrep::url::decode(b"a%2Fb").collect::<Vec<u8>>(), b"a/b");
/// ```
pub fn decode(component: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut rest = component;
    std::iter::from_fn(move || {
        let (&byte, after) = rest.split_first()?;
        if let (b'%', [high, low, after @ ..]) = (byte, after) {
            if let (Some(high), Some(low)) = (hex_value(*high), hex_value(*low)) {
                rest = after;
                return Some(high << 4 | low);
            }
        }
        rest = after;
        Some(byte)
    })
}
