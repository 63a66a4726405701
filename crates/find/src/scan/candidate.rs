//! The candidate: the scanner's report of a possible URL.

use super::encoded::Encoded;
use super::mark::Mark;
use urlgrep_base::named;
use urlgrep_base::names::Set;
use urlgrep_base::span::{Seam, SeamKind, Span};

named! {
    /// The delimiters of a URL in the text.
    #[derive(Default)]
    pub enum Form {
        /// `<URL:` … `>` (RFC 1738, Appendix).
        Wrapped => "wrapped",
        /// `<scheme:` … `>` (RFC 2396 Appendix E, RFC 3986 Appendix C).
        Bracketed => "bracketed",
        /// `"scheme:` … `"` (RFC 3986 Appendix C).
        Quoted => "quoted",
        /// `URL:` or `URL=` comes before it, and there are no brackets.
        Prefixed => "prefixed",
        /// White space or nothing.
        #[default]
        Bare => "bare",
        /// The target of a link: the value of an attribute of HTML or XML (`href`), or
        /// `url(…)` of a style sheet.
        Link => "link",
        /// A host that begins with `www.`, `ftp.` or `gopher.`, without a scheme (RFC
        /// 3986 4.5). Found on request only.
        Suffix => "suffix",
        /// The name of a vocabulary in XML (`xmlns`, `schemaLocation`), which looks like a
        /// URL and is no link. Found on request only.
        Namespace => "namespace",
    }
}

impl Form {
    /// True for a form that is found on request only.
    #[doc(hidden)]
    #[must_use]
    pub const fn is_special(self) -> bool {
        matches!(self, Form::Suffix | Form::Namespace)
    }

    /// The forms that are wanted where somebody has named these: all but the special ones if
    /// none is named, and [`Form::Suffix`] if it is asked for by an option of its own.
    #[doc(hidden)] // For the command, Python and C, which take names.
    pub fn wanted(named: &[Form], suffixes: bool) -> impl Iterator<Item = Form> {
        let is_wanted = move |form: &Form| match form {
            Form::Suffix if suffixes => true,
            form if form.is_special() => named.contains(form),
            form => named.is_empty() || named.contains(form),
        };
        Form::ALL.iter().copied().filter(is_wanted)
    }
}

named! {
    /// A reason why a reading is uncertain.
    pub enum Doubt {
        /// White space within a line, inside the delimiters. Mailers rarely add
        /// such white space, so the author may have written it.
        InnerSpace => "inner-space",
        /// Letters of a script without spaces follow the path of the URL or a mark in it,
        /// without a blank. They belong to the URL or to the prose.
        Script => "script",
        /// A bare URL that was joined with the next lines.
        Joined => "joined",
        /// A blank line inside the delimiters.
        BlankLine => "blank-line",
        /// A blank line follows in a wrapper that does not close. The URL may go on after
        /// it.
        Unclosed => "unclosed",
        /// `iri` refuses the link of HTML, but a browser opens it, or refuses the `%` in the
        /// id of a `news` URL. The URL is as the URL Standard serialises it.
        Browser => "browser",
        /// An archive masked the `@` of an address: `mailto:x at y.example`.
        Unmasked => "unmasked",
        /// A hyphen of the URL was printed as U+2010 or U+2011, as groff and publishers print
        /// it.
        Typeset => "typeset",
        /// Another scheme was before it: `http://http://a.example/`.
        Doubled => "doubled",
        /// Dots, `…` or the edge of a screen follow, so the URL may be only the beginning of
        /// another: `http://a.example/lon...`. With `continues`, a word is cut.
        Abbreviated => "abbreviated",
        /// A program escaped characters of the URL or what follows it (`\_`, `\u0026`, `\n`). The
        /// text as it was written is an alternate.
        Escape => "escape",
        /// A name after a `$` may be one that a program replaces: `http://a.example/$id`.
        Placeholder => "placeholder",
        /// The URL was defanged: `hxxp://a[.]example`. It is printed as it was meant, and the text
        /// as it was written is an alternate. Found on request only.
        Refanged => "refanged",
    }
}

