//! Instructions of each row of `benches/record` and of its floor, counted by
//! valgrind. Other programs on the machine do not change the count.
//!
//! ```text
//! cargo bench --bench floors [-- NAME...]
//! ```
//!
//! Needs valgrind. The code of a row and its floor run in separate processes: once
//! with two calls, and once with three. The difference of the two counts is the
//! cost of one call for which all memory is already allocated.

mod common;
#[path = "common/rows.rs"]
mod rows;

use std::env;
use std::io;
use std::process::Command;

use rows::{Row, Task, rows};

/// Set for the process under valgrind: a row, a side, and the number of calls.
const CHILD: &str = "URLGREP_FLOORS";

fn main() -> io::Result<()> {
    if let Ok(task) = env::var(CHILD) {
        child(&task);
        return Ok(());
    }
    let names: Vec<String> = env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    println!("| what | unit | instructions | floor | ratio |");
    println!("| --- | --- | ---: | ---: | ---: |");
    for (i, row) in rows().iter().enumerate() {
        if !names.is_empty() && !names.iter().any(|name| row.name.contains(name)) {
            continue;
        }
        let mut ours = call(i, "ours")?;
        if row.without.is_some() {
            ours -= call(i, "without")?;
        }
        let floor = call(i, "floor")?;
        let each = |n: f64| n / row.units.max(1) as f64;
        println!(
            "| {} | {} | {:.1} | {:.1} | {:.1} |",
            row.name,
            row.unit,
            each(ours),
            each(floor),
            ours / floor
        );
    }
    Ok(())
}

/// The instructions of one call.
fn call(row: usize, side: &str) -> io::Result<f64> {
    Ok(count(row, side, 3)? - count(row, side, 2)?)
}

/// The instructions of a process that makes `calls` calls.
fn count(row: usize, side: &str, calls: usize) -> io::Result<f64> {
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe()?)
        .env(CHILD, format!("{row} {side} {calls}"))
        .output()?;
    let log = String::from_utf8_lossy(&out.stderr);
    let number = log
        .lines()
        .find_map(|line| line.split_once("Collected : "))
        .and_then(|(_, number)| number.trim().parse().ok());
    number.ok_or_else(|| io::Error::other(log.into_owned()))
}

fn child(task: &str) {
    let mut words = task.split(' ');
    let number = |word: Option<&str>| word.and_then(|w| w.parse::<usize>().ok()).unwrap_or(0);
    let row: Row = rows().swap_remove(number(words.next()));
    let side = words.next();
    let mut task: Task = match (side, row.without) {
        (Some("ours"), _) => (row.ours)(),
        (Some("without"), Some(without)) => without(),
        _ => (row.floor)(),
    };
    for _ in 0..number(words.next()) {
        task(&row.text);
    }
}
