//! The answer to a question about the beginning of a stream.

/// What the first bytes of a stream say, of which more may come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer<T> {
    /// Yes, whatever comes.
    Yes(T),
    /// No, whatever comes.
    No,
    /// It takes more bytes to know.
    More,
}

impl<T> Answer<T> {
    /// `No` where nothing more will come.
    pub fn unless(whole: bool) -> Answer<T> {
        if whole { Answer::No } else { Answer::More }
    }

    /// From a test that says `None` where it takes more bytes.
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
