//! Precision and recall over the truth set, `testdata/truth.toml`, by default
//! and without joining. The misses are exactly the misses listed in the file. A
//! new miss fails, and a listed miss that does not occur fails too.
//!
//! The aim of the project is 99.7 % for both. [`FLOOR`] is the minimum of the
//! default.
//!
//! `cargo test --test tests truth:: -- --nocapture` prints the scores.

use std::collections::BTreeMap;

use crate::common::rows::Failures;
use crate::common::truth::{Mode, Score, ours, rows, scores};

/// Precision and recall, in per cent.
type Percent = (f64, f64);

/// The aim of the project by default.
const AIM: Percent = (99.7, 99.7);
/// The minimum by default.
const FLOOR: Percent = (99.4, 98.5);
/// The minimum with `--no-join`.
const NO_JOIN: Percent = (98.8, 97.7);

fn run(mode: Mode) -> Score {
    let rows = rows();
    let mut failures = Failures::default();
    for row in &rows {
        let answer = ours(row, mode);
        let right = row.is_right(&answer, mode);
        if right == row.is_miss(mode) {
            let what = if right {
                "is no longer missed"
            } else {
                "is missed"
            };
            failures.add(format!(
                "{} {}: {what}\n  wanted {:?} {:?}\n  answer {answer:?}",
                row.n, row.source, row.url, row.first
            ));
        }
    }
    let scores = scores(&rows, mode, |row| ours(row, mode));
    for (name, score) in &scores {
        println!(
            "{mode:?} {name}: {} places, {} URLs wanted, {} printed, {} right ({} as first part): \
             precision {:.1} %, recall {:.1} %",
            score.places,
            score.wanted,
            score.printed,
            score.right,
            score.first_parts,
            score.precision(),
            score.recall()
        );
    }
    failures.check(rows.len());
    scores["all"]
}

fn check(score: Score, floor: Percent) {
    let (precision, recall) = (score.precision(), score.recall());
    assert!(precision >= floor.0, "precision {precision:.2} %");
    assert!(recall >= floor.1, "recall {recall:.2} %");
}

#[test]
fn by_default() {
    let score = run(Mode::Default);
    println!("Aim: precision {} %, recall {} %", AIM.0, AIM.1);
    check(score, FLOOR);
}

#[test]
fn no_join() {
    check(run(Mode::NoJoin), NO_JOIN);
}

#[test]
fn strata_have_their_sizes() {
    let mut drawn = BTreeMap::new();
    for row in rows() {
        *drawn.entry(row.stratum).or_insert(0) += 1;
    }
    let expected = [
        ("bracketed", 60),
        ("line-end", 80),
        ("quoted", 60),
        ("scheme-only", 80),
        ("slashes", 120),
    ];
    let expected = expected.map(|(name, places)| (name.to_owned(), places));
    assert_eq!(drawn, BTreeMap::from(expected));
}

/// `testdata/benchmark/score.py` asks any command. For ours it counts what this file counts.
#[cfg(all(feature = "cli", unix))]
#[test]
fn the_benchmark_counts_the_same() {
    use std::process::Command;

    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/benchmark");
    let has_tomllib = Command::new("python3")
        .args(["-c", "import tomllib"])
        .status()
        .is_ok_and(|status| status.success());
    if !has_tomllib {
        eprintln!("left out: python3 (3.11) is not installed");
        return;
    }
    let output = Command::new("python3")
        .arg(format!("{folder}/score.py"))
        .arg(format!("{folder}/peers/urlgrep"))
        .env("URLGREP", env!("CARGO_BIN_EXE_urlgrep"))
        .output()
        .expect("score.py runs");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let rows = rows();
    let all = scores(&rows, Mode::Default, |row| ours(row, Mode::Default))["all"];
    let expected = format!(
        "all\t{}\t{:.1} / {:.1}",
        all.places,
        all.precision(),
        all.recall()
    );
    assert!(
        printed.lines().any(|line| line == expected),
        "{expected} is not in\n{printed}"
    );
}
