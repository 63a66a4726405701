//! Receives the batches of a scan, and reads file objects for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use urlgrep_arrow::{Input, Plan, panics, spawn};

use super::input::{Request, answer, inputs};

/// An event of a scan. Its requests are to read file objects.
pub type Event = urlgrep_arrow::Event<Request>;

/// The maximum time until signals are handled.
const SIGNALS: Duration = Duration::from_millis(50);

/// Receives the batches of a scan.
pub struct Reader {
    plan: Arc<Plan>,
    files: Vec<Py<PyAny>>,
    state: State,
}

enum State {
    /// The thread is started by the first request for a batch.
    New(Vec<Input>, SyncSender<Event>, Receiver<Event>),
    Running(Receiver<Event>),
    Ended,
    Failed,
}

impl Reader {
    pub fn new(plan: Arc<Plan>, given: &Bound<'_, PyAny>) -> PyResult<Reader> {
        let (events, receiver) = sync_channel(0);
        let (inputs, files) = inputs(given, &events)?;
        Ok(Reader {
            plan,
            files,
            state: State::New(inputs, events, receiver),
        })
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
        let failed = |text: &str| Err(PyRuntimeError::new_err(text.to_owned()));
        let state = std::mem::replace(&mut self.state, State::Failed);
        self.state = match state {
            State::New(inputs, events, receiver) => {
                spawn(&self.plan, inputs, events)?;
                State::Running(receiver)
            }
            state => state,
        };
        let State::Running(events) = &mut self.state else {
            return match self.state {
                State::Failed => failed("the scan has failed before"),
                _ => Ok(None),
            };
        };
        loop {
            if self.plan.control.is_cancelled() {
                return failed("the scan was cancelled");
            }
            let events = &mut *events;
            match py.detach(move || events.recv_timeout(SIGNALS)) {
                Ok(Event::Batch(batch)) => return Ok(Some(batch)),
                Ok(Event::Request(request)) => answer(py, &self.files, &request)?,
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
