//! The memory that a decoder needs for its window.

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::limits::Ctx;

/// The share of one decoder in the window budget. It is the decoder's largest
/// window until now, and is released when the decoder is dropped. So the
/// outcome does not depend on how far other layers have been read.
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

    /// Raises the share to `len` bytes.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`](io::ErrorKind::OutOfMemory) if the budget is too small.
    pub fn grow(&mut self, len: u64) -> io::Result<()> {
        let more = len.saturating_sub(self.len);
        let others = self.ctx.costs.windows.load(Relaxed) - self.len;
        let max = self.ctx.limits.max_window;
        if others.saturating_add(len) <= max {
            self.ctx.costs.windows.fetch_add(more, Relaxed);
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
        self.ctx.costs.windows.fetch_sub(self.len, Relaxed);
    }
}

/// A size in MiB, or in bytes if it is smaller than one MiB.
fn mebibytes(n: u64) -> String {
    match n {
        0..0x10_0000 => format!("{n} bytes"),
        _ => format!("{} MiB", n.div_ceil(1 << 20)),
    }
}
