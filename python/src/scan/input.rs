//! The inputs of a scan, and file objects. Only the thread that asks for batches
//! reads file objects, because another thread would wait for the interpreter lock.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use pyo3::exceptions::{PyException, PyTypeError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyString, PyTuple};
use urlgrep::ranges::ReadAt;
use urlgrep_arrow::{Input, What};

use super::run::Event;
use crate::text::buffer;

/// The maximum number of bytes of one read from a file object.
const READ: usize = 1 << 20;

const TEXT: &str = "a file in text mode has no bytes; open it in binary mode";

/// A `bytes` object.
pub struct Bytes(PyBackedBytes);

impl ReadAt for Bytes {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        (*self.0).read_at(buffer, offset)
    }

    fn size(&self) -> io::Result<Option<u64>> {
        (*self.0).size()
    }
}

/// The inputs, and the file objects among them. A file object sends its requests to
/// `events`.
pub fn inputs(
    given: &Bound<'_, PyAny>,
    events: &SyncSender<Event>,
) -> PyResult<(Vec<Input>, Vec<Py<PyAny>>)> {
    let mut files = Vec::new();
    let mut inputs = Vec::new();
    for item in given.try_iter()? {
        inputs.push(input(&item?, events, &mut files)?);
    }
    Ok((inputs, files))
}

fn input(
    item: &Bound<'_, PyAny>,
    events: &SyncSender<Event>,
    files: &mut Vec<Py<PyAny>>,
) -> PyResult<Input> {
    if let Ok(tuple) = item.cast::<PyTuple>() {
        let (start, end): (u64, Option<u64>) = match tuple.len() {
            3 | 4 => (tuple.get_item(1)?.extract()?, tuple.get_item(2)?.extract()?),
            _ => return Err(PyTypeError::new_err("expected (input, start, end[, name])")),
        };
        let mut given = input(&tuple.get_item(0)?, events, files)?;
        given.range = (start > 0 || end.is_some()).then_some((start, end));
        if let Ok(name) = tuple.get_item(3) {
            given.name = name.extract::<String>()?.into_bytes();
            given.renamed = true;
        }
        return Ok(given);
    }
    if item.is_instance_of::<PyBytes>() {
        let bytes = Arc::new(Bytes(item.extract()?));
        Ok(Input::new(b"<bytes>", What::Source(bytes)))
    } else if let Ok(bytes) = buffer(item) {
        // An mmap has a method read too, but its position is not its start.
        Ok(Input::new(b"<bytes>", What::Source(Arc::new(bytes))))
    } else if item.hasattr("read")? {
        let name = item
            .getattr_opt("name")?
            .and_then(|name| name.extract::<String>().ok());
        let file = FileObject {
            number: files.len(),
            events: events.clone(),
        };
        files.push(item.clone().unbind());
        // The name of a `GzipFile` over another file object is empty.
        let name = name.as_deref().filter(|name| !name.is_empty());
        let name = name.unwrap_or("<file>");
        Ok(Input::new(name.as_bytes(), What::Stream(Box::new(file))))
    } else {
        Ok(Input::path(item.extract()?))
    }
}

/// A request of another thread to read a file object.
pub struct Request {
    number: usize,
    offset: Option<u64>,
    len: usize,
    answer: SyncSender<io::Result<Vec<u8>>>,
}

/// A file object, as seen by another thread.
struct FileObject {
    number: usize,
    events: SyncSender<Event>,
}

impl FileObject {
    fn ask(&self, buffer: &mut [u8], offset: Option<u64>) -> io::Result<usize> {
        let (answer, answers): (_, Receiver<io::Result<Vec<u8>>>) = sync_channel(1);
        let request = Request {
            number: self.number,
            offset,
            len: buffer.len().min(READ),
            answer,
        };
        let gone = || io::Error::other("the scan was closed");
        self.events
            .send(Event::Request(request))
            .map_err(|_| gone())?;
        let bytes = answers.recv().map_err(|_| gone())??;
        // OK: the answer is not longer than the request.
        buffer[..bytes.len()].copy_from_slice(&bytes);
        Ok(bytes.len())
    }
}

impl Read for FileObject {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.ask(buffer, None)
    }
}

impl ReadAt for FileObject {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.ask(buffer, Some(offset))
    }

    fn size(&self) -> io::Result<Option<u64>> {
        Ok(None)
    }
}

/// Answers a request. An `Exception` of the file object is an error of its input.
/// Any other exception, such as `KeyboardInterrupt`, is passed on.
pub fn answer(py: Python<'_>, files: &[Py<PyAny>], request: &Request) -> PyResult<()> {
    let answer = match read(py, files, request) {
        Ok(bytes) => Ok(bytes),
        // A mistake in the program, and not in its input.
        Err(Unreadable::Text) => return Err(PyTypeError::new_err(TEXT)),
        Err(Unreadable::Error(error)) if error.is_instance_of::<PyException>(py) => {
            Err(io::Error::other(error.to_string()))
        }
        Err(Unreadable::Error(error)) => return Err(error),
    };
    // OK to ignore: in this case the scan was closed.
    let _ = request.answer.send(answer);
    Ok(())
}

/// The reason why a file object gives no bytes.
enum Unreadable {
    /// Its `read` returns `str`.
    Text,
    Error(PyErr),
}

impl From<PyErr> for Unreadable {
    fn from(error: PyErr) -> Unreadable {
        Unreadable::Error(error)
    }
}

fn read(py: Python<'_>, files: &[Py<PyAny>], request: &Request) -> Result<Vec<u8>, Unreadable> {
    let Some(file) = files.get(request.number) else {
        return Err(PyException::new_err("no such file object").into());
    };
    if let Some(offset) = request.offset {
        file.call_method1(py, "seek", (offset,))?;
    }
    let answer = file.call_method1(py, "read", (request.len,))?;
    let answer = answer.bind(py);
    if answer.is_instance_of::<PyString>() {
        return Err(Unreadable::Text);
    }
    let Ok(bytes) = answer.extract::<PyBackedBytes>() else {
        let text = format!("read returned {}, not bytes", answer.get_type().name()?);
        return Err(PyTypeError::new_err(text).into());
    };
    if bytes.len() > request.len {
        let text = format!(
            "read returned {} bytes, more than {}",
            bytes.len(),
            request.len
        );
        return Err(PyException::new_err(text).into());
    }
    Ok(bytes.to_vec())
}
