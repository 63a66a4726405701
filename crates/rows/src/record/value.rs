//! The values of fields, borrowed from a row.

use urlgrep_base::names::Set;
use urlgrep_base::span::{self, Span};
use urlgrep_find::Hit;
use urlgrep_find::scan::Doubt;
use urlgrep_mail::mime::Date;
use urlgrep_search::Composition;
use urlgrep_url::{Caution, Url};

/// The value of a field in a row.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Value<'v> {
    /// The row has no value.
    Null,
    /// See [`Type::Name`](super::Type::Name).
    Name(&'v str),
    /// See [`Type::Text`](super::Type::Text).
    Text(&'v [u8]),
    /// See [`Type::Number`](super::Type::Number).
    Number(u64),
    /// See [`Type::Flag`](super::Type::Flag).
    Flag(bool),
    /// See [`Type::Time`](super::Type::Time).
    Time(Date),
    /// See [`Type::Names`](super::Type::Names).
    Names(Names),
    /// See [`Type::Spans`](super::Type::Spans).
    Spans(&'v [Span]),
    /// See [`Type::Seams`](super::Type::Seams).
    Seams(&'v [span::Seam]),
    /// See [`Type::Decoded`](super::Type::Decoded).
    Decoded(Composition<'v>),
    /// The hit that has the alternates. See [`Hit::alternates`].
    Alternates(&'v Hit),
    /// The URL that has the components. See [`Url::components`]. A reject has
    /// none.
    Components(Option<Url<'v>>),
}

/// A list of names.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Names {
    /// Doubts: reasons why the reading may be wrong.
    Doubt(Set<Doubt>),
    /// Cautions: reasons to be careful with the URL.
    Cautions(Set<Caution>),
}

impl Names {
    /// True if the list has no names.
    pub(super) fn is_empty(self) -> bool {
        match self {
            Names::Doubt(doubt) => doubt.is_empty(),
            Names::Cautions(cautions) => cautions.is_empty(),
        }
    }

    /// The names of the list.
    #[doc(hidden)]
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        let (doubt, cautions) = match self {
            Names::Doubt(doubt) => (doubt, Set::NONE),
            Names::Cautions(cautions) => (Set::NONE, cautions),
        };
        let doubt = doubt.iter().map(Doubt::name);
        doubt.chain(cautions.iter().map(|caution| caution.name()))
    }
}
