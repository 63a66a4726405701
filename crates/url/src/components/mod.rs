//! The components of a valid URL: a flat list of names and texts, divided by a
//! table.
//!
//! The text must be valid. This code only looks for delimiters.

use std::borrow::Cow;

use super::parts::{Host, Kind, Url};
use urlgrep_base::digits::hex_byte;

/// Where a component ends. The rest of the path is the next component.
#[derive(Clone, Copy)]
enum Until {
    /// Before this delimiter, or with the path.
    At(&'static str),
    /// With the path.
    Path,
    /// After one character or one escape. If there is none, no component
    /// follows.
    Character,
    /// After its digits, of which there may be none. The rest is absent if it
    /// is empty.
    Digits,
    /// Before `;type=` and one character, or with the path.
    Typecode,
}

use Until::{At, Character, Digits, Path, Typecode};

/// How the URLs of a kind divide the text after the authority: the components
/// of the path, and the name of the query.
struct Division {
    /// True if the slash after a host is only a delimiter.
    slash: bool,
    path: &'static [(&'static str, Until)],
    query: &'static str,
}

const fn whole(path: &'static [(&'static str, Until)], query: &'static str) -> Division {
    Division {
        slash: false,
        path,
        query,
    }
}

const fn inside(path: &'static [(&'static str, Until)], query: &'static str) -> Division {
    Division {
        slash: true,
        path,
        query,
    }
}

impl Division {
    fn of(kind: Kind, path: &str) -> Division {
        match kind {
            Kind::Generic | Kind::Http | Kind::File | Kind::Telnet | Kind::Afs => {
                whole(&[("path", Path)], "query")
            }
            Kind::Ftp => whole(&[("path", Typecode), ("typecode", Path)], ""),
            Kind::GopherQuery => inside(&[("gtype", Character), ("selector", Path)], "search"),
            // "The first `%09` after gtype ends the selector, the next one the
            // search" (docs/profiles.md, "Schemes").
            Kind::GopherTab => inside(
                &[
                    ("gtype", Character),
                    ("selector", At("%09")),
                    ("search", At("%09")),
                    ("gopher-plus", Path),
                ],
                "",
            ),
            Kind::Mailto => whole(&[("to", Path)], "headers"),
            Kind::News if path.contains('@') => inside(&[("article", Path)], ""),
            Kind::News => inside(&[("group", Path)], ""),
            Kind::Nntp => inside(&[("group", At("/")), ("number", Path)], ""),
            Kind::Wais => inside(
                &[("database", At("/")), ("wtype", At("/")), ("wpath", Path)],
                "search",
            ),
            Kind::WaisLength => inside(
                &[
                    ("database", At("/")),
                    ("wtype", At("/")),
                    ("length", At("/")),
                    ("wpath", Path),
                ],
                "search",
            ),
            // "Separated by the characters "%23"": the object name, "currently
            // version and URN" (url-00, Prospero).
            Kind::ProsperoPath => inside(
                &[
                    ("object", At("%23")),
                    ("version", At("%23")),
                    ("attributes", Path),
                ],
                "",
            ),
            Kind::ProsperoVersion => inside(
                &[
                    ("object", At("%00")),
                    ("version", Digits),
                    ("attributes", Path),
                ],
                "",
            ),
            Kind::ProsperoFields => inside(&[("object", At(";")), ("fields", Path)], ""),
            Kind::Mid => whole(&[("id", At("/")), ("content-id", Path)], ""),
            Kind::Cid => whole(&[("id", Path)], ""),
            Kind::Urn => whole(&[("nid", At(":")), ("nss", Path)], "query"),
            Kind::Tel => whole(&[("number", At(";")), ("parameters", Path)], ""),
        }
    }
}

/// Divides `text` after its first component.
fn divide(text: &str, end: Until) -> (Option<&str>, Option<&str>) {
    let at = match end {
        Path => text.len(),
        At(delimiter) => {
            return match text.split_once(delimiter) {
                Some((part, rest)) => (Some(part), Some(rest)),
                None => (Some(text), None),
            };
        }
        Typecode => {
            let last = text.split_at_checked(text.len().saturating_sub(1));
            let typed = last.and_then(|(path, code)| Some((path.strip_suffix(";type=")?, code)));
            return match typed {
                Some((path, code)) => (Some(path), Some(code)),
                None => (Some(text), None),
            };
        }
        Digits => text.bytes().take_while(u8::is_ascii_digit).count(),
        Character => match text.chars().next() {
            Some('%') => 3,
            Some(first) => first.len_utf8(),
            None => return (None, None),
        },
    };
    match (text.split_at_checked(at), end) {
        (Some((part, rest)), Character) => (Some(part), Some(rest)),
        (Some((part, rest)), _) => (Some(part), Some(rest).filter(|rest| !rest.is_empty())),
        (None, _) => (None, None),
    }
}

impl<'a> Url<'a> {
    /// The parts that are present, with their names, in the order of the URL.
    /// Escapes are not decoded. An absent part differs from an empty part. [The
    /// module's documentation](super#components) lists the names.
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
        let path = self.path();
        let division = Division::of(self.kind(), path);
        let mut rest = match path.strip_prefix('/') {
            Some(inside) if division.slash && self.has_host() => Some(inside),
            _ => Some(path),
        };
        let authority = [
            ("scheme", Some(self.scheme())),
            ("user", self.user()),
            ("password", self.password()),
            ("host", self.host().map(Host::as_str)),
            ("port", self.port()),
        ];
        let path = division.path.iter().map(move |&(name, end)| {
            let part;
            (part, rest) = rest.map_or((None, None), |text| divide(text, end));
            (name, part)
        });
        let query = (division.query, self.query());
        let all = authority.into_iter().chain(path).chain([query]);
        all.chain([("fragment", self.fragment())])
            .filter_map(|(name, part)| part.map(|part| (name, part)))
    }

    /// The component of this name. `None` if the URL does not have it.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let url = validate(Profile::Iri, b"mailto:a@b.example?subject=c").unwrap();
    /// assert_eq!(url.component("headers"), Some("subject=c"));
    /// assert_eq!(url.component("path"), None);
    /// ```
    #[must_use]
    pub fn component(&self, name: &str) -> Option<&'a str> {
        let mut all = self.components();
        all.find_map(|(own, part)| (own == name).then_some(part))
    }

    /// The addresses of a mailto URL of `current`, which may have several, with
    /// commas between them.
    pub(super) fn addresses(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let mut rest = self.component("to").filter(|to| !to.is_empty());
        std::iter::from_fn(move || {
            let text = rest?;
            let end = address_end(text.as_bytes()).unwrap_or(text.len());
            let (address, after) = text.split_at(end);
            rest = after.get(1..);
            Some(address)
        })
    }
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

/// As [`decoded`], a byte at a time.
pub(super) fn decode<T: AsRef<[u8]> + ?Sized>(component: &T) -> impl Iterator<Item = u8> + '_ {
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

/// Decodes the escapes (percent-encoding) of a component. A decoded byte can look
/// like a delimiter but is none: a decoded slash does not separate segments. A
/// component without escapes is borrowed.
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
