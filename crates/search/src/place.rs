//! A hit and its place.

use urlgrep_base::names::Set;
use urlgrep_base::span::{self, Seam, SourceMap, Span};
use urlgrep_containers::Shape;
use urlgrep_find::Hit;
use urlgrep_find::scan::ReadingKind;
use urlgrep_mail::mime::{self, Date, PartInfo, PartKind, Role};
use urlgrep_url::{Caution, Url, is_same_site, validate};

/// A hit, its place, and its message. All three are borrowed from the searcher.
/// A caller who wants to keep them clones the hit, the place, and the
/// [`MessageInfo`](urlgrep_mail::MessageInfo) of the message.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// The URL. Its segments and seams are spans of the searched text. This is
    /// the decoded text of its part, or the plain text itself.
    pub hit: &'a Hit,
    /// The place of the hit.
    #[doc(hidden)]
    pub place: &'a Place,
    /// The message of the hit, the outermost one if it has others as parts. `None` in plain
    /// text.
    pub message: Option<Message<'a>>,
}

/// The current message.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// The number of the message in its container, from 1. `None` if unknown,
    /// for example in a range that does not begin at the start of the
    /// container.
    pub number: Option<u64>,
    /// Offset of the line that begins the message in its container, such as the
    /// `From ` line of an mbox. Equal to `start` if there is no such line.
    pub separator: u64,
    /// Offset of the first byte of the message, after the separator line.
    pub start: u64,
    /// The line of the first byte, from 1. `None` if lines are not counted.
    pub line: Option<u64>,
    /// Offset after the last byte of the message. `None` if it is not known yet
    /// or not wanted. See
    /// [`SearcherBuilder::message_ends`](super::SearcherBuilder::message_ends).
    pub end: Option<u64>,
    /// Texts of the header. Empty if
    /// [`SearcherBuilder::details`](super::SearcherBuilder::details) is off.
    pub info: &'a mime::MessageInfo,
}

/// What the searcher knows of the current message.
#[derive(Debug, Default)]
pub(super) struct Current {
    pub(super) number: u64,
    pub(super) separator: u64,
    pub(super) start: u64,
    /// The line of the first byte. 0 if lines are not counted.
    pub(super) line: u64,
    pub(super) end: Option<u64>,
    /// Hits wait for the end of the message.
    pub(super) holding: bool,
    pub(super) shape: Option<Shape>,
    /// No bytes of the message have come, and it may need no decoding.
    pub(super) is_new: bool,
    /// The walker does not have the bytes of the message. They are kept.
    pub(super) held: Option<Held>,
    /// The visitor wants the URLs of the message.
    pub(super) wanted: bool,
    /// The visitor has stopped.
    pub(super) stopped: bool,
}

/// What is known of the kept bytes of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    /// The length of the header block.
    pub(super) body: usize,
    /// The header says that the body has no encoding.
    pub(super) declares_none: bool,
    /// The offset of the first byte.
    pub(super) offset: u64,
}

impl Current {
    pub(super) fn number(&self) -> Option<u64> {
        (self.number > 0).then_some(self.number)
    }

    pub(super) fn at_hand<'a>(&self, info: &'a mime::MessageInfo) -> Message<'a> {
        Message {
            number: self.number(),
            separator: self.separator,
            start: self.start,
            line: (self.line > 0).then_some(self.line),
            end: self.end,
            info,
        }
    }
}

/// The place of a hit: the field or part of its message, and its bytes in the
/// source. `Clone::clone_from` reuses memory.
///
/// It has many fields, because a hit can be in a file, a part, a member, a header field and a
/// link. They are filled together and read one by one.
#[derive(Debug, Default)]
pub struct Place {
    origin: Origin,
    /// Segments and seams in the source, for [`Origin::Mapped`].
    segments: Vec<Span>,
    seams: Vec<Seam>,
    /// The line in the source. Unused for [`Origin::Source`] and
    /// [`Origin::Transcoded`]: there the hit has the line.
    line: Option<u64>,
    within: Within,
    /// The number of the part.
    part: String,
    /// The type of the part, in lower case. Empty if it is not known.
    content_type: String,
    /// The name of the file in which the hit is. Empty if there is none.
    file_name: String,
    /// The name of the member of the attachment, after that of the attachment.
    member: Vec<u8>,
    /// The name of the header field.
    header: Vec<u8>,
    pub(super) role: Option<Role>,
    pub(super) column: Option<u64>,
    /// The text offset of an HTML link.
    pub(super) link: Option<u64>,
    /// For a hit in the text of an HTML link: the URL of the link. Empty if it
    /// is the same URL.
    target: Vec<u8>,
    /// For an HTML link: the first URL in its text. Empty if it is the same
    /// URL.
    text: Vec<u8>,
    in_ledger: Option<InLedger>,
    /// The source lines are known.
    pub(super) counts_lines: bool,
}

