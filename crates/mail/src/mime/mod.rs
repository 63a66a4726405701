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

mod blanks;
mod builder;
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
mod policy;
mod role;
mod sink;
mod structure;
mod text;
mod transfer;
mod unknown;
mod uu;
mod words;

pub use self::builder::{MessageMeta, WalkerBuilder};
pub use self::content::Content;
pub use self::date::Civil;
pub use self::date::Date;
pub use self::head::encoded_lines;
pub use self::header::MAX_HEADER;
pub use self::html::MAX_LINK;
pub use self::info::{MAX_INFO, MessageInfo, StoredInfo};
pub use self::json::{JsonEvent, JsonObject, JsonObjects};
pub use self::note::{MessageNote, MessageNoteKind};
pub use self::out::MAP_REACH;
pub use self::part::{Encoding, LinkAttribute, PartEnd, PartInfo, PartKind, Sibling};
pub use self::plain::plain_header;
pub use self::policy::HeaderPolicy;
pub use self::role::{
    Enclosing, FOOTER_BYTES, FOOTER_LINES, PageRoles, Role, RoleKind, RoleTracker,
};
pub use self::sink::MailSink;
pub use self::structure::{MAX_DEPTH, Walker};
