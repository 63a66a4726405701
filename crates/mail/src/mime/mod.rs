//! Parses messages: header fields, MIME parts, and their text. Each text has a
//! map to the bytes of the file.
//!
//! [`Walker`] is fed the bytes of one message, in slices of any size. It
//! reports to a [`MailSink`]. It does no input or output, knows nothing of
//! URLs, and never holds a whole part. It holds a header block (up to
//! [`MAX_HEADER`]), a line that may be a boundary, a tag or another token that is
//! not complete (up to 64 KiB), and a few KiB of decoded text. The result does not
//! depend on the slices, except for the sizes of the chunks of text.
//!
//! Text is decoded once, as the headers declare. The order is transfer encoding
//! ([RFC 2045] section 6), charset, then `format=flowed` ([RFC 3676]), HTML and
//! XML, or the folds and escapes of a calendar. The caller must first remove the escapes
//! of the container (`>From `, dot stuffing). It reports them with [`Walker::feed_seam`].
//!
//! ```
//! use urlgrep_mail::mime::{
//!     HeaderPolicy, MailSink, MessageMeta, PartInfo, Walker,
//! };
//! use urlgrep_base::span::{SourceMap, Span};
//!
//! #[derive(Default)]
//! struct Print(String);
//!
//! impl MailSink for Print {
//!     fn part_start(&mut self, part: &PartInfo<'_>) {
//!         self.0 += &format!("[{}]", part.path);
//!     }
//!     fn text(&mut self, bytes: &[u8], map: &SourceMap) {
//!         self.0 += &String::from_utf8_lossy(bytes);
//!     }
//! }
//!
//! let mut walker = Walker::builder().headers(HeaderPolicy::None).build();
//! let mut sink = Print::default();
//! let message = b"Content-Transfer-Encoding: quoted-printable\n\na=3Db";
//! walker.message(MessageMeta::default());
//! walker.feed(message, 0, &mut sink);
//! walker.finish(&mut sink);
//! assert_eq!(sink.0, "[1]a=b");
//! ```
//!
//! # Limits
//!
//! The walker does not guess. Quoted-printable that no header declares, base64
//! in the middle of plain text, and a multipart without a boundary parameter
//! are read as text. RFC 2046 section 5.2.1 forbids a `message/rfc822` part in
//! base64 or quoted-printable. Such a part is decoded and returned as text. A
//! fault in a message is never an error. It is reported as a [`MessageNote`].
//!
//! # Complexity
//!
//! Time is linear in the input. Text that is not encoded is passed on without a
//! copy. It is only searched for line starts that could end it (`\n--`,
//! `begin `).
//!
//! [RFC 2045]: https://www.rfc-editor.org/rfc/rfc2045
//! [RFC 3676]: https://www.rfc-editor.org/rfc/rfc3676

mod calendar;
mod carry;
mod charset;
mod content;
mod csv;
mod date;
mod entities;
mod flowed;
mod format;
mod head;
mod header;
mod html;
mod json;
mod mapped;
mod out;
mod params;
mod plain;
mod role;
mod structure;
mod text;
mod transfer;
mod uu;
mod words;

use std::ops::Range;

use urlgrep_base::named;
use urlgrep_base::span::SourceMap;
use urlgrep_containers::fields::Writer;
use urlgrep_containers::{Coding, Record};

pub use self::content::Content;
pub use self::date::Civil;
pub use self::date::Date;
pub use self::head::encoded_lines;
pub use self::header::MAX_HEADER;
pub use self::html::{Enclosing, LinkAttribute, MAX_LINK};
pub use self::json::{JsonEvent, JsonObject, JsonObjects};
pub use self::out::MAP_REACH;
pub use self::plain::plain_header;
pub use self::role::{FOOTER_BYTES, FOOTER_LINES, PageRoles, Role, RoleKind, RoleTracker};
pub use self::structure::{MAX_DEPTH, Walker};

