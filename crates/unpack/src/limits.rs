//! Limits on the cost of unpacking, and the state that the layers of a file
//! share.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::fault::UnpackFault;

/// The default limit for compressed data inside compressed data, in
/// decompressed bytes: 16 GiB.
pub const NESTED_DECOMPRESSED: u64 = 16 << 30;

/// Limits on the cost of unpacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The total size of the windows of all layers of a file, in bytes. Only xz
    /// and zstd state the size of their window, so only these count. Each other
    /// decoder uses at most 4 MB.
    pub max_window: u64,
    /// The total number of decompressed bytes in all layers of a file.
    ///
    /// `None` means no limit for data that is compressed once. The size of such
    /// data is proportional to the size of the file, for any number of members.
    /// For data that is compressed again inside, `None` means 16 GiB.
    pub max_decompressed: Option<u64>,
    /// The maximum number of layers. A `.tgz` has two.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

impl Limits {
    /// 128 MiB of windows, four layers, and no limit on data that is compressed
    /// once.
    pub const DEFAULT: Limits = Limits {
        max_window: 128 << 20,
        max_decompressed: None,
        depth: 4,
    };

    /// Sets [`Limits::max_window`].
    #[must_use]
    pub const fn max_window(mut self, bytes: u64) -> Self {
        self.max_window = bytes;
        self
    }

    /// Sets [`Limits::max_decompressed`].
    #[must_use]
    pub const fn max_decompressed(mut self, bytes: Option<u64>) -> Self {
        self.max_decompressed = bytes;
        self
    }

    /// Sets [`Limits::depth`].
    #[must_use]
    pub const fn depth(mut self, layers: u32) -> Self {
        self.depth = layers;
        self
    }
}

/// What counts towards the limits of a file, and of the files attached in it.
#[derive(Debug, Default)]
pub struct Costs {
    /// Decompressed bytes.
    spent: AtomicU64,
    /// The total size of the windows in use, in bytes.
    #[cfg(feature = "formats")]
    pub(super) windows: AtomicU64,
}

/// The state that the layers of a file share.
#[derive(Debug)]
pub(super) struct Ctx {
    pub limits: Limits,
    pub costs: Arc<Costs>,
    /// Faults that no read returned. They become events.
    faults: Mutex<VecDeque<UnpackFault>>,
    /// The limit was reached, so unpacking stops.
    exhausted: AtomicBool,
    /// Buffers of finished layers, for reuse.
    spare: Mutex<Vec<Vec<u8>>>,
}

impl Ctx {
    pub fn new(limits: Limits, costs: Arc<Costs>) -> Ctx {
        Ctx {
            limits,
            costs,
            faults: Mutex::default(),
            exhausted: AtomicBool::new(false),
            spare: Mutex::default(),
        }
    }

    /// Queues a fault, which becomes an event.
    pub fn report(&self, fault: UnpackFault) {
        lock(&self.faults).push_back(fault);
    }

    /// The next fault in the queue.
    pub fn fault(&self) -> Option<UnpackFault> {
        lock(&self.faults).pop_front()
    }

    /// Bytes that the decompressor at `level` may still return. The lowest
    /// level is 1.
    pub fn room(&self, level: u32) -> u64 {
        let limit = match self.limits.max_decompressed {
            Some(limit) => limit,
            None if level > 1 => NESTED_DECOMPRESSED,
            None => return u64::MAX,
        };
        limit.saturating_sub(self.costs.spent.load(Relaxed))
    }

    /// Counts `n` bytes that the decompressor at `level` returned.
    pub fn spend(&self, level: u32, n: usize) {
        if level > 1 || self.limits.max_decompressed.is_some() {
            self.costs.spent.fetch_add(n as u64, Relaxed);
        }
    }

    /// Stops unpacking because the limit was reached. Returns the text of the
    /// fault.
    pub fn exhaust(&self) -> String {
        self.exhausted.store(true, Relaxed);
        let limit = self.limits.max_decompressed.unwrap_or(NESTED_DECOMPRESSED);
        format!("stopped after {limit} bytes of decompressed data")
    }

    pub fn is_exhausted(&self) -> bool {
        self.exhausted.load(Relaxed)
    }

    /// An empty buffer, reused if possible.
    pub fn buffer(&self) -> Vec<u8> {
        lock(&self.spare).pop().unwrap_or_default()
    }

    /// Stores a buffer for reuse.
    pub fn give_back(&self, buffer: Vec<u8>) {
        let mut spare = lock(&self.spare);
        // Even the deepest nesting needs no more than 8.
        if spare.len() < 8 {
            spare.push(buffer);
        }
    }
}

/// Poisoning is ignored, because a panic while a lock of this crate is held leaves its data
/// usable.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
