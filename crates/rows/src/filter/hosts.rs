//! Names of schemes and hosts. Checks the names, and matches hosts.

use std::borrow::Cow;

use globset::{Candidate, Glob, GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::UnicodeNormalization;
use urlgrep_url::punycode;

use super::given::FilterError;

/// The hosts of the option `host` or `exclude_host`.
#[derive(Clone, Debug)]
pub struct Hosts {
    /// Names without wildcards, in lower case and in ASCII. They also match subdomains.
    pub names: Vec<Vec<u8>>,
    pub globs: GlobSet,
    /// Domains that contain every accepted host. Empty if a glob may accept others.
    pub domains: Vec<String>,
}

/// Normalizes names of schemes. `http`, `http:` and `HTTP://` are the same
/// name. An invalid name is an error.
pub fn schemes(option: &str, typed: &[String]) -> Result<Vec<String>, FilterError> {
    let name = |typed: &str| {
        let name = typed.trim_end_matches('/').trim_end_matches(':');
        let name = name.to_ascii_lowercase();
        let is_mark = |b: u8| b"+-.".contains(&b);
        // RFC 3986, section 3.1: ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
        let well_formed = name.as_bytes().first().is_some_and(u8::is_ascii_alphabetic)
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || is_mark(b));
        if well_formed {
            Ok(name)
        } else if name.is_empty() {
            Err(missing(option, "scheme"))
        } else {
            let is_pattern = name.contains(['*', '?', '|', '(', '[', '^']);
            let list = if is_pattern {
                ", and no pattern; commas separate a list, such as http,https".to_owned()
            } else if let Some(name) = name.strip_prefix('!') {
                format!("; use --exclude-scheme {name}")
            } else {
                String::new()
            };
            Err(FilterError::new(format!(
                "{option} {typed}: this is not a valid scheme{list}"
            )))
        }
    };
    typed
        .iter()
        .flat_map(|typed| list(typed))
        .map(name)
        .collect()
}

/// The elements of a list, without the blanks around them. A comma in the braces
/// or brackets of a glob does not separate.
pub fn list(typed: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let is_end = move |c| {
        depth += i32::from("{[".contains(c)) - i32::from("}]".contains(c));
        c == ',' && depth <= 0
    };
    typed.split(is_end).map(str::trim)
}

/// An item of a list is empty.
pub fn missing(option: &str, what: &str) -> FilterError {
    let text = format!("{option}: a {what} is missing; is there a comma too many?");
    FilterError::new(text)
}

/// Refuses a name that cannot be a host. The error has the reason.
fn check_host(option: &str, typed: &str) -> Result<(), FilterError> {
    let fail = |why: &str| Err(FilterError::new(format!("{option} {typed}: {why}")));
    if typed.is_empty() {
        return Err(missing(option, "host"));
    }
    if let Some(name) = typed.strip_prefix('!') {
        return fail(&format!("use --exclude-host {name}"));
    }
    if let Some(at) = typed.find('/') {
        let rest = typed[at..].trim_start_matches('/');
        let host = if typed[..at].ends_with(':') {
            rest
        } else {
            &typed[..at]
        };
        return fail(&match host.split('/').next() {
            None | Some("") => "a host has no `/`".to_owned(),
            Some(host) => format!("a host has no `/`; use {option} {host}"),
        });
    }
    if let Some((host, port)) = typed.rsplit_once(':')
        && !host.contains(':')
        && port.bytes().all(|b| b.is_ascii_digit())
    {
        return fail(&format!("a host has no port; use {option} {host}, or -e"));
    }
    if let Some(host) = typed.strip_prefix('-') {
        return fail(&format!("use --exclude-host {host}"));
    }
    if typed.contains('|') && !typed.contains(['^', '$', '\\', '(', '+']) {
        let hosts = typed.replace('|', ",");
        return fail(&format!("commas separate a list: {option} {hosts}"));
    }
    if typed.contains(['^', '$', '\\', '(', '|', '+']) {
        return fail("a host is a glob such as `*.example.org`, not a regular expression");
    }
    if let Some((user, host)) = typed.split_once('@')
        && !user.is_empty()
        && !host.is_empty()
    {
        return fail(&format!("a host has no user; use {option} {host}"));
    }
    if typed.starts_with('@') {
        return fail(&format!(
            "a mail address has no host here; use -e {typed}, or --from for authors"
        ));
    }
    if typed.split_whitespace().count() > 1 {
        let hosts: Vec<_> = typed.split_whitespace().collect();
        return fail(&format!(
            "commas separate a list: {option} {}",
            hosts.join(",")
        ));
    }
    if typed.contains(|c: char| c.is_whitespace() || c == '@' || c == '#') {
        return fail("this is not a valid host");
    }
    Ok(())
}

