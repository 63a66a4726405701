//! Cautions: reasons to be careful with a valid URL (RFC 1738 section 6).

use std::net::Ipv4Addr;

use super::components::decoded;
use super::parts::{Host, Kind, Url};
use urlgrep_base::escape::is_joiner;
use urlgrep_base::named;
use urlgrep_base::names::Set;

named! {
    /// A reason to be careful with a valid URL.
    pub enum Caution {
        /// A password. "The use of URLs containing passwords that should be secret
        /// is clearly unwise." An empty password counts.
        Password => "password",
        /// A user name without a password in an http, https, ws or wss URL. RFC 9110
        /// 4.2.4 deprecates it for http and https, because it is "used to mislead".
        User => "user",
        /// A port below 1024 that is not the default port of the scheme. "A port
        /// number other than the default for the protocol, especially when it is a
        /// number within the reserved space".
        LowPort => "low-port",
        /// `%0D`. "Embedded encoded delimiters for a given protocol".
        EncodedCr => "encoded-cr",
        /// `%0A`.
        EncodedLf => "encoded-lf",
        /// `%00`.
        EncodedNul => "encoded-nul",
        /// A port above 65,535. The early profiles and unnamed schemes allow it,
        /// but no host has such a port. Software that keeps 16 bits connects to
        /// another port: 65561 becomes 25.
        PortRange => "port-range",
        /// A link of HTML whose text is a URL with another registered domain, or
        /// another host if one has none, after the links of mail gateways around both
        /// are removed. The text may be a host without a scheme (`paypal.com`). Only
        /// the link has this caution, because the URL in its text is not what
        /// deceives. No single URL has it. See
        /// `urlgrep::search::Match::cautions`.
        TextDiffers => "text-differs",
        /// A host that browsers read as an IPv4 address, though it is not written as
        /// four decimal numbers: `0x7f.1`. [`Url::host_meaning`] has the address.
        IpNumber => "ip-number",
        /// The user name begins like a host, so a reader may take it for the host:
        /// `http://bank.example@a.example/`.
        UserinfoLooksLikeHost => "userinfo-looks-like-host",
        /// A label of the host is in Punycode (RFC 3492). It may look like another
        /// name. [`Url::host_meaning`] has its letters.
        Punycode => "punycode",
        /// A label of the host has letters of two scripts that no language mixes, such
        /// as a Cyrillic letter in a Latin name (UTS #39, 5.1). Latin letters beside
        /// Chinese, Japanese or Korean are usual. Needs the feature `whatwg`.
        MixedScript => "mixed-script",
        /// The URL Standard: a backslash in place of a slash.
        ReverseSolidus => "invalid-reverse-solidus",
        /// The URL Standard: a character that has no place there, such as a blank, or
        /// a `%` without two hexadecimal digits.
        UrlUnit => "invalid-URL-unit",
        /// The URL Standard: a user name or a password.
        Credentials => "invalid-credentials",
        /// The URL Standard: fewer or more than two slashes before the host.
        MissingSolidus => "special-scheme-missing-following-solidus",
        /// The URL Standard: a file URL with a host and a drive letter.
        WindowsDrive => "file-invalid-Windows-drive-letter-host",
    }
}