named! {
    /// The kind of a reading: how it differs from the other readings of its
    /// candidate.
    pub enum ReadingKind {
        /// The rules are applied literally. As an alternate of a joined URL, this is
        /// its first line.
        Plain => "plain",
        /// A hyphen before a line break is removed, as if the typesetter had added
        /// it.
        Hyphen => "hyphen",
        /// The other reading of white space inside a wrapper. If the first reading
        /// removes the white space, this one ends before it. If the first reading
        /// ends before it, this one removes it.
        Space => "space",
        /// A bare URL joined with its continuation on the next line.
        Joined => "joined",
        /// An undeclared soft line break of quoted-printable is removed.
        Qp => "qp",
        /// Undeclared quoted-printable, `&amp;` in an attribute value, or a hyphen of a
        /// typesetter is not decoded.
        Raw => "raw",
        /// The other reading of letters of a script without spaces. If the first
        /// reading includes the letters, this one ends before them. If the first
        /// reading ends before them, this one includes them.
        Script => "script",
        /// The scheme starts earlier, because the letters before it can belong to
        /// it (`shttp` in `linkshttp://`), or because there are two (`http://http://`).
        Scheme => "scheme",
        /// The reading includes trailing bytes that the first reading leaves out.
        Tail => "tail",
        /// A link around an unwrapped link. The first is the link in the text. Only
        /// hits of an extractor that unwraps have this kind.
        Outer => "outer",
        /// A URL of another host in a parameter of an unwrapped link. Only hits of
        /// an extractor that unwraps have this kind.
        Inner => "inner",
        /// The text as it was written, if the URL is as the URL Standard serialises
        /// it. Only hits of links have this kind.
        Written => "written",
        /// What a browser would open, if the text is a reject. Only rejects have
        /// this kind.
        Browser => "browser",
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

/// Readings in a few arrays. They are reused, so after the first few readings
/// there are no allocations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Readings {
    text: Vec<u8>,
    segments: Vec<Span>,
    seams: Vec<Seam>,
    /// A reading starts where the previous reading ends.
    ends: Vec<ReadingEnd>,
}

/// The ends of the parts of a reading in the arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ReadingEnd {
    kind: ReadingKind,
    same_extent: bool,
    text: usize,
    segments: usize,
    seams: usize,
}

impl Readings {
    /// Copies `other`. Reuses the memory of this value.
    pub(crate) fn copy_from(&mut self, other: &Readings) {
        self.text.clone_from(&other.text);
        self.segments.clone_from(&other.segments);
        self.seams.clone_from(&other.seams);
        self.ends.clone_from(&other.ends);
    }

    /// A copy of one reading.
    pub(super) fn of(reading: &Reading<'_>) -> Readings {
        let mut readings = Readings::default();
        readings.push(reading);
        readings
    }

    /// The number of readings.
    pub(crate) fn count(&self) -> usize {
        self.ends.len()
    }

    /// The reading with index `i`. Empty if there is none.
    #[inline]
    pub(crate) fn reading(&self, i: usize) -> Reading<'_> {
        let before = i.checked_sub(1).and_then(|before| self.ends.get(before));
        let (text, segments, seams) = before.map_or((0, 0, 0), |r| (r.text, r.segments, r.seams));
        let Some(end) = self.ends.get(i) else {
            return Reading {
                kind: ReadingKind::Plain,
                same_extent: true,
                text: &[],
                segments: &[],
                seams: &[],
            };
        };
        Reading {
            kind: end.kind,
            same_extent: end.same_extent,
            text: &self.text[text..end.text],
            segments: &self.segments[segments..end.segments],
            seams: &self.seams[seams..end.seams],
        }
    }

    /// True if a reading has a seam.
    #[inline]
    pub(crate) fn have_seams(&self) -> bool {
        !self.seams.is_empty()
    }

    /// The readings from index `first` on.
    pub(crate) fn from(&self, first: usize) -> impl Iterator<Item = Reading<'_>> {
        (first..self.count()).map(|i| self.reading(i))
    }

    /// The text of the first reading.
    #[inline]
    pub(crate) fn first_text(&self) -> &[u8] {
        &self.text[..self.ends.first().map_or(0, |end| end.text)]
    }

    /// Offset after the first segment of the first reading.
    #[inline]
    pub(super) fn first_segment_end(&self) -> Option<u64> {
        let count = self.ends.first().map_or(0, |end| end.segments);
        self.segments[..count].first().map(|segment| segment.end)
    }

    #[inline]
    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.segments.clear();
        self.seams.clear();
        self.ends.clear();
    }

    /// Keeps the first `count` readings.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.ends.truncate(count);
        let last = self.ends.last();
        let (text, segments, seams) = last.map_or((0, 0, 0), |r| (r.text, r.segments, r.seams));
        self.text.truncate(text);
        self.segments.truncate(segments);
        self.seams.truncate(seams);
    }

    /// Appends a reading.
    #[inline]
    pub(crate) fn push(&mut self, reading: &Reading<'_>) {
        self.text.extend_from_slice(reading.text);
        self.segments.extend_from_slice(reading.segments);
        self.seams.extend_from_slice(reading.seams);
        self.end(reading.kind, reading.same_extent);
    }

    /// Appends a reading that is not in the haystack.
    pub(crate) fn push_text(&mut self, kind: ReadingKind, text: &[u8]) {
        self.text.extend_from_slice(text);
        self.end(kind, false);
    }

    /// Replaces the text of the first reading.
    pub(crate) fn replace_first(&mut self, text: &[u8]) {
        let len = self.reading(0).text.len();
        self.text.splice(..len, text.iter().copied());
        for end in &mut self.ends {
            end.text = end.text - len + text.len();
        }
    }

    /// The size in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.text.len() + size_of_val(&self.segments[..]) + size_of_val(&self.seams[..])
    }

    #[inline]
    fn end(&mut self, kind: ReadingKind, same_extent: bool) {
        self.ends.push(ReadingEnd {
            kind,
            same_extent,
            text: self.text.len(),
            segments: self.segments.len(),
            seams: self.seams.len(),
        });
    }
}

