//! Properties of messages that must hold for every input, as plain functions;
//! see `properties`.

use std::ops::ControlFlow;

use urlgrep::search::{Match, Searcher, Visitor};
use urlgrep::{Extractor, Hit};
use urlgrep_base::span::{SeamKind, SourceMap, Span};
use urlgrep_mail::mime::{
    HeaderPolicy, MailSink, MessageInfo, MessageMeta, MessageNote, PartEnd, PartInfo, Walker,
};

/// The events of a splitter, with neighbouring runs of bytes joined.
#[derive(Debug, Default, PartialEq, Eq)]
struct Events {
    list: Vec<String>,
    /// The current run of bytes, which is not in the list yet: its kind and bytes.
    run: Option<(String, Vec<u8>)>,
    open: bool,
    /// The expected offset of the next byte: the events cover the stream.
    at: u64,
}

impl Events {
    fn pass(&mut self, span: Span) {
        assert_eq!(self.at, span.start, "bytes are missing or given twice");
        self.at = span.end;
    }

    fn event(&mut self, event: String) {
        if let Some((what, bytes)) = self.run.take() {
            self.list.push(format!("{what} {}", bytes.escape_ascii()));
        }
        self.list.push(event);
    }

    fn bytes(&mut self, what: String, bytes: &[u8], offset: u64) {
        assert!(!bytes.is_empty());
        self.pass(Span::new(offset, offset + bytes.len() as u64));
        match &mut self.run {
            Some((run, all)) if *run == what => all.extend_from_slice(bytes),
            _ => {
                self.event(format!("at {offset}"));
                self.run = Some((what, bytes.to_vec()));
            }
        }
    }
}

impl urlgrep_containers::ContainerSink for Events {
    fn message_start(&mut self, start: &urlgrep_containers::Start<'_>) {
        assert!(!self.open);
        assert_eq!(start.head.len() as u64, start.head_span.len());
        self.pass(start.head_span);
        self.open = true;
        self.event(format!("{start:?}"));
    }

    fn data(&mut self, bytes: &[u8], offset: u64) {
        assert!(self.open);
        self.bytes("data".into(), bytes, offset);
    }

    fn seam(&mut self, kind: SeamKind, span: Span) {
        assert!(self.open);
        self.pass(span);
        self.event(format!("{kind:?} {span:?}"));
    }

    fn message_end(&mut self, end: u64) {
        assert!(self.open);
        assert_eq!(self.at, end);
        self.open = false;
        self.event(format!("end {end}"));
    }

    fn outside(&mut self, bytes: &[u8], offset: u64, what: urlgrep_containers::Outside) {
        assert!(!self.open);
        self.bytes(format!("{what:?}"), bytes, offset);
    }

    fn compressed(&mut self, packing: urlgrep_containers::Packing, offset: u64) {
        assert_eq!(self.at, offset);
        self.event(format!("{packing:?} {offset}"));
    }

    fn note(&mut self, note: urlgrep_containers::ContainerNote) {
        self.event(format!("{note:?}"));
    }
}

fn events(mut splitter: urlgrep_containers::Splitter, stream: &[u8], size: usize) -> Vec<String> {
    let mut events = Events::default();
    for chunk in stream.chunks(size.max(1)) {
        splitter.feed(chunk, &mut events);
        assert!(
            splitter.held() <= urlgrep_containers::SNIFF_MAX,
            "memory is bounded"
        );
    }
    splitter.finish(&mut events);
    assert!(!events.open && splitter.held() == 0);
    assert_eq!(events.at, stream.len() as u64, "the end is missing");
    events.event("over".into());
    events.list
}

/// The events of a splitter cover the stream, and do not depend on the chunks.
pub fn split_is_independent_of_chunks(
    hint: urlgrep_containers::ReadAs,
    stream: &[u8],
    sizes: &[usize],
) {
    let whole = events(urlgrep_containers::Splitter::new(hint), stream, usize::MAX);
    for &size in sizes {
        let found = events(urlgrep_containers::Splitter::new(hint), stream, size);
        assert_eq!(whole, found, "chunks of {size}: {}", stream.escape_ascii());
    }
    // A splitter that is given the container splits in the same way.
    let container = urlgrep_containers::sniff(stream, true, hint);
    let splitter =
        urlgrep_containers::Splitter::resume(container, urlgrep_containers::Position::START);
    assert_eq!(whole, events(splitter, stream, usize::MAX), "{container:?}");
}

