//! How far a run has come, and how it is stopped from outside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Tells how far a run has come, and stops it. Clones are of the same run, so
/// another thread can hold one. Each call takes nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Control(Arc<State>);

#[derive(Debug, Default)]
struct State {
    cancelled: AtomicBool,
    bytes: AtomicU64,
    known: AtomicU64,
    files: AtomicU64,
    hits: AtomicU64,
}

/// How far a run has come. The numbers only grow, and are not of one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Bytes of files and streams that were worked on, as they are on disk.
    pub bytes: u64,
    /// Bytes of all files that were found so far. Of a stream, those that were
    /// read.
    pub known: u64,
    /// Files, and members of archives, that are done.
    pub files: u64,
    /// Hits, as far as the caller counts them by [`Control::add_hits`].
    pub hits: u64,
}

impl Control {
    /// A control for one run.
    #[must_use]
    pub fn new() -> Control {
        Control::default()
    }

    /// Ends the run soon, at the latest after the piece that each thread is
    /// working on. A read that blocks is not interrupted.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Relaxed);
    }

    /// True after [`Control::cancel`].
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Relaxed)
    }

    /// How far the run has come.
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

    /// Counts hits, which the engine does not know of.
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
