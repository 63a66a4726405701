//! Unwraps links that a mail gateway or a web site put around another link.
//!
//! It knows only services whose links contain the original URL. It looks up and
//! fetches nothing. The table is [`SERVICES`], and each row has its source.
//! Links of web archives (`web.archive.org`) are excluded, because they name
//! the archived copy.

use std::borrow::Cow;

use super::components::decoded;
use super::parts::{Kind, Url, UrlBuf};
use super::validate;
use crate::digits::{from_base64, sextet};

/// The maximum number of nested links that are removed.
const LAYERS_MAX: usize = 8;

/// Where the link of a service has the original URL.
#[derive(Clone, Copy)]
enum Inner {
    /// In a query parameter with one of these names, percent-encoded.
    Parameter(&'static [&'static str]),
    /// In the path of urldefense, in a format that depends on its version.
    UrlDefense,
}

struct Service {
    /// The host in lower case. If it begins with a dot, more labels may precede
    /// it. If it ends with a dot, one or two labels of two or three bytes must
    /// follow it.
    host: &'static [u8],
    /// The path. An empty path matches any path.
    path: &'static [u8],
    inner: Inner,
}

const fn service(host: &'static str, path: &'static str, inner: Inner) -> Service {
    Service {
        host: host.as_bytes(),
        path: path.as_bytes(),
        inner,
    }
}

const SERVICES: &[Service] = &[
    // Microsoft, "Safe Links in Microsoft Defender for Office 365": the
    // original is in `url`. The second host belongs to the cloud of the US
    // government.
    service(
        ".safelinks.protection.outlook.com",
        "",
        Inner::Parameter(&["url"]),
    ),
    service(
        ".safelinks.protection.office365.us",
        "",
        Inner::Parameter(&["url"]),
    ),
    // Proofpoint, "URL Decoder Utility": urldefense_decoder.py.
    service("urldefense.proofpoint.com", "", Inner::UrlDefense),
    service("urldefense.com", "", Inner::UrlDefense),
    service("urldefense.us", "", Inner::UrlDefense),
    // Barracuda Campus, "Link Protection": the original is in `a`.
    service("linkprotect.cudasvc.com", "/url", Inner::Parameter(&["a"])),
    // Mimecast, "Targeted Threat Protection: URL Protect". Its links contain a
    // code and the domain in clear text. Some contain the whole URL.
    service(".mimecast.com", "", Inner::Parameter(&["url", "u"])),
    service(".mimecastprotect.com", "", Inner::Parameter(&["url", "u"])),
    // Google search results: `q`, and `url` in later links.
    service("www.google.", "/url", Inner::Parameter(&["q", "url"])),
    service("google.", "/url", Inner::Parameter(&["q", "url"])),
    // Facebook's outgoing links ("Link Shim"): `u`.
    service("l.facebook.com", "/l.php", Inner::Parameter(&["u"])),
    service("lm.facebook.com", "/l.php", Inner::Parameter(&["u"])),
    service("www.facebook.com", "/l.php", Inner::Parameter(&["u"])),
];

