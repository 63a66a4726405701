//! The extractor. It passes each candidate of the scanner to the grammar,
//! tries its readings in the documented order, and reports a [`Hit`].
//!
//! Only this module uses both [`scan`](crate::scan) and [`url`](crate::url).

use std::io::{self, Read};

use crate::scan::Scanner;
use crate::url::Profile;

mod builder;
mod hit;
mod judge;

pub use builder::{ExtractorBuilder, Forms, Hyphen};
#[cfg(feature = "ledger")]
pub(crate) use hit::Restored;
pub use hit::{Alternate, Hit};
use judge::Judge;

/// The size of a read of [`Extractor::search_reader`], in bytes.
const READ: usize = 64 * 1024;

/// Finds the URLs of a haystack. The haystack is in memory, comes from a
/// reader, or is fed in chunks. An extractor holds only scratch memory, which
/// it reuses for the next haystack.
///
/// Its methods can be called in any order. Each search starts from a clean
/// state, even if the last one did not end: an iterator was dropped, a sink
/// stopped, or [`Extractor::finish`] was not called. [`Extractor::feed`]
/// starts a new haystack at offset 0 and line 1, unless the call before it was
/// `feed` or [`Extractor::reset`].
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

    /// A builder for an extractor with other options.
    #[must_use]
    pub fn builder() -> ExtractorBuilder {
        ExtractorBuilder::default()
    }

    /// The hits of a haystack in memory, ordered by their start. Each is a
    /// valid URL, unless [`ExtractorBuilder::rejects`] is set.
    ///
    /// # Complexity
    ///
    /// Linear in the haystack. Each hit owns its text. A [`Sink`] saves this
    /// allocation, because it reuses one hit.
    ///
    /// # Why `&mut`
    ///
    /// The iterator works in the scratch memory of the extractor, so that only
    /// hits are allocated. For two searches at a time clone the extractor.
    /// This is cheap, because no tables are built.
    pub fn find_iter<'e, 'h>(&'e mut self, haystack: &'h [u8]) -> FindIter<'e, 'h> {
        self.reset(0, 1);
        FindIter {
            extractor: self,
            haystack,
            ended: false,
        }
    }

    /// Calls `each` with the hits of a haystack in memory, in order. Offsets
    /// count from the start of the haystack. Hits are not copied.
    pub fn for_each(&mut self, haystack: &[u8], mut each: impl FnMut(&Hit)) {
        self.search_slice(haystack, &mut |hit: &Hit| {
            each(hit);
            true
        });
    }

    /// Gives the hits of a haystack in memory to `sink`, in order. Offsets
    /// count from the start of the haystack. Returns whether the sink wants
    /// more.
    pub fn search_slice<S: Sink>(&mut self, haystack: &[u8], sink: &mut S) -> bool {
        self.reset(0, 1);
        self.search_here(haystack, sink)
    }

    /// As [`Extractor::search_slice`], for a haystack whose first offset and
    /// line were set by [`Extractor::reset`] directly before this call.
    /// Without that call they are 0 and 1.
    pub fn search_here<S: Sink>(&mut self, haystack: &[u8], sink: &mut S) -> bool {
        if !self.scanner.is_fresh() {
            self.reset(0, 1);
        }
        self.search_on(haystack, sink)
    }

    /// As [`Extractor::search_here`]. After a sink stopped, a call with the
    /// same haystack continues the search.
    pub(crate) fn search_on<S: Sink>(&mut self, haystack: &[u8], sink: &mut S) -> bool {
        let Extractor { scanner, judge } = self;
        scanner.scan(haystack, |candidate| judge.pass(candidate, sink))
    }

    /// Gives the hits of all bytes of `rdr` to `sink`, in order. Memory is
    /// bounded.
    ///
    /// Returns whether the sink wants more.
    ///
    /// # Errors
    ///
    /// An error of the reader. It ends the haystack like
    /// [`Extractor::break_off`]. The sink has all hits before it.
    pub fn search_reader<R: Read, S: Sink>(&mut self, rdr: R, sink: &mut S) -> io::Result<bool> {
        self.reset(0, 1);
        let result = self.read_all(rdr, sink);
        // Bytes that are fed next belong to another haystack.
        self.scanner.close();
        result
    }

    fn read_all<R: Read, S: Sink>(&mut self, mut rdr: R, sink: &mut S) -> io::Result<bool> {
        let mut chunk = vec![0; READ];
        loop {
            match rdr.read(&mut chunk) {
                Ok(0) => return Ok(self.finish(sink)),
                Ok(n) => {
                    if !self.feed(&chunk[..n], sink) {
                        return Ok(false);
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    self.break_off(sink);
                    return Err(e);
                }
            }
        }
    }

    /// Reads `text` as an attribute's value that is a single URL; see
    /// [`Scanner::value`](crate::scan::Scanner::value). Offsets count from its
    /// first byte. Returns whether the sink wants more.
    pub fn search_value<S: Sink>(&mut self, text: &[u8], sink: &mut S) -> bool {
        let Extractor { scanner, judge } = self;
        scanner.value(text, |candidate| judge.pass(candidate, sink))
    }

    /// Starts another haystack. `base` is the offset of its first byte, and
    /// `line` is its line, counted from 1. With line 0 the line is unknown,
    /// and hits have no line. Memory is kept.
    pub fn reset(&mut self, base: u64, line: u64) {
        self.scanner.reset(base, line);
    }

    /// Takes the next chunk of the haystack and gives all decided hits to
    /// `sink`. Returns false once the sink wants no more.
    pub fn feed<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) -> bool {
        let Extractor { scanner, judge } = self;
        scanner.feed(chunk, |candidate| judge.pass(candidate, sink))
    }

    /// Ends the haystack that was fed, and gives its remaining hits to `sink`.
    /// Returns whether the sink wants more. If it stopped, another call gives
    /// the hits that remain.
    pub fn finish<S: Sink>(&mut self, sink: &mut S) -> bool {
        let Extractor { scanner, judge } = self;
        scanner.finish(|candidate| judge.pass(candidate, sink))
    }

    /// Ends the haystack before bytes that cannot be read, after a read error
    /// or in a truncated file. Gives the remaining hits to `sink`. A hit that
    /// the missing bytes may change is a reject with the rule
    /// [`InputEnded`](crate::url::Rule::InputEnded), and so is each hit after
    /// it. So every reported URL is also found by a reader of the whole.
    /// Returns as [`Extractor::finish`] does.
    pub fn break_off<S: Sink>(&mut self, sink: &mut S) -> bool {
        let Extractor { scanner, judge } = self;
        scanner.break_off(|candidate| judge.pass(candidate, sink))
    }

    /// The number of bytes that the scanner has examined; for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.scanner.examined()
    }

    /// Offset before which no further hit can start. A caller that decodes for
    /// this extractor can forget all positions before it.
    #[must_use]
    pub fn settled(&self) -> u64 {
        self.scanner.settled()
    }
}

/// Receives hits. A closure `FnMut(&Hit) -> bool` is a sink.
///
/// All receivers of this crate answer alike: true for more, false to stop. A
/// sink that can fail keeps its error, and stops.
pub trait Sink {
    /// Takes a hit. The next hit overwrites it. Returns whether to continue.
    fn hit(&mut self, hit: &Hit) -> bool;
}

impl<F: FnMut(&Hit) -> bool> Sink for F {
    fn hit(&mut self, hit: &Hit) -> bool {
        self(hit)
    }
}

/// The hits of a haystack in memory, from [`Extractor::find_iter`].
#[derive(Debug)]
pub struct FindIter<'e, 'h> {
    extractor: &'e mut Extractor,
    haystack: &'h [u8],
    /// All hits were given.
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

    /// Counts the remaining hits without copying them.
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
