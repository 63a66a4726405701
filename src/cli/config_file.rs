//! `URLGREP_CONFIG_PATH`: a file of arguments. As in ripgrep, they come before
//! those of the command line.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::PathBuf;

use urlgrep_files::engine::Fault;

use super::error::ConfigError;
use super::inputs::os_string;
use super::{help, hints};

/// The environment variable with the path of the file.
pub const VARIABLE: &str = "URLGREP_CONFIG_PATH";

/// The arguments of the file, each with its line number from 1.
struct File {
    path: PathBuf,
    lines: Vec<(usize, OsString)>,
}

/// Inserts the arguments of the file after the name of the process.
///
/// The file is not used in these cases:
///
/// * The variable names no file.
/// * The command line has `--no-config` or `--generate`.
/// * The command line is invalid without the file.
///
/// # Errors
///
/// The file cannot be read, or one of its arguments is invalid, alone or
/// together with those of the process. The error has the name of the file. It
/// also has the line, if one line is the cause.
pub fn expand(args: &[OsString]) -> Result<Vec<OsString>, ConfigError> {
    let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) else {
        return Ok(args.to_vec());
    };
    match help::parse(args) {
        Ok((typed, _)) if typed.own.no_config || typed.other.generate.is_some() => {
            return Ok(args.to_vec());
        }
        Err(_) => return Ok(args.to_vec()),
        Ok(_) => {}
    }
    let file = File::read(PathBuf::from(path))?;
    file.check(&args[..args.len().min(1)])?;
    let (name, rest) = args.split_at(args.len().min(1));
    let mut all = name.to_vec();
    all.extend(file.lines.into_iter().map(|(_, line)| line));
    all.extend_from_slice(rest);
    match help::parse(&all) {
        Ok(_) => Ok(all),
        Err(error) => Err(ConfigError::new(format!(
            "{} ({VARIABLE}) and the command line together: {}; --no-config ignores the file",
            file.path.display(),
            hints::message(&error, &[])
        ))),
    }
}

impl File {
    fn read(path: PathBuf) -> Result<File, ConfigError> {
        let bytes = fs::read(&path)
            .map_err(|e| ConfigError::new(format!("{} ({VARIABLE})", Fault::new(&path, &e))))?;
        let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
        let lines = text.split(|&b| b == b'\n').map(<[u8]>::trim_ascii);
        let lines = (1..)
            .zip(lines)
            .filter(|(_, line)| !line.is_empty() && !line.starts_with(b"#"))
            .map(|(number, line)| (number, os_string(line.to_vec())))
            .collect();
        Ok(File { path, lines })
    }

    /// Checks the arguments of the file alone.
    fn check(&self, name: &[OsString]) -> Result<(), ConfigError> {
        let parse = |most: usize| {
            let lines = self.lines[..most].iter().map(|(_, line)| line);
            help::parse(name.iter().chain(lines))
        };
        let is_pre = |(_, line): &&(usize, OsString)| {
            line == "--pre" || line.as_encoded_bytes().starts_with(b"--pre=")
        };
        let error = match parse(self.lines.len()) {
            Ok((args, _)) if args.input.pre.is_empty() => return self.check_paths(&args.paths),
            Ok(_) => {
                let number = self
                    .lines
                    .iter()
                    .find(is_pre)
                    .map_or(0, |(number, _)| *number);
                return Err(ConfigError::new(format!(
                    "{}:{number}: --pre runs programs, so it is an option of the command line \
                     only ({VARIABLE})",
                    self.path.display()
                )));
            }
            Err(error) => error,
        };
        // The line at fault follows the longest valid prefix of the lines. A
        // shorter prefix is invalid only if it ends between an option and the
        // value on the next line.
        let is_good = |most: &usize| parse(*most).is_ok() || parse(most + 1).is_ok();
        let prefixes: Vec<usize> = (0..self.lines.len()).collect();
        let bad = prefixes.partition_point(is_good);
        let (number, line) = &self.lines[bad.saturating_sub(1)];
        let words = line.to_string_lossy();
        if words.starts_with('-') && words.contains(" -") && !words.contains('=') {
            return Err(ConfigError::new(format!(
                "{}:{number}: a line is one argument, so `{words}` needs several ({VARIABLE})",
                self.path.display()
            )));
        }
        if let Some((option, value)) = words.split_once(char::is_whitespace)
            && hints::takes_value(option)
        {
            let value = value.trim_start();
            return Err(ConfigError::new(format!(
                "{}:{number}: a line is one argument: `{option}={value}`, or `{value}` on the next \
                 line ({VARIABLE})",
                self.path.display()
            )));
        }
        if words.contains(" #") {
            return Err(ConfigError::new(format!(
                "{}:{number}: a line is one argument; a comment needs a line of its own ({VARIABLE})",
                self.path.display()
            )));
        }
        Err(ConfigError::new(format!(
            "{}:{number}: {} ({VARIABLE})",
            self.path.display(),
            hints::message(&error, &[])
        )))
    }

    /// Refuses a line that is read as a path and names no file: hyphens were forgotten, or the file
    /// has the form of another program.
    fn check_paths(&self, paths: &[OsString]) -> Result<(), ConfigError> {
        let is_missing = |path: &&OsString| *path != "-" && fs::symlink_metadata(path).is_err();
        let Some(path) = paths.iter().find(is_missing) else {
            return Ok(());
        };
        let found = self.lines.iter().find(|(_, line)| line == path);
        let number = found.map_or(0, |(number, _)| *number);
        let word = path.to_string_lossy();
        let name = word.split(['=', ':', ' ']).next().unwrap_or_default();
        let hint = if hints::is_long(name) {
            format!("; an option begins with hyphens: --{name}")
        } else {
            String::new()
        };
        Err(ConfigError::new(format!(
            "{}:{number}: `{word}` is no option and no file{hint} ({VARIABLE})",
            self.path.display()
        )))
    }
}
