//! Comparison by canonical form. URLs that differ only in spelling have the
//! same canonical form.
//!
//! draft-www-uri-00: "Before two URIs can be compared, it is therefore
//! necessary to bring them to the same encoding level. However, the reserved
//! characters mentioned above have a quite different significance when
//! encoded". So an escape is decoded only if no document reserves its
//! character, and only if the verdict stays the same.

use std::borrow::Cow;

use super::class::ByteClass;
use super::parts::{Host, Kind, Url};
#[cfg(feature = "whatwg")]
use super::profile::Profile;
use urlgrep_base::digits::{hex_byte, put_hex};

impl Url<'_> {
    /// The canonical form. Two URLs of one profile are equivalent if their
    /// canonical forms are the same bytes. It is always ASCII.
    ///
    /// Escapes of letters, digits, `-`, `.` and `_` are decoded. So are escapes
    /// of `~` in url-06, `current` and `iri`, where `~` is unreserved. `%2E` is
    /// kept in url-00, url-03 and www-uri-00, which reserve the dot. The
    /// hexadecimal digits of other escapes become upper case. `%2F` and `/` stay
    /// different.
    ///
    /// Scheme and host become lower case. The default port of the scheme is
    /// dropped, and so is the colon of an empty port (RFC 3986 6.2.3). The
    /// empty path of http, https, ws and wss becomes `/`. Dot segments are
    /// kept. A host is not normalised further: the spelling of an IPv6 address,
    /// Punycode and a final dot are kept. In `iri` each character beyond ASCII
    /// becomes escapes, as in [`Url::to_uri`].
    ///
    /// The fragment is kept, with the same treatment of its escapes. Some
    /// documents say that an empty fragment "means that the URL refers to the
    /// whole object" (url-00, url-03, www-uri-00). There it is dropped with its
    /// `#`.
    ///
    /// Some schemes have rules of their own. The rules in `current` also apply
    /// in `iri`.
    ///
    /// * `file`, from url-06 on: the host `localhost` becomes empty (RFC 1738
    ///   3.10; RFC 8089 2, "exactly as if no authority were present").
    /// * `mailto` in `current`: the domain of each address becomes lower case
    ///   (RFC 3986 6.2.3, RFC 5321 2.4).
    /// * `news` and `nntp` in `current`: `%7E` in a group is not decoded, because a
    ///   group of RFC 5538 has no `~`.
    /// * `urn` in `current`: RFC 8141 3.1. The namespace becomes lower case, no
    ///   escape is decoded, and r-, q- and f-components are dropped.
    /// * `tel` in `current`: RFC 3966 section 4. Visual separators are dropped,
    ///   all letters become lower case, and parameters are sorted.
    ///
    /// In `whatwg` it is the serialised URL of the URL Standard, `href`.
    ///
    /// The result is valid under the same profile. It has the same components,
    /// except for those that were dropped. Its canonical form is the result
    /// itself.
    ///
    /// # Complexity
    ///
    /// Linear in the length, except for the sorting of `tel` parameters.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let url = b"HTTP://Info.CERN.ch:80/albert/marie%2dclaude%2f";
    /// let url = validate(Profile::WwwUri00, url).unwrap();
    /// assert_eq!(url.canonical(), "http://info.cern.ch/albert/marie-claude%2F");
    /// ```
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut out = Vec::new();
        self.canonical_into(&mut out);
        // The default is never used, because a canonical form is ASCII.
        String::from_utf8(out).unwrap_or_default()
    }

    /// Appends [`Url::canonical`] to `out`. Reusing `out` saves an allocation
    /// for each URL.
    #[doc(hidden)]
    pub fn canonical_into(&self, out: &mut Vec<u8>) {
        #[cfg(feature = "whatwg")]
        if self.profile() == Profile::Whatwg {
            return out.extend(super::whatwg::href(self.as_bytes()));
        }
        out.reserve(self.as_bytes().len() + 1);
        if self.copies(out) {
            return;
        }
        lower_scheme(self.cut(0, self.meta().scheme_end), out);
        let component = |name| self.component(name).unwrap_or_default();
        match self.kind() {
            Kind::Urn => {
                out.push(b':');
                out.extend(component("nid").bytes().map(|b| b.to_ascii_lowercase()));
                out.push(b':');
                spell(component("nss").as_bytes(), &NOTHING, out);
            }
            Kind::Tel => {
                out.push(b':');
                self.tel(component("number"), self.component("parameters"), out);
            }
            _ => self.authority_and_rest(out),
        }
    }

    /// The URI that an IRI maps to (RFC 3987 3.1): each character beyond ASCII
    /// becomes the escapes of its UTF-8. A URL in ASCII maps to itself.
    /// Linear.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let iri = validate(Profile::Iri, "http://de.example.org/Käse".as_bytes()).unwrap();
    /// assert_eq!(iri.to_uri(), "http://de.example.org/K%C3%A4se");
    /// ```
    #[must_use]
    pub fn to_uri(&self) -> Cow<'_, str> {
        if self.as_bytes().is_ascii() {
            return Cow::Borrowed(self.as_str());
        }
        let mut out = Vec::with_capacity(3 * self.as_bytes().len());
        escape(self.as_bytes(), &mut out);
        // The default is never used, because the result is ASCII.
        Cow::Owned(String::from_utf8(out).unwrap_or_default())
    }

    /// Fast path: an http URL, or a mailto URL of `current` or `iri`, differs
    /// from its canonical form only in case under these conditions. It is ASCII,
    /// its path is not empty, and it has no escape, no port and no empty
    /// fragment. Returns false for any other URL, and appends nothing.
    fn copies(&self, out: &mut Vec<u8>) -> bool {
        let text = self.as_bytes();
        let meta = self.meta();
        let is_mailto = self.kind() == Kind::Mailto && self.profile().is_modern();
        let is_simple = (is_mailto || self.kind() == Kind::Http)
            && self.port().is_none()
            && self.fragment() != Some("")
            && meta.path_start < meta.path_end
            && text.is_ascii()
            && memchr::memchr(b'%', text).is_none();
        if is_simple {
            let from = out.len();
            out.extend_from_slice(text);
            let copy = out.get_mut(from..).unwrap_or_default();
            for (start, end) in [(0, meta.scheme_end), (meta.host_start, meta.host_end)] {
                let part = copy.get_mut(start as usize..end as usize);
                part.unwrap_or_default().make_ascii_lowercase();
            }
            if is_mailto {
                let path = copy.get_mut(meta.path_start as usize..meta.path_end as usize);
                for address in path.unwrap_or_default().split_mut(|&byte| byte == b',') {
                    let domain = memchr::memchr(b'@', address).and_then(|at| address.get_mut(at..));
                    domain.unwrap_or_default().make_ascii_lowercase();
                }
            }
        }
        is_simple
    }

    /// Appends everything after the scheme, for every scheme except `urn` and
    /// `tel` of `current`. Follows RFC 3986 6.2.
    fn authority_and_rest(&self, out: &mut Vec<u8>) {
        let meta = self.meta();
        let document = self.profile().document();
        let decodable = document.decodable;

        spell(self.cut(meta.scheme_end, meta.host_start), decodable, out);
        let from = out.len();
        spell(self.cut(meta.host_start, meta.host_end), decodable, out);
        if self
            .host()
            .is_some_and(|host| !matches!(host, Host::Ipv4(_)))
        {
            lower(out.get_mut(from..).unwrap_or_default());
        }
        if self.kind() == Kind::File && out.get(from..) == Some(b"localhost") {
            out.truncate(from);
        }
        if !self.port_is_default() {
            out.extend_from_slice(self.cut(meta.host_end, meta.path_start));
        }
        if self.kind() == Kind::Http && meta.path_start == meta.path_end {
            out.push(b'/');
        }
        self.spell_path(self.cut(meta.path_start, meta.path_end), decodable, out);
        let void = document.void_fragment && self.fragment() == Some("");
        let end = meta.len - u32::from(void);
        spell(self.cut(meta.path_end, end), decodable, out);
    }

    fn port_is_default(&self) -> bool {
        match self.port() {
            Some("") => true,
            Some(_) => self.port_number().is_some() && self.port_number() == self.default_port(),
            None => false,
        }
    }

    fn spell_path(&self, path: &[u8], decodable: &ByteClass, out: &mut Vec<u8>) {
        // A group of RFC 5538 allows `%7E`, but not `~`.
        const GROUP: ByteClass = super::current::DECODABLE.minus(b"~");
        match self.kind() {
            Kind::Mailto if self.profile().is_modern() => {
                for (i, address) in self.addresses().enumerate() {
                    out.extend((i > 0).then_some(b','));
                    spell_address(address.as_bytes(), decodable, out);
                }
            }
            Kind::News | Kind::Nntp
                if self.profile().is_modern() && self.component("article").is_none() =>
            {
                spell(path, &GROUP, out);
            }
            _ => spell(path, decodable, out),
        }
    }

    /// RFC 3966 section 4: equal "after removing all visual separators";
    /// parameters "regardless of the order they appeared in"; "URI comparisons
    /// are case-insensitive". The parameters are sorted as in its section 3: an
    /// extension or ISDN subaddress, then the context, then the other
    /// parameters by name.
    fn tel(&self, number: &str, parameters: Option<&str>, out: &mut Vec<u8>) {
        dial(number.as_bytes(), out);
        let each = parameters.map(|all| all.split(';')).into_iter().flatten();
        let mut sorted: Vec<_> = each.map(|one| tel_parameter(one.as_bytes())).collect();
        sorted.sort_unstable();
        for (_, parameter) in sorted {
            out.push(b';');
            out.extend_from_slice(&parameter);
        }
        if let Some(fragment) = self.fragment() {
            out.push(b'#');
            let decodable = self.profile().document().decodable;
            spell(fragment.as_bytes(), decodable, out);
        }
    }
}