/// The maximum length of a type. A longer one is left out.
///
/// > … these names … MUST be limited to 127 characters. (RFC 6838 section 4.2, of each half)
const MAX_TYPE: usize = 255;

/// The stored place of a hit: in a header field, in a part, or in neither, and perhaps in a
/// member of an attachment.
#[derive(Clone, Copy, Debug, Default)]
pub struct StoredPlace<'a> {
    /// As [`Match::column`].
    pub column: Option<u64>,
    /// As [`Match::part`].
    pub part: Option<&'a [u8]>,
    /// As [`Match::content_type`].
    pub content_type: Option<&'a [u8]>,
    /// As [`Match::file_name`].
    pub file_name: Option<&'a [u8]>,
    /// As [`Match::header`].
    pub header: Option<&'a [u8]>,
    /// As [`Match::member`].
    pub member: Option<&'a [u8]>,
    /// As [`Match::role`].
    pub role: Option<Role>,
}

/// What a ledger knows of the URL of a hit.
#[derive(Clone, Copy, Debug, Default)]
pub struct InLedger {
    /// The number of other places where the URL has no repair and no doubt.
    pub corroborated: Option<u64>,
    /// The date of the first message with the URL.
    pub first_seen: Option<Date>,
    /// The date of the last message with the URL.
    pub last_seen: Option<Date>,
    /// The number of its hits.
    pub count: Option<u64>,
}

/// The relation of the searched text to the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// The text is the source.
    #[default]
    Source,
    /// The text is the source in another encoding. All of the source was
    /// converted, so the lines are the same.
    Transcoded,
    /// The text was decoded from the source. The source contains the bytes of
    /// the URL.
    Mapped,
    /// The text was decoded from the source. The source does not contain the
    /// bytes of the URL.
    Decoded,
    /// The place was not recorded.
    Lost,
}

/// Where in a message a hit is.
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
        self.content_type.clone_from(&other.content_type);
        self.file_name.clone_from(&other.file_name);
        self.member.clone_from(&other.member);
        self.header.clone_from(&other.header);
        self.role = other.role;
        self.column = other.column;
        self.in_ledger = other.in_ledger;
        self.link = other.link;
        self.target.clone_from(&other.target);
        self.text.clone_from(&other.text);
        self.counts_lines = other.counts_lines;
    }
}

/// The place of every hit in plain text.
pub(super) static PLAIN: Place = Place::new(Origin::Source);
/// The place of every hit in converted plain text.
pub(super) static TRANSCODED: Place = Place::new(Origin::Transcoded);

impl Place {
    pub(super) const fn new(origin: Origin) -> Place {
        Place {
            origin,
            segments: Vec::new(),
            seams: Vec::new(),
            line: None,
            within: Within::Text,
            part: String::new(),
            content_type: String::new(),
            file_name: String::new(),
            member: Vec::new(),
            header: Vec::new(),
            role: None,
            column: None,
            in_ledger: None,
            link: None,
            target: Vec::new(),
            text: Vec::new(),
            counts_lines: true,
        }
    }

    /// Turns this into the stored place of `hit`. The segments, if any, are those of the
    /// source.
    #[doc(hidden)]
    pub fn restore(&mut self, hit: &Hit, stored: &StoredPlace<'_>) {
        let member = stored.member.unwrap_or_default();
        member.clone_into(&mut self.member);
        // A URL that is written wholly in entities has seams and no segment.
        self.origin = match (hit.segments(), hit.seams()) {
            ([], []) => Origin::Lost,
            _ => Origin::Mapped,
        };
        self.segments = hit.segments().to_vec();
        self.seams = hit.seams().to_vec();
        self.line = hit.line();
        self.column = stored.column;
        self.part.clear();
        self.content_type.clear();
        self.set_file_name(stored.file_name.unwrap_or_default());
        self.header.clear();
        self.within = match (stored.part, stored.header) {
            (_, Some(header)) => {
                self.header.extend_from_slice(header);
                Within::Header
            }
            (Some(part), _) => {
                self.part.push_str(&String::from_utf8_lossy(part));
                let content_type = stored.content_type.unwrap_or_default();
                let content_type = String::from_utf8_lossy(content_type);
                self.content_type.push_str(&content_type);
                Within::Part
            }
            _ => Within::Text,
        };
        self.role = stored.role;
    }

