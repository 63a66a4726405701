//! What the README says is so: its examples are run, and the sample mail gives
//! the list that was written by hand.
//!
//! A `console` block of the README is a session. `$ cat NAME` shows a file,
//! which the test writes; any other command is run in the folder with the
//! files of its block, with `urlgrep` being ours, and must print what follows.

#![cfg(feature = "cli")]

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const README: &str = include_str!("../README.md");
const URLGREP: &str = env!("CARGO_BIN_EXE_urlgrep");

/// The contents of the fenced blocks of one language.
fn blocks(language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = README.lines();
    while let Some(line) = lines.next() {
        let Some(found) = line.strip_prefix("```") else {
            continue;
        };
        let body: String = lines
            .by_ref()
            .take_while(|line| *line != "```")
            .flat_map(|line| [line, "\n"])
            .collect();
        if found == language {
            blocks.push(body);
        }
    }
    blocks
}

/// The commands of a session, each with the lines under it.
fn commands(session: &str) -> Vec<(&str, String)> {
    let mut commands: Vec<(&str, String)> = Vec::new();
    for line in session.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            commands.push((command, String::new()));
        } else {
            let (_, lines) = commands.last_mut().expect("a session starts with `$ `");
            lines.push_str(line);
            lines.push('\n');
        }
    }
    commands
}

fn shell(folder: &Path, command: &str) -> Output {
    let here = Path::new(URLGREP).parent().unwrap().to_path_buf();
    let old = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths([here].into_iter().chain(env::split_paths(&old))).unwrap();
    Command::new("sh")
        .args(["-c", command])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn examples() {
    let sessions = blocks("console");
    let mut inputs = 0;
    for (number, session) in sessions.iter().enumerate() {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("readme-{number}"));
        fs::create_dir_all(&folder).unwrap();
        for (command, lines) in commands(session) {
            if let Some(name) = command.strip_prefix("cat ") {
                fs::write(folder.join(name), lines).unwrap();
                inputs += 1;
                continue;
            }
            let output = shell(&folder, command);
            assert_eq!(text(output.stderr), "", "$ {command}");
            assert_eq!(text(output.stdout), lines, "$ {command}");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
    assert!(inputs >= 6, "the README shows {inputs} inputs");
}

#[test]
fn sample_mail() {
    let command = ["cargo run --release --locked -- ", "testdata/mail\n"].concat();
    assert!(blocks("sh").contains(&command), "the README's command");
    let output = Command::new(URLGREP)
        .arg("testdata/mail")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let golden = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/mail.golden"));
    assert_eq!(text(output.stderr), "");
    assert_eq!(text(output.stdout), text(golden.unwrap()));
    assert_eq!(output.status.code(), Some(0));
}

/// Every dependency has its reason in the README, and none is named there
/// that is gone.
#[test]
fn dependencies() {
    let manifest: toml::Table = include_str!("../Cargo.toml").parse().unwrap();
    let mut needed: Vec<&str> = ["dependencies", "dev-dependencies"]
        .iter()
        .flat_map(|table| manifest[*table].as_table().unwrap().keys())
        .map(String::as_str)
        .collect();
    needed.sort_unstable();
    needed.dedup();
    let (_, rest) = README.split_once("\n## Dependencies\n").unwrap();
    let section = rest
        .split_once("\n## ")
        .map_or(rest, |(section, _)| section);
    let mut named: Vec<&str> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    named.sort_unstable();
    assert_eq!(named, needed);
}
