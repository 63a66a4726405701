//! Searches pieces of files, and makes rows of the hits.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use urlgrep::ExtractorBuilder;
use urlgrep::filter::Filter;
use urlgrep::mail::{Container, HeaderPolicy, ReadAs};
use urlgrep::rows::{Field, NoteRecord, Record};
use urlgrep::search::{Match, Message, Note, Searcher, Visitor};
use urlgrep_files::engine::{Control, Fault, Outbox, Piece, Worker};

use crate::column::Columns;
use crate::options::Options;
use crate::panics;
use crate::table::Table;

/// An output with this many bytes is sent.
const OUTPUT: usize = 1 << 20;

/// The parameters of a scan.
pub struct Plan {
    pub columns: Arc<Columns>,
    pub extractor: ExtractorBuilder,
    pub headers: HeaderPolicy,
    pub filter: Filter,
    pub notes: bool,
    /// True if the first input that cannot be read ends the scan.
    pub stops_at_fault: bool,
    pub threads: Option<usize>,
    pub read_as: ReadAs,
    pub batch_rows: usize,
    pub control: Control,
    pub faults: Faults,
}

/// The inputs that could not be read to their end.
#[derive(Default)]
pub struct Faults {
    count: AtomicU64,
    first: OnceLock<String>,
}

impl Faults {
    pub(crate) fn add(&self, fault: &Fault) {
        self.first.get_or_init(|| fault.to_string());
        self.count.fetch_add(1, Ordering::Relaxed);
    }

    /// Their number.
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// The path of the first one, and what is wrong.
    pub fn first(&self) -> Option<&str> {
        self.first.get().map(String::as_str)
    }
}

impl Plan {
    /// # Errors
    ///
    /// There is no such column, or a value of a filter is wrong.
    pub fn new(options: &Options) -> Result<Plan, String> {
        let columns = Columns::new(options.fields.clone());
        Ok(Plan {
            columns: Arc::new(columns.map_err(|name| format!("no such column: {name}"))?),
            extractor: options.extractor,
            headers: options.headers,
            filter: options.filter()?,
            notes: options.notes,
            stops_at_fault: options.stops_at_fault,
            threads: options.threads,
            read_as: options.read_as,
            batch_rows: options.batch_rows,
            control: Control::new(),
            faults: Faults::default(),
        })
    }

    pub fn searcher(&self) -> Searcher {
        Searcher::builder()
            .extractor(
                self.extractor
                    .line_numbers(self.columns.has(&[Field::Line])),
            )
            .message_ends(self.columns.has(&[Field::MessageEnd]))
            .headers(self.headers)
            .details(self.columns.has(Field::DETAILS) || self.filter.needs_messages())
            .all_infos(self.filter.needs_messages())
            .columns(self.columns.has(&[Field::Column]))
            .build()
    }
}

/// A worker of the engine.
pub struct Search {
    plan: Arc<Plan>,
    searcher: Searcher,
    filter: Filter,
}

impl Search {
    pub fn new(plan: &Arc<Plan>) -> Search {
        Search {
            searcher: plan.searcher(),
            filter: plan.filter.clone(),
            plan: Arc::clone(plan),
        }
    }
}

fn is_full(table: &Table, plan: &Plan) -> bool {
    table.rows >= plan.batch_rows || table.bytes >= OUTPUT
}

/// The output of a worker: rows, or `None` if there are none yet.
pub type Output = Option<Table>;

impl Worker for Search {
    type Output = Output;

    fn piece(&mut self, piece: &Piece<'_>, out: &mut Outbox<'_, Output>) -> bool {
        let plan = &self.plan;
        let filter = &self.filter;
        let mut take = Take {
            piece,
            plan,
            filter,
            out,
        };
        piece.search(&mut self.searcher, &mut take)
    }

    /// Complete rows are kept; see [`Table::clear`].
    fn repair(_: &mut Output) {}
}

/// Makes rows of the hits in a piece, and sends full tables.
struct Take<'t, 'o> {
    piece: &'t Piece<'t>,
    plan: &'t Plan,
    filter: &'t Filter,
    out: &'t mut Outbox<'o, Output>,
}

impl Take<'_, '_> {
    /// Returns false if the consumer wants nothing more.
    fn rows(&mut self, work: impl FnOnce(&mut Rows<'_>)) -> bool {
        let table = self
            .out
            .get_or_insert_with(|| Table::new(&self.plan.columns));
        work(&mut Rows {
            path: self.piece.path,
            read_as: self.piece.kind.name(),
            plan: self.plan,
            table,
            is_part: false,
        });
        !is_full(table, self.plan) || self.out.send()
    }
}

impl Visitor for Take<'_, '_> {
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        go_on(!self.filter.accepts(found) || self.rows(|rows| rows.hit(found)))
    }

    fn message(&mut self, message: &Message<'_>) -> bool {
        self.filter.accepts_message(message.info)
    }

    fn note(&mut self, note: &Note<'_>) {
        self.rows(|rows| rows.note(note));
    }
}

/// Makes rows of the hits in a file.
struct Rows<'r> {
    path: Option<&'r [u8]>,
    read_as: &'static str,
    plan: &'r Plan,
    table: &'r mut Table,
    /// True if a part of a file is searched.
    is_part: bool,
}

impl Rows<'_> {
    fn hit(&mut self, found: &Match<'_>) {
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
    fn hit(&mut self, found: &Match<'_>) -> ControlFlow<()> {
        if !self.plan.filter.accepts(found) {
            return ControlFlow::Continue(());
        }
        self.rows(|rows| rows.hit(found));
        if !is_full(&self.table, self.plan) {
            return ControlFlow::Continue(());
        }
        go_on((self.give)(&mut self.table))
    }

    fn message(&mut self, message: &Message<'_>) -> bool {
        self.plan.filter.accepts_message(message.info)
    }

    fn note(&mut self, note: &Note<'_>) {
        self.rows(|rows| rows.note(note));
    }
}

/// To continue, or not.
fn go_on(yes: bool) -> ControlFlow<()> {
    if yes {
        ControlFlow::Continue(())
    } else {
        ControlFlow::Break(())
    }
}
