//! What is known of the message that is being searched: its current part, and the link in it.

use crate::SearcherBuilder;
use crate::anchors::Anchors;
use crate::around::Around;
use crate::attachment::Attached;
use crate::collected::Collected;
use crate::json::Talk;
use crate::memo::Memo;
use crate::place::{Origin, Place};
use crate::roles::Roles;
use crate::seen::Seen;
use crate::waiting::Waiting;
use urlgrep_base::span::{SeamKind, SourceMap, Span};
use urlgrep_find::{Drive, ExtractorBuilder, Stream};
use urlgrep_mail::mime::{self, HeaderPolicy, PartInfo, PartKind};

/// After a message that needs no decoding, this number of messages is tried, and then one in
/// [`TRY_EACH`].
const FIRST_TRIES: u32 = 5;
const TRY_EACH: u32 = 16;

/// The current part, and the current link in it.
///
/// It is one thing: each event of a message, such as the start of a part, reaches most of its
/// fields, and the larger ones have their own types.
#[derive(Debug)]
pub(crate) struct Parts {
    pub(crate) info: mime::MessageInfo,
    pub(crate) text: SearchedText,
    /// Reads the value of a link. It comes inside the text of its part.
    pub(super) value: SearchedText,
    pub(super) in_value: bool,
    /// What to report. All links of HTML are read, whatever forms are wanted, because
    /// their text may repeat them. All of the text is read, because it may be that of a
    /// link, or have the whole of a URL that is shortened later.
    pub(crate) options: ExtractorBuilder,
    /// Determine roles and header texts.
    pub(crate) has_details: bool,
    pub(super) has_places: bool,
    /// A message that needs no decoding does not go to the walker.
    pub(super) may_look_ahead: bool,
    pub(crate) headers: HeaderPolicy,
    /// The number of messages since the last one that needed no decoding.
    pub(crate) decoded: u32,
    /// The bytes of a message that may need no decoding.
    pub(crate) held: Vec<u8>,
    pub(crate) held_map: SourceMap,
    pub(super) roles: Roles,
    pub(super) collected: Collected,
    pub(crate) waiting: Waiting,
    pub(crate) around: Around,
    pub(super) anchors: Anchors,
    pub(crate) memo: Memo,
    pub(crate) seen: Seen,
    pub(crate) attached: Attached,
    pub(crate) talk: Talk,
}

impl Parts {
    pub(crate) fn new(config: SearcherBuilder, around: Around) -> Parts {
        let SearcherBuilder {
            extractor, details, ..
        } = config;
        let all = ExtractorBuilder::default().wanted_forms();
        let mut text =
            SearchedText::new(extractor.forms(all.iter().chain(extractor.wanted_forms().iter())));
        // A search of bytes begins as one of text, which may be from a terminal.
        text.extractor.set_text(true);
        Parts {
            attached: Attached::new(config),
            info: mime::MessageInfo::default(),
            text,
            value: SearchedText::new(extractor.forms(all.iter())),
            in_value: false,
            options: extractor,
            has_details: details,
            has_places: config.places,
            headers: config.headers,
            decoded: 0,
            may_look_ahead: !(extractor.finds_more() || details && config.all_infos),
            held: Vec::new(),
            held_map: SourceMap::default(),
            roles: Roles::new(details),
            collected: Collected::default(),
            waiting: Waiting::default(),
            around,
            anchors: Anchors::default(),
            memo: Memo::default(),
            seen: Seen::default(),
            talk: Talk::default(),
        }
    }

    /// True if it is tried whether the next message needs no decoding. In mail of today hardly
    /// any is of that kind, so after a few others only some are tried.
    pub(crate) fn looks_ahead(&mut self) -> bool {
        self.decoded = self.decoded.wrapping_add(1);
        let is_tried = self.decoded < FIRST_TRIES || self.decoded.is_multiple_of(TRY_EACH);
        self.may_look_ahead && is_tried
    }

    /// Begins a message. `yes` means that its source lines are known.
    pub(crate) fn count_lines(&mut self, yes: bool) {
        self.text.place.counts_lines = yes;
        self.value.place.counts_lines = yes;
    }

    /// Begins a message without a header at the offset `source`, on line `line`.
    pub(crate) fn start_plain(&mut self, source: u64, line: u64) {
        self.text.start_plain(line);
        self.anchors.clear();
        self.seen.clear();
        self.roles.tracker.start_plain();
        if self.around.is_on() {
            let line = self.text.line_if_counted(line);
            self.around.start_mapped(line, Some((source, 1)));
        }
    }

