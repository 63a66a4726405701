//! The parts of a valid URL: typed parts that depend on the scheme, and a flat
//! list of named components.
//!
//! The text must be valid. This code only looks for delimiters.

use std::borrow::Cow;
use std::fmt;

use super::parts::{Host, Kind, Url};
use crate::digits::hex_byte;

/// The object of a news URL.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum News<'a> {
    /// A newsgroup. `*` means all groups. In `current` it may be any pattern,
    /// and it may be empty.
    Group(&'a str),
    /// A message identifier without its angle brackets.
    Article(&'a str),
}

/// The parts that depend on the scheme. Escapes are not decoded. An absent part
/// differs from an empty part.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Parts<'a> {
    /// http, https, ws, wss.
    Http {
        /// The path with its leading slash. May be empty.
        path: &'a str,
        /// The text after the `?`.
        query: Option<&'a str>,
    },
    /// ftp.
    Ftp {
        /// The path with its leading slash, without `;type=`. May be empty.
        path: &'a str,
        /// One of `A I D a i d`.
        typecode: Option<u8>,
    },
    /// file.
    File {
        /// The path with its leading slash. May be empty in url-06.
        path: &'a str,
    },
    /// gopher. An item without a type is a menu, type `1`.
    Gopher {
        /// One character or one escape.
        gtype: Option<&'a str>,
        /// Present if there is a type. May be empty.
        selector: Option<&'a str>,
        /// The text after `%09`. In url-00, url-03 and www-uri-00, the text
        /// after `?`.
        search: Option<&'a str>,
        /// The gopher+ string after the second `%09`.
        plus: Option<&'a str>,
    },
    /// mailto.
    Mailto {
        /// One address. In `current` there may be none or several: see
        /// [`Url::addresses`].
        to: &'a str,
        /// The text after the `?`. See [`Url::headers`].
        headers: Option<&'a str>,
    },
    /// news.
    News(News<'a>),
    /// nntp.
    Nntp {
        /// The newsgroup.
        group: &'a str,
        /// The number of an article in the newsgroup.
        number: Option<&'a str>,
    },
    /// telnet.
    Telnet {
        /// `/` or nothing.
        path: &'a str,
    },
    /// wais: a database, a search in it, or a document.
    Wais {
        /// The database.
        database: &'a str,
        /// The text after the `?`.
        search: Option<&'a str>,
        /// The type of a document.
        wtype: Option<&'a str>,
        /// The length of a document, in url-00 and url-03.
        length: Option<&'a str>,
        /// The identifier of a document.
        wpath: Option<&'a str>,
    },
    /// prospero.
    Prospero {
        /// The host-specific object name. A leading slash belongs to the name.
        object: &'a str,
        /// The text after the first `%23` in url-00, or after the first `%00`
        /// in url-03 and www-uri-00. May be empty in url-03 and www-uri-00.
        version: Option<&'a str>,
        /// The text after the version. It is the URN in url-00. Otherwise it
        /// has the attributes, with any further `%00`.
        attributes: Option<&'a str>,
        /// The text after the first `;`. See [`Url::fields`].
        fields: Option<&'a str>,
    },
    /// afs, in url-00. The cell is the host.
    Afs {
        /// The path with its leading slash.
        path: &'a str,
    },
    /// mid: a message, or a body part of it.
    Mid {
        /// The message identifier.
        id: &'a str,
        /// The content identifier of a body part, in `current`.
        content_id: Option<&'a str>,
    },
    /// cid: a body part.
    Cid {
        /// The content identifier.
        id: &'a str,
    },
    /// urn.
    Urn {
        /// The namespace.
        nid: &'a str,
        /// The name in the namespace.
        nss: &'a str,
        /// The text after the `?`. It begins with `+` before an r-component,
        /// and with `=` before a q-component.
        query: Option<&'a str>,
    },
    /// tel.
    Tel {
        /// The number, with the `+` of a global number.
        number: &'a str,
        /// The text after the first `;`.
        parameters: Option<&'a str>,
    },
    /// Any other scheme.
    Generic {
        /// The text after the host and port, or after the colon.
        path: &'a str,
        /// The text after the `?`. In url-06 and rfc1738 it is part of the
        /// path.
        query: Option<&'a str>,
    },
}

impl<'a> Url<'a> {
    /// The parts that depend on the scheme. Linear in the length of the path.
    #[must_use]
    pub fn parts(&self) -> Parts<'a> {
        let path = self.path();
        let query = self.query();
        let inside = path.strip_prefix('/').unwrap_or(path);
        match self.kind() {
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
            Kind::GopherQuery => gopher(inside, query),
            Kind::GopherTab => gopher_tab(inside),
            Kind::News => Parts::News(news(if self.has_host() { inside } else { path })),
            Kind::Nntp => {
                let (group, number) = split(inside, "/");
                Parts::Nntp { group, number }
            }
            Kind::Wais | Kind::WaisLength => wais(self.kind(), inside, query),
            Kind::ProsperoPath => prospero(inside),
            Kind::ProsperoVersion => prospero_version(inside),
            Kind::ProsperoFields => prospero_fields(inside),
            Kind::Mid => {
                let (id, content_id) = split(path, "/");
                Parts::Mid { id, content_id }
            }
            Kind::Cid => Parts::Cid { id: path },
            Kind::Urn => {
                let (nid, nss) = split(path, ":");
                Parts::Urn {
                    nid,
                    nss: nss.unwrap_or_default(),
                    query,
                }
            }
            Kind::Tel => {
                let (number, parameters) = split(path, ";");
                Parts::Tel { number, parameters }
            }
        }
    }

    /// The segments of [`Url::path`] between its slashes. A leading slash is
    /// removed first: `/a//b` has the segments `a`, an empty one, and `b`. For
    /// ftp, the last segment is the argument of RETR. Each segment before it is
    /// the argument of a CWD command.
    pub fn segments(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let path = match self.parts() {
            Parts::Ftp { path, .. } => path,
            _ => self.path(),
        };
        let inside = path.strip_prefix('/').unwrap_or(path);
        inside.split('/')
    }

    /// The addresses of a mailto URL. Empty for other schemes. Only `current`
    /// allows several addresses, with commas between them.
    pub fn addresses(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let several = self.profile().is_modern();
        let mut rest = match self.parts() {
            Parts::Mailto { to, .. } => Some(to).filter(|to| !to.is_empty()),
            _ => None,
        };
        std::iter::from_fn(move || {
            let text = rest?;
            let end = address_end(text.as_bytes())
                .filter(|_| several)
                .unwrap_or(text.len());
            let (address, after) = text.split_at(end);
            rest = after.get(1..);
            Some(address)
        })
    }

    /// The names and values of the headers of a mailto URL. Empty for other
    /// schemes.
    pub fn headers(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let headers = match self.parts() {
            Parts::Mailto { headers, .. } => headers,
            _ => None,
        };
        pairs(headers, '&')
    }

    /// The names and values of the fields of a prospero URL. Empty for other
    /// schemes.
    pub fn fields(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        let fields = match self.parts() {
            Parts::Prospero { fields, .. } => fields,
            _ => None,
        };
        pairs(fields, ';')
    }

    /// The parts that are present, with their names, in the order of the URL.
    /// [The module's documentation](super#components) lists the names.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let url = validate(Profile::Current, b"http://a.example:81/b#c").unwrap();
    /// let parts: Vec<_> = url.components().collect();
    /// assert_eq!(parts[1..], [
    ///     ("host", "a.example"),
    ///     ("port", "81"),
    ///     ("path", "/b"),
    ///     ("fragment", "c"),
    /// ]);
    /// ```
    pub fn components(&self) -> impl Iterator<Item = (&'static str, &'a str)> + use<'a> {
        let [a, b, c, d, e] = self.own_components();
        let all = [
            ("scheme", Some(self.scheme())),
            ("user", self.user()),
            ("password", self.password()),
            ("host", self.host().map(Host::as_str)),
            ("port", self.port()),
            a,
            b,
            c,
            d,
            e,
            ("fragment", self.fragment()),
        ];
        all.into_iter()
            .filter_map(|(name, part)| part.map(|part| (name, part)))
    }

    fn own_components(&self) -> [(&'static str, Option<&'a str>); 5] {
        let parts = self.parts();
        let mut all = parts.named();
        if let Parts::Ftp {
            typecode: Some(_), ..
        } = parts
        {
            // The typecode is the last byte of the path.
            let path = self.path();
            all[1].1 = path.get(path.len().saturating_sub(1)..);
        }
        all
    }
}

