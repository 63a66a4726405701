//! Searches pieces of files, and makes rows of what is found.

use std::sync::Arc;

use urlgrep::engine::{Control, End, Flow, Kind, Piece, Worker};
use urlgrep::mail::{Container, ReadAs};
use urlgrep::record::{Field, NoteRecord, Record, Row};
use urlgrep::search::{Match, Note, Searcher, Visitor};
use urlgrep::{Extractor, Profile};

use super::column::{Columns, Table};
use crate::panics;

/// How much of a container is searched before it is asked whether the output
/// is full.
const SLICE: usize = 32 << 10;
/// An output with this many bytes is full.
const OUTPUT: usize = 1 << 20;

/// What a scan was asked for.
pub struct Plan {
    pub columns: Arc<Columns>,
    pub profile: Profile,
    pub rejects: bool,
    pub notes: bool,
    pub threads: Option<usize>,
    pub read_as: ReadAs,
    pub batch_rows: usize,
    pub control: Control,
}

impl Plan {
    pub fn searcher(&self) -> Searcher {
        const DETAILS: &[Field] = &[
            Field::Role,
            Field::Depth,
            Field::MessageId,
            Field::Date,
            Field::From,
            Field::Subject,
            Field::Newsgroups,
            Field::ListId,
        ];
        Searcher::builder()
            .extractor(
                Extractor::builder()
                    .profile(self.profile)
                    .rejects(self.rejects)
                    .line_numbers(self.columns.has(&[Field::Line])),
            )
            .message_ends(self.columns.has(&[Field::MessageEnd]))
            .details(self.columns.has(DETAILS))
            .build()
    }
}

/// A worker of the engine.
pub struct Search {
    plan: Arc<Plan>,
    searcher: Searcher,
    lines: Lines,
    /// How much of the piece at hand was searched; none if it was not begun.
    fed: Option<usize>,
}

/// Where the lines of plain text begin, for its columns.
#[derive(Default)]
struct Lines {
    /// Bytes in which hits may still be found, and the offset of the first.
    bytes: Vec<u8>,
    base: u64,
    /// The line of the last hit begins here; up to `known` no other does.
    start: u64,
    known: u64,
}

impl Lines {
    fn begin(&mut self, offset: u64) {
        self.bytes.clear();
        (self.base, self.start, self.known) = (offset, offset, offset);
    }

    /// Bytes from the start of the line to `offset`, + 1, in `bytes` from `base`
    /// on. Hits come in order, so that each byte is looked at once.
    fn column(&mut self, offset: u64, bytes: &[u8], base: u64) -> u64 {
        let from = (self.known.max(base) - base) as usize;
        let to = (offset.max(base) - base) as usize;
        if let Some(new) = bytes.get(from..to) {
            if let Some(at) = new.iter().rposition(|&b| b == b'\n') {
                self.start = base + (from + at) as u64 + 1;
            }
            self.known = offset;
        }
        offset - self.start.min(offset) + 1
    }

    /// No hit is found before `settled` any more.
    fn forget(&mut self, settled: u64) {
        let before = settled.saturating_sub(self.base) as usize;
        let before = before.min(self.bytes.len());
        if before > self.bytes.len() / 2 {
            // Where the line begins that is there now.
            self.column_at(settled);
            self.bytes.drain(..before);
            self.base += before as u64;
        }
    }

    fn column_at(&mut self, offset: u64) -> u64 {
        let bytes = std::mem::take(&mut self.bytes);
        let column = self.column(offset, &bytes, self.base);
        self.bytes = bytes;
        column
    }
}

impl Search {
    pub fn new(plan: &Arc<Plan>) -> Search {
        Search {
            searcher: plan.searcher(),
            plan: Arc::clone(plan),
            lines: Lines::default(),
            fed: None,
        }
    }

    fn begin(&mut self, piece: &Piece<'_>) {
        match piece.kind {
            Kind::Mail(container) => self.searcher.begin(container, piece.start),
            Kind::Utf16 => self.searcher.begin_transcoded(piece.start),
            _ => self.searcher.begin(Container::Text, piece.start),
        }
        self.lines.begin(piece.start.offset);
    }

    fn text(&mut self, piece: &Piece<'_>, table: &mut Table) {
        let has_columns = self.plan.columns.has(&[Field::Column]);
        if piece.first && matches!(piece.end, End::Text | End::File) {
            let base = piece.start.offset;
            let lines = &mut self.lines;
            let mut column = |offset| has_columns.then(|| lines.column(offset, piece.bytes, base));
            let mut rows = Rows::new(piece, &self.plan, table, &mut column);
            self.searcher.search_here(piece.bytes, &mut rows);
            return;
        }
        if has_columns {
            self.lines.bytes.extend_from_slice(piece.bytes);
        }
        let lines = &mut self.lines;
        let mut column = |offset| has_columns.then(|| lines.column_at(offset));
        let mut rows = Rows::new(piece, &self.plan, table, &mut column);
        self.searcher.feed(piece.bytes, &mut rows);
        finish(&mut self.searcher, piece.end, &mut rows);
        self.lines.forget(self.searcher.settled());
    }