impl Url<'_> {
    /// The cautions for this URL (RFC 1738 section 6). In `whatwg` also the
    /// validation errors of the URL Standard. Linear in the length.
    ///
    /// ```
    /// use urlgrep::url::{Caution, Profile, validate};
    ///
    /// let url = validate(Profile::Current, b"ftp://anonymous:pw@a.example/").unwrap();
    /// assert!(url.cautions().has(Caution::Password));
    /// ```
    #[must_use]
    pub fn cautions(&self) -> Set<Caution> {
        let mut cautions = Set::NONE;
        let password = self.password().is_some();
        let user = self.user().is_some() && !password && self.kind() == Kind::Http;
        let port = self.port_number();
        let low = port.is_some_and(|port| port < 1024) && port != self.default_port();
        cautions.add(Caution::Password, password);
        cautions.add(Caution::User, user);
        let over = port.is_none() && self.port().is_some_and(|digits| !digits.is_empty());
        cautions.add(Caution::LowPort, low);
        cautions.add(Caution::PortRange, over);
        let host = self.host().map_or("", Host::as_str);
        cautions.add(Caution::IpNumber, self.number().is_some());
        cautions.add(Caution::Punycode, has_punycode(host));
        #[cfg(feature = "whatwg")]
        cautions.add(Caution::MixedScript, has_mixed_script(host));
        let user = self.user().is_some_and(looks_like_host);
        cautions.add(Caution::UserinfoLooksLikeHost, user);
        #[cfg(feature = "whatwg")]
        if self.profile() == super::Profile::Whatwg {
            violations(self.as_bytes(), &mut cautions);
        }
        // RFC 6068 section 5: the lines of the body of a message are divided so.
        let is_mail = self.scheme().eq_ignore_ascii_case("mailto");
        let mut rest = self.as_bytes();
        while let Some(at) = memchr::memchr(b'%', rest) {
            let escape = rest.get(at + 1..at + 3).unwrap_or_default();
            cautions.add(
                Caution::EncodedCr,
                !is_mail && escape.eq_ignore_ascii_case(b"0D"),
            );
            cautions.add(
                Caution::EncodedLf,
                !is_mail && escape.eq_ignore_ascii_case(b"0A"),
            );
            cautions.add(Caution::EncodedNul, escape == b"00");
            rest = rest.get(at + 3..).unwrap_or_default();
        }
        cautions
    }

    /// What the host means, if it is written in another way: the address that
    /// browsers connect to for a number (`127.0.0.1` for `0x7f.1`), or, with the
    /// feature `whatwg`, the letters of Punycode. Linear.
    ///
    /// ```
    /// use urlgrep::url::{Profile, validate};
    ///
    /// let url = validate(Profile::Iri, b"http://0xC0000263/").unwrap();
    /// assert_eq!(url.host_meaning().unwrap(), "192.0.2.99");
    /// ```
    #[must_use]
    pub fn host_meaning(&self) -> Option<String> {
        let host = self.host()?.as_str();
        let address = self.number().map(|address| address.to_string());
        #[cfg(feature = "whatwg")]
        let address = address.or_else(|| has_punycode(host).then(|| super::whatwg::letters(host)));
        address.filter(|meaning| meaning != host)
    }
}

impl Url<'_> {
    /// The address of a host of numbers. The URL Standard reads it only after a special scheme.
    fn number(&self) -> Option<Ipv4Addr> {
        let special = ["http", "https", "ftp", "ws", "wss", "file"];
        let scheme = self.scheme();
        let is_special = special.iter().any(|name| scheme.eq_ignore_ascii_case(name));
        self.host()
            .filter(|_| is_special)
            .and_then(|host| address(host.as_str()))
    }
}

fn has_punycode(host: &str) -> bool {
    // Fast path: few hosts have two hyphens.
    let is_rare = |pair: &[u8]| pair == b"--";
    let begins = |label: &str| {
        let prefix = label.as_bytes().first_chunk::<4>();
        prefix.is_some_and(|prefix| prefix.eq_ignore_ascii_case(b"xn--"))
    };
    host.as_bytes().windows(2).any(is_rare) && host.split('.').any(begins)
}

#[cfg(feature = "whatwg")]
fn has_mixed_script(host: &str) -> bool {
    use unicode_security::mixed_script::AugmentedScriptSet;
    if host.is_ascii() && !has_punycode(host) {
        return false;
    }
    super::whatwg::letters(host).split('.').any(|label| {
        let beyond: String = label.chars().filter(|c| !c.is_ascii()).collect();
        let east = AugmentedScriptSet::for_str(&beyond);
        let is_east = east.hanb || east.jpan || east.kore;
        AugmentedScriptSet::for_str(label).is_empty() && !is_east
    })
}

/// The address that browsers read in a host of numbers (URL Standard, "IPv4
/// parser"): octal after `0`, hexadecimal after `0x`, and the last number has the
/// bytes of those that are missing. `None` for a name, and for four decimal
/// numbers.
fn address(host: &str) -> Option<Ipv4Addr> {
    let name = host.strip_suffix('.').unwrap_or(host);
    let last = name.rfind('.').map_or(0, |dot| dot + 1);
    let ends_like_a_number = name.as_bytes().get(last).is_some_and(u8::is_ascii_digit);
    if !ends_like_a_number || name.parse::<Ipv4Addr>().is_ok() {
        return None;
    }
    let mut address = 0u64;
    let mut count = 0;
    let mut numbers = name.split('.').peekable();
    while let Some(number) = numbers.next() {
        let (digits, radix) = match number.as_bytes() {
            [b'0', b'x' | b'X', ..] => (&number[2..], 16),
            [b'0', _, ..] => (&number[1..], 8),
            _ => (number, 10),
        };
        // `0x` alone is 0. `from_str_radix` would take a sign.
        let digits = if digits.is_empty() && radix == 16 {
            "0"
        } else {
            digits
        };
        let is_number = digits.bytes().all(|b| b.is_ascii_alphanumeric());
        let value = u64::from_str_radix(digits, radix)
            .ok()
            .filter(|_| is_number)?;
        count += 1;
        let bits = if numbers.peek().is_some() {
            8
        } else {
            32 - 8 * u32::checked_sub(count, 1)?
        };
        if count > 4 || value >> bits != 0 {
            return None;
        }
        address = address << bits | value;
    }
    u32::try_from(address).ok().map(Ipv4Addr::from)
}

