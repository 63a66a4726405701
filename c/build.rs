//! Writes the number of the binary interface into the shared library, as cargo-c does, so that
//! a program finds `liburlgrep.so.1` also where plain Cargo has built it.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let family = std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default();
    // The number is URLGREP_ABI. A test compares them.
    if family == "linux" && std::env::var_os("CARGO_FEATURE_CAPI").is_none() {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,liburlgrep.so.1");
    }
}
