//! Tasks and surprises from a report of a first-time user. Each task is one
//! command, with its output on the small archive in `testdata/jobs`. The rules
//! for mail in `testdata/rules.toml`, and the inputs of `testdata/other-hands.toml`, are
//! commands too.

use std::collections::{BTreeMap, HashSet};
use std::env;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::kit::{Dir, Out, run};

/// `testdata/jobs.toml`, `testdata/rules.toml` and `testdata/other-hands.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    #[serde(default)]
    job: Vec<Row>,
    #[serde(default)]
    oddity: Vec<Row>,
    #[serde(default)]
    rule: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Its number in the report, or the number of the rule.
    #[serde(alias = "rule")]
    number: toml::Value,
    what: String,
    /// A line for the shell.
    command: String,
    #[serde(default)]
    output: String,
    #[serde(default)]
    status: i32,
    /// A part of standard error. If empty, standard error must be empty.
    #[serde(default)]
    errors: String,
    /// A program that may not be installed.
    needs: Option<String>,
    /// Files to write before, by name.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

impl Row {
    /// Runs the row in `dir`. Describes a difference.
    fn failure(&self, dir: &Dir) -> Option<String> {
        for (name, text) in &self.files {
            dir.write(name, text);
        }
        let out = shell_in(dir, &self.command);
        let is_right = out.text() == self.output
            && out.code == Some(self.status)
            && out.errors.contains(&self.errors)
            && out.errors.is_empty() == self.errors.is_empty();
        (!is_right).then(|| {
            format!(
                "--- {:?}: {}\n$ {}\n{}{:?}\n{}expected:\n{}{}\n{}\n",
                self.number,
                self.what,
                self.command,
                out.text(),
                out.code,
                out.errors,
                self.output,
                self.status,
                self.errors
            )
        })
    }
}

fn rows() -> Rows {
    toml::from_str(include_str!("../../testdata/jobs.toml")).expect("rows")
}

/// A copy of the archive.
fn archive() -> Dir {
    let dir = Dir::new();
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/jobs/.");
    let copied = Command::new("cp")
        .args(["-R", archive])
        .arg(dir.path())
        .status();
    assert!(copied.expect("cp").success());
    dir
}

/// Runs a shell line in `dir`. `urlgrep` is the command.
fn shell_in(dir: &Dir, line: &str) -> Out {
    let here = Path::new(env!("CARGO_BIN_EXE_urlgrep"))
        .parent()
        .expect("a folder");
    let old = env::var_os("PATH").unwrap_or_default();
    let path = [here.to_path_buf()]
        .into_iter()
        .chain(env::split_paths(&old));
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(dir.path());
    command.env("PATH", env::join_paths(path).expect("a path"));
    command
        .env("HOME", dir.path())
        .env_remove("URLGREP_CONFIG_PATH");
    run(&mut command, Some(b""))
}

#[test]
fn each_is_one_command() {
    let Rows { job, oddity, .. } = rows();
    let (mut failed, mut left_out) = (String::new(), HashSet::new());
    for row in job.iter().chain(&oddity) {
        let dir = archive();
        if let Some(program) = &row.needs
            && shell_in(&dir, &format!("command -v {program}")).code != Some(0)
        {
            left_out.insert(program);
            continue;
        }
        failed.extend(row.failure(&dir));
    }
    eprintln!("skipped, because a program is not installed: {left_out:?}");
    assert!(failed.is_empty(), "\n{failed}");
}

/// Runs the rules of a file, each in a folder of its own.
fn check_rules(file: &str) {
    let Rows { rule: rows, .. } = toml::from_str(file).expect("rows");
    assert!(rows.len() >= 20);
    let failed: String = rows
        .iter()
        .filter_map(|row| row.failure(&Dir::new()))
        .collect();
    assert!(failed.is_empty(), "\n{failed}");
}

#[test]
fn each_rule_for_mail_has_its_rows() {
    check_rules(include_str!("../../testdata/rules.toml"));
}

#[test]
fn rows_by_other_hands() {
    check_rules(include_str!("../../testdata/other-hands.toml"));
}

/// Every option of these commands is in `--help`.
#[test]
fn help_has_every_option() {
    let help = Dir::new().run(["--help"]).text();
    let known: HashSet<&str> = help
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .collect();
    let Rows { job, oddity, .. } = rows();
    for row in job.iter().chain(&oddity) {
        for part in row
            .command
            .split('|')
            .filter(|part| part.contains("urlgrep"))
        {
            let (_, options) = part.split_once("urlgrep").expect("the command");
            for word in options
                .split_whitespace()
                .filter(|word| word.starts_with("--"))
            {
                let name = word.split('=').next().expect("a name");
                assert!(known.contains(name), "{name}: {}", row.command);
            }
        }
    }
}

#[test]
fn the_examples_of_help_work() {
    let help = Dir::new().run(["--help"]).text();
    let (_, rest) = help.split_once("\nExamples:\n").expect("examples");
    let (examples, _) = rest.split_once("\n\n").expect("their end");
    let commands: Vec<&str> = examples
        .lines()
        .filter_map(|line| line.strip_prefix("      "))
        .collect();
    assert!(commands.len() >= 8);
    for command in commands {
        let out = shell_in(&archive(), command);
        assert_eq!((out.code, out.errors.as_str()), (Some(0), ""), "{command}");
        assert!(!out.bytes.is_empty() || command.contains('>'), "{command}");
    }
}

#[test]
fn the_short_help_fits_a_screen() {
    let help = Dir::new().run(["-h"]).text();
    assert!(help.lines().count() <= 24, "{help}");
    assert!(help.lines().all(|line| line.len() <= 80), "{help}");
}
