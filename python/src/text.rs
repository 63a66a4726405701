//! Python texts, and offsets in them.

use std::time::{Duration, Instant};

use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::{PyBytes, PyString};

/// A text of at least this length, in bytes, is searched without the interpreter
/// lock. For a shorter text, switching threads takes longer than the search.
const LONG: usize = 4096;

/// Calls `work`. Releases the interpreter lock if `len` is large.
pub fn release<T: Send>(py: Python<'_>, len: usize, work: impl FnOnce() -> T + Send) -> T {
    if len < LONG { work() } else { py.detach(work) }
}

/// The time between two looks for signals during a search.
const SIGNALS: Duration = Duration::from_millis(50);

/// Looks for signals during a search that does not hold the interpreter lock. Without it, Ctrl-C
/// would wait for the end of the search.
pub struct Interrupts {
    last: Instant,
    error: Option<PyErr>,
}

impl Interrupts {
    pub fn new() -> Interrupts {
        Interrupts {
            last: Instant::now(),
            error: None,
        }
    }

    /// True if a handler of a signal has raised an exception. The search ends then.
    pub fn is_raised(&mut self) -> bool {
        if self.error.is_none() && self.last.elapsed() >= SIGNALS {
            self.last = Instant::now();
            self.error = Python::attach(|py| py.check_signals()).err();
        }
        self.error.is_some()
    }

    /// The exception, if there is one.
    pub fn result(self) -> PyResult<()> {
        self.error.map_or(Ok(()), Err)
    }
}

/// The bytes of an object with a buffer, such as `memoryview`, `mmap` and `array`. They are
/// copied, because other threads may change them.
pub fn buffer(object: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    PyBuffer::<u8>::get(object)?.to_vec(object.py())
}

/// A `str`, `bytes`, `bytearray`, or an object with a buffer.
pub enum Text {
    Str(PyBackedStr),
    /// A `str` with surrogates: its bytes, and the offset of each character.
    Surrogates(Vec<u8>, Vec<u64>),
    Bytes(PyBackedBytes),
    /// The copy of a buffer.
    Copied(Vec<u8>),
}

impl Text {
    /// A `bytes`, `bytearray`, or an object with a buffer.
    pub fn of_bytes(object: &Bound<'_, PyAny>) -> PyResult<Text> {
        if let Ok(bytes) = object.extract() {
            return Ok(Text::Bytes(bytes));
        }
        Ok(Text::Copied(buffer(object)?))
    }

    /// A `str` from its UTF-32. Python's error handler `surrogateescape` replaces
    /// a byte that is not UTF-8 by a surrogate. This restores the byte. Any other
    /// surrogate becomes a byte that does not occur in UTF-8.
    fn of_utf32(text: &[u8]) -> Text {
        let (mut bytes, mut starts) = (Vec::new(), Vec::new());
        for unit in text.chunks_exact(4) {
            starts.push(bytes.len() as u64);
            let code = u32::from_le_bytes([unit[0], unit[1], unit[2], unit[3]]);
            match char::from_u32(code) {
                Some(c) => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                None if (0xDC80..=0xDCFF).contains(&code) => bytes.push(code as u8),
                None => bytes.push(0xFF),
            }
        }
        Text::Surrogates(bytes, starts)
    }

    pub fn bytes(&self) -> &[u8] {
        match self {
            Text::Str(text) => text.as_bytes(),
            Text::Surrogates(bytes, _) | Text::Copied(bytes) => bytes,
            Text::Bytes(text) => text,
        }
    }

    /// Converts byte offsets to Python offsets.
    pub fn offsets(&self) -> Offsets<'_> {
        match self {
            Text::Str(text) => Offsets::Unknown(text.as_bytes()),
            Text::Surrogates(_, starts) => Offsets::Starts(starts),
            Text::Bytes(_) | Text::Copied(_) => Offsets::Same,
        }
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Text {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Text> {
        let Ok(text) = object.cast::<PyString>() else {
            return Text::of_bytes(&object).map_err(|_| {
                let ty = object.get_type();
                PyTypeError::new_err(format!("expected str, bytes or a buffer, not {ty}"))
            });
        };
        if let Ok(text) = text.extract() {
            return Ok(Text::Str(text));
        }
        let utf32 = text.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
        Ok(Text::of_utf32(utf32.cast::<PyBytes>()?.as_bytes()))
    }
}

/// The size in bytes of a block of [`Offsets::Counted`].
const BLOCK: usize = 128;

/// Converts byte offsets to character offsets. Linear in the text for the first
/// offset, then at most logarithmic.
pub enum Offsets<'t> {
    /// The offsets are equal: the text is ASCII, or bytes are counted.
    Same,
    /// A text in UTF-8, before the first conversion.
    Unknown(&'t [u8]),
    /// The number of characters before each block of a text in UTF-8.
    Counted(&'t [u8], Vec<u64>),
    /// The byte offset of each character.
    Starts(&'t [u64]),
}

impl Offsets<'_> {
    /// The Python offset of the byte at `byte`.
    pub fn at(&mut self, byte: u64) -> u64 {
        if let Offsets::Unknown(text) = *self {
            *self = if text.is_ascii() {
                Offsets::Same
            } else {
                let count = |sum: &mut u64, block| {
                    let before = *sum;
                    *sum += chars(block);
                    Some(before)
                };
                Offsets::Counted(text, text.chunks(BLOCK).scan(0, count).collect())
            };
        }
        match self {
            Offsets::Counted(text, before) => {
                let end = usize::try_from(byte).map_or(text.len(), |byte| byte.min(text.len()));
                // The text is not ASCII, so it has at least one block. `end` may be the
                // end of the text. No block begins there, so the last block is used.
                let block = (end / BLOCK).min(before.len() - 1);
                before[block] + chars(&text[block * BLOCK..end])
            }
            Offsets::Starts(starts) => starts.partition_point(|&start| start < byte) as u64,
            Offsets::Same | Offsets::Unknown(_) => byte,
        }
    }
}

fn chars(text: &[u8]) -> u64 {
    text.iter().filter(|&&b| b & 0xC0 != 0x80).count() as u64
}
