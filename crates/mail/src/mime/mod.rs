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
mod info;
mod json;
mod mapped;
mod note;
mod out;
mod params;
mod part;
mod plain;
mod role;
mod structure;
mod text;
mod transfer;
mod uu;
mod words;

use urlgrep_base::named;
use urlgrep_base::span::SourceMap;
use urlgrep_containers::fields::Writer;

pub use self::content::Content;
pub use self::date::Civil;
pub use self::date::Date;
pub use self::head::encoded_lines;
pub use self::header::MAX_HEADER;
pub use self::html::{Enclosing, LinkAttribute, MAX_LINK};
pub use self::info::{MAX_INFO, MessageInfo, StoredInfo};
pub use self::json::{JsonEvent, JsonObject, JsonObjects};
pub use self::note::{MessageNote, MessageNoteKind};
pub use self::out::MAP_REACH;
use self::part::{Context, Part};
pub use self::part::{Encoding, PartEnd, PartInfo, PartKind, Sibling};
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