/// Receives the events of a [`Walker`], in the order of the message.
///
/// The calls nest: `part_start`, any number of `text`, `part_end`. The links of an HTML
/// part come as parts inside it, between two calls of `text`. Each link is complete.
pub trait MailSink {
    /// A part begins.
    fn part_start(&mut self, part: &PartInfo<'_>);

    /// The next bytes of the part's decoded text. Text offsets count from its first byte.
    /// `bytes` end at [`SourceMap::text_end`]. `map` covers them and at least the
    /// [`MAP_REACH`] bytes before them that are not before [`MailSink::settled`].
    fn text(&mut self, bytes: &[u8], map: &SourceMap);

    /// The text offset before which this sink needs the map no more. It is asked after
    /// each `text`, and the map then drops the entries before this offset. Default: 0.
    fn settled(&self) -> u64 {
        0
    }

    /// The innermost open part ends.
    fn part_end(&mut self, _end: PartEnd) {}

    /// The header block of the message is complete. This comes before any part.
    fn headers(&mut self, _message: &MessageInfo) {}

    /// Whether the header field `name` is wanted as a part. `raw` is its value
    /// with folds, encoded-words and parameters. A sink that sees that the
    /// value has no URL can return false to save the decoding. `part` is the part that
    /// the field would be. `None` if its bytes are not contiguous in the source.
    fn wants_field<'p>(
        &mut self,
        _name: &[u8],
        _raw: &[u8],
        _part: impl FnOnce() -> Option<PartInfo<'p>>,
    ) -> bool {
        true
    }

    /// In HTML text, the text from the offset `at` on belongs to the link number `link` of
    /// its part, or to no link. `at` is at or after the end of the `text` so far.
    fn anchor(&mut self, _link: Option<u32>, _at: u64) {}

    /// In HTML text, what the elements around the text from the offset `at` on say about
    /// it. `at` is at or after the end of the `text` so far.
    fn enclosed(&mut self, _by: Enclosing, _at: u64) {}

    /// In HTML text, a paragraph ends before the offset `at`, and the text before it ends in
    /// a line feed. `at` is at or after the end of the `text` so far.
    fn paragraph(&mut self, _at: u64) {}

    /// In JSON, a string begins, goes on or ends, or an object ends. `around` are the objects that
    /// are open, with what they have said so far. No URL goes on from one string to another.
    fn json(&mut self, _event: JsonEvent, _around: &JsonObjects) {}

    /// A field of a table ends. The sink has received all of its text. No URL goes on in the next
    /// field.
    fn field_end(&mut self) {}

    /// Whether a string of JSON or a field of a table is wanted as text. `raw` has its escapes. A sink
    /// that sees that it has no URL can return false to save the decoding. It is not asked about
    /// strings that are longer than 1 KiB.
    fn wants_string(&mut self, _raw: &[u8]) -> bool {
        true
    }

    /// In HTML, the next attribute of the tag that is being read, and its value as the page has
    /// it. If `is_whole` is false, the value is cut, and may come again. So may all attributes
    /// of a tag that has not ended.
    fn attribute(&mut self, _name: &[u8], _value: &[u8], _is_whole: bool) {}

    /// In HTML, a tag ends. `name` has at most 16 bytes of its name.
    fn tag(&mut self, _name: &[u8], _closing: bool) {}

    /// Whether a part that has a name, is no text, or has a coding, is read as one of unknown type.
    fn wants_file(&mut self, _part: &PartInfo<'_>) -> bool {
        false
    }

    /// What a part is whose type does not say it. `head` has its first decoded bytes, or
    /// all if `eof`. `None` if more are needed. Default: messages are text, and nothing is
    /// a file.
    fn content(&mut self, head: &[u8], eof: bool) -> Option<Content> {
        Some(match Content::of(head, eof)? {
            Content::Messages => Content::Text,
            content => content,
        })
    }

    /// The next decoded bytes of a part that [`content`](MailSink::content) called a file.
    fn file(&mut self, _bytes: &[u8]) {}

    /// A fault that was tolerated.
    fn note(&mut self, _note: MessageNote<'_>) {}
}

/// Settings of a [`Walker`].
#[derive(Clone, Copy, Debug)]
pub struct WalkerBuilder {
    headers: HeaderPolicy,
    info: bool,
    places: bool,
}

impl Default for WalkerBuilder {
    fn default() -> WalkerBuilder {
        WalkerBuilder {
            headers: HeaderPolicy::default(),
            info: true,
            places: true,
        }
    }
}

impl WalkerBuilder {
    /// The header fields that become parts. Default: `Written`.
    #[must_use]
    pub fn headers(mut self, policy: HeaderPolicy) -> WalkerBuilder {
        self.headers = policy;
        self
    }