impl Hosts {
    /// Compiles the hosts of an option. `None` if there are none.
    ///
    /// # Errors
    ///
    /// A name is not that of a host, or a glob is malformed.
    pub fn new(option: &str, typed: &[String]) -> Result<Option<Hosts>, FilterError> {
        if typed.is_empty() {
            return Ok(None);
        }
        let mut names = Vec::new();
        let mut globs = GlobSetBuilder::new();
        let mut domains = Some(Vec::new());
        for host in typed.iter().flat_map(|typed| list(typed)) {
            check_host(option, host)?;
            // The brackets of an IPv6 address do not belong to a glob.
            let address = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
            let host = address.filter(|h| h.contains(':')).unwrap_or(host);
            let is_glob = |host: &str| host.contains(['*', '?', '{', '[']);
            let domain = host.strip_prefix("*.").unwrap_or(host);
            if is_glob(domain) {
                domains = None;
            } else if has_two_forms(domain.as_bytes()) {
                // The host of a URL is as it was written.
                domains = None;
            } else if let Some(all) = &mut domains {
                // The host of a URL has the brackets of an address.
                all.push(if host.contains(':') {
                    format!("[{}]", host.to_ascii_lowercase())
                } else {
                    domain.trim_matches('.').to_ascii_lowercase()
                });
            }
            if is_glob(host) {
                globs.add(glob(option, host.trim_end_matches('.'))?);
                let plain = host.strip_prefix("*.").filter(|rest| !is_glob(rest));
                if let Some(rest) = plain.filter(|rest| !rest.is_ascii()) {
                    globs.add(glob(option, &format!("*.{}", in_ascii(rest)))?);
                }
            } else {
                let name = in_ascii(host.trim_matches('.')).to_ascii_lowercase();
                names.push(name.into_bytes());
            }
        }
        let globs = globs
            .build()
            .map_err(|e| FilterError::new(format!("{option}: {e}")))?;
        Ok(Some(Hosts {
            names,
            globs,
            domains: domains.unwrap_or_default(),
        }))
    }

    /// True if a name or a glob matches the host.
    pub fn accept(&self, host: &[u8]) -> bool {
        // `example.org.` is the same host as `example.org`. Brackets only
        // delimit an address.
        let host = host.strip_suffix(b".").unwrap_or(host);
        let host = host
            .strip_prefix(b"[")
            .and_then(|h| h.strip_suffix(b"]"))
            .unwrap_or(host);
        let ascii = match std::str::from_utf8(host) {
            Ok(text) if !text.is_ascii() => Cow::Owned(in_ascii(text).into_owned().into_bytes()),
            _ => Cow::Borrowed(host),
        };
        let is_match = |host: &[u8]| self.globs.is_match_candidate(&Candidate::from_bytes(host));
        self.names.iter().any(|name| is_within(&ascii, name))
            || !self.globs.is_empty() && (is_match(host) || is_match(&ascii))
    }
}

fn glob(option: &str, host: &str) -> Result<Glob, FilterError> {
    let glob = GlobBuilder::new(host).case_insensitive(true).build();
    glob.map_err(|e| FilterError::new(format!("{option} {host:?}: {e}")))
}

/// True if the host is not in ASCII, or has a label in Punycode. It then has another form that is
/// the same host.
fn has_two_forms(host: &[u8]) -> bool {
    let is_punycode = |label: &[u8]| label.len() > 4 && label[..4].eq_ignore_ascii_case(b"xn--");
    !host.is_ascii() || host.split(|&b| b == b'.').any(is_punycode)
}

/// The host in ASCII: `münchen.example` and `xn--mnchen-3ya.example` are one host (RFC 3490,
/// section 3.1). Composed (NFC) first, as its section 4 asks. A host that has no such form stays
/// as it is.
fn in_ascii(host: &str) -> Cow<'_, str> {
    if host.is_ascii() {
        return Cow::Borrowed(host);
    }
    let name: String = host.nfc().collect();
    Cow::Owned(punycode::to_ascii(&name).unwrap_or(name))
}

