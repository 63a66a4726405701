//! Hits and their alternates.

use std::fmt;
use std::ops::Range;

use crate::scan::Reading;
use crate::scan::{Doubt, Form, ReadingKind, Readings, Signs};
use urlgrep_base::names::Set;
use urlgrep_base::span::{self, Seam, Span};
use urlgrep_url::measure;
use urlgrep_url::{Meta, Profile, Reject, Rule, Url};

/// Another valid reading of the bytes of a hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Alternate<'a> {
    /// How the reading differs from the URL of the hit.
    pub kind: ReadingKind,
    /// The URL in this reading. It is valid under the hit's profile, but for one of
    /// the kind [`Browser`](ReadingKind::Browser), which is valid under `whatwg`, and for the raw
    /// text of a hit with the doubt [`Escape`](crate::scan::Doubt::Escape).
    pub url: &'a str,
    /// See [`Hit::segments`]. Empty for a hit from a ledger, which stores only
    /// the text of an alternate.
    pub segments: &'a [Span],
    /// See [`Hit::seams`].
    pub seams: &'a [Seam],
}

/// A URL that was found. If the caller asked for rejects, it may be a reject
/// with its reason. A hit owns its text.
///
/// # How certain is a hit?
///
/// The grammar accepts the URL of every hit. Whether the author meant this URL
/// is another question. These methods answer it:
///
/// | method | what it says |
/// | --- | --- |
/// | [`seams`](Hit::seams) | each repair of the text, such as a removed line break |
/// | [`doubts`](Hit::doubts) | reasons why the chosen reading may be wrong |
/// | [`alternates`](Hit::alternates) | the other readings. A hit can have some without a doubt, for example if a hyphen is before a line break |
/// | [`glued`](Hit::glued) | a letter, digit, `+`, `-` or `.` comes directly before the URL |
/// | [`continues`](Hit::continues) | the URL seems to continue on the next line, but was not joined |
/// | [`Url::cautions`] | the URL is unusual, for example it has a password |
///
/// ```
/// use urlgrep::{Extractor, Profile};
///
/// let text = b"<URL:http://a.example/auto-\nmatic.html>";
/// let hit = Extractor::new(Profile::Iri).find_iter(text).next().unwrap();
/// assert_eq!(hit.to_string(), "http://a.example/auto-matic.html");
/// assert_eq!(hit.seams()[0].kind.name(), "line-break");
/// assert!(hit.doubts().is_empty());
/// let alternate = hit.alternates().next().unwrap();
/// assert_eq!(alternate.kind.name(), "hyphen");
/// assert_eq!(alternate.url, "http://a.example/automatic.html");
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Hit {
    /// The chosen reading, then the alternates.
    pub(super) readings: Readings,
    pub(super) signs: Signs,
    pub(super) profile: Profile,
    pub(super) verdict: Result<Meta, Reject>,
}

impl Default for Hit {
    fn default() -> Hit {
        Hit {
            readings: Readings::default(),
            signs: Signs::default(),
            profile: Profile::default(),
            verdict: Err(Reject::too_long(Profile::default(), 0)),
        }
    }
}

impl Hit {
    /// Copies `other` into this hit. Reuses the memory of this hit.
    #[doc(hidden)]
    pub fn copy_from(&mut self, other: &Hit) {
        self.readings.copy_from(&other.readings);
        self.signs = other.signs;
        self.profile = other.profile;
        self.verdict = other.verdict;
    }

    /// Turns this hit into the name of a vocabulary.
    #[doc(hidden)]
    pub fn name_vocabulary(&mut self) {
        self.signs.form = Form::Namespace;
    }

    /// Turns this hit into a stored hit. The verdict is computed again.
    #[doc(hidden)]
    pub fn restore(
        &mut self,
        url: &[u8],
        profile: Profile,
        signs: Signs,
        segments: &[Span],
        seams: &[Seam],
    ) {
        #[cfg(feature = "whatwg")]
        let profile = if signs.doubts.has(Doubt::Browser) {
            Profile::Whatwg
        } else {
            profile
        };
        self.readings.clear();
        self.readings.push(&Reading {
            kind: ReadingKind::Plain,
            same_extent: true,
            text: url,
            segments,
            seams,
        });
        self.signs = signs;
        self.profile = profile;
        self.verdict = measure(profile, url);
    }