/// The class for a part in which no escape is decoded.
const NOTHING: ByteClass = ByteClass::of(b"");

/// Appends a number in lower case, without visual separators.
fn dial(number: &[u8], out: &mut Vec<u8>) {
    let digits = number.iter().filter(|byte| !b"-.()".contains(byte));
    out.extend(digits.map(u8::to_ascii_lowercase));
}

/// A parameter of a telephone number: its rank in the order of RFC 3966
/// section 3, and its canonical spelling.
fn tel_parameter(text: &[u8]) -> (u8, Vec<u8>) {
    let mut out = Vec::with_capacity(text.len());
    let equals = memchr::memchr(b'=', text);
    let (name, value) = text.split_at(equals.unwrap_or(text.len()));
    out.extend(name.iter().map(u8::to_ascii_lowercase));
    let rank = match &out[..] {
        b"ext" | b"isub" => 0,
        b"phone-context" => 1,
        _ => 2,
    };
    let is_number = out == b"ext" || (rank == 1 && value.starts_with(b"=+"));
    // `ext=-` is valid. Without its separator it would be empty.
    if is_number && value.iter().any(u8::is_ascii_digit) {
        dial(value, &mut out);
    } else {
        let from = out.len();
        spell(value, &super::current::DECODABLE, &mut out);
        lower(out.get_mut(from..).unwrap_or_default());
    }
    (rank, out)
}

