//! Searches pieces of files, and makes rows of the hits.

use std::sync::Arc;

use urlgrep::engine::{Control, End, Flow, Kind, Piece, Worker};
use urlgrep::mail::{Container, ReadAs};
use urlgrep::record::{Field, NoteRecord, Record};
use urlgrep::search::{Match, Note, Searcher, Visitor};
use urlgrep::ExtractorBuilder;

use crate::column::Columns;
use crate::panics;
use crate::table::Table;

/// The number of bytes of a container that are searched between two checks for
/// a full output.
const SLICE: usize = 32 << 10;
/// An output with this many bytes is full.
const OUTPUT: usize = 1 << 20;

/// The parameters of a scan.
pub struct Plan {
    pub columns: Arc<Columns>,
    pub extractor: ExtractorBuilder,
    pub notes: bool,
    /// True if the first input that cannot be read ends the scan.
    pub stops_at_fault: bool,
    pub threads: Option<usize>,
    pub read_as: ReadAs,
    pub batch_rows: usize,
    pub control: Control,
}

impl Plan {
    pub fn searcher(&self) -> Searcher {
        Searcher::builder()
            .extractor(
                self.extractor
                    .line_numbers(self.columns.has(&[Field::Line])),
            )
            .message_ends(self.columns.has(&[Field::MessageEnd]))
            .details(self.columns.has(Field::DETAILS))
            .columns(self.columns.has(&[Field::Column]))
            .build()
    }
}

/// A worker of the engine.
pub struct Search {
    plan: Arc<Plan>,
    searcher: Searcher,
    /// The number of bytes of the current piece that were searched, or `None` if
    /// the search of the piece has not begun.
    fed: Option<usize>,
}

impl Search {
    pub fn new(plan: &Arc<Plan>) -> Search {
        Search {
            searcher: plan.searcher(),
            plan: Arc::clone(plan),
            fed: None,
        }
    }

    fn begin(&mut self, piece: &Piece<'_>) {
        match piece.kind {
            Kind::Mail(container) => self.searcher.begin(container, piece.start),
            Kind::Utf16 => self.searcher.begin_transcoded(piece.start),
            _ => self.searcher.begin(Container::Text, piece.start),
        }
    }

    fn text(&mut self, piece: &Piece<'_>, table: &mut Table) {
        let mut rows = Rows::new(piece, &self.plan, table);
        if piece.first && matches!(piece.end, End::Text | End::File) {
            self.searcher.search_here(piece.bytes, &mut rows);
            return;
        }
        self.searcher.feed(piece.bytes, &mut rows);
        finish(&mut self.searcher, piece.end, &mut rows);
    }

    fn mail(&mut self, piece: &Piece<'_>, table: &mut Table) -> Flow {
        let mut fed = self.fed.unwrap_or(0);
        while fed < piece.bytes.len() {
            if is_full(table, &self.plan) {
                self.fed = Some(fed);
                return Flow::Again;
            }
            let slice = &piece.bytes[fed..piece.bytes.len().min(fed + SLICE)];
            fed += slice.len();
            let mut rows = Rows::new(piece, &self.plan, table);
            self.searcher.feed(slice, &mut rows);
        }
        let mut rows = Rows::new(piece, &self.plan, table);
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

/// The output of a worker: rows, or `None` if there are none yet.
#[derive(Default)]
pub struct Output {
    table: Option<Table>,
    is_full: bool,
}

impl Output {
    /// The rows, to be taken and cleared.
    pub fn rows(&mut self) -> Option<&mut Table> {
        self.is_full = false;
        self.table.as_mut()
    }
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
        output.is_full
    }

    /// Complete rows are kept; see [`Table::clear`].
    fn repair(output: &mut Output) {
        output.is_full = true;
    }
}

/// Makes rows of the hits in a file.
pub struct Rows<'r> {
    path: Option<&'r [u8]>,
    read_as: &'static str,
    plan: &'r Plan,
    pub table: &'r mut Table,
    /// True if a part of a file is searched.
    is_part: bool,
}

impl<'r> Rows<'r> {
    fn new(piece: &Piece<'r>, plan: &'r Plan, table: &'r mut Table) -> Rows<'r> {
        Rows {
            path: piece.path,
            read_as: piece.kind.name(),
            plan,
            table,
            is_part: false,
        }
    }

    pub fn hit(&mut self, found: &Match<'_>) {
        panics::at("row");
        let mut record = Record {
            read_as: Some(self.read_as),
            ..Record::new(self.path, *found)
        };
        if self.is_part && found.message.is_none() {
            // A part of a text may begin inside a line.
            record.column = None;
        }
        self.table.hit(&record);
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
            self.table.note(&record);
        }
    }
}

/// Makes rows of the hits in a range of a file, and passes on full tables.
pub struct RangeRows<'r, F: FnMut(&mut Table) -> bool> {
    pub path: &'r [u8],
    pub container: Container,
    pub plan: &'r Plan,
    pub table: Table,
    /// Takes the rows of a table, and returns whether to continue.
    pub give: F,
}

impl<F: FnMut(&mut Table) -> bool> RangeRows<'_, F> {
    fn rows<T>(&mut self, work: impl FnOnce(&mut Rows<'_>) -> T) -> T {
        work(&mut Rows {
            path: Some(self.path),
            read_as: self.container.name(),
            plan: self.plan,
            table: &mut self.table,
            is_part: true,
        })
    }
}

impl<F: FnMut(&mut Table) -> bool> Visitor for RangeRows<'_, F> {
    fn hit(&mut self, found: &Match<'_>) -> bool {
        self.rows(|rows| rows.hit(found));
        if !is_full(&self.table, self.plan) {
            return true;
        }
        (self.give)(&mut self.table)
    }

    fn note(&mut self, note: &Note<'_>) {
        self.rows(|rows| rows.note(note));
    }
}
