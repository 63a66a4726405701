//! The answer to a question about the start of a stream.

/// The answer, when more bytes may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer<T> {
    /// Yes, whatever bytes come.
    Yes(T),
    /// No, whatever bytes come.
    No,
    /// More bytes are needed.
    More,
}

impl<T> Answer<T> {
    /// `No` if no more bytes will come.
    pub fn unless(whole: bool) -> Answer<T> {
        if whole { Answer::No } else { Answer::More }
    }

    /// From a test that returns `None` if it needs more bytes.
    pub fn of(known: Option<Option<T>>) -> Answer<T> {
        match known {
            Some(Some(value)) => Answer::Yes(value),
            Some(None) => Answer::No,
            None => Answer::More,
        }
    }

    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Answer<U> {
        match self {
            Answer::Yes(value) => Answer::Yes(f(value)),
            Answer::No => Answer::No,
            Answer::More => Answer::More,
        }
    }
}
