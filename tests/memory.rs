//! The command's memory is bounded on input made to take much of it. The bench
//! `hostile` measures every family at 8 and 64 MB; here are the worst at 8 MB.
//!
//! Without the harness, because the program is its own launcher (see [`peak`]).

#[path = "common/hostile_command.rs"]
mod command_families;
#[path = "common/hostile.rs"]
mod families;
#[path = "common/hostile_mail.rs"]
mod mail_families;
#[path = "common/peak.rs"]
mod peak;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// The worst of the table that `cargo bench --bench hostile -- memory` prints.
const WORST: [&str; 20] = [""; 20];

/// Runs with two threads, and their bounds in MiB: 16, and 4 or 8 a thread.
const MODES: [(&[&str], u64); 2] = [(&["-j2"], 24), (&["-j2", "--json"], 32)];

fn main() {
    if peak::launched() {
        return;
    }
    // Those who ask for other tests by name do not ask for this one.
    let mut names = std::env::args().skip(1).filter(|arg| !arg.starts_with('-'));
    if names.next().is_some_and(|name| !"memory".contains(&name)) {
        return;
    }
    let texts = families::FAMILIES
        .iter()
        .map(|&(name, make)| (name, make(8 << 20)));
    let all = mail_families::families()
        .into_iter()
        .chain(command_families::families());
    let mail = all.map(|family| (family.name, family.make(8 << 20)));
}
