//! The peak memory of a run of the command.
//!
//! The system reports one peak for all children of a process together. So each
//! run is started by a small process of its own: this program, called with
//! [`LAUNCH`]. Without `getrusage` (outside Unix) nothing is measured.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Command, Stdio};

use urlgrep::mail::{Container, ReadAs, SNIFF, sniff};

/// The argument that makes the program a launcher.
const LAUNCH: &str = "--launch-and-measure";

/// Must be called first. If the program was started as a launcher, runs the
/// command, prints its peak, and returns true.
pub fn launched() -> bool {
    let mut args = env::args_os().skip(1);
    if args.next().is_none_or(|arg| arg != LAUNCH) {
        return false;
    }
    let status = Command::new(env!("CARGO_BIN_EXE_urlgrep"))
        .args(args)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .expect("the command can be started");
    println!("{} {}", status.code().unwrap_or(-1), children_peak());
    true
}

/// The options that make the command read `bytes` as mail. There are none if the
/// first bytes are recognised as mail.
pub fn as_mail(bytes: &[u8]) -> &'static [&'static str] {
    match sniff(&bytes[..bytes.len().min(SNIFF)], false, ReadAs::Auto) {
        Container::Text => &["--as", "message"],
        _ => &[],
    }
}

/// Runs the command with `args` and nothing on standard input. Returns its exit
/// status, -1 for a signal, and its peak of resident memory in bytes.
pub fn peak<S: AsRef<OsStr>>(args: &[S]) -> io::Result<(i32, u64)> {
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
    let (code, peak) = said.trim().split_once(' ').unwrap_or_default();
    match (code.parse(), peak.parse()) {
        (Ok(code), Ok(peak)) => Ok((code, peak)),
        _ => Err(io::Error::other(format!("the launcher printed {said:?}"))),
    }
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
