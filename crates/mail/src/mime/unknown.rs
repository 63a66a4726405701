//! Parts whose declared type does not say how they are read: `application/octet-stream`,
//! and all other types of applications. Their decoded bytes decide, as those of a file do.

use super::content::Content;
use super::note::MessageNoteKind;
use super::sink::MailSink;
use super::text::{Text, TextBuffer};
use urlgrep_base::magic;
use urlgrep_containers::SNIFF;

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