    /// Whether [`MessageInfo`] is filled, and what HTML says about roles is passed on.
    /// Default: true.
    #[must_use]
    pub fn info(mut self, yes: bool) -> WalkerBuilder {
        self.info = yes;
        self
    }

    /// Whether the maps of bodies are filled. If not, the places of notes and links in
    /// bodies mean nothing. Default: true.
    #[must_use]
    pub fn places(mut self, yes: bool) -> WalkerBuilder {
        self.places = yes;
        self
    }

    /// Builds a walker with these settings.
    #[must_use]
    pub fn build(self) -> Walker {
        Walker::new(self)
    }
}

named! {
    /// The header fields that become parts.
    #[derive(Default)]
    pub enum HeaderPolicy {
        /// No field.
        None => "none",
        /// The fields that people write: Subject, Comments, Organization, X-Homepage and others.
        /// Every field except for those that programs write:
        ///
        /// * addresses: From, To, Cc, Reply-To, Sender, Followup-To and others
        /// * ids: Message-ID, In-Reply-To, References, Content-ID, Xref, `X-…-ID`
        /// * traces: Received, Path, `NNTP-…`, X-Trace, dates, status
        /// * signatures and keys: `DKIM-…`, `ARC-…`, Autocrypt, Cancel-Lock, Face
        /// * results of filters: `X-Spam-…`, `X-Virus-…`, `X-MS-…`, Authentication-Results
        /// * where to complain: X-Complaints-To, `X-Report-Abuse…`, Feedback-ID
        /// * the program that sent the message: User-Agent, X-Mailer
        /// * mailing lists: see [`HeaderPolicy::List`]
        ///
        /// `program_fields.txt` has all of them, with their sources.
        #[default]
        Written => "written",
        /// As `Written`, and the fields of mailing lists: `List-…`, Archived-At, X-BeenThere,
        /// `X-Mailman-…`, `X-…-Unsubscribe…` and others.
        List => "list",
        /// Every field.
        All => "all",
    }
}

impl HeaderPolicy {
    /// Whether a field is searched that `writer` writes.
    #[inline]
    fn searches(self, writer: Writer) -> bool {
        match self {
            HeaderPolicy::None => false,
            HeaderPolicy::Written => writer == Writer::Person,
            HeaderPolicy::List => writer != Writer::Program,
            HeaderPolicy::All => true,
        }
    }
}

/// The place at which a message starts.
#[derive(Clone, Copy, Debug)]
pub struct MessageMeta {
    /// The source line of the first byte, from 1. With 0, lines are not counted.
    pub line: u64,
}

impl Default for MessageMeta {
    fn default() -> MessageMeta {
        MessageMeta { line: 1 }
    }
}

/// The transfer encoding of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// No encoding: `7bit`, `8bit`, `binary`, or an unknown one.
    #[default]
    Identity,
    /// `quoted-printable`.
    QuotedPrintable,
    /// `base64`.
    Base64,
}

/// The kind of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartKind<'a> {
    /// The value of a header field, without folds and with encoded-words
    /// decoded.
    Header {
        /// The name of the field as written.
        name: &'a [u8],
    },
    /// Text that is shown with the message.
    Body,
    /// Text in an attached file.
    Attachment,
    /// The visible text of HTML.
    HtmlText,
    /// A URL in an HTML attribute.
    HtmlLink {
        /// The number of the link in its part, from 0.
        link: u32,
        /// The name of the element in lower case, cut after 16 bytes.
        element: &'a [u8],
        /// The attribute.
        attribute: LinkAttribute,
        /// The quotation mark after the value is missing up to the end of the page, so the
        /// end of the URL is not known.
        is_unclosed: bool,
    },
    /// Text before the first boundary of a multipart, meant for readers that do
    /// not know MIME. If that boundary is missing, this is the whole multipart.
    Preamble,
    /// Text after the last boundary of a multipart.
    Epilogue,
    /// A part that is not text. It has no calls of `text`.
    Binary,
}