    #[doc(hidden)]
    pub fn set_in_ledger(&mut self, known: InLedger) {
        self.in_ledger = Some(known);
    }

    /// Restores the values of [`Match::link_target`] and [`Match::link_text`],
    /// if they are not the hit itself.
    #[doc(hidden)]
    pub fn restore_link(&mut self, target: &[u8], text: &[u8]) {
        target.clone_into(&mut self.target);
        text.clone_into(&mut self.text);
    }

    /// Turns the place in a member of an attachment into a place in the message. If `is_body`,
    /// it is a place in the attachment itself, whose number is 1 there.
    pub(super) fn attach(
        &mut self,
        outer: &Place,
        line: Option<u64>,
        member: &[u8],
        is_body: bool,
    ) {
        self.origin = Origin::Decoded;
        self.line = line;
        self.column = None;
        if self.within == Within::Text {
            self.within = Within::Part;
            self.content_type.clone_from(&outer.content_type);
        }
        if self.file_name.is_empty() {
            self.file_name.clone_from(&outer.file_name);
        }
        if is_body && self.part.starts_with('1') {
            self.part.remove(0);
        }
        let dot = if is_body || self.part.is_empty() || outer.part.is_empty() {
            ""
        } else {
            "."
        };
        self.part.insert_str(0, dot);
        self.part.insert_str(0, &outer.part);
        if !member.is_empty() {
            let mark: &[u8] = if self.member.is_empty() { b"" } else { b"!" };
            self.member.splice(..0, [member, mark].concat());
        }
    }

    /// The number of the part.
    pub(super) fn part_number(&self) -> &str {
        &self.part
    }

    pub(super) fn is_transcoded(&self) -> bool {
        self.origin == Origin::Transcoded
    }

    /// Begins a part.
    pub(super) fn start(&mut self, part: &PartInfo<'_>) {
        self.part.clear();
        self.header.clear();
        self.set_file_name(part.within_file);
        if let PartKind::Header { name } = part.kind {
            self.within = Within::Header;
            self.header.extend_from_slice(name);
        } else {
            self.within = Within::Part;
            self.part.push_str(part.path);
            self.content_type.clear();
            if part.content_type.len() <= MAX_TYPE {
                self.content_type.push_str(part.content_type);
            }
        }
    }

    /// Begins a message without a header.
    pub(super) fn start_plain(&mut self) {
        self.within = Within::Text;
        self.file_name.clear();
    }

    /// Sets the name of the file. As in other texts of a header, white space is blanks.
    #[inline]
    fn set_file_name(&mut self, name: &[u8]) {
        self.file_name.clear();
        if !name.is_empty() {
            let blank = |c: char| if c.is_ascii_whitespace() { ' ' } else { c };
            let name = String::from_utf8_lossy(name);
            self.file_name.extend(name.chars().map(blank));
        }
    }

    /// Maps `hit` from the decoded text to the source. If the source does not
    /// contain its bytes, its line is `part_line`, at which the part begins.
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

    /// Moves the place by this many bytes and lines of the source. Both wrap.
    pub(super) fn shift(&mut self, bytes: u64, lines: u64) {
        let seams = self.seams.iter_mut().map(|seam| &mut seam.span);
        for span in self.segments.iter_mut().chain(seams) {
            span.start = span.start.wrapping_add(bytes);
            span.end = span.end.wrapping_add(bytes);
        }
        if let Some(line) = &mut self.line {
            *line = line.wrapping_add(lines);
        }
    }

    /// Sets the target of the link whose text contains the hit. `None` if there
    /// is no link.
    pub(super) fn set_target(&mut self, target: Option<&[u8]>) {
        target.unwrap_or_default().clone_into(&mut self.target);
    }

