//! What the decoded bytes of a part are, and the format of its text.

use super::part::PartKind;
#[cfg(doc)]
use super::sink::MailSink;
use urlgrep_base::magic;
use urlgrep_containers::{Container, ReadAs, SNIFF, is_undecided, sniff};

/// What the decoded bytes of a part are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// Text.
    Text,
    /// Text in UTF-16, with a byte order mark.
    Utf16,
    /// A page of HTML.
    Html,
    /// XML.
    Xml,
    /// A calendar or vCards.
    Calendar,
    /// JSON.
    Json,
    /// One or more messages.
    Messages,
    /// A file that [`MailSink::file`] gets. Only a sink says this.
    File,
    /// Anything else, such as a program. It is not searched.
    Data,
}

/// The format of the decoded text of a part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TextFormat {
    #[default]
    Plain,
    Flowed {
        /// `DelSp=yes`.
        delete_space: bool,
    },
    Html,
    /// XML: the rules for HTML, without those for its elements.
    Xml,
    /// iCalendar or vCard.
    Calendar,
    /// JSON or JSON Lines.
    Json,
    /// CSV or TSV.
    Csv,
}

impl Content {
    /// Recognises the content of a part by its first bytes. They are the whole part if
    /// `eof`. `None` if more bytes are needed.
    ///
    /// # Complexity
    ///
    /// Linear in `head`. A caller should double it each time.
    #[must_use]
    pub fn of(head: &[u8], eof: bool) -> Option<Content> {
        let near = &head[..head.len().min(SNIFF)];
        if near.len() < SNIFF && !eof {
            return None;
        }
        if magic::is_utf16(head) {
            return Some(Content::Utf16);
        }
        if memchr::memchr(0, near).is_some() {
            return Some(Content::Data);
        }
        if !eof && is_undecided(head, ReadAs::Auto) {
            return None;
        }
        Some(match sniff(head, eof, ReadAs::Auto) {
            Container::Html => Content::Html,
            Container::Xml => Content::Xml,
            Container::Calendar => Content::Calendar,
            Container::Json => Content::Json,
            Container::Text => Content::Text,
            _ => Content::Messages,
        })
    }

    pub(super) fn format(self) -> TextFormat {
        match self {
            Content::Html => TextFormat::Html,
            Content::Xml => TextFormat::Xml,
            Content::Calendar => TextFormat::Calendar,
            Content::Json => TextFormat::Json,
            _ => TextFormat::Plain,
        }
    }

    pub(super) fn kind(self) -> PartKind<'static> {
        match self {
            Content::Html | Content::Xml => PartKind::HtmlText,
            Content::Data | Content::File => PartKind::Binary,
            _ => PartKind::Attachment,
        }
    }
}