/// The kind of the previous part in the same `multipart/mixed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sibling {
    /// Another multipart.
    Multipart,
    /// Text.
    Text,
    /// Anything else.
    Other,
}

/// The properties of a part that are known when it begins.
#[derive(Clone, Copy, Debug)]
pub struct PartInfo<'a> {
    /// The number of the part as in IMAP ([RFC 3501] section 6.4.5): `1`,
    /// `1.2`. The header of a message has the number of the message, which is
    /// empty for the outermost message. Text before or after the parts of a
    /// multipart has the number 0 in that multipart.
    ///
    /// [RFC 3501]: https://www.rfc-editor.org/rfc/rfc3501
    pub path: &'a str,
    /// The kind of the part.
    pub kind: PartKind<'a>,
    /// `type/subtype` in lower case.
    pub content_type: &'a str,
    /// The declared charset. Empty if there is none.
    pub charset: &'a [u8],
    /// The transfer encoding.
    pub encoding: Encoding,
    /// The header says that there is no encoding: `7bit`, `8bit` or `binary`.
    pub declares_none: bool,
    /// True if the Content-Disposition is `attachment`.
    pub attachment: bool,
    /// The decoded file name. Empty if there is none.
    pub file_name: &'a [u8],
    /// The name of the file in which the part is: its own, or else that of the nearest attached
    /// message around it that has one. Empty if there is none. A header field is not in the file
    /// of its own part.
    pub within_file: &'a [u8],
    /// The previous part in the same `multipart/mixed`, if any.
    pub after: Option<Sibling>,
    /// The source offset at which the part begins, before decoding. `None` for
    /// a link without a place in the source.
    pub source: Option<u64>,
    /// The source line on which the part begins.
    pub line: u64,
    /// The column of `source` in its line, in bytes from 1, if known.
    pub column: Option<u64>,
    /// How the body of HTTP is encoded. [`MailSink::file`] gets it as it is.
    pub coding: Coding,
    /// The scheme of the URL on which those of the part are based, and `//`. Empty if it is not
    /// known.
    pub base: &'static [u8],
    /// The part is in an attached message that somebody else wrote than the message around it. A
    /// message in a digest is not attached.
    pub is_forwarded: bool,
}

/// The properties of a part that are known when it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PartEnd {
    /// True if no other part of the same multipart follows.
    pub last: bool,
}

/// A tolerated fault in a message. Each kind is reported at most once per part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageNote<'a> {
    /// The kind of fault.
    pub kind: MessageNoteKind,
    /// The number of the part that has the fault in its text or its header. See
    /// [`PartInfo::path`].
    pub part: &'a str,
    /// The source offset, if known.
    pub at: Option<u64>,
}

