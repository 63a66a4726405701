//! A hit and its place.

use crate::extract::Hit;
use crate::mail::mime::{self, PartInfo, PartKind, Role};
use crate::span::{self, Seam, SourceMap, Span};
use crate::url::{Caution, Cautions, Host, validate};

/// A hit, its place, and the message around it. The hit and the place are
/// borrowed from the searcher. A caller that keeps them clones both.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// The URL. Its segments and seams are spans of the text that was
    /// searched: the decoded text of its part, or plain text itself.
    pub hit: &'a Hit,
    /// The place of that text.
    pub place: &'a Place,
    /// The message around it; `None` in plain text.
    pub message: Option<Message<'a>>,
}

/// The message that is being searched.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Its number in the container, from 1; `None` if unknown, as in a range
    /// that does not begin with the container.
    pub number: Option<u64>,
    /// Offset of the line that begins it in its container, such as the `From `
    /// line of an mbox; `start` if there is none.
    pub separator: u64,
    /// Offset of its first byte, after the separator line.
    pub start: u64,
    /// The line of its first byte, from 1; `None` if lines are not counted.
    pub line: Option<u64>,
    /// Offset after its last byte, if known by now and wanted; see
    /// [`SearcherBuilder::message_ends`](super::SearcherBuilder::message_ends).
    pub end: Option<u64>,
    /// Texts of its header; empty if
    /// [`SearcherBuilder::details`](super::SearcherBuilder::details) is off.
    pub info: &'a mime::MessageInfo,
}

/// The place of a hit: the field or part of its message, and the bytes of the
/// source that it was made of. `Clone::clone_from` reuses memory.
#[derive(Debug, Default)]
pub struct Place {
    origin: Origin,
    /// Segments and seams of the source, if the origin is [`Origin::Mapped`].
    segments: Vec<Span>,
    seams: Vec<Seam>,
    /// The source line, for [`Origin::Mapped`] and [`Origin::Decoded`].
    line: Option<u64>,
    within: Within,
    /// The number of the part.
    part: String,
    /// The name of the header field.
    header: Vec<u8>,
    role: Option<Role>,
    column: Option<u64>,
    /// For a link of HTML, its offset in the text.
    link: Option<u64>,
    /// In the text of a link of HTML: the URL of the link, if it differs; else
    /// empty.
    target: Vec<u8>,
    /// In a link of HTML: the first URL of its text, if it differs; else
    /// empty.
    text: Vec<u8>,
    corroborated: Option<u64>,
    /// Source lines are known.
    counts_lines: bool,
}

/// The relation of the searched text to the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Origin {
    /// The source itself.
    #[default]
    Source,
    /// The source in another encoding. All of it is converted, so lines are
    /// the same.
    Transcoded,
    /// Decoded from the source, which holds the bytes of the URL.
    Mapped,
    /// Decoded from the source, which does not have the bytes of the URL.
    Decoded,
    /// The place was not kept.
    #[cfg(feature = "ledger")]
    Lost,
}

/// The context of a hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    /// Plain text, or a message without a header.
    #[default]
    Text,
    Part,
    Header,
}

impl Clone for Place {
    fn clone(&self) -> Place {
        let mut place = Place::new(self.origin);
        place.clone_from(self);
        place
    }

    fn clone_from(&mut self, other: &Place) {
        self.origin = other.origin;
        self.segments.clone_from(&other.segments);
        self.seams.clone_from(&other.seams);
        self.line = other.line;
        self.within = other.within;
        self.part.clone_from(&other.part);
        self.header.clone_from(&other.header);
        self.role = other.role;
        self.column = other.column;
        self.corroborated = other.corroborated;
        self.link = other.link;
        self.target.clone_from(&other.target);
        self.text.clone_from(&other.text);
        self.counts_lines = other.counts_lines;
    }
}

/// The origin of each hit of plain text.
pub(super) static PLAIN: Place = Place::new(Origin::Source);
/// The origin of each hit of transcoded plain text.
pub(super) static TRANSCODED: Place = Place::new(Origin::Transcoded);

impl Place {
    const fn new(origin: Origin) -> Place {
        Place {
            origin,
            segments: Vec::new(),
            seams: Vec::new(),
            line: None,
            within: Within::Text,
            part: String::new(),
            header: Vec::new(),
            role: None,
            column: None,
            corroborated: None,
            link: None,
            target: Vec::new(),
            text: Vec::new(),
            counts_lines: true,
        }
    }

