//! The peak memory and the processor time of a run of the command.
//!
//! The system reports one peak for all children of a process together. So each
//! run is started by a small process of its own: this program, called with
//! [`LAUNCH`]. Without `getrusage` (outside Unix) no memory is measured, and the
//! time is that on the clock.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Command, Stdio};

use urlgrep::mail::{Container, ReadAs, sniff};

/// The command. Cargo names it for tests, and the package of the benches for them.
const COMMAND: &str = match (
    option_env!("CARGO_BIN_EXE_urlgrep"),
    option_env!("URLGREP_COMMAND"),
) {
    (Some(command), _) | (None, Some(command)) => command,
    (None, None) => "urlgrep",
};

/// The argument that makes the program a launcher.
const LAUNCH: &str = "--launch-and-measure";

/// Must be called first. If the program was started as a launcher, runs the
/// command, prints what it used, and returns true.
pub fn launched() -> bool {
    let mut args = env::args_os().skip(1);
    if args.next().is_none_or(|arg| arg != LAUNCH) {
        return false;
    }
    let start = children_seconds();
    // Another build of the command, such as one that is optimised, when the program runs.
    let command = env::var_os("URLGREP_COMMAND");
    let status = Command::new(command.unwrap_or_else(|| COMMAND.into()))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the command can be started");
    let code = status.code().unwrap_or(-1);
    let seconds = children_seconds() - start;
    println!("{code} {} {seconds}", children_peak());
    true
}

/// The options that make the command read `bytes` as mail. There are none if the
/// first bytes are recognised as mail.
#[allow(dead_code, reason = "not every user needs it")]
pub fn as_mail(bytes: &[u8]) -> &'static [&'static str] {
    match sniff(bytes, false, ReadAs::Auto) {
        Container::Text => &["--as", "message"],
        _ => &[],
    }
}

/// What a run used.
pub struct Usage {
    /// The exit status, -1 for a signal.
    pub code: i32,
    /// The peak of resident memory in bytes.
    pub peak: u64,
    /// The processor time.
    #[allow(dead_code, reason = "not every user needs it")]
    pub seconds: f64,
}

/// Runs the command with `args` and nothing on standard input.
pub fn measure<S: AsRef<OsStr>>(args: &[S]) -> io::Result<Usage> {
    let mut launcher = Command::new(env::current_exe()?)
        .arg(LAUNCH)
        .args(args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut said = String::new();
    if let Some(mut out) = launcher.stdout.take() {
        out.read_to_string(&mut said)?;
    }
    launcher.wait()?;
    let mut words = said.split_whitespace();
    let mut parse = || {
        Some(Usage {
            code: words.next()?.parse().ok()?,
            peak: words.next()?.parse().ok()?,
            seconds: words.next()?.parse().ok()?,
        })
    };
    parse().ok_or_else(|| io::Error::other(format!("the launcher printed {said:?}")))
}

/// The processor time of all children that have ended. Unlike the time on the
/// clock it changes little on a busy machine.
#[cfg(unix)]
pub fn children_seconds() -> f64 {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("getrusage works");
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    seconds(usage.user_time()) + seconds(usage.system_time())
}

/// The time on the clock since the first call.
#[cfg(not(unix))]
pub fn children_seconds() -> f64 {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_secs_f64()
}

#[cfg(unix)]
fn children_peak() -> u64 {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("getrusage works");
    // In kilobytes, except on Apple's systems.
    let unit = if cfg!(target_vendor = "apple") {
        1
    } else {
        1024
    };
    u64::try_from(usage.max_rss()).unwrap_or_default() * unit
}

#[cfg(not(unix))]
fn children_peak() -> u64 {
    0
}
