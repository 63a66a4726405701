//! Enums whose variants have names, and sets of their variants.

use std::fmt;
use std::marker::PhantomData;

/// A word of at most eight bytes as a number. 0 for a longer word. One comparison
/// of numbers then replaces one of bytes. Setting bit 0x20 makes a letter lower
/// case and makes no letter of another byte, so words of letters have one key
/// whatever their case, and different words have different keys.
pub const fn key(word: &[u8]) -> u64 {
    let mut key = 0;
    let mut i = 0;
    while i < word.len() && word.len() <= 8 {
        key = key << 8 | (word[i] | 0x20) as u64;
        i += 1;
    }
    key
}

/// The [`key`] of each word.
pub const fn keys<const N: usize>(words: &[&[u8]; N]) -> [u64; N] {
    let mut keys = [0; N];
    let mut i = 0;
    while i < N {
        keys[i] = key(words[i]);
        i += 1;
    }
    keys
}

/// Declares an enum whose variants have names. The names are the words of the
/// command line and of the output. A variant after `["feature"]` needs it. The
/// enum is displayed by its names, or by the second texts if there are any.
#[macro_export]
macro_rules! named {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$doc:meta])* $([$feature:literal])? $variant:ident => $text:literal $(: $shown:literal)?,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$doc])* $(#[cfg(feature = $feature)])? $variant,)+
        }

        impl $name {
            /// Every variant, in order.
            pub const ALL: &[$name] = &[$(
                $(#[cfg(feature = $feature)])?
                $name::$variant,
            )+];

            /// The name on the command line and in the output.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(
                        $(#[cfg(feature = $feature)])?
                        $name::$variant => $text,
                    )+
                }
            }

            /// The variant with this name. Case matters.
            #[must_use]
            pub fn from_name(name: &str) -> Option<$name> {
                $name::ALL.iter().copied().find(|one| one.name() == name)
            }
        }

        impl $crate::names::Named for $name {
            const ALL: &'static [$name] = $name::ALL;

            fn bit(self) -> u32 {
                1 << self as u32
            }
        }

        impl $name {
            /// The second text, or the name.
            pub(crate) const fn shown(self) -> &'static str {
                match self {
                    $(
                        $(#[cfg(feature = $feature)])?
                        $name::$variant => $crate::named!(@last $text $($shown)?),
                    )+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.shown())
            }
        }
    };
    (@last $name:literal) => { $name };
    (@last $name:literal $shown:literal) => { $shown };
}

/// An enum whose variants have names. At most 32 of them can be in a [`Set`].
pub trait Named: Copy + fmt::Display + 'static {
    /// Every variant, in order.
    const ALL: &'static [Self];
    /// The bit of the variant in a set.
    fn bit(self) -> u32;
}

/// A set of forms, doubts or cautions. It displays as their names with commas
/// between them.
///
/// ```
/// use urlgrep::{Doubt, Extractor, Profile};
///
/// let text = b"<URL:http://a.example/b c>";
/// let hit = Extractor::new(Profile::Iri).find_iter(text).next().unwrap();
/// assert!(hit.doubts().has(Doubt::InnerSpace));
/// assert_eq!(hit.doubts().to_string(), "inner-space");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Set<T> {
    bits: u32,
    of: PhantomData<T>,
}

impl<T> Set<T> {
    /// The empty set.
    pub const NONE: Set<T> = Set {
        bits: 0,
        of: PhantomData,
    };
}

impl<T: Named> Set<T> {
    /// This set and `one`.
    #[doc(hidden)]
    #[must_use]
    pub fn with(mut self, one: T) -> Set<T> {
        self.bits |= one.bit();
        self
    }

    /// Adds `one` if `if_true`.
    #[doc(hidden)]
    pub fn add(&mut self, one: T, if_true: bool) {
        self.bits |= u32::from(if_true) * one.bit();
    }

    /// Adds the members of `other`.
    #[doc(hidden)]
    pub fn add_all(&mut self, other: Set<T>) {
        self.bits |= other.bits;
    }

    /// True if `one` is in the set.
    #[must_use]
    pub fn has(self, one: T) -> bool {
        self.bits & one.bit() != 0
    }

    /// True if the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// The members of the set, in the order of `ALL`.
    pub fn iter(self) -> impl Iterator<Item = T> {
        T::ALL.iter().copied().filter(move |&one| self.has(one))
    }
}

impl<T> Default for Set<T> {
    fn default() -> Set<T> {
        Set::NONE
    }
}

impl<T: Named> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Set<T> {
        all.into_iter().fold(Set::NONE, Set::with)
    }
}

impl<T: Named> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{{{self}}}")
    }
}

impl<T: Named> fmt::Display for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, one) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{one}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    named! {
        /// Sounds of animals.
        pub enum Sound {
            /// Of a dog.
            Bark => "bark",
            /// Of a cat.
            Purr => "purr": "a low purr",
            /// Of a sheep.
            Bleat => "bleat",
        }
    }

    #[test]
    fn keys_ignore_case_and_nothing_else() {
        let words = [
            &b"http"[..],
            b"httq",
            b"htt",
            b"httpp",
            b"h\x14tp",
            b"prosper",
            b"prospero",
        ];
        for (i, word) in words.into_iter().enumerate() {
            assert_eq!(key(word), key(&word.to_ascii_uppercase()));
            assert!(words[..i].iter().all(|other| key(other) != key(word)));
        }
        assert_eq!(key(b"prosperox"), 0);
    }

    #[test]
    fn sets_have_what_they_were_given() {
        let set: Set<Sound> = [Sound::Bleat, Sound::Bark].into_iter().collect();
        assert!(set.has(Sound::Bark) && !set.has(Sound::Purr));
        assert_eq!(set.iter().collect::<Vec<_>>(), [Sound::Bark, Sound::Bleat]);
        assert_eq!(set.to_string(), "bark, bleat");
        assert_eq!(Set::NONE.with(Sound::Purr).to_string(), "a low purr");
        assert!(Set::<Sound>::NONE.is_empty() && !set.is_empty());
        for &sound in Sound::ALL {
            assert_eq!(Sound::from_name(sound.name()), Some(sound));
        }
        assert_eq!(Sound::from_name("Bark"), None);
    }
}