impl<'a> Parts<'a> {
    /// The parts that are slices, with their names.
    fn named(self) -> [(&'static str, Option<&'a str>); 5] {
        const NONE: (&str, Option<&str>) = ("", None);
        match self {
            Parts::Http { path, query } | Parts::Generic { path, query } => {
                [("path", Some(path)), ("query", query), NONE, NONE, NONE]
            }
            Parts::Ftp { path, .. } => [("path", Some(path)), ("typecode", None), NONE, NONE, NONE],
            Parts::File { path } | Parts::Telnet { path } | Parts::Afs { path } => {
                [("path", Some(path)), NONE, NONE, NONE, NONE]
            }
            Parts::Gopher {
                gtype,
                selector,
                search,
                plus,
            } => [
                ("gtype", gtype),
                ("selector", selector),
                ("search", search),
                ("gopher-plus", plus),
                NONE,
            ],
            Parts::Mailto { to, headers } => {
                [("to", Some(to)), ("headers", headers), NONE, NONE, NONE]
            }
            Parts::News(News::Group(group)) => [("group", Some(group)), NONE, NONE, NONE, NONE],
            Parts::News(News::Article(id)) => [("article", Some(id)), NONE, NONE, NONE, NONE],
            Parts::Nntp { group, number } => {
                [("group", Some(group)), ("number", number), NONE, NONE, NONE]
            }
            Parts::Wais {
                database,
                search,
                wtype,
                length,
                wpath,
            } => [
                ("database", Some(database)),
                ("wtype", wtype),
                ("length", length),
                ("wpath", wpath),
                ("search", search),
            ],
            Parts::Prospero {
                object,
                version,
                attributes,
                fields,
            } => [
                ("object", Some(object)),
                ("version", version),
                ("attributes", attributes),
                ("fields", fields),
                NONE,
            ],
            Parts::Mid { id, content_id } => [
                ("id", Some(id)),
                ("content-id", content_id),
                NONE,
                NONE,
                NONE,
            ],
            Parts::Cid { id } => [("id", Some(id)), NONE, NONE, NONE, NONE],
            Parts::Urn { nid, nss, query } => [
                ("nid", Some(nid)),
                ("nss", Some(nss)),
                ("query", query),
                NONE,
                NONE,
            ],
            Parts::Tel { number, parameters } => [
                ("number", Some(number)),
                ("parameters", parameters),
                NONE,
                NONE,
                NONE,
            ],
        }
    }
}

