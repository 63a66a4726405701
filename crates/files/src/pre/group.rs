//! Processes of the running programs.
//!
//! A program is often a script that starts others. A signal to the first process would leave
//! these running, so on Unix each program leads a process group of its own, and the group is
//! ended. A process leaves the group only if it asks for that, as a daemon does.

use std::io;
use std::process::{Child, Command, ExitStatus};

#[cfg(unix)]
pub(super) use unix::{Running, is_too_large};

#[cfg(not(unix))]
pub(super) use elsewhere::{Running, is_too_large};

/// A program that was started, and all processes of its group. Dropping it ends them.
#[derive(Debug)]
pub(super) struct Program<'r> {
    child: Child,
    running: &'r Running,
    is_reaped: bool,
}

impl Program<'_> {
    /// Starts a program, none of whose files becomes larger than `most` bytes and one.
    pub fn start<'r>(
        command: &mut Command,
        most: u64,
        running: &'r Running,
    ) -> io::Result<Program<'r>> {
        let child = running.start(command, most)?;
        Ok(Program {
            child,
            running,
            is_reaped: false,
        })
    }

    /// True if the first process of the program has ended.
    pub fn has_ended(&mut self) -> io::Result<bool> {
        self.running.has_ended(&mut self.child)
    }

    /// Ends the processes that still run. Returns the status of the first one.
    pub fn end(&mut self) -> io::Result<ExitStatus> {
        self.is_reaped = true;
        self.running.end(&mut self.child)
    }
}

impl Drop for Program<'_> {
    fn drop(&mut self) {
        if !self.is_reaped {
            // OK to ignore: this happens only after another error, which is reported.
            let _ = self.end();
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::io;
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, ExitStatus};
    use std::sync::{Arc, Mutex, PoisonError};
    use std::thread;

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    /// The groups that run. Each has the id of its first process, which is not reaped while
    /// the id is here, so that no other process can have it.
    #[derive(Clone, Debug, Default)]
    pub struct Running(Arc<Mutex<Vec<Pid>>>);

    impl Running {
        pub(super) fn start(&self, command: &mut Command, most: u64) -> io::Result<Child> {
            command.process_group(0);
            // Locked until the id is known, so that a signal does not miss this program.
            let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let child = command.spawn()?;
            let group = group_of(&child);
            groups.push(group);
            drop(groups);
            bound_files(group, most);
            Ok(child)
        }

        #[allow(clippy::unused_self, reason = "the caller knows no platforms")]
        pub(super) fn has_ended(&self, child: &mut Child) -> io::Result<bool> {
            // Not `Child::try_wait`, which reaps: then the id could belong to another group
            // by the time the rest of this one is ended.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let status = waitid(WaitId::Pid(group_of(child)), options)?;
            Ok(status.is_some())
        }

        pub(super) fn end(&self, child: &mut Child) -> io::Result<ExitStatus> {
            let group = group_of(child);
            // OK to ignore: all of them may have ended just now.
            let _ = kill_process_group(group, Signal::KILL);
            let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            groups.retain(|&one| one != group);
            drop(groups);
            child.wait()
        }

        /// See [`Programs::end_on_signals`](super::super::Programs::end_on_signals).
        pub fn end_on_signals(&self) -> io::Result<()> {
            let signals = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];
            let ignored = ignored_signals();
            let mut signals = Signals::new(signals.iter().filter(|&&one| !ignored(one)))?;
            let groups = Arc::clone(&self.0);
            let wait = move || {
                let Some(signal) = signals.forever().next() else {
                    return;
                };
                // Locked until the process has ended, so that no other program starts.
                let groups = groups.lock().unwrap_or_else(PoisonError::into_inner);
                for &group in &*groups {
                    // OK to ignore: the program may have ended just now.
                    let _ = kill_process_group(group, Signal::KILL);
                }
                // OK to ignore: it fails only for signals that cannot be handled.
                let _ = emulate_default_handler(signal);
            };
            let thread = thread::Builder::new().name("signals".to_owned());
            thread.spawn(wait).map(drop)
        }
    }

    /// The group of a process that was started as its first one.
    fn group_of(child: &Child) -> Pid {
        Pid::from_child(child)
    }

    /// True if a process ended because a file became too large.
    pub fn is_too_large(status: ExitStatus) -> bool {
        status.signal() == Some(SIGXFSZ)
    }

    /// Bounds the files that the first process writes, and the processes that it starts from
    /// now on. The output is watched as well, but only this bounds a daemon.
    ///
    /// A limit that is set before the program starts would need `unsafe` code between fork and
    /// exec. One that is set here misses a process that was started in the microseconds before.
    #[cfg(any(target_os = "android", target_os = "linux"))]
    fn bound_files(process: Pid, most: u64) {
        use rustix::process::{Resource, Rlimit, getrlimit, prlimit};
        // With one byte more, an output that is too large can be told from one that is just
        // as large as it may be.
        let most = most.saturating_add(1);
        let ours = getrlimit(Resource::Fsize);
        let smaller = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
        let limit = Rlimit {
            current: smaller(ours.current),
            maximum: smaller(ours.maximum),
        };
        // OK to ignore: the process may have ended, or belong to another user (setuid).
        let _ = prlimit(Some(process), Resource::Fsize, limit);
    }

    /// Other systems cannot limit another process.
    #[cfg(not(any(target_os = "android", target_os = "linux")))]
    fn bound_files(_: Pid, _: u64) {}

    /// Tells which signals the process ignores. `nohup` and a shell without job control start
    /// a process so, and a handler would undo it.
    #[cfg(any(target_os = "android", target_os = "linux"))]
    fn ignored_signals() -> impl Fn(i32) -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        let mask = mask.unwrap_or_default();
        move |signal| mask & 1 << (signal - 1) != 0
    }

    /// Elsewhere only `unsafe` code can ask. SIGHUP counts as ignored because of `nohup`.
    #[cfg(not(any(target_os = "android", target_os = "linux")))]
    fn ignored_signals() -> impl Fn(i32) -> bool {
        |signal| signal == SIGHUP
    }
}

/// A platform without process groups: only the first process is known.
#[cfg(not(unix))]
mod elsewhere {
    use std::io;
    use std::process::{Child, Command, ExitStatus};

    #[derive(Clone, Debug, Default)]
    pub struct Running;

    impl Running {
        pub(super) fn start(&self, command: &mut Command, _most: u64) -> io::Result<Child> {
            command.spawn()
        }

        pub(super) fn has_ended(&self, child: &mut Child) -> io::Result<bool> {
            Ok(child.try_wait()?.is_some())
        }

        pub(super) fn end(&self, child: &mut Child) -> io::Result<ExitStatus> {
            // OK to ignore: it may have ended just now.
            let _ = child.kill();
            child.wait()
        }

        pub fn end_on_signals(&self) -> io::Result<()> {
            Ok(())
        }
    }

    pub fn is_too_large(_: ExitStatus) -> bool {
        false
    }
}
