//! The command line program.
//!
//! `args` has the options as typed, and `config` interprets them. The
//! [engine](urlgrep_files::engine) finds, reads and cuts the files. `search` is its
//! worker, which finds URLs in a piece and prints them into a buffer. `write`
//! is its consumer, which writes the buffers in order. `status` is the outcome.

mod args;
mod batch;
mod check;
mod config;
mod config_file;
mod conflicts;
mod error;
mod generate;
mod globs;
mod help;
mod hints;
mod hits;
mod inputs;
mod keys;
#[cfg(feature = "ledger")]
mod ledger;
mod lines;
mod names;
mod output;
mod page;
mod print;
mod progress;
mod remedies;
mod run;
mod search;
mod sort;
mod status;
mod stdout;
#[cfg(test)]
mod tests;
mod unread;
mod values;
mod verify;
mod write;

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use config::{Config, Mode};
use error::ConfigError;
use status::Status;
use stdout::stdout;
use values::GenerateArg;

use urlgrep_base::escape;
use urlgrep_files::engine::Fault;

/// Runs the command with the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    run_with(std::env::args_os()).into()
}

/// Runs the command with these arguments. The first one is the name of the
/// command.
pub fn run_with(args: impl IntoIterator<Item = OsString>) -> Status {
    let typed: Vec<OsString> = args.into_iter().collect();
    let all = match config_file::expand(&typed) {
        Ok(all) => all,
        Err(error) => return trouble(&error),
    };
    if let Some(text) = hints::misread(&all) {
        return trouble(&ConfigError::new(text));
    }
    let (mut args, matches) = match help::parse(&all) {
        Ok(parsed) => parsed,
        Err(error) => {
            // The message quotes arguments. If the shell expanded a pattern, an
            // argument can be a file name with control characters. So the
            // arguments are escaped and parsed again. The error is the same.
            let shown = all.iter().map(|arg| visible(arg));
            let error = help::parse(shown).err().unwrap_or(error);
            if error.use_stderr() {
                return trouble(&ConfigError::new(hints::message(&error, &all)));
            }
            return written(error.print());
        }
    };
    if let Some(kind) = args.other.generate {
        return generated(kind);
    }
    let alone = (typed != all).then(|| help::parse(&typed));
    let typed = match &alone {
        Some(Ok((alone, typed))) => {
            // In the file of arguments `--fields` is a default for tables, and asks for none.
            if alone.mode.fields.is_empty() && !args.mode.has_columns() {
                args.mode.fields.clear();
            }
            typed
        }
        _ => &matches,
    };
    let config = Config::new(args).and_then(|config| {
        conflicts::check(typed, &matches)?;
        Ok(Arc::new(config))
    });
    match config.and_then(|config| search(&config)) {
        Ok(status) => status,
        Err(error) => trouble(&error),
    }
}

/// Prints an error of the command line.
fn trouble(error: &ConfigError) -> Status {
    let error = error.to_string();
    let lines = error
        .split('\n')
        .map(|line| visible(line.as_ref()).into_string());
    let error: Vec<_> = lines.map(Result::unwrap_or_default).collect();
    let error = error.join("\n");
    let _ = writeln!(io::stderr().lock(), "urlgrep: {error}");
    Status::TROUBLE
}

/// An argument without hidden characters.
fn visible(arg: &OsStr) -> OsString {
    let mut shown = Vec::new();
    escape::terminal(arg.as_encoded_bytes(), &mut shown);
    String::from_utf8_lossy(&shown).into_owned().into()
}

/// Prints a manual page or completions.
fn generated(kind: GenerateArg) -> Status {
    let mut page = Vec::new();
    written(generate::write(kind, &mut page).and_then(|()| stdout().write_all(&page)))
}

/// Reports an error of standard output. A broken pipe is success.
fn written(result: io::Result<()>) -> Status {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            trouble(&ConfigError::new(Fault::new(Path::new("<stdout>"), &error)))
        }
        _ => Status {
            found: true,
            ..Status::default()
        },
    }
}

fn search(config: &Arc<Config>) -> Result<Status, ConfigError> {
    config.end_programs_on_signals()?;
    if config.mode == Mode::Check {
        return Ok(check::run(config));
    }
    if config.mode == Mode::Verify {
        return Ok(verify::run(config));
    }
    #[cfg(feature = "ledger")]
    if let Some(path) = &config.args.mode.ledger {
        return ledger::run(config, path);
    }
    run::run(config)
}
