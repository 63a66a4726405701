//! Files as a stream of Arrow data.

use std::convert::Infallible;
use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use urlgrep_arrow::{Event, Failure, Input, Options, Plan, spawn};

use crate::urlgrep_status::{self, URLGREP_OK};
use crate::{guard, urlgrep_searcher};

/// Searches files and folders, also compressed ones, and writes to `out` a stream of rows
/// as Arrow data. The columns are the keys of `urlgrep --json`, or those of the option
/// "fields". An input that cannot be read is a row whose type is "error".
///
/// Files are read when the first batch is requested, by as many threads as the option
/// "threads" says. The stream does not need the searcher any more. Its release() ends
/// the search, and waits for the threads.
///
/// # Safety
///
/// `searcher` is from urlgrep_new(). `paths` has `count` strings, each
/// ended by a NUL. `out` can be written to; its previous content is not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn urlgrep_scan(
    searcher: *mut urlgrep_searcher,
    paths: *const *const c_char,
    count: usize,
    out: *mut FFI_ArrowArrayStream,
) -> urlgrep_status {
    // SAFETY: "from urlgrep_new".
    let searcher = unsafe { searcher.as_ref() };
    guard(searcher, |state| {
        if out.is_null() || (paths.is_null() && count > 0) {
            return Err("a pointer is NULL".to_owned());
        }
        let mut inputs = Vec::new();
        for number in 0..count {
            // SAFETY: "`paths` has `count` strings, each ended by a NUL".
            inputs.push(Input::path(unsafe { path(*paths.add(number))? }));
        }
        let stream = Batches::new(&state.options, inputs)?;
        let stream = FFI_ArrowArrayStream::new(Box::new(stream));
        // SAFETY: "`out` can be written to; its previous content is not released".
        unsafe { out.write(stream) };
        Ok(URLGREP_OK)
    })
}

/// # Safety
///
/// `path` is NULL or ended by a NUL.
unsafe fn path(path: *const c_char) -> Result<PathBuf, String> {
    if path.is_null() {
        return Err("a path is NULL".to_owned());
    }
    // SAFETY: the caller promises the NUL.
    let path = unsafe { CStr::from_ptr(path) };
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        Ok(std::ffi::OsStr::from_bytes(path.to_bytes()).into())
    }
    #[cfg(not(unix))]
    {
        let path = path.to_str();
        Ok(path.map_err(|_| "a path is not UTF-8".to_owned())?.into())
    }
}

/// The batches of a scan.
struct Batches {
    plan: Arc<Plan>,
    /// What the thread needs, until it is started.
    start: Option<(Vec<Input>, SyncSender<Event<Infallible>>)>,
    /// `None` after a fault.
    events: Option<Receiver<Event<Infallible>>>,
    thread: Option<JoinHandle<()>>,
}

impl Batches {
    fn new(options: &Options, inputs: Vec<Input>) -> Result<Batches, String> {
        let plan = Plan::new(options)?;
        let (sender, events) = sync_channel(0);
        Ok(Batches {
            plan: Arc::new(plan),
            start: Some((inputs, sender)),
            events: Some(events),
            thread: None,
        })
    }

    fn batch(&mut self) -> Result<Option<RecordBatch>, String> {
        if let Some((inputs, sender)) = self.start.take() {
            let thread = spawn(&self.plan, inputs, sender);
            self.thread = Some(thread.map_err(|error| error.to_string())?);
        }
        match self.events.as_ref().map(Receiver::recv) {
            Some(Ok(Event::Batch(batch))) => Ok(Some(batch)),
            Some(Ok(Event::End(Some(Failure::Internal(text))))) => Err(text),
            Some(Ok(Event::End(Some(Failure::Fault(fault))))) => Err(fault.text),
            Some(Ok(Event::Request(request))) => match request {},
            // The thread has no more events after its end.
            Some(Ok(Event::End(None)) | Err(_)) | None => Ok(None),
        }
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = catch_unwind(AssertUnwindSafe(|| self.batch()));
        match result.unwrap_or_else(|_| Err("urlgrep panicked".to_owned())) {
            Ok(batch) => batch.map(Ok),
            Err(text) => {
                self.events = None;
                Some(Err(ArrowError::ExternalError(text.into())))
            }
        }
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.plan.columns.schema)
    }
}

impl Drop for Batches {
    /// The program may unload the library after this, so no thread may be left in it.
    fn drop(&mut self) {
        self.plan.control.cancel();
        self.events = None;
        if let Some(thread) = self.thread.take() {
            // OK to ignore: the thread catches its panics, and nobody asks any more.
            let _ = thread.join();
        }
    }
}
