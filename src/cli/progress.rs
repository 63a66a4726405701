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
use std::time::{Duration, Instant};

use super::output::plural;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use urlgrep_files::engine::Control;

/// The time before the line is first drawn.
const PATIENCE: Duration = Duration::from_secs(1);
/// The time between two updates of the line.
const PERIOD: Duration = Duration::from_millis(200);

/// The time before the first estimate of the time left. The first files say little about the
/// others: their bytes may be in the cache, or they may be archives.
const ESTIMATED: Duration = Duration::from_secs(2);
/// A later end is shown only if it is later by this much, and by this part of the time left.
const LATER: Duration = Duration::from_secs(2);
const LATER_PART: u32 = 4;

/// The templates of the line, without and with the total number of bytes.
const PART: &str = "{bytes} searched, {msg}";
const WHOLE: &str = "{bytes} of {total_bytes} searched, {msg}";

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
            let start = Instant::now();
            let mut estimate = Estimate::default();
            while stopped.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let progress = control.progress();
                let files = plural(progress.files, "file");
                let hits = plural(found.load(Ordering::Relaxed), "hit");
                let total = drawn.length().unwrap_or(0);
                let left = estimate.left(start.elapsed(), progress.bytes, total);
                let left = left.map(|left| format!(", {:#} left", HumanDuration(left)));
                let left = left.unwrap_or_default();
                drawn.set_message(format!("{files}, {hits}{left}"));
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

/// An estimate of the time at which the run ends.
///
/// The time that a run takes is that of its bytes so far, times all bytes. This is computed only
/// when bytes were finished: between two files nothing is known about the second one, and an
/// estimate would rise with the clock. The end that is shown comes nearer at once, and moves away
/// only if it is much later, so that the number counts down as long as the run keeps its pace.
#[derive(Default)]
struct Estimate {
    /// The bytes at the last computation.
    done: u64,
    /// The end that is shown, as a time since the start.
    end: Option<Duration>,
}

impl Estimate {
    /// The time left after `elapsed`, with `done` of `total` bytes. `None` if it is not known, or
    /// less than a second.
    fn left(&mut self, elapsed: Duration, done: u64, total: u64) -> Option<Duration> {
        if done > self.done {
            self.done = done;
            let seconds = elapsed.as_secs_f64() * (total as f64 / done as f64);
            let end = Duration::try_from_secs_f64(seconds).ok()?;
            let is_kept =
                |had: &Duration| elapsed >= ESTIMATED && !is_much_later(*had, end, elapsed);
            let kept = self.end.filter(is_kept);
            self.end = Some(kept.map_or(end, |had| had.min(end)));
        }
        if elapsed < ESTIMATED || done >= total {
            return None;
        }
        let left = self.end?.checked_sub(elapsed)?;
        (left >= Duration::from_secs(1)).then_some(left)
    }
}

/// True if the end of a run is so much later than the one that is shown that it must be said.
fn is_much_later(shown: Duration, end: Duration, now: Duration) -> bool {
    let left = end.saturating_sub(now);
    end.saturating_sub(shown) > LATER.max(left / LATER_PART)
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
    let mut folders = vec![path.to_owned()];
    let mut bytes = 0;
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
                    bytes += entry.metadata().map_or(0, |meta| meta.len());
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of seconds left that are shown in each fifth of a second, for a run that has
    /// finished `done` of `total` bytes after each of them.
    fn shown(done: impl Fn(f64) -> u64, total: u64) -> Vec<Option<f64>> {
        let mut estimate = Estimate::default();
        let mut shown = Vec::new();
        for tick in 5..1000 {
            let at = f64::from(tick) / 5.0;
            let done = done(at).min(total);
            let left = estimate.left(Duration::from_secs_f64(at), done, total);
            shown.push(left.map(|left| left.as_secs_f64()));
            if done == total {
                break;
            }
        }
        shown
    }

    fn rises(shown: &[Option<f64>]) -> usize {
        let known: Vec<f64> = shown.iter().copied().flatten().collect();
        known.windows(2).filter(|pair| pair[1] > pair[0]).count()
    }

    #[test]
    fn the_time_left_counts_down_at_a_steady_pace() {
        // Bytes a second, and the size of one step: a piece of a file, or a file of --pre.
        for (pace, step) in [
            (100.0, 1.0),
            (100.0, 50.0),
            (100.0, 333.0),
            (7.0, 4.0),
            (1e9, 1e6),
        ] {
            let total = (pace * 30.0) as u64;
            let done = |at: f64| ((pace * at / step).floor() * step) as u64;
            let shown = shown(done, total);
            assert_eq!(rises(&shown), 0, "{pace} {step} {shown:?}");
            // Not before two seconds, and then right.
            assert!(shown[..5].iter().all(Option::is_none), "{pace} {step}");
            let first = shown.iter().copied().flatten().next();
            let is_right = first.is_some_and(|first| (20.0..=32.0).contains(&first));
            assert!(is_right, "{pace} {step} {shown:?}");
        }
    }

    #[test]
    fn a_pace_that_varies_a_little_changes_nothing() {
        // The end moves by less than two seconds, which is not shown.
        let done = |at: f64| (100.0 * at + 5.0 * (at * 3.0).sin()) as u64;
        assert_eq!(rises(&shown(done, 6000)), 0);
    }

    #[test]
    fn a_run_that_becomes_slower_has_a_later_end() {
        let done = |at: f64| (100.0 * at.min(10.0) + 10.0 * (at - 10.0).max(0.0)) as u64;
        let shown = shown(done, 2000);
        assert!(rises(&shown) > 0);
        let last = shown.iter().rev().copied().flatten().next();
        assert!(last.is_some_and(|last| last < 40.0), "{shown:?}");
    }

    #[test]
    fn nothing_is_shown_that_is_not_known() {
        assert!(shown(|_| 0, 100).iter().all(Option::is_none));
        assert!(shown(|at| at as u64, 0).iter().all(Option::is_none));
        let mut estimate = Estimate::default();
        let huge = estimate.left(Duration::from_secs(3), 1, u64::MAX / 100);
        assert!(huge.is_some());
        assert_eq!(estimate.left(Duration::from_secs(4), 200, 100), None);
    }
}
