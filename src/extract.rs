//! The extractor: takes each candidate of the scanner to the grammar, tries
//! its readings in the stated order, and reports a [`Hit`].
//!
//! This is the one module that sees both [`scan`](crate::scan) and
//! [`url`](crate::url).

use std::fmt;
use std::io::{self, Read};

use crate::scan::{Candidate, Doubts, Form, Reading, ReadingKind, Scanner, URL_MAX};
use crate::span::{self, Seam, Span};
use crate::url::{Meta, Profile, Reject, Url, validate};

/// How many bytes [`Extractor::search_reader`] reads at a time.
const READ: usize = 64 * 1024;

/// Which reading of a hyphen before a line break comes first. RFC 3986
/// Appendix C: the hyphen "may or may not actually be part of the URI".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Hyphen {
    /// The hyphen is the URL's; without it is the alternate.
    #[default]
    Keep,
    /// The hyphen is the typesetter's; with it is the alternate.
    Drop,
}

/// A set of [`Form`]s.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Forms(u8);

impl Forms {
    /// Every form but [`Form::Suffix`]: what is found unless more is asked for.
    pub const ALL: Forms = {
        let (mut all, mut i) = (Forms::NONE, 0);
        while i < Form::ALL.len() {
            all = all.with(Form::ALL[i]);
            i += 1;
        }
        all.without(Form::Suffix)
    };
    /// No form.
    pub const NONE: Forms = Forms(0);

    /// This set and `form`.
    #[must_use]
    pub const fn with(self, form: Form) -> Forms {
        Forms(self.0 | 1 << form as u8)
    }

    /// This set without `form`.
    #[must_use]
    pub const fn without(self, form: Form) -> Forms {
        Forms(self.0 & !(1 << form as u8))
    }

    /// True if `form` is in the set.
    #[must_use]
    pub const fn has(self, form: Form) -> bool {
        self.0 & 1 << form as u8 != 0
    }
}

impl FromIterator<Form> for Forms {
    fn from_iter<I: IntoIterator<Item = Form>>(forms: I) -> Forms {
        forms.into_iter().fold(Forms::NONE, Forms::with)
    }
}

/// Configures an [`Extractor`].
#[derive(Clone, Copy, Debug)]
pub struct ExtractorBuilder {
    profile: Profile,
    forms: Forms,
    hyphen: Hyphen,
    join: bool,
    doubtful: bool,
    rejects: bool,
    lines: bool,
    plain: bool,
    unwrap: bool,
    url_max: usize,
}

impl Default for ExtractorBuilder {
    fn default() -> ExtractorBuilder {
        ExtractorBuilder {
            profile: Profile::default(),
            forms: Forms::ALL,
            hyphen: Hyphen::Keep,
            join: true,
            doubtful: true,
            rejects: false,
            lines: true,
            plain: false,
            unwrap: false,
            url_max: URL_MAX,
        }
    }
}

impl ExtractorBuilder {
    /// The document that judges. Default: [`Profile::Iri`].
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// The forms to report. Default: [`Forms::ALL`]. With [`Form::Suffix`] hosts
    /// without a scheme are looked for, which takes longer.
    #[must_use]
    pub fn forms(mut self, forms: Forms) -> Self {
        self.forms = forms;
        self
    }

    /// The forms that are reported.
    #[cfg(feature = "mail")]
    pub(crate) const fn wanted_forms(&self) -> Forms {
        self.forms
    }

    /// Whether lines are counted.
    #[cfg(feature = "mail")]
    pub(crate) const fn counts_lines(&self) -> bool {
        self.lines
    }

    /// Whether rejects are reported.
    #[cfg(feature = "mail")]
    pub(crate) const fn wants_rejects(&self) -> bool {
        self.rejects
    }

    /// The reading of a hyphen at a line break that comes first. Default: keep.
    #[must_use]
    pub fn hyphen(mut self, hyphen: Hyphen) -> Self {
        self.hyphen = hyphen;
        self
    }