impl fmt::Debug for Parts<'_> {
    /// Writes the names and texts of the parts that are present.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for (name, part) in self.named() {
            if let Some(part) = part {
                map.entry(&name, &part);
            }
        }
        if let Parts::Ftp {
            typecode: Some(code),
            ..
        } = self
        {
            map.entry(&"typecode", &char::from(*code));
        }
        map.finish()
    }
}

impl fmt::Debug for News<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&Parts::News(*self), f)
    }
}

/// The text before the first `separator`, and the text after it.
fn split<'a>(text: &'a str, separator: &str) -> (&'a str, Option<&'a str>) {
    match text.split_once(separator) {
        Some((before, after)) => (before, Some(after)),
        None => (text, None),
    }
}

/// As [`split`], for a text that may be absent.
fn split_some<'a>(text: Option<&'a str>, separator: &str) -> (Option<&'a str>, Option<&'a str>) {
    match text.map(|text| split(text, separator)) {
        Some((before, after)) => (Some(before), after),
        None => (None, None),
    }
}

/// Splits `name=value` pairs, with `separator` between them.
fn pairs<'a>(
    text: Option<&'a str>,
    separator: char,
) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let each = text.map(|text| text.split(separator));
    each.into_iter().flatten().map(|pair| {
        let (name, value) = split(pair, "=");
        (name, value.unwrap_or_default())
    })
}

/// The end of the first address. It is the first comma that is neither in a
/// quoted-string nor in the brackets of a domain literal. An address may begin
/// with a quoted-string. Quotation marks and brackets are escaped. Any other
/// escape is one character, whatever it decodes to (docs/profiles.md, ruling
/// 5).
fn address_end(to: &[u8]) -> Option<usize> {
    const QUOTE: &[u8; 3] = b"%22";
    let has = |at: usize, escape: &[u8; 3]| {
        let next = to.get(at..at + 3);
        next.is_some_and(|next| next.eq_ignore_ascii_case(escape))
    };
    let mut close = None;
    let mut at = 0;
    while let Some(&byte) = to.get(at) {
        at += match close {
            None if byte == b',' => return Some(at),
            None if at == 0 && has(at, QUOTE) => {
                close = Some(QUOTE);
                3
            }
            None if byte == b'@' && has(at + 1, b"%5B") => {
                close = Some(b"%5D");
                4
            }
            Some(mark) if has(at, mark) => {
                close = None;
                3
            }
            // The character after a backslash has no special meaning. If it is
            // an escape, skipping the `%` is enough.
            Some(QUOTE) if has(at, b"%5C") => 4,
            _ => 1,
        };
    }
    None
}

