//! Progress and cancellation of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Reports the progress of a run, and stops it. Clones control the same run, so
/// another thread can have one. Each call takes nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    cancelled: AtomicBool,
    bytes: AtomicU64,
    known: AtomicU64,
    files: AtomicU64,
    hits: AtomicU64,
}

/// The progress of a run. No number ever decreases. The numbers are not a
/// snapshot of one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of files and streams that were processed. Packed data counts with
    /// its size on disk.
    pub bytes: u64,
    /// The total size of all files found so far, and the bytes read from
    /// streams.
    pub known: u64,
    /// Files, and members of archives, that were finished.
    pub files: u64,
    /// Hits, if the caller counts them with [`Control::add_hits`].
    pub hits: u64,
}

impl Control {
    /// A control for one run.
    #[must_use]
    pub fn new() -> Control {
        Control::default()
    }

    /// Ends the run soon: each thread first finishes its current piece. A
    /// blocking read is not interrupted.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// True after [`Control::cancel`].
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// The progress of the run.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let get = |number: &AtomicU64| number.load(Ordering::Relaxed);
        Progress {
            bytes: get(&self.0.bytes),
            known: get(&self.0.known),
            files: get(&self.0.files),
            hits: get(&self.0.hits),
        }
    }

    /// Adds to the number of hits, which the engine itself does not know.
    pub fn add_hits(&self, number: u64) {
        self.0.hits.fetch_add(number, Ordering::Relaxed);
    }

    pub(super) fn add_bytes(&self, number: u64) {
        self.0.bytes.fetch_add(number, Ordering::Relaxed);
    }

    pub(super) fn add_known(&self, number: u64) {
        self.0.known.fetch_add(number, Ordering::Relaxed);
    }

    pub(super) fn add_file(&self) {
        self.0.files.fetch_add(1, Ordering::Relaxed);
    }
}