named! {
    /// The kinds of faults that a [`Walker`] tolerates.
    pub enum MessageNoteKind {
        /// A header block over [`MAX_HEADER`]. The rest is read as the body.
        HeaderTooLong => "header-too-long": "header block too long, cut",
        /// Recipients over 64 KiB. The others are left out.
        RecipientsCut => "recipients-cut": "recipients over 64 KiB, the rest left out",
        /// The empty line between header and body is missing.
        MissingSeparator => "missing-separator": "no empty line between header and body",
        /// A multipart without a boundary parameter. It is read as text.
        MissingBoundary => "missing-boundary": "multipart without a boundary, read as text",
        /// A multipart whose last boundary is missing.
        MissingEnd => "missing-end": "multipart without an end",
        /// Parts that are nested more than [`MAX_DEPTH`] deep. They are read as
        /// text.
        TooDeep => "too-deep": "parts nested too deep, read as text",
        /// An unknown transfer encoding. The part is read without decoding.
        UnknownEncoding => "unknown-encoding": "unknown transfer encoding, read without decoding",
        /// An unknown charset. The part is read without decoding.
        UnknownCharset => "unknown-charset": "unknown charset, read without decoding",
        /// Text that is not valid in its charset.
        BadCharset => "bad-charset": "text that is invalid in its charset",
        /// An `=` in quoted-printable that encodes nothing. It is kept.
        BadQuotedPrintable => "bad-quoted-printable": "malformed quoted-printable, kept",
        /// A single last digit of base64, which is dropped, or a byte in a line of base64 that
        /// is not of its alphabet, which is ignored.
        BadBase64 => "bad-base64": "malformed base64",
        /// Lines in a base64 part that are not base64. The part is text from there
        /// on.
        TextInBase64 => "text-in-base64": "text after base64",
        /// A uuencoded or yEnc file in the text. It is not searched.
        EncodedFile => "encoded-file": "uuencoded or yEnc file, not searched",
        /// A link longer than [`MAX_LINK`]. It is cut.
        LinkTooLong => "link-too-long": "link too long, cut",
        /// A compressed file or an archive. It is not searched.
        CompressedPart => "compressed-part": "compressed file or archive, not searched",
        /// A file of a word processor, a spreadsheet or slides. It is not searched.
        OfficePart => "office-part": "office document, not searched",
        /// A PDF. It is not searched.
        PdfPart => "pdf-part": "PDF, not searched",
        /// An encrypted part. It is not searched.
        EncryptedPart => "encrypted-part": "encrypted part, not searched",
        /// Data for a program that is not known here. It is not searched.
        UnknownPart => "unknown-part": "data in an unknown format, not searched",
        /// An archive, a compressed file or a message that is too large to be held. It is not
        /// searched.
        LargePart => "large-part": "attachment too large to be held, not searched",
        /// An archive or a compressed file that is damaged or encrypted. It is not searched to
        /// its end.
        DamagedPart => "damaged-part": "damaged or encrypted archive, not searched to its end",
        /// An archive or a compressed file that is nested too deep, or too large when it is
        /// unpacked. It is searched up to the limit.
        PartLimit => "part-limit": "archive over a limit, not searched to its end",
        /// JSON that is damaged or too short, or nested more than 512 deep. The rest is read as
        /// text.
        DamagedJson => "damaged-json": "JSON that is damaged or nested too deep, the rest read as text",
    }
}

impl MessageNoteKind {
    /// A short description of data that was not searched. `None` for a fault
    /// that hid no text.
    pub fn unsearched(self) -> Option<&'static str> {
        Some(match self {
            MessageNoteKind::EncodedFile => "uuencoded or yEnc file",
            MessageNoteKind::CompressedPart => "compressed file or archive",
            MessageNoteKind::OfficePart => "office document",
            MessageNoteKind::PdfPart => "PDF",
            MessageNoteKind::EncryptedPart => "encrypted part",
            MessageNoteKind::UnknownPart => "data in an unknown format",
            MessageNoteKind::LargePart => "attachment too large to be held",
            MessageNoteKind::DamagedPart => "damaged or encrypted archive",
            MessageNoteKind::PartLimit => "archive over a limit",
            MessageNoteKind::HeaderTooLong
            | MessageNoteKind::RecipientsCut
            | MessageNoteKind::MissingSeparator
            | MessageNoteKind::MissingBoundary
            | MessageNoteKind::MissingEnd
            | MessageNoteKind::TooDeep
            | MessageNoteKind::UnknownEncoding
            | MessageNoteKind::UnknownCharset
            | MessageNoteKind::BadCharset
            | MessageNoteKind::BadQuotedPrintable
            | MessageNoteKind::BadBase64
            | MessageNoteKind::TextInBase64
            | MessageNoteKind::LinkTooLong
            | MessageNoteKind::DamagedJson => return None,
        })
    }
}

/// The maximum length of a decoded field value in [`MessageInfo`].
pub const MAX_INFO: usize = 1024;

/// The maximum length of a URL in [`MessageInfo`]. A longer one is left out: a part of a URL
/// would be another URL.
const MAX_RECORD_URL: usize = 4096;

/// The identity of a message, from its header block. Only the fields that have a
/// method here are kept. Values are decoded, without folds, and cut between two
/// characters after at most 1,024 bytes. They are UTF-8. 8-bit bytes
/// outside encoded-words are read as windows-1252 if they are not UTF-8. A
/// missing field is empty.
///
/// `clone_from` reuses the allocation of the target.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct MessageInfo {
    pub(super) message_id: Vec<u8>,
    pub(super) date_text: Vec<u8>,
    pub(super) from: Vec<u8>,
    pub(super) to: Vec<u8>,
    pub(super) cc: Vec<u8>,
    pub(super) subject: Vec<u8>,
    pub(super) newsgroups: Vec<u8>,
    pub(super) list_id: Vec<u8>,
    /// Words that identify the list, in lower case, each with a line feed after
    /// it.
    pub(super) list_names: Vec<u8>,
    pub(super) record_url: Vec<u8>,
    pub(super) is_deleted: bool,
}

