//! The profiles. Each is one table that maps schemes to rule functions.

use std::fmt;
use std::str::FromStr;

use super::class::ByteClass;
use super::cursor::Cursor;
use super::iri::Beyond;
use super::reject::{Refusal, Rule};
use super::{current, draft00, draft03, draft06, iri, rfc1630, rfc1738};

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

    /// Every rule that a [`Reject`](super::Reject) of
    /// [`validate`](super::validate) can have under this profile.
    /// [`Rule::TooLong`] is left out, because it needs a text of 4 GiB.
    #[must_use]
    pub const fn rules(self) -> &'static [Rule] {
        self.document().gives
    }

    /// True for the profiles of RFC 3986 and RFC 3987.
    #[inline]
    pub(super) const fn is_modern(self) -> bool {
        matches!(self, Profile::Current | Profile::Iri)
    }

    /// The document of the profile.
    #[inline]
    pub(super) const fn document(self) -> &'static Document {
        match self {
            Profile::Url00 => &draft00::DOCUMENT,
            Profile::Url03 => &draft03::DOCUMENT,
            Profile::WwwUri00 => &rfc1630::DOCUMENT,
            Profile::Url06 => &draft06::DOCUMENT,
            Profile::Rfc1738 => &rfc1738::DOCUMENT,
            Profile::Current => &current::DOCUMENT,
            Profile::Iri => &iri::DOCUMENT,
        }
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

/// Reads one production. The cursor starts after the scheme's colon. It ends at
/// the end of the URL, before the fragment.
pub(super) type RuleFn = fn(&mut Cursor<'_>) -> Result<(), Refusal>;

/// Reads `scheme`. Stops before the colon, or where the colon should be.
pub(super) type SchemeFn = fn(&mut Cursor<'_>) -> Result<(), Refusal>;

/// A profile as data.
pub(super) struct Document {
    /// The production `scheme`.
    pub(super) scheme: SchemeFn,
    /// The schemes with a production of their own. Only that production judges
    /// their URLs (docs/profiles.md, ruling 2). Common schemes come first.
    pub(super) schemes: &'static [(SchemeKey, RuleFn)],
    /// The production of any other scheme.
    pub(super) generic: RuleFn,
    /// The production after the `#`, and its name.
    pub(super) fragment: (&'static ByteClass, Rule),
    /// Whether a character beyond ASCII is allowed wherever an escape is.
    pub(super) beyond: Beyond,
    /// True if an empty fragment is equivalent to no fragment.
    pub(super) void_fragment: bool,
    /// The characters whose escapes [`canonical`](super::Url::canonical)
    /// decodes.
    pub(super) decodable: &'static ByteClass,
    /// Every rule that can fail under this profile.
    pub(super) gives: &'static [Rule],
}

impl Document {
    /// The rule function for the scheme `key`. Compares once for each row.
    #[inline]
    pub(super) fn rule(&self, key: SchemeKey) -> RuleFn {
        for &(own, rule) in self.schemes {
            if own == key {
                return rule;
            }
        }
        self.generic
    }
}

/// The name of a scheme as a number. Upper and lower case give the same number,
/// so one comparison is enough. All names of more than eight bytes share one
/// key, which no table contains.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct SchemeKey(u64);

impl SchemeKey {
    /// Fast path: the length and the key of `http` or `https`, which every
    /// document has. `None` means that the slow path must decide.
    #[inline]
    pub(super) fn of_web(url: &[u8]) -> Option<(usize, SchemeKey)> {
        const HTTP: SchemeKey = SchemeKey::of(b"http");
        const HTTPS: SchemeKey = SchemeKey::of(b"https");
        match url {
            [b'h', b't', b't', b'p', b':', ..] => Some((4, HTTP)),
            [b'h', b't', b't', b'p', b's', b':', ..] => Some((5, HTTPS)),
            _ => None,
        }
    }

    #[inline]
    pub(super) const fn of(scheme: &[u8]) -> SchemeKey {
        if scheme.len() > 8 {
            return SchemeKey(0);
        }
        let mut key = 0;
        let mut i = 0;
        while i < scheme.len() {
            // Setting bit 0x20 makes a letter lower case. It turns no other
            // byte of a scheme into a letter. So different schemes have
            // different keys.
            key = key << 8 | (scheme[i] | 0x20) as u64;
            i += 1;
        }
        SchemeKey(key)
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

    #[test]
    fn keys_ignore_case_and_nothing_else() {
        let http = SchemeKey::of(b"http");
        assert!(http == SchemeKey::of(b"HttP"));
        for other in [&b"httq"[..], b"htt", b"httpp", b"h\x14tp", b""] {
            assert!(http != SchemeKey::of(other));
        }
        for other in [&b"prosperox"[..], b"xprospero", b"attached", b"prosper"] {
            assert!(SchemeKey::of(b"prospero") != SchemeKey::of(other));
        }
    }

    #[test]
    fn a_document_lists_each_scheme_and_rule_once() {
        for &profile in Profile::ALL {
            let document = profile.document();
            for (i, row) in document.schemes.iter().enumerate() {
                assert!(document.schemes[..i].iter().all(|other| other.0 != row.0));
            }
            for (i, rule) in document.gives.iter().enumerate() {
                assert!(!document.gives[..i].contains(rule), "{profile} {rule}");
            }
        }
    }
}