    /// Makes this the place of a hit that was found earlier: in a header
    /// field, in a part, or in neither. Its segments, if any, are of the
    /// source.
    #[cfg(feature = "ledger")]
    pub(crate) fn restore(
        &mut self,
        found: &crate::extract::Restored,
        part: Option<&[u8]>,
        header: Option<&[u8]>,
        role: Option<Role>,
    ) {
        self.origin = if found.segments.is_empty() {
            Origin::Lost
        } else {
            Origin::Mapped
        };
        self.segments.clone_from(&found.segments);
        self.seams.clone_from(&found.seams);
        self.line = found.line;
        self.column = found.column;
        self.part.clear();
        self.header.clear();
        self.within = match (part, header) {
            (_, Some(header)) => {
                self.header.extend_from_slice(header);
                Within::Header
            }
            (Some(part), _) => {
                self.part.push_str(&String::from_utf8_lossy(part));
                Within::Part
            }
            _ => Within::Text,
        };
        self.role = role;
    }

    #[cfg(feature = "ledger")]
    pub(crate) fn corroborate(&mut self, number: Option<u64>) {
        self.corroborated = number;
    }

    /// Adds what [`Match::link_target`] and [`Match::link_text`] said, where they
    /// were not the hit itself.
    #[cfg(feature = "ledger")]
    pub(crate) fn restore_link(&mut self, target: &[u8], text: &[u8]) {
        self.target.clear();
        self.target.extend_from_slice(target);
        self.text.clear();
        self.text.extend_from_slice(text);
    }

    pub(super) fn counts_lines(&self) -> bool {
        self.counts_lines
    }

    pub(super) fn is_transcoded(&self) -> bool {
        self.origin == Origin::Transcoded
    }

    pub(super) fn set_column(&mut self, column: Option<u64>) {
        self.column = column;
    }

    pub(super) fn link(&self) -> Option<u64> {
        self.link
    }

    pub(super) fn set_link(&mut self, at: u64) {
        self.link = Some(at);
    }

    /// A message begins.
    pub(super) fn count_lines(&mut self, yes: bool) {
        self.counts_lines = yes;
    }

    /// A part begins.
    pub(super) fn start(&mut self, part: &PartInfo<'_>) {
        self.part.clear();
        self.header.clear();
        if let PartKind::Header { name } = part.kind {
            self.within = Within::Header;
            self.header.extend_from_slice(name);
        } else {
            self.within = Within::Part;
            self.part.push_str(part.path);
        }
    }

    /// A message without a header begins.
    pub(super) fn start_plain(&mut self) {
        self.within = Within::Text;
    }

    /// Maps `hit` from the decoded text back to the source. If the source does
    /// not have its bytes, its line is `part_line`, the line on which the part
    /// begins.
    pub(super) fn locate(&mut self, hit: &Hit, map: &SourceMap, part_line: u64) {
        self.segments.clear();
        self.seams.clear();
        let (segments, seams) = (&mut self.segments, &mut self.seams);
        self.origin = if map.compose(hit.segments(), hit.seams(), segments, seams) {
            Origin::Mapped
        } else {
            Origin::Decoded
        };
        self.line = hit.line().filter(|_| self.counts_lines).map(|line| {
            match map.line_delta(hit.span().start) {
                Some(delta) => line.saturating_add_signed(delta),
                None => part_line,
            }
        });
    }

    pub(super) fn set_role(&mut self, role: Option<Role>) {
        self.role = role;
    }

    /// The hit is in the text of a link to `target`, or of none.
    pub(super) fn set_target(&mut self, target: Option<&[u8]>) {
        self.target.clear();
        self.target.extend_from_slice(target.unwrap_or_default());
    }

    /// The hit is a link, and `url` is its text.
    pub(super) fn set_text(&mut self, url: &[u8]) {
        if self.text.is_empty() {
            self.text.extend_from_slice(url);
        }
    }
}

/// The composition of a URL: spans that are copied into it, and the repairs
/// between them. Both are in order, and together they have no gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composition<'a> {
    /// The bytes that are copied into the URL.
    pub segments: &'a [Span],
    /// The seams between them.
    pub seams: &'a [Seam],
}

impl Composition<'_> {
    /// From the first byte of the URL to after its last.
    #[must_use]
    pub fn span(&self) -> Span {
        span::extent(self.segments, self.seams)
    }
}