/// True if `host` is `domain` (in lower case) or a subdomain of it.
fn is_within(host: &[u8], domain: &[u8]) -> bool {
    let Some(at) = host.len().checked_sub(domain.len()) else {
        return false;
    };
    host[at..].eq_ignore_ascii_case(domain) && (at == 0 || host[at - 1] == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(typed: &[&str]) -> Hosts {
        let typed: Vec<_> = typed.iter().map(|s| (*s).to_owned()).collect();
        Hosts::new("--host", &typed).unwrap().unwrap()
    }

    #[test]
    fn a_plain_host_matches_subdomains() {
        let h = hosts(&["Example.org"]);
        for yes in [
            "example.org",
            "www.EXAMPLE.org",
            "a.b.example.org",
            "example.org.",
        ] {
            assert!(h.accept(yes.as_bytes()), "{yes}");
        }
        for no in [
            "example.com",
            "badexample.org",
            "org",
            "example.org.evil.net",
            "",
        ] {
            assert!(!h.accept(no.as_bytes()), "{no}");
        }
    }

    #[test]
    fn a_glob_matches_the_whole_host() {
        let h = hosts(&["ftp.*.EDU", "::1"]);
        assert!(h.accept(b"FTP.cs.cmu.edu") && h.accept(b"[::1]"));
        assert!(!h.accept(b"ftp.cs.cmu.edu.au") && !h.accept(b"x.ftp.cmu.edu"));
        assert!(hosts(&["[::1]"]).accept(b"[::1]"));
    }

    #[test]
    fn a_host_in_punycode_is_the_same_host() {
        let forms = [
            "münchen.example",
            "MÜNCHEN.example",
            "mu\u{308}nchen.example.",
            "xn--mnchen-3ya.example",
            "XN--mnchen-3YA.example",
        ];
        for typed in forms {
            let h = hosts(&[typed]);
            assert!(h.domains.is_empty(), "{typed}");
            for host in forms {
                assert!(h.accept(host.as_bytes()), "{typed}: {host}");
                assert!(
                    h.accept(format!("www.{host}").as_bytes()),
                    "{typed}: {host}"
                );
            }
            for no in [
                "munchen.example",
                "xn--mnchen-3yb.example",
                "bünchen.example",
            ] {
                assert!(!h.accept(no.as_bytes()), "{typed}: {no}");
            }
        }
        let h = hosts(&["*.münchen.example", "*bücher*"]);
        for yes in [
            "a.münchen.example",
            "a.xn--mnchen-3ya.example",
            "x.bücher.example",
        ] {
            assert!(h.accept(yes.as_bytes()), "{yes}");
        }
        assert!(!h.accept(b"xn--mnchen-3ya.example"));
        assert_eq!(hosts(&["a.example"]).domains, ["a.example"]);
    }

    #[test]
    fn schemes_may_have_their_colon() {
        let of = |name: &str| schemes("--scheme", &[name.to_owned()]);
        assert_eq!(of("HTTP://").unwrap(), ["http"]);
        assert_eq!(of("mailto:").unwrap(), ["mailto"]);
        assert_eq!(of("hxxp").unwrap(), ["hxxp"]);
        for no in ["", "1a", "a/b", "a b"] {
            assert!(of(no).is_err(), "{no}");
        }
    }

    #[test]
    fn names_that_are_not_hosts_have_a_reason() {
        for (typed, why) in [
            ("https://x.org/", "use --host x.org"),
            ("https://x.org/a/b", "use --host x.org"),
            ("www.x.org/", "use --host www.x.org"),
            ("x.org:80", "use --host x.org"),
            ("!x.org", "use --exclude-host x.org"),
            ("joe@x.org", "use --host x.org"),
            ("@x.org", "use -e @x.org, or --from for authors"),
            ("x.org#a", "not a valid host"),
            ("x.org  y.org", "commas separate a list: --host x.org,y.org"),
            ("", "a host is missing; is there a comma too many?"),
        ] {
            let error = check_host("--host", typed).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        for typed in [
            "x.org",
            "*.x.{org,net}",
            "[a-z]?.org",
            "::1",
            "[::1]",
            "käse.example",
        ] {
            assert!(check_host("--host", typed).is_ok(), "{typed}");
        }
    }
}