    /// Sets `url` as the text of the link that is the hit.
    pub(super) fn set_text(&mut self, url: &[u8]) {
        if self.text.is_empty() {
            self.text.extend_from_slice(url);
        }
    }

    /// True if [`Place::set_text`] has set a text.
    pub(super) fn has_text(&self) -> bool {
        !self.text.is_empty()
    }

    pub(super) fn forget_text(&mut self) {
        self.text.clear();
    }
}

/// The spans of a URL that were copied, and the repairs between them. Both are
/// in order. Together they have no gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Composition<'a> {
    /// The spans that were copied into the URL.
    pub segments: &'a [Span],
    /// The seams between them.
    pub seams: &'a [Seam],
}

impl Composition<'_> {
    /// The span from the first to the last byte of the URL.
    #[must_use]
    pub fn span(&self) -> Span {
        span::extent(self.segments, self.seams)
    }
}

impl<'a> Match<'a> {
    /// A hit in plain text. The text is its own source.
    #[doc(hidden)]
    #[must_use]
    pub fn plain(hit: &'a Hit) -> Match<'a> {
        Match {
            hit,
            place: &PLAIN,
            message: None,
        }
    }

    /// A hit in plain text that was converted, for example from UTF-16. The
    /// source has the same lines, but other bytes.
    #[doc(hidden)]
    #[must_use]
    pub fn transcoded(hit: &'a Hit) -> Match<'a> {
        Match {
            hit,
            place: &TRANSCODED,
            message: None,
        }
    }

    /// The place of the URL's bytes in the source. `None` if the source does
    /// not contain them (base64, a converted charset), or if a ledger has not
    /// stored the place.
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

    /// The place of the URL in the decoded text of its part. The place of an
    /// HTML link counts from the start of its attribute value. `None` if the
    /// source contains the bytes of the URL, or if a ledger has not stored the
    /// place.
    #[must_use]
    pub fn decoded(&self) -> Option<Composition<'a>> {
        match self.place.origin {
            Origin::Transcoded | Origin::Decoded => Some(self.text()),
            _ => None,
        }
    }

    /// The approximate size of a copy in bytes.
    #[doc(hidden)]
    #[must_use]
    pub fn weight(&self) -> usize {
        let (segments, seams) = (&self.place.segments[..], &self.place.seams[..]);
        let size = size_of_val(segments) + size_of_val(seams);
        self.hit.weight() + size + self.place.target.len()
    }

    fn text(&self) -> Composition<'a> {
        Composition {
            segments: self.hit.segments(),
            seams: self.hit.seams(),
        }
    }

