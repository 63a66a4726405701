//! The command `urlgrep`; see [`urlgrep::cli`].

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    urlgrep::cli::main()
}