    /// Whether a bare URL that plainly goes on in the next line is reported
    /// joined, with [`Doubt::Joined`](crate::scan::Doubt::Joined); its first line is the first alternate.
    /// Default: yes. Else the first line is reported, the hit
    /// [continues](Hit::continues), and the joined reading is an alternate.
    #[must_use]
    pub fn join(mut self, yes: bool) -> Self {
        self.join = yes;
        self
    }

    /// Whether hits with a [`Doubt`](crate::scan::Doubt) are reported. Default: yes.
    #[must_use]
    pub fn doubtful(mut self, yes: bool) -> Self {
        self.doubtful = yes;
        self
    }

    /// Whether what the grammar refuses is reported as well: [`Hit::verdict`] is
    /// then an error that says why. Default: no, each hit is a URL.
    #[must_use]
    pub fn rejects(mut self, yes: bool) -> Self {
        self.rejects = yes;
        self
    }

    /// Whether hits have line numbers. Default: yes.
    #[must_use]
    pub fn line_numbers(mut self, yes: bool) -> Self {
        self.lines = yes;
        self
    }

    /// How many bytes a URL can have before it is refused as too long; fewer
    /// than 16 count as 16. A delimited form has at most
    /// [`DELIMITED_MAX`](crate::scan::DELIMITED_MAX) bytes whatever is set here.
    /// Default: [`URL_MAX`].
    #[must_use]
    pub fn url_max(mut self, bytes: usize) -> Self {
        self.url_max = bytes;
        self
    }

    /// Whether links that mail gateways and the like put around other links are
    /// taken off: then the URL of a hit is the inner one ([`Url::unwrapped`]), and
    /// the one that the haystack has is an alternate, [`ReadingKind::Outer`].
    /// Segments and seams are those of the latter. Default: no.
    #[must_use]
    pub fn unwrap_links(mut self, yes: bool) -> Self {
        self.unwrap = yes;
        self
    }

    /// Uses the scanner that visits every byte: the oracle of the fast one.
    #[doc(hidden)]
    #[must_use]
    pub fn plain(mut self, yes: bool) -> Self {
        self.plain = yes;
        self
    }

    /// Builds the extractor. Cheap: no tables are made.
    #[must_use]
    pub fn build(self) -> Extractor {
        let mut scanner = Scanner::new()
            .url_max(self.url_max)
            .count_lines(self.lines)
            .join(self.join)
            .suffixes(self.forms.has(Form::Suffix));
        if self.plain {
            scanner = scanner.plain();
        }
        Extractor {
            scanner,
            judge: Judge {
                config: self,
                hit: Hit::default(),
            },
        }
    }
}

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

/// Turns candidates into hits.
#[derive(Clone, Debug)]
struct Judge {
    config: ExtractorBuilder,
    hit: Hit,
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

impl Judge {
    /// Fills the hit from a candidate. Returns false if the caller does not
    /// want it.
    fn judge(&mut self, candidate: &Candidate) -> bool {
        let config = &self.config;
        if !config.forms.has(candidate.form())
            || (!config.doubtful && !candidate.doubts().is_empty())
        {
            return false;
        }
        if candidate.count() == 1 || candidate.input_ended() {
            return self.judge_single(candidate);
        }
        let order = self.order(candidate);
        let first = order.first();
        let extent = candidate.reading(first).same_extent;
        // Validity chooses between readings of one extent only.
        let mut verdict = self.verdict(candidate, &candidate.reading(first));
        let mut chosen = first;
        if verdict.is_err() {
            let others = order.as_slice().iter().copied().skip(1);
            for i in others.filter(|&i| candidate.reading(i).same_extent == extent) {
                if let Ok(meta) = self.verdict(candidate, &candidate.reading(i)) {
                    (chosen, verdict) = (i, Ok(meta));
                    break;
                }
            }
        }
        if verdict.is_err() && !self.config.rejects {
            return false;
        }
        self.fill(candidate, &candidate.reading(chosen), verdict);
        self.add_alternates(candidate, &order, chosen);
        self.unwrap();
        true
    }

