//! What the search for the end of a URL finds.

use super::brackets::Depth;
use crate::scan::script::Choice;

/// The end of a bare URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scan) struct Extent {
    /// Index after the last byte of the URL.
    pub(in crate::scan) end: usize,
    /// Index after the URL and its trailing punctuation.
    pub(in crate::scan) raw: usize,
    /// The brackets that are open at `raw`.
    pub(in crate::scan) depth: Depth,
    /// The place of another reading, if a script without spaces begins there.
    pub(in crate::scan) choice: Option<Choice>,
    /// There is a comma before `raw`.
    pub(super) has_comma: bool,
    /// There is an apostrophe before `raw`.
    pub(super) has_apostrophe: bool,
    /// Characters before `raw` are not printed as they are. See [`typeset`](crate::scan::typeset).
    pub(in crate::scan) is_typeset: bool,
    /// There are characters beyond ASCII before `raw`.
    pub(in crate::scan) has_high: bool,
    /// Whether a reader may see a longer URL.
    pub(in crate::scan) longer: Longer,
}

impl Extent {
    /// Ends the URL at `end`. What follows there is of the text, and no punctuation of the URL.
    pub(super) fn end_at(&mut self, end: usize) {
        self.end = end;
        self.raw = end;
    }
}

/// Another reading of a URL, with more bytes at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scan) enum Longer {
    No,
    /// It ends at this index: `http://a.example/wait....2`.
    To(usize),
    /// It goes on after two equal marks at `raw`, as [`over_marks`](super::over_marks) reads it:
    /// `http://a.example/x''y''z`.
    OverMarks,
}

/// The result of [`bare`](super::bare).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::scan) enum Bare {
    /// A URL of this extent. The extent is empty if only punctuation follows
    /// the scheme.
    Found(Extent),
    /// The URL is longer than `max` bytes.
    TooLong,
}
