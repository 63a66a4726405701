//! Hits and their alternates.

use std::fmt;

use crate::scan::{Doubts, Form, ReadingKind};
use crate::span::{self, Seam, Span};
#[cfg(feature = "ledger")]
use crate::url::measure;
use crate::url::{Meta, Profile, Reject, Url, validate};

/// Another reading of the bytes of a hit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct Alternate<'a> {
    /// How the reading differs from the URL of the hit.
    pub kind: ReadingKind,
    /// The URL in this reading. It is valid under the hit's profile.
    pub url: &'a str,
    segments: &'a [Span],
    seams: &'a [Seam],
    profile: Profile,
}

impl<'a> Alternate<'a> {
    /// The parsed URL. Linear, because the text is validated again.
    ///
    /// # Errors
    ///
    /// None, because an alternate is always valid.
    pub fn verdict(&self) -> Result<Url<'a>, Reject> {
        validate(self.profile, self.url.as_bytes())
    }

    /// The URL.
    #[must_use]
    pub fn as_str(&self) -> &'a str {
        self.url
    }

    /// The range of the haystack from the first byte of the reading to its last.
    /// See [`Hit::span`].
    #[must_use]
    pub fn span(&self) -> Span {
        span::extent(self.segments, self.seams)
    }

    /// The ranges of the haystack that were copied into the URL of this
    /// reading. See [`Hit::segments`]. Empty for a hit from a ledger, which
    /// stores only the text of an alternate.
    #[must_use]
    pub fn segments(&self) -> &'a [Span] {
        self.segments
    }

    /// Every repair of this reading. See [`Hit::seams`].
    #[must_use]
    pub fn seams(&self) -> &'a [Seam] {
        self.seams
    }
}

impl fmt::Debug for Alternate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Span { start, end } = self.span();
        let (kind, url) = (self.kind.name(), self.as_str());
        write!(f, "Alternate({kind}, {url:?}, {start}..{end})")
    }
}

impl fmt::Display for Alternate<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A URL that was found. If the caller asked for rejects, it may be a reject
/// with its reason. A hit owns its text.
///
/// Two hits are ordered by their text, then by their position.
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
/// | [`continues`](Hit::continues) | the URL clearly continues on the next line, but was not joined |
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
/// assert_eq!(alternate.as_str(), "http://a.example/automatic.html");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hit {
    pub(super) text: Vec<u8>,
    pub(super) segments: Vec<Span>,
    pub(super) seams: Vec<Seam>,
    pub(super) others: Others,
    pub(super) form: Form,
    pub(super) line: Option<u64>,
    pub(super) doubts: Doubts,
    pub(super) glued: bool,
    pub(super) continues: bool,
    pub(super) profile: Profile,
    pub(super) verdict: Result<Meta, Reject>,
}

/// The alternates of a hit. The parts of all alternates are in the same arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Others {
    text: String,
    segments: Vec<Span>,
    seams: Vec<Seam>,
    rows: Vec<Row>,
}

/// The kind of an alternate, and the ends of its parts in the arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Row {
    kind: ReadingKind,
    text: usize,
    segments: usize,
    seams: usize,
}

impl Others {
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.segments.clear();
        self.seams.clear();
        self.rows.clear();
    }

    /// Adds an alternate. Its text is a valid URL, so it is UTF-8.
    pub(super) fn push(
        &mut self,
        kind: ReadingKind,
        text: &[u8],
        segments: &[Span],
        seams: &[Seam],
    ) {
        self.text
            .push_str(std::str::from_utf8(text).unwrap_or_default());
        self.segments.extend_from_slice(segments);
        self.seams.extend_from_slice(seams);
        self.rows.push(Row {
            kind,
            text: self.text.len(),
            segments: self.segments.len(),
            seams: self.seams.len(),
        });
    }

    pub(super) fn kinds(&self) -> impl Iterator<Item = ReadingKind> {
        self.rows.iter().map(|row| row.kind)
    }

    /// Copies `other`. Reuses the memory of this value.
    fn copy_from(&mut self, other: &Others) {
        self.text.clone_from(&other.text);
        self.segments.clone_from(&other.segments);
        self.seams.clone_from(&other.seams);
        self.rows.clone_from(&other.rows);
    }

    fn iter(&self, profile: Profile) -> impl Iterator<Item = Alternate<'_>> {
        let start = (0, 0, 0);
        self.rows.iter().scan(start, move |start, row| {
            let (text, segments, seams) = *start;
            *start = (row.text, row.segments, row.seams);
            Some(Alternate {
                kind: row.kind,
                url: self.text.get(text..row.text).unwrap_or_default(),
                segments: &self.segments[segments..row.segments],
                seams: &self.seams[seams..row.seams],
                profile,
            })
        })
    }
}

