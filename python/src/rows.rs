//! Rows of Arrow data as Python objects, for programs without pyarrow.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int64Type, TimestampMicrosecondType};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::{DataType, TimeUnit};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyType};

/// The rows of a batch, each a `dict` with the columns in their order.
pub fn rows<'py>(py: Python<'py>, batch: &RecordBatch) -> PyResult<Bound<'py, PyList>> {
    dicts(py, &StructArray::from(batch.clone()), 0, batch.num_rows())
}

/// Some structs as `dict`s.
fn dicts<'py>(
    py: Python<'py>,
    structs: &StructArray,
    start: usize,
    len: usize,
) -> PyResult<Bound<'py, PyList>> {
    let names: Vec<_> = structs
        .fields()
        .iter()
        .map(|field| PyString::intern(py, field.name()))
        .collect();
    let rows = PyList::empty(py);
    for at in start..start + len {
        let row = PyDict::new(py);
        for (name, column) in names.iter().zip(structs.columns()) {
            row.set_item(name, value(py, column, at)?)?;
        }
        rows.append(row)?;
    }
    Ok(rows)
}

/// A value of a column. A time is a `datetime` in UTC, a list a `list`, and a struct a `dict`.
fn value<'py>(py: Python<'py>, column: &dyn Array, at: usize) -> PyResult<Bound<'py, PyAny>> {
    if column.is_null(at) {
        return Ok(py.None().into_bound(py));
    }
    match column.data_type() {
        DataType::Utf8 => {
            let text = column.as_string::<i32>().value(at);
            Ok(PyString::new(py, text).into_any())
        }
        DataType::Binary => {
            let bytes = column.as_binary::<i32>().value(at);
            Ok(PyBytes::new(py, bytes).into_any())
        }
        DataType::Boolean => {
            let yes = column.as_boolean().value(at);
            Ok(yes.into_pyobject(py)?.to_owned().into_any())
        }
        DataType::Int64 => {
            let number = column.as_primitive::<Int64Type>().value(at);
            Ok(number.into_pyobject(py)?.into_any())
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => time(
            py,
            column.as_primitive::<TimestampMicrosecondType>().value(at),
        ),
        DataType::List(_) => {
            let items = column.as_list::<i32>().value(at);
            let list = PyList::empty(py);
            for item in 0..items.len() {
                list.append(value(py, &items, item)?)?;
            }
            Ok(list.into_any())
        }
        DataType::Struct(_) => dicts(py, column.as_struct(), at, 1)?.get_item(0),
        other => Err(PyTypeError::new_err(format!("no such type: {other}"))),
    }
}

/// A time in microseconds since 1970 as a `datetime` in UTC. It is added to 1970, because
/// `datetime.fromtimestamp` takes a float, and refuses years that `datetime` can have.
fn time<'py>(py: Python<'py>, micros: i64) -> PyResult<Bound<'py, PyAny>> {
    static EPOCH: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static DELTA: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let epoch = EPOCH.import(py, "urlgrep._types", "EPOCH")?;
    let delta = DELTA.import(py, "datetime", "timedelta")?;
    epoch.add(delta.call1((0, 0, micros))?)
}