    /// As [`Judge::judge`], for a candidate with one reading, which nearly
    /// all are, or of which no other counts: there is nothing to choose.
    fn judge_single(&mut self, candidate: &Candidate) -> bool {
        let reading = candidate.reading(0);
        let verdict = self.verdict(candidate, &reading);
        if verdict.is_err() && !self.config.rejects {
            return false;
        }
        self.fill(candidate, &reading, verdict);
        self.unwrap();
        true
    }

    /// The readings of `candidate` by index, in the order of this
    /// configuration.
    fn order(&self, candidate: &Candidate) -> Order {
        let mut order = Order::default();
        let config = &self.config;
        let first = |kind, same_extent| {
            config.hyphen == Hyphen::Drop && kind == ReadingKind::Hyphen && same_extent
        };
        // One rank after another; within a rank in the scanner's order.
        for rank in [true, false] {
            for i in 0..candidate.count() {
                let reading = candidate.reading(i);
                if first(reading.kind, reading.same_extent) == rank {
                    order.push(i);
                }
            }
        }
        order
    }

    fn verdict(&self, candidate: &Candidate, reading: &Reading<'_>) -> Result<Meta, Reject> {
        if candidate.too_long() {
            return Err(Reject::too_long(self.config.profile, reading.text.len()));
        }
        if candidate.input_ended() {
            return Err(Reject::input_ended(self.config.profile, reading.text.len()));
        }
        if candidate.unclosed() {
            return Err(Reject::unclosed(self.config.profile, reading.text.len()));
        }
        validate(self.config.profile, reading.text).map(|url| url.meta())
    }

    /// Fills the hit with a reading, and no alternates.
    fn fill(
        &mut self,
        candidate: &Candidate,
        reading: &Reading<'_>,
        verdict: Result<Meta, Reject>,
    ) {
        let hit = &mut self.hit;
        hit.form = candidate.form();
        hit.line = candidate.line();
        hit.doubts = candidate.doubts();
        hit.glued = candidate.glued();
        hit.continues = candidate.continues();
        hit.profile = self.config.profile;
        hit.verdict = verdict;
        hit.text.clear();
        hit.text.extend_from_slice(reading.text);
        hit.segments.clear();
        hit.segments.extend_from_slice(reading.segments);
        hit.seams.clear();
        hit.seams.extend_from_slice(reading.seams);
        hit.other.clear();
        hit.alternates.clear();
    }

    /// Takes off the links around the URL, if that is asked for.
    fn unwrap(&mut self) {
        let hit = &mut self.hit;
        if self.config.unwrap
            && let Ok(Some(inner)) = hit.verdict().map(|url| url.unwrapped())
        {
            hit.other.extend_from_slice(&hit.text);
            hit.alternates.push((ReadingKind::Outer, hit.other.len()));
            hit.text.clear();
            hit.text.extend_from_slice(inner.as_str().as_bytes());
            hit.verdict = Ok(inner.as_url().meta());
        }
    }

    /// Adds the readings that were not `chosen` and are valid.
    fn add_alternates(&mut self, candidate: &Candidate, order: &Order, chosen: usize) {
        let hit = &mut self.hit;
        for &i in order.as_slice().iter().filter(|&&i| i != chosen) {
            let reading = candidate.reading(i);
            if validate(self.config.profile, reading.text).is_ok() {
                hit.other.extend_from_slice(reading.text);
                // What sets the first reading apart is how the chosen one reads
                // the same bytes; if that has others, it is the plain one.
                let taken = candidate.reading(chosen);
                let kind = match reading.kind {
                    ReadingKind::Plain if taken.same_extent == reading.same_extent => taken.kind,
                    kind => kind,
                };
                hit.alternates.push((kind, hit.other.len()));
            }
        }
    }
}

/// Readings by index, in the order in which they are tried.
#[derive(Clone, Copy, Debug, Default)]
struct Order {
    items: [usize; crate::scan::ALTERNATES_MAX + 1],
    len: usize,
}

impl Order {
    /// The reading to be tried first. There is always one: each reading of a
    /// candidate has a rank.
    fn first(&self) -> usize {
        self.items[0]
    }

