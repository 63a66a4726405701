//! The output of a worker for a piece: rows and their texts, in order.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::Arc;

use super::urls::{self, Keys};
use urlgrep_base::span::Seam;
use urlgrep_containers::Position;
use urlgrep_files::engine::{End, Kind, Outbox, Piece, Worker};
use urlgrep_files::ranges::cut::LOOK;
use urlgrep_find::{ExtractorBuilder, Hit};
use urlgrep_search::{Match, Message, Note, Searcher, SearcherBuilder, Unsearched, Visitor, go_on};
use urlgrep_url::validate;

/// The output is sent at this number of rows, or at this number of bytes of
/// text.
const ROWS: usize = 8 << 10;
const BYTES: usize = 1 << 20;

/// A text in [`Rows::bytes`]. Empty if absent.
pub(super) type Text = Range<u32>;

/// Rows, in the order of the input. Their texts are in one buffer.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub rows: Vec<LedgerRow>,
    bytes: Vec<u8>,
    pub unsearched: Unsearched,
}

#[derive(Debug)]
pub(super) enum LedgerRow {
    /// A text of the file `path` begins.
    Text {
        path: Text,
        kind: Kind,
        start: Position,
    },
    /// A message begins here. If the file grows, the next run can start at this
    /// position.
    Place(Position),
    /// The message of the next hits.
    Message(MessageRow),
    Hit(Box<HitRow>),
    /// Another reading of the previous hit.
    Alternate {
        kind: &'static str,
        spelling: Text,
        canonical: Text,
    },
    /// The file ends after `to` bytes, on line `line`. `broken` is true if it
    /// ends at unreadable bytes.
    End {
        to: u64,
        line: u64,
        broken: bool,
    },
}

#[derive(Debug)]
pub(super) struct MessageRow {
    pub at: Position,
    pub start: u64,
    pub end: Option<u64>,
    pub number: Option<u64>,
    /// Seconds since the epoch.
    pub date: Option<i64>,
    /// Message-ID, From, Subject, the groups, List-Id, all recipients, those of Cc, and the URL of
    /// a record.
    pub texts: [Text; 8],
}

#[derive(Debug)]
pub(super) struct HitRow {
    /// The hash of the canonical form.
    pub hash: u128,
    pub canonical: Text,
    pub host: Text,
    pub spelling: Text,
    pub in_message: bool,
    pub span: Option<(u64, u64)>,
    pub line: Option<u64>,
    pub column: Option<u64>,
    pub role: Option<&'static str>,
    pub depth: Option<u32>,
    pub form: &'static str,
    pub marks: Option<&'static str>,
    /// The hit has no seam and no doubt.
    pub unbroken: bool,
    /// Doubts, seams, part, header, the target and the text of an HTML link, member, the type
    /// of the part, and the file name. Target and text are empty unless they are two URLs. One of
    /// them is the hit.
    pub texts: [Text; 9],
}

impl Rows {
    /// The bytes of a text.
    pub fn get(&self, text: &Text) -> &[u8] {
        let range = text.start as usize..text.end as usize;
        self.bytes.get(range).unwrap_or_default()
    }

    /// The bytes of a text. `None` if it is empty.
    pub fn some(&self, text: &Text) -> Option<&[u8]> {
        Some(self.get(text)).filter(|bytes| !bytes.is_empty())
    }

    pub fn clear(&mut self) {
        self.rows.clear();
        self.bytes.clear();
        self.unsearched = Unsearched::default();
    }

    pub(super) fn put(&mut self, bytes: &[u8]) -> Text {
        self.with(|out| out.extend_from_slice(bytes))
    }

    fn with(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Text {
        let start = self.bytes.len() as u32;
        write(&mut self.bytes);
        start..self.bytes.len() as u32
    }

    fn names<'n>(&mut self, names: impl Iterator<Item = &'n str>) -> Text {
        self.with(|out| {
            let start = out.len();
            for name in names {
                if out.len() > start {
                    out.push(b',');
                }
                out.extend_from_slice(name.as_bytes());
            }
        })
    }
}