fn ftp(path: &str) -> Parts<'_> {
    let code = path.as_bytes().last();
    match path.split_at_checked(path.len().saturating_sub(1)) {
        Some((rest, _)) if rest.ends_with(";type=") => Parts::Ftp {
            path: rest.strip_suffix(";type=").unwrap_or(rest),
            typecode: code.copied(),
        },
        _ => Parts::Ftp {
            path,
            typecode: None,
        },
    }
}

/// The type of a gopher item, and the text after it. The type is one character
/// or one escape.
fn gtype(path: &str) -> (Option<&str>, Option<&str>) {
    let len = match path.chars().next() {
        Some('%') => 3,
        Some(first) => first.len_utf8(),
        None => return (None, None),
    };
    match path.split_at_checked(len) {
        Some((gtype, rest)) => (Some(gtype), Some(rest)),
        None => (None, None),
    }
}

fn gopher<'a>(path: &'a str, search: Option<&'a str>) -> Parts<'a> {
    let (gtype, selector) = gtype(path);
    Parts::Gopher {
        gtype,
        selector,
        search,
        plus: None,
    }
}

/// "The first `%09` after gtype ends the selector, the next one the search"
/// (docs/profiles.md, "Schemes").
fn gopher_tab(path: &str) -> Parts<'_> {
    let (gtype, rest) = gtype(path);
    let (selector, rest) = split_some(rest, "%09");
    let (search, plus) = split_some(rest, "%09");
    Parts::Gopher {
        gtype,
        selector,
        search,
        plus,
    }
}

fn news(name: &str) -> News<'_> {
    if name.contains('@') {
        News::Article(name)
    } else {
        News::Group(name)
    }
}

fn wais<'a>(kind: Kind, path: &'a str, search: Option<&'a str>) -> Parts<'a> {
    let (database, document) = split(path, "/");
    let (wtype, rest) = split_some(document, "/");
    let (length, wpath) = match kind {
        Kind::WaisLength => split_some(rest, "/"),
        _ => (None, rest),
    };
    Parts::Wais {
        database,
        search,
        wtype,
        length,
        wpath,
    }
}

/// "Separated by the characters "%23"": the object name, "currently version and
/// URN" (url-00, Prospero).
fn prospero(path: &str) -> Parts<'_> {
    let (object, rest) = split(path, "%23");
    let (version, attributes) = split_some(rest, "%23");
    Parts::Prospero {
        object,
        version,
        attributes,
        fields: None,
    }
}

fn prospero_version(path: &str) -> Parts<'_> {
    let (object, rest) = split(path, "%00");
    let parts = rest.map(|rest| {
        let digits = rest.bytes().take_while(u8::is_ascii_digit);
        rest.split_at(digits.count())
    });
    Parts::Prospero {
        object,
        version: parts.map(|(version, _)| version),
        attributes: parts
            .map(|(_, attributes)| attributes)
            .filter(|attributes| !attributes.is_empty()),
        fields: None,
    }
}

fn prospero_fields(path: &str) -> Parts<'_> {
    let (object, fields) = split(path, ";");
    Parts::Prospero {
        object,
        version: None,
        attributes: None,
        fields,
    }
}

/// Decodes the escapes (percent-encoding) of a component. Other bytes are
/// copied. A decoded byte can look like a delimiter but is none: a decoded slash
/// does not separate segments.
///
/// ```
/// assert_eq!(urlgrep::url::decode("a%2Fb").collect::<Vec<u8>>(), b"a/b");
/// ```
///
/// [`decoded`] returns all bytes at once.
pub fn decode<T: AsRef<[u8]> + ?Sized>(component: &T) -> impl Iterator<Item = u8> + '_ {
    let mut rest = component.as_ref();
    std::iter::from_fn(move || {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        if let (b'%', [high, low, after @ ..]) = (byte, after)
            && let Some(decoded) = hex_byte(*high, *low)
        {
            rest = after;
            return Some(decoded);
        }
        Some(byte)
    })
}

/// As [`decode`], but returns all bytes at once. A component without escapes is
/// borrowed.
///
/// ```
/// assert_eq!(&*urlgrep::url::decoded("a%2Fb"), b"a/b");
/// ```
#[must_use]
pub fn decoded<T: AsRef<[u8]> + ?Sized>(component: &T) -> Cow<'_, [u8]> {
    let component = component.as_ref();
    match memchr::memchr(b'%', component) {
        Some(_) => Cow::Owned(decode(component).collect()),
        None => Cow::Borrowed(component),
    }
}

#[cfg(test)]
mod tests;
