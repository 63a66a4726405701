//! The candidate: the scanner's report of a possible URL.

use std::fmt;

use crate::span::{Seam, SeamKind, Span};

/// The delimiters of a URL in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Form {
    /// `<URL:` … `>` (RFC 1738, Appendix).
    Wrapped,
    /// `<scheme:` … `>` (RFC 2396 Appendix E, RFC 3986 Appendix C).
    Bracketed,
    /// `"scheme:` … `"` (RFC 3986 Appendix C).
    Quoted,
    /// `URL:` or `URL=` comes before it, and there are no brackets.
    Prefixed,
    /// White space or nothing.
    #[default]
    Bare,
    /// A host that begins with `www.`, `ftp.` or `gopher.`, without a scheme (RFC
    /// 3986 4.5). Found on request only.
    Suffix,
}

impl Form {
    /// All forms.
    pub const ALL: &[Form] = &[
        Form::Wrapped,
        Form::Bracketed,
        Form::Quoted,
        Form::Prefixed,
        Form::Bare,
        Form::Suffix,
    ];

    /// The name on the command line and in the output: `wrapped`, `bracketed`,
    /// `quoted`, `prefixed`, `bare`, `suffix`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Form::Wrapped => "wrapped",
            Form::Bracketed => "bracketed",
            Form::Quoted => "quoted",
            Form::Prefixed => "prefixed",
            Form::Bare => "bare",
            Form::Suffix => "suffix",
        }
    }
}

impl fmt::Display for Form {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A reason why a reading is uncertain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Doubt {
    /// White space within a line, inside the delimiters. Mailers rarely add
    /// such white space, so the author may have written it.
    InnerSpace,
    /// Letters of a script without spaces follow a slash or another mark of the
    /// URL. They belong to the URL or to the prose.
    Script,
    /// A bare URL that was joined with the next lines.
    Joined,
    /// A blank line inside the delimiters.
    BlankLine,
}

impl Doubt {
    /// Every doubt.
    pub const ALL: &[Doubt] = &[
        Doubt::InnerSpace,
        Doubt::Script,
        Doubt::Joined,
        Doubt::BlankLine,
    ];

    /// The name in the output: `inner-space`, `script`, `joined`, `blank-line`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Doubt::InnerSpace => "inner-space",
            Doubt::Script => "script",
            Doubt::Joined => "joined",
            Doubt::BlankLine => "blank-line",
        }
    }
}

impl fmt::Display for Doubt {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A set of [`Doubt`]s. It displays as their names with commas between them.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Doubts(u8);

impl Doubts {
    /// No doubt.
    pub const NONE: Doubts = Doubts(0);

    /// This set and `doubt`.
    #[must_use]
    pub const fn with(self, doubt: Doubt) -> Doubts {
        Doubts(self.0 | 1 << doubt as u8)
    }

    /// True if `doubt` is in the set.
    #[must_use]
    pub const fn has(self, doubt: Doubt) -> bool {
        self.0 & 1 << doubt as u8 != 0
    }

    /// True if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The doubts of the set, in the order of [`Doubt::ALL`].
    pub fn iter(self) -> DoubtsIter {
        DoubtsIter {
            set: self,
            rest: Doubt::ALL.iter(),
        }
    }
}

impl IntoIterator for Doubts {
    type Item = Doubt;
    type IntoIter = DoubtsIter;

    fn into_iter(self) -> DoubtsIter {
        self.iter()
    }
}

impl fmt::Debug for Doubts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

impl fmt::Display for Doubts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, doubt) in self.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}{doubt}")?;
        }
        Ok(())
    }
}

/// Iterates over a set of doubts. Made by [`Doubts::iter`].
#[derive(Clone, Debug)]
pub struct DoubtsIter {
    set: Doubts,
    rest: std::slice::Iter<'static, Doubt>,
}

impl Iterator for DoubtsIter {
    type Item = Doubt;

    fn next(&mut self) -> Option<Doubt> {
        self.rest.find(|&&doubt| self.set.has(doubt)).copied()
    }
}

