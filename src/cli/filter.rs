//! Which hits are wanted, by what their URL is.

use aho_corasick::AhoCorasick;
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use regex::bytes::{RegexSet, RegexSetBuilder};

use super::args::FilterArgs;
use super::error::ConfigError;
use urlgrep::extract::Hit;

/// How much a compiled set of patterns can hold. Ten times the default, since
/// `-f` makes one set of a whole file.
const REGEX_SIZE: usize = 100 << 20;

/// Accepts or refuses hits. Cloned for each thread: a clone of a [`RegexSet`] has
/// scratch memory of its own.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    patterns: Option<Patterns>,
    invert: bool,
    /// In lower case.
    schemes: Vec<Vec<u8>>,
    hosts: Option<Hosts>,
}

/// Searches for all patterns at once, in time linear in the text.
#[derive(Clone, Debug)]
enum Patterns {
    Regex(RegexSet),
    /// Plain strings. Compiling them is linear in their length, which a set of
    /// as many expressions is not: 200,000 of them took 81 s.
    Fixed(AhoCorasick),
}

#[derive(Clone, Debug)]
struct Hosts {
    /// Names without wild cards, in lower case: they match subdomains too.
    names: Vec<Vec<u8>>,
    globs: GlobSet,
}

impl Filter {
    /// The filter that `args` describe; `lines` are the patterns read from
    /// the files that they name.
    ///
    /// # Errors
    ///
    /// A pattern that is not well formed.
    pub fn new(args: &FilterArgs, lines: Vec<String>) -> Result<Filter, ConfigError> {
        let has_patterns = !args.regexp.is_empty() || !args.pattern_file.is_empty();
        let patterns = if has_patterns {
            let all: Vec<_> = args.regexp.iter().chain(&lines).collect();
            Some(Patterns::new(&all, args.fixed_strings, args.ignore_case)?)
        } else {
            None
        };
        Ok(Filter {
            patterns,
            invert: args.invert_match,
            schemes: args.scheme.iter().map(|s| scheme_name(s)).collect(),
            hosts: if args.host.is_empty() {
                None
            } else {
                Some(Hosts::new(&args.host)?)
            },
        })
    }

    /// True if the hit is wanted. Only what the grammar accepts has a host;
    /// the scheme of anything else is what stands before its first colon.
    #[must_use]
    pub fn accepts(&self, hit: &Hit) -> bool {
        let text = hit.url();
        if !self.schemes.is_empty() {
            let end = text.iter().position(|&b| b == b':').unwrap_or(text.len());
            if !self
                .schemes
                .iter()
                .any(|s| s.eq_ignore_ascii_case(&text[..end]))
            {
                return false;
            }
        }
        if let Some(hosts) = &self.hosts {
            let host = hit.verdict().ok().and_then(|url| url.host());
            if !host.is_some_and(|host| hosts.accept(host.as_bytes())) {
                return false;
            }
        }
        match &self.patterns {
            Some(patterns) => patterns.is_match(text) != self.invert,
            // Without a pattern nothing matches, so `-v` refuses nothing.
            None => true,
        }
    }
}

impl Patterns {
    /// Matches where any of `patterns` does. No pattern matches nothing, as an
    /// empty pattern file does for grep.
    ///
    /// # Errors
    ///
    /// A pattern that is not well formed, or too many of them.
    fn new(patterns: &[&String], fixed: bool, ignore_case: bool) -> Result<Patterns, ConfigError> {
        let fail = |e: &dyn std::fmt::Display| ConfigError::new(format!("pattern: {e}"));
        // Only the regex engine folds letters beyond ASCII.
        if fixed && (!ignore_case || patterns.iter().all(|p| p.is_ascii())) {
            return AhoCorasick::builder()
                .ascii_case_insensitive(ignore_case)
                .build(patterns.iter().map(|p| p.as_bytes()))
                .map(Patterns::Fixed)
                .map_err(|e| fail(&e));
        }
        let escaped = |p: &&String| {
            if fixed {
                regex::escape(p)
            } else {
                p.to_string()
            }
        };
        RegexSetBuilder::new(patterns.iter().map(escaped))
            .case_insensitive(ignore_case)
            .size_limit(REGEX_SIZE)
            .build()
            .map(Patterns::Regex)
            .map_err(|e| fail(&e))
    }

    fn is_match(&self, text: &[u8]) -> bool {
        match self {
            Patterns::Regex(set) => set.is_match(text),
            Patterns::Fixed(strings) => strings.is_match(text),
        }
    }
}

/// `http`, `http:` and `HTTP://` mean the same.
fn scheme_name(typed: &str) -> Vec<u8> {
    typed
        .trim_end_matches('/')
        .trim_end_matches(':')
        .to_ascii_lowercase()
        .into_bytes()
}

impl Hosts {
    fn new(typed: &[String]) -> Result<Hosts, ConfigError> {
        let mut names = Vec::new();
        let mut globs = GlobSetBuilder::new();
        for host in typed {
            if host.contains(['*', '?', '{', '[']) {
                let glob = GlobBuilder::new(host.trim_end_matches('.'))
                    .case_insensitive(true)
                    .build();
                globs.add(glob.map_err(|e| ConfigError::new(format!("--host {host:?}: {e}")))?);
            } else {
                names.push(host.trim_matches('.').to_ascii_lowercase().into_bytes());
            }
        }
        let globs = globs
            .build()
            .map_err(|e| ConfigError::new(format!("--host: {e}")))?;
        Ok(Hosts { names, globs })
    }

    fn accept(&self, host: &[u8]) -> bool {
        // `example.org.` is the same host, and brackets only mark an address.
        let host = host.strip_suffix(b".").unwrap_or(host);
        let host = host
            .strip_prefix(b"[")
            .and_then(|h| h.strip_suffix(b"]"))
            .unwrap_or(host);
        self.names.iter().any(|name| is_within(host, name))
            || (!self.globs.is_empty()
                && self.globs.is_match_candidate(&Candidate::from_bytes(host)))
    }
}

/// True if `host` is `domain` (in lower case) or a name below it.
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
        Hosts::new(&typed.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()).unwrap()
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
    }

    #[test]
    fn patterns_are_joined() {
        let make = |patterns: &[&str], fixed, case| {
            let patterns: Vec<String> = patterns.iter().map(|s| (*s).to_owned()).collect();
            Patterns::new(&patterns.iter().collect::<Vec<_>>(), fixed, case)
        };
        let re = make(&["^a", "(?x) b # comment", "c$"], false, true).unwrap();
        assert!(
            re.is_match(b"Ax") && re.is_match(b"xbx") && re.is_match(b"xC") && !re.is_match(b"xcx")
        );
        assert!(make(&["a)(b"], false, false).is_err());
        let re = make(&["a.b", "("], true, false).unwrap();
        assert!(re.is_match(b"xa.bx") && re.is_match(b"(") && !re.is_match(b"aXb"));
        for fixed in [false, true] {
            assert!(!make(&[], fixed, false).unwrap().is_match(b""));
            assert!(make(&[""], fixed, false).unwrap().is_match(b""));
            let re = make(&["É", "b.c"], fixed, true).unwrap();
            assert!(re.is_match("xé".as_bytes()) && re.is_match(b"xB.Cx"));
        }
        assert!(make(&["B.c"], true, true).unwrap().is_match(b"xb.Cx"));
    }

    #[test]
    fn schemes_may_have_their_colon() {
        assert_eq!(scheme_name("HTTP://"), b"http");
        assert_eq!(scheme_name("mailto:"), b"mailto");
    }
}
