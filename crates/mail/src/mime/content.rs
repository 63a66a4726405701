//! Parts whose declared type does not say how they are read: `application/octet-stream`,
//! and all other types of applications. Their decoded bytes decide, as those of a file do.

use super::format::TextFormat;
use super::text::{Text, TextBuffer};
use super::{MailSink, MessageNoteKind, PartKind};
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

/// The first bytes of a part until they show its content.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    pub(super) head: TextBuffer,
    /// The length at which the bytes are examined again.
    want: usize,
    /// Where the part begins.
    pub(super) at: u64,
    pub(super) line: u64,
    /// The kind of note if the part is not searched.
    note: Option<MessageNoteKind>,
}

impl Unknown {
    pub(super) fn start(&mut self, at: u64, line: u64, note: Option<MessageNoteKind>) {
        self.head.clear();
        self.want = SNIFF;
        self.at = at;
        self.line = line;
        self.note = note;
    }

    /// Takes as much of `text` as is needed. `None` if more is needed.
    pub(super) fn feed<S: MailSink>(
        &mut self,
        text: &mut Text<'_>,
        end: bool,
        sink: &mut S,
    ) -> Option<Content> {
        loop {
            let len = self.head.text().bytes().len();
            let more = text.bytes().len().min(self.want - len);
            self.head.copy_all(text.take(more));
            let eof = end && text.is_empty();
            if len + more < self.want && !eof {
                return None;
            }
            let content = sink.content(self.head.text().bytes(), eof);
            if content.is_some() || eof {
                return content.or(Some(Content::Text));
            }
            self.want *= 2;
        }
    }

    /// The kind of note that the part needs, because some of its text is not searched.
    pub(super) fn note(&self, content: Content) -> Option<MessageNoteKind> {
        let is_unread =
            content == Content::Data || magic::unreadable(self.head.text().bytes()).is_some();
        self.note.filter(|_| is_unread)
    }
}