    fn as_slice(&self) -> &[usize] {
        &self.items[..self.len]
    }

    fn push(&mut self, i: usize) {
        if let Some(place) = self.items.get_mut(self.len) {
            *place = i;
            self.len += 1;
        }
    }
}

/// Another way to read the bytes of a hit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Alternate<'a> {
    /// What sets it apart from the URL of the hit.
    pub kind: ReadingKind,
    /// The URL by this reading; it is valid under the hit's profile.
    pub url: &'a [u8],
    profile: Profile,
}

impl<'a> Alternate<'a> {
    /// The URL taken apart. Linear: it is validated again.
    ///
    /// # Errors
    ///
    /// None: a reading that is no URL is no alternate.
    pub fn verdict(&self) -> Result<Url<'a>, Reject> {
        validate(self.profile, self.url)
    }

    /// The URL as text. Linear: it is checked for UTF-8, which it always is.
    #[must_use]
    pub fn as_str(&self) -> &'a str {
        std::str::from_utf8(self.url).unwrap_or_default()
    }
}

impl fmt::Debug for Alternate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Alternate({}, {:?})", self.kind.name(), self.as_str())
    }
}

impl fmt::Display for Alternate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A URL that was found; if rejects were asked for, also what looked like one,
/// and why it is none. It owns its text.
///
/// Ordered by the text, then by the place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hit {
    text: Vec<u8>,
    segments: Vec<Span>,
    seams: Vec<Seam>,
    /// The texts of the alternates, end to end.
    other: Vec<u8>,
    /// Each with the end of its text in `other`.
    alternates: Vec<(ReadingKind, usize)>,
    form: Form,
    line: Option<u64>,
    doubts: Doubts,
    glued: bool,
    continues: bool,
    profile: Profile,
    verdict: Result<Meta, Reject>,
}

/// What was noted of a hit when it was found.
#[cfg(feature = "ledger")]
#[derive(Clone, Debug)]
pub(crate) struct Restored {
    pub form: Form,
    pub line: Option<u64>,
    pub column: Option<u64>,
    pub doubts: Doubts,
    pub glued: bool,
    pub continues: bool,
    pub segments: Vec<Span>,
    pub seams: Vec<Seam>,
}

impl Default for Hit {
    fn default() -> Hit {
        Hit {
            text: Vec::new(),
            segments: Vec::new(),
            seams: Vec::new(),
            other: Vec::new(),
            alternates: Vec::new(),
            form: Form::Bare,
            line: None,
            doubts: Doubts::NONE,
            glued: false,
            continues: false,
            profile: Profile::default(),
            verdict: Err(Reject::too_long(Profile::default(), 0)),
        }
    }
}

impl Hit {
    /// Makes this hit the same as `other`, in the memory that it has.
    pub fn copy_from(&mut self, other: &Hit) {
        self.text.clone_from(&other.text);
        self.segments.clone_from(&other.segments);
        self.seams.clone_from(&other.seams);
        self.other.clone_from(&other.other);
        self.alternates.clone_from(&other.alternates);
        self.form = other.form;
        self.line = other.line;
        self.doubts = other.doubts;
        self.glued = other.glued;
        self.continues = other.continues;
        self.profile = other.profile;
        self.verdict = other.verdict;
    }

    /// Makes this a hit that was found earlier. Its place is told by others; its
    /// verdict is found again.
    #[cfg(feature = "ledger")]
    pub(crate) fn restore(&mut self, url: &[u8], profile: Profile, found: &Restored) {
        self.text.clear();
        self.text.extend_from_slice(url);
        self.segments.clone_from(&found.segments);
        self.seams.clone_from(&found.seams);
        self.other.clear();
        self.alternates.clear();
        self.form = found.form;
        self.line = found.line;
        self.doubts = found.doubts;
        self.glued = found.glued;
        self.continues = found.continues;
        self.profile = profile;
        self.verdict = validate(profile, url).map(|url| url.meta());
    }