impl std::iter::FusedIterator for DoubtsIter {}

/// The kind of a reading: how it differs from the other readings of its
/// candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum ReadingKind {
    /// The rules are applied literally. As an alternate of a joined URL, this is
    /// its first line.
    Plain,
    /// A hyphen before a line break is removed, as if the typesetter had added
    /// it.
    Hyphen,
    /// The other reading of white space inside a wrapper. If the first reading
    /// removes the white space, this one ends before it. If the first reading
    /// ends before it, this one removes it.
    Space,
    /// A bare URL joined with its continuation on the next line.
    Joined,
    /// An undeclared soft line break of quoted-printable is removed.
    Qp,
    /// Undeclared quoted-printable, or `&amp;` in an attribute value, is not
    /// decoded.
    Raw,
    /// The other reading of letters of a script without spaces. If the first
    /// reading includes the letters, this one ends before them. If the first
    /// reading ends before them, this one includes them.
    Script,
    /// The scheme starts earlier, because the letters before it can belong to
    /// it (`shttp` in `linkshttp://`).
    Scheme,
    /// The reading includes trailing bytes that the first reading leaves out.
    Tail,
    /// A link around an unwrapped link. The first is the link in the text. No
    /// candidate has this kind.
    Outer,
    /// A URL of another host in a parameter of an unwrapped link. No candidate
    /// has this kind.
    Inner,
}

impl ReadingKind {
    /// Every kind.
    pub const ALL: &[ReadingKind] = &[
        ReadingKind::Plain,
        ReadingKind::Hyphen,
        ReadingKind::Space,
        ReadingKind::Joined,
        ReadingKind::Qp,
        ReadingKind::Raw,
        ReadingKind::Script,
        ReadingKind::Scheme,
        ReadingKind::Tail,
        ReadingKind::Outer,
        ReadingKind::Inner,
    ];

    /// The name in the output: `plain`, `hyphen`, `space`, `joined`, `qp`,
    /// `raw`, `script`, `scheme`, `tail`, `outer`, `inner`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ReadingKind::Plain => "plain",
            ReadingKind::Hyphen => "hyphen",
            ReadingKind::Space => "space",
            ReadingKind::Joined => "joined",
            ReadingKind::Qp => "qp",
            ReadingKind::Raw => "raw",
            ReadingKind::Script => "script",
            ReadingKind::Scheme => "scheme",
            ReadingKind::Tail => "tail",
            ReadingKind::Outer => "outer",
            ReadingKind::Inner => "inner",
        }
    }
}

impl fmt::Display for ReadingKind {
    /// Writes the name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A way to read a candidate: its text, and the source of each byte.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'c> {
    /// How the reading differs from the other readings.
    pub kind: ReadingKind,
    /// True if the reading has the extent of the first reading. Then validity
    /// may choose between the two.
    pub same_extent: bool,
    /// The URL after joining its parts.
    pub text: &'c [u8],
    /// The bytes of the haystack that were copied into the text, in order.
    pub segments: &'c [Span],
    /// The seams between the segments, in order. `at` counts from the first
    /// byte of `text`.
    pub seams: &'c [Seam],
}

/// The parts of a reading in the arrays of its candidate.
#[derive(Clone, Copy, Debug)]
struct Row {
    kind: ReadingKind,
    same_extent: bool,
    text: usize,
    segments: usize,
    seams: usize,
}

/// A byte of a URL that is written in an encoding: `=3D`, `&amp;`.
#[derive(Clone, Copy)]
pub(super) struct Encoded {
    /// Index of its first byte in the text.
    pub(super) at: usize,
    /// Its length in the text.
    pub(super) len: usize,
    pub(super) byte: u8,
}

