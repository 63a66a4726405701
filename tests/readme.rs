//! Tests the README and the pages of `docs/`. Examples are run, and links are
//! followed. The output for the sample mail is compared with a list that was
//! written by hand.
//!
//! A `console` block is a session. `$ cat NAME` shows a file, which the test
//! writes. Any other command is run in the folder of these files, with the
//! `urlgrep` of this build. It must print the lines that follow.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const README: &str = include_str!("../README.md");
const DEPENDENCIES: &str = include_str!("../docs/dependencies.md");
const URLGREP: &str = env!("CARGO_BIN_EXE_urlgrep");

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and the pages of `docs/`: path and text.
fn pages() -> Vec<(PathBuf, String)> {
    let mut paths = vec![root().join("README.md")];
    for entry in fs::read_dir(root().join("docs")).unwrap() {
        paths.push(entry.unwrap().path());
    }
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "md"));
    paths.sort();
    let text = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    paths.into_iter().map(text).collect()
}

/// The contents of the fenced blocks of one language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
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
    let mut inputs = 0;
    for (page, content) in pages() {
        let name = page.file_stem().unwrap().to_str().unwrap();
        // One folder for all sessions of a page: a page may show a file once and use it again.
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("page-{name}"));
        fs::create_dir_all(&folder).unwrap();
        for session in blocks(&content, "console") {
            for (command, lines) in commands(&session) {
                if let Some(name) = command.strip_prefix("cat ") {
                    fs::write(folder.join(name), lines).unwrap();
                    inputs += 1;
                    continue;
                }
                let output = shell(&folder, command);
                assert_eq!(text(output.stderr), "", "{name}: $ {command}");
                assert_eq!(text(output.stdout), lines, "{name}: $ {command}");
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
    assert!(inputs >= 6, "the pages have {inputs} inputs");
}

#[test]
fn readme_is_short() {
    assert!(README.lines().count() <= 150);
}

/// Every page of the repository: path and text.
fn all_pages() -> Vec<(PathBuf, String)> {
    let folders = [
        ".",
        "docs",
        "benches",
        "benches/record",
        "c",
        "fuzz",
        "python",
        "web/npm",
    ];
    let mut paths = Vec::new();
    for folder in folders {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            paths.push(entry.unwrap().path());
        }
    }
    paths.retain(|path| path.extension().is_some_and(|ext| ext == "md"));
    paths.sort();
    let text = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    paths.into_iter().map(text).collect()
}

/// The lines of a page that are not in a fenced block.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        if is_fence {
            in_block = !in_block;
        }
        !is_fence && !in_block
    })
}

/// The anchors that a Markdown viewer makes of the headings: lower case, without punctuation,
/// blanks as hyphens.
fn anchors(page: &str) -> Vec<String> {
    let headings = prose(page).filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
            title
                .chars()
                .filter(is_kept)
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}

/// The targets of the links of a page, without those in code.
fn targets(page: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for line in prose(page) {
        let text: String = line.split('`').step_by(2).collect::<Vec<_>>().join("code");
        for link in text.split("](").skip(1) {
            targets.push(link.split(')').next().unwrap().to_owned());
        }
    }
    targets
}

/// Each link within the repository names an existing file, and its anchor an existing heading.
#[test]
fn links() {
    let mut links = 0;
    let mut links_to_headings = 0;
    for (page, content) in all_pages() {
        for target in targets(&content) {
            if target.contains("://") {
                continue;
            }
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((&target, ""));
            let path = match file {
                "" => page.clone(),
                _ => page.parent().unwrap().join(file),
            };
            assert!(path.exists(), "{}: {target}", page.display());
            if !anchor.is_empty() {
                links_to_headings += 1;
                let linked = fs::read_to_string(&path).unwrap();
                let exists = anchors(&linked).iter().any(|known| known == anchor);
                assert!(exists, "{}: {target}", page.display());
            }
        }
    }
    assert!(links > 50, "{links} links");
    assert!(
        links_to_headings > 5,
        "{links_to_headings} links to headings"
    );
}

/// The index names every page.
#[test]
fn index() {
    let index = include_str!("../docs/README.md");
    for (page, _) in pages().iter().skip(1) {
        let name = page.file_name().unwrap().to_str().unwrap();
        if name != "README.md" {
            assert!(index.contains(&format!("({name})")), "{name}");
        }
    }
}

#[test]
fn sample_mail() {
    let command = ["cargo run --release --locked -- ", "testdata/mail\n"].concat();
    assert!(
        blocks(README, "sh").contains(&command),
        "the README's command"
    );
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

/// The page of dependencies names every dependency, and no other crate.
#[test]
fn dependencies() {
    let manifest: toml::Table = include_str!("../Cargo.toml").parse().unwrap();
    let mut needed: Vec<&str> = manifest["workspace"]["dependencies"]
        .as_table()
        .unwrap()
        .keys()
        .map(String::as_str)
        .filter(|name| !name.starts_with("urlgrep"))
        .collect();
    needed.sort_unstable();
    // The crates in `python` and `c` have manifests of their own.
    let of_others = |line: &&str| line.contains("`c` |");
    let mut named: Vec<&str> = DEPENDENCIES
        .lines()
        .filter(|line| !of_others(line))
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    named.sort_unstable();
    assert_eq!(named, needed);
}