/// The scanner's remarks about a candidate, which become those of its hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// How the URL is delimited.
    pub form: Form,
    /// The line of the first byte, counted from 1. `None` if lines are not
    /// counted.
    pub line: Option<u64>,
    /// Reasons to doubt the first reading.
    pub doubts: Set<Doubt>,
    /// A letter, digit, `+`, `-` or `.` comes directly before the scheme
    /// (`season.http://`).
    pub glued: bool,
    /// The URL clearly continues: on the next line, or where its author left out the
    /// rest.
    pub continues: bool,
}

/// The scanner's report of a possible URL: its form and its readings. It may
/// turn out not to be a URL.
///
/// One candidate is reused for the whole scan. Its flags are findings of different rules, which only
/// the extractor puts together.
#[derive(Clone, Debug, Default)]
pub struct Candidate {
    /// What the scanner noticed.
    pub signs: Signs,
    /// The URL is longer than the limit. Its text is cut at the limit.
    pub too_long: bool,
    /// A blank line cuts the wrapper around the URL, which closes later.
    pub unclosed: bool,
    /// A mark shows that somebody left out a part of the URL.
    pub cut: bool,
    /// Such a mark is directly after the host, which may be whole.
    pub host_may_be_cut: bool,
    /// The word of the URL ends with it, but for punctuation.
    pub ends_word: bool,
    /// A line end cuts the host: it is missing, or it is only `www`.
    pub host_is_cut: bool,
    /// It is a template of a program, which names no page.
    pub is_template: bool,
    /// The grammar refuses the next line, with which the URL seemed to go on.
    pub(crate) is_refused_below: bool,
    /// Unreadable bytes may change the candidate. Only
    /// [`Scanner::break_off`](super::Scanner::break_off) sets it.
    pub input_ended: bool,
    /// Its first reading depends on a guess of a view.
    pub(super) is_guess: bool,
    /// A view shows that it ends with its row.
    pub(super) ends_row: bool,
    /// Offset up to which the search for another reading examined bytes.
    pub(super) looked_to: u64,
    /// The scheme and slashes for a host without a scheme, and the length of
    /// its first label. Each reading starts with them.
    pub(super) scheme: Option<(&'static [u8], usize)>,
    pub(crate) readings: Readings,
}

impl Candidate {
    /// The readings, in the order in which they are tried. There is at least
    /// one.
    pub fn readings(&self) -> impl Iterator<Item = Reading<'_>> {
        self.readings.from(0)
    }

    pub(super) fn clear(&mut self, form: Form) {
        self.signs = Signs {
            form,
            ..Signs::default()
        };
        self.too_long = false;
        self.unclosed = false;
        self.cut = false;
        self.host_may_be_cut = false;
        self.host_is_cut = false;
        self.is_template = false;
        self.is_refused_below = false;
        self.ends_word = true;
        self.input_ended = false;
        self.is_guess = false;
        self.ends_row = false;
        self.looked_to = 0;
        self.scheme = None;
        self.readings.clear();
    }

    /// True if nothing says that the URL may be another.
    #[inline]
    pub(super) fn is_sure(&self) -> bool {
        self.readings.count() == 1 && self.signs.doubts.is_empty()
    }

    /// Records what a mark of abbreviation after the URL shows.
    pub(super) fn mark(&mut self, mark: Mark) {
        self.cut = matches!(mark, Mark::Cut(_));
        self.host_may_be_cut = mark == Mark::Host;
        self.signs.continues = mark == Mark::Word;
        let is_doubt = !matches!(mark, Mark::Cut(_) | Mark::Dots(_));
        self.signs.doubts.add(Doubt::Abbreviated, is_doubt);
    }

