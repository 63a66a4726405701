//! The settings of a searcher.

use super::Searcher;
use super::around::{Around, Context};
use super::decode::Parts;
use super::place::{Current, PLAIN};
use urlgrep_find::ExtractorBuilder;
use urlgrep_mail::mime::{HeaderPolicy, Walker};

/// The default of [`SearcherBuilder::attachments`]: 32 MiB.
pub const MAX_ATTACHMENT: usize = 32 << 20;

/// Settings of a [`Searcher`].
#[derive(Clone, Copy, Debug)]
pub struct SearcherBuilder {
    pub(super) extractor: ExtractorBuilder,
    pub(super) headers: HeaderPolicy,
    pub(super) message_ends: bool,
    pub(super) details: bool,
    pub(super) all_infos: bool,
    pub(super) places: bool,
    pub(super) columns: bool,
    pub(super) context: Option<Context>,
    pub(super) attachments: Option<usize>,
}

impl Default for SearcherBuilder {
    fn default() -> SearcherBuilder {
        SearcherBuilder {
            extractor: ExtractorBuilder::default(),
            headers: HeaderPolicy::default(),
            message_ends: false,
            details: true,
            all_infos: true,
            places: true,
            columns: false,
            context: None,
            attachments: Some(MAX_ATTACHMENT),
        }
    }
}

impl SearcherBuilder {
    /// The options of the search for URLs.
    #[must_use]
    pub fn extractor(mut self, builder: ExtractorBuilder) -> Self {
        self.extractor = builder;
        self
    }

    /// The header fields to search. Default: `Written`, those that people write.
    #[must_use]
    pub fn headers(mut self, policy: HeaderPolicy) -> Self {
        self.headers = policy;
        self
    }

    /// Whether hits are delayed until the end of their message, so that
    /// [`Message::end`](super::Message::end) is known. Hits of a message over 64 KiB are reported
    /// before its end. Default: false.
    #[must_use]
    pub fn message_ends(mut self, yes: bool) -> Self {
        self.message_ends = yes;
        self
    }

    /// Whether [`Match::role`](super::Match::role) and [`Message::info`](super::Message::info) are determined. This takes
    /// a quarter of the search time. Default: true.
    #[must_use]
    pub fn details(mut self, yes: bool) -> Self {
        self.details = yes;
        self
    }

    /// Whether [`Message::info`](super::Message::info) is known for every message that [`Visitor::message`](super::Visitor::message)
    /// receives. If not, it may be empty for a message without a URL: such a message is
    /// often recognised without reading its header. Default: true.
    #[doc(hidden)]
    #[must_use]
    pub fn all_infos(mut self, yes: bool) -> Self {
        self.all_infos = yes;
        self
    }

    /// Whether the places of hits in decoded text are determined: [`Match::source`](super::Match::source),
    /// [`Match::line`](super::Match::line) and the offsets of notes. Without them, HTML and quoted-printable
    /// take a fifth less time. Columns and lines around hits need them. Default: true.
    #[doc(hidden)]
    #[must_use]
    pub fn places(mut self, yes: bool) -> Self {
        self.places = yes;
        self
    }

    /// Whether [`Match::column`](super::Match::column) is determined. Default: false.
    #[must_use]
    pub fn columns(mut self, yes: bool) -> Self {
        self.columns = yes;
        self
    }

    /// The lines around hits that [`Visitor::line`](super::Visitor::line) receives. Default: none.
    /// With `Context::default()` these are only the lines of hits. If a context
    /// is set, [`message_ends`](SearcherBuilder::message_ends) has no effect:
    /// hits do not wait for the end of their message.
    #[doc(hidden)]
    #[must_use]
    pub fn context(mut self, context: Option<Context>) -> Self {
        self.context = context;
        self
    }

    /// The maximum size in bytes of an archive, a compressed file or an encoded message in a
    /// message that is held in memory while it is searched. A larger one is held in an unnamed
    /// temporary file. 0 means that none is opened: an encoded message is then searched as
    /// plain text, the others not at all. `None` means that only parts whose type says that
    /// they are text are searched. Default: [`MAX_ATTACHMENT`].
    #[must_use]
    pub fn attachments(mut self, most: Option<usize>) -> Self {
        self.attachments = most;
        self
    }

    /// Builds a searcher with these settings.
    #[must_use]
    pub fn build(mut self) -> Searcher {
        self.places |= self.columns || self.context.is_some();
        let around = Around::new(self.columns, self.context);
        Searcher {
            message_ends: self.message_ends && self.context.is_none(),
            ended: false,
            splitter: None,
            text: Some(&PLAIN),
            head: Vec::new(),
            head_at: 0,
            looks: true,
            walker: Walker::builder()
                .headers(self.headers)
                .info(self.details)
                .places(self.places)
                .build(),
            message: Current::default(),
            parts: Parts::new(self, around),
        }
    }
}