/// The stored properties of a hit.
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
            others: Others::default(),
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
    /// Copies `other` into this hit. Reuses the memory of this hit.
    pub fn copy_from(&mut self, other: &Hit) {
        self.text.clone_from(&other.text);
        self.segments.clone_from(&other.segments);
        self.seams.clone_from(&other.seams);
        self.others.copy_from(&other.others);
        self.form = other.form;
        self.line = other.line;
        self.doubts = other.doubts;
        self.glued = other.glued;
        self.continues = other.continues;
        self.profile = other.profile;
        self.verdict = other.verdict;
    }

    /// Turns this hit into a stored hit. `found` has its properties. The
    /// verdict is computed again.
    #[cfg(feature = "ledger")]
    pub(crate) fn restore(&mut self, url: &[u8], profile: Profile, found: &Restored) {
        self.text.clear();
        self.text.extend_from_slice(url);
        self.segments.clone_from(&found.segments);
        self.seams.clone_from(&found.seams);
        self.others.clear();
        self.form = found.form;
        self.line = found.line;
        self.doubts = found.doubts;
        self.glued = found.glued;
        self.continues = found.continues;
        self.profile = profile;
        self.verdict = measure(profile, url);
    }

    /// Adds another reading to a restored hit.
    #[cfg(feature = "ledger")]
    pub(crate) fn restore_alternate(&mut self, kind: ReadingKind, url: &[u8]) {
        self.others.push(kind, url, &[], &[]);
    }

    /// The approximate size of a copy in bytes.
    #[cfg(feature = "mail")]
    pub(crate) fn weight(&self) -> usize {
        size_of::<Hit>()
            + self.text.len()
            + self.others.text.len()
            + size_of_val(&self.segments[..])
            + size_of_val(&self.seams[..])
            + size_of_val(&self.others.segments[..])
            + size_of_val(&self.others.seams[..])
    }

    /// Turns this hit into a reject, because unreadable bytes may change it.
    #[cfg(feature = "mail")]
    pub(crate) fn refuse(&mut self) {
        self.verdict = Err(Reject::input_ended(self.profile, self.text.len()));
        self.others.clear();
    }

    /// The URL after joining its parts. It has no delimiters, no prefix and no
    /// white space.
    #[must_use]
    pub fn url(&self) -> &[u8] {
        &self.text
    }

    /// [`Hit::url`] as a string. `None` for a reject that is not UTF-8.
    /// Linear.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        std::str::from_utf8(&self.text).ok()
    }

    /// The form: how the URL is delimited.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The range of the haystack from the URL's first byte to its last.
    /// [`Span::of`] returns these bytes.
    #[must_use]
    pub fn span(&self) -> Span {
        span::extent(&self.segments, &self.seams)
    }

    /// The ranges of the haystack that were copied into the URL, in order. The
    /// bytes between them are [`Hit::seams`].
    #[must_use]
    pub fn segments(&self) -> &[Span] {
        &self.segments
    }

    /// Every repair, in order.
    #[must_use]
    pub fn seams(&self) -> &[Seam] {
        &self.seams
    }

    /// The line of the URL's first byte. LF ends a line, and lines count from 1.
    /// `None` if the extractor does not count lines.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// Reasons to doubt the reading. Empty if there are none. See
    /// [above](Hit#how-certain-is-a-hit) for other signs.
    #[must_use]
    pub fn doubts(&self) -> Doubts {
        self.doubts
    }

    /// True if a letter, digit, `+`, `-` or `.` comes directly before the scheme
    /// (`season.http://`).
    #[must_use]
    pub fn glued(&self) -> bool {
        self.glued
    }

    /// True if the URL is bare and clearly continues on the next line, but is
    /// not joined. One of the [alternates](Hit::alternates) has the URL over
    /// several lines.
    #[must_use]
    pub fn continues(&self) -> bool {
        self.continues
    }

    /// The profile that gave the verdict.
    #[must_use]
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The parsed URL, or the reason for the reject. The URL borrows the text of
    /// the hit. [`Url::to_buf`] copies it.
    ///
    /// # Errors
    ///
    /// The failed rule and its offset. See [`Reject`].
    pub fn verdict(&self) -> Result<Url<'_>, Reject> {
        self.verdict.map(|meta| meta.with(&self.text))
    }

    /// The other valid readings, the most likely first. The readings of a
    /// candidate are tried in the order of the scanner. The first reading
    /// determines the extent. The first valid reading of this extent is the URL
    /// of the hit. With [`Hyphen::Drop`](super::Hyphen::Drop) the reading
    /// without the hyphen is tried first.
    ///
    /// There are at most [`ALTERNATES_MAX`](crate::scan::ALTERNATES_MAX). The
    /// links around an unwrapped hit are further alternates, the outermost first.
    pub fn alternates(&self) -> impl Iterator<Item = Alternate<'_>> {
        self.others.iter(self.profile)
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
    /// Writes the URL. Bytes of a reject that are not UTF-8 become U+FFFD.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&String::from_utf8_lossy(&self.text))
    }
}

impl AsRef<[u8]> for Hit {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}