/// True if a user name is a host with a dot, or begins with one and a slash. With
/// the feature `suffixes` the host ends with a suffix of the list, so `ann.smith` is
/// none.
fn looks_like_host(user: &str) -> bool {
    let user = decoded(user);
    let host = user
        .split(|b| b"/\\?#".contains(b))
        .next()
        .unwrap_or_default();
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || b"-.".contains(b);
    #[cfg(feature = "suffixes")]
    let known = super::domain::has_known_suffix(host);
    #[cfg(not(feature = "suffixes"))]
    let known = true;
    host.contains(&b'.') && host.iter().all(is_name) && known
}

/// True if both hosts have one registered domain, or, without the feature `suffixes`,
/// if they are equal.
pub fn is_same_site(one: &str, other: &str) -> bool {
    #[cfg(feature = "suffixes")]
    let [one, other] = [one, other]
        .map(|host| super::domain::registered_domain(host.as_bytes()).unwrap_or(host.as_bytes()));
    one.eq_ignore_ascii_case(other)
}

/// The URL that a reader sees in the text of a link without a scheme: a host whose
/// suffix is on the list, alone or with a path. Without the feature `suffixes` there is
/// no list. `setup.py` is a file, although Paraguay has the suffix. Characters that nobody sees
/// hide no host, nor the scheme before it, and neither does punctuation around it.
pub fn site(text: &[u8]) -> Option<String> {
    let text = text.trim_ascii();
    // Fast path: most texts are several words, or a whole URL.
    if text.iter().any(|b| b" \n@".contains(b)) {
        return None;
    }
    let text = str::from_utf8(text).ok()?;
    let visible: String;
    let text = if text.is_ascii() {
        text
    } else {
        visible = text.chars().filter(|&c| !is_joiner(c)).collect();
        let scheme = visible
            .split_once("://")
            .filter(|_| visible.len() < text.len());
        match scheme {
            Some((scheme, rest)) if is_web(scheme) => rest,
            _ => &visible,
        }
    };
    let written = text.trim();
    if written.ends_with("..") {
        // Somebody shortened the URL.
        return None;
    }
    let text = written
        .trim_start_matches(OPENING)
        .trim_end_matches(CLOSING);
    // A word with punctuation may also be a file, or the end of a sentence.
    let is_surely_host = || {
        let begins = text.get(..4).unwrap_or_default();
        let host = text.split(['/', '?', '#']).next().unwrap_or_default();
        let top = host.rsplit('.').next().unwrap_or_default();
        begins.eq_ignore_ascii_case("www.") || GENERIC.iter().any(|g| top.eq_ignore_ascii_case(g))
    };
    if text.len() < written.len() && !is_surely_host() {
        return None;
    }
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let host = &text[..end];
    let (_, top) = host.rsplit_once('.')?;
    let is_part = |c: char| c.is_alphanumeric() || c == '-' || c == '.';
    let is_file = end == text.len() && FILES.iter().any(|file| top.eq_ignore_ascii_case(file));
    let is_name = host.chars().all(is_part) && !text.contains(char::is_whitespace) && !is_file;
    #[cfg(feature = "suffixes")]
    let known = super::domain::is_registered;
    #[cfg(not(feature = "suffixes"))]
    let known = |_: &[u8]| false;
    (is_name && known(host.as_bytes())).then(|| format!("http://{text}"))
}

/// Punctuation before and after the text of a link.
const OPENING: [char; 7] = ['"', '\'', '(', '[', '<', '“', '«'];
const CLOSING: [char; 12] = ['.', ',', ';', ':', '!', '?', '"', '\'', ')', ']', '”', '»'];

/// Suffixes of hosts that are no extensions of files.
const GENERIC: [&str; 5] = ["com", "edu", "gov", "net", "org"];