/// Appends an address of RFC 6068, with its domain in lower case. The domain
/// follows the first `@`. A quoted-string may contain an `@`. After a
/// quoted-string the domain follows the last `%22@`.
fn spell_address(address: &[u8], decodable: &ByteClass, out: &mut Vec<u8>) {
    let from = out.len();
    spell(address, decodable, out);
    let spelled = out.get_mut(from..).unwrap_or_default();
    let at = if spelled.starts_with(b"%22") {
        memchr::memmem::rfind(spelled, b"%22@").map(|at| at + 3)
    } else {
        memchr::memchr(b'@', spelled)
    };
    let domain = at.and_then(|at| spelled.get_mut(at..));
    lower(domain.unwrap_or_default());
}

/// Appends `text` with each byte beyond ASCII as an escape (RFC 3987 3.1).
fn escape(text: &[u8], out: &mut Vec<u8>) {
    if text.is_ascii() {
        return out.extend_from_slice(text);
    }
    for &byte in text {
        if byte.is_ascii() {
            out.push(byte);
        } else {
            out.push(b'%');
            put_hex(byte, out);
        }
    }
}

/// Brings the escapes of `part` to the canonical level.
fn spell(part: &[u8], decodable: &ByteClass, out: &mut Vec<u8>) {
    let mut rest = part;
    while let Some(at) = memchr::memchr(b'%', rest) {
        let (before, written) = rest.split_at(at);
        escape(before, out);
        let [_, high, low, after @ ..] = written else {
            break;
        };
        match hex_byte(*high, *low) {
            Some(byte) if decodable.has(byte) => out.push(byte),
            _ => out.extend([b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()]),
        }
        rest = after;
    }
    escape(rest, out);
}

/// Converts `text` to lower case, except for the digits of its escapes.
fn lower(text: &mut [u8]) {
    let mut i = 0;
    while let Some(byte) = text.get_mut(i) {
        byte.make_ascii_lowercase();
        i += if *byte == b'%' { 3 } else { 1 };
    }
}

