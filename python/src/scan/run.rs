//! Receives the batches of a scan, and reads file objects for it.

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use signal_hook::consts::SIGINT;
use signal_hook::low_level::unregister;
use signal_hook::{SigId, flag};
use urlgrep_arrow::{Failure, Input, Plan, panics, spawn};

use super::input::{Request, answer, inputs};
use super::progress;

/// An event of a scan. Its requests are to read file objects.
pub type Event = urlgrep_arrow::Event<Request>;

/// The maximum time until signals are handled.
const SIGNALS: Duration = Duration::from_millis(50);
/// The minimum time between two reports of progress.
const TICK: Duration = Duration::from_millis(100);

/// Receives the batches of a scan.
pub struct Batches {
    plan: Arc<Plan>,
    files: Vec<Py<PyAny>>,
    state: State,
    interrupt: Option<Interrupt>,
    ticks: Ticks,
    /// True if faults are a warning at the end.
    warns: bool,
    /// The exception with which the stream ended.
    pub failure: Arc<Mutex<Option<PyErr>>>,
    /// The process in which the thread of the scan runs.
    process: u32,
}

/// Calls a function with the progress, and with whether the scan has ended.
struct Ticks {
    /// `None` after the end.
    function: Option<Py<PyAny>>,
    last: Instant,
}

impl Ticks {
    fn tick(&mut self, py: Python<'_>, plan: &Plan, has_ended: bool) -> PyResult<()> {
        if let Some(function) = &self.function
            && (has_ended || self.last.elapsed() >= TICK)
        {
            function.call1(py, (progress(py, plan)?, has_ended))?;
            self.last = Instant::now();
        }
        if has_ended {
            self.function = None;
        }
        Ok(())
    }
}

/// Set by Ctrl-C. Python handles signals on its main thread only. DuckDB reads on
/// another thread, and its main thread waits for a lock until it gets a batch.
struct Interrupt {
    is_set: Arc<AtomicBool>,
    id: SigId,
}

impl Interrupt {
    /// `None` if Ctrl-C does not mean `KeyboardInterrupt` in this program.
    fn watch(py: Python<'_>) -> PyResult<Option<Interrupt>> {
        let signal = py.import("signal")?;
        let handler = signal.call_method1("getsignal", (SIGINT,))?;
        if !handler.is(signal.getattr("default_int_handler")?) {
            return Ok(None);
        }
        let is_set = Arc::new(AtomicBool::new(false));
        let id = flag::register(SIGINT, Arc::clone(&is_set))?;
        Ok(Some(Interrupt { is_set, id }))
    }

    /// Raises `KeyboardInterrupt` on any thread but the main one.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        if !self.is_set.swap(false, Ordering::Relaxed) {
            return Ok(());
        }
        let threading = py.import("threading")?;
        let current = threading.call_method0("current_thread")?;
        if current.is(threading.call_method0("main_thread")?) {
            Ok(())
        } else {
            Err(PyKeyboardInterrupt::new_err(()))
        }
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        unregister(self.id);
    }
}

enum State {
    /// The thread is started by the first request for a batch.
    New(Vec<Input>, SyncSender<Event>, Receiver<Event>),
    Running(Receiver<Event>),
    Ended,
    Failed,
}

impl Batches {
    pub fn new(
        plan: Arc<Plan>,
        given: &Bound<'_, PyAny>,
        tick: Option<Py<PyAny>>,
        warns: bool,
    ) -> PyResult<Batches> {
        let (events, receiver) = sync_channel(0);
        let (inputs, files) = inputs(given, &events)?;
        Ok(Batches {
            plan,
            files,
            state: State::New(inputs, events, receiver),
            interrupt: None,
            ticks: Ticks {
                function: tick,
                last: Instant::now(),
            },
            warns,
            failure: Arc::default(),
            process: std::process::id(),
        })
    }

    /// Ends the scan after Ctrl-C on any thread.
    pub fn watch_interrupts(&mut self, py: Python<'_>) -> PyResult<()> {
        self.interrupt = Interrupt::watch(py)?;
        Ok(())
    }

