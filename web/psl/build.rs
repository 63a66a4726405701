//! Makes a tree of the rules of the Public Suffix List.
//!
//! The rules are those of the crate `psl` that the command uses. It is not a dependency here,
//! because this package takes its place, so its folder is looked up in the registry of Cargo.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    let repository = Path::new("../..");
    let metadata = Command::new(env::var_os("CARGO").expect("Cargo sets it"))
        .args(["metadata", "--locked", "--format-version", "1"])
        .current_dir(repository)
        .output()
        .expect("Cargo runs");
    let metadata = String::from_utf8(metadata.stdout).expect("Cargo writes UTF-8");
    let manifest = metadata
        .split('"')
        .find(|text| {
            let path = Path::new(text);
            let folder = path.parent().and_then(Path::file_name);
            let is_psl = folder.is_some_and(|name| name.to_string_lossy().starts_with("psl-2."));
            is_psl && path.ends_with("Cargo.toml")
        })
        .expect("the workspace depends on psl");
    let rules = Path::new(manifest).with_file_name("data").join("rules.txt");
    println!("cargo::rerun-if-changed={}", rules.display());
    println!("cargo::rerun-if-changed=build.rs");

    let text = fs::read_to_string(&rules).expect("psl has its rules");
    let mut all: Vec<Vec<&str>> = text
        .lines()
        .map(|rule| rule.rsplit('.').collect())
        .collect();
    all.sort_unstable();
    all.dedup();
    let mut tree = String::new();
    let mut before: &[&str] = &[];
    for rule in &all {
        let pairs = rule.iter().zip(before);
        let common = pairs.take_while(|(label, other)| label == other).count();
        tree.push(char::from(1 + common as u8));
        tree += &rule[common..].join(".");
        before = rule;
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    fs::write(out.join("rules.txt"), tree).expect("the folder can be written");
}