    /// Adds another reading to a restored hit.
    #[cfg(feature = "ledger")]
    pub(crate) fn restore_alternate(&mut self, kind: ReadingKind, url: &[u8]) {
        self.other.extend_from_slice(url);
        self.alternates.push((kind, self.other.len()));
    }

    /// About how many bytes a copy takes.
    #[cfg(feature = "mail")]
    pub(crate) fn weight(&self) -> usize {
        size_of::<Hit>()
            + self.text.len()
            + self.other.len()
            + size_of_val(&self.segments[..])
            + size_of_val(&self.seams[..])
    }

    /// Takes the verdict back: bytes that cannot be read may change the hit.
    #[cfg(feature = "mail")]
    pub(crate) fn refuse(&mut self) {
        self.verdict = Err(Reject::input_ended(self.profile, self.text.len()));
        self.other.clear();
        self.alternates.clear();
    }

    /// The URL, rejoined: without delimiters, prefix and white space.
    #[must_use]
    pub fn url(&self) -> &[u8] {
        &self.text
    }

    /// [`Hit::url`] as a string; `None` for a reject that is not UTF-8. Linear.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.text).ok()
    }

    /// How it was delimited.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// From the URL's own first byte to after its last, in the haystack.
    #[must_use]
    pub fn span(&self) -> Span {
        span::extent(&self.segments, &self.seams)
    }

    /// The bytes of the haystack that make up the URL, in order. What lies
    /// between two of them is told by [`Hit::seams`].
    #[must_use]
    pub fn segments(&self) -> &[Span] {
        &self.segments
    }

    /// Every repair, in order.
    #[must_use]
    pub fn seams(&self) -> &[Seam] {
        &self.seams
    }

    /// The line of the URL's first byte, counted from 1 by LF; `None` if the
    /// extractor does not count lines.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// Why the reading is doubtful; empty if it is not.
    #[must_use]
    pub fn doubts(&self) -> Doubts {
        self.doubts
    }

    /// True if letters stood right before the scheme (`season.http://`).
    #[must_use]
    pub fn glued(&self) -> bool {
        self.glued
    }

    /// True if the URL is bare and plainly goes on in the next line.
    #[must_use]
    pub fn continues(&self) -> bool {
        self.continues
    }

    /// The profile that judged.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The URL taken apart, or why it is none.
    ///
    /// # Errors
    ///
    /// The rule that failed, and where; see [`Reject`].
    pub fn verdict(&self) -> Result<Url<'_>, Reject> {
        self.verdict.map(|meta| meta.with(&self.text))
    }

    /// The other readings that are valid, at most
    /// [`ALTERNATES_MAX`](crate::scan::ALTERNATES_MAX), likeliest first.
    pub fn alternates(&self) -> impl Iterator<Item = Alternate<'_>> {
        let starts = std::iter::once(0).chain(self.alternates.iter().map(|a| a.1));
        self.alternates
            .iter()
            .zip(starts)
            .map(|(&(kind, end), start)| Alternate {
                kind,
                url: &self.other[start..end],
                profile: self.profile,
            })
    }
}

impl fmt::Debug for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = f.debug_struct("Hit");
        out.field("url", &String::from_utf8_lossy(&self.text));
        out.field("form", &self.form);
        out.field("line", &self.line);
        out.field("segments", &self.segments);
        out.field("seams", &self.seams);
        out.field("doubts", &self.doubts);
        out.field("glued", &self.glued);
        out.field("continues", &self.continues);
        out.field("alternates", &self.alternates().collect::<Vec<_>>());
        out.field("verdict", &self.verdict());
        out.finish()
    }
}

impl fmt::Display for Hit {
    /// The URL; bytes of a reject that are not UTF-8 as U+FFFD.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.text))
    }
}

impl AsRef<[u8]> for Hit {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}
