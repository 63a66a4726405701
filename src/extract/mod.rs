//! The extractor. It passes each candidate of the scanner to the grammar, tries
//! its readings in the documented order, and reports a [`Hit`].
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

/// Bytes that [`Extractor::search_reader`] reads at a time.
const READ: usize = 64 * 1024;

/// Finds the URLs of a haystack. The haystack is in memory, comes from a
/// reader, or is fed in chunks. An extractor holds only scratch memory, and
/// reuses it for the next haystack.
///
/// | method | haystack | gives |
/// | --- | --- | --- |
/// | [`find_iter`](Extractor::find_iter) | in memory | hits that own their text |
/// | [`for_each`](Extractor::for_each) | in memory | hits to a closure |
/// | [`search_slice`](Extractor::search_slice) | in memory | hits to a [`Sink`], which can stop |
/// | [`search_reader`](Extractor::search_reader) | from a reader | hits to a sink |
/// | [`feed`](Extractor::feed), [`finish`](Extractor::finish) | in chunks of the caller | hits to a sink |
/// | [`search_here`](Extractor::search_here) | part of a larger text, in memory | hits to a sink, with offsets in that text |
/// | [`search_value`](Extractor::search_value) | an HTML attribute that is one URL | this URL to a sink |
///
/// Haystacks are bytes. For a `&str` pass `as_bytes()`.
///
/// The methods can be called in any order. Each search starts with a clean
/// state, even if the last search did not end. A search does not end if an
/// iterator is dropped, a sink stops, or [`Extractor::finish`] is not called.
/// [`Extractor::feed`] continues the haystack only after another `feed` or
/// after [`Extractor::reset`]. Otherwise it starts a new haystack at offset 0
/// and line 1.
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
    /// An extractor with this profile. The other options have their defaults.
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
    /// Linear in the haystack. Each hit allocates its text. A [`Sink`] avoids
    /// this allocation, because it reuses one hit.
    ///
    /// # Why `&mut`
    ///
    /// The iterator uses the scratch memory of the extractor, so only hits are
    /// allocated. Clone the extractor for simultaneous searches. A clone is
    /// cheap, because no tables are built.
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

    /// Passes the hits of a haystack in memory to `sink`, in order. Offsets
    /// count from the start of the haystack. Returns whether the sink wants
    /// more hits.
    pub fn search_slice<S: Sink>(&mut self, haystack: &[u8], sink: &mut S) -> bool {
        self.reset(0, 1);
        self.search_here(haystack, sink)
    }

    /// As [`Extractor::search_slice`], for a haystack that starts at another
    /// offset and line. Call [`Extractor::reset`] directly before this to set
    /// them. Otherwise they are 0 and 1.
    pub fn search_here<S: Sink>(&mut self, haystack: &[u8], sink: &mut S) -> bool {
        if !self.scanner.is_fresh() {
            self.reset(0, 1);
        }
        let Extractor { scanner, judge } = self;
        scanner.scan(haystack, |candidate| judge.pass(candidate, sink))
    }

    /// Passes the hits of all bytes of `rdr` to `sink`, in order. Memory is
    /// bounded.
    ///
    /// Returns whether the sink wants more hits.
    ///
    /// # Errors
    ///
    /// An error of the reader. It ends the haystack as
    /// [`Extractor::break_off`] does. Hits before the error have been passed to
    /// the sink.
    pub fn search_reader<R: Read, S: Sink>(&mut self, rdr: R, sink: &mut S) -> io::Result<bool> {
        self.reset(0, 1);
        let result = self.read_all(rdr, sink);
        // A later `feed` starts another haystack.
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

    /// Reads `text` as the value of an HTML attribute that is a single URL. See
    /// [`Scanner::value`](crate::scan::Scanner::value). Offsets count from its
    /// first byte. Returns whether the sink wants more hits.
    pub fn search_value<S: Sink>(&mut self, text: &[u8], sink: &mut S) -> bool {
        let Extractor { scanner, judge } = self;
        scanner.value(text, |candidate| judge.pass(candidate, sink))
    }

    /// Starts another haystack. `base` is the offset of its first byte, and
    /// `line` is the line of that byte, counted from 1. If `line` is 0, hits
    /// have no line. Memory is kept.
    pub fn reset(&mut self, base: u64, line: u64) {
        self.scanner.reset(base, line);
    }

    /// Processes the next chunk of the haystack, and passes all decided hits to
    /// `sink`. Returns false when the sink wants no more hits.
    pub fn feed<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) -> bool {
        let Extractor { scanner, judge } = self;
        scanner.feed(chunk, |candidate| judge.pass(candidate, sink))
    }

    /// Ends the haystack that was fed, and passes its remaining hits to `sink`.
    /// Returns whether the sink wants more hits. If the sink stopped, another
    /// call passes the hits that are left.
    pub fn finish<S: Sink>(&mut self, sink: &mut S) -> bool {
        let Extractor { scanner, judge } = self;
        scanner.finish(|candidate| judge.pass(candidate, sink))
    }

    /// Ends the haystack before unreadable bytes, for example after a read
    /// error or in a truncated file. Passes the remaining hits to `sink`.
    ///
    /// The missing bytes may change a hit. Such a hit and each hit after it
    /// become rejects with the rule
    /// [`InputEnded`](crate::url::Rule::InputEnded). So every reported URL is
    /// also in the complete haystack. The result is that of
    /// [`Extractor::finish`].
    pub fn break_off<S: Sink>(&mut self, sink: &mut S) -> bool {
        let Extractor { scanner, judge } = self;
        scanner.break_off(|candidate| judge.pass(candidate, sink))
    }

    /// The number of bytes that the scanner has examined. For tests.
    #[doc(hidden)]
    #[must_use]
    pub fn examined(&self) -> u64 {
        self.scanner.examined()
    }

    /// True if the chunks so far may have another hit. Otherwise
    /// [`finish`](Extractor::finish) gives none.
    #[cfg(feature = "mail")]
    pub(crate) fn is_pending(&self) -> bool {
        self.scanner.is_pending()
    }

    /// No further hit can start before this offset. A caller that decodes for
    /// this extractor can drop all positions before it.
    #[must_use]
    pub fn settled(&self) -> u64 {
        self.scanner.settled()
    }
}

/// Receives hits. A closure `FnMut(&Hit) -> bool` is a sink.
///
/// All receivers of this crate return true to continue and false to stop. A
/// sink that can fail stores its error and returns false.
pub trait Sink {
    /// Receives a hit. The next hit overwrites it. Returns whether to continue.
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
    /// All hits were returned.
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
