//! The parts of an [`OwnedRecord`].

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

use super::value::Value;
use super::{OwnedRecord, Row};
use urlgrep_base::digits::{from_padded_base64, put_base64};
use urlgrep_base::span::{self, Span};
use urlgrep_search::Composition;

/// The bytes of a text that is not UTF-8. JSON has them in base64 (RFC 4648
/// section 4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Bytes(pub Vec<u8>);

impl Bytes {
    /// The bytes of `value`. `None` if its text is UTF-8.
    pub(super) fn of(value: Value<'_>) -> Option<Bytes> {
        match value {
            Value::Text(text) if std::str::from_utf8(text).is_err() => Some(Bytes(text.to_vec())),
            _ => None,
        }
    }
}

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = Vec::new();
        put_base64(&self.0, &mut out);
        serializer.serialize_str(&String::from_utf8_lossy(&out))
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bytes, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = from_padded_base64(text.as_bytes());
        bytes
            .map(Bytes)
            .ok_or_else(|| D::Error::custom("the bytes are not base64"))
    }
}

/// [`OwnedRecord`] can read it.
impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        OwnedRecord::from(self).serialize(serializer)
    }
}

/// A repair. See [`span::Seam`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OwnedSeam {
    /// The kind of repair.
    pub kind: String,
    /// Offset of the first byte of the seam.
    pub start: u64,
    /// Offset after the last byte of the seam.
    pub end: u64,
    /// The offset of the seam in the URL.
    pub at: u64,
    /// The number of bytes that the seam has in the URL.
    pub len: u64,
}

impl From<&span::Seam> for OwnedSeam {
    fn from(seam: &span::Seam) -> OwnedSeam {
        OwnedSeam {
            kind: seam.kind.name().to_owned(),
            start: seam.span.start,
            end: seam.span.end,
            at: seam.at,
            len: u64::from(seam.len),
        }
    }
}

/// A place in decoded text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Decoded {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
    /// The spans that were copied into the URL.
    pub segments: Vec<Span>,
    /// The seams between the segments.
    pub seams: Vec<OwnedSeam>,
}

impl From<Composition<'_>> for Decoded {
    fn from(pieces: Composition<'_>) -> Decoded {
        Decoded {
            start: pieces.span().start,
            end: pieces.span().end,
            segments: pieces.segments.to_vec(),
            seams: pieces.seams.iter().map(OwnedSeam::from).collect(),
        }
    }
}

/// Another reading of the URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct OwnedAlternate {
    /// How the reading differs from the URL of the hit.
    pub kind: String,
    /// The URL in this reading.
    pub url: String,
}

/// A part of the URL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Component {
    /// The name of the part.
    pub name: String,
    /// The text of the part, as written.
    pub value: String,
}

/// Conversion from the value of a field. The result is the default if the value
/// is missing or has another type.
pub(super) trait FromValue {
    fn from_value(value: Value<'_>) -> Self;
}

impl FromValue for u64 {
    fn from_value(value: Value<'_>) -> u64 {
        Option::from_value(value).unwrap_or_default()
    }
}

impl FromValue for String {
    fn from_value(value: Value<'_>) -> String {
        Option::from_value(value).unwrap_or_default()
    }
}

/// One line for each type: the values that convert to it.
macro_rules! from_value {
    ($($owned:ty: $($value:pat => $made:expr),+;)+) => {
        $(
            impl FromValue for Option<$owned> {
                fn from_value(value: Value<'_>) -> Option<$owned> {
                    match value {
                        $($value => Some($made),)+
                        _ => None,
                    }
                }
            }
        )+
    };
}

fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

from_value! {
    u64: Value::Number(number) => number;
    bool: Value::Flag(flag) => flag;
    String: Value::Name(name) => name.to_owned(), Value::Text(text) => lossy(text), Value::Time(date) => date.to_string();
    Vec<String>: Value::Names(names) => names.iter().map(str::to_owned).collect();
    Vec<Span>: Value::Spans(spans) => spans.to_vec();
    Vec<OwnedSeam>: Value::Seams(seams) => seams.iter().map(OwnedSeam::from).collect();
    Decoded: Value::Decoded(pieces) => pieces.into();
    Vec<OwnedAlternate>: Value::Alternates(hit) => hit.alternates().map(|other| OwnedAlternate {
        kind: other.kind.name().to_owned(),
        url: other.url.to_owned(),
    }).collect();
    Vec<Component>: Value::Components(url) => url.iter().flat_map(|url| url.components()).map(|(name, value)| Component {
        name: name.to_owned(),
        value: value.to_owned(),
    }).collect();
}
