//! The grammar.

mod canonical;
mod cautions;
mod class;
mod components;
mod current;
mod cursor;
mod draft00;
mod draft03;
mod draft06;
mod parts;
mod profile;
mod reject;
mod resolve;
mod rfc1630;
mod rfc1738;
#[cfg(test)]
mod tests;

pub use cautions::{Caution, Cautions};
pub use components::{News, Parts, decode};
pub use parts::{Host, Meta, Url};
pub use profile::{Profile, UnknownProfile};
pub use reject::{Found, Reject, Rule};
pub use resolve::resolve;

use cursor::Cursor;
use reject::Fault;

/// Whether `url` is a URL by `profile`, and its parts if it is.
#[inline]
pub fn validate(profile: Profile, url: &[u8]) -> Result<Url<'_>, Reject> {
    match read(profile, url, Production::OfScheme) {
        Ok(meta) => Ok(Url::new(url, meta)),
        Err(fault) => Err(Reject::new(profile, url, fault)),
    }
}

/// As [`validate`], but content with the generic production.
fn check(profile: Profile, url: &[u8]) -> Result<(), Reject> {
    let verdict = read(profile, url, Production::OfScheme);
    match verdict.or_else(|fault| read(profile, url, Production::Generic).map_err(|_| fault)) {
        Ok(_) => Ok(()),
        Err(fault) => Err(Reject::new(profile, url, fault)),
    }
}

/// Which production judges what follows the scheme.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Production {
    /// The scheme's own if it has one (PROFILES.md, ruling 2).
    OfScheme,
    Generic,
}

#[inline]
fn read(profile: Profile, url: &[u8], production: Production) -> Result<Meta, Fault> {
    // One value is kept free for "no such place".
    let len = match u32::try_from(url.len()) {
        Ok(len) if len < u32::MAX => len,
        _ => {
            return Err(Fault {
                rule: Rule::TooLong,
                at: u32::MAX,
            });
        }
    };
    let document = profile.document();
    let mut cursor = Cursor::new(url);
    (document.scheme)(&mut cursor)?;
    let scheme = cursor.since(0);
    let scheme_end = cursor.mark();
    if !cursor.eat(b':') {
        return Err(cursor.fault(Rule::Scheme));
    }
    let rule = match production {
        Production::OfScheme => document.rule(scheme),
        Production::Generic => document.generic,
    };
    rule(&mut cursor)?;
    let end = cursor.mark();
    if cursor.eat(b'#') {
        let (class, rule) = document.fragment;
        cursor.run(class, rule)?;
        cursor.exhausted(rule)?;
    }
    Ok(Meta::new(profile, scheme_end, cursor.shape(), end, len))
}