impl Url<'_> {
    /// The original URL, if this URL is a link of a known mail gateway or web
    /// site around it. `None` otherwise.
    ///
    /// The known services are Microsoft Safe Links, Proofpoint urldefense
    /// (versions 1 to 3), and Barracuda. Mimecast is known if its link has the
    /// URL. Google's `url?q=` and Facebook's `l.php` are also known. The
    /// original URL must have the scheme http, https, ftp or mailto, and be
    /// valid under the same profile. Up to eight nested links are removed.
    ///
    /// # Complexity
    ///
    /// Linear in the length. For other hosts, only the host is compared.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let url = b"https://urldefense.proofpoint.com/v2/url?u=https-3A__a.example_x-2Dy&d=Dw";
    /// let url = validate(Profile::Current, url).unwrap();
    /// assert_eq!(url.unwrapped().unwrap().as_str(), "https://a.example/x-y");
    /// ```
    #[must_use]
    pub fn unwrapped(&self) -> Option<UrlBuf> {
        let mut inner = self.unwrapped_once()?;
        for _ in 1..LAYERS_MAX {
            match inner.as_url().unwrapped_once() {
                Some(next) => inner = next,
                None => break,
            }
        }
        Some(inner)
    }

    fn unwrapped_once(&self) -> Option<UrlBuf> {
        // Fast path: the original URL is in the query, or after this path.
        let path = self.as_bytes().get(self.meta().path_start as usize..);
        let is_v3 = path.is_some_and(|path| path.starts_with(b"/v3/__"));
        let can_hold = || is_v3 || self.query().is_some();
        if self.kind() != Kind::Http || !can_hold() {
            return None;
        }
        let host = self.host()?.as_bytes();
        let service = SERVICES
            .iter()
            .find(|service| service.has(host, self.path().as_bytes()))?;
        let inner = match service.inner {
            Inner::Parameter(names) => {
                let value = names.iter().find_map(|name| self.parameter(name));
                decoded(value?).into_owned()
            }
            Inner::UrlDefense => self.url_defense()?,
        };
        let colon = memchr::memchr(b':', &inner)?;
        let is = |scheme: &&[u8]| inner[..colon].eq_ignore_ascii_case(scheme);
        [&b"http"[..], b"https", b"ftp", b"mailto"]
            .iter()
            .find(|scheme| is(scheme))?;
        let url = validate(self.profile(), &inner).ok()?;
        Some(url.to_buf())
    }

    /// The value of the first parameter of this name.
    fn parameter(&self, name: &str) -> Option<&str> {
        let mut parameters = self.query()?.split('&');
        parameters.find_map(|parameter| parameter.strip_prefix(name)?.strip_prefix('='))
    }

    /// Decodes a link of urldefense as Proofpoint's own decoder does.
    fn url_defense(&self) -> Option<Vec<u8>> {
        let path = self.path();
        if path.starts_with("/v3/__") {
            return version_3(self.as_bytes());
        }
        let value = self.parameter("u")?;
        let escaped: Cow<'_, [u8]> = match path {
            "/v1/url" => Cow::Borrowed(value.as_bytes()),
            "/v2/url" => Cow::Owned(
                value
                    .bytes()
                    .map(|b| match b {
                        b'-' => b'%',
                        b'_' => b'/',
                        b => b,
                    })
                    .collect(),
            ),
            _ => return None,
        };
        // Proofpoint's decoder also decodes other character references. Only
        // `&amp;` occurs.
        let text = decoded(&escaped);
        let mut plain = Vec::with_capacity(text.len());
        let mut rest = &text[..];
        while let Some(at) = memchr::memmem::find(rest, b"&amp;") {
            plain.extend_from_slice(&rest[..=at]);
            rest = &rest[at + 5..];
        }
        plain.extend_from_slice(rest);
        Some(plain)
    }
}

impl Service {
    fn has(&self, host: &[u8], path: &[u8]) -> bool {
        // `google.` and a top-level domain of one or two labels.
        let is_top = |top: &[u8]| {
            let labels = top.split(|&b| b == b'.');
            let is_label = |label: &[u8]| (2..=3).contains(&label.len());
            labels.clone().count() <= 2 && labels.clone().all(is_label)
        };
        let at = host.len().checked_sub(self.host.len());
        let matches = match self.host {
            [.., b'.'] => match host.split_at_checked(self.host.len()) {
                Some((name, top)) => name.eq_ignore_ascii_case(self.host) && is_top(top),
                None => false,
            },
            [b'.', ..] => at.is_some_and(|at| host[at..].eq_ignore_ascii_case(self.host)),
            name => host.eq_ignore_ascii_case(name),
        };
        matches && (self.path.is_empty() || self.path == path)
    }
}

/// Decodes `…/v3/__URL__;CHARACTERS!…`. Each `*` in the URL is replaced by the
/// next character of the list, which is in base64. `**` and a digit of base64
/// are replaced by several characters. Their number is the value of the digit
/// plus 2.
fn version_3(text: &[u8]) -> Option<Vec<u8>> {
    let start = memchr::memmem::find(text, b"/v3/__")? + 6;
    let rest = &text[start..];
    let end = memchr::memmem::find(rest, b"__;")?;
    let (url, characters) = (&rest[..end], &rest[end + 3..]);
    let characters = &characters[..memchr::memchr(b'!', characters)?];
    let characters = String::from_utf8(from_base64(characters, digit)?.0).ok()?;
    let mut characters = characters.chars();
    let url = decoded(url);
    let mut out = Vec::with_capacity(url.len() + characters.as_str().len());
    let mut rest = &url[..];
    while let Some(at) = memchr::memchr(b'*', rest) {
        out.extend_from_slice(&rest[..at]);
        let count;
        (count, rest) = match &rest[at..] {
            [_, b'*', run, after @ ..] => (usize::from(digit(*run)?) + 2, after),
            after => (1, &after[1..]),
        };
        for _ in 0..count {
            out.extend_from_slice(characters.next()?.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    out.extend_from_slice(rest);
    // Some programs replace two slashes by one.
    let slash = memchr::memchr(b':', &out)? + 1;
    if out.get(slash) == Some(&b'/') && out.get(slash + 1) != Some(&b'/') {
        out.insert(slash, b'/');
    }
    Some(out)
}

/// The value of a digit of base64 for URLs (RFC 4648 section 5).
fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'-' => Some(62),
        b'_' => Some(63),
        b'+' | b'/' => None,
        byte => sextet(byte),
    }
}