/// The texts of a [`MessageInfo`] that a ledger stores. A missing field is empty.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, Default)]
pub struct StoredInfo<'a> {
    pub message_id: &'a [u8],
    pub date: &'a [u8],
    pub from: &'a [u8],
    pub to: &'a [u8],
    pub cc: &'a [u8],
    pub subject: &'a [u8],
    pub newsgroups: &'a [u8],
    pub list_id: &'a [u8],
    pub record_url: &'a [u8],
}

impl Clone for MessageInfo {
    fn clone(&self) -> MessageInfo {
        let mut info = MessageInfo::default();
        info.clone_from(self);
        info
    }

    fn clone_from(&mut self, source: &MessageInfo) {
        // All fields are named here, so that a new one is not forgotten.
        let MessageInfo {
            message_id,
            date_text,
            from,
            to,
            cc,
            subject,
            newsgroups,
            list_id,
            list_names,
            record_url,
            is_deleted,
        } = source;
        self.is_deleted = *is_deleted;
        self.message_id.clone_from(message_id);
        self.date_text.clone_from(date_text);
        self.from.clone_from(from);
        self.to.clone_from(to);
        self.cc.clone_from(cc);
        self.subject.clone_from(subject);
        self.newsgroups.clone_from(newsgroups);
        self.list_id.clone_from(list_id);
        self.list_names.clone_from(list_names);
        self.record_url.clone_from(record_url);
    }
}

impl MessageInfo {
    /// Restores stored values.
    #[doc(hidden)]
    pub fn restore(&mut self, stored: &StoredInfo<'_>) {
        // All fields are named here, so that a new one is not forgotten.
        let StoredInfo {
            message_id,
            date,
            from,
            to,
            cc,
            subject,
            newsgroups,
            list_id,
            record_url,
        } = *stored;
        message_id.clone_into(&mut self.message_id);
        date.clone_into(&mut self.date_text);
        from.clone_into(&mut self.from);
        to.clone_into(&mut self.to);
        cc.clone_into(&mut self.cc);
        subject.clone_into(&mut self.subject);
        newsgroups.clone_into(&mut self.newsgroups);
        list_id.clone_into(&mut self.list_id);
        record_url.clone_into(&mut self.record_url);
    }

    /// All texts.
    fn texts(&mut self) -> [&mut Vec<u8>; 10] {
        let MessageInfo {
            message_id,
            date_text,
            from,
            to,
            cc,
            subject,
            newsgroups,
            list_id,
            list_names,
            record_url,
            is_deleted: _,
        } = self;
        [
            message_id, date_text, from, subject, newsgroups, list_id, to, cc, record_url,
            list_names,
        ]
    }

    /// Message-ID, with its angle brackets.
    #[must_use]
    pub fn message_id(&self) -> &[u8] {
        &self.message_id
    }

    /// Date, if it can be parsed. Each call parses it again.
    #[must_use]
    pub fn date(&self) -> Option<Date> {
        Date::parse(&self.date_text)
    }

    /// From.
    #[must_use]
    pub fn from(&self) -> &[u8] {
        &self.from
    }

    /// The recipients: To, Cc and Bcc, in the order of the header, with commas between them.
    /// At most 64 KiB.
    #[must_use]
    pub fn to(&self) -> &[u8] {
        &self.to
    }

    /// The recipients of Cc alone, with commas between them.
    #[must_use]
    pub fn cc(&self) -> &[u8] {
        &self.cc
    }

    /// Subject.
    #[must_use]
    pub fn subject(&self) -> &[u8] {
        &self.subject
    }

    /// Newsgroups.
    #[must_use]
    pub fn newsgroups(&self) -> &[u8] {
        &self.newsgroups
    }

