//! The extractor. It passes each candidate of the scanner to the grammar, tries
//! its readings in the documented order, and reports a [`Hit`].
//!
//! Only here is it decided whether a candidate is a URL. The scanner asks the grammar only to choose
//! where a URL ends (see `grammar`).

use std::io::{self, Read};
use std::ops::ControlFlow;

use crate::scan::Scanner;
use urlgrep_url::Profile;

mod builder;
mod hit;
mod judge;
mod known;

pub use builder::{ExtractorBuilder, Hyphen};
pub use hit::{Alternate, Hit};
use judge::Judge;

/// Bytes that [`Extractor::search_reader`] reads at a time.
const READ: usize = 64 * 1024;

/// Finds the URLs of haystacks. It never changes, so one extractor in a `static` or an `Arc`
/// serves all threads.
///
/// | method | haystack | gives |
/// | --- | --- | --- |
/// | [`find_iter`](Extractor::find_iter) | in memory | hits that own their text |
/// | [`search_reader`](Extractor::search_reader) | from a reader | hits to a closure |
/// | [`stream`](Extractor::stream) | in chunks of the caller | a [`Stream`], which passes hits to a closure |
///
/// Haystacks are bytes or text.
///
/// ```
/// use urlgrep::{Extractor, Profile};
///
/// let text = "Yes, Jim, I found it under <URL:ftp://info.cern.ch/pub/www/doc;\n   type=d> but";
/// let extractor = Extractor::new(Profile::Rfc1738);
/// let hit = extractor.find_iter(text).next().unwrap();
/// assert_eq!(hit.text(), b"ftp://info.cern.ch/pub/www/doc;type=d");
/// assert!(hit.url().is_ok());
/// assert_eq!(hit.segments().len(), 2);
/// ```
#[derive(Clone, Debug)]
pub struct Extractor {
    /// What each search begins with.
    fresh: Stream,
}

impl Default for Extractor {
    fn default() -> Extractor {
        Extractor::new(Profile::default())
    }
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
    /// Linear in the haystack. Each hit allocates its text, and each call its scratch memory.
    /// [`Stream::feed`] reuses both.
    pub fn find_iter<T: AsRef<[u8]> + ?Sized>(&self, haystack: &T) -> impl Iterator<Item = Hit> {
        let haystack = haystack.as_ref();
        let mut stream = self.stream();
        std::iter::from_fn(move || stream.next_hit(haystack)).fuse()
    }

    /// Gives each hit of all bytes of `rdr` to `each`, which says whether to continue, in
    /// order. Memory is bounded.
    ///
    /// # Errors
    ///
    /// See [`Stream::search_reader`].
    pub fn search_reader<R: Read>(
        &self,
        rdr: R,
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) -> io::Result<()> {
        self.stream().search_reader(rdr, each).map(drop)
    }

    /// A search of haystacks that come in chunks. Cheap: only scratch memory is cloned.
    #[must_use]
    pub fn stream(&self) -> Stream {
        self.fresh.clone()
    }

    /// As [`Extractor::stream`], for a caller who needs no other one.
    #[doc(hidden)]
    #[must_use]
    pub fn into_stream(self) -> Stream {
        self.fresh
    }
}

/// A search of haystacks that come in chunks, or one after the other. It holds only scratch
/// memory, and reuses it for the next haystack. [`Extractor::stream`] makes it.
///
/// A closure gets each hit when it is decided, and the next hit overwrites it. It says
/// whether to continue, like all receivers of this crate. If it can fail, it stores its error
/// and breaks.
///
/// The methods can be called in any order. Each search starts with a clean
/// state, even if the last search did not end.
#[derive(Clone, Debug)]
pub struct Stream {
    scanner: Scanner,
    judge: Judge,
}

