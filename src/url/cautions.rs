//! Cautions: reasons to be careful with a valid URL (RFC 1738 section 6).

use super::parts::{Kind, Url};
use crate::names::{Set, named};

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
        /// The link and the text of an HTML link are URLs with different hosts. No
        /// single URL has this caution. See
        /// [`Match::cautions`](crate::search::Match::cautions).
        TextDiffers => "text-differs",
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
        #[cfg(feature = "whatwg")]
        if self.profile() == super::Profile::Whatwg {
            violations(self.as_bytes(), &mut cautions);
        }
        let mut rest = self.as_bytes();
        while let Some(at) = memchr::memchr(b'%', rest) {
            let escape = rest.get(at + 1..at + 3).unwrap_or_default();
            cautions.add(Caution::EncodedCr, escape.eq_ignore_ascii_case(b"0D"));
            cautions.add(Caution::EncodedLf, escape.eq_ignore_ascii_case(b"0A"));
            cautions.add(Caution::EncodedNul, escape == b"00");
            rest = rest.get(at + 3..).unwrap_or_default();
        }
        cautions
    }
}

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
    use crate::url::{Profile, validate};

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
        use Profile::{Current, Rfc1738, Url00};
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
        ] {
            assert_eq!(names(profile, url), expected, "{profile} {url}");
        }
    }
}