    /// Adds another reading to a restored hit.
    #[doc(hidden)]
    pub fn restore_alternate(&mut self, kind: ReadingKind, url: &[u8]) {
        self.readings.push_text(kind, url);
    }

    /// True if there are other readings.
    #[doc(hidden)]
    #[inline]
    pub fn has_alternates(&self) -> bool {
        self.readings.count() > 1
    }

    /// The hit with the other reading of a hyphen before a line end, if the two differ in nothing
    /// else. If the hyphen ends the hit and the next line may go on with it, that is the joined one.
    #[doc(hidden)]
    #[must_use]
    pub fn other_hyphen(&self) -> Option<Hit> {
        if self.signs.continues && self.text().ends_with(b"-") {
            return self.joined_hyphen();
        }
        let is_other = |reading: &Reading<'_>| {
            reading.kind == ReadingKind::Hyphen && is_without_hyphen(self.text(), reading.text)
        };
        let other = self.readings.from(1).find(is_other)?;
        let verdict = measure(self.profile, other.text);
        verdict.ok()?;
        let mut readings = Readings::default();
        readings.push(&other);
        for reading in self.readings.from(1).filter(|reading| !is_other(reading)) {
            readings.push(&reading);
        }
        Some(Hit {
            readings,
            signs: self.signs,
            profile: self.profile,
            verdict,
        })
    }

    /// The hit that goes on after its final hyphen, on the next line.
    fn joined_hyphen(&self) -> Option<Hit> {
        let is_joined = |reading: &Reading<'_>| {
            reading.kind == ReadingKind::Joined && reading.text.starts_with(self.text())
        };
        let joined = self.readings.from(1).find(is_joined)?;
        let verdict = measure(self.profile, joined.text);
        verdict.ok()?;
        let mut readings = Readings::default();
        readings.push(&Reading {
            same_extent: true,
            ..joined
        });
        readings.push(&Reading {
            same_extent: false,
            ..self.readings.reading(0)
        });
        for reading in self.readings.from(1).filter(|reading| !is_joined(reading)) {
            readings.push(&reading);
        }
        let mut signs = self.signs;
        signs.continues = false;
        signs.doubts.add(Doubt::Joined, true);
        Some(Hit {
            readings,
            signs,
            profile: self.profile,
            verdict,
        })
    }

    /// Removes the alternates with another reading of a hyphen before a line end.
    #[doc(hidden)]
    pub fn forget_hyphen(&mut self) {
        let mut readings = Readings::default();
        readings.push(&self.readings.reading(0));
        for reading in self.readings.from(1) {
            if reading.kind != ReadingKind::Hyphen {
                readings.push(&reading);
            }
        }
        self.readings = readings;
    }

    /// The approximate size of a copy in bytes.
    #[doc(hidden)]
    pub fn weight(&self) -> usize {
        size_of::<Hit>() + self.readings.weight()
    }

    /// Turns this hit into a reject, because unreadable bytes may change it.
    #[doc(hidden)]
    pub fn refuse(&mut self) {
        self.verdict = Err(Reject::unended(
            Rule::InputEnded,
            self.profile,
            self.text().len(),
        ));
        self.readings.truncate(1);
    }

    /// The URL after joining its parts, or the refused text. It has no
    /// delimiters, no prefix and no white space.
    #[inline]
    #[must_use]
    pub fn text(&self) -> &[u8] {
        self.readings.first_text()
    }

    /// The form: how the URL is delimited.
    #[must_use]
    pub fn form(&self) -> Form {
        self.signs.form
    }

    /// The range of the haystack from the URL's first byte to its last.
    #[must_use]
    pub fn span(&self) -> Span {
        span::extent(self.segments(), self.seams())
    }

    /// [`Hit::span`] as a range, for a haystack that is one slice. On a machine of 32 bits the
    /// ends are at most `usize::MAX`.
    ///
    /// ```
    /// let text = "see http://a.example/x.";
    /// let hit = urlgrep::Extractor::default().find_iter(text).next().unwrap();
    /// assert_eq!(&text[hit.range()], "http://a.example/x");
    /// ```
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        let span = self.span();
        let index = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        index(span.start)..index(span.end)
    }

    /// The start of [`Hit::span`].
    #[doc(hidden)]
    pub fn start(&self) -> u64 {
        match (self.segments(), self.seams()) {
            ([first, ..], []) => first.start,
            _ => self.span().start,
        }
    }

    /// The ranges of the haystack that were copied into the URL, in order. The
    /// bytes between them are [`Hit::seams`].
    #[must_use]
    pub fn segments(&self) -> &[Span] {
        self.readings.reading(0).segments
    }

    /// Every repair, in order.
    #[must_use]
    pub fn seams(&self) -> &[Seam] {
        self.readings.reading(0).seams
    }

    /// The line of the URL's first byte. LF ends a line, and lines count from 1.
    /// `None` if the extractor does not count lines.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.signs.line
    }

    /// Reasons to doubt the reading. Empty if there are none. See
    /// [above](Hit#how-certain-is-a-hit) for other signs.
    #[must_use]
    pub fn doubts(&self) -> Set<Doubt> {
        self.signs.doubts
    }

    /// True if a mark shows that the text may be only the beginning of a URL.
    #[doc(hidden)]
    pub fn is_abbreviated(&self) -> bool {
        let is_cut = |reject: Reject| reject.rule == Rule::Abbreviated;
        self.signs.doubts.has(Doubt::Abbreviated) || self.verdict.is_err_and(is_cut)
    }

    /// True if a letter, digit, `+`, `-` or `.` comes directly before the scheme
    /// (`season.http://`).
    #[must_use]
    pub fn glued(&self) -> bool {
        self.signs.glued
    }

    /// True if the URL is only the beginning of one. It is bare and seems to continue on
    /// the next line, but is not joined: then one of the [alternates](Hit::alternates)
    /// has the URL over several lines. Or its author left out the rest of a word, with
    /// the doubt [`Abbreviated`](Doubt::Abbreviated).
    #[must_use]
    pub fn continues(&self) -> bool {
        self.signs.continues
    }

    /// The profile that gave the verdict.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The URL, or the reason why the text is none. The URL borrows the text of
    /// the hit.
    ///
    /// # Errors
    ///
    /// The failed rule and its offset. See [`Reject`]. An extractor gives such a
    /// hit only if it was built with
    /// [`rejects`](super::ExtractorBuilder::rejects).
    #[inline]
    pub fn url(&self) -> Result<Url<'_>, Reject> {
        self.verdict.map(|meta| meta.with(self.text()))
    }

    /// The other valid readings, the most likely first. The readings of a
    /// candidate are tried in the order of the scanner. The first reading
    /// determines the extent. The first valid reading of this extent is the URL
    /// of the hit. With [`Hyphen::Drop`](super::Hyphen::Drop) the reading
    /// without the hyphen is tried first.
    ///
    /// There are at most four. The links around an unwrapped hit are further
    /// alternates, the outermost first.
    pub fn alternates(&self) -> impl Iterator<Item = Alternate<'_>> {
        self.readings.from(1).map(|reading| Alternate {
            kind: reading.kind,
            url: std::str::from_utf8(reading.text).unwrap_or_default(),
            segments: reading.segments,
            seams: reading.seams,
        })
    }
}

/// True if one of the texts is the other without one hyphen.
fn is_without_hyphen(one: &[u8], other: &[u8]) -> bool {
    let (long, short) = if one.len() > other.len() {
        (one, other)
    } else {
        (other, one)
    };
    let at = long.iter().zip(short).take_while(|(a, b)| a == b).count();
    long.len() == short.len() + 1 && long[at] == b'-' && long[at + 1..] == short[at..]
}

impl fmt::Debug for Hit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hit")
            .field("text", &String::from_utf8_lossy(self.text()))
            .field("signs", &self.signs)
            .field("segments", &self.segments())
            .field("seams", &self.seams())
            .field("alternates", &self.alternates().collect::<Vec<_>>())
            .field("url", &self.url())
            .finish()
    }
}

impl fmt::Display for Hit {
    /// Writes the text. Bytes of a reject that are not UTF-8 become U+FFFD.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(self.text()))
    }
}