impl Stream {
    /// As [`Extractor::find_iter`], but keeps its scratch memory for the next haystack.
    #[doc(hidden)]
    pub fn find_iter<T: AsRef<[u8]> + ?Sized>(
        &mut self,
        haystack: &T,
    ) -> impl Iterator<Item = Hit> {
        self.reset(0, 1);
        let haystack = haystack.as_ref();
        std::iter::from_fn(move || self.next_hit(haystack)).fuse()
    }

    /// The next hit of a haystack. Each call continues where the last one stopped.
    fn next_hit(&mut self, haystack: &[u8]) -> Option<Hit> {
        let Stream { scanner, judge } = self;
        let mut found = None;
        scanner.scan(haystack, |candidate| {
            if judge.judge(candidate) {
                found = Some(judge.hit.clone());
            }
            found.is_none()
        });
        found
    }

    /// Gives the hits of all bytes of `rdr` to `each`, in order. Memory is bounded.
    ///
    /// Returns whether `each` wants more hits.
    ///
    /// # Errors
    ///
    /// An error of the reader. Hits before the error have been given to `each`. A hit that the
    /// missing bytes may change becomes a reject with the rule
    /// [`InputEnded`](urlgrep_url::Rule::InputEnded).
    #[doc(hidden)]
    pub fn search_reader<R: Read>(
        &mut self,
        rdr: R,
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        self.reset(0, 1);
        let result = self.read_all(rdr, each);
        // A later `feed` starts another haystack.
        self.scanner.close();
        result
    }

