//! Whether a host can be whole.

use super::parts::{Host, Url};

/// Names that end a host although they are on no list (RFC 6761, RFC 6762).
const RESERVED: [&str; 5] = ["example", "invalid", "local", "localhost", "test"];

impl Url<'_> {
    /// False if the host is a name that is no more than a public suffix, or does not end with
    /// one, so that it may be only the beginning of a host: `https://gi`, `git://git.kern`. An address, a host with a port and a
    /// URL without a host are whole. Without the feature `suffixes` there is no list, and a
    /// name with a dot is whole.
    #[doc(hidden)]
    pub fn has_known_host(&self) -> bool {
        let Some(Host::Name(name)) = self.host() else {
            return true;
        };
        let name = name.strip_suffix('.').unwrap_or(name);
        let top = name.rsplit('.').next().unwrap_or(name);
        #[cfg(feature = "suffixes")]
        let is_known = super::domain::is_registered(name.as_bytes());
        #[cfg(not(feature = "suffixes"))]
        let is_known = name.contains('.');
        let is_reserved = RESERVED.iter().any(|known| top.eq_ignore_ascii_case(known));
        is_known || is_reserved || self.port().is_some()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Profile, validate};

    #[test]
    fn hosts_that_may_be_whole() {
        let is_known = |url: &str| {
            let url = validate(Profile::Iri, url.as_bytes()).unwrap();
            url.has_known_host()
        };
        for whole in [
            "http://a.example",
            "http://A.ORG.",
            "http://localhost",
            "http://127.0.0.1",
            "http://[::1]",
            "http://gi:8080",
            "mailto:a@gi",
        ] {
            assert!(is_known(whole), "{whole}");
        }
        assert!(!is_known("https://gi"));
        #[cfg(feature = "suffixes")]
        assert!(!is_known("git://git.kernel"));
    }
}
