//! Serde support for enums whose variants have a `name`. The name is the
//! serialised string.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::Profile;
use crate::scan::{Doubt, Form, ReadingKind};
use crate::span::SeamKind;
use crate::url::{Caution, Rule};

/// An enum whose variants have names.
pub(crate) trait Named: Copy + 'static {
    const ALL: &'static [Self];
    fn name(self) -> &'static str;
}

/// The variant with this name.
#[cfg(feature = "ledger")]
pub(crate) fn from_name<T: Named>(name: &str) -> Option<T> {
    T::ALL.iter().copied().find(|value| value.name() == name)
}

/// Reads the name of a variant.
struct Name<T>(PhantomData<T>);

impl<T: Named> Visitor<'_> for Name<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of ")?;
        for (i, value) in T::ALL.iter().enumerate() {
            let separator = if i == 0 { "" } else { ", " };
            write!(f, "{separator}{}", value.name())?;
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<T, E> {
        let mut all = T::ALL.iter().copied();
        all.find(|value| value.name() == name)
            .ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(name), &self))
    }
}

macro_rules! by_name {
    ($($type:ident)+) => {$(
        impl Named for $type {
            const ALL: &'static [$type] = $type::ALL;

            fn name(self) -> &'static str {
                $type::name(self)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.name())
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$type, D::Error> {
                deserializer.deserialize_str(Name(PhantomData))
            }
        }
    )+};
}

by_name! { Caution Doubt Form Profile ReadingKind Rule SeamKind }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::{Seam, Span};

    #[test]
    fn names_are_read_back() {
        let seam = Seam {
            kind: SeamKind::QpByte,
            span: Span::new(3, 6),
            at: 2,
            len: 1,
        };
        let json = serde_json::to_string(&seam).unwrap();
        assert_eq!(
            json,
            r#"{"kind":"qp-byte","span":{"start":3,"end":6},"at":2,"len":1}"#
        );
        assert_eq!(serde_json::from_str::<Seam>(&json).unwrap(), seam);
        let profiles = serde_json::to_string(Profile::ALL).unwrap();
        let again: Vec<Profile> = serde_json::from_str(&profiles).unwrap();
        assert_eq!(again, Profile::ALL);
        let error = serde_json::from_str::<Form>(r#""bear""#).unwrap_err();
        assert!(
            error.to_string().contains("one of wrapped, bracketed"),
            "{error}"
        );
    }
}
