//! Sorts the rules of the Public Suffix List into one text.
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

    let mut all = Vec::new();
    for rule in fs::read_to_string(&rules)
        .expect("psl has its rules")
        .lines()
    {
        all.push(rule.to_owned());
        // A rule with letters beyond ASCII is also found by its name in the DNS.
        if !rule.is_ascii() {
            all.push(idna::domain_to_ascii(rule).expect("a rule is a domain"));
        }
    }
    all.sort_unstable();
    all.dedup();
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("Cargo sets it"));
    fs::write(out.join("rules.txt"), all.join("\n") + "\n").expect("the folder can be written");
}