    /// True if the candidate has its first reading and four alternates.
    pub(super) fn is_full(&self) -> bool {
        self.readings.count() > super::limits::ALTERNATES_MAX
    }

    /// The number of bytes in the current reading so far.
    fn at(&self) -> u64 {
        let readings = &self.readings;
        (readings.text.len() - readings.ends.last().map_or(0, |r| r.text)) as u64
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
            self.readings.text.extend_from_slice(&bytes[done..]);
            self.readings
                .segments
                .push(Span::new(span.start + done as u64, span.end));
        }
    }

    /// Starts the current reading with `scheme` and the first label of the host,
    /// which is at the offset `start`.
    #[cold]
    fn add_scheme(&mut self, scheme: &[u8], label: &[u8], start: u64) {
        self.readings.text.extend_from_slice(scheme);
        self.readings.text.extend_from_slice(label);
        self.readings.seams.push(Seam {
            kind: SeamKind::Scheme,
            span: Span::new(start, start + label.len() as u64),
            at: 0,
            len: (scheme.len() + label.len()) as u32,
        });
    }

    /// Appends `bytes`, which start at the offset `start`. Each byte that `find`
    /// finds is decoded, with a seam.
    pub(super) fn copy_decoded(
        &mut self,
        bytes: &[u8],
        start: u64,
        find: fn(&[u8]) -> Option<Encoded>,
    ) {
        let span = |from: usize, to: usize| Span::new(start + from as u64, start + to as u64);
        let mut from = 0;
        while let Some(Encoded {
            at,
            len,
            byte,
            kind,
        }) = find(&bytes[from..])
        {
            let at = from + at;
            self.copy(&bytes[from..at], span(from, at));
            self.seam(kind, span(at, at + len), byte.as_slice());
            from = at + len;
        }
        self.copy(&bytes[from..], span(from, bytes.len()));
    }

    /// Appends a seam to the current reading. `bytes` are its bytes in the URL.
    pub(super) fn seam(&mut self, kind: SeamKind, span: Span, bytes: &[u8]) {
        if !span.is_empty() {
            let at = self.at();
            self.readings.seams.push(Seam {
                kind,
                span,
                at,
                len: bytes.len() as u32,
            });
            self.readings.text.extend_from_slice(bytes);
        }
    }

    /// Finishes the current reading. Drops it if there is already a reading
    /// with the same text.
    pub(super) fn finish(&mut self, kind: ReadingKind, same_extent: bool) {
        let readings = &mut self.readings;
        let last = readings.count();
        readings.end(kind, same_extent);
        let is_old = |i| readings.reading(i).text == readings.reading(last).text;
        if (0..last).any(is_old) {
            readings.truncate(last);
        }
    }

    /// Marks the candidate as too long if its first reading has more than `max`
    /// bytes. Then only the first reading is kept, cut at the limit.
    #[inline]
    pub(super) fn limit(&mut self, max: usize) {
        let first = self.readings.ends.first();
        if first.is_some_and(|first| first.text > max) {
            self.cut(max);
        }
    }

    #[inline(never)] // Few URLs are so long.
    fn cut(&mut self, max: usize) {
        let Readings {
            segments,
            seams,
            ends,
            ..
        } = &mut self.readings;
        let Some(first) = ends.first_mut() else {
            return;
        };
        first.text = max;
        first.seams = seams[..first.seams].partition_point(|seam| seam.at < max as u64);
        let mut left = max as u64;
        // Subtract the bytes of seams before the cut. A seam has at most one
        // byte. Only the seam of an added scheme is longer.
        let of_seams = seams[..first.seams].iter().map(|seam| u64::from(seam.len));
        left -= of_seams.sum::<u64>().min(left);
        let mut kept = 0;
        for segment in &mut segments[..first.segments] {
            if left == 0 {
                break;
            }
            segment.end = segment.start + segment.len().min(left);
            left -= segment.len();
            kept += 1;
        }
        first.segments = kept;
        self.readings.truncate(1);
        self.too_long = true;
    }

    /// Offset after the last byte of any reading.
    pub(super) fn reach(&self) -> u64 {
        self.readings
            .segments
            .iter()
            .map(|s| s.end)
            .max()
            .unwrap_or(0)
    }

    /// Offset of the first byte of the first reading.
    pub(super) fn start(&self) -> u64 {
        let label = self
            .readings
            .seams
            .first()
            .filter(|_| self.scheme.is_some());
        let first = label
            .map(|seam| seam.span)
            .or(self.readings.segments.first().copied());
        first.map_or(0, |span| span.start)
    }
}
