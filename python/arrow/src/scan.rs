//! The thread of a scan. It runs the engine or searches ranges, and sends batches
//! to the thread that asks for them.

use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread::JoinHandle;

use arrow_array::RecordBatch;
use urlgrep::mail::ReadAs;
use urlgrep::ranges::{self, ReadAt};
use urlgrep::rows::FaultRecord;
use urlgrep_files::engine::{self, Delivery, Engine, Fault, Source};

use crate::batch::Batch;
use crate::panics;
use crate::table::Table;
use crate::worker::{Output, Plan, RangeRows, Search};

/// A batch ends with about this many bytes.
const BATCH: usize = 8 << 20;

/// A message of the thread of a scan.
pub enum Event<R> {
    /// The next rows.
    Batch(RecordBatch),
    /// A request of one of the inputs to the thread that asks for batches.
    Request(R),
    /// The end of the scan, with the reason if it is an early one.
    End(Option<Failure>),
}

/// The reason why a scan ended early.
pub enum Failure {
    /// The engine or Arrow failed.
    Internal(String),
    /// An input could not be read, and the scan stops at a fault.
    Fault(Fault),
}

/// One of the inputs of a scan.
pub struct Input {
    pub what: What,
    pub name: Vec<u8>,
    /// True if the name is not the path.
    pub renamed: bool,
    /// The part to search, or `None` for the whole input, unpacked.
    pub range: Option<(u64, Option<u64>)>,
}

/// Where the bytes of an input come from.
pub enum What {
    /// A file, or a folder with all files in it.
    Path(PathBuf),
    /// A source that several threads can read.
    Source(Arc<dyn Source>),
    /// A source that one thread reads.
    Stream(Box<dyn Stream>),
}

/// A source that is read from its start to its end, or at any offset.
pub trait Stream: Read + ReadAt + Send {}

impl<T: Read + ReadAt + Send> Stream for T {}

impl Input {
    /// A whole input.
    pub fn new(name: &[u8], what: What) -> Input {
        Input {
            what,
            name: name.to_vec(),
            renamed: false,
            range: None,
        }
    }

    /// A file or a folder, with its path as its name.
    pub fn path(path: PathBuf) -> Input {
        // The engine takes `-` for standard input.
        let path = if path.as_os_str() == "-" {
            "./-".into()
        } else {
            path
        };
        let name = path.as_os_str().as_encoded_bytes().to_vec();
        Input::new(&name, What::Path(path))
    }

    /// The whole input, for the engine.
    fn whole(self) -> engine::Input {
        match self.what {
            What::Path(path) if self.renamed => match File::open(&path) {
                Ok(file) => engine::Input::Source(self.name, Arc::new(file)),
                Err(error) => {
                    engine::Input::Fault(Fault::broken(Some(&self.name), 0, None, &error))
                }
            },
            What::Path(path) => engine::Input::Path(path),
            What::Source(source) => engine::Input::Source(self.name, source),
            What::Stream(stream) => engine::Input::Reader(self.name, Box::new(stream)),
        }
    }
}

/// Starts the thread of a scan. It waits until an event is received. Its last event
/// is [`Event::End`]. It ends soon after the receiver was dropped or the scan was
/// cancelled.
pub fn spawn<R: Send + 'static>(
    plan: &Arc<Plan>,
    inputs: Vec<Input>,
    events: SyncSender<Event<R>>,
) -> io::Result<JoinHandle<()>> {
    let plan = Arc::clone(plan);
    let thread = std::thread::Builder::new().name("urlgrep".to_owned());
    thread.spawn(move || run(&plan, inputs, &events))
}

/// The thread. Its last event is [`Event::End`], also after a panic in [`scan`].
fn run<R>(plan: &Arc<Plan>, inputs: Vec<Input>, events: &SyncSender<Event<R>>) {
    let mut sink = Sink {
        plan,
        send: &mut |batch| events.send(Event::Batch(batch)).is_ok(),
        batch: Batch::new(&plan.columns),
        fault: Table::new(&plan.columns),
        failure: None,
    };
    let work = AssertUnwindSafe(|| {
        let result = scan(plan, inputs, &mut sink);
        if let Err(error) = result {
            let failure = Failure::Internal(error.to_string());
            sink.failure.get_or_insert(failure);
        }
        sink.flush();
    });
    let failure = match catch_unwind(work) {
        Ok(()) => sink.failure.take(),
        Err(_) => Some(Failure::Internal("urlgrep panicked".to_owned())),
    };
    // OK to ignore: in this case the scan was closed.
    let _ = events.send(Event::End(failure));
}

/// Searches the inputs in order. The engine searches adjacent inputs without a
/// range together. Ranges are searched here, one after another.
fn scan(plan: &Arc<Plan>, inputs: Vec<Input>, sink: &mut Sink<'_>) -> io::Result<()> {
    panics::at("thread");
    let mut inputs = inputs.into_iter().peekable();
    while let Some(given) = inputs.next() {
        if let Some(bounds) = given.range {
            if !range(plan, &given, bounds, sink) {
                break;
            }
            continue;
        }
        let mut run = vec![given.whole()];
        while let Some(given) = inputs.next_if(|given| given.range.is_none()) {
            run.push(given.whole());
        }
        whole(plan, run, sink)?;
    }
    Ok(())
}