/// Searches pieces, and turns hits into rows.
pub(super) struct Recorder {
    searcher: Searcher,
    keys: Arc<Keys>,
    state: TextState,
}

/// The state of the current text.
#[derive(Default)]
struct TextState {
    /// The line of the next piece.
    line: u64,
    /// The start of the last message that has a row.
    message: Option<u64>,
    /// The starts of the last messages: those whose separators are less than
    /// [`LOOK`] bytes before the last separator, and the message before them.
    places: VecDeque<Position>,
}

impl Recorder {
    pub fn new(
        searcher: SearcherBuilder,
        extractor: ExtractorBuilder,
        keys: &Arc<Keys>,
    ) -> Recorder {
        Recorder {
            searcher: searcher
                .extractor(extractor.rejects(false).line_numbers(true))
                .message_ends(true)
                .details(true)
                .all_infos(false)
                .columns(true)
                .build(),
            keys: Arc::clone(keys),
            state: TextState::default(),
        }
    }

    fn begin(&mut self, piece: &Piece<'_>, out: &mut Rows) {
        self.state = TextState {
            line: piece.start.line,
            ..TextState::default()
        };
        let path = out.put(piece.path.unwrap_or_default());
        out.rows.push(LedgerRow::Text {
            path,
            kind: piece.kind,
            start: piece.start,
        });
    }
}

impl Worker for Recorder {
    type Output = Rows;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Rows>) -> bool {
        if piece.first {
            self.begin(piece, out);
        }
        let mut take = Take {
            state: &mut self.state,
            keys: &self.keys,
            out,
        };
        piece.search(&mut self.searcher, &mut take);
        let state = &mut self.state;
        state.line += memchr::memchr_iter(b'\n', piece.bytes).count() as u64;
        if piece.end != End::Open {
            let places = state.places.drain(..).map(LedgerRow::Place);
            out.rows.extend(places);
        }
        if piece.end.is_file() {
            out.rows.push(LedgerRow::End {
                to: piece.start.offset + piece.bytes.len() as u64,
                line: state.line,
                broken: piece.end == End::Broken,
            });
        }
        send_if_full(out)
    }

    /// Each row is complete when it is added. After a panic the rows of a file
    /// have no end, so the next run reads the file again.
    fn repair(_: &mut Rows) {}
}

/// Sends a full output. Returns false if nothing more is wanted.
fn send_if_full(out: &mut Outbox<'_, Rows>) -> bool {
    let is_full = out.rows.len() >= ROWS || out.bytes.len() >= BYTES;
    !is_full || out.send()
}

/// Turns the hits of a piece into rows.
struct Take<'t, 'o> {
    state: &'t mut TextState,
    keys: &'t Keys,
    out: &'t mut Outbox<'o, Rows>,
}

impl Visitor for Take<'_, '_> {
    fn note(&mut self, note: &Note<'_>) {
        self.out.unsearched.note(note.kind);
    }

    fn message(&mut self, message: &Message<'_>) -> bool {
        let at = place(message);
        // The messages of a file of JSON all have the place of the file.
        self.state.message = None;
        let places = &mut self.state.places;
        if places.back() != Some(&at) {
            places.push_back(at);
        }
        while places.len() > 1 && places[1].offset + LOOK as u64 <= at.offset {
            places.pop_front();
        }
        true
    }

    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        let Ok(url) = found.hit.url() else {
            return ControlFlow::Continue(());
        };
        if let Some(message) = &found.message
            && self.state.message != Some(message.start)
        {
            self.state.message = Some(message.start);
            self.message_row(message);
        }
        let canonical = self.out.with(|out| url.canonical_into(out));
        let hash = self.keys.hash(self.out.get(&canonical));
        let spelling = if found.hit.text() == self.out.get(&canonical) {
            0..0
        } else {
            self.out.put(found.hit.text())
        };
        let row = self.row(found, hash, canonical, spelling);
        self.out.rows.push(LedgerRow::Hit(Box::new(row)));
        self.alternates(found.hit);
        go_on(send_if_full(self.out))
    }
}

