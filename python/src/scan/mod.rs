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
use pyo3::types::{PyCapsule, PyType};
use urlgrep::engine::Control;
use urlgrep::mail::ReadAs;
use urlgrep::ranges;

use crate::extractor;
use crate::text::Text;
use crate::url::ProfileName;
use input::Errors;
use run::Reader;
use urlgrep_arrow::{Columns, Plan};

/// A scan of files: a stream of batches of rows.
#[pyclass(frozen, module = "urlgrep")]
pub struct Scan {
    plan: Arc<Plan>,
    /// `None` after it was given away.
    reader: Mutex<Option<Reader>>,
}

impl Scan {
    fn reader(&self) -> MutexGuard<'_, Option<Reader>> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
impl Scan {
    /// The progress of the scan.
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        static PROGRESS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        let now = self.plan.control.progress();
        let class = PROGRESS.import(py, "urlgrep._types", "Progress")?;
        class.call1((now.bytes, now.known, now.files, now.hits))
    }

    /// Cancels the scan: the next batch is an error.
    fn cancel(&self) {
        self.plan.control.cancel();
    }

    fn __enter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, pyo3::types::PyTuple>) {
        self.plan.control.cancel();
        // Drop the reader after the lock is released.
        let reader = self.reader().take();
        drop(reader);
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Batch>> {
        // The reader is taken out of the lock. So no thread waits for this lock
        // while it holds the interpreter lock.
        let taken = self.reader().take();
        let Some(mut reader) = taken else {
            return Err(PyValueError::new_err("the scan is closed, or in use"));
        };
        let batch = reader.next_batch(py);
        *self.reader() = Some(reader);
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
        let taken = self.reader().take();
        let Some(mut reader) = taken else {
            return Err(PyValueError::new_err("the scan is closed, or in use"));
        };
        reader.watch_interrupts(py)?;
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
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
    let what = name.map_or(Ok(ReadAs::Auto), str::parse::<ReadAs>);
    what.map_err(|error| PyValueError::new_err(error.to_string()))
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
    let description = ranges::describe_as(head.bytes(), read_as(as_)?)?;
    Ok(description.is_divisible())
}

/// Searches files, and returns a row of Arrow data for each URL.
///
/// >>> import pyarrow, urlgrep
/// >>> mail = b"Subject: x\nFrom: ann@example.org\n\n> http://a.example/\n"
/// >>> scan = urlgrep.scan(mail, as_="message", columns=["url", "role", "from"])
/// >>> pyarrow.table(scan).to_pylist()
/// [{'url': 'http://a.example/', 'role': 'quoted', 'from': 'ann@example.org'}]
#[pyfunction]
#[pyo3(signature = (inputs, *, batch_size=65_536, columns=None, rejects=false, notes=false, errors=None, threads=None, as_=None, profile=None))]
#[allow(clippy::too_many_arguments)]
pub fn scan(
    inputs: &Bound<'_, PyAny>,
    batch_size: usize,
    columns: Option<Vec<String>>,
    rejects: bool,
    notes: bool,
    errors: Option<&str>,
    threads: Option<usize>,
    as_: Option<&str>,
    profile: Option<ProfileName>,
) -> PyResult<Scan> {
    if batch_size == 0 || threads == Some(0) {
        return Err(PyValueError::new_err(
            "batch_size and threads must be at least 1",
        ));
    }
    let columns = Columns::new(columns)
        .map_err(|name| PyValueError::new_err(format!("no such column: {name}")))?;
    let errors = match errors {
        None => Errors::Missing,
        Some("rows") => Errors::Rows,
        Some("raise") => Errors::Raise,
        Some(_) => return Err(PyValueError::new_err("errors is rows or raise")),
    };
    let plan = Arc::new(Plan {
        columns: Arc::new(columns),
        extractor: extractor(profile).rejects(rejects),
        notes,
        stops_at_fault: errors == Errors::Raise,
        threads,
        read_as: read_as(as_)?,
        batch_rows: batch_size,
        control: Control::new(),
    });
    let reader = Mutex::new(Some(Reader::new(Arc::clone(&plan), inputs, errors)?));
    Ok(Scan { plan, reader })
}