fn whole(plan: &Arc<Plan>, run: Vec<engine::Input>, sink: &mut Sink<'_>) -> io::Result<()> {
    let columns = &plan.columns;
    let mut engine = Engine::builder()
        .read_as(plan.read_as)
        .sort(true)
        .lines(columns.has(&[urlgrep::rows::Field::Line]))
        .numbers(columns.has(&[urlgrep::rows::Field::MessageNumber]))
        .control(plan.control.clone());
    if let Some(threads) = plan.threads {
        engine = engine.threads(threads);
    }
    let workers = Arc::clone(plan);
    let consume = |delivery: &mut Delivery<'_, Output>| {
        let table = delivery.output.as_mut();
        table.is_none_or(|table| sink.table(table)) && sink.faults(delivery.faults)
    };
    engine
        .build()
        .run(run, move || Search::new(&workers), consume)
}

/// Searches a range. Returns whether to continue.
fn range(
    plan: &Plan,
    given: &Input,
    (start, end): (u64, Option<u64>),
    sink: &mut Sink<'_>,
) -> bool {
    let opened;
    let source: &dyn ReadAt = match &given.what {
        What::Source(source) => source,
        What::Stream(stream) => &**stream,
        What::Path(path) => match File::open(path) {
            Ok(file) => {
                opened = file;
                &opened
            }
            Err(error) => {
                let fault = Fault::broken(Some(&given.name), 0, None, &error);
                return sink.faults(&mut vec![fault]);
            }
        },
    };
    let named = |description: ranges::Description| match plan.read_as {
        ReadAs::Auto => description.named(&given.name),
        _ => description,
    };
    let result = ranges::describe(source, plan.read_as)
        .map(named)
        .map(|description| {
            let mut go_on = true;
            let mut rows = RangeRows {
                path: &given.name,
                container: description.container,
                plan,
                table: Table::new(&plan.columns),
                give: |table: &mut Table| {
                    go_on = sink.table(table) && !plan.control.is_cancelled();
                    go_on
                },
            };
            let range = start..end.unwrap_or(u64::MAX);
            let result =
                ranges::visit(source, &description, range, &mut plan.searcher(), &mut rows);
            let mut table = rows.table;
            (sink.table(&mut table) && go_on, result)
        });
    let (go_on, result) = match result {
        Ok(done) => done,
        Err(error) => (true, Err(error)),
    };
    match result {
        Ok(()) => go_on,
        Err(error) => {
            let fault = Fault::broken(Some(&given.name), start, end, &error);
            go_on && sink.faults(&mut vec![fault])
        }
    }
}

/// Builds batches from tables.
struct Sink<'s> {
    plan: &'s Plan,
    /// Sends a batch, and returns whether to continue.
    send: &'s mut dyn FnMut(RecordBatch) -> bool,
    batch: Batch,
    /// The row of a fault. Empty otherwise.
    fault: Table,
    failure: Option<Failure>,
}

impl Sink<'_> {
    /// Takes all rows of `table`, and returns whether to continue.
    fn table(&mut self, table: &mut Table) -> bool {
        panics::at("sink");
        let mut at = 0;
        while at < table.rows {
            let free = self.plan.batch_rows - self.batch.rows;
            let end = table.rows.min(at.saturating_add(free));
            self.batch.extend(table, at..end);
            at = end;
            if !self.flush_if_full() {
                return false;
            }
        }
        table.clear();
        true
    }

    /// Adds a row for each fault, unless the first one ends the scan.
    fn faults(&mut self, faults: &mut Vec<Fault>) -> bool {
        faults.drain(..).all(|fault| {
            self.plan.faults.add(&fault);
            if self.plan.stops_at_fault {
                self.failure = Some(Failure::Fault(fault));
                return false;
            }
            let record = FaultRecord {
                path: fault.path.as_deref(),
                offset: fault.offset,
                text: &fault.text,
            };
            self.fault.fault(&record);
            self.batch.extend(&mut self.fault, 0..1);
            self.fault.clear();
            self.flush_if_full()
        })
    }

    fn flush_if_full(&mut self) -> bool {
        let is_full = self.batch.rows >= self.plan.batch_rows || self.batch.bytes >= BATCH;
        !is_full || self.flush()
    }

    /// Sends the rows as a batch, and returns whether to continue.
    fn flush(&mut self) -> bool {
        if self.batch.rows == 0 {
            return true;
        }
        match self.batch.finish() {
            Ok(batch) => (self.send)(batch),
            Err(error) => {
                self.failure = Some(Failure::Internal(error.to_string()));
                false
            }
        }
    }
}