    fn read_all<R: Read>(
        &mut self,
        mut rdr: R,
        mut each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<()>> {
        let mut chunk = vec![0; READ];
        loop {
            match rdr.read(&mut chunk) {
                Ok(0) => return Ok(self.finish(each)),
                Ok(n) => {
                    if self.feed(&chunk[..n], &mut each).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => {
                    // The error is the answer, wanted or not.
                    let _ = self.break_off(each);
                    return Err(e);
                }
            }
        }
    }

    /// Processes the next chunk of the haystack, and gives all decided hits to
    /// `each`. Breaks when `each` does. As with
    /// [`finish`](Stream::finish), the next call gives those that are left.
    pub fn feed(
        &mut self,
        chunk: &[u8],
        mut each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Stream { scanner, judge } = self;
        go_on(scanner.feed(chunk, |candidate| judge.pass(candidate, &mut each)))
    }

    /// Ends the haystack that was fed, and gives its remaining hits to `each`. A haystack that
    /// broke off, for example by a read error, may end inside of a URL: drop the stream then, or
    /// use [`Stream::search_reader`], which refuses that URL.
    /// Breaks when `each` does. Another call then gives the hits that are left.
    pub fn finish(&mut self, mut each: impl FnMut(&Hit) -> ControlFlow<()>) -> ControlFlow<()> {
        let Stream { scanner, judge } = self;
        go_on(scanner.finish(|candidate| judge.pass(candidate, &mut each)))
    }

    /// See [`Scanner::skip`].
    #[doc(hidden)]
    pub fn skip(&mut self, bytes: usize) {
        self.scanner.skip(bytes);
    }

    /// True if the chunks so far may have another hit. Otherwise
    /// [`finish`](Stream::finish) gives none.
    #[doc(hidden)]
    pub fn is_pending(&self) -> bool {
        self.scanner.is_pending()
    }

    /// No bare URL continues over the line break before the offset `at`, which was not fed
    /// yet.
    #[doc(hidden)]
    pub fn end_paragraph(&mut self, at: u64) {
        self.scanner.end_paragraph(at);
    }
}

/// A stream as `search` drives it, and as the tests look into it. These
/// methods are no promise: each asks the caller to know what the calls before
/// it have left behind.
pub trait Drive {
    /// Starts another haystack. `base` is the offset of its first byte, and
    /// `line` is the line of that byte, counted from 1. If `line` is 0, hits
    /// have no line. Memory is kept.
    fn reset(&mut self, base: u64, line: u64);

    /// Gives the hits of a haystack in memory to `each`. The haystack starts at
    /// the offset and line of [`Drive::reset`], if that was called directly
    /// before this. Otherwise they are 0 and 1.
    fn search_here(
        &mut self,
        haystack: &[u8],
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Reads `text` as the value of an HTML attribute that is a single URL. See
    /// [`Scanner::value`](crate::scan::Scanner::value). Offsets count from its
    /// first byte.
    fn search_value(
        &mut self,
        text: &[u8],
        is_unclosed: bool,
        each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) -> ControlFlow<()>;

    /// Whether the next haystacks may be from a terminal.
    fn set_text(&mut self, has_rows: bool);

    /// Whether the next haystacks may be quoted-printable that nothing declares. They are not where
    /// a header says that they have no encoding.
    fn set_encoded(&mut self, yes: bool);

    /// Whether the next haystacks are what a page of HTML shows. An invisible character in a word of
    /// it was put there by a program.
    fn set_page(&mut self, yes: bool);

    /// Whether the next haystacks are only links, such as header fields of mailing lists. A
    /// browser then has the second word about them, as about a link of HTML.
    fn set_links(&mut self, yes: bool);

    /// Ends the haystack before unreadable bytes, for example after a read
    /// error or in a truncated file. Gives the remaining hits to `each`.
    ///
    /// The missing bytes may change a hit. Such a hit and each hit after it
    /// become rejects with the rule
    /// [`InputEnded`](urlgrep_url::Rule::InputEnded). So every reported URL is
    /// also in the complete haystack. The result is that of
    /// [`Stream::finish`].
    fn break_off(&mut self, each: impl FnMut(&Hit) -> ControlFlow<()>) -> ControlFlow<()>;

    /// No further hit can start before this offset. A caller that decodes for
    /// this extractor can drop all positions before it.
    #[must_use]
    fn settled(&self) -> u64;

    /// The number of bytes that the scanner has examined. For tests.
    #[must_use]
    fn examined(&self) -> u64;

    /// Exchanges the scanner for one that visits every byte. It is the
    /// reference for the fast one.
    #[must_use]
    fn plain(self) -> Self;
}

impl Drive for Stream {
    fn reset(&mut self, base: u64, line: u64) {
        self.scanner.reset(base, line);
    }

    fn search_here(
        &mut self,
        haystack: &[u8],
        mut each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if !self.scanner.is_fresh() {
            self.reset(0, 1);
        }
        let Stream { scanner, judge } = self;
        go_on(scanner.scan(haystack, |candidate| judge.pass(candidate, &mut each)))
    }

    fn search_value(
        &mut self,
        text: &[u8],
        is_unclosed: bool,
        mut each: impl FnMut(&Hit) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Stream { scanner, judge } = self;
        judge.in_link = true;
        let goes_on = scanner.value(text, is_unclosed, |candidate| {
            judge.pass(candidate, &mut each)
        });
        judge.in_link = false;
        go_on(goes_on)
    }

    fn set_text(&mut self, has_rows: bool) {
        self.scanner.set_text(has_rows);
    }

    fn set_encoded(&mut self, yes: bool) {
        self.scanner.set_encoded(yes);
    }

    fn set_page(&mut self, yes: bool) {
        self.scanner.set_page(yes);
    }

    fn set_links(&mut self, yes: bool) {
        self.judge.in_link = yes;
    }

    fn break_off(&mut self, mut each: impl FnMut(&Hit) -> ControlFlow<()>) -> ControlFlow<()> {
        let Stream { scanner, judge } = self;
        go_on(scanner.break_off(|candidate| judge.pass(candidate, &mut each)))
    }

    fn settled(&self) -> u64 {
        self.scanner.settled()
    }

    fn examined(&self) -> u64 {
        self.scanner.examined()
    }

    fn plain(self) -> Stream {
        Stream {
            scanner: self.scanner.plain(),
            ..self
        }
    }
}

/// To continue, or not.
#[doc(hidden)]
pub fn go_on(yes: bool) -> ControlFlow<()> {
    if yes {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}
