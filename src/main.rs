//! The command `urlgrep`; see [`cli`].

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::too_many_lines))]

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}
