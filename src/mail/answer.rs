//! The answer to a question about the first bytes of a stream.

/// The answer for the bytes so far. More bytes may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer<T> {
    /// Yes, regardless of the following bytes.
    Yes(T),
    /// No, regardless of the following bytes.
    No,
    /// The following bytes are needed to decide.
    More,
}

impl<T> Answer<T> {
    /// `No` if no more bytes will come, else `More`.
    pub fn unless(whole: bool) -> Answer<T> {
        if whole { Answer::No } else { Answer::More }
    }

    /// Converts the result of a test that returns `None` if it needs more
    /// bytes.
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