    fn mail(&mut self, piece: &Piece<'_>, table: &mut Table) -> Flow {
        let mut column = |_| None;
        let mut fed = self.fed.unwrap_or(0);
        while fed < piece.bytes.len() {
            if is_full(table, &self.plan) {
                self.fed = Some(fed);
                return Flow::Again;
            }
            let slice = &piece.bytes[fed..piece.bytes.len().min(fed + SLICE)];
            fed += slice.len();
            let mut rows = Rows::new(piece, &self.plan, table, &mut column);
            self.searcher.feed(slice, &mut rows);
        }
        let mut rows = Rows::new(piece, &self.plan, table, &mut column);
        finish(&mut self.searcher, piece.end, &mut rows);
        Flow::Done
    }
}

fn finish(searcher: &mut Searcher, end: End, rows: &mut Rows<'_>) {
    match end {
        End::Open => {}
        End::Hole | End::Broken => _ = searcher.break_off(rows),
        End::Text | End::File => _ = searcher.finish(rows),
    }
}

fn is_full(table: &Table, plan: &Plan) -> bool {
    table.rows >= plan.batch_rows || table.bytes >= OUTPUT
}

/// What a worker makes: rows, once there are any.
#[derive(Default)]
pub struct Output {
    pub table: Option<Table>,
    is_full: bool,
}

impl Worker for Search {
    type Output = Output;

    fn piece(&mut self, piece: &Piece<'_>, output: &mut Output) -> Flow {
        if piece.first && self.fed.is_none() {
            self.begin(piece);
        }
        let table = output
            .table
            .get_or_insert_with(|| Table::new(&self.plan.columns));
        let flow = match piece.kind {
            Kind::Mail(_) => self.mail(piece, table),
            _ => {
                self.text(piece, table);
                Flow::Done
            }
        };
        if flow == Flow::Done {
            self.fed = None;
        }
        output.is_full = is_full(table, &self.plan);
        flow
    }

    fn is_full(output: &Output) -> bool {
        output.is_full && output.table.is_some()
    }

    /// Complete rows stay; see [`Table::finish`].
    fn repair(output: &mut Output) {
        output.is_full = true;
    }
}

/// Makes rows of what a searcher finds in a file.
pub struct Rows<'r> {
    path: Option<&'r [u8]>,
    read_as: &'static str,
    plan: &'r Plan,
    pub table: &'r mut Table,
    /// The column of an offset in plain text.
    column: &'r mut dyn FnMut(u64) -> Option<u64>,
}

impl<'r> Rows<'r> {
    fn new(
        piece: &Piece<'r>,
        plan: &'r Plan,
        table: &'r mut Table,
        column: &'r mut dyn FnMut(u64) -> Option<u64>,
    ) -> Rows<'r> {
        Rows {
            path: piece.path,
            read_as: piece.kind.name(),
            plan,
            table,
            column,
        }
    }

    pub fn hit(&mut self, found: &Match<'_>) {
        panics::at("row");
        let column = match found.message {
            None => (self.column)(found.hit.span().start),
            Some(_) => None,
        };
        let record = Record {
            read_as: Some(self.read_as),
            column,
            ..Record::new(self.path, *found)
        };
        self.table.push(&Row::from(&record));
        self.plan.control.add_hits(1);
    }
}

impl Visitor for Rows<'_> {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        Rows::hit(self, found);
        true
    }

    fn note(&mut self, note: &Note<'_>) {
        if self.plan.notes {
            let record = NoteRecord {
                path: self.path,
                note: *note,
            };
            self.table.push(&Row::from(&record));
        }
    }
}

/// Makes rows of what is found in a range of a file, and gives tables on that
/// are full.
pub struct RangeRows<'r, F: FnMut(Table) -> bool> {
    pub path: &'r [u8],
    pub container: Container,
    pub plan: &'r Plan,
    pub table: Table,
    /// Takes a table, and says whether to go on.
    pub give: F,
}

impl<F: FnMut(Table) -> bool> RangeRows<'_, F> {
    fn rows<T>(&mut self, work: impl FnOnce(&mut Rows<'_>) -> T) -> T {
        work(&mut Rows {
            path: Some(self.path),
            read_as: self.container.name(),
            plan: self.plan,
            table: &mut self.table,
            column: &mut |_| None,
        })
    }
}

impl<F: FnMut(Table) -> bool> Visitor for RangeRows<'_, F> {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        self.rows(|rows| rows.hit(found));
        if !is_full(&self.table, self.plan) {
            return true;
        }
        let next = Table::new(&self.plan.columns);
        (self.give)(std::mem::replace(&mut self.table, next))
    }

    fn note(&mut self, note: &Note<'_>) {
        self.rows(|rows| rows.note(note));
    }
}
