//! Scans of files. The rows are Arrow data.

mod input;
mod run;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::ffi::to_ffi;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::ArrowError;
use arrow_schema::ffi::FFI_ArrowSchema;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyCapsule, PyList, PyType};
use urlgrep::mail::ReadAs;
use urlgrep::ranges;
use urlgrep::rows::Field;

use crate::rows::rows;
use crate::text::Text;
use run::Batches;
use urlgrep_arrow::{Options, Plan};

/// A scan that runs: a stream of batches of rows.
#[pyclass(frozen, module = "urlgrep._urlgrep")]
pub struct Reader {
    plan: Arc<Plan>,
    /// `None` after they were given away.
    batches: Mutex<Option<Batches>>,
    /// The exception with which a stream of Arrow data ended.
    failure: Arc<Mutex<Option<PyErr>>>,
}

impl Reader {
    fn batches(&self) -> MutexGuard<'_, Option<Batches>> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self) -> PyResult<Batches> {
        let taken = self.batches().take();
        taken.ok_or_else(|| PyValueError::new_err("the scan is closed, or in use"))
    }
}

/// The progress, as Python knows it.
fn progress<'py>(py: Python<'py>, plan: &Plan) -> PyResult<Bound<'py, PyAny>> {
    static PROGRESS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let now = plan.control.progress();
    let class = PROGRESS.import(py, "urlgrep._types", "Progress")?;
    class.call1((
        now.bytes,
        now.known,
        now.files,
        now.hits,
        plan.faults.count(),
    ))
}

fn failed(error: &ArrowError) -> PyErr {
    PyRuntimeError::new_err(error.to_string())
}

type Capsule<'py> = Bound<'py, PyCapsule>;

fn schema_capsule<'py>(py: Python<'py>, plan: &Plan) -> PyResult<Capsule<'py>> {
    let schema = FFI_ArrowSchema::try_from(&*plan.columns.schema).map_err(|e| failed(&e))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}

#[pymethods]
impl Reader {
    #[new]
    #[pyo3(signature = (inputs, options, tick=None))]
    fn new(
        inputs: &Bound<'_, PyAny>,
        options: Vec<(String, Vec<String>)>,
        tick: Option<Py<PyAny>>,
    ) -> PyResult<Reader> {
        let wrong = |text: String| PyValueError::new_err(text);
        let mut all = Options::default();
        // Who says what happens to errors knows of them.
        let warns = options.iter().all(|(name, _)| name != "errors");
        for (name, values) in options {
            all.set(&name, &values).map_err(wrong)?;
        }
        let plan = Arc::new(Plan::new(&all).map_err(wrong)?);
        let batches = Batches::new(Arc::clone(&plan), inputs, tick, warns)?;
        let failure = Arc::clone(&batches.failure);
        Ok(Reader {
            plan,
            batches: Mutex::new(Some(batches)),
            failure,
        })
    }

    /// The progress of the scan.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        progress(py, &self.plan)
    }

    /// The exception with which the stream ended that was given away, once. The stream itself
    /// has only its text.
    fn take_failure(&self) -> Option<PyErr> {
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.take()
    }

    /// Cancels the scan: the next batch is an error.
    fn cancel(&self) {
        self.plan.control.cancel();
    }

    /// Cancels the scan, and releases its inputs.
    fn close(&self) {
        self.plan.control.cancel();
        // Drop them after the lock is released.
        let batches = self.batches().take();
        drop(batches);
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        // They are taken out of the lock. So no thread waits for this lock while it
        // holds the interpreter lock.
        let mut batches = self.take()?;
        let batch = batches.next_batch(py);
        *self.batches() = Some(batches);
        let plan = &self.plan;
        Ok(batch?.map(|batch| Batch {
            batch,
            plan: Arc::clone(plan),
        }))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Capsule<'py>> {
        schema_capsule(py, &self.plan)
    }

    /// Gives the stream away, because it can be read only once.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Capsule<'py>> {
        // The protocol allows a producer to ignore it.
        let _ = requested_schema;
        let mut batches = self.take()?;
        batches.watch_interrupts(py)?;
        let stream = FFI_ArrowArrayStream::new(Box::new(batches));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }
}

/// Rows of a scan.
#[pyclass(frozen, module = "urlgrep")]
pub struct Batch {
    batch: RecordBatch,
    plan: Arc<Plan>,
}

#[pymethods]
impl Batch {
    /// The number of rows.
    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    /// The rows, each a dict.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        rows(py, &self.batch)
    }

    fn __repr__(&self) -> String {
        let names = self.plan.columns.schema.fields().iter();
        let names: Vec<_> = names.map(|field| field.name().as_str()).collect();
        let rows = self.batch.num_rows();
        format!("<urlgrep.Batch of {rows} rows: {}>", names.join(", "))
    }

    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Capsule<'py>> {
        schema_capsule(py, &self.plan)
    }

    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Capsule<'py>, Capsule<'py>)> {
        let _ = requested_schema;
        let rows = StructArray::from(self.batch.clone());
        let (array, _) = to_ffi(&rows.to_data()).map_err(|e| failed(&e))?;
        let array = PyCapsule::new_with_value(py, array, c"arrow_array")?;
        Ok((schema_capsule(py, &self.plan)?, array))
    }
}

fn read_as(name: Option<&str>) -> PyResult<ReadAs> {
    let what = name.map_or(Some(ReadAs::Auto), ReadAs::from_name);
    what.ok_or_else(|| PyValueError::new_err("expected auto, text, mbox, message, rnews or html"))
}

/// The columns of a scan and their meanings, in Markdown. The last one of three is
/// true if a scan has the column unless its argument columns leaves it out.
///
/// >>> import urlgrep
/// >>> [column for column in urlgrep.columns() if column[0] == "year"]
/// [('year', 'The year of `date`, such as `1998`.', False)]
#[pyfunction]
pub fn columns() -> Vec<(&'static str, String, bool)> {
    let mut columns = Vec::new();
    for &field in Field::ALL {
        let is_usual = Field::KEYS.contains(&field);
        columns.push((field.name(), field.meaning().to_owned(), is_usual));
        if let Some(bytes) = field.bytes_name() {
            let meaning = format!("The bytes of `{}`, if they are not UTF-8.", field.name());
            columns.push((bytes, meaning, is_usual));
        }
    }
    columns
}

/// True if a file that begins with these bytes can be searched in parts.
///
/// >>> import urlgrep
/// >>> urlgrep.is_divisible(b"From ann@example.org Thu Jan  1 00:00:00 1970\n")
/// True
/// >>> import gzip
/// >>> urlgrep.is_divisible(gzip.compress(b"text"))
/// False
#[pyfunction]
#[pyo3(signature = (head, *, as_=None))]
pub fn is_divisible(head: &Bound<'_, PyAny>, as_: Option<&str>) -> PyResult<bool> {
    let head = Text::of_bytes(head)?;
    let description = ranges::describe(head.bytes(), read_as(as_)?)?;
    Ok(description.is_divisible())
}
