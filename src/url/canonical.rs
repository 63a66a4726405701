//! Comparison: the form in which two URLs that differ only in spelling are the
//! same bytes.
//!
//! draft-www-uri-00: "Before two URIs can be compared, it is therefore
//! necessary to bring them to the same encoding level. However, the reserved
//! characters mentioned above have a quite different significance when
//! encoded". So only what no document reserves is decoded, and nothing is
//! decoded that would change the verdict.

use super::class::{ByteClass, hex_value};
use super::components::{News, Parts};
use super::parts::{Host, Kind, Url};
use super::profile::Profile;

impl Url<'_> {
    /// Appends the canonical form to `out`.
    ///
    /// Escapes of letters, digits, `-`, `.` and `_` (and `~` in url-06 and
    /// `current`, where it is unreserved) are decoded, the hexadecimal digits of
    /// the others upper-cased; scheme and host are lower-cased; a port that is
    /// the scheme's default is dropped, and so is the colon of an empty one
    /// (RFC 3986 6.2.3); the empty path of http and its kin becomes `/`. The
    /// fragment stays, with its escapes at the same level. `%2F` and `/` stay
    /// different, and dot segments stay.
    ///
    /// The result is valid under the same profile, has the same components
    /// (but for a dropped port), and is its own canonical form. Linear in the
    /// length.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let mut canonical = Vec::new();
    /// let url = b"HTTP://Info.CERN.ch:80/albert/marie%2dclaude%2f";
    /// validate(Profile::WwwUri00, url).unwrap().canonical(&mut canonical);
    /// assert_eq!(canonical, b"http://info.cern.ch/albert/marie-claude%2F");
    /// ```
    pub fn canonical(&self, out: &mut Vec<u8>) {
        let text = self.as_bytes();
        out.reserve(text.len() + 1);
        let (host_start, host_end, path_start) = self.host_and_path();
        let scheme_end = self.scheme().len() as u32;
        let path_end = path_start + self.path().len() as u32;
        let decodable = self.profile().document().decodable;

        lower_scheme(self.scheme(), out);
        spell(self.cut(scheme_end, host_start), decodable, out);
        let from = out.len();
        spell(self.cut(host_start, host_end), decodable, out);
        if self
            .host()
            .is_some_and(|host| !matches!(host, Host::Ipv4(_)))
        {
            lower(out.get_mut(from..).unwrap_or_default());
        }
        if !self.port_is_default() {
            out.extend_from_slice(self.cut(host_end, path_start));
        }
        if self.kind() == Kind::Http && self.path().is_empty() {
            out.push(b'/');
        }
        self.spell_path(decodable, out);
        spell(self.cut(path_end, text.len() as u32), decodable, out);
    }

    fn port_is_default(&self) -> bool {
        match self.port() {
            Some([]) => true,
            Some(_) => self.port_number().is_some() && self.port_number() == self.default_port(),
            None => false,
        }
    }

    fn spell_path(&self, decodable: &ByteClass, out: &mut Vec<u8>) {
        // A group of RFC 5538 takes `%7E` and no `~`.
        const GROUP: ByteClass = super::current::DECODABLE.minus(b"~");
        let group = matches!(
            self.parts(),
            Parts::News(News::Group(_)) | Parts::Nntp { .. }
        );
        if group && self.profile() == Profile::Current {
            spell(self.path(), &GROUP, out);
        } else {
            spell(self.path(), decodable, out);
        }
    }
}

/// Brings the escapes of `part` to the canonical level.
fn spell(part: &[u8], decodable: &ByteClass, out: &mut Vec<u8>) {
    let mut rest = part;
    while let Some(at) = memchr::memchr(b'%', rest) {
        let (before, escape) = rest.split_at(at);
        out.extend_from_slice(before);
        let [_, high, low, after @ ..] = escape else {
            break;
        };
        match (hex_value(*high), hex_value(*low)) {
            (Some(h), Some(l)) if decodable.has(h << 4 | l) => out.push(h << 4 | l),
            _ => out.extend([b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()]),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
}

/// Lower-cases `text` save the digits of its escapes.
fn lower(text: &mut [u8]) {
    let mut i = 0;
    while let Some(byte) = text.get_mut(i) {
        byte.make_ascii_lowercase();
        i += if *byte == b'%' { 3 } else { 1 };
    }
}

/// Early schemes may hold escapes. They are not decoded: `ht%74p` is not
/// http, and its URL is judged by another production.
fn lower_scheme(scheme: &[u8], out: &mut Vec<u8>) {
    let from = out.len();
    spell(scheme, &ByteClass::of(b""), out);
    lower(out.get_mut(from..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::validate;

    fn canonical(profile: Profile, url: &str) -> String {
        let mut out = Vec::new();
        let url = validate(profile, url.as_bytes()).expect(url);
        url.canonical(&mut out);
        let again = validate(profile, &out).expect("keeps the verdict");
        let mut twice = Vec::new();
        again.canonical(&mut twice);
        assert_eq!(out, twice, "idempotent");
        let names = |url: Url<'_>| -> Vec<_> {
            let names = url.components().map(|(name, _)| name);
            names.filter(|&name| name != "port").collect()
        };
        assert_eq!(names(url), names(again), "keeps the components");
        String::from_utf8(out).unwrap()
    }

    /// draft-www-uri-00, Examples 1 and 2.
    #[test]
    fn marie_claude() {
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
            (Current, "mailto:A%2Eb@C", "mailto:A.b@C"),
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
