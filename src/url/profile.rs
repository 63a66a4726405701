//! The profiles. Each is one table that maps schemes to rule functions.

use std::fmt;
use std::str::FromStr;

/// The document that decides whether a string is a URL.
///
/// The five early profiles follow the BNF of their document to the letter. They
/// are closed: nothing new is added. `Current` follows today's RFCs. `Iri`
/// accepts every URL of `Current` with the same parts, and also characters
/// beyond ASCII.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Profile {
    /// draft-ietf-uri-url-00, 1993.
    Url00,
    /// draft-ietf-uri-url-03, 1993/94.
    Url03,
    /// draft-www-uri-00, March 1994, which became RFC 1630.
    WwwUri00,
    /// draft-ietf-uri-url-06, August 1994.
    Url06,
    /// RFC 1738, December 1994.
    Rfc1738,
    /// RFC 3986 and the RFCs of the schemes.
    Current,
    /// RFC 3987: `Current` and characters beyond ASCII. The default.
    #[default]
    Iri,
}

impl Profile {
    /// Every profile, the oldest first.
    pub const ALL: &[Profile] = &[
        Profile::Url00,
        Profile::Url03,
        Profile::WwwUri00,
        Profile::Url06,
        Profile::Rfc1738,
        Profile::Current,
        Profile::Iri,
    ];

    /// The name for [`FromStr`] and for the command line: `url-00`, `url-03`,
    /// `www-uri-00`, `url-06`, `rfc1738`, `current`, `iri`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Profile::Url00 => "url-00",
            Profile::Url03 => "url-03",
            Profile::WwwUri00 => "www-uri-00",
            Profile::Url06 => "url-06",
            Profile::Rfc1738 => "rfc1738",
            Profile::Current => "current",
            Profile::Iri => "iri",
        }
    }

    /// True for the profiles of RFC 3986 and RFC 3987.
    #[inline]
    pub(super) const fn is_modern(self) -> bool {
        matches!(self, Profile::Current | Profile::Iri)
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that no profile has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownProfile;

impl fmt::Display for UnknownProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no such profile; there are ")?;
        for (i, profile) in Profile::ALL.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{profile}")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownProfile {}

impl FromStr for Profile {
    type Err = UnknownProfile;

    /// Parses a name of [`Profile::name`]. Case matters.
    fn from_str(name: &str) -> Result<Profile, UnknownProfile> {
        let mut all = Profile::ALL.iter().copied();
        all.find(|profile| profile.name() == name)
            .ok_or(UnknownProfile)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for &profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
        }
        assert_eq!("RFC1738".parse::<Profile>(), Err(UnknownProfile));
        assert!(
            UnknownProfile
                .to_string()
                .ends_with("rfc1738, current, iri")
        );
    }
}
