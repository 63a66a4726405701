//! The progress of a run, on a terminal: bytes, files, hits and time left.
//!
//! After the first second of a run, a thread draws a line on standard error.
//! All other writes to a terminal go through [`Progress::pause`], so that they
//! do not mix with the line. The cursor stays visible. So an interrupt leaves
//! the terminal unchanged and needs no handler.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender, TryRecvError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::output::plural;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use urlgrep::engine::Control;

/// The time before the line is first drawn.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two updates of the line.
const PERIOD: Duration = Duration::from_millis(200);

/// The templates of the line, without and with the total number of bytes.
const PART: &str = "{bytes} searched, {msg}";
const WHOLE: &str = "{bytes} of {total_bytes} searched, {msg}, {eta} left";

/// The line on standard error. Dropping it clears the line.
pub struct Progress {
    bar: ProgressBar,
    hits: Arc<AtomicU64>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts the thread. `paths` are the files and folders of the whole
    /// input, if known.
    pub fn start(control: Control, paths: Option<(Vec<PathBuf>, bool)>) -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let (stop, stopped) = mpsc::channel::<()>();
        let hits = Arc::new(AtomicU64::new(0));
        let (drawn, found) = (bar.clone(), Arc::clone(&hits));
        let draw = move || {
            let mut wait = PATIENCE;
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let progress = control.progress();
                let files = plural(progress.files, "file");
                let hits = plural(found.load(Ordering::Relaxed), "hit");
                drawn.set_message(format!("{files}, {hits}"));
                drawn.set_position(progress.bytes);
                // The first line that is drawn is whole.
                if wait == PATIENCE {
                    wait = PERIOD;
                    let is_over = || stopped.try_recv() == Err(TryRecvError::Disconnected);
                    begin(&drawn, paths.as_ref(), is_over);
                }
            }
        };
        // OK to ignore: if the thread cannot start, only the progress is
        // missing.
        let builder = std::thread::Builder::new().name("progress".to_owned());
        let thread = builder.spawn(draw).ok();
        Progress {
            bar,
            hits,
            stop: Some(stop),
            thread,
        }
    }

    /// Sets the number of hits.
    pub fn set_hits(&self, number: u64) {
        self.hits.store(number, Ordering::Relaxed);
    }

    /// Calls `write` while the line is hidden.
    pub fn pause<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // OK to ignore: a panic of the thread does not affect the results.
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}

/// Shows the line.
fn begin(bar: &ProgressBar, paths: Option<&(Vec<PathBuf>, bool)>, is_over: impl Fn() -> bool) {
    let of = |path: &PathBuf, follow| size(path, follow, &is_over);
    let total = paths.map(|(paths, follow)| paths.iter().map(|path| of(path, *follow)).sum());
    if let Some(total) = total {
        bar.set_length(total);
    }
    let template = if total.is_some() { WHOLE } else { PART };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(5));
}

/// The approximate size of the files in `path` in bytes. It is too small if the
/// run ends before all files are counted.
fn size(path: &Path, follow: bool, is_over: &impl Fn() -> bool) -> u64 {
    let Ok(meta) = fs::metadata(path) else {
        return 0;
    };
    if !meta.is_dir() {
        return meta.len();
    }
    let (mut folders, mut bytes) = (vec![path.to_owned()], 0);
    while let Some(folder) = folders.pop()
        && !is_over()
    {
        let Ok(entries) = fs::read_dir(folder) else {
            continue;
        };
        for entry in entries.flatten() {
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(kind) if kind.is_file() => {
                    bytes += entry.metadata().map_or(0, |meta| meta.len())
                }
                Ok(kind) if kind.is_symlink() && follow => {
                    // The target of a link may be a folder that contains this
                    // folder. So linked folders are not counted.
                    let target = fs::metadata(entry.path());
                    bytes += target.map_or(0, |meta| if meta.is_file() { meta.len() } else { 0 });
                }
                _ => {}
            }
        }
    }
    bytes
}