impl<'a> Match<'a> {
    /// A hit of plain text, which is its own source.
    #[must_use]
    pub fn plain(hit: &'a Hit) -> Match<'a> {
        Match {
            hit,
            place: &PLAIN,
            message: None,
        }
    }

    /// A hit of transcoded plain text, for example from UTF-16. The source has
    /// its lines, but not its bytes.
    #[must_use]
    pub fn transcoded(hit: &'a Hit) -> Match<'a> {
        Match {
            hit,
            place: &TRANSCODED,
            message: None,
        }
    }

    /// The place of the URL's bytes in the source; `None` if the source does
    /// not have them (base64, a converted charset).
    #[must_use]
    pub fn source(&self) -> Option<Composition<'a>> {
        match self.place.origin {
            Origin::Source => Some(self.text()),
            Origin::Mapped => Some(Composition {
                segments: &self.place.segments,
                seams: &self.place.seams,
            }),
            _ => None,
        }
    }

    /// The place of the URL in the decoded text of its part; `None` if the
    /// source has its bytes.
    #[must_use]
    pub fn decoded(&self) -> Option<Composition<'a>> {
        match self.place.origin {
            Origin::Transcoded | Origin::Decoded => Some(self.text()),
            _ => None,
        }
    }

    /// The approximate size of a copy in bytes.
    pub(super) fn weight(&self) -> usize {
        let Place {
            segments,
            seams,
            target,
            ..
        } = self.place;
        self.hit.weight() + size_of_val(&segments[..]) + size_of_val(&seams[..]) + target.len()
    }

    fn text(&self) -> Composition<'a> {
        Composition {
            segments: self.hit.segments(),
            seams: self.hit.seams(),
        }
    }

    /// The source line of the URL's first byte, counted from 1 by LF. If the
    /// source does not have the bytes of the URL, the line on which the part
    /// begins. `None` if lines are not counted.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        match self.place.origin {
            Origin::Source | Origin::Transcoded => self.hit.line(),
            _ => self.place.line,
        }
    }

    /// The column of the URL's first byte in its line of the source, in bytes
    /// from 1; `None` if the source does not hold the line up to there byte for
    /// byte (the line is decoded, or joined from several, or the URL is in HTML
    /// markup), if more than 8 KiB of a line in a message are before it, and if
    /// columns are not asked for.
    #[must_use]
    pub fn column(&self) -> Option<u64> {
        self.place.column
    }

    /// In how many other places the URL is without repair and doubt, if a ledger
    /// was asked.
    #[must_use]
    pub fn corroborated(&self) -> Option<u64> {
        self.place.corroborated
    }

    /// The number of its MIME part; `None` in a header field and in plain text.
    #[must_use]
    pub fn part(&self) -> Option<&'a str> {
        (self.place.within == Within::Part).then_some(&self.place.part)
    }

    /// The name of the header field around it, as the sender wrote it.
    #[must_use]
    pub fn header(&self) -> Option<&'a [u8]> {
        (self.place.within == Within::Header).then_some(&self.place.header)
    }

    /// Its role in the message; `None` in plain text, and if
    /// [`SearcherBuilder::details`](super::SearcherBuilder::details) is off.
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        self.place.role
    }

    /// Where a link of HTML and its text are two URLs: that of the link, whether
    /// the hit is the link or the text.
    #[must_use]
    pub fn link_target(&self) -> Option<&'a [u8]> {
        self.of_link(&self.place.target, &self.place.text)
    }

    /// Where a link of HTML and its text are two URLs: that of the text, whether
    /// the hit is the link or the text. A link has the first URL that begins in
    /// the first 1,024 bytes of its text.
    #[must_use]
    pub fn link_text(&self) -> Option<&'a [u8]> {
        self.of_link(&self.place.text, &self.place.target)
    }

    /// `this`; or the hit itself if `this` is empty and `other` is not.
    fn of_link(&self, this: &'a [u8], other: &[u8]) -> Option<&'a [u8]> {
        match (this.is_empty(), other.is_empty()) {
            (false, _) => Some(this),
            (true, false) => Some(self.hit.url()),
            (true, true) => None,
        }
    }

    /// What to be careful about: what the URL itself shows
    /// ([`Url::cautions`](crate::url::Url::cautions)), and a link whose text is a
    /// URL with another host. A reject has none. Linear in the length.
    #[must_use]
    pub fn cautions(&self) -> Cautions {
        let Ok(url) = self.hit.verdict() else {
            return Cautions::default();
        };
        let mut cautions = url.cautions();
        let host = |url: &'a [u8]| {
            let url = validate(self.hit.profile(), url).ok()?;
            url.host().map(Host::as_bytes)
        };
        if let (Some(target), Some(text)) = (self.link_target(), self.link_text())
            && let (Some(target), Some(text)) = (host(target), host(text))
        {
            cautions.add(Caution::TextDiffers, !target.eq_ignore_ascii_case(text));
        }
        cautions
    }
}
