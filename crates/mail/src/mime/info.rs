//! What identifies a message, of its header block.

use super::blanks::one_blank;
use super::date::Date;
use urlgrep_containers::Record;

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
    pub(super) fn texts(&mut self) -> [&mut Vec<u8>; 10] {
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
    pub(super) fn set_record(&mut self, record: &Record<'_>) {
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
        one_blank(&mut self.from, 0);
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

    pub(super) fn clear(&mut self) {
        self.is_deleted = false;
        self.texts().into_iter().for_each(Vec::clear);
    }
}