    /// The line of the URL's first byte in the source. Lines end at LF and
    /// count from 1. If the source does not contain the bytes of the URL, this
    /// is the line on which the part begins. `None` if lines are not counted.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        match self.place.origin {
            Origin::Source | Origin::Transcoded => self.hit.line(),
            _ => self.place.line,
        }
    }

    /// The column of the URL's first byte in its line of the source, in bytes
    /// from 1.
    ///
    /// `None` in these cases:
    ///
    /// * Columns are not wanted.
    /// * The line up to the URL was decoded, was joined from several lines, or
    ///   is HTML markup.
    /// * In a message, the URL is more than 8 KiB after the start of its line.
    #[must_use]
    pub fn column(&self) -> Option<u64> {
        self.place.column
    }

    /// What a ledger knows of the URL.
    #[doc(hidden)]
    #[must_use]
    pub fn in_ledger(&self) -> InLedger {
        self.place.in_ledger.unwrap_or_default()
    }

    /// The number of the MIME part. `None` in a header field and in plain text.
    #[must_use]
    pub fn part(&self) -> Option<&'a str> {
        (self.place.within == Within::Part).then_some(&self.place.part)
    }

    /// The type of the MIME part, such as `text/html`, in lower case and without parameters.
    /// `None` where [`Match::part`] is, if the type is not known, and if it is longer than any
    /// valid type. The part of a record of a web archive has the type that the header of HTTP
    /// says, or else that of the record. Mail without a Content-Type is `text/plain`.
    #[must_use]
    pub fn content_type(&self) -> Option<&'a str> {
        let place = self.place;
        (place.within == Within::Part && !place.content_type.is_empty())
            .then_some(&place.content_type)
    }

    /// The name of the attachment in which the hit is, as the sender wrote it: it may be any text,
    /// such as `../a`, but is one line. It is the name of the part, or else that of the nearest
    /// attached message or archive around it that has one. `None` if there is none. A hit in a header
    /// field is in the attached message to which the header belongs.
    #[must_use]
    pub fn file_name(&self) -> Option<&'a str> {
        let name = &self.place.file_name;
        (!name.is_empty()).then_some(name)
    }

    /// The member of an attached archive, after the name of the archive and a `!`. `None`
    /// if the hit is in none.
    #[must_use]
    pub fn member(&self) -> Option<&'a [u8]> {
        (!self.place.member.is_empty()).then_some(&self.place.member)
    }

    /// The name of the header field, as the sender wrote it.
    #[must_use]
    pub fn header(&self) -> Option<&'a [u8]> {
        (self.place.within == Within::Header).then_some(&self.place.header)
    }

    /// The role in the message. `None` in plain text, and if
    /// [`SearcherBuilder::details`](super::SearcherBuilder::details) is off.
    #[must_use]
    pub fn role(&self) -> Option<Role> {
        self.place.role
    }

    /// The URL of an HTML link whose text is another URL. The hit may be the
    /// link or its text.
    #[must_use]
    pub fn link_target(&self) -> Option<&'a [u8]> {
        self.of_link(&self.place.target, &self.place.text)
    }

    /// The URL in the text of an HTML link that has another URL. The hit may be
    /// the link or its text. The URL of a text is the first that begins within
    /// 1,024 bytes. A text that is only a host without a scheme (`paypal.com`) counts,
    /// with `http://`, if its registered domain is not that of the link.
    #[must_use]
    pub fn link_text(&self) -> Option<&'a [u8]> {
        self.of_link(&self.place.text, &self.place.target)
    }

    /// Returns `this`. If `this` is empty and `other` is not, returns the hit
    /// itself.
    fn of_link(&self, this: &'a [u8], other: &[u8]) -> Option<&'a [u8]> {
        match (this.is_empty(), other.is_empty()) {
            (false, _) => Some(this),
            (true, false) => Some(self.hit.text()),
            (true, true) => None,
        }
    }

    /// Reasons to be careful with the URL. They are those of
    /// [`Url::cautions`](urlgrep_url::Url::cautions), and
    /// [`Caution::TextDiffers`] for a link whose text is a URL with another
    /// registered domain. The hit of that text does not have it. A reject has no
    /// cautions. Linear in the length.
    #[must_use]
    pub fn cautions(&self) -> Set<Caution> {
        match self.hit.url() {
            Ok(url) => self.cautions_of(&url),
            Err(_) => Set::NONE,
        }
    }

    /// [`Match::cautions`] of the URL of the hit.
    #[doc(hidden)]
    pub fn cautions_of(&self, url: &Url<'_>) -> Set<Caution> {
        let mut cautions = url.cautions();
        // The URL Standard has mended the URL that was written.
        for other in self.hit.alternates() {
            let written = validate(self.hit.profile(), other.url.as_bytes());
            if let Ok(url) = written
                && other.kind == ReadingKind::Written
            {
                cautions.add_all(url.cautions());
            }
        }
        cautions.add(Caution::TextDiffers, self.shows_another_site());
        cautions
    }

    /// True if the hit is a link of HTML whose text shows a URL of another site. The
    /// URL in the text is innocent, so its own hit is no reason to be careful. A link that
    /// goes through a mail gateway leads to the site that the gateway names.
    fn shows_another_site(&self) -> bool {
        let text = &self.place.text;
        if text.is_empty() {
            return false;
        }
        let leads_to = self.end_host(self.hit.text());
        let shown = self.end_host(text);
        let both = leads_to.zip(shown);
        both.is_some_and(|(leads_to, shown)| !is_same_site(&leads_to, &shown))
    }

    /// The host of a URL after all links around it are removed.
    fn end_host(&self, url: &[u8]) -> Option<String> {
        let profile = self.hit.profile();
        let url = validate(profile, url).ok()?;
        let Some(inner) = url.hops().last() else {
            return url.host().map(|host| host.as_str().to_owned());
        };
        let inner = validate(profile, inner.as_bytes()).ok()?;
        inner.host().map(|host| host.as_str().to_owned())
    }
}