fn is_web(scheme: &str) -> bool {
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

/// Extensions of files that are suffixes of hosts, too.
const FILES: [&str; 7] = ["md", "mov", "ps", "py", "rs", "sh", "zip"];

/// Adds the validation errors of the URL Standard that did not end the parser.
#[cfg(feature = "whatwg")]
fn violations(text: &[u8], cautions: &mut Set<Caution>) {
    use ::url::SyntaxViolation as V;
    let found = std::cell::Cell::new(*cautions);
    let each = |violation| {
        found.set(found.get().with(match violation {
            V::Backslash => Caution::ReverseSolidus,
            V::EmbeddedCredentials | V::UnencodedAtSign => Caution::Credentials,
            V::ExpectedDoubleSlash | V::ExpectedFileDoubleSlash => Caution::MissingSolidus,
            V::FileWithHostAndWindowsDrive => Caution::WindowsDrive,
            _ => Caution::UrlUnit,
        }));
    };
    if let Ok(text) = std::str::from_utf8(text)
        && text.len() <= super::whatwg::URL_MAX
    {
        let options = ::url::Url::options().syntax_violation_callback(Some(&each));
        // OK to ignore: only the violations are wanted.
        let _ = options.parse(text);
    }
    *cautions = found.get();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, validate};

    fn names(profile: Profile, url: &str) -> Vec<&'static str> {
        let url = validate(profile, url.as_bytes()).unwrap();
        assert_eq!(
            url.cautions().is_empty(),
            url.cautions().iter().next().is_none()
        );
        let names = url.cautions().iter().map(Caution::name).collect::<Vec<_>>();
        let shown = url.cautions().iter().map(|caution| caution.to_string());
        assert!(shown.eq(names.iter().copied()));
        names
    }

    #[test]
    fn section_6_of_rfc_1738() {
        use Profile::{Current, Iri, Rfc1738, Url00};
        const MIXED: &[&str] = if cfg!(feature = "whatwg") {
            &["mixed-script"]
        } else {
            &[]
        };
        const PUNYCODE_MIXED: &[&str] = if cfg!(feature = "whatwg") {
            &["punycode", "mixed-script"]
        } else {
            &["punycode"]
        };
        for (profile, url, expected) in [
            (Current, "http://a.example/", &[][..]),
            (Current, "http://u:p@a.example/", &["password"]),
            (Current, "http://u:@a.example/", &["password"]),
            (Current, "http://u@a.example/", &["user"]),
            (Current, "ftp://u@a.example/", &[]),
            (Current, "http://a.example:80/", &[]),
            (Current, "http://a.example:0080/", &[]),
            (Current, "http://a.example:81/", &["low-port"]),
            (Current, "https://a.example:443/", &[]),
            (Current, "https://a.example:80/", &["low-port"]),
            (Current, "http://a.example:1024/", &[]),
            (Current, "http://a.example:/", &[]),
            (Current, "foo://a:7/", &["low-port"]),
            (Rfc1738, "http://a.example:65535/", &[]),
            (Rfc1738, "http://a.example:65616/", &["port-range"]),
            (Current, "foo://a:99999/", &["port-range"]),
            (Current, "foo://a:/", &[]),
            (Url00, "http://a:0000000080/", &[]),
            (
                Rfc1738,
                "gopher://a.example:25/0a%0D%0aQUIT",
                &["low-port", "encoded-cr", "encoded-lf"],
            ),
            (Current, "http://a.example/%00", &["encoded-nul"]),
            (Current, "http://a.example/%250D", &[]),
            (Url00, "ftp://u@a.example/", &[]),
            (Current, "http://0xC0000263/", &["ip-number"]),
            (Current, "http://192.0.2.99/", &[]),
            (Current, "x-msg://4/", &[]),
            (Current, "mailto:a@b.example?body=x%0D%0Ay", &[]),
            (Current, "http://XN--bcher-kva.example/", &["punycode"]),
            (Current, "http://axn--b.example/", &[]),
            (Iri, "http://p\u{430}ypal.example/", MIXED),
            (Current, "http://xn--pypal-4ve.example/", PUNYCODE_MIXED),
            (Iri, "http://\u{430}\u{431}.example/", &[]),
            (Iri, "http://\u{4F8B}\u{3048}-ab.example/", &[]),
            (Iri, "http://m\u{FC}ller.example/\u{430}", &[]),
            (
                Current,
                "http://www.bank.com@a.example/",
                &["user", "userinfo-looks-like-host"],
            ),
            (
                Current,
                "https://bank.com%2Flogin:x@a.example/",
                &["password", "userinfo-looks-like-host"],
            ),
        ] {
            assert_eq!(names(profile, url), expected, "{profile} {url}");
        }
    }

    #[test]
    fn numbers_are_addresses() {
        for (host, expected) in [
            ("0x7f.1", Some("127.0.0.1")),
            ("3232235777", Some("192.168.1.1")),
            ("0300.0250.1.1", Some("192.168.1.1")),
            ("192.168.257", Some("192.168.1.1")),
            ("1.2.3.010", Some("1.2.3.8")),
            ("4294967295.", Some("255.255.255.255")),
            ("0x", Some("0.0.0.0")),
            ("1.2.3.4", None),
            ("4294967296", None),
            ("256.1.1", None),
            ("1.2.3.4.5", None),
            ("1.2.3.4.0x5", None),
            ("1..2", None),
            ("09", None),
            ("0x+1", None),
            ("1.2.3.a", None),
            ("", None),
        ] {
            let found = address(host).map(|address| address.to_string());
            assert_eq!(found.as_deref(), expected, "{host}");
        }
    }
}