impl Take<'_, '_> {
    fn message_row(&mut self, message: &Message<'_>) {
        let out = &mut *self.out;
        let info = message.info;
        let (group, list_id) = (info.newsgroups(), info.list_id());
        let texts = [
            info.message_id(),
            info.from(),
            info.subject(),
            group,
            list_id,
            info.to(),
            info.cc(),
            info.record_url(),
        ];
        let row = MessageRow {
            at: place(message),
            start: message.start,
            end: message.end,
            number: message.number,
            date: info.date().map(|date| date.unix_seconds()),
            texts: texts.map(|text| out.put(text)),
        };
        out.rows.push(LedgerRow::Message(row));
    }

    fn row(&mut self, found: &Match<'_>, hash: u128, canonical: Text, spelling: Text) -> HitRow {
        let hit = found.hit;
        let out = &mut *self.out;
        let source = found.source();
        let role = found.role();
        // Most URLs are written in canonical form.
        let host = if spelling.is_empty() {
            urls::host(hit.url())
        } else {
            urls::host(validate(hit.profile(), out.get(&canonical)))
        };
        let doubts = out.names(hit.doubts().iter().map(|doubt| doubt.name()));
        let seams = source.map_or(0..0, |p| out.with(|out| put_seams(p.seams, out)));
        HitRow {
            hash,
            host: out.put(host.unwrap_or_default().as_bytes()),
            canonical,
            spelling,
            in_message: found.message.is_some(),
            span: source.map(|pieces| (pieces.span().start, pieces.span().end)),
            line: found.line(),
            column: found.column(),
            role: role.map(|role| role.name()),
            depth: role.and_then(|role| role.depth()),
            form: hit.form().name(),
            marks: match (hit.glued(), hit.continues()) {
                (true, true) => Some("glued,continues"),
                (true, false) => Some("glued"),
                (false, true) => Some("continues"),
                (false, false) => None,
            },
            unbroken: doubts.is_empty() && seams.is_empty(),
            texts: [
                doubts,
                seams,
                out.put(found.part().unwrap_or_default().as_bytes()),
                out.put(found.header().unwrap_or_default()),
                out.put(other(found.link_target(), hit)),
                out.put(other(found.link_text(), hit)),
                out.put(found.member().unwrap_or_default()),
                out.put(found.content_type().unwrap_or_default().as_bytes()),
                out.put(found.file_name().unwrap_or_default().as_bytes()),
            ],
        }
    }

    fn alternates(&mut self, hit: &Hit) {
        for other in hit.alternates() {
            let spelling = self.out.put(other.url.as_bytes());
            let canonical = match validate(hit.profile(), other.url.as_bytes()) {
                Ok(url) => self.out.with(|out| url.canonical_into(out)),
                // The text of an escaped URL, as it stands, is no URL, and equals none.
                Err(_) => spelling.clone(),
            };
            self.out.rows.push(LedgerRow::Alternate {
                kind: other.kind.name(),
                spelling,
                canonical,
            });
        }
    }
}

/// `url`, or empty if it is the URL of the hit.
fn other<'u>(url: Option<&'u [u8]>, hit: &Hit) -> &'u [u8] {
    url.filter(|&url| url != hit.text()).unwrap_or_default()
}

/// The position of the first line of a message in its container. For an mbox
/// this is the separator line.
fn place(message: &Message<'_>) -> Position {
    let head = u64::from(message.separator < message.start);
    Position {
        offset: message.separator,
        line: message.line.map_or(0, |line| line - line.min(head)),
        number: message.number.unwrap_or(0),
    }
}

/// Appends `kind start-end at len` for each seam, with semicolons between them.
fn put_seams(seams: &[Seam], out: &mut Vec<u8>) {
    use std::io::Write as _;
    for (i, seam) in seams.iter().enumerate() {
        let separator = if i > 0 { ";" } else { "" };
        let (kind, span) = (seam.kind.name(), seam.span);
        // OK to ignore: writing to a vector does not fail.
        let _ = write!(
            out,
            "{separator}{kind} {}-{} {} {}",
            span.start, span.end, seam.at, seam.len
        );
    }
}
