//! The extractor: takes each candidate of the scanner to the grammar, tries
//! its readings in the stated order, and reports a [`Hit`].
//!
//! This is the one module that sees both [`scan`](crate::scan) and
//! [`url`](crate::url).

use std::io::{self, Read};

use crate::scan::{Candidate, Scanner};
use crate::url::Profile;

mod builder;
mod hit;
mod judge;

pub use builder::{ExtractorBuilder, Forms, Hyphen};
#[cfg(feature = "ledger")]
pub(crate) use hit::Restored;
pub use hit::{Alternate, Hit};
use judge::Judge;

/// How many bytes [`Extractor::search_reader`] reads at a time.
const READ: usize = 64 * 1024;

/// Finds the URLs of a haystack: in memory, from a reader, or in chunks that
/// are pushed. Holds only scratch memory, which it keeps between haystacks.
///
/// Its methods can be called in any order. Each search starts anew, whatever an
/// earlier one left: an iterator that was dropped, a sink that stopped, chunks
/// without an end. [`Extractor::feed`] starts anew, at offset 0 and line 1,
/// unless the call before it was `feed` or [`Extractor::reset`].
///
/// ```
/// use urlgrep::{Extractor, Profile};
///
/// let text = b"Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;\n   type=d> but";
/// let mut extractor = Extractor::new(Profile::Rfc1738);
/// let hit = extractor.find_iter(text).next().unwrap();
/// assert_eq!(hit.url(), b"ftp://info.cern.ch/pub/www/doc;type=d");
/// assert!(hit.verdict().is_ok());
/// assert_eq!(hit.segments().len(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Extractor {
    scanner: Scanner,
    judge: Judge,
}

impl Extractor {
    /// An extractor with the defaults of [`ExtractorBuilder`] and this profile.
    #[must_use]
    pub fn new(profile: Profile) -> Extractor {
        Extractor::builder().profile(profile).build()
    }

    /// Options, and then an extractor.
    #[must_use]
    pub fn builder() -> ExtractorBuilder {
        ExtractorBuilder::default()
    }

    /// The hits of a haystack in memory, in the order in which they start. Each is
    /// a valid URL, unless [`ExtractorBuilder::rejects`] asks for rejects.
    ///
    /// # Complexity
    ///
    /// Linear in the haystack. Each hit owns its text; a [`Sink`] that reuses
    /// one hit does without the allocation.
    ///
    /// # Why `&mut`
    ///
    /// The iterator works in the scratch memory of the extractor, so that a text
    /// costs no allocation but its hits. For two searches at a time clone the
    /// extractor: that is cheap, and no table is built.
    pub fn find_iter<'e, 'h>(&'e mut self, haystack: &'h [u8]) -> FindIter<'e, 'h> {
        self.reset(0, 1);
        FindIter {
            extractor: self,
            haystack,
            ended: false,
        }
    }

    /// Calls `each` with the hits of a haystack in memory, in order. Offsets count
    /// from the start of the haystack. No hit is copied.
    pub fn for_each(&mut self, haystack: &[u8], mut each: impl FnMut(&Hit)) {
        let mut sink = |hit: &Hit| {
            each(hit);
            Ok::<_, std::convert::Infallible>(true)
        };
        match self.search_slice(haystack, &mut sink) {
            Ok(()) => {}
            Err(never) => match never {},
        }
    }

    /// Gives the hits of a haystack in memory to `sink`, in order. Offsets
    /// count from the start of the haystack.
    ///
    /// # Errors
    ///
    /// What the sink returns.
    pub fn search_slice<S: Sink>(&mut self, haystack: &[u8], sink: &mut S) -> Result<(), S::Error> {
        self.reset(0, 1);
        self.search_here(haystack, sink).map(|_| ())
    }

    /// As [`Extractor::search_slice`], for a haystack whose first offset and
    /// line were set by [`Extractor::reset`] right before this call; without
    /// that they are 0 and 1. Returns whether the sink wants more.
    ///
    /// # Errors
    ///
    /// What the sink returns.
    pub fn search_here<S: Sink>(
        &mut self,
        haystack: &[u8],
        sink: &mut S,
    ) -> Result<bool, S::Error> {
        if !self.scanner.is_fresh() {
            self.reset(0, 1);
        }
        self.search_on(haystack, sink)
    }

    /// As [`Extractor::search_here`]; after a sink that stopped, with the same
    /// haystack, it goes on.
    pub(crate) fn search_on<S: Sink>(
        &mut self,
        haystack: &[u8],
        sink: &mut S,
    ) -> Result<bool, S::Error> {
        let mut push = Push {
            judge: &mut self.judge,
            sink,
            error: None,
        };
        let go_on = self
            .scanner
            .scan(haystack, |candidate| push.candidate(candidate));
        push.error.map_or(Ok(go_on), Err)
    }

    /// Gives the hits of everything that `rdr` yields to `sink`, in order.
    /// Retains a bounded part of it.
    ///
    /// # Errors
    ///
    /// What the reader or the sink returns; hits before that were given. After
    /// an error of the reader the end is that of [`Extractor::break_off`].
    pub fn search_reader<R: Read, S: Sink>(&mut self, rdr: R, sink: &mut S) -> Result<(), S::Error>
    where
        S::Error: From<io::Error>,
    {
        self.reset(0, 1);
        let result = self.read_all(rdr, sink);
        // What is fed next belongs to another haystack.
        self.scanner.close();
        result
    }

