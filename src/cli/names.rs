//! Names that are probably misspelt.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

/// A typed scheme that is probably misspelt. A text may contain the same
/// misspelling. So the program can decide only at the end of a run.
#[derive(Debug)]
pub struct Misspelt {
    option: &'static str,
    name: String,
    /// The known scheme that is most similar, or an option.
    near: &'static str,
    is_found: AtomicBool,
}

impl Misspelt {
    /// The unknown names of `option` that are similar to a known scheme.
    pub fn of(option: &'static str, names: &[String]) -> impl Iterator<Item = Misspelt> {
        names.iter().filter_map(move |name| {
            let name = name.trim().trim_end_matches('/').trim_end_matches(':');
            let name = name.to_ascii_lowercase();
            let mut near = SCHEMES.iter().filter(|near| is_near(&name, near));
            let is_known = SCHEMES.contains(&&*name);
            // Not a scheme, but hosts without one begin so.
            let www = (name == "www").then_some("--www");
            Some(Misspelt {
                option,
                near: www.or(near.next().copied()).filter(|_| !is_known)?,
                name,
                is_found: AtomicBool::new(false),
            })
        })
    }

    /// Records that a URL has this `scheme`.
    pub fn find(&self, scheme: &[u8]) {
        if scheme.eq_ignore_ascii_case(self.name.as_bytes()) {
            self.is_found.store(true, Ordering::Relaxed);
        }
    }

    /// The name as it was typed, in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// True if a URL has this scheme.
    pub fn is_found(&self) -> bool {
        self.is_found.load(Ordering::Relaxed)
    }
}

impl fmt::Display for Misspelt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (option, name, near) = (self.option, &self.name, self.near);
        let meant = format_args!("did you mean {near}?");
        write!(f, "{option} {name}: no such URL was found; {meant}")
    }
}

/// Schemes in use. Typed names are compared with them to find misspellings.
pub const SCHEMES: &[&str] = &[
    "http", "https", "ftp", "file", "mailto", "news", "nntp", "snews", "gopher", "telnet", "wais",
    "prospero", "mid", "cid", "urn", "tel", "sip", "sips", "xmpp", "data", "doi", "magnet", "ws",
    "wss", "ldap", "ldaps", "irc", "ircs", "git", "ssh", "svn", "sftp", "rsync", "imap", "pop",
    "dav", "afs", "nfs", "smb", "feed", "info", "tag", "about",
];

/// True if one letter was added, omitted, changed, or swapped with the next
/// letter.
pub fn is_near(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    match (a, b) {
        ([], [_]) | ([_], []) => true,
        ([x, a @ ..], [y, b @ ..]) => {
            let swapped = |a: &[u8], b: &[u8]| matches!((a, b), ([v, a @ ..], [w, b @ ..]) if v == y && w == x && a == b);
            // Two names of three letters differ in one letter too often.
            let long = a.len() + b.len() + 2 * same > 4;
            swapped(a, b)
                || long && (a == b || a == [&[*y], b].concat() || b == [&[*x], a].concat())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_schemes_have_a_near_one() {
        let near = |name: &str| {
            let misspelt = Misspelt::of("--scheme", &[name.to_owned()]).next();
            misspelt.map_or("", |misspelt| misspelt.near)
        };
        for (slip, name) in [
            ("htp", "http"),
            ("hhtp", "http"),
            ("htttp:", "http"),
            ("httpss", "https"),
            ("HTPT://", "http"),
            ("fpt", "ftp"),
            ("gofer", ""),
            ("maito", "mailto"),
        ] {
            assert_eq!(near(slip), name, "{slip}");
        }
        for known in SCHEMES {
            assert_eq!(near(known), "", "{known}");
        }
    }
}
