//! The parts of a message: what a sink learns of them, and the one that is being read.

use std::ops::Range;

#[cfg(doc)]
use super::MailSink;
use urlgrep_containers::Coding;

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

/// The attributes that are read: those that may have links, and those that name marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LinkAttribute {
    /// `href`, including that of `<base>`.
    Href,
    /// `src`.
    Src,
    /// `action`.
    Action,
    /// `cite`.
    Cite,
    /// `background`.
    Background,
    /// `poster`.
    Poster,
    /// `data`.
    Data,
    /// `formaction`.
    Formaction,
    /// `longdesc`.
    Longdesc,
    /// `ping`: several URLs with white space between them.
    Ping,
    /// `srcset`: several URLs with commas between them, each with the size of
    /// its picture.
    Srcset,
    /// `srcdoc` of `<iframe>`: the tags of an HTML document.
    Srcdoc,
    /// `style`, or the element with this name: `url(…)` and `@import` in CSS.
    Style,
    /// `content` of `<meta http-equiv=refresh>`: `5; url=…`.
    Content,
    /// `http-equiv` of `<meta>`, which says what `content` is.
    Pragma,
    /// `property` and `name` of `<meta>`, and the URL in the `content` that they name:
    /// `<meta property="og:image" content="…">`.
    Property,
    /// A script: the value of `onclick` and other event handlers, or the rest
    /// of a `javascript:` URL. Its links are the strings that are URLs.
    Script,
    /// In XML, any other attribute whose value is a URL.
    Other,
    /// `class`, `id`, and `name` of `<a>`. They have no links, but may say who wrote the
    /// content of the element.
    Name,
    /// `name` of `<div>`, by which Spark marks a signature, and GMX and WEB.DE a quotation.
    DivName,
    /// In XML, an attribute with names of vocabularies (`xmlns`, `schemaLocation`), or a
    /// declaration.
    Namespace,
}

impl LinkAttribute {
    /// True if the whole value is one URL.
    pub(crate) fn is_one_url(self) -> bool {
        use LinkAttribute as L;
        !matches!(
            self,
            L::Ping
                | L::Srcset
                | L::Srcdoc
                | L::Style
                | L::Content
                | L::Pragma
                | L::Script
                | L::Namespace
                | L::Name
                | L::DivName
        )
    }
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

/// The current part: its properties from the header, in buffers that are
/// reused.
#[derive(Debug, Default)]
pub(super) struct Part {
    pub(super) path: String,
    pub(super) content_type: String,
    pub(super) charset: Vec<u8>,
    pub(super) encoding: Encoding,
    pub(super) declares_none: bool,
    pub(super) coding: Coding,
    pub(super) attachment: bool,
    pub(super) file_name: Vec<u8>,
    /// The file names of the messages around the part, one after the other.
    pub(super) names: Vec<u8>,
    /// The name of the nearest attached message around the part that has one, in `names`.
    pub(super) around: Range<usize>,
    pub(super) after: Option<Sibling>,
    pub(super) context: Context,
}

/// What a part knows from the header fields of itself and of the parts around it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Context {
    /// The scheme of its base, and `//`. Empty if there is none.
    pub(super) base: &'static [u8],
    /// The message answers another one, so a `<blockquote>` in it is a quotation.
    pub(super) is_reply: bool,
    /// See [`PartInfo::is_forwarded`].
    pub(super) is_forwarded: bool,
}

impl Part {
    /// Adds the file name of an attached message, whose parts begin. Returns the place of the
    /// name that is around them.
    pub(super) fn add_name(&mut self) -> Range<usize> {
        if self.file_name.is_empty() {
            return self.around.clone();
        }
        // The names behind are those of messages that have ended.
        let start = self.around.end;
        self.names.truncate(start);
        self.names.extend_from_slice(&self.file_name);
        start..self.names.len()
    }

    pub(super) fn info<'a>(
        &'a self,
        kind: PartKind<'a>,
        source: Option<u64>,
        line: u64,
    ) -> PartInfo<'a> {
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