    fn read_all<R: Read, S: Sink>(&mut self, mut rdr: R, sink: &mut S) -> Result<(), S::Error>
    where
        S::Error: From<io::Error>,
    {
        let mut chunk = vec![0; READ];
        loop {
            match rdr.read(&mut chunk) {
                Ok(0) => return self.finish(sink).map(|_| ()),
                Ok(n) => {
                    if !self.feed(&chunk[..n], sink)? {
                        return Ok(());
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.break_off(sink)?;
                    return Err(e.into());
                }
            }
        }
    }

    /// Reads `text` as the value of an attribute that holds a URL and nothing
    /// else; see [`Scanner::value`]. Offsets count from its first byte. Returns
    /// whether the sink wants more.
    ///
    /// # Errors
    ///
    /// What the sink returns.
    pub fn search_value<S: Sink>(&mut self, text: &[u8], sink: &mut S) -> Result<bool, S::Error> {
        let mut push = Push {
            judge: &mut self.judge,
            sink,
            error: None,
        };
        let go_on = self
            .scanner
            .value(text, |candidate| push.candidate(candidate));
        push.error.map_or(Ok(go_on), Err)
    }

    /// Starts another haystack, whose first byte has the offset `base` and
    /// stands on line `line` (counted from 1; 0 if that is not known, and then hits
    /// have no line). Keeps memory.
    pub fn reset(&mut self, base: u64, line: u64) {
        self.scanner.reset(base, line);
    }

    /// Takes the next chunk of the haystack and gives what can be decided to
    /// `sink`. Returns false once the sink wants no more.
    ///
    /// # Errors
    ///
    /// What the sink returns.
    pub fn feed<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) -> Result<bool, S::Error> {
        let mut push = Push {
            judge: &mut self.judge,
            sink,
            error: None,
        };
        let go_on = self
            .scanner
            .feed(chunk, |candidate| push.candidate(candidate));
        push.error.map_or(Ok(go_on), Err)
    }

    /// Says that the haystack that was fed has ended, and gives the rest of its
    /// hits to `sink`. Returns whether the sink wants more; if it wanted no more,
    /// another call gives the hits that are left.
    ///
    /// # Errors
    ///
    /// What the sink returns.
    pub fn finish<S: Sink>(&mut self, sink: &mut S) -> Result<bool, S::Error> {
        let mut push = Push {
            judge: &mut self.judge,
            sink,
            error: None,
        };
        let go_on = self.scanner.finish(|candidate| push.candidate(candidate));
        push.error.map_or(Ok(go_on), Err)
    }

    /// Says that bytes follow which cannot be read: a read error, a truncated
    /// file. Gives the rest of the hits to `sink`. A hit that the missing bytes
    /// may change is a reject with the rule
    /// [`InputEnded`](crate::url::Rule::InputEnded), and so are those after it:
    /// no URL is reported that a reader of the whole would not find. Returns as
    /// [`Extractor::finish`] does.
    ///
    /// # Errors
    ///
    /// What the sink returns.
    pub fn break_off<S: Sink>(&mut self, sink: &mut S) -> Result<bool, S::Error> {
        let mut push = Push {
            judge: &mut self.judge,
            sink,
            error: None,
        };
        let go_on = self
            .scanner
            .break_off(|candidate| push.candidate(candidate));
        push.error.map_or(Ok(go_on), Err)
    }

    /// How many bytes the scanner has looked at; for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.scanner.examined()
    }

    /// Offset before which no hit can start any more: what a caller that
    /// decodes for this extractor need not remember.
    #[must_use]
    pub fn settled(&self) -> u64 {
        self.scanner.settled()
    }
}

/// Receives hits.
pub trait Sink {
    /// What can go wrong in the sink.
    type Error;

    /// Takes a hit, which is overwritten by the next one. Returns whether to
    /// go on.
    ///
    /// # Errors
    ///
    /// Ends the search; the error is handed to the caller.
    fn hit(&mut self, hit: &Hit) -> Result<bool, Self::Error>;
}

impl<E, F: FnMut(&Hit) -> Result<bool, E>> Sink for F {
    type Error = E;

    fn hit(&mut self, hit: &Hit) -> Result<bool, E> {
        self(hit)
    }
}

/// The hits of a haystack in memory. Made by [`Extractor::find_iter`].
#[derive(Debug)]
pub struct FindIter<'e, 'h> {
    extractor: &'e mut Extractor,
    haystack: &'h [u8],
    /// There are no more hits.
    ended: bool,
}

impl std::iter::FusedIterator for FindIter<'_, '_> {}

impl Iterator for FindIter<'_, '_> {
    type Item = Hit;

    fn next(&mut self) -> Option<Hit> {
        if self.ended {
            return None;
        }
        let Extractor { scanner, judge } = &mut *self.extractor;
        let mut found = None;
        scanner.scan(self.haystack, |candidate| {
            if judge.judge(candidate) {
                found = Some(judge.hit.clone());
            }
            found.is_none()
        });
        self.ended = found.is_none();
        found
    }

    /// Counts the hits that are left, and copies none of them.
    fn count(self) -> usize {
        if self.ended {
            return 0;
        }
        let Extractor { scanner, judge } = self.extractor;
        let mut hits = 0;
        scanner.scan(self.haystack, |candidate| {
            hits += usize::from(judge.judge(candidate));
            true
        });
        hits
    }
}

/// Joins the scanner's callback to a sink.
struct Push<'p, S: Sink> {
    judge: &'p mut Judge,
    sink: &'p mut S,
    error: Option<S::Error>,
}

impl<S: Sink> Push<'_, S> {
    fn candidate(&mut self, candidate: &Candidate) -> bool {
        if !self.judge.judge(candidate) {
            return true;
        }
        match self.sink.hit(&self.judge.hit) {
            Ok(go_on) => go_on,
            Err(error) => {
                self.error = Some(error);
                false
            }
        }
    }
}
