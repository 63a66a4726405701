//! Tells the benches where the command is, which they do not build.

use std::env;
use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // The folder of the profile: OUT_DIR is `PROFILE/build/urlgrep-benches-HASH/out`.
    let out = env::var("OUT_DIR").expect("Cargo sets it");
    let profile = Path::new(&out).ancestors().nth(3).expect("a folder");
    let command = profile.join("urlgrep");
    println!("cargo::rustc-env=URLGREP_COMMAND={}", command.display());
}
