//! The thread of a scan. It runs the engine or searches ranges, and sends batches
//! to the thread that asks for them.

use std::fs::File;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use urlgrep::engine::{Delivery, Engine, Fault};
use urlgrep::ranges::{self, ReadAt};
use urlgrep::record::FaultRecord;

use super::batch::Batch;
use super::input::{FileObject, Given, Request, What, answer};
use super::table::Table;
use super::worker::{Output, Plan, RangeRows, Search};
use crate::panics;

/// A batch ends with about this many bytes.
const BATCH: usize = 8 << 20;
/// The maximum time until signals are handled.
const SIGNALS: Duration = Duration::from_millis(50);

/// A message of the thread of a scan.
pub enum Event {
    Batch(RecordBatch),
    /// A request to read a file object.
    Read(Request),
    /// The end of the scan, with the text of an error if there is one.
    End(Option<String>),
}

/// Receives the batches of a scan.
pub struct Reader {
    plan: Arc<Plan>,
    inputs: Vec<Given>,
    files: Vec<Py<PyAny>>,
    state: State,
}

enum State {
    New,
    Running(Receiver<Event>),
    Ended,
    Failed,
}

impl Reader {
    pub fn new(plan: Arc<Plan>, inputs: Vec<Given>, files: Vec<Py<PyAny>>) -> Reader {
        Reader {
            plan,
            inputs,
            files,
            state: State::New,
        }
    }

    /// The next batch, or `None` at the end. The interpreter lock is held only for
    /// file objects and signals.
    pub fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let step = AssertUnwindSafe(|| self.step(py));
        let result =
            catch_unwind(step).unwrap_or_else(|_| Err(PyRuntimeError::new_err("urlgrep panicked")));
        match result {
            Ok(Some(_)) => {}
            Ok(None) => self.state = State::Ended,
            Err(_) => {
                self.plan.control.cancel();
                self.state = State::Failed;
            }
        }
        result
    }

    fn step(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        panics::at("caller");
        if let State::New = self.state {
            let (events, receiver) = sync_channel(0);
            let (plan, inputs) = (Arc::clone(&self.plan), std::mem::take(&mut self.inputs));
            std::thread::Builder::new()
                .name("urlgrep".to_owned())
                .spawn(move || thread(&plan, inputs, &events))?;
            self.state = State::Running(receiver);
        }
        let failed = |text: &str| Err(PyRuntimeError::new_err(text.to_owned()));
        let events = match &mut self.state {
            State::Running(events) => events,
            State::Failed => return failed("the scan has failed before"),
            State::New | State::Ended => return Ok(None),
        };
        loop {
            if self.plan.control.is_cancelled() {
                return failed("the scan was cancelled");
            }
            let events = &mut *events;
            match py.detach(move || events.recv_timeout(SIGNALS)) {
                Ok(Event::Batch(batch)) => return Ok(Some(batch)),
                Ok(Event::Read(request)) => answer(py, &self.files, &request)?,
                Ok(Event::End(None)) => return Ok(None),
                Ok(Event::End(Some(text))) => return failed(&text),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return failed("the scan ended without a result");
                }
            }
            py.check_signals()?;
        }
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.plan.control.cancel();
    }
}

/// A stream of Arrow data. A `KeyboardInterrupt` is raised again when the
/// interpreter runs next.
impl Iterator for Reader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = Python::try_attach(|py| {
            self.next_batch(py).map_err(|error| {
                if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
                    // OK to ignore: the stream ends with the error.
                    let _ = py
                        .import("_thread")
                        .and_then(|m| m.call_method0("interrupt_main"));
                }
                ArrowError::ExternalError(error.to_string().into())
            })
        });
        let ends = || Err(ArrowError::ExternalError("the interpreter ends".into()));
        batch.unwrap_or_else(ends).transpose()
    }
}

impl RecordBatchReader for Reader {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.plan.columns.schema)
    }
}

/// The thread. Its last event is [`Event::End`], also after a panic in [`scan`].
fn thread(plan: &Arc<Plan>, inputs: Vec<Given>, events: &SyncSender<Event>) {
    let mut sink = Sink {
        plan,
        events,
        batch: Batch::new(&plan.columns),
        fault: Table::new(&plan.columns),
        error: None,
    };
    let run = AssertUnwindSafe(|| {
        let result = scan(plan, inputs, &mut sink);
        if let Err(error) = result {
            sink.error.get_or_insert(error.to_string());
        }
        sink.flush();
    });
    let text = match catch_unwind(run) {
        Ok(()) => sink.error.take(),
        Err(_) => Some("urlgrep panicked".to_owned()),
    };
    // OK to ignore: in this case the scan was closed.
    let _ = events.send(Event::End(text));
}

/// Searches the inputs in order. The engine searches adjacent inputs without a
/// range together. Ranges are searched here, one after another.
fn scan(plan: &Arc<Plan>, inputs: Vec<Given>, sink: &mut Sink<'_>) -> io::Result<()> {
    panics::at("thread");
    let mut inputs = inputs.into_iter().peekable();
    while let Some(given) = inputs.next() {
        if let Some(bounds) = given.range {
            if !range(plan, &given, bounds, sink) {
                break;
            }
            continue;
        }
        let mut run = vec![given.whole(sink.events)];
        while let Some(given) = inputs.next_if(|given| given.range.is_none()) {
            run.push(given.whole(sink.events));
        }
        whole(plan, run, sink)?;
    }
    Ok(())
}

fn whole(
    plan: &Arc<Plan>,
    run: Vec<urlgrep::engine::Input>,
    sink: &mut Sink<'_>,
) -> io::Result<()> {
    let columns = &plan.columns;
    let mut engine = Engine::builder()
        .read_as(plan.read_as)
        .sort(true)
        .lines(columns.has(&[urlgrep::record::Field::Line]))
        .numbers(columns.has(&[urlgrep::record::Field::MessageNumber]))
        .control(plan.control.clone());
    if let Some(threads) = plan.threads {
        engine = engine.threads(threads);
    }
    let workers = Arc::clone(plan);
    let consume = |delivery: &mut Delivery<'_, Output>| {
        let table = delivery.output.rows();
        table.is_none_or(|table| sink.table(table)) && sink.faults(delivery.faults)
    };
    engine
        .build()
        .run(run, move || Search::new(&workers), consume)
}

/// Searches a range. Returns whether to continue.
fn range(
    plan: &Plan,
    given: &Given,
    (start, end): (u64, Option<u64>),
    sink: &mut Sink<'_>,
) -> bool {
    let opened;
    let object;
    let source: &dyn ReadAt = match &given.what {
        What::Bytes(bytes) => &**bytes,
        What::File(number) => {
            object = FileObject {
                number: *number,
                events: sink.events.clone(),
            };
            &object
        }
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
    let result = ranges::describe_as(source, plan.read_as).map(|description| {
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
        let result = ranges::search(source, &description, range, &mut plan.searcher(), &mut rows);
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
    events: &'s SyncSender<Event>,
    batch: Batch,
    /// The row of a fault. Empty otherwise.
    fault: Table,
    error: Option<String>,
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

    /// Adds a row for each fault.
    fn faults(&mut self, faults: &mut Vec<Fault>) -> bool {
        faults.drain(..).all(|fault| {
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
            Ok(batch) => self.events.send(Event::Batch(batch)).is_ok(),
            Err(error) => {
                self.error = Some(error.to_string());
                false
            }
        }
    }
}
