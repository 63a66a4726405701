//! Limits on the cost of unpacking, and the state that all layers of a file
//! share.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::fault::UnpackFault;

/// The default limit for compressed data inside compressed data, in
/// decompressed bytes.
pub const NESTED_DECOMPRESSED: u64 = 16 << 30;

/// Limits on the cost of unpacking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes for the windows of all layers of a file together. Only xz and
    /// zstd state the size of their window, so only they count. Other decoders
    /// have at most 4 MB each.
    pub max_window: u64,
    /// Decompressed bytes in all layers of a file together. `None` means no
    /// limit for data that is compressed once, because its size grows in
    /// proportion to the file, however many members an archive has. For data
    /// that is compressed again inside, `None` means [`NESTED_DECOMPRESSED`].
    pub max_decompressed: Option<u64>,
    /// The number of layers that are unpacked: a `.tgz` has two.
    pub depth: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits::DEFAULT
    }
}

impl Limits {
    /// 128 MiB of windows, four layers.
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

/// The state that all layers of a file share.
#[derive(Debug)]
pub(super) struct Ctx {
    pub limits: Limits,
    /// Faults that no read returned.
    faults: Mutex<VecDeque<UnpackFault>>,
    /// Decompressed bytes that count against the limit.
    spent: AtomicU64,
    /// Bytes of windows in use.
    windows: AtomicU64,
    /// The limit was reached. Nothing more is unpacked.
    exhausted: AtomicBool,
    /// Buffers of finished layers, for reuse.
    spare: Mutex<Vec<Vec<u8>>>,
}

impl Ctx {
    pub fn new(limits: Limits) -> Ctx {
        Ctx {
            limits,
            faults: Mutex::default(),
            spent: AtomicU64::new(0),
            windows: AtomicU64::new(0),
            exhausted: AtomicBool::new(false),
            spare: Mutex::default(),
        }
    }

    /// Queues a fault. It becomes an event.
    pub fn report(&self, fault: UnpackFault) {
        lock(&self.faults).push_back(fault);
    }

    /// The next fault in the queue.
    pub fn fault(&self) -> Option<UnpackFault> {
        lock(&self.faults).pop_front()
    }

    /// How many bytes the `level`th decompressor of a chain may still yield.
    pub fn room(&self, level: u32) -> u64 {
        let limit = match self.limits.max_decompressed {
            Some(limit) => limit,
            None if level > 1 => NESTED_DECOMPRESSED,
            None => return u64::MAX,
        };
        limit.saturating_sub(self.spent.load(Relaxed))
    }

    /// Records that the `level`th decompressor yielded `n` bytes.
    pub fn spend(&self, level: u32, n: usize) {
        if level > 1 || self.limits.max_decompressed.is_some() {
            self.spent.fetch_add(n as u64, Relaxed);
        }
    }

    /// Ends unpacking at the limit. Returns the reason.
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

    /// Takes a buffer back for reuse.
    pub fn give_back(&self, buffer: Vec<u8>) {
        let mut spare = lock(&self.spare);
        // The deepest nesting needs no more.
        if spare.len() < 8 {
            spare.push(buffer);
        }
    }
}

/// The part of the window budget that one decoder holds: its largest window,
/// until it is dropped. So the outcome does not depend on how far the other
/// layers have read.
#[derive(Debug)]
pub(super) struct Window {
    ctx: Arc<Ctx>,
    len: u64,
}

impl Window {
    pub fn new(ctx: &Arc<Ctx>) -> Window {
        Window {
            ctx: Arc::clone(ctx),
            len: 0,
        }
    }

    /// Raises it to `len` bytes.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](io::ErrorKind::OutOfMemory) if fewer are left.
    pub fn grow(&mut self, len: u64) -> io::Result<()> {
        let more = len.saturating_sub(self.len);
        let others = self.ctx.windows.load(Relaxed) - self.len;
        let max = self.ctx.limits.max_window;
        if others.saturating_add(len) <= max {
            self.ctx.windows.fetch_add(more, Relaxed);
            self.len += more;
            return Ok(());
        }
        let mut text = format!(
            "needs a window of {}; at most {} are allowed",
            mebibytes(len),
            mebibytes(max)
        );
        if others > 0 {
            text += &format!(", and other layers use {}", mebibytes(others));
        }
        Err(io::Error::new(io::ErrorKind::OutOfMemory, text))
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        self.ctx.windows.fetch_sub(self.len, Relaxed);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A number of bytes in the unit that people use.
fn mebibytes(n: u64) -> String {
    match n {
        0..0x10_0000 => format!("{n} bytes"),
        _ => format!("{} MiB", n.div_ceil(1 << 20)),
    }
}