/// The events of a walker, with the text of each part joined.
#[derive(Default)]
struct Parts {
    list: Vec<String>,
    /// The open parts: the text so far, and for each byte its source offset plus
    /// 1, or 0 if it has none.
    open: Vec<(Vec<u8>, Vec<u64>)>,
    source_len: u64,
}

impl MailSink for Parts {
    fn part_start(&mut self, part: &PartInfo<'_>) {
        self.list.push(format!("{part:?}"));
        self.open.push(Default::default());
    }

    fn text(&mut self, bytes: &[u8], map: &SourceMap) {
        let (text, places) = self.open.last_mut().expect("text outside of a part");
        let from = text.len() as u64;
        text.extend_from_slice(bytes);
        assert_eq!(
            text.len() as u64,
            map.text_end(),
            "the map ends with the text"
        );
        for at in from..map.text_end() {
            let place = map.extent(Span::new(at, at + 1));
            if let Some(span) = place {
                assert!(!span.is_empty() && span.end <= self.source_len, "{span:?}");
            }
            places.push(place.map_or(0, |span| span.start + 1));
        }
    }

    fn part_end(&mut self, end: PartEnd) {
        let (text, places) = self.open.pop().expect("a part is open");
        self.list
            .push(format!("{} {places:?} {end:?}", text.escape_ascii()));
    }

    fn headers(&mut self, message: &MessageInfo) {
        self.list.push(format!("{message:?}"));
    }

    fn note(&mut self, note: MessageNote<'_>) {
        self.list.push(format!("{note:?}"));
    }
}

fn parts(message: &[u8], policy: HeaderPolicy, size: usize) -> Vec<String> {
    let mut parts = Parts {
        source_len: message.len() as u64,
        ..Parts::default()
    };
    let mut walker = Walker::builder().headers(policy).build();
    walker.message(MessageMeta::default());
    let mut at = 0;
    for chunk in message.chunks(size.max(1)) {
        walker.feed(chunk, at, &mut parts);
        at += chunk.len() as u64;
    }
    walker.finish(&mut parts);
    assert!(parts.open.is_empty(), "a part is left open");
    parts.list.sort();
    parts.list
}

/// The parts of a message, their text, and the source offset of each byte do
/// not depend on the chunks. The order of notes may depend on them.
pub fn walk_is_independent_of_chunks(message: &[u8], sizes: &[usize]) {
    for policy in [HeaderPolicy::Written, HeaderPolicy::All] {
        let whole = parts(message, policy, usize::MAX);
        for &size in sizes {
            let found = parts(message, policy, size);
            assert_eq!(whole, found, "chunks of {size}: {}", message.escape_ascii());
        }
    }
}

/// All header fields of a message, decoded and then searched.
#[derive(Default)]
struct Fields {
    text: Vec<u8>,
    urls: Vec<String>,
}

impl MailSink for Fields {
    fn part_start(&mut self, _part: &PartInfo<'_>) {
        self.text.clear();
    }

    fn text(&mut self, bytes: &[u8], _map: &SourceMap) {
        self.text.extend_from_slice(bytes);
    }

    fn part_end(&mut self, _end: PartEnd) {
        let builder = Extractor::builder().rejects(true);
        let extractor = builder.build();
        let urls = extractor.find_iter(&self.text).map(|hit| describe(&hit));
        self.urls.extend(urls);
    }
}

struct Urls(Vec<String>);

impl Visitor for Urls {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        self.0.push(describe(found.hit));
        ControlFlow::Continue(())
    }
}

fn describe(hit: &Hit) -> String {
    format!("{} {:?}", hit.text().escape_ascii(), hit.span())
}

/// A search skips only header fields that can contain no URL. Returns the number
/// of hits and rejects.
pub fn only_fields_without_urls_are_skipped_in(message: &[u8]) -> usize {
    let mut walker = Walker::builder().headers(HeaderPolicy::All).build();
    let mut fields = Fields::default();
    walker.message(MessageMeta { line: 1 });
    walker.feed(message, 0, &mut fields);
    walker.finish(&mut fields);
    let mut urls = Urls(vec![]);
    let mut searcher = Searcher::builder()
        .extractor(Extractor::builder().rejects(true))
        .headers(HeaderPolicy::All)
        .build();
    let _ = searcher.visit_message(message, &mut urls);
    assert_eq!(fields.urls, urls.0, "{}", message.escape_ascii());
    urls.0.len()
}