    /// The next batch, or `None` at the end. The interpreter lock is held only for
    /// file objects and signals.
    pub fn next_batch(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        let step = AssertUnwindSafe(|| self.step(py));
        let result =
            catch_unwind(step).unwrap_or_else(|_| Err(PyRuntimeError::new_err("urlgrep panicked")));
        match result {
            Ok(Some(_)) => return result,
            Ok(None) => self.state = State::Ended,
            Err(_) => {
                self.plan.control.cancel();
                self.state = State::Failed;
            }
        }
        let ticked = self.ticks.tick(py, &self.plan, true);
        let end = result.and_then(|end| ticked.map(|()| end))?;
        self.warn(py)?;
        Ok(end)
    }

    /// Warns, once, of inputs that could not be read. The filter of warnings can make it an
    /// exception.
    fn warn(&mut self, py: Python<'_>) -> PyResult<()> {
        static WARNING: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let faults = &self.plan.faults;
        let Some(first) = faults.first().filter(|_| self.warns) else {
            return Ok(());
        };
        self.warns = false;
        let what = match faults.count() {
            1 => "an input could not be read to its end".to_owned(),
            count => format!("{count} inputs could not be read to their end, the first"),
        };
        let text = format!(
            "{what}: {first} (errors=\"raise\" makes this an exception, and errors=\"rows\" leaves \
             the warning out)"
        );
        // OK to replace: a path has no NUL, and a name of a member is escaped.
        let text = CString::new(text.replace('\0', " "))?;
        let class = WARNING.import(py, "urlgrep._types", "ReadErrorWarning")?;
        PyErr::warn(py, class, &text, 1)
    }

    fn step(&mut self, py: Python<'_>) -> PyResult<Option<RecordBatch>> {
        panics::at("caller");
        let failed = |text: &str| Err(PyRuntimeError::new_err(text.to_owned()));
        let state = std::mem::replace(&mut self.state, State::Failed);
        self.state = match state {
            State::New(inputs, events, receiver) => {
                spawn(&self.plan, inputs, events)?;
                self.process = std::process::id();
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
        if self.process != std::process::id() {
            // Threads do not survive a fork, so this would wait for ever.
            return failed("the process was forked while the scan ran; make a new scan in it");
        }
        loop {
            if self.plan.control.is_cancelled() {
                return failed("the scan was cancelled");
            }
            self.ticks.tick(py, &self.plan, false)?;
            let events = &mut *events;
            match py.detach(move || events.recv_timeout(SIGNALS)) {
                Ok(Event::Batch(batch)) => return Ok(Some(batch)),
                Ok(Event::Request(request)) => answer(py, &self.files, &request)?,
                Ok(Event::End(None)) => return Ok(None),
                Ok(Event::End(Some(failure))) => return Err(exception(py, failure)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return failed("the scan ended without a result");
                }
            }
            py.check_signals()?;
            if let Some(interrupt) = &self.interrupt {
                interrupt.check(py)?;
            }
        }
    }
}

/// The exception for an early end.
fn exception(py: Python<'_>, failure: Failure) -> PyErr {
    static ERROR: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let fault = match failure {
        Failure::Internal(text) => return PyRuntimeError::new_err(text),
        Failure::Fault(fault) => fault,
    };
    let path = String::from_utf8_lossy(fault.path.as_deref().unwrap_or_default());
    let class = ERROR.import(py, "urlgrep._types", "ReadError");
    match class.and_then(|class| class.call1((path, fault.offset, &*fault.text))) {
        Ok(error) => PyErr::from_value(error),
        Err(error) => error,
    }
}

impl Drop for Batches {
    fn drop(&mut self) {
        self.plan.control.cancel();
    }
}

/// A stream of Arrow data. A `KeyboardInterrupt` is raised again when the
/// interpreter runs next.
impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = Python::try_attach(|py| {
            self.next_batch(py).map_err(|error| {
                // The text first, because making it runs Python code. The interpreter
                // would raise the interrupt there, and drop it.
                let text = error.to_string();
                if error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    // OK to ignore: the stream ends with the error.
                    let _ = py
                        .import("_thread")
                        .and_then(|m| m.call_method0("interrupt_main"));
                } else {
                    let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                    *failure = Some(error);
                }
                ArrowError::ExternalError(text.into())
            })
        });
        let ends = || Err(ArrowError::ExternalError("the interpreter ends".into()));
        batch.unwrap_or_else(ends).transpose()
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.plan.columns.schema)
    }
}