/// The scanner's report of a possible URL: its form and its readings. It may
/// turn out not to be a URL.
///
/// One candidate is reused for the whole scan. So after the first few
/// candidates there are no allocations.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    pub(super) form: Form,
    pub(super) line: Option<u64>,
    pub(super) doubts: Doubts,
    pub(super) glued: bool,
    pub(super) continues: bool,
    pub(super) too_long: bool,
    pub(super) unclosed: bool,
    /// Offset up to which the search for another reading examined bytes.
    pub(super) looked_to: u64,
    pub(super) input_ended: bool,
    /// The scheme and slashes for a host without a scheme, and the length of
    /// its first label. Each reading starts with them.
    pub(super) scheme: Option<(&'static [u8], usize)>,
    text: Vec<u8>,
    segments: Vec<Span>,
    seams: Vec<Seam>,
    /// The ends of each reading's parts in the arrays. A reading starts where
    /// the previous reading ends.
    rows: Vec<Row>,
}

impl Candidate {
    /// The form: how the URL is delimited.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The line of the first byte, counted from 1. `None` if lines are not
    /// counted.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.line
    }

    /// Reasons to doubt the first reading. Empty if there are none.
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

    /// True if the URL clearly continues on the next line.
    #[must_use]
    pub fn continues(&self) -> bool {
        self.continues
    }

    /// True if the URL is longer than the limit. Its text is cut at the limit.
    #[must_use]
    pub fn too_long(&self) -> bool {
        self.too_long
    }

    /// True if a blank line cuts the wrapper around the URL.
    #[must_use]
    pub fn unclosed(&self) -> bool {
        self.unclosed
    }

    /// True if unreadable bytes may change the candidate. Only
    /// [`Scanner::break_off`](super::Scanner::break_off) sets it.
    #[must_use]
    pub fn input_ended(&self) -> bool {
        self.input_ended
    }

    /// The readings, in the order in which they are tried. There is at least
    /// one.
    pub fn readings(&self) -> impl Iterator<Item = Reading<'_>> {
        (0..self.rows.len()).map(|i| self.reading(i))
    }

    /// The number of readings.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// The reading with index `i`.
    ///
    /// # Panics
    ///
    /// If `i` is not below [`Candidate::count`].
    #[inline]
    #[must_use]
    pub fn reading(&self, i: usize) -> Reading<'_> {
        let row = self.rows[i];
        let (text, segments, seams) = match i.checked_sub(1) {
            Some(before) => (
                self.rows[before].text,
                self.rows[before].segments,
                self.rows[before].seams,
            ),
            None => (0, 0, 0),
        };
        Reading {
            kind: row.kind,
            same_extent: row.same_extent,
            text: &self.text[text..row.text],
            segments: &self.segments[segments..row.segments],
            seams: &self.seams[seams..row.seams],
        }
    }

    pub(super) fn clear(&mut self, form: Form) {
        self.form = form;
        self.line = None;
        self.doubts = Doubts::NONE;
        self.glued = false;
        self.continues = false;
        self.too_long = false;
        self.unclosed = false;
        self.looked_to = 0;
        self.input_ended = false;
        self.scheme = None;
        self.text.clear();
        self.segments.clear();
        self.seams.clear();
        self.rows.clear();
    }

    /// True if the candidate has its first reading and four alternates.
    pub(super) fn is_full(&self) -> bool {
        self.rows.len() > super::ALTERNATES_MAX
    }

    /// The number of bytes in the current reading so far.
    fn at(&self) -> u64 {
        (self.text.len() - self.rows.last().map_or(0, |r| r.text)) as u64
    }

    /// Appends the bytes at `span` to the current reading.
    #[inline]
    pub(super) fn copy(&mut self, bytes: &[u8], span: Span) {
        let done = match self.scheme {
            Some((scheme, len)) if self.at() == 0 && len <= bytes.len() => {
                self.add_scheme(scheme, &bytes[..len], span.start);
                len
            }
            _ => 0,
        };
        if done < bytes.len() {
            self.text.extend_from_slice(&bytes[done..]);
            self.segments
                .push(Span::new(span.start + done as u64, span.end));
        }
    }

    /// Starts the current reading with `scheme` and the first label of the host,
    /// which is at the offset `start`.
    #[cold]
    fn add_scheme(&mut self, scheme: &[u8], label: &[u8], start: u64) {
        self.text.extend_from_slice(scheme);
        self.text.extend_from_slice(label);
        self.seams.push(Seam {
            kind: SeamKind::Scheme,
            span: Span::new(start, start + label.len() as u64),
            at: 0,
            len: (scheme.len() + label.len()) as u32,
        });
    }

    /// Appends `bytes`, which start at the offset `start`. Each byte that `find`
    /// finds is decoded, with a seam of this kind.
    pub(super) fn copy_decoded(
        &mut self,
        bytes: &[u8],
        start: u64,
        kind: SeamKind,
        find: fn(&[u8]) -> Option<Encoded>,
    ) {
        let span = |from: usize, to: usize| Span::new(start + from as u64, start + to as u64);
        let mut from = 0;
        while let Some(Encoded { at, len, byte }) = find(&bytes[from..]) {
            let at = from + at;
            self.copy(&bytes[from..at], span(from, at));
            self.seam(kind, span(at, at + len), &[byte]);
            from = at + len;
        }
        self.copy(&bytes[from..], span(from, bytes.len()));
    }

    /// Appends a seam to the current reading. `bytes` are its bytes in the URL.
    pub(super) fn seam(&mut self, kind: SeamKind, span: Span, bytes: &[u8]) {
        if !span.is_empty() {
            let at = self.at();
            self.seams.push(Seam {
                kind,
                span,
                at,
                len: bytes.len() as u32,
            });
            self.text.extend_from_slice(bytes);
        }
    }

    /// Finishes the current reading. Drops it if there is already a reading
    /// with the same text.
    pub(super) fn finish(&mut self, kind: ReadingKind, same_extent: bool) {
        let row = Row {
            kind,
            same_extent,
            text: self.text.len(),
            segments: self.segments.len(),
            seams: self.seams.len(),
        };
        self.rows.push(row);
        let last = self.rows.len() - 1;
        if last == 0 {
            return;
        }
        let text = self.reading(last).text;
        if (0..last).any(|i| self.reading(i).text == text) {
            self.rows.pop();
            let (text, segments, seams) = self
                .rows
                .last()
                .map_or((0, 0, 0), |r| (r.text, r.segments, r.seams));
            self.text.truncate(text);
            self.segments.truncate(segments);
            self.seams.truncate(seams);
        }
    }

    /// Marks the candidate as too long if its first reading has more than `max`
    /// bytes. Then only the first reading is kept, cut at the limit.
    pub(super) fn limit(&mut self, max: usize) {
        let Some(first) = self.rows.first_mut().filter(|first| first.text > max) else {
            return;
        };
        first.text = max;
        first.seams = self.seams[..first.seams].partition_point(|seam| seam.at < max as u64);
        let mut left = max as u64;
        // Subtract the bytes of seams before the cut. A seam has at most one
        // byte. Only the seam of an added scheme is longer.
        left -= self.seams[..first.seams]
            .iter()
            .map(|seam| u64::from(seam.len))
            .sum::<u64>()
            .min(left);
        let segments = self.segments[..first.segments].iter_mut();
        let mut kept = 0;
        for segment in segments {
            if left == 0 {
                break;
            }
            segment.end = segment.start + segment.len().min(left);
            left -= segment.len();
            kept += 1;
        }
        first.segments = kept;
        self.rows.truncate(1);
        self.text.truncate(max);
        self.segments.truncate(kept);
        self.seams.truncate(self.rows[0].seams);
        self.too_long = true;
    }

    /// Offset after the last byte of any reading.
    pub(super) fn reach(&self) -> u64 {
        self.segments.iter().map(|s| s.end).max().unwrap_or(0)
    }

    /// Offset of the first byte of the first reading.
    pub(super) fn start(&self) -> u64 {
        let label = self.seams.first().filter(|_| self.scheme.is_some());
        let first = label
            .map(|seam| seam.span)
            .or(self.segments.first().copied());
        first.map_or(0, |span| span.start)
    }
}