    /// True if the text of the part is collected before it is searched. JSON and tables have no
    /// roles, as files of text.
    pub(super) fn collects(&self) -> bool {
        self.roles.read_text() && !self.talk.has_no_roles
    }

    /// The offset after the text of the part so far.
    pub(super) fn text_end(&self) -> u64 {
        if self.collects() {
            self.roles.tracker.page_end()
        } else {
            self.text.fed
        }
    }

    /// Drops unfinished parts and hits that were not delivered.
    pub(crate) fn forget(&mut self) {
        self.in_value = false;
        self.collected.clear();
        self.waiting.clear();
        self.attached.forget();
        self.memo.forget();
        self.seen.clear();
        self.talk.start(None);
        self.text.extractor.reset(0, 0);
    }
}

/// A text, and the extractor that searches it.
///
/// It is one thing: the place of the text, and the link in it that is being read.
#[derive(Debug)]
pub(crate) struct SearchedText {
    pub(crate) extractor: Stream,
    /// The place of the last hit.
    pub(crate) place: Place,
    /// The source line at which the part begins.
    pub(crate) line: u64,
    pub(super) link: Option<u32>,
    /// The current link is the name of a vocabulary.
    pub(super) is_name: bool,
    /// The end of the current link is not known.
    pub(super) is_unclosed: bool,
    /// The current link may have a text.
    pub(super) has_text: bool,
    /// The size in bytes of the hits of links since a text last ended at
    /// [`LINKS`](crate::LINKS) or [`LINK_BYTES`](crate::LINK_BYTES), or since the start of the part.
    pub(super) link_bytes: usize,
    /// The number of bytes that the extractor received, and of line feeds if the text is HTML or
    /// has strings.
    pub(crate) fed: u64,
    pub(crate) lines: u64,
    pub(super) is_html: bool,
    /// The text is that of a part of a message, not of a file or a header field.
    pub(super) is_part: bool,
    /// The text is divided into strings of JSON or fields of a table.
    pub(crate) has_strings: bool,
    /// The extractor counts lines.
    pub(super) counts_lines: bool,
    /// The map for the most recent text.
    pub(crate) map: SourceMap,
}

impl SearchedText {
    pub(super) fn new(builder: ExtractorBuilder) -> SearchedText {
        SearchedText {
            counts_lines: builder.has_lines(),
            extractor: builder.build().into_stream(),
            place: Place::new(Origin::Lost),
            line: 1,
            link: None,
            is_name: false,
            is_unclosed: false,
            has_text: false,
            link_bytes: 0,
            fed: 0,
            lines: 0,
            is_html: false,
            is_part: false,
            has_strings: false,
            map: SourceMap::new(1),
        }
    }

    pub(super) fn start(&mut self, part: &PartInfo<'_>) {
        self.extractor.reset(0, 1);
        self.map.reset(1);
        self.place.start(part);
        self.line = part.line;
        self.link = None;
        self.link_bytes = 0;
        self.fed = 0;
        self.lines = 0;
        self.is_html = part.kind == PartKind::HtmlText;
        self.is_part = !matches!(part.kind, PartKind::Header { .. });
        self.has_strings = false;
        // The fields of mailing lists (RFC 2369) are links that a mail program opens.
        let is_list = |name: &[u8]| {
            let start = name.get(..5);
            start.is_some_and(|start| start.eq_ignore_ascii_case(b"List-"))
        };
        let is_links = matches!(part.kind, PartKind::Header { name } if is_list(name));
        self.extractor.set_links(is_links);
        self.extractor.set_text(false);
        let is_field = matches!(part.kind, PartKind::Header { .. });
        self.extractor.set_encoded(is_field || !part.declares_none);
        self.extractor.set_page(self.is_html);
    }

    /// Begins a message without a header. It is searched without decoding.
    pub(super) fn start_plain(&mut self, line: u64) {
        self.extractor.reset(0, 1);
        self.extractor.set_links(false);
        self.extractor.set_text(true);
        self.extractor.set_encoded(true);
        self.extractor.set_page(false);
        self.map.reset(line);
        self.place.start_plain();
        self.is_part = false;
        self.line = line;
    }

    /// `line` if lines are counted, else 0.
    pub(crate) fn line_if_counted(&self, line: u64) -> u64 {
        if self.counts_lines && self.place.counts_lines {
            line
        } else {
            0
        }
    }

    /// Source bytes of a message without a header that are not text.
    pub(crate) fn plain_seam(&mut self, kind: SeamKind, span: Span) {
        self.map.seam(kind, span, 0, 0);
    }
}
