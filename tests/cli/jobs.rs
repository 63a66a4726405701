//! Tasks and surprises from a report of a first-time user. Each task is one
//! command, with its output on the small archive in `testdata/jobs`. The rules
//! for mail in `testdata/rules.toml` are commands too.

use std::collections::{BTreeMap, HashSet};
use std::env;
use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::kit::{Dir, Out, run};

/// `testdata/jobs.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    job: Vec<Row>,
    oddity: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// Its number in the report.
    number: usize,
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
}

/// `testdata/rules.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    rule: Vec<Rule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    /// The number of the rule.
    rule: String,
    what: String,
    /// A line for the shell.
    command: String,
    #[serde(default)]
    output: String,
    #[serde(default)]
    status: i32,
    /// Files to write before, by name.
    #[serde(default)]
    files: BTreeMap<String, String>,
}

fn rows() -> Rows {
    toml::from_str(include_str!("../../testdata/jobs.toml")).expect("rows")
}

/// Runs a shell line in a copy of the archive. `urlgrep` is the command.
fn shell(line: &str) -> Out {
    let dir = Dir::new();
    let archive = concat!(env!("CARGO_MANIFEST_DIR"), "/testdata/jobs/.");
    let copied = Command::new("cp")
        .args(["-R", archive])
        .arg(dir.path())
        .status();
    assert!(copied.expect("cp").success());
    shell_in(&dir, line)
}

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
    let Rows { job, oddity } = rows();
    let mut left_out = HashSet::new();
    for row in job.iter().chain(&oddity) {
        let Row {
            number,
            what,
            command,
            ..
        } = row;
        if let Some(program) = &row.needs
            && shell(&format!("command -v {program}")).code != Some(0)
        {
            left_out.insert(program);
            continue;
        }
        let out = shell(command);
        let title = format!("{number}: {what}\n$ {command}\n{}", out.errors);
        assert_eq!(out.text(), row.output, "{title}");
        assert_eq!(out.code, Some(row.status), "{title}");
        assert!(out.errors.contains(&row.errors), "{title}");
        assert_eq!(out.errors.is_empty(), row.errors.is_empty(), "{title}");
    }
    eprintln!("skipped, because a program is not installed: {left_out:?}");
}

#[test]
fn each_rule_for_mail_has_its_rows() {
    let Rules { rule: rows } =
        toml::from_str(include_str!("../../testdata/rules.toml")).expect("rows");
    assert!(rows.len() >= 30);
    let mut failed = String::new();
    for row in rows {
        let dir = Dir::new();
        for (name, text) in &row.files {
            dir.write(name, text);
        }
        let out = shell_in(&dir, &row.command);
        if (out.code, &out.text()) != (Some(row.status), &row.output) || !out.errors.is_empty() {
            let Rule { rule, what, .. } = &row;
            failed += &format!("--- {rule}: {what}\n{}{:?}\n", out.text(), out.code);
            failed += &format!("{}expected:\n{}\n", out.errors, row.output);
        }
    }
    assert!(failed.is_empty(), "\n{failed}");
}

/// Every option of these commands is in `--help`.
#[test]
fn help_has_every_option() {
    let help = Dir::new().run(["--help"]).text();
    let known: HashSet<&str> = help
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '-')
        .collect();
    let Rows { job, oddity } = rows();
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
        let out = shell(command);
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