/// The schemes of the early documents may contain escapes. They are not
/// decoded: `ht%74p` is not http, and its URL has another production.
fn lower_scheme(scheme: &[u8], out: &mut Vec<u8>) {
    let from = out.len();
    spell(scheme, &NOTHING, out);
    lower(out.get_mut(from..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Profile;
    use crate::validate;

    fn canonical(profile: Profile, url: &str) -> String {
        let url = validate(profile, url.as_bytes()).expect(url);
        let out = url.canonical();
        let again = validate(profile, out.as_bytes()).expect("keeps the verdict");
        assert_eq!(url.canonical(), again.canonical(), "idempotent");
        let names = |url: Url<'_>| -> Vec<_> {
            let names = url.components().map(|(name, _)| name);
            names.filter(|&name| name != "port").collect()
        };
        assert_eq!(names(url), names(again), "keeps the components");
        out
    }

    /// A fragment with an escape leaves the fast path. Compares both paths.
    #[test]
    fn the_fast_path_equals_the_slow_path() {
        let urls = [
            "HTTP://U:Pw@A.Example/B/C?D",
            "https://1.2.3.4/",
            "http://[::AB]/x",
            "wS://a.example/",
            "http://a.example./~b/../c",
            "http:///x",
            "http://a.example/#B",
            "MAILTO:A.B@C.Example",
            "mailto:A@B.Example,C@D.Example?To=E@F.Example",
            "mailto:?to=A@B.Example",
        ];
        for &profile in &Profile::ALL[..7] {
            for url in urls {
                let with = format!("{url}#%20F");
                let valid = |url: &str| validate(profile, url.as_bytes()).is_ok();
                if valid(url) && valid(&with) {
                    let expected = format!("{}#%20F", canonical(profile, url));
                    assert_eq!(canonical(profile, &with), expected, "{profile}");
                }
            }
        }
    }

    /// draft-www-uri-00, Examples 1 and 2.
    #[test]
    fn an_escaped_slash_is_not_a_slash() {
        let same = |a, b| canonical(Profile::WwwUri00, a) == canonical(Profile::WwwUri00, b);
        let plain = "http://info.cern.ch/albert/bertram/marie-claude";
        assert!(same(
            plain,
            "http://info.cern.ch/albert/bertram/marie%2Dclaude"
        ));
        assert!(!same(
            plain,
            "http://info.cern.ch/albert/bertram%2Fmarie-claude"
        ));
    }

    #[test]
    fn each_clause() {
        use Profile::{Current, Rfc1738, Url00, Url03, Url06};
        for (profile, url, expected) in [
            (Current, "HTTP://A.Example", "http://a.example/"),
            (Current, "http://A.Example?q", "http://a.example/?q"),
            (Current, "wss://A.Example:443", "wss://a.example/"),
            (Current, "http://a.example:080/x", "http://a.example/x"),
            (Current, "http://a.example:/x", "http://a.example/x"),
            (Current, "https://a.example:80/x", "https://a.example:80/x"),
            (
                Current,
                "http://U%73er:P%3a@A/%41%2d%2e%5f%7e%2f%c3",
                "http://User:P%3A@a/A-._~%2F%C3",
            ),
            (Current, "http://a/?%41%3d#%42%3D", "http://a/?A%3D#B%3D"),
            (Current, "foo://%41%2f.B/", "foo://a%2F.b/"),
            (Current, "http://[2001:DB8::A]:80/", "http://[2001:db8::a]/"),
            (Current, "foo://%31.2.3.4/", "foo://1.2.3.4/"),
            (Current, "news:a%7Eb%2e", "news:a%7Eb."),
            (Current, "news:a%7Eb%2fc@d", "news:a~b%2Fc@d"),
            (Current, "nntp://A:119/a%7Eb/1", "nntp://a/a%7Eb/1"),
            (Current, "mailto:A%2Eb@C", "mailto:A.b@c"),
            (
                Current,
                "ftp://h:21/%3btype=A;type=a",
                "ftp://h/%3Btype=A;type=a",
            ),
            (Current, "foo:%41%3f", "foo:A%3F"),
            (Rfc1738, "http://a.b:80", "http://a.b/"),
            (Rfc1738, "http://a.b/%7e%41", "http://a.b/%7EA"),
            (Url06, "http://A%42%2F.c/%7e", "http://ab%2F.c/~"),
            (Url06, "prospero://a:1525/b;%63=d", "prospero://a/b;c=d"),
            (Url00, "ht%74P:X%41", "ht%74p:XA"),
            (Url00, "http://u%2d@A?b", "http://u-@a/?b"),
            (Url03, "prospero://a/b%00", "prospero://a/b%00"),
            (Url03, "foo:%7e", "foo:%7E"),
        ] {
            assert_eq!(canonical(profile, url), expected, "{profile} {url}");
        }
    }
}