    /// List-Id: the text in its angle brackets, or the whole value if it has
    /// none.
    #[must_use]
    pub fn list_id(&self) -> &[u8] {
        &self.list_id
    }

    /// The URL from which a record of a web archive is. Its Message-ID is the id of the record,
    /// and its date that of the record. A URL over 4,096 bytes is left out.
    #[must_use]
    pub fn record_url(&self) -> &[u8] {
        &self.record_url
    }

    /// True if Thunderbird shows the message no more. It stays in the mailbox until
    /// that is compacted.
    #[doc(hidden)]
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        self.is_deleted
    }

    /// Makes this the identity of a record of a web archive.
    fn set_record(&mut self, record: &Record<'_>) {
        let cut = |value: &[u8], out: &mut Vec<u8>| {
            let value = &value[..value.len().min(MAX_INFO)];
            out.extend_from_slice(String::from_utf8_lossy(value).as_bytes());
        };
        cut(record.id, &mut self.message_id);
        cut(record.date, &mut self.date_text);
        if record.url.len() <= MAX_RECORD_URL {
            let url = String::from_utf8_lossy(record.url);
            self.record_url.extend_from_slice(url.as_bytes());
        }
    }

    /// Makes this the identity of a message in JSON.
    #[doc(hidden)]
    pub fn set_json(&mut self, author: &[u8], date: Option<Date>) {
        self.clear();
        self.from.extend_from_slice(author);
        words::one_blank(&mut self.from, 0);
        if let Some(date) = date {
            self.date_text.extend_from_slice(&date.text());
        }
    }

    /// The approximate size of a copy in bytes.
    #[doc(hidden)]
    #[must_use]
    pub fn weight(&self) -> usize {
        let texts = [
            &self.message_id,
            &self.date_text,
            &self.from,
            &self.to,
            &self.cc,
        ];
        let others = [
            &self.subject,
            &self.newsgroups,
            &self.list_id,
            &self.list_names,
            &self.record_url,
        ];
        texts.into_iter().chain(others).map(Vec::len).sum()
    }

    fn clear(&mut self) {
        self.is_deleted = false;
        self.texts().into_iter().for_each(Vec::clear);
    }
}

/// The current part: its properties from the header, in buffers that are
/// reused.
#[derive(Debug, Default)]
struct Part {
    path: String,
    content_type: String,
    charset: Vec<u8>,
    encoding: Encoding,
    declares_none: bool,
    coding: Coding,
    attachment: bool,
    file_name: Vec<u8>,
    /// The file names of the messages around the part, one after the other.
    names: Vec<u8>,
    /// The name of the nearest attached message around the part that has one, in `names`.
    around: Range<usize>,
    after: Option<Sibling>,
    context: Context,
}

/// What a part knows from the header fields of itself and of the parts around it.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    /// The scheme of its base, and `//`. Empty if there is none.
    base: &'static [u8],
    /// The message answers another one, so a `<blockquote>` in it is a quotation.
    is_reply: bool,
    /// See [`PartInfo::is_forwarded`].
    is_forwarded: bool,
}

impl Part {
    /// Adds the file name of an attached message, whose parts begin. Returns the place of the
    /// name that is around them.
    fn add_name(&mut self) -> Range<usize> {
        if self.file_name.is_empty() {
            return self.around.clone();
        }
        // The names behind are those of messages that have ended.
        let start = self.around.end;
        self.names.truncate(start);
        self.names.extend_from_slice(&self.file_name);
        start..self.names.len()
    }

    fn info<'a>(&'a self, kind: PartKind<'a>, source: Option<u64>, line: u64) -> PartInfo<'a> {
        let is_field = matches!(kind, PartKind::Header { .. });
        let within_file = if is_field || self.file_name.is_empty() {
            self.names.get(self.around.clone()).unwrap_or_default()
        } else {
            &self.file_name
        };
        PartInfo {
            path: &self.path,
            kind,
            content_type: &self.content_type,
            charset: &self.charset,
            encoding: self.encoding,
            declares_none: self.declares_none,
            attachment: self.attachment,
            file_name: &self.file_name,
            within_file,
            after: self.after,
            source,
            line,
            column: None,
            coding: self.coding,
            base: self.context.base,
            is_forwarded: self.context.is_forwarded,
        }
    }
}
